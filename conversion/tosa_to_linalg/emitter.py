"""Builders of the patterns of tosa-to-linalg: ``linalg.generic`` ops, and scalar code in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, linalg, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    i1,
    i64,
)
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from kc.dialects.arith import CmpfOp, CmpiOp, ExtFOp, ExtSIOp, ExtUIOp, SelectOp, TruncFOp, TruncIOp
from kc.dialects.linalg import NAMED_OPS, GenericOp
from kc.dialects.tensor import ExpandShapeOp, PadOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

INDEX = IndexType()
Body = Callable[..., SSAValue | Sequence[SSAValue]]


def refused(op: Operation, why: str, *facts: str) -> CodegenError:
    """The diagnostic for an op that cannot be converted."""
    return CodegenError(
        "KC4557",
        f"tosa-to-linalg: {op.name} is not converted",
        location=location_of(op),
        facts=list(facts),
        why=why,
    )


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type


def dims(*positions: int) -> list[AffineExpr]:
    """The loop dimensions at these positions."""
    return [AffineExpr.dimension(n) for n in positions]


def _differ_in_what_is_known(first: Attribute, second: Attribute) -> bool:
    """True if two tensor types differ only in that one of them has unknown sizes."""
    if not isinstance(first, TensorType) or not isinstance(second, TensorType):
        return False
    shapes = first.get_shape(), second.get_shape()
    return (
        first.element_type == second.element_type
        and len(shapes[0]) == len(shapes[1])
        and all(a == b or DYNAMIC_INDEX in (a, b) for a, b in zip(*shapes, strict=True))
    )


class Emitter:
    """Inserts ops before an op of ``tosa``, whose results it replaces."""

    def __init__(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.op = op
        self.rewriter = rewriter

    def insert(self, op: Operation) -> SSAValue:
        """Insert ``op``; its first result."""
        op.location = self.op.location
        self.rewriter.insert(op, InsertPoint.before(self.op))
        return op.results[0]

    def replace(self, *values: SSAValue) -> None:
        """Replace the op by ``values``, cast if their types have more unknown sizes."""
        results: list[SSAValue] = []
        for value, result in zip(values, self.op.results, strict=True):
            if value.name_hint is None:
                value.name_hint = result.name_hint
            if value.type == result.type:
                results.append(value)
            elif _differ_in_what_is_known(value.type, result.type):
                results.append(self.insert(tensor.CastOp(value, tensor_type(result))))
            else:
                raise refused(
                    self.op,
                    "the type of its result must follow from its operands",
                    f"its operands give {value.type}",
                    f"its result is {result.type}",
                )
        self.rewriter.replace(self.op, [], results)

    def number(self, value: int | float, type_: Attribute) -> SSAValue:
        """A constant before the op."""
        constant = self.insert(arith.ConstantOp(attribute_of(value, type_)))
        return constant

    def constants(self, operand: SSAValue, what: str) -> list[int]:
        """The integers of an operand that must be constant."""
        owner = operand.owner
        values = owner.get_attr_or_prop("values") if isinstance(owner, Operation) else None
        if isinstance(owner, arith.ConstantOp):
            values = owner.value
        if not isinstance(values, DenseIntOrFPElementsAttr):
            raise refused(self.op, f"its {what} must be a constant")
        numbers = values.get_values()
        return [value for value in numbers if isinstance(value, int)]

    def size(self, value: SSAValue, axis: int) -> int | SSAValue:
        """The extent of a tensor along an axis."""
        extent = tensor_type(value).get_shape()[axis]
        if extent >= 0:
            return extent
        position = self.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(axis)))
        return self.insert(tensor.DimOp(value, position))

    def empty(self, type_: TensorType[Attribute], sizes: Sequence[int | SSAValue]) -> SSAValue:
        """A tensor with undefined elements."""
        return self.insert(
            tensor.EmptyOp([size for size in sizes if not isinstance(size, int)], type_)
        )

    def filled(
        self,
        type_: TensorType[Attribute],
        sizes: Sequence[int | SSAValue],
        value: int | float,
    ) -> SSAValue:
        """A tensor with equal elements."""
        scalar = self.number(value, type_.get_element_type())
        outs = self.empty(type_, sizes)
        return self.insert(NAMED_OPS["linalg.fill"].create_from([scalar], [outs], [type_], {}))

    def generic(
        self,
        inputs: Sequence[tuple[SSAValue, Sequence[AffineExpr]]],
        element: Attribute | Sequence[Attribute],
        outputs: Sequence[AffineExpr],
        body: Body,
        *,
        shape: Sequence[int],
        loops: int | None = None,
        start: int | float | Sequence[int | float] | None = None,
    ) -> list[SSAValue]:
        """A ``linalg.generic`` that computes an element of the result for each point of
        ``outputs``, with all loops parallel.

        ``inputs`` are tensors with the index at which each instance reads them, and ``shape`` is
        that of the results, -1 where it is known at the call. ``body`` computes what is yielded
        from the elements read, and then from the values so far where ``start`` is given: the
        loops beyond those of the outputs reduce.
        """
        elements = [element] if isinstance(element, Attribute) else list(element)
        count = loops if loops is not None else len(outputs)
        sizes = [
            extent if extent >= 0 else self._size_of_loop(expr, inputs)
            for extent, expr in zip(shape, outputs, strict=True)
        ]
        # Results may be less static than operands.
        shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
        starts: list[int | float | None] = (
            [*start] if isinstance(start, Sequence) else [start] * len(elements)
        )
        types = [TensorType(of, list(shape)) for of in elements]
        outs = [
            self.empty(type_, sizes) if first is None else self.filled(type_, sizes, first)
            for type_, first in zip(types, starts, strict=True)
        ]
        read = [tensor_type(value).get_element_type() for value, _ in inputs]
        block = Block(arg_types=[*read, *elements])
        with ImplicitBuilder(block):
            reduces = start is not None
            args = block.args if reduces else block.args[: len(read)]
            computed = body(*args)
            linalg.ops.YieldOp(*([computed] if isinstance(computed, SSAValue) else computed))
        maps = [exprs for _, exprs in inputs] + [outputs] * len(elements)
        written = {expr.position for expr in outputs if isinstance(expr, AffineDimExpr)}
        kinds = [
            IteratorType.PARALLEL if n in written else IteratorType.REDUCTION for n in range(count)
        ]
        op = GenericOp(
            [value for value, _ in inputs],
            outs,
            Region(block),
            ArrayAttr([AffineMapAttr(AffineMap(count, 0, tuple(exprs))) for exprs in maps]),
            ArrayAttr([IteratorTypeAttr(kind) for kind in kinds]),
            types,
        )
        self.insert(op)
        return list(op.results)

    def _size_of_loop(
        self, expr: AffineExpr, inputs: Sequence[tuple[SSAValue, Sequence[AffineExpr]]]
    ) -> int | SSAValue:
        for value, exprs in inputs:
            for axis, read in enumerate(exprs):
                if read == expr:
                    return self.size(value, axis)
        raise refused(
            self.op,
            "the size of its result must follow from those of its operands",
            f"the result is {self.op.results[0].type}",
        )

    def like(self, element: Attribute, value: SSAValue, body: Body) -> SSAValue:
        """A tensor computed element by element from another tensor."""
        shape = tensor_type(value).get_shape()
        every = dims(*range(len(shape)))
        return self.generic([(value, every)], element, every, body, shape=shape)[0]

    def reassociated(
        self, value: SSAValue, groups: Sequence[Sequence[int]], shape: Sequence[int]
    ) -> SSAValue:
        """A ``tensor.collapse_shape`` or ``tensor.expand_shape`` to ``shape``."""
        old = tensor_type(value)
        type_ = TensorType(old.get_element_type(), list(shape))
        if old.get_shape() == type_.get_shape():
            return value
        reassociation = ArrayAttr(
            [ArrayAttr([IntegerAttr(n, 64) for n in group]) for group in groups]
        )
        if len(shape) < len(old.get_shape()):
            collapse = tensor.CollapseShapeOp.build(
                operands=[value],
                result_types=[type_],
                properties={"reassociation": reassociation},
            )
            return self.insert(collapse)
        sizes = [
            self.size(value, n) if shape[axis] < 0 else shape[axis]
            for n, group in enumerate(groups)
            for axis in group
        ]
        return self._expanded(value, reassociation, sizes or list(shape), type_)

    def expanded(
        self, value: SSAValue, groups: Sequence[Sequence[int]], sizes: Sequence[int | SSAValue]
    ) -> SSAValue:
        """:meth:`reassociated` to sizes that may be values."""
        shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
        if DYNAMIC_INDEX not in shape or len(shape) == 1:
            return self.reassociated(value, groups, shape)
        type_ = TensorType(tensor_type(value).get_element_type(), shape)
        reassociation = ArrayAttr(
            [ArrayAttr([IntegerAttr(n, 64) for n in group]) for group in groups]
        )
        return self._expanded(value, reassociation, sizes, type_)

    def _expanded(
        self,
        value: SSAValue,
        reassociation: ArrayAttr[Attribute],
        sizes: Sequence[int | SSAValue],
        type_: TensorType[Attribute],
    ) -> SSAValue:
        expand = ExpandShapeOp.build(
            operands=[value, [size for size in sizes if not isinstance(size, int)]],
            result_types=[type_],
            properties={
                "reassociation": reassociation,
                "static_output_shape": static_sizes(sizes),
            },
        )
        return self.insert(expand)

    def first(self, value: SSAValue) -> SSAValue:
        """The element of a one-element tensor."""
        zeros = [self.number(0, INDEX)] * len(tensor_type(value).get_shape())
        return self.insert(tensor.ExtractOp(value, zeros, tensor_type(value).get_element_type()))

    def padded(
        self, value: SSAValue, low: Sequence[int], high: Sequence[int], with_: SSAValue
    ) -> SSAValue:
        """A tensor padded with ``low`` elements before and ``high`` elements after it along each
        axis.
        """
        if not any(low) and not any(high):
            return value
        old = tensor_type(value)
        shape = [
            extent if extent < 0 else extent + before + after
            for extent, before, after in zip(old.get_shape(), low, high, strict=True)
        ]
        block = Block(arg_types=[INDEX] * len(shape))
        block.add_op(tensor.YieldOp(with_))
        pad = PadOp.build(
            operands=[value, [], []],
            result_types=[TensorType(old.get_element_type(), shape)],
            properties={"static_low": static_sizes(low), "static_high": static_sizes(high)},
            regions=[Region(block)],
        )
        return self.insert(pad)


def static_sizes(sizes: Sequence[int | SSAValue]) -> Attribute:
    """Sizes as an attribute, with placeholders for operands."""
    numbers = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    return DenseArrayBase.from_list(i64, numbers)


# Scalars, built where an ImplicitBuilder is ----------------------------------------------------


def attribute_of(value: int | float, type_: Attribute) -> IntegerAttr | FloatAttr:
    """A number as an attribute of a type."""
    if isinstance(type_, IntegerType | IndexType):
        return IntegerAttr(int(value), type_)
    assert isinstance(type_, AnyFloat)
    return FloatAttr(float(value), type_)


def number(value: int | float, type_: Attribute) -> SSAValue:
    """A constant."""
    return arith.ConstantOp(attribute_of(value, type_)).result


def is_float(value: SSAValue) -> bool:
    """True if a scalar is a float."""
    return isinstance(value.type, AnyFloat)


def plus(a: SSAValue, b: SSAValue) -> SSAValue:
    """a + b."""
    return (arith.AddfOp if is_float(a) else arith.AddiOp)(a, b).result


def minus(a: SSAValue, b: SSAValue) -> SSAValue:
    """a - b."""
    return (arith.SubfOp if is_float(a) else arith.SubiOp)(a, b).result


def times(a: SSAValue, b: SSAValue) -> SSAValue:
    """a * b."""
    return (arith.MulfOp if is_float(a) else arith.MuliOp)(a, b).result


def compare(a: SSAValue, predicate: str, b: SSAValue) -> SSAValue:
    """A comparison ``eq``, ``ne``, ``lt``, ``le``, ``gt`` or ``ge``; with a NaN, only ``ne`` is
    true.
    """
    if is_float(a):
        return CmpfOp(a, b, ("u" if predicate == "ne" else "o") + predicate).result
    signed = predicate if predicate in ("eq", "ne") else "s" + predicate
    return CmpiOp(a, b, signed).result


def choose(condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """A selection: ``a`` if the condition is true, else ``b``."""
    return SelectOp(condition, a, b).result


def resized(value: SSAValue, type_: Attribute, *, signed: bool = True) -> SSAValue:
    """A number in a wider or narrower type of the same kind."""
    if value.type == type_:
        return value
    if is_float(value):
        assert isinstance(value.type, AnyFloat)
        assert isinstance(type_, AnyFloat)
        if type_.bitwidth > value.type.bitwidth:
            return ExtFOp(value, type_).result
        return TruncFOp(value, type_).result
    if isinstance(value.type, IndexType) or isinstance(type_, IndexType):
        return arith.IndexCastOp(value, type_).result
    assert isinstance(value.type, IntegerType)
    assert isinstance(type_, IntegerType)
    if type_.width.data < value.type.width.data:
        return TruncIOp(value, type_).result
    return (ExtSIOp if signed and value.type != i1 else ExtUIOp)(value, type_).result


def clamped(value: SSAValue, low: int, high: int) -> SSAValue:
    """An integer clamped between two numbers."""
    above = arith.MaxSIOp(value, number(low, value.type)).result
    return arith.MinSIOp(above, number(high, value.type)).result


def extremes(type_: Attribute, *, signed: bool = True) -> tuple[int | float, int | float]:
    """The smallest and the largest number of a type."""
    if isinstance(type_, AnyFloat):
        return float("-inf"), float("inf")
    assert isinstance(type_, IntegerType)
    width = type_.width.data
    return (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)


def is_nan(value: SSAValue) -> SSAValue:
    """The condition that a float is NaN."""
    return CmpfOp(value, value, "uno").result
