"""A language model of letters: an LSTM learns a text along time, and a loop lets it write."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

TEXT = "she sells sea shells by the sea shore. the shells she sells are sea shells for sure. "
UNITS, LENGTH = 48, 40


class Model:
    """An LSTM over letters, with the variables that training and writing share."""

    def __init__(self, letters: int) -> None:
        self.letters = letters
        spread = tf.glorot_uniform_initializer(seed=3)
        self.cell = tf.nn.rnn_cell.LSTMCell(UNITS, initializer=spread, name="lstm")
        with tf.variable_scope("output"):
            self.kernel = tf.get_variable("kernel", [UNITS, letters], initializer=spread)
            self.bias = tf.get_variable("bias", [letters], initializer=tf.zeros_initializer())

    def loss(self, given: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
        """Mean cross entropy of the letters of some lines."""
        inputs = tf.one_hot(given, self.letters)
        outputs, _ = tf.nn.dynamic_rnn(self.cell, inputs, dtype=tf.float32)
        logits = tf.tensordot(outputs, self.kernel, [[2], [0]]) + self.bias
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits)
        return tf.reduce_mean(losses)

    def written(self, first: tf.Tensor, number: tf.Tensor) -> Any:
        """The letters that the model writes after a first one, always the likeliest."""

        def step(i: tf.Tensor, letter: tf.Tensor, state: Any, letters: tf.TensorArray) -> Any:
            output, state = self.cell(tf.one_hot([letter], self.letters), state)
            logits = tf.matmul(output, self.kernel) + self.bias
            letter = tf.argmax(logits[0], output_type=tf.int32)
            return i + 1, letter, tuple(state), letters.write(i, letter)

        with tf.variable_scope("rnn", reuse=True):
            state = tuple(self.cell.zero_state(1, tf.float32))
            letters = tf.TensorArray(tf.int32, size=number)
            start = [tf.constant(0), first, state, letters]
            return tf.while_loop(lambda i, *_: i < number, step, start)[3].stack()


def main() -> tuple[list[float], str]:
    """Learns the text and writes it; the losses, and what is written."""
    alphabet = sorted(set(TEXT))
    numbers = np.array([alphabet.index(letter) for letter in TEXT + TEXT])
    lines = np.stack([numbers[i : i + LENGTH + 1] for i in range(len(TEXT))])

    letters = tf.placeholder(tf.int32, [None, LENGTH + 1], name="letters")
    number = tf.placeholder_with_default(60, [], name="number")
    model = Model(len(alphabet))
    loss = model.loss(letters[:, :-1], letters[:, 1:])
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    written = model.written(tf.constant(alphabet.index("s")), number)

    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(60):
            value, _ = session.run([loss, train], {letters: lines[step % 3 :: 3]})
            if step % 20 == 19:
                losses.append(float(value))
                print(f"step {step + 1}: loss {value:.2f}")
        text = "s" + "".join(alphabet[i] for i in session.run(written))
    print(text)
    return losses, text


if __name__ == "__main__":
    main()
