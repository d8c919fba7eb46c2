"""``linalg.pack`` and ``linalg.unpack`` as copies: element (o, i) of a tile of t is o * t + i."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.nests import Extent
from kc.conversion.raise_to_tir.structured import identity
from kc.dialects import tir
from kc.dialects.linalg.packs import PackOp, UnPackOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


def _require_tensors(op: PackOp | UnPackOp) -> None:
    """Refuse memrefs: KC4550."""
    if not isinstance(op.dest.type, TensorType):
        raise CodegenError(
            "KC4550",
            f"raise-to-tir: {op.name} with memrefs has no counterpart in tir",
            location=location_of(op),
            why="it works on memrefs",
        )


def _tiles(raiser: FunctionRaiser, op: PackOp | UnPackOp) -> list[Extent]:
    """The tile sizes; unknown sizes are read from the packed tensor."""
    tile_sizes = iter(op.inner_tiles)
    inner = raiser.tensors.sizes(op.packed)[len(op.order) :]
    tiles: list[Extent] = []
    for size, held in zip(op.tiles, inner, strict=True):
        tile = raiser.extent(next(tile_sizes)) if size == tir.DYNAMIC else size
        raiser.requirements.equal(tile, held, op, "has tiles of the sizes that it names")
        raiser.requirements.at_least(tile, 1, op, "has tiles of at least one element")
        tiles.append(tile if isinstance(tile, int) else held)
    return tiles


class RaisePack(ConversionPattern[FunctionRaiser]):
    """``linalg.pack``: each element of the tiles is an element of the tensor, or the padding.

    Requires tensors (KC4550). Each tile has at least one element and the size that the type states,
    and the tiles cover all elements; without a padding value they cover them exactly (KC4556, or
    checked at the call).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PackOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        _require_tensors(op)
        fine, sizes = raiser.tensors.sizes(op.source), raiser.tensors.sizes(op.dest)
        tiles = _tiles(raiser, op)
        has_tail = _relate(raiser, op, tiles)
        source = raiser.tensors.operand(op.source, op)
        target = raiser.tensors.destination(op.dest, op.results_[0], op, keeps=False)
        rank = len(fine)

        def place(n: int, args: Sequence[SSAValue]) -> Extent:
            outer = args[op.order.index(n)]
            if n not in op.tiled:
                return outer
            number = op.tiled.index(n)
            first = raiser.product(outer, tiles[number], op)
            add = AffineDimExpr(0) + AffineDimExpr(1)
            return raiser.apply(add, [first, args[rank + number]], op)

        def element(body: Block) -> None:
            at = [place(n, body.args) for n in range(rank)]
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


def _relate(raiser: FunctionRaiser, op: PackOp | UnPackOp, tiles: Sequence[Extent]) -> list[bool]:
    """Require that sizes agree; for each dimension, True if its last tile may be padded."""
    plain = raiser.tensors.sizes(op.plain)
    packed = raiser.tensors.sizes(op.packed)
    may_pad = isinstance(op, UnPackOp) or op.padding_value is not None
    has_tail = [False] * len(plain)
    for n, size in enumerate(plain):
        outer = packed[op.order.index(n)]
        if n not in op.tiled:
            raiser.requirements.equal(size, outer, op, "keeps dimensions without tiles")
            continue
        tile = tiles[op.tiled.index(n)]
        if isinstance(size, int) and isinstance(outer, int) and isinstance(tile, int):
            has_tail[n] = size != outer * tile
        else:
            has_tail[n] = may_pad
        held = raiser.requirements.times(outer, tile, op)
        if held is None:
            continue
        if may_pad:
            what = "has tiles for all elements"
            raiser.requirements.at_least(held, size, op, what)
        else:
            what = "has no padding value, and tiles that are whole"
            raiser.requirements.equal(held, size, op, what)
    return has_tail


class RaiseUnPack(ConversionPattern[FunctionRaiser]):
    """``linalg.unpack``: element x of a dimension is at (x floordiv t, x mod t).

    Requires tensors (KC4550), and tiles as for :class:`RaisePack`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnPackOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        _require_tensors(op)
        sizes = raiser.tensors.sizes(op.dest)
        tiles = _tiles(raiser, op)
        _relate(raiser, op, tiles)
        source = raiser.tensors.operand(op.source, op)
        target = raiser.tensors.destination(op.dest, op.results_[0], op, keeps=False)

        def element(body: Block) -> None:
            value = source
            if isinstance(source.type, MemRefType):
                at: list[Extent] = [*(body.args[n] for n in op.order), *tiles]
                for n, tile in zip(op.tiled, tiles, strict=True):
                    outer, inner = op.order.index(n), len(sizes) + op.tiled.index(n)
                    at[outer] = raiser.quotient(body.args[n], tile, op)
                    at[inner] = raiser.remainder(body.args[n], tile, op)
                indices = [raiser.index_value(index, op) for index in at]
                load = tir.LoadOp(source, identity(len(indices)), indices)
                value = raiser.emit(load, op).results[0]
            raiser.emit(tir.StoreOp(value, target, identity(len(sizes)), body.args), op)

        raiser.spatial(op.results_[0].name_hint or "unpack", sizes, element, op)


PATTERNS = (RaisePack, RaiseUnPack)
