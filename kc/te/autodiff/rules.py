"""The derivatives of scalar expressions in reverse mode: the adjoint of each element that is read.

Each rule computes an operand's adjoint from the result's adjoint (``g``), the operands and the
result. At points without a derivative it is a one-sided derivative, as in TVM: ``abs`` has the
slope 1 at 0, and of equal operands ``max`` and ``min`` choose the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from kc.expr.constructors import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Element,
    Expr,
    ExternCall,
    IfThenElse,
    SelectExpr,
    binary,
    cast,
    children,
    const,
    intrinsic,
    select,
    walk,
)
from kc.expr.dtypes import is_float
from kc.expr.intrinsics import copysign, power
from kc.expr.rewrite import Substitution
from kc.expr.tensor import Tensor
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.autodiff.reads import Read, is_of_indices, negation

Rule = Callable[[Expr, Sequence[Expr], Expr], Expr]

_exp, _log, _sqrt, _round = (intrinsic(name) for name in ("exp", "log", "sqrt", "round"))
_sin, _cos, _sinh, _cosh = (intrinsic(name) for name in ("sin", "cos", "sinh", "cosh"))


def exactly(condition: Expr) -> Expr:
    """``condition`` with operands that have the same value wherever they are computed from the same
    elements.

    The backward computation repeats conditions of the forward computation in several places. All
    must agree, although only one of them may contract a product and a sum to a single operation.
    Otherwise an adjoint would be lost, or be counted for both operands.
    """
    replaced: dict[Expr, Expr] = {
        part: replace(part, exact=True)
        for part in walk(condition)
        if isinstance(part, Compare) and is_float(part.lhs.dtype)
    }
    return Substitution(replaced)(condition) if replaced else condition


def times(a: Expr, b: Expr) -> Expr:
    """``a * b``, without factors of 1."""
    for factor, operand in ((a, b), (b, a)):
        if isinstance(factor, Const) and factor.value == 1:
            return operand
        if isinstance(factor, Const) and factor.value == -1:
            return -operand
    return binary("mul", a, b)


def _log_or_zero(x: Expr) -> Expr:
    """``log(x)``, and 0 for 0: the slope of ``0 ** y`` is 0 for positive ``y``."""
    return _log(select(exactly(x.equal(0.0)), const(1.0, x.dtype), x))


def _power(g: Expr, args: Sequence[Expr], y: Expr) -> Expr:
    del y
    x, exponent = args
    if isinstance(exponent, Const):
        constant = float(exponent.value)
        if constant == 2:
            return g * (x * 2)
        return g * (power(x, const(constant - 1, x.dtype)) * constant)
    return g * (exponent * power(x, exponent - 1))


def _remainder(g: Expr, args: Sequence[Expr], y: Expr) -> Expr:
    """The adjoint of a remainder's divisor. It uses the exact quotient, because ``a / b`` may be
    rounded to another integer.
    """
    return -(g * _round((args[0] - y) / args[1]))


_RULES: dict[str, tuple[Rule | None, ...]] = {
    # Operators
    "add": (lambda g, a, y: g, lambda g, a, y: g),
    "sub": (lambda g, a, y: g, lambda g, a, y: -g),
    "mul": (lambda g, a, y: times(g, a[1]), lambda g, a, y: times(g, a[0])),
    "div": (lambda g, a, y: g / a[1], lambda g, a, y: -(times(g, y) / a[1])),
    "max": (
        lambda g, a, y: select(exactly(a[0] >= a[1]), g, 0),
        lambda g, a, y: select(exactly(a[0] >= a[1]), 0, g),
    ),
    "min": (
        lambda g, a, y: select(exactly(a[0] <= a[1]), g, 0),
        lambda g, a, y: select(exactly(a[0] <= a[1]), 0, g),
    ),
    "floordiv": (None, None),
    "floormod": (lambda g, a, y: g, lambda g, a, y: -(g * binary("floordiv", a[0], a[1]))),
    "truncdiv": (None, None),
    "truncmod": (lambda g, a, y: g, _remainder),
    # Steps
    "ceil": (None,),
    "floor": (None,),
    "nearbyint": (None,),
    "round": (None,),
    "trunc": (None,),
    # Functions
    "abs": (lambda g, a, y: select(exactly(a[0] >= 0), g, -g),),
    "acos": (lambda g, a, y: -(g / _sqrt(1 - a[0] * a[0])),),
    "acosh": (lambda g, a, y: g / (_sqrt(a[0] - 1) * _sqrt(a[0] + 1)),),
    "asin": (lambda g, a, y: g / _sqrt(1 - a[0] * a[0]),),
    "asinh": (lambda g, a, y: g / _sqrt(a[0] * a[0] + 1),),
    "atan": (lambda g, a, y: g / (a[0] * a[0] + 1),),
    "atan2": (
        lambda g, a, y: g * a[1] / (a[0] * a[0] + a[1] * a[1]),
        lambda g, a, y: -(g * a[0] / (a[0] * a[0] + a[1] * a[1])),
    ),
    "atanh": (lambda g, a, y: g / (1 - a[0] * a[0]),),
    "copysign": (
        lambda g, a, y: (
            g * copysign(const(1.0, g.dtype), a[0]) * copysign(const(1.0, g.dtype), a[1])
        ),
        None,
    ),
    "cos": (lambda g, a, y: -(g * _sin(a[0])),),
    "cosh": (lambda g, a, y: g * _sinh(a[0]),),
    "erf": (lambda g, a, y: g * (_exp(-(a[0] * a[0])) * (2 / math.sqrt(math.pi))),),
    "exp": (lambda g, a, y: times(g, y),),
    "exp2": (lambda g, a, y: g * (y * math.log(2)),),
    "expm1": (lambda g, a, y: g * (y + 1),),
    "fmod": (lambda g, a, y: g, _remainder),
    "log": (lambda g, a, y: g / a[0],),
    "log10": (lambda g, a, y: g / (a[0] * math.log(10)),),
    "log1p": (lambda g, a, y: g / (a[0] + 1),),
    "log2": (lambda g, a, y: g / (a[0] * math.log(2)),),
    "neg": (lambda g, a, y: -g,),
    "power": (_power, lambda g, a, y: g * (y * _log_or_zero(a[0]))),
    "rsqrt": (lambda g, a, y: g * (y * -0.5) / a[0],),
    "sigmoid": (lambda g, a, y: g * (y * (1 - y)),),
    "sin": (lambda g, a, y: g * _cos(a[0]),),
    "sinh": (lambda g, a, y: g * _cosh(a[0]),),
    "sqrt": (lambda g, a, y: g * 0.5 / y,),
    "tan": (lambda g, a, y: g * (y * y + 1),),
    "tanh": (lambda g, a, y: g * (1 - y * y),),
}
"""For each operator and function, the rules for its operands; None if the slope is 0."""


def reads(
    value: Expr,
    flow: Expr,
    active: Set[Tensor],
    result: Expr | None = None,
    conditions: tuple[Expr, ...] = (),
) -> Iterator[Read]:
    """The adjoints of the elements of ``active`` tensors in ``value``, whose adjoint is ``flow``.

    ``result`` is an expression for the value of ``value``, if one exists. Raises KC2203 for an
    operation without a derivative.
    """
    order = _flowing(value, active)
    flows: dict[Expr, Expr] = {value: flow}
    for expr in reversed(order):
        g = flows.get(expr)
        if g is None:
            continue
        if isinstance(expr, Element):
            yield Read(expr, g, conditions)
            continue
        if _splits(expr):
            assert isinstance(expr, SelectExpr | IfThenElse)
            computed = result if expr is value else None
            taken = exactly(expr.condition)
            for condition, branch in ((taken, expr.on_true), (negation(taken), expr.on_false)):
                yield from reads(branch, g, active, computed, (*conditions, condition))
            continue
        y = result if expr is value and result is not None else expr
        for operand, more in _operands(expr, g, y):
            if operand in order:
                flows[operand] = binary("add", flows[operand], more) if operand in flows else more


def _splits(expr: Expr) -> bool:
    """True if the iteration decides which branch of ``expr`` gets the adjoint.

    The reads of a branch that is not evaluated do not happen. A choice by indices alone makes the
    sums shorter.
    """
    lazy = isinstance(expr, IfThenElse)
    return lazy or (isinstance(expr, SelectExpr) and is_of_indices(expr.condition))


def _flowing(value: Expr, active: Set[Tensor]) -> dict[Expr, None]:
    """The subexpressions of ``value`` that depend on ``active`` tensors, inner ones first."""
    flowing: dict[Expr, None] = {}
    done: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(value, False)]
    while stack:
        expr, ready = stack.pop()
        if expr in done or not is_float(expr.dtype):
            continue
        if not ready:
            stack.append((expr, True))
            stack += [(part, False) for part in _sources(expr, active)]
            continue
        done.add(expr)
        is_read = isinstance(expr, Element) and expr.tensor in active
        if is_read or any(part in flowing for part in _sources(expr, active)):
            flowing[expr] = None
    return flowing


def _sources(expr: Expr, active: Set[Tensor]) -> Sequence[Expr]:
    """The operands that can receive an adjoint."""
    if isinstance(expr, Binary | Call):
        rules = _RULES.get(expr.op)
        if rules is None:
            _require_constant(expr, active)
            return ()
        operands = children(expr)
        return [operand for operand, rule in zip(operands, rules, strict=True) if rule is not None]
    if isinstance(expr, SelectExpr | IfThenElse):
        return (expr.on_true, expr.on_false)
    if isinstance(expr, Cast):
        return (expr.value,)
    if not isinstance(expr, Element):
        _require_constant(expr, active)
    return ()


def _require_constant(expr: Expr, active: Set[Tensor]) -> None:
    """Refuse ``expr``, whose derivative is unknown, if it depends on an active tensor."""
    for part in walk(expr):
        if isinstance(part, Element) and part.tensor in active:
            op = expr.name if isinstance(expr, ExternCall) else getattr(expr, "op", "this")
            raise TEError(
                "KC2203",
                f"te.gradient: {op} of {part.tensor.name} has no derivative",
                location=expr.location or caller_location(),
                why="it operates on the bits of a value"
                if op == "reinterpret"
                else "kc knows only the type of its result",
                hints=[f"te.gradient(T, ...) of the tensors T from which {op} computes"],
            )


def _operands(expr: Expr, g: Expr, y: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The operands of ``expr``, each with its adjoint for the adjoint ``g`` of ``expr``."""
    if isinstance(expr, Cast):
        yield expr.value, cast(g, expr.value.dtype) if is_float(expr.value.dtype) else g
    elif isinstance(expr, SelectExpr):
        taken = exactly(expr.condition)
        yield expr.on_true, select(taken, g, 0)
        yield expr.on_false, select(taken, 0, g)
    else:
        assert isinstance(expr, Binary | Call)
        args = children(expr)
        for operand, rule in zip(args, _RULES[expr.op], strict=True):
            if rule is not None:
                yield operand, rule(g, args, y)
