"""Functions of Python that kernels call: how they are reached, and what becomes of what they raise.

Generated code calls a C function for each signature (:class:`PackedSignature`). Here that is a
callback of ctypes, which takes the GIL, looks the function up under its name, and calls it with
arrays that share the kernel's memory. C has no exceptions: what the function raises is kept, the
other calls of functions of that kernel do nothing, and when the kernel has ended it is raised, as
the cause of a CallError.

Which call of a kernel a callback belongs to is known by its thread; threads of the pool work for
one kernel with callbacks at a time, so kernels with callbacks wait for each other.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kc.runtime.native import numpy_dtype
from kc.support.diagnostics import CallError, CodegenError, suggest
from kc.support.forks import fork_lock, in_child, is_held
from kc.support.global_functions import as_argument, get_global_func, list_global_func_names
from kc.support.packed_signature import (
    UNKNOWN,
    PackedArray,
    PackedScalar,
    PackedSignature,
    PackedText,
)
from kc.support.process_symbols import C_SCALARS


class _Call:
    """One call of a kernel, and the first error in it."""

    def __init__(self) -> None:
        self.failed: tuple[PackedSignature, BaseException] | None = None


class _Thread(threading.local):
    call: _Call | None = None


_thread = _Thread()
_turn = fork_lock()
_with_turn: list[_Call] = []
"""The call with callbacks that the pool's threads currently work for."""


@in_child
def _end_calls_of_others() -> None:
    """Reset the state after a fork. Calls in other threads do not end in the child."""
    if not is_held(_turn):
        _with_turn.clear()


_callbacks: dict[str, Any] = {}
_lock = fork_lock()


def check_known(signatures: Sequence[PackedSignature]) -> None:
    """Refuse calls of functions that nobody registered (KC5251), before anything is compiled."""
    for signature in signatures:
        if get_global_func(signature.name, allow_missing=True) is None:
            raise CallError(
                "KC5251",
                f"no function is registered as '{signature.name}'",
                location=signature.location,
                why="the kernel calls a Python function, which must be registered before the build",
                hints=suggest(
                    signature.name, list_global_func_names(), "the registered functions are"
                )
                or [f'kc.register_func("{signature.name}", function)'],
            )


def addresses(signatures: Sequence[PackedSignature]) -> dict[str, int]:
    """The C functions that call the Python functions, by symbol.

    They live as long as the process.
    """
    with _lock:
        for signature in signatures:
            if signature.symbol not in _callbacks:
                _callbacks[signature.symbol] = _callback(signature)
        return {
            signature.symbol: ctypes.cast(_callbacks[signature.symbol], ctypes.c_void_p).value or 0
            for signature in signatures
        }


@contextlib.contextmanager
def calling(kernel: str) -> Iterator[None]:
    """A context for a call of a kernel that calls Python functions.

    Raises CallError KC5250 for an exception of a callback; an exception that is no error (an
    interrupt) is raised unchanged.
    """
    outer = _thread.call
    call = _thread.call = _Call()
    try:
        if outer is None:
            with _turn:
                _with_turn.append(call)
                try:
                    yield
                finally:
                    _with_turn.pop()
        else:
            yield
    finally:
        _thread.call = outer
    if call.failed is None:
        return
    signature, error = call.failed
    if not isinstance(error, Exception):
        raise error
    raise CallError(
        "KC5250",
        f"{kernel}: the function '{signature.name}' raised {type(error).__name__}: {error}",
        location=signature.location,
        why="the kernel called no further function; its output is undefined",
    ) from error


def _callback(signature: PackedSignature) -> Any:
    types: list[Any] = []
    makers: list[tuple[int, Callable[..., Any]]] = []
    for parameter in signature.parameters:
        if isinstance(parameter, PackedText):
            makers.append((0, lambda text=parameter.text: text))
        elif isinstance(parameter, PackedScalar):
            types.append(_scalar(signature, parameter.dtype))
            makers.append((1, bool if parameter.dtype == "bool" else lambda value: value))
        else:
            sizes = [*parameter.shape, *(parameter.strides or ())].count(UNKNOWN)
            types += [ctypes.c_void_p, *[ctypes.c_int64] * sizes]
            makers.append((1 + sizes, _array_maker(parameter)))
    result = None if signature.result is None else _scalar(signature, signature.result)
    as_number = float if (signature.result or "").startswith("float") else int

    def called(arguments: Sequence[Any]) -> Any:
        rest = iter(arguments)
        values = [make(*(next(rest) for _ in range(count))) for count, make in makers]
        function = get_global_func(signature.name)
        assert function is not None
        returned = function(*values)
        if returned is None and signature.traced:
            return arguments[-1]
        if returned is None or result is None:
            return 0
        if not hasattr(returned, "__index__") and not hasattr(returned, "__float__"):
            what = type(returned).__name__
            raise TypeError(f"it gives {what}, where the kernel takes a {signature.result}")
        return as_number(returned)

    def run(*values: Any) -> Any:
        outer = _thread.call
        call = outer or (_with_turn[-1] if _with_turn else None)
        if call is None:  # C code called the kernel: ctypes reports the exception
            return called(values)
        if call.failed is not None:
            return 0
        try:
            _thread.call = call  # of a kernel that the function calls
            return called(values)
        except BaseException as error:
            if call.failed is None:
                call.failed = signature, error
            return 0
        finally:
            _thread.call = outer

    if result is None:

        def effect(*values: Any) -> None:
            run(*values)

        return ctypes.CFUNCTYPE(None, *types)(effect)
    return ctypes.CFUNCTYPE(result, *types)(run)


def _scalar(signature: PackedSignature, dtype: str) -> Any:
    ctype = C_SCALARS.get(dtype)
    if ctype is None:
        raise CodegenError(
            "KC4350",
            f"the function '{signature.name}' is called with a {dtype} scalar",
            location=signature.location,
            why="C cannot pass such numbers, and Python functions are called through C",
            hints=['convert it: x.astype("float32")'],
        )
    return ctype


def _array_maker(parameter: PackedArray) -> Callable[..., Any]:
    """A function that makes an array from a pointer and the dimensions and strides passed with
    it.
    """

    def make(pointer: int | None, *handles: int) -> Any:
        import numpy as np

        rest = iter(handles)
        shape = tuple(next(rest) if dim == UNKNOWN else dim for dim in parameter.shape)
        dtype = numpy_dtype(parameter.dtype)
        if 0 in shape or pointer is None:
            array = np.empty(shape, dtype)
        else:
            strides = None
            if parameter.strides is not None:
                steps = [next(rest) if step == UNKNOWN else step for step in parameter.strides]
                strides = tuple(step * dtype.itemsize for step in steps)
            span = _span(shape, strides, dtype.itemsize)
            memory = (ctypes.c_char * span).from_address(pointer)
            array = np.ndarray(shape, dtype, memoryview(memory), 0, strides)
        array.flags.writeable = parameter.writable
        return as_argument(array)

    return make


def _span(shape: Sequence[int], strides: Sequence[int] | None, size: int) -> int:
    """The bytes from the first element of an array to the end of its last."""
    if strides is None:
        for dim in shape:
            size *= dim
        return size
    return size + sum((dim - 1) * step for dim, step in zip(shape, strides, strict=True))
