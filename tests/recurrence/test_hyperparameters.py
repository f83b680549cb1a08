"""Evidence of candidate hyperparameters."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.mixtures import Sampling, ladder
from scorecast.recurrence import hyperparameter_evidence


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the ladder is too coarse")
@pytest.mark.filterwarnings("ignore:.*the two chains disagree")  # they are short
def test_candidates_come_best_first_with_their_errors(cohort):
    X, time, event = cohort(n=30)
    found = hyperparameter_evidence(
        sc.RecurrenceModel(), X, time, event,
        {"absurd": {"centre": np.full(3, 40.0)}, "as printed": {}},
        betas=ladder(6), sampling=Sampling(n_warmup=60, n_draws=60, starts=(1,)),
    )  # fmt: skip
    assert list(found) == ["as printed", "absurd"]
    assert all(one.stderr > 0 for one in found.values())


def test_no_candidate_is_refused(cohort):
    with pytest.raises(UsageError, match="at least one"):
        hyperparameter_evidence(sc.RecurrenceModel(), *cohort(n=30), {})
