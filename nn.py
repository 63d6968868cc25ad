"""Functions for neural networks: `td.nn`."""

from __future__ import annotations

from .ops import normalization as normalization
from .ops.convolution import (
    check_ranks as check_ranks,
    conv2d as conv2d,
    conv3d as conv3d,
    conv_sizes as conv_sizes,
    conv_sliding as conv_sliding,
)
from .ops.mathematics import sigmoid as sigmoid, tanh as tanh
from .ops.nn import (
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
from .ops.norms import (
    l2_loss as l2_loss,
    l2_normalize as l2_normalize,
    moments as moments,
)
