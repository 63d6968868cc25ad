"""Modules of TensorFlow's own tutorials that programs import."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensordraft as td
from tensordraft.tf1.import_hook.name_check import check_names
from tensordraft.tf1.private_modules import array_parts, first_cells, mnist_network, ptb_reader


def test_the_network_of_the_digits_learns() -> None:
    images = np.eye(4, 784, dtype=np.float32)
    labels = [3, 1, 4, 1]
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(1)
        logits = mnist_network.inference(images, 16, 8)
        loss = mnist_network.loss(logits, labels)
        step = mnist_network.training(loss, 0.5)
        right = mnist_network.evaluation(logits, labels)
        assert [variable.op.name for variable in td.trainable_variables()] == [
            f"{scope}/{part}"
            for scope in ("hidden1", "hidden2", "softmax_linear")
            for part in ("weights", "biases")
        ]
        assert (logits.shape.as_list(), loss.op.name) == ([4, 10], "xentropy_mean")
        session.run(td.global_variables_initializer())
        before = session.run(loss)
        for _ in range(200):
            session.run(step)
        assert session.run(loss) < before
        assert (session.run(right), session.run("global_step:0")) == (4, 200)
        assert session.run("loss:0")  # the summary


def test_words_become_numbers_by_frequency(tmp_path: Path) -> None:
    for part, text in (("train", "b a\na c\n"), ("valid", "c d\n"), ("test", "a\n")):
        (tmp_path / f"ptb.{part}.txt").write_text(text)
    # "<eos>" sticks to what is not parted from it: the files of the treebank have blanks there.
    assert ptb_reader.ptb_raw_data(tmp_path) == ([1, 0, 2], [], [], 3)


def test_batches_of_words_with_those_that_follow() -> None:
    words = list(range(20))
    expected = [([[0, 1, 2], [10, 11, 12]], [[1, 2, 3], [11, 12, 13]])]
    expected += [([[3, 4, 5], [13, 14, 15]], [[4, 5, 6], [14, 15, 16]])]
    found = [(x.tolist(), y.tolist()) for x, y in ptb_reader.ptb_iterator(words, 2, 3)]
    assert found[:2] == expected
    assert len(found) == 3
    with td.Graph().as_default():
        x, y = ptb_reader.ptb_producer(words, 2, 3)
        assert x.shape.as_list() == [2, 3]
        with td.train.MonitoredSession() as session:
            queued = [session.run([x, y]) for _ in range(3)]
    assert [(x.tolist(), y.tolist()) for x, y in queued] == found
    with pytest.raises(ValueError, match="20 words make no batch of 10 rows with 3 steps"):
        next(ptb_reader.ptb_iterator(words, 10, 3))


def test_first_cells_have_states_of_one_tensor() -> None:
    with td.Graph().as_default():
        two = first_cells.MultiRNNCell([first_cells.BasicLSTMCell(3), first_cells.LSTMCell(2)])
        assert two.state_size == 10
        outputs, state = td.nn.static_rnn(two, [td.ones([4, 5])] * 2, two.zero_state(4, td.float32))
        assert (outputs[-1].shape.as_list(), state.shape.as_list()) == ([4, 2], [4, 10])


def test_shapes_that_are_known_are_constants() -> None:
    with td.Graph().as_default(), td.Session() as session:
        known, open_ = td.ones([2, 3]), td.placeholder(td.float32, [None, 3])
        functions = array_parts.shape_internal, array_parts.size_internal, array_parts.rank_internal
        made = [function(known) for function in functions]
        assert [tensor.op.type for tensor in made] == ["Const"] * 3
        assert [tensor.op.name for tensor in made] == ["Shape", "Size", "Rank"]
        assert [np.array(value).tolist() for value in session.run(made)] == [[2, 3], 6, 2]
        asked = [function(open_, optimize=False) for function in functions]
        fed = session.run(asked, {open_: np.ones((5, 3))})
        assert [np.array(value).tolist() for value in fed] == [[5, 3], 15, 2]


def test_modules_of_tutorials_are_found() -> None:
    program = """\
from tensorflow.examples.tutorials.mnist import input_data, mnist
from tensorflow.models.rnn import rnn, rnn_cell, seq2seq
from tensorflow.models.rnn.ptb import reader
from tensorflow.core.framework import types_pb2
from tensorflow.models.image.cifar10 import cifar10
mnist.inference, rnn.dynamic_rnn, rnn_cell._linear, seq2seq.rnn_decoder, reader.ptb_producer
types_pb2.DT_FLOAT
"""
    report = check_names(program)
    assert [(line, reason) for line, _, reason in report.missing] == [
        (5, "TensorFlow's own examples are not part of it; copy the file beside yours")
    ]
