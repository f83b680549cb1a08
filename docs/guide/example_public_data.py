"""Print the table of results on public data that the guide quotes.

Usage: python docs/guide/example_public_data.py FOLDER

FOLDER holds forecast_538_games.csv.gz (FiveThirtyEight, CC BY 4.0) and
asi_survival_oof.csv.gz (out-of-sample log densities of survival models); neither ships
with the package.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import scorecast as sc

warnings.simplefilter("ignore")
COLUMN = {1: "prob1", 0: "probtie", 2: "prob2"}
HEAD = f"{'':<28}{'cases':>7}{'mean':>8}{'normal interval':>17}"
HEAD += f"{'median':>8}{'posterior':>17}{'least j':>9}"


def line(name, cases):
    found = sc.apparent_information(cases, units="bits", allow_unconverged=True)
    usual, posterior = found.normal, found.posterior
    print(
        f"{name:<28}{cases.n:>7,}{usual.mean:>8.3f}"
        f"{f'{usual.low:.3f} to {usual.high:.3f}':>17}{posterior.median:>8.3f}"
        f"{f'{posterior.low:.3f} to {posterior.high:.3f}':>17}{found.spread.least:>9.2f}"
        f"{'' if found.converged else '  NOT CONVERGED'}",
        flush=True,
    )


def games(path):
    for sport, table in pd.read_csv(path).groupby("project"):
        kept = [c for c in COLUMN if c in set(table.outcome)]
        yield (
            sport.removesuffix("_games").replace("_matches", ""),
            sc.cases_from_classes(
                table[[COLUMN[c] for c in kept]].to_numpy(),
                table.outcome.to_numpy(),
                classes=kept,
                prior=[np.mean(table.outcome == c) for c in kept],
                renormalise=True,
            ),
        )


def survival(path):
    for (name, model), table in pd.read_csv(path).groupby(["set", "model"]):
        cases = sc.cases_from_logs(table.logQ.to_numpy(), table.logP.to_numpy())
        yield f"{name}, {model}", cases


folder = Path(sys.argv[1])
print(HEAD)
for name, cases in games(folder / "forecast_538_games.csv.gz"):
    line(name, cases)
for name, cases in survival(folder / "asi_survival_oof.csv.gz"):
    line(name, cases)
print("\n== end ==")
