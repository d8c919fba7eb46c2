"""Compiles kc's C sources to the LLVM IR that kc uses: the thread pool, the GPU emulator, and the
launcher of kernels.

    python scripts/make_native.py CLANG

Writes the LLVM IR beside the sources: the pool for Linux on x86-64 and AArch64, and a serial one
for every other machine; the others for all machines. Needs clang 22: llvmlite's LLVM may be unable
to read the text of a newer version. Text that describes the build and not the program is removed:
paths, the processor, and the data layout, which is that of the module into which it is linked.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "kc" / "support"
VERSION = "22"

# File -> the machine that clang compiles for. What is for no system is the same on all machines.
MACHINES = {
    "pool/pool.x86_64.ll": "x86_64-linux-gnu",
    "pool/pool.aarch64.ll": "aarch64-linux-gnu",
    "pool/pool.serial.ll": "x86_64-unknown-none",
    "emulator/emulator.ll": "x86_64-unknown-none",
    "launcher/launcher.ll": "x86_64-unknown-none",
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
        print(f"make_native.py: {argv[0]}: {what}; needs clang {VERSION} (Debian: clang-{VERSION})")
        return 1
    for name in MACHINES:
        (FOLDER / name).write_text(text_of(name, clang), encoding="utf-8")
    return 0


def version_of(clang: str) -> str:
    """The version as in "22.1.8"."""
    done = subprocess.run([clang, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    match = re.search(r"version (\d[\d.]*)", done.stdout)
    return match[1] if match else "0"


def source_of(name: str) -> Path:
    """The C file from which a text is compiled."""
    path = FOLDER / name
    return path.with_name(f"{path.name.partition('.')[0]}.c")


def header(name: str, version: str) -> str:
    """The header that states the origin of the text. It shows without a compiler that a text is
    stale.
    """
    source = source_of(name)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    return (
        f"; Made by `make native` with clang {version}: do not edit.\n"
        f"; The sha256 of {source.name}: {digest}\n"
    )


def text_of(name: str, clang: str) -> str:
    """The text of one of the files."""
    source = source_of(name)
    target = f"--target={MACHINES[name]}"
    done = subprocess.run(
        [clang, target, *OPTIONS, "-S", "-emit-llvm", "-o", "-", source.name],
        cwd=source.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return header(name, version_of(clang)) + reduced(done.stdout)


def reduced(text: str) -> str:
    """LLVM IR without metadata and without the parts that depend on the build."""
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
