"""gpu-serialize-threads: one thread runs its whole block, in loops over threads between barriers.

Before::

    gpu.func @k(%A: memref<64xf32>, %B: memref<64xf32>) workgroup(%S : memref<64xf32, ...>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %0 = memref.load %A[%t] : memref<64xf32>
      memref.store %0, %S[%t] : memref<64xf32, ...>
      gpu.barrier
      %r = arith.subi %c63, %t : index
      %1 = memref.load %S[%r] : memref<64xf32, ...>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %B[%t] : memref<64xf32>
      gpu.return
    }

After::

    gpu.func @k(...) workgroup(...) kernel attributes {kc.serial_threads, ...} {
      %kept = memref.alloc() : memref<64xf32>
      %c63 = arith.constant 63 : index
      scf.for %t = %c0 to %c64 step %c1 {
        %0 = memref.load %A[%t] : memref<64xf32>
        memref.store %0, %kept[%t] : memref<64xf32>
        memref.store %0, %S[%t] : memref<64xf32, ...>
      }
      scf.for %t_1 = %c0 to %c64 step %c1 {
        %3 = memref.load %kept[%t_1] : memref<64xf32>
        %r = arith.subi %c63, %t_1 : index
        ...
        memref.store %2, %B[%t_1] : memref<64xf32>
      }
      memref.dealloc %kept : memref<64xf32>
      gpu.return
    }

All threads reach a barrier together, so each segment between two barriers is a loop over threads,
which LLVM optimizes like any other loop. ``_thread_segments.py`` computes the segments, and the
values that are stored for other segments. A shuffle is two loops: lanes store their values, then
read the values of other lanes. Memory of a thread becomes memory of all threads, with the thread's
number as its first index. If one segment has all uses, the threads share the memory one after the
other.

A kernel in which no thread waits is left alone. So is a kernel with a barrier or a shuffle under a
condition or in a loop that differs between threads, in an ``scf.while``, or among branches of
``cf``: ``convert-gpu-to-cpu`` turns its threads into coroutines. It also does so if accesses are
watched, as each thread then runs as far as it can.

(pocl: work-item loops. MCUDA; Polygeist: ``-cpuify``.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    LocationAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    UnknownLoc,
    VectorType,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from kc.dialects import gpu
from kc.dialects.gpu import Dimension, GPUFuncOp, GPUModuleOp, LaunchFuncOp
from kc.support.pass_context import pipeline_options
from kc.transforms.gpu._lanes import WARP_SIZE, shuffle_source
from kc.transforms.gpu._thread_segments import (
    OF_A_THREAD,
    ApartError,
    Control,
    Exchange,
    Item,
    Keep,
    Once,
    Plan,
    Segment,
    Step,
    spins,
    used_from_outside,
    waits,
)
from kc.transforms.gpu.gpu_kernel_outlining import constants_of

SERIAL = "kc.serial_threads"
"""The attribute of a kernel that is called once for each block."""

_INDEX = IndexType()
_ACCESSES = (
    memref.LoadOp,
    memref.StoreOp,
    memref.AtomicRMWOp,
    vector.LoadOp,
    vector.StoreOp,
    vector.MaskedLoadOp,
    vector.MaskedStoreOp,
)
"""The accesses to which an index can be added."""


@dataclass(frozen=True)
class GpuSerializeThreadsPass(ModulePass):
    """Turn the threads of a block into loops between their barriers."""

    name = "gpu-serialize-threads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        if pipeline_options().watched:
            return
        launches = [inner for inner in op.walk() if isinstance(inner, LaunchFuncOp)]
        for function in op.walk():
            if isinstance(function, GPUFuncOp) and function.is_kernel and waits(function):
                if any(inner.name.startswith("nvvm.") or spins(inner) for inner in function.walk()):
                    continue  # barriers of some threads, and asynchronous copies
                try:
                    body = _Serialization(function, _launched_so(function, launches)).body()
                except ApartError:
                    continue
                _replace_body(function, body)


def _launched_so(function: GPUFuncOp, launches: Sequence[LaunchFuncOp]) -> bool:
    """True if every launch of a kernel has the block size that the kernel declares."""
    home = function.parent_op()
    assert isinstance(home, GPUModuleOp)
    names = (home.sym_name.data, function.sym_name.data)
    block_size = function.known_block_size
    return block_size is not None and all(
        constants_of(launch.block) == list(block_size.get_values())
        for launch in launches
        if launch.kernel_names == names
    )


def _replace_body(function: GPUFuncOp, body: Region) -> None:
    old = function.detach_region(function.body)
    function.add_region(body)
    for block in old.blocks:
        for op in list(block.ops):
            op.drop_all_references()
    function.attributes[SERIAL] = UnitAttr()


class _Serialization:
    """The new body of a kernel, built next to the old body."""

    def __init__(self, function: GPUFuncOp, is_launched_so: bool) -> None:
        self.function = function
        self.is_launched_so = is_launched_so
        """True if all launches have the block size that the kernel declares."""
        self.plan = Plan(function)
        shared = [*function.arguments, *function.workgroup_memory]
        self.entry = Block(arg_types=[arg.type for arg in shared])
        self.block = self.entry
        """The block to which operations are appended."""
        self.location = function.location
        self.values: dict[SSAValue, SSAValue] = {}
        """The new values of uniform values, and of memory that threads reuse one after the
        other.
        """
        for old, new in zip(shared, self.entry.args, strict=True):
            new.name_hint = old.name_hint
            self.values[old] = new
        self.slots: dict[SSAValue, SSAValue] = {}
        """The arrays with an element for each thread, by the value or the memory that they
        replace.
        """

    def body(self) -> Region:
        """Build the new body."""
        plan = self.plan
        self.zero, self.step = self.number(0), self.number(1)
        self.sizes = [self._size(n) for n in range(3)]
        self.count = self._product([size for size in self.sizes if size != 1])
        self.warp = self.number(WARP_SIZE)
        self.uppers = [
            size if isinstance(size, SSAValue) else self.zero if size == 1 else self.number(size)
            for size in self.sizes
        ]
        arrays: list[SSAValue] = []
        for value, depth in plan.memory.items():
            users = [s for s in plan.segments() if value in set(used_from_outside(s))]
            type_ = value.type
            assert isinstance(type_, MemRefType)
            if len(users) == 1 and users[0].depth == depth:
                alloca = memref.AllocaOp.get(type_.element_type, shape=type_.get_shape())
                self.values[value] = self.emit(alloca, value.name_hint)
            elif users:
                self.slots[value] = self._array(type_.element_type, type_.get_shape(), value)
                arrays.append(self.slots[value])
        for value in plan.crossing:
            if value in plan.same:
                self.slots[value] = self.slots[plan.same[value]]
                continue
            element, shape = value.type, ()
            if isinstance(element, VectorType):
                element, shape = element.element_type, element.get_shape()
            self.slots[value] = self._array(element, shape, value)
            arrays.append(self.slots[value])
        self._items(plan.items)
        for array in arrays:
            self.add(memref.DeallocOp.get(array))
        self.add(gpu.ReturnOp())
        return Region(self.entry)

    def _array(self, element: object, shape: Sequence[int], value: SSAValue) -> SSAValue:
        count = self.count if isinstance(self.count, int) else DYNAMIC_INDEX
        type_ = MemRefType(element, [count, *shape])  # pyright: ignore[reportArgumentType]
        sizes = [] if isinstance(self.count, int) else [self.count]
        return self.emit(memref.AllocOp(sizes, [], type_), value.name_hint)

    # The structure of the kernel

    def _items(self, items: Sequence[Item]) -> None:
        for item in items:
            if isinstance(item, Segment):
                if item.steps:
                    self._segment(item)
            elif isinstance(item, Once):
                self.location = item.op.location
                self.add(item.op.clone(self.values))
            else:
                self._control(item)

    def _control(self, item: Control) -> None:
        op, outer = item.op, self.block
        bodies: list[Region] = []
        for body in item.bodies:
            self.block = Block(arg_types=[_INDEX] if isinstance(op, scf.ForOp) else [])
            if isinstance(op, scf.ForOp):
                self.values[op.body.block.args[0]] = self.block.args[0]
                self.block.args[0].name_hint = op.body.block.args[0].name_hint
            bodies.append(Region(self.block))
            self._items(body)
            self.location = op.location
            self.add(scf.YieldOp())
        self.block, self.location = outer, op.location
        if isinstance(op, scf.ForOp):
            lower, upper, step = (self.values[value] for value in (op.lb, op.ub, op.step))
            self.add(scf.ForOp(lower, upper, step, [], bodies[0]))
        else:
            otherwise = bodies[1] if len(bodies) > 1 else None
            self.add(scf.IfOp(self.values[op.cond], [], bodies[0], otherwise))

    def _segment(self, segment: Segment) -> None:
        """A loop over the threads around the steps of each thread."""
        outer = self.block
        self.location = _location(segment.steps[0]) or self.location
        ids: list[SSAValue] = [self.zero] * 3
        number: SSAValue | None = None
        for n in (2, 1, 0):
            size = self.sizes[n]
            if size == 1:
                continue
            body = Block(arg_types=[_INDEX])
            ids[n] = body.args[0]
            ids[n].name_hint = f"tid_{'xyz'[n]}"
            upper = self.uppers[n]
            self.add(scf.ForOp(self.zero, upper, self.step, [], Region(body)))
            self.block = body
            if number is None:
                number = ids[n]
            else:
                number = self.emit(arith.AddiOp(self.emit(arith.MuliOp(number, upper)), ids[n]))
        _Thread(self, segment, ids, self.zero if number is None else number).write()
        block: Block | None = self.block
        while block is not outer:
            assert block is not None
            self.block = block
            self.add(scf.YieldOp())
            block = block.parent_block()
        self.block = outer

    # Values

    def add(self, op: Operation) -> Operation:
        """Append an operation to the block."""
        for inner in op.walk():
            if isinstance(inner.location, UnknownLoc):
                inner.location = self.location
        self.block.add_op(op)
        return op

    def emit(self, op: Operation, name: str | None = None) -> SSAValue:
        """Append an operation to the block; return its first result."""
        result = self.add(op).results[0]
        result.name_hint = result.name_hint or name
        return result

    def number(self, value: int) -> SSAValue:
        """The constant ``value`` as a new operation."""
        return self.emit(arith.ConstantOp(IntegerAttr(value, _INDEX)))

    def _size(self, axis: int) -> int | SSAValue:
        block_size = self.function.known_block_size
        if block_size is not None and self.is_launched_so:
            return block_size.get_values()[axis]
        dimension = (Dimension.X, Dimension.Y, Dimension.Z)[axis]
        return self.emit(gpu.BlockDimOp(dimension))

    def _product(self, sizes: Sequence[int | SSAValue]) -> int | SSAValue:
        product: int | SSAValue = 1
        for size in sizes:
            if isinstance(size, int) and isinstance(product, int):
                product *= size
            elif product == 1:
                product = size
            else:
                left, right = (self.number(f) if isinstance(f, int) else f for f in (product, size))
                product = self.emit(arith.MuliOp(left, right))
        return product


def _operation(step: Operation | Exchange) -> Operation:
    return step.op if isinstance(step, Exchange) else step


def _location(step: Step) -> LocationAttr | None:
    return None if isinstance(step, Keep) else _operation(step).location


class _Thread:
    """The code of one thread in a segment: the body of the innermost loop."""

    def __init__(
        self, serial: _Serialization, segment: Segment, ids: Sequence[SSAValue], number: SSAValue
    ) -> None:
        self.serial = serial
        self.segment = segment
        self.ids = ids
        self.thread = number
        self.values = dict(serial.values)

    def write(self) -> None:
        """Load the values of other segments, and emit the steps."""
        serial, plan = self.serial, self.serial.plan
        for value in used_from_outside(self.segment):
            self.require(value)
        identities: dict[Operation, SSAValue] = {
            op: self.identity(op)
            for step in self.segment.steps
            if isinstance(step, Operation)
            for op in step.walk()
            if isinstance(op, OF_A_THREAD)
        }
        for step in self.segment.steps:
            serial.location = _location(step) or serial.location
            if isinstance(step, Keep):
                sources = [self.values[source] for _, source in step.pairs]
                for (target, _), source in zip(step.pairs, sources, strict=True):
                    self.keep(target, source)
            elif isinstance(step, Exchange):
                self.exchange(step.op)
            else:
                copy = step.clone(self.values)
                serial.add(copy)
                for inner, old in zip(list(copy.walk()), list(step.walk()), strict=True):
                    if old in identities:
                        inner.results[0].replace_all_uses_with(identities[old])
                        inner.detach()
                        inner.erase()
                    else:
                        self.finish(inner)
            if not isinstance(step, Keep):
                for result in _operation(step).results:
                    if result in plan.crossing:
                        self.keep(result, self.values[result])

    def require(self, value: SSAValue) -> None:
        """Make a value of another segment available: load it, or recompute it."""
        plan, serial = self.serial.plan, self.serial
        home = plan.home.get(value)
        if value in self.values or value in plan.memory or home is self.segment:
            return
        if value in plan.cheap:
            op = value.owner
            assert isinstance(op, Operation)
            if isinstance(op, OF_A_THREAD):
                self.values[value] = self.identity(op)
                return
            for operand in op.operands:
                self.require(operand)
            serial.add(op.clone(self.values))
            return
        if value not in plan.crossing:
            raise ApartError
        self.values[value] = self.saved_value(value, self.thread)

    def saved_value(self, value: SSAValue, thread: SSAValue) -> SSAValue:
        """The value that a thread has stored."""
        array, serial = self.serial.slots[value], self.serial
        if isinstance(value.type, VectorType):
            load: Operation = vector.LoadOp(array, [thread, serial.zero], value.type)
        else:
            load = memref.LoadOp.get(array, [thread])
        return serial.emit(load, value.name_hint)

    def keep(self, value: SSAValue, new: SSAValue) -> None:
        """Store a value for other segments and threads."""
        array, serial = self.serial.slots[value], self.serial
        if isinstance(value.type, VectorType):
            serial.add(vector.StoreOp(new, array, [self.thread, serial.zero]))
        else:
            serial.add(memref.StoreOp.get(new, array, [self.thread]))

    def exchange(self, op: gpu.ShuffleOp) -> None:
        """Read the value of another lane."""
        serial = self.serial
        offset, width = self.values[op.offset], self.values[op.width]
        source, valid = shuffle_source(
            serial.emit, op.mode.data, self.thread, serial.count, offset, width
        )
        if op.value in serial.plan.uniform:
            value = self.values[op.value]
        else:
            value = self.saved_value(op.value, source)
        self.values[op.shuffle_result], self.values[op.valid] = value, valid

    def identity(self, op: Operation) -> SSAValue:
        """The number of this thread in its block, warp or grid, as ``op`` requests."""
        emit = self.serial.emit
        if isinstance(op, gpu.LaneIdOp):
            return emit(arith.RemUIOp(self.thread, self.serial.warp))
        if isinstance(op, gpu.SubgroupIdOp):
            return emit(arith.DivUIOp(self.thread, self.serial.warp))
        assert isinstance(op, gpu.ThreadIdOp | gpu.GlobalIdOp)
        dimension = op.dimension.data
        own = self.ids["xyz".index(dimension.value)]
        if isinstance(op, gpu.ThreadIdOp):
            return own
        block, size = emit(gpu.BlockIdOp(dimension)), emit(gpu.BlockDimOp(dimension))
        return emit(arith.AddiOp(emit(arith.MuliOp(block, size)), own))

    def finish(self, op: Operation) -> None:
        """Make a copied access use the memory of this thread."""
        for n, operand in enumerate(op.operands):
            if operand not in self.serial.plan.memory:
                continue
            if not isinstance(op, _ACCESSES):
                raise ApartError
            slot = self.serial.slots[operand]
            op.operands = [*op.operands[:n], slot, self.thread, *op.operands[n + 1 :]]
            return
