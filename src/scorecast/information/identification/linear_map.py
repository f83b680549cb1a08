"""The fitted regression: from the features of a stimulus to the mean response."""

from __future__ import annotations

from dataclasses import dataclass

from scorecast._core.types import FloatArray

__all__ = ["LinearMap"]


@dataclass(frozen=True)
class LinearMap:
    """A linear map through as few dimensions as the training data span.

    With more features than samples the coefficients (features x responses) may be
    larger than everything else together; two thin factors say the same.

    Parameters
    ----------
    centre : ndarray of shape (n_features,)
        Where the features are measured from.
    basis : ndarray of shape (n_features, rank) or None
        Directions of the features that count; None means every feature by itself.
    loadings : ndarray of shape (rank, n_responses)
        Response to one unit of each direction.
    offset : ndarray of shape (n_responses,)
        Response at the centre.
    """

    centre: FloatArray
    basis: FloatArray | None
    loadings: FloatArray
    offset: FloatArray

    def coordinates(self, stimuli: FloatArray) -> FloatArray:
        """Return where stimuli lie along the directions that count."""
        away: FloatArray = stimuli - self.centre
        return away if self.basis is None else away @ self.basis

    def predict(self, stimuli: FloatArray) -> FloatArray:
        """Return the mean response to every stimulus."""
        response = self.coordinates(stimuli) @ self.loadings
        response += self.offset
        return response

    def coefficients(self) -> FloatArray:
        """Return one coefficient per feature (rows) and response (columns)."""
        return self.loadings if self.basis is None else self.basis @ self.loadings

    def intercept(self) -> FloatArray:
        """Return the response where every feature is zero."""
        at_zero: FloatArray = self.offset + self.coordinates_of_zero() @ self.loadings
        return at_zero

    def coordinates_of_zero(self) -> FloatArray:
        """Return where a stimulus without any feature lies."""
        return -self.centre if self.basis is None else -(self.centre @ self.basis)
