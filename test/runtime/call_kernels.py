"""Kernels for the tests of calls: LLVM IR by hand, compiled by llvmlite alone."""

from __future__ import annotations

import ctypes
from typing import Any
from unittest import mock

import llvmlite.binding as llvm
import numpy as np

from kc.runtime import ArgSpec, CompiledFunction, Signature, call_wrapper

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


class Code:
    """LLVM IR compiled in this process; the code goes when the object goes."""

    def __init__(self, text: str) -> None:
        module = llvm.parse_assembly(text)
        module.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()

    def address(self, name: str) -> int:
        return self.engine.get_function_address(name)


def jit(text: str, symbols: dict[str, int]) -> Code:
    assert not symbols
    return Code(text)


ADD = """
define void @kernel(ptr noalias %a, i64 %an, ptr noalias %b, i64 %bn, ptr noalias %c, i64 %cn) {
entry:
  %some = icmp sgt i64 %cn, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %pa = getelementptr float, ptr %a, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %pc = getelementptr float, ptr %c, i64 %i
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %sum = fadd float %x, %y
  store float %sum, ptr %pc
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %cn
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

# Waits (bounded) until flag[0] is set by another thread, then says so in seen[0].
WAIT = """
define void @kernel(ptr %flag, ptr %seen) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %again]
  %set = load atomic i64, ptr %flag seq_cst, align 8
  %stop = icmp ne i64 %set, 0
  br i1 %stop, label %done, label %again
again:
  %next = add i64 %i, 1
  %late = icmp ugt i64 %next, 4000000000
  br i1 %late, label %done, label %loop
done:
  store i64 %set, ptr %seen
  ret void
}
"""


def array(name: str, dtype: str, *shape: Any, role: Any = "in", alignment: int = 0) -> ArgSpec:
    return ArgSpec(name, "array", dtype, shape, role, alignment)


def scalar(name: str, dtype: str, symbol: str | None = None) -> ArgSpec:
    return ArgSpec(name, "scalar", dtype, symbol=symbol)


def compiled(text: str, signature: Signature) -> CompiledFunction:
    code = Code(text)
    return CompiledFunction(signature, code.address("kernel"), jit, code)


def add_function() -> CompiledFunction:
    """add(A: float32[n], B: float32[n], C: out float32[n])"""
    arrays = [array(x, "float32", "n", role="out" if x == "C" else "in") for x in "ABC"]
    return compiled(ADD, Signature("add", tuple(arrays), ("n",)))


class Recorder:
    """A kernel of any signature that notes what it was called with, and computes nothing."""

    def __init__(self, signature: Signature) -> None:
        types = signature.machine_types
        params = ", ".join(f"{kind} %p{i}" for i, kind in enumerate(types))
        stores = "".join(
            f"  %a{i} = getelementptr i64, ptr @seen, i64 {i}\n  store {kind} %p{i}, ptr %a{i}\n"
            for i, kind in enumerate(types)
        )
        self.code = Code(
            f"@seen = global [{max(len(types), 1)} x i64] zeroinitializer\n"
            "@calls = global i64 0\n"
            f"define void @kernel({params}) {{\n{stores}"
            "  %old = load i64, ptr @calls\n  %new = add i64 %old, 1\n"
            "  store i64 %new, ptr @calls\n  ret void\n}\n"
        )
        where = self.code.engine.get_global_value_address
        self._calls = ctypes.c_int64.from_address(where("calls"))
        self._seen = (ctypes.c_uint64 * len(types)).from_address(where("seen"))
        self.signature = signature
        with mock.patch.object(call_wrapper, "FIRST_CALLS", 0):  # some are made on import
            self.function = CompiledFunction(signature, self.code.address("kernel"), jit, self.code)

    @property
    def calls(self) -> int:
        return self._calls.value

    @property
    def seen(self) -> list[int]:
        """The machine-level arguments of the last call, as 8-byte words."""
        return list(self._seen)

    def reset(self) -> None:
        self._calls.value = 0
        ctypes.memset(self._seen, 0, ctypes.sizeof(self._seen))


class Shared:
    """A foreign array: shares a numpy array's memory by DLPack, and can pretend this and that."""

    def __init__(
        self,
        source: np.ndarray,
        *,
        versioned: bool = True,
        device: tuple[int, int] = (1, 0),
        code: int | None = None,
        byte_offset: int = 0,
        no_strides: bool = False,
        major: int = 1,
        placed: tuple[int, int] = (1, 0),
    ) -> None:
        self.source = source
        self.versioned = versioned
        self.device = device
        self.code = code
        self.byte_offset = byte_offset
        self.no_strides = no_strides
        self.major = major
        self.placed = placed
        self.requests: list[dict[str, Any]] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: Any) -> Any:
        self.requests.append(options)
        if not self.versioned:
            if options:
                raise TypeError("__dlpack__() takes no keyword arguments")
            return self.source.__dlpack__()
        capsule = self.source.__dlpack__(**options)
        pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
            ("PyCapsule_GetPointer", ctypes.pythonapi)
        )(capsule, b"dltensor_versioned")
        ctypes.c_uint32.from_address(pointer).value = self.major
        # The tensor follows the version, the context, the deleter and the flags.
        tensor = pointer + 32
        (ctypes.c_int32 * 2).from_address(tensor + 8)[:] = self.placed
        if self.code is not None:
            ctypes.c_uint8.from_address(tensor + 20).value = self.code
        if self.no_strides:
            ctypes.c_void_p.from_address(tensor + 32).value = None
        ctypes.c_uint64.from_address(tensor + 40).value = self.byte_offset
        return capsule
