"""Draw from the posterior over mixtures: several chains, watched, resumable."""

from __future__ import annotations

import dataclasses
import hashlib
import io as memory
import json
import math
import numbers
import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs
from scorecast._core.engine import active_client
from scorecast._core.progress import announced, revise, stages, track
from scorecast._core.records import FileLock, unwritable
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast._version import __version__
from scorecast.exceptions import (
    CheckpointError,
    InvalidInputError,
    Location,
    UsageError,
)
from scorecast.io import check_writable, read_archive
from scorecast.mixtures.distributions import KeptMixture
from scorecast.mixtures.observations import Observations
from scorecast.mixtures.posterior import MixturePosterior
from scorecast.mixtures.prior import Prior

if TYPE_CHECKING:
    from scorecast.mixtures.chain import Run

_MOST_CHAINS = 10_000
_MOST_SWEEPS = 1_000_000  # of a chain, which are noted one by one
_JUMP_WORK = 3500  # cases looked at by split and merge attempts of one sweep


@dataclasses.dataclass(frozen=True)
class Sampling:
    """How long and how to sample: ``scorecast.Sampling``.

    The defaults below are those of the posterior of J. `SurvivalModel`, which is
    fitted once per fold, takes 500 sweeps to warm up, 1,000 draws and 200 draws kept
    unless it is given a ``Sampling``; of one that is given, all holds.

    Parameters
    ----------
    n_chains : int, default=4
        Chains, each with its own stream and its own start.
    n_warmup : int, default=1000
        Sweeps before the first draw.
    n_draws : int, default=2000
        Draws per chain.
    n_jumps : int, optional
        Split or merge attempts per sweep; by default as many as look at some 3,500
        cases, between 1 and 20.
    starts : tuple of int, default=(1, 8, 2, 4)
        Components to begin with, chain by chain, over and over. Far apart on purpose:
        chains that agree in spite of it are worth more.
    max_seconds : float, default=60
        How long to go on beyond those draws while the chains cannot be trusted: for
        half as many sweeps again each time, of which the first third is left out. What
        was planned is not bounded by it; the time it took to compile counts. Zero: not
        at all.
    n_extensions : int, optional
        How often to go on at most; by default as often as the seconds allow.
    n_kept : int, default=400
        Draws kept in full, over all chains.

    Examples
    --------
    >>> import scorecast as sc
    >>> quick = sc.Sampling(n_chains=2, n_warmup=200, n_draws=500)
    >>> model = sc.SurvivalModel(sampling=quick)
    """

    n_chains: int = 4
    n_warmup: int = 1000
    n_draws: int = 2000
    n_jumps: int | None = None
    starts: tuple[int, ...] = (1, 8, 2, 4)
    max_seconds: float = 60.0
    n_extensions: int | None = None
    n_kept: int = 400

    def __post_init__(self) -> None:
        least = {"n_chains": 1, "n_warmup": 0, "n_draws": 4, "n_kept": 1}
        for name in ("n_jumps", "n_extensions"):
            if getattr(self, name) is not None:
                least[name] = 0
        for name, smallest in least.items():
            given = getattr(self, name)
            most = _MOST_CHAINS if name == "n_chains" else _MOST_SWEEPS
            if not _is_count(given, smallest) or given > most:
                limits = f"from {smallest:,} to {most:,}"
                problem = f"must be a whole number {limits}; got {given!r}"
                raise UsageError(problem, parameter=name)
        if not (isinstance(self.max_seconds, numbers.Real) and self.max_seconds >= 0):
            problem = f"must be a number of seconds from 0; got {self.max_seconds!r}"
            raise UsageError(problem, parameter="max_seconds")
        if not self.starts or not all(_is_count(n, 1) for n in self.starts):
            problem = f"must be numbers of components from 1; got {self.starts!r}"
            raise UsageError(problem, parameter="starts")

    def jumps_for(self, n_cases: int) -> int:
        """Return the number of split or merge attempts per sweep.

        Parameters
        ----------
        n_cases : int
            Number of values.

        Returns
        -------
        int
            As stated, or what suits so many values.
        """
        if self.n_jumps is not None:
            return self.n_jumps
        return int(np.clip(_JUMP_WORK // max(n_cases, 1), 1, 20))


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, numbers.Integral) and int(value) >= least


_GREATEST = 1e100  # whose square, over any sensible variance, is still a number
_ROUNDS = 40  # steps of the progress line, and places to stop, per stage
_ROUNDS_AWAY = 8  # where chains are sent to a cluster and back each time
# Parts of a run: what was planned, going on once, and as often as it takes.
_PLANNED, _FURTHER, _AFTER = "sampling", "sampling on, until the chains agree", "after"


def sample_posterior(
    values: ArrayLike | Observations,
    *,
    prior: Prior,
    sampling: Sampling | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> MixturePosterior:
    """Sample the posterior over mixtures given values.

    Parameters
    ----------
    values : array of shape (n,) or (n, N), or Observations
        Finite values, at least one; or measurements of them with noise, of which some
        may be missing or censored.
    prior : Prior
        The prior; its number of dimensions must be that of the values.
    sampling : Sampling, optional
        How long and how.
    random_state : int, Generator or None, default=0
        Source of randomness. One stream per chain, so that the draws are the same for
        any `n_jobs`.
    n_jobs : int, optional
        Threads; None and -1 mean every core. On a cluster chains go to its workers.
    checkpoint : path, optional
        Where the state is saved when the run is interrupted, and now and then before.
        If the file exists, the run goes on from it, with the same draws as without
        the interruption; a file of another run is refused.

    Returns
    -------
    MixturePosterior
        The draws. Whether they may be trusted is in ``.diagnostics``.

    References
    ----------
    R. Sewell (2024). Assessment of the quality of a prediction, appendix B.

    S. Richardson and P. J. Green (1997). On Bayesian analysis of mixtures with an
    unknown number of components. Journal of the Royal Statistical Society B 59,
    731-792.

    Examples
    --------
    >>> import numpy as np
    >>> from scorecast.mixtures import Prior, Sampling, sample_posterior
    >>> values = np.random.default_rng(0).normal(0.1, 0.2, size=50)
    >>> short = Sampling(n_chains=2, n_warmup=100, n_draws=100, n_extensions=0)
    >>> found = sample_posterior(
    ...     values, prior=Prior.information(), sampling=short, random_state=0
    ... )
    >>> found.means.shape
    (2, 100, 1)
    """
    # Compiled code is loaded only when it is used.
    from scorecast.mixtures.chain import start_runs

    given = check_given(values, prior)
    check_n_jobs(n_jobs)
    sampling = Sampling() if sampling is None else sampling
    streams = as_generator(random_state).spawn(sampling.n_chains)
    store = Checkpoint(checkpoint, given, prior, sampling, streams)
    begun = time.monotonic()
    with announced("compiling the sampler (the first time only)"):
        runs = start_runs(given, prior.constants(), sampling, streams)
        runs[0].compile()
    compiling = time.monotonic() - begun
    stage = store.load(runs)
    with stages({_PLANNED: 1.0, _FURTHER: _expected(sampling), _AFTER: 0.0}):
        _run_stage(runs, stage, n_jobs, store)
        posterior = _collect(runs, prior, given)
        budget = _Budget(sampling, runs[0], stage, compiling)
        # Chains are judged after so many sweeps, wherever the clock stands: it decides
        # only whether they get there. So what passes is the same on every machine.
        while _may_improve(posterior) and budget.allows_more():
            for run in runs:
                run.extend()
            budget.stage += 1
            revise({_AFTER: budget.expected})
            if not _run_stage(runs, budget.stage, n_jobs, store, budget):
                break
            posterior = _collect(runs, prior, given)
    return posterior


def _expected(sampling: Sampling) -> float | None:
    """Return how long chains will go on, beside what is planned, as far as one knows.

    Those that may go on once, for half as long, mostly do; those that may go on as
    long as there is time mostly need not; how often others do, their callers weigh.
    """
    if sampling.n_extensions is None:
        return 0.2
    return {0: 0.0, 1: 0.4}.get(sampling.n_extensions)


def _may_improve(posterior: MixturePosterior) -> bool:
    """Whether chains fall short, and are not lost to what is no number."""
    return not posterior.diagnostics.passed and bool(
        np.isfinite(posterior.centres).all()
    )


class _Budget:
    """How long chains may go on for beyond what was planned.

    Seconds that went into compiling are taken off.
    """

    def __init__(
        self, sampling: Sampling, run: Run, stage: int, compiling: float
    ) -> None:
        self.seconds = sampling.max_seconds - compiling
        most = sampling.n_extensions
        self.most_stages = math.inf if most is None else most
        self.run, self.stage = run, stage
        self.first, self.start = run.done, time.monotonic()

    @property
    def left(self) -> float:
        return self.seconds - (time.monotonic() - self.start)

    @property
    def expected(self) -> float | None:
        """How much will follow this stage: nothing, or nobody knows."""
        return 0.0 if self.stage >= self.most_stages else None

    def allows_more(self) -> bool:
        """Whether one stage more may begin, and would end in time as those before."""
        then = self.run.n_sweeps + self.run.next_sweeps
        if self.stage >= self.most_stages or self.left <= 0 or then > _MOST_SWEEPS:
            return False
        done = self.run.done - self.first
        if not done:
            return True
        return self.run.next_sweeps * (self.seconds - self.left) / done <= self.left


def check_given(
    values: ArrayLike | Observations, prior: Prior
) -> FloatArray | Observations:
    """Return values or observations, of as many coordinates as the prior has.

    Equal measurements are welcome where there is noise: true values differ.
    """
    if not isinstance(values, Observations):
        return check_values(values, prior)
    if values.n_dims != prior.n_dims:
        problem = f"has {prior.n_dims} coordinates, values have {values.n_dims}"
        raise InvalidInputError(problem, parameter="prior")
    _check_range(values.values)
    return values


def check_values(values: ArrayLike, prior: Prior) -> FloatArray:
    """Return values of shape (n, N), or say what is wrong with them."""
    n_dims = prior.n_dims
    given = np.asarray(values, dtype=np.float64)
    if given.ndim == 1 and n_dims == 1:
        given = given[:, None]
    if given.ndim != 2 or given.shape[1] != n_dims or len(given) == 0:
        problem = f"must have shape (n, {n_dims}) with n >= 1; got {given.shape}"
        raise InvalidInputError(problem, parameter="values")
    if not np.isfinite(given).all():
        first = int(np.flatnonzero(~np.isfinite(given).all(axis=1))[0])
        raise InvalidInputError(
            f"must be finite; got {given[first]}",
            parameter="values",
            location=Location(row=first + 1),
        )
    _check_range(given)
    _check_ties(given, prior)
    return np.ascontiguousarray(given)


def _check_range(values: FloatArray) -> None:
    far = np.flatnonzero((np.abs(values) > _GREATEST).any(axis=1))
    if far.size:
        raise InvalidInputError(
            f"must lie between -{_GREATEST:g} and {_GREATEST:g}; got {values[far[0]]}",
            parameter="values",
            location=Location(row=int(far[0]) + 1),
            remedy="use another unit",
        )


def _check_ties(values: FloatArray, prior: Prior) -> None:
    """Refuse so many equal values that the posterior does not exist.

    A component on k equal values gains like det(S)^(k/2) as its precision S grows, and
    the prior of the typical covariance takes back det(S)^-m_RS only.
    """
    most = int(np.unique(values, axis=0, return_counts=True)[1].max())
    if most >= 2.0 * prior.scale_shape:
        raise InvalidInputError(
            f"{most} values are exactly equal: a density that may narrow without end "
            "has no posterior",
            parameter="values",
            remedy="spread them by the resolution they were measured with",
        )


def _run_stage(
    runs: Sequence[Run],
    stage: int,
    n_jobs: int | None,
    store: Checkpoint,
    budget: _Budget | None = None,
) -> bool:
    """Take all chains to the end of the stage, round by round; say if they got there.

    A stage that was begun is cut off only where its budget is spent.
    """
    # Compiled code is loaded only when it is used.
    from scorecast.mixtures.chain import advance_runs

    first, last = runs[0].done, runs[0].n_sweeps
    n_rounds = _ROUNDS if active_client() is None else _ROUNDS_AWAY
    goals = np.unique(np.linspace(first, last, n_rounds + 1).astype(int)[1:])
    goals = goals[goals > first]
    words = _PLANNED if stage == 0 else _FURTHER
    try:
        for goal in track(goals, total=len(goals), what=words):
            advance_runs(runs, int(goal), n_jobs=n_jobs)
            store.note(runs, stage)
            if budget is not None and budget.left <= 0 and goal < last:
                return False
    finally:
        store.save()
    return True


def _collect(
    runs: Sequence[Run], prior: Prior, values: FloatArray | Observations
) -> MixturePosterior:
    n_warmup = runs[0].n_warmup
    traces = [run.trace for run in runs]
    return MixturePosterior(
        means=np.array([t.means[n_warmup:] for t in traces]),
        centres=np.array([t.centres[n_warmup:] for t in traces]),
        n_components=np.array([t.numbers[n_warmup:] for t in traces]),
        log_likelihood=np.array([t.likelihoods[n_warmup:] for t in traces]),
        n_components_warmup=np.array([t.numbers[:n_warmup] for t in traces]),
        kept=tuple(one for run in runs for one in run.kept),
        prior=prior,
        n_cases=len(values),
        n_discarded=n_warmup,
    )


# The state of a run in a file --------------------------------------------------------
#
# An archive of arrays, and a header that holds a checksum of each and one of its own:
# an array that was altered, exchanged or taken out is found.

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
        self._lock: FileLock | None = None
        if path is not None:
            check_writable(path, force=True)
            self._lock = FileLock.of(os.fspath(path))
            self.asked = _fingerprint(values, prior, sampling, streams)

    def load(self, runs: Sequence[Run]) -> int:
        """Bring the runs to the saved state, if there is one; return their stage."""
        if self.path is None or not os.path.getsize(self.path):
            return 0
        header, arrays = self._read()
        if header.get("asked") != self.asked:
            raise CheckpointError(
                "the checkpoint of another run (values, prior, sampling, seed or "
                "version differ)",
                location=Location(file=os.fspath(self.path)),
                remedy="remove it or name another file",
            )
        chain = 0
        try:
            for run, saved in zip(runs, header["runs"], strict=True):
                _restore(run, saved, arrays, chain)
                chain += 1
        except _NO_STATE as error:
            raise self._refusal(_UNFIT, f"chain {chain + 1}") from error
        return int(header["stage"])

    def note(self, runs: Sequence[Run], stage: int) -> None:
        """Remember the state between two rounds, and save it now and then.

        An interrupt may fall between a sweep and its entry in the trace, so what is
        saved then is the state of the last whole round.
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
        if self.path is None or self._kept is None or self._lock is None:
            return
        try:
            self._lock.replace(self._kept)
        except OSError as error:
            raise unwritable(os.fspath(self.path), error) from error
        self._last = time.monotonic()

    def _read(self) -> tuple[dict[str, Any], Mapping[str, Any]]:
        try:
            arrays = read_archive(self.path or "")
        except InvalidInputError as error:
            # Whatever else it says ("save it again with np.savez") is about inputs.
            raise CheckpointError(
                f"not a checkpoint of scorecast, or a damaged one: {error.problem}",
                location=error.location,
                remedy=_ANOTHER,
            ) from error
        try:
            text, check = arrays.pop("header").tobytes(), str(arrays.pop("check"))
            header = json.loads(text)
        except (ValueError, KeyError, RecursionError) as error:
            problem = "not a checkpoint of scorecast, or a damaged one"
            raise self._refusal(problem, None, _ANOTHER) from error
        place = ""
        if hashlib.sha256(text).hexdigest() != check:
            place = "header"
        elif not _is_header(header):
            raise self._refusal(_UNFIT, "header")
        else:
            checks = header["checks"]
            wrong = {k for k, v in arrays.items() if checks.get(k) != _check_of(v)}
            place = min(wrong | (checks.keys() - arrays.keys()), default="")
        if place:
            raise self._refusal(
                "damaged or edited, so nothing in this checkpoint can be believed",
                place,
            )
        return header, arrays

    def _refusal(
        self, problem: str, field: str | None, remedy: str = "remove it to start anew"
    ) -> CheckpointError:
        place = Location(file=os.fspath(self.path or ""), field=field)
        return CheckpointError(problem, location=place, remedy=remedy)


_ANOTHER = "remove it to start anew, or name another file"
_UNFIT = "what it notes is no state of such a run"
# What states that were put together by hand may lead to while they are restored.
_NO_STATE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def _is_header(header: object) -> bool:
    """Tell whether this is what `note` writes, as far as types go."""
    if not isinstance(header, dict):
        return False
    runs, checks = header.get("runs"), header.get("checks")
    return (
        type(header.get("stage")) is int
        and header["stage"] >= 0
        and isinstance(runs, list)
        and all(isinstance(saved, dict) for saved in runs)
        and isinstance(checks, dict)
    )


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
    state = run.chain.snapshot()
    for name, value in state["arrays"].items():
        arrays[f"{index}/state/{name}"] = value
    for name, value in run.trace._asdict().items():
        arrays[f"{index}/trace/{name}"] = value[: run.done]
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


def _restore(
    run: Run, saved: Mapping[str, Any], arrays: Mapping[str, Any], index: int
) -> None:
    """Bring a run to a saved state, or raise one of `_NO_STATE`.

    Compiled code does not look where it writes, so that what it is given must fit.
    """
    from scorecast.mixtures.chain import empty_trace

    names = ("n_warmup", "n_sweeps", "every", "done")
    n_warmup, n_sweeps, every, done = (saved[name] for name in names)
    most = max(_MOST_SWEEPS, run.n_sweeps)
    _require(all(type(saved[name]) is int for name in names))
    _require(0 <= n_warmup <= n_sweeps <= most and 0 <= done <= n_sweeps and every >= 1)
    prefix = f"{index}/state/"
    state = {
        k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)
    }
    _check_state(run, state)
    run.chain.restore({"arrays": state, "stream": saved["stream"]})
    run.n_warmup, run.n_sweeps, run.every, run.done = n_warmup, n_sweeps, every, done
    run.trace = empty_trace(run.n_sweeps, run.trace.means.shape[1])
    for name, target in run.trace._asdict().items():
        noted = arrays[f"{index}/trace/{name}"]
        _require(noted.shape == target[:done].shape and noted.dtype == target.dtype)
        target[:done] = noted
    sizes, sweeps = arrays[f"{index}/sizes"], arrays[f"{index}/sweeps"]
    _require(sizes.shape == sweeps.shape == (len(sizes),))
    if len(sizes) == 0:
        return
    _require(sizes.dtype.kind == sweeps.dtype.kind == "i" and bool((sizes > 0).all()))
    kept = [arrays[f"{index}/kept/{name}"] for name in _FIELDS]
    for name, one in zip(_FIELDS, kept, strict=True):
        tail = state[f"component_{name}"].shape[1:]
        _require(one.dtype == np.float64 and one.shape == (int(sizes.sum()), *tail))
    parts = [np.split(one, np.cumsum(sizes)[:-1]) for one in kept]
    states = (KeptMixture(*fields) for fields in zip(*parts, strict=True))
    run.states = dict(zip(sweeps.tolist(), states, strict=True))


def _check_state(run: Run, state: Mapping[str, Any]) -> None:
    """Refuse arrays that are not of the types and shapes of a chain like this."""
    now = run.chain.snapshot()["arrays"]
    number = len(state["component_weight"])
    _require(state.keys() == now.keys() and number > 0)
    for name, array in now.items():
        shape = array.shape
        if name.startswith("component_"):
            shape = (number, *shape[1:])
        _require(state[name].dtype == array.dtype and state[name].shape == shape)
    label = state.get("latent_label", np.zeros(1, dtype=np.int64))
    _require(int(label.min()) >= 0 and int(label.max()) < number)


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError(_UNFIT)
