"""Arrays that kc allocates: dense, aligned for vector loads, exchanged without a copy."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kc.runtime import dlpack
from kc.runtime.device import CPU, CUDA, Device, cpu
from kc.runtime.native import numpy_dtype
from kc.runtime.signature import DTYPES, MAX_ALIGNMENT
from kc.support.diagnostics import CallError, DeviceError, KCError, suggest
from kc.support.float_formats import NARROW_FLOATS

if TYPE_CHECKING:
    import numpy as np


class NDArray:
    """An array in host memory; make one with :func:`array`, :func:`empty` or :func:`from_dlpack`.
    Those on a device are of a class below this one.

    Kernels take it as they take a numpy array. ``numpy.asarray`` and ``__dlpack__`` share its
    memory, :meth:`numpy` copies.
    """

    # Generated call code finds the numpy array in the first slot.
    __slots__ = ("_array", "_device", "_dtype")

    def __init__(self, array: np.ndarray, device: Device, dtype: str | None = None) -> None:
        """Wrap the memory of ``array``. With ``dtype``, its elements are bits of that type."""
        self._array = array
        self._device = device
        self._dtype = dtype or array.dtype.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def dtype(self) -> str:
        """The element type's name, such as ``float32``."""
        return self._dtype

    @property
    def device(self) -> Device:
        return self._device

    def numpy(self) -> np.ndarray:
        """A copy as a numpy array. For bfloat16 and 8-bit floats the array has ml_dtypes' dtype, or
        holds the raw bits if ml_dtypes is missing.
        """
        return self._array.copy()

    asnumpy = numpy

    def copyto(self, target: NDArray | Device) -> NDArray:
        """Copy into another array of the same shape, or into a new one on a device."""
        if isinstance(target, Device):
            return array(self, target)
        return target.copyfrom(self)

    def copyfrom(self, source: Any) -> NDArray:
        """Overwrite with ``source``: an array of the same shape, converted to this dtype.

        Raises CallError KC5124 for another shape, KC5125 for a read-only array, KC5135 for values
        that are not numbers.
        """
        import numpy as np

        source = copy_source(source, self.dtype)
        self._require_shape(source.shape)
        if not self._array.flags.writeable:
            raise CallError(
                "KC5125",
                "copy: the array is read-only",
                facts=[repr(self).split("\n")[0]],
                why="it shares the memory of an array that may not be written",
                hints=["copy into kc.nd.empty(shape, dtype)"],
            )
        np.copyto(self._array, source, casting="unsafe")
        return self

    def _require_shape(self, shape: tuple[int, ...]) -> None:
        if shape != self.shape:
            raise CallError(
                "KC5124",
                f"copy: the source has shape {shape}, the array {self.shape}",
                why="a copy does not broadcast",
                hints=[f"np.broadcast_to(source, {self.shape})"],
            )

    def __setitem__(self, index: Any, value: Any) -> None:
        """``x[:] = value`` is :meth:`copyfrom`; a number fills the array. Raises KC5131
        for a part of it, KC5124, KC5125 and KC5135 as :meth:`copyfrom`.
        """
        import numpy as np

        if index is not Ellipsis and index != slice(None):
            raise CallError(
                "KC5131",
                f"an array can be overwritten only as a whole, not at [{_index_text(index)}]",
                facts=[repr(self).split("\n")[0]],
                why="elements are read and written through numpy",
                hints=[self._part_hint(_index_text(index))],
            )
        if not isinstance(value, NDArray):
            value = copy_source(value, self.dtype)
            if value.ndim == 0:
                value = np.full(self.shape, value)
        self.copyfrom(value)

    def _part_hint(self, index: str) -> str:
        """The hint to overwrite a part of the array."""
        return f"np.asarray(x)[{index}] = value, which shares the memory"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        import numpy as np

        if copy:
            return np.array(self._array, dtype=dtype)
        view = np.asarray(self._array, dtype=dtype)
        if copy is False and view is not self._array:
            raise ValueError(f"a {self.dtype} array becomes {np.dtype(dtype)} only by a copy")
        return view

    def __dlpack__(self, **options: Any) -> Any:
        """A DLPack capsule that shares the memory; options are the protocol's."""
        if _needs_package(self.dtype):
            # numpy shares the bits, without knowing their type.
            dtype = DTYPES[self.dtype]
            bits = self._array.view(f"uint{8 * dtype.size}")
            return dlpack.with_code(bits.__dlpack__(**options), dtype.code)
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device.device_type, self._device.device_id

    def __len__(self) -> int:
        return len(self._array)

    def __repr__(self) -> str:
        return f"<kc.nd.NDArray shape={self.shape}, {self._device}>\n{self._array!r}"


def _index_text(index: Any) -> str:
    """An index as text, without brackets."""
    parts = index if isinstance(index, tuple) else (index,)
    return ", ".join(
        ":".join("" if bound is None else str(bound) for bound in (part.start, part.stop))
        if isinstance(part, slice)
        else repr(part)
        for part in parts
    )


def element_type(dtype: Any) -> tuple[str, np.dtype]:
    """The name of an element type that kernels know, and the numpy dtype of its memory."""
    import numpy as np

    name = dtype
    if name not in DTYPES:
        try:
            name = np.dtype(dtype).name
        except TypeError:
            name = str(dtype)
    if name not in DTYPES:
        raise CallError(
            "KC5126",
            f"arrays cannot have the dtype {name}",
            hints=suggest(name, DTYPES, "dtypes"),
        )
    numpy_type = numpy_dtype(name)
    return name, np.dtype(f"uint{8 * DTYPES[name].size}") if numpy_type is None else numpy_type


def _scalars_of(dtype: Any) -> tuple[Any, tuple[int, ...]]:
    """The scalar type of elements, and the dimension of their lanes if they are vectors."""
    vector = re.fullmatch(r"(.+?)x([0-9]+)", dtype) if isinstance(dtype, str) else None
    return (vector[1], (int(vector[2]),)) if vector and vector[1] in DTYPES else (dtype, ())


def copy_source(source: Any, name: str) -> np.ndarray:
    """The array from which memory of the dtype ``name`` is filled; bits are copied unchanged.

    Raises CallError KC5135 for values that are not numbers.
    """
    on_device = isinstance(source, NDArray) and source.device.device_type != CPU
    values = source.numpy() if on_device else _numbers(source, name)
    source_dtype = source.dtype if isinstance(source, NDArray) else values.dtype.name
    if source_dtype == name:
        return values
    bits = f"uint{8 * DTYPES[name].size}"
    if source_dtype == bits and _needs_package(name):
        kind = numpy_dtype(name)
        return values if kind is None else values.view(kind)
    missing = [
        dtype
        for dtype in (source_dtype, name)
        if _needs_package(dtype) and numpy_dtype(dtype) is None
    ]
    if missing:
        raise CallError(
            "KC5260",
            f"values of {source_dtype} cannot be converted to {name}",
            why=f"numpy supports {missing[0]} through the package ml_dtypes, which is not "
            "installed",
            hints=[
                "pip install ml_dtypes",
                *([f"give the bits, as an array of {bits}"] if missing == [name] else []),
            ],
        )
    return values


def _numbers(source: Any, name: str | None = None) -> np.ndarray:
    """``source`` as an array of numbers; objects and texts are converted to the dtype ``name``.

    Raises CallError KC5135 where they are not numbers, or not numbers of that dtype.
    """
    import numpy as np

    def refused(why: str, *hints: str) -> CallError:
        text = f"{type(source).__name__} is not an array of numbers"
        return CallError("KC5135", text, why=why, hints=list(hints))

    try:
        values = np.asarray(source)
    except KCError:
        raise
    except Exception as error:
        # Whatever the source raises is its reason for not being an array.
        ragged = isinstance(error, ValueError) and isinstance(source, (list, tuple))
        hints = ["give as many numbers in each row"] if ragged else []
        raise refused(str(error), *hints) from None
    kind = values.dtype.kind
    if kind in "OSUT":
        if kind == "O":
            # numpy takes None for nan, and the real part of its complex numbers.
            not_real = (type(None), np.complexfloating, np.datetime64, np.timedelta64)
            for value in values.flat:
                if isinstance(value, not_real):
                    raise refused(f"{value!r} is not a real number")
        try:
            numbers = values.astype(np.float64)
            if name is not None and (element := numpy_dtype(name)) is not None:
                # ml_dtypes converts from numpy's numbers alone.
                values = (numbers if _needs_package(name) else values).astype(element)
        except (OverflowError, TypeError, ValueError) as error:
            raise refused(str(error)) from None
    elif name is not None and (kind not in "biufV" or issubclass(values.dtype.type, np.void)):
        # V are the narrow floats of ml_dtypes, too.
        raise refused(f"its elements are {values.dtype}, not real numbers")
    return values


def _needs_package(name: str) -> bool:
    """True if numpy has the dtype only with the package ml_dtypes."""
    return name in NARROW_FLOATS and name != "float16"


def empty(shape: Any, dtype: Any = "float32", device: Device | None = None) -> NDArray:
    """An uninitialised array, aligned to 64 bytes.

    ``shape`` is a tuple or one int; elements that are vectors, ``float32x2``, add a dimension.
    Raises KC5126 for a dtype that no kernel has, KC6201 for a missing device, KC6031 if its memory
    is exhausted, KC6203 for a device of another kind.
    """
    import numpy as np

    device = cpu() if device is None else device
    device.require()
    if device.device_type not in (CPU, CUDA):
        raise DeviceError(
            "KC6203",
            f"kc.nd cannot allocate on {device}",
            why="arrays are in host memory or on a CUDA device",
            hints=["kc.cpu(0)", "kc.cuda(0)"],
        )
    dtype, lanes = _scalars_of(dtype)
    name, element = element_type(dtype)
    dims = (*(shape if isinstance(shape, Iterable) else (shape,)), *lanes)
    if not all(isinstance(dim, (int, np.integer)) and dim >= 0 for dim in dims):
        raise CallError(
            "KC5127",
            f"{shape!r} is not a shape",
            why="a shape must be a tuple of sizes, which are integers of at least 0",
        )
    if device.device_type == CUDA:
        from kc.runtime.gpu.array import empty_on

        return empty_on(device.gpu, tuple(int(dim) for dim in dims), name)
    size = element.itemsize
    for dim in dims:
        size *= int(dim)
    raw = np.empty(size + MAX_ALIGNMENT, np.uint8)
    start = -raw.__array_interface__["data"][0] % MAX_ALIGNMENT
    return NDArray(np.ndarray(dims, element, buffer=raw, offset=start), device, name)


def array(source: Any, device: Device | None = None, dtype: Any = None) -> NDArray:
    """A copy of anything ``numpy.asarray`` takes, aligned to 64 bytes; on a device if that is one.

    The values are converted to ``dtype`` where that is given. For bfloat16 and the floats of 8
    bits, which numpy has only with ml_dtypes, an unsigned array of their width is their bits::

        kc.nd.array(np.array([0x3F80], np.uint16), dtype="bfloat16")  # 1.0

    Raises CallError KC5126 for a dtype that no kernel has, KC5135 for values that are not numbers.
    """
    scalar, lanes = _scalars_of(dtype)
    name = None if dtype is None else element_type(scalar)[0]
    if not isinstance(source, NDArray):
        source = _numbers(source, name)
    if lanes and tuple(source.shape[-1:]) != lanes:
        raise CallError(
            "KC5124",
            f"array: a source of shape {tuple(source.shape)} for elements of {dtype}",
            why=f"the last dimension must hold the lanes of an element: {lanes[0]}",
        )
    return empty(source.shape, name or source.dtype, device).copyfrom(source)


def from_dlpack(source: Any) -> NDArray:
    """An array that shares the memory of anything with ``__dlpack__``, without a copy. Work that kc
    queues on a CUDA device waits for the producer's work on this memory.
    """
    import numpy as np

    kind = type(source).__name__
    if not hasattr(source, "__dlpack__"):
        raise CallError(
            "KC5128",
            f"from_dlpack: {kind} has no __dlpack__",
            hints=["kc.nd.array(x) copies anything that numpy.asarray takes"],
        )
    if _is_on_cuda(source):
        from kc.runtime.gpu.array import shared_on_device

        return shared_on_device(source)
    try:
        dlpack.read(dlpack.export(source))  # numpy does not check that there are elements
        view = np.from_dlpack(source)
    except KCError:
        raise
    except (BufferError, RuntimeError, ValueError) as error:
        narrow = _narrow_from_dlpack(source)
        if narrow is not None:
            return narrow
        raise CallError(
            "KC5129", f"from_dlpack: {kind} cannot be shared with the CPU", why=str(error)
        ) from error
    element_type(view.dtype)
    return NDArray(view, cpu())


def _is_on_cuda(source: Any) -> bool:
    try:
        return hasattr(source, "__dlpack_device__") and source.__dlpack_device__()[0] == CUDA
    except Exception:
        # An error of the producer is raised again when the memory is shared.
        return False


def _narrow_from_dlpack(source: Any) -> NDArray | None:
    """An array of a type that numpy's DLPack does not support; None for other arrays."""
    import numpy as np

    from kc.runtime.operand import Refused, operand

    try:
        exported = operand(source)
    except Refused:
        return None
    if exported.dtype not in NARROW_FLOATS:
        return None
    name, element = element_type(exported.dtype)
    low = sum(min(0, (n - 1) * s) for n, s in zip(exported.shape, exported.strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(exported.shape, exported.strides, strict=True))
    size = high - low + element.itemsize if 0 not in exported.shape else 0
    memory: Any = (ctypes.c_uint8 * size).from_address(exported.address + low)
    memory.owner = exported.owner  # kept by the array, which keeps the memory
    view = np.ndarray(exported.shape, element, memory, -low, exported.strides)
    view.flags.writeable = exported.read_only is None
    return NDArray(view, cpu(), name)
