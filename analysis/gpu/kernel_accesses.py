"""The cost of a kernel's memory accesses, and facts that hold for them, without running the kernel.

The threads of the first block execute the first iteration of each loop: thread numbers, and all
values computed from them, are vectors with an element for each thread. The resulting addresses are
grouped into sectors and wavefronts as ``kc.gpu.check`` does it for all blocks and iterations.
Values that depend on the contents of arrays are unknown, and an access through such a value has no
row.

Two verdicts hold for all blocks and iterations; :mod:`kc.analysis.gpu.access_patterns` separates
the part of an address that differs between threads from the part that they share. An access is
*coalesced* if no warp ever touches more sectors than the minimum for its bytes, and *uncoalesced*
if every warp with two or more active lanes does; *conflict-free* and *conflict* are defined
likewise. ``kc.gpu.check`` counts the same.

Bounds of the values over all blocks and iterations show whether an index is inside of its array,
and a value that is uniform in a block shows that all its threads reach a barrier. A positive answer
is certain; without a positive answer, the kernel may still be correct.
:mod:`kc.analysis.gpu.kernel_safety` proves more, and also disproves.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, NoneAttr, VectorType
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis.gpu.access_patterns import WARP_SIZE, Patterns, Verdict, warp_cost
from kc.analysis.gpu.kernel_launches import NO_SHAPES, Shapes, launch_sizes
from kc.analysis.gpu.kernel_safety import SafetyVerdict, safety_of
from kc.dialects import gpu
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr, GPUFuncOp
from kc.support.diagnostics import Location
from kc.support.locations import location_of

_READS = (memref.LoadOp, vector.LoadOp)
_WRITES = (memref.StoreOp, memref.AtomicRMWOp, vector.StoreOp)


@dataclass(frozen=True)
class AccessCost:
    """The cost of an access for a block that executes it once.

    ``warps`` execute it. ``transactions`` counts sectors of 32 bytes of global memory, or
    wavefronts of shared memory; ``least`` is the minimum for these bytes, and ``conflicts`` the
    extra wavefronts of bank conflicts. ``is_inside``: the access stays inside the array in all
    blocks and iterations; None if this is not certain.
    """

    buffer: str
    access: str
    memory: str
    location: Location | None
    warps: int
    transactions: int
    least: int
    conflicts: int
    is_inside: bool | None
    verdict: Verdict | None = None
    """The verdict for all blocks and iterations; None if undecided."""

    @property
    def site(self) -> tuple[str, str, str, Location | None]:
        """The key of the access in a report."""
        return self.buffer, self.access, self.memory, self.location

    def __str__(self) -> str:
        unit = "sectors" if self.memory == "global" else "wavefronts"
        parts = [
            f"{self.buffer} {self.access}: warps {self.warps}, {unit} {self.transactions}, "
            f"least {self.least}"
        ]
        if self.conflicts:
            parts.append(f"bank conflicts {self.conflicts}")
        if self.verdict is not None:
            parts.append(self.verdict)
        if self.is_inside:
            parts.append("inside of its bounds")
        return ", ".join(parts)


@dataclass(frozen=True)
class KernelVerdicts:
    """The facts proven for a kernel."""

    name: str
    accesses: tuple[AccessCost, ...]
    is_unanimous: bool | None
    """True if all threads of a block reach each barrier; None if this is not certain."""
    safety: tuple[SafetyVerdict, ...] = ()
    """For each kind of mistake: proven absent, proven present, or undecided."""
    without_cost: frozenset[tuple[str, str, str, Location | None]] = frozenset()
    """The keys of the array accesses whose cost is unknown."""

    def lines(self) -> list[str]:
        """The verdicts as text, one line each."""
        return [str(line) for line in (*self.accesses, *self.safety)]


def verdicts_of(kernel: GPUFuncOp, shapes: Shapes = NO_SHAPES) -> KernelVerdicts:
    """The verdicts on a kernel. Without a known block size, no access has a cost. ``shapes`` are
    the symbolic sizes in the host functions that launch the kernel.
    """
    grid, sizes = launch_sizes(kernel)
    threads = [size for size in sizes if size is not None]
    reader = _Reader(kernel, grid, threads if len(threads) == len(sizes) else None)
    reader.read(kernel.body.blocks[0], None)
    safety = safety_of(kernel, is_unanimous=reader.is_unanimous is True, shapes=shapes)
    name = kernel.sym_name.data
    without_cost = frozenset(reader.without_cost)
    return KernelVerdicts(name, tuple(reader.accesses), reader.is_unanimous, safety, without_cost)


def verdict_of(
    site: tuple[str, str, str, Location | None], kernels: Iterable[KernelVerdicts]
) -> Verdict | None:
    """The common verdict on all accesses with the key ``site``; None if a verdict is undecided or
    two verdicts differ.
    """
    verdicts: set[Verdict | None] = set()
    for kernel in kernels:
        verdicts.update(cost.verdict for cost in kernel.accesses if cost.site == site)
        if site in kernel.without_cost:
            verdicts.add(None)
    return verdicts.pop() if len(verdicts) == 1 else None


@dataclass(frozen=True)
class _Value:
    """A value in each thread, for the first block and iteration, and the bounds of the value over
    all blocks and iterations.
    """

    first: Any
    low: Any
    high: Any


class _Reader:
    """Reads a kernel in program order."""

    def __init__(
        self, kernel: GPUFuncOp, grid: Sequence[int | None], block_size: list[int] | None
    ) -> None:
        import numpy as np

        self.np = np
        self.kernel = kernel
        self.size = block_size
        self.grid = grid
        self.values: dict[SSAValue, _Value] = {}
        self.accesses: list[AccessCost] = []
        self.is_unanimous: bool | None = True
        self.varying: set[SSAValue] = set()
        """The values that may differ between the threads of a block."""
        self.without_cost: set[tuple[str, str, str, Location | None]] = set()
        self.patterns = Patterns(self.size or [1, 1, 1], self.varying)

    def read(self, block: Block, active: Any, *, is_together: bool = True) -> None:
        """Read the operations of a block, executed by the threads of ``active``; None means all
        threads.
        """
        for op in block.ops:
            if isinstance(op, gpu.BarrierOp) and not is_together:
                self.is_unanimous = None
            if isinstance(op, scf.IfOp):
                condition = self.values.get(op.cond)
                together = is_together and op.cond not in self.varying
                taken = None if condition is None else condition.first != 0
                self._results_vary(op, together)
                for region, chosen in zip(
                    op.regions, (taken, None if taken is None else ~taken), strict=True
                ):
                    if region.blocks:
                        mask = (
                            active
                            if chosen is None
                            else chosen
                            if active is None
                            else active & chosen
                        )
                        with self.patterns.branch(op, is_taken=region is op.true_region):
                            self.read(region.block, mask, is_together=together)
            elif isinstance(op, scf.ForOp):
                bounds = (op.lb, op.ub, op.step)
                together = is_together and not any(value in self.varying for value in bounds)
                self._results_vary(op, together=False)
                self.varying.update(op.body.block.args[1:])
                if not together:
                    self.varying.add(op.body.block.args[0])
                self._iterate(op)
                with self.patterns.loop(op, is_together=together):
                    self.read(op.body.block, active, is_together=together)
            elif op.regions:
                self._results_vary(op, together=False)
                for region in op.regions:
                    for inner in region.blocks:
                        self.varying.update(inner.args)
                        with self.patterns.unknown_threads():
                            self.read(inner, active, is_together=False)
            elif isinstance(op, (*_READS, *_WRITES)):
                self.varying.update(op.results)
                self._access(op, active)
            else:
                self._compute(op)

    def _results_vary(self, op: Operation, together: bool) -> None:
        if not together:
            self.varying.update(op.results)

    def _iterate(self, op: scf.ForOp) -> None:
        low, high = self.values.get(op.lb), self.values.get(op.ub)
        if low is None or high is None:
            return
        last = self.np.maximum(high.high - 1, low.low)
        variable = _Value(low.first, low.low, last)
        self.values[op.body.block.args[0]] = variable

    # Values

    def _compute(self, op: Operation) -> None:
        np = self.np
        if isinstance(op, gpu.ThreadIdOp | gpu.LaneIdOp | gpu.SubgroupIdOp | gpu.GlobalIdOp):
            self.varying.update(op.results)
        elif any(value in self.varying for value in op.operands) or not _is_known(op):
            self.varying.update(op.results)
        if self.size is None or len(op.results) != 1:
            return
        value: _Value | None = None
        count = prod(self.size)
        zero = np.zeros(count, np.int64)
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            number = zero + op.value.value.data
            value = _Value(number, number, number)
        elif isinstance(op, gpu.ThreadIdOp):
            axis = "xyz".index(op.dimension.data.value)
            number = np.arange(count) // prod(self.size[:axis]) % self.size[axis]
            value = _Value(number, number, number)
        elif isinstance(op, gpu.BlockDimOp):
            number = zero + self.size["xyz".index(op.dimension.data.value)]
            value = _Value(number, number, number)
        elif isinstance(op, gpu.BlockIdOp):
            axis = "xyz".index(op.dimension.data.value)
            most = (self.grid[axis] or 2**31) - 1
            value = _Value(zero, zero, zero + most)
        else:
            operands = [self.values.get(operand) for operand in op.operands]
            values = [operand for operand in operands if operand is not None]
            if len(values) == len(operands):
                value = self._of_operation(op, values)
        if value is not None:
            self.values[op.results[0]] = value
        self.patterns.compute(op, None if value is None else (value.low, value.high))

    def _of_operation(self, op: Operation, operands: Sequence[_Value]) -> _Value | None:
        np = self.np
        if isinstance(op, arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp):
            return operands[0]
        function: Callable[[Any, Any], Any] | None = _FUNCTIONS.get(op.name)
        if isinstance(op, arith.CmpiOp):
            compare = _COMPARISONS.get(op.predicate.value.data)
            if compare is None:
                return None
            first = compare(operands[0].first, operands[1].first).astype(np.int64)
            return _Value(first, first * 0, first * 0 + 1)
        if function is None:
            return None
        left, right = operands
        if op.name in _REMAINDERS or op.name in _QUOTIENTS:
            divisor = right.low
            if not (divisor == right.high).all() or (divisor <= 0).any() or (left.low < 0).any():
                return None
            if op.name in _REMAINDERS:
                wraps = left.low // divisor != left.high // divisor
                low = np.where(wraps, 0, left.low % divisor)
                high = np.where(wraps, divisor - 1, left.high % divisor)
                return _Value(left.first % divisor, low, high)
        corners = [function(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        return _Value(
            function(left.first, right.first),
            np.minimum.reduce(corners),
            np.maximum.reduce(corners),
        )

    # Accesses

    def _access(self, op: Operation, active: Any) -> None:
        is_write = isinstance(op, _WRITES)
        buffer, *indices = op.operands[1:] if is_write else op.operands
        type_ = buffer.type
        if not isinstance(type_, MemRefType) or self.size is None:
            return
        memory = _memory(type_, buffer, self.kernel)
        shape = type_.get_shape()
        places = [self.values[index] for index in indices if index in self.values]
        is_plain = isinstance(type_.layout, NoneAttr)
        if memory is None:
            return
        what, width = "written" if is_write else "read", _width(type_)
        if isinstance(op, memref.AtomicRMWOp):
            what = "updated"
        value = op.operands[0] if is_write else op.results[0]
        lanes = value.type.element_count() if isinstance(value.type, VectorType) else 1
        pattern = self.patterns.place(shape, indices) if is_plain else None
        verdict = None if pattern is None else self.patterns.verdict(pattern, width, lanes, memory)
        is_known = is_plain and len(places) == len(indices)
        is_known &= all(
            size != DYNAMIC_INDEX or set(shape[:n]) <= {1} for n, size in enumerate(shape)
        )
        if not is_known and verdict is None:
            site = buffer.name_hint or "memory", what, memory, location_of(op)
            self.without_cost.add(site)
            return
        place = self.np.zeros(prod(self.size), self.np.int64)
        inside = is_known
        # the verdict for all blocks and iterations is enough
        if not is_known and pattern is not None:
            place, places = pattern.each, []
        for n, index in enumerate(places):
            place = place * (shape[n] if n else 1) + index.first
            room = lanes - 1 if n == len(places) - 1 else 0
            if shape[n] == DYNAMIC_INDEX:
                inside = False
            else:
                inside &= bool((index.low >= 0).all() and (index.high + room < shape[n]).all())
        threads = self.np.arange(prod(self.size)) if active is None else self.np.flatnonzero(active)
        warps = transactions = least = conflicts = 0
        for number in self.np.unique(threads // WARP_SIZE):
            warp = threads[threads // WARP_SIZE == number]
            needed = warp_cost(place[warp] * width, warp % WARP_SIZE, width * lanes, memory)
            warps += 1
            transactions += needed[0]
            least += needed[1]
            conflicts += needed[2]
        self.accesses.append(
            AccessCost(
                buffer.name_hint or "memory",
                what,
                memory,
                location_of(op),
                warps,
                transactions,
                least,
                conflicts,
                inside or None,
                verdict,
            )
        )


def _is_known(op: Operation) -> bool:
    """True if the results depend only on the operands."""
    kinds = gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp | memref.DimOp
    return op.name.startswith("arith.") or isinstance(op, kinds)


_QUOTIENTS = ("arith.divui", "arith.divsi", "arith.floordivsi")
_REMAINDERS = ("arith.remui", "arith.remsi")
"""Division variants that agree for a constant divisor and a non-negative dividend."""
_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    **dict.fromkeys(_QUOTIENTS, operator.floordiv),
    **dict.fromkeys(_REMAINDERS, operator.mod),
    "arith.minsi": lambda a, b: a + (b - a) * (b < a),
    "arith.maxsi": lambda a, b: a + (b - a) * (b > a),
}
_COMPARISONS: dict[int, Callable[[Any, Any], Any]] = {
    0: operator.eq,
    1: operator.ne,
    2: operator.lt,
    3: operator.le,
    4: operator.gt,
    5: operator.ge,
}
"""Comparisons by the number of the predicate, without the unsigned ones."""


def _memory(type_: MemRefType, buffer: SSAValue, kernel: GPUFuncOp) -> str | None:
    """The memory of a buffer, "global" or "shared"; None for memory of a single thread."""
    space = type_.memory_space
    if isinstance(space, AddressSpaceAttr):
        return "shared" if space.data is AddressSpace.WORKGROUP else None
    return "global" if buffer in kernel.arguments else None


def _width(type_: MemRefType) -> int:
    """Bytes of an element."""
    return max(getattr(type_.element_type, "bitwidth", 64) // 8, 1)
