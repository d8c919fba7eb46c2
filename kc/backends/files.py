"""The records in the files of all backends: their functions and their scheduled loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import StringAttr

from kc.runtime.checksums import with_comment
from kc.runtime.metadata import ModuleRecord
from kc.runtime.module import Source
from kc.runtime.signature import Signature
from kc.support.c_names import c_name
from kc.support.packed_signature import PackedSignature
from kc.support.target import Target
from kc.tir.module import IRModule

Files = Mapping[str, Callable[[], str | bytes]]
"""File extension, without its dot -> function that makes the content."""


def call_jit(text: str, symbols: dict[str, int]) -> Any:
    """A compiler for the code of calls. This code is short, and optimising it would not pay."""
    from kc.codegen.native import jit
    from kc.transform import PassContext

    # A debugger that cannot unwind the caller of a kernel shows no frames above the kernel.
    return jit(text, symbols, opt_level=0, debugger=PassContext.current().debug_info)


def record_of(
    signatures: Sequence[Signature],
    entry: str,
    target: Target,
    machine: Any = None,
    packed: Sequence[PackedSignature] = (),
) -> ModuleRecord:
    """The record of a module in its files. ``machine`` is LLVM's target.

    Raises CodegenError KC4510 for two functions with one name in C.
    """
    from kc import __version__

    return ModuleRecord(
        entry=entry,
        functions=tuple(signatures),
        symbols=_symbols(signatures),
        target=str(target),
        triple=machine.triple if machine is not None else "",
        cpu=machine.cpu if machine is not None else "",
        features=machine.features if machine is not None else "",
        version=__version__,
        packed=tuple(packed),
    )


def loops_text(source: Source, target: Target, entry: str) -> str:
    """The loops as text, including their target."""
    module = IRModule.parse(source if isinstance(source, str) else source())
    module.op.attributes["kc.target"] = StringAttr(str(target))
    module.op.attributes["kc.entry"] = StringAttr(entry)
    return with_comment(str(module), "//")


def _symbols(signatures: Sequence[Signature]) -> tuple[str, ...]:
    """The names of functions in C. Raises CodegenError KC4510 if two are equal."""
    from kc.codegen.c_source.names import require_names_in_c

    names = [signature.name for signature in signatures]
    require_names_in_c(names)
    return tuple(map(c_name, names))
