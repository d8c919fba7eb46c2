"""Compiles groups in a process of its own, so that many kernels are compiled on several cores.

The parent starts this module as a script. A request comes as JSON on standard input: the texts of
groups, and the target. The answer goes to standard output: for each group its kernel, or null where
something went wrong; the parent then compiles it itself, and tells the user.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from kc.backends import Part
from kc.support.diagnostics import KCError
from kc.support.target import Target

FEWEST = 16
"""The fewest groups for a process: it takes some 2 s to start, as long as some 14 groups of a dense
layer take to be compiled."""

Answer = tuple[dict[str, Any], Part]
"""The interface of a kernel, and its code."""


def start(texts: Sequence[str], target: Target) -> subprocess.Popen[str]:
    """Start a process that compiles groups."""
    with tempfile.TemporaryFile("w+") as request:
        json.dump({"texts": list(texts), "target": str(target)}, request)
        request.seek(0)
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _SCRIPT.format(path=sys.path)],
            stdin=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )


_SCRIPT = (
    "import sys; sys.path = {path!r}; from kc.building.graphs.kernel_worker import main; main()"
)
"""The program of the worker process, which looks up modules in the ``sys.path`` of this process."""


def finish(process: subprocess.Popen[str]) -> list[Answer | None]:
    """The kernels of the groups, once the process has ended; empty if it failed."""
    answer, _ = process.communicate()
    if process.returncode != 0:
        return []
    return [None if each is None else _decoded(each) for each in json.loads(answer)]


def _decoded(message: dict[str, Any]) -> Answer:
    code = base64.b64decode(message["object"])
    return message["interface"], Part(message["symbol"], message["text"], message["exports"], code)


def main() -> None:
    """Answer a request."""
    request = json.load(sys.stdin)
    # Other code that prints must not write to the answer.
    answer, sys.stdout = sys.stdout, sys.stderr
    target = Target(request["target"])
    json.dump([_compiled(text, target) for text in request["texts"]], answer)
    answer.flush()


def _compiled(text: str, target: Target) -> dict[str, Any] | None:
    from kc.building.graphs.kernels import Kernels, canonical_text
    from kc.graph.interpreter import graph_functions
    from kc.tir.module import IRModule

    try:
        (group,) = graph_functions(IRModule.parse(text).op)
        if canonical_text(group) != text:
            return None
        kernel = Kernels(target, separate=True, workspaces=True).of_group(group)
    except KCError:
        return None
    part = kernel.part
    if part is None:
        return None
    return {
        "symbol": part.symbol,
        "text": part.text,
        "exports": list(part.exports),
        "object": base64.b64encode(part.object).decode(),
        "interface": {
            "types": kernel.types,
            "inputs": kernel.inputs,
            "outputs": kernel.outputs,
            "copied": kernel.copied,
            "sizes": kernel.sizes,
            "requires": [condition.as_texts() for condition in kernel.requires],
            "workspace": [kernel.workspace.shared, kernel.workspace.per_thread],
        },
    }
