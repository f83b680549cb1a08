"""From the score on the test set to the score where the model will be used.

>>> import scorecast as sc
>>> answer = sc.extrapolate(scores, y_true, to=[400, 10_000])  # doctest: +SKIP
>>> print(answer)  # doctest: +SKIP

Public names are written once, in ``__init__.pyi``, and loaded when first used.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import lazy_loader

from scorecast._version import __version__ as __version__

_at_the_door, _names, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __getattr__(name: str) -> Any:
    # What is not at the door is in a room: `sc.evaluation.proportion_interval`.
    is_room = name not in __all__ and not name.startswith("_")
    if is_room and importlib.util.find_spec(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    return _at_the_door(name)


def __dir__() -> list[str]:
    return sorted(__all__)
