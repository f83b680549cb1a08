"""How often do 95 % intervals of J hold, and how near does the headline come?

Usage: python benchmarks/coverage_information.py [--errors] [--repeats 150] [NAME...]

Each world makes values of j whose true mean J is known; 200 of them are given to the
sampler (two chains of 300 + 700 sweeps, so that the table takes minutes) and to the
normal interval. Prints one row per world, as in docs/theory-information.md. With
--errors, the root mean squared error of the headline, of the rule of the first edition
(the mixture's median, or that of Pareto tails where the mixture does not hold the plain
mean), of every view and of the plain mean; the mixture by short chains.
"""

import argparse
import itertools

import numpy as np
from scipy import stats

from scorecast.information import PosteriorSettings, apparent_information
from scorecast.information.apparent import Simulation
from scorecast.information.posterior import (
    has_lone_case,
    has_long_tail,
    posterior_of,
)
from scorecast.mixtures import Prior, Sampling, SkewStudent, sample_posterior

N_CASES = 200
SHORT = Sampling(n_chains=2, n_warmup=300, n_draws=700, n_extensions=0, n_kept=2)
PRIOR = Prior.information()


def skew_student(shape, lean):
    """Standard deviation 0.1 but for the tail, which leans to the left."""
    one = SkewStudent(0.1 + 0.1 * lean, -0.1 * lean, 100.0, shape, shape - 1.0)
    return (lambda n, rng: one.sample(n, random_state=rng)[:, 0]), float(one.mean()[0])


def gaussian_forecaster(slope, variance):
    """x ~ N(0, 1) seen with noise variance 1/2; the forecast: N(slope y, variance)."""

    def draw(n, rng):
        x = rng.normal(size=n)
        y = x + np.sqrt(0.5) * rng.normal(size=n)
        said = stats.norm.logpdf(x, slope * y, np.sqrt(variance))
        return said - stats.norm.logpdf(x)

    error = (1 - slope) ** 2 + 0.5 * slope**2
    return draw, -0.5 * np.log(variance) - 0.5 * error / variance + 0.5


def logistic_forecaster(exaggeration):
    """Events of log-odds t ~ N(0, 1.5^2); the forecast multiplies the log-odds."""

    def draw(n, rng):
        t = 1.5 * rng.normal(size=n)
        sign = np.where(rng.random(n) < 1 / (1 + np.exp(-t)), 1, -1)
        return np.log(2.0) - np.logaddexp(0.0, -sign * exaggeration * t)

    t = np.linspace(-15, 15, 300_001)
    weight = np.exp(-(t**2) / 4.5)
    chance = 1 / (1 + np.exp(-t))
    gain = -chance * np.logaddexp(0, -exaggeration * t)
    gain -= (1 - chance) * np.logaddexp(0, exaggeration * t)
    return draw, float(np.log(2.0) + weight @ gain / weight.sum())


def gaussian_forecaster_of_long_tails(freedom):
    """A Gaussian forecast of something with Student noise: rare, huge losses."""

    def draw(n, rng):
        y = rng.normal(size=n)
        x = 0.8 * y + 0.3 * rng.standard_t(freedom, size=n)
        return stats.norm.logpdf(x, 0.8 * y, 0.4) - stats.norm.logpdf(x)

    noise = 0.09 * freedom / (freedom - 2)
    return draw, -np.log(0.4) - 0.5 * noise / 0.16 + 0.5 * (0.64 + noise)


def rare_disasters(chance, size):
    """Narrow values, and now and then a loss of another kind altogether."""

    def draw(n, rng):
        loss = rng.exponential(size, n) * (rng.random(n) < chance)
        return rng.normal(0.1, 0.1, n) - loss

    return draw, 0.1 - chance * size


def overconfident_naive_bayes(separation, copies):
    """Ten copies of each of three features are taken to be independent."""

    def draw(n, rng):
        y = rng.random(n) < 0.5
        z = rng.normal(np.where(y, separation, -separation)[:, None], 1, (n, 3))
        odds = copies * 2 * separation * z.sum(axis=1)
        return np.log(2) - np.logaddexp(0, np.where(y, -odds, odds))

    return draw, float(draw(10**6, np.random.default_rng(99)).mean())


WORLDS = {
    "skew-Student, m = 1.5, lean 1.5": skew_student(1.5, 1.5),
    "skew-Student, m = 1.2, lean 6": skew_student(1.2, 6.0),
    "Gaussian forecast, variance a third": gaussian_forecaster(0.6, 0.12),
    "log-odds doubled": logistic_forecaster(2.0),
    "Gaussian forecast, Student noise (4)": gaussian_forecaster_of_long_tails(4.0),
    "Gaussian forecast, Student noise (3)": gaussian_forecaster_of_long_tails(3.0),
    "disasters in 2 % of the cases": rare_disasters(0.02, 3.0),
    "over-confident naive Bayes": overconfident_naive_bayes(0.26, 10),
}


def coverage(name, n_repeats):
    draw, truth = WORLDS[name]
    held = dict.fromkeys(["reported", "mixture", "pareto", "normal"], 0)
    width = dict.fromkeys(held, 0.0)
    for seed in range(n_repeats):
        values = draw(N_CASES, np.random.default_rng([seed, 2]))
        found = sample_posterior(
            values, prior=PRIOR, sampling=SHORT, random_state=seed, n_jobs=1
        )
        simulation = Simulation(
            settings=PosteriorSettings(sampling=SHORT, allow_unconverged=True),
            prior=PRIOR,
            tails="all",
            seeds=itertools.count(seed),
        )
        others = simulation.other_views(values)
        answer = posterior_of(
            found.means,
            0.95,
            others=others,
            is_lone=has_lone_case(values),
            is_long_tailed=has_long_tail(values),
            has_curves=False,
        )
        ends = {view.tails: (view.low, view.high) for view in answer.views}
        ends["reported"] = (answer.low, answer.high)
        for label, (low, high) in ends.items():
            held[label] += low <= truth <= high
            width[label] += (high - low) / n_repeats
    cells = [f"{held[k] / n_repeats:.2f} ({width[k]:.3f})" for k in held]
    print(f"| {name} | {truth:.3f} | " + " | ".join(cells) + " |", flush=True)


def errors(name, n_repeats):
    draw, truth = WORLDS[name]
    missed = {k: [] for k in ("headline", "before", "mixture", "pareto", "mean")}
    for seed in range(n_repeats):
        values = draw(N_CASES, np.random.default_rng([seed, 4]))
        answer = apparent_information(
            values,
            np.zeros(N_CASES),
            units="nats",
            settings=PosteriorSettings(influence=False, allow_unconverged=True),
            random_state=seed,
        )
        views = {view.tails: view for view in answer.posterior.views}
        mixture, mean = views["mixture"], float(values.mean())
        held = mixture.low <= mean <= mixture.high
        missed["headline"].append(answer.posterior.median - truth)
        missed["before"].append(views["mixture" if held else "pareto"].median - truth)
        missed["mixture"].append(mixture.median - truth)
        missed["pareto"].append(views["pareto"].median - truth)
        missed["mean"].append(mean - truth)
    cells = [f"{np.sqrt(np.mean(np.square(v))):.4f}" for v in missed.values()]
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("worlds", nargs="*", help="parts of names; all by default")
    options.add_argument("--repeats", type=int, default=150)
    options.add_argument("--errors", action="store_true")
    asked = options.parse_args()
    titles = "J | reported | mixture | Pareto tails | normal"
    if asked.errors:
        titles = "headline | before | mixture | Pareto tails | plain mean"
    print(f"| world | {titles} |")
    print("|---" * (titles.count("|") + 2) + "|")
    for name in WORLDS:
        if not asked.worlds or any(part in name for part in asked.worlds):
            (errors if asked.errors else coverage)(name, asked.repeats)


if __name__ == "__main__":
    main()
