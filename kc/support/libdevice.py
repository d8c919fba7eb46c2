"""The location of NVIDIA's libdevice: LLVM bitcode of functions such as exp and lgamma for its
GPUs.

It comes with the CUDA toolkit and in wheels (``pip install nvidia-nvvm``). It is not part of kc,
which computes these functions by its own arithmetic (``expand-math``) unless the target has
``-libs=libdevice``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from kc.support.environment import read
from kc.support.target import Target

LIBRARY = "libdevice"
"""The name of the library in ``-libs`` of a target."""

PREFIX = "__nv_"
"""The prefix of the names of libdevice's functions."""

_FILE = "libdevice.10.bc"
_IN_TOOLKIT = f"nvvm/libdevice/{_FILE}"
# Wheel -> the package in it, and the files there.
_WHEELS = {
    "nvidia": f"*/{_IN_TOOLKIT}",  # nvidia-nvvm, nvidia-cuda-nvcc-cu12
    "triton": f"backends/nvidia/lib/{_FILE}",
}
_DEFAULT_TOOLKIT = "/usr/local/cuda"


def uses_libdevice(target: Target) -> bool:
    """True if kernels call libdevice's functions."""
    return target.kind.name == "cuda" and LIBRARY in target.libs


def c_name(name: str) -> str:
    """The C library's name of a libdevice function; the name itself if there is none."""
    return name.removeprefix(PREFIX)


def places() -> Iterator[Path]:
    """The possible paths of the file, in search order: the toolkit in ``CUDA_HOME``, wheels, the
    toolkit of the nvcc in PATH, and the default directory of NVIDIA's installer.
    """
    home = read("CUDA_HOME")
    if home:
        yield Path(home) / _IN_TOOLKIT
    for package, pattern in _WHEELS.items():
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            yield from sorted(Path(folder).glob(pattern), reverse=True)
    compiler = shutil.which("nvcc")
    if compiler:
        yield Path(compiler).resolve().parent.parent / _IN_TOOLKIT
    yield Path(_DEFAULT_TOOLKIT) / _IN_TOOLKIT


def find_libdevice() -> Path | None:
    """The path of the file; None if it is not installed."""
    return next((place for place in places() if place.is_file()), None)
