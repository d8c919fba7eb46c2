"""The values of kc's own attributes (``kc.name``, ``kc.symbols``), which are checked when IR is
parsed.

Passes may therefore rely on them. An attribute of kc without an entry here may have any value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineExpr, AffineSymExpr


@dataclass(frozen=True)
class _Form:
    """The valid form of an attribute's value."""

    words: str
    """The form in words: "it is ..."."""
    holds: Callable[[Attribute], bool]


def _is_name(value: Attribute) -> bool:
    return isinstance(value, StringAttr) and value.data != ""


def _are_names(value: Attribute) -> bool:
    return isinstance(value, ArrayAttr) and all(map(_is_name, value))


def _are_different_names(value: Attribute) -> bool:
    return _are_names(value) and isinstance(value, ArrayAttr) and len({*value}) == len(value)


def _are_integers(value: Attribute) -> bool:
    return isinstance(value, DenseArrayBase) and isinstance(value.elt_type, IntegerType)


def _are_requirements(value: Attribute) -> bool:
    return isinstance(value, ArrayAttr) and all(map(_is_requirement, value))


def _is_requirement(value: Attribute) -> bool:
    """True if a value has the form that
    :meth:`kc.dialects.size_requirements.SizeRequirement.attribute` gives.
    """
    if not isinstance(value, DictionaryAttr):
        return False
    kinds: Mapping[str, type[Attribute]] = {
        "condition": AffineSetAttr,
        "factors": ArrayAttr,
        "unless_empty": AffineMapAttr,
        "why": StringAttr,
    }
    data, optional = value.data, {"factors", "unless_empty", "why"}
    if not data.keys() <= kinds.keys() or not kinds.keys() - optional <= data.keys():
        return False
    if not all(isinstance(part, kinds[key]) for key, part in data.items()):
        return False
    factors, condition = data.get("factors", ArrayAttr([])), data["condition"]
    assert isinstance(factors, ArrayAttr)
    assert isinstance(condition, AffineSetAttr)
    maps = all(isinstance(part, AffineMapAttr) and part.data.num_dims == 0 for part in factors)
    return maps and condition.data.num_dims == len(factors)


_NAME = _Form("a name, as text", _is_name)
_NAMES = _Form("a list of names, as texts", _are_names)
_MARK = _Form("a mark, without a value", lambda value: isinstance(value, UnitAttr))
_FUNCTION = _Form("the symbol of a function", lambda value: isinstance(value, SymbolRefAttr))
_INTEGERS = _Form("an array of integers: array<i64: 0, 1>", _are_integers)

_OF_ARGUMENTS: dict[str, _Form] = {
    "kc.name": _NAME,
    "kc.dtype": _NAME,
    "kc.role": _Form(
        '"in", "out" or "inout"',
        lambda value: isinstance(value, StringAttr) and value.data in ("in", "out", "inout"),
    ),
    "kc.zero_outside": _MARK,
}
_OF_OPERATIONS: dict[str, _Form] = {
    "kc.symbols": _Form("a list of different names, as texts", _are_different_names),
    "kc.arg_order": _INTEGERS,
    "kc.requires": _Form("a list of conditions, as kc prints them", _are_requirements),
    "kc.unscheduled": _MARK,
    "kc.description": _FUNCTION,
    "kc.tiles": _NAME,
    "kc.start": _FUNCTION,
    "kc.packed": _NAME,
    "kc.pointers": _MARK,
    "kc.starts": _INTEGERS,
    "kc.unsigned": _INTEGERS,
    "kc.exact": _MARK,
    "kc.traced": _MARK,
    "kc.kernels": _NAMES,
    "kc.features": _NAMES,
    "kc.target": _NAME,
    "kc.entry": _NAME,
}


def wrong_attribute(op: Operation) -> str | None:
    """The error message for the first of kc's own attributes that has an invalid value; None if all
    are valid.
    """
    for key, value in op.attributes.items():
        form = _OF_OPERATIONS.get(key)
        if form is not None and not form.holds(value):
            return f"{key} is {value}; it is {form.words}"
    if "kc.pointers" in op.attributes and any(region.blocks for region in op.regions):
        return "kc.pointers is of declared functions; this one has a body"
    listed = op.properties.get("arg_attrs")
    for n, entry in enumerate(listed) if isinstance(listed, ArrayAttr) else ():
        for key, value in entry.data.items() if isinstance(entry, DictionaryAttr) else ():
            form = _OF_ARGUMENTS.get(key)
            if form is not None and not form.holds(value):
                return f"{key} of argument {n} is {value}; it is {form.words}"
    return _wrong_sizes(op)


def _wrong_sizes(op: Operation) -> str | None:
    """The error message for conditions on sizes that the function does not declare."""
    requirements, symbols = op.attributes.get("kc.requires"), op.attributes.get("kc.symbols")
    if not isinstance(requirements, ArrayAttr):
        return None
    declared = len(symbols) if isinstance(symbols, ArrayAttr) else 0
    for requirement in requirements:
        assert isinstance(requirement, DictionaryAttr)
        for expr in _expressions(requirement):
            for part in expr.dfs():
                if isinstance(part, AffineSymExpr) and part.position >= declared:
                    return f"kc.requires is of more sizes than kc.symbols names, {declared}"
    return None


def _expressions(requirement: DictionaryAttr) -> Iterator[AffineExpr]:
    for value in requirement.data.values():
        for part in value if isinstance(value, ArrayAttr) else (value,):
            if isinstance(part, AffineMapAttr):
                yield from part.data.results
            elif isinstance(part, AffineSetAttr):
                for constraint in part.data.constraints:
                    yield from (constraint.lhs, constraint.rhs)
