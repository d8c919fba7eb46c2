"""The shared state of an LLVM IR module while its functions and globals are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from kc.codegen.llvm_ir.attributes import AttributeGroups
from kc.codegen.llvm_ir.debug import DebugInfo
from kc.codegen.llvm_ir.metadata import Metadata
from kc.codegen.llvm_ir.types import TypeTable, symbol
from kc.dialects.gpu import GPUModuleOp
from kc.dialects.llvm import FuncOp, GlobalOp
from kc.support.diagnostics import CodegenError, suggest
from kc.support.locations import location_of, op_name


def error(op: Operation, code: str, message: str, **details: object) -> CodegenError:
    """A diagnostic about ``op``."""
    return CodegenError(code, f"{op_name(op)}: {message}", location=location_of(op), **details)


@dataclass
class ModuleState:
    """The symbols of the module, and the tables printed after its functions."""

    symbols: dict[str, FuncOp | GlobalOp]
    target_attributes: list[str]  # for functions that name no CPU or features of their own
    types: TypeTable = field(default_factory=TypeTable)
    metadata: Metadata = field(default_factory=Metadata)
    debug: DebugInfo | None = None
    groups: AttributeGroups = field(default_factory=AttributeGroups)
    intrinsics: dict[str, str] = field(default_factory=dict)
    is_little_endian: bool = False

    def text(self, ty: Attribute) -> str:
        return self.types.text(ty)

    def declare_intrinsic(self, name: str, result: Attribute, inputs: Sequence[Attribute]) -> None:
        """Record the declaration of a called intrinsic."""
        if name not in self.intrinsics and name not in self.symbols:
            types = ", ".join(self.text(ty) for ty in inputs)
            self.intrinsics[name] = f"declare {self.text(result)} {symbol(name)}({types})"

    def lookup(self, op: Operation, name: str) -> FuncOp | GlobalOp:
        """The symbol ``op`` refers to."""
        definition = self.symbols.get(name)
        if definition is None:
            raise error(
                op,
                "KC4104",
                f"there is no symbol @{name} in the module",
                hints=suggest(name, self.symbols),
            )

        return definition


def collect_symbols(module: ModuleOp | GPUModuleOp) -> dict[str, FuncOp | GlobalOp]:
    """The functions and globals of a module by their name."""
    symbols: dict[str, FuncOp | GlobalOp] = {}
    for op in module.body.ops:
        if not isinstance(op, FuncOp | GlobalOp):
            raise error(
                op,
                "KC4105",
                "cannot be in a module that is translated to LLVM IR",
                why="at the top are only llvm.func and llvm.mlir.global",
            )
        if op.sym_name.data in symbols:
            raise error(op, "KC4104", f"a second symbol @{op.sym_name.data}")
        symbols[op.sym_name.data] = op
    return symbols
