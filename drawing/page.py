"""Pictures as one HTML page, in which name scopes open and close."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .drawing import Drawing

_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>graph</title>
<style>
html, body { margin: 0; height: 100%; font: 13px sans-serif; }
body { display: flex; }
svg { flex: 1; height: 100%; cursor: grab; background: #fcfcfc; }
aside { width: 280px; padding: 12px; overflow: auto; border-left: 1px solid #ccc; }
aside pre { white-space: pre-wrap; overflow-wrap: anywhere; }
input { width: 100%; box-sizing: border-box; }
rect { fill: #d6e4f5; stroke: #667; }
g { cursor: pointer; }
.input rect { fill: #cfe8cf; }
.output rect { fill: #f6d5c4; }
.constant rect { fill: #eee; stroke-dasharray: 2; }
.scope rect, .closed rect { fill: #fff3c9; stroke-width: 2; }
.chosen rect { stroke: #c30; stroke-width: 2.5; }
text { font-size: 11px; text-anchor: middle; pointer-events: none; }
text.small { font-size: 9px; fill: #555; }
text.label { font-size: 8px; fill: #777; text-anchor: start; }
path { fill: none; stroke: #99a; }
path.control { stroke-dasharray: 4 3; }
</style>
<svg><g id="all"></g></svg>
<aside>
<input id="search" placeholder="find a node" type="search">
<p>Click a scope to open it, a node to read it; double-click a node to close its scope.
Drag to move, turn the wheel to zoom.</p>
<pre id="about"></pre>
</aside>
"""

_SCRIPT = """
"use strict";
const graph = JSON.parse(document.getElementById("graph").textContent);
const all = document.getElementById("all"), svg = document.querySelector("svg");
const about = document.getElementById("about"), search = document.getElementById("search");
const open = new Set();
let view = {x: 20, y: 20, k: 1}, chosen = null;

const scopesOf = name => {
  const parts = name.split("/"), found = [];
  for (let i = 1; i < parts.length; i++) found.push(parts.slice(0, i).join("/"));
  return found;
};
if (graph.nodes.length <= 60)
  for (const node of graph.nodes) scopesOf(node.name).forEach(scope => open.add(scope));

// What is seen: a node whose scopes are all open, else its outermost scope that is closed.
function seen() {
  const items = new Map(), of = [];
  graph.nodes.forEach((node, i) => {
    const closed = scopesOf(node.name).find(scope => !open.has(scope));
    const key = closed === undefined ? "n" + i : "s" + closed;
    if (!items.has(key))
      items.set(key, closed === undefined
        ? {key, kind: node.kind, title: node.name, sub: node.op, node}
        : {key, kind: "scope", title: closed, sub: "", count: 0, scope: closed});
    const item = items.get(key);
    if (item.kind === "scope") item.sub = ++item.count + " nodes";
    of.push(item);
  });
  const edges = new Map();
  for (const [source, target, label, control] of graph.edges) {
    const a = of[source], b = of[target], key = a.key + ">" + b.key;
    if (a === b) continue;
    const edge = edges.get(key);
    if (!edge) edges.set(key, {a, b, label, control, count: 1});
    else { edge.count++; edge.control = edge.control && control; edge.label = edge.label || label; }
  }
  return [[...items.values()], [...edges.values()]];
}

function layout(items, edges) {
  for (const item of items) {
    item.w = 14 + 6.5 * Math.max(Math.min(short(item).length, 40), item.sub.length);
    item.up = []; item.down = []; item.depth = -1; item.x = 0;
  }
  for (const edge of edges) { edge.a.down.push(edge.b); edge.b.up.push(edge.a); }
  // Closed scopes may lead back to each other: a line back up counts for no depth.
  const state = new Map(), placed = [];
  for (const root of items) {
    const stack = [root];
    while (stack.length) {
      const item = stack[stack.length - 1];
      if (state.get(item) === 2) { stack.pop(); continue; }
      if (!state.has(item)) {
        state.set(item, 1);
        stack.push(...item.up.filter(other => !state.has(other)));
      } else {
        const before = item.up.filter(other => state.get(other) === 2);
        item.depth = 1 + Math.max(-1, ...before.map(other => other.depth));
        state.set(item, 2);
        placed.push(stack.pop());
      }
    }
  }
  for (const item of placed)
    item.follows = item.kind === "input" || item.up.some(other => other.follows);
  for (const item of placed.reverse()) {
    const below = item.down.map(other => other.depth).filter(depth => depth > item.depth);
    if (below.length && !item.follows) item.depth = Math.min(...below) - 1;
  }
  const layers = [];
  for (const item of items) (layers[item.depth] = layers[item.depth] || []).push(item);
  for (let i = 0; i < layers.length; i++) layers[i] = layers[i] || [];
  const spread = layer => {
    if (!layer.length) return;
    let end = -Infinity, moved = 0;
    for (const item of layer) {
      const start = Math.max(item.wish - item.w / 2, end + 16);
      item.x = start + item.w / 2; end = start + item.w; moved += item.x - item.wish;
    }
    for (const item of layer) item.x -= moved / layer.length;
  };
  for (let sweep = 0; sweep < 8; sweep++)
    for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
      for (const item of layer) {
        const near = sweep % 2 ? item.down : item.up;
        item.wish = near.length ? near.reduce((sum, o) => sum + o.x, 0) / near.length : item.x;
      }
      layer.sort((p, q) => p.wish - q.wish);
      spread(layer);
    }
  for (const item of items) item.y = item.depth * 78;
}

const short = item => item.title.split("/").pop() + (item.scope ? "/" : "");
function make(name, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

function draw() {
  const [items, edges] = seen();
  layout(items, edges);
  all.replaceChildren();
  for (const {a, b, label, control, count} of edges) {
    const y0 = a.y + 34, y1 = b.y, bend = (y1 - y0) / 2;
    make("path", {d: `M${a.x} ${y0}C${a.x} ${y0 + bend} ${b.x} ${y1 - bend} ${b.x} ${y1}`,
      class: control ? "control" : "", "stroke-width": 1 + Math.log2(count)}, all);
    make("text", {x: (a.x + b.x) / 2 + 3, y: y0 + bend, class: "label"}, all,
      count > 1 ? count + " lines" : label);
  }
  for (const item of items) {
    const g = make("g", {class: item.kind + (item.node && item.node === chosen ? " chosen" : "")},
      all);
    make("title", {}, g, item.title);
    make("rect", {x: item.x - item.w / 2, y: item.y, width: item.w, height: 34, rx: 5}, g);
    make("text", {x: item.x, y: item.y + 14}, g, short(item).slice(0, 40));
    make("text", {x: item.x, y: item.y + 27, class: "small"}, g, item.sub);
    g.onclick = () => item.scope ? (open.add(item.scope), draw()) : choose(item.node);
    g.ondblclick = () => {
      const scopes = item.node ? scopesOf(item.node.name) : [];
      if (scopes.length) { open.delete(scopes.pop()); draw(); }
    };
  }
  document.body.dataset.items = items.length;
  return items;
}

function choose(node) {
  chosen = node;
  const told = [node.name, node.op, ...node.types, ...node.constants, node.device];
  about.textContent = told.filter(Boolean).join("\\n");
  draw();
}
const place = () =>
  all.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
search.onchange = () => {
  const found = graph.nodes.find(
    node => [node.name, ...node.constants].some(text => text.includes(search.value)));
  if (!found || !search.value) return;
  scopesOf(found.name).forEach(scope => open.add(scope));
  choose(found);
};
svg.onwheel = event => {
  event.preventDefault();
  const k = Math.min(8, Math.max(0.02, view.k * Math.exp(-event.deltaY / 500)));
  view = {x: event.offsetX - (event.offsetX - view.x) * k / view.k,
    y: event.offsetY - (event.offsetY - view.y) * k / view.k, k};
  place();
};
svg.onpointermove = event => {
  if (event.buttons === 1) { view.x += event.movementX; view.y += event.movementY; place(); }
};
const xs = draw().map(item => item.x);
if (xs.length) view.x = (svg.clientWidth - Math.min(...xs) - Math.max(...xs)) / 2;
place();
"""


def page(drawing: Drawing) -> str:
    """The picture as a page that needs no network and runs no code from the graph."""
    # A "<" in a name must not end the script element that holds the data.
    data = json.dumps(_data(drawing)).replace("<", "\\u003c")
    return (
        f'{_HEAD}<script id="graph" type="application/json">{data}</script>\n'
        f"<script>{_SCRIPT}</script>\n</html>\n"
    )


def _data(drawing: Drawing) -> dict[str, Any]:
    return {
        "nodes": [box._asdict() for box in drawing.boxes],
        "edges": [list(line) for line in drawing.lines],
    }
