"""Runs the notebooks of docs/notebooks, and writes what their cells show, pictures included.

A notebook is JSON; nothing but Python is needed to run its cells, so that this needs no Jupyter.
"""

from __future__ import annotations

import ast
import io
import json
import os
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

import tensordraft as td

FOLDER = Path(__file__).resolve().parent / "notebooks"
ROOT = Path(td.__file__).resolve().parent


def notebooks() -> dict[str, str]:
    """The text of each notebook with the outputs of its cells, by its name under docs/."""
    return {
        f"notebooks/{path.name}": executed(path.read_text(encoding="utf-8")) for path in found()
    }


def found() -> list[Path]:
    """The files of the notebooks."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(text: str) -> str:
    """A notebook, its cells run in order from the root of a checkout."""
    book: dict[str, Any] = json.loads(text)
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    td.reset_default_graph()
    with chdir(ROOT):
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"] = number
                cell["outputs"] = _run("".join(cell["source"]), names, number)
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _run(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Output of a cell: printed text, and the value of a last line that is an expression."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    shown = last.value if isinstance(last, ast.Expr) else None
    if shown is not None:
        tree.body.pop()
    printed, value = io.StringIO(), None
    file = f"{os.sep}notebook{os.sep}cell_{number}.py"
    with redirect_stdout(printed):
        exec(compile(tree, file, "exec"), names)  # noqa: S102 - our own notebooks
        if shown is not None:
            value = eval(compile(ast.Expression(shown), file, "eval"), names)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        picture = getattr(value, "_repr_html_", lambda: None)()
        if picture:
            data["text/html"] = picture.splitlines(keepends=True)
        outputs.append(
            {
                "data": data,
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return outputs


def as_page(text: str) -> str:
    """A notebook as a page in Markdown."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "text/html" in data:
                parts.append("".join(data["text/html"]))
            else:
                text = "".join(output.get("text", data.get("text/plain", "")))
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"
