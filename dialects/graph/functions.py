"""Functions of graphs, their calls, and functions that are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.type_variables import solve
from kc.dialects.graph.types import FnType, UnknownType, merged_type, tuple_type, verify_type

ARGUMENT_NAME = "kc.name"
"""The attribute of an argument that is its name."""


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """``graph.return %y : tensor<...>``: the result of a function, which is one value."""

    name = "graph.return"

    value = operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(FuncOp, FnOp)))
    assembly_format = "attr-dict $value `:` type($value)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class FuncOp(IRDLOperation):
    """``graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { ... graph.return %y : ... }``.

    A function of the module; its body is one block, a dataflow graph in the order of its
    operations. The attribute ``primitive`` marks a group that becomes one kernel, ``inline`` a
    function that ``inline`` dissolves, ``compiler`` and ``composite`` name who compiles it.
    ``kc.name`` of an argument is its name.
    """

    name = "graph.func"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        body: Region | None = None,
        arg_names: Sequence[str] | None = None,
        visibility: str | None = None,
    ) -> None:
        if body is None:
            body = Region(Block(arg_types=function_type.inputs))
        arg_attrs = None
        if arg_names is not None:
            arg_attrs = ArrayAttr(
                [DictionaryAttr({ARGUMENT_NAME: StringAttr(each)}) for each in arg_names]
            )
            for argument, each in zip(body.block.args, arg_names, strict=True):
                argument.name_hint = each if each.isidentifier() else None
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "sym_visibility": None if visibility is None else StringAttr(visibility),
                "function_type": function_type,
                "arg_attrs": arg_attrs,
            },
            regions=[body],
        )

    @property
    def return_op(self) -> ReturnOp:
        """The terminator."""
        last = self.body.block.last_op
        assert isinstance(last, ReturnOp)
        return last

    @property
    def arg_names(self) -> list[str]:
        """The names of the arguments: ``kc.name``, or the name in the text."""
        attrs = self.arg_attrs.data if self.arg_attrs is not None else ()
        names: list[str] = []
        for argument in self.body.block.args:
            noted = attrs[argument.index].data.get(ARGUMENT_NAME) if attrs else None
            if isinstance(noted, StringAttr):
                names.append(noted.data)
            else:
                names.append(argument.name_hint or f"arg{argument.index}")
        return names

    def update_type(self) -> None:
        """Make the signature that of the arguments and of the returned value."""
        self.function_type = FunctionType.from_lists(
            [argument.type for argument in self.body.block.args], [self.return_op.value.type]
        )

    def verify_(self) -> None:
        name = self.sym_name.data
        if [argument.type for argument in self.body.block.args] != list(self.function_type.inputs):
            raise VerifyException(f"@{name}: its arguments do not have the types of its signature")
        if len(self.function_type.outputs) != 1:
            raise VerifyException(f"@{name}: a function of a graph has one result, maybe a tuple")
        for type_ in (*self.function_type.inputs, *self.function_type.outputs):
            verify_type(type_)
        last = self.body.block.last_op
        if not isinstance(last, ReturnOp):
            raise VerifyException(f"@{name} must end with graph.return")
        if last.value.type != self.function_type.outputs.data[0]:
            raise VerifyException(
                f"@{name} returns {last.value.type}, but declares "
                f"{self.function_type.outputs.data[0]}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        visibility = parser.parse_optional_visibility_keyword()
        name, inputs, outputs, region, attributes, arg_attrs, res_attrs = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type", "sym_visibility")
        )
        operation = cls(name, FunctionType.from_lists(inputs, outputs), region)
        operation.sym_visibility = visibility
        operation.arg_attrs = arg_attrs
        operation.res_attrs = res_attrs
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f" {self.sym_visibility.data}")
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            self.attributes,
            arg_attrs=self.arg_attrs,
            res_attrs=self.res_attrs,
            reserved_attr_names=("sym_name", "function_type", "sym_visibility"),
        )


class _CalleeExists(SymbolUserOpInterface):
    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp | FunctionRefOp | ClosureOp)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, FuncOp):
            raise VerifyException(f"{op.name}: there is no graph.func {op.callee}")
        op.verify_callee(callee)


@irdl_op_definition
class CallOp(IRDLOperation):
    """``%y = graph.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>``: a call of a function."""

    name = "graph.call"

    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def()
    result = result_def()

    traits = traits_def(_CalleeExists())
    assembly_format = (
        "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $result)"
    )

    def __init__(self, callee: str, arguments: Sequence[SSAValue], result_type: Attribute) -> None:
        super().__init__(
            operands=[list(arguments)],
            properties={"callee": SymbolRefAttr(callee)},
            result_types=[result_type],
        )

    def verify_callee(self, callee: FuncOp) -> None:
        """Require that operands and result have the types of the function."""
        declared = callee.function_type
        passed = FunctionType.from_lists([v.type for v in self.arguments], [self.result.type])
        values: dict[str, Attribute] = {}
        if len(passed.inputs) != len(declared.inputs) or not all(
            solve(type_, passed_type, values)
            for passed_type, type_ in zip(
                (*passed.inputs, *passed.outputs),
                (*declared.inputs, *declared.outputs),
                strict=True,
            )
        ):
            raise VerifyException(
                f"graph.call: @{callee.sym_name.data} is {declared}, the call is {passed}"
            )


@irdl_op_definition
class FunctionRefOp(IRDLOperation):
    """``%f = graph.function_ref @f : !graph.fn<...>``: a function of the module as a value."""

    name = "graph.function_ref"

    callee = prop_def(SymbolRefAttr)
    result = result_def(FnType | UnknownType)

    traits = traits_def(Pure(), _CalleeExists())
    assembly_format = "$callee attr-dict `:` type($result)"

    def __init__(self, callee: str, result_type: Attribute) -> None:
        super().__init__(properties={"callee": SymbolRefAttr(callee)}, result_types=[result_type])

    def verify_callee(self, callee: FuncOp) -> None:
        """Require that the value has the type of the function."""
        _verify_value(self, callee, 0, {})


@irdl_op_definition
class ClosureOp(IRDLOperation):
    """``%f = graph.closure @f(%captured) : (...) -> !graph.fn<...>``.

    A function of the module whose first arguments are bound: what lambda lifting leaves.
    """

    name = "graph.closure"

    callee = prop_def(SymbolRefAttr)
    captured = var_operand_def()
    result = result_def(FnType | UnknownType)

    traits = traits_def(Pure(), _CalleeExists())
    assembly_format = "$callee `(` $captured `)` attr-dict `:` functional-type($captured, $result)"

    def __init__(self, callee: str, captured: Sequence[SSAValue], result_type: Attribute) -> None:
        super().__init__(
            operands=[list(captured)],
            properties={"callee": SymbolRefAttr(callee)},
            result_types=[result_type],
        )

    def verify_callee(self, callee: FuncOp) -> None:
        """Require that the captured values and the closure have the types of the function."""
        declared = list(callee.function_type.inputs)[: len(self.captured)]
        values: dict[str, Attribute] = {}
        if len(declared) < len(self.captured) or not all(
            solve(type_, value.type, values)
            for value, type_ in zip(self.captured, declared, strict=True)
        ):
            raise VerifyException(
                f"graph.closure: the first arguments of @{callee.sym_name.data} are not of the "
                "types of the captured values"
            )
        _verify_value(self, callee, len(self.captured), values)


def _verify_value(
    op: FunctionRefOp | ClosureOp, callee: FuncOp, bound: int, values: dict[str, Attribute]
) -> None:
    declared = callee.function_type
    expected = FnType(tuple_type(declared.inputs.data[bound:]), declared.outputs.data[0])
    if not solve(expected, op.result.type, values):
        raise VerifyException(f"{op.name}: the value is {expected}, not {op.result.type}")


@irdl_op_definition
class FnOp(IRDLOperation):
    """A function that is a value; its body may use values from outside.

    ::

        %f = graph.fn (%x: tensor<4xf32>) -> tensor<4xf32> {
          %y = graph.add(%x, %z) : ...
          graph.return %y : tensor<4xf32>
        }

    A function that calls itself has itself as the first argument of its block, before those that a
    call passes: ``graph.fn rec %f (%x: ...) -> ... { ... graph.call_indirect %f(...) ... }``.
    """

    name = "graph.fn"

    is_recursive = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    result = result_def(FnType | UnknownType)

    traits = traits_def(Pure())

    def __init__(
        self, body: Region, result_type: Attribute | None = None, is_recursive: bool = False
    ) -> None:
        if result_type is None:
            last = body.block.last_op
            assert isinstance(last, ReturnOp)
            arguments = body.block.args[1:] if is_recursive else body.block.args
            inputs = tuple_type([argument.type for argument in arguments])
            result_type = FnType(inputs, last.value.type)
        properties = {"is_recursive": UnitAttr() if is_recursive else None}
        super().__init__(regions=[body], properties=properties, result_types=[result_type])

    @property
    def arguments(self) -> Sequence[BlockArgument]:
        """The arguments that a call passes."""
        return self.body.block.args[1:] if self.is_recursive is not None else self.body.block.args

    @property
    def itself(self) -> SSAValue | None:
        """The function in its own body; None for one that does not call itself."""
        return self.body.block.args[0] if self.is_recursive is not None else None

    def verify_(self) -> None:
        last = self.body.block.last_op
        if not isinstance(last, ReturnOp):
            raise VerifyException("graph.fn must end with graph.return")
        if self.is_recursive is not None and not self.body.block.args:
            raise VerifyException("graph.fn: the first argument of a recursive one is itself")
        expected = FnType(tuple_type([a.type for a in self.arguments]), last.value.type)
        if self.itself is not None and merged_type(self.itself.type, expected) is None:
            raise VerifyException(f"graph.fn: it calls itself as {self.itself.type}")
        if not isinstance(self.result.type, UnknownType) and self.result.type != expected:
            raise VerifyException(f"graph.fn: the value is {expected}, not {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> FnOp:
        itself: list[Parser.UnresolvedArgument] = []
        if parser.parse_optional_keyword("rec") is not None:
            itself.append(parser.parse_argument(expect_type=False))
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=True)
        )
        parser.parse_punctuation("->")
        output = parser.parse_type()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        inputs = tuple_type([argument.type for argument in arguments])
        type_ = FnType(inputs, output)
        region = parser.parse_region([*(each.resolve(type_) for each in itself), *arguments])
        operation = cls(region, type_, bool(itself))
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        last = self.body.block.last_op
        assert isinstance(last, ReturnOp)
        if self.itself is not None:
            printer.print_string(" rec ")
            printer.print_ssa_value(self.itself)
        printer.print_string(" (")
        printer.print_list(self.arguments, printer.print_block_argument)
        printer.print_string(") -> ")
        printer.print_attribute(last.value.type)
        printer.print_string(" ")
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
            printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


@irdl_op_definition
class CallIndirectOp(IRDLOperation):
    """``%y = graph.call_indirect %f(%x) : (...) -> ...``: a call of a function that is a value."""

    name = "graph.call_indirect"

    callee = operand_def(FnType | UnknownType)
    arguments = var_operand_def()
    result = result_def()

    assembly_format = (
        "$callee `(` $arguments `)` attr-dict `:` type($callee) `,` "
        "functional-type($arguments, $result)"
    )

    def __init__(
        self, callee: SSAValue, arguments: Sequence[SSAValue], result_type: Attribute
    ) -> None:
        super().__init__(operands=[callee, list(arguments)], result_types=[result_type])

    def verify_(self) -> None:
        declared = self.callee.type
        if isinstance(declared, UnknownType):
            return
        assert isinstance(declared, FnType)
        passed = FnType(tuple_type([v.type for v in self.arguments]), self.result.type)
        if merged_type(passed, declared) is None:
            raise VerifyException(f"graph.call_indirect: the function is {declared}, not {passed}")
