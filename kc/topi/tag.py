"""Tags: the patterns of operators, which schedules and fusion look up. The words are TVM's."""

from __future__ import annotations

from kc.expr.tags import BROADCAST, ELEMWISE, INJECTIVE, tag_scope

COMM_REDUCE = "comm_reduce"
COMM_REDUCE_IDX = "comm_reduce_idx"

_BROADCAST = (ELEMWISE, BROADCAST)
_INJECTIVE = (*_BROADCAST, INJECTIVE)


def is_elemwise(tag: str) -> bool:
    """True if an element depends only on elements at its own index."""
    return tag == ELEMWISE


def is_broadcast(tag: str) -> bool:
    """True if an element depends only on elements at its own index, with some dimensions left
    out.
    """
    return tag in _BROADCAST


def is_injective(tag: str) -> bool:
    """True if an element depends on single elements: there is no reduction."""
    return tag in _INJECTIVE


__all__ = [
    "BROADCAST",
    "COMM_REDUCE",
    "COMM_REDUCE_IDX",
    "ELEMWISE",
    "INJECTIVE",
    "is_broadcast",
    "is_elemwise",
    "is_injective",
    "tag_scope",
]
