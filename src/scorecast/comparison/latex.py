"""A comparison as tables for LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorecast._core.amounts import counted
from scorecast.comparison.titles import POST_HOC_TITLES, TEST_TITLES

if TYPE_CHECKING:
    from scorecast.comparison.comparison import Comparison

__all__ = ["models_latex", "pairs_latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def models_latex(found: Comparison) -> str:
    """Write one row per model, from the best to the worst."""
    reference = found.control or found.best
    means, medians = one_precision(found.means), one_precision(found.medians)
    rows = []
    for name in found.order:
        place = found.models.index(name)
        p = "--"
        if name != reference:
            p = _p(found.pair(name, reference).p_adjusted)
        title = escaped(name)
        if name in found.bests:
            title = rf"\textbf{{{title}}}"
        values: tuple[str, ...] = (
            f"{found.ranks[place]:.2f}",
            means[place],
            medians[place],
        )
        if found.stands_by_means:
            values = (means[place],)
        rows.append((title, *values, p))
    stands = ("Mean",) if found.stands_by_means else ("Mean rank", "Mean", "Median")
    heading = ("Model", *stands, rf"$p$ vs.\ {escaped(reference)}")
    return _tabular(heading, rows, found)


def pairs_latex(found: Comparison) -> str:
    """Write one row per pair."""
    effects = [pair.effect for pair in found.pairs]
    differences = one_precision([x.difference for x in effects], digits=3)
    ends = one_precision([end for x in effects for end in (x.low, x.high)], digits=3)
    rows = []
    for place, pair in enumerate(found.pairs):
        p = _p(pair.p_adjusted)
        if found.differ(pair.a, pair.b):
            p = rf"\textbf{{{p}}}"
        effect = pair.effect
        span = "--"
        if not math.isnan(effect.low):
            span = rf"$[{ends[2 * place]}, {ends[2 * place + 1]}]$"
        rows.append((
            escaped(pair.a), escaped(pair.b), f"${differences[place]}$", span,
            f"{effect.wins}/{effect.ties}/{effect.losses}", _p(pair.p), p,
        ))  # fmt: skip
    interval = rf"{100 * found.level:g}\,\% interval"
    if len(found.pairs) > 1:
        interval += " (pair alone)"
    heading = (
        "Model", "against", "Difference", interval,
        "W/T/L", "$p$", "$p$ adjusted",
    )  # fmt: skip
    return _tabular(heading, rows, found, words=2)


def one_precision(values: Sequence[float], digits: int = 4) -> list[str]:
    """Write a column of numbers with one number of decimals.

    Parameters
    ----------
    values : sequence of float
        The column; NaN is written as a dash.
    digits : int, default=4
        Significant digits of the largest.

    Returns
    -------
    list of str
        As many decimals in each as give the largest its digits.

    Examples
    --------
    >>> one_precision([0.5, 0.7312, 0.08])
    ['0.5000', '0.7312', '0.0800']
    """
    known = [abs(x) for x in values if math.isfinite(x)]
    largest = max(known, default=0.0)
    whole = math.floor(math.log10(largest)) + 1 if largest > 0 else 0
    places = min(max(digits - whole, 0), 12)
    said = [f"{x:.{places}f}" if math.isfinite(x) else "--" for x in values]
    # Nought has no sign.
    return [x if x.strip("-0.") or x == "--" else x.lstrip("-") for x in said]


def _tabular(
    heading: Sequence[str],
    rows: Sequence[Sequence[str]],
    found: Comparison,
    words: int = 1,
) -> str:
    layout = "l" * words + "r" * (len(heading) - words)
    test = TEST_TITLES.get(found.pair_test, found.pair_test)
    title = POST_HOC_TITLES.get(found.post_hoc, found.post_hoc)
    scale = counted(found.n, found.rows)
    return "\n".join([
        f"% {scale}; {test}; {title}. Needs the package booktabs.",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(heading) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ])  # fmt: skip


def _p(p: float) -> str:
    if math.isnan(p):
        return "--"
    return f"{p:.3f}" if p >= 0.001 else "$<$0.001"


def escaped(text: str) -> str:
    """Write any name so that LaTeX sets it as it is."""
    return "".join(_SPECIAL.get(char, char) for char in " ".join(text.split()))
