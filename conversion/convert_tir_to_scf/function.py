"""The state that the patterns share while one function is converted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FixedBitwidthType,
    FunctionType,
    MemRefType,
    VectorType,
    i1,
    i8,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from kc.analysis.affine.array_sizes import sized_symbols
from kc.analysis.affine.index_reader import AFFINE_OPS
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import parent_of, preorder
from kc.conversion._foreign_calls import callee_of
from kc.conversion.convert_tir_to_scf.refusals import symbol_sources
from kc.conversion.driver import Conversion, ConversionPattern, ConversionTarget
from kc.conversion.index_arithmetic import IndexArithmetic
from kc.dialects import tir
from kc.dialects.arith import EXACT
from kc.dialects.gpu import LaunchOp
from kc.dialects.size_requirements import REQUIRES
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.unscheduled import unmark
from kc.transforms.tir.blocks._inline_combine import inline_combine

TARGET = ConversionTarget(
    "convert-tir-to-scf",
    illegal=("tir",),
    kept_operations=(tir.NumThreadsOp.name, tir.ThreadNumberOp.name),
)

STACK_BYTES = 64 * 1024
"""The maximum total size in bytes of buffers on the stack of a function or parallel body."""

_NO_FLAGS = arith.FastMathFlagsAttr("none")
_CONTRACT = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])


def buffers_on_stack(function: func.FuncOp) -> set[tir.AllocOp]:
    """The buffers that fit on the stack, smaller ones first, because a register tile on the heap
    never reaches registers.
    """
    sizes: dict[Operation, dict[tir.AllocOp, int]] = {}
    for op in preorder(function):
        if isinstance(op, tir.AllocOp):
            size = bytes_of(memory_type(op.buffer.type))
            if size is not None:
                sizes.setdefault(_home(op, function), {})[op] = size
    chosen: set[tir.AllocOp] = set()
    for of_home in sizes.values():
        taken = 0
        for op, size in sorted(of_home.items(), key=lambda item: item[1]):
            taken += size
            if taken > STACK_BYTES:
                break
            chosen.add(op)
    return chosen


def _home(op: Operation, function: func.FuncOp) -> Operation:
    """The owner of the stack on which ``op`` allocates: the outermost parallel loop or kernel
    around it, or the function.
    """
    home: Operation = function
    parent = op.parent_op()
    while parent is not None and parent is not function:
        if isinstance(parent, LaunchOp) or (
            isinstance(parent, tir.ForOp) and parent.kind.data is tir.ForKind.PARALLEL
        ):
            home = parent
        parent = parent.parent_op()
    return home


def bytes_of(type_: Attribute) -> int | None:
    """The size of a buffer, if its shape is constant."""
    assert isinstance(type_, MemRefType)
    shape = type_.get_shape()
    if tir.DYNAMIC in shape:
        return None
    element = type_.element_type
    bits = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return math.prod(shape) * ((bits + 7) // 8)


class TirToScf(Conversion):
    """Converts one function in place, in program order."""

    def __init__(
        self,
        function: func.FuncOp,
        flags: Sequence[str],
        patterns: tuple[type[RewritePattern], ...],
    ) -> None:
        """``flags`` are the target's for float operations."""
        super().__init__(patterns, ConvertOperands)
        self.function = function
        allowed = {FastMathFlag(flag) for flag in flags}
        self._contracting = _flags_attr(allowed)
        self._flags = _flags_attr(allowed.difference(_CONTRACT.data))
        self.symbols = symbol_sources(function)
        self.sized = sized_symbols(function)
        self.index = IndexValues()
        self.arith = IndexArithmetic(self.index)
        self.on_stack: set[tir.AllocOp] = set()
        # The callee depends on types before conversion.
        self.callees = {op: callee_of(op) for op in preorder(function) if type(op) is CallExternOp}
        self._index_ops: list[Operation] = []
        self._around_vectors: set[Operation] = set()
        """The operations that contain operations on vectors."""

    def run(self) -> None:
        """Convert the function."""
        for op in reversed([*preorder(self.function)]):
            if type(op) is tir.CombineOp:
                inline_combine(op)
        self.exact = exact_operations(self.function)
        self.on_stack = buffers_on_stack(self.function)
        self._around_vectors = _around_vectors(self.function)
        self._signature()
        self.convert(self.function.body.block)
        for op in reversed(self._index_ops):
            if all(result.first_use is None and result.type == tir.INDEX for result in op.results):
                erase(op)
        self._strip()

    def enter(self, block: Block, *, is_outlined: bool) -> None:
        self.arith.enter(block, is_limit=is_outlined)

    def leave(self) -> None:
        self.arith.leave()

    def start(self, op: Operation) -> None:
        self.arith.go_to(op)

    # For the patterns

    def value(self, value: SSAValue) -> SSAValue:
        """The index ``value``, computed by operations of other dialects."""
        if isinstance(value.owner, tir.ApplyOp | tir.LinearizeOp | tir.DelinearizeOp):
            return self.arith.value(self.index.expr(value))
        return value

    def indices(
        self, op: tir.LoadOp | tir.StoreOp | tir.PrefetchOp, lane: int = 0
    ) -> list[SSAValue]:
        """The indices of the element for a lane of the vector that ``op`` accesses."""
        exprs = [self.index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
        if lane:
            exprs[-1] += lane
        return [self.arith.value(expr) for expr in exprs]

    def defer(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Skip ``op``: its uses are computed from its operands. It is erased if it has no other
        uses.
        """
        self._index_ops.append(op)
        rewriter.has_done_action = True

    def is_root(self, value: SSAValue) -> bool:
        """True if an index is a root of index expressions, so that it needs a value."""
        expr = self.index.expr(value)
        return isinstance(expr, AffineDimExpr) and self.index.roots[expr.position] is value

    def define_root(self, old: SSAValue, new: SSAValue) -> None:
        """Replace the root ``old`` in index expressions by ``new``."""
        expr = self.index.expr(old)
        assert isinstance(expr, AffineDimExpr)
        self.index.roots[expr.position] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def is_sequential(self) -> bool:
        """True if the current place is outside of parallel loops."""
        return self.arith.home is self.arith.scopes[0]

    def is_decided(self, loop: tir.ForOp, body: Block) -> bool:
        """True if a schedule has decided the unrolling of ``loop``: it contains vectors, or the
        function does and this loop contains only loops. Without an annotation, LLVM would spend as
        much time on it as on other loops.
        """
        around = self._around_vectors
        return loop in around or (
            self.function in around and any(type(op) is tir.ForOp for op in body.ops)
        )

    def set_flags(self, op: Operation) -> None:
        """Set the target's fast-math flags on a float operation without flags."""
        op.attributes.pop(EXACT, None)
        if op in self.exact or getattr(op, "fastmath", _CONTRACT) not in (None, _NO_FLAGS):
            return
        contracts = isinstance(op, arith.AddfOp | arith.SubfOp | arith.MulfOp)
        flags = self._contracting if contracts else self._flags
        if flags is not None:
            op.properties["fastmath"] = flags

    # The function

    def _signature(self) -> None:
        function = self.function
        for arg in function.body.block.args:
            _in_memory(arg)
        types = [arg.type for arg in function.body.block.args]
        outputs = list(function.function_type.outputs)
        function.function_type = FunctionType.from_lists(types, outputs)

    def _strip(self) -> None:
        """Remove the attributes that are only used by ``te`` and ``tir``."""
        function = self.function
        function.attributes.pop("kc.symbols", None)
        function.attributes.pop(REQUIRES, None)
        unmark([function])  # the loops are compiled as they are
        if function.arg_attrs is None:
            return
        public_attrs = [
            {key: value for key, value in attrs.data.items() if not key.startswith("kc.")}
            for attrs in function.arg_attrs.data
        ]
        function.arg_attrs = (
            ArrayAttr(DictionaryAttr(attrs) for attrs in public_attrs)
            if any(public_attrs)
            else None
        )


class ConvertOperands(ConversionPattern[TirToScf]):
    """An operation of another dialect: convert its indices to values, and set the target's flags.

    ::

        %j = tir.apply (%i + 1)                     %j = arith.addi %i, %c1 : index
        %b = arith.addf %a, %a : f32          ->    %b = arith.addf %a, %a fastmath<contract> : f32
        func.call @use(%j) : (index) -> ()          func.call @use(%j) : (index) -> ()
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        conversion.set_flags(op)
        for n, operand in enumerate(op.operands):
            value = conversion.value(operand)
            if value is not operand:
                op.operands[n] = value
        if isinstance(op, AFFINE_OPS):
            conversion.defer(op, rewriter)
        blocks = [block for region in op.regions for block in region.blocks]
        for value in (*op.results, *(arg for block in blocks for arg in block.args)):
            _in_memory(value)
        if blocks:
            conversion.convert_next(*blocks, is_outlined=isinstance(op, LaunchOp))


def _flags_attr(flags: set[FastMathFlag]) -> arith.FastMathFlagsAttr | None:
    ordered = [flag for flag in FastMathFlag if flag in flags]
    return arith.FastMathFlagsAttr(ordered) if ordered else None


def _around_vectors(function: func.FuncOp) -> set[Operation]:
    around: set[Operation] = set()
    for op in preorder(function):
        if any(type(result.type) is VectorType for result in op.results):
            parent = parent_of(op)
            while parent is not None and parent not in around:
                around.add(parent)
                parent = parent_of(parent)
    return around


def exact_operations(function: func.FuncOp) -> set[Operation]:
    """The operations that compute the operands of exact comparisons from memory."""
    pending = [op for op in preorder(function) if EXACT in op.attributes]
    exact = set(pending)
    while pending:
        op = pending.pop()
        # The results of a region come from the terminators of its blocks.
        ends = [block.last_op for region in op.regions for block in region.blocks]
        sources = [value.owner for value in op.operands]
        for source in (*ends, *sources):
            if isinstance(source, Operation) and source not in exact:
                exact.add(source)
                pending.append(source)
    return exact


def memory_type(type_: Attribute) -> Attribute:
    """The type of a buffer in memory: an i1 takes a byte."""
    if isinstance(type_, MemRefType) and type_.element_type == i1:
        return MemRefType(i8, type_.shape, type_.layout, type_.memory_space)
    return type_


def _in_memory(buffer: SSAValue) -> None:
    """Change a buffer to its type in memory."""
    if buffer.type != (new := memory_type(buffer.type)):
        Rewriter.replace_value_with_new_type(buffer, new)


def erase(op: Operation) -> None:
    """Erase ``op`` in spite of remaining uses."""
    op.detach()
    op.erase(safe_erase=False)
