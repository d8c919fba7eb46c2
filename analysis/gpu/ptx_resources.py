"""The resources of a multiprocessor that a kernel uses, read from its PTX: registers and memory.

Memory is exact. The number of registers comes from the assembler, if it is installed
(:mod:`kc.support.ptxas`), or else from an estimate (:mod:`kc.analysis.gpu.ptx_registers`);
``benchmarks/ptx_resources.py`` compares both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kc.analysis.gpu.ptx_registers import (
    GRANULE,
    MOST_REGISTERS,
    TAKEN,
    estimated_registers,
    registers_as_written,
)
from kc.support.ptxas import assembled

if TYPE_CHECKING:
    from kc.analysis.gpu.kernel_accesses import KernelVerdicts


@dataclass(frozen=True)
class KernelResources:
    """The resources of one kernel."""

    name: str
    threads: int | None
    """Threads of a block; None if the launch decides."""
    most: int
    """The most registers that a thread can have with this block size."""
    registers: int
    """32-bit registers of a thread from the assembler, or an estimate."""
    shared: int
    """Bytes of static shared memory of a block."""
    local: int
    """Bytes of a thread's local memory: arrays with computed indices."""
    barriers: int
    """Number of barriers in the text."""
    shuffles: int
    """Number of lane exchanges in the text."""
    dynamic: int = 0
    """Bytes of dynamic shared memory, which the launch requests and the text does not state."""
    verdicts: KernelVerdicts | None = None
    """Verdicts on the kernel's accesses and barriers, if the program is available."""
    least: int = 0
    """An estimate of the number of registers below which a thread spills."""
    spilled_bytes: int | None = None
    """Bytes of a thread that the assembler spills; None if the assembler was not asked and the
    register count is an estimate.
    """

    @property
    def spilled(self) -> int:
        """The number of spilled registers, an estimate if the assembler was not asked.

        The assembler leaves the very last register unused.
        """
        if self.spilled_bytes is not None:
            return -(-self.spilled_bytes // 4)
        return max(self.least + 1 - self.most, 0)

    @property
    def registers_text(self) -> str:
        """The number of registers as text, with "about" for an estimate."""
        return f"{'about ' * (self.spilled_bytes is None)}{self.registers}"

    def __str__(self) -> str:
        threads = "threads by the launch" if self.threads is None else f"{self.threads} threads"
        parts = [threads, f"{self.registers_text} registers of {self.most}"]
        parts.append(f"{self.shared + self.dynamic} bytes shared")
        if self.local:
            parts.append(f"{self.local} bytes of a thread in memory")
        parts.append(f"{self.barriers} barrier{'s' * (self.barriers != 1)}")
        return f"{self.name}: {', '.join(parts)}"


def resources(ptx: str, registers_per_block: int = 65536) -> list[KernelResources]:
    """The kernels of PTX text, in its order; ``registers_per_block`` is the limit of the GPU.

    Registers and spills come from the assembler if it is installed.
    """
    kernels = estimated_resources(ptx, registers_per_block)
    assembled_kernels = assembled(ptx)
    for n, kernel in enumerate(kernels):
        if (reported := assembled_kernels.get(kernel.name)) is not None:
            kernels[n] = replace(
                kernel, registers=reported.registers, spilled_bytes=reported.spilled
            )
    return kernels


def estimated_resources(ptx: str, registers_per_block: int = 65536) -> list[KernelResources]:
    """The same as :func:`resources`, without the assembler."""
    arch = _architecture(ptx)
    kernels: list[KernelResources] = []
    for entry in _entries(ptx):
        most = entry.most_registers(registers_per_block)
        registers, least = estimated_registers(entry.body, arch, entry.sizes)
        kernels.append(
            KernelResources(
                entry.name,
                entry.threads,
                most,
                max(registers, least + 1) if least >= most else min(registers, most),
                _bytes(f"{_global_shared(ptx, entry.body)}\n{entry.body}", "shared"),
                _bytes(entry.body, "local"),
                len(re.findall(r"^\s*bar(?:rier)?\.(?:cta\.)?sync\b", entry.body, re.MULTILINE)),
                entry.body.count("shfl.sync"),
                least=least,
            )
        )
    return kernels


def fits_registers(ptx: str, registers_per_block: int = 65536) -> bool:
    """True if the kernels have no arrays in local memory and do not spill even in text order. In
    this case :func:`resources` reports no local memory.
    """
    if "\t.local " in ptx:
        return False
    arch = _architecture(ptx)
    return all(
        entry.declared + TAKEN <= most or registers_as_written(entry.body, arch, entry.sizes) < most
        for entry in _entries(ptx)
        for most in [entry.most_registers(registers_per_block)]
    )


def _architecture(ptx: str) -> int:
    target = re.search(r"^\.target sm_(\d+)", ptx, re.MULTILINE)
    return 80 if target is None else int(target[1])


@dataclass(frozen=True)
class _Entry:
    """A kernel in PTX text."""

    name: str
    directives: str
    body: str

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The thread block size; None if the launch decides."""
        sizes = re.search(r"\.(?:reqntid|maxntid) ([\d, ]+)", self.directives)
        return None if sizes is None else (*map(int, sizes[1].split(",")), 1, 1)[:3]

    @property
    def threads(self) -> int | None:
        return None if self.sizes is None else math.prod(self.sizes)

    @property
    def declared(self) -> int:
        """The number of registers if all declared registers were live at the same time."""
        declared = re.findall(r"\.reg \.(\w+)\s+%\w+<(\d+)>", self.body)
        return sum(_WIDTH_OF_KIND.get(kind, 1) * int(count) for kind, count in declared)

    def most_registers(self, registers_per_block: int) -> int:
        """The most registers that a thread can have."""
        most = MOST_REGISTERS
        if self.threads is not None:
            most = min(most, registers_per_block // max(self.threads, 1) // GRANULE * GRANULE)
        if limit := re.search(r"\.maxnreg (\d+)", self.directives):
            most = min(most, int(limit[1]))
        return max(most, GRANULE)


_WIDTH_OF_KIND: Mapping[str, int] = {"b64": 2, "b128": 4, "pred": 0}


def _entries(ptx: str) -> list[_Entry]:
    kernels = re.finditer(r"\.entry (\S+?)\(.*?\)([^{]*)\n\{\n(.*?)\n\}\n", ptx, re.DOTALL)
    return [_Entry(*kernel.groups()) for kernel in kernels]


def _bytes(text: str, space: str) -> int:
    """The bytes of the declarations in a memory space, with alignment."""
    total = 0
    declared = rf"^\s*\.{space}(?: \.align (\d+))? \.[a-z](\d+)\s+[\w$]+(?:\[(\d+)\])?;"
    for alignment, bits, count in re.findall(declared, text, re.MULTILINE):
        step = int(alignment or 1)
        total = -(-total // step) * step + int(bits) // 8 * int(count or 1)
    return total


def _global_shared(ptx: str, body: str) -> str:
    """The module-level declarations of shared memory that a kernel uses."""
    declared = re.findall(r"^(\.shared .*?([\w$]+)(?:\[\d+\])?;)$", ptx, re.MULTILINE)
    return "\n".join(line for line, name in declared if name in body)
