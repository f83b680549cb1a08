"""Parameters of another name: the one that was meant is named."""

import inspect

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.keywords import checked_keywords
from scorecast.exceptions import UnknownParameterError, UsageError


def callables():
    """Everything public that takes a seed."""
    for name in sc.__all__:
        found = getattr(sc, name)
        parts = getattr(found, "__all__", ()) if inspect.ismodule(found) else ()
        for one in [found, *(getattr(found, part) for part in parts)]:
            if inspect.isfunction(one) or inspect.isclass(one):
                names = inspect.signature(one).parameters
                if "random_state" in names and "options" not in names:
                    yield pytest.param(one, id=one.__name__)


@pytest.mark.parametrize("call", list(callables()))
def test_who_says_seed_is_told_of_random_state(call):
    given = [
        np.eye(4) if name != "to" else 9
        for name, parameter in inspect.signature(call).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    needed = {
        name: 9
        for name, parameter in inspect.signature(call).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.KEYWORD_ONLY
    }
    with pytest.raises(TypeError, match=r"[Dd]id you mean `random_state`\?"):
        call(*given, **(needed | {"seed": 3}))


def test_among_costs_too():
    given = np.eye(4), [0, 1, 2, 3]
    with pytest.raises(TypeError, match=r"did you mean `random_state`\?"):
        sc.extrapolate(*given, cost=1 - np.eye(4), to=9, seed=3)


def test_other_names_are_listed_or_the_nearest_is_named():
    @checked_keywords
    def draw(n, *, random_state=0, n_jobs=None):
        """Say it."""
        return n, random_state, n_jobs

    assert draw(3, random_state=1) == (3, 1, None)
    assert draw.__doc__ == "Say it."
    assert list(inspect.signature(draw).parameters) == ["n", "random_state", "n_jobs"]
    with pytest.raises(UnknownParameterError, match="did you mean `n_jobs`"):
        draw(3, njobs=2)
    with pytest.raises(UsageError, match="no parameter `colour`: n, random_state"):
        draw(3, colour=2)
