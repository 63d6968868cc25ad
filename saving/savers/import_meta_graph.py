"""Taking over a graph with its collections, and the Saver that restores its variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...graph.importing.renaming import Renaming
from ...ops.variables.variable_lists import global_variables
from ...protos.messages import MetaGraphDef
from ..checkpoints.meta_graph import import_with_names
from .saver import Saver

public = {"td.train": "import_meta_graph"}


def import_meta_graph(
    meta_graph_or_file: MetaGraphDef | str | os.PathLike[str],
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
) -> Saver | None:
    """Adds the graph of a MetaGraphDef and its collections to the default graph.

    Args:
        meta_graph_or_file: the message, or a file that holds one.
        clear_devices: whether to forget the devices of the nodes.
        import_scope: the scope under which the nodes are put; by default none.
        input_map: what to take in place of tensors of the graph: see `td.import_graph_def`.

    Returns:
        The Saver whose nodes came with the graph. If none did, a new one for the global variables
        that came, under the names that they have in its checkpoints; None if none came either.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is not a MetaGraphDef.
        ValueError: the graph is malformed, or a collection names something that is not in it.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(5, name="v")
        ...     session.run(v.initializer)
        ...     _ = td.train.Saver().save(session, path)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     saver = td.train.import_meta_graph(path + ".meta")
        ...     saver.restore(session, path)
        ...     session.run("v:0")
        np.int32(5)
    """
    return import_with_saver(meta_graph_or_file, clear_devices, import_scope, input_map)[0]


def import_with_saver(
    meta_graph_or_file: MetaGraphDef | str | os.PathLike[str],
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
) -> tuple[Saver | None, Renaming]:
    """Like `import_meta_graph`; also returns the names of the nodes in the graph."""
    before = set(global_variables())
    message, names = import_with_names(meta_graph_or_file, clear_devices, import_scope, input_map)
    if message.HasField("saver_def"):
        saver_def = type(message.saver_def)()
        saver_def.CopyFrom(message.saver_def)
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            setattr(saver_def, field, names.inside(getattr(saver_def, field)))
        return Saver.from_proto(saver_def, names.scope), names
    variables = [variable for variable in global_variables() if variable not in before]
    if not variables:
        return None, names
    own = {names.original(variable.op.name): variable for variable in variables}
    return Saver(own), names
