"""The methods of the eager schedule: derived from the primitives' declarations."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportCallIssue=false

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import kc
from kc import tir
from kc.error import ScheduleError
from kc.support import registry
from kc.support.declarations import parameters, slots

COPY = """
func.func @f(%A: memref<16x16xf32>, %C: memref<16x16xf32>) {
  %T = tir.alloc "T" : memref<16x16xf32>
  tir.for %x in 16 {
    tir.for %y in 16 {
      tir.block "T" (spatial %v_x in 16 = %x, spatial %v_y in 16 = %y) do {
        %0 = tir.load %A[%v_x, %v_y] : memref<16x16xf32>
        tir.store %0, %T[%v_x, %v_y] : memref<16x16xf32>
      }
    }
  }
  tir.for %i in 16 {
    tir.for %j in 16 {
      tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 16 = %j) do {
        %0 = tir.load %T[%v_i, %v_j] : memref<16x16xf32>
        tir.store %0, %C[%v_i, %v_j] : memref<16x16xf32>
      }
    }
  }
  func.return
}
"""

GATHER = """
func.func @f(%I: memref<16xi64>, %C: memref<16xf32>, %D: memref<16xf32>) {
  %one = arith.constant 1.0 : f32
  tir.for %i in 16 {
    tir.for %n in 1 {
      tir.block "C" (opaque %v_i in 16 = %i) do {
        %0 = tir.load %I[%v_i] : memref<16xi64>
        %1 = arith.index_cast %0 : i64 to index
        tir.store %one, %C[%1] : memref<16xf32>
      }
    }
  }
  tir.for %j in 16 {
    tir.block "D" (opaque %v_j in 16 = %j) do {
      %0 = tir.load %I[%v_j] : memref<16xi64>
      %1 = arith.index_cast %0 : i64 to index
      tir.store %one, %C[%1] : memref<16xf32>
      tir.store %one, %D[0] : memref<16xf32>
    }
  }
  func.return
}
"""


@pytest.fixture
def sch() -> tir.Schedule:
    return tir.Schedule(kc.IRModule.parse(COPY))


def title(call) -> str:
    with pytest.raises(ScheduleError) as caught:
        call()
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
    return f"{caught.value.code} {caught.value.message}"


def test_every_step_is_a_method(sch: tir.Schedule):
    steps = registry.current().steps
    assert len(steps) > 30
    for name, entry in steps.items():
        method = getattr(sch, name.replace("-", "_"))
        step = entry.load()
        assert method.__name__ == name.replace("-", "_")
        assert method.__doc__.startswith((inspect.getdoc(step) or "?").split("\n")[0])
        shown = list(inspect.signature(method).parameters)
        declared = [parameter.name for parameter in parameters(step)]
        may_be_unsafe = ["unsafe"] if getattr(step, "undecidable", False) else []
        assert shown == declared + may_be_unsafe
        assert method.__name__ in dir(sch)
        assert all(slot.help for slot in slots(step)), name


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        (
            "fuse",
            "(*loops: 'LoopRV | str', preserve_unit_iters: 'bool' = True, unsafe: 'bool' = False)"
            " -> 'LoopRV'",
        ),
        (
            "tile",
            "(x: 'LoopRV | str', y: 'LoopRV | str', x_factor: 'int' = 32, "
            "y_factor: 'int' = 32)"
            " -> 'list[LoopRV]'",
        ),
        (
            "annotate",
            "(block_or_loop: 'LoopRV | BlockRV | str', ann_key: 'str', ann_val: 'Any' = ())"
            " -> 'None'",
        ),
        (
            "compute_at",
            "(block: 'BlockRV | str', loop: 'LoopRV | str', preserve_unit_loops: 'bool' = False, "
            "index: 'int' = -1, *, unsafe: 'bool' = False) -> 'None'",
        ),
        ("get_block", "(name: 'str', func_name: 'str | None' = None) -> 'BlockRV'"),
        (
            "decompose_reduction",
            "(block: 'BlockRV | str', loop: 'LoopRV | str') -> 'BlockRV | None'",
        ),
    ],
)
def test_signatures(sch: tir.Schedule, name: str, signature: str):
    assert str(inspect.signature(getattr(sch, name))) == signature


def test_arguments_by_position_and_by_name(sch: tir.Schedule):
    i, j = sch.get_loops(block="C")
    sch.reorder([j, i])
    sch.reorder(i, j)
    i_o, _, i_i, _ = sch.tile(i, j, y_factor=np.int64(4), x_factor=2)
    assert sch.get(i_i).static_extent == 2
    sch.annotate(ann_key="k", block_or_loop=i_o, ann_val=(1, "a"))
    sch.annotate("C", "k", np.float32(0.5))
    assert 'annotations {k = [1 : i64, "a"]}' in str(sch.mod)
    sch.unannotate(i_o, "k")


def test_wrong_arguments(sch: tir.Schedule):
    i, j = sch.get_loops("C")
    block = sch.get_block("C")
    before = str(sch.mod), sch.trace.as_python()
    titles = [
        title(lambda: sch.parallel(i, 4)),
        title(lambda: sch.split(i, factor=[None, 4])),
        title(lambda: sch.split(i, [None, 4], loop=i)),
        title(lambda: sch.split()),
        title(lambda: sch.split(i, 4)),
        title(lambda: sch.split(i, [None, 2.5])),
        title(lambda: sch.split(block, [None, 4])),
        title(lambda: sch.compute_at(i, j)),
        title(lambda: sch.compute_at("T", i, preserve_unit_loops=1)),
        title(lambda: sch.compute_at("T", i, index="last")),
        title(lambda: sch.reorder(i, 3)),
        title(lambda: sch.unroll(i, unsafe=True)),
        title(lambda: sch.reorder(j, i, unsafe=1)),
        title(lambda: sch.annotate(block, 3, 4)),
        title(lambda: sch.cache_read(block, 0, "local", consumer_blocks=5)),
        title(lambda: sch.compute_inline("U")),
        title(lambda: tir.Schedule(sch.mod, debug_mask="some")),
    ]
    assert titles == [
        "KC3700 parallel takes 1 argument, 2 are given",
        "KC3701 split: there is no argument 'factor'",
        "KC3701 split: argument 'loop' is given twice",
        "KC3703 split: the argument 'loop' is missing",
        "KC3702 split: factors is a list of numbers, of which one may be None "
        "('int' object is not iterable), not 4",
        "KC3702 split: factors is a list of numbers, of which one may be None "
        "(2.5 is not a factor), not list [None, 2.5]",
        "KC3123 BlockRV is not a loop",
        "KC3126 LoopRV is not a block",
        "KC3702 compute_at: preserve_unit_loops is True or False, not 1",
        "KC3702 compute_at: index is an integer, not 'last'",
        "KC3123 int is not a loop",
        "KC3701 unroll: there is no argument 'unsafe'",
        "KC3702 reorder: unsafe is True or False, not 1",
        "KC3702 annotate: ann_key is a string, not 3",
        "KC3702 cache_read: consumer_blocks is a list of blocks, not 5",
        "KC3001 there is no block 'U' in @f",
        "KC3702 Schedule: debug_mask must be one of none, all, not 'some'",
    ]
    assert (str(sch.mod), sch.trace.as_python()) == before


def test_an_unknown_method(sch: tir.Schedule):
    with pytest.raises(AttributeError, match="has no attribute 'slpit'; did you mean 'split'"):
        sch.slpit  # noqa: B018


def test_queries(sch: tir.Schedule):
    assert [block.name for block in sch.get_producers("C")] == ["T"]
    assert [block.name for block in sch.get_consumers("T")] == ["C"]
    assert [block.name for block in sch.get_output_blocks()] == ["C"]
    assert [block.name for block in sch.get_child_blocks(sch.get_loops("T")[0])] == ["T"]
    assert sch.get_loop("x", block="T").name == "x"
    i, _ = sch.get_loops("C")
    assert sch.get(i).label == "i"
    sch.remove_rv(i)
    assert title(lambda: sch.unroll(i)) == "KC3125 the loop i is not in this schedule's module"


def test_several_functions():
    text = COPY + COPY.replace("@f", "@g").replace('block "T"', 'block "U"')
    sch = tir.Schedule(kc.IRModule.parse(text))
    assert title(lambda: sch.get_block("C")) == "KC3122 there are 2 functions"
    assert sch.get_block("U").name == "U"  # only one function has it
    sch.work_on("g")
    loops = sch.get_loops(sch.get_block("C"))
    sch.parallel(loops[0])
    assert 'get_block(name="C", func_name="g")' in sch.trace.as_python()
    again = tir.Schedule(kc.IRModule.parse(text))
    sch.trace.apply_to(again)
    assert str(again.mod) == str(sch.mod)
    assert title(lambda: sch.work_on("h")) == "KC3122 there is no function 'h'"


def test_how_much_a_refusal_tells():
    module = kc.IRModule.parse(COPY)
    shown = {}
    for level in ("detail", "fast", "none"):
        sch = tir.Schedule(module, error_render_level=level, debug_mask="all")
        i, _ = sch.get_loops("C")
        sch.split(i, [None, 4])
        with pytest.raises(ScheduleError) as caught:
            sch.compute_at("T", sch.get_loops("T")[0])
        shown[level] = caught.value
    assert shown["detail"].facts
    assert not shown["fast"].facts
    assert shown["fast"].why
    assert not shown["none"].why


def test_asking_first(sch: tir.Schedule):
    i, j = sch.get_loops("C")
    before = str(sch.mod), sch.trace.as_python()
    assert sch.can("compute_at", "T", i)
    assert not sch.can("compute_at", "C", i)
    assert not sch.can("split", i, [0, None])
    assert (str(sch.mod), sch.trace.as_python()) == before


def test_unsafe_where_it_cannot_be_decided():
    sch = tir.Schedule(kc.IRModule.parse(GATHER))
    i, n = sch.get_loops("C")
    before = str(sch.mod)
    with pytest.raises(ScheduleError, match="cannot be proven independent") as caught:
        sch.parallel(i)
    assert caught.value.undecided
    assert str(sch.mod) == before
    assert not sch.can("parallel", i)
    assert sch.can("parallel", i, unsafe=True)
    sch.parallel(i, unsafe=True)
    assert (
        'tir.for %i in 16 parallel attributes {kc.unsafe = "parallel: cannot prove that iterations '
        'touch different elements of C: arith.index_cast is not affine"} {'
    ) in str(sch.mod)
    assert sch.trace.as_python().endswith("sch.parallel(loop=i, unsafe=True)\n")
    again = tir.Schedule(kc.IRModule.parse(GATHER))
    tir.Trace.from_mlir(sch.trace.as_mlir()).apply_to(again)
    assert str(again.mod) == str(sch.mod)
    # What is proven wrong stays refused: all iterations write D[0].
    (j,) = sch.get_loops("D")
    before = str(sch.mod)
    with pytest.raises(ScheduleError, match=r"writes D\[0\]") as caught:
        sch.parallel(j, unsafe=True)
    assert not caught.value.undecided
    assert str(sch.mod) == before


def test_what_was_trusted_stays_noted():
    sch = tir.Schedule(kc.IRModule.parse(GATHER.replace("%n in 1", "%n in 2")))
    i, n = sch.get_loops("C")
    assert title(lambda: sch.reorder(n, i)).startswith("KC3035 reorder: the order n, i cannot")
    sch.reorder(n, i, unsafe=True)
    outer = sch.get_loops("C")[0]
    sch.split(outer, [None, 2])
    assert str(sch.mod).count("kc.unsafe") == 1
    assert "kc.unsafe" in str(sch.get(sch.get_loops("C")[0]).attributes)


def test_unsafe_changes_nothing_that_is_legal(sch: tir.Schedule):
    i, j = sch.get_loops("C")
    sch.reorder(j, i, unsafe=True)
    sch.parallel(j, unsafe=True)
    assert "kc.unsafe" not in str(sch.mod)


@pytest.fixture
def plugin() -> Iterator[None]:
    sys.path.insert(0, str(Path(__file__).parent.parent / "plugin"))
    try:
        from kc_npu.plugin import PLUGIN  # pyright: ignore[reportMissingImports]

        extended = registry.current().copy()
        extended.add(PLUGIN)
        with registry.using(extended):
            yield
    finally:
        sys.path.pop(0)


@pytest.mark.usefixtures("plugin")
def test_primitives_of_plugins(sch: tir.Schedule):
    i, _ = sch.get_loops("C")
    assert "npu_stream" in dir(sch)
    assert str(inspect.signature(sch.npu_stream)) == "(loop: 'LoopRV | str') -> 'None'"
    sch.npu_stream(i)
    assert "sched.npu_stream %i" in sch.trace.as_mlir()
    again = tir.Schedule(kc.IRModule.parse(COPY))
    tir.Trace.from_mlir(sch.trace.as_mlir()).apply_to(again)
    assert str(again.mod) == str(sch.mod)


def test_without_the_plugin(sch: tir.Schedule):
    assert not hasattr(sch, "npu_stream")
    with pytest.raises(Exception, match="there is no operation 'sched.npu_stream'"):
        tir.Trace.from_mlir(
            'transform.named_sequence @s() {\n  %i = sched.get_loop "i"\n'
            "  sched.npu_stream %i\n  transform.yield\n}\n"
        )
