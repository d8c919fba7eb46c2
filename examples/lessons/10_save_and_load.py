"""Lesson 10: kernels as files: for Python, for C programs, and for other tools.

A built module can be saved as an object, a shared library, LLVM bitcode, assembly or textual IR. A
loaded module has the same functions, with the same checks of their calls. The library does not need
Python: a C program includes the header and links the library.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import kc
from kc import te

n = te.var("n")
A = te.placeholder((n,), name="A")
B = te.placeholder((n,), name="B")
C = te.compute((n,), lambda i: A[i] + B[i], name="C")
s = te.create_schedule(C.op)
outer, inner = s[C].split(C.op.axis[0], factor=64)
s[C].parallel(outer)
s[C].vectorize(inner)
add = kc.build(s, [A, B, C], name="vector_add")

folder = Path(tempfile.mkdtemp())
a, b = np.random.rand(1000).astype(np.float32), np.random.rand(1000).astype(np.float32)


def check(module: kc.runtime.Module) -> None:
    """Call the loaded module and check its result."""
    np.testing.assert_array_equal(module(a, b), a + b)


# An object, LLVM bitcode, and the loops as text, which are compiled at loading.
for kind in ("o", "bc", "mlir"):
    path = folder / f"add.{kind}"
    add.save(path)
    check(kc.runtime.load_module(path))
    print(f"{path.name:12} {path.stat().st_size} bytes")

# The C interface: data pointers, each followed by the sizes that are known only at the call.
add.save_header(folder / "add.h")
print(add.get_header("add.h"))

# A shared library, linked by the system's C compiler, and a C program that calls it.
PROGRAM = """
#include <stdio.h>
#include "add.h"

int main(void) {
  float a[5] = {1, 2, 3, 4, 5}, b[5] = {10, 20, 30, 40, 50}, c[5];
  vector_add(a, 5, b, 5, c, 5);
  for (int i = 0; i < 5; ++i) printf("%g ", c[i]);
  printf("\\n");
}
"""
compiler = shutil.which("cc")
if compiler is None:
    print("no C compiler, no library")
else:
    add.export_library(folder / "libadd.so")
    check(kc.runtime.load_module(folder / "libadd.so"))
    (folder / "main.c").write_text(PROGRAM)
    subprocess.run(
        [compiler, "main.c", "-L.", "-ladd", "-Wl,-rpath,.", "-o", "main"], cwd=folder, check=True
    )
    said = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True)
    print("the C program says:", said.stdout)
    assert said.stdout.split() == ["11", "22", "33", "44", "55"]

# The kernel as C source, which compiles without kc.
print(kc.build(s, [A, B, C], target="c", name="vector_add").get_source())

shutil.rmtree(folder)
