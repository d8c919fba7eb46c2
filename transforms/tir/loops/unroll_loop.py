"""unroll-loop: marked loops and, on request, short loops become copies of their bodies.

Before::

    tir.for %i in 2 unrolled {
      tir.store %x, %A[%i * 4] : memref<8xf32>
    }

After::

    %c0 = arith.constant 0 : index
    tir.store %x, %A[%c0 * 4] : memref<8xf32>
    %c1 = arith.constant 1 : index
    tir.store %x, %A[%c1 * 4] : memref<8xf32>

A serial loop is unrolled automatically if its inner loops are unrolled, at most ``auto_max_depth``
deep, and it becomes at most ``auto_max_step`` statements (stores, calls), or has at most
``auto_max_extent`` iterations, or, with ``unroll_local_access``, iterates over elements of a buffer
of scope ``local`` (registers have no addresses). ``pragma_auto_unroll_max_step`` and
``pragma_unroll_explicit`` in the annotations of a loop apply to the loop and to all its inner
loops. Without ``explicit_unroll`` the loops are only marked, and LLVM unrolls them. Loops whose
extent is not constant, and loops around blocks (see ``lower-blocks``), stay as they are.

KC4215: the copies of a loop would have too many operations to compile.

TVM: ``UnrollLoop``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import functions
from kc.dialects.tir import INDEX, BlockOp, CallOp, ForKind, ForKindAttr, ForOp, LoadOp, StoreOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

MAX_STEP = "pragma_auto_unroll_max_step"
EXPLICIT = "pragma_unroll_explicit"

MAX_OPERATIONS = 100_000
"""The most operations that one unrolled loop may become."""


@dataclass(frozen=True)
class UnrollLoopPass(ModulePass):
    """Copy the bodies of unrolled loops and, on request, of short serial loops."""

    name = "unroll-loop"

    auto_max_step: int = field(
        default=0, metadata={"help": "the most statements that a serial loop may unroll to"}
    )
    auto_max_depth: int = field(
        default=8, metadata={"help": "the most nested loops that are unrolled automatically"}
    )
    auto_max_extent: int = field(
        default=0,
        metadata={"help": "the most iterations of a serial loop that is always unrolled"},
    )
    explicit_unroll: bool = field(
        default=True, metadata={"help": "copy bodies here; otherwise loops are marked for LLVM"}
    )
    unroll_local_access: bool = field(
        default=False,
        metadata={"help": "also unroll serial loops over elements of local buffers"},
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            plan = _Plan(function)
            for block in function.body.blocks:
                plan.block(block, self)
            plan.perform()


@dataclass(frozen=True)
class _Counts:
    """The size of a piece of code: its statements, the depth of unrolled and of remaining loops,
    and its number of operations after unrolling.
    """

    steps: int = 0
    unrolled: int = 0
    normal: int = 0
    blocks: bool = False
    operations: int = 0

    def beside(self, neighbour: _Counts) -> _Counts:
        return _Counts(
            self.steps + neighbour.steps,
            max(self.unrolled, neighbour.unrolled),
            max(self.normal, neighbour.normal),
            self.blocks or neighbour.blocks,
            self.operations + neighbour.operations,
        )


class _Plan:
    """The decision for each loop of a function, made before any loop changes."""

    def __init__(self, function: FuncOp) -> None:
        self.function = function
        self.copied: list[tuple[ForOp, int]] = []
        self.marked: list[ForOp] = []
        self.annotations: list[tuple[ForOp, DictionaryAttr | None]] = []

    def perform(self) -> None:
        """Change the loops, from the inside out."""
        for loop, remaining in self.annotations:
            loop.annotations = remaining
        for loop in self.marked:
            loop.kind = ForKindAttr(ForKind.UNROLLED)
        for loop, extent in self.copied:
            unroll(loop, extent)

    def block(self, block: Block, options: UnrollLoopPass) -> _Counts:
        counts = _Counts()
        for op in block.ops:
            counts = counts.beside(self._operation(op, options))
        return counts

    def _operation(self, op: Operation, options: UnrollLoopPass) -> _Counts:
        inner = self._pragmas(op, options) if isinstance(op, ForOp) else options
        counts = _Counts(
            int(isinstance(op, StoreOp | CallOp)), blocks=isinstance(op, BlockOp), operations=1
        )
        for region in op.regions:
            for block in region.blocks:
                counts = counts.beside(self.block(block, inner))
        return self._loop(op, inner, counts) if isinstance(op, ForOp) else counts

    def _pragmas(self, loop: ForOp, options: UnrollLoopPass) -> UnrollLoopPass:
        """The options for a loop; its pragmas are removed."""
        if loop.annotations is None:
            return options
        remaining = dict(loop.annotations.data)
        step, explicit = remaining.pop(MAX_STEP, None), remaining.pop(EXPLICIT, None)
        if isinstance(step, IntegerAttr):
            options = replace(options, auto_max_step=step.value.data)
        if isinstance(explicit, IntegerAttr):
            options = replace(options, explicit_unroll=bool(explicit.value.data))
        if len(remaining) != len(loop.annotations.data):
            self.annotations.append((loop, DictionaryAttr(remaining) if remaining else None))
        return options

    def _loop(self, loop: ForOp, options: UnrollLoopPass, inside: _Counts) -> _Counts:
        extent, kind = loop.static_extent, loop.kind.data
        if inside.blocks:
            extent = None
        marked = kind is ForKind.UNROLLED and extent is not None
        chosen = (
            kind is ForKind.SERIAL
            and extent is not None
            and extent > 0
            and not inside.normal
            and inside.unrolled <= options.auto_max_depth
            and (
                0 < extent * inside.steps <= options.auto_max_step
                or extent <= options.auto_max_extent
                or (options.unroll_local_access and _counts_local(loop))
            )
        )
        if not marked and not chosen:
            return replace(inside, normal=inside.normal + 1)
        assert extent is not None
        operations = inside.operations
        if options.explicit_unroll:
            operations *= extent
            if operations > MAX_OPERATIONS:
                raise _too_many(loop, extent, operations)
            self.copied.append((loop, extent))
        else:
            self.marked.append(loop)
        return _Counts(
            inside.steps * extent, inside.unrolled + 1, inside.normal, operations=operations
        )


def _too_many(loop: ForOp, extent: int, operations: int) -> CodegenError:
    return CodegenError(
        "KC4215",
        f"unroll-loop: {extent} copies of {loop.label} have {operations} operations",
        location=location_of(loop),
        why=f"a loop is unrolled to at most {MAX_OPERATIONS} operations, as compile time grows "
        "faster than the size of the code",
        hints=["split the loop by a small factor and unroll the inner loop"],
    )


def _counts_local(loop: ForOp) -> bool:
    """True if the loop's variable is used in the index of a buffer of scope local."""
    for use in loop.var.uses:
        user = use.operation
        if isinstance(user, LoadOp | StoreOp):
            kind = user.buffer.type
            if isinstance(kind, MemRefType) and kind.memory_space == StringAttr("local"):
                return True
    return False


def unroll(loop: ForOp, extent: int) -> None:
    """Replace a loop by ``extent`` copies of its body, in which its variable is a constant."""
    block = loop.parent
    assert block is not None
    for n in range(extent):
        at = arith.ConstantOp(IntegerAttr(n, INDEX))
        at.location = loop.location
        block.insert_op_before(at, loop)
        values: dict[SSAValue, SSAValue] = {loop.var: at.result}
        for op in loop.body.block.ops:
            copy = op.clone(values)
            block.insert_op_before(copy, loop)
            for old, new in zip(op.walk(), copy.walk(), strict=True):
                new.location = old.location
    loop.detach()
    loop.erase()
