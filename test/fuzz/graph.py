"""Random typed graphs of up to 30 operators: shared values, tuples, branches, loops, functions,
constants, and dimensions with names.

The reference is the graph as it was drawn, run operator by operator by the interpreter of tensor
expressions. It is compared with the graph that is printed and read again, after each of some random
passes, after the optimisations of a random level, and compiled, also as C for a compiler of C.
Values stay small, and no branch and no index depends on a rounded float, so that results differ by
rounding alone.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

import kc
from kc import graph
from kc.dialects.graph.control import IfOp, WhileOp, YieldOp
from kc.dialects.graph.declaration import Pattern, RelationError, call
from kc.dialects.graph.functions import CallIndirectOp, CallOp, FnOp, FuncOp, ReturnOp
from kc.dialects.graph.sizes import SizeExpr, dimension, evaluate
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.support import registry
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.transform import PassContext

if TYPE_CHECKING:
    from cases import Outcome

LINE = re.compile(r'mod = after\(mod, r"([\w-]+)"\)')
"""A line of a failure that applies a pass."""
MOST = 30
"""Operators of a graph, at most."""
LARGEST = 512
"""Elements of a value, at most: the reference is slow."""
SIZES = (1, 1, 2, 2, 3, 4, 4, 5, 8)
TOLERANCE = 2e-4
"""Relative to the largest element, or to 1: of a chain of 30 operators of small values."""
REFUSED = ("KC2449",)
"""Sizes that are products of names: the type of an argument cannot say them."""
PASSES_AT_ONCE = 3
"""Passes that run alone, one after the other."""
WITHOUT = {
    "fast-math": "its results differ by more than rounding",
    "first-order-gradient": "its functions return gradients too",
    "graph-optimize": "it has a stage of its own",
    "lower-te": "it takes operators alone",
    "to-cps": "its forms are functions of any type, which defunctionalization refuses",
    "to-mixed-precision": "its results differ by more than rounding",
}
"""Passes that do not run alone, with the reason."""

UNARY = (
    "tanh", "sigmoid", "negative", "nn.relu", "abs", "erf", "cos", "sin", "atan", "copy",
    "nn.leaky_relu", "nn.gelu", "nn.silu", "nn.hardswish", "nn.elu", "zeros_like", "ones_like",
)  # fmt: skip
BINARY = ("add", "subtract", "multiply", "maximum", "minimum")
INTEGER_BINARY = ("add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_xor")
COMPARISONS = ("less", "greater", "equal", "not_equal", "less_equal", "greater_equal")
REDUCTIONS = ("mean", "max", "min", "sum")


def _concrete(spec: TensorSpec, names: dict[str, int]) -> tuple[int, ...]:
    return tuple(
        size if isinstance(size, int) else int(evaluate(size, names))
        for size in spec.shape
        if size is not None
    )


def _parts(spec: Any) -> list[TensorSpec]:
    return list(spec) if isinstance(spec, tuple) else [spec]


class Writer:
    """Draws the operations of a block; values are those that it may use."""

    def __init__(
        self, random: Random, block: Block, names: dict[str, int], left: list[int]
    ) -> None:
        self.random = random
        self.block = block
        self.names = names
        self.left = left
        """The number of operators that may still be drawn, shared by all blocks."""
        self.values: list[SSAValue] = list(block.args)
        self.depth = 0

    def add_end(self, op: Operation) -> None:
        """Append the operation that ends the block."""
        self.block.add_op(op)

    def add(self, op: Operation) -> SSAValue:
        """Append an operation; its result."""
        self.block.add_op(op)
        return op.results[0]

    def spec(self, value: SSAValue) -> TensorSpec | None:
        """The type of a tensor."""
        spec = spec_of(value.type)
        return spec if isinstance(spec, TensorSpec) else None

    def concrete(self, spec: Any) -> TensorSpec:
        """The type with numbers for the names of dimensions."""
        assert isinstance(spec, TensorSpec)
        return TensorSpec(_concrete(spec, self.names), spec.dtype)

    def some(self, *dtypes: str, rank: int | None = None) -> SSAValue | None:
        """One of the values, more often a late one: chains, and still sharing."""
        fitting = [
            value
            for value in self.values
            if (spec := self.spec(value)) is not None
            and spec.dtype in dtypes
            and (rank is None or spec.rank == rank)
        ]
        if not fitting:
            return None
        return self.random.choice(fitting[-4:] if self.random.random() < 0.6 else fitting)

    def apply(self, name: str, *operands: SSAValue | None, **attributes: Any) -> SSAValue | None:
        """A call of an operator, unless an operand is missing or the result is too large."""
        if any(operand is None for operand in operands):
            return None
        values = [each for each in operands if each is not None]
        op = call(name, *values, **attributes)
        result = spec_of(op.result.type)
        if result is None or any(None in spec.shape for spec in _parts(result)):
            return None
        sizes = [self.concrete(spec_of(each.type)) for each in values]
        # Sizes that a relation leaves to the call are equal here; it refuses others.
        exact = op.operator.infer(*sizes)
        if _parts(exact) != [self.concrete(spec) for spec in _parts(result)]:
            # Two names that are 1 and another size are equal for a relation, so a call refuses it.
            assert op.OPERATOR.pattern is Pattern.BROADCAST, f"type of {op}"
            return None
        if any(np.prod(_concrete(spec, {})) > LARGEST for spec in _parts(exact)):
            return None
        self.left[0] -= 1
        return self.add(op)

    def constant(self, shape: Sequence[int], dtype: str = "float32") -> SSAValue:
        """A constant of small elements."""
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        array = (
            rng.integers(-3, 4, shape) if dtype == "int32" else rng.integers(-8, 9, shape) / 8
        ).astype(dtype)
        return self.add(ConstantOp.of(array))

    def step(self) -> None:
        """Draw one computation, and keep its result."""
        draw = self.random.choices(list(CHOICES), list(CHOICES.values()))[0]
        with contextlib.suppress(RelationError):
            value = draw(self)
            if value is not None:
                self.values.append(value)

    def inner(self, types: Sequence[Any], outer: Sequence[SSAValue]) -> Writer:
        """The writer of a region with arguments, which may use values from outside."""
        inside = Writer(self.random, Block(arg_types=types), self.names, self.left)
        inside.values = [*outer, *inside.values]
        inside.depth = self.depth + 1
        return inside

    def result_of(self, type_: Any) -> SSAValue:
        """A value of a type, after some computations."""
        for _ in range(self.random.randint(0, 3)):
            self.step()
        return self.random.choice([value for value in self.values if value.type == type_][-3:])


FLOAT, INT, BOOL = "float32", "int32", "bool"


def _unary(w: Writer) -> SSAValue | None:
    return w.apply(w.random.choice(UNARY), w.some(FLOAT))


def _clipped(w: Writer) -> SSAValue | None:
    return w.apply("clip", w.some(FLOAT), a_min=-1.0, a_max=float(w.random.choice((0.5, 1.0))))


def _binary(w: Writer) -> SSAValue | None:
    return w.apply(w.random.choice(BINARY), w.some(FLOAT), w.some(FLOAT))


def _with_constant(w: Writer) -> SSAValue | None:
    operand = w.some(FLOAT)
    spec = None if operand is None else w.spec(operand)
    if spec is None:
        return None
    count = w.random.randint(0, spec.rank)
    shape = [
        size if isinstance(size, int) and w.random.random() < 0.7 else 1
        for size in spec.shape[spec.rank - count :]
    ]
    sides = [operand, w.constant(shape)]
    w.random.shuffle(sides)
    return w.apply(w.random.choice(BINARY), *sides)


def _integers(w: Writer) -> SSAValue | None:
    return w.apply(w.random.choice(INTEGER_BINARY), w.some(INT), w.some(INT))


def _compared(w: Writer) -> SSAValue | None:
    return w.apply(w.random.choice(COMPARISONS), w.some(INT), w.some(INT))


def _where(w: Writer) -> SSAValue | None:
    return w.apply("where", w.some(BOOL), w.some(FLOAT), w.some(FLOAT))


def _cast(w: Writer) -> SSAValue | None:
    return w.apply("cast", w.some(INT, BOOL), dtype="float32")


def _axis(w: Writer, value: SSAValue | None) -> int | None:
    spec = None if value is None else w.spec(value)
    return w.random.randrange(-spec.rank, spec.rank) if spec is not None and spec.rank else None


def _reduced(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    axis = _axis(w, value)
    if axis is None:
        return None
    name = w.random.choice(REDUCTIONS)
    result = w.apply(name, value, axis=(axis,), keepdims=w.random.random() < 0.6)
    return w.apply("tanh", result) if name == "sum" else result


def _normalized(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    axis = _axis(w, value)
    return None if axis is None else w.apply("nn.softmax", value, axis=axis)


def _layer_norm(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    spec = None if value is None else w.spec(value)
    if spec is None or not spec.rank or not isinstance(spec.shape[-1], int):
        return None
    size = spec.shape[-1]
    return w.apply("nn.layer_norm", value, w.constant([size]), w.constant([size]), epsilon=0.1)


def _transposed(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT, INT, BOOL)
    spec = None if value is None else w.spec(value)
    if spec is None:
        return None
    axes = list(range(spec.rank))
    w.random.shuffle(axes)
    return w.apply("transpose", value, axes=tuple(axes))


def _reshaped(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT, INT)
    spec = None if value is None else w.spec(value)
    if spec is None or not spec.rank:
        return None
    shapes: list[tuple[Any, ...]] = [(-1,), (0, -1), (1, -1)]
    if all(isinstance(size, int) for size in spec.shape):
        total = int(np.prod([size for size in spec.shape if isinstance(size, int)]))
        shapes += [(n, total // n) for n in (2, 3, 4) if total and total % n == 0]
    return w.apply("reshape", value, newshape=w.random.choice(shapes))


def _expanded(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT, INT)
    spec = None if value is None else w.spec(value)
    if spec is None or spec.rank > 3:
        return None
    return w.apply("expand_dims", value, axis=w.random.randint(-spec.rank - 1, spec.rank))


def _squeezed(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT, INT)
    spec = None if value is None else w.spec(value)
    if spec is None:
        return None
    single = [n for n, size in enumerate(spec.shape) if size == 1]
    return w.apply("squeeze", value, axis=(w.random.choice(single),)) if single else None


def _sliced(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT, INT)
    spec = None if value is None else w.spec(value)
    if spec is None:
        return None
    axes = [n for n, size in enumerate(spec.shape) if isinstance(size, int) and size > 1]
    if not axes:
        return None
    axis = w.random.choice(axes)
    size = spec.shape[axis]
    assert isinstance(size, int)
    begin = w.random.randrange(size)
    end, step = w.random.randint(begin + 1, size), w.random.choice((1, 1, 2))
    return w.apply(
        "strided_slice", value, begin=(begin,), end=(end,), strides=(step,), axes=(axis,)
    )


def _concatenated(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    axis = _axis(w, value)
    if value is None or axis is None:
        return None
    again = [each for each in w.values if each.type == value.type]
    parts = [w.random.choice(again) for _ in range(w.random.randint(1, 3))]
    return w.apply("concatenate", value, *parts, axis=axis)


def _stacked(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    spec = None if value is None else w.spec(value)
    if value is None or spec is None or spec.rank > 3:
        return None
    again = [each for each in w.values if each.type == value.type]
    return w.apply("stack", value, w.random.choice(again), axis=w.random.randint(0, spec.rank))


def _split(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    axis = _axis(w, value)
    if axis is None:
        return None
    count = w.random.choice((2, 3))
    parts = w.apply("split", value, indices_or_sections=count, axis=axis)
    if parts is None:
        return None
    fields = [w.add(TupleGetItemOp(parts, n)) for n in w.random.sample(range(count), 2)]
    w.values += fields[1:]
    return fields[0]


def _tuple(w: Writer) -> SSAValue | None:
    fields = [w.some(FLOAT, INT), w.some(FLOAT, INT)]
    values = [field for field in fields if field is not None]
    if len(values) != 2:
        return None
    return w.add(TupleGetItemOp(w.add(TupleOp(values)), w.random.randrange(2)))


def _dense(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    spec = None if value is None else w.spec(value)
    if spec is None or not spec.rank or not isinstance(spec.shape[-1], int):
        return None
    units = w.random.choice(SIZES)
    product = w.apply("nn.dense", value, w.constant([units, spec.shape[-1]]))
    if w.random.random() < 0.5 and product is not None:
        product = w.apply("nn.bias_add", product, w.constant([units]), axis=-1)
    return w.apply("tanh", product)


def _product(w: Writer) -> SSAValue | None:
    left, right = w.some(FLOAT, rank=3), w.some(FLOAT, rank=3)
    transposed = w.random.random() < 0.5
    return w.apply("tanh", w.apply("nn.batch_matmul", left, right, transpose_b=transposed))


def _convolved(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT, rank=4)
    spec = None if value is None else w.spec(value)
    if spec is None or not isinstance(spec.shape[1], int):
        return None
    channels, outputs = spec.shape[1], w.random.choice((1, 2, 4))
    taps = w.random.choice((1, 3))
    weight = w.constant([outputs, channels, taps, taps])
    result = w.apply(
        "nn.conv2d", value, weight, padding=(taps // 2,) * 2,
        strides=(w.random.choice((1, 2)),) * 2,
    )  # fmt: skip
    if w.random.random() < 0.5:
        statistics = [w.constant([outputs]) for _ in range(3)]
        variance = w.add(ConstantOp.of(np.full(outputs, 0.5, np.float32)))
        normalized = w.apply("nn.batch_norm", result, *statistics, variance)
        result = None if normalized is None else w.add(TupleGetItemOp(normalized, 0))
    return w.apply(w.random.choice(("tanh", "nn.relu")), w.apply("tanh", result))


def _pooled(w: Writer) -> SSAValue | None:
    name = w.random.choice(("nn.max_pool2d", "nn.avg_pool2d", "nn.global_avg_pool2d"))
    if name == "nn.global_avg_pool2d":
        return w.apply(name, w.some(FLOAT, rank=4))
    return w.apply(
        name, w.some(FLOAT, rank=4), pool_size=(2, 2), strides=(w.random.choice((1, 2)),) * 2
    )


def _taken(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    spec = None if value is None else w.spec(value)
    if spec is None:
        return None
    axes = [n for n, size in enumerate(spec.shape) if isinstance(size, int) and size > 0]
    if not axes:
        return None
    axis = w.random.choice(axes)
    size = spec.shape[axis]
    places = np.array([w.random.randrange(int(str(size))) for _ in range(3)], np.int32)
    return w.apply("take", value, w.add(ConstantOp.of(places)), axis=axis)


def _scanned(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT)
    axis = _axis(w, value)
    return None if axis is None else w.apply("tanh", w.apply("cumsum", value, axis=axis))


def _let(w: Writer) -> SSAValue | None:
    value = w.some(FLOAT, INT)
    return None if value is None else w.add(LetOp(f"v{w.left[0]}", value))


def _if(w: Writer) -> SSAValue | None:
    condition, like = w.some(BOOL, rank=0), w.some(FLOAT)
    if condition is None or like is None or w.depth > 1:
        return None
    regions: list[Region] = []
    for _ in range(2):
        inside = w.inner([], w.values)
        inside.add_end(YieldOp(inside.result_of(like.type)))
        regions.append(Region(inside.block))
    return w.add(IfOp(condition, regions[0], regions[1], like.type))


def _while(w: Writer) -> SSAValue | None:
    """A loop of some iterations, which carries a counter and a value."""
    like = w.some(FLOAT)
    if like is None or w.depth > 0:
        return None
    count = w.add(ConstantOp.of(np.int32(0)))
    start = w.add(TupleOp([count, like]))
    asked = w.inner([start.type], w.values)
    carried = asked.block.args[0]
    number = asked.add(TupleGetItemOp(carried, 0))
    limit = asked.add(ConstantOp.of(np.int32(w.random.randint(0, 3))))
    asked.add_end(YieldOp(asked.add(call("less", number, limit))))
    body = w.inner([start.type], w.values)
    number = body.add(TupleGetItemOp(body.block.args[0], 0))
    number = body.add(call("add", number, body.add(ConstantOp.of(np.int32(1)))))
    body.values.append(body.add(TupleGetItemOp(body.block.args[0], 1)))
    following = body.add(call("tanh", body.result_of(like.type)))
    body.add_end(YieldOp(body.add(TupleOp([number, following]))))
    loop = w.add(WhileOp(start, Region(asked.block), Region(body.block)))
    return w.add(TupleGetItemOp(loop, 1))


def _closure(w: Writer) -> SSAValue | None:
    """A function that is a value and uses values from outside, called once or twice."""
    operand = w.some(FLOAT)
    if operand is None or w.depth > 1:
        return None
    inside = w.inner([operand.type], w.values)
    inside.add_end(ReturnOp(inside.result_of(operand.type)))
    function = w.add(FnOp(Region(inside.block)))
    result = operand
    for _ in range(w.random.randint(1, 2)):
        result = w.add(CallIndirectOp(function, [result], operand.type))
    return result


CHOICES: dict[Callable[[Writer], SSAValue | None], int] = {
    _unary: 6, _clipped: 1, _binary: 6, _with_constant: 4, _integers: 2, _compared: 2, _where: 2,
    _cast: 1, _reduced: 3, _normalized: 1, _layer_norm: 1, _transposed: 3, _reshaped: 3,
    _expanded: 2, _squeezed: 2, _sliced: 2, _concatenated: 2, _stacked: 1, _split: 2, _tuple: 2,
    _dense: 3, _product: 2, _convolved: 2, _pooled: 1, _taken: 1, _scanned: 1, _let: 1, _if: 2,
    _while: 1, _closure: 1,
}  # fmt: skip


def _arguments(random: Random, names: dict[str, int]) -> list[TensorSpec]:
    symbols = [dimension(name) for name in names]

    def size() -> int | SizeExpr:
        return random.choice(symbols) if symbols and random.random() < 0.5 else random.choice(SIZES)

    base = [size() for _ in range(4)]
    floats = [TensorSpec(tuple(base[4 - random.randint(1, 4) :]), FLOAT) for _ in range(3)]
    integers = [TensorSpec(tuple(base[4 - random.randint(0, 2) :]), INT) for _ in range(2)]
    return [*floats, *integers, TensorSpec((), BOOL), TensorSpec((), BOOL)]


def drawn(random: Random, keep: int | None = None) -> tuple[ModuleOp, list[np.ndarray]]:
    """A module with the function ``main``, and arguments for it; ``keep`` limits the operators."""
    names = {
        name: random.choice((1, 2, 3, 5))
        for name in ("n", "m")[: random.choices((0, 1, 2), (6, 3, 1))[0]]
    }
    while True:
        specs = _arguments(random, names)
        if all(np.prod(_concrete(spec, names)) <= LARGEST for spec in specs):
            break
    functions: list[FuncOp] = []
    left = [min(random.randint(1, MOST), keep or MOST)]
    main = Writer(random, Block(arg_types=[spec.type for spec in specs]), names, left)
    if random.random() < 0.3 and left[0] > 6:
        functions.append(_helper(random, specs[0], names))
    for _ in range(8 * left[0]):
        if left[0] <= 0:
            break
        main.step()
        if functions and random.random() < 0.15:
            operands = [value for value in main.values if value.type == specs[0].type]
            called = CallOp("helper", [random.choice(operands)], specs[0].type)
            main.values.append(main.add(called))
    results = [main.random.choice(main.values[-4:]) for _ in range(random.choice((1, 1, 2, 3)))]
    result = results[0] if len(results) == 1 else main.add(TupleOp(results))
    main.add_end(ReturnOp(result))
    labels = [f"a{n}" for n in range(len(specs))]
    functions.insert(0, _function("main", main.block, labels))
    rng = np.random.default_rng(random.randrange(1 << 30))
    return ModuleOp(list(functions)), [_array(rng, spec, names) for spec in specs]


def _helper(random: Random, spec: TensorSpec, names: dict[str, int]) -> FuncOp:
    writer = Writer(random, Block(arg_types=[spec.type]), names, [4])
    writer.depth = 2
    writer.add_end(ReturnOp(writer.result_of(spec.type)))
    return _function("helper", writer.block, ["x"], "private")


def _function(
    name: str, block: Block, labels: Sequence[str], visibility: str | None = None
) -> FuncOp:
    from xdsl.dialects.builtin import FunctionType

    last = block.last_op
    assert isinstance(last, ReturnOp)
    type_ = FunctionType.from_lists([each.type for each in block.args], [last.value.type])
    return FuncOp(name, type_, Region(block), labels, visibility)


def _array(rng: np.random.Generator, spec: TensorSpec, names: dict[str, int]) -> np.ndarray:
    shape = _concrete(spec, names)
    if spec.dtype == FLOAT:
        return (rng.integers(-16, 17, shape) / 16).astype(np.float32)
    return np.array(
        rng.integers(-3, 4, shape) if spec.dtype == INT else rng.random(shape) < 0.5, spec.dtype
    )


def _flat(value: Any) -> list[np.ndarray]:
    if isinstance(value, list | tuple):
        return [array for field in value for array in _flat(field)]
    return [np.asarray(value.numpy() if hasattr(value, "numpy") else value)]


def compare(value: Any, expected: Sequence[np.ndarray]) -> None:
    """Raise AssertionError unless the results agree: floats within the tolerance."""
    arrays = _flat(value)
    assert len(arrays) == len(expected), f"{len(arrays)} results, not {len(expected)}"
    for n, (array, right) in enumerate(zip(arrays, expected, strict=True)):
        assert (array.shape, array.dtype) == (right.shape, right.dtype), (
            f"result {n}: {array.dtype}{array.shape}, not {right.dtype}{right.shape}"
        )
        if right.dtype != np.float32:
            assert (array == right).all(), f"result {n}: {array}, not {right}"
            continue
        scale = max(1.0, float(np.abs(right).max(initial=0.0)))
        off = float(np.abs(array - right).max(initial=0.0))
        assert off <= TOLERANCE * scale, f"result {n} is off by {off} of {scale}"


def run(random: Random, keep: int | None, native: bool, outcome: Outcome) -> None:
    """Draw a graph and run it in each way."""
    module, arguments = drawn(random, keep)
    with diagnostic_handler(lambda _: None):
        original = kc.IRModule(module)
        outcome.original = outcome.source = text = str(original)
        outcome.stage = "verify"
        module.verify()
        outcome.stage = "reference"
        expected = _flat(graph.Interpreter(module, "interpreter").run(*arguments))
        assert all(np.isfinite(array).all() for array in expected if array.dtype == np.float32)
        outcome.stage = "parse"
        again = kc.IRModule.parse(text)
        assert str(again) == text, "the printed graph is read as another"
        compare(graph.Interpreter(again).run(*arguments), expected)
        outcome.checks.append("read again")
        chosen = random.sample(_passes(), PASSES_AT_ONCE)
        if outcome.given is not None:
            chosen = [LINE.fullmatch(line)[1] for line in outcome.given]  # pyright: ignore
        for name in chosen:
            outcome.stage = f"pass {name}"
            outcome.lines.append(f'mod = after(mod, r"{name}")')
            outcome.tried[f"--{name}"] += 1
            again = kc.transform.Sequential([registry.pass_class(name)()])(again)
            again.op.verify()
            compare(graph.Interpreter(again).run(*arguments), expected)
            outcome.checks.append("passed graph")
        level = random.randint(0, 4)
        outcome.stage = f"level {level}"
        disabled = ["FastMath"]
        with PassContext(opt_level=level, disabled_pass=disabled):
            optimized = kc.transform.Sequential([registry.pass_class("graph-optimize")()])(
                kc.IRModule.parse(text)
            )
        optimized.op.verify()
        compare(graph.Interpreter(optimized).run(*arguments), expected)
        outcome.checks.append("optimised graph")
        if native:
            _run_compiled(random, text, level, arguments, expected, outcome)
    outcome.stage = "done"


def _run_compiled(
    random: Random,
    text: str,
    level: int,
    arguments: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    outcome: Outcome,
) -> None:
    outcome.stage = f"build at level {level}"
    with PassContext(opt_level=level, disabled_pass=["FastMath"]):
        try:
            compiled = graph.build(kc.IRModule.parse(text))
        except KCError as error:
            if error.code not in REFUSED:
                raise
            outcome.checks.append(f"refused graph ({error.code})")
            return
    try:
        for _ in range(2):  # the arena is used again
            compare(compiled(*(array.copy() for array in arguments)), expected)
    except KCError as error:
        # A kernel takes names as equal that are not: 2 * n and n are 2 and 1, which broadcast.
        if error.code != "KC5132" or "#graph.dims" not in text:
            raise
        outcome.checks.append("refused call")
        return
    outcome.checks.append("native graph")
    if random.random() < 0.1:
        outcome.stage = f"save at level {level}"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "graph.so"
            compiled.export_library(str(path))
            compare(kc.runtime.load_module(str(path))(*arguments), expected)
        outcome.checks.append("saved graph")


def _passes() -> list[str]:
    """The passes of graphs that keep results up to rounding."""
    from kc.areas import graph as area

    return sorted(name for name in area.PLUGIN.families["graph"] if name not in WITHOUT)
