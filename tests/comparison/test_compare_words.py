"""What an answer about many models says: ties, signs, sources, counts."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison import friedman, iman_davenport
from scorecast.comparison.walsh_averages import pseudo_median
from scorecast.report import render_text


def tied(seed=0, n=20, k=4):
    """A table in which most results tie."""
    return np.where(np.random.default_rng(seed).random((n, k)) < 0.5, 0.7, 0.8)


# The test of all models


def test_ties_are_allowed_for_by_default_and_the_plain_form_stays(published_table):
    found = sc.compare(tied(), rows="data sets")
    first = found.omnibus[0]
    assert first.test == "iman-davenport-tie-corrected"
    assert first == iman_davenport(tied(), tie_corrected=True)
    assert "corrected for ties (Iman and Davenport 1980; Conover 1999)" in (
        found.paragraph()
    )
    plain = sc.compare(tied(), omnibus="iman-davenport").omnibus[0]
    assert plain == iman_davenport(tied())
    assert plain.p > first.p
    # As printed, which ignores the ties of the published table.
    data = np.array(published_table["data"])
    asked = sc.compare(data, omnibus="iman-davenport").omnibus[0]
    assert round(asked.statistic, 4) == 14.3087
    assert round(friedman(data).statistic, 4) == 39.6467


def test_without_ties_the_name_of_the_test_is_the_plain_one():
    values = np.random.default_rng(0).random((12, 4))
    assert sc.compare(values).omnibus[0].test == "iman-davenport"


# Who is best


def shared_best():
    """Six data sets on which two models share the best mean rank."""
    low = np.full(6, 0.5)
    c = np.array([0.9, 0.9, 0.9, 0.7, 0.7, 0.7])
    d = np.array([0.8, 0.8, 0.8, 0.9, 0.9, 0.9])
    return {"low": low, "c": c, "d": d}


@pytest.mark.parametrize("greater", [True, False])
def test_models_that_share_the_best_rank_are_all_named_and_go_by_the_mean(greater):
    values = shared_best()
    if not greater:
        values = {name: 1 - x for name, x in values.items()}
    found = sc.compare(values, greater_is_better=greater)
    assert found.rank("c") == found.rank("d") == 1.5
    assert found.order == ("d", "c", "low")
    assert found.bests == ("d", "c")
    mean, way = ("highest", "greater") if greater else ("lowest", "smaller")
    assert found.summary().startswith(
        "d and c share the best rank of 3 models on 6 data sets (mean rank 1.50), of "
        f"which d has the {mean} mean; {way} is better. d is better than low. d is not "
        "told apart from c."
    )
    assert r"\textbf{c}" in found.to_latex()
    assert r"\textbf{d}" in found.to_latex()
    assert found.groups[0][:2] == ("d", "c")


def test_one_best_model_is_said_as_before():
    values = shared_best()
    values["d"] = values["d"] + 0.2
    said = sc.compare(values).summary()
    assert said.startswith("d ranks best of 3 models on 6 data sets (mean rank 1.00);")


# The difference follows the sentence


@pytest.mark.parametrize("greater", [True, False])
@pytest.mark.parametrize("order", [("new", "old"), ("old", "new")])
def test_the_difference_is_that_of_the_better_less_the_worse(order, greater):
    rng = np.random.default_rng(0)
    old = rng.uniform(0.6, 0.8, 20)
    gap = 0.05 if greater else -0.05
    table = {"new": old + gap + rng.normal(0, 0.005, 20), "old": old}
    many = sc.compare({x: table[x] for x in order}, greater_is_better=greater)
    pair = sc.compare_pair(
        table[order[0]], table[order[1]], names=order, greater_is_better=greater
    )
    gaps = table["new"] - table["old"]
    middle, low, high = pseudo_median(gaps, 0.95)
    wanted = f"{middle:.3g} (new less old; 95 %: {low:.3g} to {high:.3g})"
    for text in (many.summary(), many.paragraph(), pair.summary()):
        assert "new is better than old" in text
        assert f"difference {wanted}" in text
    effect = many.better_first(many.pairs[0])[2]
    assert (effect.wins, effect.losses) == (20, 0)
    assert effect.low <= effect.difference <= effect.high


def test_two_models_that_are_not_told_apart_have_their_numbers_in_the_paragraph():
    rng = np.random.default_rng(1)
    found = sc.compare({"a": rng.random(12), "b": rng.random(12)})
    effect = found.pairs[0].effect
    assert found.paragraph().endswith(
        f"They were not told apart: difference {effect.difference:.3g} (a less b; 95 "
        f"%: {effect.low:.3g} to {effect.high:.3g}), p = {found.pairs[0].p:.3f}."
    )


def test_a_pseudo_median_of_nought_has_the_mean_difference_beside_it():
    gaps = np.r_[np.full(27, 1.0), np.zeros(115), np.full(58, -1.0)]
    base = np.linspace(5, 9, 200)
    a, b = base + gaps, base
    mean, half = gaps.mean(), 1.971957 * gaps.std(ddof=1) / np.sqrt(200)
    wanted = (
        "The pseudo-median of b less a is 0, as are 115 of 200 differences; their mean "
        f"is {-mean:.3g} (95 %: {-mean - half:.3g} to {-mean + half:.3g})."
    )
    many = sc.compare({"a": a, "b": b}, rows="data sets")
    assert many.pairs[0].effect.difference == 0
    assert many.pairs[0].p < 0.01
    assert wanted in many.warnings
    assert wanted in sc.compare_pair(a, b, test="wilcoxon").warnings
    # Where the pseudo-median says what differs, nothing is added.
    assert sc.compare({"a": a + 0.5, "b": b}, rows="data sets").warnings == ()
    assert sc.compare_pair(a + 0.5, b, test="wilcoxon").warnings == ()


def test_many_hidden_means_are_counted():
    rng = np.random.default_rng(0)
    table = 5 + np.arange(40.0)[:, None] + (rng.random((40, 4)) < [0, 0, 0.2, 0.22])
    found = sc.compare(table, post_hoc="none", pairs="sign")
    hidden = [x for x in found.warnings if x.startswith("The pseudo-median")]
    assert len(hidden) == 3
    assert any(x.startswith("So it is with ") for x in found.warnings)


def test_the_headline_says_which_way_is_better():
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.1, 0.3, (15, 3)) + np.array([0, 0.1, 0.2])
    for better, way in ((False, "smaller is better"), (True, "greater is better")):
        found = sc.compare(errors, greater_is_better=better)
        first = found.summary().split(". ")[0]
        assert "ranks best" in first
        assert way in first
        pair = sc.compare(errors[:, :2], greater_is_better=better)
        assert way in pair.summary()
    named = sc.compare(errors, greater_is_better=False, control="model 2")
    assert "Smaller is better." in named.summary()
    two = sc.compare_pair(*errors[:, :2].T, greater_is_better=False)
    assert "smaller is better" in two.summary()


def test_intervals_beside_adjusted_p_are_said_to_be_of_pairs_alone():
    rng = np.random.default_rng(0)
    values = rng.uniform(size=(15, 3))
    lines = render_text(sc.compare(values)).splitlines()
    heading = next(x for x in lines if "p adjusted" in x)
    assert "95 %, pair alone" in heading
    lines = render_text(sc.compare(values[:, :2])).splitlines()
    assert not any("pair alone" in x for x in lines)


def test_a_column_of_latex_has_one_number_of_decimals():
    values = np.random.default_rng(0).uniform(size=(15, 3))
    values[:, 0] = np.round(values[:, 0], 1) / 10
    values[:, 2] += 12
    found = sc.compare(values)
    for what, columns in (("models", (2, 3)), ("pairs", (2,))):
        rows = [x for x in found.to_latex(what).splitlines() if x.startswith(("model",
                r"\textbf"))]  # fmt: skip
        for column in columns:
            cells = [row.split(" & ")[column].strip("$") for row in rows]
            assert len({len(cell.split(".")[1]) for cell in cells}) == 1
    rows = found.to_latex("pairs").splitlines()
    spans = [x.split(" & ")[3] for x in rows if "[" in x]
    ends = [end for x in spans for end in x.strip("$[]").split(", ")]
    assert len({len(end.split(".")[1]) for end in ends}) == 1
