"""Tests by their names: how papers call them, what they assume, who wrote of them."""

from __future__ import annotations

__all__ = [
    "ASSUMES",
    "OMNIBUS_TITLES",
    "PAIRS_ASK",
    "POST_HOC_ASKS",
    "POST_HOC_TITLES",
    "TEST_TITLES",
    "asked_of",
]

TEST_TITLES = {
    "mcnemar-mid-p": "McNemar's test with mid-p",
    "mcnemar-exact": "McNemar's exact test",
    "mcnemar-corrected": "McNemar's test with Edwards' correction",
    "mcnemar-plain": "McNemar's test",
    "paired-t": "paired t-test",
    "clustered-t": "clustered t-test",
    "corrected-t": "corrected resampled t-test of Nadeau and Bengio",
    "5x2cv-t": "5x2cv t-test of Dietterich",
    "5x2cv-f": "combined 5x2cv F-test of Alpaydin",
    "wilcoxon-pratt": "Wilcoxon signed-rank test, zeros by Pratt",
    "wilcoxon-split": "Wilcoxon signed-rank test, ranks of zeros split",
    "wilcoxon-drop": "Wilcoxon signed-rank test, zeros dropped",
    "sign": "sign test",
    "delong": "DeLong's test",
    "bootstrap": "bootstrap test",
    "permutation": "permutation test",
    "ranks": "z-test of mean ranks",
    "aligned": "z-test of aligned ranks",
    "quade": "z-test of Quade's ranks",
}

# Apart from the tests of pairs: "quade" is one of each.
OMNIBUS_TITLES = {
    "friedman": "Friedman's test",
    "friedman-tie-corrected": "Friedman's test corrected for ties",
    "iman-davenport": "Friedman's test in the version of Iman and Davenport",
    "iman-davenport-tie-corrected": "Friedman's test in the version of Iman and "
    "Davenport, corrected for ties",
    "aligned-ranks": "Friedman's test of aligned ranks",
    "quade": "Quade's test",
    "cochran-q": "Cochran's Q test",
}

POST_HOC_TITLES = {
    "none": "no correction",
    "nemenyi": "Nemenyi's correction",
    "bonferroni-dunn": "the Bonferroni-Dunn correction",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "hochberg": "Hochberg's correction",
    "hommel": "Hommel's correction",
    "finner": "Finner's correction",
    "shaffer": "Shaffer's static correction",
    "bergmann-hommel": "the correction of Bergmann and Hommel",
}

# What p-values must do for these to control the family-wise error.
POST_HOC_ASKS = {
    "hochberg": "p-values depend positively on one another",
    "hommel": "p-values depend positively on one another",
    "finner": "p-values are independent or depend positively on one another",
}

# Their standard error is that of a random order of all models on every data set: two
# that are alike on the whole, each best where the other is worst, lie farther apart.
_LUCK = (
    "models that do not differ lie no farther apart in rank than in a random order of "
    "all"
)
PAIRS_ASK = {"ranks": _LUCK, "aligned": _LUCK, "quade": _LUCK}

_CASES = "cases are independent, and resemble those to come"
_SETS = "data sets are independent, and resemble those to come"
ASSUMES = {
    "mcnemar-mid-p": (_CASES, "the models are fixed: luck of training is not counted"),
    "mcnemar-exact": (_CASES, "the models are fixed: luck of training is not counted"),
    "mcnemar-corrected": (_CASES, "there are at least 25 cases on which they differ"),
    "mcnemar-plain": (_CASES, "there are at least 25 cases on which they differ"),
    "paired-t": ("differences are independent and about normal",),
    "clustered-t": (
        "groups are independent, and resemble those to come",
        "sums of groups are about normal",
    ),
    "corrected-t": (
        "differences of splits are about normal, and correlate as tests share of cases",
    ),
    "5x2cv-t": ("differences of the two folds of a repetition are independent",),
    "5x2cv-f": ("differences of the two folds of a repetition are independent",),
    "wilcoxon-pratt": (
        _SETS,
        "differences are comparable, and symmetric around one value",
    ),
    "wilcoxon-split": (
        _SETS,
        "differences are comparable, and symmetric around one value",
        "p is exact without zeros, and approximate with them: they are counted as if a "
        "coin gave their signs",
    ),
    "wilcoxon-drop": (
        _SETS,
        "differences are comparable, and symmetric around one value",
    ),
    "sign": (_SETS,),
    "delong": (_CASES, "the models are fixed: luck of training is not counted"),
    "bootstrap": ("units are independent, and resemble those to come",),
    "permutation": (
        "units are independent; without a difference, models can be swapped",
        "sums of units are about normal, for the interval of a mean",
    ),
    "ranks": (
        _SETS,
        "what tells two models apart may hang on the others: their ranks do",
    ),
    "aligned": (_SETS, "results are comparable between data sets"),
    "quade": (_SETS, "results are comparable between data sets"),
}


def asked_of(pair_test: str, post_hoc: str, n_models: int) -> tuple[str, ...]:
    """Say what must hold for the family-wise error to be what it is said to be.

    Parameters
    ----------
    pair_test, post_hoc : str
        How pairs are tested and corrected.
    n_models : int
        Of two models there is one pair: nothing is asked.

    Returns
    -------
    tuple of str
        What the test asks, and what the correction does.
    """
    asked = (PAIRS_ASK.get(pair_test), POST_HOC_ASKS.get(post_hoc))
    return tuple(text for text in asked if text and n_models > 2)
