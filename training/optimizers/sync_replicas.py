"""The optimizer that waits until several replicas have a gradient, and applies their mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies, device, name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation, Tensor
from ...graph.scopes.collections import GraphKeys
from ...ops.array.constants import fill
from ...ops.debugging.group_and_tuple import group, no_op
from ...ops.queues.conditional_accumulators import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from ...ops.queues.queue_runner import QueueRunner
from ...ops.queues.queues import FIFOQueue
from ...ops.variables.assign import assign
from ...ops.variables.variable import Variable
from ...ops.variables.variable_lists import global_variables, report_uninitialized_variables
from ...runtime import errors
from ..sessions.session_manager import lacking
from ..sessions.session_run_hook import SessionRunHook
from .optimizer import Optimizer

if TYPE_CHECKING:
    Pair = tuple[Any, Any]

public = {"td.train": "SyncReplicasOptimizer"}


class SyncReplicasOptimizer(Optimizer):
    """Gathers the gradients of several replicas, and applies their mean by another optimizer.

    A step puts its gradients into accumulators, one for each variable, and waits for a token. The
    chief's queue runner, in a thread of its own, takes the means as soon as there are enough
    gradients, applies them, counts the step up and hands out tokens with its number. A gradient
    that was computed before the last update is dropped.

    On one machine one replica does the work of several: `replicas_to_aggregate=4` with
    `total_num_replicas=1` applies the mean of each four batches.

    Args:
        opt: the optimizer that applies the means.
        replicas_to_aggregate: how many gradients make an update.
        total_num_replicas: how many replicas there are; by default as many.
        variable_averages: an ExponentialMovingAverage to update after each step.
        variables_to_average: the variables that it follows.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the scope of the ops.

    Example:
        >>> with td.Graph().as_default():
        ...     v, step = td.Variable(8.0), td.train.get_or_create_global_step()
        ...     plain = td.train.GradientDescentOptimizer(0.25)
        ...     optimizer = td.train.SyncReplicasOptimizer(plain, 2, 1)
        ...     train = optimizer.minimize(v * v, global_step=step)
        ...     hook = optimizer.make_session_run_hook(is_chief=True)
        ...     with td.train.MonitoredTrainingSession(hooks=[hook]) as session:
        ...         for _ in range(3):
        ...             _ = session.run(train)
        ...         session.run(v) < 8.0
        np.True_
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        if replicas_to_aggregate < 1:
            raise ValueError(f"replicas_to_aggregate must be positive, got {replicas_to_aggregate}")
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = (
            replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        )
        self._averages = variable_averages, variables_to_average
        self._chief_queue_runner: QueueRunner | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[Pair]:
        """The gradients of a loss, as the optimizer below computes them."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[Pair], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """An op that gives gradients to the accumulators, and waits for the next token.

        Args:
            grads_and_vars: pairs of a gradient and its variable.
            global_step: the variable that counts the updates, without which no gradient is known
                to be of the past.
            name: accepted for TensorFlow's sake.

        Raises:
            ValueError: there are no variables, or no global step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        dtype = global_step.dtype.base_dtype
        self._local_step = Variable(
            convert_to_tensor(0, dtype),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            name="sync_rep_local_step",
        )
        self.local_step_init_op = assign(self._local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with name_scope(None, self._name):
            pushes: list[Operation] = []
            means: list[Any] = []
            accumulators: list[tuple[Any, str]] = []
            for gradient, variable in pairs:
                with device(variable.device):
                    if gradient is None:
                        means.append(None)
                        continue
                    accumulator, put, mean = self._accumulated(gradient, variable)
                pushes.append(put)
                means.append(mean)
                accumulators.append((accumulator, variable.device))
            variables = [variable for _, variable in pairs]
            with device(global_step.device), name_scope(""):
                update = self._opt.apply_gradients(
                    list(zip(means, variables, strict=True)), global_step
                )
                self._tokens = FIFOQueue(
                    -1, dtype, shapes=[[]], name="sync_token_q", shared_name="sync_token_q"
                )
                with control_dependencies(pushes):
                    token = self._tokens.dequeue()
                step: Operation = assign(self._local_step, token).op
                with control_dependencies([update]):
                    number = max(self._total_num_replicas, self._replicas_to_aggregate)
                    chief = self._tokens.enqueue_many((fill([number], global_step),))
                averages, followed = self._averages
                if averages is not None:
                    with control_dependencies([chief]):
                        chief = averages.apply(followed)
            self._chief_queue_runner = QueueRunner(
                self._tokens,
                [chief],
                queue_closed_exception_types=(errors.OutOfRangeError, errors.CancelledError),
            )
            begun: list[Any] = [self.local_step_init_op]
            for accumulator, place in accumulators:
                with device(place):
                    begun.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
            self.chief_init_op = group(*begun)
        return step

    def _accumulated(self, gradient: Any, variable: Any) -> tuple[Any, Operation, Any]:
        """An accumulator, the op that adds to it, and the mean that is taken from it."""
        name, number = f"{variable.name}/grad_accum", self._replicas_to_aggregate
        if isinstance(gradient, Tensor):
            dense = ConditionalAccumulator(gradient.dtype, variable.shape, name)
            return dense, dense.apply_grad(gradient, self._local_step), dense.take_grad(number)
        if not isinstance(gradient, IndexedSlices):
            raise ValueError(f"a gradient is a Tensor or IndexedSlices, got {gradient!r}")
        rows = SparseConditionalAccumulator(gradient.dtype, (), name)
        put = rows.apply_indexed_slices_grad(gradient, self._local_step)
        return rows, put, rows.take_indexed_slices_grad(number)

    def get_chief_queue_runner(self) -> QueueRunner:
        """Queue runner that applies the mean gradients in its own thread.

        Raises:
            ValueError: `apply_gradients` has not been called.
        """
        if self._chief_queue_runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """Op that queues the initial tokens, which the first steps need.

        Args:
            num_tokens: how many; by default as many as gradients make an update.

        Raises:
            ValueError: they are too few, or `apply_gradients` has not been called.
        """
        if self._chief_queue_runner is None:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} "
                "(needed)"
            )
        if num_tokens < 1:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope(""):
            return self._tokens.enqueue_many((fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """A hook for monitored sessions that initializes, and starts the chief's queue runner.

        Args:
            is_chief: whether the session is the chief's.
            num_tokens: as for `get_init_tokens_op`.
        """
        return _SyncReplicasHook(self, is_chief, num_tokens)

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """The slot of a variable, of the optimizer below."""
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of the slots of the optimizer below."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Variable]:
        """The variables that the optimizer below keeps in the default graph."""
        return self._opt.variables()


class _SyncReplicasHook(SessionRunHook):
    """Makes the accumulators and the tokens ready when a session is made."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        """Makes what is to be run.

        Raises:
            ValueError: the optimizer has not been applied.
        """
        optimizer = self._optimizer
        runner = optimizer.get_chief_queue_runner()
        self._first: list[Any] = [optimizer.local_step_init_op]
        self._runner = None
        if self._is_chief:
            self._runner = runner
            self._first = [optimizer.chief_init_op, optimizer.get_init_tokens_op(self._num_tokens)]

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Initializes, and starts the thread.

        Raises:
            RuntimeError: a variable has no value.
        """
        if reason := lacking(session, self._optimizer.ready_for_local_init_op):
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init: "
                + reason
            )
        for op in self._first:
            session.run(op)
        if self._runner is not None:
            chief, *others = self._runner.create_threads(session, coord, daemon=True, start=True)
            del others
            # It may wait until the session closes, for gradients that are no longer computed;
            # in TensorFlow the end of the program waits for it, two minutes long.
            coord.release_thread(chief)
