"""The line search of Moré and Thuente, as L-BFGS-B uses it.

Every step must be the one that SciPy's solver takes, so the safeguards and constants of
MINPACK-2 are part of the contract: sufficient decrease 1e-3, curvature 0.9, relative
width 0.1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

__all__ = ["next_step", "start_search"]

_DECREASE, _CURVATURE, _WIDTH = 1e-3, 0.9, 0.1
_LONGEST = 1e10
_GROW, _SHRINK = 4.0, 0.66
# Places in the state of a search.
_BRACKETED, _STAGE, _F0, _G0, _SPAN, _SPAN_BEFORE = 0, 1, 2, 3, 4, 5
_X, _FX, _GX, _Y, _FY, _GY, _LOW, _HIGH = 6, 7, 8, 9, 10, 11, 12, 13
_SIZE = 14


@njit(nogil=True, cache=True)
def start_search(step: float, value: float, slope: float) -> Any:
    """Begin a search from a value and a slope that goes down."""
    state = np.zeros(_SIZE)
    state[_STAGE] = 1.0
    state[_F0] = state[_FX] = state[_FY] = value
    state[_G0] = state[_GX] = state[_GY] = slope
    state[_SPAN] = _LONGEST
    state[_SPAN_BEFORE] = 2 * _LONGEST
    state[_HIGH] = step + _GROW * step
    return state


@njit(nogil=True, cache=True)
def next_step(state: Any, step: float, value: float, slope: float) -> Any:
    """Judge a step; return whether it is accepted, and the next one to try."""
    test = _DECREASE * state[_G0]
    limit = state[_F0] + step * test
    if state[_STAGE] == 1.0 and value <= limit and slope >= 0:
        state[_STAGE] = 2.0
    bracketed = state[_BRACKETED] == 1.0
    low, high = state[_LOW], state[_HIGH]
    stuck = bracketed and (step <= low or step >= high or high - low <= _WIDTH * high)
    far = step == _LONGEST and value <= limit and slope <= test
    flat = step == 0.0 and (value > limit or slope >= test)
    good = value <= limit and abs(slope) <= _CURVATURE * -state[_G0]
    if stuck or far or flat or good:
        return True, step
    if state[_STAGE] == 1.0 and value <= state[_FX] and value > limit:
        # In the first stage the function less its expected decrease is searched.
        for f, g, x in ((_FX, _GX, _X), (_FY, _GY, _Y)):
            state[f] -= state[x] * test
            state[g] -= test
        tried = _trial(state, step, value - step * test, slope - test)
        for f, g, x in ((_FX, _GX, _X), (_FY, _GY, _Y)):
            state[f] += state[x] * test
            state[g] += test
    else:
        tried = _trial(state, step, value, slope)
    return False, _guarded(state, tried)


@njit(nogil=True, cache=True)
def _guarded(state: Any, step: float) -> float:
    """Keep the interval shrinking and the step inside it."""
    if state[_BRACKETED] == 1.0:
        gap = state[_Y] - state[_X]
        if abs(gap) >= _SHRINK * state[_SPAN_BEFORE]:
            step = state[_X] + 0.5 * gap
        state[_SPAN_BEFORE] = state[_SPAN]
        state[_SPAN] = abs(gap)
        state[_LOW] = min(state[_X], state[_Y])
        state[_HIGH] = max(state[_X], state[_Y])
    else:
        state[_LOW] = step + 1.1 * (step - state[_X])
        state[_HIGH] = step + _GROW * (step - state[_X])
    step = min(max(step, 0.0), _LONGEST)
    low, high = state[_LOW], state[_HIGH]
    if state[_BRACKETED] == 1.0 and (
        step <= low or step >= high or high - low <= _WIDTH * high
    ):
        step = state[_X]
    return step


@njit(nogil=True, cache=True)
def _trial(state: Any, step: float, value: float, slope: float) -> float:
    """Choose a trial step by interpolation, and update the interval."""
    opposite = slope * math.copysign(1.0, state[_GX]) < 0
    if value > state[_FX]:
        tried = _above(state, step, value, slope)
        state[_BRACKETED] = 1.0
    elif opposite:
        tried = _crossed(state, step, value, slope)
        state[_BRACKETED] = 1.0
    elif abs(slope) < abs(state[_GX]):
        tried = _flatter(state, step, value, slope)
    elif state[_BRACKETED] == 1.0:
        tried = _cubic(state[_Y], state[_FY], state[_GY], step, value, slope)
    else:
        tried = state[_HIGH] if step > state[_X] else state[_LOW]
    if value > state[_FX]:
        state[_Y], state[_FY], state[_GY] = step, value, slope
    else:
        if opposite:
            state[_Y], state[_FY], state[_GY] = state[_X], state[_FX], state[_GX]
        state[_X], state[_FX], state[_GX] = step, value, slope
    return tried


@njit(nogil=True, cache=True)
def _curvature(x: float, fx: float, gx: float, t: float, ft: float, gt: float) -> Any:
    """Return the two numbers that the minimum of the cubic is made of."""
    theta = 3 * (fx - ft) / (t - x) + gx + gt
    scale = max(abs(theta), abs(gx), abs(gt))
    inside = (theta / scale) ** 2 - (gx / scale) * (gt / scale)
    return theta, scale * math.sqrt(max(0.0, inside))


@njit(nogil=True, cache=True)
def _cubic(x: float, fx: float, gx: float, t: float, ft: float, gt: float) -> float:
    """Find the minimum of the cubic, seen from the trial step."""
    theta, gamma = _curvature(x, fx, gx, t, ft, gt)
    if t > x:
        gamma = -gamma
    ratio = ((gamma - gt) + theta) / (((gamma - gt) + gamma) + gx)
    return t + ratio * (x - t)


@njit(nogil=True, cache=True)
def _above(state: Any, t: float, ft: float, gt: float) -> float:
    """Interpolate where the trial is higher: the minimum lies between."""
    x, fx, gx = state[_X], state[_FX], state[_GX]
    theta, gamma = _curvature(x, fx, gx, t, ft, gt)
    if t < x:
        gamma = -gamma
    ratio = ((gamma - gx) + theta) / (((gamma - gx) + gamma) + gt)
    cubic = x + ratio * (t - x)
    square = x + ((gx / ((fx - ft) / (t - x) + gx)) / 2) * (t - x)
    if abs(cubic - x) < abs(square - x):
        return cubic
    return cubic + (square - cubic) / 2


@njit(nogil=True, cache=True)
def _crossed(state: Any, t: float, ft: float, gt: float) -> float:
    """Interpolate where the slopes have opposite signs."""
    x, fx, gx = state[_X], state[_FX], state[_GX]
    cubic = _cubic(x, fx, gx, t, ft, gt)
    secant = t + (gt / (gt - gx)) * (x - t)
    return cubic if abs(cubic - t) > abs(secant - t) else secant


@njit(nogil=True, cache=True)
def _flatter(state: Any, t: float, ft: float, gt: float) -> float:
    """Extrapolate where the slope is of the same sign and smaller."""
    x, fx, gx = state[_X], state[_FX], state[_GX]
    theta, gamma = _curvature(x, fx, gx, t, ft, gt)
    if t > x:
        gamma = -gamma
    ratio = ((gamma - gt) + theta) / ((gamma + (gx - gt)) + gamma)
    if ratio < 0 and gamma != 0:
        cubic = t + ratio * (x - t)
    else:
        cubic = state[_HIGH] if t > x else state[_LOW]
    secant = t + (gt / (gt - gx)) * (x - t)
    closer = abs(cubic - t) < abs(secant - t)
    if state[_BRACKETED] == 1.0:
        tried = cubic if closer else secant
        edge = t + _SHRINK * (state[_Y] - t)
        return min(edge, tried) if t > x else max(edge, tried)
    tried = secant if closer else cubic
    return min(max(tried, state[_LOW]), state[_HIGH])
