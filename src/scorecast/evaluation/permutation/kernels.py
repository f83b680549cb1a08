"""Compiled loops of the permutation engines: votes, trees, logistic regression.

Trees repeat scikit-learn's with the Gini index: the same draws, the same cuts and the
same rounding. Features are looked at in the order that its generator draws, and the
first of equally good cuts is taken. What is spared is sorting: the order of all samples
along a feature does not depend on who gets which label.

Logistic regression repeats SciPy's L-BFGS step for step. From zero on, L-BFGS never
leaves the span of the training samples, and all it looks at are inner products. So
weights, gradients and directions are kept as sums of training samples, and inner
products come from those of samples. A trial of the line search needs no product at all:
decisions are linear in the step. Where features are fewer than training samples, they
are the coordinates. Only the rule by which it stops, the largest entry of the gradient,
needs the features themselves; one entry is usually enough to see that it does not stop
yet. Its line search is that of Moré and Thuente: every step must be the one that SciPy
takes, so the safeguards and constants of MINPACK-2 are part of the contract.

Arrays are handed on one by one: in named tuples they are counted anew at every call,
which took a quarter of the time of trees. Numba is imported here; the engines load this
file when they first need it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

_EPS = float(np.finfo(np.float64).eps)


# Votes of neighbours ---------------------------------------------------------------


@njit(nogil=True, cache=True)
def vote(
    ranked: Any,
    distances: Any,
    rows: Any,
    orders: Any,
    times: Any,
    codes: Any,
    wanted: int,
    n_classes: int,
    bands: Any,
) -> Any:
    """Return classes (b, n_test) and whether a distance decided too narrowly (b).

    `rows` (b, n_test) says where the neighbours of a tested sample stand.
    """
    n = codes.size
    classes = np.zeros(rows.shape, dtype=np.int64)
    doubtful = np.zeros(orders.shape[0], dtype=np.bool_)
    known, label = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    votes = np.zeros(n_classes, dtype=np.int64)
    for b in range(orders.shape[0]):
        for i in range(n):
            known[orders[b, i]] = times[i]
            label[orders[b, i]] = codes[i]
        for t in range(rows.shape[1]):
            row = rows[b, t]
            votes[:] = 0
            left, last = wanted, 0.0
            for k in range(n):
                near = ranked[row, k]
                if known[near] == 0:
                    continue
                if left == 0:
                    # The next one is as far as the last that voted: order decides.
                    if not distances[row, k] - last > bands[b]:
                        doubtful[b] = True
                    break
                count = min(left, known[near])
                votes[label[near]] += count
                left -= count
                last = distances[row, k]
            classes[b, t] = np.argmax(votes)
    return classes, doubtful


# Trees -----------------------------------------------------------------------------

_SAME = np.float32(1e-7)  # values closer than this are one value
_LARGEST = 2147483647.0  # of the generator


@njit(nogil=True, cache=True)
def _draw(state: Any) -> Any:
    """Return the next number of scikit-learn's 32-bit shift generator."""
    x = state[0]
    if x == 0:
        x = np.uint32(1)
    x ^= np.uint32(x << np.uint32(13))
    x ^= np.uint32(x >> np.uint32(17))
    x ^= np.uint32(x << np.uint32(5))
    state[0] = x
    return np.int64(x & np.uint32(2147483647))


@njit(nogil=True, cache=True)
def _line_up(table: Any, feature: int, members: Any, inside: Any, line: Any) -> Any:
    """Put the members of a node in order of a feature."""
    n = inside.size
    if members.size * members.size > 2 * n:
        count = 0
        for k in range(n):
            row = table.ranked[feature, k]
            line[count] = row  # overwritten by the next if it is not inside
            count += inside[row]
        return
    values = table.values[feature]
    for i in range(members.size):
        row = members[i]
        place = i
        while place > 0 and values[line[place - 1]] > values[row]:
            line[place] = line[place - 1]
            place -= 1
        line[place] = row


@njit(nogil=True, cache=True)
def _impurities(left: Any, total: Any, w_left: float, w_right: float) -> Any:
    """Return the Gini index of both sides."""
    square_left, square_right = 0.0, 0.0
    for c in range(total.size):
        right = total[c] - left[c]
        square_left += left[c] * left[c]
        square_right += right * right
    return (
        1.0 - square_left / (w_left * w_left),
        1.0 - square_right / (w_right * w_right),
    )


@njit(nogil=True, cache=True)
def _merit(left: Any, total: Any, w_left: float, w_node: float) -> Any:
    w_right = w_node - w_left
    one, other = _impurities(left, total, w_left, w_right)
    return -w_right * other - w_left * one


@njit(nogil=True, cache=True)
def _best_cut(
    values: Any,
    line: Any,
    n_line: int,
    samples: Any,
    total: Any,
    w_node: float,
    n_node: int,
    n_leaf: int,
    best: float,
    left: Any,
) -> Any:
    """Return the merit and threshold of the best cut that beats `best`."""
    label, weight, times = samples
    left[:] = 0.0
    w_left, n_left, threshold = 0.0, 0, np.nan
    before = values[line[0]]
    for k in range(n_line):
        row = line[k]
        value = values[row]
        fits = n_left >= n_leaf and n_node - n_left >= n_leaf
        if fits and not value <= before + _SAME:
            merit = _merit(left, total, w_left, w_node)
            if merit > best:
                best = merit
                threshold = before / 2.0 + value / 2.0
        left[label[row]] += weight[row]
        w_left += weight[row]
        n_left += times[row]
        before = value
    return best, threshold


@njit(nogil=True, cache=True)
def _best_cut_of_two(
    values: Any,
    line: Any,
    n_line: int,
    samples: Any,
    total: Any,
    w_node: float,
    n_node: int,
    n_leaf: int,
    best: float,
) -> Any:
    """Return the same for two classes, whose weights stay in registers."""
    label, weight, times = samples
    w_left, second, n_left, threshold = 0.0, 0.0, 0, np.nan
    before = values[line[0]]
    for k in range(n_line):
        row = line[k]
        value = values[row]
        fits = n_left >= n_leaf and n_node - n_left >= n_leaf
        if fits and not value <= before + _SAME:
            first, w_right = w_left - second, w_node - w_left
            right, other = total[0] - first, total[1] - second
            one = 1.0 - (first * first + second * second) / (w_left * w_left)
            two = 1.0 - (right * right + other * other) / (w_right * w_right)
            merit = -w_right * two - w_left * one
            if merit > best:
                best = merit
                threshold = before / 2.0 + value / 2.0
        w_left += weight[row]
        second += weight[row] * label[row]
        n_left += times[row]
        before = value
    return best, threshold


@njit(nogil=True, cache=True)
def _split_at(
    values: Any, members: Any, samples: Any, threshold: float, left: Any
) -> Any:
    """Count what goes to the left of a threshold."""
    label, weight, times = samples
    left[:] = 0.0
    w_left, n_left = 0.0, 0
    for i in range(members.size):
        row = members[i]
        if values[row] <= threshold:
            left[label[row]] += weight[row]
            w_left += weight[row]
            n_left += times[row]
    return w_left, n_left


@njit(nogil=True, cache=True)
def _range(values: Any, members: Any) -> Any:
    low = high = values[members[0]]
    for i in range(1, members.size):
        low = min(low, values[members[i]])
        high = max(high, values[members[i]])
    return low, high


@njit(nogil=True, cache=True)
def _drawn_cut(
    values: Any,
    members: Any,
    samples: Any,
    total: Any,
    w_node: float,
    n_node: int,
    n_leaf: int,
    best: float,
    left: Any,
    state: Any,
) -> Any:
    """Return merit and threshold of a drawn cut, if it beats `best`."""
    low, high = _range(values, members)
    low, high = np.float64(low), np.float64(high)
    threshold = (high - low) * np.float64(_draw(state)) / _LARGEST + low
    if threshold == high:
        threshold = low
    w_left, n_left = _split_at(values, members, samples, threshold, left)
    if n_left >= n_leaf and n_node - n_left >= n_leaf:
        merit = _merit(left, total, w_left, w_node)
        if merit > best:
            return merit, threshold
    return best, np.nan


@njit(nogil=True, cache=True)
def _is_constant(
    table: Any, growth: Any, feature: int, members: Any, inside: Any, line: Any
) -> bool:
    """Tell whether a feature is one value in a node; else its members are in line."""
    values = table.values[feature]
    if growth.is_random:
        low, high = _range(values, members)
    else:
        _line_up(table, feature, members, inside, line)
        low, high = values[line[0]], values[line[members.size - 1]]
    return bool(high <= low + _SAME)


@njit(nogil=True, cache=True)
def _cut_node(
    table: Any,
    growth: Any,
    samples: Any,
    members: Any,
    inside: Any,
    total: Any,
    w_node: float,
    n_node: int,
    features: Any,
    constants: Any,
    known: int,
    state: Any,
    line: Any,
    left: Any,
) -> Any:
    """Seek the best cut of a node: feature (-1 if none), threshold, constants."""
    best, chosen, threshold = -np.inf, -1, np.nan
    n_open = features.size
    found, drawn, visited = 0, 0, 0
    while n_open > known + found and (
        visited < growth.n_tried or visited <= found + drawn
    ):
        visited += 1
        place = drawn + _draw(state) % (n_open - found - drawn)
        if place < known:
            features[drawn], features[place] = features[place], features[drawn]
            drawn += 1
            continue
        place += found
        feature = features[place]
        values = table.values[feature]
        if _is_constant(table, growth, feature, members, inside, line):
            end = known + found
            features[place], features[end] = features[end], features[place]
            found += 1
            continue
        n_open -= 1
        features[n_open], features[place] = features[place], features[n_open]
        if growth.is_random:
            merit, cut = _drawn_cut(
                values,
                members,
                samples,
                total,
                w_node,
                n_node,
                growth.n_leaf,
                best,
                left,
                state,
            )
        elif total.size == 2:
            merit, cut = _best_cut_of_two(
                values,
                line,
                members.size,
                samples,
                total,
                w_node,
                n_node,
                growth.n_leaf,
                best,
            )
        else:
            merit, cut = _best_cut(
                values,
                line,
                members.size,
                samples,
                total,
                w_node,
                n_node,
                growth.n_leaf,
                best,
                left,
            )
        if merit > best:
            best, chosen, threshold = merit, feature, cut
    features[:known] = constants[:known]
    constants[known : known + found] = features[known : known + found]
    return chosen, threshold, known + found


@njit(nogil=True, cache=True)
def _node_counts(members: Any, samples: Any, total: Any) -> Any:
    """Fill the weights of classes in a node; return its weight and its size."""
    label, weight, times = samples
    total[:] = 0.0
    w_node, n_node = 0.0, 0
    for i in range(members.size):
        row = members[i]
        total[label[row]] += weight[row]
        w_node += weight[row]
        n_node += times[row]
    return w_node, n_node


@njit(nogil=True, cache=True)
def _part(values: Any, members: Any, threshold: float) -> int:
    """Move what is at or below a threshold to the front; return how many."""
    low, high = 0, members.size
    while low < high:
        if values[members[low]] <= threshold:
            low += 1
        else:
            high -= 1
            members[low], members[high] = members[high], members[low]
    return low


@njit(nogil=True, cache=True)
def _improvement(
    left: Any, total: Any, w_left: float, w_node: float, w_all: float, impurity: float
) -> Any:
    """Return what a cut gains, and the impurity of both sides."""
    w_right = w_node - w_left
    one, other = _impurities(left, total, w_left, w_right)
    gain = impurity - (w_right / w_node * other) - (w_left / w_node * one)
    return (w_node / w_all) * gain, one, other


@njit(nogil=True, cache=True)
def _settle(shares: Any, where: Any, node: int, found: Any) -> None:
    """Give the tested samples of a leaf its shares of classes."""
    for t in range(where.size):
        if where[t] == node:
            shares[t] += found


@njit(nogil=True, cache=True)
def _send(
    values: Any, asked: Any, threshold: float, where: Any, node: int, child: int
) -> None:
    """Send the tested samples of a node to its left child or the one after."""
    for t in range(asked.size):
        if where[t] == node:
            where[t] = child + (values[asked[t]] > threshold)


@njit(nogil=True, cache=True)
def _grow(
    table: Any,
    growth: Any,
    samples: Any,
    members: Any,
    asked: Any,
    state: Any,
    shares: Any,
) -> None:
    """Grow one tree; add the shares of classes in the leaf of every tested sample."""
    m, n = table.values.shape
    features, constants = np.arange(m), np.empty(m, dtype=np.int64)
    inside, line = np.zeros(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    total, left = np.zeros(growth.n_classes), np.zeros(growth.n_classes)
    where = np.zeros(asked.size, dtype=np.int64)
    # start, end, depth, constants known, number; a tree has fewer nodes than this
    stack = np.empty((2 * members.size + 2, 5), dtype=np.int64)
    impure = np.empty(stack.shape[0])
    stack[0], impure[0] = (0, members.size, 0, 0, 0), np.inf
    height, n_nodes, w_all = 1, 1, 0.0
    while height > 0:
        height -= 1
        start, end, depth, known, node = stack[height]
        impurity = impure[height]
        here = members[start:end]
        w_node, n_node = _node_counts(here, samples, total)
        if node == 0:
            w_all = w_node
            impurity = _impurities(total, total, w_node, w_node)[0]
        is_leaf = depth >= growth.n_levels or n_node < growth.n_split
        is_leaf = is_leaf or n_node < 2 * growth.n_leaf or impurity <= _EPS
        if not is_leaf:
            inside[here] = 1
            feature, threshold, known = _cut_node(
                table,
                growth,
                samples,
                here,
                inside,
                total,
                w_node,
                n_node,
                features,
                constants,
                known,
                state,
                line,
                left,
            )
            inside[here] = 0
            is_leaf = feature < 0
        if not is_leaf:
            values = table.values[feature]
            w_left, _ = _split_at(values, here, samples, threshold, left)
            gain, one, other = _improvement(
                left, total, w_left, w_node, w_all, impurity
            )
            is_leaf = gain + _EPS < growth.least
        if is_leaf:
            _settle(shares, where, node, total / w_node)
            continue
        middle = start + _part(values, here, threshold)
        _send(values, asked, threshold, where, node, n_nodes)
        stack[height] = (middle, end, depth + 1, known, n_nodes + 1)
        stack[height + 1] = (start, middle, depth + 1, known, n_nodes)
        impure[height], impure[height + 1] = other, one
        height += 2
        n_nodes += 2


@njit(nogil=True, cache=True)
def forest_shares(
    table: Any,
    growth: Any,
    label: Any,
    order: Any,
    train: Any,
    test: Any,
    weights: Any,
    states: Any,
) -> Any:
    """Return the shares of classes, (n_test, n_classes), in the mean over trees.

    `table` are features in order and `growth` how trees grow (see `trees`);
    `weights` (trees, n_train) tells how often a tree learns a sample, `states` where
    its generator starts, `order` whose features every sample gets.
    """
    n = label.size
    shares = np.zeros((test.size, growth.n_classes))
    owner_label = np.empty(n, dtype=np.int64)
    owner_label[order] = label
    asked = order[test]
    weight, times = np.empty(n), np.empty(n, dtype=np.int64)
    for tree in range(states.size):
        weight[:], times[:] = 0.0, 0
        for i in range(train.size):
            if weights[tree, i] > 0:
                weight[order[train[i]]] += weights[tree, i]
                times[order[train[i]]] += 1
        members = np.flatnonzero(times)
        samples = (owner_label, weight, times)
        state = states[tree : tree + 1].copy()
        _grow(table, growth, samples, members, asked, state, shares)
    return shares / states.size


# The line search of Moré and Thuente -----------------------------------------------

# Sufficient decrease, curvature, relative width.
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


# Logistic regression by L-BFGS -----------------------------------------------------

_MEMORY = 10  # pairs that SciPy keeps: steps, and bends of the gradient
# Places in a pair. What is seen of a step gives its inner product with another vector.
_STEP, _BEND, _SEEN_STEP, _SEEN_BEND = 0, 1, 2, 3
_MOST_TRIALS = 50  # of a line search, as scikit-learn asks
_LITTLE = 64 * _EPS  # relative decrease at which scikit-learn stops
_REORDER = {"reassoc", "contract"}  # sums may be vectorised; NaN stays NaN
_FULL = 1e300  # a product near the largest number; one factor is two at most
_CLOSE = 1e-4  # stops decided by less than this share are doubtful


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _dot(a: Any, b: Any) -> float:
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _move(w: Any, step: float, d: Any) -> None:
    for k in range(w.size):
        w[k] += step * d[k]


@njit(nogil=True, cache=True)
def _project(rows: Any, w: Any, along: Any) -> None:
    """Fill inner products of samples and weights, and the intercept after them."""
    n, r = rows.shape
    for i in range(n):
        along[i] = _dot(rows[i], w[:r])
    along[n] = w[r]


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _loss(problem: Any, rows: Any, y: Any, w: Any, along: Any, slope: Any) -> Any:
    """Return the mean loss with its penalty; the gradient goes to `slope`."""
    n, r = rows.shape
    total, product, square, residuals = 0.0, 1.0, 0.0, 0.0
    for k in range(r):
        slope[k] = problem.penalty * w[k]
        square += w[k] * (along[k] if problem.is_dual else w[k])
    for i in range(n):
        f = along[i] + along[n]
        small = math.exp(-abs(f))
        product *= 1 + small
        if product > _FULL:  # one logarithm for many samples
            total += math.log(product)
            product = 1.0
        total += max(f, 0.0) - y[i] * f
        chance = (1.0 if f >= 0 else small) / (1 + small)
        residual = (chance - y[i]) / n
        residuals += residual
        if problem.is_dual:
            slope[i] += residual
        else:
            for k in range(r):
                slope[k] += residual * rows[i, k]
    slope[r] = residuals if problem.has_free else 0.0
    return (total + math.log(product)) / n + 0.5 * problem.penalty * square


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _steepness(
    problem: Any, columns: Any, shift: Any, scale: Any, known: Any, slope: Any,
    enough: float, place: int,
) -> Any:  # fmt: skip
    """Return the largest entry of the gradient, or one that is more than enough."""
    r = slope.size - 1
    largest = abs(slope[r])
    if not problem.is_dual:
        for k in range(r):
            largest = max(largest, abs(slope[k]))
        return largest, place
    steepest, total, shares = place, 0.0, np.zeros(columns.shape[1])
    for k in range(r):
        total += slope[k]
        shares[known[k]] += slope[k]
    for count in range(columns.shape[0]):
        if largest > enough:
            break
        # Begin where it was steep before.
        j = (place + count) % columns.shape[0]
        entry = abs(_dot(columns[j], shares) - shift[j] * total) / scale[j]
        if entry > largest:
            largest, steepest = entry, j
    return largest, steepest


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _direction(
    slope: Any, pairs: Any, products: Any, kept: int, newest: int, share: Any, d: Any
) -> None:
    """Fill the gradient times the inverse of the Hessian as far as it is known."""
    for k in range(d.size):
        d[k] = -slope[k]
    if kept == 0:
        return
    for back in range(kept):
        i = (newest - back) % _MEMORY
        product = 0.0
        for k in range(d.size):
            product += pairs[_SEEN_STEP, i, k] * d[k]
        share[back] = product / products[i]
        for k in range(d.size):
            d[k] -= share[back] * pairs[_BEND, i, k]
    square = 0.0
    for k in range(d.size):
        square += pairs[_BEND, newest, k] * pairs[_SEEN_BEND, newest, k]
    for k in range(d.size):
        d[k] *= products[newest] / square
    for back in range(kept - 1, -1, -1):
        i = (newest - back) % _MEMORY
        product = 0.0
        for k in range(d.size):
            product += pairs[_SEEN_BEND, i, k] * d[k]
        other = share[back] - product / products[i]
        for k in range(d.size):
            d[k] += other * pairs[_STEP, i, k]


@njit(nogil=True, cache=True)
def _search(
    problem: Any, rows: Any, y: Any, w: Any, along: Any, value: float, slope: Any,
    d: Any, along_d: Any, seen: Any, down: float, first: bool,
) -> Any:  # fmt: skip
    """Go along a direction; `w`, `along` and `slope` move. Returns step and value."""
    if down >= 0:
        return -1.0, value
    step = min(1 / math.sqrt(_dot(d, seen)), 1e10) if first else 1.0
    state, gone = start_search(step, value, down), 0.0
    for _ in range(_MOST_TRIALS):
        _move(w, step - gone, d)
        _move(along, step - gone, along_d)
        gone = step
        found = _loss(problem, rows, y, w, along, slope)
        accepted, following = next_step(state, step, found, _dot(slope, seen))
        if accepted:
            return step, found
        step = following
    return -1.0, value


@njit(nogil=True, cache=True)
def _minimise(
    problem: Any, rows: Any, y: Any, columns: Any, shift: Any, scale: Any, known: Any,
    w: Any,
) -> bool:  # fmt: skip
    """Find the weights `w`; tell whether another rounding might have stopped later."""
    size = w.size
    slope, d, bend = np.empty(size), np.empty(size), np.empty(size)
    along, along_d = np.zeros(y.size + 1), np.empty(y.size + 1)
    # In the span of the samples, inner products with these tell those of weights.
    seen, seen_bend = (along_d, along_d.copy()) if problem.is_dual else (d, bend)
    pairs, products = np.zeros((4, _MEMORY, size)), np.zeros(_MEMORY)
    share = np.empty(_MEMORY)
    kept, newest, place = 0, -1, 0
    value = _loss(problem, rows, y, w, along, slope)
    enough = problem.tolerance * (1 + _CLOSE)
    largest, place = _steepness(
        problem, columns, shift, scale, known, slope, enough, place
    )
    if largest <= problem.tolerance:
        return True
    for count in range(problem.most):
        _direction(slope, pairs, products, kept, newest, share, d)
        _project(rows, d, along_d)
        before, down = value, _dot(slope, seen)
        for k in range(size):
            bend[k] = -slope[k]
        step, value = _search(
            problem, rows, y, w, along, value, slope, d, along_d, seen, down, count == 0
        )
        if step <= 0:
            return True
        largest, place = _steepness(
            problem, columns, shift, scale, known, slope, enough, place
        )
        if largest <= enough:
            # So close to the tolerance that rounding decides whether it stops.
            return largest > problem.tolerance * (1 - _CLOSE)
        if before - value <= _LITTLE * max(abs(before), abs(value), 1.0):
            return True
        _move(bend, 1.0, slope)
        bent = _dot(bend, seen)
        if bent * step <= _EPS * -down * step:
            return True
        newest = (newest + 1) % _MEMORY
        kept = min(kept + 1, _MEMORY)
        if problem.is_dual:
            _project(rows, bend, seen_bend)
        for k in range(size):
            pairs[_STEP, newest, k] = step * d[k]
            pairs[_BEND, newest, k] = bend[k]
            pairs[_SEEN_STEP, newest, k] = step * seen[k]
            pairs[_SEEN_BEND, newest, k] = seen_bend[k]
        products[newest] = step * bent
    return False


@njit(nogil=True, cache=True)
def logistic_decisions(
    problem: Any, table: Any, columns: Any, shift: Any, scale: Any, y: Any, known: Any,
    asked: Any,
) -> Any:  # fmt: skip
    """Return decisions (b, n_test) and whether each fit is doubtful (b)."""
    n = known.shape[1]
    r = n if problem.is_dual else table.shape[1]
    decisions = np.empty(asked.shape)
    doubtful = np.zeros(known.shape[0], dtype=np.bool_)
    rows, one = np.empty((n, r)), np.empty(r)
    for b in range(known.shape[0]):
        for i in range(n):
            for k in range(r):
                rows[i, k] = table[known[b, i], known[b, k] if problem.is_dual else k]
        w = np.zeros(r + 1)
        doubtful[b] = _minimise(problem, rows, y, columns, shift, scale, known[b], w)
        for i in range(asked.shape[1]):
            for k in range(r):
                one[k] = table[asked[b, i], known[b, k] if problem.is_dual else k]
            decisions[b, i] = _dot(one, w[:r]) + w[r]
    return decisions, doubtful
