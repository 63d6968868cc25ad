"""GraphDefs as TensorFlow.js keeps them: the JSON of protobuf, written more loosely by some."""

from __future__ import annotations

import base64
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from ...protos.messages import GraphDef, SignatureDef
from .json_files import damaged, member, objects

_MOST_NESTED = 100  # messages within messages, as protobuf reads them in binary form, too
_BYTES = {"s", "tensorContent", "tensor_content", "stringVal", "string_val"}
# Members that hold what no reader of a graph needs, in other forms than protobuf's JSON at times.
_NOTES = ("experimentalDebugInfo", "experimental_debug_info", "debugInfo")
_RESOURCE = ("resourceId", "resource_id")
# Errors of reading JSON of another form; a SystemError is of half of a surrogate pair.
_MALFORMED = (
    *(json_format.Error, RecursionError, ValueError, TypeError, AttributeError, KeyError),
    *(OverflowError, SystemError),
)


def parse_graph(value: dict[str, Any], what: str, path: str) -> GraphDef:
    """A GraphDef from its JSON.

    Args:
        value: the object.
        what: what it is, for errors.
        path: the file, for errors.

    Raises:
        DataLossError: it is no GraphDef.
    """
    nodes = objects(member(value, "node", list, what, path), f"each node of {what}", path)
    library = member(value, "library", dict, what, path)
    functions = objects(member(library, "function", list, what, path), "each function", path)
    bodies = []
    for function in functions:
        key = "nodeDef" if "nodeDef" in function else "node_def"
        body = objects(member(function, key, list, "a function", path), "each node", path)
        rest = {name: item for name, item in function.items() if name != key}
        bodies.append({**rest, "nodeDef": [_node(node, path) for node in body]})
    whole = {
        "node": [_node(node, path) for node in nodes],
        "library": {"function": bodies},
        "versions": member(value, "versions", dict, what, path),
    }
    graph_def = GraphDef()
    _parse(whole, graph_def, what, path)
    return graph_def


def parse_signature(value: dict[str, Any], what: str, path: str) -> SignatureDef:
    """A SignatureDef from its JSON, in which names of tensors may lack their `:0`.

    Args:
        value: the object.
        what: what it is, for errors.
        path: the file, for errors.

    Raises:
        DataLossError: it is no SignatureDef.
    """
    ends: dict[str, dict[str, Any]] = {}
    for key in ("inputs", "outputs"):
        infos = member(value, key, dict, what, path)
        objects(list(infos.values()), f"each of the {key} of {what}", path)
        ends[key] = {
            name: {each: item for each, item in info.items() if each not in _RESOURCE}
            for name, info in infos.items()
        }
    signature = SignatureDef()
    _parse({**ends, "methodName": value.get("methodName") or ""}, signature, what, path)
    for infos in (signature.inputs, signature.outputs):
        for info in infos.values():
            if info.name and ":" not in info.name:
                info.name += ":0"
    return signature


def _node(node: dict[str, Any], path: str) -> dict[str, Any]:
    """A node without notes, and with all bytes in Base64."""
    name = node.get("name")
    attrs = member(node, "attr", dict, f"the node {name!r}", path)
    rest = {key: item for key, item in node.items() if key not in _NOTES}
    try:
        return {**rest, "attr": _encoded(attrs)}
    except (RecursionError, ValueError, TypeError) as error:
        damaged(path, f"the attrs of the node {name!r} are malformed: {error}")


def _encoded(value: Any) -> Any:
    """A value in which lists of numbers that stand for bytes are in Base64."""
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _base64(item) if key in _BYTES else _encoded(item)
        for key, item in value.items()
        if item is not None
    }


def _base64(value: Any) -> Any:
    """Bytes, or a list of such, that may be lists of their numbers."""
    if isinstance(value, list) and value and all(type(item) is int for item in value):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, dict) and value.get("type") == "Buffer":  # as Node.js writes bytes
        return _base64(value.get("data"))
    if isinstance(value, list):
        return [_base64(item) for item in value]
    return value


def _parse(value: Any, message: Message, what: str, path: str) -> None:
    try:
        json_format.ParseDict(
            value, message, ignore_unknown_fields=True, max_recursion_depth=_MOST_NESTED
        )
        # In binary form messages may be nested less deep; what cannot be saved is not loaded.
        type(message).FromString(message.SerializeToString())
    except Exception as error:
        # Protobuf's own errors are of classes that differ between its implementations.
        is_own = type(error).__module__.startswith("google.")
        if is_own or isinstance(error, _MALFORMED):
            damaged(path, f"{what} is malformed: {str(error)[:300]}")
        raise
