"""The pipeline down to the llvm dialect: its order, its hooks, and what comes out."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from llvm_jit import jit, parse
from xdsl.context import Context

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.conversion.pipelines import LowerToLlvmPass, lower_to_llvm_passes
from kc.support import registry
from kc.support.plugins import Plugin
from kc.support.target import Target

ORDER = [
    "convert-te-to-tir",
    "plan-software-pipeline",
    "lower-init-block",
    "lower-lane-reduction",
    "compact-buffer-allocation",
    "lower-blocks",
    "partition-loops",
    "inject-software-pipeline",
    "inject-double-buffer",
    "align-storage",
    "apply-strides",
    "swizzle-storage",
    "inject-copy-intrin",
    "storage-rewrite",
    "vectorize-loop",
    "nontemporal-stores",
    "hoist-if-then-else",
    "convert-tir-to-scf",
    "expand-math",
    "legalize-narrow-floats",
    "convert-to-llvm",
]


def test_order():
    with registry.using(registry.Registry()):
        assert lower_to_llvm_passes() == ORDER
        assert [stage.name for stage in LowerToLlvmPass().stages()] == ORDER


@pytest.mark.parametrize(
    ("phase", "before"),
    [
        (0, "convert-te-to-tir"),
        (1, "partition-loops"),
        (2, "convert-tir-to-scf"),
        (3, "convert-to-llvm"),
    ],
)
def test_hooks_run_in_their_phase(phase: int, before: str):
    added = registry.Registry()
    hooks = [(phase, "cse", ["llvm"]), (phase, "licm", ["c"]), (phase, "dce", ["c", "llvm"])]
    added.add(Plugin("p", hooks=hooks))
    with registry.using(added):
        names = lower_to_llvm_passes()
        with Target("c"):
            of_c = lower_to_llvm_passes()
        with Target("cuda"):
            assert lower_to_llvm_passes() == ORDER
    at = names.index(before)
    assert names[at - 2 : at] == ["cse", "dce"]
    assert of_c[at - 2 : at] == ["licm", "dce"]
    assert [name for name in names if name not in ("cse", "dce")] == ORDER


TE = """
te.func @f(%A: tensor<5x8xf32>, %B: tensor<8x3xf32>) -> tensor<5x3xf32> {
  %C = te.compute "C" [%i = 5, %j = 3] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<5x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<5x3xf32>
  te.return %C : tensor<5x3xf32>
}
"""


def test_from_te_to_machine_code():
    module = parse(TE)
    LowerToLlvmPass().apply(Context(), module)
    module.verify()
    random = np.random.default_rng(3)
    a, b = random.random((5, 8), np.float32), random.random((8, 3), np.float32)
    out = np.zeros((5, 3), np.float32)
    engine = jit(emit_llvm_ir(module))
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(engine.get_function_address("f"))
    function(a.ctypes.data, b.ctypes.data, out.ctypes.data)
    np.testing.assert_allclose(out, a @ b, rtol=1e-6)
