"""Operators by name: their attributes, and their lowering rules for targets.

``register_intrin_lowering("tir.exp", target="cuda", f=rule)`` registers the replacement of an
operator's calls in builds for targets of that kind. An operator of a user, registered by
``register_op_attr``, has no other meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kc.support.diagnostics import TEError
from kc.support.forks import fork_lock
from kc.support.locations import caller_location

Rule = Callable[[Any], Any]
"""A lowering rule: a function from a call, a ``tir.Call``, to an expression, or to None to keep
the call.
"""


@dataclass
class _Known:
    """The attributes and lowering rules of an operator, each with its priority level."""

    attributes: dict[str, tuple[int, Any]] = field(default_factory=dict)
    rules: dict[str, tuple[int, Rule]] = field(default_factory=dict)


_lock = fork_lock()
_operators: dict[str, _Known] = {}


def is_known(name: str) -> bool:
    """True if the operator ``name``, such as "tir.mylog", has a registration."""
    return name in _operators


def known_names() -> list[str]:
    """The names of the operators with registrations."""
    return list(_operators)


def rules_of(kind: str) -> dict[str, Rule]:
    """The rules for a kind of target, by operator; the "default" rule for operators without a rule
    of the kind.
    """
    rules: dict[str, Rule] = {}
    for name, entry in _operators.items():
        chosen = entry.rules.get(kind) or entry.rules.get("default")
        if chosen is not None:
            rules[name] = chosen[1]
    return rules


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Set an attribute of an operator; without a value, a decorator of a function as the value.

    The value of the highest level applies; two values at one level are refused (KC2179).
    """

    def register(value: Any) -> Any:
        with _lock:
            entry = _operators.setdefault(op_name, _Known())
            _put(entry.attributes, attr_key, value, level, op_name)
        return value

    return register if value is None else register(value)


def register_intrin_lowering(
    op_name: str, target: str, *, f: Rule | None = None, level: int = 10
) -> Any:
    """Register the replacement of an operator's calls on targets of the kind ``target`` ("default":
    all).

    ``f`` receives the call, may read its ``op.name``, ``args`` and ``dtype``, and returns an
    expression, or None to leave the call unchanged. Without ``f`` the result is a decorator. The
    rule of the highest level applies; two rules at the same level are refused (KC2179).
    """

    def register(rule: Rule) -> Rule:
        with _lock:
            entry = _operators.setdefault(op_name, _Known())
            _put(entry.rules, target, rule, level, op_name)
        return rule

    return register if f is None else register(f)


def _put(table: dict[str, Any], key: str, value: Any, level: int, name: str) -> None:
    present = table.get(key)
    if present is not None and present[0] == level and present[1] is not value:
        raise TEError(
            "KC2179",
            f"{name}: '{key}' is registered twice at level {level}",
            location=caller_location(),
            why="the rule or value of the highest level applies, so levels must differ",
            hints=[f"level={level + 1}"],
        )
    if present is None or present[0] <= level:
        table[key] = (level, value)


def forget(op_name: str, attr_key: str | None = None) -> None:
    """Remove an attribute of an operator, or all its registrations."""
    with _lock:
        if attr_key is None:
            _operators.pop(op_name, None)
        elif op_name in _operators:
            _operators[op_name].attributes.pop(attr_key, None)


def attribute_of(name: str, key: str) -> Any:
    """The registered attribute of an operator. None if there is none."""
    entry = _operators.get(name)
    return None if entry is None or key not in entry.attributes else entry.attributes[key][1]
