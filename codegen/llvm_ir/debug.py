"""Debug information of LLVM IR: the user's line of each instruction.

Functions are in the namespace ``kc``, so that a debugger distinguishes ``kc::main`` from C's
``main``. An instruction whose op has no location is at line 0, as DWARF specifies.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from kc.codegen.llvm_ir.metadata import Metadata
from kc.codegen.llvm_ir.types import quoted
from kc.dialects.llvm import FuncOp
from kc.support.c_names import name_of_symbol
from kc.support.diagnostics import Location
from kc.support.locations import location_of, to_location

NAMESPACE = "kc"


class DebugInfo:
    """The debug information of one module; ``metadata`` has its nodes."""

    def __init__(self, metadata: Metadata, functions: Sequence[FuncOp]):
        """``functions`` are the functions with a body."""
        self._metadata = metadata
        places = [place for function in functions if (place := _place_of(function)) is not None]
        self._main = self._file(places[0].file if places else "<unknown>")
        self._unit = metadata.distinct(
            f'!DICompileUnit(language: DW_LANG_C_plus_plus_14, file: {self._main}, producer: "kc", '
            "isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)"
        )
        self._namespace = metadata.shared(f'!DINamespace(name: "{NAMESPACE}", scope: null)')
        self._type = metadata.shared(f"!DISubroutineType(types: {metadata.node()})")
        # All readers support version 4, which loses nothing here.
        self._flags = [
            metadata.node("i32 2", '!"Debug Info Version"', "i32 3"),
            metadata.node("i32 7", '!"Dwarf Version"', "i32 4"),
        ]

    def lines(self) -> list[str]:
        """The metadata that declares the module's debug information."""
        return [
            f"!llvm.dbg.cu = !{{{self._unit}}}",
            f"!llvm.module.flags = !{{{', '.join(self._flags)}}}",
        ]

    def _file(self, name: str) -> str:
        return self._metadata.shared(f'!DIFile(filename: {quoted(name.encode())}, directory: "")')

    def function(self, op: FuncOp) -> FunctionDebugInfo:
        """The debug information of a function with a body."""
        place = _place_of(op)
        file = self._main if place is None else self._file(place.file)
        line = 0 if place is None else place.line
        name = quoted(name_of_symbol(op.sym_name.data).encode())
        local = "DISPFlagLocalToUnit | " if op.linkage.linkage.data == "internal" else ""
        node = self._metadata.distinct(
            f"!DISubprogram(name: {name}, scope: {self._namespace}, "
            f"file: {file}, line: {line}, type: {self._type}, scopeLine: {line}, "
            f"spFlags: {local}DISPFlagDefinition | DISPFlagOptimized, unit: {self._unit})"
        )
        return FunctionDebugInfo(self, node, file)

    def position(self, place: Location | None, function: FunctionDebugInfo) -> str:
        """The node of a position in a function."""
        scope = function.node
        if place is None:
            return self._metadata.shared(f"!DILocation(line: 0, scope: {scope})")
        file = self._file(place.file)
        if file != function.file:
            scope = self._metadata.shared(
                f"!DILexicalBlockFile(scope: {scope}, file: {file}, discriminator: 0)"
            )
        column = f"column: {place.column}, " if place.column else ""
        return self._metadata.shared(f"!DILocation(line: {place.line}, {column}scope: {scope})")


class FunctionDebugInfo:
    """The debug information of one function: its :attr:`node`, in :attr:`file`."""

    def __init__(self, module: DebugInfo, node: str, file: str):
        self.node = node
        self.file = file
        self._module = module
        self._positions: dict[Location | None, str] = {}

    def of(self, op: Operation) -> str:
        """The suffix ``, !dbg !5`` of an instruction for ``op``."""
        place = to_location(op.location)
        text = self._positions.get(place)
        if text is None:
            text = self._positions[place] = f", !dbg {self._module.position(place, self)}"
        return text


def _place_of(function: FuncOp) -> Location | None:
    """The location of a function, or else the first location in its body."""
    place = location_of(function)
    if place is not None:
        return place
    places = (to_location(op.location) for op in function.walk())
    return next((place for place in places if place is not None), None)
