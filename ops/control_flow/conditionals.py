"""Conditionals: which branch is taken is decided in the run, or before where that is known.

Both branches are built in any case, so that the graph has the variables of both. Where the
predicate is known while the graph is built, the branch that is taken is returned, and a run leaves
the other out; else the graph gets an `If` of two functions.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

from ...graph import errors
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation
from ...graph.sparse_tensor import SparseTensor
from ..array.casting import cast
from ..array.constants import identity
from ..effects.assertions import Assert
from ..kit.structures import flat, packed
from ..math.add_n import add_n
from ..math.comparison import greater, less
from .building import built_cond

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

public = {"td": "case cond"}


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """What one of two functions returns, as a predicate tells.

    Both functions are called, so that the variables of both exist; of the branch that is not
    taken nothing runs. Functions may use tensors and variables from outside. A variable held by
    reference is read before the branch is chosen; to assign in a branch, make it with
    `use_resource=True`.

    Args:
        pred: a bool Tensor of rank 0.
        true_fn: a function without arguments, which returns a tensor or a structure of tensors.
        false_fn: another such function.
        strict: whether a list of one tensor is returned as a list.
        name: a name for the scope of the ops.
        fn1: the older name of `true_fn`.
        fn2: the older name of `false_fn`.

    Returns:
        What the function returned, as tensors.

    Raises:
        NotImplementedError: a branch that a run chooses changes a variable held by reference.
        TypeError: a function is missing or cannot be called; they return different dtypes.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, [None, 3])
        ...     wide = td.shape(x)[1] > 2
        ...     y = td.cond(wide, lambda: td.reduce_sum(x), lambda: td.reduce_max(x))
        ...     session.run(y, {x: [[1, 2, 3]]})
        np.float32(6.0)
    """
    functions = [true_fn or fn1, false_fn or fn2]
    for function in functions:
        if not callable(function):
            raise TypeError(f"cond needs two functions, got {function!r}")
    with name_scope(name, "cond") as scope:
        known = known_pred(pred, "cond")
        if known is None:
            branches = [partial(_branch, function, strict) for function in functions]
            return built_cond(convert_to_tensor(pred), branches, scope, _check_alike)
        yes, no = [_branch(function, strict) for function in functions]
        _check_alike(yes, no)
        return yes if known else no


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first predicate that holds returns.

    Args:
        pred_fn_pairs: pairs of a bool Tensor of rank 0 and a function without arguments; or a dict
            of them, which is taken in the order of the names of the predicates.
        default: the function where no predicate holds.
        exclusive: whether it is an error that several predicates hold.
        strict: as for `td.cond`.
        name: a name for the scope of the ops.

    Returns:
        What the function returned, as tensors.

    Raises:
        InvalidArgumentError: no predicate holds and there is no default; or several hold, with
            `exclusive`. In the run, where that decides.
        TypeError: a function cannot be called; they return different dtypes.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rank = td.rank([[1, 2]])
        ...     pairs = [(td.equal(rank, 1), lambda: td.constant("vector"))]
        ...     session.run(td.case(pairs, default=lambda: td.constant("another")))
        b'another'
    """
    with name_scope(name, "case"):
        pairs = list(_pairs(pred_fn_pairs))
        if any(known_pred(pred, "case") is None for pred, _ in pairs):
            return _case_in_run(pairs, default, exclusive, strict)
        branches = [_branch(function, strict) for _, function in pairs]
        if default is not None:
            branches.append(_branch(default, strict))
        for other in branches[1:]:
            _check_alike(branches[0], other)
        holding = [i for i, (pred, _) in enumerate(pairs) if decided(pred, "case")]
        if exclusive and len(holding) > 1:
            message = f"with exclusive=True one predicate may hold, got numbers {holding}"
            raise errors.InvalidArgumentError(None, None, message)
        if not holding and default is None:
            message = f"none of the {len(pairs)} predicates holds, and there is no default"
            raise errors.InvalidArgumentError(None, None, message)
        return branches[holding[0] if holding else -1]


def _case_in_run(
    pairs: list[Any], default: Callable[[], Any] | None, exclusive: bool, strict: bool
) -> Any:
    """The conditionals that choose among functions, one inside the other."""
    preds = [convert_to_tensor(pred, "bool") for pred, _ in pairs]
    number = add_n([cast(pred, "int32") for pred in preds])
    checks = []
    if exclusive:
        checks.append(Assert(less(number, 2), ["More than one condition evaluated as True", preds]))
    if default is None:
        checks.append(Assert(greater(number, 0), ["None of the conditions evaluated as True"]))

    def chosen(i: int) -> Any:
        if i == len(pairs) - 1 and default is None:
            return _branch(pairs[i][1], strict)
        if i == len(pairs):
            return _branch(default, strict)
        return cond(preds[i], pairs[i][1], lambda: chosen(i + 1), strict)

    with control_dependencies(checks):
        preds = [identity(pred) for pred in preds]
    return chosen(0)


def _pairs(pred_fn_pairs: Any) -> Iterable[tuple[Any, Callable[[], Any]]]:
    if isinstance(pred_fn_pairs, dict):
        pairs: Mapping[Any, Any] = pred_fn_pairs
        if isinstance(pairs, OrderedDict):
            return pairs.items()
        return sorted(pairs.items(), key=lambda pair: str(pair[0].name))
    if not isinstance(pred_fn_pairs, (list, tuple)) or not pred_fn_pairs:
        raise TypeError(f"case needs pairs of predicates and functions, got {pred_fn_pairs!r}")
    return pred_fn_pairs


def known_pred(pred: Any, function: str) -> bool | None:
    """Whether a predicate holds, if that is known while the graph is built.

    Raises:
        TypeError: it is not of bool, or not of rank 0.
    """
    tensor = convert_to_tensor(pred, "bool", "pred")
    if tensor.shape.rank not in (0, None):
        raise TypeError(f"the predicate of {function} must have rank 0, got shape {tensor.shape}")
    value = constant_value(tensor)
    return None if value is None else bool(value)


def decided(pred: Any, function: str) -> bool:
    """Whether a predicate holds, which must be known while the graph is built.

    Raises:
        NotImplementedError: it is not known.
        TypeError: it is not of bool, or not of rank 0.
    """
    known = known_pred(pred, function)
    if known is None:
        raise NotImplementedError(
            f"{function} needs a predicate that is known while the graph is built, as it was in "
            "the rounds before"
        )
    return known


def _branch(function: Any, strict: bool) -> Any:
    if not callable(function):
        raise TypeError(f"a branch must be a function without arguments, got {function!r}")
    result = function()
    if result is None:
        raise ValueError("the function of a branch must return something, got None")
    leaves = [_leaf(leaf) for leaf in flat(result)]
    if not strict and isinstance(result, (list, tuple)) and len(result) == len(leaves) == 1:
        return leaves[0]
    return packed(result, leaves)


def _leaf(leaf: Any) -> Any:
    if isinstance(leaf, (Operation, SparseTensor, IndexedSlices)):
        return leaf
    return convert_to_tensor(leaf)


def _check_alike(one: Any, other: Any) -> None:
    first, second = flat(one), flat(other)
    if len(first) != len(second):
        raise TypeError(
            f"the branches must return alike, got {len(first)} tensors and {len(second)}"
        )
    for x, y in zip(first, second, strict=True):
        if isinstance(x, Operation) or isinstance(y, Operation):
            continue
        if x.dtype.base_dtype is not y.dtype.base_dtype:
            raise TypeError(
                f"the branches must return the same dtypes, got {x.dtype.base_dtype.name} and "
                f"{y.dtype.base_dtype.name}"
            )
