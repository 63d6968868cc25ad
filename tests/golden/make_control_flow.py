"""Writes control_flow.npz: frozen graphs with loops, branches and gradients, and what they compute.

Needs TensorFlow 2: python make_control_flow.py
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

tf.disable_v2_behavior()

FEEDS = [([0.5, -0.3, 0.8], 3), ([-1.2, 0.4, -0.7], 2), ([0.9, 1.1, 0.6], 0)]


def looped(x: Any, n: Any) -> Any:
    return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, tf.sin(y) * y + x), [0, x])[1]


def branch_in_loop(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * y, lambda: tf.exp(-y) + x)

    return tf.while_loop(lambda i, _: i < n, body, [0, x])[1]


def loop_in_branch(x: Any, n: Any) -> Any:
    return tf.cond(n > 1, lambda: looped(x, n) * 2.0, lambda: tf.tanh(x))


def loop_in_loop(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.while_loop(
            lambda j, _: j < i, lambda j, z: (j + 1, z * tf.cos(z)), [0, y]
        )[1]

    return tf.while_loop(lambda i, _: i < n + 1, body, [0, x])[1]


def branch_in_branch_in_loop(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        def inner() -> Any:
            return tf.cond(i > 0, lambda: tf.sin(y) * y, lambda: y * 0.5)

        return i + 1, tf.cond(tf.reduce_sum(y) > 0.0, inner, lambda: y * y + x)

    return tf.while_loop(lambda i, _: i < n, body, [0, x])[1]


def array(x: Any, n: Any) -> Any:
    rows = tf.TensorArray(tf.float32, size=n + 1, element_shape=[3])

    def body(i: Any, y: Any, rows: Any) -> Any:
        return i + 1, tf.sin(y) * x, rows.write(i, y * y)

    _, y, rows = tf.while_loop(lambda i, *_: i < n + 1, body, [0, x, rows])
    return y + tf.reduce_sum(rows.stack(), 0)


def mapped(x: Any, n: Any) -> Any:
    rows = tf.scan(lambda y, e: y * e + x, tf.stack([x, x * 0.5, x - 1.0]), initializer=x)
    return tf.reduce_sum(
        tf.map_fn(lambda e: tf.cond(n > 1, lambda: e * e, lambda: tf.exp(e)), rows), 0
    )


PROGRAMS = (
    looped,
    branch_in_loop,
    loop_in_branch,
    loop_in_loop,
    branch_in_branch_in_loop,
    array,
    mapped,
)


def frozen(program: Callable[..., Any]) -> tuple[Any, Any]:
    """The graph of a program and of its gradient, and what they compute."""
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [3], name="x")
    n = tf.placeholder(tf.int32, [], name="n")
    shift = tf.get_variable("shift", initializer=[0.1, -0.2, 0.05])
    y = tf.identity(program(x + shift, n), name="y")
    tf.identity(tf.gradients(tf.reduce_sum(tf.sin(y)), x)[0], name="dx")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        graph = tf.graph_util.convert_variables_to_constants(
            session, tf.get_default_graph().as_graph_def(), ["y", "dx"]
        )
        results = [session.run(["y:0", "dx:0"], {x: a, n: b}) for a, b in FEEDS]
    for node in graph.node:
        node.ClearField("experimental_type")
    return graph, np.array(results)


def main() -> None:
    made: dict[str, Any] = {
        "x": np.array([x for x, _ in FEEDS], np.float32),
        "n": np.array([n for _, n in FEEDS], np.int32),
    }
    for form, choose in (("v1", tf.disable_control_flow_v2), ("v2", tf.enable_control_flow_v2)):
        choose()
        for program in PROGRAMS:
            graph, results = frozen(program)
            name = f"{program.__name__}_{form}"
            made[f"{name}/graph"] = np.frombuffer(
                graph.SerializeToString(deterministic=True), np.uint8
            )
            made[f"{name}/results"] = results
    np.savez_compressed(pathlib.Path(__file__).with_name("control_flow.npz"), **made)


if __name__ == "__main__":
    main()
