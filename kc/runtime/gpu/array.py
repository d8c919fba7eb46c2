"""Arrays in the memory of a device.

The numpy array in the first slot has the shape and the dtype of the array, and the address on the
device: generated call code reads them there as it does on the CPU. Nothing reads its elements.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from kc.runtime.array import NDArray, array, copy_source, element_type
from kc.runtime.device import CUDA, Device
from kc.runtime.gpu.gpu import LEGACY_STREAM, Gpu, gpu_of
from kc.runtime.gpu.sharing import export, interface_stream, shared_operand
from kc.runtime.operand import Refused
from kc.support.diagnostics import CallError, KCError


class DeviceArray(NDArray):
    """An array on a device; made by :func:`kc.nd.array`, ``empty`` and ``from_dlpack``.

    Each device has a class of its own (:func:`array_type`), so that one comparison tells generated
    code where an array is. ``owner`` is what owns the memory where that is not the array.
    """

    __slots__ = ("__weakref__", "_owner", "_readonly", "_shared")

    gpu: ClassVar[Gpu]

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        dtype: str,
        owner: Any = None,
        *,
        readonly: bool = False,
    ) -> None:
        self._owner = owner
        self._readonly = readonly
        self._shared = False
        _, element = element_type(dtype)
        super().__init__(_described(address, shape, element), Device(CUDA, self.gpu.number), dtype)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if is_finalizing():  # the names of modules may be gone; the driver gives the memory back
            return
        owner = getattr(self, "_owner", self)
        if owner is None:
            self.gpu.free(self.address, shared=self._shared)
        elif owner is not self:
            with contextlib.suppress(KCError):  # the process, or the context, is at its end
                self.gpu.keep(owner)

    def __copy__(self) -> DeviceArray:
        """An array of the same memory, as of an array on the CPU."""
        self._shared = True
        return type(self)(self.address, self.shape, self.dtype, self, readonly=self._readonly)

    def __deepcopy__(self, memo: Any) -> DeviceArray:
        """An array of the same values, copied on the device."""
        del memo
        copy = empty_on(self.gpu, self.shape, self.dtype)
        copy.copyfrom(self)
        return copy

    def __reduce__(self) -> Any:
        return array, (self.numpy(), self.device, self.dtype)

    @property
    def address(self) -> int:
        """The address on the device; 0 if there are no elements."""
        return self._array.__array_interface__["data"][0] if self._array.size else 0

    def _part_hint(self, index: str) -> str:
        return f"y = x.numpy(), then y[{index}] = value, then x[:] = y"

    def numpy(self) -> Any:
        """A copy in host memory, made after all work queued before."""
        import numpy as np

        copy = np.empty(self.shape, self._array.dtype)
        self.gpu.copy_out(copy.ctypes.data, self.address, copy.nbytes)
        return copy

    asnumpy = numpy

    def copyfrom(self, source: Any) -> DeviceArray:
        """Overwrite with ``source``: an array of the same shape, converted to this dtype.

        From an array on this device without the host in between, if the dtypes are the same.
        """
        import numpy as np

        if self._readonly:
            raise CallError(
                "KC5125",
                "copy: the array is read-only",
                facts=[repr(self).split("\n")[0]],
                why="it shares the memory of an array that may not be written",
                hints=["copy into kc.nd.empty(shape, dtype, device)"],
            )
        if isinstance(source, DeviceArray) and source.dtype == self.dtype:
            self._require_shape(source.shape)
            if source.gpu is self.gpu:
                self.gpu.copy(self.address, source.address, self._array.nbytes)
                return self
        values = copy_source(source, self.dtype)
        self._require_shape(values.shape)
        host = np.ascontiguousarray(values, dtype=self._array.dtype)
        self.gpu.copy_in(self.address, host.ctypes.data, host.nbytes)
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise CallError(
            "KC5133",
            f"numpy cannot share the memory of an array on {self.device}",
            why="it is not host memory",
            hints=["x.numpy() is a copy"],
        )

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self._shared = True
        return {
            "shape": self.shape,
            "typestr": self._array.dtype.str,
            "data": (self.address, self._readonly),
            "strides": None,
            "version": 3,
            "stream": interface_stream(self.gpu.stream),
        }

    def __dlpack__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule that shares the memory. The consumer's ``stream`` waits for queued work.
        Raises BufferError for another device, or if a copy is requested.
        """
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.device}; x.copyto(device) is a copy")
        if copy:
            raise BufferError("the array shares its memory; x.copyto(x.device) is a copy")
        if stream != -1:
            consumer = LEGACY_STREAM if stream in (None, 1) else stream
            self.gpu.order(self.gpu.stream, consumer)
        self._shared = True
        return export(self, max_version, readonly=self._readonly)

    def __len__(self) -> int:
        return len(self._array)

    def __repr__(self) -> str:
        return f"<kc.nd.NDArray shape={self.shape}, {self._device}>\n{self.numpy()!r}"


def _described(address: int, shape: tuple[int, ...], element: Any) -> Any:
    """A numpy array of elements at an address, without access to the memory."""
    import numpy as np

    size = element.itemsize
    for extent in shape:
        size *= extent
    if size == 0:
        return np.empty(shape, element)
    memory = (ctypes.c_uint8 * size).from_address(address)
    return np.ndarray(shape, element, memory)


_types: weakref.WeakKeyDictionary[Gpu, type[DeviceArray]] = weakref.WeakKeyDictionary()


def array_type(gpu: Gpu) -> type[DeviceArray]:
    """The class of the arrays on a device."""
    if gpu not in _types:
        of_device = {"__slots__": (), "gpu": gpu, "__module__": NDArray.__module__}
        _types[gpu] = type("NDArray", (DeviceArray,), of_device)
    return _types[gpu]


def empty_on(gpu: Gpu, shape: tuple[int, ...], dtype: str) -> DeviceArray:
    """An uninitialised array on a device. Raises DeviceError KC6031 if memory is exhausted."""
    _, element = element_type(dtype)
    size = element.itemsize
    for extent in shape:
        size *= extent
    return array_type(gpu)(gpu.allocate(size), shape, dtype)


def shared_on_device(source: Any) -> DeviceArray:
    """An array that shares the memory of ``source``, which has ``__dlpack__`` and is on a device.

    Raises CallError KC5129 if it cannot be shared, KC5134 if it is not dense.
    """
    kind, number = (int(part) for part in source.__dlpack_device__())
    assert kind == CUDA
    gpu = gpu_of(number, f"from_dlpack: the array is on a GPU, cuda({number})")
    try:
        operand = shared_operand(source, gpu)
    except Refused as error:
        raise CallError(
            "KC5129",
            f"from_dlpack: {type(source).__name__} {error.text}",
            why=error.why,
        ) from error.__cause__
    element_type(operand.dtype)
    if not operand.dense:
        raise CallError(
            "KC5134",
            f"from_dlpack: {operand} is not C-contiguous",
            why="arrays of kc.nd on a device are dense",
            hints=["share x.contiguous()"],
        )
    owner = (operand.owner, source)
    readonly = operand.read_only is not None
    return array_type(gpu)(operand.address, operand.shape, operand.dtype, owner, readonly=readonly)
