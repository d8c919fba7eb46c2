"""Recognition of array sizes among index values: only array sizes are known to be non-negative.

A symbolic size that comes from a scalar argument alone may be any number.
"""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineSymExpr

from kc.analysis.loop_tree import enclosing_function
from kc.dialects.tir import SymbolOp, symbol_names


def is_array_size(value: SSAValue) -> bool:
    """True if ``value`` is the size of a dimension of an array."""
    owner = value.owner
    if isinstance(owner, SymbolOp):
        return owner.symbol.data in sized_symbols(enclosing_function(owner))
    return isinstance(owner, memref.DimOp)


def sized_symbols(function: func.FuncOp | None) -> set[str]:
    """The symbols of a function that are sizes of dimensions of its arguments."""
    if function is None or function.arg_attrs is None:
        return set()
    names = symbol_names(function)
    sized: set[str] = set()
    for attrs in function.arg_attrs.data:
        shape = attrs.data.get("kc.shape")
        if isinstance(shape, AffineMapAttr):
            sized.update(
                names[expr.position]
                for expr in shape.data.results
                if isinstance(expr, AffineSymExpr)
            )
    return sized
