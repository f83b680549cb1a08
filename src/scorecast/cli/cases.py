"""From the options of ``information`` to cases, with the files they came from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from scorecast.cli.inputs import blamed_on, file_layout, file_prints
from scorecast.exceptions import DataWarning, InvalidInputError, Location
from scorecast.information import (
    CaseInformation,
    cases_from_classes,
    cases_from_j,
    cases_from_logs,
    cases_from_probabilities,
    refuse_outside,
)
from scorecast.io import Columns, read_columns, read_labels, read_matrix

__all__ = ["LoadedCases", "load_cases"]

_FORMS = (
    "Say what TABLE holds: --log-q and --log-p, or --q and --p, or --j, or class "
    "probabilities with --label-column or --labels (an .npz may hold both) and a prior."
)
_COLUMNS = {"log": ("log_q", "log_p"), "chance": ("q", "p"), "j": ("j", "")}
_CLASS_PRIORS = ("prior", "train_labels", "leave_one_out")
_LONGEST = 60  # characters of a label in a message
_SHOWN = 5  # classes in it
_YES = frozenset({"1", "1.0", "true", "yes"})
_NO = frozenset({"0", "0.0", "false", "no"})


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedCases:
    """Cases, and where they came from.

    Attributes
    ----------
    cases : CaseInformation
        Ready to be judged.
    other : CaseInformation or None
        Those of the forecaster to compare with.
    names : tuple of str
        Columns of the two.
    files : tuple of str
        Paths that were read.
    notes : tuple of DataWarning
        What was done on the way.
    """

    cases: CaseInformation
    other: CaseInformation | None = None
    names: tuple[str, str] = ("", "")
    files: tuple[str, ...]
    notes: tuple[DataWarning, ...] = ()

    def fingerprints(self) -> list[dict[str, Any]]:
        """Return path, hash and size of every file read, for the record."""
        return file_prints(self.files)


def load_cases(options: dict[str, Any]) -> LoadedCases:
    """Read what the options name.

    Parameters
    ----------
    options : dict
        Values of `case_options`.

    Returns
    -------
    LoadedCases
        The cases.

    Raises
    ------
    click.UsageError
        If the options name no form, or more than one.
    """
    forms = {
        "log": bool(options["log_q"] or options["log_p"]),
        "chance": bool(options["q"] or options["p"]),
        "j": bool(options["j"]),
        "class": bool(
            options["probabilities"] or options["labels"] or options["label_column"]
        ),
    }
    if not any(forms.values()):
        forms["class"] = _holds_both(options)
    if sum(forms.values()) != 1:
        raise click.UsageError(_FORMS)
    if forms["class"]:
        _refuse(options, ("versus", "base", "base_p"), "class probabilities")
        return _load_classes(options)
    _refuse(options, (*_CLASS_PRIORS, "renormalise", "key"), "one column of chances")
    return _load_columns(options, next(name for name, given in forms.items() if given))


def _holds_both(options: dict[str, Any]) -> bool:
    """Tell whether TABLE may hold a matrix and its labels, a prior being stated."""
    arrays = options["table"].split("::")[0].lower().endswith((".npz", ".safetensors"))
    return arrays and any(options[name] for name in _CLASS_PRIORS)


def _refuse(options: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in names:
        if options[name]:
            msg = f"{_option(name)} does not go with {what}."
            raise click.UsageError(msg)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _load_columns(options: dict[str, Any], form: str) -> LoadedCases:
    first, second = _COLUMNS[form]
    against = "versus" if options["versus"] else second
    wanted = [name for name in (first, second, "versus") if name and options[name]]
    needed = [first] if form == "j" else [first, against]
    missing = [_option(name) for name in needed if not options[name]]
    if missing:
        msg = (
            f"{' and '.join(missing)} is missing. {_FORMS} With --versus COL in place "
            "of a prior, two are compared."
        )
        raise click.UsageError(msg)
    table = _columns(options, wanted)
    with blamed_on(options["table"]):
        return _cases_of_columns(options, form, table, wanted)


def _cases_of_columns(
    options: dict[str, Any], form: str, table: Columns, wanted: list[str]
) -> LoadedCases:
    """Make cases of columns that were read."""
    first, second = _COLUMNS[form]
    names_of = (options[first], options["versus"] or "")
    column = {name: table.numbers[options[name]] for name in wanted}
    names: dict[str, Any] = {
        name: table.texts[options[option]]
        for name, option in (("ids", "id_column"), ("groups", "group"))
        if options[option]
    }
    base = options["base"] or "e"
    if form == "j":
        _refuse(options, ("base_p",), "--j, which has one base: --base")
        made = {n: cases_from_j(column[n], base=base, **names) for n in wanted}
        return _loaded(table, (made["j"], made.get("versus")), names_of)
    if form == "chance":
        _refuse(options, ("base", "base_p"), "probabilities")
        for name, values in column.items():
            # Again by the library, which does not know lines and names of columns.
            at = f"column {options[name]!r}"
            refuse_outside(values, at, place=_places(table))
        pair = _pair(cases_from_probabilities, column, first, second, names)
    else:
        settings = {**names, "base": base, "base_p": options["base_p"]}
        pair = _pair(cases_from_logs, column, first, second, settings)
    return _loaded(table, pair, names_of)


def _pair(
    make: Any,
    column: dict[str, NDArray[Any]],
    first: str,
    second: str,
    settings: dict[str, Any],
) -> tuple[CaseInformation, CaseInformation | None]:
    """Make cases of one forecaster, or of two against the same thing."""
    if "versus" not in column:
        return make(column[first], column[second], **settings), None
    flat = np.ones(len(column[first])) if first == "q" else np.zeros(len(column[first]))
    before = column.get(second, flat)
    one, two = (make(column[n], before, **settings) for n in (first, "versus"))
    return one, two


def _loaded(
    table: Columns,
    pair: tuple[CaseInformation, CaseInformation | None],
    names: tuple[str, str],
) -> LoadedCases:
    return LoadedCases(
        cases=pair[0],
        other=pair[1],
        names=names,
        files=(table.source,),
        notes=table.notes,
    )


def _columns(options: dict[str, Any], wanted: list[str]) -> Columns:
    return read_columns(
        options["table"],
        [options[name] for name in wanted],
        _text_columns(options),
        layout=file_layout(options, key=None, drop=()),
    )


def _text_columns(options: dict[str, Any]) -> list[str]:
    names = ("id_column", "group", "label_column")
    return list(dict.fromkeys(options[name] for name in names if options[name]))


def _places(table: Columns) -> Callable[[int], str]:
    """Return a function that says where a row of a table stands in it."""
    return lambda row: str(replace(table.place(row), file=None))


def _load_classes(options: dict[str, Any]) -> LoadedCases:
    twice = options["labels"] and options["label_column"]
    if twice or not (
        options["labels"] or options["label_column"] or _holds_both(options)
    ):
        msg = "Give the class of every case once: --label-column NAME or --labels FILE."
        raise click.UsageError(msg)
    read = _class_columns if options["probabilities"] else _class_matrix
    matrix, labels, classes, loaded = read(options)
    prior, files, notes = _class_prior(options, classes)
    if np.ndim(matrix) == 1 and "y_train" in prior:
        prior["y_train"] = _as_two_classes(prior["y_train"], classes)
    forecasts = " with ".join(dict.fromkeys(loaded["files"]))
    with blamed_on(forecasts, prior="".join(files)):
        cases = cases_from_classes(
            matrix,
            labels,
            classes=classes,
            renormalise=options["renormalise"],
            ids=loaded.get("ids"),
            groups=loaded.get("groups"),
            **prior,
        )
    return LoadedCases(
        cases=cases,
        files=(*loaded["files"], *files),
        notes=(*loaded["notes"], *notes),
    )


def _class_columns(options: dict[str, Any]) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Read columns of a table, each the probability of a class."""
    named = [_column_and_label(text) for text in options["probabilities"]]
    table = read_columns(
        options["table"],
        list(dict.fromkeys(column for column, _ in named)),
        _text_columns(options),
        layout=file_layout(options, key=None, drop=()),
    )
    matrix = np.column_stack([table.numbers[column] for column, _ in named])
    with blamed_on(table.source):
        names = [column for column, _ in named]
        refuse_outside(matrix, "probabilities", place=_places(table), names=names)
    loaded: dict[str, Any] = {"files": [table.source], "notes": table.notes}
    for name, option in (("ids", "id_column"), ("groups", "group")):
        if options[option]:
            loaded[name] = table.texts[options[option]]
    source, place = options["table"], table.place
    labels: NDArray[Any]
    if options["labels"]:
        read = read_labels(options["labels"])
        loaded["files"].append(read.source)
        loaded["notes"] += read.notes
        labels, source, place = read.values, read.source, read.place
    else:
        labels = table.texts[options["label_column"]]
    if len(named) == 1:
        classes = _two_classes(labels, *named[0], source=source)
        return matrix[:, 0], labels, classes, loaded
    _refuse_unnamed(labels, named, place)
    return matrix, labels, [label for _, label in named], loaded


def _two_classes(
    labels: NDArray[Any], column: str, label: str, *, source: str
) -> tuple[str, str]:
    """Return what did not happen and what did, for one column of probabilities."""
    found = sorted({str(x) for x in labels.tolist()})
    yes = [x for x in found if x == label or x.lower() in _YES]
    others = [x for x in found if x not in yes]
    if len(yes) == 1 and len(others) == 1:
        return others[0], yes[0]
    if found and not yes and len(found) == 1 and found[0].lower() in _NO:
        return found[0], label
    if len(yes) == 1 and not others:
        return f"not {yes[0]}", yes[0]
    shown = ", ".join(x[:_LONGEST] for x in found[:_SHOWN])
    shown += ", ..." if len(found) > _SHOWN else ""
    msg = (
        f"{source}: one column of probabilities ({column}) goes with two labels, such "
        f"as 0 and 1; got {shown}; say of which "
        f"label it is the probability (--probability {column}=LABEL), or give a column "
        "for every class"
    )
    raise InvalidInputError(msg)


def _as_two_classes(train: NDArray[Any], classes: Sequence[str]) -> list[str]:
    """Return training labels by the names that the cases use.

    One file may write 1 and 0 where another writes true and false: where both are yes
    and no, they are the same two.
    """
    given = [str(x) for x in train.tolist()]
    known = [str(x) for x in classes]
    plain = all(x.lower() in _NO | _YES for x in (*known, *given))
    if set(given) <= set(known) or not plain:
        return given
    no, yes = known
    return [yes if x.lower() in _YES else no for x in given]


def _refuse_unnamed(
    labels: NDArray[Any],
    named: list[tuple[str, str]],
    place: Callable[[int], Location],
) -> None:
    """Refuse labels that are no class, with the line of the first."""
    known = [label for _, label in named]
    unknown = [i for i, x in enumerate(labels.tolist()) if str(x) not in known]
    if not unknown:
        return
    first, more = unknown[0], ""
    if len(unknown) > 1:
        more = f" ({len(unknown):,} labels are like that)"
    label = str(labels[first])
    if not label.strip():
        problem, where = f"the label is empty{more}", place(first)
        raise InvalidInputError(problem, location=where, remedy="fill it")
    raise InvalidInputError(
        f"{label[:_LONGEST]!r} is none of the classes "
        f"{', '.join(known[:_SHOWN])}{', ...' if len(known) > _SHOWN else ''}{more}",
        location=place(first),
        remedy="name the column of every class, and its label",
        option="probability",
    )


def _column_and_label(text: str) -> tuple[str, str]:
    column, equals, label = text.rpartition("=")
    return (column, label) if equals and column else (text, text)


def _class_matrix(options: dict[str, Any]) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Read a matrix, one column per class, and the labels from another array."""
    for name, option in (("id_column", "--id"), ("group", "--group")):
        if options[name]:
            msg = f"{option} names a column: name the classes too, with --probability."
            raise click.UsageError(msg)
    if options["label_column"]:
        msg = "Name the columns that hold the probabilities: --probability COL=LABEL."
        raise click.UsageError(msg)
    try:
        matrix = read_matrix(options["table"], layout=file_layout(options, drop=()))
    except InvalidInputError as error:
        if error.option != "drop":
            raise
        raise InvalidInputError(
            error.problem,
            location=error.location,
            remedy="name the columns that hold probabilities",
            option="probability",
        ) from error
    # Without a file of their own, labels are beside the matrix.
    labels = read_labels(options["labels"] or options["table"].split("::")[0])
    loaded = {"files": [matrix.source, labels.source], "notes": labels.notes}
    return matrix.as_stored(), labels.values, matrix.columns, loaded


def _class_prior(
    options: dict[str, Any], classes: Sequence[Any] | None
) -> tuple[dict[str, Any], tuple[str, ...], tuple[DataWarning, ...]]:
    """Return the prior as `cases_from_classes` wants it, its file, and notes."""
    given = [name for name in _CLASS_PRIORS if options[name]]
    if len(given) != 1:
        msg = (
            "Say what the forecasts are held against, in one way: --prior FILE, "
            "--train-labels FILE or --leave-one-out."
        )
        raise click.UsageError(msg)
    if options["leave_one_out"]:
        return {"prior": "leave-one-out"}, (), ()
    if options["train_labels"]:
        read = read_labels(options["train_labels"])
        return {"y_train": read.values}, (read.source,), read.notes
    _refuse_number(options["prior"], classes)
    return {"prior": _read_prior(options["prior"])}, (options["prior"],), ()


def _refuse_number(given: str, classes: Sequence[Any] | None) -> None:
    """Refuse a probability in the place of a file, and say what the file would hold."""
    try:
        chances = [float(x) for x in given.split(",")]
    except ValueError:
        return
    if os.path.exists(given):
        return
    names = ["..."] if classes is None else [str(x) for x in classes]
    if len(names) == 2 and len(chances) == 1 and 0 <= chances[0] <= 1:
        chances = [round(1 - chances[0], 12), *chances]  # the second is what happens
    filled = len(chances) == len(names)
    rows = [
        f"{name[:_LONGEST]},{chances[i] if filled else '...':{'g' if filled else ''}}"
        for i, name in enumerate(names[:_SHOWN])
    ]
    if len(names) > _SHOWN:
        rows.append("...")
    msg = (
        f"--prior takes a file, not the number {given}: one with the lines "
        f"'class,probability', {', '.join(map(repr, rows))}; or pass --train-labels "
        "FILE or --leave-one-out."
    )
    raise click.UsageError(msg)


def _read_prior(path: str) -> Any:
    """Read a prior: columns class and probability, or one number per class."""
    try:
        table = read_columns(path, ["probability"], ["class"])
    except InvalidInputError as first:
        try:
            return read_matrix(path).values.ravel()
        except InvalidInputError:
            said = "a prior has the columns 'class' and 'probability'"
            raise InvalidInputError(
                f"{first.problem} ({said})",
                location=first.location,
                remedy=first.remedy,
            ) from first
    labels = [str(x) for x in table.texts["class"].tolist()]
    if len(set(labels)) != len(labels):
        msg = f"{path}: a class stands more than once; give each one probability"
        raise InvalidInputError(msg)
    return dict(zip(labels, table.numbers["probability"].tolist(), strict=True))
