"""evaluate-prepared: functions that prepare constants run, and their results become constants.

Before (``lift-constant-blocks``)::

    memref.global "private" constant @w : memref<512x1024xbf16> = dense<"0x...">
    memref.global "private" @main_W_packed : memref<32x512x16x2xbf16> = uninitialized
    func.func private @main.prepare(%W: memref<512x1024xbf16> {kc.global = @w},
        %W_packed: memref<32x512x16x2xbf16> {kc.global = @main_W_packed}) attributes {kc.prepares} {
      ...
    }

After::

    memref.global "private" constant @main_W_packed : memref<32x512x16x2xbf16> = dense<"0x...">

Private constants that nothing reads any more are gone.

The functions are compiled for the machine that builds, whatever the target is, and called with the
elements of the constants; results begin as zeros. Their arithmetic is that of the generated code.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from kc.analysis.module_copy import copy_operation
from kc.conversion.pipelines import TO_LLVM, planned_passes
from kc.dialects.tir import ForKind, ForOp
from kc.dialects.tir.loops import ForKindAttr
from kc.support import registry
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.pass_context import PipelineOptions, using_options, watching_steps
from kc.support.target import Target
from kc.transforms.pass_runner import Pipeline, stage_of
from kc.transforms.tir.blocks.lift_constant_blocks import GLOBAL, PREPARES, prepared

if TYPE_CHECKING:
    from kc.codegen.native import JitModule

_ALIGNMENT = 64
"""The alignment in bytes of the functions' arguments."""

_NAME = "prepare"
"""The symbol of each function while it is compiled."""


@dataclass(frozen=True)
class EvaluatePreparedPass(ModulePass):
    """Run the functions that prepare constants."""

    name = "evaluate-prepared"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in prepared(op):
            _evaluate(op, function)
            function.detach()
            function.erase()
        _erase_unread(op)

    def is_needed(self, op: ModuleOp) -> bool:
        """True if the module has such functions."""
        return bool(prepared(op))


def _evaluate(module: ModuleOp, function: FuncOp) -> None:
    """Run a function on the elements of its constants, and make the memory that it writes
    constant.
    """
    tables = {op.sym_name.data: op for op in module.ops if isinstance(op, memref.GlobalOp)}
    arguments = [_table(function, number, tables) for number in range(len(function.args))]
    arrays = [_Array(table) for table in arguments]
    code = _compiled(function)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(code.address(_NAME))
    call(*[array.address for array in arrays])
    for table, array in zip(arguments, arrays, strict=True):
        if table.constant is None:
            type_: Any = table.type
            shape = TensorType(type_.element_type, type_.get_shape())
            value = DenseIntOrFPElementsAttr(shape, BytesAttr(array.contents))
            table.properties["initial_value"] = value
            table.properties["constant"] = UnitAttr()


def _table(function: FuncOp, number: int, tables: dict[str, memref.GlobalOp]) -> memref.GlobalOp:
    attributes = function.arg_attrs.data[number].data if function.arg_attrs is not None else {}
    symbol = attributes.get(GLOBAL)
    table = tables.get(symbol.string_value()) if isinstance(symbol, SymbolRefAttr) else None
    if table is None or table.type != function.args[number].type:
        raise CodegenError(
            "KC4111",
            f"evaluate-prepared: argument {number} of @{function.sym_name.data} is not a global",
            location=location_of(function),
            why=f"a function with {PREPARES} runs when its module is built: the attribute "
            f"{GLOBAL} of each argument must name a global of its type",
            hints=["lift-constant-blocks makes such functions"],
        )
    return table


class _Array:
    """The elements of a global, in memory; the elements of a result are zeros."""

    def __init__(self, table: memref.GlobalOp) -> None:
        type_, value = table.type, table.initial_value
        assert isinstance(type_, MemRefType)
        element = type_.element_type
        assert isinstance(element, FixedBitwidthType)
        self.size = math.prod(type_.get_shape()) * ((element.bitwidth + 7) // 8)
        self._memory = ctypes.create_string_buffer(self.size + _ALIGNMENT)
        start = ctypes.addressof(self._memory)
        self.address = start + -start % _ALIGNMENT
        if isinstance(value, DenseIntOrFPElementsAttr):
            data = value.data.data
            data = data * (self.size // len(data)) if data else b""  # one element may be all
            ctypes.memmove(self.address, data, self.size)

    @property
    def contents(self) -> bytes:
        """The elements."""
        return ctypes.string_at(self.address, self.size)


def _compiled(function: FuncOp) -> JitModule:
    from kc.codegen.llvm_ir import emit_llvm_ir
    from kc.codegen.native import jit

    copy = copy_operation(function)
    assert isinstance(copy, FuncOp)
    copy.properties["sym_name"] = StringAttr(_NAME)
    for name in ("sym_visibility", "arg_attrs"):
        copy.properties.pop(name, None)
    del copy.attributes[PREPARES]
    for loop in copy.walk():
        if isinstance(loop, ForOp) and loop.kind.data is ForKind.PARALLEL:
            loop.properties["kind"] = ForKindAttr(ForKind.SERIAL)
    module = ModuleOp([copy])
    host = Target.host_cpu()
    with host, using_options(PipelineOptions()), watching_steps(None):
        stages = [stage_of(planned) for planned in planned_passes(TO_LLVM, host.kind)]
        Pipeline(stages).run(registry.context(), module)
    return jit(emit_llvm_ir(module, triple=host.triple))


def _erase_unread(module: ModuleOp) -> None:
    """Erase private constants that nothing reads any more."""
    read = {op.name_.string_value() for op in module.walk() if isinstance(op, memref.GetGlobalOp)}
    for op in list(module.ops):
        if (
            isinstance(op, memref.GlobalOp)
            and op.constant is not None
            and op.sym_visibility is not None
            and op.sym_visibility.data == "private"
            and op.sym_name.data not in read
        ):
            op.detach()
            op.erase()
