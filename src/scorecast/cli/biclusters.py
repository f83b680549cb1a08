"""``scorecast biclusters``: how good biclusters, and what finds them, are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from scorecast._core.registry import Registry
from scorecast.biclusters import (
    AGREEMENT_MEASURES,
    ASSIGNMENTS,
    BICLUSTERERS,
    COHERENCE_MEASURES,
    PATTERNS,
    AgreementMeasure,
    CoherenceMeasure,
)
from scorecast.cli.factors import (
    check_factors,
    design_option,
    fixed_option,
    read_factors,
    varied_option,
)
from scorecast.cli.options import (
    Share,
    Whole,
    drop_option,
    level_option,
    output_options,
    table_options,
)
from scorecast.cli.verb import MethodName, Verb, method_option, option, refuse_unused
from scorecast.exceptions import InvalidInputError, Location, UsageError, locating
from scorecast.simulate import SIMULATORS

if TYPE_CHECKING:
    from scorecast.biclusters import BiclusterSettings
    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.evaluation import EstimateAssessment
    from scorecast.io import FileLayout

# What would be ignored, by what is asked about.
_OF_MODELS = (
    "n_repeats",
    "subsample",
    "confidence_level",
    "relaxed_alpha",
    "measures",
)
_OF_FOUND = (
    "annotations",
    "pattern",
    "named_beforehand",
    "n_permutations",
    "n_random",
    "assign_by",
)
_OF_FILES = (
    "truth",
    "row_names",
    "missing_value",
    "drop",
    "key",
    "subsample",
)
_OF_MADE = ("varied", "fixed", "design")
_FACTORS = ["size", *SIMULATORS["biclusters"].factors]
_MEASURES: Registry[AgreementMeasure | CoherenceMeasure] = Registry(
    {**AGREEMENT_MEASURES, **COHERENCE_MEASURES}
)
_SHUFFLES = 199
_FOUND, _MODELS = "Question, of --found", "Question, of --model"


@click.command(
    name="biclusters",
    cls=Verb,
    usual=(
        "--found",
        "--model",
        "--truth",
        "--pattern",
        "--simulate",
        "--vary",
        "--fix",
        "--repeats",
        "--json",
        "--report",
    ),
    aliases={"estimator": "--model", "data": "DATA", "factors": "--vary"},
)
@click.argument("data", required=False, metavar="[DATA]")
@option(
    "Input",
    "--simulate",
    is_flag=True,
    help="Make matrices instead, as `scorecast simulate biclusters` does, and hold "
    "what --model finds against what was hidden.",
)
@option(
    "Input",
    "--found",
    metavar="FOUND.json",
    help="Biclusters of DATA to score: a JSON list of pairs [rows, columns], counted "
    "from 0, or the JSON that the data generator G-Bic writes.",
)
@option(
    "Input",
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help="What finds biclusters, to be run on subsamples of DATA or on made ones, as "
    '"sklearn.cluster:SpectralCoclustering(n_clusters=3)"; may be repeated.',
)
@option(
    "Input",
    "--truth",
    metavar="TRUTH.json",
    help="Hidden biclusters to compare with.",
)
@option(
    "Input",
    "--annotations",
    metavar="TERMS.csv",
    help="What is known of rows, a table with the columns row (counted from 0, or a "
    "name of --row-names) and term: say which terms biclusters share.",
)
@option(
    "Input",
    "--row-names",
    metavar="COL",
    help="Column of DATA with the names of its rows, which are no values.",
)
@option(
    "Input",
    "--missing-value",
    type=float,
    metavar="VALUE",
    help="Value that stands for a missing one, as NaN always does; left out of means.",
)
@drop_option
@option("File layout", "--key", help="Name of the array in an .npz file.")
@table_options
@option(
    "Question",
    "--alpha",
    type=Share(is_open=True),
    default=0.05,
    help="Level below which a bicluster, or a model, is no accident.",
)
@option(
    "Question",
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the consensus (of models: the near end of its interval) is "
    "lower. With --found it needs --truth.",
)
@varied_option(
    "For --simulate, a factor with its values, such as size=100x30,500x60 (rows and "
    "columns together) or noise=0,0.1; may be repeated."
)
@fixed_option("size=500x60 or pattern=additive")
@design_option(" [default: grid]")
@method_option(
    "--pattern",
    PATTERNS,
    group=_FOUND,
    says="What may be surprising about a bicluster; auto is whichever is most.",
)
@option(
    _FOUND,
    "--named-beforehand",
    is_flag=True,
    help="The biclusters were not found in DATA: test them by shuffling its columns.",
)
@option(
    _FOUND,
    "--permutations",
    "n_permutations",
    type=Whole(min=0),
    help="Shuffles for --named-beforehand. [default: 199]",
)
@option(
    _FOUND,
    "--random-sets",
    "n_random",
    type=Whole(min=0),
    default=100,
    help="Random sets of biclusters beside which agreement with --truth is shown.",
)
@option(
    _FOUND,
    "--assign-by",
    type=click.Choice(ASSIGNMENTS),
    default="jaccard",
    help="How found and hidden biclusters are paired.",
)
@option(
    _MODELS,
    "--measure",
    "measures",
    type=MethodName(_MEASURES),
    multiple=True,
    metavar="NAME",
    help="What is measured; tests look at the first; may be repeated. [default: "
    "consensus, recovery, relevance, rnia]",
    methods=[(x.name, x.summary) for x in _MEASURES.values()],
)
@option(
    _MODELS,
    "--repeats",
    "n_repeats",
    type=Whole(min=2),
    default=20,
    help="Subsamples, or with --simulate matrices in every setting.",
)
@option(
    _MODELS,
    "--subsample",
    type=Share(is_open=True),
    default=0.8,
    help="Share of the rows of DATA in a subsample.",
)
@level_option(group=_MODELS)
@option(
    _MODELS,
    "--relaxed-alpha",
    type=Share(is_open=True),
    default=0.2,
    help="Level below which a result is exploratory.",
)
@output_options
def command(**options: Any) -> None:
    """Score biclusters of a matrix, or what finds them.

    DATA is a matrix of numbers (.csv, .csv.gz, .npy, .npz, .parquet). With --found,
    what was found in it is scored, against hidden biclusters (--truth) or by itself;
    with --model, what finds biclusters is run on subsamples of its rows. With
    --simulate, matrices are made, and what --model finds in them is held against what
    was hidden: every option of `simulate biclusters` is a factor to --vary or --fix.
    """
    from scorecast.cli.outputs import run

    _check_asked(options)
    run(options, _load, _answer, gates=_gates)


def _check_asked(options: dict[str, Any]) -> None:
    """Refuse what does not go together, before anything is read."""
    found, models = options["found"], options["models"]
    context = click.get_current_context()
    if bool(options["data"]) == options["simulate"]:
        msg = "Give either DATA, or --simulate to make matrices."
        raise click.UsageError(msg)
    if options["simulate"]:
        if found or not models:
            msg = "Give --model: matrices that are made have nothing that was found."
            raise click.UsageError(msg)
        refuse_unused(context, _OF_FILES, "with --simulate: it is of DATA")
    else:
        refuse_unused(context, _OF_MADE, "without --simulate: it is of what is made")
    if not options["varied"]:
        refuse_unused(context, ("design",), "without --vary")
    if bool(found) == bool(models):
        msg = "Give either --found or --model."
        raise click.UsageError(msg)
    if found:
        refuse_unused(context, _OF_MODELS, "with --found: it is of --model")
        if options["fail_below"] is not None and not options["truth"]:
            problem = "looks at the consensus, which needs hidden biclusters"
            raise UsageError(problem, parameter="fail_below", remedy="give --truth")
        return
    refuse_unused(context, _OF_FOUND, "with --model: it is of --found")
    measures = options["measures"]
    if options["fail_below"] is not None and measures and "consensus" not in measures:
        problem = "looks at the consensus, which is not measured"
        raise UsageError(problem, parameter="fail_below", remedy="measure it")
    twice = next((text for text in models if models.count(text) > 1), None)
    if twice is not None:
        problem = f"{twice} is given twice: one would hide the other"
        raise UsageError(problem, parameter="models")


def _load(options: dict[str, Any]) -> Loaded:
    if options["simulate"]:
        return _made(options)
    import numpy as np

    from scorecast.cli.inputs import file_layout
    from scorecast.cli.outputs import Loaded
    from scorecast.io import read_matrix

    names = options["row_names"]
    drop = (*options["drop"], *([names] if names else []))
    layout = file_layout(options, drop=drop)
    data = read_matrix(options["data"], nonfinite="missing", layout=layout)
    values = np.array(data.values, dtype=np.float64)
    if options["missing_value"] is not None:
        values[values == options["missing_value"]] = np.nan
    shape = (values.shape[0], values.shape[1])
    named = {name: options[name] for name in ("found", "truth") if options[name]}
    sets = {name: _set(path, shape) for name, path in named.items()}
    if options["annotations"]:
        named["annotations"] = options["annotations"]
        sets["annotations"] = _annotations(options["annotations"], by_name=bool(names))
    if names and options["annotations"]:
        sets["row_names"] = _row_names(options["data"], names, layout)
    return Loaded(
        arguments={"data": values, **sets},
        files=(data.source, *named.values()),
        places={name: Location(file=path) for name, path in named.items()},
    )


def _made(options: dict[str, Any]) -> Loaded:
    """Say what makes matrices, and what is varied."""
    from scorecast.biclusters import simulated_matrix
    from scorecast.cli.outputs import Loaded

    varied = read_factors(options["varied"], "varied", _FACTORS)
    fixed = read_factors(options["fixed"], "fixed", _FACTORS)
    check_factors(varied, fixed, _FACTORS)
    own = {name: values[0] for name, values in fixed.items()}
    if "size" in {**varied, **fixed}:
        for name in ("n_rows", "n_columns"):
            if name in {**varied, **fixed}:
                problem = f"size says {name}, too: give one of them"
                raise UsageError(problem, parameter="varied")
    make = partial(simulated_matrix, **own)
    if varied:
        return Loaded(arguments={"simulator": make, "factors": varied})
    return Loaded(arguments={"simulator": lambda rng: make(random_state=rng)})


def _annotations(path: str, *, by_name: bool) -> dict[str, list[Any]]:
    """Read the rows of every term: names, or numbers."""
    from scorecast.io import read_columns

    read = read_columns(path, [], ["term", "row"]).texts
    found: dict[str, list[Any]] = {}
    pairs = zip(read["term"].tolist(), read["row"].tolist(), strict=True)
    for line, (term, row) in enumerate(pairs, 2):
        blank = "term" if not str(term).strip() else "row"
        if not str(term).strip() or not str(row).strip():
            raise InvalidInputError(
                "the cell is empty",
                location=Location(file=path, column=blank, row=line),
                remedy="fill it or drop the row",
            )
        number = not by_name and str(row).lstrip("-").isdecimal()
        found.setdefault(str(term), []).append(int(row) if number else row)
    return found


def _row_names(path: str, column: str, layout: FileLayout) -> list[Any]:
    from scorecast.io import read_columns

    names: list[Any] = (
        read_columns(path, [], [column], layout=layout).texts[column].tolist()
    )
    return names


def _set(path: str, shape: tuple[int, int]) -> Any:
    """Read biclusters, naming the file where something is wrong with them."""
    from scorecast.biclusters import as_bicluster_set
    from scorecast.io import read_json

    content = read_json(path)
    with locating({"found": Location(file=path)}):
        return as_bicluster_set(content, shape=shape)


def _answer(options: dict[str, Any], loaded: Loaded) -> Any:
    from scorecast.biclusters import score_biclusters

    if options["models"]:
        return _assessed(options, loaded)
    return score_biclusters(
        **loaded.arguments,
        nan_policy="omit",
        pattern=options["pattern"],
        is_found_in_data=not options["named_beforehand"],
        assign_by=options["assign_by"],
        n_random=options["n_random"],
        n_permutations=options["n_permutations"] or _SHUFFLES,
        alpha=options["alpha"],
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
    )


def _assessed(
    options: dict[str, Any], loaded: Loaded
) -> EstimateAssessment | BiclusterSettings:
    """Run what finds biclusters on subsamples, or on matrices that are made."""
    from scorecast.biclusters import assess_biclustering, assess_biclustering_settings
    from scorecast.evaluation import make_estimator

    texts = options["models"]
    short = [text.partition(":")[2] or text for text in texts]
    # Two classes of one name, from two modules, are told apart by the module.
    names = short if len(set(short)) == len(short) else texts
    models = {
        name: make_estimator(text, such=BICLUSTERERS)
        for name, text in zip(names, texts, strict=True)
    }
    shared = ("n_repeats", "confidence_level", "alpha", "relaxed_alpha", "n_jobs")
    call = {
        **loaded.arguments,
        **{name: options[name] for name in shared},
        "measures": options["measures"] or None,
        "random_state": options["seed"],
    }
    if options["varied"]:
        return assess_biclustering_settings(
            models, **call, design=options["design"] or "grid"
        )
    return assess_biclustering(models, **call, subsample=options["subsample"])


def _gates(result: Any, options: dict[str, Any]) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate

    least = options["fail_below"]
    if least is None:
        return
    what = "the consensus, at its near end,"
    if result.kind == "bicluster-settings":
        name, reached = result.gate("consensus")
        what = f"the consensus of {name} in its hardest setting, at its near end,"
    elif result.kind == "estimate-assessment":
        reached = result.models[result.best].metrics["consensus"].low
    else:
        reached, what = result.agreement["consensus"].value, "the consensus"
    yield Gate(option="--fail-below", least=least, value=reached, subject=what)
