"""Samples of data sets, as the options say where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.exceptions import InvalidInputError

if TYPE_CHECKING:
    from scorecast.io import Dataset


def read_cases(
    path: str, options: dict[str, Any], task: str, groups: str | None = None
) -> Dataset:
    """Read one file.

    Parameters
    ----------
    path : str
        The file.
    options : dict
        With ``target``, ``models`` and the layout of files.
    task : str
        What the models do; regression needs targets that are numbers.
    groups : str, optional
        Column of groups.

    Returns
    -------
    Dataset
        Features, which may be missing, and targets.
    """
    from scorecast.cli.inputs import file_layout
    from scorecast.evaluation import MODELS
    from scorecast.io import read_dataset

    is_numeric = task == "regression"
    try:
        return read_dataset(
            path,
            options["target"],
            numeric=is_numeric,
            groups=groups,
            allow_missing=True,
            layout=file_layout(options),
        )
    except InvalidInputError as error:
        # A target cannot be left out: who wants it to be a number, and what would not?
        is_target = error.location.column == options["target"]
        if not is_numeric or not is_target or error.option != "drop":
            raise
        model = options["models"][0]
        twin = MODELS[model].classifier_twin if model in MODELS else None
        raise InvalidInputError(
            f"{error.problem}, and {model} predicts numbers",
            location=error.location,
            remedy=f"use a classifier{f', such as {twin}' if twin else ''}",
        ) from error
