"""``scorecast identify``: what identification proves and implies."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from scorecast._core.near_names import near_name
from scorecast.cli.options import (
    Listed,
    Share,
    Whole,
    level_option,
    output_options,
    table_options,
    units_option,
)
from scorecast.cli.verb import Verb, method_option, option, refuse_unused
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    Location,
    MissingLabelsError,
    UsageError,
    locating,
)
from scorecast.identification import DUPLICATES, PENALTIES, SHRINKAGES, WEIGHTS

if TYPE_CHECKING:
    from scorecast.cli.inputs import Loaded, LoadedScores
    from scorecast.cli.outputs import Gate
    from scorecast.identification import (
        DecoderComparison,
        Identification,
        InformationBound,
    )
    from scorecast.io import Matrix

_USUAL = (
    "--scores",
    "--labels",
    "--features",
    "--responses",
    "--model",
    "--accuracy",
    "--to",
    "--confidence-level",
    "--report",
    "--json",
)
_FAR_MORE = 2  # columns per label beyond which X is no matrix of scores

# What must be given together, and which options are of no use to it.
_ROUTES = {
    "scores": ("scores",),
    "data": ("stimuli", "responses"),
    "embeddings": ("gallery", "probes"),
    "accuracy": ("accuracy", "class_file", "n_tests"),
}
_OF_DATA = (
    "groups",
    "duplicates",
    "test_size",
    "n_splits",
    "models",
    "alphas",
    "shrinkage",
    "ensemble_sizes",
    "ensemble_draws",
)
_OF_SCORES = ("class_file", "prefix", "drop_nonfinite", "lower_is_better")
_OF_VECTORS = ("gallery_labels", "metric")
_OF_LABELS = ("labels", "label_column", "drop")
_OF_ACCURACY = ("n_tests", "n_classifiers")
_OF_CURVES = ("to", "weights", "bound_sizes", "fail_below_low", "key")
_UNUSED = {
    "scores": (*_OF_DATA, *_OF_VECTORS, *_OF_ACCURACY),
    "data": (*_OF_SCORES, *_OF_VECTORS, *_OF_LABELS, *_OF_ACCURACY),
    "embeddings": (*_OF_DATA, *_OF_SCORES, *_OF_ACCURACY),
    "accuracy": (
        *_OF_DATA,
        *(name for name in _OF_SCORES if name != "class_file"),
        *_OF_VECTORS,
        *_OF_LABELS,
        *_OF_CURVES,
    ),
}
_INSTEAD = {
    "scores": "where scores are given",
    "data": "where stimuli and responses are given",
    "embeddings": "where vectors are compared",
    "accuracy": "where an accuracy is all that is known",
}


@click.command(
    name="identify",
    cls=Verb,
    usual=_USUAL,
    aliases={
        "y_true": "--labels",
        "greater_is_better": "--lower-is-better",
        "n_classes": "--classes",
    },
    context_settings={"allow_extra_args": True},
)
@option(
    "Input",
    "--scores",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Scores, responses x stimuli; once for each decoder.",
)
@option(
    "Input",
    "--labels",
    metavar="FILE",
    help="True stimulus of every row of --scores or --probes. [default: row by row, "
    "the column or gallery vector of the same number]",
)
@option(
    "Input",
    "--label-column",
    metavar="NAME",
    help="Column that holds the true stimuli.",
)
@option(
    "Input",
    "--classes",
    "class_file",
    metavar="FILE",
    help="Stimulus of every column of --scores, in their order; with --accuracy, the "
    "number of classes.",
)
@option("Input", "--prefix", help="Only columns that begin so, as 'score_'.")
@option(
    "Input",
    "--drop",
    multiple=True,
    metavar="NAME",
    help="Column that is no stimulus; may be repeated.",
)
@option(
    "Input",
    "--drop-nonfinite",
    is_flag=True,
    help="Drop rows of scores with NaN or +infinity, or -infinity throughout; "
    "-infinity is a legal score.",
)
@option("Input", "--lower-is-better", is_flag=True, help="Scores are distances.")
@option(
    "Input",
    "--gallery",
    metavar="FILE",
    help="Vectors of the known stimuli, instead of --scores.",
)
@option(
    "Input",
    "--gallery-labels",
    metavar="FILE",
    help="Stimulus of every gallery vector.",
)
@option("Input", "--probes", metavar="FILE", help="Vectors to identify.")
@option(
    "Input",
    "--metric",
    type=click.Choice(["sqeuclidean", "cosine", "dot"]),
    default="sqeuclidean",
    help="How vectors are compared.",
)
@option(
    "Input",
    "--stimuli",
    "--features",
    "stimuli",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Features of the stimulus of every response; once for each set of features, "
    "to compare them.",
)
@option("Input", "--responses", metavar="FILE", help="The responses.")
@option(
    "Input",
    "--groups",
    metavar="FILE",
    help="Group of every row, never split, such as a run.",
)
@option(
    "Input",
    "--accuracy",
    type=Listed(Share()),
    metavar="SHARE",
    help="All that is known: the accuracy among --classes, tested --tests times each. "
    "Several, such as 0.9,0.8 among 10,50, cost a correction.",
)
@option(
    "Input",
    "--tests",
    "n_tests",
    type=Listed(Whole(min=1)),
    metavar="N",
    help="Tests of every class behind --accuracy: one number, or one for each class.",
)
@option(
    "Question",
    "--to",
    type=Listed(Whole(min=2)),
    multiple=True,
    metavar="N",
    help="Number of candidates to extrapolate to, such as 1e5; several as 400,1000, or "
    "repeated.",
)
@option(
    "Question",
    "--population",
    type=Whole(min=2),
    metavar="N",
    help="Number of equally likely stimuli that the answer is about. [default: beyond "
    "counting]",
)
@option(
    "Question",
    "--duplicates",
    type=click.Choice(DUPLICATES),
    default="repeats",
    help="Equal rows of --stimuli: one stimulus shown again, or independent draws that "
    "tie.",
)
@units_option()
@level_option("Level of the interval and of the bound.")
@option(
    "Question",
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the implied (of --accuracy: proved) information is lower, in "
    "--units.",
)
@option(
    "Question",
    "--fail-below-low",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the lower end of its interval is lower.",
)
@option(
    "Question",
    "--n-classifiers",
    type=Whole(min=1),
    default=1,
    metavar="N",
    help="Classifiers among which that of --accuracy was chosen on these tests.",
)
@option(
    "Question",
    "--ensemble-sizes",
    type=Listed(Whole(min=1)),
    metavar="N,N,...",
    help="Say how the information grows with so many responses, drawn at random.",
)
@option(
    "Method",
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help=f"Encoding model: {', '.join(PENALTIES)}, or a regressor of scikit-learn with "
    'literal parameters, as "sklearn.linear_model:RidgeCV()"; may be repeated, to '
    "compare.  [default: ridge]",
)
@option(
    "Method",
    "--penalty",
    "alphas",
    type=Listed(click.FLOAT),
    metavar="P,P,...",
    help="Strengths of the penalty to choose from, for ridge, elastic-net and lasso "
    "(alphas in Python). [default: as the data ask]",
)
@option(
    "Method",
    "--shrinkage",
    default="ledoit-wolf",
    metavar="RULE",
    help=f"Weight of the diagonal in the covariance of responses, from 0 to 1, or "
    f"{', '.join(SHRINKAGES)}; for ridge, elastic-net and lasso.",
)
@option(
    "Method",
    "--ensemble-draws",
    type=Whole(min=1),
    default=5,
    metavar="N",
    help="Ensembles to draw of every one of --ensemble-sizes.",
)
@option(
    "Method",
    "--test-size",
    type=Share(is_open=True),
    default=0.2,
    help="Share of the stimuli to test.",
)
@option(
    "Method",
    "--n-splits",
    type=Whole(min=1),
    default=10,
    help="Random splits to average over.",
)
@option(
    "Method",
    "--bound-sizes",
    type=Listed(Whole(min=2)),
    multiple=True,
    metavar="K",
    help="Number of candidates for the bound; several as 5,20, or repeated. [default: "
    "up to four from 3 to all]",
)
@method_option(
    "--weights",
    WEIGHTS,
    default="equal",
    says="How numbers of candidates are weighed for implied information.",
)
@option("File layout", "--key", help="Name of the array in an .npz file.")
@table_options
@output_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Say how much information identification proves, and how much it implies.

    Either --scores: a matrix with one row per response and one column per stimulus
    (square with the truth on the diagonal, or with --labels); repeat it, as FILE or
    NAME=FILE, to compare decoders. Or --gallery and --probes, vectors to be compared.
    Or --stimuli and --responses, one row each: an encoding model is then fitted to
    some stimuli and tested on the others; several sets of features and several models
    are compared. Or --accuracy with --classes and --tests, from a paper.
    """
    from scorecast.cli.outputs import run

    if context.args:
        problem = f"files are named by options here: use --scores {context.args[0]}"
        raise UsageError(problem)
    for name in ("to", "bound_sizes"):
        options[name] = tuple(n for several in options[name] for n in several)
    route = _route(options)
    refuse_unused(context, _UNUSED[route], f"{_INSTEAD[route]}: leave it out")
    if len(options["scores"]) > 1:
        refuse_unused(context, ("to",), "where decoders are compared: leave it out")
    if max(1, len(options["stimuli"])) * max(1, len(options["models"])) > 1:
        refuse_unused(context, ("to",), "where models are compared: leave it out")
    if options["models"] and all(":" in name for name in options["models"]):
        reason = "in a regressor of scikit-learn: write it among its parameters"
        refuse_unused(context, ("alphas", "shrinkage"), reason)
    if route == "data" and not options["ensemble_sizes"]:
        reason = "without --ensemble-sizes"
        refuse_unused(context, ("ensemble_draws",), reason)
    twice = [name for name in options["models"] if options["models"].count(name) > 1]
    if twice:
        problem = f"{twice[0]} is given twice"
        raise UsageError(problem, parameter="models")
    if route == "data":
        _check_models(options)
    load = {"data": _load_data, "accuracy": _load_accuracy}.get(route, _load_decoders)
    run(options, load, _answer, gates=_gates)


def _route(options: dict[str, Any]) -> str:
    """Tell in which way the task is given."""
    given = [
        route for route, parts in _ROUTES.items() if any(options[p] for p in parts)
    ]
    if options["accuracy"]:
        # Labels of columns elsewhere, the number of classes here.
        given = [route for route in given if route != "scores" or options["scores"]]
    elif "accuracy" in given and not options["n_tests"]:
        given.remove("accuracy")
    choice = (
        "give either --scores, or both --stimuli and --responses, or both "
        "--gallery and --probes, or --accuracy with --classes and --tests"
    )
    if len(given) > 1:
        one, other = (_written(route, options) for route in given[:2])
        raise UsageError(f"{one}, and {other}: these are two questions; {choice}")
    if not given or not all(options[part] for part in _ROUTES[given[0]]):
        if given == ["accuracy"]:
            problem = "give --accuracy, --classes and --tests together"
            raise UsageError(problem)
        raise UsageError(choice)
    return given[0]


def _written(route: str, options: dict[str, Any]) -> str:
    """Return what was given of a way to ask, as it was written."""
    written = {"class_file": "--classes", "n_tests": "--tests"}
    names = [written.get(x, f"--{x}") for x in _ROUTES[route] if options[x]]
    return " with ".join(filter(None, (names[0], " and ".join(names[1:]))))


def _answer(
    options: dict[str, Any], loaded: Loaded
) -> Identification | DecoderComparison | InformationBound:
    from scorecast.identification import (
        IdentificationSettings,
        compare_decoders,
        identify,
        identify_from_scores,
        mutual_information_bound,
    )

    level = {name: options[name] for name in ("units", "confidence_level")}
    arguments = dict(loaded.arguments)
    if "accuracy" in arguments:
        return mutual_information_bound(
            **arguments,
            population=options["population"],
            n_classifiers=options["n_classifiers"],
            **level,
        )
    settings = IdentificationSettings(
        duplicates=options["duplicates"],
        population=options["population"],
        weights=options["weights"],
        bound_sizes=options["bound_sizes"] or None,
        ensemble_sizes=options["ensemble_sizes"] or (),
        ensemble_draws=options["ensemble_draws"],
    )
    asked = {"to": options["to"], "n_jobs": options["n_jobs"], "settings": settings}
    decoders = arguments.pop("decoders", None)
    answers = {}
    if decoders is None:
        features = arguments.pop("features")
        for name, (stimuli, model) in _encoders(features, options).items():
            answers[name] = identify(
                stimuli,
                **arguments,
                model=model,
                test_size=options["test_size"],
                n_splits=options["n_splits"],
                random_state=options["seed"],
                **asked,
                **level,
            )
    else:
        for name, scores in decoders.items():
            # Of one decoder the places are known already.
            places = {"scores": Location(file=name)} if len(decoders) > 1 else {}
            with locating(places):
                answers[name] = identify_from_scores(scores, **asked, **level)
    if len(answers) == 1:
        return next(iter(answers.values()))
    return compare_decoders(answers, **level)


def _encoders(
    features: dict[str, Any], options: dict[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Return every set of features with every model, by what tells them apart."""
    plain = all(
        options[name] in (None, "ledoit-wolf") for name in ("alphas", "shrinkage")
    )
    if not options["models"] and plain:
        return {name: (stimuli, None) for name, stimuli in features.items()}
    given = options["models"] or ("ridge",)
    # Of a class its name will do, where it is the only one.
    short = [name.rpartition(":")[2].removesuffix("()") for name in given]
    names = short if len(set(short)) == len(set(given)) else given
    models = {
        name: _model(text, options) for name, text in zip(names, given, strict=True)
    }
    found = {}
    for of, stimuli in features.items():
        for name, model in models.items():
            parts = ([of] if len(features) > 1 else []) + (
                [name] if len(models) > 1 else []
            )
            found[", ".join(parts)] = (stimuli, model)
    return found


def _check_models(options: dict[str, Any]) -> None:
    """Refuse what no model can be made with, before anything is read."""
    from scorecast.identification import check_alphas, check_shrinkage

    check_alphas(options["alphas"])
    check_shrinkage(_shrinkage(options))
    for name in options["models"]:
        _model(name, options)


def _shrinkage(options: dict[str, Any]) -> float | str:
    """Return a weight, or the name of a rule."""
    with contextlib.suppress(ValueError):
        return float(options["shrinkage"])
    rule: str = options["shrinkage"]
    return rule


def _model(name: str, options: dict[str, Any]) -> Any:
    """Make an encoding model of ours, or a regressor."""
    from scorecast.evaluation import make_estimator
    from scorecast.identification import EncodingModel

    if name in PENALTIES:
        return EncodingModel(
            penalty=name, alphas=options["alphas"], shrinkage=_shrinkage(options)
        )
    if ":" not in name:
        near = near_name(name, list(PENALTIES))
        problem = f"must be {', '.join(PENALTIES)} or a regressor; got {name!r}"
        remedy = f"try {near!r}" if near else None
        raise UsageError(problem, parameter="models", remedy=remedy)
    return make_estimator(name)


def _gates(
    result: Identification | DecoderComparison | InformationBound,
    options: dict[str, Any],
) -> Iterator[Gate]:
    from scorecast.cli.outputs import Gate
    from scorecast.identification import Identification, InformationBound

    subject, low = "the implied information", math.nan
    if isinstance(result, InformationBound):
        subject, value = "the proved information", result.value
    elif isinstance(result, Identification):
        value, low = result.implied.value, result.implied.low
    else:
        value, low = result.best.implied, result.best.low
    yield Gate(
        option="--fail-below",
        least=options["fail_below"],
        value=value,
        subject=f"{subject} in {result.units}",
    )
    yield Gate(
        option="--fail-below-low",
        least=options["fail_below_low"],
        value=low,
        subject=f"the lower end of {subject} in {result.units}",
    )


# --- stimuli and responses -----------------------------------------------------------


def _load_data(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import Loaded, file_layout, named_files
    from scorecast.io import FileLayout, read_labels, read_matrix

    layout = file_layout(options, drop=())
    features, files = {}, []
    responses = read_matrix(options["responses"], layout=layout)
    for name, path in named_files(options["stimuli"]):
        if name in features:
            problem = f"two sets of features are called {name!r}: use NAME=FILE"
            raise UsageError(problem, parameter="stimuli")
        stimuli = read_matrix(path, layout=layout)
        _check_as_long(responses.source, len(responses.values), stimuli, "rows")
        features[name] = stimuli.values
        files.append(stimuli.source)
    files.append(responses.source)
    if options["duplicates"] == "repeats":
        _check_alike(features)
    groups = None
    notes: tuple[DataWarning, ...] = ()
    if options["groups"]:
        plain = FileLayout(header=not options["no_header"])
        read = read_labels(options["groups"], layout=plain)
        _check_as_long(read.source, len(read.values), stimuli, "groups")
        groups, notes = read.values.tolist(), read.notes
        files.append(read.source)
    return Loaded(
        arguments={
            "features": features,
            "responses": responses.values,
            "groups": groups,
        },
        files=tuple(dict.fromkeys(files)),
        places={
            name: Location(file=", ".join(paths))
            for name, paths in (
                ("stimuli", [path for _, path in named_files(options["stimuli"])]),
                ("responses", [options["responses"]]),
                ("groups", [options["groups"]] if options["groups"] else []),
            )
            if paths
        },
        notes=notes,
    )


def _check_alike(features: dict[str, Any]) -> None:
    """Refuse sets of features of which one takes for equal what another tells apart."""
    import numpy as np

    first, alike = "", None
    for name, values in features.items():
        found = np.unique(values, axis=0, return_inverse=True)[1].ravel()
        # By first appearance, whatever the values.
        order = np.unique(found, return_index=True)[1][found]
        if alike is None:
            first, alike = name, order
        elif not np.array_equal(order, alike):
            row = int(np.argmax(order != alike))
            raise InvalidInputError(
                f"{first!r} and {name!r} do not have the same repeated rows (the first "
                f"is row {row + 1}): equal rows are one stimulus, and sets of features "
                "are compared on the same stimuli",
                parameter="stimuli",
                remedy="add what tells stimuli apart, or say that rows are draws",
                option="duplicates",
            )


def _check_as_long(source: str, length: int, stimuli: Matrix, what: str) -> None:
    """Name both files where they do not have one line per response."""
    n_rows = len(stimuli.values)
    if length == n_rows:
        return
    is_one_off = abs(length - n_rows) == 1
    raise InvalidInputError(
        f"{stimuli.source} has {n_rows} rows but {source} has {length} {what}: row by "
        "row they belong together",
        remedy="was a header taken for data, or data for a header? A .txt file has none"
        if is_one_off
        else None,
        option="header" if is_one_off else None,
    )


# --- an accuracy alone ---------------------------------------------------------------


def _load_accuracy(options: dict[str, Any]) -> Loaded:
    """Read numbers, of which --classes is one here."""
    from scorecast.cli.inputs import Loaded

    try:
        sizes = Listed(Whole(min=2)).convert(options["class_file"], None, None)
    except click.BadParameter as error:
        problem = f"must be a number beside --accuracy, such as 50: {error.message}"
        raise UsageError(problem, parameter="class_file") from error
    tests = options["n_tests"]
    return Loaded(
        arguments={
            "accuracy": options["accuracy"],
            "n_classes": sizes,
            "n_tests": tests[0] if len(tests) == 1 else tests,
        },
        files=(),
    )


# --- scores of decoders --------------------------------------------------------------


def _load_decoders(options: dict[str, Any]) -> Loaded:
    from scorecast.cli.inputs import Loaded, named_file

    decoders: dict[str, Any] = {}
    files: list[str] = []
    notes: list[DataWarning] = []
    places: dict[str, Location] = {}
    # Embeddings are one decoder without a file of scores.
    named = [named_file(given) for given in options["scores"]] or [("embeddings", "")]
    for name, path in named:
        if name in decoders:
            problem = f"two decoders are called {name!r}: name them as NAME=FILE"
            raise UsageError(problem, parameter="scores")
        # What is odd in the scores is said by the answer.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            loaded = _load_scores({**options, "scores": path})
        decoders[name] = loaded.scores
        files += loaded.files
        notes += loaded.notes
        places.update(loaded.places)
    return Loaded(
        arguments={"decoders": decoders},
        files=tuple(dict.fromkeys(files)),
        places=places if len(decoders) == 1 else {},
        notes=tuple({str(note): note for note in notes}.values()),
    )


def _load_scores(options: dict[str, Any]) -> LoadedScores:
    from scorecast.cli.inputs import load_scores

    try:
        loaded = load_scores(options, may_pair_rows=True)
    except MissingLabelsError as error:
        # Names for columns are of use only to labels that name them.
        if any(options[name] for name in ("labels", "label_column", "class_file")):
            raise
        return _load_square(options, error)
    _refuse_features(loaded, options)
    return loaded


def _refuse_features(loaded: LoadedScores, options: dict[str, Any]) -> None:
    """Stop where an array that is usually features passes for scores."""
    import numpy as np

    path = options["scores"]
    is_guess = loaded.files[0].endswith("::X") and "::" not in path
    n_named = np.unique(loaded.scores.own).size
    n_columns = loaded.scores.n_classes
    if is_guess and not options["key"] and n_columns > _FAR_MORE * n_named:
        raise InvalidInputError(
            f"X has {n_columns} columns for {n_named} distinct labels and looks like "
            "embeddings, not scores",
            location=Location(file=path),
            remedy="compare them with --gallery, --probes and --labels; if they are "
            f"scores, pass --scores {path}::X",
        )


def _load_square(options: dict[str, Any], error: InvalidInputError) -> LoadedScores:
    """Read a matrix without labels: if it is square, the truth is its diagonal."""
    import numpy as np

    from scorecast.cli.inputs import LoadedScores, file_layout
    from scorecast.io import read_matrix
    from scorecast.scores import Scores

    path = options["scores"]
    place = Location(file=path)
    matrix = read_matrix(
        path,
        nonfinite="allow" if options["drop_nonfinite"] else "negative-infinity",
        layout=file_layout(options),
    )
    values = matrix.values
    n_rows, n_columns = values.shape
    if n_rows != n_columns:
        raise error
    if n_rows < 2:
        problem = "one stimulus only: identification needs others to choose from"
        raise InsufficientDataError(problem, location=place)
    # Rows without NaN and plus infinity in which something is possible.
    is_usable = (np.isfinite(values) | np.isneginf(values)).all(axis=1)
    is_usable &= ~np.isneginf(values).all(axis=1)
    if not is_usable.any():
        problem = "no row is left without NaN or infinities"
        raise InvalidInputError(problem, location=place, remedy="repair them")
    scores = Scores(
        values[is_usable],
        np.arange(n_rows)[is_usable].tolist(),
        greater_is_better=not options["lower_is_better"],
    )
    told = ["no labels, so row and column of the same number belong together"]
    if not is_usable.all():
        n_dropped = n_rows - int(is_usable.sum())
        told.append(
            f"{n_dropped} of {n_rows} rows were dropped because their scores are not "
            "finite"
        )
    notes = tuple(DataWarning(text, location=place) for text in told)
    places = {"scores": place, "y_true": place}
    return LoadedScores(
        scores=scores, files=(matrix.source,), notes=notes, places=places
    )
