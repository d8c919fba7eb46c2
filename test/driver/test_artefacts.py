"""Modules as files: every format is written, read back and called; C programs call kernels."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.runtime import load_module, metadata
from kc.runtime.metadata import ModuleRecord
from kc.support.diagnostics import KCError
from kc.support.target import Target

CC = shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="there is no C compiler")
LOADED = ["o", "ll", "bc", "mlir", pytest.param("so", marks=needs_cc)]


def add(parallel: bool = False, name: str = "add", target: Any = None) -> Any:
    """C[i] = A[i] + 2 * B[i] of any size."""
    n = te.var("n")
    A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
    C = te.compute((n,), lambda i: A[i] + 2.0 * B[i], name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=16)
    s[C].vectorize(inner)
    if parallel:
        s[C].parallel(outer)
    return kc.build(s, [A, B, C], target=target, name=name)


def check_add(module: Any, size: int = 1001) -> None:
    a, b = np.random.default_rng(size).random((2, size), dtype=np.float32)
    out = np.zeros(size, np.float32)
    module(a, b, out)
    np.testing.assert_allclose(out, a + 2 * b, rtol=1e-6)


def write(module: Any, path: Path) -> Path:
    if path.suffix == ".so":
        module.export_library(path)
    else:
        module.save(path)
    return path


def refused(work: Any, *args: Any, **options: Any) -> KCError:
    with pytest.raises(KCError) as caught:
        work(*args, **options)
    return caught.value


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("kind", LOADED)
def test_there_and_back(kind: str, parallel: bool, tmp_path: Path):
    built = add(parallel)
    loaded = load_module(write(built, tmp_path / f"k.{kind}"))
    assert loaded.entry_name == "add"
    assert str(loaded["add"].signature) == str(built["add"].signature)
    check_add(loaded)
    # The checks of the call came along.
    short = np.zeros(3, np.float32)
    assert refused(loaded, np.zeros(4, np.float32), short, short).code == "KC5109"
    assert refused(loaded, np.zeros(4), short, short).code == "KC5106"


@pytest.mark.parametrize("kind", LOADED)
def test_loaded_modules_can_be_saved_again(kind: str, tmp_path: Path):
    first = write(add(), tmp_path / f"a.{kind}")
    loaded = load_module(first)
    if kind in ("ll", "bc"):
        kind = "o"  # it was compiled
    check_add(load_module(write(loaded, tmp_path / f"b.{kind}")))


def test_loading_in_another_process(tmp_path: Path):
    kinds = ["o", *(["so"] if CC is not None else [])]
    built = add(parallel=True)
    paths = [os.fspath(write(built, tmp_path / f"k.{kind}")) for kind in kinds]
    program = textwrap.dedent(
        f"""
        import numpy as np, kc
        a = np.arange(100000, dtype=np.float32)
        for path in {paths!r}:
            print(float(kc.runtime.load_module(path)(a, a).sum()))
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    total = pytest.approx(3 * sum(range(100000)), rel=1e-6)
    assert list(map(float, done.stdout.split())) == [total] * len(kinds)


def test_formats_by_name(tmp_path: Path):
    built = add()
    for kind, start in {"o": b"\x7fELF", "bc": b"BC\xc0\xde", "mlir": b"builtin.module"}.items():
        built.save(tmp_path / "file", kind)
        assert (tmp_path / "file").read_bytes().startswith(start)
        check_add(load_module(tmp_path / "file", kind))
    built.save(tmp_path / "k.s")
    assert "add:" in (tmp_path / "k.s").read_text()


def test_textual_ir_names_its_target(tmp_path: Path):
    built = add(target="llvm -mcpu=x86-64-v2")
    text = write(built, tmp_path / "k.mlir").read_text()
    assert 'kc.target = "llvm -mcpu=x86-64-v2"' in text
    assert "ymm" not in load_module(tmp_path / "k.mlir").get_source("asm")


def test_half_precision_brings_its_conversions(tmp_path: Path):
    """A CPU without half instructions calls functions that not every C library has."""
    A = te.placeholder((64,), "float16", "A")
    B = te.compute((64,), lambda i: A[i] * A[i], name="B")
    built = kc.build(te.create_schedule(B.op), [A, B], target="llvm -mcpu=x86-64", name="sq")
    built.save(tmp_path / "k.o")
    from kc.codegen.elf import undefined_symbols

    assert undefined_symbols((tmp_path / "k.o").read_bytes()) == []
    a = np.linspace(-3, 3, 64).astype(np.float16)
    np.testing.assert_array_equal(load_module(tmp_path / "k.o")(a), a * a)


@pytest.mark.parametrize(
    ("target", "machine", "instruction"),
    [
        ("llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=cortex-a72", 183, "fmla"),
        ("llvm -mtriple=riscv64-unknown-linux-gnu -mattr=+m,+a,+f,+d,+v", 243, "vle32.v"),
    ],
)
def test_code_for_another_machine(target: str, machine: int, instruction: str, tmp_path: Path):
    built = add(parallel=True, target=target)
    assert instruction in built.get_source("asm")
    data = write(built, tmp_path / "k.o").read_bytes()
    assert (data[:4], int.from_bytes(data[18:20], "little")) == (b"\x7fELF", machine)
    for call in (built, load_module):
        error = refused(call, tmp_path / "k.o")
        assert error.code == "KC6105"
    assert "Module.save" in refused(built, 1).hints[-1]
    if shutil.which(f"{target.split('=')[1].split('-')[0]}-linux-gnu-gcc") is None:
        assert refused(built.export_library, tmp_path / "k.so").code == "KC5145"


# C programs --------------------------------------------------------------------------------

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "kernel.h"

int main(void) {
  int64_t n = 100003;
  float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
  for (int round = 0; round < 20; round++) {
    for (int64_t i = 0; i < n; i++) a[i] = i % 1000, b[i] = i % 7 + round, c[i] = -1;
    NAME(a, n, b, n, c, n);
    for (int64_t i = 0; i < n; i++)
      if (c[i] != a[i] + 2 * b[i]) return printf("wrong at %d\\n", (int)i), 1;
  }
  puts("right");
  return 0;
}
"""


def run_c(folder: Path, name: str, *linked: str) -> str:
    """Compile a C program with the header and run it; what it prints."""
    (folder / "main.c").write_text(MAIN.replace("NAME", name))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1"]
    assert CC is not None
    command = [CC, *flags, "main.c", *linked, "-o", "program", "-lm", "-pthread"]
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.run(
        "./program", cwd=folder, capture_output=True, text=True, check=True
    ).stdout


@needs_cc
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("kind", ["o", "so"])
def test_a_c_program_calls_a_kernel(kind: str, parallel: bool, tmp_path: Path):
    built = add(parallel)
    write(built, tmp_path / f"kernel.{kind}")
    built.save_header(tmp_path / "kernel.h")
    linked = ["kernel.o"] if kind == "o" else ["./kernel.so", "-Wl,-rpath,."]
    assert run_c(tmp_path, "add", *linked) == "right\n"


@needs_cc
def test_a_kernel_named_as_a_word_of_c(tmp_path: Path):
    built = add(name="main")
    built.save(tmp_path / "kernel.o")
    built.save_header(tmp_path / "kernel.h")
    assert run_c(tmp_path, "kc_main", "kernel.o") == "right\n"
    loaded = load_module(tmp_path / "kernel.o")
    assert loaded.entry_name == "main"
    check_add(loaded)


@needs_cc
def test_objects_can_be_linked_together(tmp_path: Path):
    """Two objects have the pool each, and two records: one library of both has all functions."""
    for name in ("add", "add_2"):
        add(parallel=True, name=name).save(tmp_path / f"{name}.o")
    add().save_header(tmp_path / "kernel.h")
    assert run_c(tmp_path, "add", "add.o", "add_2.o") == "right\n"
    assert CC is not None
    command = [CC, "-shared", "add.o", "add_2.o", "-o", "both.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    both = load_module(tmp_path / "both.so")
    assert sorted(both.functions) == ["add", "add_2"]
    check_add(both["add"])
    check_add(both["add_2"])


def test_the_header_says_what_arguments_are():
    n = te.var("n")
    A = te.placeholder((n, 4), "uint8", "A")
    B = te.compute((n, 4), lambda i, j: A[i, j] != te.const(0, "uint8"), name="B")
    text = kc.build(te.create_schedule(B.op), [n, A, B], name="nonzero").get_header("n.h")
    assert "#ifndef N_H" in text
    assert "   A: uint8[n][4], read\n" in text
    assert "   B: bool[n][4], written */\n" in text
    prototype = " ".join(text[text.index("void nonzero(") :].split(";")[0].split())
    assert prototype == (
        "void nonzero( int64_t n, const uint8_t *KC_RESTRICT A, int64_t A_dim0, "
        "bool *KC_RESTRICT B, int64_t B_dim0)"
    )


@needs_cc
@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
def test_the_header_is_cxx_too(tmp_path: Path):
    A = te.placeholder((4,), name="class")
    B = te.compute((4,), lambda i: A[i], name="this")
    kc.build(te.create_schedule(B.op), [A, B], name="copy").save_header(tmp_path / "k.h")
    (tmp_path / "k.cc").write_text('#include "k.h"\n')
    subprocess.run(
        ["c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "k.cc"], cwd=tmp_path, check=True
    )


# Mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("k.zip", "formats"),
        ("k.so", "export_library"),
        ("k.c", 'target="c"'),
        ("k.h", "save_header"),
    ],
)
def test_a_format_that_there_is_not(name: str, hint: str, tmp_path: Path):
    error = refused(add().save, tmp_path / name)
    assert error.code == "KC5141"
    assert hint in error.hints[0]
    assert refused(load_module, tmp_path / "k.zip").code == "KC5141"


def test_a_target_that_nothing_compiles_for():
    """Nothing is compiled for the host instead."""
    kind = "nvptx"
    a = te.placeholder((4,), name="A")
    b = te.compute((4,), lambda i: a[i] + 1.0, name="B")
    error = refused(kc.build, te.create_schedule(b.op), [a, b], target=kind)
    assert str(error) == (
        f"error[KC6011]: no backend compiles for targets of the kind {kind}\n"
        f"   |  the target: {Target(kind)}\n"
        "  try: the supported kinds are: llvm, c, cuda, cuda-emu, opencl, metal, rocm"
    )


def test_files_that_cannot_be(tmp_path: Path):
    assert refused(add().save, tmp_path / "no" / "k.o").code == "KC0022"
    assert refused(load_module, tmp_path / "no.so").code == "KC0020"


@pytest.mark.parametrize("kind", ["so", "o", "ll", "bc"])
def test_a_file_without_kernels(kind: str, tmp_path: Path):
    path = tmp_path / f"k.{kind}"
    path.write_bytes(b"define void @f() {\n  ret void\n}\n")
    assert refused(load_module, path).code == "KC5140"


@pytest.mark.parametrize("kind", ["o", "ll"])
def test_a_damaged_file(kind: str, tmp_path: Path):
    path = write(add(), tmp_path / f"k.{kind}")
    data = path.read_bytes()
    assert b"float32" in data
    path.write_bytes(data.replace(b"float32", b"float64"))
    assert refused(load_module, path).code == "KC5143"


@pytest.mark.parametrize("kind", LOADED)
def test_a_bit_that_is_flipped(kind: str, tmp_path: Path):
    """Any bit of any format, before anything is mapped: what ran would be anything."""
    path = write(add(), tmp_path / f"k.{kind}")
    content = path.read_bytes()
    record = content.find(metadata.MAGIC)
    places = {*range(0, len(content), len(content) // 40), *range(16), len(content) - 1}
    if record >= 0:
        places |= set(range(record, record + 60, 3))
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        error = refused(load_module, path)
        assert error.code in ("KC5140", "KC5143"), (place, error)


@pytest.mark.parametrize("kind", LOADED)
def test_a_file_that_is_cut_off(kind: str, tmp_path: Path):
    path = write(add(), tmp_path / f"k.{kind}")
    content = path.read_bytes()
    for size in [*range(0, len(content), len(content) // 20), len(content) - 1]:
        path.write_bytes(content[:size])
        error = refused(load_module, path)
        assert error.code in ("KC5140", "KC5143"), (size, error)


def test_the_text_of_a_damaged_file(tmp_path: Path):
    path = write(add(), tmp_path / "k.mlir")
    path.write_text(path.read_text().replace("2.000000e+00", "3.000000e+00"))
    assert str(refused(load_module, path)) == textwrap.dedent(
        f"""\
        error[KC5143]: {path} is damaged
          why: its content does not have the checksum in its first line
          try: save the module again
          try: if it was edited on purpose, take that comment out"""
    )
    first, rest = path.read_text().split("\n", 1)
    path.write_text(f"{first.partition(' // sha256')[0]}\n{rest}")
    a, out = np.ones(5, np.float32), np.zeros(5, np.float32)
    load_module(path)(a, a, out)
    np.testing.assert_array_equal(out, np.full(5, 4, np.float32))


@needs_cc
def test_a_library_that_was_linked_by_another_tool(tmp_path: Path):
    """It has the checksum of its object, which is not its own."""
    add().save(tmp_path / "k.o")
    assert CC is not None
    subprocess.run([CC, "-shared", "k.o", "-o", "k.so", "-lm"], cwd=tmp_path, check=True)
    check_add(load_module(tmp_path / "k.so"))


def test_bitcode_of_another_tool(tmp_path: Path):
    """It has no checksum, and is read where LLVM may end the process."""
    path = write(add(), tmp_path / "k.bc")
    content = path.read_bytes()
    path.write_bytes(content[: -8 - 52])  # without the block of the checksum
    check_add(load_module(path))
    path.write_bytes(content[:1000])
    error = refused(load_module, path)
    assert error.code == "KC5143"
    assert error.message == f"{path} is damaged"


def test_an_object_that_ends_too_early(tmp_path: Path):
    path = write(add(), tmp_path / "k.o")
    data = path.read_bytes()
    path.write_bytes(data[: data.index(metadata.MAGIC) + 40])
    assert refused(load_module, path).code == "KC5143"


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.pop("functions"),
        lambda record: record.update(functions=[3]),
        lambda record: record.update(cpu={"a": 1}),
        lambda record: record.update(entry=7),
        lambda record: record["functions"][0].update(symbol=[]),
        lambda record: record["functions"][0]["signature"]["args"][0].update(dtype="int3"),
        lambda record: record["functions"][0]["signature"]["args"][0].update(role="out of"),
        lambda record: record["functions"][0]["signature"]["args"][0].update(shape=[["n"]]),
        lambda record: record["functions"][0]["signature"]["args"][0].update(run="code"),
        lambda record: record.update(packed=[{"name": "os.system"}]),
        b"[" * 100_000,
        b"\x94",
        b"3",
    ],
)
def test_a_record_that_somebody_else_wrote(change: Any, tmp_path: Path):
    """Its checksum is right, and so is that of no file."""
    path = write(add(), tmp_path / "add.o")
    data = path.read_bytes()
    start = data.index(metadata.MAGIC) + len(metadata.MAGIC)
    length = int.from_bytes(data[start : start + 8], "little")
    text = data[start + 40 : start + 40 + length]
    if isinstance(change, bytes):
        text = change
    else:
        record = json.loads(text)
        change(record)
        text = json.dumps(record).encode()
    head = len(text).to_bytes(8, "little") + hashlib.sha256(text).digest()
    path.write_bytes(data[:start] + head + text + bytes(33) + data[start + 40 + length + 33 :])
    error = refused(load_module, path)
    assert (error.code, error.why) == (
        "KC5143",
        "the record of its functions is none that kc wrote",
    )


def test_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    built = add()
    with monkeypatch.context() as patch:
        patch.setattr(metadata, "FORMAT", metadata.FORMAT + 1)
        path = write(built, tmp_path / "k.o")
    error = refused(load_module, path)
    assert error.code == "KC5142"
    assert f"format {metadata.FORMAT + 1}" in error.message


def test_code_of_another_machine(tmp_path: Path):
    record = add().record
    foreign = ModuleRecord(
        **{**vars(record), "triple": "aarch64-unknown-linux-gnu", "cpu": "", "features": ""}
    )
    (tmp_path / "k.so").write_bytes(foreign.encode())
    assert refused(load_module, tmp_path / "k.so").code == "KC6105"


@needs_cc
def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    built = add()
    error = refused(built.export_library, tmp_path / "k.so", cc="no-such-compiler")
    assert error.code == "KC5145"
    assert error.facts == ("looked for: no-such-compiler",)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CC", raising=False)
    assert refused(built.export_library, tmp_path / "k.so").code == "KC5145"
    assert not (tmp_path / "k.so").exists()


@needs_cc
def test_a_compiler_that_fails(tmp_path: Path):
    path = tmp_path / "k.so"
    path.write_text("as before")
    error = refused(add().export_library, path, options=["-lno_such_library"])
    assert error.code == "KC5146"
    assert any("no_such_library" in fact for fact in error.facts)
    assert path.read_text() == "as before"
    assert [path_.name for path_ in tmp_path.iterdir()] == ["k.so"]


@needs_cc
def test_a_linker_of_the_users(tmp_path: Path):
    def link(path: str, files: list[str]) -> None:
        assert CC is not None
        subprocess.run([CC, "-shared", *files, "-o", path, "-lm"], check=True)

    add().export_library(tmp_path / "k.so", fcompile=link)
    check_add(load_module(tmp_path / "k.so"))


def test_names_that_are_the_same_in_c(tmp_path: Path):
    body = "(%A: memref<4xf32>) { func.return }"
    text = f'func.func @"f.1"{body}\nfunc.func @f_1{body}'
    error = refused(kc.build(kc.IRModule.parse(text)).save, tmp_path / "k.o")
    assert error.code == "KC4510"


def test_modules_are_pickled():
    module = pickle.loads(pickle.dumps(add(parallel=True)))
    check_add(module)
    check_add(pickle.loads(pickle.dumps(module)))
    assert module.entry_name == "add"


def test_a_module_that_was_not_built():
    function = add()["add"]
    module = kc.runtime.Module({"add": function}, "add")
    assert str(refused(pickle.dumps, module)) == (
        "error[KC5141]: the module cannot be pickled: it cannot be saved in a file"
    )
    assert str(refused(pickle.dumps, function)) == (
        "error[KC5141]: the function add cannot be pickled\n"
        "  why: its code belongs to a module\n"
        "  try: pickle the module, which kc.build returned"
    )
    assert refused(module.get_header).code == "KC5141"
    assert refused(module.export_library, "k.so").code == "KC5141"
