"""Relay's text, read and printed: the same graph, and one diagnostic for a mutated text."""

from __future__ import annotations

import random

import numpy as np
import pytest
from property_tests import is_sweep

import kc
from kc import relay
from kc.error import GraphError, KCError
from kc.graph.interpreter import Interpreter

PROGRAM = """#[version = "0.0.5"]
def @g(%a: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] { exp(%a) }
/* a comment /* in which another one stands */ */
def @main(%x: Tensor[(1, 8), float32], %c: bool, %t: (Tensor[(1, 8), float32], float32)) {
  %0 = nn.relu(%x) /* ty=Tensor[(1, 8), float32] */; // a line
  %1 = (%0, meta[relay.Constant][0]);
  %2 = concatenate(%1, axis=1);
  let %v: Tensor[(1, 8), float32] = if (%c) { %3 = log(%0 + 1f); %3 + %0 } else { @g(%0) };
  %4 = fn (%p: Tensor[(1, 8), float32], Primitive=1) -> Tensor[(1, 8), float32] { tanh(%p) };
  %5 = %4(%v * %x - 2f / %t.1);
  let %v = negative(%v);
  let %h = fn (%q: Tensor[(1, 8), float32]) { %q + %v };
  (%5, split(%2, indices_or_sections=[8], axis=1).0, %t.0 < -1.5f, %h(%v), 2i64, (True,), ())
}
#[metadata]
{"relay.Constant": [{"dtype": "float32", "shape": [1, 2], "data": "AACAPwAAAEA="}]}
"""


def test_a_text_of_every_construct_computes_what_it_says():
    x = np.array([[-2, -1, 0, 1, 2, 3, 4, 5]], "f4")
    t = (x - 2, np.float32(4))
    mod = relay.fromtext(PROGRAM)
    again = relay.fromtext(mod.astext())
    assert again.astext() == mod.astext() == mod.script(style="relay")
    # The second %v is printed as %v_1.
    assert str(again).replace('"v_1"', '"v"') == str(mod)
    positive = np.maximum(x, 0)
    for chosen, v in ((True, np.log(positive + 1) + positive), (False, np.exp(positive))):
        results = Interpreter(mod).run(x, np.array(chosen), t)
        expected = (np.tanh(v * x - 0.5), positive, x - 2 < -1.5, -2 * v, 2, (True,), ())
        for actual, wanted in zip(results[:5], expected[:5], strict=True):
            np.testing.assert_allclose(actual, wanted, rtol=1e-5)
        assert results[5][0]
        assert results[6] == ()


def test_shared_expressions_are_printed_before_the_branches_that_use_them():
    x, c = relay.var("x", shape=(2, 3)), relay.var("c", shape=(), dtype="bool")
    shared, number = relay.exp(x), relay.const(2.5)
    weights = relay.const(np.arange(6, dtype="f4").reshape(2, 3))
    pair = relay.Tuple([shared, x])
    inner = relay.If(c, relay.log(shared), pair[0] * number)
    whole = relay.If(c, inner + weights, shared + weights + number)
    mod = kc.IRModule.from_expr(relay.Function([x, c], whole))
    text = mod.astext()
    assert text.index("exp(%x)") < text.index("if (%c)") < text.index("log(")
    assert str(relay.fromtext(text)) == str(mod)


def test_chains_that_are_long_and_names_that_are_no_words():
    y = x = relay.var("input.1", shape=(2,))
    for _ in range(1500):
        y = relay.exp(y)
    text = kc.IRModule.from_expr(relay.Function([x], y)).astext()
    assert "(%input_1: Tensor[(2,), float32])" in text
    assert relay.fromtext(text).astext() == text


def test_sizes_with_names():
    text = "fn (%x: Tensor[(n, floordiv(m + 3, 4)), float32]) { exp(%x) }"
    printed = relay.fromtext(text).astext()
    assert "-> Tensor[(n, floordiv(m + 3, 4)), float32]" in printed
    assert relay.fromtext(printed).astext() == printed


@pytest.mark.parametrize(
    ("dtype", "text", "value"),
    [
        ("float32", "0.1f", np.float32(0.1)),
        ("float64", "1e-300f64", 1e-300),
        ("float16", "1.5f16", 1.5),
        ("int32", "-7", -7),
        ("int64", "9000000000i64", 9000000000),
        ("bool", "True", True),
    ],
)
def test_scalars(dtype: str, text: str, value: float):
    constant = kc.parser.parse_expr(text)
    assert isinstance(constant, relay.Constant)
    assert constant.dtype == dtype
    assert constant.data.numpy() == value
    assert constant.astext().startswith(text)


MISTAKES = {
    "def @main(%x: float32) {\n  exp(%x\n}": ("KC2465", 3, 1),
    "def @main(%x: float32) {\n  exp(%y)\n}": ("KC2466", 2, 7),
    "def @main(%x: float32) {\n  exq(%x)\n}": ("KC2404", 2, 3),
    "fn (%x: float33) { %x }": ("KC2466", 1, 9),
    "fn (%x: float32) {\n  exp(%x, axes=3) }": ("KC2405", 2, 3),
    "fn (%x: float32) { @f(%x) }": ("KC2466", 1, 20),
    "fn (%x: Tensor[(2, 3), float32]) {\n  exp(%x) +\n  nn.dense(%x, %x, units=4) }": (
        "KC2400",
        3,
        3,
    ),
    "fn (%x: float32) { meta[relay.Constant][0] }": ("KC2466", 1, 41),
    "fn () { 1 } /* open": ("KC2465", 1, 13),
    "extern type List[A]": ("KC2408", 1, 1),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text: str):
    with pytest.raises(GraphError) as caught:
        relay.fromtext(text)
    place = caught.value.location
    assert place is not None
    assert (caught.value.code, place.line, place.column) == MISTAKES[text]
    assert text.split("\n")[place.line - 1].strip() in str(caught.value)


def mutated(generator: random.Random) -> str:
    """The program with a change at one place: a character or a word lost, doubled or replaced."""
    words = [
        "%",
        "@",
        "(",
        "}",
        "]",
        "let",
        "fn",
        "if",
        "0",
        "-1",
        ".",
        ";",
        '"',
        "meta",
        "/*",
        "#",
    ]
    at = generator.randrange(len(PROGRAM))
    length = generator.choice([1, 1, 2, 5, 20])
    inserted = generator.choice(["", PROGRAM[at : at + length] * 2, generator.choice(words)])
    return PROGRAM[:at] + inserted + PROGRAM[at + length :]


def test_a_mutated_text_is_read_or_refused_with_one_diagnostic():
    generator = random.Random(43)
    errors = [
        (text, error)
        for _ in range(5000 if is_sweep() else 500)
        if (error := refusal(text := mutated(generator))) is not None
    ]
    assert len(errors) > 200
    for text, error in errors:
        assert error.location is not None, text
        assert str(error).startswith("error[KC"), text


def refusal(text: str) -> KCError | None:
    """The diagnostic for a text; None if it is read. Other exceptions are not caught."""
    try:
        relay.fromtext(text)
    except KCError as error:
        return error
    return None
