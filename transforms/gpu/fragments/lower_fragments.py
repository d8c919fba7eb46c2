"""lower-fragments: tiles that a warp holds become registers of its lanes.

Before::

    %F = tir.alloc "F" : memref<32x16xf16, "wmma.matrix_a">
    tir.for %i in 2 {
      %s = tir.view %S[%i * 16, 0] : memref<32x16xf16, "shared"> to ...
      %f = tir.view %F[%i * 16, 0] : memref<32x16xf16, "wmma.matrix_a"> to ...
      tir.call @wmma_load_16x16x16_f16_a_shared.warp(read %s, write %f) : ...

After::

    %F = tir.alloc "F" : memref<2x1x8xi32, "local">
    tir.for %i in 2 {
      %s = tir.view %S[%i * 16, 0] : memref<32x16xf16, "shared"> to ...
      %r = nvvm.wmma.load %p, %stride {...} : (!llvm.ptr<3>) -> !llvm.struct<(vector<2xf16>, ...)>
      tir.store %w0, %F[%i, 0, 0] : memref<2x1x8xi32, "local">
      ...

A call of a function with the attribute ``kc.lanes`` is an operation of all lanes of a warp
(:mod:`kc.transforms.intrinsics.tensor_cores`); the attribute names the function of a single lane.
In that function, an argument with the attribute ``nvvm.fragment`` represents the lane's words of a
tile. Loops over the tiles of a buffer are unrolled (by ``unroll-loop`` and LLVM), as registers have
no addresses. Before this pass all threads make the call, each with its own tiles: memory of the
scopes ``wmma.*`` and ``m16n8k*.*`` belongs to a thread.

Loops over the elements of such tiles, which are operations fused after a product, become code of
each lane for the elements that it holds (:mod:`._fragment_elements`).

Products of four warps (``wgmma``) read A and B from shared memory through descriptors of the
buffer's layout (``tir.matrix_descriptor``), not through loads and stores. A thread that has written
such a buffer therefore executes a fence before the barrier in front of the product.

Requires: one nest of loops of threads around each kernel (``unify-thread-binding``). *Legal when*

1. KC4240: a buffer of fragments is used only by such calls, and by loops over all elements of tiles
   that store to such buffers, or to memory that they do not read.
2. KC4241: all of them use the tiles of a buffer as the same fragment, in its memory scope.
3. KC4242: a tile is one fragment: it begins at multiples of its size, and all of them are whole.
4. KC4243: all lanes of a warp reach a call, for the same tiles.
5. KC4244: rows of tiles in memory that lanes load as a whole begin at multiples of 16 bytes.
6. KC4248: tiles that four warps read have a layout that a descriptor can express.
7. KC4254: ``kc.lanes`` names another function, with a body and as many arguments.

A buffer, its views and all calls that take them change together, as the type of the buffer changes,
and only after all calls have been found legal. So this is one walk over the function, and not a
rewrite pattern for single operations.

TVM: ``LowerIntrin`` with ``tvm_load_matrix_sync`` and ``ptx_mma``, for which ``InferFragment``
infers the fragment of a buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.arith import AddiOp, AndIOp, ConstantOp, IndexCastOp, MuliOp, OrIOp, ShRUIOp
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    FixedBitwidthType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.memref import ExtractStridedMetaDataOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.gpu.shared_memory import BEGINS_AT, SWIZZLED_ALIGNMENT
from kc.analysis.gpu.vector_alignment import divisor, known_alignment
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.dialects.gpu import BarrierOp
from kc.dialects.memref_views import ExtractAlignedPointerAsIndexOp
from kc.dialects.nvvm import SCOPES, CpAsyncWaitGroupOp, FenceProxyOp, FragmentAttr
from kc.dialects.tir import (
    INDEX,
    AllocOp,
    ApplyOp,
    CallOp,
    ForKind,
    ForKindAttr,
    ForOp,
    IfOp,
    LoadOp,
    MatrixDescriptorOp,
    StoreBoxOp,
    StoreOp,
    ViewOp,
)
from kc.dialects.tir.memory import ASYNC_COPY
from kc.dialects.tir.threads import LANE_AXES
from kc.dialects.tir.views import strides_of
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import compact
from kc.transforms.gpu.binding._warp_calls import fragments_of, lane_of
from kc.transforms.gpu.binding.unify_thread_binding import axes_of
from kc.transforms.gpu.fragments._fragment_elements import Held, Nest, nest_of
from kc.transforms.tir.storage.swizzle_storage import separates, swizzle_of

WARP = 32
ROW_BYTES = 16
"""The bytes of a row of a tile that a lane loads at a time."""


@dataclass
class _Held:
    """A buffer of fragments, with its uses."""

    alloc: AllocOp
    fragment: FragmentAttr
    positions: tuple[int, ...]
    """The dimensions of the buffer that a tile spans."""
    views: list[ViewOp] = field(default_factory=list)
    accesses: list[LoadOp | StoreOp] = field(default_factory=list)
    """The accesses of single elements of the buffer."""
    memory: AllocOp | None = None
    """The registers that replace the buffer."""

    @property
    def elements(self) -> Held:
        """The buffer as seen by loops over its elements."""
        memory = None if self.memory is None else self.memory.buffer
        return Held(self.fragment, self.positions, memory)


@dataclass(frozen=True)
class LowerFragmentsPass(ModulePass):
    """Lower operations of warps to code of each lane."""

    name = "lower-fragments"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = {
            function.sym_name.data: function for function in op.ops if isinstance(function, FuncOp)
        }
        lanes = {
            name: lane
            for name, function in functions.items()
            if (lane := lane_of(function)) is not None
        }
        used = [function for function in functions.values() if function not in lanes.values()]
        allocs = [
            alloc
            for function in used
            for alloc in function.walk()
            if isinstance(alloc, AllocOp) and SCOPES.fullmatch(memory_scope(alloc.buffer))
        ]
        held: dict[SSAValue, _Held] = {alloc.buffer: _held(alloc, lanes) for alloc in allocs}
        calls = [
            call
            for function in used
            for call in function.walk()
            if isinstance(call, CallOp) and call.callee.string_value() in lanes
        ]
        described: dict[SSAValue, None] = {}
        for call in calls:
            lane = lanes[call.callee.string_value()]
            if ASYNC_COPY in call.attributes:
                continue  # a single thread starts this copy
            if any(isinstance(op, StoreBoxOp) for op in lane.walk()):
                described[_buffer_of(call.arguments[0])] = None
                continue
            _require_warp(call, lane)
            _require_rows(call, lane)
            described.update(dict.fromkeys(_require_descriptors(call, lane)))
        nests = _nests(held)
        _fence(list(described), calls)
        for buffer in held.values():
            _unroll(buffer)
            buffer.memory = _registers(buffer)
        elements = {key: buffer.elements for key, buffer in held.items()}
        for nest in nests:
            nest.lower(elements)
        for call in calls:
            _inline(call, lanes[call.callee.string_value()], held)
        for buffer in held.values():
            for view in buffer.views:
                view.detach()
                view.erase()
            buffer.alloc.detach()
            buffer.alloc.erase()
        _erase_declarations(functions, lanes)


# Checks ---------------------------------------------------------------------------------------


def _held(alloc: AllocOp, lanes: dict[str, FuncOp]) -> _Held:
    """The fragments that a buffer holds, if all uses agree. Raises CodegenError KC4240, KC4241,
    KC4242."""
    held: _Held | None = None
    first: CallOp | None = None
    accesses = [
        use.operation for use in alloc.buffer.uses if isinstance(use.operation, LoadOp | StoreOp)
    ]
    scope = memory_scope(alloc.buffer)
    for view, call, fragment in _calls(alloc, lanes):
        if fragment is None or fragment.scope != scope:
            takes = "memory" if fragment is None else f'"{fragment.scope}"'
            raise CodegenError(
                "KC4241",
                f'lower-fragments: {alloc.label} has the wrong scope, "{scope}"',
                location=location_of(call),
                why=f"{_name(call)} takes {takes} for this argument",
            )
        if held is None or first is None:
            held, first = _Held(alloc, fragment, tuple(view.positions)), call
        if fragment != held.fragment:
            raise CodegenError(
                "KC4241",
                f"lower-fragments: {alloc.label} is used as two kinds of fragments",
                location=location_of(call),
                facts=[f"{_name(first)}: {held.fragment}", f"{_name(call)}: {fragment}"],
                why="the two kinds assign elements to lanes differently",
                hints=["use intrinsics of the same shape, types and layouts for all uses"],
            )
        if view not in held.views:
            _require_whole(alloc, view, fragment)
            held.views.append(view)
    if held is None:
        type_ = alloc.buffer.type
        assert isinstance(type_, MemRefType)
        fragment = FragmentAttr.of_scope(scope, type_.element_type) if accesses else None
        rank = type_.get_num_dims()
        if fragment is None or rank < len(fragment.tile):
            raise _not_tensorized(alloc, accesses[0] if accesses else None)
        held = _Held(alloc, fragment, tuple(range(rank - len(fragment.tile), rank)))
        _require_tiles(alloc, held)
    held.accesses = accesses
    return held


def _require_tiles(alloc: AllocOp, held: _Held) -> None:
    """Refuse (KC4242) a buffer without intrinsics that does not consist of whole tiles."""
    shape = alloc.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    for position, size in zip(held.positions, held.fragment.tile, strict=True):
        if shape[position] % size:
            tile = " x ".join(map(str, held.fragment.tile))
            raise CodegenError(
                "KC4242",
                f"lower-fragments: {alloc.label} does not consist of tiles of {tile}",
                location=location_of(alloc),
                why=f"dimension {position} of {alloc.label} has {shape[position]} elements, "
                f"must be a multiple of the tile size {size}",
                hints=[f'give {alloc.label} the scope "local"'],
            )


def _nests(held: Mapping[SSAValue, _Held]) -> list[Nest]:
    """The loops over elements of fragments. Raises CodegenError KC4240 for other uses of
    elements."""
    buffers = {key: buffer.elements for key, buffer in held.items()}
    nests: dict[ForOp, Nest] = {}
    for buffer in held.values():
        for access in buffer.accesses:
            nest = nest_of(access, buffers)
            if isinstance(nest, str):
                raise _not_tensorized(buffer.alloc, access, nest)
            nests.setdefault(nest.rows, nest)
    return list(nests.values())


def _calls(
    alloc: AllocOp, lanes: dict[str, FuncOp]
) -> Iterator[tuple[ViewOp, CallOp, FragmentAttr | None]]:
    """The calls that use a buffer of fragments through views. Raises CodegenError KC4240 for other
    users."""
    for use in list(alloc.buffer.uses):
        view = use.operation
        if isinstance(view, LoadOp | StoreOp):
            continue
        if not isinstance(view, ViewOp):
            raise _not_tensorized(alloc, view)
        for user in list(view.result.uses):
            call = user.operation
            if not isinstance(call, CallOp) or call.callee.string_value() not in lanes:
                raise _not_tensorized(alloc, call)
            yield view, call, fragments_of(lanes[call.callee.string_value()])[user.index]


def _name(call: CallOp) -> str:
    return call.callee.string_value().removesuffix(".warp")


def _not_tensorized(
    alloc: AllocOp, user: Operation | None, detail: str | None = None
) -> CodegenError:
    scope = memory_scope(alloc.buffer)
    if user is None:
        why = "nothing uses it, and the uses determine the kind of its fragments"
    else:
        loops = [loop.label for loop in all_loops_around(user) if loop.axis is None]
        where = f" in loop {loops[-1]}" if loops else ""
        why = f'{user.name}{where} uses single elements of it, but a warp holds "{scope}" as tiles'
    if detail is not None:
        why = f"{why}; {detail}"
    return CodegenError(
        "KC4240",
        f"lower-fragments: {alloc.label} has uses other than tensor intrinsics",
        location=location_of(alloc if user is None else user),
        why=why,
        hints=[
            f"tensorize all writers and readers by intrinsics such as {_examples(scope)}",
            f'give {alloc.label} the scope "local"',
        ],
    )


def _examples(scope: str) -> str:
    if scope.startswith("wmma"):
        return "wmma_load_16x16x16_f16_a_shared and wmma_sync_16x16x16_f16f16f32"
    size = scope.partition(".")[0]
    if size.startswith("m64"):
        return f"wgmma_fill_{size}_f32 and wgmma_store_{size}_f32_global"
    return f"mma_load_{size}_f16_a_shared and mma_sync_{size}_f16f16f32"


def _require_whole(alloc: AllocOp, view: ViewOp, fragment: FragmentAttr) -> None:
    shape = alloc.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    index = IndexValues()
    for position, size in zip(view.positions, fragment.tile, strict=True):
        expr = index.compose(view.indices.data.results[position], view.operands_of_map)
        if shape[position] % size:
            why = f"dimension {position} of {alloc.label} has {shape[position]} elements"
        elif divisor(expr) % size:
            why = (
                f"a tile begins at multiples of {divisor(expr)} along dimension {position} of "
                f"{alloc.label}"
            )
        else:
            continue
        rows, columns = fragment.tile
        raise CodegenError(
            "KC4242",
            f"lower-fragments: {alloc.label} does not consist of tiles of {rows} x {columns}",
            location=location_of(view),
            why=f"{why}, must be a multiple of the tile size {size}",
            hints=[f"split the loop over it by {size}, and tensorize the inner loop"],
        )


def _require_warp(call: CallOp, lane: FuncOp) -> None:
    """Refuse (KC4243) a call that not all lanes of a warp reach, or not for the same tile."""
    together = max(
        (fragment.lanes for fragment in fragments_of(lane) if fragment is not None), default=WARP
    )
    warps = "a warp is" if together == WARP else f"{together // WARP} warps are"
    loops = [loop for loop in all_loops_around(call) if loop.axis == LANE_AXES[0]]
    count = loops[0].static_extent if loops else 1
    why = hint = None
    if count is None or count % together:
        number = "an unknown number of" if count is None else count
        why = f"there are {number} threads along threadIdx.x, and {warps} {together} threads"
        hint = f'bind a loop of {together} iterations to "threadIdx.x" where tiles are copied'
    else:
        values: list[SSAValue] = []
        for op in loop_tree.path_to(call):
            if op not in loops:
                values += op.operands
        values += [
            value
            for argument in call.arguments
            if isinstance(argument.owner, ViewOp)
            for value in argument.owner.operands_of_map
        ]
        if any(axis == LANE_AXES[0] for value in values for axis in axes_of(value)):
            why = "its tiles, or its execution, depend on threadIdx.x"
            each = "a warp" if together == WARP else f"{together // WARP} warps"
            hint = f'bind the loops around it to "threadIdx.y" or "threadIdx.z", {each} for each'
    if why is not None and hint is not None:
        raise CodegenError(
            "KC4243",
            f"lower-fragments: {_name(call)} is not executed by whole warps",
            location=location_of(call),
            why=why,
            hints=[hint],
        )


def _require_rows(call: CallOp, lane: FuncOp) -> None:
    """Refuse (KC4244) a tile whose rows lanes cannot load as a whole."""
    for argument, parameter in zip(call.arguments, lane.body.block.args, strict=True):
        view = argument.owner
        users = [use.operation for use in parameter.uses]
        whole = any(isinstance(user, ExtractAlignedPointerAsIndexOp) for user in users)
        if not isinstance(view, ViewOp) or not (
            whole or any(isinstance(user, ViewOp) for user in users)
        ):
            continue
        type_ = view.buffer.type
        assert isinstance(type_, MemRefType)
        element = type_.element_type
        assert isinstance(element, FixedBitwidthType)
        size = element.bitwidth // 8
        swizzle = swizzle_of(view.buffer)
        if swizzle is not None and (whole or swizzle.together * size < ROW_BYTES):
            assert isinstance(view.buffer.owner, AllocOp)
            at = location_of(call)
            raise separates(view.buffer.owner, _name(call), swizzle, at)
        index = IndexValues()
        strides = strides_of(type_)
        row = strides[view.positions[-2]]
        steps = [
            divisor(index.compose(expr, view.operands_of_map)) * (1 if stride is None else stride)
            for expr, stride in zip(view.indices.data.results, strides, strict=True)
        ]
        if known_alignment([*steps, 1 if row is None else row], size) < ROW_BYTES:
            apart = "an unknown number of" if row is None else row
            raise CodegenError(
                "KC4244",
                f"lower-fragments: rows of {buffer_name(view.buffer)} do not begin at multiples of "
                f"{ROW_BYTES} bytes",
                location=location_of(call),
                why=f"{_name(call)} takes {ROW_BYTES} bytes of a row at a time; rows are {apart} "
                f"elements of {size} bytes apart, and tiles begin at multiples of "
                f"{known_alignment(steps, size)} bytes",
                hints=[f"let the rows be multiples of {ROW_BYTES // size} elements apart"],
            )


# Descriptors ----------------------------------------------------------------------------------

ROWS = 8
"""The rows of a tile after which the pattern of a swizzle repeats."""

MOST_APART = 1 << 18
"""The first distance in bytes that a descriptor cannot express: it has 14 bits, in units of 16
bytes."""

_MODES = {128: 1, 64: 2, 32: 3}
"""Bytes of a row -> the code of the swizzle in a descriptor (PTX ISA, "Matrix Descriptor")."""


def _require_descriptors(call: CallOp, lane: FuncOp) -> Iterator[SSAValue]:
    """The buffers of the tiles that a call reads through descriptors. Raises CodegenError KC4248
    for a layout that a descriptor cannot express."""
    for argument, parameter in zip(call.arguments, lane.body.block.args, strict=True):
        tiles = [use.operation for use in parameter.uses if isinstance(use.operation, ViewOp)]
        descriptors = [
            (tile, user)
            for tile in tiles
            for use in tile.result.uses
            if isinstance(user := use.operation, MatrixDescriptorOp)
        ]
        if not descriptors:
            continue
        view = argument.owner
        assert isinstance(view, ViewOp)
        why = _not_described(view, [(tile, op.along.data) for tile, op in descriptors])
        if why is not None:
            raise _badly_laid_out(call, view, why)
        yield view.buffer


def _not_described(view: ViewOp, tiles: Sequence[tuple[ViewOp, str]]) -> str | None:
    """The reason why a descriptor cannot express the tiles of a part of a buffer; None if a
    descriptor can.
    """
    type_ = view.buffer.type
    assert isinstance(type_, MemRefType)
    size = _element_bytes(type_)
    strides = strides_of(type_)
    *panels, down, across = view.positions
    row = strides[down]
    if row is None or strides[across] != 1 or row * size not in _MODES:
        rows = "an unknown number of" if row is None else str(row * size)
        return f"its rows are {rows} bytes apart, not 32, 64 or 128"
    width = row * size
    swizzle = swizzle_of(view.buffer)
    if swizzle is None:
        return f"its rows of {width} bytes are not swizzled"
    linear = np.arange(swizzle.places.size).reshape(swizzle.places.shape) * size
    expected = linear ^ (linear >> 7 & (width // ROW_BYTES - 1)) << 4
    if (expected != swizzle.places * size).any():
        return f"{swizzle.text} is not the swizzle of rows of {width} bytes"
    if any((strides[panel] or 0) * size >= MOST_APART for panel in panels):
        return f"its panels are {MOST_APART} bytes apart or more"
    index = IndexValues()
    begins = [index.compose(expr, view.operands_of_map) for expr in view.indices.data.results]
    for dim, (begin, stride) in enumerate(zip(begins, strides, strict=True)):
        if dim != across and divisor(begin) * (stride or 0) * size % (ROWS * width):
            return (
                f"tiles begin at multiples of {divisor(begin)} along dimension {dim}, not of {ROWS}"
            )
    for tile, along in tiles:
        tile_type = tile.result.type
        assert isinstance(tile_type, MemRefType)
        wide = tile_type.get_shape()[-1] * size
        if along == "mn" and wide != width:
            return f"a tile has {wide} of the {width} bytes of a row, and must have all"
        if divisor(begins[across]) * size % wide:
            return f"tiles begin at multiples of {divisor(begins[across]) * size} bytes of a row"
    return None


def _badly_laid_out(call: CallOp, view: ViewOp, why: str) -> CodegenError:
    type_ = view.buffer.type
    assert isinstance(type_, MemRefType)
    size = _element_bytes(type_)
    *_, down, across = view.positions
    names = [f"i{n}" for n in range(type_.get_num_dims())]
    row = (type_.get_shape()[across]) * size
    hints = [f"make a row 32, 64 or 128 bytes long: up to {128 // size} elements"]
    if row in _MODES:
        each, pieces, repeat = ROW_BYTES // size, row // ROW_BYTES, 128 // row
        i, j = names[down], names[across]
        places = list(names)
        rows = f"{i} // {repeat}" if repeat > 1 else i
        places[across] = f"({j} // {each} ^ {rows} % {pieces}) * {each} + {j} % {each}"
        hints = [
            f"transform_layout of {buffer_name(view.buffer)} by lambda {', '.join(names)}: "
            f"[{', '.join(places)}]"
        ]
    return CodegenError(
        "KC4248",
        f"lower-fragments: {buffer_name(view.buffer)} is not laid out as {_name(call)} reads it",
        location=location_of(call),
        why=why,
        facts=["four warps read rows of 32, 64 or 128 bytes, eight after eight, each swizzled"],
        hints=hints,
    )


def _element_bytes(type_: MemRefType) -> int:
    element = type_.element_type
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth // 8


def _fence(buffers: Sequence[SSAValue], products: Sequence[CallOp]) -> None:
    """Add fences for threads that have written buffers which products read, between the writes and
    the barrier, and align the buffers as descriptors require.
    """
    readers = {
        call for call in products if any(_buffer_of(value) in buffers for value in call.arguments)
    }
    barriers: dict[Operation, None] = {}
    for buffer in buffers:
        assert isinstance(buffer.owner, AllocOp)
        buffer.owner.attributes[BEGINS_AT] = IntegerAttr(SWIZZLED_ALIGNMENT, i64)
        for write in _writes(buffer):
            for op in _waits(write) if ASYNC_COPY in write.attributes else [write]:
                barriers.setdefault(_last_before(op, readers))
    for place in barriers:
        fence = FenceProxyOp("async.shared", "cta")
        fence.location = place.location
        block = place.parent
        assert block is not None
        if isinstance(place, BarrierOp):
            block.insert_op_before(fence, place)
        else:
            block.insert_op_after(fence, place)


def _buffer_of(value: SSAValue) -> SSAValue:
    return value.owner.buffer if isinstance(value.owner, ViewOp) else value


def _writes(buffer: SSAValue) -> Iterator[Operation]:
    """The operations that write to a buffer: stores, and calls with a part of the buffer as an
    argument."""
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, ViewOp):
            calls = [user.operation for user in op.result.uses]
            yield from (
                call
                for call in calls
                if isinstance(call, CallOp)
                and ASYNC_COPY not in call.attributes  # on the path on which products read
                and any(writes and value is op.result for value, _, writes in call.accesses)
            )
        elif not isinstance(op, LoadOp):
            yield op


def _waits(copy: Operation) -> list[Operation]:
    """The operations at which threads of the kernel wait for their asynchronous copies."""
    kernel = [loop for loop in all_loops_around(copy) if loop.axis is not None][-1]
    return [op for op in kernel.walk() if isinstance(op, CpAsyncWaitGroupOp)]


def _last_before(op: Operation, readers: set[CallOp]) -> Operation:
    """The barrier after ``op``, or the outermost operation around ``op`` that contains no
    barrier.
    """

    def ends(place: Operation) -> bool:
        return any(isinstance(inner, BarrierOp) or inner in readers for inner in place.walk())

    place = op
    while True:
        after = place.next_op
        while after is not None and not ends(after):
            after = after.next_op
        if isinstance(after, BarrierOp):
            return after
        outer = place.parent_op()
        if after is not None or outer is None or ends(outer) or _is_launch(outer):
            return place
        place = outer


def _is_launch(op: Operation) -> bool:
    return not isinstance(op, ForOp | IfOp) or (isinstance(op, ForOp) and op.axis is not None)


# Registers ------------------------------------------------------------------------------------


def _unroll(held: _Held) -> None:
    """Unroll the loops over the tiles of a buffer, as a register cannot be selected by a computed
    number.
    """
    index = IndexValues()
    for access in (*held.views, *held.accesses):
        for expr in access.indices.data.results:
            composed = index.compose(expr, access.operands_of_map)
            for value in (index.roots[dim] for dim in dimensions(composed)):
                loop = value.owner.parent_op() if isinstance(value, BlockArgument) else None
                if isinstance(loop, ForOp) and loop.kind.data is ForKind.SERIAL:
                    loop.kind = ForKindAttr(ForKind.UNROLLED)


def _registers(held: _Held) -> AllocOp:
    """An allocation of the words that a lane holds of all tiles of a buffer, with one more
    dimension for the word.
    """
    type_ = held.alloc.buffer.type
    assert isinstance(type_, MemRefType)
    shape = list(type_.get_shape())
    for position, size in zip(held.positions, held.fragment.tile, strict=True):
        shape[position] //= size
    new = AllocOp(
        held.alloc.label,
        MemRefType(
            held.fragment.word_type,
            [*shape, held.fragment.words],
            memory_space=StringAttr("local"),
        ),
        [],
    )
    new.location = held.alloc.location
    new.buffer.name_hint = held.alloc.buffer.name_hint
    block = held.alloc.parent
    assert block is not None
    block.insert_op_before(new, held.alloc)
    return new


def _inline(call: CallOp, lane: FuncOp, held: dict[SSAValue, _Held]) -> None:
    """Replace a call by the body of ``lane``, the code of the callee for one lane."""
    values: dict[SSAValue, SSAValue] = {}
    words: dict[SSAValue, tuple[_Held, ViewOp]] = {}
    parameters = lane.body.block.args
    for argument, parameter in zip(call.arguments, parameters, strict=True):
        view = argument.owner
        if isinstance(view, ViewOp) and view.buffer in held:
            words[parameter] = held[view.buffer], view
        else:
            values[parameter] = argument
    ops = [op.clone(values) for op in lane.body.block.ops if not isinstance(op, ReturnOp)]
    for op in ops:
        if isinstance(op, ViewOp) and isinstance(op.buffer.owner, ViewOp):
            _to_part(op, op.buffer.owner)
    ops = [new for op in ops for new in _from_buffer(op)]
    for part in [op for op in ops if isinstance(op, ViewOp) and not op.result.uses]:
        ops.remove(part)
        part.erase()
    for op in ops:
        op.location = call.location
        if not isinstance(op, LoadOp | StoreOp):
            continue
        if op.buffer in words:
            _to_word(op, *words[op.buffer])
        elif isinstance(op.buffer.owner, ViewOp):
            _to_element(op, op.buffer.owner)
    block = call.parent
    assert block is not None
    block.insert_ops_before(ops, call)
    views = {argument.owner for argument in call.arguments}
    call.detach()
    call.erase()
    for view in views:
        if isinstance(view, ViewOp) and view.buffer not in held and not view.result.uses:
            view.detach()
            view.erase()


def _from_buffer(op: Operation) -> list[Operation]:
    """The replacement of ``op``: a query of the address of a view becomes a query of the address of
    its buffer.
    """
    if isinstance(op, MatrixDescriptorOp):
        return _descriptor(op)
    if not isinstance(op, ExtractAlignedPointerAsIndexOp | ExtractStridedMetaDataOp):
        return [op]
    (source,) = op.operands
    view = source.owner
    if not isinstance(view, ViewOp):
        return [op]
    if isinstance(op, ExtractAlignedPointerAsIndexOp):
        op.operands = [view.buffer]
        return [op]
    metadata = ExtractStridedMetaDataOp(view.buffer)
    new: list[Operation] = [metadata]

    def emit(maker: Operation) -> SSAValue:
        new.append(maker)
        return maker.results[0]

    type_ = view.buffer.type
    assert isinstance(type_, MemRefType)
    strides = [
        value if stride is None else emit(ConstantOp.from_int_and_width(stride, INDEX))
        for value, stride in zip(metadata.strides, strides_of(type_), strict=True)
    ]
    offset: SSAValue | None = None
    values = IndexValues()
    places = [values.compose(expr, view.operands_of_map) for expr in view.indices.data.results]
    swizzle = swizzle_of(view.buffer)
    if swizzle is not None:
        at = dict(enumerate(places))
        places = [values.simplify(substitute(expr, at)) for expr in swizzle.map.results]
    for expr, stride in zip(places, strides, strict=True):
        map_, operands = values.to_map([expr])
        index = emit(ApplyOp(map_.results[0], operands))
        step = emit(MuliOp(index, stride))
        offset = step if offset is None else emit(AddiOp(offset, step))
    assert offset is not None
    op.offset.replace_all_uses_with(offset)
    for result, position in zip(op.strides, view.positions, strict=True):
        result.replace_all_uses_with(strides[position])
    op.erase()
    return new


def _descriptor(op: MatrixDescriptorOp) -> list[Operation]:
    """The bits of the descriptor of a tile: 14 bits of the address without its last four bits, the
    distance from eight rows to the next eight, and the swizzle.
    """
    view = op.tile.owner
    assert isinstance(view, ViewOp)
    type_ = view.buffer.type
    assert isinstance(type_, MemRefType)
    size = _element_bytes(type_)
    strides = [stride or 0 for stride in strides_of(type_)]
    width = strides[view.positions[-2]] * size
    panels = strides[view.positions[-3]] * size if len(view.positions) == 3 else ROW_BYTES
    fields = _MODES[width] << 62 | (ROWS * width >> 4) << 32 | (panels >> 4) << 16
    new: list[Operation] = []

    def emit(maker: Operation) -> SSAValue:
        new.append(maker)
        return maker.results[0]

    def constant(number: int) -> SSAValue:
        return emit(ConstantOp(IntegerAttr(number, i64)))

    index = IndexValues()
    offset = AffineExpr.constant(0)
    for expr, stride in zip(view.indices.data.results, strides, strict=True):
        offset = offset + index.compose(expr, view.operands_of_map) * (stride * size)
    map_, operands = index.to_map([index.simplify(offset)])
    first = emit(ExtractAlignedPointerAsIndexOp.build(operands=[view.buffer], result_types=[INDEX]))
    place = emit(AddiOp(first, emit(ApplyOp(map_.results[0], operands))))
    address = emit(IndexCastOp(place, i64))
    short = emit(AndIOp(emit(ShRUIOp(address, constant(4))), constant(0x3FFF)))
    signed = fields - (1 << 64) if fields >> 63 else fields
    op.result.replace_all_uses_with(emit(OrIOp(short, constant(signed))))
    op.erase()
    return new


def _to_part(op: ViewOp, view: ViewOp) -> None:
    """Replace a part of a view by the same part of the buffer."""
    exprs = list(view.indices.data.results)
    for position, expr in zip(view.positions, _own(op, view), strict=True):
        exprs[position] = exprs[position] + expr
    operands = [*view.operands_of_map, *op.operands_of_map]
    map_, operands = compact(AffineMap(len(operands), 0, tuple(exprs)), operands)
    op.operands = [view.buffer, *operands]
    op.properties["indices"] = AffineMapAttr(map_)
    op.dims = DenseArrayBase.from_list(i64, [view.positions[n] for n in op.positions])


def _to_word(op: LoadOp | StoreOp, held: _Held, view: ViewOp) -> None:
    """Redirect an access to a word of a tile to that word of the buffer's registers."""
    assert held.memory is not None
    exprs = list(view.indices.data.results)
    for position, size in zip(view.positions, held.fragment.tile, strict=True):
        exprs[position] = exprs[position] // size
    _redirect(op, held.memory.buffer, view, [*exprs, *_own(op, view)])


def _to_element(op: LoadOp | StoreOp, view: ViewOp) -> None:
    """Redirect an access to an element of a view to that element of the buffer."""
    exprs = list(view.indices.data.results)
    for position, expr in zip(view.positions, _own(op, view), strict=True):
        exprs[position] = exprs[position] + expr
    _redirect(op, view.buffer, view, exprs)


def _own(op: LoadOp | StoreOp | ViewOp, view: ViewOp) -> list[AffineExpr]:
    """The indices of an access, with its operands numbered behind those of a view."""
    count = len(view.operands_of_map)
    shifted = [AffineExpr.dimension(count + n) for n in range(len(op.operands_of_map))]
    return [expr.replace_dims_and_symbols(shifted, []) for expr in op.indices.data.results]


def _redirect(
    op: LoadOp | StoreOp, buffer: SSAValue, view: ViewOp, exprs: Sequence[AffineExpr]
) -> None:
    operands = [*view.operands_of_map, *op.operands_of_map]
    map_, operands = compact(AffineMap(len(operands), 0, tuple(exprs)), operands)
    fixed = [buffer] if isinstance(op, LoadOp) else [op.value, buffer]
    op.operands = [*fixed, *operands]
    op.properties["indices"] = AffineMapAttr(map_)


def _erase_declarations(functions: dict[str, FuncOp], lanes: dict[str, FuncOp]) -> None:
    """Erase the called functions, their lane functions and their descriptions."""
    gone: dict[FuncOp, None] = {}  # functions may share a description
    for name, lane in lanes.items():
        described = functions[name].attributes.get("kc.description")
        gone.update(dict.fromkeys((functions[name], lane)))
        if isinstance(described, SymbolRefAttr) and described.string_value() in functions:
            gone[functions[described.string_value()]] = None
    for function in gone:
        function.detach()
        function.erase()
