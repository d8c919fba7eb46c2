"""What the accesses of a kernel cost, and what is certain of them, without running it.

The threads of one block do the first iteration of each loop in the first block: their numbers are
vectors with an element for each thread, and what is computed of them is, too. The addresses that
follow are told into sectors and wavefronts as ``kc.gpu.check`` does it for all blocks and
iterations. What follows from the contents of arrays is not known, and an access by it has no row.

Bounds of the same values, over all blocks and iterations, say whether an index is inside of its
array; and whether a value is the same for all threads of a block says whether they all come to a
barrier. Both are certain where they are said, and where they are not, the kernel may be right all
the same. :mod:`kc.analysis.kernel_safety` proves more, and disproves.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, NoneAttr, VectorType
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis.kernel_launches import launch_sizes
from kc.analysis.kernel_safety import SafetyVerdict, safety_of
from kc.dialects import gpu
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr, GPUFuncOp
from kc.support.diagnostics import Location
from kc.support.locations import location_of

WARP_SIZE = 32
_SECTOR, _BANKS, _WORD = 32, 32, 4
_READS = (memref.LoadOp, vector.LoadOp)
_WRITES = (memref.StoreOp, vector.StoreOp)


@dataclass(frozen=True)
class AccessCost:
    """What one access costs a block that does it once.

    ``warps`` do it. ``transactions`` are sectors of 32 bytes of the device's memory, or wavefronts
    of a block's, ``least`` how few would do, and ``conflicts`` the wavefronts that lanes wait for.
    ``is_inside``: no block and no iteration leaves the array; None where that is not certain.
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

    def __str__(self) -> str:
        unit = "sectors" if self.memory == "global" else "wavefronts"
        parts = [
            f"{self.buffer} {self.access}: warps {self.warps}, {unit} {self.transactions}, "
            f"least {self.least}"
        ]
        if self.conflicts:
            parts.append(f"bank conflicts {self.conflicts}")
        if self.is_inside:
            parts.append("inside of its bounds")
        return ", ".join(parts)


@dataclass(frozen=True)
class KernelVerdicts:
    """What is certain of a kernel."""

    name: str
    accesses: tuple[AccessCost, ...]
    is_unanimous: bool | None
    """All threads of a block come to each barrier; None where that is not certain."""
    safety: tuple[SafetyVerdict, ...] = ()
    """For each kind of mistake: proven not to be there, to be there, or undecided."""

    def lines(self) -> list[str]:
        """The verdicts in words, a line each."""
        return [str(line) for line in (*self.accesses, *self.safety)]


def verdicts_of(kernel: GPUFuncOp) -> KernelVerdicts:
    """The accesses of a kernel whose block size is known; none, where it is not."""
    grid, sizes = launch_sizes(kernel)
    threads = [size for size in sizes if size is not None]
    reader = _Reader(kernel, grid, threads if len(threads) == len(sizes) else None)
    reader.read(kernel.body.blocks[0], None)
    safety = safety_of(kernel, is_unanimous=reader.is_unanimous is True)
    name = kernel.sym_name.data
    return KernelVerdicts(name, tuple(reader.accesses), reader.is_unanimous, safety)


@dataclass(frozen=True)
class _Value:
    """Of each thread: what it is in the first block and iteration, and its bounds over all."""

    first: Any
    low: Any
    high: Any


class _Reader:
    """Reads a kernel."""

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
        """What may differ between the threads of a block."""

    def read(self, block: Block, active: Any, *, is_together: bool = True) -> None:
        """Read the operations of a block, which the threads of ``active`` do, all if it is None."""
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
                        self.read(region.block, mask, is_together=together)
            elif isinstance(op, scf.ForOp):
                bounds = (op.lb, op.ub, op.step)
                together = is_together and not any(value in self.varying for value in bounds)
                self._results_vary(op, together=False)
                self.varying.update(op.body.block.args[1:])
                if not together:
                    self.varying.add(op.body.block.args[0])
                self._iterate(op)
                self.read(op.body.block, active, is_together=together)
            elif op.regions:
                self._results_vary(op, together=False)
                for region in op.regions:
                    for inner in region.blocks:
                        self.varying.update(inner.args)
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
            known = [operand for operand in operands if operand is not None]
            if len(known) == len(operands):
                value = self._of_operation(op, known)
        if value is not None:
            self.values[op.results[0]] = value

    def _of_operation(self, op: Operation, given: Sequence[_Value]) -> _Value | None:
        np = self.np
        if isinstance(op, arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp):
            return given[0]
        function: Callable[[Any, Any], Any] | None = _FUNCTIONS.get(op.name)
        if isinstance(op, arith.CmpiOp):
            compare = _COMPARISONS.get(op.predicate.value.data)
            if compare is None:
                return None
            first = compare(given[0].first, given[1].first).astype(np.int64)
            return _Value(first, first * 0, first * 0 + 1)
        if function is None:
            return None
        left, right = given
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
        known = [self.values[index] for index in indices if index in self.values]
        is_plain = isinstance(type_.layout, NoneAttr) and DYNAMIC_INDEX not in shape[1:]
        if memory is None or not is_plain or len(known) < len(indices):
            return
        value = op.operands[0] if is_write else op.results[0]
        lanes = value.type.element_count() if isinstance(value.type, VectorType) else 1
        place = self.np.zeros(prod(self.size), self.np.int64)
        inside = True
        for n, index in enumerate(known):
            place = place * (shape[n] if n else 1) + index.first
            room = lanes - 1 if n == len(known) - 1 else 0
            if shape[n] == DYNAMIC_INDEX:
                inside = False
            else:
                inside &= bool((index.low >= 0).all() and (index.high + room < shape[n]).all())
        width = _width(type_)
        threads = self.np.arange(prod(self.size)) if active is None else self.np.flatnonzero(active)
        warps = transactions = least = conflicts = 0
        for number in self.np.unique(threads // WARP_SIZE):
            warp = threads[threads // WARP_SIZE == number]
            needed = _cost(place[warp] * width, warp % WARP_SIZE, width * lanes, memory)
            warps += 1
            transactions += needed[0]
            least += needed[1]
            conflicts += needed[2]
        self.accesses.append(
            AccessCost(
                buffer.name_hint or "memory",
                "written" if is_write else "read",
                memory,
                location_of(op),
                warps,
                transactions,
                least,
                conflicts,
                inside or None,
            )
        )


def _is_known(op: Operation) -> bool:
    """Whether its results follow from its operands alone."""
    return op.name.startswith("arith.") or isinstance(op, gpu.BlockIdOp | gpu.BlockDimOp)


_QUOTIENTS = ("arith.divui", "arith.divsi", "arith.floordivsi")
_REMAINDERS = ("arith.remui", "arith.remsi")
"""By a constant, of what is not negative, they are all the same."""
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
"""By the number of the predicate; those of unsigned numbers are left out."""


def _memory(type_: MemRefType, buffer: SSAValue, kernel: GPUFuncOp) -> str | None:
    """ "global" or "shared"; None for memory of a thread."""
    space = type_.memory_space
    if isinstance(space, AddressSpaceAttr):
        return "shared" if space.data is AddressSpace.WORKGROUP else None
    return "global" if buffer in kernel.arguments else None


def _width(type_: MemRefType) -> int:
    """Bytes of an element."""
    return max(getattr(type_.element_type, "bitwidth", 64) // 8, 1)


def _cost(places: Any, lanes: Any, width: int, memory: str) -> tuple[int, int, int]:
    """What a warp moves, the least, and conflicts (``emulator.c``)."""
    import numpy as np

    def distinct(unit: int, chosen: Any) -> Any:
        parts = np.arange(0, width, min(unit, width))
        return np.unique((places[chosen, None] + parts) // unit)

    if memory == "global":
        sectors = len(distinct(_SECTOR, slice(None)))
        least = -(-len(places) * width // _SECTOR)
        return sectors, min(least, sectors), 0
    group = WARP_SIZE if width <= 4 else 16 if width <= 8 else 8
    needed: list[int] = []
    for first in range(0, WARP_SIZE, group):
        words = distinct(_WORD, (lanes >= first) & (lanes < first + group))
        if len(words):
            needed.append(int(np.bincount(words % _BANKS).max()))
    return sum(needed), len(needed), sum(needed) - len(needed)
