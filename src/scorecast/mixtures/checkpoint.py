"""The state of a run in a file, so that an interrupted run can go on.

An archive of arrays, and a header that holds a checksum of each and one of its own: an
array that was altered, exchanged or taken out is found.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io as memory
import json
import os
import time
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast._version import __version__
from scorecast.exceptions import CheckpointError
from scorecast.io import check_writable, write_bytes
from scorecast.mixtures.kept import KeptMixture
from scorecast.mixtures.observations import Observations
from scorecast.mixtures.prior import Prior
from scorecast.mixtures.run import Run
from scorecast.mixtures.sampling import Sampling

__all__ = ["Checkpoint"]

_BETWEEN = 20.0  # seconds from one save to the next
_FIELDS = tuple(field.name for field in dataclasses.fields(KeptMixture))


class Checkpoint:
    """Saves and restores runs; does nothing without a path.

    Parameters
    ----------
    path : path or None
        The file.
    values, prior, sampling, streams
        What the run was asked for; a file of another run is refused.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        values: FloatArray | Observations,
        prior: Prior,
        sampling: Sampling,
        streams: Sequence[np.random.Generator],
    ) -> None:
        self.path = path
        self._last = time.monotonic()
        self._kept: bytes | None = None
        if path is not None:
            check_writable(path, force=True)
            self.asked = _fingerprint(values, prior, sampling, streams)

    def load(self, runs: Sequence[Run]) -> int:
        """Bring the runs to the saved state, if there is one; return their stage.

        Parameters
        ----------
        runs : sequence of Run
            As they start.

        Returns
        -------
        int
            0 without a saved state.

        Raises
        ------
        CheckpointError
            If the file is not a checkpoint, or one of another run, or damaged.
        """
        if self.path is None or not os.path.exists(self.path):
            return 0
        header, arrays = self._read()
        if header.get("asked") != self.asked:
            msg = (
                f"{self.path}: the checkpoint of another run (values, prior, sampling, "
                "seed or version differ); remove it or name another file"
            )
            raise CheckpointError(msg)
        for run, saved in zip(runs, header["runs"], strict=True):
            _restore(run, saved, arrays)
        return int(header["stage"])

    def note(self, runs: Sequence[Run], stage: int) -> None:
        """Remember the state between two rounds, and save it now and then.

        An interrupt may fall between a sweep and its entry in the record, so what is
        saved then is the state of the last whole round.

        Parameters
        ----------
        runs : sequence of Run
            The runs, none of them at work.
        stage : int
            Their stage.
        """
        if self.path is None:
            return
        arrays: dict[str, Any] = {}
        saved = [_saved(run, i, arrays) for i, run in enumerate(runs)]
        header = {"asked": self.asked, "stage": stage, "runs": saved}
        checks = {name: _check_of(array) for name, array in arrays.items()}
        text = json.dumps(header | {"checks": checks}).encode()
        arrays["header"] = np.frombuffer(text, dtype=np.uint8)
        arrays["check"] = np.array(hashlib.sha256(text).hexdigest())
        target = memory.BytesIO()
        np.savez(target, **arrays)
        self._kept = target.getvalue()
        if time.monotonic() - self._last > _BETWEEN:
            self.save()

    def save(self) -> None:
        """Write what was noted last, whole or not at all."""
        if self.path is None or self._kept is None:
            return
        write_bytes(self.path, self._kept, force=True)
        self._last = time.monotonic()

    def _read(self) -> tuple[dict[str, Any], Mapping[str, Any]]:
        try:
            with open(self.path or "", "rb") as file:
                saved = np.load(file, allow_pickle=False)
                arrays = {name: saved[name] for name in saved.files}
            text, check = arrays.pop("header").tobytes(), str(arrays.pop("check"))
            header = json.loads(text)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            msg = f"{self.path}: not a checkpoint of scorecast, or a damaged one"
            raise CheckpointError(msg) from error
        place = ""
        if hashlib.sha256(text).hexdigest() != check:
            place = "header"
        else:
            checks = header["checks"]
            wrong = {k for k, v in arrays.items() if checks.get(k) != _check_of(v)}
            place = min(wrong | (checks.keys() - arrays.keys()), default="")
        if place:
            msg = (
                f"{self.path}, {place}: damaged or edited, so nothing in this "
                "checkpoint can be believed; remove it to start anew"
            )
            raise CheckpointError(msg)
        return header, arrays


def _check_of(array: Any) -> str:
    given = np.ascontiguousarray(array)
    kind = f"{given.dtype.str} {given.shape} ".encode()
    return hashlib.sha256(kind + given.tobytes()).hexdigest()


def _fingerprint(
    values: FloatArray | Observations,
    prior: Prior,
    sampling: Sampling,
    streams: Sequence[np.random.Generator],
) -> str:
    digest = hashlib.sha256(values.tobytes())
    # How long to try for is no part of what is drawn: it may differ when a run goes on.
    settings = [
        __version__,
        prior.to_dict(),
        dataclasses.asdict(sampling) | {"max_seconds": None, "n_extensions": None},
        [str(stream.bit_generator.state) for stream in streams],
    ]
    digest.update(json.dumps(settings, default=str).encode())
    return digest.hexdigest()


def _saved(run: Run, index: int, arrays: dict[str, Any]) -> dict[str, Any]:
    """Put the arrays of a run among `arrays`; return the rest for the header."""
    state = run.chain.state()
    for name, value in state["arrays"].items():
        arrays[f"{index}/state/{name}"] = value
    for field in dataclasses.fields(run.record):
        value = getattr(run.record, field.name)[: run.done]
        arrays[f"{index}/record/{field.name}"] = value
    states = run.states.values()
    arrays[f"{index}/sweeps"] = np.array([*run.states], dtype=int)
    arrays[f"{index}/sizes"] = np.array([len(k.weight) for k in states], dtype=int)
    for name in _FIELDS:
        parts = [getattr(kept, name) for kept in states]
        arrays[f"{index}/kept/{name}"] = np.concatenate(parts) if parts else np.empty(0)
    return {
        "stream": state["stream"],
        "done": run.done,
        "n_warmup": run.n_warmup,
        "n_sweeps": run.n_sweeps,
        "every": run.every,
        "index": index,
    }


def _restore(run: Run, saved: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    index = saved["index"]
    prefix = f"{index}/state/"
    state = {
        k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)
    }
    run.chain.restore({"arrays": state, "stream": saved["stream"]})
    run.n_warmup, run.n_sweeps = saved["n_warmup"], saved["n_sweeps"]
    run.every, run.done = saved["every"], saved["done"]
    run.record = type(run.record).empty(run.n_sweeps, run.record.means.shape[1])
    for field in dataclasses.fields(run.record):
        target = getattr(run.record, field.name)
        target[: run.done] = arrays[f"{index}/record/{field.name}"]
    ends = np.cumsum(arrays[f"{index}/sizes"])[:-1]
    if len(arrays[f"{index}/sizes"]) == 0:
        return
    parts = [np.split(arrays[f"{index}/kept/{name}"], ends) for name in _FIELDS]
    states = (KeptMixture(*fields) for fields in zip(*parts, strict=True))
    run.states = dict(zip(arrays[f"{index}/sweeps"].tolist(), states, strict=True))
