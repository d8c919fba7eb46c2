"""permit-tiles: insert requests for the permission to use the tile registers of x86 (AMX).

Before::

    llvm.call_intrinsic "llvm.x86.ldtilecfg"(%configuration) : (!llvm.ptr) -> ()

After::

    llvm.mlir.global internal @kc.tiles_permitted(0 : i8) : i8
    llvm.func internal @kc.configure_tiles(%configuration: !llvm.ptr) { ... }
    llvm.func internal @kc.permit_tiles() { ... }
    ...
    llvm.call @kc.configure_tiles(%configuration) : (!llvm.ptr) -> ()

Linux permits tile registers to processes that have requested them
(:mod:`kc.support.tile_permission`); the first use ends any other process. The first configuration
of tiles therefore makes the request and records it in a variable. The code may thus start anywhere:
in a Python program, in a C program linked with it, or on any thread of a pool. (Threads that are
first at the same time may each make the request, which is harmless.) In Python a refusal is an
error before the code is loaded (KC6105). Elsewhere a line is printed to standard error, and the
process ends.

LLVM converts loops that set or copy memory to calls, and a call does not preserve tile registers.
Functions that configure tiles therefore get the attribute ``no-builtins``, which keeps the loops.

The code makes no request on systems other than Linux. There is one call for each configuration, and
the functions belong to the module, so this pass is a traversal of the module without a rewrite
pattern.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.dialects import llvm
from kc.support import registry
from kc.support.ir_text import parse_module
from kc.support.target import target_of
from kc.support.tile_permission import ARCH_PRCTL, REFUSED, REQUEST, TILE_DATA

CONFIGURE = "kc.configure_tiles"

NO_BUILTINS = StringAttr("no-builtins")

_TEXT = """
llvm.mlir.global internal @kc.tiles_permitted(0 : i8) : i8
llvm.mlir.global internal constant @kc.tiles_refused("{message}\\0A")
llvm.func @syscall(i64, i64, i64) -> i64
llvm.func @write(i32, !llvm.ptr, i64) -> i64
llvm.func @abort()
llvm.func internal @kc.configure_tiles(%configuration: !llvm.ptr) {{
  %variable = llvm.mlir.addressof @kc.tiles_permitted : !llvm.ptr
  %permitted = llvm.load %variable atomic monotonic {{alignment = 1 : i64}} : !llvm.ptr -> i8
  %no = llvm.mlir.constant(0 : i8) : i8
  %is_permitted = llvm.icmp "ne" %permitted, %no : i8
  llvm.cond_br %is_permitted weights([1000, 1]), ^configure, ^ask
^ask:
  llvm.call @kc.permit_tiles() : () -> ()
  llvm.br ^configure
^configure:
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%configuration) : (!llvm.ptr) -> ()
  llvm.return
}}
llvm.func internal @kc.permit_tiles() attributes {{no_inline}} {{
  %arch_prctl = llvm.mlir.constant({call} : i64) : i64
  %request = llvm.mlir.constant({request} : i64) : i64
  %tile_data = llvm.mlir.constant({state} : i64) : i64
  %answer = llvm.call @syscall(%arch_prctl, %request, %tile_data) : (i64, i64, i64) -> i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %is_permitted = llvm.icmp "eq" %answer, %zero : i64
  llvm.cond_br %is_permitted, ^permitted, ^refused
^permitted:
  %variable = llvm.mlir.addressof @kc.tiles_permitted : !llvm.ptr
  %yes = llvm.mlir.constant(1 : i8) : i8
  llvm.store %yes, %variable atomic monotonic {{alignment = 1 : i64}} : i8, !llvm.ptr
  llvm.return
^refused:
  %stderr = llvm.mlir.constant(2 : i32) : i32
  %message = llvm.mlir.addressof @kc.tiles_refused : !llvm.ptr
  %length = llvm.mlir.constant({length} : i64) : i64
  %written = llvm.call @write(%stderr, %message, %length) : (i32, !llvm.ptr, i64) -> i64
  llvm.call @abort() : () -> ()
  llvm.unreachable
}}
"""


@dataclass(frozen=True)
class PermitTilesPass(ModulePass):
    """Request the permission for tile registers before each configuration of them."""

    name = "permit-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        calls = _configurations(op)
        for function in {_function_of(call): None for call in calls}:
            if function.sym_name.data != CONFIGURE:
                _without_calls(function)
        if not calls or "linux" not in target_of(op).triple:
            return
        text = _TEXT.format(
            message=REFUSED,
            length=len(REFUSED) + 1,
            call=ARCH_PRCTL,
            request=REQUEST,
            state=TILE_DATA,
        )
        declared = {
            function.sym_name.data for function in op.ops if isinstance(function, llvm.FuncOp)
        }
        if CONFIGURE in declared:
            return
        for call in calls:
            new = llvm.CallOp(CONFIGURE, *call.args)
            new.location = call.location
            Rewriter.replace_op(call, new, [])
        parts = list(parse_module(text, "<permit-tiles>", registry.context()).ops)
        for part in parts:
            part.detach()
        own = [
            part
            for part in parts
            if not isinstance(part, llvm.FuncOp) or part.sym_name.data not in declared
        ]
        Rewriter.insert_op(own, InsertPoint.at_start(op.body.block))

    def is_needed(self, op: ModuleOp) -> bool:
        """True if the module configures tile registers."""
        return bool(_configurations(op))


def _function_of(call: Operation) -> llvm.FuncOp:
    function = call.parent_op()
    while not isinstance(function, llvm.FuncOp):
        assert function is not None
        function = function.parent_op()
    return function


def _without_calls(function: llvm.FuncOp) -> None:
    """Prevent LLVM from replacing loops by calls such as ``memset``, which may change tile
    registers.
    """
    attr = function.properties.get("passthrough")
    passthrough = list(attr.data) if isinstance(attr, ArrayAttr) else []
    if NO_BUILTINS not in passthrough:
        function.properties["passthrough"] = ArrayAttr([*passthrough, NO_BUILTINS])


def _configurations(module: Operation) -> list[llvm.CallIntrinsicOp]:
    return [
        call
        for call in module.walk()
        if isinstance(call, llvm.CallIntrinsicOp) and call.intrin.data == "llvm.x86.ldtilecfg"
    ]
