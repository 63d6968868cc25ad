"use strict";
// A page shows one view at a time: the whole graph, or a scope. Each is an SVG that is made
// beforehand; this script only chooses, moves, finds and describes.
const data = JSON.parse(document.getElementById("graph").textContent);
const byId = id => document.getElementById(id);
const stage = byId("view"), crumbs = byId("crumbs"), about = byId("about");
const search = byId("search"), results = byId("results");
const nodes = new Map(data.nodes.map((node, i) => [node.name, {...node, i}]));
const READABLE = 0.45;  // the least scale at which names are read
let scope = "", place = {x: 0, y: 0, k: 1}, chosen = null, found = [], current = -1;
let near = [];  // the lines of each box, with the boxes at their other ends
let from = null, dragged = false;  // where the pointer went down, and whether it has moved since

// The stack of each scope that is in one; what is around a name is that, or the scope it is in.
const stacks = new Map(Object.entries(data.stacks));
const stackOf = new Map([...stacks].flatMap(
  ([stack, scopes]) => scopes.map(name => [name, stack])));
const own = (table, name) => Object.hasOwn(table, name) ? table[name] : undefined;
const outer = name => name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
const parent = name => stackOf.get(name) ?? outer(name);
const boxes = () => [...stage.querySelectorAll(".box")];
const boxOf = name => boxes().find(box => box.dataset.name === name);

function move() {
  stage.firstElementChild.style.transform = `translate(${place.x}px, ${place.y}px) scale(${place.k})`;
}

// The whole view in the window; `least` keeps it readable, with its upper end in the window.
function fit(least = 0) {
  const svg = stage.firstElementChild, room = 24;
  const width = svg.width.baseVal.value, height = svg.height.baseVal.value;
  const across = (stage.clientWidth - room) / width, down = (stage.clientHeight - 2 * room) / height;
  const k = Math.min(across, Math.max(down, least), 1.5);
  const y = room + Math.max(0, (stage.clientHeight - room - height * k) / 2);
  place = {k, x: (stage.clientWidth - width * k) / 2, y};
  move();
}

function centre(box) {
  const {x, y, width, height} = box.querySelector("rect").getBBox();
  place.k = Math.max(place.k, 0.8);
  place.x = stage.clientWidth / 2 - (x + width / 2) * place.k;
  place.y = stage.clientHeight / 2 - (y + height / 2) * place.k;
  move();
}

function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  const k = Math.min(8, Math.max(0.01, place.k * factor));
  place = {k, x: x - (x - place.x) * k / place.k, y: y - (y - place.y) * k / place.k};
  move();
}

function show(name) {
  scope = name;
  stage.innerHTML = data.views[name];
  const all = boxes();
  near = all.map(() => []);
  for (const line of stage.querySelectorAll(".line")) {
    const [source, target] = line.dataset.ends.split(" ").map(Number);
    near[source].push([line, all[target]]);
    near[target].push([line, all[source]]);
  }
  all.forEach((box, i) => {
    box.tabIndex = 0;
    box.setAttribute("role", "button");
    box.onclick = event => { event.stopPropagation(); if (!dragged) open(box.dataset.name, box); };
    box.onkeydown = event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(box.dataset.name, box); }
    };
    box.onpointerenter = box.onfocus = () => follow(i, true);
    box.onpointerleave = box.onblur = () => follow(i, false);
  });
  for (const frame of stage.querySelectorAll(".scope"))
    frame.onclick = () => { if (!dragged) show(frame.dataset.name); };
  crumbs.replaceChildren();
  const around = [];
  for (let at = name; at; at = parent(at)) around.unshift(at);
  ["", ...around].forEach((at, i) => {
    const button = document.createElement("button");
    button.textContent = at.slice(at.lastIndexOf("/") + 1) || data.title;
    button.onclick = () => show(at);
    crumbs.append(i ? " / " : "", button);
  });
  fit(READABLE);
  mark();
  warm();
  document.body.dataset.items = all.length;
  document.body.dataset.scope = name;
}

const opens = box => box.classList.contains("closed") || box.classList.contains("stack");

// A click opens a scope or a stack of them, and describes a node.
function open(name, box) {
  if (!opens(box)) { choose(name); return; }
  show(name);
  stage.focus();
}

function choose(name) {
  chosen = name;
  const node = nodes.get(name);
  const list = (title, items) => items.length ? [title, ...items.map(item => "  " + item)] : [];
  const ends = (here, there) => [...new Set(
    data.edges.filter(edge => edge[here] === node.i).map(edge => data.nodes[edge[there]].name))];
  about.textContent = [
    node.name, node.op, node.site && "made at " + node.site, node.device,
    ...list("gives", node.types), ...list("constants", node.constants),
    ...data.heats.map(heat => `${heat.title}: ${share(heat, name, false)}`),
    ...list("from", ends(1, 0)), ...list("to", ends(0, 1)), ...list("attrs", node.attrs),
  ].filter(Boolean).join("\n");
  mark();
}

// The chosen heat map: numbers of ops, or sums of scopes, relative to the greatest.
function heat() {
  const select = byId("heat");
  return select && select.value !== "" ? data.heats[Number(select.value)] : null;
}

function number(heat, name, closed) {
  if (!closed) return own(heat.ops, name);
  const run = (stacks.get(name) ?? [name]).map(scope => own(heat.scopes, scope));
  return run.reduce((sum, part) => part === undefined ? sum : (sum ?? 0) + part, undefined);
}

function share(heat, name, closed) {
  const part = number(heat, name, closed) / (heat.total || 1);
  return Number.isNaN(part) ? "does not run" : `${(part * 100).toPrecision(2)} %`;
}

function warm() {
  const shown = heat(), [pale, strong, cold] = data.tones;
  if (byId("warmth")) byId("warmth").textContent = shown ? shown.legend : "";
  byId("kinds").hidden = Boolean(shown);
  const all = boxes().map(box => [box, shown ? number(
    shown, box.dataset.name, opens(box)) : undefined]);
  const most = Math.max(...all.map(([, value]) => value || 0)) || 1;
  for (const [box, value] of all) {
    const mixed = pale.map((a, i) => Math.round(a + (strong[i] - a) * Math.sqrt(value / most)));
    const tone = value === undefined ? cold : `rgb(${mixed})`;
    box.querySelector("rect").style.fill = shown ? tone : "";
  }
}

function mark() {
  for (const box of boxes()) box.classList.toggle("chosen", box.dataset.name === chosen);
}

// What a box is fed by and feeds, while the pointer is on it.
function follow(number, on) {
  for (const [line, other] of near[number] ?? []) {
    line.classList.toggle("near", on);
    other.classList.toggle("near", on);
  }
}

function find() {
  const wanted = search.value.toLowerCase();
  found = wanted ? data.nodes.filter(node =>
    [node.name, node.op, ...node.constants].some(text => text.toLowerCase().includes(wanted))) : [];
  results.replaceChildren(...found.slice(0, 100).map((node, i) => {
    const item = document.createElement("li");
    item.textContent = node.name;
    item.onclick = () => go(i);
    return item;
  }));
  byId("count").textContent = wanted ? `${found.length} found` : "";
  current = -1;
}

function go(number) {
  if (!found.length) return;
  current = (number + found.length) % found.length;
  const {name} = found[current];
  if (!boxOf(name)) show(outer(name));
  choose(name);
  centre(boxOf(name));
  [...results.children].forEach((item, i) => item.setAttribute("aria-selected", i === current));
  results.children[current]?.scrollIntoView({block: "nearest"});
}

search.oninput = find;
search.onkeydown = event => {
  if (event.key === "Enter") go(current + (event.shiftKey ? -1 : 1));
  if (event.key === "Escape") stage.focus();
  event.stopPropagation();
};
document.onkeydown = event => {
  const step = 60, keys = {
    "+": () => zoom(1.25), "-": () => zoom(0.8), "0": () => fit(), "/": () => search.focus(),
    Escape: () => show(parent(scope)), Backspace: () => show(parent(scope)),
    ArrowLeft: () => { place.x += step; move(); }, ArrowRight: () => { place.x -= step; move(); },
    ArrowUp: () => { place.y += step; move(); }, ArrowDown: () => { place.y -= step; move(); },
  };
  if (keys[event.key] && !event.ctrlKey && !event.metaKey) { event.preventDefault(); keys[event.key](); }
};
stage.onwheel = event => {
  event.preventDefault();
  const {left, top} = stage.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY / 500), event.clientX - left, event.clientY - top);
};
stage.onpointerdown = event => { from = [event.clientX, event.clientY]; dragged = false; };
stage.onpointermove = event => {
  if (event.buttons !== 1 || !from) return;
  dragged ||= Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4;
  if (dragged) { place.x += event.movementX; place.y += event.movementY; move(); }
};
if (byId("heat")) byId("heat").onchange = warm;
window.onresize = () => fit(READABLE);
show("");
