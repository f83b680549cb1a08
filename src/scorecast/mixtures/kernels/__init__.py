"""Compiled loops of the sampler, in the order in which a sweep uses them.

`state` names the arrays; `density` fills densities of all cases, `split_merge` changes
the number of components, `gibbs` draws labels, scales, components and the population,
`sweep` puts all of it together, for values that are known, behind noise, or with a
likelihood raised to a power; `conditional` predicts. Below them: `matrix`, `special`.
Importing any of them but `state` imports numba.

Numba keeps what it compiled and does not notice when a function called by a kept one
changes: after editing a kernel, remove ``__pycache__`` here (the test suite does so).
"""
