"""What a comparison of many models refuses, and what it says of it."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison import (
    PAIR_TESTS,
    POST_HOC,
    Comparison,
    NoteCode,
    post_hoc as reach,
    results_table,
)
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)


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
    with pytest.raises(InvalidInputError) as caught:
        sc.compare(counted)
    assert caught.value.location.column == "dataset"
    with pytest.raises(InvalidInputError) as caught:
        sc.compare(np.column_stack(list(counted.values())))
    assert caught.value.location.column == "model 1"
    chosen = sc.compare(results_table(counted, models=list("abcd")))
    assert chosen.to_dict() == sc.compare(given).to_dict()
    # Who says that it is a model is believed.
    assert results_table(counted, models=["dataset", "a"]).models == ("dataset", "a")


def test_right_and_wrong_or_ranks_are_no_numbers_of_rows():
    two = {"a": [0, 1] * 6, "b": [1, 0] * 6, "c": [1, 1] * 6}
    assert sc.compare(two).rows == "samples"
    ranks = np.array([np.random.default_rng(i).permutation(4) for i in range(12)])
    assert sc.compare(ranks + 1).n_rows == 12


def test_whole_numbers_beside_shares_are_no_model():
    given = {"size": [150, 178, 569, 1797, 208, 351, 768, 336, 90], **results(9, 2)}
    with pytest.raises(
        InvalidInputError, match="whole numbers beside shares"
    ) as caught:
        sc.compare(given)
    assert caught.value.location.column == "size"


@pytest.mark.parametrize(
    "given",
    [
        {"a": [83, 91, 85, 84], "b": [82, 90, 84, 85]},  # percent
        {"a": [81, 82, 83, 84, 85], "b": [80.5, 82.1, 84, 83, 86]},
        {"a": [3, 0, 2, 1, 4, 2, 0, 1, 3], "b": [2, 1, 0, 3, 2, 0, 1, 5, 4]},  # counts
        {"a": [0, 1, 0, 0, 1, 0, 1, 0, 0], "b": [2, 1, 0, 3, 2, 0, 1, 1, 0]},
        {"a": [0, 1, 1, 0] * 3, "b": [1, 0, 1, 0] * 3, "c": [0, 0.5, 1, 1] * 3},
        {"a": [1, 1, 2, 2, 3, 3, 4, 4, 5], "b": [2, 1, 3, 2, 3, 4, 4, 5, 5]},  # grades
        {"row": [0.7, 0.8, 0.9] * 3, "seed_42": [0.6, 0.9, 0.8] * 3},
        {"a": [0] * 6 + [1] * 6, "b": [0, 1] * 6},
        {"a": [1.0] * 9, "b": [0.91, 0.95, 1.0] * 3},
        {"cot prompt": [3, 1, 2] * 4, "plain prompt": [1, 2, 4, 3] * 3},
    ],
)
def test_honest_results_are_models(given):
    assert results_table(given).models == tuple(given)


# Too few


def agreed(n, k):
    """The same order of models on every row."""
    return np.random.default_rng(0).uniform(0, 0.01, (n, 1)) + np.arange(k) / 10.0


def least_adjusted_p(test, post_hoc, n, k, n_pairs):
    chosen = PAIR_TESTS[test], POST_HOC[post_hoc]
    return reach.least_adjusted_p(*chosen, n, k, n_pairs)


def cannot_reach(found):
    """How many rows it would take, if nothing can be found."""
    return [x.count for x in found.notes if x.code == NoteCode.CANNOT_REACH]


@pytest.mark.parametrize("post_hoc", ["nemenyi", "holm", "shaffer", "bergmann-hommel",
                                      "bonferroni", "finner"])  # fmt: skip
@pytest.mark.parametrize("k", [3, 4, 9])
def test_ranks_that_could_never_differ_are_warned_of(post_hoc, k):
    n_pairs = k * (k - 1) // 2
    chosen = PAIR_TESTS["ranks"], POST_HOC[post_hoc]
    needed = reach.least_rows(*chosen, k, n_pairs, 0.05)
    for n in range(3, needed + 2):
        found = sc.compare(agreed(n, k), test="ranks", post_hoc=post_hoc)
        least = least_adjusted_p("ranks", post_hoc, n, k, n_pairs)
        # All rows agree: the farthest models are as far apart as can be.
        assert min(x.p_adjusted for x in found.pairs) == pytest.approx(least, rel=1e-6)
        assert cannot_reach(found) == ([needed] if n < needed else [])


def test_two_data_sets_and_seven_samples_were_answered_as_if_they_could():
    two = sc.compare(agreed(2, 4))
    assert min(x.p_adjusted for x in two.pairs) == pytest.approx(0.121, abs=5e-4)
    assert cannot_reach(two)
    right = np.zeros((7, 10))
    right[:, :5] = 1
    found = sc.compare(right)
    assert min(x.p_adjusted for x in found.pairs) == pytest.approx(0.352, abs=5e-4)
    assert cannot_reach(found) == [10]
    found = sc.compare(np.vstack([right, right[:3]]))
    assert min(x.p_adjusted for x in found.pairs) <= 0.05
    assert not cannot_reach(found)


@pytest.mark.parametrize("test", ["aligned", "quade"])
@pytest.mark.parametrize("k", [3, 5])
def test_other_ranks_reach_their_least_p_where_others_tie(test, k):
    for n in (3, 6):
        values = np.zeros((n, k))
        values[:, 0], values[:, -1] = 1.0, -1.0
        found = sc.compare(values, test=test, post_hoc="holm")
        least = least_adjusted_p(test, "holm", n, k, k * (k - 1) // 2)
        assert min(x.p_adjusted for x in found.pairs) == pytest.approx(least, rel=1e-6)
        assert NoteCode.FEW_DATASETS in [note.code for note in found.notes]


def test_no_results_have_a_smaller_p_than_the_least():
    rng = np.random.default_rng(3)
    for _ in range(10):
        n, k = (int(x) for x in (rng.integers(4, 8), rng.integers(3, 6)))
        values = np.round(rng.normal(size=(n, k)) + np.arange(k), 1)
        for test in ("ranks", "aligned", "quade", "wilcoxon", "sign"):
            for post_hoc in ("holm", "hochberg", "hommel", "none", "finner"):
                found = sc.compare(values, test=test, post_hoc=post_hoc)
                least = least_adjusted_p(test, post_hoc, n, k, k * (k - 1) // 2)
                assert min(x.p_adjusted for x in found.pairs) >= least * (1 - 1e-9)


def test_corrections_that_need_fewer_rows_are_not_warned_of():
    # All pairs at once are as small as can be, and then these correct nothing.
    for post_hoc in ("hochberg", "hommel", "none"):
        found = sc.compare(agreed(7, 4), test="wilcoxon", post_hoc=post_hoc)
        assert max(x.p_adjusted for x in found.pairs) <= 0.05
        assert not cannot_reach(found)
    found = sc.compare(agreed(7, 4), test="wilcoxon", post_hoc="holm")
    assert cannot_reach(found) == [8]


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
    assert Comparison.from_dict(saved).to_dict() == saved
    pair = sc.compare_pair(*splits().T[:2], test_ratio=1 / 9)
    assert pair.to_dict()["options"]["test_ratio"] == 1 / 9


@pytest.mark.parametrize("rows", ["datasets", "samples"])
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
    found = results_table(table, long=("dataset", "model", "accuracy"))
    assert {type(name) for name in found.models} == {str}
    (note,) = found.notes
    assert (note.code, note.model, note.count) == (NoteCode.ROWS_LEFT_OUT, "a", 1)
    assert (found.dropped_rows, found.n_rows_given) == (("set 0",), 12)
    assert found.worst_model == "a"


def test_a_wrong_column_of_models_is_named():
    table = long_table() | {"run": list(range(36))}
    with pytest.raises(InvalidInputError, match=r"36 models \(column 'run'"):
        results_table(table, long=("dataset", "run", "accuracy"))


def test_rows_that_all_lack_something_are_told():
    given = {k: np.array(v) for k, v in results(12, 3).items()}
    given["a"][:7], given["b"][7:] = np.nan, np.nan
    with pytest.raises(InvalidInputError, match=r"each of 12 rows .*'a' lacks most"):
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
    with pytest.raises(UsageError, match="cochran-q"):
        sc.compare(right, omnibus="quade")
    with pytest.raises(UsageError, match="three models"):
        sc.compare(results(12, 2), omnibus="friedman")
    with pytest.raises(UsageError, match="splits by none"):
        sc.compare(splits(), test_ratio=0.1, omnibus="friedman")
    assert sc.compare(results(), omnibus="quade").omnibus[0].test == "quade"


# What looks like results and is none


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["True", "False"], "write 1 for right and 0 for wrong"),
        (["yes", "no"], "write 1 for right and 0 for wrong"),
        (["75.1%", "70%"], "leave out the % signs"),
        (["iris", "wine"], "for one result per row name its three columns"),
    ],
)
def test_texts_come_with_the_way_to_numbers(cells, said):
    given = {"a": cells * 6, "b": cells * 6, "c": list(range(12))}
    with pytest.raises(InvalidInputError, match="'a', 'b' hold text") as caught:
        sc.compare(given)
    assert said in caught.value.remedy


@pytest.mark.parametrize("cells", [["True", "False"], ["75.1%", "70%"]])
def test_one_model_of_text_is_not_taken_for_names_of_rows(cells):
    given = {**results(k=3), "d": cells * 6}
    with pytest.raises(InvalidInputError, match="holds text") as caught:
        sc.compare(given)
    assert caught.value.location.column == "d"
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
    (note,) = found.notes
    assert (note.code, note.names) == (NoteCode.DOUBTFUL_ROW_NAMES, ("d", "x"))
    assert (note.count, note.total) == (11, 12)


@pytest.mark.parametrize("factor", [2000, 1 / 2000])
def test_a_column_on_another_scale_is_doubted(factor):
    given = results()
    given["size"] = list(factor * np.array(given["a"]))
    (note,) = sc.compare(given).notes
    assert (note.code, note.model) == (NoteCode.ODD_SCALE, "size")
    assert note.value == pytest.approx(factor, rel=0.2)
    # Who lists it is believed; losses that differ tenfold are nothing strange.
    assert results_table(given, models=[*"abcd", "size"]).notes == ()
    given["size"] = list(10 * np.array(given["a"]))
    assert sc.compare(given).notes == ()


def test_a_percentage_among_shares_is_doubted():
    given = results()
    given["b"][3] *= 100
    (note,) = sc.compare(given).notes
    assert (note.code, note.model) == (NoteCode.PERCENT_AMONG_SHARES, "b")
    assert (note.count, note.total) == (1, 4)
    assert "is it a percentage?" in sc.render(sc.compare(given))
    # Percentages throughout, or an error a little above one, are nothing strange.
    percent = {name: list(100 * np.array(row)) for name, row in results().items()}
    assert sc.compare(percent).notes == ()
    given["b"][3] = 1.2
    assert sc.compare(given).notes == ()


def test_one_thing_is_counted_in_the_singular():
    with pytest.raises(InsufficientDataError, match="1 pair of values cannot tell"):
        sc.compare_pair([1.0], [2.0])
    with pytest.raises(InsufficientDataError, match="1 data set cannot tell"):
        sc.compare(np.array([[0.5, 0.6]]))
    one = {"d": ["x", "x"], "m": ["a", "b"], "s": [1.0, float("nan")]}
    with pytest.raises(InvalidInputError) as caught:
        results_table(one, long=("d", "m", "s"))
    assert caught.value.parameter == "long"
