"""The cost of a scheduled kernel: cycles of its loops, and what they fetch into the caches.

A static count, for comparing kernels of one machine: those of some groups of a graph with the one
of all of them. Each outermost loop takes as long as the slowest of its resources:

- instructions: multiply-adds, loads and stores by the vectors of the loops as they are scheduled.
  What a loop does not move stays in a register, and so do buffers of the scope ``local``;
- bytes from each level of memory, by the traffic of :mod:`kc.analysis.cost`. A buffer that the
  loops before have left in a cache is not fetched into it again, whether these belong to the same
  kernel or to one that runs before it.

Buffers have the size that they get by ``compact-buffer-allocation``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp as KernelOp
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.cost import estimate, traffic_by_buffer
from kc.dialects.tir import AllocOp, BlockOp, CallOp, ForKind, ForOp
from kc.graph.cost import ASSUMED
from kc.support import registry
from kc.transforms.auto_schedule.machine import SCALAR_COPY, Machine
from kc.transforms.auto_schedule.nests import Access, Nest, extent, is_own

CALL = 60
"""Cycles of a call of a kernel: its arguments are stored and loaded, and registers are saved."""

_PREPARING = ("lower-init-block", "compact-buffer-allocation")
"""The passes of a build after which buffers have their sizes."""
_FLATTENING = ("lower-blocks", "storage-rewrite", "merge-dimensions")
"""The passes after which buffers share memory, and the digits of one index are that index, so that
what is accessed is a box."""
SHARE = 0.75
"""The part of the L3 cache that one program has of it."""
UNHIDDEN = 0.25
"""The part of the time of transfers beyond the L2 cache that does not pass while something slower
is going on: prefetching begins late, and lines that are written go both ways."""
COMBINED = 20
"""Cycles of the result of a reduction along vectors that the same iteration waits for: the sums of
the last vector are added lane by lane."""

Buffer = int
"""A buffer of a kernel: the number of the argument, or ``~n`` for the n-th that it allocates."""


@dataclass(frozen=True)
class LoopCost:
    """The cost of an outermost loop of a kernel."""

    cycles: float
    """Cycles of its instructions, on one core."""
    tasks: int
    """Iterations that run side by side; 1 if it is not parallel."""
    touched: Mapping[Buffer, int]
    """Bytes that it accesses."""
    fetched: tuple[Mapping[Buffer, int], ...]
    """For each cache: bytes that come into it, if it holds none of them before."""


@dataclass(frozen=True)
class KernelCost:
    """The cost of a scheduled kernel, by its outermost loops in their order."""

    loops: tuple[LoopCost, ...]

    def to_json(self) -> list[Any]:
        """Plain data."""
        return [
            [loop.cycles, loop.tasks, list(loop.touched.items()), _listed(loop.fetched)]
            for loop in self.loops
        ]

    @classmethod
    def of_json(cls, read: Sequence[Any]) -> KernelCost:
        """The cost of its plain data."""
        return cls(
            tuple(
                LoopCost(cycles, tasks, _dict(touched), tuple(map(_dict, fetched)))
                for cycles, tasks, touched, fetched in read
            )
        )


def _listed(maps: Iterable[Mapping[Buffer, int]]) -> list[Any]:
    return [list(each.items()) for each in maps]


def _dict(pairs: Sequence[Sequence[int]]) -> dict[Buffer, int]:
    return {buffer: size for buffer, size in pairs}


def cost_of_kernel(kernel: KernelOp, machine: Machine) -> KernelCost:
    """The cost of the scheduled loops of a kernel, which stay as they are.

    Symbolic sizes count as :data:`kc.graph.cost.ASSUMED`.
    """
    function = _prepared(kernel, *_PREPARING)
    plain = _prepared(function, *_FLATTENING)
    symbols = _symbols(function)
    numbers: dict[SSAValue, Buffer] = {
        argument: number for number, argument in enumerate(plain.args)
    }
    for op in plain.walk():
        if isinstance(op, AllocOp):
            numbers[op.buffer] = ~sum(number < 0 for number in numbers.values())
    caches = (machine.l1, machine.l2, machine.l3)
    parts, flat = [[op] for op in _outermost(function)], [[op] for op in _outermost(plain)]
    if len(parts) != len(flat):  # the block no longer corresponds to a single operation
        parts, flat = [list(chain(*parts))], [list(chain(*flat))]
    loops: list[LoopCost] = []
    for ops, accesses in zip(parts, flat, strict=True):
        touched, *fetched = traffic_by_buffer(plain, accesses, caches, symbols)
        loops.append(
            LoopCost(
                sum(_cycles(function, op, machine, symbols) for op in ops),
                max(map(_tasks, ops), default=1),
                _by_number(touched, numbers),
                tuple(_by_number(each, numbers) for each in fetched),
            )
        )
    return KernelCost(tuple(loops))


def _prepared(kernel: KernelOp, *flags: str) -> KernelOp:
    """A copy of a kernel after some passes."""
    module = ModuleOp([kernel.clone()])
    for flag in flags:
        registry.pass_class(flag)().apply(registry.context(), module)
    (function,) = [op for op in module.body.ops if isinstance(op, KernelOp)]
    return function


def _outermost(kernel: KernelOp) -> list[Operation]:
    return [op for op in kernel.body.block.ops if op.regions]


def _symbols(function: KernelOp) -> dict[str, int]:
    symbols = function.attributes.get("kc.symbols")
    names = [each.data for each in getattr(symbols, "data", ()) if isinstance(each, StringAttr)]
    return dict.fromkeys(names, ASSUMED)


def _by_number(
    sizes: Mapping[SSAValue, int], numbers: Mapping[SSAValue, Buffer]
) -> dict[Buffer, int]:
    return {
        numbers[buffer]: size
        for buffer, size in sizes.items()
        if buffer in numbers and not _is_local(buffer)
    }


def _is_local(buffer: SSAValue) -> bool:
    return is_own(buffer) and loop_tree.memory_scope(buffer) == "local"


def _tasks(op: Operation) -> int:
    """The iterations of the outermost parallel loop."""
    for inner in op.walk():
        if isinstance(inner, ForOp) and inner.kind.data is ForKind.PARALLEL:
            return max(1, extent(inner))
    return 1


# Instructions --------------------------------------------------------------------------------


def _cycles(
    function: KernelOp, op: Operation, machine: Machine, symbols: Mapping[str, int]
) -> float:
    total = 0.0
    for block in op.walk():
        if isinstance(block, BlockOp):
            nest = Nest(block)
            if nest.is_plain:
                total += _cycles_of(nest, machine)
            else:
                total += _cycles_of_calls(nest, machine)
    if total == 0:
        cost = estimate(function, (), symbols, [op])
        total = cost.operations + (cost.loaded + cost.stored) / 4
    return total


def _cycles_of(nest: Nest, machine: Machine) -> float:
    lanes = machine.lanes(nest.bits)
    operations = nest.operations
    if nest.reduction is not None and operations > 1:
        operations -= 1  # a multiply-add is one instruction
    work = operations * _executions(nest.loops, lanes)
    loads = sum(_instructions(load, nest, machine) for load in nest.loads)
    stores = sum(_instructions(store, nest, machine) for store in nest.stores)
    longest = max(
        work / machine.fma_per_cycle,
        loads / machine.loads_per_cycle,
        stores / machine.rates.stores,
    )
    return longest + COMBINED * _waited_for(nest)


def _waited_for(nest: Nest) -> int:
    """The number of results of a reduction along vectors that other blocks in the loop wait for."""
    along = [loop for loop in nest.reduce if _is_vectorized(loop)]
    if not along:
        return 0
    around = nest.loops[: min(map(nest.loops.index, nest.reduce))]
    if not around or sum(isinstance(op, BlockOp) for op in around[-1].walk()) == 1:
        return 0
    return math.prod(max(1, extent(loop)) for loop in nest.spatial)


def _executions(loops: Iterable[ForOp], lanes: int) -> float:
    """The number of times that an instruction in these loops is executed."""
    return math.prod(
        math.ceil(extent(loop) / lanes) if _is_vectorized(loop) else max(1, extent(loop))
        for loop in loops
    )


def _is_vectorized(loop: ForOp) -> bool:
    return loop.kind.data is ForKind.VECTORIZED


def _instructions(access: Access, nest: Nest, machine: Machine) -> float:
    """The number of vectors that an access moves; elements apart from each other are one each."""
    if _is_local(access.buffer):
        return 0
    lanes = machine.lanes(access.bits)
    moving = [loop for loop in nest.loops if access.stride(loop)]
    count = 1.0
    is_inside = True
    for loop in reversed(nest.loops):
        if loop in moving:
            if not _is_vectorized(loop):
                is_inside = is_inside and loop.kind.data is ForKind.UNROLLED
                count *= max(1, extent(loop))
            elif abs(access.stride(loop)) == 1:
                count *= math.ceil(extent(loop) / lanes)
            elif access.regular or loop in access.irregular:
                count *= extent(loop) * SCALAR_COPY / 2
        elif not is_inside and not _is_vectorized(loop):
            count *= max(1, extent(loop))  # each iteration reads the same elements again
    return count


def _cycles_of_calls(nest: Nest, machine: Machine) -> float:
    """The cycles of the tensor intrinsics that a block calls: what they load, and their products
    as multiply-adds of their operands."""
    total = 0.0
    for op in nest.block.walk():
        if isinstance(op, CallOp):
            total += 2 * _executions(nest.loops, machine.lanes(nest.bits))
    return total


# Kernels one after the other -----------------------------------------------------------------


class Caches:
    """The contents of the caches while kernels run: the buffers that were used last."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.sizes = (machine.l1, machine.l2, int(SHARE * machine.l3))
        self.recent: dict[Hashable, int] = {}
        """Buffers and their bytes, those that were used last at the end."""

    def cycles(self, loop: LoopCost, names: Mapping[Buffer, Hashable]) -> float:
        """The cycles of a loop, whose buffers have these names."""
        machine = self.machine
        touched = {names[buffer]: size for buffer, size in loop.touched.items()}
        rates = machine.rates.bandwidths[1:]
        threads = min(loop.tasks, machine.cores)
        if threads > 1:
            threads = loop.tasks / math.ceil(loop.tasks / threads)
        longest = loop.cycles / threads
        own = sum(touched.values())
        hidden = 0.0
        for number, (size, fetched, rate) in enumerate(
            zip(self.sizes, loop.fetched, rates, strict=True)
        ):
            held = self._held(size - own, touched) if own <= size else frozenset[Hashable]()
            moved = sum(count for buffer, count in fetched.items() if names[buffer] not in held)
            is_shared = number == len(self.sizes) - 1  # all threads share the path to memory
            cycles = moved / rate / (1 if is_shared else threads)
            shorter, longest = sorted((cycles, longest))
            hidden += shorter if number else 0
        for name, size in touched.items():
            self.recent.pop(name, None)
            self.recent[name] = size
        start = machine.rates.parallel_start / 4 if loop.tasks > 1 and machine.cores > 1 else 0
        return longest + UNHIDDEN * hidden + start

    def _held(self, room: int, used: Collection[Hashable]) -> frozenset[Hashable]:
        """The buffers that are still in a cache with this room beside what is ``used`` now."""
        held: set[Hashable] = set()
        for name, size in reversed(self.recent.items()):
            room -= 0 if name in used else size
            if room < 0:
                break
            held.add(name)
        return frozenset(held)


def cycles_of_sequence(
    kernels: Sequence[tuple[KernelCost, Sequence[Hashable]]], machine: Machine
) -> float:
    """The cycles of kernels one after the other, with the names of the buffers of their arguments.

    Equal names are one buffer, as what a kernel writes for a later one.
    """
    caches = Caches(machine)
    total = 0.0
    for _ in range(2):  # the second round finds the data of the first in the caches
        total = 0.0
        for number, (kernel, arguments) in enumerate(kernels):
            names = _Names(number, arguments)
            total += CALL + sum(caches.cycles(loop, names) for loop in kernel.loops)
    return total


class _Names(Mapping[Buffer, Hashable]):
    """The names of the buffers of a kernel: those of the arguments, and own ones."""

    def __init__(self, kernel: int, arguments: Sequence[Hashable]) -> None:
        self.kernel = kernel
        self.arguments = arguments

    def __getitem__(self, buffer: Buffer) -> Hashable:
        return self.arguments[buffer] if buffer >= 0 else (self.kernel, buffer)

    def __iter__(self) -> Any:
        return iter(range(len(self.arguments)))

    def __len__(self) -> int:
        return len(self.arguments)
