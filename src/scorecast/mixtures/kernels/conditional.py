"""Compiled conditional distributions: coordinate 0 given noisy other coordinates.

Given component, scale alpha and noise scale lambda everything is normal, so what is
predicted is a mixture of normals over (component, lambda, alpha), weighted by how well
each foretells the coordinates that were measured. Where one of them is a gross error,
either scale may be tiny, and which of the two is not known: the weight then has two
summits. With rho = alpha / lambda held fixed, though, alpha has a modified half-normal
density whose mode is known. So log rho runs over an even grid as wide as the weight
asks for, and log sqrt(alpha) over one around its mode given rho.

Coordinates are turned, once for all cases, so that truth and noise become diagonal:
of a case every node then costs a few additions, and no difference of large numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kernels.density import rate_of
from scorecast.mixtures.kernels.matrix import LOG_2PI, compiled, entry, merged
from scorecast.mixtures.kernels.special import normal_values
from scorecast.mixtures.kernels.state import Components

# The trapezoid rule errs by 2 exp(-2 pi^2 / step^2) for a normal density, 2e-6 here.
STEP = 1.2  # deviations
WIDEST = 0.7, 0.4  # of log rho, and of log sqrt(alpha)
# What lies so many nats below the summit is left out: the far tails live on it.
DEEP = 40.0
MASS, REACH = 14.0, 8.0  # with heavy tails: nats, and how far the logarithm goes on
MUCH = 1e5  # so many times more, and what is added cannot be seen
MOST_STEPS = 40  # of log sqrt(alpha) to each side


class Turned(NamedTuple):
    """Components in coordinates in which truth and noise are diagonal together.

    With D the precision of the noise and C the covariance of the measured coordinates,
    D^1/2 C D^1/2 = U diag(gain) U' and a vector v becomes U' D^1/2 v.
    """

    turn: FloatArray  # U' D^1/2, (components, k, k)
    gain: FloatArray  # (components, k)
    skew: FloatArray  # turned, (components, k)
    cross: FloatArray  # covariances with coordinate 0, turned, (components, k)
    rest: FloatArray  # variance of coordinate 0 given the true others, (components,)
    measured: IntArray  # which coordinates, (k,)
    noise: FloatArray  # precision of coordinate 0, shape, half the log det of D / 2 pi


@compiled
def _turn(
    value: FloatArray, c: int, components: Components, turned: Turned, away: FloatArray
) -> None:
    """Fill how far the measurements lie from the location, turned."""
    k = turned.measured.size
    for i in range(k):
        away[i] = 0.0
        for j in range(k):
            at = turned.measured[j]
            off = value[at] - components.location[c, at]
            away[i] += turned.turn[c, i, j] * off


@compiled
def _forms(
    rho: float, c: int, turned: Turned, away: FloatArray, out: FloatArray
) -> None:
    """Fill sums over the turned coordinates: what a case says given rho, scale one.

    Squared distance, its product with the skew, the skew's square, log determinant;
    then the pulls of distance and skew on coordinate 0, and its variance.
    """
    for j in range(7):
        out[j] = 0.0
    product = 1.0  # one logarithm for many factors
    for i in range(away.size):
        gain, cross, skew = turned.gain[c, i], turned.cross[c, i], turned.skew[c, i]
        total = gain + rho
        out[0] += away[i] / total * away[i]
        out[1] += away[i] / total * skew
        out[2] += skew / total * skew
        product *= total
        if not 1e-100 < product < 1e100:
            out[3] += math.log(product)
            product = 1.0
        out[4] += cross / total * away[i]
        out[5] += cross / total * skew
        out[6] += cross / gain * cross * (rho / total)
    out[3] += math.log(product)
    out[6] += turned.rest[c]


@compiled
def _peak(a: float, b: float, q: float) -> tuple[float, float]:
    """Return mode and deviation of log s where s^q exp(-a s^2 + b s) is its density."""
    root = math.sqrt(b * b + 8.0 * a * q)
    mode = 2.0 * q / (root - b) if b < 0.0 else (b + root) / (4.0 * a)
    return mode, 1.0 / math.sqrt(q + 2.0 * a * mode * mode)


@compiled
def _above(deep: float, shape: float) -> float:
    """Log of what a gamma scale of mean one exceeds with probability exp(-deep)."""
    return math.log1p(deep / shape + math.sqrt(2.0 * deep / shape))


@compiled
def _grid(
    c: int, m: float, r: float, turned: Turned, away: FloatArray
) -> tuple[float, float, int]:
    """Return where log rho begins, its step and how many there are."""
    shape = turned.noise[1]
    far, far_noise, deep = 0.0, 0.0, DEEP + away.size
    for i in range(away.size):
        far_noise += away[i] * away[i]
        far += away[i] / turned.gain[c, i] * away[i]
        deep += turned.skew[c, i] / turned.gain[c, i] * turned.skew[c, i]
    middle = math.log(m / r)
    low = middle - math.log1p(far / r) - DEEP / m - 1.0 - _above(deep, shape)
    high = middle + math.log1p(far_noise / shape) + DEEP / shape + 1.0
    high += _above(deep, m)
    # No posterior of log rho is narrower than this many deviations of one.
    step = min(STEP * 2.0 / math.sqrt(m + shape + away.size), WIDEST[0])
    return low, step, int((high - low) / step) + 2


@compiled
def _height(
    log_rho: float,
    m: float,
    r: float,
    noise_shape: float,
    k: int,
    forms: FloatArray,
) -> tuple[float, float, float]:
    """Return log weight of log rho (up to the component's), mode and deviation."""
    q = 2.0 * (m + noise_shape) + k
    a = r + noise_shape * math.exp(-log_rho) + 0.5 * forms[0]
    mode, spread = _peak(a, forms[1], q)
    top = q * math.log(mode) - a * mode * mode + forms[1] * mode
    top -= 0.5 * (forms[2] + forms[3]) + noise_shape * log_rho
    return top + math.log(spread) + 0.5 * LOG_2PI, mode, spread


@merged
def _scan(
    c: int,
    components: Components,
    kind: int,
    turned: Turned,
    away: FloatArray,
    forms: FloatArray,
) -> tuple[float, float]:
    """Return the highest log weight of the component and the log rho it has there."""
    m, shape = components.shape[c], turned.noise[1]
    r = rate_of(m, kind)
    low, step, number = _grid(c, m, r, turned, away)
    best, place = -np.inf, low
    for j in range(number):
        at = low + j * step
        _forms(math.exp(at), c, turned, away, forms)
        height = _height(at, m, r, shape, away.size, forms)[0]
        if height > best:
            best, place = height, at
    return best, place


@compiled
def _level(c: int, components: Components, kind: int, turned: Turned) -> float:
    """Log of what all nodes of a component have in common, steps aside."""
    m, shape = components.shape[c], turned.noise[1]
    own = m * math.log(rate_of(m, kind)) - math.lgamma(m)
    own += shape * math.log(shape) - math.lgamma(shape) + turned.noise[2]
    return math.log(components.weight[c]) + own + math.log(2.0)


@merged
def _fill_of_ratio(
    place: int,
    c: int,
    node: FloatArray,
    forms: FloatArray,
    components: Components,
    turned: Turned,
    out: FloatArray,
) -> int:
    """Fill the normals of one rho from `place` on; return where the next begin.

    Node holds rho, q, a, mode, deviation, log level at the mode, and the least log
    weight worth a normal. Places beyond the end of `out` are counted only.
    """
    rho, q, a, mode, spread, level, least = node
    step = min(STEP * spread, WIDEST[1])
    level += math.log(step)
    least += math.log(step)
    middle = components.location[c, 0] + forms[4]
    slope = components.skew[c, 0] - forms[5]
    width = math.sqrt(forms[6] + rho / turned.noise[0])
    for side in range(2):
        for i in range(side, MOST_STEPS):
            t = (i if side else -i) * step
            s = mode * math.exp(t)
            own = level + q * t + (s - mode) * (forms[1] - a * (s + mode))
            if own < least:
                break
            if place < out.shape[1]:
                out[0, place] = own
                out[1, place] = middle + slope / s
                out[2, place] = width / s
            place += 1
    return place


@merged
def _fill_of_component(
    place: int,
    c: int,
    components: Components,
    kind: int,
    turned: Turned,
    away: FloatArray,
    forms: FloatArray,
    peak: tuple[float, float],
    least: float,
    out: FloatArray,
) -> int:
    """Fill the normals of one component from `place` on; return where the next begin.

    `peak` is what `_scan` found; `least` is the least log weight, per unit of both
    logarithms, that its draw asks for.
    """
    m, shape, k = components.shape[c], turned.noise[1], away.size
    r = rate_of(m, kind)
    low, step, number = _grid(c, m, r, turned, away)
    best, summit = peak
    level = _level(c, components, kind, turned)
    node = np.empty(7)
    for j in range(number):
        at = low + j * step
        rho = math.exp(at)
        _forms(rho, c, turned, away, forms)
        height, mode, spread = _height(at, m, r, shape, k, forms)
        reach = min(DEEP, MASS + REACH * (m if at < summit else shape))
        enough = max(level + best - reach, least)
        if not level + height >= enough:
            continue
        top = level + height - math.log(spread) - 0.5 * LOG_2PI
        node[0], node[1], node[3], node[4] = rho, 2.0 * (m + shape) + k, mode, spread
        node[2] = r + shape / rho + 0.5 * forms[0]
        node[5] = top + math.log(step)
        node[6] = enough + math.log(step)
        place = _fill_of_ratio(place, c, node, forms, components, turned, out)
    return place


@merged
def _normalise(start: int, end: int, out: FloatArray) -> float:
    """Turn log weights into shares of one; return the log of their sum."""
    top, total = -np.inf, 0.0
    for i in range(start, end):
        top = max(top, out[0, i])
    for i in range(start, end):
        out[0, i] = math.exp(out[0, i] - top)
        total += out[0, i]
    for i in range(start, end):
        out[0, i] /= total
    return top + math.log(total)


@entry
def fill_normals(
    value: FloatArray,
    sizes: IntArray,
    components: Components,
    kind: int,
    turned: Turned,
    out: FloatArray,
    ends: IntArray,
    level: FloatArray,
) -> None:
    """Fill weights, means and deviations of all draws for one vector of measurements.

    Components of all draws stand one after another; `sizes` says how many each has.
    Weights of a draw sum to one; `level` is the log density it gave the measurements;
    `ends` says where its normals end. If the last is beyond the end of `out`, nothing
    holds, and so many places are needed.
    """
    forms, away = np.empty(7), np.empty(turned.measured.size)
    heights, summits = np.empty(sizes.sum()), np.empty(sizes.sum())
    c, place = 0, 0
    for draw in range(sizes.size):
        start, best = place, -np.inf
        for i in range(c, c + sizes[draw]):
            _turn(value, i, components, turned, away)
            heights[i], summits[i] = _scan(i, components, kind, turned, away, forms)
            best = max(best, heights[i] + _level(i, components, kind, turned))
        for i in range(c, c + sizes[draw]):
            _turn(value, i, components, turned, away)
            peak = (heights[i], summits[i])
            place = _fill_of_component(
                place, i, components, kind, turned, away, forms, peak, best - DEEP, out
            )
        c += sizes[draw]
        ends[draw] = place
        if place <= out.shape[1]:
            level[draw] = _normalise(start, place, out)


@compiled
def _sums(at: float, normals: FloatArray, start: int, end: int) -> tuple[float, float]:
    """Add up densities and upper tails, less their common factors."""
    weight, mean, spread = normals[0], normals[1], normals[2]
    total, above = 0.0, 0.0
    for i in range(start, end):
        z = (at - mean[i]) / spread[i]
        if z < 39.0:
            height, tail = normal_values(z)
            total += weight[i] * height / spread[i]
            above += weight[i] * tail
    return total, above


@entry
def mixture_values(
    at: FloatArray,
    normals: FloatArray,
    n_heavy: int,
    density: FloatArray,
    survival: FloatArray,
) -> None:
    """Fill density and upper tail of a mixture of normals at every place.

    Those after the first `n_heavy` weigh so little that only the tails need them.
    """
    weight, spread = normals[0], normals[2]
    light, peak = 0.0, 0.0
    for i in range(n_heavy, weight.size):
        light += weight[i]
        peak += weight[i] / spread[i]
    for t in range(at.size):
        total, above = _sums(at[t], normals, 0, n_heavy)
        if total < peak * MUCH or above < 2.0 * light * MUCH:
            more, further = _sums(at[t], normals, n_heavy, weight.size)
            total += more
            above += further
        density[t] = total / math.sqrt(2.0 * math.pi)
        survival[t] = 0.5 * above


@compiled
def _below(at: float, normals: FloatArray) -> tuple[float, float]:
    """Return lower tail and density of a mixture of normals."""
    weight, mean, spread = normals[0], normals[1], normals[2]
    below, density = 0.0, 0.0
    for i in range(weight.size):
        z = (at - mean[i]) / spread[i]
        height, tail = normal_values(-z)
        below += weight[i] * tail
        density += weight[i] * height / spread[i]
    return 0.5 * below, density / math.sqrt(2.0 * math.pi)


@entry
def mixture_quantiles(share: FloatArray, normals: FloatArray, out: FloatArray) -> None:
    """Fill the quantiles of a mixture of normals: Newton, bisection where it strays."""
    weight, mean, spread = normals[0], normals[1], normals[2]
    lowest, highest, start = np.inf, -np.inf, 0.0
    for i in range(weight.size):
        lowest = min(lowest, mean[i] - 10.0 * spread[i])
        highest = max(highest, mean[i] + 10.0 * spread[i])
        start += weight[i] * mean[i]
    for t in range(share.size):
        low, high, at = lowest, highest, start
        for _ in range(200):
            below, density = _below(at, normals)
            off = below - share[t]
            if off < 0.0:
                low = at
            else:
                high = at
            step = at - off / density if density > 0.0 else low
            after = step if low < step < high else 0.5 * (low + high)
            done = abs(after - at) < 1e-9 * (1.0 + abs(at))
            at = after
            if done:
                break
        out[t] = at
