"""The scalar operations of one region of a ``te.compute``, from an expression."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterable, Mapping, MutableMapping, Sequence, Set
from typing import Any

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    f32,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir import Operation as IROperation
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from kc.dialects import te, tir
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.arith import (
    EXACT,
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
    like,
)
from kc.dialects.direct_access import new_operation
from kc.expr.constructors import (
    Binary,
    Broadcast,
    Call,
    Cast,
    Compare,
    Const,
    Element,
    Expr,
    ExternCall,
    IfThenElse,
    IterVar,
    Ramp,
    SelectExpr,
    Shuffle,
    Var,
    VectorLoad,
    children,
)
from kc.expr.dtypes import INTS, UINTS, bits, is_bool, is_float, is_signed, lanes, scalar
from kc.expr.indices import affine, is_affine_step, keeps_value
from kc.expr.lazy_select import is_known_below, is_lazy
from kc.expr.raw_operations import raw_operation
from kc.expr.scalar_ops import (
    BINARY_INTRINSICS,
    FLOAT_OPS,
    INTRINSICS,
    SIGNED_OPS,
    UNSIGNED_OPS,
    call_op,
    constant_attr,
    element_type,
)
from kc.expr.tensor import Tensor
from kc.support.diagnostics import Location
from kc.support.locations import loc_attr
from kc.te.vector_code import cast_bits, load_rows, made_of_lanes

LARGEST_INDEX = 4096
"""The largest number of terms of an affine function; each use of a shared term counts."""


class _TooManyTerms(Exception):
    """An affine function has more than :data:`LARGEST_INDEX` terms."""


def _is_small(expr: Expr) -> bool:
    """True if an expression, written as a tree, has at most :data:`LARGEST_INDEX` parts."""
    waiting, count = [expr], 0
    while waiting and count <= LARGEST_INDEX:
        waiting += children(waiting.pop())
        count += 1
    return count <= LARGEST_INDEX


def _constraint(op: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineConstraintExpr:
    """``lhs op rhs`` in normal form."""
    if op == "eq":
        return AffineConstraintExpr(AffineConstraintKind.eq, lhs - rhs, ZERO)
    less = op in ("lt", "le")
    return at_least_zero((rhs - lhs if less else lhs - rhs) - int(op in ("lt", "gt")))


def _key_of(op: IROperation) -> Hashable:
    """A key that is equal for operations with equal results. None for an operation with effects.
    Parts are compared by ``id``, which is fast; the properties stay alive with the operations.
    """
    if op.attributes:
        return None
    properties: Iterable[Any] = op.properties.values()
    if op.name.startswith(("arith.", "math.")):
        properties = map(id, properties)
    elif op.name not in _PURE:
        return None
    return (type(op), *map(id, op.operands), *properties, id(op.results[0].type))


_PURE = frozenset((te.ReadOp.name, tir.ApplyOp.name))


_OF_INTEGERS = ("floordiv", "floormod", "truncdiv", "truncmod")
"""The quotients for which the IR has integer operations."""


def _is_composed(expr: Expr) -> bool:
    """True if :mod:`kc.expr.definitions` defines ``expr``."""
    if isinstance(expr, Binary):
        return expr.op in _OF_INTEGERS and is_float(expr.dtype)
    if isinstance(expr, Cast):
        to_integer = is_float(expr.value.dtype) and not is_float(expr.dtype)
        return to_integer and not is_bool(expr.dtype)
    return isinstance(expr, Call) and expr.op == "power" and not is_float(expr.dtype)


class Body:
    """The scalar ops of one region of a compute."""

    def __init__(
        self,
        block: Block,
        axes: dict[IterVar, SSAValue],
        values: Mapping[Any, SSAValue],
        rows: Set[Tensor],
    ) -> None:
        """``values`` are the IR values of tensors and sizes. ``rows`` are the tensors of which a
        step of a scan accesses only its own row.
        """
        self.block = block
        self.axes = axes
        self.values = values
        self.rows = rows
        self.memo: MutableMapping[Expr, SSAValue] = {}
        self.lazy: dict[Expr, bool] = {}
        self.meanings: dict[Expr, Expr] = {}
        """The definitions of expressions that the IR has no operation for."""
        self.computed: MutableMapping[Hashable, SSAValue] = {}
        """The results of operations without effects that have been added, by :func:`_key_of` the
        operation.
        """

    def add(self, op: IROperation, location: Location | None) -> SSAValue:
        """The result of ``op``, which is added unless an equal operation exists."""
        key = _key_of(op)
        if key is not None and key in self.computed:
            op.erase()
            return self.computed[key]
        op.location = loc_attr(location)
        self.block.add_op(op)
        if key is not None:
            self.computed[key] = op.results[0]
        return op.results[0]

    def value(self, expr: Expr) -> SSAValue:
        """The value of ``expr``; shared subexpressions are computed once. Not recursive, so that
        long chains of operators do not exhaust the stack."""
        stack = [expr]
        while stack:
            current = stack[-1]
            if current in self.memo:
                stack.pop()
                continue
            waiting = [part for part in self._needs(current) if part not in self.memo]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            self.memo[current] = self._emit(current)
            stack.pop()
        return self.memo[expr]

    def _needs(self, expr: Expr) -> Sequence[Expr]:
        if isinstance(expr, Compare) and self._index_sides(expr) is not None:
            return ()
        if _is_composed(expr):
            return (self._meaning(expr),)
        if isinstance(expr, Binary | Compare):
            return (expr.lhs, expr.rhs)
        if isinstance(expr, Call) and expr.op.startswith("ir_index."):
            return ()
        if isinstance(expr, Call | Shuffle):
            return expr.args
        if isinstance(expr, ExternCall):
            return children(expr)
        if isinstance(expr, Cast | Broadcast):
            return (expr.value,)
        if isinstance(expr, Ramp):
            return (expr.base, expr.stride)
        if isinstance(expr, SelectExpr | IfThenElse):
            return (expr.condition,) if self._is_lazy(expr) else children(expr)
        return ()

    def _meaning(self, expr: Expr) -> Expr:
        if expr not in self.meanings:
            from kc.expr.definitions import definition_of  # few programs need this import

            self.meanings[expr] = definition_of(expr)
        return self.meanings[expr]

    def _is_lazy(self, expr: SelectExpr | IfThenElse) -> bool:
        if expr not in self.lazy:
            self.lazy[expr] = is_lazy(expr)
        return self.lazy[expr]

    def _emit(self, expr: Expr) -> SSAValue:
        at = expr.location
        if isinstance(expr, Const):
            return self._constant(expr.value, expr.dtype, at)
        if isinstance(expr, Var) and is_float(expr.dtype):
            return self.values[expr]
        if isinstance(expr, Var | IterVar):
            return self._from_index(self._index_value(expr, at), expr.dtype, at)
        if isinstance(expr, Element):
            exprs, operands = self.access(expr)
            space = AffineMap(len(operands), 0, tuple(exprs))
            source = self.values[expr.tensor]
            read = tir.LoadOp if isinstance(source.type, MemRefType) else te.ReadOp
            return self.add(read(source, space, operands), at)
        if expr in self.meanings:
            return self.memo[self.meanings[expr]]
        if isinstance(expr, Binary):
            return self._binary(expr)
        if isinstance(expr, Compare):
            return self._compare(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, ExternCall):
            return self.effect(expr)[0]
        if isinstance(expr, Cast):
            return self._cast(self.memo[expr.value], expr.value.dtype, expr.dtype, at)
        if isinstance(expr, VectorLoad):
            return load_rows(self, expr, element_type(scalar(expr.dtype)))
        if isinstance(expr, Broadcast | Ramp):
            return self._lanes(expr)
        if isinstance(expr, Shuffle):
            vectors = [self.memo[vector] for vector in expr.args]
            return made_of_lanes(self, vectors, expr.lanes, at)
        assert isinstance(expr, SelectExpr | IfThenElse)
        if self._is_lazy(expr):
            then, otherwise = self._branch(expr.on_true), self._branch(expr.on_false)
            kind = element_type(expr.dtype)
            return self.add(scf.IfOp(self.memo[expr.condition], [kind], then, otherwise), at)
        condition, a, b = (self.memo[operand] for operand in self._needs(expr))
        return self.add(SelectOp(condition, a, b), at)

    def _lanes(self, expr: Broadcast | Ramp) -> SSAValue:
        """A vector from a scalar: the same scalar in every lane, or numbers at equal steps."""
        from xdsl.dialects import vector

        at, type_ = expr.location, element_type(expr.dtype)

        def splat(value: Expr) -> SSAValue:
            return self.add(vector.BroadcastOp(self.memo[value], type_), at)  # pyright: ignore

        if isinstance(expr, Broadcast):
            return splat(expr.value)
        count, base, stride = lanes(expr.dtype), expr.base, expr.stride
        if isinstance(base, Const) and isinstance(stride, Const):
            least = -(1 << bits(scalar(expr.dtype)) - 1)
            whole = [int(base.value) + n * int(stride.value) for n in range(count)]
            if all(least <= number < -least for number in whole):
                constants = DenseIntOrFPElementsAttr.from_list(type_, whole)  # pyright: ignore
                return self.add(arith.ConstantOp(constants), at)
        numbers = DenseIntOrFPElementsAttr.from_list(type_, list(range(count)))  # pyright: ignore
        steps = arith.MuliOp(self.add(arith.ConstantOp(numbers), at), splat(expr.stride))
        return self.add(arith.AddiOp(splat(expr.base), self.add(steps, at)), at)

    def _branch(self, expr: Expr) -> Region:
        """The region that computes ``expr``; it may use values computed before it."""
        inner = Body(Block(), self.axes, self.values, self.rows)
        inner.memo = ChainMap({}, self.memo)  # pyright: ignore[reportArgumentType]
        inner.lazy = self.lazy
        inner.meanings = self.meanings
        inner.computed = ChainMap({}, self.computed)  # pyright: ignore[reportArgumentType]
        end = scf.YieldOp(inner.value(expr))
        end.location = loc_attr(expr.location)
        inner.block.add_op(end)
        return Region(inner.block)

    # Indices -------------------------------------------------------------------------------

    def access(self, element: Element) -> tuple[list[AffineExpr], list[SSAValue]]:
        """The indices of an element, and their operands; non-affine parts are operands."""
        operands: list[SSAValue] = []
        # A step of a scan sees only its own row of the values that the step computes.
        row = element.tensor in self.rows
        exprs = [self.index_form(index, operands) for index in element.indices[row:]]
        used = sorted({n for index in exprs for n in index.used_dims()})
        if len(used) == len(operands):
            return exprs, operands
        final = [
            AffineExpr.dimension(used.index(n) if n in used else 0) for n in range(len(operands))
        ]
        exprs = [index.replace_dims_and_symbols(final, []) for index in exprs]
        return exprs, [operands[n] for n in used]

    def index_form(self, expr: Expr, operands: list[SSAValue]) -> AffineExpr:
        """``expr`` as an affine function of ``operands``. Appends to ``operands`` the results of
        new operations for two kinds of parts of ``expr``: the non-affine parts, and the parts that
        are shared so often that the tree has more than :data:`LARGEST_INDEX` terms, such as a sum
        that is doubled twenty times.
        """
        terms = 0

        def dim(value: SSAValue) -> AffineExpr:
            if value not in operands:
                operands.append(value)
            return AffineExpr.dimension(operands.index(value))

        def build(expr: Expr) -> AffineExpr:
            nonlocal terms
            terms += 1
            if terms > LARGEST_INDEX:
                raise _TooManyTerms
            if isinstance(expr, Const):
                return AffineExpr.constant(int(expr.value))
            if isinstance(expr, IterVar):
                return dim(self.axes[expr]) + expr.start
            if isinstance(expr, Var) and expr in self.values:
                return dim(self.values[expr])
            if isinstance(expr, Binary) and is_affine_step(expr):
                combined = affine(expr.op, build(expr.lhs), build(expr.rhs), expr)
                assert combined is not None
                return combined
            if isinstance(expr, Cast) and keeps_value(expr):
                return build(expr.value)
            value = self.value(expr)
            return dim(self._to_index(value, expr.dtype, expr.location))

        try:
            return build(expr)
        except _TooManyTerms:
            return dim(self._to_index(self.value(expr), expr.dtype, expr.location))

    def conditions(
        self, condition: Expr
    ) -> tuple[list[AffineConstraintExpr], list[SSAValue], list[Expr]]:
        """``condition`` as affine constraints over operands, and its non-affine conjuncts."""
        operands: list[SSAValue] = []
        constraints: list[AffineConstraintExpr] = []
        non_affine: list[Expr] = []
        stack = [condition]
        while stack:
            conjunct = stack.pop()
            if isinstance(conjunct, Binary) and conjunct.op == "and" and conjunct.dtype == "bool":
                stack += [conjunct.rhs, conjunct.lhs]
                continue
            parts = [self.affine_of(part, operands) for part in self._sides(conjunct)]
            if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
                assert isinstance(conjunct, Compare)
                constraints.append(_constraint(conjunct.op, parts[0], parts[1]))
            else:
                non_affine.append(conjunct)
        return constraints, operands, non_affine

    def _sides(self, expr: Expr) -> Sequence[Expr]:
        """The sides of a comparison that may become an affine constraint; empty for other
        conditions.
        """
        is_comparison = isinstance(expr, Compare) and expr.op != "ne" and expr.lhs.dtype in INTS
        return (expr.lhs, expr.rhs) if is_comparison else ()  # pyright: ignore

    def affine_of(self, expr: Expr, operands: list[SSAValue]) -> AffineExpr | None:
        """``expr`` as an affine function of axes and sizes, which are added to ``operands``."""
        return self._affine_part(expr, operands) if _is_small(expr) else None

    def _affine_part(self, expr: Expr, operands: list[SSAValue]) -> AffineExpr | None:
        if isinstance(expr, Const):
            return AffineExpr.constant(int(expr.value))
        if isinstance(expr, Cast) and keeps_value(expr):
            return self._affine_part(expr.value, operands)
        if isinstance(expr, IterVar | Var):
            values = self.axes if isinstance(expr, IterVar) else self.values
            value = values.get(expr)  # pyright: ignore[reportCallIssue, reportArgumentType]
            if value is None:
                return None  # an operand of a combiner
            if value not in operands:
                operands.append(value)
            start = expr.start if isinstance(expr, IterVar) else 0
            return AffineExpr.dimension(operands.index(value)) + start
        if isinstance(expr, Binary) and is_affine_step(expr):
            lhs, rhs = (self._affine_part(side, operands) for side in (expr.lhs, expr.rhs))
            if lhs is not None and rhs is not None:
                return affine(expr.op, lhs, rhs, expr)
        return None

    def _index_operand(
        self, expr: AffineExpr, operands: Sequence[SSAValue], at: Location | None
    ) -> SSAValue:
        """``expr`` over ``operands`` as a value of type index."""
        if isinstance(expr, AffineDimExpr):
            return operands[expr.position]
        if isinstance(expr, AffineConstantExpr):
            return self._constant(expr.value, "index", at)
        used = sorted(expr.used_dims())
        dims = [
            AffineExpr.dimension(used.index(n) if n in used else 0) for n in range(len(operands))
        ]
        local = expr.replace_dims_and_symbols(dims, [])
        return self.add(tir.ApplyOp(local, [operands[n] for n in used]), at)

    def index(self, expr: Any) -> SSAValue:
        """``expr``, an integer, as a value of type index."""
        operands: list[SSAValue] = []
        affine = self.affine_of(expr, operands)
        if affine is not None:
            return self.add(tir.ApplyOp(affine, operands), expr.location)
        return self._to_index(self.value(expr), expr.dtype, expr.location)

    def _index_value(self, expr: Var | IterVar, at: Location | None) -> SSAValue:
        if isinstance(expr, Var):
            return self.values[expr]
        if expr.start:
            apply = tir.ApplyOp(AffineExpr.dimension(0) + expr.start, [self.axes[expr]])
            return self.add(apply, at)
        return self.axes[expr]

    def _from_index(self, value: SSAValue, dtype: str, at: Location | None) -> SSAValue:
        return self.add(arith.IndexCastOp(value, element_type(dtype)), at)

    def _to_index(self, value: SSAValue, dtype: str, at: Location | None) -> SSAValue:
        if dtype in UINTS:
            value = self._cast(value, dtype, "uint64", at)
        return self.add(arith.IndexCastOp(value, tir.INDEX), at)

    # Operations ----------------------------------------------------------------------------

    def _constant(self, value: Any, dtype: str, at: Location | None) -> SSAValue:
        key = repr(value), dtype  # 0.0 and -0.0 are equal
        if key not in self.computed:
            is_index = dtype == "index"
            attr = IntegerAttr(value, tir.INDEX) if is_index else constant_attr(value, dtype)
            op = new_operation(arith.ConstantOp, (), [attr.type], {"value": attr})
            self.computed[key] = self.add(op, at)
        return self.computed[key]

    def _binary(self, expr: Binary) -> SSAValue:
        a, b = self.memo[expr.lhs], self.memo[expr.rhs]
        at, dtype = expr.location, expr.dtype
        if is_float(dtype):
            return self.add(FLOAT_OPS[expr.op](a, b), at)
        if expr.op in ("floordiv", "floormod", "truncdiv", "truncmod"):
            return self._divide(expr, a, b)
        table = SIGNED_OPS if is_signed(dtype) else UNSIGNED_OPS
        return self.add(table[expr.op](a, b), at)

    def _divide(self, expr: Binary, a: SSAValue, b: SSAValue) -> SSAValue:
        """Integer division as in numpy: division by zero gives 0, and the lowest value divided by
        -1 wraps. (The machine instruction would end the process.)
        """
        at, dtype = expr.location, expr.dtype
        safe = isinstance(expr.rhs, Const) and expr.rhs.value not in (0, -1)
        divisor, zero = b, None
        if not safe:
            zero = self.add(CmpiOp(b, self._constant(0, dtype, at), "eq"), at)
            bad = zero
            if is_signed(dtype):
                lowest = self._constant(-(1 << (bits(dtype) - 1)), dtype, at)
                minus = self.add(CmpiOp(b, self._constant(-1, dtype, at), "eq"), at)
                low = self.add(CmpiOp(a, lowest, "eq"), at)
                bad = self.add(arith.OrIOp(zero, self.add(arith.AndIOp(minus, low), at)), at)
            divisor = self.add(SelectOp(bad, self._constant(1, dtype, at), b), at)
        if not is_signed(dtype):
            op = arith.DivUIOp if expr.op.endswith("div") else arith.RemUIOp
            result = self.add(op(a, divisor), at)
        elif expr.op == "truncdiv":
            result = self.add(arith.DivSIOp(a, divisor), at)
        elif expr.op == "truncmod":
            result = self.add(arith.RemSIOp(a, divisor), at)
        else:
            result = self.add(arith.FloorDivSIOp(a, divisor), at)
            if expr.op == "floormod":
                product = self.add(arith.MuliOp(result, divisor), at)
                result = self.add(arith.SubiOp(a, product), at)
        if zero is not None:
            result = self.add(SelectOp(zero, self._constant(0, dtype, at), result), at)
        return result

    def _index_sides(self, expr: Compare) -> tuple[Sequence[AffineExpr], list[SSAValue]] | None:
        """The sides of a comparison of affine functions of axes and sizes, and their operands."""
        if expr.lhs.dtype not in INTS:
            return None
        operands: list[SSAValue] = []
        sides = [self.affine_of(side, operands) for side in (expr.lhs, expr.rhs)]
        affine_sides = [side for side in sides if side is not None]
        return (affine_sides, operands) if len(affine_sides) == 2 and operands else None

    def _compare(self, expr: Compare) -> SSAValue:
        affine = self._index_sides(expr)
        if affine is not None:
            # As indices, so that every analysis knows the facts in the condition.
            sides, operands = affine
            a, b = (self._index_operand(side, operands, expr.location) for side in sides)
            sign = "" if expr.op in ("eq", "ne") else "s"
            return self.add(CmpiOp(a, b, f"{sign}{expr.op}"), expr.location)
        a, b = self.memo[expr.lhs], self.memo[expr.rhs]
        dtype = expr.lhs.dtype
        if is_float(dtype):
            predicate = "une" if expr.op == "ne" else f"o{expr.op}"
            op = CmpfOp(a, b, predicate)
            if expr.exact:
                op.attributes[EXACT] = UnitAttr()
            return self.add(op, expr.location)
        if expr.op in ("eq", "ne"):
            return self.add(CmpiOp(a, b, expr.op), expr.location)
        sign = "s" if is_signed(dtype) else "u"
        return self.add(CmpiOp(a, b, f"{sign}{expr.op}"), expr.location)

    def _call(self, expr: Call) -> SSAValue:
        at = expr.location
        if expr.op == "ir.value":
            return self.memo[expr.args[0]]
        if expr.op.startswith("ir."):
            operands = [self.memo[arg] for arg in expr.args]
            return self.add(raw_operation(expr.op[3:], operands, element_type(expr.dtype), at), at)
        if expr.op.startswith("ir_index."):
            operands = [self.index(arg) for arg in expr.args]
            return self.add(raw_operation(expr.op[9:], operands, element_type(expr.dtype), at), at)
        if len(expr.args) == 2:
            a, b = (self.memo[arg] for arg in expr.args)
            if expr.op in ("shl", "shr"):
                return self._shift(expr, a, b)
            return self.add(BINARY_INTRINSICS[expr.op](a, b), at)
        x = self.memo[expr.args[0]]
        if expr.op == "iabs":
            return self.add(math.AbsIOp(x), at) if is_signed(expr.dtype) else x
        if expr.op == "neg":
            return self.add(arith.NegfOp(x), at)
        if expr.op == "sigmoid":
            return self._sigmoid(x, expr.dtype, at)
        if expr.op == "reinterpret":
            return cast_bits(self, x, element_type(expr.dtype), at)
        return self.add(INTRINSICS[expr.op](x), at)

    def _sigmoid(self, x: SSAValue, dtype: str, at: Location | None) -> SSAValue:
        """1 / (1 + exp(-x)), computed with exp(-abs(x)), which is at most 1 and cannot overflow."""
        unit, zero = self._constant(1.0, dtype, at), self._constant(0.0, dtype, at)
        power = self.add(math.ExpOp(self.add(arith.NegfOp(self.add(math.AbsFOp(x), at)), at)), at)
        below = self.add(CmpfOp(x, zero, "olt"), at)
        dividend = self.add(SelectOp(below, power, unit), at)
        return self.add(arith.DivfOp(dividend, self.add(arith.AddfOp(unit, power), at)), at)

    def effect(self, expr: ExternCall) -> Sequence[SSAValue]:
        """Add the call of ``expr``. The value is its results, if any."""
        for arg in children(expr):
            self.value(arg)
        values = {arg: self.memo[arg] for arg in children(expr)}
        call = call_op(expr, values, self.values)
        call.location = loc_attr(expr.location)
        self.block.add_op(call)
        return call.results

    def _shift(self, expr: Call, a: SSAValue, b: SSAValue) -> SSAValue:
        """A shift that is defined for every distance; distances beyond the width behave as in
        numpy.
        """
        at, dtype = expr.location, expr.dtype
        right = arith.ShRSIOp if is_signed(dtype) else arith.ShRUIOp
        kind = right if expr.op == "shr" else arith.ShLIOp
        if is_known_below(expr.args[1], bits(dtype)):
            return self.add(kind(a, b), at)
        last = self._constant(bits(dtype) - 1, dtype, at)
        shifted = self.add(kind(a, self.add(arith.MinUIOp(b, last), at)), at)
        if kind is arith.ShRSIOp:
            return shifted  # all copies of the sign
        inside = self.add(CmpiOp(b, last, "ule"), at)
        return self.add(SelectOp(inside, shifted, self._constant(0, dtype, at)), at)

    def _cast(self, x: SSAValue, source: str, target: str, at: Location | None) -> SSAValue:
        kind = element_type(target)
        if is_bool(target):
            zero = self._constant(0, source, at)
            if is_float(source):
                return self.add(CmpfOp(x, zero, "une"), at)
            return self.add(CmpiOp(x, zero, "ne"), at)
        unsigned = not is_signed(source)
        if is_float(source) and is_float(target):
            if bits(source) == bits(target):
                x, source = self.add(arith.ExtFOp(x, like(kind, f32)), at), "float32"  # pyright: ignore
            op = arith.ExtFOp if bits(target) > bits(source) else arith.TruncFOp
        elif is_float(target):
            op = UIToFPOp if unsigned else SIToFPOp
        elif bits(source) == bits(target):
            return x
        elif bits(source) < bits(target):
            op = ExtUIOp if unsigned else ExtSIOp
        else:
            op = TruncIOp
        return self.add(op(x, kind), at)  # pyright: ignore
