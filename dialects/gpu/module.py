"""Device code: modules, and functions that the host launches (kernels) or that kernels call."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    lazy_traits_def,
    opt_attr_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.gpu.attrs import ALIGN, AddressSpace, AddressSpaceAttr

KERNEL = "gpu.kernel"
"""The attribute of functions that the host launches."""
_ATTRIBUTIONS = "workgroup_attributions"
"""The attribute with the number of arguments of a region that are shared memory."""


@irdl_op_definition
class GPUModuleOp(IRDLOperation):
    """``gpu.module @kernels [#nvvm.target<chip = "sm_90a">] { ... }``: code for a device."""

    name = "gpu.module"

    sym_name = prop_def(SymbolNameConstraint())
    targets = opt_prop_def(ArrayAttr)
    offloading_handler = opt_prop_def(Attribute, prop_name="offloadingHandler")
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), SymbolTable())

    def __init__(
        self, name: str, body: Region | None = None, targets: Sequence[Attribute] = ()
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "targets": ArrayAttr(targets) if targets else None,
            },
            regions=[body if body is not None else Region(Block())],
        )

    def verify_(self) -> None:
        if self.targets is not None and not self.targets.data:
            raise VerifyException("gpu.module: the list of targets is empty")

    @classmethod
    def parse(cls, parser: Parser) -> GPUModuleOp:
        name = parser.parse_symbol_name().data
        handler = None
        if parser.parse_optional_punctuation("<"):
            handler = parser.parse_attribute()
            parser.parse_punctuation(">")
        targets = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_attribute
        )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region()
        if not body.blocks:
            body.add_block(Block())
        op = cls(name, body, targets or ())
        if handler is not None:
            op.properties["offloadingHandler"] = handler
        if attributes is not None:
            op.attributes.update(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        if self.offloading_handler is not None:
            printer.print_string(" <")
            printer.print_attribute(self.offloading_handler)
            printer.print_string(">")
        if self.targets is not None:
            printer.print_string(" ")
            printer.print_attribute(self.targets)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)


def _of_space(what: str, args: Sequence[BlockArgument], space: AddressSpace) -> None:
    """Refuse memory of a kernel that is not a memref or has another memory space."""
    for arg in args:
        type_ = arg.type
        if not isinstance(type_, MemRefType):
            raise VerifyException(f"{what} memory of type {type_}, which must be a memref")
        own_space = type_.memory_space
        if isinstance(own_space, AddressSpaceAttr) and own_space.data is not space:
            raise VerifyException(f"{what} memory of type {type_}, which is {own_space.data.value}")


def verify_attributions(
    op: IRDLOperation, shared: Sequence[BlockArgument], private: Sequence[BlockArgument]
) -> None:
    """Refuse invalid arguments for shared and private memory."""
    _of_space(f"{op.name}: workgroup", shared, AddressSpace.WORKGROUP)
    _of_space(f"{op.name}: private", private, AddressSpace.PRIVATE)


def attribution_count(op: IRDLOperation) -> int:
    """The number of arguments that are shared memory."""
    count = op.attributes.get(_ATTRIBUTIONS)
    return count.value.data if isinstance(count, IntegerAttr) else 0


def attributions(count: int) -> dict[str, Attribute]:
    """The attribute for ``count`` arguments that are shared memory."""
    return {_ATTRIBUTIONS: IntegerAttr(count, i64)}


def parse_attributions(parser: Parser, keyword: str) -> list[Parser.Argument]:
    """``workgroup(%w : memref<32xf32, 3>)``: arguments for memory, if there are any."""
    if parser.parse_optional_keyword(keyword) is None:
        return []
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)


def print_attributions(printer: Printer, keyword: str, args: Sequence[BlockArgument]) -> None:
    """The inverse of :func:`parse_attributions`."""
    if args:
        printer.print_string(f" {keyword}(")
        printer.print_list(args, printer.print_block_argument)
        printer.print_string(")")


@irdl_op_definition
class GPUFuncOp(IRDLOperation):
    """``gpu.func @k(%a: memref<?xf32>) workgroup(%w : memref<32xf32, 3>) kernel { ... }``.

    A function of a device. A ``kernel`` is launched by the host and returns nothing.

    Shared memory (workgroup) and private memory are arguments of the body, but not of calls. Shared
    memory can have attributes: ``workgroup(%w : memref<32xf32, 3> {llvm.align = 128 : i64})`` has
    an alignment of 128 bytes.
    """

    name = "gpu.func"

    sym_name = attr_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    known_block_size = opt_prop_def(DenseArrayBase.constr(i32))
    known_grid_size = opt_prop_def(DenseArrayBase.constr(i32))
    workgroup_attrib_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    workgroup_attributions = opt_attr_def(IntegerAttr)
    body = region_def()

    traits = lazy_traits_def(
        lambda: (HasParent(GPUModuleOp), IsolatedFromAbove(), SymbolOpInterface())
    )

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        body: Region | None = None,
        *,
        kernel: bool = False,
        workgroup: Sequence[MemRefType] | int = (),
        private: Sequence[MemRefType] = (),
        known_block_size: Sequence[int] | None = None,
        known_grid_size: Sequence[int] | None = None,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
        res_attrs: ArrayAttr[DictionaryAttr] | None = None,
        workgroup_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ) -> None:
        """``workgroup`` and ``private`` are the types of memory in a new body. With a ``body``,
        ``workgroup`` is the number of its arguments that are shared memory.
        """
        if body is None:
            assert not isinstance(workgroup, int)
            body = Region(Block(arg_types=[*function_type.inputs, *workgroup, *private]))
        count = workgroup if isinstance(workgroup, int) else len(workgroup)
        sizes = {"known_block_size": known_block_size, "known_grid_size": known_grid_size}
        super().__init__(
            properties={
                "function_type": function_type,
                "arg_attrs": arg_attrs,
                "res_attrs": res_attrs,
                "workgroup_attrib_attrs": workgroup_attrs,
                **{
                    key: None if size is None else DenseArrayBase.from_list(i32, list(size))
                    for key, size in sizes.items()
                },
            },
            attributes={"sym_name": StringAttr(name), **attributions(count)},
            regions=[body],
        )
        if kernel:
            self.attributes[KERNEL] = UnitAttr()

    @property
    def is_kernel(self) -> bool:
        """True if the host can launch it."""
        return KERNEL in self.attributes

    @property
    def arguments(self) -> Sequence[BlockArgument]:
        """The arguments of a call, without memory attributions."""
        return self.body.blocks[0].args[: len(self.function_type.inputs)]

    @property
    def workgroup_memory(self) -> Sequence[BlockArgument]:
        """The shared memory of a block."""
        first = len(self.function_type.inputs)
        return self.body.blocks[0].args[first : first + attribution_count(self)]

    @property
    def private_memory(self) -> Sequence[BlockArgument]:
        """The private memory of a thread."""
        first = len(self.function_type.inputs) + attribution_count(self)
        return self.body.blocks[0].args[first:]

    def alignment_of(self, number: int) -> int | None:
        """The alignment in bytes of shared memory ``number``; None if unspecified."""
        if self.workgroup_attrib_attrs is None:
            return None
        attr = self.workgroup_attrib_attrs.data[number].data.get(ALIGN)
        return attr.value.data if isinstance(attr, IntegerAttr) else None

    def _verify_workgroup_attributes(self) -> None:
        name, attrs = self.sym_name.data, self.workgroup_attrib_attrs
        count = attribution_count(self)
        if attrs is not None and len(attrs.data) != count:
            raise VerifyException(
                f"gpu.func: @{name} has {count} buffers of a block, and attributes of "
                f"{len(attrs.data)}"
            )
        for number, each in enumerate(() if attrs is None else attrs.data):
            attr = each.data.get(ALIGN)
            size = self.alignment_of(number)
            if attr is not None and (size is None or size <= 0 or size & (size - 1)):
                raise VerifyException(f"gpu.func: {ALIGN} of @{name} is {attr}, no power of 2")

    def verify_(self) -> None:
        name = self.sym_name.data
        if not self.body.blocks:
            raise VerifyException(f"gpu.func: @{name} has no body")
        inputs = list(self.function_type.inputs)
        entry = [arg.type for arg in self.body.blocks[0].args]
        if entry[: len(inputs)] != inputs or len(entry) < len(inputs) + attribution_count(self):
            raise VerifyException(
                f"gpu.func: the arguments of @{name} do not have the types that its signature "
                "declares, with its memory behind them"
            )
        verify_attributions(self, self.workgroup_memory, self.private_memory)
        self._verify_workgroup_attributes()
        outputs = self.function_type.outputs.data
        if self.is_kernel and outputs:
            raise VerifyException(f"gpu.func: the kernel @{name} returns a value")
        for key, size in (
            ("known_block_size", self.known_block_size),
            ("known_grid_size", self.known_grid_size),
        ):
            if size is not None and len(size) != 3:
                raise VerifyException(f"gpu.func: {key} of @{name} has {len(size)} numbers, not 3")
        for block in self.body.blocks:
            end = block.last_op
            if isinstance(end, ReturnOp) and [value.type for value in end.values] != list(outputs):
                types = ", ".join(str(value.type) for value in end.values)
                declared = ", ".join(map(str, outputs))
                raise VerifyException(
                    f"gpu.func: @{name} returns ({types}); its signature declares ({declared})"
                )

    @classmethod
    def parse(cls, parser: Parser) -> GPUFuncOp:
        name = parser.parse_symbol_name().data
        arguments: list[Parser.Argument] = []
        arg_attrs: list[DictionaryAttr] = []

        def parse_argument() -> None:
            arguments.append(parser.parse_argument())
            arg_attrs.append(DictionaryAttr(parser.parse_optional_dictionary_attr_dict()))

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        outputs: list[Attribute] = []
        res_attrs: list[DictionaryAttr] = []

        def parse_result() -> None:
            outputs.append(parser.parse_type())
            res_attrs.append(DictionaryAttr(parser.parse_optional_dictionary_attr_dict()))

        if parser.parse_optional_punctuation("->"):
            if parser.parse_optional_punctuation("("):
                if parser.parse_optional_punctuation(")") is None:
                    parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_result)
                    parser.parse_punctuation(")")
            else:
                outputs.append(parser.parse_type())
                res_attrs.append(DictionaryAttr({}))
        shared: list[Parser.Argument] = []
        shared_attrs: list[DictionaryAttr] = []

        def parse_shared() -> None:
            shared.append(parser.parse_argument())
            shared_attrs.append(DictionaryAttr(parser.parse_optional_dictionary_attr_dict()))

        if parser.parse_optional_keyword("workgroup"):
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_shared)
        private = parse_attributions(parser, "private")
        kernel = parser.parse_optional_keyword("kernel") is not None
        attributes = parser.parse_optional_attr_dict_with_keyword(
            reserved_attr_names=("sym_name", "function_type", _ATTRIBUTIONS, KERNEL)
        )
        body = parser.parse_region([*arguments, *shared, *private])
        inputs = [argument.type for argument in arguments]
        op = cls(
            name,
            FunctionType.from_lists(inputs, outputs),
            body,
            kernel=kernel,
            workgroup=len(shared),
            arg_attrs=ArrayAttr(arg_attrs) if any(attrs.data for attrs in arg_attrs) else None,
            res_attrs=ArrayAttr(res_attrs) if any(attrs.data for attrs in res_attrs) else None,
            workgroup_attrs=(
                ArrayAttr(shared_attrs) if any(attrs.data for attrs in shared_attrs) else None
            ),
        )
        for key, value in (attributes.data if attributes is not None else {}).items():
            place = op.properties if key in ("known_block_size", "known_grid_size") else None
            (op.attributes if place is None else place)[key] = value
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        printer.enter_scope()
        arg_attrs = self.arg_attrs.data if self.arg_attrs is not None else ()
        for n, arg in enumerate(self.arguments):
            printer.print_string(", " if n else "")
            printer.print_block_argument(arg)
            if arg_attrs and arg_attrs[n].data:
                printer.print_string(" ")
                printer.print_attr_dict(arg_attrs[n].data)
        printer.print_string(")")
        self._print_results(printer)
        self._print_workgroup(printer)
        print_attributions(printer, "private", self.private_memory)
        if self.is_kernel:
            printer.print_string(" kernel")
        sizes = {key: self.properties[key] for key in self.properties if key.startswith("known_")}
        printer.print_op_attributes(
            {**self.attributes, **sizes},
            reserved_attr_names=("sym_name", _ATTRIBUTIONS, KERNEL),
            print_keyword=True,
        )
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.exit_scope()

    def _print_workgroup(self, printer: Printer) -> None:
        if self.workgroup_attrib_attrs is None:
            print_attributions(printer, "workgroup", self.workgroup_memory)
            return
        printer.print_string(" workgroup(")
        attrs = self.workgroup_attrib_attrs.data
        for n, (arg, each) in enumerate(zip(self.workgroup_memory, attrs, strict=True)):
            printer.print_string(", " if n else "")
            printer.print_block_argument(arg)
            if each.data:
                printer.print_string(" ")
                printer.print_attr_dict(each.data)
        printer.print_string(")")

    def _print_results(self, printer: Printer) -> None:
        outputs = self.function_type.outputs.data
        if not outputs:
            return
        res_attrs = self.res_attrs.data if self.res_attrs is not None else ()
        printer.print_string(" -> ")
        if len(outputs) == 1 and not res_attrs:
            printer.print_attribute(outputs[0])
            return
        printer.print_string("(")
        for n, type_ in enumerate(outputs):
            printer.print_string(", " if n else "")
            printer.print_attribute(type_)
            if res_attrs and res_attrs[n].data:
                printer.print_string(" ")
                printer.print_attr_dict(res_attrs[n].data)
        printer.print_string(")")


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """``gpu.return %x : f32``: return from a function of a device."""

    name = "gpu.return"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), HasParent(GPUFuncOp))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])
