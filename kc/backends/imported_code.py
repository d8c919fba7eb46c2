"""Source code that pragmas add to a kernel: ``import_llvm`` and ``import_c``.

``s[C].pragma(x, "import_llvm", text)`` makes functions of LLVM IR known to the kernel, which calls
them with ``tir.call_extern``; the value is the IR, or the path of a file of it (``.ll``, ``.bc``).
``import_c`` is the same with C. TVM's tutorial on ``tensorize`` does it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc.analysis.loop_tree import preorder
from kc.dialects.tir import ForOp
from kc.support.diagnostics import CodegenError, Location, is_used
from kc.support.files import is_code_file
from kc.support.locations import location_of
from kc.tvm.contrib.clang import create_llvm

LANGUAGES = {"llvm": "pragma_import_llvm", "c": "pragma_import_c"}


@dataclass(frozen=True)
class ImportedCode:
    """Imported text in a language, and the loop with its pragma."""

    language: str
    text: str | bytes
    """The text, or the bytes of a bitcode file."""
    location: Location | None
    is_file: bool


def imported_code(module: ModuleOp) -> list[ImportedCode]:
    """The source code that the pragmas of a module import, without duplicates.  Raises CodegenError
    KC4355 for a file that cannot be read.
    """
    codes: dict[tuple[str, str], ImportedCode] = {}
    for loop in preorder(module):
        if type(loop) is not ForOp or loop.annotations is None:
            continue
        for language, key in LANGUAGES.items():
            value = loop.annotations.data.get(key)
            if isinstance(value, StringAttr) and (language, value.data) not in codes:
                codes[language, value.data] = _read(language, value.data, location_of(loop))
    return list(codes.values())


def _read(language: str, value: str, location: Location | None) -> ImportedCode:
    if not is_code_file(value):
        return ImportedCode(language, value, location, is_file=False)
    if not is_used(value):
        raise CodegenError(
            "KC4355",
            f"import_{language}: the text names the file {value}",
            location=location,
            why="a build opens only files that the program itself names, not those named in "
            "its input",
            hints=[f'sch.annotate(loop, "pragma_import_{language}", open({value!r}).read())'],
        )
    content = b""
    try:
        why = "it is not a file" if not os.path.isfile(value) and os.path.exists(value) else None
        if why is None:  # pipes and devices may have no end
            content = Path(value).read_bytes()
    except (OSError, ValueError) as error:
        why = str(getattr(error, "strerror", error))
    if why is not None:
        raise CodegenError(
            "KC4355", f"import_{language}: {value} cannot be read", location=location, why=why
        )
    text = content if value.endswith(".bc") else content.decode(errors="replace")
    return ImportedCode(language, text, location, is_file=True)


@dataclass(frozen=True)
class LinkedCode:
    """Imported code as LLVM IR, and the names of its functions."""

    texts: tuple[str, ...]
    names: frozenset[str]

    def link(self, text: str) -> str:
        """``text``, LLVM IR, linked with private copies of the imported functions."""
        from kc.codegen.native_target import llvm_binding

        if not self.texts:
            return text
        llvm = llvm_binding()
        with llvm.create_context() as context:
            with llvm.parse_assembly(text, context) as module:
                for imported in self.texts:
                    source = llvm.parse_assembly(imported, context)
                    source.triple, source.data_layout = module.triple, module.data_layout
                    module.link_in(source)
                for name in self.names:
                    module.get_function(name).linkage = "internal"
                return str(module)


def linked_code(codes: Sequence[ImportedCode]) -> LinkedCode:
    """Imported code as LLVM IR, compiled by clang if it is C. Raises CodegenError KC4355 for text
    that LLVM refuses, and the errors of :func:`kc.contrib.clang.create_llvm`.
    """
    from kc.codegen.native_target import llvm_binding

    texts: list[str] = []
    names: set[str] = set()
    llvm = llvm_binding() if codes else None
    for code in codes:
        text = create_llvm(str(code.text)) if code.language == "c" else code.text
        assert llvm is not None
        with llvm.create_context() as context:
            try:
                parse = llvm.parse_bitcode if isinstance(text, bytes) else llvm.parse_assembly
                with parse(text, context) as module:
                    texts.append(str(module))
                    names.update(
                        function.name
                        for function in module.functions
                        if not function.is_declaration
                    )
            except RuntimeError as reason:
                raise CodegenError(
                    "KC4355",
                    f"import_{code.language}: LLVM refuses the code",
                    location=code.location,
                    why=str(reason).strip().splitlines()[-1] if str(reason).strip() else None,
                    hints=["kc.contrib.clang.create_llvm(source) compiles C to LLVM IR"],
                ) from None
    return LinkedCode(tuple(texts), frozenset(names))
