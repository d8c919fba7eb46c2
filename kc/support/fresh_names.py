"""Unused names."""

from __future__ import annotations

from collections.abc import Container


def free_name(wanted: str, taken: Container[str]) -> str:
    """``wanted``, or ``wanted_<n>`` for the first n from 1 on that is not taken."""
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def fresh_name(wanted: str, taken: set[str]) -> str:
    """:func:`free_name`, and mark the name as taken."""
    name = free_name(wanted, taken)
    taken.add(name)
    return name
