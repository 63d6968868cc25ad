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

from . import nn as nn
from .graph import errors as errors
from .graph.check import check_graph as check_graph
from .graph.collections import GraphKeys as GraphKeys
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
from .graph.files import (
    load_graph as load_graph,
    save_graph as save_graph,
    write_graph as write_graph,
)
from .graph.functions import (
    add_to_collection as add_to_collection,
    add_to_collections as add_to_collections,
    colocate_with as colocate_with,
    control_dependencies as control_dependencies,
    device as device,
    get_collection as get_collection,
    get_collection_ref as get_collection_ref,
    get_seed as get_seed,
    name_scope as name_scope,
    op_scope as op_scope,
    set_random_seed as set_random_seed,
)
from .graph.graph import Graph as Graph
from .graph.importer import import_graph_def as import_graph_def
from .graph.node import Operation as Operation, Tensor as Tensor
from .graph.op_def import OpDef as OpDef
from .graph.scopes import get_default_session as get_default_session
from .graph.sparse import (
    SparseTensor as SparseTensor,
    SparseTensorValue as SparseTensorValue,
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from .ops.public import *
from .protos.config import config as config
from .protos.dtypes import (
    QUANTIZED_DTYPES as QUANTIZED_DTYPES,
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    qint8 as qint8,
    qint16 as qint16,
    qint32 as qint32,
    quint8 as quint8,
    quint16 as quint16,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
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
from .session.options import (
    ConfigProto as ConfigProto,
    RunMetadata as RunMetadata,
    RunOptions as RunOptions,
)
from .session.session import InteractiveSession as InteractiveSession, Session as Session
from .shape_inference.tensor_shape import (
    Dimension as Dimension,
    TensorShape as TensorShape,
    as_dimension as as_dimension,
    as_shape as as_shape,
    dimension_value as dimension_value,
    unknown_shape as unknown_shape,
)

newaxis = None
half = float16
double = float64

__version__ = "0.1.0"
