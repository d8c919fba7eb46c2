"""Mbarriers: objects of shared memory that count arrivals and bytes of asynchronous copies."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, i1, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    EqAttrConstraint,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.nvvm.base import (
    CLUSTER,
    CLUSTER_POINTER,
    FALSE,
    GENERIC,
    GENERIC_POINTER,
    SHARED,
    NVVMOp,
    points_to_cluster,
)
from kc.dialects.nvvm.enums import MemScopeKindAttr
from kc.dialects.nvvm.fences import as_scope
from kc.dialects.nvvm.requirements import Requirement

AMPERE = Requirement(sm=80, ptx=70)
PARITY = Requirement(sm=80, ptx=71)
HOPPER = Requirement(sm=90, ptx=80)
RELAXED = Requirement(sm=90, ptx=86)
TRY_WAIT = Requirement(sm=90, ptx=78)
CTA = MemScopeKindAttr("cta")
ANYWHERE = GENERIC | SHARED | CLUSTER
STATE_OR_PHASE = EqAttrConstraint(i64) | EqAttrConstraint(i32)


class ScopedOp(NVVMOp, ABC):
    """An operation ordered for the threads of a block, or with ``scope`` for those of the
    cluster.
    """

    scope = prop_def(MemScopeKindAttr, default_value=CTA)

    def verify_(self) -> None:
        if self.scope.data not in ("cta", "cluster"):
            raise VerifyException(
                f"{self.name}: the scope is cta or cluster, not {self.scope.data}"
            )


class OrderedOp(ScopedOp, ABC):
    """An operation that orders surrounding memory accesses, unless it is ``{relaxed = true}``."""

    relaxed = prop_def(BoolAttr, default_value=FALSE)


class ArrivingOp(OrderedOp, ABC):
    """An arrival, whose result is the state of the mbarrier before it.

    An arrival at the mbarrier of another block of the cluster (``!llvm.ptr<7>``) has no result.
    """

    addr = operand_def(ANYWHERE)
    res = opt_result_def(i64)

    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        super().verify_()
        if points_to_cluster(self.addr) and self.res is not None:
            raise VerifyException(f"{self.name}: in the memory of the cluster it has no result")


@irdl_op_definition
class MBarrierInitOp(NVVMOp):
    """``nvvm.mbarrier.init %mbarrier, %arrivals : !llvm.ptr<3>, i32``."""

    name = "nvvm.mbarrier.init"
    REQUIRES: ClassVar = AMPERE

    addr = operand_def(GENERIC | SHARED)
    count = operand_def(i32)
    predicate = opt_operand_def(i1)

    assembly_format = (
        "$addr `,` $count (`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)"
    )

    def __init__(
        self,
        addr: SSAValue | Operation,
        count: SSAValue | Operation,
        predicate: SSAValue | Operation | None = None,
    ):
        super().__init__(operands=[addr, count, predicate])


@irdl_op_definition
class MBarrierInvalOp(NVVMOp):
    """``nvvm.mbarrier.inval %mbarrier : !llvm.ptr<3>``: free its memory for other uses."""

    name = "nvvm.mbarrier.inval"
    REQUIRES: ClassVar = AMPERE

    addr = operand_def(GENERIC | SHARED)

    assembly_format = "$addr attr-dict `:` type(operands)"

    def __init__(self, addr: SSAValue | Operation):
        super().__init__(operands=[addr])


class CountedArrivalOp(ArrivingOp, ABC):
    """An arrival that may count as several arrivals."""

    REQUIRES: ClassVar = AMPERE

    addr = operand_def(ANYWHERE)  # repeated: operands of a base class follow those of the class
    count = opt_operand_def(i32)

    assembly_format = "$addr (`,` $count^)? attr-dict `:` type($addr) (`->` type($res)^)?"

    def __init__(
        self,
        addr: SSAValue | Operation,
        count: SSAValue | Operation | None = None,
        *,
        scope: str | MemScopeKindAttr = CTA,
        relaxed: bool = False,
    ):
        super().__init__(
            operands=[addr, count],
            result_types=[None if points_to_cluster(SSAValue.get(addr)) else i64],
            properties={"scope": as_scope(scope), "relaxed": BoolAttr.from_bool(relaxed)},
        )

    def requirement(self) -> Requirement:
        if self.relaxed != FALSE:
            return RELAXED
        if self.count is not None or self.scope != CTA or points_to_cluster(self.addr):
            return HOPPER
        return self.REQUIRES


@irdl_op_definition
class MBarrierArriveOp(CountedArrivalOp):
    """``%state = nvvm.mbarrier.arrive %mbarrier, %count : !llvm.ptr<3> -> i64``."""

    name = "nvvm.mbarrier.arrive"


@irdl_op_definition
class MBarrierArriveDropOp(CountedArrivalOp):
    """``%state = nvvm.mbarrier.arrive_drop %mbarrier : !llvm.ptr<3> -> i64``: arrive, and take part
    in no later phase.
    """

    name = "nvvm.mbarrier.arrive_drop"
    REQUIRES: ClassVar = HOPPER


class NocompleteOp(NVVMOp, ABC):
    """An arrival that must not complete the phase."""

    REQUIRES: ClassVar = AMPERE

    addr = operand_def(GENERIC | SHARED)
    count = operand_def(i32)
    res = result_def(i64)

    assembly_format = "$addr `,` $count attr-dict `:` type(operands) `->` type($res)"

    def __init__(self, addr: SSAValue | Operation, count: SSAValue | Operation):
        super().__init__(operands=[addr, count], result_types=[i64])


@irdl_op_definition
class MBarrierArriveNocompleteOp(NocompleteOp):
    """``%state = nvvm.mbarrier.arrive.nocomplete %mbarrier, %count : !llvm.ptr<3>, i32 -> i64``."""

    name = "nvvm.mbarrier.arrive.nocomplete"


@irdl_op_definition
class MBarrierArriveDropNocompleteOp(NocompleteOp):
    """``nvvm.mbarrier.arrive_drop.nocomplete %mbarrier, %count : !llvm.ptr<3>, i32 -> i64``."""

    name = "nvvm.mbarrier.arrive_drop.nocomplete"


@irdl_op_definition
class MBarrierArriveExpectTxOp(ArrivingOp):
    """Arrive, and announce the number of bytes that copies will write in this phase.

    ``%state = nvvm.mbarrier.arrive.expect_tx %mbarrier, %bytes : !llvm.ptr<3>, i32 -> i64``
    """

    name = "nvvm.mbarrier.arrive.expect_tx"
    REQUIRES: ClassVar = HOPPER

    addr = operand_def(ANYWHERE)
    txcount = operand_def(i32)
    predicate = opt_operand_def(i1)

    assembly_format = (
        "$addr `,` $txcount (`,` `predicate` `=` $predicate^)? attr-dict "
        "`:` type(operands) (`->` type($res)^)?"
    )

    def __init__(
        self,
        addr: SSAValue | Operation,
        txcount: SSAValue | Operation,
        predicate: SSAValue | Operation | None = None,
        *,
        scope: str | MemScopeKindAttr = CTA,
        relaxed: bool = False,
    ):
        has_result = predicate is None and not points_to_cluster(SSAValue.get(addr))
        super().__init__(
            operands=[addr, txcount, predicate],
            result_types=[i64 if has_result else None],
            properties={"scope": as_scope(scope), "relaxed": BoolAttr.from_bool(relaxed)},
        )

    def verify_(self) -> None:
        super().verify_()
        if self.predicate is None:
            return
        for wrong, what in (
            (self.res is not None, "a result"),
            (points_to_cluster(self.addr), "a pointer into the memory of the cluster"),
            (self.relaxed != FALSE, "relaxed order"),
            (self.scope != CTA, "a scope other than cta"),
        ):
            if wrong:
                raise VerifyException(f"{self.name}: an op with a predicate cannot have {what}")

    def requirement(self) -> Requirement:
        return self.REQUIRES if self.relaxed == FALSE else RELAXED


@irdl_op_definition
class MBarrierArriveDropExpectTxOp(ArrivingOp):
    """``nvvm.mbarrier.arrive_drop.expect_tx %mbarrier, %bytes : !llvm.ptr<3>, i32 -> i64``."""

    name = "nvvm.mbarrier.arrive_drop.expect_tx"
    REQUIRES: ClassVar = HOPPER

    addr = operand_def(ANYWHERE)
    txcount = operand_def(i32)

    assembly_format = "$addr `,` $txcount attr-dict `:` type(operands) (`->` type($res)^)?"

    def __init__(
        self,
        addr: SSAValue | Operation,
        txcount: SSAValue | Operation,
        *,
        scope: str | MemScopeKindAttr = CTA,
        relaxed: bool = False,
    ):
        super().__init__(
            operands=[addr, txcount],
            result_types=[None if points_to_cluster(SSAValue.get(addr)) else i64],
            properties={"scope": as_scope(scope), "relaxed": BoolAttr.from_bool(relaxed)},
        )

    def requirement(self) -> Requirement:
        return self.REQUIRES if self.relaxed == FALSE else RELAXED


class TransactionOp(ScopedOp, ABC):
    """A change of the number of bytes that an mbarrier waits for."""

    REQUIRES: ClassVar = HOPPER

    addr = operand_def(SHARED | CLUSTER)
    txcount = operand_def(i32)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$addr `,` $txcount attr-dict `:` type(operands)"

    def __init__(
        self,
        addr: SSAValue | Operation,
        txcount: SSAValue | Operation,
        *,
        scope: str | MemScopeKindAttr = CTA,
    ):
        super().__init__(operands=[addr, txcount], properties={"scope": as_scope(scope)})


@irdl_op_definition
class MBarrierExpectTxOp(TransactionOp):
    """``nvvm.mbarrier.expect_tx %mbarrier, %bytes : !llvm.ptr<3>, i32``: expect this many more
    bytes.
    """

    name = "nvvm.mbarrier.expect_tx"


@irdl_op_definition
class MBarrierCompleteTxOp(TransactionOp):
    """``nvvm.mbarrier.complete_tx %mbarrier, %bytes : !llvm.ptr<3>, i32``: expect this many fewer
    bytes.
    """

    name = "nvvm.mbarrier.complete_tx"


@irdl_op_definition
class MBarrierTryWaitParityOp(NVVMOp):
    """Wait for the phase of a parity, in a loop of tries of the given number of nanoseconds.

    ``nvvm.mbarrier.try_wait.parity %mbarrier, %parity, %time : !llvm.ptr<3>, i32, i32``
    """

    name = "nvvm.mbarrier.try_wait.parity"
    REQUIRES: ClassVar = TRY_WAIT

    addr = operand_def(GENERIC | SHARED)
    phase = operand_def(i32)
    ticks = operand_def(i32)

    assembly_format = "$addr `,` $phase `,` $ticks attr-dict `:` type(operands)"

    def __init__(
        self,
        addr: SSAValue | Operation,
        phase: SSAValue | Operation,
        ticks: SSAValue | Operation,
    ):
        super().__init__(operands=[addr, phase, ticks])


class WaitingOp(OrderedOp, ABC):
    """A test whether a phase is complete, identified by a state (i64) or a parity (i32)."""

    addr = operand_def(GENERIC | SHARED)
    state_or_phase = operand_def(STATE_OR_PHASE)
    res = result_def(i1)

    irdl_options = (ParsePropInAttrDict(),)


@irdl_op_definition
class MBarrierTryWaitOp(WaitingOp):
    """Wait for the phase for a limited time: ``%time`` nanoseconds, or a default of the hardware.

    ``%done = nvvm.mbarrier.try_wait %mbarrier, %parity : !llvm.ptr<3>, i32 -> i1``
    """

    name = "nvvm.mbarrier.try_wait"
    REQUIRES: ClassVar = TRY_WAIT

    addr = operand_def(GENERIC | SHARED)
    state_or_phase = operand_def(STATE_OR_PHASE)
    ticks = opt_operand_def(i32)

    assembly_format = (
        "$addr `,` $state_or_phase (`,` $ticks^)? attr-dict `:` type(operands) `->` type($res)"
    )

    def __init__(
        self,
        addr: SSAValue | Operation,
        state_or_phase: SSAValue | Operation,
        ticks: SSAValue | Operation | None = None,
        *,
        scope: str | MemScopeKindAttr = CTA,
        relaxed: bool = False,
    ):
        super().__init__(
            operands=[addr, state_or_phase, ticks],
            result_types=[i1],
            properties={"scope": as_scope(scope), "relaxed": BoolAttr.from_bool(relaxed)},
        )

    def requirement(self) -> Requirement:
        if self.relaxed != FALSE:
            return RELAXED
        return self.REQUIRES if self.scope == CTA else HOPPER


@irdl_op_definition
class MBarrierTestWaitOp(WaitingOp):
    """``%done = nvvm.mbarrier.test.wait %mbarrier, %state : !llvm.ptr<3>, i64 -> i1``: test without
    waiting.
    """

    name = "nvvm.mbarrier.test.wait"
    REQUIRES: ClassVar = AMPERE

    assembly_format = "$addr `,` $state_or_phase attr-dict `:` type(operands) `->` type($res)"

    def __init__(
        self,
        addr: SSAValue | Operation,
        state_or_phase: SSAValue | Operation,
        *,
        scope: str | MemScopeKindAttr = CTA,
        relaxed: bool = False,
    ):
        super().__init__(
            operands=[addr, state_or_phase],
            result_types=[i1],
            properties={"scope": as_scope(scope), "relaxed": BoolAttr.from_bool(relaxed)},
        )

    def requirement(self) -> Requirement:
        if self.relaxed != FALSE:
            return RELAXED
        if self.scope != CTA:
            return HOPPER
        return self.REQUIRES if self.state_or_phase.type == i64 else PARITY


@irdl_op_definition
class MapaOp(NVVMOp):
    """The same address in the shared memory of another block of the cluster.

    ``%there = nvvm.mapa %here, %rank : !llvm.ptr<3> -> !llvm.ptr<7>``
    """

    name = "nvvm.mapa"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=78)

    a = operand_def(GENERIC | SHARED)
    b = operand_def(i32)
    res = result_def(GENERIC | CLUSTER)

    traits = traits_def(Pure())
    assembly_format = "$a `,` $b attr-dict `:` type($a) `->` type($res)"

    def __init__(self, a: SSAValue | Operation, b: SSAValue | Operation):
        super().__init__(operands=[a, b], result_types=[_mapped(SSAValue.get(a))])

    def verify_(self) -> None:
        if self.res.type != (expected := _mapped(self.a)):
            raise VerifyException(
                f"{self.name}: of {self.a.type} it is {expected}, not {self.res.type}"
            )


def _mapped(address: SSAValue) -> LLVMPointerType:
    return GENERIC_POINTER if address.type == GENERIC_POINTER else CLUSTER_POINTER
