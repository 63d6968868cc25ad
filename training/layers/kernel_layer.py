"""Base of layers with a kernel: creation of kernel and bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.initializers.initializers import Zeros
from .activations import resolve_function
from .layer import Layer

ZEROS = Zeros()


class KernelLayer(Layer):
    """A layer with a kernel, a bias and an activation."""

    def __init__(
        self,
        activation: Callable[[Any], Any] | str | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **settings)
        self.activation = resolve_function("activation", activation)
        self.use_bias = use_bias
        self.kernel_initializer = resolve_function("kernel_initializer", kernel_initializer)
        self.bias_initializer = resolve_function("bias_initializer", bias_initializer)
        self.kernel_regularizer = resolve_function("kernel_regularizer", kernel_regularizer)
        self.bias_regularizer = resolve_function("bias_regularizer", bias_regularizer)
        self.kernel_constraint = resolve_function("kernel_constraint", kernel_constraint)
        self.bias_constraint = resolve_function("bias_constraint", bias_constraint)
        self.kernel: Any = None
        self.bias: Any = None

    def add_kernel(self, shape: Sequence[int]) -> None:
        """Creates the kernel."""
        self.kernel = self.add_variable(
            "kernel",
            shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def add_bias(self, size: int) -> None:
        """Creates the bias, if enabled."""
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                [size],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
