"""Random networks: operators of topi that compute on each other's results, next to numpy.

A network begins with a few arrays of small integers, in whichever type. Each step draws an operator
and tensors that it takes, and computes the same in numpy, floats in float64 and with bounds of what
rounding may change (:mod:`rounded`). What is not continuous
(an argmax, a sort, a comparison) is drawn only where the values before it are exact. The results
are tensors that nothing reads, and now and then one that something does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from families import Fixed
from programs import UNIT, Unsuitable
from rounded import OF_FUNCTION, Rounded

import kc
from kc import te, tir, topi
from kc.expr.constructors import Var
from kc.target import Target

DTYPES = ("float32", "float32", "float64", "float64", "int32", "int64", "int16", "uint8")
MOST_ELEMENTS = 400
MOST_STEPS = 6
EXACT = 2.0**20
"""Sums and products of integers below this are exact in float32."""
LARGE = 500.0
"""Rounded values beyond this are not computed with: their errors would no longer be small."""
GARBAGE = 77


@dataclass
class Node:
    """A tensor and its value."""

    tensor: te.Tensor
    value: np.ndarray
    error: Any = None
    """Bounds of the errors of elements; None where kc computes the value without rounding, so that
    numpy's is equal."""

    @property
    def exact(self) -> bool:
        return self.error is None

    @property
    def rounded(self) -> Rounded:
        """The value with its bounds, of floats."""
        if self.error is None:
            return Rounded.exact(self.value, self.dtype)
        return Rounded(self.value, self.error, self.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def rank(self) -> int:
        return self.value.ndim

    @property
    def dtype(self) -> str:
        return self.tensor.dtype

    @property
    def is_float(self) -> bool:
        return self.dtype.startswith("float")

    @property
    def fixed(self) -> bool:
        """True if all sizes are numbers."""
        return all(isinstance(dim, int) for dim in self.tensor.shape)


class Network:
    """A network while it is drawn."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = np.random.default_rng(random.randrange(1 << 30))
        self.dtype = random.choice(DTYPES)
        self.inputs: list[Node] = []
        self.nodes: list[Node] = []
        self.read: set[te.Tensor] = set()
        self.steps: list[str] = []
        self.opening: Sequence[str] = ()
        self.symbols: dict[str, int] = {}
        self.batch: tuple[Var, int] | None = None
        if random.random() < 0.2:
            self.batch = te.size_var("n"), random.choice((1, 2, 3, 5))
        for _ in range(random.randint(1, 2)):
            self.nodes.append(self.input(self.shape(random.randint(1, 4)), first=True))

    # What is drawn from ------------------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def shape(self, rank: int) -> list[int]:
        """Small sizes."""
        most = {0: 1, 1: 40, 2: 12, 3: 7}.get(rank, 5)
        return [self.random.choice((1, 2, 3, self.random.randint(1, most))) for _ in range(rank)]

    def input(
        self, shape: Sequence[int], dtype: str = "", first: bool = False, values: Any = None
    ) -> Node:
        """A new argument; one of the ``first`` may have a size that is known at the call."""
        dtype = dtype or self.dtype
        dims: list[Any] = list(shape)
        sizes = list(shape)
        if first and self.batch is not None and dims:
            dims[0], sizes[0] = self.batch
            self.symbols["n"] = self.batch[1]
        if values is None:
            low = 0 if dtype.startswith("u") else -4
            values = self.numbers.integers(low, 5, sizes)
        tensor = te.placeholder(tuple(dims), dtype, f"A{len(self.inputs)}")
        node = Node(tensor, np.asarray(values).astype(dtype))
        self.inputs.append(node)
        return node

    def pick(self, suits: Callable[[Node], bool] = lambda _: True) -> Node:
        """A tensor for an operator: the last more often than others. Raises Unsuitable."""
        nodes = [node for node in self.nodes if suits(node)]
        if not nodes:
            raise Unsuitable
        return nodes[-1] if self.chance(0.6) else self.random.choice(nodes)

    def axis(self, node: Node) -> int:
        """An axis, sometimes counted from the end."""
        if not node.rank:
            raise Unsuitable
        axis = self.random.randrange(node.rank)
        return axis - node.rank if self.chance(0.3) else axis

    def partner(self, node: Node) -> Node:
        """A tensor that ``node`` broadcasts with, of its type."""
        fitting = [
            mate
            for mate in self.nodes
            if mate.dtype == node.dtype and mate.fixed and node.fixed and _fits(mate, node)
        ]
        if fitting and self.chance(0.6):
            return self.random.choice(fitting)
        shape = list(node.shape)[self.random.randint(0, node.rank) if self.chance(0.4) else 0 :]
        start = node.rank - len(shape)
        for n in range(len(shape)):
            if self.chance(0.3) or not isinstance(node.tensor.shape[start + n], int):
                shape[n] = 1
        return self.input(shape, node.dtype)

    # What is made ------------------------------------------------------------------------------

    def add(
        self, name: str, operands: Sequence[Node], tensor: te.Tensor, value: Any, error: Any = None
    ) -> None:
        """Enter a result. Raises Unsuitable for one that is too large, or no longer accurate.

        Without an ``error`` it is exact, if its floats are small integers; Unsuitable is raised for
        others.
        """
        value = np.asarray(value)
        if value.size > MOST_ELEMENTS or value.ndim > 5:
            raise Unsuitable
        if tensor.dtype.startswith("float"):
            value = value.astype("float64")
            if value.size and not np.isfinite(value).all():
                raise Unsuitable
            largest = float(np.abs(value).max(initial=0))
            if error is None and not (largest < EXACT and (value == np.rint(value)).all()):
                raise Unsuitable
            if error is not None and largest > LARGE:
                raise Unsuitable
        else:
            value = value.astype(tensor.dtype)
        self.nodes.append(Node(tensor, value, error))
        self.read.update(operand.tensor for operand in operands)
        self.steps.append(f"{name}({', '.join(operand.tensor.name for operand in operands)})")

    def move(self, name: str, x: Node, tensor: te.Tensor, move: Callable[..., Any]) -> None:
        """Enter a tensor of the elements of another."""
        error = None if x.error is None else np.asarray(move(x.error))
        self.add(name, [x], tensor, move(x.value), error)

    def round(self, name: str, operands: Sequence[Node], tensor: te.Tensor, to: Rounded) -> None:
        """Enter a tensor of rounded floats."""
        self.add(name, operands, tensor, to.value, to.error)

    def done(self) -> Fixed:
        """The program."""
        last = [
            node
            for node in self.nodes
            if node.tensor not in self.read and not any(node is given for given in self.inputs)
        ]
        between = [
            node
            for node in self.nodes
            if node.tensor in self.read and not any(node is given for given in self.inputs)
        ]
        if between and self.chance(0.15):
            last.append(self.random.choice(between))
        if not last:
            return unscheduled(self.random)
        used = [
            node
            for node in self.inputs
            if node.tensor in self.read or any(node is given for given in self.nodes[:2])
        ]
        args = [node.tensor for node in (*used, *last)]
        given: list[np.ndarray] = [node.value for node in used]
        expected: dict[int, np.ndarray] = {}
        errors: dict[int, np.ndarray] = {}
        for node in last:
            if node.error is not None:
                errors[len(given)] = node.error
            expected[len(given)] = node.value
            given.append(np.full(node.shape, GARBAGE, node.dtype))
        module = te.create_prim_func(args)
        source = "; ".join(self.steps)
        return Fixed(
            module,
            given,
            expected,
            self.symbols,
            source=source,
            opening=self.opening,
            errors=errors,
        )


def _auto_scheduled(random: Random, module: kc.IRModule) -> kc.IRModule:
    """The module with the schedule that a build would choose: calls may go on from there."""
    host = Target.host_cpu().export()
    host["vector-width"] = random.choice((64, 128, 256))
    if random.random() < 0.5:
        host["l1-cache"], host["l2-cache"] = 256, 1024
    host["num-cores"] = random.choice((1, 2, 4))
    return kc.auto_schedule(module, Target(host)).mod


def _fits(left: Node, right: Node) -> bool:
    try:
        np.broadcast_shapes(left.shape, right.shape)
    except ValueError:
        return False
    return True


def draw(random: Random, keep: int | None) -> Fixed:
    """A network of up to six operators, or of its first ``keep``; sometimes with a schedule."""
    network = unscheduled(random, keep)
    if random.random() < 0.3:
        network.module = _auto_scheduled(random, network.module)
    return network


def unscheduled(random: Random, keep: int | None = None) -> Fixed:
    """A network of up to six operators, or of its first ``keep``, as topi makes it."""
    network = Network(random)
    for _ in range(min(random.randint(1, MOST_STEPS), keep or MOST_STEPS)):
        for _ in range(20):
            inputs = len(network.inputs)
            try:
                random.choice(OPERATORS)(network)
            except Unsuitable:
                del network.inputs[inputs:]
                continue
            break
    return network.done()


# Operators ---------------------------------------------------------------------------------


def _is_small(node: Node) -> bool:
    return node.is_float and bool((np.abs(node.value) <= 8).all())


def _sigmoid(x: Rounded) -> Rounded:
    below = Rounded(-x.value, x.error, x.dtype).monotone(np.exp)
    return (below + 1.0).reciprocal()


def activation(net: Network) -> None:
    """An elementwise function of floats."""
    x = net.pick(_is_small)
    r = x.rounded
    name, tensor, value = net.random.choice(
        (
            ("exp", topi.exp, lambda: r.monotone(np.exp)),
            ("tanh", topi.tanh, lambda: r.monotone(np.tanh)),
            ("sigmoid", topi.sigmoid, lambda: _sigmoid(r)),
            ("sin", topi.sin, lambda: r.sin()),
            ("sqrt", lambda t: topi.sqrt(topi.abs(t)), lambda: r.absolute().monotone(_sqrt)),
            ("log", lambda t: topi.log(topi.abs(t) + 1.0), lambda: _log_of_next(r)),
            ("silu", topi.nn.silu, lambda: r * _sigmoid(r)),
        )
    )
    net.round(name, [x], tensor(x.tensor), value())


def _sqrt(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(x, 0))


def _log_of_next(x: Rounded) -> Rounded:
    return (x.absolute() + Rounded.exact(1.0, x.dtype)).monotone(np.log)


def unary(net: Network) -> None:
    """An elementwise function of every type."""
    x = net.pick(lambda node: node.exact)
    v = x.value
    name, tensor, value = net.random.choice(
        (
            ("relu", topi.nn.relu, lambda: np.maximum(v, 0)),
            ("abs", topi.abs, lambda: np.abs(v)),
            ("clip", lambda t: topi.clip(t, 1, 3), lambda: np.clip(v, 1, 3)),
            ("times", lambda t: t * 3, lambda: v * np.asarray(3, v.dtype)),
            ("sign", topi.sign, lambda: np.sign(v)),
            ("identity", topi.identity, lambda: v),
        )
    )
    net.add(name, [x], tensor(x.tensor), value())


def cast(net: Network) -> None:
    """A conversion of small exact values."""
    x = net.pick(lambda node: node.exact and bool((np.abs(node.value) < 100).all()))
    if not (x.value >= 0).all():
        dtype = net.random.choice(("float32", "float64", "int32", "int64", "int16"))
    else:
        dtype = net.random.choice(DTYPES)
    net.add(f"cast to {dtype}", [x], topi.cast(x.tensor, dtype), x.value.astype(dtype))


BINARY: tuple[tuple[str, Any, Any, str], ...] = (
    ("add", topi.add, np.add, "add"),
    ("subtract", topi.subtract, np.subtract, "sub"),
    ("multiply", topi.multiply, np.multiply, "mul"),
    ("maximum", topi.maximum, np.maximum, "max"),
    ("minimum", topi.minimum, np.minimum, "min"),
)


def binary(net: Network) -> None:
    """An operator with broadcasting."""
    x = net.pick()
    y = net.partner(x)
    name, operator, value, op = net.random.choice(BINARY)
    if net.chance(0.5):
        x, y = y, x
    tensor = operator(x.tensor, y.tensor)
    if x.exact and y.exact:
        net.add(name, [x, y], tensor, value(x.value, y.value))
    else:
        net.round(name, [x, y], tensor, x.rounded.by(op, y.rounded))


def select(net: Network) -> None:
    """A choice by a comparison of exact values."""
    x = net.pick(lambda node: node.exact)
    y = net.partner(x)
    if not y.exact:
        raise Unsuitable
    name = net.random.choice(("less", "greater_equal", "equal"))
    compare = getattr(topi, name)(x.tensor, y.tensor)
    condition = getattr(np, name)(x.value, y.value)
    tensor = topi.where(compare, x.tensor, y.tensor)
    net.add(f"where {name}", [x, y], tensor, np.where(condition, x.value, y.value))


def reduction(net: Network) -> None:
    """A reduction over some axes."""
    x = net.pick(lambda node: node.rank > 0 and node.value.size > 0)
    keepdims = net.chance(0.4)
    count = net.random.randint(1, x.rank)
    axes: Any = tuple(sorted(net.random.sample(range(x.rank), count)))
    axes = None if net.chance(0.15) else axes
    name = net.random.choice(("sum", "max", "min", "mean", "prod"))
    if name == "mean" and not x.is_float:
        name = "max"
    tensor = getattr(topi, name)(x.tensor, axes, keepdims)
    if not x.exact or name == "mean":
        every = range(x.rank) if axes is None else axes
        net.round(f"{name} over {axes}", [x], tensor, x.rounded.reduce(name, every, keepdims))
        return
    value = getattr(np, name)(x.value, axis=axes, keepdims=keepdims)
    if name in ("sum", "prod"):
        value = value.astype(x.value.dtype)
    net.add(f"{name} over {axes}", [x], tensor, value)


def arg_reduction(net: Network) -> None:
    """Add the index of the largest or smallest element, the first of several."""
    x = net.pick(lambda node: node.exact and node.rank > 0 and node.value.size > 0)
    axis, keepdims = net.axis(x), net.chance(0.4)
    name = net.random.choice(("argmax", "argmin"))
    value = getattr(np, name)(x.value, axis=axis, keepdims=keepdims)
    net.add(f"{name} over {axis}", [x], getattr(topi, name)(x.tensor, axis, keepdims), value)


def transpose(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 1)
    axes = list(range(x.rank))
    net.random.shuffle(axes)
    name = f"transpose {axes}"
    net.move(name, x, topi.transpose(x.tensor, axes), lambda v: v.transpose(axes))


def reshape(net: Network) -> None:
    """The elements in another shape of the same number of factors, or more."""
    x = net.pick(lambda node: node.fixed)
    sizes: list[int] = []
    left = x.value.size
    while left > 1 and len(sizes) < 3:
        divisors = [n for n in range(2, left + 1) if left % n == 0]
        sizes.append(net.random.choice(divisors))
        left //= sizes[-1]
    sizes.insert(net.random.randint(0, len(sizes)), left)
    net.move(f"reshape {sizes}", x, topi.reshape(x.tensor, sizes), lambda v: v.reshape(sizes))


def expand(net: Network) -> None:
    x = net.pick(lambda node: node.rank < 4)
    axis = net.random.randint(0, x.rank)
    tensor = topi.expand_dims(x.tensor, axis)
    net.move(f"expand_dims {axis}", x, tensor, lambda v: np.expand_dims(v, axis))


def squeeze(net: Network) -> None:
    x = net.pick(lambda node: node.fixed and 1 in node.shape and node.rank > 1)
    axis = net.random.choice([n for n, size in enumerate(x.shape) if size == 1])
    tensor = topi.squeeze(x.tensor, axis)
    net.move(f"squeeze {axis}", x, tensor, lambda v: np.squeeze(v, axis))


def concatenate(net: Network) -> None:
    """A tensor with itself, and with a new one."""
    x = net.pick(lambda node: node.rank > 0 and node.fixed)
    axis = net.axis(x)
    shape = list(x.shape)
    shape[axis] = net.random.randint(1, 3)
    y = net.input(shape, x.dtype)
    parts = net.random.choice(([x, y], [y, x], [x, x], [x, y, x]))
    value = np.concatenate([part.value for part in parts], axis)
    tensor = topi.concatenate([part.tensor for part in parts], axis)
    error = None
    if not x.exact:
        error = np.concatenate([part.rounded.error for part in parts], axis)
    net.add(f"concatenate over {axis}", parts, tensor, value, error)


def stack(net: Network) -> None:
    x = net.pick(lambda node: node.rank < 4)
    axis = net.random.randint(0, x.rank)
    tensor = topi.stack([x.tensor, x.tensor], axis)
    net.move(f"stack {axis}", x, tensor, lambda v: np.stack([v, v], axis))


def split(net: Network) -> None:
    """All parts are results, or operands of what follows."""
    x = net.pick(lambda node: node.fixed and any(size > 1 for size in node.shape))
    axis = net.random.choice([n for n, size in enumerate(x.shape) if size > 1])
    at = net.random.randint(1, x.shape[axis] - 1)
    tensors = topi.split(x.tensor, [at], axis)
    for n, tensor in enumerate(tensors):
        name = f"split at {at} of {axis}"
        net.move(name, x, tensor, lambda v, n=n: np.split(v, [at], axis)[n])


def flip(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0)
    axis = net.axis(x)
    net.move(f"flip {axis}", x, topi.flip(x.tensor, axis), lambda v: np.flip(v, axis))


def strided_slice(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0 and node.fixed and node.value.size > 0)
    axis = net.random.randrange(x.rank)
    size = x.shape[axis]
    begin = net.random.randrange(size)
    end = net.random.randint(begin + 1, size)
    step = net.random.choice((1, 1, 2, 3))
    at = tuple(slice(begin, end, step) if n == axis else slice(None) for n in range(x.rank))
    tensor = topi.strided_slice(x.tensor, [begin], [end], [step], [axis])
    net.move(f"slice {begin}:{end}:{step} of {axis}", x, tensor, lambda v: v[at])


def tile(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0 and node.fixed)
    reps = [net.random.choice((1, 1, 2, 3)) for _ in range(x.rank)]
    net.move(f"tile {reps}", x, topi.tile(x.tensor, reps), lambda v: np.tile(v, reps))


def repeat(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0)
    axis, times = net.axis(x), net.random.randint(1, 3)
    name = f"repeat {times} of {axis}"
    tensor = topi.repeat(x.tensor, times, axis)
    net.move(name, x, tensor, lambda v: np.repeat(v, times, axis))


def take(net: Network) -> None:
    """Some elements of an axis, by indices that may be outside: those are clipped."""
    x = net.pick(lambda node: node.rank > 0 and node.value.size > 0)
    axis = net.axis(x)
    size = x.shape[axis]
    shape = net.random.choice(([3], [2, 2], [5], [1]))
    which = net.input(shape, net.random.choice(("int32", "int64")),
                      values=net.numbers.integers(-1, size + 1, shape))  # fmt: skip
    value, bounds = (
        np.take(array, which.value, axis, mode="clip") for array in (x.value, x.rounded.error)
    )
    tensor = topi.take(x.tensor, which.tensor, axis)
    net.add(f"take of {axis}", [x, which], tensor, value, None if x.exact else bounds)


def pad(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0)
    before = [net.random.choice((0, 0, 1, 2)) for _ in range(x.rank)]
    after = [net.random.choice((0, 0, 1, 3)) for _ in range(x.rank)]
    around = list(zip(before, after, strict=True))
    value = np.pad(x.value, around, constant_values=2)
    tensor = topi.nn.pad(x.tensor, before, after, 2)
    error = None if x.error is None else np.pad(x.error, around)
    net.add(f"pad {before} {after}", [x], tensor, value, error)


def cumsum(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0 and node.exact)
    axis = net.axis(x)
    value = np.cumsum(x.value, axis, dtype=x.value.dtype)
    tensor = topi.cumsum(x.tensor, axis, dtype=x.dtype)
    net.add(f"cumsum of {axis}", [x], tensor, value)


def sort(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0 and node.exact and node.value.size > 0)
    axis = net.axis(x)
    if net.chance(0.5):
        net.add(f"sort of {axis}", [x], topi.sort(x.tensor, axis), np.sort(x.value, axis))
        return
    value = np.argsort(x.value, axis, kind="stable")
    tensor = topi.argsort(x.tensor, axis=axis, dtype="int32")
    net.add(f"argsort of {axis}", [x], tensor, value)


def one_hot(net: Network) -> None:
    x = net.pick(lambda node: node.dtype in ("int32", "int64") and node.rank < 4)
    value = np.where(x.value[..., None] == np.arange(4), 3, 1)
    net.add("one_hot", [x], topi.one_hot(x.tensor, 3, 1, 4, -1, "int32"), value)


def trilu(net: Network) -> None:
    x = net.pick(lambda node: node.rank >= 2)
    k, upper = net.random.randint(-2, 2), net.chance(0.5)
    tensor = topi.trilu(x.tensor, k, upper)
    half = np.triu if upper else np.tril
    net.move(f"trilu {k} {upper}", x, tensor, lambda v: half(v, k))


def product(net: Network) -> None:
    """A product of matrices, perhaps of batches, either of them transposed."""
    x = net.pick(lambda node: node.rank in (2, 3) and node.value.size > 0 and node.exact)
    rows = net.random.randint(1, 9)
    if x.rank == 3:
        turned = net.chance(0.5)
        terms = x.shape[1] if turned else x.shape[2]
        turned_too = net.chance(0.5)
        batch = x.shape[0] if isinstance(x.tensor.shape[0], int) else 1
        y = net.input([batch, rows, terms] if turned_too else [batch, terms, rows], x.dtype)
        left = x.value.swapaxes(1, 2) if turned else x.value
        right = y.value.swapaxes(1, 2) if turned_too else y.value
        tensor = topi.nn.batch_matmul(
            x.tensor, y.tensor, None, None, transpose_a=turned, transpose_b=turned_too
        )
        net.add("batch_matmul", [x, y], tensor, left @ right)
        return
    if net.chance(0.5):
        weight = net.input([rows, x.shape[1]], x.dtype)
        bias = net.input([rows], x.dtype)
        value = x.value @ weight.value.T + bias.value
        tensor = topi.nn.dense(x.tensor, weight.tensor, bias.tensor)
        net.add("dense", [x, weight, bias], tensor, value)
        return
    turned, turned_too = net.chance(0.5), net.chance(0.5)
    terms = x.shape[0] if turned else x.shape[1]
    y = net.input([rows, terms] if turned_too else [terms, rows], x.dtype)
    left = x.value.T if turned else x.value
    right = y.value.T if turned_too else y.value
    tensor = topi.matmul(x.tensor, y.tensor, turned, turned_too)
    net.add("matmul", [x, y], tensor, left @ right)


def _windows(
    x: np.ndarray, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> np.ndarray:
    """Windows over the last two axes: (..., rows, columns, *kernel)."""
    view = np.lib.stride_tricks.sliding_window_view(
        x, [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)], (-2, -1)
    )
    return view[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


def convolution(net: Network) -> None:
    """A convolution of images, perhaps each channel by itself."""
    x = net.pick(lambda node: node.rank == 4 and node.exact and node.value.size > 0)
    kernel = [net.random.randint(1, 3), net.random.randint(1, 3)]
    stride = [net.random.randint(1, 2), net.random.randint(1, 2)]
    padding = net.random.randint(0, 2)
    dilation = [1, 1] if net.chance(0.7) else [2, 1]
    padded = np.pad(x.value, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    if any(
        (k - 1) * d + 1 > size
        for k, d, size in zip(kernel, dilation, padded.shape[2:], strict=True)
    ):
        raise Unsuitable
    windows = _windows(padded, kernel, stride, dilation)
    channels = x.shape[1]
    if not isinstance(x.tensor.shape[1], int):
        raise Unsuitable
    if net.chance(0.3):
        weight = net.input([channels, 1, *kernel], x.dtype)
        value = np.einsum("ncijkl,ckl->ncij", windows, weight.value[:, 0])
        tensor = topi.nn.depthwise_conv2d_nchw(
            x.tensor, weight.tensor, stride, padding, dilation, x.dtype
        )
        net.add("depthwise", [x, weight], tensor, value.astype(x.value.dtype))
        return
    weight = net.input([net.random.randint(1, 4), channels, *kernel], x.dtype)
    value = np.einsum("ncijkl,ockl->noij", windows, weight.value)
    tensor = topi.nn.conv2d(x.tensor, weight.tensor, stride, padding, dilation, out_dtype=x.dtype)
    net.add("conv2d", [x, weight], tensor, value.astype(x.value.dtype))


def pool(net: Network) -> None:
    x = net.pick(lambda node: node.rank == 4 and node.value.size > 0 and node.is_float)
    kernel = [net.random.randint(1, 3), net.random.randint(1, 3)]
    stride = [net.random.randint(1, 2), net.random.randint(1, 2)]
    if any(k > size for k, size in zip(kernel, x.shape[2:], strict=True)):
        raise Unsuitable
    how = net.random.choice(("max", "avg"))
    tensor = topi.nn.pool2d(x.tensor, kernel, stride, [1, 1], [0, 0, 0, 0], how)
    windows = x.rounded.moved(lambda v: _windows(v, kernel, stride, (1, 1)))
    result = windows.reduce("max" if how == "max" else "mean", (-2, -1))
    error = None if x.exact and how == "max" else result.error
    net.add(f"{how} pool", [x], tensor, result.value, error)


def normalization(net: Network) -> None:
    """Softmax and norms."""
    x = net.pick(lambda node: node.rank > 0 and _is_small(node) and node.value.size > 0)
    axis = net.axis(x)
    r = x.rounded
    kind = net.random.choice(("softmax", "log_softmax", "layer_norm", "rms_norm"))
    if kind in ("softmax", "log_softmax"):
        shifted = r - r.reduce("max", [axis], True)
        power = shifted.monotone(np.exp)
        total = power.reduce("sum", [axis], True)
        result = power / total if kind == "softmax" else shifted - total.monotone(np.log)
        tensor = getattr(topi.nn, kind)(x.tensor, axis)
    else:
        centred = r - r.reduce("mean", [axis], True) if kind == "layer_norm" else r
        spread = (centred * centred).reduce("mean", [axis], True) + 0.5
        result = centred / spread.monotone(np.sqrt)
        if kind == "layer_norm":
            tensor = topi.nn.layer_norm(x.tensor, None, None, axis, 0.5)
        else:
            tensor = topi.nn.rms_norm(x.tensor, None, axis, 0.5)
    net.round(f"{kind} of {axis}", [x], tensor, result)


def weighted_sum(net: Network) -> None:
    """Sums with the weights of a softmax, as attention has them: what ``online_softmax`` is for."""
    x = net.pick(lambda node: node.rank == 2 and _is_small(node) and node.value.size > 0)
    if x.dtype not in ("float32", "float64"):
        raise Unsuitable
    terms, columns = x.shape[1], net.random.randint(1, 6)
    y = net.input([terms, columns], x.dtype)
    r = x.rounded
    power = (r - r.reduce("max", [1], True)).monotone(np.exp)
    total = power.reduce("sum", [1], True)
    # The sums of a part are multiplied by a power once for each part that follows.
    slack = 2 * (terms + 1) * OF_FUNCTION * UNIT[x.dtype]
    power, total = (
        Rounded(sums.value, sums.error + slack * np.abs(sums.value), x.dtype)
        for sums in (power, total)
    )
    products = power.moved(lambda v: v[:, :, None]) * Rounded.exact(y.value[None], x.dtype)
    result = products.reduce("sum", [1]) / total
    tensor = topi.matmul(topi.nn.softmax(x.tensor, 1), y.tensor)
    net.round("weighted sum", [x, y], tensor, result)
    net.opening = net.random.choice((("online-softmax",), ("split", "online-softmax"), ()))


def _some(net: Network, shape: Sequence[int], size: int) -> Node:
    """An input of indices that are less than ``size``."""
    return net.input(
        shape, net.random.choice(("int32", "int64")), values=net.numbers.integers(0, size, shape)
    )


def gather(net: Network) -> None:
    """Elements along an axis, or at points."""
    x = net.pick(lambda node: node.rank > 0 and node.fixed and node.value.size > 0)
    if net.chance(0.5):
        axis = net.axis(x)
        shape = list(x.shape)
        shape[axis] = net.random.randint(1, 4)
        which = _some(net, shape, x.shape[axis])
        indices = which.value.astype("int64")
        tensor = topi.gather(x.tensor, axis, which.tensor)
        name, look = f"gather of {axis}", lambda v: np.take_along_axis(v, indices, axis)
    else:
        rank = net.random.randint(1, x.rank)
        shape = [rank, *net.shape(net.random.randint(1, 2))]
        which = _some(net, shape, min(x.shape[:rank]))
        points = tuple(which.value)
        tensor = topi.gather_nd(x.tensor, which.tensor)
        name, look = "gather_nd", lambda v: v[points]
    error = None if x.exact else look(x.rounded.error)
    net.add(name, [x, which], tensor, look(x.value), error)


def scatter(net: Network) -> None:
    """Sums of updates at indices, several of which may be equal; or new values at distinct ones."""
    x = net.pick(lambda node: node.rank > 0 and node.fixed and node.exact and node.value.size > 0)
    value = x.value.copy()
    if net.chance(0.3):
        rank, count = net.random.randint(1, x.rank), net.random.randint(1, 4)
        which = _some(net, [rank, count], min(x.shape[:rank]))
        updates = net.input([count, *x.shape[rank:]], x.dtype)
        np.add.at(value, tuple(which.value), updates.value)
        tensor = topi.scatter_nd(x.tensor, which.tensor, updates.tensor, "add")
        net.add("scatter_nd", [x, which, updates], tensor, value)
        return
    axis = net.axis(x)
    shape = list(x.shape)
    adds = net.chance(0.6)
    shape[axis] = net.random.randint(1, shape[axis] + 2 if adds else shape[axis])
    which = _some(net, shape, x.shape[axis])
    if not adds:
        order = net.numbers.random(x.shape).argsort(axis).take(range(shape[axis]), axis)
        which.value = order.astype(which.dtype)
    updates = net.input(shape, x.dtype)
    places = list(np.indices(shape))
    places[axis] = which.value.astype("int64")
    if adds:
        np.add.at(value, tuple(places), updates.value)
    else:
        value[tuple(places)] = updates.value
    function = topi.scatter_add if adds else topi.scatter
    tensor = function(x.tensor, which.tensor, updates.tensor, axis)
    net.add(f"{function.__name__} of {axis}", [x, which, updates], tensor, value)


def sparse_product(net: Network) -> None:
    """A product with a matrix of which the rows are stored without zeros, or a sum with it."""
    x = net.pick(lambda node: node.rank == 2 and node.fixed and node.exact)
    adds = net.chance(0.3)
    rows, columns = x.shape if adds else (net.random.randint(1, 6), x.shape[1])
    held = net.numbers.random((rows, columns)) < 0.4
    if not held.any():
        raise Unsuitable
    starts = np.concatenate([[0], np.cumsum(held.sum(1))])
    data = net.input([int(held.sum())], x.dtype)
    indices = net.input([int(held.sum())], "int32", values=np.nonzero(held)[1])
    pointers = net.input([rows + 1], "int32", values=starts)
    matrix = np.zeros((rows, columns), x.value.dtype)
    matrix[held] = data.value
    parts = data.tensor, indices.tensor, pointers.tensor
    operands = [x, data, indices, pointers]
    if adds:
        net.add("sparse_add", operands, topi.sparse.sparse_add(x.tensor, *parts), x.value + matrix)
        return
    tensor = topi.sparse.sparse_dense(x.tensor, *parts)
    net.add("sparse_dense", operands, tensor, x.value @ matrix.T)


def sequence(net: Network) -> None:
    """Sequences of which each has a length: in reverse, or filled up behind their ends."""
    x = net.pick(lambda node: node.rank >= 2 and node.fixed and node.value.size > 0)
    axis = net.random.randint(0, 1)
    size, batch = x.shape[axis], x.shape[1 - axis]
    lengths = net.input([batch], "int32", values=net.numbers.integers(1, size + 1, [batch]))
    place, length = np.arange(size)[:, None], lengths.value[None]
    if net.chance(0.5):
        place = np.where(place < length, length - 1 - place, place)
        tensor = topi.reverse_sequence(x.tensor, lengths.tensor, axis, 1 - axis)

        def look(v: np.ndarray) -> np.ndarray:
            whole = place.reshape(size, batch, *[1] * (x.rank - 2))
            whole = whole if axis == 0 else whole.swapaxes(0, 1)
            return np.take_along_axis(v, np.broadcast_to(whole, v.shape), axis)

        net.move("reverse_sequence", x, tensor, look)
        net.read.add(lengths.tensor)
        return
    inside = (place < length).reshape(size, batch, *[1] * (x.rank - 2))
    inside = inside if axis == 0 else inside.swapaxes(0, 1)
    tensor = topi.sequence_mask(x.tensor, lengths.tensor, 3, axis)
    error = None if x.exact else np.where(inside, x.rounded.error, 0)
    net.add("sequence_mask", [x, lengths], tensor, np.where(inside, x.value, 3), error)


def topk(net: Network) -> None:
    x = net.pick(lambda node: node.rank > 0 and node.exact and node.value.size > 0)
    axis, ascending = net.axis(x), net.chance(0.5)
    if not isinstance(x.tensor.shape[axis], int):
        raise Unsuitable
    k = net.random.randint(1, x.shape[axis])
    # Of equal elements the first come first.
    keys = x.value.astype("float64") * (1 if ascending else -1)
    order = np.argsort(keys, axis, kind="stable").take(range(k), axis)
    values, places = topi.topk(x.tensor, k, axis, "both", ascending, "int32")
    net.add(f"topk {k} of {axis}", [x], values, np.take_along_axis(x.value, order, axis))
    net.add(f"places of topk {k} of {axis}", [x], places, order)


def searchsorted(net: Network) -> None:
    x = net.pick(lambda node: node.rank in (1, 2) and node.fixed and node.exact)
    size, right = net.random.randint(1, 6), net.chance(0.5)
    table = np.sort(net.numbers.integers(0 if x.dtype.startswith("u") else -4, 5, [size]))
    ordered = net.input([size], x.dtype, values=table)
    value = np.searchsorted(ordered.value, x.value, "right" if right else "left")
    tensor = topi.searchsorted(ordered.tensor, x.tensor, right, "int32")
    net.add("searchsorted", [ordered, x], tensor, value)


def recurrence(net: Network) -> None:
    """A scan along the first axis: each step adds to the state, or has the larger of two."""
    x = net.pick(lambda node: node.rank == 2 and node.fixed and node.exact and node.shape[0] > 0)
    steps, columns = x.shape
    number = len(net.steps)
    state = te.placeholder((steps, columns), x.dtype, f"S{number}")
    begin = te.compute((1, columns), lambda _, i: x.tensor[0, i], f"S{number}_init")
    adds = net.chance(0.5)
    update = te.compute(
        (steps, columns),
        lambda t, i: (
            state[t - 1, i] + x.tensor[t, i] if adds else tir.max(state[t - 1, i], x.tensor[t, i])
        ),
        f"S{number}_update",
    )
    tensor = te.scan(begin, update, state, [x.tensor], name=f"scan{number}")
    running = np.cumsum if adds else np.maximum.accumulate
    value = running(x.value, 0)
    net.add("scan", [x], tensor, value.astype(x.value.dtype))


OPERATORS: tuple[Callable[[Network], None], ...] = (
    activation, activation, unary, cast, binary, binary, binary, select, reduction, reduction,
    arg_reduction, transpose, transpose, reshape, reshape, expand, squeeze, concatenate, stack,
    split, flip, strided_slice, tile, repeat, take, pad, cumsum, sort, one_hot, trilu, product,
    product, convolution, convolution, pool, normalization, normalization, weighted_sum,
    weighted_sum, gather, scatter, scatter, sparse_product, sequence, topk, searchsorted,
    recurrence,
)  # fmt: skip
