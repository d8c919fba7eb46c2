"""Checked accesses: each is validated at run time, and skipped if it is out of bounds."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StridedLayoutAttr,
    UnitAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    op_type_rewrite_pattern,
)

from kc.conversion.convert_gpu_to_cpu.kernel import (
    INDEX,
    IS_ATOMIC,
    IS_WRITE,
    Emitter,
    unsupported,
)
from kc.conversion.convert_gpu_to_cpu.thread import Thread, ThreadPattern
from kc.conversion.convert_to_llvm.memref import FIRST_ELEMENT
from kc.conversion.convert_to_llvm.types import element_size
from kc.dialects.arith import CmpiOp


class CheckAccess(ThreadPattern):
    """Check an access at run time, and skip it if it is out of bounds."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: memref.LoadOp
        | memref.StoreOp
        | memref.AtomicRMWOp
        | vector.LoadOp
        | vector.StoreOp
        | vector.MaskedLoadOp
        | vector.MaskedStoreOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        masked = isinstance(op, vector.MaskedLoadOp | vector.MaskedStoreOp)
        operands = list(op.operands[:-2] if masked else op.operands)
        flags, what = 0, "read"
        if not isinstance(op, memref.LoadOp | vector.LoadOp | vector.MaskedLoadOp):
            flags, what = IS_WRITE, "written"
        if isinstance(op, memref.StoreOp | memref.AtomicRMWOp | vector.StoreOp):
            operands = operands[1:]
        if isinstance(op, memref.AtomicRMWOp):
            flags, what = IS_WRITE | IS_ATOMIC, "updated"
        buffer, *indices = operands
        root = self.thread.root(buffer)
        if root in (self.thread.numbers.get("states"), self.thread.numbers.get("lanes")):
            return
        e = Emitter(rewriter, op)
        access = _Access(self.thread, e, op, buffer, indices, flags, what)
        if masked:
            mask = op.operands[-2]
            allowed: SSAValue | None = None
            assert isinstance(mask.type, VectorType)
            for lane in range(mask.type.get_shape()[0]):
                active = e.emit(vector.ExtractOp(mask, [lane], i1))
                inside = access.ask(lane, 1, active)
                allowed = inside if allowed is None else e.emit(arith.AndIOp(allowed, inside))
            assert allowed is not None
        else:
            value = op.results[0] if op.results else op.operands[0]
            count = value.type.get_shape()[0] if isinstance(value.type, VectorType) else 1
            allowed = access.ask(0, count)
        _only_if(rewriter, op, allowed)


class _Access:
    """The check of an access: the address, and the stride of its elements."""

    def __init__(
        self,
        thread: Thread,
        e: Emitter,
        op: Operation,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        flags: int,
        what: str,
    ) -> None:
        type_ = buffer.type
        assert isinstance(type_, MemRefType)
        self.e = e
        self.indices = list(indices)
        self.sizes = [self._size(buffer, dim) for dim in range(len(indices))]
        self.strides = self._strides(buffer, type_)
        """The stride of each index in elements; None for dense arrays."""
        self.bytes = element_size(type_)
        root = thread.root(buffer)
        self.slot = thread.slots.get(root, -1)
        name = thread.buffer_name(buffer)
        self.site = thread.module.site(op, what, name, thread.memory(root))
        self.flags = flags
        pointer = memref.ExtractAlignedPointerAsIndexOp.get(buffer)
        pointer.attributes[FIRST_ELEMENT] = UnitAttr()
        self.pointer = e.emit(pointer)
        attr = op.get_attr_or_prop("alignment")
        self.alignment = attr.value.data if isinstance(attr, IntegerAttr) else self.bytes

    def _size(self, buffer: SSAValue, dim: int) -> SSAValue:
        assert isinstance(buffer.type, MemRefType)
        extent = buffer.type.get_shape()[dim]
        if extent != DYNAMIC_INDEX:
            return self.e.number(extent)
        return self.e.emit(memref.DimOp(buffer, self.e.number(dim)))

    def _strides(self, buffer: SSAValue, type_: MemRefType) -> list[SSAValue] | None:
        if not isinstance(type_.layout, StridedLayoutAttr):
            return None
        metadata = memref.ExtractStridedMetaDataOp(buffer)
        self.e.add(metadata)
        return list(metadata.strides)

    def ask(self, shift: int, count: int, active: SSAValue | None = None) -> SSAValue:
        """The condition that ``count`` elements, from ``shift`` elements after the index, may be
        accessed. It is true if ``active`` is false.
        """
        e = self.e
        indices = list(self.indices)
        if shift:
            indices[-1] = e.emit(arith.AddiOp(indices[-1], e.number(shift)))
        checked_bytes = e.number(self._known(count), i64)
        if self.strides is not None:
            name, arguments = "kc_emu_access_at", [checked_bytes, *self._place(indices, count)]
        else:
            name, arguments = "kc_emu_access", [checked_bytes, self.pointer, *self._row(indices)]
        call = func.CallOp(name, arguments, [i1])
        if active is None:
            return e.emit(call)
        yes = arith.ConstantOp(IntegerAttr(1, i1))
        checked_block = Block([call, scf.YieldOp(call)])
        idle = Block([yes, scf.YieldOp(yes)])
        return e.emit(scf.IfOp(active, [i1], Region(checked_block), Region(idle)))

    def _known(self, count: int) -> int:
        """The parameters of the access for ``emulator.c``, packed into one number."""
        fields = (
            (self.site, 16),
            (self.slot + 1, 8),
            (self.bytes, 12),
            (count, 14),
            (self.alignment.bit_length() - 1, 8),
            (self.flags, 4),
        )
        number = position = 0
        for value, width in fields:
            if value >= 1 << width:
                raise unsupported(self.e.op, "its vectors are too long to be watched")
            number |= value << position
            position += width
        return number

    def _row(self, indices: Sequence[SSAValue]) -> list[SSAValue]:
        """The row of an index in a dense buffer, the index in the row, and the row's size."""
        e = self.e
        row = e.number(0)
        if not indices:
            return [row, row, e.number(1)]
        for index, size in zip(indices[:-1], self.sizes, strict=False):
            row = e.emit(func.CallOp("kc_emu_row_of", [row, index, size], [INDEX]))
        return [row, indices[-1], self.sizes[-1]]

    def _place(self, indices: Sequence[SSAValue], count: int) -> list[SSAValue]:
        """The address in a buffer with strides, and the condition that it is in bounds."""
        e = self.e
        place, inside = e.number(0), e.number(1, i1)
        assert self.strides is not None
        for n, (index, size) in enumerate(zip(indices, self.sizes, strict=True)):
            far = e.emit(arith.MuliOp(index, self.strides[n]))
            place = e.emit(arith.AddiOp(place, far))
            limit = size
            if n == len(indices) - 1 and count > 1:
                limit = e.emit(arith.SubiOp(size, e.number(count - 1)))
                below = e.emit(CmpiOp(limit, e.number(0), "sgt"))
                inside = e.emit(arith.AndIOp(inside, below))
            # As unsigned numbers, negative ones are greater than any size.
            inside = e.emit(arith.AndIOp(inside, e.emit(CmpiOp(index, limit, "ult"))))
        offset = e.emit(arith.MuliOp(place, e.number(self.bytes)))
        return [e.emit(arith.AddiOp(self.pointer, offset)), inside]


def _only_if(rewriter: PatternRewriter, op: Operation, allowed: SSAValue) -> None:
    """Execute ``op`` only if ``allowed``; otherwise its results are zero."""
    types = [result.type for result in op.results]
    done = Block()
    copy = op.clone()
    done.add_ops([copy, scf.YieldOp(*copy.results)])
    otherwise = Block()
    zeros = [arith.ConstantOp(_zero(type_)) for type_ in types]  # pyright: ignore
    otherwise.add_ops([*zeros, scf.YieldOp(*zeros)])
    branch = scf.IfOp(allowed, types, Region(done), Region(otherwise))
    for inner in branch.walk():
        inner.location = op.location
    rewriter.replace(op, branch)


def _zero(type_: Attribute) -> Attribute:
    if isinstance(type_, VectorType):
        zero = _zero(type_.element_type)
        assert isinstance(zero, IntegerAttr | FloatAttr)
        return DenseIntOrFPElementsAttr.from_list(type_, [zero.value.data])  # pyright: ignore
    if isinstance(type_, IntegerType | IndexType):
        return IntegerAttr(0, type_)
    assert isinstance(type_, AnyFloat)
    return FloatAttr(0.0, type_)


CHECK_PATTERNS: tuple[type[ThreadPattern], ...] = (CheckAccess,)
