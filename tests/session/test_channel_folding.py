"""Constant factors and offsets behind a product are folded into its filters, with equal results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from effort import examples as tries
from harness import RUNS_OF_BOTH_TIERS, tiny_blocks
from hypothesis import given, strategies as st
from machine_loops import interpreted_chains, interpreted_kernels
from tiers import programs

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


def array(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


X = array(2, 7, 6, 3)
F = array(3, 3, 3, 4)


def normalized(y: td.Tensor) -> td.Tensor:
    return y * td.constant(array(4), name="scale") + td.constant(array(4), name="shift")


def image() -> td.Tensor:
    return td.placeholder(td.float32, [None, 7, 6, 3], name="image")


def both(fetches: Any, feeds: dict[td.Tensor, Any]) -> tuple[list[Any], Any]:
    """Results of both tiers with folding, and of an exact run."""
    graph = (fetches[0] if isinstance(fetches, list) else fetches).graph
    options: Any = {"graph": graph}
    with (
        tiny_blocks(),
        td.Session(**options) as fast,
        td.Session(optimize="exact", **options) as exact,
    ):
        return [fast.run(fetches, feeds) for _ in range(RUNS_OF_BOTH_TIERS)], exact.run(
            fetches, feeds
        )


def assert_agree(folded: Any, exact: Any) -> None:
    """They agree to 1e-5 of the largest; what is not finite is the same."""
    assert len(folded) == len(exact)
    for one, other in zip(folded, exact, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        finite = np.isfinite(other)
        np.testing.assert_array_equal(one[~finite], other[~finite])
        largest = np.abs(other[finite]).max(initial=1e-3)
        np.testing.assert_allclose(one[finite], other[finite], rtol=0, atol=1e-5 * largest)


# What is folded ----------------------------------------------------------------------------------


def test_a_scale_and_a_shift_are_folded_and_told() -> None:
    x = image()
    y = td.nn.relu(normalized(td.nn.conv2d(x, F, 1, "SAME", name="conv")), name="out")
    with td.Session() as session:
        text = session.explain(y, [x])
    assert "conv (Conv2D) of s0, " in text
    assert ", times mul (Mul), times add (AddV2)" in text
    assert [line.split()[2] for line in text.splitlines() if "(" in line] == ["conv", "add", "out"]


def test_a_scale_alone_leaves_nothing_to_add() -> None:
    x = image()
    y = td.nn.conv2d(x, F, 1, "VALID", name="conv") / td.constant([1.0, -2.0, 4.0, 0.5])
    with td.Session() as session:
        assert "add" not in session.explain(y, [x])
    folded, exact = both([y], {x: X})
    assert_agree(folded[-1], exact)


@pytest.mark.parametrize("off", ["meta", "remapping", "level", "argument"])
def test_rewriting_can_be_turned_off(off: str) -> None:
    x = image()
    y = normalized(td.nn.conv2d(x, F, 1, "SAME"))
    config = td.ConfigProto()
    options = config.graph_options
    if off == "meta":
        options.rewrite_options.disable_meta_optimizer = True
    if off == "remapping":
        options.rewrite_options.remapping = options.rewrite_options.OFF
    if off == "level":
        options.optimizer_options.opt_level = td.OptimizerOptions.L0
    optimize = "exact" if off == "argument" else "fast"
    with td.Session(config=config, optimize=optimize) as session:
        assert "times" not in session.explain(y, [x])


def test_an_unknown_way_to_optimize_is_refused() -> None:
    with pytest.raises(ValueError, match="optimize must be 'fast' or 'exact', got 'slow'"):
        td.Session(optimize="slow")


def test_a_tensor_that_others_read_ends_the_chain() -> None:
    x = image()
    conv = td.nn.conv2d(x, F, 1, "SAME", name="conv")
    scaled = conv * array(4)
    shifted = scaled + array(4)
    with td.Session() as session:
        assert "times mul (Mul), times add" in session.explain(shifted, [x])
        assert "times" not in session.explain([conv, shifted], [x])
        assert "times" not in session.explain([shifted, td.reduce_sum(conv)], [x])
        assert session.explain([scaled, shifted], [x]).count("times") == 1
        assert "times" not in session.explain(shifted, [conv])
        assert "times" not in session.explain([shifted, scaled.op], [x])
    for fetches in ([conv, scaled, shifted], [scaled, shifted], [conv, shifted]):
        folded, exact = both(fetches, {x: X})
        for run in folded:
            assert_agree(run, exact)


def test_what_is_waited_for_is_not_folded() -> None:
    x = image()
    scaled = td.nn.conv2d(x, F, 1, "SAME") * array(4)
    with td.control_dependencies([scaled]):
        y = td.identity(scaled + array(4)) * td.reduce_max(x)
    with td.Session() as session:
        assert "times" not in session.explain(y, [x])


@pytest.mark.parametrize(
    "vector",
    [
        array(6, 1),  # along the columns
        array(7, 1, 1),
        array(7, 6, 4),
        array(2, 1, 1, 4),  # along the batch
        array(1, 1, 1, 1, 4),  # of a higher rank than the images
    ],
)
def test_other_axes_than_that_of_the_channels_are_left(vector: Array) -> None:
    x = td.placeholder(td.float32, [2, 7, 6, 3])
    y = td.nn.conv2d(x, F, 1, "SAME") * vector + array(4)
    with td.Session() as session:
        assert "times" not in session.explain(y, [x])
    folded, exact = both([y], {x: X})
    assert_agree(folded[-1], exact)


def test_a_single_channel_that_is_spread_is_left() -> None:
    x = image()
    y = td.nn.conv2d(x, F[..., :1], 1, "SAME") * array(4)
    assert y.shape[-1] == 4
    with td.Session() as session:
        assert "times" not in session.explain(y, [x])


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e30, 1e-30])
@pytest.mark.parametrize("where", ["filters", "factor"])
def test_extreme_numbers_are_left(number: float, where: str) -> None:
    filters, factor = F.copy(), array(4)
    if where == "filters" and number != 1e-30:
        filters[1, 1, 1, 1] = number
    else:
        factor[2] = number
    x = image()
    y = td.nn.conv2d(x, filters, 1, "SAME") * factor + array(4)
    with td.Session() as session:
        assert "times" not in session.explain(y, [x])
    folded, exact = both([y], {x: X})
    assert_agree(folded[-1], exact)


def test_factors_are_multiplied_in_double_precision() -> None:
    """Two factors that undo each other leave the filters as they were."""
    x = image()
    y = td.nn.conv2d(x, F, 1, "SAME") * np.float32(3) / np.float32(3)
    with td.Session() as session:
        folded = session.run(y, {x: X})
        np.testing.assert_array_equal(folded, session.run(td.nn.conv2d(x, F, 1, "SAME"), {x: X}))


def test_what_follows_runs_on_rows_that_have_just_been_made() -> None:
    x = image()
    y = td.nn.relu(normalized(td.nn.conv2d(x, F, 1, "SAME"))) + X.sum()
    with tiny_blocks(), td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            session.run(y, {x: X})
        [program] = programs(session)
        assert [part.op.type for part in program.parts] == ["Conv2D", "AddV2", "Relu", "AddV2"]


def test_a_failure_of_a_fused_product_names_it() -> None:
    x = td.placeholder(td.float32, [None, None, None, None], name="image")
    y = td.nn.relu(td.nn.conv2d(x, F, 1, "VALID", name="conv") + 1.0)
    with tiny_blocks(), td.Session() as session:
        messages = set()
        for _ in range(RUNS_OF_BOTH_TIERS):
            session.run(y, {x: X})
            with pytest.raises(td.errors.InvalidArgumentError, match="'conv'") as caught:
                session.run(y, {x: X[..., :2]})
            messages.add(caught.value.message)
    assert len(messages) == 1


def test_folded_filters_are_let_go_where_panels_are_made_of_them() -> None:
    x = image()
    y = normalized(td.nn.conv2d(x, F, 1, "SAME"))
    with interpreted_kernels(), td.Session() as session:
        assert "by machine code" in session.explain(y, [x])
        plan = session._plan([y], [x])
        [filters] = [array for array in plan.constants.values() if array.shape == F.shape]
        assert not any(filters.strides)
        grouped = td.nn.conv2d(td.concat([x, x], 3), F, 1, "SAME") * td.constant(array(4))
        with td.Session(optimize="exact") as exact:
            wanted = exact.run([y, grouped], {x: X})
        assert_agree(session.run([y, grouped], {x: X}), wanted)


# Random chains -----------------------------------------------------------------------------------

KINDS = ["mul", "add", "sub", "from", "div", "bias", "norm", "relu", "clip", "swish", "residual"]


def _vector(draw: Any, y: td.Tensor, channels: int) -> Array:
    """A factor or an offset: for each channel, or one for all, of any sign, sometimes zero."""
    rank = len(y.shape)
    kind = draw(st.sampled_from(["channels", "channels", "scalar", "ones", "column"]))
    length = int(y.shape[channels])
    vector = array(length)
    if draw(st.booleans()):
        vector[draw(st.integers(0, length - 1))] = 0
    if kind == "scalar":
        return np.asarray(vector[0])
    if kind == "ones":
        return vector[:1].reshape((1,) * rank)
    shape = [1] * rank
    shape[channels] = length
    if kind == "column":  # not of the channels, unless the sizes are 1
        shape = [1] * rank
        shape[1 if channels else 0] = int(y.shape[1])
        return array(*shape)
    return vector.reshape(shape)


def _product(draw: Any) -> tuple[td.Tensor, td.Tensor, int]:
    """An input, a product of it, and the dimension of its channels."""
    kind = draw(st.sampled_from(["conv", "conv", "depthwise", "matmul", "first", "volume"]))
    if kind == "matmul":
        x = td.placeholder(td.float32, [None, 5])
        turned = draw(st.booleans())
        return x, td.matmul(x, array(4, 5) if turned else array(5, 4), transpose_b=turned), 1
    size, stride, rate = (draw(st.integers(1, most)) for most in (3, 5, 3))
    stride, rate = (stride, 1) if draw(st.booleans()) else (1, rate)
    padding = draw(st.sampled_from(["SAME", "VALID", [[0, 0], [2, 1], [0, 3], [0, 0]]]))
    if kind == "volume":
        x = td.placeholder(td.float32, [None, 4, 7, 6, 3])
        filters = array(2, size, 2, 3, 4)
        padding = padding if isinstance(padding, str) else "SAME"
        return x, td.nn.conv3d(x, filters, [1, 1, stride, stride, 1], padding), 4
    x = td.placeholder(td.float32, [None, 7, 8, 3])
    filters = array(size, size, 3, 2)
    if kind == "first":
        padding = padding if isinstance(padding, str) else "VALID"
        y = td.nn.conv2d(
            td.transpose(x, [0, 3, 1, 2]), filters, stride, padding, True, "NCHW", rate
        )
        return x, y, 1
    if kind == "depthwise":
        return x, td.nn.depthwise_conv2d_native(x, filters, stride, padding, "NHWC", rate), 3
    return x, td.nn.conv2d(x, filters, stride, padding, dilations=rate), 3


def _followed(draw: Any, y: td.Tensor, channels: int, x: td.Tensor) -> td.Tensor:
    """A step behind a tensor."""
    kind = draw(st.sampled_from(KINDS))
    data_format = "NCHW" if channels == 1 and y.shape.rank == 4 else None
    length = int(y.shape[channels])
    if kind == "bias":
        return td.nn.bias_add(y, array(length), data_format=data_format)
    if kind == "norm" and y.shape.rank == 4:
        statistics = array(length), array(length), array(length), array(length) ** 2
        return td.nn.fused_batch_norm(
            y, *statistics, data_format=data_format or "NHWC", is_training=False
        )[0]
    if kind == "relu":
        return td.nn.relu(y)
    if kind == "clip":
        return td.nn.relu6(y)
    if kind == "swish":
        return y * td.sigmoid(y)
    if kind == "residual":
        return y + y * td.reduce_mean(x)
    vector = _vector(draw, y, channels)
    if kind == "div":
        return y / (np.abs(vector) + np.float32(0.5))
    if kind == "from":
        return td.constant(vector) - y
    return {"mul": td.multiply, "add": td.add, "sub": td.subtract}.get(kind, td.multiply)(y, vector)


@tries(60)
@given(st.data())
def test_random_chains_give_what_exact_ones_give(data: st.DataObject) -> None:
    fetches, feeds = _chain(data)
    folded, exact = both(fetches, feeds)
    for run in folded:
        assert_agree(run, exact)


@tries(30)
@given(st.data())
def test_random_chains_by_machine_code_give_what_exact_ones_give(data: st.DataObject) -> None:
    fetches, feeds = _chain(data)
    with interpreted_kernels(), interpreted_chains():
        folded, exact = both(fetches, feeds)
    for run in folded:
        assert_agree(run, exact)


def _chain(data: st.DataObject) -> tuple[list[td.Tensor], dict[td.Tensor, Array]]:
    """The end and some of the middle of a random chain, and what is fed."""
    with td.Graph().as_default():
        x, y, channels = _product(data.draw)
        made = [y]
        for _ in range(data.draw(st.integers(1, 5))):
            made.append(_followed(data.draw, made[-1], channels, x))
        middle = data.draw(st.lists(st.sampled_from(made[:-1]), max_size=2, unique=True))
        batch = data.draw(st.sampled_from([0, 1, 3]))
        value = array(batch, *[int(size) for size in x.shape[1:]])
        if batch and data.draw(st.integers(0, 4)) == 0:
            value.flat[0] = data.draw(st.sampled_from([np.nan, np.inf, 0.0]))
    return [made[-1], *middle], {x: value}
