"""IPython and notebooks, where kc runs in them: cells as places, and what is displayed.

Nothing here imports IPython; it is used where a program already runs in it.
"""

from __future__ import annotations

import ast
import linecache
import sys
from typing import Any


def shell() -> Any:
    """The IPython that runs this process, or None."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return None if get_ipython is None else get_ipython()


def in_notebook() -> bool:
    """True if a notebook, which takes HTML, displays results, and not a terminal."""
    return getattr(shell(), "kernel", None) is not None


def publish(text: str, html: str, display_id: str | None = None, is_update: bool = False) -> None:
    """Display something at once, as the output of the cell that runs.

    With ``is_update`` it takes the place of what was displayed with the same ``display_id``.
    """
    named = {} if display_id is None else {"transient": {"display_id": display_id}}
    update = {"update": True} if is_update else {}
    shell().display_pub.publish({"text/plain": text, "text/html": html}, **named, **update)


_texts: dict[str, int] = {}


def text_of_cell(cell: str) -> tuple[str, str]:
    """The text of the cell that a magic was given the body of, and a file name for it.

    Lines of the text are those of the cell, whose first is the magic's; diagnostics call the file
    by the cell.
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
    """``In [12]`` for the file that IPython compiles a cell as, None for any other."""
    cells = getattr(getattr(shell(), "compile", None), "_filename_map", None)
    number = (cells or {}).get(file, _texts.get(file))
    return None if number is None else f"In [{number}]"


def as_written(line: str) -> str:
    """A line of Python that IPython has made of a magic, as it stands in the cell."""
    for call, sign in (("run_cell_magic", "%%"), ("run_line_magic", "%")):
        if line.startswith(f"get_ipython().{call}("):
            node = ast.parse(line).body[0]
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                name, options = (ast.literal_eval(argument) for argument in node.value.args[:2])
                return f"{sign}{name} {options}"
    return line
