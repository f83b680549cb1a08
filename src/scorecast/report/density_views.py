"""How the test of a density is written and laid out on a page."""

from __future__ import annotations

import math

from scorecast.evaluation import DensityComparison, DensityTest
from scorecast.report.formats import count, level_name
from scorecast.report.sections import Section, Table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__: list[str] = []

_COLUMNS = ("test", "distance", "p", "smallest p")
_NAMES = {"energy": "energy distance", "mmd": "maximum mean discrepancy"}
_LEAD = (
    "Held-out cases, which the density was not fitted to, against as many draws of it: "
    "p is the share of permutations of both samples that lie as far apart. A large p "
    "is no proof that the density is right; with few cases most densities pass."
)
_REFITS = (
    "All cases against draws of the density fitted to them. No fit is quite right: "
    "samples were drawn from that density, fitted anew and compared like the data, and "
    "p is the share of them that lie as far apart. A large p is no proof that the "
    "density is right; with few cases most densities pass. Log-likelihoods are of "
    "cases held out."
)
_PAIRS = ("densities", "difference", "pair alone", "p", "p adjusted")
_EACH = ("", "log-likelihood", "interval", "energy p", "mmd p", "verdict")
_PAIRS_LEAD = (
    "Mean log-density of the same held-out cases, the first less the second, in nats "
    "per case. Intervals are of the pair alone; the last p is adjusted for all pairs "
    "(Holm). Numbers are those of the table of densities."
)
_REFERENCES = (
    "G. J. Szekely and M. L. Rizzo (2013). Energy statistics: a class of statistics "
    "based on distances. Journal of Statistical Planning and Inference 143.",
    "A. Gretton and others (2012). A kernel two-sample test. Journal of Machine "
    "Learning Research 13.",
)
_BOOTSTRAP = (
    "W. Stute, W. Gonzalez Manteiga and M. Presedo Quindimil (1993). Bootstrap based "
    "goodness-of-fit tests. Metrika 40.",
    "J. Besag and P. Clifford (1991). Sequential Monte Carlo p-values. Biometrika 78.",
)


@render_text.register
def _(result: DensityTest, *, ascii_only: bool = False) -> str:
    lines = [*text_lines(result.summary()), ""]
    lines += table_lines(_COLUMNS, _test_rows(result), left={0})
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    return joined_lines(lines, ascii_only=ascii_only)


@report_sections.register
def _(result: DensityTest) -> tuple[Section, ...]:
    head = Section(heading=result.summary(), warnings=result.warnings)
    tests = Section(
        heading="Do its draws look like the data?",
        lead=(_REFITS if result.n_refits else _LEAD,),
        tables=(Table(caption="", columns=_COLUMNS, rows=_test_rows(result), words=1),),
    )
    counted = Section(heading="What was compared", facts=_facts(result))
    return head, tests, counted, _references(result.n_refits > 0)


@render_text.register
def _(result: DensityComparison, *, ascii_only: bool = False) -> str:
    lines = [*text_lines(result.summary()), ""]
    # Names of densities are long: they are numbered.
    for number, name in enumerate(result.order, 1):
        lines += text_lines(f"{number} = {name}")
    lines += ["", *table_lines(_EACH, _each_row(result), left={0})]
    lines += ["", *table_lines(_PAIRS, _pair_rows(result), left={0})]
    lines += ["", *text_lines(_PAIRS_LEAD)]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    return joined_lines(lines, ascii_only=ascii_only)


@report_sections.register
def _(result: DensityComparison) -> tuple[Section, ...]:
    head = Section(heading=result.summary(), warnings=result.warnings)
    refits = any(x.n_refits for x in result.tests)
    each = Section(
        heading="Do their draws look like the data?",
        lead=(_REFITS if refits else _LEAD,),
        items=tuple(f"{i} = {name}" for i, name in enumerate(result.order, 1)),
        tables=(Table(caption="", columns=_EACH, rows=_each_row(result), words=1),),
    )
    pairs = Section(
        heading="Which gives held-out cases more?",
        lead=(_PAIRS_LEAD,),
        tables=(Table(caption="", columns=_PAIRS, rows=_pair_rows(result), words=1),),
    )
    first = result.tests[0]
    counted = Section(heading="What was compared", facts=_sizes(first))
    return head, each, pairs, counted, _references(refits)


def _references(refits: bool) -> Section:
    items = (*_REFERENCES, *_BOOTSTRAP) if refits else _REFERENCES
    return Section(heading="References", items=items)


def _each_row(result: DensityComparison) -> tuple[tuple[str, ...], ...]:
    rejected = result.rejected
    rows = []
    for number, name in enumerate(result.order, 1):
        test = result.test(name)
        p = {x.statistic: f"{x.p:.3f}" for x in test.tests}
        verdict = "rejected" if name in rejected else "not rejected"
        value = _shown(test.log_likelihood)
        span = _span(test.low, test.high)
        rows.append((str(number), value, span, p["energy"], p["mmd"], verdict))
    return tuple(rows)


def _pair_rows(result: DensityComparison) -> tuple[tuple[str, ...], ...]:
    places = {name: i for i, name in enumerate(result.order, 1)}
    rows = []
    for pair in result.pairs:
        span = _span(pair.low, pair.high)
        p = (_shown(pair.p), _shown(pair.p_adjusted))
        first, second = places[pair.a], places[pair.b]
        which = f"{first} less {second}"
        rows.append((which, _shown(pair.difference), span, *p))
    return tuple(rows)


def _shown(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "n/a"


def _span(low: float, high: float) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return "n/a"
    return f"{low:.3f} to {high:.3f}"


def _test_rows(result: DensityTest) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (_NAMES[x.statistic], f"{x.value:.4g}", f"{x.p:.3f}", f"{x.smallest_p:.3f}")
        for x in result.tests
    )


def _facts(result: DensityTest) -> tuple[tuple[str, str], ...]:
    level = level_name(result.level)
    facts = [("Density", result.density), *_sizes(result)]
    for name, ends in (
        ("Log-likelihood", (result.log_likelihood, result.low, result.high)),
        (
            "Beyond independent normals",
            (result.gain, result.gain_low, result.gain_high),
        ),
    ):
        if all(map(math.isfinite, ends)):
            value, low, high = ends
            said = f"{value:.3f} nats per case ({level}: {low:.3f} to {high:.3f})"
            facts.append((name, said))
    return tuple(facts)


def _sizes(result: DensityTest) -> tuple[tuple[str, str], ...]:
    facts = [
        ("Features", count(result.n_features)),
        (
            "Cases fitted by a split",
            count(result.n_fitted) if result.n_fitted else "none here",
        ),
        ("Cases compared", count(result.n_tested)),
        ("Draws compared", count(result.n_draws)),
    ]
    if result.n_fitted:
        facts.append(("Splits", count(result.n_splits)))
    if result.n_refits:
        facts.append(("Samples fitted anew", count(result.n_refits)))
    if result.n_failed:
        facts.append(("Samples that could not be fitted", count(result.n_failed)))
    return tuple(facts)
