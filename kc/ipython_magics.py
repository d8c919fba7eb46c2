"""The IPython extension: ``%load_ext kc`` defines the magics ``%%kc-opt`` and ``%%kc-script``.

All other features in notebooks need no extension: objects display themselves, and errors are shown
as diagnostics.
"""

from __future__ import annotations

import ast
import shlex
from typing import Any

from kc.support import registry
from kc.support.diagnostics import Diagnostic, InputError, KCError, Location, TEError
from kc.support.display import to_html
from kc.support.ipython import text_of_cell
from kc.support.python_text import valid_python
from kc.support.timer import Timer
from kc.tools._common import registry_for
from kc.tools._reporter import Reporter
from kc.tools.kc_opt import command_line, information_asked, take_pipeline


class IRText(str):
    """The text of a module, which a notebook highlights."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return to_html((str(self), "mlir"))


class _CellReporter(Reporter):
    """Raises errors, which end the cell, and shows all other diagnostics."""

    def report(self, diagnostic: Diagnostic) -> None:
        if isinstance(diagnostic, KCError):
            raise diagnostic
        super().report(diagnostic)


def load_ipython_extension(ipython: Any) -> None:
    """Register the magics: ``%load_ext kc``."""

    def kc_opt(line: str, cell: str | None = None) -> IRText:
        """Apply passes to the IR in the cell: ``%%kc-opt --split="loop=i factors=?,8" --diff``.

        The flags are those of the command kc-opt; the result is its output. The line magic is for
        flags that need no IR: ``%kc-opt --help=split``.
        """
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise InputError("KC0002", f"kc-opt: {line}: {str(error).lower()}") from None
        return _optimized(words, cell)

    def kc_script(line: str, cell: str) -> Any:
        """Run a cell whose functions are kernels, and show the last: ``%%kc-script [NAME]``.

        Functions without a decorator are ``@kc.script``; ``T`` and ``I`` are TVMScript's. The
        kernels are names of the notebook from then on; NAME is the last one's, too.
        """
        return _scripts(line.strip(), cell, ipython)

    ipython.register_magic_function(kc_opt, "line_cell", "kc-opt")
    ipython.register_magic_function(kc_script, "cell", "kc-script")


def _optimized(words: list[str], cell: str | None) -> IRText:
    from kc.tools._optimizer import optimize_text

    with registry.using(registry_for(words)):
        arguments = command_line(words)
        information_text = information_asked(arguments)
        if information_text is not None:
            return IRText(information_text)
        if cell is None:
            raise InputError(
                "KC0002",
                "kc-opt: there is no IR to apply passes to",
                hints=["%%kc-opt in the first line of a cell, and IR in the lines below"],
            )
        take_pipeline(arguments)
        text, file = text_of_cell(cell)
        _, result = optimize_text(arguments, _CellReporter(), text, file, Timer())
    return IRText(result.rstrip("\n"))


def _scripts(name: str, cell: str, ipython: Any) -> Any:
    import kc
    from kc.script import ir, tir

    text, file = text_of_cell(cell)
    why = "a script is written in the syntax of Python"
    with valid_python(file, "KC2131", "kc-script", why):
        tree = ast.parse(text, file)
    kernels = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if not kernels:
        raise TEError(
            "KC2132",
            "kc-script: the cell defines no function",
            location=Location(file, 1, 1),
            why="each function of the cell is a kernel",
            hints=["put ordinary Python in a separate cell"],
        )
    names = ipython.user_ns
    for word, meaning in {"kc": kc, "T": tir, "I": ir}.items():
        names.setdefault(word, meaning)
    for node in kernels:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            at = {"lineno": node.lineno, "col_offset": 0, "end_lineno": node.lineno}
            decorator = ast.parse("__import__('kc').script", mode="eval").body
            for part in ast.walk(decorator):
                if hasattr(part, "lineno"):
                    for key, value in {**at, "end_col_offset": 0}.items():
                        setattr(part, key, value)
            node.decorator_list.append(decorator)
    exec(compile(tree, file, "exec"), names)
    last = names[kernels[-1].name]
    if name:
        names[name] = last
    return last
