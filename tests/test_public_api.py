"""The public surface is pinned, documented, and cheap to import."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import scorecast

NAMES = set(scorecast.__all__)  # written in `__init__.pyi`, and nowhere else
ROOMS = {"__version__", "exceptions", "simulate"}
FOLDERS = sorted(m.name for m in pkgutil.iter_modules(scorecast.__path__) if m.ispkg)
MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(scorecast.__path__, "scorecast.")
    if not m.name.endswith("__main__")
)


def test_the_front_door_shows_what_it_has_and_hides_no_room_behind_a_function():
    assert set(dir(scorecast)) == NAMES
    assert len(NAMES) == len(scorecast.__all__)
    assert NAMES.isdisjoint({*FOLDERS} - ROOMS)


@pytest.mark.parametrize("name", sorted(NAMES - ROOMS))
def test_every_public_name_loads_and_is_documented(name):
    assert callable(getattr(scorecast, name))
    assert getattr(scorecast, name).__doc__


def test_simulations_have_a_namespace_of_their_own():
    names = ("classification", "biclusters", "recognition", "forecasts", "survival")
    assert all(callable(getattr(scorecast.simulate, name)) for name in names)
    assert scorecast.simulate.__doc__


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_offers_what_it_lists(folder):
    module = importlib.import_module(f"scorecast.{folder}")
    assert module.__doc__
    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name)


def test_one_argument_has_one_default_in_every_room():
    house = {"random_state": 0, "confidence_level": 0.95, "units": "bits"}
    excepted = {
        ("TunedEstimator", "random_state"),  # scikit-learn's default
        ("ImpliedInformation", "random_state"),  # an answer, which may have had no seed
    }
    found = {
        (name, argument): given.default
        for folder in FOLDERS
        for name in getattr(
            importlib.import_module(f"scorecast.{folder}"), "__all__", ()
        )
        if callable(public := getattr(sys.modules[f"scorecast.{folder}"], name))
        for argument, given in inspect.signature(public).parameters.items()
        if argument in house and given.default is not inspect.Parameter.empty
    }
    other = {key for key, default in found.items() if default != house[key[1]]}
    assert other == excepted
    assert {argument for _, argument in found} == set(house)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    failures, _ = doctest.testmod(
        module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert failures == 0


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="extrapolation_curve"):
        scorecast.extrapolation_curve  # noqa: B018


def test_importing_the_package_costs_next_to_nothing():
    code = (
        "import sys, scorecast; print(sorted(m for m in sys.modules if '.' not in m))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "scipy", "sklearn", "numba", "matplotlib", "pandas", "click"}
    assert not heavy & set(eval(done.stdout))
