"""What is said of settings, groups and factors fits the settings there are."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.guarantees.settings.difficulty import difficulty_groups
from scorecast.guarantees.settings.estimate import SettingEstimate


def make(gap, n=40, random_state=0):
    """Two classes, told apart by one feature of two."""
    rng = np.random.default_rng(random_state)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2))
    X[:, 0] += gap * y
    return X, y


def row(estimate, **values):
    """An estimate so sure that every other value is another group."""
    name = ", ".join(f"{k} {v}" for k, v in values.items())
    return SettingEstimate(
        setting=name, values=values, data=name, model="a", loss="accuracy",
        greater_is_better=True, estimate=estimate, low=estimate - 0.002,
        high=estimate + 0.002, stderr=0.001, df=99.0, sets=((estimate,) * 3,),
        test_ratio=0.1, n=10, m=2,
    )  # fmt: skip


@pytest.fixture(scope="module")
def departed():
    """Two data sets, losses and samplings, each departed from on its own."""
    return sc.assess_settings(
        "naive-bayes", {"hard": make(0.5), "easy": make(5.0)},
        settings={"loss": ["accuracy", "mcc"], "sampling": ["cv4", "cv3"]},
        design="one-at-a-time",
    )  # fmt: skip


def test_a_view_compares_settings_that_differ_in_its_factor_only(departed):
    values = {r.setting: r.estimate for r in departed.rows}
    views = {(v.factor, v.value): v for v in departed.views}
    assert {v.n_settings for v in views.values()} == {1}
    usual = "data hard, loss accuracy, sampling cv4"
    assert views["sampling", "cv4"].estimate == values[usual]
    assert views["data", "hard"].estimate == values[usual]
    assert views["sampling", "cv3"].estimate == values[usual.replace("cv4", "cv3")]
    assert departed.options["usual"] == {
        "data": "hard", "loss": "accuracy", "sampling": "cv4",
    }  # fmt: skip


def test_settings_are_counted_by_loss(departed):
    assert departed.n_settings == 4
    assert [departed.n_settings_of(x) for x in departed.losses] == [3, 1]
    assert departed.headline().startswith("accuracy over 3 settings: ")
    assert departed.summary().startswith("4 settings (3 of accuracy, 1 of mcc). ")
    assert "% over 3 settings" in departed.summary()


def test_one_setting_is_not_plural():
    models = {"nb": "naive-bayes", "guess": "sklearn.dummy:DummyClassifier()"}
    found = sc.assess_settings(models, make, settings={"gap": [9.0]}, sampling="cv5")
    assert found.summary().startswith("1 setting. nb: accuracy ")
    assert "of 1 setting at a level" in found.relations[0].said()
    assert found.headline().startswith("accuracy in one setting: nb ")
    assert "1 settings" not in found.summary() + found.headline()


def test_one_setting_has_one_interval():
    # Folds of unequal size: their interval does not lie even around all cases.
    settings = {"gap": [1.0, 9.0], "n": [43]}
    found = sc.assess_settings("naive-bayes", make, settings=settings)
    for one in found.rows:
        group = next(g for g in found.groups if g.members == (one.setting,))
        view = next(v for v in found.views if v.value == str(one.values["gap"]))
        assert one.high - one.estimate != pytest.approx(one.estimate - one.low)
        assert (one.low, one.high) == (group.low, group.high)
        assert (one.low, one.high) == (group.lowest, group.highest)
        assert (one.low, one.high) == (view.low, view.high)


def test_a_label_holds_in_no_other_group():
    easy = [row(0.9, n=60, noise=0), row(0.9, n=100, noise=0)]
    hard = [row(0.5, n=60, noise=0.4), row(0.5, n=30, noise=0)]
    first, second = difficulty_groups([*easy, *hard], level=0.95, most=6)
    # n 60 or 100 and noise 0: no setting of the other group is both.
    assert first.factors == {"n": ["60", "100"], "noise": ["0"]}
    # n 60 or 30 would hold of the first group as well.
    assert second.factors == {}


def test_a_factor_that_is_enough_is_the_label():
    rows = [row(0.9 - noise, n=n, noise=noise) for n in (30, 60) for noise in (0, 0.4)]
    groups = difficulty_groups(rows, level=0.95, most=6)
    assert [g.factors for g in groups] == [{"noise": ["0"]}, {"noise": ["0.4"]}]
    (only,) = difficulty_groups(rows[:1], level=0.95, most=6)
    assert only.factors == {}
