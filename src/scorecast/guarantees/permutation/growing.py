"""Trees of classes grown on features that were sorted once, compiled.

The same draws, the same cuts and the same rounding as scikit-learn's trees with the
Gini index: features are looked at in the order that its generator draws, and the first
of equally good cuts is taken. What is spared is sorting: the order of all cases along a
feature does not depend on who gets which label.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["forest_shares"]

_SAME = np.float32(1e-7)  # values closer than this are one value
_EPS = float(np.finfo(np.float64).eps)
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
    values: Any, line: Any, n_line: int, cases: Any, total: Any, w_node: float,
    n_node: int, n_leaf: int, best: float, left: Any,
) -> Any:  # fmt: skip
    """Return the merit and threshold of the best cut that beats `best`."""
    label, weight, times = cases
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
    values: Any, line: Any, n_line: int, cases: Any, total: Any, w_node: float,
    n_node: int, n_leaf: int, best: float,
) -> Any:  # fmt: skip
    """Return the same for two classes, whose weights stay in registers."""
    label, weight, times = cases
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
    values: Any, members: Any, cases: Any, threshold: float, left: Any
) -> Any:
    """Count what goes to the left of a threshold."""
    label, weight, times = cases
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
    values: Any, members: Any, cases: Any, total: Any, w_node: float, n_node: int,
    n_leaf: int, best: float, left: Any, state: Any,
) -> Any:  # fmt: skip
    """Return merit and threshold of a drawn cut, if it beats `best`."""
    low, high = _range(values, members)
    low, high = np.float64(low), np.float64(high)
    threshold = (high - low) * np.float64(_draw(state)) / _LARGEST + low
    if threshold == high:
        threshold = low
    w_left, n_left = _split_at(values, members, cases, threshold, left)
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
    table: Any, growth: Any, cases: Any, members: Any, inside: Any, total: Any,
    w_node: float, n_node: int, features: Any, constants: Any, known: int, state: Any,
    line: Any, left: Any,
) -> Any:  # fmt: skip
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
                values, members, cases, total, w_node, n_node, growth.n_leaf,
                best, left, state,
            )  # fmt: skip
        elif total.size == 2:
            merit, cut = _best_cut_of_two(
                values, line, members.size, cases, total, w_node, n_node,
                growth.n_leaf, best,
            )  # fmt: skip
        else:
            merit, cut = _best_cut(
                values, line, members.size, cases, total, w_node, n_node,
                growth.n_leaf, best, left,
            )  # fmt: skip
        if merit > best:
            best, chosen, threshold = merit, feature, cut
    features[:known] = constants[:known]
    constants[known : known + found] = features[known : known + found]
    return chosen, threshold, known + found


@njit(nogil=True, cache=True)
def _node_counts(members: Any, cases: Any, total: Any) -> Any:
    """Fill the weights of classes in a node; return its weight and its size."""
    label, weight, times = cases
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
    """Give the tested cases of a leaf its shares of classes."""
    for t in range(where.size):
        if where[t] == node:
            shares[t] += found


@njit(nogil=True, cache=True)
def _send(
    values: Any, asked: Any, threshold: float, where: Any, node: int, child: int
) -> None:
    """Send the tested cases of a node to its left child or the one after."""
    for t in range(asked.size):
        if where[t] == node:
            where[t] = child + (values[asked[t]] > threshold)


@njit(nogil=True, cache=True)
def _grow(
    table: Any, growth: Any, cases: Any, members: Any, asked: Any, state: Any,
    shares: Any,
) -> None:  # fmt: skip
    """Grow one tree; add the shares of classes in the leaf of every tested case."""
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
        w_node, n_node = _node_counts(here, cases, total)
        if node == 0:
            w_all = w_node
            impurity = _impurities(total, total, w_node, w_node)[0]
        is_leaf = depth >= growth.n_levels or n_node < growth.n_split
        is_leaf = is_leaf or n_node < 2 * growth.n_leaf or impurity <= _EPS
        if not is_leaf:
            inside[here] = 1
            feature, threshold, known = _cut_node(
                table, growth, cases, here, inside, total, w_node, n_node,
                features, constants, known, state, line, left,
            )  # fmt: skip
            inside[here] = 0
            is_leaf = feature < 0
        if not is_leaf:
            values = table.values[feature]
            w_left, _ = _split_at(values, here, cases, threshold, left)
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
    table: Any, growth: Any, label: Any, order: Any, train: Any, test: Any,
    weights: Any, states: Any,
) -> Any:  # fmt: skip
    """Return the shares of classes, (n_test, n_classes), in the mean over trees.

    `table` are features in order and `growth` how trees grow (see `trees`);
    `weights` (trees, n_train) tells how often a tree learns a case, `states` where its
    generator starts, `order` whose features every case gets.
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
        cases = (owner_label, weight, times)
        state = states[tree : tree + 1].copy()
        _grow(table, growth, cases, members, asked, state, shares)
    return shares / states.size
