"""Writes the golden SavedModels with variables, with the TensorFlow (2.21) that runs this.

python tests/golden/make_saved_models.py
"""

from __future__ import annotations

import shutil
from pathlib import Path

import tensorflow as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

FOLDER = Path(__file__).resolve().parent / "files"


class Model(tf.Module):  # type: ignore[misc, unused-ignore]
    """`y = x @ w + b`, and a counter."""

    def __init__(self) -> None:
        self.w = tf.Variable([[1.0], [2.0]], name="w")
        self.b = tf.Variable([0.5], name="b")
        self.count = tf.Variable(41, name="count")
        x = tf.TensorSpec([None, 2], tf.float32, name="x")
        self.predict = tf.function(self._predict, input_signature=[x])
        self.step = tf.function(self._step, input_signature=[])

    def _predict(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"y": x @ self.w + self.b}

    def _step(self) -> dict[str, tf.Tensor]:
        return {"count": self.count.assign_add(1)}


def of_tensorflow_2(folder: str) -> None:
    """Variables behind resource handles, functions, and keys of the object graph."""
    model = Model()
    signatures = {"serving_default": model.predict, "step": model.step}
    tf.saved_model.save(model, folder, signatures=signatures)
    (Path(folder) / "fingerprint.pb").unlink()


def of_tensorflow_1(folder: str) -> None:
    """Variables of reference types, one of which only the initializer sets."""
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]], use_resource=False)
        b = v1.get_variable("b", initializer=[0.5], use_resource=False)
        factor = v1.get_variable(
            "factor", initializer=2.0, use_resource=False, collections=["local_variables"]
        )
        y = v1.add(v1.matmul(x, w) * factor, b, name="y")
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.builder.SavedModelBuilder(folder)
        predict = v1.saved_model.signature_def_utils.predict_signature_def
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": predict({"x": x}, {"y": y})},
            main_op=v1.local_variables_initializer(),
        )
        builder.save()


def main() -> None:
    """Writes both."""
    for name, write in (("saved_vars", of_tensorflow_2), ("saved_refs", of_tensorflow_1)):
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        write(str(folder))


if __name__ == "__main__":
    main()
