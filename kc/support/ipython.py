"""Integration with IPython and notebooks: cells as source locations, and the display of results.

Nothing here imports IPython; it is used only if the program already runs in it.
"""

from __future__ import annotations

import ast
import linecache
import sys
from typing import Any


def shell() -> Any:
    """The IPython shell of this process; None outside of IPython."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return None if get_ipython is None else get_ipython()


def in_notebook() -> bool:
    """True if results are displayed in a notebook, which accepts HTML, rather than on a
    terminal.
    """
    return getattr(shell(), "kernel", None) is not None


def publish(text: str, html: str, display_id: str | None = None, is_update: bool = False) -> None:
    """Display something immediately, as output of the running cell.

    With ``is_update`` it replaces the previous display with the same ``display_id``.
    """
    named = {} if display_id is None else {"transient": {"display_id": display_id}}
    update = {"update": True} if is_update else {}
    shell().display_pub.publish({"text/plain": text, "text/html": html}, **named, **update)


_texts: dict[str, int] = {}


def text_of_cell(cell: str) -> tuple[str, str]:
    """The text of the cell whose body was passed to a magic, and a file name for it.

    The text has the same line numbers as the cell, whose first line is the magic. Diagnostics show
    the name of the cell as the file.
    """
    text, frame = f"\n{cell}", sys._getframe(1)
    numbers = getattr(shell().compile, "_filename_map", {})
    while frame is not None and frame.f_code.co_filename not in numbers:
        frame = frame.f_back
    file = f"<cell {len(_texts) + 1}>"
    if frame is not None:
        _texts[file] = numbers[frame.f_code.co_filename]
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return text, file


def cell_name(file: str) -> str | None:
    """``In [12]`` for the file name of a compiled IPython cell; None for any other file name."""
    cells = getattr(getattr(shell(), "compile", None), "_filename_map", None)
    number = (cells or {}).get(file, _texts.get(file))
    return None if number is None else f"In [{number}]"


def as_written(line: str) -> str:
    """The line of the cell from which IPython generated a line of Python for a magic."""
    for call, sign in (("run_cell_magic", "%%"), ("run_line_magic", "%")):
        if line.startswith(f"get_ipython().{call}("):
            node = ast.parse(line).body[0]
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                name, options = (ast.literal_eval(argument) for argument in node.value.args[:2])
                return f"{sign}{name} {options}"
    return line
