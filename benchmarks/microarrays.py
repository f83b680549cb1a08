"""Colon and leukemia as in the guide: the paper's Table 7 and Figures 3, 5 and 6a.

Usage: python benchmarks/microarrays.py FOLDER, where the folder holds
microarray_colon.npz and microarray_leukemia.npz (X and y).
"""

import sys
from pathlib import Path

import numpy as np

import scorecast as sc

MODELS = ("tree", "naive-bayes", "svm")
FIT = 40  # permutations of models that have to be fitted


def percent(value):
    return f"{100 * value:.1f}"


def significance(name, X, y):
    print(f"\n{name}: 10 folds by class, null data 'shrunk', seed 0")
    answers = {}
    for model in MODELS:
        count = None if model == "naive-bayes" else FIT
        found = sc.assess(
            model, X, y, losses=["accuracy", "balanced-accuracy"],
            n_permutations=count, n_resamples=0,
        )  # fmt: skip
        answers[model] = row = found.models[0]
        loss, tests = row.losses[0], row.feasibility
        by = {bound.method: bound for bound in loss.bounds}
        print(
            f"  {model:12} {percent(loss.estimate)} % "
            f"({percent(loss.low)}-{percent(loss.high)}), spread of folds "
            f"{np.std(loss.folds, ddof=1):.2f}, footnote 9: "
            f"{percent(by['normal'].low)}-{percent(by['normal'].high)}\n"
            f"    permuted ({tests.permuted.n_draws}): t {percent(tests.permuted.p)}, "
            f"rank {percent(tests.permuted.p_rank)} (least "
            f"{percent(tests.permuted.smallest_p)}); feature-mode "
            f"{percent(tests.null_models[0].p)}, most frequent "
            f"{percent(tests.null_models[1].p)}; null data "
            f"{percent(tests.null_data.p)} (there {percent(tests.null_data.null_value)}"
            f" % right); density {percent(tests.permutation_density)}\n"
            f"    {row.verdict}",
            flush=True,
        )
    return answers


def decomposed(answers):
    for model, row in answers.items():
        kohavi = row.bias_variance[0]
        print(f"  {model:12} bias {kohavi.bias:.2f}, variance {kohavi.variance:.2f}")
        classes = ", ".join(
            f"{c.label}: {percent(c.estimate)} ({percent(c.low)}-{percent(c.high)})"
            for c in row.losses[0].per_class
        )
        print(f"    sensitivity by class {classes}", flush=True)


def widths(name, X, y):
    """Compare ways of sampling, as Figure 3 does."""
    for sampling in ("cv10", "loo", "boot50"):
        for model in ("nearest-centroid", "naive-bayes"):
            found = sc.assess(
                model, X, y, sampling=sampling, losses="accuracy", n_permutations=0,
                n_resamples=0, with_bias_variance=False,
            )  # fmt: skip
            loss = found.models[0].losses[0]
            by = {bound.method: bound for bound in loss.bounds}
            quoted = next(b for b in loss.bounds if b.is_recommended)
            print(
                f"  {name} {sampling:7} {model:17} {percent(loss.estimate)} %, "
                f"footnote 9: {percent(by['normal'].low)}-{percent(by['normal'].high)},"
                f" {quoted.method}: {percent(loss.low)}-{percent(loss.high)}",
                flush=True,
            )


def main():
    folder = Path(sys.argv[1])
    for name in ("colon", "leukemia"):
        data = np.load(folder / f"microarray_{name}.npz")
        decomposed(significance(name, data["X"], data["y"]))
        widths(name, data["X"], data["y"])


if __name__ == "__main__":
    main()
