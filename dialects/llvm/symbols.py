"""The keywords and attributes in declarations of functions and globals of the llvm dialect."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.dialects.llvm import LinkageAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

# Calling conventions, by their name in MLIR: the spelling in LLVM IR.
CALLING_CONVENTIONS = {
    "ccc": "",
    "fastcc": "fastcc",
    "coldcc": "coldcc",
    "anyregcc": "anyregcc",
    "preserve_mostcc": "preserve_mostcc",
    "preserve_allcc": "preserve_allcc",
    "cxx_fast_tlscc": "cxx_fast_tlscc",
    "tailcc": "tailcc",
    "swiftcc": "swiftcc",
    "swifttailcc": "swifttailcc",
    "cfguard_checkcc": "cfguard_checkcc",
    "x86_64_sysvcc": "x86_64_sysvcc",
    "win64cc": "win64cc",
    "x86_stdcallcc": "x86_stdcallcc",
    "x86_fastcallcc": "x86_fastcallcc",
    "x86_vectorcallcc": "x86_vectorcallcc",
    "x86_regcallcc": "x86_regcallcc",
    "arm_apcscc": "arm_apcscc",
    "arm_aapcscc": "arm_aapcscc",
    "arm_aapcs_vfpcc": "arm_aapcs_vfpcc",
    "aarch64_vectorcallcc": "aarch64_vector_pcs",
    "aarch64_sve_vectorcallcc": "aarch64_sve_vector_pcs",
    "ptx_kernelcc": "ptx_kernel",
    "ptx_devicecc": "ptx_device",
    "spir_funccc": "spir_func",
    "spir_kernelcc": "spir_kernel",
    "amdgpu_kernelcc": "amdgpu_kernel",
}


@irdl_attr_definition
class CallingConventionAttr(ParametrizedAttribute):
    """``#llvm.cconv<fastcc>``."""

    name = "llvm.cconv"
    convention: StringAttr

    def __init__(self, convention: str | StringAttr) -> None:
        super().__init__(StringAttr(convention) if isinstance(convention, str) else convention)

    def verify(self) -> None:
        if self.convention.data not in CALLING_CONVENTIONS:
            raise VerifyException(f"unknown calling convention '{self.convention.data}'")

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.convention.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_identifier())]


class UWTableKind(StrEnum):
    NONE = "none"
    SYNC = "sync"
    ASYNC = "async"


@irdl_attr_definition
class UWTableKindAttr(EnumAttribute[UWTableKind]):
    """``#llvm.uwtableKind<async>``."""

    name = "llvm.uwtableKind"

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> UWTableKind:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(UWTableKind)


MEMORY_LOCATIONS = (
    "other",
    "argMem",
    "inaccessibleMem",
    "errnoMem",
    "targetMem0",
    "targetMem1",
)


@irdl_attr_definition
class MemoryEffectsAttr(ParametrizedAttribute):
    """``#llvm.memory_effects<other = none, argMem = readwrite, ...>``; an omitted kind equals
    ``other``.
    """

    name = "llvm.memory_effects"
    other: StringAttr
    arg_mem: StringAttr
    inaccessible_mem: StringAttr
    errno_mem: StringAttr
    target_mem0: StringAttr
    target_mem1: StringAttr

    def __init__(self, other: str = "none", **locations: str) -> None:
        if unknown := locations.keys() - set(MEMORY_LOCATIONS):
            raise TypeError(f"{self.name} has no location {sorted(unknown)[0]}")
        super().__init__(
            StringAttr(other),
            *(StringAttr(locations.get(place, other)) for place in MEMORY_LOCATIONS[1:]),
        )

    @property
    def effects(self) -> dict[str, str]:
        """The access (none, read, write, readwrite) of each location."""
        values = (p.data for p in self.parameters if isinstance(p, StringAttr))
        return dict(zip(MEMORY_LOCATIONS, values, strict=True))

    def verify(self) -> None:
        for place, access in self.effects.items():
            if access not in ("none", "read", "write", "readwrite"):
                raise VerifyException(f"unknown memory access '{access}' of {place}")

    def print_parameters(self, printer: Printer) -> None:
        text = ", ".join(f"{place} = {access}" for place, access in self.effects.items())
        printer.print_string(f"<{text}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        values: dict[str, str] = {}

        def parse_one() -> None:
            place = parser.parse_identifier()
            if place not in MEMORY_LOCATIONS or place in values:
                parser.raise_error(f"unexpected memory location '{place}'")
            parser.parse_punctuation("=")
            values[place] = parser.parse_identifier()

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_one)
        other = values.get("other", "none")
        return [StringAttr(values.get(place, other)) for place in MEMORY_LOCATIONS]


LINKAGES = (
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "weak",
    "common",
    "appending",
    "extern_weak",
    "linkonce_odr",
    "weak_odr",
    "external",
)
VISIBILITIES = ("default", "hidden", "protected")
UNNAMED_ADDRESSES = ("", "local_unnamed_addr", "unnamed_addr")


def parse_symbol_keywords(parser: Parser) -> dict[str, Attribute]:
    """Linkage, visibility, ``thread_local`` and ``unnamed_addr``, each optional."""
    linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
    visibility = parser.parse_optional_keyword_in(VISIBILITIES[1:]) or "default"
    parsed: dict[str, Attribute] = {"linkage": LinkageAttr(linkage)}
    if parser.parse_optional_keyword("thread_local") is not None:
        parsed["thread_local_"] = UnitAttr()
    unnamed = parser.parse_optional_keyword_in(UNNAMED_ADDRESSES[1:]) or ""
    parsed["visibility_"] = IntegerAttr(VISIBILITIES.index(visibility), i64)
    parsed["unnamed_addr"] = IntegerAttr(UNNAMED_ADDRESSES.index(unnamed), i64)
    return parsed


def as_linkage(linkage: str | LinkageAttr) -> LinkageAttr:
    """A linkage from its name or attribute."""
    return linkage if isinstance(linkage, LinkageAttr) else LinkageAttr(linkage)


def print_symbol_keywords(
    printer: Printer,
    linkage: LinkageAttr,
    visibility: IntegerAttr,
    unnamed: IntegerAttr,
    *,
    thread_local: bool = False,
    always_linkage: bool = False,
) -> None:
    """Print the inverse of :func:`parse_symbol_keywords`, each keyword with a space before it."""
    if always_linkage or linkage.linkage.data != "external":
        printer.print_string(f" {linkage.linkage.data}")
    if visibility.value.data:
        printer.print_string(f" {VISIBILITIES[visibility.value.data]}")
    if thread_local:
        printer.print_string(" thread_local")
    if unnamed.value.data:
        printer.print_string(f" {UNNAMED_ADDRESSES[unnamed.value.data]}")
