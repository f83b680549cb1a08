"""How results of `scorecast.comparison` are laid out, and said for a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from scorecast._core.result import Note
from scorecast.comparison import (
    DEMSAR,
    HODGES_LEHMANN,
    MANY_UNITS,
    NEWCOMBE,
    NOT_MEAN_RANKS,
    OMNIBUS_TESTS,
    PAIR_TESTS,
    POST_HOC,
    POSTERIORS,
    TUTORIAL,
    Choice,
    Comparison,
    EffectSize,
    Estimand,
    MeanDifference,
    ModelPair,
    NoteCode,
    OmnibusOutcome,
    PairComparison,
    PairTest,
    Reason,
    RopePosterior,
    RowKind,
    Verdict,
)
from scorecast.evaluation import METRICS
from scorecast.exceptions import quoted
from scorecast.report import formats
from scorecast.report.comparison_figures import (
    alike_without_bar,
    critical_difference_drawing,
    difference_drawing,
    pair_drawing,
    wins_drawing,
)
from scorecast.report.document import Document, Section, Table
from scorecast.report.formats import amount, count, counted
from scorecast.report.names import names_in_columns, short_by_name, short_names
from scorecast.report.terminal import WIDTH

_LONGEST_NAME = 22
_SHORTEST_NAME = 10
_MOST_NAMED = 4
_MOST_PAIRS = 15
_MOST_MODELS = 24
_MOST_IN_MATRIX = 20
_MOST_MEANS = 3
_BAR = 20  # columns of a bar and the gap before it
_MANY_DATASETS = 10  # from which the limit distribution of mean ranks is near
_ROWS = {
    RowKind.DATASETS: "data sets",
    RowKind.SPLITS: "splits",
    RowKind.SAMPLES: "samples",
}
_PSEUDO_MEDIANS = "differences are pseudo-medians, not differences of the means"
# Their standard error is that of a random order of all models on every data set: two
# that are alike on the whole, each best where the other is worst, lie farther apart.
_LUCK_OF_RANKS = (
    "models that do not differ lie no farther apart in rank than in a random order of "
    "all"
)

# Why a test was chosen: of tables and of pairs.
_REASONS: dict[Reason, str] = {
    Reason.ASKED: "asked for",
    Reason.ONE_COMPARISON: "with two models there is one comparison, control or not",
    Reason.DATASETS: "rows are taken as independent data sets",
    Reason.SPLITS_OVERLAP: "rows are splits of one data set, which share training "
    "samples",
    Reason.RIGHT_OR_WRONG: "all results are 0 or 1: rows are samples, right or wrong",
    Reason.LOOK_LIKE_SAMPLES: "many rows, or many that tie: they are taken as samples, "
    "and their mean is what counts (rows that are data sets must be called so)",
    Reason.IN_GROUPS: "rows are samples in groups, of which the mean is what counts",
    Reason.BY_UNITS: "a metric of samples: models are exchanged unit by unit",
    Reason.FIVE_BY_TWO: "five times two folds; F does not hang on the first fold",
    Reason.SCORES: "scores of the same samples of two classes: areas are compared",
    Reason.INDEPENDENT_VALUES: "independent values; no distribution is assumed but "
    "symmetry",
    Reason.TWO_MODELS: "two models: no distribution is assumed but symmetry",
    Reason.OTHERS_DO_NOT_MATTER: "Wilcoxon: what it says of two models does not hang "
    "on the others",
    Reason.TOO_FEW_FOR_SIGNED_RANKS: "mean ranks: with {n} data sets signed ranks "
    "could never tell {k} models apart (it takes {needed})",
    Reason.DEFINED_FOR_RANKS: "{post_hoc} is defined for mean ranks",
    Reason.MOST_POWERFUL: "Bergmann and Hommel: the most powerful correction for all "
    "pairs of ranks",
    Reason.TOO_MANY_MODELS: "Shaffer: there are too many models for Bergmann and "
    "Hommel",
    Reason.VALID_ALWAYS: "Holm: valid whatever depends on what, and never weaker than "
    "Bonferroni",
}
_PAIR_REASONS: dict[Reason, str] = {
    Reason.SPLITS_OVERLAP: "splits share training samples, which the plain t-test "
    "forgets",
    Reason.RIGHT_OR_WRONG: "right or wrong on the same samples; mid-p is neither timid "
    "nor bold",
    Reason.LOOK_LIKE_SAMPLES: "many values, or many that tie: they are taken as "
    "samples, and their mean is what counts; for data sets ask for wilcoxon",
}


# Notes -------------------------------------------------------------------------------


def _rows_left_out(note: Note) -> str:
    named = ", ".join(map(formats.one_line, note.names))
    named += ", ..." if (note.count or 0) > len(note.names) else ""
    lack = "lacks" if note.count == 1 else "lack"
    return (
        f"{count(note.count or 0)} of {counted(note.total or 0, 'rows')} {lack} a "
        f"result ({named}); {quoted(note.model)} lacks most. What lacks one is left "
        "out."
    )


def _samples_left_out(note: Note) -> str:
    lack, were = ("lacks", "was") if note.count == 1 else ("lack", "were")
    lost, total = count(note.count or 0), count(note.total or 0)
    return f"{lost} of {total} rows {lack} something, and {were} left out."


def _repeated_names(note: Note) -> str:
    return (
        f"{count(note.total or 0)} rows have {counted(note.count or 0, 'names')} "
        f"({quoted(note.names[0])} is there {count(note.value or 0)} times): rows of "
        "one name were averaged, since repeats of one item, or folds of one data set, "
        "are not independent. For splits say how many samples one tests per sample it "
        "is trained on; a column that does not name the rows is to be left out."
    )


def _odd_scale(note: Note) -> str:
    ratio = note.value or math.nan
    times, way = (ratio, "large") if ratio > 1 else (1 / ratio, "small")
    return (
        f"Results of {quoted(note.model)} are about {amount(times, 1)} times as {way} "
        f"as those of the next model, {quoted(note.names[0])}: is it a model? If not, "
        "list the models without it."
    )


def _percent_among_shares(note: Note) -> str:
    more = (note.count or 1) - 1
    others = f" (and {more} more)" if more else ""
    return (
        f"{amount(note.value or 0.0, 3)}{others}, of {quoted(note.model)} in row "
        f"{note.total}, stands among numbers from 0 to 1: is it a percentage? Divide "
        "it by 100."
    )


def _unknown_p(note: Note) -> str:
    names = [formats.one_line(name) for name in note.names]
    pairs = [f"{a} and {b}" for a, b in zip(names[::2], names[1::2], strict=True)]
    more = "; ..." if (note.count or 0) > len(pairs) else ""
    lost = "; ".join(pairs) + more
    return f"All differences are the same, so that p is unknown: {lost}."


def _unseen_labels(note: Note) -> str:
    more = ", ..." if (note.count or 0) > len(note.names) else ""
    names = ", ".join(map(formats.one_line, note.names))
    return (
        f"Predictions hold labels that are never true ({names}{more}), and were "
        "counted as wrong there; scores of whole numbers go with DeLong's test."
    )


_NOTES: dict[NoteCode, Callable[[Note], str]] = {
    NoteCode.ROWS_LEFT_OUT: _rows_left_out,
    NoteCode.SAMPLES_LEFT_OUT: _samples_left_out,
    NoteCode.REPEATS_AVERAGED: lambda note: (
        f"Up to {note.count} results of one model on one data set were averaged: "
        "repeats of one data set are no further data sets."
    ),
    NoteCode.REPEATED_NAMES_AVERAGED: _repeated_names,
    NoteCode.REPEATED_NAMES_GROUPED: lambda note: (
        f"Rows have {counted(note.count or 0, 'names')}, some of them more than once: "
        "rows of one name were taken as a group, since repeats of one item are not "
        "independent."
    ),
    NoteCode.SHARED_ROW_NAMES: lambda note: (
        f"{quoted(note.names[0])} is the name of a row in {note.count} groups: rows of "
        "one name in different groups were taken as different."
    ),
    NoteCode.DOUBTFUL_ROW_NAMES: lambda note: (
        f"Column {quoted(note.names[0])} was taken for names of the rows, though "
        f"{count(note.count or 0)} of {count(note.total or 0)} cells are numbers: "
        f"{quoted(note.names[1])} is none."
    ),
    NoteCode.ODD_SCALE: _odd_scale,
    NoteCode.PERCENT_AMONG_SHARES: _percent_among_shares,
    NoteCode.UNCORRECTED: lambda note: (
        f"p-values are not corrected: of {note.count} comparisons without a difference "
        "some may be called one, with a chance of up to "
        f"{formats.percent(note.value)}."
    ),
    NoteCode.FEW_GROUPS: lambda note: (
        f"{note.count} groups are few: the interval leans on sums of groups being "
        "about normal."
    ),
    NoteCode.ALL_EQUAL: lambda _: (
        "All results are the same: no difference can be seen."
    ),
    NoteCode.UNKNOWN_P: _unknown_p,
    NoteCode.UNSEEN_LABELS: _unseen_labels,
}


def _mean_note(
    mean: MeanDifference, of: str, first: str, second: str, level: float
) -> str:
    """Say the mean where the median hides what p found."""
    value, span = formats.with_interval(mean.mean, mean.low, mean.high)
    ends = "interval unknown"
    if not math.isnan(mean.low):
        ends = f"{formats.level(level)}: {span}"
    return (
        f"The {of} of {first} less {second} is 0, as are {count(mean.n_zero)} of "
        f"{count(mean.n)} differences; their mean is {value} ({ends})."
    )


# Pieces of sentences -----------------------------------------------------------------


def _direction(greater_is_better: bool) -> str:
    return f"{'greater' if greater_is_better else 'smaller'} is better"


def _span(effect: EffectSize, first: str, second: str, level: float) -> str:
    """Write a difference, which way round it is, and its interval."""
    value, span = formats.with_interval(effect.difference, effect.low, effect.high)
    ends = "interval unknown"
    if not math.isnan(effect.low):
        ends = f"{formats.level(level)}: {span}"
    return f"{value} ({first} less {second}; {ends})"


def _named(names: Sequence[str]) -> str:
    """List names, the first few of many."""
    most = _MOST_NAMED if len(names) > _MOST_NAMED + 1 else len(names)
    return formats.listed(names, most)


def _size(found: Comparison) -> str:
    """Say how many rows there are, and in how many groups."""
    size = counted(found.n_rows, _ROWS[found.rows])
    if found.n_groups is None:
        return size
    return f"{size} in {counted(found.n_groups, 'groups')}"


def _outcome(outcome: OmnibusOutcome) -> str:
    """Write statistic, degrees of freedom and p as papers do."""
    letter = "F" if len(outcome.df) == 2 else "chi2"
    freedom = ", ".join(f"{x:g}" for x in outcome.df)
    value = "infinite"
    if math.isfinite(outcome.statistic):
        value = f"{outcome.statistic:.2f}"
    return f"{letter}({freedom}) = {value}, {formats.p_value(outcome.p_value)}"


def _conditions(found: Comparison) -> tuple[str, ...]:
    """Say what must hold for the family-wise error to be what it is said to be."""
    if len(found.models) == 2:
        return ()
    of_ranks = PAIR_TESTS[found.test].table_z is not None
    return (*((_LUCK_OF_RANKS,) if of_ranks else ()), *POST_HOC[found.post_hoc].assumes)


def _if_they_hold(found: Comparison) -> str:
    asked = _conditions(found)
    return f", if {' and '.join(asked)}" if asked else ""


def _correction(found: Comparison) -> str:
    title = POST_HOC[found.post_hoc].title
    return f"{title} for {len(found.pairs)} comparisons"


def _reason(choice: Choice, found: Comparison | PairComparison) -> str:
    """Say why something was chosen."""
    if isinstance(found, PairComparison):
        return _PAIR_REASONS.get(choice.reason, _REASONS[choice.reason])
    return _REASONS[choice.reason].format(
        n=count(found.n_rows),
        k=len(found.models),
        needed=choice.n_needed,
        post_hoc=found.post_hoc,
    )


def _references(works: Iterable[str]) -> tuple[str, ...]:
    """Return works in the order of their authors, each once."""
    return tuple(
        sorted({work for work in works if work}, key=lambda w: formats.cite([w]))
    )


def _number_table(columns: dict[str, list[Any]]) -> tuple[tuple[str, ...], ...]:
    """Write any values as cells, row by row."""
    return tuple(tuple(map(_cell, row)) for row in zip(*columns.values(), strict=True))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if formats.is_known(value) else formats.UNKNOWN
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return formats.UNKNOWN if value is None else str(value)


# Many models: the headline -----------------------------------------------------------


def _headline(found: Comparison) -> str:
    """Say which model is best, and which others it is told apart from."""
    if len(found.models) == 2:
        return _headline_of_two(found)
    centre = found.control or found.best
    others = [name for name in found.order if name != centre]
    worse = [x for x in others if found.beats(centre, x)]
    better = [x for x in others if found.beats(x, centre)]
    rest = [x for x in others if not found.differ(centre, x)]
    scale = _size(found)
    if all(pair.effect.wins == pair.effect.losses == 0 for pair in found.pairs):
        return f"All {len(found.models)} models gave the same results on {scale}."
    if found.control is not None:
        return _headline_of_control(found, worse, better, rest)
    said = [_best(found, f"{len(found.models)} models on {scale}")]
    # Where several share the best rank, it must be said which is compared.
    is_shared = len(found.bests) > 1
    verbs = ("better than", "worse than", "not told apart from")
    for verb, names in zip(verbs, (worse, better, rest), strict=True):
        if names:
            lead = f"{centre} is {verb}" if is_shared else verb.capitalize()
            said.append(f"{lead} {_named(names)}.")
    return f"{' '.join(said)} {_error(found)}"


def _best(found: Comparison, scale: str) -> str:
    """Say which model ranks best, or which ones share that rank."""
    best, way = found.bests, _direction(found.greater_is_better)
    if found.stands_by_means:
        verb = "has" if len(best) == 1 else "share"
        mean = amount(found.means[best[0]])
        return f"{_named(best)} {verb} the best mean of {scale} ({mean}); {way}."
    rank = f"(mean rank {found.ranks[best[0]]:.2f})"
    if len(best) == 1:
        return f"{best[0]} ranks best of {scale} {rank}; {way}."
    text = f"{_named(best)} share the best rank of {scale} {rank}"
    if found.means[best[0]] == found.means[best[1]]:
        return f"{text}; {way}."
    better = "highest" if found.greater_is_better else "lowest"
    return f"{text}, of which {best[0]} has the {better} mean; {way}."


def _headline_of_control(
    found: Comparison, worse: list[str], better: list[str], rest: list[str]
) -> str:
    """Say which models the control is told apart from."""
    centre = found.control or found.best
    verbs = ("is better than", "is worse than", "is not told apart from")
    said = [
        f"{verb} {_named(names)}"
        for verb, names in zip(verbs, (worse, better, rest), strict=True)
        if names
    ]
    stands = f"mean rank {found.ranks[centre]:.2f}"
    if found.stands_by_means:
        stands = f"mean {amount(found.means[centre])}"
    way = formats.sentence(_direction(found.greater_is_better))
    return (
        f"The control, {centre} ({stands} of {len(found.models)} on {_size(found)}), "
        f"{'; '.join(said)}. {way} {_error(found)}"
    )


def _error(found: Comparison) -> str:
    """Say how likely any false claim is."""
    if not POST_HOC[found.post_hoc].controls_familywise:
        return "p-values are NOT corrected for the number of comparisons."
    # Tests of mean ranks rest on a limit that few data sets are far from.
    of_ranks = PAIR_TESTS[found.test].table_z is not None
    about = "about " if of_ranks and found.n_rows < _MANY_DATASETS else ""
    most = f"Chance of any false claim: at most {about}{formats.percent(found.alpha)}"
    return f"{most}{_if_they_hold(found)}."


def _headline_of_two(found: Comparison) -> str:
    pair = found.pairs[0]
    first, second, effect = found.better_first(pair)
    facts = (
        f"{_difference(found, pair)}, {formats.p_value(pair.p_value)}; "
        f"{_direction(found.greater_is_better)}"
    )
    scale = f"on {_size(found)}"
    if found.differ(first, second):
        return f"{first} is better than {second} {scale}: {facts}."
    if effect.wins == effect.losses == 0:
        return f"{first} and {second} gave the same results {scale}: {facts}."
    return f"{first} and {second} cannot be told apart {scale}: {facts}."


def _difference(found: Comparison, pair: ModelPair) -> str:
    """Write a difference with its interval, the better less the worse if told apart."""
    first, second, effect = found.better_first(pair)
    what = "mean difference" if found.is_of_means else "difference"
    if found.rows is RowKind.DATASETS:
        what = f"{Estimand.PSEUDO_MEDIAN.value} difference"
    return f"{what} {_span(effect, first, second, found.confidence_level)}"


# Many models: the paragraph for a paper ----------------------------------------------


def _paragraph(found: Comparison) -> str:
    """Write what a paper needs: what was tested, how, and what came out."""
    parts = [
        _paragraph_data(found),
        _paragraph_omnibus(found),
        _paragraph_test(found),
        _paragraph_outcome(found),
        _paragraph_rope(found),
    ]
    return " ".join(part for part in parts if part)


def _paragraph_data(found: Comparison) -> str:
    metric = f" by {found.metric}" if found.metric else ""
    splits = ""
    if found.test_ratio:
        ratio = amount(found.test_ratio)
        splits = f"{ratio} samples tested per sample trained on; "
    better = "higher" if found.greater_is_better else "lower"
    stand = "Mean ranks, 1 being best"
    values = [f"{name} {found.ranks[name]:.2f}" for name in found.order]
    if found.stands_by_means:
        stand = "Means"
        values = [f"{name} {amount(found.means[name])}" for name in found.order]
    return (
        f"{len(found.models)} models were compared{metric} on {_size(found)} "
        f"({splits}{better} is better). {stand}: {', '.join(values)}."
    )


def _paragraph_omnibus(found: Comparison) -> str:
    if not found.omnibus:
        return ""
    outcome = found.omnibus[0]
    test = OMNIBUS_TESTS[outcome.test]
    is_different = outcome.p_value <= found.alpha
    verdict = "differ" if is_different else "do not differ significantly"
    return (
        f"{test.title} ({formats.cite(test.works)}) finds that the models {verdict} "
        f"({_outcome(outcome)})."
    )


def _paragraph_test(found: Comparison) -> str:
    test, post_hoc = PAIR_TESTS[found.test], POST_HOC[found.post_hoc]
    cited = f" ({formats.cite(test.works)})" if test.works else ""
    article = "" if test.begins_with_name else "the "
    by = f"by {article}{test.title}{cited}"
    if len(found.pairs) == 1:
        return f"The two were compared {by}."
    whom = "All pairs were compared"
    if found.control is not None:
        whom = f"All other models were compared with {found.control}"
    if not post_hoc.controls_familywise:
        return f"{whom} {by}, without correction."
    if post_hoc.is_of_ranks_alone:
        by = "by their mean ranks"
    return (
        f"{whom} {by}, with {post_hoc.title} ({formats.cite(post_hoc.works)}) for "
        f"{len(found.pairs)} comparisons, so that the chance of one or more false "
        f"claims is at most {formats.percent(found.alpha)}{_if_they_hold(found)}."
    )


def _paragraph_outcome(found: Comparison) -> str:
    if len(found.pairs) == 1:
        pair = found.pairs[0]
        first, second, _ = found.better_first(pair)
        facts = f"{_difference(found, pair)}, {formats.p_value(pair.p_value)}"
        if found.differ(first, second):
            return f"{first} is better than {second}: {facts}."
        return f"They were not told apart: {facts}."
    apart = [pair for pair in found.pairs if found.differ(pair.a, pair.b)]
    if not apart:
        return "No pair was told apart."
    said = []
    for pair in sorted(apart, key=lambda x: x.p_adjusted):
        first, second, _ = found.better_first(pair)
        said.append(f"{first} and {second} ({formats.p_value(pair.p_adjusted)})")
    shown = "; ".join(said[:10])
    more = f"; and {len(said) - 10} more" if len(said) > 10 else ""
    rest = len(found.pairs) - len(apart)
    others = f" The other {rest} were not." if rest else ""
    if rest == 1:
        others = " The other pair was not."
    return f"Told apart, the better first: {shown}{more}.{others}"


def _posterior_name(found: Comparison) -> str:
    """Name the Bayesian test of a table."""
    if found.is_of_means:
        return "bayesian-bootstrap"
    posterior = PAIR_TESTS[found.test].posterior
    return posterior.name if posterior is not None else "signed-rank"


def _paragraph_rope(found: Comparison) -> str:
    if found.rope is None:
        return ""
    level = found.confidence_level
    sure = [x for x in found.pairs if x.posterior and x.posterior.equal >= level]
    how = POSTERIORS[_posterior_name(found)]
    cited = f" ({formats.cite([how.reference])})" if how.reference else ""
    text = (
        f"By {how.title}{cited}, {len(sure)} of {counted(len(found.pairs), 'pairs')} "
        f"{'is' if len(sure) == 1 else 'are'} practically equal, to within "
        f"{amount(found.rope)}, with a chance of {formats.percent(level)} or more"
    )
    if not sure:
        return f"{text}."
    return f"{text}: {'; '.join(f'{x.a} and {x.b}' for x in sure[:10])}."


# Many models: the document -----------------------------------------------------------


def comparison_document(found: Comparison) -> Document:
    """Lay out a comparison of many models.

    Parameters
    ----------
    found : Comparison
        The answer.

    Returns
    -------
    Document
        Models, ranks, differences, wins, every pair, a paragraph for a paper.
    """
    is_ranked = len(found.models) > 2 and not found.stands_by_means
    sections = [Section(tables=_model_tables(found), is_terminal=True)]
    if is_ranked:
        sections.append(_rank_section(found))
    sections.append(_difference_section(found))
    if found.control is None and 2 < len(found.models) <= _MOST_IN_MATRIX:
        sections.append(_wins_section(found))
    sections += [_pairs_section(found), _assumption_section(found)]
    figure = (
        critical_difference_drawing(found) if is_ranked else difference_drawing(found)
    )
    return Document(
        headline=_headline(found),
        notes=_comparison_notes(found),
        sections=tuple(sections),
        facts=_comparison_facts(found),
        paragraph=_paragraph(found),
        references=_comparison_references(found),
        figure=figure,
    )


def _comparison_notes(found: Comparison) -> tuple[str, ...]:
    """Say what must be known before the answer is used."""
    test, k = PAIR_TESTS[found.test], len(found.models)
    said = []
    for note in found.notes:
        code = NoteCode(note.code)
        if code is NoteCode.CANNOT_REACH:
            takes = f": it takes at least {note.count}" if note.count else ""
            said.append(
                f"With {counted(found.n_rows, _ROWS[found.rows])} no two of {k} models "
                f"can be told apart by {found.test} with post hoc {found.post_hoc}, "
                f"whatever the results{takes}."
            )
        elif code is NoteCode.FEW_DATASETS:
            said.append(
                f"{note.count} data sets are few: p-values of {test.ranks} are "
                "approximate below ten."
            )
        else:
            said.append(_NOTES[code](note))
    hidden = [pair for pair in found.pairs if pair.mean is not None]
    for pair in hidden[:_MOST_MEANS]:
        first, second, _ = found.better_first(pair)
        if pair.mean is not None:
            mean = pair.mean if first == pair.a else pair.mean.turned()
            level = found.confidence_level
            said.append(_mean_note(mean, "pseudo-median", first, second, level))
    more = len(hidden) - _MOST_MEANS
    if more > 0:
        said.append(f"So it is with {counted(more, 'more pairs')}.")
    return tuple(said)


def _comparison_facts(found: Comparison) -> tuple[tuple[str, str], ...]:
    """Say what the answer rests on."""
    better = "greater" if found.greater_is_better else "less"
    metric = f"{formats.one_line(found.metric)}, " if found.metric else ""
    size = f"{_size(found)}, {count(len(found.models))} models"
    if found.test_ratio is not None:
        size += f", {amount(found.test_ratio)} samples tested per sample trained on"
    quoted_first = ""
    if found.omnibus:
        first = found.omnibus[0]
        quoted_first = f"{OMNIBUS_TESTS[first.test].title}: {_outcome(first)}"
    title = PAIR_TESTS[found.test].title
    how = title if len(found.pairs) == 1 else f"{title}; {_correction(found)}"
    chances = "" if found.rope is None else _rope_lead(found)
    # The pseudo-median need not lie where the difference of the means above does.
    sizes = "" if found.rows is not RowKind.DATASETS else _PSEUDO_MEDIANS
    reasons = "; ".join(_reason(choice, found) for choice in found.choices)
    return (
        ("Size", sizes),
        ("Chances", chances),
        ("Data", f"{size}; {metric}{better} is better"),
        ("All", quoted_first),
        ("Pairs", how),
        ("Why", reasons),
        ("Assumes", "; ".join(_assumptions(found))),
    )


def _assumptions(found: Comparison) -> tuple[str, ...]:
    return (*PAIR_TESTS[found.test].assumes, *_conditions(found))


def _comparison_references(found: Comparison) -> tuple[str, ...]:
    """List what the paragraph cites, and what else the page is made by."""
    test = PAIR_TESTS[found.test]
    works = [*test.works]
    if len(found.pairs) > 1:
        works += POST_HOC[found.post_hoc].works
    for outcome in found.omnibus:
        works += OMNIBUS_TESTS[outcome.test].works
    if found.rows is RowKind.DATASETS:
        works.append(HODGES_LEHMANN)
    elif found.rows is RowKind.SAMPLES and not found.is_of_means:
        works.append(NEWCOMBE)
    if len(found.models) > 2:
        if not found.stands_by_means:
            works.append(DEMSAR)  # the diagram of mean ranks
        if found.rows is RowKind.DATASETS and test.table_z is None:
            works.append(NOT_MEAN_RANKS)
    if found.rope is not None:
        works += [TUTORIAL, POSTERIORS[_posterior_name(found)].reference]
    return _references(works)


def _model_tables(found: Comparison) -> tuple[Table, ...]:
    """Set one row per model, from the best to the worst; the first of many open."""
    centre = found.control or found.best
    names = names_in_columns(found.models, 40)
    written = formats.like_digits([*found.means.values(), *found.medians.values()])
    k = len(found.models)
    means = dict(zip(found.models, written[:k], strict=True))
    medians = dict(zip(found.models, written[k:], strict=True))
    rows, notes = [], []
    for name in found.order:
        p = "" if name == centre else found.pair(name, centre).p_adjusted
        stands: tuple[str, ...] = (
            f"{found.ranks[name]:.2f}",
            means[name],
            medians[name],
        )
        if found.stands_by_means:
            stands = (means[name],)
        cell = p if isinstance(p, str) else formats.p_cell(p)
        rows.append((names[name], *stands, cell))
        is_alike = name != centre and not found.differ(name, centre)
        notes.append("not told apart" if is_alike else "")
    heading = ("mean",) if found.stands_by_means else ("mean rank", "mean", "median")
    against = names_in_columns(found.models, 16)[centre]
    columns = ("", *heading, f"p against {against}")
    best = tuple(range(len(found.bests)))
    if k <= _MOST_MODELS:
        return (
            Table(
                columns=columns,
                rows=tuple(rows),
                notes=tuple(notes),
                strong=best,
                is_stacked=True,
            ),
        )
    more = counted(k - _MOST_MODELS, "more models")
    rest = (f"and {more}", *[""] * (len(columns) - 1))
    return (
        Table(
            columns=columns,
            rows=(*rows[:_MOST_MODELS], rest),
            notes=(*notes[:_MOST_MODELS], ""),
            strong=best,
            is_stacked=True,
        ),
        Table(
            columns=columns,
            rows=tuple(rows),
            notes=tuple(notes),
            caption=f"All {count(k)} models",
            is_folded=True,
            is_stacked=True,
        ),
    )


def _rank_section(found: Comparison) -> Section:
    if found.control is None:
        lead = (
            "Models by their mean rank, the best on the left. A bar joins models of "
            f"which no two are told apart ({_correction(found)})."
        )
    else:
        control = short_by_name(found.models, 40)[found.control]
        lead = (
            "Models by their mean rank, the best on the left. Blue: the control, "
            f"{control}; hollow: not told apart from it."
        )
    leads = [lead]
    lost = alike_without_bar(found)
    if lost:
        names = short_by_name(found.models, 30)
        pairs = "; ".join(f"{names[a]} and {names[b]}" for a, b in lost[:6])
        more = "; and others" if len(lost) > 6 else ""
        leads.append(
            "Not told apart either, though no bar can join them without a model that "
            f"differs: {pairs}{more}."
        )
    return Section(
        heading="Mean ranks",
        lead=tuple(leads),
        figure=critical_difference_drawing(found),
    )


def _difference_section(found: Comparison) -> Section:
    what = {
        RowKind.DATASETS: "pseudo-median of the differences on the same data set",
        RowKind.SPLITS: "mean difference on the same split",
        RowKind.SAMPLES: "difference in the share of right samples",
    }[found.rows]
    if found.is_of_means:
        what = "mean difference on the same sample"
    level = formats.level(found.confidence_level)
    leads = [
        f"Dots: {what}; bars: {level} intervals, each by itself. Blue: told apart when "
        "all comparisons are counted."
    ]
    if len(found.models) > _MOST_MODELS + 1:
        leads.append(f"Those of the {count(_MOST_MODELS)} that rank best.")
    return Section(
        heading="How large the differences are",
        lead=tuple(leads),
        figure=difference_drawing(found),
    )


def _wins_section(found: Comparison) -> Section:
    size = counted(found.n_rows, _ROWS[found.rows])
    lead = (
        f"On how many of the {size} the model of the row is better than that of the "
        "column, models in the order of ranks. Blue: told apart, and better; grey: "
        "told apart, and worse."
    )
    return Section(heading="Wins and losses", lead=(lead,), figure=wins_drawing(found))


def _rope_lead(found: Comparison) -> str:
    mostly = "mostly " if found.rows is RowKind.DATASETS else ""
    return (
        f"by a Bayesian test, that the first model is {mostly}lower by more than "
        f"{found.rope:g}, equal to within that, or higher by more"
    )


def _pairs_section(found: Comparison) -> Section:
    """Set the pairs; of many those told apart, the surest first, and all to open."""
    tables = []
    if len(found.pairs) <= _MOST_PAIRS:
        tables.append(_pair_table(found, found.pairs, "All pairs"))
    else:
        apart = [pair for pair in found.pairs if found.differ(pair.a, pair.b)]
        shown = sorted(apart, key=lambda x: x.p_adjusted)[:_MOST_PAIRS]
        rest = len(found.pairs) - len(shown)
        more = (f"and {counted(rest, 'more pairs')}",)
        if shown:
            caption = "Told apart, the surest first"
            tables.append(_pair_table(found, shown, caption, more))
        tables.append(_pair_table(found, found.pairs, "All pairs", is_folded=True))
    if found.rope is not None:
        is_folded = len(found.pairs) > _MOST_PAIRS
        tables.append(_chance_table(found, is_folded=is_folded))
    if found.omnibus:
        rows = tuple((OMNIBUS_TESTS[x.test].title, _outcome(x)) for x in found.omnibus)
        tables.append(
            Table(
                columns=("test", "result"),
                rows=rows,
                caption="All models at once",
                n_words=2,
                is_folded=True,
            )
        )
    columns = found.to_columns()
    tables += [
        _effect_table(found),
        Table(
            columns=tuple(columns),
            rows=_number_table(columns),
            caption="All numbers",
            is_folded=True,
        ),
    ]
    lead = () if found.rope is None else (f"Chances: {_rope_lead(found)}.",)
    return Section(
        heading="Every pair", lead=lead, tables=tuple(tables), is_terminal=True
    )


def _turned(
    found: Comparison, pair: ModelPair
) -> tuple[str, str, EffectSize, RopePosterior | None]:
    """Turn the only pair as the headline has it; of many, each stays as compared."""
    if len(found.models) > 2:
        return pair.a, pair.b, pair.effect, pair.posterior
    first, second, effect = found.better_first(pair)
    posterior = pair.posterior
    if posterior is not None and first != pair.a:
        posterior = posterior.turned()
    return first, second, effect, posterior


def _pair_table(
    found: Comparison,
    pairs: Sequence[ModelPair],
    caption: str,
    more: tuple[str, ...] = (),
    *,
    is_folded: bool = False,
) -> Table:
    """Set pairs with as many columns as leave room for their names on a line."""
    # Beside p of all pairs together it must be said that intervals are not.
    level = formats.level(found.confidence_level)
    is_corrected = len(found.pairs) > 1 and POST_HOC[found.post_hoc].controls_familywise
    interval = f"{level}, pair alone" if is_corrected else f"{level} interval"
    turned = [_turned(found, pair) for pair in pairs]
    written = [
        formats.with_interval(x.difference, x.low, x.high, signed=True)
        for _, _, x, _ in turned
    ]
    columns = {
        "difference": [value for value, _ in written],
        interval: [span for _, span in written],
        "won-tied-lost": [_wins(x) for _, _, x, _ in turned],
        "p adjusted": [formats.p_cell(pair.p_adjusted) for pair in pairs],
    }
    longest = min(max(map(formats.display_width, found.models)), _SHORTEST_NAME)

    def room() -> int:
        widths = [max(map(len, (name, *cells))) for name, cells in columns.items()]
        return (WIDTH - sum(widths) - 2 * len(columns) - 5) // 2

    if room() < longest:
        del columns["won-tied-lost"]
    has_bars = room() - _BAR // 2 >= longest
    fitting = min(room() - (_BAR // 2 if has_bars else 0), _LONGEST_NAME)
    names = names_in_columns(found.models, fitting)
    labels = [f"{names[first]} - {names[second]}" for first, second, _, _ in turned]
    rows = list(zip(labels, *columns.values(), strict=True))
    bars: list[tuple[float, float, float] | None] = [
        (x.low, x.difference, x.high) for _, _, x, _ in turned
    ]
    if more:
        rows.append((*more, *[""] * len(columns)))
        bars.append(None)
    return Table(
        columns=("pair", *columns),
        rows=tuple(rows),
        caption=caption,
        bars=tuple(bars) if has_bars else (),
        mark=0.0,
        strong=tuple(i for i, x in enumerate(pairs) if found.differ(x.a, x.b)),
        is_folded=is_folded,
        is_stacked=True,
    )


def _wins(effect: EffectSize) -> str:
    return "-".join(count(n or 0) for n in (effect.wins, effect.ties, effect.losses))


def _chance_table(found: Comparison, *, is_folded: bool) -> Table:
    """Set the chances around a region of practical equivalence."""
    names = short_by_name(found.models, _LONGEST_NAME)
    rows = []
    for pair in found.pairs:
        first, second, _, x = _turned(found, pair)
        each = () if x is None else (x.first_lower, x.equal, x.first_higher)
        cells = [f"{formats.percent_number(chance)} %" for chance in each]
        rows.append((f"{names[first]} - {names[second]}", *(cells or [""] * 3)))
    return Table(
        columns=("pair", "lower", "equal", "higher"),
        rows=tuple(rows),
        caption="Chances",
        is_folded=is_folded,
        is_stacked=True,
    )


def _effect_table(found: Comparison) -> Table:
    names = short_by_name(found.models, _LONGEST_NAME)
    rows = []
    for pair in found.pairs:
        first, second, effect, _ = _turned(found, pair)
        rows.append(
            (
                f"{names[first]} - {names[second]}",
                formats.p_cell(pair.p_value),
                formats.signed_size(effect.cliffs_delta),
                formats.signed_size(effect.cohens_d),
                _wins(effect),
            )
        )
    sizes = ("Cliff's delta", "Cohen's d", "won-tied-lost")
    return Table(
        columns=("pair", "p of the pair alone", *sizes),
        rows=tuple(rows),
        caption="Effect sizes",
        is_folded=True,
        is_stacked=True,
    )


def _assumption_section(found: Comparison) -> Section:
    reasons = [_reason(choice, found) for choice in found.choices]
    items = tuple(map(formats.sentence, (*_assumptions(found), *reasons)))
    return Section(heading="What this assumes", items=items)


# Two models --------------------------------------------------------------------------


def pair_document(found: PairComparison) -> Document:
    """Lay out a comparison of two models.

    Parameters
    ----------
    found : PairComparison
        The answer.

    Returns
    -------
    Document
        The difference, what it rests on, all numbers.
    """
    test = PAIR_TESTS[found.test]
    first, second, effect = found.better_first()
    a, b = short_names([first, second], 40)
    level = formats.level(found.confidence_level)
    difference, span = formats.with_interval(
        effect.difference, effect.low, effect.high, signed=True
    )
    gap = Table(
        columns=("", "difference", f"{level} interval", "p"),
        rows=((f"{a} less {b}", difference, span, formats.p_cell(found.p_value)),),
        bars=((effect.low, effect.difference, effect.high),),
        mark=0.0,
    )
    accuracies = _accuracy_table(found)
    numbers = found.to_columns()
    rows = zip(numbers, _number_table(numbers)[0], strict=True)
    return Document(
        headline=_pair_headline(found, test),
        notes=_pair_notes(found, test),
        sections=(
            Section(
                figure=pair_drawing(found, _estimand(found)),
                tables=(gap,) if accuracies is None else (accuracies, gap),
                is_terminal=True,
            ),
            # One number under the other: in a row they are wider than any page.
            Section(
                heading="All numbers",
                tables=(Table(columns=("", "value"), rows=tuple(rows)),),
            ),
        ),
        facts=(
            ("Effect", _effect(found)),
            ("Why", "; ".join(_reason(choice, found) for choice in found.choices)),
            ("Note", _remark(found)),
            ("Assumes", "; ".join(test.assumes)),
        ),
        references=_references(_pair_works(found, test)),
    )


def _pair_works(found: PairComparison, test: PairTest) -> list[str]:
    works = [*test.works]
    if test.estimand is Estimand.PROPORTION:
        works.append(NEWCOMBE)
    if found.metric is not None:
        works.append(METRICS[found.metric].reference)
    if found.rope is not None and test.posterior is not None:
        works.append(test.posterior.reference)
    return works


def _estimand(found: PairComparison) -> str:
    """Say what the difference is one of."""
    if found.metric is not None and found.estimand is Estimand.METRIC:
        return METRICS[found.metric].title
    names = {Estimand.PROPORTION: "share of right samples", Estimand.AUC: "AUC"}
    return names.get(found.estimand, found.estimand.value)


_LEADS = {
    Verdict.FIRST_BETTER: "{0} is better than {1}",
    Verdict.SECOND_BETTER: "{0} is better than {1}",
    Verdict.UNDECIDED: "{0} and {1} cannot be told apart",
    Verdict.SAME: "{0} and {1} gave the same results",
}


def _pair_headline(found: PairComparison, test: PairTest) -> str:
    """Say the answer in a sentence or two."""
    of = _estimand(found)
    plain = (Estimand.MEAN, Estimand.MEDIAN, Estimand.PSEUDO_MEDIAN)
    what = f"{of} difference" if found.estimand in plain else f"difference in {of}"
    first, second, effect = found.better_first()
    span = _span(effect, first, second, found.confidence_level)
    facts = f"{what} {span}, {formats.p_value(found.p_value)}"
    if not found.greater_is_better:
        facts += f"; {_direction(found.greater_is_better)}"
    lead = _LEADS[found.verdict].format(first, second)
    size = f"{counted(found.n_rows, 'values')} each"
    if found.n_groups is not None and found.n_groups != found.n_rows:
        size += f" in {counted(found.n_groups, 'groups')}"
    return f"{lead}: {facts}; {test.title}, {size}.{_pair_rope(found)}"


def _pair_rope(found: PairComparison) -> str:
    if found.posterior is None or found.rope is None:
        return ""
    posterior = found.posterior
    if not found.greater_is_better:
        posterior = posterior.turned()
    a, b = found.names
    percent = formats.percent
    return (
        f" Chances by a Bayesian test, with differences up to {amount(found.rope)} "
        f"counted as none: {a} better {percent(posterior.first_higher)}, {b} better "
        f"{percent(posterior.first_lower)}, practically equal "
        f"{percent(posterior.equal)}."
    )


def _pair_notes(found: PairComparison, test: PairTest) -> tuple[str, ...]:
    """Say what must be known before the answer is used."""
    said = [_NOTES[NoteCode(note.code)](note) for note in found.notes]
    if not found.is_spread_known:
        what = "all differences are the same, so that their spread, and with it p,"
        if test.estimand is Estimand.AUC:
            what = "both areas are without error, so that p"
        elif found.n_groups is not None:
            what = "all groups differ alike, so that their spread, and with it p,"
        way = "; use the permutation test" if test.estimand is Estimand.AUC else ""
        said.append(formats.sentence(f"{what} is unknown{way}"))
    if found.is_first_fold_contrary:
        said.append(
            "The first fold, which p is about, and the mean of all ten point opposite "
            "ways: there is no verdict; use 5x2cv-f."
        )
    if not found.is_approximation_good and test.min_discordant:
        said.append(
            f"p is a rough guide: fewer than {test.min_discordant} samples tell the "
            "models apart."
        )
    if found.mean is not None:
        first, second, _ = found.better_first()
        mean = found.mean if first == found.names[0] else found.mean.turned()
        level = found.confidence_level
        said.append(_mean_note(mean, found.estimand.value, first, second, level))
    return tuple(said)


def _remark(found: PairComparison) -> str:
    """Say what is good to know of p."""
    if found.smallest_p is not None:
        least = f"p can be {found.smallest_p:.2g} at least"
        if found.n_exchanges is None:
            return least
        units = found.n_rows if found.n_groups is None else found.n_groups
        return f"{least}; {count(found.n_exchanges)} of 2^{units} exchanges were drawn"
    test = PAIR_TESTS[found.test]
    if not found.is_approximation_good and not test.min_discordant:
        return (
            f"p of a metric by the bootstrap is rather too small below {MANY_UNITS} "
            "units: the permutation test is exact"
        )
    return ""


def _effect(found: PairComparison) -> str:
    first, second, effect = found.better_first()
    if effect.wins is None or effect.ties is None or effect.losses is None:
        return "a metric says nothing of single samples: only the difference is known"
    sizes = (
        f"Cliff's delta {formats.signed_size(effect.cliffs_delta)}, Cohen's d "
        f"{formats.signed_size(effect.cohens_d)} ({first} less {second})"
    )
    if found.estimand is Estimand.AUC:
        # Wins would count samples by how much of the other class they are ordered with.
        return f"{sizes}, of the share of the other class rightly ordered with a sample"
    wins, ties, losses = map(count, (effect.wins, effect.ties, effect.losses))
    return f"{sizes}; {first} won {wins}, tied {ties}, lost {losses}"


def _accuracy_table(found: PairComparison) -> Table | None:
    if found.accuracies is None or found.counts is None:
        return None
    alone = (found.counts.only_first, found.counts.only_second)
    names = short_names(list(found.names), 40)
    level = formats.level(found.confidence_level)
    ends = [asdict(accuracy) for accuracy in found.accuracies]
    return Table(
        columns=("", "accuracy", f"{level} interval", "right alone"),
        rows=tuple(
            (
                name,
                formats.percent(x["estimate"], 1),
                formats.percent_span(x["low"], x["high"], 1),
                count(n),
            )
            for name, x, n in zip(names, ends, alone, strict=True)
        ),
        bars=tuple((x["low"], x["estimate"], x["high"]) for x in ends),
    )


VIEWS = {"comparison": comparison_document, "pair-comparison": pair_document}
