"""Works that tests come from: how they are cited, and what they are called in full."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "OMNIBUS_PAPERS",
    "PAIR_PAPERS",
    "POST_HOC_PAPERS",
    "works_cited",
]

OMNIBUS_PAPERS = {
    "friedman": "Friedman 1937",
    "friedman-tie-corrected": "Friedman 1937; Conover 1999",
    "iman-davenport": "Iman and Davenport 1980",
    "iman-davenport-tie-corrected": "Iman and Davenport 1980; Conover 1999",
    "aligned-ranks": "Hodges and Lehmann 1962",
    "quade": "Quade 1979",
    "cochran-q": "Cochran 1950",
}
POST_HOC_PAPERS = {
    "nemenyi": "Nemenyi 1963; Demsar 2006",
    "bonferroni-dunn": "Dunn 1961; Demsar 2006",
    "bonferroni": "Dunn 1961",
    "holm": "Holm 1979",
    "hochberg": "Hochberg 1988",
    "hommel": "Hommel 1988",
    "finner": "Finner 1993",
    "shaffer": "Shaffer 1986; Garcia and Herrera 2008",
    "bergmann-hommel": "Bergmann and Hommel 1988; Garcia and Herrera 2008",
}
PAIR_PAPERS = {
    "wilcoxon-pratt": "Wilcoxon 1945; Pratt 1959",
    "wilcoxon-split": "Wilcoxon 1945; Demsar 2006",
    "wilcoxon-drop": "Wilcoxon 1945",
    "clustered-t": "Bell and McCaffrey 2002",
    "corrected-t": "Nadeau and Bengio 2003",
    "5x2cv-t": "Dietterich 1998",
    "5x2cv-f": "Alpaydin 1999",
    "mcnemar-mid-p": "McNemar 1947; Fagerland et al. 2013",
    "mcnemar-exact": "McNemar 1947",
    "mcnemar-corrected": "McNemar 1947; Edwards 1948",
    "mcnemar-plain": "McNemar 1947",
    "delong": "DeLong et al. 1988",
    "bootstrap": "Efron and Tibshirani 1993",
    "permutation": "Pitman 1937; Efron and Tibshirani 1993",
    "ranks": "Demsar 2006",
    "aligned": "Hodges and Lehmann 1962; Garcia et al. 2010",
    "quade": "Quade 1979; Garcia et al. 2010",
}

_WORKS = {
    "Alpaydin 1999": "E. Alpaydin (1999). Combined 5 x 2 cv F test for comparing "
    "supervised classification learning algorithms. Neural Computation 11.",
    "Bell and McCaffrey 2002": "R. M. Bell and D. F. McCaffrey (2002). Bias reduction "
    "in standard errors for linear regression with multi-stage samples. Survey "
    "Methodology 28.",
    "Benavoli et al. 2014": "A. Benavoli, G. Corani, F. Mangili, M. Zaffalon and F. "
    "Ruggeri (2014). A Bayesian Wilcoxon signed-rank test based on the Dirichlet "
    "process. International Conference on Machine Learning 31.",
    "Benavoli et al. 2016": "A. Benavoli, G. Corani and F. Mangili (2016). Should we "
    "really use post-hoc tests based on mean-ranks? Journal of Machine Learning "
    "Research 17.",
    "Benavoli et al. 2017": "A. Benavoli, G. Corani, J. Demsar and M. Zaffalon (2017). "
    "Time for a change: a tutorial for comparing multiple classifiers through Bayesian "
    "analysis. Journal of Machine Learning Research 18.",
    "Bergmann and Hommel 1988": "B. Bergmann and G. Hommel (1988). Improvements of "
    "general multiple test procedures for redundant systems of hypotheses. In: "
    "Multiple Hypotheses Testing. Springer.",
    "Cochran 1950": "W. G. Cochran (1950). The comparison of percentages in matched "
    "samples. Biometrika 37.",
    "Conover 1999": "W. J. Conover (1999). Practical Nonparametric Statistics, third "
    "edition. Wiley.",
    "Corani and Benavoli 2015": "G. Corani and A. Benavoli (2015). A Bayesian approach "
    "for comparing cross-validated algorithms on multiple data sets. Machine Learning "
    "100.",
    "DeLong et al. 1988": "E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988). "
    "Comparing the areas under two or more correlated receiver operating "
    "characteristic curves. Biometrics 44.",
    "Demsar 2006": "J. Demsar (2006). Statistical comparisons of classifiers over "
    "multiple data sets. Journal of Machine Learning Research 7.",
    "Dietterich 1998": "T. G. Dietterich (1998). Approximate statistical tests for "
    "comparing supervised classification learning algorithms. Neural Computation 10.",
    "Dunn 1961": "O. J. Dunn (1961). Multiple comparisons among means. Journal of the "
    "American Statistical Association 56.",
    "Edwards 1948": "A. L. Edwards (1948). Note on the correction for continuity in "
    "testing the significance of the difference between correlated proportions. "
    "Psychometrika 13.",
    "Efron and Tibshirani 1993": "B. Efron and R. J. Tibshirani (1993). An "
    "Introduction to the Bootstrap. Chapman and Hall.",
    "Fagerland et al. 2013": "M. W. Fagerland, S. Lydersen and P. Laake (2013). The "
    "McNemar test for binary matched-pairs data: mid-p and asymptotic are better than "
    "exact conditional. BMC Medical Research Methodology 13.",
    "Finner 1993": "H. Finner (1993). On a monotonicity problem in step-down multiple "
    "test procedures. Journal of the American Statistical Association 88.",
    "Friedman 1937": "M. Friedman (1937). The use of ranks to avoid the assumption of "
    "normality implicit in the analysis of variance. Journal of the American "
    "Statistical Association 32.",
    "Garcia and Herrera 2008": "S. Garcia and F. Herrera (2008). An extension on "
    "'Statistical comparisons of classifiers over multiple data sets' for all pairwise "
    "comparisons. Journal of Machine Learning Research 9.",
    "Garcia et al. 2010": "S. Garcia, A. Fernandez, J. Luengo and F. Herrera (2010). "
    "Advanced nonparametric tests for multiple comparisons in the design of "
    "experiments in computational intelligence and data mining. Information Sciences "
    "180.",
    "Hochberg 1988": "Y. Hochberg (1988). A sharper Bonferroni procedure for multiple "
    "tests of significance. Biometrika 75.",
    "Hodges and Lehmann 1962": "J. L. Hodges and E. L. Lehmann (1962). Rank methods "
    "for combination of independent experiments in analysis of variance. Annals of "
    "Mathematical Statistics 33.",
    "Hodges and Lehmann 1963": "J. L. Hodges and E. L. Lehmann (1963). Estimates of "
    "location based on rank tests. Annals of Mathematical Statistics 34.",
    "Holm 1979": "S. Holm (1979). A simple sequentially rejective multiple test "
    "procedure. Scandinavian Journal of Statistics 6.",
    "Hommel 1988": "G. Hommel (1988). A stagewise rejective multiple test procedure "
    "based on a modified Bonferroni test. Biometrika 75.",
    "Iman and Davenport 1980": "R. L. Iman and J. M. Davenport (1980). Approximations "
    "of the critical region of the Friedman statistic. Communications in Statistics, "
    "Theory and Methods 9.",
    "McNemar 1947": "Q. McNemar (1947). Note on the sampling error of the difference "
    "between correlated proportions or percentages. Psychometrika 12.",
    "Nadeau and Bengio 2003": "C. Nadeau and Y. Bengio (2003). Inference for the "
    "generalization error. Machine Learning 52.",
    "Nemenyi 1963": "P. B. Nemenyi (1963). Distribution-free Multiple Comparisons. PhD "
    "thesis, Princeton University.",
    "Newcombe 1998": "R. G. Newcombe (1998). Improved confidence intervals for the "
    "difference between binomial proportions based on paired data. Statistics in "
    "Medicine 17.",
    "Pitman 1937": "E. J. G. Pitman (1937). Significance tests which may be applied to "
    "samples from any populations. Journal of the Royal Statistical Society, "
    "Supplement 4.",
    "Pratt 1959": "J. W. Pratt (1959). Remarks on zeros and ties in the Wilcoxon "
    "signed rank procedures. Journal of the American Statistical Association 54.",
    "Quade 1979": "D. Quade (1979). Using weighted rankings in the analysis of "
    "complete blocks with additive block effects. Journal of the American Statistical "
    "Association 74.",
    "Shaffer 1986": "J. P. Shaffer (1986). Modified sequentially rejective multiple "
    "test procedures. Journal of the American Statistical Association 81.",
    "Wilcoxon 1945": "F. Wilcoxon (1945). Individual comparisons by ranking methods. "
    "Biometrics Bulletin 1.",
}


def works_cited(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the works that texts cite, in full.

    Parameters
    ----------
    texts : iterable of str
        Anything that cites by name and year, such as ``"Holm 1979"``.

    Returns
    -------
    tuple of str
        In the order of names, each once.

    Examples
    --------
    >>> works_cited(["Signed ranks (Wilcoxon 1945), corrected (Holm 1979)."])[0][:15]
    'S. Holm (1979).'
    """
    whole = " ".join(texts)
    found = set()
    # The longest first: "Bergmann and Hommel 1988" does not cite "Hommel 1988".
    for name in sorted(_WORKS, key=len, reverse=True):
        if name in whole:
            found.add(name)
            whole = whole.replace(name, "")
    return tuple(work for name, work in _WORKS.items() if name in found)
