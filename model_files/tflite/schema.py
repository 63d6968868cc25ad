"""The schema of TensorFlow Lite's files: tables, their fields in order, and enumerations."""

from __future__ import annotations

from ...protos.dtypes import as_dtype
from .flatbuffer import Field, Schema

# A table, and its fields in the order of their slots; `-` is a slot that is no longer used. A
# union takes two: the first states its member.
_TABLES = """
QuantizationParameters min:[float32] max:[float32] scale:[float32] zero_point:[int64]
    details_type:uint8 details:union quantized_dimension:int32
SparsityParameters traversal_order:[int32] block_map:[int32] dim_metadata:[DimensionMetadata]
DimensionMetadata format:int8 dense_size:int32 array_segments_type:uint8 array_segments:union
    array_indices_type:uint8 array_indices:union
Int32Vector values:[int32]
Uint16Vector values:[uint16]
Uint8Vector values:[uint8]
Tensor shape:[int32] type:int8 buffer:uint32 name:string quantization:QuantizationParameters
    is_variable:bool sparsity:SparsityParameters shape_signature:[int32] has_rank:bool
    - external_buffer:uint32
Buffer data:[uint8] offset:uint64 size:uint64
Operator opcode_index:uint32 inputs:[int32] outputs:[int32] builtin_options_type:uint8
    builtin_options:union custom_options:[uint8] custom_options_format:int8
    mutating_variable_inputs:[bool] intermediates:[int32] large_custom_options_offset:uint64
    large_custom_options_size:uint64 builtin_options2_type:uint8 builtin_options2:union
    debug_metadata_index:int32
OperatorCode deprecated_builtin_code:int8 custom_code:string version:int32=1 builtin_code:int32
SubGraph tensors:[Tensor] inputs:[int32] outputs:[int32] operators:[Operator] name:string
    debug_metadata_index:int32
TensorMap name:string tensor_index:uint32
SignatureDef inputs:[TensorMap] outputs:[TensorMap] signature_key:string - subgraph_index:uint32
Model version:uint32 operator_codes:[OperatorCode] subgraphs:[SubGraph] description:string
    buffers:[Buffer] metadata_buffer:[int32] - signature_defs:[SignatureDef]
    - -
Conv2DOptions padding:int8 stride_w:int32 stride_h:int32 activation:int8
    dilation_w:int32=1 dilation_h:int32=1 quantized_bias_type:int8
Conv3DOptions padding:int8 stride_d:int32 stride_w:int32 stride_h:int32
    activation:int8 dilation_d:int32=1 dilation_w:int32=1
    dilation_h:int32=1
Pool2DOptions padding:int8 stride_w:int32 stride_h:int32 filter_width:int32 filter_height:int32
    activation:int8
DepthwiseConv2DOptions padding:int8 stride_w:int32 stride_h:int32 depth_multiplier:int32
    activation:int8 dilation_w:int32=1 dilation_h:int32=1
SVDFOptions rank:int32 activation:int8 asymmetric_quantize_inputs:bool
RNNOptions activation:int8 asymmetric_quantize_inputs:bool
SequenceRNNOptions time_major:bool activation:int8
    asymmetric_quantize_inputs:bool
BidirectionalSequenceRNNOptions time_major:bool activation:int8
    merge_outputs:bool asymmetric_quantize_inputs:bool
FullyConnectedOptions activation:int8 weights_format:int8 keep_num_dims:bool
    asymmetric_quantize_inputs:bool quantized_bias_type:int8
SoftmaxOptions beta:float32
ConcatenationOptions axis:int32 activation:int8
AddOptions activation:int8 pot_scale_int16:bool
MulOptions activation:int8
SubOptions activation:int8 pot_scale_int16:bool
DivOptions activation:int8
L2NormOptions activation:int8
LocalResponseNormalizationOptions radius:int32 bias:float32 alpha:float32 beta:float32
LSTMOptions activation:int8 cell_clip:float32 proj_clip:float32 kernel_type:int8
    asymmetric_quantize_inputs:bool
UnidirectionalSequenceLSTMOptions activation:int8 cell_clip:float32
    proj_clip:float32 time_major:bool asymmetric_quantize_inputs:bool
    diagonal_recurrent_tensors:bool
BidirectionalSequenceLSTMOptions activation:int8 cell_clip:float32
    proj_clip:float32 merge_outputs:bool time_major:bool=True asymmetric_quantize_inputs:bool
ResizeBilinearOptions - - align_corners:bool half_pixel_centers:bool
ResizeNearestNeighborOptions align_corners:bool half_pixel_centers:bool
ReshapeOptions new_shape:[int32]
SpaceToDepthOptions block_size:int32
DepthToSpaceOptions block_size:int32
EmbeddingLookupSparseOptions combiner:int8
GatherOptions axis:int32 batch_dims:int32
ReducerOptions keep_dims:bool
SqueezeOptions squeeze_dims:[int32]
SplitOptions num_splits:int32
SplitVOptions num_splits:int32
StridedSliceOptions begin_mask:int32 end_mask:int32 ellipsis_mask:int32 new_axis_mask:int32
    shrink_axis_mask:int32 offset:bool
CastOptions in_data_type:int8 out_data_type:int8
ArgMaxOptions output_type:int8
ArgMinOptions output_type:int8
TransposeConvOptions padding:int8 stride_w:int32 stride_h:int32 activation:int8
    quantized_bias_type:int8
SparseToDenseOptions validate_indices:bool
ShapeOptions out_type:int8
FakeQuantOptions min:float32 max:float32 num_bits:int32 narrow_range:bool
PackOptions values_count:int32 axis:int32
OneHotOptions axis:int32
UnpackOptions num:int32 axis:int32
LeakyReluOptions alpha:float32
MirrorPadOptions mode:int8
UniqueOptions idx_out_type:int8
ReverseSequenceOptions seq_dim:int32 batch_dim:int32
IfOptions then_subgraph_index:int32 else_subgraph_index:int32
CallOnceOptions init_subgraph_index:int32
CallOptions subgraph:uint32
WhileOptions cond_subgraph_index:int32 body_subgraph_index:int32
BatchMatMulOptions adj_x:bool adj_y:bool asymmetric_quantize_inputs:bool
CumsumOptions exclusive:bool reverse:bool
HashtableOptions table_id:int32 key_dtype:int8 value_dtype:int8
VarHandleOptions container:string shared_name:string
RandomOptions seed:int64 seed2:int64
BucketizeOptions boundaries:[float32]
GeluOptions approximate:bool
StableHLOCompositeOptions name:string decomposition_subgraph_index:int32
    composite_attributes:[uint8] composite_attributes_format:int8 version:int32
"""

# Op types by their code.
_OPS_BY_CODE = """
ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE
EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D
LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1
RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM
CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND
SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE
BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM
CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE
SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW
ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK
REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR
LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS
WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE
NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM
BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG
REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL
CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL
BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD
UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR
RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE STABLEHLO_MULTIPLY
STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP STABLEHLO_CONCATENATE
STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL
STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL
STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER
STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH
STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT STABLEHLO_DYNAMIC_SLICE
STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA STABLEHLO_DOT_GENERAL
STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE
DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT
STABLEHLO_CBRT STABLEHLO_CASE
"""
OPS = tuple(_OPS_BY_CODE.split())

# Members of the union of options by their code; `Options` is left out.
_OPTIONS_BY_CODE = """
NONE Conv2D DepthwiseConv2D ConcatEmbeddings LSHProjection Pool2D SVDF RNN FullyConnected
Softmax Concatenation Add L2Norm LocalResponseNormalization LSTM ResizeBilinear Call Reshape
SkipGram SpaceToDepth EmbeddingLookupSparse Mul Pad Gather BatchToSpaceND SpaceToBatchND
Transpose Reducer Sub Div Squeeze SequenceRNN StridedSlice Exp TopKV2 Split LogSoftmax Cast
Dequantize MaximumMinimum ArgMax Less Neg PadV2 Greater GreaterEqual LessEqual Select Slice
TransposeConv SparseToDense Tile ExpandDims Equal NotEqual Shape Pow ArgMin FakeQuant Pack
LogicalOr OneHot LogicalAnd LogicalNot Unpack FloorDiv Square ZerosLike Fill
BidirectionalSequenceLSTM BidirectionalSequenceRNN UnidirectionalSequenceLSTM FloorMod Range
ResizeNearestNeighbor LeakyRelu SquaredDifference MirrorPad Abs SplitV Unique ReverseV2 AddN
GatherNd Cos Where Rank ReverseSequence MatrixDiag Quantize MatrixSetDiag HardSwish If While
DepthToSpace NonMaxSuppressionV4 NonMaxSuppressionV5 ScatterNd SelectV2 Densify SegmentSum
BatchMatMul Cumsum CallOnce BroadcastTo Rfft2d Conv3D Hashtable HashtableFind HashtableImport
HashtableSize VarHandle ReadVariable AssignVariable Random Bucketize Gelu DynamicUpdateSlice
UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentSum ATan2 Sign Bitcast
BitwiseXor RightShift
"""
OPTIONS = tuple(_OPTIONS_BY_CODE.split())

# Dtypes by their code.
_DTYPES_BY_CODE = """
float32 float16 int32 uint8 int64 string bool int16 complex64 int8 float64 complex128 uint64
resource variant uint32 uint16 int4 bfloat16 int2 uint4
"""
DTYPES = tuple(map(as_dtype, _DTYPES_BY_CODE.split()))
PADDINGS = ("SAME", "VALID")
ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT")
MIRRORS = ("REFLECT", "SYMMETRIC")


def _parsed() -> Schema:
    schema: Schema = {}
    fields: dict[str, Field] = {}
    slot = 0
    for word in _TABLES.split():
        name, colon, rest = word.partition(":")
        if not colon:
            if word != "-":
                fields = schema[word] = {}
                slot = -1
        else:
            kind, _, stated = rest.partition("=")
            fields[name] = Field(slot, kind, _default(kind, stated))
        slot += 1
    return schema


def _default(kind: str, stated: str) -> object:
    if kind == "string":
        return ""
    if kind.startswith("["):
        return ()
    if kind == "bool":
        return stated == "True"
    if "int" in kind:
        return int(stated or 0)
    return 0.0 if kind == "float32" else None


SCHEMA = _parsed()
