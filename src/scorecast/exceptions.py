"""Every error and warning of scorecast.

::

    ScorecastError
    ├── InvalidInputError (ValueError)         the input is wrong           exit 3
    │   ├── CheckpointError                    of another run, or damaged
    │   ├── InvalidPriorError                  forecasts are held against nothing
    │   ├── MissingExtraError (ImportError)    an optional package is absent
    │   └── MissingLabelsError                 scores came without the truth
    ├── UsageError (ValueError)                the call itself is wrong     exit 2
    │   └── UnknownParameterError (TypeError)  a parameter of another name
    ├── InsufficientDataError (ValueError)     right, but not enough        exit 4
    │   └── NotConvergedError                  a simulation is not to be trusted
    ├── FitFailedError (RuntimeError)          no model could be fitted     exit 4
    └── GateFailedError (RuntimeError)         a stated threshold failed    exit 5

    ScorecastWarning (UserWarning)
    ├── DataWarning                            something odd in the data
    ├── ExtrapolationWarning                   far beyond what was observed
    └── NonMarginalWarning                     scores of classes depend on one another
"""

from __future__ import annotations

__all__ = [
    "CheckpointError",
    "DataWarning",
    "ExtrapolationWarning",
    "FitFailedError",
    "GateFailedError",
    "InsufficientDataError",
    "InvalidInputError",
    "InvalidPriorError",
    "MissingExtraError",
    "MissingLabelsError",
    "NonMarginalWarning",
    "NotConvergedError",
    "ScorecastError",
    "ScorecastWarning",
    "UnknownParameterError",
    "UsageError",
]


class ScorecastError(Exception):
    """Base of every error raised on purpose; knows the exit code of the shell."""

    exit_code = 1


class InvalidInputError(ScorecastError, ValueError):
    """An input has the wrong shape, type, range or content."""

    exit_code = 3


class CheckpointError(InvalidInputError):
    """A checkpoint is of another run, damaged or edited, or cannot be written."""


class MissingExtraError(InvalidInputError, ImportError):
    """A package that only an extra installs is needed and absent."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'scorecast[{extra}]'")


class MissingLabelsError(InvalidInputError):
    """A file of scores holds no labels, and none were given beside it."""


class InvalidPriorError(InvalidInputError):
    """What forecasts are held against is no prior, or does not fit the cases."""


class UsageError(ScorecastError, ValueError):
    """An option or argument is not one of those understood."""

    exit_code = 2


class UnknownParameterError(UsageError, TypeError):
    """A keyword argument has the name of no parameter."""


class InsufficientDataError(ScorecastError, ValueError):
    """The input is valid but cannot answer the question; no number is made up."""

    exit_code = 4


class NotConvergedError(InsufficientDataError):
    """Chains of a simulation disagree or hardly moved; their answer is withheld.

    ``reasons`` says why in words, for messages that put it otherwise.
    """

    def __init__(self, message: str = "", reasons: str = "") -> None:
        super().__init__(message)
        self.reasons = reasons


class FitFailedError(ScorecastError, RuntimeError):
    """Every fit of every model failed: these data and models give no answer."""

    exit_code = 4


class GateFailedError(ScorecastError, RuntimeError):
    """A threshold the caller stated (such as ``--fail-below``) was not met."""

    exit_code = 5


class ScorecastWarning(UserWarning):
    """Base of every warning issued by scorecast."""


class DataWarning(ScorecastWarning):
    """The data are usable but something in them deserves a look."""


class ExtrapolationWarning(ScorecastWarning):
    """The forecast reaches far beyond the classes that were observed."""


class NonMarginalWarning(ScorecastWarning):
    """The score of one class depends on the other classes of the training set."""
