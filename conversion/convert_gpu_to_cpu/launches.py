"""The functions that run all blocks of a kernel, as text."""

from __future__ import annotations

import math
from collections.abc import Mapping

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
    """The function :data:`LAUNCH` that runs all blocks of a kernel; ``thread`` is what each thread
    runs, and :data:`THREAD` here."""
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
    is_one_piece = bool(kernel.products) or kernel.has_boxes
    memory, end = (_in_one_piece if is_one_piece else _apart)(kernel, shared)
    if module.check:
        memory.append("func.call @kc_emu_block(%number) : (index) -> ()")
        places = list(passed.items())[len(arguments) :]
        for slot, ((array, type_), granule) in enumerate(
            zip(places, kernel.granules, strict=True), len(arrays)
        ):
            memory += _watch(slot, array, type_, SHARED, granule)
        for slot, number in enumerate(kernel.maps, len(arrays) + len(places)):
            watched += _watch_map(slot, f"%arg{number}")
    passed |= dict.fromkeys((f"%{number}" for number in kernel.numbers), INDEX)
    start: list[str] = []
    if thread.function_type.outputs.data:
        run = "kc_emu_run_checked" if module.check else "kc_emu_run"
        words = {"%states": i32, "%lanes": i64}
        for array, element in {**words, "%threads": i64}.items():
            memory.append(f"{array} = memref.alloc(%count) : memref<?x{element}>")
        passed |= {array: MemRefType(type_, [DYNAMIC_INDEX]) for array, type_ in words.items()}
        forget: list[str] = []
        if kernel.has_events:
            memory += [
                f"%watched = arith.constant {int(module.check)} : i32",
                f"%events = func.call @kc_emu_new_block(%states, %count, %watched) : {NEW_BLOCK}",
            ]
            passed["%events"] = INDEX
            if is_one_piece:
                memory.append(
                    "func.call @kc_emu_shared(%events, %piece, %piece_size)"
                    " : (index, index, index) -> ()"
                )
            forget.append("func.call @kc_emu_end_block(%events) : (index) -> ()")
        else:
            memory.append("%events = arith.constant 0 : index")
        start += [
            "memref.store %ready, %states[%thread] : memref<?xi32>",
            f"%coroutine = {_call(passed)} -> !llvm.ptr",
            "%handle = llvm.ptrtoint %coroutine : !llvm.ptr to i64",
            "memref.store %handle, %threads[%thread] : memref<?xi64>",
        ]
        end = [
            "%step = llvm.mlir.addressof @kc_emu_step : !llvm.ptr",
            f"func.call @{run}(%threads, %states, %count, %step, %events) : ({RUN}) -> ()",
            *forget,
            "memref.dealloc %states : memref<?xi32>",
            "memref.dealloc %lanes : memref<?xi64>",
            "memref.dealloc %threads : memref<?xi64>",
            *end,
        ]
    else:
        start.append(f"{_call(passed)} -> ()")
    segments = "<{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>"
    loop = f'"scf.parallel"(%c0, %blocks, %c1) {segments} ({{ ^block(%number: index):'
    close = ["scf.reduce", "}) : (index, index, index) -> ()"]
    if module.check:  # one after the other
        loop, close = "scf.for %number = %c0 to %blocks step %c1 {", ["}"]
    lines = [
        f"func.func private @{LAUNCH}({', '.join(inputs)}) {{",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%ready = arith.constant 0 : i32",
        "%plane = arith.muli %grid_x, %grid_y : index",
        "%blocks = arith.muli %plane, %grid_z : index",
        "%layer = arith.muli %block_x, %block_y : index",
        "%count = arith.muli %layer, %block_z : index",
        *watched,
        loop,
        "%bid_x = arith.remui %number, %grid_x : index",
        "%row = arith.divui %number, %grid_x : index",
        "%bid_y = arith.remui %row, %grid_y : index",
        "%bid_z = arith.divui %row, %grid_y : index",
        *memory,
        *(start if kernel.is_serial else [*_FOR_EACH_THREAD, *start, "}", "}", "}"]),
        *end,
        *close,
        *(_FLUSH if kernel.prints else ()),
        "func.return",
        "}",
    ]
    return "\n".join(lines)


def _apart(kernel: Kernel, shared: Mapping[str, Attribute]) -> tuple[list[str], list[str]]:
    """The text that makes the memory of a block, an array at a time, and the text that ends it."""
    begin = [f"{array} = memref.alloc() : {type_}" for array, type_ in shared.items()]
    end = [f"memref.dealloc {array} : {type_}" for array, type_ in shared.items()]
    if kernel.dynamic:
        begin.append("%dynamic = memref.alloc(%dynamic_size) : memref<?xi8>")
        end.append("memref.dealloc %dynamic : memref<?xi8>")
    return begin, end


SWIZZLED = 1024
"""Bytes after which the places of elements in tiles of products repeat."""


def _in_one_piece(kernel: Kernel, shared: Mapping[str, Attribute]) -> tuple[list[str], list[str]]:
    """The same as a piece of memory, in which 18 bits say where something is.

    It begins at a multiple of :data:`SWIZZLED`. An array that does not say where it begins does so
    next to one, as it may on a GPU.
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
"""What every array of a block begins at a multiple of, in bytes."""

_FLUSH = (
    "%all = llvm.mlir.zero : !llvm.ptr",
    "%status = llvm.call @fflush(%all) : (!llvm.ptr) -> i32",
)
"""What was printed is seen when the launch is over."""

_FOR_EACH_THREAD = (
    "scf.for %tid_z = %c0 to %block_z step %c1 {",
    "scf.for %tid_y = %c0 to %block_y step %c1 {",
    "scf.for %tid_x = %c0 to %block_x step %c1 {",
    "%above = arith.muli %tid_z, %block_y : index",
    "%line = arith.addi %above, %tid_y : index",
    "%before = arith.muli %line, %block_x : index",
    "%thread = arith.addi %before, %tid_x : index",
)


def _call(passed: dict[str, Attribute]) -> str:
    types = ", ".join(map(str, passed.values()))
    return f"func.call @{THREAD}({', '.join(passed)}) : ({types})"


_POINTER_OF = '"memref.extract_aligned_pointer_as_index"'


def _watch(
    slot: int, array: str, type_: Attribute, scope: int, granule: int | None = None
) -> list[str]:
    """The text that says where an array is, and of how many bytes an element of it is."""
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
    """The text that says where the array of a map is, if no argument is that array."""
    name = f"{place}_w"
    return [
        f"{name}s = arith.constant {slot} : i32",
        f"{name}i = llvm.ptrtoint {place} : !llvm.ptr to i64",
        f"{name}p = arith.index_cast {name}i : i64 to index",
        f"func.call @kc_emu_tensor_buffer({name}s, {name}p) : (i32, index) -> ()",
    ]


def _dense_bytes(name: str, array: str, type_: MemRefType) -> tuple[list[str], str]:
    """The text that computes the bytes of a dense array, and its last value."""
    shape = type_.get_shape()
    known = element_size(type_) * math.prod(it for it in shape if it != DYNAMIC_INDEX)
    lines, last = [f"{name}0 = arith.constant {known} : index"], f"{name}0"
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
    """The text that computes the bytes from the first to the last element of an array with strides,
    and its last value."""
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
