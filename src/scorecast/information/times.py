"""Cases from times of which some are only known to be longer than observed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InvalidInputError
from scorecast.information.cases import CaseInformation, labels_of
from scorecast.information.columns import check_column, check_same_length
from scorecast.information.logs import refuse_two_zeros

__all__ = ["cases_from_times"]


def cases_from_times(
    event: ArrayLike,
    *,
    log_density: ArrayLike,
    log_survival: ArrayLike,
    prior_log_density: ArrayLike,
    prior_log_survival: ArrayLike,
    ids: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
    prior: str = "as given",
) -> CaseInformation:
    """Take predictive densities and survival functions at the observed times.

    A case whose event was seen counts with the ratio of densities, a case that was
    still waiting with the ratio of survival probabilities. Natural logarithms.

    Parameters
    ----------
    event : array-like of bool
        Whether the event was seen; otherwise the time is censored on the right.
    log_density, log_survival : array-like of shape (n,)
        Of the forecast, at the observed time.
    prior_log_density, prior_log_survival : array-like of shape (n,)
        Of the prior.
    ids, groups : iterable of hashable, optional
        Name and group of every case.
    prior : str, default="as given"
        Where the prior comes from, in words.

    Returns
    -------
    CaseInformation
        One j per case, with its `censored`.

    Raises
    ------
    InvalidInputError
        If lengths differ, a survival is above one, or `event` is not 0 or 1.

    Examples
    --------
    >>> cases = cases_from_times(
    ...     [1, 0],
    ...     log_density=[-1.0, -9.0],
    ...     log_survival=[-0.5, -0.2],
    ...     prior_log_density=[-1.5, -9.0],
    ...     prior_log_survival=[-0.5, -0.6],
    ... )
    >>> cases.j.round(3).tolist()
    [0.5, 0.4]
    """
    seen = _seen(event)
    log_q = _of_what_is_known(seen, log_density, log_survival, "")
    log_p = _of_what_is_known(seen, prior_log_density, prior_log_survival, "prior_")
    refuse_two_zeros(log_q, log_p)
    return CaseInformation(
        j=log_q - log_p,
        log_q=log_q,
        log_p=log_p,
        ids=labels_of(ids),
        groups=labels_of(groups),
        censored=~seen,
        prior=prior,
    )


def _seen(event: ArrayLike) -> BoolArray:
    column = check_column(event, "event")
    if not np.isin(column, (0, 1)).all():
        odd = column[~np.isin(column, (0, 1))][0]
        msg = f"event must be 0 (censored) or 1 (seen); got {odd:g}."
        raise InvalidInputError(msg)
    seen: BoolArray = column == 1
    return seen


def _of_what_is_known(
    seen: BoolArray, density: ArrayLike, survival: ArrayLike, of: str
) -> FloatArray:
    # Only one of the two is used in a case; the other may be anything.
    columns = []
    for values, used, name in (
        (density, seen, f"{of}log_density"),
        (survival, ~seen, f"{of}log_survival"),
    ):
        array = np.asarray(values)
        if array.shape == seen.shape and array.dtype.kind == "f":
            array = np.where(used, array, 0.0)
        columns.append(check_column(array, name, allow_negative_infinity=True))
    check_same_length(event=seen.astype(np.float64), density=columns[0],
                      survival=columns[1])  # fmt: skip
    if (columns[1] > 0).any():
        row = int(np.argmax(columns[1] > 0)) + 1
        msg = f"{of}log_survival is above 0 in row {row}: no survival exceeds one."
        raise InvalidInputError(msg)
    known: FloatArray = np.where(seen, columns[0], columns[1])
    return known
