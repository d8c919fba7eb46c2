"""Kernels in schedules: the loops over the same threads, and the limits on their number."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.captures import makers_inside
from kc.analysis.loop_tree import all_loops_around
from kc.dialects.tir import ForOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES
from kc.support.diagnostics import Location
from kc.support.target import Target
from kc.transforms.schedule.base import CALL_SITE, Site

_BOUND_AT: weakref.WeakKeyDictionary[ForOp, Location] = weakref.WeakKeyDictionary()


def remember_binding(loop: ForOp) -> None:
    """Record the line of the user's call that binds ``loop``."""
    call = CALL_SITE.get()
    if call is not None:
        _BOUND_AT[loop] = call


@dataclass(frozen=True)
class Kernel:
    """The kernel in ``root``, the outermost thread loop, after ``loop`` is bound to ``axis``.

    Valid for one check: a change to the loops needs a new object.
    """

    root: ForOp
    loop: ForOp
    axis: str

    @classmethod
    def of(cls, loop: ForOp, axis: str) -> Kernel:
        """The future kernel of ``loop``."""
        threads = (outer for outer in all_loops_around(loop) if outer.axis is not None)
        return cls(next(threads, loop), loop, axis)

    def axis_of(self, loop: ForOp) -> str | None:
        """The thread axis of a loop."""
        return self.axis if loop is self.loop else loop.axis

    def loops(self) -> list[tuple[ForOp, str]]:
        """The thread loops with their axes, in program order."""
        return self._loops

    @cached_property
    def _loops(self) -> list[tuple[ForOp, str]]:
        axes = [(loop, self.axis_of(loop)) for loop in loop_tree.loops(self.root)]
        return [(loop, axis) for loop, axis in axes if axis is not None]

    def around(self, op: Operation, axis: str) -> list[ForOp]:
        """The loops of ``axis`` around ``op``, outermost first.

        Each loop of ``vthread`` is a separate axis, so only ``loop`` counts for it.
        """
        loops = [loop for loop in all_loops_around(op) if self.axis_of(loop) == axis]
        return [loop for loop in loops if loop is self.loop] if axis == "vthread" else loops

    def extent(self, axis: str) -> int | SSAValue:
        """The number of threads along ``axis``, an axis of the kernel."""
        return next(loop.extent_value for loop, bound in self.loops() if bound == axis)


def require_one_extent(site: Site, kernel: Kernel) -> None:
    """Refuse (KC3403) unless the loops of each axis have the same number of threads."""
    index = IndexValues()
    first: dict[str, ForOp] = {}
    for loop, axis in kernel.loops():
        there = first.setdefault(axis, loop)
        if axis == "vthread" or _extent(there, index) == _extent(loop, index):
            continue
        here = loop
        if there is kernel.loop:
            here, there = there, here
        counts = [loop_tree.extent_text(loop.extent_value) for loop in (here, there)]
        call = _BOUND_AT.get(there)
        hints = [f"bind {here.label} to another axis"]
        if there.static_extent is not None:
            hints.insert(0, f"split {here.label} by factors=?,{there.static_extent}")
        why = ""
        if here.static_extent is None and there.static_extent is None:
            why = "; compute_at computes the whole dimension for a part of symbolic size"
            hints.insert(0, "split the dimension by a constant factor, and bind the inner loop")
        raise site.refuse(
            "KC3403",
            f"{here.label} has {counts[0]} threads of {axis}, {there.label} {counts[1]}",
            at=here,
            mark={
                here: f"{counts[0]} {axis}",
                there: f"{counts[1]} {axis}" + (f", bound at {call}" if call is not None else ""),
            },
            why=f"loops bound to {axis} in one kernel are the same threads, so their extents must "
            f"be equal{why}",
            hints=hints,
            beside=[there],
        )


def require_known_extents(site: Site, kernel: Kernel) -> None:
    """Refuse (KC3443) a number of threads that is unknown at the launch of the kernel."""
    for loop, axis in kernel.loops():
        extent = loop.extent_value
        if isinstance(extent, int) or makers_inside(extent, kernel.root) is not None:
            continue
        raise site.refuse(
            "KC3443",
            f"the number of threads of {loop.label} is unknown at the launch of the kernel",
            at=loop,
            mark={loop: axis, kernel.root: "the kernel"},
            why=f"it is {loop_tree.extent_text(extent)}, computed in loop {kernel.root.label} from "
            "values that are unknown outside it",
            hints=["bind a loop whose extent is a constant or depends on sizes of the function"],
        )


def _extent(loop: ForOp, index: IndexValues) -> AffineExpr:
    extent = loop.extent_value
    return AffineExpr.constant(extent) if isinstance(extent, int) else index.expr(extent)


# Limits ---------------------------------------------------------------------------------------


def thread_limits(target: Target) -> tuple[str, Mapping[str, Any]]:
    """The name of the target with kernel limits, and the limits; CUDA's for a target without
    limits.
    """
    if "max_threads_per_block" not in target.limits:
        target = Target("cuda")
    return target.model_name, target.limits


def require_limits(site: Site, kernel: Kernel) -> None:
    """Refuse (KC3404, KC3405) more threads than the target allows, as far as their number is
    known.
    """
    name, limits = thread_limits(site.target)
    extents: dict[str, int] = {}
    for loop, axis in kernel.loops():
        if loop.static_extent is not None:
            extents.setdefault(axis, loop.static_extent)
    lanes = [axis for axis in LANE_AXES if axis in extents]
    count, limit = math.prod(extents[axis] for axis in lanes), limits["max_threads_per_block"]
    if count > limit:
        rest = count // (extents.get(kernel.axis, 1) if kernel.axis in lanes else 1)
        raise _too_many(
            site,
            kernel,
            "KC3404",
            f"{count} threads in one block, {name} allows {limit}",
            f"the product of threadIdx.{{x,y,z}} must be <= {limit} on this target",
            limit // rest,
            lanes,
        )
    for axes, key, what in (
        (LANE_AXES, "max_block_dims", "threads"),
        (BLOCK_AXES, "max_grid_dims", "blocks"),
    ):
        for axis, limit in zip(axes, limits[key], strict=True):
            if extents.get(axis, 0) > limit:
                raise _too_many(
                    site,
                    kernel,
                    "KC3405",
                    f"{extents[axis]} {what} along {axis}, {name} allows {limit}",
                    f"the extent of {axis} must be <= {limit} on this target",
                    limit,
                    [axis],
                )


_TRIES = 65_536
"""The most candidates for divisors, since there may be 2**31 - 1 blocks along blockIdx.x."""


def _divisors(extent: int, most: int) -> Iterator[int]:
    """The divisors of ``extent`` from ``most`` down to 2, within the limit on candidates."""
    most = min(most, extent)
    if most <= _TRIES:
        yield from (n for n in range(most, 1, -1) if extent % n == 0)
        return
    least = -(-extent // most)
    yield from (extent // n for n in range(least, least + _TRIES) if extent % n == 0)


def _too_many(
    site: Site, kernel: Kernel, code: str, title: str, why: str, most: int, axes: list[str]
) -> Exception:
    """The refusal of more than ``most`` threads of the kernel's loop; ``axes`` are the counted
    axes.
    """
    extent = kernel.loop.static_extent or 1
    factors = [str(n) for n in islice(_divisors(extent, most), 3)]
    *rest, last = factors or [""]
    return site.refuse(
        code,
        title,
        at=kernel.loop,
        mark={loop: axis for loop, axis in kernel.loops() if axis in axes},
        why=why,
        hints=[f"split factor {', '.join(rest)}{' or ' if rest else ''}{last}"] if factors else [],
    )
