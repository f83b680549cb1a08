"""Many of what kernels draw, or look up, one by one."""

import numpy as np
from numba import njit

from scorecast.mixtures.kernels.density import fill_rows
from scorecast.mixtures.kernels.special import (
    MOST_KNOTS,
    draw_above,
    draw_root,
    fill_table,
    read_table,
)

many = njit(nogil=True, cache=True, error_model="numpy")


@many
def draw_roots(rng, p, a, b, out):
    """`draw_root` for every entry."""
    for i in range(p.size):
        out[i] = draw_root(rng, p[i], a[i], b[i])


@many
def draw_aboves(rng, a, out):
    """`draw_above` for every entry."""
    for i in range(out.size):
        out[i] = draw_above(rng, a)


@many
def read_tables(p, width, z, out):
    """`read_table` for every z, of a table of such a width."""
    table = np.empty((MOST_KNOTS, 7))
    n_left = fill_table(p, width, table)
    for i in range(out.size):
        out[i] = read_table(p, z[i], n_left, table)


@many
def fill_all_rows(x, n_components, components, constants, densities):
    """`fill_rows`, that is otherwise compiled into a sweep."""
    fill_rows(x, n_components, components, constants, densities)
