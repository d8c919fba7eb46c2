"""Index values as affine expressions of roots, and what follows from facts about them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interpreter_support import parse
from xdsl.dialects.func import FuncOp
from xdsl.ir.affine import AffineConstraintKind, AffineExpr

from kc.analysis.affine.index_facts import determined, forced_to_zero, in_range
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.captures import captured_values
from kc.dialects.affine_assembly import affine_text
from kc.dialects.tir import BlockOp, ForOp


def function(text: str) -> FuncOp:
    (op,) = parse(text).body.ops
    assert isinstance(op, FuncOp)
    return op


def value(root: FuncOp, name: str):
    for op in root.walk():
        for candidate in (
            *op.results,
            *(arg for region in op.regions for arg in region.block.args),
        ):
            if candidate.name_hint == name:
                return candidate
    raise KeyError(name)


BODY = """
func.func @f(%n: index {{kc.symbol = "n"}}, %m: index) {{
  %c4 = arith.constant 4 : index
  tir.for %i in 8 {{
    tir.for %j in %n {{
      {ops}
    }}
  }}
  func.return
}}
"""


@pytest.mark.parametrize(
    ("ops", "expected", "bounds"),
    [
        ("%x = tir.apply (%i * 2 + 1)", "i * 2 + 1", (1, 15)),
        ("%y = tir.apply (%i * 4) %x = tir.apply (%y floordiv 8)", "i floordiv 2", (0, 3)),
        ("%x = arith.muli %i, %c4 : index", "i * 4", (0, 28)),
        ("%y = arith.subi %i, %c4 : index %x = arith.addi %y, %m : index", "i + m - 4", None),
        ("%x = arith.muli %j, %i : index", "x", (0, None)),
        ("%x = arith.muli %j, %m : index", "x", (None, None)),
        ("%x = tir.linearize [%j, %i] by [%n, %c4]", "j * 4 + i", (0, None)),
        ("%x = tir.linearize [%i, %j] by [%c4, %n]", "x", (0, None)),
        ("%x, %y = tir.delinearize %j by [%n, %c4]", "j floordiv 4", (0, None)),
        ("%y, %x = tir.delinearize %j by [%n, %c4]", "j mod 4", (0, 3)),
        ("%y, %x = tir.delinearize %j by [%c4, %n]", "x", (0, None)),
        ("%y, %x = tir.delinearize %m by [%c4, %n]", "x", (None, None)),
    ],
)
def test_expressions(ops, expected, bounds):
    root = function(BODY.format(ops=ops))
    index = IndexValues()
    expr = index.expr(value(root, "x"))

    def name(dim: int) -> str:
        root = index.roots[dim]
        assert root is not None
        return root.name_hint or "?"

    assert affine_text(expr, name) == expected
    if bounds is not None:
        assert index.bounds(expr) == bounds


def test_maps_and_sets_are_over_the_roots_that_they_use():
    root = function(BODY.format(ops="%x = tir.apply (%i * 2 + %m)"))
    index = IndexValues()
    index.expr(value(root, "j"))
    affine_map, operands = index.to_map([index.expr(value(root, "x"))])
    assert [operand.name_hint for operand in operands] == ["i", "m"]
    assert str(affine_map) == "(d0, d1) -> (((d0 * 2) + d1))"


def test_captured_values():
    root = function(BODY.format(ops="%x = tir.apply (%i + %j) %y = tir.apply (%x + %m + %i)"))
    loop = value(root, "j").owner.parent_op()
    assert isinstance(loop, ForOp)
    assert [captured.name_hint for captured in captured_values(loop)] == ["n", "i", "m"]
    assert [captured.name_hint for captured in captured_values(loop.body.block)] == ["i", "m"]


def loops(extents):
    """A nest of loops, with an index of their variables."""
    text = "".join(f"tir.for %x{n} in {extent} {{\n" for n, extent in enumerate(extents))
    root = function(f"func.func @f() {{ {text} {'}' * len(extents)} func.return }}")
    variables = [op.var for op in root.walk() if isinstance(op, ForOp)]
    index = IndexValues()
    for variable in variables:
        index.expr(variable)
    return variables, index


def _exprs(count):
    dims = st.integers(0, count - 1).map(AffineExpr.dimension)
    sizes = st.sampled_from([1, 2, 3, 4, 6])
    return st.recursive(
        dims,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
            st.tuples(inner, st.integers(-2, 8)).map(lambda pair: pair[0] * pair[1]),
            st.tuples(inner, st.integers(-3, 3)).map(lambda pair: pair[0] + pair[1]),
            st.tuples(inner, sizes).map(lambda pair: pair[0] // pair[1]),
            st.tuples(inner, sizes).map(lambda pair: pair[0] % pair[1]),
        ),
        max_leaves=4,
    )


@pytest.mark.slow
@given(st.lists(st.integers(1, 6), min_size=2, max_size=3), st.data())
def test_facts_follow(extents, data):
    variables, index = loops(extents)
    exprs = data.draw(st.lists(_exprs(len(extents)), min_size=1, max_size=3))
    exprs = [index.simplify(expr) for expr in exprs]
    points = list(itertools.product(*map(range, extents)))
    seen: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for point in points:
        seen.setdefault(tuple(expr.eval(point, []) for expr in exprs), []).append(point)
    zeros = seen.get((0,) * len(exprs), [])
    known = determined(exprs, index)
    zero = forced_to_zero(exprs, index)
    for n, variable in enumerate(variables):
        if variable in known:
            assert all(len({point[n] for point in same}) == 1 for same in seen.values())
        if variable in zero:
            assert all(point[n] == 0 for point in zeros)


@pytest.mark.parametrize(
    ("extents", "exprs", "known"),
    [
        # a fused loop, split again, and one of the parts fused with another
        ((96,), lambda f: [f // 12, f % 12], {0}),
        ((96,), lambda f: [f // 12, f // 4 % 3, f % 4], {0}),
        ((12, 8), lambda o, i: [(o * 8 + i) // 12, (o * 8 + i) % 12], {0, 1}),
        ((12, 8), lambda o, i: [o * 9 + i], {0, 1}),
        ((12, 8), lambda o, i: [o * 7 + i], set()),
        ((12, 8), lambda o, i: [(o * 8 + i) // 12], set()),
        ((12, 8), lambda o, i: [o, (o + i) % 16], {0}),
    ],
)
def test_what_is_determined(extents, exprs, known):
    variables, index = loops(extents)
    given_ = [index.simplify(expr) for expr in exprs(*map(index.expr, variables))]
    assert determined(given_, index) == {variables[n] for n in known}


@pytest.mark.parametrize(
    ("expr", "zero"),
    [
        (lambda o, i: o * 8 + i, {0, 1}),
        (lambda o, i: o * -8 + i * -1, {0, 1}),
        (lambda o, i: o * 8 - i, set()),  # o = 1 and i = 8, if there are so many
        (lambda o, i: o * 8 + i + 1, set()),
        (lambda o, i: o // 2 + i, {1}),
    ],
)
def test_what_is_forced_to_zero(expr, zero):
    variables, index = loops((12, 9))
    exprs = [index.simplify(expr(*map(index.expr, variables)))]
    assert forced_to_zero(exprs, index) == {variables[n] for n in zero}


@pytest.mark.parametrize(
    ("low", "high", "bounds"),
    [
        ("%two", "%nine", (2, 8)),
        ("%two", "%n", None),
        ("%n", "%nine", None),
        ("%two", "%two", None),
    ],
)
def test_variables_of_scf_loops(low: str, high: str, bounds: tuple[int, int] | None):
    root = function(f"""func.func @f(%n: index) {{
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %nine = arith.constant 9 : index
      scf.for %i = {low} to {high} step %one {{ }}
      func.return
    }}""")
    index = IndexValues()
    assert index.bounds(index.expr(value(root, "i"))) == (bounds or (None, None))


@pytest.mark.parametrize(("most", "last"), [(5, 4), (1, None), (0, None)])
def test_the_variable_of_a_loop_with_so_many_iterations_at_most(most: int, last: int | None):
    """If a loop may have none, it is not known to be at 0."""
    root = function(f"""func.func @f(%n: index) {{
      %most = arith.constant {most} : index
      %count = arith.minsi %n, %most : index
      tir.for %i in %count {{ }}
      func.return
    }}""")
    index = IndexValues()
    assert index.bounds(index.expr(value(root, "i"))) == (0, last)


def test_symbolic_fusing_and_splitting_are_seen_through():
    root = function(
        """func.func @f(%n: index {kc.symbol = "n"}, %m: index {kc.symbol = "m"}) {
          tir.for %o in %n {
            tir.for %i in %m {
              %f = tir.linearize [%o, %i] by [%n, %m]
              %p, %q = tir.delinearize %f by [%m, %n]
              tir.block "B" (reduce %vp in %m = %p, reduce %vq in %n = %q) do { }
            }
          }
          func.return
        }"""
    )
    (block,) = (op for op in root.walk() if isinstance(op, BlockOp))
    index = IndexValues()
    exprs = [index.compose(expr, block.binding_operands) for expr in block.binding_exprs]
    both = {value(root, "o"), value(root, "i")}
    assert both <= determined(exprs, index)
    assert both <= forced_to_zero(exprs, index)
    assert not both & determined(exprs[:1], index)


def test_where_a_linearization_is_defined():
    """A loop counts to its extent; an argument may be anything."""
    root = function(
        """func.func @f(%n: index, %m: index, %k: index) {
          tir.for %i in %m {
            %f = tir.linearize [%k, %i] by [%n, %m]
          }
          func.return
        }"""
    )
    index = IndexValues()
    (condition,) = in_range([index.expr(value(root, "f"))], index)
    n, k = (index.expr(value(root, name)) for name in "nk")
    assert condition.kind is AffineConstraintKind.ge
    assert index.simplify(condition.lhs - condition.rhs - (n - k - 1)) == AffineExpr.constant(0)
