"""Random text of vectors of one to three dimensions, with what numpy computes of them.

A program reads vectors from memory, at places that may be partly outside, moves and combines them,
and writes what it got last. Numbers are integers, so that every order of sums gives the same.
"""

from __future__ import annotations

from math import prod
from random import Random

import numpy as np
from raised_loops import Loops

MAX_LANES = 48
KINDS = {"add": np.add, "mul": np.multiply, "maxsi": np.maximum, "minsi": np.minimum}
ELEMENTWISE = {"addi": np.add, "muli": np.multiply, "maxsi": np.maximum, "xori": np.bitwise_xor}


def _type(shape: tuple[int, ...], element: str = "i32") -> str:
    return f"vector<{'x'.join(map(str, shape))}x{element}>"


def _memory(shape: tuple[int, ...]) -> str:
    return f"memref<{'x'.join(map(str, shape))}xi32>"


class VectorProgram:
    """Lines of text, and the values that they compute."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.values: list[tuple[str, np.ndarray]] = []
        self.memory = {
            f"%A{n}": np.array(
                [random.randint(-4, 4) for _ in range(prod(shape))], np.int32
            ).reshape(shape)
            for n, shape in enumerate(
                tuple(random.randint(2, 6) for _ in range(rank)) for rank in (1, 2, 3)
            )
        }
        self.count = 0

    def add(self, text: str, value: np.ndarray) -> None:
        """A line that computes ``value``."""
        self.lines.append(f"  %v{self.count} = {text}")
        self.values.append((f"%v{self.count}", value.astype(np.int32)))
        self.count += 1

    def constant(self, text: str) -> str:
        """A line for a constant; its name."""
        name = f"%k{len(self.lines)}"
        self.lines.append(f"  {name} = arith.constant {text}")
        return name

    def any(self) -> tuple[str, np.ndarray]:
        """One of the values so far."""
        return self.random.choice(self.values)

    # Each of these adds an op, or returns False where it is not one for what was drawn.

    def read(self) -> bool:
        random = self.random
        name, array = random.choice(list(self.memory.items()))
        rank = random.randint(1, array.ndim)
        dims = random.sample(range(array.ndim), rank)
        shape = tuple(random.randint(1, 4) for _ in range(rank))
        start = [random.randint(0, size - 1) for size in array.shape]
        fits = [start[d] + n <= array.shape[d] for d, n in zip(dims, shape, strict=True)]
        inside = [fit and random.random() < 0.7 for fit in fits]
        padding = random.randint(-9, 9)
        value = np.full(shape, padding)
        limit = [random.randint(0, n) for n in shape] if random.random() < 0.3 else list(shape)
        if 0 in limit:  # as mlir-opt wants it
            limit = [0] * rank
        for lane in np.ndindex(*limit):
            place = list(start)
            for d, i in zip(dims, lane, strict=True):
                place[d] += i
            if all(i < size for i, size in zip(place, array.shape, strict=True)):
                value[lane] = array[tuple(place)]
        at = ", ".join(self.constant(f"{i} : index") for i in start)
        pad = self.constant(f"{padding} : i32")
        spaces = ", ".join(f"d{n}" for n in range(array.ndim))
        results = ", ".join(f"d{d}" for d in dims)
        attributes = (
            f"{{in_bounds = {str(inside).lower()}, "
            f"permutation_map = affine_map<({spaces}) -> ({results})>}}"
        )
        read = (
            f"vector.transfer_read {name}[{at}], {pad} {attributes} : {_memory(array.shape)}, "
            f"{_type(shape)}"
        )
        if limit != list(shape):
            # A mask has its dimensions in the order of the memory.
            order = [n for _, n in sorted((d, n) for n, d in enumerate(dims))]
            mask = _type(tuple(shape[n] for n in order), "i1")
            sizes = [limit[n] for n in order]
            self.lines.append(f"  %m{len(self.lines)} = vector.constant_mask {sizes} : {mask}")
            name = self.lines[-1].split()[0]
            read = f"vector.mask {name} {{ {read} }} : {mask} -> {_type(shape)}"
        self.add(read, value)
        return True

    def transpose(self) -> bool:
        name, value = self.any()
        order = self.random.sample(range(value.ndim), value.ndim)
        result = value.transpose(order)
        text = f"{order} : {_type(value.shape)} to {_type(result.shape)}"
        self.add(f"vector.transpose {name}, {text}", result)
        return True

    def shape_cast(self) -> bool:
        name, value = self.any()
        shape = self.random.choice([(value.size,), (1, value.size), (value.shape[0], -1)])
        result = value.reshape(shape)
        types = f"{_type(value.shape)} to {_type(result.shape)}"
        self.add(f"vector.shape_cast {name} : {types}", result)
        return True

    def broadcast(self) -> bool:
        name, value = self.any()
        shape = (self.random.randint(1, 3), *value.shape)
        if prod(shape) > MAX_LANES or len(shape) > 3:
            return False
        types = f"{_type(value.shape)} to {_type(shape)}"
        self.add(f"vector.broadcast {name} : {types}", np.broadcast_to(value, shape))
        return True

    def extract(self) -> bool:
        name, value = self.any()
        if value.ndim < 2:
            return False
        at = self.random.randrange(value.shape[0])
        types = f"{_type(value.shape[1:])} from {_type(value.shape)}"
        self.add(f"vector.extract {name}[{at}] : {types}", value[at])
        return True

    def part(self) -> bool:
        name, value = self.any()
        starts = [self.random.randrange(size) for size in value.shape]
        sizes = [
            self.random.randint(1, size - at) for size, at in zip(value.shape, starts, strict=True)
        ]
        box = tuple(slice(at, at + size) for at, size in zip(starts, sizes, strict=True))
        ones = [1] * value.ndim
        self.add(
            f"vector.extract_strided_slice {name} {{offsets = {starts}, sizes = {sizes}, "
            f"strides = {ones}}} : {_type(value.shape)} to {_type(tuple(sizes))}",
            value[box],
        )
        part, whole = self.values[-1][0], value.copy()
        shift = [self.random.randint(0, n - m) for n, m in zip(value.shape, sizes, strict=True)]
        whole[tuple(slice(at, at + n) for at, n in zip(shift, sizes, strict=True))] = value[box]
        self.add(
            f"vector.insert_strided_slice {part}, {name} {{offsets = {shift}, strides = {ones}}} "
            f": {_type(tuple(sizes))} into {_type(value.shape)}",
            whole,
        )
        return True

    def interleave(self) -> bool:
        name, value = self.any()
        if 2 * value.size > MAX_LANES:
            return False
        shape = (*value.shape[:-1], 2 * value.shape[-1])
        self.add(
            f"vector.interleave {name}, {name} : {_type(value.shape)} -> {_type(shape)}",
            np.repeat(value, 2, axis=-1),
        )
        return True

    def elementwise(self) -> bool:
        name, value = self.any()
        partners = [pair for pair in self.values if pair[1].shape == value.shape]
        partner, second = self.random.choice(partners)
        op = self.random.choice(list(ELEMENTWISE))
        self.add(
            f"arith.{op} {name}, {partner} : {_type(value.shape)}",
            ELEMENTWISE[op](value, second),
        )
        return True

    def reduce(self) -> bool:
        name, value = self.any()
        if value.ndim < 2:
            return False
        dims = self.random.sample(range(value.ndim), self.random.randint(1, value.ndim - 1))
        kind = self.random.choice(list(KINDS))
        kept = tuple(size for n, size in enumerate(value.shape) if n not in dims)
        start = self.random.randint(-3, 3)
        total = self.constant(f"dense<{start}> : {_type(kept)}")
        result = KINDS[kind].reduce(value, tuple(dims), initial=start)
        self.add(
            f"vector.multi_reduction <{kind}>, {name}, {total} {sorted(dims)} : "
            f"{_type(value.shape)} to {_type(kept)}",
            result,
        )
        return True

    def contract(self) -> bool:
        name, value = self.any()
        if value.ndim != 2 or value.shape[0] ** 2 > MAX_LANES:
            return False
        rows = value.shape[0]
        total = self.constant(f"dense<1> : {_type((rows, rows))}")
        maps = "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>"
        self.add(
            f"vector.contract {{indexing_maps = [{maps}, affine_map<(m, n, k) -> (m, n)>], "
            'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} '
            f"{name}, {name}, {total} : {_type(value.shape)}, {_type(value.shape)} into "
            f"{_type((rows, rows))}",
            value @ value.T + 1,
        )
        return True

    def outer(self) -> bool:
        name, value = self.any()
        if value.ndim != 1 or value.size**2 > MAX_LANES:
            return False
        self.add(
            f"vector.outerproduct {name}, {name} : {_type(value.shape)}, {_type(value.shape)}",
            np.outer(value, value),
        )
        return True


def draw_vectors(random: Random) -> Loops:
    """A program of vectors."""
    program = VectorProgram(random)
    program.read()
    ops = (
        program.read,
        program.transpose,
        program.shape_cast,
        program.broadcast,
        program.extract,
        program.part,
        program.interleave,
        program.elementwise,
        program.reduce,
        program.contract,
        program.outer,
    )
    wanted = random.randint(2, 8)
    with np.errstate(over="ignore"):
        while len(program.values) < wanted:
            random.choice(ops)()
    name, value = program.values[-1]
    zero = program.constant("0 : index")
    at = ", ".join([zero] * value.ndim)
    inside = str([True] * value.ndim).lower()
    arguments = [f"{key}: {_memory(array.shape)}" for key, array in program.memory.items()]
    lines = [
        f"func.func @main({', '.join(arguments)}, %R: {_memory(value.shape)}) {{",
        *program.lines,
        f"  vector.transfer_write {name}, %R[{at}] {{in_bounds = {inside}}} : "
        f"{_type(value.shape)}, {_memory(value.shape)}",
        "  return",
        "}",
    ]
    given: list[object] = [*program.memory.values(), np.zeros_like(value)]
    return Loops("\n".join(lines) + "\n", "", given, {len(given) - 1: value})
