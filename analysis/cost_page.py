"""Costs as a page: a flame graph of the scopes, and the memory that is alive from op to op."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from .cost import Cost
from .cost_report import Amount, OpCost, amount, weight

_WIDTH = 1000
_ROW = 20
_CHART = 220
_NARROWEST = 0.5
_LETTER = 7

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
:root {{ color-scheme: light dark; --ink: #1d2733; --paper: #fff; --bar: #e6a15c; --line: #c9712f;
  --area: #7aa6d8; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #dde5ee; --paper: #14191f;
  --bar: #8a5526; --line: #e0a070; --area: #35587f; }} }}
body {{ font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 1040px; margin: 2rem auto; padding: 0 1rem; }}
svg {{ width: 100%; height: auto; }} text {{ fill: var(--ink); font: 12px system-ui; }}
.bar {{ fill: var(--bar); stroke: var(--paper); }} .bar:hover {{ fill: var(--line); }}
.area {{ fill: var(--area); stroke: var(--line); }}
table {{ border-collapse: collapse; }} td, th {{ padding: .15rem .8rem .15rem 0; }}
td.n, th.n {{ text-align: right; font-variant-numeric: tabular-nums; }}
</style></head><body>
<h1>{title}</h1>
<table>{totals}</table>
<h2>Operations, by scope</h2>
{flames}
<h2>Memory that is alive, from op to op</h2>
{memory}
<h2>The ops that cost most</h2>
<table><tr><th class="n">operations</th><th class="n">bytes</th><th>op</th></tr>{rows}</table>
</body></html>
"""


class _Scope(NamedTuple):
    """A name scope with the cost of its ops, or an op."""

    name: str
    inner: dict[str, _Scope]
    ops: list[OpCost]

    @property
    def flops(self) -> int:
        return sum(weight(op.flops) for op in self.ops)


def cost_page(cost: Cost, title: str) -> str:
    """A self-contained page about a cost; formulas are drawn at sizes of 16.

    Args:
        cost: the cost.
        title: what the page is called.
    """
    ops = cost.by_op
    totals = {
        "operations": cost.flops,
        "bytes read and written": cost.bytes,
        "parameters": cost.parameters,
        "peak of memory in bytes": cost.peak_bytes,
    }
    costliest = sorted(ops, key=lambda op: weight(op.flops), reverse=True)[:50]
    return _PAGE.format(
        title=escape(title),
        totals="".join(
            f'<tr><td>{name}</td><td class="n">{escape(amount(value))}</td></tr>'
            for name, value in totals.items()
        ),
        flames=_flames(ops),
        memory=_memory(ops, cost.peak_bytes),
        rows="".join(map(_row, costliest)),
    )


def _row(op: OpCost) -> str:
    cells = "".join(f'<td class="n">{escape(amount(x))}</td>' for x in (op.flops, op.bytes))
    return f"<tr>{cells}<td>{escape(op.name)} ({escape(op.type)})</td></tr>"


def _flames(ops: Sequence[OpCost]) -> str:
    root = _Scope("all", {}, [])
    for op in ops:
        scope = root
        scope.ops.append(op)
        for part in op.name.split("/"):
            scope = scope.inner.setdefault(part, _Scope(part, {}, []))
            scope.ops.append(op)
    bars = list(_bars(root, 0.0, float(_WIDTH), 0))
    height = _ROW * (1 + max(depth for depth, _ in bars))
    drawn = "".join(bar for _, bar in bars)
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img">{drawn}</svg>'


def _bars(scope: _Scope, x: float, width: float, depth: int) -> Iterator[tuple[int, str]]:
    total = scope.flops
    label = f"{scope.name}: {total:,}"
    shown = escape(scope.name[: int(width / _LETTER)])
    y = depth * _ROW
    bar = (
        f'<g><title>{escape(label)}</title><rect class="bar" x="{x:.1f}" y="{y}" '
        f'width="{width:.1f}" height="{_ROW}"/>'
        f'<text x="{x + 4:.1f}" y="{y + 14}">{shown}</text></g>'
    )
    yield depth, bar
    for inner in scope.inner.values():
        share = width * inner.flops / total if total else 0
        if share >= _NARROWEST:
            yield from _bars(inner, x, share, depth + 1)
        x += share


def _memory(ops: Sequence[OpCost], peak: Amount) -> str:
    live = [weight(op.live) for op in ops]
    if not live:
        return "<p>Nothing runs.</p>"
    most = max(*live, 1)
    step = _WIDTH / len(live)
    points = [
        f"{x:.1f},{_CHART - (_CHART - 20) * bytes_ / most:.1f}"
        for i, bytes_ in enumerate(live)
        for x in (i * step, (i + 1) * step)
    ]
    at = live.index(most)
    label = escape(f"{amount(peak)} bytes at {ops[at].name}")
    anchor = "start" if at * step < _WIDTH / 2 else "end"
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_CHART}" role="img"><polygon class="area" '
        f'points="0,{_CHART} {" ".join(points)} {_WIDTH},{_CHART}"/>'
        f'<text x="{at * step:.1f}" y="14" text-anchor="{anchor}">{label}</text></svg>'
    )
