"""Random control flow of tensors: loops that carry them, branches and functions that give them.

A program is written twice, side by side: as text of MLIR, and of Python over numpy. Tensors are
carried through ``scf.for``, ``affine.for``, ``scf.while``, ``scf.forall``, ``tosa.while_loop``,
come out of ``scf.if``, ``scf.index_switch``, ``scf.execute_region``, ``tosa.cond_if``, calls, and
are packed in tiles whose sizes the call gives. Loops hand them on in another order, unchanged, or
after something else has been computed of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from raised_loops import ELEMENTS, FUNCTIONS, LARGEST, Dim, Loops, operation
from worlds import Unsuitable

MOST_ELEMENTS = 5000
"""Elements that a program computes: they are computed one by one."""


@dataclass(frozen=True)
class Tensor:
    """A tensor of the program."""

    name: str
    dims: tuple[Dim, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    @property
    def is_empty(self) -> bool:
        """True if the tensor has no element."""
        return any(dim.size == 0 for dim in self.dims)


@dataclass
class Scope:
    """The names in scope at a place of the program."""

    tensors: list[Tensor]
    scalars: list[str]
    indices: list[str]
    """Values of type index that are not negative."""

    def copy(self) -> Scope:
        """The same, to which more is added."""
        return Scope(list(self.tensors), list(self.scalars), list(self.indices))


class ControlWriter:
    """Writes a program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = np.random.default_rng(random.randrange(2**32))
        self.dtype = random.choice(list(ELEMENTS))
        self.element = ELEMENTS[self.dtype]
        self.is_float = self.dtype.startswith("float")
        self.dynamic = random.choice((0.0, 0.0, 0.3, 0.7))
        """The number of sizes that are known only at the call."""
        self.packs = self.chance(0.15)
        self.mlir: list[str] = []
        self.python: list[str] = []
        self.functions: list[str] = []
        self.constants: dict[int, str] = {}
        self.scope = Scope([], [], [])
        self.given: list[tuple[str, str, Any]] = []
        """Name, type and value of each argument."""
        self.depth = 0
        self.count = 0
        self.own = random.randrange(10**9)
        """Of the names of functions, which those of no other program are."""

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
        if mlir is not None:
            self.mlir.append("  " * (self.depth + 1) + mlir)
        if python is not None:
            self.python.append("  " * self.depth + python)

    @contextmanager
    def region(self) -> Iterator[None]:
        """Forget the definitions of the body when it ends."""
        outside, self.scope = self.scope, self.scope.copy()
        self.depth += 1
        self.write(None, "pass")
        yield
        self.depth -= 1
        self.scope = outside

    def const(self, number: int) -> str:
        """A constant of type index."""
        self.constants[number] = f"c{number}"
        return f"%c{number}"

    def type(self, dims: Sequence[Dim]) -> str:
        """The type of a tensor."""
        return f"tensor<{''.join(f'{dim.text}x' for dim in dims)}{self.element}>"

    def types(self, tensors: Sequence[Tensor]) -> str:
        """Types, with commas between them."""
        return ", ".join(self.type(tensor.dims) for tensor in tensors)

    def result(self, dims: Sequence[Dim], mlir: str, python: str) -> Tensor:
        """A new tensor, by an op and by an expression of numpy."""
        tensor = Tensor(self.fresh("t"), tuple(dims))
        self.write(f"%{tensor.name} = {mlir}", f"{tensor.name} = kept({python})")
        self.scope.tensors.append(tensor)
        return tensor

    # Values ----------------------------------------------------------------------------------

    def declare(self) -> None:
        """The arguments."""
        for _ in range(self.random.choice((0, 1, 1, 2))):
            name = self.fresh("n")
            self.given.append((name, "index", self.random.randint(0, 4)))
            self.scope.indices.append(name)
        asked: list[tuple[str, str, int, str]] = []
        for n in range(self.random.randint(1, 3)):
            if n and self.chance(0.5):
                dims = self.random.choice(self.scope.tensors).dims
                if any(dim.text == "?" for dim in dims):
                    continue  # nothing says that it has the same sizes
            else:
                sizes = (0, 1, 2) if self.chance(0.05) else (1, 2, 3, 4)
                shape = [self.random.choice(sizes) for _ in range(self.random.choice((1, 2, 2)))]
                dims = tuple(
                    Dim(size, "?", f"%d{n}_{axis}")
                    if self.chance(self.dynamic)
                    else Dim(size, str(size), self.const(size))
                    for axis, size in enumerate(shape)
                )
            tensor = Tensor("ABC"[n], dims)
            shape = tuple(dim.size for dim in dims)
            array = self.numbers.integers(-3, 3, shape, endpoint=True).astype(self.dtype)
            self.given.append((tensor.name, self.type(dims), array))
            asked += [
                (dim.ssa, tensor.name, axis, self.type(dims))
                for axis, dim in enumerate(dims)
                if dim.text == "?"
            ]
            self.scope.tensors.append(tensor)
        for ssa, name, axis, type_ in asked:
            self.write(f"{ssa} = tensor.dim %{name}, {self.const(axis)} : {type_}")

    def pick(self, *, full: bool = False, least: int = 0) -> Tensor:
        """A tensor; a ``full`` one has elements, and at least so many dimensions."""
        choices = [
            tensor
            for tensor in self.scope.tensors
            if tensor.rank >= least and not (full and tensor.is_empty)
        ]
        if not choices:
            raise Unsuitable
        return self.random.choice(choices[-4:] if self.chance(0.6) else choices)

    def like(self, tensor: Tensor) -> Tensor:
        """A tensor of the same sizes, more often one that was computed last."""
        choices = [known for known in self.scope.tensors if known.dims == tensor.dims]
        return self.random.choice(choices[-2:] if self.chance(0.7) else choices)

    def scalar(self) -> str:
        """An element: a constant, one that is known, or one of a tensor."""
        pick = self.random.random()
        if self.scope.scalars and pick < 0.4:
            return self.random.choice(self.scope.scalars[-3:])
        name = self.fresh("s")
        if pick < 0.7 and any(not tensor.is_empty for tensor in self.scope.tensors):
            x = self.pick(full=True)
            words, places = self.place(x)
            self.write(
                f"%{name} = tensor.extract %{x.name}[{words}] : {self.type(x.dims)}",
                f"{name} = {x.name}[{places}]",
            )
        elif self.scope.indices and pick < 0.85:
            self._of_index(name, self.random.choice(self.scope.indices))
        else:
            number = self.random.randint(-2, 3)
            text = f"{number}.0" if self.is_float else str(number)
            self.write(f"%{name} = arith.constant {text} : {self.element}", f"{name} = T({number})")
        self.scope.scalars.append(name)
        return name

    def _of_index(self, name: str, index: str) -> None:
        whole = self.fresh("w") if self.is_float else name
        bits = "i32" if self.is_float else self.element
        self.write(
            f"%{whole} = arith.index_cast %{index} : index to {bits}", f"{name} = T({index})"
        )
        if self.is_float:
            self.write(f"%{name} = arith.sitofp %{whole} : i32 to {self.element}")

    def place(self, tensor: Tensor) -> tuple[str, str]:
        """The place of an element of a tensor that has some, in both texts."""
        words, places = zip(*(self.below(dim.ssa, dim.size) for dim in tensor.dims), strict=True)
        return ", ".join(words), f"{', '.join(places)},"

    def below(self, ssa: str, size: int) -> tuple[str, str]:
        """An index that is smaller than a size, in both texts."""
        if not self.scope.indices or self.chance(0.3):
            number = self.random.randrange(size)
            return self.const(number), str(number)
        index, name = self.random.choice(self.scope.indices), self.fresh("x")
        self.write(f"%{name} = arith.remui %{index}, {ssa} : index", f"{name} = {index} % {size}")
        return f"%{name}", name

    def condition(self) -> str:
        """A condition of indices or of data."""
        name = self.fresh("q")
        if self.scope.indices and self.chance(0.6):
            a, number = self.random.choice(self.scope.indices), self.random.randint(0, 3)
            sign, word = self.random.choice((("<", "ult"), ("==", "eq"), (">=", "uge")))
            self.write(
                f"%{name} = arith.cmpi {word}, %{a}, {self.const(number)} : index",
                f"{name} = {a} {sign} {number}",
            )
            return name
        a, b = self.scalar(), self.scalar()
        op = "cmpf ogt" if self.is_float else "cmpi sgt"
        self.write(f"%{name} = arith.{op}, %{a}, %{b} : {self.element}", f"{name} = {a} > {b}")
        return name

    def end(self) -> tuple[str, str]:
        """The end of a loop, in both texts."""
        if self.scope.indices and self.chance(0.4):
            name = self.random.choice(self.scope.indices)
            return f"%{name}", name
        if self.chance(0.3):
            dim = self.random.choice([dim for tensor in self.scope.tensors for dim in tensor.dims])
            return dim.ssa, str(dim.size)
        number = self.random.randint(0, 4)
        return self.const(number), str(number)

    # Ops on tensors --------------------------------------------------------------------------

    def elementwise(self) -> None:
        """An op of arith on two tensors."""
        x = self.pick()
        y = self.like(x)
        kind = self.random.choice(("add", "sub", "max", "min"))
        self.result(
            x.dims,
            f"{operation(kind, self.dtype)} %{x.name}, %{y.name} : {self.type(x.dims)}",
            f"np.{FUNCTIONS[kind].__name__}({x.name}, {y.name})",
        )

    def empty(self, dims: Sequence[Dim]) -> str:
        """``tensor.empty``."""
        name = self.fresh("e")
        sizes = ", ".join(dim.ssa for dim in dims if dim.text == "?")
        self.write(f"%{name} = tensor.empty({sizes}) : {self.type(dims)}")
        return name

    def shifted(self) -> None:
        """``linalg.generic``: a scalar of outside is added, to a transposed tensor perhaps."""
        x, scalar = self.pick(), self.scalar()
        order = self.random.sample(range(x.rank), x.rank)
        dims = [x.dims[n] for n in order]
        empty = self.empty(dims)
        spaces = ", ".join(f"d{n}" for n in range(x.rank))
        at = ", ".join(f"d{order.index(n)}" for n in range(x.rank))
        maps = f"affine_map<({spaces}) -> ({at})>, affine_map<({spaces}) -> ({spaces})>"
        kinds = ", ".join(['"parallel"'] * x.rank)
        a, b, c = (self.fresh("a") for _ in range(3))
        kind = self.random.choice(("add", "max", "sub"))
        tensor = Tensor(self.fresh("t"), tuple(dims))
        self.write(
            f"%{tensor.name} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{kinds}]}} ins(%{x.name} : {self.type(x.dims)}) "
            f"outs(%{empty} : {self.type(dims)}) {{"
        )
        self.write(f"^bb0(%{a}: {self.element}, %{b}: {self.element}):")
        self.write(f"  %{c} = {operation(kind, self.dtype)} %{a}, %{scalar} : {self.element}")
        self.write(f"  linalg.yield %{c} : {self.element}")
        self.write(
            f"}} -> {self.type(dims)}",
            f"{tensor.name} = kept(np.{FUNCTIONS[kind].__name__}"
            f"({x.name}.transpose({order}), {scalar}))",
        )
        self.scope.tensors.append(tensor)

    def filled(self, dims: Sequence[Dim]) -> Tensor:
        """``linalg.fill``."""
        scalar, empty, type_ = self.scalar(), self.empty(dims), self.type(dims)
        shape = [dim.size for dim in dims]
        return self.result(
            dims,
            f"linalg.fill ins(%{scalar} : {self.element}) outs(%{empty} : {type_}) -> {type_}",
            f"np.full({shape}, {scalar})",
        )

    def matmul(self) -> None:
        """``linalg.matmul`` into a tensor that is filled, or that there is."""
        x = self.pick(least=2)
        if x.rank != 2:
            raise Unsuitable
        columns = x.dims[1]
        pairs = [t for t in self.scope.tensors if t.rank == 2 and t.dims[0] == columns]
        if not pairs:
            raise Unsuitable
        y = self.random.choice(pairs)
        dims = (x.dims[0], y.dims[1])
        before = [t for t in self.scope.tensors if t.dims == dims]
        start = self.random.choice(before) if before and self.chance(0.6) else self.filled(dims)
        self.result(
            dims,
            f"linalg.matmul ins(%{x.name}, %{y.name} : {self.types([x, y])}) "
            f"outs(%{start.name} : {self.type(dims)}) -> {self.type(dims)}",
            f"{start.name} + {x.name} @ {y.name}",
        )

    def reduced(self) -> None:
        """``linalg.reduce`` of rows or columns, into a tensor that is filled."""
        x = self.pick(least=2)
        gone = self.random.randrange(x.rank)
        dims = [dim for n, dim in enumerate(x.dims) if n != gone]
        start, kind = self.filled(dims), self.random.choice(("add", "max", "min"))
        tensor = Tensor(self.fresh("t"), tuple(dims))
        self.write(
            f"%{tensor.name} = linalg.reduce {{ {operation(kind, self.dtype)} }} "
            f"ins(%{x.name} : {self.type(x.dims)}) outs(%{start.name} : {self.type(dims)}) "
            f"dimensions = [{gone}]",
            f"{tensor.name} = kept(np.{FUNCTIONS[kind].__name__}.reduce("
            f"np.concatenate([np.expand_dims({start.name}, {gone}), {x.name}], {gone}), {gone}))",
        )
        self.scope.tensors.append(tensor)

    def inserted(self) -> None:
        """``tensor.insert``."""
        x, scalar = self.pick(full=True), self.scalar()
        words, places = self.place(x)
        self.result(
            x.dims,
            f"tensor.insert %{scalar} into %{x.name}[{words}] : {self.type(x.dims)}",
            f"put({x.name}, ({places}), {scalar})",
        )

    def part_moved(self) -> None:
        """``tensor.extract_slice`` and ``tensor.insert_slice`` of it, at places that loops give."""
        x = self.pick(full=True)
        y = self.like(x)
        sizes = [self.random.randint(1, dim.size) for dim in x.dims]
        parts = [Dim(size, str(size), self.const(size)) for size in sizes]
        gone = x.rank > 1 and sizes[0] == 1 and self.chance(0.5)
        words: list[list[str]] = []
        at: list[list[str]] = []
        for _ in range(2):
            places = [
                self.below(self.const(dim.size - size + 1), dim.size - size + 1)
                if dim.text != "?" or dim.size == size == 1
                else ("0", "0")
                for dim, size in zip(x.dims, sizes, strict=True)
            ]
            words.append([word for word, _ in places])
            at.append(
                [
                    f"slice({place}, {place} + {size})"
                    for (_, place), size in zip(places, sizes, strict=True)
                ]
            )
        steps = [1] * x.rank
        texts = [f"[{', '.join(w)}] {sizes} {steps}" for w in words]
        left = parts[gone:]
        shape = [dim.size for dim in left]
        moved = self.result(
            left,
            f"tensor.extract_slice %{x.name}{texts[0]} : {self.type(x.dims)} to {self.type(left)}",
            f"{x.name}[{', '.join(at[0])},].reshape({shape})",
        )
        if self.chance(0.5):
            self.elementwise()
        self.result(
            x.dims,
            f"tensor.insert_slice %{moved.name} into %{y.name}{texts[1]} : "
            f"{self.type(left)} into {self.type(y.dims)}",
            f"put({y.name}, ({', '.join(at[1])},), {moved.name}.reshape({sizes}))",
        )

    def cast(self) -> None:
        """``tensor.cast`` to a type that says less."""
        x = self.pick()
        dims = [Dim(dim.size, "?", dim.ssa) if self.chance(0.5) else dim for dim in x.dims]
        self.result(
            dims, f"tensor.cast %{x.name} : {self.type(x.dims)} to {self.type(dims)}", x.name
        )

    def packed(self) -> None:
        """``linalg.pack`` and ``linalg.unpack``, in tiles whose sizes may be values."""
        x = self.pick(full=True)
        tiled = sorted(self.random.sample(range(x.rank), self.random.randint(1, x.rank)))
        tiles = [self.random.randint(1, 3) for _ in tiled]
        by_value = [self.chance(0.5) for _ in tiled]
        words = [self.const(t) if v else str(t) for t, v in zip(tiles, by_value, strict=True)]
        order = self.random.sample(range(x.rank), x.rank) if self.chance(0.4) else None
        counts: list[Dim] = []
        for n, dim in enumerate(x.dims):
            if n not in tiled:
                counts.append(dim)
                continue
            tile = tiles[tiled.index(n)]
            known = dim.text != "?" and not by_value[tiled.index(n)]
            count = -(-dim.size // tile)
            ssa = self.const(count)
            if not known:
                ssa = f"%{self.fresh('x')}"
                self.write(f"{ssa} = arith.ceildivui {dim.ssa}, {self.const(tile)} : index")
            counts.append(Dim(count, str(count) if known else "?", ssa))
        if order is not None:
            counts = [counts[n] for n in order]
        inner = [
            Dim(t, "?" if v else str(t), self.const(t))
            for t, v in zip(tiles, by_value, strict=True)
        ]
        dims = [*counts, *inner]
        scalar, empty = self.scalar(), self.empty(dims)
        perm = "" if order is None else f"outer_dims_perm = {order} "
        how = f"{perm}inner_dims_pos = {tiled} inner_tiles = [{', '.join(words)}]"
        packed = self.result(
            dims,
            f"linalg.pack %{x.name} padding_value(%{scalar} : {self.element}) {how} into %{empty} "
            f": {self.type(x.dims)} -> {self.type(dims)}",
            f"pack({x.name}, {scalar}, {tiled}, {tiles}, {order})",
        )
        if self.chance(0.5):
            self.elementwise()
        source, empty = self.like(packed), self.empty(x.dims)
        shape = [dim.size for dim in x.dims]
        self.result(
            x.dims,
            f"linalg.unpack %{source.name} {how} into %{empty} : "
            f"{self.type(dims)} -> {self.type(x.dims)}",
            f"unpack({source.name}, {shape}, {tiled}, {tiles}, {order})",
        )

    # Control flow ----------------------------------------------------------------------------

    def body(self, depth: int) -> None:
        """Some statements."""
        for _ in range(self.random.choice((0, 1, 1, 2, 2, 3))):
            self.statement(depth)

    def statement(self, level: int) -> None:
        """Any statement; none, where what was drawn is none."""
        flow = (
            *(self.counted, self.repeated, self.chosen, self.switched) * 2,
            *(self.executed, self.called, self.shared, self.tosa_chosen, self.tosa_repeated),
        )
        ops = (
            *(self.elementwise, self.shifted, self.part_moved, self.inserted) * 2,
            *(self.matmul, self.reduced, self.cast),
            *((self.packed,) if self.packs else ()),
        )
        scope, depth = self.scope.copy(), self.depth
        ends = len(self.mlir), len(self.python)
        try:
            if level and self.chance(0.5):
                self.random.choice(flow)(level - 1)
            else:
                self.random.choice(ops)()
        except Unsuitable:
            del self.mlir[ends[0] :], self.python[ends[1] :]
            self.scope, self.depth = scope, depth

    def carried(self) -> list[Tensor]:
        """Tensors that a loop is to carry: some of one type, perhaps."""
        first = self.pick()
        rest = [self.like(first) if self.chance(0.6) else self.pick()] if self.chance(0.5) else []
        return [first, *rest]

    def named(self, letter: str, tensors: Sequence[Tensor]) -> list[Tensor]:
        """New names for tensors of the same types."""
        return [Tensor(self.fresh(letter), tensor.dims) for tensor in tensors]

    def assigned(self, names: Sequence[str], values: Sequence[str]) -> None:
        """Python's line that gives values to names at once."""
        self.write(None, f"{', '.join(names)}, = {', '.join(values)},")

    def counted(self, depth: int) -> None:
        """``scf.for`` or ``affine.for`` with tensors, and perhaps a scalar."""
        starts, name = self.carried(), self.fresh("i")
        extra = [self.scalar()] if self.chance(0.3) else []
        inner, outer = self.named("a", starts), self.named("r", starts)
        sums, total = [self.fresh("a") for _ in extra], [self.fresh("r") for _ in extra]
        end, last = self.end()
        first, step = self.random.choice((0, 0, 0, 1)), self.random.choice((1, 1, 1, 2))
        affine = self.depth == 0 and self.chance(0.3)
        names = [t.name for t in inner] + sums
        values = [t.name for t in starts] + extra
        pairs = ", ".join(f"%{a} = %{b}" for a, b in zip(names, values, strict=True))
        types = ", ".join([self.type(t.dims) for t in starts] + [self.element] * len(extra))
        heads = ", ".join(f"%{n}" for n in [t.name for t in outer] + total)
        if affine:
            head = f"affine.for %{name} = {first} to affine_map<(d0) -> (d0)>({end}) step {step}"
        else:
            head = f"scf.for %{name} = {self.const(first)} to {end} step {self.const(step)}"
        self.write(f"{heads} = {head} iter_args({pairs}) -> ({types}) {{")
        self.assigned(names, values)
        self.write(None, f"for {name} in range({first}, {last}, {step}):")
        with self.region():
            self.scope.indices.append(name)
            self.scope.tensors += inner
            self.scope.scalars += sums
            self.body(depth)
            after = [self.like(tensor).name for tensor in inner] + [self.scalar() for _ in sums]
            self.write(
                f"{'affine' if affine else 'scf'}.yield {', '.join(f'%{a}' for a in after)} "
                f": {types}"
            )
            self.assigned(
                names, [*after[: len(inner)], *(f"kept({a})" for a in after[len(inner) :])]
            )
        self.write("}")
        self.assigned([t.name for t in outer] + total, names)
        self.scope.tensors += outer
        self.scope.scalars += total

    def repeated(self, depth: int) -> None:
        """``scf.while`` that counts, with tensors that either of its regions may change."""
        starts = self.carried()
        before, after, outer = (self.named(letter, starts) for letter in "bar")
        counter, second, last = self.fresh("n"), self.fresh("m"), self.fresh("n")
        end, end_text = self.end()
        zero, names = self.const(0), [counter, *(t.name for t in before)]
        values = [zero, *(f"%{t.name}" for t in starts)]
        pairs = ", ".join(f"%{a} = {b}" for a, b in zip(names, values, strict=True))
        types = ", ".join(["index", self.types(starts)])
        heads = ", ".join(f"%{n}" for n in [last, *(t.name for t in outer)])
        self.write(f"{heads} = scf.while ({pairs}) : ({types}) -> ({types}) {{")
        self.assigned(names, ["0", *(t.name for t in starts)])
        self.write(None, "while True:")
        truth = self.fresh("q")
        with self.region():
            self.scope.indices.append(counter)
            self.scope.tensors += before
            if self.chance(0.4):
                self.body(0)
            self.write(
                f"%{truth} = arith.cmpi ult, %{counter}, {end} : index",
                f"{truth} = {counter} < {end_text}",
            )
            if self.chance(0.3):
                also, both = self.condition(), self.fresh("q")
                self.write(
                    f"%{both} = arith.andi %{truth}, %{also} : i1", f"{both} = {truth} and {also}"
                )
                truth = both
            handed = [self.like(tensor) for tensor in before]
            words = ", ".join(f"%{n}" for n in [counter, *(t.name for t in handed)])
            self.write(f"scf.condition(%{truth}) {words} : {types}")
            self.assigned([second, *(t.name for t in after)], [counter, *(t.name for t in handed)])
            self.write(None, f"if not {truth}: break")
        self.write("} do {")
        arguments = ", ".join(
            [f"%{second}: index", *(f"%{t.name}: {self.type(t.dims)}" for t in after)]
        )
        self.write(f"^bb0({arguments}):")
        with self.region():
            self.scope.indices.append(second)
            self.scope.tensors += after
            self.body(depth)
            following = self.fresh("x")
            self.write(
                f"%{following} = arith.addi %{second}, {self.const(1)} : index",
                f"{following} = {second} + 1",
            )
            yielded = [following, *(self.like(tensor).name for tensor in after)]
            self.write(f"scf.yield {', '.join(f'%{y}' for y in yielded)} : {types}")
            self.assigned(names, yielded)
        self.write("}")
        self.assigned([last, *(t.name for t in outer)], [second, *(t.name for t in after)])
        self.scope.tensors += outer
        self.scope.indices.append(last)

    def branch(self, wanted: Sequence[Tensor], results: Sequence[Tensor], depth: int) -> str:
        """A region that gives tensors of the types of ``wanted``; what it yields, as text."""
        self.body(depth)
        given = [self.like(tensor) for tensor in wanted]
        self.assigned([t.name for t in results], [t.name for t in given])
        return f"{', '.join(f'%{t.name}' for t in given)} : {self.types(given)}"

    def chosen(self, depth: int) -> None:
        """``scf.if``."""
        wanted, truth = self.carried(), self.condition()
        results = self.named("r", wanted)
        heads = ", ".join(f"%{t.name}" for t in results)
        self.write(f"{heads} = scf.if %{truth} -> ({self.types(results)}) {{", f"if {truth}:")
        with self.region():
            self.write(f"scf.yield {self.branch(wanted, results, depth)}")
        self.write("} else {", "else:")
        with self.region():
            self.write(f"scf.yield {self.branch(wanted, results, depth)}")
        self.write("}")
        self.scope.tensors += results

    def switched(self, depth: int) -> None:
        """``scf.index_switch``."""
        if not self.scope.indices:
            raise Unsuitable
        wanted, at = self.carried(), self.random.choice(self.scope.indices)
        results = self.named("r", wanted)
        heads = ", ".join(f"%{t.name}" for t in results)
        self.write(f"{heads} = scf.index_switch %{at} -> {self.types(results)}")
        word = "if"
        for case in sorted(self.random.sample(range(5), self.random.randint(1, 3))):
            self.write(f"case {case} {{", f"{word} {at} == {case}:")
            word = "elif"
            with self.region():
                self.write(f"scf.yield {self.branch(wanted, results, depth)}")
            self.write("}")
        self.write("default {", "else:")
        with self.region():
            self.write(f"scf.yield {self.branch(wanted, results, depth)}")
        self.write("}")
        self.scope.tensors += results

    def executed(self, depth: int) -> None:
        """``scf.execute_region``."""
        wanted = self.carried()
        results = self.named("r", wanted)
        heads = ", ".join(f"%{t.name}" for t in results)
        self.write(f"{heads} = scf.execute_region -> ({self.types(results)}) {{", "if True:")
        with self.region():
            self.write(f"scf.yield {self.branch(wanted, results, depth)}")
        self.write("}")
        self.scope.tensors += results

    def called(self, depth: int) -> None:
        """``func.call`` of a function that is written for it, once or twice."""
        taken = self.carried()
        scalars = [self.scalar()] if self.chance(0.4) else []
        indices = [self.random.choice(self.scope.indices)] if self.scope.indices else []
        parameters = self.named("p", taken)
        own = [self.fresh("p") for _ in scalars], [self.fresh("p") for _ in indices]
        outside = self.mlir, self.constants, self.scope, self.depth
        name = self.fresh("f")
        symbol = f"{name}_{self.own}"
        names = [*(t.name for t in parameters), *own[0], *own[1]]
        self.write(None, f"def {name}({', '.join(names)}):")
        types = [self.type(t.dims) for t in parameters]
        types += [self.element] * len(scalars) + ["index"] * len(indices)
        self.mlir, self.constants, self.scope = [], {}, Scope([], list(own[0]), list(own[1]))
        self.depth += 1
        for parameter in parameters:
            dims: list[Dim] = []
            for axis, dim in enumerate(parameter.dims):
                ssa = self.const(dim.size)
                if dim.text == "?":
                    ssa = f"%{self.fresh('d')}"
                    type_ = self.type(parameter.dims)
                    self.write(
                        f"{ssa} = tensor.dim %{parameter.name}, {self.const(axis)} : {type_}"
                    )
                dims.append(Dim(dim.size, dim.text, ssa))
            self.scope.tensors.append(Tensor(parameter.name, tuple(dims)))
        inside = list(self.scope.tensors)
        self.body(depth)
        given = [self.like(tensor) for tensor in inside]
        words = ", ".join(f"%{t.name}" for t in given)
        self.write(
            f"return {words} : {self.types(given)}", f"return {', '.join(t.name for t in given)},"
        )
        arguments = ", ".join(f"%{n}: {t}" for n, t in zip(names, types, strict=True))
        self.functions.append(
            "\n".join(
                [
                    f"func.func private @{symbol}({arguments}) -> ({self.types(given)}) {{",
                    *(
                        f"  %{n} = arith.constant {number} : index"
                        for number, n in self.constants.items()
                    ),
                    *self.mlir,
                    "}",
                ]
            )
        )
        self.mlir, self.constants, self.scope, self.depth = outside
        for _ in range(self.random.choice((1, 1, 2))):
            results = self.named("r", taken)
            heads = ", ".join(f"%{t.name}" for t in results)
            values = [*(t.name for t in taken), *scalars, *indices]
            words = ", ".join(f"%{v}" for v in values)
            self.write(
                f"{heads} = func.call @{symbol}({words}) : ({', '.join(types)}) -> "
                f"({self.types(results)})"
            )
            self.assigned([t.name for t in results], [f"*{name}({', '.join(values)})"])
            self.scope.tensors += results
            taken = [self.like(tensor) for tensor in taken]

    def shared(self, depth: int) -> None:
        """``scf.forall`` whose iterations put a row each into a shared tensor."""
        x = self.pick(full=True, least=2)
        if any(dim.text == "?" for dim in x.dims[1:]):
            raise Unsuitable
        row = (Dim(1, "1", self.const(1)), *x.dims[1:])
        name, result, inner = self.fresh("i"), self.fresh("r"), self.fresh("o")
        sizes = [1, *(dim.size for dim in row[1:])]
        where = f"[%{name}, {', '.join(['0'] * (x.rank - 1))}] {sizes} {[1] * x.rank}"
        self.write(
            f"%{result} = scf.forall (%{name}) in ({x.dims[0].ssa}) shared_outs(%{inner} = "
            f"%{x.name}) -> ({self.type(x.dims)}) {{",
            f"{inner} = {x.name}",
        )
        self.write(None, f"for {name} in range({x.dims[0].size}):")
        with self.region():
            self.scope.indices.append(name)
            own = self.result(
                row,
                f"tensor.extract_slice %{inner}{where} : {self.type(x.dims)} to {self.type(row)}",
                f"{inner}[{name}:{name} + 1]",
            )
            self.body(min(depth, 1))
            put = self.like(own)
            self.write("scf.forall.in_parallel {")
            self.write(
                f"  tensor.parallel_insert_slice %{put.name} into %{inner}{where} : "
                f"{self.type(row)} into {self.type(x.dims)}",
                f"{inner} = put({inner}, (slice({name}, {name} + 1),), {put.name})",
            )
            self.write("}")
        self.write("}")
        self.write(None, f"{result} = {inner}")
        self.scope.tensors.append(Tensor(result, x.dims))

    def tosa_chosen(self, depth: int) -> None:
        """``tosa.cond_if``."""
        self._require_tosa()
        wanted, truth, boxed = self.carried(), self.condition(), self.fresh("q")
        results = self.named("r", wanted)
        heads = ", ".join(f"%{t.name}" for t in results)
        self.write(f"%{boxed} = tensor.from_elements %{truth} : tensor<i1>")
        self.write(f"{heads} = tosa.cond_if %{boxed} : tensor<i1> -> ({self.types(results)}) {{")
        self.write(None, f"if {truth}:")
        with self.region():
            self.write(f"tosa.yield {self.branch(wanted, results, depth)}")
        self.write("} else {", "else:")
        with self.region():
            self.write(f"tosa.yield {self.branch(wanted, results, depth)}")
        self.write("}")
        self.scope.tensors += results

    def tosa_repeated(self, depth: int) -> None:
        """``tosa.while_loop`` that counts."""
        self._require_tosa()
        starts = self.carried()
        before, after, outer = (self.named(letter, starts) for letter in "bar")
        end, counters = self.random.randint(0, 4), [self.fresh("n") for _ in range(4)]
        zero, step, limit = (self.fresh("k") for _ in range(3))
        number = "tensor<i32>"
        for name, value in ((zero, 0), (step, 1), (limit, end)):
            self.write(f"%{name} = arith.constant dense<{value}> : {number}")
        types = ", ".join([number, self.types(starts)])
        heads = ", ".join(f"%{n}" for n in [counters[3], *(t.name for t in outer)])
        names = [counters[0], *(t.name for t in before)]
        values = [zero, *(t.name for t in starts)]
        pairs = ", ".join(f"%{a} = %{b}" for a, b in zip(names, values, strict=True))
        self.write(f"{heads} = tosa.while_loop ({pairs}) : ({types}) -> ({types}) {{")
        self.assigned(names, ["0", *(t.name for t in starts)])
        truth = self.fresh("q")
        self.write(f"  %{truth} = arith.cmpi slt, %{counters[0]}, %{limit} : {number}")
        self.write(f"  tosa.yield %{truth} : tensor<i1>")
        self.write("} do {")
        arguments = [f"%{t.name}: {self.type(t.dims)}" for t in after]
        self.write(f"^bb0({', '.join([f'%{counters[1]}: {number}', *arguments])}):")
        self.assigned([t.name for t in after], [t.name for t in before])
        self.write(None, f"for {counters[1]} in range({end}):")
        with self.region():
            self.scope.tensors += after
            self.body(depth)
            self.write(f"%{counters[2]} = arith.addi %{counters[1]}, %{step} : {number}")
            yielded = [self.like(tensor).name for tensor in after]
            words = ", ".join(f"%{y}" for y in [counters[2], *yielded])
            self.write(f"tosa.yield {words} : {types}")
            self.assigned([t.name for t in after], yielded)
        self.write("}")
        self.assigned([t.name for t in outer], [t.name for t in after])
        self.scope.tensors += outer

    def _require_tosa(self) -> None:
        """TOSA has no numbers of 64 bits."""
        if self.dtype not in ("float32", "int32"):
            raise Unsuitable


# What the text of Python calls ---------------------------------------------------------------


def put(array: np.ndarray, at: Any, value: Any) -> np.ndarray:
    """``array`` with ``value`` at a place."""
    result = array.copy()
    result[at] = value
    return result


def pack(
    array: np.ndarray, padding: Any, dims: list[int], tiles: list[int], order: list[int] | None
) -> np.ndarray:
    """``linalg.pack``: tiles behind the dimensions that count them."""
    shape = [[size] for size in array.shape]
    widths = [(0, 0)] * array.ndim
    for dim, tile in zip(dims, tiles, strict=True):
        count = -(-array.shape[dim] // tile)
        widths[dim] = (0, count * tile - array.shape[dim])
        shape[dim] = [count, tile]
    whole = np.pad(array, widths, constant_values=padding).reshape(
        [n for part in shape for n in part]
    )
    first = [sum(len(part) for part in shape[:dim]) for dim in range(array.ndim)]
    outer = first if order is None else [first[n] for n in order]
    return whole.transpose([*outer, *(first[dim] + 1 for dim in dims)])


def unpack(
    array: np.ndarray,
    shape: list[int],
    dims: list[int],
    tiles: list[int],
    order: list[int] | None,
) -> np.ndarray:
    """``linalg.unpack``."""
    rank = len(shape)
    outer = list(range(rank)) if order is None else [order.index(n) for n in range(rank)]
    axes: list[int] = []
    sizes = list(shape)
    for dim in range(rank):
        axes.append(outer[dim])
        if dim in dims:
            axes.append(rank + dims.index(dim))
            sizes[dim] = array.shape[outer[dim]] * tiles[dims.index(dim)]
    whole = array.transpose(axes).reshape(sizes)
    return whole[tuple(slice(0, size) for size in shape)]


def draw_control(random: Random, lengths: Sequence[int] = (2, 3, 3, 4)) -> Loops:
    """A program of one of so many statements. Raises Unsuitable for one that is none."""
    writer = ControlWriter(random)
    writer.declare()
    arguments = len(writer.scope.tensors)
    for _ in range(random.choice(lengths)):
        writer.statement(2)
    computed = writer.scope.tensors[arguments:]
    if not computed:
        raise Unsuitable
    results = [computed[-1]]
    if len(computed) > 1 and writer.chance(0.4):
        results.append(random.choice(computed[:-1]))
    python = "\n".join(writer.python)
    known: dict[str, Any] = {name: value for name, _, value in writer.given}
    done = 0

    def kept(array: Any) -> Any:
        nonlocal done
        array = np.asarray(array, writer.dtype)
        done += array.size
        limit = LARGEST.get(writer.dtype)
        if done > MOST_ELEMENTS or (limit and array.size and np.abs(array).max() > limit):
            raise Unsuitable
        return array if array.ndim else array[()]

    known |= {"np": np, "kept": kept, "put": put, "pack": pack, "unpack": unpack}
    known["T"] = np.dtype(writer.dtype).type
    with np.errstate(all="ignore"):
        exec(compile(python, "program", "exec"), known)
    heads = ", ".join(f"%{name}: {type_}" for name, type_, _ in writer.given)
    text = "\n".join(
        [
            *writer.functions,
            f"func.func @main({heads}) -> ({writer.types(results)}) {{",
            *(f"  %{name} = arith.constant {n} : index" for n, name in writer.constants.items()),
            *writer.mlir,
            f"  return {', '.join(f'%{t.name}' for t in results)} : {writer.types(results)}",
            "}",
        ]
    )
    given: list[Any] = [value for _, _, value in writer.given]
    expected: dict[int, np.ndarray] = {}
    for result in results:
        array = np.ascontiguousarray(known[result.name])
        garbage = np.empty_like(array)
        garbage.reshape(-1).view(np.uint8)[:] = 0x5A
        expected[len(given)] = array
        given.append(garbage)
    return Loops(text, python, given, expected)
