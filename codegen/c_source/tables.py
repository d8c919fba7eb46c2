"""Constant tables in C: ``memref.global`` as a static array."""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType

from kc.codegen.c_source.expressions import Expressions, c_type, memory_type
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_WIDTH = 100


def table_name(symbol: str) -> str:
    """The name of a table in C, which no variable of a function has."""
    return f"kc_table_{symbol}"


def define_table(op: memref.GlobalOp, expressions: Expressions) -> str:
    """The definition of a constant. Raises CodegenError KC4403 for other globals, and KC4401."""
    type_, value = op.type, op.initial_value
    if op.constant is None or not isinstance(value, DenseIntOrFPElementsAttr):
        raise CodegenError(
            "KC4403",
            f"c: there is no C for {op.name} @{op.sym_name.data}, which is not a constant",
            location=location_of(op),
            why="a kernel keeps nothing between calls",
        )
    assert isinstance(type_, MemRefType)
    element = memory_type(type_.element_type)
    if element is None or element != c_type(type_.element_type):
        raise CodegenError(
            "KC4401",
            f"c: there is no C table of {type_.element_type}",
            location=location_of(op),
            why="tables are of integers of 8, 16, 32 or 64 bits, float, double",
        )
    constants = [arith.ConstantOp(one) for one in value.iter_attrs()]  # pyright: ignore
    words = [expressions.constant(one).text for one in constants]
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) + 4 > _WIDTH:
            lines.append(line)
            line = ""
        line += f" {word},"
    lines.append(line)
    body = "".join(f"\n {one}" for one in lines)
    name = table_name(op.sym_name.data)
    return f"static const {element} {name}[{max(len(words), 1)}] = {{{body}\n}};\n"
