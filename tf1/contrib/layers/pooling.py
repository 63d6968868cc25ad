"""Pooling layers, with the defaults of `contrib`: a step of 2, and no padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.common.public_function import public_function
from ....training.layers.pooling import (
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling2D,
    MaxPooling3D,
)
from ..framework.arg_scopes import add_arg_scope
from .adapting import channels_form, described
from .outputs import collect_named_outputs

public = {
    "td.contrib.layers, td.contrib.slim": "avg_pool2d avg_pool3d max_pool2d max_pool3d",
}


def _pool(
    layer_class: Any, name: str, default_name: str, formats: tuple[str, str], what: str
) -> Callable[..., Any]:
    """A pooling layer, under its own name."""

    def call(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = "VALID",
        data_format: str = formats[0],
        outputs_collections: Any = None,
        scope: str | None = None,
    ) -> Any:
        form = channels_form(data_format, formats)
        with name_scope(scope, default_name, [inputs]) as opened:
            layer = layer_class(kernel_size, stride, padding, form, _scope=opened)
            return collect_named_outputs(
                outputs_collections, opened, layer(convert_to_tensor(inputs))
            )

    sizes = "4, " * layer_class.rank, "2, " * layer_class.rank
    doc = f"""{what}

        Example:
            >>> with td.Graph().as_default():
            ...     td.contrib.layers.{name}(td.ones([1, {sizes[0]}3]), 2).shape.as_list()
            [1, {sizes[1]}3]
        """
    return add_arg_scope(described(public_function(call, name, doc, module=__name__)))


_IMAGES, _VOLUMES = ("NHWC", "NCHW"), ("NDHWC", "NCDHW")

max_pool2d = _pool(MaxPooling2D, "max_pool2d", "MaxPool2D", _IMAGES, "Max pooling of images.")
max_pool3d = _pool(MaxPooling3D, "max_pool3d", "MaxPool3D", _VOLUMES, "Max pooling of volumes.")
avg_pool2d = _pool(
    AveragePooling2D, "avg_pool2d", "AvgPool2D", _IMAGES, "Average pooling of images."
)
avg_pool3d = _pool(
    AveragePooling3D, "avg_pool3d", "AvgPool3D", _VOLUMES, "Average pooling of volumes."
)
