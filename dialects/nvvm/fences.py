"""Fences: the order in which other threads and other proxies observe a thread's memory accesses."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.nvvm.base import GENERIC_POINTER, NVVMOp
from kc.dialects.nvvm.enums import (
    MemOrderKindAttr,
    MemScopeKindAttr,
    ProxyKindAttr,
    SharedSpaceAttr,
)
from kc.dialects.nvvm.requirements import ANY, Requirement


@irdl_op_definition
class MembarOp(NVVMOp):
    """``nvvm.memory.barrier <gpu>``: order earlier before later accesses, within the scope."""

    name = "nvvm.memory.barrier"
    REQUIRES: ClassVar = ANY

    scope = prop_def(MemScopeKindAttr)

    assembly_format = "$scope attr-dict"

    def __init__(self, scope: str | MemScopeKindAttr):
        super().__init__(properties={"scope": as_scope(scope)})

    def requirement(self) -> Requirement:
        return Requirement(sm=90, ptx=78) if self.scope.data == "cluster" else self.REQUIRES


@irdl_op_definition
class FenceScClusterOp(NVVMOp):
    """``nvvm.fence.sc.cluster``: a sequentially consistent fence of the cluster."""

    name = "nvvm.fence.sc.cluster"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=78)

    assembly_format = "attr-dict"


@irdl_op_definition
class FenceMbarrierInitOp(NVVMOp):
    """``nvvm.fence.mbarrier.init``: make initialised mbarriers visible to the cluster."""

    name = "nvvm.fence.mbarrier.init"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=80)

    assembly_format = "attr-dict"


@irdl_op_definition
class FenceProxyOp(NVVMOp):
    """Orders accesses through different proxies.

    ``nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}``
    """

    name = "nvvm.fence.proxy"
    REQUIRES: ClassVar = Requirement(sm=70, ptx=75)

    kind = prop_def(ProxyKindAttr)
    space = opt_prop_def(SharedSpaceAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, kind: str | ProxyKindAttr, space: str | SharedSpaceAttr | None = None):
        super().__init__(
            properties={
                "kind": ProxyKindAttr(kind) if isinstance(kind, str) else kind,
                "space": SharedSpaceAttr(space) if isinstance(space, str) else space,
            }
        )

    def verify_(self) -> None:
        kind = self.kind.data
        if kind in ("tensormap", "generic"):
            raise VerifyException(f"{self.name}: {kind} has fences of its own, fence.proxy.acquire")
        if kind == "async.shared" and self.space is None:
            raise VerifyException(f"{self.name}: async.shared needs a space")
        if kind != "async.shared" and self.space is not None:
            raise VerifyException(f"{self.name}: {kind} has no space, only async.shared has")

    def requirement(self) -> Requirement:
        return self.REQUIRES if self.kind.data == "alias" else Requirement(sm=90, ptx=80)


class DirectedFenceOp(NVVMOp, ABC):
    """A fence from the generic proxy to the tensor map proxy."""

    REQUIRES: ClassVar = Requirement(sm=90, ptx=83)

    scope = prop_def(MemScopeKindAttr)
    from_proxy = prop_def(
        ProxyKindAttr, prop_name="fromProxy", default_value=ProxyKindAttr("generic")
    )
    to_proxy = prop_def(
        ProxyKindAttr, prop_name="toProxy", default_value=ProxyKindAttr("tensormap")
    )

    def verify_(self) -> None:
        _verify_direction(self.name, self.from_proxy, self.to_proxy, "tensormap")


@irdl_op_definition
class FenceProxyAcquireOp(DirectedFenceOp):
    """``nvvm.fence.proxy.acquire <gpu> %address, %size``: for ``size`` bytes, which must be 128."""

    name = "nvvm.fence.proxy.acquire"

    addr = operand_def(GENERIC_POINTER)
    size = operand_def(i32)

    assembly_format = (
        "$scope $addr `,` $size (`from_proxy` `=` $fromProxy^)? "
        "(`to_proxy` `=` $toProxy^)? attr-dict"
    )

    def __init__(
        self,
        scope: str | MemScopeKindAttr,
        addr: SSAValue | Operation,
        size: SSAValue | Operation,
    ):
        super().__init__(operands=[addr, size], properties={"scope": as_scope(scope)})


@irdl_op_definition
class FenceProxyReleaseOp(DirectedFenceOp):
    """``nvvm.fence.proxy.release <gpu>``."""

    name = "nvvm.fence.proxy.release"

    assembly_format = "$scope (`from_proxy` `=` $fromProxy^)? (`to_proxy` `=` $toProxy^)? attr-dict"

    def __init__(self, scope: str | MemScopeKindAttr):
        super().__init__(properties={"scope": as_scope(scope)})


class RestrictedFenceOp(NVVMOp, ABC):
    """A cluster fence restricted to synchronising accesses, by ``order``."""

    REQUIRES: ClassVar = Requirement(sm=90, ptx=86)

    order = prop_def(MemOrderKindAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, order: str | MemOrderKindAttr):
        order = MemOrderKindAttr(order) if isinstance(order, str) else order
        super().__init__(properties={"order": order})

    def verify_(self) -> None:
        if self.order.data not in ("acquire", "release"):
            raise VerifyException(
                f"{self.name}: the order is acquire or release, not {self.order.data}"
            )


@irdl_op_definition
class FenceSyncRestrictOp(RestrictedFenceOp):
    """``nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}``: for mbarriers."""

    name = "nvvm.fence.sync_restrict"


@irdl_op_definition
class FenceProxySyncRestrictOp(RestrictedFenceOp):
    """``nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<acquire>}``: for proxies."""

    name = "nvvm.fence.proxy.sync_restrict"

    from_proxy = prop_def(
        ProxyKindAttr, prop_name="fromProxy", default_value=ProxyKindAttr("generic")
    )
    to_proxy = prop_def(ProxyKindAttr, prop_name="toProxy", default_value=ProxyKindAttr("async"))

    def verify_(self) -> None:
        super().verify_()
        _verify_direction(self.name, self.from_proxy, self.to_proxy, "async")


def as_scope(scope: str | MemScopeKindAttr) -> MemScopeKindAttr:
    """The attribute of a scope, from its name or attribute."""
    return MemScopeKindAttr(scope) if isinstance(scope, str) else scope


def _verify_direction(
    name: str, from_proxy: ProxyKindAttr, to_proxy: ProxyKindAttr, expected: str
) -> None:
    if (from_proxy.data, to_proxy.data) != ("generic", expected):
        raise VerifyException(
            f"{name}: it is from the proxy generic to {expected}, "
            f"not from {from_proxy.data} to {to_proxy.data}"
        )
