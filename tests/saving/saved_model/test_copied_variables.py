"""A SavedModel whose saver restores copies of the variables that its signature reads."""

from __future__ import annotations

from pathlib import Path

import tensordraft as td


def test_originals_have_the_values_of_their_restored_copies(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        handle = td.raw_ops.VarHandleOp(dtype="float32", shape=[2], shared_name="kernel")
        first = td.raw_ops.AssignVariableOp(resource=handle, value=[3.0, 4.0])
        value = td.raw_ops.ReadVariableOp(resource=handle, dtype="float32")
        value.set_shape([2])
        copy = td.get_variable("copy", initializer=value, use_resource=True)
        x = td.placeholder(td.float32, [2], name="x")
        y = td.multiply(x, value, name="y")
        session.run(first)
        session.run(copy.initializer)
        signature = td.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder = td.saved_model.Builder(str(tmp_path / "model"))
        tags = [td.saved_model.tag_constants.SERVING]
        signatures = {"serving_default": signature}
        builder.add_meta_graph_and_variables(session, tags, signatures)
        builder.save()
    model = td.load(tmp_path / "model")
    assert model.graph is not graph
    with model.session() as session:
        assert session.run(model.outputs["y"], {model.inputs["x"]: [1.0, 2.0]}).tolist() == [3, 8]
        session.run(copy.op.name + "/Assign")  # from the original, as ever
    frozen = td.graph_util.freeze_model(tmp_path / "model")
    assert "kernel" not in [node.op for node in frozen.node]
