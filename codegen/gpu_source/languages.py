"""CUDA C++, OpenCL C and the Metal Shading Language, as far as kernels use them.

Integers have the names of C99 in all three: headers or definitions at the head of the source give
them. ``half`` and bfloat16 are their bits in registers; ``legalize-narrow-floats`` has left nothing
but loads, stores, selections, and conversions between ``f16`` and ``f32``.

Vectors that a language has (``float4``) are used as such. It has no others: those are structs of an
array, ``kc_float16``, which the source defines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float64Type,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute

from kc.codegen.c_source.language import C99, Language
from kc.dialects.gpu import ShuffleMode

GLOBAL, SHARED, PRIVATE, CONSTANT = "global", "shared", "private", "constant"
"""Address spaces: of the device, of a block, of a thread, and of constant tables."""

_CPP_WORDS = (
    "alignas alignof and and_eq asm bitand bitor catch char16_t char32_t class compl const_cast "
    "constexpr decltype delete dynamic_cast explicit export false friend mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast "
    "static_assert static_cast template this thread_local throw true try typeid typename using "
    "virtual wchar_t xor xor_eq"
)
_SCALARS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float",
            "double", "bool", "longlong", "ulonglong")  # fmt: skip
_VECTORS = frozenset(f"{scalar}{lanes}" for scalar in _SCALARS for lanes in ("", 1, 2, 3, 4, 8, 16))
_MATH = frozenset(
    "sqrt rsqrt exp exp2 exp10 expm1 log log2 log10 log1p pow fma fmod fabs fmin fmax copysign "
    "ceil floor rint round trunc sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh "
    "erf erfc cbrt isnan isinf isfinite isnormal signbit min max clamp select dot cross length "
    "distance normalize mix step sign any all barrier printf abs mad".split()
)

_QUESTION = """\
static inline bool kc_{name}({type} a, {type} b) {{
  return {test};
}}
"""
_QUESTIONS = {
    f"kc_{name}{suffix}": _QUESTION.format(name=name + suffix, type=type_, test=test)
    for name, test in (("unordered", "isnan(a) || isnan(b)"), ("lessgreater", "a < b || a > b"))
    for type_, suffix in (("float", "f"), ("double", ""))
}


@dataclass(frozen=True)
class VectorForm:
    """The syntax of a vector type: its name, its constructor, and its lanes."""

    name: str
    opening: str
    closing: str
    lanes: tuple[str, ...]
    definition: str = ""
    """The definition of a type that the language lacks."""
    cast: str = ""
    """The type that lanes are cast to. C++ refuses an int as the initialiser of a shorter
    element.
    """

    def construct(self, lanes: Sequence[str]) -> str:
        """The constructor call with these lanes."""
        if self.cast:
            lanes = [f"({self.cast})({lane})" for lane in lanes]
        return f"{self.opening}{', '.join(lanes)}{self.closing}"

    @property
    def is_native(self) -> bool:
        """True if the language has the type."""
        return not self.definition


class GpuLanguage(Language):
    """The common base of GPU languages. An instance serves one source, and records the features
    that it uses.
    """

    types = "it has integers of 8, 16, 32 and 64 bits, float and double, and vectors of these"
    code = "kernels have loops, branches, buffers, arithmetic, barriers and shuffles"
    kernel = ""
    """The prefix of a kernel."""
    restrict = ""
    spaces: Mapping[str, str] = {}
    """The prefix of a pointer to each address space."""
    overloads_vectors = False
    """True if operators and functions accept vectors."""
    barrier_text: tuple[str, str] = ("", "")
    """A barrier for memory of the block alone, and for that of the device also."""

    def __init__(self) -> None:
        self.uses_double = False
        self.vectors: dict[str, VectorForm] = {}
        self.features: set[str] = set()
        self.contracts = True
        """True if all products may be fused with sums."""

    # Types

    def register_type(self, kind: Attribute) -> str | None:
        if isinstance(kind, VectorType):
            form = self.vector(kind)
            return None if form is None else form.name
        if isinstance(kind, Float16Type | BFloat16Type):
            return "int16_t"
        if isinstance(kind, Float64Type):
            self.uses_double = True
        return super().register_type(kind)

    def memory_type(self, kind: Attribute) -> str | None:
        return self.register_type(kind)

    def short_float(self, kind: Attribute) -> str | None:
        return None

    def math_function(self, name: str, kind: Attribute) -> str:
        return name

    def question(self, name: str, kind: Attribute) -> str:
        if name in ("isunordered", "islessgreater"):
            return f"kc_{name[2:]}{'' if isinstance(kind, Float64Type) else 'f'}"
        return name

    def conversion(self, source: Attribute, target: Attribute) -> str | None:
        names = (str(source), str(target))
        if names not in (("f16", "f32"), ("f32", "f16")):
            return None
        self.features.add("half")
        return "kc_from_f16" if names[0] == "f16" else "kc_to_f16"

    def vector(self, kind: VectorType) -> VectorForm | None:
        """The syntax of a vector type; None if it cannot be written."""
        element = self.memory_type(kind.element_type)
        if len(kind.get_shape()) != 1 or element is None:
            return None
        form = self.native_vector(element, kind.element_count())
        if form is None:
            form = self._struct(element, kind.element_count())
            self.vectors[form.name] = form
        return form

    def native_vector(self, element: str, lanes: int) -> VectorForm | None:
        """A vector that the language has."""
        raise NotImplementedError

    def _struct(self, element: str, lanes: int) -> VectorForm:
        name = f"kc_{element.removesuffix('_t')}x{lanes}"
        size = lanes * ELEMENT_BYTES[element]
        alignment = self.aligned(min(size, 16)) if size & (size - 1) == 0 else ""
        definition = f"typedef struct {alignment}{{\n  {element} at[{lanes}];\n}} {name};\n"
        opening, closing = self.struct_literal(name)
        places = tuple(f".at[{n}]" for n in range(lanes))
        cast = element if element in ("bool", "int8_t", "uint8_t", "int16_t") else ""
        return VectorForm(name, opening, closing, places, definition, cast)

    def aligned(self, size: int) -> str:
        """The words that a struct is aligned with."""
        raise NotImplementedError

    def struct_literal(self, name: str) -> tuple[str, str]:
        """The text before and after the lanes of a struct."""
        return f"{name}{{{{", "}}"

    # Kernels

    counts_from_begin = False
    """True if a part of an array is passed as the array and the number of its first element."""

    def parameter(
        self,
        element: str,
        name: str,
        n: int,
        space: str,
        *,
        is_written: bool,
        is_alone: bool = True,
    ) -> str:
        """A buffer as parameter number ``n``. ``is_alone``: it overlaps no other parameter."""
        const = "" if is_written else "const "
        space = f"{self.spaces[space]} " if self.spaces[space] else ""
        restrict = f"{self.restrict} " if self.restrict and is_alone else ""
        return f"{space}{const}{element} *{restrict}{name}"

    def scalar(self, type_: str, name: str, n: int) -> str:
        """A scalar as parameter number ``n``."""
        return f"{type_} {name}"

    def extra_parameters(self, numbers: Sequence[str]) -> list[str]:
        """Parameters for the numbers of threads and blocks that the kernel reads."""
        return []

    def bounds(self, threads: Sequence[int] | None) -> str:
        """The attribute that declares the number of threads of a block."""
        raise NotImplementedError

    def heading(self, bounds: str) -> list[str]:
        """The words in front of a kernel's name."""
        return [self.kernel, bounds]

    def number(self, what: str, axis: str) -> str:
        """``thread_id``, ``block_id``, ``block_dim`` or ``grid_dim`` along an axis."""
        raise NotImplementedError

    def shared_array(self, element: str, name: str, count: int) -> str:
        """The declaration of memory of a block."""
        return f"{self.spaces[SHARED]} {element} {name}[{count}];"

    def dynamic_parameter(self, name: str, n: int) -> list[str]:
        """The parameter for dynamic shared memory."""
        return [self.parameter("uint8_t", name, n, SHARED, is_written=True)]

    def dynamic_declaration(self, name: str) -> list[str]:
        """The declaration of dynamic shared memory, if it is no parameter."""
        return []

    has_wide_updates = True
    """True if the language has atomic updates of 64 bits."""
    bits: tuple[tuple[str, str], tuple[str, str]]
    """The functions from ``float`` to its bits and back, and those for ``double``."""

    def atomic(self, update: str, type_: str, space: str, place: str, value: str) -> str:
        """An atomic update of the integer at ``place``, an ``int``, ``uint``, ``long`` or ``ulong``
        in address space ``space``, named as in LLVM's ``atomicrmw``. The expression is the old
        value.
        """
        raise NotImplementedError

    def exchange(self, space: str, place: str, seen: str, new: str, *, is_wide: bool) -> list[str]:
        """A loop that writes the bits ``new`` to ``place`` if the bits ``seen`` are there.
        Otherwise it reloads ``seen``, from which ``new`` is computed, and tries again.
        """
        raise NotImplementedError

    def shuffle(
        self, mode: ShuffleMode, value: str, offset: str, width: int, warp: int, kind: str
    ) -> str | None:
        """The value of another lane; None if groups of ``width`` lanes cannot shuffle
        separately.
        """
        raise NotImplementedError


ELEMENT_BYTES = {
    "bool": 1, "uint8_t": 1, "int8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "int64_t": 8,
    "float": 4, "double": 8,
}  # fmt: skip
_BASES = {"bool": "char", "uint8_t": "uchar", "int8_t": "char", "int16_t": "short",
          "int32_t": "int", "int64_t": "long", "float": "float", "double": "double"}  # fmt: skip
_XYZW = (".x", ".y", ".z", ".w")


def _reinterpreting(function: Mapping[str, str]) -> dict[str, str]:
    """Helpers that reinterpret bits as another type by the functions ``function``."""
    helpers: dict[str, str] = {}
    for whole, real in (("int32", "float"), ("int64", "double")):
        for source, target in ((whole, real), (real, whole)):
            types = [name + "_t" * name.startswith("int") for name in (source, target)]
            helpers[f"kc_{target}_of_{source}"] = (
                f"static inline {types[1]} kc_{target}_of_{source}({types[0]} value) {{\n"
                f"  return {function[target]}(value);\n}}\n"
            )
    for short in ("f16", "bf16"):  # the bits already
        for source, target in (("int16", short), (short, "int16")):
            helpers[f"kc_{target}_of_{source}"] = ""
    return helpers


def _halves(widened: str, narrowed: str) -> dict[str, str]:
    """Helpers that convert between f16 bits and float."""
    return {
        "kc_from_f16": f"static inline float kc_from_f16(int16_t bits) {{\n  {widened}\n}}\n",
        "kc_to_f16": "/* The nearest; ties to even. */\n"
        f"static inline int16_t kc_to_f16(float value) {{\n  {narrowed}\n}}\n",
    }


_BFLOATS = {
    "kc_from_bf16": """\
static inline float kc_from_bf16(int16_t bits) {
  return __int_as_float((int)((unsigned)(unsigned short)bits << 16));
}
""",
    "kc_to_bf16": """\
/* The nearest; ties to even. */
static inline int16_t kc_to_bf16(float value) {
  unsigned bits = (unsigned)__float_as_int(value);
  if (value != value) return (int16_t)((bits >> 16) | 64);
  bits += 32767u + ((bits >> 16) & 1u);
  return (int16_t)(bits >> 16);
}
""",
}
"""The helpers that convert bf16 by integer arithmetic: not all GPUs have instructions."""


def _compare_and_swap(seen: str, swapped: str, word: str) -> list[str]:
    """A retry loop around an exchange that returns the previous ``word``."""
    before = f"kc_before_{seen}"  # no name of the program begins so
    return [
        f"{word} {before};",
        "do {",
        f"  {before} = {seen};",
        f"  {seen} = {swapped};",
        f"}} while ({seen} != {before});",
    ]


class Cuda(GpuLanguage):
    """CUDA C++, for nvcc, NVRTC and clang."""

    name, title = "cuda", "CUDA C++"
    words = C99.words | _VECTORS | _MATH | frozenset(
        f"{_CPP_WORDS} threadIdx blockIdx blockDim gridDim warpSize dim3 asm half __half".split()
    )  # fmt: skip
    helper = "static __device__ inline"
    table = "static __device__ const"
    kernel = 'extern "C" __global__ void'
    restrict = "__restrict__"
    spaces: Mapping[str, str] = {GLOBAL: "", SHARED: "", PRIVATE: "", CONSTANT: ""}
    barrier_text = ("__syncthreads();", "__syncthreads();")
    helpers: Mapping[str, str] = {
        **_QUESTIONS,
        **_reinterpreting(
            {
                "float": "__int_as_float",
                "int32": "__float_as_int",
                "double": "__longlong_as_double",
                "int64": "__double_as_longlong",
            }
        ),
        **_halves(
            "return __half2float(__ushort_as_half((unsigned short)bits));",
            "return (int16_t)__half_as_ushort(__float2half_rn(value));",
        ),
        **_BFLOATS,
    }

    bits = (
        ("__float_as_uint", "__uint_as_float"),
        ("(unsigned long long)__double_as_longlong", "__longlong_as_double"),
    )
    _UPDATES: Mapping[str, str] = {
        "add": "atomicAdd", "and": "atomicAnd", "or": "atomicOr", "xor": "atomicXor",
        "max": "atomicMax", "min": "atomicMin", "xchg": "atomicExch",
    }  # fmt: skip
    _KINDS: Mapping[str, str] = {
        "int": "int", "uint": "unsigned int", "long": "long long", "ulong": "unsigned long long",
    }  # fmt: skip

    def atomic(self, update: str, type_: str, space: str, place: str, value: str) -> str:
        del space
        if type_ == "long" and update not in ("max", "min"):
            type_ = "ulong"  # only these two support 64-bit signed integers
        kind = self._KINDS[type_]
        return f"{self._UPDATES[update]}(({kind} *)&{place}, ({kind}){value})"

    def exchange(self, space: str, place: str, seen: str, new: str, *, is_wide: bool) -> list[str]:
        del space
        kind = self._KINDS["ulong" if is_wide else "uint"]
        swapped = f"atomicCAS(({kind} *)&{place}, kc_before_{seen}, {new})"
        return _compare_and_swap(seen, swapped, "uint64_t" if is_wide else "uint32_t")

    def math_function(self, name: str, kind: Attribute) -> str:
        return C99.math_function(name, kind)

    def conversion(self, source: Attribute, target: Attribute) -> str | None:
        if (str(source), str(target)) in (("bf16", "f32"), ("f32", "bf16")):
            return "kc_from_bf16" if str(source) == "bf16" else "kc_to_bf16"
        return super().conversion(source, target)

    def special(self, text: str, kind: Attribute) -> str:
        if isinstance(kind, Float64Type):
            bits = "0x7ff0" if text == "INFINITY" else "0x7ff8"
            return f"__longlong_as_double({bits}000000000000LL)"
        return f"__int_as_float({'0x7f800000' if text == 'INFINITY' else '0x7fc00000'})"

    def native_vector(self, element: str, lanes: int) -> VectorForm | None:
        size = ELEMENT_BYTES[element] * lanes
        if lanes not in (2, 3, 4) or size > 16 and lanes > 2:
            return None
        base = "longlong" if element == "int64_t" else _BASES[element]
        name = f"{base}{lanes}"
        return VectorForm(name, f"make_{name}(", ")", _XYZW[:lanes])

    def aligned(self, size: int) -> str:
        return f"__align__({size}) "

    def bounds(self, threads: Sequence[int] | None) -> str:
        if threads is None:
            return ""
        return f"__launch_bounds__({threads[0] * threads[1] * threads[2]})"

    def number(self, what: str, axis: str) -> str:
        names = {"thread_id": "threadIdx", "block_id": "blockIdx", "block_dim": "blockDim",
                 "grid_dim": "gridDim"}  # fmt: skip
        return f"{names[what]}.{axis}"

    def shared_array(self, element: str, name: str, count: int) -> str:
        return f"__shared__ __align__(16) {element} {name}[{count}];"

    def dynamic_parameter(self, name: str, n: int) -> list[str]:
        return []

    def dynamic_declaration(self, name: str) -> list[str]:
        return [f"extern __shared__ __align__(16) uint8_t {name}[];"]

    def shuffle(
        self, mode: ShuffleMode, value: str, offset: str, width: int, warp: int, kind: str
    ) -> str | None:
        name = {ShuffleMode.XOR: "_xor", ShuffleMode.UP: "_up", ShuffleMode.DOWN: "_down"}
        return f"__shfl{name.get(mode, '')}_sync(0xffffffff, {value}, {offset}, {width})"

    def head(self, headers: set[str]) -> str:
        note = "" if self.contracts else "/* To be compiled with -fmad=false. */\n"
        half = "#include <cuda_fp16.h>\n" if "half" in self.features else ""
        return (
            f"{note}{half}#ifdef __CUDACC_RTC__\n"
            "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\n"
            "typedef short int16_t;\ntypedef unsigned short uint16_t;\n"
            "typedef int int32_t;\ntypedef unsigned int uint32_t;\n"
            "typedef long long int64_t;\ntypedef unsigned long long uint64_t;\n"
            "#define INT64_C(x) x##LL\n#define INT64_MIN (-9223372036854775807LL - 1)\n"
            "#else\n#include <stdint.h>\n#endif\n"
        )


class OpenCl(GpuLanguage):
    """OpenCL C 1.2."""

    name, title = "opencl", "OpenCL C"
    words = C99.words | _VECTORS | _MATH | frozenset(
        "kernel __kernel global __global local __local constant __constant private __private "
        "generic read_only write_only read_write event_t image1d_t image2d_t image3d_t sampler_t "
        "pipe uniform size_t ptrdiff_t intptr_t uintptr_t half quad".split()
    )  # fmt: skip
    table = "__constant"
    kernel = "__kernel"
    restrict = "restrict"
    overloads_vectors = True
    counts_from_begin = True
    spaces: Mapping[str, str] = {
        GLOBAL: "__global", SHARED: "__local", PRIVATE: "__private", CONSTANT: "__constant",
    }  # fmt: skip
    barrier_text = (
        "barrier(CLK_LOCAL_MEM_FENCE);",
        "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    )
    functions: Mapping[str, str] = {"nearbyint": "rint"}
    helpers: Mapping[str, str] = {
        **_QUESTIONS,
        **_reinterpreting(
            {"float": "as_float", "int32": "as_int", "double": "as_double", "int64": "as_long"}
        ),
        **_halves(
            "return vload_half(0, (const __private half *)&bits);",
            "int16_t bits;\n  vstore_half_rte(value, 0, (__private half *)&bits);\n  return bits;",
        ),
    }

    bits = (("as_uint", "as_float"), ("as_ulong", "as_double"))

    def atomic(self, update: str, type_: str, space: str, place: str, value: str) -> str:
        prefix = "atomic"
        if type_.endswith("long"):
            prefix = "atom"
            is_base = update in ("add", "xchg")
            self.features.add(f"cl_khr_int64_{'base' if is_base else 'extended'}_atomics")
        pointer = f"(volatile {self.spaces[space]} {type_} *)&{place}"
        return f"{prefix}_{update}({pointer}, ({type_}){value})"

    def exchange(self, space: str, place: str, seen: str, new: str, *, is_wide: bool) -> list[str]:
        type_, function = ("ulong", "atom_cmpxchg") if is_wide else ("uint", "atomic_cmpxchg")
        if is_wide:
            self.features.add("cl_khr_int64_base_atomics")
        pointer = f"(volatile {self.spaces[space]} {type_} *)&{place}"
        swapped = f"{function}({pointer}, kc_before_{seen}, {new})"
        return _compare_and_swap(seen, swapped, "uint64_t" if is_wide else "uint32_t")

    def memory_type(self, kind: Attribute) -> str | None:
        """The memory type. Booleans have no defined size in OpenCL C, so they are bytes in
        memory.
        """
        is_bool = isinstance(kind, IntegerType) and kind.width.data == 1
        return "uint8_t" if is_bool else self.register_type(kind)

    def native_vector(self, element: str, lanes: int) -> VectorForm | None:
        if lanes not in (2, 3, 4, 8, 16):
            return None
        name = f"{_BASES[element]}{lanes}"
        places = _XYZW[:lanes] if lanes <= 4 else tuple(f".s{n:x}" for n in range(lanes))
        return VectorForm(name, f"({name})(", ")", places)

    def aligned(self, size: int) -> str:
        return f"__attribute__((aligned({size}))) "

    def struct_literal(self, name: str) -> tuple[str, str]:
        return f"({name}){{{{", "}}"

    def bounds(self, threads: Sequence[int] | None) -> str:
        if threads is None:
            return "void"
        return f"__attribute__((reqd_work_group_size({', '.join(map(str, threads))}))) void"

    def number(self, what: str, axis: str) -> str:
        names = {"thread_id": "get_local_id", "block_id": "get_group_id",
                 "block_dim": "get_local_size", "grid_dim": "get_num_groups"}  # fmt: skip
        return f"{names[what]}({'xyz'.index(axis)})"

    def shared_array(self, element: str, name: str, count: int) -> str:
        return f"__local {element} {name}[{count}] __attribute__((aligned(16)));"

    def shuffle(
        self, mode: ShuffleMode, value: str, offset: str, width: int, warp: int, kind: str
    ) -> str | None:
        self.features.add("shuffle")
        lane, own = f"(uint){offset}", "get_sub_group_local_id()"
        if mode is ShuffleMode.XOR:
            return f"sub_group_shuffle_xor({value}, {lane})"
        if mode is ShuffleMode.IDX:
            first = "" if width == warp else f"{own} / {width}u * {width}u + "
            return f"sub_group_shuffle({value}, {first}{lane} % {width}u)"
        # The result is undefined for lanes out of range, as for sub_group_shuffle.
        sign = "-" if mode is ShuffleMode.UP else "+"
        return f"sub_group_shuffle({value}, {own} {sign} {lane})"

    def head(self, headers: set[str]) -> str:
        lines: list[str] = []
        if self.uses_double:
            lines.append("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
        if "shuffle" in self.features:
            lines += [
                "#pragma OPENCL EXTENSION cl_khr_subgroups : enable",
                "#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable",
            ]
        lines += [
            f"#pragma OPENCL EXTENSION {feature} : enable"
            for feature in sorted(self.features)
            if feature.startswith("cl_khr_int64")
        ]
        if not self.contracts:
            lines.append("#pragma OPENCL FP_CONTRACT OFF")
        for bits, type_ in ((8, "char"), (16, "short"), (32, "int"), (64, "long")):
            lines += [f"typedef {type_} int{bits}_t;", f"typedef u{type_} uint{bits}_t;"]
        lines += ["#define INT64_C(x) x##L", "#define INT64_MIN (-9223372036854775807L - 1)"]
        return "".join(f"{line}\n" for line in lines)


class Metal(GpuLanguage):
    """The Metal Shading Language 2.3."""

    name, title = "metal", "Metal"
    types = "Metal has integers of 8, 16, 32 and 64 bits, float, and vectors of these, no double"
    elements = "arrays are dense, of integers of 8, 16, 32 or 64 bits, and float"
    words = C99.words | _VECTORS | _MATH | frozenset(
        f"{_CPP_WORDS} kernel vertex fragment device constant threadgroup thread metal texture "
        "sampler half uint buffer ray_data object_data simd as_type precise fast".split()
    )  # fmt: skip
    table = "constant"
    kernel = "kernel void"
    overloads_vectors = True
    spaces: Mapping[str, str] = {
        GLOBAL: "device", SHARED: "threadgroup", PRIVATE: "thread", CONSTANT: "constant",
    }  # fmt: skip
    barrier_text = (
        "threadgroup_barrier(mem_flags::mem_threadgroup);",
        "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);",
    )
    functions: Mapping[str, str] = {"nearbyint": "rint"}
    helpers: Mapping[str, str] = {
        **_QUESTIONS,
        **_reinterpreting(
            {
                "float": "as_type<float>",
                "int32": "as_type<int32_t>",
                "double": "as_type<double>",
                "int64": "as_type<int64_t>",
            }
        ),
        **_halves("return float(as_type<half>(bits));", "return as_type<int16_t>(half(value));"),
    }
    _NUMBERS = {
        "thread_id": ("kc_thread", "thread_position_in_threadgroup"),
        "block_id": ("kc_block", "threadgroup_position_in_grid"),
        "block_dim": ("kc_block_size", "threads_per_threadgroup"),
        "grid_dim": ("kc_grid_size", "threadgroups_per_grid"),
    }

    has_wide_updates = False
    bits = (("as_type<uint>", "as_type<float>"), ("", ""))

    def atomic(self, update: str, type_: str, space: str, place: str, value: str) -> str:
        pointer = f"({self.spaces[space]} atomic_{type_} *)&{place}"
        name = "atomic_exchange" if update == "xchg" else f"atomic_fetch_{update}"
        return f"{name}_explicit({pointer}, ({type_}){value}, memory_order_relaxed)"

    def exchange(self, space: str, place: str, seen: str, new: str, *, is_wide: bool) -> list[str]:
        del is_wide
        pointer = f"({self.spaces[space]} atomic_uint *)&{place}"
        orders = "memory_order_relaxed, memory_order_relaxed"
        call = f"atomic_compare_exchange_weak_explicit({pointer}, &{seen}, {new}, {orders})"
        return [f"while (!{call}) {{", "}"]

    def register_type(self, kind: Attribute) -> str | None:
        return None if isinstance(kind, Float64Type) else super().register_type(kind)

    def native_vector(self, element: str, lanes: int) -> VectorForm | None:
        if lanes not in (2, 3, 4):
            return None
        name = f"{'bool' if element == 'bool' else _BASES[element]}{lanes}"
        return VectorForm(name, f"{name}(", ")", _XYZW[:lanes])

    def aligned(self, size: int) -> str:
        return f"alignas({size}) "

    def parameter(
        self,
        element: str,
        name: str,
        n: int,
        space: str,
        *,
        is_written: bool,
        is_alone: bool = True,
    ) -> str:
        place = "threadgroup(0)" if space == SHARED else f"buffer({n})"
        text = super().parameter(element, name, n, space, is_written=is_written, is_alone=is_alone)
        return f"{text} [[{place}]]"

    def scalar(self, type_: str, name: str, n: int) -> str:
        return f"constant {type_} &{name} [[buffer({n})]]"

    def extra_parameters(self, numbers: Sequence[str]) -> list[str]:
        return [
            f"uint3 {name} [[{attribute}]]"
            for what, (name, attribute) in self._NUMBERS.items()
            if what in numbers
        ]

    def bounds(self, threads: Sequence[int] | None) -> str:
        if threads is None:
            return ""
        total = threads[0] * threads[1] * threads[2]
        return f"[[max_total_threads_per_threadgroup({total})]]"

    def heading(self, bounds: str) -> list[str]:
        return [bounds, self.kernel]

    def number(self, what: str, axis: str) -> str:
        return f"{self._NUMBERS[what][0]}.{axis}"

    def shared_array(self, element: str, name: str, count: int) -> str:
        return f"threadgroup alignas(16) {element} {name}[{count}];"

    def shuffle(
        self, mode: ShuffleMode, value: str, offset: str, width: int, warp: int, kind: str
    ) -> str | None:
        if mode is ShuffleMode.IDX and width != warp:
            return None
        names = {ShuffleMode.XOR: "_xor", ShuffleMode.UP: "_up", ShuffleMode.DOWN: "_down"}
        function = f"simd_shuffle{names.get(mode, '')}"
        if kind == "bool":
            value = f"(ushort){value}"
        if kind == "int64_t":  # two words, as shuffles have at most 32 bits
            return f"as_type<int64_t>({function}(as_type<uint2>({value}), (ushort){offset}))"
        return f"{function}({value}, (ushort){offset})"

    def head(self, headers: set[str]) -> str:
        note = "" if self.contracts else ", and without the contraction of floats"
        return (
            f"/* To be compiled without fast math{note}. */\n"
            "#include <metal_stdlib>\nusing namespace metal;\n#ifndef INT64_C\n"
            "#define INT64_C(x) x##L\n#define INT64_MIN (-9223372036854775807L - 1)\n#endif\n"
        )
