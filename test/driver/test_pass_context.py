"""PassContext and instruments: which passes run, in what order, and what is said of mistakes."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.passes import ModulePass

import kc
from kc import te
from kc.conversion.pipelines import lower_to_c_passes, lower_to_llvm_passes
from kc.instrument import (
    PassInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    VerifyInstrument,
    pass_instrument,
)
from kc.support.diagnostics import Diagnostic, KCError, diagnostic_handler
from kc.transform import PassContext, Sequential, module_pass, prim_func_pass

ASSERTING = """
func.func @f(%A: memref<1xi32>, %n: index {kc.symbol = "n", kc.dtype = "int32"})
    attributes {kc.symbols = ["n"]} {
  %n_1 = tir.symbol "n"
  tir.if (%n_1 <= 3) {
    tir.call_extern packed "kc.assertion_failed"("n is small") : ()
  }
  %x = arith.constant 1 : i32
  tir.store %x, %A[0] : memref<1xi32>
  func.return
}
"""


def schedule(n: int = 32) -> tuple[te.Schedule, list[te.Tensor]]:
    """B[i] = A[i] + 1, vectorized."""
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].vectorize(s[B].split(B.op.axis[0], factor=8)[1])
    return s, [A, B]


def result(module: Any, n: int = 32) -> np.ndarray:
    out = np.empty(n, np.float32)
    module(np.arange(n, dtype=np.float32), out)
    return out


def seven(mod: kc.IRModule) -> None:
    """Make every constant of a float a 7."""
    for op in mod.op.walk():
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, FloatAttr):
            op.properties["value"] = FloatAttr(7.0, op.value.type)


def refused(**given: Any) -> KCError:
    with pytest.raises(KCError) as caught:
        PassContext(**given)
    return caught.value


def warnings(**given: Any) -> list[Diagnostic]:
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        PassContext(**given)
    return said


# What runs ---------------------------------------------------------------------------------


def test_current_is_the_innermost():
    outside = PassContext.current()
    assert outside.opt_level == 2
    with PassContext(opt_level=3) as outer:
        assert PassContext.current() is outer
        with PassContext(opt_level=1) as inner:
            assert PassContext.current() is inner
        assert PassContext.current() is outer
    assert PassContext.current() is outside


def test_a_context_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError), PassContext(disabled_pass=["tir.VectorizeLoop"]):
        raise ZeroDivisionError
    assert "vectorize-loop" in lower_to_llvm_passes()
    assert PassContext.current().disabled_pass == []


def test_a_context_can_be_entered_again():
    context = PassContext(config={"tir.disable_vectorize": True})
    for _ in range(2):
        with context, context:
            assert "skip-vectorize" in lower_to_llvm_passes()
        assert "skip-vectorize" not in lower_to_llvm_passes()


@pytest.mark.parametrize(
    "given",
    [
        {"config": {"tir.disable_vectorize": True}},
        {"disabled_pass": ["vectorize-loop"]},
        {"disabled_pass": ["tir.VectorizeLoop"]},
    ],
)
def test_without_vectors(given: dict[str, Any]):
    s, args = schedule()
    with PassContext(**given):
        module = kc.build(s, args)
    assert "vector<8xf32>" not in module.get_source("mlir")
    assert "vector<8xf32>" in kc.build(s, args).get_source("mlir")
    np.testing.assert_array_equal(result(module), np.arange(32) + 1)


def test_without_assertions():
    module = kc.IRModule.parse(ASSERTING)
    a = np.zeros(1, "int32")
    with pytest.raises(kc.KCError, match="AssertionError: n is small"):
        kc.build(module)(a, 2)
    for value in (False, True):
        with PassContext(config={"tir.disable_assert": value}):
            built = kc.build(module)
        assert ("kc.assertion_failed" not in built.get_source("mlir")) is value
    built(a, 2)
    np.testing.assert_array_equal(a, 1)


def test_a_false_option_changes_nothing():
    with PassContext(config={"tir.disable_vectorize": False}):
        assert "vectorize-loop" in lower_to_llvm_passes()


@pytest.mark.parametrize(
    "name", ["compact-buffer-allocation", "inject-double-buffer", "align-storage"]
)
def test_optional_passes_can_be_left_out(name: str):
    s, args = schedule()
    with PassContext(disabled_pass=[name]):
        assert name not in lower_to_llvm_passes()
        assert name not in lower_to_c_passes()
        np.testing.assert_array_equal(result(kc.build(s, args)), np.arange(32) + 1)


@pytest.mark.parametrize("phase", [0, 1, 2, 3, 9])
def test_a_function_at_each_phase(phase: int):
    s, args = schedule()
    seen: list[set[str]] = []
    vectors: list[bool] = []

    def look(mod: kc.IRModule) -> None:
        seen.append({op.name for op in mod.op.walk()})
        vectors.append("vector<" in str(mod))
        seven_everywhere(mod)

    with PassContext(config={"tir.add_lower_pass": [(phase, look)]}):
        module = kc.build(s, args)
    np.testing.assert_array_equal(result(module), np.arange(32) + 7)
    (names,) = seen
    assert ("tir.block" in names) == (phase == 0)
    assert ("tir.for" in names) == (phase < 3)
    assert ("scf.for" in names) == (phase >= 3)
    assert vectors == [phase >= 2]


def seven_everywhere(mod: kc.IRModule) -> None:
    """As ``seven``, for vectors too."""
    seven(mod)
    for op in mod.op.walk():
        value = op.properties.get("value")
        if isinstance(op, arith.ConstantOp) and "dense<1" in str(value):
            from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

            assert isinstance(value, DenseIntOrFPElementsAttr)
            op.properties["value"] = DenseIntOrFPElementsAttr.from_list(
                value.type, [7.0] * len(value)
            )


def test_passes_of_a_phase_run_in_order():
    order: list[str] = []
    added = [
        (1, lambda mod: order.append("b")),
        (0, lambda mod: order.append("a")),
        (1, lambda mod: order.append("c")),
    ]
    s, args = schedule()
    with PassContext(config={"tir.add_lower_pass": added}):
        kc.build(s, args)
    assert order == ["a", "b", "c"]


def test_a_pass_by_name_with_options():
    A = te.placeholder((32,), name="A")
    B = te.compute((32,), lambda i: A[i] + 1.0, name="B")
    with PassContext(config={"tir.add_lower_pass": [(0, "split{block=B loop=i factors=?,4}")]}):
        mod = kc.lower(te.create_schedule(B.op), [A, B])
    assert str(mod).count("tir.for") == 2
    assert "in 8" in str(mod)
    assert "in 4" in str(mod)


@pytest.mark.parametrize("last", range(4))
def test_lower_runs_the_phases_up_to_the_last_one_with_passes(last: int):
    phases: list[int] = []
    added = [(phase, lambda mod, at=phase: phases.append(at)) for phase in range(last + 1)]
    s, args = schedule()
    with PassContext(config={"tir.add_lower_pass": [*added, (last, seven_everywhere)]}):
        module = kc.lower(s, args)
    assert phases == [*range(last + 1)]
    assert ("tir.block" in str(module), "scf.for" in str(module)) == (last == 0, last == 3)
    np.testing.assert_array_equal(result(kc.build(module)), np.arange(32) + 7)


def test_an_xdsl_pass():
    class Seven(ModulePass):
        name = "seven"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            seven(kc.IRModule(op))

    s, args = schedule()
    with PassContext(config={"tir.add_lower_pass": [(0, Seven())]}):
        np.testing.assert_array_equal(result(kc.build(s, args)), np.arange(32) + 7)


def test_module_pass_returns_another_module():
    replacement = kc.lower(*schedule(16))

    @module_pass(name="other")
    def replace(mod: kc.IRModule, ctx: PassContext) -> kc.IRModule:
        return replacement

    s, args = schedule(32)
    with PassContext(config={"tir.add_lower_pass": [(0, replace)]}):
        module = kc.build(s, args)
    out = np.zeros(32, np.float32)
    module["main"](np.zeros(32, np.float32), out)
    assert out.sum() == 16  # the machine code is that of 16 elements


def test_module_pass_on_a_module():
    @module_pass
    def change(mod: kc.IRModule, ctx: PassContext) -> None:
        seven(mod)

    before = kc.lower(*schedule())
    text = str(before)
    after = change(before)
    assert str(before) == text
    np.testing.assert_array_equal(result(kc.build(after)), np.arange(32) + 7)


def test_prim_func_pass_sees_each_function():
    names: list[str] = []

    @prim_func_pass(opt_level=0, name="names")
    def collect(function: func.FuncOp, mod: kc.IRModule, ctx: PassContext) -> func.FuncOp:
        names.append(function.sym_name.data)
        return function

    text = "\n".join(
        f"func.func @{name}(%A: memref<4xf32>) {{ func.return }}" for name in ("f", "g")
    )
    collect(kc.IRModule.parse(text))
    assert names == ["f", "g"]


def test_sequential_of_names_and_functions():
    mod = Sequential(["vectorize", seven])(kc.lower(*schedule()))
    assert "vectorized" in str(mod)
    assert "7.000000e+00" in str(mod)


@pytest.mark.parametrize(
    ("given", "ran"),
    [
        ({}, False),
        ({"opt_level": 3}, True),
        ({"required_pass": ["late"]}, True),
        ({"opt_level": 3, "disabled_pass": ["late"]}, False),
    ],
)
def test_levels_of_passes(given: dict[str, Any], ran: bool):
    calls: list[int] = []

    @module_pass(opt_level=3, name="late")
    def late(mod: kc.IRModule, ctx: PassContext) -> None:
        calls.append(ctx.opt_level)

    s, args = schedule()
    with PassContext(config={"tir.add_lower_pass": [(0, late)]}, **given):
        kc.build(s, args)
    assert bool(calls) == ran


def test_a_pass_that_is_called_runs_at_each_level():
    calls: list[int] = []

    @module_pass(opt_level=3, name="late")
    def late(mod: kc.IRModule, ctx: PassContext) -> None:
        calls.append(ctx.opt_level)

    s, args = schedule()
    mod = kc.lower(s, args)
    Sequential([late])(mod)
    assert calls == []
    late(mod)
    assert calls == [2]
    with PassContext(opt_level=3):
        Sequential([late])(mod)
    assert calls == [2, 3]


def test_opt_level_is_llvms():
    s, args = schedule()
    target = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3"
    with PassContext(opt_level=0):
        plain = kc.build(s, args)
        loop = kc.build(s, args, target=target).get_source("asm")
    unrolled = kc.build(s, args, target=target).get_source("asm")
    assert (loop.count("vaddps"), unrolled.count("vaddps")) == (1, 4)  # 32 elements, 8 at a time
    np.testing.assert_array_equal(result(plain), np.arange(32) + 1)


# Instruments -------------------------------------------------------------------------------


def test_instruments_are_called_in_order():
    calls: list[str] = []

    @pass_instrument
    class Record:
        def enter_pass_ctx(self) -> None:
            calls.append("enter")

        def exit_pass_ctx(self) -> None:
            calls.append("exit")

        def run_before_pass(self, mod: kc.IRModule, info: Any) -> None:
            calls.append(f"before {info.name}")

        def run_after_pass(self, mod: kc.IRModule, info: Any) -> None:
            calls.append(f"after {info.name}")

    s, args = schedule()
    with PassContext(instruments=[Record()]):
        kc.build(s, args)
    between = [f"{when} {name}" for name in lower_to_llvm_passes() for when in ("before", "after")]
    assert calls == ["enter", *between, "exit"]


def test_an_instrument_skips_what_can_be_skipped():
    class Never(PassInstrument):
        def should_run(self, mod: kc.IRModule, info: Any) -> bool:
            return False

    timing = PassTimingInstrument()
    calls: list[int] = []
    added = [(0, lambda mod: calls.append(1))]
    s, args = schedule()
    with PassContext(instruments=[Never(), timing], config={"tir.add_lower_pass": added}):
        module = kc.build(s, args)
    np.testing.assert_array_equal(result(module), np.arange(32) + 1)
    assert calls == []
    names = [name for name, _ in timing.times]
    assert "align-storage" not in names
    assert "convert-tir-to-scf" in names


def test_timing():
    timing = PassTimingInstrument()
    s, args = schedule()
    with PassContext(instruments=[timing]):
        kc.build(s, args)
    assert [name for name, _ in timing.times] == lower_to_llvm_passes()
    assert all(seconds > 0 for _, seconds in timing.times)
    lines = timing.render().splitlines()
    assert len(lines) == len(timing.times)
    assert lines[-1].startswith(f"{lower_to_llvm_passes()[-1]}: ")
    total = sum(float(line.rpartition("(")[2].rstrip("%)")) for line in lines)
    assert total == pytest.approx(100, abs=0.1)


def test_printing():
    before, after = io.StringIO(), io.StringIO()
    s, args = schedule()
    with PassContext(instruments=[PrintBeforeAll(before), PrintAfterAll(after)]):
        kc.build(s, args)
    assert before.getvalue().count("IR Dump Before") == len(lower_to_llvm_passes())
    assert "// -----// IR Dump Before lower-blocks //----- //" in before.getvalue()
    last = after.getvalue().rpartition("IR Dump After convert-to-llvm")[2]
    assert "llvm.func" in last
    assert "tir." not in last


def test_verification_names_the_pass():
    def breaks(mod: kc.IRModule) -> None:
        for op in list(mod.op.walk()):
            if op.name == "tir.store":
                value = op.operands[0]
                assert isinstance(value.owner, arith.AddfOp)
                value.owner.detach()  # the store now uses what is nowhere

    s, args = schedule()
    with (
        PassContext(config={"tir.add_lower_pass": [(0, breaks)]}),
        pytest.raises(KCError) as caught,
    ):
        kc.build(s, args)
    assert caught.value.code == "KC4508"
    assert caught.value.message == "pass 'breaks' leaves IR that does not verify"


def test_the_verify_instrument_accepts_what_is_right():
    s, args = schedule()
    with PassContext(instruments=[VerifyInstrument()]):
        np.testing.assert_array_equal(result(kc.build(s, args)), np.arange(32) + 1)


def test_overriding_instruments():
    calls: list[str] = []

    class Record(PassInstrument):
        def __init__(self, name: str) -> None:
            self.name = name

        def enter_pass_ctx(self) -> None:
            calls.append(f"+{self.name}")

        def exit_pass_ctx(self) -> None:
            calls.append(f"-{self.name}")

    with PassContext(instruments=[Record("a")]) as context:
        context.override_instruments([Record("b")])
    assert calls == ["+a", "-a", "+b", "-b"]


# tir.UnrollLoop ----------------------------------------------------------------------------


def loops_and_stores(options: dict[str, Any] | None, disabled: Any = ()) -> list[tuple[str, int]]:
    """The loops that are left before scf, and how many stores, of two loops by hand and one not."""
    A = te.placeholder((4, 6), name="A")
    B = te.compute((4, 6), lambda i, j: A[i, j] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].unroll(s[B].split(B.op.axis[1], factor=2)[1])
    seen: list[tuple[str, int]] = []

    def look(mod: kc.IRModule) -> None:
        for op in mod.op.walk():
            if op.name == "tir.for":
                seen.append((f"{op.label} {op.kind.data.value}", op.static_extent))  # pyright: ignore[reportAttributeAccessIssue]
            elif op.name == "tir.store":
                seen.append(("store", 1))

    config: dict[str, Any] = {"tir.add_lower_pass": [(2, look)]}
    if options is not None:
        config["tir.UnrollLoop"] = options
    with PassContext(config=config, disabled_pass=disabled):
        module = kc.build(s, [A, B])
    a, out = np.arange(24, dtype=np.float32).reshape(4, 6), np.empty((4, 6), np.float32)
    module(a, out)
    np.testing.assert_array_equal(out, a + 1)
    return seen


ROW, COLUMN, U = ("i serial", 4), ("j_o serial", 3), ("j_i unrolled", 2)
STORE = ("store", 1)


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (None, [ROW, COLUMN, U, STORE]),  # LLVM unrolls
        ({}, [ROW, COLUMN, STORE, STORE]),
        ({"auto_max_step": 5}, [ROW, COLUMN, STORE, STORE]),
        ({"auto_max_step": 6}, [ROW, *[STORE] * 6]),
        ({"auto_max_step": 24}, [STORE] * 24),
        ({"auto_max_step": 24, "auto_max_depth": 0}, [ROW, COLUMN, STORE, STORE]),
        ({"auto_max_extent": 3}, [ROW, *[STORE] * 6]),
        ({"auto_max_extent": 3, "explicit_unroll": False}, [ROW, ("j_o unrolled", 3), U, STORE]),
        ({"explicit_unroll": False}, [ROW, COLUMN, U, STORE]),
    ],
)
def test_unrolling(options: dict[str, Any] | None, left: list[tuple[str, int]]):
    assert loops_and_stores(options) == left


@pytest.mark.parametrize("name", ["unroll-loop", "tir.UnrollLoop"])
def test_unrolling_can_be_disabled(name: str):
    assert loops_and_stores({"auto_max_step": 24}, [name]) == [ROW, COLUMN, U, STORE]


def test_unrolling_loops_that_count_registers():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((4,), lambda i: B[i] * 2.0, name="C")
    s = te.create_schedule(C.op)
    s[B].set_scope("local")
    left: dict[bool, list[str]] = {}
    for chosen in (False, True):
        text = kc.transform.Sequential(
            ["lower-blocks", f"unroll-loop{{unroll-local-access={str(chosen).lower()}}}"]
        )(kc.lower(s, [A, C]))
        left[chosen] = [op.label for op in text.op.walk() if op.name == "tir.for"]  # pyright: ignore[reportAttributeAccessIssue]
    assert len(left[False]) == 2
    assert left[True] == []


# tir.LoopPartition -------------------------------------------------------------------------


@pytest.mark.parametrize("const", [False, True])
@pytest.mark.parametrize("n", [None, 64, 100])
def test_loops_are_cut(n: int | None, const: bool):
    """The main part of a loop has no condition, and every element is still computed once."""
    size = te.var("n") if n is None else n
    A = te.placeholder((size,), name="A")
    B = te.compute((size,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].split(B.op.axis[0], factor=32)
    seen: list[str] = []

    def look(mod: kc.IRModule) -> None:
        guarded = [op for op in mod.op.walk() if op.name == "tir.store"]
        seen.extend(
            "guarded" if (around := store.parent_op()) and around.name == "tir.if" else "free"
            for store in guarded
        )

    config = {
        "tir.add_lower_pass": [(1, look)],
        "tir.LoopPartition": {"partition_const_loop": const},
    }
    with PassContext(config=config):
        module = kc.build(s, [A, B])
    for size in (n,) if n else (0, 1, 31, 32, 33, 63, 64, 100):
        a = np.arange(size, dtype=np.float32)
        out = np.full(size, np.nan, np.float32)
        module(a, out)
        np.testing.assert_array_equal(out, a + 1)
    if n is None:
        assert seen == ["free", "free", "guarded"] if const else ["free", "guarded"]
    elif n == 64:
        assert seen == ["free"]
    else:
        assert seen == (["free", "free"] if const else ["guarded"])


def test_padding_is_cut_off():
    """A convolution's padding is tested only where it is."""
    A = te.placeholder((16,), name="A")
    P = te.compute(
        (20,), lambda i: te.if_then_else(te.all(i >= 2, i < 18), A[i - 2], 0.0), name="P"
    )
    s = te.create_schedule(P.op)
    with PassContext(config={"tir.LoopPartition": {"partition_const_loop": True}}):
        module = kc.build(s, [A, P])
    a = np.arange(16, dtype=np.float32) + 1
    np.testing.assert_array_equal(module(a), np.pad(a, 2))


def test_what_a_build_depends_on_has_the_options():
    def identity(**options: Any) -> str | None:
        return PassContext(config={"tir.UnrollLoop": options}).identity()

    assert len({PassContext().identity(), identity(), identity(auto_max_step=8)}) == 3


# Mistakes ----------------------------------------------------------------------------------


def test_an_unknown_key():
    error = refused(config={"tir.disable_vectorise": True})
    assert error.code == "KC4500"
    assert error.hints[0].startswith("did you mean 'tir.disable_vectorize'")
    assert error.location is not None
    assert error.location.file == __file__


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tir.add_lower_pass", seven),
        ("tir.add_lower_pass", [seven]),
        ("tir.add_lower_pass", [(-1, seven)]),
        ("tir.add_lower_pass", [("0", seven)]),
        ("tir.disable_vectorize", "yes"),
        ("tir.UnrollLoop", 8),
        ("tir.UnrollLoop", {"auto_max_step": -1}),
        ("tir.UnrollLoop", {"explicit_unroll": "no"}),
    ],
)
def test_a_wrong_value(key: str, value: Any):
    assert refused(config={key: value}).code == "KC4501"


def test_an_unknown_option_of_a_key():
    error = refused(config={"tir.UnrollLoop": {"max_step": 16}})
    assert error.code == "KC4500"
    assert error.message == "PassContext: tir.UnrollLoop has no option 'max_step'"
    assert error.hints[0].startswith("did you mean 'auto_max_step'")


@pytest.mark.parametrize(
    "config",
    [
        {"tir.InjectDoubleBuffer": {"split_loop": 2}},
        {"tir.disable_cse_tir": True},
        {"relay.backend.use_auto_scheduler": True},
    ],
)
def test_what_tvm_knows_is_a_warning(config: dict[str, Any]):
    (said,) = warnings(config=config)
    assert (said.kind, said.code) == ("warning", "KC4502")
    assert said.message == f"PassContext: {next(iter(config))} has no effect"
    assert said.why


GRAPH = """
graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.constant dense<14.0> : tensor<f32>
  %h = graph.exp(%a) : (tensor<f32>) -> tensor<f32>
  %y = graph.add(%x, %h) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %z = graph.nn.relu(%y) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %z : tensor<4xf32>
}
"""


@pytest.mark.parametrize("as_pipeline", [False, True])
@pytest.mark.parametrize(
    ("options", "is_folded", "is_fused"),
    [
        ({}, True, True),
        ({"opt_level": 1}, False, True),
        ({"opt_level": 0, "required_pass": ["FoldConstant"]}, True, False),
        ({"disabled_pass": ["FuseOps"]}, True, False),
        ({"disabled_pass": ["fuse-ops", "relay.FoldConstant"]}, False, False),
        ({"config": {"relay.FuseOps.max_depth": 1}}, True, False),
    ],
)
def test_passes_on_graphs(
    options: dict[str, Any], is_folded: bool, is_fused: bool, as_pipeline: bool
):
    """Levels and names hold for Relay's passes, alone and in the pipeline of relay.build."""
    passes = ["graph-optimize"]
    if not as_pipeline:
        if "config" in options:
            pytest.skip("the key is read by the pipeline")
        passes = [kc.relay.transform.FoldConstant(), kc.relay.transform.FuseOps()]
    with kc.transform.PassContext(**options):
        mod = kc.transform.Sequential(passes)(kc.IRModule.parse(GRAPH))
    names = [op.name for op in mod.op.walk()]
    assert ("graph.exp" not in names) == is_folded
    main = next(op for op in mod.op.body.ops if op.sym_name.data == "main")  # pyright: ignore
    calls = [op for op in main.walk() if op.name == "graph.call"]  # pyright: ignore
    assert (len(calls) == 1) == is_fused


def test_instruments_see_passes_on_graphs():
    seen: list[tuple[str, int]] = []

    class Seen(kc.instrument.PassInstrument):
        def run_before_pass(self, mod: Any, info: Any) -> None:
            seen.append((info.name, info.opt_level))

    with kc.transform.PassContext(instruments=[Seen()]):
        kc.transform.Sequential(["graph-optimize"])(kc.IRModule.parse(GRAPH))
    assert ("fold-constant", 2) in seen
    assert seen.index(("simplify-inference", 0)) < seen.index(("fold-constant", 2))
    assert "fast-math" not in [name for name, _ in seen]  # level 4


def test_what_is_so_in_any_case_is_no_warning():
    assert warnings(config={"tir.noalias": True, "tir.detect_global_barrier": False}) == []
    assert len(warnings(config={"tir.noalias": False, "tir.detect_global_barrier": True})) == 2


def test_passes_of_tvm_that_kc_lacks_are_a_warning():
    said = warnings(disabled_pass=["tir.RewriteUnsafeSelect", "relax.FuseTIR"])
    assert [warning.code for warning in said] == ["KC4502", "KC4502"]


@pytest.mark.parametrize("argument", ["disabled_pass", "required_pass"])
def test_a_pass_that_is_almost_one(argument: str):
    error = refused(**{argument: ["vectorise-loop"]})
    assert error.code == "KC4503"
    assert "vectorize-loop" in error.hints[0]


@pytest.mark.parametrize(
    "name", ["convert-to-llvm", "tir.LowerInitBlock", "tir.ThreadSync", "lower-thread-allreduce"]
)
def test_passes_that_nothing_is_lowered_without(name: str):
    error = refused(disabled_pass=[name])
    assert error.code == "KC4504"
    assert "vectorize-loop" in error.hints[0]


@pytest.mark.parametrize("given", [42, ModulePass, None])
def test_what_is_no_pass(given: Any):
    assert refused(config={"tir.add_lower_pass": [(0, given)]}).code == "KC4505"


def test_an_unknown_pass_by_name():
    assert refused(config={"tir.add_lower_pass": [(0, "splitt")]}).code == "KC0003"


def test_a_pass_that_returns_something_else():
    wrong = module_pass(lambda mod, ctx: 42, name="wrong")
    with pytest.raises(KCError) as caught:
        wrong(kc.lower(*schedule()))
    assert caught.value.code == "KC4505"
    assert "'wrong' returned int" in caught.value.message


def test_an_exception_of_a_pass_is_the_programs_own():
    def fails(mod: kc.IRModule) -> None:
        raise ZeroDivisionError("mine")

    s, args = schedule()
    with (
        PassContext(config={"tir.add_lower_pass": [(2, fails)]}),
        pytest.raises(ZeroDivisionError, match="mine"),
    ):
        kc.build(s, args)


@pytest.mark.parametrize("level", [-1, 1.5, "3", True])
def test_a_wrong_level(level: Any):
    assert refused(opt_level=level).code == "KC4507"


def test_what_is_no_instrument():
    assert refused(instruments=[print]).code == "KC4509"


def test_the_keys_are_listed():
    keys = PassContext.list_configs()
    assert keys["tir.add_lower_pass"]["type"] == "list"
    assert keys["tir.disable_cse_tir"]["effect"] == "none in kc"
