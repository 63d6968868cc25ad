"""`tensorflow.python.tools.inspect_checkpoint`: what is in a checkpoint, printed."""

from __future__ import annotations

import math
import re

from ...formats.checkpoints.checkpoint_reader import CheckpointReader


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str | None,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints the tensors of a checkpoint, and how many numbers they have.

    Args:
        file_name: the checkpoint.
        tensor_name: a tensor to print; None or "" to list all.
        all_tensors: whether to print all of them.
        all_tensor_names: whether to print all of their names.
        count_exclude_pattern: a regular expression for names that are not to be counted.

    Raises:
        NotFoundError: there is no such checkpoint or tensor.
    """
    with CheckpointReader(file_name) as reader:
        shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
        if tensor_name and not (all_tensors or all_tensor_names):
            print("tensor_name: ", tensor_name)
            print(reader.get_tensor(tensor_name))
        else:
            for name in sorted(shapes):
                print(f"tensor: {name} ({dtypes[name].name}) {shapes[name]}")
                if all_tensors:
                    print(reader.get_tensor(name))
    counted = [
        math.prod(shape)
        for name, shape in shapes.items()
        if not (count_exclude_pattern and re.search(count_exclude_pattern, name))
    ]
    print(f"# Total number of params: {sum(counted)}")
