"""Where data and golden values are found."""

import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"
SHARED_DATA = Path(os.environ.get("SCORECAST_DATA", ROOT.parent / "shared" / "data"))


def pytest_configure():
    """Drop compiled kernels older than the sources they were compiled from.

    Numba looks only at the file of the function it kept, not at those it calls.
    """
    kernels = ROOT / "src" / "scorecast" / "mixtures" / "kernels"
    changed = max(source.stat().st_mtime for source in kernels.glob("*.py"))
    for kept in (kernels / "__pycache__").glob("*.nb[ci]"):
        if kept.stat().st_mtime < changed:
            kept.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def reference():
    """Values proved by independent scripts, by name."""
    data = json.loads((GOLDEN / "reference_values.json").read_text())
    return {entry["name"]: entry for entry in data["values"]}


@pytest.fixture(scope="session")
def shared_data():
    """Real data that may be measured but not shipped."""
    if not SHARED_DATA.is_dir():
        pytest.skip("SCORECAST_DATA names no folder: real data that cannot be shipped")
    return SHARED_DATA


@pytest.fixture(scope="session")
def shared_golden(shared_data):
    """Outputs of the authors' own R code on those data."""
    golden = shared_data.parent / "golden"
    if not golden.is_dir():
        pytest.skip("no golden outputs beside SCORECAST_DATA")
    return golden
