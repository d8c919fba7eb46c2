"""partition-loops keeps what programs compute, whatever their sizes."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lowering_support import outputs, parse
from property_tests import examples

from kc.support.registry import context
from kc.transforms.tir.loops.partition_loops import PartitionLoopsPass


def nest(draw: random.Random) -> str:
    """Loops, conditions on them, and stores that say which iterations were executed, in order."""
    variables = ["%i", "%j"]
    lines = [f"tir.for %i in {draw.choice(['%n', '%m', '6'])} {{"]
    lines.append(f"tir.for %j in {draw.choice(['%m', '%n', '%i', '3'])} {{")
    count = 0

    def store() -> None:
        nonlocal count
        count += 1
        lines.append(
            f"%o{count} = tir.load %A[0] : memref<1xi64>\n"
            f"%m{count} = arith.muli %o{count}, %three : i64\n"
            f"%w{count} = arith.index_cast %{draw.choice('ij')} : index to i64\n"
            f"%p{count} = arith.addi %m{count}, %w{count} : i64\n"
            f"%k{count} = arith.constant {count} : i64\n"
            f"%s{count} = arith.addi %p{count}, %k{count} : i64\n"
            f"tir.store %s{count}, %A[0] : memref<1xi64>"
        )

    def condition() -> str:
        variable = draw.choice(variables)
        scaled = draw.choice([variable, f"{variable} * 2", f"{variable} * 3 + 1"])
        bound = draw.choice([*variables, "%n", "%m", "2", "5", "%m - 2", "%n * 2", "%n floordiv 2"])
        return f"{scaled} {draw.choice(['<', '>=', '<=', '>'])} {bound}"

    for _ in range(draw.randint(1, 2)):
        conditions = ", ".join(condition() for _ in range(draw.randint(1, 2)))
        lines.append(f"tir.if ({conditions}) {{")
        store()
        if draw.random() < 0.3:
            lines.append(f"tir.if ({condition()}) {{")
            store()
            lines.append("}")
        lines.append("}")
        if draw.random() < 0.5:
            lines[-1] = "} else {"
            store()
            lines.append("}")
    lines.append("}")
    if draw.random() < 0.5:
        store_at = len(lines)
        store()
        lines[store_at] = lines[store_at].replace("%j ", "%i ")
    lines.append("}")
    return "\n".join(lines)


@examples(50)
@given(st.integers(0, 10**9), st.integers(-2, 7), st.integers(-2, 7))
def test_random_nests(seed, n, m):
    body = nest(random.Random(seed))
    text = (
        "func.func @f(%A: memref<1xi64>, %n: index, %m: index) {\n"
        f"%three = arith.constant 3 : i64\n{body}\nfunc.return\n}}"
    )
    args = [np.zeros(1, np.int64), n, m]
    expected = outputs(parse(text), args)
    for options in ({}, {"partition_const_loop": True}):
        module = parse(text)
        PartitionLoopsPass(**options).apply(context(), module)
        module.verify()
        for array, wanted in zip(outputs(module, args), expected, strict=True):
            np.testing.assert_array_equal(array, wanted, err_msg=text)
