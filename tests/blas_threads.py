"""Answers of verbs that sum by BLAS, as JSON: run with one thread, and with two.

With the argument ``unguarded``, what keeps BLAS to one thread is taken out.
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings

import numpy as np


def answers(*, is_guarded: bool = True) -> dict[str, object]:
    """Return one answer of each kind, from data large enough for several threads."""
    from sklearn.mixture import GaussianMixture

    import scorecast as sc
    from scorecast.extrapolation import EXTRAPOLATORS

    rng = np.random.default_rng(0)
    centres = rng.standard_normal((300, 128))
    own = rng.permutation(np.arange(900) % 300)
    found = centres[own] + 3.0 * rng.standard_normal((900, 128))
    # What goes in is the same: it is what we make of it that is asked about.
    scores = np.round(found @ centres.T, 6)
    answer: dict[str, object] = {}
    for name in EXTRAPOLATORS:
        if name != "kde-fixed":  # needs a bandwidth
            answer[name] = sc.extrapolate(
                scores, own, to=3000, method=name, backtest=2
            ).to_dict()
    gallery = sc.Embeddings(centres, found, metric="cosine")
    answer["embeddings"] = sc.extrapolate(gallery, own, to=3000, backtest=0).to_dict()
    X = rng.standard_normal((60, 600))
    y = (X[:, 0] + rng.standard_normal(60) > 0).astype(int)
    for model in ("nearest-centroid", "logistic", "svm"):
        answer[model] = sc.permutation_test(
            model, X, y, cv=3, n_permutations=19
        ).to_dict()
    answer["assess"] = sc.assess("ridge", X, y, cv=3).to_dict()
    responses = np.round(centres[:80] @ rng.standard_normal((128, 40)), 6)
    answer["identify"] = sc.identify(
        centres[:80], responses + rng.standard_normal((80, 40))
    ).to_dict()
    answer["information"] = sc.apparent_information(
        rng.normal(-0.5, 0.3, 300), np.full(300, np.log(0.5)), quick=True
    ).to_dict()
    if not is_guarded:  # threads that wait for one another would take minutes
        return answer
    answer["settings"] = sc.assess_settings(
        "ridge-classifier", {"drawn": (X, y)}, {"n_samples": [40, 60]}, cv=3
    ).to_dict()
    answer["density"] = sc.density_test(
        GaussianMixture(2, random_state=0),
        centres,
        n_refits=39,
        n_permutations=39,
        n_splits=2,
    ).to_dict()
    rows = scores[:100, :40]
    found = [(range(20), range(10)), (range(30, 60), range(5, 30))]
    answer["biclusters"] = sc.score_biclusters(found, data=rows).to_dict()
    answer["survival"] = sc.evaluate_survival(
        sc.SurvivalModel(),
        X[:, :20],
        np.exp(X[:, 0]),
        y,
        cv=3,
        quick=True,
    ).to_dict()
    return answer


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    is_guarded = sys.argv[1:] != ["unguarded"]
    if not is_guarded:
        import scorecast._core.parallel as parallel

        parallel.one_blas_thread = contextlib.nullcontext
    json.dump(answers(is_guarded=is_guarded), sys.stdout)
