"""Asynchronous products of warpgroups, as calls of the emulator.

::

    %d = nvvm.wgmma.mma_async %a, %b, %c, ...

    func.call @kc_emu_group(%events, %thread, %site)             wait for the four warps
    func.call @kc_emu_product(%events, %thread, %a, %b, ...)
    %w = func.call @kc_emu_accumulate(%events, %thread, %c0)     for each register of C

A product is computed as late as the program permits: at the wait for it. Until then its registers
hold placeholder bits. Another product may continue with these; any other use reads too early. After
a wait that leaves groups pending, registers are passed to the next iteration unchanged.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from kc.conversion.convert_gpu_to_cpu.events import EventEmitter
from kc.conversion.convert_gpu_to_cpu.kernel import GIVEN_ON
from kc.conversion.convert_gpu_to_cpu.matrices import TYPES, packed, wait_for_warp
from kc.conversion.convert_gpu_to_cpu.thread import ThreadPattern
from kc.conversion.convert_gpu_to_cpu.thread_patterns import value_of, word_of
from kc.dialects import llvm, nvvm
from kc.dialects.llvm.types import LLVMStructType

# The flags of a product, as in ``emulator.c``.
_CLAMPS, _A_IS_ACROSS, _B_IS_ACROSS, _STARTS_AT_ZERO, _NEGATES_A, _NEGATES_B = (
    1 << n for n in range(6)
)


class ConvertWgmma(ThreadPattern):
    """``nvvm.wgmma.mma_async``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.WgmmaMmaAsyncOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        e.event("kc_emu_group", [e.site("product of matrices")])
        e.wait()
        kinds = (op.type_a.data, op.type_b.data, op.type_d.data)
        numbers = sum(TYPES.index(kind) << 4 * place for place, kind in enumerate(kinds))
        flags = (
            _CLAMPS * (op.satfinite is not None)
            | _A_IS_ACROSS * (op.layout_a.data == "col")
            | _B_IS_ACROSS * (op.layout_b.data == "row")
            | _STARTS_AT_ZERO * (op.scale_d.data == "zero")
            | _NEGATES_A * (op.scale_a.data == "neg")
            | _NEGATES_B * (op.scale_b.data == "neg")
        )
        descriptors = (op.descriptor_a, op.descriptor_b)
        sizes = [e.number(op.shape.sizes[1], i32), e.number(numbers | flags << 12, i32)]
        sites = [e.number(self._site(op, descriptor), i32) for descriptor in descriptors]
        e.event("kc_emu_product", [*descriptors, *sizes, *sites])
        registers: list[SSAValue] = []
        assert isinstance(op.inouts.type, LLVMStructType)
        for n, type_ in enumerate(op.inouts.type.types.data):
            value = e.emit(llvm.ExtractValueOp((n,), op.inouts, type_))
            word = e.result_of("kc_emu_accumulate", [word_of(e, value)], i64)
            registers.append(value_of(e, word, type_))
        rewriter.replace(op, [], [packed(e, registers, op.results_.type)])

    def _site(self, op: nvvm.WgmmaMmaAsyncOp, descriptor: SSAValue) -> int:
        """The number of a new site for reports: the read of the operand tile at ``descriptor``."""
        buffer = _buffer_of(descriptor)
        name = "shared memory" if buffer is None else self.thread.buffer_name(buffer)
        return self.thread.module.site(op, "read", name, "shared")


def _buffer_of(descriptor: SSAValue) -> SSAValue | None:
    """The memref behind a descriptor's address, if only numbers were added to it; None if
    unknown.
    """
    values = [descriptor]
    for value in values:  # the loop body appends to the list
        op = value.owner
        if isinstance(op, memref.ExtractAlignedPointerAsIndexOp):
            return op.source
        if isinstance(op, Operation) and (op.name.startswith("arith.") or op.name == _POINTER):
            values += op.operands
    return None


_POINTER = "llvm.ptrtoint"


class ConvertRegister(ThreadPattern):
    """``%x = llvm.extractvalue %d[0]``: a register that a pending product may still write."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: llvm.ExtractValueOp, rewriter: PatternRewriter, /) -> None:
        if op.container.type not in self.thread.kernel.products or len(op.position) != 1:
            return
        if op.attributes.pop(GIVEN_ON, None) is not None:
            return
        e = EventEmitter(self.thread, rewriter, op)
        type_ = op.res.type
        value = e.emit(llvm.ExtractValueOp(op.position.get_values(), op.container, type_))
        sums = self.thread.kernel.products[op.container.type]
        kind = e.number(TYPES.index(sums), i32)
        site = self.thread.module.site(op, "read", "a register of a product", "private")
        arguments = [word_of(e, value), kind, e.number(site, i32)]
        word = e.result_of("kc_emu_register", arguments, i64)
        rewriter.replace(op, [], [value_of(e, word, type_)])


class ConvertWgmmaGroup(ThreadPattern):
    """``nvvm.wgmma.commit.group.sync.aligned``, and ``wait.group``, which computes the products."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.WgmmaGroupSyncAlignedOp | nvvm.WgmmaWaitGroupSyncOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        if isinstance(op, nvvm.WgmmaGroupSyncAlignedOp):
            e.event("kc_emu_products_commit", [])
        else:
            wait_for_warp(e)
            e.event("kc_emu_products_done", [e.number(op.group.value.data, i32)])
            wait_for_warp(e)
        rewriter.erase(op)


class ConvertSetMaxRegister(ThreadPattern):
    """``nvvm.setmaxregister``: a barrier of the warpgroup."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.SetMaxRegisterOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        e.event("kc_emu_group", [e.site("change of registers")])
        e.wait()
        rewriter.erase(op)


WARPGROUP_PATTERNS: tuple[type[ThreadPattern], ...] = (
    ConvertRegister,
    ConvertWgmma,
    ConvertWgmmaGroup,
    ConvertSetMaxRegister,
)
