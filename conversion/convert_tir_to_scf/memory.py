"""Buffers and their elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis import loop_tree
from kc.analysis.gpu.vector_alignment import divisor, known_alignment
from kc.conversion.convert_tir_to_scf.function import TirToScf, memory_type
from kc.conversion.driver import ConversionPattern
from kc.dialects import tir
from kc.dialects.arith import CmpiOp, ExtUIOp, element_of, like
from kc.dialects.gpu import LaunchOp
from kc.dialects.llvm import IntToPtrOp, LLVMPointerType
from kc.dialects.memref import PrefetchOp
from kc.dialects.tir.memory import ASYNC_COPY, NONTEMPORAL, has_rows
from kc.dialects.tir.views import ZERO_OUTSIDE
from kc.dialects.vector import CompressStoreOp, ExpandLoadOp, GatherOp, ScatterOp

ALIGNMENT = 64
"""The alignment of buffers in bytes: a cache line, and the widest vector."""


class ConvertLoad(ConversionPattern[TirToScf]):
    """Load an element, or a vector of adjacent elements. A bool is a byte that is not 0.

    ::

        %v = tir.load %A[%i * 4] : memref<64xf32>    ->    %0 = arith.muli %i, %c4 : index
                                                           %v = memref.load %A[%0]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.LoadOp, rewriter: PatternRewriter, /) -> None:
        memory = like(op.result.type, _element(op.buffer))
        if not isinstance(memory, VectorType):
            load: Operation = memref.LoadOp.create(
                operands=[op.buffer, *self.conversion.indices(op)], result_types=[memory]
            )
        elif has_rows(op.buffer.type):
            alignment = _alignment(self.conversion, op, memory)
            load = vector.LoadOp.create(
                operands=[op.buffer, *self.conversion.indices(op)], result_types=[memory]
            )
            load.attributes.update(alignment)
        else:
            return
        _replace_load(op, [load], rewriter)


def _alignment(
    s: TirToScf, op: tir.LoadOp | tir.StoreOp, memory: Attribute
) -> dict[str, Attribute]:
    """The attribute ``alignment`` of a vector access in a kernel with more than the element's
    alignment.

    GPU buffers begin at multiples of 16 bytes, and the offset of an access has the common factors
    of its indices. A CPU needs no alignment of vectors.
    """
    if not isinstance(memory, VectorType) or not any(
        isinstance(outer, LaunchOp) for outer in loop_tree.path_to(op)
    ):
        return {}
    element = memory.element_type
    type_ = op.buffer.type
    if not isinstance(element, FixedBitwidthType):
        return {}  # the width of indices depends on the target
    assert isinstance(type_, MemRefType)
    size = max(element.bitwidth, 8) // 8
    strides, layout = type_.get_strides(), type_.layout
    if strides is None or (isinstance(layout, StridedLayoutAttr) and layout.offset != IntAttr(0)):
        return {}
    steps = [
        divisor(s.index.compose(expr, op.operands_of_map)) * (1 if stride is None else stride)
        for expr, stride in zip(op.indices.data.results, strides, strict=True)
    ]
    aligned = min(known_alignment(steps, size), memory.element_count() * size)
    return {"alignment": IntegerAttr(aligned, i64)} if aligned > size else {}


class GatherLanes(ConversionPattern[TirToScf]):
    """Load a vector of elements that are not adjacent in memory, one after the other.

    ::

        %v = tir.load %A[0] : memref<8xf32, strided<[2]>>, vector<2xf32>

    becomes ::

        %a = memref.load %A[0];  %b = memref.load %A[1];  %v = vector.insert of both
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.LoadOp, rewriter: PatternRewriter, /) -> None:
        memory = like(op.result.type, _element(op.buffer))
        if not isinstance(memory, VectorType) or has_rows(op.buffer.type):
            return
        ops: list[Operation] = [arith.ConstantOp(_zero(memory))]
        for lane in range(memory.element_count()):
            load = memref.LoadOp.get(op.buffer, self.conversion.indices(op, lane))
            ops += [load, vector.InsertOp(load.results[0], ops[-1].results[0], [lane])]
        _replace_load(op, ops, rewriter)


def _replace_load(op: tir.LoadOp, ops: list[Operation], rewriter: PatternRewriter) -> None:
    """Replace ``op`` by the value that ``ops`` load; a bool is a nonzero byte."""
    loaded = ops[-1].results[0]
    if loaded.type == op.result.type:
        rewriter.replace(op, ops)
        return
    zero = arith.ConstantOp(_zero(loaded.type))
    rewriter.replace(op, [*ops, zero, CmpiOp(loaded, zero.result, "ne")])


class ConvertAsyncCopy(ConversionPattern[TirToScf]):
    """Convert an asynchronous store of 4, 8 or 16 bytes to an asynchronous copy.

    ::

        %v = tir.load %A[%i] : memref<64xf32>
        tir.store %v, %S[%j] {tir.async_copy} : memref<64xf32, "shared">

    becomes ::

        nvvm.cp.async.shared.global %to, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>

    If a condition selects between the element and zero, it sets the number of bytes to read::

        nvvm.cp.async.shared.global %to, %from, 4, cache = ca, %bytes : !llvm.ptr<3>, ..., i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.StoreOp, rewriter: PatternRewriter, /) -> None:
        load, choice = op.value.owner, None
        if isinstance(load, scf.IfOp):  # the element or zero
            choice, end = load, load.true_region.block.last_op
            assert end is not None
            load = end.operands[0].owner
        memory = like(op.value.type, _element(op.buffer))
        if ASYNC_COPY not in op.attributes or not isinstance(load, memref.LoadOp | vector.LoadOp):
            return
        source = load.memref if isinstance(load, memref.LoadOp) else load.base
        if not (_is_plain(op.buffer) and _is_plain(source)) or op.value.type != memory:
            return
        count = memory.element_count() if isinstance(memory, VectorType) else 1
        element = memory.element_type if isinstance(memory, VectorType) else memory
        if not isinstance(element, FixedBitwidthType):
            return
        size = count * element.bitwidth // 8
        if size not in (4, 8, 16):
            return
        if isinstance(memory, VectorType):
            ends = (load.attributes, _alignment(self.conversion, op, memory))
            if any(_aligned(attributes) < size for attributes in ends):
                return
        from kc.dialects.nvvm import CpAsyncOp  # most programs have no such copies

        ops: list[Operation] = []
        read: SSAValue | None = None
        if choice is not None:
            for inner in list(choice.true_region.block.ops)[:-1]:  # operations that compute indices
                if inner is not load:
                    inner.detach()
                    ops.append(inner)
            counts = [arith.ConstantOp.from_int_and_width(count, i32) for count in (size, 0)]
            ops += [*counts, bytes_ := arith.SelectOp(choice.cond, *counts)]
            read = bytes_.result
        to = _address(op.buffer, self.conversion.indices(op), element, 3, ops)
        start = _address(source, load.indices, element, 1, ops)
        ops.append(CpAsyncOp(to, start, size, "cg" if size == 16 else "ca", read))
        rewriter.replace(op, ops)
        copied = load if choice is None else choice
        if copied.results[0].first_use is None:
            rewriter.erase(copied)


def _is_plain(buffer: SSAValue) -> bool:
    """True if the buffer is dense and row-major."""
    assert isinstance(buffer.type, MemRefType)
    return isinstance(buffer.type.layout, NoneAttr)


def _aligned(attributes: Mapping[str, Attribute]) -> int:
    value = attributes.get("alignment")
    return value.value.data if isinstance(value, IntegerAttr) else 0


def _address(
    buffer: SSAValue,
    indices: Sequence[SSAValue],
    element: FixedBitwidthType,
    space: int,
    ops: list[Operation],
) -> SSAValue:
    """A pointer to an element in an address space; the operations that compute it are appended to
    ``ops``.
    """

    def emit(op: Operation) -> SSAValue:
        ops.append(op)
        return op.results[0]

    def constant(value: int) -> SSAValue:
        return emit(arith.ConstantOp(IntegerAttr(value, IndexType())))

    assert isinstance(buffer.type, MemRefType)
    shape = buffer.type.get_shape()
    number: SSAValue | None = None
    for n, index in enumerate(indices):
        if number is not None:
            extent = (
                constant(shape[n])
                if shape[n] >= 0
                else emit(memref.DimOp.from_source_and_index(buffer, constant(n)))
            )
            number = emit(arith.AddiOp(emit(arith.MuliOp(number, extent)), index))
        else:
            number = index
    address = emit(memref.ExtractAlignedPointerAsIndexOp.get(buffer))
    if number is not None:
        offset = emit(arith.MuliOp(number, constant(element.bitwidth // 8)))
        address = emit(arith.AddiOp(address, offset))
    word = emit(arith.IndexCastOp(address, i64))
    return emit(IntToPtrOp(word, LLVMPointerType(IntAttr(space))))


class ConvertStore(ConversionPattern[TirToScf]):
    """Store an element, or a vector of adjacent elements. A bool is stored as a byte.

    ::

        tir.store %v, %A[%i * 4] : memref<64xf32>    ->    memref.store %v, %A[%0]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.StoreOp, rewriter: PatternRewriter, /) -> None:
        memory = like(op.value.type, _element(op.buffer))
        if isinstance(memory, VectorType) and not has_rows(op.buffer.type):
            return
        value, ops = _in_memory(self.conversion.value(op.value), memory)
        alignment = _alignment(self.conversion, op, memory)
        indices = self.conversion.indices(op)
        if isinstance(memory, VectorType):
            nontemporal = BoolAttr.from_bool(True) if NONTEMPORAL in op.attributes else None
            store = vector.StoreOp(value, op.buffer, indices, nontemporal)
            alignment_attr = op.attributes.get("alignment")
            store.attributes.update(
                alignment if alignment_attr is None else {"alignment": alignment_attr}
            )
            ops.append(store)
        else:
            ops.append(memref.StoreOp.get(value, op.buffer, indices))
        rewriter.replace(op, ops)


class ScatterLanes(ConversionPattern[TirToScf]):
    """Store the lanes of a vector to elements that are not neighbours in memory.

    ::

        tir.store %v, %A[0] : memref<8xf32, strided<[2]>>, vector<2xf32>

    becomes ::

        memref.store of %v[0], %A[0];  memref.store of %v[1], %A[1]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.StoreOp, rewriter: PatternRewriter, /) -> None:
        memory = like(op.value.type, _element(op.buffer))
        if not isinstance(memory, VectorType) or has_rows(op.buffer.type):
            return
        value, ops = _in_memory(self.conversion.value(op.value), memory)
        for lane in range(memory.element_count()):
            extract = vector.ExtractOp(value, [lane], memory.element_type)
            indices = self.conversion.indices(op, lane)
            ops += [extract, memref.StoreOp.get(extract.result, op.buffer, indices)]
        rewriter.replace(op, ops)


def _in_memory(value: SSAValue, memory: Attribute) -> tuple[SSAValue, list[Operation]]:
    """``value`` in its memory representation, and the operations of the conversion."""
    if value.type == memory:
        return value, []
    byte = ExtUIOp(value, memory)  # pyright: ignore[reportArgumentType]
    return byte.result, [byte]


class ConvertPrefetch(ConversionPattern[TirToScf]):
    """A hint about an element.

    ::

        tir.prefetch %A[%i + 1]    ->    memref.prefetch %A[%0], read, locality<3>, data
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.PrefetchOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, PrefetchOp(op.buffer, self.conversion.indices(op)))


class ConvertAlloc(ConversionPattern[TirToScf]):
    """Allocate a buffer: on the stack if it is small, else in the outermost block in which its
    sizes are known.

    ::

        tir.for ... {                                %B = memref.alloca() : memref<16xf32>
          %B = tir.alloc "B" : memref<16xf32>   ->   tir.for ... {
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.AllocOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        type_ = memory_type(op.buffer.type)
        assert isinstance(type_, MemRefType)
        alignment = IntegerAttr(ALIGNMENT, 64)
        if op in conversion.on_stack:
            new = memref.AllocaOp.build(
                operands=[[], []], result_types=[type_], properties={"alignment": alignment}
            )
            conversion.arith.insert_at_head(new)
        else:
            sizes = [conversion.value(size) for size in op.dynamic_sizes]
            scope = conversion.arith.scope_of(*sizes)
            new = conversion.arith.insert(memref.AllocOp(sizes, [], type_, alignment), scope)
            free = memref.DeallocOp.get(new.results[0])
            end = scope.block.last_op
            assert end is not None, "a block has a terminator"
            scope.block.insert_op_before(free, end)
            free.location = op.location
        new.location = op.location
        new.results[0].name_hint = op.label
        rewriter.replace(op, [], [new.results[0]])


class ConvertView(ConversionPattern[TirToScf]):
    """A view of a buffer, whose type states all known sizes; then a cast to the required type.

    ::

        %p = tir.view %A[%i, 0] : memref<8x64xf32> to memref<4xf32, strided<[1], offset: ?>>

    becomes ::

        %p = memref.subview %A[%i, 0] [1, 4] [1, 1]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.ViewOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        if ZERO_OUTSIDE in op.attributes:
            return  # consumers of such views are lowered earlier
        source, result_type = op.buffer.type, op.result.type
        assert isinstance(source, MemRefType)
        assert isinstance(result_type, MemRefType)
        rank = source.get_num_dims()
        sizes = [1] * rank
        for dim, size in zip(op.positions, result_type.get_shape(), strict=True):
            sizes[dim] = size
        offsets: list[SSAValue | int] = []
        for expr, size, extent in zip(
            op.indices.data.results, sizes, source.get_shape(), strict=True
        ):
            offset = conversion.index.compose(expr, op.operands_of_map)
            # An offset outside the buffer occurs only in code that never runs; the type would be
            # invalid.
            if isinstance(offset, AffineConstantExpr) and (
                extent == DYNAMIC_INDEX or 0 <= offset.value <= extent - size
            ):
                offsets.append(offset.value)
            else:
                offsets.append(conversion.arith.value(offset))
        units: list[SSAValue | int] = [1] * rank
        whole = memref.SubviewOp.infer_result_type(source, offsets, sizes, units)
        strides = whole.get_strides() or ()
        part = MemRefType(
            whole.element_type,
            result_type.get_shape(),
            StridedLayoutAttr([strides[dim] for dim in op.positions], whole.get_offset()),
            whole.memory_space,
        )
        ops: list[Operation] = [memref.SubviewOp.get(op.buffer, offsets, sizes, units, part)]
        final = MemRefType(
            part.element_type, result_type.shape, result_type.layout, result_type.memory_space
        )
        if part != final:
            ops.append(memref.CastOp.get(ops[0], final))
        rewriter.replace(op, ops)


def _element(buffer: SSAValue) -> Attribute:
    assert isinstance(buffer.type, MemRefType)
    return buffer.type.element_type


def _zero(type_: Attribute) -> IntegerAttr | DenseIntOrFPElementsAttr:
    if isinstance(type_, VectorType):
        zero = 0.0 if isinstance(type_.element_type, AnyFloat) else 0
        return DenseIntOrFPElementsAttr.from_list(type_, [zero])
    assert isinstance(type_, IntegerType)
    return IntegerAttr(0, type_)


_Read = (
    memref.LoadOp
    | vector.TransferReadOp
    | vector.LoadOp
    | vector.MaskedLoadOp
    | GatherOp
    | ExpandLoadOp
)
_Write = (
    memref.StoreOp
    | vector.TransferWriteOp
    | vector.StoreOp
    | vector.MaskedStoreOp
    | ScatterOp
    | CompressStoreOp
)


class ReadBools(ConversionPattern[TirToScf]):
    """Load a bool of a ``memref``, or a vector of bools, which are bytes in memory.

    ::

        %v = vector.transfer_read %A[%i], %p : memref<8xi1>, vector<4xi1>

    becomes ::

        %0 = vector.transfer_read %A[%i], (%p as i8) : memref<8xi8>, vector<4xi8>
        %v = arith.cmpi ne, %0, 0 : vector<4xi8>

    The pass-through lanes of a masked load, a gather or an ``expandload`` are bytes then, too.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Read, rewriter: PatternRewriter, /) -> None:
        result = op.results[0]
        buffer = op.operands[0]
        memory = like(result.type, _element(buffer))
        if element_of(result.type) != i1 or memory == result.type:
            return
        new: list[Operation] = []
        operands = list(op.operands)
        if isinstance(op, vector.TransferReadOp):
            padding = ExtUIOp(op.padding, _element(buffer))  # pyright: ignore[reportArgumentType]
            operands[operands.index(op.padding)] = padding.result
            new.append(padding)
        elif not isinstance(op, memref.LoadOp | vector.LoadOp):
            wide = ExtUIOp(op.pass_thru, memory)  # pyright: ignore[reportArgumentType]
            operands[-1] = wide.result
            new.append(wide)
        read = type(op).create(
            operands=operands,
            result_types=[memory],
            properties=op.properties,
            attributes=op.attributes,
        )
        zero = arith.ConstantOp(_zero(memory))
        rewriter.replace(op, [*new, read, zero, CmpiOp(read.results[0], zero.result, "ne")])


class WriteBools(ConversionPattern[TirToScf]):
    """Store a bool of a ``memref``, or a vector of bools, which are bytes in memory.

    ::

        vector.transfer_write %v, %A[%i] : vector<4xi1>, memref<8xi1>

    becomes ::

        %0 = arith.extui %v : vector<4xi1> to vector<4xi8>
        vector.transfer_write %0, %A[%i] : vector<4xi8>, memref<8xi8>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Write, rewriter: PatternRewriter, /) -> None:
        is_first = isinstance(op, memref.StoreOp | vector.TransferWriteOp | vector.StoreOp)
        value = op.operands[0 if is_first else -1]
        memory = like(value.type, _element(op.operands[1 if is_first else 0]))
        if element_of(value.type) != i1 or memory == value.type:
            return
        wide = ExtUIOp(value, memory)  # pyright: ignore[reportArgumentType]
        operands = list(op.operands)
        operands[0 if is_first else -1] = wide.result
        new = type(op).create(
            operands=operands,
            properties=op.properties,
            attributes=op.attributes,
        )
        rewriter.replace(op, [wide, new], [])


PATTERNS: tuple[type[RewritePattern], ...] = (
    ReadBools,
    WriteBools,
    ConvertLoad,
    GatherLanes,
    ConvertAsyncCopy,
    ConvertStore,
    ScatterLanes,
    ConvertPrefetch,
    ConvertAlloc,
    ConvertView,
)
