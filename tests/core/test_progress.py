"""The line that says how far a long run is."""

import io

import pytest

from scorecast._core import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    """Draw every step, on a clock that moves ten seconds whenever it is read."""
    now = iter(range(0, 10_000, 10))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))


@pytest.mark.usefixtures("impatient")
def test_parts_say_which_of_how_many_and_how_long_the_rest_takes():
    shown = Terminal()
    with progress.progress_shown(shown):
        for _ in progress.in_parts(["a", "b", "c"], what="group"):
            list(progress.track(range(2), total=2, what="sweeps"))
        list(progress.track(range(2), total=2, what="later"))
    drawn = [line for line in shown.getvalue().split("\r\x1b[K") if "[" in line]
    assert drawn[0].startswith("group 1 of 3: sweeps [")
    second = next(line for line in drawn if line.startswith("group 2 of 3 "))
    # The first took forty seconds on this clock: four readings.
    assert second.startswith("group 2 of 3 (about 80 s left in all): sweeps [")
    assert drawn[-1].startswith("later [")


def test_parts_are_silent_without_a_terminal_and_end_with_an_error():
    def broken():
        for item in progress.in_parts([1, 2], what="group"):
            raise ValueError(item)

    with pytest.raises(ValueError, match="1"):
        broken()
    shown = Terminal()
    with progress.progress_shown(shown), progress.announced("compiling"):
        pass
    assert "group" not in shown.getvalue()


@pytest.mark.usefixtures("impatient")
def test_the_part_stays_between_the_lines_of_its_jobs_and_announcements_come_once():
    shown = Terminal()
    with progress.progress_shown(shown):
        for _ in progress.in_parts(["a", "b"], what="fold"):
            with progress.announced("compiling"):
                pass
            list(progress.track(range(2), total=2, what="sweeps"))
    drawn = shown.getvalue().split("\r\x1b[K")
    assert shown.getvalue().count("compiling") == 1
    inner = [i for i, line in enumerate(drawn) if "sweeps" in line]
    after = [drawn[i + 1] for i in inner if "sweeps" not in drawn[i + 1]]
    assert after
    assert all(line.startswith("fold ") for line in after)
    assert drawn[-1] == ""


@pytest.mark.usefixtures("impatient")
def test_a_stage_names_the_lines_of_its_jobs():
    shown = Terminal()
    with progress.progress_shown(shown, lines=True):
        with progress.stage("posterior of J: Cox, 3 of 5"):
            list(progress.track(range(2), total=2, what="sweeps"))
        list(progress.track(range(2), total=2, what="later"))
    drawn = [line for line in shown.getvalue().split("\r\x1b[K") if "[" in line]
    assert drawn[0].startswith("posterior of J: Cox, 3 of 5: sweeps [")
    assert drawn[-1].startswith("later [")
    assert "progress:" not in shown.getvalue()


def test_a_log_gets_one_line_per_part_and_stage_if_it_was_asked_for():
    def work():
        for _ in progress.in_parts(["a", "b"], what="fold"):
            list(progress.track(range(2), total=2, what="sweeps"))
        with progress.stage("cases to show"), progress.announced("compiling"):
            pass

    log, silent = io.StringIO(), io.StringIO()
    with progress.progress_shown(log, lines=True):
        work()
    with progress.progress_shown(silent):
        work()
    work()
    assert log.getvalue().splitlines() == [
        "progress: fold 1 of 2",
        "progress: fold 2 of 2 (about 0 s left in all)",
        "progress: cases to show",
    ]
    assert silent.getvalue() == ""
