"""What a comparison of many models refuses, and what it says of it."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison.attainable import least_adjusted_p, least_rows
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.report import render_html, render_text
from scorecast.report.html import Report


def results(n=12, k=4, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.5, 0.9, (n, 1)) + rng.normal(0, 0.02, (n, k))
    return {name: list(values[:, i]) for i, name in enumerate("abcdefghij"[:k])}


# Numbers of data sets


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("kind", [int, float])
def test_a_column_that_counts_the_rows_is_no_model(first, kind):
    given = results()
    numbers = np.random.default_rng(0).permutation(12) + first
    counted = {"dataset": [kind(x) for x in numbers], **given}
    said = r"'dataset' counts the rows .*as the index of a frame.*\(`models`\)"
    with pytest.raises(InvalidInputError, match=said) as caught:
        sc.compare(counted)
    assert "--" not in str(caught.value)
    with pytest.raises(InvalidInputError, match="'model 1' counts the rows"):
        sc.compare(np.column_stack(list(counted.values())))
    listed = sc.compare(counted, models=list("abcd"))
    assert listed.to_dict() == sc.compare(given).to_dict()
    # Who says that it is a model is believed.
    assert sc.compare(counted, models=["dataset", "a"]).models == ("dataset", "a")


def test_right_and_wrong_or_ranks_are_no_numbers_of_rows():
    two = {"a": [0, 1] * 6, "b": [1, 0] * 6, "c": [1, 1] * 6}
    assert sc.compare(two).rows == "cases"
    ranks = np.array([np.random.default_rng(i).permutation(4) for i in range(12)])
    assert sc.compare(ranks + 1).n == 12


# Too few


def agreed(n, k):
    """The same order of models on every row."""
    return np.random.default_rng(0).uniform(0, 0.01, (n, 1)) + np.arange(k) / 10.0


NEVER = "no two of"


@pytest.mark.parametrize("post_hoc", ["nemenyi", "holm", "shaffer", "bergmann-hommel",
                                      "bonferroni", "finner"])  # fmt: skip
@pytest.mark.parametrize("k", [3, 4, 9])
def test_ranks_that_could_never_differ_are_warned_of(post_hoc, k):
    n_pairs = k * (k - 1) // 2
    needed = least_rows("ranks", post_hoc, k, n_pairs, 0.05)
    for n in range(3, needed + 2):
        found = sc.compare(agreed(n, k), pairs="ranks", post_hoc=post_hoc)
        least = least_adjusted_p("ranks", post_hoc, n, k, n_pairs)
        # All rows agree: the farthest models are as far apart as can be.
        assert min(x.p_adjusted for x in found.pairs) == pytest.approx(least, rel=1e-6)
        warned = [x for x in found.warnings if NEVER in x]
        assert bool(warned) == (n < needed)
        assert all(f"it takes at least {needed}" in x for x in warned)


def test_two_data_sets_and_seven_cases_were_answered_as_if_they_could():
    two = sc.compare(agreed(2, 4))
    assert min(x.p_adjusted for x in two.pairs) == pytest.approx(0.121, abs=5e-4)
    assert any("With 2 data sets no two of 4" in x for x in two.warnings)
    right = np.zeros((7, 10))
    right[:, :5] = 1
    cases = sc.compare(right)
    assert min(x.p_adjusted for x in cases.pairs) == pytest.approx(0.352, abs=5e-4)
    assert any("takes at least 10" in x for x in cases.warnings)
    right = np.vstack([right, right[:3]])
    found = sc.compare(right)
    assert min(x.p_adjusted for x in found.pairs) <= 0.05
    assert not any(NEVER in x for x in found.warnings)


@pytest.mark.parametrize("pairs", ["aligned", "quade"])
@pytest.mark.parametrize("k", [3, 5])
def test_other_ranks_reach_their_least_p_where_others_tie(pairs, k):
    for n in (3, 6):
        values = np.zeros((n, k))
        values[:, 0], values[:, -1] = 1.0, -1.0
        found = sc.compare(values, pairs=pairs, post_hoc="holm")
        least = least_adjusted_p(pairs, "holm", n, k, k * (k - 1) // 2)
        assert min(x.p_adjusted for x in found.pairs) == pytest.approx(least, rel=1e-6)
        assert any("ranks are approximate below ten" in x for x in found.warnings)


def test_no_results_have_a_smaller_p_than_the_least():
    rng = np.random.default_rng(3)
    for _ in range(10):
        n, k = rng.integers(4, 8), rng.integers(3, 6)
        values = np.round(rng.normal(size=(n, k)) + np.arange(k), 1)
        for pairs in ("ranks", "aligned", "quade", "wilcoxon", "sign"):
            for post_hoc in ("holm", "hochberg", "hommel", "none", "finner"):
                found = sc.compare(values, pairs=pairs, post_hoc=post_hoc)
                least = least_adjusted_p(pairs, post_hoc, n, k, k * (k - 1) // 2)
                assert min(x.p_adjusted for x in found.pairs) >= least * (1 - 1e-9)


def test_corrections_that_need_fewer_rows_are_not_warned_of():
    # All pairs at once are as small as can be, and then these correct nothing.
    for post_hoc in ("hochberg", "hommel", "none"):
        found = sc.compare(agreed(7, 4), pairs="wilcoxon", post_hoc=post_hoc)
        assert max(x.p_adjusted for x in found.pairs) <= 0.05
        assert not any(NEVER in x for x in found.warnings)
    found = sc.compare(agreed(7, 4), pairs="wilcoxon", post_hoc="holm")
    assert any("takes at least 8" in x for x in found.warnings)


# Numbers that are no options


def splits(n=10):
    rng = np.random.default_rng(1)
    return rng.normal([0.7, 0.72, 0.8], 0.01, (n, 3))


@pytest.mark.parametrize("name", ["test_ratio", "rope"])
@pytest.mark.parametrize("value", [-0.5, np.nan, np.inf, "a", [0.1]])
def test_numbers_that_cannot_be_are_refused(name, value):
    with pytest.raises(UsageError, match=f"`{name}` must be a number from 0"):
        sc.compare(splits(), **{name: value})
    with pytest.raises(UsageError, match=f"`{name}` must be a number from 0"):
        sc.compare_pair(*splits().T[:2], **{name: value})


def test_the_ratio_of_splits_is_in_every_answer():
    found = sc.compare(splits(), test_ratio=1 / 9)
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert saved["options"]["test_ratio"] == 1 / 9
    assert sc.Comparison.from_dict(saved).to_dict() == saved
    said = "0.111 cases tested per case learned from"
    assert said in found.paragraph()
    assert said in " ".join(render_text(found).split())
    assert said in render_html(Report(results=(found,)))
    pair = sc.compare_pair(*splits().T[:2], test_ratio=1 / 9)
    assert pair.to_dict()["options"]["test_ratio"] == 1 / 9
    del saved["options"]["test_ratio"]  # an older answer
    assert sc.Comparison.from_dict(saved).test_ratio is None


@pytest.mark.parametrize("rows", ["data sets", "cases"])
def test_a_ratio_of_what_are_no_splits_is_refused(rows):
    with pytest.raises(UsageError, match="is for splits"):
        sc.compare((splits() > 0.72) * 1.0, rows=rows, test_ratio=0.1)


# Names of columns


def long_table(n=12):
    given = results(n, 3)
    rows = [(f"set {i}", m, given[m][i]) for m in given for i in range(n)]
    sets, models, values = zip(*rows, strict=True)
    return {"dataset": list(sets), "model": list(models), "accuracy": list(values)}


def test_names_of_a_long_table_are_plain_text():
    table = long_table()
    table["accuracy"][0] = np.nan
    found = sc.compare(table, long=("dataset", "model", "accuracy"))
    assert {type(name) for name in found.models} == {str}
    assert not any("np.str_" in text for text in found.warnings)
    assert any("'a' lacks most" in text for text in found.warnings)


def test_a_wrong_column_of_models_is_named():
    table = long_table() | {"run": list(range(36))}
    with pytest.raises(InvalidInputError, match=r"36 models \(column 'run'"):
        sc.compare(table, long=("dataset", "run", "accuracy"))


def test_rows_that_all_lack_something_are_told():
    given = {k: np.array(v) for k, v in results(12, 3).items()}
    given["a"][:7], given["b"][7:] = np.nan, np.nan
    with pytest.raises(InvalidInputError, match=r"Each of 12 rows .*'a' lacks most"):
        sc.compare(given)


# What was not compared


def test_a_pair_that_was_not_compared_is_told():
    found = sc.compare(results(), control="a")
    assert found.pair("b", "a") is found.pair("a", "b")
    for names, why in ((("b", "c"), "with the control, 'a'"), (("a", "z"), "no model"),
                       (("a", "a"), "one model")):  # fmt: skip
        with pytest.raises(UsageError, match=why):
            found.pair(*names)


def test_a_test_of_all_models_that_would_not_be_done_is_refused():
    right = (np.array(list(results(30).values())).T > 0.7) * 1.0
    with pytest.raises(UsageError, match="Cochran's Q"):
        sc.compare(right, omnibus="quade")
    with pytest.raises(UsageError, match="three models"):
        sc.compare(results(12, 2), omnibus="friedman")
    with pytest.raises(UsageError, match="splits by none"):
        sc.compare(splits(), test_ratio=0.1, omnibus="friedman")
    assert sc.compare(results(), omnibus="quade").omnibus[0].test == "quade"


def test_one_pair_that_is_left_is_not_many():
    values = np.linspace(0.5, 0.8, 12)[:, None] + np.array([0.0, 0.1, 0.1])
    values += np.random.default_rng(0).normal(0, 0.01, values.shape)
    text = sc.compare(values).paragraph()
    assert text.endswith("The other pair was not.")


# What looks like results and is none


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["True", "False"], "Write 1 for right and 0 for wrong"),
        (["yes", "no"], "Write 1 for right and 0 for wrong"),
        (["75.1%", "70%"], "Leave out the % signs"),
        (["iris", "wine"], r"for one result per row name the columns \(`long`\)"),
    ],
)
def test_texts_come_with_the_way_to_numbers(cells, said):
    given = {"a": cells * 6, "b": cells * 6, "c": list(range(12))}
    with pytest.raises(InvalidInputError, match=f"'a', 'b' hold text. .*{said}"):
        sc.compare(given)


@pytest.mark.parametrize("cells", [["True", "False"], ["75.1%", "70%"]])
def test_one_model_of_text_is_not_taken_for_names_of_rows(cells):
    given = {**results(k=3), "d": cells * 6}
    with pytest.raises(InvalidInputError, match="'d' holds text"):
        sc.compare(given)
    # Names such as shares of noise may stand in front.
    names = {"noise": [f"{i} %" for i in range(12)], **results(k=3)}
    assert sc.compare(names).models == ("a", "b", "c")


def test_a_column_taken_for_names_is_named_where_models_are_lacking():
    said = r"got 1, since column 'b' holds text \('x'\) and was taken for names"
    with pytest.raises(InvalidInputError, match=said):
        sc.compare({"a": [0.5, 0.6], "b": ["x", "0.7"]})


def test_names_that_are_mostly_numbers_are_doubted():
    given = {**results(k=3), "d": ["x", *map(str, np.linspace(0.5, 0.6, 11))]}
    found = sc.compare(given)
    assert found.models == ("a", "b", "c")
    assert found.warnings == (
        "Column 'd' was taken for names of the rows, though 11 of 12 cells are "
        "numbers: 'x' is none.",
    )


@pytest.mark.parametrize(("factor", "way"), [(2000, "large"), (1 / 2000, "small")])
def test_a_column_on_another_scale_is_doubted(factor, way):
    given = results()
    given["size"] = list(factor * np.array(given["a"]))
    (note,) = sc.compare(given).warnings
    assert note.startswith("Results of 'size' are about 2,000 times as " + way)
    assert "is it a model?" in note
    # Who lists it is believed; losses that differ tenfold are nothing strange.
    assert sc.compare(given, models=[*"abcd", "size"]).warnings == ()
    given["size"] = list(10 * np.array(given["a"]))
    assert sc.compare(given).warnings == ()


def test_one_thing_is_counted_in_the_singular():
    with pytest.raises(InsufficientDataError, match=r"^1 pair of values cannot tell"):
        sc.compare_pair([1.0], [2.0])
    with pytest.raises(InsufficientDataError, match=r"^1 data set cannot tell"):
        sc.compare(np.array([[0.5, 0.6]]))
    one = {"d": ["x", "x"], "m": ["a", "b"], "s": [1.0, float("nan")]}
    with pytest.raises(InvalidInputError, match=r"None of 1 data set \("):
        sc.compare(one, long=("d", "m", "s"))
