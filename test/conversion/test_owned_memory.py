"""Text that gives back memory which is not its own, or writes constants, is refused by a build."""

import numpy as np
import pytest

import kc
from kc.error import KCError

HINT = "  try: remove the dealloc: the memory of a function is freed at the end of the function"
ALLOC = "  %t = memref.alloc() : memref<4xf32>\n"
FREE = "  memref.dealloc %t : memref<4xf32>\n"
COPY = "  memref.copy %t, %A : memref<4xf32> to memref<4xf32>\n"
BOUNDS = (
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %c4 = arith.constant 4 : index\n"
    "  scf.for %i = %c0 to %c4 step %c1 {\n"
)

WRONG = {
    "an argument": (
        "  memref.dealloc %A : memref<4xf32>\n",
        "A",
        "2:3",
        "it belongs to the caller, which continues to use it",
    ),
    "a view of an argument": (
        "  %v = memref.cast %A : memref<4xf32> to memref<?xf32>\n"
        "  memref.dealloc %v : memref<?xf32>\n",
        "A",
        "3:3",
        "it belongs to the caller, which continues to use it",
    ),
    "the stack": (
        "  %t = memref.alloca() : memref<4xf32>\n" + FREE,
        "t",
        "3:3",
        "it is on the stack, and is freed when the function returns",
    ),
    "in a loop": (
        ALLOC + BOUNDS + FREE + "  }\n",
        "t",
        "7:3",
        "it is allocated once, but each iteration of the loop would free it",
    ),
}


def parsed(body: str, head: str = "") -> kc.IRModule:
    text = f"{head}func.func @f(%A: memref<4xf32>) {{\n{body}  return\n}}\n"
    return kc.IRModule.parse(text, "f.mlir")


@pytest.mark.parametrize("name", WRONG)
def test_memory_of_others(name: str):
    body, memory, place, why = WRONG[name]
    with pytest.raises(KCError) as refused:
        kc.build(parsed(body))
    assert str(refused.value) == (
        f"error[KC4558]: f frees {memory} by memref.dealloc\n"
        f"  --> f.mlir:{place}\n"
        f"  why: {why}\n{HINT}"
    )


@pytest.mark.parametrize(("use", "name"), [(COPY, "memref.copy"), (FREE, "memref.dealloc")])
def test_uses_afterwards(use: str, name: str):
    with pytest.raises(KCError) as refused:
        kc.build(parsed(ALLOC + FREE + use))
    assert str(refused.value) == (
        "error[KC4558]: f frees t by memref.dealloc\n"
        "  --> f.mlir:3:3\n"
        "   |  the use: f.mlir:4:3\n"
        f"  why: {name} uses it afterwards\n{HINT}"
    )


def test_own_memory_is_given_back():
    """Once, behind its last use: each iteration's own too."""
    zero = "  %z = arith.constant 2.0 : f32\n"
    body = zero + BOUNDS + ALLOC + "  memref.store %z, %t[%i] : memref<4xf32>\n"
    body += "  %x = memref.load %t[%i] : memref<4xf32>\n  memref.store %x, %A[%i] : memref<4xf32>\n"
    data = np.zeros(4, np.float32)
    kc.build(parsed(body + FREE + "  }\n"))(data)
    np.testing.assert_array_equal(data, [2, 2, 2, 2])


GLOBAL = 'memref.global "private" constant @g : memref<4xf32> = dense<1.0>\n'
GET = "  %g = memref.get_global @g : memref<4xf32>\n"


@pytest.mark.parametrize(
    "write",
    [
        "  memref.copy %A, %g : memref<4xf32> to memref<4xf32>\n",
        "  linalg.copy ins(%A : memref<4xf32>) outs(%g : memref<4xf32>)\n",
    ],
)
def test_constants_are_not_written(write: str):
    with pytest.raises(KCError) as refused:
        kc.build(parsed(GET + write, GLOBAL))
    assert str(refused.value) == (
        "error[KC4559]: f writes @g, a constant\n"
        "  --> f.mlir:4:3\n"
        "  why: constants of a module are in memory that cannot be written\n"
        "  try: memref.global @g without constant\n"
        "  try: a buffer of the function"
    )


def test_constants_are_read():
    data = np.zeros(4, np.float32)
    kc.build(parsed(GET + "  memref.copy %g, %A : memref<4xf32> to memref<4xf32>\n", GLOBAL))(data)
    np.testing.assert_array_equal(data, [1, 1, 1, 1])
