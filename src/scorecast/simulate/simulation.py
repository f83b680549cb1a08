"""What all simulated data have in common: data, truth, seed, files; and who makes them.

A `Simulator` knows the factors of its data: the parameters of its function, and for a
parameter that holds settings, such as ``skew=Skew(share=0.3)``, each of these under its
flat name, ``skew_share``. The command line takes its options from them.
"""

from __future__ import annotations

import inspect
import os
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from types import NoneType
from typing import Any, ClassVar, Self, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from scorecast._core.codec import encode, jsonable
from scorecast._core.near_names import near_name
from scorecast._core.registry import Method, Registry
from scorecast._core.result import OPTION, Result
from scorecast._core.types import RandomState
from scorecast.exceptions import (
    InvalidInputError,
    UnknownParameterError,
    UsageError,
)
from scorecast.io import check_writable, write_json, write_table

MOST = 10**7  # of anything that is counted: more is a misprint


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Simulation(Result):
    """Data with a known truth.

    Its JSON holds truth, options and seed; the data go to a file of their own.

    Attributes
    ----------
    options : dict
        What was asked for, by the names of factors.
    seed : int or None
        The random state, where it was a number: the same call gives the same data.
    """

    kind: ClassVar[str]

    options: dict[str, Any] = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)

    @abstractmethod
    def to_columns(self) -> dict[str, Any]:
        """Return the data as a table, column by column."""

    @abstractmethod
    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the data as named arrays, for an ``.npz`` file."""

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> str:
        """Write the data, and the truth beside them.

        Parameters
        ----------
        path : str or path-like
            A name that ends in ``.csv``, ``.npz`` or ``.parquet``.
        force : bool, default=False
            Whether existing files may be replaced.

        Returns
        -------
        str
            Where the truth is: the same name with ``.truth.json`` for its ending.
        """
        beside = truth_path(path)
        check_writable(beside, force=force)
        is_archive = os.fspath(path).lower().endswith(".npz")
        table = self.to_arrays() if is_archive else self.to_columns()
        write_table(path, table, force=force)
        write_json(beside, self.to_dict(), force=force)
        return beside

    def _encoded(self) -> dict[str, Any]:
        options = jsonable({**self.options, "seed": self.seed})
        return {**super()._encoded(), "inputs": {}, "options": options}

    @classmethod
    def _decoded(cls, inputs: Any, options: Any, result: Any) -> Self:
        del inputs, options, result
        raise InvalidInputError(
            "this is the truth of simulated data, without the data",
            remedy="read the data from the file beside it, or make them again from the "
            "options and the seed",
        )


def truth_path(path: str | os.PathLike[str]) -> str:
    """Return the name under which the truth of a data file is kept."""
    return os.path.splitext(os.fspath(path))[0] + ".truth.json"


def numbered(prefix: str, matrix: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """Return the columns of a matrix, named by their numbers from one."""
    return {f"{prefix}{j + 1}": matrix[:, j] for j in range(matrix.shape[1])}


def flat_options(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by the names of factors, settings one by one."""
    flat: dict[str, Any] = {}
    for name, value in arguments.items():
        if is_dataclass(value):
            flat |= {f"{name}_{f.name}": getattr(value, f.name) for f in fields(value)}
        else:
            flat[name] = encode(value)
    return flat


@dataclass(frozen=True, kw_only=True)
class Factor:
    """Something that can be chosen about simulated data.

    Attributes
    ----------
    name : str
        Flat name, such as ``skew_share``.
    parameter : str
        Name in the function, such as ``skew.share``.
    default : object
        What holds if nothing is said.
    types : tuple of type
        What it may be.
    choices : tuple of str
        Names that are understood; empty if it is no name.
    is_repeated : bool
        Whether several names may be given.
    group : str
        ``"Size"``, ``"Shape"`` or ``"Disturbance"``.
    summary : str
        What it means, in a sentence.
    """

    name: str
    parameter: str
    default: Any
    types: tuple[Any, ...]
    choices: tuple[str, ...] = ()
    is_repeated: bool = False
    group: str = "Shape"
    summary: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulator(Method):
    """A way to make data with a known truth.

    Attributes
    ----------
    function : callable
        Makes a `Simulation`.
    choices : mapping
        Names that a factor may have, by its flat name: a registry, or names alone.
    sizes, disturbances : tuple of str
        Beginnings of the names of factors that are about size, and about what hides the
        truth; all others are about shape.
    left_out : tuple of str
        Parameters that are no factors.
    next_command : callable
        From a simulation and the name of its file to the words of a command that works
        on them; no words where there is none.
    """

    function: Callable[..., Simulation]
    choices: Mapping[str, Registry[Any] | Sequence[str]]
    sizes: tuple[str, ...]
    disturbances: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    next_command: Callable[[Any, str], tuple[str, ...]]

    @cached_property
    def factors(self) -> dict[str, Factor]:
        """Everything that can be chosen, by flat name, from the signature."""
        found = {}
        hints = get_type_hints(self.function)
        texts = _parameter_texts(self.function)
        for name, parameter in inspect.signature(self.function).parameters.items():
            if name in ("random_state", *self.left_out):
                continue
            default = parameter.default
            if not is_dataclass(default):
                found[name] = self._factor(
                    name, name, default, hints[name], texts.get(name, "")
                )
                continue
            own_hints = get_type_hints(type(default))
            own_texts = _parameter_texts(type(default))
            for own in fields(default):
                flat = f"{name}_{own.name}"
                found[flat] = self._factor(
                    flat,
                    f"{name}.{own.name}",
                    getattr(default, own.name),
                    own_hints[own.name],
                    own_texts.get(own.name, ""),
                )
        return found

    def make(self, *, random_state: RandomState = 0, **factors: Any) -> Simulation:
        """Make data from factors by their flat names.

        Parameters
        ----------
        random_state : int, Generator or None, default=0
            Seed.
        **factors : object
            Values of factors.

        Returns
        -------
        Simulation
            Data and truth.

        Raises
        ------
        UsageError
            If a factor is unknown or its value cannot be; ``parameter`` is its name in
            the function, such as ``skew.share``.

        Examples
        --------
        >>> from scorecast.simulate import SIMULATORS
        >>> made = SIMULATORS["classification"].make(n_samples=50, skew_share=0.1)
        >>> made.X.shape, made.truth.skewed.size
        ((50, 500), 50)
        """
        arguments: dict[str, Any] = {}
        settings: dict[str, dict[str, Any]] = {}
        for name, value in factors.items():
            if name not in self.factors:
                near = near_name(name, tuple(self.factors))
                raise UnknownParameterError(
                    f"{self.name} data have no factor {name!r}",
                    remedy=f"try {near!r}"
                    if near
                    else f"choose from {', '.join(self.factors)}",
                )
            owner, _, own = self.factors[name].parameter.partition(".")
            if own:
                settings.setdefault(owner, {})[own] = value
            else:
                arguments[owner] = value
        parameters = inspect.signature(self.function).parameters
        for owner, given in settings.items():
            try:
                arguments[owner] = replace(parameters[owner].default, **given)
            except UsageError as error:
                at_fault = f"{owner}.{error.parameter}"
                raise UsageError(
                    error.problem, parameter=at_fault, remedy=error.remedy
                ) from error
        return self.function(**arguments, random_state=random_state)

    def _factor(
        self, name: str, parameter: str, default: Any, hint: Any, text: str
    ) -> Factor:
        group = "Shape"
        if name.startswith(self.sizes):
            group = "Size"
        elif name.startswith(self.disturbances):
            group = "Disturbance"
        types = get_args(hint) or (hint,)
        choices = self.choices.get(name, ())
        if isinstance(choices, Registry):  # whose methods say what they are
            each = "; ".join(f"{m.name}: {m.summary}" for m in choices.values())
            text = f"{re.sub(r', one of [A-Z_]+', '', text)} {each}."
        return Factor(
            name=name,
            parameter=parameter,
            default=default,
            types=tuple(one for one in types if one is not NoneType),
            choices=tuple(map(str, choices)),
            is_repeated=Sequence[str] in types,
            group=group,
            summary=text,
        )


SIMULATORS: Registry[Simulator] = Registry()


def _parameter_texts(owner: Any) -> dict[str, str]:
    """Return the first sentence that a docstring says about every parameter."""
    lines = (inspect.getdoc(owner) or "").splitlines()
    titles = [title for title in ("Parameters", "Attributes") if title in lines]
    if not titles:
        return {}
    texts: dict[str, list[str]] = {}
    names: list[str] = []
    for line in lines[lines.index(titles[0]) + 2 :]:
        if line.startswith(" "):
            for name in names:
                texts[name].append(line.strip())
        elif " : " in line:
            names = line.partition(" : ")[0].split(", ")
            texts |= {name: [] for name in names}
        elif line:  # the heading of the next section
            break
    plain = {
        name: re.sub(r"\s*\[\d+\]_|`", "", " ".join(text))
        for name, text in texts.items()
    }
    return {name: re.split(r"(?<=\.)\s", text)[0] for name, text in plain.items()}
