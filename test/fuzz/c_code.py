"""The C target's text, compiled with warnings as errors and sanitizers, and called."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import IntegerType, MemRefType, Signedness, StringAttr

import kc
from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.codegen.c_source import emit_c
from kc.support.registry import context, get_pass

CC = shutil.which("cc")
# gcc cannot see that loops of symbolic sizes fill a whole buffer; and a cache may copy what nothing
# has stored yet, and nothing reads.
STRICT = (
    "-std=c99 -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-maybe-uninitialized "
    "-Wno-uninitialized -Wno-unused-but-set-variable -Wno-type-limits -O1 -ffp-contract=off "
    "-fsanitize=undefined -fno-sanitize-recover=all"
).split()


def run_in_c(mod: kc.IRModule, values: Sequence[Any]) -> None:
    """Run the public function of ``mod``, which is not changed, on ``values``.

    The compiler's warnings are errors, and undefined behaviour ends the process.
    """
    assert CC is not None
    lowered = kc.IRModule(copy_module(mod.op))
    function = loop_tree.kernels(lowered.op)[0]
    name, types = "kernel", list(function.function_type.inputs)
    function.sym_name = StringAttr(name)  # main is a name that C has a use for
    get_pass("lower-to-c").apply(context(), lowered.op)
    text = emit_c(lowered.op)
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "kernel.c", Path(folder) / "kernel.so"
        source.write_text(text)
        command = [CC, *STRICT, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stderr}\n{text}"
        kernel = ctypes.CDLL(str(library))[name]
        kernel.restype = None
        kernel(*_machine_arguments(types, values))


def _machine_arguments(types: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Values as the machine interface takes them: pointers, sizes and numbers."""
    words: list[Any] = []
    for kind, value in zip(types, values, strict=True):
        if not isinstance(kind, MemRefType):
            words.append(_scalar_type(kind)(value))
            continue
        words.append(ctypes.c_void_p(value.ctypes.data))
        dynamic = [n for n, size in enumerate(kind.get_shape()) if size < 0]
        words += [ctypes.c_int64(value.shape[n]) for n in dynamic]
    return words


def _scalar_type(kind: Any) -> Any:
    """The ctypes type of a number."""
    if isinstance(kind, IntegerType):
        unsigned = "u" * (kind.signedness.data is Signedness.UNSIGNED)
        return getattr(ctypes, f"c_{unsigned}int{kind.width.data}")
    return {"f32": ctypes.c_float, "f64": ctypes.c_double, "index": ctypes.c_int64}[str(kind)]
