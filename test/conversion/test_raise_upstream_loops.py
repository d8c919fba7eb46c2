"""Results of upstream's loops, views and copies, against numpy."""

import numpy as np
import pytest

import kc
from kc.support.diagnostics import CallError, CodegenError
from kc.support.registry import context, get_pass

# A name -> the text of @f, what goes in, what each of the arguments is afterwards (or the results).
CASES = {}


def case(name):
    def note(make):
        CASES[name] = make
        return make

    return note


def _random(*shape):
    return np.random.default_rng(len(shape)).random(shape, dtype=np.float32)


@case("scf.for with a tensor")
def for_tensor():
    text = """
    func.func @f(%a: tensor<16xf32>, %t: tensor<16xf32>) -> tensor<16xf32> {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c15 = arith.constant 15 : index
      %r = scf.for %i = %c0 to %c15 step %c3 iter_args(%o = %t) -> (tensor<16xf32>) {
        %s = tensor.extract_slice %a[%i] [3] [1] : tensor<16xf32> to tensor<3xf32>
        %q = tensor.extract_slice %o[%i] [3] [1] : tensor<16xf32> to tensor<3xf32>
        %e = linalg.add ins(%s, %q : tensor<3xf32>, tensor<3xf32>) outs(%q : tensor<3xf32>)
          -> tensor<3xf32>
        %w = tensor.insert_slice %e into %o[%i] [3] [1] : tensor<3xf32> into tensor<16xf32>
        scf.yield %w : tensor<16xf32>
      }
      return %r : tensor<16xf32>
    }"""
    a, t = _random(16), _random(16, 1)[:, 0].copy()
    expected = t.copy()
    expected[:15] += a[:15]
    return text, (a, t), expected


@case("tensors that a loop exchanges")
def exchanged():
    text = """
    func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
          -> (tensor<4xf32>, tensor<4xf32>) {
        %s = arith.addf %x, %y : tensor<4xf32>
        scf.yield %y, %s : tensor<4xf32>, tensor<4xf32>
      }
      return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
    }"""
    a, b = _random(4), _random(4, 1)[:, 0].copy()
    x, y = a, b
    for _ in range(5):
        x, y = y, x + y
    return text, (a, b, 5), (x, y)


@case("a tensor that a loop gives back swapped")
def swapped():
    text = """
    func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
          -> (tensor<4xf32>, tensor<4xf32>) {
        scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
      }
      return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
    }"""
    a, b = _random(4), _random(4, 1)[:, 0].copy()
    return text, (a, b, 3), (b, a)


@case("a tensor and a scalar that a loop carries")
def tensor_and_scalar():
    text = """
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4xf32>
      %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %z, %o = %e) -> (f32, tensor<4xf32>) {
        %x = tensor.extract %a[%i] : tensor<4xf32>
        %t = arith.addf %s, %x : f32
        %w = tensor.insert %t into %o[%i] : tensor<4xf32>
        scf.yield %t, %w : f32, tensor<4xf32>
      }
      return %r#1 : tensor<4xf32>
    }"""
    a = _random(4)
    return text, (a,), np.cumsum(a, dtype=np.float32)


@case("a loop inside of a loop over a tensor")
def nested():
    text = """
    func.func @f(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%o = %a) -> (tensor<3x4xf32>) {
        %q = scf.for %j = %c0 to %c4 step %c1 iter_args(%p = %o) -> (tensor<3x4xf32>) {
          %x = tensor.extract %p[%i, %j] : tensor<3x4xf32>
          %y = arith.addf %x, %x : f32
          %w = tensor.insert %y into %p[%i, %j] : tensor<3x4xf32>
          scf.yield %w : tensor<3x4xf32>
        }
        scf.yield %q : tensor<3x4xf32>
      }
      return %r : tensor<3x4xf32>
    }"""
    a = _random(3, 4)
    return text, (a,), 2 * a


@case("scf.forall whose body sees its tensor as it was")
def forall_reads():
    text = """
    func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
      %r = scf.forall (%i) in (7) shared_outs(%o = %t) -> (tensor<8xf32>) {
        %n = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
        %s = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %s into %o[%n] [1] [1] : tensor<1xf32> into tensor<8xf32>
        }
      }
      return %r : tensor<8xf32>
    }"""
    t = _random(8)
    expected = t.copy()
    expected[1:] = t[:-1]
    return text, (t,), expected


@case("scf.forall over memrefs, with steps")
def forall_memref():
    text = """
    func.func @f(%m: memref<10xf32>, %n: index) {
      %one = arith.constant 1.0 : f32
      scf.forall (%i) = (1) to (%n) step (3) {
        memref.store %one, %m[%i] : memref<10xf32>
      }
      return
    }"""
    m = np.zeros(10, np.float32)
    expected = m.copy()
    expected[1:9:3] = 1
    return text, (m, 9), None, expected


@case("affine.parallel that reduces")
def affine_reduction():
    text = """
    func.func @f(%m: memref<10x3xf32>, %o: memref<3xf32>) {
      %r:3 = affine.parallel (%i, %j) = (0, 0) to (10, 3) reduce ("addf", "maximumf", "minimumf")
          -> (f32, f32, f32) {
        %x = affine.load %m[%i, %j] : memref<10x3xf32>
        affine.yield %x, %x, %x : f32, f32, f32
      }
      affine.store %r#0, %o[0] : memref<3xf32>
      affine.store %r#1, %o[1] : memref<3xf32>
      affine.store %r#2, %o[2] : memref<3xf32>
      return
    }"""
    m = _random(10, 3) - 2
    expected = np.array([m.sum(), m.max(), m.min()], np.float32)
    return text, (m, np.zeros(3, np.float32)), None, (m, expected)


@case("scf.parallel that reduces integers")
def scf_reduction():
    text = """
    func.func @f(%m: memref<6xi32>, %o: memref<2xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %init = arith.constant 7 : i32
      %r:2 = scf.parallel (%i) = (%c0) to (%c6) step (%c1) init (%init, %init) -> (i32, i32) {
        %x = memref.load %m[%i] : memref<6xi32>
        scf.reduce(%x, %x : i32, i32) {
        ^bb0(%a: i32, %b: i32):
          %s = arith.addi %a, %b : i32
          scf.reduce.return %s : i32
        }, {
        ^bb0(%a: i32, %b: i32):
          %s = arith.minsi %a, %b : i32
          scf.reduce.return %s : i32
        }
      }
      memref.store %r#0, %o[%c0] : memref<2xi32>
      memref.store %r#1, %o[%c1] : memref<2xi32>
      return
    }"""
    m = np.array([5, -3, 9, 0, 2, 2], np.int32)
    return text, (m, np.zeros(2, np.int32)), None, (m, np.array([22, -3], np.int32))


@case("scf.if that gives tensors")
def if_tensors():
    text = """
    func.func @f(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
      %c2 = arith.constant 2 : index
      %c = arith.cmpi slt, %n, %c2 : index
      %r = scf.if %c -> (tensor<4xf32>) {
        %s = arith.addf %a, %a : tensor<4xf32>
        scf.yield %s : tensor<4xf32>
      } else {
        scf.yield %a : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }"""
    a = _random(4)
    return text, (a, 1), 2 * a


@case("an index that a loop carries beside a tensor")
def tensor_and_index():
    text = """
    func.func @f(%a: tensor<7xf32>, %t: tensor<4xf32>, %start: index) -> (tensor<4xf32>, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %t, %j = %start)
          -> (tensor<4xf32>, index) {
        %x = tensor.extract %a[%j] : tensor<7xf32>
        %w = tensor.insert %x into %o[%i] : tensor<4xf32>
        %k = arith.addi %j, %c2 : index
        %m = arith.remui %k, %c4 : index
        scf.yield %w, %m : tensor<4xf32>, index
      }
      return %r#0, %r#1 : tensor<4xf32>, index
    }"""
    a = _random(7)
    return text, (a, np.zeros(4, np.float32), 5), (a[[5, 3, 1, 3]], 1)


@case("an index that affine.for carries")
def affine_index():
    text = """
    func.func @f(%a: memref<4xi64>, %start: index) {
      %c3 = arith.constant 3 : index
      %r = affine.for %i = 0 to 4 iter_args(%j = %start) -> (index) {
        %v = arith.index_cast %j : index to i64
        affine.store %v, %a[%i] : memref<4xi64>
        %k = arith.muli %j, %c3 : index
        affine.yield %k : index
      }
      return
    }"""
    return text, (np.zeros(4, np.int64), 2), None, np.array([2, 6, 18, 54])


@case("a carried value that is stored where the program says after the loop")
def stored_at_a_later_index():
    text = """
    func.func @f(%a: memref<4xf32>, %r: memref<5xf32>, %n: index) {
      %z = arith.constant 0.0 : f32
      %c1 = arith.constant 1 : index
      %s = affine.for %i = 0 to 4 iter_args(%t = %z) -> (f32) {
        %x = affine.load %a[%i] : memref<4xf32>
        %u = arith.addf %t, %x : f32
        affine.yield %u : f32
      }
      %k = arith.addi %n, %c1 : index
      memref.store %s, %r[%k] : memref<5xf32>
      return
    }"""
    a = _random(4)
    expected = np.zeros(5, np.float32)
    expected[3] = a.sum()
    return text, (a, np.zeros(5, np.float32), 2), None, (a, expected)


@case("a tensor whose size is computed again in the loop")
def size_computed_again():
    text = """
    func.func @f(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %m = arith.muli %n, %c2 : index
      %e = tensor.empty(%m) : tensor<?xf32>
      %s = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s) -> (tensor<?xf32>) {
        %k = arith.addi %n, %n : index
        %f = tensor.empty(%k) : tensor<?xf32>
        %w = linalg.add ins(%o, %a : tensor<?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>)
          -> tensor<?xf32>
        scf.yield %w : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }"""
    a = _random(6)
    return text, (a, 3), np.exp(a) + 3 * a


@case("semi-affine maps")
def semi_affine():
    text = """
    func.func @f(%m: memref<?xi64>, %n: index, %p: index) {
      affine.for %i = -5 to %n {
        %k = affine.apply affine_map<(d0)[s0] -> ((d0 mod s0) * s0 + d0 floordiv s0)>(%i)[%p]
        %l = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv s0 + s0 * d0)>(%i)[%p]
        %x = arith.addi %k, %l : index
        %v = arith.index_cast %x : index to i64
        affine.store %v, %m[%i + 5] : memref<?xi64>
      }
      return
    }"""
    values = [(i % 3) * 3 + i // 3 + -(-i // 3) + 3 * i for i in range(-5, 7)]
    return text, (np.zeros(12, np.int64), 7, 3), None, np.array(values, np.int64)


@case("linear indices")
def linear_indices():
    text = """
    func.func @f(%m: memref<24xi64>, %n: index) {
      affine.for %i = 0 to 24 {
        %d:3 = affine.delinearize_index %i into (2, %n, 4) : index, index, index
        %x = affine.linearize_index [%d#2, %d#0, %d#1] by (4, 2, %n) : index
        %v = arith.index_cast %x : index to i64
        affine.store %v, %m[%i] : memref<24xi64>
      }
      return
    }"""
    expected = np.arange(24).reshape(2, 3, 4)
    expected = np.array(
        [d2 * 6 + d0 * 3 + d1 for d0 in range(2) for d1 in range(3) for d2 in range(4)], np.int64
    )
    return text, (np.zeros(24, np.int64), 3), None, expected


@case("a tensor of a buffer that changes afterwards")
def to_tensor():
    text = """
    func.func @f(%m: memref<4xf32>, %o: memref<4xf32>) {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
      memref.store %z, %m[%c0] : memref<4xf32>
      %e = arith.addf %t, %t : tensor<4xf32>
      bufferization.materialize_in_destination %e in restrict writable %o
        : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }"""
    m = _random(4)
    after = m.copy()
    after[0] = 0
    return text, (m, np.zeros(4, np.float32)), None, (after, 2 * m)


@case("a buffer of a tensor that changes afterwards")
def to_buffer():
    text = """
    func.func @f(%t: tensor<4xf32>, %o: memref<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %b = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
      %c = bufferization.clone %b : memref<4xf32> to memref<4xf32>
      memref.store %z, %b[%c0] : memref<4xf32>
      memref.store %z, %c[%c0] : memref<4xf32>
      memref.copy %b, %o : memref<4xf32> to memref<4xf32>
      memref.dealloc %c : memref<4xf32>
      return %t : tensor<4xf32>
    }"""
    t = _random(4)
    return text, (t, np.zeros(4, np.float32)), t


@case("memref.realloc, longer and shorter")
def realloc():
    text = """
    func.func @f(%m: memref<4xf32>, %o: memref<8xf32>, %n: index) {
      %z = arith.constant 9.0 : f32
      %a = memref.alloc() : memref<4xf32>
      memref.copy %m, %a : memref<4xf32> to memref<4xf32>
      %b = memref.realloc %a(%n) : memref<4xf32> to memref<?xf32>
      %c = memref.realloc %b : memref<?xf32> to memref<8xf32>
      affine.for %i = 3 to 8 {
        affine.store %z, %c[%i] : memref<8xf32>
      }
      memref.copy %c, %o : memref<8xf32> to memref<8xf32>
      return
    }"""
    m = _random(4)
    expected = np.full(8, 9, np.float32)
    expected[:3] = m[:3]
    return text, (m, np.zeros(8, np.float32), 3), None, (m, expected)


@case("views of views")
def views():
    text = """
    func.func @f(%m: memref<6x8xf32>, %i: index, %o: memref<2x2xf32>) {
      %s = memref.subview %m[%i, 1] [4, 3] [1, 2]
        : memref<6x8xf32> to memref<4x3xf32, strided<[8, 2], offset: ?>>
      %t = memref.transpose %s (d0, d1) -> (d1, d0) : memref<4x3xf32, strided<[8, 2], offset: ?>>
        to memref<3x4xf32, strided<[2, 8], offset: ?>>
      %u = memref.subview %t[1, 1] [2, 2] [1, 2] : memref<3x4xf32, strided<[2, 8], offset: ?>>
        to memref<2x2xf32, strided<[2, 16], offset: ?>>
      memref.copy %u, %o : memref<2x2xf32, strided<[2, 16], offset: ?>> to memref<2x2xf32>
      return
    }"""
    m = _random(6, 8)
    expected = m[2:6, 1:7:2].T[1:3, 1::2]
    return text, (m, 2, np.zeros((2, 2), np.float32)), None, (m, expected)


@case("shapes of a buffer")
def shapes():
    text = """
    func.func @f(%m: memref<?x12xf32>, %n: index, %o: memref<?xf32>) {
      %p = memref.expand_shape %m [[0], [1, 2]] output_shape [%n, 3, 4]
        : memref<?x12xf32> into memref<?x3x4xf32>
      %q = memref.collapse_shape %p [[0, 1], [2]] : memref<?x3x4xf32> into memref<?x4xf32>
      %r = memref.reinterpret_cast %o to offset: [23], sizes: [6, 4], strides: [-4, -1]
        : memref<?xf32> to memref<6x4xf32, strided<[-4, -1], offset: 23>>
      %c = memref.cast %q : memref<?x4xf32> to memref<6x4xf32>
      memref.copy %c, %r : memref<6x4xf32> to memref<6x4xf32, strided<[-4, -1], offset: 23>>
      return
    }"""
    m = _random(2, 12)
    return text, (m, 2, np.zeros(24, np.float32)), None, (m, m.reshape(24)[::-1])


@case("a copy between parts of one buffer that overlap")
def overlapping():
    text = """
    func.func @f(%m: memref<8xf32>) {
      %a = memref.subview %m[0] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1]>>
      %b = memref.subview %m[1] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1], offset: 1>>
      memref.copy %a, %b : memref<7xf32, strided<[1]>> to memref<7xf32, strided<[1], offset: 1>>
      return
    }"""
    m = _random(8)
    return text, (m,), None, np.concatenate([m[:1], m[:-1]])


@case("linalg on parts of one buffer")
def linalg_on_views():
    text = """
    func.func @f(%m: memref<8xf32>) {
      %a = memref.subview %m[0] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1]>>
      %b = memref.subview %m[1] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1], offset: 1>>
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                      iterator_types = ["reduction"]}
        ins(%a : memref<7xf32, strided<[1]>>) outs(%b : memref<7xf32, strided<[1], offset: 1>>) {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        linalg.yield %s : f32
      }
      return
    }"""
    m = _random(8)
    return text, (m,), None, np.cumsum(m, dtype=np.float32)


@pytest.mark.parametrize("name", CASES)
def test_numbers(name):
    text, given, returned, *after = CASES[name]()
    given = [value.copy() if isinstance(value, np.ndarray) else value for value in given]
    results = kc.build(kc.IRModule.parse(text))(*given)
    if returned is not None:
        results = results if isinstance(results, tuple) else (results,)
        expected = returned if isinstance(returned, tuple) else (returned,)
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-6)
    for arrays in after:
        arrays = arrays if isinstance(arrays, tuple) else (arrays,)
        changed = [value for value in given if isinstance(value, np.ndarray)]
        for array, wanted in zip(changed, arrays, strict=True):
            np.testing.assert_allclose(array, wanted, rtol=1e-6)


def test_strided_arguments():
    text = """
    func.func @f(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                 %b: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      linalg.exp ins(%a : memref<?x?xf32, strided<[?, ?], offset: ?>>)
                 outs(%b : memref<?x?xf32, strided<[?, 1], offset: ?>>)
      return
    }"""
    function = kc.build(kc.IRModule.parse(text))
    whole, out = _random(8, 9), np.zeros((4, 7), np.float32)
    given = whole[1:7:2, 2:8].T[1:5]
    function(given, out[:, 2:5])
    expected = np.zeros((4, 7), np.float32)
    expected[:, 2:5] = np.exp(given)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


def test_a_called_function_whose_other_name_is_taken():
    text = """
    func.func @g_values(%a: f32) { return }
    func.func @g(%a: f32) -> f32 {
      %r = arith.mulf %a, %a : f32
      return %r : f32
    }
    func.func @f(%a: f32) -> f32 {
      %r = func.call @g(%a) : (f32) -> f32
      return %r : f32
    }"""
    module = kc.build(kc.IRModule.parse(text))
    assert module["f"](3.0) == 9.0
    assert module["g"](2.0) == 4.0


def test_attributes_of_scalar_results_go_with_them():
    text = """
    func.func @f(%a: f32, %b: f32) -> (f32 {kc.foo = 1 : i32}, f32 {kc.name = "zz"}) {
      return %a, %b : f32, f32
    }"""
    module = kc.IRModule.parse(text)
    get_pass("raise-to-tir").apply(context(), module.op)
    assert "kc.foo = 1 : i32" in str(module)
    assert 'kc.name = "zz"' in str(module)
    assert kc.IRModule.parse(str(module)) is not None
    assert [float(value) for value in kc.build(kc.IRModule.parse(text))(1.0, 2.0)] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("loop", "why", "hint"),
    [
        (
            "%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %t, %b = %m)\n"
            "    -> (tensor<4xf32>, memref<4xf32>) {\n"
            "  scf.yield %o, %b : tensor<4xf32>, memref<4xf32>\n}",
            "it carries a memref<4xf32>, which is neither an integer, nor an index, "
            "nor a float, nor a tensor",
            "store the value to a memref<index> or memref<f32> in the loop",
        ),
        (
            "%r:2 = scf.for %i = %c0 to %n step %c0 iter_args(%o = %t, %j = %c0)\n"
            "    -> (tensor<4xf32>, index) {\n"
            "  scf.yield %o, %j : tensor<4xf32>, index\n}",
            "its step is 0",
            "a step of at least 1",
        ),
        (
            "%r:2 = scf.for %i = %z to %z step %z iter_args(%o = %t, %j = %c0)\n"
            "    -> (tensor<4xf32>, index) : i32 {\n"
            "  scf.yield %o, %j : tensor<4xf32>, index\n}",
            "it carries a tensor and counts in i32",
            "use a loop variable of type index, and cast it to the type that the body needs",
        ),
    ],
)
def test_loops_with_tensors_that_are_no_loops_of_tir(loop, why, hint):
    text = f"""func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>, %n: index) -> tensor<4xf32> {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%z = arith.constant 1 : i32
{loop}
return %r#0 : tensor<4xf32>
}}"""
    module = kc.IRModule.parse(text, "x.mlir")
    with pytest.raises(CodegenError) as caught:
        get_pass("raise-to-tir").apply(context(), module.op)
    assert str(caught.value) == (
        "error[KC4555]: raise-to-tir: this scf.for is not a loop of tir\n"
        "  --> x.mlir:5:1\n"
        f"  why: {why}\n"
        f"  try: {hint}"
    )


def test_a_size_that_is_not_known_to_stay():
    text = """func.func @f(%a: tensor<?xf32>, %n: index, %m: memref<2xindex>) -> tensor<?xf32> {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %a) -> (tensor<?xf32>) {
  %k = memref.load %m[%c1] : memref<2xindex>
  %z = arith.constant 1.0 : f32
  %e = tensor.empty(%k) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  scf.yield %f : tensor<?xf32>
}
return %r : tensor<?xf32>
}"""
    module = kc.IRModule.parse(text, "x.mlir")
    with pytest.raises(CodegenError) as caught:
        get_pass("raise-to-tir").apply(context(), module.op)
    assert str(caught.value) == (
        "error[KC4550]: raise-to-tir: scf.for that carries a tensor whose size changes has no "
        "counterpart in tir\n"
        "  --> x.mlir:4:1\n"
        "  why: the size of a buffer is fixed, and the yielded size may differ from it\n"
        "  try: give the tensor a static shape, or take a slice of a larger one"
    )


STEPS = """
  func.func @f(%t: tensor<12xf32>, %low: index, %high: index, %s: index) -> (tensor<12xf32>, f32) {
    %one = arith.constant 1.0 : f32
    %r:2 = scf.for %i = %low to %high step %s iter_args(%u = %t, %sum = %one)
        -> (tensor<12xf32>, f32) {
      %x = tensor.extract %u[%i] : tensor<12xf32>
      %y = arith.addf %x, %one : f32
      %v = tensor.insert %y into %u[%i] : tensor<12xf32>
      %more = arith.addf %sum, %x : f32
      scf.yield %v, %more : tensor<12xf32>, f32
    }
    return %r#0, %r#1 : tensor<12xf32>, f32
  }
  func.func @g(%t: tensor<12xf32>, %s: index) -> tensor<12xf32> {
    %r = scf.forall (%i) = (1) to (11) step (%s) shared_outs(%o = %t) -> tensor<12xf32> {
      %a = tensor.extract_slice %t[%i] [1] [1] : tensor<12xf32> to tensor<1xf32>
      %n = arith.negf %a : tensor<1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %n into %o[%i] [1] [1]
          : tensor<1xf32> into tensor<12xf32>
      }
    }
    return %r : tensor<12xf32>
  }
"""


def test_loops_with_tensors_step_by_arguments():
    built = kc.build(kc.IRModule.parse(STEPS, "f.mlir"))
    t = np.arange(12, dtype=np.float32)
    for low, high, step in ((0, 12, 5), (1, 11, 1), (3, 3, 2), (5, 2, 3), (0, 1, 2**62)):
        tensor, total = built["f"](t, low, high, step)
        expected = t.copy()
        expected[low:high:step] += 1
        np.testing.assert_array_equal(tensor, expected)
        assert float(total) == 1 + t[low:high:step].sum()
    for step in (1, 3, 10, 20):
        expected = t.copy()
        expected[1:11:step] *= -1
        np.testing.assert_array_equal(built["g"](t, step), expected)
    with pytest.raises(CallError) as caught:
        built["g"](t, 0)
    assert str(caught.value) == (
        "error[KC5132]: g: the sizes of its arguments do not fit: s >= 1 does not hold\n"
        "   |  s is 0, from argument 2 's'\n"
        "  why: scf.forall (f.mlir:15:5) has a step of at least 1"
    )


def test_a_linalg_body_computes_indices_by_affine_ops():
    text = """
      func.func @f(%x: tensor<16xf32>, %n: index, %y: tensor<5xf32>) -> tensor<5xf32> {
        %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                             iterator_types = ["parallel"]} outs(%y : tensor<5xf32>) {
        ^bb0(%out: f32):
          %i = linalg.index 0 : index
          %j = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)>(%i, %n)
          %k = affine.min affine_map<(d0) -> (d0, 14)>(%j)
          %e = tensor.extract %x[%k] : tensor<16xf32>
          linalg.yield %e : f32
        } -> tensor<5xf32>
        return %0 : tensor<5xf32>
      }
    """
    built = kc.build(kc.IRModule.parse(text))
    x = np.arange(16, dtype=np.float32)
    for n in (0, 2, 9):
        expected = x[np.minimum(3 * np.arange(5) + n, 14)]
        np.testing.assert_array_equal(built(x, n, np.zeros(5, np.float32)), expected)
