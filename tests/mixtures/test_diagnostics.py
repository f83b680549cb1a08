"""What the chains say about themselves, where they hardly move."""

import math

import numpy as np

from scorecast.mixtures.diagnostics import diagnose, rhat_of


def test_a_chain_of_one_step_is_judged_in_silence():
    # Warnings are errors here: those of arviz must not reach the reader.
    step = np.repeat([0.0, 1.0], 10)[None]
    assert math.isnan(rhat_of(step))
    found = diagnose(step[:, :, None], np.ones((1, 20), dtype=np.int64))
    assert not found.passed
