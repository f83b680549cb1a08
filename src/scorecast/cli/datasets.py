"""Samples with targets, as the options say where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scorecast.io import Dataset

__all__ = ["read_cases"]


def read_cases(path: str, options: dict[str, Any], task: str) -> Dataset:
    """Read one file.

    Parameters
    ----------
    path : str
        The file.
    options : dict
        Values of `dataset_options`, `table_options` and maybe ``group``.
    task : str
        What the models do; regression needs targets that are numbers.

    Returns
    -------
    Dataset
        Features, which may be missing, and targets.
    """
    from scorecast.cli.faults import numbers_wanted
    from scorecast.cli.inputs import file_layout
    from scorecast.io import read_dataset

    model = options["models"][0] if task == "regression" else None
    with numbers_wanted(options["target"], model):
        return read_dataset(
            path,
            options["target"],
            numeric=task == "regression",
            groups=options.get("group"),
            allow_missing=True,
            layout=file_layout(options),
        )
