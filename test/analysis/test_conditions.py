"""Conditions computed by arith as affine ones: equal wherever they are evaluated."""

from __future__ import annotations

import itertools

import pytest
from interpreter_support import parse
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstraintKind

from kc.analysis.accesses.instances import Space
from kc.analysis.affine.conditions import conjunction
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import loops
from kc.dialects.affine_assembly import affine_text

PROGRAM = """
func.func @f(%A: memref<16xi1>, %n: index) {{
  tir.for %i in 10 {{
    tir.for %j in 6 {{
      {body}
      tir.store %c, %A[%i] : memref<16xi1>
    }}
  }}
  func.return
}}"""


def condition(body: str, holds: bool = True):
    """The conjunction as a function of i and j, or None."""
    module = parse(PROGRAM.format(body=body))
    store = next(op for op in module.walk() if op.name == "tir.store")
    index = IndexValues()
    constraints = conjunction(store.operands[0], index, holds=holds)
    if constraints is None:
        return None
    i, j = (loop.var for loop in loops(module))

    def value(x: int, y: int) -> bool:
        known: dict[SSAValue | None, int] = {i: x, j: y}
        dims = [known.get(root, 0) for root in index.roots]
        results = [(constraint.kind, constraint.lhs.eval(dims, [])) for constraint in constraints]
        return all(v == 0 if k is AffineConstraintKind.eq else v >= 0 for k, v in results)

    return value


POINTS = list(itertools.product(range(10), range(6)))


@pytest.mark.parametrize(
    ("sign", "meant"),
    [
        ("slt", lambda x, y: x < y + 2),
        ("sle", lambda x, y: x <= y + 2),
        ("sgt", lambda x, y: x > y + 2),
        ("sge", lambda x, y: x >= y + 2),
        ("eq", lambda x, y: x == y + 2),
        ("ult", lambda x, y: x < y + 2),
        ("uge", lambda x, y: x >= y + 2),
    ],
)
def test_comparisons(sign: str, meant):
    holds = condition(f"%k = tir.apply (%j + 2)\n%c = arith.cmpi {sign}, %i, %k : index")
    assert holds is not None
    assert all(holds(x, y) == meant(x, y) for x, y in POINTS)


@pytest.mark.parametrize(("sign", "meant"), [("slt", "sge"), ("sle", "sgt"), ("ne", "eq")])
def test_negations(sign: str, meant: str):
    body = "%c = arith.cmpi {}, %i, %j : index"
    negated, opposite = condition(body.format(sign), holds=False), condition(body.format(meant))
    assert negated is not None
    assert opposite is not None
    assert all(negated(x, y) == opposite(x, y) for x, y in POINTS)


def test_below_zero_is_large():
    holds = condition("%k = tir.apply (%i - 3)\n%c = arith.cmpi ult, %k, %j : index")
    assert holds is not None
    assert all(holds(x, y) == (0 <= x - 3 < y) for x, y in POINTS)


BOTH = """
%a = arith.cmpi slt, %i, %j : index
%three = arith.constant 3 : index
%b = arith.cmpi slt, %j, %three : index
"""


def test_both_and_neither():
    both = condition(BOTH + "%c = arith.andi %a, %b : i1")
    neither = condition(BOTH + "%c = arith.ori %a, %b : i1", holds=False)
    flipped = condition(
        BOTH + "%t = arith.constant true\n%o = arith.ori %a, %b : i1\n%c = arith.xori %o, %t : i1"
    )
    assert both is not None
    assert neither is not None
    assert flipped is not None
    for x, y in POINTS:
        assert both(x, y) == (x < y and y < 3)
        assert neither(x, y) == flipped(x, y) == (x >= y and y >= 3)


@pytest.mark.parametrize("constant", ["true", "false"])
def test_exclusive_or_with_a_constant(constant: str):
    compared = "%a = arith.cmpi slt, %i, %j : index"
    holds = condition(f"{compared}\n%t = arith.constant {constant}\n%c = arith.xori %a, %t : i1")
    assert holds is not None
    assert all(holds(x, y) == ((x < y) is not (constant == "true")) for x, y in POINTS)


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        (BOTH + "%c = arith.ori %a, %b : i1", True),
        (BOTH + "%c = arith.andi %a, %b : i1", False),
        ("%c = arith.cmpi ne, %i, %j : index", True),
        ("%c = arith.cmpi ult, %i, %j : index", False),
        ("%k = tir.apply (%j - 1)\n%c = arith.cmpi ult, %i, %k : index", True),
        ("%c = tir.load %A[%i] : memref<16xi1>", True),
    ],
)
def test_not_a_conjunction(body: str, holds: bool):
    assert condition(body, holds) is None


NARROW = """
%x = arith.index_cast %i : index to i{width}
%s = arith.constant {scale} : i{width}
%y = arith.muli %x, %s : i{width}
%e = arith.constant 20 : i{width}
%c = arith.cmpi slt, %y, %e : i{width}
"""


def test_narrow_integers():
    """Seen through while nothing can overflow: 9 * 13 fits into 8 bits, 9 * 15 does not."""
    holds = condition(NARROW.format(width=8, scale=13))
    assert holds is not None
    assert all(holds(x, y) == (x * 13 < 20) for x, y in POINTS)
    assert condition(NARROW.format(width=8, scale=15)) is None
    assert condition(NARROW.format(width=16, scale=15)) is not None
    least = NARROW.replace("muli", "addi").replace("constant 20", "constant -120")
    holds = condition(least.format(width=8, scale=-128))
    assert holds is not None
    assert all(holds(x, y) == (x - 128 < -120) for x, y in POINTS)
    size = "%x = arith.index_cast %n : index to {0}\n%c = arith.cmpi slt, %x, %x : {0}"
    assert condition(size.format("i32")) is None
    assert condition(size.format("i64")) is not None


BRANCH = """
func.func @f(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %i in 16 {
    %four = arith.constant 4 : index
    %c = arith.cmpi slt, %i, %four : index
    %r = scf.if %c -> (f32) {
      %x = tir.load %A[%i] : memref<16xf32>
      scf.yield %x : f32
    } else {
      %y = tir.load %B[%i] : memref<16xf32>
      scf.yield %y : f32
    }
    tir.store %r, %A[%i] : memref<16xf32>
  }
  func.return
}"""


def test_branches_are_understood():
    """A branch executes exactly the iterations that its condition says."""
    module = parse(BRANCH)
    loads = [op for op in module.walk() if op.name == "tir.load"]
    for load, inside in zip(loads, (range(4), range(4, 16)), strict=True):
        space = Space()
        instance = space.instance(load)
        assert not instance.opaque
        (dim,) = instance.loops.values()
        for n in range(16):
            assert (space.find([instance], [dim.equals(n)]) is not None) == (n in inside)


def test_text():
    module = parse(PROGRAM.format(body="%c = arith.cmpi slt, %i, %n : index"))
    store = next(op for op in module.walk() if op.name == "tir.store")
    index = IndexValues()
    constraints = conjunction(store.operands[0], index)
    assert constraints is not None
    names = [root.name_hint or "?" for root in index.roots if root is not None]
    assert [affine_text(constraint.lhs, lambda n: names[n]) for constraint in constraints] == [
        "n - i - 1"
    ]
