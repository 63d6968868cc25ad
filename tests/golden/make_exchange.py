"""Writes the checkpoints that this library and TensorFlow (2.21) take over from each other.

python tests/golden/make_exchange.py ours      with this library: five steps, and a checkpoint
python tests/golden/make_exchange.py theirs    with TensorFlow: goes on from ours by its own
                                               import_meta_graph, and writes one for us
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "exchange"
sys.path.insert(0, str(FOLDER.parent.parent))
from exchange_model import FEATURES, build, train


def ours() -> None:
    """Five steps, saved plain and sharded, and as a SavedModel with an asset."""
    import tensordraft as td

    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "ours").mkdir(parents=True)
    with td.Graph().as_default(), td.Session() as session:
        build(td)
        saver, sharded = td.train.Saver(), td.train.Saver(sharded=True)
        old = td.train.Saver(write_version=td.train.SaverDef.V1)
        session.run(td.global_variables_initializer())
        train(session, 5)
        saver.save(session, FOLDER / "ours" / "model", 5, write_state=False)
        sharded.save(session, FOLDER / "ours" / "sharded", write_state=False)
        old.save(session, FOLDER / "ours" / "old", write_state=False, write_meta_graph=False)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [None, 2], name="x")
        w = td.get_variable("w", initializer=[[0.5], [-0.25]], use_resource=True)
        name = FOLDER / "words.txt"
        name.write_text("one\ntwo\n")
        path = td.constant(str(name), name="path")
        kept = td.Variable("", collections=["local_variables"], name="kept")
        y = td.matmul(x, w, name="y")
        session.run(td.global_variables_initializer())
        builder = td.saved_model.Builder(FOLDER / "ours" / "saved")
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": td.saved_model.predict_signature_def({"x": x}, {"y": y})},
            assets_collection=[path],
            main_op=kept.assign(path).op,
        )
        builder.save()
        name.unlink()
        # The path of the machine is no part of the model, and is fed anyway.
        file = FOLDER / "ours" / "saved" / "saved_model.pb"
        here = str(name).encode()
        file.write_bytes(file.read_bytes().replace(here, b"/" + b"x" * (len(here) - 1)))


def theirs() -> None:
    """Goes on from ours for five steps, then writes checkpoints of its own, and goes on again."""
    import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

    tf.disable_eager_execution()
    found: dict[str, Any] = {}
    for name in ("model-5", "sharded"):
        with tf.Graph().as_default(), tf.Session() as session:
            saver = tf.train.import_meta_graph(str(FOLDER / "ours" / f"{name}.meta"))
            saver.restore(session, str(FOLDER / "ours" / name))
            found[f"from {name}"] = train(session, 5)
            assert session.run("global_step:0") == 10
    reader = tf.train.NewCheckpointReader(str(FOLDER / "ours" / "old"))
    found["old"] = {
        key: tf.convert_to_tensor(reader.get_tensor(key)).shape.as_list()
        for key in sorted(reader.get_variable_to_shape_map())
    }
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], str(FOLDER / "ours" / "saved"))
        found["saved"] = session.run("y:0", {"x:0": FEATURES}).tolist()
        found["asset"] = Path(session.run("kept:0").decode()).read_text()
    (FOLDER / "theirs").mkdir(exist_ok=True)
    with tf.Graph().as_default(), tf.Session() as session:
        build(tf)
        savers = {
            "model": tf.train.Saver(),
            "sharded": tf.train.Saver(sharded=True),
            "old": tf.train.Saver(write_version=tf.train.SaverDef.V1),
        }
        session.run(tf.global_variables_initializer())
        train(session, 5)
        for name, saver in savers.items():
            saver.save(session, str(FOLDER / "theirs" / name), write_state=False)
        found["from theirs"] = train(session, 5)
    (FOLDER / "results.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    {"ours": ours, "theirs": theirs}[sys.argv[1]]()
