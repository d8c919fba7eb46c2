"""Launches: a body that blocks of threads run, or a kernel of a module."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_attr_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    RecursiveMemoryEffect,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.gpu.attrs import TOKEN, AsyncTokenType
from kc.dialects.gpu.memory import parse_async, print_async
from kc.dialects.gpu.module import (
    KERNEL,
    GPUFuncOp,
    GPUModuleOp,
    attribution_count,
    attributions,
    parse_attributions,
    print_attributions,
    verify_attributions,
)

INDEX = IndexType()
SIZE = IndexType | IntegerType
CONTAINER = "gpu.container_module"
"""The attribute of modules that contain device code."""
Triple = Sequence[SSAValue]
"""Values along x, y and z."""


def _print_numbered(
    printer: Printer,
    what: str,
    ids: Sequence[BlockArgument],
    sizes: Sequence[tuple[SSAValue, SSAValue]],
) -> None:
    """``blocks(%bx, %by, %bz) in (%gx = %n, ...)``."""
    printer.print_string(f" {what}(")
    printer.print_list(ids, printer.print_ssa_value)
    printer.print_string(") in (")
    for n, (inner, outer) in enumerate(sizes):
        printer.print_string(", " if n else "")
        printer.print_ssa_value(inner)
        printer.print_string(" = ")
        printer.print_ssa_value(outer)
    printer.print_string(")")


class _Numbered:
    """The parts of ``blocks(%bx, %by, %bz) in (%gx = %n, ...)``, as they are parsed."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        paren = parser.Delimiter.PAREN
        self.ids = parser.parse_comma_separated_list(paren, self._variable)
        parser.parse_keyword("in")
        self.sizes: list[Parser.UnresolvedArgument] = []
        self.values: list[SSAValue] = []
        parser.parse_comma_separated_list(paren, self._size)
        if len(self.ids) != 3 or len(self.sizes) != 3:
            parser.raise_error("gpu.launch: expected three numbers and three sizes: x, y and z")

    def _variable(self) -> Parser.UnresolvedArgument:
        return self.parser.parse_argument(expect_type=False)

    def _size(self) -> None:
        self.sizes.append(self._variable())
        self.parser.parse_punctuation("=")
        self.values.append(
            self.parser.resolve_operand(self.parser.parse_unresolved_operand(), INDEX)
        )


ALIGNMENTS = "workgroup_alignments"
"""The attribute of a launch with the alignments in bytes of its shared memory."""


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """A launch with its kernel as a body::

        gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
                   threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) { ... }

    With ``async [%t]`` it returns a token. ``clusters`` are groups of blocks;
    ``dynamic_shared_memory_size %bytes`` is the size of dynamic shared memory; ``workgroup`` and
    ``private`` are memory as in :class:`GPUFuncOp`; ``module(@m) function(@f)`` are the names for
    the outlined kernel. The attribute ``workgroup_alignments = array<i64: 1024>`` corresponds to
    ``llvm.align`` of a kernel.
    """

    name = "gpu.launch"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(INDEX)
    grid_size_y = operand_def(INDEX)
    grid_size_z = operand_def(INDEX)
    block_size_x = operand_def(INDEX)
    block_size_y = operand_def(INDEX)
    block_size_z = operand_def(INDEX)
    cluster_size_x = opt_operand_def(INDEX)
    cluster_size_y = opt_operand_def(INDEX)
    cluster_size_z = opt_operand_def(INDEX)
    dynamic_shared_memory_size = opt_operand_def(i32)
    function = opt_prop_def(SymbolRefAttr)
    module = opt_prop_def(SymbolRefAttr)
    workgroup_attributions = opt_attr_def(IntegerAttr)
    body = region_def()
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        grid: Triple,
        block: Triple,
        body: Region | None = None,
        *,
        clusters: Triple = (),
        dynamic_shared_memory_size: SSAValue | None = None,
        workgroup: Sequence[MemRefType] | int = (),
        private: Sequence[MemRefType] = (),
        after: Sequence[SSAValue] = (),
        is_async: bool = False,
    ) -> None:
        """``workgroup`` and ``private`` are as in :class:`GPUFuncOp`."""
        if body is None:
            assert not isinstance(workgroup, int)
            numbers = [INDEX] * (18 if clusters else 12)
            body = Region(Block(arg_types=[*numbers, *workgroup, *private]))
        sizes = [*grid, *block, *(clusters or (None, None, None))]
        super().__init__(
            operands=[list(after), *sizes, dynamic_shared_memory_size],
            attributes=attributions(workgroup if isinstance(workgroup, int) else len(workgroup)),
            regions=[body],
            result_types=[TOKEN if is_async else None],
        )

    @property
    def grid(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The number of blocks along each axis."""
        return self.grid_size_x, self.grid_size_y, self.grid_size_z

    @property
    def block(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The number of threads of a block along each axis."""
        return self.block_size_x, self.block_size_y, self.block_size_z

    @property
    def clusters(self) -> tuple[SSAValue, SSAValue, SSAValue] | None:
        """The number of blocks of a cluster along each axis; None without clusters."""
        x, y, z = self.cluster_size_x, self.cluster_size_y, self.cluster_size_z
        return None if x is None or y is None or z is None else (x, y, z)

    def numbers(self, first: int) -> Sequence[BlockArgument]:
        """Three arguments of the body each, starting at 0, 3, 6, 9, 12 and 15: the block index, the
        thread index, the size of the grid, the size of a block, the cluster index, and the size of
        a cluster.
        """
        return self.body.blocks[0].args[first : first + 3]

    @property
    def _numbers(self) -> int:
        return 12 if self.clusters is None else 18

    @property
    def workgroup_memory(self) -> Sequence[BlockArgument]:
        """The shared memory of a block."""
        first = self._numbers
        return self.body.blocks[0].args[first : first + attribution_count(self)]

    @property
    def private_memory(self) -> Sequence[BlockArgument]:
        """The private memory of a thread."""
        return self.body.blocks[0].args[self._numbers + attribution_count(self) :]

    @property
    def alignments(self) -> Sequence[int] | None:
        """The alignments in bytes of shared memory; None if unspecified."""
        attr = self.attributes.get(ALIGNMENTS)
        return attr.get_values() if isinstance(attr, DenseArrayBase) else None  # pyright: ignore

    @alignments.setter
    def alignments(self, bytes_: Sequence[int]) -> None:
        self.attributes[ALIGNMENTS] = DenseArrayBase.from_list(i64, bytes_)

    def verify_(self) -> None:
        if self.alignments is not None and len(self.alignments) != len(self.workgroup_memory):
            raise VerifyException(
                f"gpu.launch: {len(self.alignments)} alignments for "
                f"{len(self.workgroup_memory)} shared arrays"
            )
        sizes = sum(
            size is not None
            for size in (self.cluster_size_x, self.cluster_size_y, self.cluster_size_z)
        )
        if sizes not in (0, 3):
            raise VerifyException(f"gpu.launch: {sizes} sizes of clusters are given, not 3")
        if not self.body.blocks:
            raise VerifyException("gpu.launch: it has no body")
        types = [arg.type for arg in self.body.blocks[0].args]
        if types[: self._numbers] != [INDEX] * self._numbers:
            raise VerifyException(
                f"gpu.launch: its body takes {self._numbers} indices, and its memory behind them"
            )
        verify_attributions(self, self.workgroup_memory, self.private_memory)

    @classmethod
    def parse(cls, parser: Parser) -> LaunchOp:
        is_async, after = parse_async(parser)
        clusters = _Numbered(parser) if parser.parse_optional_keyword("clusters") else None
        parser.parse_keyword("blocks")
        blocks = _Numbered(parser)
        parser.parse_keyword("threads")
        threads = _Numbered(parser)
        dynamic = None
        if parser.parse_optional_keyword("dynamic_shared_memory_size"):
            dynamic = parser.resolve_operand(parser.parse_unresolved_operand(), i32)
        names = {
            word: _parse_symbol(parser)
            for word in ("module", "function")
            if parser.parse_optional_keyword(word)
        }
        shared = parse_attributions(parser, "workgroup")
        private = parse_attributions(parser, "private")
        numbers = [*blocks.ids, *threads.ids, *blocks.sizes, *threads.sizes]
        if clusters is not None:
            numbers += [*clusters.ids, *clusters.sizes]
        arguments = [variable.resolve(INDEX) for variable in numbers]
        body = parser.parse_region([*arguments, *shared, *private])
        op = cls(
            blocks.values,
            threads.values,
            body,
            clusters=clusters.values if clusters is not None else (),
            dynamic_shared_memory_size=dynamic,
            workgroup=len(shared),
            after=after,
            is_async=is_async,
        )
        op.properties.update(names)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.enter_scope()
        print_async(printer, self.async_token, self.async_dependencies)
        if self.clusters is not None:
            sizes = list(zip(self.numbers(15), self.clusters, strict=True))
            _print_numbered(printer, "clusters", self.numbers(12), sizes)
        sizes = list(zip(self.numbers(6), self.grid, strict=True))
        _print_numbered(printer, "blocks", self.numbers(0), sizes)
        sizes = list(zip(self.numbers(9), self.block, strict=True))
        _print_numbered(printer, "threads", self.numbers(3), sizes)
        if self.dynamic_shared_memory_size is not None:
            printer.print_string(" dynamic_shared_memory_size ")
            printer.print_ssa_value(self.dynamic_shared_memory_size)
        for word, symbol in (("module", self.module), ("function", self.function)):
            if symbol is not None:
                printer.print_string(f" {word}(")
                printer.print_attribute(symbol)
                printer.print_string(")")
        print_attributions(printer, "workgroup", self.workgroup_memory)
        print_attributions(printer, "private", self.private_memory)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        rest = {key: value for key, value in self.attributes.items() if "attributions" not in key}
        printer.print_op_attributes(rest)
        printer.exit_scope()


def _parse_symbol(parser: Parser) -> SymbolRefAttr:
    parser.parse_punctuation("(")
    symbol = parser.parse_attribute()
    parser.parse_punctuation(")")
    if not isinstance(symbol, SymbolRefAttr):
        parser.raise_error("gpu.launch: expected a symbol")
    return symbol


@irdl_op_definition
class TerminatorOp(IRDLOperation):
    """``gpu.terminator``: the end of the body of a launch."""

    name = "gpu.terminator"

    traits = traits_def(IsTerminator(), HasParent(LaunchOp))
    assembly_format = "attr-dict"


class _LaunchesKernel(SymbolUserOpInterface):
    def verify(self, op: Operation) -> None:
        assert isinstance(op, LaunchFuncOp)
        module: Operation | None = op.parent_op()
        while module is not None and module.name != "builtin.module":
            module = module.parent_op()
        if module is None:
            return
        if CONTAINER not in module.attributes:
            raise VerifyException(
                f"gpu.launch_func: the module around it does not have the attribute {CONTAINER}"
            )
        home, kernel = op.kernel_names
        if not kernel:
            raise VerifyException(
                f"gpu.launch_func: the kernel @{home} is not of the form @module::@kernel"
            )
        code = SymbolTable.lookup_symbol(module, home)
        if not isinstance(code, GPUModuleOp):
            raise VerifyException(f"gpu.launch_func: there is no gpu.module @{home}")
        function = SymbolTable.lookup_symbol(code, kernel)
        if isinstance(function, Operation) and function.name == "llvm.func":
            if KERNEL in function.attributes:
                return  # already in the llvm dialect
        if not isinstance(function, GPUFuncOp):
            raise VerifyException(f"gpu.launch_func: there is no gpu.func @{kernel} in @{home}")
        if not function.is_kernel:
            raise VerifyException(f"gpu.launch_func: @{home}::@{kernel} is not a kernel")
        operand_types = ", ".join(str(value.type) for value in op.kernel_operands)
        taken = ", ".join(map(str, function.function_type.inputs))
        if operand_types != taken:
            raise VerifyException(
                f"gpu.launch_func: @{home}::@{kernel} takes ({taken}), ({operand_types}) are given"
            )


@irdl_op_definition
class LaunchFuncOp(IRDLOperation):
    """A launch of a kernel of a module::

        gpu.launch_func async [%t] @kernels::@k blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
            dynamic_shared_memory_size %bytes args(%a : memref<?xf32>)

    Sizes are of type index, or integers of the type that follows them. ``<%stream : !llvm.ptr>``
    before the name is the stream of the launch.
    """

    name = "gpu.launch_func"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(SIZE)
    grid_size_y = operand_def(SIZE)
    grid_size_z = operand_def(SIZE)
    block_size_x = operand_def(SIZE)
    block_size_y = operand_def(SIZE)
    block_size_z = operand_def(SIZE)
    cluster_size_x = opt_operand_def(SIZE)
    cluster_size_y = opt_operand_def(SIZE)
    cluster_size_z = opt_operand_def(SIZE)
    dynamic_shared_memory_size = opt_operand_def(i32)
    kernel_operands = var_operand_def()
    async_object = opt_operand_def()
    kernel = prop_def(SymbolRefAttr)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = lazy_traits_def(lambda: (_LaunchesKernel(),))

    def __init__(
        self,
        kernel: SymbolRefAttr,
        grid: Triple,
        block: Triple,
        operands: Sequence[SSAValue],
        *,
        clusters: Triple = (),
        dynamic_shared_memory_size: SSAValue | None = None,
        async_object: SSAValue | None = None,
        after: Sequence[SSAValue] = (),
        is_async: bool = False,
    ) -> None:
        sizes = [*grid, *block, *(clusters or (None, None, None))]
        super().__init__(
            operands=[
                list(after),
                *sizes,
                dynamic_shared_memory_size,
                list(operands),
                async_object,
            ],
            properties={"kernel": kernel},
            result_types=[TOKEN if is_async else None],
        )

    @property
    def kernel_names(self) -> tuple[str, str]:
        """The names of the module and of the kernel in it."""
        nested = self.kernel.nested_references.data
        return self.kernel.root_reference.data, nested[0].data if len(nested) == 1 else ""

    @property
    def grid(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The number of blocks along each axis."""
        return self.grid_size_x, self.grid_size_y, self.grid_size_z

    @property
    def block(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The number of threads of a block along each axis."""
        return self.block_size_x, self.block_size_y, self.block_size_z

    @property
    def clusters(self) -> tuple[SSAValue, ...]:
        """The number of blocks of a cluster along each axis; empty without clusters."""
        sizes = (self.cluster_size_x, self.cluster_size_y, self.cluster_size_z)
        return tuple(size for size in sizes if size is not None)

    def verify_(self) -> None:
        if len(self.clusters) not in (0, 3):
            raise VerifyException(
                f"gpu.launch_func: {len(self.clusters)} sizes of clusters are given, not 3"
            )
        types = {size.type for size in (*self.grid, *self.block, *self.clusters)}
        if len(types) != 1:
            listed = ", ".join(sorted(map(str, types)))
            raise VerifyException(f"gpu.launch_func: its sizes have the types {listed}, not one")

    @classmethod
    def parse(cls, parser: Parser) -> LaunchFuncOp:
        is_async, after = parse_async(parser)
        stream: SSAValue | None = None
        if parser.parse_optional_punctuation("<"):
            name = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            stream = parser.resolve_operand(name, parser.parse_type())
            parser.parse_punctuation(">")
        kernel = parser.parse_attribute()
        if not isinstance(kernel, SymbolRefAttr):
            parser.raise_error("gpu.launch_func: expected a symbol")
        clusters = _parse_sizes(parser) if parser.parse_optional_keyword("clusters") else []
        parser.parse_keyword("blocks")
        grid = _parse_sizes(parser)
        parser.parse_keyword("threads")
        block = _parse_sizes(parser)
        kind: Attribute = INDEX
        if parser.parse_optional_punctuation(":"):
            kind = parser.parse_type()
        dynamic = None
        if parser.parse_optional_keyword("dynamic_shared_memory_size"):
            dynamic = parser.resolve_operand(parser.parse_unresolved_operand(), i32)
        operands: list[SSAValue] = []

        def parse_operand() -> None:
            name = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            operands.append(parser.resolve_operand(name, parser.parse_type()))

        if parser.parse_optional_keyword("args"):
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_operand)

        def resolved(names: list[UnresolvedOperand]) -> list[SSAValue]:
            return [parser.resolve_operand(name, kind) for name in names]

        op = cls(
            kernel,
            resolved(grid),
            resolved(block),
            operands,
            clusters=resolved(clusters),
            dynamic_shared_memory_size=dynamic,
            async_object=stream,
            after=after,
            is_async=is_async,
        )
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_token, self.async_dependencies)
        printer.print_string(" ")
        if self.async_object is not None:
            printer.print_string("<")
            printer.print_ssa_value(self.async_object)
            printer.print_string(" : ")
            printer.print_attribute(self.async_object.type)
            printer.print_string("> ")
        printer.print_attribute(self.kernel)
        for word, sizes in (
            ("clusters", self.clusters),
            ("blocks", self.grid),
            ("threads", self.block),
        ):
            if sizes:
                printer.print_string(f" {word} in (")
                printer.print_list(sizes, printer.print_ssa_value)
                printer.print_string(")")
        kind = self.grid_size_x.type
        if kind != INDEX:
            printer.print_string(" : ")
            printer.print_attribute(kind)
        if self.dynamic_shared_memory_size is not None:
            printer.print_string(" dynamic_shared_memory_size ")
            printer.print_ssa_value(self.dynamic_shared_memory_size)
        if self.kernel_operands:
            printer.print_string(" args(")
            for n, value in enumerate(self.kernel_operands):
                printer.print_string(", " if n else "")
                printer.print_ssa_value(value)
                printer.print_string(" : ")
                printer.print_attribute(value.type)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)


def _parse_sizes(parser: Parser) -> list[UnresolvedOperand]:
    parser.parse_keyword("in")
    names = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )
    if len(names) != 3:
        parser.raise_error("gpu.launch_func: expected three sizes: x, y and z")
    return names
