"""Assertions in the bodies of tensor ops, which torch-mlir writes about indices, become loops
before the op that leave the function if an assertion fails.

Before::

    linalg.generic {...} ins(%at : tensor<4xi64>) outs(%e : tensor<4xf32>) {
    ^bb0(%i: i64, %out: f32):
      %ok = arith.cmpi slt, %i, %c10 : i64
      cf.assert %ok, "index must be smaller than dim size"
      ...

After::

    scf.for %d0 = %c0 to %c4 step %c1 {
      %i = tensor.extract %at[%d0] : tensor<4xi64>
      %ok = arith.cmpi slt, %i, %c10 : i64
      cf.assert %ok, "index must be smaller than dim size" {kc.elements}
    }
    linalg.generic {...} { ... }

The op itself can then be scheduled, and is not executed if its indices are wrong.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import affine, arith, cf, func, linalg, memref, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    MemRefType,
    ShapedType,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from kc.conversion.decompose_aggregates.loops import loops, size
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.dialects import tir
from kc.support.diagnostics import CodegenError
from kc.support.global_functions import ASSERTION_FAILED
from kc.support.locations import location_of

ZERO = AffineExpr.constant(0)
ELEMENTS = "kc.elements"
"""The attribute of an assertion that the kernel checks."""


def with_assertions_before(function: func.FuncOp) -> func.FuncOp:
    """A copy of a function with these loops; the function itself if it has no assertions."""
    if not any(_assertions(op) for op in function.walk()):
        return function
    copy = function.clone()
    copy.location = function.location
    for op in [op for op in copy.walk() if _assertions(op)]:
        _move_before(op)
    return copy


def _assertions(op: Operation) -> list[cf.AssertOp]:
    if not isinstance(op, linalg.ops.GenericOp):
        return []
    return [inner for inner in op.body.block.ops if isinstance(inner, cf.AssertOp)]


def _move_before(op: Operation) -> None:
    assert isinstance(op, linalg.ops.GenericOp)
    asserted = _assertions(op)
    needed = _needed(op, asserted)
    arguments = op.body.block.args
    read = [n for n, arg in enumerate(arguments) if any(arg in inner.operands for inner in needed)]
    maps = [space.data for space in op.indexing_maps]
    indexed = {inner.dim.value.data for inner in needed if isinstance(inner, linalg.ops.IndexOp)}
    used = {dim for n in read for expr in maps[n].results for dim in expr.used_dims()} | indexed
    operands = list(op.operands)
    # An empty op asserts nothing.
    certain = {
        expr.position
        for value, space in zip(operands, maps, strict=True)
        if isinstance(value.type, ShapedType)
        for expr, size in zip(space.results, value.type.get_shape(), strict=True)
        if isinstance(expr, AffineDimExpr) and size >= 1
    }
    dims = [dim for dim in range(len(op.iterator_types)) if dim in used or dim not in certain]
    if any(n >= len(op.inputs) for n in read):
        raise _refused(asserted[0], "its condition depends on values that the op computes")

    def extent(dim: int) -> SSAValue:
        for value, space in zip(operands, maps, strict=True):
            for axis, expr in enumerate(space.results):
                if expr == AffineExpr.dimension(dim):
                    return size(value, axis)
        raise _refused(asserted[0], f"no operand has the extent of its loop d{dim}")

    block = Block()
    with ImplicitBuilder(block):

        def check(indices: list[SSAValue]) -> None:
            at = dict(zip(dims, indices, strict=True))
            values: dict[SSAValue, SSAValue] = {}
            for n in read:
                values[arguments[n]] = _element(operands[n], maps[n], at)
            for inner in needed:
                if isinstance(inner, linalg.ops.IndexOp):
                    values[inner.result] = at[inner.dim.value.data]
                    continue
                new = inner.clone(values)
                new.location = inner.location
                if isinstance(new, cf.AssertOp):
                    new.attributes[ELEMENTS] = UnitAttr()

        loops([extent(dim) for dim in dims], check)
    ops = list(block.ops)
    for new in ops:
        new.detach()
        if new.location is None or location_of(new) is None:
            new.location = op.location
    rewriter = PatternRewriter(op)
    rewriter.insert(ops, InsertPoint.before(op))
    for inner in asserted:
        Rewriter.erase_op(inner)


def _needed(op: linalg.ops.GenericOp, asserted: list[cf.AssertOp]) -> list[Operation]:
    """The ops of the body that the assertions need, in order."""
    needed: set[Operation] = set(asserted)
    for inner in reversed(list(op.body.block.ops)):
        if inner not in needed:
            continue
        if inner.regions:
            raise _refused(asserted[0], f"it depends on {inner.name}")
        for operand in inner.operands:
            if isinstance(operand.owner, Operation) and operand.owner.parent is op.body.block:
                needed.add(operand.owner)
    return [inner for inner in op.body.block.ops if inner in needed]


def _element(value: SSAValue, space: AffineMap, at: dict[int, SSAValue]) -> SSAValue:
    """The element that an iteration reads."""
    if not isinstance(value.type, TensorType | MemRefType):
        return value
    numbers = list(at)
    renamed = [
        AffineExpr.dimension(numbers.index(dim)) if dim in at else ZERO
        for dim in range(space.num_dims)
    ]
    indices: list[SSAValue] = []
    for expr in space.results:
        only = AffineMap(len(numbers), 0, (expr.replace_dims_and_symbols(renamed, []),))
        indices.append(affine.ApplyOp(list(at.values()), AffineMapAttr(only)).result)
    if isinstance(value.type, TensorType):
        return tensor.ExtractOp(value, indices, value.type.element_type).result
    return memref.LoadOp.get(value, indices).res


def _refused(op: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4550",
        "raise-to-tir: cf.assert of elements has no counterpart in tir",
        location=location_of(op),
        why=why,
        hints=["remove it if the caller guarantees the condition"],
    )


def emit_assertion(raiser: FunctionRaiser, op: cf.AssertOp, condition: SSAValue) -> None:
    """A check at run time: if it fails, report an error and leave the function."""
    message = op.msg.data
    location = location_of(op)
    if location is not None:
        message = f"{location.file}:{location.line}:{location.column}: {message}"
    wide = raiser.emit(arith.ExtUIOp(condition, i64), op).results[0]
    number = raiser.emit(arith.IndexCastOp(wide, IndexType()), op).results[0]
    block = Block([tir.CallExternOp(ASSERTION_FAILED, [message], [None], packed=True)])
    failed = AffineConstraintExpr(AffineConstraintKind.eq, AffineExpr.dimension(0), ZERO)
    guard = tir.IfOp(AffineSet(1, 0, (failed,)), [number], Region(block))
    guard.location = op.location
    raiser.add(guard)
    leave = cf.AssertOp(condition, op.msg.data)
    leave.attributes["leaves"] = UnitAttr()
    raiser.emit(leave, op)
