"""Names in generated text: of the C library, keywords, macros, and what has a meaning there."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import kc
from kc.codegen.c_source.helpers import _HELPERS
from kc.codegen.elf import ElfObject, undefined_symbols
from kc.codegen.float_conversions import NAMES as CONVERSIONS
from kc.codegen.perf_map import entries
from kc.conversion.reuse_workspace import RELEASE
from kc.runtime.gpu.launcher import SYMBOLS as LAUNCHER
from kc.runtime.parallel import SYMBOLS as POOL
from kc.support import registry
from kc.support.c_names import c_name, c_words, in_comment, machine_symbol, name_of_symbol
from kc.transform import PassContext

CC = shutil.which("cc")
CXX = shutil.which("c++")
CLANG = shutil.which("clang-22") or shutil.which("clang")

# The functions of the C library that operations become, by the operation.
MATH = {
    name: getattr(np, numpy_name)
    for name, numpy_name in {
        "absf": "abs", "ceil": "ceil", "cos": "cos", "exp": "exp", "floor": "floor", "log": "log",
        "roundeven": "rint", "sin": "sin", "sqrt": "sqrt", "tanh": "tanh", "trunc": "trunc",
        "cbrt": "cbrt",
    }.items()
}  # fmt: skip
NAME_OF = {"absf": "fabs"}
MEMORY = ["memset", "malloc", "free", "aligned_alloc", "kc_parallel_for"]
"""The library functions that :data:`ALL_OF_MEMORY` calls in compiled code, and ``malloc``."""
COPIES = ["memcpy", "memmove"]
CALLED = [
    "printf", "puts", "abort", "environ", "_start", "__truncdfhf2", "__extendhfsf2", "kc_alloc",
    "kc_min", "kc_pool_num_threads", "kc_module_metadata", "kc.floor", "llvm.memcpy.p0",
    "llvm.used", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_",
]  # fmt: skip
WORDS = [
    "main", "int", "class", "while", "half", "kernel", "float4", "threadIdx", "thread", "metal",
    "linux", "unix", "errno", "NULL", "I", "EOF", "assert", "isnan", "st_atime", "restrict",
    "get_global_id", "vprintf", "__nv_expf", "def", "lambda", "None", "T", "print", "self", "_",
]  # fmt: skip
HOSTILE = [
    'a"b', "x*/ int evil = 1; /*", "new\nline", "carriage\rreturn", "back\\slash", "nul\0byte",
    "</script><script>evil()</script>", "é 核 😀", "\u202etxt", "", " ", "1x", "%s%n", "@x",
    "\x01p",
    "'''", '"""', "#{x}", "a.b", "a-b c", f"f{RELEASE}", "`x`", "../../etc/passwd", "$24$",
]  # fmt: skip


def quoted(name: str) -> str:
    """A string of textual IR."""
    return '"' + "".join(f"\\{byte:02X}" for byte in name.encode()) + '"'


def function(name: str, body: str, argument: str = "A") -> str:
    """IR of a function of two arrays of 64 doubles. (Names of arguments are not empty: KC1101.)"""
    argument = argument or "A"
    return f"""
func.func @{quoted(name)}(
    %A: memref<64xf64> {{kc.name = {quoted(argument)}, kc.role = "in"}},
    %B: memref<64xf64> {{kc.name = "B", kc.role = "out"}}) {{
{body}
  func.return
}}
"""


def elementwise(value: str, kind: str = "") -> str:
    """A loop that stores %1 for each %0; ``kind`` is that of the loop."""
    return f"""
  tir.for %i in 64 {kind} {{
    %0 = tir.load %A[%i] : memref<64xf64>
    {value}
    tir.store %1, %B[%i] : memref<64xf64>
  }}"""


DOUBLED = elementwise("%1 = arith.addf %0, %0 : f64")
ALL_OF_MEMORY = """
  %c = arith.constant 0.0 : f64
  %C = tir.alloc "C" : memref<100000xf64>
  %D = tir.alloc "D" : memref<100000xf64>
  tir.for %i in 100000 { tir.store %c, %C[%i] : memref<100000xf64> }
  tir.for %j in 64 parallel {
    %0 = tir.load %A[%j] : memref<64xf64>
    %1 = arith.truncf %0 : f64 to f16
    %2 = arith.extf %1 : f16 to f64
    tir.store %2, %C[%j] : memref<100000xf64>
  }
  tir.for %k in 100000 {
    %3 = tir.load %C[%k] : memref<100000xf64>
    tir.store %3, %D[%k] : memref<100000xf64>
  }
  tir.for %l in 64 {
    %4 = tir.load %D[%l] : memref<100000xf64>
    %5 = tir.load %D[%l + 64] : memref<100000xf64>
    %6 = arith.addf %4, %5 : f64
    tir.store %6, %B[%l] : memref<64xf64>
  }"""


def program() -> kc.IRModule:
    """A function for each name of the C library that calls what has the name."""
    texts = [
        function(NAME_OF.get(name, name), elementwise(f"%1 = math.{name} %0 : f64"))
        for name in MATH
    ]
    texts += [function(name, ALL_OF_MEMORY) for name in MEMORY]
    copy = "  memref.copy %A, %B : memref<64xf64> to memref<64xf64>"
    texts += [function(name, copy) for name in COPIES]
    texts += [function(name, DOUBLED) for name in CALLED]
    texts.append(function("pow", elementwise("%1 = math.powf %0, %0 : f64")))
    return kc.IRModule.parse("\n".join(texts))


A = np.linspace(0.1, 0.9, 64)
HALVES = A.astype(np.float16).astype(np.float64)


def check(module: kc.Module) -> None:
    """Call each function of :func:`program`."""
    expected = {NAME_OF.get(name, name): fn(A) for name, fn in MATH.items()}
    expected |= dict.fromkeys(MEMORY, HALVES) | dict.fromkeys(COPIES, A)
    expected |= dict.fromkeys(CALLED, A + A)
    expected["pow"] = A**A
    assert set(module.functions) == set(expected)
    for name, wanted in expected.items():
        b = np.zeros(64)
        module[name](A, b)
        np.testing.assert_allclose(b, wanted, rtol=1e-14, err_msg=name)


def built() -> kc.Module:
    """:func:`program` for a CPU that has few instructions, with functions of the C library."""
    with PassContext(disabled_pass=["expand-math"]):
        return kc.build(program(), target="llvm -mcpu=x86-64")


def in_process(work: str, *arguments: object) -> None:
    """Run ``work`` in a process of its own, where it may run until its stack ends."""
    code = f"import sys\nfrom test_names_in_code import *\n{textwrap.dedent(work)}"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])


needs_x86 = pytest.mark.skipif(
    not kc.target.Target.host_cpu().llvm.triple.startswith("x86_64"), reason="code of x86-64"
)
needs_cc = pytest.mark.skipif(CC is None, reason="there is no C compiler")


@needs_x86
@pytest.mark.slow
def test_kernels_named_like_what_they_call(tmp_path: Path) -> None:
    """In this process, as an object, and linked as a library."""
    in_process(
        """
        folder = Path(sys.argv[1])
        module = built()
        check(module)
        needed = set(undefined_symbols(module._artefacts["o"]()))
        assert {"floor", "pow", "sin", "memset", "memcpy", "free"} <= needed
        module.save(str(folder / "k.o"))
        check(kc.runtime.load_module(str(folder / "k.o")))
        if CC:
            module.export_library(str(folder / "k.so"))
            check(kc.runtime.load_module(str(folder / "k.so")))
        """,
        tmp_path,
    )


@needs_x86
@needs_cc
@pytest.mark.slow
def test_a_c_program_has_its_library_and_the_kernels(tmp_path: Path) -> None:
    """The header stands beside those of the C library, whose functions are as they were."""
    module = built()
    module.save(str(tmp_path / "k.o"))
    (tmp_path / "k.h").write_text(module.get_header("k.h"))
    (tmp_path / "main.c").write_text(
        textwrap.dedent(
            """
            #include <math.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <errno.h>
            #include <complex.h>
            #include "k.h"
            int main(void) {
              double *a = malloc(64 * sizeof *a), b[64], c[64];
              for (int i = 0; i < 64; i++) a[i] = i + 0.75;
              kc_floor(a, b);
              kc_malloc(a, c);
              for (int i = 0; i < 64; i++) if (b[i] != floor(a[i]) || c[i] != a[i]) return 1;
              memcpy(c, b, sizeof c);
              free(a);
              return memcmp(b, c, sizeof c) != 0;
            }
            """
        )
    )
    command = [CC, "-Wall", "-Wextra", "-Werror", "main.c", "k.o", "-o", "main", "-lm", "-pthread"]
    subprocess.run([str(word) for word in command], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0


@needs_x86
def test_private_functions_and_globals() -> None:
    """A function that only the module calls is renamed in all references to it."""
    module = kc.IRModule.parse(
        """
        memref.global "private" constant @memset : memref<2xf64> = dense<[1.0, 2.0]>
        func.func private @ceil(%x: f64) -> f64 {
          %0 = math.floor %x : f64
          func.return %0 : f64
        }
        func.func @floor(%A: memref<64xf64> {kc.name = "A", kc.role = "in"},
                         %B: memref<64xf64> {kc.name = "B", kc.role = "out"}) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c64 = arith.constant 64 : index
          %t = memref.get_global @memset : memref<2xf64>
          %two = memref.load %t[%c1] : memref<2xf64>
          scf.for %i = %c0 to %c64 step %c1 {
            %0 = memref.load %A[%i] : memref<64xf64>
            %1 = func.call @ceil(%0) : (f64) -> f64
            %2 = math.ceil %0 : f64
            %3 = arith.mulf %2, %two : f64
            %4 = arith.addf %1, %3 : f64
            memref.store %4, %B[%i] : memref<64xf64>
          }
          func.return
        }
        """
    )
    b = np.zeros(64)
    for target in ("llvm -mcpu=x86-64", *(["c"] if CC else [])):
        kc.build(module, target=target)(A * 10, b)
        np.testing.assert_array_equal(b, np.floor(A * 10) + 2 * np.ceil(A * 10))


# All names, all outputs -----------------------------------------------------------------------

NAMES = ["floor", "exp", "fabs", *MEMORY, *COPIES, *CALLED, *WORDS, *HOSTILE]


def all_names(body: str = DOUBLED) -> kc.IRModule:
    """Functions of all names, whose first arguments are called like them."""
    return kc.IRModule.parse("\n".join(function(name, body, name) for name in NAMES))


ON_DEVICE = elementwise("%1 = arith.addf %0, %0 : f64", 'thread "threadIdx.x"')


def distinct(names: Sequence[str]) -> list[str]:
    """The first of all names that have one name in C."""
    return list({c_name(name): name for name in reversed(names)}.values())


def test_every_name_natively() -> None:
    module = kc.build(all_names())
    for name in NAMES:
        b = np.zeros(64)
        module[name](A, b)
        assert (b == A + A).all(), name
        assert module[name].name == name
    text = module.get_source("ll")
    assert "evil = 1" not in text


@needs_cc
def test_every_name_in_c(tmp_path: Path) -> None:
    text = "\n".join(function(name, DOUBLED, name) for name in distinct(NAMES))
    module = kc.build(kc.IRModule.parse(text), target="c")
    for name in distinct(NAMES):
        b = np.zeros(64)
        module[name](A, b)
        assert (b == A + A).all(), name
    header = module.get_header("names.h")
    declared = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    assert "evil" not in re.sub(r"void \w+\([^)]*\);", "", declared)
    assert header.count("/*") == header.count("*/")
    assert header.isascii() or all(c.isprintable() or c == "\n" for c in header)
    (tmp_path / "names.h").write_text(header)
    headers = "math stdio stdlib string errno time signal unistd sys/types sys/stat pthread".split()
    (tmp_path / "use.c").write_text(
        "".join(f"#include <{name}.h>\n" for name in [*headers, "complex"]) + '#include "names.h"\n'
    )
    (tmp_path / "use.cc").write_text(
        "".join(f"#include <{name}.h>\n" for name in headers) + '#include "names.h"\n'
    )
    commands = [[CC, "-std=gnu11", "use.c"], [CC, "-std=c99", "use.c"], [CXX, "use.cc"]]
    for command in commands:
        if command[0] is not None:
            flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
            subprocess.run([*command, *flags], cwd=tmp_path, check=True)


def test_translated_objects_have_names_for_c() -> None:
    module = kc.IRModule.parse(function("floor", elementwise("%1 = math.floor %0 : f64")))
    target = kc.target.Target("llvm -mcpu=x86-64")
    data = registry.current().formats["obj"].load()(module.op.clone(), target)
    assert isinstance(data, bytes)
    defined = [symbol.name for symbol in ElfObject(data).symbols if symbol.is_function]
    assert (defined, undefined_symbols(data)) == (["kc_floor"], ["floor"])


def test_two_functions_of_one_name_in_c() -> None:
    text = function("a.b", DOUBLED) + function("a_b", DOUBLED)
    module = kc.build(kc.IRModule.parse(text))
    b = np.zeros(64)
    module["a.b"](A, b)  # natively there are two
    with pytest.raises(kc.KCError, match="have the same name in C, a_b"):
        kc.build(kc.IRModule.parse(text), target="c")
    with pytest.raises(kc.KCError, match="have the same name in C, a_b"):
        module.get_header("x.h")


ON_GPUS = [*WORDS, *HOSTILE, "memcpy", "printf", "_start", "kc_min", "floor"]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cuda", "opencl", "metal", "rocm"])
def test_every_name_on_gpus(target: str, tmp_path: Path) -> None:
    body = ON_DEVICE.replace("f64", "f32") if target == "metal" else ON_DEVICE
    text = "\n".join(function(name, body, name) for name in ON_GPUS)
    text = text.replace("xf64", "xf32") if target == "metal" else text
    module = kc.build(kc.IRModule.parse(text), target=target)
    (device,) = module.imported_modules
    source = device.get_source(*["asm"] * (target == "rocm"))
    pattern = {
        "cuda": r"^\.visible \.entry ([^(]*)\(",
        "opencl": r"^__kernel .*void ([^(]*)\(",
        "metal": r"^.*kernel void ([^(]*)\(",
        "rocm": r"^\s*\.amdhsa_kernel (.*)$",
    }[target]
    kernels = re.findall(pattern, source, re.MULTILINE)
    assert len(set(kernels)) == len(ON_GPUS)
    assert all(re.fullmatch(r"[A-Za-z_]\w*", kernel, re.ASCII) for kernel in kernels)
    assert not set(kernels) & c_words()
    assert "evil = 1" not in source
    if target == "opencl" and CLANG:
        (tmp_path / "k.cl").write_text(source)
        command = [CLANG, "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header"]
        subprocess.run([*command, "-fsyntax-only", "k.cl"], cwd=tmp_path, check=True)
    if target == "cuda":
        again = module.get_source("cuda")
        assert "evil = 1" not in again
        names = re.findall(r"__global__ void .*?(\w+)\(const", again)
        assert len(set(names)) == len(kernels)


def test_every_name_in_the_emulator() -> None:
    names = [*HOSTILE[:8], "floor", "memcpy", "kc_min", "printf", "class", "half"]
    text = "\n".join(function(name, ON_DEVICE, name) for name in names)
    module = kc.build(kc.IRModule.parse(text), target="cuda-emu")
    for name in names:
        b = np.zeros(64)
        module[name](A, b)
        assert (b == A + A).all(), name


def test_every_name_in_tvmscript() -> None:
    given = all_names()
    text = given.script(style="tvmscript")
    tree = ast.parse(text)
    assert [type(op) for op in tree.body] == [ast.ClassDef]
    assert text.isascii()
    assert "import os" not in text
    again = kc.script.from_source(text)
    names = [op.sym_name.data for op in again.op.body.ops]  # pyright: ignore
    assert names == [op.sym_name.data for op in given.op.body.ops]  # pyright: ignore
    module = kc.build(again)
    for name in HOSTILE:
        b = np.zeros(64)
        module[name](A, b)
        assert (b == A + A).all(), name
    given.script(style="tvm")


def test_every_name_in_pages_and_text() -> None:
    given = all_names()
    assert str(kc.IRModule.parse(str(given))) == str(given)
    name = "</script><script>evil()</script><!--x"
    module = kc.IRModule.parse(function(name, DOUBLED, name))
    schedule = kc.tir.Schedule(module)
    page = schedule.report(code=True)
    for text in (page.html(), module._repr_html_(), kc.build(module)._repr_html_()):
        assert "<script>evil" not in text
        assert text.count("</script>") == text.count("<script")


def test_names_of_variables_of_blocks_are_identifiers() -> None:
    text = """
    func.func @f(%A: memref<8xf32>) {
      tir.for %i in 8 {
        tir.block "b" (spatial %v "x y" in 8 = %i) do {
          %0 = arith.constant 1.0 : f32
          tir.store %0, %A[%v] : memref<8xf32>
        }
      }
      func.return
    }"""
    with pytest.raises(kc.KCError, match="tir.block: the name 'x y' is not an identifier"):
        kc.IRModule.parse(text)


# The names themselves -------------------------------------------------------------------------


def test_symbols_are_distinct_and_can_be_read_back() -> None:
    names = [*NAMES, *map(machine_symbol, NAMES), *POOL, *CONVERSIONS, "a_b", "kc.a$2e$b"]
    symbols = {name: machine_symbol(name) for name in names}
    assert len(set(symbols.values())) == len(symbols)
    for name, symbol in symbols.items():
        assert name_of_symbol(symbol) == name
        assert re.fullmatch(r"[\w.$]+", symbol, re.ASCII), symbol
    # What generated code calls is never the symbol of a function of a module.
    called = [*POOL, *CONVERSIONS, *(f"kc_gpu_{name}" for name in LAUNCHER), *_HELPERS]
    assert not {*called, *MEMORY, *COPIES, "floor", "__extendhfsf2"} & set(symbols.values())
    assert machine_symbol("main") == "main"
    assert machine_symbol("gemm") == c_name("gemm") == "gemm"


def test_names_in_c_are_none_of_its_own() -> None:
    own = set(_HELPERS) | set(POOL) | set(CONVERSIONS)
    assert not {c_name(name) for name in [*c_words(), *own]} & own
    assert c_name("floor") == "kc_floor"
    assert c_name("kc_floor") == "kc_kc_floor"
    assert c_name("__x") == "kc___x"


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's libraries")
def test_all_of_the_mathematical_library_is_taken() -> None:
    for folder in ("/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib/aarch64-linux-gnu"):
        for file in ("libm.so.6", "libc.so.6"):
            path = Path(folder, file)
            if not path.exists():
                continue
            elf = ElfObject(path.read_bytes())
            number = elf.section(".dynsym")
            assert number is not None
            strings = elf.content(elf.sections[elf.sections[number].link])
            table = elf.content(elf.sections[number])
            offsets = [
                int.from_bytes(table[at : at + 4], "little") for at in range(0, len(table), 24)
            ]
            names = {strings[at : strings.index(0, at)].decode() for at in offsets} - {""}
            free = {name for name in names if machine_symbol(name) == name}
            # Names of this libc that C has no names for are few and begin with an underscore.
            assert {name for name in free if not name.startswith("_")} <= {"main"}, file


def test_comments() -> None:
    assert in_comment("a*/b/*c\n\u202e\\") == "a* /b/ *c\\n\\u202e\\"
    assert in_comment("é 核") == "é 核"


def test_perf_map_has_one_line_per_function(tmp_path: Path) -> None:
    module = kc.build(kc.IRModule.parse(function("two\nlines", DOUBLED) + function("exp", DOUBLED)))
    native = module._artefacts  # the object of this process has other symbols
    assert native
    from kc.codegen.native import compile_ir

    code = compile_ir(module.get_source("ll"))
    named = [entry.name for entry in entries(ElfObject(code.object()), lambda name: 4096)]
    assert sorted(named) == ["kc::exp", "kc::two\\nlines"]
