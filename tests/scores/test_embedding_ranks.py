import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores import DISTANCES, embedding_ranks
from scorecast.scores.embedding_ranks import competitor_counts

METRICS = tuple(DISTANCES)
KINDS = (
    "grid",
    "offset 1e4",
    "offset 1e6",
    "scales",
    "duplicates",
    "identical",
    "huge",
    "tiny",
    "outliers",
    "overflow",
    "far gallery",
    "far probes",
    "permuted features",
    "half digits",
    "vanishing",
)


def count(problem, *, path, metric, n_jobs=None, **settings):
    """Run one path, with module settings such as ``_TILE_WIDTH`` replaced."""
    gallery, probes, own, gallery_class, group = problem
    settings["_DIRECT_SIZE"] = {"plain": 10**18, "tiles": -1}[path]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setattr(embedding_ranks, name, value)
        return competitor_counts(
            gallery,
            probes,
            own,
            gallery_class,
            group,
            n_groups=int(group.max()) + 1,
            metric=metric,
            n_jobs=n_jobs,
        )


def by_definition(problem, metric):
    """Count pair by pair with Python floats."""
    gallery, probes, own, gallery_class, group = problem
    gallery = gallery.astype(float)
    if metric == "cosine":
        norms = [sum(x * x for x in row) ** 0.5 for row in gallery.tolist()]
        gallery = gallery / np.array(norms)[:, None]
    above, tied = np.zeros((2, len(probes), group.max() + 1), dtype=int)
    for e, probe in enumerate(probes.astype(float).tolist()):
        best = {}
        for vector, c in zip(gallery.tolist(), gallery_class, strict=True):
            pairs = zip(vector, probe, strict=True)
            if metric == "sqeuclidean":
                score = -sum((x - y) * (x - y) for x, y in pairs)
            else:
                score = sum(x * y for x, y in pairs)
            best[c] = max(score, best.get(c, score))
        truth = best.pop(own[e])
        for c, score in best.items():
            above[e, group[c]] += score > truth
            tied[e, group[c]] += score == truth
    return above, tied


def make(seed, kind, *, n=150, m=400, d=6, n_classes=None, n_groups=3):
    """Draw a problem that is hard in one way."""
    rng = np.random.default_rng(seed)
    gallery, probes = rng.standard_normal((m, d)), rng.standard_normal((n, d))
    if kind == "grid":
        gallery, probes = np.rint(2 * gallery), np.rint(2 * probes)
        gallery[~gallery.any(axis=1)], probes[~probes.any(axis=1)] = 1, 1
    elif kind.startswith("offset"):
        gallery, probes = (a + float(kind.split()[1]) for a in (gallery, probes))
    elif kind == "scales":
        factors = 10.0 ** rng.uniform(-6, 6, d)
        gallery, probes = gallery * factors, probes * factors
    elif kind == "duplicates":
        gallery = gallery[rng.integers(0, m // 4, m)]
        probes = gallery[rng.integers(0, m, n)]
    elif kind == "identical":
        gallery[:], probes[:] = gallery[0], gallery[0]
    elif kind == "huge":
        gallery, probes = gallery * 1e60, probes * 1e60
    elif kind == "tiny":
        gallery, probes = gallery * 1e-160, probes * 1e-160
    elif kind == "outliers":
        gallery[::50] *= 1e5
        gallery[-1] *= 1e45
        probes[-1] *= 1e42
    elif kind == "overflow":
        gallery[::10] *= 1e39
    elif kind == "far gallery":
        gallery += 1e11
    elif kind == "far probes":
        # The reference itself has few digits left, fewer than float32 after centring.
        probes *= 1e13
    elif kind == "permuted features":
        # Equal on paper: the last bit depends on the order of the sum, and on nothing
        # being fused.
        gallery, probes = rng.permuted(np.tile(gallery[0], (m, 1)), axis=1), probes * 0
        probes += 1 / 3
    elif kind == "half digits":
        # Half-way between numbers of float32: each is rounded as far as can be.
        steps = 0.5 + rng.normal(0, 0.01, (m, d))
        gallery, probes = 1 + steps * 2.0**-23, 1 + rng.random((n, d))
    elif kind == "vanishing":
        # Beside vectors of usual size these underflow in float32.
        gallery[: m // 3] *= 1e-44
    n_classes = n_classes or m
    gallery_class = np.r_[:n_classes, rng.integers(0, n_classes, m - n_classes)]
    return (
        gallery,
        probes,
        rng.integers(0, n_classes, n),
        rng.permutation(gallery_class),
        rng.permutation(np.arange(n_classes) % n_groups),
    )


def assert_same(left, right):
    for a, b in zip(left, right, strict=True):
        np.testing.assert_array_equal(a, b)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(("normal", *KINDS)),
    metric=st.sampled_from(METRICS),
    dtypes=st.tuples(*[st.sampled_from((np.float32, np.float64))] * 2),
    sizes=st.tuples(*[st.integers(2, 12)] * 3),
    n_features=st.integers(1, 7),
    path=st.sampled_from(("plain", "tiles")),
)
def test_counts_are_those_of_the_definition(
    seed, kind, metric, dtypes, sizes, n_features, path
):
    # Norms of tiny vectors need care that the plain definition does not take.
    assume((kind, metric) != ("tiny", "cosine"))
    n, n_classes, extra = sizes
    m, n_groups = n_classes + extra, 1 + seed % n_classes
    problem = make(
        seed, kind, n=n, m=m, d=n_features, n_classes=n_classes, n_groups=n_groups
    )
    if kind not in {"huge", "tiny", "outliers", "overflow", "vanishing"}:
        vectors = (a.astype(t) for a, t in zip(problem[:2], dtypes, strict=True))
        problem = (*vectors, *problem[2:])
    got = count(problem, path=path, metric=metric, _TILE_WIDTH=8, _BLOCK_ROWS=4)
    assert_same(got, by_definition(problem, metric))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n_features", "n_classes"), [(2, 300), (6, 400), (50, 90)])
def test_both_paths_agree(kind, metric, n_features, n_classes):
    problem = make(1, kind, d=n_features, n_classes=n_classes)
    plain = count(problem, path="plain", metric=metric)
    tiles = count(problem, path="tiles", metric=metric, _TILE_WIDTH=128)
    assert_same(plain, tiles)
    assert plain[0].dtype == tiles[0].dtype


@pytest.mark.parametrize("n_classes", [400, 90, 3])
def test_blocks_and_threads_do_not_change_the_counts(n_classes):
    problem = make(2, "grid", n_classes=n_classes)
    whole = count(problem, path="tiles", metric="sqeuclidean", n_jobs=1)
    for n_jobs in (1, 2):
        for width, rows in ((16, 7), (100, 64)):
            changed = {"_TILE_WIDTH": width, "_BLOCK_ROWS": rows}
            cut = count(
                problem, path="tiles", metric="sqeuclidean", n_jobs=n_jobs, **changed
            )
            assert_same(whole, cut)
    blocked = count(problem, path="plain", metric="sqeuclidean", _DIRECT_PAIRS=1)
    assert_same(whole, blocked)


@pytest.mark.parametrize("kind", ["grid", "outliers"])
@pytest.mark.parametrize("n_classes", [90, 400])
@pytest.mark.parametrize("n_groups", [2, 7, 13, 90])
def test_any_grouping_agrees_between_paths(kind, n_classes, n_groups):
    problem = make(3, kind, n_classes=n_classes, n_groups=n_groups)
    plain = count(problem, path="plain", metric="dot")
    for width in (40, 512):
        tiles = count(problem, path="tiles", metric="dot", _TILE_WIDTH=width)
        assert_same(plain, tiles)


def test_a_run_is_of_one_group_only_if_all_of_it_is():
    # Where the vectors become longer the groups start over.
    groups = np.r_[np.full(10, 3), np.arange(4), np.full(10, 3)]
    (run,) = embedding_ranks._runs(groups, np.ones(24, dtype=int))
    assert run.tolist() == [0, 24, -1]


@pytest.mark.parametrize("path", ["plain", "tiles"])
@pytest.mark.parametrize("n_groups", [2, 7, 90])
def test_groups_add_up_to_the_plain_rank(path, n_groups):
    problem = make(3, "grid", n_classes=90, n_groups=n_groups)
    single = (*problem[:4], np.zeros(90, dtype=int))
    grouped = count(problem, path=path, metric="dot")
    for parts, total in zip(
        grouped, count(single, path=path, metric="dot"), strict=True
    ):
        np.testing.assert_array_equal(parts.sum(axis=1), total[:, 0])


@pytest.mark.parametrize("path", ["plain", "tiles"])
def test_identical_vectors_all_tie(path):
    problem = make(4, "identical", n_groups=1)
    above, tied = count(problem, path=path, metric="cosine")
    assert not above.any()
    assert (tied == 399).all()


@pytest.mark.parametrize("path", ["plain", "tiles"])
@pytest.mark.parametrize(
    ("n_classes", "dtype"), [(255, np.uint8), (256, np.uint16), (65536, np.uint32)]
)
def test_counts_use_the_smallest_type(path, n_classes, dtype):
    problem = make(5, "normal", n=2, m=n_classes, d=1, n_groups=1)
    above, tied = count(problem, path=path, metric="sqeuclidean")
    assert above.dtype == tied.dtype == dtype
    assert above.shape == (2, 1)


@pytest.mark.parametrize("kind", ["offset 1e4", "offset 1e6", "duplicates"])
def test_without_the_rounding_band_the_counts_are_wrong(kind):
    def no_band(probe_norm, vector_norm, *_):
        return np.zeros(np.broadcast(probe_norm, vector_norm).shape)

    problem = make(6, kind)
    plain = count(problem, path="plain", metric="sqeuclidean")
    broken = count(problem, path="tiles", metric="sqeuclidean", _band=no_band)
    assert any((a != b).any() for a, b in zip(plain, broken, strict=True))


@pytest.mark.parametrize("metric", ["sqeuclidean", "dot"])
@pytest.mark.parametrize("kind", ["normal", "offset 1e6", "scales", "huge", "outliers"])
def test_the_rounding_band_leaves_few_pairs_in_doubt(kind, metric):
    in_doubt = []
    real = embedding_ranks._limits

    def watch(rounded, norm, exponent, layout, *rest):
        limits = real(rounded, norm, exponent, layout, *rest)
        scores = rounded @ layout.rounded
        low, high = limits[:, 0, :, None], limits[:, 1, :, None]
        in_doubt.append(np.mean(~((scores < low) | (scores > high))))
        return limits

    changed = {"_limits": watch, "_TILE_WIDTH": 20}
    count(make(7, kind, d=32), path="tiles", metric=metric, n_jobs=1, **changed)
    # The true class always is, one in 400; so is the tile where the outliers are.
    assert np.mean(in_doubt) < (0.07 if kind == "outliers" else 0.004)


def test_memory_does_not_grow_with_the_pairs():
    code = """
import resource
import numpy as np
from scorecast.scores import embedding_ranks
from scorecast.scores.embedding_ranks import competitor_counts
def run(n):
    x = np.random.default_rng(0).standard_normal((n, 16), dtype=np.float32)
    c = np.arange(n)
    competitor_counts(x, x, c, c, 0 * c, n_groups=1, metric="sqeuclidean")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
embedding_ranks._DIRECT_SIZE = 0
print(-run(1000) + run(20_000))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    # Scores of all pairs would take 1600 MB.
    assert int(done.stdout) < 60


def test_small_problems_do_not_load_numba():
    code = """
import sys
from scorecast.scores.embedding_ranks import competitor_counts
x = [[0.0], [1.0]]
competitor_counts(x, x, [0, 1], [0, 1], [0, 0], n_groups=1, metric="dot")
print("numba" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", ["gallery", "probes"])
def test_cosine_refuses_a_vector_without_direction(name):
    problem = make(8, "normal")
    problem[0 if name == "gallery" else 1][4] = 0
    with pytest.raises(InvalidInputError, match=f"{name}`, row 5"):
        count(problem, path="plain", metric="cosine")


def test_cosine_accepts_vectors_whose_squares_vanish():
    problem = make(8, "normal")
    small = (problem[0] * 2.0**-600, *problem[1:])
    for path in ("plain", "tiles"):
        same = (count(p, path=path, metric="cosine") for p in (problem, small))
        assert_same(*same)


@pytest.mark.parametrize(
    ("position", "value", "match"),
    [
        (0, np.full((400, 6), 1e151), "beyond 1e\\+150"),
        (1, np.ones((150, 5)), "6 features and probes 5"),
        (1, np.full((150, 6), np.nan), "not finite"),
        (2, np.full(150, 400), "own`: must lie between 0 and 399"),
        (2, np.zeros(149, dtype=int), "own`: must have shape"),
        (3, np.zeros(400, dtype=int), "class 1 has no vector"),
        (4, np.full(400, -1), "group`: must lie between 0"),
    ],
)
def test_what_does_not_fit_is_refused(position, value, match):
    problem = list(make(9, "normal"))
    problem[position] = value
    with pytest.raises(InvalidInputError, match=match):
        competitor_counts(*problem, n_groups=3, metric="sqeuclidean")


def test_an_unknown_metric_is_refused():
    with pytest.raises(UsageError, match="metric"):
        count(make(9, "normal"), path="plain", metric="euclidean")
