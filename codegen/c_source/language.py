"""Names and types in C99 and similar languages.

A :class:`Language` answers the questions of the printers of expressions and functions. C99 is the
base class; the GPU languages (``kc.codegen.gpu_source``) override the differences.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute

from kc.support.c_names import c_words


class Language:
    """C99: names of types, functions and constants, and words that cannot be names."""

    name = "c"
    """The name of the format in diagnostics."""
    title = "C"
    types = "C has integers of 8, 16, 32 and 64 bits, float and double, and no vectors"
    elements = "arrays are dense, of integers of 8, 16, 32 or 64 bits, float, double"
    code = "the C target supports loops, branches, buffers and scalar arithmetic"
    words: frozenset[str] = c_words()
    """Reserved words, which no variable or function may have as its name."""
    functions: Mapping[str, str] = {}
    """Functions of math.h with another name in the language."""
    helpers: Mapping[str, str] = {}
    """Helper functions with another text in the language."""
    helper = "static inline"
    """The prefix of a helper function."""
    table = "static const"
    """The prefix of a constant table."""

    def register_type(self, kind: Attribute) -> str | None:
        """The type of a value in a register; None if there is none."""
        if isinstance(kind, IndexType):
            return "int64_t"
        if isinstance(kind, IntegerType):
            width = kind.width.data
            if width == 1:
                return "bool"
            return f"int{width}_t" if width in (8, 16, 32, 64) else None
        if isinstance(kind, Float64Type):
            return "double"
        if isinstance(kind, Float32Type | Float16Type | BFloat16Type):
            return "float"
        if isinstance(kind, Float8E4M3FNType | Float8E5M2Type):
            return "int8_t"  # its bits: legalize-narrow-floats removes arithmetic on it
        return None

    def memory_type(self, kind: Attribute) -> str | None:
        """The type of an element in memory; None if there is none."""
        if isinstance(kind, Float16Type | BFloat16Type):
            return "uint16_t"
        return self.register_type(kind)

    def short_float(self, kind: Attribute) -> str | None:
        """``f16`` or ``bf16``, for the types that are computed as ``float``."""
        if isinstance(kind, Float16Type):
            return "f16"
        return "bf16" if isinstance(kind, BFloat16Type) else None

    def math_function(self, name: str, kind: Attribute) -> str:
        """The name of the math.h function ``name`` for numbers of type ``kind``."""
        return name if isinstance(kind, Float64Type) else f"{name}f"

    def question(self, name: str, kind: Attribute) -> str:
        """The name of the classification macro ``name`` of math.h."""
        del kind
        return name

    def conversion(self, source: Attribute, target: Attribute) -> str | None:
        """The helper that converts a float; None if a cast does."""
        del source, target
        return None

    def special(self, text: str, kind: Attribute) -> str:
        """``NAN`` or ``INFINITY``, as a constant of type ``kind``."""
        del kind
        return text

    def head(self, headers: set[str]) -> str:
        """The beginning of a file."""
        return "".join(f"#include <{header}>\n" for header in sorted(headers))


C99 = Language()
