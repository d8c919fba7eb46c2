"""lower-tiles: buffers of the scope ``amx.tile`` become tile registers of x86 (AMX).

Before::

    %T = tir.alloc "T" : memref<16x16xf32, "amx.tile">
    %t = tir.view %T[0, 0] : ...
    tir.call @amx_fill_16x16_f32.tile(write %t) : ...
    tir.for %k in 8 {
      ... loads of %a and %b
      tir.call @amx_sync_16x16x32_bf16.tile(read %a, read %b, update %t) : ...
    }
    %c = tir.view %C[0, 0] : ...
    tir.call @amx_store_16x16_f32.tile(read %t, write %c) : ...

After::

    llvm.call_intrinsic "llvm.x86.ldtilecfg"(%configuration)
    llvm.call_intrinsic "llvm.x86.tilezero"(0)
    tir.for %k in 8 {
      ... loads of registers 1 and 2
      llvm.call_intrinsic "llvm.x86.tdpbf16ps"(0, 1, 2)
    }
    llvm.call_intrinsic "llvm.x86.tilestored64"(0, %c, %stride)
    llvm.call_intrinsic "llvm.x86.tilerelease"()

A call of a function with the attribute ``kc.tiles`` is an instruction on tile registers
(:mod:`kc.transforms.intrinsics.amx`). A buffer has a register for each of its tiles, in order.
Loops whose variables select the tile are unrolled, as the number of a register is a part of the
instruction. Registers retain their contents from one instruction to the next, so sums stay in
registers for as long as the buffer is used.

Registers that are in use together have one configuration: the number of rows and of bytes per row
of each. Tiles that are used at different times share a configuration if eight registers suffice for
both. The configuration is written before its tiles are used, in the outermost loop possible, and
released after; between two uses of one configuration it is not written again. A call of another
function may change all registers and their configuration, and so may a parallel loop, whose
iterations run on other threads. Therefore the configuration is written after a call or parallel
loop, and no tile is live across it. If the body of a parallel loop has a single configuration, the
instruction gets the attribute ``kc.once_per_chunk``, by which ``convert-to-llvm`` writes it once
for all iterations that a thread runs one after the other. (LLVM could choose registers itself, but
has a single configuration for a function: if the tiles have different shapes, they move to memory
and back in each step.)

*Legal when*

1. KC4256: a buffer of the scope is used by such calls only.
2. KC4257: a tile has at most 16 rows of 64 bytes, has the same shape in all uses of the buffer, and
   is selected by loops of constant extents.
3. KC4258: at most eight tiles are live at a time.
4. KC4259: no other function is called, and no parallel loop runs, between the first and the last
   use of a tile.

A buffer, its views and all calls that take them change together, and only after every call has been
found legal, so this is one walk over a function and not a rewrite pattern.

TVM: tensor intrinsics that name registers by numbers, for which the user writes the configuration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i8,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues, dimensions
from kc.analysis.loop_tree import memory_scope
from kc.dialects import llvm
from kc.dialects.memref_views import ExtractAlignedPointerAsIndexOp, GlobalOp
from kc.dialects.tir import INDEX, AllocOp, CallExternOp, CallOp, ForKind, ForOp, ViewOp
from kc.dialects.tir.loops import ONCE_PER_CHUNK
from kc.dialects.tir.views import strides_of
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.intrinsics.tile_names import ROW_BYTES, ROWS, SCOPE, TILES
from kc.transforms.tir.loops.unroll_loop import unroll

STACK_BYTES = 4096
"""The size in bytes up to which a buffer is certain to be allocated on the stack."""

INSTRUCTION = "kc.tiles"
"""The attribute of a function that stands for an instruction on tile registers; its value is the
instruction.
"""

_CLOBBERS = (CallOp, CallExternOp, func.CallOp)


_Size = tuple[int, int]
"""The rows of a register, and the bytes of a row."""


@dataclass
class _Tiles:
    """A buffer of tiles."""

    alloc: AllocOp
    shape: tuple[int, ...]
    """The shape of a tile."""
    positions: tuple[int, ...]
    """The dimensions of the buffer along which a tile extends."""
    views: list[ViewOp] = field(default_factory=list)
    calls: list[CallOp] = field(default_factory=list)
    registers: Sequence[int] = ()
    """The number of the register of each tile."""

    @property
    def grid(self) -> list[int]:
        """The number of tiles along each dimension of the buffer."""
        sizes = list(_memref(self.alloc.buffer).get_shape())
        for position, size in zip(self.positions, self.shape, strict=True):
            sizes[position] //= size
        return sizes

    @property
    def count(self) -> int:
        """The number of tiles."""
        return math.prod(self.grid)

    @property
    def rows(self) -> int:
        """The rows of a tile."""
        return self.shape[0]

    @property
    def row_bytes(self) -> int:
        """The bytes of a row of a tile."""
        return math.prod(self.shape[1:]) * _bytes_of(_memref(self.alloc.buffer))

    @property
    def size(self) -> _Size:
        """The configured size of a register of the buffer."""
        return self.rows, self.row_bytes


@dataclass
class _Region:
    """The operations of a block from the first to the last use of some tiles."""

    block: Block
    first: Operation
    last: Operation
    tiles: list[_Tiles]
    sizes: dict[_Size, int] = field(default_factory=dict)
    """The number of registers of each size, in the order of their numbers."""

    @property
    def ops(self) -> Iterator[Operation]:
        """The operations of the region, in order."""
        op: Operation | None = self.first
        while op is not None:
            yield op
            if op is self.last:
                return
            op = op.next_op

    @property
    def configuration(self) -> bytes:
        """The operand of ``ldtilecfg``: the palette, and the size of each register."""
        rows, row_bytes = bytearray(16), bytearray(32)
        number = 0
        for (count, width), registers in self.sizes.items():
            for _ in range(registers):
                rows[number] = count
                row_bytes[2 * number : 2 * number + 2] = width.to_bytes(2, "little")
                number += 1
        return bytes([1, *[0] * 15]) + bytes(row_bytes) + bytes(rows)


@dataclass(frozen=True)
class LowerTilesPass(ModulePass):
    """Lower operations on tiles to the tile registers of x86."""

    name = "lower-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        instructions = {
            function.sym_name.data: name.data
            for function in op.ops
            if isinstance(function, FuncOp)
            and isinstance(name := function.attributes.get(INSTRUCTION), StringAttr)
        }
        allocs = [
            alloc
            for alloc in op.walk()
            if isinstance(alloc, AllocOp) and memory_scope(alloc.buffer) == SCOPE
        ]
        if not allocs and not instructions:
            return
        for alloc in allocs:  # checked before the first change, as far as loops allow a check
            _tiles_of(alloc, instructions)
        for alloc in allocs:
            _require_constant_places(alloc)
        by_function: dict[Operation, list[AllocOp]] = {}
        for alloc in allocs:
            by_function.setdefault(_function_of(alloc), []).append(alloc)
        configurations = _Configurations(op)
        for function in by_function:
            _unroll(function)
            _lower(function, instructions, configurations)
        _erase_declarations(op, instructions)

    def is_needed(self, op: ModuleOp) -> bool:
        """True if the module has such operations or buffers."""
        return any(
            INSTRUCTION in inner.attributes
            or (isinstance(inner, AllocOp) and memory_scope(inner.buffer) == SCOPE)
            for inner in op.walk()
        )


def _lower(
    function: Operation, instructions: Mapping[str, str], configurations: _Configurations
) -> None:
    buffers = [
        _tiles_of(alloc, instructions)
        for alloc in function.walk()
        if isinstance(alloc, AllocOp) and memory_scope(alloc.buffer) == SCOPE
    ]
    used = [tiles for tiles in buffers if tiles.calls]
    regions = _regions(used)
    for region in regions:
        _require_registers(region)
        _require_undisturbed(region, instructions)
    _number(regions)
    by_buffer: dict[SSAValue, _Tiles] = {tiles.alloc.buffer: tiles for tiles in used}
    for place in _places(regions, instructions):
        _configure(place, configurations)
    for tiles in used:
        for call in tiles.calls:
            if call.parent is not None:
                _instruct(call, instructions[call.callee.string_value()], by_buffer)
    for tiles in buffers:
        for view in tiles.views:
            _erase(view)
        _erase(tiles.alloc)


# Checks ---------------------------------------------------------------------------------------


def _tiles_of(alloc: AllocOp, instructions: Mapping[str, str]) -> _Tiles:
    """The tiles of a buffer. Raises CodegenError KC4256 and KC4257."""
    tiles: _Tiles | None = None
    for use in list(alloc.buffer.uses):
        view = use.operation
        if not isinstance(view, ViewOp):
            raise _not_tensorized(alloc, view)
        if not view.result.uses:
            _erase(view)
            continue
        for user in list(view.result.uses):
            call = user.operation
            if not isinstance(call, CallOp) or call.callee.string_value() not in instructions:
                raise _not_tensorized(alloc, call)
            shape, positions = _memref(view.result).get_shape(), tuple(view.positions)
            if tiles is None:
                tiles = _Tiles(alloc, shape, positions)
                _require_size(alloc, tiles, call)
            elif (shape, positions) != (tiles.shape, tiles.positions):
                raise _wrong_tile(
                    alloc,
                    call,
                    f"{_name(call)} uses tiles of {_sizes(shape)}, but "
                    f"{_name(tiles.calls[0])} uses tiles of {_sizes(tiles.shape)}",
                )
            if call not in tiles.calls:
                tiles.calls.append(call)
            if view not in tiles.views:
                tiles.views.append(view)
    return tiles or _Tiles(alloc, (1,), (0,))


def _require_size(alloc: AllocOp, tiles: _Tiles, call: CallOp) -> None:
    shape = _memref(alloc.buffer).get_shape()
    if tiles.rows > ROWS or tiles.row_bytes > ROW_BYTES:
        raise _wrong_tile(
            alloc,
            call,
            f"a tile has {tiles.rows} rows of {tiles.row_bytes} bytes, but a tile register "
            "holds at "
            f"most {ROWS} rows of {ROW_BYTES} bytes",
        )
    for position, size in zip(tiles.positions, tiles.shape, strict=True):
        if shape[position] % size:
            raise _wrong_tile(
                alloc,
                call,
                f"dimension {position} of {alloc.label} has {shape[position]} elements, must be a "
                f"multiple of the tile size {size}",
            )


def _require_constant_places(alloc: AllocOp) -> None:
    """Refuse (KC4257) a tile that is not selected by loops of constant extents."""
    index = IndexValues()
    for use in alloc.buffer.uses:
        view = use.operation
        assert isinstance(view, ViewOp)
        for expr in view.indices.data.results:
            composed = index.compose(expr, view.operands_of_map)
            for value in (index.roots[dim] for dim in dimensions(composed)):
                loop = _loop_of(value)
                if loop is None or loop.static_extent is None or not _is_serial(loop):
                    what = "a value of the program" if loop is None else f"loop {loop.label}"
                    raise _wrong_tile(
                        alloc,
                        view,
                        f"{what} selects the tile, but an instruction contains the number of its "
                        "tile register as a constant",
                    )


def _loop_of(value: SSAValue | None) -> ForOp | None:
    owner = value.block.parent_op() if isinstance(value, BlockArgument) else None
    return owner if isinstance(owner, ForOp) else None


def _is_serial(loop: ForOp) -> bool:
    return loop.axis is None and loop.kind.data in (
        ForKind.SERIAL,
        ForKind.UNROLLED,
    )


def _require_registers(region: _Region) -> None:
    """Refuse (KC4258) more live tiles than there are registers."""
    count = sum(tiles.count for tiles in region.tiles)
    if count > TILES:
        last = region.tiles[-1].alloc
        raise CodegenError(
            "KC4258",
            f"lower-tiles: {count} tiles are live at the same time",
            location=location_of(last),
            facts=[f"{tile.alloc.label}: {tile.count}" for tile in region.tiles],
            why=f"there are only {TILES} tile registers",
            hints=["use at most 2 x 2 tiles of sums and two tiles of each operand: 8 in total"],
        )


def _require_undisturbed(region: _Region, instructions: Mapping[str, str]) -> None:
    """Refuse (KC4259) calls and parallel loops while tiles are in registers."""
    for op in region.ops:
        for inner in op.walk():
            what = _disturbance(inner, instructions)
            if what is not None:
                names = ", ".join(tile.alloc.label for tile in region.tiles)
                raise CodegenError(
                    "KC4259",
                    f"lower-tiles: {what} comes between uses of {names}",
                    location=location_of(inner),
                    why="a called function may overwrite the tile registers, and each thread "
                    "has its "
                    "own tile registers",
                    hints=[
                        "store the sums first, or make the call in a loop nest of its own",
                        f'give {names} the scope "local"',
                    ],
                )


def _disturbance(op: Operation, instructions: Mapping[str, str]) -> str | None:
    """The description of ``op`` if it may change the registers; None if it preserves them."""
    if isinstance(op, ForOp) and not _keeps_thread(op):
        return f"the {op.kind.data.value} loop {op.label}"
    if isinstance(op, CallOp) and op.callee.string_value() in instructions:
        return None
    if isinstance(op, _CLOBBERS):
        return f"a call of {_callee(op)}"
    return None


def _keeps_thread(loop: ForOp) -> bool:
    return loop.kind.data is not ForKind.PARALLEL


def _callee(op: Operation) -> str:
    callee = op.get_attr_or_prop("callee")
    if isinstance(callee, SymbolRefAttr):
        return callee.string_value()
    return getattr(op, "label", op.name)


def _not_tensorized(alloc: AllocOp, user: Operation) -> CodegenError:
    what = f"{_name(user)} takes it" if isinstance(user, CallOp) else f"{user.name} uses it"
    return CodegenError(
        "KC4256",
        f"lower-tiles: {alloc.label} has uses other than intrinsics on tiles",
        location=location_of(user),
        why=f'{what}, but "{SCOPE}" stands for tile registers, whose elements have no addresses',
        hints=[
            "tensorize all writers and readers by intrinsics such as "
            "amx_fill_16x16_f32, amx_sync_16x16x32_bf16 and amx_store_16x16_f32",
            f'give {alloc.label} the scope "local"',
        ],
    )


def _wrong_tile(alloc: AllocOp, at: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4257",
        f"lower-tiles: {alloc.label} cannot be kept in tile registers",
        location=location_of(at),
        why=why,
        hints=["split the loops over it by the sizes of a tile, and tensorize the inner loops"],
    )


def _sizes(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))


def _name(call: CallOp) -> str:
    return call.callee.string_value().removesuffix(".tile")


# Where registers are used ---------------------------------------------------------------------


def _unroll(function: Operation) -> None:
    """Unroll the loops that select the tile of a buffer, inner loops first."""
    index = IndexValues()
    loops: dict[ForOp, None] = {}
    for view in function.walk():
        if isinstance(view, ViewOp) and memory_scope(view.buffer) == SCOPE:
            for expr in view.indices.data.results:
                composed = index.compose(expr, view.operands_of_map)
                for value in (index.roots[dim] for dim in dimensions(composed)):
                    loop = _loop_of(value)
                    assert loop is not None
                    loops[loop] = None
    depths = {loop: len(loop_tree.all_loops_around(loop)) for loop in loops}
    for loop in sorted(loops, key=lambda loop: -depths[loop]):
        assert loop.static_extent is not None
        unroll(loop, loop.static_extent)


def _regions(used: Sequence[_Tiles]) -> list[_Region]:
    """The regions in which tiles are in registers. Tiles with interleaved uses are in one
    region.
    """
    regions: list[_Region] = []
    for tiles in used:
        home = tiles.alloc.parent
        assert home is not None
        # If a buffer is used in one branch only, its tiles live in that branch.
        while True:
            ops = list(dict.fromkeys(_in_block(call, home) for call in tiles.calls))
            if len(ops) > 1 or ops[0] in tiles.calls or isinstance(ops[0], ForOp):
                break
            inner = [block for region in ops[0].regions for block in region.blocks]
            holding = [loop for loop in inner if all(_is_in(call, loop) for call in tiles.calls)]
            if len(holding) != 1:
                break
            (home,) = holding
        ops.sort(key=home.get_operation_index)
        new = _Region(home, ops[0], ops[-1], [tiles])
        regions = _with(regions, new)
    return regions


def _with(regions: Sequence[_Region], new: _Region) -> list[_Region]:
    """``regions`` and ``new``, merged with the regions that it overlaps."""
    apart: list[_Region] = []
    for region in regions:
        inner = _within(new, region)
        if inner or _within(region, new):
            outer = region if inner else new
            tiles = [*region.tiles, *new.tiles]
            new = _Region(outer.block, outer.first, outer.last, tiles)
        elif region.block is new.block and _overlap(region, new):
            ops = sorted(
                (region.first, region.last, new.first, new.last), key=new.block.get_operation_index
            )
            new = _Region(new.block, ops[0], ops[-1], [*region.tiles, *new.tiles])
        else:
            apart.append(region)
    return [*apart, new]


def _within(inner: _Region, outer: _Region) -> bool:
    return inner.block is not outer.block and any(
        _is_in(inner.first, block) for op in outer.ops for r in op.regions for block in r.blocks
    )


def _overlap(a: _Region, b: _Region) -> bool:
    at = a.block.get_operation_index
    return at(a.first) <= at(b.last) and at(b.first) <= at(a.last)


def _is_in(op: Operation, block: Block) -> bool:
    parent: Operation | None = op
    while parent is not None:
        if parent.parent is block:
            return True
        parent = parent.parent_op()
    return False


def _in_block(op: Operation, block: Block) -> Operation:
    """The operation of ``block`` that is or contains ``op``."""
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


# Configurations -------------------------------------------------------------------------------


def _number(regions: Sequence[_Region]) -> None:
    """Assign numbers to the registers. Regions share a configuration as long as eight registers
    suffice.
    """
    groups: list[dict[_Size, int]] = []
    for region in regions:
        own: dict[_Size, int] = {}
        for tiles in region.tiles:
            own[tiles.size] = own.get(tiles.size, 0) + tiles.count
        for group in groups:
            both = {size: max(group.get(size, 0), own.get(size, 0)) for size in {**group, **own}}
            if sum(both.values()) <= TILES:
                group.update(both)
                region.sizes = group
                break
        else:
            groups.append(own)
            region.sizes = own
    for region in regions:
        counts, first = region.sizes.values(), 0
        free: dict[_Size, int] = {}
        for size, count in zip(region.sizes, counts, strict=True):
            free[size] = first
            first += count
        for tiles in region.tiles:
            start = free[tiles.size]
            tiles.registers = range(start, start + tiles.count)
            free[tiles.size] += tiles.count


@dataclass
class _Place:
    """Operations of one block: the configuration is written before the first and released after the
    last.
    """

    begin: Operation
    end: Operation
    configuration: bytes
    once_per_chunk: bool = False

    @property
    def block(self) -> Block:
        """The block of both operations."""
        block = self.begin.parent
        assert block is not None
        return block


def _places(regions: Sequence[_Region], instructions: Mapping[str, str]) -> Iterator[_Place]:
    """The places at which configurations are written: in the outermost loops that need no other
    configuration, and once for consecutive places if nothing in between may change registers.
    """
    places: dict[Block, list[_Place]] = {}
    for region in regions:
        place = _outermost(region, regions, instructions)
        places.setdefault(place.block, []).append(place)
    for block, of_block in places.items():
        of_block.sort(key=lambda region: block.get_operation_index(region.begin))
        last = of_block[0]
        for place in of_block[1:]:
            if place.configuration == last.configuration and _is_quiet(last, place, instructions):
                last.end = max(last.end, place.end, key=block.get_operation_index)
            else:
                yield last
                last = place
        yield last


def _outermost(
    region: _Region, regions: Sequence[_Region], instructions: Mapping[str, str]
) -> _Place:
    place = _Place(region.first, region.last, region.configuration)
    while True:
        loop = place.begin.parent_op()
        if not isinstance(loop, ForOp) or not _is_alone(region, loop, regions, instructions):
            return place
        if not _keeps_thread(loop):
            body = loop.body.block
            assert body.first_op is not None
            assert body.last_op is not None
            return _Place(body.first_op, body.last_op, region.configuration, once_per_chunk=True)
        place.begin = place.end = loop


def _is_alone(
    region: _Region, loop: ForOp, regions: Sequence[_Region], instructions: Mapping[str, str]
) -> bool:
    """True if all registers used in a loop have the configuration of ``region``, in each
    iteration.
    """
    return not any(
        other_region.configuration != region.configuration
        and _is_in(other_region.first, loop.body.block)
        for other_region in regions
    ) and not any(
        _disturbance(op, instructions) or _allocates_anew(op, loop) for op in loop.body.walk()
    )


def _allocates_anew(op: Operation, loop: ForOp) -> bool:
    """True if ``op`` allocates memory in each iteration of ``loop``, as its size is known only
    inside.
    """
    return isinstance(op, AllocOp) and any(
        loop_tree.defined_inside(size, loop) for size in op.dynamic_sizes
    )


def _is_quiet(before: _Place, behind: _Place, instructions: Mapping[str, str]) -> bool:
    """True if nothing between two places may change registers."""
    at = before.block.get_operation_index
    op = before.end.next_op if at(before.end) < at(behind.begin) else None
    while op is not None and op is not behind.begin:
        if any(
            _disturbance(inner, instructions)
            or (isinstance(inner, AllocOp) and inner.dynamic_sizes)
            for inner in op.walk()
        ):
            return False
        op = op.next_op
    return True


class _Configurations:
    """Constants of a module that ``ldtilecfg`` reads, each once."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self._names: dict[bytes, str] = {}

    def name(self, configuration: bytes) -> str:
        """The name of the constant with these bytes, which is created at the first request."""
        name = self._names.get(configuration)
        if name is None:
            taken = {
                symbol.data
                for op in self.module.body.ops
                if isinstance(symbol := op.get_attr_or_prop("sym_name"), StringAttr)
            }
            name = next(
                candidate
                for n in range(len(taken) + 1)
                if (candidate := f"tile_shapes{n}") not in taken
            )
            self._names[configuration] = name
            value = DenseIntOrFPElementsAttr.from_list(
                TensorType(i8, [len(configuration)]),
                [byte - 256 if byte > 127 else byte for byte in configuration],
            )
            constant = GlobalOp.build(
                properties={
                    "sym_name": StringAttr(name),
                    "type": MemRefType(i8, [len(configuration)]),
                    "initial_value": value,
                    "sym_visibility": StringAttr("private"),
                    "constant": UnitAttr(),
                    "alignment": IntegerAttr(ROW_BYTES, i64),
                }
            )
            first = self.module.body.block.first_op
            assert first is not None
            self.module.body.block.insert_op_before(constant, first)
        return name


def _configure(place: _Place, configurations: _Configurations) -> None:
    block, configuration = place.block, place.configuration
    type_ = MemRefType(i8, [len(configuration)])
    constant = memref.GetGlobalOp(configurations.name(configuration), type_)
    ops, pointer = _pointer(constant.memref)
    configured = _intrinsic("ldtilecfg", [pointer])
    released = _intrinsic("tilerelease", [])
    for op in (constant, *ops, configured, released):
        op.location = place.begin.location
    if place.once_per_chunk:
        configured.attributes[ONCE_PER_CHUNK] = StringAttr("before")
        released.attributes[ONCE_PER_CHUNK] = StringAttr("behind")
    _allocate_before(place)
    block.insert_ops_before([constant, *ops, configured], place.begin)
    block.insert_op_after(released, place.end)


def _allocate_before(place: _Place) -> None:
    """Move allocations that may become a call of ``malloc`` before the configuration is written, as
    no configuration survives a call.
    """
    op: Operation | None = place.begin
    inner: list[Operation] = []
    while op is not None:
        inner += op.walk()
        op = None if op is place.end else op.next_op
    inside = set(inner)
    for alloc in inner:
        if (
            isinstance(alloc, AllocOp)
            and memory_scope(alloc.buffer) != SCOPE
            and (alloc.dynamic_sizes or _is_large(alloc))
            and not any(_owner(size) in inside for size in alloc.dynamic_sizes)
        ):
            if alloc is place.begin:
                assert alloc.next_op is not None
                place.begin = alloc.next_op
                continue
            alloc.detach()
            place.block.insert_op_before(alloc, place.begin)


def _owner(value: SSAValue) -> Operation | None:
    owner = value.owner
    return owner.parent_op() if isinstance(owner, Block) else owner


def _is_large(alloc: AllocOp) -> bool:
    type_ = _memref(alloc.buffer)
    return math.prod(type_.get_shape()) * _bytes_of(type_) > STACK_BYTES


# Instructions ---------------------------------------------------------------------------------


def _instruct(call: CallOp, instruction: str, tiles: Mapping[SSAValue, _Tiles]) -> None:
    """Replace a call by its instruction. The tile that it writes is the first operand."""
    ops: list[Operation] = []
    registers: dict[int, SSAValue] = {}
    memory: list[SSAValue] = []
    for n, argument in enumerate(call.arguments):
        view = argument.owner
        if isinstance(view, ViewOp) and view.buffer in tiles:
            number = IntegerAttr(_register(view, tiles[view.buffer]), IntegerType(8))
            constant = llvm.ConstantOp(number, IntegerType(8))
            ops.append(constant)
            registers[n] = constant.result
        else:
            new, pointer = _pointer(argument)
            more, stride = _row_stride(argument)
            ops += [*new, *more]
            memory += [pointer, stride]
    writes = [n for n, mode in enumerate(call.modes) if mode.data != "read" and n in registers]
    order = [*writes, *(n for n in registers if n not in writes)]
    ops.append(_intrinsic(instruction, [*(registers[n] for n in order), *memory]))
    for op in ops:
        op.location = call.location
    block = call.parent
    assert block is not None
    block.insert_ops_before(ops, call)
    _erase(call)


def _register(view: ViewOp, tiles: _Tiles) -> int:
    index = IndexValues()
    number = 0
    for dim, (expr, size) in enumerate(zip(view.indices.data.results, tiles.grid, strict=True)):
        composed = index.simplify(index.compose(expr, view.operands_of_map))
        place = composed.eval([0] * (max(composed.used_dims(), default=-1) + 1), [])
        if dim in tiles.positions:
            place //= tiles.shape[tiles.positions.index(dim)]
        number = number * size + place
    return tiles.registers[number]


def _pointer(buffer: SSAValue) -> tuple[list[Operation], SSAValue]:
    first = ExtractAlignedPointerAsIndexOp.build(operands=[buffer], result_types=[INDEX])
    first.attributes["kc.first_element"] = UnitAttr()
    address = arith.IndexCastOp(first.results[0], i64)
    pointer = llvm.IntToPtrOp(address.result)
    return [first, address, pointer], pointer.results[0]


def _row_stride(argument: SSAValue) -> tuple[list[Operation], SSAValue]:
    """The bytes from one row of a tile in memory to the next."""
    view = argument.owner
    type_ = _memref(argument)
    static_stride = strides_of(type_)[0]
    if isinstance(view, ViewOp):
        static_stride = strides_of(_memref(view.buffer))[view.positions[0]]
    size = _bytes_of(type_)
    if static_stride is not None:
        constant = arith.ConstantOp(IntegerAttr(static_stride * size, i64))
        return [constant], constant.result
    strides = memref.ExtractStridedMetaDataOp(argument)
    stride = arith.IndexCastOp(strides.strides[0], i64)
    factor = arith.ConstantOp(IntegerAttr(size, i64))
    product = arith.MuliOp(stride.result, factor.result)
    return [strides, stride, factor, product], product.result


def _intrinsic(instruction: str, operands: Sequence[SSAValue]) -> Operation:
    return llvm.CallIntrinsicOp(f"llvm.x86.{instruction}", operands, [])


def _memref(value: SSAValue) -> MemRefType[Attribute]:
    assert isinstance(value.type, MemRefType)
    return value.type


def _bytes_of(type_: MemRefType[Attribute]) -> int:
    element = type_.element_type
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth // 8


def _function_of(op: Operation) -> Operation:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        op, parent = parent, parent.parent_op()
    return parent or op


def _erase(op: Operation) -> None:
    if op.parent is not None:
        op.detach()
        op.erase()


def _erase_declarations(module: ModuleOp, instructions: Mapping[str, str]) -> None:
    """Erase the functions that stood for instructions, and their descriptions."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    gone: dict[FuncOp, None] = {}
    for name in instructions:
        gone[functions[name]] = None
        described = functions[name].attributes.get("kc.description")
        if isinstance(described, SymbolRefAttr) and described.string_value() in functions:
            gone[functions[described.string_value()]] = None
    for function in gone:
        _erase(function)
