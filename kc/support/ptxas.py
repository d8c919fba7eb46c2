"""NVIDIA's assembler, where it is installed: what it takes for each kernel of PTX.

``ptxas`` is in CUDA's toolkit and in a wheel (``pip install nvidia-cuda-nvcc``). It needs no GPU.
kc does without it: registers and spills are estimates then (:mod:`kc.analysis.gpu.ptx_registers`).
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
"""The value of the variable for which no assembler is used."""

_IN_TOOLKIT = "bin/ptxas"
_DEFAULT_TOOLKIT = "/usr/local/cuda"
MOST_SECONDS = 60.0
"""The most seconds that the assembler may take; after that, its numbers are unknown."""


@dataclass(frozen=True)
class AssembledKernel:
    """The numbers that the assembler reports for a kernel."""

    registers: int
    """32-bit registers of a thread."""
    spilled: int
    """Bytes of a thread that it stores in memory, as there are too few registers for them."""


def find_ptxas() -> str | None:
    """The path of the assembler: that of ``KC_PTXAS``, else the one in PATH, in the toolkit of
    ``CUDA_HOME``, in a wheel, or where NVIDIA's installer puts it. None where there is none, and
    where the variable is ``none``."""
    given = read(VARIABLE)
    if given:
        return None if given == NONE else shutil.which(given)
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
    """The numbers of the assembler for each kernel of PTX text, by name. Empty if there is no
    assembler, or it does not take the text (an old one does not know each architecture)."""
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


def _kernels(said: str) -> Iterator[tuple[str, AssembledKernel]]:
    for part in said.split("Compiling entry function '")[1:]:
        registers = re.search(r"Used (\d+) registers", part)
        spilled = re.search(r"(\d+) bytes spill stores", part)
        if registers is not None:
            count = int(spilled[1]) if spilled is not None else 0
            yield part.partition("'")[0], AssembledKernel(int(registers[1]), count)
