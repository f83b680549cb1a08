"""How assessments of models, and of estimates, are laid out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from scorecast._core.result import Note
from scorecast.evaluation import (
    BIAS_VARIANCE,
    HYPOTHESES,
    NULL_DATA,
    NULL_MODELS,
    SCORE_INTERVALS,
    SPLITTERS,
    Assessment,
    AssessmentNote,
    Choice,
    CurveOver,
    EstimateAssessment,
    FailureKind,
    FitFailure,
    LearningCurve,
    MetricAssessment,
    ModelAssessment,
    ModelComparison,
    NoInterval,
    NullTest,
    NullTestSummary,
    Remedy,
    RepeatKind,
    ScoreInterval,
    TestStatus,
    Verdict,
)
from scorecast.report import formats
from scorecast.report.assess_figures import (
    bias_figure,
    chance_figure,
    class_figure,
    interval_figure,
    ranges_figure,
)
from scorecast.report.document import Document, Section, Table
from scorecast.report.features import (
    BIAS_LEAD,
    PROFILE_LEAD,
    SELECTION_LEAD,
    bias_figure as selection_bias_figure,
    bias_table,
    profile_in_short,
    profile_table,
    selection_figure,
    selection_phrase,
    selection_table,
)
from scorecast.report.formats import UNKNOWN, is_known, metric_span, metric_value
from scorecast.report.learning_curves import (
    curve_sections,
    no_gain_phrase,
    size_notes,
    split_sentence,
)
from scorecast.report.names import model_names

_NAME = 60  # characters of a model's name where lines may break
_MOST_CLASSES = 12  # in the first table; beyond, the least recognised
_LEAST_CLASSES = 6
_MOST_PAIRS = 10  # in the first table; beyond, those of the best model
_MOST_CHOICES = 5  # in words, beside the most frequent one
_MOST_WARNINGS = 3  # of an estimator
_MOST_MODELS = 6  # in a figure
_ROOM = 66  # columns of a table that has bars beside it
_FOLDS = 5  # that an area is advised to have
_USUAL = "nadeau-bengio"
_PAPER = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems."
)
_PERMUTATIONS = (
    "M. Ojala and G. C. Garriga (2010). Permutation tests for studying classifier "
    "performance. Journal of Machine Learning Research 11."
)

Models = Assessment | EstimateAssessment


# The answer -----------------------------------------------------------------------


def assessment_document(found: Assessment) -> Document:
    """Lay out what can be promised of models."""
    return Document(
        headline=_headline(found),
        notes=tuple(_notes(found)),
        sections=(
            _scores(found),
            *_intervals(found),
            *_chance(found),
            *_classes(found),
            *_ranges(found),
            *_bias(found),
            *_pairs(found),
            *_outlook(found),
            _assumed(found),
        ),
        facts=tuple(_facts(found)),
        references=_references(found),
    )


def estimates_document(found: EstimateAssessment) -> Document:
    """Lay out what estimates promise."""
    return Document(
        headline=_estimates_headline(found),
        notes=tuple(_notes(found)),
        sections=(
            _scores(found),
            *_intervals(found),
            *_null_settings(found),
            *_pairs(found),
            _assumed(found),
        ),
        facts=(
            ("Repeats", _repeats(found)),
            *(("Interval", text) for text in _interval_facts(found)),
            *_verdict_facts(found),
            ("Assumes", _assumptions(found)[0]),
        ),
        references=_references(found),
    )


def first_scores(
    models: Mapping[str, Mapping[str, MetricAssessment]], splits: str, level: float
) -> str:
    """Set a table of the scores, to be read while the rest is worked out."""
    rows = [
        (name, x.metric, metric_value(x.metric, x.estimate), _interval_text(x))
        for name, metrics in models.items()
        for x in metrics.values()
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        f"  {name:<{widths[0]}}  {metric:<{widths[1]}}  {value:>{widths[2]}}  "
        f"{span:>{widths[3]}}"
        for name, metric, value, span in rows
    ]
    lead = f"First scores ({splits}, {formats.level(level)} intervals):"
    return "\n".join([lead, *lines])


def _headline(found: Assessment) -> str:
    best = found.models[found.best]
    first = best.main
    span = metric_span(first.metric, first.low, first.high)
    span = f"{formats.level(found.confidence_level)}: {span}"
    if first.no_interval is NoInterval.RANKS_ACROSS_MODELS:
        span = "no interval to promise"
    features = formats.counted(found.n_features, "features")
    said = (
        f"{_lead(found)}: {_metric_name(first)} "
        f"{metric_value(first.metric, first.estimate)} ({span}) on "
        f"{_tested_samples(found, best)} with {features}. {_verdict(found, best)}"
    )
    quick = "Quick look: " if found.is_quick else ""
    return f"{quick}{said}{_choice_of_best(found)}"


def _estimates_headline(found: EstimateAssessment) -> str:
    best = found.models[found.best]
    first = best.main
    span = metric_span(first.metric, first.low, first.high)
    said = (
        f"{_lead(found)}: {_metric_name(first)} "
        f"{metric_value(first.metric, first.estimate)} "
        f"({formats.level(found.confidence_level)}: {span}) over {_repeats(found)}."
    )
    return said if best.null_tests is None else f"{said} {_verdict(found, best)}"


def _lead(found: Models) -> str:
    """Name the best model, and say how many there are to be best of."""
    n_given, n_known = len(found.models), len(found.assessed)
    lost = ""
    if n_known < n_given:
        lost = f" ({n_given - n_known} of {n_given} models failed)"
    # Where a class comes from would break the line and tells the reader nothing.
    name = formats.model_name(found.best, _NAME)
    return f"{name}{lost}" if n_known == 1 else f"Best of {n_known}{lost}, {name}"


def _choice_of_best(found: Models) -> str:
    """Say that the best was chosen; empty where there is one model only."""
    n = len(found.assessed)
    if n < 2:
        return ""
    return (
        f" The best of {n} looks better than it is: neither interval nor p-values "
        "allow for the choice."
    )


def _repeats(found: EstimateAssessment) -> str:
    """Say what was repeated, and how often."""
    n = formats.count(found.n_repeats)
    if found.repeats is RepeatKind.SIMULATED:
        return f"{n} simulated data sets"
    if found.repeats is RepeatKind.REPEATS:
        return f"{n} repeats"
    own = any(n.code == AssessmentNote.MEASURES_STABILITY for n in found.notes)
    against = ", against its own result on all rows" if own else ""
    return f"{n} subsamples{against}"


def _metric_name(x: MetricAssessment, limit: int = 40) -> str:
    """Name a metric, and the class where it is about one."""
    title = formats.metric_title(x.metric)
    whole = f"{title} of class {x.pos_label}" if x.pos_label else title
    return formats.one_line(whole, limit)


def _interval_text(x: MetricAssessment) -> str:
    if x.no_interval is NoInterval.RANKS_ACROSS_MODELS:
        return "none to promise"
    return metric_span(x.metric, x.low, x.high)


def _tested_samples(found: Assessment, model: ModelAssessment) -> str:
    """Say on how many samples a model was tested, and why not on all."""
    n, total = formats.count(model.n_tested), formats.count(found.n_samples)
    tested = f"{n} of {total}" if model.n_tested < found.n_samples else total
    if not model.failures:
        return f"{tested} samples"
    failed = formats.count(len(model.failures))
    splits = formats.count(found.n_splits)
    return f"{tested} samples ({failed} of {splits} splits failed)"


def _scores(found: Models) -> Section:
    """Set out every metric of every model with the interval to quote."""
    level = formats.level(found.confidence_level)
    names = model_names(list(found.models))
    rows: list[tuple[str, ...]] = []
    bars: list[tuple[float, float, float] | None] = []
    for key, model in found.models.items():
        name = names[key]
        if not model.metrics:
            rows.append((name, "failed", UNKNOWN, UNKNOWN, ""))
            bars.append(None)
        for x in model.metrics.values():
            by = "" if x.recommended is None else x.recommended.method
            value = metric_value(x.metric, x.estimate)
            rows.append((name, _metric_name(x, 30), value, _interval_text(x), by))
            bars.append((x.low, x.estimate, x.high))
            name = ""
    metrics = {x.metric for m in found.assessed.values() for x in m.metrics.values()}
    is_one_scale = len(metrics) == 1 or all(map(formats.is_proportion, metrics))
    has_bars = is_one_scale and _has_room(rows)
    value = "estimate" if isinstance(found, Assessment) else "mean"
    table = Table(
        columns=("", "", value, f"{level} interval", "by"),
        rows=tuple(rows),
        n_words=2,
        bars=tuple(bars) if has_bars else (),
        is_stacked=True,
    )
    return Section(tables=(table,), is_terminal=True)


def _has_room(rows: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether bars fit beside a table in a terminal, and names stay whole."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + 2 * len(widths) <= _ROOM


# Notes ----------------------------------------------------------------------------


def _notes(found: Models) -> Iterator[str]:
    """Say what must be known before any number."""
    for note in found.notes:
        text = _note(note, found)
        if note.model is None:
            yield formats.sentence(text)
        else:
            yield f"{formats.model_name(note.model, _NAME)}: {text.rstrip('.')}."
    warned = {
        name: model.estimator_warnings[:_MOST_WARNINGS]
        for name, model in found.models.items()
    }
    yield from _for_models(warned, len(found.models))
    if isinstance(found, Assessment):
        tested = {
            name: tuple(_test_notes(found, model.null_tests))
            for name, model in found.assessed.items()
            if model.null_tests is not None
        }
        yield from _for_models(tested, len(found.models))


def _for_models(texts: Mapping[str, Sequence[str]], n_models: int) -> Iterator[str]:
    """Say of several models at once what is the same for them."""
    whose: dict[str, list[str]] = {}
    for name, several in texts.items():
        for text in several:
            whose.setdefault(text, []).append(formats.model_name(name, _NAME))
    for text, names in whose.items():
        is_all = len(names) == n_models > 2
        yield f"{'All models' if is_all else ', '.join(names)}: {text.rstrip('.')}."


def _note(note: Note, found: Models) -> str:
    code, names = AssessmentNote(note.code), note.names
    first = names[0] if names else ""
    count, total = formats.count(note.count or 0), formats.count(note.total or 0)
    share = formats.percent(note.value or 0.0)
    title = formats.metric_title(first)
    codes = AssessmentNote
    if code is codes.RANKS_ACROSS_MODELS and isinstance(found, Assessment):
        return _ranks_note(title, found)
    if code is codes.FEW_SPLITS and note.value is not None:
        is_one = math.isclose(note.value, 1)
        each = f"{note.value:.3g} sample{'' if is_one else 's'}"
        return f"{count} splits of {each} each say little of spread"
    if code is codes.POS_LABEL_UNUSED and isinstance(found, Assessment):
        own = "sensitivity, specificity and F1 are, and AUC is the same for both"
        if len(found.class_counts) > 2:
            own = "sensitivity and specificity are"
        return (
            f"naming {first} as the positive class changes nothing: no metric asked "
            f"for is about one class ({own})"
        )
    if code is codes.SMALL_CLASSES and isinstance(found, Assessment):
        few = [f"{name}: {found.class_counts[name]}" for name in names]
        return (
            f"classes with few samples ({formats.listed(few, 5)}) are learned from "
            "even fewer, and hardly anything is known of how well they are recognised: "
            "values averaged over classes have wide intervals"
        )
    if code is codes.NO_PROFILE:
        why = first or "every feature has gaps, or is text"
        return f"no word on the space: {why}"
    more = f" and {len(names) - 1} more" if names[1:] else ""
    return {
        codes.SPLITS_FAILED: f"{count} of {total} splits failed: {first}",
        codes.METRIC_NOT_GIVEN: f"{title} needs {names[-1] if names else ''}, which "
        "the model does not give",
        codes.INFINITE_SAMPLES: f"{title} is infinite for {count} of {total} samples, "
        "so that it has no interval",
        codes.UNDEFINED_SAMPLES: f"{title} is not defined for {count} of {total} "
        "samples, so that it has no interval",
        codes.UNDEFINED: f"{title} is not defined for these tests, so that it has no "
        "interval",
        codes.TIED_SCORES: f"{title}: {share} of the pairs it ranks have equal scores, "
        "which count half",
        codes.SATURATED: f"{share} of the probabilities are 0 or 1 to the last digit, "
        "too extreme to be put in order",
        codes.NO_CAPACITY: "no bound by capacity for "
        f"{formats.listed(map(formats.metric_title, names))}: it is for accuracy and "
        "error, and measured of two classes only",
        codes.CAPACITY_FAILED: f"no bound by capacity: {first}",
        codes.NO_DECOMPOSITION: f"no bias and variance: {first}",
        codes.NO_CURVE: f"no learning curve over {first}: {names[-1] if names else ''}",
        codes.NO_SELECTION: f"no word on selection: {first}",
        codes.NO_SELECTION_TEST: "no word on what luck would have found: the selection "
        "is tested for classes, not for numbers",
        codes.POSTERIOR_ERROR_IS_CLAIMED: "the posterior error is the error that a "
        "model itself states: it holds only if its probabilities are calibrated, and "
        "for classes as common as here. Compare it with the error rate",
        codes.SINGLETON_CLASS: f"a class with 1 sample ({formats.listed(names, 5)}) "
        "cannot be both learned and tested: whenever it is tested it is wrong. Merge "
        "or drop it",
        codes.ROW_COUNTER: f"{first!r}{more} counts the rows, and is learned from like "
        "a feature; it tells classes apart if samples are sorted. Leave it out",
        codes.ROW_IDENTITY: f"{first!r} is different in every sample, as a name is, "
        "and is learned from like a feature. Leave it out",
        codes.TWO_VALUED_TARGET: "the target has two values only, which these models "
        "predict as numbers. If they are classes, use a classifier, such as "
        "ridge-classifier for ridge",
        codes.REPEATED_ROWS: f"{count} samples repeat the features of another: if "
        "copies stand on both sides of a split, the estimate is too good. Give groups",
        codes.PROFILE_OF_SOME: f"the space is described by {count} of {total} "
        "features; the others have gaps, or are text",
        codes.MEASURES_STABILITY: "no truth was given: this measures how stable an "
        "algorithm is, by how well what it finds in a subsample agrees with its own "
        "result on all rows, not whether that is right",
    }[code]


def _ranks_note(title: str, found: Assessment) -> str:
    """Say why ranks of several models have no interval, and what to do instead."""
    instead = "take five folds drawn by class"
    fewest = min(found.class_counts.values(), default=0)
    if fewest < _FOLDS:
        # Folds without a class have no area, and folds of one sample say nothing.
        instead = (
            f"merge or leave out classes of fewer than {_FOLDS} samples, and {instead}"
        )
    if found.n_groups is not None:
        instead = "take fewer folds, so that each holds every class"
    elif len(found.class_counts) == 2:
        pairs = "leave pairs out (lpo)"
        instead = pairs if fewest < _FOLDS else f"{pairs}, or {instead}"
    return (
        f"{title} ranks scores of different models in one order, which makes it too "
        "low where little can be learned, and no interval around it holds as often as "
        f"it says: {instead}"
    )


def _test_notes(found: Assessment, tests: NullTestSummary) -> Iterator[str]:
    """Say what is to be known of permuted and null data."""
    for name in ("permuted", "null-data"):
        test = tests.tests.get(name)
        if test is None:
            continue
        said = list(_remarks(tests, test, found.n_samples))
        if said:
            yield f"{_setting(name)}: {'; '.join(said)}"
    if tests.density is not None and tests.density.status is TestStatus.SMALL_SPLITS:
        is_one = math.isclose(found.n_test, 1)
        yield (
            f"density: not counted, as splits test {found.n_test:.2g} "
            f"sample{'' if is_one else 's'} each: many are right by luck"
        )


def _remarks(tests: NullTestSummary, test: NullTest, n_samples: int) -> Iterator[str]:
    if test.status is not TestStatus.DONE:
        yield _why_no_test(tests, test)
        return
    if test.is_pooled:
        yield (
            f"{formats.metric_title(tests.metric)} of all tests together, as splits "
            "without samples (or predictions) of a class have none of their own"
        )
    if test.n_infinite_draws:
        count = formats.count(test.n_infinite_draws)
        yield f"{count} infinite draws count in the rank only"
    if test.n_failed_draws:
        total = formats.count(test.n_draws + test.n_failed_draws)
        count = formats.count(test.n_failed_draws)
        yield f"{count} of {total} draws failed and count against the model"
    if test.n_immovable:
        yield (
            f"{formats.count(test.n_immovable)} of {formats.count(n_samples)} samples "
            "cannot change places: no other group is as large"
        )


def _why_no_test(tests: NullTestSummary, test: NullTest) -> str:
    infinite = formats.count(test.n_infinite_splits)
    return {
        TestStatus.TOO_FEW_VALUES: "too few values to compare",
        TestStatus.INFINITE_SPLITS: f"{infinite} of {formats.count(test.n_splits)} "
        "splits are infinite",
        TestStatus.NOTHING_MOVES: "no two groups of the same size differ in class, nor "
        "samples of a group: nothing can be permuted",
        TestStatus.GROUPED: "not drawn, as samples of a group are not independent of "
        "one another",
        TestStatus.MODEL_FAILED: "it failed in some splits",
    }.get(test.status, f"{formats.metric_title(tests.metric)} is not defined for it")


# Verdicts -------------------------------------------------------------------------

_WORDS = {
    Verdict.FEASIBLE: "feasible",
    Verdict.EXPLORATORY: "exploratory only",
    Verdict.NOT_SUPPORTED: "not supported",
    Verdict.NONE: "no verdict",
}


def _setting(name: str) -> str:
    """Name a null setting in a sentence."""
    if name in NULL_MODELS:
        return NULL_MODELS[name].title
    return {"permuted": "permuted data", "null-data": "null data"}.get(name, name)


def _verdict(found: Models, model: ModelAssessment) -> str:
    """Say what may be promised of a model, in a sentence."""
    if not model.metrics:
        first = model.failures[0] if model.failures else None
        return f"Failed: {_failure(first)}." if first else "Failed: no fit."
    if model.null_tests is None:
        main = model.main
        lacks = (NoInterval.INFINITE, NoInterval.UNDEFINED)
        if main.no_interval in lacks and isinstance(found, Assessment):
            title = formats.metric_title(main.metric)
            return f"No verdict: {title} has no finite value."
        return "Not tested against chance."
    word = _WORDS[model.null_tests.verdict]
    return f"{formats.sentence(word)[:-1]}: {_reason(found, model.null_tests)}."


def _failure(failure: FitFailure) -> str:
    kind = "bad parameter: " if failure.kind is FailureKind.BAD_PARAMETER else ""
    return f"{kind}{failure}".rstrip(".")


def _reason(found: Models, tests: NullTestSummary) -> str:
    """Say why a verdict is what it is, without a full stop."""
    basis, levels = tests.basis, found.tests if isinstance(found, Assessment) else found
    alpha = 0.05 if levels is None else levels.alpha
    relaxed = 0.2 if levels is None else levels.relaxed_alpha
    worst, setting = tests.tests[basis.against], _setting(basis.against)
    if math.isnan(basis.p_value):
        return f"{setting}: {_why_no_test(tests, worst)}"
    against = f"against {setting} {formats.p_value(basis.p_value)}"
    if tests.verdict is Verdict.FEASIBLE:
        others = "permuted data and null models"
        if tests.permuted is None:
            others = " and ".join(map(_setting, tests.null_models))
        return f"better than {others} ({against} at most){_beyond(found, tests, alpha)}"
    least = formats.p_value(worst.min_p_rank, bare=True)
    if basis.remedy is Remedy.OTHER_GROUPS:
        ways = formats.count(round(1 / worst.min_p_rank))
        return (
            f"groups allow {ways} arrangements of the features only, so that p cannot "
            f"fall below {least}"
        )
    way_out = f"; {_way_out(found, tests, least)}" if tests.permuted else ""
    if tests.verdict is Verdict.EXPLORATORY:
        return f"{against}, within {relaxed:g} but not {alpha:g}{way_out}"
    permuted = tests.permuted
    if permuted is not None and permuted.p_value <= alpha:
        # There is something to learn; it is the model that is not needed for it.
        return (
            f"better than permuted data ({formats.p_value(permuted.p_value)}), but "
            f"not shown to be any better than {setting} "
            f"({formats.p_value(basis.p_value)}), which is simpler{way_out}"
        )
    return f"{against}: not shown to be any better{way_out}"


def _way_out(found: Models, tests: NullTestSummary, least: str) -> str:
    """Say what would settle it."""
    basis = tests.basis
    if basis.remedy is Remedy.MORE_DRAWS:
        draws = formats.count(tests.tests[basis.against].n_draws)
        return f"{draws} draws cannot show less than {least}"
    if basis.remedy is Remedy.MORE_SPLITS and isinstance(found, Assessment):
        # The spread would allow it; few folds or draws are what stands in the way.
        return (
            f"{formats.count(found.n_samples)} samples are enough for a difference of "
            "this size, so that more splits or draws may settle it"
        )
    if basis.remedy is Remedy.MORE_SAMPLES:
        needed = "more than a million"
        if basis.n_needed is not None:
            needed = f"about {formats.rough_size(basis.n_needed)}"
        return f"{needed} samples would settle it, if the difference is as it looks"
    return "as it stands, more samples of this kind would not settle it"


def _beyond(found: Models, tests: NullTestSummary, alpha: float) -> str:
    """Say how the model does beside null data."""
    test = tests.null_data
    if test is None:
        return ""
    if tests.basis.beyond_null_data is None:
        return f"; null data: {_why_no_test(tests, test)}"
    p = formats.p_value(test.p_value)
    if tests.basis.beyond_null_data:
        return f", and than null data ({p})"
    if test.min_p_rank > alpha:
        least = formats.p_value(test.min_p_rank, bare=True)
        draws = formats.count(test.n_draws)
        return f"; {draws} null data sets cannot show p below {least}"
    what = "what single features show"
    tests_of = found.tests if isinstance(found, Assessment) else None
    if tests_of is not None and not NULL_DATA[tests_of.null_data].keeps_target:
        what = "features that know nothing of the target"
    return f"; not than null data ({p}): {what} would explain it"


def _verdict_facts(found: Models) -> list[tuple[str, str]]:
    if isinstance(found, EstimateAssessment):
        shown = {k: m for k, m in found.models.items() if m.null_tests is not None}
    else:
        shown = found.models
    if len(found.models) == 1:
        return []  # the headline says it
    return [
        ("Verdict", f"{formats.model_name(name, _NAME)}: {_verdict(found, model)}")
        for name, model in shown.items()
    ]


# Intervals ------------------------------------------------------------------------

_WIDER = (
    "folds agree more than samples drawn at random would, as folds drawn by class keep "
    "its share"
)
# Why an interval is the one to quote: in short, and what is added on a page.
_REASONS: dict[str, tuple[str, str]] = {
    "nadeau-bengio": (
        "it counts what the training sets share, which the plain interval forgets",
        "",
    ),
    "delete-d": ("subsamples overlap, which the plain interval forgets", ""),
    "t": ("repeats are drawn anew, so that they are independent", ""),
    "exact": (
        "folds are too small to have values of their own",
        "samples are what counts",
    ),
    "bca": ("folds are too small to have values of their own", ""),
    "wilson": (_WIDER, "never narrower than an interval of independent samples"),
    "jackknife": (
        _WIDER,
        "never narrower than what each sample adds to the value allows",
    ),
    "delong-doubled": (
        "folds differ less than models and samples do",
        "never narrower than what each sample adds as a test and as a teacher",
    ),
    "delong-pairs": (
        "every sample tests some models and teaches the others, which intervals of "
        "tests alone forget",
        "",
    ),
    "by-class": (
        "every class weighs as much, and what is not known of the rarest is not known "
        "of their mean: folds that happen to agree do not narrow it",
        "",
    ),
    "range": ("nothing else is known", ""),
}
_ONE_SPLIT = "one split is one model, and its samples are independent tests of it"
_LEAD = (
    "Every way of putting an interval around the same tests. The blue one is "
    "recommended; the others show how much hangs on what is assumed."
)
_Place = tuple[str, MetricAssessment, ScoreInterval]


def _all_intervals(found: Models) -> Iterator[_Place]:
    for name, model in found.assessed.items():
        for x in model.metrics.values():
            for interval in x.intervals:
                yield formats.model_name(name, _NAME), x, interval


def _why_quoted(interval: ScoreInterval, *, is_short: bool) -> str:
    """Say why an interval is recommended; empty where a remark says more."""
    if not interval.is_recommended or interval.choice in (None, Choice.ALL_AGREE):
        return ""
    if interval.choice is Choice.ONE_SPLIT:
        return _ONE_SPLIT
    short, more = _REASONS.get(interval.method, ("", ""))
    return short if is_short or not more else f"{short}; {more}"


def _remark(x: MetricAssessment, interval: ScoreInterval) -> str:
    """Say what else is to be known of an interval."""
    said = []
    if interval.n_values is not None and interval.n_splits is not None:
        text = (
            f"of {formats.count(interval.n_values)} of "
            f"{formats.count(interval.n_splits)} splits: the others hold too few "
            "samples for a value"
        )
        if x.is_pooled:
            text += ", and the estimate is that of all tests together"
        said.append(text)
    if interval.vc_dimension is not None or interval.hypotheses is not None:
        if interval.low <= 0 and interval.high >= 1:
            said.append("says nothing")
        if interval.of_groups:
            said.append("groups counted for samples: a rule of thumb, no theorem")
    elif x.no_interval is NoInterval.RANKS_ACROSS_MODELS:
        said.append("it ranks scores of different models, and does not hold")
    if interval.choice is Choice.ALL_AGREE:
        said.append(_agreed(interval))
    return "; ".join(said)


def _agreed(interval: ScoreInterval) -> str:
    """Say which intervals have no width, and what the one to quote rests on."""
    lost = interval.zero_width
    units = "groups" if interval.of_groups else "samples"
    n = "" if interval.n_effective is None else f", {interval.n_effective:g}"
    rests = f"the number of independent {units}{n}"
    if interval.method == "by-class":
        rests = f"the number of independent {units} of every class"
    if interval.n_effective is None:
        rests = "nothing, and is all that can be"
    verb = "has" if len(lost) == 1 else "have"
    return (
        f"all folds agree, so that {', '.join(lost)} {verb} no width; this one rests "
        f"on {rests}"
    )


def _gather(
    places: Iterator[_Place], text_of: Callable[[MetricAssessment, ScoreInterval], str]
) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Put together intervals of one method of which the same is to be said."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for model, x, interval in places:
        text = text_of(x, interval)
        if text:
            found.setdefault((interval.method, text), []).append((model, x.metric))
    return found


def _whose(places: list[tuple[str, str]], n_models: int) -> str:
    models = list(dict.fromkeys(model for model, _ in places))
    metrics = dict.fromkeys(formats.metric_title(metric) for _, metric in places)
    is_all = len(models) == n_models > 2
    return f"{', '.join(metrics)} of {'all models' if is_all else ', '.join(models)}"


def _remarks_on_intervals(found: Models, metric: str | None = None) -> list[str]:
    """Say what else is to be known of intervals, each once, at its first metric."""
    said: dict[str, dict[str, list[str]]] = {}
    first: dict[str, str] = {}
    n_models = len(found.assessed)
    for (method, text), who in _gather(_all_intervals(found), _remark).items():
        first.setdefault(text, who[0][1])
        said.setdefault(text, {}).setdefault(_whose(who, n_models), []).append(method)
    notes = []
    for text, of in said.items():
        parts = (f"{', '.join(methods)} ({who})" for who, methods in of.items())
        if metric in (None, first[text]):
            notes.append(f"{'; '.join(parts)}: {text}")
    return notes


def _interval_facts(found: Models) -> list[str]:
    """Say in short why intervals are by another method than the usual one."""

    def why(x: MetricAssessment, interval: ScoreInterval) -> str:
        is_usual = interval.method == _USUAL or _remark(x, interval)
        return "" if is_usual else _why_quoted(interval, is_short=True)

    n_models = len(found.assessed)
    chosen = [
        f"{method} ({_whose(who, n_models)}): {text}"
        for (method, text), who in _gather(_all_intervals(found), why).items()
    ]
    return [*_remarks_on_intervals(found), *chosen]


def _intervals(found: Models) -> list[Section]:
    """Lay out all intervals, metric by metric."""
    metrics = {x.metric: x for _, x, _ in _all_intervals(found)}
    sections, known = [], set[tuple[str, str]]()
    n_models = len(found.assessed)
    for place, (name, x) in enumerate(metrics.items()):

        def why(x: MetricAssessment, interval: ScoreInterval) -> str:
            has_remark = bool(_remark(x, interval))
            return "" if has_remark else _why_quoted(interval, is_short=False)

        own = (p for p in _all_intervals(found) if p[1].metric == name)
        reasons = _gather(own, why)
        said = [_LEAD] if place == 0 else []
        said += [
            formats.sentence(
                f"recommended{_for_whom(who, n_models)} is {method}, because {text}"
            )
            for (method, text), who in reasons.items()
            if (method, text) not in known
        ]
        known |= set(reasons)
        if x.no_interval is not None and isinstance(found, Assessment):
            why_not = _ranks_note(formats.metric_title(name), found)
            said.append(f"None is recommended here: {why_not}.")
        said += map(formats.sentence, _remarks_on_intervals(found, name))
        is_last = place == len(metrics) - 1
        sections.append(
            Section(
                heading=f"Intervals of {_metric_name(x, _NAME)}",
                lead=tuple(said),
                figure=interval_figure(found, name),
                tables=(_interval_table(found),) if is_last else (),
            )
        )
    return sections


def _for_whom(places: list[tuple[str, str]], n_models: int) -> str:
    """Name the models of which it is said; of the only one nobody asks."""
    models = list(dict.fromkeys(model for model, _ in places))
    if n_models == 1:
        return ""
    every = "both models" if n_models == 2 else "all models"
    return f" for {every if len(models) == n_models else ', '.join(models)}"


def _interval_table(found: Models) -> Table:
    rows = [
        (
            model,
            formats.metric_title(x.metric),
            interval.method,
            metric_value(x.metric, interval.low),
            metric_value(x.metric, interval.high),
            "yes" if interval.is_recommended else "",
        )
        for model, x, interval in _all_intervals(found)
    ]
    return Table(
        caption="All intervals in numbers",
        columns=("model", "metric", "interval", "low", "high", "recommended"),
        rows=tuple(rows),
        n_words=3,
        is_folded=True,
        is_stacked=True,
    )


# Chance ---------------------------------------------------------------------------


def _chance(found: Assessment) -> list[Section]:
    """Lay out the tests against chance."""
    tested = {k: m for k, m in found.assessed.items() if m.null_tests is not None}
    if not tested:
        return []
    names = model_names(list(found.models))
    rows = []
    for name, model in tested.items():
        if model.null_tests is not None:
            rows.append(
                (names[name], *map(formats.p_cell, _p_values(model.null_tests)))
            )
    lead = (
        "Chances of doing as well where nothing can be learned. Permuted: samples get "
        "the features of one another, which cuts the tie to their targets as permuting "
        "targets does. Null model: one that knows next to nothing. Null data: made-up "
        f"samples that {_kept(found)}. Density: single folds of permuted data.",
        "The larger of t-test and rank is shown where both are known; counting the "
        "folds ignores how far off they are.",
    )
    figure = chance_figure(found)
    drawn = (
        "Bars: what the model reached on permuted data, draw by draw. Blue: what it "
        "reached on the real ones, as the mean of its folds (or of all tests "
        "together). Marks below: null data.",
    )
    return [
        Section(
            heading="Is it better than chance?",
            lead=lead if figure is None else (*lead, *drawn),
            figure=figure,
            tables=(
                Table(
                    columns=(
                        "p against",
                        "permuted",
                        "null model",
                        "null data",
                        "density",
                    ),
                    rows=tuple(rows),
                ),
                _every_test(tested),
            ),
            is_terminal=True,
        )
    ]


def _p_values(tests: NullTestSummary) -> tuple[float, ...]:
    permuted = math.nan if tests.permuted is None else tests.permuted.p_value
    null_data = math.nan if tests.null_data is None else tests.null_data.p_value
    density = math.nan if tests.density is None else tests.density.p_value
    return permuted, tests.null_model.p_value, null_data, density


def _kept(found: Assessment) -> str:
    """Say in plain words what null data have of the real ones."""
    alone = "look like the real ones feature by feature, and hold no pattern beyond"
    kind = None if found.tests is None else NULL_DATA[found.tests.null_data]
    if kind is not None and not kind.keeps_target:
        return "have the mean and covariance of the real ones, whatever the target"
    if kind is None or kind.keeps_covariance:
        return f"{alone} that but how features go together on the whole"
    return f"{alone}: features know nothing of one another"


def _every_test(models: Mapping[str, ModelAssessment]) -> Table:
    rows = [
        (
            formats.page_name(name),
            _setting(setting),
            formats.p_cell(test.p_t),
            formats.p_cell(test.p_rank),
            formats.p_cell(test.min_p_rank),
            formats.amount(test.null_value, 4)
            if is_known(test.null_value)
            else UNKNOWN,
        )
        for name, model in models.items()
        if model.null_tests is not None
        for setting, test in model.null_tests.tests.items()
    ]
    return Table(
        caption="Every test, one-tailed",
        columns=("", "against", "t-test", "rank", "least rank", "value there"),
        rows=tuple(rows),
        n_words=2,
        is_folded=True,
    )


def _null_settings(found: EstimateAssessment) -> list[Section]:
    """Lay out tests against null settings that were given."""
    rows = []
    names = model_names(list(found.models))
    for key, model in found.models.items():
        name = names[key]
        for setting, test in (
            () if model.null_tests is None else (model.null_tests.tests.items())
        ):
            value = metric_value(model.main.metric, test.null_value)
            rows.append((name, setting, value, formats.p_cell(test.p_value)))
            name = ""
    if not rows:
        return []
    table = Table(
        caption="p-values, one-tailed, repeat by repeat",
        columns=("", "against", "value there", "p"),
        rows=tuple(rows),
        n_words=2,
    )
    heading = "Is it better than chance?"
    return [Section(heading=heading, tables=(table,), is_terminal=True)]


# Classes, bias, pairs -------------------------------------------------------------


def _classes(found: Assessment) -> list[Section]:
    """Lay out how well each class is recognised."""
    each = {
        name: next((x.per_class for x in model.metrics.values() if x.per_class), {})
        for name, model in found.assessed.items()
    }
    if not any(each.values()):
        return []
    level = formats.level(found.confidence_level)
    lead = (
        "A good average can hide a class that is never recognised. Dots: share of each "
        "class that is recognised, over all its samples (their number in brackets); "
        f"bars: {level} intervals, each by itself."
    )
    tables = []
    if each.get(found.best):
        tables.append(_best_classes(found, level))
    for name, recalls in each.items():
        rows = tuple(
            (
                formats.one_line(label, 30),
                formats.percent(x.estimate),
                formats.percent_span(x.low, x.high),
                formats.percent(x.specificity),
                formats.percent_span(x.specificity_low, x.specificity_high),
            )
            for label, x in recalls.items()
        )
        span = f"{level} interval"
        tables.append(
            Table(
                caption=f"{formats.model_name(name, _NAME)}: recognised of each class, "
                "and not taken for it of the others",
                columns=("class", "sensitivity", span, "specificity", span),
                rows=rows,
                is_folded=True,
            )
        )
    return [
        Section(
            heading="Class by class",
            lead=(lead,),
            figure=class_figure(found),
            tables=tuple(tables),
            is_terminal=True,
        )
    ]


def _best_classes(found: Assessment, level: str) -> Table:
    """Set out how well the best model recognises each class; of many, the least."""
    metrics = found.models[found.best].metrics.values()
    recalls = next(x.per_class for x in metrics if x.per_class)
    shown = list(recalls)
    caption = ""
    if len(recalls) > _MOST_CLASSES:
        shown = sorted(recalls, key=lambda k: recalls[k].estimate)[:_LEAST_CLASSES]
        caption = f"The {len(shown)} least recognised of {len(recalls):,} classes"
    is_grouped = any(x.n_units < x.n_samples for x in recalls.values())
    name = model_names(list(found.models))[found.best]
    of = f"recall of {name}" if len(found.models) > 1 else "recall"
    groups = ["groups"] if is_grouped else []
    rows = []
    for label in shown:
        x = recalls[label]
        units = [formats.count(x.n_units)] if is_grouped else []
        rows.append(
            (
                formats.one_line(label, 30),
                formats.count(x.n_samples),
                *units,
                formats.percent(x.estimate, 1),
                formats.percent_span(x.low, x.high, 1),
            )
        )
    return Table(
        caption=caption,
        columns=("class by class", "samples", *groups, of, f"{level} interval"),
        rows=tuple(rows),
        bars=tuple(
            (recalls[k].low, recalls[k].estimate, recalls[k].high) for k in shown
        ),
    )


def _ranges(found: Assessment) -> list[Section]:
    """Lay out errors over the range of the target."""
    known = {k: m for k, m in found.assessed.items() if m.target_ranges}
    if not known:
        return []
    level = formats.level(found.confidence_level)
    lead = (
        "A good average can hide a part of the range that is predicted badly. Ranges "
        "hold about equally many samples, by their true value. Bias: how much too high "
        f"predictions are on average, with its {level} interval, each by itself. "
        "Where targets are partly noise even the best rule stays nearer the middle, "
        "too high for low targets and too low for high ones: the less it knows, the "
        "more."
    )
    names = model_names(list(found.models))
    best = found.best if found.best in known else next(iter(known))
    tables = [_range_table(known[best], level, names[best], len(known))]
    tables += [
        replace(
            _range_table(model, level, names[name], len(known)),
            caption=f"{formats.page_name(name)}: errors by range of the target",
            is_folded=True,
        )
        for name, model in known.items()
        if name != best
    ]
    return [
        Section(
            heading="Range by range",
            lead=(lead,),
            figure=ranges_figure(found),
            tables=tuple(tables[: 1 + _MOST_MODELS]),
            is_terminal=True,
        )
    ]


def _range_table(model: ModelAssessment, level: str, name: str, n_models: int) -> Table:
    """Set out the errors of one model, range by range."""
    ranges = model.target_ranges
    is_grouped = any(x.n_units < x.n_samples for x in ranges)
    of = f"bias of {name}" if n_models > 1 else "bias"
    return Table(
        columns=(
            "target",
            "samples",
            *(["groups"] if is_grouped else []),
            of,
            f"{level} interval",
            "RMSE",
        ),
        rows=tuple(
            (
                f"{formats.amount(x.low)} to {formats.amount(x.high)}",
                formats.count(x.n_samples),
                *([formats.count(x.n_units)] if is_grouped else []),
                formats.amount(x.bias),
                formats.span(formats.amount, x.bias_low, x.bias_high),
                formats.amount(x.rmse),
            )
            for x in ranges
        ),
        bars=tuple(
            (x.bias_low, x.bias, x.bias_high) if is_known(x.bias_low) else None
            for x in ranges
        ),
        mark=0.0,
    )


_BIAS_LEAD = (
    "Bias is what most fits get wrong alike, variance what changes with the samples "
    "learned from: more samples help against variance, a richer model against bias. "
    "Noise of the targets cannot be told apart and counts as bias."
)
_BIAS_HEADINGS = {
    "kohavi-wolpert": "Bias and variance, by Kohavi and Wolpert",
    "domingos": "The same error, divided in the way of Domingos",
}
_BIAS_LEADS = {
    "domingos": (
        "Another way of dividing the same error, not a further part of it: read one or "
        "the other, and never add them. Here bias is whether most fits are wrong. "
        "Variance is below zero where fits that differ from most mend what most get "
        "wrong.",
    ),
    "squared": (
        "Both are parts of the squared error, in squared units of the target: the root "
        "of their sum is of the size of the root mean squared error.",
    ),
}


def _bias(found: Assessment) -> list[Section]:
    """Lay out how the error divides, one section for each way of dividing it."""
    known = found.assessed.values()
    methods = dict.fromkeys(name for m in known for name in m.bias_variance)
    sections = []
    for place, method in enumerate(methods):
        lead = _BIAS_LEADS.get(method, ())
        if place == 0:
            lead = (_BIAS_LEAD, _added_up(found, method), *lead)
        sections.append(
            Section(
                heading=_BIAS_HEADINGS.get(method, "Bias and variance"),
                lead=lead,
                figure=bias_figure(found, method),
            )
        )
    return sections


def _added_up(found: Assessment, method: str) -> str:
    """Say which error the parts add up to: that of these fits."""
    parts = {
        formats.model_name(name): model.bias_variance[method]
        for name, model in found.assessed.items()
        if method in model.bias_variance
    }
    sums = ", ".join(f"{name} {part.error:.3f}" for name, part in parts.items())
    squared = "squared " if method == "squared" else ""
    n_extra = max(part.n_extra for part in parts.values())
    if not n_extra:
        return f"Both add up to the mean {squared}error of the fits ({sums})."
    return (
        f"To tell them apart a sample has to be tested by several fits, so {n_extra} "
        "more were made for this alone, to bootstrap samples. Both add up to the mean "
        f"{squared}error of these fits ({sums}), not to that of the assessment: a "
        "bootstrap sample holds fewer different samples, and errors tend to be larger."
    )


def _pairs(found: Models) -> list[Section]:
    """Lay out differences of models on the same folds."""
    pairs = found.comparisons
    if not pairs:
        return []
    shown = pairs
    if len(pairs) > _MOST_PAIRS:
        own = [pair for pair in pairs if found.best in (pair.a, pair.b)]
        shown = tuple(own[:_MOST_PAIRS])
    folds = "folds" if isinstance(found, Assessment) else "repeats"
    lead = (
        f"Differences on the same {folds}, by the corrected resampled t-test; p-values "
        "after Holm, for all pairs at once. Intervals are those of a pair by itself."
    )
    if any(not pair.is_same and not is_known(pair.low) for pair in pairs):
        lead += f" {UNKNOWN}: all {folds} differ by as much, so that no spread is seen."
    tables = [_pair_table(found, shown)]
    if len(shown) < len(pairs):
        every = _pair_table(found, pairs, caption=f"All {len(pairs):,} pairs")
        tables.append(every)
    return [
        Section(
            heading="Model against model",
            lead=(lead,),
            tables=tuple(tables),
            is_terminal=True,
        )
    ]


def _pair_table(
    found: Models, pairs: Sequence[ModelComparison], caption: str = ""
) -> Table:
    names = model_names(list(found.models))
    metric = pairs[0].metric
    unit = " points" if formats.is_proportion(metric) else ""

    def number(value: float) -> str:
        return formats.metric_difference(metric, value, bare=True)

    rows = []
    for pair in pairs:
        span = "no difference" if pair.is_same else UNKNOWN
        if is_known(pair.low):
            span = f"{number(pair.low)} to {number(pair.high)}"
        rows.append(
            (
                f"{names[pair.a]} - {names[pair.b]}",
                number(pair.difference),
                span,
                formats.p_cell(pair.p_adjusted),
                _better(found, pair, names),
            )
        )
    level = formats.level(found.confidence_level)
    title = formats.metric_title(metric)
    return Table(
        caption=caption,
        columns=(
            f"difference of {title}",
            unit.strip(),
            f"{level}, pair alone",
            "p (Holm)",
            "better",
        ),
        rows=tuple(rows),
        bars=tuple((pair.low, pair.difference, pair.high) for pair in pairs)
        if _has_room(rows)
        else (),
        mark=0.0,
        is_folded=bool(caption),
        is_stacked=True,
    )


def _better(found: Models, pair: ModelComparison, names: Mapping[str, str]) -> str:
    """Name the better of two models, as far as that is shown."""
    if pair.is_same:
        return "none observable"
    if not is_known(pair.p_adjusted):
        return "no spread to judge by"
    levels = found.tests if isinstance(found, Assessment) else found
    if pair.p_adjusted > (0.05 if levels is None else levels.alpha):
        return "not shown"
    greater = found.models[found.best].main.greater_is_better
    return names[pair.a if (pair.difference > 0) == greater else pair.b]


# Curves, selection, the space -----------------------------------------------------


def _outlook(found: Assessment) -> list[Section]:
    """Lay out curves, selection and the space."""
    sections: list[Section] = []
    for over in CurveOver:
        sections += curve_sections(list(_curves(found, over)), over)
    biases = [
        (name, model.selection_bias)
        for name, model in found.assessed.items()
        if model.selection_bias is not None
    ]
    if biases:
        n_selected = formats.count(biases[0][1].n_selected or 0)
        sections.append(
            Section(
                heading=f"If the best {n_selected} features were chosen",
                lead=(BIAS_LEAD,),
                figure=selection_bias_figure(biases[:_MOST_MODELS]),
                tables=(bias_table(biases),),
                is_terminal=True,
            )
        )
    chosen = found.feature_selection
    if chosen is not None:
        sections.append(
            Section(
                heading="Would luck have found these features?",
                lead=(f"{selection_phrase(chosen)}.", SELECTION_LEAD),
                figure=selection_figure(chosen),
                tables=(selection_table(chosen),),
            )
        )
    if found.data_profile is not None:
        sections.append(
            Section(
                heading="In what kind of space the promise holds",
                lead=(PROFILE_LEAD,),
                tables=(profile_table(found.data_profile),),
            )
        )
    return sections


def _curves(found: Assessment, over: CurveOver) -> Iterator[tuple[str, LearningCurve]]:
    for name, model in found.assessed.items():
        if over in model.curves:
            yield name, model.curves[over]


def _outlook_facts(found: Assessment) -> Iterator[tuple[str, str]]:
    """Say in a line each: curves that gain nothing, the space, how to split once."""
    for over in CurveOver:
        for key, curve in _curves(found, over):
            name = formats.model_name(key, _NAME)
            if curve.fits and not curve.rises:
                most = formats.count(float(curve.sizes.max()))
                said = no_gain_phrase(curve)
                yield "Curve", f"{name}: {said}, and nothing said of more than {most}"
            for text in size_notes(curve):
                yield "Sizes", f"{name}: {text}"
    if found.data_profile is not None:
        yield "Space", profile_in_short(found.data_profile)
    if found.feature_selection is not None:
        yield "Selection", selection_phrase(found.feature_selection)
    best = found.models[found.best].curves.get(CurveOver.SAMPLES)
    if best is not None and split_sentence(best):
        yield "Split", split_sentence(best)


# What it rests on -----------------------------------------------------------------


def _facts(found: Assessment) -> Iterator[tuple[str, str]]:
    """Say what the answer rests on, in a line each."""
    for text in _interval_facts(found):
        yield "Interval", text
    yield from _verdict_facts(found)
    yield "Data", _sizes(found)
    if found.is_quick:
        yield (
            "Quick",
            "a quick look: scores and their intervals. No test against chance, no null "
            "data, no bias and variance: the whole answer has them",
        )
    yield "Tested", _splits(found)
    for name, model in found.assessed.items():
        chosen = _chosen(model)
        if chosen:
            yield "Chosen", f"{formats.model_name(name, _NAME)}: {chosen}"
    yield from _draws(found)
    yield from _centre(found)
    yield from _outlook_facts(found)
    yield "Assumes", "; ".join(_assumptions(found)[:2])


def _sizes(found: Assessment) -> str:
    samples = formats.counted(found.n_samples, "samples")
    said = f"{samples}, {formats.counted(found.n_features, 'features')}"
    if found.class_counts:
        each = ", ".join(
            f"{formats.count(n)} of class {formats.one_line(name, 20)}"
            for name, n in found.class_counts.items()
        )
        said += f"; {formats.one_line(each, 200)}"
    if found.n_groups is not None:
        said += f"; {formats.counted(found.n_groups, 'groups')}"
    if found.pos_label is not None:
        said += f"; positive: {formats.one_line(found.pos_label, 20)}"
    return said


def _splits(found: Assessment) -> str:
    said = [
        f"{found.splitter.name}: {formats.counted(found.n_splits, 'splits')}, each "
        f"learned from about {found.n_train:.4g} samples and tested on "
        f"{found.n_test:.3g}"
    ]
    said += [
        f"{formats.model_name(name, _NAME)} on {_tested_samples(found, model)}"
        for name, model in found.assessed.items()
        if model.failures or model.n_tested < found.n_samples
    ]
    return "; ".join(said)


def _chosen(model: ModelAssessment) -> str:
    """Say how often what was chosen; empty for a model that chooses nothing."""
    known = [
        ", ".join(f"{name} = {value}" for name, value in choice.items())
        for choice in model.chosen
        if choice
    ]
    if not known:
        return ""
    (first, times), *others = Counter(known).most_common()
    said = [f"{first} in {times:,} of {len(known):,} splits"]
    said += [f"{text} in {n:,}" for text, n in others[:_MOST_CHOICES]]
    left = others[_MOST_CHOICES:]
    if left:
        said.append(f"{len(left):,} more in {sum(n for _, n in left):,}")
    for edge in model.edges:
        which, way = ("least", "less") if edge.is_lowest else ("largest", "more")
        value = f"{edge.value:g}"
        said.append(f"{value} is the {which} {edge.parameter} tried: try {way} as well")
    return "; ".join(said)


def _draws(found: Assessment) -> Iterator[tuple[str, str]]:
    """Say how often permuted and null data were drawn, model by model if it differs."""
    numbers: dict[str, list[str]] = {}
    for name, model in found.assessed.items():
        tests = model.null_tests
        if tests is None or tests.permuted is None:
            continue
        said = formats.counted(tests.permuted.n_draws, "permutations")
        if tests.null_data is not None:
            said += f", {formats.counted(tests.null_data.n_draws, 'null data sets')}"
        numbers.setdefault(said, []).append(formats.model_name(name, _NAME))
    if len(numbers) == 1:
        yield "Chance", next(iter(numbers))
    elif numbers:
        each = (f"{', '.join(names)}: {said}" for said, names in numbers.items())
        yield "Chance", "; ".join(each)


def _centre(found: Assessment) -> Iterator[tuple[str, str]]:
    """Say what the estimate is, and why intervals need not lie around it."""
    if found.splitter.is_weighted:
        first = found.models[found.best].main
        title = formats.metric_title(first.metric)
        name = formats.model_name(found.best)
        yield (
            "Centre",
            f"estimates are {found.splitter.kind}: of samples left out, weighted "
            f"against samples learned from ({title} of {name}: "
            f"{metric_value(first.metric, first.left_out)} left out, "
            f"{metric_value(first.metric, first.estimate)} weighted); intervals are "
            "those of samples left out, moved as far as weighting moves the estimate, "
            "and cut where values end",
        )
        return
    for key, model in found.assessed.items():
        for x in model.metrics.values():
            folds = [value for value in x.folds if is_known(value)]
            is_of_folds = x.recommended and x.recommended.method == _USUAL
            if not folds or not is_of_folds:
                continue
            mean = metric_value(x.metric, math.fsum(folds) / len(folds))
            value = metric_value(x.metric, x.estimate)
            if mean != value:
                title = formats.metric_title(x.metric)
                yield (
                    "Centre",
                    "estimates are means of samples; nadeau-bengio intervals, and "
                    "differences of models, are of means of folds, which differ a "
                    f"little ({title} of {formats.model_name(key, _NAME)}: {mean} "
                    f"instead of {value})",
                )
                return


def _assumed(found: Models) -> Section:
    """List what must hold, for the answer and for each interval."""
    general = _assumptions(found) if isinstance(found, Assessment) else []
    items = [formats.sentence(text) for text in general]
    return Section(
        heading="What this assumes", items=(*items, *_interval_assumptions(found))
    )


def _assumptions(found: Models) -> list[str]:
    """Say what must hold, the most important first, without full stops."""
    if isinstance(found, EstimateAssessment):
        main = found.models[found.best].main
        method = "t" if main.recommended is None else main.recommended.method
        return [f"{method}: {'; '.join(_ASSUMED_OF_REPEATS.get(method, ()))}"]
    units = "samples" if found.n_groups is None else "groups"
    said = [
        f"{units} are independent of one another and resemble those to come",
        "the model in use is learned from about as many samples as in a split",
        "whatever was chosen by looking at targets is chosen again inside every split",
    ]
    if found.are_costs_by_name is False:
        order = formats.listed(found.class_counts, 8)
        said.append(
            "the costs have no names: rows (answers) and columns (true classes) are "
            f"taken to be {order}, in this order"
        )
    return said


# Of estimates that somebody else made a fold is a repeat.
_ASSUMED_OF_REPEATS = {
    "normal": ("repeats are independent, normal, and of known spread",),
    "t": ("repeats are independent and roughly normal",),
    "percentile": ("repeats show how results vary; it is not about their mean",),
    "bca": ("repeats are independent",),
    "hoeffding": ("repeats are independent; any distribution",),
    "empirical-bernstein": ("repeats are independent; any distribution",),
    "delete-d": SCORE_INTERVALS["delete-d"].assumes,
    "wilson": (
        "as if it were the share of right ones among as many independent samples",
    ),
    "range": SCORE_INTERVALS["range"].assumes,
}


def _interval_assumptions(found: Models) -> list[str]:
    """Say what each way of making an interval assumes, and of which if they differ."""

    def assumed(x: MetricAssessment, interval: ScoreInterval) -> str:
        if isinstance(found, EstimateAssessment):
            return "; ".join(_ASSUMED_OF_REPEATS[interval.method])
        return _assumes(x, interval)

    each = _gather(_all_intervals(found), assumed)
    methods = [method for method, _ in each]
    return [
        f"{method}: {text}."
        if methods.count(method) == 1
        else f"{method} ({_whose(who, len(found.assessed))}): {text}."
        for (method, text), who in each.items()
    ]


def _assumes(x: MetricAssessment, interval: ScoreInterval) -> str:
    """Say what one interval assumes."""
    method = SCORE_INTERVALS[interval.method]
    if interval.is_as_share:
        units = "groups" if interval.of_groups else "samples"
        return (
            f"as if it were the share of right ones among {interval.n_effective:g} "
            f"independent {units} that {formats.metric_title(x.metric)} hangs on"
        )
    is_grouped = interval.of_groups and method.assumes_of_groups
    said = "; ".join(method.assumes_of_groups if is_grouped else method.assumes)
    if interval.vc_dimension is not None:
        source = "measured on random labels" if interval.is_measured else "as given"
        said += f"; the VC dimension is {interval.vc_dimension:.4g}, {source}"
    if interval.hypotheses is not None and interval.log_hypotheses is not None:
        kind, _, size = interval.hypotheses.partition(":")
        counted = HYPOTHESES[kind]
        digits = formats.amount(interval.log_hypotheses / math.log(10), 3)
        said += (
            f"; the model learns {counted.title} of at most {size} {counted.part}, of "
            f"which there are no more than 10^{digits}"
        )
    if interval.is_stratified:
        said += ", at these shares of classes"
    if interval.is_pooled:
        said += "; it is that of all tests together, not of the mean of folds"
    return said


def _references(found: Models) -> tuple[str, ...]:
    """Cite what was used."""
    methods = [
        SCORE_INTERVALS[interval.method] for _, _, interval in _all_intervals(found)
    ]
    works = [method.reference for method in methods]
    if isinstance(found, Assessment):
        if found.splitter.kind in SPLITTERS:
            works.insert(0, SPLITTERS[found.splitter.kind].reference)
        if found.tests is not None:
            works += [_PERMUTATIONS, NULL_DATA[found.tests.null_data].reference]
        divided = (x for m in found.assessed.values() for x in m.bias_variance)
        works += [BIAS_VARIANCE[name].reference for name in divided]
    return tuple(dict.fromkeys(work for work in [_PAPER, *works] if work))


VIEWS = {
    "assessment": assessment_document,
    "estimate-assessment": estimates_document,
}
