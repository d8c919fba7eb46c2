"""Tags: words for the kinds of operations, which schedules look up."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, TypeVar

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.expr.tensor import Operation

_F = TypeVar("_F", bound=Callable[..., Any])
_current: ContextVar[TagScope | None] = ContextVar("kc_te_tag", default=None)

ELEMWISE, BROADCAST, INJECTIVE = "elemwise", "broadcast", "injective"
"""TVM's tags. An element of an ``ELEMWISE`` operation depends on the element of each input at the
same place, one of ``BROADCAST`` on a place without some of the dimensions, and one of ``INJECTIVE``
on any elements without a reduction.
"""


class TagScope:
    """The result of :func:`tag_scope`: a context, or a decorator of functions of operations."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._token: Token[TagScope | None] | None = None

    def __enter__(self) -> TagScope:
        outer = _current.get()
        if outer is not None:
            raise TEError(
                "KC2170",
                f"tag_scope '{self.tag}' inside of tag_scope '{outer.tag}'",
                location=caller_location(),
                why="an operation can have only one tag",
                hints=["close the outer one first"],
            )
        self._token = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _current.reset(self._token)

    def __call__(self, function: _F) -> _F:
        @functools.wraps(function)
        def tagged(*args: Any, **keywords: Any) -> Any:
            with TagScope(self.tag):
                return function(*args, **keywords)

        return tagged  # pyright: ignore[reportReturnType]


def tag_scope(tag: str) -> TagScope:
    """Set ``tag`` on the operations created in a ``with`` block, or by the decorated function::

        with te.tag_scope("conv2d"):
            C = te.compute((n,), lambda i: A[i] * B[i])

        @te.tag_scope("matmul")
        def matmul(A, B): ...

    Scopes do not nest (KC2170), and an operation in a scope has no other tag (KC2171).
    """
    return TagScope(_text(tag))


def tag_of(op: Operation, tag: str, attrs: Mapping[str, Any] | None) -> None:
    """Set the tag and the attributes of a new operation, which may stand in a scope."""
    tag = _text(tag)
    scope = _current.get()
    if scope is not None:
        if tag:
            raise TEError(
                "KC2171",
                f"{op.name} has the tag '{tag}' in tag_scope '{scope.tag}'",
                location=op.location,
                why="an operation can have only one tag",
                hints=["omit the tag, or create the operation outside of the scope"],
            )
        tag = scope.tag
    if attrs is not None and not (
        isinstance(attrs, Mapping) and all(isinstance(key, str) for key in attrs)
    ):
        raise TEError(
            "KC2172",
            f"the attributes of {op.name} are {attrs!r}",
            location=op.location,
            why="attributes must be a dict of values by name",
            hints=['attrs={"layout": "NCHW"}'],
        )
    op.tag = tag
    op.attrs = dict(attrs or {})


def _text(tag: Any) -> str:
    if not isinstance(tag, str):
        raise TEError(
            "KC2172",
            f"the tag {tag!r} is not text",
            location=caller_location(),
            hints=['tag="elemwise"'],
        )
    return tag
