"""What kernels in PTX take of a GPU: the text tells of memory and barriers, ptxas of registers."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kc.analysis.ptx_resources import resources
from kc.support.diagnostics import CodegenError


@dataclass(frozen=True)
class Resources:
    """What a kernel takes.

    ``shared`` are the bytes of static shared memory, and ``barriers`` and ``shuffles`` how many
    instructions of these there are. ``registers`` of 32 bits and ``spilled`` bytes are those of a
    thread, as CUDA's assembler has it; None where ptxas is not installed. ``estimated`` are the
    registers by :mod:`kc.analysis.ptx_resources`.
    """

    kernel: str
    shared: int
    barriers: int
    shuffles: int
    estimated: int
    registers: int | None
    spilled: int | None


_ENTRY = re.compile(r"\.visible \.entry (\w+)\(")
_ARCH = re.compile(r"\.target (\w+)")
_COMPILED = re.compile(
    r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores.*?Used (\d+) registers", re.DOTALL
)


def resources_of(ptx: str) -> tuple[Resources, ...]:
    """The resources of each kernel, in the order of the text.

    Raises CodegenError KC4368 where ptxas does not take the text.
    """
    parts = _ENTRY.split(ptx)
    shuffles = {
        kernel: body.count("shfl.sync")
        for kernel, body in zip(parts[1::2], parts[2::2], strict=True)
    }
    assembled = _assembled(ptx)
    return tuple(
        Resources(
            kernel.name,
            kernel.shared,
            kernel.barriers,
            shuffles.get(kernel.name, 0),
            kernel.registers,
            *assembled.get(kernel.name, (None, None)),
        )
        for kernel in resources(ptx)
    )


def _assembled(ptx: str) -> Mapping[str, tuple[int, int]]:
    """The registers of a thread, and the bytes that it spills, by the name of the kernel."""
    assembler, arch = shutil.which("ptxas"), _ARCH.search(ptx)
    if assembler is None or arch is None:
        return {}
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "kernels.ptx"
        file.write_text(ptx, encoding="utf-8")
        command = [assembler, f"-arch={arch[1]}", "-v", "-o", str(file.with_suffix(".cubin"))]
        done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CodegenError(
            "KC4368",
            "ptxas does not take the PTX",
            why=done.stderr.strip().splitlines()[0] if done.stderr.strip() else None,
            hints=["another release of CUDA's toolkit may know the architecture " + arch[1]],
        )
    return {
        kernel: (int(registers), int(spilled))
        for kernel, spilled, registers in _COMPILED.findall(done.stderr)
    }
