"""How tests and comparisons of densities are laid out."""

from __future__ import annotations

import math

from scorecast._core.result import Note
from scorecast.evaluation import (
    DENSITY_STATISTICS,
    DensityComparison,
    DensityNote,
    DensityTest,
)
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table

_MOST_FEATURES = 5
_PERMUTED = (
    "Held-out samples, which the density was not fitted to, against as many draws of "
    "it: p is the share of permutations of both that lie as far apart. A large p is no "
    "proof that the density is right; with few samples most densities pass."
)
_REFITTED = (
    "All samples against draws of the density fitted to them. No fit is quite right: "
    "data were drawn from that density, fitted anew and compared like the real ones, "
    "and p is the share of them that lie as far apart. A large p is no proof that the "
    "density is right; with few samples most densities pass. Log-likelihoods are of "
    "samples held out."
)
_PAIRS = (
    "Mean log-density of the same held-out samples, the first less the second, in nats "
    "per sample. Intervals are of the pair alone; the last p is adjusted for all pairs "
    "(Holm). Numbers are those of the table of densities."
)
_PAIRS_IN_SHORT = (
    "the first less the second, in nats per sample of the same held-out samples; "
    "intervals are of the pair alone, the last p is adjusted for all pairs (Holm)"
)
_BOOTSTRAP = (
    "W. Stute, W. Gonzalez Manteiga and M. Presedo Quindimil (1993). Bootstrap based "
    "goodness-of-fit tests. Metrika 40.",
    "J. Besag and P. Clifford (1991). Sequential Monte Carlo p-values. Biometrika 78.",
)


def test_document(found: DensityTest) -> Document:
    """Lay out the test of one density."""
    rows = tuple(
        (
            DENSITY_STATISTICS[x.statistic].title,
            f"{x.value:.4g}",
            formats.p_cell(x.p_value),
            formats.p_cell(x.min_p_value),
        )
        for x in found.tests
    )
    columns = ("test", "distance", "p", "smallest p")
    return Document(
        headline=_headline(found),
        notes=tuple(map(_note_sentence, found.notes)),
        sections=(
            Section(
                heading="Do its draws look like the data?",
                lead=(_REFITTED if found.n_refits else _PERMUTED,),
                tables=(Table(columns=columns, rows=rows),),
                is_terminal=True,
            ),
        ),
        facts=(("Density", found.density), *_sizes(found), *_likelihoods(found)),
        references=_references(found.n_refits > 0),
    )


def comparison_document(found: DensityComparison) -> Document:
    """Lay out a comparison of densities; names are long, so they are numbered."""
    has_refits = any(test.n_refits for test in found.tests.values())
    places = {name: str(i) for i, name in enumerate(found.order, 1)}
    each = []
    for name, place in places.items():
        test = found.tests[name]
        verdict = "rejected" if name in found.rejected else "not rejected"
        p_values = [formats.p_cell(x.p_value) for x in test.tests]
        value = _number(test.log_likelihood)
        each.append((place, value, _span(test.low, test.high), *p_values, verdict))
    pairs = tuple(
        (
            f"{places[pair.a]} less {places[pair.b]}",
            _number(pair.difference),
            _span(pair.low, pair.high),
            formats.p_cell(pair.p_value),
            formats.p_cell(pair.p_adjusted),
        )
        for pair in found.pairs
    )
    notes = [note for test in found.tests.values() for note in test.notes]
    statistics = tuple(f"{name} p" for name in DENSITY_STATISTICS)
    columns = ("", "log-likelihood", "interval", *statistics, "verdict")
    return Document(
        headline=_comparison_headline(found),
        notes=tuple(dict.fromkeys(map(_note_sentence, notes))),
        sections=(
            Section(
                heading="Do their draws look like the data?",
                lead=(_REFITTED if has_refits else _PERMUTED,),
                tables=(
                    Table(
                        columns=("", "density"),
                        rows=tuple((place, name) for name, place in places.items()),
                        n_words=2,
                    ),
                    Table(columns=columns, rows=tuple(each)),
                ),
                is_terminal=True,
            ),
            Section(
                heading="Which gives held-out samples more?",
                lead=(_PAIRS,),
                tables=(
                    Table(
                        columns=("", "difference", "pair alone", "p", "p adjusted"),
                        rows=pairs,
                    ),
                ),
                is_terminal=True,
            ),
        ),
        facts=(*_sizes(found.tests[found.densities[0]]), ("Pairs", _PAIRS_IN_SHORT)),
        references=_references(has_refits),
    )


def _headline(found: DensityTest) -> str:
    each = ", ".join(f"{x.statistic} p = {x.p_value:.3f}" for x in found.tests)
    verdict = "is not shown to misdescribe"
    if found.is_rejected:
        verdict = "does not describe"
    held_out = "" if found.n_refits else "held-out "
    allowed = ", allowing for the fit" if found.n_refits else ""
    said = (
        f"{found.density} {verdict} {formats.count(found.n_tested)} {held_out}samples "
        f"({each}; {found.alpha:g} over {len(found.tests)} tests{allowed})."
    )
    if found.n_impossible:
        said += (
            " Log-likelihood minus infinity: the density of "
            f"{formats.count(found.n_impossible)} held-out samples is 0"
        )
    elif math.isfinite(found.log_likelihood):
        name = "Log-likelihood"
        if found.n_splits > 1:
            name += f" of samples held out, mean of {found.n_splits} splits,"
        said += (
            f" {name} {found.log_likelihood:,.2f} nats per sample "
            f"({formats.level(found.confidence_level)}: {found.low:,.2f} to "
            f"{found.high:,.2f})"
        )
    else:
        return said
    if math.isfinite(found.gain):
        said += (
            f", {found.gain:+,.2f} ({found.gain_low:+,.2f} to {found.gain_high:+,.2f}) "
            "beyond independent normals"
        )
    return f"{said}."


def _comparison_headline(found: DensityComparison) -> str:
    first = found.tests[found.best]
    value = "minus infinity"
    if math.isfinite(first.log_likelihood):
        value = f"{first.log_likelihood:,.2f} nats per sample"
    said = (
        f"Of {len(found.tests)} densities {found.best} gives held-out samples the "
        f"highest log-likelihood ({value})."
    )
    others = found.order[1:]
    told = [name for name in others if found.beats(found.best, name)]
    rest = [name for name in others if name not in told]
    if told:
        said += f" It is above {_listed(told)}."
    if rest:
        said += f" It is not told apart from {_listed(rest)}."
    verdict = "None is shown to misdescribe them"
    if found.rejected:
        verb = "does" if len(found.rejected) == 1 else "do"
        verdict = f"{_listed(list(found.rejected))} {verb} not describe them"
    return f"{said} {verdict} ({found.alpha:g} over all tests)."


def _listed(names: list[str]) -> str:
    """List names whole: they are models, and their parameters tell them apart."""
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _note_sentence(note: Note) -> str:
    code, count, total = DensityNote(note.code), note.count or 0, note.total or 0
    if code is DensityNote.SAMPLES_LEFT_OUT:
        return f"{formats.count(count)} samples were left out of the tests."
    if code is DensityNote.IMPOSSIBLE_SAMPLES:
        return (
            f"The density of {formats.count(count)} of {formats.count(total)} held-out "
            "samples is 0: their log-likelihood is minus infinity, whatever the others "
            "say."
        )
    if code is DensityNote.REFITS_FAILED:
        is_one = count == 1
        return (
            f"{formats.count(count)} of {formats.count(total)} data sets drawn from "
            f"the density could not be fitted ({'' if is_one else 'the first: '}"
            f"{note.names[0]}): p leaves {'it' if is_one else 'them'} out."
        )
    is_one = len(note.names) == 1
    names = ", ".join(note.names[:_MOST_FEATURES])
    more = ", ..." if len(note.names) > _MOST_FEATURES else ""
    return (
        f"{'Feature' if is_one else 'Features'} {names}{more} (counted from 1) "
        f"{'takes' if is_one else 'take'} {total} values or fewer, which no smooth "
        "density describes; leave out labels and codes."
    )


def _sizes(found: DensityTest) -> tuple[tuple[str, str], ...]:
    fitted = "none here"
    if found.n_fitted:
        fitted = f"{formats.count(found.n_fitted)} samples by each split"
    facts = [
        ("Features", formats.count(found.n_features)),
        ("Fitted", fitted),
        (
            "Compared",
            f"{formats.count(found.n_tested)} samples with "
            f"{formats.count(found.n_draws)} draws",
        ),
    ]
    if found.n_fitted:
        facts.append(("Splits", formats.count(found.n_splits)))
    if found.n_refits:
        failed = ""
        if found.n_failed:
            failed = f", {formats.count(found.n_failed)} more could not be fitted"
        said = f"{formats.count(found.n_refits)} data sets{failed}"
        facts.append(("Fitted anew", said))
    return tuple(facts)


def _likelihoods(found: DensityTest) -> tuple[tuple[str, str], ...]:
    level = formats.level(found.confidence_level)
    facts = []
    for name, value, low, high in (
        ("Log-likelihood", found.log_likelihood, found.low, found.high),
        ("Beyond independent normals", found.gain, found.gain_low, found.gain_high),
    ):
        if all(map(math.isfinite, (value, low, high))):
            said = f"{value:.3f} nats per sample ({level}: {low:.3f} to {high:.3f})"
            facts.append((name, said))
    return tuple(facts)


def _references(has_refits: bool) -> tuple[str, ...]:
    works = tuple(method.reference for method in DENSITY_STATISTICS.values())
    return (*works, *_BOOTSTRAP) if has_refits else works


def _number(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else formats.UNKNOWN


def _span(low: float, high: float) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return formats.UNKNOWN
    return f"{low:.3f} to {high:.3f}"


VIEWS = {
    "density-test": test_document,
    "density-comparison": comparison_document,
}
