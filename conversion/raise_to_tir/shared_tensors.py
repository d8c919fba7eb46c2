"""Tensors that go from iteration to iteration, or that iterations share: each is in one buffer.

``scf.for`` with tensors in ``iter_args`` computes into the buffer of its result, which starts as
a copy of what it is given, or as that itself where nothing needs it afterwards. What the body
yields is copied there unless it was computed there. ``scf.forall`` writes the parts that
``tensor.parallel_insert_slice`` names; its body sees its shared tensors as they were before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from kc.conversion._te_blocks import copy_nest
from kc.conversion.raise_to_tir.tensors import Empty, Held, Splat
from kc.dialects import tir
from kc.dialects.tensor import ParallelInsertSliceOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

if TYPE_CHECKING:
    from kc.conversion.raise_to_tir.function import FunctionRaiser
    from kc.conversion.raise_to_tir.nests import Extent


def start_carried(
    raiser: FunctionRaiser, op: Operation, init: SSAValue, arg: SSAValue, result: SSAValue
) -> SSAValue:
    """The buffer of a tensor that a loop carries, with what it starts from in it."""
    buffer = raiser.tensors.destination(init, result, op, keeps=True)
    raiser.tensors.forget_buffer(buffer)
    raiser.tensors.values[arg] = Held(buffer)
    return buffer


def yield_carried(
    raiser: FunctionRaiser, op: Operation, values: Sequence[SSAValue], buffers: Sequence[SSAValue]
) -> None:
    """Bring what an iteration yields into the buffers that the next one reads."""
    tensors = raiser.tensors
    held = [tensors.values[value] for value in values]
    for value, buffer in zip(values, buffers, strict=True):
        if not same_sizes(raiser, tensors.sizes(value), raiser.sizes_of(buffer), op):
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: {op.name} that carries a tensor whose size changes has no "
                "counterpart in tir",
                location=location_of(op),
                why="a buffer has one size, and the yielded size is not known to equal it",
                hints=["give the tensor a static shape, or take a slice of a larger one"],
            )
    sources: list[SSAValue | None] = []
    for value, source, buffer in zip(values, held, buffers, strict=True):
        moved = source.buffer if isinstance(source, Held) else None
        if moved is not None and moved is not buffer and moved in buffers:
            # It is in the buffer of another one, which may be overwritten first.
            assert isinstance(value.type, TensorType)
            sizes = raiser.sizes_of(buffer)
            kept = raiser.alloc("yielded", value.type, sizes, op)
            raiser.emit(copy_nest(moved, kept, raiser.label("copy"), sizes), op)
            moved = kept
        sources.append(moved)
    for source, moved, buffer in zip(held, sources, buffers, strict=True):
        sizes = raiser.sizes_of(buffer)
        if isinstance(source, Splat):
            raiser.fill(source.scalar, buffer, sizes, "fill", op)
        elif moved is not None and moved is not buffer:
            raiser.emit(copy_nest(moved, buffer, raiser.label("copy"), sizes), op)


def same_sizes(
    raiser: FunctionRaiser, sizes: Sequence[Extent], expected: Sequence[Extent], op: Operation
) -> bool:
    """Whether sizes are equal, whatever the arguments are."""
    for size, wanted in zip(sizes, expected, strict=True):
        if size is wanted or (isinstance(size, int) and size == wanted):
            continue
        exprs = raiser.requirements.expr(size, op), raiser.requirements.expr(wanted, op)
        if exprs[0] is None or exprs[0] != exprs[1]:
            return False
    return True


def share(raiser: FunctionRaiser, op: Operation, args: Sequence[SSAValue]) -> list[SSAValue]:
    """Buffers for what an ``scf.forall`` shares; in its body, ``args`` are what was there before.

    Returns the buffers that must not be written meanwhile.
    """
    tensors = raiser.tensors
    kept: list[SSAValue] = []
    outputs: Sequence[SSAValue] = op.outputs  # pyright: ignore
    for init, arg, result in zip(outputs, args, op.results, strict=True):
        reads = [use for use in arg.uses if not isinstance(use.operation, ParallelInsertSliceOp)]
        reads += [use for use in arg.uses if use.index == 0 and use not in reads]
        before = tensors.values[init]
        if not reads or isinstance(before, Empty):
            buffer = tensors.destination(init, result, op, keeps=True)
            tensors.forget_buffer(buffer)
            tensors.values[arg] = before if isinstance(before, Empty) else Held(buffer)
        else:
            sizes = tensors.sizes(init)
            if isinstance(before, Held) and before.buffer not in tensors.inputs:
                kept.append(before.buffer)
            source = tensors.operand(init, op)
            buffer = tensors.result(result, sizes, op)
            if isinstance(before, Splat):
                raiser.fill(before.scalar, buffer, sizes, "fill", op)
            else:
                raiser.emit(copy_nest(source, buffer, raiser.label("copy"), sizes), op)
            tensors.values[arg] = before
        tensors.shared[arg] = buffer
    tensors.inputs.update(kept)
    return kept


def end_sharing(
    raiser: FunctionRaiser, op: Operation, args: Sequence[SSAValue], kept: Sequence[SSAValue]
) -> None:
    """After the loops: the results are in the shared buffers."""
    tensors = raiser.tensors
    tensors.inputs.difference_update(kept)
    tensors.forget_inside(op)
    for arg, result in zip(args, op.results, strict=True):
        buffer = tensors.shared.pop(arg)
        tensors.forget_buffer(buffer)
        tensors.values[result] = Held(buffer)


def branch_results(raiser: FunctionRaiser, op: Operation) -> dict[int, SSAValue]:
    """Buffers for the tensors that a condition gives; both branches write them."""
    buffers: dict[int, SSAValue] = {}
    for n, result in enumerate(op.results):
        if not isinstance(result.type, TensorType):
            continue
        shape = result.type.get_shape()
        if tir.DYNAMIC in shape:
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: {op.name} that gives a tensor of dynamic size has no counterpart "
                "in tir",
                location=location_of(op),
                why="its buffer is made before the branches, which say its size",
                hints=["give the tensor a static shape"],
            )
        buffers[n] = raiser.tensors.result(result, list(shape), op)
        del raiser.tensors.values[result]
    return buffers


def yield_branch(raiser: FunctionRaiser, op: Operation, value: SSAValue, buffer: SSAValue) -> None:
    """Bring the tensor that a branch yields into the buffer of the result."""
    held, sizes = raiser.tensors.values[value], raiser.sizes_of(buffer)
    raiser.requirements.typed(value, sizes, op)
    if isinstance(held, Splat):
        raiser.fill(held.scalar, buffer, sizes, "fill", op)
    elif isinstance(held, Held) and held.buffer is not buffer:
        raiser.emit(copy_nest(held.buffer, buffer, raiser.label("copy"), sizes), op)
