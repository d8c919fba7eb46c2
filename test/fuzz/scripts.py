"""Random kernels of loops, conditions, names and memory, as the source of Python.

The same statements are written three times: for kc.script (or te.hybrid.script, between computes),
for tir.ir_builder, and for Python, which executes them on numpy's numbers; these wrap around as
kc's do. Floats are small whole numbers, so that no operation rounds.
"""

from __future__ import annotations

import contextlib
import linecache
from random import Random
from typing import Any

import numpy as np
from families import Fixed
from formulas import Dim, shape_text
from random_schedules import random_calls
from script_forms import BUILDER, HYBRID, PYTHON, SCRIPT, Body, Loop, Memory, joined
from script_statements import Statements

import kc
from kc import te, tir
from kc.support.diagnostics import KCError

CALLS = 6


class _Drawing(Statements):
    def program(self) -> Fixed:
        """The whole kernel, with its arguments."""
        random = self.random
        dims = self.dims
        shapes = [(random.choice(dims),), (random.choice(dims), random.choice(dims))]
        inputs = [
            # It has all sizes, so that they are known in the kernel.
            Memory("A", tuple(random.sample(dims, 2)), self.dtype, written=self.form != HYBRID),
            Memory("B", shapes[0], self.dtype, written=self.form != HYBRID),
        ]
        outputs = [Memory("C", random.choice(shapes), self.dtype)]
        indices = Memory("P", (Dim(3),), "int32", written=False)
        self.buffers = [*inputs, *outputs]
        body = self.body
        if self.form == HYBRID:
            self.fill(body, outputs[0])
        while self.left > 0:
            self.left -= 1
            if self.form == SCRIPT and random.random() < 0.3:
                self.blocks(body)
            else:
                self.statement(body, 3)
        values = {memory.name: self.values(memory) for memory in (*inputs, *outputs)}
        values["P"] = self.numbers.integers(-9, 10, 3).astype(np.int32)
        scalar = self.values(Memory("s", (), self.dtype))[()]
        arrays = [*inputs, indices, *outputs]
        sources, results = self.run(arrays, values, scalar, outputs[0])
        return self.finish(arrays, outputs[0], values, scalar, sources, results)

    def fill(self, body: Body, output: Memory) -> None:
        """Give each element of a result a value."""
        loops = [Loop(self.fresh("i"), 0, dim.size - 1, dim.symbol) for dim in output.dims]
        indent = ""
        for loop, dim in zip(loops, output.dims, strict=True):
            body.add(f"{indent}for {loop.name} in range({dim.text}):")
            indent += "    "
        buffers, self.buffers = (
            self.buffers,
            [memory for memory in self.buffers if not memory.written],
        )
        self.loops = loops
        element = f"{output.name}[{', '.join(loop.name for loop in loops)}]"
        body.add(joined(f"{indent}{element} = ", self.stored(1)))
        self.buffers, self.loops = buffers, []

    def values(self, buffer: Memory) -> np.ndarray:
        """Numbers, now and then the largest ones."""
        shape = tuple(dim.size for dim in buffer.dims)
        if self.is_float:
            return self.numbers.integers(-4, 5, shape).astype(self.dtype)
        info = np.iinfo(self.dtype)
        wide = self.numbers.integers(info.min, info.max, shape, self.dtype, endpoint=True)
        small = self.numbers.integers(0 if info.min == 0 else -5, 9, shape).astype(self.dtype)
        return np.where(self.numbers.random(shape) < 0.2, wide, small)

    def run(
        self, arrays: list[Memory], values: dict[str, np.ndarray], scalar: Any, output: Memory
    ) -> tuple[dict[str, str], dict[str, np.ndarray]]:
        """The sources of all forms, and what Python computes."""
        names = [array.name for array in arrays if self.form != HYBRID or array is not output]
        sources: dict[str, str] = {}
        for form in (PYTHON, SCRIPT if self.form != BUILDER else BUILDER):
            lines = list(self.body.lines[form])
            if self.form == HYBRID:
                shape = shape_text(output.dims)
                lines.insert(0, f"{output.name} = output_tensor({shape}, {self.dtype!r})")
                lines.append(f"return {output.name}")
            annotated = form == SCRIPT and self.form == SCRIPT
            words = [
                f"{array.name}: kc.Buffer({shape_text(array.dims)}, {array.dtype!r})"
                if annotated
                else array.name
                for array in arrays
                if array.name in names
            ]
            words.append(f"s: {self.dtype!r}" if annotated else "s")
            head = f"def main({', '.join(words)}):"
            if form == BUILDER:
                head = f"def main(ib, {', '.join(words)}):"
            sources[form] = "\n".join([head, *(f"    {line}" for line in lines)]) + "\n"
        results = {name: value.copy() for name, value in values.items()}
        known = _python_names(self.dtype) | self.symbols
        exec(sources[PYTHON], known)
        given = [results[array.name] for array in arrays if array.name in names]
        function: Any = known["main"]
        returned = function(*given, scalar)
        if self.form == HYBRID:
            results[output.name] = returned
        return sources, results

    def finish(
        self,
        arrays: list[Memory],
        output: Memory,
        values: dict[str, np.ndarray],
        scalar: Any,
        sources: dict[str, str],
        results: dict[str, np.ndarray],
    ) -> Fixed:
        """The module, with its arguments."""
        known = _kc_names(self.dtype) | {name: te.var(name) for name in self.symbols}
        env = known | {"kc": kc, "te": te}
        form = BUILDER if self.form == BUILDER else SCRIPT
        text = sources[form]
        if form == SCRIPT:
            text = f"@{'kc.script' if self.form == SCRIPT else 'te.hybrid.script'}\n{text}"
        try:
            _execute(text, env)
            module, order, after = getattr(self, f"_{self.form}")(env, arrays, output, results)
        except Exception as error:
            error.add_note(text)
            raise
        given = [
            scalar.item()
            if name == "s"
            else self.symbols[name]
            if name in self.symbols
            else values[name]
            for name in order
        ]
        expected = {n: results[name] for n, name in enumerate(order) if name in results}
        symbols = self.symbols | {"s": scalar.item()}
        return Fixed(module, given, expected, symbols, 0.0, text + after)

    def _sizes(self, arrays: list[Memory]) -> list[str]:
        """The symbols that no array has as its size."""
        bound = {dim.symbol for array in arrays for dim in array.dims}
        return [name for name in self.symbols if name not in bound]

    def _script(
        self, env: dict[str, Any], arrays: list[Memory], output: Memory, results: Any
    ) -> tuple[kc.IRModule, list[str], str]:
        del output, results
        sizes = self._sizes(arrays)
        return env["main"], [*(array.name for array in arrays), "s", *sizes], ""

    def _builder(
        self, env: dict[str, Any], arrays: list[Memory], output: Memory, results: Any
    ) -> tuple[kc.IRModule, list[str], str]:
        del output, results
        ib = tir.ir_builder.create()
        buffers = [tir.decl_buffer(_shape(array, env), array.dtype, array.name) for array in arrays]
        scalar = te.var("s", self.dtype)
        env["main"](ib, *map(ib.buffer_ptr, buffers), scalar)
        sizes = self._sizes(arrays)
        module = tir.PrimFunc([*buffers, scalar, *(env[size] for size in sizes)], ib.get(), "main")
        return module, [*(array.name for array in arrays), "s", *sizes], ""

    def _hybrid(
        self, env: dict[str, Any], arrays: list[Memory], output: Memory, results: Any
    ) -> tuple[kc.IRModule, list[str], str]:
        """The operation, perhaps with computes before and after it."""
        random = self.random
        tensors = {
            array.name: te.placeholder(_shape(array, env), array.dtype, array.name)
            for array in arrays
            if array is not output
        }
        scalar = te.var("s", self.dtype)
        given = dict(tensors)
        if random.random() < 0.4:
            given["A"] = te.compute(given["A"].shape, lambda *at: tensors["A"](*at), name="A_copy")
        last = result = env["main"](*given.values(), scalar)
        if random.random() < 0.5:
            last = te.compute(result.shape, lambda *at: result(*at) + env["number"](1), name="D")
            results[output.name] += np.dtype(self.dtype).type(1)
        schedule, plain_schedule = te.create_schedule(last.op), te.create_schedule(last.op)
        read = {tensor for stage in schedule.stages for tensor in stage.op.input_tensors}
        names = [name for name, tensor in tensors.items() if tensor in read]
        used = [array for array in arrays if array.name in names or array is output]
        order = [*names, output.name, "s", *self._sizes(used)]
        known = {**tensors, **env, "s": scalar, output.name: last}
        arguments = [known[name] for name in order]
        calls: list[str] = []
        if random.random() < 0.5:
            calls = random_calls(schedule, random, random.randint(1, CALLS))
            with contextlib.suppress(KCError):
                return kc.lower(schedule, arguments, name="main"), order, "\n".join(calls)
        return kc.lower(plain_schedule, arguments, name="main"), order, ""


def _shape(buffer: Memory, env: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(env[dim.symbol] if dim.symbol else dim.size for dim in buffer.dims)


def _mix(a: Any, b: Any) -> Any:
    return a * 2 - b


def _kc_names(dtype: str) -> dict[str, Any]:
    """The names that a kernel uses, with their meaning in kc."""

    def cast(value: Any) -> Any:
        return te.const(value, dtype) if isinstance(value, int) else (value + 0).astype(dtype)

    return {
        "number": lambda value: te.const(value, dtype),
        "cast": cast,
        "mix": _mix,
        "te_not": lambda condition: not condition if isinstance(condition, bool) else ~condition,
        "te_false": te.const(False, "bool"),
    }


def _python_names(dtype: str) -> dict[str, Any]:
    """The names that a kernel uses, with their meaning in Python."""
    kind = np.dtype(dtype).type
    return {
        "number": kind,
        "cast": lambda value: np.asarray(value).astype(dtype)[()],
        "mix": _mix,
        **dict.fromkeys(("serial", "parallel", "vectorized", "unroll"), range),
        **dict.fromkeys(("alloc_buffer", "output_tensor"), np.zeros),
    }


def _execute(text: str, env: dict[str, Any]) -> None:
    """Execute ``text``, whose lines can be looked up as those of a file."""
    name = f"<script {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), env)


def draw(random: Random, keep: int | None = None) -> Fixed:
    """A kernel of about ``keep`` statements, or of any number."""
    with np.errstate(all="ignore"):
        return _Drawing(random, keep).program()
