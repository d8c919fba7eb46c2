"""The structure of named and generic linalg ops: maps, kinds of loops, and a scalar body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, linalg, math
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ShapedType,
    TensorType,
)
from xdsl.dialects.linalg.ops import BroadcastOp, TransposeOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from kc.dialects.linalg import GenericOp, MapOp, NamedOp, ReduceOp
from kc.dialects.linalg.definitions import DENSE_WINDOWS, ELEMENTWISE, NAMED
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

STRUCTURED = (GenericOp, linalg.ops.GenericOp, NamedOp, MapOp, ReduceOp, BroadcastOp, TransposeOp)
"""The ops that :func:`structure_of` supports."""


@dataclass(frozen=True)
class Structure:
    """The loops of a linalg op, and the body of an iteration.

    ``body`` has an argument for each input and each output, and ends with ``linalg.yield``.
    """

    op: Operation
    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]
    maps: tuple[AffineMap, ...]
    is_reduced: tuple[bool, ...]
    names: tuple[str, ...]
    body: Region

    @property
    def operands(self) -> tuple[SSAValue, ...]:
        """Inputs and outputs, in the order of the maps and of the arguments of the body."""
        return (*self.inputs, *self.outputs)

    @property
    def rank(self) -> int:
        """The number of loops."""
        return len(self.is_reduced)

    def reads_output(self, n: int) -> bool:
        """True if an iteration reads the previous element of the n-th output."""
        return self.body.block.args[len(self.inputs) + n].first_use is not None

    def writes_whole_output(self, n: int, extents: Sequence[object]) -> bool:
        """True if the loops, with these extents, write every element of the n-th output.

        Other elements keep their values. That is possible if an index is a sum or a constant, if
        two indices use one loop, or if another loop may be empty.
        """
        value, space = self.outputs[n], self.maps[len(self.inputs) + n]
        if not isinstance(value.type, ShapedType):
            return True
        loops: set[int] = set()
        for size, expr in zip(value.type.get_shape(), space.results, strict=True):
            if isinstance(expr, AffineDimExpr) and expr.position not in loops:
                loops.add(expr.position)
            elif not (isinstance(expr, AffineConstantExpr) and size == 1):
                return False
        beside = (extent for loop, extent in enumerate(extents) if loop not in loops)
        return all(isinstance(extent, int) and extent > 0 for extent in beside)

    def dimension_source(self, loop: int) -> tuple[SSAValue, int] | None:
        """An operand dimension with the extent of a loop; a constant one if there is any."""
        source = None
        for value, space in zip(self.operands[::-1], self.maps[::-1], strict=True):
            if not isinstance(value.type, ShapedType):
                continue
            for n, expr in enumerate(space.results):
                if isinstance(expr, AffineDimExpr) and expr.position == loop:
                    if value.type.get_shape()[n] >= 0:
                        return value, n
                    source = source or (value, n)
        return source

    @property
    def label(self) -> str:
        """The name of the block: that of the result, or else of the op."""
        hint = self.op.results[0].name_hint if self.op.results else None
        return hint or self.op.name.rpartition(".")[2]


def structure_of(op: Operation) -> Structure:
    """The structure of a linalg op. KC4553 if its name, types or attributes do not define it."""
    if isinstance(op, linalg.ops.GenericOp):
        kinds = [str(kind.data) for kind in op.iterator_types]
        return _make(
            op, op.inputs, op.outputs, [space.data for space in op.indexing_maps], kinds, op.body
        )
    if isinstance(op, MapOp):
        return _elementwise(op, op.inputs, op.outputs, op.body)
    if isinstance(op, ReduceOp):
        rank = _rank(op.inputs[0])
        gone = [int(dim) for dim in op.dimensions.get_values()]
        outer = [AffineDimExpr(n) for n in range(rank) if n not in gone]
        maps = [AffineMap.identity(rank)] * len(op.inputs)
        maps += [AffineMap(rank, 0, tuple(outer))] * len(op.outputs)
        kinds = ["reduction" if n in gone else "parallel" for n in range(rank)]
        return _make(op, op.inputs, op.outputs, maps, kinds, op.body)
    if isinstance(op, BroadcastOp):
        rank = _rank(op.init)
        added = [int(dim) for dim in op.dimensions.get_values()]
        read = tuple(AffineDimExpr(n) for n in range(rank) if n not in added)
        maps = [AffineMap(rank, 0, read), AffineMap.identity(rank)]
        return _make(op, [op.input], [op.init], maps, ["parallel"] * rank, op.hidden_region)
    if isinstance(op, TransposeOp):
        rank = _rank(op.outputs[0])
        order = [int(dim) for dim in op.permutation.get_values()]
        read = tuple(AffineDimExpr(order.index(n)) for n in range(rank))
        maps = [AffineMap(rank, 0, read), AffineMap.identity(rank)]
        return _make(op, op.inputs, op.outputs, maps, ["parallel"] * rank, op.body)
    assert isinstance(op, NamedOp)
    return _named(op)


def _rank(value: SSAValue) -> int:
    assert isinstance(value.type, ShapedType)
    return len(value.type.get_shape())


def _make(
    op: Operation,
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    kinds: Sequence[str],
    body: Region,
    names: Sequence[str] = (),
) -> Structure:
    reduced = tuple(kind == "reduction" for kind in kinds)
    if "window" in kinds:
        raise _undefined(op, "an iterator has the type window, which does not determine its order")
    if any(space.num_symbols or space.num_dims != len(kinds) for space in maps):
        raise _undefined(op, "the maps are not over one dimension for each iterator")
    for value, space in zip((*inputs, *outputs), maps, strict=True):
        rank = _rank(value) if isinstance(value.type, ShapedType) else 0
        if len(space.results) != rank:
            raise _undefined(op, f"the map {space} is for an operand of rank {rank}")
    if len(body.block.args) != len(maps):
        raise _undefined(
            op, f"the body takes {len(body.block.args)} values for {len(maps)} operands"
        )
    chosen = tuple(names) or tuple(f"d{n}" for n in range(len(kinds)))
    return Structure(op, tuple(inputs), tuple(outputs), tuple(maps), reduced, chosen, body)


def _undefined(op: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4553",
        f"raise-to-tir: {op.name} does not define its computation",
        location=location_of(op),
        why=why,
    )


def _elementwise(
    op: Operation, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue], body: Region
) -> Structure:
    rank = _rank(outputs[0])
    space = AffineMap.identity(rank)
    maps = [
        space
        if isinstance(value.type, ShapedType) and _rank(value) == rank
        else AffineMap(rank, 0, ())
        for value in (*inputs, *outputs)
    ]
    return _make(op, inputs, outputs, maps, ["parallel"] * rank, body)


def _named(op: NamedOp) -> Structure:
    name = op.name.removeprefix("linalg.")
    inputs, outputs = op.inputs, op.outputs
    listed = op.indexing_maps.data if isinstance(op.indexing_maps, ArrayAttr) else ()
    affine_maps = [attr.data for attr in listed if isinstance(attr, AffineMapAttr)] or None
    definition = NAMED.get(name)
    if definition is not None:
        windows = len(definition.window_letters)
        is_dense = name in DENSE_WINDOWS
        strides, dilations = (
            _integers(None if is_dense else attr, windows) for attr in (op.strides, op.dilations)
        )
        if {len(strides), len(dilations)} != {windows}:
            raise _undefined(
                op, f"it has {windows} windows, {len(strides)} strides, {len(dilations)} dilations"
            )
        maps = affine_maps or definition.maps(strides, dilations)
        kinds = ["parallel"] * len(definition.output)
        kinds += ["reduction"] * (len(definition.loops) - len(kinds))
        is_quantized = definition.kind == "contract_zero_points"
        count = 4 if is_quantized else 2
        if len(inputs) != count or len(maps) != 3:
            raise _undefined(op, f"it takes {count} inputs and gives 1 output, not {len(inputs)}")
        if is_quantized:
            maps[2:2] = [AffineMap(len(kinds), 0, ())] * 2
        used = {"contract": 2, "contract_zero_points": 4}.get(definition.kind, 1)
        body = _body(op, definition.kind, used)
        return _make(op, inputs, outputs, maps, kinds, body, definition.names())
    if name == "contract":
        if affine_maps is None or len(affine_maps) != 3 or len(inputs) != 2:
            raise _undefined(op, "it needs two inputs and three indexing_maps")
        rank = affine_maps[0].num_dims
        written = {
            expr.position for expr in affine_maps[2].results if isinstance(expr, AffineDimExpr)
        }
        kinds = ["parallel" if n in written else "reduction" for n in range(rank)]
        return _make(op, inputs, outputs, affine_maps, kinds, _body(op, "contract", 2))
    if name == "fill":
        return _elementwise(op, inputs, outputs, _body(op, "copy", 1))
    if name == "elementwise":
        kind = op.kind.word.data if op.kind is not None else ""
        body = _body(op, kind, len(inputs))
        if affine_maps is None:
            return _elementwise(op, inputs, outputs, body)
        return _make(op, inputs, outputs, affine_maps, ["parallel"] * _rank(outputs[0]), body)
    return _elementwise(op, inputs, outputs, _body(op, name, len(inputs)))


def _integers(attr: Attribute | None, count: int) -> list[int]:
    if isinstance(attr, DenseIntOrFPElementsAttr):
        return [int(value) for value in attr.get_values()]
    return [1] * count


def _body(op: NamedOp, kind: str, used: int) -> Region:
    """The body of a named op: the written one, or else the one that the name implies.

    ``used`` counts the inputs of the body: the window of a pooling only has a shape.
    """
    if op.body.blocks:
        return op.body
    values = (*op.inputs, *op.outputs)
    block = Block(
        arg_types=[
            value.type.get_element_type() if isinstance(value.type, ShapedType) else value.type  # pyright: ignore
            for value in values
        ]
    )
    count = len(op.inputs)
    out = block.args[count]
    unsigned = op.cast is not None and op.cast.word.data == "cast_unsigned"
    unsigned = unsigned or kind.endswith("_unsigned")
    build = _BodyBuilder(op, block, unsigned)
    terms = [build.cast(arg, out.type) for arg in block.args[:used]]
    if kind == "contract":
        result = build.combine("add", [out, build.combine("mul", terms)])
    elif kind == "contract_zero_points":
        factors = [build.combine("sub", [terms[n], terms[n + 2]]) for n in range(2)]
        result = build.combine("add", [out, build.combine("mul", factors)])
    elif op.name.startswith("linalg.pooling"):
        result = build.combine("add" if kind == "sum" else kind, [out, *terms])
    else:
        if kind == "select":
            terms = [block.args[0], *terms[1:]]
        result = build.combine(kind, terms)
    block.add_op(YieldOp(result))
    for body_op in block.ops:
        body_op.location = op.location
    return Region(block)


class _BodyBuilder:
    """Adds the scalar ops of a named op's body."""

    def __init__(self, op: Operation, block: Block, unsigned: bool) -> None:
        self.op = op
        self.block = block
        self.unsigned = unsigned

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def cast(self, value: SSAValue, to: Attribute) -> SSAValue:
        """``value`` converted to ``to``, as linalg's named ops convert their operands."""
        own = value.type
        if own == to:
            return value
        widths = [getattr(type_, "bitwidth", 0) for type_ in (own, to)]
        if isinstance(own, AnyFloat) and isinstance(to, AnyFloat):
            op_type: Any = arith.ExtFOp if widths[0] < widths[1] else arith.TruncFOp
        elif isinstance(own, IntegerType) and isinstance(to, AnyFloat):
            op_type = arith.UIToFPOp if self.unsigned else arith.SIToFPOp
        elif isinstance(own, AnyFloat) and isinstance(to, IntegerType):
            op_type = arith.FPToUIOp if self.unsigned else arith.FPToSIOp
        elif isinstance(own, IndexType) or isinstance(to, IndexType):
            op_type = arith.IndexCastOp
        elif isinstance(own, IntegerType) and isinstance(to, IntegerType):
            extend = arith.ExtUIOp if self.unsigned else arith.ExtSIOp
            op_type = extend if own.width.data < to.width.data else arith.TruncIOp
        else:
            raise _undefined(self.op, f"{own} does not become {to}")
        return self.add(op_type(value, to))

    def combine(self, kind: str, values: Sequence[SSAValue]) -> SSAValue:
        """Apply the op that ELEMENTWISE lists for ``kind`` to ``values``."""
        type_: Attribute = values[-1].type
        is_float = isinstance(type_, AnyFloat)
        name = ELEMENTWISE.get(kind, ("", ""))[0 if is_float else 1]
        if name == "copy":
            return values[0]
        if kind in ("add", "mul") and type_ == IntegerType(1):
            # Upstream: the sum and product of booleans are or and and.
            return self.add((arith.OrIOp if kind == "add" else arith.AndIOp)(values[0], values[1]))
        if name == "square":
            return self.add((arith.MulfOp if is_float else arith.MuliOp)(values[0], values[0]))
        if name == "reciprocal" and isinstance(type_, AnyFloat):
            unit: FloatAttr = FloatAttr(1.0, type_)
            return self.add(arith.DivfOp(self.add(arith.ConstantOp(unit)), values[0]))
        make = _OPS.get(name)
        if make is None:
            raise _undefined(self.op, f"{kind or 'the computation'} is not defined for {type_}")
        return self.add(make(*values))


_OPS: dict[str, Callable[..., Operation]] = {
    op.name: op  # pyright: ignore
    for op in (*arith.Arith.operations, *math.Math.operations)
}


def index_constant(value: int) -> arith.ConstantOp:
    """An ``arith.constant`` of type index."""
    return arith.ConstantOp(IntegerAttr(value, IndexType()))


def identity(rank: int) -> AffineMap:
    """The map of an access with one index for each dimension."""
    return AffineMap(rank, 0, tuple(AffineExpr.dimension(n) for n in range(rank)))


def is_elementwise(op: Operation) -> bool:
    """True if ``op`` is a scalar op applied to the elements of tensors."""
    return (
        op.name.startswith(("arith.", "math."))
        and len(op.results) > 0
        and isinstance(op.results[0].type, TensorType)
        and not op.regions
    )
