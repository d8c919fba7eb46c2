"""lift-constant-blocks: blocks that read only constants become a function that runs at build time.

Before::

    memref.global "private" constant @w : memref<512x1024xbf16> = dense<"0x...">
    func.func @main(%A: memref<512x1024xbf16>, %C: memref<512x512xf32>) {
      %W = memref.get_global @w : memref<512x1024xbf16>
      %W_packed = tir.alloc "W_packed" : memref<32x512x16x2xbf16>
      tir.for %i in 512 { ... tir.block "W_packed" ... reads %W ... writes %W_packed }
      tir.for %i in 512 { ... tir.block "C" ... reads %A, %W_packed ... }
    }

After::

    memref.global "private" @main_W_packed : memref<32x512x16x2xbf16> = uninitialized
    func.func private @main.prepare(%W: memref<512x1024xbf16> {kc.global = @w},
        %W_packed: memref<32x512x16x2xbf16> {kc.global = @main_W_packed}) attributes {kc.prepares} {
      tir.for %i in 512 { ... tir.block "W_packed" ... }
    }
    func.func @main(%A: memref<512x1024xbf16>, %C: memref<512x512xf32>) {
      %W_packed = memref.get_global @main_W_packed : memref<32x512x16x2xbf16>
      tir.for %i in 512 { ... tir.block "C" ... }
    }

Thus weights are packed, padded, converted and inspected once, however often the function is called.
``evaluate-prepared`` runs the function and makes its results constants. A caller that knows
constants only later, such as the arguments of a function of a graph, passes them to :func:`lift`
and runs the returned function itself.

Lifted statements are at the root of a function, or of a branch there, and are pure: loops and
blocks of arithmetic that read constants, and buffers computed from constants alone. They contain no
calls, no values that are known only in a call of the function, and no operation that can fail, such
as a division by zero. Every access is proven to stay in its buffer, as it happens before anybody
calls the function (:mod:`kc.analysis.accesses.proven_accesses`). A lifted buffer has a constant
size, and all its writers are lifted and precede its first reader. Results may have four times the
size of their operands. Tables that are computed without operands, and statements with more than
2^28 iterations, are not lifted, since they cost memory and build time for little gain. Neither are
statements with few iterations and bytes.

The choice of statements is made for all of them together, so this is a walk over a function and no
rewrite pattern. MLIR: constant folding; TVM: ``FoldConstant`` of layout transformations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FixedBitwidthType,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from kc.analysis.accesses.dependence import is_table
from kc.analysis.accesses.proven_accesses import POINTER, stays_inside
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import memory_scope
from kc.dialects.memref_views import GlobalOp
from kc.dialects.tir import (
    DYNAMIC,
    AllocOp,
    BlockOp,
    CallOp,
    ForKind,
    ForOp,
    IfOp,
    LoadOp,
    StoreOp,
    ViewOp,
)
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

PREPARES = "kc.prepares"
"""The attribute of a function that runs when its module is built."""

GLOBAL = "kc.global"
"""The attribute of an argument of such a function that names the global it represents."""

MOST_ITERATIONS = 1 << 28
"""The most iterations of all statements lifted from a function: about a second of run time."""

LEAST = 1 << 10
"""The least sum of iterations and written bytes. Below it, running the statements in each call is
cheaper.
"""

GROWTH = 4
"""The largest ratio of the size of a result to the size of the constants it is computed from."""

_PURE = ("arith.", "math.", "vector.", "affine.")
"""Dialects whose operations are pure functions of their operands."""
_ALLOWED = frozenset(
    (
        *(
            f"tir.{name}"
            for name in ("alloc", "apply", "block", "for", "if", "load", "store", "view")
        ),
        *(f"scf.{name}" for name in ("for", "if", "yield")),
        *(f"llvm.{name}" for name in ("inttoptr", "load", "mlir.constant", "store")),
        POINTER,
    )
)
_FAILING = frozenset(
    f"arith.{name}"
    for name in ("divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi")
)
_KINDS = (ForKind.SERIAL, ForKind.PARALLEL, ForKind.VECTORIZED, ForKind.UNROLLED)


@dataclass
class _Statement:
    """An operation at the root of a function, and the buffers that it uses."""

    op: Operation
    reads: dict[SSAValue, None] = field(default_factory=dict)
    writes: dict[SSAValue, None] = field(default_factory=dict)
    constants: list[arith.ConstantOp] = field(default_factory=list)
    """Constants that are defined outside of the statement."""
    iterations: int = 1


@dataclass(frozen=True)
class Lifted:
    """The parts of a function that :func:`lift` extracted."""

    prepare: FuncOp
    """The function that computes the results: its arguments are the constants, then the results."""
    constants: Sequence[SSAValue]
    """The constants, as values of the original function."""
    results: Sequence[AllocOp]
    """The buffers of the original function whose contents ``prepare`` computes."""


@dataclass(frozen=True)
class LiftConstantBlocksPass(ModulePass):
    """Run blocks that read only constants at build time."""

    name = "lift-constant-blocks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in prepared(op):
            raise CodegenError(
                "KC4112",
                f"lift-constant-blocks: @{function.sym_name.data} would run while the module is "
                "built",
                location=location_of(function),
                why=f"a build runs only functions with {PREPARES} that it made itself, no "
                "function of "
                "its input",
                hints=["kc-opt --evaluate-prepared runs it and replaces its results by constants"],
            )
        for function in list(op.ops):
            if isinstance(function, FuncOp):
                lifted = lift(function, _is_constant)
                if lifted is not None:
                    _use_globals(op, function, lifted)

    def is_needed(self, op: ModuleOp) -> bool:
        """True if the module has constants, or functions that run at build time."""
        tables = (table for table in op.ops if isinstance(table, memref.GlobalOp))
        return any(table.constant is not None for table in tables) or bool(prepared(op))


def prepared(module: ModuleOp) -> list[FuncOp]:
    """The functions that run when the module is built."""
    return [op for op in module.ops if isinstance(op, FuncOp) and PREPARES in op.attributes]


def lift(function: FuncOp, is_constant: Callable[[SSAValue], bool]) -> Lifted | None:
    """Extract the statements that read only constants from a function; None if there are none.

    ``is_constant`` is True for constant buffers: ``memref.get_global``, or arguments. The function
    loses these statements and is otherwise unchanged; the caller replaces the results by the
    buffers that ``prepare`` computes.
    """
    if len(function.body.blocks) != 1:
        return None
    roots = _roots(function.body.block)
    statements = [lifted for op in roots if (lifted := _statement(op, is_constant)) is not None]
    chosen = _choose(statements, is_constant)
    total = sum(statement.iterations for statement in chosen)
    written = sum(_bytes(buffer) for statement in chosen for buffer in statement.writes)
    if total + written < LEAST or total > MOST_ITERATIONS:
        return None
    return _take(function, chosen, is_constant)


def _is_constant(buffer: SSAValue) -> bool:
    return isinstance(buffer.owner, memref.GetGlobalOp) and is_table(buffer.owner)


# Statements -----------------------------------------------------------------------------------


def _roots(block: Block) -> Iterator[Operation]:
    """The operations that run at most once: those of a function body, and of branches in it."""
    for op in block.ops:
        if isinstance(op, IfOp | scf.IfOp):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _roots(inner)
        else:
            yield op


def _statement(op: Operation, is_constant: Callable[[SSAValue], bool]) -> _Statement | None:
    """The statement of an operation at the root of a function; None if it cannot run at build
    time."""
    if not isinstance(op, ForOp | BlockOp | StoreOp):
        return None
    statement, index = _Statement(op), IndexValues()
    for inner in op.walk():
        if not _is_pure(inner) or not stays_inside(inner, index):
            return None
        for operand in inner.operands:
            owner = operand.owner
            if _is_inside(owner, op):
                continue
            if isinstance(owner, arith.ConstantOp):
                statement.constants.append(owner)
            elif not isinstance(operand.type, MemRefType) or not (
                is_constant(operand) or _is_plain_buffer(operand)
            ):
                return None
        if isinstance(inner, LoadOp | StoreOp) or inner.name == POINTER:
            buffer = _buffer_of(
                inner.buffer if isinstance(inner, LoadOp | StoreOp) else inner.operands[0]
            )
            if _is_inside(buffer.owner, op):
                continue
            if not isinstance(inner, StoreOp):
                statement.reads[buffer] = None
            if not isinstance(inner, LoadOp) and not (
                inner.name == POINTER and is_constant(buffer)
            ):
                statement.writes[buffer] = None
    statement.iterations = _iterations(op)
    return statement


def _iterations(op: Operation) -> int:
    own = [
        _iterations(inner)
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
    ]
    extent = op.static_extent or 0 if isinstance(op, ForOp) else 1
    return extent * max(1, sum(own)) if isinstance(op, ForOp) else sum(own)


def _is_pure(op: Operation) -> bool:
    if op.name in _FAILING or not (op.name.startswith(_PURE) or op.name in _ALLOWED):
        return False
    if op.name not in _ALLOWED and any(
        isinstance(operand.type, MemRefType) for operand in op.operands
    ):
        return False  # vector.store and affine.load access memory in ways that are not read here
    if isinstance(op, ForOp):
        return op.kind.data in _KINDS and op.axis is None and op.static_extent is not None
    return not isinstance(op, AllocOp) or _is_plain_buffer(op.buffer)


def _is_inside(owner: Operation | Block, op: Operation) -> bool:
    parent = owner.parent_op() if isinstance(owner, Block) else owner
    while parent is not None:
        if parent is op:
            return owner is not op
        parent = parent.parent_op()
    return False


def _buffer_of(buffer: SSAValue) -> SSAValue:
    """The buffer at the root of a view."""
    while isinstance(buffer.owner, ViewOp):
        buffer = buffer.owner.buffer
    return buffer


def _is_plain_buffer(buffer: SSAValue) -> bool:
    """True if a buffer could be a constant: it has a constant size, is in global memory, and its
    elements are whole bytes.
    """
    type_ = buffer.type
    if not isinstance(buffer.owner, AllocOp) or not isinstance(type_, MemRefType):
        return False
    element = type_.element_type
    return (
        DYNAMIC not in type_.get_shape()
        and memory_scope(buffer) == "global"
        and isinstance(type_.layout, NoneAttr)
        and isinstance(element, FixedBitwidthType)
        and element.bitwidth in (8, 16, 32, 64)
    )


# The choice -----------------------------------------------------------------------------------


def _choose(
    statements: Sequence[_Statement], is_constant: Callable[[SSAValue], bool]
) -> list[_Statement]:
    """The statements that depend on constants alone and whose buffers no other statement writes."""
    chosen = list(statements)
    while True:
        gone = {statement.op for statement in chosen}
        allowed = [statement for statement in chosen if _may_go(statement, gone, is_constant)]
        sizes = _sizes(allowed, is_constant)
        allowed = [
            statement
            for statement in allowed
            if all(sizes.get(buffer, True) for buffer in statement.writes)
        ]
        if len(allowed) == len(chosen):
            return allowed
        chosen = allowed


def _may_go(
    statement: _Statement, gone: set[Operation], is_constant: Callable[[SSAValue], bool]
) -> bool:
    for buffer in (*statement.reads, *statement.writes):
        if is_constant(buffer):
            if buffer in statement.writes:
                return False
            continue
        alloc = buffer.owner
        if not isinstance(alloc, AllocOp) or alloc.parent is not statement.op.parent:
            return False
        uses = list(_uses(buffer, alloc))
        if any(writes and root not in gone for root, writes in uses):
            return False
        block = alloc.parent
        assert block is not None
        read = [block.get_operation_index(root) for root, _ in uses if root not in gone]
        is_late = bool(read) and block.get_operation_index(statement.op) > min(read)
        if is_late and buffer in statement.writes:
            return False
    return True


def _uses(buffer: SSAValue, alloc: AllocOp) -> Iterator[tuple[Operation, bool]]:
    """The operations in the block of an allocation that use the buffer or its views, each with True
    if it may write the buffer.
    """
    block = alloc.parent
    assert block is not None
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, ViewOp):
            yield from _uses(op.result, alloc)
            continue
        root = block.find_ancestor_op_in_block(op)
        assert root is not None
        if isinstance(op, CallOp):
            modes = zip(op.arguments, op.modes, strict=True)
            yield root, any(argument is buffer and mode.data != "read" for argument, mode in modes)
        else:
            yield root, not isinstance(op, LoadOp)


def _sizes(
    statements: Sequence[_Statement], is_constant: Callable[[SSAValue], bool]
) -> dict[SSAValue, bool]:
    """For each written buffer, True if it is not much larger than the constants it is computed
    from."""
    bytes_read: dict[SSAValue, int] = {}
    fitting: dict[SSAValue, bool] = {}
    for statement in statements:
        read = sum(
            _bytes(buffer) if is_constant(buffer) else bytes_read.get(buffer, 0)
            for buffer in statement.reads
            if buffer not in statement.writes
        )
        for buffer in statement.writes:
            bytes_read[buffer] = max(bytes_read.get(buffer, 0), read)
            fitting[buffer] = 0 < _bytes(buffer) <= GROWTH * bytes_read[buffer]
    return fitting


def _bytes(buffer: SSAValue) -> int:
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    element = type_.element_type
    width = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return math.prod(type_.get_shape()) * width // 8


# The rewrite ----------------------------------------------------------------------------------


def _take(
    function: FuncOp, chosen: Sequence[_Statement], is_constant: Callable[[SSAValue], bool]
) -> Lifted | None:
    gone = {statement.op for statement in chosen}
    used = dict.fromkeys(buffer for each in chosen for buffer in (*each.reads, *each.writes))
    constants = [buffer for buffer in used if is_constant(buffer)]
    allocs = [buffer.owner for buffer in used if isinstance(buffer.owner, AllocOp)]
    results = [
        alloc for alloc in allocs if any(root not in gone for root, _ in _uses(alloc.buffer, alloc))
    ]
    if not results:
        return None
    arguments = [*constants, *(alloc.buffer for alloc in results)]
    body = Block(arg_types=[value.type for value in arguments])
    for alloc in allocs:
        if alloc not in results:  # what is between
            alloc.detach()
            body.add_op(alloc)
    numbers: dict[SSAValue, SSAValue] = {}
    for statement in chosen:
        for constant in statement.constants:
            if constant.result not in numbers:
                number = constant.clone()
                body.add_op(number)
                numbers[constant.result] = number.result
        statement.op.detach()
        body.add_op(statement.op)
    for value, argument in zip(arguments, body.args, strict=True):
        argument.name_hint = value.name_hint or _label(value)
        numbers[value] = argument
    for value, new in numbers.items():
        for use in list(value.uses):
            if not _is_inside(use.operation, function):
                use.operation.operands[use.index] = new
    body.add_op(ReturnOp())
    prepare = FuncOp(
        f"{function.sym_name.data}.prepare",
        FunctionType.from_lists([value.type for value in arguments], []),
        Region(body),
        StringAttr("private"),
    )
    prepare.attributes[PREPARES] = UnitAttr()
    prepare.location = function.location
    return Lifted(prepare, constants, results)


def _label(value: SSAValue) -> str | None:
    return value.owner.label if isinstance(value.owner, AllocOp) else None


def _use_globals(module: ModuleOp, function: FuncOp, lifted: Lifted) -> None:
    """Replace the results by globals, which the function reads."""
    taken = {
        symbol.data
        for op in module.ops
        if isinstance(symbol := op.get_attr_or_prop("sym_name"), StringAttr)
    }
    names: list[str] = []
    for value in lifted.constants:
        assert isinstance(value.owner, memref.GetGlobalOp)
        names.append(value.owner.name_.string_value())
    for alloc in lifted.results:
        name = _fresh(f"{function.sym_name.data}_{alloc.label}", taken)
        names.append(name)
        result = GlobalOp.build(
            properties={
                "sym_name": StringAttr(name),
                "type": alloc.buffer.type,
                "initial_value": UnitAttr(),
                "sym_visibility": StringAttr("private"),
                "alignment": IntegerAttr(64, i64),
            }
        )
        result.location = alloc.location
        module.body.block.insert_op_before(result, function)
        read = memref.GetGlobalOp(SymbolRefAttr(name), alloc.buffer.type)
        read.results[0].name_hint = alloc.label
        read.location = alloc.location
        block = alloc.parent
        assert block is not None
        block.insert_op_before(read, alloc)
        alloc.buffer.replace_all_uses_with(read.results[0])
        alloc.detach()
        alloc.erase()
    for value in lifted.constants:
        if not value.uses:
            owner = value.owner
            assert isinstance(owner, Operation)
            owner.detach()
            owner.erase()
    prepare = lifted.prepare
    prepare.properties["sym_name"] = StringAttr(_fresh(prepare.sym_name.data, taken))
    prepare.properties["arg_attrs"] = ArrayAttr[DictionaryAttr](
        [DictionaryAttr({GLOBAL: SymbolRefAttr(name)}) for name in names]
    )
    module.body.block.insert_op_before(prepare, function)


def _fresh(name: str, taken: set[str]) -> str:
    fresh = next(
        candidate
        for n in range(len(taken) + 1)
        if (candidate := f"{name}_{n}" if n else name) not in taken
    )
    taken.add(fresh)
    return fresh
