"""Gradients of operators in float64 against central differences, along a random direction."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from topi_cases import TABLE, Maker, Program

import kc
from kc import te, topi
from kc.analysis.interpreter import run
from kc.te.tensor import ComputeOp, Operation, PlaceholderOp
from kc.te.to_ir import post_order

ALWAYS = (
    "multiply", "divide", "maximum", "exp", "nn.leaky_relu", "sum", "max", "nn.pad", "nn.dense",
    "nn.conv2d", "nn.pool2d", "nn.softmax", "nn.layer_norm", "take", "image.resize1d",
)  # fmt: skip
"""The slice of `make test`."""

RANGES = {"acosh": (1.5, 3.0), "nn.nll_loss": (0.2, 0.9)}


class Doubles(Maker):
    """Placeholders of float64 in the place of float32, with numbers between those of a range."""

    low, high = 0.2, 0.9

    def __call__(self, *shape, dtype="float32", of=None):
        if dtype != "float32":
            return super().__call__(*shape, dtype=dtype, of=of)
        values = self.generator.uniform(self.low, self.high, shape)
        return super().__call__(*shape, dtype="float64", of=values)


DIFFERENTIABLE = [name for name, row in TABLE.items() if row.gradient in ("te", "own")]


def derivatives(name: str) -> None:
    maker = Doubles(3)
    maker.low, maker.high = RANGES.get(name, (0.2, 0.9))
    names = {each: getattr(topi, each) for each in topi.__all__}
    outputs = eval(TABLE[name].example, {**names, "T": maker})
    output = outputs[0] if isinstance(outputs, list | tuple) else outputs
    floats = [n for n, tensor in enumerate(maker.inputs) if tensor.dtype == "float64"]
    head = te.placeholder(output.shape, "float64", "H")
    generator = np.random.default_rng(5)
    flow = np.asarray(generator.uniform(-1, 1, [int(size) for size in output.shape]))
    wanted = [maker.inputs[n] for n in floats]
    gradients = te.gradient(output, wanted, head)
    call = Program([*maker.inputs, head], [*maker.arrays, flow], gradients)
    results = call.interpreted()
    module = kc.lower(te.create_schedule(output.op), [*maker.inputs, output])

    def value(arrays) -> float:
        result = np.zeros(flow.shape)
        run(module.op, "main", [*arrays, result])
        return float((result * flow).sum())

    step = 1e-6
    directions = {n: np.asarray(generator.uniform(-1, 1, maker.arrays[n].shape)) for n in floats}
    ends = [
        [
            np.asarray(array + sign * step * directions[n]) if n in directions else array
            for n, array in enumerate(maker.arrays)
        ]
        for sign in (1, -1)
    ]
    slope = (value(ends[0]) - value(ends[1])) / (2 * step)
    along = sum(
        float((gradient * directions[n]).sum()) for n, gradient in zip(floats, results, strict=True)
    )
    np.testing.assert_allclose(along, slope, rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ALWAYS else pytest.mark.sweep)
        for name in DIFFERENTIABLE
    ],
)
def test_gradient(name: str):
    derivatives(name)


def test_at_padding_and_ties():
    """Of equal maxima each has its share; padding takes nothing."""
    x = te.placeholder((1, 1, 2, 2), "float64", "X")
    out = topi.nn.pool2d(x, 2, 2, 1, (1, 1, 1, 1), "max")
    head = te.placeholder((1, 1, 2, 2), "float64", "H")
    (gradient,) = te.gradient(out, [x], head)
    flow = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])
    (result,) = Program([x, head], [np.zeros((1, 1, 2, 2)), flow], [gradient]).interpreted()
    np.testing.assert_array_equal(result, flow)
    y = te.placeholder((3,), "float64", "Y")
    flow_to_it = te.placeholder((), "float64", "G")
    (shares,) = te.gradient(topi.max(y), [y], flow_to_it)
    arrays = [np.array([2.0, 1.0, 2.0]), np.array(3.0)]
    (result,) = Program([y, flow_to_it], arrays, [shares]).interpreted()
    np.testing.assert_array_equal(result, [1.5, 0, 1.5])


def work(operations: Sequence[Operation]) -> int:
    """How often bodies are computed; statements: the elements that they read and write."""
    total = 0
    for op in operations:
        if isinstance(op, ComputeOp):
            total += math.prod(int(axis.dom.extent) for axis in (*op.axis, *op.reduce_axis))
        elif not isinstance(op, PlaceholderOp):
            total += sum(math.prod(map(int, t.shape)) for t in (*op.outputs, *op.input_tensors))
    return total


COSTS = {
    'take(T(50, 4), T(60, dtype="int32"), 0)': 5,
    'gather(T(50, 4), 0, T(60, 4, dtype="int32"))': 5,
    'gather_nd(T(20, 20), T(2, 30, dtype="int32"))': 30,
    "image.resize2d(T(1, 2, 9, 9), None, (18, 18))": 4,
    "image.grid_sample(T(1, 2, 9, 9), T(1, 2, 9, 9))": 10,
    "nn.rotary_embedding(T(1, 2, 8, 32), T(8, 16), T(8, 16))": 8,
    "nn.pool2d(T(1, 2, 9, 9), 3, 2, 1, 1, 'max')": 5,
    "nn.pool2d(T(1, 2, 9, 9), 3, 2, 1, 1, 'avg')": 4,
    "nn.softmax(T(9, 30))": 4,
    "nn.log_softmax(T(9, 30))": 4,
    "nn.conv2d(T(1, 4, 9, 9), T(5, 4, 3, 3), 1, 1, 1)": 3,
    "nn.conv2d(T(1, 4, 9, 9), T(5, 4, 3, 3), 2, 1, 1)": 5,
    "nn.layer_norm(T(9, 30), T(30), T(30))": 5,
    "nn.batch_norm(T(2, 6, 5, 5), T(6), T(6), T(6), T(6))": 6,
    "nn.attention(T(1, 2, 9, 8), T(1, 2, 9, 8), T(1, 2, 9, 8))": 4,
}
"""What gradients may cost, in that of what they are the gradients of: no sum is over all pairs of
elements of a result and an operand."""


@pytest.mark.parametrize("call", COSTS)
def test_cost(call: str):
    maker = Doubles(3)
    names = {each: getattr(topi, each) for each in topi.__all__}
    outputs = eval(call, {**names, "T": maker})
    output = outputs[0] if isinstance(outputs, list | tuple) else outputs
    wanted = [tensor for tensor in maker.inputs if tensor.dtype == "float64"]
    head = te.placeholder(output.shape, "float64", "H")
    gradients = te.gradient(output, wanted, head)
    forward = post_order([output.op])
    backward = post_order(list(dict.fromkeys(tensor.op for tensor in gradients)))
    added = work([op for op in backward if op not in forward])
    assert added <= COSTS[call] * work(forward), added / work(forward)


def test_own_rules_are_used_where_they_are_declared():
    """The gradient of an element that an index names is added up by a statement, in the type of
    the data, and a second derivative reads it back."""
    data, places = te.placeholder((5, 2), "float16", "D"), te.placeholder((4,), "int32", "I")
    taken = topi.take(data, places, 0)
    head = te.placeholder((4, 2), "float16", "H")
    (flow,) = te.gradient(taken, [data], head)
    given = [np.zeros((5, 2), "float16"), np.array([1, 1, 9, -3], "int32"),
             np.arange(8).reshape(4, 2).astype("float16")]  # fmt: skip
    (result,) = Program([data, places, head], given, [flow]).interpreted()
    np.testing.assert_array_equal(result, [[6, 7], [2, 4], [0, 0], [0, 0], [4, 5]])
    again = te.placeholder((5, 2), "float16", "A")
    (second,) = te.gradient(flow, [head], again)
    given[2] = np.arange(10).reshape(5, 2).astype("float16")
    (result,) = Program([data, places, again], given, [second]).interpreted()
    np.testing.assert_array_equal(result, given[2][[1, 1, 4, 0]])


def test_operands_without_a_rule_are_derived():
    """The places of a grid have their gradient besides the image that is read by a rule; a tensor
    that is both adds up what flows on both ways."""
    image, grid = te.placeholder((1, 1, 3, 3), "float64", "X"), te.placeholder(
        (1, 2, 2, 2), "float64", "G")  # fmt: skip
    head = te.placeholder((1, 1, 2, 2), "float64", "H")
    flows = te.gradient(topi.image.grid_sample(image, grid), [image, grid], head)
    assert [flow.shape for flow in flows] == [image.shape, grid.shape]
    row, places = te.placeholder((4,), "float64", "R"), te.placeholder((2,), "int32", "I")
    both = topi.take(row, places) * topi.strided_slice(row, (0,), (2,))
    seed = te.placeholder((2,), "float64", "S")
    (flow,) = te.gradient(both, [row], seed)
    given = [np.array([2.0, 3, 5, 7]), np.array([3, 0], "int32"), np.array([1.0, 10])]
    (result,) = Program([row, places, seed], given, [flow]).interpreted()
    np.testing.assert_array_equal(result, [7 + 30, 20, 0, 2])


def test_jacobians_are_derived():
    data, places = te.placeholder((3,), "float64", "D"), te.placeholder((2,), "int32", "I")
    (jacobian,) = te.gradient(topi.take(data, places), [data])
    given = [np.zeros(3), np.array([2, 0], "int32")]
    (result,) = Program([data, places], given, [jacobian]).interpreted()
    np.testing.assert_array_equal(result, [[0, 0, 1], [1, 0, 0]])


def test_for_a_gpu_they_are_derived():
    """Threads share the sums over all who read an element, not a loop that adds up."""
    data, places = te.placeholder((5,), "float32", "D"), te.placeholder((4,), "int32", "I")
    head = te.placeholder((4,), "float32", "H")
    with kc.target.Target("cuda"):
        (flow,) = te.gradient(topi.take(data, places), [data], head)
    assert isinstance(flow.op, ComputeOp)
    (flow,) = te.gradient(topi.take(data, places), [data], head)
    assert not isinstance(flow.op, ComputeOp)


def test_of_updates_of_one_place_the_last_has_the_gradient():
    data, updates = (te.placeholder((n,), "float64", f"A{n}") for n in (3, 4))
    places, head = te.placeholder((1, 4), "int32"), te.placeholder((3,), "float64")
    result = topi.scatter_nd(data, places, updates)
    call = Program(
        [places, head],
        [np.array([[0, 0, -1, 7]], "int32"), np.array([2.0, 3.0, 5.0])],
        te.gradient(result, [data, updates], head),
    )
    to_data, to_updates = call.interpreted()
    np.testing.assert_array_equal(to_data, [0, 3, 0])
    np.testing.assert_array_equal(to_updates, [0, 2, 5, 0])
