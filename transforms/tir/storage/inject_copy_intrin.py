"""inject-copy-intrin: loops that copy a box become calls of a copy function.

Before::

    tir.for %i in 4 annotations {pragma_copy_intrin = "dma_copy"} {
      tir.for %j in 16 {
        %a = tir.load %A[%k * 4 + %i, %j] : memref<64x16xf32>
        tir.store %a, %B[%i, %j] : memref<4x16xf32, "local">
      }
    }

After::

    %to = tir.view %B[0, 0] : memref<4x16xf32, "local"> to memref<4x16xf32, ...>
    %from = tir.view %A[%k * 4, 0] : memref<64x16xf32> to memref<4x16xf32, ...>
    tir.call_extern "dma_copy"(write %to, read %from, %c4, %c16, %c1_1, %c16_1, %c16_2, %c1_2)

The function may, for example, drive a copy engine. In C it takes the addresses of the first
elements, then the number of elements along each dimension, then the strides of the first array and
of the second, in elements: ``void dma_copy(float *to, const float *from, int64_t n0, int64_t n1,
int64_t to0, int64_t to1, int64_t from0, int64_t from1)``.

Legal when (KC4343):

1. the loops are serial and perfectly nested, their extents are constant, and the innermost body
   loads one element and stores it, without a condition;
2. each loop indexes one dimension of both buffers, with stride 1, outer loops dimensions further
   left, so that the two parts are boxes of one shape;
3. the two buffers are different, and dense or of known strides.

All pragmas are checked before the first loop is replaced, so that a refusal leaves the module
unchanged; a rewrite pattern would see a single loop.

Requires: blocks were lowered (``lower-blocks``). TVM: ``InjectCopyIntrin``, whose second argument
is a function that builds statements of TVM. Halide: ``hexagon_dma``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.affine.simplify_affine import simplify
from kc.analysis.loop_tree import buffer_name, loops
from kc.dialects.tir import ForKind, ForOp, LoadOp, StoreOp, ViewOp
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.tir.views import strides_of
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import compact

PRAGMA = "pragma_copy_intrin"


@dataclass(frozen=True)
class InjectCopyIntrinPass(ModulePass):
    """Replace loops with the pragma ``copy_intrin`` by calls of a copy function."""

    name = "inject-copy-intrin"

    def is_needed(self, module: ModuleOp) -> bool:
        """True if a loop has the pragma."""
        return bool(_marked_loops(module))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for copy in [_copy_of(loop, pragma) for loop, pragma in _marked_loops(op)]:
            _replace(copy)


def _marked_loops(module: ModuleOp) -> list[tuple[ForOp, Attribute]]:
    """The loops with the pragma, each with its value."""
    return [
        (loop, loop.annotations.data[PRAGMA])
        for loop in loops(module)
        if loop.annotations is not None and PRAGMA in loop.annotations.data
    ]


@dataclass(frozen=True)
class _Part:
    """A box of a buffer: its first element, and the dimensions that the loops index."""

    buffer: SSAValue
    base: AffineMap
    operands: Sequence[SSAValue]
    dims: list[int]
    strides: list[int]


@dataclass(frozen=True)
class _Copy:
    loop: ForOp
    callee: str
    sizes: list[int]
    to: _Part
    source: _Part


def _copy_of(loop: ForOp, value: Attribute) -> _Copy:
    """The copy that the loops perform. Raises CodegenError KC4343 if they are not a copy of a
    box."""
    if not isinstance(value, StringAttr):
        raise _refused(loop, f"its value is {value}, and not the name of a function", '"dma_copy"')
    nest, body = _nest(loop)
    load, store = body if len(body) == 2 else (None, None)
    if not (
        isinstance(load, LoadOp)
        and isinstance(store, StoreOp)
        and store.value is load.result
        and load.result.has_one_use()
        and not isinstance(load.result.type, VectorType)
    ):
        raise _refused(loop, "the innermost loop does more than load an element and store it")
    sizes = [_size(loop, inner) for inner in nest]
    if base_buffer(load.buffer) is base_buffer(store.buffer):
        name = buffer_name(load.buffer)
        raise _refused(loop, f"{name} is copied to itself, and the parts may overlap")
    to, source = _part(loop, nest, store), _part(loop, nest, load)
    for part, access in ((to, store), (source, load)):
        _require_inside(loop, sizes, part, access)
    return _Copy(loop, value.data, sizes, to, source)


def _nest(loop: ForOp) -> tuple[list[ForOp], list[Operation]]:
    """The nest of loops from ``loop`` inwards, and the operations in the innermost loop."""
    nest: list[ForOp] = [loop]
    while True:
        body = list(nest[-1].body.block.ops)
        if len(body) != 1 or not isinstance(body[0], ForOp):
            return nest, body
        nest.append(body[0])


def _size(loop: ForOp, inner: ForOp) -> int:
    if inner.kind.data is not ForKind.SERIAL:
        raise _refused(loop, f"loop {inner.label} is {inner.kind.data.value}")
    if inner.static_extent is None:
        raise _refused(loop, f"the extent of loop {inner.label} is not constant")
    return inner.static_extent


def _part(loop: ForOp, nest: list[ForOp], access: LoadOp | StoreOp) -> _Part:
    name, type_ = buffer_name(access.buffer), access.buffer.type
    assert isinstance(type_, MemRefType)
    operands = list(access.operands_of_map)
    results = list(access.indices.data.results)
    own = strides_of(type_)
    dims: list[int] = []
    for inner in nest:
        at = [n for n, operand in enumerate(operands) if operand is inner.var]
        moved = [
            (n, _slope(expr, at)) for n, expr in enumerate(results) if at and _slope(expr, at) != 0
        ]
        if len(moved) != 1 or moved[0][1] != 1 or (dims and moved[0][0] <= dims[-1]):
            raise _refused(
                loop,
                f"loop {inner.label} does not enumerate the elements of one dimension of {name}, "
                "in the order of the dimensions",
            )
        dims.append(moved[0][0])
    if None in [own[n] for n in dims]:
        raise _refused(loop, f"the strides of {name} are not known")
    variables = {inner.var for inner in nest}
    first = [
        AffineExpr.constant(0) if operand in variables else AffineExpr.dimension(n)
        for n, operand in enumerate(operands)
    ]
    base = AffineMap(
        len(operands), 0, tuple(expr.replace_dims_and_symbols(first, []) for expr in results)
    )
    base, operands = compact(base, operands)
    return _Part(access.buffer, base, operands, dims, [own[n] or 0 for n in dims])


def _require_inside(loop: ForOp, sizes: list[int], part: _Part, access: LoadOp | StoreOp) -> None:
    """Refuse a copy of more elements than a buffer has along a dimension."""
    type_ = part.buffer.type
    assert isinstance(type_, MemRefType)
    for size, dim in zip(sizes, part.dims, strict=True):
        whole = type_.get_shape()[dim]
        if whole != DYNAMIC_INDEX and size > whole:
            raise _refused(
                loop,
                f"it copies {size} elements along dimension {dim} of {buffer_name(access.buffer)}, "
                f"which has {whole}",
                "keep the loops inside the buffers",
            )


def _slope(expr: AffineExpr, positions: list[int]) -> int | None:
    """The constant increment of ``expr`` when the operand at ``positions`` increases by 1; None if
    the increment is not constant.
    """
    count = max([*expr.used_dims(), *positions], default=-1) + 1
    more = [
        AffineExpr.dimension(n) + 1 if n in positions else AffineExpr.dimension(n)
        for n in range(count)
    ]
    grown = simplify(expr.replace_dims_and_symbols(more, []) - expr, ())
    return grown.value if isinstance(grown, AffineConstantExpr) else None


def _replace(copy: _Copy) -> None:
    point = InsertPoint.before(copy.loop)
    ops: list[Operation] = []
    views: list[ViewOp] = []
    for part in (copy.to, copy.source):
        source = part.buffer.type
        assert isinstance(source, MemRefType)
        layout = StridedLayoutAttr(part.strides, NoneAttr())
        type_ = MemRefType(source.element_type, copy.sizes, layout, source.memory_space)
        views.append(ViewOp(part.buffer, part.base, part.operands, type_, part.dims))
    ops += views
    arguments: list[SSAValue] = [view.result for view in views]
    modes: list[str | None] = ["write", "read"]
    for number in (*copy.sizes, *copy.to.strides, *copy.source.strides):
        ops.append(constant := arith.ConstantOp.from_int_and_width(number, i64))
        arguments.append(constant.result)
        modes.append(None)
    ops.append(CallExternOp(copy.callee, arguments, modes))
    for op in ops:
        op.location = copy.loop.location
    Rewriter.insert_op(ops, point)
    copy.loop.detach()
    copy.loop.erase()


def _refused(loop: ForOp, why: str, *hints: str) -> CodegenError:
    return CodegenError(
        "KC4343",
        f"inject-copy-intrin: loop {loop.label} has the pragma copy_intrin, but is not a copy",
        location=location_of(loop),
        why=why,
        hints=hints or ["remove the pragma: the loops copy by themselves"],
    )
