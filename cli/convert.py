"""`tensordraft convert`: writes a model of any format in another one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..model_files.conversion.convert_model import TARGETS, convert as convert_model, target_of
from ..model_files.loading import model_of
from ..model_files.tfjs.shards import QUANTIZATIONS
from .command_parser import add_command
from .graph_file import add_fetch_argument, add_file_argument, add_meta_graph_arguments, read_file
from .output import Answer

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        convert,
        "write a model of any format in another one",
        "Writes a model, with its variables as constants, as a GraphDef, an ONNX model, "
        "a SavedModel or a TensorFlow.js model. A TARGET that ends in .pb or .pbtxt is a GraphDef, "
        "in .onnx an ONNX model; any other is the folder of a TensorFlow.js model, unless --to "
        "says otherwise.",
        [
            "model.pb web_model/",
            "model.keras model.onnx",
            "saved_model web_model/ --quantize uint8",
            "web_model/model.json model.pb",
            "model.pb served/ --to saved_model",
        ],
    )
    add_file_argument(parser, metavar="SOURCE")
    parser.add_argument("target", metavar="TARGET", help="the file or folder to write")
    parser.add_argument(
        "--to", choices=TARGETS, help="the format of the target; by default by its name"
    )
    add_fetch_argument(parser, "to keep, or an output of the signature", "by default all outputs")
    add_meta_graph_arguments(parser)
    parser.add_argument(
        "--quantize",
        choices=QUANTIZATIONS,
        help="round large weights of a TensorFlow.js model; by default they stay float32",
    )


def convert(arguments: Namespace) -> Answer:
    """Writes the converted model."""
    target = target_of(arguments.target, arguments.to)
    parent = os.path.dirname(os.path.realpath(target.path))
    if not os.path.isdir(parent):
        raise ValueError(f"{arguments.target}: there is no folder {parent!r}; make it first")
    model = model_of(read_file(arguments.file, tags=arguments.tags))
    path = convert_model(model, target, arguments.fetch, arguments.signature, arguments.quantize)
    data = {"format": target.kind, "file": path, "bytes": _bytes(path, target.kind)}
    return Answer(lambda: f"saved in {path}, {data['bytes']:,} bytes", lambda: data)


def _bytes(path: str, kind: str) -> int:
    """The size of what was written."""
    folder = os.path.dirname(path) if kind == "tfjs" else path
    if not os.path.isdir(folder):
        return os.path.getsize(path)
    files = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    return sum(map(os.path.getsize, files))
