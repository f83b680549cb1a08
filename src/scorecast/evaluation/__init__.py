"""What can be said of models from their test samples: metrics, intervals, errors.

Public names are written once, in ``__init__.pyi``, and loaded when first used. Some
files have the name of the function they are about: the surface gives the function.
"""

import sys
from types import ModuleType
from typing import Any

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


class _Surface(ModuleType):
    """A module in which a loaded file does not hide the function of its name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in __all__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Surface
