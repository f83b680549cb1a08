"""What tells one run of an assessment from another."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from scorecast._core.identity import identity_of
from scorecast._version import __version__
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.sampling import Plan
from scorecast.guarantees.tables import is_table

__all__ = ["fingerprint_of"]


def fingerprint_of(
    models: Mapping[str, Any], problem: Problem, plan: Plan, options: Any
) -> str:
    """Return what tells one run from another.

    Parameters
    ----------
    models : mapping of str to estimator
        Their classes and parameters count.
    problem : Problem
        The data, groups included.
    plan : Plan
        The splits.
    options : object
        Anything else that decides the numbers; see `identity_of`.

    Returns
    -------
    str
        Different where anything differs, the version included.
    """
    digest = hashlib.sha256(f"{__version__} {identity_of(options)}".encode())
    for name, model in models.items():
        digest.update(f"{name} {identity_of(model)}".encode())
    data = (_content(problem.X), problem.y, problem.groups)
    digest.update(identity_of(data).encode())
    for split in plan.splits:
        digest.update(split.train.tobytes() + b"|" + split.test.tobytes())
    return digest.hexdigest()


def _content(features: Any) -> Any:
    if is_table(features):
        rows = features.to_numpy(dtype=object).tolist()
        return f"{list(features.columns)!r} {rows!r}"
    return np.asarray(features)
