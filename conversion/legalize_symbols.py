"""legalize-symbols: give functions and globals symbols that no library defines.

Before::

    func.func @floor(%A: memref<8xf64>, %B: memref<8xf64>) { ... math.floor ... }

After::

    func.func @kc.floor(%A: memref<8xf64>, %B: memref<8xf64>) { ... math.floor ... }

LLVM may convert an operation to a call of a library function: ``floor`` or ``memcpy`` of the C
library, ``__truncsfhf2`` of a compiler's library. A function of the module with that name would be
called instead. Functions with a body and globals therefore get their
:func:`kc.support.c_names.machine_symbol`, and all references follow. Functions that are only
declared are defined elsewhere, and keep their names.

Kernels and tables in a ``gpu.module`` get names that are identifiers in PTX and in all GPU
languages; a launch finds them by these names. ``@memcpy`` becomes ``@memcpy_kernel``.

A symbol and its references are renamed together, so there is no rewrite pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import preorder
from kc.analysis.symbol_references import rename_references
from kc.support.c_names import c_name, machine_symbol, to_identifier
from kc.support.fresh_names import free_name

_DEFINITIONS = ("func.func", "llvm.func", "memref.global")
_DEVICE_DEFINITIONS = (*_DEFINITIONS, "gpu.func")
_HOME = "gpu.module"

Names = dict[tuple[str, ...], str]
"""New names by symbol path: (name,), or (name of a gpu.module, name)."""


@dataclass(frozen=True)
class LegalizeSymbolsPass(ModulePass):
    """Rename functions and globals whose names are reserved by a library or a GPU language."""

    name = "legalize-symbols"

    def is_needed(self, module: ModuleOp) -> bool:
        """True if a symbol must be renamed."""
        return bool(_new_names(module))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rename_symbols(op, _new_names(op))


def rename_symbols(module: ModuleOp, names: Names) -> None:
    """Rename symbols of a module, and their references."""
    if not names:
        return
    for top in list(module.body.block.ops):
        home = _name(top) if top.name == _HOME else None
        for inner in preorder(top):
            around = None if inner is top else home
            rename_references(inner, partial(_renamed, names=names, home=around))
        if home is None:
            _rename(top, names.get((_name(top) or "",)))
            continue
        for inner in top.regions[0].block.ops:
            _rename(inner, names.get((home, _name(inner) or "")))


def _name(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def _is_defined(op: Operation) -> bool:
    """True if the op is a function with a body, or a global."""
    return not op.regions or bool(op.regions[0].blocks)


def _new_names(module: ModuleOp) -> Names:
    """The new names of the symbols to rename."""
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
    """An identifier derived from ``name`` that is free in C."""
    plain = re.sub(r"^(kc_|_|(?=\d)|$)", "k", to_identifier(name))
    return plain if _is_free(plain) else f"{plain}_kernel"


def _rename(op: Operation, name: str | None) -> None:
    if name is not None:
        of_op = op.attributes if "sym_name" in op.attributes else op.properties
        of_op["sym_name"] = StringAttr(name)


def _renamed(reference: SymbolRefAttr, names: Names, home: str | None) -> SymbolRefAttr:
    """A reference from an operation in the gpu.module ``home`` (None outside of any), with its new
    name.
    """
    root = reference.root_reference.data
    nested = [part.data for part in reference.nested_references.data]
    if home is None and nested:
        renamed = names.get((root, nested[0]))
        return reference if renamed is None else SymbolRefAttr(root, [renamed, *nested[1:]])
    renamed = names.get((root,) if home is None else (home, root))
    return reference if renamed is None else SymbolRefAttr(renamed, nested)
