"""Random statements of kernels: stores, names, branches, memory, loops of all kinds, blocks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from formulas import Dim
from script_expressions import Expressions
from script_forms import (
    BUILDER,
    PYTHON,
    SCRIPT,
    Body,
    Loop,
    Memory,
    by_form,
    is_independent,
    joined,
    plain,
)

MAX_ITERATIONS = 80


class Statements(Expressions):
    """A kernel to which statements are added."""

    @contextlib.contextmanager
    def noting(self, into: Body) -> Iterator[None]:
        """The elements that are read meanwhile are loads of ``into``."""
        before, self.reads = self.reads, set()
        yield
        into.loads |= self.reads
        self.reads = before

    def statements(self, depth: int) -> Body:
        """Some statements, in a scope of their own."""
        body = Body()
        names, changing, buffers = list(self.names), list(self.changing), list(self.buffers)
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            if self.left > 0:
                self.left -= 1
                self.statement(body, depth)
        self.names, self.changing, self.buffers = names, changing, buffers
        return body

    def statement(self, body: Body, depth: int) -> None:
        """Add a statement."""
        kinds: list[Callable[[Body], None]] = [
            self.store, self.store, self.store, self.update, self.name, self.variable
        ]  # fmt: skip
        if self.changing:
            kinds += [self.change, self.change]
        nests = (self.loop, self.loop, self.branch, self.memory, self.search, self.as_long_as)
        with self.noting(body):
            if depth and self.random.random() < 0.6:
                self.random.choice(nests)(body, depth)
            else:
                self.random.choice(kinds)(body)

    def written(self) -> Memory:
        """A buffer to store to."""
        return self.random.choice([buffer for buffer in self.buffers if buffer.written])

    def target(self, body: Body) -> tuple[str, list[str]]:
        """An element to store to."""
        before = set(self.reads)
        buffer = self.written()
        text, conditions = self.element(buffer, always=self.random.random() < 0.8)
        words = tuple(text[len(buffer.name) + 1 : -1].split(", "))
        self.reads = before
        body.stores.add((buffer.name, words))
        return text, conditions

    def store(self, body: Body, sign: str = "=") -> None:
        """``A[i] = x``."""
        text, conditions = self.target(body)
        line = joined(f"{text} {sign} ", self.stored(self.random.choice((0, 1, 1, 2))))
        if not conditions:
            body.add(line)
            return
        condition, inner = self.guard(conditions), Body()
        inner.add(line)
        body.add(joined("if ", condition, ":"), joined("with ib.if_scope(", condition, "):"))
        body.inside(inner)

    def update(self, body: Body) -> None:
        """``A[i] += x``, of floats ``A[i] = x``."""
        if self.is_float:
            self.store(body)
            return
        sign = self.random.choice(("+=", "-=", "*="))
        self.store(body, sign)
        body.loads |= body.stores

    def name(self, body: Body) -> None:
        """``x = ...``, once."""
        name = self.fresh("x")
        typed = f": {self.dtype!r}" if self.random.random() < 0.2 else ""
        value = self.stored(self.random.choice((1, 1, 2)))
        body.add(
            joined(f"{name}{typed} = ", value), joined(f"{name} = ib.let('{name}', ", value, ")")
        )
        self.names.append(plain(name))

    def variable(self, body: Body) -> None:
        """``x = ...``, which is assigned to again."""
        name = self.fresh("v")
        value = self.stored(self.random.choice((0, 1)))
        body.add(joined(f"{name} = ", value), f"{name} = ib.allocate({self.dtype!r}, 1, '{name}')")
        body.lines[BUILDER].append(joined(f"{name}[0] = ", value)(BUILDER))
        self.names.append(by_form(plain(name), plain(f"{name}[0]")))
        self.changing.append(name)
        if self.random.random() < 0.7:
            self.change(body)

    def change(self, body: Body) -> None:
        """Assign to a name again."""
        name = self.random.choice(self.changing)
        body.names.add(name)
        sign = "=" if self.is_float else self.random.choice(("=", "+=", "-=", "*="))
        value = self.stored(self.random.choice((0, 1, 1)))
        body.add(joined(f"{name} {sign} ", value), joined(f"{name}[0] {sign} ", value))

    def branch(self, body: Body, depth: int) -> None:
        """``if``, perhaps with ``elif`` and ``else``."""
        condition = self.condition()
        inner = self.statements(depth - 1)
        body.add(joined("if ", condition, ":"), joined("with ib.if_scope(", condition, "):"))
        body.inside(inner)
        if self.random.random() < 0.5:
            return
        if self.random.random() < 0.3:
            second, middle = self.condition(), self.statements(depth - 1)
            last = self.statements(depth - 1)
            nested = Body()
            nested.add("", joined("with ib.if_scope(", second, "):"))
            nested.inside(middle)
            nested.add("", "with ib.else_scope():")
            nested.inside(last)
            for form in (SCRIPT, PYTHON):
                body.lines[form].append(joined("elif ", second, ":")(form))
                body.lines[form] += [f"    {line}" for line in middle.lines[form] or ["pass"]]
                body.lines[form].append("else:")
                body.lines[form] += [f"    {line}" for line in last.lines[form] or ["pass"]]
            body.lines[BUILDER].append("with ib.else_scope():")
            body.lines[BUILDER] += [f"    {line}" for line in nested.lines[BUILDER]]
            body.inside(nested, lines=False)
            return
        body.add("else:", "with ib.else_scope():")
        body.inside(self.statements(depth - 1))

    def memory(self, body: Body, depth: int) -> None:
        """A buffer of these statements alone, that is filled and then used."""
        del depth
        size = self.random.randint(1, 4)
        if self.iterations * size > MAX_ITERATIONS:
            return
        name, loop = self.fresh("T"), Loop(self.fresh("i"), 0, size - 1)
        shape = f"({size},)"
        body.add(
            f"{name} = alloc_buffer({shape}, {self.dtype!r})",
            f"{name} = ib.allocate({self.dtype!r}, {shape}, '{name}')",
        )
        self.loops.append(loop)
        body.add(
            f"for {loop.name} in range({size}):",
            f"with ib.for_range(0, {size}, name='{loop.name}') as {loop.name}:",
        )
        inner = Body()
        inner.add(joined(f"{name}[{loop.name}] = ", self.stored(1)))
        body.inside(inner)
        self.loops.pop()
        self.buffers.append(Memory(name, (Dim(size),), self.dtype))

    def search(self, body: Body, depth: int) -> None:
        """A loop that does nothing more once a condition held: ``while`` elsewhere."""
        del depth
        size = self.random.randint(1, 5)
        if self.iterations * size > MAX_ITERATIONS:
            return
        name, loop = self.fresh("go"), Loop(self.fresh("i"), 0, size - 1)
        body.add(f"{name} = number(1)", f"{name} = ib.allocate({self.dtype!r}, 1, '{name}')")
        body.lines[BUILDER].append(f"{name}[0] = number(1)")
        body.add(
            f"for {loop.name} in range({size}):",
            f"with ib.for_range(0, {size}, name='{loop.name}') as {loop.name}:",
        )
        self.loops.append(loop)
        self.iterations *= size
        going, inner, last = Body(), Body(), Body()
        condition = self.condition()
        last.add(f"{name} = number(0)", f"{name}[0] = number(0)")
        (self.change if self.changing else self.store)(inner)
        inner.add(joined("if ", condition, ":"), joined("with ib.if_scope(", condition, "):"))
        inner.inside(last)
        going.add(f"if {name} != 0:", f"with ib.if_scope({name}[0] != 0):")
        going.inside(inner)
        body.inside(going)
        self.iterations //= size
        self.loops.pop()

    def as_long_as(self, body: Body, depth: int) -> None:
        """A loop as long as a condition holds, and no more than some times."""
        size = self.random.randint(1, 4)
        if self.iterations * size > MAX_ITERATIONS:
            return
        name = self.fresh("w")
        body.add(f"{name} = number(0)", f"{name} = ib.allocate({self.dtype!r}, 1, '{name}')")
        body.lines[BUILDER].append(f"{name}[0] = number(0)")
        fewer = by_form(plain(f"{name} < number({size})"), plain(f"{name}[0] < number({size})"))
        holds = fewer
        if self.random.random() < 0.6:
            more = self.condition()
            holds = by_form(
                joined("(", fewer, " and ", more, ")"), joined("te.all(", fewer, ", ", more, ")")
            )
        self.iterations *= size
        inner = self.statements(depth - 1)
        self.iterations //= size
        inner.add(f"{name} = {name} + number(1)", f"{name}[0] = {name}[0] + number(1)")
        inner.kinds.add("while")
        body.add(joined("while ", holds, ":"), joined("with ib.while_loop(", holds, "):"))
        body.inside(inner)

    # Loops ---------------------------------------------------------------------------------

    def loop(self, body: Body, depth: int) -> None:
        """A loop of any kind."""
        random = self.random
        pick = random.random()
        if pick < 0.12 and self.iterations * 3 <= MAX_ITERATIONS:
            self.repeated(body, depth)
            return
        dims = [dim for dim in self.dims if self.iterations * dim.size <= MAX_ITERATIONS]
        if not dims:
            self.store(body)
            return
        name = self.fresh("i")
        if pick < 0.6:
            dim = random.choice(dims)
            self.counted(body, depth, Loop(name, 0, dim.size - 1, dim.symbol), dim.text)
            return
        start, count, step = (
            random.randint(0, 3),
            random.randint(1, 4),
            random.choice((1, 2, -1, -2)),
        )
        if self.iterations * count > MAX_ITERATIONS:
            count = 1
        if pick < 0.75:
            last = start + step * (count - 1)
            low, high = min(start, last), max(start, last)
            text = f"{start}, {last + (1 if step > 0 else -1)}, {step}"
            self.stepping(body, depth, Loop(name, low, high), text, (start, count, step))
        elif pick < 0.87 and self.loops:
            outer = random.choice(self.loops)
            self.counted(body, depth, Loop(name, 0, 3), f"{outer.name} % 5")
        else:
            begin = f"P[{random.randrange(3)}] % 3"
            self.counted(body, depth, Loop(name, 0, 3), f"{begin}, 4")

    def repeated(self, body: Body, depth: int) -> None:
        """Statements once for each of some constants."""
        values = self.random.sample(range(5), self.random.randint(1, 3))
        name = self.fresh("c")
        self.loops.append(Loop(name, min(values), max(values)))
        self.iterations *= 3
        inner = self.statements(depth - 1)
        self.iterations //= 3
        self.loops.pop()
        body.add(f"for {name} in ({', '.join(map(str, values))},):")
        body.inside(inner)

    def stepping(
        self, body: Body, depth: int, loop: Loop, text: str, numbers: tuple[int, int, int]
    ) -> None:
        """A loop with a step; a builder's loop counts from 0."""
        start, count, step = numbers
        self.loops.append(loop)
        self.iterations *= count
        inner = self.statements(depth - 1)
        self.iterations //= count
        self.loops.pop()
        counter = self.fresh("t")
        body.add(
            f"for {loop.name} in range({text}):",
            f"with ib.for_range(0, {count}, name='{counter}') as {counter}:",
        )
        inner.lines[BUILDER].insert(0, f"{loop.name} = {start} + {counter} * {step}")
        body.inside(inner)

    def counted(self, body: Body, depth: int, loop: Loop, text: str) -> None:
        """A loop of consecutive numbers, of a kind that suits what it does."""
        self.loops.append(loop)
        size = loop.high + 1
        self.iterations *= size
        inner = self.statements(depth - 1)
        self.iterations //= size
        self.loops.pop()
        kinds = ["range", "range", "serial"]
        independent = is_independent(inner, loop.name)
        if independent and "parallel" not in inner.kinds:
            kinds += ["parallel"] * 2
        if text.isdigit():
            kinds.append("unroll")
            if independent and not {"parallel", "vectorized", "while"} & inner.kinds:
                kinds += ["vectorized"] * 2
        kind = self.random.choice(kinds)
        words = {"range": "serial", "vectorized": "vectorize"}
        bounds = text if ", " in text else f"0, {text}"
        body.add(
            f"for {loop.name} in {kind}({text}):",
            f"with ib.for_range({bounds}, name='{loop.name}', kind='{words.get(kind, kind)}') "
            f"as {loop.name}:",
        )
        inner.kinds.add(kind)
        body.inside(inner)

    # Blocks --------------------------------------------------------------------------------

    def blocks(self, body: Body) -> None:
        """A reduction, or elements, as a block with variables: for scripts alone."""
        random = self.random
        buffer = self.written()
        loops: list[tuple[str, str]] = []
        heads: list[str] = []
        python: list[str] = []
        where: list[str] = []
        variables: list[Loop] = []
        reduced = random.random() < 0.5
        kinds = ["S"] * len(buffer.dims) + ["R"] * reduced
        for kind, dim in zip(kinds, [*buffer.dims, random.choice(self.dims)], strict=False):
            name = self.fresh("i")
            word = "spatial" if kind == "S" else "reduce"
            binding = name
            if not dim.symbol and random.random() < 0.3:
                factor = random.randint(1, 3)
                binding = f"{name}o * {factor} + {name}i"
                loops += [(f"{name}o", str(-(-dim.size // factor))), (f"{name}i", str(factor))]
                if dim.size % factor:
                    where.append(f"{binding} < {dim.size}")
            else:
                loops.append((name, dim.text))
                if kind == "S" and random.random() < 0.2:
                    binding = f"{dim.text} - 1 - {name}"
            heads.append(f"v{name} = axis.{word}({dim.text}, {binding})")
            python.append(f"v{name} = {binding}")
            variables.append(Loop(f"v{name}", 0, dim.size - 1, dim.symbol))
        outer, self.loops = self.loops, variables
        remaining = [memory for memory in self.buffers if memory is not buffer]
        before, self.buffers = self.buffers, remaining or self.buffers
        names, self.names = self.names, []
        spatial = [variable.name for variable in variables[: len(buffer.dims)]]
        element = f"{buffer.name}[{', '.join(spatial)}]"
        value = self.stored(random.choice((1, 1, 2)))(SCRIPT)
        start = self.number()(SCRIPT)
        self.loops, self.buffers, self.names = outer, before, names
        lines = [*heads, *(f"where({condition})" for condition in where)]
        combined = value if not self.is_float else f"max({element}, {value})"
        update = [f"{element} = {combined}"] if self.is_float else [f"{element} += {value}"]
        if not reduced:
            update = [f"{element} = {value}"]
        own = [f"    {line}" for line in python]
        if reduced:
            lines += ["with init():", f"    {element} = {start}"]
            zero = f"v{heads[-1][1:].split(' = ')[0]} == 0"
            inner = [f"if {zero}:", f"    {element} = {start}", *update]
        else:
            inner = update
        if where:
            inner = [f"if {' and '.join(where)}:", *(f"    {line}" for line in inner)]
        text = [
            f"with block({self.fresh(buffer.name)!r}):",
            *(f"    {line}" for line in [*lines, *update]),
        ]
        indent = ""
        for name, size in loops:
            head = f"{indent}for {name} in range({size}):"
            body.lines[SCRIPT].append(head)
            body.lines[PYTHON].append(head)
            indent += "    "
        body.lines[SCRIPT] += [f"{indent}{line}" for line in text]
        body.lines[PYTHON] += [f"{indent}{line[4:]}" for line in own]
        body.lines[PYTHON] += [f"{indent}{line}" for line in inner]
