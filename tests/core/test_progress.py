"""How far a run is: one line, one estimate for the whole of it, or none."""

import io
import time

import pytest

from scorecast._core import progress
from scorecast._core.progress import (
    announced,
    computing,
    progress_shown,
    revise,
    say,
    stage,
    stages,
    track,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved; lines are asked for, not drawn."""

    class Clock:
        now = 1000.0

        def pass_by(self, seconds):
            self.now += seconds

    own = Clock()
    monkeypatch.setattr(progress, "_now", lambda: own.now)
    monkeypatch.setattr(progress, "_TO_LOG", (1e6, 1e6))
    return own


@pytest.fixture
def shown(clock):
    """Progress switched on; returns what draws it."""
    with progress.progress_shown(io.StringIO()):
        yield progress._display.get()


def test_the_estimate_is_of_the_whole_run_not_of_the_stage(clock, shown):
    seen = []
    with stages({"folds": 1.0, "posteriors": 3.0}):
        with stage("folds"):
            for _ in track(range(10), what="fold"):
                clock.pass_by(2)
                seen.append((shown.left(), clock.now))
        with stage("posteriors"):
            for _ in track(range(6), what="posterior"):
                clock.pass_by(10)
                seen.append((shown.left(), clock.now))
    end = clock.now
    said = [(left, end - now) for left, now in seen if left is not None]
    assert len(said) >= 14
    assert all(0.5 * true <= left <= 2 * true for left, true in said if true > 5)
    # The estimate of a stage alone would be wrong: at the first it has 18 s to go.
    assert said[0] == pytest.approx((78.0, 78.0), abs=5)


def test_what_nobody_can_know_yet_is_not_said(clock, shown):
    assert shown.left() is None
    for _ in track(range(4), what="reading"):
        clock.pass_by(5)
        assert shown.left() is None  # what follows is not known
    with stages({"folds": 1.0, "posteriors": None}):
        with stage("folds"):
            for _ in track(range(4), what="fold"):
                clock.pass_by(5)
                assert shown.left() is None
            revise({"posteriors": 2.0})
            assert shown.left() is None  # all is counted, but this stage goes on
        assert shown.left() == pytest.approx(40)
        with stage("posteriors"):
            assert shown.left() == pytest.approx(40)
            clock.pass_by(15)
            assert shown.left() == pytest.approx(25)
            clock.pass_by(15)
            assert shown.left() is None  # ten, or many more: its weight is a guess


def test_items_that_are_divided_give_an_estimate_before_the_first_is_done(clock, shown):
    with stages({"folds": 1.0}), stage("folds"):
        for number, _ in enumerate(track(range(5), what="fold")):
            with stages({"sampling": 3.0, "predicting": 1.0}):
                with stage("sampling"):
                    for _ in track(range(3), what="round"):
                        clock.pass_by(1)
                with stage("predicting"):
                    if number == 0:
                        assert shown.left() == pytest.approx(1 + 4 * 4)
                    clock.pass_by(1)
    assert shown.left() is None


def test_what_is_done_once_does_not_slow_the_pace(clock, shown):
    with stages({"sampling": 1.0}), stage("sampling"):
        for number, _ in enumerate(track(range(10), what="round")):
            if number == 0:
                with announced("compiling"):
                    clock.pass_by(40)
                    assert "compiling" in shown.line()
                    assert shown.left() is None
            clock.pass_by(1)
            if number == 4:
                assert shown.left() == pytest.approx(5, abs=1)
                assert shown.line() == "sampling: round 5 of 10; 45 s so far, " + (
                    f"about {shown.left():.0f} s left"
                )


def test_the_pace_of_very_many_items_is_believed_after_a_few(clock, shown):
    with stages({"splits": 1.0}), stage("splits"):
        for done, _ in enumerate(track(range(1_000_000), what="split")):
            assert (shown.left() is None) == (done < 10)
            if done == 20:
                assert shown.left() == pytest.approx(0.3 * (1_000_000 - 20))
                break
            clock.pass_by(0.3)


def test_a_slower_item_slows_the_pace(clock, shown):
    with stages({"work": 1.0}), stage("work"):
        items = track(range(4), what="fit")
        next(items)
        clock.pass_by(10)
        next(items)
        assert shown.left() == pytest.approx(30)
        clock.pass_by(5)
        assert shown.left() == pytest.approx(25)
        clock.pass_by(25)
        assert shown.left() == pytest.approx(40)
        items.close()


def test_the_start_of_workers_is_paid_once(clock, shown):
    """Counted as an item like others, 12 s for the first would say 72 s here."""
    with stages({"draws": 1.0}), stage("draws"):
        items = track(range(20), what="draw", warms_up=True)
        next(items)
        clock.pass_by(12)
        for _ in range(4):
            next(items)
            clock.pass_by(1)
        next(items)
        assert shown.left() == pytest.approx(15)
        items.close()


def test_a_part_that_counts_what_it_is_named_for_is_said_once(clock, shown):
    weights = {"500 classes": 20.0, "5000 classes": 100.0}
    with (
        stages({"table": 1.0}),
        stage("table"),
        stages(weights, in_seconds=True),
    ):
        with stage("500 classes"):
            for _ in track(range(10), what="500 classes"):
                clock.pass_by(2)
                said = shown.line()
        assert shown.left() == pytest.approx(100)
    assert said.startswith("table: 500 classes 10 of 10; 20 s so far, about 2 min left")


def test_lines_say_where_the_run_is(clock, shown):
    assert shown.line() == "reading; 0 s so far"
    with stages({"evidence": None, "folds": 1.0}), stage("folds"):
        for _ in track(["a", "b"], what="fold"):
            for _ in track(iter("xyz"), total=3_000, what="sweep"):
                pass
            assert shown.line().startswith("folds: fold 1 of 2; ")
            with stage("predicting"):
                assert shown.line().startswith("folds: fold 1 of 2: predicting; ")
            break
    clock.pass_by(200)
    assert shown.line() == "reading; 3 min so far"


def test_without_anybody_who_watches_nothing_is_done():
    with stages({"a": 1}), stage("a"), announced("compiling"):
        say("first figures")
        revise({"a": 2})
        assert list(track(iter("ab"), what="item")) == ["a", "b"]


def test_a_log_gets_a_first_line_soon_and_then_one_now_and_then(monkeypatch):
    monkeypatch.setattr(progress, "_TO_LOG", (0.05, 0.2))
    log, silent = io.StringIO(), io.StringIO()
    with progress.progress_shown(log), stage("folds"):
        time.sleep(0.5)  # nothing counts here: a line comes all the same
    with progress.progress_shown(silent, quiet=True), stage("folds"):
        say("first figures")
        time.sleep(0.1)
    lines = log.getvalue().splitlines()
    assert 1 <= len(lines) <= 4
    assert all(line == "progress: folds; 0 s so far" for line in lines)
    assert silent.getvalue() == ""
    assert progress._TO_TERMINAL[0] < 2
    assert not any(
        "progress" in one.name for one in __import__("threading").enumerate()
    )


def test_the_first_line_of_a_log_comes_within_two_seconds_and_then_every_ten():
    assert progress._TO_LOG[0] < 2
    assert 5 <= progress._TO_LOG[1] <= 15


def test_a_terminal_has_one_line_that_makes_way_for_first_figures(monkeypatch):
    monkeypatch.setattr(progress, "_TO_TERMINAL", (0.01, 0.01))
    terminal = Terminal()
    with progress.progress_shown(terminal):
        for _ in track(range(3), what="counting"):
            time.sleep(0.1)
        say("J 0.12 bits\nand more")
        with progress.hidden():
            before = terminal.getvalue()
            time.sleep(0.1)
            assert terminal.getvalue() == before
        time.sleep(0.1)
        progress.finish()
        time.sleep(0.1)
        after = terminal.getvalue()
    assert "\r\x1b[Kcounting 1 of 3; " in after
    assert "\r\x1b[KJ 0.12 bits\nand more\n" in after
    assert after.endswith("\r\x1b[K")
    assert terminal.getvalue() == after


def test_an_error_wipes_the_line_and_ends_the_watch(monkeypatch):
    monkeypatch.setattr(progress, "_TO_TERMINAL", (0.01, 0.01))
    terminal = Terminal()

    def broken():
        with progress.progress_shown(terminal):
            for item in track([1, 2], what="group"):
                time.sleep(0.1)
                raise ValueError(item)

    with pytest.raises(ValueError, match="1"):
        broken()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert progress._display.get() is None


def test_a_closed_stream_does_not_matter(monkeypatch):
    monkeypatch.setattr(progress, "_TO_LOG", (0.01, 0.01))
    log = io.StringIO()
    with progress.progress_shown(log):
        log.close()
        time.sleep(0.05)


def test_what_is_done_once_is_named_however_deep(clock, shown):
    lines = []
    with stages({"folds": 1.0}), stage("folds"):
        for _ in track(range(2), what="fold"):
            with stages({"fit": 1.0}), stage("fit"), stage("sampling"):
                with announced("compiling (the first time only)"):
                    lines.append(shown.line())
                lines.append(shown.line())
    assert lines[0] == "compiling (the first time only); 0 s so far"
    assert all(line.startswith("folds: fold ") for line in lines[1:])


def test_reading_ends_where_computing_begins(clock, shown):
    assert shown.line() == "reading; 0 s so far"
    with computing():
        assert shown.line() == "computing; 0 s so far"
        with stages({"folds": 1.0}):
            assert shown.line().startswith("computing; ")
            with stage("folds"):
                assert shown.line().startswith("folds; ")
        assert shown.line().startswith("computing; ")
    assert shown.line() == "writing; 0 s so far"


def test_figures_for_later_are_said_once_or_not_at_all(monkeypatch):
    monkeypatch.setattr(progress, "_MOMENT", 0.1)
    monkeypatch.setattr(progress, "_TO_LOG", (1e6, 1e6))
    late, early = io.StringIO(), io.StringIO()
    with progress_shown(late):
        progress.say_unless_over("first figures")
        time.sleep(0.5)
        progress.say_unless_over("second figures")
    with progress_shown(early):
        progress.say_unless_over("first figures")
    time.sleep(0.3)
    assert late.getvalue() == "first figures\nsecond figures\n"
    assert early.getvalue() == ""
    progress.say_unless_over("nobody looks")


@pytest.mark.parametrize("power", [0.0, 0.6, 1.0, 2.0])
def test_items_of_known_size_say_how_long_the_larger_ones_will_take(
    clock, shown, power
):
    """Counting alone would say 5 s where the largest, at the end, take a minute."""
    sizes = [40, 40, 100, 100, 400, 400]
    seen = []
    with stages({"": 1.0}), stage(""):
        for size in track(sizes, what="settings", sizes=sizes):
            clock.pass_by(3 * (size / 40) ** power)
            seen.append((shown.left(), clock.now))
    said = [(left, clock.now - now) for left, now in seen if left is not None]
    assert len(said) == 5
    # While two of a size are done, any power may be right; from the third on it shows.
    for left, true in said[2:-1]:
        assert 0.5 * true <= left <= 2 * true
    by_count = 4 * 3.0
    if power >= 1:
        assert said[0][1] > 2 * by_count
        assert said[0][0] > 1.5 * by_count


def test_a_large_item_is_known_by_what_it_is_made_of(clock, shown):
    """Each of the last two takes 40 s, those before 1 s each: known 8 s into one."""
    sizes, seconds = [10, 10, 100, 100], [1.0, 1.0, 40.0, 40.0]
    with stages({"": 1.0}), stage(""):
        for number, _ in enumerate(track(sizes, what="settings", sizes=sizes)):
            with stages({"svm": 1.0, "tree": 1.0}):
                for name in ("svm", "tree"):
                    with stage(name):
                        for fold, _ in enumerate(track(range(10), what="fold")):
                            clock.pass_by(seconds[number] / 20)
                            if (number, name, fold) == (2, "svm", 3):
                                assert shown.left() == pytest.approx(72, rel=0.1)


def test_a_line_never_says_that_nothing_is_left(clock, shown):
    with stages({"": 1.0}), stage(""):
        for _ in track(range(2), what="fold"):
            clock.pass_by(5)
            line = shown.line()
    assert line.endswith("about 1 s left") or "left" not in line


class _Log:
    """What progress writes to; not a terminal, so line by line."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return False

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_seconds_that_are_wrong_for_one_stage_do_not_spoil_the_others(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress, "_now", lambda: clock[0])
    lefts = {}
    for in_seconds in (True, False):
        clock[0] = 0.0
        display = progress._Display(_Log(), "run")
        token = progress._display.set(display)
        try:
            weights = {"first": 1.0, "second": 30.0}
            with progress.stages(weights, in_seconds=in_seconds):
                with progress.stage("first"):
                    clock[0] += 20.0
                lefts[in_seconds] = display.left()
        finally:
            progress._display.reset(token)
    assert lefts == {True: 30.0, False: 600.0}


def test_quiet_silences_blocks_inside(monkeypatch):
    monkeypatch.setattr(progress, "_TO_LOG", (0.0, 0.01))
    stream = _Log()
    with progress.progress_shown(stream, quiet=True), progress.progress_shown(stream):
        progress.say("first figures")
    assert stream.text == ""
    with progress.progress_shown(stream):
        progress.say("first figures")
    assert "first figures" in stream.text


def test_parts_of_a_larger_answer_say_no_first_figures(monkeypatch):
    monkeypatch.setattr(progress, "_MOMENT", 0.0)
    stream = io.StringIO()
    with progress.progress_shown(stream):
        with progress.without_first_figures():
            progress.say("inside")
            progress.say_unless_over("inside")
        progress.say("outside")
    assert stream.getvalue() == "outside\n"
