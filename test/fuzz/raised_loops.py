"""Random loops in text of scf, affine and memref, with the same loops as text of Python.

Each statement is written twice, side by side. Accumulators are reset, updated and read wherever it
comes; buffers have further names (casts, subviews); loops are empty, triangular, tiled by min and
max, and of sizes that are known at the call alone. Floats are small integers, so that no order of
operations rounds, and results are compared exactly.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import numpy as np
from worlds import Unsuitable

ELEMENTS = {"int32": "i32", "int64": "i64", "float32": "f32", "float64": "f64"}
LARGEST = {"float32": 2.0**13, "float64": 2.0**40}
"""So large may a value be that is stored: hundreds of them are added without rounding."""
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "arith.addi",
    ast.Sub: "arith.subi",
    ast.FloorDiv: "arith.floordivsi",
    ast.Mod: "arith.remsi",
}
FUNCTIONS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
MULTIPLE = 420
"""Of all sizes, and more than an index is below 0."""
MAX_STORES = 1500
"""Stores of a program: they run one by one."""


def operation(kind: str, dtype: str) -> str:
    """The op of arith that combines two elements as :data:`FUNCTIONS` does."""
    if dtype.startswith("float"):
        return f"arith.{ {'max': 'maximum', 'min': 'minimum'}.get(kind, kind) }f"
    return f"arith.{kind}{'si' if kind in ('max', 'min') else 'i'}"


@dataclass
class Memory:
    """An array, or a view of one, whose accesses are checked and counted by ``work``."""

    array: np.ndarray
    written: np.ndarray
    work: Work

    def __getitem__(self, at: tuple[int, ...]) -> Any:
        self._check(at)
        if not self.written[at]:
            raise Unsuitable
        return self.array[at]

    def __setitem__(self, at: tuple[int, ...], value: Any) -> None:
        self._check(at)
        self.work.count()
        self.array[at] = kept(value)
        self.written[at] = True

    def part(self, at: tuple[slice | int, ...]) -> Memory:
        """A view."""
        return Memory(self.array[at], self.written[at], self.work)

    def copy_from(self, source: Memory) -> None:
        """``memref.copy``."""
        if not source.written.all() or source.array.shape != self.array.shape:
            raise Unsuitable
        self.work.count(source.array.size)
        self.array[...] = source.array.copy()
        self.written[...] = True

    def _check(self, at: tuple[int, ...]) -> None:
        if not all(0 <= n < size for n, size in zip(at, self.array.shape, strict=True)):
            raise Unsuitable


@dataclass
class Work:
    """The work done so far."""

    stores: int = 0

    def count(self, stores: int = 1) -> None:
        """Some more. Raises Unsuitable for too much."""
        self.stores += stores
        if self.stores > MAX_STORES:
            raise Unsuitable

    def table(self, values: list[Any], dtype: str) -> Memory:
        """Memory that has values from the start: ``memref.global``."""
        array = np.array(values, dtype)
        return Memory(array, np.ones(array.shape, bool), self)

    def alloc(self, shape: tuple[int, ...], dtype: str) -> Memory:
        """Memory that nothing is in."""
        if any(size < 0 for size in shape):
            raise Unsuitable
        return Memory(np.zeros(shape, dtype), np.zeros(shape, bool), self)


def kept(value: Any) -> Any:
    """``value``, which is exact. Raises Unsuitable where it may not be."""
    limit = LARGEST.get(str(value.dtype))
    if limit is not None and not abs(value) <= limit:
        raise Unsuitable
    return value


@dataclass(frozen=True)
class Dim:
    """A size: its value, its text in a type, and the value of the program that it is."""

    size: int
    text: str
    ssa: str


@dataclass(frozen=True)
class Buffer:
    """A memref by one of its names; ``root`` is the memory that it is in."""

    name: str
    dims: tuple[Dim, ...]
    root: str
    layout: str = ""
    writable: bool = True

    def type(self, element: str) -> str:
        """Its type."""
        return f"memref<{''.join(f'{dim.text}x' for dim in self.dims)}{element}{self.layout}>"


class Index(NamedTuple):
    """An index: an affine expression over d0, d1, ..., the variables that these are, and the same
    for Python."""

    affine: str
    names: list[str]
    python: str


def python_place(place: Sequence[Index]) -> str:
    """Indices as Python writes them."""
    return f"({''.join(f'{index.python}, ' for index in place)})"


@dataclass(frozen=True)
class Variable:
    """A loop's variable, with the values that it may have."""

    name: str
    low: int
    high: int


@dataclass
class LoopWriter:
    """Writes a program."""

    random: Random
    mlir: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)
    constants: dict[int, str] = field(default_factory=dict)
    arguments: list[tuple[str, str, Any]] = field(default_factory=list)
    """Name, type, and what is given."""
    buffers: list[Buffer] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    """Scalars that loops carry."""
    sizes: list[Dim] = field(default_factory=list)
    pending: list[tuple[str, str, str]] = field(default_factory=list)
    """Sizes to ask for: names, of which buffers, and dimensions."""
    globals: list[str] = field(default_factory=list)
    """The globals beside the function."""
    strict: bool = False
    """True if ops of affine must not use the variables of scf loops, which mlir-opt refuses and kc
    accepts.
    """
    foreign: set[str] = field(default_factory=set)
    """The variables of scf loops."""
    depth: int = 0
    count: int = 0

    def __post_init__(self) -> None:
        self.numbers = np.random.default_rng(self.random.randrange(2**32))
        self.dtype = self.random.choice(list(ELEMENTS))
        self.element = ELEMENTS[self.dtype]
        self.is_float = self.dtype.startswith("float")
        self.pure = self.chance(0.3)
        """True if the program has no ops of affine: builds accept such loops unchanged."""
        self.branches = self.chance(0.1)
        """True if the function has several blocks. It is not raised, and has no ops of affine."""
        self.pure = self.pure or self.branches
        self.affine = not self.pure and self.chance(0.6)
        """True if loops and accesses are more often of affine than of scf and memref."""

    # Text ------------------------------------------------------------------------------------

    def chance(self, share: float) -> bool:
        """True in ``share`` of the programs."""
        return self.random.random() < share

    def fresh(self, name: str) -> str:
        """A name that nothing has."""
        self.count += 1
        return f"{name}{self.count}"

    def write(self, mlir: str | None, python: str | None = None) -> None:
        """A line of each text."""
        indent = "  " * (self.depth + 1)
        if mlir is not None:
            self.mlir.append(indent + mlir)
        if python is not None:
            self.python.append("  " * self.depth + python)

    def const(self, number: int) -> str:
        """A constant of type index."""
        name = f"c{number}" if number >= 0 else f"m{-number}"
        self.constants[number] = name
        return f"%{name}"

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget the definitions of the body when it ends."""
        known = list(self.buffers), list(self.variables), list(self.values)
        self.depth += 1
        yield
        self.depth -= 1
        self.buffers, self.variables, self.values = known

    # Declarations ----------------------------------------------------------------------------

    def declare(self) -> None:
        """The arguments of the function."""
        for _ in range(self.random.choice((0, 1, 1, 2))):
            name = self.fresh("n")
            size = self.random.choice((0, 1, 2, 3, 4, 5, 7))
            self.arguments.append((name, "index", size))
            self.sizes.append(Dim(size, "?", f"%{name}"))
        for n in range(self.random.randint(2, 4)):
            self._argument("ABCD"[n])

    def _dim(self) -> Dim:
        if self.sizes and self.chance(0.25):
            return self.random.choice(self.sizes)
        size = self.random.choice((1, 2, 3, 4, 5, 6, 0) if self.chance(0.2) else (2, 3, 4, 5, 6))
        return Dim(size, str(size), self.const(size))

    def _argument(self, name: str) -> None:
        dims: list[Dim] = []
        for n in range(self.random.choice((0, 1, 1, 2, 2, 2, 3))):
            dim = self._dim()
            if dim.text == "?":
                # Nothing tells that it is the size that another argument has.
                size = dim.size if self.chance(0.7) else self.random.choice((1, 2, 3, 5))
                asked = f"{name}_{n}".lower()
                at = self.const(n)
                self.pending.append((asked, name, at))
                dim = Dim(size, "?", f"%{asked}")
            dims.append(dim)
        shape = tuple(dim.size for dim in dims)
        given = self.numbers.integers(-3, 3, shape, endpoint=True).astype(self.dtype)
        buffer = Buffer(name, tuple(dims), name)
        self.arguments.append((name, buffer.type(self.element), given))
        self.buffers.append(buffer)

    def declare_global(self) -> None:
        """``memref.global``: a constant, or memory, which is filled first, as it is kept between
        calls."""
        dims = tuple(
            Dim(size, str(size), self.const(size))
            for size in (self.random.randint(1, 5) for _ in range(self.random.choice((0, 1, 1, 2))))
        )
        name = self.fresh("g")
        symbol = f"{name}_{self.random.randrange(10**9)}"
        shape = tuple(dim.size for dim in dims)
        values = self.numbers.integers(-3, 3, shape, endpoint=True).astype(self.dtype).tolist()
        is_constant = self.chance(0.6)
        text = "uninitialized" if not is_constant and self.chance(0.3) else f"dense<{values}>"
        word = " constant" if is_constant else ""
        buffer = Buffer(name, dims, name, writable=not is_constant)
        type_ = buffer.type(self.element)
        self.globals.append(f'memref.global "private"{word} @{symbol} : {type_} = {text}')
        self.write(
            f"%{name} = memref.get_global @{symbol} : {type_}",
            f"{name} = work.table({values}, {self.dtype!r})",
        )
        self.buffers.append(buffer)
        if not is_constant:
            self.filled(buffer)

    def ask_sizes(self) -> None:
        """``memref.dim`` of the arguments."""
        types = {buffer.name: buffer.type(self.element) for buffer in self.buffers}
        for asked, name, at in self.pending:
            self.write(f"%{asked} = memref.dim %{name}, {at} : {types[name]}")

    # Expressions -----------------------------------------------------------------------------

    def index(self, size: int) -> Index:
        """An index below ``size``, which is not 0."""
        if not self.variables or self.chance(0.1):
            n = self.random.randrange(size)
            return Index(str(n), [], str(n))
        first = self.random.choice(self.variables[-3:])
        shift = self.random.randint(1, 2)
        kind = self.random.choice(("plain",) * 6 + ("plus", "minus", "mirror", "sum", "half"))
        names, low, high = [first.name], first.low, first.high
        if kind == "plus":
            form, low, high = f"{{0}} + {shift}", low + shift, high + shift
        elif kind == "minus":
            form, low, high = f"{{0}} - {shift}", low - shift, high - shift
        elif kind == "mirror":
            form, low, high = f"{size - 1} - {{0}}", size - 1 - high, size - 1 - low
        elif kind == "half":
            form, low, high = "{0} floordiv 2", low // 2, high // 2
        elif kind == "sum":
            second = self.random.choice(self.variables)
            names.append(second.name)
            form, low, high = "{0} + {1}", low + second.low, high + second.high
        else:
            form = "{0}"
        if low < 0 or high >= size:
            form = f"({form}) mod {size}"
        affine = form.format(*(f"d{n}" for n in range(len(names))))
        python = form.replace("floordiv", "//").replace("mod", "%").format(*names)
        return Index(affine, names, python)

    def element_of(self, buffer: Buffer) -> list[Index]:
        """The indices of an element of ``buffer``."""
        return [self.index(dim.size) for dim in buffer.dims]

    def operands(self, indices: Sequence[Index], *, affine: bool) -> str:
        """Indices as an access writes them; those that are no values are computed before."""
        words: list[str] = []
        for expr, names, python in indices:
            text = expr
            for n, name in enumerate(names):
                text = text.replace(f"d{n}", f"%{name}")
            if affine or expr == "d0":
                words.append(text)
            elif not names and expr.isdigit():
                words.append(self.const(int(expr)))
            elif self.pure or (self.strict and self.foreign.intersection(names)):
                words.append(self._computed(ast.parse(python, mode="eval").body))
            else:
                result = self.fresh("x")
                dims = ", ".join(f"d{n}" for n in range(len(names)))
                args = ", ".join(f"%{name}" for name in names)
                self.write(f"%{result} = affine.apply affine_map<({dims}) -> ({expr})>({args})")
                words.append(f"%{result}")
        return ", ".join(words)

    def _computed(self, expr: ast.expr) -> str:
        """An index by ops of arith, of its text in Python."""
        if isinstance(expr, ast.Constant):
            return self.const(int(str(expr.value)))
        if isinstance(expr, ast.Name):
            return f"%{expr.id}"
        assert isinstance(expr, ast.BinOp)
        op = ARITHMETIC[type(expr.op)]
        left, right = self._computed(expr.left), self._computed(expr.right)
        if isinstance(expr.op, ast.Mod):
            # A remainder of arith has the sign of what is divided.
            shifted = self.fresh("x")
            self.write(f"%{shifted} = arith.addi {left}, {self.const(MULTIPLE)} : index")
            left = f"%{shifted}"
        result = self.fresh("x")
        self.write(f"%{result} = {op} {left}, {right} : index")
        return f"%{result}"

    def readable(self) -> list[Buffer]:
        """The buffers that have elements."""
        return [buffer for buffer in self.buffers if all(dim.size > 0 for dim in buffer.dims)]

    def load(self, buffer: Buffer, place: Sequence[Index]) -> str:
        """An element, by its name."""
        result = self.fresh("v")
        affine = self.is_affine(buffer) and self.are_dims(place)
        at = self.operands(place, affine=affine)
        op = "affine.load" if affine else "memref.load"
        self.write(
            f"%{result} = {op} %{buffer.name}[{at}] : {buffer.type(self.element)}",
            f"{result} = {buffer.name}[{python_place(place)}]",
        )
        return result

    def store(self, value: str, buffer: Buffer, place: Sequence[Index]) -> None:
        """``value`` as an element."""
        affine = self.is_affine(buffer) and self.are_dims(place)
        at = self.operands(place, affine=affine)
        op = "affine.store" if affine else "memref.store"
        self.write(
            f"{op} %{value}, %{buffer.name}[{at}] : {buffer.type(self.element)}",
            f"{buffer.name}[{python_place(place)}] = {value}",
        )

    def are_dims(self, indices: Sequence[Index]) -> bool:
        """True if ops of affine may use the variables of ``indices``."""
        return not self.strict or not any(self.foreign.intersection(at.names) for at in indices)

    def is_affine(self, buffer: Buffer) -> bool:
        """Draw whether an access is an affine one."""
        return not self.pure and not buffer.layout and self.chance(0.9 if self.affine else 0.1)

    def constant(self, number: int) -> str:
        """A constant of the type of the elements."""
        result = self.fresh("k")
        text = f"{number}.0" if self.is_float else str(number)
        self.write(
            f"%{result} = arith.constant {text} : {self.element}",
            f"{result} = T({number})",
        )
        return result

    def binary(self, kind: str, a: str, b: str) -> str:
        """Two values combined."""
        result = self.fresh("v")
        self.write(
            f"%{result} = {operation(kind, self.dtype)} %{a}, %{b} : {self.element}",
            f"{result} = np.{FUNCTIONS[kind].__name__}({a}, {b})",
        )
        return result

    def value(self, depth: int, avoid: str = "") -> str:
        """A computed scalar; it does not depend on the memory ``avoid``."""
        if depth == 0 or self.chance(0.2):
            return self._leaf(avoid)
        pick = self.random.random()
        a, b = self.value(depth - 1, avoid), self.value(self.random.randrange(depth), avoid)
        if pick < 0.15:
            truth, result = self.condition(), self.fresh("v")
            self.write(
                f"%{result} = arith.select %{truth}, %{a}, %{b} : {self.element}",
                f"{result} = {a} if {truth} else {b}",
            )
            return result
        return self.binary(self.random.choice(("add", "add", "sub", "mul", "max", "min")), a, b)

    def _leaf(self, avoid: str) -> str:
        pick = self.random.random()
        buffers = [buffer for buffer in self.readable() if buffer.root != avoid]
        if self.values and pick < 0.25:
            return self.random.choice(self.values)
        if buffers and pick < 0.85:
            buffer = self.random.choice(buffers)
            return self.load(buffer, self.element_of(buffer))
        if self.variables and pick < 0.93:
            return self.of_index(self.random.choice(self.variables).name)
        return self.constant(self.random.randint(-2, 3))

    def of_index(self, name: str) -> str:
        """A variable as an element."""
        result = self.fresh("v")
        whole = result if not self.is_float else self.fresh("w")
        bits = self.element if not self.is_float else "i32"
        self.write(f"%{whole} = arith.index_cast %{name} : index to {bits}")
        if self.is_float:
            self.write(f"%{result} = arith.sitofp %{whole} : i32 to {self.element}")
        self.write(None, f"{result} = T({name})")
        return result

    def condition(self) -> str:
        """A condition of indices, now and then of data, by its name."""
        result = self.fresh("q")
        if self.variables and self.chance(0.75):
            a = self.random.choice(self.variables).name
            choices = [variable.name for variable in self.variables if variable.name != a]
            choices += [dim.ssa[1:] for dim in self.sizes]
            python = b = self.random.choice(choices) if choices and self.chance(0.4) else ""
            if not b:
                number = self.random.randint(-1, 4)
                python, b = str(number), self.const(number)[1:]
            sign, word = self.random.choice(COMPARISONS)
            self.write(
                f"%{result} = arith.cmpi {word}, %{a}, %{b} : index",
                f"{result} = {a} {sign} {python}",
            )
            return result
        a, b = self._leaf(""), self.constant(self.random.randint(-1, 1))
        sign, word = self.random.choice(COMPARISONS)
        word = word.replace("s", "o", 1) if word not in ("eq", "ne") else f"o{word}"
        op = f"arith.cmpf {word}" if self.is_float else f"arith.cmpi {_signed(word)}"
        if word == "one" and self.is_float:
            sign = "!="
        self.write(f"%{result} = {op}, %{a}, %{b} : {self.element}", f"{result} = {a} {sign} {b}")
        return result

    # Statements ------------------------------------------------------------------------------

    def body(self, depth: int) -> None:
        """Some statements, in loops of ``depth`` levels at most."""
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        """Any statement."""
        pick = self.random.random()
        if depth and (pick < 0.45 or (not self.variables and pick < 0.8)):
            self.random.choice((self.loop, self.loop, self.loop, self.carrying, self.tiled))(depth)
        elif pick < 0.55 and depth and not self.variables:
            self.parallel()
        elif pick < 0.62:
            self.accumulator(depth)
        elif pick < 0.67:
            self.view()
        elif pick < 0.74:
            self.branch(depth)
        elif pick < 0.76:
            self.copy()
        elif pick < 0.79:
            self.atomic()
        else:
            self.assign()

    def blocks(self) -> None:
        """Blocks of the function: a condition, or a loop."""
        if self.chance(0.5):
            self._chosen_blocks()
        else:
            self._repeated_blocks()

    def _chosen_blocks(self) -> None:
        truth, after = self.condition(), self.fresh("after")
        labels = [self.fresh("first"), self.fresh("second")]
        carried, value = self.fresh("v"), self.value(1)
        self.write(f"cf.cond_br %{truth}, ^{labels[0]}, ^{labels[1]}")
        for label, word in zip(labels, (f"if {truth}:", "else:"), strict=True):
            self.write(f"^{label}:", word)
            with self.scope():
                self.write(None, "pass")
                self.body(1)
                result = self.binary("add", value, self.value(1))
                self.write(f"cf.br ^{after}(%{result} : {self.element})", f"{carried} = {result}")
        self.write(f"^{after}(%{carried}: {self.element}):")
        self.values.append(carried)

    def _repeated_blocks(self) -> None:
        head, body, after = (self.fresh(label) for label in ("head", "body", "after"))
        name, truth, following = self.fresh("i"), self.fresh("q"), self.fresh("x")
        start, carried = self.value(1), self.fresh("v")
        low, low_text, high, high_text, least, most = self.bounds()
        self.foreign.add(name)
        self.write(
            f"cf.br ^{head}({low}, %{start} : index, {self.element})", f"{carried} = {start}"
        )
        self.write(f"^{head}(%{name}: index, %{carried}: {self.element}):")
        self.write(f"%{truth} = arith.cmpi slt, %{name}, {high} : index")
        self.write(f"cf.cond_br %{truth}, ^{body}, ^{after}")
        self.write(f"^{body}:", f"for {name} in range({low_text}, {high_text}):")
        with self.scope():
            self.variables.append(Variable(name, least, max(most, least)))
            self.values.append(carried)
            self.body(1)
            value = self.binary("add", carried, self.value(1))
            self.write(f"%{following} = arith.addi %{name}, {self.const(1)} : index")
            self.write(
                f"cf.br ^{head}(%{following}, %{value} : index, {self.element})",
                f"{carried} = kept({value})",
            )
        self.write(f"^{after}:")
        self.values.append(carried)

    def written(self) -> list[Buffer]:
        """The buffers that may be stored to."""
        return [buffer for buffer in self.readable() if buffer.writable]

    def assign(self) -> None:
        """A store: a reset, an update, or any value."""
        buffers = self.written()
        if not buffers:
            return
        buffer = self.random.choice(buffers[-4:])
        place = self.element_of(buffer)
        pick = self.random.random()
        if pick < 0.25:
            self.store(self.constant(self.random.randint(-1, 1)), buffer, place)
        elif pick < 0.65:
            self.update(buffer)
        else:
            self.store(self.value(2), buffer, place)

    def update(self, buffer: Buffer) -> None:
        """``C[i] = C[i] op x``."""
        place = self.element_of(buffer)
        kind = self.random.choice(("add", "add", "add", "max", "min", "mul"))
        if kind == "mul" and self.is_float:
            kind = "add"
        old, term = self.load(buffer, place), self.value(1)
        pair = (old, term) if self.chance(0.7) else (term, old)
        self.store(self.binary(kind, *pair), buffer, place)

    def atomic(self) -> None:
        """An atomic update, of a kind or by a region; the element before is a value after it."""
        buffers = self.written()
        if not buffers:
            return
        buffer, term, old = self.random.choice(buffers[-4:]), self.value(1), self.fresh("v")
        place = self.element_of(buffer)
        kind = self.random.choice(("add", "max", "min", "assign"))
        at = f"%{buffer.name}[{self.operands(place, affine=False)}]"
        type_, element = buffer.type(self.element), self.element
        python = f"{buffer.name}[{python_place(place)}]"
        self.write(None, f"{old} = {python}")
        if kind == "assign":
            new = term
        elif self.chance(0.5):
            before = self.fresh("o")
            self.write(f"%{old} = memref.generic_atomic_rmw {at} : {type_} {{")
            self.write(f"^bb0(%{before}: {element}):", f"{before} = {old}")
            new = self.binary(kind, before, term)
            self.write(f"memref.atomic_yield %{new} : {element}")
            self.write("}", f"{python} = {new}")
            self.values.append(old)
            return
        else:
            new = f"np.{FUNCTIONS[kind].__name__}({old}, {term})"
        if kind != "assign":
            kind = operation(kind, self.dtype).removeprefix("arith.")
            kind = kind.removesuffix("i") if kind in ("maxsi", "minsi") else kind
        self.write(
            f"%{old} = memref.atomic_rmw {kind} %{term}, {at} : ({element}, {type_}) -> {element}",
            f"{python} = {new}",
        )
        self.values.append(old)

    def alloc(self) -> None:
        """Memory of the scope, filled or reset at once, or later."""
        rank = self.random.choice((0, 0, 1, 1, 2))
        dims = tuple(self._local_dim() for _ in range(rank))
        buffer = Buffer(self.fresh("t"), dims, self.fresh("root"))
        dynamic = ", ".join(dim.ssa for dim in dims if dim.text == "?")
        shape = "".join(f"{dim.size}, " for dim in dims)
        op = "alloc" if dynamic else self.random.choice(("alloc", "alloca"))
        self.write(
            f"%{buffer.name} = memref.{op}({dynamic}) : {buffer.type(self.element)}",
            f"{buffer.name} = work.alloc(({shape}), {self.dtype!r})",
        )
        self.buffers.append(buffer)
        if self.chance(0.85):
            self.filled(buffer)

    def accumulator(self, depth: int) -> None:
        """Memory of the scope with loops that update it, and a read of it, in any of the loops."""
        self.alloc()
        accumulator = self.buffers[-1]
        if any(dim.size == 0 for dim in accumulator.dims):
            return
        if depth:
            self.loop(depth)
        else:
            self.update(accumulator)
        targets = [buffer for buffer in self.written() if buffer.root != accumulator.root]
        if targets:
            target = self.random.choice(targets)
            value = self.load(accumulator, self.element_of(accumulator))
            self.store(value, target, self.element_of(target))

    def _local_dim(self) -> Dim:
        if self.chance(0.4):
            return Dim(1, "1", self.const(1))
        return self._dim()

    def filled(self, buffer: Buffer) -> None:
        """Store something to every element."""
        with_depth = len(buffer.dims)
        names = [self.fresh("f") for _ in buffer.dims]
        zero = self.constant(self.random.randint(-1, 1))
        for name, dim in zip(names, buffer.dims, strict=True):
            self._open(name, "0", dim.ssa, str(dim.size), step=1)
        self.store(zero, buffer, [Index("d0", [name], name) for name in names])
        for _ in range(with_depth):
            self._close()

    def _open(self, name: str, low: str, ssa: str, high: str, *, step: int) -> None:
        self.foreign.add(name)
        self.write(
            f"scf.for %{name} = {self.const(int(low))} to {ssa} step {self.const(step)} {{",
            f"for {name} in range({low}, {high}, {step}):",
        )
        self.depth += 1

    def _close(self) -> None:
        self.depth -= 1
        self.write("}")

    def view(self) -> None:
        """Another name for a buffer: a cast, or a part of it."""
        buffers = [buffer for buffer in self.buffers if buffer.dims and not buffer.layout]
        if not buffers:
            return
        buffer = self.random.choice(buffers)
        name = self.fresh("a")
        if self.chance(0.7):
            dims = tuple(Dim(dim.size, "?", dim.ssa) for dim in buffer.dims)
            view = Buffer(name, dims, buffer.root, writable=buffer.writable)
            types = f"({buffer.type(self.element)}) -> {view.type(self.element)}"
            self.write(f'%{name} = "memref.cast"(%{buffer.name}) : {types}')
            self.write(None, f"{name} = {buffer.name}")
            self.buffers.append(view)
            return
        if any(dim.text == "?" or dim.size == 0 for dim in buffer.dims):
            return
        offsets = [self.random.randrange(dim.size) for dim in buffer.dims]
        sizes = [
            self.random.randint(1, dim.size - at)
            for dim, at in zip(buffer.dims, offsets, strict=True)
        ]
        shape = [dim.size for dim in buffer.dims]
        strides = [math.prod(shape[n + 1 :]) for n in range(len(shape))]
        offset = sum(at * stride for at, stride in zip(offsets, strides, strict=True))
        gone = sizes[0] == 1 and len(sizes) > 1 and self.chance(0.5)
        if self.chance(0.3):
            self._part_from(buffer, sizes, strides, gone=gone)
            return
        dims = tuple(Dim(size, str(size), self.const(size)) for size in sizes[gone:])
        layout = f", strided<{strides[gone:]}, offset: {offset}>"
        view = Buffer(name, dims, buffer.root, layout, buffer.writable)
        lists = {"offsets": offsets, "sizes": sizes, "strides": [1] * len(sizes)}
        properties = ", ".join(
            f"static_{what} = array<i64: {', '.join(map(str, numbers))}>"
            for what, numbers in lists.items()
        )
        properties = f"operandSegmentSizes = array<i32: 1, 0, 0, 0>, {properties}"
        types = f"({buffer.type(self.element)}) -> {view.type(self.element)}"
        parts = [f"slice({at}, {at + size})" for at, size in zip(offsets, sizes, strict=True)]
        if gone:
            parts[0] = str(offsets[0])
        self.write(
            f'%{name} = "memref.subview"(%{buffer.name}) <{{{properties}}}> : {types}',
            f"{name} = {buffer.name}.part(({', '.join(parts)},))",
        )
        self.buffers.append(view)

    def _part_from(
        self, buffer: Buffer, sizes: Sequence[int], strides: Sequence[int], *, gone: bool
    ) -> None:
        """A subview from indices on that are computed; without its first dimension if ``gone``."""
        name = self.fresh("a")
        places = [
            self.index(dim.size - size + 1) for dim, size in zip(buffer.dims, sizes, strict=True)
        ]
        at = self.operands(places, affine=False)
        dims = tuple(Dim(size, str(size), self.const(size)) for size in sizes[gone:])
        layout = f", strided<{list(strides[gone:])}, offset: ?>"
        view = Buffer(name, dims, buffer.root, layout, buffer.writable)
        parts = [
            f"slice({place.python}, {place.python} + {size})"
            for place, size in zip(places, sizes, strict=True)
        ]
        if gone:
            parts[0] = places[0].python
        self.write(
            f"%{name} = memref.subview %{buffer.name}[{at}] {list(sizes)} {[1] * len(sizes)} : "
            f"{buffer.type(self.element)} to {view.type(self.element)}",
            f"{name} = {buffer.name}.part(({', '.join(parts)},))",
        )
        self.buffers.append(view)

    def copy(self) -> None:
        """``memref.copy`` between buffers of equal types."""
        pairs = [
            (source, target)
            for source in self.buffers
            for target in self.buffers
            if source.root != target.root
            and not source.layout + target.layout
            and target.writable
            and source.dims == target.dims
        ]
        if not pairs:
            return
        source, target = self.random.choice(pairs)
        types = f"({source.type(self.element)}, {target.type(self.element)}) -> ()"
        self.write(
            f'"memref.copy"(%{source.name}, %{target.name}) : {types}',
            f"{target.name}.copy_from({source.name})",
        )

    def branch(self, depth: int) -> None:
        """``scf.if``."""
        truth = self.condition()
        self.write(f"scf.if %{truth} {{", f"if {truth}:")
        with self.scope():
            self.write(None, "pass")
            self.body(max(depth - 1, 0))
        if self.chance(0.4):
            self.write("} else {", "else:")
            with self.scope():
                self.write(None, "pass")
                self.body(max(depth - 1, 0))
        self.write("}")

    def bounds(self) -> tuple[str, str, str, str, int, int]:
        """A loop's first value and its end: as values, for Python, and both as numbers.

        The numbers are the smallest and the largest that there may be.
        """
        low, low_text, least = self.const(0), "0", 0
        if self.chance(0.2):
            least = self.random.randint(-1, 2)
            low, low_text = self.const(least), str(least)
        elif self.variables and self.chance(0.15):
            start = self.random.choice(self.variables)
            low, low_text, least = f"%{start.name}", start.name, start.low
        if self.variables and self.chance(0.12):
            end = self.random.choice(self.variables)
            return low, low_text, f"%{end.name}", end.name, least, end.high - 1
        dims = [dim for buffer in self.buffers for dim in buffer.dims] + self.sizes
        dim = self.random.choice(dims) if dims else Dim(3, "3", self.const(3))
        return low, low_text, dim.ssa, str(dim.size), least, dim.size - 1

    def are_bounds(self, low: str, high: str) -> bool:
        """True if ``affine.for`` may have these bounds, as Python writes them."""
        return not self.strict or not self.foreign.intersection((low, high))

    def loop(self, depth: int) -> None:
        """A loop of scf or affine."""
        low, low_text, high, high_text, least, most = self.bounds()
        step = self.random.choice((1, 1, 1, 1, 2, 3))
        name = self.fresh(self.random.choice("ijk"))
        if self.affine and self.chance(0.85) and self.are_bounds(low_text, high_text):
            ends = [_affine_end(low_text, low), _affine_end(high_text, high)]
            stride = f" step {step}" if step > 1 else ""
            self.write(f"affine.for %{name} = {ends[0]} to {ends[1]}{stride} {{")
        else:
            self.foreign.add(name)
            stride = self.const(step)
            steps = [dim for dim in self.sizes if dim.size > 0]
            if steps and self.chance(0.25):  # a number that the call gives
                dim = self.random.choice(steps)
                stride, step = dim.ssa, dim.size
            self.write(f"scf.for %{name} = {low} to {high} step {stride} {{")
        self.write(None, f"for {name} in range({low_text}, {high_text}, {step}):")
        with self.scope():
            self.write(None, "pass")
            self.variables.append(Variable(name, least, max(most, least)))
            self.body(depth - 1)
        self.write("}")

    def tiled(self, depth: int) -> None:
        """A loop over tiles and one in a tile, which ends at the end of all by a minimum."""
        whole = self.random.choice((3, 4, 5, 6, 7))
        tile = self.random.choice((2, 3, 4))
        outer, inner = self.fresh("o"), self.fresh("i")
        first = self.random.choice((None, 1, 2))
        """Where a maximum begins the loop."""
        if self.pure:
            ends = f"{self.const(0)} to {self.const(whole)} step {self.const(tile)}"
            self.write(f"scf.for %{outer} = {ends} {{")
        else:
            self.write(f"affine.for %{outer} = 0 to {whole} step {tile} {{")
        self.write(None, f"for {outer} in range(0, {whole}, {tile}):")
        with self.scope():
            self.variables.append(Variable(outer, 0, whole - 1))
            begin_text = outer if first is None else f"max({outer}, {first})"
            end_text = f"min({outer} + {tile}, {whole})"
            if self.pure:
                low, high, last = f"%{outer}", self.fresh("x"), self.fresh("x")
                if first is not None:
                    low = f"%{self.fresh('x')}"
                    self.write(f"{low} = arith.maxsi %{outer}, {self.const(first)} : index")
                self.write(f"%{last} = arith.addi %{outer}, {self.const(tile)} : index")
                self.write(f"%{high} = arith.minsi %{last}, {self.const(whole)} : index")
                self.write(f"scf.for %{inner} = {low} to %{high} step {self.const(1)} {{")
            else:
                self._affine_tile(outer, inner, tile, whole, first)
            self.write(None, f"for {inner} in range({begin_text}, {end_text}):")
            with self.scope():
                self.write(None, "pass")
                self.variables.append(Variable(inner, 0, whole - 1))
                self.body(max(depth - 2, 0))
            self.write("}")
        self.write("}")

    def _affine_tile(
        self, outer: str, inner: str, tile: int, whole: int, first: int | None
    ) -> None:
        """The head of a loop in a tile, with bounds by affine."""
        begin = f"affine_map<(d0) -> (d0)>(%{outer})"
        if first is not None:
            begin = f"affine_map<(d0) -> (d0, {first})>(%{outer})"
        end = f"min affine_map<(d0) -> (d0 + {tile}, {whole})>(%{outer})"
        if self.chance(0.6):
            word = "" if first is None else "max "
            self.write(f"affine.for %{inner} = {word}{begin} to {end} {{")
        else:
            a, b = self.fresh("x"), self.fresh("x")
            self.write(f"%{a} = affine.{'apply' if first is None else 'max'} {begin}")
            self.write(f"%{b} = affine.{end}")
            self.foreign.add(inner)
            self.write(f"scf.for %{inner} = %{a} to %{b} step {self.const(1)} {{")

    def carrying(self, depth: int) -> None:
        """A loop that carries values, of which one or both are stored, at once or later."""
        low, low_text, high, high_text, least, most = self.bounds()
        count = self.random.choice((1, 1, 2))
        starts = [self.value(1) for _ in range(count)]
        carried, results = (
            [self.fresh(letter) for _ in range(count)] for letter in ("carried", "result")
        )
        name = self.fresh("k")
        pairs = ", ".join(f"%{a} = %{b}" for a, b in zip(carried, starts, strict=True))
        types = ", ".join([self.element] * count)
        heads = ", ".join(f"%{result}" for result in results)
        if self.affine and self.chance(0.8) and self.are_bounds(low_text, high_text):
            ends = [_affine_end(low_text, low), _affine_end(high_text, high)]
            head = f"affine.for %{name} = {ends[0]} to {ends[1]}"
            end = "affine.yield"
        else:
            self.foreign.add(name)
            head = f"scf.for %{name} = {low} to {high} step {self.const(1)}"
            end = "scf.yield"
        self.write(f"{heads} = {head} iter_args({pairs}) -> ({types}) {{")
        for a, b in zip(carried, starts, strict=True):
            self.write(None, f"{a} = {b}")
        self.write(None, f"for {name} in range({low_text}, {high_text}):")
        with self.scope():
            self.variables.append(Variable(name, least, max(most, least)))
            self.values += carried
            if self.chance(0.35):
                self.body(max(depth - 1, 0))
            after = [
                self.binary(self.random.choice(("add", "add", "max", "min")), value, self.value(1))
                for value in carried
            ]
            if count == 2 and self.chance(0.3):
                after.reverse()
            yielded = ", ".join(f"%{value}" for value in after)
            self.write(
                f"{end} {yielded} : {types}",
                f"{', '.join(carried)} = {', '.join(f'kept({value})' for value in after)}",
            )
        self.write("}")
        for result, value in zip(results, carried, strict=True):
            self.write(None, f"{result} = {value}")
        if self.chance(0.25):
            self.statement(0)
        for result in results:
            buffers = self.written()
            if buffers and self.chance(0.9):
                buffer = self.random.choice(buffers)
                self.store(result, buffer, self.element_of(buffer))
        self.values += results

    def parallel(self) -> None:
        """``scf.parallel`` whose iterations store to elements of their own."""
        buffers = [buffer for buffer in self.written() if buffer.dims]
        if not buffers:
            return
        buffer = self.random.choice(buffers)
        names = [self.fresh("p") for _ in buffer.dims]
        lows = ", ".join(self.const(0) for _ in names)
        highs = ", ".join(dim.ssa for dim in buffer.dims)
        steps = ", ".join(self.const(1) for _ in names)
        rank = len(names)
        self.write(
            f'"scf.parallel"({lows}, {highs}, {steps}) '
            f"<{{operandSegmentSizes = array<i32: {rank}, {rank}, {rank}, 0>}}> ({{"
        )
        self.write(f"^bb0({', '.join(f'%{name}: index' for name in names)}):")
        with self.scope():
            for n, (name, dim) in enumerate(zip(names, buffer.dims, strict=True)):
                self.depth += n
                self.write(None, f"for {name} in range({dim.size}):")
                self.depth -= n
                self.foreign.add(name)
                self.variables.append(Variable(name, 0, dim.size - 1))
            self.depth += rank - 1
            value = self.value(2, buffer.root)
            self.store(value, buffer, [Index("d0", [name], name) for name in names])
            self.depth -= rank - 1
            self.write('"scf.reduce"() : () -> ()')
        self.write(f"}}) : ({', '.join(['index'] * rank * 3)}) -> ()")


COMPARISONS = (("<", "slt"), ("<=", "sle"), (">", "sgt"), (">=", "sge"), ("==", "eq"), ("!=", "ne"))


def _signed(word: str) -> str:
    """The predicate of integers for one of floats."""
    return {"oeq": "eq", "one": "ne"}.get(word, f"s{word[1:]}")


def _affine_end(text: str, value: str) -> str:
    """A bound of ``affine.for``: a number, or a value by a map."""
    if text.lstrip("-").isdigit():
        return text
    return f"affine_map<(d0) -> (d0)>({value})"


@dataclass(frozen=True)
class Loops:
    """A program: its text, its arguments, and those after the call."""

    text: str
    python: str
    given: list[Any]
    expected: dict[int, np.ndarray]


def draw_loops(random: Random, keep: int | None, *, strict: bool = False) -> Loops:
    """A program of loops, of its first ``keep`` statements. Raises Unsuitable for none.

    A ``strict`` one is valid for mlir-opt.
    """
    writer = LoopWriter(random, strict=strict)
    writer.declare()
    writer.ask_sizes()
    ends: list[tuple[int, int]] = []
    if writer.chance(0.15):
        writer.declare_global()
    for _ in range(random.choice((1, 2, 2, 3))):
        if writer.branches and writer.chance(0.6):
            writer.blocks()
        else:
            writer.statement(3)
        ends.append((len(writer.mlir), len(writer.python)))
    program = _finished(writer)
    if keep is None or keep >= len(ends):
        return program
    count, python_count = ends[keep - 1]
    del writer.mlir[count:], writer.python[python_count:]
    return _finished(writer)


def _finished(writer: LoopWriter) -> Loops:
    heads = [
        f"  %{name} = arith.constant {number} : index" for number, name in writer.constants.items()
    ]
    arguments = ", ".join(f"%{name}: {type_}" for name, type_, _ in writer.arguments)
    head = f"func.func @main({arguments}) {{"
    lines = [*writer.globals, head, *heads, *writer.mlir, "  return", "}"]
    work = Work()
    given = [value for _, _, value in writer.arguments]
    known: dict[str, Any] = {"np": np, "work": work, "kept": kept, "T": np.dtype(writer.dtype).type}
    memories: dict[int, Memory] = {}
    for n, (name, _, value) in enumerate(writer.arguments):
        if isinstance(value, np.ndarray):
            memories[n] = Memory(value.copy(), np.ones(value.shape, bool), work)
        known[name] = memories.get(n, value)
    python = "\n".join(writer.python)
    with np.errstate(all="ignore"):
        exec(compile(python, "program", "exec"), known)
    if work.stores == 0:
        raise Unsuitable
    expected = {n: memory.array for n, memory in memories.items()}
    return Loops("\n".join(lines), python, given, expected)
