"""Rings of mbarriers, and the copies that they count.

A ring is a buffer of shared memory with an mbarrier for each version of the copied data: iteration
``t`` of a pipeline uses the mbarrier in slot ``t mod n``, in its phase ``t floordiv n``. ``expect``
announces the number of bytes of the copies in this phase, ``load_box`` starts a copy, and ``wait``
waits for their arrival::

    %full = tir.alloc "A_shared_full" {tir.mbarriers} : memref<3xi64, "shared">
    tir.mbarrier_init %full : memref<3xi64, "shared">
    tir.mbarrier_expect %full[%t mod 3], 16384 : memref<3xi64, "shared">
    tir.mbarrier_wait %full[%t mod 3] phase [%t floordiv 3] : memref<3xi64, "shared">

All threads of a block execute each of these. A single thread performs the first two and the copies;
all threads wait.

If separate warps copy (``specialize-warps``), a second ring tells which versions may be
overwritten: each warp arrives after it has read a version, and the copying warps wait::

    tir.mbarrier_init %empty, 8 : memref<3xi64, "shared">
    tir.mbarrier_wait %empty[%t mod 3] phase [%t floordiv 3 - 1] : memref<3xi64, "shared">
    tir.mbarrier_arrive %empty[%t mod 3] : memref<3xi64, "shared">

(PTX ISA, "mbarrier"; MLIR: ``nvgpu.mbarrier.group``.)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I32,
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from kc.dialects.affine_assembly import AffineOperandsParser, print_exprs
from kc.dialects.tir.canonicalization import Canonicalized

MBARRIERS = "tir.mbarriers"
"""The attribute of the allocation of a ring."""


def _verify_ring(op: IRDLOperation, ring: SSAValue) -> None:
    type_ = ring.type
    assert isinstance(type_, MemRefType)
    is_shared = type_.memory_space in (StringAttr("shared"), StringAttr("shared.dyn"))
    if type_.element_type != i64 or type_.get_num_dims() != 1 or not is_shared:
        raise VerifyException(
            f"{op.name}: a ring of mbarriers is a row of i64 in shared memory, not {type_}"
        )


@irdl_op_definition
class MBarrierInitOp(IRDLOperation):
    """``tir.mbarrier_init %full : memref<3xi64, "shared">``: initialise the mbarriers of a ring.

    Each phase of each mbarrier has one arrival and the bytes that it announces; with
    ``tir.mbarrier_init %empty, 8 : memref<3xi64, "shared">``, it has 8 arrivals.

    The initialisation is complete before any thread continues.
    """

    name = "tir.mbarrier_init"

    ring = operand_def(MemRefType)
    arrivals = opt_prop_def(IntegerAttr[I32])

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$ring (`,` $arrivals^)? attr-dict `:` type($ring)"

    def __init__(self, ring: SSAValue, arrivals: int | None = None) -> None:
        count = None if arrivals is None else IntegerAttr(arrivals, i32)
        super().__init__(operands=[ring], properties={"arrivals": count})

    @property
    def count(self) -> int:
        """The number of arrivals that complete each phase."""
        return 1 if self.arrivals is None else self.arrivals.value.data

    def verify_(self) -> None:
        _verify_ring(self, self.ring)
        if not 1 <= self.count < 1 << 20:
            raise VerifyException(
                f"{self.name}: a phase has 1 to 1048575 arrivals, not {self.count}"
            )


@irdl_op_definition
class MBarrierExpectOp(IRDLOperation):
    """``tir.mbarrier_expect %full[%t mod 3], 16384 : memref<3xi64, "shared">``

    Announce the number of bytes that copies write in this phase. This is the arrival that the phase
    waits for.
    """

    name = "tir.mbarrier_expect"

    ring = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)
    bytes = prop_def(IntegerAttr)

    traits = traits_def(MemoryWriteEffect(), Canonicalized())

    def __init__(
        self, ring: SSAValue, slot: AffineExpr, operands: Sequence[SSAValue], bytes_: int
    ) -> None:
        super().__init__(
            operands=[ring, list(operands)],
            properties={
                "indices": AffineMapAttr(AffineMap(len(operands), 0, (slot,))),
                "bytes": IntegerAttr(bytes_, i64),
            },
        )

    def verify_(self) -> None:
        _verify_ring(self, self.ring)
        _verify_map(self, self.indices, 1, len(self.operands_of_map))

    @classmethod
    def parse(cls, parser: Parser) -> MBarrierExpectOp:
        ring = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        parser.parse_punctuation(",")
        bytes_ = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ring = parser.resolve_operand(ring, parser.parse_type())
        op = cls(ring, affine.map_of(exprs).results[0], affine.operands(), bytes_)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_slot(printer, self.ring, self.indices.data.results, self.operands_of_map)
        printer.print_string(f", {self.bytes.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ring.type)


@irdl_op_definition
class MBarrierWaitOp(IRDLOperation):
    """``tir.mbarrier_wait %full[%t mod 3] phase [%t floordiv 3] : memref<3xi64, "shared">``: wait
    for the copies in this phase of an mbarrier. The first phase is 0; phase -1 is complete from the
    beginning.
    """

    name = "tir.mbarrier_wait"

    ring = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)
    """The slot, and the phase."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), Canonicalized())

    def __init__(
        self,
        ring: SSAValue,
        slot: AffineExpr,
        phase: AffineExpr,
        operands: Sequence[SSAValue],
    ) -> None:
        super().__init__(
            operands=[ring, list(operands)],
            properties={"indices": AffineMapAttr(AffineMap(len(operands), 0, (slot, phase)))},
        )

    def verify_(self) -> None:
        _verify_ring(self, self.ring)
        _verify_map(self, self.indices, 2, len(self.operands_of_map))

    @classmethod
    def parse(cls, parser: Parser) -> MBarrierWaitOp:
        ring = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        slot = affine.exprs()
        parser.parse_keyword("phase")
        phase = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ring = parser.resolve_operand(ring, parser.parse_type())
        if len(slot) != 1 or len(phase) != 1:
            parser.raise_error("tir.mbarrier_wait: expected one slot and one phase")
        exprs = affine.map_of([*slot, *phase]).results
        op = cls(ring, exprs[0], exprs[1], affine.operands())
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        slot, phase = self.indices.data.results
        printer.print_string(" ")
        _print_slot(printer, self.ring, [slot], self.operands_of_map)
        printer.print_string(" phase [")
        print_exprs(printer, [phase], self.operands_of_map)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ring.type)


@irdl_op_definition
class MBarrierArriveOp(IRDLOperation):
    """``tir.mbarrier_arrive %empty[%t mod 3] : memref<3xi64, "shared">``: let a warp arrive at an
    mbarrier, after all its lanes have completed the preceding operations.
    """

    name = "tir.mbarrier_arrive"

    ring = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), Canonicalized())

    def __init__(self, ring: SSAValue, slot: AffineExpr, operands: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[ring, list(operands)],
            properties={"indices": AffineMapAttr(AffineMap(len(operands), 0, (slot,)))},
        )

    def verify_(self) -> None:
        _verify_ring(self, self.ring)
        _verify_map(self, self.indices, 1, len(self.operands_of_map))

    @classmethod
    def parse(cls, parser: Parser) -> MBarrierArriveOp:
        ring = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ring = parser.resolve_operand(ring, parser.parse_type())
        op = cls(ring, affine.map_of(exprs).results[0], affine.operands())
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_slot(printer, self.ring, self.indices.data.results, self.operands_of_map)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ring.type)


@irdl_op_definition
class LoadBoxOp(IRDLOperation):
    """``tir.load_box %A, %C, %B : memref<64x64xf16, ...>, memref<64x64xf16, ..., "shared">,
    memref<1xi64, ..., "shared">``

    Start a copy of ``%A`` to ``%C`` that the mbarrier ``%B`` counts.

    All three are views of buffers. ``lower-tensor-copies`` creates the map of the buffer behind
    ``%A``. (``nvvm.cp.async.bulk.tensor.shared.cluster.global``.)
    """

    name = "tir.load_box"

    source = operand_def(MemRefType)
    target = operand_def(MemRefType)
    mbarrier = operand_def(MemRefType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = (
        "$source `,` $target `,` $mbarrier attr-dict "
        "`:` type($source) `,` type($target) `,` type($mbarrier)"
    )

    def verify_(self) -> None:
        source, target = self.source.type, self.target.type
        assert isinstance(source, MemRefType)
        assert isinstance(target, MemRefType)
        if (source.element_type, source.get_shape()) != (target.element_type, target.get_shape()):
            raise VerifyException(f"tir.load_box: {source} is copied to {target}")
        if target.memory_space not in (StringAttr("shared"), StringAttr("shared.dyn")):
            raise VerifyException(f"tir.load_box: {target} is not in shared memory")
        _verify_ring(self, self.mbarrier)


@irdl_op_definition
class StoreBoxOp(IRDLOperation):
    """``tir.store_box %A, %C : memref<64x32xf32, ..., "shared">, memref<64x32xf32, ...>``

    Copy ``%A`` to ``%C`` by the copy unit. The thread that starts the copy waits for its end. Both
    are views of buffers. (``nvvm.cp.async.bulk.tensor.global.shared.cta``, and its wait.)
    """

    name = "tir.store_box"

    source = operand_def(MemRefType)
    target = operand_def(MemRefType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$source `,` $target attr-dict `:` type($source) `,` type($target)"

    def verify_(self) -> None:
        source, target = self.source.type, self.target.type
        assert isinstance(source, MemRefType)
        assert isinstance(target, MemRefType)
        if (source.element_type, source.get_shape()) != (target.element_type, target.get_shape()):
            raise VerifyException(f"tir.store_box: {source} is copied to {target}")
        if source.memory_space not in (StringAttr("shared"), StringAttr("shared.dyn")):
            raise VerifyException(f"tir.store_box: {source} is not in shared memory")


def _verify_map(op: IRDLOperation, indices: AffineMapAttr, results: int, operands: int) -> None:
    map_ = indices.data
    if (len(map_.results), map_.num_symbols, map_.num_dims) != (results, 0, operands):
        raise VerifyException(f"{op.name}: {map_} for {results} numbers of {operands} operands")


def _print_slot(
    printer: Printer, ring: SSAValue, slot: Sequence[AffineExpr], operands: Sequence[SSAValue]
) -> None:
    printer.print_ssa_value(ring)
    printer.print_string("[")
    print_exprs(printer, slot, operands)
    printer.print_string("]")
