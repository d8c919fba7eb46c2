"""The symbols that operations reference in attributes, also inside arrays and dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation


def references(op: Operation) -> Iterator[str]:
    """The symbols that an operation references (``code`` for ``@code::@kernel``)."""
    waiting: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    while waiting:
        attr = waiting.pop()
        if isinstance(attr, SymbolRefAttr):
            yield attr.root_reference.data
        elif isinstance(attr, ArrayAttr):
            waiting.extend(attr.data)
        elif isinstance(attr, DictionaryAttr):
            waiting.extend(attr.data.values())


def rename_references(op: Operation, rename: Callable[[SymbolRefAttr], SymbolRefAttr]) -> None:
    """Replace each symbol reference of an operation by the result of ``rename``."""
    for attributes in (op.properties, op.attributes):
        for key, attribute in attributes.items():
            attributes[key] = _renamed(attribute, rename)


def _renamed(attribute: Attribute, rename: Callable[[SymbolRefAttr], SymbolRefAttr]) -> Attribute:
    """``attribute`` with renamed references; the same object if no reference changes."""
    if isinstance(attribute, SymbolRefAttr):
        return rename(attribute)
    if isinstance(attribute, ArrayAttr):
        elements: list[Attribute] = [_renamed(element, rename) for element in attribute.data]
        is_same = all(new is old for new, old in zip(elements, attribute.data, strict=True))
        return attribute if is_same else ArrayAttr(elements)
    if isinstance(attribute, DictionaryAttr):
        entries = {key: _renamed(value, rename) for key, value in attribute.data.items()}
        is_same = all(entries[key] is value for key, value in attribute.data.items())
        return attribute if is_same else DictionaryAttr(entries)
    return attribute
