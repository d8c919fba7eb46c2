"""The texts of random kernels in each form that they are written in, and what their lines do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from formulas import Dim

SCRIPT, HYBRID, BUILDER, PYTHON = "script", "hybrid", "builder", "python"

Text = Callable[[str], str]
"""An expression: its text in a form."""


def plain(text: str) -> Text:
    """An expression that is the same in all forms."""
    return lambda form: text


def joined(*parts: str | Text) -> Text:
    """Texts in a row."""
    return lambda form: "".join(part if isinstance(part, str) else part(form) for part in parts)


def by_form(python: Text, builder: Text) -> Text:
    """``python`` where it is read as Python, ``builder`` where it builds."""
    return lambda form: (builder if form == BUILDER else python)(form)


def call(name: str, builder: str, *args: Text) -> Text:
    """A call of Python's function ``name``, or of the builder's."""
    words: list[str | Text] = []
    for arg in args:
        words += [", ", arg] if words else [arg]
    return by_form(joined(f"{name}(", *words, ")"), joined(f"{builder}(", *words, ")"))


@dataclass(frozen=True)
class Memory:
    """A buffer."""

    name: str
    dims: tuple[Dim, ...]
    dtype: str
    written: bool = True


@dataclass(frozen=True)
class Loop:
    """The variable of a loop, and the lowest and highest value that it has.

    It counts up to the size of ``symbol`` if it has one.
    """

    name: str
    low: int
    high: int
    symbol: str = ""


@dataclass
class Body:
    """Lines of each form, and what they do: which loops can be parallel follows from it."""

    lines: dict[str, list[str]] = field(
        default_factory=lambda: {SCRIPT: [], BUILDER: [], PYTHON: []}
    )
    stores: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    loads: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Names that are assigned to again."""
    kinds: set[str] = field(default_factory=set)
    """Kinds of loops."""

    def add(self, text: str | Text, builder: str | Text | None = None) -> None:
        """A line, for the builder another if it is given."""
        for form, lines in self.lines.items():
            line = text if builder is None or form != BUILDER else builder
            lines.append(line if isinstance(line, str) else line(form))

    def inside(self, inner: Body, *, lines: bool = True) -> None:
        """Append ``inner``, with its lines indented."""
        self.stores |= inner.stores
        self.loads |= inner.loads
        self.names |= inner.names
        self.kinds |= inner.kinds
        for form, own in self.lines.items() if lines else ():
            own += [f"    {line}" for line in inner.lines[form] or ["pass"]]


def comparisons(text: str) -> str:
    """``0 <= i < n`` as two comparisons, for te.all."""
    low, *rest = text.split(" <= ")
    if not rest or " < " not in rest[0]:
        return text
    value, high = rest[0].split(" < ")
    return f"{low} <= {value}, {value} < {high}"


def is_independent(body: Body, loop: str) -> bool:
    """True if the iterations of ``loop`` provably store to different elements."""
    if body.names:
        return False
    for name, words in body.stores:
        place = words.index(loop) if loop in words else None
        if place is None:
            return False
        accesses = body.stores | body.loads
        if any(words[place] != loop for buffer, words in accesses if buffer == name):
            return False
    return True
