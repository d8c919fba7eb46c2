"""``lambda-lift``: make functions that are values functions of the module.

Before::

    %f = graph.fn (%x: T) -> T {
      %0 = graph.multiply(%x, %z) : ...
      graph.return %0
    }

After::

    %f = graph.closure @lifted_0(%z) : (T) -> !graph.fn<(T) -> T>

    graph.func private @lifted_0(%z: T, %x: T) -> T {
      %0 = graph.multiply(%x, %z) : ...
      graph.return %0
    }

Relay's pass of this name. What a function captures becomes its first arguments; one that captures
nothing is referred to by its name (``graph.function_ref``). Inner functions are lifted first. A
function that calls itself becomes one that makes itself of what it captures.

Inner functions are lifted before outer ones, with names that are free in the whole module, so this
is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from kc.dialects.graph.functions import ClosureOp, FnOp, FuncOp, FunctionRefOp, ReturnOp
from kc.transforms.graph._symbols import functions_of


@dataclass(frozen=True)
class LambdaLiftPass(ModulePass):
    """Move functions of graphs that are values to the module."""

    name = "lambda-lift"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        lift_functions(op)


def lift_functions(module: ModuleOp) -> None:
    """Make the functions of a module's graphs that are values functions of the module."""
    functions = functions_of(module)
    taken = {
        str(getattr(each.get_attr_or_prop("sym_name"), "data", "")) for each in module.body.ops
    }
    names = (name for name in (f"lifted_{n}" for n in count()) if name not in taken)
    for function in functions.values():
        for fn in _inner_first(function):
            name = next(names)
            captured = list(_captured(fn))
            type_ = fn.result.type
            module.body.block.add_op(_lifted(fn, captured, name))
            new = _value_of(name, captured, type_)
            new.location = fn.location
            block = fn.parent_block()
            assert block is not None
            block.insert_op_before(new, fn)
            new.results[0].name_hint = fn.result.name_hint
            fn.result.replace_all_uses_with(new.results[0])
            fn.detach()
            fn.erase(safe_erase=False)


def _inner_first(op: Operation) -> list[FnOp]:
    return [each for each in reversed(list(op.walk())) if isinstance(each, FnOp)]


def _captured(fn: FnOp) -> Iterator[SSAValue]:
    """The values from outside that a function uses, in the order of their first uses."""
    inside: set[SSAValue] = set()
    for op in fn.walk():
        inside.update(*(region.block.args for region in op.regions))
        if op is not fn:
            inside.update(op.results)
    seen: set[SSAValue] = set()
    for op in fn.walk():
        for operand in op.operands:
            if operand not in inside and operand not in seen:
                seen.add(operand)
                yield operand


def _value_of(name: str, captured: Sequence[SSAValue], type_: Attribute) -> Operation:
    """A function of the module as a value, with the values of its first arguments."""
    return ClosureOp(name, captured, type_) if captured else FunctionRefOp(name, type_)


def _lifted(fn: FnOp, captured: list[SSAValue], name: str) -> FuncOp:
    outside = [*captured, *fn.arguments]
    block = Block(arg_types=[value.type for value in outside])
    for value, argument in zip(outside, block.args, strict=True):
        argument.name_hint = value.name_hint
    values: dict[SSAValue, SSAValue] = dict(zip(outside, block.args, strict=True))
    if fn.itself is not None:
        own = _value_of(name, block.args[: len(captured)], fn.itself.type)
        block.add_op(own)
        values[fn.itself] = own.results[0]
    for op in fn.body.block.ops:
        block.add_op(op.clone(values))
    last = block.last_op
    assert isinstance(last, ReturnOp)
    type_ = FunctionType.from_lists([each.type for each in block.args], [last.value.type])
    lifted = FuncOp(name, type_, Region(block), visibility="private")
    lifted.location = fn.location
    return lifted
