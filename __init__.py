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

from .graph import errors as errors
from .graph.check import check_graph as check_graph
from .graph.collections import GraphKeys as GraphKeys
from .graph.constant_value import constant_value as constant_value
from .graph.constant_value import constant_value_as_shape as constant_value_as_shape
from .graph.convert import convert_n_to_tensor as convert_n_to_tensor
from .graph.convert import convert_to_tensor as convert_to_tensor
from .graph.convert import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from .graph.default_graph import get_default_graph as get_default_graph
from .graph.default_graph import reset_default_graph as reset_default_graph
from .graph.files import load_graph as load_graph
from .graph.files import save_graph as save_graph
from .graph.files import write_graph as write_graph
from .graph.functions import add_to_collection as add_to_collection
from .graph.functions import add_to_collections as add_to_collections
from .graph.functions import colocate_with as colocate_with
from .graph.functions import control_dependencies as control_dependencies
from .graph.functions import device as device
from .graph.functions import get_collection as get_collection
from .graph.functions import get_collection_ref as get_collection_ref
from .graph.functions import get_seed as get_seed
from .graph.functions import name_scope as name_scope
from .graph.functions import op_scope as op_scope
from .graph.functions import set_random_seed as set_random_seed
from .graph.graph import Graph as Graph
from .graph.importer import import_graph_def as import_graph_def
from .graph.node import Operation as Operation
from .graph.node import Tensor as Tensor
from .graph.op_def import OpDef as OpDef
from .graph.scopes import get_default_session as get_default_session
from .graph.sparse import SparseTensor as SparseTensor
from .graph.sparse import SparseTensorValue as SparseTensorValue
from .graph.sparse import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from .ops import families as _families  # noqa: F401 - fills the registry
from .ops.constants import constant as constant
from .ops.constants import identity as identity
from .ops.constants import placeholder as placeholder
from .ops.constants import placeholder_with_default as placeholder_with_default
from .protos.config import config as config
from .protos.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from .protos.dtypes import DType as DType
from .protos.dtypes import as_dtype as as_dtype
from .protos.dtypes import bfloat16 as bfloat16
from .protos.dtypes import bool as bool
from .protos.dtypes import complex64 as complex64
from .protos.dtypes import complex128 as complex128
from .protos.dtypes import float16 as float16
from .protos.dtypes import float32 as float32
from .protos.dtypes import float64 as float64
from .protos.dtypes import int8 as int8
from .protos.dtypes import int16 as int16
from .protos.dtypes import int32 as int32
from .protos.dtypes import int64 as int64
from .protos.dtypes import qint8 as qint8
from .protos.dtypes import qint16 as qint16
from .protos.dtypes import qint32 as qint32
from .protos.dtypes import quint8 as quint8
from .protos.dtypes import quint16 as quint16
from .protos.dtypes import resource as resource
from .protos.dtypes import string as string
from .protos.dtypes import uint8 as uint8
from .protos.dtypes import uint16 as uint16
from .protos.dtypes import uint32 as uint32
from .protos.dtypes import uint64 as uint64
from .protos.dtypes import variant as variant
from .protos.messages import AttrValue as AttrValue
from .protos.messages import GraphDef as GraphDef
from .protos.messages import MetaGraphDef as MetaGraphDef
from .protos.messages import NodeDef as NodeDef
from .protos.messages import TensorProto as TensorProto
from .protos.messages import TensorShapeProto as TensorShapeProto
from .protos.tensor_util import make_ndarray as make_ndarray
from .protos.tensor_util import make_tensor_proto as make_tensor_proto
from .session.session import InteractiveSession as InteractiveSession
from .session.session import Session as Session
from .shape_inference.tensor_shape import Dimension as Dimension
from .shape_inference.tensor_shape import TensorShape as TensorShape
from .shape_inference.tensor_shape import as_dimension as as_dimension
from .shape_inference.tensor_shape import as_shape as as_shape
from .shape_inference.tensor_shape import dimension_value as dimension_value
from .shape_inference.tensor_shape import unknown_shape as unknown_shape

newaxis = None
half = float16
double = float64

__version__ = "0.1.0"
