"""The tables of the guide to survival: prostate and Rotterdam (data not shipped).

Usage: python benchmarks/real_times.py FOLDER {prostate,rotterdam} [CHECKPOINT],
where the folder holds surv_*.csv.gz and asi_survival_oof.csv.gz, whose folds are used.
Minutes for the men, a good half hour for the women.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import scorecast as sc
from scorecast.information import PosteriorSettings
from scorecast.mixtures import Sampling
from scorecast.survival import note_text
from scorecast.survival.population import fit_population

PRIORS = ("weibull", "lognormal", "exponential")
BASELINES = ("cox", "weibull", "lognormal")
NAMES = {"model": "this model", "cox": "Cox", "weibull": "Weibull AFT",
         "lognormal": "lognormal AFT"}  # fmt: skip


def prostate(folder):
    """Tetraploid and aneuploid against diploid; times in years."""
    men = pd.read_csv(folder / "surv_stagec_prostate.csv.gz").dropna()
    X = men[["age", "eet", "g2", "grade", "gleason"]].astype(float)
    for kind in ("tetraploid", "aneuploid"):
        X[kind] = (men["ploidy"] == kind).astype(float)
    sampling = Sampling(n_chains=4, n_warmup=500, n_draws=1000, n_extensions=1)
    return "stagec_prostate", X, men["pgtime"], men["pgstat"], sampling


def rotterdam(folder):
    """Counts and receptors as logarithms, the size as 0, 1, 2; times in years."""
    women = pd.read_csv(folder / "surv_rotterdam.csv.gz")
    X = women[["age", "meno", "grade", "hormon", "chemo"]].astype(float)
    X["size"] = women["size"].map({"<=20": 0.0, "20-50": 1.0, ">50": 2.0})
    for name in ("nodes", "pgr", "er"):
        X[name] = np.log1p(women[name].astype(float))
    sampling = Sampling(n_chains=2, n_warmup=250, n_draws=400, n_extensions=0)
    return "rotterdam", X, women["rtime"] / 365.25, women["recur"], sampling


def beyond(samples, log_q, kind):
    """Bits beyond a prior fitted to the other folds, with its standard error."""
    log_p = np.empty(samples.time.size)
    for fold in np.unique(samples.folds[0]):
        out = samples.folds[0] == fold
        prior = fit_population(kind, samples.time[~out], samples.event[~out])
        density = prior.log_density(samples.time[out])
        tail = prior.log_survival(samples.time[out])
        log_p[out] = np.where(samples.event[out], density, tail)
    j = log_q - log_p / np.log(2)
    return j.mean(), j.std(ddof=1) / np.sqrt(j.size), j.min() * np.log(2)


def difference(samples, name):
    j = samples.log_q - samples.log_q_of[name]
    return f"{NAMES[name]}: {j.mean():+.3f} ({j.std(ddof=1) / np.sqrt(j.size):.3f})"


def main():
    folder, which = Path(sys.argv[1]), sys.argv[2]
    checkpoint = sys.argv[3] if len(sys.argv) > 3 else None
    name, X, time, event, sampling = {"prostate": prostate, "rotterdam": rotterdam}[
        which
    ](folder)
    known = pd.read_csv(folder / "asi_survival_oof.csv.gz")
    known = known[(known["set"] == name) & (known["model"] == "weibull")]
    np.testing.assert_allclose(time, known["time"], atol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sc.evaluate_survival(
            sc.SurvivalModel(sampling=sampling), X, time, event,
            cv=known["fold"].to_numpy(), prior="weibull", baselines=BASELINES,
            checkpoint=checkpoint, settings=PosteriorSettings(allow_unconverged=True),
        )  # fmt: skip
    samples = found.samples
    rows = {row.name: row for row in found.baselines if row.name in BASELINES}
    log_q = {"model": samples.log_q, **samples.log_q_of}
    checks = {"model": (found.concordance, found.brier, found.calibration.p_value)}
    for name, row in rows.items():
        checks[name] = (row.concordance, row.brier, row.calibration_p)
    print("| beyond | " + " | ".join(f"{kind} prior" for kind in PRIORS)
          + " | worst, nats | concordance | Brier | D-calibration p |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|")
    for name, (order, brier, p_value) in checks.items():
        worth = [beyond(samples, log_q[name], kind) for kind in PRIORS]
        cells = [f"{mean:.3f} ({error:.3f})" for mean, error, _ in worth]
        cells += [f"{worth[0][2]:.1f}", f"{order.value:.3f} ± {order.stderr:.3f}",
                  f"{brier:.3f}", f"{p_value:.2g}"]  # fmt: skip
        print("| " + " | ".join([NAMES[name], *cells]) + " |")
    print("this model less", "; ".join(difference(samples, row) for row in rows))
    print("\n".join(note_text(note) for note in found.notes))


if __name__ == "__main__":
    main()
