"""Colon and leukemia: the pattern of the paper's Table 7 and Figure 3."""

import numpy as np
import pytest

import scorecast as sc


@pytest.mark.slow
@pytest.mark.parametrize("name", ["colon", "leukemia"])
def test_few_samples_and_many_genes_promise_little(shared_data, name):
    data = np.load(shared_data / f"microarray_{name}.npz")
    found = sc.assess(
        ["naive-bayes", "ridge-classifier"], data["X"], data["y"], losses="accuracy",
        n_permutations=30, n_null_data=5, n_resamples=200, with_bias_variance=False,
    )  # fmt: skip
    for model in found.models:
        tests = model.feasibility
        against = (tests.permuted.p, tests.null_model.p)
        assert tests.null_data.p >= max(against)
        assert tests.permutation_density >= tests.permuted.p
    if name == "colon":
        widths = [model.losses[0].recommended.width for model in found.models]
        assert max(widths) > 0.3
        assert found.model("naive-bayes").verdict.startswith("Not supported")
