"""A comparison in words: the sentence first, and the paragraph that a paper needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorecast._core.amounts import amount, counted
from scorecast._core.percent import percent
from scorecast.comparison.omnibus import p_said
from scorecast.comparison.sources import OMNIBUS_PAPERS, PAIR_PAPERS, POST_HOC_PAPERS
from scorecast.comparison.titles import (
    OMNIBUS_TITLES,
    POST_HOC_TITLES,
    TEST_TITLES,
    asked_of,
)

if TYPE_CHECKING:
    from scorecast.comparison.comparison import Comparison, ModelPair
    from scorecast.comparison.effect_sizes import EffectSize

__all__ = [
    "direction_said",
    "named",
    "paragraph_of",
    "sentence_of",
    "size_said",
    "span_said",
]

_MOST_NAMED = 4
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
    scale = size_said(found)
    if all(pair.effect.wins == pair.effect.losses == 0 for pair in found.pairs):
        return f"All {len(found.models)} models gave the same results on {scale}."
    if found.control is not None:
        return _of_control(found, worse, better, rest)
    said = [_best_said(found, f"{len(found.models)} models on {scale}")]
    # Where several share the best rank, it must be said which is compared.
    shared = len(found.bests) > 1
    for verb, names in (
        ("better than", worse), ("worse than", better), ("not told apart from", rest),
    ):  # fmt: skip
        if names:
            lead = f"{centre} is {verb}" if shared else verb.capitalize()
            said.append(f"{lead} {named(names)}.")
    return f"{' '.join(said)} {_error_said(found)}"


def _best_said(found: Comparison, scale: str) -> str:
    """Say which model ranks best, or which ones share that rank."""
    best, way = found.bests, direction_said(found.greater_is_better)
    if found.stands_by_means:
        mean = amount(found.means[found.models.index(best[0])])
        verb = "has" if len(best) == 1 else "share"
        return f"{named(best)} {verb} the best mean of {scale} ({mean}); {way}."
    rank = f"(mean rank {found.rank(best[0]):.2f})"
    if len(best) == 1:
        return f"{best[0]} ranks best of {scale} {rank}; {way}."
    text = f"{named(best)} share the best rank of {scale} {rank}"
    first, second = (found.means[found.models.index(name)] for name in best[:2])
    if first == second:
        return f"{text}; {way}."
    better = "highest" if found.greater_is_better else "lowest"
    return f"{text}, of which {best[0]} has the {better} mean; {way}."


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
    stands = f"mean rank {found.rank(centre):.2f}"
    if found.stands_by_means:
        stands = f"mean {amount(found.means[found.models.index(centre)])}"
    return (
        f"The control, {centre} ({stands} of "
        f"{len(found.models)} on {size_said(found)}), {'; '.join(said)}. "
        f"{direction_said(found.greater_is_better).capitalize()}. "
        f"{_error_said(found)}"
    )


def size_said(found: Comparison) -> str:
    """Say how many rows there are, and in how many groups."""
    size = counted(found.n, found.rows)
    if found.n_units is None:
        return size
    return f"{size} in {counted(found.n_units, 'groups')}"


def direction_said(greater_is_better: bool) -> str:
    """Say which way is better."""
    return f"{'greater' if greater_is_better else 'smaller'} is better"


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
    first, second, effect = found.better_first(pair)
    facts = (
        f"{difference_said(found, pair)}, {p_said(pair.p)}; "
        f"{direction_said(found.greater_is_better)}"
    )
    scale = f"on {size_said(found)}"
    if found.differ(first, second):
        return f"{first} is better than {second} {scale}: {facts}."
    if effect.wins == effect.losses == 0:
        return f"{first} and {second} gave the same results {scale}: {facts}."
    return f"{first} and {second} cannot be told apart {scale}: {facts}."


def difference_said(found: Comparison, pair: ModelPair) -> str:
    """Write a difference with its interval, the better less the worse if told apart."""
    first, second, effect = found.better_first(pair)
    what = "mean difference" if found.is_of_means else "difference"
    return f"{what} {span_said(effect, first, second, found.level)}"


def span_said(effect: EffectSize, first: str, second: str, level: float) -> str:
    """Write a difference, which way round it is, and its interval."""
    span = "interval unknown"
    if not math.isnan(effect.low):
        ends = f"{amount(effect.low)} to {amount(effect.high)}"
        span = f"{100 * level:g} %: {ends}"
    return f"{amount(effect.difference)} ({first} less {second}; {span})"


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
    stand = "Mean ranks, 1 being best"
    values = [f"{name} {found.rank(name):.2f}" for name in found.order]
    if found.stands_by_means:
        stand = "Means"
        means = dict(zip(found.models, found.means, strict=True))
        values = [f"{name} {amount(means[name])}" for name in found.order]
    return (
        f"{len(found.models)} models were compared{measure} on "
        f"{size_said(found)} ({splits}{better} is better). {stand}: "
        f"{', '.join(values)}."
    )


def _omnibus_said(found: Comparison) -> str:
    if not found.omnibus:
        return ""
    test = found.omnibus[0]
    title = OMNIBUS_TITLES[test.test]
    differs = test.p <= found.alpha
    verdict = "differ" if differs else "do not differ significantly"
    source = OMNIBUS_PAPERS[test.test]
    return f"{title} ({source}) finds that the models {verdict} ({test.said()})."


def _pairs_said(found: Comparison) -> str:
    title = _with_article(TEST_TITLES.get(found.pair_test, found.pair_test))
    source = PAIR_PAPERS.get(found.pair_test)
    cited = f" ({source})" if source else ""
    whom = "All pairs were compared"
    if found.control is not None:
        whom = f"All other models were compared with {found.control}"
    if len(found.pairs) == 1:
        return f"The two were compared by {title}{cited}."
    if found.post_hoc == "none":
        return f"{whom} by {title}{cited}, without correction."
    adjusted = POST_HOC_TITLES[found.post_hoc]
    paper = POST_HOC_PAPERS[found.post_hoc]
    by = (
        f"by {title}{cited}"
        if found.post_hoc not in _POST_HOC_ALONE
        else ("by their mean ranks")
    )
    return (
        f"{whom} {by}, with {adjusted} ({paper}) for "
        f"{len(found.pairs)} comparisons, so that the chance of one or more false "
        f"claims is at most {percent(found.alpha)}{_condition(found)}."
    )


_POST_HOC_ALONE = ("nemenyi", "bonferroni-dunn")


def _with_article(title: str) -> str:
    """Write "the sign test", but "McNemar's test"."""
    return title if title.split()[0].endswith("'s") else f"the {title}"


def _outcome(found: Comparison) -> str:
    if len(found.pairs) == 1:
        pair = found.pairs[0]
        first, second, _ = found.better_first(pair)
        facts = f"{difference_said(found, pair)}, {p_said(pair.p)}"
        if found.differ(first, second):
            return f"{first} is better than {second}: {facts}."
        return f"They were not told apart: {facts}."
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
    "means": "the Bayesian bootstrap of the mean (Rubin 1981)",
    "data sets": "the Bayesian signed-rank test (Benavoli et al. 2014)",
}


def _rope_said(found: Comparison) -> str:
    sure = [
        pair for pair in found.pairs
        if pair.chances is not None and pair.chances.equal >= found.level
    ]  # fmt: skip
    how = _ROPE_TESTS["means" if found.is_of_means else found.rows]
    text = (
        f"By {how}, {len(sure)} of {counted(len(found.pairs), 'pairs')} "
        f"{'is' if len(sure) == 1 else 'are'} practically equal, to within "
        f"{amount(found.rope or 0.0)}, with a chance of {percent(found.level)} or more"
    )
    if not sure:
        return f"{text}."
    return f"{text}: {'; '.join(f'{x.a} and {x.b}' for x in sure[:10])}."
