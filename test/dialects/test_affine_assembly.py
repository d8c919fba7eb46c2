"""Affine expressions and conditions mean the same after printing and parsing."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from kc.dialects import tir
from kc.support.ir_text import parse_module, print_module
from kc.support.registry import context

SEEDS = st.integers(0, 2**32 - 1)


def expression(random: Random, depth: int) -> AffineExpr:
    if depth == 0 or random.random() < 0.2:
        if random.random() < 0.3:
            constant = random.choice((0, 1, -1, 2, -7, 2**20, -(2**24)))
            return AffineExpr.constant(constant)
        return AffineExpr.dimension(random.randrange(3))
    lhs = expression(random, depth - 1)
    kind = random.choice(("add", "add", "sub", "mul", "floordiv", "ceildiv", "mod"))
    if kind == "add":
        return lhs + expression(random, depth - 1)
    if kind == "sub":
        return lhs - expression(random, depth - 1)
    by = random.choice((1, 2, 3, 8, 2**9))  # products of four stay below 64 bits
    if kind == "mul":
        factor = random.choice((by, -by, 0))
        return lhs * factor if random.random() < 0.7 else AffineExpr.constant(factor) * lhs
    return {"floordiv": lhs // by, "ceildiv": lhs.ceil_div(by), "mod": lhs % by}[kind]


def value(expr: AffineExpr, point: list[int]) -> int:
    return expr.eval(point, [])


def read_back(op: tir.ApplyOp | tir.IfOp, generic: bool) -> tir.ApplyOp | tir.IfOp:
    """``op`` after printing and parsing; it uses the arguments of a function."""
    text = print_module(module_of(op), generic=generic)
    module = parse_module(text, "printed.mlir", context())
    module.verify()
    if not generic:
        # xDSL folds constants as it reads; after that nothing changes any more.
        again = print_module(module)
        assert print_module(parse_module(again, "again.mlir", context())) == again
    return next(candidate for candidate in module.walk() if isinstance(candidate, type(op)))


EMPTY = "func.func @f(%a: index, %b: index, %c: index) { func.return }"


def module_of(op: tir.ApplyOp | tir.IfOp):
    module = parse_module(EMPTY, "empty.mlir", context())
    (function,) = module.body.ops
    block = function.regions[0].block
    op.operands = block.args
    assert block.first_op is not None
    block.insert_op_before(op, block.first_op)
    return module


def points(random: Random, operands: object, count: int = 8):
    """Values of the three arguments, and in the order in which an op has them."""
    order = ["abc".index(operand.name_hint) for operand in operands]  # pyright: ignore
    for _ in range(count):
        point = [random.choice((0, 1, 2, 5, 31, 2**35)) for _ in range(3)]
        yield point, [point[n] for n in order]


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@given(SEEDS)
def test_expressions(generic: bool, seed: int):
    random = Random(seed)
    expr = expression(random, random.randint(0, 4))
    args = parse_module(EMPTY, "e.mlir", context()).body.block.first_op
    assert args is not None
    again = read_back(tir.ApplyOp(expr, args.regions[0].block.args), generic)
    assert isinstance(again, tir.ApplyOp)
    for point, mine in points(random, again.operands):
        assert again.expr is not None
        assert value(again.expr, mine) == value(expr, point)


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@given(SEEDS)
def test_extremes(generic: bool, seed: int):
    """``max(min(a, b), c)`` is the same after it was printed and read."""
    random = Random(seed)
    groups = [
        [expression(random, random.randint(0, 2)) for _ in range(random.randint(1, 3))]
        for _ in range(random.randint(2, 3))
    ]
    args = parse_module(EMPTY, "e.mlir", context()).body.block.first_op
    assert args is not None
    outer, inner = random.choice(((min, max), (max, min)))
    op = tir.ApplyOp.of_groups(outer.__name__, groups, args.regions[0].block.args)  # pyright: ignore
    again = read_back(op, generic)
    assert isinstance(again, tir.ApplyOp)
    for point, mine in points(random, again.operands):
        expected = outer(inner(value(expr, point) for expr in group) for group in groups)
        assert again.evaluated(again.map.data.eval(mine, [])) == expected


def holds(condition: AffineSet, point: list[int]) -> bool:
    compare = {
        AffineConstraintKind.eq: lambda a, b: a == b,
        AffineConstraintKind.ge: lambda a, b: a >= b,
        AffineConstraintKind.le: lambda a, b: a <= b,
    }
    return all(
        compare[constraint.kind](value(constraint.lhs, point), value(constraint.rhs, point))
        for constraint in condition.constraints
    )


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@given(SEEDS)
def test_conditions(generic: bool, seed: int):
    random = Random(seed)
    constraints = tuple(
        AffineConstraintExpr(
            random.choice(list(AffineConstraintKind)),
            expression(random, random.randint(0, 3)),
            random.choice((AffineExpr.constant(0), expression(random, 1))),
            canonicalize=random.random() < 0.5,
        )
        for _ in range(random.randint(1, 3))
    )
    condition = AffineSet(3, 0, constraints)
    args = parse_module(EMPTY, "e.mlir", context()).body.block.first_op
    assert args is not None
    op = tir.IfOp(condition, args.regions[0].block.args, body())
    again = read_back(op, generic)
    assert isinstance(again, tir.IfOp)
    for point, mine in points(random, again.operands):
        assert holds(again.condition.data, mine) == holds(condition, point)


def body():
    from xdsl.ir import Block, Region

    return Region(Block())


def test_a_map_of_several_results_shares_its_operands():
    text = """
      func.func @f(%A: memref<9x9xf32>, %i: index, %j: index) {
        %x = tir.load %A[%j * 2 + %i, %i] : memref<9x9xf32>
        func.return
      }"""
    module = parse_module(text, "m.mlir", context())
    load = next(op for op in module.walk() if isinstance(op, tir.LoadOp))
    d0, d1 = AffineExpr.dimension(0), AffineExpr.dimension(1)
    assert load.indices.data == AffineMap(2, 0, (d0 * 2 + d1, d1))
    assert [operand.name_hint for operand in load.operands_of_map] == ["j", "i"]


def test_one_result_of_several():
    """``%d#1`` is a result of an op whose results have one name."""
    text = """
      func.func @f(%A: memref<9xf32>, %i: index, %n: index) {
        %d:2 = tir.delinearize %i by [%n, %n]
        %x = tir.load %A[%d#1 + %d#0 * 2] : memref<9xf32>
        func.return
      }"""
    module = parse_module(text, "m.mlir", context())
    load = next(op for op in module.walk() if isinstance(op, tir.LoadOp))
    split = next(op for op in module.walk() if isinstance(op, tir.DelinearizeOp))
    assert list(load.operands_of_map) == [split.indices[1], split.indices[0]]
