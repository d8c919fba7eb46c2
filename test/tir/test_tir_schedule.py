"""The eager schedule: handles, refusals that change nothing, copies."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false

import pytest
from xdsl.dialects.builtin import StringAttr

import kc
from kc import te, tir
from kc.error import ScheduleError
from kc.target import Target


@pytest.fixture
def sch() -> tir.Schedule:
    a = te.placeholder((16, 16), name="A")
    k = te.reduce_axis((0, 16), name="k")
    c = te.compute((16,), lambda i: te.sum(a[i, k], axis=k), name="C")
    d = te.compute((16,), lambda i: c[i] + 1.0, name="D")
    return tir.Schedule(kc.lower(te.create_schedule(d.op), [a, d]))


def refusal(sch: tir.Schedule, call) -> list[str]:
    before = str(sch.mod)
    with pytest.raises(ScheduleError) as caught:
        call()
    assert str(sch.mod) == before
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
    return [line for line in str(caught.value).split("\n") if not line.startswith("  -->")]


def test_handles_name_loops_and_blocks(sch: tir.Schedule):
    block = sch.get_block("C")
    assert block.name == "C"
    assert [loop.name for loop in sch.get_loops(block)] == ["i", "k"]
    assert [loop.name for loop in sch.get_loops("D")] == ["i"]
    outer = sch.get_loops("C")[0]
    assert [block.name for block in sch.get_child_blocks(outer)] == ["C"]


def test_primitives_return_handles(sch: tir.Schedule):
    i, k = sch.get_loops("C")
    k_o, k_i = sch.split(k, factors=[None, 4])
    assert [k_o.name, k_i.name] == ["k_o", "k_i"]
    sch.reorder(k_i, k_o)
    assert [loop.name for loop in sch.get_loops("C")] == ["i", "k_i", "k_o"]
    # The handles are still those of their loops.
    fused = sch.fuse(k_i, k_o)
    assert fused.name == "k_i_k_o_fused"
    sch.parallel(i)
    assert "tir.for %i in 16 parallel {" in str(sch.mod)


def test_tile_gives_four_loops(sch: tir.Schedule):
    i, k = sch.get_loops("C")
    loops = sch.tile(i, k, 4, 8)
    assert [loop.name for loop in loops] == ["i_o", "k_o", "i_i", "k_i"]
    assert [loop.name for loop in sch.get_loops("C")] == ["i_o", "k_o", "i_i", "k_i"]


def test_a_stale_handle_says_what_became_of_it(sch: tir.Schedule):
    _, k = sch.get_loops("C")
    sch.split(k, factors=[None, 4])
    lines = refusal(sch, lambda: sch.unroll(k))
    assert lines[0] == "error[KC3124]: the loop k is gone"
    assert lines[1].startswith(f"  why: k was split into k_o, k_i at {__file__}:")


def test_refusals_change_nothing(sch: tir.Schedule):
    i, k = sch.get_loops("C")
    assert refusal(sch, lambda: sch.parallel(k)) == [
        "error[KC3040]: parallel: loop k is a reduction of C",
        "   |  for i in 16:",
        f"   |    for k in 16:    <-- here (from {made_at(sch)})",
        "   |      block C",
        "  why: C at (k=0) writes C[0], which C at (k=1) updates (for i = 0)",
        "  try: parallel a spatial loop: i",
    ]
    assert refusal(sch, lambda: sch.get_block("E")) == [
        "error[KC3001]: there is no block 'E' in @main",
        "  try: the blocks are: C, D",
    ]
    assert refusal(sch, lambda: sch.parallel(3)) == [
        "error[KC3123]: int is not a loop",
        "  try: sch.get_loops(block) gives the loops",
    ]
    assert (
        refusal(sch, lambda: sch.tile(i, k, 0, 4))[0] == "error[KC3021]: split: factor 0 for loop i"
    )
    with pytest.raises(ScheduleError, match="KC3121"):
        tir.Schedule("matmul.mlir")
    with pytest.raises(ScheduleError, match="KC3122"):
        sch.get_block("C", "other")


def test_loops_by_name(sch: tir.Schedule):
    before = tir.Schedule(sch.mod)
    sch.split("k", factors=[None, 4])
    sch.reorder("k_i", "k_o")
    sch.unroll("k_i")
    assert [loop.name for loop in sch.get_loops("C")] == ["i", "k_i", "k_o"]
    sch.trace.apply_to(before)
    assert str(before.mod) == str(sch.mod)
    assert 'sch.get_loop(name="k")' in sch.trace.as_python()
    assert refusal(sch, lambda: sch.parallel("i")) == [
        "error[KC3004]: there are 2 loops 'i' in @main",
        "   |  alloc C",
        "   |  for i in 16:    <-- this one?",
        "   |    for k_i in 4 unrolled:",
        "   |      for k_o in 4:",
        "   |        block C",
        "   |  for i in 16:    <-- this one?",
        "   |    block D",
        '  try: sch.get_loop("i", block="...") gives that of a block',
    ]
    assert (
        refusal(sch, lambda: sch.parallel("k"))[0] == "error[KC3003]: there is no loop 'k' in @main"
    )


def made_at(sch: tir.Schedule) -> str:
    """The location of the loops of C: the te.compute above."""
    from kc.support.locations import location_of

    return str(location_of(sch.get_loops("C")[0].op))


def test_a_loop_of_another_schedule(sch: tir.Schedule):
    stranger = tir.Schedule(sch.mod)
    (loop,) = stranger.get_loops("D")
    stranger.split(loop, factors=[None, 4])
    # The schedules do not share ops.
    assert [loop.name for loop in sch.get_loops("D")] == ["i"]


def test_show_prints_the_loop_tree(sch: tir.Schedule, capsys: pytest.CaptureFixture[str]):
    sch.vectorize(sch.get_loops("D")[0])
    assert sch.show() == (
        "alloc C\nfor i in 16:\n  for k in 16:\n    block C\nfor i in 16 vectorized:\n  block D"
    )
    assert capsys.readouterr().out.startswith("alloc C\n")


def test_loops_without_blocks():
    module = kc.IRModule.parse(
        "func.func @f(%A: memref<8xf32>) {\n"
        "  %x = arith.constant 1.0 : f32\n"
        "  tir.for %i in 8 {\n"
        "    tir.store %x, %A[%i] : memref<8xf32>\n"
        "  }\n"
        "  func.return\n"
        "}\n"
    )
    sch = tir.Schedule(module)
    outer, inner = sch.split(sch.get_loop("i"), factors=[None, 4])
    sch.vectorize(inner)
    assert sch.show() == "for i_o in 2:\n  for i_i in 4 vectorized:\n    store to A"
    assert refusal(sch, lambda: sch.get_loop("i"))[-2].startswith(
        "  why: i was split into i_o, i_i"
    )
    assert outer.name == "i_o"


def test_the_target_is_that_of_a_build(sch: tir.Schedule):
    """The target is the given one, the module's, the current one, or this CPU, as for kc.build."""
    assert sch.target == Target.host_cpu()
    module, znver4 = sch.mod, Target("llvm -mcpu=znver4")
    with znver4:
        assert tir.Schedule(module).target == znver4
        assert tir.Schedule(module, target=Target("c")).target == Target("c")
        module.op.attributes["kc.target"] = StringAttr("llvm -mcpu=haswell")
        assert tir.Schedule(module).target == Target("llvm -mcpu=haswell")
