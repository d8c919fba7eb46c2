"""The picture of a plan of memory: steps from left to right, the bytes of the arena upwards."""

from __future__ import annotations

import html
from math import log2
from typing import TYPE_CHECKING

from kc.analysis.cost import size_text
from kc.dialects.graph.sizes import Size, SizeExpr, evaluate

if TYPE_CHECKING:
    from kc.building.graphs.memory_plan import MemoryPlan

ASSUMED = 256
"""The value of a size that is known at the call only."""
WIDTH, HEIGHT, LEFT, BELOW = 720, 360, 72, 24
_COLOURS = ("#bfdbfe", "#bbf7d0", "#fde68a", "#fecaca", "#ddd6fe", "#fed7aa", "#a5f3fc", "#e5e7eb")


def plan_svg(plan: MemoryPlan) -> str:
    """The buffers as rectangles: from the step that writes a buffer to the last one that reads it,
    at its place in the arena. Its name and bytes appear when it is pointed at.

    Sizes with names are :data:`ASSUMED`.
    """
    names: set[str] = set()
    for place in plan.allocations:
        for size in (place.bytes, place.offset):
            names |= size.names if isinstance(size, SizeExpr) else set()
    fixed = plan.at(dict.fromkeys(names, ASSUMED)) if names else plan
    arena = max(_number(fixed.arena_bytes), 1)
    steps = max((place.last for place in fixed.allocations), default=0) + 1
    across, up = WIDTH / steps, HEIGHT / arena
    shapes: list[str] = []
    for number, place in enumerate(fixed.allocations):
        size, offset = _number(place.bytes), _number(place.offset)
        x, y = LEFT + place.first * across, HEIGHT - (offset + size) * up
        width, height = (place.last - place.first + 1) * across, max(size * up, 1)
        title = f"{place.buffer.name}: {place.buffer.spec}, {size_text(size)}"
        colour = _COLOURS[number % len(_COLOURS)]
        label = place.buffer.name if width > 7 * len(place.buffer.name) and height > 14 else ""
        shapes.append(
            f'<g><title>{html.escape(title)}</title><rect x="{x:.1f}" y="{y:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}" fill="{colour}" stroke="#64748b"/>'
            f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}">{html.escape(label)}'
            "</text></g>"
        )
    marks = [
        f'<text class="scale" x="{LEFT - 6}" y="{HEIGHT * (1 - part):.1f}">'
        f"{size_text(round(arena * part))}</text>"
        for part in (0.0, 0.5, 1.0)
    ]
    every = 2 ** max(0, round(log2(max(steps / 16, 1))))
    marks += [
        f'<text x="{LEFT + (step + 0.5) * across:.1f}" y="{HEIGHT + BELOW - 6}">{step}</text>'
        for step in range(0, steps, every)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -12 {LEFT + WIDTH + 8} '
        f'{HEIGHT + BELOW + 12}" width="{LEFT + WIDTH + 8}"><style>'
        "text { text-anchor: middle; font: 11px ui-monospace, monospace } "
        ".scale { text-anchor: end }</style>"
        f'<path d="M{LEFT} 0V{HEIGHT}H{LEFT + WIDTH}" fill="none" stroke="#64748b"/>'
        f"{''.join(shapes)}{''.join(marks)}</svg>"
    )


def plan_html(plan: MemoryPlan) -> str:
    """The picture, and the table below place."""
    return f"<div>{plan_svg(plan)}<pre>{html.escape(plan.table())}</pre></div>"


def plan_page(plan: MemoryPlan) -> str:
    """A page of its own, which needs nothing from outside."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>memory plan</title>'
        f"</head><body>{plan_html(plan)}</body></html>\n"
    )


def _number(size: Size) -> int:
    return size if isinstance(size, int) else evaluate(size, {})
