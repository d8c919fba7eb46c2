"""The functions that run all blocks of a kernel, and those of the emulator, as text."""

from __future__ import annotations

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

from kc.conversion._foreign_calls import POINTERS
from kc.conversion.convert_gpu_to_cpu import SUSPEND
from kc.conversion.convert_gpu_to_cpu.kernel import (
    GLOBAL,
    INDEX,
    SHARED,
    Kernel,
)
from kc.conversion.convert_gpu_to_cpu.module import EmulatedModule
from kc.conversion.convert_to_llvm.types import element_size

_STEP = """
llvm.func internal @kc_emu_step(%thread: !llvm.ptr, %is_over: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %ends = llvm.icmp "ne" %is_over, %zero : i32
  llvm.cond_br %ends, ^destroy, ^resume
^resume:
  llvm.call_intrinsic "llvm.coro.resume"(%thread) : (!llvm.ptr) -> ()
  llvm.return
^destroy:
  llvm.call_intrinsic "llvm.coro.destroy"(%thread) : (!llvm.ptr) -> ()
  llvm.return
}
"""
"""What a thread is resumed and ended by."""


def _declaration(name: str, inputs: str = "", output: str = "") -> str:
    return f"func.func private @{name}({inputs}){output} attributes {{{POINTERS}}}"


_RUN = "memref<?xi64>, memref<?xi32>, index, !llvm.ptr, index"
_NEW_BLOCK = "(memref<?xi32>, index, i32) -> index"
RUNTIME = {
    SUSPEND: _declaration(SUSPEND),
    "kc_emu_run": _STEP + _declaration("kc_emu_run", _RUN),
    "kc_emu_run_checked": _STEP + _declaration("kc_emu_run_checked", _RUN),
    "printf": "llvm.func @printf(!llvm.ptr, ...) -> i32",
    "fflush": "llvm.func @fflush(!llvm.ptr) -> i32",
    "kc_emu_launch": _declaration("kc_emu_launch"),
    "kc_emu_block": _declaration("kc_emu_block", "index"),
    "kc_emu_buffer": _declaration("kc_emu_buffer", "i32, index, index, index, i32"),
    "kc_emu_new_block": _declaration("kc_emu_new_block", "memref<?xi32>, index, i32", " -> index"),
    "kc_emu_end_block": _declaration("kc_emu_end_block", "index"),
    "kc_emu_named": _declaration("kc_emu_named", "index, index, i32, i32, i32, i32"),
    "kc_emu_lanes": _declaration("kc_emu_lanes", "index, index, i32, i32"),
    "kc_emu_mbarrier": _declaration(
        "kc_emu_mbarrier", "index, index, i32, index, i32, i32", " -> i64"
    ),
    "kc_emu_phase": _declaration("kc_emu_phase", "index, index, index, i64, i32, i32, i32"),
    "kc_emu_is_complete": _declaration("kc_emu_is_complete", "index, index", " -> i32"),
    "kc_emu_copy": _declaration("kc_emu_copy", "index, index, index, index, i32, i32, i32, i32"),
    "kc_emu_commit": _declaration("kc_emu_commit", "index, index"),
    "kc_emu_copies_done": _declaration("kc_emu_copies_done", "index, index, i32"),
    "kc_emu_copies_arrive": _declaration("kc_emu_copies_arrive", "index, index, index, i32, i32"),
    "kc_emu_leave": _declaration("kc_emu_leave", "index, index, i32, i64"),
    "kc_emu_row": _declaration("kc_emu_row", "index, index, index, i32, i32, i32"),
    "kc_emu_matrix_load": _declaration("kc_emu_matrix_load", "index, index, i32, i32", " -> i32"),
    "kc_emu_matrix_store": _declaration("kc_emu_matrix_store", "index, index, i32, i32, i32"),
    "kc_emu_mma": _declaration("kc_emu_mma", "index, index, i32, i32, i32, i64", " -> i64"),
    "kc_emu_wmma_load": _declaration(
        "kc_emu_wmma_load", "index, index, index, i32, i32, i32, i32, i32, i32", " -> i64"
    ),
    "kc_emu_wmma_store": _declaration(
        "kc_emu_wmma_store", "index, index, index, i32, i32, i32, i32, i32, i32, i64"
    ),
    "kc_emu_pointer": _declaration("kc_emu_pointer", "index, index, index, i32, i32", " -> i32"),
    "kc_emu_access": _declaration("kc_emu_access", "i32, index, index, index, i32, i32", " -> i32"),
}
"""The functions of the emulator (``emulator.c``)."""


def launch_text(module: EmulatedModule, kernel: Kernel, thread: func.FuncOp, name: str) -> str:
    """The function that runs all blocks of a kernel; ``thread`` is what each thread runs."""
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
    memory = [f"{array} = memref.alloc() : {type_}" for array, type_ in shared.items()]
    end = [f"memref.dealloc {array} : {type_}" for array, type_ in shared.items()]
    passed = {**arguments, **shared}
    if kernel.dynamic:
        passed["%dynamic"] = MemRefType(i8, [DYNAMIC_INDEX])
        memory.append("%dynamic = memref.alloc(%dynamic_size) : memref<?xi8>")
        end.append("memref.dealloc %dynamic : memref<?xi8>")
    if module.check:
        memory.append("func.call @kc_emu_block(%number) : (index) -> ()")
        places = list(passed.items())[len(arguments) :]
        for slot, ((array, type_), granule) in enumerate(
            zip(places, kernel.granules, strict=True), len(arrays)
        ):
            memory += _watch(slot, array, type_, SHARED, granule)
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
                f"%events = func.call @kc_emu_new_block(%states, %count, %watched) : {_NEW_BLOCK}",
            ]
            passed["%events"] = INDEX
            forget.append("func.call @kc_emu_end_block(%events) : (index) -> ()")
        else:
            memory.append("%events = arith.constant 0 : index")
        start += [
            "memref.store %ready, %states[%thread] : memref<?xi32>",
            f"%coroutine = {_call(thread, passed)} -> !llvm.ptr",
            "%handle = llvm.ptrtoint %coroutine : !llvm.ptr to i64",
            "memref.store %handle, %threads[%thread] : memref<?xi64>",
        ]
        end = [
            "%step = llvm.mlir.addressof @kc_emu_step : !llvm.ptr",
            f"func.call @{run}(%threads, %states, %count, %step, %events) : ({_RUN}) -> ()",
            *forget,
            "memref.dealloc %states : memref<?xi32>",
            "memref.dealloc %lanes : memref<?xi64>",
            "memref.dealloc %threads : memref<?xi64>",
            *end,
        ]
    else:
        start.append(f"{_call(thread, passed)} -> ()")
    segments = "<{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>"
    loop = f'"scf.parallel"(%c0, %blocks, %c1) {segments} ({{ ^block(%number: index):'
    close = ["scf.reduce", "}) : (index, index, index) -> ()"]
    if module.check:  # one after the other
        loop, close = "scf.for %number = %c0 to %blocks step %c1 {", ["}"]
    lines = [
        f"func.func private @{name}({', '.join(inputs)}) {{",
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


def _call(thread: func.FuncOp, passed: dict[str, Attribute]) -> str:
    types = ", ".join(map(str, passed.values()))
    return f"func.call @{thread.sym_name.data}({', '.join(passed)}) : ({types})"


_POINTER_OF = '"memref.extract_aligned_pointer_as_index"'


def _watch(
    slot: int, array: str, type_: Attribute, scope: int, granule: int | None = None
) -> list[str]:
    """The text that says where an array is, and of how many bytes an element of it is."""
    assert isinstance(type_, MemRefType)
    name = f"{array}_w"
    size = element_size(type_)
    lines = [f"{name}0 = arith.constant {size} : index"]
    is_strided = isinstance(type_.layout, StridedLayoutAttr)
    more, last = (_strided_bytes if is_strided else _dense_bytes)(name, array, type_)
    lines += more
    if type_.element_type == i8 and granule is not None:
        size = granule
    return [
        *lines,
        f"{name}s = arith.constant {slot} : i32",
        f"{name}g = arith.constant {size} : index",
        f"{name}k = arith.constant {scope} : i32",
        f"{name}p = {_POINTER_OF}({array}) : ({type_}) -> index",
        f"func.call @kc_emu_buffer({name}s, {name}p, {last}, {name}g, {name}k) : "
        "(i32, index, index, index, i32) -> ()",
    ]


def _dense_bytes(name: str, array: str, type_: MemRefType) -> tuple[list[str], str]:
    """The text that computes the bytes of a dense array, and its last value."""
    lines: list[str] = []
    last = f"{name}0"
    for dim, extent in enumerate(type_.get_shape(), start=1):
        if extent == DYNAMIC_INDEX:
            lines.append(f"{name}d{dim} = arith.constant {dim - 1} : index")
            lines.append(f"{name}e{dim} = memref.dim {array}, {name}d{dim} : {type_}")
        else:
            lines.append(f"{name}e{dim} = arith.constant {extent} : index")
        lines.append(f"{name}{dim} = arith.muli {last}, {name}e{dim} : index")
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
