"""Random schedules of threads: programs, what numpy makes of them, and schedules for a GPU.

A program is one to three computes, each of the one before. Its schedule is drawn as one for a GPU
is written: the last compute is tiled over blocks, virtual threads and threads, what it reads comes
into shared or local memory at one of its loops, by all threads together, and reductions are a
thread's own, split, or over threads. Numbers are small, so that results are equal exactly however
sums are ordered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import kc
from kc import te
from kc.error import KCError
from kc.expr.tensor import ComputeOp, Tensor
from kc.support.target import Target
from kc.te.lowering import lower_schedule
from kc.te.stage import Stage

TYPES = ("int32", "int32", "float32", "float32", "float64", "int64")
BLOCKS = ("blockIdx.x", "blockIdx.y", "blockIdx.z")
THREADS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
MOST_TERMS = 6_000
"""Terms of all reductions, or elements of the result: more are watched for too long."""


@dataclass
class Case:
    """A schedule, as a module with one function, and what a call of that makes of its arguments."""

    module: kc.IRModule
    name: str
    arrays: list[np.ndarray]
    """The arguments; the results are the last ``len(expected)``."""
    expected: list[np.ndarray]
    features: frozenset[str]
    """The features of the schedule, such as "shared", "vthread" or "predicate"."""
    text: str
    """The program and the schedule, for who looks for a mistake."""

    @property
    def fresh(self) -> list[np.ndarray]:
        """Arguments for a call, results as nobody has written them."""
        return [array.copy() for array in self.arrays]


def cases(seed: int) -> Iterator[Case | KCError]:
    """Endless random cases, and what is refused in between."""
    random = Random(f"thread schedules {seed}")
    number = 0
    while True:
        program = Program(random)
        drawn = Scheduled(random, program)
        name = f"f{seed}_{number}"
        number += 1
        try:
            drawn.write()
            arguments = [*program.inputs, *program.outputs]
            # What kc.lower checks of kernels, verify-gpu-code checks on the way to them.
            lowered = lower_schedule(drawn.schedule, arguments, name, Target("cuda"))
        except KCError as refusal:
            yield refusal
            continue
        given = [*program.given, *(np.full_like(result, 99) for result in program.expected)]
        text = "\n".join([*program.lines, *drawn.lines])
        features = frozenset(drawn.features | program.features)
        module = kc.IRModule(lowered.tir)
        yield Case(module, name, given, program.expected, features, text)


# Programs --------------------------------------------------------------------------------------


class Program:
    """Computes of tensors of one or two dimensions, with their values."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.dtype = random.choice(TYPES)
        self.numbers = np.random.default_rng(random.randrange(2**32))
        self.inputs: list[Tensor] = []
        self.given: list[np.ndarray] = []
        self.outputs: list[Tensor] = []
        self.expected: list[np.ndarray] = []
        self.lines: list[str] = []
        self.features: set[str] = set()
        self.terms = 0
        rank = random.choice((1, 2, 2))
        largest = 70 if rank == 1 else 24
        tensor, value = self._input([self._size(largest) for _ in range(rank)])
        count = random.choice((1, 1, 1, 1, 2, 3))
        for n in range(count):
            tensor, value = self._compute(f"T{n}", tensor, value)
            if isinstance(tensor, list):
                break
        last = tensor if isinstance(tensor, list) else [tensor]
        self.outputs = last
        self.expected = value if isinstance(value, list) else [value]

    def _size(self, largest: int) -> int:
        """Half of the sizes are ones that tiles divide."""
        if self.random.random() < 0.5:
            return self.random.choice([n for n in (4, 8, 12, 16, 24, 32, 48, 64) if n <= largest])
        return self.random.randint(3, largest)

    def _input(self, shape: list[int]) -> tuple[Tensor, np.ndarray]:
        name = f"I{len(self.inputs)}"
        tensor = te.placeholder(shape, self.dtype, name=name)
        self.inputs.append(tensor)
        self.given.append(self.numbers.integers(-2, 3, shape).astype(self.dtype))
        self.lines.append(f"{name}: {self.dtype} {shape}")
        return tensor, self.given[-1]

    def _compute(self, name: str, a: Tensor, x: np.ndarray) -> tuple[Any, Any]:
        random, kinds = self.random, ["add", "reverse", "stencil", "max window"]
        if x.ndim == 2:
            kinds += ["transpose", "transpose", "row sum", "row sum", "row max", "first", "argmax"]
            kinds += ["product", "product", "product"]
        else:
            kinds += ["total", "outer"]
        kind = random.choice(kinds)
        tensor, value, terms = getattr(self, f"_{kind.replace(' ', '_')}")(name, a, x)
        if max(terms, np.size(value[0] if isinstance(value, list) else value)) > MOST_TERMS:
            tensor, value, terms = self._add(name, a, x)
            kind = "add"
        shape = np.shape(value[0] if isinstance(value, list) else value)
        self.lines.append(f"{name} = {kind} of {a.op.name}: {list(shape)}")
        self.features.add(kind)
        return tensor, value

    def _add(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        if self.random.random() < 0.5:
            b, y = self._input(list(x.shape))
            return te.compute(x.shape, lambda *i: a[i] * 2 + b[i], name=name), x * 2 + y, 0
        return te.compute(x.shape, lambda *i: a[i] * 3 - a[i], name=name), x * 2, 0

    def _reverse(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        last = x.shape[-1] - 1
        tensor = te.compute(x.shape, lambda *i: a[(*i[:-1], last - i[-1])] + 1, name=name)
        return tensor, x[..., ::-1] + 1, 0

    def _stencil(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        if x.shape[0] < 3:
            return self._add(name, a, x)
        tensor = te.compute(
            (x.shape[0] - 2, *x.shape[1:]),
            lambda i, *j: a[(i, *j)] + a[(i + 2, *j)] * 3,
            name=name,
        )
        return tensor, x[:-2] + x[2:] * 3, 0

    def _max_window(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        n = x.shape[0] // 2
        if n == 0:
            return self._add(name, a, x)
        k = te.reduce_axis((0, 2), name="w")
        tensor = te.compute(
            (n, *x.shape[1:]), lambda i, *j: te.max(a[(2 * i + k, *j)], axis=k), name=name
        )
        return tensor, np.maximum(x[0 : 2 * n : 2], x[1 : 2 * n : 2]), x.size

    def _transpose(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        return te.compute(x.shape[::-1], lambda i, j: a[j, i] - 1, name=name), x.T - 1, 0

    def _row_sum(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        k = te.reduce_axis((0, x.shape[1]), name="k")
        tensor = te.compute(x.shape[:1], lambda i: te.sum(a[i, k], axis=k), name=name)
        return tensor, x.sum(1, dtype=x.dtype), x.size

    def _row_max(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        k = te.reduce_axis((0, x.shape[1]), name="k")
        tensor = te.compute(x.shape[:1], lambda i: te.max(a[i, k] * 2, axis=k), name=name)
        return tensor, (x * 2).max(1), x.size

    def _first(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        return te.compute(x.shape, lambda i, j: a[i, j] + a[i, 0], name=name), x + x[:, :1], 0

    def _product(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        (rows, terms), columns = x.shape, self._size(16)
        b, y = self._input([terms, columns])
        k = te.reduce_axis((0, terms), name="k")
        tensor = te.compute(
            (rows, columns), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name=name
        )
        return tensor, x @ y, rows * terms * columns

    def _total(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        k = te.reduce_axis((0, x.shape[0]), name="k")
        tensor = te.compute((1,), lambda i: te.sum(a[k] * 2 + i.astype(x.dtype.name), k), name=name)
        return tensor, (x * 2).sum(keepdims=True, dtype=x.dtype), x.size

    def _outer(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        b, y = self._input([self._size(16)])
        shape = (*x.shape, *y.shape)
        return te.compute(shape, lambda i, j: a[i] * b[j], name=name), np.outer(x, y), 0

    def _argmax(self, name: str, a: Tensor, x: np.ndarray) -> Any:
        """The greatest element of each row, and where it is first."""
        k = te.reduce_axis((0, x.shape[1]), name="k")

        def better(left: Any, right: Any) -> Any:
            wins = te.any(left[1] > right[1], te.all(left[1] == right[1], left[0] < right[0]))
            return te.Select(wins, left[0], right[0]), te.Select(wins, left[1], right[1])

        argmax = te.comm_reducer(
            better, lambda i, v: (te.const(2**31 - 1, i), te.min_value(v)), name="argmax"
        )
        tensors = te.compute(x.shape[:1], lambda i: argmax((k.var, a[i, k]), axis=k), name=name)
        return list(tensors), [x.argmax(1).astype("int32"), x.max(1)], x.size


# Schedules -------------------------------------------------------------------------------------


class Scheduled:
    """Writes the schedule of a program; ``lines`` say what it does."""

    def __init__(self, random: Random, program: Program) -> None:
        self.random = random
        self.schedule = te.create_schedule([program.outputs[0].op])
        self.lines: list[str] = []
        self.features: set[str] = set()
        self.extents: dict[Any, int] = {}

    def write(self) -> None:
        """Schedule all computes, consumers first; raises what kc refuses."""
        random, s = self.random, self.schedule
        for stage in reversed([it for it in s.stages if isinstance(it.op, ComputeOp)]):
            if stage.attach_stage is not None:
                continue
            if not stage.is_output and not stage.op.reduce_axis and random.random() < 0.3:
                stage.compute_inline()
                self._say(f"s[{stage.op.name}].compute_inline()", "inline")
            else:
                _Kernel(self, stage).write()

    def _say(self, line: str, *features: str) -> None:
        self.lines.append(line)
        self.features.update(features)

    def _axes(self, stage: Stage) -> list[Any]:
        for axis in (*stage.op.axis, *stage.op.reduce_axis):
            self.extents[axis] = int(axis.extent)
        return list(stage.op.axis)

    def _split(self, stage: Stage, loop: Any, **how: Any) -> tuple[Any, Any]:
        ((kind, size),) = how.items()
        extent = self.extents[loop]
        outer, inner = stage.split(loop, **how)
        both = (-(-extent // size), size) if kind == "factor" else (size, -(-extent // size))
        self.extents[outer], self.extents[inner] = both
        if extent % size:
            self.features.add("predicate")
        return outer, inner


class _Kernel:
    """A compute in a kernel of its own, with some of what it reads."""

    def __init__(self, drawn: Scheduled, stage: Stage) -> None:
        self.drawn, self.random, self.stage = drawn, drawn.random, stage
        self.threads: dict[str, int] = {}
        """The number of threads along the axes so far."""
        self.at_block: Any = None
        """The innermost loop of blocks, in which all threads share memory."""
        self.at_thread: Any = None
        """The innermost loop of threads, in which each has memory of its own."""

    def write(self) -> None:
        random, s, tensor = self.random, self.drawn.schedule, self.stage.op.output(0)
        reduces, is_tuple = bool(self.stage.op.reduce_axis), self.stage.op.num_outputs > 1
        way = random.choice(("own", "cached", "across", "across", "rfactor")) if reduces else "own"
        if is_tuple and way in ("cached", "rfactor"):
            way = "across"
        if way == "cached":
            scope = random.choice(("local", "local", "shared"))
            cached = s[s.cache_write(tensor, scope)]
            self.stage = s[tensor]
            self._say(f"s.cache_write({tensor.op.name}, {scope})", f"cache_write {scope}")
            self._tile(THREADS)
            self._cached(cached, scope)
        elif way == "own":
            self._tile(THREADS)
            self._reads(self.stage, self.at_block, "shared")
            if self.at_thread is not None:
                inner = [loop for loop in self.stage.leaf_iter_vars if loop.kind == "reduce"]
                self._reads(self.stage, random.choice([self.at_thread, *inner]), "local")
        else:
            self._across(tensor, way == "rfactor")
            self._reads(self.stage, self.at_block, "shared")
        self._vectors()

    def _say(self, line: str, *features: str) -> None:
        self.drawn._say(line, *features)

    def _bind(self, stage: Stage, loop: Any, axis: str) -> None:
        stage.bind(loop, te.thread_axis(axis))
        self._say(f"bind {loop} {axis}: {self.drawn.extents[loop]}", axis)
        if axis in THREADS:
            self.threads[axis] = self.drawn.extents[loop]

    def _tile(self, lanes: tuple[str, ...]) -> None:
        """Split the axes into blocks, virtual threads, threads and what is left to each."""
        random, stage, split = self.random, self.stage, self.drawn._split
        self.drawn._axes(stage)
        axes = list(stage.op.axis)
        if len(axes) > 1 and random.random() < 0.2:
            fused = stage.fuse(*axes)
            self.drawn.extents[fused] = math.prod(self.drawn.extents[axis] for axis in axes)
            axes = [fused]
            self._say(f"s[{stage.op.name}].fuse()", "fuse")
        blocks, virtual, threads, rest = [], [], [], []
        for axis in axes:
            inner = axis
            if random.random() < 0.9:
                factor = random.choice((2, 3, 4, 6, 8, 12, 16, 32))
                outer, inner = split(stage, inner, factor=factor)
                blocks.append(outer)
            if random.random() < 0.2:
                outer, inner = split(stage, inner, nparts=2)
                virtual.append(outer)
            kind = random.choice(("none", "factor", "nparts", "whole"))
            if kind == "whole":
                threads.append(inner)
            elif kind == "none":
                rest.append(inner)
            else:
                outer, inner = split(stage, inner, **{kind: random.choice((2, 3, 4, 8))})
                pair = [outer, inner]
                threads.append(pair.pop(random.randrange(2)))
                rest += pair
        reduces = [axis for axis in stage.leaf_iter_vars if axis.kind == "reduce"]
        # Threads that reduce have nothing inside but terms.
        is_across = "threadIdx.x" not in lanes
        inside = [rest, reduces] if is_across or random.random() < 0.5 else [reduces, rest]
        order = [*blocks, *virtual, *threads, *inside[0], *inside[1]]
        stage.reorder(*order)
        self._say(f"s[{stage.op.name}].reorder({order})")
        for loops, names in ((blocks, BLOCKS), (threads, lanes)):
            usual = random.random() < 0.7
            chosen = list(names[: len(loops)]) if usual else random.sample(names, len(loops))
            for loop, name in zip(loops, reversed(chosen), strict=True):
                self._bind(stage, loop, name)
        for loop in virtual:
            stage.bind(loop, te.thread_axis("vthread"))
            self._say(f"bind {loop} vthread", "vthread")
        self.at_block = blocks[-1] if blocks else None
        self.at_thread = [*virtual, *threads][-1] if virtual or threads else None

    def _cached(self, cached: Stage, scope: str) -> None:
        """Compute in local memory of each thread or shared memory of all, and copy it then."""
        random, split = self.random, self.drawn._split
        place = self.at_thread if scope == "local" else self.at_block
        if place is None:
            return  # a copy in a kernel of its own
        cached.compute_at(self.stage, place)
        self._say(f"s[{cached.op.name}].compute_at({place})")
        axes = self.drawn._axes(cached)
        outer, inner = split(cached, cached.op.reduce_axis[0], factor=random.choice((2, 3, 4, 8)))
        if scope == "shared":
            self._share(cached)
            return
        cached.reorder(outer, inner, *axes)
        self._reads(cached, outer, "shared")
        self._reads(cached, random.choice((outer, inner)), "local")

    def _across(self, tensor: Tensor, is_factored: bool) -> None:
        """A reduction by the threads of threadIdx.x."""
        random, s = self.random, self.drawn.schedule
        count = random.choice((2, 3, 4, 8, 16, 32, 32, 40))
        self.drawn._axes(self.stage)
        loop = self.stage.op.reduce_axis[0]
        if is_factored or random.random() < 0.8:
            kind = random.choice(("factor", "nparts"))
            outer, inner = self.drawn._split(self.stage, loop, **{kind: count})
            loop = outer if kind == "nparts" else inner
        if is_factored:
            partial = s.rfactor(tensor, loop)
            self._say(f"s.rfactor({tensor.op.name}, {loop})", "rfactor")
            self.stage = s[tensor]
            (reduced,) = self.stage.op.reduce_axis
            self.drawn.extents[reduced] = self.drawn.extents[loop]
            self._tile(("threadIdx.y", "threadIdx.z"))
            self._bind(self.stage, reduced, "threadIdx.x")
            s[partial].compute_at(self.stage, reduced)
        else:
            self._tile(("threadIdx.y", "threadIdx.z"))
            self._bind(self.stage, loop, "threadIdx.x")
            self._say(f"reduced by {loop}", "cross-thread")
        if random.random() < 0.3:
            self.stage.set_store_predicate(te.thread_axis("threadIdx.x").equal(0))
            self._say("set_store_predicate(threadIdx.x == 0)", "set_store_predicate")

    def _reads(self, stage: Stage, loop: Any, scope: str) -> None:
        """Bring some of what a compute reads to one of its loops."""
        random, s = self.random, self.drawn.schedule
        if loop is None:
            return
        for tensor in list(stage.op.input_tensors):
            producer = s[tensor]
            if random.random() < 0.4 or producer.attach_ivar in stage.op.reduce_axis:
                continue
            is_computed = isinstance(tensor.op, ComputeOp) and random.random() < 0.6
            if is_computed and producer.attach_stage is None:
                producer.set_scope(scope)
            else:
                producer = s[s.cache_read(tensor, scope, [stage.op])]
                is_computed = False
            producer.compute_at(stage, loop)
            self._say(f"s[{producer.op.name}].compute_at({loop}), {scope}", scope)
            if is_computed:
                self._say("", f"computed in {scope}")
            if scope == "shared":
                self._share(producer)

    def _share(self, stage: Stage) -> None:
        """All threads share the work on a tile of shared memory."""
        random, axes = self.random, self.drawn._axes(stage)
        if random.random() < 0.25:
            stage.storage_align(axes[0], 8, 1)
            self._say(f"s[{stage.op.name}].storage_align()", "storage_align")
        around = stage.attach_ivar
        if random.random() < 0.5 and around is not None and around.kind == "reduce":
            stage.double_buffer()
            self._say(f"s[{stage.op.name}].double_buffer()", "double_buffer")
        loop = stage.fuse(*axes) if len(axes) > 1 else axes[0]
        for axis, count in self.threads.items():
            loop, lane = stage.split(loop, factor=count)
            stage.bind(lane, te.thread_axis(axis))
        self._say(f"s[{stage.op.name}] by {self.threads}")

    def _vectors(self) -> None:
        last = self.stage.leaf_iter_vars[-1]
        bound = (self.at_block, self.at_thread)
        if last.kind == "data_par" and last not in bound and self.random.random() < 0.3:
            kind = self.random.choice(("unroll", "vectorize"))
            getattr(self.stage, kind)(last)
            self._say(f"{kind} {last}", kind)
