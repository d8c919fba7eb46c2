"""apply-schedule: a schedule in the form of IR is applied to the functions in the same module.

Before::

    func.func @f(...) { tir.for %i in 16 { tir.block "C" ... } }
    transform.named_sequence @__transform_main(%module: !transform.any_op) {
      %C = sched.get_block "C"
      %i = sched.get_loop %C "i"
      %i_o, %i_i = sched.split %i factors [?, 4]
      transform.yield
    }

After::

    func.func @f(...) { tir.for %i_o in 4 { tir.for %i_i in 4 { tir.block "C" ... } } }

All sequences are removed. ``file`` names a file whose sequence is performed instead
(``--apply-schedule=FILE``), and ``sequence`` selects one of several sequences (default:
``@__transform_main``, or the only one). Every step is checked as the primitive is elsewhere, and a
refusal is reported at the operation of the step.

*Legal when* KC3720: the sequence exists; KC3721: its only argument is the module; KC3722: it
contains only operations of ``sched``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.analysis.dominance import check_dominance
from kc.support import registry
from kc.support.diagnostics import source_text
from kc.support.files import read_text
from kc.support.ir_text import parse_module, verify_module
from kc.support.target import target_of
from kc.transforms.tir.vectorize.choose_vector_form import choose_known_vector_form
from kc.transforms.to_tir import to_tir
from kc.transforms.trace.sched_form import MARK, find_sequence, from_sequence, sequences
from kc.transforms.trace.session import Session
from kc.transforms.trace.trace import replay


@dataclass(frozen=True)
class ApplySchedulePass(ModulePass):
    """Perform a schedule in the form of IR (dialect sched)."""

    name = "apply-schedule"

    file: str | None = field(
        default=None, metadata={"help": "the file with the sequence (default: the module)"}
    )
    sequence: str | None = field(
        default=None,
        metadata={"help": "the sequence (default: __transform_main, or the only one)"},
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.file is None:
            self._perform(op, op)
        else:
            text = read_text(self.file)
            with source_text(self.file, text):
                schedule = parse_module(text, self.file, registry.context())
                verify_module(schedule)
                check_dominance(schedule)
                self._perform(op, schedule)
        for sequence in sequences(op):
            sequence.detach()
            sequence.erase()
        op.attributes.pop(MARK, None)

    def _perform(self, module: ModuleOp, schedule: ModuleOp) -> None:
        name = self.sequence.removeprefix("@") if self.sequence is not None else None
        instructions = from_sequence(find_sequence(schedule, name))
        to_tir(module)
        choose_known_vector_form(module)
        replay(Session(module, target_of(module)), instructions, explains=False)
