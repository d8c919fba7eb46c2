"""Devices: where arrays live and kernels run.

Naming a device never fails because it is absent: that is an error (KC6201) only when something
must run on it.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

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


def device_name(device_type: int, device_id: object) -> str:
    """The text of a DLPack device, such as ``cuda(0)``."""
    return f"{DEVICE_NAMES.get(device_type, f'device type {device_type}')}({device_id})"


@dataclass(frozen=True, repr=False)
class Device:
    """A device: its DLPack ``device_type`` and its number among its kind.

    Facts about a CUDA device have TVM's names; for the CPU they are None. Raises DeviceError KC6201
    for a number that is no integer.
    """

    device_type: int
    device_id: int = 0

    def __post_init__(self) -> None:
        try:
            if isinstance(self.device_id, bool):
                raise TypeError
            object.__setattr__(self, "device_id", operator.index(self.device_id))
        except TypeError:
            name = device_name(self.device_type, repr(self.device_id))
            raise DeviceError(
                "KC6201",
                f"there is no device {name}",
                why=f"{self.device_id!r} is not an integer; the devices of a kind are numbered",
                hints=["kc.cuda(0)" if self.device_type == CUDA else "kc.cpu(0)"],
            ) from None

    def __repr__(self) -> str:
        return device_name(self.device_type, self.device_id)

    @property
    def exist(self) -> bool:
        """True if the device exists. Asking initialises the driver, not the device."""
        if self.device_type not in (CPU, CUDA):
            return False
        count = 1 if self.device_type == CPU else cuda_device_count()
        return 0 <= self.device_id < count

    def require(self) -> None:
        """Raise DeviceError KC6201 if the device does not exist."""
        if self.exist or self.device_type not in (CPU, CUDA):
            return
        facts, hints = ["the CPU is one device, cpu(0)"], ["kc.cpu(0)"]
        if self.device_type == CUDA:
            count = cuda_device_count()
            if count:
                last = f" to cuda({count - 1})" if count > 1 else ""
                facts, hints = [f"found: cuda(0){last}"], ["kc.cuda(0)"]
            else:
                from kc.runtime.gpu.driver import search

                seen = search()
                facts = list(seen.tried)
                hints = ["KC_CUDA=emu in the environment: an emulated one, on this CPU"]
                hints += [*seen.hints, "kc.cpu(0)"]
        raise DeviceError("KC6201", f"there is no device {self}", facts=facts, hints=hints)

    @property
    def gpu(self) -> Any:
        """The CUDA device itself (``kc.runtime.gpu.gpu.Gpu``). Raises DeviceError KC6201."""
        from kc.runtime.gpu.gpu import gpu_of

        self.require()
        if self.device_type != CUDA:
            raise DeviceError("KC6205", f"{self} has no streams", hints=["kc.cuda(0)"])
        return gpu_of(self.device_id, f"{self} is asked for")

    # Streams: handles of the CUDA driver; 0 is the default stream. Others raise KC6206.

    def sync(self, stream: int | None = None) -> None:
        """Wait for the work queued on the device, or in one stream; the CPU has no queue."""
        if self.device_type != CPU:
            self.gpu.synchronize(stream)

    def create_raw_stream(self) -> int:
        """A new stream, which does not wait for the default one. Raises KC6205 for the CPU."""
        return self.gpu.create_stream()

    def free_raw_stream(self, stream: int) -> None:
        """Wait for a stream of :meth:`create_raw_stream`, and destroy it. Raises KC6206 for another
        stream.
        """
        self.gpu.destroy_stream(stream)

    def set_raw_stream(self, stream: int) -> None:
        """Queue kernels, copies and allocations in this stream from now on, in all threads."""
        self.gpu.stream = stream

    def sync_stream_to_stream(self, first: int, then: int) -> None:
        """Order work queued in ``then`` from now on after the work queued in ``first``."""
        self.gpu.order(first, then)

    # Facts

    def _fact(self, name: str) -> Any:
        if self.device_type != CUDA:
            return None
        from kc.runtime.gpu.facts import FACTS

        return FACTS[name](self.gpu)

    @property
    def device_name(self) -> str | None:
        return self._fact("device_name")

    @property
    def compute_version(self) -> str | None:
        """The compute capability, such as ``"9.0"``."""
        return self._fact("compute_version")

    @property
    def max_threads_per_block(self) -> int | None:
        return self._fact("max_threads_per_block")

    @property
    def max_shared_memory_per_block(self) -> int | None:
        """The largest static shared memory of a block, in bytes. Dynamic memory may be larger."""
        return self._fact("max_shared_memory_per_block")

    @property
    def max_thread_dimensions(self) -> tuple[int, int, int] | None:
        """The largest number of threads of a block along x, y and z."""
        return self._fact("max_thread_dimensions")

    @property
    def multi_processor_count(self) -> int | None:
        return self._fact("multi_processor_count")

    @property
    def warp_size(self) -> int | None:
        return self._fact("warp_size")

    @property
    def max_clock_rate(self) -> int | None:
        """The maximal clock rate in kHz."""
        return self._fact("max_clock_rate")

    @property
    def total_global_memory(self) -> int | None:
        """The size of global memory in bytes."""
        return self._fact("total_global_memory")


def cuda_device_count() -> int:
    """The number of CUDA devices; 0 without a driver. Raises KC6030 as ``search`` does."""
    from kc.runtime.gpu.driver import search

    driver = search().driver
    return 0 if driver is None else driver.device_count()


def device(kind: str, index: int = 0) -> Device:
    """The device of a kind: ``cpu``, ``llvm``, ``cuda``, or ``cuda-emu``, which is the CPU.

    Options of a target are ignored.
    """
    name = kind.split(maxsplit=1)[0] if isinstance(kind, str) and kind.strip() else kind
    if name not in _KINDS:
        raise DeviceError(
            "KC6202",
            f"there is no kind of device {name!r}",
            hints=["the GPUs of NVIDIA are 'cuda'"]
            if name in ("gpu", "nvidia")
            else suggest(str(name), _KINDS, "kinds of device"),
        )
    return Device(_KINDS[name], index)


def enabled(target: str) -> bool:
    """True if kernels for a target (``"llvm -mcpu=..."``) can be built and run here."""
    from kc.runtime.opencl import find_device

    kind = target.split(maxsplit=1)[:1]
    return (
        kind in (["llvm"], ["c"], ["cpu"], ["cuda-emu"])
        or (kind == ["cuda"] and cuda_device_count() > 0)
        or (kind == ["opencl"] and find_device() is not None)
    )


def cpu(index: int = 0) -> Device:
    """The CPU."""
    return Device(CPU, index)


def cuda(index: int = 0) -> Device:
    """A CUDA GPU."""
    return Device(CUDA, index)
