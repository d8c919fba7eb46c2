"""Patterns of plugins: their operations and types are lowered where kc's are."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fixed_point import PLUGIN, LostOp
from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

import kc
from kc.conversion.driver import ConversionPattern
from kc.support import registry
from kc.support.diagnostics import KCError
from kc.support.locations import LocationParser
from kc.support.plugins import Plugin
from kc.support.registry import Registry, get_pass, using

PROGRAM = """
func.func @main(%A: memref<8xf32>, %B: memref<8xf32>) {
  %T = tir.alloc "T" : memref<8x!fix.number>
  fix.clear %T : memref<8x!fix.number>
  tir.for %i in 8 {
    %a = tir.load %A[%i] : memref<8xf32>
    %q = fix.from_float %a
    %t = tir.load %T[%i] : memref<8x!fix.number>
    %s = fix.mul_add %q, %q, %t
    tir.store %s, %T[%i] : memref<8x!fix.number>
    %r = tir.load %T[%i] : memref<8x!fix.number>
    %b = fix.to_float %r
    tir.store %b, %B[%i] : memref<8xf32>
  }
  func.return
}
"""


@pytest.fixture
def installed() -> Iterator[Registry]:
    added = Registry()
    added.add(PLUGIN)
    with using(added):
        yield added


def lowered(text: str, *passes: str) -> str:
    mod = kc.IRModule.parse(text)
    for name in passes:
        get_pass(name).apply(registry.context(), mod.op)
    mod.op.verify()
    return str(mod)


def test_operations_and_types_of_a_plugin_run(installed: Registry):
    a = np.arange(-4, 4, dtype=np.float32) * 1.37
    b = np.full(8, np.nan, np.float32)
    kc.build(kc.IRModule.parse(PROGRAM))(a, b)
    fixed = np.trunc(a * 256)
    assert np.array_equal(b, np.floor(fixed * fixed / 256) / 256)


def test_each_conversion_has_the_patterns_for_it(installed: Registry):
    scf = lowered(PROGRAM, "convert-tir-to-scf")
    assert "fix.clear" not in scf
    assert scf.count("scf.for") == 2
    assert "fix.mul_add" in scf  # the next conversion's
    llvm = lowered(scf, "convert-to-llvm")
    assert "fix." not in llvm
    assert "llvm.ashr" in llvm


def test_canonicalize_has_them_too(installed: Registry):
    text = PROGRAM.replace("fix.mul_add %q, %q, %t", "fix.mul_add %z, %q, %t")
    text = text.replace("%q = fix", "%z = fix.zero\n    %q = fix")
    assert "fix.mul_add" in text
    assert "fix.mul_add" not in lowered(text, "canonicalize")


def test_without_the_plugin_the_type_is_refused(installed: Registry):
    """The lowering of one registry is not remembered in another."""
    scf = kc.IRModule.parse(lowered(PROGRAM, "convert-tir-to-scf"))
    lowered(str(scf), "convert-to-llvm")
    before = str(scf)
    with using(Registry()), pytest.raises(KCError) as refusal:
        get_pass("convert-to-llvm").apply(registry.context(), scf.op)
    assert refusal.value.code in ("KC4302", "KC4303")
    assert str(scf) == before


def test_an_operation_without_a_pattern_is_named(installed: Registry):
    with pytest.raises(KCError) as refusal:
        lowered("func.func @f() {\n  fix.lost\n  func.return\n}", "convert-to-llvm")
    assert refusal.value.code == "KC4302"
    assert "convert-to-llvm: fix.lost cannot be lowered" in str(refusal.value)


IN_TE = """
te.func @main(%A: tensor<8xf32>) -> tensor<8xf32> {
  %x = arith.constant 2.5 : f32
  %T = fix.fill %x : tensor<8xf32>
  %C = te.compute "C" [%i = 8] {
    %a = te.read %A[%i] : tensor<8xf32>
    %t = te.read %T[%i] : tensor<8xf32>
    %c = arith.mulf %a, %t : f32
    te.yield %c : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}
"""


def test_operations_on_tensors_become_loops(installed: Registry):
    a, c = np.arange(8, dtype=np.float32), np.empty(8, np.float32)
    kc.build(kc.IRModule.parse(IN_TE))(a, c)
    assert np.array_equal(c, a * 2.5)
    text = lowered(IN_TE, "convert-te-to-tir")
    assert "fix.fill" not in text
    assert 'tir.alloc "filled"' in text


def test_operations_on_tensors_are_raised(installed: Registry):
    text = """
func.func @main(%A: tensor<8xf32>) -> tensor<8xf32> {
  %x = arith.constant 2.5 : f32
  %T = fix.fill %x : tensor<8xf32>
  %C = arith.mulf %A, %T : tensor<8xf32>
  func.return %C : tensor<8xf32>
}
"""
    a, c = np.arange(8, dtype=np.float32), np.empty(8, np.float32)
    kc.build(kc.IRModule.parse(text))(a, c)
    assert np.array_equal(c, a * 2.5)


def test_what_plugins_leave_of_a_raised_dialect_is_named(installed: Registry):
    """A pattern that makes an operation of a dialect that is to be gone."""
    added = Registry()
    added.add(PLUGIN)
    added.add(Plugin("mine", patterns={"raise-to-tir": ["test_patterns:MakeEmpty"]}))
    text = "func.func @f(%A: tensor<8xf32>) {\n  fix.lost\n  func.return\n}"
    with using(added), pytest.raises(KCError) as refusal:
        lowered(text, "raise-to-tir")
    assert (refusal.value.code, refusal.value.message) == (
        "KC4216",
        "raise-to-tir: tensor.empty is not converted",
    )


class MakeEmpty(ConversionPattern[Any]):
    """``fix.lost``  ->  ``tensor.empty``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LostOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, tensor.EmptyOp([], TensorType(f32, [8])), [])


def test_a_result_is_computed_in_its_argument(installed: Registry):
    text = """
te.func @main(%x: f32) -> tensor<8xf32> {
  %T = fix.fill %x : tensor<8xf32>
  te.return %T : tensor<8xf32>
}
"""
    assert "tir.alloc" not in lowered(text, "convert-te-to-tir")


def test_an_operation_on_tensors_without_a_pattern_is_named():
    added = Registry()
    added.add(Plugin("mine", dialects={"fix": "fixed_point:FIX"}))
    with using(added):
        mod = kc.IRModule.parse(IN_TE, "k.mlir")
        before = str(mod)
        with pytest.raises(KCError) as refusal:
            get_pass("convert-te-to-tir").apply(registry.context(), mod.op)
        assert str(mod) == before
    assert str(refusal.value) == (
        "error[KC4216]: convert-te-to-tir: fix.fill is not converted\n"
        "  --> k.mlir:4:3\n"
        "   |  no pattern is for it, and it works on tensors\n"
        "  why: it must leave no operation of te\n"
        "  try: a plugin adds patterns by Plugin(patterns={'convert-te-to-tir': [...]})"
    )


class Idle(RewritePattern):
    """A pattern that never does anything."""

    def __init__(self, conversion: object) -> None:
        del conversion

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        pass


LEFT = """\
func.func @f() {
  "tir.other"() : () -> ()
  func.return
}
"""


@pytest.mark.parametrize(
    ("patterns", "fact"),
    [
        ({}, "no pattern is for it"),
        ({"convert-tir-to-scf": ["test_patterns:Idle"]}, "the patterns for it did nothing"),
    ],
)
def test_what_is_left_of_tir_is_named_with_its_place(patterns: dict[str, list[str]], fact: str):
    added = Registry()
    added.add(Plugin("idle", patterns=patterns))
    context = registry.context(allow_unregistered=True)
    module = LocationParser(context, LEFT, "left.mlir").parse_module()
    before = str(module)
    with using(added), pytest.raises(KCError) as refusal:
        get_pass("convert-tir-to-scf").apply(context, module)
    assert refusal.value.render() == (
        "error[KC4216]: convert-tir-to-scf: tir.other is not converted\n"
        "  --> left.mlir:2:3\n"
        f"   |  {fact}\n"
        "  why: it must leave no operation of tir\n"
        "  try: a plugin adds patterns by Plugin(patterns={'convert-tir-to-scf': [...]})"
    )
    assert str(module) == before


def test_a_path_must_be_one():
    with pytest.raises(ValueError, match="'Lower' is not of the form 'module:name'"):
        Plugin("mine", patterns={"convert-to-llvm": ["Lower"]})
