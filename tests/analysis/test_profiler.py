"""Profiles: operations, parameters, time and memory, as TensorFlow's profiler reports them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

BUILDER = td.profiler.ProfileOptionBuilder


@pytest.fixture(scope="module")
def network() -> td.Graph:
    """A small classifier; TensorFlow 2.21 counts 14,640 operations in its forward part."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [2, 8, 8, 3], name="x")
        w = td.get_variable("conv/w", [3, 3, 3, 4], initializer=td.zeros_initializer())
        b = td.get_variable("conv/b", [4], initializer=td.zeros_initializer())
        steps = td.get_variable("steps", [6], trainable=False, initializer=td.zeros_initializer())
        with td.name_scope("net"):
            y = td.nn.bias_add(td.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), b)
            y = td.nn.max_pool(td.nn.relu(y), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        dense = td.get_variable("dense", [16, 5], initializer=td.zeros_initializer())
        z = td.nn.softmax(td.matmul(td.reshape(y, [2, -1]), dense) + 1.0, name="z")
        loss = td.reduce_mean(td.square(z) - z * 2.0, name="loss")
        td.gradients(loss, [w, b, dense], name="gradients")
        del steps
    return graph


def silent(options: dict[str, Any]) -> Any:
    return BUILDER(options).with_empty_output()


def test_operations_of_each_op_are_those_that_tensorflow_counts(network: td.Graph) -> None:
    root = td.profiler.profile(network, options=silent(BUILDER.float_operation()).build())
    result = {node.name: node.float_ops for node in root.children}
    assert result["net/Conv2D"] == 6912
    assert result["net/BiasAdd"] == result["net/MaxPool"] == 128
    assert result["MatMul"] == 320
    assert (result["z"], result["loss"], result["Square"], result["add"]) == (50, 10, 10, 10)
    assert result["gradients/net/BiasAdd_grad/BiasAddGrad"] == 124
    assert result["gradients/net/Conv2D_grad/Conv2DBackpropFilter"] == 6912
    assert result["gradients/net/MaxPool_grad/MaxPoolGrad"] == 160
    assert root.total_float_ops == sum(node.total_float_ops for node in root.children)
    assert [node.float_ops for node in root.children[:3]] == [6912, 6912, 320]


def ones(*sizes: int) -> td.Tensor:
    return td.ones(list(sizes))


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x: td.matmul(x, x, transpose_a=True), 2 * 3 * 3 * 2),
        (lambda x: td.matmul(td.stack([x, x]), td.stack([x, x]), adjoint_b=True), 2 * 2 * 4 * 3),
        (td.nn.l2_loss, 17),
        (td.rsqrt, 12),
        (lambda x: td.squared_difference(x, 1.0), 12),
        (lambda x: td.add_n([x] * 3), 12),
        (lambda x: td.reduce_sum(x, 1), 4),
        (lambda x: td.argmax(x, 1), 4),
        (lambda x: td.nn.conv3d(ones(1, 2, 2, 2, 3), ones(1, 1, 1, 3, 5), [1] * 5, "SAME"), 240),
        (
            lambda x: td.nn.depthwise_conv2d(ones(1, 4, 4, 3), ones(2, 2, 3, 2), [1] * 4, "SAME"),
            768,
        ),
        (lambda x: td.nn.avg_pool(ones(1, 4, 4, 3), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), 48),
        (td.sin, 0),
    ],
)
def test_operations_of_one_op(make: Callable[[Any], Any], expected: int) -> None:
    with td.Graph().as_default() as graph:
        op = make(td.placeholder(td.float32, [2, 3])).op
    options = silent(BUILDER.float_operation()).with_node_names([op.name]).build()
    assert td.profiler.profile(graph, options=options).total_float_ops == expected


def test_gradients_of_pools_and_of_images_count_as_in_tensorflow() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [1, 4, 4, 2])
        y = td.nn.avg_pool(
            td.nn.conv2d(x, td.ones([3, 3, 2, 5]), [1, 2, 2, 1], "SAME"),
            [1, 2, 2, 1],
            [1] * 4,
            "SAME",
        )
        td.gradients(y, x)
    types = td.profiler.profile(
        graph, cmd="op", options=silent(BUILDER.float_operation()).order_by("name").build()
    )
    result = {}
    while types.children:
        types = types.children[0]
        result[types.name] = types.float_ops
    assert result["AvgPoolGrad"] == 2 * 4 * 20
    assert result["Conv2DBackpropInput"] == 2 * 32 * 90 // (2 * 4)


def test_what_depends_on_unknown_sizes_is_not_counted_and_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 3])
        td.matmul(x, td.ones([3, 4]))
        td.nn.max_pool(td.ones([1, 2, 4, 4]), [1, 1, 2, 2], [1] * 4, "SAME", data_format="NCHW")
        td.square(td.placeholder(td.float32))
    assert td.profiler.profile(graph, options=BUILDER.float_operation()).total_float_ops == 0
    assert "3 ops are not counted" in capsys.readouterr().out


def test_parameters_by_scope(network: td.Graph, capsys: pytest.CaptureFixture[str]) -> None:
    options = BUILDER.trainable_variables_parameter()
    root = td.profiler.profile(network, options=options)
    assert root.total_parameters == 192
    assert capsys.readouterr().out.splitlines() == [
        "node name | # parameters",
        "_TFProfRoot (--/192 params)",
        "  conv (--/112 params)",
        "    conv/b (4, 4/4 params)",
        "    conv/w (3x3x3x4, 108/108 params)",
        "  dense (16x5, 80/80 params)",
    ]
    all_of_them = silent({**options, "account_type_regexes": [".*"]}).build()
    assert td.profiler.profile(network, options=all_of_them).total_parameters == 198


def test_names_tell_where_to_begin_what_to_show_and_where_to_end(network: td.Graph) -> None:
    whole = BUILDER.trainable_variables_parameter()

    def shown(**patterns: list[str]) -> list[str]:
        options = silent(whole).with_node_names(**patterns).build()
        return [node.name for node in td.profiler.profile(network, options=options).children]

    assert shown(show_name_regexes=[".*w"]) == ["conv/w"]
    assert shown(hide_name_regexes=["conv"]) == ["conv/b", "conv/w", "dense"]
    assert shown(start_name_regexes=["conv"]) == ["conv"]
    assert shown(trim_name_regexes=["conv"], hide_name_regexes=["conv"]) == ["dense"]
    flat = silent(whole).with_max_depth(1).account_displayed_op_only(False).build()
    root = td.profiler.profile(network, options=flat)
    assert [(node.name, len(node.children)) for node in root.children] == [
        ("conv", 0),
        ("dense", 0),
    ]
    assert root.total_parameters == 192


def traced(network: td.Graph) -> td.RunMetadata:
    metadata = td.RunMetadata()
    with td.Session(graph=network) as session, network.as_default():
        session.run(td.global_variables_initializer())
        options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        session.run("loss:0", {"x:0": np.zeros([2, 8, 8, 3])}, options, metadata)
    return metadata


def test_time_and_memory_of_traced_runs(network: td.Graph, tmp_path: Path) -> None:
    runs = [traced(network), traced(network)]
    profiler = td.profiler.Profiler(network)
    for step, run in enumerate(runs):
        profiler.add_step(step, run)
    options = silent(BUILDER.time_and_memory(min_micros=0)).with_node_names(["net/Conv2D"])
    root = profiler.profile_name_scope(options.build())
    assert [node.name for node in root.children] == ["net/Conv2D"]
    convolution = root.children[0]
    assert convolution.requested_bytes == 2 * 4 * 4 * 4 * 4
    assert convolution.run_count == 2
    took = [trace.seconds for run in runs for trace in run.step_stats if trace.name == "net/Conv2D"]
    assert convolution.exec_micros == round(sum(took) * 1e6 / 2)
    second = profiler.profile_name_scope(options.with_step(1).build())
    assert second.children[0].run_count == 1
    with pytest.raises(ValueError, match="there is no step 7; the steps that were added are: 0, 1"):
        profiler.profile_name_scope(options.with_step(7).build())
    trace = options.with_step(-1).with_timeline_output(str(tmp_path / "trace"))
    profiler.profile_name_scope(trace.build())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace_0", "trace_1"]


def test_types_and_lines_of_ops(network: td.Graph, tmp_path: Path) -> None:
    place = tmp_path / "types.txt"
    options = (
        BUILDER(BUILDER.float_operation())
        .select(["float_ops", "occurrence", "micros", "bytes", "op_types"])
        .with_file_output(str(place))
    )
    first = td.profiler.profile(
        network, traced(network), cmd="op", options=options.build()
    ).children[0]
    assert (first.name, first.float_ops) == ("Conv2D", 6912)
    assert [node.name for node in first.graph_nodes] == ["net/Conv2D"]
    lines = place.read_text().splitlines()
    assert lines[0].startswith("node name | # float_ops | requested bytes | total execution time")
    assert lines[1].split()[:2] == ["Conv2D", "6.91k"]
    assert "1|1" in lines[1]
    by_line = silent(BUILDER.trainable_variables_parameter()).build()
    result = td.profiler.Profiler(network).profile_python(by_line)
    assert result.total_parameters == 192
    assert "test_profiler.py" in result.children[0].name
    assert (
        td.profiler.Profiler(network).profile_operations(by_line).children[0].name == "VariableV2"
    )


def test_attributes_that_are_no_numbers(
    network: td.Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["MatMul", "dense"]
    options = BUILDER().select(["op_types", "input_shapes", "device", "occurrence", "cpu_micros"])
    td.profiler.profile(network, options=options.with_node_names(names).with_max_depth(1).build())
    printed = capsys.readouterr().out
    assert "  MatMul (0us/0us, /device:CPU:0, MatMul, 0/0|1/1, 0:2x16|1:16x5)" in printed
    assert "VariableV2|_trainable_variables" in printed


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"cmd": "graph"}, "cmd must be one of scope, op, code, got 'graph'"),
        ({"options": {"colour": 1}}, "no option is called 'colour'"),
        ({"options": {"show_name_regexes": ["("]}}, "show_name_regexes has '('"),
        ({"options": {"output": "pprof:outfile=x"}}, "output must be none, stdout"),
        ({"options": {"output": "file:outfile="}}, "output must be none, stdout"),
        ({"op_log": object()}, "op_log must be None"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], result: str) -> None:
    with td.Graph().as_default() as graph:
        td.constant(1.0)
    with pytest.raises(ValueError, match=re.escape(result)):
        td.profiler.profile(graph, **arguments)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"run_meta must be a td\.RunMetadata, got 3"):
        td.profiler.profile(graph, 3)  # type: ignore[arg-type]


def test_names_deeper_than_messages_may_be_are_told_in_full() -> None:
    deep = "/".join(["a"] * 300)
    with td.Graph().as_default() as graph:
        td.get_variable(deep, [3], initializer=td.zeros_initializer())
    options = silent(BUILDER.trainable_variables_parameter())
    root = td.profiler.profile(
        graph, options=options.with_node_names(show_name_regexes=[deep]).build()
    )
    assert [node.name for node in root.children] == [deep]
    assert td.profiler.GraphNodeProto.FromString(root.SerializeToString()) == root


def test_the_profiler_of_contrib(network: td.Graph, tmp_path: Path) -> None:
    analyzer = td.contrib.tfprof.model_analyzer
    options = {**analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, "dump_to_file": str(tmp_path / "p")}
    root = analyzer.print_model_analysis(network, tfprof_options=options)
    assert root.total_parameters == 192
    assert (tmp_path / "p").read_text().endswith("  dense (16x5, 80/80 params)\n")


def test_builders_set_every_option() -> None:
    options = (
        BUILDER()
        .with_min_memory(1, 2, 3, 4)
        .with_min_execution_time(5, 0, 6)
        .with_min_parameters(7)
        .with_min_occurrence(8)
        .with_min_float_operations(9)
        .with_accounted_types(["MatMul"])
        .with_stdout_output()
        .build()
    )
    least = {name: value for name, value in options.items() if name.startswith("min_") and value}
    assert least == {
        "min_bytes": 1,
        "min_peak_bytes": 2,
        "min_residual_bytes": 3,
        "min_output_bytes": 4,
        "min_micros": 5,
        "min_cpu_micros": 6,
        "min_params": 7,
        "min_occurrence": 8,
        "min_float_ops": 9,
    }
    assert options["account_type_regexes"] == ["MatMul"]
    assert options["output"] == "stdout"
