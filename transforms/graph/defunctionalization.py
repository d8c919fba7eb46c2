"""``defunctionalization``: functions that are values become values of data types.

Before::

    %f = graph.closure @scaled(%z) : (T) -> !graph.fn<(T) -> T>
    %y = graph.call_indirect %f(%x) : ...

After::

    graph.data @Function_0 { scaled(T) }
    graph.func private @apply_0(%f: !graph.adt<"Function_0">, %x: T) -> T {
      %r = graph.match %f : !graph.adt<"Function_0"> -> T {
        case scaled(%z: T) { %0 = graph.call @scaled(%z, %x) : ...  graph.yield %0 }
      }
      graph.return %r
    }
    %f = graph.construct @Function_0 scaled(%z) : ...
    %y = graph.call @apply_0(%f, %x) : ...

Relay's pass of this name, after Reynolds (1972): a program of functions that are values becomes one
of functions that are called by name. Functions are lifted out of others first (``lambda-lift``).
Each type of functions has a data type, with a constructor for each function that becomes a value,
whose fields are what it captures. Types with parameters are refused (KC2486): no data type has all
of their functions.

A data type is made of all functions of a module that have its type, so this is no rewrite pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, TupleType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.dialects.graph.control import YieldOp
from kc.dialects.graph.data_types import (
    Binding,
    ConstructOp,
    ConstructorAttr,
    ConstructorPattern,
    DataOp,
    MatchOp,
    Pattern,
)
from kc.dialects.graph.functions import (
    CallIndirectOp,
    CallOp,
    ClosureOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.type_variables import variables_of
from kc.dialects.graph.types import AdtType, FnType, RefType, tuple_type
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of
from kc.transforms.graph._rewriting import rewrite
from kc.transforms.graph._symbols import functions_of
from kc.transforms.graph.eta_expand import ExpandConstructor
from kc.transforms.graph.lambda_lift import lift_functions


@dataclass(frozen=True)
class DefunctionalizationPass(ModulePass):
    """Make functions of graphs that are values, values of data types."""

    name = "defunctionalization"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        _require_no_parameters(op)
        rewrite(op, self.name, [ExpandConstructor()])
        lift_functions(op)
        _Functions(op).run()


def _require_no_parameters(module: ModuleOp) -> None:
    """Refuse functions of any type among the values (KC2486)."""
    for op in module.walk():
        types = [*(result.type for result in op.results)]
        blocks = [block for region in op.regions for block in region.blocks]
        types += [argument.type for block in blocks for argument in block.args]
        for type_ in types:
            if any(variables_of(part) for part in _function_types(type_)):
                raise GraphError(
                    "KC2486",
                    f"defunctionalization: a function that is a value is {type_}",
                    location=location_of(op),
                    why="a data type of its functions would have to know all types that it is "
                    "called with",
                    hints=["--partial-evaluate follows calls of such functions"],
                )


def _function_types(type_: Attribute) -> list[FnType]:
    """The types of functions in a type, inner ones first."""
    match type_:
        case FnType():
            return [*_function_types(type_.inputs), *_function_types(type_.output), type_]
        case TupleType():
            return [each for part in type_.types for each in _function_types(part)]
        case AdtType():
            return _function_types(type_.arguments)
        case RefType():
            return _function_types(type_.value)
        case _:
            return []


class _Functions:
    """The data types of the types of functions of a module."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self.functions = functions_of(module)
        self.data: dict[FnType, DataOp] = {}
        self.makers: dict[FnType, dict[str, tuple[str, list[Attribute]]]] = {}
        """A type -> the constructor of each function: its name, the types of what it captures."""
        self.tags: dict[tuple[str, int], str] = {}
        self.taken = {
            str(getattr(each.get_attr_or_prop("sym_name"), "data", "")) for each in module.body.ops
        }

    def run(self) -> None:
        values = [op for op in self.module.walk() if isinstance(op, FunctionRefOp | ClosureOp)]
        calls = [op for op in self.module.walk() if isinstance(op, CallIndirectOp)]
        for op in (*values, *calls):
            type_ = op.result.type if not isinstance(op, CallIndirectOp) else op.callee.type
            assert isinstance(type_, FnType)
            self.data_of(type_)
        for op in values:
            assert isinstance(op.result.type, FnType)
            name = op.callee.string_value()
            captured = [value.type for value in op.operands]
            constructors = self.makers[op.result.type]
            constructors.setdefault(self.tag_of(name, len(captured)), (name, captured))
        names = {type_: self.new_name("apply") for type_ in self.data}
        for op in values:
            self.replace_value(op)
        for op in calls:
            assert isinstance(op.callee.type, FnType)
            called = CallOp(names[op.callee.type], [op.callee, *op.arguments], op.result.type)
            self.put(op, called)
        for type_, name in names.items():
            self.module.body.block.add_op(self.applied(type_, name))
        self.change_types()
        first = self.module.body.block.first_op
        for type_, data in self.data.items():
            data.constructors = type(data.constructors)(
                [
                    ConstructorAttr(StringAttr(tag), tuple_type(map(self.changed, captured)))
                    for tag, (_, captured) in self.makers[type_].items()
                ]
            )
            assert first is not None
            self.module.body.block.insert_op_before(data, first)

    def new_name(self, base: str) -> str:
        name = next(n for n in (f"{base}_{i}" for i in range(10**6)) if n not in self.taken)
        self.taken.add(name)
        return name

    def tag_of(self, name: str, captured: int) -> str:
        """The constructor of a function of which so many arguments are captured."""
        base = re.sub(r"\W", "_", f"{name}_{captured}", flags=re.ASCII)
        if (name, captured) not in self.tags:
            free = (tag for tag in (base, *(f"{base}_{i}" for i in range(10**6))))
            self.tags[name, captured] = next(t for t in free if t not in self.tags.values())
        return self.tags[name, captured]

    def data_of(self, type_: FnType) -> DataOp:
        if type_ not in self.data:
            self.data[type_] = DataOp(self.new_name("Function"), [], {})
            self.makers[type_] = {}
        return self.data[type_]

    def put(self, op: Operation, new: Operation) -> None:
        new.location = op.location
        block = op.parent_block()
        assert block is not None
        block.insert_op_before(new, op)
        new.results[0].name_hint = op.results[0].name_hint
        op.results[0].replace_all_uses_with(new.results[0])
        op.detach()
        op.erase()

    def replace_value(self, op: FunctionRefOp | ClosureOp) -> None:
        assert isinstance(op.result.type, FnType)
        data = self.data[op.result.type].sym_name.data
        tag = self.tag_of(op.callee.string_value(), len(op.operands))
        self.put(op, ConstructOp(data, tag, list(op.operands), op.result.type))

    def applied(self, type_: FnType, name: str) -> FuncOp:
        """The function that calls the function that a value of a data type stands for."""
        block = Block(arg_types=[type_, *type_.inputs.types])
        function, *arguments = block.args
        cases: list[tuple[Pattern, Region]] = []
        for tag, (callee, captured) in self.makers[type_].items():
            inner = Block(arg_types=captured)
            called = CallOp(callee, [*inner.args, *arguments], type_.output)
            inner.add_ops([called, YieldOp(called.result)])
            pattern = ConstructorPattern(tag, tuple(Binding() for _ in captured))
            cases.append((pattern, Region(inner)))
        result = MatchOp(function, cases, type_.output)
        block.add_ops([result, ReturnOp(result.result)])
        signature = FunctionType.from_lists([each.type for each in block.args], [type_.output])
        return FuncOp(name, signature, Region(block), visibility="private")

    def changed(self, type_: Attribute) -> Attribute:
        """A type without functions."""
        match type_:
            case FnType():
                return AdtType(self.data_of(type_).sym_name, tuple_type([]))
            case TupleType():
                return tuple_type(map(self.changed, type_.types))
            case AdtType():
                return AdtType(type_.symbol, tuple_type(map(self.changed, type_.arguments.types)))
            case RefType():
                return RefType(self.changed(type_.value))
            case _:
                return type_

    def change_types(self) -> None:
        def change(value: SSAValue) -> None:
            if _function_types(value.type):
                Rewriter.replace_value_with_new_type(value, self.changed(value.type))

        for op in list(self.module.walk()):
            for result in op.results:
                change(result)
            for region in op.regions:
                for block in region.blocks:
                    for argument in list(block.args):
                        change(argument)
            if isinstance(op, DataOp):
                op.constructors = type(op.constructors)(
                    [
                        ConstructorAttr(each.tag, tuple_type(map(self.changed, each.fields.types)))
                        for each in op.constructors
                    ]
                )
        for function in functions_of(self.module).values():
            function.update_type()
