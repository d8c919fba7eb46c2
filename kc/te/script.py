"""A TE schedule as the equivalent calls on ``kc.tir.Schedule``."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import IterVar
from kc.expr.tensor import ScanOp, Tensor, output_name
from kc.support.declarations import Parameter, parameters
from kc.support.registry import pass_class
from kc.te.replay import BlockOf, Enter, Leaf, Result, Step, steps
from kc.te.stage import Stage
from kc.te.to_ir import block_names

if TYPE_CHECKING:
    from kc.te.schedule import Schedule


def tir_script(schedule: Schedule, sch: str) -> str:
    """See :meth:`kc.te.schedule.Schedule.to_tir_script`."""
    writer = _Writer(schedule, sch)
    used = {step.stage for step in steps(schedule) if isinstance(step, Step)}
    used |= {place.parent for stage in used if (place := stage.place) and place.parent is not None}
    for step in steps(schedule):
        if isinstance(step, Step):
            writer.call(step)
        elif step.stage in used:
            writer.enter(step)
    return "".join(f"{line}\n" for line in writer.lines)


class _Writer:
    def __init__(self, schedule: Schedule, sch: str) -> None:
        self.sch = sch
        self.blocks = block_names([stage.op for stage in schedule.stages])
        self.taken = {sch}
        self.variables: dict[Leaf, str] = {}
        self.lines: list[str] = []

    def _variable(self, stage: Stage, axis: IterVar) -> str:
        """A unique Python variable for the loop of an axis."""
        block = self.blocks[stage.op]
        base = axis.name + "_" * keyword.iskeyword(axis.name)
        chosen, n = base, 0
        while chosen in self.taken:
            chosen = f"{base}_{block}" + (f"_{n}" if n else "")
            n += 1
        self.taken.add(chosen)
        self.variables[Leaf(stage, axis)] = chosen
        return chosen

    def _block(self, stage: Stage) -> str:
        op = stage.op.update[0].op if isinstance(stage.op, ScanOp) else stage.op
        return f'{self.sch}.get_block("{self.blocks[op]}")'

    def enter(self, step: Enter) -> None:
        """Name the loops of a stage."""
        stage = step.stage
        names = ", ".join(self._variable(stage, axis) for axis in stage.roots)
        if isinstance(stage.op, ScanOp):
            self.lines.append(f"{names} = {self.sch}.get_loops({self._block(stage)})[0]")
        elif names:
            whole = not step.moved and stage.scan is None
            self._take_loops(stage, names, len(stage.roots), whole=whole)

    def call(self, step: Step) -> None:
        """A primitive."""
        cls = pass_class(step.primitive)
        texts: list[str] = []
        by_name = False
        for parameter in parameters(cls):
            slots = [slot.name for slot in parameter.slots if slot.name in step.fields]
            if not slots:
                by_name = True
                continue
            value = step.fields[slots[0]]
            if parameter.variadic:
                texts += [self._text(part, parameter) for part in value]
            else:
                text = self._text(value, parameter)
                texts.append(f"{parameter.name}={text}" if by_name else text)
        method = step.primitive.replace("-", "_")
        call = f"{self.sch}.{method}({', '.join(texts)})"
        if not step.results:
            self.lines.append(call)
            return
        targets = ", ".join(self._variable(step.stage, axis) for axis in step.results)
        if cls.gives in ("loop", "loops"):
            self.lines.append(f"{targets} = {call}")
        else:
            self.lines.append(call)
            self._take_loops(step.stage, targets, len(step.results))

    def _take_loops(self, stage: Stage, names: str, count: int, *, whole: bool = False) -> None:
        """Name the innermost ``count`` loops of a stage's block. With ``whole`` the block has
        exactly ``count`` loops.
        """
        left = names + "," * (count == 1)
        part = "" if whole else f"[-{count}:]"
        self.lines.append(f"{left} = {self.sch}.get_loops({self._block(stage)}){part}")

    def _text(self, value: Any, parameter: Parameter) -> str:
        if isinstance(value, Leaf):
            return self.variables[value]
        if isinstance(value, BlockOf):
            return self._block(value.stage)
        if isinstance(value, Result):
            return str(value.number)
        if isinstance(value, Tensor):
            name = self.blocks.get(value.op)
            count = value.op.num_outputs
            return repr(value.name if name is None else output_name(name, value.value_index, count))
        if isinstance(value, tuple):
            return f"[{', '.join(self._text(item, parameter) for item in value)}]"
        return repr(value if isinstance(value, str | int | float | bool | None) else str(value))
