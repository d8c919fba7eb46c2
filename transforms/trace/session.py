"""The engine of all interfaces that schedule with handles: it performs steps on a module.

A :class:`Session` maps handles to loops and blocks, updates this mapping while primitives rewrite
the module, and records the successful calls. ``kc.tir.Schedule``, the replay of a trace and the
pass ``apply-schedule`` use :meth:`Session.perform`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.analysis.module_copy import copy_module
from kc.analysis.verify_changes import verify_changes
from kc.dialects.tir import BlockOp, ForOp
from kc.support.declarations import REQUIRED, slots
from kc.support.diagnostics import (
    InternalError,
    KCError,
    Location,
)
from kc.support.ir_text import verify_module
from kc.support.registry import pass_class
from kc.support.target import Target
from kc.transforms.schedule.base import (
    BlockRef,
    LoopRef,
    Primitive,
    Site,
    called_from,
    copy_history,
    perform,
)
from kc.transforms.trace.handles import BlockRV, ExprRV, Handle, LoopRV, Mark, Variable
from kc.transforms.trace.instruction import Instruction
from kc.transforms.trace.query import Answer, Query
from kc.transforms.trace.table import Handles, refused, root_is_no_block
from kc.transforms.trace.values import build

Step = type[Primitive] | type[Query]

# The primitive that replaces compute-at if the sampled place is not a loop.
_INLINE = {"compute-at": "compute-inline", "reverse-compute-at": "reverse-compute-inline"}


class Session(Handles):
    """A module that is being scheduled, its handles, and the calls performed on it.

    ``module`` is rewritten in place. ``seed`` makes sampling reproducible.
    """

    def __init__(self, module: ModuleOp, target: Target, seed: int | None = None) -> None:
        super().__init__(module, target)
        verify_changes(module)
        self.trace: list[Instruction] = []
        """The recorded calls, all of which succeeded."""
        self.random = random.Random(seed)
        self.checks = False
        """True if the module is verified after each primitive."""
        self.adapting = False
        """True if an invalid decision is adapted (in a replay) instead of refused."""
        self.answers: dict[BlockOp, Any] = {}
        """The cached results of queries about a block since the last rewrite."""

    def copy(self) -> Session:
        """An independent session in the same state, with a copy of the module."""
        module = copy_module(self.module)
        twin = dict(zip(self.module.walk(), module.walk(), strict=True))
        copy = self.fresh(module)
        for handle, target in self.table.items():
            new = target if isinstance(target, Mark) else twin.get(target)
            # A handle to an operation that was erased without a report stays unbound.
            if isinstance(new, Mark | ForOp | BlockOp | func.FuncOp):
                copy.bind(handle, new)
        copy.gone = dict(self.gone)
        copy.trace = list(self.trace)
        for function in self.module.body.block.ops:
            copy_history(function, twin[function])
        return copy

    def fresh(self, module: ModuleOp) -> Session:
        """A new session with the settings of this session and an empty trace."""
        session = Session(module, self.target)
        session.random.setstate(self.random.getstate())
        session.working, session.checks = self.working, self.checks
        return session

    def become(self, session: Session) -> None:
        """Replace the module, the handles and the trace by those of another session."""
        self.module, self.trace = session.module, session.trace
        self.table, self.gone, self._handles = session.table, session.gone, session._handles
        self._sites = session._sites

    # Performing ----------------------------------------------------------------------------

    def perform(
        self,
        step: Step,
        arguments: dict[str, Any],
        location: Location | None = None,
        *,
        decision: Any = None,
        outputs: tuple[Variable, ...] | None = None,
        unsafe: bool = False,
    ) -> Instruction:
        """Perform a step, and record it. Raises a diagnostic, without a change of the module, if
        the step is refused.

        ``outputs`` are handles of an earlier run that will refer to the results.
        """
        if self.working is not None and _takes_function(step, arguments):
            arguments = {**arguments, "func": self.working}
        with called_from(location):
            if issubclass(step, Query):
                answer = self._ask(step, arguments, decision)
            else:
                answer = self._rewrite(step, arguments, location, unsafe)
            variables = self._outputs(step, answer, outputs, location)
        instruction = Instruction(step, arguments, variables, answer.decision, location, unsafe)
        self.trace.append(instruction)
        return instruction

    def _ask(self, step: type[Query], arguments: dict[str, Any], decision: Any) -> Answer:
        chosen = {} if decision is None else {"decision": decision}
        return step(**self._fields(step, arguments), **chosen).answer(self)

    def make(self, step: type[Primitive], arguments: dict[str, Any]) -> Primitive:
        """The primitive with its fields filled."""
        return step(**self._fields(step, arguments))

    def fields_of(self, step: Step, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a step, from ``arguments``."""
        return {
            slot.name: build(slot, arguments[slot.name], self._ref)
            for slot in slots(step)
            if slot.name in arguments
        }

    def _fields(self, step: Step, arguments: Mapping[str, Any]) -> dict[str, Any]:
        for slot in slots(step):
            if slot.name not in arguments and slot.default is REQUIRED:
                raise refused(
                    "KC3703",
                    f"{step.name.replace('-', '_')}: {slot.name} is missing",
                    why=f"{slot.name} is {slot.help}" if slot.help else None,
                )
        return self.fields_of(step, arguments)

    def _rewrite(
        self,
        step: type[Primitive],
        arguments: dict[str, Any],
        location: Location | None,
        unsafe: bool,
    ) -> Answer:
        loop = arguments.get("loop")
        mark = self.table.get(loop) if isinstance(loop, LoopRV) else None
        if isinstance(mark, Mark) and step.name in _INLINE:
            if mark is Mark.ROOT:
                return Answer()
            step = pass_class(_INLINE[step.name])
            arguments = {"block": arguments["block"]}
        primitive = self.make(step, arguments)
        self.answers.clear()
        done = perform(primitive, self.site_of(primitive), unsafe=unsafe)
        self.replace(primitive, done, location)
        if self.checks:
            self._verify(step.name)
        made_ops = {"l": done.loops, "b": done.blocks, "o": done.blocks, "n": ()}[step.gives[0]]
        return Answer(made_ops if step.gives.endswith("s") else made_ops[:1])

    def site_of(self, primitive: Primitive) -> Site:
        """The function that contains the loops and blocks of a primitive. Raises KC3706."""
        options = [getattr(primitive, slot.name) for slot in slots(type(primitive))]
        for ref in _refs(options):
            if isinstance(ref.target, func.FuncOp) and not primitive.takes_root:
                raise root_is_no_block(ref.target)
        return self._site_of(primitive.name, options)

    def indices(self, step: Step, arguments: Mapping[str, Any]) -> int | None:
        """The number of indices of an index map that follows ``arguments``; None if it is
        unknown.
        """
        if not issubclass(step, Primitive):
            return None
        options = self.fields_of(step, arguments)
        return step.indices(self._site_of(step.name, options.values()), options)

    def _site_of(self, name: str, options: Iterable[Any]) -> Site:
        functions: list[func.FuncOp] = []
        for ref in _refs(options):
            assert isinstance(ref.target, Operation)
            function = loop_tree.enclosing_function(ref.target)
            assert function is not None
            if function not in functions:
                functions.append(function)
        if len(functions) > 1:
            names = " and ".join(f"@{function.sym_name.data}" for function in functions)
            raise refused(
                "KC3706",
                f"{name}: the loops and blocks are of {names}",
                why="a primitive rewrites one function",
            )
        return self.site(functions[0] if functions else self.function(None))

    def _outputs(
        self,
        step: Step,
        answer: Answer,
        outputs: tuple[Variable, ...] | None,
        location: Location | None,
    ) -> tuple[Variable, ...]:
        results: list[Any] = list(answer.results)
        nothing = f"{step.name} made none" + (f" at {location}" if location else "")
        if step.gives == "optional block" and not results:
            results = [None]
        if outputs is None:
            variables: list[Variable] = []
            for result in results:
                if result is None:
                    empty = BlockRV("none", self)
                    self.bind(empty, None, nothing)
                    variables.append(empty)
                else:
                    number = isinstance(result, int)
                    variables.append(ExprRV(result) if number else self.handle(result))
            return tuple(variables)
        for output, result in zip(outputs, results, strict=True):
            if isinstance(output, Handle):
                self.bind(output, result, nothing)
        return outputs

    def _verify(self, what: str) -> None:
        try:
            verify_module(self.module)
            check_dominance(self.module)
        except KCError as error:
            raise InternalError(f"{what} left a module that is not valid: {error}") from error


def is_rewrite(instruction: Instruction) -> bool:
    """True if the instruction calls a primitive."""
    return issubclass(instruction.step, Primitive)


def _takes_function(step: Step, arguments: Mapping[str, Any]) -> bool:
    """True if a query looks up a name in a function, and ``arguments`` do not name the function."""
    declared = slots(step)
    return any(slot.name == "func" for slot in declared) and not any(
        slot.name in arguments for slot in declared if slot.name == "func" or slot.handle
    )


def _refs(values: Iterable[Any]) -> Iterator[LoopRef | BlockRef]:
    for value in values:
        if isinstance(value, LoopRef | BlockRef):
            yield value
        elif isinstance(value, tuple):
            yield from _refs(value)
