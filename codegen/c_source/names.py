"""The names of the functions of a module in C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.func import FuncOp

from kc.support.c_names import c_name, c_words, is_identifier, keywords, two_of_one_name
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of


def names_in_c(functions: Sequence[FuncOp]) -> dict[str, str]:
    """The unique C name of each function.

    A declared function is defined elsewhere and keeps its name. A public one has its
    :func:`kc.support.c_names.c_name`, by which a program calls it. Private ones get free names.
    Raises CodegenError KC4510 for two public functions with one name, and KC4403 for a declared one
    whose name is no C identifier.
    """
    names: dict[str, str] = {}
    private: list[FuncOp] = []
    for function in functions:
        name = function.sym_name.data
        visibility = function.sym_visibility
        if not function.body.blocks:
            _require_identifier(function)
            names[name] = name
        elif visibility is not None and visibility.data == "private":
            private.append(function)
        else:
            names[name] = c_name(name)
    public = [function.sym_name.data for function in functions if function.body.blocks]
    require_names_in_c([name for name in public if name in names])
    taken = {*names.values(), *c_words()}
    for function in private:
        name = function.sym_name.data
        names[name] = fresh_name(c_name(name), taken)
    return names


def require_names_in_c(names: Iterable[str]) -> None:
    """Raise CodegenError KC4510 if two public functions have the same name in C."""
    two = two_of_one_name(names)
    if two is not None:
        raise CodegenError(
            "KC4510",
            f"@{two[0]} and @{two[1]} have the same name in C, {c_name(two[0])}",
            hints=["rename one of them"],
        )


def _require_identifier(function: FuncOp) -> None:
    name = function.sym_name.data
    if not is_identifier(name) or name in keywords():
        raise CodegenError(
            "KC4403",
            f"c: the name of the function @{name} cannot be expressed in C",
            location=location_of(function),
            why="it is only declared, so it is linked by this name",
            hints=["call a C function that forwards the call"],
        )
