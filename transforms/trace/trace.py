"""A trace: the calls of a schedule, as data that can be read, changed and performed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.support.diagnostics import KCError, ScheduleError, counted
from kc.support.display import to_html
from kc.support.locations import caller_location
from kc.support.target import target_to_build_for
from kc.transforms.tir.vectorize.choose_vector_form import choose_known_vector_form
from kc.transforms.to_tir import to_tir
from kc.transforms.trace.handles import Variable
from kc.transforms.trace.instruction import Instruction, replaced, samples
from kc.transforms.trace.json_form import from_json, to_json
from kc.transforms.trace.naming import name_variables
from kc.transforms.trace.python_form import SCHEDULE, call_text, from_python, to_python
from kc.transforms.trace.session import Session
from kc.transforms.trace.values import check_type

DecisionProvider = Callable[[Instruction, list[Any], list[Any], Any], Any]
"""A function that returns the decision of a sampling. Its arguments are the instruction, its
variables, its other arguments, and its previous decision.
"""

POSTPROC = "enter_postproc"


class PythonText(str):
    """A script that is also the sequence of its lines, as in TVM."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        return iter(self.splitlines())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list | tuple):
            return self.splitlines() == list(other)
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Trace:
    """The calls of a schedule, in order, with the decisions of samplings.

    ``str()`` is :meth:`as_python`. The variables of a trace are the handles of its schedule.
    """

    def __init__(
        self,
        insts: Sequence[Instruction] = (),
        decisions: Mapping[Instruction, Any] | None = None,
    ) -> None:
        chosen = decisions or {}
        self.insts = [
            inst.with_decision(chosen[inst]) if inst in chosen else inst for inst in insts
        ]

    def __len__(self) -> int:
        return len(self.insts)

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.insts)

    def __str__(self) -> str:
        return self.as_python()

    def __repr__(self) -> str:
        calls = self.as_python()
        return f"Trace of {counted(len(self), 'instruction')}" + (f"\n{calls}" if calls else "")

    def _repr_html_(self) -> str:
        return to_html((self.as_python(), "python"))

    @property
    def decisions(self) -> dict[Instruction, Any]:
        """The decision of each sampling."""
        return {
            instruction: instruction.decision
            for instruction in self.insts
            if instruction.decision is not None
        }

    def append(self, inst: Instruction, decision: Any = None) -> None:
        """Append an instruction, with ``decision`` if it is not None."""
        self.insts.append(inst if decision is None else inst.with_decision(decision))

    def pop(self) -> Instruction | None:
        """Remove and return the last instruction; None if there is none."""
        return self.insts.pop() if self.insts else None

    def get_decision(self, inst: Instruction) -> Any:
        """The decision of a sampling; None for any other instruction."""
        return inst.decision

    def with_decision(self, inst: Instruction, decision: Any, remove_postproc: bool) -> Trace:
        """A copy of the trace with a new decision for a sampling."""
        chosen = self._until_postproc(remove_postproc)
        return Trace(
            [
                instruction.with_decision(decision) if instruction is inst else instruction
                for instruction in chosen
            ]
        )

    # Forms ---------------------------------------------------------------------------------

    def as_python(self, remove_postproc: bool = False) -> PythonText:
        """The calls as Python text on ``sch``, one per line."""
        return PythonText(to_python(self._until_postproc(remove_postproc)))

    def as_json(self, remove_postproc: bool = False) -> dict[str, Any]:
        """Data for ``json.dumps``."""
        return to_json(self._until_postproc(remove_postproc))

    def as_mlir(self, remove_postproc: bool = False) -> str:
        """A module with a ``transform.named_sequence``, for ``kc-opt --apply-schedule=FILE``."""
        from kc.transforms.trace.sched_form import to_mlir

        return to_mlir(self._until_postproc(remove_postproc))

    @classmethod
    def from_python(cls, text: str | Sequence[str], name: str = "<trace>") -> Trace:
        """Read the text of :meth:`as_python`, without evaluating it.

        Raises ScheduleError with the line (``name`` is the name of the file).
        """
        return cls(from_python(text if isinstance(text, str) else "\n".join(text), name))

    @classmethod
    def from_json(cls, data: Any, name: str = "<trace>") -> Trace:
        """Read the result of :meth:`as_json`, or its text."""
        return cls(from_json(data, name))

    @classmethod
    def from_mlir(cls, text: str, name: str = "<trace>") -> Trace:
        """Read a module with one ``transform.named_sequence`` of ``sched`` operations."""
        from kc.transforms.trace.sched_form import from_mlir

        return cls(from_mlir(text, name))

    # Performing ----------------------------------------------------------------------------

    def apply_to(
        self,
        target: Any,
        remove_postproc: bool = False,
        decision_provider: DecisionProvider | None = None,
    ) -> None:
        """Perform the calls on a schedule, or on a module in place (graphs and te functions are
        lowered first).

        Decisions that are illegal, for example for another shape, are adapted as in TVM: see
        :mod:`kc.transforms.trace.sampling`. Raises ScheduleError with the refused call. The effects
        of the calls before it stay.
        """
        session = getattr(target, "session", None)
        if session is None:
            module = getattr(target, "op", target)
            if not isinstance(module, ModuleOp):
                raise ScheduleError(
                    "KC3702",
                    f"apply_to: target is a schedule or a module, not {check_type(target)}",
                    location=caller_location(),
                )
            to_tir(module)
            choose_known_vector_form(module)
            session = Session(module, target_to_build_for(module))
        replay(session, self._until_postproc(remove_postproc), decision_provider)

    apply_to_schedule = apply_to

    @classmethod
    def apply_json_to_schedule(cls, json_obj: Any, sch: Any) -> None:
        """Perform the calls of :meth:`as_json` on a schedule. Raises the errors of
        :meth:`apply_to`.
        """
        cls.from_json(json_obj).apply_to(sch)

    def simplified(self, remove_postproc: bool = False) -> Trace:
        """The trace without the queries and samplings whose results are unused."""
        retained: list[Instruction] = []
        used: set[int] = set()
        for instruction in reversed(self._until_postproc(remove_postproc)):
            if getattr(instruction.step, "pure", False) and not any(
                id(variable) in used for variable in instruction.outputs
            ):
                continue
            used.update(id(variable) for variable in instruction.inputs)
            retained.append(instruction)
        return Trace(retained[::-1])

    def _until_postproc(self, remove: bool) -> list[Instruction]:
        """The instructions; with ``remove``, only those before ``enter_postproc``."""
        if remove:
            for number, instruction in enumerate(self.insts):
                if instruction.kind == POSTPROC:
                    return self.insts[:number]
        return self.insts


def replay(
    session: Session,
    instructions: Sequence[Instruction],
    decision_provider: DecisionProvider | None = None,
    *,
    same: bool = False,
    explains: bool = True,
) -> None:
    """Perform instructions on a session, with new variables in place of their variables.

    With ``same``, the variables of the instructions refer to the new results. With ``explains``, a
    diagnostic names the refused call.
    """
    mapping: dict[int, Variable] = {}
    called = caller_location()
    before, session.adapting = session.adapting, not same
    try:
        for number, instruction in enumerate(instructions):
            arguments = instruction.arguments
            if mapping:
                arguments = {
                    key: replaced(argument, mapping) for key, argument in arguments.items()
                }
            decision = instruction.decision
            if decision_provider is not None and samples(instruction.step):
                inputs = instruction.inputs
                constants = [
                    argument
                    for argument in arguments.values()
                    if not isinstance(argument, Variable)
                ]
                decision = decision_provider(instruction, inputs, constants, decision)
            try:
                done = session.perform(
                    instruction.step,
                    arguments,
                    instruction.location,
                    decision=decision,
                    outputs=instruction.outputs if same else None,
                    unsafe=instruction.unsafe,
                )
                _check_count(instruction, done)
            except KCError as error:
                if not explains:
                    raise
                text = call_text(instruction, name_variables(instructions, [SCHEDULE]))
                place = f", applied at {called}" if called is not None else ""
                error.facts = (f"step {number + 1} of the trace{place}: {text}", *error.facts)
                raise
            mapping.update(
                (id(a), b) for a, b in zip(instruction.outputs, done.outputs, strict=False)
            )
    finally:
        session.adapting = before


def _check_count(recorded: Instruction, done: Instruction) -> None:
    """Refuse (KC3715) a step that returns a different number of results than its recorded call."""
    had, now = len(recorded.outputs), len(done.outputs)
    if had and had != now:
        raise ScheduleError(
            "KC3715",
            f"{recorded.kind} gives {now} results here, and {had} in the trace",
            location=recorded.location,
            why="the program differs from the program of which the trace is a record",
        )
