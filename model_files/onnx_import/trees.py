"""Ensembles of trees of ONNX's domain for machine learning: a walk down all of them at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph.node import Tensor
from ...ops.control_flow.while_loop import while_loop
from ...protos import dtypes
from ...runtime.load_budget import ask
from ...shape_inference.protocols import Array
from .call import Call, Rule
from .elementwise import selected
from .encoders import labels_of, transformed
from .nodes import apply, cast, expand, number
from .tensors import MalformedError

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
_COMPARISONS = ("LessEqual", "Less", "GreaterEqual", "Greater", "Equal", "NotEqual")
_MEMBER, _LEAF = 6, 7
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


class _Forest(NamedTuple):
    """Nodes of all trees, leaves among them, which lead to themselves.

    Attributes:
        roots: the numbers of roots.
        modes: the comparison of each node.
        features: the number of the feature that each node compares.
        splits: what it is compared with.
        children: where a node leads if the comparison holds, and if not.
        missing: whether a missing value leads where the comparison holds.
        members: of nodes that test for members, these, filled with NaN.
        weights: [nodes, targets]: what a leaf adds to targets.
        counts: whether it adds anything.
    """

    roots: Array
    modes: Array
    features: Array
    splits: Array
    children: tuple[Array, Array]
    missing: Array
    members: Array
    weights: Array
    counts: Array


def _depth(forest: _Forest) -> int:
    """The number of steps from roots to the deepest leaves.

    Raises:
        MalformedError: a node is its own ancestor, or does not exist.
    """
    count = len(forest.modes)
    for numbers in (*forest.children, forest.roots):
        if ((numbers < 0) | (numbers >= count)).any():
            raise MalformedError("a tree refers to a node that does not exist")
    level = np.unique(forest.roots)
    for depth in range(count + 1):
        level = level[forest.modes[level] != _LEAF]
        if not len(level):
            return depth
        level = np.unique(np.concatenate([child[level] for child in forest.children]))
    raise MalformedError("a tree has a cycle")


def _scores(c: Call, forest: _Forest, aggregate: str) -> Tensor:
    """Sums, or other aggregates, of the leaves that an ensemble leads to, for each target."""
    x = c[0] if c[0].dtype in (dtypes.float32, dtypes.float64) else cast(c[0], dtypes.float32)
    depth = _depth(forest)
    width = x.shape.as_list()[1] if x.shape.ndims == 2 else None
    inner = forest.modes != _LEAF
    features = forest.features[inner]
    if width is None or (len(features) and (features.min() < 0 or features.max() >= width)):
        raise MalformedError(f"trees compare features that an input {x.shape} does not have")
    rows = apply("Shape", x, out_type=dtypes.int64)
    count = apply("StridedSlice", rows, [0], [1], [1])
    shape = apply("ConcatV2", [count, np.array([len(forest.roots)])], np.int32(0))
    start = apply("BroadcastTo", forest.roots, shape)
    dtype = x.dtype.numpy_dtype
    splits, modes = forest.splits.astype(dtype), set(forest.modes[inner].tolist())

    def goes_on(i: Tensor, _: Tensor) -> Tensor:
        return apply("Less", i, np.int64(depth))

    def step(i: Tensor, at: Tensor) -> list[Tensor]:
        def of(table: Array) -> Tensor:
            return apply("GatherV2", table, at, np.int32(0))

        value = apply("GatherV2", x, of(forest.features), np.int32(1), batch_dims=1)
        mode, split = of(forest.modes), of(splits)
        holds: Any = np.False_
        for place, comparison in enumerate(_COMPARISONS):
            if place in modes:
                mine = apply("Equal", mode, np.int64(place))
                test = apply("LogicalAnd", mine, apply(comparison, value, split))
                holds = apply("LogicalOr", holds, test)
        if _MEMBER in modes:
            equal = apply("Equal", expand(value, [2]), of(forest.members.astype(dtype)))
            mine = apply("Equal", mode, np.int64(_MEMBER))
            test = apply("LogicalAnd", mine, apply("Any", equal, np.int32(2)))
            holds = apply("LogicalOr", holds, test)
        if forest.missing.any():
            lost = apply("LogicalAnd", apply("IsNan", value), of(forest.missing))
            holds = apply("LogicalOr", holds, lost)
        following = selected(holds, of(forest.children[0]), of(forest.children[1]))
        return [apply("AddV2", i, np.int64(1)), following]

    leaves = start
    if depth:
        _, leaves = while_loop(goes_on, step, [apply("Identity", np.int64(0)), start])
    weights = apply("GatherV2", forest.weights.astype(dtype), leaves, np.int32(0))
    trees = np.int32(1)
    if aggregate in ("SUM", "AVERAGE"):
        total = apply("Sum", weights, trees)
        if aggregate == "AVERAGE":
            total = apply("RealDiv", total, number(total, len(forest.roots)))
        return total
    if aggregate not in _AGGREGATES:
        raise MalformedError(f"aggregate_function {aggregate!r} is not known")
    counts = apply("GatherV2", forest.counts, leaves, np.int32(0))
    op_type, filler = ("Min", np.inf) if aggregate == "MIN" else ("Max", -np.inf)
    best = apply(op_type, selected(counts, weights, number(x, filler)), trees)
    return selected(apply("Any", counts, trees), best, number(x, 0))


def _numbers(c: Call, name: str, count: int, default: Any = None) -> Array:
    if f"{name}_as_tensor" in c.attrs:
        values = c.tensor(f"{name}_as_tensor")[0].reshape(-1)
    elif default is not None and name not in c.attrs:
        return np.full(count, default)
    else:
        values = np.array(c.list(name))
    if len(values) != count:
        raise MalformedError(f"{name} has {len(values)} elements, where {count} are due")
    return values


def _old_forest(c: Call, prefix: str, targets: int) -> _Forest:
    """An ensemble as opsets before 5 state it: nodes by their tree and number."""
    trees, ids = (np.array(c.list(f"nodes_{name}"), np.int64) for name in ("treeids", "nodeids"))
    count = len(trees)
    if len(ids) != count or not count or targets < 1:
        raise MalformedError("nodes_treeids and nodes_nodeids differ in length, or are empty")
    place = {pair: i for i, pair in enumerate(zip(trees.tolist(), ids.tolist(), strict=True))}
    texts = [text.decode("utf-8", "replace") for text in c.list("nodes_modes")]
    codes = {**{name: i for i, name in enumerate(_MODES)}, "LEAF": _LEAF}
    if len(texts) != count or not set(texts) <= set(codes):
        raise MalformedError(f"nodes_modes must be of {sorted(codes)}, one for each node")
    modes = np.array([codes[text] for text in texts], np.int64)
    itself = np.arange(count)
    children = []
    for name in ("nodes_truenodeids", "nodes_falsenodeids"):
        numbers = _numbers(c, name, count)
        pairs = zip(trees.tolist(), numbers.tolist(), strict=True)
        found = np.array([place.get(pair, -1) for pair in pairs], np.int64)
        children.append(np.where(modes == _LEAF, itself, found))
    led_to = np.concatenate([child[modes != _LEAF] for child in children])
    _, firsts = np.unique(trees, return_index=True)
    roots = np.array([i for i in range(count) if i not in set(led_to.tolist())], np.int64)
    if len(roots) != len(firsts):
        roots = np.sort(firsts)
    ask(8 * count * targets, "the weights of an ensemble of trees")
    weights, counts = np.zeros((count, targets)), np.zeros((count, targets), bool)
    owners = zip(
        *(c.list(f"{prefix}_{name}") for name in ("treeids", "nodeids", "ids")), strict=True
    )
    votes = list(owners)
    values = _numbers(c, f"{prefix}_weights", len(votes))
    for (tree, node, target), value in zip(votes, values.tolist(), strict=True):
        leaf = place.get((tree, node))
        if leaf is None or not 0 <= target < targets:
            raise MalformedError(
                f"{prefix}_ids has {target}, or refers to a node that is not there"
            )
        weights[leaf, target] += value
        counts[leaf, target] = True
    return _Forest(
        *(roots, modes, _numbers(c, "nodes_featureids", count).astype(np.int64)),
        _numbers(c, "nodes_values", count),
        (children[0], children[1]),
        _numbers(c, "nodes_missing_value_tracks_true", count, 0).astype(bool),
        np.full((count, 1), np.nan),
        *(weights, counts),
    )


def _base(c: Call, scores: Tensor) -> Tensor:
    if "base_values_as_tensor" in c.attrs:
        return apply(
            "AddV2", scores, c.tensor("base_values_as_tensor")[0].astype(scores.dtype.numpy_dtype)
        )
    values = c.list("base_values", [])
    return (
        apply("AddV2", scores, number(scores, 0) + np.array(values, scores.dtype.numpy_dtype))
        if values
        else scores
    )


def _regressor(c: Call) -> Tensor:
    forest = _old_forest(c, "target", c.int("n_targets", 1))
    scores = _base(c, _scores(c, forest, c.text("aggregate_function", "SUM")))
    return cast(transformed(scores, c.text("post_transform", "NONE")), dtypes.float32)


def _classifier(c: Call) -> Any:
    labels = labels_of(c, "int64s")
    scores = _base(c, _scores(c, _old_forest(c, "class", max(len(labels), 1)), "SUM"))
    transform = c.text("post_transform", "NONE")
    if len(set(c.list("class_ids"))) == 1 and len(labels) <= 2:
        column = np.array([c.list("class_ids")[0]])
        positive = apply("GatherV2", scores, column, np.int32(1))
        if transform in ("NONE", "PROBIT"):
            negative = apply("Sub", number(scores, 1), positive)
        else:
            negative = apply("Neg", positive)
        scores = apply("ConcatV2", [negative, positive], np.int32(1))
        labels = labels if len(labels) == 2 else np.array([0, *labels], np.int64)
    result = transformed(scores, transform)
    place = apply("ArgMax", result, np.int32(1), output_type=dtypes.int64)
    return [apply("GatherV2", labels, place, np.int32(0)), cast(result, dtypes.float32)]


def _ensemble(c: Call) -> Tensor:
    modes = c.tensor("nodes_modes")[0].astype(np.int64).reshape(-1)
    splits = c.tensor("nodes_splits")[0].reshape(-1).astype(np.float64)
    values = c.tensor("leaf_weights")[0].reshape(-1).astype(np.float64)
    leaf_targets = np.array(c.list("leaf_targetids"), np.int64)
    targets, count, leaves = c.int("n_targets"), len(modes), len(values)
    ask(8 * (count + leaves) * max(targets, 1), "the weights of an ensemble of trees")
    if (
        len(leaf_targets) != leaves
        or targets < 1
        or not 0 <= leaf_targets.min(initial=0) <= leaf_targets.max(initial=0) < targets
    ):
        raise MalformedError("leaf_targetids does not fit leaf_weights or n_targets")
    if len(splits) != count or ((modes < 0) | (modes > _MEMBER)).any():
        raise MalformedError("nodes_modes or nodes_splits does not fit the nodes")
    children = []
    for side in ("true", "false"):
        numbers = _numbers(c, f"nodes_{side}nodeids", count).astype(np.int64)
        is_leaf = _numbers(c, f"nodes_{side}leafs", count).astype(bool)
        limit = np.where(is_leaf, leaves, count)
        if ((numbers < 0) | (numbers >= limit)).any():
            raise MalformedError(f"nodes_{side}nodeids refers to a node that is not there")
        children.append(
            np.concatenate([np.where(is_leaf, count + numbers, numbers), count + np.arange(leaves)])
        )
    weights = np.zeros((count + leaves, targets))
    weights[count + np.arange(leaves), leaf_targets] = values
    counts = np.zeros((count + leaves, targets), bool)
    counts[count + np.arange(leaves), leaf_targets] = True
    pad = np.zeros(leaves, np.int64)
    features = np.concatenate([_numbers(c, "nodes_featureids", count).astype(np.int64), pad])
    missing = _numbers(c, "nodes_missing_value_tracks_true", count, 0).astype(bool)
    forest = _Forest(
        np.array(c.list("tree_roots"), np.int64),
        np.concatenate([modes, pad + _LEAF]),
        features,
        np.concatenate([splits, pad]),
        (children[0], children[1]),
        np.concatenate([missing, pad.astype(bool)]),
        _members(c, modes, leaves),
        *(weights, counts),
    )
    aggregate, transform = c.int("aggregate_function", 1), c.int("post_transform", 0)
    if not 0 <= aggregate < len(_AGGREGATES) or not 0 <= transform < len(_TRANSFORMS):
        raise MalformedError("aggregate_function or post_transform is not known")
    scores = _scores(c, forest, _AGGREGATES[aggregate])
    return transformed(scores, _TRANSFORMS[transform])


def _members(c: Call, modes: Array, leaves: int) -> Array:
    """The members that nodes test for: the lists of these nodes, each of which NaN ends."""
    sets: list[list[float]] = [[]]
    if "membership_values" in c.attrs:
        for value in c.tensor("membership_values")[0].reshape(-1).tolist():
            if np.isnan(value):
                sets.append([])
            else:
                sets[-1].append(value)
    width = max(map(len, sets), default=0) or 1
    ask(8 * (len(modes) + leaves) * width, "the members of an ensemble of trees")
    result = np.full((len(modes) + leaves, width), np.nan)
    testing = np.flatnonzero(modes == _MEMBER)
    if len(testing) > len(sets):
        raise MalformedError("membership_values has fewer sets than nodes test for")
    for place, members in zip(testing.tolist(), sets, strict=False):
        result[place, : len(members)] = members
    return result


RULES: dict[str, Rule] = {
    "TreeEnsemble": _ensemble,
    "TreeEnsembleClassifier": _classifier,
    "TreeEnsembleRegressor": _regressor,
}
