"""Unused names."""

from __future__ import annotations

from collections.abc import Container


def free_name(name_hint: str, taken: Container[str]) -> str:
    """``name_hint``, or ``name_hint_<n>`` for the first n from 1 on that is not taken."""
    name, number = name_hint, 0
    while name in taken:
        number += 1
        name = f"{name_hint}_{number}"
    return name


def fresh_name(name_hint: str, taken: set[str]) -> str:
    """:func:`free_name`, and mark the name as taken."""
    name = free_name(name_hint, taken)
    taken.add(name)
    return name
