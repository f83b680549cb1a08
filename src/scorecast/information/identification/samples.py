"""Stimuli and responses as clean matrices, or one line about what is wrong."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from scorecast._core.checks import check_matrix
from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError

__all__ = [
    "Matrix",
    "check_same_rows",
    "constant_columns",
    "read_responses",
    "read_stimuli",
    "refuse_alike",
    "refuse_constant",
    "refuse_exact",
    "refuse_few",
]

Matrix: TypeAlias = NDArray[np.floating[Any]]  # responses keep their precision

_FEWEST = 3  # with two, leaving one out leaves nothing to measure a spread by


def read_stimuli(stimuli: ArrayLike) -> FloatArray:
    """Return features in double precision, one row per stimulus.

    Parameters
    ----------
    stimuli : array-like of shape (n_samples, n_features)
        What the caller passed.

    Returns
    -------
    ndarray of float64
        Features.
    """
    _refuse_sparse(stimuli, "stimuli")
    return check_matrix(stimuli, "stimuli").astype(np.float64, copy=False)


def read_responses(responses: ArrayLike) -> Matrix:
    """Return responses as a matrix, in the precision they came in.

    Parameters
    ----------
    responses : array-like of shape (n_samples, n_responses) or (n_samples,)
        What the caller passed.

    Returns
    -------
    ndarray of float32 or float64
        Responses.
    """
    _refuse_sparse(responses, "responses")
    array = np.asarray(responses)
    return check_matrix(array[:, None] if array.ndim == 1 else array, "responses")


def check_same_rows(stimuli: FloatArray, responses: Matrix) -> None:
    """Refuse stimuli and responses of different lengths.

    Parameters
    ----------
    stimuli, responses : ndarray
        Matrices with one row per sample.

    Raises
    ------
    InvalidInputError
        If they differ.
    """
    if stimuli.shape[0] != responses.shape[0]:
        msg = (
            f"stimuli has {stimuli.shape[0]:,} rows and responses has "
            f"{responses.shape[0]:,}; there must be one of each per sample."
        )
        raise InvalidInputError(msg)


def refuse_few(stimuli: FloatArray) -> None:
    """Refuse to learn from one or two samples.

    Parameters
    ----------
    stimuli : ndarray of shape (n_samples, n_features)
        Features.

    Raises
    ------
    InsufficientDataError
        If there are fewer than three.
    """
    n = stimuli.shape[0]
    if n < _FEWEST:
        msg = f"An encoding model needs {_FEWEST} samples; got {n} sample(s)."
        raise InsufficientDataError(msg)


def refuse_alike(stimuli: FloatArray) -> None:
    """Refuse stimuli that cannot be told apart.

    Parameters
    ----------
    stimuli : ndarray of shape (n_samples, n_features)
        Features.

    Raises
    ------
    InsufficientDataError
        If no feature varies.
    """
    if (stimuli == stimuli[0]).all():
        msg = "All stimuli have the same features: they cannot be told apart."
        raise InsufficientDataError(msg)


def constant_columns(responses: Matrix) -> BoolArray:
    """Say which responses never change, but for rounding.

    Parameters
    ----------
    responses : ndarray of shape (n_samples, n_responses)
        Responses.

    Returns
    -------
    ndarray of bool
        One per column.
    """
    low, high = responses.min(axis=0), responses.max(axis=0)
    size = np.maximum(np.abs(low), np.abs(high))
    flat: BoolArray = high - low <= 4 * np.finfo(np.float64).eps * size
    return flat


def refuse_constant(responses: Matrix) -> None:
    """Refuse responses that never change.

    Parameters
    ----------
    responses : ndarray of shape (n_samples, n_responses)
        Responses.

    Raises
    ------
    InvalidInputError
        If there is one; names the first.
    """
    flat = constant_columns(responses)
    if flat.any():
        msg = (
            f"responses has {int(flat.sum()):,} column(s) that never change; the first "
            f"is column {int(np.argmax(flat)) + 1}. They say nothing about the "
            "stimuli: remove them."
        )
        raise InvalidInputError(msg)


def refuse_exact(residuals: FloatArray, responses: Matrix) -> None:
    """Refuse responses that are copies of stimuli: no density is that narrow.

    Parameters
    ----------
    residuals, responses : ndarray of shape (n_samples, n_responses)
        What is left of the responses, and the responses.

    Raises
    ------
    InvalidInputError
        If nothing but rounding is left of one; names the first.
    """
    n = responses.shape[0]
    with np.errstate(over="ignore"):
        left = np.sqrt(np.einsum("ij,ij->j", residuals, residuals) / n)
        spread = responses.std(axis=0, dtype=np.float64)
    exact = left <= n * np.finfo(np.float64).eps * spread
    if exact.any() and np.isfinite(spread).all():
        msg = (
            f"{int(exact.sum()):,} column(s) of responses follow from the stimuli "
            f"without any error; the first is column {int(np.argmax(exact)) + 1}. Are "
            "stimuli among the responses?"
        )
        raise InvalidInputError(msg)


def _refuse_sparse(values: ArrayLike, name: str) -> None:
    if issparse(values):
        msg = f"{name} is sparse, which is not supported: pass {name}.toarray()."
        raise InvalidInputError(msg)
