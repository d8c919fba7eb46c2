"""reuse-workspace: keep the memory of a function's buffers for its next call.

Before::

    llvm.func @f(%A: !llvm.ptr) {
      %B = llvm.call @aligned_alloc(%c64, %c4096) : (i64, i64) -> !llvm.ptr
      ...
      llvm.call @free(%B) : (!llvm.ptr) -> ()
      llvm.return
    }

After::

    llvm.mlir.global internal @f.workspace.0() : !llvm.ptr
    llvm.func internal @f.workspace.0.take() -> (!llvm.ptr {llvm.noalias}) { ... }
    llvm.func internal @f.workspace.0.keep(%memory: !llvm.ptr) { ... }
    llvm.func @f.workspace.release() { ... }
    llvm.func @f(%A: !llvm.ptr) {
      %B = llvm.call @f.workspace.0.take() : () -> !llvm.ptr
      ...
      llvm.call @f.workspace.0.keep(%B) : (!llvm.ptr) -> ()
      llvm.return
    }

``take`` exchanges the contents of a global variable for null, and allocates memory if it was null.
``keep`` exchanges it for the memory that the function frees, and frees the previous contents. Calls
on the same thread therefore use the same memory, which is mapped and cached. Concurrent calls never
share memory: one call gets the kept memory, the others allocate. ``release`` frees the kept memory;
kc calls it before it unloads the code.

The pass applies to allocations of constant size, of at least a page (4 KiB), that the same function
frees. Smaller allocations are cheap, and LLVM removes them if their elements stay in registers. A
buffer in a loop is also kept from iteration to iteration.

Functions with the attribute ``kc.keeps_memory`` keep memory of any size that is known at the call
only, too: what they keep begins with its size, and is replaced by larger memory when a call needs
that. With the option ``marked``, the pass applies to these functions alone.

The allocations that a function keeps determine what its ``release`` frees. The unit of rewriting is
therefore the function, and there is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.dialects import llvm
from kc.support import registry
from kc.support.ir_text import parse_module

RELEASE = ".workspace.release"
"""The suffix of the function that frees the kept memory of another function."""

KEEPS_MEMORY = "kc.keeps_memory"
"""The attribute of a function that keeps its memory, whatever the option of the build says."""

SMALLEST = 4096
"""The size in bytes of the smallest allocation that is kept."""

HEAD = 64
"""The bytes before memory that is kept with its size: a multiple of its alignment."""

_ALLOCATE, _FREE = "aligned_alloc", "free"

_VARIABLE = """
llvm.mlir.global internal @{name}() : !llvm.ptr {{
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}}
llvm.func internal @{name}.take() -> (!llvm.ptr {{llvm.noalias}}) attributes {{no_inline}} {{
  %variable = llvm.mlir.addressof @{name} : !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %kept = llvm.atomicrmw xchg %variable, %null acquire : !llvm.ptr, !llvm.ptr
  %is_none = llvm.icmp "eq" %kept, %null : !llvm.ptr
  llvm.cond_br %is_none, ^allocate, ^reuse
^allocate:
  %alignment = llvm.mlir.constant({alignment}) : {type}
  %size = llvm.mlir.constant({size}) : {type}
  %memory = llvm.call @aligned_alloc(%alignment, %size) : ({type}, {type}) -> !llvm.ptr
  llvm.return %memory : !llvm.ptr
^reuse:
  llvm.return %kept : !llvm.ptr
}}
llvm.func internal @{name}.keep(%memory: !llvm.ptr) attributes {{no_inline}} {{
  %variable = llvm.mlir.addressof @{name} : !llvm.ptr
  %kept = llvm.atomicrmw xchg %variable, %memory acq_rel : !llvm.ptr, !llvm.ptr
  llvm.call @free(%kept) : (!llvm.ptr) -> ()
  llvm.return
}}
"""
_VARIABLE_OF_ANY_SIZE = """
llvm.mlir.global internal @{name}() : !llvm.ptr {{
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}}
llvm.func internal @{name}.take(%size: {type}) -> (!llvm.ptr {{llvm.noalias}}) attributes {{no_inline}} {{
  %variable = llvm.mlir.addressof @{name} : !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %head = llvm.mlir.constant({head} : {type}) : {type}
  %kept = llvm.atomicrmw xchg %variable, %null acquire : !llvm.ptr, !llvm.ptr
  %is_none = llvm.icmp "eq" %kept, %null : !llvm.ptr
  llvm.cond_br %is_none, ^allocate, ^look
^look:
  %had = llvm.load %kept : !llvm.ptr -> {type}
  %is_enough = llvm.icmp "uge" %had, %size : {type}
  llvm.cond_br %is_enough, ^give(%kept : !llvm.ptr), ^replace
^replace:
  llvm.call @free(%kept) : (!llvm.ptr) -> ()
  llvm.br ^allocate
^allocate:
  %alignment = llvm.mlir.constant({head} : {type}) : {type}
  %all = llvm.add %size, %head : {type}
  %memory = llvm.call @aligned_alloc(%alignment, %all) : ({type}, {type}) -> !llvm.ptr
  llvm.store %size, %memory : {type}, !llvm.ptr
  llvm.br ^give(%memory : !llvm.ptr)
^give(%given: !llvm.ptr):
  %begin = llvm.getelementptr %given[{head}] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.return %begin : !llvm.ptr
}}
llvm.func internal @{name}.keep(%begin: !llvm.ptr) attributes {{no_inline}} {{
  %memory = llvm.getelementptr %begin[-{head}] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @{name}.exchange(%memory) : (!llvm.ptr) -> ()
  llvm.return
}}
llvm.func internal @{name}.exchange(%memory: !llvm.ptr) {{
  %variable = llvm.mlir.addressof @{name} : !llvm.ptr
  %kept = llvm.atomicrmw xchg %variable, %memory acq_rel : !llvm.ptr, !llvm.ptr
  llvm.call @free(%kept) : (!llvm.ptr) -> ()
  llvm.return
}}
"""  # noqa: E501
_RELEASE = """
llvm.func @{function} {{
  %null = llvm.mlir.zero : !llvm.ptr
{calls}  llvm.return
}}
"""


@dataclass(frozen=True)
class ReuseWorkspacePass(ModulePass):
    """Keep the memory that functions allocate from one call to the next."""

    name = "reuse-workspace"

    marked: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in [function for function in op.ops if isinstance(function, llvm.FuncOp)]:
            is_marked = KEEPS_MEMORY in function.attributes
            if self.marked and not is_marked:
                continue
            label = function.sym_name.data
            calls = [call for call in function.walk() if isinstance(call, llvm.CallOp)]
            reused = [call for call in calls if _is_reusable(call, any_size=is_marked)]
            releases: list[str] = []
            for number, call in enumerate(reused):
                releases.append(_keep(call, f"{label}.workspace.{number}", function))
            if reused:
                keeps = "".join(
                    f"  llvm.call @{release}(%null) : (!llvm.ptr) -> ()\n" for release in releases
                )
                text = _RELEASE.format(function=f"{label}{RELEASE}()", calls=keeps)
                _insert(text, function)


def _calls(op: Operation, name: str) -> bool:
    return (
        isinstance(op, llvm.CallOp) and op.callee is not None and op.callee.string_value() == name
    )


def _is_reusable(call: llvm.CallOp, *, any_size: bool) -> bool:
    """True if the call allocates memory of a large constant size that this function frees; with
    ``any_size``, also if the size is not constant."""
    if not _calls(call, _ALLOCATE) or not any(_frees(call)):
        return False
    alignment, size = _arguments(call)
    if size is None:
        return any_size and alignment == HEAD
    return size >= SMALLEST


def _arguments(call: llvm.CallOp) -> Iterator[int | None]:
    """Alignment and size; None if they are not constant."""
    for argument in call.args:
        constant = argument.owner
        value = constant.value if isinstance(constant, llvm.ConstantOp) else None
        yield value.value.data if isinstance(value, IntegerAttr) else None


def _frees(call: llvm.CallOp) -> Iterator[Operation]:
    return (use.operation for use in call.results[0].uses if _calls(use.operation, _FREE))


def _keep(call: llvm.CallOp, name: str, function: llvm.FuncOp) -> str:
    """Replace ``call``, and the calls that free its result, by uses of the variable ``name``.

    Returns the name of the function that frees what is kept if it is given null.
    """
    alignment, size = _arguments(call)
    kind = call.args[1].type
    if size is None:
        text = _VARIABLE_OF_ANY_SIZE.format(name=name, head=HEAD, type=kind)
    else:
        text = _VARIABLE.format(
            name=name, alignment=f"{alignment} : {kind}", size=f"{size} : {kind}", type=kind
        )
    _insert(text, function)
    for freed in list(_frees(call)):
        Rewriter.replace_op(freed, llvm.CallOp(f"{name}.keep", call.results[0]), [])
    sizes = [call.args[1]] if size is None else []
    taken = llvm.CallOp(f"{name}.take", *sizes, return_type=call.results[0].type)
    Rewriter.replace_op(call, taken)
    return f"{name}.keep" if size is not None else f"{name}.exchange"


def _insert(text: str, function: llvm.FuncOp) -> None:
    """Insert functions and variables before ``function``."""
    parsed = parse_module(text, "reuse-workspace", registry.context())
    ops = list(parsed.ops)
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, InsertPoint.before(function))
