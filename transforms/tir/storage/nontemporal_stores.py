"""nontemporal-stores: stores to arrays larger than the caches bypass the caches.

Before, where the last-level cache has 32 MiB::

    tir.for %i in 65536 {
      %x = tir.load %A[%i * 256] : memref<16777216xf32>, vector<256xf32>
      tir.store %x, %C[%i * 256] : memref<16777216xf32>, vector<256xf32>
    }

After::

    %C_address = memref.extract_aligned_pointer_as_index %C : memref<16777216xf32> -> index
    tir.for %i in 65536 {
      %x = tir.load %A[%i * 256] : memref<16777216xf32>, vector<256xf32>
      tir.if (%C_address mod 64 == 0) {
        tir.store %x, %C[%i * 256] {alignment = 64 : i64, nontemporal} : ...
      } else {
        tir.if (%C_address mod 16 == 0) {
          tir.store %x, %C[%i * 256] {alignment = 16 : i64, nontemporal} : ...
        } else {
          tir.store %x, %C[%i * 256] : ...
        }
      }
    }

A processor reads a cache line before it writes a part of it. These reads are a third of the traffic
of a sum and half of the traffic of a copy, and are wasted if the line is evicted before it is read.
On x86 nontemporal stores need aligned memory, and arrays may begin anywhere (arrays of numpy begin
at a multiple of 16 bytes). So the alignment is tested once, at the call: ``hoist-if-then-else``
moves the test in front of the loops. AArch64 needs no alignment.

A store becomes nontemporal if

1. it writes a vector to an argument of constant size, of more than ``min_bytes`` (by default the
   last-level cache of the target; for a target without one the pass does nothing);
2. all uses of that argument in the function are stores;
3. no element is written twice (decided exactly), and lines become full before they leave the
   processor: the innermost loop writes at least 256 consecutive bytes, or the vector consists of
   whole lines (a tile of a transpose), on x86 only if the array begins at a line;
4. the loop around it holds at most 128 operations, as the loop is copied.

Other threads see nontemporal stores after a fence: ``convert-to-llvm`` ends a function, and the
part of a parallel loop that a thread runs, by ``sfence`` on x86. On AArch64 nontemporal stores are
ordered like other stores.

The decision for a store depends on every use of its array in the function, and either all stores to
an array change or none. So a function is rewritten as a whole, not by a rewrite pattern.

Requires: blocks were lowered (``lower-blocks``), loops vectorized (``vectorize-loop``). Other
targets are left unchanged.

LLVM: ``!nontemporal``. MLIR: ``nontemporal``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSet,
)
from xdsl.passes import ModulePass

from kc.analysis.affine.affine_relations import Box, collision
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.gpu.vector_alignment import divisor
from kc.analysis.loop_tree import buffer_name, defined_inside, functions, loops_around, preorder
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.memref_views import ExtractAlignedPointerAsIndexOp
from kc.dialects.tir import DYNAMIC, INDEX, BlockOp, ForKind, ForOp, IfOp, StoreOp
from kc.dialects.tir.memory import NONTEMPORAL
from kc.support.target import target_of

LEAST_RUN = 256
"""The fewest consecutive bytes that the innermost loop must write: four lines."""

MOST_OPERATIONS = 128
"""The most operations in the innermost loop, which is copied for each alignment."""

XMM, LINE = 16, 64
"""The bytes of the smallest vector for which x86 has a nontemporal store, and of a cache line."""


@dataclass(frozen=True)
class NontemporalStoresPass(ModulePass):
    """Bypass the caches for large arrays that are written once."""

    name = "nontemporal-stores"

    min_bytes: int | None = field(
        default=None,
        metadata={"help": "the size above which an array bypasses the caches (default: the L3's)"},
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        target = target_of(op)
        architecture = target.architecture
        if str(target.kind) != "llvm" or architecture is None:
            return
        if architecture.name not in ("x86_64", "aarch64"):
            return
        least = target.caches[2] if self.min_bytes is None else self.min_bytes
        if least <= 0 and self.min_bytes is None:
            return
        for function in functions(op):
            if function.is_declaration or any(
                type(inner) is BlockOp for inner in preorder(function)
            ):
                continue
            for argument in function.body.blocks[0].args:
                for store, alignment in _streams(argument, least):
                    if architecture.name == "x86_64":
                        _store_by_alignment(store, function, alignment)
                    else:
                        _mark(store)


def _streams(argument: SSAValue, least: int) -> list[tuple[StoreOp, int]]:
    """The stores to ``argument`` that bypass the caches, each with the least alignment in bytes
    that x86 needs."""
    type_ = argument.type
    if not isinstance(type_, MemRefType) or not isinstance(type_.layout, NoneAttr):
        return []
    shape, element = type_.get_shape(), type_.element_type
    if DYNAMIC in shape or not isinstance(element, FixedBitwidthType) or element.bitwidth % 8:
        return []
    if math.prod(shape) * element.size <= least:
        return []
    stores: list[StoreOp] = []
    for use in argument.uses:
        user = use.operation
        if isinstance(user, StoreOp):
            stores.append(user)
        elif not isinstance(user, vector.MaskedStoreOp | memref.DimOp):
            return []
    alignments = ((store, _least_alignment(store, element.size)) for store in stores)
    return [(store, alignment) for store, alignment in alignments if alignment is not None]


def _least_alignment(store: StoreOp, size: int) -> int | None:
    """The alignment in bytes that a store of elements of ``size`` bytes needs from its array; None
    if the store writes an element twice or does not fill lines."""
    loops = loops_around(store)
    if not isinstance(store.value.type, VectorType) or not loops:
        return None
    lanes, inner = store.value.type.element_count(), loops[-1]
    if inner.kind.data is not ForKind.SERIAL or sum(1 for _ in inner.walk()) > MOST_OPERATIONS:
        return None
    index = IndexValues()
    variables = [index.expr(loop.var) for loop in loops]
    exprs = [index.compose(expr, store.operands_of_map) for expr in store.indices.data.results]
    is_run = _is_run(exprs[-1], variables[-1], inner, lanes, size)
    if not is_run and (lanes * size % LINE or _bytes_apart(store) % LINE):
        return None
    is_once = _is_injective(index, exprs, variables, loops, lanes)
    return (XMM if is_run else LINE) if is_once else None


def _is_run(column: AffineExpr, variable: AffineExpr, loop: ForOp, lanes: int, size: int) -> bool:
    """True if the innermost loop writes at least :data:`LEAST_RUN` consecutive bytes."""
    extent = loop.static_extent or LEAST_RUN
    return linear_terms(column)[0].get(variable) == lanes and extent * lanes * size >= LEAST_RUN


def _is_injective(
    index: IndexValues,
    exprs: list[AffineExpr],
    variables: list[AffineExpr],
    loops: list[ForOp],
    lanes: int,
) -> bool:
    """True if no two iterations write the same element, where an iteration writes ``lanes``
    elements from ``exprs`` on.
    """
    places: dict[int, AffineExpr] = {}
    for n, variable in enumerate(variables):
        assert isinstance(variable, AffineDimExpr)
        places[variable.position] = AffineExpr.dimension(n)
    if any(position not in places for expr in exprs for position in expr.used_dims()):
        return False
    extents = [
        AffineExpr.constant(loop.extent_value)
        if isinstance(loop.extent_value, int)
        else index.expr(loop.extent_value)
        for loop in loops
    ]
    parameters: dict[int, AffineExpr] = {}
    for extent in extents:
        for position in sorted(extent.used_dims()):
            root = index.roots[position]
            if root is None or position in places or defined_inside(root, loops[0]):
                return False
            parameters.setdefault(position, AffineExpr.dimension(len(parameters)))
    count = len(index.roots)
    of_loops = [places.get(n, AffineExpr.constant(0)) for n in range(count)]
    of_sizes = [parameters.get(n, AffineExpr.constant(0)) for n in range(count)]
    inside = [expr.replace_dims_and_symbols(of_loops, []) for expr in exprs]
    inside[-1] = inside[-1] + AffineExpr.dimension(len(loops))
    sizes = [extent.replace_dims_and_symbols(of_sizes, []) for extent in extents]
    return collision(inside, Box((*sizes, AffineExpr.constant(lanes)), len(parameters))) is None


def _mark(store: StoreOp, alignment: int | None = None) -> None:
    store.attributes[NONTEMPORAL] = UnitAttr()
    if alignment is not None:
        store.attributes["alignment"] = IntegerAttr(alignment, i64)


def _bytes_apart(store: StoreOp) -> int:
    """The largest known divisor, in bytes, of all offsets of a store from the beginning of its
    array."""
    type_ = store.buffer.type
    assert isinstance(type_, MemRefType)
    assert isinstance(type_.element_type, FixedBitwidthType)
    assert isinstance(store.value.type, VectorType)
    index = IndexValues()
    step = store.value.type.element_count()
    inner = 1
    for expr, extent in zip(
        reversed(store.indices.data.results), reversed(type_.get_shape()), strict=True
    ):
        step = math.gcd(step, divisor(index.compose(expr, store.operands_of_map)) * inner)
        inner *= extent
    return step * type_.element_type.size


def _store_by_alignment(store: StoreOp, function: FuncOp, least: int) -> None:
    """Guard ``store`` by tests of the alignment of its array, by a line and by ``least`` bytes, as
    far as the offsets of the store preserve the alignment.
    """
    bytes_apart = _bytes_apart(store)
    if bytes_apart % XMM:
        return
    address = _address_of(store.buffer, function)
    for alignment in dict.fromkeys((math.gcd(bytes_apart, LINE), least)):
        block = store.parent
        assert block is not None
        stream = store.clone()
        stream.location = store.location
        _mark(stream, alignment)
        condition = AffineConstraintExpr(
            AffineConstraintKind.eq, AffineExpr.dimension(0) % alignment, AffineExpr.constant(0)
        )
        rest = Block()
        choice = IfOp(
            AffineSet(1, 0, (condition,)), [address], Region(Block([stream])), Region(rest)
        )
        choice.location = store.location
        block.insert_op_before(choice, store)
        store.detach()
        rest.add_op(store)


def _address_of(buffer: SSAValue, function: FuncOp) -> SSAValue:
    """The address of an argument of ``function``, computed once at its start."""
    assert isinstance(buffer, BlockArgument)
    for use in buffer.uses:
        if isinstance(use.operation, ExtractAlignedPointerAsIndexOp):
            return use.operation.aligned_pointer
    question = ExtractAlignedPointerAsIndexOp(operands=[buffer], result_types=[INDEX])
    question.aligned_pointer.name_hint = f"{buffer_name(buffer)}_address"
    question.location = function.location
    first = function.body.blocks[0].first_op
    assert first is not None
    function.body.blocks[0].insert_op_before(question, first)
    return question.aligned_pointer
