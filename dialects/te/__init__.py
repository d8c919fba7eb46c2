"""The ``te`` dialect: pure tensor expressions, which take and return tensors.

A ``te.func`` contains three kinds of ops. A ``te.compute`` gives each element of a tensor as a
scalar body over named axes, optionally reduced over reduction axes with a combiner. A ``te.scan``
is a recurrence of computes. The tensors of a ``te.extern`` are written by loops of ``tir``. After
TVM's tensor expressions (Chen et al., OSDI 2018) and Halide's functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
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
    HasAncestor,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.access_assembly import print_access, verify_access
from kc.dialects.affine_assembly import AffineOperandsParser
from kc.dialects.assembly import DYNAMIC, INDEX
from kc.dialects.symbolic_size import SymbolicSizeOp
from kc.dialects.te.canonicalization import Canonicalized
from kc.dialects.te.compute import (
    Combiner,
    CombinerAttr,
    ComputeOp,
    ConditionOp,
    UserCombiner,
    YieldOp,
    computes_in,
    output_name,
)
from kc.dialects.te.extern import ExternOp
from kc.dialects.te.scan import ScanOp, tensor_extents
from kc.dialects.tir.memory import CONTAINERS
from kc.support import registry

__all__ = [
    "DYNAMIC",
    "INDEX",
    "TE",
    "Combiner",
    "CombinerAttr",
    "ComputeOp",
    "ConditionOp",
    "ExternOp",
    "FuncOp",
    "ReadOp",
    "ReturnOp",
    "ScanOp",
    "SymbolOp",
    "UserCombiner",
    "YieldOp",
    "computes_in",
    "output_name",
    "tensor_extents",
]


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """``te.return %C : tensor<...>``: the results of a ``te.func``."""

    name = "te.return"

    values = var_operand_def(TensorType)

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(FuncOp)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])

    def verify_(self) -> None:
        parent = self.parent_op()
        assert isinstance(parent, FuncOp)
        returned = [value.type for value in self.values]
        expected = list(parent.function_type.outputs.data)
        if returned != expected:
            raise VerifyException(
                "te.return: returns ("
                + ", ".join(map(str, returned))
                + f"), but @{parent.sym_name.data} declares ("
                + ", ".join(map(str, expected))
                + ")"
            )


def _verify_elements(kind_text: str, type_: Attribute) -> None:
    """Check that the elements of a tensor are scalars, like those of tir buffers."""
    if isinstance(type_, TensorType) and isinstance(type_.element_type, CONTAINERS):
        raise VerifyException(
            f"te.func: {kind_text} a {type_}; the elements of tensors are scalars"
        )


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A pure function of tensors and scalars.

    Argument attributes: ``kc.dtype`` is the user's element type if the IR type does not determine
    it (``"uint8"`` for i8, ``"bool"`` for i1); ``kc.shape`` gives the dimensions as an affine map
    of the symbols that the function lists in ``kc.symbols``; ``kc.symbol`` on an ``index`` argument
    makes the argument the value of that symbol.
    """

    name = "te.func"

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
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
        res_attrs: ArrayAttr[DictionaryAttr] | None = None,
        visibility: StringAttr | None = None,
    ) -> None:
        if body is None:
            body = Region(Block(arg_types=function_type.inputs))
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "sym_visibility": visibility,
                "function_type": function_type,
                "arg_attrs": arg_attrs,
                "res_attrs": res_attrs,
            },
            regions=[body],
        )

    def verify_(self) -> None:
        entry = [arg.type for arg in self.body.block.args]
        if entry != list(self.function_type.inputs.data):
            raise VerifyException(
                f"te.func: the arguments of @{self.sym_name.data} do not have the types "
                "that its signature declares"
            )
        for type_ in (*self.function_type.inputs, *self.function_type.outputs):
            if not isinstance(type_, TensorType | IndexType | IntegerType) and not hasattr(
                type_, "bitwidth"
            ):
                raise VerifyException(
                    f"te.func: @{self.sym_name.data} has an argument of type {type_}; "
                    "arguments are tensors or scalars"
                )
            _verify_elements(f"@{self.sym_name.data} has", type_)
        if not isinstance(self.body.block.last_op, ReturnOp):
            raise VerifyException(f"te.func: @{self.sym_name.data} must end with te.return")
        for op in self.body.block.ops:
            for result in op.results:
                _verify_elements(f"{op.name} in @{self.sym_name.data} gives", result.type)
            if isinstance(op, ComputeOp | ExternOp | ReadOp | ReturnOp | ScanOp):
                continue
            if _is_of_plugin(op):
                continue  # its patterns convert it to loops
            if any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results)):
                raise VerifyException(
                    f"te.func: {op.name} in @{self.sym_name.data} works on tensors; only "
                    "te.compute, te.extern and te.scan do"
                )

    @property
    def return_op(self) -> ReturnOp:
        """The function's terminator."""
        last = self.body.block.last_op
        assert isinstance(last, ReturnOp)
        return last

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        visibility = parser.parse_optional_visibility_keyword()
        name, inputs, outputs, region, attributes, arg_attrs, res_attrs = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type", "sym_visibility")
        )
        op = cls(
            name,
            FunctionType.from_lists(inputs, outputs),
            region,
            arg_attrs,
            res_attrs,
            visibility,
        )
        if attributes is not None:
            op.attributes |= attributes.data
        return op

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


def _is_of_plugin(op: Operation) -> bool:
    dialect = registry.current().dialects.get(op.name.partition(".")[0])
    return dialect is not None and dialect.origin != "kc"


@irdl_op_definition
class ReadOp(IRDLOperation):
    """``te.read %A[%i, %k * 2 + 1] : tensor<...>``: an element of a tensor, in a body."""

    name = "te.read"

    tensor = operand_def(TensorType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)
    result = result_def()

    traits = traits_def(Pure(), HasAncestor(ComputeOp), Canonicalized())

    def __init__(self, tensor: SSAValue, indices: AffineMap, operands: Sequence[SSAValue]) -> None:
        assert isinstance(tensor.type, TensorType)
        super().__init__(
            operands=[tensor, list(operands)],
            properties={"indices": AffineMapAttr(indices)},
            result_types=[tensor.type.element_type],
        )

    def verify_(self) -> None:
        tensor_type = self.tensor.type
        assert isinstance(tensor_type, TensorType)
        verify_access(self, tensor_type, self.indices, len(self.operands_of_map))
        if self.result.type != tensor_type.element_type:
            raise VerifyException(f"te.read: reads {self.result.type} from {tensor_type}")

    @classmethod
    def parse(cls, parser: Parser) -> ReadOp:
        tensor = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        tensor_type = parser.parse_type()
        if not isinstance(tensor_type, TensorType):
            parser.raise_error(f"te.read: expected a tensor type, got {tensor_type}")
        op = cls(
            parser.resolve_operand(tensor, tensor_type), affine.map_of(exprs), affine.operands()
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.tensor, self.indices, self.operands_of_map)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)


@irdl_op_definition
class SymbolOp(SymbolicSizeOp):
    """``%n = te.symbol "n"``: a symbolic size of the function (see :class:`FuncOp`)."""

    name = "te.symbol"


TE = Dialect(
    "te",
    [ComputeOp, ConditionOp, ExternOp, FuncOp, ReadOp, ReturnOp, ScanOp, SymbolOp, YieldOp],
    [CombinerAttr],
)
