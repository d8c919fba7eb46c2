"""The regions that a block reads and writes, and its variables, as attributes of ``tir.block``.

The attributes have TVM's names. ``sch.get(block).reads`` is computed from the body of the block at
each access. The attributes are added to the operation here, as an external model of MLIR adds an
interface, because tensor expressions are in a layer above the dialect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import MemRefType, NoneAttr, StringAttr
from xdsl.ir import SSAValue

from kc.analysis.accesses.regions import BoundIndexValues, box, numbered_reads, numbered_writes
from kc.analysis.loop_tree import buffer_name, defined_inside
from kc.dialects.tir import DYNAMIC, BlockOp, LoadOp, StoreOp
from kc.dialects.tir.calls import dtype_name
from kc.expr.buffers import Buffer, decl_buffer
from kc.expr.constructors import Expr, IterVar, Var, const
from kc.expr.indices import add, from_affine


class Part(NamedTuple):
    """``extent`` indices from ``min`` on, along one dimension."""

    min: Expr
    extent: Expr


@dataclass(frozen=True, eq=False)
class BlockRegion:
    """The box of a buffer that an instance of a block accesses; ``min`` is over its variables."""

    buffer: Buffer
    region: tuple[Part, ...]

    def __repr__(self) -> str:
        parts = (
            str(part.min) if str(part.extent) == "1" else f"{part.min}:{add(part.min, part.extent)}"
            for part in self.region
        )
        return f"{self.buffer.name}[{', '.join(parts)}]"


def reads(block: BlockOp) -> list[BlockRegion]:
    """The regions that the block reads; as in TVM, the buffers that a reduction updates are
    omitted.
    """
    accesses = [op for op in block.body.walk() if isinstance(op, LoadOp | StoreOp)]
    updated = {op.buffer for op in accesses if isinstance(op, StoreOp)}
    loads = [op for op in accesses if isinstance(op, LoadOp)]
    return _regions(block, [op for op in loads if op.buffer not in updated], numbered_reads(block))


def writes(block: BlockOp) -> list[BlockRegion]:
    """The regions that the body of the block writes; its init writes the same elements."""
    stores = [op for op in block.body.walk() if isinstance(op, StoreOp)]
    return _regions(block, stores, numbered_writes(block))


def iter_vars(block: BlockOp) -> list[IterVar]:
    """The variables of the block."""
    return [
        IterVar(name, extent if isinstance(extent, int) else _variable(extent), kind.value)
        for kind, name, extent in block.iters
    ]


def _regions(
    block: BlockOp, accesses: Sequence[LoadOp] | Sequence[StoreOp], numbered: Sequence[SSAValue]
) -> list[BlockRegion]:
    accessed = {op.buffer for op in accesses}
    return [
        _region(block, buffer, [op for op in accesses if op.buffer is buffer])
        for buffer in numbered
        if buffer in accessed and not defined_inside(buffer, block)
    ]


def _region(block: BlockOp, value: SSAValue, accesses: Sequence[LoadOp | StoreOp]) -> BlockRegion:
    kind = value.type
    assert isinstance(kind, MemRefType)
    sizes = [
        size if size != DYNAMIC else Var(f"{buffer_name(value)}_{n}", "int32")
        for n, size in enumerate(kind.get_shape())
    ]
    scope = kind.memory_space
    buffer = decl_buffer(
        sizes,
        dtype_name(kind.element_type),
        buffer_name(value),
        scope=scope.data if isinstance(scope, StringAttr) else "",
    )
    assert isinstance(scope, StringAttr | NoneAttr)
    index = BoundIndexValues(level=block.body.block)
    touched = box(accesses, block.body.block, index)
    assert touched is not None

    def leaf(number: int) -> Expr:
        root = index.roots[number]
        assert root is not None
        return _variable(root)

    return BlockRegion(
        buffer,
        tuple(
            Part(const(0), size if isinstance(size, Expr) else const(size))
            if part.size is None
            else Part(from_affine(part.base, leaf), const(part.size))
            for part, size in zip(touched, sizes, strict=True)
        ),
    )


def _variable(value: SSAValue) -> Var:
    return Var(value.name_hint or "index", "int32")


for _name, _function in (("reads", reads), ("writes", writes), ("iter_vars", iter_vars)):
    setattr(BlockOp, _name, property(_function))
