"""Conway's game of life on a torus, generations in a loop: a glider flies around the world."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

SIZE = 12
GLIDER = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


def rolled(board: tf.Tensor, shift: int, axis: int) -> tf.Tensor:
    """The board moved by one cell along an axis; what leaves on one side enters on the other."""
    cut = -shift
    if axis == 0:
        return tf.concat([board[cut:], board[:cut]], 0)
    return tf.concat([board[:, cut:], board[:, :cut]], 1)


def next_generation(board: tf.Tensor) -> tf.Tensor:
    """The board one generation later."""
    rows = board + rolled(board, 1, 0) + rolled(board, -1, 0)
    neighbours = rows + rolled(rows, 1, 1) + rolled(rows, -1, 1) - board
    born = tf.equal(neighbours, 3)
    survives = tf.logical_and(tf.equal(neighbours, 2), tf.equal(board, 1))
    alive = tf.logical_or(born, survives)
    return tf.where(alive, tf.ones_like(board), tf.zeros_like(board))


def main() -> tuple[np.ndarray, list[int]]:
    """Plays 48 generations; the last board, and how many cells lived after every twelve."""
    start = np.zeros((SIZE, SIZE), np.int32)
    for row, column in GLIDER:
        start[row, column] = 1
    board = tf.Variable(start, trainable=False, name="board")
    generations = tf.placeholder(tf.int32, [], name="generations")
    _, later = tf.while_loop(
        lambda i, _: i < generations,
        lambda i, before: (i + 1, next_generation(before)),
        [tf.constant(0), board.read_value()],
    )
    play = tf.assign(board, later)
    alive = tf.reduce_sum(board)

    counts = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(12, 60, 12):
            session.run(play, {generations: 12})
            counts.append(int(session.run(alive)))
            print(f"generation {number}: {counts[-1]} cells")
            for row in session.run(board):
                print("".join(".#"[cell] for cell in row))
        return session.run(board), counts


if __name__ == "__main__":
    main()
