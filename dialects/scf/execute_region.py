"""``scf.execute_region`` with the terminators of its blocks in the text, as MLIR has it."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.printer import Printer


class ExecuteRegionOp(scf.ExecuteRegionOp):
    """``scf.execute_region -> (i32) { ... scf.yield %x : i32 }``. Without results, xDSL's text
    omits the terminators, which a parser cannot infer because blocks may also end in branches.
    """

    def print(self, printer: Printer) -> None:
        if self.results:
            printer.print_string(" -> (")
            printer.print_list(self.result_types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.region, print_entry_block_args=False)
        if self.attributes:
            printer.print_attr_dict(self.attributes)
