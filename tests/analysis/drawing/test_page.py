"""The page of a graph: its views, and what a browser makes of them, by positions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tensordraft as td
from tensordraft.analysis.drawing.choice import chosen
from tensordraft.analysis.drawing.views import views

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
FLAGS += " --disable-background-networking --disable-component-update --window-size=1400,900"
FLAGS += " --virtual-time-budget=3000 --enable-logging=stderr --dump-dom"
# A look at the page returns the number of lines that run under boxes, and the view.
PROBE = """
const look = () => {
  const rects = [...document.querySelectorAll("#view .box rect")].map(rect => rect.getBBox());
  let under = 0;
  for (const path of document.querySelectorAll("#view .line path")) {
    const length = path.getTotalLength(), points = [];
    for (let i = 1; i < 40; i++) points.push(path.getPointAtLength(length * i / 40));
    if (rects.some(r => points.some(p => p.x > r.x + 1 && p.x < r.x + r.width - 1 &&
        p.y > r.y + 1 && p.y < r.y + r.height - 1))) under++;
  }
  const stage = document.getElementById("view").getBoundingClientRect();
  const svg = document.querySelector("#view svg").getBoundingClientRect();
  const fits = svg.left >= stage.left - 1 && svg.right <= stage.right + 1 && svg.top >= stage.top;
  return {scope, items: rects.length, under, fits, whole: svg.bottom <= stage.bottom + 1};
};
const middle = name => {
  const box = boxOf(name).querySelector("rect").getBoundingClientRect();
  const stage = document.getElementById("view").getBoundingClientRect();
  return [box.x + box.width / 2 - stage.width / 2, box.y + box.height / 2 - stage.height / 2];
};
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", {key}));
const seek = text => {
  search.value = text;
  search.dispatchEvent(new Event("input"));
  search.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
};
"""


def layered_graph(number: int) -> td.Graph:
    """About so many ops, in blocks of some layers."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 4], name="x")
        for i in range(number // 5):
            with td.name_scope(f"block_{i // 10}/layer_{i}/"):
                y = td.tanh(x, name="tanh")
                x = td.add(td.multiply(y, x, name="Product"), td.square(y), name="sum")
        td.identity(x, name="end")
    return graph


def seen(graph: td.Graph, folder: Path, script: str, color: str | None = None) -> Any:
    """Runs a script in the page of a graph in a browser, and returns its result."""
    out = folder / "graph.html"
    td.draw(graph, out, color=color)
    tag = f"document.body.dataset.reported = JSON.stringify((() => {{ {script} }})());"
    out.write_text(f"{out.read_text()}<script>{PROBE}{tag}</script>")
    done = subprocess.run(
        [str(CHROMIUM), *FLAGS.split(), f"--user-data-dir={folder}", out.absolute().as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "CONSOLE" not in done.stderr
    found = re.search(r'data-reported="([^"]*)"', done.stdout)
    assert found is not None
    return json.loads(found[1].replace("&quot;", '"'))


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("number", [6, 250, 1_000, 5_000])
def test_views_are_fitted_and_no_line_runs_under_a_box(number: int, tmp_path: Path) -> None:
    script = """
    const reported = [look()];
    press("0"); reported.push(look());
    show("block_0"); reported.push(look());
    show("block_0/layer_0"); reported.push(look());
    press("Escape"); reported.push(look());
    return reported;
    """
    opened, whole, block, layer, back = seen(layered_graph(number), tmp_path, script)
    assert [view["under"] for view in (opened, block, layer)] == [0, 0, 0]
    assert opened["fits"]
    assert whole["fits"]
    assert whole["whole"]
    assert (block["scope"], layer["scope"], back["scope"]) == (
        "block_0",
        "block_0/layer_0",
        "block_0",
    )
    assert block["fits"]
    assert layer["items"] >= 4
    assert back == block


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_what_is_searched_is_centred_and_told(tmp_path: Path) -> None:
    script = """
    seek("PRODUCT");
    const first = [chosen, ...middle(chosen)];
    seek("layer_37/sum");
    return {first, second: [chosen, ...middle(chosen)], scope, reported: about.textContent};
    """
    reported = seen(layered_graph(250), tmp_path, script)
    assert reported["first"][0] == "block_0/layer_0/Product"
    assert reported["second"][0] == "block_3/layer_37/sum"
    assert max(map(abs, [*reported["first"][1:], *reported["second"][1:]])) < 2
    assert re.search(r"AddV2\nmade at (\S*/)?test_page\.py:\d", reported["reported"])
    assert "float32[batch,4]" in reported["reported"]
    assert "from\n  block_3/layer_37/Product\n  block_3/layer_37/Square\n" in reported["reported"]
    assert "T = float32" in reported["reported"]


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_clicks_and_pointing(tmp_path: Path) -> None:
    script = """
    const count = () => document.querySelectorAll("#view .near").length;
    const box = boxOf("x");
    box.dispatchEvent(new PointerEvent("pointerenter"));
    const pointed = count();
    box.dispatchEvent(new PointerEvent("pointerleave"));
    document.querySelector("#view .stack").dispatchEvent(new MouseEvent("click"));
    const opened = scope;
    document.querySelector("#crumbs button").click();
    return {pointed, left: count(), opened, back: scope};
    """
    reported = seen(layered_graph(1_000), tmp_path, script)
    assert reported["pointed"] >= 2
    assert (reported["left"], reported["back"]) == (0, "")
    assert reported["opened"].startswith("block_")


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_stacks_open_by_keys_and_not_by_dragging(tmp_path: Path) -> None:
    script = """
    const stack = boxOf("block_0 … block_19"), reported = [];
    const point = (type, clientX) => stage.dispatchEvent(new PointerEvent(
      type, {clientX, clientY: 9, buttons: 1, movementX: 40}));
    point("pointerdown", 9);
    point("pointermove", 49);
    stack.dispatchEvent(new MouseEvent("click"));
    reported.push(scope);
    stack.focus();
    reported.push(document.querySelectorAll("#view .near").length > 1);
    stack.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
    reported.push(scope);
    show("block_7");
    reported.push(crumbs.textContent);
    press("Escape");
    reported.push(scope);
    return reported;
    """
    stack = "block_0 … block_19"
    crumbs = f"graph / {stack} / block_7"
    reported = seen(layered_graph(1_000), tmp_path, script)
    assert reported == ["", True, stack, crumbs, stack]


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_scopes_may_be_called_as_what_every_object_has(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [3], name="x")
        for scope in ("constructor", "toString"):
            with td.name_scope(scope):
                for _ in range(80):
                    x = td.exp(x)
    script = """
    show("toString");
    press("Escape");
    return boxOf("constructor").querySelector("rect").style.fill;
    """
    assert seen(graph, tmp_path, script, color="cost") == "rgb(240, 112, 40)"


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("number", [6, 250, 1_000])
def test_labels_stand_free(number: int, tmp_path: Path) -> None:
    script = """
    show("block_0");
    const rects = name => [...document.querySelectorAll(name)].map(e => e.getBBox());
    const labels = rects("#view .label"), boxes = rects("#view .box rect");
    const meet = (a, b) => a.x + 1 < b.x + b.width && b.x + 1 < a.x + a.width &&
      a.y + 1 < b.y + b.height && b.y + 1 < a.y + a.height;
    let covered = 0;
    labels.forEach((a, i) => {
      if ([...labels.slice(0, i), ...boxes].some(b => meet(a, b))) covered++;
    });
    return {covered, labels: labels.length};
    """
    reported = seen(layered_graph(number), tmp_path, script)
    assert reported["covered"] == 0
    assert reported["labels"] >= 3


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_boxes_take_the_colour_that_is_chosen(tmp_path: Path) -> None:
    script = """
    const fill = name => getComputedStyle(boxOf(name).querySelector("rect")).fill;
    const scopes = fill("block_1");
    choose("block_0/layer_0/tanh");
    const said = about.textContent;
    show("block_0");
    const warm = fill("block_0/layer_0/tanh"), legend = byId("warmth").textContent;
    byId("heat").value = "";
    byId("heat").dispatchEvent(new Event("change"));
    return {scopes, warm, plain: fill("block_0/layer_0/tanh"), legend, said};
    """
    reported = seen(layered_graph(1_000), tmp_path, script, color="cost")
    assert reported["scopes"] == "rgb(240, 112, 40)"  # they cost the same, so each is the greatest
    assert reported["plain"] == "rgb(214, 228, 245)"
    assert reported["warm"] != reported["plain"]
    assert reported["legend"].startswith("the darker, the more operations")
    assert re.search(r"operations: \d+(\.\d+)? %", reported["said"])


def test_views_of_scopes() -> None:
    found = dict(views(chosen(layered_graph(1_000))))
    assert len(found) == 1 + 20 + 200 + 1 + 20
    assert [box.name for box in found[""].boxes] == ["x", "block_0 … block_19", "end"]
    names = [box.name for box in found["block_0 … block_19"].boxes]
    inner = [f"block_{i}/layer_{10 * i} … layer_{10 * i + 9}" for i in range(20)]
    assert names == ["x", *inner, "end"]
    names = [box.name for box in found["block_3"].boxes]
    assert names == ["block_2", "block_3/layer_30 … layer_39", "block_4"]
    names = [box.name for box in found["block_3/layer_30 … layer_39"].boxes]
    assert names[0] == "block_2"  # what leads there
    assert names[-1] == "block_4"
    assert {"block_3/layer_30/tanh", "block_3/layer_39/sum"} <= set(names)
    layer = [box.name for box in found["block_3/layer_31"].boxes]
    assert layer[0] == "block_3/layer_30"
    assert layer[-1] == "block_3/layer_32"


def test_a_lone_outer_scope_is_opened() -> None:
    with td.Graph().as_default() as graph, td.name_scope("model"):
        x = td.placeholder(td.float32, [2], name="x")
        for i in range(80):
            with td.name_scope(f"layer_{i}"):
                x = td.exp(td.sqrt(x))
    found = dict(views(chosen(graph)))
    assert [box.name for box in found[""].boxes] == ["model/x", "model/layer_0 … layer_79"]
    found = dict(views(chosen(graph, stacks=False)))
    assert len(found[""].boxes) == 81
    assert {box.kind for box in found[""].boxes} == {"input", "closed"}


def test_many_lines_from_outside_are_left_out() -> None:
    with td.Graph().as_default() as graph:
        inputs = [td.placeholder(td.float32, [], name=f"x_{i}") for i in range(40)]
        with td.name_scope("sum"):
            td.add_n(inputs, name="all")
    found = dict(views(chosen(graph)))
    assert [box.name for box in found["sum"].boxes] == ["sum/all"]


def test_names_do_not_leave_the_data(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        td.placeholder(td.float32, name="x")
    graph_def = graph.as_graph_def()
    graph_def.node[0].attr["_note"].s = b"</script><script>alert(1)</script>"
    td.draw(graph_def, tmp_path / "g.html")
    text = (tmp_path / "g.html").read_text()
    assert text.count("<script") == 2
    assert "alert(1)</script>" not in text
