"""``kc examples DIR``: copy the examples and lessons, for users who installed a wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import kc
from kc.support.diagnostics import InputError, counted
from kc.support.files import make_directory, write_output

_SKIPPED = ("__pycache__", ".ipynb_checkpoints")


def folder() -> Path:
    """The directory of the examples: in the installed package, or in the source checkout."""
    installed = Path(kc.__file__).parent / "examples"
    return installed if installed.is_dir() else Path(kc.__file__).parent.parent / "examples"


def examples(argv: Sequence[str]) -> str:
    """Copy the examples to the directory ``argv[0]``; the text that says how to begin.

    KC0002: not exactly one directory is given. KC0022: it cannot be written. KC0023: files would be
    replaced.
    """
    if len(argv) != 1 or argv[0].startswith("-"):
        raise InputError("KC0002", "examples takes a directory", hints=["kc examples kc-examples"])
    target, source = Path(argv[0]), folder()
    files = [
        path.relative_to(source)
        for path in sorted(source.rglob("*"))
        if path.is_file() and not set(path.parts) & set(_SKIPPED)
    ]
    present = [name for name in files if (target / name).exists()]
    if present:
        raise InputError(
            "KC0023",
            f"{counted(len(present), 'file')} in {target} would be replaced",
            facts=[str(target / name) for name in present[:3]],
            hints=["name a directory that does not exist yet"],
        )
    for name in files:
        make_directory(str((target / name).parent))
        write_output(str(target / name), (source / name).read_bytes())
    return (
        f"{counted(len(files), 'file')} in {target}; to begin with:\n"
        f"  kc opt {target / 'matmul.mlir'} --split --vectorize\n"
        f"  python {target / 'lessons' / '01_vector_add.py'}\n"
    )
