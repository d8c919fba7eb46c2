"""The inputs for which a schedule is chosen, and the uses of a chosen schedule."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import TEError
from kc.support import registry
from kc.support.plugins import Plugin
from kc.transform import PassContext
from kc.transforms.auto_schedule.rule import Rule

PAGE = Path(__file__).parents[2] / "docs" / "auto_schedule.md"
N = 48
TEXT = """
te.func @twice(%A: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %B = te.compute "B" [%i = 48, %j = 48] {
    %a = te.read %A[%i, %j] : tensor<48x48xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<48x48xf32>
  te.return %B : tensor<48x48xf32>
}
"""


def product() -> list[te.Tensor]:
    """A product of matrices as tensors."""
    A, B = te.placeholder((N, N), name="A"), te.placeholder((N, N), name="B")
    k = te.reduce_axis((0, N), name="k")
    C = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return [A, B, C]


def is_chosen(module: kc.IRModule) -> bool:
    """True if loops are vectors: only a chosen schedule makes any here."""
    return "vectorized" in str(module)


def test_tensors_have_a_schedule_chosen():
    A, B, C = product()
    assert is_chosen(kc.lower([A, B, C]))
    assert is_chosen(kc.lower(C, [A, B, C]))
    assert is_chosen(kc.lower(C.op, [A, B, C]))
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (N, N)).astype("float32") for _ in range(2))
    function = kc.build([A, B, C])
    assert (function(a, b) == a @ b).all()
    assert is_chosen(kc.IRModule.parse(function.get_source("tir")))


def test_te_functions_have_a_schedule_chosen():
    module = kc.IRModule.parse(TEXT)
    assert is_chosen(kc.lower(module))
    assert "te.func" in str(module)
    a = np.arange(N * N, dtype="float32").reshape(N, N)
    assert (kc.build(module)(a) == a + a).all()


def test_schedules_and_loops_stay():
    A, B, C = product()
    written = kc.lower(te.create_schedule(C.op), [A, B, C])
    assert not is_chosen(written)
    schedule = tir.Schedule(te.create_prim_func([A, B, C]))
    assert str(kc.lower(schedule)) == str(kc.lower(schedule.mod)) == str(written)
    assert str(kc.lower(written)) == str(written)


@pytest.mark.parametrize(
    "options", [{"opt_level": 0}, {"disabled_pass": ["auto-schedule"]}], ids=["level", "disabled"]
)
def test_a_context_has_the_loops_as_written(options: dict):
    A, B, C = product()
    with PassContext(**options):
        assert not is_chosen(kc.lower([A, B, C]))
        assert not is_chosen(kc.lower(kc.IRModule.parse(TEXT)))


@pytest.mark.parametrize("target", ["c", "cuda"])
def test_targets_without_rules_have_the_loops_as_written(target: str):
    assert not is_chosen(kc.lower(product(), target=target))


def test_the_chosen_schedule_is_the_one_that_is_built():
    tensors = product()
    target = kc.target.Target("llvm -mcpu=x86-64-v3 -num-cores=2")
    schedule = kc.auto_schedule(tensors, target)
    assert str(schedule.mod) == str(kc.lower(tensors, target=target))
    again = tir.Schedule(te.create_prim_func(tensors), target=target)
    tir.Trace.from_python(schedule.trace.as_python()).apply_to(again)
    assert str(again.mod) == str(schedule.mod)
    loops = schedule.get_loops("C")  # it goes on where the rules ended
    schedule.annotate(loops[0], "mine", 1)
    assert "mine = 1" in str(schedule.mod)


def test_tensors_without_an_order():
    _, _, C = product()
    with pytest.raises(TEError) as error:
        kc.auto_schedule(C)
    assert str(error.value).splitlines()[:1] + str(error.value).splitlines()[2:] == [
        "error[KC2020]: auto_schedule: tensors without the arguments of the function",
        "  why: their order is the order of the function's arguments",
        "  try: kc.auto_schedule([A, B, C])",
    ]


def test_scheduled_loops_stay():
    schedule = tir.Schedule(te.create_prim_func(product()))
    i, _, _ = schedule.get_loops("C")
    schedule.split(i, [None, 7])
    assert str(kc.auto_schedule(schedule.mod).mod) == str(schedule.mod)


class Halves(Rule):
    """Split the outermost loop of every block in two."""

    name = "halves"

    def apply(self, draft, block):
        draft.split(next(iter(draft.loops(block).values())), [2, None])
        draft.settled.add(block)
        return True


class Refused(Rule):
    """Do something, and then something that is refused."""

    name = "refused"

    def apply(self, draft, block):
        loop = next(iter(draft.loops(block).values()))
        draft.split(loop, [3, None])
        draft.settled.add(block)
        draft.compute_inline(draft.block(block))
        return True


def test_rules_of_plugins():
    """They are asked first; one that is refused leaves nothing behind."""
    rules = {"refused": f"{__name__}:Refused", "halves": f"{__name__}:Halves"}
    added = registry.Registry()
    added.add(Plugin("mine", rules=rules))
    with registry.using(added):
        schedule = kc.auto_schedule(product())
    assert [step.kind for step in schedule.trace] == ["get_block", "get_loops", "split"]
    assert "tir.for %i_o in 2 {" in str(schedule.mod)


def test_the_page():
    """The examples of the page work."""
    codes = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    space: dict = {}
    exec(codes[0], space)
    assert np.allclose(space["c"], space["a"] @ space["b"], rtol=1e-4)
    exec(codes[1], space)
    assert issubclass(space["Halves"], Rule)
