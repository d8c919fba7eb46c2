"""Calls that the lanes of a warp execute together, and the tiles that the lanes hold.

Shared by ``unify-thread-binding``, which counts threads, and ``lower-fragments``. This module only
reads operations, so it has no rewrite pattern.
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
"""The attribute of a function of a whole warp; its value is the function that each lane
executes.
"""

FRAGMENT = "nvvm.fragment"
"""The attribute of an argument of a lane's function; its value is the kind of tile that the lanes
hold.
"""


def fragments_of(function: FuncOp) -> list[FragmentAttr | None]:
    """The fragment of each argument of a lane's function; None for a tile of memory."""
    attributes_of_args = function.arg_attrs or [DictionaryAttr({})] * len(function.args)
    fragments = [attributes.data.get(FRAGMENT) for attributes in attributes_of_args]
    return [fragment if isinstance(fragment, FragmentAttr) else None for fragment in fragments]


def lane_of(function: FuncOp) -> FuncOp | None:
    """The function that each lane executes if a warp calls ``function``; None for other functions.

    Raises CodegenError KC4254 unless this is a different function with a body and as many
    arguments.
    """
    name = function.attributes.get(LANES)
    if name is None:
        return None
    lane = SymbolTable.lookup_symbol(function, name) if isinstance(name, SymbolRefAttr) else None
    count = len(function.function_type.inputs)
    if not isinstance(lane, FuncOp):
        why = "the module has no function of this name"
    elif lane is function:
        why = "it is the function itself"
    elif lane.is_declaration:
        why = "it has no body"
    elif len(lane.function_type.inputs) != count:
        arguments = counted(len(lane.function_type.inputs), "argument")
        why = f"it takes {arguments}, but @{function.sym_name.data} takes {count}"
    else:
        return lane
    raise CodegenError(
        "KC4254",
        f"the lanes of @{function.sym_name.data} cannot run {name}",
        location=location_of(function),
        why=why,
    )


def lanes_of(call: CallOp) -> int:
    """The number of threads along x that hold the tiles of a call together; 0 if the call has no
    such tiles.
    """
    function = SymbolTable.lookup_symbol(call, call.callee)
    lane = lane_of(function) if isinstance(function, FuncOp) else None
    held = fragments_of(lane) if lane is not None else []
    return max((fragment.lanes for fragment in held if fragment is not None), default=0)
