"""`tensorflow.python.lib.io.file_io`: the functions of `td.gfile`, by their older names."""

from __future__ import annotations

from typing import Any

from ...formats import gfile
from ...formats.local_files import GFile as FileIO

copy = gfile.Copy
create_dir = gfile.MkDir
delete_file = gfile.Remove
delete_recursively = gfile.DeleteRecursively
file_exists = gfile.Exists
get_matching_files = gfile.Glob
is_directory = gfile.IsDirectory
list_directory = gfile.ListDirectory
recursive_create_dir = gfile.MakeDirs
rename = gfile.Rename
stat = gfile.Stat
walk = gfile.Walk


def read_file_to_string(filename: str, binary_mode: bool = False) -> Any:
    """Content of a file, as a string or as bytes."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: str, file_content: str | bytes) -> None:
    """Overwrites a file."""
    with FileIO(filename, "w" if isinstance(file_content, str) else "wb") as file:
        file.write(file_content)
