"""Vectors as arguments, vectors and memrefs as results; tiles, transfers and reshapes."""

import math

import numpy as np
import pytest
from xdsl.context import Context

import kc
from kc.analysis.interpreter import run
from kc.conversion.raise_to_tir import RaiseToTirPass
from kc.support.diagnostics import KCError

VALUES = """
func.func @f(%v: vector<4xf32>, %w: vector<2x3xi32>, %i: vector<4xindex>, %m: vector<4xi1>,
             %z: vector<f32>)
    -> (vector<4xf32>, vector<2x3xi32>, vector<4xindex>, vector<4xi1>, vector<f32>, i32) {
  %r = arith.addf %v, %v : vector<4xf32>
  %s = arith.muli %w, %w : vector<2x3xi32>
  %j = arith.addi %i, %i : vector<4xindex>
  %t = arith.constant dense<true> : vector<4xi1>
  %n = arith.xori %m, %t : vector<4xi1>
  %y = arith.addf %z, %z : vector<f32>
  %c = arith.constant 5 : i32
  return %r, %s, %j, %n, %y, %c
    : vector<4xf32>, vector<2x3xi32>, vector<4xindex>, vector<4xi1>, vector<f32>, i32
}"""


def test_vectors_are_passed_as_arrays():
    v, w = np.arange(4, dtype=np.float32), np.arange(6, dtype=np.int32).reshape(2, 3)
    i, m, z = np.arange(4), np.array([1, 0, 1, 0], bool), np.array(2.5, np.float32)
    results = kc.build(kc.IRModule.parse(VALUES))(v, w, i, m, z)
    for result, wanted in zip(results, (v + v, w * w, i + i, ~m, z + z, 5), strict=True):
        np.testing.assert_array_equal(result, wanted)


MEMREFS = """
memref.global "private" constant @k : memref<i32> = dense<3>
func.func @f(%a: memref<4xf32>, %v: vector<2xi32>)
    -> (memref<4xf32>, memref<2xi32>, vector<2xi32>) {
  %at = arith.constant 0 : index
  %k = memref.get_global @k : memref<i32>
  %three = memref.load %k[] : memref<i32>
  %all = vector.broadcast %three : i32 to vector<2xi32>
  %sum = arith.addi %v, %all : vector<2xi32>
  %r = memref.alloc() : memref<2xi32>
  vector.store %sum, %r[%at] : memref<2xi32>, vector<2xi32>
  return %a, %r, %sum : memref<4xf32>, memref<2xi32>, vector<2xi32>
}"""


def test_memrefs_that_are_returned_are_copied():
    a = np.arange(4, dtype=np.float32)
    again, sums, vector = kc.build(kc.IRModule.parse(MEMREFS))(a, np.array([1, 2], np.int32))
    np.testing.assert_array_equal(again, a)
    assert not np.shares_memory(again, a)
    np.testing.assert_array_equal(sums, [4, 5])
    np.testing.assert_array_equal(vector, [4, 5])


def test_a_function_that_passes_vectors_is_still_called():
    text = """
    func.func @twice(%v: vector<4xf32>) -> vector<4xf32> {
      %r = arith.addf %v, %v : vector<4xf32>
      return %r : vector<4xf32>
    }
    func.func @f(%v: vector<4xf32>) -> vector<4xf32> {
      %a = func.call @twice(%v) : (vector<4xf32>) -> vector<4xf32>
      %b = func.call @twice(%a) : (vector<4xf32>) -> vector<4xf32>
      return %b : vector<4xf32>
    }"""
    module, v = kc.build(kc.IRModule.parse(text)), np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(module["f"](v), 4 * v)
    np.testing.assert_array_equal(module["twice"](v), 2 * v)


@pytest.mark.parametrize(
    ("results", "values"),
    [("memref<?xf32>", "%x"), ("(memref<?xf32>, memref<2xf32>)", "%x, %y")],
)
def test_a_memref_of_unknown_size_is_no_result(results: str, values: str):
    types = results.strip("()")
    text = (
        f"func.func @f(%x: memref<?xf32>, %y: memref<2xf32>) -> {results} {{\n"
        f"  return {values} : {types}\n}}"
    )
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "k.mlir"))
    assert str(caught.value) == (
        "error[KC4004]: @f returns a value\n"
        "  --> k.mlir:1:1\n"
        "  why: a kernel writes its results into arguments"
    )
    with pytest.raises(KCError, match=r"KC4004.*@f returns a value"):
        kc.build(
            kc.IRModule.parse(
                "func.func private @g() -> memref<?xf32>\n"
                "func.func @f() -> (i32, memref<?xf32>) {\n"
                "  %c = arith.constant 1 : i32\n"
                "  %x = func.call @g() : () -> memref<?xf32>\n"
                "  return %c, %x : i32, memref<?xf32>\n}"
            )
        )


@pytest.mark.parametrize("element", ["i4", "i128", "f80", "f128"])
@pytest.mark.parametrize("argument", ["{}", "memref<4x{}>", "tensor<4x{}>"])
def test_elements_that_no_array_has_are_refused(element: str, argument: str):
    type_ = argument.format(element)
    text = f"func.func @f(%a: {type_}) {{\n  return\n}}"
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "k.mlir"))
    assert str(caught.value) == (
        f"error[KC4005]: @f has an argument of type {type_.replace('tensor', 'memref')}\n"
        "  --> k.mlir:1:1\n"
        "  why: elements must have type f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i1, i8, i16, "
        "i32, i64 or index"
    )


def test_both_halves_of_products_of_elements():
    text = """
    func.func @f(%a: tensor<3xi32>, %b: tensor<3xi32>)
        -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi1>) {
      %l, %h = arith.mulsi_extended %a, %b : tensor<3xi32>
      %s, %o = arith.addui_extended %a, %l : tensor<3xi32>, tensor<3xi1>
      return %l, %h, %o : tensor<3xi32>, tensor<3xi32>, tensor<3xi1>
    }"""
    a, b = np.array([[1 << 30, -5, -1], [12, -7, 3]], np.int32)
    low, high, carries = kc.build(kc.IRModule.parse(text))(a, b)
    products = a.astype(np.int64) * b
    np.testing.assert_array_equal(low, products.astype(np.int32))
    np.testing.assert_array_equal(high, (products >> 32).astype(np.int32))
    np.testing.assert_array_equal(
        carries, a.astype(np.uint32).astype(np.int64) + low.astype(np.uint32) >= 1 << 32
    )


PACKS = """
func.func @padded(%x: tensor<13x?xf32>, %z: f32) -> tensor<?x2x8x3xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c1 : tensor<13x?xf32>
  %m = arith.addi %n, %c2 : index
  %k = arith.divui %m, %c3 : index
  %d = tensor.empty(%k) : tensor<?x2x8x3xf32>
  %p = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1]
    inner_tiles = [8, 3] into %d : tensor<13x?xf32> -> tensor<?x2x8x3xf32>
  return %p : tensor<?x2x8x3xf32>
}
func.func @whole(%x: tensor<?x6xf32>, %d: tensor<6x?x8xf32>) -> tensor<6x?x8xf32> {
  %p = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [8]
    into %d : tensor<?x6xf32> -> tensor<6x?x8xf32>
  return %p : tensor<6x?x8xf32>
}
func.func @back(%x: tensor<6x2x8xf32>) -> tensor<13x6xf32> {
  %d = tensor.empty() : tensor<13x6xf32>
  %p = linalg.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [8]
    into %d : tensor<6x2x8xf32> -> tensor<13x6xf32>
  return %p : tensor<13x6xf32>
}
func.func @sized(%x: tensor<13x6xf32>, %d: tensor<6x?x?xf32>, %z: f32) -> tensor<6x?x?xf32> {
  %c2 = arith.constant 2 : index
  %t = tensor.dim %d, %c2 : tensor<6x?x?xf32>
  %p = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0]
    inner_tiles = [%t] into %d : tensor<13x6xf32> -> tensor<6x?x?xf32>
  return %p : tensor<6x?x?xf32>
}
func.func @sized_back(%x: tensor<6x?x?xf32>) -> tensor<13x6xf32> {
  %c2 = arith.constant 2 : index
  %t = tensor.dim %x, %c2 : tensor<6x?x?xf32>
  %d = tensor.empty() : tensor<13x6xf32>
  %p = linalg.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [%t]
    into %d : tensor<6x?x?xf32> -> tensor<13x6xf32>
  return %p : tensor<13x6xf32>
}"""


def test_tiles():
    module = kc.build(kc.IRModule.parse(PACKS, "m.mlir"))
    x = np.random.default_rng(0).random((13, 7), np.float32)
    wanted = np.pad(x, ((0, 3), (0, 2)), constant_values=9).reshape(2, 8, 3, 3)
    np.testing.assert_array_equal(module["padded"](x, 9.0), wanted.transpose(2, 0, 1, 3))
    x = np.random.default_rng(1).random((16, 6), np.float32)
    tiles, memory = x.reshape(2, 8, 6).transpose(2, 0, 1).copy(), np.zeros((6, 2, 8), np.float32)
    np.testing.assert_array_equal(module["whole"](x, memory), tiles)
    np.testing.assert_array_equal(module["back"](tiles), x[:13])
    sized = np.zeros((6, 3, 5), np.float32)
    wanted = np.pad(x[:13], ((0, 2), (0, 0)), constant_values=7).T.reshape(6, 3, 5)
    np.testing.assert_array_equal(module["sized"](x[:13].copy(), sized, 7.0), wanted)
    np.testing.assert_array_equal(module["sized_back"](wanted.copy()), x[:13])
    with pytest.raises(KCError, match="has tiles for all elements"):
        module["sized"](x[:13].copy(), sized[:, :2].copy(), 7.0)
    with pytest.raises(KCError) as caught:
        module["whole"](x[:15].copy(), memory)
    assert caught.value.code == "KC5132"
    assert "why: linalg.pack (m.mlir:15:3) has no padding value, and tiles that are whole" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "%p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%z] into %d "
            ": tensor<16xf32> -> tensor<2x?xf32>",
            "error[KC4556]: raise-to-tir: the sizes of linalg.pack do not fit: 0 is less than 1\n"
            "  --> m.mlir:2:3\n"
            "  why: it has tiles of at least one element",
        ),
        (
            "%p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [8] into %d "
            ": tensor<17xf32> -> tensor<2x8xf32>",
            "error[KC4556]: raise-to-tir: the sizes of linalg.pack do not fit: 16 is not 17\n"
            "  --> m.mlir:2:3\n"
            "  why: it has no padding value, and tiles that are whole",
        ),
    ],
)
def test_tiles_that_are_refused(call: str, message: str):
    source, dest = call.partition(" : ")[2].split(" -> ")
    text = (
        f"func.func @f(%x: {source}, %d: {dest}) -> {dest} {{ %z = arith.constant 0 : index\n"
        f"  {call}\n"
        f"  return %p : {dest}\n}}"
    )
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "m.mlir"))
    assert str(caught.value) == message


TRANSFERS = """
func.func @f(%x: tensor<6x?xf32>, %v: vector<4xf32>, %i: index)
    -> (tensor<6x?xf32>, vector<4xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %r = vector.transfer_read %x[%i, %c0], %z {in_bounds = [false]}
    : tensor<6x?xf32>, vector<4xf32>
  %s = arith.addf %r, %v : vector<4xf32>
  %w = vector.transfer_write %s, %x[%c0, %i] {in_bounds = [false]}
    : vector<4xf32>, tensor<6x?xf32>
  return %w, %r : tensor<6x?xf32>, vector<4xf32>
}"""


def test_transfers_of_tensors():
    x = np.random.default_rng(2).random((6, 5), np.float32)
    v = np.arange(4, dtype=np.float32)
    written, read = kc.build(kc.IRModule.parse(TRANSFERS))(x, v, 2)
    wanted = x.copy()
    wanted[0, 2:5] = (x[2, :4] + v)[:3]
    np.testing.assert_array_equal(written, wanted)
    np.testing.assert_array_equal(read, x[2, :4])


RESHAPES = """
func.func @listed(%x: tensor<6x?xf32>, %n: index) -> tensor<?x3xf32> {
  %c3 = arith.constant 3 : index
  %s = tensor.from_elements %n, %c3 : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<6x?xf32>, tensor<2xindex>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
func.func @flat(%x: tensor<2x3xf32>, %s: tensor<1xi32>) -> tensor<6xf32> {
  %r = tensor.reshape %x(%s) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}"""


def test_reshapes():
    module = kc.build(kc.IRModule.parse(RESHAPES, "m.mlir"))
    x = np.random.default_rng(3).random((6, 4), np.float32)
    np.testing.assert_array_equal(module["listed"](x, 8), x.reshape(8, 3))
    y = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(module["flat"](y, np.array([6], np.int32)), y.ravel())
    with pytest.raises(KCError) as caught:
        module["listed"](x, 7)
    assert "why: tensor.reshape (m.mlir:5:3) keeps the number of elements" in str(caught.value)


def test_sizes_that_are_loaded_are_no_shape():
    text = """
    func.func @f(%x: tensor<6xf32>, %s: tensor<2xindex>) -> tensor<?x3xf32> {
      %r = tensor.reshape %x(%s) : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x3xf32>
      return %r : tensor<?x3xf32>
    }"""
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "m.mlir"))
    assert str(caught.value) == (
        "error[KC4550]: raise-to-tir: tensor.reshape to sizes that are loaded has no counterpart "
        "in tir\n"
        "  --> m.mlir:3:7\n"
        "  why: the size of a buffer must be known before another buffer is read\n"
        "  try: build the list of sizes with tensor.from_elements"
    )


def test_a_tensor_without_a_rank_is_refused():
    text = """
    func.func @f(%x: tensor<*xf32>) -> tensor<2xf32> {
      %r = tensor.cast %x : tensor<*xf32> to tensor<2xf32>
      return %r : tensor<2xf32>
    }"""
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "m.mlir"))
    assert str(caught.value) == (
        "error[KC4550]: raise-to-tir: tensor<*xf32> in func.func has no counterpart in tir\n"
        "  --> m.mlir:2:5\n"
        "  why: buffers have a number of dimensions\n"
        "  try: give it a ranked type; its sizes may be ?"
    )


TEXT = """
#trait = {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
func.func @doubled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic #trait ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @summed(%n: index) -> f32 {
  %z = index.constant 0
  %o = index.constant 1
  %f = arith.constant 1.5 : f32
  %r = scf.for %i = %z to %n step %o iter_args(%a = %f) -> f32 {
    %s = arith.addf %a, %f : f32
    scf.yield %s : f32
  }
  return %r : f32
}
func.func @unsigned(%i: i32) -> index {
  %r = arith.index_castui %i : i32 to index
  return %r : index
}
func.func @halves(%a: vector<2xi64>, %b: vector<2xi64>) -> vector<2xi64> {
  %l, %h = arith.mulsi_extended %a, %b : vector<2xi64>
  return %h : vector<2xi64>
}
func.func @open(%a: tensor<5xf32>) -> tensor<?xf32> {
  %0 = "tosa.abs"(%a) : (tensor<5xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""


def test_text_that_mlir_opt_reads_too():
    module = kc.build(kc.IRModule.parse(TEXT))
    ones = np.ones(4, np.float32)
    np.testing.assert_array_equal(module["doubled"](ones), 2 * ones)
    assert (module["summed"](3), module["unsigned"](-5)) == (6.0, 2**32 - 5)
    high = module["halves"](np.array([2**62, -(2**62)]), np.array([4, 9]))
    np.testing.assert_array_equal(high, [1, -3])
    np.testing.assert_array_equal(module["open"](np.full(5, -2, np.float32)), np.full(5, 2))


def test_a_global_keeps_its_values_between_calls():
    text = """memref.global "private" @calls : memref<i32> = dense<40>
memref.global "private" @last : memref<2xi32> = uninitialized
func.func @f(%out: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %g = memref.get_global @calls : memref<i32>
  %h = memref.get_global @calls : memref<i32>
  %l = memref.get_global @last : memref<2xi32>
  %n = memref.load %g[] : memref<i32>
  %m = arith.addi %n, %one : i32
  memref.store %m, %h[] : memref<i32>
  %k = memref.load %g[] : memref<i32>
  memref.store %k, %l[%c1] : memref<2xi32>
  %r = memref.load %l[%c1] : memref<2xi32>
  memref.store %r, %out[%c0] : memref<2xi32>
  memref.store %n, %out[%c1] : memref<2xi32>
  return
}"""
    module, out = kc.IRModule.parse(text), np.zeros(2, np.int32)
    kernel = kc.build(kc.tir.Schedule(module).mod)
    for calls in range(1, 3):
        kernel(out)
        assert out.tolist() == [40 + calls, 39 + calls]
    run(module.op, "f", [out])  # the interpreter starts anew
    assert out.tolist() == [41, 40]


def test_ops_of_math_beside_those_of_xdsl():
    results = ", ".join(["vector<6xi1>"] * 4 + ["vector<6xf32>"] * 3)
    text = f"""func.func @f(%a: vector<6xf32>) -> ({results}) {{
  %0 = math.isnan %a : vector<6xf32>
  %1 = math.isinf %a : vector<6xf32>
  %2 = math.isfinite %a : vector<6xf32>
  %3 = math.isnormal %a : vector<6xf32>
  %4 = math.erfc %a : vector<6xf32>
  %s, %c = math.sincos %a : vector<6xf32>
  return %0, %1, %2, %3, %4, %s, %c : {results}
}}"""
    a = np.array([1.5, 0, np.inf, -np.inf, np.nan, 1e-39], np.float32)
    is_nan, is_inf, is_finite, is_normal, erfc, sin, cos = kc.build(kc.IRModule.parse(text))(a)
    np.testing.assert_array_equal(is_nan, np.isnan(a))
    np.testing.assert_array_equal(is_inf, np.isinf(a))
    np.testing.assert_array_equal(is_finite, np.isfinite(a))
    np.testing.assert_array_equal(is_normal, [True, False, False, False, False, False])
    np.testing.assert_allclose(erfc, [math.erfc(x) for x in a], rtol=1e-6)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(sin, np.sin(a), rtol=1e-6)
        np.testing.assert_allclose(cos, np.cos(a), rtol=1e-6)


def test_integer_powers():
    base, exponent = np.divmod(np.arange(49, dtype=np.int8), 7)
    base, exponent = base - np.int8(3), exponent - np.int8(2)
    lanes = (base != 0) | (exponent >= 0)  # zero has no inverse
    text = f"""func.func @f(%a: vector<{lanes.sum()}xi8>, %n: vector<{lanes.sum()}xi8>)
    -> vector<{lanes.sum()}xi8> {{
  %r = math.ipowi %a, %n : vector<{lanes.sum()}xi8>
  return %r : vector<{lanes.sum()}xi8>
}}"""
    base, exponent = base[lanes], exponent[lanes]
    expected = [
        int(a) ** int(n) if n >= 0 else {1: 1, -1: 1 - 2 * (n & 1)}.get(int(a), 0)
        for a, n in zip(base, exponent, strict=True)
    ]
    powers = kc.build(kc.IRModule.parse(text))(base, exponent)
    np.testing.assert_array_equal(powers, np.array(expected).astype(np.int8))


@pytest.fixture(scope="module")
def switch():
    return kc.build(
        kc.IRModule.parse("""func.func @f(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  cf.switch %x : i32, [
    default: ^bb1(%x : i32),
    42: ^bb1(%c1 : i32),
    43: ^bb2(%c2 : i32)
  ]
^bb1(%a: i32):
  return %a : i32
^bb2(%b: i32):
  %c = arith.addi %b, %b : i32
  return %c : i32
}""")
    )


@pytest.mark.parametrize(("x", "expected"), [(42, 1), (43, 4), (-7, -7)])
def test_a_switch_between_blocks(switch, x: int, expected: int):
    assert switch(x) == expected


STRIDED = """
func.func @f(%A: memref<?x4xf32, strided<[?, ?], offset: ?>>,
             %B: memref<4x4xf32, strided<[8, ?], offset: 3>>, %i: index) -> vector<2xf32> {
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %A[%i, %i], %zero
    : memref<?x4xf32, strided<[?, ?], offset: ?>>, vector<2xf32>
  vector.transfer_write %v, %B[%i, %i]
    : vector<2xf32>, memref<4x4xf32, strided<[8, ?], offset: 3>>
  return %v : vector<2xf32>
}"""


def test_vectors_are_read_from_strided_arguments():
    function = kc.build(kc.IRModule.parse(STRIDED))
    whole = np.arange(96, dtype=np.float32).reshape(12, 8)
    to = np.zeros((4, 8), np.float32)
    expected = to.copy()
    expected[2, 4:8:2] = whole[1::3, ::2][2, 2:4]
    np.testing.assert_array_equal(function(whole[1::3, ::2], to[:, ::2], 2), expected[2, 4:8:2])
    np.testing.assert_array_equal(to, expected)
    with pytest.raises(KCError, match="stride of 16 elements in dimension 0, expected 8"):
        function(whole[:, ::2], whole[:8:2, ::2], 2)


UNRANKED = """
func.func @f(%A: memref<3x4xf32>, %t: tensor<3x4xf32>) -> (f32, index, index, tensor<?x4xf32>) {
  %u = memref.cast %A : memref<3x4xf32> to memref<*xf32>
  %c1 = arith.constant 1 : index
  %r = memref.rank %u : memref<*xf32>
  %d = memref.dim %u, %c1 : memref<*xf32>
  %b = memref.cast %u : memref<*xf32> to memref<?x4xf32>
  %x = memref.load %b[%c1, %r] : memref<?x4xf32>
  %v = tensor.cast %t : tensor<3x4xf32> to tensor<*xf32>
  %w = tensor.cast %v : tensor<*xf32> to tensor<?x4xf32>
  return %x, %r, %d, %w : f32, index, index, tensor<?x4xf32>
}"""


def test_casts_to_no_rank_and_back():
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    x, rank, size, copy = kc.build(kc.IRModule.parse(UNRANKED))(values, values)
    assert (x, rank, size) == (values[1, 2], 2, 4)
    np.testing.assert_array_equal(copy, values)


OWNERSHIP = """
  func.func @f(%p: i1, %q: i1, %arg: memref<2xi32>) -> (i1, i1, i1, i1) {
    %a = memref.alloc() : memref<2xi32>
    %b = memref.alloc() : memref<2xi32>
    %part = memref.subview %a[1] [1] [1]
      : memref<2xi32> to memref<1xi32, strided<[1], offset: 1>>
    %0:3 = bufferization.dealloc (%a, %b : memref<2xi32>, memref<2xi32>) if (%p, %q)
      retain (%b, %arg, %part
        : memref<2xi32>, memref<2xi32>, memref<1xi32, strided<[1], offset: 1>>)
    %1 = bufferization.dealloc (%arg, %arg : memref<2xi32>, memref<2xi32>) if (%p, %q)
      retain (%arg : memref<2xi32>)
    return %0#0, %0#1, %0#2, %1 : i1, i1, i1, i1
  }
"""


def test_conditions_of_what_owns_memory():
    built = kc.build(kc.IRModule.parse(OWNERSHIP))
    for p in (False, True):
        for q in (False, True):
            results = built(p, q, np.zeros(2, np.int32))
            assert [bool(result) for result in results] == [q, False, p, p or q]


def test_memory_of_which_it_is_not_known_whose_it_is():
    text = """
      func.func @f(%p: i1, %a: memref<2xi32>, %b: memref<2xi32>) -> i1 {
        %s = arith.select %p, %a, %b : memref<2xi32>
        %0 = bufferization.dealloc (%s : memref<2xi32>) if (%p) retain (%a : memref<2xi32>)
        return %0 : i1
      }
    """
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "f.mlir"))
    assert str(caught.value) == (
        "error[KC4550]: raise-to-tir: bufferization.dealloc of a memref that may be one of several "
        "has no counterpart in tir\n"
        "  --> f.mlir:4:9\n"
        "  why: its results say which memrefs share memory\n"
        "  try: run mlir-opt --buffer-deallocation-simplification before"
    )


GLOBALS = """
  ml_program.global private mutable @seed(dense<5> : tensor<i64>) : tensor<i64>
  ml_program.global private @weights(dense<[1, 2, 4]> : tensor<3xi64>) : tensor<3xi64>
  ml_program.global private mutable @count(0 : i64) : i64
  func.func private @step(%x: tensor<i64>) -> tensor<i64> {
    %0 = ml_program.global_load @seed : tensor<i64>
    %1 = arith.addi %0, %x : tensor<i64>
    ml_program.global_store @seed = %1 : tensor<i64>
    return %0 : tensor<i64>
  }
  func.func @f(%x: tensor<i64>, %y: tensor<3xi64>) -> (tensor<i64>, tensor<3xi64>, i64) {
    %0 = call @step(%x) : (tensor<i64>) -> tensor<i64>
    %w = ml_program.global_load_const @weights : tensor<3xi64>
    %1 = arith.muli %w, %y : tensor<3xi64>
    %one = arith.constant 1 : i64
    %c = ml_program.global_load @count : i64
    %d = arith.addi %c, %one : i64
    ml_program.global_store @count = %d : i64
    return %0, %1, %d : tensor<i64>, tensor<3xi64>, i64
  }
"""


def test_globals_of_ml_program_keep_their_elements_between_calls():
    built = kc.build(kc.IRModule.parse(GLOBALS))
    y = np.array([3, -1, 2])
    for call in range(3):
        seed, product, count = built["f"](np.array(7), y)
        assert int(seed) == 5 + 7 * call
        np.testing.assert_array_equal(product, y * [1, 2, 4])
        assert int(count) == call + 1


@pytest.mark.parametrize(
    ("declared", "access", "op", "why"),
    [
        (
            "",
            "%0 = ml_program.global_load @g : tensor<2xf32>",
            "load of tensor<2xf32>",
            "there is no ml_program.global @g",
        ),
        (
            "ml_program.global private mutable @g : tensor<?xf32>",
            "%0 = ml_program.global_load @g : tensor<?xf32>",
            "load of tensor<?xf32>",
            "a global must be a scalar, or a tensor with constant sizes",
        ),
        (
            "ml_program.global private mutable @g : tensor<3xf32>",
            "%0 = ml_program.global_load @g : tensor<2xf32>",
            "load of tensor<2xf32>",
            "the global is tensor<3xf32>",
        ),
        (
            "ml_program.global private @g(dense<0.0> : tensor<2xf32>) : tensor<2xf32>",
            "ml_program.global_store @g = %x : tensor<2xf32>",
            "store of tensor<2xf32>",
            "the global is not mutable",
        ),
        (
            'ml_program.global private @g("text") : tensor<2xf32>',
            "%0 = ml_program.global_load @g : tensor<2xf32>",
            "load of tensor<2xf32>",
            'its value is "text"',
        ),
    ],
)
def test_accesses_of_globals_that_are_refused(declared: str, access: str, op: str, why: str):
    text = f"""{declared}
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {{
  {access}
  return %x : tensor<2xf32>
}}"""
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "f.mlir"))
    assert str(caught.value) == (
        f"error[KC4550]: raise-to-tir: ml_program.global_{op} has no counterpart in tir\n"
        f"  --> f.mlir:3:3\n"
        f"  why: {why}"
    )


def test_an_op_without_results_checks_what_it_reads():
    text = """
      func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
        %zero = arith.constant 0.0 : f32
        linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%x : tensor<4xf32>) {
        ^bb0(%in: f32):
          %holds = arith.cmpf oge, %in, %zero : f32
          cf.assert %holds, "negative"
          linalg.yield
        }
        return %x : tensor<4xf32>
      }
    """
    built = kc.build(kc.IRModule.parse(text, "f.mlir"))
    x = np.array([1, 2, 0, 4], np.float32)
    np.testing.assert_array_equal(built(x), x)
    with pytest.raises(KCError) as caught:
        built(-x)
    assert caught.value.code == "KC5250"
    assert str(caught.value.__cause__) == "f.mlir:8:11: negative"


@pytest.mark.parametrize(
    ("element", "hint"),
    [("vector<8xf32>", "\n  try: run flatten-memrefs-of-vectors first"), ("memref<2xf32>", "")],
)
def test_elements_that_are_no_scalars_are_refused(element: str, hint: str):
    text = f"""
    func.func @f(%a: memref<4x{element}>, %b: memref<4x{element}>) {{
      memref.copy %a, %b : memref<4x{element}> to memref<4x{element}>
      return
    }}"""
    module = kc.IRModule.parse(text, "m.mlir")
    with pytest.raises(KCError) as caught:
        RaiseToTirPass().apply(Context(), module.op)
    assert str(caught.value) == (
        f"error[KC4550]: raise-to-tir: memref<4x{element}> in func.func has no counterpart in tir\n"
        "  --> m.mlir:2:5\n"
        f"  why: the elements of buffers are scalars{hint}"
    )
