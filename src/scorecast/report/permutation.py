"""How permutation tests are laid out, and what chance gives is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.evaluation import PERMUTATION_ENGINES, PermutationTest
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import (
    ACCENT,
    INK,
    INK_SOFT,
    MUTED,
    Drawing,
    figure_width,
    mark_numbers,
    plain_axes,
    text_width,
)
from scorecast.report.forest import margin_text
from scorecast.report.names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEADER = 24.0
_BARS = 40.0  # height of the highest bar
_UNDER = 10.0  # room for marks of null data
_BINS = 24
_FEW_SPLITS = 10  # that are shown unasked
_MOST_VALUES = 40  # different ones that get a bar each
_LEAD = (
    "Features changed places among samples, so that nothing could be learned, and the "
    "model was fitted and tested in the same splits: bars are the mean scores of these "
    "permutations, the line is that of the data as they are."
)
_WORKS = (
    "M. Ojala and G. C. Garriga (2010). Permutation tests for studying classifier "
    "performance. Journal of Machine Learning Research 11.",
    "B. Phipson and G. K. Smyth (2010). Permutation p-values should never be zero: "
    "calculating exact p-values when permutations are randomly drawn. Statistical "
    "Applications in Genetics and Molecular Biology 9.",
)


def test_document(found: PermutationTest) -> Document:
    """Lay out a permutation test."""
    return Document(
        headline=_headline(found),
        notes=_notes(found),
        sections=(
            Section(lead=(_LEAD,), figure=_figure(found)),
            Section(
                heading="Split by split",
                tables=(_split_table(found),),
                is_terminal=True,
            ),
        ),
        facts=_facts(found),
        references=_WORKS,
    )


def _headline(found: PermutationTest) -> str:
    title = formats.metric_title(found.scoring)
    null = found.null_scores
    usual = float(np.nanmean(null)) if np.isfinite(null).any() else np.nan
    least = ", the least there can be" if found.n_as_good == 0 else ""
    return (
        f"{formats.one_line(found.estimator, 80)} scores "
        f"{formats.metric_value(found.scoring, found.score)} ({title}); on "
        f"{formats.count(found.n_permutations)} permutations "
        f"{formats.metric_value(found.scoring, usual)} on average. "
        f"{formats.p_value(found.p_value)}{least}."
    )


def _notes(found: PermutationTest) -> tuple[str, ...]:
    if not found.n_failed:
        return ()
    reason = max(found.failures, key=lambda text: found.failures[text])
    return (
        f"{formats.counted(found.n_failed, 'fits')} failed; permutations that failed "
        f"count against the model. Mostly: {formats.one_line(reason, 120)}",
    )


def _facts(found: PermutationTest) -> tuple[tuple[str, str], ...]:
    engine = PERMUTATION_ENGINES.get(found.method)
    way = "every permutation was fitted"
    if engine is not None:
        way = f"{engine.title}: {engine.summary}"
        if found.n_refitted:
            way += (
                f"; {formats.counted(found.n_refitted, 'fits')} left to the model, as "
                "rounding could have decided"
            )
    low, high = found.p_interval()
    samples = formats.count(found.n_samples)
    return (
        ("Data", f"{samples} samples, {formats.counted(found.n_features, 'features')}"),
        ("Tested", found.splitter.name),
        (
            "p-value",
            f"the smallest there can be is {found.smallest_p:.3g}; endless "
            f"permutations would give {low:.3g} to {high:.3g} (95 %)",
        ),
        ("Method", way),
        ("Assumes", "without anything to learn, samples could change places"),
    )


def _split_table(found: PermutationTest) -> Table:
    columns = found.to_columns()
    pairs = zip(columns["score"], columns["permuted_mean"], strict=True)
    rows = tuple(
        (str(number), *(formats.metric_value(found.scoring, x) for x in pair))
        for number, pair in enumerate(pairs, start=1)
    )
    heads = ("split", formats.metric_title(found.scoring), "mean of permutations")
    return Table(columns=heads, rows=rows, is_folded=len(rows) > _FEW_SPLITS)


def _figure(found: PermutationTest) -> Drawing | None:
    null = found.null_scores
    known = null[np.isfinite(null)]
    if not known.size:
        return None
    panel = NullPanel(
        name=formats.one_line(found.estimator),
        text=formats.metric_value(found.scoring, found.score),
        observed=found.score,
        permuted=known,
    )
    return null_figure([panel], found.scoring)


# What chance gives, draw by draw ---------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class NullPanel:
    """A model beside what it gives where there is nothing to learn.

    Attributes
    ----------
    name, text : str
        Of the model, and its own value as it is written.
    observed : float
        Its value.
    permuted, null_data : ndarray
        Values on permuted data, and on null data.
    """

    name: str
    text: str
    observed: float
    permuted: FloatArray
    null_data: FloatArray = field(default_factory=lambda: np.empty(0))


def null_figure(panels: Sequence[NullPanel], scoring: str) -> Drawing:
    """Draw the null distribution of every model, with its own value marked."""
    title, is_share = formats.metric_title(scoring), formats.is_proportion(scoring)
    ends = np.concatenate([[*p.permuted, *p.null_data, p.observed] for p in panels])
    low, high = float(ends.min()), float(ends.max())
    room = 0.04 * ((high - low) or 1.0)

    def draw(axes: Axes) -> None:
        plain_axes(axes, xlabel=f"{title}, %" if is_share else title)
        axes.set_yticks([])
        # A little is left for letters wider than an x.
        most = int(0.95 * figure_width(axes) / text_width("x", bold=True))
        names = short_names([panel.name for panel in panels], most)
        for place, (panel, name) in enumerate(zip(panels, names, strict=True)):
            base = (place + 1) * (_HEADER + _BARS) + place * _UNDER
            _draw_panel(axes, panel, name, base, (high - low) or 1.0)
        axes.set_ylim(len(panels) * (_HEADER + _BARS + _UNDER), 0)
        axes.set_xlim(low - room, high + room)
        mark_numbers(axes, low, high, in_percent=is_share)

    bottom = 36.0
    return Drawing(
        title=f"{title} on permuted data",
        description="; ".join(map(_described, panels)),
        draw=draw,
        height=len(panels) * (_HEADER + _BARS + _UNDER) + bottom,
        left=14.0,
        right=max(text_width(p.text, bold=True) for p in panels) + 12,
        top=0.0,
        bottom=bottom,
    )


def _draw_panel(
    axes: Axes, panel: NullPanel, name: str, base: float, span: float
) -> None:
    top = base - _BARS
    margin_text(axes, 0.0, top - _HEADER / 2 + 2, name, INK, bold=True)
    middles, heights, width = _bars(panel.permuted, span)
    axes.bar(
        middles,
        -_BARS * heights / heights.max(),
        width,
        bottom=base,
        color=INK_SOFT,
        edgecolor=MUTED,
        linewidth=0.4,
        zorder=2,
    )
    axes.axhline(base, color=MUTED, linewidth=0.6, zorder=3)
    if panel.null_data.size:
        axes.plot(
            panel.null_data,
            np.full(panel.null_data.size, base + 5),
            "|",
            color=MUTED,
            markersize=6,
            markeredgewidth=0.8,
            zorder=3,
        )
    axes.vlines(panel.observed, top - 2, base, color=ACCENT, linewidth=2, zorder=4)
    margin_text(axes, 1.0, base - 6, panel.text, ACCENT, bold=True, shift=8.0)


def _bars(values: FloatArray, span: float) -> tuple[FloatArray, FloatArray, float]:
    """Return middles and heights of bars, and their width.

    Means of few samples take few values: bars between them would show gaps that are
    none of the data's.
    """
    single, counts = np.unique(values.round(9), return_counts=True)
    if single.size <= _MOST_VALUES:
        step = float(np.diff(single).min()) if single.size > 1 else span / _BINS
        return single, counts.astype(np.float64), 0.8 * max(step, span / 200)
    heights, edges = np.histogram(values, bins=_BINS)
    width = float(edges[1] - edges[0])
    return (edges[:-1] + edges[1:]) / 2, heights.astype(np.float64), width


def _described(panel: NullPanel) -> str:
    low, high = panel.permuted.min(), panel.permuted.max()
    return (
        f"{panel.name} {panel.text}, {formats.count(panel.permuted.size)} permutations "
        f"{low:.3g} to {high:.3g}"
    )


VIEWS = {"permutation-test": test_document}
