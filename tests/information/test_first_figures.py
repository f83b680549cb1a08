"""What is said at once, and how little is loaded for it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import stdtrit

from scorecast.information import first_figures
from scorecast.information.first_figures import student_quantile


@pytest.mark.parametrize("freedom", [1, 2, 5, 29, 101, 999, 10**5])
@pytest.mark.parametrize("level", [0.75, 0.95, 0.975, 0.995])
def test_quantiles_of_student(freedom, level):
    exact = stdtrit(freedom, level)
    assert student_quantile(level, freedom) == pytest.approx(exact, rel=2e-6)


def test_plain_intervals():
    j = np.random.default_rng(0).normal(0.2, 0.5, 300)
    found = first_figures(np.append(j, -np.inf), 0.95)
    assert (found.n, found.n_impossible) == (301, 1)
    half = stdtrit(299, 0.975) * j.std(ddof=1) / np.sqrt(300)
    assert found.t_interval == pytest.approx((j.mean() - half, j.mean() + half))
    assert found.bootstrap_interval == pytest.approx(found.t_interval, abs=0.1 * half)
    assert np.isnan(first_figures(np.array([0.1]), 0.95).t_interval[0])


FIRST = """
import sys
import scorecast._core.progress as progress
def stop(text):
    ours = sorted(m for m in sys.modules if m.startswith("scorecast."))
    print(__import__("json").dumps([text, sorted(sys.modules), ours]))
    sys.stdout.flush()
    __import__("os")._exit(0)
progress.say = stop
from scorecast.cli import main
main()
"""


def test_first_figures_load_little(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("q,p\n" + "0.7,0.5\n0.4,0.5\n0.9,0.5\n" * 20)
    verb = ["information", str(table), "--q", "q", "--p", "p"]
    done = subprocess.run(
        [sys.executable, "-c", FIRST, *verb],
        capture_output=True,
        text=True,
        check=False,
    )
    text, loaded, ours = json.loads(done.stdout)
    assert text.startswith("First figures: mean")
    heavy = {"sklearn", "numba", "scipy.stats", "scipy.special", "joblib", "matplotlib"}
    assert not heavy & set(loaded)
    assert not [m for m in ours if m.startswith("scorecast.mixtures.kernels")]
    assert len(ours) < 70
