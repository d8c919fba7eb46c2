"""Random ops of linalg and tensor, whose results numpy computes as they are written.

Tensors are read again after they were updated elsewhere, by their own names and by casts of them;
sizes are 0, 1, and known at the call alone; slices drop dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from raised_loops import ELEMENTS, FUNCTIONS, LARGEST, Dim, Loops, operation
from worlds import Unsuitable

MAX_ELEMENTS = 300
"""Elements of a tensor."""


@dataclass(frozen=True)
class Value:
    """A tensor of the program, and what is in it."""

    name: str
    dims: tuple[Dim, ...]
    array: np.ndarray

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dims)


@dataclass
class TensorWriter:
    """Writes a program."""

    random: Random
    mlir: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    arguments: list[Value] = field(default_factory=list)
    constants: dict[int, str] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        self.numbers = np.random.default_rng(self.random.randrange(2**32))
        self.dtype = self.random.choice(list(ELEMENTS))
        self.element = ELEMENTS[self.dtype]
        self.dynamic = self.random.choice((0.0, 0.0, 0.3, 0.7))
        """The number of sizes that are known only at the call."""
        self.empty_sizes = self.chance(0.1)

    # Text ------------------------------------------------------------------------------------

    def chance(self, share: float) -> bool:
        """True in ``share`` of the programs."""
        return self.random.random() < share

    def fresh(self, name: str) -> str:
        """A name that nothing has."""
        self.count += 1
        return f"{name}{self.count}"

    def write(self, line: str) -> None:
        """A line of the text."""
        self.mlir.append(f"  {line}")

    def const(self, number: int) -> str:
        """A constant of type index."""
        self.constants[number] = f"c{number}" if number >= 0 else f"m{-number}"
        return f"%{self.constants[number]}"

    def type(self, dims: Sequence[Dim]) -> str:
        """The type of a tensor."""
        return f"tensor<{''.join(f'{dim.text}x' for dim in dims)}{self.element}>"

    def known(self, size: int) -> Dim:
        """A size that is a constant; now and then the type does not tell."""
        return Dim(size, "?" if self.chance(self.dynamic / 3) else str(size), self.const(size))

    def scalar(self) -> tuple[str, Any]:
        """A constant element."""
        number, name = self.random.randint(-2, 3), self.fresh("k")
        text = f"{number}.0" if self.dtype.startswith("float") else str(number)
        self.write(f"%{name} = arith.constant {text} : {self.element}")
        return name, np.dtype(self.dtype).type(number)

    def add(self, name: str, dims: Sequence[Dim], array: np.ndarray) -> Value:
        """A result. Raises Unsuitable for one that is too large."""
        limit = LARGEST.get(self.dtype)
        if array.size > MAX_ELEMENTS:
            raise Unsuitable
        if limit is not None and array.size and np.abs(array).max() > limit:
            raise Unsuitable
        shape = tuple(dim.size for dim in dims)
        assert array.shape == shape
        assert array.dtype == self.dtype
        value = Value(name, tuple(dims), array)
        self.values.append(value)
        return value

    # Values ----------------------------------------------------------------------------------

    def declare(self) -> None:
        """The arguments."""
        for n in range(self.random.randint(1, 3)):
            name = "ABC"[n]
            dims: list[Dim] = []
            for axis in range(self.random.choice((1, 2, 2, 2, 3))):
                size = self.random.choice((0, 1, 2) if self.empty_sizes else (1, 2, 3, 4, 5))
                dim = Dim(size, str(size), self.const(size))
                if self.chance(self.dynamic):
                    dim = Dim(size, "?", f"%{name.lower()}_{axis}")
                dims.append(dim)
            shape = tuple(dim.size for dim in dims)
            array = self.numbers.integers(-3, 3, shape, endpoint=True).astype(self.dtype)
            self.arguments.append(self.add(name, dims, array))
        for value in self.arguments:
            for axis, dim in enumerate(value.dims):
                if dim.text == "?":
                    at = self.const(axis)
                    text = f"tensor.dim %{value.name}, {at} : {self.type(value.dims)}"
                    self.write(f"{dim.ssa} = {text}")

    def pick(self, suits: Callable[[Value], bool] = lambda _: True) -> Value:
        """A tensor, more often a new one. Raises Unsuitable where none suits."""
        choices = [value for value in self.values if suits(value)]
        if not choices:
            raise Unsuitable
        return self.random.choice(choices[-3:] if self.chance(0.7) else choices)

    def empty(self, dims: Sequence[Dim]) -> str:
        """``tensor.empty``."""
        name = self.fresh("e")
        sizes = ", ".join(dim.ssa for dim in dims if dim.text == "?")
        self.write(f"%{name} = tensor.empty({sizes}) : {self.type(dims)}")
        return name

    def start(self, dims: Sequence[Dim]) -> tuple[str, Sequence[Dim], np.ndarray]:
        """The start of a reduction: a fill, or an existing tensor."""
        shape = tuple(dim.size for dim in dims)
        same = [value for value in self.values if value.array.shape == shape]
        if same and self.chance(0.5):
            value = self.random.choice(same)
            return value.name, value.dims, value.array
        empty, name = self.empty(dims), self.fresh("f")
        scalar, number = self.scalar()
        type_ = self.type(dims)
        self.write(
            f"%{name} = linalg.fill ins(%{scalar} : {self.element}) outs(%{empty} : {type_}) "
            f"-> {type_}"
        )
        value = self.add(name, dims, np.full(shape, number))
        return name, dims, value.array

    # Ops -------------------------------------------------------------------------------------

    def fill(self) -> None:
        """``linalg.fill``."""
        self.start([self.known(self.random.choice((1, 2, 3))) for _ in range(2)])

    def elementwise(self) -> None:
        """An op of arith on tensors of one type."""
        x = self.pick()
        y = self.pick(lambda value: self.type(value.dims) == self.type(x.dims) and _fits(x, value))
        kind, name = self.random.choice(("add", "sub", "max", "min", "mul")), self.fresh("t")
        self.write(
            f"%{name} = {operation(kind, self.dtype)} %{x.name}, %{y.name} : {self.type(x.dims)}"
        )
        self.add(name, x.dims, FUNCTIONS[kind](x.array, y.array))

    def generic(self) -> None:
        """``linalg.generic``: operands by permutations and projections, updates and reductions."""
        x = self.pick(lambda value: value.rank > 0)
        order = self.random.sample(range(x.rank), x.rank)
        loops: list[Dim] = [x.dims[order.index(n)] for n in range(x.rank)]
        inputs = [(x, order)]
        if self.chance(0.5):
            y = self.pick()
            places: list[int] = []
            for dim in y.dims:
                free = [n for n, loop in enumerate(loops) if loop.size == dim.size]
                if not free:
                    raise Unsuitable
                places.append(self.random.choice(free))
            inputs.append((y, places))
        kept = [n for n in range(x.rank) if self.chance(0.7)]
        self.random.shuffle(kept)
        reduced = len(kept) < x.rank
        dims = [loops[n] for n in kept]
        updates = reduced or self.chance(0.4)
        start, start_dims, before = (
            self.start(dims)
            if updates
            else (self.empty(dims), dims, np.zeros([dim.size for dim in dims], self.dtype))
        )
        kind = self.random.choice(("add", "max", "min") if reduced else tuple(FUNCTIONS))
        inner = self.random.choice(("add", "sub", "max"))
        index = self.random.randrange(x.rank) if self.chance(0.2) else None
        result = np.array(before)  # numpy makes a number of an array without dimensions
        shape = [dim.size for dim in loops]
        for at in np.ndindex(*shape):
            first, *rest = (value.array[tuple(at[n] for n in place)] for value, place in inputs)
            term = FUNCTIONS[inner](first, rest[0]) if rest else first
            if index is not None:
                term = np.add(term, np.dtype(self.dtype).type(at[index]))
            place = tuple(at[n] for n in kept)
            result[place] = FUNCTIONS[kind](result[place], term) if updates else term
        maps = [_map(x.rank, places) for _, places in inputs] + [_map(x.rank, kept)]
        kinds = ", ".join('"parallel"' if n in kept else '"reduction"' for n in range(x.rank))
        name = self.fresh("t")
        ins = _operands([(value.name, self.type(value.dims)) for value, _ in inputs])
        type_ = self.type(start_dims)
        self.write(
            f"%{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{kinds}]}} ins({ins}) outs(%{start} : {type_}) {{"
        )
        args = [self.fresh("a") for _ in inputs] + [self.fresh("o")]
        self.write(f"^bb0({', '.join(f'%{arg}: {self.element}' for arg in args)}):")
        self._generic_body(args, kind if updates else "", inner, index)
        self.write(f"}} -> {type_}")
        self.add(name, start_dims, result)

    def _generic_body(self, args: Sequence[str], kind: str, inner: str, index: int | None) -> None:
        term = args[0]
        if len(args) == 3:
            term = self._op(inner, args[0], args[1])
        if index is not None:
            at, whole = self.fresh("i"), self.fresh("w")
            bits = "i32" if self.dtype.startswith("float") else self.element
            self.write(f"  %{at} = linalg.index {index} : index")
            self.write(f"  %{whole} = arith.index_cast %{at} : index to {bits}")
            if self.dtype.startswith("float"):
                at, whole = whole, self.fresh("w")
                self.write(f"  %{whole} = arith.sitofp %{at} : i32 to {self.element}")
            term = self._op("add", term, whole)
        if kind:
            term = self._op(kind, args[-1], term)
        self.write(f"  linalg.yield %{term} : {self.element}")

    def _op(self, kind: str, a: str, b: str) -> str:
        name = self.fresh("s")
        self.write(f"  %{name} = {operation(kind, self.dtype)} %{a}, %{b} : {self.element}")
        return name

    def matmul(self) -> None:
        """``linalg.matmul``."""
        x = self.pick(lambda value: value.rank == 2)
        y = self.pick(lambda value: value.rank == 2 and value.dims[0].size == x.dims[1].size)
        start, dims, before = self.start([x.dims[0], y.dims[1]])
        name, type_ = self.fresh("t"), self.type(dims)
        ins = _operands([(value.name, self.type(value.dims)) for value in (x, y)])
        self.write(f"%{name} = linalg.matmul ins({ins}) outs(%{start} : {type_}) -> {type_}")
        self.add(name, dims, before + x.array @ y.array)

    def transpose(self) -> None:
        """``linalg.transpose``."""
        x = self.pick(lambda value: value.rank > 1)
        order = self.random.sample(range(x.rank), x.rank)
        dims = [x.dims[n] for n in order]
        empty, name = self.empty(dims), self.fresh("t")
        self.write(
            f"%{name} = linalg.transpose ins(%{x.name} : {self.type(x.dims)}) "
            f"outs(%{empty} : {self.type(dims)}) permutation = {order}"
        )
        self.add(name, dims, x.array.transpose(order))

    def reduce(self) -> None:
        """``linalg.reduce``."""
        x = self.pick(lambda value: value.rank > 0)
        gone = sorted(self.random.sample(range(x.rank), self.random.randint(1, x.rank)))
        start, dims, before = self.start([dim for n, dim in enumerate(x.dims) if n not in gone])
        kind, name = self.random.choice(("add", "max", "min")), self.fresh("t")
        self.write(
            f"%{name} = linalg.reduce {{ {operation(kind, self.dtype)} }} "
            f"ins(%{x.name} : {self.type(x.dims)}) outs(%{start} : {self.type(dims)}) "
            f"dimensions = {gone}"
        )
        result = np.array(before)
        for at in np.ndindex(*x.array.shape):
            place = tuple(n for axis, n in enumerate(at) if axis not in gone)
            result[place] = FUNCTIONS[kind](result[place], x.array[at])
        self.add(name, dims, result)

    def broadcast(self) -> None:
        """``linalg.broadcast``."""
        x = self.pick(lambda value: value.rank < 3)
        at = self.random.randint(0, x.rank)
        dims = list(x.dims)
        dims.insert(at, self.known(self.random.choice((1, 2, 3))))
        empty, name = self.empty(dims), self.fresh("t")
        self.write(
            f"%{name} = linalg.broadcast ins(%{x.name} : {self.type(x.dims)}) "
            f"outs(%{empty} : {self.type(dims)}) dimensions = [{at}]"
        )
        shape = [dim.size for dim in dims]
        self.add(name, dims, np.broadcast_to(np.expand_dims(x.array, at), shape).copy())

    def _part(self, whole: Value) -> tuple[list[str], tuple[slice, ...], list[Dim]]:
        """Offsets, sizes and strides of a slice as text, for numpy, and its dimensions."""
        offsets: list[str] = []
        sizes: list[str] = []
        strides: list[str] = []
        at: list[slice] = []
        dims: list[Dim] = []
        for dim in whole.dims:
            stride = self.random.choice((1, 1, 1, 2))
            offset = self.random.randint(0, max(dim.size - 1, 0))
            most = max(0, -(-(dim.size - offset) // stride))
            size = self.random.randint(min(1, most), most) if self.chance(0.9) else 0
            if self.chance(0.3):
                size = min(1, most)
            part = self.known(size)
            offsets.append(self.const(offset) if self.chance(self.dynamic) else str(offset))
            sizes.append(part.ssa if part.text == "?" else part.text)
            strides.append(str(stride))
            at.append(slice(offset, offset + size * stride, stride))
            dims.append(part)
        texts = [f"[{', '.join(texts)}]" for texts in (offsets, sizes, strides)]
        return texts, tuple(at), dims

    def extract_slice(self) -> None:
        """``tensor.extract_slice``, which may drop dimensions."""
        x = self.pick(lambda value: value.rank > 0)
        texts, at, dims = self._part(x)
        left = self._dropped(dims)
        name = self.fresh("t")
        self.write(
            f"%{name} = tensor.extract_slice %{x.name}{' '.join(texts)} : "
            f"{self.type(x.dims)} to {self.type(left)}"
        )
        self.add(name, left, x.array[at].reshape([dim.size for dim in left]).copy())

    def _dropped(self, dims: Sequence[Dim]) -> list[Dim]:
        return [dim for dim in dims if dim.text != "1" or self.chance(0.5)]

    def insert_slice(self) -> None:
        """``tensor.insert_slice`` of a part of another tensor."""
        x = self.pick(lambda value: value.rank > 0)
        texts, at, dims = self._part(x)
        left = self._dropped(dims)
        shape = [dim.size for dim in left]
        y = (
            self.pick(
                lambda value: (
                    list(value.array.shape) == shape
                    and [d.text for d in value.dims] == [d.text for d in left]
                )
            )
            if self.chance(0.4)
            else self._source(left)
        )
        name = self.fresh("t")
        self.write(
            f"%{name} = tensor.insert_slice %{y.name} into %{x.name}{' '.join(texts)} : "
            f"{self.type(y.dims)} into {self.type(x.dims)}"
        )
        result = x.array.copy()
        result[at] = y.array.reshape([dim.size for dim in dims])
        self.add(name, x.dims, result)

    def _source(self, dims: Sequence[Dim]) -> Value:
        """A tensor of given sizes: computed of its indices."""
        name = self.fresh("g")
        sizes = ", ".join(dim.ssa for dim in dims if dim.text == "?")
        args = [self.fresh("i") for _ in dims]
        heads = ", ".join(f"%{arg}: index" for arg in args)
        self.write(f"%{name} = tensor.generate {sizes} {{")
        self.write(f"^bb0({heads}):")
        scalar, number = self.scalar()
        array = np.full([dim.size for dim in dims], number)
        total = scalar
        for axis, arg in enumerate(args):
            whole, value = self.fresh("w"), self.fresh("w")
            bits = "i32" if self.dtype.startswith("float") else self.element
            self.write(f"  %{whole} = arith.index_cast %{arg} : index to {bits}")
            if self.dtype.startswith("float"):
                self.write(f"  %{value} = arith.sitofp %{whole} : i32 to {self.element}")
                whole = value
            total = self._op("add", total, whole)
            shape = [1] * len(dims)
            shape[axis] = dims[axis].size
            array = array + np.arange(dims[axis].size).reshape(shape).astype(self.dtype)
        self.write(f"  tensor.yield %{total} : {self.element}")
        self.write(f"}} : {self.type(dims)}")
        return self.add(name, dims, array)

    def generate(self) -> None:
        """``tensor.generate``."""
        rank = self.random.choice((1, 2))
        self._source([self.known(self.random.choice((1, 2, 3))) for _ in range(rank)])

    def pad(self) -> None:
        """``tensor.pad``."""
        x = self.pick(lambda value: value.rank > 0)
        name = self.fresh("t")
        lows, highs = ([self.random.choice((0, 0, 1, 2)) for _ in x.dims] for _ in range(2))
        texts: list[str] = []
        dynamic = self.chance(self.dynamic)
        for numbers in (lows, highs):
            words = [self.const(n) if dynamic else str(n) for n in numbers]
            texts.append(f"[{', '.join(words)}]")
        dims: list[Dim] = []
        for dim, low, high in zip(x.dims, lows, highs, strict=True):
            size = dim.size + low + high
            text = "?" if dim.text == "?" or dynamic else str(size)
            dims.append(Dim(size, text, self.const(size)))
        scalar, number = self.scalar()
        args = ", ".join(f"%{self.fresh('i')}: index" for _ in dims)
        self.write(f"%{name} = tensor.pad %{x.name} low{texts[0]} high{texts[1]} {{")
        self.write(f"^bb0({args}):")
        self.write(f"  tensor.yield %{scalar} : {self.element}")
        self.write(f"}} : {self.type(x.dims)} to {self.type(dims)}")
        widths = list(zip(lows, highs, strict=True))
        self.add(name, dims, np.pad(x.array, widths, constant_values=number))

    def concat(self) -> None:
        """``tensor.concat``."""
        x = self.pick(lambda value: value.rank > 0)
        axis = self.random.randrange(x.rank)
        y = self.pick(lambda value: _agree(x, value, axis))
        size = x.dims[axis].size + y.dims[axis].size
        dynamic = "?" in (x.dims[axis].text, y.dims[axis].text)
        dims = list(x.dims)
        for n, (mine, dim) in enumerate(zip(x.dims, y.dims, strict=True)):
            if n != axis and mine.text == "?":
                dims[n] = dim
        dims[axis] = Dim(size, "?" if dynamic else str(size), self.const(size))
        name = self.fresh("t")
        types = f"({self.type(x.dims)}, {self.type(y.dims)}) -> {self.type(dims)}"
        self.write(f"%{name} = tensor.concat dim({axis}) %{x.name}, %{y.name} : {types}")
        self.add(name, dims, np.concatenate([x.array, y.array], axis))

    def reshape(self) -> None:
        """``tensor.collapse_shape`` of two dimensions, and ``tensor.expand_shape`` of one."""
        x = self.pick(lambda value: value.rank > 0)
        name, at = self.fresh("t"), self.random.randrange(x.rank)
        if x.rank > 1 and self.chance(0.6):
            at = self.random.randrange(x.rank - 1)
            groups = [[n] for n in range(at)] + [[at, at + 1]]
            groups += [[n] for n in range(at + 2, x.rank)]
            size = x.dims[at].size * x.dims[at + 1].size
            dynamic = "?" in (x.dims[at].text, x.dims[at + 1].text)
            flat = Dim(size, "?" if dynamic else str(size), self.const(size))
            dims = [*x.dims[:at], flat, *x.dims[at + 2 :]]
            word = f"collapse_shape %{x.name} {groups} : "
        else:
            size = x.dims[at].size
            factor = self.random.choice([n for n in range(1, 6) if size % n == 0])
            whole = size // factor
            dynamic = x.dims[at].text == "?"
            parts = [
                Dim(whole, "?" if dynamic else str(whole), self.const(whole)),
                Dim(factor, str(factor), self.const(factor)),
            ]
            groups = [[n] for n in range(at)] + [[at, at + 1]]
            groups += [[n + 1] for n in range(at + 1, x.rank)]
            dims = [*x.dims[:at], *parts, *x.dims[at + 1 :]]
            shape = ", ".join(dim.ssa if dim.text == "?" else dim.text for dim in dims)
            word = f"expand_shape %{x.name} {groups} output_shape [{shape}] : "
        self.write(f"%{name} = tensor.{word}{self.type(x.dims)} into {self.type(dims)}")
        self.add(name, dims, x.array.reshape([dim.size for dim in dims]))

    def cast(self) -> None:
        """``tensor.cast``: another name, whose type says more or less."""
        x, name = self.pick(lambda value: value.rank > 0), self.fresh("t")
        dims = [
            Dim(dim.size, "?", dim.ssa if dim.text == "?" else self.const(dim.size))
            if self.chance(0.5)
            else dim
            if dim.text != "?" or self.chance(0.7)
            else Dim(dim.size, str(dim.size), self.const(dim.size))
            for dim in x.dims
        ]
        self.write(f"%{name} = tensor.cast %{x.name} : {self.type(x.dims)} to {self.type(dims)}")
        self.add(name, dims, x.array)

    def element_update(self) -> None:
        """``tensor.extract`` of one, and ``tensor.insert`` into another."""
        x, y = (
            self.pick(lambda value: value.array.size > 0),
            self.pick(lambda value: value.array.size > 0),
        )
        places = [
            tuple(self.random.randrange(size) for size in value.array.shape) for value in (x, y)
        ]
        words = [", ".join(self.const(n) for n in place) for place in places]
        value, name = self.fresh("s"), self.fresh("t")
        self.write(f"%{value} = tensor.extract %{x.name}[{words[0]}] : {self.type(x.dims)}")
        self.write(
            f"%{name} = tensor.insert %{value} into %{y.name}[{words[1]}] : {self.type(y.dims)}"
        )
        result = np.array(y.array)  # numpy makes a number of what has no dimensions
        result[places[1]] = x.array[places[0]]
        self.add(name, y.dims, result)

    def dense(self) -> None:
        """``arith.constant dense<...>``."""
        shape = [self.random.choice((1, 2, 3)) for _ in range(self.random.choice((1, 2)))]
        array = self.numbers.integers(-3, 3, shape, endpoint=True).astype(self.dtype)
        name, dims = self.fresh("t"), [Dim(size, str(size), self.const(size)) for size in shape]
        text = str(array.tolist())
        self.write(f"%{name} = arith.constant dense<{text}> : {self.type(dims)}")
        self.add(name, dims, array)

    def sparse(self) -> None:
        """``arith.constant sparse<...>``: a few elements, and zeros."""
        shape = [self.random.choice((1, 2, 3)) for _ in range(self.random.choice((1, 2)))]
        array = np.zeros(shape, self.dtype)
        places = self.random.sample(list(np.ndindex(*shape)), self.random.randint(0, array.size))
        for place in places:
            array[place] = self.random.randint(-3, 3)
        name, dims = self.fresh("t"), [Dim(size, str(size), self.const(size)) for size in shape]
        values = [array[place].item() for place in places]
        text = f"{[list(place) for place in places]}, {values}" if places else ""
        self.write(f"%{name} = arith.constant sparse<{text}> : {self.type(dims)}")
        self.add(name, dims, array)

    def _places(self, whole: Value, *, unique: bool) -> tuple[str, str, np.ndarray, list[int]]:
        """Constant indices of some dimensions: name, type, the numbers, and the dimensions."""
        axes = sorted(self.random.sample(range(whole.rank), self.random.randint(1, whole.rank)))
        choices = list(np.ndindex(*(whole.dims[axis].size for axis in axes)))
        if not choices:
            raise Unsuitable
        count = self.random.randint(1, min(3, len(choices)))
        drawn = self.random.sample if unique else lambda among, k: self.random.choices(among, k=k)
        numbers = np.array(drawn(choices, count)).reshape(count, len(axes))
        if self.chance(0.3):
            numbers = numbers[:, None, :]
        name = self.fresh("k")
        type_ = f"tensor<{'x'.join(map(str, numbers.shape))}xindex>"
        self.write(f"%{name} = arith.constant dense<{numbers.tolist()}> : {type_}")
        return name, type_, numbers, axes

    def _slices(
        self, whole: Value, numbers: np.ndarray, axes: Sequence[int]
    ) -> tuple[list[Dim], list[tuple[int | slice, ...]]]:
        """The dimensions of the slices at some places, and where in the tensor each is."""
        kept = self.chance(0.5)
        unit = Dim(1, "1", self.const(1))
        inner = [
            unit if axis in axes else dim
            for axis, dim in enumerate(whole.dims)
            if kept or axis not in axes
        ]
        outer = [Dim(size, str(size), self.const(size)) for size in numbers.shape[:-1]]
        parts: list[tuple[int | slice, ...]] = []
        for place in numbers.reshape(-1, len(axes)):
            at: list[int | slice] = [slice(None)] * whole.rank
            for axis, n in zip(axes, place, strict=True):
                at[axis] = int(n)
            parts.append(tuple(at))
        return [*outer, *inner], parts

    def gather(self) -> None:
        """``tensor.gather``."""
        x = self.pick(lambda value: value.rank > 0 and value.array.size > 0)
        indices, type_, numbers, axes = self._places(x, unique=False)
        dims, parts = self._slices(x, numbers, axes)
        name = self.fresh("t")
        self.write(
            f"%{name} = tensor.gather %{x.name}[%{indices}] gather_dims({axes}) : "
            f"({self.type(x.dims)}, {type_}) -> {self.type(dims)}"
        )
        result = np.stack([x.array[part] for part in parts])
        self.add(name, dims, result.reshape([dim.size for dim in dims]))

    def scatter(self) -> None:
        """``tensor.scatter`` of a computed tensor."""
        x = self.pick(lambda value: value.rank > 0 and value.array.size > 0)
        indices, type_, numbers, axes = self._places(x, unique=True)
        dims, parts = self._slices(x, numbers, axes)
        y, name = self._source(dims), self.fresh("t")
        self.write(
            f"%{name} = tensor.scatter %{y.name} into %{x.name}[%{indices}] scatter_dims({axes}) "
            f"unique : ({self.type(dims)}, {self.type(x.dims)}, {type_}) -> {self.type(x.dims)}"
        )
        result = x.array.copy()
        for part, values in zip(parts, y.array.reshape(len(parts), -1), strict=True):
            result[part] = values.reshape(result[part].shape)
        self.add(name, x.dims, result)

    def _constant(self, *shape: int) -> Value:
        """A constant of several dimensions."""
        array = self.numbers.integers(-3, 3, shape, endpoint=True).astype(self.dtype)
        name, dims = self.fresh("t"), [Dim(size, str(size), self.const(size)) for size in shape]
        self.write(f"%{name} = arith.constant dense<{array.tolist()}> : {self.type(dims)}")
        return self.add(name, dims, array)

    def _transform(self, op: str, x: Value, *shape: int) -> tuple[str, list[Dim]]:
        """``linalg.winograd_*`` of windows of 3 x 3, two by two."""
        dims = [Dim(size, str(size), self.const(size)) for size in shape]
        out, name = self.empty(dims), self.fresh("t")
        self.write(
            f"%{name} = linalg.winograd_{op}_transform fmr(F_2_3) ins(%{x.name} : "
            f"{self.type(x.dims)}) outs(%{out} : {self.type(dims)}) -> {self.type(dims)}"
        )
        return name, dims

    def winograd(self) -> None:
        """A convolution by Winograd's transforms, exact in floats of few bits: quarters."""
        if self.dtype not in ("float32", "float64"):
            raise Unsuitable
        batch, channels, filters = (self.random.choice((1, 2)) for _ in range(3))
        rows, columns = self.random.choice(((1, 1), (1, 2), (2, 1)))
        image = self._constant(batch, 2 * rows + 2, 2 * columns + 2, channels)
        kernel = self._constant(filters, 3, 3, channels)
        places = 4, 4, rows, columns, batch
        u, u_dims = self._transform("filter", kernel, 4, 4, channels, filters)
        v, v_dims = self._transform("input", image, *places, channels)
        dims = [*v_dims[:-1], u_dims[-1]]
        zero, start, name = self.fresh("k"), self.fresh("t"), self.fresh("t")
        self.write(f"%{zero} = arith.constant 0.0 : {self.element}")
        out, type_ = self.empty(dims), self.type(dims)
        self.write(
            f"%{start} = linalg.fill ins(%{zero} : {self.element}) outs(%{out} : {type_}) "
            f"-> {type_}"
        )
        maps = ", ".join(
            _map(7, positions)
            for positions in ((0, 1, 2, 3, 4, 6), (0, 1, 6, 5), (0, 1, 2, 3, 4, 5))
        )
        kinds = ", ".join(['"parallel"'] * 6 + ['"reduction"'])
        operands = _operands(((v, self.type(v_dims)), (u, self.type(u_dims))))
        self.write(f"%{name} = linalg.generic {{indexing_maps = [{maps}],")
        self.write(f"  iterator_types = [{kinds}]}} ins({operands}) outs(%{start} : {type_}) {{")
        self.write(f"^bb0(%p: {self.element}, %q: {self.element}, %s: {self.element}):")
        self.write(f"  %m = arith.mulf %p, %q : {self.element}")
        self.write(f"  %r = arith.addf %s, %m : {self.element}")
        self.write(f"  linalg.yield %r : {self.element}")
        self.write(f"}} -> {type_}")
        product = Value(name, tuple(dims), np.zeros([dim.size for dim in dims], self.dtype))
        shape = batch, 2 * rows, 2 * columns, filters
        result, result_dims = self._transform("output", product, *shape)
        windows = np.lib.stride_tricks.sliding_window_view(image.array, (3, 3), axis=(1, 2))
        self.add(result, result_dims, np.einsum("nyxcij,fijc->nyxf", windows, kernel.array))

    def step(self) -> None:
        """One op, or several, that end in a new tensor."""
        ops = (
            *(self.generic,) * 4,
            *(self.insert_slice, self.extract_slice, self.elementwise, self.reduce) * 2,
            *(self.matmul, self.transpose, self.broadcast, self.pad, self.concat, self.reshape),
            *(self.cast, self.cast, self.element_update, self.dense, self.fill, self.generate),
            *(self.sparse, self.gather, self.scatter, self.winograd),
        )
        self.random.choice(ops)()


def _map(rank: int, places: Sequence[int]) -> str:
    dims = ", ".join(f"d{n}" for n in range(rank))
    return f"affine_map<({dims}) -> ({', '.join(f'd{n}' for n in places)})>"


def _operands(pairs: Sequence[tuple[str, str]]) -> str:
    names, types = zip(*pairs, strict=True)
    return f"{', '.join(f'%{name}' for name in names)} : {', '.join(types)}"


def _fits(x: Value, y: Value) -> bool:
    return x.array.shape == y.array.shape


def _agree(x: Value, y: Value, axis: int) -> bool:
    """True if two tensors can be joined along an axis."""
    shapes = [list(value.array.shape) for value in (x, y)]
    if len(shapes[0]) != len(shapes[1]):
        return False
    for shape in shapes:
        shape[axis] = 0
    return shapes[0] == shapes[1]


def draw_tensors(random: Random, keep: int | None) -> Loops:
    """A program of ``keep`` steps at most. Raises Unsuitable for one that is none."""
    writer = TensorWriter(random)
    writer.declare()
    ends: list[tuple[int, int]] = []
    wanted = random.randint(1, 7)
    for _ in range(4 * wanted):
        before = len(writer.mlir), len(writer.values)
        try:
            writer.step()
            if len(writer.values) == before[1]:
                raise Unsuitable
        except Unsuitable:
            del writer.mlir[before[0] :], writer.values[before[1] :]
            continue
        ends.append((len(writer.mlir), len(writer.values)))
        if len(ends) == wanted:
            break
    if not ends:
        raise Unsuitable
    also = random.random()
    lines, values = ends[-1 if keep is None else min(keep, len(ends)) - 1]
    results = writer.values[len(writer.arguments) : values][-1:]
    if also < 0.3 and values - len(writer.arguments) > 1:
        between = writer.values[len(writer.arguments) : values - 1]
        results.append(between[math.floor(also / 0.3 * len(between))])
    types = ", ".join(writer.type(value.dims) for value in results)
    arguments = ", ".join(f"%{value.name}: {writer.type(value.dims)}" for value in writer.arguments)
    text = "\n".join(
        [
            f"func.func @main({arguments}) -> ({types}) {{",
            *(f"  %{name} = arith.constant {n} : index" for n, name in writer.constants.items()),
            *writer.mlir[:lines],
            f"  return {', '.join(f'%{value.name}' for value in results)} : {types}",
            "}",
        ]
    )
    given: list[Any] = [value.array for value in writer.arguments]
    expected: dict[int, np.ndarray] = {}
    for value in results:
        garbage = np.empty_like(value.array)
        garbage.reshape(-1).view(np.uint8)[:] = 0x5A
        expected[len(given)] = value.array
        given.append(garbage)
    return Loops(text, "", given, expected)
