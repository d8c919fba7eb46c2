"""Taking on trust what cannot be decided.

The analysis answers yes, no or undecided, and primitives refuse what is undecided. A user who knows
better says so (``unsafe``): within :func:`trusting` the questions that find no proof either way are
answered as hoped. What is proven wrong stays wrong.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field

UNSAFE_ATTRIBUTE = "kc.unsafe"
"""The attribute of an operation that says what of it was taken on trust."""


@dataclass(frozen=True)
class Undecided:
    """A question that is not decided, with the reason that a refusal gives."""

    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass
class Questions:
    """The questions that were not decided, by the reason."""

    trusted: bool
    reasons: list[str] = field(default_factory=list)


_CURRENT: ContextVar[Questions | None] = ContextVar("kc_undecided_questions", default=None)


@contextlib.contextmanager
def undecided(*, trusted: bool) -> Iterator[list[str]]:
    """Collect the reasons of undecided questions; with ``trusted`` these are answered as hoped."""
    questions = Questions(trusted)
    token = _CURRENT.set(questions)
    try:
        yield questions.reasons
    finally:
        _CURRENT.reset(token)


def is_trusted(undecided: Undecided) -> bool:
    """Whether a question that was not decided is answered as hoped."""
    questions = _CURRENT.get()
    if questions is None:
        return False
    if undecided.reason not in questions.reasons:
        questions.reasons.append(undecided.reason)
    return questions.trusted
