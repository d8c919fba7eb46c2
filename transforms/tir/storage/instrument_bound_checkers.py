"""instrument-bound-checkers: check every memory access, and report the first one out of bounds.

Before::

    func.func @f(%A: memref<?xf32>, %i: index) {
      %a = memref.load %A[%i] : memref<?xf32>
      ...

After::

    func.func @f(%A: memref<?xf32>, %i: index, %record: memref<4xi64>) {
      %n = memref.dim %A, %c0
      %inside = arith.cmpi ult, %i, %n : index
      %outside = arith.xori %inside, %true
      scf.if %outside {
        func.call @kc_out_of_bounds_1(%record, %site, %i, %n)
      }
      cf.assert %inside, "A is accessed outside of its bounds" {leaves}
      %a = memref.load %A[%i] : memref<?xf32>
      ...

The record is the last argument of every function with a body. It holds the number of wrong
accesses, the site of the first one (an entry of ``bound_checks``, an attribute of its function),
its indices and the sizes of the memory. ``cf.assert`` with ``leaves`` ends the function, or this
thread's part of a parallel loop, but not the process. Callers, code after a parallel loop, and
every later iteration of a parallel loop test the record and leave, too.

Loads, stores, loads and stores of vectors, ``memref.copy`` and ``memref.subview`` are checked. A
masked-off lane is not an access. Neither is a part of size 0, nor a prefetch, which may name any
address. Accesses in a called C function are not checked. (TVM:
``tir.transform.InstrumentBoundCheckers``, which runs before vectors exist and aborts.)

Requires: no ``tir`` is left (``convert-tir-to-scf``). A function that is left early does not free
the memory that it allocated.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import functions
from kc.dialects.arith import CmpiOp
from kc.dialects.memref_atomics import ATOMIC_KINDS, AtomicRMWOp
from kc.dialects.tir import DYNAMIC
from kc.support.locations import location_of

SITES = "bound_checks"
"""The attribute of a function that lists its checked accesses."""

LEAVES = "leaves"
"""The attribute of a ``cf.assert`` that ends the function and not the process."""

HEADER = 2
"""Words of the record before the indices: the number of wrong accesses, and the site of the first
one.
"""

_INDEX = IndexType()


def record_words(rank: int) -> int:
    """The words of a record for accesses to memory of at most ``rank`` dimensions."""
    return HEADER + 2 * rank


@dataclass(frozen=True)
class InstrumentBoundCheckersPass(ModulePass):
    """Check the indices of every memory access, and report the first one out of bounds."""

    name = "instrument-bound-checkers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        defined = [function for function in functions(op) if function.body.blocks]
        accesses = {
            function: [each for each in function.walk() if each.name in _CHECKS]
            for function in defined
        }
        ranks = [_rank(each) for ops in accesses.values() for each in ops]
        words = record_words(max(ranks, default=0))
        module = _Module(op, MemRefType(i64, [words]))
        for function in defined:
            module.add_record(function)
        for function in defined:
            _Function(module, function).run(accesses[function])


def _rank(access: Operation) -> int:
    return max(
        operand.type.get_num_dims()
        for operand in access.operands
        if isinstance(operand.type, MemRefType)
    )


class _Module:
    """The functions of a module, their records, and the functions that write a record."""

    def __init__(self, op: ModuleOp, record: MemRefType) -> None:
        self.op = op
        self.record = record
        self.records: dict[str, SSAValue] = {}  # of the functions with a body, by their names
        self.sites = 0
        self.reports: dict[int, str] = {}
        self.taken = {function.sym_name.data for function in functions(op)}

    def add_record(self, function: func.FuncOp) -> None:
        """Append an argument for the record to ``function``."""
        block = function.body.blocks[0]
        record = block.insert_arg(self.record, len(block.args))
        record.name_hint = "record"
        type_ = function.function_type
        function.function_type = FunctionType.from_lists(
            [*type_.inputs, self.record], list(type_.outputs)
        )
        if function.arg_attrs is not None:
            function.arg_attrs = ArrayAttr([*function.arg_attrs.data, DictionaryAttr({})])
        self.records[function.sym_name.data] = record

    def report(self, rank: int) -> str:
        """The name of the function that reports a wrong access to memory of ``rank`` dimensions."""
        if rank not in self.reports:
            name = f"kc_out_of_bounds_{rank}"
            while name in self.taken:
                name += "_"
            self.reports[rank] = name
            self.op.body.block.add_op(self._report_function(name, rank))
        return self.reports[rank]

    def _report_function(self, name: str, rank: int) -> func.FuncOp:
        """A function that counts a wrong access, and writes the first one to the record."""
        inputs: list[Attribute] = [self.record, i64, *[_INDEX] * (2 * rank)]
        block = Block(arg_types=inputs)
        record, site, *values = block.args
        increment, none = arith.ConstantOp.from_int_and_width(1, i64), _number(0, i64)
        first = _number(0, _INDEX)
        counted = AtomicRMWOp.build(
            operands=[increment.result, record, [first.result]],
            result_types=[i64],
            properties={"kind": IntegerAttr(ATOMIC_KINDS.index("addi"), i64)},
        )
        is_first = CmpiOp(counted.result, none.result, "eq")
        inside = Block()
        for n, value in enumerate([site, *values], start=1):
            place = _number(n, _INDEX)
            inside.add_op(place)
            if value.type != i64:
                cast = arith.IndexCastOp(value, i64)
                inside.add_op(cast)
                value = cast.result
            inside.add_op(memref.StoreOp.get(value, record, [place.result]))
        inside.add_op(scf.YieldOp())
        block.add_ops([increment, none, first, counted, is_first])
        block.add_op(scf.IfOp(is_first.results[0], [], Region(inside)))
        block.add_op(func.ReturnOp())
        return func.FuncOp(name, (inputs, []), Region(block), visibility="private")


def _number(value: int, type_: Attribute) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, type_))  # pyright: ignore


class _Function:
    """The checks of one function."""

    def __init__(self, module: _Module, function: func.FuncOp) -> None:
        self.module = module
        self.function = function
        self.name = function.sym_name.data
        self.record = module.records[self.name]
        self.sites: list[Attribute] = []
        self.op: Operation = function  # the checked operation; new operations come before it

    def run(self, accesses: Sequence[Operation]) -> None:
        """Check ``accesses``, and leave the function after a callee or a parallel loop that has
        reported a wrong access.
        """
        for op in accesses:
            self.op = op
            _CHECKS[op.name](self, op)
        for op in list(self.function.walk()):
            self.op = op
            if isinstance(op, func.CallOp):
                self._call(op)
            elif isinstance(op, scf.ParallelOp):
                first, after = op.body.block.first_op, op.next_op
                assert first is not None
                assert after is not None, "a block has a terminator"
                for place in (first, after):
                    self.op = place
                    self._leave_if_reported()
        if self.sites:
            self.function.attributes[SITES] = ArrayAttr(self.sites)

    # Building

    def emit(self, op: Operation) -> SSAValue:
        """Insert ``op`` before the checked operation; return its result, or the record if ``op``
        has no result.
        """
        block = self.op.parent
        assert block is not None
        block.insert_op_before(op, self.op)
        op.location = self.op.location
        return op.results[0] if op.results else self.record

    def number(self, value: int, type_: Attribute = _INDEX) -> SSAValue:
        """The constant ``value`` as a new operation."""
        return self.emit(_number(value, type_))

    def compare(self, lhs: SSAValue, predicate: str, rhs: SSAValue) -> SSAValue:
        """A new ``arith.cmpi``."""
        return self.emit(CmpiOp(lhs, rhs, predicate))

    def both(self, lhs: SSAValue | None, rhs: SSAValue) -> SSAValue:
        """The conjunction of two conditions; ``lhs`` may be missing."""
        return rhs if lhs is None else self.emit(arith.AndIOp(lhs, rhs))

    def size(self, buffer: SSAValue, dim: int) -> SSAValue:
        """The size of ``buffer`` in a dimension."""
        assert isinstance(buffer.type, MemRefType)
        static = buffer.type.get_shape()[dim]
        place = self.number(dim if static == DYNAMIC else static)
        return place if static != DYNAMIC else self.emit(memref.DimOp(buffer, place))

    # Checking

    def check(
        self,
        access: str,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        *,
        lanes: Sequence[int] = (),
        active: SSAValue | None = None,
        inside: SSAValue | None = None,
    ) -> None:
        """Leave the function unless all ``indices`` are inside of ``buffer``, or the access is not
        ``active``.

        ``lanes`` are the sizes of the accessed vector along the last dimensions. ``inside``
        replaces the condition on the indices.
        """
        if not indices:
            return
        counts = [*[1] * (len(indices) - len(lanes)), *lanes]
        sizes = [self.size(buffer, dim) for dim in range(len(indices))]
        if inside is None:
            for index, size, count in zip(indices, sizes, counts, strict=True):
                if count == 1:
                    # As an unsigned number, a negative index is greater than any size.
                    inside = self.both(inside, self.compare(index, "ult", size))
                    continue
                last = self.emit(arith.SubiOp(size, self.number(count)))
                inside = self.both(inside, self.compare(index, "sle", last))
                inside = self.both(inside, self.compare(index, "sge", self.number(0)))
            assert inside is not None
        if active is not None:
            idle = self.emit(arith.XOrIOp(active, self.number(1, i1)))
            inside = self.emit(arith.OrIOp(inside, idle))
        outside = self.emit(arith.XOrIOp(inside, self.number(1, i1)))
        report = self.module.report(len(indices))
        name = _name_of(buffer)
        site = _number(self._site(access, name, counts), i64)
        call = func.CallOp(report, [self.record, site.result, *indices, *sizes], [])
        block = Block([site, call, scf.YieldOp()])
        for op in block.ops:
            op.location = self.op.location
        self.emit(scf.IfOp(outside, [], Region(block)))
        self._leave_unless(inside, f"{name} is accessed outside of its bounds")

    def _site(self, access: str, buffer: str, counts: Sequence[int]) -> int:
        """The number of a new checked access, of ``counts`` elements in each dimension."""
        lanes = [IntegerAttr(count, i64) for count in counts]
        number = self.module.sites
        self.module.sites += 1
        site: dict[str, Attribute] = {
            "number": IntegerAttr(number, i64),
            "access": StringAttr(access),
            "buffer": StringAttr(buffer),
            "rank": IntegerAttr(len(counts), i64),
            "lanes": lanes[-1] if set(counts[:-1]) <= {1} else ArrayAttr(lanes),
        }
        location = location_of(self.op)
        if location is not None:
            site["file"] = StringAttr(location.file)
            site["line"] = IntegerAttr(location.line, i64)
            site["column"] = IntegerAttr(location.column, i64)
        self.sites.append(DictionaryAttr(site))
        return number

    def _leave_unless(self, condition: SSAValue, message: str) -> None:
        op = cf.AssertOp(condition, message)
        op.attributes[LEAVES] = UnitAttr()
        self.emit(op)

    def _leave_if_reported(self) -> None:
        wrong = self.emit(memref.LoadOp.get(self.record, [self.number(0)]))
        well = self.compare(wrong, "eq", self.number(0, i64))
        self._leave_unless(well, "an access was outside of its bounds")

    def _call(self, op: func.CallOp) -> None:
        callee = op.callee.string_value()
        if callee not in self.module.records:
            return
        results = [result.type for result in op.results]
        new = func.CallOp(op.callee, [*op.arguments, self.record], results)
        new.attributes = dict(op.attributes)
        self.emit(new)
        for old, result in zip(op.results, new.results, strict=True):
            result.name_hint = old.name_hint
            old.replace_all_uses_with(result)
        self._leave_if_reported()
        op.detach()
        op.erase()

    # The accesses

    def load(self, op: Operation) -> None:
        """Check ``memref.load`` and ``vector.load``."""
        buffer, *indices = op.operands
        self.check("read", buffer, indices, lanes=_lanes(op.results[0].type, buffer))

    def store(self, op: Operation) -> None:
        """Check ``memref.store`` and ``vector.store``."""
        value, buffer, *indices = op.operands
        self.check("written", buffer, indices, lanes=_lanes(value.type, buffer))

    def atomic(self, op: Operation) -> None:
        """Check ``memref.atomic_rmw``."""
        _, buffer, *indices = op.operands
        self.check("written", buffer, indices)

    def generic_atomic(self, op: Operation) -> None:
        """Check ``memref.generic_atomic_rmw``."""
        buffer, *indices = op.operands
        self.check("written", buffer, indices)

    def masked_load(self, op: Operation) -> None:
        """Check each lane of ``vector.maskedload``."""
        buffer, *indices, mask, _ = op.operands
        self._masked("read", buffer, indices, mask)

    def masked_store(self, op: Operation) -> None:
        """Check each lane of ``vector.maskedstore``."""
        buffer, *indices, mask, _ = op.operands
        self._masked("written", buffer, indices, mask)

    def _masked(
        self, access: str, buffer: SSAValue, indices: Sequence[SSAValue], mask: SSAValue
    ) -> None:
        sizes = _sizes(mask.type)
        outer, inner = indices[: len(indices) - len(sizes)], indices[len(indices) - len(sizes) :]
        for lane in itertools.product(*map(range, sizes)):
            active = self.emit(vector.ExtractOp(mask, lane, i1))
            places = [
                self.emit(arith.AddiOp(index, self.number(n)))
                for index, n in zip(inner, lane, strict=True)
            ]
            self.check(access, buffer, [*outer, *places], active=active)

    def copy(self, op: Operation) -> None:
        """Check ``memref.copy``: the target must be as large as the source in every dimension."""
        source, target = op.operands
        assert isinstance(source.type, MemRefType)
        inside, last = None, []
        for dim in range(source.type.get_num_dims()):
            size = self.size(source, dim)
            inside = self.both(inside, self.compare(size, "sle", self.size(target, dim)))
            last.append(self.emit(arith.SubiOp(size, self.number(1))))
        self.check("written", target, last, inside=inside)

    def part(self, op: Operation) -> None:
        """Check ``memref.subview``: its first and its last element must be elements of the
        whole.
        """
        assert isinstance(op, memref.SubviewOp)

        def mixed(static: Any, dynamic: Sequence[SSAValue]) -> list[SSAValue]:
            rest = iter(dynamic)
            return [
                next(rest) if entry == DYNAMIC_INDEX else self.number(int(entry))
                for entry in static.iter_values()
            ]

        offsets = mixed(op.static_offsets, op.offsets)
        sizes = mixed(op.static_sizes, op.sizes)
        steps = mixed(op.static_strides, op.strides)
        any_: SSAValue | None = None
        for size in sizes:
            any_ = self.both(any_, self.compare(size, "sgt", self.number(0)))
        last = []
        for offset, size, step in zip(offsets, sizes, steps, strict=True):
            steps_taken = self.emit(arith.SubiOp(size, self.number(1)))
            distance = self.emit(arith.MuliOp(steps_taken, step))
            last.append(self.emit(arith.AddiOp(offset, distance)))
        for corner in (offsets, last):
            self.check("in a view", op.source, corner, active=any_)


def _lanes(type_: Attribute, buffer: SSAValue) -> Sequence[int]:
    """The sizes of a vector of elements; an element may itself be a vector."""
    assert isinstance(buffer.type, MemRefType)
    return () if type_ == buffer.type.element_type else _sizes(type_)


def _sizes(type_: Attribute) -> Sequence[int]:
    return type_.get_shape() if isinstance(type_, VectorType) else ()


def _name_of(buffer: SSAValue) -> str:
    """The name of ``buffer``, or of the buffer that it is a part of."""
    while buffer.name_hint is None and isinstance(buffer.owner, memref.SubviewOp | memref.CastOp):
        buffer = buffer.owner.operands[0]
    return buffer.name_hint or "memory"


_CHECKS: dict[str, Callable[[_Function, Operation], None]] = {
    "memref.load": _Function.load,
    "memref.store": _Function.store,
    "memref.atomic_rmw": _Function.atomic,
    "memref.copy": _Function.copy,
    "memref.generic_atomic_rmw": _Function.generic_atomic,
    "memref.subview": _Function.part,
    "vector.load": _Function.load,
    "vector.store": _Function.store,
    "vector.maskedload": _Function.masked_load,
    "vector.maskedstore": _Function.masked_store,
}
