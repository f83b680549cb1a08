"""Predicting when: densities of times of which some are censored, and their worth.

Public names are written once, in ``__init__.pyi``, and loaded when first used:
`SurvivalModel` brings scikit-learn along, which the rest does without.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
