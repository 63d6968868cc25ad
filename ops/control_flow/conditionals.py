"""Conditionals: which branch is taken has to be known while the graph is built.

TensorFlow makes a conditional inside the graph. Here both branches are built, too, so that the
graph has the same ops and variables; what is returned is the branch that is taken, and a run
leaves the other out.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ...graph import errors
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation
from ...graph.sparse_tensor import SparseTensor
from ..kit.structures import flat, packed

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
    taken nothing runs. The predicate must be known while the graph is built: a constant, or what
    follows from constants and static shapes. To choose in a run, see `td.where`.

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
        NotImplementedError: `pred` is not known before the run.
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
    branches = []
    with name_scope(name, "cond"):
        for function, older in ((true_fn, fn1), (false_fn, fn2)):
            chosen = older if function is None else function
            if not callable(chosen):
                raise TypeError(f"cond needs two functions, got {chosen!r}")
            branches.append(_branch(chosen, strict))
        yes, no = branches
        _check_alike(yes, no)
        return yes if decided(pred, "cond") else no


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first predicate that holds returns.

    The predicates must be known while the graph is built: see `td.cond`.

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
        NotImplementedError: a predicate is not known before the run.
        InvalidArgumentError: no predicate holds and there is no default; or several hold, with
            `exclusive`.
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


def _pairs(pred_fn_pairs: Any) -> Iterable[tuple[Any, Callable[[], Any]]]:
    if isinstance(pred_fn_pairs, dict):
        pairs: Mapping[Any, Any] = pred_fn_pairs
        if isinstance(pairs, OrderedDict):
            return pairs.items()
        return sorted(pairs.items(), key=lambda pair: str(pair[0].name))
    if not isinstance(pred_fn_pairs, (list, tuple)) or not pred_fn_pairs:
        raise TypeError(f"case needs pairs of predicates and functions, got {pred_fn_pairs!r}")
    return pred_fn_pairs


def decided(pred: Any, function: str) -> bool:
    """Whether a predicate holds, which must be known while the graph is built.

    Raises:
        NotImplementedError: it is not known.
        TypeError: it is not of bool, or not of rank 0.
    """
    tensor = convert_to_tensor(pred, "bool", "pred")
    if tensor.shape.rank not in (0, None):
        raise TypeError(f"the predicate of {function} must have rank 0, got shape {tensor.shape}")
    value = constant_value(tensor)
    if value is None:
        raise NotImplementedError(
            f"{function} needs a predicate that is known while the graph is built, and "
            f"{tensor.name!r} is known in a run only: conditionals and loops inside a graph are "
            "not supported; td.where chooses between tensors in a run"
        )
    return bool(value)


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
