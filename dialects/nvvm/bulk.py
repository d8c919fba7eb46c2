"""Bulk copies between global and shared memory: of bytes, and of boxes of tensors (TMA)."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I32, BoolAttr, IntegerAttr, UnitAttr, i1, i16, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.nvvm.base import (
    CLUSTER,
    FALSE,
    GENERIC,
    GLOBAL,
    SHARED,
    NVVMOp,
    points_to_cluster,
)
from kc.dialects.nvvm.enums import (
    TMALoadModeAttr,
    TMAReduxKindAttr,
    TMAStoreModeAttr,
)
from kc.dialects.nvvm.requirements import Requirement

HOPPER = Requirement(sm=90, ptx=80)
TO_BLOCK = Requirement(sm=90, ptx=86)
BLACKWELL = Requirement(sm=100, ptx=86, arch_specific=True, also=(101, 103, 110))
TILE = TMALoadModeAttr("tile")


@irdl_custom_directive
class ShortPointer(CustomDirective):
    """A pointer whose type is printed as ``<3>`` for ``!llvm.ptr<3>``; both forms are parsed."""

    pointer: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        ty = parser.parse_optional_type()
        if ty is None:
            ty = LLVMPointerType.new(LLVMPointerType.parse_parameters(parser))
        self.pointer.set(state, (ty,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        for ty in self.pointer.get(op):
            assert isinstance(ty, LLVMPointerType)
            ty.print_parameters(printer)


class BulkOp(NVVMOp, ABC):
    """A copy executed by the bulk copy unit."""

    REQUIRES: ClassVar = HOPPER


@irdl_op_definition
class CpAsyncBulkCommitGroupOp(BulkOp):
    """``nvvm.cp.async.bulk.commit.group``: put the bulk copies started since the last group into a
    group.
    """

    name = "nvvm.cp.async.bulk.commit.group"

    assembly_format = "attr-dict"


@irdl_op_definition
class CpAsyncBulkWaitGroupOp(BulkOp):
    """``nvvm.cp.async.bulk.wait_group 1 {read}``: wait until at most this many groups are pending
    (with ``read``: have unread sources).
    """

    name = "nvvm.cp.async.bulk.wait_group"

    group = prop_def(IntegerAttr[I32])
    read = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$group attr-dict"

    def __init__(self, group: int, *, read: bool = False):
        super().__init__(
            properties={
                "group": IntegerAttr(group, i32),
                "read": UnitAttr() if read else None,
            }
        )


@irdl_op_definition
class CpAsyncBulkGlobalToSharedClusterOp(BulkOp):
    """Copy bytes to shared memory; the mbarrier counts them.

    ``nvvm.cp.async.bulk.shared.cluster.global %to, %from, %mbarrier, %bytes : !llvm.ptr<7>, <1>``
    """

    name = "nvvm.cp.async.bulk.shared.cluster.global"

    dst_mem = operand_def(SHARED | CLUSTER)
    src_mem = operand_def(GLOBAL)
    mbar = operand_def(SHARED)
    size = operand_def(i32)
    multicast_mask = opt_operand_def(i16)
    l2_cache_hint = opt_operand_def(i64)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (ShortPointer,)
    assembly_format = (
        "$dst_mem `,` $src_mem `,` $mbar `,` $size (`multicast_mask` `=` $multicast_mask^)? "
        "(`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict "
        "`:` type($dst_mem) `,` custom<ShortPointer>(type($src_mem))"
    )

    def verify_(self) -> None:
        if self.multicast_mask is not None and not points_to_cluster(self.dst_mem):
            raise VerifyException(f"{self.name}: a multicast goes to !llvm.ptr<7>")

    def requirement(self) -> Requirement:
        return self.REQUIRES if points_to_cluster(self.dst_mem) else TO_BLOCK


@irdl_op_definition
class CpAsyncBulkSharedCTAToSharedClusterOp(BulkOp):
    """``nvvm.cp.async.bulk.shared.cluster.shared.cta %to, %from, %mbarrier, %bytes : <7>, <3>``."""

    name = "nvvm.cp.async.bulk.shared.cluster.shared.cta"

    dst_mem = operand_def(CLUSTER)
    src_mem = operand_def(SHARED)
    mbar = operand_def(SHARED)
    size = operand_def(i32)

    custom_directives = (ShortPointer,)
    assembly_format = (
        "$dst_mem `,` $src_mem `,` $mbar `,` $size attr-dict "
        "`:` custom<ShortPointer>(type($dst_mem)) `,` custom<ShortPointer>(type($src_mem))"
    )


@irdl_op_definition
class CpAsyncBulkSharedCTAToGlobalOp(BulkOp):
    """``nvvm.cp.async.bulk.global.shared.cta %to, %from, %bytes : <1>, <3>``."""

    name = "nvvm.cp.async.bulk.global.shared.cta"

    dst_mem = operand_def(GLOBAL)
    src_mem = operand_def(SHARED)
    size = operand_def(i32)
    l2_cache_hint = opt_operand_def(i64)
    byte_mask = opt_operand_def(i16)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (ShortPointer,)
    assembly_format = (
        "$dst_mem `,` $src_mem `,` $size (`l2_cache_hint` `=` $l2_cache_hint^)? "
        "(`byte_mask` `=` $byte_mask^)? attr-dict "
        "`:` custom<ShortPointer>(type($dst_mem)) `,` custom<ShortPointer>(type($src_mem))"
    )

    def requirement(self) -> Requirement:
        return self.REQUIRES if self.byte_mask is None else Requirement(sm=100, ptx=86)


@irdl_op_definition
class CpAsyncBulkPrefetchOp(BulkOp):
    """``nvvm.cp.async.bulk.prefetch %from, %bytes : <1>``: to the L2 cache."""

    name = "nvvm.cp.async.bulk.prefetch"

    src_mem = operand_def(GLOBAL)
    size = operand_def(i32)
    l2_cache_hint = opt_operand_def(i64)

    custom_directives = (ShortPointer,)
    assembly_format = (
        "$src_mem `,` $size (`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict "
        "`:` custom<ShortPointer>(type($src_mem))"
    )


@irdl_op_definition
class CpAsyncBulkTensorGlobalToSharedClusterOp(BulkOp):
    """Copy a box of a tensor to shared memory; the mbarrier counts its bytes.

    ``nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %mbarrier, box[%x, %y] :
    !llvm.ptr<7>, !llvm.ptr``; with ``{isCTAOnly = true}`` to ``!llvm.ptr<3>``.
    """

    name = "nvvm.cp.async.bulk.tensor.shared.cluster.global"

    dst_mem = operand_def(SHARED | CLUSTER)
    tma_descriptor = operand_def(GENERIC)
    coordinates = var_operand_def(i32)
    mbar = operand_def(SHARED)
    im2col_offsets = var_operand_def(i16)
    multicast_mask = opt_operand_def(i16)
    l2_cache_hint = opt_operand_def(i64)
    predicate = opt_operand_def(i1)
    mode = prop_def(TMALoadModeAttr, default_value=TILE)
    is_cta_only = prop_def(BoolAttr, prop_name="isCTAOnly", default_value=FALSE)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$dst_mem `,` $tma_descriptor `,` $mbar `,` `box` `` `[` $coordinates `]` "
        "(`im2col` `` `[` $im2col_offsets^ `]`)? (`multicast_mask` `=` $multicast_mask^)? "
        "(`l2_cache_hint` `=` $l2_cache_hint^)? (`predicate` `=` $predicate^)? attr-dict "
        "`:` type($dst_mem) `,` type($tma_descriptor)"
    )

    def verify_(self) -> None:
        _verify_load(self.name, self.mode.data, len(self.coordinates), len(self.im2col_offsets))
        if self.is_cta_only == FALSE:
            if not points_to_cluster(self.dst_mem):
                raise VerifyException(f"{self.name}: it copies to !llvm.ptr<7>")
            return
        if points_to_cluster(self.dst_mem):
            raise VerifyException(f"{self.name}: with isCTAOnly it copies to !llvm.ptr<3>")
        if self.multicast_mask is not None:
            raise VerifyException(
                f"{self.name}: a copy with isCTAOnly cannot have a multicast mask"
            )

    def requirement(self) -> Requirement:
        if self.mode.data not in ("tile", "im2col"):
            return BLACKWELL
        return self.REQUIRES if self.is_cta_only == FALSE else TO_BLOCK


@irdl_op_definition
class CpAsyncBulkTensorPrefetchOp(BulkOp):
    """``nvvm.cp.async.bulk.tensor.prefetch %map, box[%x, %y] : !llvm.ptr``: to the L2 cache."""

    name = "nvvm.cp.async.bulk.tensor.prefetch"

    tma_descriptor = operand_def(GENERIC)
    coordinates = var_operand_def(i32)
    im2col_offsets = var_operand_def(i16)
    l2_cache_hint = opt_operand_def(i64)
    mode = prop_def(TMALoadModeAttr, default_value=TILE)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$tma_descriptor `,` `box` `` `[` $coordinates `]` "
        "(`im2col` `` `[` $im2col_offsets^ `]`)? (`l2_cache_hint` `=` $l2_cache_hint^)? "
        "attr-dict `:` type($tma_descriptor)"
    )

    def verify_(self) -> None:
        _verify_load(self.name, self.mode.data, len(self.coordinates), len(self.im2col_offsets))

    def requirement(self) -> Requirement:
        return self.REQUIRES if self.mode.data in ("tile", "im2col") else BLACKWELL


class TensorStoreOp(BulkOp, ABC):
    """A copy of a box from shared memory to a tensor."""

    mode = prop_def(TMAStoreModeAttr, default_value=TMAStoreModeAttr("tile"))

    def requirement(self) -> Requirement:
        return BLACKWELL if self.mode.data == "tile_scatter4" else self.REQUIRES


@irdl_op_definition
class CpAsyncBulkTensorSharedCTAToGlobalOp(TensorStoreOp):
    """``nvvm.cp.async.bulk.tensor.global.shared.cta %map, %from, box[%x] : !llvm.ptr, <3>``."""

    name = "nvvm.cp.async.bulk.tensor.global.shared.cta"

    tma_descriptor = operand_def(GENERIC)
    src_mem = operand_def(SHARED)
    coordinates = var_operand_def(i32)
    l2_cache_hint = opt_operand_def(i64)
    predicate = opt_operand_def(i1)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (ShortPointer,)
    assembly_format = (
        "$tma_descriptor `,` $src_mem `,` `box` `` `[` $coordinates `]` "
        "(`l2_cache_hint` `=` $l2_cache_hint^)? (`,` `predicate` `=` $predicate^)? attr-dict "
        "`:` type($tma_descriptor) `,` custom<ShortPointer>(type($src_mem))"
    )

    def verify_(self) -> None:
        _verify_box(self.name, self.mode.data, len(self.coordinates))
        if self.predicate is not None and self.l2_cache_hint is not None:
            raise VerifyException(
                f"{self.name}: a store with a predicate cannot have an l2_cache_hint"
            )


@irdl_op_definition
class CpAsyncBulkTensorReduceOp(TensorStoreOp):
    """Combine a box with a tensor by the operation ``redKind``, such as ``add``.

    ``nvvm.cp.async.bulk.tensor.reduce %map, %from, box[%x, %y] {redKind =
    #nvvm.tma_redux_kind<add>} : !llvm.ptr, <3>``
    """

    name = "nvvm.cp.async.bulk.tensor.reduce"

    tma_descriptor = operand_def(GENERIC)
    src_mem = operand_def(SHARED)
    coordinates = var_operand_def(i32)
    l2_cache_hint = opt_operand_def(i64)
    red_kind = prop_def(TMAReduxKindAttr, prop_name="redKind")

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (ShortPointer,)
    assembly_format = (
        "$tma_descriptor `,` $src_mem `,` `box` `` `[` $coordinates `]` "
        "(`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict "
        "`:` type($tma_descriptor) `,` custom<ShortPointer>(type($src_mem))"
    )

    def verify_(self) -> None:
        _verify_box(self.name, self.mode.data, len(self.coordinates))


def _verify_box(name: str, mode: str, rank: int) -> None:
    least = 3 if mode.startswith("im2col") else 5 if mode.endswith("4") else 1
    if not least <= rank <= 5:
        expected = "5" if least == 5 else f"{least} to 5"
        raise VerifyException(f"{name}: {mode} has {expected} coordinates, not {rank}")


def _verify_load(name: str, mode: str, rank: int, offsets: int) -> None:
    _verify_box(name, mode, rank)
    expected = rank - 2 if mode == "im2col" else 2 if mode.startswith("im2col") else 0
    if offsets != expected:
        raise VerifyException(
            f"{name}: {mode} of {rank} coordinates has {expected} offsets, not {offsets}"
        )
