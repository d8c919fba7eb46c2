"""The functions of the emulator (``emulator.c``) that kernels and launches call, as text."""

from __future__ import annotations

from kc.conversion._foreign_calls import POINTERS
from kc.conversion.convert_gpu_to_cpu import SUSPEND

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
"""The functions that resume and end a thread."""


def _declaration(name: str, inputs: str = "", output: str = "") -> str:
    return f"func.func private @{name}({inputs}){output} attributes {{{POINTERS}}}"


RUN = "memref<?xi64>, memref<?xi32>, index, !llvm.ptr, index"
NEW_BLOCK = "(memref<?xi32>, index, i32) -> index"
RUNTIME = {
    SUSPEND: _declaration(SUSPEND),
    "kc_emu_run": _STEP + _declaration("kc_emu_run", RUN),
    "kc_emu_run_checked": _STEP + _declaration("kc_emu_run_checked", RUN),
    "printf": "llvm.func @printf(!llvm.ptr, ...) -> i32",
    "fflush": "llvm.func @fflush(!llvm.ptr) -> i32",
    "kc_emu_launch": _declaration("kc_emu_launch"),
    "kc_emu_fits": _declaration("kc_emu_fits", ", ".join(["index"] * 15), " -> i1"),
    "kc_emu_block": _declaration("kc_emu_block", "index"),
    "kc_emu_buffer": _declaration("kc_emu_buffer", "i32, index, index"),
    "kc_emu_new_block": _declaration("kc_emu_new_block", "memref<?xi32>, index, i32", " -> index"),
    "kc_emu_end_block": _declaration("kc_emu_end_block", "index"),
    "kc_emu_named": _declaration("kc_emu_named", "index, index, i32, i32, i32, i32"),
    "kc_emu_lanes": _declaration("kc_emu_lanes", "index, index, i32, i32"),
    "kc_emu_mbarrier": _declaration(
        "kc_emu_mbarrier", "index, index, i32, index, i32, i32", " -> i64"
    ),
    "kc_emu_phase": _declaration("kc_emu_phase", "index, index, index, i64, i32, i32, i32"),
    "kc_emu_is_complete": _declaration("kc_emu_is_complete", "index, index", " -> i32"),
    "kc_emu_spin": _declaration("kc_emu_spin", "index, index, i32, i32"),
    "kc_emu_spun": _declaration("kc_emu_spun", "index, index"),
    "kc_emu_copy": _declaration("kc_emu_copy", "index, index, index, index, i32, i32, i32, i32"),
    "kc_emu_commit": _declaration("kc_emu_commit", "index, index"),
    "kc_emu_copies_done": _declaration("kc_emu_copies_done", "index, index, i32"),
    "kc_emu_copies_arrive": _declaration("kc_emu_copies_arrive", "index, index, index, i32, i32"),
    "kc_emu_shared": _declaration("kc_emu_shared", "index, i32, index, index"),
    "kc_emu_new_cluster": _declaration("kc_emu_new_cluster", "index, i32"),
    "kc_emu_rank": _declaration("kc_emu_rank", "i32, index, index"),
    "kc_emu_arrive": _declaration("kc_emu_arrive", "index, index, i32"),
    "kc_emu_cluster": _declaration("kc_emu_cluster", "index, index, i32"),
    "kc_emu_mapa": _declaration("kc_emu_mapa", "index, index, index, i32, i32", " -> index"),
    "kc_emu_fence": _declaration("kc_emu_fence", "index, index"),
    "kc_emu_fence_mbarriers": _declaration("kc_emu_fence_mbarriers", "index, index"),
    "kc_emu_fence_registers": _declaration("kc_emu_fence_registers", "index, index"),
    "kc_emu_bulk": _declaration(
        "kc_emu_bulk", "index, index, index, index, i32, index, i32, i32, i32"
    ),
    "kc_emu_box": _declaration(
        "kc_emu_box",
        "index, index, index, index, index, " + ", ".join(["i32"] * 9),
    ),
    "kc_emu_tensor_map": _declaration(
        "kc_emu_tensor_map", ", ".join(["index", "index", *["i64"] * 15])
    ),
    "kc_emu_tensor_buffer": _declaration("kc_emu_tensor_buffer", "i32, index"),
    "kc_emu_bulk_commit": _declaration("kc_emu_bulk_commit", "index, index"),
    "kc_emu_bulk_done": _declaration("kc_emu_bulk_done", "index, index, i32, i32"),
    "kc_emu_group": _declaration("kc_emu_group", "index, index, i32"),
    "kc_emu_product": _declaration("kc_emu_product", "index, index, i64, i64, i32, i32, i32, i32"),
    "kc_emu_accumulate": _declaration("kc_emu_accumulate", "index, index, i64", " -> i64"),
    "kc_emu_register": _declaration("kc_emu_register", "index, index, i64, i32, i32", " -> i64"),
    "kc_emu_products_commit": _declaration("kc_emu_products_commit", "index, index"),
    "kc_emu_products_done": _declaration("kc_emu_products_done", "index, index, i32"),
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
    "kc_emu_access": _declaration("kc_emu_access", "i64, index, index, index, index", " -> i1"),
    "kc_emu_row_of": _declaration("kc_emu_row_of", "index, index, index", " -> index"),
    "kc_emu_access_at": _declaration("kc_emu_access_at", "i64, index, i1", " -> i1"),
}
"""The functions of the emulator (``emulator.c``)."""
