"""Copies of expressions and operations with replaced axes and tensors.

Schedules rewrite copies (caches, partial reductions): the user's tensors, and other schedules of
the same tensors, stay unchanged.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Mapping
from typing import Any

from kc.expr.constructors import BufferAccess, Element, Expr, children
from kc.expr.tensor import ExternOp, Operation, ScanOp, Tensor


class Substitution:
    """Expressions with ``axes`` and ``tensors`` replaced; shared parts stay shared."""

    def __init__(
        self,
        axes: Mapping[Any, Expr] | None = None,
        tensors: Mapping[Tensor, Tensor] | None = None,
    ) -> None:
        self._done: dict[Expr, Expr] = {}
        for axis, expr in (axes or {}).items():
            self._done[axis] = expr
        self._tensors = tensors or {}

    def __call__(self, expr: Expr) -> Expr:
        """``expr`` with the replacements. Not recursive, so that long chains of operators do not
        exhaust the stack."""
        stack = [expr]
        while stack:
            current = stack[-1]
            waiting = (
                []
                if current in self._done
                else [p for p in children(current) if p not in self._done]
            )
            if waiting:
                stack.extend(waiting)
                continue
            if current not in self._done:
                self._done[current] = self._copy(current)
            stack.pop()
        return self._done[expr]

    def _copy(self, expr: Expr) -> Expr:
        """``expr`` with rewritten parts; ``expr`` itself if no part changed."""
        changes: dict[str, Any] = {}
        if children(expr):
            for field in dataclasses.fields(expr):  # pyright: ignore[reportArgumentType]
                old = getattr(expr, field.name)
                new = old if field.name == "axes" else self._parts(old)
                if new is not old:
                    changes[field.name] = new
        if isinstance(expr, Element) and expr.tensor in self._tensors:
            changes["tensor"] = self._tensors[expr.tensor]
        return dataclasses.replace(expr, **changes) if changes else expr  # pyright: ignore

    def _parts(self, value: Any) -> Any:
        """A part of an expression, or a tuple of parts, with the replacements."""
        if isinstance(value, Expr):
            return self._done.get(value, value)
        if isinstance(value, BufferAccess):
            starts = self._parts(value.starts)
            return value if starts is value.starts else dataclasses.replace(value, starts=starts)
        if isinstance(value, tuple):
            new = tuple(self._parts(part) for part in value)
            return value if all(a is b for a, b in zip(new, value, strict=True)) else new
        return value


def with_inputs(op: Operation, tensors: Mapping[Tensor, Tensor]) -> Operation:
    """``op`` with its inputs replaced by ``tensors``; ``op`` itself if it reads none of the
    keys.
    """
    if not any(tensor in tensors for tensor in op.input_tensors):
        return op
    if isinstance(op, ScanOp):
        init, update, inputs = (
            tuple(tensors.get(tensor, tensor) for tensor in group)
            for group in (op.init, op.update, op.inputs)
        )
        return dataclasses.replace(op, init=init, update=update, inputs=inputs)
    if isinstance(op, ExternOp):
        return op.with_tensors(tensors)
    return op.rebase(Substitution(tensors=tensors))


def replace_dataflow(
    ops: Iterable[Operation],
    tensors: Mapping[Tensor, Tensor],
    readers: Container[Operation] | None = None,
) -> dict[Operation, Operation]:
    """The rewritten operations among ``ops`` (producers first). ``readers`` (default: all) read the
    tensors ``tensors`` instead of its keys, and their consumers read the new results. Unchanged
    operations are omitted.
    """
    passed: dict[Tensor, Tensor] = {}
    became: dict[Operation, Operation] = {}
    for op in ops:
        replacement = passed if readers is not None and op not in readers else {**passed, **tensors}
        new = with_inputs(op, replacement)
        if new is not op:
            became[op] = new
            for n in range(op.num_outputs):
                passed[op.output(n)] = new.output(n)
    return became
