"""Calls of what the lanes of warps do together, and the tiles that these hold.

Shared by ``unify-thread-binding``, which counts threads, and ``lower-fragments``. Operations are
only read here, so there is no rewrite pattern.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.traits import SymbolTable

from kc.dialects.nvvm import FragmentAttr
from kc.dialects.tir import CallOp
from kc.support.diagnostics import CodegenError, counted
from kc.support.locations import location_of

LANES = "kc.lanes"
"""The attribute of a function that the lanes of a warp do together: what each of them does."""

FRAGMENT = "nvvm.fragment"
"""The attribute of an argument of such a function: the tile that the lanes hold."""


def fragments_of(function: FuncOp) -> list[FragmentAttr | None]:
    """The fragment that each argument of what a lane does is; None for a tile of memory."""
    noted = function.arg_attrs or [DictionaryAttr({})] * len(function.args)
    fragments = [attributes.data.get(FRAGMENT) for attributes in noted]
    return [fragment if isinstance(fragment, FragmentAttr) else None for fragment in fragments]


def lane_of(function: FuncOp) -> FuncOp | None:
    """The function that each lane performs if a warp calls ``function``; None for others.

    Raises KC4254 unless that is another function, with a body and as many arguments.
    """
    name = function.attributes.get(LANES)
    if name is None:
        return None
    lane = SymbolTable.lookup_symbol(function, name) if isinstance(name, SymbolRefAttr) else None
    count = len(function.function_type.inputs)
    if not isinstance(lane, FuncOp):
        why = "there is no function of this name"
    elif lane is function:
        why = "that is the function itself"
    elif lane.is_declaration:
        why = "it has no body"
    elif len(lane.function_type.inputs) != count:
        given = counted(len(lane.function_type.inputs), "argument")
        why = f"it has {given}, and the function {count}"
    else:
        return lane
    raise CodegenError(
        "KC4254",
        f"the lanes of @{function.sym_name.data} do {name}",
        location=location_of(function),
        why=why,
    )


def lanes_of(call: CallOp) -> int:
    """How many threads along x hold the tiles of a call together; 0 where none are held."""
    function = SymbolTable.lookup_symbol(call, call.callee)
    lane = lane_of(function) if isinstance(function, FuncOp) else None
    held = fragments_of(lane) if lane is not None else []
    return max((fragment.lanes for fragment in held if fragment is not None), default=0)
