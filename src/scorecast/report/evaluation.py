"""How the scores of one model are laid out: the share of right samples."""

from __future__ import annotations

from scorecast.evaluation import (
    CLUSTERED_WILSON,
    PROPORTION_INTERVALS,
    ProportionInterval,
)
from scorecast.report import formats
from scorecast.report.document import Document, Section, Table


def proportion_document(found: ProportionInterval) -> Document:
    """Lay out a share with its interval."""
    count, n = formats.count(found.n_successes), formats.count(found.n_samples)
    groups = ""
    works: tuple[str, ...]
    if found.n_groups is None:
        method = PROPORTION_INTERVALS[found.method]
        by, works = method.title, (method.reference,)
        assumed = "samples are independent, and resemble those to come"
    else:
        groups = f", in {formats.count(found.n_groups)} groups"
        by = f"{CLUSTERED_WILSON.title}, {CLUSTERED_WILSON.summary}"
        wilson = PROPORTION_INTERVALS["wilson"].reference
        works = (wilson, CLUSTERED_WILSON.reference)
        effect = formats.amount(found.design_effect, 2)
        assumed = (
            "groups are independent, and resemble those to come; samples of one group "
            f"may be alike, so that {effect} of them count as one"
        )
    ends = formats.span(formats.percent, found.low, found.high)
    return Document(
        headline=f"{count} of {n} samples are right{groups}: "
        f"{formats.percent(found.estimate)} "
        f"({formats.level(found.confidence_level)}: {ends}).",
        sections=(Section(heading="All numbers", tables=(_numbers(found),)),),
        facts=(("By", by), ("Assumes", assumed)),
        references=works,
    )


def _numbers(found: ProportionInterval) -> Table:
    """Set out every field, by the names that Python and JSON have for them."""
    rows = [
        ("n_samples", formats.count(found.n_samples)),
        ("n_successes", formats.count(found.n_successes)),
        ("n_groups", formats.count(found.n_groups) if found.n_groups else "none"),
        ("method", found.method),
        ("confidence_level", f"{found.confidence_level:g}"),
        ("estimate", formats.amount(found.estimate, 4)),
        ("low", formats.amount(found.low, 4)),
        ("high", formats.amount(found.high, 4)),
        ("design_effect", formats.amount(found.design_effect, 4)),
    ]
    return Table(columns=("field", "value"), rows=tuple(rows))


VIEWS = {"proportion-interval": proportion_document}
