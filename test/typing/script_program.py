# pyright: basic, reportInvalidTypeForm=false, reportUndefinedVariable=false
"""Kernels as loops, which type checkers read with the rules that docs/script.md gives."""

import kc
from kc import te
from kc.script import ir as I
from kc.script import tir as T
from kc.tir.script import parallel, vectorized

n = te.var("n")


@kc.script
def normalize(A: kc.Buffer((n, 64)), B: kc.Buffer((n, 64)), eps: "float32"):  # noqa: F821
    for i in parallel(n):
        total = 0.0
        for j in range(64):
            total += A[i, j] * A[i, j]
        for j in vectorized(64):
            B[i, j] = A[i, j] / (te.sqrt(total) + eps)


@T.prim_func
def double(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (128,), "float32")
    B = T.match_buffer(b, (128,), "float32")
    for i in T.serial(128):
        with T.block("B"):
            vi = T.axis.spatial(128, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi] * T.float32(2)


@I.ir_module
class Transpose:
    @T.prim_func
    def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]
