"""Gradients of `ops/quantized`: fake quantization, seen as the identity within its range."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ..common.rule_tables import gradient_of, not_differentiable, raw, raw_results, undefined

not_differentiable(
    "FakeQuantWithMinMaxArgsGradient",
    "FakeQuantWithMinMaxVarsGradient",
    "FakeQuantWithMinMaxVarsPerChannelGradient",
)
undefined(
    "quantized numbers are integers",
    "Dequantize",
    "QuantizeDownAndShrinkRange",
    "QuantizeV2",
    "QuantizedAdd",
    "QuantizedAvgPool",
    "QuantizedBatchNormWithGlobalNormalization",
    "QuantizedBiasAdd",
    "QuantizedConcat",
    "QuantizedConv2D",
    "QuantizedInstanceNorm",
    "QuantizedMatMul",
    "QuantizedMaxPool",
    "QuantizedMul",
    "QuantizedRelu",
    "QuantizedRelu6",
    "QuantizedReluX",
    "QuantizedReshape",
    "RequantizationRange",
    "Requantize",
    "QuantizedResizeBilinear",
)


@gradient_of("FakeQuantWithMinMaxArgs")
def _fake_quant_args(op: Operation, gradient: Tensor) -> Tensor:
    attrs = {name: op.get_attr(name) for name in ("min", "max", "num_bits", "narrow_range")}
    return raw("FakeQuantWithMinMaxArgsGradient")(gradient, op.inputs[0], **attrs)


@gradient_of("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def _fake_quant_vars(op: Operation, gradient: Tensor) -> Any:
    attrs = {name: op.get_attr(name) for name in ("num_bits", "narrow_range")}
    return tuple(raw_results(f"{op.type}Gradient")(gradient, *op.inputs, **attrs))


@gradient_of("QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3")
def _quantize_and_dequantize(op: Operation, gradient: Tensor) -> Any:
    return [gradient, *(None for _ in op.inputs[1:])]


undefined(
    "TensorFlow has an op of its own for it; td.quantization.quantize_and_dequantize makes V2",
    "QuantizeAndDequantizeV4",
)
