"""Random kernels: programs whose loops are bound to blocks and threads, in all memory scopes.

Some programs are those of other families. Half of the rest have a schedule of TE, which binds loops
and puts stages into memory of threads; then come the calls of a schedule for a GPU
(:mod:`kernel_calls`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import bindings
import networks
import numpy as np
import operators
import programs
import raised
import scans
import shapes
from families import Drawn, Fixed
from kernel_calls import AXES, LANES_OFTEN, MOST, OFTEN, SCOPES, calls
from launching import iterations
from random_schedules import SIZE, Program, sizes

import kc
import scripts
from kc import te
from kc.expr.tensor import ComputeOp
from kc.support.diagnostics import KCError
from kc.te.stage import Stage

SIZES = (2, 4, 4, 6, 8, 12)
OTHERS = (bindings, networks, operators, programs, raised, scans, scripts, shapes)
"""Families whose programs may become kernels."""

__all__ = ["calls", "draw"]


class Tensors(Program):
    """Programs whose sizes have divisors in common, so that loops have the same extents."""

    def _input(self, n: int) -> None:
        if self.symbolic:
            super()._input(n)
            return
        shape = tuple(self.random.choice(SIZES) for _ in range(2))
        tensor = te.placeholder(shape, "int32", name=f"I{n}")
        self.inputs.append(tensor)
        self._add(tensor, lambda arrays: arrays[n])


def draw(random: Random, keep: int | None = None) -> Drawn:
    """A program of another family, or of int32, these with or without a schedule of TE."""
    while True:
        if random.random() < 0.4:
            program = random.choice(OTHERS).draw(random, keep)
            if iterations(program.module.op) <= MOST:
                return program  # pyright: ignore[reportReturnType]
            continue
        fixed = _of_tensors(random, keep)
        if fixed is not None:
            return fixed


def _of_tensors(random: Random, keep: int | None) -> Fixed | None:
    """A program of int32; None where its schedule is refused, or the program is too large."""
    computes = random.choice((1, 2, 2, 3))
    symbolic, is_scheduled = random.random() < 0.15, random.random() < 0.5
    program = Tensors.make(random, min(computes, keep or computes), symbolic=symbolic)
    outputs = program.outputs()
    schedule = te.create_schedule([tensor.op for tensor in outputs])
    writer = StageCalls(random, schedule)
    if is_scheduled:
        writer.write()
    args = [*program.inputs, *outputs]
    try:
        module = kc.lower(schedule, args, name="main")
    except KCError as refusal:
        assert is_scheduled, refusal
        assert refusal.location is not None, refusal
        return None
    if iterations(module.op) > MOST:
        return None
    inputs = [
        np.random.default_rng(n).integers(-9, 10, sizes(tensor)).astype(np.int32)
        for n, tensor in enumerate(program.inputs)
    ]
    expected = {len(inputs) + n: program.values[output](inputs) for n, output in enumerate(outputs)}
    given = [*inputs, *(np.full(sizes(output), 99, np.int32) for output in outputs)]
    dims = (dim for arg in args for dim in arg.shape if not isinstance(dim, int))
    return Fixed(
        module,
        given,
        expected,
        symbols={str(dim): SIZE for dim in dims},
        source="\n".join(writer.done),
    )


# Schedules of TE ---------------------------------------------------------------------------


@dataclass
class StageCalls:
    """Writes a schedule of TE: calls that were refused are forgotten."""

    random: Random
    schedule: te.Schedule
    done: list[str] = field(default_factory=list)
    """The calls that were accepted."""
    extents: dict[str, int] = field(default_factory=dict)
    """The number of threads of each axis, from the first loop that is bound to it."""

    def write(self) -> None:
        """Make random calls on all stages, consumers first."""
        random = self.random
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            self._stage_of_its_own()
        stages = [stage for stage in self.schedule.stages if isinstance(stage.op, ComputeOp)]
        for stage in reversed(stages):
            if random.random() < 0.4 and not stage.is_output:
                scope = random.choice(SCOPES)
                self._call(f"set_scope {scope}", lambda: stage.set_scope(scope))
            parents = self._consumers(stage)
            if parents and random.random() < 0.85:
                parent = random.choice(parents)
                leaves = parent.leaf_iter_vars
                at = random.choice(leaves)
                self._call("compute_at", lambda: stage.compute_at(parent, at), f" {parent} {at}")
            self._loops(stage)
            for name, args in (
                ("double_buffer", ()),
                ("storage_align", (random.choice(list(stage.op.axis)), 4, 1)),
            ):
                if random.random() < 0.2 and not stage.is_output:
                    self._call(name, lambda: getattr(stage, name)(*args))

    def _call(self, name: str, call: Callable[[], Any], about: str = "") -> Any:
        result = None
        with contextlib.suppress(KCError):
            result = call()
            self.done.append(name + about)
        return result

    def _stage_of_its_own(self) -> None:
        random, schedule = self.random, self.schedule
        stages = [stage for stage in schedule.stages if isinstance(stage.op, ComputeOp)]
        stage = random.choice(stages)
        scope = random.choice(SCOPES)
        kind = random.choice(("cache_write", "cache_read", "cache_read", "inline", "rfactor"))
        if kind == "cache_write":
            tensor = stage.op.output(0)
            self._call(
                f"cache_write {scope}", lambda: schedule.cache_write(tensor, scope), f" {stage}"
            )
        elif kind == "cache_read":
            read = random.choice(stage.op.input_tensors)
            readers = [reader.op for reader in schedule.stages if read in reader.op.input_tensors]
            self._call(
                f"cache_read {scope}",
                lambda: schedule.cache_read(read, scope, readers),
                f" {read}",
            )
        elif kind == "inline" and not stage.is_output:
            self._call("compute_inline", stage.compute_inline, f" {stage}")
        elif kind == "rfactor" and stage.op.reduce_axis:
            axis = stage.op.reduce_axis[0]
            halves = self._call("split", lambda: stage.split(axis, factor=random.choice((2, 4))))
            if halves is not None:
                inner = halves[random.randrange(2)]
                tensor = stage.op.output(0)
                self._call("rfactor", lambda: schedule.rfactor(tensor, inner), f" {inner}")

    def _consumers(self, stage: Stage) -> list[Stage]:
        own = stage.op.output(0)
        return [
            consumer
            for consumer in self.schedule.stages
            if isinstance(consumer.op, ComputeOp) and own in consumer.op.input_tensors
        ]

    def _loops(self, stage: Stage) -> None:
        random = self.random
        if random.random() < 0.3:
            leaves = [axis for axis in stage.leaf_iter_vars if axis.kind != "reduce"]
            self._call("fuse", lambda: stage.fuse(*leaves[:2]), f" {stage}")
        for axis in list(stage.leaf_iter_vars):
            if random.random() < 0.6:
                choices = [2, 2, 3, 4, *self.extents.values()]
                how: dict[str, Any] = {random.choice(("factor", "nparts")): random.choice(choices)}
                self._call("split", lambda: stage.split(axis, **how), f" {stage} {axis} {how}")
        if random.random() < 0.5:
            leaves = list(stage.leaf_iter_vars)
            random.shuffle(leaves)
            self._call("reorder", lambda: stage.reorder(*leaves), f" {leaves}")
        is_attached = stage.attach_stage is not None
        is_private = stage.scope in ("local", "warp")
        if is_attached:
            count = random.choice((0, 0, 0, 1) if is_private else (0, 1, 1, 2))
        else:
            count = random.choice((0, 2, 2, 3))
        axes = [random.choice(LANES_OFTEN if is_attached else OFTEN) for _ in range(count)]
        axes = sorted(dict.fromkeys(axes), key=AXES.index)
        if random.random() < 0.1:
            axes.append(random.choice(AXES))
        leaves = list(stage.leaf_iter_vars)
        for name in axes:
            if not leaves:
                return
            near = [leaf for leaf in leaves if leaf.kind != "reduce"]
            chosen = near if near and random.random() < 0.8 else leaves
            leaf = chosen[0] if random.random() < 0.7 else random.choice(chosen)
            leaves.remove(leaf)
            if random.random() < (0.95 if is_attached else 0.8):
                count = self.extents.setdefault(name, random.choice((2, 2, 3, 4)))
                halves = self._call(
                    "split", lambda: stage.split(leaf, nparts=count), f" {stage} {leaf} {count}"
                )
                if halves is not None:
                    leaf = halves[0]
                    leaves.insert(0, halves[1])
            self._call(
                f"bind {name}", lambda: stage.bind(leaf, te.thread_axis(name)), f" {stage} {leaf}"
            )
        for name in ("unroll", "vectorize"):
            if leaves and random.random() < 0.1:
                leaf = random.choice(leaves)
                self._call(name, lambda: getattr(stage, name)(leaf), f" {stage} {leaf}")
