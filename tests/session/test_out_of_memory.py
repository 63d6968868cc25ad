"""A run that finds no memory, at each of its allocations, one after the other.

It fails with an error of the library. Each variable has the value before or the value after, queues
and iterators go on, and the next run of the session gives what it should.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import effort
import numpy as np
import pytest
from failing_memory import failing

import tensordraft as td
from tensordraft.session.fused_blocks import BlockProgram

RUNS_UNTIL_HOT = 5


class Program(NamedTuple):
    """Fetches and feeds of a run, and ops that bring its queues and iterators back to the start."""

    fetches: Any
    feeds: dict[Any, Any] = {}  # noqa: RUF012 - read only
    restart: Any = ()


def _training(optimizer: Callable[[], Any]) -> Program:
    x = td.placeholder(td.float32, [None, 4])
    y = td.placeholder(td.int32, [None])
    hidden = td.layers.dense(x, 5, td.nn.relu, kernel_initializer=_weights)
    logits = td.layers.dense(hidden, 3, kernel_initializer=_weights)
    loss = td.losses.sparse_softmax_cross_entropy(y, logits)
    step = td.train.get_or_create_global_step()
    train = optimizer().minimize(loss, global_step=step)
    feeds = {x: np.arange(24, dtype=np.float32).reshape(6, 4) / 10, y: np.arange(6) % 3}
    return Program([loss, train], feeds)


def _weights(shape: Any, dtype: Any = None, **_: Any) -> Any:
    return td.constant(np.cos(np.arange(np.prod(shape))).reshape(shape), td.float32)


def _convolution() -> Program:
    x = td.placeholder(td.float32, [None, 8, 8, 3])
    h = td.layers.conv2d(x, 4, 3, activation=td.nn.relu, kernel_initializer=_weights)
    h = td.layers.batch_normalization(h, training=True)
    h = td.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    updates = td.get_collection(td.GraphKeys.UPDATE_OPS)
    picture = np.sin(np.arange(2 * 8 * 8 * 3)).reshape(2, 8, 8, 3).astype(np.float32)
    return Program([h, td.gradients(h, x), updates], {x: picture})


def _loop() -> Program:
    x = td.placeholder(td.float32, [3])
    cell = td.nn.rnn_cell.BasicLSTMCell(4)
    with td.variable_scope("rnn", initializer=_weights):
        outputs, _ = td.nn.dynamic_rnn(cell, td.reshape(x, [1, 3, 1]), dtype=td.float32)
    counted = td.while_loop(lambda i, a: i < 9, lambda i, a: (i + 1, a * 1.5), [0, x])[1]
    chosen = td.cond(x[0] > 0, lambda: counted + 1.0, lambda: counted)
    return Program([outputs, chosen, td.gradients(outputs, x)], {x: np.ones(3, np.float32)})


def _strings() -> Program:
    words = td.placeholder(td.string, [None])
    table = td.contrib.lookup.HashTable(
        td.contrib.lookup.KeyValueTensorInitializer(
            td.constant(["a", "b"]), td.constant([1, 2], td.int64)
        ),
        -1,
    )
    parts = td.string_split(words, ",")
    ids = table.lookup(parts.values)
    return Program(
        [ids, td.string_join([words, words]), td.unique(ids), td.sparse_tensor_to_dense(parts, "")],
        {words: ["a,b", "c"]},
        td.tables_initializer(),
    )


def _queue() -> Program:
    queue = td.FIFOQueue(100, [td.float32, td.string], [[2], []])
    put = queue.enqueue_many([np.ones((6, 2), np.float32), ["a", "b", "c", "d", "e", "f"]])
    with td.control_dependencies([put]):
        got = queue.dequeue_many(6)
    with td.control_dependencies([put]):
        drained = queue.dequeue_up_to(queue.size())
    return Program(got, {}, drained)


def _pipeline() -> Program:
    elements = td.data.Dataset.range(50).map(lambda i: (i * 2, td.as_string(i)))
    elements = elements.filter(lambda i, _: i % 3 > 0).shuffle(5, seed=3).batch(4).repeat()
    iterator = elements.make_initializable_iterator()
    return Program(iterator.get_next(), {}, iterator.initializer)


def _large() -> Program:
    """Chains of elementwise ops in blocks, which write into the memory of what they read."""
    x = td.placeholder(td.float32, [200, 200])
    v = td.Variable(td.ones([200, 200]))
    y = td.cumsum(x * v)
    y = td.nn.softplus(td.nn.sigmoid(y) * td.tanh(y) + 0.5) - td.erf(y)
    z = td.cumsum(td.cast(x, td.int32), 1) + 1
    z = (z + 3) // td.maximum(z * z, 1) + z % 7
    train = td.train.AdamOptimizer(0.1).minimize(td.reduce_sum(y * y))
    feed = {x: np.sin(np.arange(40000, dtype=np.float32)).reshape(200, 200) * 9}
    return Program([y, z, train], feed)


PROGRAMS: dict[str, Callable[[], Program]] = {
    "gradient descent": lambda: _training(lambda: td.train.GradientDescentOptimizer(0.1)),
    "momentum": lambda: _training(lambda: td.train.MomentumOptimizer(0.1, 0.9)),
    "Adam": lambda: _training(lambda: td.train.AdamOptimizer(0.1)),
    "RMSProp": lambda: _training(lambda: td.train.RMSPropOptimizer(0.1, centered=True)),
    "large arrays": _large,
    "a convolution": _convolution,
    "loops": _loop,
    "strings": _strings,
    "a queue": _queue,
    "a pipeline": _pipeline,
}


class Subject:
    """A program in a session of its own."""

    def __init__(self, make: Callable[[], Program]) -> None:
        with td.Graph().as_default() as graph:
            td.set_random_seed(1)
            self.program = make()
            self.variables = td.global_variables()
            self.session = td.Session(graph=graph)
            self.values = td.group(*[v.initializer for v in self.variables])
            self.session.run([self.values, self.program.restart])

    def run(self) -> Any:
        return self.session.run(self.program.fetches, self.program.feeds)

    def state(self) -> list[Any]:
        return [self.session.run(v) for v in self.variables]

    def begin_again(self) -> None:
        self.session.run([self.values, self.program.restart])


def _assert_same(one: Any, other: Any, what: str) -> None:
    td.contrib.framework.nest.map_structure(
        lambda a, b: np.testing.assert_array_equal(a, b, what), one, other
    )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("runs", [0, RUNS_UNTIL_HOT])
def test_the_next_run_is_right(name: str, runs: int) -> None:
    Subject(PROGRAMS[name]).run()  # makes what the process keeps
    subject = Subject(PROGRAMS[name])
    before = subject.state()
    with failing(None) as allocations:
        expected = subject.run()
    after = subject.state()
    for _ in range(runs):
        subject.begin_again()
        with failing(None) as allocations:
            result = subject.run()
        _assert_same(result, expected, "hot")
    assert allocations.count > 3
    failed = 0
    for number in effort.some(allocations.count, 8 if runs else 5):
        where = f"allocation {number} of {allocations.count}"
        if runs:
            subject.begin_again()
        else:
            subject = Subject(PROGRAMS[name])
        with failing(number) as tried:
            try:
                subject.run()
            except td.errors.ResourceExhaustedError:
                failed += 1
        assert tried.count > number, where
        for variable, value, old, new in zip(
            subject.variables, subject.state(), before, after, strict=True
        ):
            assert np.array_equal(value, old) or np.array_equal(value, new), (where, variable.name)
        subject.begin_again()
        _assert_same(subject.run(), expected, where)
    assert failed


@pytest.mark.parametrize("error", [MemoryError, ValueError])
def test_a_chain_that_has_written_into_its_inputs_is_not_run_again(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = BlockProgram._run
    failures = [error("in the middle")]

    def run(self: Any, flat: Any, start: int, stop: int) -> None:
        if start and failures:
            raise failures.pop()
        plain(self, flat, start, stop)

    with td.Graph().as_default():
        x = td.placeholder(td.float32, [1 << 19])
        y = td.abs(td.negative(td.cumsum(x)) * 2.0 + 1.0) * 2.0 + 1.0
        config = td.ConfigProto(intra_op_parallelism_threads=2)
        feed = {x: np.ones(1 << 19, np.float32)}
        with td.Session(config=config) as session:
            expected = session.run(y, feed)
            for _ in range(RUNS_UNTIL_HOT):
                session.run(y, feed)
            monkeypatch.setattr(BlockProgram, "_run", run)
            wanted = {
                MemoryError: td.errors.ResourceExhaustedError,
                ValueError: td.errors.InvalidArgumentError,
            }
            with pytest.raises(wanted[error], match="in the middle"):
                session.run(y, feed)
            assert not failures
            np.testing.assert_array_equal(session.run(y, feed), expected)
