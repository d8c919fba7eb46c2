"""legalize-narrow-floats: arithmetic on floats that the CPU has no instructions for becomes f32's.

Before::

    %2 = arith.addf %0, %1 : vector<16xbf16>

After::

    %3 = arith.bitcast %0 : vector<16xbf16> to vector<16xi16>
    %4 = arith.extui %3 : vector<16xi16> to vector<16xi32>
    %5 = arith.shli %4, %c16 : vector<16xi32>
    %6 = arith.bitcast %5 : vector<16xi32> to vector<16xf32>     // %0 as f32; %1 alike
    ...
    %9 = arith.addf %6, %8 : vector<16xf32>
    ...                                                          // rounded in integer arithmetic

Each operation on bf16, f16 and the types of 8 bits is done in f32 and rounded once, to nearest,
ties to even: what the operation itself would give, since f32 has more than twice the bits
(S. Figueroa, When is double rounding innocuous, 1995). Conversions from f64 and from long integers
are rounded once too. Values keep their types, so that memory stays as it is; what is left is loads,
stores, selections and ``arith.bitcast``.

What a CPU does in the same way is left to it: f16 where it computes with it (AVX512-FP16, ARM's
``fullfp16``), conversions of f16 where it has those (F16C, AArch64), and the rounding to bf16 of
ARM's ``bfcvt``. x86's ``vcvtneps2bf16`` is not used: it takes subnormal numbers to be zero. For the
target ``c``, whose code has functions for f16 and bf16, the types of 8 bits alone are treated.

Requires: loops and accesses are in standard dialects (``convert-tir-to-scf``). TVM:
``BF16Legalize``; MLIR: ``arith-emulate-unsupported-floats``, ``arith-expand``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.conversion.narrow_float_bits import BitArithmetic, format_of
from kc.dialects.arith import element_of, like
from kc.support.target import Target, target_of


@dataclass(frozen=True)
class LegalizeNarrowFloatsPass(ModulePass):
    """Compute in f32 what the CPU cannot compute in bf16, f16 or 8 bits, rounding each result."""

    name = "legalize-narrow-floats"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        todo = [one for one in op.walk() if any(map(format_of, _types(one)))]
        if todo:
            legalize = _Legalization(target_of(op))
            for one in todo:
                legalize.visit(one)


def _types(op: Operation) -> list[Attribute]:
    return [one.type for one in (*op.operands, *op.results)]


class _Legalization:
    def __init__(self, target: Target) -> None:
        """What ``target`` does by itself."""
        arch = target.architecture.name if target.architecture is not None else str(target.kind)
        arm = arch == "aarch64"
        self.computes: set[str] = {"f16", "bf16"} if arch == "c" else set()
        if target.has_feature("fullfp16" if arm else "avx512fp16"):
            self.computes.add("f16")
        self.widens = {"f16"} if arm or target.has_feature("f16c") else set()
        self.narrows = set(self.widens)
        if arm and target.has_feature("bf16"):
            self.narrows.add("bf16")

    def visit(self, op: Operation) -> None:
        """Replace ``op`` if it computes with floats that the target does not compute with."""
        rewrite = _REWRITES.get(op.name)
        if rewrite is None:
            if op.name.startswith("math."):
                rewrite = _Legalization.promote
            else:
                return
        forms = {found.ir for one in _types(op) if (found := format_of(one)) is not None}
        if forms - self.computes:
            rewrite(self, op)

    def widen(self, at: BitArithmetic, value: SSAValue) -> SSAValue:
        """A narrow float as f32; anything else as it is."""
        form = format_of(value.type)
        if form is None:
            return value
        if form.ir in self.computes or form.ir in self.widens:
            return at.convert(arith.ExtFOp, value, f32)
        return at.widened(value)

    def narrow(self, at: BitArithmetic, value: SSAValue, type_: Attribute) -> SSAValue:
        """An f32 as ``type_``, rounded if that is narrow."""
        form = format_of(type_)
        if form is None or value.type == type_:
            return value
        if form.ir in self.computes or form.ir in self.narrows:
            return at.convert(arith.TruncFOp, value, element_of(type_))
        return at.narrowed(value, element_of(type_))

    # Operations ----------------------------------------------------------------------------

    def promote(self, op: Operation) -> None:
        """The same operation on f32."""
        at = BitArithmetic(op)
        made = type(op).create(
            operands=[self.widen(at, one) for one in op.operands],
            result_types=[
                like(one.type, f32) if format_of(one.type) else one.type for one in op.results
            ],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        at.insert(made)
        self._replace(at, op, made.results[0])

    def extend(self, op: Operation) -> None:
        """To a wider float, which has every number of f32 or of the narrow type."""
        at = BitArithmetic(op)
        wide = self.widen(at, op.operands[0])
        result = op.results[0].type
        if element_of(result) != f32 and format_of(result) is None:
            wide = at.convert(arith.ExtFOp, wide, element_of(result))
        self._replace(at, op, wide)

    def truncate(self, op: Operation) -> None:
        """From f32, or from a wider or a narrow type by way of it."""
        at = BitArithmetic(op)
        value = op.operands[0]
        kind = element_of(value.type)
        assert isinstance(kind, FixedBitwidthType)
        self._replace(at, op, at.to_odd(value) if kind.bitwidth > 32 else self.widen(at, value))

    def from_integer(self, op: Operation) -> None:
        """An integer, rounded once."""
        at = BitArithmetic(op)
        self._replace(at, op, at.of_integer(op.operands[0], op.name == "arith.sitofp"))

    def fused(self, op: Operation) -> None:
        """``a * b + c``, rounded once."""
        at = BitArithmetic(op)
        self._replace(at, op, at.fused(*(self.widen(at, one) for one in op.operands)))

    def negate(self, op: Operation) -> None:
        """Another sign, of NaN too."""
        self._replace_by(op, BitArithmetic(op).with_other_sign(op.operands[0]))

    def absolute(self, op: Operation) -> None:
        """No sign."""
        self._replace_by(op, BitArithmetic(op).without_sign(op.operands[0]))

    def copy_sign(self, op: Operation) -> None:
        """The sign of the second."""
        self._replace_by(op, BitArithmetic(op).with_sign_of(*op.operands))

    def constant(self, op: Operation) -> None:
        """Eight bits are a number for the bits of another type."""
        assert isinstance(op, arith.ConstantOp)
        form = format_of(op.result.type)
        assert form is not None
        if form.bits != 8:
            return  # a type that LLVM knows
        at, integer = BitArithmetic(op), IntegerType(form.bits)

        def code(value: float) -> int:
            found = form.encode(value)
            return found - ((found & form.sign) << 1)  # attributes hold signed integers

        value, kind = op.value, like(op.result.type, integer)
        if isinstance(value, FloatAttr):
            attr: Attribute = IntegerAttr(code(value.value.data), integer)
        else:
            assert isinstance(value, DenseIntOrFPElementsAttr)
            assert isinstance(kind, VectorType)
            codes = [code(one) for one in value.get_values() if isinstance(one, float)]
            attr = DenseIntOrFPElementsAttr.from_list(
                cast(Any, kind), codes[:1] if value.is_splat() else codes
            )
        made = arith.ConstantOp.create(properties={"value": attr}, result_types=[kind])
        self._replace_by(op, at.as_type(at.insert(made), element_of(op.result.type)))

    def reduce(self, op: Operation) -> None:
        """The lanes of a vector one after the other, each step rounded."""
        assert isinstance(op, vector.ReductionOp)
        combine = _COMBINE.get(op.kind.data.value)
        if combine is None:
            return  # no reduction of floats: refused where it is lowered
        assert isinstance(op.vector.type, VectorType)
        at = BitArithmetic(op)
        scalar = op.results[0].type
        total = op.acc
        for lane in range(op.vector.type.get_shape()[0]):
            one = at.insert(vector.ExtractOp(op.vector, [lane], scalar))
            if total is not None:
                combined = at.insert(combine(self.widen(at, total), self.widen(at, one)))
                one = self.narrow(at, combined, scalar)
            total = one
        assert total is not None
        self._replace_by(op, total)

    def _replace(self, at: BitArithmetic, op: Operation, value: SSAValue) -> None:
        """The result is ``value``, rounded to the type of the result."""
        self._replace_by(op, self.narrow(at, value, op.results[0].type))

    def _replace_by(self, op: Operation, value: SSAValue) -> None:
        (result,) = op.results
        if result.name_hint is not None and value.name_hint is None:
            value.name_hint = result.name_hint
        Rewriter.replace_op(op, [], [value])


_COMBINE: dict[str, type[arith.FloatingPointLikeBinaryOperation]] = {
    "add": arith.AddfOp,
    "mul": arith.MulfOp,
    "minimumf": arith.MinimumfOp,
    "maximumf": arith.MaximumfOp,
    "minnumf": arith.MinnumfOp,
    "maxnumf": arith.MaxnumfOp,
}

_REWRITES: dict[str, Callable[[_Legalization, Operation], None]] = {
    **{
        f"arith.{name}": _Legalization.promote
        for name in (
            "addf subf mulf divf remf maximumf minimumf maxnumf minnumf cmpf fptosi fptoui".split()
        )
    },
    "arith.extf": _Legalization.extend,
    "arith.truncf": _Legalization.truncate,
    "arith.sitofp": _Legalization.from_integer,
    "arith.uitofp": _Legalization.from_integer,
    "arith.negf": _Legalization.negate,
    "arith.constant": _Legalization.constant,
    "math.absf": _Legalization.absolute,
    "math.copysign": _Legalization.copy_sign,
    "math.fma": _Legalization.fused,
    "vector.fma": _Legalization.fused,
    "vector.reduction": _Legalization.reduce,
}
"""How each op is replaced; every other op of ``math`` is promoted."""
