"""Runs LLVM in a process of its own, where it may abort.

LLVM aborts the process on input that it considers impossible: a CPU without 64-bit mode for a
64-bit triple, an intrinsic that the CPU lacks, invalid inline assembly, or invalid bitcode. This
file runs as a script: the request is JSON on standard input, the answer goes to standard output,
and LLVM's messages go to standard error. It imports only llvmlite, so it starts fast.
"""

import base64
import json
import math
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

Parsed = TypeVar("Parsed")

_VECTOR = re.compile(r"<\d+ x ")
_FUNCTION = re.compile(r'^define[^@]*@([\w.$-]+|"[^"]*")\(', re.MULTILINE)
_LABEL = re.compile(r"^([\w.]+):", re.MULTILINE)
_BRANCH = re.compile(r"^  br .*", re.MULTILINE)
_TARGET = re.compile(r"label %([^\s,]+)")
_COUNT = re.compile(r"icmp slt i64 %[\w.]+, (\d+)(?:,|$)", re.MULTILINE)
"""The trip count of a loop, in its first block."""
_FEW = 8
"""Loops with at most this many iterations are unrolled, so that the loop around them counts as
innermost.
"""
_INSTRUCTION = re.compile(r"^  (?:%[\w.]+ = )?(.*)", re.MULTILINE)
_COPYING = re.compile(
    r"(add|sub|mul|icmp|and|or|xor|shl|[sz]ext|trunc|[su]div|[su]rem|select)\b[\w ]* (i64|i1) "
    r"|phi |getelementptr |load (?!i64)|store |br "
)
"""Instructions of a loop that only moves scalars: its computations are address computations."""
_VALUE = re.compile(r"%[\w.]+")
_COUNTER = re.compile(r"^  (%[\w.]+) = phi i64 ", re.MULTILINE)
_ADDRESS = re.compile(r"getelementptr (?:\w+ )*(\[.*\]), ptr [^,]+, (.*)")
_APART = 16
"""Distance in elements up to which LLVM merges loads and stores of scalars."""
PROBE = "define float @probe(float %x) {\n  %y = fadd float %x, %x\n  ret float %y\n}\n"


def main() -> None:
    request: dict[str, Any] = json.load(sys.stdin)
    import llvmlite.binding as llvm

    if "bitcode" in request:
        try:
            bitcode = llvm.parse_bitcode(base64.b64decode(request["bitcode"]))
            bitcode.verify()
        except RuntimeError as reason:
            json.dump({"refused": str(reason)}, sys.stdout)
        else:
            json.dump({"ir": str(bitcode)}, sys.stdout)
        return
    if "ptx" in request:
        try:
            asm = ptx(
                llvm,
                request["ptx"],
                request["cpu"],
                request["features"],
                request["opt_level"],
                request["library"],
            )
        except LookupError as error:
            function, expected, there, names = error.args
            json.dump(
                {"function": function, "wanted": expected, "there": there, "names": names},
                sys.stdout,
            )
        except RuntimeError as reason:
            json.dump({"refused": str(reason)}, sys.stdout)
        else:
            json.dump({"asm": asm}, sys.stdout)
        return
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()  # for inline assembly
    target = llvm.Target.from_triple(request["triple"])

    def create_machine() -> Any:
        return target.create_target_machine(
            cpu=request["cpu"],
            features=request["features"],
            opt=min(max(request["opt_level"], 1), 3),  # as Machine.create
            reloc=request["relocation"],
            codemodel=request["code_model"],
            abiname=request["abi"],
        )

    machine = create_machine()

    def parse(text: str | None = None) -> Any:
        module = llvm.parse_assembly(text or request["text"] or PROBE)
        module.triple = request["triple"]
        module.data_layout = str(machine.target_data)
        return module

    try:
        parse().verify()
    except RuntimeError as reason:
        json.dump({"refused": str(reason)}, sys.stdout)
        return
    module = optimized(
        llvm, parse, lambda parsed: parsed, machine, request["opt_level"], request["text"]
    )
    answer = {
        "ir": str(module),
        "asm": machine.emit_assembly(module.clone()),
        # A SPIR-V target machine keeps its previous output, and crashes at the second.
        "object": base64.b64encode(create_machine().emit_object(module.clone())).decode(),
    }
    json.dump(answer, sys.stdout)


def optimized(
    llvm: Any,
    parse: Callable[[str | None], Parsed],
    ref: Callable[[Parsed], Any],
    machine: Any,
    level: int,
    text: str = "",
) -> Parsed:
    """The module from ``parse``, whose llvmlite module is ``ref``, after LLVM's default pipeline.

    If the output of the pipeline is rewritten (:func:`with_scalar_stores`, :func:`with_traps`),
    ``parse`` is called with the rewritten text.

    At level 2, code that is already vectorised (:func:`is_vectorised`) is only simplified, by the
    function simplification part of the pipeline. This takes half the time.

    Loops and straight-line code are vectorised from level 2 on, with two exceptions for
    straight-line code. If ``text``, the text of the module, has vectors, LLVM finds few more among
    the scalars from which they are made, and the search takes most of the time of its passes: half
    the build of a convolution. If ``text`` has bf16 elements, code generation of LLVM 22.1 aborts
    on some of the resulting vectors ("Unexpected illegal type!").

    The output of LLVM's passes is verified, because code generation aborts on invalid IR or
    generates wrong code from it. SROA of LLVM 22.1 may treat the stores of parts of a vector as
    ordered (llvm/llvm-project#189680); these stores come mostly from vectorised straight-line code.
    If the output is invalid, the passes run again with less vectorisation, and finally without
    optimisation. Raises RuntimeError if that output is invalid too.
    """
    reason = ""
    attempts = [(level, level >= 2, False), (level, False, False), (0, False, False)]
    straight_line = level >= 2 and not _VECTOR.search(text) and "bfloat" not in text
    simplified = level == 2 and is_vectorised(text)
    for speed, loops, straight in [(level, level >= 2, straight_line), *attempts]:
        parsed = parse(None)
        options = llvm.create_pipeline_tuning_options(speed_level=speed)
        options.loop_vectorization = loops
        options.slp_vectorization = straight
        run = simplify_functions if simplified else run_pipeline
        simplified = False
        run(llvm, ref(parsed), machine, options)
        try:
            ref(parsed).verify()
        except RuntimeError as error:
            reason = str(error)
        else:
            rewritten = with_traps(ref(parsed), with_scalar_stores(ref(parsed)))
            return parsed if rewritten is None else parse(rewritten)
    raise RuntimeError(f"LLVM's passes made invalid IR: {reason}")


_BFLOAT = re.compile(r"(?<![\w.$%@\"-])bfloat(?![\w.$\"-])")
_LINE_OF_BFLOAT = re.compile(rf"^.*{_BFLOAT.pattern}.*$", re.MULTILINE)
_MOVES = re.compile(
    r" *(?:store |(?:%\S+|@\S+) = (?:load|select|phi|bitcast|freeze|extractelement|insertelement"
    r"|shufflevector|extractvalue|insertvalue|getelementptr|alloca|[\w ]*\b(?:global|constant)) )"
)
_BITS_OF_BFLOAT = re.compile(r"\b0xR([0-9A-Fa-f]{4})\b")


def with_bits_of_bfloat(text: str, triple: str) -> str:
    """The text of a module for x86 with ``i16`` for ``bfloat``, if it only moves such numbers.

    ``legalize-narrow-floats`` leaves only such moves. Code generation of LLVM 22.1 aborts if only
    the sign of a ``bfloat`` is used ("Shift operators return type must be the same as their first
    arg", docs/upstream.md).
    """
    if not triple.startswith(("x86", "i386")) or "bfloat" not in text:
        return text
    for line in _LINE_OF_BFLOAT.finditer(text):
        if not _MOVES.match(line[0]) or re.search(r"\d\.\d", line[0]):
            return text
    bits = _BITS_OF_BFLOAT.sub(lambda constant: str(int(constant[1], 16)), text)
    return _BFLOAT.sub("i16", bits)


_MASKED_STORE = re.compile(
    r"^(?P<indent> *)(?:tail )?call void @llvm\.masked\.store\.\S+\("
    r"<(?P<count>\d+) x (?P<element>[^<>]+)> (?P<value>%[^,]+), ptr (?P<attributes>(?:.* )?)"
    r"(?P<pointer>\S.*), <\d+ x i1> <(?P<mask>i1 [^<>]*)>\)(?: #\d+)?(?P<metadata>(?:, !.*)?)$",
    re.MULTILINE,
)
_STORE_OF_INTEGERS = re.compile(r"llvm\.masked\.store\.v\d+(?!\d|f32|f64)")
"""The intrinsics that may store a truncated wider element: integers, and floats made from their
bits. Numbers of 32 and 64 bits are rounded instead.
"""
_LANE = "i1 true"


def with_scalar_stores(module: Any) -> str | None:
    """The text of a module in which masked stores of a single lane are plain stores of an element;
    None if there are no such stores.

    If the single lane is a truncated element, the code of LLVM 22.1 for x86 with AVX-512 stores the
    whole wider element: four bytes for ``trunc <8 x i32> %v to <8 x i8>``
    (llvm/llvm-project#179489).
    """
    if not module.triple.startswith("x86") or not any(
        _STORE_OF_INTEGERS.match(function.name) for function in module.functions
    ):
        return None
    count = 0

    def scalar(match: re.Match[str]) -> str:
        nonlocal count
        mask = match["mask"].split(", ")
        if mask.count(_LANE) != 1:
            return match[0]
        lane = mask.index(_LANE)
        count += 1
        align = re.search(r"align \d+", match["attributes"]) if lane == 0 else None
        element, place = f"%kc.element.{count}", f"%kc.place.{count}"
        lines = (
            f"{element} = extractelement <{match['count']} x {match['element']}> "
            f"{match['value']}, i64 {lane}",
            f"{place} = getelementptr {match['element']}, ptr {match['pointer']}, i64 {lane}",
            f"store {match['element']} {element}, ptr {place}, "
            f"{align[0] if align else 'align 1'}{match['metadata']}",
        )
        return "\n".join(match["indent"] + line for line in lines)

    text = _MASKED_STORE.sub(scalar, str(module))
    return text if count else None


_NOTHING = re.compile(
    r"^(?P<head>define [^\n]*\{\n(?:[^\n]*:[^\n]*\n)?) +unreachable[^\n]*\n\}$", re.MULTILINE
)
_DEVICES = ("nvptx", "amdgcn", "spirv")


def with_traps(module: Any, text: str | None) -> str | None:
    """``text``, or the text of the module, with traps in functions that have no code; ``text`` if
    all have code.

    A function that LLVM proves to be undefined for all arguments, such as a division by the
    constant 0, has no code at all. A call would continue in the code behind it, and LLVM's linker
    aborts on an object without any code.
    """
    if module.triple.startswith(_DEVICES) or not any(map(_has_no_code, module.functions)):
        return text
    llvm_text = text or str(module)
    changed = _NOTHING.sub(r"\g<head>  call void @llvm.trap()\n  unreachable\n}", llvm_text)
    if "declare void @llvm.trap()" not in changed:
        changed += "\ndeclare void @llvm.trap()\n"
    return changed


def _has_no_code(function: Any) -> bool:
    first = next((inst for block in function.blocks for inst in block.instructions), None)
    return first is not None and first.opcode == "unreachable"


def ptx(
    llvm: Any, text: str, cpu: str, features: str, level: int, library: str | None = None
) -> str:
    """The PTX for LLVM IR text, optimised.

    ``library`` is a bitcode file with functions that the text declares. Raises RuntimeError for IR
    that LLVM refuses, and LookupError as :func:`link_library`.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    machine = target.create_target_machine(cpu=cpu, features=features, opt=min(max(level, 1), 3))

    def parse(rewritten: str | None = None) -> Any:
        module = llvm.parse_assembly(rewritten or text)
        module.data_layout = str(machine.target_data)
        if library is not None:
            link_library(llvm, module, library)
        return module

    verified = [parse()]
    verified[0].verify()
    module = optimized(
        llvm,
        lambda rewritten: verified.pop() if verified else parse(rewritten),
        lambda parsed: parsed,
        machine,
        level,
    )
    return machine.emit_assembly(module)


def link_library(llvm: Any, module: Any, path: str) -> None:
    """Link the functions that ``module`` declares from a library in bitcode.

    Raises LookupError for a function that the library lacks or has with another type. Its arguments
    are the name, the type here, the type in the library (or None), and the names in the library.
    """
    with open(path, "rb") as file:
        bitcode = file.read()
    try:
        library = llvm.parse_bitcode(bitcode)
    except RuntimeError as reason:
        raise RuntimeError(f"{path} is not a library\n{reason}") from None
    library.triple, library.data_layout = module.triple, module.data_layout
    types = {
        function.name: str(function.global_value_type)
        for function in library.functions
        if not function.is_declaration
    }
    own = {function.name for function in module.functions if not function.is_declaration}
    for function in module.functions:
        if function.is_declaration and function.name.startswith("__nv_"):
            expected, there = str(function.global_value_type), types.get(function.name)
            if expected != there:
                raise LookupError(function.name, expected, there, sorted(types))
    module.link_in(library)
    for function in module.functions:
        if function.name in types and function.name not in own:
            function.linkage = "internal"


def is_vectorised(text: str) -> bool:
    """True if LLVM has nothing to vectorise, unroll or inline in ``text``, which has vectors.

    This holds if no function calls another function of ``text``, and each innermost loop either has
    few iterations, or has vectors, or only moves scalars that are far apart. A loop consists of the
    lines from a label to the branch back to it, as convert-to-llvm writes it.
    """
    if not _VECTOR.search(text):
        return False
    functions = _FUNCTION.findall(text)
    if any(text.count(f"@{name}(") > 1 for name in functions):
        return False
    return not any(map(_has_scalar_loop, text.split("\ndefine ")))


def _has_scalar_loop(function: str) -> bool:
    """True if ``function`` has an innermost loop of more than a few iterations that computes
    scalars.

    A loop of few iterations counts as part of the loop around it.
    """
    starts = {label[1]: label.start() for label in _LABEL.finditer(function)}
    innermost = -1
    for branch in _BRANCH.finditer(function):
        # A label that is written otherwise may be the start of a loop.
        start = min((starts.get(label, -1) for label in _TARGET.findall(branch[0])), default=-1)
        if start < 0:
            return True
        if start > branch.start() or start < innermost:
            continue  # forward, or back to the start of a loop around
        body = function[start : branch.start()]
        count = _COUNT.search(body.partition("\n  br ")[0])
        if count is not None and int(count[1]) < _FEW:
            continue
        innermost = start
        if not _VECTOR.search(body) and not _moves_what_lies_apart(body):
            return True
    return False


def _moves_what_lies_apart(body: str) -> bool:
    """True if a loop only moves scalars that are too far apart for LLVM to vectorise."""
    if not all(map(_COPYING.match, _INSTRUCTION.findall(body))):
        return False
    moving = set(_COUNTER.findall(body))
    for line in body.splitlines():
        result, _, rest = line.strip().partition(" = ")
        if moving.isdisjoint(_VALUE.findall(rest)):
            continue
        moving.add(result)
        if (address := _ADDRESS.match(rest)) is not None:
            sizes = [int(size) for size in re.findall(r"(\d+) x", address[1])]
            for n, index in enumerate(address[2].split(", ")):
                if index.split()[-1] in moving and math.prod(sizes[n:]) >= _APART:
                    return True
    return False


def simplify_functions(llvm: Any, module: Any, machine: Any, options: Any) -> None:
    """Run the function simplification part of LLVM's default pipeline, on one function after the
    other.
    """
    builder = llvm.create_pass_builder(machine, options)
    manager = builder.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            manager.run(function, builder)
    llvm.newpassmanagers.NewPassManager._dispose(manager)
    manager.detach()


def run_pipeline(llvm: Any, module: Any, machine: Any, options: Any) -> None:
    """Run LLVM's default pipeline on ``module`` with these tuning options."""
    builder = llvm.create_pass_builder(machine, options)
    manager = builder.getModulePassManager()
    manager.run(module, builder)
    # llvmlite never frees it: its class inherits a _dispose that does nothing.
    llvm.newpassmanagers.NewPassManager._dispose(manager)
    manager.detach()


if __name__ == "__main__":
    main()
