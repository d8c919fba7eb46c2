"""Simple nests are recognised: their loops count each value of the block's variables once."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interpreter_support import parse
from property_tests import examples

from kc.analysis.accesses.simple_nest import simple_nest
from kc.dialects.tir import ForOp, IterType
from kc.support.ir_text import parse_module
from kc.support.registry import context


def nest(extents, bindings) -> ForOp:
    """Loops ``l0``, ``l1`` ... around a block whose spatial variables have these bindings."""
    rank = len(bindings)
    names = ", ".join(f"%v{n}" for n in range(rank))
    variables = ", ".join(f"spatial %v{n} in 64 = {text}" for n, text in enumerate(bindings))
    buffer = f"memref<{'64x' * rank}f32>"
    opened = "".join(f"tir.for %l{n} in {extent} {{\n" for n, extent in enumerate(extents))
    module = parse(f"""
    func.func @main(%A: {buffer}) {{
      {opened}
      tir.block "A" ({variables}) do {{
        %0 = arith.constant 0.0 : f32
        tir.store %0, %A[{names}] : {buffer}
      }}
      {"}" * len(extents)}
      func.return
    }}""")
    (loop,) = [op for op in module.walk() if isinstance(op, ForOp) and op.label == "l0"]
    return loop


@pytest.mark.parametrize(
    ("extents", "bindings"),
    [
        ([8], ["%l0"]),
        ([2, 4], ["%l0 * 4 + %l1"]),
        ([12], ["%l0 floordiv 4", "%l0 mod 4"]),
        ([10], ["%l0 floordiv 4", "%l0 mod 4"]),
        ([24], ["%l0 floordiv 12", "(%l0 floordiv 4) mod 3", "%l0 mod 4"]),
        ([24], ["%l0 floordiv 24", "(%l0 floordiv 4) mod 6", "%l0 mod 4"]),
        ([6, 4], ["%l0 floordiv 3", "(%l0 mod 3) * 4 + %l1"]),
        ([1, 3], ["%l0", "%l1"]),
        ([8], ["%l0", "%l0 floordiv 8"]),
    ],
)
def test_loops_that_count_each_value_once_are_simple(extents, bindings):
    simple = simple_nest(nest(extents, bindings))
    assert simple is not None
    assert list(simple.drives.values()) == [IterType.SPATIAL] * len(extents)


@pytest.mark.parametrize(
    ("extents", "bindings"),
    [
        ([8], ["%l0 floordiv 2"]),
        ([8], ["%l0 mod 4"]),
        ([8], ["%l0 mod 4", "%l0 mod 4"]),
        ([24], ["%l0 floordiv 12", "%l0 mod 4"]),
        ([24], ["(%l0 floordiv 4) mod 3", "%l0 mod 4"]),
        ([4, 4], ["%l0 * 2 + %l1"]),
        ([4, 4], ["%l0"]),
    ],
)
def test_what_repeats_a_value_is_not_simple(extents, bindings):
    assert simple_nest(nest(extents, bindings)) is None


@pytest.mark.parametrize(
    ("choice", "is_simple"),
    [
        ("%x = tir.load %X[%w] : memref<8xf32>\n scf.yield %x : f32", True),
        ("%x = tir.load %A[%w] : memref<8xf32>\n scf.yield %x : f32", False),
        ("%x = func.call @g() : () -> f32\n scf.yield %x : f32", False),
        ('%x = "unknown.op"() : () -> f32\n scf.yield %x : f32', False),
        ('"unknown.op"() : () -> ()\n scf.yield %zero : f32', False),
        (
            '"unknown.op"() ({\n "unknown.end"() : () -> ()\n}) : () -> ()\n scf.yield %zero : f32',
            False,
        ),
    ],
)
def test_branches_count_as_what_is_in_them(choice, is_simple):
    """Loads in a branch count, as in a padding; an unknown operation may do anything."""
    module = parse_module(
        f"""
    func.func private @g() -> f32
    func.func @main(%A: memref<8xf32>, %X: memref<8xf32>) {{
      tir.for %i in 8 {{
        tir.block "A" (spatial %v in 8 = %i) do {{
          %zero = arith.constant 0.0 : f32
          %two = arith.constant 2 : index
          %w = arith.subi %v, %two : index
          %c = arith.cmpi sge, %v, %two : index
          %y = scf.if %c -> (f32) {{
            {choice}
          }} else {{
            scf.yield %zero : f32
          }}
          tir.store %y, %A[%v] : memref<8xf32>
        }}
      }}
      func.return
    }}""",
        name="k.mlir",
        context=context(allow_unregistered=True),
    )
    (loop,) = [op for op in module.walk() if isinstance(op, ForOp)]
    assert (simple_nest(loop) is not None) == is_simple


@st.composite
def nests(draw):
    extents = draw(st.lists(st.sampled_from([1, 2, 3, 4, 6, 12]), min_size=1, max_size=2))
    factors = st.sampled_from([1, 2, 3, 4, 6])

    def term():
        loop = f"%l{draw(st.integers(0, len(extents) - 1))}"
        shape = draw(
            st.sampled_from(
                ["{0}", "{0} floordiv {1}", "{0} mod {2}", "({0} floordiv {1}) mod {2}"]
            )
        )
        text = shape.format(loop, draw(factors), draw(factors))
        return f"({text}) * {draw(factors)}"

    terms = [
        [term() for _ in range(draw(st.integers(1, 2)))] for _ in range(draw(st.integers(1, 3)))
    ]
    return extents, [" + ".join(parts) for parts in terms]


@given(nests())
@examples(100)
def test_a_simple_nest_has_no_two_equal_instances(case):
    extents, bindings = case
    simple = simple_nest(nest(extents, bindings))
    if simple is None:
        return
    seen = set()
    for point in product(*map(range, extents)):
        names = {f"l{n}": value for n, value in enumerate(point)}
        texts = [
            text.replace("%", "").replace("floordiv", "//").replace("mod", "%") for text in bindings
        ]
        seen.add(tuple(eval(text, {}, names) for text in texts))  # affine text is Python's
    assert len(seen) == len(list(product(*map(range, extents))))
