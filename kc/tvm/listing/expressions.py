"""Scalar and vector expressions in the form of TVM's printer: ``((x*32) + y)``.

Every binary expression is in parentheses, a load states its type, ``(float32*)A_2[...]``, and index
expressions are sums of products, as TVM's printer (``TIRTextPrinter``) and simplifier write them.
Indices have 64 bits in kc and are shown as TVM's ``int32``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.vector import BroadcastOp, ExtractOp, InsertOp, ShuffleOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSet,
)

from kc.analysis.affine.index_reader import AFFINE_OPS
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.tir import ApplyOp, DelinearizeOp, LinearizeOp
from kc.support.diagnostics import CodegenError
from kc.support.float_formats import NARROW_IR_FLOATS
from kc.support.locations import location_of


class Names:
    """A supply of unique names, by TVM's rule: ``k``, then ``k_1``, ``k_2``."""

    def __init__(self) -> None:
        self._last_number: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """``name``, with a numeric suffix if it is already taken."""
        name = name if name[:1].isalpha() else f"v{name}"
        chosen = name
        if name in self._last_number:
            while chosen in self._last_number:
                self._last_number[name] += 1
                chosen = f"{name}_{self._last_number[name]}"
        self._last_number[chosen] = 0
        return chosen


@dataclass(frozen=True)
class Text:
    """The text of an expression, and two flags: it reads memory; it is short enough to repeat."""

    text: str
    reads: bool = False
    simple: bool = True


def dtype_text(kind: Attribute) -> str:
    """TVM's name of a type: ``float32``, ``int8x4``."""
    if isinstance(kind, VectorType):
        lanes = math.prod(kind.get_shape())
        return f"{dtype_text(kind.element_type)}x{lanes}"
    if isinstance(kind, IndexType):
        return "int32"
    if isinstance(kind, IntegerType):
        return "bool" if kind.width.data == 1 else f"int{kind.width.data}"
    narrow = NARROW_IR_FLOATS.get(str(kind))
    return narrow.name if narrow is not None else str(kind).replace("f", "float", 1)


class Expressions:
    """The texts of a function's values; ``access`` returns the text of an element access."""

    def __init__(self, access: Callable[[Operation], str]) -> None:
        self.access = access
        self.index = IndexValues()
        self.texts: dict[SSAValue, Text] = {}

    # Values ------------------------------------------------------------------------------

    def text(self, value: SSAValue) -> str:
        """The expression of ``value``."""
        return self.expression(value).text

    def expression(self, value: SSAValue) -> Text:
        """The text of ``value``, which is computed at the first request."""
        if value not in self.texts:
            self.texts[value] = self._text_of(value)
        return self.texts[value]

    def _text_of(self, value: SSAValue) -> Text:
        owner = value.owner
        assert isinstance(owner, Operation)
        assert isinstance(value, OpResult)
        if isinstance(value.type, IndexType) and isinstance(owner, AFFINE_OPS):
            expr = self.index.expr(value)
            if not isinstance(expr, AffineDimExpr) or self.index.roots[expr.position] != value:
                return Text(self.affine(expr))
        if isinstance(owner, ApplyOp):
            exprs = [self.index.compose(expr, owner.operands) for expr in owner.map.data.results]
            return Text(
                owner.combined(
                    [self.affine(expr) for expr in exprs],
                    lambda kind, lhs, rhs: f"{kind}({lhs}, {rhs})",
                )
            )
        if isinstance(owner, scf.IfOp):
            return self._lazy(owner, value.index)
        if isinstance(owner, DelinearizeOp):
            return self._part(owner, value.index)
        if owner.name in ("te.read", "tir.load"):
            return Text(self.access(owner), reads=True)
        if not (owner.name in _SUPPORTED or owner.name.startswith("math.")):
            raise unprintable(owner)
        operands = [self.expression(operand) for operand in owner.operands]
        text = self._operation(owner, [operand.text for operand in operands])
        constant = isinstance(owner, arith.ConstantOp | BroadcastOp)
        return Text(text, any(operand.reads for operand in operands), simple=constant)

    def _operation(self, op: Operation, operands: list[str]) -> str:
        kind = op.results[0].type
        binary = _BINARY.get(op.name)
        if binary is not None:
            return f"({operands[0]}{binary}{operands[1]})"
        if op.name in _FUNCTIONS:
            return f"{_FUNCTIONS[op.name]}({', '.join(operands)})"
        if op.name in _CASTS:
            to, source = dtype_text(kind), dtype_text(op.operands[0].type)
            if op.name in ("arith.extui", "arith.fptoui"):
                to = f"u{to}" if to.startswith("int") else to
            return operands[0] if to == source else f"cast({to}, {operands[0]})"
        make = _MAKERS.get(op.name)
        if make is not None:
            return make(self, op, operands)
        name = _CALLS.get(op.name) or op.name.removeprefix("math.")
        return f"@tir.{name}({', '.join(operands)}, dtype={dtype_text(kind)})"

    def _lazy(self, op: scf.IfOp, position: int) -> Text:
        """A conditional expression that evaluates only the chosen value."""
        parts = [self.expression(op.cond)]
        for region in (op.true_region, op.false_region):
            end = region.block.last_op
            assert end is not None
            parts.append(self.expression(end.operands[position]))
        dtype = dtype_text(op.results[position].type)
        inside = ", ".join(part.text for part in parts)
        text = f"@tir.if_then_else({inside}, dtype={dtype})"
        return Text(text, any(part.reads for part in parts), simple=False)

    def _part(self, op: DelinearizeOp, position: int) -> Text:
        text = self.text(op.index)
        later = [self.text(size) for size in op.sizes[position + 1 :]]
        if later:
            text = f"floordiv({text}, {product(later)})"
        if position:
            text = f"floormod({text}, {self.text(op.sizes[position])})"
        return Text(text)

    # Indices -----------------------------------------------------------------------------

    def affine(self, expr: AffineExpr) -> str:
        """An expression over the roots of :attr:`index`."""
        terms, constant = linear_terms(expr)
        text = ""
        for atom, factor in terms.items():
            word = self._atom(atom)
            scaled = word if abs(factor) == 1 else f"({word}*{abs(factor)})"
            if not text:
                text = scaled if factor > 0 else f"({word}*{factor})"
            else:
                text = f"({text} {'+' if factor > 0 else '-'} {scaled})"
        if not text:
            return str(constant)
        if constant:
            text = f"({text} {'+' if constant > 0 else '-'} {abs(constant)})"
        return text

    def _atom(self, expr: AffineExpr) -> str:
        if isinstance(expr, AffineDimExpr):
            root = self.index.roots[expr.position]
            assert root is not None
            return self.text(root)
        assert isinstance(expr, AffineBinaryOpExpr)
        left, right = self.affine(expr.lhs), self.affine(expr.rhs)
        if expr.kind is AffineBinaryOpKind.CeilDiv:
            return f"floordiv(({left} + ({right} - 1)), {right})"
        if expr.kind is AffineBinaryOpKind.Mul:
            return f"({left}*{right})"
        word = "floordiv" if expr.kind is AffineBinaryOpKind.FloorDiv else "floormod"
        return f"{word}({left}, {right})"

    def exprs(self, exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]) -> list[AffineExpr]:
        """``exprs`` over ``operands`` as expressions over the roots."""
        return [self.index.compose(expr, operands) for expr in exprs]

    def condition(self, set_: AffineSet, operands: Sequence[SSAValue]) -> str:
        """A conjunction, ``((i < n) && (j < 4))``."""
        texts: list[str] = []
        dims = [self.index.expr(operand) for operand in operands]
        for constraint in set_.constraints:
            expr = self.index.simplify(
                (constraint.lhs - constraint.rhs).replace_dims_and_symbols(
                    dims, ()
                )  # all are >= 0 or == 0
            )
            texts.append(self._constraint(AffineConstraintExpr(constraint.kind, expr, ZERO)))
        text = texts[0] if texts else "True"
        for conjunct in texts[1:]:
            text = f"({text} && {conjunct})"
        return text

    def _constraint(self, constraint: AffineConstraintExpr) -> str:
        """A comparison, with the smaller side on the left of ``<``."""
        sign = -1 if constraint.kind is AffineConstraintKind.le else 1
        terms, constant = linear_terms(constraint.lhs * sign)
        truth = self._truth(terms) if constant == -1 else None
        if truth is not None:
            return truth
        small = {atom: -factor for atom, factor in terms.items() if factor < 0}
        large = {atom: factor for atom, factor in terms.items() if factor > 0}
        if constraint.kind is AffineConstraintKind.eq:
            left, right = from_terms(large, 0), from_terms(small, -constant)
            return f"({self.affine(left)} == {self.affine(right)})"
        if not small:
            return f"({-constant} <= {self.affine(from_terms(large, 0))})"
        right = from_terms(large, constant + 1)
        return f"({self.affine(from_terms(small, 0))} < {self.affine(right)})"

    def _truth(self, terms: Mapping[AffineExpr, int]) -> str | None:
        """The condition whose cast is an index that must equal 1. None for any other index."""
        ((atom, factor),) = terms.items() if len(terms) == 1 else ((None, 0),)
        if not isinstance(atom, AffineDimExpr) or factor != 1:
            return None
        value = self.index.roots[atom.position]
        while value is not None and isinstance(value.owner, arith.IndexCastOp | arith.ExtUIOp):
            value = value.owner.operands[0]
            if value.type == IntegerType(1):
                return self.text(value)
        return None

    # Operations --------------------------------------------------------------------------

    def _constant(self, op: Operation, operands: list[str]) -> str:
        assert isinstance(op, arith.ConstantOp)
        value, kind = op.value, op.result.type
        if not isinstance(value, DenseIntOrFPElementsAttr):
            assert isinstance(value, IntegerAttr | FloatAttr)
            return number_text(value.value.data, kind)
        assert isinstance(kind, VectorType)
        values: list[Any] = list(value.get_values())
        lanes = math.prod(kind.get_shape())
        if len(set(map(repr, values))) == 1:
            return f"broadcast({number_text(values[0], kind.element_type)}, {lanes})"
        first, step = values[0], values[1] - values[0]
        if all(value == first + n * step for n, value in enumerate(values)):
            parts = [number_text(number, kind.element_type) for number in (first, step)]
            return f"ramp({', '.join(parts)}, {lanes})"
        return _shuffle([number_text(value, kind.element_type) for value in values])

    def _broadcast(self, op: Operation, operands: list[str]) -> str:
        kind = op.results[0].type
        assert isinstance(kind, VectorType)
        return f"broadcast({operands[0]}, {math.prod(kind.get_shape())})"

    def _extract(self, op: Operation, operands: list[str]) -> str:
        assert isinstance(op, ExtractOp)
        # The position is a number, or a value.
        position = operands[1] if len(operands) > 1 else op.static_position.get_values()[0]
        return f"shuffle([{operands[0]}], [{position}])"

    def _chosen_lanes(self, op: Operation, operands: list[str]) -> str:
        assert isinstance(op, ShuffleOp)
        lanes = ", ".join(map(str, op.mask.get_values()))
        vectors = operands[:1] if op.v1 is op.v2 and _is_of_one(op) else operands
        return f"shuffle([{', '.join(vectors)}], [{lanes}])"

    def _insert(self, op: Operation, operands: list[str]) -> str:
        """The vector of a chain of single-lane insertions."""
        lanes: dict[int, str] = {}
        at: Operation = op
        while isinstance(at, InsertOp):
            last = at.dest
            if at.dynamic_position or not isinstance(last.owner, Operation):
                raise unprintable(op)
            lanes.setdefault(int(at.static_position.get_values()[0]), self.text(at.source))
            at = last.owner
        kind = op.results[0].type
        assert isinstance(kind, VectorType)
        count = math.prod(kind.get_shape())
        rest = self.text(at.results[0])
        return _shuffle([lanes.get(n) or f"shuffle([{rest}], [{n}])" for n in range(count)])

    def _compare(self, op: Operation, operands: list[str]) -> str:
        assert isinstance(op, arith.CmpiOp)
        return f"({operands[0]} {_COMPARE[op.predicate.value.data]} {operands[1]})"

    def _compare_floats(self, op: Operation, operands: list[str]) -> str:
        assert isinstance(op, arith.CmpfOp)
        a, b = operands
        predicate = op.predicate.value.data
        if predicate in (0, 15):
            return "True" if predicate else "False"
        if predicate in (7, 14):
            either = f"(@tir.isnan({a}, dtype=bool) || @tir.isnan({b}, dtype=bool))"
            return f"!{either}" if predicate == 7 else either
        if predicate in (1, 2, 3, 4, 5, 13):
            return f"({a} {_FLOAT_COMPARE[predicate]} {b})"
        if predicate == 6:
            return f"(({a} < {b}) || ({b} < {a}))"
        return f"!({a} {_FLOAT_NOT[predicate]} {b})"

    def _negate(self, op: Operation, operands: list[str]) -> str:
        return f"({operands[0]}*-1{dtype_suffix(op.results[0].type)})"

    def _linear(self, op: Operation, operands: list[str]) -> str:
        assert isinstance(op, LinearizeOp)
        text = self.text(op.indices[0])
        for index, size in zip(op.indices[1:], op.sizes[1:], strict=True):
            text = f"(({text}*{self.text(size)}) + {self.text(index)})"
        return text


ZERO = AffineExpr.constant(0)


def product(texts: Sequence[str]) -> str:
    """``(n*m)``."""
    factors = [factor for factor in texts if factor != "1"] or ["1"]
    text = factors[0]
    for factor in factors[1:]:
        text = f"({text}*{factor})"
    return text


def dtype_suffix(kind: Attribute) -> str:
    """The suffix of a number of the type: ``f32``, ``i64``, nothing for ``int32``."""
    short = dtype_text(kind.element_type if isinstance(kind, VectorType) else kind)
    if short == "int32":
        return ""
    return short.replace("float", "f").replace("int", "i").replace("bool", "")


def number_text(value: int | float, kind: Attribute) -> str:
    """A number in TVM's notation: ``0f32``, ``-1``, ``7i64``, ``True``."""
    if isinstance(kind, IntegerType) and kind.width.data == 1:
        return "True" if value else "False"
    if isinstance(value, float):
        shown = f"{value:.7g}" if float(f"{value:.7g}") == value else repr(value)
    else:
        shown = str(value)
    return f"{shown}{dtype_suffix(kind)}"


def _is_of_one(op: ShuffleOp) -> bool:
    """True if the shuffle reads all lanes from its first vector."""
    kind = op.v1.type
    assert isinstance(kind, VectorType)
    (count,) = kind.get_shape()
    return all(lane < count for lane in op.mask.get_values())


def _shuffle(lanes: Sequence[str]) -> str:
    return f"shuffle([{', '.join(lanes)}], [{', '.join(map(str, range(len(lanes))))}])"


def unprintable(op: Operation) -> CodegenError:
    """The diagnostic for an operation without a form in TVM's text (KC4330)."""
    return CodegenError(
        "KC4330",
        f"script: {op.name} has no form in TVM's text",
        location=location_of(op),
        why="the text can show loops, stores and scalar expressions of tensor programs (te and "
        "tir)",
        hints=['mod.script() prints the IR of every stage, kc.build(...).get_source("tir") loops'],
    )


_BINARY = {
    "arith.addf": " + ", "arith.addi": " + ", "arith.subf": " - ", "arith.subi": " - ",
    "arith.mulf": "*", "arith.muli": "*", "arith.divf": " / ", "arith.divsi": " / ",
    "arith.remsi": " % ",
}  # fmt: skip
_FUNCTIONS = {
    "arith.minsi": "min", "arith.maxsi": "max", "arith.minui": "min", "arith.maxui": "max",
    "arith.minimumf": "min", "arith.maximumf": "max", "arith.minnumf": "min",
    "arith.maxnumf": "max", "arith.floordivsi": "floordiv", "arith.divui": "floordiv",
    "arith.remui": "floormod", "arith.select": "select",
}  # fmt: skip
_CASTS = frozenset(
    f"arith.{name}" for name in
    "extf truncf sitofp uitofp fptosi fptoui extsi extui trunci index_cast index_castui".split()
)  # fmt: skip
_CALLS = {
    "arith.remf": "fmod", "arith.shli": "shift_left", "arith.shrsi": "shift_right",
    "arith.shrui": "shift_right", "arith.bitcast": "reinterpret", "vector.bitcast": "reinterpret",
    "arith.ceildivsi": "ceildiv",
    "arith.ceildivui": "ceildiv", "math.absf": "fabs", "math.absi": "abs", "math.powf": "pow",
    "math.roundeven": "round", "math.ctpop": "popcount", "math.ctlz": "clz",
    "math.cttz": "ctz",
}  # fmt: skip
_COMPARE = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FLOAT_COMPARE = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}
# Unordered comparisons are not the negation of ordered ones.
_FLOAT_NOT = {8: "!=", 9: "<=", 10: "<", 11: ">=", 12: ">"}


def _logic(bits: str, sign: str) -> Callable[[Expressions, Operation, list[str]], str]:
    def make(code: Expressions, op: Operation, operands: list[str]) -> str:
        dtype = dtype_text(op.results[0].type)
        if dtype.startswith("bool"):
            return f"({operands[0]} {sign} {operands[1]})"
        return f"@tir.{bits}({operands[0]}, {operands[1]}, dtype={dtype})"

    return make


_MAKERS: dict[str, Callable[[Expressions, Operation, list[str]], str]] = {
    "arith.constant": Expressions._constant,
    "arith.negf": Expressions._negate,
    "arith.cmpi": Expressions._compare,
    "arith.cmpf": Expressions._compare_floats,
    "arith.andi": _logic("bitwise_and", "&&"),
    "arith.ori": _logic("bitwise_or", "||"),
    "arith.xori": _logic("bitwise_xor", "!="),
    "vector.broadcast": Expressions._broadcast,
    "vector.extract": Expressions._extract,
    "vector.insert": Expressions._insert,
    "vector.shuffle": Expressions._chosen_lanes,
    "tir.linearize": Expressions._linear,
}
_SUPPORTED = {*_BINARY, *_FUNCTIONS, *_CASTS, *_CALLS, *_MAKERS}
