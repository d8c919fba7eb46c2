"""Devices: where arrays live and kernels run.

Naming a device never fails because it is absent: that is an error (KC6201) only when something
must run on it.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

from kc.support.diagnostics import DeviceError, suggest

CPU = 1
CUDA = 2

# DLPack's device types (TVM's are the same numbers).
DEVICE_NAMES = {
    1: "cpu",
    2: "cuda",
    3: "cuda_host",
    4: "opencl",
    7: "vulkan",
    8: "metal",
    9: "vpi",
    10: "rocm",
    11: "rocm_host",
    12: "ext_dev",
    13: "cuda_managed",
    14: "oneapi",
    15: "webgpu",
    16: "hexagon",
    17: "maia",
    18: "trn",
}
HOST_MEMORY = frozenset({1, 3, 11})
"""The device types whose memory a CPU kernel can use: ordinary and pinned host memory."""

_KINDS = {"cpu": CPU, "llvm": CPU, "cuda-emu": CPU, "cuda": CUDA}


def device_name(device_type: int, device_id: int) -> str:
    """How a DLPack device is written, such as ``cuda(0)``."""
    return f"{DEVICE_NAMES.get(device_type, f'device type {device_type}')}({device_id})"


@dataclass(frozen=True, repr=False)
class Device:
    """A device: its DLPack ``device_type`` and its number among its kind."""

    device_type: int
    device_id: int = 0

    def __repr__(self) -> str:
        return device_name(self.device_type, self.device_id)

    @property
    def exist(self) -> bool:
        """Whether the device is there; asking initialises the driver, not the device."""
        count = 1 if self.device_type == CPU else cuda_device_count()
        return 0 <= self.device_id < count

    def require(self) -> None:
        """Refuse (KC6201) to go on when the device is not there."""
        if self.exist:
            return
        if self.device_type == CPU:
            facts, hints = ["the CPU is one device, cpu(0)"], ["kc.cpu(0)"]
        else:
            count = cuda_device_count()
            available = "no CUDA device or driver" if not count else f"cuda(0) to cuda({count - 1})"
            facts, hints = [f"found: {available}"], ["kc.cpu(0)"]
        raise DeviceError("KC6201", f"{self} is not there", facts=facts, hints=hints)


@cache
def cuda_device_count() -> int:
    """How many CUDA devices the driver shows; 0 without a driver."""
    # Only here: it is slow to import.
    from ctypes.util import find_library

    name = find_library("cuda") or "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def device(kind: str, index: int = 0) -> Device:
    """The device of a kind: ``cpu``, ``llvm``, ``cuda``, or ``cuda-emu``, which is the CPU.

    Options of a target are ignored.
    """
    name = kind.split(maxsplit=1)[0] if isinstance(kind, str) and kind.strip() else kind
    if name not in _KINDS:
        raise DeviceError(
            "KC6202",
            f"there is no kind of device {name!r}",
            hints=suggest(str(name), _KINDS, "kinds of device"),
        )
    return Device(_KINDS[name], index)


def enabled(target: str) -> bool:
    """Whether kernels for a target (``"llvm -mcpu=..."``) can be built and run here."""
    return target.split(maxsplit=1)[:1] in (["llvm"], ["c"], ["cpu"], ["cuda-emu"])


def cpu(index: int = 0) -> Device:
    """The CPU."""
    return Device(CPU, index)


def cuda(index: int = 0) -> Device:
    """A CUDA GPU."""
    return Device(CUDA, index)
