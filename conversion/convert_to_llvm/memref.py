"""The memref dialect: memory, and the addresses of elements.

An address is a single ``getelementptr`` typed on the trailing dimensions of constant size, as
nested arrays: ``%A[%i, %j]`` of a ``memref<?x64xf32>`` is ``getelementptr inbounds %A[%i, %j] :
array<64 x f32>``. This is one operation instead of a chain of multiplications and additions; LLVM
folds the constants into addressing modes in both cases. Only dimensions before a dynamic one are
linearised, with ``nsw``. The pointer is always derived from that of the buffer, which preserves
LLVM's aliasing information.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

from xdsl.dialects import memref as memref_dialect
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.arith import compare
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern, Nested
from kc.conversion.convert_to_llvm.new_module import NewModule
from kc.conversion.convert_to_llvm.scf import NO_SIGNED_WRAP, terminator
from kc.conversion.convert_to_llvm.types import (
    POINTER,
    element_size,
    is_strided,
    memory_element,
    pointer_type,
    storage_type,
    unsupported_type,
)
from kc.conversion.convert_to_llvm.values import Constant, MemRef, Origin
from kc.dialects import llvm
from kc.dialects.float_types import float_dtype
from kc.dialects.llvm import element_type, same_shape
from kc.dialects.llvm.pointers import GEP_FLAGS
from kc.dialects.memref import PrefetchOp
from kc.dialects.memref_atomics import ATOMIC_KINDS
from kc.dialects.memref_views import (
    DISJOINT,
    EXTERNAL,
    AtomicYieldOp,
    GenericAtomicRMWOp,
    ReshapeOp,
)
from kc.support.diagnostics import CodegenError
from kc.support.float_formats import NARROW_FLOATS

# The alignment of every allocation: a cache line, and the widest vector.
ALIGNMENT = 64
LARGEST_CONSTANT_INDEX = 2**31 - 1
"""The largest constant index of ``llvm.getelementptr``."""
_TRUE = BoolAttr.from_bool(True)
_INBOUNDS = IntegerAttr(GEP_FLAGS["inbounds"], i32)
_ANYWHERE = IntegerAttr(0, i32)


def element_pointer(
    s: FunctionLowering,
    memref: MemRef,
    indices: Sequence[int | SSAValue],
    *,
    inbounds: bool = True,
) -> SSAValue:
    """The address of the element at ``indices``; ``inbounds`` promises that it is inside the
    memory.
    """
    if all(index == 0 for index in indices):
        return memref.pointer
    if memref.strides is not None:
        place: int | SSAValue = 0
        for index, stride in zip(indices, memref.strides, strict=True):
            place = add(s, place, multiply(s, index, stride))
        element = memory_element(memref.type)
        return emit_gep(s, memref.pointer, [place], element, inbounds=inbounds)
    shape = memref.shape
    inner = len(shape)
    while inner > 1 and isinstance(shape[inner - 1], int):
        inner -= 1
    # Dimensions before `inner` are linearised; the sizes of the others make an array type.
    linear = indices[0]
    for index, size in zip(indices[1:inner], shape[1:inner], strict=True):
        linear = add(s, multiply(s, linear, size), index)
    pointee = array_type(memory_element(memref.type), shape[inner:])
    return emit_gep(s, memref.pointer, [linear, *indices[inner:]], pointee, inbounds=inbounds)


@lru_cache(maxsize=1024)
def array_type(element: Attribute, shape: tuple[int | SSAValue, ...]) -> Attribute:
    """The type of nested LLVM arrays with these constant sizes; ``element`` itself if there are no
    sizes.
    """
    for size in reversed(shape):
        assert isinstance(size, int)
        element = llvm.LLVMArrayType(size, element)
    return element


@lru_cache(maxsize=1024)
def _constant_indices(indices: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, indices)


def emit_gep(
    s: FunctionLowering,
    pointer: SSAValue,
    indices: Sequence[int | SSAValue],
    pointee: Attribute,
    *,
    inbounds: bool = True,
) -> SSAValue:
    """``llvm.getelementptr``, typed on ``pointee``."""
    path = [
        i if isinstance(i, SSAValue) or abs(i) <= LARGEST_CONSTANT_INDEX else s.as_value(i)
        for i in indices
    ]
    constants = tuple(i if isinstance(i, int) else llvm.GEP_USE_SSA_VAL for i in path)
    return s.emit(
        llvm.GEPOp,
        [pointer, *(i for i in path if isinstance(i, SSAValue))],
        pointer.type,
        {
            "elem_type": pointee,
            "rawConstantIndices": _constant_indices(constants),
            "noWrapFlags": _INBOUNDS if inbounds else _ANYWHERE,
        },
    )


def multiply(s: FunctionLowering, lhs: int | SSAValue, rhs: int | SSAValue) -> int | SSAValue:
    """A product of indices that does not overflow."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs * rhs
    if lhs == 0 or rhs == 0:
        return 0
    if lhs == 1:
        return rhs
    if rhs == 1:
        return lhs
    return s.emit(llvm.MulOp, [s.as_value(lhs), s.as_value(rhs)], i64, NO_SIGNED_WRAP)


def add(s: FunctionLowering, lhs: int | SSAValue, rhs: int | SSAValue) -> int | SSAValue:
    """A sum of indices that does not overflow."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs + rhs
    if lhs == 0:
        return rhs
    if rhs == 0:
        return lhs
    return s.emit(llvm.AddOp, [s.as_value(lhs), s.as_value(rhs)], i64, NO_SIGNED_WRAP)


def access(s: FunctionLowering, memref: MemRef, operands: Sequence[SSAValue]) -> SSAValue:
    """The address of the element at the old index values ``operands``."""
    return element_pointer(s, memref, [s.index(operand) for operand in operands])


def from_storage(s: FunctionLowering, value: SSAValue, ty: Attribute) -> SSAValue:
    """A loaded ``value`` as the register type ``ty``: booleans are bytes in memory."""
    if element_type(ty) == i1:
        return compare(s, "ne", value, s.int_constant(0, value.type))
    return value


def to_storage(s: FunctionLowering, value: SSAValue) -> SSAValue:
    """The inverse of :func:`from_storage`."""
    if element_type(value.type) == i1:
        return s.emit(llvm.ZExtOp, [value], same_shape(value.type, storage_type(i1)))
    return value


def access_properties(op: Operation, alignment: int | None = None) -> dict[str, Attribute]:
    """The properties of the llvm load or store for ``op``."""
    properties: dict[str, Attribute] = {}
    if op.properties.get("nontemporal") == _TRUE:
        properties["nontemporal"] = UnitAttr()
    if alignment is not None:
        properties["alignment"] = _alignment_attr(alignment)
    return properties


@lru_cache(maxsize=64)
def _alignment_attr(alignment: int) -> IntegerAttr:
    return IntegerAttr(alignment, i64)


def _vector_alignment(op: Operation, memref: MemRef, ty: Attribute) -> int | None:
    """The alignment of an access to several elements, which must be adjacent: that of ``op``, or of
    an element.
    """
    if ty == memref.type.element_type:
        return None
    if memref.strides is not None and memref.strides[-1:] != (1,):
        raise unsupported_type(memref.type, "a vector is of consecutive elements")
    alignment = op.get_attr_or_prop("alignment")
    size = element_size(memref.type)
    return max(size, alignment.value.data) if isinstance(alignment, IntegerAttr) else size


def emit_load(
    s: FunctionLowering, op: Operation, memref: MemRef, indices: Sequence[SSAValue]
) -> None:
    """Replace ``op`` by a load of its result type from the element at ``indices``."""
    (result,) = op.results
    stored = storage_type(result.type)
    # Vectors are loaded from wherever their first element lies.
    alignment = _vector_alignment(op, memref, result.type)
    pointer = access(s, memref, indices)
    loaded = s.emit(llvm.LoadOp, [pointer], stored, access_properties(op, alignment))
    s.define(result, from_storage(s, loaded, result.type))


def emit_store(
    s: FunctionLowering, op: Operation, old: SSAValue, memref: MemRef, indices: Sequence[SSAValue]
) -> None:
    """Replace ``op`` by a store of ``old`` to the element at ``indices``."""
    memref.origin.written = True
    alignment = _vector_alignment(op, memref, old.type)
    value = to_storage(s, s.value(old))
    pointer = access(s, memref, indices)
    properties = access_properties(op, alignment)
    s.stores_past_caches |= "nontemporal" in properties
    s.create(llvm.StoreOp, [value, pointer], (), properties)


def strides_of(s: FunctionLowering, memref: MemRef) -> tuple[int | SSAValue, ...]:
    """The strides of a memref, in elements."""
    if memref.strides is not None:
        return memref.strides
    strides: list[int | SSAValue] = []
    step: int | SSAValue = 1
    for size in reversed(memref.shape):
        strides.append(step)
        step = multiply(s, step, size)
    return tuple(reversed(strides))


def require_dense(ty: MemRefType) -> None:
    """Refuse a strided memref where a dense one is required."""
    if is_strided(ty):
        raise unsupported_type(ty, "only memref.subview and arguments define views of memory")


def _mixed(
    s: FunctionLowering, static: DenseArrayBase[IntegerType], dynamic: Sequence[SSAValue]
) -> list[int | SSAValue]:
    """The numbers of a view, of which some are operands."""
    rest = iter(dynamic)
    return [
        s.index(next(rest)) if value == DYNAMIC_INDEX else int(value)
        for value in static.iter_values()
    ]


class LowerSubview(LlvmPattern):
    """A view of memory: the address of its first element, with strides.

    ::

        %p = memref.subview %A[%i, 0] [1, 4] [1, 1]    ->    llvm.getelementptr inbounds %A[%i, 0]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.SubviewOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, result = s.memref(op.source), op.result
        assert isinstance(result.type, MemRefType)
        pointer_type(result.type)

        offsets = _mixed(s, op.static_offsets, op.offsets)
        sizes = _mixed(s, op.static_sizes, op.sizes)
        steps = _mixed(s, op.static_strides, op.strides)
        strides = [
            multiply(s, stride, step)
            for stride, step in zip(strides_of(s, source), steps, strict=True)
        ]
        dims = _kept_dimensions(sizes, result.type.get_num_dims())
        part = MemRef(
            element_pointer(s, source, offsets),
            tuple(sizes[n] for n in dims),
            result.type,
            source.origin,
            tuple(strides[n] for n in dims),
        )
        s.define(result, part)


def _kept_dimensions(sizes: Sequence[int | SSAValue], rank: int) -> list[int]:
    """The dimensions that a rank-reducing view keeps: dimensions of size 1 are dropped, from the
    front.
    """
    drop = len(sizes) - rank
    dims: list[int] = []
    for n, size in enumerate(sizes):
        if drop and size == 1:
            drop -= 1
        else:
            dims.append(n)
    return dims


class LowerView(LlvmPattern):
    """A typed view of an array of bytes.

    ::

        %S = memref.view %m[%shift][] : memref<?xi8> to memref<8xf32>    ->    llvm.getelementptr
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.ViewOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, type_ = s.memref(op.source), op.result.type
        assert isinstance(type_, MemRefType)
        pointer_type(type_)
        sizes = iter(op.sizes)
        shape = tuple(
            s.index(next(sizes)) if size == DYNAMIC_INDEX else size for size in type_.get_shape()
        )
        shift = s.index(op.byte_shift)
        pointer = source.pointer if shift == 0 else emit_gep(s, source.pointer, [shift], i8)
        origin = source.origin
        if DISJOINT in op.attributes:
            origin = Origin()
            source.origin.flows_to.append(origin)
        s.define(op.result, MemRef(pointer, shape, type_, origin))


class LowerReinterpretCast(LlvmPattern):
    """Dense memory with other sizes, or from another element on.

    ::

        %B = memref.reinterpret_cast %A to offset: [8], sizes: [4, 2], strides: [2, 1]

    becomes ::

        llvm.getelementptr inbounds %A[8]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref_dialect.ReinterpretCastOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        source, type_ = s.memref(op.source), op.result.type
        assert isinstance(type_, MemRefType)
        require_dense(source.type)
        pointer_type(type_)

        (offset,) = _mixed(s, op.static_offsets, op.offsets)
        shape = tuple(_mixed(s, op.static_sizes, op.sizes))
        strides = tuple(_mixed(s, op.static_strides, op.strides))
        pointer = source.pointer
        if offset != 0:
            pointer = emit_gep(s, pointer, [offset], memory_element(source.type))
        is_dense = not is_strided(type_)
        s.define(
            op.result,
            MemRef(pointer, shape, type_, source.origin, None if is_dense else strides),
        )


class LowerReshape(LlvmPattern):
    """The same memory with sizes that are loaded from other memory.

    ::

        %B = memref.reshape %A(%s) : (memref<?xf32>, memref<1xi32>) -> memref<?xf32>

    becomes ::

        %B_0 = llvm.sext (llvm.load %s) : i32 to i64
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, listed, result = s.memref(op.source), s.memref(op.shape), op.result.type
        for memref in (source.type, listed.type):
            require_dense(memref)
        if not isinstance(result, MemRefType):
            raise unsupported_type(result, "memrefs have a rank")
        pointer_type(result)
        require_dense(result)
        stored = memory_element(listed.type)
        shape: list[int | SSAValue] = []
        for n, size in enumerate(result.get_shape()):
            if size != DYNAMIC_INDEX:
                shape.append(size)
                continue
            value = s.emit(llvm.LoadOp, [element_pointer(s, listed, [n])], stored)
            if stored != i64:
                value = s.emit(llvm.SExtOp, [value], i64)
            shape.append(value)
        s.define(op.result, MemRef(source.pointer, tuple(shape), result, source.origin))


class LowerPointer(LlvmPattern):
    """The address of memory as a number.

    ::

        %i = memref.extract_aligned_pointer_as_index %A    ->    %i = llvm.ptrtoint %A

    Only passes use this op on a view, which does not keep the start of its array. They request the
    address of the first element (:data:`FIRST_ELEMENT`).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref_dialect.ExtractAlignedPointerAsIndexOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        source = s.memref(op.source)
        layout = source.type.layout
        is_begin = isinstance(layout, StridedLayoutAttr) and layout.get_offset() == 0
        if not (is_begin or FIRST_ELEMENT in op.attributes):
            require_dense(source.type)
        # The address escapes: its users may write there.
        source.origin.escaped = source.origin.written = True
        s.define(op.aligned_pointer, s.emit(llvm.PtrToIntOp, [source.pointer], i64))


class LowerLoad(LlvmPattern):
    """Load an element.

    ::

        %v = memref.load %A[%i] : memref<8xf32>    ->    %0 = llvm.getelementptr inbounds %A[0, %i]
                                                         %v = llvm.load %0
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.LoadOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        emit_load(s, op, s.memref(op.operands[0]), op.operands[1:])


class LowerStore(LlvmPattern):
    """Store an element.

    ::

        memref.store %v, %A[%i]    ->    llvm.store %v, (llvm.getelementptr inbounds %A[0, %i])
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.StoreOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        emit_store(s, op, op.operands[0], s.memref(op.operands[1]), op.operands[2:])


class LowerPrefetch(LlvmPattern):
    """Prefetch an address, which may be outside of the memory: it is not ``inbounds``.

    ::

        memref.prefetch %A[%i], read, ...    ->    llvm.intr.prefetch (llvm.getelementptr %A[0, %i])
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PrefetchOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        indices = [s.index(index) for index in op.indices]
        pointer = element_pointer(s, s.memref(op.memref), indices, inbounds=False)
        locality = op.localityHint.value.data
        s.insert(llvm.PrefetchOp(pointer, int(op.writes), locality, int(op.of_data)))


FIRST_ELEMENT = "kc.first_element"
"""An attribute of ``memref.extract_aligned_pointer_as_index``: the address of the first element is
required, even if the array begins before it.
"""

_ATOMIC_UPDATES = {
    "addf": "fadd",
    "addi": "add",
    "andi": "_and",
    "assign": "xchg",
    "maximumf": "fmaximum",
    "maxnumf": "fmax",
    "maxs": "max",
    "maxu": "umax",
    "minimumf": "fminimum",
    "minnumf": "fmin",
    "mins": "min",
    "minu": "umin",
    "ori": "_or",
    "xori": "_xor",
}
"""LLVM's names of atomic updates. It has none for products."""


class LowerAtomicUpdate(LlvmPattern):
    """An atomic update with acquire-release ordering, as upstream's.

    ::

        memref.atomic_rmw addf %v, %A[%i]    ->    llvm.atomicrmw fadd %0, %v acq_rel
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref_dialect.AtomicRMWOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        kind = ATOMIC_KINDS[op.kind.value.data]
        if kind not in _ATOMIC_UPDATES or op.value.type == i1:
            raise CodegenError(
                "KC4305",
                f"convert-to-llvm: memref.atomic_rmw {kind} of {op.value.type}",
                why="LLVM has atomic updates of all kinds but mulf and muli, and of bytes or more",
            )
        memref = s.memref(op.memref)
        memref.origin.written = True
        pointer = access(s, memref, op.indices)
        update = llvm.AtomicRMWOp(_ATOMIC_UPDATES[kind], pointer, s.value(op.value), "acq_rel")
        s.define(op.result, s.insert(update).results[0])


class LowerGenericAtomicUpdate(LlvmPattern):
    """An atomic update by any computation, repeated until the element is unchanged since its load.

    ::

        %r = memref.generic_atomic_rmw %A[%i] { ... }

    becomes ::

        ^update(%old): ... (%current, %is_done) = llvm.cmpxchg %0, %old, %new
                       llvm.cond_br %is_done, ^after, ^update(%current)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GenericAtomicRMWOp, rewriter: PatternRewriter, /) -> None:
        element = op.result.type
        width = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
        if width not in (8, 16, 32, 64):
            raise CodegenError(
                "KC4305",
                f"convert-to-llvm: memref.generic_atomic_rmw of {element}",
                why="LLVM exchanges elements of 8, 16, 32 or 64 bits",
            )
        self.conversion.nest(self._blocks(op, IntegerType(width)))

    def _blocks(self, op: GenericAtomicRMWOp, bits: IntegerType) -> Nested:
        s = self.conversion
        is_float = isinstance(op.result.type, AnyFloat)

        def cast(value: SSAValue, type_: Attribute) -> SSAValue:
            return s.emit(llvm.BitcastOp, [value], type_) if is_float else value

        memref = s.memref(op.memref)
        memref.origin.written = True
        pointer = access(s, memref, op.indices)
        (block,) = op.body.blocks
        s.enter_loop()
        update, after = s.new_block(block.args), s.new_block()
        (old,) = update.args
        width = bits.width.data // 8
        load = llvm.LoadOp(pointer, bits, alignment=width, ordering="monotonic")
        s.branch(update, [cast(s.insert(load).results[0], old.type)])
        s.start(update)
        yield block
        new = s.value(terminator(block).operands[0])
        exchange = s.insert(llvm.CmpXchgOp(pointer, cast(old, bits), cast(new, bits)))
        parts = [s.insert(llvm.ExtractValueOp([n], exchange)).results[0] for n in range(2)]
        current, is_done = parts
        s.insert(llvm.CondBrOp(is_done, after, (), update, (cast(current, old.type),)))
        s.start(after)
        s.leave_loop()
        s.define(op.result, old)


class LeaveToUpdate(LlvmPattern):
    """Leave a terminator to the update around it, which reads its operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtomicYieldOp, rewriter: PatternRewriter, /) -> None:
        rewriter.has_done_action = True


def _shape(s: FunctionLowering, op: Operation, ty: MemRefType) -> tuple[int | SSAValue, ...]:
    """The sizes of the memory that ``op`` allocates; its first operands are the dynamic ones."""
    dynamic = iter(op.operands)
    return tuple(
        s.index(next(dynamic)) if size == DYNAMIC_INDEX else size for size in ty.get_shape()
    )


def _byte_size(
    s: FunctionLowering, ty: MemRefType, shape: Sequence[int | SSAValue]
) -> int | SSAValue:
    """The size of an array in bytes, with its constant factors combined."""
    size: int | SSAValue = element_size(ty) * prod(i for i in shape if isinstance(i, int))
    for extent in shape:
        if not isinstance(extent, int):
            size = multiply(s, size, extent)
    return size


def _alignment(op: Operation) -> int:
    alignment = op.properties.get("alignment")
    return max(ALIGNMENT, alignment.value.data if isinstance(alignment, IntegerAttr) else 0)


class LowerAlloc(LlvmPattern):
    """Memory from ``aligned_alloc``, whose size must be a multiple of the alignment.

    ::

        %B = memref.alloc(%n) : memref<?xf32>    ->    %B = llvm.call @aligned_alloc(%c64, %size)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.AllocOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        (result,) = op.results
        ty = result.type
        assert isinstance(ty, MemRefType)
        pointer_type(ty)
        require_dense(ty)
        shape, alignment = _shape(s, op, ty), _alignment(op)
        padded = add(s, _byte_size(s, ty, shape), alignment - 1)
        if isinstance(padded, int):
            padded &= -alignment
        else:
            padded = s.emit(llvm.AndOp, [padded, s.int_constant(-alignment)], i64)
        size_type = s.module.size_type
        name = s.module.declare(
            "aligned_alloc",
            [size_type, size_type],
            POINTER,
            result_attributes={"llvm.noalias": UnitAttr()},
        )
        arguments = [s.int_constant(alignment), s.as_value(padded)]
        if size_type != i64:
            # No object is larger, so no information is lost.
            arguments = [s.emit(llvm.TruncOp, [argument], size_type) for argument in arguments]
        call = s.insert(llvm.CallOp(name, *arguments, return_type=POINTER))
        call.results[0].name_hint = result.name_hint
        s.define(result, MemRef(call.results[0], shape, ty, Origin()))


class LowerDealloc(LlvmPattern):
    """Free memory.

    ::

        memref.dealloc %B    ->    llvm.call @free(%B)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.DeallocOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref = s.memref(op.operands[0])
        memref.origin.written = True
        name = s.module.declare("free", [POINTER])
        s.insert(llvm.CallOp(name, memref.pointer))


class LowerAlloca(LlvmPattern):
    """A stack slot of the function, in its entry block so that LLVM can put it into registers.

    ::

        %B = memref.alloca() : memref<4xf32>    ->    %B = llvm.alloca %c1 x !llvm.array<4 x f32>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.AllocaOp, rewriter: PatternRewriter, /) -> None:
        lower_alloca(self.conversion, op)


def lower_alloca(s: FunctionLowering, op: memref_dialect.AllocaOp) -> None:
    """Allocate a stack slot in the function being translated."""
    (result,) = op.results
    ty = result.type
    assert isinstance(ty, MemRefType)
    require_dense(ty)
    shape = _shape(s, op, ty)
    count = 1
    for size in shape:
        if not isinstance(size, int):
            raise CodegenError(
                "KC4305",
                f"convert-to-llvm: memref.alloca of the dynamic size {ty}",
                why="stack memory is reserved once, when the function is entered",
                hints=["allocate it with memref.alloc, or with its largest size"],
            )
        count *= size
    slot = llvm.AllocaOp(
        s.int_constant(1),
        llvm.LLVMArrayType(count, memory_element(ty)),
        _alignment(op),
        pointer_type(ty),
    )
    s.insert(slot) if s.carries_memrefs else s.insert_in_prologue(slot)
    slot.res.name_hint = result.name_hint
    s.define(result, MemRef(slot.res, shape, ty, Origin()))


class LowerDim(LlvmPattern):
    """A size: constant, or passed with the pointer. A computed dimension selects one of the sizes.

    ::

        %n = memref.dim %A, %c0 : memref<?xf32>    ->    (the argument %A_0)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.DimOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref, dimension = s.memref(op.operands[0]), s.index(op.operands[1])
        number = dimension if isinstance(dimension, int) else 0
        if not 0 <= number < len(memref.shape):
            raise CodegenError(
                "KC4305",
                f"convert-to-llvm: memref.dim of dimension {number} of {op.operands[0].type}",
            )
        size = memref.shape[number]
        if not isinstance(dimension, int):
            for n, next_size in enumerate(memref.shape[1:], 1):
                is_nth = compare(s, "eq", dimension, s.int_constant(n))
                choice = [is_nth, s.as_value(next_size), s.as_value(size)]
                size = s.emit(llvm.SelectOp, choice, i64)
        s.define(
            op.results[0],
            Constant(IntegerAttr(size, i64), i64) if isinstance(size, int) else size,
        )


class LowerMetadata(LlvmPattern):
    """Sizes and strides. The base memory of a view has no address of its own.

    ::

        %b, %o, %size, %stride = memref.extract_strided_metadata %A    ->    (what is known of %A)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref_dialect.ExtractStridedMetaDataOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        if op.base_buffer.uses or op.offset.uses:
            raise CodegenError(
                "KC4305",
                "convert-to-llvm: memref.extract_strided_metadata can only be used for sizes and "
                "strides",
            )
        memref = s.memref(op.source)
        values = (*memref.shape, *strides_of(s, memref))
        for result, value in zip((*op.sizes, *op.strides), values, strict=True):
            size = Constant(IntegerAttr(value, i64), i64) if isinstance(value, int) else value
            s.define(result, size)


class LowerCast(LlvmPattern):
    """The same memory; sizes known from either type stay known.

    ::

        %B = memref.cast %A : memref<8xf32> to memref<?xf32>    ->    (%A, of size 8)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.CastOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, (result,) = s.memref(op.operands[0]), op.results
        if not isinstance(result.type, MemRefType):
            raise unsupported_type(result.type, "memrefs have a rank")
        pointer_type(result.type)
        shape = tuple(
            source_size if isinstance(source_size, int) or size == DYNAMIC_INDEX else size
            for source_size, size in zip(source.shape, result.type.get_shape(), strict=True)
        )
        strides = source.strides
        if strides is None and is_strided(result.type):
            strides = strides_of(s, source)
        s.define(result, MemRef(source.pointer, shape, result.type, source.origin, strides))


class LowerCopy(LlvmPattern):
    """Copy all elements of dense memory.

    ::

        memref.copy %A, %B    ->    llvm.intr.memcpy(%B, %A, %bytes)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref_dialect.CopyOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, target = s.memref(op.operands[0]), s.memref(op.operands[1])
        for memref in (source, target):
            require_dense(memref.type)
        target.origin.written = True
        shape = [
            size if isinstance(size, int) else target_size
            for size, target_size in zip(source.shape, target.shape, strict=True)
        ]
        size = _byte_size(s, source.type, shape)
        s.insert(llvm.MemcpyOp(target.pointer, source.pointer, s.as_value(size)))


def _in_memory(value: DenseIntOrFPElementsAttr, element: Attribute) -> DenseIntOrFPElementsAttr:
    """A constant with elements of their memory type."""
    stored = value.get_element_type()
    if stored == element:
        return value
    values: Any = value.get_values()
    if stored == i1:
        words = [int(value) & 1 for value in values]  # pyright: ignore[reportArgumentType]
    elif isinstance(stored, IndexType):
        words = [int(value) for value in values]  # pyright: ignore[reportArgumentType]
    else:
        form = NARROW_FLOATS[str(float_dtype(stored))]
        codes = [form.encode(float(value)) for value in values]  # pyright: ignore[reportArgumentType]
        words = [code - (code & form.sign) * 2 for code in codes]
    type_: Any = TensorType(element, value.get_shape())
    return DenseIntOrFPElementsAttr.from_list(type_, words)


def lower_global(module: NewModule, op: Operation, *, keeps_state: bool = False) -> None:
    """Translate ``memref.global``: a table of constants, or with ``keeps_state``, memory that
    persists between calls.
    """
    name, ty = op.properties["sym_name"], op.properties["type"]
    value = op.properties.get("initial_value")
    constant = "constant" in op.properties
    assert isinstance(name, StringAttr)
    assert isinstance(ty, MemRefType)
    element = memory_element(ty)
    linkage = "internal"
    if EXTERNAL in op.attributes:
        stored, linkage = None, "external"
    elif isinstance(value, UnitAttr) and keeps_state:
        stored = None
    elif not isinstance(value, DenseIntOrFPElementsAttr):
        raise CodegenError(
            "KC4305",
            f"convert-to-llvm: memref.global @{name.data} has no value",
            why="nothing outside of the module defines it",
            hints=["= dense<0>", "= uninitialized", "pass the memory as an argument"],
        )
    elif not constant and not keeps_state:
        raise CodegenError(
            "KC4305",
            f"convert-to-llvm: memref.global @{name.data} is not a constant with a value",
            why="kernels have no state between launches",
            hints=["pass the memory as an argument"],
        )
    else:
        stored = _in_memory(value, element)
        if not ty.get_shape():
            (stored,) = stored.get_attrs()
    new = llvm.GlobalOp(
        array_type(element, ty.get_shape()),
        name,
        linkage,
        constant=constant,
        value=stored,
        alignment=_alignment(op),
    )
    new.location = op.location
    module.add(new)


class LowerGetGlobal(LlvmPattern):
    """The address of a constant table or of a variable of the module.

    ::

        %T = memref.get_global @t    ->    %T = llvm.mlir.addressof @t
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref_dialect.GetGlobalOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        name, (result,) = op.properties["name"], op.results
        assert isinstance(name, SymbolRefAttr)
        assert isinstance(result.type, MemRefType)
        require_dense(result.type)
        pointer = s.emit(llvm.AddressOfOp, [], pointer_type(result.type), {"global_name": name})
        s.define_memref(result, [pointer], Origin())


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerSubview,
    LowerView,
    LowerReinterpretCast,
    LowerReshape,
    LowerPointer,
    LowerLoad,
    LowerStore,
    LowerPrefetch,
    LowerAtomicUpdate,
    LowerGenericAtomicUpdate,
    LeaveToUpdate,
    LowerAlloc,
    LowerDealloc,
    LowerAlloca,
    LowerDim,
    LowerMetadata,
    LowerCast,
    LowerCopy,
    LowerGetGlobal,
)
