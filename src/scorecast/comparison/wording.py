"""A comparison in words: the sentence first, and the paragraph that a paper needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorecast._core.amounts import amount
from scorecast._core.percent import percent
from scorecast.comparison.omnibus import p_said
from scorecast.comparison.titles import (
    OMNIBUS_TITLES,
    POST_HOC_TITLES,
    TEST_TITLES,
    asked_of,
)

if TYPE_CHECKING:
    from scorecast.comparison.comparison import Comparison, ModelPair

__all__ = ["named", "paragraph_of", "sentence_of"]

_MOST_NAMED = 4
_OMNIBUS_PAPERS = {
    "friedman": "Friedman 1937",
    "friedman-tie-corrected": "Friedman 1937; Conover 1999",
    "iman-davenport": "Iman and Davenport 1980",
    "iman-davenport-tie-corrected": "Iman and Davenport 1980; Conover 1999",
    "aligned-ranks": "Hodges and Lehmann 1962",
    "quade": "Quade 1979",
    "cochran-q": "Cochran 1950",
}
_POST_HOC_PAPERS = {
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
_PAIR_PAPERS = {
    "wilcoxon-pratt": "Wilcoxon 1945; Pratt 1959",
    "wilcoxon-split": "Wilcoxon 1945; Demsar 2006",
    "wilcoxon-drop": "Wilcoxon 1945",
    "corrected-t": "Nadeau and Bengio 2003",
    "mcnemar-mid-p": "McNemar 1947; Fagerland et al. 2013",
    "ranks": "Demsar 2006",
}

_RANK_TESTS = ("ranks", "aligned", "quade")
_MANY = 10  # data sets from which the limit distribution is near


def sentence_of(found: Comparison) -> str:
    """Say which model is best, and which others it is told apart from."""
    if len(found.models) == 2:
        return _two_models(found)
    centre = found.control or found.best
    others = [name for name in found.order if name != centre]
    worse = [x for x in others if found.beats(centre, x)]
    better = [x for x in others if found.beats(x, centre)]
    rest = [x for x in others if not found.differ(centre, x)]
    scale = f"{found.n:,} {found.rows}"
    rank = f"mean rank {found.rank(centre):.2f}"
    if all(pair.effect.wins == pair.effect.losses == 0 for pair in found.pairs):
        return f"All {len(found.models)} models gave the same results on {scale}."
    if found.control is not None:
        return _of_control(found, worse, better, rest)
    said = [f"{centre} ranks best of {len(found.models)} models on {scale} ({rank})."]
    if worse:
        said.append(f"Better than {named(worse)}.")
    if better:
        said.append(f"Worse than {named(better)}.")
    if rest:
        said.append(f"Not told apart from {named(rest)}.")
    return f"{' '.join(said)} {_error_said(found)}"


def _of_control(
    found: Comparison, worse: list[str], better: list[str], rest: list[str]
) -> str:
    """Say which models the control is told apart from."""
    centre = found.control or found.best
    said = [
        f"{verb} {named(names)}"
        for verb, names in (
            ("is better than", worse),
            ("is worse than", better),
            ("is not told apart from", rest),
        )
        if names
    ]
    return (
        f"The control, {centre} (mean rank {found.rank(centre):.2f} of "
        f"{len(found.models)} on {found.n:,} {found.rows}), {'; '.join(said)}. "
        f"{_error_said(found)}"
    )


def _error_said(found: Comparison) -> str:
    if found.post_hoc == "none":
        return "p-values are NOT corrected for the number of comparisons."
    # Tests of mean ranks rest on a limit that few data sets are far from.
    about = "about " if found.pair_test in _RANK_TESTS and found.n < _MANY else ""
    most = f"Chance of any false claim: at most {about}{percent(found.alpha)}"
    return f"{most}{_condition(found)}."


def _condition(found: Comparison) -> str:
    """Say what must hold for the correction to control the error."""
    asked = asked_of(found.pair_test, found.post_hoc, len(found.models))
    return f", if {' and '.join(asked)}" if asked else ""


def _two_models(found: Comparison) -> str:
    pair = found.pairs[0]
    facts = f"{difference_said(found, pair)}, {p_said(pair.p)}"
    scale = f"on {found.n:,} {found.rows}"
    effect = pair.effect
    if found.differ(pair.a, pair.b):
        best, worse = pair.a, pair.b
        if found.beats(worse, best):
            best, worse = worse, best
        return f"{best} is better than {worse} {scale}: {facts}."
    if effect.wins == effect.losses == 0:
        return f"{pair.a} and {pair.b} gave the same results {scale}: {facts}."
    return f"{pair.a} and {pair.b} cannot be told apart {scale}: {facts}."


def difference_said(found: Comparison, pair: ModelPair) -> str:
    """Write a difference with its interval."""
    effect = pair.effect
    text = f"difference {amount(effect.difference)}"
    if math.isnan(effect.low):
        return f"{text} (interval unknown)"
    span = f"{amount(effect.low)} to {amount(effect.high)}"
    return f"{text} ({100 * found.level:g} %: {span})"


def named(names: Sequence[str]) -> str:
    """List names, the first few of many."""
    shown = list(names[:_MOST_NAMED])
    if len(names) > _MOST_NAMED + 1:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMED} more"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def paragraph_of(found: Comparison) -> str:
    """Write what a paper needs: what was tested, how, and what came out."""
    parts = [_what(found), _omnibus_said(found), _pairs_said(found), _outcome(found)]
    if found.rope is not None:
        parts.append(_rope_said(found))
    return " ".join(part for part in parts if part)


def _what(found: Comparison) -> str:
    measure = f" by {found.measure}" if found.measure else ""
    ratio = found.test_ratio
    splits = f"{amount(ratio)} cases tested per case learned from; " if ratio else ""
    better = "higher" if found.greater_is_better else "lower"
    ranks = ", ".join(f"{name} {found.rank(name):.2f}" for name in found.order)
    return (
        f"{len(found.models)} models were compared{measure} on {found.n:,} "
        f"{found.rows} ({splits}{better} is better). Mean ranks, 1 being best: {ranks}."
    )


def _omnibus_said(found: Comparison) -> str:
    if not found.omnibus:
        return ""
    test = found.omnibus[0]
    title = OMNIBUS_TITLES[test.test]
    differs = test.p <= found.alpha
    verdict = "differ" if differs else "do not differ significantly"
    source = _OMNIBUS_PAPERS[test.test]
    return f"{title} ({source}) finds that the models {verdict} ({test.said()})."


def _pairs_said(found: Comparison) -> str:
    title = TEST_TITLES.get(found.pair_test, found.pair_test)
    source = _PAIR_PAPERS.get(found.pair_test)
    cited = f" ({source})" if source else ""
    whom = "All pairs were compared"
    if found.control is not None:
        whom = f"All other models were compared with {found.control}"
    if len(found.pairs) == 1:
        return f"The two were compared by the {title}{cited}."
    if found.post_hoc == "none":
        return f"{whom} by the {title}{cited}, without correction."
    adjusted = POST_HOC_TITLES[found.post_hoc]
    paper = _POST_HOC_PAPERS[found.post_hoc]
    by = (
        f"by the {title}{cited}"
        if found.post_hoc not in _POST_HOC_ALONE
        else ("by their mean ranks")
    )
    return (
        f"{whom} {by}, with {adjusted} ({paper}) for "
        f"{len(found.pairs)} comparisons, so that the chance of one or more false "
        f"claims is at most {percent(found.alpha)}{_condition(found)}."
    )


_POST_HOC_ALONE = ("nemenyi", "bonferroni-dunn")


def _outcome(found: Comparison) -> str:
    apart = [pair for pair in found.pairs if found.differ(pair.a, pair.b)]
    if not apart:
        return "No pair was told apart."
    said = []
    for pair in sorted(apart, key=lambda x: x.p_adjusted):
        first, second = pair.a, pair.b
        if found.beats(second, first):
            first, second = second, first
        said.append(f"{first} and {second} ({p_said(pair.p_adjusted)})")
    shown = "; ".join(said[:10])
    more = f"; and {len(said) - 10} more" if len(said) > 10 else ""
    rest = len(found.pairs) - len(apart)
    others = f" The other {rest} were not." if rest else ""
    if rest == 1:
        others = " The other pair was not."
    return f"Told apart, the better first: {shown}{more}.{others}"


_ROPE_TESTS = {
    "splits": "the Bayesian correlated t test (Corani and Benavoli 2015)",
    "cases": "a Dirichlet distribution of the cases that one model alone gets right",
    "data sets": "the Bayesian signed-rank test (Benavoli et al. 2014)",
}


def _rope_said(found: Comparison) -> str:
    sure = [
        pair for pair in found.pairs
        if pair.chances is not None and pair.chances.equal >= found.level
    ]  # fmt: skip
    how = _ROPE_TESTS[found.rows]
    text = (
        f"By {how}, {len(sure)} of "
        f"{len(found.pairs)} pairs are practically equal, to within "
        f"{amount(found.rope or 0.0)}, with a chance of {percent(found.level)} or more"
    )
    if not sure:
        return f"{text}."
    return f"{text}: {'; '.join(f'{x.a} and {x.b}' for x in sure[:10])}."
