"""``bufferization`` and other ops that derive buffers from buffers: each becomes a copy.

A tensor is immutable and a buffer is not. A tensor from a buffer, or a buffer from a tensor, is
therefore a separate buffer, to which the elements are copied at this point of the program.
"""

from __future__ import annotations

from xdsl.dialects import arith, bufferization, memref
from xdsl.dialects.builtin import BoolAttr, MemRefType, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.accesses.dependence import base_buffer
from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser, without_strides
from kc.conversion.raise_to_tir.structured import identity
from kc.conversion.raise_to_tir.tensors import Empty
from kc.dialects import tir
from kc.dialects.affine import DelinearizeIndexOp, LinearizeIndexOp
from kc.dialects.bufferization import DeallocOp
from kc.dialects.memref_views import ReallocOp
from kc.dialects.tensor import RankOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


def _copied(raiser: FunctionRaiser, op: Operation, source: SSAValue, target: SSAValue) -> None:
    """A nest that copies a buffer, a view, or a scalar into a buffer or a view."""
    sizes = raiser.sizes_of(target)

    def element(body: Block) -> None:
        at, value = identity(len(sizes)), source
        if isinstance(source.type, MemRefType):
            value = raiser.load(source, at, body.args, op)
        raiser.store(value, target, at, body.args, op)

    raiser.spatial("copy", sizes, element, op)


class RaiseToTensor(ConversionPattern[FunctionRaiser]):
    """``bufferization.to_tensor``: the current contents of the memref.

    Requires a known rank: KC4550.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: bufferization.ToTensorOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        source = raiser.value(op.memref)
        if not isinstance(source.type, MemRefType):
            raise _refused(op)
        target = raiser.tensors.result(op.tensor, raiser.sizes_of(source), op)
        _copied(raiser, op, source, target)


class RaiseToBuffer(ConversionPattern[FunctionRaiser]):
    """``bufferization.to_buffer``: a buffer with the contents of the tensor.

    Requires a known rank: KC4550.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: bufferization.ToBufferOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if not isinstance(op.memref.type, MemRefType) or not isinstance(op.tensor.type, TensorType):
            raise _refused(op)
        sizes = raiser.tensors.sizes(op.tensor)
        name = op.memref.name_hint or "buffer"
        target = raiser.alloc(name, op.tensor.type, sizes, op)
        if not isinstance(raiser.tensors.values[op.tensor], Empty):
            _copied(raiser, op, raiser.tensors.operand(op.tensor, op), target)
        raiser.values[op.memref] = target


class RaiseAllocTensor(ConversionPattern[FunctionRaiser]):
    """``bufferization.alloc_tensor``: an undefined tensor, or a copy of another tensor.

    Requires a known rank (KC4550), and sizes of at least 0 (the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: bufferization.AllocTensorOp, rewriter: PatternRewriter, /
    ) -> None:
        raiser = self.conversion
        result = op.tensor
        if not isinstance(result.type, TensorType):
            raise _refused(op)
        if op.copy is not None:
            raiser.tensors.values[result] = raiser.tensors.values[op.copy]
            return
        rest = iter(op.dynamic_sizes)
        sizes = [
            raiser.extent(next(rest)) if size == tir.DYNAMIC else size
            for size in result.type.get_shape()
        ]
        raiser.requirements.natural(sizes, op)
        raiser.tensors.values[result] = Empty(sizes)


class RaiseClone(ConversionPattern[FunctionRaiser]):
    """``bufferization.clone``: a copy of a buffer.

    Requires a known rank: KC4550.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: bufferization.CloneOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        source = raiser.value(op.input)
        if not isinstance(source.type, MemRefType):
            raise _refused(op)
        sizes = raiser.sizes_of(source)
        target = raiser.alloc(op.output.name_hint or "clone", source.type, sizes, op)
        _copied(raiser, op, source, target)
        raiser.values[op.output] = target


class RaiseOwnership(ConversionPattern[FunctionRaiser]):
    """``bufferization.dealloc``: the resulting ownership conditions.

    A buffer lives to the end of its region, regardless of ownership. Requires that the buffers
    behind all memrefs are known: KC4550.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DeallocOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        rewriter.erase(op)
        owned = [
            (self._whole(memory, op), condition)
            for memory, condition in zip(op.memrefs, op.conditions, strict=True)
        ]
        for memory, result in zip(op.retained, op.updated_conditions, strict=True):
            whole = self._whole(memory, op)
            conditions = [raiser.value(own) for buffer, own in owned if buffer is whole]
            if not conditions:
                conditions = list(
                    raiser.emit(arith.ConstantOp(BoolAttr.from_bool(False)), op).results
                )
            holds, *rest = conditions
            for condition in rest:
                holds = raiser.emit(arith.OrIOp(holds, condition), op).results[0]
            raiser.values[result] = holds

    def _whole(self, memory: SSAValue, op: DeallocOp) -> SSAValue:
        value = self.conversion.value(memory)
        view = self.conversion.views.get(value)
        base = base_buffer(value if view is None else view.buffer)
        if base is None:
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: {op.name} of a memref that may be one of several has no "
                "counterpart in tir",
                location=location_of(op),
                why="its results say which memrefs share memory",
                hints=["run mlir-opt --buffer-deallocation-simplification before"],
            )
        return base


class RaiseMaterialize(ConversionPattern[FunctionRaiser]):
    """``bufferization.materialize_in_destination``: a copy into the destination.

    Requires a known rank (KC4550), and a destination of the same sizes (KC4556, or the call checks
    them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: bufferization.MaterializeInDestinationOp, rewriter: PatternRewriter, /
    ) -> None:
        raiser = self.conversion
        sizes = raiser.tensors.sizes(op.source)
        if isinstance(op.dest.type, TensorType):
            raiser.tensors.values[op.results[0]] = raiser.tensors.values[op.source]
            return
        target = raiser.value(op.dest)
        if not isinstance(target.type, MemRefType):
            raise _refused(op)
        what = "copies into memory of its size"
        for size, room in zip(sizes, raiser.sizes_of(target), strict=True):
            raiser.requirements.equal(size, room, op, what)
        rewriter.erase(op)
        if not isinstance(raiser.tensors.values[op.source], Empty):
            _copied(raiser, op, raiser.tensors.operand(op.source, op), target)


def _refused(op: Operation) -> CodegenError:
    return CodegenError(
        "KC4550",
        f"raise-to-tir: {op.name} without a known rank has no counterpart in tir",
        location=location_of(op),
        why="buffers have a number of dimensions",
    )


class RaiseRealloc(ConversionPattern[FunctionRaiser]):
    """``memref.realloc``: another buffer, with as many elements of the first as fit.

    Requires a size of at least 0 (the call checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReallocOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        source = raiser.value(op.source)
        (old,) = raiser.sizes_of(source)
        assert isinstance(op.result.type, MemRefType)
        (static,) = op.result.type.get_shape()
        operand = op.dynamic_result_size
        size = static if operand is None else raiser.extent(operand)
        raiser.requirements.natural([size], op)
        name = op.result.name_hint or "realloc"
        target = raiser.alloc(name, without_strides(op.result.type), [size], op)  # pyright: ignore
        dims = AffineExpr.dimension(0), AffineExpr.dimension(1)
        fits = raiser.extreme("min", dims, [old, size], op)

        def element(body: Block) -> None:
            value = raiser.load(source, identity(1), body.args, op)
            raiser.store(value, target, identity(1), body.args, op)

        raiser.spatial("copy", [fits], element, op)
        raiser.values[op.result] = target


class RaiseRank(ConversionPattern[FunctionRaiser]):
    """``memref.rank``, ``tensor.rank``: a number.

    Requires a known rank: KC4550.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.RankOp | RankOp, rewriter: PatternRewriter, /) -> None:
        type_ = op.operands[0].type
        if not isinstance(type_, MemRefType | TensorType):
            raise _refused(op)
        raiser = self.conversion
        raiser.values[op.results[0]] = raiser.index_value(type_.get_num_dims(), op)


class RaiseDelinearizeIndex(ConversionPattern[FunctionRaiser]):
    """``affine.delinearize_index``: the indices in a box of the element with a linear index.

    Requires sizes above 0, as the op does: other sizes are undefined before and after raising.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DelinearizeIndexOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        basis = [
            size if isinstance(size, int) else raiser.extent(size)
            for size in op.basis(op.dynamic_basis)
        ]
        rest = raiser.extent(op.linear_index)
        inner = basis[1:] if len(op.multi_index) == len(basis) else basis
        results = list(op.multi_index)
        for size, result in zip(reversed(inner), reversed(results[1:]), strict=True):
            raiser.values[result] = raiser.index_value(raiser.remainder(rest, size, op), op)
            rest = raiser.quotient(rest, size, op)
        if results:
            raiser.values[results[0]] = raiser.index_value(rest, op)


class RaiseLinearizeIndex(ConversionPattern[FunctionRaiser]):
    """``affine.linearize_index``: the linear index of the element with given indices in a box.

    Requires nothing: it consists of sums and products of any values.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LinearizeIndexOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        basis = [
            size if isinstance(size, int) else raiser.extent(size)
            for size in op.basis(op.dynamic_basis)
        ]
        indices = [raiser.extent(index) for index in op.multi_index]
        inner = basis[1:] if len(indices) == len(basis) else basis
        total = indices[0] if indices else 0
        add = AffineDimExpr(0) + AffineDimExpr(1)
        for size, index in zip(inner, indices[1:], strict=True):
            total = raiser.apply(add, [raiser.product(total, size, op), index], op)
        raiser.values[op.linear_index] = raiser.index_value(total, op)


PATTERNS: tuple[type[RewritePattern], ...] = (
    RaiseToTensor,
    RaiseToBuffer,
    RaiseAllocTensor,
    RaiseClone,
    RaiseOwnership,
    RaiseMaterialize,
    RaiseRealloc,
    RaiseRank,
    RaiseDelinearizeIndex,
    RaiseLinearizeIndex,
)
