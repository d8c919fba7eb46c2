"""Constant tables in C: ``memref.global`` as a static array."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType
from xdsl.ir import Operation

from kc.codegen.c_source.expressions import Expressions, float_bits
from kc.dialects.float_types import float_dtype
from kc.support.c_names import to_identifier
from kc.support.diagnostics import CodegenError
from kc.support.float_formats import NARROW_FLOATS
from kc.support.locations import location_of

_WIDTH = 100


def table_name(symbol: str) -> str:
    """The name of a table in C, which no variable of a function has."""
    is_plain = symbol == to_identifier(symbol) and not symbol.startswith("_")
    return f"kc_table_{symbol if is_plain else '_' + symbol.encode().hex()}"


def define_tables(ops: Iterable[Operation], expressions: Expressions) -> list[str]:
    """Definitions of the constants among ``ops`` that the code reads; compilers warn of unused
    ones.

    Raises CodegenError as :func:`define_table` does, also for unused globals.
    """
    ops = list(ops)
    read = {
        inner.name_.root_reference.data
        for op in ops
        for inner in op.walk()
        if isinstance(inner, memref.GetGlobalOp)
    }
    return [
        define_table(op, expressions)
        for op in ops
        if isinstance(op, memref.GlobalOp) and (op.sym_name.data in read or op.constant is None)
    ]


def define_table(op: memref.GlobalOp, expressions: Expressions) -> str:
    """The C definition of a constant global. Raises CodegenError KC4403 if the global is not
    constant, KC4401 if C cannot express its element type.
    """
    type_, value = op.type, op.initial_value
    if op.constant is None or not isinstance(value, DenseIntOrFPElementsAttr):
        raise CodegenError(
            "KC4403",
            f"c: {op.name} @{op.sym_name.data}, which is not a constant, cannot be expressed in C",
            location=location_of(op),
            why="a kernel keeps nothing between calls",
        )
    assert isinstance(type_, MemRefType)
    element = expressions.language.memory_type(type_.element_type)
    if element is None:
        raise CodegenError(
            "KC4401",
            f"c: a table of {type_.element_type} cannot be expressed in C",
            location=location_of(op),
            why="elements are booleans, integers of 8, 16, 32 or 64 bits, and floats",
        )
    words = _words(value, expressions)
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) + 4 > _WIDTH:
            lines.append(line)
            line = ""
        line += f" {word},"
    lines.append(line)
    body = "".join(f"\n {row}" for row in lines)
    name = table_name(op.sym_name.data)
    return f"{expressions.language.table} {element} {name}[{max(len(words), 1)}] = {{{body}\n}};\n"


def _words(value: DenseIntOrFPElementsAttr, expressions: Expressions) -> list[str]:
    """The elements as C literals in their memory representation."""
    form = NARROW_FLOATS.get(float_dtype(value.get_element_type()) or "")
    if form is not None:
        elements: Any = value.get_values()  # no complex numbers
        numbers = [float(element) for element in elements]
        kind = value.get_element_type()
        if (expressions.language.memory_type(kind) or "").startswith("int"):
            return [str(float_bits(number, kind)) for number in numbers]
        return [str(form.encode(number)) for number in numbers]
    constants = [arith.ConstantOp(attr) for attr in value.iter_attrs()]  # pyright: ignore
    return [expressions.constant(constant).text for constant in constants]
