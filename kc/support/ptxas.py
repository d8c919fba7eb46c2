"""NVIDIA's assembler, if it is installed, and the resources that it reports for each kernel of PTX.

``ptxas`` is part of the CUDA toolkit and of a wheel (``pip install nvidia-cuda-nvcc``). It needs no
GPU. kc works without it; registers and spills are then estimates
(:mod:`kc.analysis.gpu.ptx_registers`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from kc.support.environment import read

VARIABLE = "KC_PTXAS"
NONE = "none"
"""The value of the variable that disables the assembler."""

_IN_TOOLKIT = "bin/ptxas"
_DEFAULT_TOOLKIT = "/usr/local/cuda"
MOST_SECONDS = 60.0
"""The timeout of the assembler in seconds. After a timeout its numbers are unknown."""


@dataclass(frozen=True)
class AssembledKernel:
    """The numbers that the assembler reports for a kernel."""

    registers: int
    """The number of 32-bit registers per thread."""
    spilled: int
    """Bytes per thread that are spilled to memory for lack of registers."""


def find_ptxas() -> str | None:
    """The path of the assembler: ``KC_PTXAS``, else the first one in PATH, in the toolkit of
    ``CUDA_HOME``, in a wheel, or in the default directory of NVIDIA's installer. None if there is
    none, or if the variable is ``none``.
    """
    setting = read(VARIABLE)
    if setting:
        return None if setting == NONE else shutil.which(setting)
    return next(filter(None, map(shutil.which, map(str, _places()))), None)


def _places() -> Iterator[Path]:
    yield Path("ptxas")
    home = read("CUDA_HOME")
    if home:
        yield Path(home) / _IN_TOOLKIT
    spec = find_spec("nvidia")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        yield from sorted(Path(folder).glob(f"*/{_IN_TOOLKIT}"), reverse=True)
    yield Path(_DEFAULT_TOOLKIT) / _IN_TOOLKIT


def assembled(ptx: str) -> Mapping[str, AssembledKernel]:
    """The assembler's numbers for each kernel of PTX text, by name. Empty if there is no assembler
    or it refuses the text (an old one does not support every architecture).
    """
    assembler = find_ptxas()
    target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
    return {} if assembler is None or target is None else _assembled(assembler, target[1], ptx)


@lru_cache(maxsize=64)
def _assembled(assembler: str, arch: str, ptx: str) -> Mapping[str, AssembledKernel]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernels.ptx")
        source.write_text(ptx, encoding="utf-8")
        command = [assembler, "-v", f"-arch={arch}", str(source), "-o", str(Path(folder, "cubin"))]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=MOST_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired):
            return {}
    if done.returncode:
        return {}
    return dict(_kernels(done.stderr + done.stdout))


def _kernels(report: str) -> Iterator[tuple[str, AssembledKernel]]:
    for part in report.split("Compiling entry function '")[1:]:
        registers = re.search(r"Used (\d+) registers", part)
        spilled = re.search(r"(\d+) bytes spill stores", part)
        if registers is not None:
            count = int(spilled[1]) if spilled is not None else 0
            yield part.partition("'")[0], AssembledKernel(int(registers[1]), count)
