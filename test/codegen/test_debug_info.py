"""Debug information: the user's line on instructions, in objects, and in gdb."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from llvm_support import parse
from optional_tools import find
from xdsl.dialects.builtin import UnknownLoc

import kc
from kc import te
from kc.codegen.elf import ElfObject
from kc.codegen.line_table import line_ranges
from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.native import compile_ir
from kc.transform import PassContext


def _tool(name: str) -> str:
    path = find(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def _build():
    n = 64
    A = te.placeholder((n, n), name="A")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * A[k, j], axis=k), name="C")
    D = te.compute((n, n), lambda i, j: te.sqrt(C[i, j]), name="D")
    s = te.create_schedule(D.op)
    s[C].vectorize(C.op.axis[1])
    s[C].parallel(C.op.axis[0])
    return kc.build(s, [A, D])


def _line(text: str) -> int:
    """The line of ``_build`` that has this text."""
    source, first = inspect.getsourcelines(_build)
    return first + next(n for n, line in enumerate(source) if text in line)


@pytest.fixture(scope="module")
def built():
    with PassContext(config={"kc.debug_info": True}):
        return _build()


PROGRAM = """
llvm.func @f(%p: !llvm.ptr) {
  %c = llvm.mlir.constant(2.0 : f32) : f32
  %x = llvm.load %p : !llvm.ptr -> f32 loc("a.py":3:0)
  %y = llvm.fmul %x, %c : f32 loc(fused["a.py":4:5, "b.py":1:1])
  llvm.store %y, %p : f32, !llvm.ptr loc("b.py":9:1)
  llvm.return
} loc("a.py":2:0)
llvm.func internal @g() {
  llvm.return loc("b.py":9:1)
} loc("b.py":8:0)
llvm.func @h()
"""

TEXT = """\
source_filename = "kc"

define void @f(ptr %0) !dbg !7 {
entry:
  %1 = load float, ptr %0, !dbg !8
  %2 = fmul float %1, 2.000000e+00, !dbg !9
  store float %2, ptr %0, !dbg !12
  ret void, !dbg !13
}

define internal void @g() !dbg !14 {
entry:
  ret void, !dbg !15
}

declare void @h()

!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!5, !6}

!0 = !DIFile(filename: "a.py", directory: "")
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !0, producer: "kc", \
isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!2 = !DINamespace(name: "kc", scope: null)
!3 = !{}
!4 = !DISubroutineType(types: !3)
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{i32 7, !"Dwarf Version", i32 4}
!7 = distinct !DISubprogram(name: "f", scope: !2, file: !0, line: 2, type: !4, scopeLine: 2, \
spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!8 = !DILocation(line: 3, scope: !7)
!9 = !DILocation(line: 4, column: 5, scope: !7)
!10 = !DIFile(filename: "b.py", directory: "")
!11 = !DILexicalBlockFile(scope: !7, file: !10, discriminator: 0)
!12 = !DILocation(line: 9, column: 1, scope: !11)
!13 = !DILocation(line: 0, scope: !7)
!14 = distinct !DISubprogram(name: "g", scope: !2, file: !10, line: 8, type: !4, scopeLine: 8, \
spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!15 = !DILocation(line: 9, column: 1, scope: !14)
"""


def _program():
    module = parse(PROGRAM)
    next(op for op in module.walk() if op.name == "llvm.return").location = UnknownLoc()
    return module


def test_text_of_llvm_ir():
    assert emit_llvm_ir(_program(), debug_info=True) == TEXT
    assert "!" not in emit_llvm_ir(_program())


def test_a_function_without_location_begins_where_its_first_op_is():
    module = _program()
    for op in module.body.ops:
        op.location = UnknownLoc()
    text = emit_llvm_ir(module, debug_info=True)
    assert '!DISubprogram(name: "f", scope: !2, file: !0, line: 3,' in text
    for op in module.walk():
        op.location = UnknownLoc()
    text = emit_llvm_ir(module, debug_info=True)
    assert '!DISubprogram(name: "f", scope: !2, file: !0, line: 0,' in text
    compile_ir(text).object()


def test_every_loop_has_the_line_of_its_compute(built):
    text = built.get_source("ll")
    lines = dict(re.findall(r"^(!\d+) = !DILocation\(line: (\d+),", text, re.MULTILINE))
    C, D = _line("te.sum"), _line("te.sqrt")
    instructions = re.findall(r"^  (.*), !dbg (!\d+)$", text, re.MULTILINE)
    all_lines = {int(lines[node]) for _, node in instructions}
    assert all_lines == {C, D}
    assert {int(lines[node]) for op, node in instructions if "fmul" in op} == {C}
    assert {int(lines[node]) for op, node in instructions if "sqrt" in op} == {D}
    branches = [int(lines[node]) for op, node in instructions if op.startswith("br i1")]
    assert branches.count(D) == 2  # the loops over i and j
    assert C in branches


def _code(assembly: str) -> list[str]:
    """The instructions of an assembly text, its labels, and data, without what debuggers read."""
    code, debug = [], False
    for line in assembly.splitlines():
        text = line.partition("#")[0].rstrip()
        if text.lstrip().startswith((".section", ".text")):
            debug = ".debug" in text or ".note" in text
        quiet = re.match(r"\s*\.(loc|file|cfi_\w+)\b|\.L(tmp|func_\w*)\d*:", text)
        if text and not debug and not quiet and "local labels" not in text:
            code.append(text)
    return code


def test_the_code_is_the_same(built):
    with PassContext(config={"kc.debug_info": False}):
        plain = _build()
    assert ".loc" in built.get_source("asm")
    assert ".loc" not in plain.get_source("asm")
    assert _code(built.get_source("asm")) == _code(plain.get_source("asm"))
    assert len(_code(plain.get_source("asm"))) > 50


def test_numerics(built):
    a = np.random.default_rng(0).random((64, 64), np.float32) / 8
    np.testing.assert_allclose(built(a), np.sqrt(a @ a), rtol=1e-4)


def test_the_environment_asks_for_it(monkeypatch):
    context = PassContext()
    monkeypatch.delenv("KC_PERF", raising=False)
    for value, wanted in {"1": True, "0": False, "": False}.items():
        monkeypatch.setenv("KC_DEBUG_INFO", value)
        assert context.debug_info is wanted
    monkeypatch.setenv("KC_DEBUG_INFO", "1")
    assert not PassContext(config={"kc.debug_info": False}).debug_info
    assert "debug_info" in (context.identity() or "")


def _dumped(path: Path) -> str:
    command = [_tool("llvm-dwarfdump"), "--debug-line", "--verify", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return subprocess.run(
        command[:2] + command[3:], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("extension", ["o", "so"])
def test_files_have_the_line_table(built, tmp_path, extension):
    path = tmp_path / f"kernel.{extension}"
    if extension == "so":
        if not find("cc"):
            pytest.skip("cc is not installed")
        built.export_library(path)
    else:
        built.save(str(path))
    dumped = _dumped(path)
    assert Path(__file__).name in dumped
    lines = {int(row.split()[1]) for row in dumped.splitlines() if row.startswith("0x")}
    assert {_line("te.sum"), _line("te.sqrt")} <= lines <= {0, _line("te.sum"), _line("te.sqrt")}


def test_line_ranges_are_those_of_llvm_dwarfdump(built, tmp_path):
    path = tmp_path / "kernel.o"
    built.save(str(path))
    rows = [
        (int(row.split()[0], 16), int(row.split()[1]), "end_sequence" in row)
        for row in _dumped(path).splitlines()
        if row.startswith("0x")
    ]
    expected = [
        (start, end, line)
        for (start, line, last), (end, _, _) in zip(rows, rows[1:], strict=False)
        if not last and end != start
    ]
    elf = ElfObject(path.read_bytes())
    ranges = line_ranges(elf)
    assert [(range_.start, range_.end, range_.line) for range_ in ranges] == expected
    assert {range_.file for range_ in ranges} == {__file__}
    assert {elf.sections[range_.section].name for range_ in ranges} == {".text"}


GDB_PROGRAM = """
import numpy as np, kc
from kc import te
A = te.placeholder((4096,), name="A")
B = te.compute((4096,), lambda i: A[i] * 2.0, name="B")
C = te.compute(
    (4096,), lambda i: te.exp(B[i]), name="C")
kernel = kc.build(te.create_schedule(C.op), [A, C])
kernel(np.zeros(4096, "float32"))
"""


def test_gdb_stops_in_a_kernel(tmp_path):
    gdb = _tool("gdb")
    program = tmp_path / "twice.py"
    program.write_text(GDB_PROGRAM)
    commands = [
        "set debuginfod enabled off",
        "set breakpoint pending on",
        "break kc::main",
        "run",
        "backtrace 2",
        "info symbol $pc",
        "next 2",
        "clear kc::main",
        "break twice.py:7",
        "continue",
        "kill",
    ]
    words = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(
        [gdb, "-q", "-nx", "-batch", *words, "--args", sys.executable, program],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "KC_DEBUG_INFO": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if "ptrace" in done.stderr:
        pytest.skip("gdb may not start programs here")
    said = done.stdout
    assert re.search(rf"Breakpoint 1, kc::main \(\) at {program}:[4-7]\n", said), said
    assert re.search(r"^#1  .* kc_(?:call|invoke) \(\)", said, re.MULTILINE), said
    assert re.search(r"^main(?: \+ \d+)? in section \.text of <in-memory", said, re.MULTILINE), said
    assert re.search(rf"Breakpoint 2, kc::main \(\) at {program}:7\n", said), said
