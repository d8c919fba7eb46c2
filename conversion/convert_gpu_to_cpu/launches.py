"""The functions that run all blocks of a kernel, as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    StridedLayoutAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute

from kc.conversion.convert_gpu_to_cpu.kernel import (
    GLOBAL,
    INDEX,
    SHARED,
    Kernel,
)
from kc.conversion.convert_gpu_to_cpu.module import EmulatedModule
from kc.conversion.convert_gpu_to_cpu.runtime import NEW_BLOCK, RUN
from kc.conversion.convert_to_llvm.memref import FIRST_ELEMENT
from kc.conversion.convert_to_llvm.types import element_size

LAUNCH, THREAD = "kc_launch", "kc_thread"
"""The functions of a kernel in its text."""


def launch_text(module: EmulatedModule, kernel: Kernel, thread: func.FuncOp) -> str:
    """The function :data:`LAUNCH` that runs all blocks of a kernel. ``thread`` is the thread
    function, called :data:`THREAD` in the text.
    """
    arguments = {f"%arg{n}": type_ for n, type_ in enumerate(kernel.arguments)}
    shared = {f"%shared{n}": type_ for n, type_ in enumerate(kernel.shared)}
    sizes = [f"%{what}_{axis}" for what in ("grid", "block") for axis in "xyz"]
    inputs = [*(f"{size}: index" for size in sizes), "%dynamic_size: index"]
    inputs += [f"{arg}: {type_}" for arg, type_ in arguments.items()]
    arrays = [arg for arg, type_ in arguments.items() if isinstance(type_, MemRefType)]
    watched: list[str] = []
    if module.check:
        watched.append("func.call @kc_emu_launch() : () -> ()")
        for slot, array in enumerate(arrays):
            watched += _watch(slot, array, arguments[array], GLOBAL)
    passed = {**arguments, **shared}
    if kernel.dynamic:
        passed["%dynamic"] = MemRefType(i8, [DYNAMIC_INDEX])
    is_one_piece = bool(kernel.products) or kernel.has_boxes or kernel.ranks > 1
    memory, end = (_in_one_piece if is_one_piece else _apart)(kernel, shared)
    begin: list[str] = []
    if module.check:
        # The blocks of a cluster run together; each allocates its memory in turn.
        (begin if kernel.ranks > 1 else memory).append(
            "func.call @kc_emu_block(%number) : (index) -> ()"
        )
        if kernel.ranks > 1:
            memory.append(
                "func.call @kc_emu_rank(%rank, %each, %behind) : (i32, index, index) -> ()"
            )
        places = list(passed.items())[len(arguments) :]
        for slot, ((array, type_), granule) in enumerate(
            zip(places, kernel.granules, strict=True), len(arrays)
        ):
            memory += _watch(slot, array, type_, SHARED, granule)
        for slot, number in enumerate(kernel.maps, len(arrays) + len(places)):
            watched += _watch_map(slot, f"%arg{number}")
    passed |= dict.fromkeys((f"%{number}" for number in kernel.numbers), INDEX)
    start: list[str] = []
    run: list[str] = []
    if thread.function_type.outputs.data:
        words = {"%states": i32, "%lanes": i64}
        for array, element in {**words, "%threads": i64}.items():
            begin.append(f"{array} = memref.alloc(%count) : memref<?x{element}>")
        passed |= {array: MemRefType(type_, [DYNAMIC_INDEX]) for array, type_ in words.items()}
        forget: list[str] = []
        if kernel.has_events:
            begin += [
                f"%watched = arith.constant {int(module.check)} : i32",
                f"%events = func.call @kc_emu_new_block(%states, %count, %watched) : {NEW_BLOCK}",
            ]
            if kernel.ranks > 1:
                begin += [
                    f"%ranks = arith.constant {kernel.ranks} : i32",
                    "func.call @kc_emu_new_cluster(%events, %ranks) : (index, i32) -> ()",
                ]
            passed["%events"] = INDEX
            if is_one_piece and kernel.ranks == 1:
                begin.append("%rank = arith.constant 0 : i32")
            if is_one_piece:
                (memory if kernel.ranks > 1 else begin).append(
                    "func.call @kc_emu_shared(%events, %rank, %piece, %piece_size)"
                    " : (index, i32, index, index) -> ()"
                )
            forget.append("func.call @kc_emu_end_block(%events) : (index) -> ()")
        else:
            begin.append("%events = arith.constant 0 : index")
        start += [
            "memref.store %ready, %states[%thread] : memref<?xi32>",
            f"%coroutine = {_call(passed)} -> !llvm.ptr",
            "%handle = llvm.ptrtoint %coroutine : !llvm.ptr to i64",
            "memref.store %handle, %threads[%thread] : memref<?xi64>",
        ]
        name = "kc_emu_run_checked" if module.check else "kc_emu_run"
        run = [
            "%step = llvm.mlir.addressof @kc_emu_step : !llvm.ptr",
            f"func.call @{name}(%threads, %states, %count, %step, %events) : ({RUN}) -> ()",
            *forget,
            "memref.dealloc %states : memref<?xi32>",
            "memref.dealloc %lanes : memref<?xi64>",
            "memref.dealloc %threads : memref<?xi64>",
        ]
    else:
        start.append(f"{_call(passed)} -> ()")
    is_cluster = kernel.ranks > 1
    each = _FOR_EACH_THREAD if not is_cluster else _FOR_EACH_THREAD_OF_CLUSTER
    threads = start if kernel.is_serial else [*each, *start, "}", "}", "}"]
    if is_cluster:
        head = _dims(kernel)
        body = _cluster(kernel, begin, [*memory, *threads], run, end)
    else:
        head = list(_COUNTS)
        body = [*_BLOCK_IDS, *memory, *begin, *threads, *run, *end]
    segments = "<{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>"
    loop = f'"scf.parallel"(%c0, %blocks, %c1) {segments} ({{ ^block(%number: index):'
    close = ["scf.reduce", "}) : (index, index, index) -> ()"]
    if module.check:  # blocks run one after the other
        loop, close = "scf.for %number = %c0 to %blocks step %c1 {", ["}"]
    if is_cluster:
        loop = loop.replace("%blocks", "%groups").replace("%number", "%group")
    lines = [
        f"func.func private @{LAUNCH}({', '.join(inputs)}) {{",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%ready = arith.constant 0 : i32",
        *head,
        *watched,
        loop,
        *body,
        *close,
        *(_FLUSH if kernel.prints else ()),
        "func.return",
        "}",
    ]
    return "\n".join(lines)


_COUNTS = (
    "%plane = arith.muli %grid_x, %grid_y : index",
    "%blocks = arith.muli %plane, %grid_z : index",
    "%layer = arith.muli %block_x, %block_y : index",
    "%count = arith.muli %layer, %block_z : index",
)
"""The numbers of blocks, and of threads per block."""

_BLOCK_IDS = (
    "%bid_x = arith.remui %number, %grid_x : index",
    "%row = arith.divui %number, %grid_x : index",
    "%bid_y = arith.remui %row, %grid_y : index",
    "%bid_z = arith.divui %row, %grid_y : index",
)
"""The coordinates of a block."""


def _dims(kernel: Kernel) -> list[str]:
    """The text that computes the number of clusters along each axis and in all, and the number of
    threads in a block and in a cluster.
    """
    lines: list[str] = []
    for axis, dim in zip("xyz", kernel.cluster, strict=True):
        lines += [
            f"%d_{axis} = arith.constant {dim} : index",
            f"%groups_{axis} = arith.divui %grid_{axis}, %d_{axis} : index",
        ]
    return [
        *lines,
        "%plane = arith.muli %groups_x, %groups_y : index",
        "%groups = arith.muli %plane, %groups_z : index",
        "%layer = arith.muli %block_x, %block_y : index",
        "%each = arith.muli %layer, %block_z : index",
        f"%together = arith.constant {kernel.ranks} : index",
        "%count = arith.muli %each, %together : index",
    ]


_GROUP_IDS = (
    "%gid_x = arith.remui %group, %groups_x : index",
    "%row = arith.divui %group, %groups_x : index",
    "%gid_y = arith.remui %row, %groups_y : index",
    "%gid_z = arith.divui %row, %groups_y : index",
)
"""The coordinates of a cluster."""


def _cluster(
    kernel: Kernel,
    begin: Sequence[str],
    block: Sequence[str],
    run: Sequence[str],
    end: Sequence[str],
) -> list[str]:
    """The text that runs a cluster. Its blocks have consecutive threads, and memory of their
    own.
    """
    dims = kernel.cluster
    places = [(x, y, z) for z in range(dims[2]) for y in range(dims[1]) for x in range(dims[0])]
    blocks: list[list[str]] = []
    for rank, place in enumerate(places):
        ids = [
            line
            for axis, at in zip("xyz", place, strict=True)
            for line in (
                f"%at_{axis} = arith.constant {at} : index",
                f"%from_{axis} = arith.muli %gid_{axis}, %d_{axis} : index",
                f"%bid_{axis} = arith.addi %from_{axis}, %at_{axis} : index",
            )
        ]
        blocks.append(
            [
                *ids,
                f"%rank = arith.constant {rank} : i32",
                f"%rank_index = arith.constant {rank} : index",
                "%first = arith.muli %each, %rank_index : index",
                "%planes = arith.muli %bid_z, %grid_y : index",
                "%rows = arith.addi %planes, %bid_y : index",
                "%until = arith.muli %rows, %grid_x : index",
                "%number = arith.addi %until, %bid_x : index",
                f"%behind = arith.subi %number, {_named('%number', 0)} : index",
                *block,
            ]
        )
    ends = [_of_rank(lines, rank, end) for rank, lines in enumerate(blocks)]
    first, *later = [_of_rank(lines, rank, lines) for rank, lines in enumerate(blocks)]
    at = first.index(next(line for line in first if line.startswith("%behind")))
    begins = [line.replace("%number", _named("%number", 0)) for line in begin]
    return [
        *_GROUP_IDS,
        *first[:at],
        *begins,
        *first[at:],
        *(line for lines in later for line in lines),
        *run,
        *(line for lines in ends for line in lines),
    ]


_NAME = re.compile(r"%\w+")


def _named(name: str, rank: int) -> str:
    return f"{name}_of_{rank}"


def _of_rank(defining: Sequence[str], rank: int, lines: Sequence[str]) -> list[str]:
    """``lines`` for one block of a cluster: names that ``defining`` defines get the block's rank as
    a suffix.
    """
    own = {
        name
        for line in defining
        if " = " in line
        for name in _NAME.findall(line.removeprefix("scf.for ").partition(" = ")[0])
    }

    def rename(match: re.Match[str]) -> str:
        return _named(match[0], rank) if match[0] in own else match[0]

    return [_NAME.sub(rename, line) for line in lines]


def _apart(kernel: Kernel, shared: Mapping[str, Attribute]) -> tuple[list[str], list[str]]:
    """The text that allocates the memory of a block array by array, and the text that frees it."""
    begin = [f"{array} = memref.alloc() : {type_}" for array, type_ in shared.items()]
    end = [f"memref.dealloc {array} : {type_}" for array, type_ in shared.items()]
    if kernel.dynamic:
        begin.append("%dynamic = memref.alloc(%dynamic_size) : memref<?xi8>")
        end.append("memref.dealloc %dynamic : memref<?xi8>")
    return begin, end


SWIZZLED = 1024
"""The period in bytes of the swizzled addresses of elements in tiles of products."""


def _in_one_piece(kernel: Kernel, shared: Mapping[str, Attribute]) -> tuple[list[str], list[str]]:
    """:func:`_apart` with one contiguous piece of memory, in which 18 bits address a byte.

    It begins at a multiple of :data:`SWIZZLED`. An array without a required alignment is
    deliberately misaligned to it, as it may be on a GPU.
    """
    offset = 0
    views: list[str] = []
    alignments = [bytes_ or 0 for bytes_ in (*kernel.alignments, kernel.dynamic_alignment)]
    for (array, type_), alignment in zip(shared.items(), kernel.alignments, strict=True):
        assert isinstance(type_, MemRefType)
        if alignment is None:
            offset = -(-offset // SWIZZLED) * SWIZZLED + UNALIGNED
        else:
            offset = -(-offset // alignment) * alignment
        size = element_size(type_) * math.prod(type_.get_shape())
        views += [
            f"{array}_o = arith.constant {offset} : index",
            f"{array}_f = arith.addi %piece_from, {array}_o : index",
            f"{array} = memref.view %memory[{array}_f][] : memref<?xi8> to {type_}",
        ]
        offset += size
    if kernel.dynamic:
        alignment = max(SWIZZLED, kernel.dynamic_alignment or 0)
        offset = -(-offset // alignment) * alignment
        offset += UNALIGNED if kernel.dynamic_alignment is None else 0
        views += [
            f"%dynamic_o = arith.constant {offset} : index",
            "%dynamic_f = arith.addi %piece_from, %dynamic_o : index",
            "%dynamic = memref.view %memory[%dynamic_f][%dynamic_size]"
            " : memref<?xi8> to memref<?xi8>",
        ]
    sum_ = (
        "arith.addi %piece_known, %dynamic_size"
        if kernel.dynamic
        else "arith.addi %piece_known, %c0"
    )
    begin = [
        f"%piece_known = arith.constant {offset} : index",
        f"%piece_size = {sum_} : index",
        f"%swizzled = arith.constant {max(SWIZZLED, *alignments)} : index",
        "%memory_size = arith.addi %piece_size, %swizzled : index",
        "%memory = memref.alloc(%memory_size) : memref<?xi8>",
        f"%memory_at = {_POINTER_OF}(%memory) : (memref<?xi8>) -> index",
        "%memory_past = arith.remui %memory_at, %swizzled : index",
        "%piece_from = arith.subi %swizzled, %memory_past : index",
        "%piece = arith.addi %memory_at, %piece_from : index",
        *views,
    ]
    return begin, ["memref.dealloc %memory : memref<?xi8>"]


UNALIGNED = 16
"""The alignment of every array of a block, in bytes."""

_FLUSH = (
    "%all = llvm.mlir.zero : !llvm.ptr",
    "%status = llvm.call @fflush(%all) : (!llvm.ptr) -> i32",
)
"""Flush printed text at the end of a launch."""

_FOR_EACH_THREAD = (
    "scf.for %tid_z = %c0 to %block_z step %c1 {",
    "scf.for %tid_y = %c0 to %block_y step %c1 {",
    "scf.for %tid_x = %c0 to %block_x step %c1 {",
    "%above = arith.muli %tid_z, %block_y : index",
    "%line = arith.addi %above, %tid_y : index",
    "%before = arith.muli %line, %block_x : index",
    "%thread = arith.addi %before, %tid_x : index",
)
_FOR_EACH_THREAD_OF_CLUSTER = (
    *_FOR_EACH_THREAD[:-1],
    "%own = arith.addi %before, %tid_x : index",
    "%thread = arith.addi %own, %first : index",
)


def _call(passed: dict[str, Attribute]) -> str:
    types = ", ".join(map(str, passed.values()))
    return f"func.call @{THREAD}({', '.join(passed)}) : ({types})"


_POINTER_OF = '"memref.extract_aligned_pointer_as_index"'


def _watch(
    slot: int, array: str, type_: Attribute, scope: int, granule: int | None = None
) -> list[str]:
    """The text that registers an array and the size of its elements."""
    assert isinstance(type_, MemRefType)
    name = f"{array}_w"
    size = element_size(type_)
    is_strided = isinstance(type_.layout, StridedLayoutAttr)
    lines, last = (_strided_bytes if is_strided else _dense_bytes)(name, array, type_)
    if type_.element_type == i8 and granule is not None:
        size = granule
    return [
        *lines,
        f"{name}s = arith.constant {slot | scope << 8 | size << 16} : i32",
        f"{name}p = {_POINTER_OF}({array}) {{{FIRST_ELEMENT}}} : ({type_}) -> index",
        f"func.call @kc_emu_buffer({name}s, {name}p, {last}) : (i32, index, index) -> ()",
    ]


def _watch_map(slot: int, place: str) -> list[str]:
    """The text that registers the array of a map, unless it is an argument."""
    name = f"{place}_w"
    return [
        f"{name}s = arith.constant {slot} : i32",
        f"{name}i = llvm.ptrtoint {place} : !llvm.ptr to i64",
        f"{name}p = arith.index_cast {name}i : i64 to index",
        f"func.call @kc_emu_tensor_buffer({name}s, {name}p) : (i32, index) -> ()",
    ]


def _dense_bytes(name: str, array: str, type_: MemRefType) -> tuple[list[str], str]:
    """The text that computes the size in bytes of a dense array, and the name of that value."""
    shape = type_.get_shape()
    static_bytes = element_size(type_) * math.prod(size for size in shape if size != DYNAMIC_INDEX)
    lines, last = [f"{name}0 = arith.constant {static_bytes} : index"], f"{name}0"
    for dim, extent in enumerate(shape, start=1):
        if extent == DYNAMIC_INDEX:
            lines += [
                f"{name}d{dim} = arith.constant {dim - 1} : index",
                f"{name}e{dim} = memref.dim {array}, {name}d{dim} : {type_}",
                f"{name}{dim} = arith.muli {last}, {name}e{dim} : index",
            ]
            last = f"{name}{dim}"
    return lines, last


def _strided_bytes(name: str, array: str, type_: MemRefType) -> tuple[list[str], str]:
    """The text that computes the bytes from the first to the last element of a strided array, and
    the name of that value.
    """
    rank = type_.get_num_dims()
    sizes = [f"{name}e{dim}" for dim in range(rank)]
    strides = [f"{name}t{dim}" for dim in range(rank)]
    scalar = MemRefType(type_.element_type, [])
    types = ", ".join([str(scalar), *(["index"] * (2 * rank + 1))])
    results = ", ".join([f"{name}m", f"{name}o", *sizes, *strides])
    lines = [
        f"{name}0 = arith.constant {element_size(type_)} : index",
        f"{results} = memref.extract_strided_metadata {array} : {type_} -> {types}",
        f"{name}one = arith.constant 1 : index",
    ]
    last = f"{name}one"
    for dim, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        lines += [
            f"{name}l{dim} = arith.subi {size}, {name}one : index",
            f"{name}f{dim} = arith.muli {name}l{dim}, {stride} : index",
            f"{name}a{dim} = arith.addi {last}, {name}f{dim} : index",
        ]
        last = f"{name}a{dim}"
    lines += [
        f"{name}b = arith.muli {last}, {name}0 : index",
        f"{name}none = arith.constant 0 : index",
        f"{name}c = arith.maxsi {name}b, {name}none : index",
    ]
    return lines, f"{name}c"
