"""Memory: the ops of ``memref``, and accesses of elements and vectors for all dialects.

All accesses are checked against the shape of the buffer, and all memory starts as garbage.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, VectorType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute, Operation, SSAValue

from kc.analysis.interpreter.affine_code import map_function
from kc.analysis.interpreter.combine import combining_function
from kc.analysis.interpreter.elementwise import Scalar
from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import (
    ExecutionError,
    OutOfBoundsError,
    UninterpretableError,
    index_text,
)
from kc.analysis.interpreter.values import Buffer, fresh_array, is_float, vector_of
from kc.dialects.memref_atomics import ATOMIC_KINDS
from kc.dialects.memref_views import (
    AtomicYieldOp,
    ExtractAlignedPointerAsIndexOp,
    GenericAtomicRMWOp,
)
from kc.dialects.tir import DYNAMIC

Index = tuple[int, ...]

_COMBINATIONS = {
    "addf": "add",
    "addi": "add",
    "andi": "and",
    "maxs": "maxsi",
    "maxu": "maxui",
    "mins": "minsi",
    "minu": "minui",
    "mulf": "mul",
    "muli": "mul",
    "ori": "or",
    "xori": "xor",
}
"""Kinds of ``memref.atomic_rmw`` with another name in ``vector.reduction``."""


def element_reader(op: Operation, element: Attribute) -> Callable[[Buffer, Index], Any]:
    """The function by which ``op`` reads one element of type ``element`` from a buffer."""
    as_is = is_float(element)

    def read(buffer: Buffer, index: Index) -> Any:
        data = buffer.array(op)
        for i, size in zip(index, data.shape, strict=True):
            if not 0 <= i < size:
                raise OutOfBoundsError(op, buffer, index)
        return data[index] if as_is else data.item(index)

    return read


def element_writer(op: Operation) -> Callable[[Any, Buffer, Index], None]:
    """The function by which ``op`` writes one element of a buffer."""

    def write(value: Any, buffer: Buffer, index: Index) -> None:
        data = buffer.array(op)
        for i, size in zip(index, data.shape, strict=True):
            if not 0 <= i < size:
                raise OutOfBoundsError(op, buffer, index)
        data[index] = value

    return write


def _window(op: Operation, buffer: Buffer, index: Index, shape: tuple[int, ...]) -> tuple:
    """The slices of a vector of ``shape`` along the last dimensions, from ``index`` on."""
    data = buffer.array(op)
    leading = len(index) - len(shape)
    if leading < 0:
        raise ExecutionError(op, f"a vector of rank {len(shape)} in {buffer.name} of a lower rank")
    counts = (*([1] * leading), *shape)
    for i, count, size in zip(index, counts, data.shape, strict=True):
        if not 0 <= i <= size - count:
            raise OutOfBoundsError(op, buffer, index, shape)
    last = [slice(i, i + n) for i, n in zip(index[leading:], shape, strict=True)]
    return (*index[:leading], *last)


def vector_reader(op: Operation, vector: VectorType) -> Callable[[Buffer, Index], np.ndarray]:
    """The function by which ``op`` reads consecutive elements of a buffer."""
    shape = tuple(vector.get_shape())
    return lambda buffer, index: vector_of(buffer.array(op)[_window(op, buffer, index, shape)])


def vector_writer(op: Operation, vector: VectorType) -> Callable[[np.ndarray, Buffer, Index], None]:
    """The function by which ``op`` writes consecutive elements of a buffer."""
    shape = tuple(vector.get_shape())

    def write(value: np.ndarray, buffer: Buffer, index: Index) -> None:
        buffer.array(op)[_window(op, buffer, index, shape)] = value

    return write


def reader(op: Operation, result: Attribute) -> Callable[[Buffer, Index], Any]:
    """The function by which ``op`` reads a value of type ``result``."""
    if isinstance(result, VectorType):
        return vector_reader(op, result)
    return element_reader(op, result)


def writer(op: Operation, value: Attribute) -> Callable[[Any, Buffer, Index], None]:
    """The function by which ``op`` writes a value of type ``value``."""
    return vector_writer(op, value) if isinstance(value, VectorType) else element_writer(op)


def allocation(op: Operation, type_: MemRefType, name: str) -> Run:
    """The function by which ``op`` allocates a buffer of a type from its dynamic sizes."""
    static = type_.get_shape()

    def allocate(*sizes: int) -> Buffer:
        dynamic = iter(sizes)
        shape = tuple(next(dynamic) if size == DYNAMIC else size for size in static)
        return Buffer(fresh_array(op, shape, type_.element_type), name)

    return allocate


def _name(value: SSAValue) -> str:
    return value.name_hint or "a buffer"


def _mixed(static: Sequence[int], dynamic: Sequence[Any]) -> list[Any]:
    """Static values, with MLIR's placeholders replaced by the dynamic values."""
    rest = iter(dynamic)
    return [next(rest) if value == DYNAMIC else value for value in static]


@register_impls
class MemRefFunctions(InterpreterFunctions):
    """``memref``, and the accesses of ``affine``."""

    @prepared(memref.LoadOp)
    def load(self, interpreter: KernelInterpreter, op: memref.LoadOp) -> Run:
        read = element_reader(op, op.res.type)
        return lambda buffer, *index: read(buffer, index)

    @prepared(memref.StoreOp)
    def store(self, interpreter: KernelInterpreter, op: memref.StoreOp) -> Run:
        write = element_writer(op)
        return lambda value, buffer, *index: write(value, buffer, index)

    @prepared(memref.AtomicRMWOp)
    def atomic_update(self, interpreter: KernelInterpreter, op: memref.AtomicRMWOp) -> Run:
        read, write = element_reader(op, op.result.type), element_writer(op)
        kind = ATOMIC_KINDS[op.kind.value.data]
        if kind == "assign":
            combine: Scalar = lambda _, value: value  # noqa: E731
        else:
            combine = combining_function(op, _COMBINATIONS.get(kind, kind), op.result.type)

        def run(value: Any, buffer: Buffer, *index: int) -> Any:
            old = read(buffer, index)
            write(combine(old, value), buffer, index)
            return old

        return run

    @prepared(GenericAtomicRMWOp)
    def generic_atomic_update(self, interpreter: KernelInterpreter, op: GenericAtomicRMWOp) -> Run:
        read, write = element_reader(op, op.result.type), element_writer(op)
        body = interpreter.runner(op.body)

        def run(buffer: Buffer, *index: int) -> Any:
            old = read(buffer, index)
            (new,) = body(old)
            write(new, buffer, index)
            return old

        return run

    @impl_terminator(AtomicYieldOp)
    def atomic_yield(
        self, interpreter: Interpreter, op: AtomicYieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @prepared(affine.LoadOp)
    def affine_load(self, interpreter: KernelInterpreter, op: affine.LoadOp) -> Run:
        read, index = element_reader(op, op.result.type), map_function(op.map.data)
        return lambda buffer, *operands: read(buffer, index(*operands))

    @prepared(affine.StoreOp)
    def affine_store(self, interpreter: KernelInterpreter, op: affine.StoreOp) -> Run:
        write, index = element_writer(op), map_function(op.map.data)
        return lambda value, buffer, *operands: write(value, buffer, index(*operands))

    @prepared(memref.AllocOp)
    def alloc(self, interpreter: KernelInterpreter, op: memref.AllocOp) -> Run:
        return allocation(op, op.memref.type, _name(op.memref))

    @prepared(memref.AllocaOp)
    def alloca(self, interpreter: KernelInterpreter, op: memref.AllocaOp) -> Run:
        return allocation(op, op.memref.type, _name(op.memref))

    @prepared(memref.DeallocOp)
    def dealloc(self, interpreter: KernelInterpreter, op: memref.DeallocOp) -> Run:
        def run(buffer: Buffer) -> None:
            buffer.array(op)
            buffer.free()

        return run

    @prepared(memref.GetGlobalOp)
    def get_global(self, interpreter: KernelInterpreter, op: memref.GetGlobalOp) -> Run:
        name = op.name_.string_value()
        symbol = interpreter.symbol_op(name)
        if not isinstance(symbol, memref.GlobalOp):
            raise ExecutionError(op, f"@{name} is not a memref.global")

        def make() -> Buffer:
            data = fresh_array(symbol, symbol.type.get_shape(), symbol.type.element_type)
            if isinstance(initial := symbol.initial_value, DenseIntOrFPElementsAttr):
                data[...] = np.array(initial.get_values(), data.dtype).reshape(data.shape)
            return Buffer(data, name)

        return lambda: interpreter.global_value(symbol, make)

    @prepared(memref.DimOp)
    def dim(self, interpreter: KernelInterpreter, op: memref.DimOp) -> Run:
        def run(buffer: Buffer, index: int) -> int:
            shape = buffer.array(op).shape
            if not 0 <= index < len(shape):
                raise ExecutionError(op, f"{buffer.name} of rank {len(shape)} has no dim {index}")
            return shape[index]

        return run

    @prepared(ExtractAlignedPointerAsIndexOp)
    def pointer(self, interpreter: KernelInterpreter, op: ExtractAlignedPointerAsIndexOp) -> Run:
        return lambda buffer: buffer.array(op).ctypes.data

    @prepared(memref.ExtractStridedMetaDataOp)
    def metadata(self, interpreter: KernelInterpreter, op: memref.ExtractStridedMetaDataOp) -> Run:
        if op.base_buffer.uses or op.offset.uses:
            raise UninterpretableError(op, "only sizes and strides are known")

        def run(buffer: Buffer) -> tuple[Any, ...]:
            array = buffer.array(op)
            strides = (stride // array.itemsize for stride in array.strides)
            return buffer, 0, *array.shape, *strides

        return run

    @prepared(memref.RankOp)
    def rank(self, interpreter: KernelInterpreter, op: memref.RankOp) -> Run:
        return lambda buffer: buffer.array(op).ndim

    @prepared(memref.CastOp)
    def cast(self, interpreter: KernelInterpreter, op: memref.CastOp) -> Run:
        target = op.dest.type
        if not isinstance(target, MemRefType):
            raise UninterpretableError(op, f"a cast to {target} cannot be interpreted")
        expected = target.get_shape()

        def run(buffer: Buffer) -> Buffer:
            shape = buffer.array(op).shape
            if any(want not in (DYNAMIC, size) for want, size in zip(expected, shape, strict=True)):
                raise ExecutionError(
                    op, f"{buffer.name} of shape {index_text(shape)} is not a {target}"
                )
            return buffer

        return run

    @prepared(memref.MemorySpaceCastOp)
    def space_cast(self, interpreter: KernelInterpreter, op: memref.MemorySpaceCastOp) -> Run:
        return lambda buffer: buffer

    @prepared(memref.AssumeAlignmentOp)
    def assume_alignment(self, interpreter: KernelInterpreter, op: memref.AssumeAlignmentOp) -> Run:
        return lambda buffer: buffer

    @prepared(memref.CopyOp)
    def copy(self, interpreter: KernelInterpreter, op: memref.CopyOp) -> Run:
        def run(source: Buffer, target: Buffer) -> None:
            read, written = source.array(op), target.array(op)
            if read.shape != written.shape:
                raise ExecutionError(
                    op,
                    f"{source.name} of shape {index_text(read.shape)} is copied to {target.name} "
                    f"of shape {index_text(written.shape)}",
                )
            written[...] = read

        return run

    @prepared(memref.SubviewOp)
    def subview(self, interpreter: KernelInterpreter, op: memref.SubviewOp) -> Run:
        statics = [
            tuple(static.get_values())
            for static in (op.static_offsets, op.static_sizes, op.static_strides)
        ]
        first = len(op.offsets)
        second = first + len(op.sizes)
        result_shape = op.result.type.get_shape()

        def run(buffer: Buffer, *dynamic: int) -> Buffer:
            parts = dynamic[:first], dynamic[first:second], dynamic[second:]
            offsets, sizes, strides = map(_mixed, statics, parts)
            data = buffer.array(op)
            for offset, count, stride, size in zip(
                offsets, sizes, strides, data.shape, strict=True
            ):
                last = offset + (count - 1) * stride
                if min(count, stride) < 0 or (count and not (0 <= offset and last < size)):
                    raise OutOfBoundsError(op, buffer, offsets, sizes)
            view = data[
                tuple(
                    slice(offset, offset + count * stride, stride)
                    for offset, count, stride in zip(offsets, sizes, strides, strict=True)
                )
            ]
            return buffer.view(view.reshape(_kept_sizes(sizes, result_shape)))

        return run


def _kept_sizes(sizes: Sequence[int], target: Sequence[int]) -> tuple[int, ...]:
    """``sizes`` without the dimensions of size 1 that a rank-reducing view drops."""
    for positions in itertools.combinations(range(len(sizes)), len(target)):
        shape = tuple(sizes[n] for n in positions)
        dropped = (size for n, size in enumerate(sizes) if n not in positions)
        if all(goal in (DYNAMIC, size) for goal, size in zip(target, shape, strict=True)) and all(
            size == 1 for size in dropped
        ):
            return shape
    return tuple(sizes)
