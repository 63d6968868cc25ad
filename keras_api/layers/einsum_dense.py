"""A dense layer by an Einstein sum: `td.keras.layers.EinsumDense`."""

from __future__ import annotations

from typing import Any

from ...ops.linalg.einsum import einsum
from ...training.layers.activations import linear, resolve_function
from .base_layer import KerasStyle

public = {"td.keras.layers": "EinsumDense"}


class EinsumDense(KerasStyle):
    """`activation(einsum(equation, inputs, kernel) + bias)`.

    Args:
        equation: the equation, such as "abc,cd->abd"; "..." stands for leading dimensions.
        output_shape: the shape of the output without that of the batch, or its last size; None
            for sizes that the input has.
        activation: a function, or the word for it.
        bias_axes: the letters of the dimensions of the bias; None for no bias.
        kwargs: further arguments of a layer, and initializers, regularizers and constraints of
            kernel and bias.

    Raises:
        ValueError: the equation is malformed.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.EinsumDense("abc,cde->abde", [None, 2, 3], bias_axes="de")
        ...     y = layer(td.ones([2, 5, 4]))
        ...     y.shape.as_list(), [w.shape.as_list() for w in layer.weights]
        ([2, 5, 2, 3], [[4, 2, 3], [2, 3]])
    """

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.equation, self.bias_axes = equation.replace(" ", ""), bias_axes or ""
        left, _, self._result = self.equation.partition("->")
        self._input, _, self._kernel = left.partition(",")
        if not self._result or not self._kernel:
            raise ValueError(f"equation must be like 'ab,bc->ac', got {equation!r}")
        single = isinstance(output_shape, int)
        self._sizes = [output_shape] if single else list(output_shape)
        self.activation = resolve_function("activation", activation) or linear
        self.settings = {
            "kernel": (kernel_initializer, kernel_regularizer, kernel_constraint),
            "bias": (bias_initializer, bias_regularizer, bias_constraint),
        }
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias.

        Raises:
            ValueError: a size is unknown, or the equation does not fit the input.
        """
        sizes = self._letters(self._input, input_shape.as_list())
        result = self._result.replace("...", "")
        for letter, size in zip(result[::-1], self._sizes[::-1], strict=False):
            if size is not None:
                sizes[letter] = size
        lacking = [letter for letter in self._kernel if sizes.get(letter) is None]
        if lacking:
            raise ValueError(
                f"sizes {lacking} of equation {self.equation!r} are unknown for {input_shape}"
            )
        self.kernel = self._weight("kernel", [sizes[letter] for letter in self._kernel])
        if self.bias_axes:
            first = min(map(result.index, self.bias_axes))
            wide = [sizes[x] if x in self.bias_axes else 1 for x in result[first:]]
            self.bias = self._weight("bias", wide)
        self.built = True

    def _letters(self, term: str, sizes: list[Any]) -> dict[str, Any]:
        head, dots, tail = term.partition("...")
        if not dots and len(head) != len(sizes):
            raise ValueError(f"equation {self.equation!r} does not fit an input of shape {sizes}")
        found = dict(zip(head, sizes, strict=False))
        return {**found, **dict(zip(tail[::-1], sizes[::-1], strict=False))}

    def _weight(self, name: str, sizes: list[int]) -> Any:
        words = ("initializer", "regularizer", "constraint")
        made = zip(words, self.settings[name], strict=True)
        return self.add_weight(
            name, sizes, **{word: resolve_function(word, value) for word, value in made}
        )

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The sum, with bias and activation."""
        product = einsum(self._written(inputs.shape.rank), inputs, self.kernel)
        return self.activation(product if self.bias is None else product + self.bias)

    def _written(self, rank: int) -> str:
        """The equation with letters in place of dots."""
        if "..." not in self.equation:
            return self.equation
        free = [x for x in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if x not in self.equation]
        letters = "".join(free[: rank - len(self._input.replace("...", ""))])
        return self.equation.replace("...", letters)
