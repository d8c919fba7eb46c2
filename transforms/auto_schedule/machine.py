"""The processor for the rules: the numbers of the cost model.

Sizes of vectors and caches and the number of registers come from the target.
:mod:`kc.support.rates` has the throughput of a core, by family of cores; :class:`Machine` gives it
for the registers of the target. Decisions depend only on ratios of such numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc.support.rates import Rates, rates_of
from kc.support.target import Target

LOAD_COST = 0.05
"""The cycles that a load costs even if another bound hides it. Of two equally fast tiles, the tile
with fewer loads is less sensitive to cache misses.
"""

SCALAR_COPY = 2.0
"""The cycles to move an element that is not contiguous at its source or at its destination."""

TILE_INSTRUCTIONS = ("tdpbf16ps", "tdpfp16ps", "tdpbusd")
"""The instructions that multiply tiles. The size of a tile does not depend on that of vectors."""

PAGE = 4096
"""The bytes of a page of memory. Hardware does not prefetch beyond a page."""

OPERATIONS = 10
"""The approximate number of elementary operations that vectors do in a cycle. It converts counts of
operations to cycles.
"""


@dataclass(frozen=True)
class Machine:
    """A processor. Sizes are in bytes unless stated otherwise."""

    vector_bits: int
    """The bits of a vector register; 64 if the processor has no vectors."""
    registers: int
    """The number of vector registers."""
    l1: int
    l2: int
    l3: int
    """The sizes of the data caches: L1 and L2 of a core, L3 of all cores."""
    cores: int
    rates: Rates
    """The throughput of a core with registers of its full width."""

    @classmethod
    def of(cls, target: Target) -> Machine:
        """The processor that ``target`` describes."""
        l1, l2, l3 = target.caches
        arch = target.architecture
        bits = target.vector_bits
        return cls(
            vector_bits=bits or 64,
            registers=arch.vector_registers_of(bits) if arch is not None else 16,
            l1=l1 or 32768,
            l2=l2 or 262144,
            l3=l3 or 4 * (l2 or 262144),
            cores=target.num_cores or 1,
            rates=rates_of(target),
        )

    def lanes(self, bits: int) -> int:
        """The number of elements of ``bits`` bits in a vector register, at least 1."""
        return max(1, self.vector_bits // bits)

    def multiply_adds(self, instruction: str) -> float:
        """The multiply-adds per cycle of an instruction in the table of rates (``fma.f32``,
        ``vpdpbusd``).

        The rate is for registers of the target's width: a core with two pipes computes 512 bits
        either as fast by one instruction as by two of 256 bits, or twice as fast. It is 0 for an
        instruction that the core lacks; the features of the target say whether the instruction is
        enabled.
        """
        rate = self.rates.products.get(instruction, 0)
        return rate if instruction in TILE_INSTRUCTIONS else rate * self._part

    @property
    def fma_per_cycle(self) -> float:
        """The vectors of multiply-adds that a core starts in a cycle."""
        return self.multiply_adds("fma.f32") / self.lanes(32)

    @property
    def fma_latency(self) -> float:
        """The cycles from the operands of a multiply-add to its result."""
        return self.rates.fma_latency

    @property
    def loads_per_cycle(self) -> float:
        """The number of vectors that a core loads from L1 in a cycle."""
        wide = self.rates.loads
        return max(wide, min(2, wide * self.rates.bits / self.vector_bits))

    @property
    def parallel_work(self) -> float:
        """The number of elementary operations below which distributing work over threads costs more
        than it saves.
        """
        return self.rates.parallel_start * OPERATIONS

    @property
    def cost_of_masks(self) -> float:
        """The number of whole vectors that take as long as a vector with masked lanes.

        With registers of 512 bits every instruction takes a mask. With 256 bits only loads and
        stores do, and sums are blended. Other registers have no masks, so that the lanes are
        computed one by one.
        """
        return {512: 1.1, 256: 2}.get(self.vector_bits, 6)

    @property
    def _part(self) -> float:
        """The fraction of the core's full rate that registers of the target's width reach."""
        full = self.rates.products["fma.f32"] * 32
        return min(1, self.rates.pipes * self.vector_bits / full)
