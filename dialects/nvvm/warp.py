"""Collective operations of a warp: shuffles, votes, matches, reductions, elections."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, UnitAttr, f32, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    EqAttrConstraint,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.types import LLVMStructType
from kc.dialects.nvvm.base import FALSE, NVVMOp
from kc.dialects.nvvm.enums import (
    MatchSyncKindAttr,
    ReduxKindAttr,
    ShflKindAttr,
    VoteSyncKindAttr,
)
from kc.dialects.nvvm.requirements import Requirement

WORD = EqAttrConstraint(i32) | EqAttrConstraint(f32)


@irdl_op_definition
class ShflOp(NVVMOp):
    """Each lane of the mask reads the value of another lane, which ``kind`` and ``offset``
    determine.

    ``%r = nvvm.shfl.sync bfly %mask, %value, %offset, %clamp : f32 -> f32``. With
    ``{return_value_and_is_valid}`` the result is a struct with a flag that the other lane exists:
    ``f32 -> !llvm.struct<(f32, i1)>``.
    """

    name = "nvvm.shfl.sync"
    REQUIRES: ClassVar = Requirement(sm=30, ptx=60)

    thread_mask = operand_def(i32)
    val = operand_def(WORD)
    offset = operand_def(i32)
    mask_and_clamp = operand_def(i32)
    res = result_def()
    kind = prop_def(ShflKindAttr)
    return_value_and_is_valid = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$kind $thread_mask `,` $val `,` $offset `,` $mask_and_clamp attr-dict "
        "`:` type($val) `->` type($res)"
    )

    def __init__(
        self,
        kind: str | ShflKindAttr,
        thread_mask: SSAValue | Operation,
        val: SSAValue | Operation,
        offset: SSAValue | Operation,
        mask_and_clamp: SSAValue | Operation,
        *,
        is_valid: bool = False,
    ):
        ty = SSAValue.get(val).type
        super().__init__(
            operands=[thread_mask, val, offset, mask_and_clamp],
            result_types=[LLVMStructType.from_type_list([ty, i1]) if is_valid else ty],
            properties={
                "kind": ShflKindAttr(kind) if isinstance(kind, str) else kind,
                "return_value_and_is_valid": UnitAttr() if is_valid else None,
            },
        )

    def verify_(self) -> None:
        ty = self.val.type
        if self.return_value_and_is_valid is not None:
            ty = LLVMStructType.from_type_list([ty, i1])
        if self.res.type != ty:
            raise VerifyException(f"{self.name}: the result is {ty}, not {self.res.type}")


@irdl_op_definition
class VoteSyncOp(NVVMOp):
    """``%r = nvvm.vote.sync any %mask, %predicate -> i1``; a ballot is an i32 with a bit for each
    lane.
    """

    name = "nvvm.vote.sync"
    REQUIRES: ClassVar = Requirement(sm=30, ptx=60)

    mask = operand_def(i32)
    pred = operand_def(i1)
    res = result_def()
    kind = prop_def(VoteSyncKindAttr)

    assembly_format = "$kind $mask `,` $pred attr-dict `->` type($res)"

    def __init__(
        self,
        kind: str | VoteSyncKindAttr,
        mask: SSAValue | Operation,
        pred: SSAValue | Operation,
    ):
        kind = VoteSyncKindAttr(kind) if isinstance(kind, str) else kind
        super().__init__(
            operands=[mask, pred], result_types=[_vote_type(kind)], properties={"kind": kind}
        )

    def verify_(self) -> None:
        ty = _vote_type(self.kind)
        if self.res.type != ty:
            raise VerifyException(f"{self.name}: {self.kind.data} gives {ty}, not {self.res.type}")


@irdl_op_definition
class MatchSyncOp(NVVMOp):
    """``%r = nvvm.match.sync any %mask, %value : i32 -> i32``: the lanes with the same value.

    ``all`` also returns a flag that all lanes have the same value: ``i32 -> !llvm.struct<(i32,
    i1)>``.
    """

    name = "nvvm.match.sync"
    REQUIRES: ClassVar = Requirement(sm=70, ptx=60)

    thread_mask = operand_def(i32)
    val = operand_def(EqAttrConstraint(i32) | EqAttrConstraint(i64))
    res = result_def()
    kind = prop_def(MatchSyncKindAttr)

    assembly_format = "$kind $thread_mask `,` $val attr-dict `:` type($val) `->` type($res)"

    def __init__(
        self,
        kind: str | MatchSyncKindAttr,
        thread_mask: SSAValue | Operation,
        val: SSAValue | Operation,
    ):
        kind = MatchSyncKindAttr(kind) if isinstance(kind, str) else kind
        super().__init__(
            operands=[thread_mask, val],
            result_types=[_match_type(kind)],
            properties={"kind": kind},
        )

    def verify_(self) -> None:
        ty = _match_type(self.kind)
        if self.res.type != ty:
            raise VerifyException(f"{self.name}: {self.kind.data} gives {ty}, not {self.res.type}")


@irdl_op_definition
class ReduxOp(NVVMOp):
    """``%r = nvvm.redux.sync add %value, %mask : i32 -> i32``: over the lanes of the mask.

    ``fmin`` and ``fmax`` apply to f32; with ``{abs = true}`` to absolute values. With ``{nan =
    true}`` the result is NaN if an element is NaN.
    """

    name = "nvvm.redux.sync"
    REQUIRES: ClassVar = Requirement(sm=80, ptx=70)
    T: ClassVar = VarConstraint("T", WORD)

    val = operand_def(T)
    mask_and_clamp = operand_def(i32)
    res = result_def(T)
    kind = prop_def(ReduxKindAttr)
    abs = prop_def(BoolAttr, default_value=FALSE)
    nan = prop_def(BoolAttr, default_value=FALSE)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$kind $val `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)"

    def __init__(
        self,
        kind: str | ReduxKindAttr,
        val: SSAValue | Operation,
        mask_and_clamp: SSAValue | Operation,
        *,
        abs: bool = False,
        nan: bool = False,
    ):
        super().__init__(
            operands=[val, mask_and_clamp],
            result_types=[SSAValue.get(val).type],
            properties={
                "kind": ReduxKindAttr(kind) if isinstance(kind, str) else kind,
                "abs": BoolAttr.from_bool(abs),
                "nan": BoolAttr.from_bool(nan),
            },
        )

    def verify_(self) -> None:
        ty = self.val.type
        expected = f32 if self.kind.data in ("fmin", "fmax") else i32
        if ty != expected:
            raise VerifyException(f"{self.name}: {self.kind.data} is of {expected}, not of {ty}")
        if ty != f32 and (self.abs != FALSE or self.nan != FALSE):
            raise VerifyException(f"{self.name}: only f32 has abs and nan, {ty} has not")

    def requirement(self) -> Requirement:
        if self.val.type == f32:
            return Requirement(sm=100, ptx=86, arch_specific=True, also=(103,))
        return self.REQUIRES


@irdl_op_definition
class ElectSyncOp(NVVMOp):
    """``%r = nvvm.elect.sync -> i1``: true in one lane; with a mask, ``nvvm.elect.sync %mask``."""

    name = "nvvm.elect.sync"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=80)

    membermask = opt_operand_def(i32)
    pred = result_def(i1)

    assembly_format = "($membermask^)? attr-dict `->` type($pred)"

    def __init__(self, membermask: SSAValue | Operation | None = None):
        super().__init__(operands=[membermask], result_types=[i1])


def _vote_type(kind: VoteSyncKindAttr) -> Attribute:
    return i32 if kind.data == "ballot" else i1


def _match_type(kind: MatchSyncKindAttr) -> Attribute:
    return LLVMStructType.from_type_list([i32, i1]) if kind.data == "all" else i32
