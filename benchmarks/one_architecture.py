"""Runs one frozen network on request: `one_architecture.py LIBRARY PATH BATCH THREADS`.

LIBRARY is `numpy`, `jit` (the same with machine code), `tensorflow`, or `onnxruntime`, for which
tf2onnx translates the graph once. A process of its own, so that they may be installed for different
interpreters, and that the threads of one are not in the way of the other. For each line of input it
runs once, and prints wall and CPU time; at first it prints how far its output is from what
TensorFlow gave when the graph was made.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_WARM_UP_RUNS = 5  # after which plans are compiled


def main(library: str, path: Path, batch: int, threads: int) -> None:
    """Answers each line."""
    os.environ["OPENBLAS_NUM_THREADS"] = str(threads)  # before NumPy is there
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import numpy as np

    case = np.load(path.with_suffix(".npz"))
    images = np.concatenate([case["input"][:1]] * batch)
    call = _call(library, path, case, threads)
    if library == "jit":  # what the first plan asks for is there for the second
        _run_often(call, images)
        _accelerator().wait()
        call = _call(library, path, case, threads)
    result = _run_often(call, images)
    if library == "jit":
        _accelerator().wait()
        result = _run_often(call, images)
    wanted = case["output"][:1]
    difference = float(np.abs(result[:1] - wanted).max() / np.abs(wanted).max())
    print(json.dumps(difference), flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        call(images)
        times = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps(times), flush=True)


def _run_often(call: Callable[[Any], Any], images: Any) -> Any:
    return [call(images) for _ in range(_WARM_UP_RUNS)][-1]


def _accelerator() -> Any:
    return importlib.import_module("tensordraft.runtime.jit.accelerator").accelerator


def _call(library: str, path: Path, case: Any, threads: int) -> Callable[[Any], Any]:
    if library == "onnxruntime":
        return _onnx_call(path, case, threads)
    return _session_call(library, path, case, threads)


def _onnx_call(path: Path, case: Any, threads: int) -> Callable[[Any], Any]:
    onnxruntime: Any = importlib.import_module("onnxruntime")
    names = str(case["input_name"]), str(case["output_name"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(str(_translated(path, *names)), options)
    return lambda images: session.run([names[1]], {names[0]: images})[0]


def _translated(path: Path, input_name: str, output_name: str) -> Path:
    """The graph as ONNX, in the folder of the architectures."""
    folder = Path(tempfile.gettempdir()) / "tensordraft-architectures"
    target = folder / f"{path.stem}.onnx"
    if not target.exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        part = target.with_suffix(".part")
        command = [sys.executable, "-m", "tf2onnx.convert", "--graphdef", str(path)]
        command += ["--inputs", input_name, "--outputs", output_name, "--output", str(part)]
        subprocess.run(command, check=True, capture_output=True)
        part.rename(target)
    return target


def _session_call(library: str, path: Path, case: Any, threads: int) -> Callable[[Any], Any]:
    if library == "tensorflow":
        module: Any = importlib.import_module("tensorflow").compat.v1
    else:
        module = importlib.import_module("tensordraft")
        module.config.accelerator = library == "jit"
    graph = module.Graph()
    with graph.as_default():
        module.import_graph_def(module.GraphDef.FromString(path.read_bytes()), name="")
    config = module.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1
    )
    session = module.Session(graph=graph, config=config)
    names = str(case["output_name"]), [str(case["input_name"])]
    call: Callable[[Any], Any] = session.make_callable(*names)
    return call


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:5]))
