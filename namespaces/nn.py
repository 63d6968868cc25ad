"""Functions for neural networks: `td.nn`."""

from __future__ import annotations

from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.array.depth_to_space import (
    depth_to_space as depth_to_space,
    space_to_depth as space_to_depth,
)
from ..ops.array.space_to_batch import space_to_batch as space_to_batch
from ..ops.math.exponentials import sigmoid as sigmoid, tanh as tanh
from ..ops.nn.activations import (
    bias_add as bias_add,
    elu as elu,
    leaky_relu as leaky_relu,
    log_softmax as log_softmax,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
)
from ..ops.nn.composed_activations import (
    swish as swish,
)
from ..ops.nn.layers import (
    atrous_conv2d as atrous_conv2d,
    conv1d as conv1d,
    crelu as crelu,
    dropout as dropout,
    embedding_lookup as embedding_lookup,
    relu_layer as relu_layer,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
    xw_plus_b as xw_plus_b,
)
from ..ops.nn.losses import (
    log_poisson_loss as log_poisson_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from ..ops.nn.normalization import (
    batch_normalization as batch_normalization,
    fused_batch_norm as fused_batch_norm,
    local_response_normalization as local_response_normalization,
    lrn as lrn,
)
from ..ops.quantized.quantized_layers import (
    quantized_avg_pool as quantized_avg_pool,
    quantized_conv2d as quantized_conv2d,
    quantized_max_pool as quantized_max_pool,
    quantized_relu_x as quantized_relu_x,
)
from ..ops.sorting.top_k import (
    in_top_k as in_top_k,
    top_k as top_k,
)
from ..ops.statistics.count_nonzero import zero_fraction as zero_fraction
from ..ops.statistics.norms import (
    l2_loss as l2_loss,
    l2_normalize as l2_normalize,
    moments as moments,
)
from ..ops.statistics.variances import (
    normalize_moments as normalize_moments,
    sufficient_statistics as sufficient_statistics,
    weighted_moments as weighted_moments,
)
from ..ops.windows.convolution import (
    conv2d as conv2d,
    conv3d as conv3d,
)
from ..ops.windows.depthwise_convolution import (
    depthwise_conv2d as depthwise_conv2d,
    depthwise_conv2d_native as depthwise_conv2d_native,
    separable_conv2d as separable_conv2d,
)
from ..ops.windows.max_pool_argmax import max_pool_with_argmax as max_pool_with_argmax
from ..ops.windows.pooling import (
    avg_pool as avg_pool,
    avg_pool3d as avg_pool3d,
    max_pool as max_pool,
    max_pool3d as max_pool3d,
)
from ..ops.windows.pooling_1d import (
    avg_pool1d as avg_pool1d,
    max_pool1d as max_pool1d,
)
from ..ops.windows.transposed_convolution import (
    conv2d_backprop_input as conv2d_backprop_input,
    conv2d_transpose as conv2d_transpose,
)


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
