"""``scorecast density``: whether a density describes the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import (
    Share,
    Whole,
    drop_option,
    level_option,
    output_options,
    table_options,
)
from scorecast.cli.verb import Verb, option, refuse_unused
from scorecast.exceptions import Location, UsageError

if TYPE_CHECKING:
    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.evaluation import DensityComparison, DensityTest

_OF_REFITS = ("n_splits", "n_jobs")
_CLASSES = (
    "sklearn.mixture:GaussianMixture(n_components=3)",
    "sklearn.neighbors:KernelDensity(bandwidth=0.5)",
    "sklearn.mixture:BayesianGaussianMixture(n_components=3)",
)
_SUCH = f'give a class that can draw, such as "{_CLASSES[0]}" or "{_CLASSES[1]}"'


@click.command(
    name="density",
    cls=Verb,
    usual=(
        "--density",
        "--alpha",
        "--confidence-level",
        "--n-splits",
        "--test-size",
        "--fail-below",
        "--json",
        "--report",
    ),
    aliases={
        "density": "--density",
        "estimator": "--density",
        "X": "DATA",
        "n_refits": "--permutations",
    },
)
@click.argument("data", metavar="DATA")
@drop_option
@option("File layout", "--key", help="Name of the array in an .npz file.")
@table_options
@option(
    "Question",
    "--density",
    "densities",
    multiple=True,
    required=True,
    metavar="MODEL",
    help="Density to fit and test, as "
    '"sklearn.mixture:GaussianMixture(n_components=3)"; may be repeated, to compare.',
)
@option(
    "Question",
    "--as-fitted",
    is_flag=True,
    help="Test the density just as fitted, so that errors of the fit count against it; "
    "by default it is fitted again to data drawn from it, and p allows for them.",
)
@option(
    "Question",
    "--alpha",
    type=Share(is_open=True),
    default=0.05,
    help="Level below which a density is rejected.",
)
@level_option()
@option(
    "Question",
    "--fail-below",
    type=float,
    metavar="NATS",
    help="Exit with 5 if the gain of the best density beyond independent normals, at "
    "the lower end of its interval, is less, in nats per sample.",
)
@option(
    "Method",
    "--test-size",
    type=Share(is_open=True),
    default=0.5,
    help="Share of the rows that is held out.",
)
@option(
    "Method",
    "--n-splits",
    type=Whole(min=2),
    help="Divisions into fitted and held out. [default: 5]",
)
@option(
    "Method",
    "--permutations",
    "n_permutations",
    type=Whole(min=0),
    help="Permutations, and data sets drawn from the density and fitted anew. "
    "[default: 199 and 99, or as many as --alpha asks for]",
)
@option(
    "Method",
    "--max-samples",
    type=Whole(min=10),
    default=1000,
    help="Rows that are compared at most.",
)
@output_options
def command(**options: Any) -> None:
    """Say whether a density describes the data, and which of several does best.

    DATA is a matrix of numbers, one row per sample (.csv, .csv.gz, .npy, .npz,
    .parquet). A density is fitted to some rows and asked about others.
    """
    from scorecast.cli.outputs import run

    if options["as_fitted"]:
        context = click.get_current_context()
        refuse_unused(context, _OF_REFITS, "in --as-fitted: leave it out")
        if len(options["densities"]) > 1:
            raise UsageError("--as-fitted takes one", parameter="densities")
    run(options, _load, _answer, gates=_gates)


def _load(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import file_layout
    from scorecast.cli.outputs import Loaded
    from scorecast.io import read_matrix

    densities = [_density(text) for text in options["densities"]]
    if len(set(options["densities"])) < len(densities):
        problem = "names a model twice"
        raise UsageError(problem, parameter="densities", remedy="name different ones")
    data = read_matrix(options["data"], layout=file_layout(options))
    return Loaded(
        arguments={"densities": densities, "X": data.values},
        files=(data.source,),
        places={"X": Location(file=data.source)},
    )


def _density(text: str) -> Any:
    """Make a density from its name; it must fit and draw."""
    from scorecast.evaluation import make_estimator

    density = make_estimator(text, such=_CLASSES)
    if not (hasattr(density, "sample") and hasattr(density, "fit")):
        problem = f"{text} cannot draw samples"
        raise UsageError(problem, parameter="densities", remedy=_SUCH)
    return density


def _answer(options: dict[str, Any], loaded: Loaded) -> DensityTest | DensityComparison:
    from scorecast.evaluation import compare_densities, density_test

    densities, X = loaded.arguments["densities"], loaded.arguments["X"]
    n_draws = options["n_permutations"] or None
    chosen: dict[str, Any] = {
        "n_permutations": n_draws,
        "n_refits": n_draws,
        "random_state": options["seed"],
        **{
            name: options[name]
            for name in (
                "test_size",
                "n_splits",
                "max_samples",
                "confidence_level",
                "alpha",
                "n_jobs",
            )
        },
    }
    if len(densities) > 1:
        return compare_densities(densities, X, **chosen)
    return density_test(densities[0], X, as_fitted=options["as_fitted"], **chosen)


def _gates(
    result: DensityTest | DensityComparison, options: dict[str, Any]
) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate
    from scorecast.evaluation import DensityComparison

    if isinstance(result, DensityComparison):
        result = result.tests[result.best]
    yield Gate(
        option="--fail-below",
        least=options["fail_below"],
        value=result.gain_low,
        subject=f"the gain of {result.density} beyond independent normals, at its "
        "lower end,",
        unit="nats per sample",
    )
