"""The emulator of GPUs, as LLVM IR: in process and inside exported libraries.

The head of ``emulator/emulator.c`` explains how the emulator works; ``make native`` compiles this
file to the text beside it. The emulator calls libc alone.
"""

from pathlib import Path

SYMBOLS = (
    "kc_emu_run",
    "kc_emu_run_checked",
    "kc_emu_deadlocks",
    "kc_emu_fits",
    "kc_emu_refused",
    "kc_emu_new_block",
    "kc_emu_end_block",
    "kc_emu_named",
    "kc_emu_lanes",
    "kc_emu_mbarrier",
    "kc_emu_phase",
    "kc_emu_is_complete",
    "kc_emu_spin",
    "kc_emu_spun",
    "kc_emu_copy",
    "kc_emu_commit",
    "kc_emu_copies_done",
    "kc_emu_copies_arrive",
    "kc_emu_shared",
    "kc_emu_new_cluster",
    "kc_emu_rank",
    "kc_emu_arrive",
    "kc_emu_cluster",
    "kc_emu_mapa",
    "kc_emu_fence",
    "kc_emu_fence_mbarriers",
    "kc_emu_fence_registers",
    "kc_emu_bulk",
    "kc_emu_box",
    "kc_emu_encode",
    "kc_emu_tensor_map",
    "kc_emu_tensor_buffer",
    "kc_emu_bulk_commit",
    "kc_emu_bulk_done",
    "kc_emu_group",
    "kc_emu_product",
    "kc_emu_accumulate",
    "kc_emu_register",
    "kc_emu_products_commit",
    "kc_emu_products_done",
    "kc_emu_leave",
    "kc_emu_row",
    "kc_emu_matrix_load",
    "kc_emu_matrix_store",
    "kc_emu_mma",
    "kc_emu_wmma_load",
    "kc_emu_wmma_store",
    "kc_emu_pointer",
    "kc_emu_begin",
    "kc_emu_end",
    "kc_emu_launch",
    "kc_emu_block",
    "kc_emu_buffer",
    "kc_emu_access",
    "kc_emu_row_of",
    "kc_emu_access_at",
    "kc_emu_findings",
    "kc_emu_costs",
    "kc_emu_writer",
)
"""The public functions of the emulator."""


def emulator_text() -> str:
    """The emulator as the text of an LLVM module, for any triple."""
    file = Path(__file__).with_name("emulator") / "emulator.ll"
    return file.read_text(encoding="utf-8")


def emulator_ir(triple: str) -> str:
    """The emulator as the text of an LLVM module for ``triple``."""
    return f'target triple = "{triple}"\n\n{emulator_text()}'
