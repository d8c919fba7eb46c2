"""skip-vectorize: vectorized loops become serial ones.

Before::

    tir.for %i in 8 vectorized { ... }

After::

    tir.for %i in 8 { ... }

For targets without vectors, and to find out whether vectorization is at fault. TVM:
``SkipVectorize``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.dialects.tir import ForKind, ForKindAttr, ForOp


@dataclass(frozen=True)
class SkipVectorizePass(ModulePass):
    """Make vectorized loops serial."""

    name = "skip-vectorize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in op.walk():
            if isinstance(loop, ForOp) and loop.kind.data is ForKind.VECTORIZED:
                loop.kind = ForKindAttr(ForKind.SERIAL)
