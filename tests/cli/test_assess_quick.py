"""Quick looks, first scores, progress and pairs of models, as the terminal has them."""

import json
import re
import sys
import time

import numpy as np
import pytest

import scorecast as sc
from scorecast._core import progress
from scorecast.exceptions import UsageError
from scorecast.guarantees import model_order
from scorecast.report import Report, render_html, render_text

TWO = ("--model", "naive-bayes", "--model", "nearest-centroid")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    y = np.repeat(["cat", "dog", "owl"], [24, 14, 2])
    X = rng.normal(size=(40, 3)) + 2 * (y == "dog")[:, None] - 4 * (y == "owl")[:, None]
    rows = [
        ",".join([*(f"{x:.4f}" for x in row), name])
        for row, name in zip(X, y, strict=True)
    ]
    path = tmp_path / "animals.csv"
    path.write_text("\n".join(["a,b,c,kind", *rows]) + "\n")
    return path


def cases(n=40, m=3, seed=0, gap=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, m)) + gap * y[:, None], y


def test_a_quick_look_says_so_everywhere(run, table, tmp_path):
    page, path = tmp_path / "page.html", tmp_path / "answer.json"
    call = ("assess", table, "--target", "kind", *TWO)
    code, out, _ = run(*call, "--quick", "--json", path, "--report", page)
    assert code == 0
    assert out.startswith("Quick look: Best of 2, ")
    assert "Quick     a quick look: scores and their intervals." in out
    found = json.loads(path.read_text())
    assert found["options"]["quick"] is True
    assert found["result"]["models"]["naive-bayes"]["feasibility"] is None
    assert "Quick look: " in page.read_text()
    again = sc.Assessment.from_dict(found)
    assert again.quick
    whole = ("--permutations", "20", "--null-sets", "2", "--json", "-")
    slow = json.loads(run(*call, *whole)[1])
    assert slow["options"]["quick"] is False
    # The scores are those of the whole answer, with the same interval.
    for name, model in found["result"]["models"].items():
        for loss, values in model["losses"].items():
            other = slow["result"]["models"][name]["losses"][loss]
            for key in ("estimate", "low", "high"):
                assert values[key] == pytest.approx(other[key]), (name, loss)


@pytest.mark.parametrize(
    "more",
    [("--permutations", "5"), ("--null-sets", "3"), ("--learning-curve",),
     ("--capacity", "3"), ("--selection", "2")],
)  # fmt: skip
def test_a_quick_look_refuses_what_it_leaves_out(run, table, more):
    code, out, err = run("assess", table, "--target", "kind", *TWO, "--quick", *more)
    assert (code, out) == (2, "")
    assert more[0] in err
    assert "--quick" in err
    assert "`" not in err
    assert err.count("\n") == 1


def test_a_quick_look_in_python():
    X, y = cases()
    found = sc.assess("naive-bayes", X, y, quick=True)
    assert found.quick
    assert found.summary().startswith("Quick look: naive-bayes: accuracy")
    assert found.models[0].feasibility is None
    assert found.models[0].bias_variance == ()
    assert found.regularities is None
    with pytest.raises(UsageError, match="`quick=True` leaves out `learning_curve`"):
        sc.assess("naive-bayes", X, y, quick=True, learning_curve=True)
    assert not sc.assess("naive-bayes", X, y, n_permutations=0).quick


class Terminal:
    """What progress writes to; not a terminal, so line by line."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return False

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def shown(monkeypatch, *, moment=-1.0, **options):
    """Return what is shown while models are assessed, and in what order it came."""
    monkeypatch.setattr(progress, "_MOMENT", moment)
    stream, order = Terminal(), []
    examined = model_order.examine

    def examine(*arguments, **keywords):
        order.append(stream.text)
        return examined(*arguments, **keywords)

    monkeypatch.setattr(model_order, "examine", examine)
    X, y = cases()
    with progress.progress_shown(stream):
        sc.assess(["naive-bayes", "nearest-centroid"], X, y, **options)
    return stream.text, order


def test_scores_of_all_models_come_before_anything_that_takes_long(monkeypatch):
    text, order = shown(monkeypatch, n_permutations=20, n_null_data=2)
    assert text.startswith("First scores (cv10, 95 % intervals):\n")
    for name in ("naive-bayes", "nearest-centroid"):
        for loss in ("accuracy", "balanced-accuracy"):
            assert re.search(rf"  {name} +{loss} +\d+\.\d %  +\d", order[0])


def test_what_is_over_in_a_moment_says_everything_at_once(monkeypatch):
    text, _ = shown(monkeypatch, moment=60.0, n_permutations=20, n_null_data=2)
    assert "First scores" not in text


def test_what_takes_longer_than_was_thought_shows_its_first_scores(monkeypatch):
    from scorecast.guarantees import assess as verb

    module = sys.modules[verb.__module__]
    # However short the rest was thought to be.
    monkeypatch.setattr(module, "_seconds_left", lambda *_: {})
    examined = model_order.examine

    def slowly(*arguments, **keywords):
        time.sleep(0.4)
        return examined(*arguments, **keywords)

    monkeypatch.setattr(model_order, "examine", slowly)
    monkeypatch.setattr(progress, "_MOMENT", 0.3)
    stream = Terminal()
    X, y = cases()
    with progress.progress_shown(stream):
        sc.assess(["naive-bayes"], X, y, n_permutations=20, n_null_data=2)
    assert stream.text.count("First scores") == 1


def test_the_time_left_is_known_from_the_folds():
    X, y = cases(60, 40)
    seen = []
    real = progress.track

    with progress.progress_shown(Terminal()):
        display = progress._display.get()

        def watched(items, **options):
            for item in real(items, **options):
                seen.append((options["what"], display.left()))
                yield item

        monkeypatch = pytest.MonkeyPatch()
        monkeypatch.setattr("scorecast._core.parallel.track", watched)
        try:
            sc.assess(["forest", "svm"], X, y, sampling="cv3", n_permutations=3,
                      n_null_data=2)  # fmt: skip
        finally:
            monkeypatch.undo()
    during = [left for what, left in seen if what in ("permuting", "null data")]
    assert any(left is not None and left > 0 for left in during)
    # Nothing is known before the folds are over.
    assert all(left is None for what, left in seen if what == "testing forest")


def test_seconds_that_are_wrong_for_one_stage_do_not_spoil_the_others(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress, "_now", lambda: clock[0])
    lefts = {}
    for in_seconds in (True, False):
        clock[0] = 0.0
        display = progress._Display(Terminal(), "run")
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
    stream = Terminal()
    with progress.progress_shown(stream, quiet=True), progress.progress_shown(stream):
        progress.say("first figures")
    assert stream.text == ""
    with progress.progress_shown(stream):
        progress.say("first figures")
    assert "first figures" in stream.text


def test_pairs_of_models_stand_in_the_terminal(run, table):
    code, out, _ = run("assess", table, "--target", "kind", *TWO, "--model", "tree",
                       "--quick")  # fmt: skip
    assert code == 0
    heading = next(x for x in out.splitlines() if "difference of accuracy" in x)
    assert heading.split()[-4:] == ["pair", "alone", "p", "(Holm)", "better"][-4:]
    assert "95 %, pair alone" in heading
    rows = [x for x in out.splitlines() if x.startswith("  naive-bayes - ")]
    assert len(rows) == 2
    for row in rows:
        assert re.search(
            r"[+-]\d+\.\d  +[+-]\d+\.\d to [+-]\d+\.\d +\d\.\d{3}  \S", row
        )


def test_the_better_of_two_is_named_whichever_way_is_better():
    X, y = cases(120, 6, gap=1.2)
    dummy = "sklearn.dummy:DummyClassifier()"
    for loss in ("accuracy", "error"):
        found = sc.assess([dummy, "naive-bayes"], X, y, losses=loss, n_permutations=0)
        assert found.comparisons[0].p_adjusted < 0.05
        line = next(
            x
            for x in render_text(found).splitlines()
            if "naive-bayes" in x and " - " in x
        )
        assert line.endswith("naive-bayes")
        page = render_html(Report(results=(found,)))
        assert "better: naive-bayes" in page
    rng = np.random.default_rng(0)
    noise = sc.assess(["tree", "naive-bayes"], rng.normal(size=(40, 3)), y[:40],
                      n_permutations=0)  # fmt: skip
    assert "not shown" in render_text(noise)


def test_reasons_of_intervals_name_the_model():
    """Two models quoted by different intervals: whose reason is whose?"""
    y = np.repeat([0, 1], [42, 18])
    X = np.random.default_rng(1).normal(size=(60, 4)) + 0.6 * y[:, None]
    models = ["sklearn.dummy:DummyClassifier()", "naive-bayes"]
    found = sc.assess(models, X, y, quick=True)
    methods = [model.losses[0].recommended.method for model in found.models]
    assert methods == ["wilson", "nadeau-bengio"]
    page = render_html(Report(results=(found,)))
    assert "Recommended for naive-bayes is" in page
    assert not re.search(r"Recommended because", page)
    alone = sc.assess("naive-bayes", X, y, quick=True)
    assert "Recommended is" in render_html(Report(results=(alone,)))


def test_classes_of_arrays_bear_the_names_beside_them(run, tmp_path):
    X, y = cases()
    path = tmp_path / "named.npz"
    np.savez(path, X=X, y=y, labels=np.array(["well", "sick"]))
    call = ("assess", path, "--target", "y", "--model", "naive-bayes", "--quick")
    code, out, err = run(*call)
    assert code == 0
    assert "20 of class sick, 20 of class well" in out
    assert "classes 'y' are called by 'labels': well and sick" in err
    for names in (["a", "b", "c"], ["a", "a"], ["a"]):  # of something else
        np.savez(path, X=X, y=y, labels=np.array(names))
        assert "20 of class 0, 20 of class 1" in run(*call)[1]


def test_a_number_of_the_case_is_no_feature(run, tmp_path):
    X, y = cases()
    path = tmp_path / "images.csv"
    numbers = np.random.default_rng(0).permutation(90)[:40] + 1000
    rows = [f"{i},{a:.3f},{k}" for i, a, k in zip(numbers, X[:, 0], y, strict=True)]
    path.write_text("\n".join(["image_id,a,kind", *rows]) + "\n")
    call = ("assess", path, "--target", "kind", "--model", "naive-bayes", "--quick")
    assert "'image_id' is different in every case" in run(*call)[1]
    assert "--drop 'image_id'" in run(*call)[1]
    assert "different in every case" not in run(*call, "--drop", "image_id")[1]


def test_an_area_with_a_rare_class_is_not_sent_in_a_circle():
    """Five folds are no advice to who took five folds."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 15, 3])
    X = rng.normal(size=(38, 3)) + y[:, None]
    found = sc.assess("naive-bayes", X, y, sampling="cv5", losses="auc", quick=True)
    said = found.models[0].losses[0].no_interval
    assert "merge or leave out classes of fewer than 5 cases" in said
    kept = y < 2
    again = sc.assess("naive-bayes", X[kept], y[kept], sampling="cv5", losses="auc",
                      quick=True)  # fmt: skip
    assert again.models[0].losses[0].recommended is not None
