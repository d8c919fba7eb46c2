"""Computations during the reading of TVMScript have bounds: a short text ends soon, in a
diagnostic.
"""

import time

import numpy as np
import pytest

import kc
from kc.script import from_source

LINES = """
@T.prim_func
def main(B: T.Buffer((8,), "int32")):
    for i in T.serial(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            {}
"""
HALVES = "\n            ".join(f"t{n + 1} = (t{n}, t{n})" for n in range(40))
MACROS = "@T.macro\ndef m0(B):\n    B[0] = 1\n" + "".join(
    f"@T.macro\ndef m{n}(B):\n    m{n - 1}(B)\n    m{n - 1}(B)\n" for n in range(1, 30)
)


def function(statement: str) -> str:
    return LINES.format(statement)


def run(text: str) -> list[int]:
    """The elements of B, which are -1 before."""
    given = np.full(8, -1, np.int32)
    kc.build(from_source(text))(given)
    return given.tolist()


def refused(text: str) -> kc.KCError:
    start = time.process_time()
    with pytest.raises(kc.KCError) as refusal:
        from_source(text)
    assert time.process_time() - start < 3
    return refusal.value


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("10 ** 10 ** 8", "a number of 300000001 bits is computed"),
        ("2 ** 2 ** 40", "a number of 1099511627777 bits is computed"),
        ("pow(3, 10 ** 7)", "a number of 10000001 bits is computed"),
        ("1 << 10 ** 11", "a number of 100000000001 bits is computed"),
        ("(1 << 4000) * (1 << 4000)", "a number of 8002 bits is computed"),
        ("0x" + "f" * 2000, "a number of 8000 bits is computed"),
        ("round(5, -(10 ** 9))", "a number of 1000000000 bits is computed"),
        ("len('ab' * 10 ** 11)", "a sequence of 200000000000 elements is computed"),
        ("len(10 ** 11 * (1,))", "a sequence of 100000000000 elements is computed"),
        ("len((1,) * 60000 + (1,) * 60000)", "a sequence of 120000 elements is computed"),
        ("max(range(10 ** 12))", "a sequence of 1000000000000 elements is computed"),
        ("max(range(0, -(10 ** 30), -1))", f"a sequence of {10**30} elements is computed"),
        ("1.5 in range(10 ** 12)", "a sequence of 1000000000000 elements is computed"),
        ("len([x for x in range(10 ** 9)])", "a sequence of 1000000000 elements is computed"),
        ("'%1000000000d' % 3", "a formatted string is computed"),
        ("len([1 for x in range(60000) for y in range(60000) if 0])", None),
        ("len([1 for x in range(60000) if (1,) * 60000 == (2,) * 60000])", None),
        ("len([1 for x in range(60000) if 1.5 in range(60000)])", None),
        ("len([1 for x in range(60000) if max(range(60000))])", None),
    ],
)
def test_values_have_bounds(expression: str, what: str | None):
    error = refused(function(f"B[vi] = {expression}"))
    message = "too many expressions are computed" if what is None else what
    assert (error.code, error.message) == ("KC2135", f"{message} while a script is read")
    assert str(error.location).split(":")[1:2] == ["7"]


def test_tuples_of_tuples_have_bounds():
    """Two of 2^40 elements each would be compared."""
    pairs = f"t0 = (1, 2)\n            {HALVES}"
    error = refused(function(f"{pairs}\n            B[vi] = 1 if t40 == (t40, 1) else 2"))
    assert (error.code, error.why) == ("KC2135", "sequences have at most 65536 elements")


def test_statements_are_not_repeated_without_end():
    assert refused(MACROS + function("m29(B)")).code == "KC2135"
    text = function("A = T.allocate_const([1] * 60000, 'int32', [60000])")
    assert refused(text).code == "KC2135"


@pytest.mark.parametrize("joint", [" + ", " * "])
def test_deep_expressions_end_in_a_diagnostic(joint: str):
    assert refused(function("B[vi] = " + joint.join(["vi"] * 2000))).code == "KC2131"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("max(range(1000))", 999),
        ("(2 ** 4000) // (2 ** 3998)", 4),
        ("(-1) ** 10 ** 9", 1),
        ("len([x for x in range(1000) if x % 2])", 500),
        ("1 if 10 ** 11 in range(10 ** 12) else 0", 1),
        ("pow(3, 10 ** 18, 1000)", 1),
        ("sum([1] * 1000)", 1000),
    ],
)
def test_values_within_bounds_are_computed(expression: str, value: int):
    assert run(function(f"B[vi] = {expression}")) == [value] * 8


def test_a_sum_that_is_doubled_often():
    """As an index it would have 2^40 terms; its value is that of int32."""

    def text(count: int, statement: str) -> str:
        sums = "\n            ".join(f"x{n + 1} = x{n} + x{n}" for n in range(count))
        return function(f"x0 = vi\n            {sums}\n            {statement}")

    assert run(text(40, "B[vi + x40 % 1] = x5")) == [32 * i for i in range(8)]
    inside = text(40, "if x40 < 1:\n                B[vi] = x3")
    assert run(inside) == [8 * i for i in range(8)]  # 2^40 i is 0 in int32
