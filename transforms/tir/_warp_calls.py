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

LANES = "kc.lanes"
"""The attribute of a function that the lanes of a warp do together: what each of them does."""

FRAGMENT = "nvvm.fragment"
"""The attribute of an argument of such a function: the tile that the lanes hold."""


def fragments_of(function: FuncOp) -> list[FragmentAttr | None]:
    """The fragment that each argument of what a lane does is; None for a tile of memory."""
    noted = function.arg_attrs or [DictionaryAttr({})] * len(function.args)
    fragments = [attributes.data.get(FRAGMENT) for attributes in noted]
    return [fragment if isinstance(fragment, FragmentAttr) else None for fragment in fragments]


def lanes_of(call: CallOp) -> int:
    """How many threads along x hold the tiles of a call together; 0 where none are held."""
    function = SymbolTable.lookup_symbol(call, call.callee)
    name = function.attributes.get(LANES) if isinstance(function, FuncOp) else None
    if not isinstance(name, SymbolRefAttr):
        return 0
    lane = SymbolTable.lookup_symbol(call, name)
    assert isinstance(lane, FuncOp)
    return max((held.lanes for held in fragments_of(lane) if held is not None), default=0)
