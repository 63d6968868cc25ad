"""ONNX's backend interface: `prepare`, `run_model`, `run_node`, `supports_device`.

`onnx.backend.test` and other suites run against this module:

    import onnx.backend.test
    import tensordraft.onnx_backend

    runner = onnx.backend.test.BackendTest(tensordraft.onnx_backend, __name__)
"""

from __future__ import annotations

from .model_files.onnx_import.backend import (
    PreparedModel,
    is_compatible,
    prepare,
    run_model,
    run_node,
    supports_device,
)

__all__ = [
    "PreparedModel",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]
