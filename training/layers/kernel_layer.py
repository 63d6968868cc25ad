"""Base of layers with a kernel: creation of kernel and bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.initializers.initializers import Zeros
from .activations import resolve_function
from .layer import Layer

ZEROS = Zeros()
# Arguments that are functions, or words for them, with their defaults.
_FUNCTIONS = {
    "activation": None,
    "kernel_initializer": None,
    "bias_initializer": ZEROS,
    "kernel_regularizer": None,
    "bias_regularizer": None,
    "kernel_constraint": None,
    "bias_constraint": None,
}


class KernelLayer(Layer):
    """A layer with a kernel, a bias and an activation."""

    activation: Callable[[Any], Any] | None
    kernel_initializer: Any
    bias_initializer: Any
    kernel_regularizer: Any
    bias_regularizer: Any
    kernel_constraint: Any
    bias_constraint: Any

    def __init__(self, *, use_bias: bool = True, **settings: Any) -> None:
        functions = {name: settings.pop(name, default) for name, default in _FUNCTIONS.items()}
        super().__init__(**settings)
        self.use_bias = use_bias
        for name, function in functions.items():
            setattr(self, name, resolve_function(name, function))
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


def arguments_of(frame: dict[str, Any], *own: str) -> dict[str, Any]:
    """The arguments of a constructor that it passes on to that of its base.

    Args:
        frame: its `locals()`.
        own: names of arguments that it keeps.
    """
    left_out = {"self", "settings", "__class__", *own}
    return {name: value for name, value in frame.items() if name not in left_out} | frame[
        "settings"
    ]
