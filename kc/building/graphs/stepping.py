"""A compiled graph run step by step, on the plan of its memory: to look at it, and to measure it.

The kernels are those of the compiled function, each compiled as a function of its own; the arena is
an array, in which their workspaces are, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc.backends import Build, backend_of
from kc.building.graphs.memory_plan import ALIGNMENT, MemoryPlan, position_of_steps
from kc.building.graphs.program import Branch, Copy, Launch, Loop, Place, Step, View
from kc.dialects.graph.sizes import Size, evaluate
from kc.dialects.graph.types import TensorSpec
from kc.dialects.graph.values import numpy_dtype
from kc.runtime.signature import DTYPES
from kc.support.target import Target

if TYPE_CHECKING:
    from kc.building.graphs.compiled_graph import CompiledGraph

POISON = 0xFB
"""The byte that memory of dead values is filled with: as floats, large negative numbers."""


@dataclass(frozen=True)
class StepTime:
    """A step that was run: its kernel, and how long it took."""

    kernel: str
    operators: tuple[str, ...]
    seconds: float


class Steps:
    """Runs the steps of a compiled graph one by one."""

    def __init__(self, compiled: CompiledGraph) -> None:
        self.compiled = compiled
        self.positions = position_of_steps(compiled.program)

    @cached_property
    def kernels(self) -> Any:
        """The kernels as a module, each a public function."""
        bodies = []
        for kernel in self.compiled.kernels.values():
            if kernel.computes:
                body = kernel.function
                body.properties.pop("sym_visibility", None)
                body.properties["sym_name"] = StringAttr(kernel.name)
                bodies.append(body)
        if not bodies:
            return {}
        target = Target.host_cpu()
        backend = backend_of(target)
        name = bodies[0].sym_name.data
        return backend.build(Build([("tir", ModuleOp(bodies))], target, name, None, backend))

    def run(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        sizes: Mapping[str, int],
        *,
        poison: bool = False,
        after: Callable[[Launch, list[Any]], None] | None = None,
    ) -> list[StepTime]:
        """Run the graph on arrays, and give the times of its kernels.

        ``sizes`` are those of the names of dimensions. With ``poison``, memory that holds no value
        that is still needed is overwritten before each step. ``after`` is called with the results
        of each kernel.
        """
        return list(_Run(self, inputs, outputs, sizes, poison, after).steps(None))


class _Run:
    def __init__(
        self,
        owner: Steps,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        sizes: Mapping[str, int],
        poison: bool,
        after: Callable[[Launch, list[Any]], None] | None,
    ) -> None:
        import numpy as np

        self.owner = owner
        self.compiled = owner.compiled
        self.sizes = dict(sizes)
        self.plan: MemoryPlan = self.compiled.memory_plan.at(self.sizes)
        self.offsets = {
            allocation.buffer: int(allocation.offset)  # pyright: ignore
            for allocation in self.plan.allocations
        }
        memory = np.zeros(int(self.plan.arena_bytes) + ALIGNMENT, np.uint8)  # pyright: ignore
        start = -memory.ctypes.data % ALIGNMENT
        self.arena = memory[start : start + int(self.plan.arena_bytes)]  # pyright: ignore
        elements = [constant.array for constant in self.compiled.program.elements]
        self.memory = {
            Place.INPUT: [np.ascontiguousarray(array) for array in inputs],
            Place.OUTPUT: list(outputs),
            Place.CONSTANT: [np.ascontiguousarray(array) for array in elements],
        }
        self.poison = poison
        self.after = after

    def steps(self, steps: Sequence[Step] | None) -> Iterator[StepTime]:
        for step in self.compiled.program.steps if steps is None else steps:
            match step:
                case Branch():
                    chosen = step.then if bool(self.array(step.condition)) else step.otherwise
                    yield from self.steps(chosen)
                case Loop():
                    yield from self.steps(step.test)
                    while bool(self.array(step.condition)):
                        yield from self.steps(step.body)
                        yield from self.steps(step.test)
                case Copy():
                    self.overwrite(step)
                    self.array(step.target)[...] = self.array(step.source)
                case _:
                    self.overwrite(step)
                    yield self.launch(step)

    def launch(self, step: Launch) -> StepTime:
        kernel = self.compiled.kernel_of(step)
        start = time.perf_counter()
        if kernel.computes:
            arrays = [self.array(step.inputs[n]) for n in kernel.inputs]
            arrays += [self.array(step.outputs[n]) for n in kernel.outputs]
            arrays += [self.sizes[name] for name in kernel.sizes]
            if step.workspace is not None:
                arrays += [self.array(View(step.workspace, 0, step.workspace.spec)).view("int8")]
                arrays += [self.compiled.threads]
            function = self.owner.kernels[kernel.name]
            start = time.perf_counter()
            function(*arrays)
        seconds = time.perf_counter() - start
        for result, place in kernel.copied:
            source = step.inputs[~place] if place < 0 else step.outputs[place]
            self.array(step.outputs[result])[...] = self.array(source)
        if self.after is not None:
            self.after(step, [self.array(view) for view in step.outputs])
        return StepTime(kernel.name, kernel.operators, seconds)

    def overwrite(self, step: Launch | Copy) -> None:
        """Overwrite what no value that is needed lies in."""
        import numpy as np

        if not self.poison:
            return
        position = self.owner.positions[step]
        is_needed = np.zeros(self.arena.size, bool)
        for allocation in self.plan.allocations:
            if allocation.first < position <= allocation.last:
                offset = int(allocation.offset)  # pyright: ignore
                is_needed[offset : offset + int(allocation.bytes)] = True  # pyright: ignore
        self.arena[~is_needed] = POISON

    def array(self, view: View) -> Any:
        """A view as an array on its memory."""
        resolved = view.resolved
        buffer, spec = resolved.buffer, resolved.spec
        shape = self.shape(spec)
        offset = self.number(resolved.offset)
        if buffer.place is Place.ARENA:
            data = self.arena[self.offsets[buffer] + offset :]
        else:
            whole = self.memory[buffer.place][buffer.position]
            data = whole.reshape(-1).view("uint8")[offset:]
        count = DTYPES[spec.dtype].size
        for size in shape:
            count *= size
        return data[:count].view(numpy_dtype(spec.dtype)).reshape(shape)

    def shape(self, spec: TensorSpec) -> tuple[int, ...]:
        return tuple(self.number(size) for size in spec.shape if size is not None)

    def number(self, size: Size) -> int:
        return evaluate(size, self.sizes)
