"""Conversions of half and bfloat that x86 code calls on CPUs without instructions for them.

LLVM calls them by the names of compiler-rt. Systems differ in the library that provides them, and
in the register of a half, so kc provides its own as LLVM IR: compiled by the same LLVM, they match
their callers. They round once, to nearest, ties to even.
"""

from __future__ import annotations

# The bits of a float type: of its mantissa, and the bias of its exponent.
_FORMATS = {"half": (10, 15), "bfloat": (7, 127)}

_TRUNCATE = """
define internal i16 @to_{name}(double %value) {{
  %bits = bitcast double %value to i64
  %sign64 = lshr i64 %bits, 48
  %sign = and i64 %sign64, 32768
  %abs = and i64 %bits, 9223372036854775807
  ; In the normal range: move the exponent's bias and drop {dropped} bits of the mantissa.
  %rebased = sub i64 %abs, {rebase}
  %exponent = lshr i64 %abs, 52
  ; Below it: shift the mantissa with its leading one; what falls out makes the result inexact.
  %fraction = and i64 %abs, 4503599627370495
  %significand = or i64 %fraction, 4503599627370496
  %distance = sub i64 {subnormal}, %exponent
  %far = icmp ugt i64 %distance, 54
  %shift = select i1 %far, i64 54, i64 %distance
  %kept = lshr i64 %significand, %shift
  %back = shl i64 %kept, %shift
  %lost = icmp ne i64 %back, %significand
  %sticky = zext i1 %lost to i64
  %denormal = or i64 %kept, %sticky
  %small = icmp ult i64 %abs, {smallest}
  %number = select i1 %small, i64 %denormal, i64 %rebased
  ; Round to nearest, ties to even; a carry runs into the exponent, as it should.
  %odd64 = lshr i64 %number, {dropped}
  %odd = and i64 %odd64, 1
  %bias = add i64 %odd, {below_half}
  %rounded = add i64 %number, %bias
  %finite = lshr i64 %rounded, {dropped}
  ; Infinity, and NaN with the top of its payload, made quiet.
  %payload = lshr i64 %fraction, {dropped}
  %nan = or i64 %payload, {quiet}
  %is_nan = icmp ugt i64 %abs, 9218868437227405312
  %special = select i1 %is_nan, i64 %nan, i64 {infinity}
  %overflows = icmp uge i64 %abs, {overflow}
  %magnitude = select i1 %overflows, i64 %special, i64 %finite
  %all = or i64 %sign, %magnitude
  %result = trunc i64 %all to i16
  ret i16 %result
}}
define {name} @__truncdf{short}2(double %value) {{
  %bits = call i16 @to_{name}(double %value)
  %result = bitcast i16 %bits to {name}
  ret {name} %result
}}
define {name} @__truncsf{short}2(float %value) {{
  %wide = fpext float %value to double
  %bits = call i16 @to_{name}(double %wide)
  %result = bitcast i16 %bits to {name}
  ret {name} %result
}}
"""

_EXTEND = """
define float @__extendhfsf2(half %value) {
  %bits = bitcast half %value to i16
  %wide = zext i16 %bits to i32
  %sign16 = and i32 %wide, 32768
  %sign = shl i32 %sign16, 16
  %abs = and i32 %wide, 32767
  %shifted = shl i32 %abs, 13
  ; Normal numbers move from bias 15 to 127; infinity and NaN get the largest exponent.
  %normal = add i32 %shifted, 939524096
  %special = or i32 %shifted, 2139095040
  %is_special = icmp uge i32 %abs, 31744
  ; Subnormal ones are multiples of 2 to the -24.
  %count = uitofp i32 %abs to float
  %tiny = fmul float %count, 0x3E70000000000000
  %subnormal = bitcast float %tiny to i32
  %is_small = icmp ult i32 %abs, 1024
  %finite = select i1 %is_small, i32 %subnormal, i32 %normal
  %magnitude = select i1 %is_special, i32 %special, i32 %finite
  %all = or i32 %sign, %magnitude
  %result = bitcast i32 %all to float
  ret float %result
}
"""

NAMES = (
    "__extendhfsf2",
    "__truncdfbf2",
    "__truncdfhf2",
    "__truncsfbf2",
    "__truncsfhf2",
)


def conversions_ir() -> str:
    """LLVM IR that defines the functions of :data:`NAMES`."""
    text = _EXTEND
    for name, (mantissa, bias) in _FORMATS.items():
        dropped = 52 - mantissa
        text += _TRUNCATE.format(
            name=name,
            short="hf" if name == "half" else "bf",
            dropped=dropped,
            rebase=(1023 - bias) << 52,
            subnormal=1023 - bias + 1,
            smallest=(1023 - bias + 1) << 52,
            overflow=(1023 + bias + 1) << 52,
            below_half=(1 << (dropped - 1)) - 1,
            infinity=(2 * bias + 1) << mantissa,
            quiet=(2 * bias + 1) << mantissa | 1 << (mantissa - 1),
        )
    return text
