"""A uniform view of array arguments: address, element type and layout."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kc.runtime import dlpack
from kc.runtime.array import NDArray, empty
from kc.runtime.device import CPU, HOST_MEMORY, device_name
from kc.runtime.signature import DTYPES

_DLPACK_DTYPES = {(dtype.code, 8 * dtype.size): dtype.name for dtype in DTYPES.values()}
_DLPACK_KINDS = {0: "int", 1: "uint", 2: "float", 3: "handle", 4: "bfloat", 5: "complex", 6: "bool"}


class Refused(Exception):
    """An object that cannot be an array argument for the kernel's place, whatever its layout.

    ``text`` completes "argument 1 'A' ..."; ``instead`` is an expression of ``{name}`` to pass
    instead, and ``shares`` says whether it shares the original's memory.
    """

    def __init__(
        self,
        code: str,
        text: str,
        *,
        why: str,
        instead: str | None = None,
        shares: bool = False,
    ) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.why = why
        self.instead = instead
        self.shares = shares


@dataclass(slots=True)
class Operand:
    """An array argument. ``strides`` count bytes; ``owner`` keeps the memory alive.

    ``byte_order`` is None for the native one; ``read_only`` is the reason why the memory must not
    be written, None if it may be. ``source`` is the object passed.
    """

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dense: bool
    byte_order: str | None
    read_only: str | None
    owner: Any
    source: Any

    @property
    def library(self) -> str:
        return library_of(self.source)

    def __str__(self) -> str:
        order = f"{self.byte_order} " if self.byte_order else ""
        text = f"{kind_of(self.source)} {order}{self.dtype}{list(self.shape)}"
        if not self.dense:
            text += f" with strides of {list(self.strides)} bytes"
        return text + (", read-only" if self.read_only else "")


def is_dense(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> bool:
    """True if elements of ``size`` bytes are dense and row-major; as in numpy, dimensions of extent
    0 and 1 do not matter.
    """
    if 0 in shape:
        return True
    expected = size
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1:
            if stride != expected:
                return False
            expected *= extent
    return True


def library_of(obj: Any) -> str:
    """The package an object's type comes from."""
    return type(obj).__module__.partition(".")[0]


def kind_of(obj: Any) -> str:
    """The name of an object's type in messages."""
    name = type(obj).__name__
    library = library_of(obj)
    return name if library == "builtins" else f"{library}.{name}"


def operand(obj: Any) -> Operand:
    """The array in ``obj``, without a copy. Raises :class:`Refused`."""
    import numpy as np

    if type(obj) is NDArray:
        return replace(_from_numpy(obj._array, obj), dtype=obj.dtype)
    if isinstance(obj, np.ma.MaskedArray):
        raise Refused(
            "KC5117",
            "is a masked array",
            why="a kernel would compute with the masked elements as well",
            instead="{name}.filled(value)",
        )
    if isinstance(obj, np.ndarray):
        return _from_numpy(obj, obj)
    if hasattr(obj, "__dlpack__"):
        return _from_dlpack(obj)
    if hasattr(obj, "__cuda_array_interface__"):
        raise _on_device("a CUDA device", library_of(obj))
    raise Refused(
        "KC5103",
        f"is {'None' if obj is None else _article(kind_of(obj))}, expected an array",
        why="a kernel takes numpy arrays, kc.nd arrays and objects with __dlpack__",
        instead=None if obj is None else "np.asarray({name}, {dtype})",
    )


class Place:
    """The place of a kernel and its arrays: the CPU."""

    device_types: tuple[int, ...] = (CPU,)

    def operand(self, value: Any) -> Operand:
        """The array in ``value``, without a copy. Raises :class:`Refused`."""
        return operand(value)

    def instead(self, name: str, expression: str, library: str) -> str:
        """The expression to pass for the argument ``name``, an array of ``library``; ``expression``
        is one in terms of numpy.
        """
        del name, library
        return expression

    def new(self, name: str, dtype: str) -> str | None:
        """An expression for a new array as argument ``name``; None for numpy's."""
        del name, dtype
        return None

    def empty(self, shape: tuple[int, ...], dtype: str, args: Sequence[Any]) -> tuple[Any, int]:
        """A new array for an output of a call with ``args``, and its address.

        It is a kc.nd or torch array if an argument is one, else a numpy array.
        """
        import numpy as np

        array = empty(shape, dtype)
        host = np.asarray(array)
        address = host.__array_interface__["data"][0]
        if any(type(arg) is NDArray for arg in args):
            return array, address
        if any(library_of(arg) == "torch" for arg in args):
            return sys.modules["torch"].from_dlpack(array), address
        return host, address


HOST = Place()


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _on_device(place: str, library: str) -> Refused:
    fetch = {
        "kc": "{name}.numpy()",
        "torch": "{name}.cpu()",
        "cupy": "cupy.asnumpy({name})",
        "jax": "np.asarray({name})",
    }
    library = "jax" if library == "jaxlib" else library
    return Refused(
        "KC5115",
        f"is on {place}, the kernel runs on cpu(0)",
        why="a CPU kernel cannot read the memory of another device",
        instead=fetch.get(library, "a copy of {name} on the CPU"),
    )


@lru_cache(maxsize=64)
def _dtype_name(dtype: Any) -> str:
    return dtype.name


def _from_numpy(array: Any, source: Any) -> Operand:
    dtype = array.dtype
    return Operand(
        address=array.__array_interface__["data"][0],
        dtype=_dtype_name(dtype),
        shape=array.shape,
        strides=array.strides,
        dense=array.flags.c_contiguous,
        byte_order=None if dtype.isnative else "byte-swapped",
        read_only=None if array.flags.writeable else "its writeable flag is not set",
        owner=array,
        source=source,
    )


def shareable(obj: Any, error: Exception) -> str | None:
    """The expression of a torch tensor that can be shared if the tensor itself failed with
    ``error``.
    """
    if library_of(obj) != "torch":
        return None
    if getattr(obj, "is_meta", False):  # a shape without elements
        return 'torch.empty_like({name}, device="cpu")'
    reason = str(error).lower()
    for word, call in (
        ("conj", "resolve_conj()"),
        ("negative bit", "resolve_neg()"),
        ("sparse", "to_dense()"),
        ("layout", "to_dense()"),
    ):
        if word in reason:
            return f"{{name}}.{call}"
    return "{name}.detach()" if "grad" in reason else None


def _from_dlpack(obj: Any) -> Operand:
    library = library_of(obj)
    try:
        place = obj.__dlpack_device__() if hasattr(obj, "__dlpack_device__") else (CPU, 0)
        # Memory of a device is not asked for: that may wait for the device, or fail.
        view = dlpack.read(dlpack.export(obj)) if int(place[0]) in HOST_MEMORY else None
    except Exception as error:
        # Whatever the producer raises is its reason for not sharing.
        raise Refused(
            "KC5116",
            f"cannot be shared: {kind_of(obj)}.__dlpack__ failed",
            why=f"{type(error).__name__}: {error}",
            instead=shareable(obj, error) or "np.array({name})",
            shares=library == "torch",
        ) from error
    if view is not None:
        place = view.device_type, view.device_id
    if view is None or view.device_type not in HOST_MEMORY:
        raise _on_device(device_name(int(place[0]), place[1]), library)
    return described(view, obj)


def described(view: dlpack.DLPackView, obj: Any) -> Operand:
    """The array that ``obj`` shares by DLPack."""
    library = library_of(obj)
    base = _DLPACK_KINDS.get(view.code, f"dlpack{view.code}_")
    name = _DLPACK_DTYPES.get((view.code, view.bits), f"{base}{view.bits}")
    size = (view.bits * view.lanes + 7) // 8
    if view.strides is None:
        steps = [size]
        for extent in view.shape[:0:-1]:
            steps.append(steps[-1] * extent)
        strides = tuple(reversed(steps)) if view.shape else ()
    else:
        strides = tuple(stride * size for stride in view.strides)
    read_only = None
    if view.copied:
        read_only = "its producer shared a copy"
    elif view.readonly:
        read_only = "its producer shared it read-only"
    elif view.readonly is None and library not in ("torch", "cupy"):
        # DLPack before 1.0 does not express read-only memory; numpy assumes it too. JAX's arrays
        read_only = "its producer does not say that it may be written (DLPack before 1.0)"
    return Operand(
        address=view.address,
        dtype=name if view.lanes == 1 else f"{name}x{view.lanes}",
        shape=view.shape,
        strides=strides,
        dense=is_dense(view.shape, strides, size),
        byte_order=None,
        read_only=read_only,
        owner=(obj, view.capsule),
        source=obj,
    )
