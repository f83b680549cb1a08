"""Many models: what is chosen, what is said, what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.comparison import POST_HOC, holm, nemenyi_p, rank_z
from scorecast.comparison.bars import joined_groups
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.report import render_html
from scorecast.report.html import Report

SHIFTS = np.array([0.0, 0.02, 0.02, 0.08])


def table(n=20, seed=0, shifts=SHIFTS, noise=0.01):
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.5, 0.8, (n, 1))
    return level + shifts + rng.normal(0, noise, (n, len(shifts)))


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
    np.testing.assert_allclose([x.p for x in found.pairs], p, rtol=1e-9)
    np.testing.assert_allclose([x.p_adjusted for x in found.pairs], holm(p), rtol=1e-9)
    assert found.best == "d"
    assert found.groups == (("b", "c"),) or found.groups == (("c", "b"),)
    assert found.omnibus[0].test == "iman-davenport"
    assert any("does not hang on the others" in x for x in found.reasons)


def test_the_published_pairs_come_out(published_table):
    data = published_table
    for post_hoc, name in (("shaffer", "shaffer"), ("bergmann-hommel", "bergmann")):
        found = sc.compare(data["data"], models=data["cols"], post_hoc=post_hoc)
        assert found.pair_test == "ranks"
        for pair in found.pairs:
            i, j = data["cols"].index(pair.a), data["cols"].index(pair.b)
            assert pair.p_adjusted == pytest.approx(data[name][i][j], rel=1e-7)
    np.testing.assert_allclose(found.ranks, data["avg_ranks"], rtol=1e-12)
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
    assert found.pair_test == "ranks"
    assert found.post_hoc == "bergmann-hommel"
    assert any("takes 8" in x for x in found.reasons)
    assert sc.compare(table(8)).pair_test == "wilcoxon-pratt"


def test_two_models_are_compared_by_signed_ranks():
    values = table(15)[:, 2:]
    found = sc.compare(named(values, ["old", "new"]))
    wanted = stats.wilcoxon(*values.T, method="exact").pvalue
    assert found.pairs[0].p == pytest.approx(wanted, rel=1e-9)
    assert found.pairs[0].p_adjusted == found.pairs[0].p
    assert found.omnibus == ()
    assert found.summary().startswith("new is better than old on 15 data sets")


def test_cases_are_compared_by_cochran_and_mcnemar():
    rng = np.random.default_rng(0)
    right = (rng.random((200, 3)) < [0.9, 0.9, 0.6]).astype(float)
    found = sc.compare(right, models=["a", "b", "c"])
    assert found.rows == "cases"
    assert found.omnibus[0].test == "cochran-q"
    assert found.pair_test == "mcnemar-mid-p"
    assert found.differ("a", "c")
    assert not found.differ("a", "b")
    gap = right[:, 0].mean() - right[:, 2].mean()
    assert found.pair("a", "c").effect.difference == pytest.approx(gap)


@pytest.fixture(scope="module")
def assessed():
    """Six assessments: one that was made, and five that differ by a little."""
    quick = {"n_permutations": 0, "n_null_data": 0, "n_resamples": 0}
    y = np.arange(60) % 2
    X = np.random.default_rng(1).normal(size=(60, 4)) + y[:, None]
    models = ["naive-bayes", "nearest-centroid"]
    made = sc.assess(models, X, y, sampling="cv5", random_state=0, **quick)

    def moved(step):
        return replace(made, models=tuple(
            replace(m, losses=tuple(
                replace(x, estimate=x.estimate + 0.01 * step * (i + 1))
                for x in m.losses
            ))
            for i, m in enumerate(made.models)
        ))  # fmt: skip

    return [moved(step) for step in range(6)]


def test_one_assessment_is_compared_split_by_split(assessed):
    found = sc.compare(assessed[0])
    assert found.rows == "splits"
    assert found.pair_test == "corrected-t"
    assert found.measure == "accuracy"
    row = assessed[0].comparisons[0]
    assert found.pairs[0].effect.difference == pytest.approx(row.difference)
    if not np.isnan(row.p):
        assert found.pairs[0].p == pytest.approx(row.p, rel=1e-9)


def test_several_assessments_are_compared_as_data_sets(assessed):
    found = sc.compare({f"set {i}": x for i, x in enumerate(assessed)})
    assert (found.rows, found.n) == ("data sets", 6)
    first = assessed[0].models[0].losses[0]
    means = [x.models[0].losses[0].estimate for x in assessed]
    assert found.means[0] == pytest.approx(np.mean(means))
    assert found.greater_is_better == first.greater_is_better
    assert sc.compare(assessed).ranks == found.ranks


def test_frames_with_names_of_data_sets():
    pandas = pytest.importorskip("pandas", reason="needs the extra [frame]")
    values = table()
    frame = pandas.DataFrame(named(values))
    wanted = sc.compare(values).ranks
    assert sc.compare(frame).ranks == wanted
    with_names = frame.assign(dataset=[f"set {i}" for i in range(20)])
    assert sc.compare(with_names).ranks == wanted
    assert sc.compare(with_names.set_index("dataset")).ranks == wanted
    long = with_names.melt(id_vars="dataset", var_name="model", value_name="score")
    found = sc.compare(long, long=("dataset", "model", "score"))
    assert found.ranks == wanted
    assert found.models == ("a", "b", "c", "d")


def test_repeats_of_a_long_table_are_averaged():
    values = table()
    rows = [(i, m, values[i, m] + e) for i in range(20) for m in range(4)
            for e in (-0.001, 0.001)]  # fmt: skip
    columns = dict(
        zip(("data", "model", "score"), zip(*rows, strict=True), strict=True)
    )
    found = sc.compare(columns, long=("data", "model", "score"))
    assert found.n == 20
    np.testing.assert_allclose(found.means, values.mean(axis=0), rtol=1e-9)
    assert "averaged" in found.warnings[0]


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
    np.testing.assert_allclose(np.add(up.ranks, down.ranks), 5)
    assert turned.ranks == up.ranks
    for one, two in zip(up.pairs, down.pairs, strict=True):
        assert one.p == pytest.approx(two.p, abs=1e-12)
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
    assert set(map(frozenset, one.groups)) == set(map(frozenset, two.groups))


@pytest.mark.parametrize("seed", range(6))
def test_bars_never_contradict_the_pairs(seed):
    shifts = np.linspace(0, 0.02, 7)
    values = table(15, seed, shifts, noise=0.02)
    for post_hoc in ("auto", "nemenyi", "bergmann-hommel"):
        found = sc.compare(values, post_hoc=post_hoc)
        for group in found.groups:
            for a in group:
                for b in group:
                    assert a == b or not found.differ(a, b)
            ranks = [found.rank(name) for name in group]
            between = [
                m for m in found.models if min(ranks) < found.rank(m) < max(ranks)
            ]
            assert set(between) <= set(group)
        for one in found.groups:
            assert not any(set(one) < set(two) for two in found.groups)


def test_nothing_told_apart_is_one_bar_and_everything_is_none():
    order = [1, 0, 2]
    assert joined_groups(order, np.zeros((3, 3), dtype=bool)) == ((1, 0, 2),)
    assert joined_groups(order, ~np.eye(3, dtype=bool)) == ()


def test_the_answer_survives_json():
    for options in ({}, {"control": "model 2"}, {"rope": 0.01, "random_state": 0}):
        found = sc.compare(table(), **options)
        saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        again = sc.Comparison.from_dict(saved)
        assert again.to_dict() == saved
        assert again.summary() == found.summary()
        assert again.paragraph() == found.paragraph()
        assert again.to_latex() == found.to_latex()


def test_the_json_is_the_contract():
    data = sc.compare(table()).to_dict()
    assert (data["kind"], data["schema"]) == ("comparison", 1)
    result = data["result"]
    assert {"ranks", "omnibus", "pairs", "critical_difference"} <= set(result)
    assert set(result["ranks"]) == {f"model {i}" for i in range(1, 5)}
    assert {"test", "statistic", "df", "p"} <= set(result["omnibus"])
    assert {"a", "b", "p", "p_adjusted", "effect"} <= set(result["pairs"][0])
    assert {"difference", "low", "high", "cliffs_delta", "cohens_d"} <= set(
        result["pairs"][0]["effect"]
    )


def test_chances_of_practical_equality_are_added():
    found = sc.compare(table(), rope=0.05, random_state=0)
    near, far = found.pair("model 2", "model 3"), found.pair("model 1", "model 4")
    assert near.chances.equal > 0.99
    assert far.chances.first_lower > 0.99
    same = sc.compare(table(), rope=0.05, random_state=0)
    assert same.to_dict() == found.to_dict()
    assert "practically equal" in found.paragraph()


def test_the_paragraph_names_tests_and_numbers():
    text = sc.compare(named(table())).paragraph()
    for piece in (
        "4 models",
        "20 data sets",
        "Iman and Davenport",
        "F(3, 57) = ",
        "Wilcoxon",
        "Holm",
        "6 comparisons",
        "5 %",
        "higher is better",
    ):
        assert piece in text  # fmt: skip


@pytest.mark.parametrize(
    ("omnibus", "said"),
    [
        ("friedman", "Friedman's test (Friedman 1937) finds"),
        ("friedman-tie-corrected", "corrected for ties (Friedman 1937; Conover 1999)"),
        ("aligned-ranks", "of aligned ranks (Hodges and Lehmann 1962) finds"),
        ("quade", "Quade's test (Quade 1979) finds"),
        ("iman-davenport", "Davenport (Iman and Davenport 1980) finds"),
    ],
)
def test_the_quoted_test_of_all_models_has_its_own_title_and_source(omnibus, said):
    found = sc.compare(table(), omnibus=omnibus)
    assert said in found.paragraph()
    assert "z-test" not in found.paragraph()
    page = render_html(Report(results=(found,)))
    assert "Quade&#39;s test" in page or "Quade's test" in page


@pytest.mark.parametrize("post_hoc", POST_HOC)
def test_corrections_that_ask_for_something_say_so(post_hoc):
    control = "model 1" if post_hoc == "bonferroni-dunn" else None
    found = sc.compare(table(), post_hoc=post_hoc, control=control)
    asks = post_hoc in ("hochberg", "hommel", "finner")
    for text in (found.summary(), found.paragraph(), "; ".join(found.assumptions)):
        assert ("depend positively" in text) == asks
    two = sc.compare(table()[:, :2], post_hoc=post_hoc, control=control)
    assert "depend positively" not in two.summary()


@pytest.mark.parametrize("pairs", ["ranks", "aligned", "quade", "wilcoxon", "sign"])
def test_ranks_promise_their_level_under_a_condition(pairs):
    # Specialists lie farther apart: see the simulated family-wise errors.
    for n in (6, 20):
        found = sc.compare(table(n), pairs=pairs, post_hoc="holm")
        asks = pairs in ("ranks", "aligned", "quade")
        for text in (found.summary(), found.paragraph(), "; ".join(found.assumptions)):
            assert ("no farther apart in rank than in a random order" in text) == asks
    both = sc.compare(table(), pairs="ranks", post_hoc="hochberg").summary()
    assert both.endswith("random order of all and p-values depend positively on one "
                         "another.")  # fmt: skip
    assert "random order" not in sc.compare(table()[:, :2], pairs=pairs).summary()


def test_latex_is_escaped_and_complete():
    values = table()
    names = ["a_1", "50 % & more", "{c}", "d\\e"]
    found = sc.compare(dict(zip(names, values.T, strict=True)))
    text = found.to_latex()
    assert r"a\_1" in text
    assert r"50 \% \& more" in text
    assert r"\{c\}" in text
    assert r"d\textbackslash{}e" in text
    assert text.count(r"\\") >= 5
    pairs = found.to_latex("pairs")
    body = pairs.split(r"\midrule")[1].split(r"\bottomrule")[0]
    assert len([line for line in body.splitlines() if line.strip()]) == 6
    with pytest.raises(UsageError):
        found.to_latex("everything")


# Edges


def test_missing_results_drop_the_row_and_say_so():
    values = table()
    values[3, 1] = values[7, 1] = values[7, 2] = np.nan
    found = sc.compare(values)
    wanted = sc.compare(np.delete(values, (3, 7), axis=0))
    assert found.ranks == wanted.ranks
    assert found.n == 18
    assert "2 of 20 rows" in found.warnings[0]
    assert "'model 2' lacks most" in found.warnings[0]
    with pytest.raises(InvalidInputError, match="2 of 20"):
        sc.compare(values, missing="refuse")


def test_identical_models_are_equal_and_nothing_breaks():
    level = np.linspace(0.5, 0.9, 10)
    for k in (2, 3, 5):
        found = sc.compare({f"m{i}": level for i in range(k)})
        assert all(pair.p == pair.p_adjusted == 1 for pair in found.pairs)
        assert all(pair.effect.difference == 0 for pair in found.pairs)
        assert len(set(found.ranks)) == 1
        if k > 2:
            assert found.omnibus[0].p == 1
            assert found.groups == (tuple(f"m{i}" for i in range(k)),)
        assert "gave the same results" in found.summary()
        assert "best" not in found.summary()


def test_folds_of_one_data_set_are_no_data_sets():
    level = np.linspace(0.5, 0.9, 8)
    rows = {"dataset": ["s1"] * 8, "a": level, "b": level + 0.01}
    with pytest.raises(InsufficientDataError, match="'s1' is there 8 times"):
        sc.compare(rows)
    splits = sc.compare(rows, test_ratio=0.2)
    assert splits.n == 8
    rows["dataset"] = [f"s{i}" for i in range(8)]
    assert not any("times" in text for text in sc.compare(rows).warnings)


def test_few_data_sets_promise_no_exact_level():
    values = table()
    assert "at most about 5 %" in sc.compare(values[:4]).summary()
    assert "at most 5 %" in sc.compare(values).summary()


def test_twins_among_others_are_not_told_apart():
    values = table()
    values[:, 1] = values[:, 2]
    for post_hoc in ("auto", "nemenyi", "bergmann-hommel"):
        found = sc.compare(values, post_hoc=post_hoc)
        assert found.pair("model 2", "model 3").p == 1


def test_constant_differences_of_splits_are_unknown_not_certain():
    values = np.tile([0.8, 0.7, 0.6], (10, 1)) + np.linspace(0, 0.1, 10)[:, None]
    found = sc.compare(values, test_ratio=1 / 9)
    assert all(np.isnan(pair.p_adjusted) for pair in found.pairs)
    assert not found.differ("model 1", "model 2")
    assert any("unknown" in text for text in found.warnings)
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert sc.Comparison.from_dict(saved).to_dict() == saved


def test_with_a_control_only_it_is_compared():
    found = sc.compare(named(table()), control="b")
    assert {pair.a for pair in found.pairs} == {"b"}
    assert [pair.b for pair in found.pairs] == ["a", "c", "d"]
    assert found.groups == ()
    assert found.summary().startswith("The control, b")
    dunn = sc.compare(named(table()), control="b", post_hoc="bonferroni-dunn")
    z = rank_z(table(), "ranks")[1, 0]
    wanted = min(3 * 2 * stats.norm.sf(abs(z)), 1)
    assert dunn.pair("a", "b").p_adjusted == pytest.approx(wanted)


def test_many_models_fall_back_to_shaffer():
    values = table(12, shifts=np.linspace(0, 0.1, 13))
    assert sc.compare(values, pairs="ranks").post_hoc == "shaffer"


def test_nemenyi_of_two_models_is_one_comparison():
    found = sc.compare(table(12)[:, :2], post_hoc="nemenyi")
    assert found.pairs[0].p_adjusted == found.pairs[0].p


def test_no_correction_is_said_aloud():
    found = sc.compare(table(), post_hoc="none")
    assert "NOT corrected" in found.summary()
    assert "26 %" in found.warnings[0]


# Errors


@pytest.mark.parametrize(
    ("n", "k", "needed"), [(1, 4, 2), (2, 3, 3), (5, 2, 6), (1, 2, 6)]
)
def test_too_few_data_sets_are_refused_with_the_number_needed(n, k, needed):
    with pytest.raises(InsufficientDataError, match=f"at least {needed}"):
        sc.compare(table(n)[:, :k])


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
        (table(), {"models": ["a"]}, UsageError, "1 name for 4 columns"),
        (table(), {"post_hoc": "holms"}, UsageError, "Did you mean 'holm'"),
        (table(), {"post_hoc": "bonferroni-dunn"}, UsageError, "control"),
        (table(), {"post_hoc": "nemenyi", "control": "model 1"}, UsageError, "holm"),
        (table(), {"post_hoc": "nemenyi", "pairs": "sign"}, UsageError, "ranks"),
        (table(), {"pairs": "mcnemar"}, UsageError, "wilcoxon"),
        (table(), {"rows": "cases", "pairs": "mcnemar"}, InvalidInputError,
         "1 for right"),
        (table(), {"rows": "splits"}, UsageError, "test_ratio"),
        (table(), {"rope": -0.1}, UsageError, "rope"),
        (table(), {"level": 1.0}, UsageError, "level"),
        (table(20, shifts=np.zeros(12)), {"post_hoc": "bergmann-hommel"}, UsageError,
         "shaffer"),
        ({"d": ["x"], "m": ["y"]}, {"long": ("d", "m", "s")}, InvalidInputError, "'s'"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(given, options, error, said):
    with pytest.raises(error, match=said) as caught:
        sc.compare(given, **options)
    assert "\n" not in str(caught.value)


def test_nemenyi_p_values_are_for_all_pairs():
    z = rank_z(table(), "ranks")[np.triu_indices(4, 1)]
    found = sc.compare(table(), post_hoc="nemenyi")
    np.testing.assert_allclose(
        [pair.p_adjusted for pair in found.pairs], nemenyi_p(z, 4), rtol=1e-12
    )
