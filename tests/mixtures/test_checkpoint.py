"""Checkpoints of the sampler in anger: whatever they hold, it is no fault of ours."""

import hashlib
import io
import json
import random
import zipfile

import numpy as np
import pytest

from scorecast.exceptions import CheckpointError
from scorecast.mixtures import Prior, Sampling
from scorecast.mixtures.chain import start_runs
from scorecast.mixtures.sampler import Checkpoint

MANY = [
    200,
    pytest.param(20_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
]
VALUES = np.random.default_rng(0).normal(size=(12, 1))
SHORT = Sampling(n_chains=2, n_warmup=4, n_draws=8, n_kept=4, starts=(1, 3))
PRIOR = Prior.information()


def begin(path):
    """Return the checkpoint and the chains of a run, none of which has moved."""
    streams = np.random.default_rng(1).spawn(SHORT.n_chains)
    store = Checkpoint(path, VALUES, PRIOR, SHORT, streams)
    return store, start_runs(VALUES, PRIOR.constants(), SHORT, streams)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a checkpoint of two chains, nine sweeps along."""
    path = tmp_path_factory.mktemp("whole") / "state.npz"
    store, runs = begin(path)
    for run in runs:
        run.advance(9)
    store.note(runs, 0)
    store.save()
    return path.read_bytes()


def packed(whole, change):
    """Pack a checkpoint anew with another header and arrays, checksums and all."""
    with np.load(io.BytesIO(whole)) as saved:
        arrays = dict(saved)
    header = json.loads(arrays.pop("header").tobytes())
    del arrays["check"], header["checks"]
    header = change(header, arrays) or header
    if isinstance(header, dict) and "checks" not in header:
        header["checks"] = {}
        for name, array in arrays.items():
            kind = f"{array.dtype.str} {array.shape} ".encode()
            digest = hashlib.sha256(kind + np.ascontiguousarray(array).tobytes())
            header["checks"][name] = digest.hexdigest()
    text = json.dumps(header).encode()
    arrays["header"] = np.frombuffer(text, dtype=np.uint8)
    arrays["check"] = np.array(hashlib.sha256(text).hexdigest())
    target = io.BytesIO()
    np.savez(target, **arrays)
    return target.getvalue()


def load(path):
    store, runs = begin(path)
    stage = store.load(runs)
    return stage, [run.chain.snapshot() for run in runs], [run.done for run in runs]


def test_a_checkpoint_packed_anew_is_the_same(whole, tmp_path):
    path = tmp_path / "state.npz"
    path.write_bytes(packed(whole, lambda header, arrays: None))
    assert load(path)[2] == [9, 9]
    path.write_bytes(b"")  # such as mktemp makes
    assert load(path)[2] == [0, 0]


def header_with(**changes):
    def change(header, arrays):
        header.update(changes)

    return change


def without(name):
    def change(header, arrays):
        del header[name]

    return change


def run_with(**changes):
    def change(header, arrays):
        header["runs"][1].update(changes)

    return change


def array_with(name, value):
    def change(header, arrays):
        arrays[name] = value(arrays[name])

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: [1],
        lambda header, arrays: "text",
        without("runs"),
        without("stage"),
        header_with(runs=[]),
        header_with(runs={}),
        header_with(runs=[1, 2]),
        header_with(runs=[{}, {}]),
        header_with(stage="zz"),
        header_with(stage=-1),
        header_with(stage=None),
        header_with(checks=[]),
        header_with(checks=None),
        run_with(stream=None),
        run_with(stream={}),
        run_with(stream={"bit_generator": "PCG64", "state": {"state": -1, "inc": 1}}),
        run_with(done=10**12),
        run_with(done=-1),
        run_with(done="9"),
        run_with(n_sweeps=10**15, n_warmup=0),
        run_with(every=0),
        array_with("1/state/component_weight", lambda x: x[:0]),
        array_with("1/state/component_location", lambda x: x.astype(str)),
        array_with("1/state/component_location", lambda x: np.tile(x, (1, 3))),
        array_with("1/state/population_covariance", lambda x: x[0]),
        array_with("1/trace/means", lambda x: x[:-1]),
        array_with("1/sizes", lambda x: -x),
        array_with("1/sizes", lambda x: x.astype(float)),
        array_with("1/sweeps", lambda x: x[:-1]),
        array_with("1/kept/weight", lambda x: x[1:]),
        array_with("1/kept/location", lambda x: np.tile(x, (1, 3))),
    ],
)
def test_right_checksums_around_what_is_no_state(whole, tmp_path, change):
    path = tmp_path / "state.npz"
    path.write_bytes(packed(whole, change))
    place = r"state\.npz(, (header|chain [12]))?: "
    with pytest.raises(CheckpointError, match=place) as caught:
        load(path)
    assert caught.value.exit_code == 3
    assert "remove it to start anew" in caught.value.remedy


def mutated(raw, rng):
    """Return the bytes of an archive, cut, or with some altered; often in headers."""
    raw = bytearray(raw)
    match rng.randrange(4):
        case 0:
            del raw[rng.randrange(len(raw)) :]
        case 1:
            for _ in range(rng.choice([1, 2, 4])):
                far = len(raw) - 1 - rng.randrange(min(2500, len(raw)))
                at = rng.choice([rng.randrange(len(raw)), far, rng.randrange(200)])
                raw[at] = rng.randrange(256)
        case 2:
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        case _:
            raw[len(raw) - 1 - rng.randrange(2500)] ^= 1 << rng.randrange(8)
    return bytes(raw)


@pytest.mark.parametrize("times", MANY)
def test_a_damaged_checkpoint_is_refused_or_as_it_was(whole, tmp_path, times):
    path, rng = tmp_path / "state.npz", random.Random(0)
    path.write_bytes(whole)
    right, n_refused = repr(load(path)), 0
    for _ in range(times):
        path.write_bytes(mutated(whole, rng) or b"P")
        try:
            found = load(path)
        except CheckpointError as error:
            n_refused += 1
            is_right = "state.npz" in str(error) and error.remedy is not None
        else:
            is_right = repr(found) == right
        assert is_right
    assert n_refused > times / 2


def test_what_would_unpack_without_end_is_not_unpacked(whole, tmp_path):
    path = tmp_path / "state.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(80 * 2**20))
    with pytest.raises(CheckpointError, match="would unpack from"):
        load(path)


def test_a_full_disk_keeps_what_was_written_before(whole, tmp_path, monkeypatch):
    path = tmp_path / "state.npz"
    path.write_bytes(whole)
    store, runs = begin(path)
    store.load(runs)
    store.note(runs, 0)

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(CheckpointError, match="no space left on device") as caught:
            store.save()
    assert "goes on from there" in caught.value.remedy
    assert [x.name for x in tmp_path.iterdir()] == ["state.npz"]
    del store, caught
    assert load(path)[2] == [9, 9]
