"""--check-each: the step that changes a result is named; right ones are left in peace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineMap

import kc
from kc import te, tir
from kc.check_each import StepCheck
from kc.dialects.tir import BlockOp
from kc.support.diagnostics import Diagnostic, InternalError, diagnostic_handler
from kc.support.pass_context import watching_steps
from kc.target import Target
from kc.tools.kc_opt import main as kc_opt
from kc.tools.kc_run import main as kc_run
from kc.transforms.schedule.base import Rewritten
from kc.transforms.schedule.loops.reorder import Reorder


def program(n: Any = 6, dtype: str = "float32") -> tuple[te.Schedule, list[Any]]:
    A = te.placeholder((n, 5), dtype, name="A")
    B = te.placeholder((5, 4), dtype, name="B")
    k = te.reduce_axis((0, 5), name="k")
    C = te.compute((n, 4), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return te.create_schedule(C.op), [A, B, C]


@pytest.fixture
def turned_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A reorder after which block C runs for j where it should run for 3 - j, and i for 0."""
    rewrite = Reorder.rewrite

    def wrong(self: Any, site: Any, plan: Any) -> Rewritten:
        done = rewrite(self, site, plan)
        block = next(op for op in site.function.walk() if isinstance(op, BlockOp))
        first, *rest = block.bindings.data.results
        changed = AffineMap(block.bindings.data.num_dims, 0, (first * 0, *rest))
        block.properties["bindings"] = type(block.bindings)(changed)
        return done

    monkeypatch.setattr(Reorder, "rewrite", wrong)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def wrong_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A lower-blocks that multiplies where there was an addition."""
    from kc.transforms.tir.blocks.lower_blocks import LowerBlocksPass

    apply = LowerBlocksPass.apply

    def wrong(self: Any, ctx: Any, op: ModuleOp) -> None:
        apply(self, ctx, op)
        add = next(candidate for candidate in op.walk() if isinstance(candidate, arith.AddfOp))
        block = add.parent
        assert block is not None
        product = arith.MulfOp(add.lhs, add.rhs)
        block.insert_op_before(product, add)
        add.result.replace_all_uses_with(product.result)
        add.detach()
        add.erase()

    monkeypatch.setattr(LowerBlocksPass, "apply", wrong)
    monkeypatch.chdir(tmp_path)


def checking() -> kc.transform.PassContext:
    return kc.transform.PassContext(config={"kc.check_each": True})


SAID = (
    r"check-each: {} changed the result of @main \({}\): C\[\d, \d\] is \S+, it was \S+; "
    r"reproducer: (kc-reproducer-\w+\.mlir)"
)


def test_a_wrong_primitive_of_the_eager_schedule(turned_around: None):
    sch = tir.Schedule(kc.lower(*program()))
    i, j, k = sch.get_loops("C")
    before = str(sch.mod)
    with checking():
        sch.split(k, [None, 2])
        after = str(sch.mod)
        with pytest.raises(InternalError, match=SAID.format("reorder", "interpreted")) as raised:
            sch.reorder(j, i)
    assert before != after
    assert str(sch.mod) == after
    text = Path(str(raised.value).rpartition(" ")[2]).read_text()
    assert "// the module before reorder" in text
    assert "tir.for %k_o in 3" in text


def test_a_wrong_primitive_of_a_te_schedule(turned_around: None):
    schedule, args = program(te.var("n"))
    C = args[-1]
    i, j = C.op.axis
    schedule[C].reorder(j, i)
    with checking(), pytest.raises(InternalError, match=SAID.format("reorder", r".*n = \d")):
        kc.lower(schedule, args)


def test_a_wrong_pass(wrong_pass: None):
    schedule, args = program()
    with checking(), pytest.raises(InternalError, match=SAID.format("lower-blocks", "interpreted")):
        kc.build(schedule, args)


def test_kc_opt(turned_around: None, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    source = tmp_path / "program.mlir"
    source.write_text(str(kc.lower(*program())))
    assert kc_opt([str(source), "--split=loop=k factors=?,5", "--check-each"]) == 0
    capsys.readouterr()
    assert kc_opt([str(source), "--check-each", "--unroll", "--reorder=loops=j,i"]) == 70
    said = capsys.readouterr().err
    assert said.startswith("error[KC0070]: ")
    assert "check-each: reorder changed the result of @main (interpreted): C[" in said


def test_kc_run(wrong_pass: None, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    source = tmp_path / "program.mlir"
    source.write_text(str(kc.lower(*program())))
    assert kc_run([str(source), "--check-each"]) == 70
    assert "check-each: lower-blocks changed the result of @main" in capsys.readouterr().err


def test_native_code_that_ends_the_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from kc import check_each

    def crash(*_: Any) -> None:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.chdir(tmp_path)
    sch = tir.Schedule(kc.lower(*program()))
    i, _, _ = sch.get_loops("C")
    with checking():
        sch.split(i, [None, 2])
        monkeypatch.setattr(check_each, "_compiled_and_called", crash)
        said = "split changed the result of @main .native.: native code ended the process with"
        with pytest.raises(InternalError, match=f"{said} SIGKILL"):
            sch.split(sch.get_loops("C")[0], [None, 1])


@pytest.mark.parametrize(
    ("dtype", "symbolic"),
    [
        ("float32", True),
        ("bool", False),
        pytest.param("uint16", True, marks=pytest.mark.sweep),
        pytest.param("bfloat16", False, marks=pytest.mark.sweep),
    ],
)
def test_right_steps(dtype: str, symbolic: bool):
    if dtype == "bool":
        A = te.placeholder((6, 4), dtype, name="A")
        C = te.compute((6, 4), lambda i, j: tir.all(A[i, j], A[5 - i, j]), name="C")
        schedule, args = te.create_schedule(C.op), [A, C]
    else:
        schedule, args = program(te.var("n") if symbolic else 6, dtype)
    C = args[-1]
    i, j = C.op.axis
    outer, inner = schedule[C].split(j, factor=2)
    schedule[C].vectorize(inner)
    schedule[C].parallel(i)
    watcher = StepCheck()
    with watching_steps(watcher):
        kc.build(schedule, args)
    # Two samples, interpreted and native: three primitives, and passes that change something.
    assert watcher.compared >= 2 * 2 * 5
    assert outer is not None


def test_a_program_that_is_too_long_to_interpret(monkeypatch: pytest.MonkeyPatch):
    """Native code is run once, on one input; that the interpreter does not is said."""
    monkeypatch.setattr("kc.check_each.LIMIT", 100)
    watcher = StepCheck()
    said: list[Diagnostic] = []
    sch = tir.Schedule(kc.lower(*program()))
    with watching_steps(watcher), diagnostic_handler(said.append):
        sch.unroll(sch.get_loops("C")[2])
    assert watcher.compared == 1
    assert [(remark.code, remark.message, list(remark.hints)) for remark in said] == [
        (
            "KC4520",
            "check-each: @main is compared as native code alone: the interpreter would run more "
            "than 100 operations",
            ["smaller sizes are checked in less time"],
        )
    ]


def test_a_step_that_changes_nothing_is_not_run(monkeypatch: pytest.MonkeyPatch):
    watcher = StepCheck(native=False)
    mod = kc.lower(*program())
    with watching_steps(watcher):
        passes = "lower-init-block", "lower-blocks", "partition-loops", "vectorize-loop"
        kc.transform.Sequential(passes)(mod)
    assert watcher.compared == 2 * 2  # two samples, of the first two passes


def test_what_is_not_compared_is_said():
    said: list[Diagnostic] = []
    sch = tir.Schedule(kc.lower(*program()))
    with checking(), diagnostic_handler(said.append):
        sch.transform_layout("C", ("read", 0), lambda i, k: [k, i])
        sch.unroll(sch.get_loops("C")[2])
    assert [(warning.code, warning.message) for warning in said] == [
        ("KC4520", "check-each: the step transform-layout changes what @main takes")
    ]


def test_threads_are_interpreted():
    schedule, args = program()
    C = args[-1]
    i, j = C.op.axis
    schedule[C].bind(i, te.thread_axis("blockIdx.x"))
    schedule[C].bind(j, te.thread_axis("threadIdx.x"))
    watcher = StepCheck()
    with watching_steps(watcher):
        kc.lower(schedule, args)
    assert watcher.compared == 2 * 2


def test_kernels_are_not_interpreted():
    said: list[Diagnostic] = []
    schedule, args = program()
    C = args[-1]
    schedule[C].bind(C.op.axis[0], te.thread_axis("blockIdx.x"))
    mod = kc.lower(schedule, args)
    watcher = StepCheck()
    with watching_steps(watcher), diagnostic_handler(said.append):
        mod = kc.transform.Sequential(["lower-init-block", "lower-blocks"])(mod)
        with Target("cuda-emu"):
            kc.transform.Sequential(["unify-thread-binding", "convert-tir-to-gpu"])(mod)
    messages = [line.message for line in said if line.code == "KC4520"]
    assert [message.splitlines()[0] for message in messages] == [
        "check-each: @main is not interpreted: gpu.launch: the interpreter does not know this op"
    ]


INDEXED = """
func.func @main(%A: memref<?x6xf32> {{kc.name = "A", kc.shape = affine_map<()[n] -> (n, 6)>}},
                %B: memref<4xf32> {{kc.name = "B", kc.role = "out"}},
                %first: index {{kc.name = "first"}}, %n: index {{kc.name = "n", kc.symbol = "n"}})
    attributes {{kc.symbols = ["n"]}} {{
  tir.for %i in 4 {{
    tir.block "B" (spatial %v in 4 = %i) do {{
      %a = tir.load %A[{row}, {column}] : memref<?x6xf32>
      tir.store %a, %B[%v] : memref<4xf32>
    }}
  }}
  func.return
}}
"""


@pytest.mark.parametrize("seed", range(3))
def test_inputs_keep_accesses_in_bounds(seed: int):
    """There are elements [7, first] to [7, first + 3] for n > 7 and 0 <= first <= 2 alone."""
    text = INDEXED.format(row=7, column="%v + %first")
    sch = tir.Schedule(kc.IRModule.parse(text))
    watcher = StepCheck(seed)
    with watching_steps(watcher):
        sch.vectorize(sch.get_loops("B")[0])
    for sample in watcher._inputs["main"]:
        _, _, first, n = sample.values
        assert n > 7
        assert 0 <= first <= 2
    assert watcher.compared == 2 * 2


def test_a_program_that_no_inputs_fit():
    """Row -1 is outside of A, whatever its size; native code would read something there."""
    sch = tir.Schedule(kc.IRModule.parse(INDEXED.format(row="%n * -1 - 1", column="%v")))
    said: list[Diagnostic] = []
    watcher = StepCheck()
    with watching_steps(watcher), diagnostic_handler(said.append):
        sch.vectorize(sch.get_loops("B")[0])
    assert watcher.compared == 0
    assert [(warning.code, warning.message) for warning in said] == [
        ("KC4520", "check-each: no inputs of @main were found")
    ] * 2
