"""Files beside a program: paths are counted from the file that asks."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordraft as td

HERE = Path(__file__).resolve()


def test_paths_are_counted_from_the_file_that_asks() -> None:
    assert td.resource_loader.get_data_files_path() == str(HERE.parent)
    assert td.resource_loader.get_root_dir_with_all_resources() == str(HERE.parent)
    assert td.resource_loader.get_path_to_datafile("data/a.txt") == str(HERE.parent / "data/a.txt")
    assert td.resource_loader.readahead_file_path("/somewhere", "1M") == "/somewhere"


def test_what_lies_beside_is_read_and_what_does_not_is_named() -> None:
    assert td.resource_loader.load_resource(HERE.name) == HERE.read_bytes()
    with pytest.raises(FileNotFoundError, match=r"no_such\.txt"):
        td.resource_loader.load_resource("no_such.txt")
