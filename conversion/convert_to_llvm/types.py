"""The translation of types to the llvm dialect.

=====================  ==========================================================
``index``              i64
``i1`` in memory       i8: one byte an element; also as an argument or a result
``f8E4M3FN, f8E5M2``   i8: ``legalize-narrow-floats`` has made arithmetic on them arithmetic on bits
``vector<NxT>``        itself, with ``T`` converted; of several dimensions, one of all elements in
                       order, of at most :data:`MAX_LANES` and of fixed size
``memref<...xT>``      a pointer, then one i64 for each dynamic dimension; then, if it is a part
                       of another (``strided<[?, 1], offset: ?>``), one for each dynamic stride,
                       the pointer being that of its first element
a tensor map           a pointer to its 128 bytes, which a kernel gets by value
=====================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    Signedness,
    StridedLayoutAttr,
    StringAttr,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineMap

from kc.conversion.driver import ConversionTarget, converted_type
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr
from kc.dialects.llvm import element_type, is_compatible_type, same_shape
from kc.dialects.nvgpu import TensorMapDescriptorType
from kc.support.diagnostics import CodegenError

POINTER = LLVMPointerType()
MAX_LANES = 4096
"""The maximum number of elements of a vector: LLVM takes quadratic time for some vectors."""
SHARED_SPACE = 3
"""The address space of the memory of a block of threads (NVPTX, AMDGPU)."""

_FLOATS = (Float16Type, BFloat16Type, Float32Type, Float64Type)
_BYTE_FLOATS = (Float8E4M3FNType, Float8E5M2Type)
_MEMORY_WIDTHS = (8, 16, 32, 64)
# Memory scopes that are ordinary memory on a CPU, where every thread sees all of it.
CPU_SCOPES = ("global", "local", "shared", "shared.dyn", "warp")


def unsupported_type(ty: Attribute, why: str) -> CodegenError:
    """The error for a type that cannot be lowered."""
    return CodegenError("KC4303", f"convert-to-llvm: the type {ty} is not supported", why=why)


def require_wide(op: Operation) -> None:
    """Refuse (KC4303) arithmetic on 8-bit floats, which ``legalize-narrow-floats`` removes."""
    for value in (*op.operands, *op.results):
        if isinstance(element_type(value.type), _BYTE_FLOATS):
            raise unsupported_type(
                value.type, f"{op.name} on it is what legalize-narrow-floats, run before, replaces"
            )


TARGET = ConversionTarget("convert-to-llvm", legal=("llvm",))


def convert_type(ty: Attribute) -> Attribute:
    """The llvm type of a value of type ``ty`` in a register (memrefs: see :func:`flat_types`).

    Patterns of plugins convert their own types. Raises CodegenError KC4303.
    """
    try:
        return _convert_own(ty)
    except CodegenError:
        if (theirs := converted_type(TARGET, element_type(ty))) is None:
            raise
        return _convert_own(same_shape(ty, theirs))


@lru_cache(maxsize=1024)
def _convert_own(ty: Attribute) -> Attribute:
    """:func:`convert_type` for types of kc and xDSL."""
    if isinstance(ty, IndexType):
        return i64
    if isinstance(ty, IntegerType):
        if ty.signedness.data != Signedness.SIGNLESS:
            raise unsupported_type(ty, "integers are signless, the operations carry the sign")
        return ty
    if isinstance(ty, _FLOATS):
        return ty
    if isinstance(ty, _BYTE_FLOATS):
        return i8
    if isinstance(ty, VectorType):
        if ty.get_num_scalable_dims():
            raise unsupported_type(ty, "vectors are of fixed size")
        count = prod(ty.get_shape())
        if not 1 <= count <= MAX_LANES:
            raise unsupported_type(ty, f"vectors have 1 to {MAX_LANES} elements")
        element = _convert_own(ty.element_type)
        if ty.get_num_dims() == 1 and element == ty.element_type:
            return ty
        return VectorType(element, [count])
    if is_compatible_type(ty):
        return ty
    if isinstance(ty, TensorMapDescriptorType):
        return POINTER
    raise unsupported_type(ty, "it has no counterpart in the llvm dialect")


def storage_type(ty: Attribute) -> Attribute:
    """The llvm type of an element, or a vector of elements, in memory: an i1 takes a byte."""
    return _in_memory(convert_type(ty))


@lru_cache(maxsize=256)
def _in_memory(ty: Attribute) -> Attribute:
    """The memory type of the register type ``ty``."""
    if isinstance(ty, VectorType):
        return VectorType(_in_memory(ty.element_type), ty.shape)
    if ty == i1:
        return i8
    if isinstance(ty, IntegerType) and ty.width.data not in _MEMORY_WIDTHS:
        raise unsupported_type(ty, "integers in memory have 1, 8, 16, 32 or 64 bits")
    if not isinstance(ty, (IntegerType, *_FLOATS)):
        raise unsupported_type(ty, "memrefs hold integers and floats")
    return ty


def dense(ty: VectorType, values: Sequence[int | float]) -> DenseIntOrFPElementsAttr:
    """A constant vector: one value for all lanes, or one for each."""
    return DenseIntOrFPElementsAttr.from_list(cast(Any, ty), values)


def memory_element(memref: MemRefType) -> Attribute:
    """The llvm type of the elements of a memref, which are scalars."""
    if isinstance(memref.element_type, VectorType):
        raise unsupported_type(memref, "memrefs hold integers and floats")
    return storage_type(memref.element_type)


def element_size(memref: MemRefType) -> int:
    """The size of an element in bytes, which is also its guaranteed alignment."""
    element = memory_element(memref)
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth // 8


def pointer_type(memref: MemRefType) -> LLVMPointerType:
    """The type of the data pointer of a memref; refuses layouts and foreign memory spaces."""
    layout, space = memref.layout, memref.memory_space
    if not isinstance(layout, NoneAttr | StridedLayoutAttr) and not (
        isinstance(layout, AffineMapAttr)
        and layout.data == AffineMap.identity(memref.get_num_dims())
    ):
        raise unsupported_type(memref, "memory is dense and row-major, or a strided part of it")
    if isinstance(space, NoneAttr) or (
        isinstance(space, StringAttr) and space.data in ("", *CPU_SCOPES)
    ):
        return POINTER
    if isinstance(space, IntegerAttr):
        return POINTER if space.value.data == 0 else LLVMPointerType(IntAttr(space.value.data))
    if isinstance(space, AddressSpaceAttr):
        is_shared = space.data is AddressSpace.WORKGROUP
        return LLVMPointerType(IntAttr(SHARED_SPACE)) if is_shared else POINTER
    raise unsupported_type(memref, f"the memory space {space} does not exist on a CPU")


def dynamic_dimensions(memref: MemRefType) -> list[int]:
    """The indices of the dimensions with a dynamic size."""
    return [i for i, size in enumerate(memref.get_shape()) if size == DYNAMIC_INDEX]


def is_strided(memref: MemRefType) -> bool:
    """True if a memref is a strided view."""
    return isinstance(memref.layout, StridedLayoutAttr)


def dynamic_strides(memref: MemRefType) -> list[int]:
    """The indices of the dimensions of a view with a dynamic stride."""
    if not is_strided(memref):
        return []
    return [i for i, stride in enumerate(memref.get_strides() or ()) if stride is None]


def flat_types(ty: Attribute) -> list[Attribute]:
    """The llvm types that represent a value of type ``ty`` in block arguments."""
    if isinstance(ty, MemRefType):
        memory_element(ty)
        dynamic = [*dynamic_dimensions(ty), *dynamic_strides(ty)]
        return [pointer_type(ty), *(i64 for _ in dynamic)]
    return [convert_type(ty)]


def abi_types(ty: Attribute) -> list[Attribute]:
    """The llvm types that represent ``ty`` in arguments and results of functions."""
    return [i8] if ty == i1 else flat_types(ty)
