"""What the README claims of all, each and every thing is held by a test."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_harness import Cli
from mistake_table import mistake, parts
from places import ROOT

import tensordraft as td
from tensordraft.graph.registry import definitions

README = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = re.compile(r"\b(every|everything|each|all|any|nothing)\b", re.IGNORECASE)

# What the README says, and the test that holds it to it.
CLAIMS = {
    "knows the shape of everything in it": "shape_inference/test_soundness.py::test_",
    "with all that it depends on": "test_packaging.py::test_every_public_name_needs_the_stated",
    "is all you need": "test_demo.py::test_an_example_model_gives_what_tensorflow_gave",
    "Each makes its own": "test_claims.py::test_targets_make_their_environment",
    "returns the function that runs every time": "test_claims.py::test_a_kernel_is_made_once",
    "loaded by any program that defines it": "test_claims.py::test_a_kernel_is_made_once",
    "in one file each": "test_claims.py::test_an_op_is_defined_in_the_file_of_its_family",
    "everything runs on NumPy": "test_packaging.py::test_every_public_name_needs_the_stated",
    "of a page each": "test_programs.py::test_each_is_a_page",
    "ops like any other": "test_claims.py::test_gradients_are_ops_like_any_other",
    "Every command takes": "cli/test_every_command.py::test_json_is_one_line_and_text_is_for",
    "every one that reads a graph takes": "cli/test_every_command.py::test_a_graph_may_come_on",
    "lists every op type with its signature": "test_claims.py::test_the_list_of_ops_is_whole",
    "with every older call form": "ops/test_documents.py::test_every_documented_function_has_an",
    "each op of TensorFlow 1.15": "test_op_types.py::test_every_op_type_works_or_has_the_reason",
    "written byte for byte the same each time": "test_claims.py::test_files_are_the_same_each",
    "lists all ops": "test_docs.py::test_every_op_in_the_list_is_told_in_a_sentence",
    "Every error of an op": "test_claims.py::test_errors_of_ops_name_op_line_and_shapes",
    "change nothing": "test_claims.py::test_devices_are_kept_and_change_nothing",
    "All that differs": "test_claims.py::test_differences_are_a_page",
    "builds all pages": "test_claims.py::test_the_site_has_all_pages",
    "every public name": "namespaces/test_public_names.py::test_every_name_is_in_the_reference",
    "every op with its signature": "test_docs.py::test_every_op_in_the_list_is_told_in_a_sentence",
}


def sentences() -> list[str]:
    """The README without its code, in sentences and cells."""
    text = re.sub(r"(?s)```.*?```", "", README)
    return [part for part in re.split(r"(?<=[.:;|])\s+|\n", text) if part]


@pytest.mark.parametrize("sentence", [part for part in sentences() if WORDS.search(part)])
def test_what_is_said_of_all_is_claimed(sentence: str) -> None:
    assert [claim for claim in CLAIMS if claim in sentence], "hold this sentence by a test"


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_stands_and_has_its_test(claim: str) -> None:
    assert claim in README
    file, _, start = CLAIMS[claim].partition("::")
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert [name for name in names if name.startswith(start)]


def test_the_readme_is_a_page_with_one_picture() -> None:
    assert README.count("![") == 1
    assert len(README.split()) < 1_700


def test_targets_make_their_environment() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert re.search(rf"(?m)^{target}: \$\(VENV\)/\.\w+", makefile)
    assert "$(PYTHON) -m venv $(VENV)" in makefile


def test_a_kernel_is_made_once_for_each_plan_and_run_every_time(tmp_path: Path) -> None:
    made, run = [], []
    once = td.OpDef("ClaimsOnce", "x: float32 -> y: float32")

    @once.shape
    def shape(c: Any) -> Any:
        return c.shape("x")

    @once.kernel
    def kernel(c: Any) -> Any:
        made.append(c)

        def same(x: Any) -> Any:
            run.append(x)
            return x

        return same

    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [2], name="x")
        once(x, name="y")
    path = td.save_graph(graph, str(tmp_path / "g.pb"))
    with td.Session(graph=td.load_graph(path)) as session:
        for _ in range(5):
            session.run("y:0", {"x:0": [1, 2]})
    assert (len(made), len(run)) == (1, 5)


def test_an_op_is_defined_in_the_file_of_its_family() -> None:
    found = [item for item in definitions() if item.site.file.startswith(str(ROOT / "ops"))]
    assert len(found) > 1_000
    homes = {getattr(item.shape_function, "__module__", "") for item in found}
    assert {home.split(".")[1] for home in homes if home} == {"ops"}


def test_gradients_are_ops_like_any_other() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [], name="x")
        [slope] = td.gradients(x * x, x)
    assert slope.op in graph.get_operations()
    with td.Session(graph=graph) as session:
        assert session.run(slope, {x: 3.0}) == 6.0


def test_the_list_of_ops_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    text = Cli(capsys)("ops").out
    listed = {line.split()[0].partition("(")[0] for line in text.splitlines() if line.strip()}
    wire = {item.name for item in definitions() if not item.name.startswith(("Toy", "Doc"))}
    missing = [name for name in wire - listed if name in td.raw_ops.__dir__()]
    assert missing == []


def test_files_are_the_same_each_time(tmp_path: Path) -> None:
    texts = set()
    for number in range(3):
        with td.Graph().as_default() as graph:
            x = td.placeholder(td.float32, ["batch", 2], name="x")
            td.reduce_sum(td.nn.relu(x), axis=1, name="y")
        for ending in ("pb", "pbtxt"):
            texts.add(Path(td.save_graph(graph, str(tmp_path / f"{number}.{ending}"))).read_bytes())
    assert len(texts) == 2


def test_errors_of_ops_name_op_line_and_shapes() -> None:
    told = [
        item.message for part in parts() if (item := mistake(part)) and "\n  in '" in item.message
    ]
    assert len(told) > 40
    for message in told:
        assert re.search(r"\n  in '[^']+' \(\S+\), created at (program|model)\.py:\d", message)
        own = re.search(r"\((placeholder|Variable|py_func)\)", message)
        assert own or re.search(r"\n  with [\w\[\]_]+: \w+\[", message), message


def test_devices_are_kept_and_change_nothing() -> None:
    with td.Graph().as_default() as graph, td.device("/job:worker/task:3/device:GPU:1"):
        y = td.constant([1.0, 2.0], name="y") * 2.0
    assert "GPU:1" in y.device
    assert {node.device for node in graph.as_graph_def().node} == {y.device}
    with td.Session(graph=graph) as session:
        np.testing.assert_array_equal(session.run(y), [2.0, 4.0])


def test_differences_are_a_page() -> None:
    page = (ROOT / "docs" / "guide" / "differences.md").read_text(encoding="utf-8")
    assert page.count("\n- ") + page.count("\n| ") > 10
    assert len(page.split()) < 2_000


def test_the_site_has_all_pages() -> None:
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    notebooks = [f"notebooks/{path.stem}.md" for path in (ROOT / "docs").rglob("*.ipynb")]
    assert [page for page in [*pages, *notebooks] if page not in listed and page != "api.md"] == []


def test_there_are_twenty_recipes_and_thirty_programs() -> None:
    cookbook = (ROOT / "docs" / "guide" / "cookbook.md").read_text(encoding="utf-8")
    assert cookbook.count("\n## ") == 20
    assert len([*(ROOT / "examples" / "programs").glob("*.py")]) == 30


def test_how_long_networks_take_is_what_the_table_says() -> None:
    table = (ROOT / "docs" / "models.md").read_text(encoding="utf-8").partition("## Four images")[2]
    of_one_thread = table.partition("On two threads")[0]
    ratios = [
        float(x) for x in re.findall(r"(?m)^\| \w(?:[^|]*\|){5} (\d+\.\d+) \|", of_one_thread)
    ]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    told = f"on one core {min(ratios):.1f} to {max(ratios):.1f} times TensorFlow's time"
    assert f"{told}, {mean:.2f} times in the geometric mean of {len(ratios)}" in README
