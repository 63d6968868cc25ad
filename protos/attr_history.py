"""Attrs that TensorFlow added to op types after their first release.

Each line reads `Op: attr: kind = default @producer; ...`, with kinds and defaults in the argument
grammar of op definitions. The producer is the GraphDef version of the first release looked at that
has the attr; these are 17 (TensorFlow 0.12), 21 (1.0), 24 (1.4), 26 (1.8), 27 (1.12) and 2474
(2.21). The facts are from the op definitions that those releases ship. In that time TensorFlow
removed no attr from any of these op types.
"""

from __future__ import annotations

from typing import NamedTuple

_HISTORY = """
Abort: exit_without_error: bool = false @21
AdjustContrastv2: T: type = float32 @2474
AdjustHue: T: type = float32 @2474
AdjustSaturation: T: type = float32 @2474
ArgMax: output_type: type = int64 @24
ArgMin: output_type: type = int64 @24
AssignVariableOp: validate_shape: bool = false @2474
AvgPool3D: data_format: string = 'NDHWC' @24
BatchMatMul: grad_x: bool = false @2474; grad_y: bool = false @2474
CTCBeamSearchDecoder: T: type = float32 @2474
CTCGreedyDecoder: T: type = float32 @2474; blank_index: int = -1 @2474
CTCLoss: ignore_longer_outputs_than_inputs: bool = false @24; T: type = float32 @2474
Cast: Truncate: bool = false @27
ConcatOffset: shape_type: type = int32 @2474
Conv2D: dilations: list(int) = [1, 1, 1, 1] @26; explicit_paddings: list(int) = [] @2474
Conv3D: data_format: string = 'NDHWC' @24; dilations: list(int) = [1, 1, 1, 1, 1] @26
DecodeCSV: na_value: string = '' @24; use_quote_delim: bool = true @24;
  select_cols: list(int) = [] @27
DecodeJpeg: dct_method: string = '' @21
DepthToSpace: data_format: string = 'NHWC' @24
DepthwiseConv2dNative: data_format: string = 'NHWC' @24; dilations: list(int) = [1, 1, 1, 1] @26;
  explicit_paddings: list(int) = [] @2474
Dequantize: axis: int = -1 @2474; dtype: type = float32 @2474; narrow_range: bool = false @2474
Equal: incompatible_shape_error: bool = true @2474
ExtractGlimpse: noise: string = 'uniform' @2474
FFT: Tcomplex: type = complex64 @27
FFT2D: Tcomplex: type = complex64 @27
FFT3D: Tcomplex: type = complex64 @27
FakeQuantWithMinMaxArgs: narrow_range: bool = false @24; num_bits: int = 8 @24
FakeQuantWithMinMaxVars: narrow_range: bool = false @24; num_bits: int = 8 @24
FakeQuantWithMinMaxVarsPerChannel: narrow_range: bool = false @24; num_bits: int = 8 @24
Fill: index_type: type = int32 @26
FusedBatchNorm: exponential_avg_factor: float = 1.0 @2474
FusedBatchNormV2: exponential_avg_factor: float = 1.0 @2474
GatherNd: bad_indices_policy: string = '' @2474
GatherV2: batch_dims: int = 0 @2474
IFFT: Tcomplex: type = complex64 @27
IFFT2D: Tcomplex: type = complex64 @27
IFFT3D: Tcomplex: type = complex64 @27
IRFFT: Tcomplex: type = complex64 @2474; Treal: type = float32 @2474
IRFFT2D: Tcomplex: type = complex64 @2474; Treal: type = float32 @2474
IRFFT3D: Tcomplex: type = complex64 @2474; Treal: type = float32 @2474
If: output_shapes: list(shape) = [] @2474
ImageProjectiveTransformV2: fill_mode: string = 'CONSTANT' @2474
MatMul: grad_a: bool = false @2474; grad_b: bool = false @2474
MatrixBandPart: Tindex: type = int64 @26
MaxPool: explicit_paddings: list(int) = [] @2474
MaxPool3D: data_format: string = 'NDHWC' @24
MaxPoolWithArgmax: include_batch_in_index: bool = false @2474
Multinomial: output_dtype: type = int64 @26
NonMaxSuppressionV2: T: type = float32 @27; T_threshold: type = float32 @2474
NonMaxSuppressionV3: T_threshold: type = float32 @2474
NonMaxSuppressionV4: T_threshold: type = float32 @2474
NotEqual: incompatible_shape_error: bool = true @2474
PartitionedCall: config: string = '' @2474; config_proto: string = '' @2474;
  executor_type: string = '' @2474
QuantizeAndDequantizeV2: axis: int = -1 @2474; narrow_range: bool = false @2474;
  round_mode: string = 'HALF_TO_EVEN' @2474
QuantizeAndDequantizeV3: axis: int = -1 @2474; narrow_range: bool = false @2474
QuantizeV2: round_mode: string = 'HALF_AWAY_FROM_ZERO' @26; axis: int = -1 @2474;
  ensure_minimum_range: float = 0.01 @2474; narrow_range: bool = false @2474
QuantizedConv2D: dilations: list(int) = [1, 1, 1, 1] @26
QuantizedMatMul: Tactivation: type = quint8 @21
QuantizedResizeBilinear: half_pixel_centers: bool = false @2474
RFFT: Tcomplex: type = complex64 @2474; Treal: type = float32 @2474
RFFT2D: Tcomplex: type = complex64 @2474; Treal: type = float32 @2474
RFFT3D: Tcomplex: type = complex64 @2474; Treal: type = float32 @2474
ResizeBicubic: half_pixel_centers: bool = false @2474
ResizeBicubicGrad: half_pixel_centers: bool = false @2474
ResizeBilinear: half_pixel_centers: bool = false @2474
ResizeBilinearGrad: half_pixel_centers: bool = false @2474
ResizeNearestNeighbor: half_pixel_centers: bool = false @2474
ResizeNearestNeighborGrad: half_pixel_centers: bool = false @2474
ScatterNd: bad_indices_policy: string = '' @2474
ScatterNdAdd: bad_indices_policy: string = '' @2474
ScatterNdNonAliasingAdd: bad_indices_policy: string = '' @2474
ScatterNdSub: bad_indices_policy: string = '' @2474
ScatterNdUpdate: bad_indices_policy: string = '' @2474
SerializeManySparse: out_type: type = string @26
SerializeSparse: out_type: type = string @26
SpaceToDepth: data_format: string = 'NHWC' @24
SparseSegmentMean: Tsegmentids: type = int32 @2474; sparse_gradient: bool = false @2474
SparseSegmentMeanGrad: Tsegmentids: type = int32 @2474
SparseSegmentSqrtN: Tsegmentids: type = int32 @2474; sparse_gradient: bool = false @2474
SparseSegmentSqrtNGrad: Tsegmentids: type = int32 @2474
SparseSegmentSum: Tsegmentids: type = int32 @2474; sparse_gradient: bool = false @2474
SparseTensorDenseMatMul: Tindices: type = int64 @24
StatefulPartitionedCall: config: string = '' @2474; config_proto: string = '' @2474;
  executor_type: string = '' @2474
StatelessIf: output_shapes: list(shape) = [] @2474
StatelessRandomNormal: Tseed: type = int64 @26
StatelessRandomUniform: Tseed: type = int64 @26
StatelessTruncatedNormal: Tseed: type = int64 @26
StatelessWhile: output_shapes: list(shape) = [] @2474; parallel_iterations: int = 10 @2474
StringSplit: skip_empty: bool = true @24
Substr: unit: string = 'BYTE' @2474
TensorArray: element_shape: shape = {} @21
TensorArrayV2: element_shape: shape = {} @21
TensorArrayV3: identical_element_shapes: bool = false @26
TopKV2: Tk: type = int32 @2474; index_type: type = int32 @2474
UnsortedSegmentMax: Tnumsegments: type = int32 @26
UnsortedSegmentSum: Tnumsegments: type = int32 @26
Where: T: type = bool @26
While: output_shapes: list(shape) = [] @2474; parallel_iterations: int = 10 @2474
"""


class AddedAttr(NamedTuple):
    """An attr that an op type got later: `text` is its kind and default in the argument grammar."""

    text: str
    producer: int


def added_attrs(op_type: str) -> dict[str, AddedAttr]:
    """The attrs that TensorFlow added to an op type after its first release, by name.

    Example:
        >>> from tensordraft.protos.attr_history import added_attrs
        >>> added_attrs("Cast")
        {'Truncate': AddedAttr(text='bool = false', producer=27)}
    """
    start = _HISTORY.find(f"\n{op_type}: ") + 1
    if not start:
        return {}
    line = _HISTORY[start + len(op_type) + 2 :].replace("\n  ", " ").partition("\n")[0]
    added = {}
    for item in line.split("; "):
        name, _, rest = item.partition(": ")
        text, _, producer = rest.rpartition(" @")
        added[name] = AddedAttr(text, int(producer))
    return added
