"""The grammar of options, what errors show, and that printing is reading backwards."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kc.support.diagnostics import InputError
from kc.support.options import (
    Option,
    Options,
    PassSpec,
    Word,
    caret,
    format_pipeline,
    parse_pipeline,
)


def test_every_kind_of_value():
    text = 'block=C loop=j factors=?,32 unsafe scope=wmma.matrix_a name="x y" map=[(i,j)->(j,i)]'
    options = Options.parse(text)
    assert [
        (option.name, option.words and [word.text for word in option.words]) for option in options
    ] == [
        ("block", ["C"]),
        ("loop", ["j"]),
        ("factors", ["?", "32"]),
        ("unsafe", None),
        ("scope", ["wmma.matrix_a"]),
        ("name", ["x y"]),
        ("map", ["[(i,j)->(j,i)]"]),
    ]
    assert str(options) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        ("  a=1   b=2 ", "a=1 b=2"),
        ("a='x'", 'a="x"'),
        (r'a="\"\\"', r'a="\"\\"'),
        ("a='it\"s'", r'a="it\"s"'),
        ("a=memref<4xf32>,b", "a=memref<4xf32>,b"),
        ('a={x=1,"}"},(])', None),
        ('a={x=1,"}"},c', 'a={x=1,"}"},c'),
        ("a-b_c.d=-1.5e3", "a-b_c.d=-1.5e3"),
    ],
)
def test_printing_normalises(text, printed):
    if printed is None:
        with pytest.raises(InputError):
            Options.parse(text)
        return
    assert str(Options.parse(text)) == printed
    assert Options.parse(printed) == Options.parse(text)


def test_positions():
    options = Options.parse("block=C factors=?,32")
    factors = options.get("factors")
    assert factors is not None
    assert factors.words is not None
    assert (factors.start, factors.end) == (8, 20)
    assert [(word.start, word.end) for word in factors.words] == [(16, 17), (18, 20)]


def test_names_with_dash_or_underscore_are_one():
    options = Options.parse("max_depth=3 b")
    assert options.get("max-depth") == Option("max_depth", (Word("3"),))
    assert str(options.without("max-depth")) == "b"
    assert len(options) == 2


names = st.from_regex(r"[a-z][a-z0-9_.-]{0,5}", fullmatch=True)
words = st.builds(Word, st.text(min_size=0, max_size=8).filter(lambda text: text != ""))
options_strategy = st.lists(
    st.builds(Option, names, st.none() | st.lists(words, min_size=1, max_size=3).map(tuple)),
    max_size=4,
    unique_by=lambda option: option.name.replace("-", "_"),
).map(lambda items: Options(tuple(items)))


@given(options_strategy)
def test_round_trip(options):
    again = Options.parse(str(options))
    assert [(option.name, option.text, option.words is None) for option in again] == [
        (option.name, option.text, option.words is None) for option in options
    ]
    assert str(again) == str(options)


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(InputError):
        options = Options.parse(text)
        assert Options.parse(str(options)) == options


ERRORS = {
    "block=C loop==j": (
        "error[KC0010]: split: expected a value\n   |  block=C loop==j\n   |               ^"
    ),
    "1=2": "error[KC0010]: split: expected the name of an option\n   |  1=2\n   |  ^",
    "a=1 b=2 a=3": (
        "error[KC0014]: split: option 'a' is given twice\n   |  a=1 b=2 a=3\n   |          ^^^"
    ),
    "a-b=1 a_b=2": (
        "error[KC0014]: split: option 'a_b' is given twice\n   |  a-b=1 a_b=2\n   |        ^^^^^"
    ),
    "block=C,loop=j": (
        "error[KC0010]: split: options are separated by spaces, not commas\n"
        "   |  block=C,loop=j\n"
        "   |         ^\n"
        "  try: put a value with ',' or '=' in it in quotes"
    ),
    "a=b=c": (
        "error[KC0010]: split: '=' in a value\n"
        "   |  a=b=c\n"
        "   |     ^\n"
        "  try: put the value in quotes"
    ),
    "map=[(i,j": "error[KC0010]: split: this ( is not closed\n   |  map=[(i,j\n   |       ^",
    "map=(i]": (
        "error[KC0010]: split: ']' does not close the '(' before it\n   |  map=(i]\n   |        ^"
    ),
    "a='x": "error[KC0010]: split: this ' is not closed\n   |  a='x\n   |    ^",
    'a="x"y': (
        'error[KC0010]: split: expected a space before the next option\n   |  a="x"y\n   |       ^'
    ),
    "a,b": "error[KC0010]: split: options are separated by spaces\n   |  a,b\n   |   ^",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_point_at_the_place(text):
    with pytest.raises(InputError) as caught:
        Options.parse(text, "split")
    assert str(caught.value) == ERRORS[text]


def test_caret_in_long_text():
    text = "a" * 200 + "X" + "b" * 200
    shown, marker = caret(text, 200)
    assert shown == "..." + "a" * 45 + "X" + "b" * 44 + "..."
    assert shown[marker.index("^")] == "X"
    assert caret("one\ntwo three\n", 8, 13) == ["two three", "    ^^^^^"]


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("cse", ["cse"]),
        ("builtin.module()", []),
        ("builtin.module(cse,dce)", ["cse", "dce"]),
        (" builtin.module( cse , dce ) ", ["cse", "dce"]),
        ("builtin.module(func.func(cse{a b=1},any(dce)),cse)", ["cse{a b=1}", "dce", "cse"]),
        ("split{block=C factors=?,32},vectorize{}", ["split{block=C factors=?,32}", "vectorize"]),
        ('a{x={y="}"}}', ['a{x={y="}"}}']),
    ],
)
def test_pipelines(text, specs):
    parsed = parse_pipeline(text)
    assert list(map(str, parsed)) == specs
    assert format_pipeline(parsed) == f"builtin.module({','.join(specs)})"
    assert parse_pipeline(format_pipeline(parsed)) == parsed


def test_options_of_a_pipeline_keep_their_places():
    (spec,) = parse_pipeline("builtin.module(split{block=C})")
    assert isinstance(spec, PassSpec)
    option = spec.options.get("block")
    assert option is not None
    assert spec.options.source[option.start : option.end] == "block=C"


PIPELINE_ERRORS = {
    "": "error[KC0010]: pass pipeline: expected the name of a pass",
    "cse,": ("error[KC0010]: pass pipeline: expected the name of a pass\n   |  cse,\n   |      ^"),
    "builtin.modul(cse)": (
        "error[KC0010]: pass pipeline: 'builtin.modul' is not an op that passes can be nested "
        "under\n"
        "   |  builtin.modul(cse)\n"
        "   |  ^\n"
        "  try: did you mean 'builtin.module' or 'gpu.module'?"
    ),
    "cse{a=1": "error[KC0010]: cse: this { is not closed\n   |  cse{a=1\n   |     ^",
    "cse{a=[}": (
        "error[KC0010]: cse: '}' does not close the '[' before it\n   |  cse{a=[}\n   |         ^"
    ),
    "builtin.module(cse": (
        "error[KC0010]: pass pipeline: this ( is not closed\n"
        "   |  builtin.module(cse\n"
        "   |                ^"
    ),
    "builtin.module(cse dce)": (
        "error[KC0010]: pass pipeline: expected ',' or ')'\n"
        "   |  builtin.module(cse dce)\n"
        "   |                     ^"
    ),
    "cse)dce": (
        "error[KC0010]: pass pipeline: expected ',' or the end of the pipeline\n"
        "   |  cse)dce\n"
        "   |     ^"
    ),
}


@pytest.mark.parametrize("text", PIPELINE_ERRORS)
def test_errors_in_pipelines(text):
    with pytest.raises(InputError) as caught:
        parse_pipeline(text)
    assert str(caught.value) == PIPELINE_ERRORS[text]
