"""The functions of a module that a graph uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Operation

from kc.dialects.graph.functions import FuncOp


def functions_of(module: ModuleOp) -> dict[str, FuncOp]:
    """The graph functions of a module, by name."""
    return {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}


def symbols_in(op: Operation) -> Iterator[str]:
    """The names that an operation and the operations in it refer to."""
    for inner in op.walk():
        for attr in (*inner.properties.values(), *inner.attributes.values()):
            yield from _symbols(attr)


def _symbols(attr: Attribute) -> Iterator[str]:
    if isinstance(attr, SymbolRefAttr):
        yield attr.root_reference.data
    elif isinstance(attr, ArrayAttr):
        for part in attr:
            yield from _symbols(part)
    elif isinstance(attr, DictionaryAttr):
        for part in attr.data.values():
            yield from _symbols(part)


def reachable(module: ModuleOp, entries: Iterable[str]) -> set[str]:
    """The names of the functions that entries use, directly or through others."""
    named = {
        str(getattr(name, "data", "")): op
        for op in module.body.ops
        if (name := op.get_attr_or_prop("sym_name")) is not None
    }
    reached: set[str] = set()
    stack = list(entries)
    while stack:
        name = stack.pop()
        if name not in reached and name in named:
            reached.add(name)
            stack.extend(symbols_in(named[name]))
    return reached
