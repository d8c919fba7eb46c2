"""Compiles the thread pool, kc/support/pool/pool.c, to the LLVM IR that kc uses.

    python scripts/make_pool.py CLANG

Writes pool.ARCHITECTURE.ll beside it: Linux on x86-64 and AArch64, and the serial one for every
other machine. This needs clang 22: text of a newer one may be more than llvmlite's LLVM reads. What
the text says of the build, not of the pool, is left out: paths, the processor, the data layout,
which is that of the module it becomes a part of.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "kc" / "support" / "pool"
SOURCE = FOLDER / "pool.c"
VERSION = "22"

# File -> the machine that clang compiles for. The serial pool is the same on all.
MACHINES = {
    "pool.x86_64.ll": "x86_64-linux-gnu",
    "pool.aarch64.ll": "aarch64-linux-gnu",
    "pool.serial.ll": "x86_64-unknown-none",
}

# Small, as code in memory is compiled when it is first needed, without optimization.
OPTIONS = (
    *("-std=c11", "-ffreestanding", "-nostdlibinc", "-Oz", "-fno-vectorize", "-fno-slp-vectorize"),
    *("-fPIC", "-fasynchronous-unwind-tables", "-fno-stack-protector", "-fno-strict-aliasing"),
    *("-fno-finite-loops", "-fno-discard-value-names", "-Xclang", "-disable-lifetime-markers"),
    *("-Wall", "-Wextra", "-Wpedantic", "-Werror"),
)


def main(argv: list[str]) -> int:
    clang = shutil.which(argv[0])
    if clang is None or version_of(clang).split(".")[0] != VERSION:
        what = f"that is {version_of(clang)}" if clang else "there is none"
        print(f"make_pool.py: {argv[0]}: {what}; needs clang {VERSION} (Debian: clang-{VERSION})")
        return 1
    for name in MACHINES:
        (FOLDER / name).write_text(text_of(name, clang), encoding="utf-8")
    return 0


def version_of(clang: str) -> str:
    """The version as in "22.1.8"."""
    done = subprocess.run([clang, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    match = re.search(r"version (\d[\d.]*)", done.stdout)
    return match[1] if match else "0"


def header(version: str) -> str:
    """The origin of the text, by which a stale one is noticed without a compiler, too."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()
    return (
        f"; Made by `make pool` with clang {version}: do not edit.\n"
        f"; The sha256 of pool.c: {digest}\n"
    )


def text_of(name: str, clang: str) -> str:
    """The text of one of the files."""
    done = subprocess.run(
        [clang, f"--target={MACHINES[name]}", *OPTIONS, "-S", "-emit-llvm", "-o", "-", SOURCE.name],
        cwd=FOLDER,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return header(version_of(clang)) + reduced(done.stdout)


def reduced(text: str) -> str:
    """LLVM IR without what depends on the build, and without metadata."""
    text = re.sub(
        r"^(; ModuleID|source_filename|target |; Function Attrs:|!).*\n", "", text, flags=re.M
    )
    text = re.sub(r", ![\w.]+ !\d+", "", text)
    text = re.sub(
        r' "[\w-]+"(="[^"]*")?| (noinline|mustprogress|optsize|minsize|inlinehint)\b', "", text
    )
    for group in re.findall(r"^attributes (#\d+) = { }\n", text, re.M):
        text = re.sub(rf"^attributes {group} = {{ }}\n| {group}$", "", text, flags=re.M)
    # C has weak functions, but no promise that all of a name are equivalent.
    text = re.sub(r"^define weak ", "define weak_odr ", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
