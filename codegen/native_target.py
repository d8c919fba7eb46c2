"""Targets that LLVM can compile for, checked before LLVM is called.

Diagnostics: KC6101 no such target, KC6102 no such CPU, KC6103 no such feature, KC6104 a combination
that LLVM cannot compile for, KC6105 a target whose code cannot run in this process.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import weakref
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from kc.codegen.llvm_worker import run_pipeline
from kc.support.diagnostics import TargetError, suggest
from kc.support.forks import fork_lock
from kc.support.target_data import architecture, kinds
from kc.support.tile_permission import tile_refusal

_WORKER = Path(__file__).with_name("llvm_worker.py")
_LOCK = fork_lock()

# Prefixes of the names of targets, for a triple that no target fits.
_ARCHITECTURES = ("x86_64", "i686", "aarch64", "armv7", "riscv64", "riscv32", "wasm32", "nvptx64",
                  "amdgcn", "powerpc64le", "s390x", "spirv64")  # fmt: skip


@cache
def llvm_binding() -> ModuleType:
    """llvmlite's binding, with all its targets registered."""
    import llvmlite.binding as llvm

    with _LOCK:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        llvm.initialize_native_asmparser()  # for inline assembly
    return llvm


class ParsedModule:
    """An llvmlite module (``ref``) in an LLVM context of its own.

    The module is always closed before the context. Left to the garbage collector, which may take
    the two in any order when an exception's traceback refers to them, the process would crash.
    """

    def __init__(self, text: str):
        """Raises llvmlite's RuntimeError for text that does not parse."""
        llvm = llvm_binding()
        context = llvm.create_context()
        self.ref = llvm.parse_assembly(text, context)
        weakref.finalize(self, _close, self.ref, context)


def _close(*objects: Any) -> None:
    for handle in objects:
        handle.close()


@dataclass(frozen=True)
class Machine:
    """A target in LLVM's notation. An empty ``cpu`` or ``features`` means the triple's default.

    Features are written ``"+avx2,-fma"``; ``abi`` is a name such as ``lp64d``, one of several of
    RISC-V.
    """

    triple: str
    cpu: str = ""
    features: str = ""
    relocation: str = "default"  # or static, pic, dynamicnopic
    code_model: str = "default"  # or small, kernel, medium, large
    abi: str = ""

    def create(self, opt_level: int) -> Any:
        """The llvmlite target machine, after :func:`check_machine`.

        Code generation is never that of level 0, whose instruction selection aborts on masks
        ("Cannot emit physreg copy instruction").
        """
        check_machine(self)
        return _create(self, max(opt_level, 1))


@lru_cache(maxsize=32)
def _create(machine: Machine, level: int) -> Any:
    """A cached target machine. LLVM builds the tables of a CPU for each target machine, which takes
    2 ms of a build that uses two. A target machine has no state of the code, and llvmlite
    serialises calls.
    """
    target = llvm_binding().Target.from_triple(machine.triple)
    return target.create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=level,
        reloc=machine.relocation,
        codemodel=machine.code_model,
        abiname=machine.abi,
    )


@cache
def host_target() -> tuple[str, str, str]:
    """(triple, CPU, features) of the machine this process runs on, as LLVM names them."""
    llvm = llvm_binding()
    return (
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )


@cache
def check_machine(machine: Machine) -> None:
    """Refuse targets on which LLVM would print a warning or abort; raises TargetError.

    CPUs and features that neither the host nor the target data files list are tried once, in a
    process of its own.
    """
    llvm = llvm_binding()
    try:
        llvm.Target.from_triple(machine.triple)
    except (RuntimeError, UnicodeEncodeError):
        arch = machine.triple.split("-")[0]
        raise TargetError(
            "KC6101",
            f"LLVM has no target for the triple '{machine.triple}'",
            hints=suggest(arch, _ARCHITECTURES, "a triple begins with an architecture"),
        ) from None
    for feature in filter(None, machine.features.split(",")):
        if not re.fullmatch(r"[+-][\w.-]+", feature):
            raise TargetError(
                "KC6103",
                f"'{feature}' is not a feature",
                why="a feature begins with + (on) or - (off)",
                hints=[f"write +{feature}"] if feature.isidentifier() else (),
            )
    triple, cpu, features = host_target()
    own = machine.triple == triple
    cpus, feature_choices = ("", cpu if own else ""), ("", features if own else "")
    if machine.cpu in cpus and machine.features in feature_choices and not machine.abi:
        return
    if _is_listed(machine):
        return
    done = run_worker(machine)
    messages = done.stderr
    if machine.cpu == "help" or re.search(r"is not a recognized processor", messages):
        raise TargetError(
            "KC6102",
            f"there is no CPU '{machine.cpu}' for {machine.triple}",
            hints=suggest(machine.cpu, _known(machine.triple)[0], "CPUs are"),
        )
    unknown = re.search(r"'([+-].*?)' is not a recognized feature", messages)
    if unknown or re.search(r"[+-]help\b", machine.features):
        feature = unknown.group(1) if unknown else "+help"
        names = [feature[0] + name for name in _known(machine.triple)[1]]
        raise TargetError(
            "KC6103",
            f"there is no feature '{feature[1:]}' for {machine.triple}",
            hints=suggest(feature, names, "the features are"),
        )
    if done.returncode:
        raise TargetError(
            "KC6104",
            f"LLVM cannot compile for {_shown(machine)}",
            why=last_words(messages),
            hints=["leave out the CPU, or name one of this architecture"],
        )


def _is_listed(machine: Machine) -> bool:
    """True if the data file of the architecture lists the CPU and the features.

    Disabled features count as listed only if virtual machines disable them: without some features,
    LLVM has no code for an architecture.
    """
    name = machine.triple.split("-")[0]
    architectures = map(architecture, kinds()["llvm"].architectures)
    arch = next((arch for arch in architectures if name in (arch.name, *arch.machines)), None)
    if arch is None or machine.abi or machine.cpu not in ("", *arch.cpus):
        return False
    withheld = {feature for features in arch.withheld.values() for feature in features}
    return all(
        feature[1:] in (arch.features if feature[0] == "+" else withheld)
        for feature in filter(None, machine.features.split(","))
    )


def _shown(machine: Machine) -> str:
    parts = [machine.triple, machine.cpu, machine.features, machine.abi]
    return " ".join(part for part in parts if part)


@cache
def _known(triple: str) -> tuple[list[str], list[str]]:
    """The names of all CPUs and features of an architecture."""
    listing = run_worker(Machine(triple, features="+help")).stderr
    cpus, _, features = listing.partition("Available features")
    name = re.compile(r"^  (\S+)\s+- ", re.MULTILINE)
    return sorted(set(name.findall(cpus))), sorted(set(name.findall(features)))


def run_worker(
    machine: Machine, text: str = "", opt_level: int = 0
) -> subprocess.CompletedProcess[str]:
    """Compile ``text`` (by default a tiny function) in a process of its own."""
    request = {
        "triple": machine.triple,
        "cpu": machine.cpu,
        "features": machine.features,
        "relocation": machine.relocation,
        "code_model": machine.code_model,
        "abi": machine.abi,
        "text": text,
        "opt_level": opt_level,
    }
    return _work(request)


def _work(request: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", str(_WORKER)],
        input=json.dumps(request),
        capture_output=True,
        text=True,
    )


def text_of_bitcode(data: bytes) -> str:
    """LLVM IR as text, from bitcode that may be damaged: read in a process of its own.

    Raises llvmlite's RuntimeError.
    """
    done = _work({"bitcode": base64.b64encode(data).decode()})
    if done.returncode:
        raise RuntimeError(last_words(done.stderr))
    answer = json.loads(done.stdout)
    if "refused" in answer:
        raise RuntimeError(answer["refused"])
    return answer["ir"]


def last_words(messages: str) -> str:
    """The line of LLVM's output that explains the failure."""
    for words in (r"LLVM ERROR: (.*)", r"\berror: (.*)", r"Assertion `(.*)' failed"):
        if match := re.search(words, messages):
            return match.group(1)
    lines = [line for line in messages.splitlines() if line.strip()]
    return lines[-1] if lines else "LLVM said nothing"


# Features of x86 whose instructions LLVM selects for their own intrinsics only. A virtual machine
# often hides some of them, which is no reason to refuse a CPU that has them.
_ON_REQUEST_ONLY = (
    "adx aes amx-avx512 amx-bf16 amx-complex amx-fp16 amx-fp8 amx-int8 amx-movrs amx-tf32 amx-tile "
    "cldemote clflushopt clwb clzero cmpccxadd enqcmd fsgsbase hreset invpcid kl lwp movdir64b "
    "movdiri movrs mwaitx pclmul pconfig pku prefetchi prfchw ptwrite raoint rdpid rdpru rdrnd "
    "rdseed rtm serialize sgx sha sha512 shstk sm3 sm4 tsxldtrk uintr usermsr vaes vpclmulqdq "
    "waitpkg wbnoinvd widekl xsave xsavec xsaveopt xsaves"
).split()

# LLVM inlines the callee, which needs one more feature, only if the caller has it.
_INLINE = """
define internal float @needs{i}(float %x) "target-cpu"="{cpu}" "target-features"="{more}" {{
  %y = fadd float %x, %x
  ret float %y
}}
define float @has{i}(float %x) "target-cpu"="{cpu}" "target-features"="{features}" {{
  %y = call float @needs{i}(float %x)
  ret float %y
}}
"""


@cache
def features_among(machine: Machine, names: tuple[str, ...]) -> tuple[str, ...]:
    """The features among ``names`` that the machine's CPU has, determined by LLVM's inlining."""
    llvm = llvm_binding()
    base = [machine.features] if machine.features else []
    text = "".join(
        _INLINE.format(
            i=i, cpu=machine.cpu, features=machine.features, more=",".join([*base, f"+{name}"])
        )
        for i, name in enumerate(names)
    )
    module = ParsedModule(text)
    module.ref.triple = machine.triple
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    run_pipeline(llvm, module.ref, Machine(*host_target()).create(1), options)
    optimized = str(module.ref)
    return tuple(name for i, name in enumerate(names) if f"@needs{i}(" not in optimized)


TILES = "@llvm.x86.tile"
"""The prefix of intrinsics that load tile registers."""


def permit_tiles() -> None:
    """Request the tile registers of x86, once per process.

    Raises TargetError KC6105 if the request is refused.
    """
    why = tile_refusal()
    if why is not None:
        raise TargetError(
            "KC6105",
            "this machine cannot run code with tile registers (AMX)",
            why=why,
            hints=[
                "-mattr=-amx-tile compiles without them",
                "compile it to assembly or to an object instead",
            ],
        )


@cache
def check_runs_here(machine: Machine) -> None:
    """Refuse code for another kind of machine, which would end the process; raises TargetError."""
    llvm = llvm_binding()
    triple, cpu, features = host_target()
    check_machine(machine)
    here, there = (llvm.get_triple_parts(name) for name in (triple, machine.triple))
    if (here.Arch, here.OS, here.ObjectFormat) != (there.Arch, there.OS, there.ObjectFormat):
        raise TargetError(
            "KC6105",
            f"code for {machine.triple} cannot run in this process",
            why=f"this process is {triple}",
        )
    if (machine.cpu, machine.features) in (("", ""), (cpu, features)):
        return
    lacking = {feature[1:] for feature in features.split(",") if feature.startswith("-")}
    requested = [feature[1:] for feature in machine.features.split(",") if feature.startswith("+")]
    missing = [name for name in requested if name in lacking]
    if machine.cpu:
        on_request = sorted(lacking.difference(_ON_REQUEST_ONLY, missing))
        missing += features_among(machine, tuple(on_request))
    if missing:
        raise TargetError(
            "KC6105",
            f"this machine cannot run code for {_shown(machine)}",
            why=f"this machine is {cpu}, which lacks {', '.join(missing)}",
            hints=["compile it to assembly or to an object instead, or leave out the CPU"],
        )
