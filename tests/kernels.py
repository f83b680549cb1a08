"""Compile the kernels that the tests need, once, in two processes.

Numba keeps what it compiled beside the sources. Done here, before the first test, no
test waits for it, and no two workers compile the same. Run as ``python -m
tests.kernels NAME`` for one of the parts.
"""

import subprocess
import sys
import warnings

import numpy as np

PARTS = ("mixtures", "others")


def compile_all(folder):
    """Compile every part, each in a process of its own, and wait."""
    commands = ([sys.executable, "-m", "tests.kernels", part] for part in PARTS)
    running = [subprocess.Popen(command, cwd=folder) for command in commands]
    codes = [process.wait() for process in running]
    if any(codes):
        msg = f"kernels could not be compiled: exit codes {codes}"
        raise RuntimeError(msg)


def mixtures():
    """Sample from posteriors, in one and several dimensions, with and without noise."""
    import scorecast as sc
    from scorecast.mixtures import Prior, Sampling, log_evidence, sample_posterior
    from scorecast.survival import choose_hyperparameters

    rng = np.random.default_rng(0)
    short = Sampling(n_chains=1, n_warmup=20, n_draws=20, n_extensions=0, n_kept=20)
    for values, prior in (
        (rng.normal(size=12), Prior.information()),
        (rng.normal(size=(12, 2)), Prior.survival(np.eye(2), [0.0, 0.0])),
    ):
        sample_posterior(values, prior=prior, sampling=short, random_state=0)
        log_evidence(values, prior=prior, sampling=short, random_state=0)
    X, time = rng.normal(size=(30, 1)), rng.exponential(size=30)
    given = X, time, np.arange(30) % 3 > 0
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True, random_state=0)
    model.fit(*given).predict_quantile(X[:2], [0.1, 0.9])
    choose_hyperparameters(model, *given, {"more": {"growth": 0.9}}, sampling=short)


def others():
    """Permute trees and logistic regressions, and smooth and rank scores."""
    import scorecast as sc

    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 6)) + y[:, None]
    for model in ("tree", "logistic", "neighbors", "pruned-tree"):
        sc.permutation_test(model, X, y, cv=2, n_permutations=3)
    own = np.arange(60) % 20
    scores = rng.normal(size=(60, 20)) + 2 * np.eye(20)[own]
    sc.extrapolate(scores, own, to=40, compare=True, backtest=1)
    gallery = rng.normal(size=(20, 5))
    for metric in ("cosine", "sqeuclidean", "dot"):
        given = sc.Embeddings(gallery, gallery[own], metric=metric)
        sc.accuracy_curve(given, own)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        {"mixtures": mixtures, "others": others}[sys.argv[1]]()
