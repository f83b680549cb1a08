"""Many draws of what kernels draw one by one."""

from numba import njit

from scorecast.mixtures.kernels.special import draw_above, draw_root

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
