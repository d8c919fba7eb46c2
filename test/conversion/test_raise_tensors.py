"""Tensors in buffers: what is updated in place, and which dimensions a slice has."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run

TRANSPOSED_ADD = """%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : T) outs(%o : O) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> O"""
MATMUL = "%r = linalg.matmul ins(%c, %c : T, T) outs(%o : O) -> O"
INSERT = """%u = tensor.extract_slice %c[1, 0] [3, 4] [1, 1] : T to tensor<3x4xf32>
    %r = tensor.insert_slice %u into %o[0, 0] [3, 4] [1, 1] : tensor<3x4xf32> into O"""

STATIC, DYNAMIC = "tensor<4x4xf32>", "tensor<?x?xf32>"


def updated(op: str, read: str, written: str) -> str:
    """``%x`` is updated in place by ``op``, which also reads it; either by a cast of it, or not."""
    types = {"x": STATIC, "cast": DYNAMIC, "cast of a cast": STATIC}
    names = {"x": "%x", "cast": "%y", "cast of a cast": "%w"}
    for old, new in (("%c", names[read]), ("%o", names[written])):
        op = op.replace(f"{old},", f"{new},").replace(f"{old} ", f"{new} ")
        op = op.replace(f"{old}[", f"{new}[")
    op = op.replace("T", types[read]).replace("O", types[written])
    return f"""func.func @f(%A: {STATIC}) -> {types[written]} {{
      %e = tensor.empty() : {STATIC}
      %x = linalg.exp ins(%A : {STATIC}) outs(%e : {STATIC}) -> {STATIC}
      %y = tensor.cast %x : {STATIC} to {DYNAMIC}
      %w = tensor.cast %y : {DYNAMIC} to {STATIC}
      {op}
      %n = arith.negf %r : {types[written]}
      return %n : {types[written]}
    }}"""


VIEWS = ("x", "cast", "cast of a cast")


@pytest.mark.parametrize("written", VIEWS)
@pytest.mark.parametrize("read", VIEWS)
@pytest.mark.parametrize("op", ["transposed add", "matmul", "insert"])
def test_an_update_keeps_what_it_reads_by_another_name(op: str, read: str, written: str):
    a = (np.arange(16, dtype="float32").reshape(4, 4) / 16) ** 2
    x = np.exp(a)
    if op == "transposed add":
        text, wanted = updated(TRANSPOSED_ADD, read, written), x + x.T
    elif op == "matmul":
        text, wanted = updated(MATMUL, read, written), x @ x + x
    else:
        text, wanted = updated(INSERT, read, written), np.vstack([x[1:], x[3:]])
    check(text, [a], -wanted)


def check(text: str, arrays: list[np.ndarray], expected: np.ndarray) -> None:
    """The result natively and in the interpreter."""
    module = kc.IRModule.parse(text)
    np.testing.assert_allclose(np.asarray(kc.build(module)(*arrays)), expected, rtol=1e-5)
    result = np.full(expected.shape, 77, expected.dtype)
    run(kc.lower(module).op, "f", [*arrays, result])
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_a_tensor_that_a_loop_reads_again_is_not_updated_through_a_cast():
    text = """
    func.func @f(%A: tensor<4xf32>, %S: memref<3xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %e = tensor.empty() : tensor<4xf32>
      %x = linalg.exp ins(%A : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      scf.for %i = %c0 to %c3 step %c1 {
        %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
        %r = linalg.add ins(%A, %A : tensor<4xf32>, tensor<4xf32>) outs(%y : tensor<?xf32>)
          -> tensor<?xf32>
        %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
            iterator_types = ["parallel"]} outs(%y : tensor<?xf32>) {
        ^bb0(%a: f32):
          %s = arith.addf %a, %a : f32
          linalg.yield %s : f32
        } -> tensor<?xf32>
        %v = tensor.extract %q[%c1] : tensor<?xf32>
        memref.store %v, %S[%i] : memref<3xf32>
      }
      return
    }"""
    a = np.arange(4, dtype=np.float32)
    s = np.zeros(3, np.float32)
    kc.build(kc.IRModule.parse(text))(a, s)
    np.testing.assert_allclose(s, np.full(3, 2 * np.exp(1)), rtol=1e-6)


def slices() -> Any:
    """Sizes of slices, and the shapes that their types may have."""
    for sizes in ((1, 3, 1, 3), (1, 1, 3), (3, 1, 1), (1, 2, 1), (1, 1, 1), (2, 1, 3, 1)):
        units = [n for n, size in enumerate(sizes) if size == 1]
        shapes = {
            tuple(size for n, size in enumerate(sizes) if n not in gone)
            for count in range(len(units) + 1)
            for gone in itertools.combinations(units, count)
        }
        yield from ((sizes, shape) for shape in sorted(shapes))


def tensor(shape: tuple[int, ...]) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


@pytest.mark.parametrize(("sizes", "shape"), list(slices()), ids=str)
def test_slices_drop_dimensions_of_one_element(sizes: tuple[int, ...], shape: tuple[int, ...]):
    whole = tuple(size + 1 for size in sizes)
    place = f"[{', '.join('1' for _ in sizes)}] {list(sizes)} [{', '.join('1' for _ in sizes)}]"
    at = tuple(slice(1, None) for _ in sizes)
    x = np.random.default_rng(0).random(whole).astype(np.float32)
    part = np.random.default_rng(1).random(shape).astype(np.float32)
    text = f"""func.func @f(%x: {tensor(whole)}) -> {tensor(shape)} {{
      %r = tensor.extract_slice %x{place} : {tensor(whole)} to {tensor(shape)}
      return %r : {tensor(shape)} }}"""
    check(text, [x], x[at].reshape(shape))
    text = f"""func.func @f(%s: {tensor(shape)}, %x: {tensor(whole)}) -> {tensor(whole)} {{
      %r = tensor.insert_slice %s into %x{place} : {tensor(shape)} into {tensor(whole)}
      return %r : {tensor(whole)} }}"""
    wanted = x.copy()
    wanted[at] = part.reshape(sizes)
    check(text, [part, x], wanted)


KNOWN_SIZES = {
    "to dynamic": (
        "%q = tensor.cast %x : tensor<4x6xf32> to tensor<?x?xf32>",
        ("tensor<4x6xf32>", "tensor<?x?xf32>"),
        lambda x: x,
    ),
    "to static": (
        "%q = tensor.cast %x : tensor<?x?xf32> to tensor<4x6xf32>",
        ("tensor<?x?xf32>", "tensor<4x6xf32>"),
        lambda x: x,
    ),
    "slice": (
        "%q = tensor.extract_slice %x[1, 1] [%c2, %c3] [1, 2] : tensor<4x6xf32> to tensor<?x?xf32>",
        ("tensor<4x6xf32>", "tensor<?x?xf32>"),
        lambda x: x[1:3, 1:6:2],
    ),
    "pad": (
        """%q = tensor.pad %x low[%c2, 0] high[0, %c3] {
        ^bb0(%i: index, %j: index):
          tensor.yield %z : f32
        } : tensor<4x6xf32> to tensor<?x?xf32>""",
        ("tensor<4x6xf32>", "tensor<?x?xf32>"),
        lambda x: np.pad(x, ((2, 0), (0, 3))),
    ),
    "concat": (
        """%y = tensor.cast %x : tensor<?x?xf32> to tensor<4x6xf32>
        %q = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<4x6xf32>)
          -> tensor<?x?xf32>""",
        ("tensor<?x?xf32>", "tensor<?x?xf32>"),
        lambda x: np.concatenate([x, x]),
    ),
    "expand": (
        """%y = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
        %w = tensor.cast %y : tensor<24xf32> to tensor<?xf32>
        %q = tensor.expand_shape %w [[0, 1]] output_shape [%c3, 8] : tensor<?xf32>
          into tensor<?x8xf32>""",
        ("tensor<4x6xf32>", "tensor<?x8xf32>"),
        lambda x: x.reshape(3, 8),
    ),
    "a result that is empty": (
        """%e = tensor.empty(%c2, %c3) : tensor<?x?xf32>
        %q = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>""",
        ("tensor<4x6xf32>", "tensor<?x?xf32>"),
        lambda x: np.zeros((2, 3), np.float32),
    ),
}


@pytest.mark.parametrize("case", KNOWN_SIZES)
def test_sizes_that_raising_finds_out_are_those_of_the_type(case: str):
    body, (taken, given), reference = KNOWN_SIZES[case]
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    text = f"""func.func @f(%x: {taken}) -> {given} {{
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %z = arith.constant 0.0 : f32
      {body}
      return %q : {given}
    }}"""
    check(text, [x], reference(x))
    assert "?" not in str(kc.lower(kc.IRModule.parse(text)))


def test_a_memref_of_known_size_is_still_what_a_call_takes():
    text = """
    func.func private @outside(%a: memref<?xf32>)
    func.func @f(%a: memref<?xf32>, %b: memref<8xf32>) {
      linalg.exp ins(%b : memref<8xf32>) outs(%a : memref<?xf32>)
      func.call @outside(%a) : (memref<?xf32>) -> ()
      return
    }"""
    module = kc.lower(kc.IRModule.parse(text))
    assert "@f(%a: memref<8xf32>" in str(module)
    module.op.verify()


SCATTERED = """
func.func @f(%a: tensor<AxBxf32>, %c: tensor<CxDxf32>) -> tensor<CxDxf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (MAP)>],
      iterator_types = ["parallel", "KIND"]}
      ins(%a : tensor<AxBxf32>) outs(%c : tensor<CxDxf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<CxDxf32>
  return %0 : tensor<CxDxf32>
}
"""


@pytest.mark.parametrize(
    ("shape", "target", "map_", "kind"),
    [
        ((2, 3), (1, 6), "0, i + j", "parallel"),  # sums
        ((3, 1), (3, 3), "i, i", "parallel"),  # a diagonal
        ((2, 3), (2, 3), "0, j", "parallel"),  # a row
        ((3, 0), (3, 1), "i, 0", "reduction"),  # nothing at all
        ((3, 4), (3, 1), "i, 0", "reduction"),  # the last of each row
    ],
)
@pytest.mark.parametrize("fills", [False, True])
def test_elements_that_no_iteration_writes_keep_what_they_held(
    shape: tuple[int, int], target: tuple[int, int], map_: str, kind: str, fills: bool
):
    text = SCATTERED.replace("MAP", map_).replace("KIND", kind)
    sizes = dict(zip("ABCD", (*shape, *target), strict=True))
    for name, size in sizes.items():
        text = re.sub(rf"\b{name}x|(?<=x){name}x", "?x" if name == "B" else f"{size}x", text)
    if fills:
        type_ = f"tensor<{target[0]}x{target[1]}xf32>"
        text = text.replace("outs(%c :", "outs(%filled :").replace(
            "  %0 =",
            "  %z = arith.constant 7.0 : f32\n"
            f"  %filled = linalg.fill ins(%z : f32) outs(%c : {type_}) -> {type_}\n  %0 =",
        )
    a = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    c = -np.ones(target, np.float32)
    wanted = np.full(target, 7, np.float32) if fills else c.copy()
    for i, j in np.ndindex(*shape):
        wanted[eval(map_)] = a[i, j]
    np.testing.assert_array_equal(kc.build(kc.IRModule.parse(text))(a, c), wanted)
