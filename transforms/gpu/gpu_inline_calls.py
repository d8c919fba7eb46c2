"""gpu-inline-calls: device functions are inlined into the kernels that call them.

Before::

    gpu.module @m {
      func.func @twice(%x: f32) -> f32 {
        %y = arith.addf %x, %x : f32
        func.return %y : f32
      }
      gpu.func @k(...) kernel {
        %y = func.call @twice(%x) : (f32) -> f32

After::

    gpu.module @m {
      gpu.func @k(...) kernel {
        %y = arith.addf %x, %x : f32

Thus no conversion needs to know the memory space of the arrays that a function takes, and barriers
in the function are barriers of the kernel. Inlined functions have no callers left and are erased;
declarations stay. Private functions of the host with the same names that the host does not call are
erased, too, as their code is for memory of the device.

Raises CodegenError KC4373, with the module unchanged, for a function that calls itself, or that has
several blocks, which cannot be inlined into a loop or an ``scf.if``.

MLIR: ``inline``.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.traits import SymbolTable

from kc.analysis.symbol_references import references
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


@dataclass(frozen=True)
class GpuInlineCallsPass(ModulePass):
    """Inline the functions of gpu.modules into the kernels that call them."""

    name = "gpu-inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        homes = [home for home in op.ops if isinstance(home, GPUModuleOp)]
        tables = [_functions(home) for home in homes]
        for functions in tables:
            for function in functions.values():
                _require_inlinable(function, functions)
        for home, functions in zip(homes, tables, strict=True):
            walker = PatternRewriteWalker(InlineCall(functions))
            for kernel in home.body.block.ops if functions else ():
                if isinstance(kernel, GPUFuncOp):
                    walker.rewrite_region(kernel.body)
            for function in functions.values():
                function.detach()
                function.drop_all_references()
                function.erase(safe_erase=False)
        _erase_uncalled(op, {name for functions in tables for name in functions})


def _erase_uncalled(module: ModuleOp, names: Set[str]) -> None:
    """Erase the private functions with ``names`` that no code of the host references."""
    private = {
        op
        for op in module.ops
        if isinstance(op, func.FuncOp) and op.sym_name.data in names and _is_private(op)
    }
    waiting = [op for op in module.ops if op not in private and not isinstance(op, GPUModuleOp)]
    while waiting:
        for op in waiting.pop().walk():
            for name in references(op):
                named = SymbolTable.lookup_symbol(module, name)
                if isinstance(named, func.FuncOp) and named in private:
                    private.remove(named)
                    waiting.append(named)
    for function in private:
        function.detach()
        function.erase()


def _is_private(function: func.FuncOp) -> bool:
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def _functions(home: GPUModuleOp) -> dict[str, func.FuncOp]:
    """The functions of a device by name, without declarations."""
    return {
        op.sym_name.data: op
        for op in home.body.block.ops
        if isinstance(op, func.FuncOp) and not op.is_declaration
    }


def _callees(function: func.FuncOp, functions: dict[str, func.FuncOp]) -> list[func.FuncOp]:
    names = [op.callee.root_reference.data for op in function.walk() if isinstance(op, func.CallOp)]
    return [functions[name] for name in names if name in functions]


def _require_inlinable(function: func.FuncOp, functions: dict[str, func.FuncOp]) -> None:
    if len(function.body.blocks) > 1:
        raise _refusal(function, "it has several blocks, which a loop around a call cannot contain")
    reached: dict[func.FuncOp, None] = dict.fromkeys(_callees(function, functions))
    for callee in (worklist := list(reached)):
        if callee is function:
            raise _refusal(function, "it calls itself, and kernels contain all their code inline")
        new = [inner for inner in _callees(callee, functions) if inner not in reached]
        reached.update(dict.fromkeys(new))
        worklist += new


def _refusal(function: func.FuncOp, why: str) -> CodegenError:
    return CodegenError(
        "KC4373",
        f"gpu-inline-calls: @{function.sym_name.data} cannot be inlined into its callers",
        location=location_of(function),
        why=why,
        hints=["use loops and branches of scf instead of blocks and recursive calls"],
    )


class InlineCall(RewritePattern):
    """``func.call @f(%x)`` -> the operations of ``@f`` on ``%x``."""

    def __init__(self, functions: dict[str, func.FuncOp]) -> None:
        self.functions = functions

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: func.CallOp, rewriter: PatternRewriter, /) -> None:
        function = self.functions.get(op.callee.root_reference.data)
        if function is None:
            return
        block = function.body.clone().block
        end = block.last_op
        assert isinstance(end, func.ReturnOp)
        results = list(end.arguments)
        block.detach_op(end)
        mapped: dict[SSAValue, SSAValue] = dict(zip(block.args, op.arguments, strict=True))
        values = [mapped.get(value, value) for value in results]
        end.drop_all_references()
        rewriter.inline_block(block, InsertPoint.before(op), op.arguments)
        rewriter.replace(op, [], values)
