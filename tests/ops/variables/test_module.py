"""Modules find the variables of their attributes, in TensorFlow 1.15's order and scopes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")


class Inner(td.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.z = [td.Variable(1.0, name="z"), {"b": td.Variable(2.0, name="b", trainable=False)}]
        with self.name_scope:
            self.a = td.Variable(3.0, name="a")


class HTTPServerV2(td.Module):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope:
            self.second, self.first = Inner(), Inner()
            self.again = self.first

    @td.Module.with_name_scope
    def __call__(self, x: Any) -> Any:
        """The square."""
        return td.square(x)


def test_variables_are_found_once_in_order_of_names() -> None:
    server = HTTPServerV2()
    assert [v.op.name for v in server.variables] == [
        "http_server_v2/inner_1/a",
        "http_server_v2/z_1",
        "http_server_v2/b_1",
        "http_server_v2/inner/a",
        "http_server_v2/z",
        "http_server_v2/b",
    ]
    assert [v.op.name for v in server.trainable_variables if "b" in v.op.name.split("/")[-1]] == []
    assert server.submodules == (server.first, server.second)
    assert server.first.submodules == ()


def test_methods_run_in_the_scope_of_their_module() -> None:
    first, second = HTTPServerV2(), HTTPServerV2()
    names = [first(1.0).op.name, first(1.0).op.name, second(1.0).op.name]
    assert names == ["http_server_v2/Square", "http_server_v2/Square_1", "http_server_v2_1/Square"]
    assert HTTPServerV2.__call__.__doc__ == "The square."
    assert (first.name, Inner("mine").name) == ("http_server_v2", "mine")


def test_variables_of_layers_are_found() -> None:
    class Network(td.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = (td.layers.Dense(2), td.layers.Dense(1))

    network = Network()
    x = td.ones([1, 3])
    for layer in network.layers:
        x = layer(x)
    assert [v.shape.as_list() for v in network.trainable_variables] == [[3, 2], [2], [2, 1], [1]]


def test_names_are_identifiers() -> None:
    with pytest.raises(ValueError, match="'a b' is not a valid module name"):
        Inner("a b")


def test_specs_of_tensors() -> None:
    x = td.placeholder(td.float32, [None, 3], name="x")
    spec = td.TensorSpec.from_tensor(x)
    assert (spec.shape.as_list(), spec.dtype, spec.name) == ([None, 3], td.float32, "x")
    assert spec == td.TensorSpec([None, 3], td.float32, "x")
    assert hash(spec) == hash(td.TensorSpec.from_spec(spec))
    assert spec != td.TensorSpec.from_spec(spec, "y")
    assert spec != 3
    assert spec.is_compatible_with(td.TensorSpec([4, None]))
    assert not spec.is_compatible_with(td.zeros([2, 3], td.int32))
    assert "dtype=td.float32, name='x'" in repr(spec)
    with pytest.raises(TypeError):
        td.TensorSpec([2], "float33")


def test_kinds_of_numbers_and_texts() -> None:
    compat = td.compat
    assert isinstance(np.int8(3), compat.integral_types)
    assert not isinstance(3.0, compat.integral_types)
    assert isinstance(np.float16(3), compat.real_types)
    assert not isinstance(3j, compat.real_types)
    assert isinstance(np.complex64(3j), compat.complex_types)
    assert isinstance(b"x", compat.bytes_or_text_types)
