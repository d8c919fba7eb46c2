"""kc.build: numbers against numpy, for every element type, intrinsic and kind of schedule."""

import threading
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import CallError, CodegenError, ParseError, TEError

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]


def values(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return rng.uniform(-2, 2, shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def run(
    function: Callable[..., te.Tensor],
    *arrays: np.ndarray,
    out: str,
    schedule: Callable[[te.Stage], None] | None = None,
) -> np.ndarray:
    """``function`` of tensors like ``arrays``, computed elementwise by a compiled kernel."""
    return run_all(lambda *inputs: [function(*inputs)], *arrays, out=[out], schedule=schedule)[0]


def run_all(
    function: Callable[..., Sequence[te.Tensor]],
    *arrays: np.ndarray,
    out: Sequence[str],
    schedule: Callable[[te.Stage], None] | None = None,
) -> list[np.ndarray]:
    """The results of ``function``, all computed by one kernel."""
    inputs = [
        te.placeholder(array.shape, str(array.dtype), f"in{n}") for n, array in enumerate(arrays)
    ]
    results = function(*inputs)
    s = te.create_schedule([result.op for result in results])
    if schedule is not None:
        for result in results:
            schedule(s[result])
    outs = [
        np.empty([size for size in result.shape if isinstance(size, int)], dtype)
        for result, dtype in zip(results, out, strict=True)
    ]
    kc.build(s, [*inputs, *results])(*arrays, *outs)
    return outs


def vectors(stage: te.Stage) -> None:
    stage.vectorize(stage.split(stage.op.axis[-1], factor=16)[1])


@pytest.mark.parametrize("schedule", [None, vectors], ids=["scalar", "vector"])
@pytest.mark.parametrize("dtype", INTS)
def test_integers_wrap_as_numpy(dtype: str, schedule):
    a, b = values(dtype, (37,)), values(dtype, (37,), 1)
    result = run(
        lambda x, y: te.compute((37,), lambda i: (x[i] * y[i] + x[i]) - (y[i] ^ x[i]), name="C"),
        a,
        b,
        out=dtype,
        schedule=schedule,
    )
    np.testing.assert_array_equal(result, (a * b + a) - (b ^ a))


@pytest.mark.parametrize("schedule", [None, vectors], ids=["scalar", "vector"])
@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_minimum_and_maximum(dtype: str, schedule):
    a, b = values(dtype, (37,)), values(dtype, (37,), 1)
    if dtype in FLOATS:
        a[3], b[5] = np.nan, np.nan
    result = run(
        lambda x, y: te.compute((37,), lambda i: te.max(te.min(x[i], y[i]), x[i]), name="C"),
        a,
        b,
        out=dtype,
        schedule=schedule,
    )
    np.testing.assert_array_equal(result, np.maximum(np.minimum(a, b), a))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("op", ["floordiv", "floormod", "truncdiv", "truncmod"])
def test_division_of_every_pair_of_bytes(dtype: str, op: str):
    info = np.iinfo(dtype)
    every = np.arange(info.min, info.max + 1, dtype=dtype)
    a, b = (operand.ravel() for operand in np.meshgrid(every, every, indexing="ij"))
    result = run(
        lambda x, y: te.compute(a.shape, lambda i: getattr(te, op)(x[i], y[i]), name="C"),
        a,
        b,
        out=dtype,
    )
    wide, by = a.astype(int), b.astype(int)
    safe = np.where(by == 0, 1, by)
    quotient = wide // safe if op.startswith("floor") else np.fix(wide / safe).astype(int)
    expected = quotient if op.endswith("div") else wide - quotient * safe
    # Division by zero gives 0, as numpy does; -128 by -1 wraps.
    expected = np.where(by == 0, 0, expected).astype(dtype)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("source", [*INTS, *FLOATS, "bool"])
def test_casts(source: str):
    a = values(source, (23,))
    positive = np.abs(a) if source in FLOATS else a  # a negative one is no unsigned integer
    targets = [*INTS, *FLOATS, "bool"]

    def cast(x: te.Tensor, target: str) -> te.Tensor:
        return te.compute((23,), lambda i: x[i].astype(target), name=target)

    results = run_all(
        lambda x, y: [cast(y if target[0] == "u" else x, target) for target in targets],
        a,
        positive,
        out=targets,
    )
    for target, result in zip(targets, results, strict=True):
        with np.errstate(over="ignore"):
            expected = (positive if target[0] == "u" else a).astype(target)
        np.testing.assert_array_equal(result, expected, err_msg=target)


def test_comparisons_and_selection():
    a, b = values("float32", (40,)), values("float32", (40,), 1)
    a[7] = np.nan
    b[9] = a[9]
    for op, numpy in [
        (lambda x, y: x < y, np.less),
        (lambda x, y: x <= y, np.less_equal),
        (lambda x, y: x > y, np.greater),
        (lambda x, y: x >= y, np.greater_equal),
        (lambda x, y: x.equal(y), np.equal),
    ]:
        result = run(
            lambda x, y, op=op: te.compute((40,), lambda i: op(x[i], y[i]), name="C"),
            a,
            b,
            out="bool",
            schedule=vectors,
        )
        np.testing.assert_array_equal(result, numpy(a, b))
    chosen = run(
        lambda x, y: te.compute((40,), lambda i: te.Select(x[i] < y[i], x[i], 0.5), name="C"),
        a,
        b,
        out="float32",
        schedule=vectors,
    )
    np.testing.assert_array_equal(chosen, np.where(a < b, a, np.float32(0.5)))


INTRINSICS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "abs": np.abs,
}


@pytest.mark.parametrize("dtype", FLOATS)
def test_intrinsics(dtype: str):
    a = values(dtype, (32,))
    positive = np.abs(a) + np.array(0.01, dtype)
    above_zero = [name for name in INTRINSICS if name.startswith("log") or "sqrt" in name]

    def of(x: te.Tensor, name: str) -> te.Tensor:
        return te.compute((32,), lambda i: getattr(te, name)(x[i]), name=name)

    results = run_all(
        lambda x, y: [of(y if name in above_zero else x, name) for name in INTRINSICS],
        a,
        positive,
        out=[dtype] * len(INTRINSICS),
        schedule=vectors,
    )
    # Half an ulp of rounding, and what the argument's own rounding can make of it.
    tolerance = 4 * float(np.finfo(dtype).eps)
    for (name, function), result in zip(INTRINSICS.items(), results, strict=True):
        expected = function((positive if name in above_zero else a).astype(np.float64))
        np.testing.assert_allclose(
            result.astype(np.float64), expected, rtol=tolerance, atol=tolerance, err_msg=name
        )


def test_erf():
    import math

    a = values("float32", (32,))
    result = run(lambda x: te.compute((32,), lambda i: te.erf(x[i]), name="C"), a, out="float32")
    np.testing.assert_allclose(result, [math.erf(value) for value in a], rtol=1e-6)


def test_axes_as_values():
    start = te.reduce_axis((2, 5), name="k")
    total = te.compute((4,), lambda i: te.sum(start * 10 + i, axis=start), name="T")
    result = np.empty(4, np.int32)
    kc.build(te.create_schedule(total.op), [total])(result)
    # k is 2, 3, 4: 90 + 3 i
    np.testing.assert_array_equal(result, [90, 93, 96, 99])


@pytest.mark.parametrize("rank", range(9))
def test_ranks(rank: int):
    shape = tuple([2, 1, 3, 1, 2, 1, 1, 2][:rank])
    a = values("float32", shape)
    result = run(lambda x: te.compute(shape, lambda *i: x(*i) + 1.0, name="C"), a, out="float32")
    np.testing.assert_array_equal(result, a + np.float32(1.0))


@pytest.mark.parametrize("k", [0, 1, 5])
@pytest.mark.parametrize("op", ["sum", "min", "max"])
def test_reductions_over_a_size_of_the_call(op: str, k: int):
    n = te.var("n")
    a = te.placeholder((3, n), "int16", "A")
    axis = te.reduce_axis((0, n), name="k")
    c = te.compute((3,), lambda i: getattr(te, op)(a[i, axis], axis=axis), name="C")
    x = values("int16", (3, k))
    out = np.full(3, 77, np.int16)
    kc.build(te.create_schedule(c.op), [a, c])(x, out)
    info = np.iinfo("int16")
    initial = {"sum": 0, "min": info.max, "max": info.min}[op]
    expected = getattr(x, op)(axis=1, initial=initial).astype(np.int16)
    np.testing.assert_array_equal(out, expected)


def test_a_size_as_an_argument_and_the_order_of_arguments():
    n = te.var("n")
    a = te.placeholder((8,), name="A")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((), lambda: te.sum(a[k], axis=k), name="C")
    scale = te.var("scale", "float32")
    d = te.compute((), lambda: c() * scale, name="D")
    f = kc.build(te.create_schedule(d.op), [d, n, a, scale])
    x = values("float32", (8,))
    out = np.empty((), np.float32)
    f(out, 5, x, 2.0)
    assert out == pytest.approx(float(x[:5].sum()) * 2.0, rel=1e-6)


@pytest.mark.parametrize("dtype", INTS)
def test_a_variable_has_the_values_of_its_type(dtype, tmp_path):
    k = te.var("k", dtype)
    A = te.placeholder((3,), dtype, name="A")
    B = te.compute((3,), lambda i: A[i] + k, name="B")
    built = kc.build(te.create_schedule(B.op), [A, k, B], name="shift")
    built.save(str(tmp_path / "shift.o"))
    info = np.iinfo(dtype)
    least, greatest = info.min, min(info.max, 2**63 - 1)  # an index has 64 bits
    for function in (built, kc.runtime.load_module(str(tmp_path / "shift.o"))):
        for number in (least, greatest, np.array(greatest, dtype)[()]):
            b = np.empty(3, dtype)
            function(np.zeros(3, dtype), number, b)
            np.testing.assert_array_equal(b, np.full(3, number, dtype))
        for number in (least - 1, greatest + 1):
            with pytest.raises(CallError) as caught:
                function(np.zeros(3, dtype), number, np.empty(3, dtype))
            assert str(caught.value) == (
                f"error[KC5119]: shift: argument 2 'k' is {number}, which is not in "
                f"{least}..{greatest}, the range of {dtype}\n   |  expected: k: {dtype}"
            )


def test_derived_sizes_are_checked():
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    c = te.compute((n // 4,), lambda i: a[i * 4], name="C")
    f = kc.build(te.create_schedule(c.op), [a, c])
    x = values("float32", (19,))
    out = np.empty(4, np.float32)
    f(x, out)
    np.testing.assert_array_equal(out, x[:16:4])
    with pytest.raises(CallError, match="KC5110"):
        f(x, np.empty(5, np.float32))


def test_many_threads_call_one_function():
    a, b = values("float32", (5000,)), values("float32", (5000,), 1)
    x = te.placeholder((5000,), name="A")
    y = te.placeholder((5000,), name="B")
    c = te.compute((5000,), lambda i: x[i] * y[i], name="C")
    s = te.create_schedule(c.op)
    outer, _ = s[c].split(c.op.axis[0], factor=100)
    s[c].parallel(outer)
    f = kc.build(s, [x, y, c])
    wrong: list[int] = []

    def work(n: int) -> None:
        out = np.empty_like(a)
        for _ in range(50):
            out.fill(0)
            f(a, b, out)
            if not np.array_equal(out, a * b):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_sources_of_every_stage():
    x = te.placeholder((8,), name="A")
    c = te.compute((8,), lambda i: x[i] + 1.0, name="C")
    module = kc.build(te.create_schedule(c.op), [x, c])
    for kind, word in [
        ("te", "te.compute"),
        ("tir", "tir.block"),
        ("mlir", "memref.store"),
        ("llvm", "llvm.func @main"),
        ("ll", "define void @main"),
        ("asm", "main:"),
    ]:
        assert word in module.get_source(kind)
    assert module.entry_name == "main"


def test_from_a_schedule_and_from_text():
    text = (
        "te.func @double(%A: tensor<10xf32>) -> tensor<10xf32> {\n"
        '  %B = te.compute "B" [%i = 10] {\n'
        "    %a = te.read %A[%i] : tensor<10xf32>\n"
        "    %b = arith.addf %a, %a : f32\n"
        "    te.yield %b : f32\n"
        "  } : tensor<10xf32>\n"
        "  te.return %B : tensor<10xf32>\n"
        "}\n"
    )
    module = kc.IRModule.parse(text)
    sch = tir.Schedule(module)
    sch.vectorize(sch.split(sch.get_loops("B")[0], factors=[None, 4])[1])
    a = values("float32", (10,))
    for source in (module, sch):
        out = np.empty_like(a)
        kc.build(source)(a, out)
        np.testing.assert_array_equal(out, a + a)
    # Building does not change what was built.
    assert str(module) == str(kc.IRModule.parse(text))


def added(value: float, name: str) -> kc.IRModule:
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] + value, name="B")
    return kc.lower(te.create_schedule(b.op), [a, b], name=name)


def test_a_list_of_modules():
    both = kc.build([added(1.0, "one"), added(2.0, "two")])
    x = np.zeros(8, np.float32)
    assert both["one"](x)[0] == 1
    assert both["two"](x)[0] == 2
    with pytest.raises(TEError) as caught:
        kc.build([added(1.0, "one"), added(2.0, "one")])
    lines = str(caught.value).splitlines()
    assert "test_build.py" in lines.pop(1)
    assert lines == [
        "error[KC2250]: two of the modules have a function 'one'",
        "  why: each function of a module must have a different name",
        "  try: kc.lower(s, args, name=...) sets the name",
    ]


def test_modules_are_updated():
    module, second = added(1.0, "one"), added(2.0, "two")
    module.update(second)
    module.update(added(3.0, "one"))
    assert sorted(module.functions) == ["one", "two"]
    assert list(second.functions) == ["two"]
    assert kc.build(module)["one"](np.zeros(8, np.float32))[0] == 3


SIZE_OF_A_TYPE = """
func.func @f(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %m: i8 {kc.symbol = "m"})
    attributes {kc.symbols = ["m"]} {
  func.return
}"""
OUTSIDE_OF_DOMAIN = """
func.func @f(%A: memref<8xf32>, %x: f32) {
  tir.for %i in 5 {
    tir.block "B" (spatial %v in 4 = %i) do {
      tir.store %x, %A[%v] : memref<8xf32>
    }
  }
  func.return
}"""


GIVES_A_BUFFER = """
func.func @f(%A: memref<?xf32>) -> memref<?xf32> {
  func.return %A : memref<?xf32>
}"""


def test_nothing_to_build():
    with pytest.raises(CodegenError, match="KC4003"):
        kc.build(kc.IRModule.parse("func.func private @f(memref<4xf32>)"))
    with pytest.raises(CodegenError, match="KC4004"):
        kc.build(kc.IRModule.parse(GIVES_A_BUFFER))
    with pytest.raises(CodegenError, match="KC4005"):
        kc.build(kc.IRModule.parse("func.func @f(%A: memref<4xi7>) {\n  func.return\n}"))
    with pytest.raises(CodegenError) as refused:
        kc.build(kc.IRModule.parse(SIZE_OF_A_TYPE))
    assert refused.value.code == "KC4005"
    assert refused.value.message == "@f has the size m in an argument of type i8"
    with pytest.raises(ParseError, match="kc.symbol of argument 1, which is of the type f16"):
        kc.IRModule.parse(SIZE_OF_A_TYPE.replace("i8", "f16"))
    with pytest.raises(ParseError, match=r"block B runs for v = 4, outside of its domain"):
        kc.IRModule.parse(OUTSIDE_OF_DOMAIN)
    with pytest.raises(TEError, match="KC2027"):
        kc.build("matmul.mlir")


@pytest.mark.parametrize(
    ("type_", "dtype", "right"),
    [
        ("memref<4xf32>", "float64", "float32"),
        ("memref<4xf32>", "float31", "float32"),
        ("memref<4xi32>", "float32", "int32"),
        ("memref<4xi8>", "uint16", "int8"),
        ("f32", "bfloat16", "float32"),
        ("index", "float32", "int64"),
    ],
)
def test_the_type_of_an_array_is_that_of_the_memory(type_: str, dtype: str, right: str):
    text = f'func.func @f(%A: {type_} {{kc.dtype = "{dtype}"}}) {{ func.return }}'
    with pytest.raises(CodegenError) as refused:
        kc.build(kc.IRModule.parse(text))
    assert str(refused.value) == (
        f'error[KC4005]: @f has kc.dtype = "{dtype}" for argument 0, of type {type_}\n'
        "  --> <string>:1:1\n"
        "  why: the caller's array has elements of this type, which the kernel takes as its own\n"
        f'  try: kc.dtype = "{right}"'
    )


@pytest.mark.parametrize("dtype", ["uint32", "int32"])
def test_a_type_that_memory_does_not_tell(dtype: str):
    text = f'func.func @f(%A: memref<4xi32> {{kc.dtype = "{dtype}"}}) {{ func.return }}'
    kc.build(kc.IRModule.parse(text))(np.zeros(4, dtype))
