"""Random calls of operators, made from the examples of their rows in the table.

A variant of ``nn.dense(T(4, 6), T(5, 6), T(5))`` has other sizes, the same one where the example
has the same; another rank, where the operator takes one; another element type; values that are
the edges of their types; sizes that are known at the call. What the operator refuses, with a
diagnostic, is no variant, and another is drawn.
"""

from __future__ import annotations

import ast
import copy
import math
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from topi_cases import TABLE, Maker, Program, np_dtype

from kc import te, topi
from kc.error import KCError
from kc.expr.dtypes import FLOATS

SIZES = (0, 1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33)
"""None, primes, and widths of vectors with one more and one less."""
ELEMENTS = 1500
"""A tensor has so many at most: the interpreter visits them one by one."""
TRIES = 60

EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1.0, 1.0)


class Drawn(Maker):
    """Placeholders of a variant; their values are often equal, and edges of the type if asked."""

    edges = False
    limit = ELEMENTS

    def __call__(self, *shape: Any, dtype: str = "float32", of: Any = None) -> te.Tensor:
        sizes = [int(size.partition("=")[2]) if isinstance(size, str) else size for size in shape]
        if math.prod(sizes) > self.limit:
            raise TooLarge
        tensor = super().__call__(*shape, dtype=dtype, of=of)
        if self.edges and of is None:
            array = self.arrays[-1]
            values: Any = EDGES
            if array.dtype.kind in "iu":
                info = np.iinfo(array.dtype)
                values = (info.min, info.max, 0, 1)
            elif dtype not in FLOATS:
                return tensor
            chosen = self.generator.integers(0, len(values), array.shape)
            with np.errstate(all="ignore"):
                edge = np.array(values, None if array.dtype.kind in "iu" else "float64")[chosen]
                some = self.generator.random(array.shape) < 0.3
                self.arrays[-1] = np.where(some, edge.astype(np_dtype(dtype)), array)
        return tensor


class TooLarge(Exception):
    """More elements than a test visits."""


@dataclass(frozen=True)
class Variant:
    """A call, as text."""

    name: str
    call: str
    edges: bool = False
    is_varied: bool = True

    def program(self, seed: int = 0, limit: int = ELEMENTS) -> Program:
        """Raises KCError if the operator refuses it."""
        maker = Drawn(seed)
        maker.edges, maker.limit = self.edges, limit
        names = {name: getattr(topi, name) for name in topi.__all__}
        outputs = eval(self.call, {**names, "T": maker, "math": math, "te": te, "topi": topi})
        several = isinstance(outputs, list | tuple)
        outputs = list(outputs) if several else [outputs]
        if any(math.prod(_sizes(maker, tensor)) > 4 * limit for tensor in outputs):
            raise TooLarge
        return Program(maker.inputs, maker.arrays, outputs)


def _sizes(maker: Maker, tensor: te.Tensor) -> list[int]:
    from topi_cases import size_of

    known = {var: number for var, number in maker.sizes.values()}
    return [size_of(dim, known) for dim in tensor.shape]


def _placeholders(tree: ast.AST) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "T"
    ]


def _dtype(call: ast.Call) -> str:
    for word in call.keywords:
        if word.arg == "dtype" and isinstance(word.value, ast.Constant):
            return str(word.value.value)
    return "float32"


def _set_dtype(call: ast.Call, dtype: str) -> None:
    call.keywords = [word for word in call.keywords if word.arg != "dtype"]
    call.keywords.append(ast.keyword("dtype", ast.Constant(dtype)))


def _shape(call: ast.Call) -> list[int]:
    return [arg.value for arg in call.args if isinstance(arg, ast.Constant)]  # type: ignore[misc]


def _set_shape(call: ast.Call, shape: list[Any]) -> None:
    call.args = [ast.Constant(size) for size in shape]


def _resize(random: Random, tree: ast.AST, inputs: list[ast.Call]) -> None:
    """Equal sizes become equal sizes, in tuples of numbers that are as sizes are, too."""
    values = sorted({size for call in inputs for size in _shape(call)})
    chosen = {v: random.choice(SIZES) if random.random() < 0.6 else v for v in values}
    if random.random() < 0.5:
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple) and len(node.elts) > 1:
                for n, item in enumerate(node.elts):
                    if isinstance(item, ast.Constant) and isinstance(item.value, int):
                        node.elts[n] = ast.Constant(chosen.get(item.value, item.value))
    for call in inputs:
        _set_shape(call, [chosen[size] for size in _shape(call)])


def _rerank(random: Random, kind: str, inputs: list[ast.Call]) -> None:
    """Another rank: any for operators of elements, further dimensions in front of the others."""
    shapes = [_shape(call) for call in inputs]
    if kind == "elemwise":
        rank = random.randint(0, 5)
        shape = [random.choice(SIZES if rank < 4 else (1, 2, 3, 0)) for _ in range(rank)]
        for call in inputs:
            _set_shape(call, list(shape))
    elif kind == "broadcast" and len(inputs) == 2 and shapes == [[4, 3], [3]]:
        rank = random.randint(0, 5)
        shape = [random.choice(SIZES if rank < 4 else (1, 2, 3, 0)) for _ in range(rank)]
        sides = []
        for _ in inputs:
            side = [1 if random.random() < 0.3 else size for size in shape]
            sides.append(side[random.randint(0, rank) if random.random() < 0.5 else 0 :])
        random.shuffle(sides)
        for call, side in zip(inputs, sides, strict=True):
            _set_shape(call, side)
    else:
        most = max(map(len, shapes), default=0)
        front = [random.choice((1, 2, 3)) for _ in range(random.randint(1, max(1, 5 - most)))]
        for call, shape in zip(inputs, shapes, strict=True):
            if len(shape) == most:
                _set_shape(call, front + shape)


def _retype(random: Random, name: str, inputs: list[ast.Call]) -> None:
    """Another type of those that the row has, for all inputs of the first one's type."""
    old, new = _dtype(inputs[0]), random.choice(TABLE[name].types)
    for call in inputs:
        if _dtype(call) == old:
            _set_dtype(call, new)


def drawn(name: str, number: int, *, types: bool = True, edges: bool = True) -> Variant:
    """The variant of an operator with a number; the example itself if nothing else is accepted."""
    row = TABLE[name]
    random = Random(f"{name} {number}")
    for _ in range(TRIES):
        tree = copy.deepcopy(ast.parse(row.example, mode="eval"))
        inputs = _placeholders(tree)
        if not inputs:
            break
        reranked = random.random() < 0.4
        if reranked:
            _rerank(random, row.kind, inputs)
        if not reranked or row.kind not in ("elemwise", "broadcast"):
            _resize(random, tree, inputs)
        if types and random.random() < 0.7:
            _retype(random, name, inputs)
        variant = Variant(name, ast.unparse(tree), edges and random.random() < 0.3)
        try:
            variant.program()
        except (KCError, TooLarge):
            continue
        return variant
    return Variant(name, row.example, is_varied=False)


def symbolic(variant: Variant, number: int) -> Variant | None:
    """A variant with sizes that are known at the call, if the operator takes such.

    A size of 1 stays as it is: two sizes by different names are equal, or the second is 1.
    """
    random = Random(f"{variant.call} {number}")
    for _ in range(8):
        tree = ast.parse(variant.call, mode="eval")
        inputs = _placeholders(tree)
        sizes = sorted({size for call in inputs for size in _shape(call)})
        named = {size for size in sizes if size != 1 and random.random() < 0.5}
        if not named:
            continue
        for call in inputs:
            _set_shape(call, [f"n{s}={s}" if s in named else s for s in _shape(call)])
        of_symbols = Variant(variant.name, ast.unparse(tree), variant.edges)
        try:
            of_symbols.program()
        except (KCError, TooLarge):
            continue
        return of_symbols
    return None
