"""take-workspace: functions get the memory of their buffers from their caller.

Before::

    func.func @f(%A: memref<8xf32>) attributes {kc.workspace} {
      %B = memref.alloc() : memref<1024xf32>
      scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
        %P = memref.alloc() : memref<512xf32>
        ...
        memref.dealloc %P : memref<512xf32>
      }
      memref.dealloc %B : memref<1024xf32>
    }

After::

    func.func @f(%A: memref<8xf32>, %workspace: memref<?xi8>, %threads: index)
        attributes {kc.workspace = array<i64: 4096, 2048>} {
      %B = memref.view %workspace[%c0][] {kc.disjoint} : memref<?xi8> to memref<1024xf32>
      %all = memref.view %workspace[%c4096][%threads * 2048] {kc.disjoint} : ...
      scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
        %thread = tir.thread_number below %threads
        %P = memref.view %all[%thread * 2048][] : memref<?xi8> to memref<512xf32>
        ...
      }
    }

The function allocates nothing, and whoever calls it can plan the memory together with that of other
functions. The numbers of the attribute are the bytes of the function, and the bytes of each thread:
``%workspace`` has at least the first and ``%threads`` times the second, at an address that is a
multiple of 64. ``%threads`` is at least 1; parallel loops run on one thread if there are more.

The attribute without numbers asks for this. With numbers, the last two arguments are there already,
and memory beyond the numbers is allocated as before. So are buffers whose size is known at the call
only, and those with an alignment of more than 64. Buffers on the stack stay there, unless they have
more than ``stack`` bytes.

The layout of the workspace is decided for all buffers of a function at once, so this is no rewrite
pattern.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FixedBitwidthType,
    FunctionType,
    IndexType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    UnitAttr,
    i8,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.loop_tree import functions, preorder
from kc.dialects.memref_views import DISJOINT
from kc.dialects.tir.workers import ThreadNumberOp

WORKSPACE = "kc.workspace"
"""The attribute of a function that gets the memory of its buffers from its caller."""

ALIGNMENT = 64
"""The alignment of a workspace, and of each buffer in it, in bytes."""

Allocation = memref.AllocOp | memref.AllocaOp

BYTES = MemRefType(i8, [DYNAMIC_INDEX])
"""The type of a workspace."""


@dataclass(frozen=True)
class WorkspaceSize:
    """The memory that a function needs, in bytes; multiples of :data:`ALIGNMENT`."""

    shared: int = 0
    per_thread: int = 0

    @classmethod
    def of(cls, function: Operation) -> WorkspaceSize:
        """The size in the attribute of a function; 0 if it has none."""
        size_attr = function.attributes.get(WORKSPACE)
        if not isinstance(size_attr, DenseArrayBase):
            return cls()
        shared, per_thread = size_attr.get_values()
        return cls(int(shared), int(per_thread))

    def bytes(self, threads: int) -> int:
        """The bytes for parallel loops on so many threads."""
        return self.shared + threads * self.per_thread

    @property
    def attribute(self) -> DenseArrayBase:
        """The size as an attribute."""
        return DenseArrayBase.from_list(i64, [self.shared, self.per_thread])


@dataclass(frozen=True)
class TakeWorkspacePass(ModulePass):
    """Replace allocations of functions with ``kc.workspace`` by parts of an argument."""

    name = "take-workspace"

    stack: int = -1
    """The bytes of the largest ``memref.alloca`` that stays; -1: all stay."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in functions(op):
            if WORKSPACE in function.attributes:
                take_workspace(function, self.stack)


def take_workspace(function: FuncOp, stack: int = -1) -> None:
    """Have a function take the memory of its buffers from its last two arguments."""
    attribute = function.attributes[WORKSPACE]
    is_asked = isinstance(attribute, UnitAttr)
    limit = None if is_asked else WorkspaceSize.of(function)
    of_function: dict[Allocation, int] = {}
    of_thread: dict[Allocation, tuple[int, scf.ParallelOp]] = {}
    shared = per_thread = 0
    for op, size in _allocations(function, stack):
        loop = _outermost_parallel(op)
        if loop is None and (limit is None or shared + size <= limit.shared):
            of_function[op] = shared
            shared += size
        elif loop is not None and (limit is None or per_thread + size <= limit.per_thread):
            of_thread[op] = per_thread, loop
            per_thread += size
    needed = WorkspaceSize(shared, per_thread)
    if is_asked:
        if needed == WorkspaceSize():
            del function.attributes[WORKSPACE]
            return
        add_arguments(function, needed)
    workspace, threads = function.body.block.args[-2:]
    start = WorkspaceSize.of(function).shared
    for op, offset in of_function.items():
        at = _Inserter(InsertPoint.before(op))
        view = memref.ViewOp(workspace, at.constant(offset), [], _type(op))
        view.attributes[DISJOINT] = UnitAttr()
        _replace(op, view, at)
    numbers: dict[Operation, SSAValue] = {}
    for op, (offset, loop) in of_thread.items():
        size = _bytes(op)
        assert size is not None
        # The buffers of all threads lie side by side, so that those of two allocs are apart.
        before = _Inserter(InsertPoint.before(loop))
        first = before.constant(start)
        if offset > 0:
            first = before.plus(before.times(threads, offset), start)
        part = memref.ViewOp(workspace, first, [before.times(threads, size)], BYTES)
        part.attributes[DISJOINT] = UnitAttr()
        before.insert(part)
        if loop not in numbers:
            number = ThreadNumberOp(threads)
            _Inserter(InsertPoint.at_start(loop.body.block)).insert(number)
            number.result.name_hint = "thread"
            numbers[loop] = number.result
        at = _Inserter(InsertPoint.before(op))
        _replace(op, memref.ViewOp(part, at.times(numbers[loop], size), [], _type(op)), at)


def add_arguments(function: FuncOp, size: WorkspaceSize) -> None:
    """Give a function the arguments ``%workspace`` and ``%threads``, and the attribute."""
    block = function.body.block
    for name, type_ in (("workspace", BYTES), ("threads", IndexType())):
        block.insert_arg(type_, len(block.args)).name_hint = name
    inputs = [argument.type for argument in block.args]
    outputs = function.function_type.outputs.data
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr([*function.arg_attrs.data, *[DictionaryAttr({})] * 2])
    function.attributes[WORKSPACE] = size.attribute


def _allocations(function: FuncOp, stack: int) -> Iterator[tuple[Allocation, int]]:
    """The buffers that a workspace can hold, with their sizes in it."""
    for op in list(preorder(function)):
        if not isinstance(op, memref.AllocOp | memref.AllocaOp):
            continue
        size = _bytes(op)
        alignment = op.alignment.value.data if op.alignment is not None else 0
        if size is None or alignment > ALIGNMENT or not isinstance(_type(op).layout, NoneAttr):
            continue
        is_on_heap = isinstance(op, memref.AllocOp) and any(_deallocs(op))
        if is_on_heap or (isinstance(op, memref.AllocaOp) and 0 <= stack < size):
            yield op, size


def _type(op: Allocation) -> MemRefType:
    type_ = op.memref.type
    assert isinstance(type_, MemRefType)
    return type_


def _bytes(op: Allocation) -> int | None:
    """The bytes of a buffer, up to a multiple of the alignment; None if they are not known."""
    type_ = _type(op)
    element = type_.element_type
    if not type_.has_static_shape():
        return None
    bits = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    size = math.prod(type_.get_shape()) * -(-bits // 8)
    return -(-size // ALIGNMENT) * ALIGNMENT


def _deallocs(op: Allocation) -> Iterator[Operation]:
    return (use.operation for use in op.memref.uses if isinstance(use.operation, memref.DeallocOp))


def _outermost_parallel(op: Operation) -> scf.ParallelOp | None:
    loop: scf.ParallelOp | None = None
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        if isinstance(parent, scf.ParallelOp):
            loop = parent
        parent = parent.parent_op()
    return loop


def _replace(op: Allocation, view: memref.ViewOp, at: _Inserter) -> None:
    """Put a view in the place of an alloc, which nobody frees any more."""
    at.insert(view)
    for dealloc in list(_deallocs(op)):
        Rewriter.erase_op(dealloc)
    view.location = op.location
    view.result.name_hint = op.memref.name_hint
    op.memref.replace_all_uses_with(view.result)
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class _Inserter:
    """Inserts operations at a place, one after the other."""

    place: InsertPoint

    def insert(self, op: Operation) -> SSAValue:
        Rewriter.insert_op(op, self.place)
        return op.results[0]

    def constant(self, number: int) -> SSAValue:
        return self.insert(arith.ConstantOp.from_int_and_width(number, IndexType()))

    def times(self, value: SSAValue, number: int) -> SSAValue:
        return self.insert(arith.MuliOp(value, self.constant(number), IndexType()))

    def plus(self, value: SSAValue, number: int) -> SSAValue:
        return self.insert(arith.AddiOp(value, self.constant(number), IndexType()))
