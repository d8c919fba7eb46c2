"""Names for the sizes that a function's arguments have at the call, and which of them are equal."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ShapedType, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from kc.conversion._te_blocks import fresh
from kc.conversion.raise_to_tir.structured import STRUCTURED, structure_of
from kc.dialects import tir

Place = tuple[SSAValue, int]
"""A dimension of a value."""


class Sizes:
    """The dimensions of the arguments: constants, or symbols that equal dimensions share.

    What a linalg op runs along with one loop has one size; the call checks what follows from that
    for the arguments.
    """

    def __init__(self, function: func.FuncOp) -> None:
        self.function = function
        self._parent: dict[Place, Place] = {}
        for op in function.walk():
            self._relate(op)
        self.symbols = tir.symbol_names(function)
        self.given = bool(self.symbols)
        """Whether the function says itself what its sizes are."""
        self._names: dict[Place, str | int] = {}
        for place in self._parent:
            self._static(place)
        taken = {*self.symbols, *(one.name_hint or "" for one in function.args)}
        for n, arg in enumerate(function.args):
            for dim in self._dynamic(arg):
                root = self._find((arg, dim))
                if root not in self._names and not self.given:
                    name = fresh(f"{arg.name_hint or f'arg{n}'}_{dim}", taken)
                    self._names[root] = name
                    self.symbols.append(name)

    def of(self, arg: SSAValue, dim: int) -> str | int | None:
        """The size of a dynamic dimension of an argument: a symbol's name, or a constant."""
        return None if self.given else self._names.get(self._find((arg, dim)))

    def _dynamic(self, value: SSAValue) -> list[int]:
        shape = value.type.get_shape() if isinstance(value.type, MemRefType | TensorType) else ()
        return [n for n, size in enumerate(shape) if size == tir.DYNAMIC]

    def _find(self, place: Place) -> Place:
        root = place
        while (above := self._parent.get(root, root)) != root:
            root = above
        self._parent[place] = root
        return root

    def _union(self, one: Place, other: Place) -> None:
        self._parent[self._find(one)] = self._find(other)

    def _static(self, place: Place) -> None:
        value, dim = place
        assert isinstance(value.type, ShapedType)
        size = value.type.get_shape()[dim]
        if size != tir.DYNAMIC:
            self._names[self._find(place)] = size

    def _relate(self, op: Operation) -> None:
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
            self._given(op.results[0], op.operands)
        elif isinstance(op, memref.AllocOp | memref.AllocaOp):
            self._given(op.results[0], op.dynamic_sizes)
        elif isinstance(op, tensor.CastOp):
            self._same(op.operands[0], op.results[0])

    def _same(self, one: SSAValue, other: SSAValue) -> None:
        assert isinstance(one.type, ShapedType)
        for n in range(len(one.type.get_shape())):
            self._union((one, n), (other, n))

    def _given(self, value: SSAValue, sizes: Sequence[SSAValue]) -> None:
        for dim, size in zip(self._dynamic(value), sizes, strict=False):
            owner = size.owner
            if isinstance(owner, tensor.DimOp | memref.DimOp):
                index = owner.operands[1].owner
                if isinstance(index, arith.ConstantOp) and isinstance(index.value, IntegerAttr):
                    self._union((value, dim), (owner.operands[0], index.value.value.data))
