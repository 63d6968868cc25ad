"""Options of an import, fixed before it begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...formats.progress import Progress
from ...protos.messages import OpList
from ..node import Operation, Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Options of an import.

    Args:
        scope: the scope of the nodes' names.
        fresh: whether the scope is new, so that nothing in it is taken.
        input_map: replacements of inputs.
        producer_op_list: the op definitions of the producer.
        shared: whether tensors may refer to the message, which then must not be changed.
        contents: the content of constants that is stored beside the message.
        progress: called periodically.
        infer: whether shapes are inferred; those of a body follow from what is passed to it.
        references: the attrs of the placeholders of a body that take references to variables.
        problems: a list to which errors of nodes are appended instead of being raised.
    """

    scope: str = ""
    fresh: bool = True
    input_map: Mapping[str, Tensor | Operation] = field(default_factory=dict)
    producer_op_list: OpList | None = None
    shared: bool = False
    contents: Mapping[str, memoryview] = field(default_factory=dict)
    progress: Progress | None = None
    problems: list[str] | None = None
    infer: bool = True
    references: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
