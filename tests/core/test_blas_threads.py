"""How many threads BLAS has changes no digit of an answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "blas_threads.py"


def answers(n_threads, *arguments):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env={**os.environ, "OPENBLAS_NUM_THREADS": str(n_threads)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="one core has but one thread of BLAS"
)
def test_threads_of_blas_change_no_digit_and_would_without_our_guard():
    by_one = answers(1)
    by_two = answers(2)
    assert [name for name in by_one if by_one[name] != by_two[name]] == []
    unguarded = answers(2, "unguarded")
    assert [name for name in unguarded if by_one[name] != unguarded[name]]
