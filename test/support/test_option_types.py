"""Options as fields of dataclasses: every type, both ways, and what a mistake is told."""

import enum
from dataclasses import dataclass, field
from typing import Literal

import pytest

from kc.support.diagnostics import InputError, ScheduleError
from kc.support.option_types import from_options, placeholder, to_options
from kc.support.options import Options


class Kind(enum.Enum):
    FAST = "fast"
    SMALL = "small"


@dataclass(frozen=True)
class Even:
    value: int

    @classmethod
    def from_option(cls, text: str) -> "Even":
        value = int(text)
        if value == 13:
            raise ScheduleError("KC3999", "13 is out of luck")
        if value % 2:
            raise ValueError(f"{value} is odd")
        return cls(value)

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Everything:
    block: str = field(metadata={"help": "the block"})
    factors: tuple[int | None, ...] = ()
    at_most: int | None = None
    ratio: float = 1.0
    unsafe: bool = False
    pair: tuple[int, str] = (0, "a")
    kind: Kind = Kind.FAST
    level: Literal[0, 1, "max"] = 0
    even: Even = Even(0)
    either: int | str = 0

    def __post_init__(self) -> None:
        if self.block == "bad":
            raise ValueError("the block is bad")


def read(text: str) -> Everything:
    return from_options(Everything, Options.parse(text), "demo")


def test_every_type():
    assert read(
        "block=C factors=?,32 at-most=7 ratio=2 unsafe pair=3,x kind=small level=max even=4 "
        "either=b"
    ) == Everything("C", (None, 32), 7, 2.0, True, (3, "x"), Kind.SMALL, "max", Even(4), "b")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("factors=8", "factors", (8,)),
        ("factors=[?,8]", "factors", (None, 8)),
        ("factors=none,2", "factors", (None, 2)),
        ("at_most=none", "at_most", None),
        ("at-most=?", "at_most", None),
        ("unsafe=false", "unsafe", False),
        ("unsafe=1", "unsafe", True),
        ("level=1", "level", 1),
        ("either=12", "either", 12),
        ("ratio=1e-3", "ratio", 0.001),
    ],
)
def test_spellings(text, name, value):
    assert getattr(read(f"block=C {text}"), name) == value


@pytest.mark.parametrize(
    ("text", "block"),
    [("block=a.b", "a.b"), ('block="a b"', "a b"), ("block=a,b", "a,b"), ('block="a,b"', "a,b")],
)
def test_text(text, block):
    assert read(text).block == block


@pytest.mark.parametrize(
    "text",
    [
        "block=C",
        "block=C factors=?,32 unsafe",
        'block="a b" at-most=3 ratio=0.5 pair=1,b kind=small level=max even=2 either=x',
    ],
)
def test_printing_leaves_defaults_out(text):
    value = read(text)
    assert str(to_options(value)) == text
    assert from_options(Everything, to_options(value), "demo") == value


ERRORS = {
    "factors=1": (
        "error[KC0013]: demo: the option 'block' is missing\n"
        "   |  block: the block\n"
        "  try: block=<name>"
    ),
    "blok=C": (
        "error[KC0011]: demo: there is no option 'blok'\n"
        "   |  blok=C\n"
        "   |  ^^^^\n"
        "  try: did you mean 'block'?"
    ),
    "block=C factors=8,x": (
        "error[KC0012]: demo: option 'factors' takes an integer, not 'x'\n"
        "   |  block=C factors=8,x\n"
        "   |                    ^"
    ),
    "block=C factors": (
        "error[KC0012]: demo: option 'factors' takes a list, each an integer, not nothing\n"
        "   |  block=C factors\n"
        "   |          ^^^^^^^"
    ),
    "block=C at-most=1,2": (
        "error[KC0012]: demo: option 'at-most' takes an integer, not '2'\n"
        "   |  block=C at-most=1,2\n"
        "   |                    ^"
    ),
    "block=C unsafe=maybe": (
        "error[KC0012]: demo: option 'unsafe' takes true or false, not 'maybe'\n"
        "   |  block=C unsafe=maybe\n"
        "   |                 ^^^^^"
    ),
    "block=C pair=1": (
        "error[KC0012]: demo: option 'pair' takes 2 values, not '1'\n"
        "   |  block=C pair=1\n"
        "   |          ^^^^^^"
    ),
    "block=C kind=quick": (
        "error[KC0012]: demo: option 'kind' takes one of fast, small, not 'quick'\n"
        "   |  block=C kind=quick\n"
        "   |               ^^^^^"
    ),
    "block=C level=2": (
        "error[KC0012]: demo: option 'level' takes one of 0, 1, max, not '2'\n"
        "   |  block=C level=2\n"
        "   |                ^"
    ),
    "block=C even=3": (
        "error[KC0012]: demo: option 'even' takes an even (3 is odd), not '3'\n"
        "   |  block=C even=3\n"
        "   |               ^"
    ),
    "block=C even=13": (
        "error[KC3999]: 13 is out of luck\n   |  block=C even=13\n   |          ^^^^^^^"
    ),
    "block=bad": "error[KC0012]: demo: the block is bad",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    with pytest.raises((InputError, ScheduleError)) as caught:
        read(text)
    assert str(caught.value) == ERRORS[text]


@dataclass(frozen=True)
class Spelled:
    loop: str = field(metadata={"also": {"axis": "*"}})
    factors: tuple[int | None, ...] = field(
        default=(), metadata={"also": {"factor": "?,*", "nparts": "*,?"}}
    )
    scope: str = field(default="", metadata={"python": "storage_scope"})
    buffer: int = field(kw_only=True, metadata={"python": "buffer_index", "implied": "7"})
    a: str = field(default="", metadata={"python": "either"})
    b: str = field(default="", metadata={"python": "either"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loop=i", Spelled("i", buffer=7)),
        ("loops=i", Spelled("i", buffer=7)),
        ("axis=i factor=16", Spelled("i", (None, 16), buffer=7)),
        ("axis=i nparts=4", Spelled("i", (4, None), buffer=7)),
        ("loop=i factors=2,3", Spelled("i", (2, 3), buffer=7)),
        ("loop=i storage-scope=local buffer-index=1", Spelled("i", (), "local", buffer=1)),
    ],
)
def test_other_spellings_and_what_is_implied(text, expected):
    assert from_options(Spelled, Options.parse(text), "demo") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "loop=i factor=2 nparts=3",
            "error[KC0014]: demo: 'factor' and 'nparts' are the same option\n"
            "   |  loop=i factor=2 nparts=3\n"
            "   |                  ^^^^^^^^",
        ),
        (
            "axis=i buffer_index=x",
            "error[KC0012]: demo: option 'buffer_index' takes an integer, not 'x'\n"
            "   |  axis=i buffer_index=x\n"
            "   |                      ^",
        ),
        (
            "loop=i either=x",
            "error[KC0011]: demo: there is no option 'either'\n"
            "   |  loop=i either=x\n"
            "   |         ^^^^^^\n"
            "  try: options of demo: loop, factors, scope, buffer, a, b",
        ),
    ],
)
def test_mistakes_are_told_in_the_spelling_of_the_user(text, message):
    with pytest.raises(InputError) as caught:
        from_options(Spelled, Options.parse(text), "demo")
    assert str(caught.value) == message


def test_no_options_at_all():
    @dataclass(frozen=True)
    class Nothing:
        pass

    with pytest.raises(InputError) as caught:
        from_options(Nothing, Options.parse("x"), "nothing")
    assert str(caught.value) == (
        "error[KC0011]: nothing: there is no option 'x'\n"
        "   |  x\n"
        "   |  ^\n"
        "  try: nothing has no options"
    )


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        (int, "<int>"),
        (int | None, "<int>"),
        (tuple[int | None, ...], "?|<int>,..."),
        (tuple[int, str], "<int>,<name>"),
        (Kind, "fast|small"),
        (Literal["a", "b"], "a|b"),
        (Even, "<even>"),
        (bool, "true|false"),
    ],
)
def test_placeholders(annotation, shown):
    assert placeholder(annotation) == shown
