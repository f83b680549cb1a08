"""Every method keeps what it claims; a new one is known everywhere by itself."""

import importlib
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

import scorecast as sc
from scorecast.cli import compare as verb
from scorecast.comparison import (
    OMNIBUS_TESTS,
    PAIR_TESTS,
    POST_HOC,
    POSTERIORS,
    Estimand,
    Grouping,
    PairOutcome,
    PairTest,
    RowKind,
)
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.report.document import methods_document

RNG = np.random.default_rng(0)
OF_PAIRS = [name for name, test in PAIR_TESTS.items() if test.evaluate]


def given(test, n=12, seed=0, scale=0.3):
    """Return two models and what else a test needs."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(scale, 1, n), rng.normal(0, 1, n)
    options = {"test": test.name, "n_resamples": 199}
    if test.takes == {RowKind.SPLITS}:
        options["test_ratio"] = 0.25
        if test.test_ratio == 1:  # of five times two folds
            a, b = a[:10], b[:10]
    elif test.needs_labels:
        a, b = (a > 0) * 1, (b > 0) * 1
    elif test.estimand is Estimand.AUC:
        options["y_true"] = np.arange(n) % 2
    if test.grouping is Grouping.REQUIRED:
        options["groups"] = np.arange(n) // 2
    return a, b, options


@pytest.mark.parametrize("name", OF_PAIRS)
@pytest.mark.parametrize("seed", range(3))
def test_claims_of_a_test_of_pairs_are_true(name, seed):
    test = PAIR_TESTS[name]
    a, b, options = given(test, seed=seed)
    found = sc.compare_pair(a, b, **options)
    assert 0 <= found.p_value <= 1
    assert found.test == name
    n = found.n_groups or found.n_rows
    assert found.p_value >= test.smallest_p(n, 2) * (1 - 1e-12)
    back = sc.compare_pair(b, a, **options)
    assert back.difference == pytest.approx(-found.difference, abs=1e-12)
    near = 0.05 if test.is_drawn else 1e-9
    assert back.p_value == pytest.approx(found.p_value, abs=near)
    if test.is_invariant_to_order and test.grouping is not Grouping.REQUIRED:
        order = np.random.default_rng(seed).permutation(len(a))
        mixed = dict(options)
        if "y_true" in mixed:
            mixed["y_true"] = mixed["y_true"][order]
        other = sc.compare_pair(a[order], b[order], **mixed)
        assert other.p_value == pytest.approx(found.p_value, abs=near)
    if test.posterior is None:
        with pytest.raises(UsageError) as caught:
            sc.compare_pair(a, b, rope=0.1, **options)
        assert caught.value.parameter == "rope"
    else:
        chances = sc.compare_pair(a, b, rope=0.1, **options).posterior
        whole = chances.first_lower + chances.equal + chances.first_higher
        assert whole == pytest.approx(1)


@pytest.mark.parametrize("name", OF_PAIRS)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_number_of_rows_that_is_needed_is_enough_and_the_least(name, alpha):
    test = PAIR_TESTS[name]
    if test.test_ratio == 1 or test.estimand is Estimand.AUC:
        return  # ten folds, or samples by class
    n = test.min_samples(alpha)
    options = {"test": name, "confidence_level": 1 - alpha}
    if test.is_of_folds:
        options["test_ratio"] = 0.1
    gaps = np.ones(n) if test.needs_labels else 1 + np.arange(n) / 1e6
    if test.grouping is Grouping.REQUIRED:
        options["groups"] = np.arange(n)
    found = sc.compare_pair(gaps, 0 * gaps, **options)
    assert found.p_value <= alpha + 1e-12
    few = {**options, "groups": np.arange(n - 1)} if "groups" in options else options
    with pytest.raises(InsufficientDataError, match=f"at least {n} "):
        sc.compare_pair(gaps[1:], 0 * gaps[1:], **few)


@pytest.mark.parametrize("name", [n for n in OF_PAIRS if PAIR_TESTS[n].is_exact])
def test_an_exact_test_counts_every_sign(name):
    test = PAIR_TESTS[name]
    sizes = np.ones(9) if test.needs_labels else np.array([1.0, 2, 2, 3, 5, 7, 7, 8, 9])
    p = []
    for signs in product((0, 1), repeat=9):
        first = np.where(signs, sizes, 0.0)
        found = sc.compare_pair(first, sizes - first, test=name)
        p.append(found.p_value)
    for level in np.unique(p):
        kept = np.mean(np.array(p) <= level * (1 + 1e-12))
        assert kept <= level * (1 + 1e-9)


@pytest.mark.parametrize("name", OF_PAIRS)
def test_groups_are_used_as_a_test_claims(name):
    test = PAIR_TESTS[name]
    a, b, options = given(test, n=24)
    if test.test_ratio == 1:
        options["groups"] = np.arange(10) // 2
    else:
        options["groups"] = np.arange(24) // 2
    if test.grouping is Grouping.NO:
        with pytest.raises(UsageError) as caught:
            sc.compare_pair(a, b, **options)
        assert caught.value.parameter == "groups"
        return
    assert sc.compare_pair(a, b, **options).n_groups == 12


@pytest.mark.parametrize("name", POST_HOC)
def test_claims_of_a_correction_are_true(name):
    post_hoc = POST_HOC[name]
    values = RNG.normal(size=(20, 4)) + np.arange(4)
    control = "model 1" if post_hoc.needs_control else None
    if post_hoc.needs_control:
        with pytest.raises(UsageError):
            sc.compare(values, post_hoc=name)
    found = sc.compare(values, post_hoc=name, control=control)
    assert (found.test == "ranks") == post_hoc.of_mean_ranks
    raw = np.array([pair.p_value for pair in found.pairs])
    adjusted = np.array([pair.p_adjusted for pair in found.pairs])
    if post_hoc.controls_familywise and post_hoc.range_p is None:
        assert np.all(adjusted >= raw - 1e-12)
    if not post_hoc.controls_familywise:
        assert np.array_equal(raw, adjusted)
    if post_hoc.all_pairs_only:
        with pytest.raises(UsageError):
            sc.compare(values, post_hoc=name, control="model 1")
    if post_hoc.is_of_ranks_alone:
        with pytest.raises(UsageError):
            sc.compare(values, post_hoc=name, control=control, test="wilcoxon")
    if post_hoc.max_models:
        with pytest.raises(UsageError):
            sc.compare(RNG.normal(size=(20, 12)), post_hoc=name)


@pytest.mark.parametrize(
    "registry", [PAIR_TESTS, POST_HOC, OMNIBUS_TESTS, POSTERIORS], ids=len
)
def test_every_method_says_what_it_is(registry):
    for name, method in registry.items():
        assert method.name == name
        assert method.title
        assert method.summary
        for work in getattr(method, "works", ()):
            assert " (" in work
    table = methods_document("Methods", registry).sections[0].tables[0]
    assert len(table.rows) == len(registry)


@pytest.mark.parametrize("test", PAIR_TESTS.values(), ids=PAIR_TESTS)
def test_a_title_that_begins_with_a_name_takes_no_article(test):
    is_named = test.title.split()[0].endswith("'s")
    assert test.begins_with_name == is_named


# A new test of pairs: one object, known to library, shell, help and reference.

TOY = PairTest(
    name="coin",
    title="toss of a coin",
    summary="never wrong, never right",
    reference="N. Obody (2026). Coins. Journal of Toys 1.",
    assumes=("the coin is fair",),
    evaluate=lambda data, how: PairOutcome(
        statistic=0.0,
        p_value=1.0,
        difference=float(data.gaps.mean()),
        low=-how.confidence_level,
        high=how.confidence_level,
        direction=0,
    ),
    takes=frozenset({RowKind.DATASETS}),
    takes_many=True,
)


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(PAIR_TESTS, TOY.name, TOY)
    yield importlib.reload(verb)
    monkeypatch.undo()
    importlib.reload(verb)


def test_a_new_test_touches_one_file_only(toy, tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{x:.3f},{y:.3f},{z:.3f}" for x, y, z in RNG.normal(size=(9, 3))]
    path.write_text("\n".join(["a,b,c", *lines]))
    runner = CliRunner()
    shown = runner.invoke(toy.command, ["--help"]).output
    assert "coin" in shown
    assert "never wrong, never right" in shown
    done = runner.invoke(toy.command, [str(path), "--test", "coin"])
    assert "toss of a coin" in " ".join(done.output.split())
    assert "the coin is fair" in done.output
    values = RNG.normal(size=(2, 9))
    assert sc.compare_pair(*values, test="coin").p_value == 1
    assert sc.compare(values.T, test="coin").test == "coin"
    assert "Obody 2026" in sc.render(sc.compare(values.T, test="coin"), "paragraph")
    document = methods_document("Tests", PAIR_TESTS)
    assert any(row[0] == "coin" for row in document.sections[0].tables[0].rows)
    assert TOY.reference in document.references
