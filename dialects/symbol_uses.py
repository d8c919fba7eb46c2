"""Symbols that an operation names, where it stands in a table of them."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.traits import SymbolTable


def has_symbols(op: Operation) -> bool:
    """Whether there is a table around ``op`` in which a symbol may be looked up: a function that is
    being scheduled is outside of its module."""
    parent = op.parent_op()
    while parent is not None and not parent.has_trait(SymbolTable):
        parent = parent.parent_op()
    return parent is not None
