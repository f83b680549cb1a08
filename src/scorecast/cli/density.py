"""``scorecast assess --density``: whether a density describes the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.unused import OF_PREDICTORS, refuse_given

if TYPE_CHECKING:
    from scorecast.biclusters import DensityTest

__all__ = ["assess_density", "density_option"]

_HELD_OUT = 0.5
_SHUFFLES = 199
_UNUSED = (
    *OF_PREDICTORS, "bicluster_file", "bicluster_models", "truth_file", "pattern",
    "named_beforehand", "missing_value", "n_repeats", "share", "relaxed_alpha",
    "n_jobs",
)  # fmt: skip

density_option = click.option(
    "--density",
    "densities",
    multiple=True,
    metavar="MODEL",
    help="Ask whether a density fitted to some rows of DATA describes the others, as "
    '"sklearn.mixture:GaussianMixture(n_components=3)".',
)


def assess_density(options: dict[str, Any]) -> None:
    """Read, fit, test on rows that were held out, and deliver."""
    from scorecast._core.progress import progress_shown
    from scorecast.cli.datasets import read_rows
    from scorecast.cli.inputs import blamed_on, collected_warnings, file_prints
    from scorecast.cli.outputs import check_outputs, deliver

    refuse_given(_UNUSED, "has no part in --density")
    if len(options["densities"]) > 1:
        msg = "--density takes one model at a time; compare their log-likelihoods."
        raise click.UsageError(msg)
    check_outputs(options)
    with collected_warnings() as lines:
        data = read_rows(options, allow_missing=False)
        check_outputs(options, [data.source])
        with progress_shown(), blamed_on(data.source):
            result = _tested(data.values, options)
        files = file_prints([data.source])
    deliver(result, options, files=files, notes=list(dict.fromkeys(lines)))
    _check_gate(result, options["fail_below"])


def _tested(values: Any, options: dict[str, Any]) -> DensityTest:
    from scorecast.biclusters import density_test
    from scorecast.exceptions import UsageError
    from scorecast.guarantees import model_from

    text = options["densities"][0]
    density = model_from(text) if ":" in text else None
    if not (hasattr(density, "sample") and hasattr(density, "fit")):
        msg = (
            f"--density {text} cannot draw cases; give a class with `sample`, such as "
            '"sklearn.mixture:GaussianMixture(n_components=3)" or '
            '"sklearn.neighbors:KernelDensity(bandwidth=0.5)".'
        )
        raise UsageError(msg)
    return density_test(
        density,
        values,
        test_size=options["test_size"] or _HELD_OUT,
        n_permutations=options["n_permutations"] or _SHUFFLES,
        level=options["level"],
        alpha=options["alpha"],
        random_state=options["seed"],
    )


def _check_gate(result: DensityTest, threshold: float | None) -> None:
    from scorecast.exceptions import GateFailedError

    if threshold is None:
        return
    if not result.gain_low >= threshold:
        msg = (
            f"the gain of {result.density} beyond independent normals reaches down to "
            f"{result.gain_low:.4g} nats per case; --fail-below {threshold:g} asks for "
            "more"
        )
        raise GateFailedError(msg)
