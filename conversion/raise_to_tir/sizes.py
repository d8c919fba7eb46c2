"""Names for the sizes of a function's arguments, and the equalities between them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, ShapedType, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineSymExpr

from kc.analysis.loop_tree import path_to
from kc.conversion.raise_to_tir.requirements import CONDITIONAL
from kc.conversion.raise_to_tir.structured import STRUCTURED, is_elementwise, structure_of
from kc.dialects import tir
from kc.support.fresh_names import fresh_name

Place = tuple[SSAValue, int]
"""A dimension of a value."""


class Sizes:
    """The dimensions of the arguments: constants, or symbols, which equal dimensions share.

    Dimensions that a linalg op indexes by the same loop have one size; the call checks the
    resulting conditions on arguments. An argument with declared sizes (``kc.shape``) keeps them.
    """

    def __init__(self, function: func.FuncOp) -> None:
        self.function = function
        self._parent: dict[Place, Place] = {}
        for op in function.walk():
            self._relate(op)
        self.symbols = tir.symbol_names(function)
        self.sized: set[str] = set()
        """The symbols that are sizes of arrays, and therefore never negative."""
        self._names: dict[Place, str | int] = {}
        declared = self._declared()
        for place in self._parent:
            self._static(place)
        taken = {*self.symbols, *(arg.name_hint or "" for arg in function.args)}
        for n, arg in enumerate(function.args):
            if arg in declared:
                continue
            for dim in self._dynamic(arg):
                root = self._find((arg, dim))
                if root not in self._names:
                    name = fresh_name(f"{arg.name_hint or f'arg{n}'}_{dim}", taken)
                    self._names[root] = name
                    self.symbols.append(name)
                    self.sized.add(name)

    def of(self, arg: SSAValue, dim: int) -> str | int:
        """The size of a dynamic dimension of an argument that does not declare its sizes: a
        symbol's name, or a constant."""
        return self._names[self._find((arg, dim))]

    def _declared(self) -> set[SSAValue]:
        """The arguments with declared sizes; dimensions of equal size share their names."""
        attrs = self.function.arg_attrs
        declared: set[SSAValue] = set()
        for arg, arg_attrs in zip(
            self.function.args, attrs.data if attrs is not None else (), strict=False
        ):
            shape = arg_attrs.data.get("kc.shape")
            if not isinstance(shape, AffineMapAttr):
                continue
            declared.add(arg)
            for dim, expr in enumerate(shape.data.results):
                if isinstance(expr, AffineSymExpr):
                    name = self.symbols[expr.position]
                    self.sized.add(name)
                    self._names.setdefault(self._find((arg, dim)), name)
        return declared

    def _dynamic(self, value: SSAValue) -> list[int]:
        shape = value.type.get_shape() if isinstance(value.type, MemRefType | TensorType) else ()
        return [n for n, size in enumerate(shape) if size == tir.DYNAMIC]

    def _find(self, place: Place) -> Place:
        root = place
        while (above := self._parent.get(root, root)) != root:
            root = above
        self._parent[place] = root
        return root

    def _union(self, first: Place, second: Place) -> None:
        self._parent[self._find(first)] = self._find(second)

    def _static(self, place: Place) -> None:
        value, dim = place
        assert isinstance(value.type, ShapedType)
        size = value.type.get_shape()[dim]
        if size != tir.DYNAMIC:
            self._names[self._find(place)] = size

    def _relate(self, op: Operation) -> None:
        if any(isinstance(ancestor, CONDITIONAL) for ancestor in path_to(op)):
            return  # it may never run, and then it relates no sizes
        if isinstance(op, STRUCTURED):
            structure = structure_of(op)
            first: dict[int, Place] = {}
            for value, space in zip(structure.operands, structure.maps, strict=True):
                for n, expr in enumerate(space.results):
                    if isinstance(expr, AffineDimExpr):
                        self._union((value, n), first.setdefault(expr.position, (value, n)))
            for value, result in zip(structure.outputs, op.results, strict=False):
                self._same(value, result)
        elif isinstance(op, tensor.EmptyOp):
            self._with_sizes(op.results[0], op.operands)
        elif isinstance(op, memref.AllocOp | memref.AllocaOp):
            self._with_sizes(op.results[0], op.dynamic_sizes)
        elif isinstance(op, tensor.CastOp | memref.CopyOp):
            self._same(*op.operands, *op.results)
        elif isinstance(op, tensor.InsertOp | tensor.InsertSliceOp):
            self._same(op.dest, op.result)
        elif isinstance(op, tensor.ConcatOp):
            self._same(*op.inputs, op.result, besides=op.dim.value.data)
        elif isinstance(op, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
            fine, coarse = op.src, op.result
            if isinstance(op, tensor.ExpandShapeOp):
                fine, coarse = coarse, fine
            for n, group in enumerate(op.reassociation):
                if len(group) == 1:  # pyright: ignore[reportArgumentType]
                    (dim,) = group  # pyright: ignore
                    self._union((fine, dim.value.data), (coarse, n))
        elif is_elementwise(op):
            self._same(*(value for value in (*op.operands, *op.results) if _is_shaped(value)))

    def _same(self, *values: SSAValue, besides: int | None = None) -> None:
        """Record that the values have the same sizes, except for the dimension ``besides``."""
        if not all(isinstance(value.type, ShapedType) for value in values):
            return  # a tensor or a memref without a rank
        first = values[0]
        assert isinstance(first.type, ShapedType)
        for n in range(len(first.type.get_shape())):
            for value in values[1:]:
                if n != besides:
                    self._union((first, n), (value, n))

    def _with_sizes(self, value: SSAValue, sizes: Sequence[SSAValue]) -> None:
        for dim, size in zip(self._dynamic(value), sizes, strict=False):
            owner = size.owner
            if isinstance(owner, tensor.DimOp | memref.DimOp):
                index = owner.operands[1].owner
                if isinstance(index, arith.ConstantOp) and isinstance(index.value, IntegerAttr):
                    source, at = owner.operands[0], index.value.value.data
                    if 0 <= at < len(source.type.get_shape()):  # pyright: ignore
                        self._union((value, dim), (source, at))


def _is_shaped(value: SSAValue) -> bool:
    return isinstance(value.type, ShapedType)
