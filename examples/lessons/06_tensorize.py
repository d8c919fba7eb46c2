"""Lesson 6: tensorize: a tile of the loops becomes an instruction of the machine.

An intrinsic consists of two functions in textual IR: what it computes (the description) and how
(the implementation). It can also be declared in Python, by a compute and statements. ``tensorize``
compares the tile with the description and reports the first difference.
"""

import numpy as np

import kc
from kc import te, tir
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

# A tile that does not match the intrinsic is refused; the message shows both.
try:
    with vnni:
        kc.lower(scheduled("avx512_vnni_dot_16x4", 8), [A, B, C])
except ScheduleError as error:
    print(error)

# A target without the instruction is refused as well.
try:
    with Target("llvm -mcpu=haswell"):
        kc.lower(scheduled("avx512_vnni_dot_16x4", 16), [A, B, C])
except ScheduleError as error:
    print(error)

# An intrinsic can also be declared in Python: the description is a compute, and statements on
# buffers and vectors replace it. ``update`` continues sums that ``reset`` started.
x = te.placeholder((4,), "int8", name="x")
w = te.placeholder((4, 4), "int8", name="w")
r = te.reduce_axis((0, 4), name="r")
y = te.compute(
    (4,), lambda i: te.sum(x[r].astype("int32") * w[i, r].astype("int32"), axis=r), name="y"
)


def sdot(ins, outs):
    """Four lanes of 32 bits, each of which gets four products of bytes: an instruction of ARM."""
    zero = tir.const(0, "int32x4")
    four_bytes = tir.reinterpret("int32", ins[0].vload([0], "int8x4"))
    repeated = tir.reinterpret("int8x16", four_bytes.astype("int32x4"))
    rows_of_w = ins[1].vload([0, 0], "int8x16")  # the rows may lie any distance apart

    def sums(start):
        name = "llvm.aarch64.neon.sdot.v4i32.v16i8"
        return tir.call_llvm_pure_intrin("int32x4", name, 3, start, repeated, rows_of_w)

    body, reset = outs[0].vstore(0, sums(zero)), outs[0].vstore(0, zero)
    update = outs[0].vstore(0, sums(outs[0].vload(0, "int32x4")))
    return body, reset, update


neon_sdot = te.decl_tensor_intrin(y.op, sdot, "sdot", features=["dotprod"])

# A compute may call it for tiles of its result; its function then takes only the other axes.
X = te.placeholder((rows, depth), "int8", name="X")
W = te.placeholder((columns // 4, depth // 4, 4, 4), "int8", name="W")
ko = te.reduce_axis((0, depth // 4), name="ko")
Y = te.compute(
    (rows, columns // 4, 4),
    lambda i, j: neon_sdot(X[i, ko * 4 : ko * 4 + 4], W[j, ko, 0:4, 0:4], reduce_axis=ko),
    name="Y",
)
arm = Target("llvm -mtriple=aarch64-linux-gnu -mattr=+neon,+dotprod")
with arm:
    s = te.create_schedule(Y.op)
    print(kc.lower(s, [X, W, Y]))
    assert "sdot" in kc.build(s, [X, W, Y], target=arm).get_source("asm")
