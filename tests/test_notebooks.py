"""The notebooks run, show what stands in them, and open as notebooks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from places import ROOT

sys.path.insert(0, str(ROOT / "docs"))
from run_notebooks import as_page, executed, found

BOOKS = found()


@pytest.mark.parametrize("path", BOOKS, ids=[path.stem for path in BOOKS])
def test_a_notebook_shows_what_its_cells_show(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert executed(text) == text, "run `make docs`"
    book = json.loads(text)
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
    pictures = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    assert [picture for picture in pictures if "data:image/svg+xml;base64," in picture]


def test_there_are_three() -> None:
    assert len(BOOKS) == 3


def test_a_page_has_code_results_and_pictures() -> None:
    book = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "Words."]},
            {"cell_type": "code", "source": ["print(1)\n", "2 + 2"], "outputs": []},
            {"cell_type": "code", "source": ["x = 3"], "outputs": []},
        ]
    }
    text = executed(json.dumps(book))
    assert as_page(text) == (
        "# Title\nWords.\n\n```python\nprint(1)\n2 + 2\n```\n\n```text\n1\n```\n\n"
        "```text\n4\n```\n\n```python\nx = 3\n```\n"
    )
    assert json.loads(text)["cells"][2]["outputs"] == []
