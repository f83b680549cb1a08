"""How the test of a density is written and laid out on a page."""

from __future__ import annotations

import math

from scorecast.biclusters import DensityTest
from scorecast.report.sections import Section, Table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)
from scorecast.report.wording import count, level_name

__all__: list[str] = []

_COLUMNS = ("test", "distance", "p", "smallest p")
_NAMES = {"energy": "energy distance", "mmd": "maximum mean discrepancy"}
_LEAD = (
    "Held-out cases, which the density was not fitted to, against as many draws of it: "
    "p is the share of permutations of both samples that lie as far apart. A large p "
    "is no proof that the density is right; with few cases most densities pass."
)
_REFERENCES = (
    "G. J. Szekely and M. L. Rizzo (2013). Energy statistics: a class of statistics "
    "based on distances. Journal of Statistical Planning and Inference 143.",
    "A. Gretton and others (2012). A kernel two-sample test. Journal of Machine "
    "Learning Research 13.",
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
        lead=(_LEAD,),
        tables=(Table(caption="", columns=_COLUMNS, rows=_test_rows(result), words=1),),
    )
    counted = Section(heading="What was compared", facts=_facts(result))
    return head, tests, counted, Section(heading="References", items=_REFERENCES)


def _test_rows(result: DensityTest) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (_NAMES[x.statistic], f"{x.value:.4g}", f"{x.p:.3f}", f"{x.smallest_p:.3f}")
        for x in result.tests
    )


def _facts(result: DensityTest) -> tuple[tuple[str, str], ...]:
    level = level_name(result.level)
    facts = [
        ("Density", result.density),
        ("Features", count(result.n_features)),
        ("Cases fitted", count(result.n_fitted) if result.n_fitted else "none here"),
        ("Cases held out", count(result.n_tested)),
    ]
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
