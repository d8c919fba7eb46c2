"""Buffers as options name them, the memory scopes of a target, and names for new buffers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, NoneAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from kc.analysis.loop_tree import buffer_name
from kc.analysis.regions import buffers_read, buffers_written
from kc.dialects.tir import AllocOp, BlockOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError, suggest, warn
from kc.support.locations import location_of
from kc.transforms.schedule.base import CALL_SITE, Site


@dataclass(frozen=True)
class BufferRef:
    """A buffer of a block: its name, its position among those read or written, or the buffer."""

    target: str | int | SSAValue

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The reference that an option's text makes."""
        return cls(int(text) if text.isdecimal() else text)

    def __str__(self) -> str:
        return buffer_name(self.target) if isinstance(self.target, SSAValue) else str(self.target)


def find_buffer(
    site: Site, primitive: str, block: BlockOp, ref: BufferRef, how: Literal["reads", "writes"]
) -> SSAValue:
    """The buffer of ``block`` that ``ref`` means, or a refusal (KC3300).

    Buffers are counted in the order of their first use. What a block both reads and writes (the
    result of a reduction) is counted last among what it reads.
    """
    written = buffers_written(block)
    if how == "writes":
        known = written
    else:
        read = buffers_read(block)
        known = [one for one in read if one not in written] + [
            one for one in read if one in written
        ]
    names = [buffer_name(one) for one in known]
    if isinstance(ref.target, int):
        found = known[ref.target : ref.target + 1] if ref.target >= 0 else []
    elif isinstance(ref.target, str):
        found = [one for one, name in zip(known, names, strict=True) if name == ref.target]
    else:
        found = [one for one in known if one is ref.target]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{n}: {name}" for n, name in enumerate(names))
    raise site.refuse(
        "KC3300",
        f"{primitive}: block {block.label} {how} no buffer {ref}"
        if not found
        else f"{primitive}: block {block.label} {how} {len(found)} buffers '{ref}'",
        at=block,
        why=f"it {how} {listed}" if names else f"it {how} none",
        hints=suggest(ref.target, names, "the buffers are")
        if isinstance(ref.target, str) and not found
        else [f"buffer={n}" for n in range(min(len(names), 3))],
    )


def require_plain_uses(site: Site, primitive: str, block: BlockOp, buffer: SSAValue) -> None:
    """Refuse (KC3303) a buffer that something else than loads, stores and sizes uses."""
    for use in buffer.uses:
        user = use.operation
        if isinstance(user, LoadOp | memref.DimOp):
            continue
        if isinstance(user, StoreOp) and user.buffer is buffer:
            continue
        name = buffer_name(buffer)
        raise site.refuse(
            "KC3303",
            f"{primitive}: {name} of block {block.label} is used by {user.name}",
            at=user,
            mark={user: f"uses {name}"},
            why=f"what {user.name} does with it is not known",
        )


def find_alloc(site: Site, primitive: str, block: BlockOp, buffer: SSAValue) -> AllocOp:
    """The alloc of ``buffer``; refuses arguments (KC3320)."""
    if isinstance(buffer.owner, AllocOp):
        return buffer.owner
    name = buffer_name(buffer)
    raise site.refuse(
        "KC3320",
        f"{primitive}: {name} of block {block.label} is an argument of the function",
        at=block,
        why="where an argument is, and how it is laid out, is up to the caller",
        hints=[f"cache_write gives block {block.label} a buffer of its own"],
    )


# Scopes ---------------------------------------------------------------------------------------


def require_scope(site: Site, primitive: str, scope: str) -> None:
    """Refuse (KC3301) a memory scope that the target does not have."""
    scopes = site.target.kind.scopes
    if scope in scopes:
        return
    raise ScheduleError(
        "KC3301",
        f"{primitive}: target {site.target.kind} has no memory scope '{scope}'",
        location=CALL_SITE.get() or location_of(site.function),
        hints=suggest(scope, scopes, "the scopes are"),
    )


def warn_of_scope(site: Site, primitive: str, scope: str, block: BlockOp) -> None:
    """Warn (KC3302) of a scope that buys nothing on the target."""
    useless = site.target.kind.scopes[scope]
    if useless:
        warn(
            "KC3302",
            f"{primitive}: the scope '{scope}' is useless on target {site.target.kind}",
            location=CALL_SITE.get() or location_of(block),
            why=useless,
            hints=["scope=global", "scope=local"],
        )


def scope_attr(scope: str) -> Attribute:
    """A scope as the memory space of a type; ``global`` is what a type without one means."""
    return NoneAttr() if scope == "global" else StringAttr(scope)


def scope_name(type_: MemRefType) -> str:
    """The scope of a buffer."""
    space = type_.memory_space
    return space.data if isinstance(space, StringAttr) else "global"


# Names ----------------------------------------------------------------------------------------


def fresh_name(site: Site, wanted: str) -> str:
    """``wanted``, or with a number where a block or a buffer of the function has that name."""
    taken = {one.label for one in site.function.walk() if isinstance(one, BlockOp | AllocOp)}
    taken |= {one.name_hint or "" for one in site.function.body.block.args}
    chosen, n = wanted, 0
    while chosen in taken:
        n += 1
        chosen = f"{wanted}_{n}"
    return chosen


def cache_type(buffer: SSAValue, scope: str) -> MemRefType:
    """The type of a buffer like ``buffer`` in ``scope``."""
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    return MemRefType(type_.element_type, type_.shape, type_.layout, scope_attr(scope))


def redirect(accesses: Iterable[LoadOp | StoreOp], buffer: SSAValue) -> None:
    """Let ``accesses`` use ``buffer`` instead of the one they use."""
    for op in accesses:
        op.operands[0 if isinstance(op, LoadOp) else 1] = buffer
