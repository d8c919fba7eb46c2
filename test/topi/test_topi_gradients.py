"""Gradients of operators in float64 against central differences, along a random direction."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from topi_cases import TABLE, Maker, Program

import kc
from kc import te, topi
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.expr.tensor import ComputeOp, Operation, PlaceholderOp
from kc.te.to_ir import post_order

ALWAYS = (
    "multiply", "divide", "maximum", "exp", "nn.leaky_relu", "sum", "max", "nn.pad", "nn.dense",
    "nn.conv2d", "nn.pool2d", "nn.softmax", "nn.layer_norm", "take", "image.resize1d",
    "sparse.sparse_dense", "scanop",
)  # fmt: skip
"""The slice of `make test`."""

RANGES = {"acosh": (1.5, 3.0), "nn.nll_loss": (0.2, 0.9)}

ROIS = "T(4, 5, of=[[0, 0, 0, 4, 4], [1, -1.3, .7, 2.4, 3.1], [0, 1, 1, 1, 1], [5, 0, 0, 3, 3]])"
"""Regions: a whole image, one that is partly outside, a point, and one of no image."""
ROWS = "T(5, dtype='int32', of=[0, 4, 2, 7, 2]), T(4, dtype='int32', of=[0, 2, 2, 5])"
"""Columns, one of which is outside and one twice in its row; an empty row."""
PLACES = "T(1, 5, dtype='int32', of=[[2, 0, 2, 9, 2]])"
"""One place three times, one outside."""

CALLS: dict[str, Sequence[str]] = {
    "random.uniform": ["random.uniform(T(4, dtype='uint32'), T(3, 1), T(2), (3, 2), 'float64')"],
    "random.normal": ["random.normal(T(4, dtype='uint32'), T(3, 1), T(2), (3, 2), 'float64')"],
    "vision.roi_align_nchw": [
        f"vision.roi_align_nchw(T(2, 1, 5, 5), {ROIS}, (2, 2), 0.7, {mode})"
        for mode in ("'max', 2", "'avg', 2", "'max'", "'avg'")
    ],
    "vision.roi_align_nhwc": [f"vision.roi_align_nhwc(T(2, 5, 5, 2), {ROIS}, (2, 3), 1.0, 'avg')"],
    "vision.roi_pool_nchw": [f"vision.roi_pool_nchw(T(2, 1, 5, 5), {ROIS}, (2, 2), 1.0)"],
    "scatter_nd": [
        f"scatter_nd(T(4, 2), {PLACES}, T(5, 2), '{mode}')"
        for mode in ("mul", "max", "min", "add", "update")
    ],
    "index_put": [
        f"index_put(T(4, 2), [T(5, dtype='int32', of=[2, 0, 2, 9, 2])], T(5, 2), None, {added})"
        for added in (False, True)
    ],
    "scatter_reduce": [
        "scatter_reduce(T(4, 2), T(3, 2, dtype='int32', of=[2, 0, 2, 9, 2, -1]), T(3, 2), 0, "
        f"'{mode}', {include_self})"
        for mode in ("sum", "prod", "mean", "amax", "amin")
        for include_self in (True, False)
    ],
    "masked_scatter": [
        "masked_scatter(T(3, 2), T(3, 1, dtype='bool', of=[1, 0, 1]), T(3))",
        "masked_scatter(T(3, 2), T(3, 2, dtype='bool', of=[1, 0, 1, 1, 0, 0]), T(7))",
    ],
    "as_strided": ["as_strided(T(3, 4), (3, 4), (2, 1), 1)"],
    "sparse_to_dense": [
        "sparse_to_dense(T(5, dtype='int32', of=[2, 0, 2, 9, 2]), (4,), T(5), 0.5)",
        "sparse_to_dense(T(3, 2, dtype='int32', of=[[0, 1], [0, 1], [1, 0]]), (2, 2), T(), 0.5)",
        "sparse_to_dense(T(dtype='int32', of=1), (3,), T(), 0.5)",
    ],
    "nn.max_unpool": ["nn.max_unpool(T(1, 2, 3), T(1, 2, 3, dtype='int64', of=[[[1, 4, 1], "
                      "[-1, 9, 0]]]), 2, 2)"],
    "scanop": [
        "scanop(T(3, 4), lambda a, b: a * b + b, 1.0, 'horner', 1)",
        "scanop(T(3, 4), lambda a, b: te.max(a, b), 0.0, 'cummax', 0, exclusive=True)",
        "scanop(T(3, 2), lambda a, b: te.if_then_else(b > 0.5, a * b, a), 1.0, 'kept')",
    ],
    "compress": ["compress(T(4, dtype='bool', of=[1, 0, 1, 1]), T(3, 3), 0)"],
    "sparse.csrmv": [f"sparse.csrmv((T(5), {ROWS}), T(5, 1), T(3))"],
    "sparse.csrmm": [f"sparse.csrmm((T(5), {ROWS}), T(5, 2), T(3))"],
    "sparse.dense": [f"sparse.dense(T(2, 5), (T(5), {ROWS}))",
                     f"sparse.dense((T(5), {ROWS}), T(2, 5))"],
    "sparse.sparse_dense": [f"sparse.sparse_dense(T(2, 6), T(5, 2, 3), {ROWS})",
                            f"sparse.sparse_dense(T(2, 6), T(5, 2, 3), {ROWS}, True)"],
    "sparse.sparse_add": [f"sparse.sparse_add(T(3, 5), T(5), {ROWS})"],
    "sparse.sparse_transpose": [f"sparse.sparse_transpose(T(5), {ROWS})"],
    "sparse.sparse_fill_empty_rows": ["sparse.sparse_fill_empty_rows(T(3, 1, dtype='int32', "
                                      "of=[[2], [7], [0]]), T(3), (4,), 0.5)"],
    "nn.lstm": [
        "nn.lstm(T(3, 1, 2), T(8, 2), T(8, 2))",
        "nn.lstm(T(3, 2, 4), T(12, 4), T(12, 2), T(12), T(12), T(2, 2), T(2, 3), T(2, 3), T(3), "
        "T(3), T(3))",
        "nn.lstm(T(2, 1, 3), T(8, 3), T(8, 2), T(8), h_init=T(1, 2), f_act=tanh, reverse=True, "
        "h_act=lambda x: x * x, weight_layout='OGFI')",
    ],
}  # fmt: skip
"""Calls in place of the example, where its random indices would be outside."""


class Doubles(Maker):
    """Placeholders of float64 in the place of float32, with numbers between those of a range.

    Those whose values are given have no gradient.
    """

    low, high = 0.2, 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        self.given: list[te.Tensor] = []

    def __call__(self, *shape, dtype="float32", of=None):
        if dtype != "float32":
            return super().__call__(*shape, dtype=dtype, of=of)
        if of is not None:
            self.given.append(super().__call__(*shape, dtype="float64", of=of))
            return self.given[-1]
        values = self.generator.uniform(self.low, self.high, shape)
        return super().__call__(*shape, dtype="float64", of=values)


WITHOUT_FLOATS = (
    "eye", "full", "arange", "one_hot", "nn.quantize", "nn.winograd_transform_matrices",
    "signal.hann_window", "signal.hamming_window", "signal.blackman_window",
    "signal.mel_weight_matrix", "vision.multibox_prior",
)  # fmt: skip
"""Operators whose gradient is 0, since they have no argument or no result of floats that vary."""

DIFFERENTIABLE = [
    name
    for name, row in TABLE.items()
    if row.gradient in ("te", "own", "zero") and name not in WITHOUT_FLOATS
]


def derivatives(name: str, call: str) -> None:
    """Of each result of floats, with respect to all arguments of floats."""
    maker = Doubles(3)
    maker.low, maker.high = RANGES.get(name, (0.2, 0.9))
    names = {each: getattr(topi, each) for each in topi.__all__}
    results = eval(call, {**names, "T": maker, "te": te})
    outputs = results if isinstance(results, list | tuple) else [results]
    outputs = [o for o in outputs if o.dtype == "float64" and o not in maker.inputs]
    assert outputs
    for output in outputs:
        of_output(call, maker, output)


def of_output(call_text: str, maker: Doubles, output: te.Tensor) -> None:
    floats = [
        n
        for n, tensor in enumerate(maker.inputs)
        if tensor.dtype == "float64" and tensor not in maker.given
    ]
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
    np.testing.assert_allclose(along, slope, rtol=1e-6, atol=1e-7, err_msg=call_text)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ALWAYS else pytest.mark.sweep)
        for name in DIFFERENTIABLE
    ],
)
def test_gradient(name: str):
    for call in CALLS.get(name, [TABLE[name].example]):
        derivatives(name, call)


def gradient_of(call: str, flow: np.ndarray) -> np.ndarray:
    """The gradient of the only float argument, whose values are given."""
    maker = Doubles(3)
    result = eval(call, {**{each: getattr(topi, each) for each in topi.__all__}, "T": maker})
    head = te.placeholder(result.shape, "float64", "H")
    (gradient,) = te.gradient(result, maker.given, head)
    (computed,) = Program([*maker.inputs, head], [*maker.arrays, flow], [gradient]).interpreted()
    return computed


def refusal(output: te.Tensor, wanted: te.Tensor, head: te.Tensor | None = None) -> str:
    """The diagnostic of a gradient, without its line."""
    with pytest.raises(KCError) as caught:
        te.gradient(output, [wanted], head)
    lines = str(caught.value).split("\n")
    return "\n".join([lines[0], *lines[2:]])


def test_what_own_rules_do_not_give_is_refused():
    """No Jacobians, and nothing for operands without a rule, of loops."""
    images, rois = te.placeholder((1, 1, 4, 4), name="I"), te.placeholder((1, 5), name="R")
    aligned = topi.vision.roi_align_nchw(images, rois, (1, 1), 1.0)
    head = te.placeholder((1, 1, 1, 1), name="H")
    assert refusal(aligned, rois, head) == (
        "error[KC2203]: te.gradient: roi_align is the result of a te.extern, which has no "
        "derivative\n"
        "  why: it has own rules, for what flows to I alone\n"
        "  try: te.gradient(T, ...) of a tensor T that roi_align reads"
    )
    assert refusal(aligned, images) == (
        "error[KC2203]: te.gradient: roi_align is the result of a te.extern, which has no "
        "derivative\n"
        "  why: its own rules are for what flows to one result; a Jacobian is derived from "
        "computes alone\n"
        "  try: te.gradient(Y, [X], head), with a head of the shape of roi_align"
    )


def test_of_determinants():
    """The cofactors, also of matrices that have no inverse: of rank 2, and of rank 1."""
    matrices = np.array([[[0, 2, 1], [3, 0, 1], [1, 1, 0.5]], [[1, 2, 3], [2, 4, 6], [0, 1, 5]],
                         [[1, 2, 3], [2, 4, 6], [3, 6, 9]]])  # fmt: skip
    cofactors = np.array([
        [[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(m, i, 0), j, 1)) for j in range(3)]
         for i in range(3)] for m in matrices
    ])  # fmt: skip
    call = f"det(T(3, 3, 3, of={matrices.tolist()}))"
    result = gradient_of(call, np.array([1.0, 2.0, 1.0]))
    np.testing.assert_allclose(result, cofactors * [[[1]], [[2]], [[1]]], atol=1e-14)


def test_of_equal_elements():
    """Of equal largest elements the first has the gradient; what was there before, in a scatter."""
    region = "T(1, 5, dtype='float64', of=[[0, 0, 0, 1, 1]]), (1, 1), 1.0"
    image = "T(1, 1, 2, 2, of=[[[[1, 3], [3, 3]]]])"
    result = gradient_of(f"vision.roi_pool_nchw({image}, {region})", np.full((1, 1, 1, 1), 2.0))
    np.testing.assert_array_equal(result, [[[[0, 2], [0, 0]]]])
    places = "T(1, 2, dtype='int32', of=[[0, 0]]), T(2, dtype='float64', of=[5, 5]), 'max'"
    result = gradient_of(f"scatter_nd(T(2, of=[5, 1]), {places})", np.array([2.0, 3.0]))
    np.testing.assert_array_equal(result, [2, 3])
    for mode, places in (("max", [5.0, 5.0]), ("min", [1.0, 1.0])):
        head = te.placeholder((2,), "float64", "H")
        data, news = (te.placeholder((2,), "float64", name) for name in "XY")
        indices = te.placeholder((1, 2), "int32", "I")
        out = topi.scatter_nd(data, indices, news, mode)
        flows = te.gradient(out, [news], head)
        arrays = [np.array([5.0, 1.0]), np.array([[0, 1]], "int32"), np.array(places), np.ones(2)]
        call = Program([data, indices, news, head], arrays, flows)
        # What was there before keeps an equal element; the smaller or larger new one has it.
        expected = [0.0, 1.0] if mode == "max" else [1.0, 0.0]
        np.testing.assert_array_equal(call.interpreted()[0], expected)


def test_of_products_with_zeros():
    """Nothing is divided by: an update of 0 has the product of the others."""
    call = "scatter_nd(T(1, dtype='float64', of=[2]), T(1, 3, dtype='int32', of=[[0, 0, 0]]), "
    result = gradient_of(call + "T(3, of=[3, 0, 5]), 'mul')", np.array([1.0]))
    np.testing.assert_array_equal(result, [0, 30, 0])


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
    """The number of computed bodies; for statements, the number of elements that they read and
    write.
    """
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
"""The most that a gradient may cost, as a multiple of the cost of its operator: no sum runs over
all pairs of elements of a result and an operand.
"""


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
