"""Parallel loops: the body becomes a function that the thread pool runs.

::

    scf.parallel (%i) = (%c0) to (%n) step (%c1) { ... %A ... %s ... }

becomes, in a function ``@f``,

::

    (in @f)     %ctx holds %A and %s;  call @kc_parallel_for(@f_parallel_0, %ctx, %n, 0)
    internal    @f_parallel_0(begin, end, ctx)            loads %A and %s from ctx, calls the body
    internal    @f_parallel_0_body(begin, end, %A, %s)    for i = begin to end { ... }

The values the body uses travel through memory, and a pointer that was loaded from memory has no
``noalias``. That costs 2.5 times the run time in a kernel that accumulates in its output (every
store might change the inputs). So what the pool calls only unpacks, and the work is done in a
second function whose parameters have it. It is ``noinline``: that is one call for a whole chunk
of iterations. Scope metadata on every load and store would say the same at the cost of many more
attributes, and passes may drop metadata where they keep parameter attributes. ``noalias`` is
right although all threads run the body on the same memory: it speaks of locations, and two
threads that write the same location are a race anyway.

Where inner loops have more iterations in some iterations of the parallel loop than in others, there
are more chunks than usual, so that no thread has much left when the others have finished.

Memory that each iteration allocates is allocated once for a chunk of them. Operations with the
attribute ``kc.once_per_chunk``, which prepare the state of a thread, are done once for a chunk,
too: ``"before"`` its iterations, or ``"behind"`` them.

A body that uses memory of its thread asks for the number of the thread (``tir.thread_number``).
Then the functions have it as one more parameter, and ``kc_parallel_for_numbered`` runs the loop.

Loops over several dimensions are linearised, the last dimension varying fastest. A parallel loop
inside a parallel loop is a serial one.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnitAttr, i32, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis import loop_tree
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern, Nested
from kc.conversion.convert_to_llvm.memref import add, emit_gep, multiply
from kc.conversion.convert_to_llvm.scf import (
    NO_SIGNED_WRAP,
    close_loop,
    loop_annotation,
    open_loop,
    terminator,
)
from kc.conversion.convert_to_llvm.signatures import Parameter, Signature
from kc.conversion.convert_to_llvm.types import POINTER
from kc.dialects import llvm
from kc.dialects.tir.loops import ONCE_PER_CHUNK
from kc.dialects.tir.workers import NumThreadsOp, ThreadNumberOp
from kc.support.diagnostics import CodegenError

PARALLEL_FOR = "kc_parallel_for"
NUMBERED = "kc_parallel_for_numbered"
NUM_THREADS = "kc_pool_num_threads"

UNEVEN = -16
"""The argument that requests about sixteen chunks per thread."""

Number = int | SSAValue


@dataclass(frozen=True)
class Dimension:
    """A dimension of a parallel loop: ``count`` iterations from ``lower`` on, with the step
    ``step``.
    """

    count: Number
    lower: Number
    step: Number


class LowerParallel(LlvmPattern):
    """Convert the body to a function that the pool runs; inside a parallel loop, to a serial loop.

    ::

        scf.parallel (%i) = (%c0) to (%n) step (%c1) { ... }

    becomes ::

        llvm.call @kc_parallel_for(@f_parallel_0, %context, %n, 0)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ParallelOp, rewriter: PatternRewriter, /) -> None:
        if op.results or terminator(op.regions[0].blocks[0]).regions:
            raise CodegenError(
                "KC4304",
                "convert-to-llvm: scf.parallel with a reduction is not supported",
                why="the iterations run on several threads, and each would need its own "
                "accumulator",
                hints=[
                    "make the loop serial, or split the reduction by rfactor and add the partial "
                    "sums afterwards"
                ],
            )
        if self.conversion.is_parallel:
            self.conversion.nest(_serial(self.conversion, op))
        else:
            _outline(self.conversion, op)


class LowerNumThreads(LlvmPattern):
    """Ask the pool.

    ::

        %t = tir.num_threads    ->    llvm.call @kc_pool_num_threads() : () -> i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NumThreadsOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        name = s.module.declare(NUM_THREADS, [], i32)
        count = s.insert(llvm.CallOp(name, return_type=i32)).results[0]
        s.define(op.result, s.emit(llvm.SExtOp, [count], i64))


class LowerThreadNumber(LlvmPattern):
    """The parameter of the body that the pool passes; 0 where a loop runs as a serial one.

    ::

        %k = tir.thread_number below %n    ->    %thread
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ThreadNumberOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        s.define(op.result, s.thread if s.thread is not None else s.int_constant(0))


def _bounds(op: Operation) -> list[tuple[SSAValue, SSAValue, SSAValue]]:
    rank = len(op.operands) // 3
    lower, upper, step = (op.operands[i * rank : (i + 1) * rank] for i in range(3))
    return list(zip(lower, upper, step, strict=True))


def _serial(s: FunctionLowering, op: Operation) -> Nested:
    (block,) = op.regions[0].blocks
    before, behind = _once(block)
    yield before
    loops = []
    for bounds, argument in zip(_bounds(op), block.args, strict=True):
        loops.append(open_loop(s, [s.value(bound) for bound in bounds]))
        s.define(argument, loops[-1].induction)
    yield block
    for loop in reversed(loops):
        close_loop(s, loop, annotation=loop_annotation(op))
    yield behind


def _outline(s: FunctionLowering, op: Operation) -> None:
    dimensions = [_dimension(s, *bounds) for bounds in _bounds(op)]
    total: Number = 1
    for dimension in dimensions:
        total = multiply(s, total, dimension.count)
    name = s.module.fresh_name(f"{s.name}_parallel")
    inner = FunctionLowering(s.module, s.patterns, name, op, parent=s, is_parallel=True)
    begin, end = (inner.entry.insert_arg(i64, i) for i in range(2))
    begin.name_hint, end.name_hint = "begin", "end"
    numbered = next(
        (inner for inner in op.regions[0].blocks[0].ops if isinstance(inner, ThreadNumberOp)), None
    )
    if numbered is not None:
        inner.thread = inner.entry.insert_arg(i64, 2)
        inner.thread.name_hint = "thread"
    body = inner.run(_chunk(inner, op, dimensions, begin, end))

    own = [Parameter(i64)] * (2 if numbered is None else 3)
    parameters = [*own, *inner.captured_parameters(launched=True)]
    signature = Signature.of(parameters)
    s.module.add_function(
        f"{name}_body", signature, body, op, internal=True, properties={"no_inline": UnitAttr()}
    )
    context = list(inner.captures)
    struct = llvm.LLVMStructType("", [value.type for value in context])
    _add_task(s, op, name, struct, is_numbered=numbered is not None)
    threads = None if numbered is None else s.as_value(s.index(numbered.threads))
    grain = UNEVEN if _is_uneven(op) else 0
    _launch(s, name, struct, context, s.as_value(total), grain, threads)


def _is_uneven(op: Operation) -> bool:
    """True if loops inside a parallel loop have bounds that depend on its iteration."""
    (block,) = op.regions[0].blocks
    uneven: set[SSAValue] = set(block.args)
    for inner in loop_tree.preorder(op):
        if isinstance(inner, scf.ForOp) and not uneven.isdisjoint((inner.lb, inner.ub)):
            return True
        if not inner.regions and not uneven.isdisjoint(inner.operands):
            uneven.update(inner.results)
    return False


def _dimension(s: FunctionLowering, lower: SSAValue, upper: SSAValue, step: SSAValue) -> Dimension:
    """The iterations of one dimension: ``ceildiv(upper - lower, step)``, or 0 if negative."""
    low, high, stride = s.index(lower), s.index(upper), s.index(step)
    if isinstance(low, int) and isinstance(high, int) and isinstance(stride, int):
        return Dimension(max(0, -((low - high) // stride)) if stride > 0 else 0, low, stride)
    extent = s.as_value(high)
    if low != 0:
        extent = s.emit(llvm.SubOp, [extent, s.as_value(low)], i64, NO_SIGNED_WRAP)
    extent = s.emit(llvm.SMaxOp, [extent, s.int_constant(0)], i64)
    if stride != 1:
        by = s.as_value(stride)
        less = add(s, stride, -1)
        extent = s.emit(llvm.UDivOp, [s.as_value(add(s, extent, less)), by], i64)
    return Dimension(extent, low, stride)


def _chunk(
    s: FunctionLowering,
    op: Operation,
    dimensions: list[Dimension],
    begin: SSAValue,
    end: SSAValue,
) -> Generator[Block, None, None]:
    """The body function: the iterations [begin, end) of the linearised loop."""
    (block,) = op.regions[0].blocks
    allocs, deallocs = _taken_out(block)
    before, behind = _once(block)
    yield allocs
    yield before
    loop = open_loop(s, [begin, end, s.int_constant(1)])
    rest = loop.induction
    positions: list[SSAValue] = []
    for dimension in reversed(dimensions[1:]):
        count = s.as_value(s.capture(dimension.count))
        positions.append(s.emit(llvm.URemOp, [rest, count], i64))
        rest = s.emit(llvm.UDivOp, [rest, count], i64)
    positions.append(rest)
    for argument, dimension, position in zip(
        block.args, dimensions, reversed(positions), strict=True
    ):
        if dimension.step != 1:
            step = s.as_value(s.capture(dimension.step))
            position = s.emit(llvm.MulOp, [position, step], i64, NO_SIGNED_WRAP)
        if dimension.lower != 0:
            lower = s.as_value(s.capture(dimension.lower))
            position = s.emit(llvm.AddOp, [position, lower], i64, NO_SIGNED_WRAP)
        s.define(argument, position)
    yield block
    close_loop(s, loop, annotation=loop_annotation(op))
    yield behind
    yield deallocs
    s.insert(llvm.ReturnOp())


def _taken_out(block: Block) -> tuple[Block, Block]:
    """The allocations that can be shared by all iterations of a chunk, which one thread runs
    serially, and their deallocations.

    Large memory that is allocated and freed repeatedly is returned to the system each time, and
    several threads contend for it.
    """
    ends: dict[SSAValue, Operation] = {
        op.operands[0]: op for op in block.ops if isinstance(op, memref.DeallocOp)
    }
    allocs = [
        op
        for op in block.ops
        if isinstance(op, memref.AllocOp)
        and op.results[0] in ends
        and not any(loop_tree.defined_inside(size, block.parent_op() or op) for size in op.operands)
    ]
    taken = Block(), Block()
    for op in allocs:
        for part, moved in zip(taken, (op, ends[op.results[0]]), strict=True):
            moved.detach()
            part.add_op(moved)
    return taken


def _once(block: Block) -> tuple[Block, Block]:
    """The operations that run once per chunk, before and after the iterations. The former include
    the computation of their operands, if no iteration takes part in it.
    """
    parts: dict[str, dict[Operation, None]] = {"before": {}, "behind": {}}
    for op in block.ops:
        marked = op.attributes.get(ONCE_PER_CHUNK)
        if isinstance(marked, StringAttr):
            parts[marked.data].update(dict.fromkeys(_with_operands(op, block)))
    taken = Block(), Block()
    for op in block.ops:
        op.attributes.pop(ONCE_PER_CHUNK, None)
    if all(not set(op.operands) & set(block.args) for part in parts.values() for op in part):
        for ops, into in zip(parts.values(), taken, strict=True):
            for op in ops:
                op.detach()
                into.add_op(op)
    return taken


def _with_operands(op: Operation, block: Block) -> list[Operation]:
    """``op`` after the operations of ``block`` that compute its operands, in order."""
    needed: dict[Operation, None] = {}
    for operand in op.operands:
        owner = operand.owner
        if isinstance(owner, Operation) and owner.parent is block:
            needed.update(dict.fromkeys(_with_operands(owner, block)))
    return [*needed, op]


def _add_task(
    s: FunctionLowering,
    op: Operation,
    name: str,
    struct: llvm.LLVMStructType,
    *,
    is_numbered: bool,
) -> None:
    """The function that the pool calls: it unpacks the context and calls the body."""
    task = FunctionLowering(s.module, s.patterns, name, op)
    parameter_types = {"begin": i64, "end": i64, "context": POINTER}
    if is_numbered:
        parameter_types["thread"] = i64
    arguments: list[SSAValue] = []
    for position, (hint, type_) in enumerate(parameter_types.items()):
        argument = task.entry.insert_arg(type_, position)
        argument.name_hint = hint
        arguments.append(argument)
    context = arguments.pop(2)
    for i, ty in enumerate(struct.types):
        field = _field(task, context, struct, i)
        arguments.append(task.emit(llvm.LoadOp, [field], ty))
    task.insert(llvm.CallOp(f"{name}_body", *arguments))
    task.insert(llvm.ReturnOp())
    signature = Signature.of([Parameter(type_) for type_ in parameter_types.values()])
    s.module.add_function(name, signature, task.new_region, op, internal=True)


def _launch(
    s: FunctionLowering,
    name: str,
    struct: llvm.LLVMStructType,
    values: list[SSAValue],
    total: SSAValue,
    grain: int,
    threads: SSAValue | None,
) -> None:
    """Fill the context with ``values`` and run the loop on the pool, in chunks of ``grain``; with
    ``threads``, on that many threads at most, which have numbers.
    """
    if values:
        slot = llvm.AllocaOp(s.int_constant(1), struct)
        context = s.insert_in_prologue(slot).results[0]
        for i, value in enumerate(values):
            s.insert(llvm.StoreOp(value, _field(s, context, struct, i)))
    else:
        context = s.emit(llvm.ZeroOp, [], POINTER)
    task = s.emit(llvm.AddressOfOp, [], POINTER, {"global_name": SymbolRefAttr(name)})
    arguments = [task, context, total, s.int_constant(grain)]
    if threads is not None:
        arguments.append(threads)
    name_of_pool = PARALLEL_FOR if threads is None else NUMBERED
    s.module.declare(name_of_pool, [argument.type for argument in arguments])
    s.insert(llvm.CallOp(name_of_pool, *arguments))


def _field(
    s: FunctionLowering, context: SSAValue, struct: llvm.LLVMStructType, number: int
) -> SSAValue:
    if number == 0:
        return context
    return emit_gep(s, context, [0, number], struct)


PATTERNS: tuple[type[RewritePattern], ...] = (LowerParallel, LowerNumThreads, LowerThreadNumber)
