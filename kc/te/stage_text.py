"""TE schedules, stages and tensors as text, for ``repr`` and notebooks.

::

    stage C: float32[64, 64], computed at D, j_o
      for i_o in 8:
        for i_i in 8 vectorized:
          for k in 64 reduce:
            C[i, j] = sum(A[i, k] * B[k, j], axis=[k])
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kc.expr.constructors import Expr, IterVar
from kc.expr.relations import Rebase
from kc.expr.tensor import ComputeOp, ExternOp, Operation, PlaceholderOp, Tensor

if TYPE_CHECKING:
    from kc.te.schedule import Schedule
    from kc.te.stage import Stage

_KINDS = {"parallel": "parallel", "vectorize": "vectorized", "unroll": "unrolled"}


def schedule_text(schedule: Schedule) -> str:
    """The stages of a schedule, producers first."""
    outputs = ", ".join(op.name for op in schedule.outputs)
    stages = [_indented(stage_text(stage)) for stage in schedule.stages]
    return "\n".join([f"te.Schedule of {outputs}", *stages])


def stage_text(stage: Stage) -> str:
    """The place of a stage, its loops outermost first, and their body."""
    op = stage.op
    types = ", ".join(tensor_type(op.output(n)) for n in range(op.num_outputs))
    parts = [f"stage {op.name}: {types}"]
    if isinstance(op, PlaceholderOp):
        parts.append("an input" if stage.scan is None else "a state")
    if (at := stage.attach) is not None:
        axis = f", {at.axis.name}" if at.axis is not None else ""
        parent = f" {at.parent.op.name}" if at.parent is not None else ""
        parts.append("inlined" if at.kind == "inline" else f"computed at{parent}{axis}")
    if stage.scope:
        parts.append(f"in {stage.scope}")
    lines = [", ".join(parts)]
    if isinstance(op, PlaceholderOp):
        return lines[0]
    depth = 1
    extents = Rebase(stage.relations, stage.roots, op.extent_of).extents
    for axis in stage.leaf_iter_vars:
        size = f" in {extents[axis]}" if axis in extents else ""
        lines.append("  " * depth + f"for {axis.name}{size}{_kind(stage, axis)}:")
        depth += 1
    lines += ["  " * depth + formula for formula in formulas(op)]
    return "\n".join(lines)


def _kind(stage: Stage, axis: IterVar) -> str:
    words = ["reduce"] if axis.kind == "reduce" else []
    for record in stage.records:
        if axis in record.axes:
            if record.primitive == "bind":
                words.append(f"thread {record.arguments['thread_axis']}")
            elif record.primitive in _KINDS:
                words.append(_KINDS[record.primitive])
            elif record.primitive == "tensorize":
                words.append(f"tensorized {record.arguments['tensor_intrin']}")
    return "".join(f" {word}" for word in words)


def tensor_type(tensor: Tensor) -> str:
    """``float32[64, n]``."""
    return f"{tensor.dtype}[{', '.join(map(str, tensor.shape))}]"


def tensor_text(tensor: Tensor) -> str:
    """The type of a tensor, and the formula of its elements."""
    head = f"{tensor.name}: {tensor_type(tensor)}"
    op = tensor.op
    if isinstance(op, PlaceholderOp):
        return f"{head}, an input"
    shown = formulas(op)
    formula = shown[tensor.value_index] if len(shown) == op.num_outputs else shown[0]
    loops = [*op.axis, *op.reduce_axis] if isinstance(op, ComputeOp) else []
    domain = ", ".join(f"{axis.name} in {op.extent_of(axis)}" for axis in loops)
    return f"{head}\n  {formula}" + (f"  for {domain}" if domain else "")


Tensor.formula_text = tensor_text


def formulas(op: Operation) -> list[str]:
    """``C[i, j] = sum(A[i, k] * B[k, j], axis=[k])``, one for each output."""
    if isinstance(op, ComputeOp):
        indices = ", ".join(axis.name for axis in op.axis)
        bodies: Iterator[tuple[int, Expr]] = iter(enumerate(op.bodies))
        return [f"{op.output(n).name}[{indices}] = {body!r}" for n, body in bodies]
    reads = ", ".join(tensor.name for tensor in op.input_tensors)
    what = "extern statement" if isinstance(op, ExternOp) else "scan"
    return [f"{op.name} = {what} of {reads}" if reads else f"{op.name} = {what}"]


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
