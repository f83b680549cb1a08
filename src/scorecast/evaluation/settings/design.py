"""Which settings are looked at, and data at hand made smaller, noisier, unbalanced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from scorecast._core.checks import check_count, check_share
from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.data import EvaluationData, check_data, columns_of, is_table
from scorecast.evaluation.metrics import Task
from scorecast.exceptions import InsufficientDataError, UsageError

OWN_FACTORS = ("cv", "scoring")
VARIED = ("n_samples", "n_features", "noise", "imbalance")
_MOST = 10_000


# Designs ---------------------------------------------------------------------------

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, kw_only=True)
class Design(Method):
    """A way to combine the values of factors.

    Attributes
    ----------
    rows : callable
        From the values of every factor and the usual one of each to settings.
    is_crossed : bool
        Whether all values of a factor meet all values of the others.
    """

    rows: Callable[[Sequence[Sequence[Any]], Sequence[Any]], Rows]
    is_crossed: bool


DESIGNS: Registry[Design] = Registry()
DESIGNS.add(
    Design(
        name="grid",
        title="all combinations",
        summary="every value of a factor with every value of the others",
        rows=lambda lists, _: list(product(*lists)),
        is_crossed=True,
    )
)


def _one_at_a_time(lists: Sequence[Sequence[Any]], usual: Sequence[Any]) -> Rows:
    """Depart from the usual values one by one."""
    rows = [tuple(usual)]
    for place, values in enumerate(lists):
        changed = [(*usual[:place], v, *usual[place + 1 :]) for v in values]
        rows += [row for row in changed if row not in rows]
    return rows


DESIGNS.add(
    Design(
        name="one-at-a-time",
        title="one factor at a time",
        summary="the usual values, and one factor changed while the others stay",
        rows=_one_at_a_time,
        is_crossed=False,
    )
)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One combination of values.

    Attributes
    ----------
    number : int
        Its place among all settings, from zero.
    factors : tuple of (str, object)
        Factors with their values.
    models : tuple of str
        Names of models, whose parameters are factors written ``MODEL__parameter``.
    """

    number: int
    factors: tuple[tuple[str, Any], ...]
    models: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """All values in a line, for progress and messages."""
        return describe(dict(self.factors))

    @property
    def of_data(self) -> dict[str, Any]:
        """The factors that make the data."""
        return {
            factor: value
            for factor, value in self.factors
            if factor not in OWN_FACTORS and self.parameter_of(factor) is None
        }

    @property
    def data_name(self) -> str:
        """The same for settings that share their data."""
        return describe(self.of_data) or "data"

    def value(self, factor: str, default: Any = None) -> Any:
        """Return the value of one factor."""
        return dict(self.factors).get(factor, default)

    def parameters(self, model: str) -> dict[str, Any]:
        """Return the parameters that the setting gives a model."""
        found = {}
        for factor, value in self.factors:
            parts = self.parameter_of(factor)
            if parts is not None and parts[0] == model:
                found[parts[1]] = value
        return found

    def parameter_of(self, factor: str) -> tuple[str, str] | None:
        """Return model and parameter that a factor means, if it means one."""
        model, _, parameter = factor.partition("__")
        return (model, parameter) if parameter and model in self.models else None


def describe(factors: Mapping[str, Any]) -> str:
    """Write factors with their values in a line."""
    return ", ".join(f"{factor} {as_text(value)}" for factor, value in factors.items())


def as_text(value: Any) -> str:
    """Write a value so that different ones stay different.

    Examples
    --------
    >>> as_text(3.0), as_text(1.0000001), as_text("cv5")
    ('3', '1.0000001', 'cv5')
    """
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}"
    # Digits are left out only where they say nothing.
    return short if float(short) == value else repr(float(value))


def design_settings(
    factors: Mapping[str, Iterable[Any]],
    *,
    design: str = "grid",
    defaults: Mapping[str, Any] | None = None,
    models: tuple[str, ...] = (),
) -> tuple[Setting, ...]:
    """List the settings of a design, each once.

    Parameters
    ----------
    factors : mapping of str to iterable
        Values of every factor.
    design : str, default="grid"
        One of `DESIGNS`.
    defaults : mapping, optional
        Value of every factor that is not changed; its first value if not given.
    models : tuple of str
        Names of the models.

    Returns
    -------
    tuple of Setting
        In the order of the factors.

    Raises
    ------
    UsageError
        If a factor has no values, or different ones that are written alike, or there
        are too many settings.
    """
    chosen = DESIGNS.choose(design, parameter="design")
    lists = {str(name): _once(str(name), values) for name, values in factors.items()}
    empty = [name for name, values in lists.items() if not values]
    if empty or not lists:
        lacking = f"{empty[0]} has none" if empty else "there is none"
        problem = f"needs a factor, and one value or more of each; {lacking}"
        raise UsageError(problem, parameter="factors")
    given = dict(defaults or {})
    unknown = sorted(set(given) - set(lists))
    if unknown:
        problem = f"names {unknown[0]!r}, which is no factor"
        raise UsageError(problem, parameter="defaults")
    usual = [given.get(name, values[0]) for name, values in lists.items()]
    rows = chosen.rows(list(lists.values()), usual)
    if len(rows) > _MOST:
        problem = f"make {len(rows):,} settings, more than {_MOST:,}"
        raise UsageError(problem, parameter="factors", remedy="give fewer values")
    return tuple(
        Setting(
            number=number, factors=tuple(zip(lists, row, strict=True)), models=models
        )
        for number, row in enumerate(rows)
    )


def _once(factor: str, values: Iterable[Any]) -> list[Any]:
    """Keep the first of values that are written alike: 0 and 0.0 are one setting."""
    kept: dict[str, Any] = {}
    for value in values:
        first = kept.setdefault(as_text(value), value)
        if isinstance(first, str) != isinstance(value, str):
            raise UsageError(
                f"{factor} holds {first!r} and {value!r}, which are written alike",
                parameter="factors",
                remedy="leave one out",
            )
    return list(kept.values())


# Data at hand, varied --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Variations:
    """Data sets by name, and what can be made of them.

    Attributes
    ----------
    sources : mapping of str to data
        Pairs (X, y), or anything with ``X`` and ``y``.
    task : Task
        What is predicted.
    """

    sources: Mapping[str, Any]
    task: Task = Task.CLASSIFICATION

    @property
    def first(self) -> str:
        """The name of the data set that is meant where none is named."""
        return str(next(iter(self.sources)))

    def __call__(
        self,
        *,
        random_state: int,
        data: str | None = None,
        n_samples: int | None = None,
        n_features: int | None = None,
        noise: float = 0.0,
        imbalance: float | None = None,
    ) -> tuple[Any, Any]:
        """Return features and targets.

        Parameters
        ----------
        random_state : int
            Seed of what is drawn.
        data : str, optional
            Which data set; the first if not given.
        n_samples : int, optional
            Samples to draw, classes in their proportions.
        n_features : int, optional
            Features to draw.
        noise : float, default=0
            Every value moves by up to this share of the range of its feature, evenly,
            as in `sc.simulate.classification`.
        imbalance : float, optional
            By how much the rarest class falls short of the most frequent; 0 makes all
            classes equal. As many samples are kept as then can be, or `n_samples`.

        Returns
        -------
        X, y
            The data set itself where nothing is asked.
        """
        name = self.first if data is None else data
        X, y = pair_of(self.sources[name])
        if n_samples is None and n_features is None and not noise and imbalance is None:
            return X, y
        whole = check_data(X, y, task=self.task)
        # One stream per ingredient: the same samples with noise or without.
        for_rows, for_columns, for_noise = np.random.default_rng(random_state).spawn(3)
        rows = _rows(whole, n_samples, imbalance, for_rows, name)
        X, y = whole.features(rows), whole.y[rows]
        if noise:
            X = _noisy(X, whole, noise, for_noise)
        if n_features is not None:
            columns = _columns(whole.n_features, n_features, for_columns, name)
            X = columns_of(X, columns)
        return X, y


def pair_of(entry: Any) -> tuple[Any, Any]:
    """Return features and targets of what may be a pair or have both."""
    if hasattr(entry, "X") and hasattr(entry, "y"):
        return entry.X, entry.y
    if isinstance(entry, tuple | list) and len(entry) == 2:
        return entry[0], entry[1]
    problem = f"must be a pair (X, y) or have X and y; got {type(entry).__name__}"
    raise UsageError(problem, parameter="data")


def _rows(
    whole: EvaluationData,
    n: int | None,
    imbalance: float | None,
    rng: np.random.Generator,
    name: str,
) -> IntArray:
    """Choose samples, in their order."""
    there = whole.n_samples
    if n is not None and not 4 <= check_count(n, "n_samples", least=0) <= there:
        problem = f"{name} has {there} samples, from 4 to {there} can be drawn; got {n}"
        raise InsufficientDataError(problem, parameter="n_samples")
    if not whole.is_classification:
        if imbalance is not None:
            problem = "is of classes, and these targets are numbers"
            raise UsageError(problem, parameter="imbalance")
        return np.sort(rng.choice(there, there if n is None else n, False))
    sizes = _class_sizes(whole, n, imbalance, name)
    chosen = [
        rng.choice(np.flatnonzero(whole.codes == code), size, replace=False)
        for code, size in enumerate(sizes)
    ]
    return np.sort(np.concatenate(chosen))


def _class_sizes(
    whole: EvaluationData, n: int | None, imbalance: float | None, name: str
) -> IntArray:
    """Return how many samples to draw of every class."""
    from scorecast.simulate import class_shares, class_sizes

    counts = whole.class_counts
    if imbalance is None:
        size = whole.n_samples if n is None else n
        return class_sizes(size, counts / whole.n_samples)
    if not isinstance(imbalance, int | float) or not 0 <= imbalance < 1:
        problem = f"must be from 0 to below 1; got {imbalance!r}"
        raise UsageError(problem, parameter="imbalance")
    shares: FloatArray = np.empty(counts.size)
    # What is frequent here stays the most frequent.
    shares[np.argsort(-counts, kind="stable")] = class_shares(counts.size, imbalance)
    most = int(np.floor((counts / shares).min()))
    sizes = class_sizes(most if n is None else n, shares)
    if (sizes > counts).any():
        raise InsufficientDataError(
            f"{name} has too few samples for {n} with an imbalance of {imbalance:g}; "
            f"{most} at most",
            parameter="n_samples",
        )
    return sizes


def _columns(m: int, wanted: int, rng: np.random.Generator, name: str) -> IntArray:
    if not 1 <= check_count(wanted, "n_features", least=0) <= m:
        problem = f"{name} has {m} features, from 1 to {m} can be drawn; got {wanted}"
        raise InsufficientDataError(problem, parameter="n_features")
    return np.sort(rng.choice(m, wanted, replace=False))


def _noisy(
    features: Any, whole: EvaluationData, noise: float, rng: np.random.Generator
) -> Any:
    """Move every number by up to a share of the range of its feature."""
    check_share(noise, "noise")
    if is_table(features):
        numbers = features.select_dtypes(include=["number"]).columns
        moved = features.astype(dict.fromkeys(numbers, np.float64))
        known = whole.X[numbers].to_numpy(dtype=np.float64, na_value=np.nan)
        values = moved[numbers].to_numpy()
        moved[numbers] = values + _moves(known, values.shape, noise, rng)
        return moved
    return features + _moves(np.asarray(whole.X), features.shape, noise, rng)


def _moves(
    known: FloatArray, shape: tuple[int, ...], noise: float, rng: np.random.Generator
) -> FloatArray:
    width = np.nanmax(known, axis=0) - np.nanmin(known, axis=0)
    moves: FloatArray = noise * width * rng.uniform(-1, 1, size=shape)
    return moves
