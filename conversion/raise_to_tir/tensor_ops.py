"""Ops of the dialect ``tensor``: each becomes a nest of copies, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, memref, scf, tensor, vector
from xdsl.dialects.builtin import (
    ComplexType,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.nests import Extent
from kc.conversion.raise_to_tir.structured import identity, index_constant, is_elementwise
from kc.conversion.raise_to_tir.tensors import Empty, Held, Splat
from kc.dialects import tir
from kc.dialects.scf import InParallelOp
from kc.dialects.tensor import GenerateOp, ParallelInsertSliceOp
from kc.dialects.vector import GatherOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

MAX_ELEMENTS = 16
"""The maximum number of elements of a constant tensor that are stored one by one; a larger tensor
is a table.
"""


_SliceOp = tensor.ExtractSliceOp | tensor.InsertSliceOp | ParallelInsertSliceOp | memref.SubviewOp


class RaiseEmpty(ConversionPattern[FunctionRaiser]):
    """``tensor.empty``: sizes only; the op that writes the tensor allocates its buffer.

    Requires sizes of at least 0 (the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.EmptyOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        sizes = _sizes(raiser, op, op.tensor, op.dynamic_sizes)
        raiser.tensors.values[op.tensor] = Empty(sizes)


def _sizes(
    raiser: FunctionRaiser, op: Operation, value: SSAValue, dynamic: Sequence[SSAValue]
) -> list[Extent]:
    assert isinstance(value.type, TensorType)
    rest = iter(dynamic)
    sizes = [
        raiser.extent(next(rest)) if size == tir.DYNAMIC else size
        for size in value.type.get_shape()
    ]
    raiser.requirements.natural(sizes, op)
    return sizes


class RaiseConstant(ConversionPattern[FunctionRaiser]):
    """``arith.constant dense<...>``.

    Requires that the file contains the elements (KC4554), which must not be complex numbers
    (KC4550).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        type_ = op.result.type
        if not isinstance(type_, TensorType):
            raiser.emit(op.clone(raiser.values), op)
            return
        attr = op.value
        shape = list(type_.get_shape())
        count = 1
        for extent in shape:
            count *= extent
        if not isinstance(attr, DenseIntOrFPElementsAttr):
            raise CodegenError(
                "KC4554",
                "raise-to-tir: a constant tensor without its elements",
                location=location_of(op),
                why="they are in a resource that the file does not have"
                if isinstance(attr, DenseResourceAttr)
                else f"its value is {attr}",
                hints=["make it an argument of the function"],
            )
        if isinstance(type_.element_type, ComplexType):
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: a constant of type {type_} has no counterpart in tir",
                location=location_of(op),
                why="buffers hold integers, floats and indices",
                hints=["keep real and imaginary parts in two tensors"],
            )
        if count and attr.is_splat():
            scalar = arith.ConstantOp(next(iter(attr.iter_attrs())))  # pyright: ignore
            raiser.tensors.values[op.result] = Splat(shape, raiser.emit(scalar, op).results[0])
            return
        if count > MAX_ELEMENTS:
            buffer = raiser.table(
                op.result.name_hint or "constant", MemRefType(type_.element_type, shape), attr, op
            )
            raiser.tensors.values[op.result] = Held(buffer)
            raiser.tensors.inputs.add(buffer)
            return
        buffer = raiser.tensors.result(op.result, shape, op)
        for n, element in enumerate(attr.iter_attrs()):
            at: list[AffineExpr] = []
            for size in reversed(shape):
                at.insert(0, AffineExpr.constant(n % size))
                n //= size
            scalar = arith.ConstantOp(element)  # pyright: ignore
            value = raiser.emit(scalar, op).results[0]
            raiser.emit(tir.StoreOp(value, buffer, AffineMap(0, 0, tuple(at)), []), op)


class RaiseSplat(ConversionPattern[FunctionRaiser]):
    """``tensor.splat``.

    Requires sizes of at least 0 (the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.SplatOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        sizes = _sizes(raiser, op, op.result, op.dynamicSizes)
        raiser.tensors.values[op.result] = Splat(sizes, raiser.value(op.input))


class RaiseFromElements(ConversionPattern[FunctionRaiser]):
    """``tensor.from_elements``: a store for each element.

    Requires nothing.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.FromElementsOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        assert isinstance(op.result.type, TensorType)
        shape = list(op.result.type.get_shape())
        buffer = raiser.tensors.result(op.result, shape, op)
        for n, value in enumerate(op.elements):
            at: list[AffineExpr] = []
            for size in reversed(shape):
                at.insert(0, AffineExpr.constant(n % size))
                n //= size
            store = tir.StoreOp(raiser.value(value), buffer, AffineMap(0, 0, tuple(at)), [])
            raiser.emit(store, op)


class RaiseCast(ConversionPattern[FunctionRaiser]):
    """``tensor.cast``: the same tensor, with more or fewer known sizes.

    Requires the sizes of its type (KC4556, or the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.CastOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        raiser.requirements.typed(op.results[0], raiser.tensors.sizes(op.operands[0]), op)
        raiser.tensors.values[op.results[0]] = raiser.tensors.values[op.operands[0]]


class RaiseExtract(ConversionPattern[FunctionRaiser]):
    """``tensor.extract``: a load.

    Requires nothing: an index outside of the tensor is undefined before and after raising.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExtractOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        raiser.scalar_code_op(op)


class RaiseInsert(ConversionPattern[FunctionRaiser]):
    """``tensor.insert``: a store into the tensor, or into a copy of it.

    Requires nothing: if the tensor has other uses, the store goes into a copy.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.InsertOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        buffer = raiser.tensors.destination(op.dest, op.result, op, keeps=True)
        at = [raiser.value(index) for index in op.indices]
        raiser.emit(tir.StoreOp(raiser.value(op.scalar), buffer, identity(len(at)), at), op)


class RaiseDim(ConversionPattern[FunctionRaiser]):
    """``tensor.dim``, ``memref.dim``: the known size; a computed dimension selects one of the
    sizes.

    A dimension that does not exist has no defined size.

    Requires that a constant dimension exists: KC4556.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: tensor.DimOp | memref.DimOp, rewriter: PatternRewriter, /
    ) -> None:
        raiser = self.conversion
        index = op.operands[1].owner
        sizes = raiser.tensors.sizes(op.operands[0])
        if not isinstance(index, arith.ConstantOp) or not isinstance(index.value, IntegerAttr):
            if sizes:
                chosen = _chosen(raiser, sizes, raiser.value(op.operands[1]), op)
                raiser.values[op.results[0]] = chosen
            return
        at = index.value.value.data
        if not 0 <= at < len(sizes):
            raise CodegenError(
                "KC4556",
                f"raise-to-tir: {op.name} of dimension {at}, and {op.operands[0].type} has "
                f"{len(sizes)}",
                location=location_of(op),
                why="dimensions are numbered from 0",
            )
        size = sizes[at]
        if isinstance(size, int):
            size = raiser.emit(index_constant(size), op).results[0]
        raiser.values[op.results[0]] = size


def _chosen(
    raiser: FunctionRaiser, sizes: Sequence[Extent], dimension: SSAValue, op: Operation
) -> SSAValue:
    """The size of a computed dimension."""
    size, *rest = [raiser.index_value(each, op) for each in sizes]
    for n, next_size in enumerate(rest, 1):
        number = raiser.emit(index_constant(n), op).results[0]
        is_nth = raiser.emit(arith.CmpiOp(dimension, number, "eq"), op).results[0]
        size = raiser.emit(arith.SelectOp(is_nth, next_size, size), op).results[0]
    return size


def _copy(
    raiser: FunctionRaiser,
    op: Operation,
    source: SSAValue,
    target: SSAValue,
    sizes: Sequence[Extent],
    read: AffineMap,
    write: AffineMap,
    outer: Sequence[SSAValue] = (),
) -> None:
    """A nest over ``sizes`` that copies elements; both maps take its variables, then the values
    ``outer``.
    """

    def element(body: Block) -> None:
        args = [*body.args, *outer]
        value = source
        if isinstance(source.type, MemRefType):
            value = raiser.emit(tir.LoadOp(source, read, args), op).results[0]
        raiser.emit(tir.StoreOp(value, target, write, args), op)

    hint = op.results[0].name_hint if op.results else None
    raiser.spatial(hint or op.name.rpartition(".")[2], sizes, element, op)


def slice_of(
    raiser: FunctionRaiser, op: _SliceOp, whole: SSAValue
) -> tuple[list[Extent], list[AffineExpr], list[SSAValue]]:
    """The sizes of a slice, its indices in ``whole`` (over dimensions of the slice, then values),
    and these values.
    """
    rank = len(op.static_sizes)
    outer: list[SSAValue] = []

    def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[Extent]:
        rest = iter(dynamic)
        return [raiser.extent(next(rest)) if entry == tir.DYNAMIC else entry for entry in static]

    def listed(attr: object) -> list[int]:
        return [int(entry) for entry in attr.iter_values()]  # pyright: ignore

    offsets = mixed(listed(op.static_offsets), op.offsets)
    sizes = mixed(listed(op.static_sizes), op.sizes)
    strides = mixed(listed(op.static_strides), op.strides)
    if any(not isinstance(stride, int) for stride in strides):
        raise CodegenError(
            "KC4550",
            f"raise-to-tir: {op.name} with a non-constant stride has no counterpart in tir",
            location=location_of(op),
            why="indices are affine: a variable times a constant",
        )
    exprs: list[AffineExpr] = []
    room = raiser.tensors.sizes(whole)
    for n in range(rank):
        stride = strides[n]
        assert isinstance(stride, int)
        _inside(raiser, op, room[n], offsets[n], sizes[n], stride)
        expr = AffineExpr.dimension(n) * stride
        offset = offsets[n]
        if isinstance(offset, int):
            expr = expr + offset
        else:
            expr = expr + AffineExpr.dimension(rank + len(outer))
            outer.append(offset)
        exprs.append(expr)
    return sizes, exprs, outer


def _inside(
    raiser: FunctionRaiser,
    op: Operation,
    room: Extent,
    offset: Extent,
    size: Extent,
    stride: int,
) -> None:
    """Require that a slice is inside a dimension of size ``room``, unless it is empty."""
    requirements = raiser.requirements
    requirements.natural([size], op)
    first, count = (requirements.expr(extent, op) for extent in (offset, size))
    if first is None or count is None:
        return
    ends = [first, first + (count - 1) * stride]
    low, high = ends if stride >= 0 else ends[::-1]
    whole = "buffer" if isinstance(op, memref.SubviewOp) else "tensor"
    what = f"needs a slice that lies in the {whole}"
    requirements.at_least(low, 0, op, what, [count])
    requirements.at_least(room, high + 1, op, what, [count])


def kept_dimensions(shape: Sequence[int], op: _SliceOp) -> list[int]:
    """The dimensions of a slice that remain in its type, with ``shape``; dropped dimensions have
    size 1.

    Dimensions are matched from the last one on, as upstream does. Among equal candidates any choice
    is correct, because each has one element.
    """
    sizes = [int(size) for size in op.static_sizes.iter_values()]
    kept_dims: list[int] = []
    left = len(shape)
    for n in reversed(range(len(sizes))):
        if sizes[n] == 1 and (left <= 0 or shape[left - 1] != 1):
            continue
        kept_dims.insert(0, n)
        left -= 1
    if left != 0:
        raise CodegenError(
            "KC4550",
            f"raise-to-tir: {op.name} of sizes {sizes} does not give the shape {list(shape)}",
            location=location_of(op),
            why="a dimension can be dropped where the size is the constant 1",
        )
    return kept_dims


class RaiseExtractSlice(ConversionPattern[FunctionRaiser]):
    """``tensor.extract_slice``: a copy of the part, which ``compute-inline`` removes.

    Requires constant strides (KC4550), and that the slice lies in the tensor (KC4556, or the call
    checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExtractSliceOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        sizes, exprs, outer = slice_of(raiser, op, op.source)
        assert isinstance(op.result.type, TensorType)
        kept_dims = kept_dimensions(op.result.type.get_shape(), op)
        shape = [sizes[n] for n in kept_dims]
        raiser.requirements.typed(op.result, shape, op)
        held = raiser.tensors.values[op.source]
        if isinstance(held, Splat):
            raiser.tensors.values[op.result] = Splat(shape, held.scalar)
            return
        source = raiser.tensors.buffer(op.source, op)
        target = raiser.tensors.result(op.result, shape, op)
        read = _without_dropped(exprs, kept_dims, len(sizes), len(outer))
        write = AffineMap(read.num_dims, 0, tuple(AffineDimExpr(n) for n in range(len(kept_dims))))
        _copy(raiser, op, source, target, shape, read, write, outer)


def _without_dropped(
    exprs: Sequence[AffineExpr], kept_dims: Sequence[int], rank: int, outer: int
) -> AffineMap:
    """Indices over the kept dimensions only; a dropped dimension has the index 0."""
    dims: list[AffineExpr] = [
        AffineDimExpr(kept_dims.index(n)) if n in kept_dims else AffineExpr.constant(0)
        for n in range(rank)
    ]
    dims += [AffineDimExpr(len(kept_dims) + n) for n in range(outer)]
    space = tuple(expr.replace_dims_and_symbols(dims, ()) for expr in exprs)
    return AffineMap(len(kept_dims) + outer, 0, space)


class RaiseInsertSlice(ConversionPattern[FunctionRaiser]):
    """``tensor.insert_slice``: store a slice into the tensor, or into a copy of it.

    Requires constant strides (KC4550), that the slice lies in the tensor, and that its source has
    the sizes of the slice (KC4556, or the call checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.InsertSliceOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        sizes, exprs, outer = slice_of(raiser, op, op.dest)
        assert isinstance(op.source.type, TensorType)
        kept_dims = kept_dimensions(op.source.type.get_shape(), op)
        for size, n in zip(raiser.tensors.sizes(op.source), kept_dims, strict=True):
            raiser.requirements.equal(
                size, sizes[n], op, "puts its source into a slice of its size"
            )
        source = raiser.tensors.operand(op.source, op)
        target = raiser.tensors.destination(op.dest, op.result, op, keeps=True)
        write = _without_dropped(exprs, kept_dims, len(sizes), len(outer))
        read = AffineMap(write.num_dims, 0, tuple(AffineDimExpr(n) for n in range(len(kept_dims))))
        _copy(raiser, op, source, target, [sizes[n] for n in kept_dims], read, write, outer)


class RaiseInParallel(ConversionPattern[FunctionRaiser]):
    """``scf.forall.in_parallel``: each iteration stores its slices into the shared buffers.

    Requires the same as :class:`RaiseInsertSlice`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: InParallelOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        rewriter.erase(op)
        for part in op.region.block.ops:
            assert isinstance(part, ParallelInsertSliceOp)
            sizes, exprs, outer = slice_of(raiser, part, part.dest)
            assert isinstance(part.source.type, TensorType)
            kept_dims = kept_dimensions(part.source.type.get_shape(), part)
            for size, n in zip(raiser.tensors.sizes(part.source), kept_dims, strict=True):
                raiser.requirements.equal(
                    size, sizes[n], part, "puts its source into a slice of its size"
                )
            source = raiser.tensors.operand(part.source, part)
            write = _without_dropped(exprs, kept_dims, len(sizes), len(outer))
            read = AffineMap(
                write.num_dims, 0, tuple(AffineDimExpr(n) for n in range(len(kept_dims)))
            )
            target, shape = raiser.tensors.shared[part.dest], [sizes[n] for n in kept_dims]
            _copy(raiser, part, source, target, shape, read, write, outer)


class RaiseConcat(ConversionPattern[FunctionRaiser]):
    """``tensor.concat``: a copy for each operand.

    Requires that sizes agree in the other dimensions (KC4556, or the call checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ConcatOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        axis = op.dim.value.data
        parts = [raiser.tensors.sizes(operand) for operand in op.inputs]
        operands = [raiser.tensors.operand(operand, op) for operand in op.inputs]
        ends: list[Extent] = [0]
        for sizes in parts:
            ends.append(
                raiser.apply(AffineDimExpr(0) + AffineDimExpr(1), [ends[-1], sizes[axis]], op)
            )
        sizes = [*parts[0]]
        sizes[axis] = ends[-1]
        for part in parts[1:]:
            for n, (mine, first) in enumerate(zip(part, parts[0], strict=True)):
                if n != axis:
                    what = "needs tensors whose sizes agree in the other dimensions"
                    raiser.requirements.equal(mine, first, op, what)
        raiser.requirements.typed(op.result, sizes, op)
        target = raiser.tensors.result(op.result, sizes, op)
        rank = len(sizes)
        for source, part, start in zip(operands, parts, ends, strict=False):
            outer = [] if isinstance(start, int) else [start]
            at: list[AffineExpr] = [AffineDimExpr(n) for n in range(rank)]
            at[axis] = at[axis] + (start if isinstance(start, int) else AffineDimExpr(rank))
            count = rank + len(outer)
            read = AffineMap(count, 0, tuple(AffineDimExpr(n) for n in range(rank)))
            _copy(raiser, op, source, target, part, read, AffineMap(count, 0, tuple(at)), outer)


def groups_of(attr: object) -> list[list[int]]:
    """The groups of dimensions that correspond to each dimension of the other shape."""
    return [[index.value.data for index in group] for group in attr]  # pyright: ignore


def _reshape(
    raiser: FunctionRaiser,
    op: tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ReshapeOp,
    sizes: list[Extent],
    place: Callable[[Block], list[SSAValue]],
) -> None:
    """A copy in another shape; ``place`` computes the source indices of an element."""
    operand = op.source if isinstance(op, tensor.ReshapeOp) else op.src
    held = raiser.tensors.values[operand]
    if isinstance(held, Splat):
        raiser.tensors.values[op.result] = Splat(sizes, held.scalar)
        return
    source = raiser.tensors.buffer(operand, op)
    target = raiser.tensors.result(op.result, sizes, op)

    def element(body: Block) -> None:
        at = place(body)
        load = raiser.emit(tir.LoadOp(source, identity(len(at)), at), op).results[0]
        raiser.emit(tir.StoreOp(load, target, identity(len(sizes)), body.args), op)

    raiser.spatial(op.result.name_hint or op.name.rpartition(".")[2], sizes, element, op)


class RaiseCollapseShape(ConversionPattern[FunctionRaiser]):
    """``tensor.collapse_shape``: element f of a group is at (f floordiv n, f mod n).

    Requires the sizes of its type (KC4556, or the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.CollapseShapeOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        fine = raiser.tensors.sizes(op.src)
        groups = groups_of(op.reassociation)
        sizes: list[Extent] = []
        for group in groups:
            size: Extent = 1
            for n in group:
                size = raiser.product(size, fine[n], op)
            sizes.append(size)
        raiser.requirements.typed(op.result, sizes, op)

        def place(body: Block) -> list[SSAValue]:
            at: list[SSAValue] = []
            for group, arg in zip(groups, body.args, strict=True):
                if len(group) == 1:
                    at.append(arg)
                    continue
                by = [raiser.index_value(fine[n], op) for n in group]
                at += raiser.emit(tir.DelinearizeOp(arg, by), op).results
            if not groups:
                at = [raiser.index_value(0, op) for _ in fine]
            return at

        _reshape(raiser, op, sizes, place)


class RaiseExpandShape(ConversionPattern[FunctionRaiser]):
    """``tensor.expand_shape``: the element (i, j) of a group is at i * n + j.

    Requires sizes of at least 0, and as many elements in each group as before (KC4556, or the call
    checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExpandShapeOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        rest = iter(op.dynamic_output_shape)
        sizes: list[Extent] = [
            raiser.extent(next(rest)) if size == tir.DYNAMIC else size
            for size in (int(n) for n in op.static_output_shape.iter_values())
        ]
        groups = groups_of(op.reassociation)
        raiser.requirements.natural(sizes, op)
        raiser.requirements.typed(op.result, sizes, op)
        for group, coarse in zip(groups, raiser.tensors.sizes(op.src), strict=True):
            raiser.requirements.product(coarse, [sizes[n] for n in group], op)

        def place(body: Block) -> list[SSAValue]:
            at: list[SSAValue] = []
            for group in groups:
                args = [body.args[n] for n in group]
                if len(group) == 1:
                    at.append(args[0])
                else:
                    by = [raiser.index_value(sizes[n], op) for n in group]
                    at.append(raiser.emit(tir.LinearizeOp(args, by), op).results[0])
            return at

        _reshape(raiser, op, sizes, place)


class RaiseReshape(ConversionPattern[FunctionRaiser]):
    """``tensor.reshape``: elements keep their order. Sizes come from the type, or from the shape
    operand if it is built from values.

    Requires sizes that are known before the tensor (KC4550), and as many elements as before
    (KC4556, or the call checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ReshapeOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        assert isinstance(op.result.type, TensorType)
        definition = op.shape.owner
        sizes: list[Extent] = []
        for n, size in enumerate(op.result.type.get_shape()):
            if size != tir.DYNAMIC:
                sizes.append(size)
            elif isinstance(definition, tensor.FromElementsOp):
                sizes.append(_as_index(raiser, definition.elements[n], op))
            else:
                raise CodegenError(
                    "KC4550",
                    f"raise-to-tir: {op.name} to sizes that are loaded has no counterpart in tir",
                    location=location_of(op),
                    why="the size of a buffer must be known before another buffer is read",
                    hints=["build the list of sizes with tensor.from_elements"],
                )
        fine = raiser.tensors.sizes(op.source)
        whole: Extent = 1
        for size in fine:
            whole = raiser.product(whole, size, op)
        raiser.requirements.natural(sizes, op)
        raiser.requirements.product(whole, sizes, op)

        def place(body: Block) -> list[SSAValue]:
            at: SSAValue = raiser.index_value(0, op)
            if len(sizes) == 1:
                at = body.args[0]
            elif sizes:
                by = [raiser.index_value(size, op) for size in sizes]
                at = raiser.emit(tir.LinearizeOp(list(body.args), by), op).results[0]
            if len(fine) < 2:
                return [at] * len(fine)
            by = [raiser.index_value(size, op) for size in fine]
            return list(raiser.emit(tir.DelinearizeOp(at, by), op).results)

        _reshape(raiser, op, sizes, place)


def _as_index(raiser: FunctionRaiser, size: SSAValue, op: Operation) -> Extent:
    """A size given as an integer, as an index."""
    if isinstance(size.type, IndexType):
        return raiser.extent(size)
    value = raiser.value(size)
    return raiser.emit(arith.IndexCastOp(value, IndexType()), op).results[0]


class RaiseTransferRead(ConversionPattern[FunctionRaiser]):
    """``vector.transfer_read`` of a tensor, as a read of its buffer.

    Requires nothing: elements out of bounds get the op's padding.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.TransferReadOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        source: SSAValue = op.source
        if isinstance(source.type, TensorType):
            source = raiser.tensors.buffer(op.source, op)
        else:
            raiser.copy(op)
            return
        read = vector.TransferReadOp(
            source,
            [raiser.value(index) for index in op.indices],
            raiser.value(op.padding),
            op.result.type,
            op.in_bounds,
            op.permutation_map,
            None if op.mask is None else raiser.value(op.mask),
        )
        raiser.values[op.result] = raiser.emit(read, op).results[0]


class RaiseTransferWrite(ConversionPattern[FunctionRaiser]):
    """``vector.transfer_write`` into a tensor, as a write to its buffer or to a copy of it.

    Requires nothing: if the tensor has other uses, the write goes into a copy.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.TransferWriteOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if not isinstance(op.source.type, TensorType):
            raiser.copy(op)
            return
        assert op.result is not None
        values = [raiser.value(index) for index in op.indices]
        mask = None if op.mask is None else raiser.value(op.mask)
        vector_value = raiser.value(op.vector)
        target = raiser.tensors.destination(op.source, op.result, op, keeps=True)
        write = vector.TransferWriteOp(
            vector_value, target, values, op.in_bounds, mask, op.permutation_map
        )
        raiser.emit(write, op)


class RaiseGatherLanes(ConversionPattern[FunctionRaiser]):
    """``vector.gather`` of a tensor, as a gather from its buffer.

    Requires nothing: the op keeps its mask.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GatherOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if not isinstance(op.base.type, TensorType):
            raiser.copy(op)
            return
        values = {operand: raiser.value(operand) for operand in op.operands[1:]}
        values[op.base] = raiser.tensors.buffer(op.base, op)
        raiser.values[op.result] = raiser.emit(op.clone(values), op).results[0]


class RaisePad(ConversionPattern[FunctionRaiser]):
    """``tensor.pad``: the element of the tensor if the index is inside, else the padding.

    Requires sizes of at least 0 that match its type (KC4556, or the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.PadOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        fine = raiser.tensors.sizes(op.source)
        rank = len(fine)
        low, high = (
            [
                raiser.extent(rest.pop(0)) if width == tir.DYNAMIC else width
                for width in (int(n) for n in static.iter_values())
            ]
            for static, rest in ((op.static_low, list(op.low)), (op.static_high, list(op.high)))
        )
        add = AffineDimExpr(0) + AffineDimExpr(1) + AffineDimExpr(2)
        sizes = [raiser.apply(add, [a, b, c], op) for a, b, c in zip(low, fine, high, strict=True)]
        raiser.requirements.natural(sizes, op)
        raiser.requirements.typed(op.result, sizes, op)
        source = raiser.tensors.operand(op.source, op)
        target = raiser.tensors.result(op.result, sizes, op)
        assert isinstance(op.result.type, TensorType)

        def element(body: Block) -> None:
            inside: SSAValue | None = None
            at: list[SSAValue] = []
            for n, arg in enumerate(body.args):
                place = raiser.apply(AffineDimExpr(0) - AffineDimExpr(1), [arg, low[n]], op)
                assert isinstance(place, SSAValue)
                at.append(place)
                tests: list[tuple[str, Extent]] = []
                if low[n] != 0:
                    tests.append(("sge", 0))
                if high[n] != 0:
                    tests.append(("slt", fine[n]))
                for predicate, bound in tests:
                    value = raiser.index_value(bound, op)
                    test = raiser.emit(arith.CmpiOp(place, value, predicate), op).results[0]
                    inside = (
                        test
                        if inside is None
                        else raiser.emit(arith.AndIOp(inside, test), op).results[0]
                    )

            def read() -> SSAValue:
                if not isinstance(source.type, MemRefType):
                    return source
                return raiser.emit(tir.LoadOp(source, identity(rank), at), op).results[0]

            if inside is None:
                value = read()
            else:
                then, otherwise = Block(), Block()
                raiser.into(then, lambda: _yield(raiser, read(), op))
                for old, arg in zip(op.region.block.args, body.args, strict=True):
                    raiser.values[old] = arg

                def padding() -> None:
                    raiser.scalar_code(op.region.block, body.args)
                    end = op.region.block.last_op
                    assert end is not None
                    _yield(raiser, raiser.value(end.operands[0]), op)

                raiser.into(otherwise, padding)
                choice = scf.IfOp(
                    inside,
                    [op.result.type.element_type],
                    Region(then),
                    Region(otherwise),  # pyright: ignore
                )
                value = raiser.emit(choice, op).results[0]
            raiser.emit(tir.StoreOp(value, target, identity(rank), body.args), op)

        raiser.spatial(op.result.name_hint or "pad", sizes, element, op)


class RaiseGenerate(ConversionPattern[FunctionRaiser]):
    """``tensor.generate``: a nest that computes each element from its indices.

    Requires sizes of at least 0 (the call checks them), and a body of scalars (KC4550).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GenerateOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        sizes = _sizes(raiser, op, op.result, op.dynamic_extents)
        target = raiser.tensors.result(op.result, sizes, op)
        block = op.body.block

        def element(body: Block) -> None:
            for old, arg in zip(block.args, body.args, strict=True):
                raiser.values[old] = arg
            raiser.scalar_code(block, body.args)
            end = block.last_op
            assert end is not None
            value = raiser.value(end.operands[0])
            raiser.emit(tir.StoreOp(value, target, identity(len(sizes)), body.args), op)

        raiser.spatial(op.result.name_hint or "generate", sizes, element, op)


class RaiseElementwise(ConversionPattern[FunctionRaiser]):
    """``arith.addf %a, %b : tensor<8xf32>``: a nest; a scalar if the elements of all operands equal
    one scalar.

    Requires sizes that agree (KC4556, or the call checks them).
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not is_elementwise(op):
            return
        raiser = self.conversion
        sources = [raiser.tensors.operand(operand, op) for operand in op.operands]
        shapes = [
            raiser.tensors.sizes(operand)
            for operand in op.operands
            if isinstance(operand.type, TensorType)
        ]
        sizes = [_best_known(same) for same in zip(*shapes, strict=True)]

        for shape in shapes:
            for mine, size in zip(shape, sizes, strict=True):
                raiser.requirements.equal(mine, size, op, "takes operands whose sizes agree")
        for n in range(len(op.results)):
            self._result(op, n, sources, sizes)

    def _result(
        self, op: Operation, n: int, sources: Sequence[SSAValue], sizes: Sequence[Extent]
    ) -> None:
        """The nest that computes a result."""
        raiser, result = self.conversion, op.results[n]
        raiser.requirements.typed(result, sizes, op)

        def computed(at: Sequence[SSAValue]) -> SSAValue:
            values = [
                raiser.emit(tir.LoadOp(source, identity(len(at)), at), op).results[0]
                if isinstance(source.type, MemRefType)
                else source
                for source in sources
            ]
            scalar_op = type(op).create(
                operands=values,
                result_types=[result.type.element_type for result in op.results],  # pyright: ignore
                properties=op.properties,
                attributes=op.attributes,
            )
            return raiser.emit(scalar_op, op).results[n]

        if not any(isinstance(source.type, MemRefType) for source in sources):
            raiser.tensors.values[result] = Splat(sizes, computed([]))
            return
        target = raiser.tensors.result(result, sizes, op)

        def element(body: Block) -> None:
            store = tir.StoreOp(computed(body.args), target, identity(len(sizes)), body.args)
            raiser.emit(store, op)

        raiser.spatial(result.name_hint or op.name.rpartition(".")[2], sizes, element, op)


def _best_known(sizes: Sequence[Extent]) -> Extent:
    """The most informative of equal sizes: a number, else a symbol."""
    for size in sizes:
        if isinstance(size, int):
            return size
    return next((size for size in sizes if isinstance(size.owner, tir.SymbolOp)), sizes[0])  # pyright: ignore


def _yield(raiser: FunctionRaiser, value: SSAValue, op: Operation) -> None:
    raiser.emit(scf.YieldOp(value), op)


PATTERNS: tuple[type[RewritePattern], ...] = (
    RaiseEmpty,
    RaiseConstant,
    RaiseSplat,
    RaiseFromElements,
    RaiseCast,
    RaiseExtract,
    RaiseInsert,
    RaiseDim,
    RaiseExtractSlice,
    RaiseInsertSlice,
    RaiseInParallel,
    RaiseConcat,
    RaiseCollapseShape,
    RaiseExpandShape,
    RaiseReshape,
    RaiseTransferRead,
    RaiseTransferWrite,
    RaiseGatherLanes,
    RaisePad,
    RaiseGenerate,
    RaiseElementwise,
)
