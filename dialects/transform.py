"""The ``transform`` dialect: the steps of MLIR's transform scripts that kc performs.

xDSL has the types, sequences and ``transform.structured.match``; the ops here are those that it
lacks or has without text. :data:`REFUSED` are MLIR's other steps, with what kc has in their place:
their text is refused where it is read (KC3723).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import transform
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    IntegerType,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i64,
)
from xdsl.dialects.transform import (
    TransformHandleType,
    TransformOpHandleType,
    TransformParamHandleType,
)
from xdsl.ir import Attribute, Block, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from kc.support.diagnostics import ScheduleError
from kc.support.ir_text import ModuleParser

_SCHEDULE = "--raise-to-tir makes loops of it, and kc's primitives take these"
_VECTORIZE = 'kc vectorizes loops: --vectorize="block=B loop=j" (--raise-to-tir runs before)'
_LOWERING = "--lower-to-llvm lowers vectors and tensors; no script has to"

REFUSED = {
    "structured.vectorize": _VECTORIZE,
    "structured.vectorize_children_and_apply_patterns": _VECTORIZE,
    "structured.pad": "kc pads with --pad-einsum, and --decompose-padding",
    "structured.pad_tiling_interface": "kc pads with --pad-einsum, and --decompose-padding",
    "structured.hoist_pad": "kc pads with --pad-einsum, and places copies with --compute-at",
    "structured.pack": "kc changes layouts with --transform-layout",
    "structured.pack_greedily": "kc changes layouts with --transform-layout",
    "structured.pack_transpose": "kc changes layouts with --transform-layout",
    "structured.lower_pack": "--raise-to-tir lowers linalg.pack",
    "structured.lower_unpack": "--raise-to-tir lowers linalg.unpack",
    "structured.fuse": "tile_using_for, then fuse_into_containing_op; or kc's --compute-at",
    "structured.split": "kc splits domains with --loop-partition",
    "structured.split_reduction": "kc splits reductions with --rfactor",
    "structured.tile_reduction_using_for": "kc splits reductions with --rfactor",
    "structured.tile_reduction_using_forall": "kc splits reductions with --rfactor",
    "structured.multitile_sizes": "--split takes factors that do not divide an extent",
    "structured.continuous_tile_sizes": "--split takes factors that do not divide an extent",
    "structured.scalarize": "tile_using_for with sizes of 1",
    "structured.decompose": _SCHEDULE,
    "structured.decompose_interface": _SCHEDULE,
    "structured.convert_to_loops": _SCHEDULE,
    "structured.flatten_elementwise": "kc joins loops with --fuse",
    "structured.promote": "kc places copies with --cache-read and --cache-write",
    "structured.promote_tensor": "kc places copies with --cache-read and --cache-write",
    "structured.bufferize_to_allocation": "kc places copies with --cache-read and --cache-write",
    "structured.map_copy_to_threads": "kc binds loops to threads with --bind",
    "structured.convert_conv2d_to_img2col": _SCHEDULE,
    "structured.winograd_conv2d": _SCHEDULE,
    "structured.transpose_conv2d": _SCHEDULE,
    "structured.transpose_matmul": _SCHEDULE,
    "structured.specialize": _SCHEDULE,
    "structured.insert_slice_to_copy": _SCHEDULE,
    "structured.rewrite_in_destination_passing_style": _SCHEDULE,
    "structured.eliminate_empty_tensors": _SCHEDULE,
    "structured.hoist_redundant_vector_transfers": "kc has --cache-write for registers",
    "loop.peel": "kc splits domains with --loop-partition",
    "loop.pipeline": "kc pipelines loops that have the annotation software_pipeline_stage",
    "loop.coalesce": "kc joins loops with --fuse",
    "loop.fuse_sibling": "kc merges nests with --fuse-loops",
    "loop.unroll_and_jam": "kc has --unroll-and-jam",
    "loop.outline": "kc has functions of kernels by --lower-to-gpu",
    "loop.hoist_loop_invariant_subsets": "kc moves what a loop does not change with --licm",
    "loop.forall_to_for": "kc makes serial loops of it by --raise-to-tir",
    "loop.forall_to_parallel": "kc makes loops parallel with --parallel",
    "loop.promote_if_one_iteration": "--canonicalize removes such loops",
    "gpu.map_forall_to_blocks": "kc binds loops to blocks with --bind",
    "gpu.map_nested_forall_to_threads": "kc binds loops to threads with --bind",
    "bufferization.one_shot_bufferize": _LOWERING,
    "bufferization.eliminate_empty_tensors": _LOWERING,
    "apply_conversion_patterns": _LOWERING,
    "alternatives": "kc-opt takes one script; sampling is for kc.tune",
    "foreach_match": "match and foreach",
    "collect_matching": "match",
}
"""Steps of MLIR that kc does not perform, without ``transform.``, and kc's way to do the same."""


# Text --------------------------------------------------------------------------------------


def _parse_signature(parser: Parser) -> FunctionType:
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    if not isinstance(type_, FunctionType):
        return FunctionType.from_lists([type_], [type_])
    return type_


def _parse_numbers(parser: Parser) -> tuple[list[UnresolvedOperand], list[int]]:
    """``[8, %n, 0]``: the values in it, and the numbers with a mark where a value is."""
    values: list[UnresolvedOperand] = []
    numbers: list[int] = []

    def number() -> None:
        value = parser.parse_optional_unresolved_operand()
        if value is not None:
            values.append(value)
        if value is None and parser.parse_optional_punctuation("[") is not None:
            parser.raise_error("sizes in brackets are scalable, which kc has no tiles of")
        numbers.append(DYNAMIC_INDEX if value is not None else parser.parse_integer())

    parser.parse_comma_separated_list(parser.Delimiter.SQUARE, number)
    return values, numbers


def _print_numbers(printer: Printer, values: Sequence[SSAValue], numbers: Sequence[int]) -> None:
    rest = iter(values)

    def number(value: int) -> None:
        if value == DYNAMIC_INDEX:
            printer.print_ssa_value(next(rest))
        else:
            printer.print_string(str(value))

    printer.print_string("[")
    printer.print_list(numbers, number)
    printer.print_string("]")


def _print_signature(printer: Printer, op: IRDLOperation) -> None:
    printer.print_string(" : ")
    printer.print_attribute(FunctionType.from_lists(op.operand_types, op.result_types))


def _numbers_of(attr: DenseArrayBase[IntegerType] | None) -> list[int]:
    return [int(value) for value in attr.get_values()] if attr is not None else []


def _array(numbers: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, list(numbers))


# Tiles -------------------------------------------------------------------------------------


class TilingOp(IRDLOperation):
    """A step that tiles the linalg ops of a handle."""

    def sizes(self) -> list[int | SSAValue]:
        """The size of the tile along each loop; 0 leaves a loop as it is."""
        raise NotImplementedError


def mixed(values: Sequence[SSAValue], numbers: Sequence[int]) -> list[int | SSAValue]:
    """Numbers, and values where numbers have a mark."""
    rest = iter(values)
    return [next(rest) if number == DYNAMIC_INDEX else number for number in numbers]


def _verify_mixed(op: IRDLOperation, values: Sequence[SSAValue], numbers: Sequence[int]) -> None:
    if numbers.count(DYNAMIC_INDEX) != len(values):
        raise VerifyException(f"{op.name}: a size is a number, or an operand")
    if any(number < 0 and number != DYNAMIC_INDEX for number in numbers):
        raise VerifyException(f"{op.name}: a size is not negative")


@irdl_op_definition
class TileUsingForOp(TilingOp):
    """``transform.structured.tile_using_for %op tile_sizes [8, %n, 0] interchange = [1, 0]``: loops
    of ``scf.for`` over tiles of a linalg op. Gives the op on a tile, and the loops."""

    name = "transform.structured.tile_using_for"

    target = operand_def(TransformHandleType)
    dynamic_sizes = var_operand_def(TransformHandleType)
    static_sizes = opt_prop_def(DenseArrayBase.constr(i64))
    interchange = opt_prop_def(DenseArrayBase.constr(i64))
    scalable_sizes = opt_prop_def(DenseArrayBase.constr(i1))
    tiled_linalg_op = result_def(TransformOpHandleType)
    loops = var_result_def(TransformOpHandleType)

    def sizes(self) -> list[int | SSAValue]:
        return mixed(self.dynamic_sizes, _numbers_of(self.static_sizes))

    def order(self) -> list[int]:
        """The loops whose order is given, outermost first."""
        return _numbers_of(self.interchange)

    def verify_(self) -> None:
        numbers = _numbers_of(self.static_sizes)
        _verify_mixed(self, self.dynamic_sizes, numbers)
        if any(_numbers_of(self.scalable_sizes)):
            raise VerifyException(f"{self.name}: there are no scalable tiles")
        count = sum(number != 0 for number in numbers)
        if len(self.loops) != count:
            raise VerifyException(
                f"{self.name}: {count} sizes are not 0, so that there are as many loops, not "
                f"{len(self.loops)}"
            )
        if sorted(self.order()) != list(range(len(self.order()))):
            raise VerifyException(f"{self.name}: interchange is no order of loops: {self.order()}")

    @classmethod
    def parse(cls, parser: Parser) -> TileUsingForOp:
        target = parser.parse_unresolved_operand()
        values: list[UnresolvedOperand] = []
        numbers: list[int] = []
        if parser.parse_optional_keyword("tile_sizes") is not None:
            values, numbers = _parse_numbers(parser)
        properties: dict[str, Attribute] = {"static_sizes": _array(numbers)}
        if parser.parse_optional_keyword("interchange") is not None:
            parser.parse_punctuation("=")
            properties["interchange"] = _array(_parse_numbers(parser)[1])
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = _parse_signature(parser)
        operands = parser.resolve_operands([target, *values], type_.inputs.data, at)
        results = list(type_.outputs.data)
        return cls.build(
            operands=[operands[0], operands[1:]],
            result_types=[results[0], results[1:]],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.target)
        printer.print_string(" tile_sizes ")
        _print_numbers(printer, self.dynamic_sizes, _numbers_of(self.static_sizes))
        if self.order():
            printer.print_string(" interchange = ")
            _print_numbers(printer, (), self.order())
        printer.print_op_attributes(self.attributes)
        _print_signature(printer, self)


@irdl_op_definition
class TileUsingForallOp(TilingOp):
    """``transform.structured.tile_using_forall %op tile_sizes [8, 8] (mapping = [...])``, or
    ``num_threads [4, 2]``: a loop of ``scf.forall`` over tiles. Gives the op on a tile, and the
    loop."""

    name = "transform.structured.tile_using_forall"

    target = operand_def(TransformHandleType)
    num_threads = var_operand_def(TransformHandleType)
    tile_sizes = var_operand_def(TransformHandleType)
    packed_num_threads = var_operand_def(TransformHandleType)
    packed_tile_sizes = var_operand_def(TransformHandleType)
    static_num_threads = opt_prop_def(DenseArrayBase.constr(i64))
    static_tile_sizes = opt_prop_def(DenseArrayBase.constr(i64))
    mapping = opt_prop_def(ArrayAttr)
    tiled_op = result_def(TransformHandleType)
    forall_op = result_def(TransformHandleType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def counts_threads(self) -> bool:
        """Whether numbers of tiles are given, not their sizes."""
        return bool(_numbers_of(self.static_num_threads))

    def sizes(self) -> list[int | SSAValue]:
        """Sizes of tiles, or how many there are."""
        if self.counts_threads:
            return mixed(self.num_threads, _numbers_of(self.static_num_threads))
        return mixed(self.tile_sizes, _numbers_of(self.static_tile_sizes))

    def verify_(self) -> None:
        if self.packed_num_threads or self.packed_tile_sizes:
            raise VerifyException(f"{self.name}: sizes of one handle (*) are not read")
        threads, sizes = map(_numbers_of, (self.static_num_threads, self.static_tile_sizes))
        if bool(threads) == bool(sizes):
            raise VerifyException(f"{self.name}: num_threads or tile_sizes, one of them")
        _verify_mixed(self, self.num_threads, threads)
        _verify_mixed(self, self.tile_sizes, sizes)

    @classmethod
    def parse(cls, parser: Parser) -> TileUsingForallOp:
        target = parser.parse_unresolved_operand()
        word = parser.parse_optional_keyword_in(["num_threads", "tile_sizes"])
        if word is None:
            parser.raise_error("expected num_threads or tile_sizes")
        if parser.parse_optional_punctuation("*") is not None:
            parser.raise_error("sizes of one handle (*) are not read: write [%a, %b]")
        values, numbers = _parse_numbers(parser)
        properties: dict[str, Attribute] = {f"static_{word}": _array(numbers)}
        if parser.parse_optional_punctuation("(") is not None:
            parser.parse_keyword("mapping")
            parser.parse_punctuation("=")
            properties["mapping"] = parser.parse_attribute()
            parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = _parse_signature(parser)
        operands = parser.resolve_operands([target, *values], type_.inputs.data, at)
        given = {"num_threads": [], "tile_sizes": [], word: operands[1:]}
        return cls.build(
            operands=[operands[0], given["num_threads"], given["tile_sizes"], [], []],
            result_types=list(type_.outputs.data),
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.target)
        if self.counts_threads:
            printer.print_string(" num_threads ")
            _print_numbers(printer, self.num_threads, _numbers_of(self.static_num_threads))
        else:
            printer.print_string(" tile_sizes ")
            _print_numbers(printer, self.tile_sizes, _numbers_of(self.static_tile_sizes))
        if self.mapping is not None:
            printer.print_string("(mapping = ")
            printer.print_attribute(self.mapping)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        _print_signature(printer, self)


@irdl_op_definition
class FuseIntoContainingOp(IRDLOperation):
    """``transform.structured.fuse_into_containing_op %producer into %loop``: what the loop reads of
    a producer is computed in it. Gives the producer on a tile, and the loop."""

    name = "transform.structured.fuse_into_containing_op"

    producer_op = operand_def(TransformHandleType)
    containing_op = operand_def(TransformHandleType)
    fused_op = result_def(TransformHandleType)
    new_containing_op = result_def(TransformHandleType)

    assembly_format = (
        "$producer_op `into` $containing_op attr-dict `:` functional-type(operands, results)"
    )


@irdl_op_definition
class GeneralizeOp(IRDLOperation):
    """``transform.structured.generalize %op``: a named op as ``linalg.generic``."""

    name = "transform.structured.generalize"

    target = operand_def(TransformHandleType)
    transformed = result_def(TransformHandleType)

    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class InterchangeOp(IRDLOperation):
    """``transform.structured.interchange %op iterator_interchange = [1, 0]``: the loops of a
    ``linalg.generic`` in another order."""

    name = "transform.structured.interchange"

    target = operand_def(TransformHandleType)
    iterator_interchange = opt_prop_def(DenseArrayBase.constr(i64))
    transformed = result_def(TransformHandleType)

    assembly_format = (
        "$target (`iterator_interchange` `=` $iterator_interchange^)? "
        "attr-dict `:` functional-type(operands, results)"
    )

    def order(self) -> list[int]:
        """The old loops, in their new order; empty where nothing changes."""
        return _numbers_of(self.iterator_interchange)


# Handles -----------------------------------------------------------------------------------


@irdl_op_definition
class SplitHandleOp(IRDLOperation):
    """``%a, %b = transform.split_handle %ab``: a handle for each op of a handle."""

    name = "transform.split_handle"

    handle = operand_def(TransformHandleType)
    pass_through_empty_handle = opt_prop_def(IntegerAttr)
    fail_on_payload_too_small = opt_prop_def(IntegerAttr)
    overflow_result = opt_prop_def(IntegerAttr)
    results_ = var_result_def(TransformHandleType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$handle attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class MergeHandlesOp(IRDLOperation):
    """``transform.merge_handles deduplicate %a, %b : !transform.any_op``."""

    name = "transform.merge_handles"

    deduplicate = opt_prop_def(UnitAttr)
    handles = var_operand_def(TransformHandleType)
    result = result_def(TransformHandleType)

    @classmethod
    def parse(cls, parser: Parser) -> MergeHandlesOp:
        once = parser.parse_optional_keyword("deduplicate") is not None
        handles = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls.build(
            operands=[parser.resolve_operands(handles, [type_] * len(handles), parser.pos)],
            result_types=[type_],
            properties={"deduplicate": UnitAttr()} if once else {},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" deduplicate " if self.deduplicate is not None else " ")
        printer.print_list(self.handles, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class GetParentOp(IRDLOperation):
    """``transform.get_parent_op %op {op_name = "scf.for"}``: what an op is in."""

    name = "transform.get_parent_op"

    target = operand_def(TransformHandleType)
    isolated_from_above = opt_prop_def(UnitAttr)
    allow_empty_results = opt_prop_def(UnitAttr)
    op_name = opt_prop_def()
    deduplicate = opt_prop_def(UnitAttr)
    nth_parent = opt_prop_def(IntegerAttr)
    parent_result = result_def(TransformHandleType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


class _NeighbourOp(IRDLOperation):
    """``%target[0]``: what makes or takes a value of an op."""

    target = operand_def(TransformHandleType)

    @classmethod
    def parse(cls, parser: Parser) -> _NeighbourOp:
        target = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        number = parser.parse_integer()
        parser.parse_punctuation("]")
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = _parse_signature(parser)
        (name,) = cls.get_irdl_definition().properties
        return cls.build(
            operands=parser.resolve_operands([target], type_.inputs.data, at),
            result_types=list(type_.outputs.data),
            properties={name: IntegerAttr(number, 64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.target)
        printer.print_string(f"[{self.position}]")
        printer.print_op_attributes(self.attributes)
        _print_signature(printer, self)

    @property
    def position(self) -> int:
        """The number of the operand or result."""
        (number,) = self.properties.values()
        assert isinstance(number, IntegerAttr)
        return number.value.data


@irdl_op_definition
class GetProducerOfOperandOp(_NeighbourOp):
    """``transform.get_producer_of_operand %op[0]``."""

    name = "transform.get_producer_of_operand"

    operand_number = prop_def(IntegerAttr)
    producer = result_def(TransformHandleType)


@irdl_op_definition
class GetConsumersOfResultOp(_NeighbourOp):
    """``transform.get_consumers_of_result %op[0]``."""

    name = "transform.get_consumers_of_result"

    result_number = prop_def(IntegerAttr)
    consumers = result_def(TransformHandleType)


@irdl_op_definition
class CastOp(IRDLOperation):
    """``transform.cast %op : !transform.any_op to !transform.op<"scf.for">``."""

    name = "transform.cast"

    input = operand_def(TransformHandleType)
    output = result_def(TransformHandleType)

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"


@irdl_op_definition
class ParamConstantOp(IRDLOperation):
    """``transform.param.constant 8 : i64 -> !transform.param<i64>``."""

    name = "transform.param.constant"

    value = prop_def()
    param = result_def(TransformParamHandleType)

    assembly_format = "$value attr-dict `->` type($param)"


# Steps of other kinds ----------------------------------------------------------------------


@irdl_op_definition
class IncludeOp(IRDLOperation):
    """``transform.include @name failures(propagate) (%a)``: perform another sequence."""

    name = "transform.include"

    target = prop_def(SymbolRefAttr)
    failure_propagation_mode = prop_def(IntegerAttr)
    arguments = var_operand_def(TransformHandleType)
    results_ = var_result_def(TransformHandleType)

    @classmethod
    def parse(cls, parser: Parser) -> IncludeOp:
        name = parser.parse_symbol_name()
        parser.parse_keyword("failures")
        with parser.in_parens():
            mode = parser.parse_optional_keyword_in(["propagate", "suppress"])
            if mode is None:
                parser.raise_error("expected propagate or suppress")
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = _parse_signature(parser)
        return cls.build(
            operands=[parser.resolve_operands(arguments, type_.inputs.data, at)],
            result_types=[list(type_.outputs.data)],
            properties={
                "target": SymbolRefAttr(name),
                "failure_propagation_mode": IntegerAttr(1 if mode == "propagate" else 2, 32),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        mode = "propagate" if self.failure_propagation_mode.value.data == 1 else "suppress"
        printer.print_string(f" @{self.target.root_reference.data} failures({mode}) (")
        printer.print_list(self.arguments, printer.print_ssa_value)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        _print_signature(printer, self)


@irdl_op_definition
class ForeachOp(IRDLOperation):
    """``transform.foreach %ops : !transform.any_op { ^bb0(%op: !transform.any_op): ... }``: steps
    for each op of a handle."""

    name = "transform.foreach"

    targets = var_operand_def(TransformHandleType)
    with_zip_shortest = opt_prop_def(UnitAttr)
    results_ = var_result_def(TransformHandleType)
    body = region_def("single_block")

    @classmethod
    def parse(cls, parser: Parser) -> ForeachOp:
        at = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        shortest = parser.parse_optional_keyword("with_zip_shortest") is not None
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            results = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        body = parser.parse_region()
        if body.blocks and not isinstance(body.block.last_op, transform.YieldOp):
            body.block.add_op(transform.YieldOp())
        return cls.build(
            operands=[parser.resolve_operands(names, types, at)],
            result_types=[results],
            properties={"with_zip_shortest": UnitAttr()} if shortest else {},
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.targets, printer.print_ssa_value)
        if self.with_zip_shortest is not None:
            printer.print_string(" with_zip_shortest")
        printer.print_string(" : ")
        printer.print_list(self.targets.types, printer.print_attribute)
        if self.results_:
            printer.print_string(" -> ")
            printer.print_list(self.results_.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class LoopUnrollOp(IRDLOperation):
    """``transform.loop.unroll %loop {factor = 4}``: copies of the body of an ``scf.for``."""

    name = "transform.loop.unroll"

    target = operand_def(TransformHandleType)
    factor = prop_def(IntegerAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$target attr-dict `:` type($target)"


@irdl_op_definition
class ApplyPatternsOp(IRDLOperation):
    """``transform.apply_patterns to %f { transform.apply_patterns.canonicalization }``."""

    name = "transform.apply_patterns"

    target = operand_def(TransformHandleType)
    apply_cse = opt_prop_def(UnitAttr)
    max_iterations = opt_prop_def(IntegerAttr)
    max_num_rewrites = opt_prop_def(IntegerAttr)
    patterns = region_def()

    traits = traits_def(NoTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> ApplyPatternsOp:
        parser.parse_keyword("to")
        at = parser.pos
        target = parser.parse_unresolved_operand()
        patterns = parser.parse_region()
        if not patterns.blocks:
            patterns.add_block(Block())
        given = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        names = cls.get_irdl_definition().properties
        return cls.build(
            operands=parser.resolve_operands([target], [type_], at),
            properties={name: value for name, value in given.items() if name in names},
            attributes={name: value for name, value in given.items() if name not in names},
            regions=[patterns],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" to ")
        printer.print_ssa_value(self.target)
        printer.print_string(" ")
        printer.print_region(self.patterns)
        printer.print_op_attributes({**self.properties, **self.attributes})
        printer.print_string(" : ")
        printer.print_attribute(self.target.type)


class _CleanUpOp(IRDLOperation):
    target = operand_def(TransformHandleType)

    assembly_format = "`to` $target attr-dict `:` type($target)"


@irdl_op_definition
class ApplyCSEOp(_CleanUpOp):
    """``transform.apply_cse to %f : !transform.any_op``."""

    name = "transform.apply_cse"


@irdl_op_definition
class ApplyDCEOp(_CleanUpOp):
    """``transform.apply_dce to %f : !transform.any_op``."""

    name = "transform.apply_dce"


@irdl_op_definition
class ApplyLICMOp(_CleanUpOp):
    """``transform.apply_licm to %loop : !transform.any_op``."""

    name = "transform.apply_licm"


PATTERNS = (
    *("canonicalization", "linalg.tiling_canonicalization", "scf.for_loop_canonicalization"),
    *("tensor.fold_tensor_empty", "tensor.merge_consecutive_insert_extract_slice"),
    *("tensor.reassociative_reshape_folding", "linalg.erase_unnecessary_inputs"),
)
"""Patterns that make a program simpler, as kc's canonicalization does."""


def _pattern_op(pattern: str) -> type[Operation]:
    fields = {
        "name": f"transform.apply_patterns.{pattern}",
        "__doc__": "A set of patterns that make a program simpler.",
        "__module__": __name__,
        "assembly_format": "attr-dict",
    }
    return irdl_op_definition(type("PatternOp", (IRDLOperation,), fields))


def _refused_op(step: str, way: str) -> type[Operation]:
    def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
        del cls
        place = parser.place(parser.pos) if isinstance(parser, ModuleParser) else None
        raise ScheduleError(
            "KC3723",
            f"transform.{step} is a step that kc does not perform",
            location=place,
            hints=[way],
        )

    fields = {
        "name": f"transform.{step}",
        "__doc__": "A step of MLIR that kc does not perform.",
        "__module__": __name__,
        "arguments": var_operand_def(),
        "results_": var_result_def(),
        "parse": classmethod(parse),
    }
    return irdl_op_definition(type("RefusedOp", (IRDLOperation,), fields))


_OWN: tuple[type[Operation], ...] = (
    *(TileUsingForOp, TileUsingForallOp, FuseIntoContainingOp, GeneralizeOp, InterchangeOp),
    *(SplitHandleOp, MergeHandlesOp, GetParentOp, GetProducerOfOperandOp),
    *(GetConsumersOfResultOp, CastOp, ParamConstantOp, IncludeOp, ForeachOp, LoopUnrollOp),
    *(ApplyPatternsOp, ApplyCSEOp, ApplyDCEOp, ApplyLICMOp),
    *map(_pattern_op, PATTERNS),
    *(_refused_op(step, way) for step, way in REFUSED.items()),
)
_NAMES = {op.name for op in _OWN}

TRANSFORM = Dialect(
    "transform",
    [*(op for op in transform.Transform.operations if op.name not in _NAMES), *_OWN],
    list(transform.Transform.attributes),
)
"""xDSL's dialect and what is added here."""
