"""LLVM IR text computes what MLIR's own translation of the same module computes."""

import subprocess

import numpy as np
import pytest
from llvm_support import function, parse
from optional_tools import find

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.native import jit

MLIR_TRANSLATE = find("mlir-translate")


def translate(text: str) -> str:
    assert MLIR_TRANSLATE is not None
    done = subprocess.run(
        [MLIR_TRANSLATE, "--mlir-to-llvmir"], input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(MLIR_TRANSLATE is None, reason="mlir-translate is not installed")
def test_loop_metadata_is_what_mlir_makes():
    text = """
    llvm.func @f(%c: i1) {
      llvm.br ^a
    ^a:
      llvm.cond_br %c, ^a, ^b {loop_annotation = #llvm.loop_annotation<disableNonforced = true, vectorize = <disable = false, predicateEnable = true, scalableEnable = false, width = 8 : i32>, interleave = <count = 4 : i32>, unroll = <disable = false, count = 2 : i32, runtimeDisable = true, full = true>, unrollAndJam = <disable = true, count = 2 : i32>, licm = <disable = true, versioningDisable = true>, distribute = <disable = true>, pipeline = <disable = false, initiationinterval = 3 : i32>, peeled = <count = 1 : i32>, unswitch = <partialDisable = true>, mustProgress = true, isVectorized = true, parallelAccesses = #llvm.access_group<id = distinct[0]<>>, #llvm.access_group<id = distinct[1]<>>>}
    ^b:
      llvm.cond_br %c, ^b, ^c {loop_annotation = #llvm.loop_annotation<disableNonforced = false, vectorize = <disable = true, predicateEnable = false>, unroll = <disable = true, runtimeDisable = false, full = false>, unrollAndJam = <disable = false>, licm = <disable = false, versioningDisable = false>, distribute = <disable = false>, pipeline = <disable = true>, unswitch = <partialDisable = false>, mustProgress = false, isVectorized = false>}
    ^c:
      llvm.return
    }
    """  # noqa: E501

    def loops(ir: str) -> list[str]:
        """The operands of the loop nodes, written out."""
        nodes = dict(line.split(" = ", 1) for line in ir.splitlines() if line.startswith("!"))
        return [
            " ".join(sorted(nodes.get(operand, operand) for operand in node[11:-1].split(", ")[1:]))
            for name, node in nodes.items()
            if node.startswith(f"distinct !{{{name}")
        ]

    ours = loops(emit_llvm_ir(parse(text)))
    theirs = loops(translate(text))
    assert len(ours) == 2
    assert [without_numbers(line) for line in ours] == [without_numbers(line) for line in theirs]


def without_numbers(text: str) -> str:
    return "".join(c for c in text.replace("!", "! ") if not c.isdigit())


MATMUL = """
llvm.func @f(%a: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f0 = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
  llvm.br ^rows(%zero : i64)
^rows(%i: i64):
  %last = llvm.mul %i, %n overflow<nsw> : i64
  llvm.br ^inner(%zero, %f0 : i64, vector<4xf32>)
^inner(%k: i64, %acc: vector<4xf32>):
  %ik = llvm.add %last, %k overflow<nsw> : i64
  %pa = llvm.getelementptr inbounds %a[%ik] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %pa {alignment = 4 : i64} : !llvm.ptr -> f32
  %u = llvm.mlir.poison : vector<4xf32>
  %x0 = llvm.insertelement %x, %u[%zero : i64] : vector<4xf32>
  %xs = llvm.shufflevector %x0, %u [0, 0, 0, 0] : vector<4xf32>
  %pb = llvm.getelementptr inbounds %b[%k] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
  %y = llvm.load %pb {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %next = llvm.intr.fma(%xs, %y, %acc) {fastmathFlags = #llvm.fastmath<contract>} : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %k1 = llvm.add %k, %one overflow<nsw, nuw> : i64
  %more = llvm.icmp "slt" %k1, %n : i64
  llvm.cond_br %more, ^inner(%k1, %next : i64, vector<4xf32>), ^store {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>, mustProgress = true>}
^store:
  %pc = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
  llvm.store %next, %pc {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  %i1 = llvm.add %i, %one : i64
  %rest = llvm.icmp "slt" %i1, %n : i64
  llvm.cond_br %rest weights([9, 1]), ^rows(%i1 : i64), ^end
^end:
  llvm.return
}
"""  # noqa: E501
CLAMP = """
llvm.func @f(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %low = llvm.mlir.constant(-0.25 : f32) : f32
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %pa = llvm.getelementptr inbounds|nuw %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %pb = llvm.getelementptr inbounds|nuw %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %pc = llvm.getelementptr inbounds|nuw %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %pa {alignment = 4 : i64} : !llvm.ptr -> f32
  %y = llvm.load %pb {alignment = 4 : i64} : !llvm.ptr -> f32
  %e = llvm.intr.exp2(%x) : (f32) -> f32
  %m = llvm.intr.maximum(%e, %y) : (f32, f32) -> f32
  %c0 = llvm.fcmp "ogt" %x, %low : f32
  llvm.cond_br %c0, ^end(%m : f32), ^end(%y : f32)
^end(%r: f32):
  llvm.store %r, %pc {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr
  %j = llvm.add %i, %one : i64
  %more = llvm.icmp "ult" %j, %n : i64
  llvm.cond_br %more, ^loop(%j : i64), ^exit
^exit:
  llvm.return
}
"""


@pytest.mark.skipif(MLIR_TRANSLATE is None, reason="mlir-translate is not installed")
@pytest.mark.parametrize(
    ("text", "reference"),
    [
        (MATMUL, lambda a, b: a.reshape(8, 8) @ b[:32].reshape(8, 4)),
        (CLAMP, lambda a, b: np.where(a > -0.25, np.maximum(np.exp2(a), b), b)[:8]),
    ],
    ids=["matmul", "clamp"],
)
def test_same_results_as_mlir_translate(text: str, reference):
    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 64)).astype(np.float32)
    results = []
    for ir in (emit_llvm_ir(parse(text)), translate(text)):
        out = np.zeros(64, np.float32)
        function(jit(ir), "f", "void(ptr, ptr, ptr, i64)")(
            a.ctypes.data, b.ctypes.data, out.ctypes.data, 8
        )
        results.append(out)
    np.testing.assert_array_equal(results[0], results[1])
    expected = reference(a, b).ravel()
    np.testing.assert_allclose(results[0][: expected.size], expected, rtol=1e-5, atol=1e-6)
