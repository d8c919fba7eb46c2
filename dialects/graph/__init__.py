"""The ``graph`` dialect: whole models as graphs of operators.

Read :mod:`types` (tensors with named dimensions, functions, data types), then :mod:`functions`,
:mod:`values`, :mod:`control`, :mod:`data_types` and :mod:`references`, then :mod:`declaration`: an
operator is declared once, in ``operators/<family>.py``, and its operation, its function of Relay
and its text derive from that. After Relay (Roesch et al., 2018): each
operation has one result, which may be a tuple.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.ir import Dialect, Operation

from kc.dialects.graph.attribute_values import SizeAttr
from kc.dialects.graph.control import IfOp, ScanOp, WhileOp, YieldOp
from kc.dialects.graph.data_types import (
    ConstructOp,
    ConstructorAttr,
    ConstructorOp,
    DataOp,
    MatchOp,
    PatternAttr,
)
from kc.dialects.graph.declaration import all_operators, operation_class
from kc.dialects.graph.functions import (
    CallIndirectOp,
    CallOp,
    ClosureOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.references import RefCreateOp, RefReadOp, RefWriteOp
from kc.dialects.graph.types import (
    AdtType,
    DimsAttr,
    FnType,
    RefType,
    TypeVarType,
    UnknownType,
)
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.support import registry

STRUCTURE: tuple[type[Operation], ...] = (
    CallIndirectOp,
    CallOp,
    ClosureOp,
    ConstantOp,
    ConstructOp,
    ConstructorOp,
    DataOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    IfOp,
    LetOp,
    MatchOp,
    RefCreateOp,
    RefReadOp,
    RefWriteOp,
    ReturnOp,
    ScanOp,
    TupleGetItemOp,
    TupleOp,
    WhileOp,
    YieldOp,
)
"""The operations that are no operators."""


def _operations() -> Iterator[type[Operation]]:
    yield from STRUCTURE
    for declaration in all_operators().values():
        yield operation_class(declaration)


_DIALECTS: dict[tuple[str, ...], Dialect] = {}


def _dialect() -> Dialect:
    """The dialect for the registry in use, whose plugins may add families of operators."""
    key = tuple(registry.current().operator_families)
    if key not in _DIALECTS:
        attributes = [
            AdtType,
            ConstructorAttr,
            DimsAttr,
            FnType,
            PatternAttr,
            RefType,
            SizeAttr,
            TypeVarType,
            UnknownType,
        ]
        _DIALECTS[key] = Dialect("graph", list(_operations()), attributes)
    return _DIALECTS[key]


def __getattr__(name: str) -> Any:
    if name == "GRAPH":
        return _dialect()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
