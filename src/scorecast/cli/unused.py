"""Options that were given and would be ignored: refused, not dropped in silence."""

from __future__ import annotations

import click
from click.core import ParameterSource

__all__ = ["OF_PREDICTORS", "refuse_given"]

# What only a model that predicts can use.
OF_PREDICTORS = (
    "target", "models", "losses", "cost", "group", "sampling", "permute", "null_data",
    "n_null_data", "capacity", "learning_curve", "feature_curve", "aim", "selection",
    "time_limit", "checkpoint", "grids", "tune_sampling", "positive", "quick",
)  # fmt: skip


def refuse_given(names: tuple[str, ...], why: str) -> None:
    """Refuse options of the running command that were given and would be ignored.

    Parameters
    ----------
    names : tuple of str
        Names of parameters.
    why : str
        What they are for, after the name of the option.

    Raises
    ------
    click.UsageError
        For the first that was given.
    """
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source not in (None, ParameterSource.DEFAULT):
            msg = f"{option.opts[0]} {why}; leave it out here."
            raise click.UsageError(msg)
