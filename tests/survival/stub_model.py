"""A model of times that needs no chains."""

from types import SimpleNamespace
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from scorecast.mixtures import Diagnostics
from scorecast.survival.data import check_survival


class StubModel(BaseEstimator):
    """Everybody waits as long as the training cases did on average; quick to fit.

    The estimator's interface without its chains, so that what happens around a fit can
    be checked against sums done by hand. Every fit is noted in `fits`.
    """

    fits: ClassVar = []
    failed = ()
    ridge = 0.0

    def __init__(
        self, *, hyperparameters=None, noise_sd=0.1, noise_shape=5.0,
        moments="censored", sampling=None, allow_unconverged=False, random_state=0,
        n_jobs=None,
    ):  # fmt: skip
        self.hyperparameters = hyperparameters
        self.noise_sd = noise_sd
        self.noise_shape = noise_shape
        self.moments = moments
        self.sampling = sampling
        self.allow_unconverged = allow_unconverged
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, time, event):
        check_survival(X, time, event)  # as the real one does
        self.fits.append((X.copy(), time.copy(), event.copy(), self.get_params()))
        self.scale_ = time.mean()
        self.n_events_, self.thinning_ = int(event.sum()), 7
        self.scaling_ = SimpleNamespace(ridge=self.ridge)
        self.diagnostics_ = Diagnostics(
            rhat=1.01, ess_bulk=300.0, ess_tail=300.0, mcse=0.01, rhat_components=1.0,
            ess_components=300.0, n_chains=3, n_draws=50, failed=self.failed,
        )  # fmt: skip
        return self

    def predict_log(self, X, times):
        at = np.broadcast_to(times, (len(X), np.shape(times)[-1]))
        return -np.log(self.scale_) - at / self.scale_, -at / self.scale_

    def thinned(self, every):
        return self

    def by_chain(self):
        return (self,)

    def predict_density(self, X, times):
        return np.exp(self.predict_log(X, times)[0])

    def predict_survival_function(self, X, times):
        return np.exp(self.predict_log(X, times)[1])

    def predict_survival_interval(self, X, times, *, confidence_level=0.95):
        middle = self.predict_survival_function(X, times)
        return middle * (1 - confidence_level), middle

    def predict_quantile(self, X, shares):
        found = -self.scale_ * np.log1p(-np.atleast_1d(shares))
        return np.broadcast_to(found, (len(X), len(found)))


def take_quick_posteriors(monkeypatch):
    """Take plain intervals for posteriors of J, which have tests of their own."""
    from scorecast.survival import evaluation

    for name in ("apparent_information", "compare_information"):
        ask = getattr(evaluation, name)

        def quickly(*given, ask=ask, **options):
            return ask(*given, **(options | {"quick": True}))

        quickly.__name__ = name
        monkeypatch.setattr(evaluation, name, quickly)
