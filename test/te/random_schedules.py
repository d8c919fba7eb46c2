"""Random tensor programs with random TE schedules, and what numpy says of the programs.

Elements are int32, so that results are equal exactly however sums are ordered.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from kc import te
from kc.error import KCError
from kc.expr.constructors import IterVar
from kc.expr.tensor import ComputeOp, ScanOp, Tensor
from kc.te.stage import Stage

Arrays = list[Any]


@dataclass
class Program:
    """Computes, each with what numpy makes of the inputs."""

    random: Random
    symbolic: bool = False
    inputs: list[Tensor] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    values: dict[Tensor, Callable[[Arrays], Any]] = field(default_factory=dict)
    unread: list[Tensor] = field(default_factory=list)

    @classmethod
    def make(cls, random: Random, computes: int, *, symbolic: bool = False) -> Program:
        """A program of so many computes; sizes may be variables, all of them :data:`SIZE`."""
        program = cls(random, symbolic)
        for n in range(random.randint(1, 2)):
            program._input(n)
        for n in range(computes):
            program._compute(f"T{n}")
        return program

    def _input(self, n: int) -> None:
        shape: tuple[Any, ...] = tuple(self.random.randint(3, 9) for _ in range(2))
        if self.symbolic:
            shape = (te.var(f"m{n}"), te.var(f"n{n}"))
        tensor = te.placeholder(shape, "int32", name=f"I{n}")
        self.inputs.append(tensor)
        self._add(tensor, lambda arrays: arrays[n])

    def _add(self, tensor: Tensor, value: Callable[[Arrays], Any]) -> None:
        self.tensors.append(tensor)
        self.unread.append(tensor)
        self.values[tensor] = value

    def _pick(self) -> Tensor:
        recent = self.tensors[-1]
        chosen = recent if self.random.random() < 0.7 else self.random.choice(self.tensors)
        if chosen in self.unread:
            self.unread.remove(chosen)
        return chosen

    def _compute(self, name: str) -> None:
        a = self._pick()
        x, (m, n) = self.values[a], a.shape
        kind = self.random.choice(("add", "stencil", "transpose", "matmul", "sum", "max", "outer"))
        k = te.reduce_axis((0, n), name="k")
        if kind == "add":
            same = [tensor for tensor in self.tensors if str(tensor.shape) == str(a.shape)]
            b = self.random.choice(same)
            y = self.values[b]
            tensor = te.compute((m, n), lambda i, j: a[i, j] * 2 + b[i, j], name=name)
            value = lambda arrays: x(arrays) * 2 + y(arrays)  # noqa: E731
        elif kind == "stencil" and isinstance(m, int) and m > 2:
            tensor = te.compute((m - 2, n), lambda i, j: a[i, j] + a[i + 2, j] * 3, name=name)
            value = lambda arrays: x(arrays)[:-2] + x(arrays)[2:] * 3  # noqa: E731
        elif kind == "transpose":
            tensor = te.compute((n, m), lambda i, j: a[j, i] - 1, name=name)
            value = lambda arrays: x(arrays).T - 1  # noqa: E731
        elif kind == "matmul":
            tensor = te.compute((m, m), lambda i, j: te.sum(a[i, k] * a[j, k], axis=k), name=name)
            value = lambda arrays: x(arrays) @ x(arrays).T  # noqa: E731
        elif kind == "sum":
            tensor = te.compute((m, 3), lambda i, j: te.sum(a[i, k] + j, axis=k), name=name)
            value = lambda arrays: (x(arrays)[:, None] + np.arange(3)[:, None]).sum(2)  # noqa: E731
        elif kind == "max":
            tensor = te.compute((m, 2), lambda i, j: te.max(a[i, k] * (j + 1), axis=k), name=name)
            value = lambda arrays: np.stack(  # noqa: E731
                [x(arrays).max(1), (x(arrays) * 2).max(1)], 1
            )
        else:
            tensor = te.compute((m, n), lambda i, j: a[i, j] + a[i, 0], name=name)
            value = lambda arrays: x(arrays) + x(arrays)[:, :1]  # noqa: E731
        self._add(tensor, lambda arrays: value(arrays).astype(np.int32))

    def outputs(self) -> list[Tensor]:
        """The tensors that nothing reads."""
        return [tensor for tensor in self.unread if isinstance(tensor.op, ComputeOp)]

    def arrays(self) -> Arrays:
        """Values for the inputs."""
        generator = np.random.default_rng(self.random.randrange(2**32))
        return [generator.integers(-3, 4, sizes(tensor)).astype(np.int32) for tensor in self.inputs]


SIZE = 5
"""The value of all symbolic sizes when a program runs."""


def sizes(tensor: Tensor) -> list[int]:
    """The shape of a tensor when a program runs."""
    return [extent if isinstance(extent, int) else SIZE for extent in tensor.shape]


def random_calls(schedule: te.Schedule, random: Random, count: int) -> list[str]:
    """Make so many random calls; gives those that were not refused, as text."""
    done: list[str] = []
    for _ in range(count if _with_axes(schedule) else 0):
        text, call = _call(schedule, random)
        with contextlib.suppress(KCError):
            call()
            done.append(text)
    return done


def _call(schedule: te.Schedule, random: Random) -> tuple[str, Callable[[], object]]:
    stage = random.choice(_with_axes(schedule))
    name = stage.op.name
    axis = random.choice(stage.leaf_iter_vars)
    kind = random.choice(_KINDS)
    if kind == "transform_layout" and stage.is_output:
        kind = "split"  # the caller's arrays would have another layout
    if kind == "split":
        size: dict[str, Any] = {random.choice(("factor", "nparts")): random.randint(1, 5)}
        return f"s[{name}].split({axis}, {size})", lambda: stage.split(axis, **size)
    if kind == "fuse":
        at = stage.leaf_iter_vars.index(axis)
        axes = stage.leaf_iter_vars[at : at + random.randint(1, 3)]
        return f"s[{name}].fuse({axes})", lambda: stage.fuse(*axes)
    if kind == "reorder":
        some = random.sample(stage.leaf_iter_vars, random.randint(1, len(stage.leaf_iter_vars)))
        return f"s[{name}].reorder({some})", lambda: stage.reorder(*some)
    if kind == "compute_at":
        parent, at = _consumer_axis(schedule, stage, random)
        return (
            f"s[{name}].compute_at(s[{parent.op.name}], {at})",
            lambda: stage.compute_at(parent, at),
        )
    tensor = stage.op.output(0)
    if kind == "cache_write":
        return f"s.cache_write({name})", lambda: schedule.cache_write(tensor, "global")
    if kind == "cache_read":
        read = random.choice(stage.op.input_tensors or (tensor,))
        readers = [reader for reader in schedule.stages if read in reader.op.input_tensors] or [
            stage
        ]
        chosen = [reader.op for reader in random.sample(readers, random.randint(1, len(readers)))]
        return (
            f"s.cache_read({read.name}, {[op.name for op in chosen]})",
            lambda: schedule.cache_read(read, random.choice(("global", "local")), chosen),
        )
    if kind == "rfactor":
        reduce = [iter_var for iter_var in stage.leaf_iter_vars if iter_var.kind == "reduce"]
        at = random.choice(reduce) if reduce else axis
        place = random.randint(-1, 2)
        return f"s.rfactor({name}, {at}, {place})", lambda: schedule.rfactor(tensor, at, place)
    if kind == "transform_layout":
        factor = random.randint(1, 3)
        maps = [
            lambda i, j: [j, i],
            lambda i, j: [i // factor, j, i % factor],
            lambda i, j: [i * 8 + j],
        ]
        chosen = random.choice(maps)
        return f"s[{name}].transform_layout(...)", lambda: stage.transform_layout(chosen)
    if kind in ("compute_inline", "compute_root", "fuse_none"):
        method = stage.fuse if kind == "fuse_none" else getattr(stage, kind)
        return f"s[{name}].{kind}()", method
    return f"s[{name}].{kind}({axis})", lambda: getattr(stage, kind)(axis)


def _consumer_axis(schedule: te.Schedule, stage: Stage, random: Random) -> tuple[Stage, IterVar]:
    own = stage.op.output(0)
    readers = [reader for reader in schedule.stages if own in reader.op.input_tensors]
    readers = [reader for reader in readers if reader.leaf_iter_vars]
    near = readers and random.random() < 0.8
    parent = random.choice(readers if near else _with_axes(schedule))
    return parent, random.choice(parent.leaf_iter_vars)


def _with_axes(schedule: te.Schedule) -> list[Stage]:
    """The stages of computes and scans that have axes."""
    kinds = (ComputeOp, ScanOp)
    return [
        stage for stage in schedule.stages if isinstance(stage.op, kinds) and stage.leaf_iter_vars
    ]


_KINDS = (
    *("split", "reorder", "compute_at", "compute_at", "compute_at"),
    *("cache_write", "cache_read", "rfactor", "fuse", "fuse_none"),
    *("vectorize", "parallel", "unroll", "compute_inline", "compute_root", "transform_layout"),
)
