"""``scorecast assess --density``: whether a density describes the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.unused import OF_PREDICTORS, refuse_given
from scorecast.exceptions import Location, locating

if TYPE_CHECKING:
    from scorecast.evaluation import DensityComparison, DensityTest

__all__ = ["as_fitted_option", "assess_density", "density_option"]

_HELD_OUT = 0.5
_UNUSED = (
    *OF_PREDICTORS, "bicluster_file", "bicluster_models", "truth_file", "pattern",
    "named_beforehand", "missing_value", "share", "relaxed_alpha",
)  # fmt: skip

density_option = click.option(
    "--density",
    "densities",
    multiple=True,
    metavar="MODEL",
    help="Ask whether a density fitted to some rows of DATA describes the others, as "
    '"sklearn.mixture:GaussianMixture(n_components=3)"; may be repeated, to compare.',
)
as_fitted_option = click.option(
    "--as-fitted",
    is_flag=True,
    help="Ask of --density as it was fitted to one part, errors of the fit included; "
    "by default p allows for them.",
)


def assess_density(options: dict[str, Any]) -> None:
    """Read, fit, test on rows that were held out, and deliver."""
    from scorecast._core.progress import computing
    from scorecast.cli.datasets import read_rows
    from scorecast.cli.inputs import collected_warnings, file_prints
    from scorecast.cli.outputs import check_outputs, deliver

    refuse_given(_UNUSED, "has no part in --density")
    if options["as_fitted"]:
        refuse_given(("n_repeats", "n_jobs"), "has no part in --as-fitted")
        if len(options["densities"]) > 1:
            msg = "--as-fitted takes one --density."
            raise click.UsageError(msg)
    check_outputs(options)
    with collected_warnings() as lines:
        data = read_rows(options, allow_missing=False)
        check_outputs(options, [data.source])
        with computing(), locating({"X": Location(file=data.source)}):
            result = _tested(data.values, options)
        files = file_prints([data.source])
    deliver(result, options, files=files, notes=list(dict.fromkeys(lines)))
    _check_gate(result, options["fail_below"])


def _tested(values: Any, options: dict[str, Any]) -> DensityTest | DensityComparison:
    from scorecast.evaluation import compare_densities, density_test

    densities = [_model(text) for text in options["densities"]]
    if len(set(options["densities"])) < len(densities):
        msg = "--density names a model twice: name different ones."
        raise click.UsageError(msg)
    chosen: dict[str, Any] = {
        "test_size": options["test_size"] or _HELD_OUT,
        "n_permutations": options["n_permutations"] or None,
        "n_refits": options["n_permutations"] or None,
        "confidence_level": options["level"],
        "alpha": options["alpha"],
        "random_state": options["seed"],
        "n_jobs": options["n_jobs"],
    }
    if options["as_fitted"]:
        return density_test(densities[0], values, as_fitted=True, **chosen)
    chosen["n_splits"] = _splits()
    if len(densities) == 1:
        return density_test(densities[0], values, **chosen)
    return compare_densities(densities, values, **chosen)


def _splits() -> int | None:
    """Return --repeats, if it was given: its default is of another question."""
    context = click.get_current_context()
    source = context.get_parameter_source("n_repeats")
    if source is None or source.name != "COMMANDLINE":
        return None
    return int(context.params["n_repeats"])


def _model(text: str) -> Any:
    from scorecast.exceptions import UsageError
    from scorecast.guarantees import model_from

    density = model_from(text) if ":" in text else None
    if not (hasattr(density, "sample") and hasattr(density, "fit")):
        msg = (
            f"--density {text} cannot draw samples; give a class with `sample`, such "
            'as "sklearn.mixture:GaussianMixture(n_components=3)" or '
            '"sklearn.neighbors:KernelDensity(bandwidth=0.5)".'
        )
        raise UsageError(msg)
    return density


def _check_gate(
    result: DensityTest | DensityComparison, threshold: float | None
) -> None:
    from scorecast.evaluation import DensityComparison
    from scorecast.exceptions import GateFailedError

    if threshold is None:
        return
    best = (
        result.tests[result.best] if isinstance(result, DensityComparison) else result
    )
    if not best.gain_low >= threshold:
        msg = (
            f"the gain of {best.density} beyond independent normals reaches down to "
            f"{best.gain_low:.4g} nats per sample; --fail-below {threshold:g} asks for "
            "more"
        )
        raise GateFailedError(msg)
