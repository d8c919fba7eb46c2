"""The pipeline down to the llvm dialect: its order, its hooks, and what comes out."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from llvm_jit import jit, parse
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.conversion.pipelines import LowerToLlvmPass, lower_to_llvm_passes
from kc.support import registry
from kc.support.options import Options
from kc.support.plugins import Plugin
from kc.support.target import Target
from kc.transforms.pass_runner import Instrument, Pipeline, Selective, Stage, stage_of

ORDER = [
    "convert-te-to-tir",
    "choose-vector-form",
    "lift-constant-blocks",
    "evaluate-prepared",
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
    "lower-tiles",
    "swizzle-storage",
    "inject-copy-intrin",
    "fill-slack",
    "storage-rewrite",
    "merge-dimensions",
    "vectorize-loop",
    "nontemporal-stores",
    "hoist-if-then-else",
    "convert-tir-to-scf",
    "expand-math",
    "legalize-narrow-floats",
    "take-workspace",
    "legalize-symbols",
    "convert-to-llvm",
    "permit-tiles",
    "reuse-workspace",
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
        (3, "legalize-symbols"),
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


@dataclass(frozen=True)
class _MarkPass(ModulePass):
    """Marks functions that have no mark; it must not run where all have."""

    name = "mark"
    of_user: ClassVar = True

    def is_needed(self, module: ModuleOp) -> bool:
        return any("mark" not in op.attributes for op in module.ops)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        assert self.is_needed(op)
        for function in op.ops:
            function.attributes["mark"] = UnitAttr()


def test_pass_without_anything_to_do_does_not_run():
    class Seen(Instrument):
        def after(self, stage: Stage, text: Callable[[], str]) -> None:
            texts.append(text())

    texts: list[str] = []
    verified: list[ModuleOp] = []
    module = parse("func.func @f() { func.return }")
    stages = [stage_of(_MarkPass())] * 3
    stages = [replace(stage, origin="kc") for stage in stages]
    Pipeline(stages, [Seen()], verified.append, verify_input=False).run(Context(), module)
    # Once before the first pass, and after the pass that marks.
    assert verified == [module, module]
    assert "mark" in texts[0]
    assert texts == texts[:1] * 3


@pytest.mark.parametrize("name", ORDER[ORDER.index("partition-loops") + 1 :][:6])
def test_needless_passes_change_nothing(name: str):
    """A pass that says a module does not need it leaves the module as it is."""
    pass_ = registry.get_pass(name, Options())
    assert isinstance(pass_, Selective)
    module = parse(
        """
        func.func @f(%A: memref<4xf32>, %B: memref<4xf32>) {
          %S = tir.alloc "S" : memref<4xf32>
          tir.for %i in 4 {
            %a = tir.load %A[%i] : memref<4xf32>
            tir.store %a, %S[%i] : memref<4xf32>
          }
          tir.for %i in 4 annotations {note = 1} {
            %s = tir.load %S[3 - %i] : memref<4xf32>
            tir.store %s, %B[%i] : memref<4xf32>
          }
          func.return
        }
        """
    )
    before = str(module)
    assert not pass_.is_needed(module)
    pass_.apply(Context(), module)
    assert str(module) == before
