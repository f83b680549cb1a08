"""Values to try for parameters of models, as text; nothing is evaluated."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from scorecast._core.near_names import near_name
from scorecast.exceptions import UsageError

__all__ = ["edges_of", "grid_from", "grids_for"]

_WORD = re.compile(r"^[A-Za-z][\w.+-]*$")
_CONSTANTS = {"none": None, "true": True, "false": False}


def grid_from(text: str) -> tuple[str, list[Any]]:
    """Read a parameter with the values to try.

    Parameters
    ----------
    text : str
        ``"C=0.1,1,10"``: a name, and literals with commas between them. Plain words
        need no quotes; none, true and false are what they say.

    Returns
    -------
    tuple of str and list
        Name and values.

    Raises
    ------
    UsageError
        If it is anything else, or a value is there twice.

    Examples
    --------
    >>> grid_from("C=0.1,1,10"), grid_from("weights=uniform,distance")
    (('C', [0.1, 1, 10]), ('weights', ['uniform', 'distance']))
    >>> grid_from("hidden_layer_sizes=(10,),(20, 20)")
    ('hidden_layer_sizes', [(10,), (20, 20)])
    """
    name, sign, values = (part.strip() for part in text.partition("="))
    found = _literals(values)
    if not (name.isidentifier() and sign and found):
        msg = f"A grid must read NAME=VALUE,VALUE, such as C=0.1,1,10; got {text!r}."
        raise UsageError(msg)
    seen = [repr(value) for value in found]
    twice = next((x for x in seen if seen.count(x) > 1), None)
    if twice is not None:
        msg = f"A grid must have different values; {twice} is twice in {text!r}."
        raise UsageError(msg)
    return name, found


def _literals(text: str) -> list[Any] | None:
    """Return literals, or words; None where one is neither."""
    try:
        return list(ast.literal_eval(f"[{text}]"))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    found: list[Any] = []
    for word in map(str.strip, text.split(",")):
        if word.lower() in _CONSTANTS:
            found.append(_CONSTANTS[word.lower()])
        elif _WORD.match(word):
            found.append(word)
        else:
            try:
                found.append(ast.literal_eval(word))
            except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
                return None
    return found


def grids_for(
    models: Mapping[str, Any], texts: Sequence[str]
) -> dict[str, dict[str, list[Any]]]:
    """Give every model the grid of its own parameters.

    Parameters
    ----------
    models : mapping of str to estimator
        By name.
    texts : sequence of str
        As of `grid_from`. A parameter is for all models that have it;
        ``MODEL__NAME`` is for one of them.

    Returns
    -------
    dict of str to dict
        By model; models without any parameter to try are left out.

    Raises
    ------
    UsageError
        If no model has a parameter, or one is given twice.
    """
    grids: dict[str, dict[str, list[Any]]] = {}
    for text in texts:
        name, values = grid_from(text)
        places = _places(models, name)
        if not places:
            raise UsageError(_unknown(models, name))
        for model, parameter in places:
            own = grids.setdefault(model, {})
            if parameter in own:
                msg = f"{parameter} of {model} is given twice, then as {text!r}."
                raise UsageError(msg)
            own[parameter] = values
    return grids


def _places(models: Mapping[str, Any], name: str) -> list[tuple[str, str]]:
    owner, _, parameter = name.partition("__")
    wanted = {model: parameter for model in models if _plain(model) == owner}
    named = wanted or dict.fromkeys(models, name)
    return [(m, x) for m, x in named.items() if x in models[m].get_params(deep=True)]


def _plain(model: str) -> str:
    """Name a model as it can stand before a parameter: naive_bayes, SVC."""
    short = model.partition(":")[2] or model
    return short.partition("(")[0].replace("-", "_")


def _unknown(models: Mapping[str, Any], name: str) -> str:
    first = next(iter(models))
    known = sorted({x for m in models.values() for x in m.get_params(deep=True)})
    near = near_name(name.partition("__")[2] or name, known)
    hint = f" Did you mean {near!r}?" if near else ""
    who = f"{first} does not have" if len(models) == 1 else "no model has"
    return f"There is no parameter {name!r} to try: {who} it.{hint}"


def edges_of(model: Any, chosen: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Say which choices were the least or the largest tried, in more than half.

    Parameters
    ----------
    model : estimator
        One that chooses, here or by a search of scikit-learn over one grid.
    chosen : sequence of mapping
        What it chose in every split, as text.

    Returns
    -------
    tuple of str
        One for every such parameter that is a number; better ones may lie beyond.

    Examples
    --------
    >>> from scorecast.guarantees import TunedModel
    >>> tuned = TunedModel(None, {"C": [0.01, 0.1, 1]})
    >>> edges_of(tuned, [{"C": "0.01"}, {"C": "0.01"}, {"C": "0.1"}])
    ('0.01 is the least C tried: try less as well',)
    """
    grid = getattr(model, "grid", getattr(model, "param_grid", None))
    said = []
    for name, values in grid.items() if isinstance(grid, Mapping) else ():
        numbers = [x for x in values if isinstance(x, Real)]
        if len(numbers) < 2 or len(numbers) < len(values):
            continue
        taken = [choice.get(name) for choice in chosen if choice]
        for end, which, way in (
            (min(numbers), "least", "less"),
            (max(numbers), "largest", "more"),
        ):
            if taken.count(str(end)) > len(taken) / 2:
                said.append(f"{end} is the {which} {name} tried: try {way} as well")
    return tuple(said)
