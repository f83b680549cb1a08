"""How reproductions are laid out: verdicts counted, then paper by paper."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.reproduction_figures import picture_drawing
from scorecast.reproduction import (
    PAPERS,
    Catalogue,
    CatalogueRow,
    DataSource,
    ReproducedEntry,
    ReproducedNumber,
    Reproduction,
    Verdict,
)

_MOST_TERMINAL = 60  # numbers that a terminal shows one by one
_MOST_OPEN = 24  # rows of a table that is not folded
_MOST_NAMED = 5  # numbers with the same reason
_OFTEN = 3  # rows that share a reason, from which it is said once
_MOST_DECIMALS = 10
_LEGEND = (
    "Corrected: what is right where print is wrong, or, where nothing is printed, what "
    "an independent calculation or the authors' own run gives. Measured: by scorecast, "
    "with its standard error if it is from a simulation. Same: within the last digit "
    "of print, or what the calculation guarantees; within error: within three standard "
    "errors of both together."
)


# --- what came out -------------------------------------------------------------------


def reproduction_document(found: Reproduction) -> Document:
    """Lay out what came out of what was published."""
    done = [entry for entry in found.entries if entry.is_done]
    papers = list(dict.fromkeys(entry.paper for entry in found.entries))
    single = sum(len(entry.numbers) for entry in done) <= _MOST_TERMINAL
    sections = [
        Section(
            lead=(_LEGEND,),
            tables=(_counts_table(found, papers),),
            is_terminal=not single,
        )
    ]
    if any(_misses(entry) for entry in done):
        sections.append(_difference_section(done))
    if any(n.is_misprint for entry in done for n in entry.numbers):
        sections.append(_misprint_section(done))
    for paper in papers:
        own = [entry for entry in found.entries if entry.paper == paper]
        sections.append(_paper_section(paper, own, is_terminal=not single))
        for entry in own:
            if entry.is_done:
                sections += _entry_sections(entry, is_terminal=single)
    return Document(
        headline=_headline(found),
        sections=tuple(sections),
        facts=_facts(found),
        references=tuple(PAPERS[paper].reference for paper in papers),
        figure=next(
            (s.figure for s in sections if s.figure is not None),
            None,
        ),
    )


def _headline(found: Reproduction) -> str:
    counts = found.count()
    n = sum(counts.values())
    done = sum(entry.is_done for entry in found.entries)
    whole = formats.counted(n, "numbers")
    of = f"{whole} of {formats.counted(done, 'tables, figures and formulas')}"
    if done == 1:
        of = f"{whole} of {next(e.name for e in found.entries if e.is_done)}"
    said = ", ".join(
        f"{formats.count(k)} {_counted(v, k)}" for v, k in counts.items() if k
    )
    if not n:
        return f"{of[0].upper()}{of[1:]}: only figures are to be redrawn."
    start = _come_out(found)
    return f"{start}{of[0].upper()}{of[1:]}: {said}."


def _come_out(found: Reproduction) -> str:
    """Say how many come out: as printed, as corrected, and of those known otherwise."""
    compared = [
        n for _, n in found.numbers() if n.verdict is not Verdict.NOT_COMPARABLE
    ]
    printed = [n for n in compared if n.published is not None]
    silent = [n for n in compared if n.published is None]
    good = [n for n in printed if n.verdict is not Verdict.DIFFERS]
    right = sum(not n.is_misprint for n in good)
    said = []
    if printed:
        of = formats.count(len(printed))
        what = "printed numbers and statements that can be compared"
        # A misprint comes out where the correction does, and never as printed.
        amended = len(good) - right
        rest = f", {formats.count(amended)} as corrected" if amended else ""
        said.append(f"{formats.count(right)} of {of} {what} come out as printed{rest}")
    if silent:
        known = sum(n.verdict is not Verdict.DIFFERS for n in silent)
        counted = f"{formats.count(known)} of {formats.count(len(silent))}"
        said.append(f"{counted} that are not printed but known otherwise come out")
    return f"{'; '.join(said)}. " if said else ""


def _counted(verdict: Verdict, n: int) -> str:
    if verdict is Verdict.DIFFERS:
        return "differs" if n == 1 else "differ"
    return str(verdict)


def _facts(found: Reproduction) -> tuple[tuple[str, str], ...]:
    numbers = [n for _, n in found.numbers()]
    claims = sum(n.is_claim for n in numbers)
    formulas = sum(n.is_formula for n in numbers)
    printed = sum(n.published is not None for n in numbers) - claims - formulas
    wrong = sum(n.is_misprint for n in numbers)
    silent = sum(n.published is None and n.corrected is not None for n in numbers)
    parts = [
        (printed, "printed"),
        (formulas, "by printed formulas"),
        (claims, "statements of the text"),
        (
            silent,
            "not printed: of independent calculations or the authors' own run",
        ),
    ]
    said = "; ".join(f"{formats.count(n)} {what}" for n, what in parts if n)
    if wrong:
        said += f"; {formats.count(wrong)} wrong in print"
    size = "those of the papers" if found.is_full else "quick; --full has the papers'"
    if found.n_repeats is not None:
        size += f"; {formats.count(found.n_repeats)} repeats"
    absent = [entry for entry in found.entries if not entry.is_done]
    facts = [("Numbers", said), ("Sizes", size)]
    if absent:
        names = formats.listed([entry.name for entry in absent], most=8)
        facts.append(("Not done", f"{len(absent)}: {names}"))
    return tuple(facts)


def _counts_table(found: Reproduction, papers: Sequence[str]) -> Table:
    rows = []
    for paper in papers:
        counts = found.count(paper)
        own = [entry for entry in found.entries if entry.paper == paper]
        absent = sum(not entry.is_done for entry in own)
        cells = [formats.count(n) for n in counts.values()]
        rows.append((f"{paper} {_short(paper)}", *cells, formats.count(absent)))
    total = found.count()
    absent = sum(not entry.is_done for entry in found.entries)
    if len(papers) > 1:
        cells = [formats.count(n) for n in total.values()]
        rows.append(("all", *cells, formats.count(absent)))
    columns = ("paper", *map(str, Verdict), "entries not done")
    strong = (len(rows) - 1,) if len(papers) > 1 else ()
    return Table(columns=columns, rows=tuple(rows), strong=strong, is_stacked=True)


def _short(paper: str) -> str:
    return formats.cite([PAPERS[paper].reference])


def _misses(entry: ReproducedEntry) -> list[ReproducedNumber]:
    return [n for n in entry.numbers if n.verdict is Verdict.DIFFERS]


def _difference_section(done: Sequence[ReproducedEntry]) -> Section:
    """Say of everything that differs why it does."""
    items = []
    for entry in done:
        by_reason: dict[str, list[ReproducedNumber]] = {}
        for number in _misses(entry):
            by_reason.setdefault(number.why, []).append(number)
        for why, numbers in by_reason.items():
            shown = [_difference(n) for n in numbers[:_MOST_NAMED]]
            if len(numbers) > _MOST_NAMED:
                shown.append(f"and {len(numbers) - _MOST_NAMED} more")
            reason = formats.sentence(why or "no reason is known")
            items.append(f"{entry.name}: {'; '.join(shown)}. {reason}")
    return Section(heading="What differs, and why", items=tuple(items))


def _difference(number: ReproducedNumber) -> str:
    if number.is_claim:
        return f"“{number.cell}” {_claim(number.measured)}"
    target, measured = number.target, number.measured
    if target is None or measured is None:
        return number.cell
    return f"{number.cell} {formats.amount(measured)}, not {formats.amount(target)}"


def _misprint_section(done: Sequence[ReproducedEntry]) -> Section:
    """List where print is wrong; both values are shown."""
    wrong = [(e, n) for e in done for n in e.numbers if n.is_misprint]
    table = Table(
        columns=("number", "printed", "corrected", "measured"),
        rows=tuple(
            (
                f"{entry.name}, {n.cell}",
                _value(n, n.published),
                _value(n, n.corrected),
                _with_error(n, n.measured, n.measured_error),
            )
            for entry, n in wrong
        ),
        notes=_notes([n for _, n in wrong]),
        is_stacked=True,
    )
    lead = (
        "Nothing was tuned towards these: the corrected value is from an independent "
        "calculation or from the authors' own data.",
    )
    return Section(heading="Where print is wrong", lead=lead, tables=(table,))


def _notes(numbers: Sequence[ReproducedNumber]) -> tuple[str, ...]:
    """Say why below the first of several numbers that share a reason."""
    said: set[str] = {""}
    notes = []
    for number in numbers:
        why = _reason(number)
        notes.append("" if why in said else formats.sentence(why))
        said.add(why)
    return tuple(notes) if any(notes) else ()


def _reason(number: ReproducedNumber) -> str:
    """Return what explains a number; what comes out as printed explains itself."""
    is_plain = number.corrected is None
    good = (Verdict.SAME, Verdict.WITHIN_ERROR)
    return "" if is_plain and number.verdict in good else number.why


def _paper_section(
    paper: str, entries: Sequence[ReproducedEntry], *, is_terminal: bool
) -> Section:
    """Count what came out, entry by entry."""
    rows = []
    for entry in entries:
        counts = Counter(n.verdict for n in entry.numbers)
        cells = [_some(counts[verdict]) for verdict in Verdict]
        rows.append((f"{entry.name} {entry.title}", *cells))
    absent = tuple(
        f"{entry.name}: not done. {formats.sentence(entry.reason)}"
        for entry in entries
        if not entry.is_done
    )
    table = Table(
        columns=("entry", *map(str, Verdict)), rows=tuple(rows), is_stacked=True
    )
    return Section(
        heading=f"{paper} {PAPERS[paper].title}",
        lead=(PAPERS[paper].reference,),
        tables=(table,),
        items=absent,
        is_terminal=is_terminal,
    )


def _some(n: int) -> str:
    return formats.count(n) if n else ""


def _entry_sections(entry: ReproducedEntry, *, is_terminal: bool) -> Iterable[Section]:
    """Lay out the figures and the table of an entry."""
    lead = [formats.sentence(entry.summary)]
    common = [
        why
        for why, n in Counter(map(_reason, entry.numbers)).items()
        if why and n >= _OFTEN
    ]
    lead += [formats.sentence(why) for why in common]
    drawings = [picture_drawing(picture) for picture in entry.pictures]
    tables = [_numbers_table(entry, common, is_open=is_terminal)]
    heading = f"{entry.name}: {entry.title}"
    if drawings:
        lead.append(_caption(entry, 0))
    yield Section(
        heading=heading,
        lead=tuple(lead),
        figure=drawings[0] if drawings else None,
        tables=tuple(tables if entry.numbers else ()),
        is_terminal=is_terminal,
    )
    for i, drawing in enumerate(drawings[1:], start=1):
        yield Section(
            heading=f"{entry.name}, continued",
            lead=(_caption(entry, i),),
            figure=drawing,
        )


def _caption(entry: ReproducedEntry, i: int) -> str:
    where = next((number.where for number in entry.numbers), "")
    start = f"{where} redrawn: " if where.startswith("Figure") else "Figure: "
    picture = entry.pictures[i]
    title = picture.title
    if not picture.begins_with_name:
        title = f"{title[0].lower()}{title[1:]}"
    return formats.sentence(f"{start}{title}")


def _numbers_table(
    entry: ReproducedEntry, common: Sequence[str], *, is_open: bool
) -> Table:
    columns: tuple[str, ...] = (entry.name, "published", "corrected", "measured",
                                "same up to", "verdict")  # fmt: skip
    tolerances = [_tolerance(number) for number in entry.numbers]
    caption = f"{entry.name}, number by number"
    shared = {said for said in tolerances if said}
    if len(shared) == 1:
        # One for all is said once, and needs no column.
        tolerances = [""] * len(tolerances)
        only = next(iter(shared))
        up_to = "only if equal" if only == "0" else f"up to {only}"
        caption += f"; same {up_to}"
    rows = [
        (
            number.cell,
            _with_error(number, number.published, number.published_error),
            _value(number, number.corrected),
            _with_error(number, number.measured, number.measured_error),
            tolerance,
            str(number.verdict),
        )
        for number, tolerance in zip(entry.numbers, tolerances, strict=True)
    ]
    # A column with nothing in it is left out.
    kept = [i for i in range(len(columns)) if i == 0 or any(row[i] for row in rows)]
    own = [replace(n, why="" if n.why in common else n.why) for n in entry.numbers]
    return Table(
        columns=tuple(columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in rows),
        notes=_notes(own),
        caption=caption,
        is_folded=not is_open and len(rows) > _MOST_OPEN,
        is_stacked=True,
        has_long_notes=True,
    )


def _tolerance(number: ReproducedNumber) -> str:
    """Write up to which difference a number is the same; statements hold or do not."""
    if number.is_claim or number.verdict is Verdict.NOT_COMPARABLE:
        return ""
    return formats.amount(number.tolerance)


def _with_error(
    number: ReproducedNumber, value: float | None, error: float | None
) -> str:
    if not error or value is None:
        return _value(number, value)
    places = min(max(1 - math.floor(math.log10(error)), 0), _MOST_DECIMALS)
    known = number.published if error == number.published_error else None
    if known is not None:
        places = max(_decimals(known), _decimals(error))
    return f"{value:.{places}f} ({error:.{places}f})"


def _value(number: ReproducedNumber, value: float | None) -> str:
    """Write a number with the digits that its neighbours have, and one more."""
    if value is None:
        return ""
    if number.is_claim:
        return _claim(value)
    if math.isinf(value):
        return "infinity" if value > 0 else "minus infinity"
    if math.isnan(value):
        return formats.UNKNOWN
    known = [x for x in (number.published, number.corrected) if x is not None]
    places = max((_decimals(x) for x in known), default=None)
    if places is None:
        return formats.amount(value, 4)
    if value in known:
        return f"{value:,.{_decimals(value)}f}"
    if not places and float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.{min(places + 1, _MOST_DECIMALS)}f}"


def _decimals(value: float) -> int:
    """Count the digits after the point that a number was written with."""
    if math.isinf(value) or float(value).is_integer():
        return 0
    text = f"{value:.{_MOST_DECIMALS}f}".rstrip("0")
    return len(text.partition(".")[2])


def _claim(value: float | None) -> str:
    if value is None:
        return "not tried"
    return "holds" if value else "does not hold"


# --- what there is -------------------------------------------------------------------


def catalogue_document(found: Catalogue) -> Document:
    """List what can be reproduced."""
    at_hand = [row for row in found.rows if row.is_at_hand]
    seconds = sum(row.seconds for row in at_hand)
    waiting = [row for row in found.rows if row.lacking and not row.reason]
    headline = (
        f"{len(at_hand)} of {len(found.rows)} tables, figures and formulas of "
        f"{len(PAPERS)} papers are at hand: about {_minutes(seconds)} for all of them "
        "at quick sizes, on two cores."
    )
    table = Table(
        columns=("entry", "what", "data", "quick", "full"),
        rows=tuple(_catalogue_row(row) for row in found.rows),
        n_words=3,
    )
    facts = [("Papers", "; ".join(f"{p} {_short(p)}" for p in PAPERS))]
    if waiting:
        names = sorted({file for row in waiting for file in row.lacking})
        where = f"in {found.folder}" if found.folder else "(--data or SCORECAST_DATA)"
        facts.append(
            (
                "Data",
                f"{len(waiting)} need files that may not be shipped {where}: "
                f"{formats.listed(names, most=8)}",
            )
        )
    facts.append(
        ("Run", "scorecast reproduce 001-table-1, a paper (003), or all of them (all)")
    )
    reasons = tuple(
        f"{row.name}: {formats.sentence(row.reason)}"
        for row in found.rows
        if row.reason
    )
    return Document(
        headline=headline,
        sections=(
            Section(tables=(table,), is_terminal=True),
            Section(heading="What cannot be done", items=reasons),
        ),
        facts=tuple(facts),
        references=tuple(paper.reference for paper in PAPERS.values()),
    )


def _catalogue_row(row: CatalogueRow) -> tuple[str, ...]:
    if row.reason:
        return (row.name, row.title, str(DataSource.NOWHERE), "", "")
    data = {DataSource.SIMULATION: "", DataSource.FOLDER: "folder"}[row.source]
    if row.lacking:
        data = "lacking"
    full = _minutes(60 * row.full_minutes)
    return (row.name, row.title, data, _minutes(row.seconds), full)


def _minutes(seconds: float) -> str:
    """Write about how long something takes."""
    if seconds < 1.5:
        return "1 s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


VIEWS = {
    "reproduction": reproduction_document,
    "reproduction-catalogue": catalogue_document,
}
