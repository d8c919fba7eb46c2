"""Vector code in statements, and the tensor intrinsics that programs for TVM write with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.target import Target

RANDOM = np.random.default_rng(3)
NONE = tir.const(0, "uint32")
Product = Callable[[Any, Any, Any], Any]
"""From vectors of a and b, and what to add to (None: nothing), to the vector of sums."""


# Intrinsics ------------------------------------------------------------------------------------


def dot_of_fours(lanes: int, dtypes: tuple[str, str], product: Product, **params: Any) -> Any:
    """``c[i] += a[k] * b[i, k]`` for four k and ``lanes`` i: a is repeated, b one register."""
    a = te.placeholder((4,), dtypes[0], name="a")
    b = te.placeholder((lanes, 4), dtypes[1], name="b")
    k = te.reduce_axis((0, 4), name="k")
    c = te.compute(
        (lanes,),
        lambda i: te.sum(a[k].astype("int32") * b[i, k].astype("int32"), axis=k),
        name="c",
    )
    strides = [te.var("ldw"), 1]
    binds = {b: tir.decl_buffer(b.shape, b.dtype, "b_buffer", offset_factor=1, strides=strides)}
    whole = f"int32x{lanes}"

    def function(ins: Any, outs: Any) -> Any:
        def part(role: int) -> Any:
            ib = tir.ir_builder.create()
            if role == 1:
                ib.emit(outs[0].vstore(0, tir.const(0, whole)))
                return ib.get()
            four = ins[0].vload([0], f"{a.dtype}x4")
            number = tir.call_intrin("int32", "tir.reinterpret", four)
            repeated = tir.reinterpret(f"{a.dtype}x{4 * lanes}", number.astype(whole))
            fours = ins[1].vload([0, 0], f"{b.dtype}x{4 * lanes}")
            total = outs[0].vload([0], whole) if role == 2 else None
            ib.emit(outs[0].vstore(0, product(repeated, fours, total)))
            return ib.get()

        return part(0), part(1), part(2)

    params = {"default_buffer_params": {"offset_factor": 1}, **params}
    return te.decl_tensor_intrin(c.op, function, binds=binds, **params)


def accumulating(name: str, lanes: int, signature: int = 0) -> Product:
    """By an intrinsic that adds to its first argument."""
    dtype = f"int32x{lanes}"

    def product(a: Any, b: Any, total: Any) -> Any:
        start = tir.const(0, dtype) if total is None else total
        count = tir.const(signature, "uint32")
        return tir.call_llvm_pure_intrin(dtype, name, count, start, a, b)

    return product


def by_pairs(lanes: int, pairs: str, sums: str) -> Product:
    """By one that adds pairs of products in 16 bits, and one that adds pairs of these."""

    def product(a: Any, b: Any, total: Any) -> Any:
        half = tir.call_llvm_pure_intrin(f"int16x{2 * lanes}", pairs, NONE, a, b)
        ones = tir.const(1, f"int16x{2 * lanes}")
        pair_sums = tir.call_llvm_pure_intrin(f"int32x{lanes}", sums, NONE, half, ones)
        return pair_sums if total is None else pair_sums + total

    return product


def long_way(a: Any, b: Any, total: Any) -> Any:
    """As on ARM before there were dot products: products, and two sums of neighbours."""

    def sums(part: str) -> Any:
        halves = [tir.call_intrin("int8x8", part, vector) for vector in (a, b)]
        two = tir.const(2, "uint32")
        products = tir.call_llvm_pure_intrin(
            "int16x8", "llvm.aarch64.neon.smull.v8i16", two, *halves
        )
        name = "llvm.aarch64.neon.saddlp.v4i32.v8i16"
        return tir.call_llvm_pure_intrin("int32x4", name, tir.const(1, "uint32"), products)

    pairs = sums("tir.vectorlow"), sums("tir.vectorhigh")
    name = "llvm.aarch64.neon.addp.v4i32"
    added = tir.call_llvm_pure_intrin("int32x4", name, tir.const(2, "uint32"), *pairs)
    return added if total is None else added + total


def with_vpadal(a: Any, b: Any, total: Any) -> Any:
    """ARMv7: products by lanes of 16 bits, which pairs are added of to lanes of 32 bits."""
    name, two = "llvm.arm.neon.vpadals.v2i32.v4i16", tir.const(2, "uint32")

    def sums(part: str, total: Any) -> Any:
        wide = [tir.call_intrin("int8x8", part, vector).astype("int16x8") for vector in (a, b)]
        product = wide[0] * wide[1]
        halves = (f("int16x4", product) for f in (tir.vectorlow, tir.vectorhigh))
        zero = tir.const(0, "int32x2")
        added = [tir.call_llvm_pure_intrin("int32x2", name, two, zero, half) for half in halves]
        pair = "llvm.arm.neon.vpadd.v2i32"
        return tir.call_llvm_pure_intrin("int32x2", pair, two, *added)

    products = tir.vectorcombine("int32x4", sums("tir.vectorlow", 0), sums("tir.vectorhigh", 0))
    return products if total is None else products + total


def product_of_matrices(dtype: str, name: str) -> Any:
    """``c[i, j] += a[i, k] * b[j, k]`` of 2x8 and 2x8 bytes."""
    a, b = te.placeholder((2, 8), dtype, name="a"), te.placeholder((2, 8), dtype, name="b")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute(
        (2, 2),
        lambda i, j: te.sum(a[i, k].astype("int32") * b[j, k].astype("int32"), axis=k),
        name="c",
    )

    def function(ins: Any, outs: Any) -> Any:
        def part(role: int) -> Any:
            zero = tir.const(0, "int32x4")
            if role == 1:
                return outs[0].vstore([0, 0], zero)
            vectors = (tensor.vload([0, 0], f"{dtype}x16") for tensor in ins)
            total = outs[0].vload([0, 0], "int32x4") if role == 2 else zero
            count = tir.const(2, "uint32")
            added = tir.call_llvm_pure_intrin("int32x4", name, count, total, *vectors)
            return outs[0].vstore([0, 0], added)

        return part(0), part(1), part(2)

    return te.decl_tensor_intrin(c.op, function, default_buffer_params={"offset_factor": 1})


# Programs --------------------------------------------------------------------------------------


def product(
    intrinsic: Any, lanes: int, dtypes: tuple[str, str], rows: int = 1, depth: int = 4
) -> tuple[te.Schedule, list[Any]]:
    """``C = A B^T`` in tiles of ``rows`` by ``lanes``, ``depth`` products each."""
    A = te.placeholder((4, 2 * depth), dtypes[0], name="A")
    B = te.placeholder((2 * lanes, 2 * depth), dtypes[1], name="B")
    k = te.reduce_axis((0, 2 * depth), name="k")
    C = te.compute(
        (4, 2 * lanes),
        lambda i, j: te.sum(A[i, k].astype("int32") * B[j, k].astype("int32"), axis=k),
        name="C",
    )
    s = te.create_schedule(C.op)
    i, j = C.op.axis
    io, ii = s[C].split(i, factor=rows)
    jo, ji = s[C].split(j, factor=lanes)
    ko, ki = s[C].split(k, factor=depth)
    if rows > 1:
        s[C].reorder(io, jo, ko, ii, ji, ki)
        s[C].tensorize(ii, intrinsic)
    else:
        s[C].reorder(io, ii, jo, ko, ji, ki)
        s[C].tensorize(ji, intrinsic)
    return s, [A, B, C]


def values(tensors: list[Any], limit: int = 128) -> list[np.ndarray]:
    """Arguments: numbers of their types up to ``limit``, and a result that nobody set."""
    arrays = []
    for tensor in tensors[:2]:
        low = -limit if tensor.dtype == "int8" else 0
        high = limit if tensor.dtype == "int8" else 2 * limit
        shape = [int(size) for size in tensor.shape]
        arrays.append(RANDOM.integers(low, high, shape).astype(tensor.dtype))
    shape = [int(size) for size in tensors[2].shape]
    return [*arrays, np.full(shape, 77, "int32")]


def expected(arrays: list[np.ndarray]) -> np.ndarray:
    a, b = (array.astype("int32") for array in arrays[:2])
    return a @ b.T


UNSIGNED, SIGNED, MIXED = ("uint8", "uint8"), ("int8", "int8"), ("uint8", "int8")
VNNI = accumulating("llvm.x86.avx512.vpdpbusd.512", 16)
AVX2 = by_pairs(8, "llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx2.pmadd.wd")
AVX512 = by_pairs(16, "llvm.x86.avx512.pmaddubs.w.512", "llvm.x86.avx512.pmaddw.d.512")
UDOT = accumulating("llvm.aarch64.neon.udot.v4i32.v16i8", 4, 3)
SDOT = accumulating("llvm.aarch64.neon.sdot.v4i32.v16i8", 4, 3)
AARCH64 = "llvm -mtriple=aarch64-linux-gnu -mattr=+neon,+dotprod,+i8mm"
ARMV7 = "llvm -mtriple=armv7a-linux-gnueabihf -mattr=+neon"


@pytest.mark.parametrize(
    ("lanes", "dtypes", "how", "target", "instruction"),
    [
        (16, MIXED, VNNI, "llvm -mcpu=cascadelake", r"vpdpbusd\s.*%zmm"),
        (16, MIXED, AVX512, "llvm -mcpu=skylake-avx512", r"vpmaddubsw\s.*%zmm"),
        (8, MIXED, AVX2, "llvm -mcpu=haswell", r"vpmaddubsw\s.*%ymm"),
        (4, UNSIGNED, UDOT, AARCH64, r"udot\s+v\d+\.4s, v\d+\.16b, v\d+\.16b"),
        (4, SIGNED, SDOT, AARCH64, r"sdot\s+v\d+\.4s, v\d+\.16b, v\d+\.16b"),
        (4, SIGNED, long_way, AARCH64, r"smull2?\s+v\d+\.8h[^$]*addp\s+v\d+\.4s"),
        (4, SIGNED, with_vpadal, ARMV7, r"vpadd?a?l\.s16[^$]*vpadd\.i32"),
    ],
    ids=["vnni", "avx512", "avx2", "udot", "sdot", "smull", "vpadal"],
)
def test_dot_products_of_fours(
    lanes: int, dtypes: tuple[str, str], how: Product, target: str, instruction: str
):
    """The results of the intrinsics, and the instructions that they become on their machine."""
    s, tensors = product(dot_of_fours(lanes, dtypes, how), lanes, dtypes)
    # Two products of unsigned by signed bytes may not fit into 16 bits.
    arrays = values(tensors, 64 if how in (AVX2, AVX512) else 128)
    module = kc.lower(s, tensors)
    run(module.op, "main", arrays)
    np.testing.assert_array_equal(arrays[2], expected(arrays))
    built = kc.build(s, tensors, target=target)
    assert re.search(instruction, built.get_source("asm"))


@pytest.mark.parametrize(
    ("dtype", "name"), [("int8", "smmla"), ("uint8", "ummla")], ids=["smmla", "ummla"]
)
def test_products_of_small_matrices(dtype: str, name: str):
    """Vectors of two rows each, which are rows of larger matrices."""
    intrinsic = product_of_matrices(dtype, f"llvm.aarch64.neon.{name}.v4i32.v16i8")
    s, tensors = product(intrinsic, 2, (dtype, dtype), rows=2, depth=8)
    arrays = values(tensors)
    run(kc.lower(s, tensors).op, "main", arrays)
    np.testing.assert_array_equal(arrays[2], expected(arrays))
    assembly = kc.build(s, tensors, target=AARCH64).get_source("asm")
    assert re.search(rf"{name}\s+v\d+\.4s, v\d+\.16b, v\d+\.16b", assembly)


@pytest.mark.parametrize(
    ("lanes", "how", "feature"),
    [(16, VNNI, "avx512vnni"), (16, AVX512, "avx512vnni"), (8, AVX2, "avx2")],
    ids=["vnni", "avx512", "avx2"],
)
def test_on_this_machine(lanes: int, how: Product, feature: str):
    """Native code, where the CPU has the instructions; rows of B are far apart."""
    if not Target.host_cpu().has_feature(feature):
        pytest.skip(f"the CPU has no {feature}")
    intrinsic = dot_of_fours(lanes, MIXED, how, features=[feature], name="of_this_machine")
    s, tensors = product(intrinsic, lanes, MIXED, depth=4)
    with Target.host_cpu():
        built = kc.build(s, tensors)
    arrays = values(tensors, 64)
    built(*arrays)
    np.testing.assert_array_equal(arrays[2], expected(arrays))


# Vectors in statements -------------------------------------------------------------------------


def executed(function: Any, *arrays: np.ndarray) -> None:
    """Run a function natively and by the interpreter; both agree."""
    mine = [array.copy() for array in arrays]
    run(function.op, "main", mine)
    kc.build(function)(*arrays)
    for native, interpreted in zip(arrays, mine, strict=True):
        np.testing.assert_array_equal(native, interpreted)


def test_operations_lane_by_lane():
    """Operators, casts, choices and functions of vectors, against numpy."""
    a, b = (tir.decl_buffer((8,), "int16", name) for name in "ab")
    results = [
        tir.decl_buffer((8,), dtype, name)
        for dtype, name in (("int32", "p"), ("int16", "q"), ("float32", "r"), ("uint16", "u"))
    ]
    ib = tir.ir_builder.create()
    x, y = a.vload(0, "int16x8"), b.vload([0], "int16x8")
    wide = x.astype("int32x8") * y.astype("int32x8") - tir.Broadcast(tir.const(3, "int32"), 8)
    ib.emit(results[0].vstore(0, wide + tir.Ramp(1, 2, 8)))
    ib.emit(results[1].vstore(0, tir.Select(x > y, x // y, x >> tir.const(1, "int16x8"))))
    ib.emit(results[2].vstore(0, te.sqrt(te.abs(y.astype("float32x8")))))
    ib.emit(results[3].vstore(0, tir.reinterpret("uint16x8", te.max(x, y)) % 7))
    function = tir.PrimFunc([a, b, *results], ib.get())
    x, y = (RANDOM.integers(-900, 900, 8).astype("int16") for _ in range(2))
    y[y == 0] = 1
    arrays = [x, y, *(np.zeros(8, result.dtype) for result in results)]
    executed(function, *arrays)
    numbers = np.arange(8) * 2 + 1
    np.testing.assert_array_equal(arrays[2], x.astype("int32") * y - 3 + numbers)
    np.testing.assert_array_equal(arrays[3], np.where(x > y, x // y, x >> 1))
    np.testing.assert_array_equal(arrays[4], np.sqrt(np.abs(y).astype("float32")))
    np.testing.assert_array_equal(arrays[5], np.maximum(x, y).view("uint16") % 7)


def test_bits_and_halves():
    """Reinterpreting changes the number of lanes; halves are taken apart and joined."""
    a = tir.decl_buffer((4,), "float32", "a")
    b, c = tir.decl_buffer((16,), "uint8", "b"), tir.decl_buffer((4,), "float32", "c")
    ib = tir.ir_builder.create()
    x = a.vload(0, "float32x4")
    ib.emit(b.vstore(0, tir.reinterpret("uint8x16", x)))
    low, high = tir.vectorlow("float32x2", x), tir.vectorhigh("float32x2", x)
    word = tir.reinterpret("uint64", high)
    joined = tir.vectorcombine("float32x4", tir.reinterpret("float32x2", word), low)
    ib.emit(c.vstore(0, joined))
    arrays = [np.array([1.5, -2, 3e9, np.inf], "float32"), np.zeros(16, "u1"), np.zeros(4, "f4")]
    executed(tir.PrimFunc([a, b, c], ib.get()), *arrays)
    np.testing.assert_array_equal(arrays[1], arrays[0].view("u1"))
    np.testing.assert_array_equal(arrays[2], arrays[0][[2, 3, 0, 1]])


def test_ramps_name_elements_in_a_loop():
    """``A[Ramp(i, 1, 4)]`` is a load and a place to store to; let names a vector."""
    a, b = tir.decl_buffer((3, 8), "float32", "a"), tir.decl_buffer((3, 8), "float32", "b")
    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a), ib.buffer_ptr(b)
    with ib.for_range(0, 3, name="i", kind="parallel") as i:
        with ib.for_range(0, 2, name="j") as j:
            four = ib.let("four", A[i, tir.Ramp(j * 4, 1, 4)])
            with ib.if_scope(i < 2):
                B[i, tir.Ramp(j * 4, 1, 4)] = four * four
            with ib.else_scope():
                B[i, tir.Ramp(j * 4, 1, 4)] = 1
    arrays = [RANDOM.random((3, 8)).astype("float32"), np.zeros((3, 8), "float32")]
    executed(tir.PrimFunc([a, b], ib.get()), *arrays)
    wanted = arrays[0] * arrays[0]
    wanted[2] = 1
    np.testing.assert_array_equal(arrays[1], wanted)


@pytest.mark.parametrize("shape", [(4, 8), (2, 2, 8), (8, 4), (32, 1), (2, 3, 6)])
def test_vectors_of_several_rows(shape: tuple[int, ...]):
    """Whole rows, over several dimensions, of arrays whose rows lie apart."""
    count = 32 if np.prod(shape) == 32 else 24
    strides = [*(te.var(f"s{n}") for n in range(len(shape) - 1)), 1]
    a = tir.decl_buffer(shape, "int16", "a", strides=strides)
    b = tir.decl_buffer(
        shape, "int16", "b", strides=[te.var(f"t{n}") for n in range(len(shape) - 1)] + [1]
    )
    start = [0] * len(shape)
    vector = a.vload(start, f"int16x{count}")
    function = tir.PrimFunc([a, b], b.vstore(start, vector + vector))
    whole = RANDOM.integers(-99, 99, tuple(2 * size for size in shape)).astype("int16")
    part = tuple(slice(0, size) for size in shape)
    given, result = whole[part], np.zeros_like(whole)[part]
    kc.build(function)(given, result)
    flat = given.reshape(-1).copy()
    flat[:count] *= 2
    flat[count:] = 0
    np.testing.assert_array_equal(result.reshape(-1), flat)


# What is refused -------------------------------------------------------------------------------

a = tir.decl_buffer((4, 6), "uint8", "a")
c = tir.decl_buffer((16,), "int32", "c")
column = tir.decl_buffer((4, 4), "float32", "column", strides=[1, 4])
A = te.placeholder((4,), "float32x4", name="A")


def four() -> Any:
    return a.vload([0, 0], "uint8x4")


def in_compute(value: Callable[[Any], Any]) -> Any:
    return te.compute((4,), value, name="C")


IN_A_COMPUTE = (
    "  why: a compute defines its elements lane by lane; operations on whole vectors are for "
    "statements\n"
    "  try: te.extern, te.decl_tensor_intrin and tir.ir_builder take statements\n"
    "  try: s[...].vectorize(AXIS) computes elements in vectors"
)

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "elements": (
        lambda: a.vload([0, 0], "int32"),
        "error[KC2215]: vload: int32 of a, whose elements are uint8\n"
        "  why: the lanes of a vector must have the element type of the buffer\n"
        '  try: tir.reinterpret("int32", a.vload(..., "uint8x4"))',
    ),
    "lanes_of_other_elements": (
        lambda: c.vload(0, "uint8x6"),
        "error[KC2215]: vload: uint8x6 of c, whose elements are int32\n"
        "  why: the lanes of a vector must have the element type of the buffer\n"
        '  try: c.vload(..., "int32x6")',
    ),
    "indices": (
        lambda: a.vload([0], "uint8x4"),
        "error[KC2010]: a has 2 dimensions, indexed with 1\n  why: a has the shape (4, 6)",
    ),
    "index_that_is_a_vector": (
        lambda: a[tir.Ramp(0, 1, 3), 0],
        "error[KC2011]: a is indexed with a value of type int32x3\n  why: indices must be integers",
    ),
    "part_of_a_row": (
        lambda: a.vload([0, 2], "uint8x12"),
        "error[KC2216]: vload: 12 elements of a from [0, 2] on, in rows of 6\n"
        "  why: a vector that spans rows must consist of whole rows\n"
        '  try: "uint8x6"\n'
        "  try: a multiple of 6 elements, from the start of a row on",
    ),
    "column": (
        lambda: column.vload([0, 0], "float32x4"),
        "error[KC2216]: vload: float32x4 of column, whose neighbours are 4 elements apart\n"
        "  why: the elements of a vector must be adjacent in memory\n"
        "  try: declare column with the stride 1 along its last dimension",
    ),
    "steps": (
        lambda: a[0, tir.Ramp(0, 2, 3)],
        "error[KC2216]: a is indexed with a ramp of steps of 2\n"
        "  why: the elements of a vector must be adjacent in memory\n"
        "  try: tir.Ramp(i, 1, lanes)",
    ),
    "stored_type": (
        lambda: c.vstore(0, four()),
        "error[KC2103]: a value of type uint8x4 is stored to c, whose elements are int32\n"
        "  why: int32 cannot represent every value of uint8x4\n"
        '  try: convert it: (...).astype("int32x4")',
    ),
    "outside": (
        lambda: tir.PrimFunc([c], c.vstore(4, tir.const(0, "int32x16"))),
        "error[KC2030]: main writes outside c: index 16 of dimension 0, which has the size 16\n"
        "  why: this happens whenever it is executed\n"
        "  try: make the loops shorter, or guard the access with an if",
    ),
    "row_outside": (
        lambda: tir.PrimFunc([a], a.vstore([0, 0], a.vload([3, 0], "uint8x12"))),
        "error[KC2030]: main reads outside a: index 4 of dimension 0, which has the size 4\n"
        "  why: this happens whenever it is executed\n"
        "  try: make the loops shorter, or guard the access with an if",
    ),
    "load_in_a_compute": (
        lambda: in_compute(lambda i: four()),
        f"error[KC2217]: a vload of a in compute C\n{IN_A_COMPUTE}",
    ),
    "lanes_in_a_compute": (
        lambda: in_compute(lambda i: tir.reinterpret("int64x2", A[i])),
        f"error[KC2217]: reinterpret of float32x4 as int64x2 in compute C\n{IN_A_COMPUTE}",
    ),
    "halves_in_a_compute": (
        lambda: in_compute(lambda i: tir.vectorlow("float32x2", A[i])),
        f"error[KC2217]: the lanes 0, 1 of float32x4 in compute C\n{IN_A_COMPUTE}",
    ),
    "call_in_a_compute": (
        lambda: in_compute(lambda i: tir.call_llvm_pure_intrin("float32x4", "llvm.sqrt", 1, A[i])),
        f"error[KC2217]: a call of llvm.sqrt.v4f32 on vectors in compute C\n{IN_A_COMPUTE}",
    ),
    "function_of_c": (
        lambda: tir.call_extern("int32", "f", four()),
        "error[KC2218]: call_extern: argument 0 of f is a vector, uint8x4\n"
        "  why: C and Python functions can receive only scalars and buffers\n"
        "  try: store it to a buffer, and pass that\n"
        "  try: tir.call_llvm_intrin takes vectors",
    ),
    "half": (
        lambda: tir.vectorlow("uint8x3", four()),
        "error[KC2219]: vectorlow: uint8x3 of uint8x4\n"
        "  why: a vector needs 4 lanes or more to have two halves\n"
        '  try: tir.vectorlow("uint8x2", ...)',
    ),
    "different_halves": (
        lambda: tir.vectorcombine("uint8x8", four(), a.vload([0, 0], "uint8x6")),
        "error[KC2219]: vectorcombine: uint8x8 of uint8x4 and uint8x6\n"
        "  why: both vectors must have the same type; the result has twice the lanes",
    ),
    "bits": (
        lambda: tir.reinterpret("int64x4", four()),
        "error[KC2062]: reinterpret: uint8x4 as int64x4\n"
        "  why: uint8x4 has 32 bits, int64x4 256\n"
        "  try: astype converts the value",
    ),
    "missing_argument": (
        lambda: tir.call_intrin("int32", "tir.reinterpret"),
        "error[KC2220]: call_intrin: reinterpret is given 0 arguments\n  why: it takes 1 argument",
    ),
    "more_arguments": (
        lambda: tir.call_intrin("float32", "tir.exp", A[0], A[0]),
        "error[KC2220]: call_intrin: exp is given 2 arguments\n  why: it takes 1 argument",
    ),
    "condition": (
        lambda: tir.ir_builder.create().if_scope(four() > tir.const(1, "uint8x4")),
        "error[KC2243]: the condition of an if has 4 lanes\n"
        "  why: its lanes may differ, but only one branch is taken\n"
        "  try: te.Select(condition, a, b) chooses lane by lane",
    ),
    "bound": (
        lambda: tir.ir_builder.create().for_range(0, four()),
        "error[KC2109]: the end of a loop has type uint8x4\n"
        "  why: the bounds of a loop must be integers\n"
        '  try: (...).astype("int32")',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_said(name: str):
    program, text = REFUSED[name]
    with pytest.raises(KCError) as refused:
        program()
    lines = str(refused.value).splitlines()
    assert lines.pop(1).startswith(f"  --> {__file__}:")
    assert "\n".join(lines) == text


def test_c_has_no_vectors():
    function = tir.PrimFunc([c, a], c.vstore(0, four().astype("int32x4")))
    with pytest.raises(
        KCError, match=r"^error\[KC4403\]: c: vector.load cannot be expressed in C\n"
    ):
        kc.build(function, target="c")
