"""What the rules know of a processor: the numbers of the cost model.

Sizes of vectors and caches and the number of registers are the target's. The rest is what cores of
the last ten years have in common (Haswell to Zen 5, Cortex-A76 and later): two fused
multiply-adds and two vector loads a cycle, a result four cycles after its operands. Only ratios of
such numbers decide anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc.support.target import Target

FMA_PER_CYCLE = 2
LOADS_PER_CYCLE = 2
FMA_LATENCY = 4
"""Cycles from the operands of a multiply-add to its result."""

LOAD_COST = 0.05
"""Cycles that a load costs although another bound hides it: of two tiles that are as fast, the one
with fewer loads is less sensitive to what the caches do."""

PAGE = 4096
"""Bytes of a page of memory, beyond which nothing is read ahead."""

PARALLEL_WORK = 200_000
"""Elementary operations below which handing work to other threads costs more than it saves: a
parallel loop takes some 10 us to start, in which a core does about so many."""


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
        )

    def lanes(self, bits: int) -> int:
        """Elements of ``bits`` bits in a vector register, at least 1."""
        return max(1, self.vector_bits // bits)
