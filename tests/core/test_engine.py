"""Engines: the same bytes on a cluster, with fewer workers than it began with, too."""

import contextlib
import json
import os
import pickle
import signal
import socket
from dataclasses import fields, replace

import joblib
import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier

import scorecast as sc
from scorecast._core.engine import ENGINES, active_client, read_engine
from scorecast.evaluation import NullTests
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.mixtures import Prior, Sampling, log_evidence, sample_posterior
from scorecast.mixtures.chain import start_runs
from scorecast.mixtures.sampler import Checkpoint
from scorecast.scores import best_wrong, embedding_ranks, gallery_blocks
from scorecast.scores.embedding_ranks import competitor_counts
from scorecast.scores.stored_rows import StoredRows

distributed = pytest.importorskip("distributed")
# What Dask leaves open for a moment when it ends.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def vectors():
    """Gallery with several vectors of a class, in any order, and probes; many ties."""
    rng = np.random.default_rng(0)
    gallery = rng.integers(0, 4, (300, 5)).astype(np.float32)
    gallery_class = rng.permutation(np.arange(300) % 120)
    own = rng.integers(0, 120, 200)
    return gallery, gallery[own] + rng.integers(0, 2, (200, 5)), own, gallery_class


def counted(vectors, n_groups, metric="sqeuclidean"):
    gallery, probes, own, gallery_class = vectors
    group = np.arange(120) % n_groups
    return competitor_counts(
        gallery, probes, own, gallery_class, group, n_groups=n_groups, metric=metric
    )


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(embedding_ranks, "_DIRECT_SIZE", 1000)
    monkeypatch.setattr(gallery_blocks, "_BLOCK_BYTES", 36 * 5 * 40)


@pytest.mark.parametrize("metric", ["sqeuclidean", "dot"])
@pytest.mark.parametrize("n_groups", [1, 7, 120])
def test_ranks_are_the_same_on_a_cluster(
    cluster, vectors, small_blocks, n_groups, metric
):
    here = counted(vectors, n_groups, metric)
    with sc.engine("dask", address=cluster.scheduler_address):
        assert active_client() is not None
        there = counted(vectors, n_groups, metric)
    assert active_client() is None
    for mine, theirs in zip(here, there, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


def test_of_files_only_the_names_are_sent(
    cluster, vectors, small_blocks, tmp_path, monkeypatch
):
    here = counted(vectors, 3)
    sent = []
    known = distributed.Client.scatter
    monkeypatch.setattr(
        distributed.Client,
        "scatter",
        lambda self, data, **facts: sent.extend(data) or known(self, data, **facts),
    )
    mapped = []
    for name, matrix in zip(("gallery", "probes"), vectors, strict=False):
        np.save(tmp_path / f"{name}.npy", np.ascontiguousarray(matrix))
        mapped.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    with sc.engine("dask", address=cluster.scheduler_address):
        there = counted((*mapped, *vectors[2:]), 3)
    np.testing.assert_array_equal(here[0], there[0])
    vectors_sent = [part[1] for part in sent if isinstance(part[0], np.ndarray)]
    assert {type(part).__name__ for part in vectors_sent} == {"StoredRows"}


def test_answers_have_the_same_bytes_on_every_engine(cluster):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)

    def answer():
        found = sc.permutation_test("tree", X, y, cv=3, n_permutations=20)
        return json.dumps(found.to_dict())

    here = answer()
    with sc.engine("dask", address=cluster.scheduler_address):
        assert answer() == here
    with (
        distributed.Client(cluster) as client,
        joblib.parallel_config("dask", client=client),
    ):
        assert answer() == here


@pytest.fixture
def killed_after_the_first(monkeypatch):
    """A cluster of which a worker is killed when the first result is there."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as own:
        victim = next(iter(own.workers.values())).process.pid
        seen = []

        def track(items, *, total=None, **facts):
            for number, item in enumerate(items):
                if active_client() is not None:
                    if not seen:
                        os.kill(victim, signal.SIGKILL)
                    seen.append((number, total))
                yield item

        monkeypatch.setattr("scorecast._core.engine.track", track)
        monkeypatch.setattr("scorecast._core.parallel.track", track)
        yield own.scheduler_address, seen
        pids = [worker.process.pid for worker in own.workers.values()]
    assert victim not in pids


def killed_in_the_middle(seen):
    """Tell whether much was left to do, and all of it was done."""
    numbers, totals = zip(*seen, strict=True)
    return numbers[0] == 0 and totals[0] >= 10 and len(seen) >= totals[0]


def test_a_worker_that_is_killed_is_replaced(
    vectors, small_blocks, killed_after_the_first
):
    address, seen = killed_after_the_first
    here = counted(vectors, 5)
    with sc.engine("dask", address=address):
        there = counted(vectors, 5)
    assert killed_in_the_middle(seen)
    np.testing.assert_array_equal(here[0], there[0])
    np.testing.assert_array_equal(here[1], there[1])


@pytest.mark.parametrize(
    "piece", ["backtest", pytest.param("permutation_test", marks=pytest.mark.slow)]
)
def test_fits_go_on_without_a_worker_that_is_killed(piece, killed_after_the_first):
    address, seen = killed_after_the_first
    here = answer_of(piece)
    with sc.engine("dask", address=address):
        assert answer_of(piece) == here
    assert killed_in_the_middle(seen)


# --- every piece ----------------------------------------------------------------------


QUICK_TESTS = NullTests(n_permutations=20, n_null_data=5)


def answer_of(piece):
    """Return the bytes of an answer that has many parts."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    scores = rng.normal(size=(40, 40)) + 2 * np.eye(40)
    model = KNeighborsClassifier(3)  # no way around its fits
    call = {
        "permutation_test": lambda: sc.permutation_test(
            BernoulliNB(), X, y, cv=3, n_permutations=200
        ),
        "backtest": lambda: sc.backtest(
            scores, range(40), methods=["bayesian", "spline"], n_repeats=12
        ),
        "learning_curve": lambda: sc.learning_curve(
            model, X, y, sizes=[10, 20, 30], n_repeats=4
        ),
        "settings": lambda: sc.assess_settings(
            model, _made, {"gap": [0.0, 2.0]}, cv=3, quick=True
        ),
        "identify": lambda: sc.identify(X[:, :3], X @ X[:5, :4], n_splits=3),
        "reproduce": lambda: sc.reproduce("001-sec-5.1", n_repeats=3),
        "assess": lambda: sc.assess(model, X, y, cv=3, tests=QUICK_TESTS),
    }[piece]
    return json.dumps(_timeless(call().to_dict()))


def _made(gap=1.0, random_state=0):
    rng = np.random.default_rng(random_state)
    y = np.arange(40) % 2
    return rng.normal(size=(40, 2)) + gap * y[:, None], y


def _timeless(value):
    """Leave out how long things took."""
    if isinstance(value, dict):
        timed = ("seconds", "cpu_seconds")
        return {key: _timeless(v) for key, v in value.items() if key not in timed}
    return [_timeless(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "piece",
    [
        *("backtest", "learning_curve", "settings", "identify"),
        pytest.param("reproduce", marks=pytest.mark.slow),
        pytest.param("assess", marks=pytest.mark.slow),
    ],
)
def test_every_piece_has_the_same_bytes_on_a_cluster(cluster, piece, monkeypatch):
    here = answer_of(piece)
    submitted = []
    known = distributed.Client.submit
    monkeypatch.setattr(
        distributed.Client,
        "submit",
        lambda self, *given, **facts: (
            submitted.append(given) or known(self, *given, **facts)
        ),
    )
    with sc.engine("dask", address=cluster.scheduler_address):
        there = answer_of(piece)
    assert json.loads(there) == json.loads(here)
    assert submitted


@pytest.mark.parametrize("kind", ["memory", "npy", "zarr", "parquet"])
def test_tails_have_the_same_bytes_on_a_cluster(
    cluster, small_blocks, tmp_path, monkeypatch, kind
):
    """Of galleries in memory and of those that workers read by rows."""
    monkeypatch.setattr(best_wrong, "LARGE_VALUES", 100)
    monkeypatch.setattr("scorecast.scores.embeddings.LARGE_VALUES", 100)
    monkeypatch.setattr("scorecast.scores.stored_rows._SMALL_VALUES", 0)
    rng = np.random.default_rng(5)
    gallery = rng.normal(size=(90, 5)).astype(np.float32)
    probes = gallery + rng.normal(size=(90, 5)).astype(np.float32)
    place = _stored(gallery, kind, tmp_path)

    def answer(vectors):
        data = sc.Embeddings(vectors, probes, range(90))
        found = sc.extrapolate(data, to=1000, method="tail", backtest=0, compare=False)
        return json.dumps(found.to_dict())

    here = answer(gallery)
    sent = []
    known = distributed.Client.scatter
    monkeypatch.setattr(
        distributed.Client,
        "scatter",
        lambda self, data, **facts: sent.extend(data) or known(self, data, **facts),
    )
    with sc.engine("dask", address=cluster.scheduler_address):
        assert answer(place) == here
    # Of counts and of tails.
    assert {len(part) for part in sent} >= {2, 3, 4}
    largest = max(len(pickle.dumps(part)) for part in sent)
    assert largest <= gallery_blocks._BLOCK_BYTES
    if kind != "memory":
        blocks = [part[1] for part in sent if len(part) == 3 and len(part[0]) != 2]
        assert {type(block) for block in blocks if hasattr(block, "shape")} <= {
            StoredRows,
            np.ndarray,
        }


def _stored(values, kind, folder):
    path = folder / f"gallery.{kind}"
    if kind == "memory":
        return values
    if kind == "npy":
        np.save(path, values)
    elif kind == "zarr":
        zarr = pytest.importorskip("zarr")
        array = zarr.create_array(
            str(path), shape=values.shape, dtype="f4", chunks=(16, values.shape[1])
        )
        array[:] = values
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        table = pytest.importorskip("pyarrow").table(list(values.T), list("abcde"))
        parquet.write_table(table, path, row_group_size=20)
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dusk", "dask"),
        ("dask://", "dask://HOST:8786"),
        ("dask://host", "dask://HOST:8786"),
        ("dask://127.0.0.1:99999999", "dask://HOST:8786"),
        ("dask://127.0.0.1:0", "dask://HOST:8786"),
        ("local://host:1", "dask://HOST:8786"),
    ],
)
def test_engines_that_are_none(text, words):
    with pytest.raises(UsageError, match=words):
        read_engine(text)


@pytest.mark.filterwarnings("error:Port")
def test_a_cluster_of_ours_serves_no_pages_and_says_nothing(capfd):
    def listens(port):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    def port_of(dask_worker=None, dask_scheduler=None):
        return (dask_worker or dask_scheduler).http_server.port

    with socket.socket() as taken:
        # Where Dask would serve its pages; somebody else may have it already.
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with sc.engine("dask"):
            client = active_client()
            assert listens(int(client.scheduler.address.rpartition(":")[2]))
            ports = client.run(port_of).values()
            assert not any(map(listens, [*ports, client.run_on_scheduler(port_of)]))
            assert client.run(_hears_interrupts) == dict.fromkeys(
                client.scheduler_info()["workers"], False
            )
    assert capfd.readouterr() == ("", "")


def _hears_interrupts():
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_an_address_belongs_to_an_engine_that_has_one():
    assert set(ENGINES) == {"local", "dask"}
    with (
        pytest.raises(UsageError, match="has no address"),
        sc.engine("local", address="x"),
    ):
        pass


def test_where_nobody_answers_it_is_said(monkeypatch):
    monkeypatch.setattr("scorecast._core.engine._SECONDS", 1)
    with (
        pytest.raises(InvalidInputError, match="no scheduler of Dask answers"),
        sc.engine("dask", address="tcp://127.0.0.1:9"),
    ):
        pass


def test_the_command_line_has_an_engine(cluster, tmp_path):
    from scorecast.cli.main import _run

    rng = np.random.default_rng(0)
    table = tmp_path / "data.csv"
    rows = [f"{x:.4f},{z:.4f},{x > 0:d}" for x, z in rng.normal(size=(40, 2))]
    table.write_text("\n".join(["a,b,y", *rows]) + "\n")
    call = ["assess", str(table), "--target=y", "--model=tree", "--cv=3", "--quick"]
    place = cluster.scheduler_address.removeprefix("tcp://")
    made = []
    for number, engine in enumerate(("local", f"dask://{place}")):
        path = tmp_path / f"{number}.json"
        assert _run([*call, f"--engine={engine}", "--quiet", f"--json={path}"]) == 0
        made.append(path.read_bytes())
    assert made[0] == made[1]
    assert _run([*call, "--engine=dusk"]) == 2


# --- chains ---------------------------------------------------------------------------

# Seconds enough that a slow machine, or one that compiles, goes on as often.
SHORT = Sampling(
    n_chains=4, n_warmup=80, n_draws=160, n_kept=40, n_extensions=1, max_seconds=1e6
)


def chain_answer(piece, **options):
    """Return the bytes of what chains drew, of values that need several components."""
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(-1, 0.1, 150), rng.normal(1, 0.3, 150)])
    prior = Prior.information()
    if piece == "posterior":
        found = sample_posterior(
            values, prior=prior, sampling=SHORT, random_state=0, **options
        )
        kept = [getattr(one, f.name) for one in found.kept for f in fields(one)]
        return b"".join(
            np.ascontiguousarray(array).tobytes()
            for array in (
                found.means,
                found.centres,
                found.n_components,
                found.log_likelihood,
                found.n_components_warmup,
                *kept,
            )
        )
    if piece == "evidence":
        found = log_evidence(
            values,
            prior=prior,
            betas=np.linspace(0, 1, 8) ** 3,
            sampling=SHORT,
            random_state=0,
        )
        return repr((found.value, found.stderr)).encode()
    t = np.exp(values[:60])
    model = sc.survival.SurvivalModel(
        sampling=replace(SHORT, n_chains=2), random_state=0
    )
    fitted = model.set_params(allow_unconverged=True).fit(
        values[:60, None], t, values[:60] < 1.2
    )
    found = fitted.predict_log(values[:5, None], np.ones((5, 1)))
    return b"".join(array.tobytes() for array in found)


@pytest.mark.parametrize(
    "piece", ["posterior", "evidence", pytest.param("survival", marks=pytest.mark.slow)]
)
def test_chains_have_the_same_bytes_on_a_cluster(cluster, piece, monkeypatch):
    here = chain_answer(piece)
    submitted = []
    known = distributed.Client.submit
    monkeypatch.setattr(
        distributed.Client,
        "submit",
        lambda self, *given, **facts: (
            submitted.append(given) or known(self, *given, **facts)
        ),
    )
    with sc.engine("dask", address=cluster.scheduler_address):
        there = chain_answer(piece)
    assert there == here
    assert len(submitted) >= 8


def test_chains_go_on_without_a_worker_that_is_killed(killed_after_the_first):
    address, seen = killed_after_the_first
    here = chain_answer("evidence")
    with sc.engine("dask", address=address):
        assert chain_answer("evidence") == here
    assert killed_in_the_middle(seen)


def test_a_run_goes_on_from_a_checkpoint_on_another_engine(
    cluster, tmp_path, monkeypatch
):
    here = chain_answer("posterior")
    file = tmp_path / "chains.npz"
    known, rounds = Checkpoint.note, []

    def note(self, runs, stage):
        known(self, runs, stage)
        rounds.append(stage)
        if len(rounds) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "note", note)
    with (
        sc.engine("dask", address=cluster.scheduler_address),
        pytest.raises(KeyboardInterrupt),
    ):
        chain_answer("posterior", checkpoint=file)
    assert chain_answer("posterior", checkpoint=file) == here


def test_what_is_sent_of_a_chain_are_its_cases_and_its_mixture():
    values = np.random.default_rng(0).normal(size=(5000, 1))
    (run,) = start_runs(
        values, Prior.information().constants(), SHORT, [np.random.default_rng(0)]
    )
    assert len(pickle.dumps(run)) < 4 * values.nbytes  # densities are as much again
