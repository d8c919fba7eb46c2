"""Attributes of functions, parameters and calls as LLVM IR text."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from kc.codegen.llvm_ir.types import Inexpressible, TypeTable, quoted
from kc.dialects.llvm import (
    CallOp,
    FramePointerKindAttr,
    FuncOp,
    MemoryEffectsAttr,
    TargetFeaturesAttr,
    UWTableKindAttr,
)

# Parameter attributes by their MLIR name without "llvm.": flags, with a number, with a type.
_PARAMETER_FLAGS = {
    "allocalign": "allocalign",
    "allocptr": "allocptr",
    "dead_on_unwind": "dead_on_unwind",
    "inreg": "inreg",
    "nest": "nest",
    "noalias": "noalias",
    "nocapture": "captures(none)",
    "nofree": "nofree",
    "nonnull": "nonnull",
    "noundef": "noundef",
    "readnone": "readnone",
    "readonly": "readonly",
    "returned": "returned",
    "signext": "signext",
    "writable": "writable",
    "writeonly": "writeonly",
    "zeroext": "zeroext",
}
_PARAMETER_NUMBERS = {
    "align": "align {}",
    "alignstack": "alignstack({})",
    "dereferenceable": "dereferenceable({})",
    "dereferenceable_or_null": "dereferenceable_or_null({})",
}
_PARAMETER_TYPES = ("byref", "byval", "elementtype", "inalloca", "preallocated", "sret")

# The function attributes of LLVM 22 that are words; all others are strings.
_WORDS = frozenset(
    "alwaysinline cold convergent coro_elide_safe coro_only_destroy_when_complete "
    "disable_sanitizer_instrumentation fn_ret_thunk_extern hot hybrid_patchable inlinehint "
    "jumptable minsize mustprogress naked nobuiltin nocallback nocf_check nocreateundeforpoison "
    "nodivergencesource noduplicate nofree noimplicitfloat noinline nomerge noprofile norecurse "
    "noredzone noreturn nosanitize_bounds nosanitize_coverage nosync nounwind nonlazybind "
    "null_pointer_is_valid optdebug optforfuzzing optnone optsize presplitcoroutine "
    "returns_twice safestack sanitize_address sanitize_alloc_token sanitize_hwaddress "
    "sanitize_memory sanitize_memtag sanitize_numerical_stability sanitize_realtime "
    "sanitize_realtime_blocking sanitize_thread sanitize_type shadowcallstack skipprofile "
    "speculatable speculative_load_hardening ssp sspreq sspstrong strictfp willreturn".split()
)

_MEMORY_NAMES = {
    "argMem": "argmem",
    "inaccessibleMem": "inaccessiblemem",
    "errnoMem": "errnomem",
    "targetMem0": "target_mem0",
    "targetMem1": "target_mem1",
}

# Properties of llvm.func and llvm.call that are function attributes: words ...
_UNIT_PROPERTIES = {
    "always_inline": "alwaysinline",
    "convergent": "convergent",
    "inline_hint": "inlinehint",
    "no_inline": "noinline",
    "no_unwind": "nounwind",
    "optimize_none": "optnone",
    "will_return": "willreturn",
}
# ... and strings.
_STRING_PROPERTIES = {
    "denormal_fp_math": "denormal-fp-math",
    "denormal_fp_math_f32": "denormal-fp-math-f32",
    "fp_contract": "fp-contract",
    "no_infs_fp_math": "no-infs-fp-math",
    "no_nans_fp_math": "no-nans-fp-math",
    "no_signed_zeros_fp_math": "no-signed-zeros-fp-math",
    "prefer_vector_width": "prefer-vector-width",
    "reciprocal_estimates": "reciprocal-estimates",
    "target_cpu": "target-cpu",
    "tune_cpu": "tune-cpu",
}


GRID_CONSTANT = "nvvm.grid_constant"
"""The attribute of a parameter that is shared by all threads of a grid; a string attribute of
LLVM.
"""

KERNEL = "nvvm.kernel"
"""The attribute of a kernel for NVIDIA GPUs."""

# Launch bounds of a kernel: numbers, which LLVM represents as text.
_LAUNCH_BOUNDS = (
    "nvvm.cluster_dim",
    "nvvm.maxclusterrank",
    "nvvm.maxnreg",
    "nvvm.maxntid",
    "nvvm.minctasm",
    "nvvm.reqntid",
)


class AttributeGroups:
    """Numbers sets of function attributes: ``#0``, ``#1``, ..."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def group(self, attributes: list[str]) -> str:
        """`` #0`` for these attributes, or nothing for none; duplicates count once."""
        text = " ".join(dict.fromkeys(attributes))
        return f" #{self._numbers.setdefault(text, len(self._numbers))}" if text else ""

    def lines(self) -> list[str]:
        """The definitions of all groups."""
        return [f"attributes #{number} = {{ {text} }}" for text, number in self._numbers.items()]


def parameter_text(attrs: Mapping[str, Attribute], types: TypeTable) -> str:
    """The attributes of a parameter, an argument or a result, each with a space before it.

    Attributes of dialects other than llvm are omitted, except for :data:`GRID_CONSTANT`.
    """
    text = ""
    for full, value in sorted(attrs.items()):
        dialect, _, name = full.rpartition(".")
        if full == GRID_CONSTANT:
            text += f' "{full}"'
        if dialect != "llvm":
            continue
        if isinstance(value, UnitAttr) and name in _PARAMETER_FLAGS:
            text += f" {_PARAMETER_FLAGS[name]}"
        elif isinstance(value, IntegerAttr) and name in _PARAMETER_NUMBERS:
            text += f" {_PARAMETER_NUMBERS[name].format(value.value.data)}"
        elif name in _PARAMETER_TYPES:
            text += f" {name}({types.text(value)})"
        else:
            raise Inexpressible("KC4103", f"the parameter attribute {full} = {value}")
    return text


def memory_text(effects: MemoryEffectsAttr) -> str | None:
    """The text ``memory(argmem: readwrite)``; None for unrestricted effects."""
    access = dict(effects.effects)
    default = access.pop("other")
    parts = [] if default == "none" else [default]
    parts += [f"{_MEMORY_NAMES[place]}: {how}" for place, how in access.items() if how != default]
    if parts == ["readwrite"]:
        return None
    return f"memory({', '.join(parts) or 'none'})"


def function_attributes(op: FuncOp | CallOp) -> list[str]:
    """The function attributes from an op's properties, words before strings."""
    words: list[str] = []
    strings: list[str] = []
    for name, value in sorted(op.properties.items()):
        if name in _UNIT_PROPERTIES:
            words.append(_UNIT_PROPERTIES[name])
        elif isinstance(value, MemoryEffectsAttr):
            words.extend(filter(None, [memory_text(value)]))
        elif isinstance(value, UWTableKindAttr):
            words.extend(_UWTABLES[value.data.value])
        elif name == "passthrough":
            assert isinstance(value, ArrayAttr)
            for entry in value:
                _passthrough(entry, words, strings)
        elif isinstance(value, TargetFeaturesAttr):
            features = ",".join(feature.data for feature in value.features)
            strings.append(string_attribute("target-features", features))
        elif isinstance(value, FramePointerKindAttr):
            strings.append(string_attribute("frame-pointer", value.data.value))
        elif name in _STRING_PROPERTIES:
            text = value.data if isinstance(value, StringAttr) else _boolean(value)
            strings.append(string_attribute(_STRING_PROPERTIES[name], text))
    strings += [
        string_attribute(name, ",".join(map(str, _numbers(value))))
        for name, value in op.attributes.items()
        if name in _LAUNCH_BOUNDS
    ]
    return words + strings


def _numbers(value: Attribute) -> list[int]:
    if isinstance(value, IntegerAttr):
        return [value.value.data]
    if not isinstance(value, DenseArrayBase):
        raise Inexpressible("KC4103", f"the launch bound {value}")
    return [int(number) for number in value.get_values()]


_UWTABLES = {"none": [], "sync": ["uwtable(sync)"], "async": ["uwtable"]}


def _boolean(value: Attribute) -> str:
    assert isinstance(value, IntegerAttr)
    return "true" if value.value.data else "false"


def string_attribute(key: str, value: str) -> str:
    """``"key"="value"``."""
    return f"{quoted(key.encode())}={quoted(value.encode())}"


def _passthrough(entry: Attribute, words: list[str], strings: list[str]) -> None:
    """``"cold"``, or ``["key", "value"]``."""
    match entry:
        case StringAttr():
            is_word = entry.data in _WORDS
            (words if is_word else strings).append(
                entry.data if is_word else quoted(entry.data.encode())
            )
        case ArrayAttr(data=(StringAttr(data="alignstack"), StringAttr(data=value))):
            words.append(f"alignstack={value}")
        case ArrayAttr(data=(StringAttr(data=key), StringAttr(data=value))):
            strings.append(string_attribute(key, value))
        case _:
            raise Inexpressible("KC4103", f"the passthrough attribute {entry}")
