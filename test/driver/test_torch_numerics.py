"""The types in which imported operators of torch compute: graphs of one operator, and torch itself.

Expected values are numpy's in float64, or torch's where it is installed; results are compared
within units in the last place of their own type.
"""

import importlib.util
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from torch_modules import Record, Size

import kc
from kc.frontend.torch.graph_import import import_graph
from kc.frontend.torch.numerics import NUMERICS
from kc.frontend.torch.operators import OPERATORS
from kc.frontend.torch.sizes import size_of
from kc.support.diagnostics import KCError

TYPES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
UNIT = {"bfloat16": 2.0**-7, "float16": 2.0**-10}
RANDOM = np.random.default_rng(7)
MANY = 40_000


def positive(*shape: int) -> np.ndarray:
    return RANDOM.random(shape)


def outlier(*shape: int) -> np.ndarray:
    x = RANDOM.standard_normal(shape)
    x[..., 3] = 300.0
    return x


def graph(
    target: str, arrays: list[np.ndarray], args: Callable[..., list[Any]], results: list[Any],
    **options: Any,
) -> Any:  # fmt: skip
    """A program of one operator on inputs; ``results`` are arrays, or what has their types."""

    def kind(array: Any) -> Record:
        return Record(dtype=f"torch.{array.dtype}", shape=list(array.shape))

    inputs = [
        Record(op="placeholder", name=f"x{n}", target=f"x{n}", args=[], kwargs={}, users=[1],
               meta={"val": kind(array)}, graph=None)
        for n, array in enumerate(arrays)
    ]  # fmt: skip
    several = len(results) > 1
    value = [kind(result) for result in results]
    node = Record(op="call_function", name="y", target=target, args=args(*inputs), kwargs=options,
                  users=[1], meta={"val": value if several else value[0]}, graph=None)  # fmt: skip
    parts = [
        Record(op="call_function", name=f"y{n}", target="<built-in function getitem>",
               args=[node, n], kwargs={}, users=[1], meta={"val": part}, graph=None)
        for n, part in enumerate(value)
    ] if several else []  # fmt: skip
    output = Record(op="output", name="output", args=[parts or [node]])
    signature = Record(inputs_to_parameters={}, inputs_to_buffers={}, buffers_to_mutate={},
                       inputs_to_lifted_tensor_constants={}, user_inputs_to_mutate={})  # fmt: skip
    program = Record(graph=Record(nodes=[*inputs, node, *parts, output]),
                     graph_signature=signature, state_dict={}, constants={})  # fmt: skip
    program.run_decompositions = lambda *_: program
    return program


def computed(
    target: str, arrays: list[np.ndarray], args: Callable[..., list[Any]], results: list[Any],
    **options: Any,
) -> list[np.ndarray]:  # fmt: skip
    program = graph(target, arrays, args, results, **options)
    given = kc.build(import_graph(program, "main", None))(*arrays)
    return [np.asarray(part) for part in (given if isinstance(given, tuple | list) else [given])]


def normalized(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


Row = tuple[list[np.ndarray], Callable[..., list[Any]], Callable[..., Any]]
SUMS: dict[str, Row] = {
    "mm": ([positive(3, 4096), positive(4096, 5)], lambda a, b: [a, b], np.matmul),
    "bmm": ([positive(2, 3, 4096), positive(2, 4096, 5)], lambda a, b: [a, b], np.matmul),
    "addmm": (
        [positive(5), positive(3, 4096), positive(4096, 5)], lambda c, a, b: [c, a, b],
        lambda c, a, b: c + a @ b,
    ),
    "convolution": (
        [positive(1, 4096, 2), positive(3, 4096, 1), positive(3)],
        lambda x, w, b: [x, w, b, [1], [0], [1], False, [0], 1],
        lambda x, w, b: np.einsum("ncw,oc->now", x, w[..., 0]) + b[:, None],
    ),
    "convolution transposed": (
        [positive(1, 4096, 2), positive(4096, 3, 1)],
        lambda x, w: [x, w, None, [1], [0], [1], True, [0], 1],
        lambda x, w: np.einsum("ncw,co->now", x, w[..., 0]),
    ),
    "sum.dim_IntList": ([positive(2, MANY)], lambda x: [x, [1]], lambda x: x.sum(1)),
    "mean.dim": ([1 + positive(2, MANY)], lambda x: [x, [1]], lambda x: x.mean(1)),
    "prod.dim_int": ([1 + positive(2, 2048) / 512], lambda x: [x, 1], lambda x: x.prod(1)),
    "var.correction": ([outlier(2, MANY)], lambda x: [x, [1]], lambda x: x.var(1, ddof=1)),
    "linalg_vector_norm": (
        [positive(2, MANY)], lambda x: [x, 2, [1]], lambda x: np.sqrt((x * x).sum(1)),
    ),
    "cumsum": ([positive(2, MANY)], lambda x: [x, 1], lambda x: x.cumsum(1)),
    "cumprod": ([1 + positive(2, 2048) / 512], lambda x: [x, 1], lambda x: x.cumprod(1)),
    "_softmax": ([positive(2, MANY)], lambda x: [x, 1, False], softmax),
    "_log_softmax": (
        [positive(2, MANY)], lambda x: [x, 1, False], lambda x: np.log(softmax(x)),
    ),
    "avg_pool1d": (
        [positive(1, 2, 4096)], lambda x: [x, [4096]], lambda x: x.mean(-1, keepdims=True),
    ),
    "_adaptive_avg_pool2d": (
        [positive(1, 2, 200, 200)], lambda x: [x, [1, 1]], lambda x: x.mean((2, 3), keepdims=True),
    ),
    "native_layer_norm": (
        [outlier(2, 4096)], lambda x: [x, [4096], None, None, 1e-5], normalized,
    ),
    "_native_batch_norm_legit.no_stats": (
        [positive(1, 3, MANY)], lambda x: [x, None, None, True, 0.1, 1e-5], normalized,
    ),
    "native_group_norm": (
        [positive(1, 2, MANY)], lambda x: [x, None, None, 1, 2, MANY, 2, 1e-5], normalized,
    ),
    "index_put": (
        [np.zeros(2), positive(4096), np.arange(4096) % 2], lambda z, x, i: [z, [i], x, True],
        lambda z, x, i: x.reshape(-1, 2).sum(0),
    ),
    "_cdist_forward": (
        [positive(2, 4096), positive(3, 4096)], lambda a, b: [a, b, 1.0, None],
        lambda a, b: np.abs(a[:, None] - b).sum(-1),
    ),
    "scatter_reduce.two": (
        [np.zeros(2), positive(4096), np.arange(4096) % 2], lambda z, x, i: [z, 0, i, x, "mean"],
        lambda z, x, i: x.reshape(-1, 2).sum(0) / 2049,
    ),
    "scatter_add": (
        [np.zeros(2), positive(4096), np.arange(4096) % 2], lambda z, x, i: [z, 0, i, x],
        lambda z, x, i: x.reshape(-1, 2).sum(0),
    ),
}  # fmt: skip
"""Operators that add up, or multiply, thousands of elements."""
X = np.linspace(-4, 4, 256)
ELEMENTS: dict[str, Row] = {
    "leaky_relu": ([X], lambda x: [x, 0.01], lambda x: np.where(x > 0, x, np.float32(0.01) * x)),
    "silu": ([X], lambda x: [x], lambda x: x / (1 + np.exp(-x))),
    "elu": ([X], lambda x: [x], lambda x: np.where(x > 0, x, np.expm1(x))),
    "pow.Tensor_Scalar": ([X + 5], lambda x: [x, 3], lambda x: x**3),
    "reciprocal": ([X + 5], lambda x: [x], lambda x: 1 / x),
    "arange.start_step": ([], lambda: [0, 200.0, 0.1], lambda: np.arange(2000) * 0.1),
}  # fmt: skip
"""Operators of several operations."""


@pytest.mark.each_row
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", [*SUMS, *ELEMENTS])
def test_halves_are_computed_in_float32(name: str, dtype: str):
    given, args, reference = {**SUMS, **ELEMENTS}[name]
    kind = TYPES[dtype]
    arrays = [x if x.dtype == np.int64 else x.astype(kind) for x in given]
    wide = [x if x.dtype == np.int64 else x.astype("float64") for x in arrays]
    expected = reference(*wide)
    shape = np.empty(np.shape(expected), kind)
    norms = {"native_layer_norm": (2, 1), "_native_batch_norm_legit.no_stats": (3,),
             "native_group_norm": (1, 2)}  # fmt: skip
    results = [shape]
    if name in norms:  # with means and factors
        results += [np.empty(norms[name], kind)] * 2
    overload = name.split()[0]
    target = f"aten.{overload}" if "." in overload else f"aten.{overload}.default"
    result = computed(target, arrays, args, results)[0]
    assert result.dtype == kind
    # One unit: half of one is the rounding, the rest is float32's. A mean of 40,000 elements, in
    # float32, is subtracted from elements that are close to it.
    near = 2.0**-17 if name in norms else 2.0**-20
    np.testing.assert_allclose(result.astype("float64"), expected, rtol=UNIT[dtype], atol=near)


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_are_those_that_torch_takes(dtype: str):
    """0.1 is none of either type: torch adds that of the type, and multiplies by float32's."""
    kind = TYPES[dtype]
    x = np.linspace(0, 0.2, 64).astype(kind)
    wide, own, single = x.astype("float32"), np.float32(kind(0.1)), np.float32(0.1)
    for target, expected in (("sub", wide - own), ("add", wide + own), ("mul", wide * single),
                             ("div", wide / single)):  # fmt: skip
        (result,) = computed(f"aten.{target}.Scalar", [x], lambda x: [x, 0.1], [x])
        np.testing.assert_array_equal(
            result.astype("float32"), expected.astype(kind).astype("float32"), target
        )
    (result,) = computed("aten.add.Tensor", [x, x], lambda a, b: [a, b], [x], alpha=0.1)
    np.testing.assert_array_equal(
        result.astype("float32"), (wide + own * wide).astype(kind).astype("float32")
    )


def test_integers_are_added_up_in_int64():
    x = np.full(10, 2**30, np.int32)
    for target, args, expected in (
        ("aten.sum.default", lambda x: [x], np.int64(10 * 2**30)),
        ("aten.cumsum.default", lambda x: [x, 0], np.arange(1, 11) * 2**30),
        ("aten.prod.default", lambda x: [x], np.int64(0)),  # 2^300 modulo 2^64
    ):
        (result,) = computed(target, [x], args, [np.asarray(expected)])
        np.testing.assert_array_equal(result, expected)
    truths = np.ones(300, bool)
    (result,) = computed("aten.sum.default", [truths], lambda x: [x], [np.asarray(np.int64(0))])
    assert result == 300


def test_scans_of_float32_are_added_up_in_float64():
    # 2^24 + 1 is none of float32: there each 1 would be lost.
    x = np.ones(1001, np.float32)
    x[0] = 2.0**24
    (result,) = computed("aten.cumsum.default", [x], lambda x: [x, 0], [x])
    assert result[-1] == 2.0**24 + 1000


def test_every_operator_has_numerics():
    entered = {name.removeprefix("aten.").removesuffix(".default") for name in OPERATORS}
    checks = {"_assert_tensor_metadata", "sym_constrain_range_for_size"}
    sizes = {name for name in entered if name.startswith("<built-in function")}
    assert entered - checks - sizes == {*NUMERICS}


def windows(x: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Maxima of windows along the last two axes, and their row-major places."""
    n, c, h, w = x.shape
    places = np.arange(h * w).reshape(h, w)
    values, indices = np.empty((n, c, h // size, w // size), x.dtype), []
    for at in np.ndindex(*values.shape):
        rows = slice(at[2] * size, (at[2] + 1) * size)
        columns = slice(at[3] * size, (at[3] + 1) * size)
        part = x[at[0], at[1], rows, columns]
        values[at] = part.max()
        indices.append(places[rows, columns].flat[part.argmax()])
    return values, np.array(indices, np.int64).reshape(values.shape)


def test_indices_of_pooled_maxima():
    x = RANDOM.integers(0, 4, (1, 2, 6, 6)).astype(np.float32)  # some are equal
    x[0, 0, :2, :2] = -np.inf
    values, indices = windows(x, 2)
    for target, args in (
        ("aten.max_pool2d_with_indices.default", lambda x: [x, [2, 2], [2, 2]]),
        ("aten.adaptive_max_pool2d.default", lambda x: [x, [3, 3]]),
    ):
        pooled, places = computed(target, [x], args, [values, indices])
        np.testing.assert_array_equal(pooled, values)
        np.testing.assert_array_equal(places, indices)
        assert places.dtype == np.int64


def between(middles: np.ndarray, size: int, taps: dict[int, Callable[..., Any]]) -> np.ndarray:
    """The matrix of an interpolation along an axis: ``taps`` are the weights of the elements so far
    from the one before a place. Outside is the last element."""
    low = np.floor(middles)
    matrix = np.zeros((len(middles), size))
    for offset, weight in taps.items():
        columns = (low + offset).clip(0, size - 1).astype(int)
        np.add.at(matrix, (np.arange(len(middles)), columns), weight(middles - low))
    return matrix


def keys(distance: np.ndarray, a: float = -0.75) -> np.ndarray:
    """The kernel of Keys, 1981, with torch's parameter."""
    near = (a + 2) * distance**3 - (a + 3) * distance**2 + 1
    far = a * (distance**3 - 5 * distance**2 + 8 * distance - 4)
    return np.where(distance <= 1, near, far)


@pytest.mark.parametrize("factors", [(2.4, 1.7), (0.37, 2.0)])
def test_places_follow_from_the_factor_and_not_from_the_rounded_size(factors: tuple[float, float]):
    """9 rows become 21, which are 1 / 2.4 apart and not 9 / 21."""
    sizes = (9, 7)
    outs = tuple(int(size * factor) for size, factor in zip(sizes, factors, strict=True))
    x = RANDOM.random((1, 1, *sizes)).astype(np.float32)
    y = np.empty((1, 1, *outs), np.float32)
    steps = [1 / factor for factor in factors]
    at = [(np.arange(out) + 0.5) * step - 0.5 for out, step in zip(outs, steps, strict=True)]
    first = [np.floor(np.arange(out) * step) for out, step in zip(outs, steps, strict=True)]
    inside = [place.clip(0, size - 1) for place, size in zip(at, sizes, strict=True)]
    ways: dict[str, tuple[list[np.ndarray], dict[int, Callable[..., Any]]]] = {
        "nearest2d": (first, {0: np.ones_like}),
        "bilinear2d": (inside, {0: lambda t: 1 - t, 1: lambda t: t}),
        "bicubic2d": (at, {n: lambda t, n=n: keys(abs(t - n)) for n in (-1, 0, 1, 2)}),
    }
    for kind, (places, taps) in ways.items():
        rows, columns = (
            between(place, size, taps) for place, size in zip(places, sizes, strict=True)
        )
        for name, size, rest in (
            (f"{kind}.vec", None, [[*factors]]),
            (f"{kind}.default", [*outs], [*factors]),
        ):
            call = [size, *([] if kind == "nearest2d" else [False]), *rest]
            given = computed(f"aten.upsample_{name}", [x], lambda x, call=call: [x, *call], [y])
            np.testing.assert_allclose(given[0][0, 0], rows @ x[0, 0] @ columns.T, atol=1e-5)


def test_nearest_places_are_products_of_float32():
    """As torch has them: 22 * (39 / 66) is 12.999999, not 13."""
    x = np.arange(39.0)[None, None, :, None]
    for dtype in (np.float32, np.float64):
        given, y = x.astype(dtype), np.empty((1, 1, 66, 1), dtype)
        name = "aten.upsample_nearest2d.vec"
        (result,) = computed(name, [given], lambda x: [x, [66, 1], None], [y])
        places = np.floor(np.arange(66, dtype=np.float32) * (np.float32(39) / np.float32(66)))
        assert places[22] == 12
        np.testing.assert_array_equal(result[0, 0, :, 0], places)


def test_a_result_that_no_rule_computes():
    x = np.ones((2, 3, 4), np.float32)
    three = np.ones(3, np.float32)
    target = "aten._native_batch_norm_legit_no_training.default"
    program = graph(target, [x, three], lambda x, m: [x, None, None, m, m, 0.1, 1e-5],
                    [x, np.empty(0, np.float32), np.empty(0, np.float32)])  # fmt: skip
    with pytest.raises(KCError) as caught:
        import_graph(program, "main", None)
    assert str(caught.value) == (
        "error[KC0091]: kc.from_torch: the exported program cannot be imported\n"
        f"  why: result 1 of {target} is used, kc computes 1"
    )


def test_sizes_are_read_without_running_them():
    symbols = {"s0": 12, "s1": 5}
    for text, expected in (
        ("2*s0 + 1", 25), ("s0//2 - s1", 1), ("((s0//5))", 2), ("-s0 + 20", 8), ("s0**2", 144),
        ("Mod(s0, s1)", 2), ("Max(1, s0, s1)", 12), ("Min(s0, s1)", 5), ("FloorDiv(s0, 5)", 2),
    ):  # fmt: skip
        assert size_of(text, symbols) == expected
    bad = (
        "__import__('os')", "s0.bit_length()", "s2", "s0**s1", "2**99", "9**8**7",
        "s0 if s1 else 1", "[s0]", "s0/2", "True", "1" * 30,
        "(" * 5000 + ")" * 5000, "s0 +", "Max()", "s0//0", "1+" * 6000 + "1",
        "lambda: 1", "'a'*9", "",
    )  # fmt: skip
    for text in bad:
        with pytest.raises(ValueError, match="."):  # with the reason
            size_of(text, symbols)


def test_a_size_that_is_no_sum_or_product():
    x = np.ones(3, np.float32)
    program = graph("aten.relu.default", [x], lambda x: [x], [x])
    program.graph.nodes[0].meta["val"].shape = [Size("s0/2")]
    with pytest.raises(KCError) as caught:
        import_graph(program, "main", None)
    assert "  why: the size s0/2 is not a sum or product of sizes: it has s0 / 2" in str(
        caught.value
    )


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_modules_of_halves_are_those_of_torch():
    import torch  # pyright: ignore[reportMissingImports]
    import torch.nn.functional as F  # pyright: ignore[reportMissingImports]

    torch.manual_seed(0)

    class Net(torch.nn.Module):
        def forward(self, x, q):
            pooled, places = F.max_pool2d(x, 2, return_indices=True)
            return (
                x.std((1, 2, 3)), F.gelu(x) * 0.1, pooled, places, x.lerp(x.flip(0), 0.3),
                F.scaled_dot_product_attention(q, q, q), torch.baddbmm(q, q, q, beta=0.3),
            )  # fmt: skip

    given = [torch.rand(2, 2, 8, 8).bfloat16(), torch.rand(2, 8, 8).bfloat16()]
    bits = [x.view(torch.int16).numpy().view(ml_dtypes.bfloat16) for x in given]
    results = kc.build(kc.from_torch(Net().eval(), *given))(*bits)
    for n, (result, expected) in enumerate(zip(results, Net()(*given), strict=True)):
        np.testing.assert_allclose(
            np.asarray(result).astype("float64"), expected.double().numpy(),
            rtol=2 * UNIT["bfloat16"], atol=1e-6, err_msg=str(n),
        )  # fmt: skip
