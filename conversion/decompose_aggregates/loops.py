"""Loops of scf over buffers, for element-wise updates of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, bufferization, memref, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from kc.dialects.tm_tensor import TmTensorOp, YieldOp

Index = SSAValue


def index(value: int) -> SSAValue:
    """A constant index."""
    return arith.ConstantOp(IntegerAttr.from_index_int_value(value)).result


def loop(count: SSAValue, body: Callable[[Index], None]) -> None:
    """Build an ``scf.for`` with ``count`` iterations."""
    block = Block(arg_types=[IndexType()])
    with ImplicitBuilder(block):
        body(block.args[0])
        scf.YieldOp()
    scf.ForOp(index(0), count, index(1), [], Region(block))


def loops(counts: Sequence[SSAValue], body: Callable[[list[Index]], None]) -> None:
    """Build nested loops."""
    indices: list[Index] = []

    def nest(n: int) -> None:
        if n == len(counts):
            body(indices)
            return

        def inner(i: Index) -> None:
            indices.append(i)
            nest(n + 1)

        loop(counts[n], inner)

    nest(0)


def when(
    condition: SSAValue, then: Callable[[], None], otherwise: Callable[[], None] | None = None
) -> None:
    """``scf.if``."""
    blocks: list[Block] = []
    for body in (then, otherwise):
        if body is not None:
            blocks.append(Block())
            with ImplicitBuilder(blocks[-1]):
                body()
                scf.YieldOp()
    regions = [Region(block) for block in blocks]
    scf.IfOp(condition, [], regions[0], regions[1] if len(regions) > 1 else None)


def load(buffer: SSAValue, at: Sequence[Index]) -> SSAValue:
    """Load an element."""
    return memref.LoadOp.get(buffer, list(at)).res


def store(value: SSAValue, buffer: SSAValue, at: Sequence[Index]) -> None:
    """Write an element."""
    memref.StoreOp.get(value, buffer, list(at))


def size(value: SSAValue, axis: int) -> SSAValue:
    """The extent along an axis."""
    assert isinstance(value.type, TensorType | MemRefType)
    static_size = value.type.get_shape()[axis]
    if static_size >= 0:
        return index(static_size)
    if isinstance(value.type, TensorType):
        return tensor.DimOp(value, index(axis)).result
    return memref.DimOp.from_source_and_index(value, index(axis)).result


def payload(op: TmTensorOp, *arguments: SSAValue) -> SSAValue:
    """The results of an op's body for these arguments."""
    block = op.regions[0].block
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    for inner in block.ops:
        if isinstance(inner, YieldOp):
            (result,) = inner.operands
            return values.get(result, result)
        inner.clone(values)  # inserted at the position of the builder
    raise AssertionError("a body ends with a yield")


def rewrite(
    op: Operation,
    rewriter: PatternRewriter,
    body: Callable[[list[SSAValue]], None],
    outputs: Sequence[SSAValue],
) -> None:
    """Replace an op by the code of ``body``, which receives buffers of the outputs to update."""
    block = Block()
    results: list[SSAValue] = []
    with ImplicitBuilder(block):
        buffers: list[SSAValue] = []
        for output in outputs:
            if isinstance(output.type, TensorType):
                type_ = MemRefType(output.type.element_type, output.type.shape)
                copy = bufferization.ToBufferOp.build(operands=[output], result_types=[type_])
                buffers.append(copy.memref)
            else:
                buffers.append(output)
        body(buffers)
        if op.results:
            results = [bufferization.ToTensorOp(buffer, restrict=True).tensor for buffer in buffers]
    for result, old in zip(results, op.results, strict=True):
        result.name_hint = old.name_hint
    ops = list(block.ops)
    for new in ops:
        new.detach()
    rewriter.insert(ops, InsertPoint.before(op))
    rewriter.replace(op, [], results)


def input_buffer(value: SSAValue) -> SSAValue:
    """A buffer to read an input from."""
    if not isinstance(value.type, TensorType):
        return value
    type_ = MemRefType(value.type.element_type, value.type.shape)
    return bufferization.ToBufferOp.build(operands=[value], result_types=[type_]).memref
