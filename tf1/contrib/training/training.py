"""Train ops: a step of an optimizer that checks the loss and gives its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ....graph.default_graph import get_default_graph
from ....graph.default_scopes import control_dependencies, name_scope
from ....graph.indexed_slices import IndexedSlices
from ....graph.scopes.collections import GraphKeys
from ....ops.debugging.group_and_tuple import no_op, with_dependencies
from ....ops.debugging.numeric_assertions import check_numerics as checked
from ....ops.math.arithmetic import multiply
from ....ops.statistics.clip import clip_by_norm, global_norm
from ....ops.summaries.scalars_and_histograms import histogram, scalar
from ....ops.variable_scopes.global_step import get_or_create_global_step
from ....ops.variables.variable_lists import trainable_variables
from ....runtime import logging as log
from ....training.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    Pair = tuple[Any, Any]

public = {
    "td.contrib.training, td.contrib.slim.learning": (
        "add_gradients_summaries clip_gradient_norms multiply_gradients"
    ),
    "td.contrib.training": "create_train_op",
    "td.contrib.slim.learning": "create_train_op=create_clipped_train_op",
}

_USE_GLOBAL_STEP = 0  # distinct from None, which counts nothing


def multiply_gradients(
    grads_and_vars: Iterable[Pair], gradient_multipliers: Mapping[Any, Any]
) -> list[Pair]:
    """Gradients, some of them multiplied.

    Args:
        grads_and_vars: pairs of gradients and variables.
        gradient_multipliers: factors by variables, or by the names of their ops.

    Returns:
        The pairs.

    Raises:
        ValueError: there are no factors, or a variable to multiply the gradient of has none.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(1.0, name="v")
        ...     pairs = [(td.constant(2.0), v)]
        ...     [(gradient, _)] = td.contrib.training.multiply_gradients(pairs, {"v": 3.0})
        ...     session.run(gradient)
        np.float32(6.0)
    """
    if not isinstance(gradient_multipliers, dict) or not gradient_multipliers:
        raise ValueError(f"gradient_multipliers must hold factors, got {gradient_multipliers!r}")
    multiplied = []
    for gradient, variable in grads_and_vars:
        key = variable if variable in gradient_multipliers else variable.op.name
        if key in gradient_multipliers:
            if gradient is None:
                raise ValueError(f"there is no gradient of {variable.op.name} to multiply")
            gradient = _mapped(gradient, partial(multiply, gradient_multipliers[key]))
        multiplied.append((gradient, variable))
    return multiplied


def _mapped(gradient: Any, change: Callable[[Any], Any]) -> Any:
    """A gradient with its values changed; of slices those of the rows."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return change(gradient)


def clip_gradient_norms(gradients_to_variables: Iterable[Pair], max_norm: float) -> list[Pair]:
    """Gradients, each scaled down where it is longer than `max_norm`.

    Args:
        gradients_to_variables: pairs of gradients and variables.
        max_norm: the most that each may have as a norm.

    Returns:
        The pairs.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     pairs = [(td.constant([3.0, 4.0]), td.Variable([0.0, 0.0]))]
        ...     [(gradient, _)] = td.contrib.training.clip_gradient_norms(pairs, 1.0)
        ...     print(session.run(gradient))
        [0.6 0.8]
    """
    return [
        (
            None
            if gradient is None
            else _mapped(gradient, partial(clip_by_norm, clip_norm=max_norm)),
            variable,
        )
        for gradient, variable in gradients_to_variables
    ]


def add_gradients_summaries(grads_and_vars: Iterable[Pair]) -> list[Any]:
    """A histogram and the norm of each gradient, as summaries.

    Args:
        grads_and_vars: pairs of gradients and variables.

    Returns:
        The summaries.

    Example:
        >>> with td.Graph().as_default():
        ...     pairs = [(td.ones([2]), td.Variable([0.0, 0.0], name="v"))]
        ...     made = td.contrib.training.add_gradients_summaries(pairs)
        ...     [summary.op.name for summary in made]
        ['v_gradient', 'v_gradient_norm']
    """
    summaries = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            log.info("Var %s has no gradient", variable.op.name)
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        summaries.append(histogram(f"{variable.op.name}_gradient", values))
        summaries.append(scalar(f"{variable.op.name}_gradient_norm", global_norm([values])))
    return summaries


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Sequence[Any] | None = None,
    transform_grads_fn: Callable[[list[Pair]], list[Pair]] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Any:
    """A tensor of the loss that takes a step of an optimizer when it is computed.

    Args:
        total_loss: the loss.
        optimizer: the optimizer.
        global_step: the variable to count up; by default the one of the graph, which is made where
            there is none; None for none.
        update_ops: ops to run before; by default those in `td.GraphKeys.UPDATE_OPS`.
        variables_to_train: the variables; by default all trainable ones.
        transform_grads_fn: changes the pairs of gradients and variables.
        summarize_gradients: whether to make summaries of the gradients.
        gate_gradients: as for `td.train.Optimizer.minimize`.
        aggregation_method: as there.
        colocate_gradients_with_ops: as there.
        check_numerics: whether a loss that is not finite is an error.

    Returns:
        The tensor, which is also in the collection of train ops.

    Raises:
        ValueError: a variable is not trainable.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(3.0)
        ...     optimizer = td.train.GradientDescentOptimizer(0.5)
        ...     train = td.contrib.training.create_train_op(v * v, optimizer)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train), session.run([v, td.train.get_global_step()])
        (np.float32(0.0), [np.float32(0.0), np.int64(1)])
    """
    step = get_or_create_global_step() if global_step is _USE_GLOBAL_STEP else global_step
    listed = {*get_default_graph().get_collection(GraphKeys.UPDATE_OPS)}
    updates = listed if update_ops is None else {*update_ops}
    if not listed <= updates:
        log.warn("update_ops in create_train_op does not contain all the update_ops in GraphKeys")
    if updates:
        # In the order in which they were made, so that the same program gives the same graph.
        ordered = sorted(updates, key=_place)
        with control_dependencies(ordered):
            barrier = no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    trainable = trainable_variables()
    chosen = trainable if variables_to_train is None else list(variables_to_train)
    for variable in chosen:
        if variable not in trainable:
            raise ValueError(f"{variable.name} is not trainable")
    if not chosen:
        raise ValueError("there are no variables to train")
    pairs = optimizer.compute_gradients(
        total_loss,
        chosen,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn is not None:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(pairs)
    step_op = optimizer.apply_gradients(pairs, global_step=step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = checked(total_loss, "LossTensor is inf or nan")
        train_op = with_dependencies([step_op], total_loss)
    trained = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
    if train_op not in trained:
        trained.append(train_op)
    return train_op


def _place(update: Any) -> int:
    """Position of an op, or of the op of a tensor, in its graph."""
    op = getattr(update, "op", update)
    return op.index


def create_clipped_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Sequence[Any] | None = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    check_numerics: bool = True,
) -> Any:
    """A tensor of the loss that takes a step when it is computed: see `contrib.training`.

    Args:
        total_loss: as for `td.contrib.training.create_train_op`, like all arguments not listed
            here.
        optimizer: as there.
        global_step: as there.
        update_ops: as there.
        variables_to_train: as there.
        clip_gradient_norm: the most that each gradient may have as a norm; 0 for no limit.
        summarize_gradients: as there.
        gate_gradients: as there.
        aggregation_method: as there.
        colocate_gradients_with_ops: as there.
        gradient_multipliers: factors of gradients, by variables or by the names of their ops.
        check_numerics: as there.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(3.0)
        ...     optimizer = td.train.GradientDescentOptimizer(1.0)
        ...     train = td.contrib.slim.learning.create_train_op(
        ...         v * v, optimizer, clip_gradient_norm=0.5
        ...     )
        ...     session.run(td.global_variables_initializer())
        ...     _ = session.run(train)
        ...     session.run(v)
        np.float32(2.5)
    """

    def transformed(pairs: list[Pair]) -> list[Pair]:
        if gradient_multipliers:
            pairs = multiply_gradients(pairs, gradient_multipliers)
        return clip_gradient_norms(pairs, clip_gradient_norm) if clip_gradient_norm > 0 else pairs

    return create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        transformed,
        summarize_gradients,
        gate_gradients,
        aggregation_method,
        colocate_gradients_with_ops,
        check_numerics,
    )
