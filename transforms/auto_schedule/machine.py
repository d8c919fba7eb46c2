"""The processor as the rules see it: the numbers of the cost model.

Sizes of vectors and caches and the number of registers are the target's. :mod:`kc.support.rates`
has the throughput of a core, by family of cores; :class:`Machine` gives it for the registers
that the target has. Decisions depend only on ratios of such numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc.support.rates import Rates, rates_of
from kc.support.target import Target

LOAD_COST = 0.05
"""Cycles that a load costs although another bound hides it: of two tiles that are as fast, the one
with fewer loads is less sensitive to what the caches do."""

SCALAR_COPY = 2.0
"""Cycles to move an element that is not contiguous where it comes from or where it goes."""

TILE_INSTRUCTIONS = ("tdpbf16ps", "tdpfp16ps", "tdpbusd")
"""The instructions on tiles, whose size does not depend on vectors."""

PAGE = 4096
"""Bytes of a page of memory, beyond which nothing is read ahead."""

OPERATIONS = 10
"""Elementary operations that vectors do in a cycle, about: what relates loops whose operations are
counted to those whose cycles a model counts."""


@dataclass(frozen=True)
class Machine:
    """A processor. Sizes are in bytes unless said otherwise."""

    vector_bits: int
    """Bits of a vector register; 64 where there are none."""
    registers: int
    """Vector registers."""
    l1: int
    l2: int
    l3: int
    """Data caches: L1 and L2 of a core, L3 of all."""
    cores: int
    rates: Rates
    """The rates of a core, with registers of the core's full width."""

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
        """Elements of ``bits`` bits in a vector register, at least 1."""
        return max(1, self.vector_bits // bits)

    def multiply_adds(self, instruction: str) -> float:
        """Multiply-adds in a cycle by an instruction of the rates (``fma.f32``, ``vpdpbusd``).

        With registers of the target: a core of two pipes computes 512 bits as fast by one
        instruction as by two of 256, or twice as fast. 0 for an instruction that the core lacks;
        whether the target has it switched on is for its features to say.
        """
        rate = self.rates.products.get(instruction, 0)
        return rate if instruction in TILE_INSTRUCTIONS else rate * self._part

    @property
    def fma_per_cycle(self) -> float:
        """Vectors of multiply-adds that a core starts in a cycle."""
        return self.multiply_adds("fma.f32") / self.lanes(32)

    @property
    def fma_latency(self) -> float:
        """Cycles from the operands of a multiply-add to its result."""
        return self.rates.fma_latency

    @property
    def loads_per_cycle(self) -> float:
        """Vectors that a core loads from L1 in a cycle."""
        wide = self.rates.loads
        return max(wide, min(2, wide * self.rates.bits / self.vector_bits))

    @property
    def parallel_work(self) -> float:
        """Elementary operations below which handing work to other threads costs more than it
        saves."""
        return self.rates.parallel_start * OPERATIONS

    @property
    def cost_of_masks(self) -> float:
        """Whole vectors that take as long as one of which some lanes are left out.

        With registers of 512 bits each instruction has a mask; with those of 256, loads and stores
        have, and sums are blended. Others have none, and compute such lanes one by one.
        """
        return {512: 1.1, 256: 2}.get(self.vector_bits, 6)

    @property
    def _part(self) -> float:
        """The part of the full rate that registers of the target's width come to."""
        full = self.rates.products["fma.f32"] * 32
        return min(1, self.rates.pipes * self.vector_bits / full)
