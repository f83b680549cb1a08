"""Functions in a process of their own: late, dead, or well."""

import os
import signal
import time

import pytest

from scorecast._core.limited import OutOfTimeError, ProcessDiedError, run_limited


def ended(code):
    os._exit(code)


def crashed():
    os.kill(os.getpid(), signal.SIGSEGV)


def test_a_process_that_died_is_not_called_late():
    with pytest.raises(ProcessDiedError, match=r"died \(exit code 9\)"):
        run_limited(ended, 9, seconds=60)
    with pytest.raises(ProcessDiedError, match=r"died \(signal 11\)"):
        run_limited(crashed, seconds=60)
    # The next one gets a process of its own.
    assert run_limited(abs, -3, seconds=60) == 3
    with pytest.raises(OutOfTimeError, match=r"stopped after 0\.5 s"):
        run_limited(time.sleep, 30, seconds=0.5)
