"""Data types, match, references, recursion by ``let``, and the prelude, by Relay's names."""

from __future__ import annotations

import importlib
import random

import numpy as np
import pytest
from property_tests import is_sweep

import kc
from kc import relay
from kc.error import GraphError, KCError
from kc.graph.interpreter import DataValue
from kc.tvm.relay.prelude import Prelude

INT = relay.scalar_type("int32")


def run(mod: kc.IRModule, *arguments):
    return kc.graph.Interpreter(mod).run(*arguments)


def python_of(value):
    """A list of the prelude as a list, a tree as a tuple."""
    if not isinstance(value, DataValue):
        return tuple(map(python_of, value)) if isinstance(value, tuple) else value.item()
    if value.tag == "Rose":
        return (value.fields[0].item(), python_of(value.fields[1]))
    items = []
    while value.tag == "Cons":
        items.append(python_of(value.fields[0]))
        value = value.fields[1]
    return items


@pytest.fixture(scope="module")
def prelude() -> Prelude:
    return Prelude()


def value_of(prelude: Prelude, expr: relay.Expr):
    functions = {**prelude.mod.functions, "main": relay.Function([], expr)}
    return python_of(run(kc.IRModule(functions)))


def listed(prelude: Prelude, *numbers: int) -> relay.Expr:
    result = prelude.nil()
    for number in reversed(numbers):
        result = prelude.cons(relay.const(number), result)
    return result


def function(body, *names: str) -> relay.Function:
    params = [relay.Var(name, INT) for name in names]
    return relay.Function(params, body(*params))


def test_functions_of_lists(prelude: Prelude) -> None:
    p = prelude
    xs, ys = listed(p, 1, 5, 2), listed(p, 7, 8)
    twice = function(lambda x: x + x, "x")
    minus = function(lambda x, y: x - y, "x", "y")
    small = function(lambda x: relay.less(x, relay.const(3)), "x")
    pairs = relay.Tuple(
        [
            p.map(twice, xs), p.foldl(minus, relay.const(100), xs),
            p.foldr(minus, relay.const(0), xs), p.foldr1(minus, xs), p.concat(xs, ys),
            p.filter(small, xs), p.zip(xs, ys), p.rev(xs), p.sum(xs), p.length(ys), p.hd(ys),
            p.tl(xs), p.nth(xs, relay.const(1)), p.update(xs, relay.const(1), relay.const(9)),
            p.iterate(twice, relay.const(4))(relay.const(3)),
            p.compose(twice, function(lambda x: x * x, "x"))(relay.const(5)),
            p.flip(minus)(relay.const(1), relay.const(10)), p.id(relay.const(4)),
        ]
    )  # fmt: skip
    assert value_of(p, pairs) == (
        [2, 10, 4], 100 - 1 - 5 - 2, 1 - (5 - (2 - 0)), 1 - (5 - 2), [1, 5, 2, 7, 8],
        [1, 2], [(1, 7), (5, 8)], [2, 5, 1], 8, 2, 7, [5, 2], 5, [1, 9, 2], 48, 50, 9, 4,
    )  # fmt: skip


def test_unfolding_accumulating_and_trees(prelude: Prelude) -> None:
    p = prelude
    n = relay.Var("n", INT)
    down = relay.Function(
        [n],
        relay.If(
            relay.greater(n, relay.const(0)),
            p.some(relay.Tuple([n - relay.const(1), n])),
            p.none(),
        ),
    )
    running = function(lambda x, y: relay.Tuple([x + y, x * y]), "x", "y")
    xs = listed(p, 1, 2, 3)
    leaf = p.rose(relay.const(3), p.nil())
    tree = p.rose(relay.const(1), p.cons(leaf, p.cons(p.rose(relay.const(2), p.nil()), p.nil())))
    square = function(lambda x: x * x, "x")
    parts = relay.Tuple(
        [
            p.unfoldr(down, relay.const(3)), p.unfoldl(down, relay.const(3)),
            p.map_accuml(running, relay.const(10), xs), p.map_accumr(running, relay.const(10), xs),
            p.size(tree), p.tmap(square, tree),
        ]
    )  # fmt: skip
    assert value_of(p, parts) == (
        [3, 2, 1], [1, 2, 3], (16, [10, 22, 39]), (16, [15, 26, 30]), 3,
        (1, [(9, []), (4, [])]),
    )  # fmt: skip


def test_the_path_of_tvm() -> None:
    assert importlib.import_module("kc.relay.prelude").Prelude is Prelude
    assert importlib.import_module("kc.relay.adt").Match is relay.Match


def test_the_text_of_the_prelude_is_read_back(prelude: Prelude) -> None:
    text = prelude.mod.astext()
    assert "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}" in text
    assert "match? (%xs) {" in text
    assert str(relay.fromtext(text)) == str(prelude.mod)


def test_a_type_of_a_program() -> None:
    shape, x, y = relay.GlobalTypeVar("Shape"), relay.var("x", shape=()), relay.var("y", shape=())
    circle = relay.Constructor("Circle", [relay.scalar_type("float32")], shape)
    box = relay.Constructor("Box", [relay.scalar_type("float32")] * 2, shape)
    data = relay.TypeData(shape, [], [circle, box])
    s = relay.Var("s", shape())
    clauses = [
        relay.Clause(
            relay.PatternConstructor(circle, [relay.PatternVar(x)]), x * x * relay.const(3.0)
        ),
        relay.Clause(relay.PatternConstructor(box, [relay.PatternVar(x), relay.PatternVar(y)]),
                     x * y),
    ]  # fmt: skip
    area = relay.Function([s], relay.Match(s, clauses))
    a = relay.var("a", shape=())
    both = relay.GlobalVar("area")(circle(a)) + relay.GlobalVar("area")(box(a, relay.const(5.0)))
    mod = kc.IRModule({"Shape": data, "area": area, "main": relay.Function([a], both)})
    assert run(mod, np.float32(2)) == 12 + 10
    assert mod.get_type("Shape")[1:] == [circle, box]
    assert circle.tag == 0
    again = kc.IRModule({"area": mod["area"], "main": mod["main"]})
    assert run(again, np.float32(2)) == 12 + 10
    assert str(relay.fromtext(mod.astext())) == str(mod)
    with pytest.raises(GraphError, match="KC2482") as refused:
        kc.IRModule({"area": relay.Function([s], relay.Match(s, clauses[:1]))})
    assert "no case is that of Box(_, _)" in str(refused.value)
    partial = kc.IRModule({"main": relay.Function([s], relay.Match(s, clauses[:1], False))})
    assert run(partial, DataValue("Circle", (np.float32(1),))) == 3
    square = relay.TypeData(shape, [], [relay.Constructor("Square", [], shape)])
    with pytest.raises(GraphError, match="KC2484"):
        kc.IRModule({"Shape": square, "area": area})


def test_let_binds_a_function_that_calls_itself() -> None:
    i, f = relay.Var("i", INT), relay.Var("f")
    body = relay.If(relay.greater(i, relay.const(0)), i + f(i - relay.const(1)), relay.const(0))
    n = relay.Var("n", INT)
    let = relay.Let(f, relay.Function([i], body, INT), f(n))
    mod = kc.IRModule.from_expr(relay.Function([n], let))
    assert "graph.fn rec %f (%i: tensor<si32>)" in str(mod)
    assert run(mod, np.int32(10)) == 55
    text = mod["main"].astext()
    assert "let %f: fn (int32) -> int32 = fn (%i: int32) -> int32 {" in text or "let %f" in text
    assert str(relay.fromtext(text)) == str(mod)
    assert run(kc.IRModule.from_expr(mod["main"]), np.int32(10)) == 55


def test_references() -> None:
    x, r, u = relay.var("x", shape=()), relay.Var("r"), relay.Var("u")
    body = relay.Let(
        r, relay.RefCreate(x),
        relay.Let(u, relay.RefWrite(r, relay.RefRead(r) + x),
                  relay.RefRead(r) * relay.const(2.0)),
    )  # fmt: skip
    mod = kc.IRModule.from_expr(relay.Function([x], body))
    assert run(mod, np.float32(3)) == 12
    text = mod["main"].astext()
    assert str(relay.fromtext(text)["main"].astext()) == text
    assert run(relay.fromtext(text), np.float32(3)) == 12


MUTATED = """
type List[A] { Cons(A, List[A]), Nil, }
def @sum(%xs: List[(int32, Tensor[(2), float32])], %r: ref(int32)) -> int32 {
  let %f = fn (%ys: List[int32]) -> int32 {
    match (%ys) { Cons(%y, Cons(%z, %rest)) => { %y + %f(%rest) }, Cons(%y, _) => %y, Nil => 0 }
  };
  let %u = ref_write(%r, %f(Nil));
  match? ((%xs, %u)) { (Cons((%x, _), _), _) => %x + ref_read(%r), }
}
"""


def test_a_mutated_text_is_read_or_refused_with_one_diagnostic() -> None:
    assert "rec" in str(relay.fromtext(MUTATED))
    words = ["%y", "(", ")", "{", "}", "[", "]", ",", "=>", "Nil", "Cons", "_", "match", "A", "?"]
    generator = random.Random(43)
    errors: list[KCError] = []
    for _ in range(2000 if is_sweep() else 150):
        at, length = generator.randrange(len(MUTATED)), generator.choice([1, 1, 2, 5, 20])
        put = generator.choice(["", MUTATED[at : at + length] * 2, generator.choice(words)])
        try:
            relay.fromtext(MUTATED[:at] + put + MUTATED[at + length :])
        except KCError as error:
            errors.append(error)
    assert len(errors) > 50
    assert all(error.location is not None for error in errors)
    assert all(str(error).startswith("error[KC") for error in errors)


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("type A { X, X, }", "KC2466", "the constructor X is defined twice"),
        ("type A { X, } type A { Y, }", "KC2466", "the type A is defined twice"),
        ("type A[B] { X(A), }", "KC2465", "A has 1 parameters that are types"),
        ("type A { X, } def @main(%a: A) { match (%a) { Y => 1 } }", "KC2466",
         "there is no constructor Y"),
        ("type A { X, Y, } def @main(%a: A) -> int32 { match (%a) { X => 1 } }", "KC2482",
         "no case is that of Y()"),
        ("type A { X(int32), } def @main(%a: A) -> int32 { match (%a) { X(%b, %c) => 1 } }",
         "KC2400", "X has 1 fields, the pattern 2"),
        ("type A { X(int32), } def @main() -> A { X(1f) }", "KC2400",
         "it is tensor<f32>, and tensor<si32> here"),
        ("type A { X(", "KC2465", "a type is missing; here is the end of the text"),
    ],
)  # fmt: skip
def test_what_does_not_fit(text: str, code: str, part: str) -> None:
    with pytest.raises(GraphError) as refused:
        relay.fromtext(text)
    assert refused.value.code == code
    assert part in str(refused.value)
