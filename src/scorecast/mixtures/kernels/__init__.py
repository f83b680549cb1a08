"""Compiled loops of the sampler, in the order in which a sweep uses them.

`layout` names the arrays; `density` fills densities of all cases, `jump` (with
`proposal`) splits and merges components, `case` assigns cases, `component` and
`population` draw the parameters, `sweep` puts all of it together. `latent` adds true
values behind measurements, `tempered` (with `orbit`) those of a likelihood raised to a
power; `conditional` predicts. Below them: `matrix`, `half_normal`, `pro_gamma`,
`normal`. Importing any of them imports numba.

Numba keeps what it compiled and does not notice when a function called by a kept one
changes: after editing a kernel, remove ``__pycache__`` here (the test suite does so).
"""
