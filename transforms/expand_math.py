"""expand-math: functions of the C library are replaced by arithmetic.

Before::

    %y = math.exp %x : vector<8xf32>

After::

    %n = (the nearest whole number of %x / log(2))
    %r = (%x - %n * log(2))
    %y = (1 + %r + %r**2 * a polynomial of %r, times 2 to the power of %n)

A call of the library computes one number. The arithmetic (:mod:`kc.transforms.elementary`) works on
vectors of any length, and LLVM vectorizes loops over it. docs/numerics.md lists the errors.
Functions of f16, bf16 and the types of 8 bits are computed in f32. Functions with the flag ``afn``
are approximated (:mod:`kc.transforms.elementary.approximations`), except in f64 and if no cheaper
form exists.

With AVX-512, an instruction multiplies a vector by powers of 2 (``scalef``); other targets build
the powers from their bits. No calculation has a subnormal operand or result, since many processors
handle subnormal numbers in microcode: such results are built from the bits of a sum, and such
arguments are read as integers (:mod:`values <kc.transforms.elementary.values>`). The exponents and
fractions for logarithms are also instructions of AVX-512 (``getexp``, ``getmant``), and arithmetic
on bits on other targets.

The quotient for te's ``sigmoid`` is also expanded as a function, whose exponential is not rounded
separately. So are ``(erf(x / sqrt(2)) + 1) / 2``, whose sum cancels, its product with x, which is
gelu, and the form of gelu with tanh.

On x86, the minimum and maximum instructions return the second operand if one is NaN or if both are
zeros. So ``arith.minimumf`` is the bitwise or of the minima in either order, and 0 is added to a
maximum with 0. This is shorter than LLVM's code.

Sine, cosine and tangent of large arguments are computed in a branch. Without an fma, the branch
calls the library, in calls with the attribute ``kc.library``. Kernels for GPUs have no C library.
OpenCL C and Metal have functions of their own (the list ``math_functions`` of the target's data
file), and kernels for NVIDIA GPUs use NVIDIA's libdevice if the target asks for it
(``-libs=libdevice``).

Remainders of floats (``arith.remf``) are long divisions, because LLVM's code is not exact on GPUs,
and a library call per lane on CPUs.

(MLIR: ``math-polynomial-approximation``, ``math-expand-ops``.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import copysign, frexp, pi, sqrt
from math import exp as exp_of_number
from struct import pack, unpack
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    ModuleOp,
    UnitAttr,
    VectorType,
    f32,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from kc.analysis.loop_tree import preorder
from kc.dialects.arith import RemFOp, element_of
from kc.dialects.gpu import GPUModuleOp
from kc.support.libdevice import uses_libdevice
from kc.support.patterns import PatternSet
from kc.support.rates import rates_of
from kc.support.registry import load_patterns
from kc.support.target import Target, target_of
from kc.transforms.elementary import approximations
from kc.transforms.elementary.angles import acos, asin, atan, atan2, cos, sin, tan
from kc.transforms.elementary.error_function import erf
from kc.transforms.elementary.exponentials import (
    cosh,
    exp,
    exp2,
    expm1,
    sigmoid,
    sinh,
    tanh,
    times_sigmoid,
)
from kc.transforms.elementary.logarithms import acosh, asinh, atanh, log, log1p, log2, log10
from kc.transforms.elementary.normal_distribution import (
    normal_share,
    times_normal_share,
    times_share_by_tanh,
)
from kc.transforms.elementary.powers import cbrt, pow, rsqrt
from kc.transforms.elementary.remainder import fmod
from kc.transforms.elementary.values import Code, Real

_Sum = TypeVar("_Sum", arith.AddfOp, arith.MulfOp)

LIBRARY = "kc.library"
"""The attribute of a function that remains a call of the C library."""

FUNCTIONS: dict[type[Operation], Callable[..., Real]] = {
    math.AcosOp: acos,
    math.AcoshOp: acosh,
    math.AsinOp: asin,
    math.AsinhOp: asinh,
    math.AtanOp: atan,
    math.Atan2Op: atan2,
    math.AtanhOp: atanh,
    math.CbrtOp: cbrt,
    math.CosOp: cos,
    math.CoshOp: cosh,
    math.ErfOp: erf,
    math.ExpOp: exp,
    math.Exp2Op: exp2,
    math.ExpM1Op: expm1,
    math.LogOp: log,
    math.Log10Op: log10,
    math.Log1pOp: log1p,
    math.Log2Op: log2,
    math.PowFOp: pow,
    math.RsqrtOp: rsqrt,
    math.SinOp: sin,
    math.SinhOp: sinh,
    math.TanOp: tan,
    math.TanhOp: tanh,
}
"""The operations of ``math`` that are expanded."""

APPROXIMATIONS: dict[type[Operation], Callable[..., Real]] = {
    math.ExpOp: approximations.exp,
    math.Exp2Op: approximations.exp2,
    math.LogOp: approximations.log,
    math.Log10Op: approximations.log10,
    math.Log2Op: approximations.log2,
    math.TanhOp: approximations.tanh,
}
"""The functions that compute operations on f32 with the flag ``afn``."""

NARROW_FLOATS = (Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type)
"""The float types whose functions are computed in f32."""

_EXTREMA = (arith.MinimumfOp, arith.MaximumfOp)


class ExpandMathPass(ModulePass):
    """Replace functions of the C library by arithmetic, within two units in the last place.

    Plugins add patterns for their own operations under the name of the pass.
    """

    name = "expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        added = [make() for make in load_patterns(self.name)]
        target = target_of(op)
        supported = {f"math.{name}" for name in target.kind.math_functions}
        if uses_libdevice(target):
            supported.update(function.name for function in FUNCTIONS)
        # Most modules contain none of these functions.
        kinds = {type(inner) for inner in preorder(op)}
        own: list[RewritePattern] = []
        if not kinds.isdisjoint(FUNCTIONS):
            # These patterns match combinations of functions, so they run before the functions are
            # expanded.
            for whole in (ExpandSigmoid, ExpandNormalShare):
                pattern = whole(target, supported)
                PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(op)
            own.append(ExpandFunction(target, supported))
        if RemFOp in kinds:
            own.append(ExpandRemainder(target, supported))
        if is_x86(target) and (own or any(issubclass(kind, _EXTREMA) for kind in kinds)):
            own.append(ExpandExtremum())
        if own or added:
            patterns = PatternSet([*own, *added])
            PatternRewriteWalker(_First(patterns), apply_recursively=False).rewrite_module(op)


class _First(RewritePattern):
    """Apply the first pattern that changes the operation."""

    def __init__(self, patterns: PatternSet) -> None:
        self._patterns = patterns

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        for pattern in self._patterns.of(op):
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return


def is_x86(target: Target) -> bool:
    """True if the target is an x86 CPU."""
    return target.architecture is not None and target.architecture.name.startswith("x86")


def has_fma(target: Target) -> bool:
    """True if a fused multiply-add is one instruction."""
    return not is_x86(target) or target.has_feature("fma")


def has_exponents(target: Target) -> bool:
    """True if the target has instructions that scale vectors by powers of 2 and extract exponents
    and fractions: ``vscalefps``, ``vgetexpps``, ``vgetmantps``.
    """
    return is_x86(target) and target.has_feature("avx512dq")


def has_slow_quotients(target: Target) -> bool:
    """True if a division of vectors takes longer than eight multiply-adds. Its replacement, an
    approximate reciprocal, a product and a correction, takes about four. The factor of 2 accounts
    for a division that overlaps with multiply-adds.
    """
    rates = rates_of(target)
    return rates.products["fma.f32"] > 8 * rates.divisions["f32"]


def _is_in_kernel(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, GPUModuleOp):
        parent = parent.parent_op()
    return parent is not None


def _is_approximate(op: Operation) -> bool:
    flags = op.properties.get("fastmath")
    return isinstance(flags, FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data


class _Expansion(RewritePattern):
    """The base of the patterns that replace operations by functions of
    :mod:`kc.transforms.elementary`, except the operations in ``supported`` in kernels.
    """

    def __init__(self, target: Target, supported: Collection[str] = ()) -> None:
        self._has_fma = has_fma(target)
        self._has_exponents = has_exponents(target)
        self._has_slow_quotients = has_slow_quotients(target)
        self._kept = supported

    def _is_kept(self, op: Operation) -> bool:
        return LIBRARY in op.attributes or (op.name in self._kept and _is_in_kernel(op))

    def _code(self, op: Operation, rewriter: PatternRewriter) -> Code:
        block = op.parent
        assert block is not None

        def emit(new: Operation) -> None:
            for inner in preorder(new) if new.regions else (new,):
                inner.location = op.location
            block.insert_op_before(new, op)

        in_kernel = _is_in_kernel(op)
        return Code(
            emit,
            has_fma=self._has_fma or in_kernel,
            has_exponents=self._has_exponents and not in_kernel,
            has_slow_quotients=self._has_slow_quotients,
            has_slow_subnormals=not in_kernel,
        )


class ExpandFunction(_Expansion):
    """``%y = math.exp %x : f32``    ->    arithmetic"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        function = FUNCTIONS.get(type(op))
        if function is None or self._is_kept(op):
            return
        type_ = op.results[0].type
        element = element_of(type_)
        if not isinstance(element, (*NARROW_FLOATS, Float32Type, Float64Type)):
            return
        if _is_approximate(op) and not isinstance(element, Float64Type):
            function = APPROXIMATIONS.get(type(op), function)
        wide: Attribute = type_
        if isinstance(element, NARROW_FLOATS):
            wide = VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32
        code = self._code(op, rewriter)

        def library(operand: SSAValue) -> SSAValue:
            call = type(op).create(
                operands=[operand],
                result_types=[wide],
                properties=dict(op.properties),
                attributes={**op.attributes, LIBRARY: UnitAttr()},
            )
            return code.add(call)

        if not _is_in_kernel(op):
            code.library = library

        def converted(kind: type[Operation], value: SSAValue, to: Attribute) -> SSAValue:
            return value if value.type == to else code.add(kind(value, to))  # pyright: ignore

        numbers = [Real(converted(arith.ExtFOp, value, wide), code) for value in op.operands]
        result = converted(arith.TruncFOp, function(*numbers).value, type_)
        result.name_hint = result.name_hint or op.results[0].name_hint
        rewriter.replace(op, [], [result])


class ExpandRemainder(_Expansion):
    """``%r = arith.remf %x, %y : f32``    ->    long division

    LLVM's code for GPUs is ``x - trunc(x / y) * y``, whose quotient is rounded, so that the result
    is wrong for 1 and 0.1. Its code for CPUs calls the library for each lane, except if ``y`` is 1,
    2, 4 and so on, for which LLVM's arithmetic is exact.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RemFOp, rewriter: PatternRewriter, /) -> None:
        if _is_in_kernel(op):
            if "math.fmod" in self._kept:
                return
        elif not self._has_fma or (
            _is_power_of_two(op.rhs) and not isinstance(element_of(op.result.type), NARROW_FLOATS)
        ):
            return
        type_ = op.result.type
        code = self._code(op, rewriter)
        numbers = [Real(value, code) for value in op.operands]
        if isinstance(element_of(type_), NARROW_FLOATS):
            wide = VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32
            numbers = [Real(code.add(arith.ExtFOp(number.value, wide)), code) for number in numbers]  # pyright: ignore
        result = fmod(*numbers).value
        if result.type != type_:
            result = code.add(arith.TruncFOp(result, type_))  # pyright: ignore
        result.name_hint = result.name_hint or op.result.name_hint
        rewriter.replace(op, [], [result])


class ExpandSigmoid(_Expansion):
    """``(x < 0 ? p : 1) / (1 + p)`` with ``p = exp(-abs(x))``, as te writes it    ->    arithmetic

    A product that is the only user of the quotient is rounded once together with it. The
    exponential is removed if it becomes unused.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.DivfOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(element_of(op.result.type), Float32Type | Float64Type):
            return
        parts = _parts_of_sigmoid(op)
        if parts is None or self._is_kept(parts[0]):
            return
        exponential, x = parts
        is_single = isinstance(element_of(op.result.type), Float32Type)
        approximate = is_single and _is_approximate(exponential)
        product = None if approximate else _only_product(op)
        code = self._code(product or op, rewriter)
        if product is not None:
            factor = _second(product, op.result)
            if _is_cubic_of_gelu(x, factor):
                result = times_share_by_tanh(Real(factor, code)).value
            else:
                whole = _in_two_numbers(factor, x)
                factor, x = (factor, x) if whole is None else (whole, whole)
                result = times_sigmoid(Real(factor, code), Real(x, code)).value
        else:
            result = (approximations.sigmoid if approximate else sigmoid)(Real(x, code)).value
        _replace(op, product, result, rewriter)


class ExpandNormalShare(_Expansion):
    """``(erf(x * sqrt(1/2)) + 1) * 1/2``    ->    arithmetic; together with a product with x that
    is its only user, gelu, which is rounded once.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.MulfOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(element_of(op.result.type), Float32Type | Float64Type):
            return
        parts = _parts_of_normal_share(op)
        if parts is None or self._is_kept(parts[0]) or _is_approximate(parts[0]):
            return
        x = parts[1]
        product = _only_product(op)
        if product is not None and _second(product, op.result) is not x:
            product = None
        number = Real(x, self._code(product or op, rewriter))
        result = (normal_share if product is None else times_normal_share)(number).value
        _replace(op, product, result, rewriter)


def _is_power_of_two(value: SSAValue) -> bool:
    """True if a float, or each lane of a vector, is the same constant power of 2 that is at least
    1.
    """
    constant = value.owner
    attr = constant.value if isinstance(constant, arith.ConstantOp) else None
    if isinstance(attr, DenseIntOrFPElementsAttr):
        numbers = set(attr.get_values())
    else:
        numbers = {attr.value.data} if isinstance(attr, FloatAttr) else set()
    divisor = numbers.pop() if len(numbers) == 1 else None
    return isinstance(divisor, float) and divisor >= 1.0 and frexp(divisor)[0] == 0.5


def _replace(
    op: Operation, product: arith.MulfOp | None, result: SSAValue, rewriter: PatternRewriter
) -> None:
    """Replace ``product``, or ``op`` if it is None, by ``result``, and remove the operations that
    become unused.
    """
    result.name_hint = result.name_hint or (product or op).results[0].name_hint
    operands = list(op.operands)
    if product is not None:
        operands += [operand for operand in product.operands if operand.owner is not op]
        rewriter.replace(product, [], [result])
        rewriter.erase(op)
    else:
        rewriter.replace(op, [], [result])
    while operands:
        owner = operands.pop(0).owner
        if isinstance(owner, Operation) and _is_unused(owner):
            operands += owner.operands
            rewriter.erase(owner)


def _is_unused(op: Operation) -> bool:
    is_there = op.parent is not None
    return is_there and isinstance(op, _PURE) and not any(value.uses for value in op.results)


_PURE = (
    arith.AddfOp,
    arith.MulfOp,
    arith.NegfOp,
    arith.CmpfOp,
    arith.SelectOp,
    math.AbsFOp,
    math.ErfOp,
    math.ExpOp,
)
"""The operations that the patterns inspect and may remove."""


def _second(product: arith.MulfOp, factor: SSAValue) -> SSAValue:
    """The factor of ``product`` other than ``factor``."""
    return product.rhs if product.lhs is factor else product.lhs


def _only_product(value: arith.DivfOp | arith.MulfOp) -> arith.MulfOp | None:
    """The product that is the only user of a value, in the same block; None if the value has other
    uses.
    """
    uses = list(value.result.uses)
    user = uses[0].operation if len(uses) == 1 else None
    return user if isinstance(user, arith.MulfOp) and user.parent is value.parent else None


def _beside_constant(value: SSAValue, kind: type[_Sum], number: float) -> SSAValue | None:
    """The operand ``a`` of a sum ``a + number`` or a product ``a * number``; None if ``value`` is
    of another form.
    """
    op = value.owner
    if not isinstance(op, kind):
        return None
    for operand, second in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        constant = _constant(second)
        if constant is not None and constant == _rounded(number, value.type):
            return operand
    return None


def _rounded(number: float, type_: Attribute) -> float:
    """A number rounded to the type of a value."""
    is_single = isinstance(element_of(type_), Float32Type)
    return unpack("f", pack("f", number))[0] if is_single else number


def _parts_of_normal_share(half: arith.MulfOp) -> tuple[math.ErfOp, SSAValue] | None:
    """The error function and the argument of ``(erf(x * sqrt(1/2)) + 1) * 1/2``; None if ``value``
    is of another form.
    """
    total = _beside_constant(half.result, arith.MulfOp, 0.5)
    value = None if total is None else _beside_constant(total, arith.AddfOp, 1.0)
    function = None if value is None else value.owner
    if not isinstance(function, math.ErfOp):
        return None
    x = _beside_constant(function.operand, arith.MulfOp, sqrt(0.5))
    return None if x is None else (function, x)


def _is_cubic_of_gelu(value: SSAValue, x: SSAValue) -> bool:
    """True if ``value`` is ``(x * x * c + b) * x``, twice the argument of tanh in gelu."""
    op = value.owner
    if not isinstance(op, arith.MulfOp) or (op.lhs is not x and op.rhs is not x):
        return False
    slope = 2 * sqrt(2 / pi)
    bend = _beside_constant(_second(op, x), arith.AddfOp, slope)
    square = None if bend is None else _beside_constant(bend, arith.MulfOp, slope * 0.044715)
    if square is None or not isinstance(square.owner, arith.MulfOp):
        return False
    return square.owner.lhs is x and square.owner.rhs is x


def _in_two_numbers(factor: SSAValue, x: SSAValue) -> SSAValue | None:
    """The number v of ``v * (c ? exp(-s) : 1)`` and ``v + (c ? s : 0)``; None if the operands are
    of another form. The product of v and sigmoid(v) is written as these operands if sigmoid(v)
    would be subnormal where c holds, for v far below 0.
    """
    product, total = factor.owner, x.owner
    if not (isinstance(product, arith.MulfOp) and isinstance(total, arith.AddfOp)):
        return None
    number, scale, shift = product.lhs, product.rhs.owner, total.rhs.owner
    if not (isinstance(scale, arith.SelectOp) and isinstance(shift, arith.SelectOp)):
        return None
    deep = scale.cond.owner
    if total.lhs is not number or shift.cond is not scale.cond:
        return None
    if not (isinstance(deep, arith.CmpfOp) and deep.lhs is number):
        return None
    limit, step = _constant(deep.rhs), _constant(shift.lhs)
    power = _constant(scale.lhs)
    if limit is None or step is None or power is None or _constant(scale.rhs) != 1:
        return None
    is_that = (
        deep.predicate.value.data == _OLT
        and limit < -40
        and _constant(shift.rhs) == 0
        and abs(power * exp_of_number(step) - 1) < 1e-6
    )
    return number if is_that else None


def _parts_of_sigmoid(quotient: arith.DivfOp) -> tuple[math.ExpOp, SSAValue] | None:
    """The exponential and the argument of ``(x < 0 ? p : 1) / (1 + p)`` with p = exp(-abs(x)); None
    if the quotient is of another form.
    """
    dividend, divisor = quotient.lhs.owner, quotient.rhs.owner
    if not (isinstance(dividend, arith.SelectOp) and isinstance(divisor, arith.AddfOp)):
        return None
    below, exponential = dividend.cond.owner, dividend.lhs.owner
    if not (isinstance(below, arith.CmpfOp) and isinstance(exponential, math.ExpOp)):
        return None
    negated = exponential.operand.owner
    absolute = negated.operand.owner if isinstance(negated, arith.NegfOp) else None
    if not isinstance(absolute, math.AbsFOp):
        return None
    x, power = absolute.operand, exponential.result
    is_that = (
        (divisor.rhs is power or divisor.lhs is power)
        and _constant(divisor.lhs if divisor.rhs is power else divisor.rhs) == 1
        and _constant(dividend.rhs) == 1
        and below.lhs is x
        and _constant(below.rhs) == 0
        and below.predicate.value.data == _OLT
    )
    return (exponential, x) if is_that else None


_OLT = 4
"""The number of the predicate ``olt``."""


class ExpandExtremum(RewritePattern):
    """Replace a minimum or maximum by the instructions of x86, ``a < b ? a : b`` and ``a > b ? a :
    b``.

    ::

        %c = arith.minimumf %a, %b     ->    (%a < %b ? %a : %b) | (%b < %a ? %b : %a)
        %c = arith.maximumf %a, 0.0    ->    (0.0 > %a ? 0.0 : %a) + 0.0
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.MinimumfOp | arith.MaximumfOp, rewriter: PatternRewriter, /
    ) -> None:
        if not isinstance(element_of(op.result.type), Float32Type | Float64Type):
            return
        if _is_in_kernel(op) or _RELAXED & set(op.fastmath.data):
            return  # the machine computes the remainder in one or two instructions

        def emit(new: Operation) -> None:
            new.location = op.location
            rewriter.insert(new, InsertPoint.before(op))

        code = Code(emit)
        a, b = Real(op.lhs, code), Real(op.rhs, code)
        number = _constant(op.rhs)
        if number is None and (number := _constant(op.lhs)) is not None:
            a, b = b, a
        if isinstance(op, arith.MinimumfOp):
            if number is None or _is_zero(number, -1):
                # Equal numbers have the same bits, but for zeros; any bits and those of NaN are
                # NaN.
                first, second = (a < b).choose(a, b), (b < a).choose(b, a)
                rewriter.replace(op, [], [(first.bits() | second.bits()).bits(a).value])
        elif number is not None and _is_zero(number, 1):
            # -0 + 0 is 0.
            rewriter.replace(op, [], [((b > a).choose(b, a) + 0.0).value])


_RELAXED = {FastMathFlag.NO_NANS, FastMathFlag.NO_SIGNED_ZEROS}


def _is_zero(number: float, sign: int) -> bool:
    return number == 0 and copysign(1, number) == sign


def _constant(value: SSAValue) -> float | None:
    """The number of a constant that is the same in all lanes; None for other values."""
    op = value.owner
    if not isinstance(op, arith.ConstantOp):
        return None
    attribute = op.value
    if isinstance(attribute, FloatAttr):
        return attribute.value.data
    if isinstance(attribute, DenseIntOrFPElementsAttr) and attribute.is_splat():
        number = attribute.get_values()[0]
        return None if isinstance(number, tuple) else float(number)
    return None
