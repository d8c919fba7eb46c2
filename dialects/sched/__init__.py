"""The sched dialect: a schedule as IR, in the body of a ``transform.named_sequence``.

    transform.named_sequence @__transform_main(%module: !transform.any_op) {
      %C = sched.get_block "C"
      %i, %j, %k = sched.get_loops %C : !sched.loop, !sched.loop, !sched.loop
      %j_o, %j_i = sched.split %j factors [?, 32]
      sched.reorder %j_o, %k, %j_i
      sched.vectorize %j_i
      transform.yield
    }

Each step of a schedule has an operation: primitives (also those of plugins), queries and samplings.
None is written by hand: each is generated from the declaration of its step, like the flag of kc-opt
and the method of ``kc.tir.Schedule``. Declarations are in layers above this one, so they are looked
up by name in the registry when the dialect is first used. :data:`SCHED` is therefore created on
access, for the registry in use.

The custom form is uniform: the required loops and blocks, then ``keyword value`` pairs for the
other fields (a keyword alone sets a switch), then a dictionary (``{unsafe}``), then the types of
the results if the declaration does not determine their number. ``?`` is a value left open; ``[4,
%n]`` is a list, whose numbers may be sampled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    UnitAttr,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.sched import assembly
from kc.dialects.sched.values import (
    BlockType,
    LoopType,
    ParamAttr,
    ParamType,
    from_attr,
    result_type,
    to_attr,
)
from kc.support import registry
from kc.support.declarations import REQUIRED, Slot, result_count, slots


class ScheduleOp(IRDLOperation):
    """A step of a schedule; the base of the operations generated from declarations."""

    STEP: ClassVar[Any]
    """The class of the primitive, query or sampling."""

    @classmethod
    def create_from(
        cls, fields: Mapping[str, Any], results: int, unsafe: bool = False
    ) -> ScheduleOp:
        """The operation with these fields, in which handles and params are SSA values."""
        operands: list[list[SSAValue]] = []
        params: list[SSAValue] = []
        properties: dict[str, Attribute] = {}
        for slot in slots(cls.STEP):
            value = fields.get(slot.name)
            if slot.handle is not None:
                many = value if isinstance(value, list) else [value]
                operands.append([value for value in many if value is not None])
            elif slot.name in fields:
                properties[slot.name] = to_attr(value, params, symbol=_is_symbol(slot))
        types = [result_type(cls.STEP)] * results if results else []
        return cls(
            operands=[*operands, params],
            properties=properties,
            attributes={"unsafe": UnitAttr()} if unsafe else {},
            result_types=[types],
        )

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that are set, with handles and params as SSA values."""
        fields: dict[str, Any] = {}
        params: Sequence[SSAValue] = self.params  # pyright: ignore[reportAttributeAccessIssue]
        for slot in slots(self.STEP):
            if slot.handle is not None:
                operands = list(getattr(self, f"{slot.name}_operands"))
                if operands:
                    fields[slot.name] = operands if slot.many else operands[0]
            elif slot.name in self.properties:
                fields[slot.name] = from_attr(self.properties[slot.name], params)
        return fields

    @property
    def unsafe(self) -> bool:
        """True if the step proceeds although its legality is undecided."""
        return "unsafe" in self.attributes

    def verify_(self) -> None:
        registry.check_step(self.STEP, self.fields, self.unsafe)
        count = result_count(self.STEP, self.fields)
        if count is not None and count != len(self.results):
            raise VerifyException(f"it gives {count} results, {len(self.results)} are named")
        for result in self.results:
            if result.type != result_type(self.STEP):
                raise VerifyException(f"its results are {result_type(self.STEP)}")

    @classmethod
    def parse(cls, parser: Parser) -> ScheduleOp:
        return assembly.parse(cls, parser)

    def print(self, printer: Printer) -> None:
        assembly.print_(self, printer)


def _is_symbol(slot: Slot) -> bool:
    return bool(slot.metadata.get("symbol"))


# Operations -----------------------------------------------------------------------------------


def _make_op(step: Any) -> type[ScheduleOp]:
    name = step.name.replace("-", "_")
    members: dict[str, Any] = {
        "name": f"sched.{name}",
        "__doc__": step.__doc__,
        "__module__": __name__,
        "irdl_options": (AttrSizedOperandSegments(as_property=True),),
    }
    for slot in slots(step):
        if slot.handle is not None:
            # Their types are checked with the fields, whose names the message uses.
            members[f"{slot.name}_operands"] = var_operand_def()
        elif slot.default is REQUIRED:
            members[f"{slot.name}_value"] = prop_def(prop_name=slot.name)
        else:
            members[f"{slot.name}_value"] = opt_prop_def(prop_name=slot.name)
    members["params"] = var_operand_def(ParamType)
    members["made"] = var_result_def()
    if not any(slot.handle for slot in slots(step)):
        del members["irdl_options"]
    op_class = irdl_op_definition(
        type(f"{registry.camel_case(step.name)}Op", (ScheduleOp,), members)
    )
    op_class.STEP = step
    return op_class


_DIALECTS: dict[tuple[tuple[str, str], ...], Dialect] = {}


def _dialect() -> Dialect:
    steps = registry.current().steps
    key = tuple((name, entry.path) for name, entry in steps.items())
    if key not in _DIALECTS:
        ops: list[type[Operation]] = [_make_op(entry.load()) for entry in steps.values()]
        _DIALECTS[key] = Dialect("sched", ops, [LoopType, BlockType, ParamType, ParamAttr])
    return _DIALECTS[key]


def op_of(step: Any) -> type[ScheduleOp]:
    """The operation of a step."""
    name = f"sched.{step.name.replace('-', '_')}"
    return next(
        operation
        for operation in _dialect().operations
        if operation.name == name and issubclass(operation, ScheduleOp)
    )


def __getattr__(name: str) -> Any:
    if name == "SCHED":
        return _dialect()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BlockType", "LoopType", "ParamAttr", "ParamType", "ScheduleOp", "op_of"]
