"""The functions that are raised before they are scheduled, and those that go to code generation as
is.
"""

from __future__ import annotations

import pytest
from interpreter_support import parse

from kc.analysis import loop_tree
from kc.analysis.upstream import needs_raising

STORE = "memref.store %x, %A[%i] : memref<8xf32>"
STEP = "%step = arith.constant 2 : index\n"
LOOP = f"{STEP}scf.for %j = %i to %n step %step {{ {STORE} }}"
ANY_STEP = f"scf.for %j = %i to %n step %n {{ {STORE} }}"
TIR = "tir.store %x, %A[0] : memref<8xf32>"
BRANCH = f"cf.br ^next\n^next:\n{STORE}"
NOTHING = "%y = arith.addf %x, %x : f32"


@pytest.mark.parametrize(
    ("body", "always", "with_loops"),
    [
        (STORE, False, True),
        (f"{STORE}\n{NOTHING}", False, True),  # whatever comes behind it
        (LOOP, False, True),
        (ANY_STEP, True, True),  # for the condition that it is at least 1
        (LOOP.replace("2 : index", "0 : index"), True, True),
        (NOTHING, False, False),
        (f"{LOOP}\n{TIR}\n{NOTHING}", False, False),
        (TIR, False, False),
        (BRANCH, False, False),
        ("%y = affine.load %A[0] : memref<8xf32>", True, True),
        (f"{TIR}\n%y = affine.load %A[0] : memref<8xf32>", True, True),
    ],
)
def test_bodies(body: str, always: bool, with_loops: bool):
    module = parse(
        "func.func @f(%A: memref<8xf32>, %x: f32, %i: index, %n: index) {\n"
        f"{body}\nfunc.return\n}}",
        verify=False,
    )
    (function,) = loop_tree.functions(module)
    assert needs_raising(function) is always
    assert needs_raising(function, loops=True) is with_loops


VIEW = "memref<?xf32, strided<[1], offset: ?>>"


@pytest.mark.parametrize(
    ("taken", "raised"),
    [
        (f"%y = memref.load %V[%i] : {VIEW}", True),
        (f"%y = vector.load %V[%i] : {VIEW}, vector<4xf32>", False),
        (f"func.call @g(%V) : ({VIEW}) -> ()", False),
    ],
)
def test_views_that_are_taken_as_a_whole(taken: str, raised: bool):
    module = parse(
        f"func.func private @g({VIEW})\n"
        f"func.func @f(%A: memref<8xf32>, %i: index) {{\n"
        f"%V = memref.subview %A[%i][%i][1] : memref<8xf32> to {VIEW}\n{taken}\nfunc.return\n}}"
    )
    _, function = module.body.ops
    assert needs_raising(function) is raised  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("types", ["(tensor<8xf32>) -> ()", "() -> tensor<8xf32>"])
def test_tensors(types: str):
    (function,) = parse(f"func.func private @f{types}").body.ops
    assert needs_raising(function)  # pyright: ignore[reportArgumentType]
