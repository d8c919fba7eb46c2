"""The object layout of this interpreter for generated call code, and its entry points.

Generated code reads CPython and numpy objects directly. Their layout is that of numpy's stable C
interface and of CPython with the GIL. :func:`fast_calls_work` compares it once with values from
Python; where it differs (PyPy, free-threaded or tracing builds), calls go through Python.
"""

from __future__ import annotations

import ctypes
import platform
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from typing import Any

from kc.runtime.signature import DTYPES
from kc.support.float_formats import NARROW_FLOATS

_POINTER = ctypes.c_void_p

# Offsets in bytes of the objects that generated code reads.
TYPE_OFFSET = 8  # PyObject.ob_type
SELF_DATA_OFFSET = 16  # the memory of a ctypes object
NDARRAY_OFFSET = 16  # the first slot of kc.nd's arrays: their numpy array
FLOAT_VALUE_OFFSET = 16  # PyFloatObject.ob_fval
ARRAY_DATA_OFFSET = 16  # PyArrayObject: data, nd, dimensions, strides, base, descr, flags
ARRAY_NDIM_OFFSET = 24
ARRAY_DIMS_OFFSET = 32
ARRAY_DESCR_OFFSET = 56
ARRAY_FLAGS_OFFSET = 64

C_CONTIGUOUS = 0x0001
WRITEABLE = 0x0400

_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


class CallContext(ctypes.Structure):
    """The addresses that generated call code uses.

    They are data and not part of the code, so that the code depends only on the types of the
    arguments. ``descr_<dtype>`` is numpy's dtype object, 0 if numpy has none.
    """

    _fields_ = [
        ("kernel", _POINTER),
        ("slots", _POINTER),
        ("save_thread", _POINTER),
        ("restore_thread", _POINTER),
        ("vectorcall", _POINTER),
        ("incref", _POINTER),
        ("as_long_long", _POINTER),
        ("none", _POINTER),
        ("true", _POINTER),
        ("ndarray_type", _POINTER),
        ("nd_type", _POINTER),
        ("int_type", _POINTER),
        ("float_type", _POINTER),
        ("bool_type", _POINTER),
        # For kernels on a device: the driver's table of the kernels, what is called with the
        # record of a call that met an error, and how.
        ("table", _POINTER),
        ("failed", _POINTER),
        ("long_from_pointer", _POINTER),
        ("call_one_arg", _POINTER),
        ("decref", _POINTER),
        *[(f"descr_{name}", _POINTER) for name in DTYPES],
    ]

    method: Any = None
    """The ``PyMethodDef`` of the builtin function that has this context. It must live as long as
    the context, and is never replaced, because a thread may be executing the function.
    """


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("method", _POINTER),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


@cache
def numpy_dtype(name: str) -> Any:
    """numpy's dtype for the name of a kc dtype; None for those of ml_dtypes if that is missing."""
    import numpy as np

    try:
        if name in NARROW_FLOATS and name != "float16":
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, name))
        return np.dtype(name)
    except ImportError:
        return None


@cache
def _addresses() -> dict[str, int]:
    """The fields of a :class:`CallContext` that are equal for all kernels."""
    import numpy as np

    from kc.runtime.array import NDArray

    def function(name: str) -> int:
        address = ctypes.cast(getattr(ctypes.pythonapi, name), _POINTER).value
        assert address is not None
        return address

    return {
        "save_thread": function("PyEval_SaveThread"),
        "restore_thread": function("PyEval_RestoreThread"),
        "vectorcall": function("PyObject_Vectorcall"),
        "incref": function("Py_IncRef"),
        "as_long_long": function("PyLong_AsLongLongAndOverflow"),
        "long_from_pointer": function("PyLong_FromVoidPtr"),
        "call_one_arg": function("PyObject_CallOneArg"),
        "decref": function("Py_DecRef"),
        "none": id(None),
        "true": id(True),
        "ndarray_type": id(np.ndarray),
        "nd_type": id(NDArray),
        "int_type": id(int),
        "float_type": id(float),
        "bool_type": id(bool),
    }


def fill(context: CallContext, kernel: int, dtypes: Iterable[str]) -> None:
    """Write a kernel's address and, for generated code, those of the interpreter and of dtypes."""
    context.kernel = kernel
    if not fast_calls_work():
        return
    for name, address in _addresses().items():
        setattr(context, name, address)
    for name in dtypes:
        # Kept alive by the cache: the builtin dtypes of numpy and ml_dtypes are one object each.
        setattr(context, f"descr_{name}", id(numpy_dtype(name)) if numpy_dtype(name) else 0)


@cache
def fast_calls_work() -> bool:
    """True if objects have the layout that generated code assumes."""
    if platform.python_implementation() != "CPython" or sys.maxsize != 2**63 - 1:
        return False
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    return _layout_is_known()


def _layout_is_known() -> bool:
    import numpy as np

    from kc.runtime.array import empty

    def word(obj: Any, offset: int, kind: Any = ctypes.c_uint64) -> Any:
        return kind.from_address(id(obj) + offset).value

    base = np.zeros((3, 4, 5), np.float32)
    readonly = np.zeros(3, np.int64)
    readonly.flags.writeable = False
    for array in (base, base[1:, ::2], base[:0], np.zeros((), np.bool_), readonly):
        dims = word(array, ARRAY_DIMS_OFFSET)
        flags = word(array, ARRAY_FLAGS_OFFSET, ctypes.c_int)
        if not (
            word(array, TYPE_OFFSET) == id(np.ndarray)
            and word(array, ARRAY_DATA_OFFSET) == array.__array_interface__["data"][0]
            and word(array, ARRAY_NDIM_OFFSET, ctypes.c_int) == array.ndim
            and tuple((ctypes.c_int64 * array.ndim).from_address(dims)) == array.shape
            and word(array, ARRAY_DESCR_OFFSET) == id(array.dtype)
            and bool(flags & C_CONTIGUOUS) == array.flags.c_contiguous
            and bool(flags & WRITEABLE) == array.flags.writeable
        ):
            return False
    nd = empty((2,), "float32")
    context = CallContext()
    return (
        word(nd, NDARRAY_OFFSET) == id(nd._array)
        and word(context, SELF_DATA_OFFSET) == ctypes.addressof(context)
        and word(1.5, FLOAT_VALUE_OFFSET, ctypes.c_double) == 1.5
    )


def builtin(name: str, code: int, context: CallContext, doc: str) -> Any:
    """A builtin function that runs ``code`` with ``context`` as its ``self``.

    ``context`` must keep the code alive; the function keeps ``context``, which has no other
    function.
    """
    assert context.method is None
    method = _MethodDef(name.encode(), code, _METH_FASTCALL_KEYWORDS, doc.encode())
    # The function points to its definition, which therefore must live as long as ``self``.
    context.method = method
    new = ctypes.PYFUNCTYPE(ctypes.py_object, _POINTER, ctypes.py_object, _POINTER)(
        ("PyCFunction_NewEx", ctypes.pythonapi)
    )
    return new(ctypes.addressof(method), context, None)
