"""Vectorized loops: which code they become, that it is right, and what is said about the others."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lowering_support import check_all_stages, lower, lowered, outputs, parse, text_of

from kc.support.deep import run_deep
from kc.support.diagnostics import CodegenError
from kc.transforms.tir.vectorize.vectorize_loop import MAX_VECTORS, VectorizeLoopPass, pieces


def vectorized(text: str, bits: int = 256) -> str:
    return lowered(text, VectorizeLoopPass(bits))


def program(body: str, args: str = "%A: memref<64xf32>, %B: memref<64xf32>") -> str:
    return f"func.func @f({args}) {{\n{body}\nfunc.return\n}}"


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)


@given(st.integers(0, 5000), st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_pieces_cover_the_extent_with_vectors_of_a_power_of_two(extent, native):
    if extent < 2:
        return
    chunks = pieces(extent, native)
    assert sum(width * count for width, count in chunks) == extent
    for width, count in chunks:
        assert width & (width - 1) == 0
        assert width <= MAX_VECTORS * native
        assert count >= 1
    scalars = sum(count for width, count in chunks if width == 1)
    assert native == 1 or scalars < native


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        (8, [(8, 1)]),
        (32, [(32, 1)]),
        (64, [(32, 2)]),
        (48, [(16, 3)]),
        (24, [(8, 3)]),
        (2, [(2, 1)]),
        (100, [(8, 12), (4, 1)]),
        (128, [(32, 4)]),
        (200, [(32, 6), (8, 1)]),
        (221, [(32, 6), (8, 3), (1, 5)]),
        (13, [(8, 1), (1, 5)]),
        (6, [(4, 1), (2, 1)]),
        (3, [(2, 1), (1, 1)]),
    ],
)
def test_pieces_for_8_lanes(extent, expected):
    assert pieces(extent, 8) == expected


COPY = """tir.for %j in {n} vectorized {{
  %a = tir.load %A[{place}] : memref<64xf32>
  %b = arith.addf %a, %a : f32
  tir.store %b, %B[{to}] : memref<64xf32>
}}"""


BACKWARD = "[7, 6, 5, 4, 3, 2, 1, 0] : vector<8xf32>, vector<8xf32>"


@pytest.mark.parametrize(
    ("n", "place", "to", "present", "absent"),
    [
        (8, "%j", "%j", ["tir.load %A[0] : memref<64xf32>, vector<8xf32>"], ["tir.for"]),
        (8, "%j + 3", "%j", ["tir.load %A[3] : memref<64xf32>, vector<8xf32>"], ["tir.for"]),
        (8, "5", "%j", ["tir.load %A[5] : memref<64xf32>\n", "vector.broadcast"], ["insert"]),
        # Elements with gaps are chosen from rows, of which the last ends with the last element.
        (8, "%j * 2", "%j", ["%A[0]", "%A[7]", "[0, 2, 4, 6, 9, 11, 13, 15]"], ["insert", "%A[8]"]),
        (8, "%j * 3 + 1", "%j", ["%A[1]", "%A[9]", "%A[15]", "vector.shuffle"], ["insert"]),
        (8, "%j * 5", "%j", ["%A[35]", "vector.insert"], ["tir.for", "shuffle"]),
        (8, "%j * -2 + 14", "%j * 3", ["vector.insert", "vector.extract", "%B[21]"], ["tir.for"]),
        # A row that goes backward is a row, and a shuffle.
        (8, "7 - %j", "%j", ["%A[0] : memref<64xf32>, vector<8xf32>", BACKWARD], ["insert"]),
        (8, "%j", "20 - %j", [BACKWARD, "%B[13] : memref<64xf32>, vector<8xf32>"], ["extract"]),
        (20, "40 - %j", "50 - %j", [BACKWARD, "%A[%j_v * -8 + 33]", "[3, 2, 1, 0]"], ["tir.if"]),
        (8, "%j mod 4", "%j", ["%A[0]", "%A[3]", "vector.insert"], ["%A[4]", "tir.if"]),
        (8, "(%j + 8) floordiv 8", "%j", ["%A[1]", "vector.broadcast"], ["insert", "tir.if"]),
        (64, "%j", "%j", ["tir.for %j_v in 2 unrolled", "%A[%j_v * 32]"], ["tir.if"]),
        (20, "%j", "%j", ["%A[%j_v * 8]", "%A[16] : memref<64xf32>, vector<4xf32>"], ["tir.if"]),
        (1, "%j", "%j", ["tir.for %j in 1 {"], ["vector"]),
        (0, "%j", "%j", ["tir.for %j in 0 {"], ["vector"]),
        # A row of 20 may end within a vector: both forms, and a check.
        (60, "%j mod 20", "%j", ["tir.if ((%j_v * 2) mod 5 < 4)", "vector<8xf32>"], []),
    ],
)
def test_loads_and_stores(n, place, to, present, absent):
    text = program(COPY.format(n=n, place=place, to=to))
    got = vectorized(text)
    for snippet in present:
        assert snippet in got
    for snippet in absent:
        assert snippet not in got
    check_all_stages(text, [floats(64), floats(64)])


@pytest.mark.parametrize("step", [2, 3, 4, 5])
@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 13, 16])
def test_elements_with_gaps(step: int, lanes: int):
    size = step * (lanes - 1) + 2  # the row ends with the last lane, and begins amid a row
    text = program(
        COPY.format(n=lanes, place=f"%j * {step} + 1", to="%j").replace("64", str(size)),
        f"%A: memref<{size}xf32>, %B: memref<{size}xf32>",
    )
    check_all_stages(text, [floats(size), floats(size)])


def test_a_loop_inside_stays_a_loop_and_uniform_values_stay_scalar():
    text = program(
        """tir.for %j in 16 vectorized {
          tir.for %k in 4 unrolled {
            %x = tir.load %A[%k] : memref<64xf32>
            %y = arith.mulf %x, %x : f32
            %b = tir.load %B[%k * 16 + %j] : memref<64xf32>
            %c = arith.addf %b, %y : f32
            tir.store %c, %B[%k * 16 + %j] : memref<64xf32>
          }
        }"""
    )
    got = vectorized(text)
    assert "tir.for %k in 4 unrolled" in got
    assert re.search(r"%y = arith.mulf %x, %x : f32\n", got)
    check_all_stages(text, [floats(64), floats(64)])


@pytest.mark.parametrize("step", [2, 3, 4])
@pytest.mark.parametrize("count", [1, 5, 8])
def test_elements_with_gaps_under_a_mask(step: int, count: int):
    """No lane beyond those of the guard is loaded: the row ends with the last of them."""
    size = step * (count - 1) + 1
    text = program(
        f"""tir.for %j in 8 vectorized {{
          tir.if (%j < {count}) {{
            %a = tir.load %A[%j * {step}] : memref<{size}xf32>
            tir.store %a, %B[%j] : memref<8xf32>
          }}
        }}""",
        f"%A: memref<{size}xf32>, %B: memref<8xf32>",
    )
    assert ("vector.maskedload" in vectorized(text)) is (count < 8)
    check_all_stages(text, [floats(size), floats(8)])


def test_a_row_that_goes_backward_under_a_mask():
    text = program(
        """tir.for %j in 8 vectorized {
          tir.if (%j * 3 < 14) {
            %a = tir.load %A[4 - %j] : memref<64xf32>
            tir.store %a, %B[10 - %j] : memref<64xf32>
          }
        }"""
    )
    assert "vector.shuffle" not in vectorized(text)
    check_all_stages(text, [floats(64), floats(64)])


MASKED = ["vector.maskedload", "vector.maskedstore"]

GUARDED = """tir.for %o in 8 {{
  tir.for %j in 8 vectorized {{
    tir.for %k in 3 {{
      %x = tir.load %A[%j] : memref<64xf32>
      tir.if ({condition}) {{
        %a = tir.load %A[%o * 8 + %j] : memref<64xf32>
        %b = arith.addf %a, %x : f32
        tir.store %b, %B[%o * 8 + %j] : memref<64xf32>
      }} else {{
        tir.store %x, %B[%o * 8 + %j] : memref<64xf32>
      }}
    }}
  }}
}}"""


@pytest.mark.parametrize(
    ("condition", "present"),
    [
        ("%o < 3", ["tir.if (%o < 3)"]),
        # Known in all lanes before the body: vector code with masks, or without.
        ("%o * 8 + %j < 50", ["tir.if (%o < 6) {", *MASKED]),
        ("%j < 64", ["vector<8xf32>"]),
        ("%j >= 9", ["vector<8xf32>"]),
        # It depends on the loop inside: checked there.
        ("%o * 8 + %j + %k < 49, %o + %k < 9", ["%k < 42", "tir.if (%o + %k < 9)", *MASKED]),
        # Never true in all lanes.
        ("%j == 3", MASKED),
        ("%j < 4", ["dense<[true, true, true, true, false, false, false, false]>", *MASKED]),
        ("%j mod 2 == 0", MASKED),
        ("6 - %j - %k >= 0", MASKED),
        ("%j * 3 - %k >= 10", MASKED),
    ],
)
def test_guards(condition, present):
    text = program(GUARDED.format(condition=condition))
    got = vectorized(text)
    for snippet in present:
        assert snippet in got
    assert "_lane" not in got
    check_all_stages(text, [floats(64), floats(64)])
    # Where masks are no instructions.
    one_by_one = vectorized(text, bits=128)
    assert "mask" not in one_by_one
    in_place = present[-1] in MASKED and "tir.if (%o < 6) {" not in present
    assert in_place == ("tir.for %j_lane" in one_by_one)
    check_all_stages(text, [floats(64), floats(64)], 128)


def test_a_guarded_sum_in_memory_is_done_lane_by_lane():
    text = program(GUARDED.format(condition="%j == 3").replace("%A[%o * 8", "%B[%o * 8"))
    got = vectorized(text)
    assert "tir.for %j_lane in 8" in got
    assert "mask" not in got
    check_all_stages(text, [floats(64), floats(64)])


def test_conversions_of_the_lane_and_bools():
    text = program(
        """tir.for %j in 10 vectorized {
          %i = arith.index_cast %j : index to i64
          %two = arith.constant 2 : i64
          %r = arith.remsi %i, %two : i64
          %one = arith.constant 1 : i64
          %odd = arith.cmpi eq, %r, %one : i64
          %f = arith.uitofp %i : i64 to f32
          %s = math.sqrt %f : f32
          %u = arith.truncf %s : f32 to f16
          %t = arith.constant true
          %m = tir.load %M[%j] : memref<10xi1>
          %x = arith.xori %m, %t : i1
          %y = arith.andi %x, %odd : i1
          tir.store %y, %M[%j] : memref<10xi1>
          tir.store %u, %H[%j] : memref<10xf16>
        }""",
        "%M: memref<10xi1>, %H: memref<10xf16>",
    )
    args = [np.array([1, 0, 0] * 3 + [1], np.bool_), np.zeros(10, np.float16)]
    check_all_stages(text, args, 128)
    module = parse(text)
    lower(module, [VectorizeLoopPass(128)])
    m, h = outputs(module, args)
    np.testing.assert_array_equal(m, ~args[0] & (np.arange(10) % 2 == 1))
    np.testing.assert_array_equal(h, np.sqrt(np.arange(10, dtype=np.float32)).astype(np.float16))


def test_indices_that_are_loaded_are_taken_lane_by_lane():
    text = program(
        """tir.for %j in 8 vectorized {
          %p = tir.load %P[%j] : memref<8xi32>
          %q = arith.index_cast %p : i32 to index
          %r = tir.apply (%q * 2 + %j)
          %a = tir.load %A[%r] : memref<64xf32>
          tir.if (%q < 3) {
            tir.store %a, %A[%q + 50] : memref<64xf32>
          }
          tir.store %a, %A[%j + 40] : memref<64xf32>
        }""",
        "%A: memref<64xf32>, %P: memref<8xi32>",
    )
    check_all_stages(text, [floats(64), np.array([3, 1, 4, 0, 5, 9, 2, 6], np.int32)])


SYMBOLIC = """
func.func @f(%A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>},
             %B: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s1)>},
             %C: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>})
    attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
  %nm = arith.muli %n, %m : index
  %o = tir.apply (%nm ceildiv 8)
  tir.for %x in %o parallel {
    tir.for %y in 8 vectorized {
      %f = tir.apply (%x * 8 + %y)
      %i, %j = tir.delinearize %f by [%n, %m]
      tir.if (%f < %nm) {
        %g = tir.linearize [%i, %j] by [%n, %m]
        %a = tir.load %A[%i, %j] : memref<?x?xf32>
        %b = tir.load %B[%j] : memref<?xf32>
        %s = arith.addf %a, %b : f32
        %t = arith.index_cast %g : index to i32
        %u = arith.sitofp %t : i32 to f32
        %v = arith.mulf %s, %u : f32
        tir.store %v, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("shape", [(3, 8), (3, 5), (1, 33), (7, 16), (0, 4), (4, 0)])
def test_a_fused_loop_of_symbolic_size(shape):
    got = vectorized(SYMBOLIC)
    assert "tir.load %A[%1, %2] : memref<?x?xf32>, vector<8xf32>" in got
    args = [floats(*shape), floats(shape[1]), floats(*shape)]
    check_all_stages(SYMBOLIC, args)
    module = parse(SYMBOLIC)
    lower(module, [VectorizeLoopPass(256)])
    number = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    np.testing.assert_array_equal(outputs(module, args)[2], (args[0] + args[1]) * number)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            """tir.for %j in 8 vectorized {
              %t = tir.alloc "t" : memref<1xf32>
              %a = tir.load %A[%j] : memref<64xf32>
              tir.store %a, %t[0] : memref<1xf32>
              %b = tir.load %t[0] : memref<1xf32>
              tir.store %b, %B[%j] : memref<64xf32>
            }""",
            "each iteration has its own buffer t",
        ),
        (
            """tir.for %j in 8 vectorized {
              tir.for %k in %j {
                %a = tir.load %A[%k] : memref<64xf32>
                tir.store %a, %B[%j] : memref<64xf32>
              }
            }""",
            "the extent of k differs from lane to lane",
        ),
        (
            """tir.for %j in 8 vectorized {
              %a = tir.load %A[%j * 8] : memref<64xf32>, vector<8xf32>
              tir.store %a, %B[%j * 8] : memref<64xf32>, vector<8xf32>
            }""",
            "it contains tir.load of vectors",
        ),
        (
            """%a = tir.load %A[0] : memref<64xf32>, vector<8xf32>
            tir.for %j in 8 vectorized {
              tir.store %a, %B[%j * 8] : memref<64xf32>, vector<8xf32>
            }""",
            "it contains tir.store of vectors",
        ),
        (
            """tir.for %j in 8 vectorized {
              %a = tir.load %A[3] : memref<64xf32>, vector<8xf32>
              %b = vector.reduction <add>, %a : vector<8xf32> into f32
              tir.store %b, %B[%j] : memref<64xf32>
            }""",
            "it contains tir.load of vectors",
        ),
    ],
)
def test_a_loop_that_cannot_be_vectorized_is_serial(body, why):
    text = program(body)
    module = parse(text)
    (warning,) = lower(module, [VectorizeLoopPass(256)])
    assert (warning.kind, warning.code, warning.why) == ("warning", "KC4211", why)
    assert warning.message == "vectorize-loop: the loop j is not vectorized and runs serially"
    assert warning.location is not None
    assert "vectorized" not in text_of(module)
    assert set(re.findall(r"vector<\w+>", text_of(module))) <= set(re.findall(r"vector<\w+>", text))
    check_all_stages(text, [floats(64), floats(64)])


def test_of_nested_vectorized_loops_the_inner_one_is_vectorized():
    text = program(
        """tir.for %i in 8 vectorized {
          tir.for %j in 8 vectorized {
            %a = tir.load %A[%i * 8 + %j] : memref<64xf32>
            tir.store %a, %B[%i * 8 + %j] : memref<64xf32>
          }
        }"""
    )
    module = parse(text)
    (warning,) = lower(module, [VectorizeLoopPass(256)])
    assert (warning.code, warning.why) == ("KC4212", "the loop j inside it is vectorized")
    assert "tir.for %i in 8 {" in text_of(module)
    assert "vector<8xf32>" in text_of(module)
    check_all_stages(text, [floats(64), floats(64)])


def test_lanes_that_write_one_element_are_refused():
    text = program(
        """tir.for %j in 8 vectorized {
          %a = tir.load %A[%j] : memref<64xf32>
          tir.store %a, %B[3] : memref<64xf32>
        }"""
    )
    with pytest.raises(CodegenError, match="all lanes of j write the same element") as caught:
        vectorized(text)
    assert caught.value.code == "KC4205"
    assert caught.value.location is not None
    assert caught.value.location.line == 4


def test_a_refusal_leaves_all_loops_as_they_were():
    refused = program(
        """tir.for %i in 12 vectorized {
          %a = tir.load %A[%i] : memref<64xf32>
          tir.store %a, %B[%i] : memref<64xf32>
        }
        tir.for %j in 8 vectorized {
          %a = tir.load %A[%j] : memref<64xf32>
          tir.store %a, %B[3] : memref<64xf32>
        }
        tir.for %k in %n vectorized {
          %a = tir.load %A[%k] : memref<64xf32>
          tir.store %a, %B[%k] : memref<64xf32>
        }
        tir.for %l in 8 vectorized {
          tir.for %m in 8 vectorized {
            tir.store %x, %B[%l * 8 + %m] : memref<64xf32>
          }
        }""",
        "%A: memref<64xf32>, %B: memref<64xf32>, %n: index, %x: f32",
    )
    module = parse(program(COPY.format(n=8, place="%j", to="%j")).replace("@f", "@g") + refused)
    functions = list(module.body.block.ops)
    before = text_of(module)
    uses = [len(list(arg.uses)) for op in functions for arg in op.regions[0].block.args]
    with pytest.raises(CodegenError, match="all lanes of j write the same element"):
        lower(module, [VectorizeLoopPass(256)])
    assert text_of(module) == before
    after = [len(list(arg.uses)) for op in functions for arg in op.regions[0].block.args]
    assert after == uses == [1, 1, 3, 4, 1, 1]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize(
    "condition",
    ["%n * 8 + %j < 1", "%j >= %n, %n >= %j", "%j == 3"],
    ids=["the first lane, if n is 0", "lane n", "lane 3"],
)
def test_a_single_lane_that_writes_an_element(condition: str, n: int):
    """A loop whose condition leaves at most one iteration has a single lane, too."""
    text = f"""
    func.func @f(%A: memref<64xf32>, %B: memref<64xf32>, %n: index) {{
      tir.for %j in 8 vectorized {{
        tir.if ({condition}) {{
          %a = tir.load %A[%j] : memref<64xf32>
          tir.store %a, %B[3] : memref<64xf32>
        }}
      }}
      func.return
    }}"""
    check_all_stages(text, [floats(64), floats(64), n])


def test_blocks_are_refused():
    text = program('tir.for %j in 8 { tir.block "C" (spatial %v in 8 = %j) do { } }')
    with pytest.raises(CodegenError, match="there is a block, C") as caught:
        vectorized(text)
    assert caught.value.code == "KC4201"


def test_without_vectors_the_loop_is_serial():
    text = program(COPY.format(n=8, place="%j", to="%j"))
    assert "tir.for %j in 8 {" in vectorized(text, bits=0)


def test_the_width_is_that_of_the_target():
    text = program(COPY.format(n=100, place="%j", to="%j"))
    assert "vector<8xf32>" in lowered(text, VectorizeLoopPass())
    module = parse(text.replace("func.func", "module attributes {} { func.func") + "}")
    lower(module, [VectorizeLoopPass(512)])
    assert "vector<16xf32>" in text_of(module)


def test_deep_nests():
    depth = 300
    loops = "".join(f"tir.for %x{n} in 1 {{\n" for n in range(depth))
    body = f"{loops}{COPY.format(n=8, place='%j', to='%j')}{'}' * depth}"
    inside = COPY.format(n=8, place="%j", to="%j").split("\n", 1)
    deep_body = f"{inside[0]}\n{loops}{inside[1].rsplit('}', 1)[0]}{'}' * depth}}}"

    def check() -> None:
        for text in (body, deep_body):
            assert "vector<8xf32>" in vectorized(program(text))

    run_deep(check, depth)
