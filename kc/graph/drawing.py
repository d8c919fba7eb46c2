"""``kc.graph.viz``: a picture of a graph, as a page of its own or in DOT.

::

    kc.graph.viz(mod, "model.html")
    kc.graph.viz(mod, "model.html", after=relay.transform.FuseOps()(mod))
    kc.graph.viz(mod, "model.dot")

A box is an operator, or a group of operators that are one kernel, with the shape of the result, the
bytes that it reads and writes, its arithmetic, and its time where one was measured. The page needs
nothing from outside. The analogue of TVM's ``relay_viz``.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from kc.analysis.cost import count_text, size_text
from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import CallOp, FuncOp, ReturnOp
from kc.dialects.graph.types import spec_of
from kc.dialects.graph.values import ConstantOp
from kc.graph.cost import bytes_of_type, cost_of
from kc.support.diagnostics import InputError
from kc.support.locations import caller_location

ENDINGS = (".html", ".dot")
_CHARACTER, _LINE, _GAP, _RANK_GAP = 7, 16, 24, 36


@dataclass(eq=False)
class Box:
    """A node of the picture."""

    kind: str
    """"input", "constant", "operator", "group", "region" or "output"."""
    lines: list[str]
    users: list[Box] = field(default_factory=list)
    rank: int = 0
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        """The width in pixels."""
        return max(map(len, self.lines)) * _CHARACTER + 16

    @property
    def height(self) -> float:
        """The height in pixels."""
        return len(self.lines) * _LINE + 12


def viz(
    mod: Any,
    path: str | Path | None = None,
    *,
    after: Any = None,
    times: Mapping[str, float] | None = None,
    plan: Any = None,
    function: str = "main",
) -> str:
    """The picture of a function of a module, which is written to ``path`` too if that is given.

    ``path`` ends in .html or .dot; without it, the result is a page. ``after`` is a module to show
    at its side, such as the result of a pass. ``times`` are seconds of kernels by the name of their
    function (``f.kernels``). ``plan`` is a plan of memory (``f.memory_plan``), which the page shows
    below the graph. Raises InputError KC0086 for another ending of ``path``, KC2410 for a
    module without the function.
    """
    ending = ".html" if path is None else Path(path).suffix
    if ending not in ENDINGS:
        kind = ending or "a file without an ending"
        raise InputError(
            "KC0086",
            f"{path}: a picture of a graph cannot be written as {kind}",
            location=caller_location(),
            hints=["name a file that ends in .html or .dot"],
        )
    titles = ["graph"] if after is None else ["before", "after"]
    modules = [mod] if after is None else [mod, after]
    pictures = [boxes_of(_function(each, function), times or {}) for each in modules]
    text = (
        _dot(dict(zip(titles, pictures, strict=True)))
        if ending == ".dot"
        else _page(f"@{function}", dict(zip(titles, pictures, strict=True)), plan)
    )
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _function(mod: Any, name: str) -> FuncOp:
    module = getattr(mod, "op", mod)
    functions: dict[str, FuncOp] = {}
    if isinstance(module, ModuleOp):
        functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
    if name not in functions:
        raise InputError(
            "KC2410",
            f"kc.graph.viz: the module has no graph function '{name}'",
            location=caller_location(),
            why=f"its graph functions are {', '.join(functions) or 'none'}",
        )
    return functions[name]


def boxes_of(function: FuncOp, times: Mapping[str, float]) -> list[Box]:
    """The nodes of a function, in the order of the text."""
    boxes: list[Box] = []
    by_value: dict[SSAValue, Box] = {}
    for argument, name in zip(function.body.block.args, function.arg_names, strict=True):
        box = Box("input", [name, type_text(argument.type)])
        by_value[argument] = box
        boxes.append(box)
    module = function.parent_op()
    groups = {
        op.sym_name.data: op
        for op in (module.body.ops if isinstance(module, ModuleOp) else ())
        if isinstance(op, FuncOp) and "primitive" in op.attributes
    }
    for op in function.body.block.ops:
        box = _box(op, groups, times)
        boxes.append(box)
        for operand in _operands(op, function.body.block):
            producer = by_value.get(operand)
            if producer is not None:
                producer.users.append(box)
        for result in op.results:
            by_value[result] = box
    return [box for box in boxes if box.kind != "constant" or box.users]


def _operands(op: Operation, block: Block) -> list[SSAValue]:
    """The values of a block that an operation, or one in it, uses."""
    values: dict[SSAValue, None] = {}
    for inner in op.walk():
        for operand in inner.operands:
            owner = operand.owner
            if (isinstance(operand, BlockArgument) and owner is block) or (
                isinstance(owner, Operation) and owner.parent is block
            ):
                values[operand] = None
    return list(values)


def _box(op: Operation, groups: Mapping[str, FuncOp], times: Mapping[str, float]) -> Box:
    match op:
        case ReturnOp():
            return Box("output", ["result", type_text(op.value.type)])
        case ConstantOp():
            return Box("constant", ["constant", type_text(op.result.type)])
        case OperatorOp():
            return Box("operator", [op.OPERATOR.name, type_text(op.result.type), *_work([op])])
        case CallOp() if op.callee.string_value() in groups:
            name = op.callee.string_value()
            inner = [each for each in groups[name].walk() if isinstance(each, OperatorOp)]
            lines = [each.OPERATOR.name for each in inner]
            lines += [type_text(op.result.type), *_work(inner, op)]
            if name in times:
                lines.append(f"{times[name] * 1e6:.4g} us")
            return Box("group", lines)
        case _:
            kind = "region" if op.regions else "operator"
            title = op.name.removeprefix("graph.")
            callee = f" {op.callee}" if isinstance(op, CallOp) else ""
            return Box(kind, [title + callee, *(type_text(value.type) for value in op.results)])


def _work(ops: Sequence[OperatorOp], call: CallOp | None = None) -> list[str]:
    """The lines of a box about its bytes and its arithmetic."""
    costs = [cost_of(op) for op in ops]
    if call is None:
        read, written = costs[0].read, costs[0].written
    else:
        read = sum(bytes_of_type(value.type) for value in call.arguments)
        written = bytes_of_type(call.result.type)
    operations = [cost.operations for cost in costs if cost.operations is not None]
    lines = [f"reads {size_text(read)}, writes {size_text(written)}"]
    return (
        [*lines, f"{count_text(sum(operations))}FLOP".replace("  ", " ")]
        if any(operations)
        else lines
    )


def type_text(type_: Attribute) -> str:
    """A type for a reader: ``float32[1, 3, 224, 224]``."""
    spec = spec_of(type_)
    if spec is None:
        return str(type_)
    if isinstance(spec, tuple):
        return "(" + ", ".join(map(str, spec)) + ")"
    return str(spec)


def _place(boxes: Sequence[Box]) -> tuple[float, float]:
    """Give each box its place; the width and the height of the picture.

    Ranks are longest ways from the inputs; within a rank, boxes stand near the boxes that they are
    connected with.
    """
    for box in boxes:  # producers come first
        for user in box.users:
            user.rank = max(user.rank, box.rank + 1)
    for box in reversed(boxes):
        if box.kind in ("input", "constant") and box.users:
            box.rank = min(user.rank for user in box.users) - 1
    ranks: dict[int, list[Box]] = {}
    for box in boxes:
        ranks.setdefault(box.rank, []).append(box)
    producers: dict[Box, list[Box]] = {}
    for box in boxes:
        for user in box.users:
            producers.setdefault(user, []).append(box)
    order = {box: float(n) for row in ranks.values() for n, box in enumerate(row)}
    for sweep in range(4):
        for rank in sorted(ranks, reverse=bool(sweep % 2)):
            near = {
                box: (box.users if sweep % 2 else producers.get(box, [])) or [box]
                for box in ranks[rank]
            }
            ranks[rank].sort(key=lambda b: sum(order[n] for n in near[b]) / len(near[b]))
            for n, box in enumerate(ranks[rank]):
                order[box] = n - len(ranks[rank]) / 2
    widths = {
        rank: sum(box.width for box in row) + _GAP * (len(row) - 1) for rank, row in ranks.items()
    }
    whole, y = max(widths.values(), default=0.0), 0.0
    for rank in sorted(ranks):
        x = (whole - widths[rank]) / 2
        for box in ranks[rank]:
            box.x, box.y = x, y
            x += box.width + _GAP
        y += max(box.height for box in ranks[rank]) + _RANK_GAP
    return whole, y


_COLOURS = {
    "input": "#dbeafe",
    "constant": "#f1f5f9",
    "operator": "#ffffff",
    "group": "#dcfce7",
    "region": "#fef3c7",
    "output": "#fce7f3",
}


def _svg(boxes: Sequence[Box]) -> str:
    width, height = _place(boxes)
    parts: list[str] = []
    for box in boxes:
        for user in box.users:
            x1, y1 = box.x + box.width / 2, box.y + box.height
            x2, y2 = user.x + user.width / 2, user.y
            middle = (y1 + y2) / 2
            parts.append(
                f'<path d="M{x1:.0f} {y1:.0f} C{x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} '
                f'{x2:.0f} {y2:.0f}" class="edge"/>'
            )
    for box in boxes:
        thick = ' class="group"' if box.kind == "group" else ""
        parts.append(
            f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" '
            f'height="{box.height:.0f}" rx="4" fill="{_COLOURS[box.kind]}"{thick}/>'
        )
        for n, line in enumerate(box.lines):
            x, y = box.x + box.width / 2, box.y + _LINE * (n + 1)
            parts.append(f'<text x="{x:.0f}" y="{y:.0f}">{html.escape(line)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 20:.0f}" '
        f'height="{height + 20:.0f}" viewBox="-10 -10 {width + 20:.0f} {height + 20:.0f}">'
        + "".join(parts)
        + "</svg>"
    )


def _page(title: str, pictures: Mapping[str, Sequence[Box]], plan: Any) -> str:
    columns = "".join(
        f"<section><h2>{html.escape(name)}: {_summary(boxes)}</h2>{_svg(boxes)}</section>"
        for name, boxes in pictures.items()
    )
    memory = "" if plan is None else f"<h2>memory</h2>{plan._repr_html_()}"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title><style>
body {{ font: 12px ui-monospace, monospace; margin: 1em }}
main {{ display: flex; gap: 2em; align-items: flex-start; overflow: auto }}
text {{ text-anchor: middle; font: 11px ui-monospace, monospace }}
rect {{ stroke: #64748b }} rect.group {{ stroke: #15803d; stroke-width: 2 }}
.edge {{ fill: none; stroke: #94a3b8 }}
</style></head><body><h1>{html.escape(title)}</h1><main>{columns}</main>{memory}</body></html>
"""


def _summary(boxes: Sequence[Box]) -> str:
    groups = sum(box.kind == "group" for box in boxes)
    alone = sum(box.kind == "operator" for box in boxes)
    return f"{groups} groups, {alone} operators outside" if groups else f"{alone} operators"


def _dot(pictures: Mapping[str, Sequence[Box]]) -> str:
    lines = [
        "digraph graph_of_operators {",
        "  node [shape=box, style=filled, fontname=monospace];",
    ]
    for picture, (title, boxes) in enumerate(pictures.items()):
        lines += [f"  subgraph cluster_{picture} {{", f"    label={json.dumps(title)};"]
        names = {box: f"n{picture}_{n}" for n, box in enumerate(boxes)}
        for box in boxes:
            label = json.dumps("\n".join(box.lines))
            width = ", penwidth=2" if box.kind == "group" else ""
            lines.append(
                f'    {names[box]} [label={label}, fillcolor="{_COLOURS[box.kind]}"{width}];'
            )
        for box in boxes:
            lines += [f"    {names[box]} -> {names[user]};" for user in box.users]
        lines.append("  }")
    return "\n".join([*lines, "}", ""])
