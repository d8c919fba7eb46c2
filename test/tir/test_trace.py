"""Traces: recorded, written as Python, JSON and IR, read back, and performed again."""

import importlib
import json

import pytest

import kc
from kc import te, tir
from kc.error import ScheduleError
from kc.support import registry
from kc.tir import Trace
from kc.tir.schedule import Instruction, InstructionKind

MATMUL = """
func.func @f(%A: memref<{n}x{n}xf32>, %B: memref<{n}x{n}xf32>, %C: memref<{n}x{n}xf32>) {{
  %zero = arith.constant 0.0 : f32
  %T = tir.alloc "T" : memref<{n}x{n}xf32>
  tir.for %x in {n} {{
    tir.for %y in {n} {{
      tir.block "T" (spatial %v_x in {n} = %x, spatial %v_y in {n} = %y) do {{
        %0 = tir.load %B[%v_x, %v_y] : memref<{n}x{n}xf32>
        %1 = arith.mulf %0, %0 : f32
        tir.store %1, %T[%v_x, %v_y] : memref<{n}x{n}xf32>
      }}
    }}
  }}
  tir.for %i in {n} {{
    tir.for %j in {n} {{
      tir.for %k in {n} {{
        tir.block "C" (spatial %v_i in {n} = %i, spatial %v_j in {n} = %j,
                       reduce %v_k in {n} = %k) init {{
          tir.store %zero, %C[%v_i, %v_j] : memref<{n}x{n}xf32>
        }} do {{
          %0 = tir.load %A[%v_i, %v_k] : memref<{n}x{n}xf32>
          %1 = tir.load %T[%v_k, %v_j] : memref<{n}x{n}xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = tir.load %C[%v_i, %v_j] : memref<{n}x{n}xf32>
          %4 = arith.addf %3, %2 : f32
          tir.store %4, %C[%v_i, %v_j] : memref<{n}x{n}xf32>
        }}
      }}
    }}
  }}
  func.return
}}
"""


def matmul(n: int = 16) -> kc.IRModule:
    return kc.IRModule.parse(MATMUL.format(n=n), "matmul.mlir")


def scheduled(n: int = 16) -> tir.Schedule:
    """A schedule with most kinds of values in its calls."""
    sch = tir.Schedule(matmul(n), seed=7)
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    tiles = sch.sample_perfect_tile(j, n=3, max_innermost_factor=8)
    j_0, j_1, j_2 = sch.split(j, factors=tiles)
    i_o, i_i = sch.split(i, [None, 4])
    sch.reorder(i_o, j_0, j_1, k, i_i, j_2)
    sch.cache_read(block, "A", "local")
    sch.annotate(block, "note", {"n": [1, 2.5, "x", True, None], "inf": float("inf")})
    sch.annotate(i_o, "text", 'say "hi" \\ there\n')
    sch.pragma(i_o, "auto_unroll_max_step", 16)
    sch.compute_at("T", i_o)
    depth = sch.sample_categorical([0, 2, 4], [0.2, 0.3, 0.5])
    sch.annotate("T", "depth", depth)
    sch.enter_postproc()
    sch.vectorize(j_2)
    return sch


FORMS = {
    "python": (Trace.as_python, Trace.from_python),
    "json": (lambda trace: json.loads(json.dumps(trace.as_json())), Trace.from_json),
    "mlir": (Trace.as_mlir, Trace.from_mlir),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_trace_read_back_makes_the_same_module(form: str):
    sch = scheduled()
    write, read = FORMS[form]
    written = write(sch.trace)
    trace = read(written)
    if form != "mlir":  # names like %j_0 do not survive xDSL's parser
        assert write(trace) == written
    again = tir.Schedule(matmul())
    trace.apply_to(again)
    assert str(again.mod) == str(sch.mod)
    # What was performed again is recorded as the same.
    assert again.trace.as_python() == sch.trace.as_python()


def test_the_text_of_a_trace():
    sch = tir.Schedule(matmul(), seed=1)
    i, j, _ = sch.get_loops(sch.get_block("C", func_name="f"))
    sch.split(j, factors=sch.sample_perfect_tile(j, 2, decision=[4, 4]))
    sch.parallel(i)
    assert sch.trace.as_python() == (
        'C = sch.get_block(name="C", func_name="f")\n'
        "i, j, k = sch.get_loops(block=C)\n"
        "j_t0, j_t1 = sch.sample_perfect_tile(loop=j, n=2, decision=[4, 4])\n"
        "j_o, j_i = sch.split(loop=j, factors=[j_t0, j_t1])\n"
        "sch.parallel(loop=i)\n"
    )
    lines = sch.trace.as_python().splitlines()
    assert "\n".join(sch.trace.as_python()) == "\n".join(lines)
    assert sch.trace.as_python() == lines
    assert sch.trace.as_python() != lines[:-1]
    assert sch.trace.as_mlir() == (
        "builtin.module attributes {transform.with_named_sequence} {\n"
        "  transform.named_sequence @__transform_main(%module: !transform.any_op) {\n"
        '    %C = sched.get_block "C" in @f\n'
        "    %i, %j, %k = sched.get_loops %C : !sched.loop, !sched.loop, !sched.loop\n"
        "    %j_t0, %j_t1 = sched.sample_perfect_tile %j n 2 decision [4, 4]\n"
        "    %j_o, %j_i = sched.split %j factors [%j_t0, %j_t1]\n"
        "    sched.parallel %i\n"
        "    transform.yield\n"
        "  }\n"
        "}\n"
    )


def test_refused_calls_are_not_recorded():
    sch = tir.Schedule(matmul())
    _, _, k = sch.get_loops("C")
    before = sch.trace.as_python()
    for call in (
        lambda: sch.parallel(k),
        lambda: sch.compute_at("C", k),
        lambda: sch.split(k, [4, 2]),
    ):
        with pytest.raises(ScheduleError):
            call()
    with pytest.raises(ScheduleError):
        sch.compute_inline("C")  # the get_block it stands for is not recorded either
    assert sch.trace.as_python() == before


def test_another_shape():
    trace = scheduled(16).trace
    larger = tir.Schedule(matmul(24))
    trace.apply_to(larger)
    assert [loop.name for loop in larger.get_loops("C")][:2] == ["i_o", "j_0"]
    # 24 is not the product of the tiles for 16: they were made to fit.
    (tile,) = [
        instruction for instruction in larger.trace if instruction.kind == "sample_perfect_tile"
    ]
    assert tile.decision[0] * tile.decision[1] * tile.decision[2] == 24


def test_a_trace_that_does_not_fit_is_refused_with_the_step():
    text = 'C = sch.get_block(name="C")\ni, j = sch.get_loops(block=C)\nsch.parallel(loop=j)\n'
    sch = tir.Schedule(matmul())
    with pytest.raises(ScheduleError) as caught:
        Trace.from_python(text, "a.py").apply_to(sch)
    lines = str(caught.value).split("\n")
    assert lines[0] == "error[KC3715]: get_loops gives 3 results here, and 2 in the trace"
    assert lines[1] == "  --> a.py:2:1"
    assert lines[2].startswith(f"   |  step 2 of the trace, applied at {__file__}:")
    assert lines[2].endswith(": i, j = sch.get_loops(block=C)")
    text = "k = sch.get_loop(name='k')\nsch.parallel(loop=k)\n"
    with pytest.raises(ScheduleError, match="step 2 of the trace.*sch.parallel.loop=k") as caught:
        Trace.from_python(text).apply_to(tir.Schedule(matmul()))
    assert caught.value.code == "KC3040"


def test_a_trace_applies_to_a_module_in_place():
    module = matmul()
    sch = scheduled()
    sch.trace.apply_to(module)
    assert str(module) == str(sch.mod)


def test_simplified():
    sch = tir.Schedule(matmul(), seed=3)
    block = sch.get_block("C")
    i, _, _ = sch.get_loops(block)
    sch.get_consumers("T")
    sch.sample_categorical([1, 2], [0.5, 0.5])
    sch.parallel(i)
    sch.enter_postproc()
    sch.unroll(sch.get_loops("T")[1])
    kept = [instruction.kind for instruction in sch.trace.simplified()]
    assert kept == [
        *("get_block", "get_loops", "parallel", "enter_postproc"),
        *("get_block", "get_loops", "unroll"),
    ]
    kept = [instruction.kind for instruction in sch.trace.simplified(remove_postproc=True)]
    assert kept == ["get_block", "get_loops", "parallel"]
    assert "unroll" not in sch.trace.as_python(remove_postproc=True)


def test_decisions_of_others():
    sch = tir.Schedule(matmul(), seed=3)
    i, _, _ = sch.get_loops("C")
    sch.split(i, sch.sample_perfect_tile(i, 2, decision=[2, 8]))
    tile = sch.trace.insts[2]
    changed = sch.trace.with_decision(tile, [4, 4], False)
    assert changed.get_decision(changed.insts[2]) == [4, 4]
    assert list(sch.trace.decisions.values()) == [[2, 8]]
    again = tir.Schedule(matmul())
    changed.apply_to(again)
    assert again.get(again.get_loop("i_i")).static_extent == 4

    def provider(inst, inputs, attrs, decision):
        assert (inst.kind, decision, attrs) == ("sample_perfect_tile", [2, 8], [2])
        assert [handle.label for handle in inputs] == ["i"]
        return [8, 2]

    again = tir.Schedule(matmul())
    sch.trace.apply_to(again, decision_provider=provider)
    assert again.get(again.get_loop("i_o")).static_extent == 8


CHAIN = """
func.func @f(%A: memref<16x8xf32>, %O: memref<16x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %B = tir.alloc "B" : memref<16x8xf32>
  %S = tir.alloc "S" : memref<16xf32>
  tir.for %a in 16 {
    tir.for %b in 8 {
      tir.block "B" (spatial %v_a in 16 = %a, spatial %v_b in 8 = %b) do {
        %0 = tir.load %A[%v_a, %v_b] : memref<16x8xf32>
        %1 = arith.addf %0, %0 : f32
        tir.store %1, %B[%v_a, %v_b] : memref<16x8xf32>
      }
    }
  }
  tir.for %c in 16 {
    tir.for %d in 8 {
      tir.block "S" (spatial %v_c in 16 = %c, reduce %v_d in 8 = %d) init {
        tir.store %zero, %S[%v_c] : memref<16xf32>
      } do {
        %0 = tir.load %B[%v_c, %v_d] : memref<16x8xf32>
        %1 = tir.load %S[%v_c] : memref<16xf32>
        %2 = arith.addf %0, %1 : f32
        tir.store %2, %S[%v_c] : memref<16xf32>
      }
    }
  }
  tir.for %e in 16 {
    tir.for %g in 8 {
      tir.block "O" (spatial %v_e in 16 = %e, spatial %v_g in 8 = %g) do {
        %0 = tir.load %A[%v_e, %v_g] : memref<16x8xf32>
        %1 = tir.load %S[%v_e] : memref<16xf32>
        %2 = arith.mulf %0, %1 : f32
        tir.store %2, %O[%v_e, %v_g] : memref<16x8xf32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("primitive", registry.Registry().primitives)
def test_every_primitive_round_trips(primitive: str):
    """Some of its legal calls, recorded, written, read and performed again."""
    module = kc.IRModule.parse(CHAIN)
    fresh = tir.Schedule(module)
    choices = fresh.legal(primitive.replace("-", "_"))
    if primitive in ALWAYS_OFFERED:
        assert choices
    for choice in choices[:: -(-len(choices) // 4) or 1]:
        sch = fresh.copy()
        choice(sch)
        performed = str(sch.mod)
        for write, read in FORMS.values():
            again = tir.Schedule(module)
            read(write(sch.trace)).apply_to(again)
            assert str(again.mod) == performed, repr(choice)


ALWAYS_OFFERED = ("split", "fuse", "reorder", "parallel", "compute-at", "rfactor", "cache-read")


WRONG_PYTHON = {
    "x = = 3": ("KC3710", "a.py:1:5", "not Python: invalid syntax"),
    "import os": ("KC3710", "a.py:1:1", "this is not understood in a trace: import os"),
    "sch.get_block(name=open('x'))": (
        "KC3710",
        "a.py:1:20",
        "this is not understood in a trace: open('x')",
    ),
    "C = sch.get_block('C')\nother.get_loops(C)": (
        "KC3710",
        "a.py:2:1",
        "'other' is not the schedule 'sch'",
    ),
    "sch.slpit(1)": ("KC3711", "a.py:1:1", "there is no step 'slpit'"),
    "sch.get_loops(D)": ("KC3712", "a.py:1:1", "there is no variable 'D'"),
    "i = sch.get_loop('i')\na, b, c = sch.split(i, factors=[None, 4])": (
        "KC3713",
        "a.py:2:1",
        "split gives 2 results, 3 are named",
    ),
    "i = sch.get_loop('i')\nsch.compute_at(i, i)": (
        "KC3702",
        "a.py:2:1",
        "'block' takes a block, not a loop",
    ),
    "i = sch.get_loop('i')\nsch.split(i, factors=3)": (
        "KC3702",
        "a.py:2:1",
        "split: factors is a list of numbers, of which one may be None "
        "('int' object is not iterable), not 3",
    ),
    "sch.get_loop('i', 'f', None, 3)": (
        "KC3700",
        "a.py:1:1",
        "get_loop takes 3 arguments, 4 are given",
    ),
    "sch.get_block(nam='C')": ("KC3701", "a.py:1:1", "get_block: there is no argument 'nam'"),
    "sch.get_block()": ("KC3703", "a.py:1:1", "get_block: the argument 'name' is missing"),
    "C = sch.get_block('C')\nsch.annotate(C, 'x', lambda i: i)": (
        "KC3710",
        "a.py:2:22",
        "this is not understood in a trace: lambda i: i",
    ),
    f"sch.get_block({'-' * 3000}1)": ("KC3710", "a.py:1", "this is nested too deeply"),
    "C = sch.get_block('C')\nsch.transform_layout(C, 0, '(i, j) -> (j, i')": (
        "KC3500",
        "a.py:2:1",
        "'(i, j) -> (j, i' is not an index map",
    ),
    f"sch.transform_layout('C', 0, '(i) -> ({'-' * 5000}i)')": (
        "KC3500",
        "a.py:1:1",
        f"'(i) -> ({'-' * 5000}i)' is not an index map",
    ),
}


VALUES = ["plain", 'a "b"\n\\', "λ → 日本", "", "\0", {"k é": ["ü", 1], "k": {"\t": 0.5}}]


@pytest.mark.parametrize("value", VALUES, ids=ascii)
@pytest.mark.parametrize("form", ["python", "json", "mlir"])
def test_text_in_annotations(form: str, value: object):
    """The texts of the trace and the IR are read back as they were, whatever their characters."""
    sch = tir.Schedule(matmul())
    sch.annotate(sch.get_block("C"), "ключ 1", value)
    sch.annotate(sch.get_loop("x"), "a", value)
    again = tir.Schedule(matmul())
    written = getattr(sch.trace, f"as_{form}")()
    getattr(Trace, f"from_{form}")(written).apply_to(again)
    assert str(again.mod) == str(sch.mod)
    read = kc.IRModule.parse(str(sch.mod))
    assert str(read) == str(sch.mod)
    assert read.op.is_structurally_equivalent(sch.mod.op)


@pytest.mark.parametrize(("key", "value"), [("a", "\ud800"), ("\ud800", 1), ("a", {"\udfff": 1})])
def test_half_a_character_is_no_annotation(key: str, value: object):
    sch = tir.Schedule(matmul())
    with pytest.raises(ScheduleError) as caught:
        sch.annotate(sch.get_block("C"), key, value)
    assert caught.value.code == "KC3343"


@pytest.mark.parametrize("text", WRONG_PYTHON, ids=lambda text: text[:40])
def test_wrong_python(text: str):
    code, place, message = WRONG_PYTHON[text]
    with pytest.raises(ScheduleError) as caught:
        Trace.from_python(text, "a.py")
    assert (caught.value.code, str(caught.value.location)) == (code, place)
    assert caught.value.message == message


def test_a_function_is_a_trace_too():
    text = (
        "def apply_trace(s: tir.Schedule) -> None:\n"
        '    """Mine."""\n'
        '    C = s.get_block("C")  # the matmul\n'
        "    i, j, k = s.get_loops(C)\n"
        "    s.tile(i, j, 4, y_factor=8)\n"
        "    s.compute_at('T', s_i) if 0 else None\n"
    )
    with pytest.raises(ScheduleError, match="not understood"):
        Trace.from_python(text)
    sch = tir.Schedule(matmul())
    Trace.from_python("\n".join(text.split("\n")[:-2])).apply_to(sch)
    assert [loop.name for loop in sch.get_loops("C")] == ["i_o", "j_o", "i_i", "j_i", "k"]


WRONG_JSON = {
    "[": ("KC3714", "a.json:1", "not JSON: Expecting value: line 1 column 2 (char 1)"),
    "[]": ("KC3714", "a.json:1", "the trace is an object with the keys version, instructions"),
    '{"version": 9}': ("KC3714", "a.json:1", "the trace has version 9"),
    "[" * 100_000: ("KC3714", "a.json:1", "this is nested too deeply"),
    '{"version": 1, "instructions": [{"kind": "enter_postproc", "location": [1]}]}': (
        "KC3714",
        "a.json, instruction:1",
        "location is [file, line, column], not [1]",
    ),
    '{"version": 1, "instructions": [{"kind": "enter_postproc", "location": [1, "a", 2]}]}': (
        "KC3714",
        "a.json, instruction:1",
        "location is [file, line, column], not [1, 'a', 2]",
    ),
    '{"version": 1, "instructions": [{"kind": "get_loops", "arguments": {"block": []}}]}': (
        "KC3702",
        "a.json, instruction:1",
        "'block' takes a block, not list []",
    ),
    '{"version": 1, "instructions": [{"kind": "slpit"}]}': (
        "KC3711",
        "a.json, instruction:1",
        "there is no step 'slpit'",
    ),
    '{"version": 1, "instructions": [{"kind": "split", "arguments": {"loop": {"var": "i"}}}]}': (
        "KC3712",
        "a.json, instruction:1",
        "there is no variable 'i'",
    ),
    '{"version": 1, "instructions": [{"kind": "get_block", "arguments": {"block": 3}}]}': (
        "KC3702",
        "a.json, instruction:1",
        "get_block: block is a string, not 3",
    ),
    '{"version": 1, "instructions": [{"kind": "get_block", "arguments": {"block": {}}}]}': (
        "KC3714",
        "a.json, instruction:1",
        "{} is not a value",
    ),
}


@pytest.mark.parametrize("text", WRONG_JSON, ids=lambda text: text[:40])
def test_wrong_json(text: str):
    code, place, message = WRONG_JSON[text]
    with pytest.raises(ScheduleError) as caught:
        Trace.from_json(text, "a.json")
    assert (caught.value.code, str(caught.value.location)) == (code, place)
    assert caught.value.message == message


def test_a_copy_goes_its_own_way():
    sch = tir.Schedule(matmul())
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    copy = sch.copy()
    # The copy understands the handles of the original, on its own module.
    j_o, _ = copy.split(j, [None, 4])
    assert [loop.name for loop in copy.get_loops(block)] == ["i", "j_o", "j_i", "k"]
    assert [loop.name for loop in sch.get_loops(block)] == ["i", "j", "k"]
    assert (sch.get(i), i.name, j.gone) == (i.op, "i", None)
    with pytest.raises(ScheduleError, match="KC3124.*the loop j is gone"):
        copy.unroll(j)
    with pytest.raises(ScheduleError, match="KC3125"):
        sch.unroll(j_o)
    assert copy.trace.as_python().startswith(sch.trace.as_python().split("\n")[0])
    assert "split" not in sch.trace.as_python()


def test_undo():
    sch = tir.Schedule(matmul())
    i, j, k = sch.get_loops("C")
    before = str(sch.mod)
    i_o, i_i = sch.split(i, [None, 4])
    between, trace = str(sch.mod), sch.trace.as_python()
    sch.reorder(i_o, j, k, i_i)
    again = sch.get_loops("C")
    sch.undo()
    assert (str(sch.mod), sch.trace.as_python()) == (between, trace)
    # Older handles are what they were, younger ones say what happened.
    sch.parallel(i_o)
    with pytest.raises(ScheduleError, match="i_o was made after reorder at .*, which was undone"):
        sch.unroll(again[0])
    with pytest.raises(ScheduleError, match="i was split into i_o, i_i"):
        sch.unroll(i)
    sch.undo()
    sch.undo()
    assert str(sch.mod) == before
    sch.parallel(i)
    sch.undo()
    with pytest.raises(ScheduleError, match="KC3740"):
        sch.undo()


def test_undo_looks_names_up_where_they_were():
    """Names looked up before ``work_on`` are found again, in the function where they were."""
    text = MATMUL.format(n=4)
    second = text.replace("@f", "@g").replace('"C"', '"D"').replace('"T"', '"U"')
    sch = tir.Schedule(kc.IRModule.parse(text + second))
    i, *_ = sch.get_loops(sch.get_block("C"))
    sch.unroll(i)
    before = str(sch.mod)
    sch.work_on("g")
    sch.unroll(sch.get_loops("D")[0])
    sch.undo()
    assert str(sch.mod) == before
    sch.get_block("D")
    with pytest.raises(ScheduleError, match="no block 'C' in @g"):
        sch.get_block("C")


def test_sampling_is_reproducible():
    assert scheduled().trace.as_python() == scheduled().trace.as_python()
    tiles = set()
    for seed in range(20):
        sch = tir.Schedule(matmul(), seed=seed)
        tiles.add(tuple(sch.sample_perfect_tile(sch.get_loops("C")[0], 3, 4)))
    assert len(tiles) > 3
    assert all(a * b * c == 16 and c <= 4 for a, b, c in tiles)


def test_a_sampled_number_is_a_number():
    sch = tir.Schedule(matmul(), seed=0)
    chosen = sch.sample_categorical([3, 5], [0.0, 1.0])
    assert (chosen, chosen + 1, repr(chosen), sch.get(chosen)) == (5, 6, "5", 5)
    i, _, _ = sch.get_loops("C")
    sch.split(i, factors=[None, chosen - 1])  # arithmetic gives a plain number
    assert "factors=[None, 4]" in sch.trace.as_python()


def test_partitioned_tiles():
    for seed in range(10):
        sch = tir.Schedule(matmul(24), seed=seed)
        tile = sch.sample_partitioned_tile(sch.get_loops("C")[0], 3, 1, 6)
        assert tile[0] * tile[1] * tile[2] == 24
        assert tile[1] * tile[2] % 6 == 0
    sch = tir.Schedule(matmul(16))
    assert sch.sample_partitioned_tile(sch.get_loops("C")[0], 3, 1, 6) == [16, 1, 1]


def test_compute_locations():
    seen = set()
    for seed in range(30):
        sch = tir.Schedule(matmul(), seed=seed)
        block = sch.get_block("T")
        place = sch.sample_compute_location(block)
        sch.compute_at(block, place)
        seen.add(sch.trace.insts[1].decision)
        again = tir.Schedule(matmul())
        sch.trace.apply_to(again)
        assert str(again.mod) == str(sch.mod)
    assert {-2, -1, 0} <= seen
    sch = tir.Schedule(matmul())
    place = sch.sample_compute_location("T", decision=-1)
    with pytest.raises(ScheduleError, match="KC3708.*root is a place to compute at, not a loop"):
        sch.unroll(place)


WRONG_SAMPLES = {
    "KC3730": lambda sch, i: sch.sample_categorical([1, 2], [0.5, 0.4]),
    "KC3731": lambda sch, i: sch.sample_perfect_tile(i, 2, decision=[3, 4]),
    "KC3732": lambda sch, i: sch.sample_perfect_tile(sch.get_loop("z", "g"), 2),
    "KC3733": lambda sch, i: sch.sample_perfect_tile(i, 0),
}


@pytest.mark.parametrize("step", ["sample_perfect_tile", "sample_partitioned_tile"])
def test_a_tile_has_no_more_factors_than_an_extent_can_have(step: str):
    sch = tir.Schedule(matmul())
    (loop, *_) = sch.get_loops(sch.get_block("T"))
    with pytest.raises(ScheduleError) as caught:
        getattr(sch, step)(loop, 2**31)
    assert caught.value.render().splitlines()[0::2] == [
        f"error[KC3733]: {step}: 2147483648 factors",
        "  why: a tile has 1 to 63 factors: no extent has more factors other than 1",
    ]
    assert len(getattr(sch, step)(loop, 63)) == 63


@pytest.mark.parametrize("code", WRONG_SAMPLES)
def test_wrong_samples(code: str):
    symbolic = (
        "func.func @g(%n: index, %A: memref<?xf32>) {\n  %x = arith.constant 1.0 : f32\n"
        "  tir.for %z in %n {\n    tir.store %x, %A[%z] : memref<?xf32>\n  }\n  func.return\n}\n"
    )
    sch = tir.Schedule(kc.IRModule.parse(MATMUL.format(n=16) + symbolic))
    with pytest.raises(ScheduleError) as caught:
        WRONG_SAMPLES[code](sch, sch.get_loops(sch.get_block("C", "f"))[0])
    assert caught.value.code == code
    assert "sample" not in sch.trace.as_python()


def test_legal_choices():
    sch = tir.Schedule(matmul())
    block = sch.get_block("T")
    choices = sch.legal("compute_at", block=block)
    assert [repr(choice) for choice in choices] == [
        "compute_at(block=T, loop=i)",
        "compute_at(block=T, loop=j)",
        "compute_at(block=T, loop=k)",
    ]
    choices[1]()
    assert [loop.name for loop in sch.get_loops(block)][:2] == ["i", "j"]
    assert [instruction.kind for instruction in sch.trace][1:3] == [
        "get_block",
        "get_loops",
    ]  # of j
    again = tir.Schedule(matmul())
    Trace.from_python(sch.trace.as_python()).apply_to(again)
    assert str(again.mod) == str(sch.mod)
    i, _, _ = sch.get_loops("C")
    assert {choice.method for choice in sch.legal("split", loop=i)} == {"split"}
    pairs = [choice.arguments["loops"] for choice in sch.legal("reorder")]
    assert pairs
    with pytest.raises(ScheduleError, match="KC3701.*legal: compute_at has no argument 'blok'"):
        sch.legal("compute_at", blok=block)


def test_instructions_have_tvms_fields():
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    (loop,) = sch.get_loops("B")
    sch.split(loop, factors=[None, 4])
    _, get_loops, split = sch.trace.insts
    assert (get_loops.kind, get_loops.kind.name, get_loops.kind.is_pure) == (
        "get_loops",
        "GetLoops",
        True,
    )
    assert (split.inputs, split.attrs) == ([loop], [[None, 4]])
    trace = Trace(sch.trace.insts[:2])
    trace.append(split)
    again = tir.Schedule(te.create_prim_func([A, B]))
    trace.apply_to_schedule(again)
    kc.ir.assert_structural_equal(again.mod, sch.mod)
    assert (trace.pop(), trace.pop(), len(trace), Trace().pop()) == (split, get_loops, 1, None)


def test_a_trace_is_performed_on_a_schedule_or_a_module():
    with pytest.raises(ScheduleError, match=r"apply_to: target is a schedule or a module, not 3"):
        Trace().apply_to(3)


def test_instructions_made_of_tvms_inputs_and_attributes():
    block, loop, outer, inner = tir.BlockRV(), tir.LoopRV(), tir.LoopRV(), tir.LoopRV()
    kinds = map(InstructionKind.get, ("GetBlock", "GetLoops", "Split", "Annotate", "EnterPostproc"))
    get_block, get_loops, split, annotate, enter = kinds
    trace = Trace(
        [
            Instruction(get_block, [], ["B", "main"], [block]),
            Instruction(get_loops, [block], [], [loop]),
            Instruction(split, [loop, None, tir.const(4)], [True], [outer, inner]),
            Instruction(annotate, [block, "value"], ["key"], []),
            Instruction(enter, [], [], []),
        ]
    )
    assert [str(inst) for inst in trace] == [
        '_ = sch.get_block(name="B", func_name="main")',
        "[_] = sch.get_loops(block=_)",
        "_, _ = sch.split(loop=_, factors=[None, 4], preserve_unit_iters=True)",
        'sch.annotate(block_or_loop=_, ann_key="key", ann_val="value")',
        "sch.enter_postproc()",
    ]
    assert not enter.is_pure
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    trace.apply_to_schedule(sch)
    assert [sch.get(loop).static_extent for loop in sch.get_loops("B")] == [4, 4]


def test_tensor_intrinsics_by_tvms_names():
    x86, cuda = (
        importlib.import_module(f"kc.tir.tensor_intrin.{name}") for name in ("x86", "cuda")
    )
    assert tir.TensorIntrin.get(x86.VNNI_DOT_16x4_INTRIN).name == "avx512_vnni_dot_16x4"
    assert cuda.WMMA_LOAD_16x16x16_F16_A_INTRIN == "wmma_load_16x16x16_f16_a_shared"
    group = cuda.get_wmma_intrin_group("shared.dyn", "global", "float16", "float32", trans_b=True)
    assert {role: tir.TensorIntrin.get(name).name for role, name in group.items()} == group
    with pytest.raises(AttributeError, match="unknown tensor intrinsic WMMA_LOAD_8x8x8_INTRIN"):
        cuda.WMMA_LOAD_8x8x8_INTRIN  # noqa: B018


def test_modules_inside_of_tvms_packages():
    testing = importlib.import_module("kc.tir.schedule.testing")
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    first, second = te.create_prim_func([A, B]), te.create_prim_func([A, B])
    sch = tir.Schedule(first)
    sch.split(sch.get_loops("B")[0], factors=[None, 4])
    assert sch.mod["main"].name == testing.verify_trace_roundtrip(sch, second).mod["main"].name
    named = kc.IRModule({"f": first})
    testing.assert_structural_equal_ignore_global_symbol(named["f"], second)
    with pytest.raises(ValueError, match="the modules differ in @f"):
        testing.assert_structural_equal_ignore_global_symbol(named, sch.mod)
    same = {
        "kc.tir.schedule.trace": kc.tir.schedule,
        "kc.te.operation": te,
        "kc.ir.transform": kc.transform,
        "kc.driver.build_module": kc.driver,
        "kc.tir.expr": tir,
    }
    for name, module in same.items():
        assert importlib.import_module(name) is module
    assert importlib.import_module("kc.runtime.ndarray").array is kc.nd.array
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("kc.tir.schedule.nothing")
