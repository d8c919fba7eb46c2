"""The llvm module under construction: functions, globals, declarations, names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FixedBitwidthType,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import FramePointerKind, FramePointerKindAttr
from xdsl.ir import Attribute, Operation, Region

from kc.analysis.loop_tree import preorder
from kc.conversion.convert_to_llvm.aliasing import Handover, propagate
from kc.conversion.convert_to_llvm.signatures import Signature
from kc.conversion.convert_to_llvm.values import Origin
from kc.dialects import llvm
from kc.dialects.gpu import GPUModuleOp
from kc.support.diagnostics import CodegenError
from kc.support.target import target_of

_UNIT = UnitAttr()


def is_declaration(op: Operation | None) -> bool:
    """True if it is a function without a body."""
    return isinstance(op, FuncOp) and op.is_declaration


class NewModule:
    """The new contents of ``module``, installed by :meth:`replace_contents`.

    Until then the module is only read, so a refused module stays unchanged.
    """

    def __init__(self, module: ModuleOp | GPUModuleOp) -> None:
        self.signatures: dict[str, Signature] = {}  # of the functions that can be called
        self.handovers: list[Handover] = []
        self._module = module
        self._symbols: dict[str, Operation | None] = {}
        self._functions: list[tuple[llvm.FuncOp, Signature]] = []
        self._tops: list[Operation] = []
        self._declarations: dict[str, llvm.FuncOp] = {}
        for op in module.body.block.ops:
            name = op.properties.get("sym_name")
            if isinstance(name, StringAttr):
                self._symbols[name.data] = op

    @cached_property
    def size_type(self) -> IntegerType:
        """C's ``size_t`` on the target, the type of sizes in the C library."""
        assert isinstance(self._module, ModuleOp)
        architecture = target_of(self._module).architecture
        return IntegerType(architecture.pointer_bits if architecture is not None else 64)

    @cached_property
    def is_x86(self) -> bool:
        """True if the target is known to be x86, where nontemporal stores are not ordered with
        others, and for which LLVM combines shuffles.
        """
        if not isinstance(self._module, ModuleOp):
            return False
        architecture = target_of(self._module).architecture
        return architecture is not None and architecture.name == "x86_64"

    @cached_property
    def has_range(self) -> bool:
        """True if the target has AVX-512's ``vrangeps`` in vectors of 512 bits."""
        if not isinstance(self._module, ModuleOp):
            return False
        target = target_of(self._module)
        return self.is_x86 and target.vector_bits == 512 and target.has_feature("avx512dq")

    def add(self, op: Operation) -> None:
        """Add a translated global, or an operation that already is in the llvm dialect."""
        self._tops.append(op)

    def add_function(
        self,
        name: str,
        signature: Signature,
        body: Region,
        source: Operation,
        *,
        internal: bool,
        attributes: dict[str, Attribute] | None = None,
        properties: dict[str, Attribute] | None = None,
    ) -> None:
        """Add a translated function; ``source`` provides its location."""
        op = llvm.FuncOp(
            name,
            signature.type,
            "internal" if internal else "external",
            body=body,
            properties={"no_unwind": _UNIT, **(properties or {})},
            attributes=attributes,
        )
        op.location = source.location
        self._functions.append((op, signature))
        self._tops.append(op)

    def declare(
        self,
        name: str,
        inputs: Sequence[Attribute],
        output: Attribute | None = None,
        *,
        result_attributes: dict[str, Attribute] | None = None,
        properties: dict[str, Attribute] | None = None,
        is_variadic: bool = False,
    ) -> str:
        """Declare an external function once, and return its name.

        Raises CodegenError KC4306 when the module has something else of that name.
        """
        ty = llvm.LLVMFunctionType(inputs, output, is_variadic)
        if name in self._declarations:
            return name
        if name in self._symbols:
            existing = self._symbols[name]
            if isinstance(existing, llvm.FuncOp) and existing.function_type == ty:
                return name
            if is_declaration(existing) and self.signatures[name].type == ty:
                return name
            raise CodegenError(
                "KC4306",
                f"convert-to-llvm: the name @{name} is already used in the module",
                why=f"the lowering calls a library function @{name}",
                hints=["rename the symbol of the module"],
            )
        op = llvm.FuncOp(name, ty, properties={"no_unwind": _UNIT, **(properties or {})})
        if result_attributes:
            op.properties["res_attrs"] = ArrayAttr([DictionaryAttr(result_attributes)])
        self._declarations[name] = op
        return name

    def fresh_name(self, base: str) -> str:
        """An unused symbol name: ``base`` with the first free number."""
        number = 0
        while f"{base}_{number}" in self._symbols or f"{base}_{number}_body" in self._symbols:
            number += 1
        self._symbols[f"{base}_{number}"] = None
        return f"{base}_{number}"

    def fresh_symbol(self, name: str) -> str:
        """``name``, with a number appended if it is taken."""
        if name in self._symbols:
            return self.fresh_name(name)
        self._symbols[name] = None
        return name

    def needs_global(self, name: str) -> bool:
        """Reserve ``name`` for a global. True if it was not reserved before."""
        if name in self._symbols:
            return False
        self._symbols[name] = None
        return True

    def operations(self) -> Iterator[Operation]:
        """All operations of the translation."""
        for top in self._tops:
            yield from preorder(top)

    def replace_contents(self) -> None:
        """Replace the contents of the module by the translation."""
        origins: list[Origin] = []
        for _, signature in self._functions:
            origins += [p.origin for p in signature.parameters if p.origin is not None]
        propagate(origins, self.handovers)
        if self.is_x86:
            for op, _ in self._functions:
                if _has_wide_vectors(op):
                    op.properties["frame_pointer"] = _RESERVED
        for op, signature in self._functions:
            attributes = [parameter.all_attributes() for parameter in signature.parameters]
            if any(attributes):
                op.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(a) for a in attributes])
        block = self._module.body.block
        for op in list(block.ops):
            op.detach()
        block.add_ops([*self._tops, *self._declarations.values()])


_RESERVED = FramePointerKindAttr(FramePointerKind.RESERVED)
_STACK_ALIGNMENT = 128
"""The stack alignment on x86, in bits."""


def _has_wide_vectors(function: Operation) -> bool:
    """True if a function has vectors that may be misaligned on the stack.

    For spilled registers, LLVM aligns the stack only if the frame pointer is reserved from the
    start. Otherwise each spilled vector may straddle two cache lines or two pages: a gelu took 14
    or 32 cycles, depending on the caller's stack.
    """
    return any(
        isinstance(type_ := result.type, VectorType)
        and isinstance(element := type_.element_type, FixedBitwidthType)
        and type_.element_count() * element.bitwidth > _STACK_ALIGNMENT
        for op in preorder(function)
        for result in op.results
    )
