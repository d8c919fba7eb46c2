"""``linalg.pack`` and ``linalg.unpack`` as copies: element (o, i) of a tile of t is o * t + i."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.structured import identity
from kc.dialects import tir
from kc.dialects.linalg.packs import PackOp, UnPackOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


def _require_known(op: PackOp | UnPackOp) -> None:
    """Refuse sizes of tiles that are operands, and memrefs: KC4550."""
    is_dynamic = tir.DYNAMIC in op.tiles
    if is_dynamic or not isinstance(op.dest.type, TensorType):
        what = "tiles of a size that is no constant" if is_dynamic else "memrefs"
        raise CodegenError(
            "KC4550",
            f"raise-to-tir: {op.name} with {what} has no counterpart in tir",
            location=location_of(op),
            why="indices are affine: a variable times a constant"
            if is_dynamic
            else "it works on memrefs",
        )


def _places(op: PackOp | UnPackOp) -> list[AffineExpr]:
    """The index into the plain tensor for each of its dimensions, over those of the packed one."""
    rank = len(op.order)
    at: list[AffineExpr] = []
    for n in range(rank):
        place: AffineExpr = AffineDimExpr(op.order.index(n))
        if n in op.tiled:
            tile = op.tiled.index(n)
            place = place * op.tiles[tile] + AffineDimExpr(rank + tile)
        at.append(place)
    return at


class RaisePack(ConversionPattern[FunctionRaiser]):
    """``linalg.pack``: each element of the tiles is one of the tensor, or the padding."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PackOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        _require_known(op)
        fine, sizes = raiser.tensors.sizes(op.source), raiser.tensors.sizes(op.dest)
        has_tail = _relate(raiser, op)
        source = raiser.tensors.operand(op.source, op)
        target = raiser.tensors.destination(op.dest, op.results_[0], op, keeps=False)
        places = _places(op)

        def element(body: Block) -> None:
            at = [raiser.apply(place, list(body.args), op) for place in places]
            indices = [raiser.index_value(place, op) for place in at]

            def read() -> SSAValue:
                if not isinstance(source.type, MemRefType):
                    return source
                return raiser.emit(tir.LoadOp(source, identity(len(at)), indices), op).results[0]

            tests: list[SSAValue] = []
            for n in op.tiled if op.padding_value is not None else ():
                if has_tail[n]:
                    bound = raiser.index_value(fine[n], op)
                    compare = arith.CmpiOp(indices[n], bound, "slt")
                    tests.append(raiser.emit(compare, op).results[0])
            if not tests:
                value = read()
            else:
                inside = tests[0]
                for test in tests[1:]:
                    inside = raiser.emit(arith.AndIOp(inside, test), op).results[0]
                then, otherwise = Block(), Block()
                raiser.into(then, lambda: _yield(raiser, read(), op))
                assert op.padding_value is not None
                filled = raiser.value(op.padding_value)
                raiser.into(otherwise, lambda: _yield(raiser, filled, op))
                choice = scf.IfOp(inside, [filled.type], Region(then), Region(otherwise))
                value = raiser.emit(choice, op).results[0]
            raiser.emit(tir.StoreOp(value, target, identity(len(sizes)), body.args), op)

        raiser.spatial(op.results_[0].name_hint or "pack", sizes, element, op)


def _yield(raiser: FunctionRaiser, value: SSAValue, op: Operation) -> None:
    raiser.emit(scf.YieldOp(value), op)


def _relate(raiser: FunctionRaiser, op: PackOp | UnPackOp) -> list[bool]:
    """Require that sizes agree; for each dimension, whether its last tile may be padded."""
    plain = raiser.tensors.sizes(op.plain)
    packed = raiser.tensors.sizes(op.packed)
    may_pad = isinstance(op, UnPackOp) or op.padding_value is not None
    has_tail = [False] * len(plain)
    for n, size in enumerate(plain):
        outer = packed[op.order.index(n)]
        if n not in op.tiled:
            raiser.requirements.equal(size, outer, op, "keeps dimensions without tiles")
            continue
        tile = op.tiles[op.tiled.index(n)]
        held = raiser.requirements.expr(outer, op)
        if isinstance(size, int) and isinstance(outer, int):
            has_tail[n] = size != outer * tile
        else:
            has_tail[n] = may_pad
        if held is None:
            continue
        if may_pad:
            what = "has tiles for all elements"
            raiser.requirements.at_least(held * tile, size, op, what)
        else:
            what = "has no padding value, and tiles that are whole"
            raiser.requirements.equal(held * tile, size, op, what)
    return has_tail


class RaiseUnPack(ConversionPattern[FunctionRaiser]):
    """``linalg.unpack``: element x of a dimension is at (x floordiv t, x mod t)."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnPackOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        _require_known(op)
        sizes = raiser.tensors.sizes(op.dest)
        _relate(raiser, op)
        source = raiser.tensors.operand(op.source, op)
        target = raiser.tensors.destination(op.dest, op.results_[0], op, keeps=False)
        rank = len(sizes)
        at: list[AffineExpr] = []
        for n in op.order:
            place: AffineExpr = AffineDimExpr(n)
            at.append(place // op.tiles[op.tiled.index(n)] if n in op.tiled else place)
        at += [AffineDimExpr(n) % tile for n, tile in zip(op.tiled, op.tiles, strict=True)]

        def element(body: Block) -> None:
            value = source
            if isinstance(source.type, MemRefType):
                load = tir.LoadOp(source, AffineMap(rank, 0, tuple(at)), list(body.args))
                value = raiser.emit(load, op).results[0]
            raiser.emit(tir.StoreOp(value, target, identity(rank), body.args), op)

        raiser.spatial(op.results_[0].name_hint or "unpack", sizes, element, op)


PATTERNS = (RaisePack, RaiseUnPack)
