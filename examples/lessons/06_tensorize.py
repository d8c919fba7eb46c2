"""Lesson 6: tensorize: a tile of the loops becomes an instruction of the machine.

An intrinsic is two functions of textual IR: what it computes (the description) and how (the
implementation). ``tensorize`` compares the tile with the description, and says what differs.
"""

import numpy as np

import kc
from kc import te
from kc.error import ScheduleError
from kc.target import Target

# Sixteen sums of four products of bytes at a time: one instruction of AVX-512 VNNI.
rows, columns, depth = 8, 32, 64
A = te.placeholder((rows, depth), "uint8", name="A")
B = te.placeholder((columns, depth), "int8", name="B")
k = te.reduce_axis((0, depth), name="k")
C = te.compute(
    (rows, columns),
    lambda i, j: te.sum(A[i, k].astype("int32") * B[j, k].astype("int32"), axis=k),
    name="C",
)


def scheduled(intrinsic: str, lanes: int) -> te.Schedule:
    """Tiles of ``lanes`` columns and four products, given to an intrinsic."""
    s = te.create_schedule(C.op)
    _, j = s[C].op.axis
    outer, inner = s[C].split(j, factor=lanes)
    ko, ki = s[C].split(s[C].op.reduce_axis[0], factor=4)
    s[C].reorder(outer, ko, inner, ki)
    s[C].tensorize(inner, intrinsic)
    return s


vnni = Target("llvm -mcpu=cascadelake")
with vnni:
    s = scheduled("avx512_vnni_dot_16x4", 16)
    print(kc.lower(s, [A, B, C]))
    assembly = kc.build(s, [A, B, C], target=vnni).get_source("asm")
    assert "vpdpbusd" in assembly

if Target.host_cpu().has_feature("avx512vnni"):
    with Target.host_cpu():
        dot = kc.build(scheduled("avx512_vnni_dot_16x4", 16), [A, B, C])
    a = np.random.randint(0, 256, (rows, depth), np.uint8)
    b = np.random.randint(-128, 128, (columns, depth), np.int8)
    c = np.empty((rows, columns), np.int32)
    dot(a, b, c)
    np.testing.assert_array_equal(c, a.astype(int) @ b.T.astype(int))

# A tile that is not what the intrinsic computes is refused, both sides shown.
try:
    with vnni:
        kc.lower(scheduled("avx512_vnni_dot_16x4", 8), [A, B, C])
except ScheduleError as error:
    print(error)

# A target that does not have the instruction is told so.
try:
    with Target("llvm -mcpu=haswell"):
        kc.lower(scheduled("avx512_vnni_dot_16x4", 16), [A, B, C])
except ScheduleError as error:
    print(error)
