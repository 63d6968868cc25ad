"""Files that lie beside a program: `td.resource_loader`."""

from __future__ import annotations

import os

from ..graph.api.source_locations import user_site

public = {
    "td.resource_loader": (
        "get_data_files_path get_path_to_datafile get_root_dir_with_all_resources load_resource "
        "readahead_file_path"
    )
}


def _folder_of_caller() -> str:
    site = user_site()
    return os.path.dirname(os.path.abspath(site.file)) if site else os.getcwd()


def get_data_files_path() -> str:
    """The folder of the file that calls this.

    Example:
        >>> import os
        >>> os.path.isabs(td.resource_loader.get_data_files_path())
        True
    """
    return _folder_of_caller()


def get_root_dir_with_all_resources() -> str:
    """The folder of the file that calls this; TensorFlow finds the root of a build by it.

    Example:
        >>> import os
        >>> os.path.isabs(td.resource_loader.get_root_dir_with_all_resources())
        True
    """
    return _folder_of_caller()


def get_path_to_datafile(path: str) -> str:
    """The path of a file, given from the folder of the file that calls this.

    Args:
        path: a relative path.

    Example:
        >>> import os
        >>> os.path.basename(td.resource_loader.get_path_to_datafile("testdata/words.txt"))
        'words.txt'
    """
    return os.path.join(_folder_of_caller(), path)


def load_resource(path: str) -> bytes:
    """The contents of a file, given from the folder of the file that calls this.

    Args:
        path: a relative path; TensorFlow 1.x counts it from its own folder.

    Raises:
        OSError: the file cannot be read.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("one two")
        >>> td.resource_loader.load_resource(path)
        b'one two'
    """
    with open(os.path.join(_folder_of_caller(), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path, as it is: files are read as the system does it.

    Args:
        path: a path.
        readahead: accepted for TensorFlow's sake.

    Example:
        >>> td.resource_loader.readahead_file_path("words.txt")
        'words.txt'
    """
    return path
