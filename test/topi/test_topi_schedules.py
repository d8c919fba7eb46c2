"""The schedules under TVM's names, and what they give."""

import numpy as np
import pytest
from topi_cases import program

import kc
from kc import te, topi
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler
from kc.topi.schedules import NAMES

CALLS = {
    "schedule_injective": "nn.relu(add(T(7, 33), T(33)))",
    "schedule_reduce": "sum(T(4, 5, 19), 1)",
    "schedule_softmax": "nn.softmax(T(4, 20))",
    "schedule_dense": "nn.relu(nn.dense(T(5, 9), T(17, 9), T(17)))",
    "schedule_conv2d_nchw": "nn.relu(nn.conv2d(T(1, 3, 8, 8), T(4, 3, 3, 3), 1, 1, 1))",
    "schedule_pool": 'nn.pool2d(T(1, 2, 6, 7), (2, 3), (2, 1), 1, (0, 1, 0, 1), "avg")',
}


@pytest.mark.parametrize("name", CALLS)
def test_generic_schedules(name: str):
    call = program(CALLS[name])
    schedule = getattr(topi.generic, name)(call.computed)
    expected = call.interpreted()
    built = kc.build(schedule, call.args)
    for result, want in zip(call._run(built), expected, strict=True):
        np.testing.assert_allclose(result, want, rtol=1e-5, atol=1e-6)


def test_all_entry_points_are_there():
    for module in (topi.generic, topi.x86, topi.cuda, topi.arm_cpu):
        for name in (*NAMES, "default_schedule", "schedule_injective_from_existing"):
            assert getattr(module, name).__doc__


def test_what_was_done_can_be_seen_and_changed():
    call = program("nn.relu(nn.dense(T(8, 16), T(32, 16)))")
    out = call.computed[0]
    with kc.target.Target("llvm -mcpu=x86-64-v3"):
        s = topi.generic.schedule_dense([out])
    script = s.to_tir_script()
    assert "vectorize" in script
    assert "parallel" in script
    assert "compute_at" in script  # the product is computed with what finishes it
    dense = out.op.input_tensors[0]
    k = s[dense].op.reduce_axis[0]
    s[dense].split(k, factor=4)
    (result,) = call._run(kc.build(s, call.args))
    np.testing.assert_allclose(result, call.interpreted()[0], rtol=1e-6)


@pytest.mark.parametrize("text", ["nn.relu(T(7, 33))", "sum(T(9))", "nn.softmax(T(4, 20))"])
def test_cuda(text: str):
    """Elements are bound to threads; the kernels run on the emulator."""
    call = program(text)
    with diagnostic_handler(lambda _: None), kc.target.Target("cuda"):
        s = topi.generic.schedule_injective(call.computed)
        built = kc.build(s, call.args, target="cuda-emu")
    (result,) = call._run(built)
    np.testing.assert_allclose(result, call.interpreted()[0], rtol=1e-5, atol=1e-6)


def test_default_schedule_and_existing():
    call = program("exp(add(T(4, 16), T(16)))")
    out = call.computed[0]
    s = topi.generic.default_schedule([out], True)
    assert "compute_inline" in s.to_tir_script()
    assert topi.generic.default_schedule([out], False).to_tir_script().count("compute_inline") == 0
    assert topi.generic.schedule_injective_from_existing(s, out) is s
    assert "vectorize" in s.to_tir_script()


def test_traverse_inline_calls_at_the_anchor():
    a, b = te.placeholder((4, 8), name="A"), te.placeholder((6, 8), name="B")
    out = topi.nn.relu(topi.nn.dense(topi.exp(a), b))
    s = te.create_schedule(out.op)
    seen = []
    topi.utils.traverse_inline(s, out.op, lambda op: seen.append(op.tag))
    assert seen == ["elemwise", "dense", "elemwise"]
    assert "compute_inline" in s.to_tir_script()


def test_refused():
    with pytest.raises(KCError) as caught:
        topi.generic.schedule_injective([])
    assert str(caught.value).split("\n")[0::2] == [
        "error[KC2300]: topi.generic.schedule_injective: the list of outputs is empty",
        "  why: a schedule needs at least one output",
    ]


def test_what_kc_build_chose_can_be_taken_over():
    """The script of the chosen schedule gives the same loops, and can be gone on with."""
    call = program("nn.relu(nn.dense(T(8, 16), T(32, 16)))")
    module = te.create_prim_func(call.args)
    chosen = kc.auto_schedule(module)
    script = chosen.trace.as_python()
    assert "sch.vectorize(" in script
    sch = kc.tir.Schedule(module)
    exec(script, {"sch": sch})
    assert str(sch.mod) == str(chosen.mod)
    last = call.computed[0].op.name
    sch.annotate(sch.get_loops(last)[0], "pragma_loop_partition_hint", True)
    (result,) = call._run(kc.build(sch))
    np.testing.assert_allclose(result, call.interpreted()[0], rtol=1e-6)


@pytest.mark.parametrize("text", [
    'nn.global_pool(T(1, 1, 5, 5), "avg")', "nn.conv2d(T(1, 4, 6, 6), T(4, 4, 3, 3), 1, 1, 1)",
    "sum(T(1, 9), 1)", "nn.relu(T(4))", "exp(T(1, 1))", 'nn.relu(T(1, "n=9"))',
])  # fmt: skip
def test_loops_of_one_iteration_are_not_parallel(text: str):
    """The user did not ask for it, so there is nothing to warn of."""
    call = program(text)
    warnings = []
    with diagnostic_handler(warnings.append), kc.target.Target("llvm -mcpu=x86-64-v3"):
        s = topi.generic.schedule_injective(call.computed)
        built = kc.build(s, call.args)
    # A schedule of loops of one iteration may have no call, which a remark says.
    assert [warning for warning in warnings if warning.kind != "remark"] == []
    for result, want in zip(call._run(built), call.interpreted(), strict=True):
        np.testing.assert_allclose(result, want, rtol=1e-5, atol=1e-6)
