"""The kernels of a program: each distinct group is lowered and scheduled once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp as KernelOp
from xdsl.ir import Operation

from kc.analysis.accesses.dependence import carried_conflict
from kc.building.programs import TensorProgram
from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import ARGUMENT_NAME, FuncOp
from kc.dialects.tir import ForOp, StoreOp
from kc.graph.group import GroupTensors, group_tensors
from kc.graph.program import Launch
from kc.support.fresh_names import fresh_name
from kc.support.ir_text import print_module
from kc.support.target import Target
from kc.te.schedule import create_schedule


@dataclass(frozen=True)
class Kernel:
    """A scheduled kernel: its function, and what its arguments are."""

    name: str
    function: KernelOp
    """``func.func`` on loops, of no module."""
    inputs: tuple[int, ...]
    """The inputs of the group that are arguments, in order."""
    outputs: tuple[int, ...]
    """For each argument after these, the result of the group that it is; none if the kernel writes
    its only result in place."""
    copied: tuple[tuple[int, int], ...]
    """(result, place): results that are copies of an input, which is ``~place``, or of another
    result."""
    sizes: tuple[str, ...]
    """The names of dimensions that are the last arguments."""
    operators: tuple[str, ...]
    """The names of the operators in the group."""
    in_place: int | None = None
    """The input that is the result, too."""


class Kernels:
    """The kernels for a target, made when they are asked for."""

    def __init__(self, target: Target, taken: Sequence[str] = ()) -> None:
        """``taken`` are names that no kernel may have."""
        self.target = target
        self._names = set(taken)
        self._kernels: dict[tuple[str, int | None], Kernel | None] = {}
        self._lowered: dict[str, tuple[GroupTensors, KernelOp | None]] = {}

    def of(self, launch: Launch) -> Kernel:
        """The kernel of a launch. Raises the errors of lowering and scheduling the group."""
        in_place = launch.in_place.get(0)
        kernel = self._kernel(launch.group, in_place)
        assert kernel is not None
        return kernel

    def may_write_in_place(self, launch: Launch, number: int) -> bool:
        """True if the schedule lets each element of the result take the place of one of an
        input."""
        return self._kernel(launch.group, number) is not None

    def all(self) -> list[Kernel]:
        """The kernels that launches have asked for."""
        return [kernel for kernel in self._kernels.values() if kernel is not None]

    def _kernel(self, group: FuncOp, in_place: int | None) -> Kernel | None:
        key = canonical_text(group)
        if (key, in_place) not in self._kernels:
            self._kernels[key, in_place] = self._made(group, key, in_place)
        return self._kernels[key, in_place]

    def _made(self, group: FuncOp, key: str, in_place: int | None) -> Kernel | None:
        if key not in self._lowered:
            tensors = group_tensors(group)
            self._lowered[key] = tensors, _scheduled(tensors, self.target)
        tensors, function = self._lowered[key]
        read = tuple(range(len(tensors.inputs)))
        outputs: dict[int, int] = {}
        copied: list[tuple[int, int]] = []
        for result, place in enumerate(tensors.results):
            if place < 0 or place in outputs:
                copied.append((result, place if place < 0 else outputs[place]))
            else:
                outputs[place] = result
        if function is not None:
            function = function.clone()
        if in_place is not None:
            if function is None or not write_in_place(function, in_place, len(read)):
                return None
            outputs = {}
        name = fresh_name(re.sub(r"\W", "_", group.sym_name.data), self._names)
        if function is None:
            function = KernelOp(name, ((), ()))
        function.properties["sym_name"] = StringAttr(name)
        function.properties["sym_visibility"] = StringAttr("private")
        operators = [op.OPERATOR.name for op in group.body.block.ops if isinstance(op, OperatorOp)]
        return Kernel(
            name,
            function,
            read,
            tuple(outputs[n] for n in sorted(outputs)),
            tuple(copied),
            tuple(str(size.name) for size in tensors.sizes),
            tuple(operators),
            in_place,
        )


def canonical_text(group: FuncOp) -> str:
    """The text of a group without its names: equal texts are equal kernels."""
    copy = group.clone()
    copy.properties["sym_name"] = StringAttr("group")
    copy.properties.pop("sym_visibility", None)
    copy.attributes.clear()
    if copy.arg_attrs is not None:
        copy.arg_attrs = ArrayAttr(
            [
                DictionaryAttr({k: v for k, v in attrs.data.items() if k != ARGUMENT_NAME})
                for attrs in copy.arg_attrs
            ]
        )
    for op in copy.walk():
        for value in op.results:
            value.name_hint = None
    for argument in copy.body.block.args:
        argument.name_hint = None
    return print_module(ModuleOp([copy]))


def _scheduled(tensors: GroupTensors, target: Target) -> KernelOp | None:
    """The scheduled loops of a group; None if it computes nothing."""
    if not tensors.outputs:
        return None
    arguments: list[object] = list(tensors.arguments)
    schedule = create_schedule([tensor.op for tensor in tensors.outputs])
    program = TensorProgram(schedule, arguments, "group", None, True)
    (function,) = [op for op in program.lowered(target).loops.body.ops if isinstance(op, KernelOp)]
    function.detach()
    return function


def write_in_place(function: KernelOp, number: int, position: int) -> bool:
    """Make the argument at ``position``, the only output, the argument ``number``.

    Returns False, and leaves a function that is not to be used, unless each element is read only
    where it is written: in one block, without a dependence between iterations.
    """
    block = function.body.block
    source, result = block.args[number], block.args[position]
    if source.type != result.type:
        return False
    if not all(isinstance(use.operation, StoreOp) for use in result.uses):
        return False
    result.replace_all_uses_with(source)
    roots = {_root(use.operation, function) for use in source.uses}
    if len(roots) != 1:
        return False
    loops = [op for root in roots for op in root.walk() if isinstance(op, ForOp)]
    if any(carried_conflict(loop) is not None for loop in loops):
        return False
    stores = [use.operation for use in source.uses if isinstance(use.operation, StoreOp)]
    blocks = {op.parent for op in stores}
    if len(blocks) != 1 or any(use.operation.parent not in blocks for use in source.uses):
        return False
    block.erase_arg(result)
    inputs = [argument.type for argument in block.args]
    function.properties["function_type"] = FunctionType.from_lists(inputs, [])
    if function.arg_attrs is not None:
        attrs = list(function.arg_attrs.data)
        del attrs[position]
        attrs[number] = DictionaryAttr({**attrs[number].data, "kc.role": StringAttr("inout")})
        function.arg_attrs = ArrayAttr(attrs)
    return True


def _root(op: Operation, function: KernelOp) -> Operation:
    """The operation of the function's body that an operation is in."""
    while op.parent_op() is not function:
        above = op.parent_op()
        assert above is not None
        op = above
    return op


__all__ = ["Kernel", "Kernels", "canonical_text", "write_in_place"]
