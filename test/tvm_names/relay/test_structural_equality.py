"""Structural equality of expressions and modules of Relay, and hashes that follow it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
import kc.ir
from kc import relay

X, Y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
C = relay.var("c", shape=(), dtype="bool")


def function(name: str = "x", operator: str = "exp", dtype: str = "float32", **attrs: Any) -> Any:
    x = relay.var(name, shape=(2, 3), dtype=dtype)
    v = relay.var(f"v_{name}")
    value = getattr(relay, operator)(x)
    return relay.Function([x], relay.Let(v, value, v + v), attrs=attrs)


def shared(is_shared: bool) -> relay.Expr:
    first = relay.exp(X)
    return first + (first if is_shared else relay.exp(X))


# name -> two expressions, equal or not, with free variables mapped or not
PAIRS: dict[str, tuple[Any, Any, bool, bool]] = {
    "names of bound variables": (function("x"), function("y"), True, False),
    "operators": (function(), function(operator="log"), False, False),
    "types of parameters": (function(), function(dtype="float64"), False, False),
    "attributes of functions": (function(), function(Primitive=1), False, False),
    "free variables": (X + Y, X + Y, True, False),
    "free variables exchanged": (X - Y, Y - X, False, False),
    "free variables mapped": (X - Y, Y - X, True, True),
    "free variables mapped to one": (X - Y, X - X, False, True),
    "free variables of other types": (relay.exp(X), relay.exp(C), False, True),
    "constants": (X + relay.const(1.0), X + relay.const(1.0), True, False),
    "NaN": (relay.const(np.nan), relay.const(np.nan), True, False),
    "values of constants": (X + relay.const(1.0), X + relay.const(2.0), False, False),
    "dtypes of constants": (relay.const(1), relay.const(1.0), False, False),
    "shapes of constants": (relay.const([1.0]), relay.const(1.0), False, False),
    "attributes": (relay.sum(X, axis=1), relay.sum(X, axis=0), False, False),
    "attributes that are defaults": (relay.sum(X), relay.sum(X, axis=None), True, False),
    "sharing": (shared(True), shared(False), False, False),
    "sharing on both sides": (shared(False), shared(False), True, False),
    "tuples": (relay.Tuple([X, Y]), relay.Tuple([X, Y]), True, False),
    "fields": (relay.Tuple([X, Y])[0], relay.TupleGetItem(relay.Tuple([X, Y]), 0), False, False),
    "branches": (relay.If(C, X, Y), relay.If(C, Y, X), False, False),
    "global functions": (relay.GlobalVar("f")(X), relay.GlobalVar("g")(X), False, False),
    "sizes that are not known": (
        relay.Function([v := relay.var("v", shape=(relay.Any(), 2))], v),
        relay.Function([w := relay.var("w", shape=(relay.Any(), 2))], w),
        True,
        False,
    ),
    "references": (
        relay.RefRead(relay.RefCreate(X)),
        relay.RefRead(relay.RefCreate(X)),
        True,
        False,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str):
    left, right, is_equal, is_mapped = PAIRS[name]
    for a, b in ((left, right), (right, left)):
        assert kc.ir.structural_equal(a, b, map_free_vars=is_mapped) == is_equal
    assert kc.ir.structural_equal(left, left)
    if is_equal:
        kc.ir.assert_structural_equal(left, right, is_mapped)
        hashes = {kc.ir.structural_hash(each, is_mapped) for each in (left, right)}
        assert len(hashes) == 1
    else:
        with pytest.raises(AssertionError, match="is not"):
            kc.ir.assert_structural_equal(left, right, is_mapped)


def test_unequal_expressions_have_different_hashes():
    hashes = {
        name: kc.ir.structural_hash(pair[0])
        for name, pair in PAIRS.items()
        if name in ("operators", "free variables", "constants", "attributes", "branches")
    }
    assert len(set(hashes.values())) == len(hashes)
    assert kc.ir.structural_hash(X - Y) != kc.ir.structural_hash(Y - X)


def test_modules():
    mod = kc.IRModule({"main": function("a"), "other": function("b", "log")})
    same = kc.IRModule({"other": function("d", "log"), "main": function("c")})
    assert kc.ir.structural_equal(mod, same)
    assert kc.ir.structural_hash(mod) == kc.ir.structural_hash(same)
    kc.ir.assert_structural_equal(mod, kc.IRModule.parse(str(mod)))
    for different in (
        kc.IRModule({"main": function("a")}),
        kc.IRModule({"main": function("a"), "log": function("b", "log")}),
        kc.IRModule({"main": function("a"), "other": function("b", "tanh")}),
    ):
        assert not kc.ir.structural_equal(mod, different)
        with pytest.raises(AssertionError):
            kc.ir.assert_structural_equal(mod, different)
    assert not kc.ir.structural_equal(mod, function("a"))


def test_a_module_after_a_pass_and_its_inverse():
    x, w = relay.var("x", shape=(1, 8)), relay.var("w", shape=(4, 8))
    mod = kc.IRModule.from_expr(relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w))))
    fused = relay.transform.FuseOps(fuse_opt_level=2)(mod)
    assert not kc.ir.structural_equal(fused, mod)
    assert kc.ir.structural_equal(relay.transform.DefuseOps()(fused), mod)


def test_long_chains():
    def chain(name: str) -> Any:
        x = y = relay.var(name, shape=(2,))
        for _ in range(3000):
            y = relay.exp(y)
        return relay.Function([x], y)

    assert kc.ir.structural_equal(chain("a"), chain("b"))
    assert kc.ir.structural_hash(chain("a")) == kc.ir.structural_hash(chain("b"))


def counts(name: str, constructor: str = "Cons") -> relay.Function:
    """1 for a list that begins with a constructor, else 0."""
    mod = kc.IRModule()
    prelude = relay.Prelude(mod)
    _, cons, nil = mod.get_type("List")
    chosen = {"Cons": cons, "Nil": nil}[constructor]
    element, rest = relay.var(f"{name}_e"), relay.var(f"{name}_r")
    fields = [relay.PatternVar(element), relay.PatternVar(rest)] if constructor == "Cons" else []
    del prelude
    data = relay.var(name)
    clauses = [
        relay.Clause(relay.PatternConstructor(chosen, fields), element if fields else data),
        relay.Clause(relay.PatternWildcard(), data),
    ]
    return relay.Function([data], relay.Match(data, clauses))


def test_matches_of_data_types():
    assert kc.ir.structural_equal(counts("a"), counts("b"))
    assert kc.ir.structural_hash(counts("a")) == kc.ir.structural_hash(counts("b"))
    assert not kc.ir.structural_equal(counts("a"), counts("a", "Nil"))
    assert relay.analysis.well_formed(counts("a"))
