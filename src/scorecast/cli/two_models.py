"""Models of a table case by case: two by tests that take two, or many by groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

if TYPE_CHECKING:
    from scorecast.comparison import Comparison, PairComparison

__all__ = ["PAIR_ONLY", "for_two", "many_models", "two_models"]

PAIR_ONLY = (
    "paired-t", "5x2cv-t", "5x2cv-f", "mcnemar-exact", "mcnemar-corrected",
    "mcnemar-plain", "delong", "bootstrap", "permutation",
)  # fmt: skip
_OF_FOLDS = ("corrected-t", "5x2cv-t", "5x2cv-f")
_OF_GROUPS = ("auto", "clustered-t", "mcnemar")  # which many models can be tested by
_OF_TWO = ("auc", "balanced-accuracy", "rmse")
_OF_RANKS = ("ranks", "aligned", "quade")
_OF_MANY = {
    "long": None, "control": None, "rows": "auto", "post_hoc": "auto",
    "omnibus": "auto", "latex": None,
}  # fmt: skip


def for_two(columns: Mapping[str, list[Any]], options: Mapping[str, Any]) -> bool:
    """Tell whether two models are to be compared by a test that takes two only."""
    if options["pairs"] in PAIR_ONLY:
        return True
    if not _of_cases(options):
        return False
    if options["pairs"] not in _OF_GROUPS or options["metric"] in _OF_TWO:
        return True
    return not options["long"] and len(_model_names(columns, options)) <= 2


def _of_cases(options: Mapping[str, Any]) -> bool:
    return any(options[name] for name in ("truth", "group", "metric"))


def many_models(
    columns: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> Comparison | None:
    """Compare many models case by case, with groups or a truth.

    Parameters
    ----------
    columns : mapping of str to list
        The table: numbers, or texts.
    options : mapping
        Those of the verb.

    Returns
    -------
    Comparison or None
        None where the options ask for nothing of the kind.

    Raises
    ------
    UsageError
        If a truth is given for a long table, or a metric without one.
    """
    if not _of_cases(options) and options["pairs"] != "clustered-t":
        return None
    from scorecast.comparison import case_values, compare

    group = options["group"]
    names = ("control", "rows", "pairs", "post_hoc", "omnibus", "level", "rope",
             "zeros", "missing")  # fmt: skip
    chosen = {name: options[name] for name in names}
    chosen |= {"test_ratio": options["test_ratio"], "random_state": options["seed"]}
    if options["long"]:
        if options["truth"] or options["metric"]:
            msg = (
                "--truth and --metric do not go with --long: give a wide table, a row "
                "for every case and a column of predictions for every model, without "
                "--long; or the value of every case as its result, such as 1 for right "
                "and 0 for wrong."
            )
            raise UsageError(msg)
        return compare(
            columns, long=options["long"], models=options["models"] or None,
            groups=group, greater_is_better=not options["minimise"], **chosen,
        )  # fmt: skip
    models = _model_names(columns, options)
    label = options["names_column"]
    used = [*models, *(x for x in (options["truth"], group, label) if x)]
    used = list(dict.fromkeys(used))
    if not options["truth"]:
        return compare(
            {name: columns[name] for name in used}, models=models, groups=group,
            greater_is_better=not options["minimise"], **chosen,
        )  # fmt: skip
    kept, note = _complete({name: columns[name] for name in used}, options["missing"])
    values, better = case_values(
        kept[options["truth"]],
        {name: kept[name] for name in models},
        options["metric"],
    )
    if options["minimise"] and better:
        msg = "--minimise does not go with --truth: to be right is better."
        raise UsageError(msg)
    table: dict[str, Any] = {name: x.tolist() for name, x in values.items()}
    if label and not group:
        table[label] = [str(x) for x in kept[label]]
    chosen["rows"] = "cases" if chosen["rows"] == "auto" else chosen["rows"]
    found = compare(
        table, models=models, groups=kept[group] if group else None,
        greater_is_better=better, **chosen,
    )  # fmt: skip
    return replace(found, warnings=(note, *found.warnings)) if note else found


def two_models(
    columns: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> PairComparison:
    """Compare two columns.

    Parameters
    ----------
    columns : mapping of str to list
        The table: numbers, or texts.
    options : mapping
        Those of the verb.

    Returns
    -------
    PairComparison
        The answer.

    Raises
    ------
    UsageError
        If an option is for many models, or there are not two.
    """
    from scorecast.comparison import compare_pair

    _refuse_options(options)
    names = _two_names(columns, options)
    group = options["group"]
    repeats = "" if group else _repeated_names(columns, names, options)
    group = group or repeats
    used = [*names, *(x for x in (options["truth"], group) if x)]
    kept, note = _complete({name: columns[name] for name in used}, options["missing"])
    a, b = (_values(kept[name], options["pairs"]) for name in names)
    # A metric by its name says itself which way is better.
    better = None if options["metric"] and not options["minimise"] else True
    found = compare_pair(
        a,
        b,
        test=options["pairs"],
        metric=options["metric"],
        y_true=kept.get(options["truth"]),
        groups=kept.get(group),
        names=names,
        greater_is_better=False if options["minimise"] else better,
        random_state=options["seed"],
        **{x: options[x] for x in ("test_ratio", "level", "rope", "zeros")},
    )
    notes = [note] if note else []
    if repeats:
        notes.append(
            f"Column {repeats!r} names the rows and repeats names: rows of one name "
            "were taken as a group, since repeats of one item are not independent."
        )
    return replace(found, warnings=(*notes, *found.warnings)) if notes else found


def _repeated_names(
    columns: Mapping[str, list[Any]], models: Sequence[str], options: Mapping[str, Any]
) -> str:
    """Return the column that names the rows, if it names several alike."""
    if options["pairs"] in _OF_FOLDS or options["test_ratio"] is not None:
        return ""
    name = options["names_column"]
    if name is None:
        taken = {*models, options["truth"]}
        texts = [
            x
            for x, column in columns.items()
            if x not in taken and any(isinstance(cell, str) for cell in column)
        ]
        truth = columns.get(options["truth"], [])
        # Labels are predictions of a third model, not names.
        texts = [x for x in texts if not set(columns[x]) <= set(truth)]
        if len(texts) != 1:
            return ""
        name = texts[0]
    names = columns[name]
    return name if len(set(names)) < len(names) else ""


def _refuse_options(options: Mapping[str, Any]) -> None:
    for name, usual in _OF_MANY.items():
        if (options[name] or None) != usual:
            flag = "--" + name.replace("_", "-")
            msg = (
                f"{flag} is for tables of many models: leave it out with --truth, "
                f"--group and --pairs {', '.join(PAIR_ONLY)}."
            )
            raise UsageError(msg)
    if options["pairs"] in _OF_RANKS:
        msg = f"--pairs {options['pairs']} takes no --truth and no --group."
        raise UsageError(msg)


def _two_names(
    columns: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> tuple[str, str]:
    names = _model_names(columns, options)
    if len(names) != 2 or names[0] == names[1]:
        asked = options["pairs"]
        test = "A comparison case by case takes"
        if asked != "auto":
            test = f"--pairs {asked} compares"
        elif options["metric"]:
            test = f"--metric {options['metric']} compares"
        said = ", ".join(names) or "none"
        msg = f"{test} two models; got {said}. Name two with --model."
        raise UsageError(msg)
    return names[0], names[1]


def _model_names(
    columns: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> list[str]:
    """Return the columns that are models: those named, or all that are nothing else."""
    for name in (options["truth"], options["group"], *options["models"]):
        if name and name not in columns:
            msg = f"There is no column {name!r} but {', '.join(columns)}."
            raise InvalidInputError(msg)
    others = {options[x] for x in ("truth", "group", "names_column")}
    names = list(options["models"]) or [x for x in columns if x not in others]
    if not options["models"] and len(names) > 2:
        # A column of text that is no prediction names the rows.
        truth = set(columns.get(options["truth"] or "", []))
        names = [
            x
            for x in names
            if not isinstance(columns[x][0], str) or set(columns[x]) <= truth
        ]
    return names


def _complete(
    columns: Mapping[str, list[Any]], missing: str
) -> tuple[dict[str, list[Any]], str]:
    """Leave out rows that lack something, and say how many."""
    rows = list(zip(*columns.values(), strict=True))
    kept = [row for row in rows if not any(x == "" or x != x for x in row)]
    lost = len(rows) - len(kept)
    lack = "lacks" if lost == 1 else "lack"
    if not kept:
        msg = "No row has all that is compared."
        raise InsufficientDataError(msg)
    if lost and missing == "refuse":
        msg = f"{lost} of {len(rows)} rows {lack} something; fill or remove them."
        raise InvalidInputError(msg)
    were = "was" if lost == 1 else "were"
    note = f"{lost} of {len(rows)} rows {lack} something, and {were} left out."
    whole = dict(zip(columns, map(list, zip(*kept, strict=True)), strict=True))
    return whole, note if lost else ""


def _values(values: list[Any], test: str) -> list[Any]:
    """Fold ten results into five repetitions of two, as the 5x2cv tests take them."""
    if test.startswith("5x2cv") and len(values) == 10:
        return [values[i : i + 2] for i in range(0, 10, 2)]
    return values
