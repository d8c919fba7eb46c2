"""Purity of graph operations: which operations may be removed, computed once instead of twice, or
moved.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from kc.dialects.graph.control import IfOp, ScanOp, WhileOp, YieldOp
from kc.dialects.graph.data_types import ConstructOp, ConstructorOp, MatchOp
from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import (
    CallIndirectOp,
    CallOp,
    ClosureOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.references import RefCreateOp, RefReadOp
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp

_VALUES = (
    ConstantOp,
    ConstructOp,
    ConstructorOp,
    TupleOp,
    TupleGetItemOp,
    LetOp,
    FunctionRefOp,
    ClosureOp,
    FnOp,
)


class Purity:
    """The functions of a module whose results depend on their arguments alone.

    A function is impure if it holds an impure operator, calls an impure function, or calls a
    value that is no function of the module by name: nothing tells which function that is.
    """

    def __init__(self, functions: Mapping[str, FuncOp]) -> None:
        self._functions = functions
        self._pure = set(functions)
        has_changed = True
        while has_changed:
            has_changed = False
            for name in sorted(self._pure):
                if not all(map(self.is_pure, functions[name].body.block.ops)):
                    self._pure.discard(name)
                    has_changed = True

    def is_removable(self, op: Operation) -> bool:
        """True if an operation may be removed when nothing uses its result: it changes nothing."""
        return isinstance(op, RefCreateOp | RefReadOp) or self.is_pure(op)

    def is_pure(self, op: Operation) -> bool:
        """True if an operation depends on its operands alone and changes nothing."""
        match op:
            case OperatorOp():
                return op.OPERATOR.is_pure
            case CallOp():
                return op.callee.string_value() in self._pure
            case CallIndirectOp():
                return self._is_pure_value(op.callee.owner)
            case MatchOp() if op.partial is not None:
                return False
            case IfOp() | WhileOp() | ScanOp() | MatchOp():
                return all(self.is_pure(each) for part in op.regions for each in part.block.ops)
            case ReturnOp() | YieldOp():
                return True
            case _:
                return isinstance(op, _VALUES)

    def _is_pure_value(self, op: object) -> bool:
        match op:
            case LetOp():
                return self._is_pure_value(op.value.owner)
            case ConstructorOp():
                return True
            case FunctionRefOp() | ClosureOp():
                return op.callee.string_value() in self._pure
            case FnOp():
                return all(map(self.is_pure, op.body.block.ops))
            case _:
                return False
