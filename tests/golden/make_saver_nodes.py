"""Writes which nodes TensorFlow's Saver makes, with the TensorFlow (2.21) that runs this.

python tests/golden/make_saver_nodes.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "reshape": {"reshape": True},
    "version 1": {"write_version": 1},
    "sharded": {"sharded": True},
    "sharded, version 1": {"sharded": True, "write_version": 1},
}


def nodes(settings: dict[str, Any]) -> dict[str, Any]:
    """The types and inputs of the nodes, by name, and what the SaverDef names."""
    with tf.Graph().as_default() as graph:
        tf.get_variable("a", [2], use_resource=False)
        tf.get_variable("b", [3], use_resource=True)
        with tf.device("/job:ps/task:1"):
            tf.get_variable("c", [2], use_resource=False)
        saver_def = tf.train.Saver(**settings).saver_def
        made = [node for node in graph.as_graph_def().node if node.name.startswith("save/")]
    return {
        "settings": settings,
        "nodes": {node.name: [node.op, sorted(node.input)] for node in made},
        "saver_def": [saver_def.filename_tensor_name, saver_def.save_tensor_name],
    }


if __name__ == "__main__":
    tf.disable_eager_execution()
    found = {name: nodes(settings) for name, settings in SETTINGS.items()}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    Path(__file__).resolve().with_name("saver_nodes.json").write_text(text)
