"""Pictures as one HTML page, in which name scopes open and nodes are found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .choice import Choice
from .clusters import Known
from .heat import COLD, PALE, STRONG, Heat
from .simplified import with_gatherers_aside
from .svg import STYLE, svg
from .views import views

_FRAME = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>graph</title>
<style>{style}</style>
<main><nav id="crumbs"></nav><div id="view" tabindex="0"></div></main>
<aside>
<input id="search" placeholder="find a node (Enter: next, Shift+Enter: previous)" type="search">
<div id="count"></div>
<ol id="results"></ol>
<pre id="about">Click a scope or a stack of them to open it, a node to
read it; Tab and Enter do the same. Escape leaves a
scope, 0 fits the view, + and - zoom, arrows and
dragging move, / finds.</pre>
<p class="legend" id="kinds">{legend}<br>dashed: waits for<br>piled: scopes that repeat</p>
{choice}</aside>
<script id="graph" type="application/json">{data}</script>
<script>{script}</script>
</html>
"""
_CHOICE = """<label>colour
<select id="heat">{options}<option value="">kind</option></select></label>
<p class="legend" id="warmth"></p>
"""
_LEGEND = {
    "input": "#cfe8cf",
    "op": "#d6e4f5",
    "output": "#f6d5c4",
    "constant": "#eee",
    "scope": "#fff3c9",
}
_FOLDER = Path(__file__).parent


def page(choice: Choice, heats: Sequence[Heat] = ()) -> str:
    """The picture as a page that needs no network and runs no code from the graph.

    Each scope has a view of its own, laid out as in an SVG; only the one that is shown is made to
    elements. Parts that are alike are laid out once. On two cores of a server, writing takes 1.7 s
    for 5,002 ops in 500 scopes that repeat (1,502 views, 11.0 MB, of which the first has 25
    elements), 1.6 s for 5,001 ops without a scope (one view of 57,516), and 1.5 s for the 4,588 of
    NASNet (1,930 views, the first of 7,470); the data is read in 20 to 40 ms.

    Args:
        choice: what is shown.
        heats: what boxes may be coloured by, besides by what they are; at first by the first.
    """
    shown = with_gatherers_aside(choice.whole)
    known: Known = {}
    data: dict[str, Any] = {
        "title": "graph",
        "nodes": [{**box._asdict(), "reported": None, "scopes": None} for box in shown.boxes],
        "edges": [[line.source, line.target] for line in shown.lines],
        "heats": [{**heat._asdict(), "total": heat.total, "legend": heat.legend} for heat in heats],
        "tones": [PALE, STRONG, COLD],
        "stacks": {stack.name: stack.scopes for stack in choice.stacks},
        "views": {
            scope: svg(view, style="", known=known)
            for scope, view in views(choice._replace(whole=shown))
        },
    }
    legend = "".join(f'<i style="background: {tone}"></i>{kind}' for kind, tone in _LEGEND.items())
    options = "".join(f'<option value="{i}">{heat.title}</option>' for i, heat in enumerate(heats))
    colours = _CHOICE.format(options=options) if heats else ""
    return _FRAME.format(
        choice=colours,
        style=STYLE + (_FOLDER / "page.css").read_text(encoding="utf-8"),
        legend=legend,
        # A "<" in a name must not end the script element that holds the data.
        data=json.dumps(data).replace("<", "\\u003c"),
        script=(_FOLDER / "page.js").read_text(encoding="utf-8"),
    )
