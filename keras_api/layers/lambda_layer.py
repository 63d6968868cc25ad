"""Functions as layers; configs refer to them by name."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from ...training.layers.activations import custom_objects, words_of
from .base_layer import KerasStyle

public = {"td.keras.layers": "Lambda"}


class Lambda(KerasStyle):
    """Applies a function.

    Args:
        function: the function.
        output_shape: accepted for TensorFlow's sake: it is inferred from the function.
        mask: the mask of the output, or a function of the inputs and their mask.
        arguments: further arguments by name.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.layers.Lambda(lambda x: x * 2)(td.constant(3)))
        np.int32(6)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        del output_shape
        self.function, self.mask = function, mask
        self.arguments = dict(arguments or {})

    def call(self, inputs: Any, *args: Any, mask: Any = None, **kwargs: Any) -> Any:
        """The function of the input, and of its mask if it has an argument `mask`."""
        if "mask" in signature(self.function).parameters:
            kwargs["mask"] = mask
        return self.function(inputs, *args, **self.arguments, **kwargs)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask that the layer was made with, or what the function makes of that of inputs."""
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def get_config(self) -> dict[str, Any]:
        """The function, of which files have the name, and its further arguments."""
        config = {**super().get_config(), "function": self.function, "function_type": "function"}
        config |= {
            "module": getattr(self.function, "__module__", None),
            "arguments": self.arguments,
        }
        config |= {"output_shape": None, "output_shape_type": "raw", "output_shape_module": None}
        return {name: value for name, value in config.items() if name != "mask"}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The layer of the function that a config names.

        Raises:
            ValueError: the name is unknown, or the config contains Python code.
        """
        apart = {"module", "function", "function_type", "output_shape_type", "output_shape_module"}
        arguments = {key: value for key, value in config.items() if key not in apart}
        return cls(_function(config.get("function"), config.get("name")), **arguments)


def _function(function: Any, layer: Any) -> Any:
    """The function that a config has, by its name."""
    if callable(function):
        return function
    if not isinstance(function, str):
        raise ValueError(
            f"Lambda {layer!r} holds a lambda as code of one version of Python, which is not run: "
            "build the model by its program, and load_weights from the file"
        )
    functions = {**words_of("activation"), **custom_objects}
    if function not in functions:
        raise ValueError(
            f"Lambda {layer!r} calls the function {function!r}, which a file stores only by name: "
            f"give custom_objects={{{function!r}: {function}}}"
        )
    return functions[function]
