"""Signatures: derived sizes, the machine-level parameters, JSON, and what is refused."""

from __future__ import annotations

import pytest
from call_kernels import array, scalar
from hypothesis import given
from hypothesis import strategies as st

from kc.runtime.signature import AffineDim, ArgSpec, Dim, DimOp, Signature, evaluate, symbols_of
from kc.support.diagnostics import CallError, InternalError

OPS: list[DimOp] = ["add", "mul", "floordiv", "ceildiv", "mod"]

dims: st.SearchStrategy[Dim] = st.recursive(
    st.integers(1, 9) | st.sampled_from(["n", "m"]),
    lambda inner: st.builds(AffineDim, st.sampled_from(OPS), inner, inner),
    max_leaves=6,
)


def python_value(dim: Dim, symbols: dict[str, int]) -> int | None:
    """A size by Python's own arithmetic on its text; the text needs no precedence."""
    text = str(dim).replace("floordiv", "//").replace("mod", "%")
    if "ceildiv" in text:
        text = text.replace("ceildiv", "@")
    scope = {name: Number(value) for name, value in symbols.items()}
    for digit in range(1, 10):
        text = text.replace(f"{digit}", f"c{digit}")
        scope[f"c{digit}"] = Number(digit)
    try:
        return eval(text, scope).value  # noqa: S307
    except ZeroDivisionError:
        return None


class Number:
    """An integer whose ``@`` rounds a quotient up, and whose divisors must be positive."""

    def __init__(self, value: int) -> None:
        self.value = value

    def divisor(self) -> int:
        if self.value <= 0:
            raise ZeroDivisionError
        return self.value

    def __add__(self, other: Number) -> Number:
        return Number(self.value + other.value)

    def __mul__(self, other: Number) -> Number:
        return Number(self.value * other.value)

    def __floordiv__(self, other: Number) -> Number:
        return Number(self.value // other.divisor())

    def __mod__(self, other: Number) -> Number:
        return Number(self.value % other.divisor())

    def __matmul__(self, other: Number) -> Number:
        quotient, rest = divmod(self.value, other.divisor())
        return Number(quotient + (rest > 0))


@given(dim=dims, n=st.integers(-5, 20), m=st.integers(-5, 20))
def test_evaluate(dim: Dim, n: int, m: int) -> None:
    symbols = {"n": n, "m": m}
    assert evaluate(dim, symbols) == python_value(dim, symbols)


def test_text_of_a_size() -> None:
    dim = AffineDim.floordiv(AffineDim.add(AffineDim.mul("n", 2), 3), "m")
    assert str(dim) == "((n * 2) + 3) floordiv m"
    assert list(symbols_of(dim)) == ["n", "m"]
    assert str(AffineDim.ceildiv("n", 4)) == "n ceildiv 4"
    assert str(AffineDim.mod("n", 4)) == "n mod 4"


SIGNATURE = Signature(
    "f",
    (
        array("A", "float32", "n", 4, AffineDim.add("n", "m"), alignment=32),
        scalar("k", "float16"),
        array("B", "bool", role="out"),
        scalar("m", "int32", symbol="m"),
        array("C", "uint8", "m", role="inout"),
    ),
    ("n", "m"),
)


def test_text_of_a_signature() -> None:
    assert str(SIGNATURE) == (
        "f(A: float32[n, 4, n + m], k: float16, B: out bool[], m: int32, C: inout uint8[m])"
    )


def test_machine_types() -> None:
    assert SIGNATURE.machine_types == ("ptr", "i64", "i64", "half", "ptr", "i32", "ptr", "i64")


def test_what_binds_a_symbol() -> None:
    assert SIGNATURE.binders == {"n": (0, 0), "m": (3, None)}


def test_default_alignment_is_that_of_an_element() -> None:
    assert [arg.alignment for arg in SIGNATURE.args if arg.is_array] == [32, 1, 1]
    assert array("A", "float64", 3).alignment == 8


def test_json() -> None:
    assert Signature.from_json(SIGNATURE.to_json()) == SIGNATURE


@given(shape=st.lists(dims, max_size=3).map(tuple))
def test_json_of_sizes(shape: tuple[Dim, ...]) -> None:
    args = (scalar("n", "int64", "n"), scalar("m", "int64", "m"), array("A", "int8", *shape))
    signature = Signature("f", args, ("n", "m"))
    assert Signature.from_json(signature.to_json()) == signature


def test_a_symbol_that_no_argument_gives() -> None:
    with pytest.raises(CallError) as caught:
        Signature("f", (array("A", "int8", AffineDim.mul("n", 2)),), ("n",))
    assert str(caught.value) == (
        "error[KC5122]: f: no argument determines the size n\n"
        "   |  f(A: int8[n * 2])\n"
        "  why: a size must be a dimension of an array argument, or a scalar argument\n"
        "  try: make n an argument of f"
    )


def test_malformed_signatures_are_bugs_of_the_caller() -> None:
    with pytest.raises(InternalError, match="no such dtype: float31"):
        array("A", "float31")
    with pytest.raises(InternalError, match="alignment 48 is not a power of two of at most 64"):
        array("A", "int8", alignment=48)
    with pytest.raises(InternalError, match="alignment 128 is not"):
        array("A", "int8", alignment=128)
    with pytest.raises(InternalError, match="only an int32 or int64 can be a size"):
        scalar("x", "float32", symbol="n")
    with pytest.raises(InternalError, match="only an int32 or int64 can be a size"):
        ArgSpec("A", "array", "int64", symbol="n")
    with pytest.raises(InternalError, match="f: symbols not declared: m, n"):
        Signature("f", (array("A", "int8", "n", AffineDim.mod("m", 2)),))
    with pytest.raises(InternalError, match="the divisor of a size must be positive: n mod 0"):
        AffineDim.mod("n", 0)
    with pytest.raises(InternalError, match="no such operation on sizes: sub"):
        AffineDim("sub", "n", 1)  # type: ignore[arg-type]
