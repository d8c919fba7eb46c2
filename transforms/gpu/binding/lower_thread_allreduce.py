"""lower-thread-allreduce: threads combine their values by shuffles, and through shared memory.

Before, for 64 threads along ``threadIdx.x``::

    %r = tir.thread_allreduce "add" (%x) over ["threadIdx.x"] by (%a: f32) (%b: f32) ...

After::

    %s = tir.alloc "reduced" : memref<1x2xf32, "shared">
    %0, %valid = gpu.shuffle xor %x, %c16, %c32 : f32
    %1 = arith.addf %x, %0 : f32
    ...                                                  // 8, 4, 2, 1: a warp has its result
    tir.if (%t mod 32 == 0) {
      tir.store %5, %s[0, %t floordiv 32]
    }
    %6 = tir.load %s[0, %t mod 2]
    %7, %valid_1 = gpu.shuffle xor %6, %c1, %c32 : f32   // all warps have that of all
    %r = arith.addf %6, %7 : f32

Threads are numbered along x, then y, then z. The method depends on the threads of a reduction:

* up to 32 consecutive threads, a power of two, exchange values by shuffles alone;
* a multiple of 32 consecutive threads first reduces in each warp, and then combines the results of
  the warps in shared memory: by shuffles if their number is a power of two that fits a warp, else
  one after the other;
* all others repeatedly halve their values in shared memory. If the number of threads is known only
  at the call, they start from half of the largest block, one axis after the other.

32 is the limit ``thread_warp_size`` of the target. It is 64 for some GPUs of AMD; with 1 (OpenCL)
there are no shuffles.

All threads have the result. ``thread-sync`` inserts the barriers. A user's combiner receives values
in the order of the threads, so that all threads reach the same result even if it breaks ties by
order.

Requires: one nest of loops of threads (``unify-thread-binding``). *Legal when*

1. KC4228: all threads reach the operation.

TVM: ``LowerThreadAllreduce``. CUDA: reductions by ``__shfl_xor_sync`` (Harris, "Optimizing Parallel
Reduction in CUDA").
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, StringAttr, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.affine.simplify_affine import simplify
from kc.dialects.gpu import ShuffleMode, ShuffleOp
from kc.dialects.tir import (
    DYNAMIC,
    AllocOp,
    ApplyOp,
    ForOp,
    IfOp,
    LoadOp,
    StoreOp,
    ThreadAllreduceOp,
)
from kc.dialects.tir.threads import LANE_AXES
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of
from kc.support.target import Target, target_of
from kc.transforms.gpu.binding.unify_thread_binding import is_uniform, kernel_roots, launch_loops


def warp_size(target: Target) -> int:
    """The number of threads that exchange values by shuffles: 1 for a GPU without shuffles, and the
    warp size of CUDA for a target that is not a GPU.
    """
    return _limits(target)["thread_warp_size"]


def _limits(target: Target) -> Mapping[str, Any]:
    is_gpu = "max_threads_per_block" in target.limits
    return (target if is_gpu else Target("cuda")).limits


@dataclass(frozen=True)
class LowerThreadAllreducePass(ModulePass):
    """Lower reductions across threads to shuffles and shared memory."""

    name = "lower-thread-allreduce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        target = target_of(op)
        warp = warp_size(target)
        most = _limits(target)["max_threads_per_block"]
        todo: list[_Lowering] = []
        for function in loop_tree.functions(op):
            names = {op.label for op in loop_tree.preorder(function) if isinstance(op, AllocOp)}
            for root in kernel_roots(function):
                reductions = [op for op in root.walk() if isinstance(op, ThreadAllreduceOp)]
                todo += [_Lowering(root, reduction, names, warp, most) for reduction in reductions]
        for lowering in todo:
            lowering.run()


class _Lowering:
    """The lowering of one reduction over threads."""

    def __init__(
        self,
        root: ForOp,
        op: ThreadAllreduceOp,
        names: set[str],
        warp: int,
        most: int,
    ) -> None:
        self.op, self.names, self.warp = op, names, warp
        self.chain = launch_loops(root)
        self.body = self.chain[-1].body.block
        self.lanes = {loop.axis: loop for loop in self.chain if loop.axis in LANE_AXES}
        self.ops: list[Operation] = []
        self._check()
        self.operands = [loop.var for loop in self.lanes.values()]
        self.extents = [
            most if loop.static_extent is None else loop.static_extent
            for loop in self.lanes.values()
        ]
        """The number of threads along each axis, or its upper bound."""

    def _check(self) -> None:
        """Refuse (KC4228) branches and loops that only some threads reach."""
        op = self.op
        for around in loop_tree.path_to(op):
            if around is self.chain[-1]:
                return
            if around is not op and not is_uniform(around):
                raise self._refuse(
                    "not all threads of the block reach it",
                    "threads wait for each other to combine their values, and the condition or "
                    "loop around it depends on the thread",
                    "apply the condition to the value that each thread adds",
                )

    def _refuse(self, what: str, why: str, hint: str) -> CodegenError:
        return CodegenError(
            "KC4228",
            f"lower-thread-allreduce: the threads cannot combine their values: {what}",
            location=location_of(self.op),
            why=why,
            hints=[hint],
        )

    # Numbers of threads

    def _number(self, axes: Sequence[str]) -> AffineExpr:
        """The number of a thread among the threads that differ only along ``axes``."""
        number, stride = AffineExpr.constant(0), 1
        for axis in LANE_AXES:
            loop = self.lanes.get(axis)
            if loop is not None and axis in axes:
                number += AffineExpr.dimension(self.operands.index(loop.var)) * stride
                stride *= loop.static_extent or 1
        return self._simplified(number)

    def _simplified(self, expr: AffineExpr) -> AffineExpr:
        return simplify(expr, [(0, extent - 1) for extent in self.extents])

    def _extent(self, axis: str) -> int:
        loop = self.lanes.get(axis)
        return 1 if loop is None else loop.static_extent or 1

    # The ways to combine

    def run(self) -> None:
        """Replace the operation by its lowering."""
        op = self.op
        if any(loop.static_extent is None for loop in self.lanes.values()):
            self._replace(self._halve_axes(list(op.values)))
            return
        used = [axis for axis in LANE_AXES if self._extent(axis) > 1]
        reduced = [axis for axis in used if axis in op.axis_names]
        count = math.prod(self._extent(axis) for axis in reduced)
        values: Sequence[SSAValue] = list(op.values)
        if count > 1:
            is_contiguous = reduced == used[: len(reduced)]
            number = self._number(used)
            if is_contiguous and count <= self.warp and _is_power_of_2(count):
                values = self._exchange(values, number, count)
            elif is_contiguous and self.warp > 1 and count % self.warp == 0:
                values = self._by_warps(values, number, count)
            else:
                rest = [axis for axis in used if axis not in reduced]
                values = self._halve(values, self._number(rest), self._number(reduced), count)
        self._replace(values)

    def _replace(self, values: Sequence[SSAValue]) -> None:
        """Insert the new operations, and replace the results of the reduction by ``values``."""
        op = self.op
        for new in self.ops:
            for inner in new.walk():
                inner.location = op.location
        Rewriter.insert_op(self.ops, InsertPoint.before(op))
        for old, value in zip(op.combined, values, strict=True):
            value.name_hint = old.name_hint
            old.replace_all_uses_with(value)
        Rewriter.erase_op(op)

    def _exchange(
        self, values: Sequence[SSAValue], number: AffineExpr, count: int
    ) -> Sequence[SSAValue]:
        """Combine the values of ``count`` neighbours in a warp. All of them get the result."""
        width = self._constant(self.warp)
        offset = count // 2
        while offset:
            distance = self._constant(offset)
            theirs = [self._shuffle(value, distance, width) for value in values]
            values = self._step(values, theirs, number, offset)
            offset //= 2
        return values

    def _step(
        self,
        mine: Sequence[SSAValue],
        theirs: Sequence[SSAValue],
        number: AffineExpr,
        offset: int,
    ) -> Sequence[SSAValue]:
        first, second = list(mine), list(theirs)
        if len(self.op.combiner.block.ops) > 2:  # more than one operation and the yield
            bit = self._apply(number // offset % 2)
            zero = self._add(arith.ConstantOp.from_int_and_width(0, IndexType()))
            is_first = self._add(arith.CmpiOp(bit, zero, "eq"))
            pairs = list(zip(mine, theirs, strict=True))
            first = [self._add(arith.SelectOp(is_first, own, far)) for own, far in pairs]
            second = [self._add(arith.SelectOp(is_first, far, own)) for own, far in pairs]
        return self._combined(first, second)

    def _combined(self, first: Sequence[SSAValue], second: Sequence[SSAValue]) -> list[SSAValue]:
        ops, results = self.op.step(first, second).inlined()
        self.ops += ops
        return results

    def _by_warps(
        self, values: Sequence[SSAValue], number: AffineExpr, count: int
    ) -> Sequence[SSAValue]:
        """Combine the values in each warp, then the results of the warps."""
        values = self._exchange(values, number, self.warp)
        warps = count // self.warp
        if warps == 1:
            return values
        group = self._simplified(number // count)
        warp = self._simplified((number % count) // self.warp)
        buffers = self._allocate(values, [math.prod(self.extents) // count, warps])
        stores = self._stores(values, buffers, [group, warp])
        self._if(number % self.warp, 0, AffineConstraintKind.eq, stores)
        if _is_power_of_2(warps) and warps <= self.warp:
            lane = self._simplified(number % warps)
            return self._exchange(self._loads(buffers, [group, lane]), number, warps)
        total = self._loads(buffers, [group, AffineExpr.constant(0)])
        for n in range(1, warps):
            total = self._combined(total, self._loads(buffers, [group, AffineExpr.constant(n)]))
        return total

    def _halve(
        self, values: Sequence[SSAValue], group: AffineExpr, number: AffineExpr, count: int
    ) -> Sequence[SSAValue]:
        """Combine the values in shared memory: the second half with the first, until one value is
        left.
        """
        buffers = self._allocate(values, [math.prod(self.extents) // count, count])
        self.ops += self._stores(values, buffers, [group, number])
        while count > 1:
            half = (count + 1) // 2
            outer, self.ops = self.ops, []
            results = self._combined(
                self._loads(buffers, [group, number]),
                self._loads(buffers, [group, number + half]),
            )
            ops = [*self.ops, *self._stores(results, buffers, [group, number])]
            self.ops = outer
            # number < count - half
            self._if(
                AffineExpr.constant(count - half - 1) - number, 0, AffineConstraintKind.ge, ops
            )
            count = half
        return self._loads(buffers, [group, AffineExpr.constant(0)])

    def _halve_axes(self, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Like :meth:`_halve`, for extents that are not all constant: in buffers with a dimension
        for each axis, along one axis after the other.
        """
        loops = list(self.lanes.values())
        sizes = [loop.extent_value for loop in loops]
        buffers = self._allocate(values, sizes)
        own = [AffineExpr.dimension(n) for n in range(len(loops))]
        self.ops += self._stores(values, buffers, own)
        for n, (axis, loop) in enumerate(self.lanes.items()):
            if axis not in self.op.axis_names:
                continue
            half = 1 << max((self.extents[n] - 1).bit_length() - 1, 0)
            while half and self.extents[n] > 1:
                outer, self.ops = self.ops, []
                partner = [*own[:n], own[n] + half, *own[n + 1 :]]
                results = self._combined(self._loads(buffers, own), self._loads(buffers, partner))
                ops = [*self.ops, *self._stores(results, buffers, own)]
                self.ops = outer
                self._if_below(n, half, loop, own, ops)
                half //= 2
            own[n] = AffineExpr.constant(0)
        return self._loads(buffers, own)

    def _if_below(
        self,
        n: int,
        half: int,
        loop: ForOp,
        own: Sequence[AffineExpr],
        ops: Sequence[Operation],
    ) -> None:
        """Guard ``ops`` by the condition that a thread is in the first half along an axis, has a
        partner in the second half, and is the first thread along the axes that are combined
        already."""
        size = loop.extent_value
        operands = [*self.operands, *([] if isinstance(size, int) else [size])]
        extent = (
            AffineExpr.constant(size)
            if isinstance(size, int)
            else AffineExpr.dimension(len(operands) - 1)
        )
        number, zero = AffineExpr.dimension(n), AffineExpr.constant(0)
        at_least, equal = AffineConstraintKind.ge, AffineConstraintKind.eq
        constraints = [
            AffineConstraintExpr(at_least, AffineExpr.constant(half - 1) - number, zero),
            AffineConstraintExpr(at_least, extent - number - (half + 1), zero),
            *(
                AffineConstraintExpr(equal, AffineExpr.dimension(m), zero)
                for m, expr in enumerate(own)
                if expr == zero
            ),
        ]
        region = Region(Block(list(ops)))
        self.ops.append(IfOp(AffineSet(len(operands), 0, tuple(constraints)), operands, region))

    # Operations

    def _add(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def _constant(self, number: int) -> SSAValue:
        return self._add(arith.ConstantOp.from_int_and_width(number, i32))

    def _shuffle(self, value: SSAValue, distance: SSAValue, width: SSAValue) -> SSAValue:
        """The value of the thread at ``distance``, a power of two: its number differs in one
        bit.
        """
        type_ = value.type
        if isinstance(type_, IndexType):
            value = self._add(arith.IndexCastOp(value, i64))
        shuffle = ShuffleOp(ShuffleMode.XOR, value, distance, width)
        result = self._add(shuffle)
        if isinstance(type_, IndexType):
            result = self._add(arith.IndexCastOp(result, type_))
        return result

    def _apply(self, expr: AffineExpr) -> SSAValue:
        return self._add(ApplyOp(self._simplified(expr), self.operands))

    def _allocate(
        self, values: Sequence[SSAValue], shape: Sequence[int | SSAValue]
    ) -> list[SSAValue]:
        """Buffers of ``shape`` in shared memory, one for each value."""
        sizes = [size for size in shape if not isinstance(size, int)]
        static = [size if isinstance(size, int) else DYNAMIC for size in shape]
        first = self.body.first_op
        assert first is not None
        buffers: list[SSAValue] = []
        for value in values:
            label = fresh_name("reduced", self.names)
            type_ = MemRefType(value.type, static, memory_space=StringAttr("shared"))
            alloc = AllocOp(label, type_, sizes)
            alloc.location = self.op.location
            Rewriter.insert_op(alloc, InsertPoint.before(first))
            buffers.append(alloc.buffer)
        return buffers

    def _map(self, indices: Sequence[AffineExpr]) -> AffineMap:
        return AffineMap(len(self.operands), 0, tuple(map(self._simplified, indices)))

    def _stores(
        self,
        values: Sequence[SSAValue],
        buffers: Sequence[SSAValue],
        indices: Sequence[AffineExpr],
    ) -> list[Operation]:
        return [
            StoreOp(value, buffer, self._map(indices), self.operands)
            for value, buffer in zip(values, buffers, strict=True)
        ]

    def _loads(self, buffers: Sequence[SSAValue], indices: Sequence[AffineExpr]) -> list[SSAValue]:
        loads = [LoadOp(buffer, self._map(indices), self.operands) for buffer in buffers]
        return [self._add(load) for load in loads]

    def _if(
        self, expr: AffineExpr, rhs: int, kind: AffineConstraintKind, ops: Sequence[Operation]
    ) -> None:
        condition = AffineConstraintExpr(kind, self._simplified(expr), AffineExpr.constant(rhs))
        region = Region(Block(list(ops)))
        self.ops.append(IfOp(AffineSet(len(self.operands), 0, (condition,)), self.operands, region))


def _is_power_of_2(number: int) -> bool:
    return number & (number - 1) == 0
