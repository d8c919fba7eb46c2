"""Classes with TVM's names for the nodes of its IR.

kc has few classes of expressions (:mod:`kc.expr.nodes`); TVM has a class for each operator. A class
with TVM's name defines its instances and creates them on a call: ``isinstance(x, tir.Add)`` and
``tir.Add(a, b)`` both work, and the latter is ``a + b``.
"""

from __future__ import annotations

from typing import Any

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location

_INTERNAL = frozenset(
    (
        *("comes_from", "holds", "join", "make", "node", "numbers", "operation", "operations"),
        "statements",
    )
)
"""The members that declare a node class; they are hidden from users."""


class NodeClass(type):
    """The metaclass of node classes: a call runs ``make``, and ``isinstance`` runs ``holds``."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return cls.make(*args, **options)  # pyright: ignore[reportAttributeAccessIssue]

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__()} - _INTERNAL)

    def __instancecheck__(cls, instance: Any) -> bool:
        return bool(cls.holds(instance))  # pyright: ignore[reportAttributeAccessIssue]


class Node(metaclass=NodeClass):
    """A node class that is declared by its functions ``make`` and ``holds``."""

    __module__ = "kc.tir"

    @classmethod
    def make(cls, *args: Any, **options: Any) -> Any:
        """Refuse the call (KC2177): the class has no constructor."""
        del args, options
        raise TEError(
            "KC2177",
            f"{cls.__name__}: the class has no constructor",
            location=caller_location(),
            why="the class exists for isinstance; functions create its instances",
            hints=[cls.comes_from] if cls.comes_from else (),
        )

    comes_from = ""
    """The function that creates values of the class, for the diagnostic."""

    @classmethod
    def holds(cls, value: Any) -> bool:
        """True if ``value`` is an instance of the class."""
        raise NotImplementedError
