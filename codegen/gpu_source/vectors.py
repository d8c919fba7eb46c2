"""Vectors in the source of kernels: each is a variable, with operations on its lanes.

Operators and math.h functions apply to whole vectors if the language supports it. All other
operations are done lane by lane, by the expressions for scalars, and thus with the same semantics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from kc.codegen.c_source.expressions import (
    LESS,
    OR,
    PLUS,
    PRIMARY,
    TIMES,
    UNARY,
    Code,
    Expressions,
)
from kc.codegen.c_source.function import FunctionPrinter
from kc.codegen.gpu_source.languages import ELEMENT_BYTES, GpuLanguage, VectorForm
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_OPERATORS = {
    "arith.addf": " + ", "arith.subf": " - ", "arith.mulf": " * ", "arith.divf": " / ",
}  # fmt: skip
_PLAIN_VECTORS = frozenset("exp exp2 log log2 log10 sqrt sin cos tan floor ceil".split())
"""Functions of ``math`` with the same name in math.h that accept whole vectors."""


def is_vector(op: Operation) -> bool:
    """True if ``op`` has vector operands or results."""
    return any(isinstance(value.type, VectorType) for value in (*op.operands, *op.results))


class VectorPrinter(FunctionPrinter):
    """Prints functions with vectors, in a language of GPUs."""

    def __init__(
        self, function: Any, expressions: Expressions, functions: Mapping[str, str]
    ) -> None:
        super().__init__(function, expressions, functions)
        assert isinstance(expressions.language, GpuLanguage)
        self.language = expressions.language
        self._constants: dict[SSAValue, list[Code]] = {}
        self._spaces: dict[SSAValue, str] = {}
        self._strides: dict[SSAValue, list[Code]] = {}
        """The stride of each index, in elements, of views of arrays."""

    # Values

    def value(self, value: SSAValue) -> Code:
        if value in self._constants:
            return Code(self.whole(value))
        return super().value(value)

    def named(self, value: SSAValue, op: Operation) -> Code:
        """The expression of a scalar with several uses: a constant or a variable."""
        code = self.value(value)
        is_number = code.text.lstrip("-").replace(".", "").isalnum()
        if not is_number and (code.binds != PRIMARY or code.reads or "(" in code.text):
            self.name(value, op)
        return self._code[value]

    def declare(self, value: SSAValue, type_: str, text: str) -> None:
        """Give a vector a variable."""
        name = self.fresh(value.name_hint)
        self.write(f"const {type_} {name} = {text};")
        self._code[value] = Code(name)

    def pointer_to(self, type_: str, buffer: SSAValue, *, is_written: bool) -> str:
        """The type of a pointer to something in the memory of ``buffer``."""
        space = self.language.spaces[self._spaces[buffer]]
        const = "" if is_written else "const "
        return f"{space + ' ' if space else ''}{const}{type_} *"

    def has_places(self, buffer: SSAValue) -> bool:
        return buffer in self._strides or super().has_places(buffer)

    def linear_index(self, buffer: SSAValue, codes: Sequence[Code]) -> Code:
        if buffer not in self._strides:
            return super().linear_index(buffer, codes)
        terms = [
            index.within(PLUS + 1)
            if stride.text == "1"
            else f"{index.within(TIMES)} * {stride.within(UNARY)}"
            for index, stride in zip(codes, self._strides[buffer], strict=True)
            if index.text != "0"
        ]
        return Code(" + ".join(terms), PLUS) if terms else Code("0")

    # Operations

    def is_pure(self, op: Operation) -> bool:
        return super().is_pure(op) or type(op) in _HANDLERS and bool(op.results)

    def vector_operation(self, op: Operation) -> None:
        """Print a vector operation. Raises CodegenError KC4403 if it is unsupported."""
        handler = _HANDLERS.get(type(op))
        if handler is not None:
            handler(self, op)
        elif self.expressions.supports(op):
            self._elementwise(op)
        else:
            raise self._unsupported(op)

    def whole(self, value: SSAValue) -> str:
        """The text of a vector."""
        lanes = self._constants.get(value)
        if lanes is None:
            return self._code[value].text
        return self._form(value, value.owner).construct([lane.text for lane in lanes])

    def _unsupported(self, op: Operation) -> CodegenError:
        return CodegenError(
            "KC4403",
            f"{self.language.name}: {op.name} cannot be expressed in {self.language.title}",
            location=location_of(op),
            why="it supports loads, stores and arithmetic of vectors, and lanes with constant "
            "indices",
        )

    def _form(self, value: SSAValue, op: object) -> VectorForm:
        assert isinstance(value.type, VectorType)
        form = self.language.vector(value.type)
        if form is None:
            assert isinstance(op, Operation)
            raise self.expressions.no_type(op, f"{op.name} on {value.type}")
        return form

    def lanes(self, value: SSAValue, op: Operation, count: int) -> list[Code]:
        """The lanes of a vector, or a scalar ``count`` times."""
        if not isinstance(value.type, VectorType):
            return [self.named(value, op)] * count
        lanes = self._constants.get(value)
        if lanes is not None:
            return lanes
        name = self._code[value].text
        return [Code(f"{name}{place}") for place in self._form(value, op).lanes]

    def define_result(self, value: SSAValue, op: Operation, lanes: Sequence[Code]) -> None:
        """Assign the vector of these lanes, a result of ``op``, to a variable."""
        form = self._form(value, op)
        self.declare(value, form.name, form.construct([lane.text for lane in lanes]))

    def _define(self, op: Operation, lanes: Sequence[Code]) -> None:
        self.define_result(op.results[0], op, lanes)

    def _declare(self, op: Operation, text: str) -> None:
        form = self._form(op.results[0], op)
        self.declare(op.results[0], form.name, text)

    def _elementwise(self, op: Operation) -> None:
        if isinstance(op, arith.ConstantOp):
            self._constant(op)
            return
        (result,) = op.results
        assert isinstance(result.type, VectorType)
        form, name = self._form(result, op), op.name
        natives = [self._form(value, op).is_native for value in op.operands if _is(value)]
        if self.language.overloads_vectors and form.is_native and all(natives):
            if name in _OPERATORS:
                left, right = (self.whole(operand) for operand in op.operands)
                self._declare(op, f"{left}{_OPERATORS[name]}{right}")
                return
            if name.startswith("math.") and name[5:] in _PLAIN_VECTORS:
                function = self.expressions.math_function(
                    name[5:], result.type.element_type, Code(self.whole(op.operands[0]))
                )
                self._declare(op, function.text)
                return
        scalar = _scalar_form(op)
        columns = [self.lanes(value, op, result.type.element_count()) for value in op.operands]
        self._define(
            op, [self.expressions.make(scalar, list(row)) for row in zip(*columns, strict=True)]
        )

    def _constant(self, op: arith.ConstantOp) -> None:
        value, type_ = op.value, op.result.type
        assert isinstance(value, DenseIntOrFPElementsAttr)
        assert isinstance(type_, VectorType)
        self._form(op.result, op)
        attributes: list[Any] = list(value.iter_attrs())
        if len(attributes) == 1:
            attributes *= type_.element_count()
        constants = [arith.ConstantOp(attribute) for attribute in attributes]
        self._constants[op.result] = [self.expressions.make(constant, []) for constant in constants]

    # Operations of the dialect

    def broadcast(self, op: vector.BroadcastOp) -> None:
        type_ = op.results[0].type
        assert isinstance(type_, VectorType)
        source = op.operands[0]
        if isinstance(source.type, VectorType):
            raise self._unsupported(op)
        code = self.named(source, op)
        self._define(op, [code] * type_.element_count())

    def _position(self, op: vector.ExtractOp | vector.InsertOp) -> int:
        positions = list(op.static_position.iter_values())
        if len(positions) != 1 or positions[0] == DYNAMIC_INDEX:
            raise self._unsupported(op)
        return int(positions[0])

    def extract(self, op: vector.ExtractOp) -> None:
        lane = self.lanes(op.vector, op, 0)[self._position(op)]
        self.keep(op, lane)

    def insert(self, op: vector.InsertOp) -> None:
        lanes = list(self.lanes(op.dest, op, 0))
        lanes[self._position(op)] = self.value(op.source)
        self._define(op, lanes)

    def vector_shuffle(self, op: vector.ShuffleOp) -> None:
        both = [lane for operand in op.operands for lane in self.lanes(operand, op, 0)]
        picked = [int(lane) for lane in op.mask.iter_values()]
        self._define(op, [both[max(lane, 0)] for lane in picked])

    def fma(self, op: vector.FMAOp) -> None:
        type_ = op.results[0].type
        assert isinstance(type_, VectorType)
        columns = [self.lanes(value, op, 0) for value in op.operands]
        make = self.expressions.math_function
        self._define(
            op, [make("fma", type_.element_type, *row) for row in zip(*columns, strict=True)]
        )

    def create_mask(self, op: vector.CreateMaskOp) -> None:
        type_ = op.results[0].type
        assert isinstance(type_, VectorType)
        bound = self.named(op.operands[0], op).within(LESS + 1)
        self._define(op, [Code(f"{n} < {bound}", LESS) for n in range(type_.element_count())])

    def reduction(self, op: vector.ReductionOp) -> None:
        """Combine the lanes in order, or in a binary tree if the order is free, which shortens the
        dependence chain.
        """
        is_float = not isinstance(op.dest.type, IntegerType | IndexType)
        name = _COMBINERS.get((op.kind.data.value, is_float))
        if name is None:
            raise self._unsupported(op)
        lanes = self.lanes(op.vector, op, 0)
        code = self.value(op.acc) if op.acc is not None else None
        like = _scalar(name, [op.dest.type] * 2, op.dest.type)
        if FastMathFlag.REASSOC in op.fastmath.data and len(lanes) & (len(lanes) - 1) == 0:
            while len(lanes) > 1:
                half = len(lanes) // 2
                pairs = zip(lanes[:half], lanes[half:], strict=True)
                lanes = [self.expressions.make(like, [*pair]) for pair in pairs]
        for lane in lanes:
            code = lane if code is None else self.expressions.make(like, [code, lane])
        assert code is not None
        self.keep(op, code)

    # Memory

    def _access(self, op: Operation, buffer: SSAValue, form: VectorForm, kind: VectorType) -> bool:
        """True if the proven alignment permits an access to the whole vector."""
        attr = op.get_attr_or_prop("alignment")
        alignment = attr.value.data if isinstance(attr, IntegerAttr) else 0
        element = self.language.memory_type(kind.element_type) or ""
        size = ELEMENT_BYTES[element] * kind.element_count()
        needed = size if form.is_native else min(size, 16)
        if buffer in self._strides and self._strides[buffer][-1].text != "1":
            return False
        return size & (size - 1) == 0 and alignment >= needed

    def _elements(
        self, op: Operation, buffer: SSAValue, indices: Sequence[SSAValue], kind: VectorType
    ) -> list[str]:
        """The places of the lanes in memory."""
        codes = [self.value(index) for index in indices]
        type_ = buffer.type
        assert isinstance(type_, MemRefType)
        self.require_array(buffer, op)
        name = self.fresh(f"{self._code[buffer].text}_at", "at")
        place = self.linear_index(buffer, codes)
        self.write(f"const int64_t {name} = {place.text};")
        array = self._code[buffer].text
        by = self._strides[buffer][-1].text if buffer in self._strides else "1"
        shifts = [str(n) if by == "1" else f"{n} * {by}" for n in range(kind.element_count())]
        return [
            f"{array}[{name} + {shift}]" if n else f"{array}[{name}]"
            for n, shift in enumerate(shifts)
        ]

    def vector_load(self, op: vector.LoadOp) -> None:
        type_ = op.result.type
        assert isinstance(type_, VectorType)
        form = self._form(op.result, op)
        if not self._access(op, op.base, form, type_):
            places = self._elements(op, op.base, op.indices, type_)
            self._define(op, [Code(place) for place in places])
            return
        self.require_array(op.base, op)
        place = self.place(op.base, op.indices)
        pointer = self.pointer_to(form.name, op.base, is_written=False)
        self._declare(op, f"*({pointer})&{place}")

    def vector_store(self, op: vector.StoreOp) -> None:
        type_ = op.vector.type
        assert isinstance(type_, VectorType)
        form = self._form(op.vector, op)
        if not self._access(op, op.base, form, type_):
            lanes = self.lanes(op.vector, op, 0)
            places = self._elements(op, op.base, op.indices, type_)
            self.settle()
            for place, lane in zip(places, lanes, strict=True):
                self.write(f"{place} = {lane.text};")
            return
        self.require_array(op.base, op)
        text, place = self.whole(op.vector), self.place(op.base, op.indices)
        self.settle()
        pointer = self.pointer_to(form.name, op.base, is_written=True)
        self.write(f"*({pointer})&{place} = {text};")

    def masked_load(self, op: vector.MaskedLoadOp) -> None:
        type_ = op.result.type
        assert isinstance(type_, VectorType)
        masks, rest = self.lanes(op.mask, op, 0), self.lanes(op.pass_thru, op, 0)
        places = self._elements(op, op.base, op.indices, type_)
        rows = zip(masks, places, rest, strict=True)
        self._define(
            op,
            [
                Code(f"{mask.within(LESS)} ? {place} : {lane.within(OR)}", PRIMARY)
                for mask, place, lane in rows
            ],
        )

    def masked_store(self, op: vector.MaskedStoreOp) -> None:
        type_ = op.value_to_store.type
        assert isinstance(type_, VectorType)
        masks, lanes = self.lanes(op.mask, op, 0), self.lanes(op.value_to_store, op, 0)
        places = self._elements(op, op.base, op.indices, type_)
        self.settle()
        for mask, place, lane in zip(masks, places, lanes, strict=True):
            self.write(f"if ({mask.text}) {place} = {lane.text};")


def _is(value: SSAValue) -> bool:
    return isinstance(value.type, VectorType)


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType) else type_


def _scalar_form(op: Operation) -> Operation:
    """The operation on one lane that corresponds to the vector operation ``op``."""
    block = Block(arg_types=[_element(operand.type) for operand in op.operands])
    scalar = type(op).create(
        operands=list(block.args),
        result_types=[_element(op.results[0].type)],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    scalar.location = op.location
    return scalar


def _scalar(name: str, operands: Sequence[Attribute], result: Attribute) -> Operation:
    block = Block(arg_types=list(operands))
    kinds: dict[str, Any] = {kind.name: kind for kind in arith.Arith.operations}
    return kinds[name].create(operands=list(block.args), result_types=[result])


_COMBINERS = {
    ("add", False): "arith.addi", ("mul", False): "arith.muli", ("and", False): "arith.andi",
    ("or", False): "arith.ori", ("xor", False): "arith.xori", ("minsi", False): "arith.minsi",
    ("maxsi", False): "arith.maxsi", ("minui", False): "arith.minui",
    ("maxui", False): "arith.maxui", ("add", True): "arith.addf", ("mul", True): "arith.mulf",
    ("minnumf", True): "arith.minnumf", ("maxnumf", True): "arith.maxnumf",
    ("minimumf", True): "arith.minimumf", ("maximumf", True): "arith.maximumf",
}  # fmt: skip

_HANDLERS: dict[type[Operation], Callable[[VectorPrinter, Any], None]] = {
    vector.BroadcastOp: VectorPrinter.broadcast,
    vector.ExtractOp: VectorPrinter.extract,
    vector.InsertOp: VectorPrinter.insert,
    vector.ShuffleOp: VectorPrinter.vector_shuffle,
    vector.FMAOp: VectorPrinter.fma,
    vector.CreateMaskOp: VectorPrinter.create_mask,
    vector.ReductionOp: VectorPrinter.reduction,
    vector.LoadOp: VectorPrinter.vector_load,
    vector.StoreOp: VectorPrinter.vector_store,
    vector.MaskedLoadOp: VectorPrinter.masked_load,
    vector.MaskedStoreOp: VectorPrinter.masked_store,
}
