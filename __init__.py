"""tensordraft: TensorFlow's graph mode without TensorFlow, on NumPy.

Calling an op adds a node to a graph, whose shape is known at once; a session computes any part of
the graph; graphs are saved and loaded as TensorFlow's GraphDefs.

Example:
    >>> import tensordraft as td
    >>> with td.Graph().as_default(), td.Session() as session:
    ...     x = td.placeholder(td.float32, ["batch", 3])
    ...     y = 2.0 * x + 1.0
    ...     print(y.shape, session.run(y, {x: [[1.0, 2.0, 3.0]]}))
    (batch, 3) [[3. 5. 7.]]
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from .graph import errors as errors, registry as _registry
from .graph.constant_value import (
    constant_value as constant_value,
    constant_value_as_shape as constant_value_as_shape,
)
from .graph.convert import (
    convert_n_to_tensor as convert_n_to_tensor,
    convert_to_tensor as convert_to_tensor,
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from .graph.default_graph import (
    get_default_graph as get_default_graph,
    reset_default_graph as reset_default_graph,
)
from .graph.default_scopes import (
    add_to_collection as add_to_collection,
    add_to_collections as add_to_collections,
    colocate_with as colocate_with,
    container as container,
    control_dependencies as control_dependencies,
    device as device,
    get_collection as get_collection,
    get_collection_ref as get_collection_ref,
    get_seed as get_seed,
    name_scope as name_scope,
    op_scope as op_scope,
    set_random_seed as set_random_seed,
)
from .graph.errors import OpError as OpError
from .graph.files.graph_files import (
    load_graph as load_graph,
    save_graph as save_graph,
    write_graph as write_graph,
)
from .graph.graph import Graph as Graph
from .graph.importing.importer import import_graph_def as import_graph_def
from .graph.importing.versions import (
    GRAPH_DEF_VERSION as GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
)
from .graph.indexed_slices import (
    IndexedSlices as IndexedSlices,
    IndexedSlicesValue as IndexedSlicesValue,
)
from .graph.node import Operation as Operation, Tensor as Tensor
from .graph.op_def import OpDef as OpDef
from .graph.scopes.collections import GraphKeys as GraphKeys
from .graph.scopes.device_spec import DeviceSpec as DeviceSpec, merge_device as merge_device
from .graph.scopes.scope_names import (
    prepend_name_scope as prepend_name_scope,
    strip_name_scope as strip_name_scope,
)
from .graph.scopes.thread_defaults import get_default_session as get_default_session
from .graph.sparse_tensor import (
    SparseTensor as SparseTensor,
    SparseTensorValue as SparseTensorValue,
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from .graph.surface.absent import missing as _missing
from .graph.surface.modes import (
    disable_eager_execution as disable_eager_execution,
    disable_v2_behavior as disable_v2_behavior,
    executing_eagerly as executing_eagerly,
)
from .graph.surface.namespace import public_names as _public_names
from .graph.surface.submodules import alias_submodules as _alias_submodules
from .protos.config import config as config
from .protos.dtypes import (
    QUANTIZED_DTYPES as QUANTIZED_DTYPES,
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bfloat16_ref as bfloat16_ref,
    bool as bool,
    bool_ref as bool_ref,
    complex64 as complex64,
    complex64_ref as complex64_ref,
    complex128 as complex128,
    complex128_ref as complex128_ref,
    double_ref as double_ref,
    float16 as float16,
    float16_ref as float16_ref,
    float32 as float32,
    float32_ref as float32_ref,
    float64 as float64,
    float64_ref as float64_ref,
    half_ref as half_ref,
    int8 as int8,
    int8_ref as int8_ref,
    int16 as int16,
    int16_ref as int16_ref,
    int32 as int32,
    int32_ref as int32_ref,
    int64 as int64,
    int64_ref as int64_ref,
    qint8 as qint8,
    qint8_ref as qint8_ref,
    qint16 as qint16,
    qint16_ref as qint16_ref,
    qint32 as qint32,
    qint32_ref as qint32_ref,
    quint8 as quint8,
    quint8_ref as quint8_ref,
    quint16 as quint16,
    quint16_ref as quint16_ref,
    resource as resource,
    resource_ref as resource_ref,
    string as string,
    string_ref as string_ref,
    uint8 as uint8,
    uint8_ref as uint8_ref,
    uint16 as uint16,
    uint16_ref as uint16_ref,
    uint32 as uint32,
    uint32_ref as uint32_ref,
    uint64 as uint64,
    uint64_ref as uint64_ref,
    variant as variant,
    variant_ref as variant_ref,
)
from .protos.messages import (
    AttrValue as AttrValue,
    GraphDef as GraphDef,
    MetaGraphDef as MetaGraphDef,
    NodeDef as NodeDef,
    TensorProto as TensorProto,
    TensorShapeProto as TensorShapeProto,
)
from .protos.tensor_util import make_ndarray as make_ndarray, make_tensor_proto as make_tensor_proto
from .session.conversions import (
    register_session_run_conversion_functions as register_session_run_conversion_functions,
)
from .session.interactive_session import InteractiveSession as InteractiveSession
from .session.options import (
    ConfigProto as ConfigProto,
    GPUOptions as GPUOptions,
    GraphOptions as GraphOptions,
    OptimizerOptions as OptimizerOptions,
    RunOptions as RunOptions,
)
from .session.session import Session as Session
from .session.tracing import RunMetadata as RunMetadata
from .shape_inference.tensor_shape import (
    Dimension as Dimension,
    TensorShape as TensorShape,
    as_dimension as as_dimension,
    as_shape as as_shape,
    dimension_value as dimension_value,
    unknown_shape as unknown_shape,
)

if TYPE_CHECKING:
    from .differentiation.accumulation import AggregationMethod as AggregationMethod
    from .differentiation.gradients import (
        UnconnectedGradients as UnconnectedGradients,
        gradients as gradients,
    )
    from .graph.checking.check import check_graph as check_graph
    from .graph.checkpoints.meta_graph import (
        export_meta_graph as export_meta_graph,
        import_meta_graph as import_meta_graph,
    )
    from .graph.checkpoints.saved_model import load_saved_model as load_saved_model
    from .graph.editing import graph_util as graph_util
    from .graph.files.event_file import write_graph_events as write_graph_events
    from .namespaces import (
        bitwise as bitwise,
        compat as compat,
        gfile as gfile,
        image as image,
        initializers as initializers,
        linalg as linalg,
        manip as manip,
        math as math,
        nn as nn,
        random as random,
        raw_ops as raw_ops,
        strings as strings,
        train as train,
    )
    from .ops.public import *
    from .ops.public_state import *
    from .ops.public_strings import *

# What most programs do not need is imported when it is asked for.
_LATER = {
    "AggregationMethod": "differentiation.accumulation",
    "UnconnectedGradients": "differentiation.gradients",
    "bitwise": "namespaces.bitwise",
    "check_graph": "graph.checking.check",
    "compat": "namespaces.compat",
    "export_meta_graph": "graph.checkpoints.meta_graph",
    "gfile": "namespaces.gfile",
    "gradients": "differentiation.gradients",
    "graph_util": "graph.editing.graph_util",
    "image": "namespaces.image",
    "import_meta_graph": "graph.checkpoints.meta_graph",
    "initializers": "namespaces.initializers",
    "linalg": "namespaces.linalg",
    "load_saved_model": "graph.checkpoints.saved_model",
    "manip": "namespaces.manip",
    "math": "namespaces.math",
    "nn": "namespaces.nn",
    "random": "namespaces.random",
    "raw_ops": "namespaces.raw_ops",
    "strings": "namespaces.strings",
    "train": "namespaces.train",
    "write_graph_events": "graph.files.event_file",
}

newaxis = None
half = float16
double = float64

__version__ = "0.1.0"


@_registry.on_first_use
def _load_ops() -> None:
    """Imports the ops, and with them the public functions: most of what there is to import."""
    for name in (
        "ops.public",
        "ops.public_state",
        "ops.public_strings",
        "namespaces.nn",
        "namespaces.image",
    ):
        module = _import_module(f".{name}", __name__)
        if name.startswith("ops."):
            globals().update({key: getattr(module, key) for key in _public_names(vars(module))})


_alias_submodules(__name__, _LATER)


def __getattr__(name: str) -> object:
    if name in _LATER:
        module = _import_module(f".{_LATER[name]}", __name__)
        value = globals()[name] = getattr(module, name, module)
        return value
    if not name.startswith("__"):
        _registry.load()
        if name in globals():
            return globals()[name]
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    _registry.load()
    return sorted({*_public_names(globals()), *_LATER})
