"""A kernel that a Python function runs: on the device of a plugin, or in a simulator of one."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kc.runtime.arguments import BoundArguments, bind
from kc.runtime.function import function_not_pickled
from kc.runtime.native import numpy_dtype
from kc.runtime.outputs import bind_inputs
from kc.runtime.signature import DTYPES, ArgSpec, Signature
from kc.support.diagnostics import CallError


class PythonFunction:
    """A kernel that ``run`` executes, called like a :class:`kc.runtime.CompiledFunction`.

    A call checks every argument (KC51xx errors), and allocates and returns omitted outputs. ``run``
    receives the arguments of the signature in order: arrays as numpy arrays on the caller's memory,
    scalars as numbers.
    """

    def __init__(self, signature: Signature, run: Callable[..., Any]) -> None:
        self.signature = signature
        self._run = run
        self._owners: list[Any] = []

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def address(self) -> int:
        """There is none. Raises CallError KC5152."""
        raise CallError(
            "KC5152",
            f"{self.name} has no address",
            why="it is not machine code of this process: a Python function runs it",
        )

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        signature = self.signature
        if not keywords and len(args) < len(signature.args):
            if len(args) + len(signature.outputs) == len(signature.args):
                bound, outputs = bind_inputs(signature, args)
                self._run(*values_of(signature, bound))
                return outputs[0] if len(outputs) == 1 else outputs
        self._run(*values_of(signature, bind(signature, args, keywords)))
        return None

    def retain(self, owner: Any) -> None:
        """Keep ``owner`` alive as long as the function can be called."""
        self._owners.append(owner)

    def prepare(self, *args: Any) -> Callable[[], None]:
        """A call without arguments that always passes ``args``, which are checked once, here."""
        values = values_of(self.signature, bind(self.signature, args))

        def call() -> None:
            self._run(*values)

        return call

    def timer(self, *args: Any) -> Callable[[int], float]:
        """A function that runs the kernel ``number`` times in a row and returns the seconds."""
        call = self.prepare(*args)

        def seconds(number: int) -> float:
            start = time.perf_counter()
            for _ in range(number):
                call()
            return time.perf_counter() - start

        return seconds

    def __reduce__(self) -> Any:
        raise function_not_pickled(self.signature)

    def __repr__(self) -> str:
        return f"<kc function {self.signature}>"


@dataclass(frozen=True)
class _Memory:
    """Memory with numpy's array interface; ``owner`` keeps it alive."""

    __array_interface__: dict[str, Any]
    owner: Any


def values_of(signature: Signature, bound: BoundArguments) -> list[Any]:
    """Checked arguments as numpy arrays, which share their memory, and numbers."""
    words = iter(bound.slots)
    return [
        _array(spec, [next(words) for _ in range(spec.words)], bound)
        if spec.is_array
        else _scalar(spec, next(words))
        for spec in signature.args
    ]


def _array(spec: ArgSpec, words: Sequence[int], bound: BoundArguments) -> Any:
    import numpy as np

    address, *rest = words
    sizes = iter(rest)
    shape = tuple(next(sizes) if d in spec.dynamic else dim for d, dim in enumerate(spec.shape))
    bits = np.dtype(f"uint{8 * spec.element.size}")
    interface: dict[str, Any] = {
        "data": (address, not spec.written),
        "shape": shape,
        "typestr": bits.str,
        "version": 3,
    }
    if spec.strides is not None:
        strides = [
            _signed(next(sizes), 64) if d in spec.dynamic_strides else stride
            for d, stride in enumerate(spec.strides)
        ]
        interface["strides"] = tuple(int(stride) * spec.element.size for stride in strides)
    return np.asarray(_Memory(interface, bound)).view(numpy_dtype(spec.dtype) or bits)


def _scalar(spec: ArgSpec, word: int) -> Any:
    dtype = DTYPES[spec.dtype]
    data = word.to_bytes(8, "little")[: dtype.size]
    if dtype.format is None:
        return int.from_bytes(data, "little")
    return struct.unpack(f"<{dtype.format}", data)[0]


def _signed(word: int, bits: int) -> int:
    return word - (1 << bits) if word >> (bits - 1) else word
