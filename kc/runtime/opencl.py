"""Kernels in OpenCL C on a device of this machine, by the system's OpenCL library.

The library and its devices are looked for when a kernel is first launched. The first GPU is used,
else the first device of any kind (PoCL: the CPU).

Diagnostics: KC6040 there is no device, KC6041 it refuses the source, KC6042 a launch does not fit
the device, KC6043 a call of the library fails.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kc.support.diagnostics import DeviceError
from kc.support.forks import fork_lock

# Names and numbers of cl.h (Khronos).
_GPU, _ANY = 1 << 2, 0xFFFFFFFF
_READ_WRITE, _COPY_HOST_PTR = 1 << 0, 1 << 5
_DEVICE_NAME, _MAX_GROUP, _MAX_ITEMS, _LOCAL_MEMORY = 0x102B, 0x1004, 0x1005, 0x1023
_BUILD_LOG, _KERNEL_LOCAL_MEMORY, _KERNEL_GROUP = 0x1183, 0x11B2, 0x11B0
_ERRORS = {
    -4: "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    -5: "CL_OUT_OF_RESOURCES",
    -6: "CL_OUT_OF_HOST_MEMORY",
    -11: "CL_BUILD_PROGRAM_FAILURE",
    -46: "CL_INVALID_KERNEL_NAME",
    -52: "CL_INVALID_KERNEL_ARGS",
    -54: "CL_INVALID_WORK_GROUP_SIZE",
    -55: "CL_INVALID_WORK_ITEM_SIZE",
    -61: "CL_INVALID_BUFFER_SIZE",
}


@dataclass(frozen=True, eq=False)
class Memory:
    """Memory of the device, and the host array that was uploaded to it."""

    handle: c_void_p
    array: np.ndarray


class Library:
    """The system's OpenCL library. Raises OSError if there is none."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libOpenCL.so.1")

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that returns an error code. Raises DeviceError KC6043."""
        code = self.try_call(name, *arguments)
        if code:
            raise _failed(name, code)

    def try_call(self, name: str, *arguments: Any) -> int:
        """Call a function and return its error code."""
        function = getattr(self._library, name)
        function.restype = c_int
        return function(*arguments)

    def make(self, name: str, *arguments: Any) -> c_void_p:
        """Call a function that returns an object. Raises DeviceError KC6043."""
        function = getattr(self._library, name)
        function.restype = c_void_p
        code = c_int(0)
        handle = function(*arguments, byref(code))
        if code.value or not handle:
            raise _failed(name, code.value)
        return c_void_p(handle)


def _failed(name: str, code: int) -> DeviceError:
    meaning = _ERRORS.get(code, "cl.h has its name")
    return DeviceError("KC6043", f"{name} of the OpenCL library failed: error {code} ({meaning})")


@cache
def find_device() -> Device | None:
    """The device that runs kernels; None if there is none."""
    try:
        library = Library()
    except OSError:
        return None
    count = c_uint(0)
    if library.try_call("clGetPlatformIDs", 0, None, byref(count)) or not count.value:
        return None
    platforms = (c_void_p * count.value)()
    library.call("clGetPlatformIDs", count, platforms, None)
    for kind in (_GPU, _ANY):
        for platform in platforms:
            device = c_void_p()
            arguments = (c_void_p(platform), c_uint64(kind), 1, byref(device), None)
            if not library.try_call("clGetDeviceIDs", *arguments) and device.value:
                return Device(library, device)
    return None


def require_device(what: str) -> Device:
    """The device that runs kernels. Raises DeviceError KC6040 if there is none; ``what`` needs
    it.
    """
    device = find_device()
    if device is None:
        raise DeviceError(
            "KC6040",
            f"{what} needs an OpenCL device, but there is none",
            why="libOpenCL.so.1 is not installed, or knows no device",
            hints=[
                "install the driver of the GPU, or PoCL, which runs kernels on the CPU "
                "(Debian: pocl-opencl-icd)",
                'module.get_source("opencl") is the source, for a program that has a device',
            ],
        )
    return device


class Device:
    """A device with a context and a queue, which runs one thing at a time."""

    def __init__(self, library: Library, device: c_void_p) -> None:
        self.library, self.id = library, device
        self.lock = fork_lock()
        self.context = library.make("clCreateContext", None, 1, byref(device), None, None)
        self.queue = library.make("clCreateCommandQueue", self.context, device, c_uint64(0))
        name = ctypes.create_string_buffer(256)
        library.call("clGetDeviceInfo", device, _DEVICE_NAME, c_size_t(256), name, None)
        self.name = name.value.decode(errors="replace")
        self.max_threads = self._size(_MAX_GROUP)
        self.max_shared = self._size(_LOCAL_MEMORY)
        sizes = (c_size_t * 3)()
        library.call(
            "clGetDeviceInfo", device, _MAX_ITEMS, c_size_t(ctypes.sizeof(sizes)), sizes, None
        )
        self.max_block = list(sizes)

    def _size(self, what: int) -> int:
        number = c_uint64(0)
        self.library.call("clGetDeviceInfo", self.id, what, c_size_t(8), byref(number), None)
        return number.value

    def upload(self, array: np.ndarray) -> Memory:
        """A copy of a dense array in the memory of the device."""
        size = max(array.nbytes, 1)
        flags = _READ_WRITE | (_COPY_HOST_PTR if array.nbytes else 0)
        start = c_void_p(array.ctypes.data) if array.nbytes else None
        handle = self.library.make(
            "clCreateBuffer", self.context, c_uint64(flags), c_size_t(size), start
        )
        return Memory(handle, array)

    def download(self, memory: Memory) -> None:
        """Copy memory of the device back to its array, when all kernels before have ended."""
        array = memory.array
        if array.nbytes:
            self.library.call(
                "clEnqueueReadBuffer", self.queue, memory.handle, c_uint(1), c_size_t(0),
                c_size_t(array.nbytes), c_void_p(array.ctypes.data), 0, None, None,
            )  # fmt: skip

    def finish(self) -> None:
        """Wait for all kernels."""
        self.library.call("clFinish", self.queue)

    def release(self, memory: Memory) -> None:
        """Free memory of the device."""
        self.library.call("clReleaseMemObject", memory.handle)


class Program:
    """Source that a device compiles at the first launch of a kernel."""

    def __init__(self, source: str, name: str) -> None:
        self.source, self.name = source, name
        self._kernels: dict[str, c_void_p] = {}
        self._program: c_void_p | None = None

    def launch(
        self,
        device: Device,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[Memory | bytes],
        shared_bytes: int | None = None,
    ) -> None:
        """Queue a launch of ``grid`` blocks of ``block`` threads, along x, y and z.

        ``shared_bytes`` is the size of shared memory that is the kernel's last argument.
        Raises DeviceError KC6041, KC6042, KC6043.
        """
        handle, library = self._kernel(device, kernel), device.library
        self._require_fit(device, handle, kernel, block, shared_bytes or 0)
        for n, argument in enumerate(arguments):
            if isinstance(argument, Memory):
                place: Any = argument.handle
                library.call(
                    "clSetKernelArg", handle, n, c_size_t(ctypes.sizeof(place)), byref(place)
                )
            else:
                size = c_size_t(len(argument))
                library.call("clSetKernelArg", handle, n, size, c_char_p(argument))
        if shared_bytes is not None:  # OpenCL has no memory of 0 bytes
            size = c_size_t(max(shared_bytes, 1))
            library.call("clSetKernelArg", handle, len(arguments), size, None)
        items = (c_size_t * 3)(*(count * size for count, size in zip(grid, block, strict=True)))
        sizes = (c_size_t * 3)(*block)
        library.call(
            "clEnqueueNDRangeKernel", device.queue, handle, 3, None, items, sizes, 0, None, None
        )

    def _kernel(self, device: Device, name: str) -> c_void_p:
        if name not in self._kernels:
            if self._program is None:
                self._program = self._compile(device)
            self._kernels[name] = device.library.make(
                "clCreateKernel", self._program, c_char_p(name.encode())
            )
        return self._kernels[name]

    def _compile(self, device: Device) -> c_void_p:
        library, text = device.library, c_char_p(self.source.encode())
        program = library.make("clCreateProgramWithSource", device.context, 1, byref(text), None)
        options = c_char_p(b"-cl-std=CL1.2")
        code = library.try_call("clBuildProgram", program, 1, byref(device.id), options, None, None)
        if code:
            log = ctypes.create_string_buffer(1 << 16)
            arguments = (program, device.id, _BUILD_LOG, c_size_t(len(log)), log, None)
            library.try_call("clGetProgramBuildInfo", *arguments)
            lines = [line.rstrip() for line in log.value.decode(errors="replace").splitlines()]
            raise DeviceError(
                "KC6041",
                f"{self.name}: {device.name} refuses the source of the kernels",
                facts=[line for line in lines if line][:6],
                why=f"clBuildProgram ended with error {code}",
                hints=['module.get_source("opencl") is the source'],
            )
        return program

    def _require_fit(
        self, device: Device, handle: c_void_p, kernel: str, block: Sequence[int], dynamic: int
    ) -> None:
        """Refuse (KC6042) a block with more threads or memory than the device supports."""
        used, most = c_uint64(0), c_size_t(0)
        for what, number in ((_KERNEL_LOCAL_MEMORY, used), (_KERNEL_GROUP, most)):
            size = c_size_t(ctypes.sizeof(number))
            device.library.call(
                "clGetKernelWorkGroupInfo", handle, device.id, what, size, byref(number), None
            )
        threads = block[0] * block[1] * block[2]
        limit = min(most.value, device.max_threads)
        wide = any(size > most for size, most in zip(block, device.max_block, strict=True))
        if threads > limit or wide:
            raise DeviceError(
                "KC6042",
                f"{kernel}: a block of {threads} threads, but {device.name} runs at most {limit}",
                facts=[f"threads along x, y and z: {', '.join(map(str, block))}"],
                why=f"along each axis the device has {', '.join(map(str, device.max_block))}",
                hints=[f"-max_threads_per_block={limit} of the target reports it while scheduling"],
            )
        total = used.value + dynamic
        if total > device.max_shared:
            raise DeviceError(
                "KC6042",
                f"{kernel}: {total} bytes of shared memory, but {device.name} has "
                f"{device.max_shared}",
                why="a block has the memory of one compute unit",
                hints=[
                    f"-max_shared_memory_per_block={device.max_shared} of the target reports it "
                    "while scheduling"
                ],
            )
