"""Functions in a process of their own: late, dead, or well."""

import os
import signal
import time

import pytest

from scorecast._core import limited
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


def test_a_reply_that_was_not_waited_for_is_no_answer_to_the_next_question(
    monkeypatch,
):
    assert run_limited(abs, -1, seconds=60) == 1
    real = limited._read

    def interrupted(pipe):
        monkeypatch.setattr(limited, "_read", real)
        raise KeyboardInterrupt

    monkeypatch.setattr(limited, "_read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_limited(abs, -5, seconds=60)
    assert run_limited(abs, -3, seconds=60) == 3


def test_time_that_is_up_with_the_reply_leaves_no_dead_process_behind(monkeypatch):
    assert run_limited(abs, -1, seconds=60) == 1
    real = limited._read

    def dawdling(pipe):
        found = real(pipe)
        time.sleep(1.0)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(limited, "_read", dawdling)
        with pytest.raises(OutOfTimeError):
            run_limited(abs, -5, seconds=0.5)
    assert run_limited(abs, -3, seconds=60) == 3


def test_one_process_serves_until_it_is_stopped():
    first = run_limited(os.getpid, seconds=60)
    assert run_limited(os.getpid, seconds=60) == first != os.getpid()
    with pytest.raises(OutOfTimeError):
        run_limited(time.sleep, 30, seconds=0.5)
    assert run_limited(os.getpid, seconds=60) != first


def test_threads_do_not_read_one_anothers_replies():
    from concurrent.futures import ThreadPoolExecutor

    def asked(i):
        return run_limited(divmod, 100 * i, 7, seconds=60)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(asked, range(20)))
    assert found == [divmod(100 * i, 7) for i in range(20)]


def test_an_interrupt_is_for_whoever_asks():
    own = run_limited(os.getpid, seconds=60)
    os.kill(own, signal.SIGINT)
    assert run_limited(os.getpid, seconds=60) == own
