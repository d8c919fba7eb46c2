"""The buffers of a function as flat memory, the form of TVM's text: ``A_2[((i*32) + j)]``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.dialects.tir import AllocOp, LoadOp, StoreOp, ViewOp
from kc.tvm.listing.expressions import Expressions, product, unprintable


@dataclass
class Buffer:
    """A buffer: the name of its memory, its type, and how far neighbours are apart."""

    data: str
    dtype: str
    shape: list[str]
    strides: list[int | None]
    base: list[AffineExpr] = field(default_factory=list)
    """The start in the memory: the sum of these terms."""
    steps: list[str] = field(default_factory=list)
    """The strides as text, if at least one stride is symbolic."""


class Buffers:
    """The buffers of a function, and the texts of the expressions that read them."""

    def __init__(self) -> None:
        self.buffer_of: dict[SSAValue, Buffer] = {}
        self.code = Expressions(self.load)

    def note(self, value: SSAValue, buffer: Buffer, steps: Sequence[str] = ()) -> None:
        """``value`` is ``buffer``; ``steps`` are its strides as texts, unless it is dense."""
        if any(stride is None for stride in buffer.strides):
            later = (buffer.shape[n + 1 :] for n in range(len(buffer.shape)))
            buffer.steps = list(steps) or [product(sizes) if sizes else "1" for sizes in later]
        self.buffer_of[value] = buffer

    def size(self, op: memref.DimOp) -> str:
        """A dimension of a buffer."""
        index = op.index.owner
        if not isinstance(index, arith.ConstantOp) or not isinstance(index.value, IntegerAttr):
            raise unprintable(op)
        return self.buffer_of[op.source].shape[index.value.value.data]

    def load(self, op: Operation) -> str:
        assert isinstance(op, LoadOp)
        place = self.place(op.buffer, op.indices, op.operands_of_map, op.result)
        kind = op.result.type
        dtype = self.buffer_of[op.buffer].dtype
        if lanes(kind, op.buffer) > 1:
            dtype = f"{dtype}x{lanes(kind, op.buffer)}"
        return f"({dtype}*){place}"

    def place(
        self,
        buffer: SSAValue,
        indices: AffineMapAttr,
        operands: Sequence[SSAValue],
        value: SSAValue | None,
    ) -> str:
        """``A_2[((i*32) + j)]``; with a vector, ``A_2[ramp((i*32), 1, 8)]``."""
        declared = self.buffer_of[buffer]
        index = self._flat(declared, self.code.exprs(indices.data.results, operands))
        if value is not None and lanes(value.type, buffer) > 1:
            index = f"ramp({index}, 1, {lanes(value.type, buffer)})"
        return f"{declared.data}[{index}]"

    def _flat(self, buffer: Buffer, exprs: Sequence[AffineExpr]) -> str:
        total = AffineExpr.constant(0)
        parts: list[str] = []
        for n, expr in enumerate(exprs):
            stride = buffer.strides[n]
            if stride is not None and not buffer.steps:
                total = total + expr * stride
                continue
            text = self.code.affine(expr)
            if text != "0":
                step = buffer.steps[n]
                parts.append(text if step == "1" else f"({text}*{step})")
        for term in buffer.base:
            total = total + term
        if not buffer.steps:
            return self.code.affine(total)
        text = parts[0] if parts else "0"
        for part in parts[1:]:
            text = f"({text} + {part})"
        return text

    def view(self, op: ViewOp) -> None:
        """A part of a buffer: the same memory from an element on."""
        source = self.buffer_of[op.buffer]
        kind = op.result.type
        assert isinstance(kind, MemRefType)
        exprs = self.code.exprs(op.indices.data.results, op.operands_of_map)
        strides = [source.strides[position] for position in op.positions]
        shape = [str(size) for size in kind.get_shape()]
        part = Buffer(source.data, source.dtype, shape, strides)
        if source.steps or any(stride is None for stride in strides):
            raise unprintable(op)
        total = AffineExpr.constant(0)
        for expr, stride in zip(exprs, source.strides, strict=True):
            total = total + expr * (stride or 0)
        part.base = [*source.base, total]
        self.buffer_of[op.result] = part

    def pointer(self, buffer: SSAValue) -> str:
        declared = self.buffer_of[buffer]
        offset = AffineExpr.constant(0)
        for term in declared.base:
            offset = offset + term
        place = f"{declared.data}[{self.code.affine(offset)}]"
        return f"@tir.address_of({place}, dtype=handle)"


def lanes(kind: Attribute, buffer: SSAValue) -> int:
    """The number of elements of ``buffer`` in a value of type ``kind``."""
    assert isinstance(buffer.type, MemRefType)
    if kind == buffer.type.element_type or not isinstance(kind, VectorType):
        return 1
    return math.prod(kind.get_shape())


def lanes_of(op: AllocOp) -> int:
    """The common number of lanes of all accesses to a buffer; 1 if they differ."""
    counts: set[int] = set()
    for use in op.buffer.uses:
        user = use.operation
        if not isinstance(user, LoadOp | StoreOp):
            return 1
        kind = (user.result if isinstance(user, LoadOp) else user.value).type
        counts.add(lanes(kind, op.buffer))
    return counts.pop() if len(counts) == 1 else 1
