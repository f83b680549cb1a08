"""Many models: what is chosen, what is said, what is refused."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.assessing import assess_bare, only

import scorecast as sc
from scorecast.comparison import (
    OMNIBUS_TESTS,
    POST_HOC,
    Comparison,
    NoteCode,
    Reason,
    results_table,
)
from scorecast.comparison.post_hoc import cliques, nemenyi_p
from scorecast.comparison.rank_tests import plain_z
from scorecast.evaluation import adjust_p_values
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

SHIFTS = np.array([0.0, 0.02, 0.02, 0.08])


def table(n=20, seed=0, shifts=SHIFTS, noise=0.01):
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.5, 0.8, (n, 1))
    return level + shifts + rng.normal(0, noise, (n, len(shifts)))


def reasons(found):
    return [choice.reason for choice in found.choices]


def codes(found):
    return [note.code for note in found.notes]


def named(values, names="abcdefghijklmnopqrst"):
    return dict(zip(names, values.T, strict=False))


# Examples


def test_the_default_is_wilcoxon_with_holm():
    values = table()
    found = sc.compare(named(values))
    rows = np.triu_indices(4, 1)
    p = np.array([
        stats.wilcoxon(values[:, i], values[:, j], method="exact").pvalue
        for i, j in zip(*rows, strict=True)
    ])  # fmt: skip
    np.testing.assert_allclose([x.p_value for x in found.pairs], p, rtol=1e-9)
    np.testing.assert_allclose(
        [x.p_adjusted for x in found.pairs], adjust_p_values(p), rtol=1e-9
    )
    assert found.best == "d"
    assert found.cliques == (("b", "c"),) or found.cliques == (("c", "b"),)
    assert found.omnibus[0].test == "iman-davenport"
    assert Reason.OTHERS_DO_NOT_MATTER in reasons(found)


def test_the_published_pairs_come_out(published_table):
    data = published_table
    for post_hoc, name in (("shaffer", "shaffer"), ("bergmann-hommel", "bergmann")):
        given = results_table(data["data"], models=data["cols"])
        found = sc.compare(given, post_hoc=post_hoc)
        assert found.test == "ranks"
        for pair in found.pairs:
            i, j = data["cols"].index(pair.a), data["cols"].index(pair.b)
            assert pair.p_adjusted == pytest.approx(data[name][i][j], rel=1e-7)
    np.testing.assert_allclose([*found.ranks.values()], data["avg_ranks"], rtol=1e-12)
    assert found.critical_difference == pytest.approx(1.1136092, abs=5e-8)


def test_nemenyi_is_scikit_posthocs():
    import scikit_posthocs as sp

    values = table()
    wanted = sp.posthoc_nemenyi_friedman(values)
    found = sc.compare(values, post_hoc="nemenyi")
    for pair, (i, j) in zip(
        found.pairs, zip(*np.triu_indices(4, 1), strict=True), strict=True
    ):
        assert pair.p_adjusted == pytest.approx(wanted.iloc[i, j], rel=1e-6, abs=1e-10)


def test_few_data_sets_are_ranked_instead():
    found = sc.compare(table(6))
    assert found.test == "ranks"
    assert found.post_hoc == "bergmann-hommel"
    (choice,) = (x for x in found.choices if x.what == "test")
    assert choice.reason is Reason.TOO_FEW_FOR_SIGNED_RANKS
    assert choice.n_needed == 8
    assert sc.compare(table(8)).test == "wilcoxon"


def test_two_models_are_compared_by_signed_ranks():
    values = table(15)[:, 2:]
    found = sc.compare(named(values, ["old", "new"]))
    wanted = stats.wilcoxon(*values.T, method="exact").pvalue
    assert found.pairs[0].p_value == pytest.approx(wanted, rel=1e-9)
    assert found.pairs[0].p_adjusted == found.pairs[0].p_value
    assert found.omnibus == ()
    assert found.beats("new", "old")


def test_cases_are_compared_by_cochran_and_mcnemar():
    rng = np.random.default_rng(0)
    right = (rng.random((200, 3)) < [0.9, 0.9, 0.6]).astype(float)
    found = sc.compare(results_table(right, models=["a", "b", "c"]))
    assert found.rows == "samples"
    assert found.omnibus[0].test == "cochran-q"
    assert found.test == "mcnemar-mid-p"
    assert found.differ("a", "c")
    assert not found.differ("a", "b")
    gap = right[:, 0].mean() - right[:, 2].mean()
    assert found.pair("a", "c").effect.difference == pytest.approx(gap)


@pytest.fixture(scope="module")
def assessed():
    """Six assessments: one that was made, and five that differ by a little."""
    y = np.arange(60) % 2
    X = np.random.default_rng(1).normal(size=(60, 4)) + y[:, None]
    models = ["naive-bayes", "nearest-centroid"]
    made = assess_bare(models, X, y, cv=5)

    def moved(step):
        found = {}
        for i, (name, model) in enumerate(made.models.items(), 1):
            metrics = {
                key: replace(x, estimate=x.estimate + 0.01 * step * i)
                for key, x in model.metrics.items()
            }
            found[name] = replace(model, metrics=metrics)
        return replace(made, models=found)

    return [moved(step) for step in range(6)]


def test_one_assessment_is_compared_split_by_split(assessed):
    found = sc.compare(assessed[0])
    assert found.rows == "splits"
    assert found.test == "corrected-t"
    assert found.metric == "accuracy"
    row = assessed[0].comparisons[0]
    assert found.pairs[0].effect.difference == pytest.approx(row.difference)
    if not np.isnan(row.p_value):
        assert found.pairs[0].p_value == pytest.approx(row.p_value, rel=1e-9)


def test_several_assessments_are_compared_as_data_sets(assessed):
    found = sc.compare({f"set {i}": x for i, x in enumerate(assessed)})
    assert (found.rows, found.n_rows) == ("datasets", 6)
    first = only(assessed[0]).main
    means = [only(x).main.estimate for x in assessed]
    assert found.means[found.models[0]] == pytest.approx(np.mean(means))
    assert found.greater_is_better == first.greater_is_better
    assert sc.compare(assessed).ranks == found.ranks


def test_frames_with_names_of_data_sets():
    pandas = pytest.importorskip("pandas", reason="needs the extra [frame]")
    values = table()
    frame = pandas.DataFrame(named(values))
    wanted = sc.compare(named(values)).ranks
    assert sc.compare(frame).ranks == wanted
    with_names = frame.assign(dataset=[f"set {i}" for i in range(20)])
    assert sc.compare(with_names).ranks == wanted
    assert sc.compare(with_names.set_index("dataset")).ranks == wanted
    long = with_names.melt(id_vars="dataset", var_name="model", value_name="score")
    found = sc.compare(results_table(long, long=("dataset", "model", "score")))
    assert found.ranks == wanted
    assert found.models == ("a", "b", "c", "d")


def test_repeats_of_a_long_table_are_averaged():
    values = table()
    rows = [(i, m, values[i, m] + e) for i in range(20) for m in range(4)
            for e in (-0.001, 0.001)]  # fmt: skip
    columns = dict(
        zip(("data", "model", "score"), zip(*rows, strict=True), strict=True)
    )
    found = sc.compare(results_table(columns, long=("data", "model", "score")))
    assert found.n_rows == 20
    np.testing.assert_allclose([*found.means.values()], values.mean(axis=0), rtol=1e-9)
    (note,) = found.notes
    assert (note.code, note.count) == (NoteCode.REPEATS_AVERAGED, 2)


# Properties


@pytest.mark.parametrize("post_hoc", POST_HOC)
def test_minimising_turns_ranks_and_keeps_p(post_hoc):
    values = table()
    options = {"post_hoc": post_hoc}
    if post_hoc == "bonferroni-dunn":
        options["control"] = "model 1"
    up = sc.compare(values, **options)
    down = sc.compare(values, greater_is_better=False, **options)
    turned = sc.compare(-values, greater_is_better=False, **options)
    both = zip(up.ranks.values(), down.ranks.values(), strict=True)
    np.testing.assert_allclose([sum(x) for x in both], 5)
    assert turned.ranks == up.ranks
    for one, two in zip(up.pairs, down.pairs, strict=True):
        assert one.p_value == pytest.approx(two.p_value, abs=1e-12)
        assert one.p_adjusted == pytest.approx(two.p_adjusted, abs=1e-12)
        assert one.effect.wins == two.effect.losses
    assert up.best == "model 4"
    assert down.best == "model 1"


@pytest.mark.parametrize("post_hoc", POST_HOC)
def test_order_of_columns_and_rows_does_not_matter(post_hoc):
    values = table()
    control = "a" if post_hoc == "bonferroni-dunn" else None
    one = sc.compare(named(values), post_hoc=post_hoc, control=control)
    rng = np.random.default_rng(0)
    mixed = rng.permutation(values)
    columns = {name: mixed[:, "abcd".index(name)] for name in "cadb"}
    two = sc.compare(columns, post_hoc=post_hoc, control=control)
    for pair in one.pairs:
        other = two.pair(pair.a, pair.b)
        assert other.p_adjusted == pytest.approx(pair.p_adjusted, abs=1e-12)
    assert set(map(frozenset, one.cliques)) == set(map(frozenset, two.cliques))


@pytest.mark.parametrize("seed", range(6))
def test_bars_never_contradict_the_pairs(seed):
    shifts = np.linspace(0, 0.02, 7)
    values = table(15, seed, shifts, noise=0.02)
    for post_hoc in ("auto", "nemenyi", "bergmann-hommel"):
        found = sc.compare(values, post_hoc=post_hoc)
        for group in found.cliques:
            for a in group:
                for b in group:
                    assert a == b or not found.differ(a, b)
            ranks = [found.ranks[name] for name in group]
            between = [
                m for m in found.models if min(ranks) < found.ranks[m] < max(ranks)
            ]
            assert set(between) <= set(group)
        for one in found.cliques:
            assert not any(set(one) < set(two) for two in found.cliques)


def test_nothing_told_apart_is_one_bar_and_everything_is_none():
    order = [1, 0, 2]
    assert cliques(order, np.zeros((3, 3), dtype=bool)) == ((1, 0, 2),)
    assert cliques(order, ~np.eye(3, dtype=bool)) == ()


def test_the_answer_survives_json():
    for options in ({}, {"control": "model 2"}, {"rope": 0.01, "random_state": 0}):
        found = sc.compare(table(), **options)
        saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        again = Comparison.from_dict(saved)
        assert again.to_dict() == saved
        for form in ("text", "paragraph", "latex", "markdown"):
            assert sc.render(again, form) == sc.render(found, form)


def test_the_json_is_the_contract():
    data = sc.compare(table()).to_dict()
    assert (data["kind"], data["schema"]) == ("comparison", 2)
    result = data["result"]
    assert {"ranks", "omnibus", "pairs", "critical_difference"} <= set(result)
    assert set(result["ranks"]) == {f"model {i}" for i in range(1, 5)}
    assert {"test", "statistic", "df", "p_value"} == set(result["omnibus"][0])
    assert {"a", "b", "p_value", "p_adjusted", "effect"} <= set(result["pairs"][0])
    assert {"difference", "low", "high", "cliffs_delta", "cohens_d"} <= set(
        result["pairs"][0]["effect"]
    )


def test_chances_of_practical_equality_are_added():
    found = sc.compare(table(), rope=0.05, random_state=0)
    near, far = found.pair("model 2", "model 3"), found.pair("model 1", "model 4")
    assert near.posterior.equal > 0.99
    assert far.posterior.first_lower > 0.99
    same = sc.compare(table(), rope=0.05, random_state=0)
    assert same.to_dict() == found.to_dict()


@pytest.mark.parametrize("omnibus", OMNIBUS_TESTS.select(rows="datasets"))
def test_the_test_of_all_models_that_is_asked_for_is_quoted_first(omnibus):
    found = sc.compare(table(), omnibus=omnibus)
    assert found.omnibus[0].test == omnibus
    assert {x.test for x in found.omnibus} == set(OMNIBUS_TESTS) - {"cochran-q"}


def test_latex_is_escaped_and_complete():
    names = ["a_1", "50 % & more", "{c}", "d\\e"]
    text = sc.render(sc.compare(dict(zip(names, table().T, strict=True))), "latex")
    for piece in (r"a\_1", r"50 \% \& more", r"\{c\}", r"d\textbackslash{}e"):
        assert piece in text
    models, pairs = text.split(r"\begin{tabular}")[1:]
    for part, n in ((models, 4), (pairs, 6)):
        body = part.split(r"\midrule")[1].split(r"\bottomrule")[0]
        assert len([line for line in body.splitlines() if line.strip()]) == n


# Edges


def test_missing_results_drop_the_row_and_say_so():
    values = table()
    values[3, 1] = values[7, 1] = values[7, 2] = np.nan
    found = sc.compare(values)
    wanted = sc.compare(np.delete(values, (3, 7), axis=0))
    assert found.ranks == wanted.ranks
    assert found.n_rows == 18
    (note,) = found.notes
    assert (note.code, note.model) == (NoteCode.ROWS_LEFT_OUT, "model 2")
    assert (note.count, note.total, note.names) == (2, 20, ("4", "8"))
    with pytest.raises(InvalidInputError, match="2 of 20"):
        results_table(values, nan_policy="raise")


def test_identical_models_are_equal_and_nothing_breaks():
    level = np.linspace(0.5, 0.9, 10)
    for k in (2, 3, 5):
        found = sc.compare({f"m{i}": level for i in range(k)})
        assert all(pair.p_value == pair.p_adjusted == 1 for pair in found.pairs)
        assert all(pair.effect.difference == 0 for pair in found.pairs)
        assert len(set(found.ranks.values())) == 1
        if k > 2:
            assert found.omnibus[0].p_value == 1
            assert found.cliques == (tuple(f"m{i}" for i in range(k)),)


def test_folds_of_one_data_set_are_no_data_sets():
    level = np.linspace(0.5, 0.9, 8)
    rows = {"dataset": ["s1"] * 8, "a": level, "b": level + 0.01}
    with pytest.raises(InsufficientDataError, match="1 data set cannot"):
        sc.compare(rows)
    splits = sc.compare(rows, test_ratio=0.2)
    assert splits.n_rows == 8
    rows["dataset"] = [f"s{i}" for i in range(8)]
    assert NoteCode.REPEATED_NAMES_AVERAGED not in codes(sc.compare(rows))


def test_twins_among_others_are_not_told_apart():
    values = table()
    values[:, 1] = values[:, 2]
    for post_hoc in ("auto", "nemenyi", "bergmann-hommel"):
        found = sc.compare(values, post_hoc=post_hoc)
        assert found.pair("model 2", "model 3").p_value == 1


def test_constant_differences_of_splits_are_unknown_not_certain():
    values = np.tile([0.8, 0.7, 0.6], (10, 1)) + np.linspace(0, 0.1, 10)[:, None]
    found = sc.compare(values, test_ratio=1 / 9)
    assert all(np.isnan(pair.p_adjusted) for pair in found.pairs)
    assert not found.differ("model 1", "model 2")
    assert NoteCode.UNKNOWN_P in codes(found)
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert Comparison.from_dict(saved).to_dict() == saved


def test_with_a_control_only_it_is_compared():
    found = sc.compare(named(table()), control="b")
    assert {pair.a for pair in found.pairs} == {"b"}
    assert [pair.b for pair in found.pairs] == ["a", "c", "d"]
    assert found.cliques == ()
    dunn = sc.compare(named(table()), control="b", post_hoc="bonferroni-dunn")
    z = plain_z(table())[1, 0]
    wanted = min(3 * 2 * stats.norm.sf(abs(z)), 1)
    assert dunn.pair("a", "b").p_adjusted == pytest.approx(wanted)


def test_many_models_fall_back_to_shaffer():
    values = table(12, shifts=np.linspace(0, 0.1, 13))
    assert sc.compare(values, test="ranks").post_hoc == "shaffer"


def test_nemenyi_of_two_models_is_one_comparison():
    found = sc.compare(table(12)[:, :2], post_hoc="nemenyi")
    assert found.pairs[0].p_adjusted == found.pairs[0].p_value


def test_no_correction_is_said_aloud():
    found = sc.compare(table(), post_hoc="none")
    (note,) = found.notes
    assert (note.code, note.count) == (NoteCode.UNCORRECTED, 6)
    assert note.value == pytest.approx(1 - 0.95**6)


# Errors


@pytest.mark.parametrize(
    ("n", "k", "needed"), [(1, 4, 2), (2, 3, 3), (5, 2, 6), (1, 2, 6)]
)
def test_too_few_data_sets_are_refused_with_the_number_needed(n, k, needed):
    said = f"apart with confidence 0.95: it takes at least {needed}"
    with pytest.raises(InsufficientDataError, match=said):
        sc.compare(table(n)[:, :k])


def test_a_table_far_too_wide_is_one_of_samples():
    wide = np.random.default_rng(0).normal(size=(8, 201))
    with pytest.raises(InvalidInputError) as caught:
        sc.compare(wide)
    assert "201 columns were taken for models, which makes 20,100 pairs" in str(
        caught.value
    )
    assert caught.value.option == "models"
    assert "assess" in caught.value.remedy
    found = sc.compare(wide, control="model 1", test="paired-t", rows="samples")
    assert len(found.pairs) == 200


def test_pairs_are_counted_while_they_are_tested(monkeypatch):
    counted = []

    def track(items, *, what):
        counted.append((what, len(items)))
        return items

    monkeypatch.setattr(sys.modules["scorecast.comparison.compare"], "track", track)
    sc.compare(table(), rope=0.01)
    assert counted == [("pair", 6)]


def test_rows_that_were_dropped_are_mentioned_in_the_refusal():
    values = table(7)[:, :2]
    values[:3, 0] = np.nan
    with pytest.raises(InsufficientDataError, match="3 of 7 rows"):
        sc.compare(values)


@pytest.mark.parametrize(
    ("given", "options", "error", "said"),
    [
        ([1, 2, 3], {}, InvalidInputError, "rows and columns"),
        ("table.csv", {}, InvalidInputError, "table of numbers"),
        (table()[:, :1], {}, InvalidInputError, "two models"),
        ({"a": [1, 2], "b": [1]}, {}, InvalidInputError, "length"),
        ({"a": [1, 2], "b": ["x", "y"], "c": ["u", "v"]}, {}, InvalidInputError,
         "hold text"),
        (np.where(table() > 0.8, np.inf, table()), {}, InvalidInputError, "infinite"),
        (np.column_stack([table(), np.full(20, np.nan)]), {}, InvalidInputError,
         "no result at all"),
        (table(), {"control": "z"}, InvalidInputError, "control"),
        (table(), {"post_hoc": "holms"}, UsageError, "Try 'holm'"),
        (table(), {"post_hoc": "bonferroni-dunn"}, UsageError, "control"),
        (table(), {"post_hoc": "nemenyi", "control": "model 1"}, UsageError, "holm"),
        (table(), {"post_hoc": "nemenyi", "test": "sign"}, UsageError, "ranks"),
        (table(), {"test": "mcnemar-mid-p"}, UsageError, "wilcoxon"),
        (table(), {"rows": "samples", "test": "mcnemar-mid-p"}, InvalidInputError,
         "1 for right"),
        (table(), {"rows": "splits"}, UsageError, "test_ratio"),
        (table(), {"rope": -0.1}, UsageError, "rope"),
        (table(), {"confidence_level": 1.0}, UsageError, "level"),
        (table(20, shifts=np.zeros(12)), {"post_hoc": "bergmann-hommel"}, UsageError,
         "shaffer"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(given, options, error, said):
    with pytest.raises(error, match=said) as caught:
        sc.compare(given, **options)
    assert "\n" not in str(caught.value)


def test_nemenyi_p_values_are_for_all_pairs():
    z = plain_z(table())[np.triu_indices(4, 1)]
    found = sc.compare(table(), post_hoc="nemenyi")
    np.testing.assert_allclose(
        [pair.p_adjusted for pair in found.pairs], nemenyi_p(z, 4), rtol=1e-12
    )


def test_columns_that_are_not_there_are_refused():
    for call in (
        lambda: results_table(table(), models=["a"]),
        lambda: results_table({"d": ["x"], "m": ["y"]}, long=("d", "m", "s")),
        lambda: results_table(named(table()), models=["a", "z"]),
    ):
        with pytest.raises((UsageError, InvalidInputError)) as caught:
            call()
        assert caught.value.parameter in ("models", "long")
