"""legalize-symbols: functions and globals get symbols that nothing else has in machine code.

Before::

    func.func @floor(%A: memref<8xf64>, %B: memref<8xf64>) { ... math.floor ... }

After::

    func.func @kc.floor(%A: memref<8xf64>, %B: memref<8xf64>) { ... math.floor ... }

What LLVM makes of an operation may be a call of a function by its name: ``floor`` of the C
library, ``memcpy``, ``__truncsfhf2`` of a compiler's. A function of the module that has such a name
would be called instead. Functions that have a body, and globals, therefore get their
:func:`kc.support.c_names.machine_symbol`, in all references to them, too. Functions that are
declared are those of somebody else, and keep their names.

Kernels and tables in a ``gpu.module`` get names that are identifiers of all languages for GPUs and
of PTX: they are looked up by them when they are launched. ``@memcpy`` becomes ``@memcpy_kernel``.

A symbol and its references are renamed together, so there is no rewrite pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import preorder
from kc.support.c_names import c_name, machine_symbol, to_identifier
from kc.support.fresh_names import free_name

_DEFINITIONS = ("func.func", "llvm.func", "memref.global")
_DEVICE_DEFINITIONS = (*_DEFINITIONS, "gpu.func")
_HOME = "gpu.module"

Names = dict[tuple[str, ...], str]
"""New names, by where a symbol is: (name,), or (name of a gpu.module, name)."""


@dataclass(frozen=True)
class LegalizeSymbolsPass(ModulePass):
    """Rename functions and globals whose names machine code or GPUs understand otherwise."""

    name = "legalize-symbols"

    def is_needed(self, module: ModuleOp) -> bool:
        """Whether there is such a name."""
        return bool(_new_names(module))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rename_symbols(op, _new_names(op))


def rename_symbols(module: ModuleOp, names: Names) -> None:
    """Rename symbols of a module, and the references to them."""
    if not names:
        return
    for top in list(module.body.block.ops):
        home = _name(top) if top.name == _HOME else None
        for inner in preorder(top):
            _rename_references(inner, names, None if inner is top else home)
        if home is None:
            _rename(top, names.get((_name(top) or "",)))
            continue
        for inner in top.regions[0].block.ops:
            _rename(inner, names.get((home, _name(inner) or "")))


def _name(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def _is_defined(op: Operation) -> bool:
    """Whether it is a function with a body, or a global."""
    return not op.regions or bool(op.regions[0].blocks)


def _new_names(module: ModuleOp) -> Names:
    """The names to be changed."""
    names: Names = {}
    for op in module.body.block.ops:
        name = _name(op)
        if name is not None and op.name in _DEFINITIONS and _is_defined(op):
            names[name,] = machine_symbol(name)
    homes = [op for op in module.body.block.ops if op.name == _HOME]
    inner = [(_name(home) or "", op) for home in homes for op in home.regions[0].block.ops]
    taken = {name for _, op in inner if (name := _name(op)) is not None and _is_free(name)}
    for home, op in inner:
        name = _name(op)
        if name is None or op.name not in _DEVICE_DEFINITIONS or not _is_defined(op):
            continue
        if not _is_free(name):
            names[home, name] = free_name(_device_name(name), taken)
            taken.add(names[home, name])
    return {key: name for key, name in names.items() if key[-1] != name}


def _is_free(name: str) -> bool:
    return c_name(name) == name


def _device_name(name: str) -> str:
    """An identifier like ``name`` that is free in C."""
    plain = re.sub(r"^(kc_|_|(?=\d)|$)", "k", to_identifier(name))
    return plain if _is_free(plain) else f"{plain}_kernel"


def _rename(op: Operation, name: str | None) -> None:
    if name is not None:
        of_op = op.attributes if "sym_name" in op.attributes else op.properties
        of_op["sym_name"] = StringAttr(name)


def _rename_references(op: Operation, names: Names, home: str | None) -> None:
    """Rename what the attributes of ``op`` refer to, which is in the gpu.module ``home``."""
    for attributes in (op.properties, op.attributes):
        for key, attribute in attributes.items():
            attributes[key] = _renamed(attribute, names, home)


def _renamed(attribute: Attribute, names: Mapping[tuple[str, ...], str], home: str | None):
    if isinstance(attribute, ArrayAttr):
        elements: list[Attribute] = [_renamed(element, names, home) for element in attribute.data]
        is_same = all(a is b for a, b in zip(elements, attribute.data, strict=True))
        return attribute if is_same else ArrayAttr(elements)
    if not isinstance(attribute, SymbolRefAttr):
        return attribute
    root = attribute.root_reference.data
    nested = [part.data for part in attribute.nested_references.data]
    place = (root,) if home is None else (home, root)
    if home is None and nested:
        renamed = names.get((root, nested[0]))
        return attribute if renamed is None else SymbolRefAttr(root, [renamed, *nested[1:]])
    renamed = names.get(place)
    return attribute if renamed is None else SymbolRefAttr(renamed, nested)
