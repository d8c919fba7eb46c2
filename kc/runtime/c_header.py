"""The C header of compiled kernels, for C programs that call them."""

from __future__ import annotations

from kc.runtime.hooks import hook_declarations
from kc.runtime.metadata import ModuleRecord
from kc.runtime.signature import ArgSpec, Signature
from kc.support.c_names import c_words, in_comment, is_reserved, to_identifier
from kc.support.fresh_names import fresh_name

_TYPES = {
    "bool": "bool",
    "float8_e4m3fn": "uint8_t",
    "float8_e5m2": "uint8_t",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
}
_SHORT_SCALARS = {"float16": "_Float16", "bfloat16": "__bf16"}


def c_header(record: ModuleRecord, name: str) -> str:
    """The header, for C99 and C++; ``name`` is the file's."""
    guard = to_identifier(name).upper()
    if not guard or guard[0].isdigit() or is_reserved(guard):
        guard = f"KC_{guard}"
    declared = "\n".join(
        _declaration(symbol, signature)
        for symbol, signature in zip(record.symbols, record.functions, strict=True)
    )
    hooks = hook_declarations(record.packed)
    hooks = f"\n{hooks}" if hooks else ""
    return f"""\
/* Kernels compiled by kc {record.version} for {in_comment(record.target)}.
   Arrays are dense, row by row, unless they have strides. An array that is written shares no byte
   with another argument.
   Nothing is checked here. */
#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stdint.h>

#if defined(__cplusplus)
#define KC_RESTRICT __restrict
extern "C" {{
#else
#define KC_RESTRICT restrict
#endif

{declared}{hooks}
#if defined(__cplusplus)
}}
#endif
#undef KC_RESTRICT

#endif
"""


def _declaration(symbol: str, signature: Signature) -> str:
    """A prototype, with a comment that describes each argument."""
    taken = {*c_words(), symbol, "KC_RESTRICT"}
    parameters: list[str] = []
    about: list[str] = []
    for spec in signature.args:
        name = _fresh(spec.name, taken)
        if not spec.is_array:
            kind = _SHORT_SCALARS.get(spec.dtype) or _c_type(spec)
            parameters.append(f"{kind} {name}")
            continue
        const = "" if spec.written else "const "
        parameters.append(f"{const}{_c_type(spec)} *KC_RESTRICT {name}")
        parameters += [f"int64_t {_fresh(f'{name}_dim{d}', taken)}" for d in spec.dynamic]
        strides = [f"int64_t {_fresh(f'{name}_stride{d}', taken)}" for d in spec.dynamic_strides]
        parameters += strides
        about.append(f"   {name}: {_shown(spec)}")
    about += [f"   required: {condition}" for condition in signature.requires]
    comment = "\n".join([f"/* {in_comment(signature.name)}", *map(in_comment, about)]) + " */"
    inside = ",\n    ".join(parameters) or "void"
    return f"{comment}\nvoid {symbol}(\n    {inside});\n"


def _shown(spec: ArgSpec) -> str:
    sizes = "".join(f"[{size}]" for size in map(str, spec.shape))
    role = {"in": "read", "out": "written", "inout": "read and written"}[spec.role]
    aligned = f", at a multiple of {spec.alignment} bytes" if spec.alignment > 1 else ""
    strides = ""
    if spec.strides is not None:
        strides = f", neighbours {' and '.join(map(str, spec.strides))} elements apart"
    return f"{spec.dtype}{sizes}, {role}{aligned}{strides}"


def _c_type(spec: ArgSpec) -> str:
    return _TYPES.get(spec.dtype) or f"{spec.dtype}_t"


def _fresh(name: str, taken: set[str]) -> str:
    base = to_identifier(name)
    base = f"arg{base}" if not base or base[0].isdigit() or is_reserved(base) else base
    return fresh_name(base, taken)
