"""Functions with many loops, whose loops are functions of their own, run like others."""

import numpy as np

import kc

LOOPS = 9


def source() -> str:
    """B[i] = A[i] + 0 + 1 + ... : a loop a summand, by a buffer between each two."""
    lines = ["func.func @main(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {"]
    lines += [f"  %c{n} = arith.constant {n} : index" for n in range(2)]
    lines += ["  %sum = memref.alloc(%n) : memref<?xf32>"]
    for n in range(LOOPS):
        read, written = "%A" if n == 0 else "%sum", "%B" if n == LOOPS - 1 else "%sum"
        lines += [
            f"  %x{n} = arith.constant {n}.0 : f32",
            f"  %own{n} = memref.alloca() : memref<1xf32>",
            "  scf.for %i = %c0 to %n step %c1 {",
            f"    %a = memref.load {read}[%i] : memref<?xf32>",
            f"    %b = arith.addf %a, %x{n} : f32",
            f"    memref.store %b, %own{n}[%c0] : memref<1xf32>",
            f"    %c = memref.load %own{n}[%c0] : memref<1xf32>",
            f"    memref.store %c, {written}[%i] : memref<?xf32>",
            "  }",
        ]
    return "\n".join([*lines, "  memref.dealloc %sum : memref<?xf32>", "  func.return", "}"])


def test_loops_of_a_long_function_run_one_after_the_other():
    function = kc.build(kc.IRModule.parse(source()), target="llvm")
    assert "call void @main_loop_8(" in function.get_source("ll")
    a, b = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    function(a, b, 5)
    np.testing.assert_array_equal(b, a + sum(range(LOOPS)))
