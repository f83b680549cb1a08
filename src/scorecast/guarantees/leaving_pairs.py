"""What leaving out pairs, one case of each of two classes, can and cannot say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scorecast.exceptions import UsageError
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.sampling import Plan, Sampling

__all__ = ["check_pairs", "usual_loss"]

_USUAL = "balanced-accuracy"
# Losses that pairs distort; the last one of more than two classes only.
_BY_FREQUENCY = ("f1", "mcc", "specificity")


def usual_loss(task: str, samplings: Iterable[Any]) -> str | None:
    """Name the usual loss where pairs are left out.

    Parameters
    ----------
    task : str
        ``"classification"`` or ``"regression"``.
    samplings : iterable
        Ways of splitting, in whatever form; one loss is for all of them.

    Returns
    -------
    str or None
        None where that of the task will do.
    """
    kinds = [x.kind if isinstance(x, Sampling) else x for x in samplings]
    pairs = any(isinstance(kind, str) and kind == "lpo" for kind in kinds)
    return _USUAL if pairs and task == "classification" else None


def check_pairs(
    plan: Plan, problem: Problem, losses: Iterable[Loss], *, only_cases: bool = False
) -> None:
    """Refuse what pairs of cases cannot say.

    Every case is tested as often as all others of its class, so that shares of single
    classes, and balanced accuracy, are what they should be. What depends on how
    frequent classes are is not: in pairs all are alike. A mean of cases can still be
    had case by case, but values of pairs, which intervals and tests go by, are of
    something else: the accuracy of pairs is the balanced one.

    Parameters
    ----------
    plan : Plan
        The splits.
    problem : Problem
        The cases.
    losses : iterable of Loss
        The losses.
    only_cases : bool, default=False
        Whether nothing but the estimate is asked for, so that means of cases will do.

    Raises
    ------
    UsageError
        An AUC of more classes than a pair holds, or a loss that goes by how frequent
        classes are.
    """
    if plan.sampling.kind != "lpo":
        return
    many, asked = len(problem.classes) > 2, tuple(losses)
    if many and any(loss.name == "auc" for loss in asked):
        msg = (
            f"Leave-pair-out has no AUC of {len(problem.classes)} classes, as a pair "
            "holds two. Take sampling 'cv10', or two classes at a time."
        )
        raise UsageError(msg)
    distorted = _BY_FREQUENCY[: 2 + many]
    for loss in asked:
        of_cases = loss.per_sample is not None and not only_cases
        if of_cases or loss.name in distorted:
            raise UsageError(_refused(loss.name, many=many))


def _refused(name: str, *, many: bool) -> str:
    instead = _USUAL if many else f"auc or {_USUAL}"
    return (
        f"Leave-pair-out tests classes equally often, so that {name} would not be "
        f"that of these cases. Take sampling 'loo' or 'cv10', or the loss {instead}."
    )
