"""Dirichlet mixtures of skew-Student distributions, in any number of dimensions.

The distribution, the hierarchical prior, a sampler of the posterior that lets the
number of components vary, and its diagnostics. Knows nothing of predictions.

Public names are written once, in ``__init__.pyi``, and loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
