"""Symbols that an operation references, if the operation is inside a symbol table."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.traits import SymbolTable


def has_symbols(op: Operation) -> bool:
    """True if a symbol table around ``op`` exists. A function that is being scheduled is outside of
    its module.
    """
    parent = op.parent_op()
    while parent is not None and not parent.has_trait(SymbolTable):
        parent = parent.parent_op()
    return parent is not None
