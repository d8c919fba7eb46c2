"""The environment variables that kc reads. Each is declared here and read through :func:`read`.

``kc doctor`` lists the variables with their values; docs/environment.md describes them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from kc.support.diagnostics import InternalError


@dataclass(frozen=True)
class Variable:
    """A variable: its purpose, and in words its default."""

    name: str
    default: str
    meaning: str


VARIABLES = {
    variable.name: variable
    for variable in (
        Variable(
            "KC_NUM_THREADS",
            "the CPUs that the process may use",
            "the number of threads of a parallel loop, including the calling thread: an integer "
            "from 1; read at the first parallel loop, and by default schedules for the number of "
            "cores",
        ),
        Variable(
            "KC_CACHE_DIR",
            "no cache; for graphs kc in the folder of caches (XDG_CACHE_HOME, ~/.cache)",
            "the directory of the compile cache, which keeps the code of builds from one process "
            "to the next; none for no cache",
        ),
        Variable(
            "XDG_CACHE_HOME",
            "~/.cache",
            "the folder of caches, where the compile cache of graphs is",
        ),
        Variable(
            "KC_CACHE_SIZE",
            "512",
            "MiB that the compile cache may take; beyond that, the oldest entries are removed",
        ),
        Variable(
            "KC_RATES",
            "kc/rates.json in the folder of configurations (XDG_CONFIG_HOME, ~/.config)",
            "the file of measured rates of processors, which kc doctor --measure writes and "
            "the choice of default schedules uses; none for the built-in rates",
        ),
        Variable(
            "XDG_CONFIG_HOME",
            "~/.config",
            "the folder of configurations, where the file of measured rates is",
        ),
        Variable(
            "KC_DEBUG_INFO",
            "off",
            "debug information in compiled code, so that gdb and perf show the line of the tensor "
            "expression: anything but 0 is on",
        ),
        Variable(
            "KC_PERF",
            "off",
            "write /tmp/perf-PID.map for perf, with the names of compiled functions: anything but "
            "0 is on",
        ),
        Variable(
            "KC_BOUND_CHECKS",
            "off",
            "check every index of a compiled kernel, as the config key "
            "tir.instrument_bound_checkers does: anything but 0 is on",
        ),
        Variable(
            "KC_POISON_MEMORY",
            "off",
            "fill the buffers of kernels with subnormal numbers and signalling NaN before anything "
            "is stored to them, as the config key kc.poison_memory does: anything but 0 is on",
        ),
        Variable(
            "KC_CUDA",
            "bindings, ctypes and pycuda, the first that finds a GPU",
            "the launcher of kernels built for cuda: bindings (the package cuda-bindings), "
            "ctypes (the driver's library), pycuda, or emu, the emulator on the CPU",
        ),
        Variable(
            "CUDA_HOME",
            "wheels, the toolkit of nvcc in PATH, and /usr/local/cuda",
            "CUDA's toolkit: kernels that call functions of its libdevice are linked with it "
            "(-libs=libdevice)",
        ),
        Variable(
            "KC_PTXAS",
            "PATH, CUDA_HOME, wheels (nvidia-cuda-nvcc) and /usr/local/cuda",
            "NVIDIA's assembler, which gives the numbers of registers and spills of kernels: a "
            "path, "
            "or none for estimates",
        ),
        Variable(
            "CC",
            "cc, gcc or clang, the first in PATH",
            "the C compiler that links shared libraries and compiles the C target, with its flags",
        ),
        Variable(
            "KC_PROGRESS",
            "on",
            "show the progress of builds that take longer than 2 seconds, as a line on a terminal "
            "or a bar in a notebook: 0 is off",
        ),
        Variable("TERM", "a terminal", "a terminal that is dumb shows no progress"),
        Variable("NO_COLOR", "off", "no colours in diagnostics and shown IR (no-color.org)"),
        Variable(
            "FORCE_COLOR",
            "off",
            "colours even if the output is not a terminal (force-color.org); "
            "NO_COLOR takes precedence",
        ),
        Variable("COLUMNS", "those of the terminal", "the width of --help, at most 100"),
    )
}
"""Every variable, by name."""


def read(name: str) -> str:
    """The value of a declared variable; empty if it is not set."""
    if name not in VARIABLES:
        raise InternalError(f"the environment variable {name} is not declared")
    return os.environ.get(name, "")


def is_on(name: str) -> bool:
    """True if a switch is set to a value other than 0."""
    return read(name) not in ("", "0")
