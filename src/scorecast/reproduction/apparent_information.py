"""Entries of Sewell (2024): apparent information and its posterior."""

from __future__ import annotations

import csv
import gzip
import math
import warnings

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, Location, ScorecastWarning
from scorecast.information import (
    Forecasts,
    PosteriorSettings,
    Spread,
    apparent_information,
)
from scorecast.mixtures import (
    Prior,
    ProGamma,
    Sampling,
    SkewStudent,
    ladder,
    sample_posterior,
    sample_prior_means,
    thermodynamic_integral,
)
from scorecast.reproduction.entry import Found, Measured, Work, reproduces
from scorecast.reproduction.result import Line, LineStyle, Panel, Picture


@reproduces(
    "002-b5",
    "density of a skew-Student component",
    "log density at points of one and of two dimensions",
    seconds=0.5,
)
def skew_student(work: Work) -> Found:
    """Evaluate densities."""
    del work
    numbers = {}
    for y, nu, s, m, r in (
        (0.7, 0.5, 2.0, 1.6, 0.6),
        (-3.0, 2.0, 4.0, 2.5, 1.5),
        (10.0, -1.5, 1.0, 1.2, 0.2),
        (-40.0, 3.0, 9.0, 5.0, 4.0),
    ):
        law = SkewStudent(np.zeros(1), np.array([nu]), np.array([[s]]), m, r)
        found = law.log_density([[y]])
        numbers[f"one dimension, y={y:g}"] = Measured(value=float(found[0]))
    skew, precision = np.array([0.8, -0.5]), np.array([[2.0, 0.6], [0.6, 1.0]])
    plane = SkewStudent(np.zeros(2), skew, precision, 1.8, 0.8)
    for at in ((0.3, -0.2), (4.0, 3.0)):
        found = plane.log_density([at])
        cell = f"two dimensions, y=({at[0]:g}, {at[1]:g})"
        numbers[cell] = Measured(value=float(found[0]))
    return Found(numbers=numbers)


@reproduces(
    "002-b6",
    "the distribution of a shape (proGamma)",
    "mode and mean of the conjugate distribution of a shape parameter",
    seconds=0.2,
)
def shapes(work: Work) -> Found:
    """Evaluate moments."""
    del work
    first = ProGamma(1, 3)
    numbers = {
        "(1, 3, 1, type 1), mode": Measured(value=first.mode()),
        "(1, 3, 1, type 1), mean": Measured(value=first.mean()),
        "(1, 20, 1, type 2), mean": Measured(value=ProGamma(1, 20, kind=2).mean()),
        "(1, .01, 14, type 1), mean": Measured(
            value=ProGamma(1, 0.01, n_dims=14).mean()
        ),
    }
    m = np.linspace(1.01, 12, 200)
    lines = []
    for b in (1, 3, 9):
        law = ProGamma(1, b)
        y = np.exp(law.log_density(m))
        lines.append(Line(name=f"b = {b}", x=tuple(m.tolist()), y=tuple(y.tolist())))
    picture = Picture(
        title="Densities of a shape m, type 1, a = 1",
        xlabel="m",
        ylabel="density",
        panels=(Panel(title="", lines=tuple(lines)),),
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "002-coin",
    "forecasters of a coin",
    "apparent information of one always right, one always wrong, one who guesses",
    seconds=0.1,
)
def coin(work: Work) -> Found:
    """Compute j of each."""
    sides = work.rng().integers(0, 2, size=1000)
    numbers = {}
    for cell, q in (
        ("always right", np.where(sides == sides, 1.0, 0.0)),
        ("always wrong", np.where(1 - sides == sides, 1.0, 0.0)),
        ("guesses", np.full(sides.size, 0.5)),
    ):
        found = Forecasts.from_probabilities(q, np.full(sides.size, 0.5))
        numbers[f"J, {cell}"] = Measured(value=float(np.mean(found.j)))
    return Found(numbers=numbers)


@reproduces(
    "002-properties",
    "what apparent information must obey",
    "additivity, invariance under change of variable, weighted sums over events, and "
    "J <= I of a Gaussian channel",
    seconds=1.0,
)
def properties(work: Work) -> Found:
    """Check the properties on draws of a Gaussian channel."""
    rng, n = work.rng(), work.size(200_000, 1_000_000)
    x = rng.normal(size=n)
    y = x + np.sqrt(0.5) * rng.normal(size=n)
    log_p = _log_normal(x, 0.0, 1.0)
    rough = Forecasts.from_logs(_log_normal(x, 0.6 * y, 0.5), log_p)
    best = Forecasts.from_logs(_log_normal(x, y / 1.5, 1 / 3), log_p)
    beyond = best.relative_to(rough)
    w = -np.exp(x)
    slope, at = np.log(np.abs(w)), np.log(-w)
    turned = Forecasts.from_logs(
        _log_normal(at, 0.6 * y, 0.5) - slope, _log_normal(at, 0.0, 1.0) - slope
    )
    found = apparent_information(
        rough,
        groups=np.where(x > 0.5, "E1", "E0").tolist(),
        units="nats",
        quick=True,
        random_state=work.seed,
    )
    total = sum(group.weight * group.mean for group in found.groups)
    exact = 0.5 * np.log(2.0) - (0.4**2 + 0.6**2 * 0.5) / (2 * 0.5) + 0.5
    return Found(
        numbers={
            "greatest difference in additivity": Measured(
                value=float(np.abs(beyond.j + rough.j - best.j).max())
            ),
            "greatest difference under w = -exp(x)": Measured(
                value=float(np.abs(turned.j - rough.j).max())
            ),
            "difference of J and its weighted sum over two events": Measured(
                value=float(abs(total - rough.j.mean()))
            ),
            "J of a rough forecast, closed form": Measured(value=float(exact)),
            "J of a rough forecast, drawn": _mean(rough.j),
            "J of the best forecast, drawn": _mean(best.j),
            "J is at most I": Measured(value=float(exact <= 0.5 * np.log(3.0))),
        }
    )


def _log_normal(x: FloatArray, mean: FloatArray | float, variance: float) -> FloatArray:
    logs: FloatArray = -((x - mean) ** 2) / (2 * variance)
    return logs - 0.5 * math.log(2 * math.pi * variance)


def _mean(values: FloatArray) -> Measured:
    error = float(values.std(ddof=1) / np.sqrt(values.size))
    return Measured(value=float(values.mean()), error=error)


@reproduces(
    "002-betting",
    "a stake that grows with information",
    "growth of the piles of two players who bet on a coin, one of whom knows more",
    seconds=1.0,
)
def betting(work: Work) -> Found:
    """Let two players bet in proportion to what they believe."""
    rng, n = work.rng(), work.size(20_000, 200_000)
    chance = rng.beta(2, 2, size=n)
    heads = rng.random(n) < chance
    numbers, lines = {}, []
    for name, belief in (("knows", chance), ("half knows", 0.5 + (chance - 0.5) / 2)):
        q = np.where(heads, belief, 1 - belief)
        found = apparent_information(
            Forecasts.from_probabilities(q, np.full(n, 0.5)),
            units="nats",
            quick=True,
            random_state=work.seed,
        )
        slope = found.betting.log_wealth[-1] / n
        # What the player expects of a coin of known chance, over chances.
        expected = chance * np.log(2 * belief) + (1 - chance) * np.log(2 * (1 - belief))
        j = np.log(2 * q)
        numbers[f"growth per round less J, {name}"] = Measured(
            value=float(slope - expected.mean()),
            error=float((j - expected).std(ddof=1) / np.sqrt(n)),
        )
        lines.append(
            Line(
                name=f"who {name}",
                x=tuple(found.betting.cases.astype(float).tolist()),
                y=tuple(found.betting.log_wealth.tolist()),
            )
        )
    picture = Picture(
        title="Logarithm of the piles of two players",
        xlabel="rounds",
        ylabel="log of the pile",
        panels=(Panel(title="", lines=tuple(lines)),),
    )
    return Found(numbers=numbers, pictures=(picture,))


# --- the posterior of J ---------------------------------------------------------------


def _stand_in(rng: np.random.Generator) -> FloatArray:
    """Make 417 values with a long left tail, and one far out, as those of the paper.

    Their mean and spread are set so that mean, mean without the far one, and standard
    error are the printed ones; what the posterior makes of them is not.
    """
    law = SkewStudent(np.zeros(1), np.array([-0.5]), np.array([[1.0]]), 3.0, 2.0)
    drawn = law.sample(417, random_state=rng)[:, 0]
    around = (drawn - drawn.mean()) / drawn.std()
    total = 0.034**2 * 418 * 417
    alone = (_FAR_OUT - 0.096) ** 2 + 417 * (0.112 - 0.096) ** 2
    return np.append(0.112 + np.sqrt((total - alone) / 417) * around, _FAR_OUT)


_FAR_OUT = -6.58


@reproduces(
    "002-fig-1",
    "posterior of J: a stand-in for the patients",
    "417 values of a skew-Student distribution and one at -6.58, with the printed mean "
    "and standard error; histogram, density and distribution of J",
    aliases=("002-fig-2", "002-fig-3"),
    seconds=3.0,
    full_minutes=1.0,
)
def stand_in(work: Work) -> Found:
    """Take the posterior of J of a sample that resembles the published one."""
    j = _stand_in(work.rng())
    found = apparent_information(
        Forecasts.from_log_ratios(j),
        units="nats",
        settings=PosteriorSettings(influence=False, allow_unconverged=True),
        random_state=work.seed,
    )
    view = found.posterior.view("mixture")
    plain = float(j.mean())
    numbers = {
        "mean of j": Measured(value=plain),
        "mean of j without the far one": Measured(value=float(j[:-1].mean())),
        "standard error": Measured(value=found.normal.stderr),
    }
    pictures = [_histogram(j, "Histogram of j")]
    if view is not None:
        numbers |= {
            "J, mean": Measured(value=view.mean),
            "J, median": Measured(value=view.median),
            "J, 2.5 %": Measured(value=view.low),
            "J, 97.5 %": Measured(value=view.high),
            "the median of J is above the plain mean": Measured(
                value=float(view.median > plain)
            ),
            "the interval holds the plain mean": Measured(
                value=float(view.low <= plain <= view.high)
            ),
        }
        x = tuple(found.posterior.x.tolist())
        for title, ylabel, y in (
            ("Posterior density of J", "density", view.density),
            ("Posterior distribution of J", "chance below", view.cumulative),
        ):
            line = Line(name="J", x=x, y=tuple(y.tolist()))
            pictures.append(
                Picture(
                    title=title,
                    xlabel="J (nats)",
                    ylabel=ylabel,
                    panels=(Panel(title="", lines=(line,)),),
                )
            )
    pictures.insert(1, _densities(found.spread))
    return Found(numbers=numbers, pictures=tuple(pictures))


def _densities(spread: Spread) -> Picture:
    """Draw single densities of the posterior, and the mean of all."""
    x = tuple(spread.x.tolist())
    drawn = [(f"draw {i}", y) for i, y in enumerate(spread.draws, start=1)]
    return Picture(
        title="Posterior densities of j: three draws, and the mean of all",
        xlabel="j (nats)",
        ylabel="density",
        panels=(
            Panel(
                title="",
                lines=tuple(
                    Line(name=name, x=x, y=tuple(y.tolist()))
                    for name, y in [*drawn, ("mean", spread.density)]
                ),
            ),
        ),
    )


def _histogram(values: FloatArray, title: str, *, units: str = "nats") -> Picture:
    counts, edges = np.histogram(values, bins=60)
    middle = (edges[1:] + edges[:-1]) / 2
    line = Line(
        name="cases",
        x=tuple(middle.tolist()),
        y=tuple(counts.astype(float).tolist()),
        style=LineStyle.STEPS,
    )
    return Picture(
        title=title,
        xlabel=f"j ({units})",
        ylabel="cases",
        panels=(Panel(title="", lines=(line,)),),
    )


_SURVIVAL = "asi_survival_oof.csv.gz"


@reproduces(
    "002-stagec",
    "posterior of J: prostate cancer, other patients",
    "apparent information of a Weibull model of 134 men, out of sample",
    files=(_SURVIVAL,),
    seconds=4.0,
    full_minutes=0.5,
)
def other_patients(work: Work) -> Found:
    """Take the posterior of J of public data of the same kind."""
    j = _log_ratios(work)
    numbers = {
        "mean of j": Measured(value=float(j.mean())),
        "mean of j without the worst": Measured(value=float(np.sort(j)[1:].mean())),
    }
    found = apparent_information(
        Forecasts.from_log_ratios(j),
        units="nats",
        settings=PosteriorSettings(influence=False, allow_unconverged=True),
        random_state=work.seed,
    )
    numbers["J, all views, 2.5 %"] = Measured(value=found.posterior.low)
    numbers["J, all views, 97.5 %"] = Measured(value=found.posterior.high)
    view = found.posterior.view("mixture")
    if view is not None:
        numbers["J, median of the mixture"] = Measured(value=view.median)
    return Found(numbers=numbers, pictures=(_histogram(j, "Histogram of j"),))


def _log_ratios(work: Work) -> FloatArray:
    """Read j of the Weibull model of stage C prostate cancer."""
    rows, place = _rows(work, _SURVIVAL)
    try:
        chosen = [
            float(row["j"])
            for row in rows
            if (row["set"], row["model"]) == ("stagec_prostate", "weibull")
        ]
    except (KeyError, ValueError, TypeError) as error:
        problem = "needs columns set, model and j, of numbers"
        raise InvalidInputError(problem, location=place) from error
    if not chosen:
        problem = "has no row of set stagec_prostate and model weibull"
        raise InvalidInputError(problem, location=place)
    return np.array(chosen)


def _rows(work: Work, file: str) -> tuple[list[dict[str, str]], Location]:
    """Read a table of the folder that gzip packed, and say where it is."""
    path = work.path(file)
    place = Location(file=path)
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as packed:
            return list(csv.DictReader(packed)), place
    except (OSError, EOFError, UnicodeDecodeError) as error:
        problem = "cannot be read as a table that gzip packed"
        raise InvalidInputError(problem, location=place) from error


# --- appendix B -----------------------------------------------------------------------


@reproduces(
    "002-prior",
    "the prior of J",
    "2.5 and 97.5 % of J before any data, as printed and by another reading",
    seconds=5.0,
    full_minutes=2.0,
)
def prior_of_j(work: Work) -> Found:
    """Draw means of mixtures from the prior."""
    n = work.size(10_000, 100_000)
    numbers, lines = {}, []
    for title, reading in (
        ("as printed", "literal"),
        ("R the mean covariance", "inverse-mean"),
    ):
        prior = Prior.information(location_reading=reading)
        drawn = sample_prior_means(prior, n, random_state=work.rng(reading))[:, 0]
        for share in (0.025, 0.975):
            value = float(np.quantile(drawn, share))
            # The height of the density there, from how far apart quantiles are.
            ends = np.quantile(drawn, (share - 0.01, share + 0.01))
            error = float(np.sqrt(share * (1 - share) / n) * (ends[1] - ends[0]) / 0.02)
            cell = f"{100 * share:g} %, {title}"
            numbers[cell] = Measured(value=value, error=error)
        counts, edges = np.histogram(drawn, bins=80, range=(-4, 4), density=True)
        middle = (edges[1:] + edges[:-1]) / 2
        lines.append(
            Line(name=title, x=tuple(middle.tolist()), y=tuple(counts.tolist()))
        )
    picture = Picture(
        title="Prior density of J",
        xlabel="J (nats)",
        ylabel="density",
        panels=(Panel(title="", lines=tuple(lines)),),
    )
    return Found(numbers=numbers, pictures=(picture,))


_SAMPLE = (
    -0.002642537761862851, 1.8844895451051555, 3.071932587132387, 2.4928060757943733,
    1.1365571057794905, 0.5879025497569865, -0.8770389649077894, -0.1295905965321511,
    -0.2825731118961474, 0.5991664460176274, 2.509436143092905, 1.2283934299523858,
    1.4304516596271803, -0.35189121153402003, 0.9828117884764141, 2.1249077688073927,
    0.44140104075796505, 1.3602785547710043, 3.2748447228281203, 0.3689087185783336,
)  # fmt: skip


@reproduces(
    "002-b4",
    "evidence by thermodynamic integration",
    "log evidence of 20 normal values with a normal prior of their mean, by 20 "
    "temperatures",
    seconds=0.1,
)
def evidence(work: Work) -> Found:
    """Integrate exact means of the log likelihood over the ladder."""
    del work
    x, spread = np.array(_SAMPLE), 4.0
    n, betas = x.size, ladder(20)
    precision = 1 / spread + betas * n
    middle = betas * x.sum() / precision
    # The log likelihood is a constant less n/2 times a squared normal deviation.
    base = -0.5 * (n * np.log(2 * np.pi) + ((x - x.mean()) ** 2).sum())
    off, variance = x.mean() - middle, 1 / precision
    means = base - 0.5 * n * (off**2 + variance)
    variances = (0.5 * n) ** 2 * (2 * variance**2 + 4 * off**2 * variance)
    total = float(np.linalg.slogdet(np.eye(n) + spread)[1])
    inverse = np.eye(n) - spread / (1 + n * spread)
    exact = -0.5 * (n * np.log(2 * np.pi) + total + x @ inverse @ x)
    return Found(
        numbers={
            "exact": Measured(value=float(exact)),
            "plain rule": Measured(value=thermodynamic_integral(betas, means)),
            "corrected rule": Measured(
                value=thermodynamic_integral(betas, means, variances)
            ),
        }
    )


@reproduces(
    "002-b3",
    "chains from different starts",
    "posterior mean of the mixture of 200 synthetic values, from one and from eight "
    "components",
    seconds=4.0,
    full_minutes=2.0,
)
def starts(work: Work) -> Found:
    """Start chains far apart, and see whether they agree."""
    law = SkewStudent(np.array([0.2]), np.array([-0.3]), np.array([[4.0]]), 3.0, 2.0)
    values = law.sample(200, random_state=work.rng("data"))[:, 0]
    means = {}
    for start in (1, 8):
        found = sample_posterior(
            values,
            prior=Prior.information(),
            sampling=Sampling(
                n_chains=2,
                n_warmup=work.size(500, 2000),
                n_draws=work.size(1000, 8000),
                starts=(start,),
                max_seconds=0.0,
            ),
            random_state=work.rng(str(start)),
        )
        means[start] = np.asarray(found.means)
    each = [float(m.mean()) for m in means.values()]
    sd = float(np.mean([m.std() for m in means.values()]))
    apart = abs(each[0] - each[1])
    truth = float(law.mean()[0])
    middle = float(np.mean(each))
    return Found(
        numbers={
            "starts agree within a tenth of the posterior spread": Measured(
                value=float(apart < 0.1 * sd)
            ),
            "distance of the means over the spread": Measured(value=apart / sd),
            "distance from the truth over the spread": Measured(
                value=abs(middle - truth) / sd
            ),
        }
    )


_STAGE_C = "surv_stagec_prostate.csv.gz"
_COVARIATES = ("age", "eet", "g2", "grade", "gleason")
_PLOIDY = ("tetraploid", "aneuploid")  # beside diploid
_OTHERS = {"curve": "curve of all", "cox": "Cox", "lognormal": "lognormal AFT"}


@reproduces(
    "002-recurrence",
    "the recurrence model beside others: other patients",
    "information beyond exponential attrition of the model of appendices B.2 and B.8, "
    "of Cox's and of a lognormal regression, on 146 men with prostate cancer",
    files=(_STAGE_C,),
    seconds=15.0,
    full_minutes=2.5,
)
def recurrence(work: Work) -> Found:
    """Predict times of recurrence of public data of the same kind, out of sample."""
    # Slow to load.
    from scorecast.survival import SurvivalExtras, SurvivalModel, evaluate_survival

    X, time, event = _stage_c(work)
    rough = Sampling(n_chains=2, n_warmup=100, n_draws=200, n_extensions=0, n_kept=200)
    model = SurvivalModel(
        sampling=None if work.is_full else rough, allow_unconverged=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScorecastWarning)
        found = evaluate_survival(
            model,
            X,
            time,
            event,
            feature_names=[*_COVARIATES, *_PLOIDY],
            cv=work.size(5, 10),
            baselines=None if work.is_full else ["cox", "lognormal"],
            settings=PosteriorSettings(influence=False, allow_unconverged=True),
            extras=SurvivalExtras(show=None if work.is_full else (1,)),
            random_state=work.seed,
            n_jobs=work.run.n_jobs,
        )
    plain, posterior = found.information.normal, found.information.posterior
    numbers = {
        "mean of j (bits)": Measured(value=plain.mean, error=plain.stderr),
        "J, median": Measured(value=posterior.median),
        "J, 2.5 %": Measured(value=posterior.low),
        "J, 97.5 %": Measured(value=posterior.high),
        "concordance": Measured(
            value=found.concordance.value, error=found.concordance.stderr
        ),
    }
    log_p = found.samples.log_p
    for row in found.baselines:
        if row.name in _OTHERS:
            title = _OTHERS[row.name]
            own = found.samples.log_q_of[row.name]
            numbers[f"mean of j (bits), {title}"] = _mean(own - log_p)
            beyond = _mean(found.samples.log_q - own)
            numbers[f"the model beyond it (bits), {title}"] = beyond
    picture = _histogram(found.samples.j, "Histogram of j", units="bits")
    return Found(numbers=numbers, pictures=(picture,))


def _stage_c(work: Work) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Read covariates, years and recurrences; what is not known is NaN."""
    rows, place = _rows(work, _STAGE_C)

    def number(word: str) -> float:
        return math.nan if word in ("", "NA") else float(word)

    try:
        X = [
            [
                *(number(row[name]) for name in _COVARIATES),
                *(float(row["ploidy"] == kind) for kind in _PLOIDY),
            ]
            for row in rows
        ]
        time = [float(row["pgtime"]) for row in rows]
        event = [float(row["pgstat"]) for row in rows]
    except (KeyError, ValueError, TypeError) as error:
        names = ", ".join(("pgtime", "pgstat", *_COVARIATES))
        problem = f"needs columns {names}, of numbers, and ploidy"
        raise InvalidInputError(problem, location=place) from error
    return np.array(X), np.array(time), np.array(event)
