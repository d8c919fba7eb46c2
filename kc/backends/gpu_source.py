"""The backends whose code is source: OpenCL C, which the devices of this machine run, and Metal.

The host code of an OpenCL module is interpreted: it computes how many blocks there are, and
launches kernels. Arrays are copied to the device when a launch first needs them, and what kernels
wrote is copied back at the end of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, StridedLayoutAttr
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute

from kc.analysis.interpreter import ExecutionError, run
from kc.analysis.interpreter.values import Buffer, dtype_of, fresh_array
from kc.analysis.module_copy import copy_module
from kc.backends import Backend, Build, printing, warn_unchecked
from kc.backends.files import Files, loops_text, record_of
from kc.backends.interpreter import refusal
from kc.codegen.gpu_source import emit_gpu_source, kernel_name
from kc.codegen.gpu_source.kernel import STORES
from kc.codegen.gpu_source.languages import OpenCl
from kc.conversion.pipelines import TO_GPU
from kc.dialects import gpu
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.module import Module, Source
from kc.runtime.opencl import Device, Memory, Program, require_device
from kc.runtime.python_function import PythonFunction
from kc.runtime.signature import Signature
from kc.support.diagnostics import DeviceError

Names = tuple[str, str]
"""The names of a gpu.module and of a kernel in it."""


@dataclass(frozen=True)
class _Kernel:
    """A kernel for launches: its name in the source, and the arguments that it writes."""

    name: str
    types: tuple[Attribute, ...]
    written: tuple[bool, ...]
    has_dynamic_memory: bool


@register_impls
class _Launches(InterpreterFunctions):
    """The launches of one call, on a device."""

    def __init__(
        self,
        device: Device,
        program: Program,
        kernels: Mapping[Names, _Kernel],
        arguments: Sequence[np.ndarray],
    ) -> None:
        self.device, self.program, self.kernels = device, program, kernels
        self._arguments = {id(array) for array in arguments}
        self._memory: dict[int, tuple[Memory, np.ndarray]] = {}
        self._written: set[int] = set()

    @impl(gpu.LaunchFuncOp)
    def launch(
        self, interpreter: Interpreter, op: gpu.LaunchFuncOp, args: PythonValues
    ) -> PythonValues:
        """Queue a launch."""
        del interpreter
        if op.async_token is not None or op.async_object is not None or op.clusters:
            raise ExecutionError(op, "OpenCL launches kernels one after the other, in no clusters")
        kernel = self.kernels[op.kernel_names]
        values = iter(args)
        grid, block = ([int(next(values)) for _ in range(3)] for _ in range(2))
        dynamic = op.dynamic_shared_memory_size
        shared = int(next(values)) if dynamic is not None else 0
        passed: list[Memory | bytes] = []
        for type_, value, is_written in zip(kernel.types, values, kernel.written, strict=True):
            if isinstance(value, Buffer):
                assert isinstance(type_, MemRefType)
                passed += self._array(value.array(op), type_, op, is_written=is_written)
            else:
                passed.append(np.asarray(value, dtype_of(op, type_)).tobytes())
        self.program.launch(
            self.device, kernel.name, grid, block, passed,
            shared if kernel.has_dynamic_memory else None,
        )  # fmt: skip
        return ()

    @impl(gpu.AllocOp)
    def alloc(self, interpreter: Interpreter, op: gpu.AllocOp, args: PythonValues) -> PythonValues:
        """Allocate memory of the device, represented by a new array of the host."""
        del interpreter
        type_, sizes = op.memref.type, iter(args)
        assert isinstance(type_, MemRefType)
        shape = tuple(n if n != DYNAMIC_INDEX else int(next(sizes)) for n in type_.get_shape())
        array = fresh_array(op, shape, type_.element_type)
        return (Buffer(array, op.memref.name_hint or "memory"),)

    @impl(gpu.DeallocOp)
    def dealloc(
        self, interpreter: Interpreter, op: gpu.DeallocOp, args: PythonValues
    ) -> PythonValues:
        """Do nothing: the end of the call frees all memory."""
        del interpreter, op, args
        return ()

    def _array(
        self, array: np.ndarray, type_: MemRefType, op: gpu.LaunchFuncOp, *, is_written: bool
    ) -> list[Memory | bytes]:
        """The kernel arguments for an array: its memory, the offset if it may be a part, and the
        dynamic sizes and strides.
        """
        whole = array
        while id(whole) not in self._arguments and isinstance(whole.base, np.ndarray):
            whole = whole.base
        begin = _address(array) - _address(whole) if array.size else 0
        numbers: list[int] = []
        strides: Sequence[int | None] = [0] * array.ndim
        if isinstance(type_.layout, StridedLayoutAttr):
            numbers.append(begin // array.itemsize)
            strides = type_.layout.get_strides()
        elif begin:
            raise ExecutionError(op, f"a part of an array is passed as {type_}, which is a whole")
        numbers += [
            n
            for size, n in zip(type_.get_shape(), array.shape, strict=True)
            if size == DYNAMIC_INDEX
        ]
        numbers += [
            n // array.itemsize
            for stride, n in zip(strides, array.strides, strict=True)
            if stride is None
        ]
        memory = self._on_device(whole, is_written=is_written)
        return [memory, *(np.int64(n).tobytes() for n in numbers)]

    def _on_device(self, array: np.ndarray, *, is_written: bool) -> Memory:
        """The device memory of an array; the first use uploads the array."""
        key = id(array)
        if key not in self._memory:
            self._memory[key] = self.device.upload(array), array
        if is_written:
            self._written.add(key)
        return self._memory[key][0]

    def end(self) -> None:
        """Wait for the device, and copy back the arrays that kernels wrote."""
        for key in self._written:
            self.device.download(self._memory[key][0])

    def has_written(self, array: np.ndarray) -> bool:
        """True if a kernel may have written an array."""
        return id(array) in self._written

    def release(self) -> None:
        """Free all memory of the device, after its last use."""
        self.device.finish()
        for memory, _ in self._memory.values():
            self.device.release(memory)


class _Runner:
    """Runs the functions of a module: host code in the interpreter, kernels on a device."""

    def __init__(self, module: ModuleOp, source: str) -> None:
        self.program = Program(source, "opencl")
        self.kernels: dict[Names, _Kernel] = {}
        for home in [op for op in module.ops if isinstance(op, GPUModuleOp)]:
            for op in home.body.block.ops:
                if isinstance(op, GPUFuncOp):
                    self.kernels[home.sym_name.data, op.sym_name.data] = _kernel(op)
        self.host = copy_module(module)
        for op in list(self.host.ops):
            if isinstance(op, GPUModuleOp):
                op.detach()

    def function(self, signature: Signature) -> PythonFunction:
        """The function of a signature."""

        def work(*arguments: Any) -> None:
            device = require_device(f"a call of {signature.name}")
            dense = [_dense(argument) for argument in arguments]
            arrays = [array for array in dense if isinstance(array, np.ndarray)]
            with device.lock:
                launches = _Launches(device, self.program, self.kernels, arrays)
                try:
                    run(self.host, signature.name, dense, implementations=[launches])
                    launches.end()
                    for array, caller_array in zip(dense, arguments, strict=True):
                        if array is not caller_array and launches.has_written(array):
                            np.copyto(caller_array, array)
                except ExecutionError as error:
                    raise refusal(signature.name, error) from error
                finally:
                    launches.release()

        return PythonFunction(signature, work)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _dense(argument: Any) -> Any:
    """The argument, or a dense copy of an array that is not dense."""
    is_scattered = isinstance(argument, np.ndarray) and not argument.flags.c_contiguous
    return np.ascontiguousarray(argument) if is_scattered else argument


def _kernel(op: GPUFuncOp) -> _Kernel:
    stored = {
        operand for inner in op.walk() if isinstance(inner, STORES) for operand in inner.operands
    }
    return _Kernel(
        kernel_name(op, OpenCl()),
        tuple(op.function_type.inputs),
        tuple(argument in stored for argument in op.arguments),
        any(isinstance(inner, gpu.DynamicSharedMemoryOp) for inner in op.walk()),
    )


def build_opencl(build: Build) -> Module:
    """Generate OpenCL C, and the functions that run it on an OpenCL device.

    Raises CodegenError KC44xx for constructs that OpenCL C lacks, and the errors of the passes.
    """
    module, source = _lowered(build)
    runner = _Runner(module, source)
    return _module(build, module, source, runner.function)


def build_metal(build: Build) -> Module:
    """Metal source, and functions whose calls are refused, with the command that would run them.

    Raises CodegenError KC44xx for constructs that Metal lacks, and the errors of the passes.
    """
    module, source = _lowered(build)
    hint = 'module.get_source("metal") is the source, for the compiler of Metal'
    return _module(build, module, source, lambda signature: elsewhere(signature, "Metal", hint))


def _lowered(build: Build) -> tuple[ModuleOp, str]:
    warn_unchecked(build.target)
    module, _ = build.lowered()
    return module, emit_gpu_source(
        module, str(build.target.kind), build.target.limits["thread_warp_size"]
    )


def _module(
    build: Build,
    module: ModuleOp,
    source: str,
    make: Callable[[Signature], PythonFunction | DeferredFunction],
) -> Module:
    kind = str(build.target.kind)
    return device_module(build, module, {kind: source}, {kind: lambda: source}, make)


def device_module(
    build: Build,
    module: ModuleOp,
    texts: Mapping[str, Source],
    artefacts: Files,
    make: Callable[[Signature], PythonFunction | DeferredFunction],
) -> Module:
    """The result of a GPU build: functions created by ``make``, and the module of the device, which
    has ``texts`` and can be saved as ``artefacts``.
    """
    gpu_text = printing(copy_module(module))
    sources = {**build.sources(), "gpu": gpu_text, "mlir": gpu_text, **texts}
    tir = sources["tir"]
    functions = {signature.name: make(signature) for signature in build.signatures}
    device = Module(functions, build.entry, texts, artefacts=artefacts)
    return Module(
        functions,
        build.entry,
        sources,
        imported_modules=[device],
        artefacts={**artefacts, "mlir": lambda: loops_text(tir, build.target, build.entry)},
        record=lambda: record_of(build.signatures, build.entry, build.target),
    )


def elsewhere(signature: Signature, machine: str, hint: str) -> DeferredFunction:
    """A function whose call is refused (KC6044), as kc does not launch kernels on ``machine``."""

    def refuse() -> CompiledFunction:
        raise DeviceError(
            "KC6044",
            f"{signature.name} is compiled for {machine}, where kc cannot launch kernels",
            hints=[
                hint,
                'target="cuda-emu" runs the same schedule on this CPU, target="opencl" on a device '
                "of OpenCL",
            ],
        )

    return DeferredFunction(signature, refuse)


OPENCL = Backend(TO_GPU, build_opencl)
"""The backend for targets of the kind ``opencl``; the arrays of a call are the host's."""
METAL = Backend(TO_GPU, build_metal)
"""The backend for targets of the kind ``metal``."""
