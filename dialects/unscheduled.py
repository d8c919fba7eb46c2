"""The mark of a function without a schedule: ``kc.unscheduled``.

Conversion from te, ``te.create_prim_func`` and raising of structured operations set it::

    func.func @main(%A: memref<8xf32>, %B: memref<8xf32>) attributes {kc.unscheduled} {

A build chooses a schedule for such a function, as it does for tensors. The first primitive, a
``kc.tir.Schedule`` of the module and a build with ``opt_level=0`` remove the mark; the loops then
count as chosen by the user and are not replaced. The mark is an annotation of a function, not part
of the program: ``structural_equal`` ignores it.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp

UNSCHEDULED = "kc.unscheduled"


def mark_unscheduled(function: FuncOp) -> None:
    """Mark the loops of a function as unscheduled: a default schedule may replace them."""
    function.attributes[UNSCHEDULED] = UnitAttr()


def is_unscheduled(function: FuncOp) -> bool:
    """True if a function has the mark."""
    return UNSCHEDULED in function.attributes


def unmark(functions: Iterable[FuncOp]) -> None:
    """Remove the mark from functions whose loops are now a user's choice."""
    for function in functions:
        function.attributes.pop(UNSCHEDULED, None)
