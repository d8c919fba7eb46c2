"""perf's map of the code in this process."""

import bisect
import os
import subprocess
import sys
from pathlib import Path

from kc.codegen import perf_map
from kc.codegen.elf import ElfObject
from kc.codegen.native import compile_ir
from kc.codegen.perf_map import Entry

PROGRAM = """
import os, sys
import numpy as np, kc
from kc import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] * 2.0, name="B")
C = te.compute(
    (64,), lambda i: te.exp(B[i]), name="C")
s = te.create_schedule(C.op)
s[B].parallel(B.op.axis[0])
kernel = kc.build(s, [A, C], name="twice")
assert np.allclose(kernel(np.ones(64, "float32")), np.exp(2.0))
kernel.get_function("twice").prepare(np.ones(64, "float32"), np.ones(64, "float32"))
print(os.getpid(), kernel["twice"].address)
"""


def _run(tmp_path: Path, **environment: str) -> tuple[list[Entry], int]:
    """The map that the program leaves, and where its kernel is."""
    program = tmp_path / "twice.py"
    program.write_text(PROGRAM)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KC_")}
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        check=True,
        env={**kept, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )
    pid, address = map(int, done.stdout.split())
    path = Path(f"/tmp/perf-{pid}.map")
    if not path.exists():
        return [], address
    rows = [row.split(" ", 2) for row in path.read_text().splitlines()]
    path.unlink()
    return [Entry(int(start, 16), int(size, 16), name) for start, size, name in rows], address


def test_the_map_names_functions_and_lines(tmp_path):
    entries, address = _run(tmp_path, KC_PERF="1")
    entries.sort()
    assert all(entry.size > 0 for entry in entries)
    assert all(a.address + a.size <= b.address for a, b in zip(entries, entries[1:], strict=False))
    at = entries[bisect.bisect_right(entries, (address, 1 << 62, "")) - 1]
    assert at.address == address
    assert at.name.startswith("kc::twice twice.py:")
    names = {entry.name for entry in entries}
    assert {"kc::twice twice.py:7", "kc::twice_parallel_0_body twice.py:6", "kc::kc_call"} <= names
    assert {name.split()[1] for name in names if " " in name} == {
        f"twice.py:{n}" for n in (6, 7, 8)
    }


def test_nothing_is_written_unless_asked_for(tmp_path):
    assert _run(tmp_path)[0] == []
    assert _run(tmp_path, KC_PERF="0", KC_DEBUG_INFO="1")[0] == []


def test_entries_without_lines():
    text = """
define void @f(ptr %p) {
  store i32 1, ptr %p
  call void @g(ptr %p)
  ret void
}
define internal void @g(ptr %p) noinline {
  store i32 2, ptr %p
  ret void
}
define void @h(ptr %p) section ".other" {
  store i32 2, ptr %p
  ret void
}
"""
    elf = ElfObject(compile_ir(text).object())
    f, g = (next(symbol for symbol in elf.symbols if symbol.name == name) for name in "fg")
    entries = perf_map.entries(elf, {"f": 0x1000 + f.value}.get)
    assert entries == [
        Entry(0x1000 + f.value, f.size, "kc::f"),
        Entry(0x1000 + g.value, g.size, "kc::g"),
    ]
