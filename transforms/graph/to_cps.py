"""``to-cps``: functions of graphs that pass their results on instead of returning them.

Before::

    graph.func @main(%x: T) -> T {
      %0 = graph.call @f(%x) : (T) -> T
      %1 = graph.exp(%0) : (T) -> T
      graph.return %1 : T
    }

After, with ``A`` for ``!graph.type_var<"Answer">``::

    graph.func @main(%x: T) -> T {
      %id = graph.fn (%y: T) -> T { graph.return %y : T }
      %0 = graph.call @main_cps(%x, %id) : (T, !graph.fn<(T) -> T>) -> T
      graph.return %0 : T
    }
    graph.func private @main_cps(%x: T, %k: !graph.fn<(T) -> A>) -> A {
      %rest = graph.fn (%0: T) -> A {
        %1 = graph.exp(%0) : (T) -> T
        %2 = graph.call_indirect %k(%1) : !graph.fn<(T) -> A>, (T) -> A
        graph.return %2 : A
      }
      %3 = graph.call @f_cps(%x, %rest) : (T, !graph.fn<(T) -> A>) -> A
      graph.return %3 : A
    }

Relay's ``ToCPS``: continuation-passing style, after Reynolds (1972) and Plotkin (1975). Each
function takes one more argument, a function of its result, the continuation; what the continuation
gives is the answer, which may be of any type. A call passes what is done with its result, or, where
its result is that of the function, the continuation of the function. Operators, tuples, references
and groups stay as they are, in their order. A branch or a match with calls gets what follows it as
a function; a loop with calls becomes a function that calls itself.

The functions of the module stay under their names and call their new forms with the identity. Those
that take or return functions stay as they are beside their new forms: the values in their
signatures would be others. Private functions that nothing calls any more are removed. A
``graph.scan`` with calls, and data types with functions in their fields, are refused (KC2487).

The form of a function is written anew from its end to its start, so this is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TupleType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.dialects.graph.control import IfOp, ScanOp, WhileOp, YieldOp
from kc.dialects.graph.data_types import ConstructOp, ConstructorOp, DataOp, MatchOp
from kc.dialects.graph.functions import (
    ARGUMENT_NAME,
    CallIndirectOp,
    CallOp,
    ClosureOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.type_variables import substitute_types, variables_of
from kc.dialects.graph.types import AdtType, FnType, RefType, TypeVarType, tuple_type
from kc.dialects.graph.values import LetOp
from kc.support.deep import run_deep
from kc.support.diagnostics import GraphError, counted
from kc.support.locations import location_of
from kc.transforms.graph._symbols import functions_of, reachable
from kc.transforms.graph.infer_type import infer_types

MOST_NESTED = 100
"""The calls of a function that come one after the other: what follows each one is a function in
that of the call before."""


@dataclass(frozen=True)
class ToCpsPass(ModulePass):
    """Let functions of graphs pass their results to continuations."""

    name = "to-cps"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        # A copy comes first, so that a refusal leaves the module unchanged, its types too.
        for module in (op.clone(), op):
            _convert(module)


def _convert(module: ModuleOp) -> None:
    """Add the forms of all functions, and let the functions call them."""
    infer_types(module)
    functions = functions_of(module)
    names = add_forms(module, [name for name, each in functions.items() if _is_followed(each)])
    for name, form in names.items():
        function = functions[name]
        if not _has_functions(function.function_type):
            _call_form(function, form)
    _remove_uncalled(module, names)


def add_forms(module: ModuleOp, names: Iterable[str]) -> dict[str, str]:
    """Add the forms with continuations of functions, and of all functions that they use.

    Returns the names of the forms by those of the functions. The types of the module must be known.
    Raises GraphError KC2487 for what has no such form; the module is unchanged then.
    """
    functions = functions_of(module)
    used = reachable(module, names)
    chosen = {n: each for n, each in functions.items() if n in used and _is_followed(each)}
    taken = {
        str(getattr(each.get_attr_or_prop("sym_name"), "data", "")) for each in module.body.ops
    }
    forms: dict[str, str] = {}
    for name in chosen:
        forms[name] = _free_name(f"{name}_cps", taken)
        taken.add(forms[name])
    variables = {v for each in functions.values() for v in variables_of(each.function_type)}
    answer = TypeVarType(StringAttr(_free_name("Answer", variables)))
    conversions = [_Conversion(each, forms, answer) for each in chosen.values()]
    for each in conversions:
        each.require_form(module)
    for each in conversions:
        module.body.block.add_op(run_deep(each.function, 20 * MOST_NESTED))
    return forms


def _is_followed(function: FuncOp) -> bool:
    """True for a function whose calls pass a continuation; a group is called as an operator is."""
    return not {"primitive", "compiler"} & function.attributes.keys()


def _has_functions(type_: Attribute) -> bool:
    match type_:
        case FnType():
            return True
        case FunctionType():
            return any(map(_has_functions, (*type_.inputs, *type_.outputs)))
        case TupleType():
            return any(map(_has_functions, type_.types))
        case AdtType():
            return _has_functions(type_.arguments)
        case RefType():
            return _has_functions(type_.value)
        case _:
            return False


# A function with a continuation -------------------------------------------------------------------


@dataclass(eq=False)
class _Place:
    """The end of a block, and how the block ends."""

    block: Block
    end: type[ReturnOp] | type[YieldOp]

    def add(self, op: Operation, at: Operation) -> SSAValue:
        op.location = at.location
        self.block.add_op(op)
        return op.results[0]

    def answer(self, op: Operation, at: Operation) -> None:
        """End the block with the result of an operation."""
        end = self.end(self.add(op, at))
        end.location = at.location
        self.block.add_op(end)


@dataclass(eq=False)
class _Continuation:
    """A function that gets a value and gives the answer."""

    value: SSAValue

    def __call__(self, result: SSAValue, place: _Place, at: Operation) -> None:
        assert isinstance(self.value.type, FnType)
        place.answer(CallIndirectOp(self.value, [result], self.value.type.output), at)


_Rest = Callable[[SSAValue, _Place, Operation], None]
"""What is done with the value that a block ends with; it ends the block."""


class _Conversion:
    """The form of one function."""

    def __init__(self, source: FuncOp, forms: dict[str, str], answer: TypeVarType) -> None:
        self.source = source
        self.forms = forms
        self.answer = answer
        self.values: dict[SSAValue, SSAValue] = {}
        """The values of the function -> those of its form."""

    def require_form(self, module: ModuleOp) -> None:
        """Refuse what has no form with a continuation (KC2487)."""
        with_functions = {
            op.sym_name.data
            for op in module.body.ops
            if isinstance(op, DataOp)
            and any(_has_functions(each.fields) for each in op.constructors)
        }
        for op in self.source.walk():
            types = [result.type for result in op.results]
            types += [argument.type for region in op.regions for argument in region.block.args]
            for name in (name for type_ in types for name in _data_types(type_)):
                if name in with_functions:
                    raise _refusal(
                        op,
                        f"the data type {name} has functions in its fields",
                        "its values would hold functions that take continuations",
                        "--defunctionalization makes values of data types of functions",
                    )
            if isinstance(op, ScanOp) and self.passes(op):
                raise _refusal(
                    op,
                    "the body of a graph.scan calls a function",
                    "what follows the call is the rest of the scan, which is no function",
                    "--inline and --partial-evaluate leave operators in the body",
                )
        depth = run_deep(lambda: self.depth(self.source.body.block), 20 * MOST_NESTED)
        if depth > MOST_NESTED:
            raise _refusal(
                self.source,
                f"@{self.source.sym_name.data} makes {counted(depth, 'call')} one after the other",
                f"what follows each is a function in that of the call before: {MOST_NESTED} at "
                "most are nested",
                "--inline removes calls; parts of the function can be functions of their own",
            )

    def passes(self, op: Operation) -> bool:
        """True if an operation makes a call that passes a continuation."""
        match op:
            case CallOp():
                return op.callee.string_value() in self.forms
            case CallIndirectOp():
                return True
            case IfOp() | MatchOp() | WhileOp() | ScanOp():
                return any(self.passes(each) for part in op.regions for each in part.block.ops)
            case _:
                return False

    def depth(self, block: Block) -> int:
        """How deep the functions are nested that the form of a block needs."""
        nested = deepest = 0
        for op in block.ops:
            inner = max((self.depth(region.block) for region in op.regions), default=0)
            is_passing = self.passes(op)
            deepest = max(deepest, nested + inner + isinstance(op, FnOp) + is_passing)
            nested += is_passing
        return deepest

    def type(self, type_: Attribute) -> Attribute:
        """A type whose functions take continuations."""
        match type_:
            case FnType():
                inputs = [*map(self.type, type_.inputs.types), self.continuation(type_.output)]
                return FnType(tuple_type(inputs), self.answer)
            case TupleType():
                return tuple_type(map(self.type, type_.types))
            case AdtType():
                return AdtType(type_.symbol, tuple_type(map(self.type, type_.arguments.types)))
            case RefType():
                return RefType(self.type(type_.value))
            case _:
                return type_

    def continuation(self, type_: Attribute) -> FnType:
        """The type of a continuation of a value of a type."""
        return FnType(tuple_type([self.type(type_)]), self.answer)

    def function(self) -> FuncOp:
        """The form of the function."""
        source = self.source
        block = self.block_of(source.body.block, self.continuation(source.return_op.value.type))
        own_name = _free_name("k", source.arg_names)
        block.args[-1].name_hint = own_name
        self.follow(
            source.body.block.first_op, _Place(block, ReturnOp), _Continuation(block.args[-1])
        )
        type_ = FunctionType.from_lists([each.type for each in block.args], [self.answer])
        form = FuncOp(self.forms[source.sym_name.data], type_, Region(block), visibility="private")
        form.attributes |= source.attributes
        form.location = source.location
        if source.arg_attrs is not None:
            own = DictionaryAttr({ARGUMENT_NAME: StringAttr(own_name)})
            form.arg_attrs = ArrayAttr([*source.arg_attrs, own])
        return form

    def block_of(self, source: Block, *more: Attribute) -> Block:
        """A block with the arguments of another one, and more."""
        block = Block(arg_types=[*(self.type(each.type) for each in source.args), *more])
        for argument, new in zip(source.args, block.args, strict=False):
            new.name_hint = argument.name_hint
            self.values[argument] = new
        return block

    def follow(self, op: Operation | None, place: _Place, rest: _Rest) -> None:
        """Write an operation and those that follow it in its block."""
        while op is not None:
            if isinstance(op, ReturnOp | YieldOp):
                rest(self.values[op.operands[0]], place, op)
                return
            if self.passes(op):
                self.pass_on(op, self.following(op, place, rest), place)
                return
            self.values[op.results[0]] = self.copied(op, place)
            op = op.next_op
        raise AssertionError("a block without a terminator")

    def following(self, op: Operation, place: _Place, rest: _Rest) -> SSAValue:
        """The function of an operation's result that does what follows the operation."""
        last = op.next_op
        if isinstance(rest, _Continuation) and isinstance(last, ReturnOp | YieldOp):
            if last.operands[0] == op.results[0]:
                return rest.value
        (result,) = op.results
        block = Block(arg_types=[self.type(result.type)])
        block.args[0].name_hint = result.name_hint
        self.values[result] = block.args[0]
        self.follow(op.next_op, _Place(block, ReturnOp), rest)
        return place.add(FnOp(Region(block)), op)

    def pass_on(self, op: Operation, k: SSAValue, place: _Place) -> None:
        """Write an operation with calls, whose result goes to a continuation."""
        match op:
            case CallOp():
                arguments = [*(self.values[each] for each in op.arguments), k]
                form = self.forms[op.callee.string_value()]
                place.answer(CallOp(form, arguments, self.answer), op)
            case CallIndirectOp():
                arguments = [*(self.values[each] for each in op.arguments), k]
                place.answer(CallIndirectOp(self.values[op.callee], arguments, self.answer), op)
            case IfOp() | MatchOp():
                place.answer(self.branched(op, k), op)
            case WhileOp():
                self.loop(op, k, place)
            case _:
                raise AssertionError(op.name)

    def branched(self, op: IfOp | MatchOp, k: SSAValue) -> Operation:
        """A branch whose regions pass their values to a continuation."""
        new = op.clone_without_regions(self.values)
        for region, source in zip(new.regions, op.regions, strict=True):
            block = self.block_of(source.block)
            region.add_block(block)
            self.follow(source.block.first_op, _Place(block, YieldOp), _Continuation(k))
        Rewriter.replace_value_with_new_type(new.results[0], self.answer)
        return new

    def loop(self, op: WhileOp, k: SSAValue, place: _Place) -> None:
        """Write a loop as a function of what it carries, which calls itself."""
        carried = self.type(op.start.type)
        block = Block(arg_types=[self.continuation(op.start.type), carried])
        itself, value = block.args
        itself.name_hint = "loop"
        value.name_hint = op.condition.block.args[0].name_hint
        self.values[op.condition.block.args[0]] = value
        self.values[op.body.block.args[0]] = value

        def branch(condition: SSAValue, inner: _Place, at: Operation) -> None:
            then, otherwise = Block(), Block()
            self.follow(op.body.block.first_op, _Place(then, YieldOp), _Continuation(itself))
            _Continuation(k)(value, _Place(otherwise, YieldOp), at)
            inner.answer(IfOp(condition, Region(then), Region(otherwise), self.answer), at)

        self.follow(op.condition.block.first_op, _Place(block, ReturnOp), branch)
        loop = place.add(FnOp(Region(block), is_recursive=True), op)
        _Continuation(loop)(self.values[op.start], place, op)

    def copied(self, op: Operation, place: _Place) -> SSAValue:
        """Write an operation that makes no calls."""
        match op:
            case FnOp():
                new = self.closure(op)
            case FunctionRefOp() if op.callee.string_value() in self.forms:
                new = FunctionRefOp(self.forms[op.callee.string_value()], self.type(op.result.type))
            case ClosureOp() if op.callee.string_value() in self.forms:
                captured = [self.values[each] for each in op.captured]
                form = self.forms[op.callee.string_value()]
                new = ClosureOp(form, captured, self.type(op.result.type))
            case FunctionRefOp() | ClosureOp():
                new = self.wrapped(op)
            case ConstructorOp() if isinstance(op.result.type, FnType):
                new = self.wrapped(op)
            case _:
                new = op.clone_without_regions(self.values)
                for region, source in zip(new.regions, op.regions, strict=True):
                    region.add_block(self.straight(source.block))
                own = self.type(op.results[0].type)
                if own != op.results[0].type:
                    Rewriter.replace_value_with_new_type(new.results[0], own)
                if isinstance(new, LetOp) and new.annotation is not None:
                    new.annotation = self.type(new.annotation)
        result = place.add(new, op)
        result.name_hint = op.results[0].name_hint
        return result

    def straight(self, source: Block) -> Block:
        """The block of a region that makes no calls."""
        block = self.block_of(source)
        for op in source.ops:
            if isinstance(op, YieldOp):
                block.add_op(op.clone(self.values))
            else:
                self.values[op.results[0]] = self.copied(op, _Place(block, YieldOp))
        return block

    def closure(self, op: FnOp) -> FnOp:
        """A function that is a value, with a continuation."""
        last = op.body.block.last_op
        assert isinstance(last, ReturnOp)
        block = self.block_of(op.body.block, self.continuation(last.value.type))
        k = block.args[-1]
        k.name_hint = "k"
        self.follow(op.body.block.first_op, _Place(block, ReturnOp), _Continuation(k))
        return FnOp(Region(block), is_recursive=op.itself is not None)

    def wrapped(self, op: FunctionRefOp | ClosureOp | ConstructorOp) -> FnOp:
        """A group, or a constructor, as a function with a continuation."""
        assert isinstance(op.result.type, FnType)
        own = self.type(op.result.type)
        assert isinstance(own, FnType)
        block = Block(arg_types=own.inputs.types.data)
        *arguments, k = block.args
        k.name_hint = "k"
        output = self.type(op.result.type.output)
        inner = _Place(block, ReturnOp)
        if isinstance(op, ConstructorOp):
            call = ConstructOp(op.data.string_value(), op.tag.data, arguments, output)
        else:
            bound = [self.values[each] for each in op.operands]
            call = CallOp(op.callee.string_value(), [*bound, *arguments], output)
        _Continuation(k)(inner.add(call, op), inner, op)
        return FnOp(Region(block))


def _free_name(name: str, taken: Iterable[str]) -> str:
    """The name, with a number if it is taken."""
    names = set(taken)
    if name not in names:
        return name
    return next(each for n in count() if (each := f"{name}_{n}") not in names)


def _data_types(type_: Attribute) -> list[str]:
    """The names of the data types in a type."""
    match type_:
        case FnType():
            return [*_data_types(type_.inputs), *_data_types(type_.output)]
        case TupleType():
            return [name for part in type_.types for name in _data_types(part)]
        case AdtType():
            return [type_.symbol.data, *_data_types(type_.arguments)]
        case RefType():
            return _data_types(type_.value)
        case _:
            return []


def _refusal(at: Operation, what: str, why: str, hint: str) -> GraphError:
    return GraphError("KC2487", f"to-cps: {what}", location=location_of(at), why=why, hints=[hint])


# Back to a function that returns ------------------------------------------------------------------


def _identity(type_: Attribute) -> FnOp:
    block = Block(arg_types=[type_])
    block.add_op(ReturnOp(block.args[0]))
    return FnOp(Region(block))


def _call_form(function: FuncOp, form: str) -> None:
    """Make a function that calls its form with the identity."""
    type_ = function.function_type.outputs.data[0]
    before = function.body.block
    block = Block(arg_types=[each.type for each in before.args])
    for argument, new in zip(before.args, block.args, strict=True):
        new.name_hint = argument.name_hint
    identity = _identity(type_)
    called = CallOp(form, [*block.args, identity.result], type_)
    block.add_ops([identity, called, ReturnOp(called.result)])
    for op in block.ops:
        op.location = function.location
    function.body.detach_block(before)
    before.erase(safe_erase=False)
    function.body.add_block(block)


def _remove_uncalled(module: ModuleOp, forms: dict[str, str]) -> None:
    """Remove private functions that have forms, and that nothing uses any more."""
    functions = functions_of(module)
    private = {
        name
        for name in forms
        if (visibility := functions[name].sym_visibility) is not None
        and visibility.data == "private"
    }
    used = reachable(module, (name for name in functions if name not in private))
    for name in private - used:
        functions[name].detach()
        functions[name].erase(safe_erase=False)


def without_continuation(function: FuncOp) -> FuncOp:
    """The function that calls one that takes a continuation with the identity.

    The type of the answer becomes that of the result. Raises GraphError KC2487 for a function whose
    last argument is not a continuation, and for one whose result holds functions: the type of
    their answers would have to contain itself.
    """
    answer = function.function_type.outputs.data[0]
    arguments = function.body.block.args
    k = arguments[-1].type if arguments else None
    if not isinstance(k, FnType) or len(k.inputs.types) != 1 or k.output != answer:
        raise GraphError(
            "KC2487",
            "un_cps: the last parameter of the function is not a continuation",
            location=location_of(function),
            why=f"it is {'not there' if k is None else k}; a continuation is a function of one "
            f"value that returns what the function does, {answer}",
            hints=["relay.transform.to_cps(function) has a continuation"],
        )
    type_ = k.inputs.types.data[0]
    is_any = isinstance(answer, TypeVarType)
    if answer.symbol.data in variables_of(type_) if is_any else answer != type_:
        raise GraphError(
            "KC2487",
            "un_cps: the identity is not a continuation of the function",
            location=location_of(function),
            why=f"its result is {type_}, its answer {answer}",
            hints=[
                "a function whose result is a tensor, or a tuple or data type without functions"
            ],
        )
    copied = function.clone()
    if is_any:
        _set_variable(copied, answer.symbol.data, type_)
    block = copied.body.detach_block(0)
    inner = FnOp(Region(block))
    outer = Block(arg_types=[each.type for each in block.args[:-1]])
    for argument, new in zip(block.args, outer.args, strict=False):
        new.name_hint = argument.name_hint
    identity = _identity(type_)
    called = CallIndirectOp(inner.result, [*outer.args, identity.result], type_)
    outer.add_ops([inner, identity, called, ReturnOp(called.result)])
    for op in outer.ops:
        op.location = function.location
    copied.body.add_block(outer)
    if copied.arg_attrs is not None:
        copied.arg_attrs = ArrayAttr(copied.arg_attrs.data[:-1])
    copied.update_type()
    return copied


def _set_variable(function: FuncOp, name: str, value: Attribute) -> None:
    """Give a type parameter of a function a type."""

    def changed(type_: Attribute) -> Attribute:
        variables: dict[str, Attribute] = {
            each: TypeVarType(StringAttr(each)) for each in variables_of(type_)
        }
        if name not in variables:
            return type_
        return substitute_types(type_, {**variables, name: value})

    for op in list(function.walk()):
        values: list[SSAValue] = [*op.results]
        values += [each for region in op.regions for each in region.block.args]
        for each in values:
            if (new := changed(each.type)) != each.type:
                Rewriter.replace_value_with_new_type(each, new)
        if isinstance(op, LetOp) and op.annotation is not None:
            op.annotation = changed(op.annotation)
    function.update_type()
