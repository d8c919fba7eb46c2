"""The place of the init of a reduction, and its correctness there."""

from __future__ import annotations

import numpy as np
import pytest
from lowering_support import check_all_stages, lower, lowered, outputs, parse, text_of

import kc
from kc.analysis.interpreter import run
from kc.transforms.tir.blocks.lower_init_block import LowerInitBlockPass

HEAD = "func.func @f(%A: memref<8x12xf32>, %S: memref<8xf32>, %T: memref<8xf32>) {"
BODY = """init {{
    %z = arith.constant 0.0 : f32
    tir.store %z, %{out}[%vi] : memref<8xf32>
  }} do {{
    %a = tir.load %A[%vi, %vk] : memref<8x12xf32>
    %s = tir.load %{out}[%vi] : memref<8xf32>
    %t = arith.addf %s, %a : f32
    tir.store %t, %{out}[%vi] : memref<8xf32>
  }}
"""


def reduction(name: str, vi: str, vk: str, where: str = "", out: str = "S") -> str:
    """A block that sums the rows of A."""
    condition = f"where ({where})" if where else ""
    return (
        f'tir.block "{name}" (spatial %vi in 8 = {vi}, reduce %vk in 12 = {vk}) {condition} '
        + BODY.format(out=out)
    )


def program(loops: str) -> str:
    return f"{HEAD}\n{loops}\nfunc.return\n}}"


def arrays() -> list[np.ndarray]:
    values = np.random.default_rng(0).integers(-9, 9, (8, 12)).astype(np.float32)
    garbage = np.full(8, 77, np.float32)
    return [values, garbage, garbage.copy()]


def init_text(text: str) -> str:
    return lowered(text, LowerInitBlockPass())


ROWS = "tir.for %i in 8 {{ tir.for %k in 12 {{ {} }} }}"
COLUMNS = "tir.for %k in 12 {{ tir.for %i in 8 vectorized {{ {} }} }}"


@pytest.mark.parametrize("nest", [ROWS, COLUMNS])
def test_sums(nest):
    text = program(nest.format(reduction("S", "%i", "%k")))
    module = parse(text)
    lower(module, [LowerInitBlockPass()])
    a, s, _ = outputs(module, arrays())
    np.testing.assert_array_equal(s, a.sum(1))
    assert "tir.if" not in text_of(module)
    check_all_stages(text, arrays())


def test_loops_inside_the_reduction_are_copied_with_their_kind():
    text = init_text(program(COLUMNS.format(reduction("S", "%i", "%k"))))
    assert "tir.for %i_init in 8 vectorized" in text
    assert text.index("S_init") < text.index("tir.for %k in 12")


@pytest.mark.parametrize(
    ("loops", "condition"),
    [
        # The iterations of the fused loop in which the reduction starts.
        (
            f"tir.for %f in 96 {{ {reduction('S', '%f floordiv 12', '%f mod 12')} }}",
            "where (%f_init mod 12 == 0)",
        ),
        (
            "tir.for %f in 48 { tir.for %k in 2 { "
            + reduction("S", "%f floordiv 6", "%f mod 6 * 2 + %k")
            + "} }",
            "where (%f_init mod 6 == 0)",
        ),
        # Reduction loops split and fused again start where they are 0.
        (
            "tir.for %i in 8 { tir.for %f in 12 { "
            + reduction("S", "%i", "(%f floordiv 3) * 3 + %f mod 3")
            + "} }",
            "= %i) do",
        ),
        (
            "tir.for %i in 8 { tir.for %o in 3 { tir.for %p in 5 { "
            + reduction("S", "%i", "%o * 5 + %p", "%o * 5 + %p < 12")
            + "} } }",
            "= %i) do",
        ),
    ],
)
def test_it_runs_in_the_instances_whose_reduce_variables_are_0(loops, condition):
    text = init_text(program(loops))
    assert condition in text
    assert "tir.if" not in text
    check_all_stages(program(loops), arrays())


def test_a_predicate_on_spatial_variables_guards_the_init():
    loops = (
        "tir.for %k in 12 { tir.for %o in 3 { tir.for %p in 3 { "
        + reduction("S", "%o * 3 + %p", "%k", "%o * 3 + %p < 8")
        + "} } }"
    )
    assert "where (%o_init * 3 + %p_init < 8) do" in init_text(program(loops))
    check_all_stages(program(loops), arrays())


def test_an_init_that_no_instance_runs_goes():
    text = init_text(program(ROWS.format(reduction("S", "%i", "%k + 1", "%k + 1 < 12"))))
    assert "init" not in text.split("tir.for")[1]
    assert "S_init" not in text
    assert "arith.constant" not in text


@pytest.mark.parametrize(
    "loops",
    [
        # Another statement between reads what the init writes.
        "tir.for %k in 12 { tir.for %j in 8 { "
        'tir.block "R" (spatial %vj in 8 = %j) do { '
        "%x = tir.load %S[%vj] : memref<8xf32> tir.store %x, %T[%vj] : memref<8xf32> } } "
        f"tir.for %i in 8 {{ {reduction('S', '%i', '%k')} }} }}",
        # An iteration is repeated: each time the init runs again.
        "tir.for %i in 8 { tir.for %k in 12 { tir.for %r in 2 { "
        + reduction("S", "%i", "%k")
        + "} } }",
        # Two reductions into one buffer.
        "tir.for %k in 12 { tir.for %i in 8 { "
        + reduction("S", "%i", "%k")
        + reduction("S2", "%i", "%k")
        + "} }",
    ],
)
def test_it_stays_where_moving_it_could_change_something(loops):
    text = init_text(program(loops))
    assert "tir.if (%vk == 0) {" in text
    assert "_init" not in text
    check_all_stages(program(loops), [np.ones((8, 12), np.float32), *arrays()[1:]])


def test_each_of_several_reductions_has_its_init():
    loops = (
        "tir.for %k in 12 { tir.for %i in 8 { "
        + reduction("S", "%i", "%k")
        + reduction("S", "%i", "%k", out="T")
        + "} }"
    )
    text = init_text(program(loops))
    assert '"S_init"' in text
    assert '"S_init_1"' in text
    module = parse(program(loops))
    lower(module, [LowerInitBlockPass()])
    a, s, t = outputs(module, arrays())
    np.testing.assert_array_equal(s, a.sum(1))
    np.testing.assert_array_equal(t, a.sum(1))


SYMBOLIC = """
func.func @f(%A: memref<?x?x?xf32> {kc.shape = affine_map<()[s0, s1, s2] -> (s0, s1, s2)>},
             %S: memref<?xf32> {kc.shape = affine_map<()[s0, s1, s2] -> (s0)>})
    attributes {kc.symbols = ["n", "k", "l"]} {
  %n = tir.symbol "n"
  %k = tir.symbol "k"
  %l = tir.symbol "l"
  %kl = arith.muli %k, %l : index
  %o = tir.apply (%kl ceildiv 4)
  tir.for %x in %o {
    tir.for %y in 4 {
      %f = tir.apply (%x * 4 + %y)
      %p, %q = tir.delinearize %f by [%k, %l]
      tir.for %i in %n {
        tir.block "S" (spatial %vi in %n = %i, reduce %vk in %k = %p, reduce %vl in %l = %q)
            where (%x * 4 + %y < %kl) init {
          %z = arith.constant 0.0 : f32
          tir.store %z, %S[%vi] : memref<?xf32>
        } do {
          %a = tir.load %A[%vi, %vk, %vl] : memref<?x?x?xf32>
          %s = tir.load %S[%vi] : memref<?xf32>
          %t = arith.addf %s, %a : f32
          tir.store %t, %S[%vi] : memref<?xf32>
        }
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("shape", [(3, 2, 5), (1, 4, 4), (0, 3, 3), (4, 0, 3), (4, 3, 0)])
def test_symbolic_sizes_and_empty_reductions(shape):
    module = parse(SYMBOLIC)
    lower(module, [LowerInitBlockPass()])
    assert "tir.if" not in text_of(module)
    values = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)
    got = outputs(module, [values, np.full(shape[0], 77, np.float32)])[1]
    # The sum of nothing is 0 too.
    np.testing.assert_array_equal(got, values.sum((1, 2)))


@pytest.mark.parametrize("length", ["0", "%n"])
def test_what_is_over_nothing_stores_no_more_than_its_own(length):
    """Another block has the other elements of the buffer."""
    empty = (
        f'tir.block "Z" (spatial %vi in 8 = %i + 5, reduce %vk in {length} = %k) where (%i < 2) '
        + BODY.format(out="S")
    )
    text = program(
        "%none = arith.constant 0 : index\n%n = arith.addi %none, %none : index\n"
        + ROWS.format(reduction("S", "%i", "%k")).replace("tir.for %i in 8", "tir.for %i in 5")
        + f"tir.for %i in 3 {{ tir.for %k in {length} {{ {empty} }} }}"
    )
    values, garbage, _ = arrays()
    module = parse(text)
    lower(module, [LowerInitBlockPass()])
    _, s, _ = outputs(module, arrays())
    np.testing.assert_array_equal(s, [*values.sum(1)[:5], 0, 0, garbage[7]])
    check_all_stages(text, arrays())


@pytest.mark.parametrize("sign", ["%i - 5 >= 0", "4 - %i >= 0"])
def test_what_is_over_nothing_under_a_condition(sign):
    empty = 'tir.block "Z" (spatial %vi in 8 = %i, reduce %vk in 0 = %k) ' + BODY.format(out="S")
    branches = f"{{ {empty} }}" if sign.startswith("%") else f"{{ }} else {{ {empty} }}"
    text = program(f"tir.for %k in 0 {{ tir.for %i in 8 {{ tir.if ({sign}) {branches} }} }}")
    module = parse(text)
    lower(module, [LowerInitBlockPass()])
    _, s, _ = outputs(module, arrays())
    np.testing.assert_array_equal(s, [77] * 5 + [0] * 3)
    check_all_stages(text, arrays())


def test_rows_without_a_term_stay_what_they_are():
    """The loop of the reduction has no iteration for some rows, though the reduction is long."""
    text = program(
        "tir.for %i in 8 { %e = tir.apply (%i - 2) tir.for %k in %e { "
        + reduction("S", "%i", "%k")
        + "} }"
    )
    values, garbage, _ = arrays()
    module = parse(text)
    lower(module, [LowerInitBlockPass()])
    assert "S_init" in text_of(module)
    _, s, _ = outputs(module, arrays())
    sums = [values[i, : i - 2].sum() for i in range(3, 8)]
    np.testing.assert_array_equal(s, [*garbage[:3], *sums])
    check_all_stages(text, arrays())


@pytest.mark.parametrize("size", [0, 1, 7])
def test_the_memory_of_threads_is_initialised_in_the_kernel(size: int):
    """If no loop counts the elements alone, all elements are initialised each time: memory of
    threads does not exist in front of the kernel.
    """
    text = """
func.func @f(%A: memref<6x?xi32> {kc.shape = affine_map<()[n] -> (6, n)>},
             %C: memref<6xi32> {kc.role = "out"}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %steps = tir.apply (%n ceildiv 4)
  %S = tir.alloc "S" : memref<6xi32, "local">
  tir.for %t in 2 thread "threadIdx.x" {
    tir.for %o in %steps {
      tir.for %f in 12 {
        tir.block "S" (spatial %v in 6 = %t * 3 + %f floordiv 4,
                       reduce %vk in %n = %o * 4 + %f mod 4)
            where (%o * 4 + %f mod 4 < %n) init {
          %b = arith.constant -100 : i32
          tir.store %b, %S[%v] : memref<6xi32, "local">
        } do {
          %a = tir.load %A[%v, %vk] : memref<6x?xi32>
          %s = tir.load %S[%v] : memref<6xi32, "local">
          %m = arith.maxsi %s, %a : i32
          tir.store %m, %S[%v] : memref<6xi32, "local">
        }
      }
    }
    tir.for %i in 3 {
      tir.block "C" (spatial %v in 6 = %t * 3 + %i) do {
        %s = tir.load %S[%v] : memref<6xi32, "local">
        tir.store %s, %C[%v] : memref<6xi32>
      }
    }
  }
  func.return
}
"""
    a = np.random.default_rng(0).integers(-9, 9, (6, size)).astype(np.int32)
    module = kc.IRModule.parse(text)
    results = [np.zeros(6, np.int32) for _ in range(2)]
    run(module.op, "f", [a, results[0]])
    kc.build(module, target="cuda-emu")(a, results[1])
    for result in results:
        np.testing.assert_array_equal(result, a.max(axis=1, initial=-100))


PART = """
func.func @f(%A: memref<?xf32> {{kc.shape = affine_map<()[s0] -> (s0)>}}, %S: memref<1xf32>)
    attributes {{kc.symbols = ["n"]}} {{
  %n = tir.symbol "n"
{part}
  tir.for %i in 1 {{
    tir.for %k in {extent} {{
      tir.block "S" (spatial %vi in 1 = %i, reduce %vk in %n = %k) init {{
        %z = arith.constant 0.0 : f32
        tir.store %z, %S[%vi] : memref<1xf32>
      }} do {{
        %a = tir.load %A[%vk] : memref<?xf32>
        %s = tir.load %S[%vi] : memref<1xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%vi] : memref<1xf32>
      }}
    }}
  }}
  func.return
}}
"""


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize(
    ("part", "extent", "terms"),
    [
        ("%part = tir.apply max(%n - 3, 0)", "%part", lambda n: max(n - 3, 0)),
        ("%part = tir.apply (%n floordiv 2)", "%part", lambda n: n // 2),
        ("%part = tir.apply ((%n + 1) floordiv 2)", "%part", lambda n: (n + 1) // 2),
        ("", "0", lambda _: 0),
    ],
)
def test_a_loop_over_part_of_a_reduction_has_no_init_where_only_this_loop_is_empty(
    n, part, extent, terms
):
    text = PART.format(part=part, extent=extent)
    values, result = np.arange(1, n + 1, dtype=np.float32), np.full(1, 77, np.float32)
    is_initialised = n == 0 or terms(n) > 0
    total = values[: terms(n)].sum() if is_initialised else 77
    module = parse(text)
    assert outputs(module, [values, result])[1] == total
    lower(module, [LowerInitBlockPass()])
    assert outputs(module, [values, result])[1] == total
    check_all_stages(text, [values, result])


SKEWED = """
func.func @f(%A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>},
             %S: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s1)>})
    attributes {kc.symbols = ["m", "n"]} {
  %m = tir.symbol "m"
  %n = tir.symbol "n"
  %steps = tir.apply (%n + %m - 1)
  tir.for %k in %m {
    tir.for %s in %steps {
      tir.block "S" (spatial %vi in %n = %s - %k, reduce %vk in %m = %k)
          where (%k < %s + 1, %s < %n + %k) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %S[%vi] : memref<?xf32>
      } do {
        %a = tir.load %A[%vk, %vi] : memref<?x?xf32>
        %s_1 = tir.load %S[%vi] : memref<?xf32>
        %t = arith.addf %s_1, %a : f32
        tir.store %t, %S[%vi] : memref<?xf32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("shape", [(0, 1), (0, 4), (1, 4), (3, 4), (3, 0), (0, 0)])
def test_a_skewed_loop_has_fewer_iterations_than_elements_where_there_are_no_terms(shape):
    values = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    arguments = [values, np.full(shape[1], 77, np.float32)]
    module = parse(SKEWED)
    np.testing.assert_array_equal(outputs(module, arguments)[1], values.sum(0))
    lower(module, [LowerInitBlockPass()])
    np.testing.assert_array_equal(outputs(module, arguments)[1], values.sum(0))
    check_all_stages(SKEWED, arguments)
    longer = SKEWED.replace("(%n + %m - 1)", "(%n + %m)")  # n iterations where m is 0
    assert "tir.if" in init_text(SKEWED)
    assert "tir.if" not in init_text(longer)
    check_all_stages(longer, arguments)
