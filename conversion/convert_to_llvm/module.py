"""The traversal of the top-level operations of a module."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Region
from xdsl.pattern_rewriter import RewritePattern

from kc.conversion.convert_to_llvm.func import lower_body
from kc.conversion.convert_to_llvm.function import FunctionLowering
from kc.conversion.convert_to_llvm.memref import lower_global
from kc.conversion.convert_to_llvm.new_module import NewModule
from kc.conversion.convert_to_llvm.refusals import placed, unsupported
from kc.conversion.convert_to_llvm.signatures import signature_of
from kc.conversion.convert_to_llvm.types import TARGET
from kc.conversion.driver import require_legal
from kc.support.diagnostics import CodegenError
from kc.transforms.tir.storage.instrument_bound_checkers import SITES


def lower_module(module: ModuleOp, patterns: tuple[type[RewritePattern], ...]) -> None:
    """Translate the functions and globals of ``module``.

    Raises CodegenError, with the module unchanged.
    """
    new = NewModule(module)
    tops = list(module.body.block.ops)
    for op in tops:
        try:
            if isinstance(op, FuncOp):
                new.signatures[op.sym_name.data] = signature_of(op)
            elif op.name == "memref.global":
                lower_global(new, op, keeps_state=True)
            elif op.name.startswith("llvm."):
                new.add(op)
            else:
                raise unsupported(op, patterns)
        except CodegenError as error:
            raise placed(error, op) from None
    for op in tops:
        if isinstance(op, FuncOp):
            _lower_function(new, op, patterns)
    require_legal(TARGET, new.operations())
    new.replace_contents()


def _lower_function(
    new: NewModule, func: FuncOp, patterns: tuple[type[RewritePattern], ...]
) -> None:
    name = func.sym_name.data
    signature = new.signatures[name]
    private = func.sym_visibility is not None and func.sym_visibility.data == "private"
    if func.is_declaration:
        body = Region()
    else:
        body = lower_body(FunctionLowering(new, patterns, name, func), func, signature)
    new.add_function(
        name,
        signature,
        body,
        func,
        internal=private and not func.is_declaration,
        attributes={key: value for key, value in func.attributes.items() if key != SITES},
    )
