"""Colon and leukemia as in the guide: the paper's Table 7 and Figures 3, 5 and 6a.

Usage: python benchmarks/microarrays.py FOLDER, where the folder holds
microarray_colon.npz and microarray_leukemia.npz (X and y).
"""

import sys
from pathlib import Path

import numpy as np

from scorecast.evaluation import Diagnostics, NullTests, assess

MODELS = ("tree", "naive-bayes", "svm")
FIT = 40  # permutations of models that have to be fitted


def percent(value):
    return f"{100 * value:.1f}"


def significance(name, X, y):
    print(f"\n{name}: 10 folds by class, null data 'shrunk', seed 0")
    answers = {}
    for model in MODELS:
        count = None if model == "naive-bayes" else FIT
        tests = NullTests(n_permutations=count)
        found = assess(model, X, y, tests=tests, diagnostics=Diagnostics(n_resamples=0))
        answers[model] = row = found.models[model]
        main, tests = row.main, row.null_tests
        by = {x.method: x for x in main.intervals}
        permuted, null_data = tests.permuted, tests.null_data
        print(
            f"  {model:12} {percent(main.estimate)} % "
            f"({percent(main.low)}-{percent(main.high)}), spread of folds "
            f"{np.std(main.folds, ddof=1):.2f}, footnote 9: "
            f"{percent(by['normal'].low)}-{percent(by['normal'].high)}\n"
            f"    permuted ({permuted.n_draws}): t {percent(permuted.p_t)}, "
            f"rank {percent(permuted.p_rank)} (least {percent(permuted.min_p_rank)}); "
            f"feature-mode {percent(tests.null_models['feature-mode'].p_t)}, most "
            f"frequent {percent(tests.null_models['majority'].p_t)}; null data "
            f"{percent(null_data.p_t)} (there {percent(null_data.null_value)}"
            f" % right); density {percent(tests.density.p_value)}\n"
            f"    {tests.verdict}",
            flush=True,
        )
    return answers


def decomposed(answers):
    for model, row in answers.items():
        kohavi = row.bias_variance["kohavi-wolpert"]
        print(f"  {model:12} bias {kohavi.bias:.2f}, variance {kohavi.variance:.2f}")
        classes = ", ".join(
            f"{label}: {percent(x.estimate)} ({percent(x.low)}-{percent(x.high)})"
            for label, x in row.main.per_class.items()
        )
        print(f"    sensitivity by class {classes}", flush=True)


def widths(name, X, y):
    """Compare ways of splitting, as Figure 3 does."""
    bare = Diagnostics(bias_variance=False, data_profile=False, n_resamples=0)
    for cv in ("cv10", "loo", "boot50"):
        for model in ("nearest-centroid", "naive-bayes"):
            call = {"cv": cv, "scoring": "accuracy", "tests": None}
            found = assess(model, X, y, diagnostics=bare, **call)
            main = found.models[model].main
            by = {x.method: x for x in main.intervals}
            print(
                f"  {name} {cv:7} {model:17} {percent(main.estimate)} %, footnote 9: "
                f"{percent(by['normal'].low)}-{percent(by['normal'].high)}, "
                f"{main.recommended.method}: {percent(main.low)}-{percent(main.high)}",
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
