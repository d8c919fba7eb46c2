"""The loops of hybrid scripts as axes of their stages.

The operations of a script are copied twice on the way to loops that a schedule works on, so that
each loop carries the number of its axis on that way.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Operation as IROperation

from kc.analysis.loop_tree import preorder
from kc.dialects import te, tir
from kc.expr.constructors import IterVar
from kc.expr.tensor import ExternOp, Operation

_NUMBER = "kc.hybrid_axis"

Loops = dict[tuple[Operation, IterVar], tir.ForOp]
"""Loops by their operation and axis."""


def number_loops(function: IROperation, names: Mapping[Operation, str]) -> None:
    """Annotate the loops of hybrid scripts in a ``te.func`` with the numbers of their axes."""
    scripts = {name: op for op, name in names.items() if isinstance(op, ExternOp) and op.axis}
    for extern in function.walk() if scripts else ():
        if not isinstance(extern, te.ExternOp) or extern.label not in scripts:
            continue
        op = scripts[extern.label]
        numbers = {op.body.loops[axis]: n for n, axis in enumerate(op.axis)}
        for written, copied in zip(op.code.region.walk(), extern.body.walk(), strict=True):
            if written in numbers:
                number = IntAttr(numbers[written])  # pyright: ignore[reportArgumentType]
                copied.attributes[_NUMBER] = ArrayAttr([StringAttr(names[op]), number])


def numbered_loops(function: IROperation, names: Mapping[Operation, str]) -> Loops:
    """The numbered loops by number; the numbers are removed from the loops."""
    by_name = {name: op for op, name in names.items()}
    loops: Loops = {}
    for loop in preorder(function):
        number = loop.attributes.pop(_NUMBER, None)
        if isinstance(loop, tir.ForOp) and isinstance(number, ArrayAttr):
            name, n = number.data
            assert isinstance(name, StringAttr)
            assert isinstance(n, IntAttr)
            op = by_name[name.data]
            loops[op, op.axis[n.data]] = loop
    return loops
