"""The ``te`` dialect: pure tensor expressions, tensors in and tensors out.

A ``te.func`` holds ``te.compute`` ops, each giving every element of a tensor as a scalar body
over named axes, optionally reduced over reduction axes with a combiner. After TVM's tensor
expressions (Chen et al., OSDI 2018) and Halide's functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    i64,
)
from xdsl.dialects.utils import EnumAttribute, parse_func_op_like, print_func_op_like
from xdsl.ir import (
    Block,
    Dialect,
    Region,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
)
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
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
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    HasAncestor,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from kc.dialects.affine_assembly import AffineOperandsParser, print_exprs
from kc.dialects.tir import (
    DYNAMIC,
    INDEX,
    is_name,
    parse_extent,
    parse_name,
    parse_named_variable,
    parse_optional_attributes,
    print_named_variable,
    print_optional_attributes,
    verify_name,
)


class Combiner(StrEnum):
    """An associative and commutative operation that a reduction applies.

    ``umin`` and ``umax`` compare integers as unsigned; ``min`` and ``max`` of floats propagate
    NaN, as numpy does.
    """

    SUM = "sum"
    PROD = "prod"
    MIN = "min"
    MAX = "max"
    UMIN = "umin"
    UMAX = "umax"


@irdl_attr_definition
class CombinerAttr(EnumAttribute[Combiner], SpacedOpaqueSyntaxAttribute):
    name = "te.combiner"


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
        found = [value.type for value in self.values]
        expected = list(parent.function_type.outputs.data)
        if found != expected:
            raise VerifyException(
                "te.return: returns ("
                + ", ".join(map(str, found))
                + f"), but @{parent.sym_name.data} declares ("
                + ", ".join(map(str, expected))
                + ")"
            )


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A pure function of tensors and scalars.

    Argument attributes: ``kc.dtype`` is the user's element type where the IR type does not tell
    (``"uint8"`` for i8, ``"bool"`` for i1); ``kc.shape`` gives the dimensions as an affine map
    of the symbols that the function lists in ``kc.symbols``; ``kc.symbol`` on an ``index``
    argument makes it the value of that symbol.
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
        if not isinstance(self.body.block.last_op, ReturnOp):
            raise VerifyException(f"te.func: @{self.sym_name.data} must end with te.return")
        for op in self.body.block.ops:
            if isinstance(op, ComputeOp | ReadOp | ReturnOp):
                continue
            if any(isinstance(one.type, TensorType) for one in (*op.operands, *op.results)):
                raise VerifyException(
                    f"te.func: {op.name} in @{self.sym_name.data} works on tensors; only "
                    "te.compute does"
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


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``te.yield %v : f32``: the value of the element that the compute's body defines."""

    name = "te.yield"

    value = operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ComputeOp)))
    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class ComputeOp(IRDLOperation):
    """A tensor, element by element.

    ``%C = te.compute "C" [%i = 1024, %j = %n] reduce sum [%k = 64] { ... te.yield %v : f32 } :
    tensor<1024x?xf32>``: the body over the spatial axes, combined over the reduction axes.
    Bodies read tensors with ``te.read`` and compute with ``arith`` and ``math``; they are pure.
    """

    name = "te.compute"

    dynamic_extents = var_operand_def(IndexType())
    compute_name = prop_def(StringAttr)
    axis_names = prop_def(ArrayAttr[StringAttr])
    reduce_names = prop_def(ArrayAttr[StringAttr])
    static_extents = prop_def(DenseArrayBase.constr(i64))
    combiner = opt_prop_def(CombinerAttr)
    body = region_def("single_block")
    result = result_def(TensorType)

    traits = traits_def(Pure(), HasParent(FuncOp), SingleBlockImplicitTerminator(YieldOp))

    def __init__(
        self,
        compute_name: str,
        axes: Sequence[tuple[str, int | SSAValue]],
        body: Region,
        result_type: TensorType,
        reduce_axes: Sequence[tuple[str, int | SSAValue]] = (),
        combiner: Combiner | None = None,
    ) -> None:
        extents = [extent for _, extent in (*axes, *reduce_axes)]
        super().__init__(
            operands=[[extent for extent in extents if not isinstance(extent, int)]],
            properties={
                "compute_name": StringAttr(compute_name),
                "axis_names": ArrayAttr([StringAttr(name) for name, _ in axes]),
                "reduce_names": ArrayAttr([StringAttr(name) for name, _ in reduce_axes]),
                "static_extents": DenseArrayBase.from_list(
                    i64, [extent if isinstance(extent, int) else DYNAMIC for extent in extents]
                ),
                "combiner": CombinerAttr(combiner) if combiner is not None else None,
            },
            regions=[body],
            result_types=[result_type],
        )
        if is_name(compute_name):
            self.result.name_hint = compute_name

    @property
    def label(self) -> str:
        """The compute's name."""
        return self.compute_name.data

    @property
    def rank(self) -> int:
        """The number of spatial axes."""
        return len(self.axis_names.data)

    @property
    def names(self) -> list[str]:
        """The names of the spatial, then of the reduction axes."""
        return [one.data for one in (*self.axis_names.data, *self.reduce_names.data)]

    @property
    def extents(self) -> list[int | SSAValue]:
        """The extents of the spatial, then of the reduction axes."""
        dynamic = iter(self.dynamic_extents)
        return [
            next(dynamic) if extent == DYNAMIC else int(extent)
            for extent in self.static_extents.iter_values()
        ]

    def verify_(self) -> None:
        verify_name(self, self.label)
        names = self.names
        for name in names:
            verify_name(self, name)
        if len(set(names)) != len(names):
            raise VerifyException(f"te.compute: {self.label} has two axes of one name")
        extents = list(self.static_extents.iter_values())
        if len(extents) != len(names):
            raise VerifyException(
                f"te.compute: {self.label} has {len(names)} axes but {len(extents)} extents"
            )
        if extents.count(DYNAMIC) != len(self.dynamic_extents):
            raise VerifyException(
                f"te.compute: {self.label} has {extents.count(DYNAMIC)} dynamic extents but "
                f"{len(self.dynamic_extents)} operands for them"
            )
        for name, extent in zip(names, extents, strict=True):
            if extent < 0 and extent != DYNAMIC:
                raise VerifyException(
                    f"te.compute: axis {name} of {self.label} has the extent {extent}; "
                    "an extent is at least 0"
                )
        if bool(self.reduce_names.data) != (self.combiner is not None):
            raise VerifyException(
                f"te.compute: {self.label} must have both reduction axes and a combiner, or neither"
            )
        if [arg.type for arg in self.body.block.args] != [INDEX] * len(names):
            raise VerifyException(
                f"te.compute: the body of {self.label} must take {len(names)} index arguments"
            )
        result_type = self.result.type
        assert isinstance(result_type, TensorType)
        shape = list(result_type.get_shape())
        if shape != extents[: self.rank]:
            raise VerifyException(
                f"te.compute: {self.label} has spatial extents "
                f"{_shape_text(extents[: self.rank])} but the type {result_type}"
            )
        last = self.body.block.last_op
        if isinstance(last, YieldOp) and last.value.type != result_type.element_type:
            raise VerifyException(
                f"te.compute: the body of {self.label} yields {last.value.type} for elements of "
                f"type {result_type.element_type}"
            )
        if self.combiner is not None:
            unsigned = self.combiner.data in (Combiner.UMIN, Combiner.UMAX)
            kinds = IntegerType if unsigned else IntegerType | AnyFloat
            if not isinstance(result_type.element_type, kinds):
                raise VerifyException(
                    f"te.compute: the combiner {self.combiner.data} of {self.label} is for "
                    f"{'integers' if unsigned else 'integers and floats'}, not "
                    f"{result_type.element_type}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> ComputeOp:
        label = parse_name(parser)
        variables: list[Parser.UnresolvedArgument] = []

        def parse_axis() -> tuple[str, tuple[int, UnresolvedOperand | None]]:
            name, var = parse_named_variable(parser)
            variables.append(var)
            parser.parse_punctuation("=")
            return name, parse_extent(parser)

        square = parser.Delimiter.SQUARE
        axes = parser.parse_comma_separated_list(square, parse_axis)
        reduce_axes: list[tuple[str, tuple[int, UnresolvedOperand | None]]] = []
        combiner = None
        if parser.parse_optional_keyword("reduce"):
            combiner = Combiner(parser.parse_keyword_in([one.value for one in Combiner]))
            reduce_axes = parser.parse_comma_separated_list(square, parse_axis)
        attributes = parse_optional_attributes(parser)
        body = parser.parse_region([var.resolve(INDEX) for var in variables])
        parser.parse_punctuation(":")
        result_type = parser.parse_type()
        if not isinstance(result_type, TensorType):
            parser.raise_error(f"te.compute: expected a tensor type, got {result_type}")

        def resolve(
            parsed: Sequence[tuple[str, tuple[int, UnresolvedOperand | None]]],
        ) -> list[tuple[str, int | SSAValue]]:
            return [
                (name, parser.resolve_operand(operand, INDEX) if operand else extent)
                for name, (extent, operand) in parsed
            ]

        op = cls(label.data, resolve(axes), body, result_type, resolve(reduce_axes), combiner)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        printer.print_string(" ")
        printer.enter_scope()
        axes = list(zip(self.names, self.body.block.args, self.extents, strict=True))
        self._print_axes(printer, axes[: self.rank])
        if self.combiner is not None:
            printer.print_string(f" reduce {self.combiner.data.value} ")
            self._print_axes(printer, axes[self.rank :])
        print_optional_attributes(printer, self.attributes)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.exit_scope()
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    def _print_axes(
        self, printer: Printer, axes: Sequence[tuple[str, SSAValue, int | SSAValue]]
    ) -> None:
        printer.print_string("[")
        for n, (name, var, extent) in enumerate(axes):
            if n:
                printer.print_string(", ")
            print_named_variable(printer, name, var)
            printer.print_string(" = ")
            if isinstance(extent, int):
                printer.print_int(extent)
            else:
                printer.print_ssa_value(extent)
        printer.print_string("]")


def _shape_text(extents: Sequence[int]) -> str:
    return "[" + ", ".join("?" if one == DYNAMIC else str(one) for one in extents) + "]"


@irdl_op_definition
class ReadOp(IRDLOperation):
    """``te.read %A[%i, %k * 2 + 1] : tensor<...>``: an element of a tensor, in a body."""

    name = "te.read"

    tensor = operand_def(TensorType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)
    result = result_def()

    traits = traits_def(Pure(), HasAncestor(ComputeOp))

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
        space = self.indices.data
        if len(space.results) != tensor_type.get_num_dims():
            raise VerifyException(
                f"te.read: {len(space.results)} indices for a tensor of rank "
                f"{tensor_type.get_num_dims()} ({tensor_type})"
            )
        if space.num_symbols or space.num_dims != len(self.operands_of_map):
            raise VerifyException(
                f"te.read: the index map takes {space.num_dims} dimensions and "
                f"{space.num_symbols} symbols; {len(self.operands_of_map)} dimensions and "
                "no symbols are needed"
            )
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
        printer.print_ssa_value(self.tensor)
        printer.print_string("[")
        print_exprs(printer, self.indices.data.results, self.operands_of_map)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)


@irdl_op_definition
class SymbolOp(IRDLOperation):
    """``%n = te.symbol "n"``: a symbolic size of the function (see :class:`FuncOp`)."""

    name = "te.symbol"

    symbol = prop_def(StringAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, symbol: str) -> None:
        super().__init__(properties={"symbol": StringAttr(symbol)}, result_types=[INDEX])
        if is_name(symbol):
            self.result.name_hint = symbol

    def verify_(self) -> None:
        verify_name(self, self.symbol.data)

    @classmethod
    def parse(cls, parser: Parser) -> SymbolOp:
        op = cls(parse_name(parser).data)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.symbol.data)
        printer.print_op_attributes(self.attributes)


TE = Dialect("te", [ComputeOp, FuncOp, ReadOp, ReturnOp, SymbolOp, YieldOp], [CombinerAttr])
