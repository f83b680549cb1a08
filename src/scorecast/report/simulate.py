"""How simulated data are described: what was made, and what is true of it."""

from __future__ import annotations

import math

from scorecast.report import formats
from scorecast.report.document import Document
from scorecast.simulate import (
    PLANTED_PATTERNS,
    SIMULATORS,
    BayesError,
    BayesErrorKind,
    BiclusterData,
    ClassificationData,
    ForecastData,
    RecognitionData,
    RegressionData,
    Simulation,
    SurvivalCohort,
)

_KNOWN = {
    BayesErrorKind.EXACT: "normal classes of equal spread, which differ along one "
    "direction",
    BayesErrorKind.MONTE_CARLO: "true densities at {draws} fresh samples",
    BayesErrorKind.BOUNDS: "from below by the error without noise, tails and planted "
    "values, from above by that of a rule for independent features ({draws} fresh "
    "samples, upper end)",
}


def classification_document(made: ClassificationData) -> Document:
    """Describe labelled samples."""
    truth = made.truth
    n, m = sum(truth.class_sizes), made.X.shape[1]
    sizes = ", ".join(map(formats.count, truth.class_sizes))
    headline = (
        f"{formats.count(n)} samples with {formats.count(m)} features in "
        f"{len(truth.class_sizes)} classes ({sizes} samples); "
        f"{formats.count(truth.informative.size)} features tell classes apart, "
        f"{formats.count(truth.skewed.size)} are skewed."
    )
    facts: list[tuple[str, str]] = []
    if truth.bayes_error is not None:
        headline = f"{headline} Bayes error {bayes_error(truth.bayes_error)}."
        draws = formats.count(truth.bayes_error.n_draws)
        how = _KNOWN[truth.bayes_error.method].format(draws=draws)
        is_known = truth.bayes_error.method is not BayesErrorKind.BOUNDS
        if is_known or truth.bayes_error.n_draws:
            facts.append(("Bayes", how))
    if made.has_replicates:
        rows = formats.counted(made.y.size, "rows")
        facts.append(("Measured", f"{rows}, replicates of the same samples"))
    return _document(made, headline, facts)


def regression_document(made: RegressionData) -> Document:
    """Describe samples with numbers to predict."""
    truth = made.truth
    n, m = made.X.shape
    products = ""
    if len(truth.pairs):
        products = f", some through {formats.counted(len(truth.pairs), 'products')}"
    headline = (
        f"{formats.counted(n, 'samples')} with {formats.counted(m, 'features')} and a "
        f"number to predict; {formats.count(truth.informative.size)} features tell"
        f"{products}. The best rule has an R² of {formats.amount(truth.r2, 3)} and a "
        f"root mean squared error of {formats.amount(math.sqrt(truth.mse), 3)}."
    )
    spread = formats.amount(truth.std, 3)
    return _document(
        made,
        headline,
        [("Targets", f"mean {formats.amount(truth.mean, 3)}, spread {spread}")],
    )


def bayes_error(known: BayesError) -> str:
    """Write a Bayes error in a few words."""
    value, low, high = map(_share, (known.value, known.low, known.high))
    if known.method is BayesErrorKind.EXACT:
        return f"{value} (exact)"
    if known.method is BayesErrorKind.BOUNDS:
        if not known.n_draws:
            return f"not known (at most {high}, that of a guess)"
        return f"between {low} and {high}"
    return f"{value} (95 %: {low} to {high})"


def bicluster_document(made: BiclusterData) -> Document:
    """Describe a matrix with hidden biclusters."""
    truth = made.truth
    n_rows, n_columns = made.X.shape
    patterns = dict.fromkeys(one.pattern for one in truth.biclusters)
    names = ", ".join(PLANTED_PATTERNS[name].title for name in patterns) or "none"
    headline = (
        f"{formats.count(n_rows)} x {formats.count(n_columns)} values with "
        f"{len(truth.biclusters)} hidden biclusters ({names}) on "
        f"{_share(truth.area, 2)} of the cells, {_share(truth.overlap, 2)} of these in "
        f"more than one; {formats.count(truth.n_missing)} values are missing."
    )
    return _document(made, headline)


def recognition_document(made: RecognitionData) -> Document:
    """Describe a recognition task."""
    truth = made.truth
    last = len(truth.classes) - 1
    curve = ", ".join(
        f"{formats.percent(float(truth.accuracy[i]), 1)} with "
        f"{formats.count(truth.classes[i])}"
        for i in sorted({0, len(truth.classes) // 2, last})
    )
    headline = (
        f"{formats.count(made.y.size)} examples of "
        f"{formats.count(made.gallery.shape[0])} {made.options['population']} classes "
        f"in {made.probes.shape[1]} dimensions. True accuracy: {curve} classes."
    )
    return _document(made, headline)


def forecast_document(made: ForecastData) -> Document:
    """Describe forecasts."""
    truth = made.truth
    best = ""
    if not math.isnan(truth.best):
        amount = formats.amount(truth.best, 4)
        best = f"; the best forecaster who sees as much has {amount}"
    headline = (
        f"{formats.count(made.y.size)} forecasts ({made.options['forecaster']}). They "
        f"truly carry {formats.amount(truth.information, 4)} {truth.units} per sample "
        f"beyond the prior{best}."
    )
    known = "closed form"
    if truth.n_points:
        known = f"average over {formats.count(truth.n_points)} scrambled Sobol points"
    return _document(made, headline, [("Computed", known)])


def survival_document(made: SurvivalCohort) -> Document:
    """Describe a cohort."""
    truth = made.truth
    n, p = made.X.shape
    n_events = int(made.event.sum())
    headline = (
        f"{formats.counted(n, 'samples')} with {formats.counted(p, 'covariates')}, "
        f"{formats.counted(n_events, 'events')} seen ({made.options['law']} times). "
        f"Covariates truly tell {formats.amount(truth.information, 4)} {truth.units} "
        "per sample beyond the curve of all; "
        f"{formats.amount(truth.complete, 4)} if every event had been waited for."
    )
    points = formats.count(truth.n_points)
    return _document(
        made, headline, [("Computed", f"average over {points} scrambled Sobol points")]
    )


def _document(
    made: Simulation, headline: str, facts: list[tuple[str, str]] | None = None
) -> Document:
    kind = made.kind.removeprefix("simulated-")
    seed = "not a number" if made.seed is None else str(made.seed)
    works = (SIMULATORS[kind].reference,)
    return Document(
        headline=headline,
        facts=(*(facts or ()), ("Seed", seed)),
        references=tuple(work for work in works if work),
    )


def _share(value: float, digits: int = 3) -> str:
    """Write a share with significant digits: what is small matters here."""
    return f"{formats.amount(100 * value, digits)} %"


VIEWS = {
    "simulated-classification": classification_document,
    "simulated-regression": regression_document,
    "simulated-biclusters": bicluster_document,
    "simulated-recognition": recognition_document,
    "simulated-forecasts": forecast_document,
    "simulated-survival": survival_document,
}
