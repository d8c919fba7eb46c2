"""convert-tir-to-scf: loops, guards and accesses become ``scf``, ``memref``, ``vector``, ``arith``.

Before::

    tir.for %i in 16 parallel {
      tir.if (%i * 4 < 50) {
        %a = tir.load %A[%i * 4] : memref<50xf32>
        ...

After::

    scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
      %0 = arith.muli %i, %c4 : index
      %1 = arith.cmpi slt, %0, %c50 : index
      scf.if %1 {
        %a = memref.load %A[%0] : memref<50xf32>
        ...

A parallel loop in a parallel one becomes ``scf.for``; an unrolled loop is ``scf.for`` with the
discardable attribute ``llvm.loop_annotation``, which upstream's lowering and ours carry to the
branch. Symbols become ``memref.dim`` of the argument that has them. Buffers of i1 become buffers of
i8 holding 0 or 1 (vectors of i1 are packed bits in memory, numpy's are bytes). Small buffers of
constant size are ``memref.alloca`` at the start of the function or parallel body, others
``memref.alloc`` with a ``memref.dealloc`` where their region ends. ``fastmath<contract>`` goes on
float additions and multiplications without flags.

Requires: no block (``lower-blocks``) and no vectorized loop (``vectorize-loop``) is left.
Legal set: no op of ``tir`` remains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    VectorType,
    i1,
    i8,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.index_values import IndexValues
from kc.analysis.loop_tree import functions
from kc.dialects import tir
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.llvm import LoopAnnotationAttr, LoopUnrollAttr
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

STACK_BYTES = 64 * 1024
"""The most that the buffers of one function or parallel body take on the stack."""

_CONTRACT = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])


@dataclass(frozen=True)
class ConvertTirToScfPass(ModulePass):
    """Turn loops, guards and accesses into the standard dialects."""

    name = "convert-tir-to-scf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        todo = [one for one in functions(op) if _uses_tir(one)]
        for function in todo:
            _require_lowered(function)
        for function in todo:
            _Conversion(function).run()
            for left in function.walk():
                assert not left.name.startswith("tir."), left.name


def _uses_tir(function: func.FuncOp) -> bool:
    return any(op.name.startswith("tir.") for op in function.walk())


def _require_lowered(function: func.FuncOp) -> None:
    """Refuse what earlier passes remove, before anything changes."""
    symbols = _symbol_sources(function)
    for op in function.walk():
        if isinstance(op, tir.BlockOp):
            raise CodegenError(
                "KC4201",
                f"convert-tir-to-scf: block {op.label} is left",
                location=location_of(op),
                why="blocks are dissolved before this conversion",
                hints=["run --lower-init-block --lower-blocks first"],
            )
        if isinstance(op, tir.ForOp) and op.kind.data is tir.ForKind.VECTORIZED:
            raise CodegenError(
                "KC4202",
                f"convert-tir-to-scf: the vectorized loop {op.label} is left",
                location=location_of(op),
                hints=["run --vectorize-loop first"],
            )
        if isinstance(op, tir.SymbolOp) and op.symbol.data not in symbols:
            raise CodegenError(
                "KC4203",
                f"convert-tir-to-scf: no argument gives the size {op.symbol.data}",
                location=location_of(op),
                why="a size is a dimension of an argument (kc.shape) or an argument (kc.symbol)",
            )


def _symbol_sources(function: func.FuncOp) -> dict[str, tuple[int, int | None]]:
    """Symbol -> argument number and, for an array, the dimension."""
    found: dict[str, tuple[int, int | None]] = {}
    symbols = tir.symbol_names(function)
    attrs = function.arg_attrs.data if function.arg_attrs is not None else ()
    for n, given in enumerate(attrs):
        name = given.data.get("kc.symbol")
        if name is not None:
            found.setdefault(name.data, (n, None))  # pyright: ignore
        shape = given.data.get("kc.shape")
        if shape is not None:
            for dim, expr in enumerate(shape.data.results):  # pyright: ignore
                for m, symbol in enumerate(symbols):
                    if expr == AffineExpr.symbol(m):
                        found.setdefault(symbol, (n, dim))
    return found


class _Conversion:
    """Converts one function in place: accesses first, while loops still tell their ranges."""

    def __init__(self, function: func.FuncOp) -> None:
        self.function = function
        self.entry = function.body.block
        self.index = IndexValues()
        self.constants: dict[int, SSAValue] = {}
        # Block -> expression -> its value in that block: arithmetic is not repeated.
        self.known: dict[Block, dict[AffineExpr, SSAValue]] = {}
        self.stack: dict[Block, int] = {}

    def run(self) -> None:
        ops = list(self.function.walk())
        self._bools(ops)
        for op in ops:
            self._convert(op)
        for op in ops:
            if isinstance(op, tir.AllocOp):
                self._alloc(op)
        for op in reversed(ops):
            if isinstance(op, tir.ForOp):
                self._loop(op)
        for op in reversed(ops):
            if isinstance(op, tir.ApplyOp | tir.LinearizeOp | tir.DelinearizeOp):
                Rewriter.erase_op(op)
        self._strip()

    def _convert(self, op: Operation) -> None:
        if isinstance(op, tir.LoadOp):
            self._load(op)
        elif isinstance(op, tir.StoreOp):
            self._store(op)
        elif isinstance(op, tir.IfOp):
            self._if(op)
        elif isinstance(op, tir.SymbolOp):
            self._symbol(op)
        elif isinstance(op, tir.ApplyOp):
            point = InsertPoint.before(op)
            value = self._value(self.index.expr(op.result), point, op)
            self._replace_uses(op.result, value)
        elif isinstance(op, tir.LinearizeOp | tir.DelinearizeOp):
            self._linear(op)
        elif isinstance(op, arith.AddfOp | arith.SubfOp | arith.MulfOp):
            if op.fastmath is None or not op.fastmath.data:
                op.properties["fastmath"] = arith.FastMathFlagsAttr(
                    [FastMathFlag.ALLOW_CONTRACT]
                )

    def _replace_uses(self, old: SSAValue, new: SSAValue) -> None:
        """Uses outside index arithmetic (which is seen through, and erased at the end)."""
        for use in list(old.uses):
            if not isinstance(use.operation, tir.ApplyOp | tir.LinearizeOp | tir.DelinearizeOp):
                use.operation.operands[use.index] = new

    # Index arithmetic ----------------------------------------------------------------------

    def _constant(self, value: int) -> SSAValue:
        if value not in self.constants:
            op = arith.ConstantOp(IntegerAttr(value, tir.INDEX))
            op.location = self.function.location
            op.result.name_hint = f"c{value}" if value >= 0 else None
            Rewriter.insert_op(op, InsertPoint.at_start(self.entry))
            self.constants[value] = op.result
        return self.constants[value]

    def _value(self, expr: AffineExpr, point: InsertPoint, like: Operation) -> SSAValue:
        """``expr`` (over the roots) as a value at ``point``."""
        known = self.known.setdefault(point.block, {})

        def insert(op: Operation) -> SSAValue:
            op.location = like.location
            Rewriter.insert_op(op, point)
            return op.results[0]

        def emit(part: AffineExpr) -> SSAValue:
            if isinstance(part, AffineConstantExpr):
                return self._constant(part.value)
            if isinstance(part, AffineDimExpr):
                root = self.index.roots[part.position]
                assert root is not None
                return root
            value = known.get(part)
            if value is None:
                value = known[part] = compute(part)
            return value

        def compute(part: AffineExpr) -> SSAValue:
            assert isinstance(part, AffineBinaryOpExpr)
            if part.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul):
                return total(part)
            lhs, rhs = emit(part.lhs), emit(part.rhs)
            natural = self.index.is_natural(part.lhs)
            if part.kind is AffineBinaryOpKind.FloorDiv:
                return insert((arith.DivUIOp if natural else arith.FloorDivSIOp)(lhs, rhs))
            if part.kind is AffineBinaryOpKind.CeilDiv:
                return insert((arith.CeilDivUIOp if natural else arith.CeilDivSIOp)(lhs, rhs))
            if natural:
                return insert(arith.RemUIOp(lhs, rhs))
            rest = insert(arith.RemSIOp(lhs, rhs))
            negative = insert(arith.CmpiOp(rest, self._constant(0), "slt"))
            return insert(arith.SelectOp(negative, insert(arith.AddiOp(rest, rhs)), rest))

        def total(part: AffineExpr) -> SSAValue:
            terms, constant = linear_terms(part)
            value: SSAValue | None = None
            for atom, factor in terms.items():
                if atom == part:  # a product of two values
                    assert isinstance(atom, AffineBinaryOpExpr)
                    return insert(arith.MuliOp(emit(atom.lhs), emit(atom.rhs)))
                term = emit(atom)
                if factor != 1:
                    term = insert(arith.MuliOp(term, self._constant(factor)))
                value = term if value is None else insert(arith.AddiOp(value, term))
            if value is None:
                return self._constant(constant)
            return insert(arith.AddiOp(value, self._constant(constant))) if constant else value

        return emit(expr)

    def _indices(self, op: tir.LoadOp | tir.StoreOp) -> list[SSAValue]:
        point = InsertPoint.before(op)
        return [
            self._value(self.index.compose(one, op.operands_of_map), point, op)
            for one in op.indices.data.results
        ]

    def _linear(self, op: tir.LinearizeOp | tir.DelinearizeOp) -> None:
        """With symbolic sizes; constant ones are seen through as affine expressions."""

        def insert(new: Operation) -> SSAValue:
            new.location = op.location
            Rewriter.insert_op(new, InsertPoint.before(op))
            return new.results[0]

        def plain(value: SSAValue) -> SSAValue:
            return self._value(self.index.expr(value), InsertPoint.before(op), op)

        if all(
            not isinstance(one, AffineDimExpr) or self.index.roots[one.position] is not result
            for result in op.results
            for one in [self.index.expr(result)]
        ):
            for result in op.results:
                self._replace_uses(result, plain(result))
            return
        if isinstance(op, tir.LinearizeOp):
            total = plain(op.indices[0])
            for index, size in zip(op.indices[1:], op.sizes[1:], strict=True):
                scaled = insert(arith.MuliOp(total, plain(size)))
                total = insert(arith.AddiOp(scaled, plain(index)))
            self._new_root(op.result, total)
            return
        rest = plain(op.index)
        for n in range(len(op.sizes) - 1, 0, -1):
            size = plain(op.sizes[n])
            self._new_root(op.indices[n], insert(arith.RemUIOp(rest, size)))
            rest = insert(arith.DivUIOp(rest, size))
        self._new_root(op.indices[0], rest)

    def _new_root(self, old: SSAValue, new: SSAValue) -> None:
        """``new`` is what ``old`` was, also where ``old`` is a root of index expressions."""
        expr = self.index.expr(old)
        if isinstance(expr, AffineDimExpr) and self.index.roots[expr.position] is old:
            self.index.roots[expr.position] = new
            self.index.define(new, expr)
        new.name_hint = new.name_hint or old.name_hint
        self._replace_uses(old, new)

    def _symbol(self, op: tir.SymbolOp) -> None:
        number, dim = _symbol_sources(self.function)[op.symbol.data]
        value: SSAValue = self.function.args[number]
        if dim is not None:
            size = memref.DimOp.from_source_and_index(value, self._constant(dim))
            size.location = op.location
            Rewriter.insert_op(size, InsertPoint.before(op))
            value = size.result
        self._new_root(op.result, value)
        for use in list(op.result.uses):
            use.operation.operands[use.index] = value
        Rewriter.erase_op(op)

    # Accesses ------------------------------------------------------------------------------

    def _bools(self, ops: Sequence[Operation]) -> None:
        """Buffers of i1 become buffers of i8, before anything reads their types."""
        for arg in self.function.args:
            self._bool_buffer(arg)
        for op in ops:
            if isinstance(op, tir.AllocOp):
                self._bool_buffer(op.buffer)
        self.function.properties["function_type"] = FunctionType.from_lists(
            [arg.type for arg in self.function.args], list(self.function.function_type.outputs)
        )

    def _bool_buffer(self, value: SSAValue) -> None:
        old = value.type
        if isinstance(old, MemRefType) and old.element_type == i1:
            Rewriter.replace_value_with_new_type(
                value, MemRefType(i8, old.shape, old.layout, old.memory_space)
            )

    def _load(self, op: tir.LoadOp) -> None:
        indices = self._indices(op)
        wanted = op.result.type
        element = op.buffer.type.element_type  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(wanted, VectorType):
            memory = VectorType(element, wanted.shape)
            new: Operation = vector.LoadOp(op.buffer, indices, memory)
        else:
            memory = element
            new = memref.LoadOp.get(op.buffer, indices)
        made = [new]
        if memory != wanted:
            zero = arith.ConstantOp(_zero(memory))
            made += [zero, arith.CmpiOp(new.results[0], zero.result, "ne")]
        self._replace(op, made)

    def _store(self, op: tir.StoreOp) -> None:
        indices = self._indices(op)
        value = op.value
        element = op.buffer.type.element_type  # pyright: ignore[reportAttributeAccessIssue]
        made: list[Operation] = []
        memory: Attribute = element
        if isinstance(value.type, VectorType):
            memory = VectorType(element, value.type.shape)
        if memory != value.type:
            made.append(arith.ExtUIOp(value, memory))  # pyright: ignore[reportArgumentType]
            value = made[-1].results[0]
        if isinstance(value.type, VectorType):
            made.append(vector.StoreOp(value, op.buffer, indices))
        else:
            made.append(memref.StoreOp.get(value, op.buffer, indices))
        self._replace(op, made)

    def _replace(self, op: Operation, made: Sequence[Operation]) -> None:
        for new in made:
            new.location = op.location
        if op.results:
            made[-1].results[0].name_hint = op.results[0].name_hint
        Rewriter.replace_op(op, made, made[-1].results)

    def _alloc(self, op: tir.AllocOp) -> None:
        buffer_type = op.buffer.type
        assert isinstance(buffer_type, MemRefType)
        home = self._stack_home(op)
        size = _bytes(buffer_type)
        block = op.parent
        assert block is not None
        if size is not None and self.stack.get(home, 0) + size <= STACK_BYTES:
            self.stack[home] = self.stack.get(home, 0) + size
            new = memref.AllocaOp.get(
                buffer_type.element_type,
                64,
                buffer_type.get_shape(),
                layout=buffer_type.layout,
                memory_space=buffer_type.memory_space,
            )
            new.location = op.location
            Rewriter.insert_op(new, InsertPoint.at_start(home))
        else:
            new = memref.AllocOp.get(
                buffer_type.element_type,
                64,
                buffer_type.get_shape(),
                list(op.dynamic_sizes),
                buffer_type.layout,
                buffer_type.memory_space,
            )
            new.location = op.location
            Rewriter.insert_op(new, InsertPoint.before(op))
            free = memref.DeallocOp.get(new.memref)
            free.location = op.location
            last = block.last_op
            if last is not None and isinstance(last, func.ReturnOp | scf.YieldOp):
                Rewriter.insert_op(free, InsertPoint.before(last))
            else:
                block.add_op(free)
        new.memref.name_hint = op.label
        op.buffer.replace_all_uses_with(new.memref)
        Rewriter.erase_op(op)

    def _stack_home(self, op: Operation) -> Block:
        parent = op.parent_op()
        while parent is not None and parent is not self.function:
            if isinstance(parent, tir.ForOp) and parent.kind.data is tir.ForKind.PARALLEL:
                return parent.body.block
            parent = parent.parent_op()
        return self.entry

    # Control flow --------------------------------------------------------------------------

    def _if(self, op: tir.IfOp) -> None:
        point = InsertPoint.before(op)
        constraints = self.index.conditions(op.condition.data, op.operands_of_set)
        never = constraints is None
        condition: SSAValue | None = None
        for one in constraints or ():
            holds = self._holds(one, point, op)
            if condition is None:
                condition = holds
                continue
            both = arith.AndIOp(condition, holds)
            both.location = op.location
            Rewriter.insert_op(both, point)
            condition = both.result
        if condition is None:
            constant = arith.ConstantOp(IntegerAttr.from_bool(not never))
            constant.location = op.location
            Rewriter.insert_op(constant, point)
            condition = constant.result
        regions = []
        for region in (op.then, op.orelse):
            body = op.detach_region(region)
            if body.blocks:
                body.block.add_op(end := scf.YieldOp())
                end.location = op.location
            regions.append(body)
        new = scf.IfOp(condition, [], regions[0], regions[1] if regions[1].blocks else None)
        new.location = op.location
        Rewriter.replace_op(op, new, [])

    def _holds(self, one: AffineConstraintExpr, point: InsertPoint, like: Operation) -> SSAValue:
        """The comparison for ``lhs >= 0`` or ``lhs == 0``."""
        terms, constant = linear_terms(one.lhs)
        positive = {atom: factor for atom, factor in terms.items() if factor > 0}
        negative = {atom: -factor for atom, factor in terms.items() if factor < 0}
        lhs = self._value(from_terms(positive, max(constant, 0)), point, like)
        rhs = self._value(from_terms(negative, max(-constant, 0)), point, like)
        kind = "eq" if one.kind is AffineConstraintKind.eq else "sge"
        compare = arith.CmpiOp(lhs, rhs, kind)
        compare.location = like.location
        Rewriter.insert_op(compare, point)
        return compare.result

    def _loop(self, op: tir.ForOp) -> None:
        point = InsertPoint.before(op)
        extent = op.extent_value
        bound = (
            self._constant(extent)
            if isinstance(extent, int)
            else self._value(self.index.expr(extent), point, op)
        )
        zero, one = self._constant(0), self._constant(1)
        body = op.detach_region(op.body)
        kind = op.kind.data
        new: Operation
        if kind is tir.ForKind.PARALLEL and not self._in_parallel(op):
            body.block.add_op(end := scf.ReduceOp())
            new = scf.ParallelOp([zero], [bound], [one], body)
        else:
            body.block.add_op(end := scf.YieldOp())
            new = scf.ForOp(zero, bound, one, [], body)
            if kind is tir.ForKind.UNROLLED:
                unroll = LoopUnrollAttr(disable=False, full=True)  # pyright: ignore[reportCallIssue]
                note = LoopAnnotationAttr(unroll=unroll)  # pyright: ignore[reportCallIssue]
                new.attributes["llvm.loop_annotation"] = note
        end.location = new.location = op.location
        Rewriter.replace_op(op, new, [])

    def _in_parallel(self, op: Operation) -> bool:
        parent = op.parent_op()
        while parent is not None and parent is not self.function:
            if isinstance(parent, tir.ForOp) and parent.kind.data is tir.ForKind.PARALLEL:
                return True
            parent = parent.parent_op()
        return False

    def _strip(self) -> None:
        """Attributes of the argument that only ``te`` and ``tir`` understand."""
        function = self.function
        function.attributes.pop("kc.symbols", None)
        if function.arg_attrs is not None:
            kept = [
                {key: value for key, value in one.data.items() if not key.startswith("kc.")}
                for one in function.arg_attrs.data
            ]
            if any(kept):
                function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(one) for one in kept])
            else:
                function.properties.pop("arg_attrs", None)


def _zero(type_: Attribute) -> IntegerAttr | DenseIntOrFPElementsAttr:
    if isinstance(type_, VectorType):
        return DenseIntOrFPElementsAttr.from_list(type_, [0])
    assert isinstance(type_, IntegerType)
    return IntegerAttr(0, type_)


def _bytes(buffer_type: MemRefType) -> int | None:
    """The size of a buffer of constant shape."""
    shape = buffer_type.get_shape()
    if tir.DYNAMIC in shape:
        return None
    element = buffer_type.element_type
    width = 64 if element == tir.INDEX else element.bitwidth  # pyright: ignore
    return math.prod(shape) * ((width + 7) // 8)
