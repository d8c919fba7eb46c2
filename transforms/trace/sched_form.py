"""A trace as IR: conversion to and from a ``transform.named_sequence`` of ``sched`` operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.transform import AnyOpType, NamedSequenceOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue

from kc.analysis.dominance import check_dominance
from kc.dialects.sched import BlockType, LoopType, ParamType, ScheduleOp, op_of
from kc.support.diagnostics import ScheduleError, source_text, suggest
from kc.support.ir_text import parse_module, print_module, verify_module
from kc.support.locations import loc_attr, location_of
from kc.support.registry import context
from kc.transforms.schedule.base import called_from
from kc.transforms.trace.handles import BlockRV, ExprRV, Handle, LoopRV, Variable
from kc.transforms.trace.instruction import Instruction
from kc.transforms.trace.naming import name_variables
from kc.transforms.trace.reading import Reader, from_fields
from kc.transforms.trace.session import Step

MAIN = "__transform_main"
MARK = "transform.with_named_sequence"


def to_sequence(instructions: Sequence[Instruction], name: str = MAIN) -> NamedSequenceOp:
    """The sequence that performs the instructions."""
    block = Block(arg_types=[AnyOpType()])
    block.args[0].name_hint = "module"
    names = name_variables(instructions, ["module"])
    values: dict[int, SSAValue] = {}
    for instruction in instructions:
        fields = {key: _valued(value, values) for key, value in instruction.arguments.items()}
        if instruction.decision is not None:
            fields["decision"] = instruction.decision
        op = op_of(instruction.step).create_from(
            fields, len(instruction.outputs), instruction.unsafe
        )
        op.location = loc_attr(instruction.location)
        for output, result in zip(instruction.outputs, op.results, strict=True):
            result.name_hint = names[id(output)]
            values[id(output)] = result
        block.add_op(op)
    block.add_op(YieldOp())
    return NamedSequenceOp(name, ([AnyOpType()], []), Region(block))


def _valued(value: Any, values: dict[int, SSAValue]) -> Any:
    """A recorded value, with SSA values in place of its variables."""
    if isinstance(value, Variable):
        return values[id(value)]
    if isinstance(value, list):
        return [_valued(item, values) for item in value]
    if isinstance(value, dict):
        return {key: _valued(item, values) for key, item in value.items()}
    return value


def to_mlir(instructions: Sequence[Instruction]) -> str:
    """A module with the sequence, as text."""
    return print_module(ModuleOp([to_sequence(instructions)], {MARK: UnitAttr()}))


def from_mlir(text: str, name: str = "<trace>") -> list[Instruction]:
    """The instructions of the only sequence in ``text``. Raises KC3720 to KC3722 and parse
    errors.
    """
    with source_text(name, text):
        module = parse_module(text, name, context())
        verify_module(module)
        check_dominance(module)
        return from_sequence(find_sequence(module, None))


def sequences(module: ModuleOp) -> list[NamedSequenceOp]:
    """The sequences of a module, in order."""
    return [op for op in module.walk() if isinstance(op, NamedSequenceOp)]


def find_sequence(module: ModuleOp, name: str | None) -> NamedSequenceOp:
    """The sequence with a name; if no name is passed, ``@__transform_main`` or the only sequence.
    Raises KC3720.
    """
    candidates = sequences(module)
    names = [sequence.sym_name.data for sequence in candidates]
    sequence_name = name if name is not None else MAIN
    for sequence in candidates:
        if sequence.sym_name.data == sequence_name:
            return sequence
    if name is None and len(candidates) == 1:
        return candidates[0]
    raise ScheduleError(
        "KC3720",
        f"there is no sequence '{sequence_name}'"
        if candidates
        else "there is no transform.named_sequence",
        location=location_of(candidates[0] if candidates else module.body.block.first_op),
        hints=suggest(sequence_name, names, "the sequences are")
        or ["transform.named_sequence @__transform_main() { ... transform.yield }"],
    )


def from_sequence(sequence: NamedSequenceOp) -> list[Instruction]:
    """The instructions of a sequence, with the locations of its operations.

    Raises KC3721 (an argument other than the module), KC3722 (an operation that is not a step of a
    schedule) and the errors of reading steps.
    """
    entry = sequence.body.block
    reader = Reader()
    variables: dict[SSAValue, Variable] = {}
    for arg in entry.args[1:]:
        raise _wrong(
            "KC3721",
            f"@{sequence.sym_name.data} takes {len(entry.args)} arguments",
            sequence,
            why=f"a schedule gets only the module as an argument, no {arg.type}",
            hints=["get_block and get_loops give the handles"],
        )
    for op in entry.ops:
        if isinstance(op, YieldOp):
            break
        if not isinstance(op, ScheduleOp):
            raise _wrong(
                "KC3722",
                f"{op.name} is not a step of a schedule",
                op,
                why="apply-schedule performs the operations of sched",
            )
        location = location_of(op)
        with called_from(location):
            fields = {key: _recorded(value, variables) for key, value in op.fields.items()}
            checked = from_fields(op.STEP, fields, reader, unsafe=op.unsafe)
            decision = checked.pop("decision", None)
            names = [result.name_hint or "" for result in op.results]
            instruction = reader.add(op.STEP, checked, names, decision, op.unsafe, location)
        variables.update(zip(op.results, instruction.outputs, strict=True))
    return reader.instructions


def _recorded(value: Any, variables: dict[SSAValue, Variable]) -> Any:
    """A field of an operation, with variables in place of its SSA values."""
    if isinstance(value, SSAValue):
        return variables.get(value, value)
    if isinstance(value, list):
        return [_recorded(item, variables) for item in value]
    if isinstance(value, dict):
        return {key: _recorded(item, variables) for key, item in value.items()}
    return value


def check_step(step: Step, fields: dict[str, Any], unsafe: bool) -> None:
    """Check that the fields of an operation are legal for its step: the verifier of ``sched``."""
    variables: dict[SSAValue, Variable] = {}

    def stand_in(value: Any) -> Any:
        if isinstance(value, SSAValue):
            is_variable = isinstance(value.type, LoopType | BlockType | ParamType)
            return variables.setdefault(value, _variable(value)) if is_variable else value
        if isinstance(value, list):
            return [stand_in(item) for item in value]
        if isinstance(value, dict):
            return {key: stand_in(item) for key, item in value.items()}
        return value

    stand_ins = {key: stand_in(value) for key, value in fields.items()}
    from_fields(step, stand_ins, Reader(), unsafe=unsafe)


def _variable(value: SSAValue) -> Variable:
    if isinstance(value.type, LoopType | BlockType):
        kind: type[Handle] = LoopRV if isinstance(value.type, LoopType) else BlockRV
        return kind(value.name_hint or "it")
    return ExprRV(0)


def _wrong(code: str, message: str, op: Operation, **details: Any) -> ScheduleError:
    return ScheduleError(code, message, location=location_of(op), **details)
