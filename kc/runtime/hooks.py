"""Python functions that saved code calls. A C program defines functions with their symbols."""

from __future__ import annotations

from collections.abc import Sequence

from kc.support.c_names import in_comment
from kc.support.diagnostics import CallError
from kc.support.packed_signature import PackedSignature, PackedText


def require_no_hooks(what: str, packed: Sequence[PackedSignature]) -> None:
    """Refuse (KC5252) a library of code that calls Python functions."""
    for signature in packed:
        raise CallError(
            "KC5252",
            f"{what}: the code calls the function '{signature.name}' of Python",
            location=signature.location,
            why="a library is complete, and C has no Python functions",
            facts=[f"it needs {signature.prototype}"],
            hints=[
                'define it in C as declared in the header: options=["hooks.c"] of export_library',
                'or save an object, m.save("kernel.o"), and link it with one that defines it',
                'in this process, target="llvm" calls the Python function itself',
            ],
        )


def hook_declarations(packed: Sequence[PackedSignature]) -> str:
    """The declarations, for a C header, of the functions that the program has to define."""
    lines: list[str] = []
    for signature in packed:
        texts = [part.text for part in signature.parameters if isinstance(part, PackedText)]
        also = f", with the text {', '.join(map(_quoted, texts))}" if texts else ""
        lines.append("/* To be defined by the program: what the kernels call as")
        lines.append(f"   {_quoted(signature.name)}{also}. */")
        lines.append(signature.prototype)
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    return f'"{in_comment(text)}"'
