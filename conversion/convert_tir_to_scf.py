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
i8 holding 0 or 1 (vectors of i1 are packed bits in memory, numpy's are bytes). A vector of elements
that are no neighbours in memory is loaded and stored element by element. Small buffers of
constant size are ``memref.alloca`` at the start of the function or parallel body; others are
``memref.alloc``, as far outside as their sizes are known, with a ``memref.dealloc`` at the end of
that block. ``fastmath<contract>`` goes on float additions and multiplications without flags, and
the target's ``-fast-math`` flags on all float operations (``-contract=0``: none); what a comparison
marked ``kc.exact`` compares has neither.

Requires: no block (``lower-blocks``) and no vectorized loop (``vectorize-loop``) is left.
Legal set: no op of ``tir`` remains.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FixedBitwidthType,
    FunctionType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    VectorType,
    i1,
    i8,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.analysis.array_sizes import sized_symbols
from kc.analysis.index_values import AFFINE_OPS, IndexValues
from kc.analysis.loop_tree import functions
from kc.analysis.simplify_affine import UNBOUNDED
from kc.conversion._foreign_calls import callee_of, declare_callee
from kc.conversion.index_arithmetic import IndexArithmetic
from kc.dialects import tir
from kc.dialects.arith import EXACT, CmpiOp, ExtUIOp, like
from kc.dialects.llvm import LoopAnnotationAttr, LoopUnrollAttr
from kc.dialects.memref import PrefetchOp
from kc.dialects.size_requirements import REQUIRES
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.tir.memory import has_rows
from kc.dialects.tir.threads import VIRTUAL_AXES, is_same_axis
from kc.dialects.tir.views import CallOp, ViewOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.target import target_of
from kc.transforms.tir._inline_combine import inline_combine

STACK_BYTES = 64 * 1024
"""The most that the buffers of one function or parallel body take on the stack."""

ALIGNMENT = 64
"""Of buffers, in bytes: a cache line, and the widest vector."""

_NO_FLAGS = arith.FastMathFlagsAttr("none")
_CONTRACT = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])
_FULL: dict[str, Any] = {"disable": False, "full": True}
_UNROLL: dict[str, Any] = {"unroll": LoopUnrollAttr(**_FULL)}


@dataclass(frozen=True)
class ConvertTirToScfPass(ModulePass):
    """Turn loops, guards and accesses into the standard dialects."""

    name = "convert-tir-to-scf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        todo = [one for one in functions(op) if _uses_tir(one)]
        for function in todo:
            _require_lowered(function)
        flags = target_of(op).fast_math if todo else ()
        for function in todo:
            _Conversion(function, flags).run()


def _uses_tir(function: func.FuncOp) -> bool:
    return any(op.name.startswith("tir.") for op in function.walk())


def _require_lowered(function: func.FuncOp) -> None:
    """Refuse what earlier passes remove, before anything changes."""
    symbols = _symbol_sources(function)
    if len(function.body.blocks) > 1:
        raise CodegenError(
            "KC4214",
            f"convert-tir-to-scf: @{function.sym_name.data} has branches",
            location=location_of(function.body.blocks[0].last_op),
            why="loops of tir stand in functions of one block",
            hints=["write tir.if or scf.if, or put the loops into a function of their own"],
        )
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
                why="loops become vector code before this conversion",
                hints=["run --vectorize-loop first"],
            )
        if isinstance(op, tir.ForOp) and op.axis is not None:
            _require_interleaving(op)
        if isinstance(op, tir.SymbolOp) and op.symbol.data not in symbols:
            raise CodegenError(
                "KC4204",
                f"convert-tir-to-scf: no argument gives the size {op.symbol.data}",
                location=location_of(op),
                why="a size is a dimension of an argument (kc.shape) or an argument (kc.symbol)",
            )


def _require_interleaving(loop: tir.ForOp) -> None:
    """Refuse loops of threads; virtual threads that do not share work run one after the other."""
    if loop.axis not in VIRTUAL_AXES:
        raise CodegenError(
            "KC4206",
            f"convert-tir-to-scf: the loop {loop.label} is bound to {loop.axis}, and the target is "
            "a CPU",
            location=location_of(loop),
            why="this is the schedule of a GPU: a CPU has no thread blocks",
            hints=["--target=cuda", "parallel and vectorize are the loops of a CPU"],
        )
    around = loop.parent_op()
    while around is not None:
        if isinstance(around, tir.ForOp) and is_same_axis(around.axis, loop.axis):
            raise CodegenError(
                "KC4207",
                f"convert-tir-to-scf: the loop {loop.label} is bound to {loop.axis}, as "
                f"{around.label} around it is",
                location=location_of(loop),
                why="virtual threads that share the work of a loop cannot run one after the other",
            )
        around = around.parent_op()


def _exact_operations(function: func.FuncOp) -> set[Operation]:
    """What the operands of exact comparisons are computed by, from what is in memory."""
    pending = [op for op in function.walk() if EXACT in op.attributes]
    exact = set(pending)
    while pending:
        op = pending.pop()
        # What leaves a region is what its blocks end with.
        ends = [block.last_op for region in op.regions for block in region.blocks]
        sources = [value.owner for value in op.operands]
        for source in (*ends, *sources):
            if isinstance(source, Operation) and source not in exact:
                exact.add(source)
                pending.append(source)
    return exact


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


@dataclass(eq=False)
class _Frame:
    """A block to be converted: from ``op`` on, or from its start if not ``entered``."""

    block: Block
    is_limit: bool = False
    entered: bool = False
    op: Operation | None = None


class _Conversion:
    """Converts one function in place, in program order."""

    def __init__(self, function: func.FuncOp, flags: Sequence[str]) -> None:
        """``flags`` are the target's for float operations."""
        self.function = function
        self.flags = {FastMathFlag(one) for one in flags}
        self.symbols = _symbol_sources(function)
        self.sized = sized_symbols(function)
        self.index = IndexValues()
        self.arith = IndexArithmetic(self.index)
        self.frames: list[_Frame] = []
        self.index_ops: list[Operation] = []
        self.stack_bytes: dict[Block, int] = {}
        # What is called depends on types that are there before conversion.
        self.callees = {op: callee_of(op) for op in function.walk() if isinstance(op, CallExternOp)}

    def run(self) -> None:
        for op in reversed([*self.function.walk()]):
            if isinstance(op, tir.CombineOp):
                inline_combine(op)
        self.exact = _exact_operations(self.function)
        self._signature()
        frames = self.frames
        frames.append(_Frame(self.function.body.block, is_limit=True))
        while frames:
            frame = frames[-1]
            if not frame.entered:
                frame.entered, frame.op = True, frame.block.first_op
                self.arith.enter(frame.block, is_limit=frame.is_limit)
            op = frame.op
            if op is None:
                frames.pop()
                self.arith.leave()
                continue
            frame.op = op.next_op
            self.arith.go_to(op)
            convert = _CONVERT.get(type(op), _Conversion._other)
            convert(self, op)
        for op in reversed(self.index_ops):
            if all(one.first_use is None and one.type == tir.INDEX for one in op.results):
                _erase(op)
        self._strip()

    def _replace(self, op: Operation, *made: Operation) -> None:
        """``made`` takes the place of ``op``, the last one's results those of ``op``."""
        block = op.parent
        assert block is not None
        for new in made:
            new.location = op.location
        block.insert_ops_before(made, op)
        for old, new in zip(op.results, made[-1].results, strict=True):
            new.name_hint = new.name_hint or old.name_hint
            old.replace_all_uses_with(new)
        self.arith.go_to(made[-1])
        _erase(op)

    def _value(self, value: SSAValue) -> SSAValue:
        """The index ``value``, computed by other dialects."""
        if isinstance(value.owner, tir.ApplyOp | tir.LinearizeOp | tir.DelinearizeOp):
            return self.arith.value(self.index.expr(value))
        return value

    # The function

    def _signature(self) -> None:
        function = self.function
        for arg in function.body.block.args:
            if arg.type != (new := _memory_type(arg.type)):
                Rewriter.replace_value_with_new_type(arg, new)
        types = [arg.type for arg in function.body.block.args]
        outputs = list(function.function_type.outputs)
        function.function_type = FunctionType.from_lists(types, outputs)

    def _strip(self) -> None:
        """Remove the attributes that only ``te`` and ``tir`` understand."""
        function = self.function
        function.attributes.pop("kc.symbols", None)
        function.attributes.pop(REQUIRES, None)
        if function.arg_attrs is None:
            return
        kept = [
            {key: value for key, value in one.data.items() if not key.startswith("kc.")}
            for one in function.arg_attrs.data
        ]
        function.arg_attrs = ArrayAttr(DictionaryAttr(one) for one in kept) if any(kept) else None

    def _symbol(self, op: tir.SymbolOp) -> None:
        number, dim = self.symbols[op.symbol.data]
        value: SSAValue = self.function.body.block.args[number]
        if dim is not None:
            size = memref.DimOp(value, self.arith.constant(dim))
            self._replace(op, size)
            self.index.dimension(size.result, (0, None))
            return
        self.index.dimension(value, (0, None) if op.symbol.data in self.sized else UNBOUNDED)
        op.result.replace_all_uses_with(value)
        _erase(op)

    # Computation

    def _other(self, op: Operation) -> None:
        self._set_flags(op)
        for n, operand in enumerate(op.operands):
            value = self._value(operand)
            if value is not operand:
                op.operands[n] = value
        if isinstance(op, AFFINE_OPS):
            self.index_ops.append(op)
        self._visit(*(block for region in op.regions for block in region.blocks))

    def _set_flags(self, op: Operation) -> None:
        """The target's fast-math flags, on a float operation that has none of its own."""
        op.attributes.pop(EXACT, None)
        if op in self.exact or getattr(op, "fastmath", _CONTRACT) not in (None, _NO_FLAGS):
            return
        contracts = isinstance(op, arith.AddfOp | arith.SubfOp | arith.MulfOp)
        flags = self.flags if contracts else self.flags.difference(_CONTRACT.data)
        if flags:
            ordered = [one for one in FastMathFlag if one in flags]
            op.properties["fastmath"] = arith.FastMathFlagsAttr(ordered)

    def _visit(self, *blocks: Block, is_limit: bool = False) -> None:
        self.frames += [_Frame(block, is_limit) for block in reversed(blocks)]

    def _apply(self, op: tir.ApplyOp) -> None:
        self.index_ops.append(op)  # seen through where it is used

    def _linearize(self, op: tir.LinearizeOp) -> None:
        self.index_ops.append(op)
        if self._is_root(op.result):
            total = self._value(op.indices[0])
            for index, size in zip(op.indices[1:], op.sizes[1:], strict=True):
                total = self.arith.product_sum(total, self._value(size), self._value(index))
            self._define_root(op.result, total)

    def _delinearize(self, op: tir.DelinearizeOp) -> None:
        self.index_ops.append(op)
        if not self._is_root(op.indices[0]):
            return  # then no result is one: all sizes that matter are constant
        is_natural = self.index.is_natural(self.index.expr(op.index))
        rest = self._value(op.index)
        for result, size in reversed(list(zip(op.indices, op.sizes, strict=True))[1:]):
            divisor = self._value(size)
            if self._is_root(result):
                part = self.arith.remainder(rest, divisor, is_natural=is_natural)
                self._define_root(result, part)
            rest = self.arith.quotient(rest, divisor, is_natural=is_natural)
        self._define_root(op.indices[0], rest)

    def _is_root(self, value: SSAValue) -> bool:
        expr = self.index.expr(value)
        return isinstance(expr, AffineDimExpr) and self.index.roots[expr.position] is value

    def _define_root(self, old: SSAValue, new: SSAValue) -> None:
        """``new`` takes the place of the root ``old`` in index expressions."""
        expr = self.index.expr(old)
        assert isinstance(expr, AffineDimExpr)
        self.index.roots[expr.position] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint

    # Memory

    def _indices(
        self, op: tir.LoadOp | tir.StoreOp | tir.PrefetchOp, lane: int = 0
    ) -> list[SSAValue]:
        """The indices of the element for a lane of the vector that ``op`` accesses."""
        exprs = [self.index.compose(one, op.operands_of_map) for one in op.indices.data.results]
        if lane:
            exprs[-1] += lane
        return [self.arith.value(one) for one in exprs]

    def _load(self, op: tir.LoadOp) -> None:
        wanted = op.result.type
        memory = like(wanted, _element(op.buffer))
        if not isinstance(memory, VectorType):
            loads: list[Operation] = [memref.LoadOp.get(op.buffer, self._indices(op))]
        elif has_rows(op.buffer.type):
            loads = [vector.LoadOp(op.buffer, self._indices(op), memory)]
        else:
            loads = self._gather(op, memory)
        if memory == wanted:
            self._replace(op, *loads)
            return
        zero = arith.ConstantOp(_zero(memory))
        self._replace(op, *loads, zero, CmpiOp(loads[-1].results[0], zero.result, "ne"))

    def _gather(self, op: tir.LoadOp, type_: VectorType) -> list[Operation]:
        """A vector of elements that are not neighbours in memory."""
        made: list[Operation] = [arith.ConstantOp(_zero(type_))]
        for lane in range(type_.element_count()):
            load = memref.LoadOp.get(op.buffer, self._indices(op, lane))
            made += [load, vector.InsertOp(load.results[0], made[-1].results[0], [lane])]
        return made

    def _scatter(self, op: tir.StoreOp, value: SSAValue, type_: VectorType) -> list[Operation]:
        """Stores of the lanes of ``value`` to elements that are not neighbours in memory."""
        made: list[Operation] = []
        for lane in range(type_.element_count()):
            extract = vector.ExtractOp(value, [lane], type_.element_type)
            store = memref.StoreOp.get(extract.result, op.buffer, self._indices(op, lane))
            made += [extract, store]
        return made

    def _store(self, op: tir.StoreOp) -> None:
        value = self._value(op.value)
        memory = like(value.type, _element(op.buffer))
        made: list[Operation] = []
        if memory != value.type:
            made.append(ExtUIOp(value, memory))  # pyright: ignore[reportArgumentType]
            value = made[0].results[0]
        if not isinstance(memory, VectorType):
            made.append(memref.StoreOp.get(value, op.buffer, self._indices(op)))
        elif has_rows(op.buffer.type):
            made.append(vector.StoreOp(value, op.buffer, self._indices(op)))
        else:
            made += self._scatter(op, value, memory)
        self._replace(op, *made)

    def _prefetch(self, op: tir.PrefetchOp) -> None:
        self._replace(op, PrefetchOp(op.buffer, self._indices(op)))

    def _alloc(self, op: tir.AllocOp) -> None:
        type_ = _memory_type(op.buffer.type)
        assert isinstance(type_, MemRefType)
        alignment = IntegerAttr(ALIGNMENT, 64)
        size = _bytes(type_)
        home = self.arith.home.block
        taken = self.stack_bytes.get(home, 0)
        if size is not None and taken + size <= STACK_BYTES:
            self.stack_bytes[home] = taken + size
            new = memref.AllocaOp.build(
                operands=[[], []], result_types=[type_], properties={"alignment": alignment}
            )
            self.arith.insert_at_head(new)
        else:
            sizes = [self._value(one) for one in op.dynamic_sizes]
            scope = self.arith.scope_of(*sizes)
            new = self.arith.insert(memref.AllocOp(sizes, [], type_, alignment), scope)
            free = memref.DeallocOp.get(new.results[0])
            end = scope.block.last_op
            assert end is not None, "a block has a terminator"
            scope.block.insert_op_before(free, end)
            free.location = op.location
        new.location = op.location
        new.results[0].name_hint = op.label
        op.buffer.replace_all_uses_with(new.results[0])
        _erase(op)

    def _view(self, op: ViewOp) -> None:
        """``memref.subview``, with as much in its type as is known; then a cast to less."""
        source, wanted = op.buffer.type, op.result.type
        assert isinstance(source, MemRefType)
        assert isinstance(wanted, MemRefType)
        offsets: list[SSAValue | int] = []
        for expr in op.indices.data.results:
            found = self.index.compose(expr, op.operands_of_map)
            is_number = isinstance(found, AffineConstantExpr)
            offsets.append(found.value if is_number else self.arith.value(found))
        rank = source.get_num_dims()
        sizes: list[SSAValue | int] = [1] * rank
        for dim, size in zip(op.positions, wanted.get_shape(), strict=True):
            sizes[dim] = size
        ones: list[SSAValue | int] = [1] * rank
        whole = memref.SubviewOp.infer_result_type(source, offsets, sizes, ones)
        strides = whole.get_strides() or ()
        part = MemRefType(
            whole.element_type,
            wanted.get_shape(),
            StridedLayoutAttr([strides[dim] for dim in op.positions], whole.get_offset()),
            whole.memory_space,
        )
        made: list[Operation] = [memref.SubviewOp.get(op.buffer, offsets, sizes, ones, part)]
        final = MemRefType(part.element_type, wanted.shape, wanted.layout, wanted.memory_space)
        if part != final:
            made.append(memref.CastOp.get(made[0], final))
        self._replace(op, *made)

    def _call(self, op: CallOp) -> None:
        arguments = [self._value(one) for one in op.arguments]
        self._replace(op, func.CallOp(op.callee, arguments, []))

    def _call_extern(self, op: CallExternOp) -> None:
        arguments = [self._value(one) for one in op.arguments]
        symbol = declare_callee(self.function, op, self.callees[op], arguments)
        self._replace(op, func.CallOp(symbol, arguments, [one.type for one in op.values]))

    # Control flow

    def _for(self, op: tir.ForOp) -> None:
        extent = op.extent_value
        self.index.expr(op.var)  # while the loop still tells its range
        is_parallel = op.kind.data is tir.ForKind.PARALLEL and self._is_sequential()
        zero, one = self.arith.constant(0), self.arith.constant(1)
        upper = self.arith.constant(extent) if isinstance(extent, int) else self._value(extent)
        body = op.detach_region(op.body)
        end: Operation
        new: Operation
        if is_parallel:
            body.block.add_op(end := scf.ReduceOp())
            new = scf.ParallelOp([zero], [upper], [one], body)
        else:
            body.block.add_op(end := scf.YieldOp())
            new = scf.ForOp(zero, upper, one, [], body)
            if op.kind.data is tir.ForKind.UNROLLED:
                new.attributes["llvm.loop_annotation"] = LoopAnnotationAttr(**_UNROLL)
        end.location = op.location
        self._replace(op, new)
        self._visit(body.block, is_limit=is_parallel)

    def _is_sequential(self) -> bool:
        """Whether the current place is outside of parallel loops."""
        return self.arith.home is self.arith.scopes[0]

    def _if(self, op: tir.IfOp) -> None:
        conditions = self.index.conditions(op.condition.data, op.operands_of_set)
        if conditions is None:
            conditions, taken = [], op.orelse
        else:
            taken = op.then
        if not conditions:
            self._inline(op, [one for block in taken.blocks for one in block.ops])
            return
        condition = self.arith.condition(conditions[0])
        for one in conditions[1:]:
            condition = self.arith.both(condition, self.arith.condition(one))
        regions = [op.detach_region(region) for region in (op.then, op.orelse)]
        blocks = [block for region in regions for block in region.blocks]
        for block in blocks:
            block.add_op(end := scf.YieldOp())
            end.location = op.location
        then, other = regions
        self._replace(op, scf.IfOp(condition, [], then, other if other.blocks else None))
        self._visit(*blocks)

    def _inline(self, op: tir.IfOp, ops: list[Operation]) -> None:
        """Put ``ops``, a region of ``op``, in the place of ``op``; they come next."""
        for one in ops:
            one.detach()
        block = op.parent
        assert block is not None
        block.insert_ops_before(ops, op)
        if ops:
            self.frames[-1].op = ops[0]
        _erase(op)


def _erase(op: Operation) -> None:
    op.detach()
    op.erase(safe_erase=False)


def _element(buffer: SSAValue) -> Attribute:
    assert isinstance(buffer.type, MemRefType)
    return buffer.type.element_type


def _memory_type(type_: Attribute) -> Attribute:
    """The type of a buffer in memory: i1 takes a byte."""
    if isinstance(type_, MemRefType) and type_.element_type == i1:
        return MemRefType(i8, type_.shape, type_.layout, type_.memory_space)
    return type_


def _zero(type_: Attribute) -> IntegerAttr | DenseIntOrFPElementsAttr:
    if isinstance(type_, VectorType):
        zero = 0.0 if isinstance(type_.element_type, AnyFloat) else 0
        return DenseIntOrFPElementsAttr.from_list(type_, [zero])
    assert isinstance(type_, IntegerType)
    return IntegerAttr(0, type_)


def _bytes(type_: MemRefType) -> int | None:
    """The size of a buffer, if its shape is constant."""
    shape = type_.get_shape()
    if tir.DYNAMIC in shape:
        return None
    element = type_.element_type
    bits = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return math.prod(shape) * ((bits + 7) // 8)


_CONVERT: dict[type[Operation], Callable[[_Conversion, Any], None]] = {
    tir.AllocOp: _Conversion._alloc,
    tir.ApplyOp: _Conversion._apply,
    tir.DelinearizeOp: _Conversion._delinearize,
    tir.ForOp: _Conversion._for,
    tir.IfOp: _Conversion._if,
    tir.LinearizeOp: _Conversion._linearize,
    tir.LoadOp: _Conversion._load,
    tir.StoreOp: _Conversion._store,
    tir.PrefetchOp: _Conversion._prefetch,
    ViewOp: _Conversion._view,
    CallExternOp: _Conversion._call_extern,
    CallOp: _Conversion._call,
    tir.SymbolOp: _Conversion._symbol,
}
