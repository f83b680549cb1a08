"""Bias and variance of an assessment on a page."""

from __future__ import annotations

from scorecast.guarantees import Assessment
from scorecast.report.assessment_plots import bias_drawing
from scorecast.report.formats import model_name
from scorecast.report.sections import Section

__all__ = ["bias_sections"]

_DIVIDED = {
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
        "of their sum is of the size of the rmse.",
    ),
}
_LEAD = (
    "Bias is what most fits get wrong alike, variance what changes with the cases "
    "learned from: more cases help against variance, a richer model against bias. "
    "Noise of the targets cannot be told apart and counts as bias."
)


def bias_sections(result: Assessment) -> list[Section]:
    """Lay out how the error divides, one section for each way of dividing it.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    list of Section
        None if it was not asked for.
    """
    methods = dict.fromkeys(x.method for m in result.assessed for x in m.bias_variance)
    return [
        Section(
            heading=_DIVIDED.get(method, "Bias and variance"),
            lead=(_LEAD, _added_up(result, method), *_BIAS_LEADS.get(method, ()))
            if place == 0
            else _BIAS_LEADS.get(method, ()),
            figure=bias_drawing(result, method),
        )
        for place, method in enumerate(methods)
    ]


def _added_up(result: Assessment, method: str) -> str:
    """Say which error the parts add up to: that of these fits."""
    parts = [
        (model_name(model.name), part)
        for model in result.assessed
        for part in model.bias_variance
        if part.method == method
    ]
    sums = ", ".join(f"{name} {part.error:.3f}" for name, part in parts)
    squared = "squared " if method == "squared" else ""
    extra = max(part.n_extra for _, part in parts)
    if not extra:
        return f"Both add up to the mean {squared}error of the fits ({sums})."
    return (
        f"To tell them apart a case has to be tested by several fits, so {extra} more "
        "were made for this alone, to bootstrap samples. Both add up to the mean "
        f"{squared}error of these fits ({sums}), not to that of the assessment: a "
        "bootstrap sample holds fewer different cases, and errors tend to be larger."
    )
