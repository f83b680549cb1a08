"""How the space of features, and features that were selected, are laid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scorecast.evaluation import (
    DataProfile,
    FeatureSelectionTest,
    NoSpread,
    SelectionBias,
)
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import Drawing, axes_size, count_axis
from scorecast.report.forest import (
    Group,
    Row,
    draw_groups,
    groups_drawing,
    rows_drawing,
)
from scorecast.report.names import model_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROFILE_LEAD = (
    "A promise holds for data of this kind. What was learned where features are many, "
    "skewed, correlated or unbalanced says little of spaces where they are not."
)
SELECTION_LEAD = (
    "Bars run from the p-value of a feature by itself to the one that allows for "
    "having searched all of them: the share of permutations whose best feature does as "
    "well. Blue: hardly luck."
)
BIAS_LEAD = (
    "Features chosen first, on all samples, have seen the samples that are tested "
    "later. Chosen again inside every split they have not: that is the blue row, and "
    "the one to quote. Between them, the first interval moved by the difference."
)
_SURE = 0.05
_MOST_ROWS = 20
_NAME = 60  # characters of a model's name on a page
_NO_SPREAD = {
    NoSpread.FEW_SPLITS: ("splits have no values of their own", ""),
    NoSpread.UNCHANGED: (
        "no split changed",
        ": the model made no use of the difference",
    ),
    NoSpread.ALL_ALIKE: (
        "all splits differ by as much, so that no spread is seen",
        "",
    ),
}
_WESTFALL_YOUNG = (
    "P. H. Westfall and S. S. Young (1993). Resampling-based multiple testing. Wiley."
)
_AMBROISE = (
    "C. Ambroise and G. J. McLachlan (2002). Selection bias in gene extraction on the "
    "basis of microarray gene-expression data. PNAS 99."
)
_JARQUE_BERA = (
    "C. M. Jarque and A. K. Bera (1980). Efficient tests for normality, "
    "homoscedasticity and serial independence of regression residuals. Economics "
    "Letters 6."
)


# Data profile ----------------------------------------------------------------------


def profile_document(found: DataProfile) -> Document:
    """Lay out in what kind of space a promise holds."""
    return Document(
        headline=profile_headline(found),
        sections=(
            Section(
                lead=(PROFILE_LEAD,),
                figure=_profile_figure(found),
                tables=(profile_table(found),),
                is_terminal=True,
            ),
        ),
        references=(_JARQUE_BERA,),
    )


def profile_headline(found: DataProfile) -> str:
    """Say what kind of space it is."""
    features = formats.counted(found.n_features, "features")
    return (
        f"{formats.count(found.n_samples)} samples, {features} "
        f"({found.samples_per_feature:.2g} samples each); {profile_in_short(found)}."
    )


def profile_in_short(found: DataProfile) -> str:
    """Say all but the sizes, without a full stop."""
    directions = formats.counted(round(found.effective_features), "directions")
    said = [f"features vary in about {directions}"]
    if found.class_counts:
        said.append(f"smallest class {found.balance:.2g} of the largest")
    said.append(f"{formats.percent(found.share_not_normal)} of features not normal")
    if found.n_blocks is not None:
        blocks = formats.counted(found.n_blocks, "blocks")
        said.append(f"{blocks} of correlated features")
    if found.class_counts:
        said.append(
            f"classes at most {found.separation:.1f} standard deviations apart in one "
            f"feature ({found.separation_by_luck:.1f} by luck)"
        )
    else:
        said.append(
            f"the target correlates at most {found.separation:.2f} with one feature "
            f"({found.separation_by_luck:.2f} by luck)"
        )
    return "; ".join(said)


def profile_table(found: DataProfile) -> Table:
    """Set out every property with what it means."""
    rows = [*_size_rows(found), *_shape_rows(found), *_structure_rows(found)]
    return Table(
        columns=("", "value"),
        rows=tuple((name, value) for name, value, _ in rows),
        notes=tuple(meaning for _, _, meaning in rows),
    )


def _size_rows(found: DataProfile) -> list[tuple[str, str, str]]:
    few = "fewer samples than features: some tell targets apart by luck"
    meaning = few if found.samples_per_feature < 1 else "more samples than features"
    rows = [("samples per feature", f"{found.samples_per_feature:.2g}", meaning)]
    if found.class_counts:
        sizes = ", ".join(
            f"{formats.one_line(name, 20)} {formats.count(n)}"
            for name, n in found.class_counts.items()
        )
        balance = f"{found.balance:.2g}"
        short = formats.one_line(sizes, 90)
        rows.append(("smallest class over largest", balance, short))
    return rows


def _shape_rows(found: DataProfile) -> list[tuple[str, str, str]]:
    within = "within classes; " if found.class_counts else ""
    return [
        (
            "features without spread",
            formats.count(found.n_constant),
            "the same value in every sample",
        ),
        (
            "features not normal",
            formats.percent(found.share_not_normal),
            f"{within}Jarque and Bera, 5 % false discoveries",
        ),
        (
            "features skewed",
            formats.percent(found.share_skewed),
            f"skewness beyond 1 in size; its median is {found.skewness:.2f}",
        ),
    ]


def _structure_rows(found: DataProfile) -> list[tuple[str, str, str]]:
    joined = f"from {found.threshold:g} on"
    if found.n_blocks is None or found.largest_block is None:
        blocks, meaning = formats.UNKNOWN, "too many features to compare them all"
    elif found.n_blocks:
        largest = formats.count(found.largest_block)
        blocks = formats.count(found.n_blocks)
        meaning = f"joined by correlations {joined}, the largest of {largest} features"
    else:
        blocks, meaning = "0", f"no two features have a correlation {joined}"
    lucky = f"luck alone would show {found.separation_by_luck:.2f}"
    if found.class_counts:
        apart = "distance of classes, best feature"
        lucky = f"in standard deviations; {lucky}"
    else:
        apart = "correlation with the target, best feature"
    features = formats.counted(found.n_features, "features")
    return [
        ("blocks of correlated features", blocks, meaning),
        (
            "directions they vary in",
            f"{found.effective_features:.0f}",
            f"of {features}: the fewer, the more redundant",
        ),
        (apart, f"{found.separation:.2f}", lucky),
    ]


def _profile_figure(found: DataProfile) -> Drawing:
    """Draw the sizes that make a space large or small."""
    sizes = [("features", found.n_features), ("samples", found.n_samples)]
    if found.class_counts:
        sizes.append(("smallest class", min(found.class_counts.values())))
    if found.largest_block is not None:
        sizes.append(("largest block", found.largest_block))
    sizes.append(("directions", max(1, round(found.effective_features))))
    rows = tuple(
        Row(
            name=name,
            dot=size,
            low=1.0,
            high=size,
            text=formats.count(size),
            strong=name == "directions",
        )
        for name, size in sizes
    )
    title = "How large the space is"
    groups = [Group(heading=title, rows=rows)]

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel="number", zero=False)
        count_axis(axes, 0.9, 1.2 * max(row.dot for row in rows))

    return rows_drawing(groups, draw, title=title, description=profile_headline(found))


# What luck would have selected -----------------------------------------------------


def selection_document(found: FeatureSelectionTest) -> Document:
    """Lay out which features luck would hardly have found."""
    return Document(
        headline=f"{selection_phrase(found)}.",
        sections=(
            Section(lead=(SELECTION_LEAD,), figure=selection_figure(found)),
            Section(tables=(selection_table(found, _MOST_ROWS),), is_terminal=True),
            *_all_features(found),
        ),
        references=(_WESTFALL_YOUNG,),
    )


def _all_features(found: FeatureSelectionTest) -> tuple[Section, ...]:
    if found.features.size <= _MOST_ROWS:
        return ()
    table = replace(selection_table(found), is_folded=True)
    return (Section(heading="All that were selected", tables=(table,)),)


def selection_phrase(found: FeatureSelectionTest) -> str:
    """Say how many features would hardly be found by luck, without a full stop."""
    sure = int(np.sum(found.p_max_statistic <= _SURE))
    return (
        f"Of the {formats.count(found.features.size)} best of "
        f"{formats.count(found.n_features)} features {formats.count(sure)} would "
        f"hardly be found by luck (best of all permuted features, p at most "
        f"{_SURE:g}); so many as good come by luck with p = "
        f"{found.p_same_rank[-1]:.2g}"
    )


def selection_table(found: FeatureSelectionTest, most: int | None = None) -> Table:
    """Set out the best features with their p-values, adjusted in every way."""
    size = found.features.size
    adjusted = (
        found.p_value,
        found.p_holm,
        found.q_value,
        found.p_max_statistic,
        found.p_same_rank,
    )
    rows = tuple(
        (
            formats.one_line(_feature_name(found, i), 40),
            f"{found.statistic[i]:.3g}",
            *(_p_cell(float(column[i])) for column in adjusted),
        )
        for i in range(size if most is None else min(most, size))
    )
    return Table(
        caption=f"The {len(rows)} best features and their p-values",
        columns=(
            "",
            "F",
            "p alone",
            "Holm",
            "false discovery",
            "best of all",
            "same rank",
        ),
        rows=rows,
    )


def _feature_name(found: FeatureSelectionTest, place: int) -> str:
    if found.names:
        return found.names[place]
    return f"feature {int(found.features[place]) + 1}"


def _p_cell(value: float) -> str:
    """Write a p-value; of small ones the order of magnitude counts here."""
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def selection_figure(found: FeatureSelectionTest) -> Drawing:
    """Draw the p-values of the best features, alone and allowing for the search."""
    rows = tuple(
        Row(
            name=formats.one_line(_feature_name(found, i), 20),
            dot=float(found.p_max_statistic[i]),
            low=max(float(found.p_value[i]), 1e-300),
            high=float(found.p_max_statistic[i]),
            text=_p_cell(float(found.p_max_statistic[i])),
            strong=bool(found.p_max_statistic[i] <= _SURE),
        )
        for i in range(min(found.features.size, _MOST_ROWS))
    )
    groups = [Group(heading="", rows=rows)]
    lowest = min(row.low for row in rows)

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel="p-value", zero=False)
        axes.set_xscale("log")
        axes.set_xlim(lowest / 2, 1.5)
        _power_ticks(axes, lowest)

    return rows_drawing(
        groups,
        draw,
        title="p-values of the best features",
        description=", ".join(f"{row.name} {row.text}" for row in rows),
    )


def _power_ticks(axes: Axes, lowest: float) -> None:
    width, _ = axes_size(axes)
    last = int(np.floor(np.log10(lowest)))
    step = max(1, int(np.ceil(-last / max(2.0, width / 60))))
    powers = list(range(0, last - 1, -step))
    names = ["1" if k == 0 else f"{10.0**k:g}" for k in powers]
    axes.set_xticks([10.0**k for k in powers], labels=names)
    axes.minorticks_off()


# Selection before the split, and inside it -----------------------------------------


def bias_document(found: SelectionBias) -> Document:
    """Lay out what selecting features before the split adds."""
    columns = found.to_columns()
    splits = tuple(
        (str(number), *(formats.metric_value(found.scoring, x) for x in pair))
        for number, pair in enumerate(zip(*columns.values(), strict=True), start=1)
    )
    return Document(
        headline=bias_headline(found),
        sections=(
            Section(
                lead=(BIAS_LEAD,),
                figure=bias_figure([("", found)]),
                tables=(bias_table([("", found)]),),
                is_terminal=True,
            ),
            Section(
                heading="Every split",
                tables=(
                    Table(
                        columns=("split", "chosen first", "chosen inside"),
                        rows=splits,
                        is_folded=True,
                    ),
                ),
            ),
        ),
        references=(_AMBROISE,),
    )


def bias_headline(found: SelectionBias) -> str:
    """Say what is honest, and what is owed to tested samples that took part."""
    how_many = "Features"
    if found.n_selected is not None:
        selected, all_of = map(formats.count, (found.n_selected, found.n_features))
        how_many = f"The best {selected} of {all_of} features"
    title = formats.metric_title(found.scoring)
    name = "the score" if title == "score" else title
    outside, inside = (
        formats.metric_value(found.scoring, x)
        for x in (found.outside_estimate, found.inside_estimate)
    )
    first = (
        f"{how_many} chosen on all samples: {name} {outside}; chosen again in every "
        f"split, as is honest: {inside} ({formats.level(found.confidence_level)}: "
        f"{_span(found, found.inside_interval)})."
    )
    if found.bias <= 0:
        return f"{first} Nothing is owed to tested samples that took part."
    owed = formats.metric_difference(found.scoring, found.bias).lstrip("+")
    return (
        f"{first} {owed} are owed to tested samples that took part; less these, their "
        f"own error counted, the interval {_span(found, found.outside_interval)} is "
        f"{_span(found, found.adjusted_interval)}."
    )


def _span(found: SelectionBias, ends: tuple[float, float]) -> str:
    return formats.metric_span(found.scoring, *ends)


def bias_table(results: Sequence[tuple[str, SelectionBias]]) -> Table:
    """Set out what is owed to choosing features first, by the names of the models."""
    names = model_names([name for name, _ in results])
    first = results[0][1]
    rows = tuple(
        (
            names[name],
            formats.metric_value(found.scoring, found.outside_estimate),
            formats.metric_value(found.scoring, found.inside_estimate),
            _span(found, found.inside_interval),
            _plain(found, found.bias),
            _gap_cell(found),
        )
        for name, found in results
    )
    unit = "points" if formats.is_proportion(first.scoring) else "more"
    interval = f"{formats.level(first.confidence_level)} interval"
    return Table(
        columns=(
            "",
            "chosen first",
            "chosen inside",
            interval,
            unit,
            f"of the {unit}",
        ),
        rows=rows,
        is_stacked=True,
    )


def _gap_cell(found: SelectionBias) -> str:
    if found.no_spread is not None:
        return _NO_SPREAD[found.no_spread][0]
    return " to ".join(_plain(found, end) for end in found.bias_interval)


def _plain(found: SelectionBias, difference: float) -> str:
    if np.isnan(difference):
        return formats.UNKNOWN
    return formats.metric_difference(found.scoring, difference, bare=True)


def bias_figure(results: Sequence[tuple[str, SelectionBias]]) -> Drawing:
    """Draw selection outside and inside the loop, three rows for every model."""
    groups = [
        Group(heading=formats.model_name(name, _NAME), rows=_bias_rows(found))
        for name, found in results
    ]
    scoring = results[0][1].scoring
    return groups_drawing(
        groups,
        formats.metric_title(scoring),
        "Features chosen outside and inside the splits",
        in_percent=formats.is_proportion(scoring),
    )


def _bias_rows(found: SelectionBias) -> tuple[Row, ...]:
    """Make three rows: chosen first, moved by the bias, chosen inside the splits."""
    moved = found.inside_estimate if found.bias > 0 else found.outside_estimate
    given = (
        ("chosen first", found.outside_estimate, found.outside_interval),
        ("less the bias", moved, found.adjusted_interval),
        ("chosen inside", found.inside_estimate, found.inside_interval),
    )
    return tuple(
        Row(
            name=name,
            dot=value,
            low=span[0],
            high=span[1] if np.isfinite(span[1]) else np.nan,
            text=formats.metric_span(found.scoring, *span, bare=True),
            strong=name == "chosen inside",
            hollow=name == "less the bias",
        )
        for name, value, span in given
    )


VIEWS = {
    "data-profile": profile_document,
    "feature-selection-test": selection_document,
    "selection-bias": bias_document,
}
