"""An Atheris target: no graph file may do more than raise one of our errors.

    python -m venv fuzzing && fuzzing/bin/pip install atheris --editable .
    fuzzing/bin/python tests/fuzz/fuzz_graph_files.py corpus tests/golden/files -max_total_time=1800

`corpus` is a folder for what the fuzzer finds interesting. A crash is saved as `crash-…`; running
the target with that file as its only argument shows it again.

Bytes that are flipped at random are rarely a message any more. So most mutations change a field of
the message: what is read as a GraphDef stays one, and the ops themselves are reached.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import atheris  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError, Message

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

with atheris.instrument_imports(include=["tensordraft"]):
    from hostile_files import drive

    import tensordraft as td
    from tensordraft.graph.registry import definitions

    # The ops are imported when the first of them is looked for.
    OP_TYPES = [definition.name for definition in definitions()]

NUMBERS = [0, 1, -1, 2, 3, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**32, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -1.0, 0.5, 1e30, float("inf"), float("nan")]
BYTES = [b"", b"x", b"\xff", b"NCHW", b"VALID", b"i,j->ij", b"-1", bytes(8)]


def fields(message: Message) -> Iterator[tuple[Message, Any]]:
    """All fields that are set in a message and in those inside it, each with its message."""
    for field, value in message.ListFields():
        yield message, field
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            items = value.values() if field.message_type is not None else ()
        else:
            items = value if field.is_repeated else [value]
        for item in items:
            if isinstance(item, Message):
                yield from fields(item)


def scalar(field: Any, now: Any, rng: random.Random) -> Any:
    """Some other value for a field of this type."""
    if field.cpp_type == field.CPPTYPE_STRING:
        if field.name == "op":
            return rng.choice(OP_TYPES)
        chosen = rng.choice([*BYTES, now if isinstance(now, bytes) else now.encode()])
        return chosen if field.type == field.TYPE_BYTES else chosen.decode(errors="replace")
    if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return rng.choice(FLOATS)
    if field.cpp_type == field.CPPTYPE_BOOL:
        return not now
    if field.cpp_type == field.CPPTYPE_ENUM:
        return rng.randrange(32)
    return rng.choice([*NUMBERS, now + 1, now - 1])


def change(graph_def: td.GraphDef, rng: random.Random) -> None:
    """Changes one field, anywhere: another value, or an element more or fewer."""
    message, field = rng.choice(list(fields(graph_def)))
    value = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        key = rng.choice(list(value))
        donors = [node.attr[name] for node in graph_def.node for name in node.attr]
        if rng.random() < 0.3 or not donors or not isinstance(value[key], td.AttrValue):
            del value[key]
        else:
            donor = td.AttrValue.FromString(rng.choice(donors).SerializeToString())
            value[key].CopyFrom(donor)  # a copy of it, since it may hold what it is put in
    elif field.is_repeated:
        at = rng.randrange(len(value))
        if rng.random() < 0.3:
            del value[at]
        elif field.message_type is not None:
            value.add().CopyFrom(value[at])
        elif rng.random() < 0.5:
            value.append(value[at])
        else:
            value[at] = scalar(field, value[at], rng)
    elif field.message_type is None:
        setattr(message, field.name, scalar(field, value, rng))
    else:
        message.ClearField(field.name)


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """A graph file that differs from `data` in a few fields, or in bytes where it is none."""
    rng = random.Random(seed)
    try:
        graph_def = td.GraphDef.FromString(data)
        for _ in range(rng.randrange(5)):
            change(graph_def, rng)
    except (DecodeError, ValueError, IndexError):
        return bytes(atheris.Mutate(data, max_size))
    result = graph_def.SerializeToString()
    fits = len(result) <= max_size and result != data
    return result if fits else bytes(atheris.Mutate(data, max_size))


def main() -> None:
    """Hands over to the fuzzer."""
    atheris.Setup(sys.argv, drive, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
