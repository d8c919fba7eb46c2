"""Sizes that ops on tensors relate: what agrees by the types is not asked, what cannot is refused,
and the rest is checked by the call, whichever way it goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from property_tests import is_in_slice

import kc
from kc.analysis.interpreter import run
from kc.analysis.interpreter.errors import ExecutionError
from kc.support.diagnostics import CallError, CodegenError


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


@dataclass
class Case:
    """A function, calls that are right, and calls that are not."""

    text: str
    fits: list[tuple[Any, ...]]
    breaks: list[tuple[Any, ...]] = field(default_factory=list)


def returns(body: str, args: str, result: str) -> str:
    return f"""func.func @f({args}) -> {result} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %z = arith.constant 1.0 : f32
      {body}
      return %r : {result}
    }}"""


V, M = "tensor<?xf32>", "tensor<?x?xf32>"

CASES = {
    "concat": Case(
        returns(f"%r = tensor.concat dim(0) %a, %b : ({M}, {M}) -> {M}", f"%a: {M}, %b: {M}", M),
        [(ones(2, 3), ones(4, 3)), (ones(0, 3), ones(0, 3))],
        [(ones(2, 3), ones(2, 5)), (ones(2, 5), ones(2, 3))],
    ),
    "concat along the last dimension, of three": Case(
        returns(
            f"%r = tensor.concat dim(1) %a, %b, %a : ({M}, {M}, {M}) -> {M}",
            f"%a: {M}, %b: {M}",
            M,
        ),
        [(ones(2, 3), ones(2, 5))],
        [(ones(2, 3), ones(3, 3))],
    ),
    "insert_slice": Case(
        returns(
            f"%r = tensor.insert_slice %s into %d[%o] [%n] [2] : {V} into {V}",
            f"%s: {V}, %d: {V}, %o: index, %n: index",
            V,
        ),
        [(ones(4), ones(9), 2, 4), (ones(5), ones(9), 0, 5), (ones(0), ones(2), 99, 0)],
        [
            (ones(4), ones(9), 0, 3),
            (ones(3), ones(9), 0, 4),
            (ones(4), ones(9), 3, 4),
            (ones(4), ones(9), -1, 4),
            (ones(4), ones(9), 0, -4),
        ],
    ),
    "insert_slice into another": Case(
        returns(
            f"""%n = tensor.dim %s, %c0 : {V}
            %r = tensor.insert_slice %s into %d[1, 0] [1, %n] [1, 1] : {V} into {M}""",
            f"%s: {V}, %d: {M}",
            M,
        ),
        [(ones(4), ones(2, 4)), (ones(3), ones(7, 9))],
        [(ones(4), ones(2, 3)), (ones(4), ones(1, 4))],
    ),
    "extract_slice": Case(
        returns(
            f"%r = tensor.extract_slice %s[%o, 1] [2, %n] [3, 1] : {M} to tensor<2x?xf32>",
            f"%s: {M}, %o: index, %n: index",
            "tensor<2x?xf32>",
        ),
        [(ones(5, 5), 1, 4), (ones(9, 3), 5, 2), (ones(4, 1), 0, 0)],
        [(ones(5, 5), 2, 4), (ones(5, 5), 1, 5), (ones(5, 5), -1, 1), (ones(5, 5), 1, -1)],
    ),
    "expand_shape": Case(
        returns(
            f"""%r = tensor.expand_shape %s [[0, 1]] output_shape [%n, 4]
              : {V} into tensor<?x4xf32>""",
            f"%s: {V}, %n: index",
            "tensor<?x4xf32>",
        ),
        [(ones(12), 3), (ones(0), 0)],
        [(ones(12), 9), (ones(12), 2), (ones(12), -3)],
    ),
    "expand_shape into two sizes": Case(
        returns(
            f"""%r = tensor.expand_shape %s [[0, 1, 2]] output_shape [%n, 2, %m]
              : {V} into tensor<?x2x?xf32>""",
            f"%s: {V}, %n: index, %m: index",
            "tensor<?x2x?xf32>",
        ),
        [(ones(12), 3, 2), (ones(12), 1, 6), (ones(0), 0, 5)],
        [(ones(12), 3, 3), (ones(12), -3, -2), (ones(13), 3, 2)],
    ),
    "collapse_shape": Case(
        returns(
            f"""%c = tensor.collapse_shape %s [[0, 1]] : tensor<?x4xf32> into {V}
            %r = linalg.add ins(%c, %d : {V}, {V}) outs(%d : {V}) -> {V}""",
            f"%s: tensor<?x4xf32>, %d: {V}",
            V,
        ),
        [(ones(3, 4), ones(12))],
        [(ones(3, 4), ones(20)), (ones(3, 4), ones(11))],
    ),
    "collapse_shape of two sizes": Case(
        returns(
            f"""%c = tensor.collapse_shape %s [[0, 1]] : {M} into {V}
            %r = arith.addf %c, %d : {V}""",
            f"%s: {M}, %d: {V}",
            V,
        ),
        [(ones(3, 5), ones(15)), (ones(0, 5), ones(0))],
        [(ones(3, 5), ones(14)), (ones(3, 5), ones(3))],
    ),
    "collapsed and expanded again": Case(
        returns(
            f"""%n = tensor.dim %s, %c0 : {M}
            %m = tensor.dim %s, %c1 : {M}
            %c = tensor.collapse_shape %s [[0, 1]] : {M} into {V}
            %r = tensor.expand_shape %c [[0, 1]] output_shape [%m, %n] : {V} into {M}""",
            f"%s: {M}",
            M,
        ),
        [(ones(3, 5),), (ones(0, 5),)],
    ),
    "cast of a computed size": Case(
        returns(
            f"""%n = tensor.dim %s, %c0 : {V}
            %m = arith.muli %n, %c2 : index
            %e = tensor.empty(%m) : {V}
            %f = linalg.fill ins(%z : f32) outs(%e : {V}) -> {V}
            %r = tensor.cast %f : {V} to tensor<8xf32>""",
            f"%s: {V}",
            "tensor<8xf32>",
        ),
        [(ones(4),)],
        [(ones(3),), (ones(8),)],
    ),
    "pad": Case(
        returns(
            f"""%p = tensor.pad %s low[%l] high[1] {{
            ^bb0(%i: index):
              tensor.yield %z : f32
            }} : {V} to {V}
            %r = linalg.mul ins(%p, %d : {V}, {V}) outs(%d : {V}) -> {V}""",
            f"%s: {V}, %d: {V}, %l: index",
            V,
        ),
        [(ones(3), ones(6), 2), (ones(3), ones(2), -2)],
        [(ones(3), ones(6), 1), (ones(3), ones(6), 3)],
    ),
    "elementwise": Case(
        returns(f"%r = arith.addf %a, %b : {V}", f"%a: {V}, %b: {V}", V),
        [(ones(3), ones(3))],
        [(ones(3), ones(4))],
    ),
    "empty": Case(
        returns(
            f"""%e = tensor.empty(%n) : {V}
            %r = linalg.fill ins(%z : f32) outs(%e : {V}) -> {V}""",
            "%n: index",
            V,
        ),
        [(3,), (0,)],
        [(-1,)],
    ),
    "a quotient": Case(
        returns(
            f"""%c5 = arith.constant 5 : index
            %n = tensor.dim %s, %c0 : {V}
            %m = arith.subi %n, %c5 : index
            %q = arith.divsi %m, %c2 : index
            %q1 = arith.addi %q, %c1 : index
            %e = tensor.empty(%q1) : {V}
            %r = linalg.fill ins(%z : f32) outs(%e : {V}) -> {V}""",
            f"%s: {V}",
            V,
        ),
        [(ones(5),), (ones(8),)],
        [(ones(4),)],  # -1 divided by 2 is 0, not -1: the caller would allocate nothing
    ),
    "conv_1d": Case(
        returns(
            f"%r = linalg.conv_1d ins(%i, %k : {V}, {V}) outs(%o : {V}) -> {V}",
            f"%i: {V}, %k: {V}, %o: {V}",
            V,
        ),
        [(ones(7), ones(4), ones(4)), (ones(9), ones(4), ones(4)), (ones(0), ones(3), ones(0))],
        [(ones(6), ones(4), ones(4)), (ones(4), ones(4), ones(4))],
    ),
    "a strided, dilated window": Case(
        returns(
            """%r = linalg.pooling_nwc_sum {strides = dense<3> : tensor<1xi64>,
                dilations = dense<2> : tensor<1xi64>}
              ins(%i, %w : tensor<1x?x2xf32>, tensor<?xf32>) outs(%o : tensor<1x?x2xf32>)
              -> tensor<1x?x2xf32>""",
            "%i: tensor<1x?x2xf32>, %w: tensor<?xf32>, %o: tensor<1x?x2xf32>",
            "tensor<1x?x2xf32>",
        ),
        [(ones(1, 8, 2), ones(3), ones(1, 2, 2)), (ones(1, 2, 2), ones(0), ones(1, 9, 2))],
        [(ones(1, 7, 2), ones(3), ones(1, 2, 2)), (ones(1, 8, 2), ones(3), ones(1, 3, 2))],
    ),
    "a map that goes backwards": Case(
        returns(
            f"""%r = linalg.generic {{indexing_maps = [affine_map<(i) -> (-i + 4)>,
                affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
              ins(%a : {V}) outs(%b : {V}) {{
            ^bb0(%x: f32, %y: f32):
              linalg.yield %x : f32
            }} -> {V}""",
            f"%a: {V}, %b: {V}",
            V,
        ),
        [(ones(5), ones(5)), (ones(7), ones(3)), (ones(0), ones(0))],
        [(ones(4), ones(3)), (ones(9), ones(6))],
    ),
    "a block of a larger matrix": Case(
        returns(
            f"""%r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j * 3)>,
                affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
              ins(%a : {M}) outs(%b : {M}) {{
            ^bb0(%x: f32, %y: f32):
              linalg.yield %x : f32
            }} -> {M}""",
            f"%a: {M}, %b: {M}",
            M,
        ),
        [(ones(3, 7), ones(5, 3)), (ones(2, 1), ones(4, 1))],
        [(ones(2, 7), ones(5, 3)), (ones(3, 6), ones(5, 3))],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_calls_check_what_the_sizes_must_fulfil(name: str):
    case = CASES[name]
    module = kc.IRModule.parse(case.text)
    built, scheduled = kc.build(module), kc.tir.Schedule(module).mod
    again = kc.IRModule.parse(str(scheduled))
    checked = None
    if is_in_slice(f"checked {name}", 3):  # code with checks is large
        with kc.transform.PassContext(config={"tir.instrument_bound_checkers": True}):
            checked = kc.build(module)
    read_back = kc.build(again)
    for args in case.fits:
        result = np.asarray(built(*args))
        np.testing.assert_array_equal(np.asarray(read_back(*args)), result)
        out = np.full_like(result, 77)
        run(again.op, "f", [*args, out])
        np.testing.assert_array_equal(out, result)
        if checked is not None:
            out = np.full_like(result, 77)
            checked(*args, out)  # no access is outside
            np.testing.assert_array_equal(out, result)
        out = np.full_like(result, 77)
        built(*args, out)
        np.testing.assert_array_equal(out, result)
    for args in case.breaks:
        with pytest.raises(CallError) as refused:
            built(*args)
        assert refused.value.code in ("KC5109", "KC5110", "KC5132")
        with pytest.raises(ExecutionError):
            run(again.op, "f", [*args, ones(*[3] * np.ndim(np.asarray(built(*case.fits[0]))))])


MEMREFS = {
    "copy": (
        """func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {
          "memref.copy"(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
          return
        }""",
        [(ones(3), ones(3))],
        [(ones(3), ones(4)), (ones(4), ones(3))],
    ),
    "alloc": (
        """func.func @f(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
          %t = memref.alloc(%n) : memref<?xf32>
          linalg.exp ins(%a : memref<?xf32>) outs(%t : memref<?xf32>)
          linalg.exp ins(%t : memref<?xf32>) outs(%b : memref<?xf32>)
          return
        }""",
        [(ones(3), ones(3), 3)],
        [(ones(3), ones(3), 2), (ones(3), ones(4), 3), (ones(3), ones(3), -3)],
    ),
    "conv_2d": (
        """func.func @f(%i: memref<?x?xf32>, %k: memref<3x3xf32>, %o: memref<?x?xf32>) {
          linalg.conv_2d ins(%i, %k : memref<?x?xf32>, memref<3x3xf32>)
            outs(%o : memref<?x?xf32>)
          return
        }""",
        [(ones(5, 6), ones(3, 3), ones(3, 4)), (ones(1, 1), ones(3, 3), ones(0, 4))],
        [(ones(5, 6), ones(3, 3), ones(3, 5)), (ones(4, 6), ones(3, 3), ones(3, 4))],
    ),
    "declared sizes": (
        """func.func @f(%a: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0)>},
                     %b: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s1)>},
                     %c: memref<?xf32>)
            attributes {kc.symbols = ["n", "m"]} {
          linalg.add ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
          return
        }""",
        [(ones(3), ones(3), ones(3))],
        [(ones(3), ones(4), ones(3)), (ones(3), ones(3), ones(4))],
    ),
    "a derived size that is declared": (
        """func.func @f(%a: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0 * 2)>},
                     %b: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>},
                     %c: memref<?xf32>)
            attributes {kc.symbols = ["n"]} {
          linalg.exp ins(%a : memref<?xf32>) outs(%c : memref<?xf32>)
          return
        }""",
        [(ones(6), ones(3), ones(6))],
        [(ones(6), ones(3), ones(3)), (ones(5), ones(3), ones(5))],
    ),
}


@pytest.mark.parametrize("name", MEMREFS)
def test_calls_check_what_the_sizes_of_memrefs_must_fulfil(name: str):
    text, fits, breaks = MEMREFS[name]
    built = kc.build(kc.tir.Schedule(kc.IRModule.parse(text)).mod)
    for args in fits:
        built(*args)
    for args in breaks:
        with pytest.raises(CallError):
            built(*args)


CONV = CASES["conv_1d"].text


def test_the_refusal_says_which_sizes_do_not_fit():
    built = kc.build(kc.IRModule.parse(CONV, "conv.mlir"))
    with pytest.raises(CallError) as refused:
        built(ones(6), ones(4), ones(4))
    assert str(refused.value) == (
        "error[KC5132]: f: the sizes of its arguments do not fit: i_0 + 1 >= o_0 + k_0 does not "
        "hold\n"
        "   |  i_0 is 6, from argument 1 'i'\n"
        "   |  o_0 is 4, from argument 3 'o'\n"
        "   |  k_0 is 4, from argument 2 'k'\n"
        "  why: linalg.conv_1d (conv.mlir:6:7) needs operands that contain its windows"
    )
    module = kc.lower(kc.IRModule.parse(CONV, "conv.mlir"))
    with pytest.raises(ExecutionError) as failed:
        run(module.op, "f", [ones(6), ones(4), ones(4), ones(4)])
    assert str(failed.value).startswith(
        "func.func: the sizes i_0 = 6, k_0 = 4, o_0 = 4 do not fit: linalg.conv_1d "
        "(conv.mlir:6:7) needs operands that contain its windows"
    )


def test_saved_code_checks_them_too(tmp_path: Path):
    built = kc.build(kc.IRModule.parse(CONV))
    built.save(str(tmp_path / "conv.o"))
    loaded = kc.runtime.load_module(str(tmp_path / "conv.o"))
    np.testing.assert_array_equal(np.asarray(loaded(ones(7), ones(4), ones(4))), [5] * 4)
    with pytest.raises(CallError) as refused:
        loaded(ones(6), ones(4), ones(4))
    assert refused.value.code == "KC5132"
    assert "   required: i_0 + 1 >= o_0 + k_0" in built.get_header()


def test_a_branch_that_is_not_taken_asks_for_nothing():
    """The sizes decide which of two loops runs; neither takes them all."""
    text = """
    func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %a, %c0 : memref<?xf32>
      %m = memref.dim %b, %c0 : memref<?xf32>
      %same = arith.cmpi eq, %n, %m : index
      scf.if %same {
        linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
      } else {
        %z = arith.constant 5.0 : f32
        linalg.fill ins(%z : f32) outs(%b : memref<?xf32>)
      }
      return
    }"""
    built = kc.build(kc.IRModule.parse(text))
    b = ones(3)
    built(ones(3), b)
    np.testing.assert_allclose(b, np.exp(ones(3)), rtol=1e-6)
    b = ones(4)
    built(ones(3), b)
    np.testing.assert_array_equal(b, [5] * 4)


REFUSED = {
    "concat": (
        "%r = tensor.concat dim(0) %a, %b : (tensor<2x3xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>",
        "%a: tensor<2x3xf32>, %b: tensor<?x?xf32>",
        None,
    ),
    "the source of insert_slice": (
        """%r = tensor.insert_slice %s into %d[0, 0] [4, 3] [1, 1]
          : tensor<3x3xf32> into tensor<9x9xf32>""",
        "%s: tensor<3x3xf32>, %d: tensor<9x9xf32>",
        "the sizes of tensor.insert_slice do not fit: 3 is not 4",
    ),
    "a slice outside": (
        "%r = tensor.extract_slice %s[7] [3] [1] : tensor<9xf32> to tensor<3xf32>",
        "%s: tensor<9xf32>",
        "the sizes of tensor.extract_slice do not fit: 9 is less than 10",
    ),
    "a cast": (
        """%q = tensor.extract_slice %s[1] [%c2] [1] : tensor<9xf32> to tensor<?xf32>
        %r = tensor.cast %q : tensor<?xf32> to tensor<3xf32>""",
        "%s: tensor<9xf32>",
        "the sizes of tensor.cast do not fit: 2 is not 3",
    ),
    "a window": (
        """%r = linalg.conv_1d ins(%i, %k : tensor<6xf32>, tensor<4xf32>)
          outs(%o : tensor<4xf32>) -> tensor<4xf32>""",
        "%i: tensor<6xf32>, %k: tensor<4xf32>, %o: tensor<4xf32>",
        "the sizes of linalg.conv_1d do not fit: 6 is less than 7",
    ),
    "operands": (
        """%r = linalg.add ins(%a, %b : tensor<6xf32>, tensor<4xf32>)
          outs(%a : tensor<6xf32>) -> tensor<6xf32>""",
        "%a: tensor<6xf32>, %b: tensor<4xf32>",
        "the sizes of linalg.add do not fit: 4 is not 6",
    ),
    "a size and that size plus 1": (
        """%n = tensor.dim %a, %c0 : tensor<?xf32>
        %m = arith.addi %n, %c1 : index
        %e = tensor.empty(%m) : tensor<?xf32>
        %q = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
        %r = linalg.add ins(%a, %q : tensor<?xf32>, tensor<?xf32>)
          outs(%e : tensor<?xf32>) -> tensor<?xf32>""",
        "%a: tensor<?xf32>",
        "the sizes of linalg.add do not fit",
    ),
    "a dimension that there is not": (
        """%n = tensor.dim %a, %c2 : tensor<?xf32>
        %e = tensor.empty(%n) : tensor<?xf32>
        %r = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>""",
        "%a: tensor<?xf32>",
        "tensor.dim of dimension 2, and tensor<?xf32> has 1",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_sizes_that_cannot_fit_are_refused(name: str):
    body, args, message = REFUSED[name]
    result = body.split("->")[-1] if "->" in body else body.split(" to ")[-1].split(" into ")[-1]
    text = returns(body, args, result.strip())
    if message is None:
        # The other operand's size is known then: the call checks it.
        with pytest.raises(CallError):
            kc.build(kc.IRModule.parse(text))(ones(2, 3), ones(2, 4))
        return
    with pytest.raises(CodegenError) as refused:
        kc.build(kc.IRModule.parse(text))
    assert refused.value.code == "KC4556"
    assert refused.value.message == f"raise-to-tir: {message}"


def test_a_constant_size_that_is_computed_in_the_program():
    """The result has 8 rows, which are two times those of B: one size is passed for it, not two."""
    text = """
    func.func @main(%B: tensor<?x?xf32>) -> (tensor<8x?xf32>, tensor<?x?xf32>) {
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %n = tensor.dim %B, %c1 : tensor<?x?xf32>
      %t = tensor.concat dim(0) %B, %B : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      %e = tensor.empty(%c8, %n) : tensor<?x?xf32>
      %s = linalg.add ins(%t, %t : tensor<?x?xf32>, tensor<?x?xf32>)
          outs(%e : tensor<?x?xf32>)
          -> tensor<?x?xf32>
      %u = tensor.cast %t : tensor<?x?xf32> to tensor<8x?xf32>
      return %u, %s : tensor<8x?xf32>, tensor<?x?xf32>
    }"""
    kernel = kc.build(kc.IRModule.parse(text))
    b = np.arange(12, dtype="float32").reshape(4, 3)
    first, second = kernel(b)
    both = np.concatenate([b, b])
    np.testing.assert_array_equal(first, both)
    np.testing.assert_array_equal(second, both + both)


def test_a_constant_size_is_what_its_shape_says():
    text = """
    func.func @main(%B: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>, kc.role = "in"},
                    %C: memref<8xf32> {kc.shape = affine_map<()[n] -> (n * 2)>, kc.role = "out"})
        attributes {kc.symbols = ["n"]} {
      %n = tir.symbol "n"
      tir.for %i in %n {
        %x = tir.load %B[%i] : memref<?xf32>
        tir.store %x, %C[%i + %n] : memref<8xf32>
      }
      func.return
    }"""
    kernel = kc.build(kc.IRModule.parse(text))
    c = np.zeros(8, "float32")
    kernel(ones(4), c)
    np.testing.assert_array_equal(c, [0] * 4 + [1] * 4)
    with pytest.raises(CallError) as caught:
        kernel(ones(5), c)
    assert str(caught.value) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: n * 2 == 8 does not hold\n"
        "   |  n is 5, from argument 1 'B'\n"
        "  why: dimension 0 of C has 8 elements"
    )


def test_a_carried_tensor_keeps_its_size():
    """Also where both sizes are loaded, of which nothing is known."""
    text = """func.func @f(%S: memref<2xindex>, %C: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n = memref.load %S[%c0] : memref<2xindex>
  %m = memref.load %S[%c1] : memref<2xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (tensor<?xf32>) {
    %x = tensor.empty(%m) : tensor<?xf32>
    %y = linalg.fill ins(%z : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  %v = tensor.extract %r[%c0] : tensor<?xf32>
  memref.store %v, %C[%c0] : memref<1xf32>
  return
}"""
    kept = kc.IRModule.parse(text.replace("tensor.empty(%m)", "tensor.empty(%n)"))
    element = np.ones(1, np.float32)
    run(kc.lower(kept).op, "f", [np.array([3, 2]), element])
    assert element[0] == 0
    with pytest.raises(CodegenError) as refused:
        kc.lower(kc.IRModule.parse(text, "f.mlir"))
    assert str(refused.value) == (
        "error[KC4550]: raise-to-tir: scf.for that carries a tensor whose size changes has no "
        "counterpart in tir\n"
        "  --> f.mlir:10:3\n"
        "  why: the size of a buffer is fixed, and the yielded size may differ from it\n"
        "  try: give the tensor a static shape, or take a slice of a larger one"
    )


def test_a_result_whose_size_is_computed_to_be_a_constant():
    text = """func.func @f(%a: tensor<4xf32>) -> (tensor<?x2xf32>, tensor<4xf32>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = arith.ceildivui %c4, %c2 : index
  %z = arith.constant 3.0 : f32
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %x = linalg.fill ins(%z : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = arith.addf %a, %a : tensor<4xf32>
  return %x, %y : tensor<?x2xf32>, tensor<4xf32>
}"""
    x, y = kc.build(kc.IRModule.parse(text))(ones(4))
    np.testing.assert_array_equal(x, 3 * ones(2, 2))
    np.testing.assert_array_equal(y, 2 * ones(4))


def test_a_function_takes_each_size_that_its_types_do_not_say():
    text = """func.func @f(
    %x: memref<?x2xf32> {kc.role = "out", kc.shape = affine_map<() -> (3, 2)>},
    %y: memref<1xf32> {kc.role = "out"}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 3.0 : f32
  memref.store %z, %y[%c0] : memref<1xf32>
  return
}"""
    x, y = kc.build(kc.IRModule.parse(text))()
    assert x.shape == (3, 2)
    assert y == [3]


def test_the_variable_of_a_loop_that_is_left_is_no_argument():
    """If a loop whose step is not constant stays unchanged, conditions on its variable do not
    become conditions on an argument of the function.
    """
    module = kc.IRModule.parse(
        """
        func.func @f(%step: index, %inner: index, %A: memref<6x6xf32>) {
          %c0 = arith.constant 0 : index
          %c3 = arith.constant 3 : index
          %one = arith.constant 1.0 : f32
          scf.for %i = %c0 to %c3 step %step {
            %V = memref.subview %A[%i, 0] [4, 6] [1, 1]
              : memref<6x6xf32> to memref<4x6xf32, strided<[6, 1], offset: ?>>
            scf.for %j = %c0 to %c3 step %inner {
              memref.store %one, %V[%c0, %j] : memref<4x6xf32, strided<[6, 1], offset: ?>>
            }
          }
          return
        }
        """,
        "steps.mlir",
    )
    built = kc.build(module)
    for step, inner in ((1, 1), (2, 1), (5, 2)):
        array, expected = np.zeros((6, 6), "float32"), np.zeros((6, 6), "float32")
        expected[0:3:step, 0:3:inner] = 1
        built(step, inner, array)
        np.testing.assert_array_equal(array, expected)
    with pytest.raises(CallError) as refused:
        built(1, 0, np.zeros((6, 6), "float32"))
    assert str(refused.value) == (
        "error[KC5132]: f: the sizes of its arguments do not fit: inner >= 1 does not hold\n"
        "   |  inner is 0, from argument 2 'inner'\n"
        "  why: scf.for (steps.mlir:9:13) has a step of at least 1"
    )


COMPUTED_DIMENSION = """
  func.func @f(%x: tensor<?x3x?xf32>, %y: memref<?x5xf32>, %d: index, %e: index) -> (index, index) {
    %n = tensor.dim %x, %d : tensor<?x3x?xf32>
    %m = memref.dim %y, %e : memref<?x5xf32>
    return %n, %m : index, index
  }
"""
KEPT = """
  func.func @f(%y: memref<?x5x?xf32>, %d: index, %out: memref<index>) {
    %m = memref.dim %y, %d : memref<?x5x?xf32>
    memref.store %m, %out[] : memref<index>
    return
  }
"""


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_a_dimension_may_be_computed(target: str):
    built = kc.build(kc.IRModule.parse(COMPUTED_DIMENSION), target=target)
    for d, n in enumerate((7, 3, 2)):
        for e, m in enumerate((4, 5)):
            assert [int(size) for size in built(ones(7, 3, 2), ones(4, 5), d, e)] == [n, m]
    kept = kc.build(kc.IRModule.parse(KEPT), target=target)
    for d, n in enumerate((7, 5, 2)):
        out = np.zeros((), np.int64)
        kept(ones(7, 5, 2), d, out)
        assert out == n
