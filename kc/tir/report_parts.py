"""The parts of a module that the steps of a schedule's report show. Unchanged parts are reused.

A primitive changes a few of many nests. The operations of a function's body are the units that are
printed and whose costs are estimated; the result of an unchanged operation is reused.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.cost import Cost, estimate
from kc.analysis.verify_changes import states
from kc.support.diagnostics import Location
from kc.support.ir_text import NamingPrinter
from kc.support.locations import to_location
from kc.transforms.schedule.base import Site


@dataclass(frozen=True, eq=False)
class Part:
    """An operation of a function's body, unchanged over a number of steps."""

    function: str
    """The name of the function; "" if it is no loop tree."""
    text: str
    """The lines of the IR with their indentation. The names in a nest are independent of other
    nests.
    """
    tree: tuple[tuple[str, Operation | None], ...]
    """The loop tree: lines, and the op that each shows."""
    origins: tuple[Location | None, ...]
    """The source location of the operation of each line."""
    cost: Cost | None
    """The cost of one execution, if the operation has loops or blocks."""


Piece = str | Part
"""A line of a module outside of functions' bodies, or a part."""


@dataclass
class _Known:
    """The cached results for an operation, with the inputs that they depend on."""

    part: Part
    token: object | None
    states: tuple[object, ...] | None
    outside: list[tuple[SSAValue, str]]
    """The values from outside that the operation uses, and their names."""
    counts: dict[str, int]
    """The number of values per name hint at the time of printing, for the hints used in the
    operation.
    """
    free: set[str]
    """The hints in the operation that were unused at that time."""
    number: int
    """The number of the next value without a name."""
    results: list[tuple[SSAValue, str]]
    taken: dict[str, int]
    """The changes to the names in use that the operation's results made."""
    next_number: int


class PartReader:
    """Reads a module step after step."""

    def __init__(self, caches: Callable[[], Sequence[int]]) -> None:
        """``caches``: the sizes that traffic is counted for."""
        self.caches = caches
        self._known: dict[Operation, _Known] = {}

    def read(self, module: ModuleOp, site: Site | None = None) -> tuple[Piece, ...]:
        """The module, in pieces; ``site``: the function that the step scheduled."""
        printer = _PartPrinter(self, self._known, site)
        printer.print_op(module)
        self._known = printer.read
        return printer.finish()


class _PartPrinter(NamingPrinter):
    def __init__(
        self, reader: PartReader, records: dict[Operation, _Known], site: Site | None
    ) -> None:
        super().__init__(io.StringIO())
        self.reader = reader
        self.records = records
        self.site = site
        self.read: dict[Operation, _Known] = {}
        self.pieces: list[Piece] = []

    def finish(self) -> tuple[Piece, ...]:
        """The pieces of the printed text."""
        self._flush()
        return tuple(self.pieces)

    def print_block(self, block: Block, *args: Any, **options: Any) -> None:
        if not _has_parts(block):
            super().print_block(block, *args, **options)
            return
        self._flush()
        is_scheduled = self.site is not None and block.parent_op() is self.site.function
        with self.indented():
            for op in block.ops:
                record = self.records.get(op)
                token = self.site.state_of(op) if self.site and is_scheduled else None
                if record is None or not self._is_as_before(op, record, token):
                    record = self._print_part(op, record, token)
                else:
                    for value, name in record.results:
                        self._ssa_values[value] = name
                    if record.taken:
                        self.ssa_names.update(record.taken)
                    self._next_valid_name_id[-1] = record.next_number
                self.read[op] = record
                self.pieces.append(record.part)

    def _flush(self) -> None:
        """Make pieces of the lines that were printed since the last part."""
        assert isinstance(self.stream, io.StringIO)
        text = self.stream.getvalue()
        self.pieces += [line for line in text.split("\n") if line.strip()]
        self.stream = io.StringIO()

    def _is_as_before(self, op: Operation, record: _Known, token: object | None) -> bool:
        names = self.ssa_names
        if record.number != self._next_valid_name_id[-1]:
            return False
        if not (record.counts.items() <= names.items() and names.keys().isdisjoint(record.free)):
            return False
        for value, name in record.outside:
            if self._ssa_values.get(value) != name:
                return False
        if token is not None and token is record.token:
            return True
        tokens = states(op)
        if tokens is None or record.states is None or len(tokens) != len(record.states):
            return False
        record.token = token
        return all(now is then for now, then in zip(tokens, record.states, strict=True))

    def _print_part(self, op: Operation, record: _Known | None, token: object | None) -> _Known:
        number = self._next_valid_name_id[-1]
        inside = list(loop_tree.preorder(op))
        values = [value for inner in inside for value in inner.results]
        values += [
            arg
            for inner in inside
            for region in inner.regions
            for block in region.blocks
            for arg in block.args
        ]
        hints = {value.name_hint for value in values if value.name_hint}
        counts = {hint: self.ssa_names[hint] for hint in hints if hint in self.ssa_names}
        # Results have names that are unique in the function, values inside names unique in the
        # operation.
        names = self.ssa_names.copy()
        for value in op.results:
            self._name(value)
        taken = {name: n for name, n in self.ssa_names.items() if names.get(name) != n}
        next_number = self._next_valid_name_id[-1]
        around, self.stream = self.stream, io.StringIO()
        self.enter_scope()
        super().print_op(op)
        self.exit_scope()
        text, self.stream = self.stream.getvalue(), around
        own = set(values)
        outside = {
            operand: self._ssa_values[operand]
            for inner in inside
            for operand in inner.operands
            if operand not in own and operand in self._ssa_values
        }
        function = op.parent_op()
        is_loops = isinstance(function, func.FuncOp)
        tree = tuple(loop_tree.lines(op)) if is_loops else ()
        part = Part(
            function.sym_name.data if is_loops else "",
            self._indent * "  " + text,
            tree,
            tuple(to_location(shown.location) if shown else None for _, shown in tree),
            estimate(function, self.reader.caches(), within=[op])
            if is_loops and op.regions
            else None,
        )
        if record is not None and (part.text, part.tree) == (record.part.text, record.part.tree):
            part = record.part
        return _Known(
            part,
            token,
            states(op) if token is None else None,  # which takes longer to ask for
            list(outside.items()),
            counts,
            hints - counts.keys(),
            number,
            [(value, self._ssa_values[value]) for value in op.results],
            taken,
            next_number,
        )

    def _name(self, value: SSAValue) -> None:
        around, self.stream = self.stream, io.StringIO()
        self.print_ssa_value(value)
        self.stream = around


def _has_parts(block: Block) -> bool:
    """True if ``block`` is the only block of a function's body."""
    function = block.parent_op()
    if function is None or not isinstance(function.parent_op(), ModuleOp):
        return False
    region = block.parent_region()
    return region is not None and region.first_block is region.last_block
