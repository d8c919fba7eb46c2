"""The module during conversion: names, and sites of checks."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation

from kc.analysis.module_copy import copy_module
from kc.conversion.convert_gpu_to_cpu.kernel import (
    Kernel,
)
from kc.conversion.convert_gpu_to_cpu.runtime import RUNTIME
from kc.dialects import llvm
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.ir_text import parse_module
from kc.support.locations import location_of

_PARSED: dict[str, ModuleOp] = {}
MOST_PARSED = 200
"""The maximum number of parsed texts in the cache."""
MOST_SITES = (1 << 15) - 1
"""The maximum number of sites: ``emulator.c`` keeps the site of each access in an ``int16_t``."""


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
        """A name for a part of a kernel that is unused in the module."""
        return fresh_name(f"{kernel.home}_{kernel.name}_{part}", self.taken)

    def add(self, text: str, source: Operation, names: dict[str, str]) -> None:
        """Add functions given as text, which replace ``source``. ``names`` maps names in the text
        to names in the module.
        """
        module = self._parsed(text)
        for op in module.walk():
            for key in ("sym_name", "callee"):
                name = op.properties.get(key)
                if isinstance(name, StringAttr) and name.data in names:
                    op.properties[key] = StringAttr(names[name.data])
                elif isinstance(name, SymbolRefAttr) and name.string_value() in names:
                    op.properties[key] = SymbolRefAttr(names[name.string_value()])
        self._add(module, source)

    def add_runtime(self, name: str) -> None:
        """Add the functions of the emulator that ``RUNTIME`` has under this name."""
        self._add(self._parsed(RUNTIME[name]), self.op)

    def _parsed(self, text: str) -> ModuleOp:
        """A copy of the parsed text, which is cached: kernels with equal arguments have equal
        launch functions.
        """
        module = _PARSED.get(text)
        if module is None:
            if len(_PARSED) == MOST_PARSED:
                _PARSED.clear()
            module = _PARSED[text] = parse_module(text, "emulator", self.ctx)
        copy = copy_module(module)
        for op, copied in zip(module.walk(), copy.walk(), strict=True):
            for region, copied_region in zip(op.regions, copied.regions, strict=True):
                for block, new in zip(region.blocks, copied_region.blocks, strict=True):
                    new.name_hint = block.name_hint
        return copy

    def _add(self, module: ModuleOp, source: Operation) -> None:
        for op in list(module.body.block.ops):
            for inner in op.walk():
                inner.location = source.location
            op.detach()
            self.op.body.block.add_op(op)

    def text(self, text: str) -> str:
        """The name of a constant with these characters and a terminating zero."""
        name = fresh_name("kc_text", self.taken)
        data = StringAttr(text + "\0")
        size = len(data.data.encode())
        self.op.body.block.add_op(
            llvm.GlobalOp(llvm.LLVMArrayType(size, i8), name, "internal", constant=True, value=data)
        )
        return name

    def site(self, op: Operation, what: str, buffer: str = "", memory: str = "") -> int:
        """The number of a new site for reports. Raises CodegenError KC4374 if there are too
        many.
        """
        if len(self.sites) == MOST_SITES:
            raise CodegenError(
                "KC4374",
                f"convert-gpu-to-cpu: kernels have more than {MOST_SITES} places to watch",
                location=location_of(op),
                why="the emulator numbers accesses and barriers of the module with 15 bits",
                hints=[
                    "unroll less, or check the kernels of a module one by one",
                    'run the module built for "cuda-emu", which does not watch accesses',
                ],
            )
        names = {"what": what, "buffer": buffer, "memory": memory}
        site: dict[str, Attribute] = {key: StringAttr(name) for key, name in names.items() if name}
        location = location_of(op)
        if location is not None:
            site["file"] = StringAttr(location.file)
            site["line"] = IntegerAttr(location.line, i64)
            site["column"] = IntegerAttr(location.column, i64)
        self.sites.append(DictionaryAttr(site))
        return len(self.sites) - 1
