"""Buffers in options, the memory scopes of a target, and names for new buffers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, NoneAttr, StringAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue

from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.accesses.regions import numbered_reads, numbered_writes
from kc.analysis.loop_tree import buffer_name, loops
from kc.dialects.tir import (
    AllocOp,
    BlockOp,
    CallExternOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
    ViewOp,
)
from kc.dialects.tir.views import accesses_of
from kc.support import fresh_names as names
from kc.support.diagnostics import ScheduleError, suggest, warn
from kc.support.locations import caller_location, location_of
from kc.support.registry import pass_class
from kc.support.target import Target
from kc.transforms.intrinsics.tile_names import SCOPE as TILES
from kc.transforms.schedule.base import CALL_SITE, BlockRef, BufferOption, Site

Side = Literal["read", "write"]


@dataclass(frozen=True)
class BufferRef(BufferOption):
    """A buffer of a block: its name, its position among the read or written buffers, or its value.

    ``side`` selects the list that a position counts: ``read:0``, ``("write", 0)``.
    """

    target: str | int | SSAValue
    side: Side | None = None

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The reference in the text of an option. Raises ValueError for a malformed text."""
        side, colon, rest = text.strip("()").replace(",", ":").partition(":")
        if colon:
            if side not in ("read", "write") or not rest.strip().isdecimal():
                raise ValueError("a name, a position, read:POSITION or write:POSITION")
            return cls(int(rest), side)  # pyright: ignore[reportArgumentType]
        return cls(int(text) if text.isdecimal() else text)

    @classmethod
    def of(cls, value: Any) -> Self:
        """The reference for a Python value: the value of the field, or (side, position).

        Raises ScheduleError KC3300 for any other value.
        """
        if isinstance(value, BufferRef):
            return cls(value.target, value.side)
        if isinstance(value, tuple | list):
            if len(value) != 2 or value[0] not in ("read", "write"):
                raise ScheduleError(
                    "KC3300",
                    f"{value!r} is not a buffer",
                    location=CALL_SITE.get() or caller_location(),
                    hints=['("read", 0)', '("write", 0)'],
                )
            return cls(value[1], value[0])
        return cls.from_option(value) if isinstance(value, str) else cls(value)

    def may_mean(self, block: BlockOp) -> list[SSAValue]:
        read = [] if self.side == "write" else numbered_reads(block)
        written = [] if self.side == "read" else numbered_writes(block)
        if isinstance(self.target, int):
            return [
                buffers[self.target]
                for buffers in (read, written)
                if 0 <= self.target < len(buffers)
            ]
        return [
            buffers
            for buffers in (*read, *written)
            if self.target in (buffers, buffer_name(buffers))
        ]

    def __str__(self) -> str:
        if isinstance(self.target, SSAValue):
            return buffer_name(self.target)
        return f"{self.side}:{self.target}" if self.side is not None else str(self.target)


How = Literal["reads", "writes", "uses"]


def find_buffer(site: Site, block: BlockOp, ref: BufferRef, how: How) -> SSAValue:
    """The buffer of ``block`` that ``ref`` selects. Refuses (KC3300) an unknown or ambiguous
    reference.

    Buffers are counted in the order of their first use, or in the order of ``T.reads`` and
    ``T.writes``. A buffer that a block both reads and writes (the result of a reduction) is counted
    last among the read buffers. With ``uses``, a position without a side counts the written
    buffers.
    """
    if how == "uses" and isinstance(ref.target, int):
        how = "reads" if ref.side == "read" else "writes"
    if how == "writes":
        candidates = numbered_writes(block)
    elif how == "uses":
        candidates = list(dict.fromkeys([*numbered_writes(block), *numbered_reads(block)]))
    else:
        candidates = numbered_reads(block)
    if ref.side is not None and not how.startswith(ref.side):
        candidates = []
    names = [buffer_name(buffer) for buffer in candidates]
    if isinstance(ref.target, int):
        matches = candidates[ref.target : ref.target + 1] if ref.target >= 0 else []
    elif isinstance(ref.target, str):
        matches = [
            buffer for buffer, name in zip(candidates, names, strict=True) if name == ref.target
        ]
    else:
        matches = [buffer for buffer in candidates if buffer is ref.target]
    if len(matches) == 1:
        return matches[0]
    listed = ", ".join(f"{n}: {name}" for n, name in enumerate(names))
    raise site.refuse(
        "KC3300",
        f"block {block.label} {how} no buffer {ref}"
        if not matches
        else f"block {block.label} {how} {len(matches)} buffers '{ref}'",
        at=block,
        why=f"it {how} {listed}" if names else f"it {how} none",
        hints=suggest(ref.target, names, "the buffers are")
        if isinstance(ref.target, str) and not matches
        else [f"buffer={n}" for n in range(min(len(names), 3))],
    )


def require_plain_uses(
    site: Site, block: BlockOp, buffer: SSAValue, *, with_views: bool = False
) -> None:
    """Refuse (KC3303) a view, and a buffer with uses other than loads, stores and sizes.

    With ``with_views``, the buffer may have views.
    """
    base = base_buffer(buffer)
    if base is not buffer:
        name = buffer_name(buffer)
        whole = buffer_name(base) if base is not None else "another buffer"
        raise site.refuse(
            "KC3303",
            f"{name} of block {block.label} is a part of {whole}",
            at=block,
            why=f"other uses of {whole} may access the same elements",
        )
    for use in buffer.uses:
        user = use.operation
        if isinstance(user, LoadOp | PrefetchOp | memref.DimOp):
            continue
        if with_views and isinstance(user, ViewOp):
            continue
        if isinstance(user, StoreOp) and user.buffer is buffer:
            continue
        name = buffer_name(buffer)
        raise site.refuse(
            "KC3303",
            f"{name} of block {block.label} is used by {user.name}",
            at=user,
            mark={user: f"uses {name}"},
            why=f"the effect of {user.name} on it is unknown",
        )


@dataclass(frozen=True)
class PartUse:
    """A use of a part of a buffer."""

    user: LoadOp | StoreOp | CallExternOp
    view: ViewOp
    """The view of the part."""
    reads: bool
    writes: bool


def uses_of_parts(site: Site, block: BlockOp, buffer: SSAValue) -> list[PartUse]:
    """The uses of views of ``buffer``. Refuses (KC3303) a use other than a load, a store or a
    call.
    """
    uses: list[PartUse] = []
    views = [use.operation for use in buffer.uses if isinstance(use.operation, ViewOp)]
    for view in views:
        for user in dict.fromkeys(use.operation for use in view.result.uses):
            if isinstance(user, memref.DimOp):
                continue
            if isinstance(user, CallExternOp):
                accesses = [
                    (read, written)
                    for value, read, written in accesses_of(user.arguments, user.modes)
                    if value is view.result
                ]
                reads, writes = (any(flags) for flags in zip(*accesses, strict=True))
                uses.append(PartUse(user, view, reads, writes))
            elif isinstance(user, LoadOp) or (
                isinstance(user, StoreOp) and user.value is not view.result
            ):
                is_load = isinstance(user, LoadOp)
                uses.append(PartUse(user, view, is_load, not is_load))
            else:
                name = buffer_name(buffer)
                raise site.refuse(
                    "KC3303",
                    f"a part of {name} of block {block.label} is used by {user.name}",
                    at=user,
                    mark={user: f"uses {name}"},
                    why=f"the effect of {user.name} on it is unknown",
                )
    return uses


def find_alloc(site: Site, block: BlockOp, buffer: SSAValue) -> AllocOp:
    """The alloc of ``buffer``. Refuses arguments (KC3320) and views (KC3303)."""
    if isinstance(buffer.owner, AllocOp):
        return buffer.owner
    require_noted(site, block, buffer)
    name = buffer_name(buffer)
    raise site.refuse(
        "KC3320",
        f"{name} of block {block.label} is an argument of the function",
        at=block,
        why="the caller decides where an argument is and how it is laid out",
        hints=[
            f"{primitive} gives block {block.label} its own buffer"
            for primitive in legal_caches(site, block, buffer, ("cache_write", "cache_inplace"))
        ],
    )


def legal_caches(
    site: Site, block: BlockOp, buffer: SSAValue, primitives: Iterable[str]
) -> list[str]:
    """The members of ``primitives`` that may legally give ``block`` a copy of ``buffer``."""
    legal: list[str] = []
    for name in primitives:
        try:
            pass_class(name.replace("_", "-"))(BlockRef(block), BufferRef(buffer)).plan(site)
        except ScheduleError:
            continue
        legal.append(name)
    return legal


def require_noted(site: Site, block: BlockOp, buffer: SSAValue) -> None:
    """Refuse (KC3303) a buffer that is neither allocated by ``tir.alloc`` nor an argument of the
    function.
    """
    owner = buffer.owner
    if isinstance(owner, AllocOp) or owner is site.function.body.block:
        return
    origin = owner.name if isinstance(owner, Operation) else "a block"
    raise site.refuse(
        "KC3303",
        f"{buffer_name(buffer)} of block {block.label} is a result of {origin}",
        at=block,
        why="it must be allocated by tir.alloc or be an argument",
    )


# Scopes ---------------------------------------------------------------------------------------


def require_scope(site: Site, scope: str) -> None:
    """Refuse (KC3301) a memory scope that the target does not have."""
    scopes = site.target.kind.scopes
    if scope in scopes:
        return
    offered = [name for name in scopes if name != TILES or not scopes_of(site.target)[name]]
    raise ScheduleError(
        "KC3301",
        f"{site.primitive}: target {site.target.kind} has no memory scope '{scope}'",
        location=CALL_SITE.get() or location_of(site.function),
        hints=suggest(scope, offered, "the scopes are"),
    )


def scopes_of(target: Target) -> dict[str, str]:
    """The memory scopes of a target, each with the reason why it has no benefit; the reason is
    empty for useful scopes.

    Tile registers are useful only if the CPU has the feature.
    """
    scopes = dict(target.kind.scopes)
    if TILES in scopes and not target.has_feature("amx-tile"):
        scopes[TILES] = "the CPU has no tile registers (amx-tile)"
    return scopes


def warn_of_scope(site: Site, scope: str, block: BlockOp) -> None:
    """Warn (KC3302) of a scope without a benefit on the target.

    A function with thread loops gets no warning: it is meant for another target.
    """
    useless = scopes_of(site.target)[scope]
    if useless and all(loop.axis is None for loop in loops(site.function)):
        warn(
            "KC3302",
            f"{site.primitive}: the scope '{scope}' is useless on target {site.target.kind}",
            location=CALL_SITE.get() or location_of(block),
            why=useless,
            hints=["scope=global", "scope=local"],
        )


def scope_attr(scope: str) -> Attribute:
    """A scope as the memory space of a type; the scope ``global`` has no memory space."""
    return NoneAttr() if scope == "global" else StringAttr(scope)


# Names ----------------------------------------------------------------------------------------


class FreshNames:
    """Unused names for new blocks and buffers of a function."""

    def __init__(self, site: Site) -> None:
        self.taken = site.names()

    def take(self, name: str) -> str:
        """``name``, with a number appended if a block or a buffer already has it."""
        return names.fresh_name(name, self.taken)


def fresh_name(site: Site, name_hint: str) -> str:
    """``name_hint``, with a number appended if a block or a buffer of the function already
    has it.
    """
    return FreshNames(site).take(name_hint)


def name_apart(site: Site, copies: Iterable[Region]) -> None:
    """Give unique names to the blocks and buffers in copies of a part of the function."""
    fresh = FreshNames(site)
    for region in copies:
        for op in region.walk():
            if isinstance(op, BlockOp):
                op.properties["block_name"] = StringAttr(fresh.take(op.label))
            elif isinstance(op, AllocOp):
                label = op.buffer.name_hint = fresh.take(op.label)
                op.properties["buffer_name"] = StringAttr(label)


def cache_type(buffer: SSAValue, scope: str) -> MemRefType:
    """The type of a buffer with the shape of ``buffer`` in ``scope``."""
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    return MemRefType(type_.element_type, type_.shape, type_.layout, scope_attr(scope))


def redirect(accesses: Iterable[LoadOp | StoreOp], buffer: SSAValue) -> None:
    """Replace the buffer of ``accesses`` by ``buffer``."""
    for op in accesses:
        op.operands[0 if isinstance(op, LoadOp) else 1] = buffer
