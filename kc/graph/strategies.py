"""Strategies of the user: how an operator is computed and scheduled, in place of what kc has.

A strategy gives implementations (a computation with a schedule), of which the one with the highest
``plevel`` is taken whose condition holds::

    @kc.graph.register_strategy("nn.dense")
    def dense(attrs, inputs, out_type, target):
        strategy = kc.graph.OpStrategy()
        strategy.add_implementation(my_dense, my_schedule, name="mine", plevel=15)
        return strategy

``register_compute`` and ``register_schedule`` give one of the two; the other one is kc's. In a
group of several operators, the schedule is that of the operator with the highest pattern kind, as
in Relay, and is given the outputs of the whole group.

The names and signatures are those of TVM 0.9 (``relay.op``). kc adds ``version``: a text that names
the state of the function. Kernels of functions without one are not kept in the compile cache, as
nothing tells whether the function is still the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kc.dialects.graph.declaration import Operator, OperatorOp, all_operators
from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.nodes import Binary, Cast, Compare, Const, Expr
from kc.expr.op_attributes import attribute_of, forget, register_op_attr
from kc.expr.tensor import Tensor
from kc.graph.lowering import spec_of_tensor
from kc.graph.signature import flattened
from kc.support.diagnostics import GraphError, suggest
from kc.support.locations import caller_location
from kc.support.target import Target
from kc.te.specialized_condition import SpecializedCondition

Compute = Callable[[Operator, Sequence[Tensor], Spec], Any]
"""A function of the attributes, the tensors and the type of the result, which returns tensors."""
MakeSchedule = Callable[[Operator, Sequence[Tensor], Target], Any]
"""A function of the attributes, the outputs and the target, which returns a schedule of te."""


@dataclass(frozen=True)
class Implementation:
    """A computation of an operator with its schedule. None stands for what kc has."""

    compute: Compute | None
    schedule: MakeSchedule | None
    name: str = "default"
    plevel: int = 10
    conditions: tuple[Expr, ...] = ()
    """The condition on the sizes."""

    @property
    def holds(self) -> bool:
        """True if the conditions are true for the sizes that are known."""
        return all(_number(condition) for condition in self.conditions)


@dataclass
class OpStrategy:
    """The implementations of an operator for a target."""

    implementations: list[Implementation] = field(default_factory=list)

    def add_implementation(
        self,
        compute: Compute | None,
        schedule: MakeSchedule | None,
        name: str = "default",
        plevel: int = 10,
    ) -> None:
        """Add an implementation, on the condition of the ``te.SpecializedCondition`` around."""
        condition = SpecializedCondition.current()
        clauses = tuple(condition.clauses) if condition is not None else ()
        self.implementations.append(Implementation(compute, schedule, name, plevel, clauses))

    @property
    def chosen(self) -> Implementation | None:
        """The first of those with the highest level whose conditions hold."""
        holding = [each for each in self.implementations if each.holds]
        return max(holding, key=lambda each: each.plevel, default=None)


Strategy = Callable[[Operator, Sequence[Tensor], Spec, Target], OpStrategy]


STRATEGY, COMPUTE, SCHEDULE = "FTVMStrategy", "FTVMCompute", "FTVMSchedule"
"""The kinds of functions that users register, by TVM's names of attributes of operators."""
KINDS = (STRATEGY, COMPUTE, SCHEDULE)

_versions: dict[tuple[str, str], tuple[Any, str]] = {}
"""By operator and kind: a function with the version that it was registered with."""


def register_strategy(
    op_name: str,
    fstrategy: Strategy | None = None,
    level: int = 10,
    *,
    version: str | None = None,
) -> Any:
    """Register the strategy of an operator; without the function, a decorator.

    The function with the highest level counts. Raises GraphError KC2404 for an unknown operator,
    TEError KC2179 for two functions of one level.
    """
    return _register(STRATEGY, op_name, fstrategy, level, version)


def register_compute(
    op_name: str,
    compute: Compute | None = None,
    level: int = 10,
    *,
    version: str | None = None,
) -> Any:
    """Register the computation of an operator, as :func:`register_strategy` does."""
    return _register(COMPUTE, op_name, compute, level, version)


def register_schedule(
    op_name: str,
    schedule: MakeSchedule | None = None,
    level: int = 10,
    *,
    version: str | None = None,
) -> Any:
    """Register the schedule of an operator, as :func:`register_strategy` does."""
    return _register(SCHEDULE, op_name, schedule, level, version)


def unregister(op_name: str, kind: str | None = None) -> None:
    """Forget what is registered for an operator, of one kind or of all."""
    for each in KINDS if kind is None else (kind,):
        forget(op_name, each)
        _versions.pop((op_name, each), None)


def _register(
    kind: str, op_name: str, function: Any, level: int, version: str | None
) -> Callable[..., Any]:
    if function is None:
        return lambda decorated: _register(kind, op_name, decorated, level, version)
    if op_name not in all_operators():
        raise GraphError(
            "KC2404",
            f"there is no operator '{op_name}'",
            location=caller_location(),
            hints=suggest(op_name, all_operators(), "the operators are"),
        )
    register_op_attr(op_name, kind, function, level)
    if version is not None and attribute_of(op_name, kind) is function:
        _versions[op_name, kind] = function, version
    return function


def has_own_functions(group: FuncOp) -> bool:
    """True if functions of the user compute or schedule operators of a group."""
    return any(_functions_of(group))


def identity_of(group: FuncOp) -> str | None:
    """The functions of the user for the operators of a group, as text; None if one of them has no
    version."""
    words: list[str] = []
    for kind, name, function in _functions_of(group):
        versioned, version = _versions.get((name, kind), (None, ""))
        if versioned is not function:
            return None
        where = f"{function.__module__}.{getattr(function, '__qualname__', function)}"
        words.append(f"{kind} of {name}: {where} {version}")
    return "; ".join(words)


def _functions_of(group: FuncOp) -> Iterator[tuple[str, str, Any]]:
    names = [op.OPERATOR.name for op in group.body.block.ops if isinstance(op, OperatorOp)]
    for name in dict.fromkeys(names):
        for kind in KINDS:
            function = attribute_of(name, kind)
            if function is not None:
                yield kind, name, function


def implementation_of(
    attrs: Operator, inputs: Sequence[Tensor], out_type: Spec, target: Target
) -> Implementation | None:
    """The user's implementation of an operator for these inputs; None if kc's is to be taken.

    Raises GraphError KC2493 for a strategy that returns anything but an :class:`OpStrategy`.
    """
    own = attribute_of(attrs.name, STRATEGY)
    if own is not None:
        strategy = own(attrs, list(inputs), out_type, target)
        if not isinstance(strategy, OpStrategy):
            raise GraphError(
                "KC2493",
                f"the strategy of {attrs.name} returned {strategy!r}",
                why="it returns an OpStrategy with implementations",
                hints=["strategy.add_implementation(compute, schedule)", "return strategy"],
            )
        if strategy.chosen is not None:
            return strategy.chosen
    compute, schedule = attribute_of(attrs.name, COMPUTE), attribute_of(attrs.name, SCHEDULE)
    return None if compute is schedule is None else Implementation(compute, schedule)


def computed(
    implementation: Implementation, attrs: Operator, inputs: Sequence[Tensor], out_type: Spec
) -> tuple[Tensor, ...]:
    """The tensors that an implementation computes.

    Raises GraphError KC2493 for results that are not of the declared type.
    """
    assert implementation.compute is not None
    result = implementation.compute(attrs, list(inputs), out_type)
    tensors = tuple(result) if isinstance(result, list | tuple) else (result,)
    expected = [spec for spec in flattened(out_type) if isinstance(spec, TensorSpec)]
    types = [spec_of_tensor(t) if isinstance(t, Tensor) else type(t).__name__ for t in tensors]
    if len(types) != len(expected) or any(map(_differ, types, expected)):
        raise GraphError(
            "KC2493",
            f"the compute of {attrs.name} gave {', '.join(map(str, types)) or 'nothing'}",
            facts=[f"expected: {', '.join(map(str, expected))}"],
            why="a computation of the user has the type of the operator's result",
            hints=["the third argument, out_type, is that type"],
        )
    return tensors


def _differ(actual: TensorSpec | str, expected: TensorSpec) -> bool:
    if isinstance(actual, str) or actual.dtype != expected.dtype:
        return True
    if len(actual.shape) != len(expected.shape):
        return True
    pairs = zip(actual.shape, expected.shape, strict=True)
    # A size that te expresses in another way is not compared.
    return any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)


_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "floormod": operator.mod,
    "min": min,
    "max": max,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def _number(expr: Expr) -> Any:
    """The value of an expression of constants; None if it has variables."""
    match expr:
        case Const():
            return expr.value
        case Cast():
            return _number(expr.value)
        case Binary() | Compare() if str(expr.op) in _OPERATIONS:
            left, right = _number(expr.lhs), _number(expr.rhs)
            if left is None or right is None:
                return None
            return _OPERATIONS[str(expr.op)](left, right)
        case _:
            return None
