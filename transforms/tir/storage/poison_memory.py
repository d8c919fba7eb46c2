"""poison-memory: fresh memory holds subnormal numbers and signalling NaN alternately.

Before::

    %B = tir.alloc "B" : memref<64x16xf32>

After::

    %B = tir.alloc "B" : memref<64x16xf32>
    tir.for %p0 in 64 {
      tir.for %p1 in 16 {
        %odd = arith.index_cast (%p1 mod 2) : index to i32
        %bits = a subnormal number's for even columns, and for odd ones those of a signalling NaN
        tir.store %bits as f32, %B[%p0, %p1] : memref<64x16xf32>
      }
    }

For debugging: code that reads memory before anything is stored to it computes on these values. The
processor records both (the flags *invalid* and *denormal* of x86), results that depend on a NaN are
NaN, and on many processors each such operation takes a microcode assist, which a profile shows.
``KC_POISON_MEMORY`` and the config key ``kc.poison_memory`` add the pass to pipelines. Memory of
integers is unchanged.

Requires nothing. Runs after ``fill-slack``, so that memory filled there does not count as
unwritten.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FixedBitwidthType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
)
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import functions, preorder
from kc.dialects.direct_access import new_operation
from kc.dialects.tir import AllocOp, ApplyOp, ForOp, StoreOp

PATTERNS = {
    8: (0x03, 0x7F),
    16: (0x0035, 0x7DA5),
    32: (0x00035A5A, 0x7FA5A5A5),
    64: (0x00035A5A5A5A5A5A, 0x7FF5A5A5A5A5A5A5),
}
"""Bits of an element -> the bit patterns of a subnormal number and of a signalling NaN."""

BF16_SIGNALLING = 0x7FA5
"""The signalling NaN of bf16, which has the exponent of f32."""


@dataclass(frozen=True)
class PoisonMemoryPass(ModulePass):
    """Store subnormal numbers and signalling NaN to fresh memory."""

    name = "poison-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for alloc in [inner for inner in preorder(function) if isinstance(inner, AllocOp)]:
                type_ = alloc.buffer.type
                assert isinstance(type_, MemRefType)
                if isinstance(type_.element_type, AnyFloat):
                    assert alloc.parent is not None
                    alloc.parent.insert_op_after(_poison(alloc, type_), alloc)


def _poison(alloc: AllocOp, type_: MemRefType) -> Operation:
    """The nest that poisons a buffer, each element by the parity of its last index."""
    element = type_.element_type
    assert isinstance(element, FixedBitwidthType)
    sizes = iter(alloc.dynamic_sizes)
    extents = [size if size >= 0 else next(sizes) for size in type_.get_shape()]
    loops = [ForOp(f"p{n}", extent) for n, extent in enumerate(extents or [1])]
    bits = IntegerType(element.bitwidth)
    subnormal, signalling = PATTERNS[element.bitwidth]
    if str(element) == "bf16":
        signalling = BF16_SIGNALLING
    parity = ApplyOp(AffineExpr.dimension(0) % 2, [loops[-1].var])
    odd = arith.IndexCastOp(parity.result, bits)
    first = arith.ConstantOp(IntegerAttr(subnormal, bits))
    step = arith.ConstantOp(IntegerAttr(signalling - subnormal, bits))
    product = arith.MuliOp(odd.result, step.result)
    total = arith.AddiOp(product.result, first.result)
    value = new_operation(arith.BitcastOp, [total.result], [element], {})
    rank = len(extents)
    place = [loop.var for loop in loops][:rank]
    store = StoreOp(value.results[0], alloc.buffer, AffineMap.identity(rank), place)
    loops[-1].body.block.add_ops([parity, odd, first, step, product, total, value, store])
    body: Operation = loops[-1]
    for loop in reversed(loops[:-1]):
        loop.body.block.add_op(body)
        body = loop
    return body
