"""Expressions of TVMScript as text with their types, and literals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from kc.support.diagnostics import CodegenError
from kc.support.float_formats import NARROW_IR_FLOATS
from kc.support.locations import location_of, op_name

ALWAYS = "T.bool(True)"
"""The condition that always holds."""


@dataclass(frozen=True)
class Code:
    """The text of an expression, its type by TVM's name, and a flag: it may be an operand as is."""

    text: str
    dtype: str
    atomic: bool = True
    constant: bool = False

    @property
    def operand(self) -> str:
        """The expression as an operand."""
        return self.text if self.atomic else f"({self.text})"


def dtype_of(kind: Attribute) -> str:
    """TVM's name of a type, of integers the signed one; "index" for indices."""
    if isinstance(kind, VectorType):
        return f"{dtype_of(kind.element_type)}x{math.prod(kind.get_shape())}"
    if isinstance(kind, IndexType):
        return "index"
    if isinstance(kind, IntegerType):
        return "bool" if kind.width.data == 1 else f"int{kind.width.data}"
    narrow = NARROW_IR_FLOATS.get(str(kind))
    return narrow.name if narrow is not None else str(kind).replace("f", "float", 1)


def unsayable(op: Operation) -> CodegenError:
    """The diagnostic for an operation without a form in TVMScript (KC4331)."""
    return CodegenError(
        "KC4331",
        f"script: {op_name(op)} has no form in TVMScript",
        location=location_of(op),
        why="TVMScript can show loops, blocks, stores and scalar expressions (tir)",
        hints=["mod.script() prints the IR of every stage"],
    )


def quoted(text: str) -> str:
    """``text`` as a literal of Python, in ASCII."""

    def shown(char: str) -> str:
        if char in '"\\':
            return f"\\{char}"
        return char if char.isascii() and char.isprintable() else ascii(char)[1:-1]

    return f'"{"".join(map(shown, text))}"'


def number_of(code: Code) -> int:
    """The integer that a constant is."""
    return int(code.text.partition("(")[2].rstrip(")") or code.text)


def constant_code(op: arith.ConstantOp) -> Code:
    """A constant as a literal, or as a call of its type. Raises as :func:`unsayable` for lanes that
    are neither equal nor in equal steps."""
    value, dtype = op.value, dtype_of(op.result.type)
    if isinstance(value, DenseIntOrFPElementsAttr):
        values = list(value.get_values())
        if len(set(map(repr, values))) != 1:
            return _ramp(op, values, dtype)
        number = values[0]
    else:
        assert isinstance(value, IntegerAttr | FloatAttr)
        number = value.value.data
    if isinstance(number, float) and not math.isfinite(number):
        return Code(f'T.{dtype}("{number}")', dtype)
    if dtype.startswith("bool"):
        return Code(f"T.{dtype}({bool(number)})", dtype)
    if "float" in dtype:
        return Code(f"T.{dtype}({number!r})", dtype)
    if dtype == "int32":
        text = str(number)
        return Code(text, dtype, atomic=not text.startswith("-"), constant=True)
    return Code(f"T.{dtype}({number})", dtype, constant="x" not in dtype)


def _ramp(op: arith.ConstantOp, values: Sequence[Any], dtype: str) -> Code:
    """A vector constant whose lanes are evenly spaced numbers."""
    kind, _, lanes = dtype.partition("x")
    steps = (
        {later - value for value, later in itertools.pairwise(values)}
        if kind.startswith("int")
        else ()
    )
    if len(steps) != 1:
        raise unsayable(op)
    (step,) = steps
    return Code(f"T.Ramp(T.{kind}({values[0]}), T.{kind}({step}), {lanes})", dtype)


def constant_text(op: Operation, value: Attribute) -> str:
    """The text of a numeric attribute of ``op``, with its type."""
    if not isinstance(value, IntegerAttr | FloatAttr):
        raise unsayable(op)
    code = constant_code(arith.ConstantOp(value))
    return f"T.int32({code.text})" if code.text.lstrip("-").isdecimal() else code.text


def python_text(attr: Attribute, op: Operation) -> str:
    """The value of an annotation in Python's syntax."""
    match attr:
        case UnitAttr():
            return "None"
        case StringAttr():
            return quoted(attr.data)
        case IntegerAttr():
            if attr.type == IntegerType(1):
                return str(bool(attr.value.data))
            if attr.type == IntegerType(64):
                return str(attr.value.data)
        case FloatAttr():
            if str(attr.type) == "f64":
                return repr(attr.value.data)
        case ArrayAttr():
            return f"[{', '.join(python_text(part, op) for part in attr)}]"
        case DictionaryAttr():
            pairs = [f"{quoted(key)}: {python_text(part, op)}" for key, part in attr.data.items()]
            return f"{{{', '.join(pairs)}}}"
        case _:
            pass
    raise unsayable(op)
