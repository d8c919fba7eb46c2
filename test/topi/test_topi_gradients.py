"""Gradients of operators in float64 against central differences, along a random direction."""

import numpy as np
import pytest
from topi_cases import TABLE, Maker, Program

import kc
from kc import te, topi
from kc.analysis.interpreter import run

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


DIFFERENTIABLE = [name for name, row in TABLE.items() if row.gradient == "te"]


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
