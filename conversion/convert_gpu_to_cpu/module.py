"""The module while it is converted: its names, and the places of the checks."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation

from kc.conversion.convert_gpu_to_cpu.kernel import (
    Kernel,
)
from kc.dialects import llvm
from kc.support.fresh_names import fresh_name
from kc.support.ir_text import parse_module
from kc.support.locations import location_of


class EmulatedModule:
    """The module: its names, and the sites of the checks."""

    def __init__(self, ctx: Context, op: ModuleOp, check: bool) -> None:
        self.ctx = ctx
        self.op = op
        self.check = check
        self.sites: list[Attribute] = []
        self.taken = {
            name.data
            for inner in op.ops
            if isinstance(name := inner.properties.get("sym_name"), StringAttr)
        }

    def fresh(self, kernel: Kernel, part: str) -> str:
        """A name for a part of a kernel that nothing in the module has."""
        return fresh_name(f"{kernel.home}_{kernel.name}_{part}", self.taken)

    def add(self, text: str, source: Operation) -> None:
        """Add functions that are given as text, and stand for ``source``."""
        module = parse_module(text, "emulator", self.ctx)
        for op in list(module.body.block.ops):
            for inner in op.walk():
                inner.location = source.location
            op.detach()
            self.op.body.block.add_op(op)

    def text(self, text: str) -> str:
        """The name of a constant with these characters, and a zero."""
        name = fresh_name("kc_text", self.taken)
        data = StringAttr(text + "\0")
        size = len(data.data.encode())
        self.op.body.block.add_op(
            llvm.GlobalOp(llvm.LLVMArrayType(size, i8), name, "internal", constant=True, value=data)
        )
        return name

    def site(self, op: Operation, what: str, buffer: str = "", memory: str = "") -> int:
        """The number of a new place that findings name."""
        names = {"what": what, "buffer": buffer, "memory": memory}
        site: dict[str, Attribute] = {key: StringAttr(name) for key, name in names.items() if name}
        location = location_of(op)
        if location is not None:
            site["file"] = StringAttr(location.file)
            site["line"] = IntegerAttr(location.line, i64)
            site["column"] = IntegerAttr(location.column, i64)
        self.sites.append(DictionaryAttr(site))
        return len(self.sites) - 1
