"""Lesson 9: code for other machines, and their dot products.

A target names the machine; the compiler need not run on it. Code for another machine can be read as
assembly, and saved as an object for that machine's linker.
"""

import tempfile
from pathlib import Path

import numpy as np

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.target import Target

# One schedule, four kinds of vectors: four floats at a time.
A = te.placeholder((1024,), name="A")
B = te.compute((1024,), lambda i: A[i] + A[i], name="B")
s = te.create_schedule(B.op)
_, inner = s[B].split(B.op.axis[0], factor=4)
s[B].vectorize(inner)

MACHINES = {
    "llvm -mcpu=x86-64-v3": "vaddps",
    "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72": "fadd",
    "llvm -mtriple=armv7a-linux-gnueabihf -mattr=+neon": "vadd.f32",
    "llvm -mtriple=riscv64-linux-gnu -mattr=+m,+f,+d,+v": "vfadd.vv",
    "llvm -mtriple=wasm32-unknown-unknown -mattr=+simd128": "f32x4.add",
}
for machine, instruction in MACHINES.items():
    twice = kc.build(s, [A, B], target=machine, name="twice")
    lines = [line.strip() for line in twice.get_source("asm").splitlines() if instruction in line]
    print(f"{machine:55} {' '.join(lines[0].split())}")

# NEON's dot product: four sums of four products of bytes each, in one instruction. tensorize
# compares the tile with the intrinsic, as in lesson 6.
rows, columns, depth = 8, 16, 32
X = te.placeholder((rows, depth), "int8", name="X")
W = te.placeholder((columns, depth), "int8", name="W")
k = te.reduce_axis((0, depth), name="k")
Y = te.compute(
    (rows, columns),
    lambda i, j: te.sum(X[i, k].astype("int32") * W[j, k].astype("int32"), axis=k),
    name="Y",
)
s = te.create_schedule(Y.op)
i, j = s[Y].op.axis
outer, inner = s[Y].split(j, factor=4)
ko, ki = s[Y].split(s[Y].op.reduce_axis[0], factor=4)
s[Y].reorder(i, outer, ko, inner, ki)
s[Y].tensorize(inner, "neon_sdot_4x4")

neon = Target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
with neon:
    loops = kc.lower(s, [X, W, Y], name="dot")
    dot = kc.build(s, [X, W, Y], target=neon, name="dot")
print(loops)
sdot = next(line for line in dot.get_source("asm").splitlines() if "\tsdot\t" in line)
print("the instruction:", *sdot.split())

# A call on this machine is refused, but the interpreter can run the loops.
try:
    dot(np.zeros((rows, depth), np.int8), np.zeros((columns, depth), np.int8))
except KCError as error:
    print(error)

x = np.random.randint(-128, 128, (rows, depth)).astype(np.int8)
w = np.random.randint(-128, 128, (columns, depth)).astype(np.int8)
y = np.empty((rows, columns), np.int32)
run(loops.op, "dot", [x, w, y])
np.testing.assert_array_equal(y, x.astype(int) @ w.T.astype(int))

# The object is for the other machine's linker; bytes 18 and 19 of its header name the machine.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "dot.o")
    dot.save(path)
    header = path.read_bytes()[:20]
    print("ELF for machine", int.from_bytes(header[18:20], "little"), "(183 is AArch64)")
