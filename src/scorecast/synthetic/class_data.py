"""Recognition of classes from a population whose accuracy is known at every size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import check_choice, check_class_counts
from scorecast._core.keywords import checked_keywords
from scorecast._core.percent import percent
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
from scorecast.exceptions import UsageError
from scorecast.synthetic.arguments import check_positive, check_whole
from scorecast.synthetic.populations import (
    POPULATIONS,
    GaussianClasses,
    IsotropicClasses,
)
from scorecast.synthetic.simulated import Simulated

__all__ = ["ClassData", "ClassTruth", "classes"]

_SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000)
_LARGEST = 5 * 10**7  # scores; more are left as embeddings


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassTruth:
    """What is known of a recogniser.

    Attributes
    ----------
    population : GaussianClasses or IsotropicClasses
        Where classes come from; its ``accuracy(ks)`` gives any number of classes.
    classes : ndarray of int64
        Numbers of classes.
    accuracy : ndarray of float64
        Expected accuracy with so many classes drawn at random.
    """

    population: GaussianClasses | IsotropicClasses
    classes: IntArray
    accuracy: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassData(Simulated):
    """Examples of classes, scored against a template of every class.

    Attributes
    ----------
    X : ndarray of shape (n, n_classes)
        Scores: minus squared distances. Computed when asked for.
    y : ndarray of int64
        True class of every example.
    gallery : ndarray of shape (n_classes, n_features)
        Templates.
    probes : ndarray of shape (n, n_features)
        Examples.
    truth : ClassTruth
        The accuracy curve.
    options : dict
        What was asked for.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "classes"

    y: IntArray
    gallery: FloatArray
    probes: FloatArray
    truth: ClassTruth

    @property
    def X(self) -> FloatArray:
        """Scores: minus squared distances of examples and templates."""
        n_scores = self.probes.shape[0] * self.gallery.shape[0]
        if n_scores > _LARGEST:
            msg = (
                f"{n_scores:,} scores are too many for a matrix; use the embeddings "
                "`gallery` and `probes` (--form embeddings)."
            )
            raise UsageError(msg)
        squares = (self.probes**2).sum(axis=1)[:, None] + (self.gallery**2).sum(axis=1)
        scores: FloatArray = 2 * self.probes @ self.gallery.T - squares
        return scores

    def summary(self) -> str:
        """Say in a sentence or two what was made."""
        n, k = self.y.size, self.gallery.shape[0]
        far = self.truth
        said = ", ".join(
            f"{percent(float(far.accuracy[i]), 1)} with {far.classes[i]:,}"
            for i in sorted({0, len(far.classes) // 2, len(far.classes) - 1})
        )
        return (
            f"{n:,} examples of {k:,} {self.options['population']} classes in "
            f"{self.probes.shape[1]} dimensions. True accuracy: {said} classes."
        )

    def truth_dict(self) -> Json:
        """Return the truth as plain values."""
        return {
            "population": {
                "kind": type(self.truth.population).__name__,
                **vars(self.truth.population),
            },
            "classes": self.truth.classes,
            "accuracy": self.truth.accuracy,
        }

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the true class as ``truth`` and one column of scores per class."""
        names = np.array([f"c{j}" for j in range(self.gallery.shape[0])])
        scores = self.X
        columns = {str(name): scores[:, j] for j, name in enumerate(names)}
        return {"truth": names[self.y], **columns}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return ``scores`` and ``labels``, or ``gallery``, ``probes``, ``labels``."""
        if self.options["form"] == "embeddings":
            return {"gallery": self.gallery, "probes": self.probes, "labels": self.y}
        return {"scores": self.X, "labels": self.y}


@checked_keywords
def classes(
    n_classes: int = 50,
    n_each: int = 5,
    *,
    population: str = "gaussian",
    n_features: int = 5,
    noise: float = 0.2,
    df: float = 3.0,
    templates: str = "exact",
    sizes: int | Iterable[int] = _SIZES,
    form: str = "scores",
    random_state: RandomState = 0,
) -> ClassData:
    """Make a recognition task whose accuracy with any number of classes is known.

    Parameters
    ----------
    n_classes : int, default=50
        Classes to draw.
    n_each : int, default=5
        Examples of each.
    population : {"gaussian", "uniform", "heavy-tailed"}, default="gaussian"
        How class centres are spread: normal, evenly in a ball, or Student.
    n_features : int, default=5
        Number of dimensions.
    noise : float, default=0.2
        Variance of the noise in each dimension; centres have variance one.
    df : float, default=3
        Degrees of freedom of heavy tails, above 2.
    templates : {"exact", "noisy"}, default="exact"
        Whether examples are compared with the centre of every class or with one more
        example of it (Gaussian only; the simulation of Zheng and others, 2018).
    sizes : int or iterable of int
        Numbers of classes at which the truth is written down.
    form : {"scores", "embeddings"}, default="scores"
        What `save` writes to an ``.npz``.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    ClassData
        Scores, embeddings, and the accuracy curve.

    Raises
    ------
    UsageError
        If an option is out of range, or the combination has no known curve.

    Examples
    --------
    >>> data = classes(20, 2, n_features=1, sizes=[2, 10])
    >>> data.X.shape, data.truth.accuracy.round(4).tolist()
    ((40, 20), [0.8205, 0.3458])
    """
    shape = check_choice(population, "population", POPULATIONS)
    kind = check_choice(templates, "templates", ("exact", "noisy"))
    d = check_whole(n_features, "n_features", most=500)
    variance = check_positive(noise, "noise")
    if kind == "noisy" and shape != "gaussian":
        msg = "`templates='noisy'` has a known curve for the Gaussian population only."
        raise UsageError(msg)
    if check_positive(df, "df") <= 2:
        msg = f"`df` must be above 2, so that centres have a variance; got {df!r}."
        raise UsageError(msg)
    source: GaussianClasses | IsotropicClasses = (
        GaussianClasses(n_features=d, noise=variance)
        if kind == "noisy"
        else IsotropicClasses(shape=shape, n_features=d, noise=variance, df=float(df))
    )
    options: Json = {
        "n_classes": check_whole(n_classes, "n_classes", least=2),
        "n_each": check_whole(n_each, "n_each"),
        "population": shape, "n_features": d, "noise": variance, "df": float(df),
        "templates": kind, "form": check_choice(form, "form", ("scores", "embeddings")),
    }  # fmt: skip
    at = check_class_counts(sizes, "sizes")
    gallery, probes, y = source.sample(
        options["n_classes"], options["n_each"], random_state=as_generator(random_state)
    )
    return ClassData(
        y=y,
        gallery=gallery,
        probes=probes,
        truth=ClassTruth(population=source, classes=at, accuracy=source.accuracy(at)),
        options=options,
        seed=seed_number(random_state),
    )
