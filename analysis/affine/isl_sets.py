"""Questions to isl: sets and maps from terms and conditions, and the first point of a set.

A question is first tried by cheap means (:mod:`kc.analysis.affine.disproofs`). Answers of isl are
cached, as the same questions recur when primitives try themselves on copies.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from kc.analysis.affine.disproofs import is_never
from kc.analysis.affine.terms import NEVER, Condition, Term, condition_text, term_text
from kc.analysis.trust import Undecided

Answer = TypeVar("Answer")

MAX_OPERATIONS = 2_000_000
"""isl gives up after this many internal operations; the answer is then "undecided"."""

MAX_ANSWERS = 4096
"""The most answers that are cached."""

TOO_LARGE = Undecided("the question is too large to decide exactly")

_LOCAL = threading.local()


def ask(question: Callable[[Any], Answer]) -> Answer | Undecided:
    """The answer to ``question`` in this thread's isl context, or the reason for a missing
    answer.
    """
    import islpy as isl

    context = getattr(_LOCAL, "context", None)
    if context is None:
        context = _LOCAL.context = isl.Context()
        context.set_max_operations(MAX_OPERATIONS)
    context.reset_operations()
    try:
        return question(context)
    except isl.Error:
        _LOCAL.context = None  # isl cannot use a context again after it has exceeded its budget
        return TOO_LARGE


def set_of(
    context: Any, condition: Condition, names: Sequence[str], parameters: Sequence[str] = ()
) -> Any:
    """The points of ``names`` where ``condition`` holds, as an isl set."""
    import islpy as isl

    text = f"{{ [{', '.join(names)}] : {condition_text(condition)} }}"
    return isl.Set.read_from_str(context, _head(parameters) + text)


def map_of(
    context: Any,
    results: Sequence[Term],
    condition: Condition,
    names: Sequence[str],
    parameters: Sequence[str] = (),
) -> Any:
    """``results`` at the points of ``names`` where ``condition`` holds, as an isl map."""
    import islpy as isl

    image = ", ".join(map(term_text, results))
    text = f"{{ [{', '.join(names)}] -> [{image}] : {condition_text(condition)} }}"
    return isl.Map.read_from_str(context, _head(parameters) + text)


def _head(parameters: Sequence[str]) -> str:
    return f"[{', '.join(parameters)}] -> " if parameters else ""


Point = dict[str, int]


def first_point(
    condition: Condition, names: Sequence[str], parameters: Sequence[str] = ()
) -> Point | Undecided | None:
    """The lexicographically first point where ``condition`` holds; the parameters come first.

    None if no point satisfies ``condition``, :class:`Undecided` if isl cannot decide.
    """
    if condition == NEVER:
        return None
    answers: dict[Any, Point | Undecided | None] | None = getattr(_LOCAL, "answers", None)
    if answers is None:
        answers = _LOCAL.answers = {}
    key = (condition, tuple(names), tuple(parameters))
    if key not in answers:
        if len(answers) >= MAX_ANSWERS:
            answers.clear()
        answers[key] = (
            None
            if is_never(condition)
            else ask(lambda context: _first_point(context, condition, names, parameters))
        )
    answer = answers[key]
    return dict(answer) if isinstance(answer, dict) else answer


def _first_point(
    context: Any, condition: Condition, names: Sequence[str], parameters: Sequence[str]
) -> Point | None:
    import islpy as isl

    points = set_of(context, condition, names, parameters)
    if points.is_empty():
        return None
    # Parameters become dimensions so that the witness is concrete.
    count = points.dim(isl.dim_type.param)
    points = points.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, count)
    if not points.is_bounded():
        for n in range(count):
            points = _with_small(points, n, context)
    lowest = points.lexmin() if points.is_bounded() else points
    point = lowest.sample_point()
    if point.is_void():  # isl's lexmin of a set with divisions is sometimes empty
        point = points.sample_point()
    return {
        name: point.get_coordinate_val(isl.dim_type.set, n).to_python()
        for n, name in enumerate([*parameters, *names])
    }


def _with_small(points: Any, n: int, context: Any) -> Any:
    """``points`` with coordinate ``n`` fixed to 0, 1 or -1 if possible. The witness of an unbounded
    set then does not depend on isl's search.
    """
    import islpy as isl

    for value in (0, 1, -1):
        fixed = points.fix_val(isl.dim_type.set, n, isl.Val.int_from_si(context, value))
        if not fixed.is_empty():
            return fixed
    return points


def is_impossible(condition: Condition, names: Sequence[str]) -> bool:
    """True if ``condition`` provably holds at no point; False also if undecided."""
    if condition == NEVER or is_never(condition):
        return True
    return ask(lambda context: set_of(context, condition, names).is_empty()) is True
