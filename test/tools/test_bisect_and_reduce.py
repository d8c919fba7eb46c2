"""kc bisect and kc reduce find an injected bug, and the part of a program that shows it."""

import sys
from pathlib import Path

import pytest

from kc import __main__ as kc_main
from kc.support import registry
from kc.support.ir_text import parse_module
from kc.support.options import parse_pipeline
from kc.tools._reduction import Reduction
from kc.tools._user_test import UserTest
from kc.tools.kc_bisect import first_bad
from kc.tools.kc_reduce import failure_of, flags_of

WRONG = """
from dataclasses import dataclass
from xdsl.dialects import arith
from xdsl.passes import ModulePass
from kc.support.plugins import Plugin


@dataclass(frozen=True)
class Miscompile(ModulePass):
    name = "miscompile"

    def apply(self, ctx, op):
        for product in [each for each in op.walk() if isinstance(each, arith.MulfOp)]:
            total = arith.AddfOp(*product.operands)
            product.parent.insert_op_before(total, product)
            product.result.replace_all_uses_with(total.result)
            product.detach()
            product.erase()


@dataclass(frozen=True)
class Crash(ModulePass):
    name = "crash"

    def apply(self, ctx, op):
        assert not any(each.name == "math.exp" for each in op.walk())


PLUGIN = Plugin(
    "wrong", passes={"miscompile": "wrong_passes:Miscompile", "crash": "wrong_passes:Crash"}
)
"""
PRODUCTS = """
func.func @products(%A: memref<64xf32>, %B: memref<64xf32> {kc.role = "out"}) {
  tir.for %i in 64 {
    tir.block "B" (spatial %v in 64 = %i) do {
      %a = tir.load %A[%v] : memref<64xf32>
      %b = arith.mulf %a, %a : f32
      tir.store %b, %B[%v] : memref<64xf32>
    }
  }
  func.return
}
"""
SOFTMAX = """
te.func @scale(%A: tensor<16xf32>) -> tensor<16xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  te.return %B : tensor<16xf32>
}
te.func @softmax(%A: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %D = te.compute "D" [%i = 64, %j = 128] {
    %a = te.read %A[%i, %j] : tensor<64x128xf32>
    %e = math.exp %a : f32
    te.yield %e : f32
  } : tensor<64x128xf32>
  %S = te.compute "S" [%i = 64] reduce sum [%k = 128] {
    %a = te.read %D[%i, %k] : tensor<64x128xf32>
    te.yield %a : f32
  } : tensor<64xf32>
  %E = te.compute "E" [%i = 64, %j = 128] {
    %a = te.read %D[%i, %j] : tensor<64x128xf32>
    %b = te.read %S[%i] : tensor<64xf32>
    %q = arith.divf %a, %b : f32
    te.yield %q : f32
  } : tensor<64x128xf32>
  te.return %E : tensor<64x128xf32>
}
"""
SCHEDULE = ("--split=loop=i factors=?,8", "--vectorize=loop=i_i")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("wrong_passes.py").write_text(WRONG)
    Path("products.mlir").write_text(PRODUCTS)
    Path("softmax.mlir").write_text(SOFTMAX)
    sys.modules.pop("wrong_passes", None)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = kc_main.main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


PLUGIN = "--load-plugin=wrong_passes"
DIFF = """\
good until then: input, split, vectorize
--- before miscompile
+++ after miscompile
@@ -4,7 +4,7 @@
       tir.for %i_i in 8 vectorized {
         tir.block "B" (spatial %v in 64 = %i_o * 8 + %i_i) do {
           %a = tir.load %A[%v] : memref<64xf32>
-          %b = arith.mulf %a, %a : f32
+          %b = arith.addf %a, %a : f32
           tir.store %b, %B[%v] : memref<64xf32>
         }
       }
"""


@pytest.mark.slow
def test_bisect_compares_results(folder, capsys):
    argv = ("products.mlir", PLUGIN, *SCHEDULE, "--miscompile", "--parallel=loop=i_o")
    status, out, err = run(capsys, "bisect", *argv, "-o", "steps")
    assert (status, err) == (0, "")
    first, difference, rest = out.split("\n", 2)
    assert first == "step 3 breaks it: miscompile"
    assert difference.startswith("miscompile changed the result of @products (interpreted): B[")
    assert rest == DIFF
    assert "arith.mulf" in Path("steps/good.mlir").read_text()
    assert "arith.addf" in Path("steps/bad.mlir").read_text()
    assert not list(folder.glob("kc-reproducer*"))


def test_bisect_with_a_command(folder, capsys):
    argv = ("products.mlir", PLUGIN, *SCHEDULE, "--miscompile", "--parallel=loop=i_o")
    status, out, err = run(capsys, "bisect", *argv, "--test=grep -q mulf {}")
    assert (status, out, err) == (0, "step 3 breaks it: miscompile\n" + DIFF, "")
    # The command's last word is the file where it does not say where that goes.
    assert run(capsys, "bisect", *argv, "--test=grep -q mulf") == (0, out, "")


def test_steps_are_halved():
    asked: list[int] = []

    def is_good(text: str) -> bool:
        asked.append(int(text))
        return int(text) < 77

    assert first_bad([str(n) for n in range(101)], is_good, lambda said: None) == 77
    assert len(asked) == 2 + 7


ERRORS = {
    ("bisect", "products.mlir", *SCHEDULE): (
        1,
        "error[KC0025]: no step breaks the module: after 2 steps its results equal those of the "
        "input\n",
    ),
    # What a step says is said once for each time that it is among the passes.
    ("bisect", "products.mlir", "--vectorize", "--vectorize", "--vectorize"): (
        1,
        2
        * (
            "remark[KC3007]: vectorize changed nothing\n"
            "  why: the bare flag applies to no loop of any block\n"
        )
        + "error[KC0025]: no step breaks the module: after 1 step its results equal those of the "
        "input\n",
    ),
    ("bisect", "products.mlir", *SCHEDULE, "--test=true"): (
        1,
        "error[KC0025]: no step breaks the module: after 2 steps the test succeeds\n",
    ),
    ("bisect", "products.mlir", *SCHEDULE, "--test=false"): (
        1,
        "error[KC0025]: the test fails for the input, before any step\n"
        "  why: there is no step to blame\n"
        "  try: the command must succeed for a good module: run it by hand\n",
    ),
    ("bisect", "products.mlir", *SCHEDULE, "--test=exit 127 #"): (
        2,
        "error[KC0025]: the command of --test cannot be run: exit 127 #\n"
        "  why: it ends with the status 127\n"
        "  try: run it by hand\n",
    ),
    ("reduce", "products.mlir", "--test=echo no such tool >&2; exit 126 #"): (
        2,
        "error[KC0025]: the command of --test cannot be run: echo no such tool >&2; exit 126 #\n"
        "  why: no such tool\n"
        "  try: run it by hand\n",
    ),
    ("bisect", "products.mlir"): (
        2,
        "error[KC0002]: bisect needs passes, as flags of kc-opt\n",
    ),
    ("bisect", "products.mlir", "--split", "--timeout=-1"): (
        2,
        "error[KC0002]: --timeout takes a number of seconds, not '-1'\n",
    ),
    ("reduce", "products.mlir", *SCHEDULE): (
        1,
        "error[KC0025]: the passes succeed for the input: there is nothing to reduce\n"
        "  try: describe the bug by --test=COMMAND, or compare results by --check-each\n",
    ),
    ("reduce", "products.mlir", "--test=false"): (
        1,
        "error[KC0025]: the test fails for the input: there is nothing to reduce\n"
        "  try: the command must succeed for a module with the bug: run it by hand\n",
    ),
}


@pytest.mark.parametrize("argv", ERRORS, ids=" ".join)
def test_nothing_to_find(folder, capsys, argv):
    assert run(capsys, *argv) == (ERRORS[argv][0], "", ERRORS[argv][1])


def test_reduce_what_crashes(folder, capsys):
    """One operation of one of two functions, and one of four passes, are what it takes."""
    passes = ("--convert-te-to-tir", "--split", "--crash", "--parallel")
    status, out, err = run(capsys, "reduce", "softmax.mlir", PLUGIN, *passes, "-o", "small.mlir")
    assert (status, out) == (0, "")
    assert err.startswith("27 lines, 4 passes -> ")
    small = Path("small.mlir").read_text()
    assert small.startswith("// kc-opt --crash\nbuiltin.module {\n")
    assert small.count("\n") <= 12
    assert "math.exp" in small
    assert "@scale" not in small
    assert "128" not in small
    status, out, err = run(capsys, "opt", "small.mlir", PLUGIN, "--crash")
    assert status == 70


@pytest.mark.slow
def test_reduce_what_computes_something_else(folder, capsys):
    status, out, err = run(
        capsys, "reduce", "products.mlir", PLUGIN, *SCHEDULE, "--miscompile", "--check-each"
    )
    assert status == 0
    assert out.startswith("// kc-opt --miscompile\n")
    assert "arith.mulf" in out
    assert "64" not in out
    assert not list(folder.glob("kc-reproducer*"))


def test_reduce_with_a_command(folder, capsys):
    status, out, err = run(capsys, "reduce", "softmax.mlir", "--test=grep -q divf {}")
    assert status == 0
    assert "arith.divf" in out
    assert out.count("te.compute") == 1
    assert out.count("\n") <= 12


def test_what_is_left_is_valid_at_every_step():
    tried: list[str] = []

    def interesting(text: str, passes) -> bool:
        tried.append(text)
        parse_module(text, "x", registry.context()).verify()
        return "math.exp" in text

    reduction = Reduction(SOFTMAX, (), interesting)
    reduction.run()
    assert len(tried) == reduction.tried > 5
    assert len(reduction.text) == min(len(text) for text in tried if "math.exp" in text)


def test_options_go_too():
    specs = parse_pipeline("builtin.module(split{block=B loop=i factors=?,8},nothing)")
    wanted = failure_of(PRODUCTS, specs, check_each=False)
    assert wanted == "KC0003"
    passes = parse_pipeline("builtin.module(split{block=X loop=i factors=?,8})")
    reduction = Reduction(
        PRODUCTS, passes, lambda text, specs: failure_of(text, specs, False) == "KC3001"
    )
    reduction.run()
    assert flags_of(reduction.passes) == "'--split=block=X loop=i'"


def test_a_command_is_ended_after_a_time():
    assert UserTest("sleep 60", timeout=0.2).holds("") is False
    assert UserTest("test -s {}").holds("x") is True
    assert UserTest("test -s {} || test {passes} = --split").holds("", "--split") is True


def test_statements_go_as_a_whole_first():
    """Of a chain of loops: to erase the parts of each takes more tests than the loops."""
    nests = "".join(
        f"""
  %t{n} = tir.alloc "t{n}" : memref<4xf32>
  tir.for %i{n} in 4 {{
    tir.block "S{n}" (spatial %v{n} in 4 = %i{n}) do {{
      %a{n} = tir.load %{f"t{n - 1}" if n else "A"}[%v{n}] : memref<4xf32>
      tir.store %a{n}, %t{n}[%v{n}] : memref<4xf32>
    }}
  }}"""
        for n in range(12)
    )
    text = f"func.func @f(%A: memref<4xf32>) {{{nests}\n  func.return\n}}\n"
    reduction = Reduction(text, (), lambda module, passes: '"S5"' in module and "load" in module)
    reduction.run()
    assert reduction.tried <= 28
    assert reduction.text.count("tir.") == 3
