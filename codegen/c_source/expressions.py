"""Scalar operations of arith and math as C expressions, with no more parentheses than needed.

C's signed overflow is undefined and MLIR's wraps, so sums, differences and products of 32 and 64
bits are computed unsigned. Types narrower than ``int`` are promoted by C and cast back. Halves are
``float`` in expressions and rounded by a helper after each operation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from kc.codegen.c_source.helpers import Helpers
from kc.dialects.float_types import float_dtype
from kc.support.diagnostics import CodegenError
from kc.support.float_formats import NARROW_FLOATS
from kc.support.locations import location_of

PRIMARY, UNARY, TIMES, PLUS, SHIFT, LESS, EQUAL, AND, XOR, OR, TERNARY = range(16, 5, -1)
"""The precedences of C's operators; && and || are not needed."""


@dataclass(frozen=True)
class Code:
    """A C expression, the precedence of its outermost operator, and whether it reads memory."""

    text: str
    binds: int = PRIMARY
    reads: bool = False

    def within(self, binds: int) -> str:
        """The text as an operand of an operator that binds so tightly."""
        return self.text if self.binds >= binds else f"({self.text})"


def bits(kind: Attribute) -> int:
    """The width of an integer or index type."""
    return kind.width.data if isinstance(kind, IntegerType) else 64


def call(function: str, *arguments: str, reads: bool = False) -> Code:
    """A call."""
    return Code(f"{function}({', '.join(arguments)})", PRIMARY, reads)


class Expressions:
    """Builds the expression of each operation; ``helpers`` collects the functions that it calls."""

    def __init__(self, helpers: Helpers) -> None:
        self.helpers = helpers
        self.language = helpers.language

    def supports(self, op: Operation) -> bool:
        """True if ``op`` is a scalar operation that C has."""
        return isinstance(op, arith.ConstantOp) or op.name in _TABLE

    def make(self, op: Operation, operands: Sequence[Code]) -> Code:
        """The expression of ``op`` on the expressions of its operands."""
        kind = op.results[0].type
        if isinstance(op, arith.ConstantOp):
            return self.constant(op)
        for type_ in (kind, *(operand.type for operand in op.operands)):
            if self.language.register_type(type_) is None:
                raise self.no_type(op, f"{op.name} on {type_}")
        code = _TABLE[op.name](self, op, list(operands))
        reads = any(operand.reads for operand in operands)
        short = self.language.short_float(kind)
        if short is not None and op.name not in _EXACT:
            code = call(self.helpers.use(f"kc_round_{short}"), code.text)
        return Code(code.text, code.binds, reads)

    def constant(self, op: arith.ConstantOp) -> Code:
        value = op.value
        kind = op.result.type
        if isinstance(value, DenseIntOrFPElementsAttr) or self.language.register_type(kind) is None:
            raise self.no_type(op, f"a constant of {kind}")
        if isinstance(value, IntegerAttr):
            return integer(value.value.data, kind)
        assert isinstance(value, FloatAttr)
        if self.type_name(kind).startswith("int"):  # the type is that of its bits
            return integer(float_bits(value.value.data, kind), IntegerType(float_width(kind)))
        return self.floating(value.value.data, kind)

    def no_type(self, op: Operation, what: str) -> CodegenError:
        """The refusal (KC4401) of an operation on a type that the language does not have."""
        return CodegenError(
            "KC4401",
            f"{self.language.name}: {self.language.title} has no type for {what}",
            location=location_of(op),
            why=self.language.types,
        )

    def type_name(self, kind: Attribute) -> str:
        """The type of a value in a register, which must exist."""
        name = self.language.register_type(kind)
        assert name is not None
        return name

    def floating(self, value: float, kind: Attribute) -> Code:
        """A floating-point constant of type ``kind``, exactly."""
        if math.isfinite(value):
            return _finite(value, kind)
        self.helpers.include("math.h")
        if math.isnan(value):
            return Code(self.language.special("NAN", kind))
        text = self.language.special("INFINITY", kind)
        return Code(text) if value > 0 else Code(f"-{text}", UNARY)

    def math_function(self, name: str, kind: Attribute, *operands: Code) -> Code:
        """A call of a function of math.h for ``kind``."""
        self.helpers.include("math.h")
        name = self.language.math_function(self.language.functions.get(name, name), kind)
        return call(name, *(operand.text for operand in operands))

    def question(self, name: str, kind: Attribute, *operands: Code) -> Code:
        """A call of a classification macro of math.h for numbers of type ``kind``."""
        self.helpers.include("math.h")
        name = self.language.question(name, kind)
        if name in self.language.helpers:
            self.helpers.use(name)
        return call(name, *(operand.text for operand in operands))


def integer(value: int, kind: Attribute) -> Code:
    """An integer constant of type ``kind``."""
    width = bits(kind)
    if width == 1:
        return Code("true" if value & 1 else "false")
    value = (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))
    if width == 64 and not isinstance(kind, IndexType) or abs(value) >= 1 << 31:
        if value == -(1 << 63):
            return Code("INT64_MIN")
        text = f"INT64_C({abs(value)})"
    else:
        text = str(abs(value))
    return Code(f"-{text}", UNARY) if value < 0 else Code(text)


def _finite(value: float, kind: Attribute) -> Code:
    if isinstance(kind, Float64Type):
        text = repr(abs(value))
    else:
        import numpy as np

        text = str(np.float32(abs(value)))
    if not any(mark in text for mark in ".en"):
        text += ".0"
    if not isinstance(kind, Float64Type):
        text += "f"
    negative = math.copysign(1.0, value) < 0
    return Code(f"-{text}", UNARY) if negative else Code(text)


def float_width(kind: Attribute) -> int:
    """The bits of a narrow float."""
    return NARROW_FLOATS[float_dtype(kind) or ""].bits


def float_bits(value: float, kind: Attribute) -> int:
    """The bits of a narrow float, as a signed integer."""
    form = NARROW_FLOATS[float_dtype(kind) or ""]
    code = form.encode(value)
    return code - (code & form.sign) * 2


Make = Callable[[Expressions, Operation, list[Code]], Code]


def _operand_type(op: Operation) -> Attribute:
    return op.operands[0].type


def _cast(text: Code, to: str) -> Code:
    return Code(f"({to}){text.within(UNARY)}", UNARY)


def _wrapping(sign: str, binds: int) -> Make:
    """A sum, difference or product: unsigned where C's signed one could overflow."""

    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        kind = op.results[0].type
        left, right = operands
        plain = Code(f"{left.within(binds)} {sign} {right.within(binds + 1)}", binds)
        width = bits(kind)
        if isinstance(kind, IndexType):
            return plain
        if width == 1:
            return Code(f"{left.within(EQUAL + 1)} != {right.within(EQUAL + 1)}", EQUAL)
        if width < 32:
            return _cast(plain, f"int{width}_t")
        unsigned = f"uint{width}_t"
        left, right = (_cast(operand, unsigned) for operand in (left, right))
        return _cast(
            Code(f"{left.within(binds)} {sign} {right.within(binds + 1)}", binds),
            f"int{width}_t",
        )

    return make


def _bit_product(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    if bits(op.results[0].type) == 1:
        return _bitwise("&", AND)(expressions, op, operands)
    return _wrapping("*", TIMES)(expressions, op, operands)


def _plain(sign: str, binds: int) -> Make:
    """A C operator on the operands as they are."""

    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        left, right = operands
        return Code(f"{left.within(binds)} {sign} {right.within(binds + 1)}", binds)

    return make


def _bitwise(sign: str, binds: int) -> Make:
    """A bit operator; its operands are in parentheses, as compilers ask for."""

    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        left, right = (operand.within(UNARY) for operand in operands)
        kind = op.results[0].type
        code = Code(f"{left} {sign} {right}", binds)
        return _cast(code, f"int{bits(kind)}_t") if 1 < bits(kind) < 32 else code

    return make


def _divide(sign: str, *, signed: bool) -> Make:
    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        kind = op.results[0].type
        left, right = operands
        width = bits(kind)
        if not signed:
            left, right = (_cast(operand, f"uint{width}_t") for operand in (left, right))
        quotient = Code(f"{left.within(TIMES)} {sign} {right.within(UNARY)}", TIMES)
        plain = signed and (isinstance(kind, IndexType) or width >= 32)
        return quotient if plain else _cast(quotient, f"int{width}_t")

    return make


def _rounded_division(which: str) -> Make:
    """Quotients rounded down or up, by a helper."""

    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        name = expressions.helpers.use(f"kc_{which}")
        quotient = call(name, *(operand.text for operand in operands))
        width = bits(op.results[0].type)
        return quotient if width == 64 else _cast(quotient, f"int{width}_t")

    return make


def _ceil_unsigned(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    width = bits(op.results[0].type)
    name = expressions.helpers.use("kc_ceildivu")
    quotient = call(name, *(_cast(operand, f"uint{width}_t").text for operand in operands))
    return _cast(quotient, f"int{width}_t")


def _shift(sign: str, *, signed: bool) -> Make:
    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        width = bits(op.results[0].type)
        left, right = operands
        if not signed:
            left = _cast(left, f"uint{width}_t")
        code = Code(f"{left.within(UNARY)} {sign} {right.within(UNARY)}", SHIFT)
        return _cast(code, f"int{width}_t")

    return make


def _choose(sign: str, *, signed: bool = True) -> Make:
    """The smaller or larger of two integers."""

    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        width = bits(op.results[0].type)
        if width == 1:  # a true i1 is -1 as a signed number
            both = (sign == "<") != signed
            return _bitwise("&", AND)(expressions, op, operands) if both else _either(operands)
        prefix = "min" if sign == "<" else "max"
        name = expressions.helpers.use(f"kc_{prefix}{'' if signed else 'u'}")
        parts = operands if signed else [_cast(operand, f"uint{width}_t") for operand in operands]
        code = call(name, *(part.text for part in parts))
        return code if width == 64 and signed else _cast(code, f"int{width}_t")

    return make


def _either(operands: list[Code]) -> Code:
    left, right = (operand.within(UNARY) for operand in operands)
    return Code(f"{left} | {right}", OR)


_COMPARE = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")


def _compare(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    assert isinstance(op, arith.CmpiOp)
    predicate = op.predicate.value.data
    width = bits(_operand_type(op))
    if predicate >= 6 and width > 1:
        operands = [_cast(operand, f"uint{width}_t") for operand in operands]
    sign = _COMPARE[predicate]
    if width == 1 and 2 <= predicate < 6:
        operands.reverse()  # true is -1
    left, right = (operand.within(PLUS) for operand in operands)
    if left == right:  # compilers warn of it
        return Code("true" if "=" in sign and sign != "!=" else "false")
    return Code(f"{left} {sign} {right}", EQUAL if predicate < 2 else LESS)


def is_decided(op: Operation) -> bool:
    """True if the result of a comparison is constant, so that its operands are not in the code."""
    if isinstance(op, arith.CmpiOp):
        return op.lhs is op.rhs
    return isinstance(op, arith.CmpfOp) and op.predicate.value.data in (0, 15)


_FLOAT_COMPARE = ("==", ">", ">=", "<", "<=", "!=")


def _compare_floats(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    assert isinstance(op, arith.CmpfOp)
    predicate = op.predicate.value.data
    if predicate in (0, 15):
        return Code("true" if predicate else "false")
    if predicate in (7, 14):
        either = expressions.question("isunordered", _operand_type(op), *operands).text
        return Code(f"!{either}", UNARY) if predicate == 7 else Code(either)
    if predicate in (6, 8):  # ordered and different, unordered or equal
        either = expressions.question("islessgreater", _operand_type(op), *operands).text
        return Code(f"!{either}", UNARY) if predicate == 8 else Code(either)
    left, right = (operand.within(PLUS) for operand in operands)
    if predicate < 6:
        sign = _FLOAT_COMPARE[predicate - 1]
        return Code(f"{left} {sign} {right}", EQUAL if sign == "==" else LESS)
    if predicate == 13:
        return Code(f"{left} != {right}", EQUAL)
    sign = {9: "<=", 10: "<", 11: ">=", 12: ">"}[predicate]
    return Code(f"!({left} {sign} {right})", UNARY)


def _select(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    test, yes, no = operands
    return Code(f"{test.within(LESS)} ? {yes.within(OR)} : {no.within(OR)}", TERNARY)


def _convert(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    """A conversion for which C's cast is correct: the value is kept, or truncated to the width."""
    target = expressions.type_name(op.results[0].type)
    (value,) = operands
    if isinstance(op.results[0].type, IntegerType) and bits(op.results[0].type) == 1:
        return Code(f"({value.within(UNARY)} & 1) != 0", EQUAL)
    if bits(_operand_type(op)) == 1 and op.name in ("arith.extsi", "arith.sitofp"):
        value = Code(f"-{value.within(UNARY)}", UNARY)
    return _cast(value, target)


def _from_unsigned(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    target = expressions.type_name(op.results[0].type)
    width = bits(_operand_type(op))
    value = operands[0] if width == 1 else _cast(operands[0], f"uint{width}_t")
    return _cast(value, target)


def _to_unsigned(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    width = bits(op.results[0].type)
    if width == 1:
        return Code(f"{operands[0].within(PLUS)} >= 1", LESS)
    return _cast(_cast(operands[0], f"uint{width}_t"), f"int{width}_t")


def _float_cast(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    helper = expressions.language.conversion(_operand_type(op), op.results[0].type)
    if helper is not None:
        return call(expressions.helpers.use(helper), operands[0].text)
    target = expressions.type_name(op.results[0].type)
    if target == expressions.type_name(_operand_type(op)):
        return operands[0]
    # A short float is rounded once, directly from the source.
    short = expressions.language.short_float(op.results[0].type)
    if short is not None and isinstance(_operand_type(op), Float64Type):
        return call(expressions.helpers.use(f"kc_round_{short}"), operands[0].text)
    return _cast(operands[0], target)


def _bitcast(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    source, target = _operand_type(op), op.results[0].type
    language = expressions.language
    names = [language.short_float(kind) or expressions.type_name(kind) for kind in (source, target)]
    if names[0] == names[1]:
        return operands[0]
    names = [name.removesuffix("_t") for name in names]
    if language.short_float(source) and language.short_float(target):
        names.insert(1, "int16")  # both are computed as float
    bits_of = operands[0]
    for kind_before, target_kind in itertools.pairwise(names):
        bits_of = call(expressions.helpers.use(f"kc_{target_kind}_of_{kind_before}"), bits_of.text)
    return bits_of


def _negate(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    return Code(f"-{operands[0].within(PRIMARY)}", UNARY)


def _extremum(which: str) -> Make:
    """minimumf and maximumf: a NaN wins, and -0 is less than 0."""

    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        suffix = "" if isinstance(op.results[0].type, Float64Type) else "f"
        return call(
            expressions.helpers.use(f"kc_{which}{suffix}"), *(operand.text for operand in operands)
        )

    return make


def _function(name: str) -> Make:
    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        return expressions.math_function(name, op.results[0].type, *operands)

    return make


def _classify(name: str) -> Make:
    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        return Code(f"{expressions.question(name, _operand_type(op), *operands).text} != 0", EQUAL)

    return make


def _reciprocal_root(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    kind = op.results[0].type
    root = expressions.math_function("sqrt", kind, *operands)
    return Code(f"{'1.0' if isinstance(kind, Float64Type) else '1.0f'} / {root.text}", TIMES)


def _absolute(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
    width = bits(op.results[0].type)
    code = call(expressions.helpers.use("kc_absolute"), operands[0].text)
    return code if width == 64 else _cast(code, f"int{width}_t")


def _count(which: str) -> Make:
    """Population count, leading and trailing zeros, by a helper on 64 bits."""

    def make(expressions: Expressions, op: Operation, operands: list[Code]) -> Code:
        width = bits(op.results[0].type)
        value = _cast(operands[0], f"uint{width}_t").text
        name = expressions.helpers.use(f"kc_{which}")
        code = call(name, value) if which == "popcount" else call(name, value, str(width))
        return _cast(code, f"int{width}_t")

    return make


_TABLE: dict[str, Make] = {
    "arith.addi": _wrapping("+", PLUS),
    "arith.subi": _wrapping("-", PLUS),
    "arith.muli": _bit_product,
    "arith.divsi": _divide("/", signed=True),
    "arith.divui": _divide("/", signed=False),
    "arith.remsi": _divide("%", signed=True),
    "arith.remui": _divide("%", signed=False),
    "arith.floordivsi": _rounded_division("floordiv"),
    "arith.ceildivsi": _rounded_division("ceildiv"),
    "arith.ceildivui": _ceil_unsigned,
    "arith.andi": _bitwise("&", AND),
    "arith.ori": _bitwise("|", OR),
    "arith.xori": _bitwise("^", XOR),
    "arith.shli": _shift("<<", signed=False),
    "arith.shrsi": _shift(">>", signed=True),
    "arith.shrui": _shift(">>", signed=False),
    "arith.minsi": _choose("<"),
    "arith.maxsi": _choose(">"),
    "arith.minui": _choose("<", signed=False),
    "arith.maxui": _choose(">", signed=False),
    "arith.cmpi": _compare,
    "arith.cmpf": _compare_floats,
    "arith.select": _select,
    "arith.extsi": _convert,
    "arith.extui": _from_unsigned,
    "arith.trunci": _convert,
    "arith.index_cast": _convert,
    "arith.index_castui": _from_unsigned,
    "arith.sitofp": _convert,
    "arith.uitofp": _from_unsigned,
    "arith.fptosi": _convert,
    "arith.fptoui": _to_unsigned,
    "arith.extf": _float_cast,
    "arith.truncf": _float_cast,
    "arith.bitcast": _bitcast,
    "arith.addf": _plain("+", PLUS),
    "arith.subf": _plain("-", PLUS),
    "arith.mulf": _plain("*", TIMES),
    "arith.divf": _plain("/", TIMES),
    "arith.remf": _function("fmod"),
    "arith.negf": _negate,
    "arith.minimumf": _extremum("minimum"),
    "arith.maximumf": _extremum("maximum"),
    "arith.minnumf": _function("fmin"),
    "arith.maxnumf": _function("fmax"),
    "math.absf": _function("fabs"),
    "math.absi": _absolute,
    "math.ceil": _function("ceil"),
    "math.floor": _function("floor"),
    "math.round": _function("round"),
    "math.roundeven": _function("nearbyint"),
    "math.trunc": _function("trunc"),
    "math.rsqrt": _reciprocal_root,
    "math.powf": _function("pow"),
    "math.fma": _function("fma"),
    "math.isnan": _classify("isnan"),
    "math.isinf": _classify("isinf"),
    "math.isfinite": _classify("isfinite"),
    "math.isnormal": _classify("isnormal"),
    "math.ctpop": _count("popcount"),
    "math.ctlz": _count("clz"),
    "math.cttz": _count("ctz"),
}
_TABLE |= {
    f"math.{name}": _function(name)
    for name in (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos",
        "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
        "erf", "erfc", "copysign",
    )
}  # fmt: skip

_EXACT = {
    "arith.select", "arith.negf", "arith.minimumf", "arith.maximumf", "arith.minnumf",
    "arith.maxnumf", "arith.extf", "arith.bitcast", "math.absf", "math.copysign", "math.ceil",
    "math.floor", "math.round", "math.roundeven", "math.trunc",
}  # fmt: skip
"""Operations on short floats that are exact, so that their results need no rounding."""
