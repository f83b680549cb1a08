"""Recognition of classes from a population whose accuracy is known at every size."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import (
    check_class_counts,
    check_count,
    check_one_of,
    check_positive,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.registry import Method, Registry
from scorecast._core.result import DATA, SHARE
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import UsageError
from scorecast.simulate.nearest_centroid import (
    BallRadius,
    NormalRadius,
    Radius,
    StudentRadius,
    nearest_accuracy,
)
from scorecast.simulate.simulation import (
    MOST,
    SIMULATORS,
    Simulation,
    Simulator,
    flat_options,
)

_SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000)
_LARGEST = 5 * 10**7  # scores; more are left as embeddings
_TEMPLATES = ("exact", "noisy")
_FORMS = ("scores", "embeddings")

ZHENG = (
    "C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies "
    "for large multi-class problems. Journal of Machine Learning Research 19."
)


@dataclass(frozen=True, kw_only=True)
class CentrePopulation(Method):
    """How the centres of classes are spread, without a preferred direction.

    Attributes
    ----------
    radius : callable
        From the number of dimensions and the degrees of freedom to the distribution of
        distances from the middle.
    allows_noisy_templates : bool
        Whether the accuracy is also known for templates that are noisy themselves.
    """

    radius: Callable[[int, float], Radius]
    allows_noisy_templates: bool = False


POPULATIONS: Registry[CentrePopulation] = Registry()
POPULATIONS.add(
    CentrePopulation(
        name="gaussian",
        title="normal centres",
        summary="normal",
        reference=ZHENG,
        radius=lambda d, _: NormalRadius(d),
        allows_noisy_templates=True,
    )
)
POPULATIONS.add(
    CentrePopulation(
        name="uniform",
        title="centres in a ball",
        summary="evenly spread in a ball",
        radius=lambda d, _: BallRadius(d),
    )
)
POPULATIONS.add(
    CentrePopulation(
        name="heavy-tailed",
        title="heavy-tailed centres",
        summary="Student: most near the middle, some far out",
        radius=StudentRadius,
    )
)


@dataclass(frozen=True, kw_only=True)
class GaussianClasses:
    """Class centres and noise are both normal, and templates are noisy [1]_.

    Attributes
    ----------
    n_features : int
        Number of dimensions.
    noise : float
        Variance of the noise in each dimension; centres have variance one.

    References
    ----------
    .. [1] C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected
       accuracies for large multi-class problems. Journal of Machine Learning
       Research 19.

    Examples
    --------
    >>> GaussianClasses(n_features=10, noise=0.2).accuracy([2, 100]).round(4).tolist()
    [0.996, 0.8216]
    """

    kind: ClassVar[str] = "gaussian-classes"

    n_features: int = 10
    noise: float = 0.2

    def sample(
        self, n_classes: int, n_per_class: int = 1, *, random_state: RandomState = 0
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Draw a template of every class and examples to recognise.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        n_per_class : int, default=1
            Examples of each class.
        random_state : int, Generator or None, default=0
            Source of randomness.

        Returns
        -------
        gallery : ndarray of shape (n_classes, n_features)
            One noisy template per class.
        probes : ndarray of shape (n_classes * n_per_class, n_features)
            Noisy examples.
        y_true : ndarray of int64
            True class of each example.
        """
        rng = as_generator(random_state)
        centres = rng.normal(size=(n_classes, self.n_features))
        std = np.sqrt(self.noise)
        gallery = centres + std * rng.normal(size=centres.shape)
        y_true = np.repeat(np.arange(n_classes), n_per_class)
        noise = std * rng.normal(size=(y_true.size, self.n_features))
        return gallery, centres[y_true] + noise, y_true

    def accuracy(self, ks: ArrayLike) -> FloatArray:
        """Return the expected accuracy with k random classes.

        Parameters
        ----------
        ks : array-like of int
            Numbers of classes.

        Returns
        -------
        ndarray
            Accuracy of the nearest noisy template, to about 5e-6.
        """
        # Given the example x, its template is normal around x / (1 + noise).
        spread = np.sqrt(1 + self.noise)
        shift = self.noise / (1 + self.noise)
        templates = NormalRadius(self.n_features, float(spread))
        return nearest_accuracy(
            np.asarray(ks, dtype=np.float64),
            templates,
            shift=shift,
            noise=float(np.sqrt(shift + self.noise)),
            others=templates,
        )


@dataclass(frozen=True, kw_only=True)
class IsotropicClasses:
    """Class centres of any spread, without a preferred direction, and normal noise.

    Attributes
    ----------
    shape : str
        How centres are spread, one of `POPULATIONS`.
    n_features : int
        Number of dimensions.
    noise : float
        Variance of the noise in each dimension; centres have variance one.
    df : float
        Degrees of freedom of heavy tails, above 2.

    Examples
    --------
    >>> IsotropicClasses(shape="uniform", n_features=3).accuracy([2]).round(4).tolist()
    [0.9696]
    """

    kind: ClassVar[str] = "isotropic-classes"

    shape: str = "gaussian"
    n_features: int = 10
    noise: float = 0.2
    df: float = 3.0

    @property
    def radius(self) -> Radius:
        """Distances of centres from the middle."""
        return POPULATIONS[self.shape].radius(self.n_features, self.df)

    def sample(
        self, n_classes: int, n_per_class: int = 1, *, random_state: RandomState = 0
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Draw the centre of every class and examples to recognise.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        n_per_class : int, default=1
            Examples of each class.
        random_state : int, Generator or None, default=0
            Source of randomness.

        Returns
        -------
        gallery : ndarray of shape (n_classes, n_features)
            The centres.
        probes : ndarray of shape (n_classes * n_per_class, n_features)
            Noisy examples.
        y_true : ndarray of int64
            True class of each example.
        """
        rng = as_generator(random_state)
        towards = rng.normal(size=(n_classes, self.n_features))
        towards /= np.linalg.norm(towards, axis=1, keepdims=True)
        centres = self.radius.at(rng.normal(size=n_classes))[:, None] * towards
        y_true = np.repeat(np.arange(n_classes), n_per_class)
        noise = rng.normal(size=(y_true.size, self.n_features))
        return centres, centres[y_true] + np.sqrt(self.noise) * noise, y_true

    def accuracy(self, ks: ArrayLike) -> FloatArray:
        """Return the expected accuracy with k random classes.

        Parameters
        ----------
        ks : array-like of int
            Numbers of classes.

        Returns
        -------
        ndarray
            Accuracy of the nearest centre, to about 5e-6.
        """
        return nearest_accuracy(
            np.asarray(ks, dtype=np.float64),
            self.radius,
            shift=0.0,
            noise=float(np.sqrt(self.noise)),
            others=self.radius,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class RecognitionTruth:
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
    accuracy: FloatArray = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RecognitionData(Simulation):
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
    truth : RecognitionTruth
        The accuracy curve.
    options : dict
        What was asked for, by the names of factors.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "simulated-recognition"

    y: IntArray = field(metadata=DATA)
    gallery: FloatArray = field(metadata=DATA)
    probes: FloatArray = field(metadata=DATA)
    truth: RecognitionTruth

    @property
    def X(self) -> FloatArray:
        """Scores: minus squared distances of examples and templates."""
        n_scores = self.probes.shape[0] * self.gallery.shape[0]
        if n_scores > _LARGEST:
            raise UsageError(
                f"{n_scores:,} scores are too many for a matrix",
                parameter="form",
                remedy="use the embeddings of templates and examples",
            )
        squares = (self.probes**2).sum(axis=1)[:, None] + (self.gallery**2).sum(axis=1)
        scores: FloatArray = 2 * self.probes @ self.gallery.T - squares
        return scores

    def to_columns(self) -> dict[str, Any]:
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
def recognition(
    n_classes: int = 50,
    n_per_class: int = 5,
    *,
    population: str = "gaussian",
    n_features: int = 5,
    noise: float = 0.2,
    df: float = 3.0,
    templates: str = "exact",
    sizes: int | Iterable[int] = _SIZES,
    form: str = "scores",
    random_state: RandomState = 0,
) -> RecognitionData:
    r"""Make a recognition task whose accuracy with any number of classes is known.

    The nearest template is chosen. With :math:`Q` the chance that a random template
    lies nearer to an example than its own, an integral over spherical caps, the
    accuracy with :math:`k` classes is

    .. math:: \mathrm{AGA}(k) = E[(1 - Q)^{k - 1}].

    Parameters
    ----------
    n_classes : int, default=50
        Classes to draw.
    n_per_class : int, default=5
        Examples of each.
    population : str, default="gaussian"
        How class centres are spread, one of `POPULATIONS`.
    n_features : int, default=5
        Number of dimensions, up to 500.
    noise : float, default=0.2
        Variance of the noise in each dimension; centres have variance one.
    df : float, default=3
        Degrees of freedom of heavy tails, above 2.
    templates : {"exact", "noisy"}, default="exact"
        Whether examples are compared with the centre of every class or with one more
        example of it (Gaussian only [1]_).
    sizes : int or iterable of int
        Numbers of classes at which the truth is written down.
    form : {"scores", "embeddings"}, default="scores"
        What an ``.npz`` file holds.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    RecognitionData
        Scores, embeddings, and the accuracy curve.

    Raises
    ------
    UsageError
        If an option is out of range, or the combination has no known curve.

    References
    ----------
    .. [1] C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected
       accuracies for large multi-class problems. Journal of Machine Learning
       Research 19.

    Examples
    --------
    >>> data = recognition(20, 2, n_features=1, sizes=[2, 10])
    >>> data.X.shape, data.truth.accuracy.round(4).tolist()
    ((40, 20), [0.8205, 0.3458])
    """
    spread = POPULATIONS.choose(population, parameter="population")
    check_one_of(templates, "templates", _TEMPLATES)
    d = check_count(n_features, "n_features", most=500)
    noise = check_positive(noise, "noise")
    if templates == "noisy" and not spread.allows_noisy_templates:
        problem = "noisy ones have a known curve for normal centres only"
        raise UsageError(problem, parameter="templates")
    df = check_positive(df, "df")
    if df <= 2:
        problem = f"must be above 2, so that centres have a variance; got {df!r}"
        raise UsageError(problem, parameter="df")
    n_classes = check_count(n_classes, "n_classes", least=2, most=MOST)
    n_per_class = check_count(n_per_class, "n_per_class", most=MOST)
    check_one_of(form, "form", _FORMS)
    at = check_class_counts(sizes, "sizes")
    source: GaussianClasses | IsotropicClasses
    source = IsotropicClasses(shape=spread.name, n_features=d, noise=noise, df=df)
    if templates == "noisy":
        source = GaussianClasses(n_features=d, noise=noise)
    gallery, probes, y = source.sample(
        n_classes, n_per_class, random_state=as_generator(random_state)
    )
    return RecognitionData(
        y=y,
        gallery=gallery,
        probes=probes,
        truth=RecognitionTruth(
            population=source, classes=at, accuracy=source.accuracy(at)
        ),
        options=flat_options(
            {
                "n_classes": n_classes,
                "n_per_class": n_per_class,
                "population": spread.name,
                "n_features": d,
                "noise": noise,
                "df": df,
                "templates": templates,
                "form": form,
            }
        ),
        seed=seed_number(random_state),
    )


def _next_command(data: RecognitionData, path: str) -> tuple[str, ...]:
    far = ("--to", str(10 * data.gallery.shape[0]))
    if data.options["form"] == "embeddings":
        parts = [(f"--{part}", f"{path}::{part}") for part in data.to_arrays()]
        return ("extrapolate", *(word for pair in parts for word in pair), *far)
    if path.lower().endswith(".npz"):
        return ("extrapolate", path, *far)
    return ("extrapolate", path, "--label-column", "truth", *far)


SIMULATORS.add(
    Simulator(
        name="recognition",
        title="a recognition task",
        summary="a recognition task whose accuracy with any number of classes is known",
        reference=ZHENG,
        function=recognition,
        choices={
            "population": POPULATIONS,
            "templates": _TEMPLATES,
            "form": _FORMS,
        },
        sizes=("n_",),
        disturbances=("noise",),
        left_out=("sizes",),
        next_command=_next_command,
    )
)
