"""The C helper functions that expressions call, and their headers; only used ones are emitted."""

from __future__ import annotations

from kc.codegen.c_source.language import C99, Language

_DIVISION = """\
/* The quotient rounded {words}. */
static inline int64_t kc_{name}(int64_t a, int64_t b) {{
  int64_t q = a / b;
  return a % b != 0 && (a % b < 0) {test} (b < 0) ? q {sign} 1 : q;
}}
"""
_CHOICE = """\
static inline {type} kc_{name}({type} a, {type} b) {{
  return a {sign} b ? a : b;
}}
"""
_EXTREMUM = """\
/* A NaN wins, and -0 is less than 0. */
static inline {type} kc_{which}{suffix}({type} a, {type} b) {{
  if (isnan(a) || isnan(b)) return a + b;
  /* signbit is any number but 0. */
  if (a == b) return !signbit(a) {sign} !signbit(b) ? a : b;
  return a {less} b ? a : b;
}}
"""
_BITS = """\
static inline {to} kc_{to_name}_of_{from_name}({source} value) {{
  {to} bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}}
"""
_ROUND_BF16 = """\
/* A bfloat16, as the bits of one, from the nearest; ties to even. */
static inline uint16_t kc_to_bf16(double value) {
  float near = (float)value;
  uint32_t bits;
  memcpy(&bits, &near, sizeof bits);
  if (isnan(value)) return (uint16_t)((bits >> 16) | 64);
  /* Rounding twice would go wrong at ties: make the float odd where it is not exact. */
  if ((double)near != value && !isinf(near)) {
    if (fabs((double)near) > fabs(value)) bits -= 1;
    bits |= 1;
  }
  bits += 32767 + ((bits >> 16) & 1);
  return (uint16_t)(bits >> 16);
}
"""
_FROM_BF16 = """\
static inline float kc_from_bf16(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
"""
_TO_F16 = """\
/* The bits of the nearest IEEE half; ties to even. */
static inline uint16_t kc_to_f16(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value)) { /* quiet, with its other bits */
    float near = (float)value;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    return (uint16_t)(sign | 0x7e00 | ((bits >> 13) & 511));
  }
  if (size >= 65520.0) return (uint16_t)(sign | 0x7c00);
  int exponent = -14;
  if (size >= 6.103515625e-05) {
    (void)frexp(size, &exponent);
    exponent -= 1;
  }
  double scaled = ldexp(size, 10 - exponent), whole = floor(scaled), rest = scaled - whole;
  int64_t steps = (int64_t)whole;
  if (rest > 0.5 || (rest == 0.5 && steps % 2 != 0)) steps += 1;
  /* A carry runs into the exponent, as it should. */
  return (uint16_t)(sign | (uint16_t)(steps + (int64_t)(exponent + 14) * 1024));
}
"""
_FROM_F16 = """\
static inline float kc_from_f16(uint16_t half) {
  int exponent = (half >> 10) & 31, fraction = half & 1023;
  float size;
  if (exponent == 31) {
    uint32_t bits = 0x7f800000u | (uint32_t)fraction << 13;
    memcpy(&size, &bits, sizeof size);
  }
  else if (exponent == 0) size = ldexpf((float)fraction, -24);
  else size = ldexpf((float)(fraction + 1024), exponent - 25);
  return (half & 0x8000) ? -size : size;
}
"""
_ROUND = """\
static inline float kc_round_{kind}(double value) {{
  return kc_from_{kind}(kc_to_{kind}(value));
}}
"""
_ABS = """\
static inline int64_t kc_absolute(int64_t a) {
  return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
}
"""
_POPCOUNT = """\
static inline int64_t kc_popcount(uint64_t a) {
  int64_t count = 0;
  for (; a != 0; a &= a - 1) count++;
  return count;
}
"""
_CLZ = """\
static inline int64_t kc_clz(uint64_t a, int64_t width) {
  int64_t count = width;
  for (; a != 0; a >>= 1) count--;
  return count;
}
"""
_CTZ = """\
static inline int64_t kc_ctz(uint64_t a, int64_t width) {
  int64_t count = 0;
  if (a == 0) return width;
  for (; (a & 1) == 0; a >>= 1) count++;
  return count;
}
"""
_ALLOC = """\
/* Memory for a buffer; a kernel cannot go on without. */
static inline void *kc_alloc(int64_t size) {
  void *memory = malloc(size > 0 ? (size_t)size : 1);
  if (memory == NULL) abort();
  return memory;
}
"""
_COPY = """\
static inline void kc_copy(void *target, const void *source, int64_t bytes) {
  if (bytes > 0) memcpy(target, source, (size_t)bytes);
}
"""
_THREADS = """\
#ifdef _OPENMP
#include <omp.h>
#endif
static inline int64_t kc_{name}(void) {{
#ifdef _OPENMP
  return {function}();
#else
  return {alone};
#endif
}}
"""
_CEILDIVU = """\
static inline uint64_t kc_ceildivu(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}
"""

# Name -> (text, headers, called helpers).
_HELPERS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "kc_floordiv": (
        _DIVISION.format(name="floordiv", words="down", test="!=", sign="-"), (), ()
    ),
    "kc_ceildiv": (_DIVISION.format(name="ceildiv", words="up", test="==", sign="+"), (), ()),
    "kc_ceildivu": (_CEILDIVU, (), ()),
    "kc_min": (_CHOICE.format(type="int64_t", name="min", sign="<"), (), ()),
    "kc_max": (_CHOICE.format(type="int64_t", name="max", sign=">"), (), ()),
    "kc_minu": (_CHOICE.format(type="uint64_t", name="minu", sign="<"), (), ()),
    "kc_maxu": (_CHOICE.format(type="uint64_t", name="maxu", sign=">"), (), ()),
    "kc_absolute": (_ABS, (), ()),
    "kc_popcount": (_POPCOUNT, (), ()),
    "kc_clz": (_CLZ, (), ()),
    "kc_ctz": (_CTZ, (), ()),
    "kc_alloc": (_ALLOC, ("stdlib.h",), ()),
    "kc_copy": (_COPY, ("string.h",), ()),
    "kc_num_threads": (
        _THREADS.format(name="num_threads", function="omp_get_max_threads", alone=1), (), ()
    ),
    "kc_thread_number": (
        _THREADS.format(name="thread_number", function="omp_get_thread_num", alone=0), (), ()
    ),
    "kc_to_f16": (_TO_F16, ("math.h", "string.h"), ()),
    "kc_from_f16": (_FROM_F16, ("math.h", "string.h"), ()),
    "kc_to_bf16": (_ROUND_BF16, ("math.h", "string.h"), ()),
    "kc_from_bf16": (_FROM_BF16, ("string.h",), ()),
    "kc_round_f16": (_ROUND.format(kind="f16"), (), ("kc_to_f16", "kc_from_f16")),
    "kc_round_bf16": (_ROUND.format(kind="bf16"), (), ("kc_to_bf16", "kc_from_bf16")),
    "kc_f16_of_int16": (
        "static inline float kc_f16_of_int16(int16_t bits) {\n"
        "  return kc_from_f16((uint16_t)bits);\n}\n", (), ("kc_from_f16",)
    ),
    "kc_int16_of_f16": (
        "static inline int16_t kc_int16_of_f16(float value) {\n"
        "  return (int16_t)kc_to_f16(value);\n}\n", (), ("kc_to_f16",)
    ),
    "kc_bf16_of_int16": (
        "static inline float kc_bf16_of_int16(int16_t bits) {\n"
        "  return kc_from_bf16((uint16_t)bits);\n}\n", (), ("kc_from_bf16",)
    ),
    "kc_int16_of_bf16": (
        "static inline int16_t kc_int16_of_bf16(float value) {\n"
        "  return (int16_t)kc_to_bf16(value);\n}\n", (), ("kc_to_bf16",)
    ),
}  # fmt: skip
for _source, _to in (("int32_t", "float"), ("int64_t", "double")):
    for _a, _b in ((_source, _to), (_to, _source)):
        _names = (_b.removesuffix("_t"), _a.removesuffix("_t"))
        _text = _BITS.format(to=_b, to_name=_names[0], source=_a, from_name=_names[1])
        _HELPERS[f"kc_{_names[0]}_of_{_names[1]}"] = (_text, ("string.h",), ())
for _kind, _suffix in (("float", "f"), ("double", "")):
    for _which, _sign, _less in (("minimum", "<", "<"), ("maximum", ">", ">")):
        _HELPERS[f"kc_{_which}{_suffix}"] = (
            _EXTREMUM.format(type=_kind, which=_which, suffix=_suffix, sign=_sign, less=_less),
            ("math.h",),
            (),
        )


class Helpers:
    """The headers and helper functions that a file needs."""

    def __init__(self, language: Language = C99) -> None:
        self.language = language
        self._used: dict[str, str] = {}
        self.headers = {"stdbool.h", "stdint.h"}

    def include(self, header: str) -> None:
        """Ask for a header."""
        self.headers.add(header)

    def use(self, name: str) -> str:
        """Ask for a helper function; its name."""
        if name not in self._used:
            text, headers, needs = _HELPERS.get(name, ("", (), ()))
            if name in self.language.helpers:
                text, headers, needs = self.language.helpers[name], (), ()
            for helper in needs:
                self.use(helper)
            self.headers.update(headers)
            self._used[name] = text.replace(C99.helper, self.language.helper)
        return name

    def text(self) -> str:
        """The includes and the functions."""
        return "\n".join([self.language.head(self.headers), *self._used.values()])
