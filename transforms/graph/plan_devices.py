"""``plan-devices``: give each value of a graph a device, and copy values between devices.

Before::

    %0 = graph.exp(%x) : ...
    %1 = graph.on_device(%0) <device = "cuda"> : ...
    %2 = graph.log(%1) : ...

After::

    %0 = graph.exp(%x) {device = "cuda"} : ...
    %1 = graph.device_copy(%0) <src_device = "cuda", dst_device = "cpu"> : ...
    %2 = graph.log(%1) : ...

Relay's pass of this name. ``on_device`` says where its operand is (``constrain_body``) and where
its result is (``constrain_result``); ``device_copy`` says both. An operator has its operands and
its result on one device, as have the fields of a tuple and the values that a branch, a loop, a
function or a data type connects. Conditions, shapes, and operands that are shapes are on the host.
What nothing says is on the default device. Two devices for one value are refused (KC2485).

The attribute ``device`` of an operation names another device than the default one, ``devices`` of a
function those of its arguments and of its result.

All constraints of the module are solved before anything is written, so this is no rewrite pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from kc.dialects.graph.control import IfOp, ScanOp, WhileOp, YieldOp
from kc.dialects.graph.data_types import MatchOp
from kc.dialects.graph.declaration import OperatorOp, call
from kc.dialects.graph.functions import CallOp, ClosureOp, FnOp, FuncOp, FunctionRefOp, ReturnOp
from kc.dialects.graph.values import ConstantOp
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of
from kc.transforms.graph._rewriting import is_operator
from kc.transforms.graph._symbols import functions_of

HOST = "cpu"
"""The device of conditions and shapes."""
OF_SHAPES = ("shape_of", "ndarray_size")
"""The operators that read the shape of their operand alone."""


@dataclass(frozen=True)
class PlanDevicesPass(ModulePass):
    """Give each value of a graph a device, and copy values between devices."""

    name = "plan-devices"
    opt_level: ClassVar[int] = 0

    default: str = HOST
    """The device of values that nothing constrains."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        plan = _Plan(functions_of(op), device_name(self.default))
        plan.solve()  # refuses before anything is changed
        plan.write()


def device_name(text: str) -> str:
    """The name of a device: ``cpu`` for ``cpu(0)`` too."""
    return text.strip().removesuffix("(0)")


class _Plan:
    """Classes of values that are on one device."""

    def __init__(self, functions: dict[str, FuncOp], default: str) -> None:
        self.functions = functions
        self.default = default
        self.parents: dict[Any, Any] = {}
        self.devices: dict[Any, tuple[str, Operation]] = {}
        """The device of a class, by its root, and the operation that says so."""

    def root(self, value: Any) -> Any:
        while value in self.parents:
            above = self.parents[value]
            if above in self.parents:
                self.parents[value] = self.parents[above]
            value = above
        return value

    def unite(self, at: Operation, *values: Any) -> None:
        """Have values on one device."""
        first = self.root(values[0])
        for value in values[1:]:
            second = self.root(value)
            if first is second:
                continue
            device = self.devices.pop(second, None)
            self.parents[second] = first
            if device is not None:
                self.fix(device[1], first, device[0], at)

    def fix(self, at: Operation, value: Any, device: str, cause: Operation | None = None) -> None:
        """Have a value on a device. Raises KC2485 if it must be on another one."""
        root = self.root(value)
        device = device_name(device)
        before = self.devices.setdefault(root, (device, at))
        if before[0] != device:
            raise GraphError(
                "KC2485",
                f"plan-devices: a value is on {before[0]} and on {device}",
                location=location_of(cause or at),
                facts=[
                    f"{op.name.removeprefix('graph.')} says {name}"
                    + (f" at {location_of(op)}" if location_of(op) is not None else "")
                    for name, op in (before, (device, at))
                ],
                why="an operator has its operands and its result on one device",
                hints=["on_device(x, ...) where it may be copied, or device_copy"],
            )

    def device(self, value: Any) -> str:
        """The device of a value."""
        device, _ = self.devices.get(self.root(value), (self.default, None))
        return device

    # Constraints.

    def solve(self) -> None:
        for function in self.functions.values():
            devices = function.attributes.get("devices")
            if isinstance(devices, ArrayAttr):
                places = [*function.body.block.args, function.return_op.value]
                for value, device in zip(places, devices, strict=True):
                    if isinstance(device, StringAttr) and device.data:
                        self.fix(function, value, device.data)
            for op in function.walk():
                if op is not function:
                    self.constrain(op)

    def constrain(self, op: Operation) -> None:
        noted = op.attributes.get("device")
        if isinstance(noted, StringAttr):
            self.fix(op, op.results[0], noted.data)
        match op:
            case OperatorOp() if is_operator(op, "on_device"):
                operator: Any = op.operator
                if operator.constrain_body:
                    self.fix(op, op.inputs[0], operator.device)
                if operator.constrain_result:
                    self.fix(op, op.result, operator.device)
            case OperatorOp() if is_operator(op, "device_copy"):
                operator = op.operator
                self.fix(op, op.inputs[0], operator.src_device)
                self.fix(op, op.result, operator.dst_device)
            case OperatorOp() if is_operator(op, *OF_SHAPES):
                self.fix(op, op.result, HOST)
            case OperatorOp():
                for n, operand in enumerate(op.inputs):
                    if op.OPERATOR.reads_value(n):
                        self.fix_use(op, operand, HOST)
                    else:
                        self.unite_use(op, operand, op.result)
            case ConstantOp():
                pass
            case IfOp() | WhileOp() | MatchOp() | ScanOp():
                self.constrain_region(op)
            case CallOp() | ClosureOp() | FunctionRefOp():
                self.constrain_callee(op)
            case FnOp():
                last = op.body.block.last_op
                assert isinstance(last, ReturnOp)
                self.unite(op, op.result, *op.body.block.args, last.value)
            case ReturnOp() | YieldOp():
                pass
            case _:  # tuples, bindings, data types, references, calls of values
                for operand in op.operands:
                    self.unite_use(op, operand, op.results[0])

    def unite_use(self, op: Operation, operand: SSAValue, value: SSAValue) -> None:
        if not isinstance(operand.owner, ConstantOp):  # a constant is on each device
            self.unite(op, operand, value)

    def fix_use(self, op: Operation, operand: SSAValue, device: str) -> None:
        if not isinstance(operand.owner, ConstantOp):
            self.fix(op, operand, device)

    def constrain_region(self, op: IfOp | WhileOp | MatchOp | ScanOp) -> None:
        match op:
            case IfOp():
                self.fix_use(op, op.condition, HOST)
            case WhileOp():
                last = op.condition.block.last_op
                assert isinstance(last, YieldOp)
                self.fix_use(op, last.values[0], HOST)
                self.unite(op, op.result, op.condition.block.args[0], op.body.block.args[0])
                self.unite_use(op, op.start, op.result)
            case MatchOp():
                for region in op.cases:
                    for argument in region.block.args:
                        self.unite_use(op, op.data, argument)
            case ScanOp():
                self.unite(op, op.result, *op.body.block.args)
                for operand in op.operands:
                    self.unite_use(op, operand, op.result)
        for region in op.regions:
            last = region.block.last_op
            is_condition = isinstance(op, WhileOp) and region is op.condition
            if isinstance(last, YieldOp) and not is_condition:
                for value in last.values:
                    self.unite_use(op, value, op.result)

    def constrain_callee(self, op: CallOp | ClosureOp | FunctionRefOp) -> None:
        callee = self.functions[op.callee.string_value()]
        arguments = callee.body.block.args
        for operand, argument in zip(op.operands, arguments, strict=False):
            self.unite_use(op, operand, argument)
        if isinstance(op, CallOp):
            self.unite(op, op.result, callee.return_op.value)
        else:
            rest = arguments[len(op.operands) :]
            self.unite(op, op.results[0], *rest, callee.return_op.value)

    # Result.

    def write(self) -> None:
        for function in self.functions.values():
            values = [*function.body.block.args, function.return_op.value]
            devices = [self.device(value) for value in values]
            for op in [each for each in function.walk() if each is not function]:
                self.write_operation(op)
            if any(device != self.default for device in devices):
                function.attributes["devices"] = ArrayAttr([StringAttr(each) for each in devices])

    def write_operation(self, op: Operation) -> None:
        if isinstance(op, OperatorOp) and is_operator(op, "on_device"):
            source, target = self.device(op.inputs[0]), self.device(op.result)
            if isinstance(op.inputs[0].owner, ConstantOp) or source == target:
                op.result.replace_all_uses_with(op.inputs[0])
            else:
                copy = call("device_copy", op.inputs[0], src_device=source, dst_device=target)
                copy.location = op.location
                block = op.parent_block()
                assert block is not None
                block.insert_op_before(copy, op)
                op.result.replace_all_uses_with(copy.result)
                self.parents[copy.result] = op.result
            op.detach()
            op.erase()
        elif op.results and not isinstance(op, ConstantOp) and not is_operator(op, "device_copy"):
            device = self.device(op.results[0])
            if device != self.default:
                op.attributes["device"] = StringAttr(device)
