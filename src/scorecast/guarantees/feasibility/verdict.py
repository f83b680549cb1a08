"""What the tests together say, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

from scorecast.guarantees.feasibility.significance import NullTest
from scorecast.guarantees.loss_values import MOST_CASES, rough_size

__all__ = ["FEASIBLE", "Verdict", "judge"]

FEASIBLE, EXPLORATORY, NOT_SUPPORTED = "feasible", "exploratory only", "not supported"
NO_VERDICT = "no verdict"  # what could not be tested is not refuted
_POWER = 0.8


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether the estimate may be relied on.

    Attributes
    ----------
    word : str
        ``"feasible"``, ``"exploratory only"``, ``"not supported"``, or ``"no verdict"``
        where a test could not be made.
    reason : str
        Why, in a sentence.
    n_needed : int or None
        Cases needed to settle it with a chance of 80 %, if more would help and a
        million are enough.
    """

    word: str
    reason: str
    n_needed: int | None

    def said(self) -> str:
        """Return word and reason as one sentence."""
        return f"{self.word[:1].upper()}{self.word[1:]}: {self.reason}"


def judge(
    permuted: NullTest,
    null_models: tuple[NullTest, ...],
    null_data: NullTest | None,
    *,
    n: int,
    alpha: float,
    relaxed_alpha: float,
) -> Verdict:
    """Weigh the tests.

    The model must beat permuted targets, in rank and in the t-test, and every null
    model. Null data are weighed in words only: a model that does no better on the real
    data than on those may be right and still have learned nothing but single features.

    Parameters
    ----------
    permuted : NullTest
        Against permuted targets.
    null_models : tuple of NullTest
        Against models that know next to nothing.
    null_data : NullTest or None
        Against null data, if they were drawn.
    n : int
        Number of cases.
    alpha, relaxed_alpha : float
        Level for "feasible", and for "exploratory only".

    Returns
    -------
    Verdict
        Word, reason, and cases needed.
    """
    tests = (permuted, *null_models)
    worst = max(tests, key=lambda t: math.inf if math.isnan(t.worst_p) else t.worst_p)
    p = worst.worst_p
    if math.isnan(p):
        return Verdict(
            word=NO_VERDICT, reason=f"{worst.setting}: {worst.note}.", n_needed=None
        )
    said = f"against {worst.setting} p = {_number(p)}"
    if p <= alpha:
        return Verdict(
            word=FEASIBLE,
            reason=f"better than permuted data and null models ({said} at most)"
            f"{_beyond(null_data, alpha)}.",
            n_needed=None,
        )
    needed = _needed(worst, n, alpha)
    help_said = _help(worst, needed, n, alpha)
    if needed is not None and not n < needed <= MOST_CASES:
        needed = None
    if p <= relaxed_alpha:
        reason = f"{said}, within {relaxed_alpha:g} but not {alpha:g}; {help_said}."
        return Verdict(word=EXPLORATORY, reason=reason, n_needed=needed)
    few = round(1 / worst.smallest_p) if worst.smallest_p > 0 else 0
    if worst.smallest_p > alpha and few <= worst.n_draws:
        reason = (
            f"groups allow {few} arrangements of the features only, so that p cannot "
            f"fall below {_number(worst.smallest_p)}."
        )
        return Verdict(word=NO_VERDICT, reason=reason, n_needed=None)
    reason = f"{said}: not shown to be any better; {help_said}."
    if permuted.worst_p <= alpha:
        # There is something to learn; it is the model that is not needed for it.
        reason = (
            f"better than permuted data (p = {_number(permuted.worst_p)}), but not "
            f"shown to be any better than {worst.setting} (p = {_number(p)}), which "
            f"is simpler; {help_said}."
        )
    return Verdict(word=NOT_SUPPORTED, reason=reason, n_needed=needed)


def _needed(test: NullTest, n: int, alpha: float) -> int | None:
    if not (test.gap > 0 and test.stderr > 0):
        return None
    reach = float(ndtri(1 - alpha) + ndtri(_POWER)) * test.stderr / test.gap
    return math.ceil(n * reach**2) if math.isfinite(reach**2) else None


def _help(test: NullTest, needed: int | None, n: int, alpha: float) -> str:
    if test.smallest_p > alpha:
        return f"{test.n_draws} draws cannot show less than {_number(test.smallest_p)}"
    if needed is None:
        return "as it stands, more cases of this kind would not settle it"
    if needed <= n:
        # The spread would allow it; few folds or draws are what stands in the way.
        return (
            f"{n:,} cases are enough for a difference of this size, so that more "
            "splits or draws may settle it"
        )
    about = f"{'' if needed > MOST_CASES else 'about '}{rough_size(needed)}"
    return f"{about} cases would settle it, if the difference is as it looks"


def _beyond(null_data: NullTest | None, alpha: float) -> str:
    if null_data is None:
        return ""
    if math.isnan(null_data.worst_p):
        return f"; null data: {null_data.note}"
    p = _number(null_data.worst_p)
    if null_data.worst_p <= alpha:
        return f", and than null data (p = {p})"
    if null_data.smallest_p > alpha:
        least = _number(null_data.smallest_p)
        return f"; {null_data.n_draws} null data sets cannot show p below {least}"
    return f"; not than null data (p = {p}): what single features show would explain it"


def _number(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"
