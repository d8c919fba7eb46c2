"""Trust in questions that cannot be decided.

The analysis answers yes, no or undecided, and primitives refuse undecided cases. A user who knows
better passes ``unsafe``: within :func:`trusting`, undecided questions get the favourable answer.
A disproof stays a disproof.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field

UNSAFE_ATTRIBUTE = "kc.unsafe"
"""The attribute of an operation that names the properties taken on trust."""


@dataclass(frozen=True)
class Undecided:
    """An undecided question, with the reason that appears in a refusal."""

    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass
class Questions:
    """The undecided questions, by reason."""

    trusted: bool
    reasons: list[str] = field(default_factory=list)


_CURRENT: ContextVar[Questions | None] = ContextVar("kc_undecided_questions", default=None)


@contextlib.contextmanager
def undecided(*, trusted: bool) -> Iterator[list[str]]:
    """Collect the reasons of undecided questions. With ``trusted``, these get the favourable
    answer.
    """
    questions = Questions(trusted)
    token = _CURRENT.set(questions)
    try:
        yield questions.reasons
    finally:
        _CURRENT.reset(token)


def is_trusted(undecided: Undecided) -> bool:
    """True if an undecided question gets the favourable answer."""
    questions = _CURRENT.get()
    if questions is None:
        return False
    if undecided.reason not in questions.reasons:
        questions.reasons.append(undecided.reason)
    return questions.trusted
