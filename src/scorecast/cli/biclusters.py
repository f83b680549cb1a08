"""``scorecast assess --biclusters``: how good biclusters, and their finders, are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scorecast.biclusters import PATTERNS
from scorecast.cli.options import Whole
from scorecast.cli.unused import OF_PREDICTORS, refuse_given

if TYPE_CHECKING:
    from scorecast._core.results import Result
    from scorecast.io import Matrix

__all__ = ["assess_biclusters", "bicluster_options", "wants_biclusters"]

F = TypeVar("F", bound=Callable[..., Any])
_SHUFFLES = 199
# What would be ignored, by what is asked about.
_OF_FINDERS = ("n_repeats", "share", "level", "relaxed_alpha")
_OF_FILES = ("pattern", "named_beforehand", "n_permutations")
_OF_BICLUSTERS = ("pattern", "named_beforehand", "missing_value", "n_repeats", "share")


def bicluster_options(function: F) -> F:
    """Add the ways in which biclusters, or what finds them, may be given."""
    options = [
        click.option("--biclusters", "bicluster_file", metavar="FOUND.json",
                     help="Score biclusters of DATA, not models: JSON as G-Bic's, or "
                     "a list of pairs of rows and columns, counted from 0."),
        click.option("--bicluster-model", "bicluster_models", multiple=True,
                     metavar="MODEL",
                     help="Assess what finds biclusters, on subsamples of DATA, as "
                     "\"sklearn.cluster:SpectralCoclustering(n_clusters=3)\"; may be "
                     "repeated."),
        click.option("--truth", "truth_file", metavar="TRUTH.json",
                     help="Hidden biclusters to compare with."),
        click.option("--pattern", type=click.Choice(["auto", *PATTERNS]),
                     default="auto", show_default=True,
                     help="What may be surprising about a bicluster: "
                     + "; ".join(f"{m.name}: {m.summary}" for m in PATTERNS.values())
                     + "; auto: whichever is most."),
        click.option("--named-beforehand", is_flag=True,
                     help="The biclusters were not found in DATA: test them by "
                     "shuffling its columns."),
        click.option("--missing-value", type=float, metavar="VALUE",
                     help="Value that stands for a missing one, as NaN always does; "
                     "left out of means."),
        click.option("--repeats", "n_repeats", type=Whole(min=2), default=20,
                     show_default=True, help="Subsamples for --bicluster-model; "
                     "splits for --density, of which the default is 5."),
        click.option("--share", type=float, default=0.8, show_default=True,
                     help="Share of the rows of DATA in a subsample."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def wants_biclusters(options: dict[str, Any]) -> bool:
    """Tell whether biclusters are asked about; refuse what does not go together."""
    file, models = options["bicluster_file"], options["bicluster_models"]
    if not (file or models):
        if options["truth_file"]:
            msg = "--truth needs --biclusters or --bicluster-model to compare with."
            raise click.UsageError(msg)
        refuse_given(_OF_BICLUSTERS, "is for --biclusters or --bicluster-model")
        return False
    if file and models:
        msg = "Give either --biclusters or --bicluster-model."
        raise click.UsageError(msg)
    refuse_given((*OF_PREDICTORS, "test_size"), "is for models that predict")
    if file:
        refuse_given(_OF_FINDERS, "is for --bicluster-model")
    else:
        refuse_given(_OF_FILES, "is for --biclusters")
        twice = next((text for text in models if models.count(text) > 1), None)
        if twice is not None:
            msg = f"--bicluster-model {twice} is given twice: one would hide the other."
            raise click.UsageError(msg)
    if file and options["fail_below"] is not None and not options["truth_file"]:
        msg = "--fail-below looks at the consensus, which needs --truth."
        raise click.UsageError(msg)
    return True


def assess_biclusters(options: dict[str, Any]) -> None:
    """Read, score and deliver."""
    from scorecast._core.progress import computing
    from scorecast.cli.datasets import read_rows
    from scorecast.cli.inputs import collected_warnings, file_prints
    from scorecast.cli.outputs import check_outputs, deliver

    named = [options["data"], options["bicluster_file"], options["truth_file"]]
    inputs = [path for path in named if path]
    check_outputs(options)
    with collected_warnings() as lines:
        data = read_rows(options, allow_missing=True)
        check_outputs(options, [data.source, *inputs[1:]])
        with computing():
            result, matrix = _answer(data, options)
        files = file_prints([data.source, *inputs[1:]])
    deliver(result, options, files=files, notes=list(dict.fromkeys(lines)),
            matrix=matrix)  # fmt: skip
    _check_gate(result, options["fail_below"])


def _answer(
    data: Matrix, options: dict[str, Any]
) -> tuple[Result, dict[str, Any] | None]:
    """Return the answer, and what the matrix was where the answer does not say it."""
    import numpy as np

    from scorecast.biclusters import score_biclusters
    from scorecast.exceptions import locating

    values = np.array(data.values, dtype=np.float64)
    shape = (values.shape[0], values.shape[1])
    if options["missing_value"] is not None:
        values[values == options["missing_value"]] = np.nan
    truth = _set(options["truth_file"], shape)
    if options["bicluster_models"]:
        return _assessed(values, truth, options)
    found = _set(options["bicluster_file"], shape)
    with locating(_places(options)):
        scored = score_biclusters(
            found,
            truth=truth,
            data=values,
            nan_policy="omit",
            pattern=options["pattern"],
            is_found_in_data=not options["named_beforehand"],
            n_permutations=options["n_permutations"] or _SHUFFLES,
            alpha=options["alpha"],
            random_state=options["seed"],
            n_jobs=options["n_jobs"],
        )
    return scored, None


def _places(options: dict[str, Any]) -> dict[str, Any]:
    """Say which files the library's arguments came from."""
    from scorecast.exceptions import Location

    files = {"found": options["bicluster_file"], "truth": options["truth_file"]}
    return {name: Location(file=path) for name, path in files.items() if path}


def _set(path: str | None, shape: tuple[int, int]) -> Any:
    """Read biclusters, naming the file where something is wrong with them."""
    if path is None:
        return None
    from scorecast.biclusters import as_bicluster_set
    from scorecast.exceptions import Location, locating
    from scorecast.io import read_json

    content = read_json(path)
    with locating({"found": Location(file=path)}):
        return as_bicluster_set(content, shape=shape)


def _assessed(
    values: Any, truth: Any, options: dict[str, Any]
) -> tuple[Result, dict[str, Any]]:
    from scorecast.biclusters import bicluster_estimates
    from scorecast.guarantees import assess_estimates, model_from

    texts = options["bicluster_models"]
    short = [text.partition(":")[2] or text for text in texts]
    # Two classes of one name, from two modules, are told apart by the module.
    names = short if len(set(short)) == len(short) else texts
    finders = {n: model_from(text) for n, text in zip(names, texts, strict=True)}
    estimates = bicluster_estimates(
        finders,
        values,
        truth=truth,
        n_repeats=options["n_repeats"],
        share=options["share"],
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
    )
    answer = assess_estimates(
        estimates,
        level=options["level"],
        alpha=options["alpha"],
        relaxed_alpha=options["relaxed_alpha"],
        random_state=options["seed"],
    )
    facts = ("n_rows", "n_columns", "share", "has_truth")
    return answer, {name: getattr(estimates, name) for name in facts}


def _check_gate(result: Any, threshold: float | None) -> None:
    from scorecast.exceptions import GateFailedError

    if threshold is None:
        return
    if result.kind == "estimate-assessment":
        reached, what = result.best.losses[0].low, "consensus, at the near end,"
    else:
        reached, what = result.agreement["consensus"].value, "consensus"
    if reached < threshold:
        msg = f"{what} is {reached:.4g}; --fail-below {threshold:g} asks for more"
        raise GateFailedError(msg)
