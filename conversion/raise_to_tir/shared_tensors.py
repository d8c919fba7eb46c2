"""Tensors carried or shared by iterations: each is in one buffer.

``scf.for`` with tensors in ``iter_args`` computes in the buffer of its result, which starts as a
copy of the initial tensor, or as its own buffer if nothing needs it later. The yielded tensor is
copied there unless it was computed there. ``scf.forall`` writes the slices of
``tensor.parallel_insert_slice``; its body sees the shared tensors as they were before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineSymExpr

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
    """The buffer of a tensor that a loop carries, filled with its initial value."""
    buffer = raiser.tensors.destination(init, result, op, keeps=True)
    raiser.tensors.forget_buffer(buffer)
    raiser.tensors.values[arg] = Held(buffer)
    return buffer


def yield_carried(
    raiser: FunctionRaiser, op: Operation, values: Sequence[SSAValue], buffers: Sequence[SSAValue]
) -> None:
    """Copy yielded tensors into the buffers that the next iteration reads."""
    tensors = raiser.tensors
    held = [tensors.values[value] for value in values]
    for value, buffer in zip(values, buffers, strict=True):
        if not same_sizes(raiser, tensors.sizes(value), raiser.sizes_of(buffer), op):
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: {op.name} that carries a tensor whose size changes has no "
                "counterpart in tir",
                location=location_of(op),
                why="the size of a buffer is fixed, and the yielded size may differ from it",
                hints=["give the tensor a static shape, or take a slice of a larger one"],
            )
    sources: list[SSAValue | None] = []
    for value, source, buffer in zip(values, held, buffers, strict=True):
        moved = source.buffer if isinstance(source, Held) else None
        if moved is not None and moved is not buffer and moved in buffers:
            # The value is in the buffer of another carried tensor, which may be overwritten first.
            assert isinstance(value.type, TensorType)
            sizes = raiser.sizes_of(buffer)
            copied = raiser.alloc("yielded", value.type, sizes, op)
            raiser.emit(copy_nest(moved, copied, raiser.label("copy"), sizes), op)
            moved = copied
        sources.append(moved)
    for source, moved, buffer in zip(held, sources, buffers, strict=True):
        sizes = raiser.sizes_of(buffer)
        if isinstance(source, Splat):
            raiser.fill(source.scalar, buffer, sizes, "fill", op)
        elif moved is not None and moved is not buffer:
            raiser.emit(copy_nest(moved, buffer, raiser.label("copy"), sizes), op)


def while_buffers(
    raiser: FunctionRaiser,
    op: Operation,
    args: Sequence[SSAValue],
    forwarded: Sequence[SSAValue],
) -> tuple[dict[int, SSAValue], dict[int, SSAValue]]:
    """The buffers of the tensors that the condition of an ``scf.while`` receives (``args``), and of
    those that it forwards, by index.

    A tensor forwarded unchanged stays in its buffer. If a type does not determine the size of a
    forwarded tensor, it is that of the first received tensor of the same type; :func:`pass_on`
    refuses others.
    """
    tensors = raiser.tensors
    arrivals: dict[int, SSAValue] = {}
    results: dict[int, SSAValue] = {}
    stays: dict[SSAValue, int] = {}
    for n, value in enumerate(forwarded):
        if isinstance(value.type, TensorType) and value in args:
            stays.setdefault(value, n)
    for n, (init, arg) in enumerate(zip(op.operands, args, strict=True)):
        if not isinstance(init.type, TensorType):
            continue
        if arg in stays:
            arrivals[n] = results[stays[arg]] = start_carried(
                raiser, op, init, arg, op.results[stays[arg]]
            )
            continue
        sizes, held = tensors.sizes(init), tensors.values[init]
        arrivals[n] = buffer = raiser.alloc(arg.name_hint or "carried", init.type, sizes, op)
        if isinstance(held, Splat):
            raiser.fill(held.scalar, buffer, sizes, "fill", op)
        elif isinstance(held, Held):
            raiser.emit(copy_nest(held.buffer, buffer, raiser.label("copy"), sizes), op)
    for n, buffer in arrivals.items():  # all values are copied before the first iteration
        tensors.values[args[n]] = Held(buffer)
    for n, value in enumerate(forwarded):
        if isinstance(value.type, TensorType) and n not in results:
            same = [m for m in arrivals if args[m].type == value.type]
            sizes = raiser.sizes_of(arrivals[same[0]]) if same else None
            results[n] = _result_buffer(raiser, op, n, sizes)
    return arrivals, dict(sorted(results.items()))


def pass_on(
    raiser: FunctionRaiser, op: Operation, end: Operation, value: SSAValue, buffer: SSAValue
) -> None:
    """Copy a value forwarded by the condition ``end`` of the loop ``op`` into its buffer: KC4550 if
    its size may differ.
    """
    assert isinstance(value.type, TensorType)
    if tir.DYNAMIC in value.type.get_shape() and not same_sizes(
        raiser, raiser.tensors.sizes(value), raiser.sizes_of(buffer), op
    ):
        raise _dynamic_result(op)
    yield_branch(raiser, end, value, buffer)


def _result_buffer(
    raiser: FunctionRaiser, op: Operation, n: int, sizes: Sequence[Extent] | None = None
) -> SSAValue:
    """A buffer for a tensor result of ``op``, allocated before ``op``, with these ``sizes`` or
    those of its type: KC4550 if the type does not determine them.
    """
    result = op.results[n]
    assert isinstance(result.type, TensorType)
    shape = result.type.get_shape()
    if tir.DYNAMIC not in shape:
        sizes = list(shape)
    elif sizes is None:
        raise _dynamic_result(op)
    buffer = raiser.tensors.result(result, sizes, op)
    del raiser.tensors.values[result]
    return buffer


def _dynamic_result(op: Operation) -> CodegenError:
    parts = "condition, which says" if isinstance(op, scf.WhileOp) else "branches, which say"
    return CodegenError(
        "KC4550",
        f"raise-to-tir: {op.name} that gives a tensor of dynamic size has no counterpart in tir",
        location=location_of(op),
        why=f"its buffer is made before the {parts} its size",
        hints=["give the tensor a static shape"],
    )


def same_sizes(
    raiser: FunctionRaiser, sizes: Sequence[Extent], expected: Sequence[Extent], op: Operation
) -> bool:
    """True if the sizes of all arguments are equal."""
    for size, required in zip(sizes, expected, strict=True):
        if size is required or (isinstance(size, int) and size == required):
            continue
        exprs = raiser.requirements.expr(size, op), raiser.requirements.expr(required, op)
        if exprs[0] is None or exprs[0] != exprs[1]:
            return False
    return True


def share(raiser: FunctionRaiser, op: Operation, args: Sequence[SSAValue]) -> list[SSAValue]:
    """Buffers for the tensors that an ``scf.forall`` shares; in its body, ``args`` are the old
    contents.

    Returns the buffers that must not be written in the body.
    """
    tensors = raiser.tensors
    unwritten: list[SSAValue] = []
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
                unwritten.append(before.buffer)
            source = tensors.operand(init, op)
            buffer = tensors.result(result, sizes, op)
            if isinstance(before, Splat):
                raiser.fill(before.scalar, buffer, sizes, "fill", op)
            else:
                raiser.emit(copy_nest(source, buffer, raiser.label("copy"), sizes), op)
            tensors.values[arg] = before
        tensors.shared[arg] = buffer
    tensors.inputs.update(unwritten)
    return unwritten


def end_sharing(
    raiser: FunctionRaiser, op: Operation, args: Sequence[SSAValue], unwritten: Sequence[SSAValue]
) -> None:
    """Define the results, after the loops, as the shared buffers."""
    tensors = raiser.tensors
    tensors.inputs.difference_update(unwritten)
    tensors.forget_inside(op)
    for arg, result in zip(args, op.results, strict=True):
        buffer = tensors.shared.pop(arg)
        tensors.forget_buffer(buffer)
        tensors.values[result] = Held(buffer)


class BranchResults:
    """The buffers of a condition's tensor results, which each branch writes.

    A buffer is allocated before the condition. If the type does not determine its size, the first
    branch does, provided that the size is available outside of it.
    """

    def __init__(self, raiser: FunctionRaiser, op: Operation) -> None:
        self.raiser, self.op, self.outer = raiser, op, raiser.at
        self.buffers: dict[int, SSAValue] = {}
        for n, result in enumerate(op.results):
            if isinstance(result.type, TensorType) and tir.DYNAMIC not in result.type.get_shape():
                self.buffers[n] = _result_buffer(raiser, op, n)

    def yielded(self, end: Operation, branch: Block) -> list[SSAValue]:
        """Copy the yielded tensors into the buffers. Returns the other yielded values."""
        for n, value in enumerate(end.operands):
            if not isinstance(value.type, TensorType):
                continue
            if n not in self.buffers:
                self.buffers[n] = self._sized(n, self.raiser.tensors.sizes(value), branch)
            self._require_size(n, value)
            yield_branch(self.raiser, end, value, self.buffers[n])
        return [value for value in end.operands if not isinstance(value.type, TensorType)]

    def end(self) -> None:
        """Define the results, after the branches, as the buffers."""
        if self.buffers:
            self.raiser.tensors.forget_inside(self.op)
        for n, buffer in self.buffers.items():
            self.raiser.tensors.values[self.op.results[n]] = Held(buffer)

    def _sized(self, n: int, sizes: Sequence[Extent], branch: Block) -> SSAValue:
        raiser, tensors, result = self.raiser, self.raiser.tensors, self.op.results[n]
        buffers: list[SSAValue] = []

        def make() -> None:
            outside = [self._outside(size, branch) for size in sizes]
            buffers.append(tensors.result(result, outside, self.op))
            del tensors.values[result]

        raiser.into(self.outer, make)
        return buffers[0]

    def _outside(self, size: Extent, branch: Block) -> Extent:
        """A size as a value that is available before the condition."""
        if isinstance(size, int) or not is_within(size, branch):
            return size
        raiser = self.raiser
        expr = raiser.requirements.symbol_expr(size, self.op)
        if expr is None:
            raise _dynamic_result(self.op)
        used = sorted({part.position for part in expr.dfs() if isinstance(part, AffineSymExpr)})
        symbols = [
            raiser.emit(tir.SymbolOp(raiser.symbols[position]), self.op).results[0]
            for position in used
        ]
        dims = [
            AffineDimExpr(used.index(m) if m in used else 0) for m in range(len(raiser.symbols))
        ]
        return raiser.apply(expr.replace_dims_and_symbols((), dims), symbols, self.op)

    def _require_size(self, n: int, value: SSAValue) -> None:
        result = self.op.results[n]
        assert isinstance(result.type, TensorType)
        sizes = self.raiser.sizes_of(self.buffers[n])
        if tir.DYNAMIC in result.type.get_shape() and not same_sizes(
            self.raiser, self.raiser.tensors.sizes(value), sizes, self.op
        ):
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: {self.op.name} whose branches give tensors of sizes that may "
                "differ has no counterpart in tir",
                location=location_of(self.op),
                why="both branches write the same buffer, and their sizes may differ",
                hints=["give the tensor a static shape"],
            )


def is_within(value: SSAValue, block: Block) -> bool:
    """True if ``value`` is defined in ``block``, or in a region of one of its ops."""
    at = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while at is not None and at is not block:
        parent = at.parent_op()
        at = parent.parent if parent is not None else None
    return at is block


def yield_branch(raiser: FunctionRaiser, op: Operation, value: SSAValue, buffer: SSAValue) -> None:
    """Copy the tensor that a branch yields into the buffer of the result."""
    held, sizes = raiser.tensors.values[value], raiser.sizes_of(buffer)
    raiser.requirements.typed(value, sizes, op)
    if isinstance(held, Splat):
        raiser.fill(held.scalar, buffer, sizes, "fill", op)
    elif isinstance(held, Held) and held.buffer is not buffer:
        raiser.emit(copy_nest(held.buffer, buffer, raiser.label("copy"), sizes), op)
