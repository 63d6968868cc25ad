"""How a GraphDef is imported: one object, made before the import and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...formats.progress import Progress
from ...protos.messages import OpList
from ..node import Operation, Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How a GraphDef is imported.

    Args:
        scope: what the names of the nodes are put under.
        fresh: whether the scope is new, so that nothing in it is taken.
        input_map: what is taken in place of inputs.
        producer_op_list: the op definitions of who wrote the GraphDef.
        shared: whether tensors may refer to the message, which then must not be changed.
        contents: the content of constants that is kept beside the message.
        progress: called now and then.
        infer: whether shapes are inferred; those of a body follow from what is passed to it.
        references: the attrs of the placeholders of a body that take references to variables.
        problems: where to put what is wrong with a node, which then is no error.
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
