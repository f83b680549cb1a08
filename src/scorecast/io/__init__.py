"""Read scores, labels and settings from files; write answers to files.

Every fault of an input is an `InvalidInputError` of one line that names the file, the
place (lines, rows and columns counted from one) and the way out. Nothing read is ever
executed, inputs are never changed, and outputs appear whole or not at all.

Public names are written once, in ``__init__.pyi``, and loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
