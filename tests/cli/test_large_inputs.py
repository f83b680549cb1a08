"""Sizes a user may come with: they end, within time and memory that are stated.

Each runs as a process of its own. Limits are wider than what
``docs/benchmarks.md`` states, as other machines are slower; CPU seconds, so that what
else a machine does matters little.
"""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.slow

RUN = """
import json, os, resource, sys
from scorecast.cli.main import _run
code = _run(sys.argv[1:])
own = resource.getrusage(resource.RUSAGE_SELF)
others = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
most = own.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
if sys.platform == "linux":
    # getrusage counts the memory of the process that began this one, too.
    with open("/proc/self/status") as file:
        (most,) = (int(s.split()[1]) * 1024 for s in file if s.startswith("VmHWM"))
print(json.dumps([code, seconds, most / 1e6]), file=sys.stderr)
"""


def used(*arguments):
    """Run a command; return its CPU seconds and greatest memory in MB."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=800,
    )
    code, seconds, megabytes = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    print(arguments[0], f"{seconds:.1f} CPU s, {megabytes:.0f} MB")  # noqa: T201
    return seconds, megabytes


@pytest.mark.parametrize("more", [[], ["--method", "bayesian", "--backtest", "0"]])
@pytest.mark.parametrize(("n_samples", "n_classes"), [(400, 100_000), (1_000, 50_000)])
def test_forecasts_from_very_many_classes(tmp_path, n_samples, n_classes, more):
    rng = np.random.default_rng(0)
    own = rng.integers(0, n_classes, n_samples)
    scores = rng.normal(size=(n_samples, n_classes)).astype(np.float32)
    scores[np.arange(n_samples), own] += 5
    np.save(tmp_path / "scores.npy", scores)
    np.save(tmp_path / "y.npy", own)
    seconds, megabytes = used(
        "extrapolate", tmp_path / "scores.npy", "--labels", tmp_path / "y.npy",
        "--to", "1e7", *more,
    )  # fmt: skip
    assert seconds < 60
    assert megabytes < 2_500


@pytest.mark.parametrize("more", [[], ["--quick"], ["--groups", "g"]])
def test_information_of_a_million_forecasts(tmp_path, more):
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(-rng.normal(size=1_000_000)))
    q = np.where(rng.random(p.size) < p, p, 1 - p)
    with open(tmp_path / "q.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["q", "p", "g"])
        rows.writerows((x, 0.5, i % 7) for i, x in enumerate(q.round(6).tolist()))
    seconds, megabytes = used(
        "information", tmp_path / "q.csv", "--q", "q", "--p", "p", *more
    )
    assert seconds < 15
    assert megabytes < 1_000


@pytest.mark.parametrize(("more", "most"), [(["--quick"], 20), ([], 250)])
def test_a_look_at_very_many_features(tmp_path, more, most):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 100_000)).astype(np.float32)
    X[:, :50] += y[:, None]
    np.savez(tmp_path / "data.npz", X=X, y=y)
    seconds, megabytes = used(
        "assess", tmp_path / "data.npz", "--target", "y", "--model", "svm", *more
    )
    assert seconds < most
    assert megabytes < 1_500
