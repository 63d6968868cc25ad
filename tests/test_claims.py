"""Tests of claims in the README: numbers, and statements on all ops."""

from __future__ import annotations

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
    expected = [
        item.message for part in parts() if (item := mistake(part)) and "\n  in '" in item.message
    ]
    assert len(expected) > 40
    for message in expected:
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
    assert [page for page in [*pages, *notebooks] if page not in listed] == []


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
    expected = f"on one core {min(ratios):.1f} to {max(ratios):.1f} times TensorFlow's time"
    assert f"{expected}, {mean:.2f} times in the geometric mean of {len(ratios)}" in README


def test_the_table_of_files_that_open_is_that_of_the_measurements() -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    section = page.partition("## Files that packages ship")[2]
    table = README[README.index("| files | TensorFlow 2.21") :].partition("\n\n")[0]
    assert f"\n{table}\n" in section
    rows = re.findall(r"(?m)^\| [^|]+ \| [^|]+ \| [^|]+ \| (.+) \|$", section.partition("###")[0])
    files = [item for row in rows[1:] for item in row.split(", ") if re.search(r" [\de-]+$", item)]
    assert section.split()[0] == str(len(files))
    for count, *others in re.findall(r"(?m)^\| (\d+) .*?((?: \| \d+)+) \|$", table):
        assert max(map(int, re.findall(r"\d+", others[0]))) <= int(count)
