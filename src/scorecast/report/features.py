"""How the space of features, and features that were selected, are laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorecast.evaluation import DataProfile
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import Drawing, count_axis
from scorecast.report.forest import Group, Row, draw_groups, rows_drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROFILE_LEAD = (
    "A promise holds for data of this kind. What was learned where features are many, "
    "skewed, correlated or unbalanced says little of spaces where they are not."
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


VIEWS = {"data-profile": profile_document}
