"""Random sequences of passes: up to twelve of all that kc has, in any order, with random options.

A program is one of another family: text of ``te``, of ``tir``, or of upstream's dialects, with its
arguments and results.
After each pass that is accepted the module is verified, printed and read, and what was read goes
on. The last module is run, in the interpreter where that knows its operations and otherwise as
machine code, and gives the results of the program. Where it does not, the modules between are run,
too, and the first pass after which a result is wrong is named. A refusal is a diagnostic, and ends
nothing; of a primitive it leaves the module as it was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import io
import re
import types
import typing
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from families import Drawn
from guarded_arrays import all_guarded
from layouts import Layouts
from programs import Program
from schedules import _any, _candidate, check_text, state_of
from texts import elsewhere

import kc
from kc import te
from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import UninterpretableError
from kc.analysis.interpreter import run as interpret
from kc.analysis.module_copy import copy_module
from kc.analysis.upstream import upstream_functions
from kc.backends import llvm as machine_code
from kc.backends.llvm_files import NativeCode
from kc.building.signatures import signatures_of
from kc.check_each import _Limit, _seen_as, _TooLong
from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.native import make_machine
from kc.dialects.llvm import FuncOp as LLVMFuncOp
from kc.dialects.te import FuncOp as TEFuncOp
from kc.support.declarations import slots
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.support.ir_text import print_module
from kc.support.option_types import to_options
from kc.support.options import Option, Options, PassSpec, Word, parse_pipeline
from kc.support.registry import context, current, pass_class
from kc.target import Target
from kc.te.lowering import lower_schedule
from kc.transforms.pass_runner import Pipeline, make_stages
from kc.transforms.schedule._flag import takes_defaults
from kc.transforms.schedule.base import LoopRef, Primitive, Site
from kc.transforms.to_tir import to_tir

if TYPE_CHECKING:
    from cases import Outcome

MOST_PASSES = 12
MOST_LINES = 12
"""Of a refusal."""
SOURCES = {
    "programs": 8,
    "bindings": 4,
    "scans": 2,
    "shapes": 6,
    "intrinsics": 2,
    "kernels": 3,
    "scripts": 2,
    "operators": 2,
    "values": 2,
    "raised": 8,
    "affine_nests": 3,
}
"""The families whose programs are taken, and how often."""
AS_WRITTEN = 0.6
"""Of programs that are text of ``te`` or of upstream's dialects, so many begin there."""
PRIMITIVES = 0.2
"""Of the passes, so many more are primitives than there are of all kinds."""
BARE = 0.1
"""Of the primitives whose flag may be without options, so many are."""
LOWERED = 0.5
"""Of the programs, so many go down to machine code."""
NEXT = 0.5
"""Of the passes of these, so many are the next of those that lead there; others come between."""
LEADING = (
    *("convert-te-to-tir", "raise-to-tir", "lower-init-block", "lower-lane-reduction"),
    *("lower-blocks", "vectorize-loop", "convert-tir-to-scf", "expand-math"),
    *("legalize-narrow-floats", "convert-to-llvm"),
)
"""The passes of a build that others cannot do without, in their order."""
ENDS = {"lower-to-llvm": 6, "lower-to-c": 2, "lower-to-gpu": 1, "lower-to-nvvm": 1}
"""Passes that end sequences of programs that go down to machine code, and how often."""
GENERIC_EVERY = 4
"""After one accepted pass in so many, the generic form is read, too."""
NUMBERS = (0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 512, -1)
"""Values of numeric options."""
WORDS = ("", "x", "i", "1")
"""Values of textual options that are not in the table below."""
OPTIONS = {"convert-to-llvm": {}, "apply-schedule": {"sequence": ("x", "slow")}}
"""Options with other values than the types say: those of LLVM's texts are for LLVM to check."""
INEXACT = frozenset({"unsafe-set-dtype", "gpu-approximate-math"})
"""Passes that change results, as they are asked to."""
LINE = re.compile(r'mod = after\(mod, r"(.*)"\)')


def run(random: Random, keep: int | None, native: bool, outcome: Outcome) -> None:
    """Draw a program and passes, and compare the results; ``outcome.given`` are other passes."""
    with diagnostic_handler(lambda _: None), redirect_stderr(io.StringIO()), elsewhere():
        outcome.stage = "program"
        program, module = _program(random, keep)
        outcome.source, outcome.original = program.source, module
        sequence = PassSequence(program, module)
        outcome.stage = "drawing a pass"
        given = outcome.given
        for spec in _specs(random, sequence) if given is None else map(_read, given):
            outcome.stage = f"pass {spec.name}"
            outcome.tried[f"--{spec.name}"] += 1
            outcome.lines.append(f'mod = after(mod, r"{spec}")')
            if not sequence.take(spec):
                outcome.lines.pop()
            outcome.stage = "drawing a pass"
        outcome.stage = "run"
        sequence.check(native, outcome)
        outcome.stage = "done"


def after(module: kc.IRModule, text: str) -> kc.IRModule:
    """The module after a pass by its text, as ``--pass-pipeline`` has it, printed and read."""
    module = kc.IRModule.parse(str(module))
    Pipeline(make_stages(parse_pipeline(text))).run(context(), module.op)
    return check_text(module)


def _read(line: str) -> PassSpec:
    match = LINE.fullmatch(line)
    assert match is not None, line
    (spec,) = parse_pipeline(match[1])
    return spec


# Programs ----------------------------------------------------------------------------------


def _program(random: Random, keep: int | None) -> tuple[Drawn, kc.IRModule]:
    """A program, and the module that passes begin with."""
    name = random.choices(list(SOURCES), list(SOURCES.values()))[0]
    program: Drawn = importlib.import_module(name).draw(random, keep)
    module = program.module
    if random.random() < AS_WRITTEN:
        if isinstance(program, Program):
            outputs = dict.fromkeys(output.tensor.op for output in program.outputs)
            schedule = te.create_schedule(list(outputs))
            module = kc.IRModule(
                lower_schedule(schedule, program.args, "main", Target.generic()).te
            )
        module = getattr(program, "unraised", None) or module
    return program, kc.IRModule.parse(str(module))


# Passes ------------------------------------------------------------------------------------


def _specs(random: Random, sequence: PassSequence) -> Iterator[PassSpec]:
    """Passes with options, each drawn for the module after those before it."""
    leading = list(LEADING) if random.random() < LOWERED else []
    end = random.choices(list(ENDS), list(ENDS.values()))[0] if leading else None
    for n in reversed(range(random.randint(1, MOST_PASSES))):
        if leading and random.random() < NEXT:
            yield PassSpec(leading.pop(0))
        elif n == 0 and end is not None:
            yield PassSpec(end)
        else:
            yield _spec(random, sequence.module)


def _spec(random: Random, module: kc.IRModule) -> PassSpec:
    """A pass with options."""
    while True:
        name = random.choice(list(current().passes))
        cls = pass_class(name)
        if random.random() < PRIMITIVES or name in current().primitives:
            name = random.choice(list(current().primitives))
            spec = _primitive(random, module, pass_class(name))
            if spec is not None:
                return spec
        else:
            return PassSpec(name, _options(random, name, cls))


def _options(random: Random, name: str, cls: Any) -> Options:
    """Random values for some of the fields of a pass."""
    hints = typing.get_type_hints(cls)
    items: list[Option] = []
    for field in dataclasses.fields(cls):
        known = OPTIONS.get(name)
        if not field.init or (known is not None and field.name not in known):
            continue
        if random.random() < 0.5:
            continue
        shown = field.name.replace("_", "-")
        value = random.choice(known[field.name]) if known else _value(random, hints[field.name])
        items.append(Option(shown, (Word(value),)))
    return Options(tuple(items))


def _value(random: Random, hint: Any) -> str:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = random.choice(typing.get_args(hint))
    if hint is type(None):
        return "none"
    if hint is bool:
        return random.choice(("true", "false"))
    return str(random.choice(NUMBERS)) if hint is int else random.choice(WORDS)


def _primitive(random: Random, module: kc.IRModule, cls: Any) -> PassSpec | None:
    """A primitive, with options that it offers, with any of the right types, or with none."""
    functions = loop_tree.kernels(module.op)
    if takes_defaults(cls) and random.random() < BARE:
        return PassSpec(cls.name)
    if not functions or not loop_tree.loops(functions[0]):
        return None
    site = Site(functions[0], Target.generic())
    step = _candidate(random, cls, site) if random.random() < 0.8 else None
    step = step or _any(random, cls, site)
    options = to_options(step)
    own = {slot.name for slot in slots(type(step))}
    if "block" not in own and random.random() < 0.8:
        holder = _holder(step)
        if holder is not None:
            options = Options((*options, Option("block", (Word(holder),))))
    return PassSpec(cls.name, options)


def _holder(step: Primitive) -> str | None:
    """A block in the loops that a primitive names: names of loops are those of their nest."""
    for slot in slots(type(step)):
        value = getattr(step, slot.name)
        refs = value if isinstance(value, tuple) else (value,)
        for ref in refs:
            if isinstance(ref, LoopRef) and not isinstance(ref.target, str):
                blocks = loop_tree.blocks(ref.target)
                if blocks:
                    return blocks[0].label
    return None


# Sequences ---------------------------------------------------------------------------------


class PassSequence:
    """A module on its way through passes, with what is needed to run it."""

    def __init__(self, program: Drawn, module: kc.IRModule) -> None:
        self.program = program
        self.module = module
        self.name = loop_tree.kernels(program.module.op)[0].sym_name.data
        self.layouts = Layouts(_of(module), program.symbols)
        self.signatures: Sequence[Any] = ()
        self.is_exact = True
        self.takes_record = False
        self._remember(program.module)  # the arguments are those of the loops from the beginning
        self.history = [Step("no pass", module, self.signatures)]
        """The modules so far, for the first wrong one."""

    def take(self, spec: PassSpec) -> bool:
        """Apply a pass to a copy of the module. True if the pass is accepted; the module is then
        the result.
        """
        working = kc.IRModule(copy_module(self.module.op))
        before = state_of(working.op) if spec.name in current().primitives else None
        layouts = {n: list(maps) for n, maps in self.layouts.maps.items()}
        try:
            stages = make_stages(parse_pipeline(str(spec)))
            with self.layouts.watching():
                Pipeline(stages).run(context(), working.op)
        except KCError as refusal:
            assert refusal.code, f"{spec} fails: {refusal}"
            assert len(refusal.render().splitlines()) <= MOST_LINES, refusal.render()
            if before is not None and not _has_no_blocks(self.module):
                assert state_of(working.op) == before, "refused, but changed it"
            self.layouts.maps = layouts
            return False
        working.op.verify()
        check_dominance(working.op)
        self.module = check_text(working)
        if len(self.history) % GENERIC_EVERY == 0:
            generic = kc.IRModule.parse(print_module(working.op, generic=True))
            assert generic.op.is_structurally_equivalent(working.op), "the generic form differs"
        if layouts != self.layouts.maps:
            self.layouts.sch = _of(self.module)
        self.is_exact &= spec.name not in INEXACT
        self.takes_record |= spec.name == "instrument-bound-checkers"
        self._remember(self.module)
        self.history.append(Step(str(spec), self.module, self.signatures))
        return True

    def _remember(self, module: kc.IRModule) -> None:
        """Note the signatures, which machine code does not have, as long as functions have them."""
        if _has_no_blocks(module) or any(_llvm_functions(module)):
            return
        with contextlib.suppress(KCError):
            self.signatures = tuple(signatures_of(module.op, Target.host_cpu()))

    def check(self, native: bool, outcome: Outcome) -> None:
        """Run the last module. The first pass after which it is wrong is named, if it is."""
        if not self.is_exact:
            outcome.checks.append("results changed as asked")
            return
        try:
            outcome.checks.append(self._run(self.history[-1], native))
        except Exception as error:
            for step in self.history:
                try:
                    self._run(step, native)
                except Exception as first:
                    name = step.spec.partition("{")[0]
                    outcome.stage = f"run after {name}"
                    first.add_note(f"The module after {step.spec}:\n{step.module}")
                    raise first from error
            raise

    def _run(self, step: Step, native: bool) -> str:
        """Run a module, and compare the results; the way in which it was run."""
        module = kc.IRModule(copy_module(step.module.op))
        if self.takes_record:
            return "not run: takes the record of a call"
        if any(_llvm_functions(module)):
            return self._run_llvm(module, step.signatures) if native else "not run natively"
        try:
            to_tir(module.op, loops=False)
        except KCError:
            return "refused conversion"
        try:
            self._interpret(module)
        except (UninterpretableError, _TooLong):
            return self._run_natively(module) if native else "not run natively"
        return "interpreter"

    def _interpret(self, module: kc.IRModule) -> None:
        arrays = self.program.arrays()
        changed = self.layouts.to_scheduled(arrays)
        with np.errstate(all="ignore"):
            interpret(module.op, self.name, changed, [_Limit()])
        self.program.check(self.layouts.from_scheduled(changed, arrays))

    def _run_natively(self, module: kc.IRModule) -> str:
        try:
            kernel = kc.build(module)
        except KCError as refusal:
            assert refusal.code, f"the build fails: {refusal}"
            return "refused build"
        self._call(kernel)
        return "native"

    def _run_llvm(self, module: kc.IRModule, signatures: Sequence[Any]) -> str:
        """Code of the dialect llvm, as the last pass of a build gives it."""
        target = Target.host_cpu()
        names = {function.sym_name.data for function in _llvm_functions(module)}
        if not signatures or not {signature.name for signature in signatures} <= names:
            return "not run: not lowered as a whole"
        try:
            text = emit_llvm_ir(module.op, triple=target.triple)
        except KCError as refusal:
            assert refusal.code, f"the text of LLVM fails: {refusal}"
            return "refused LLVM"
        machine = make_machine("", target.triple, *machine_code._machine(target), abi=target.abi)
        code = NativeCode(text, tuple(signatures), self.name, target, machine, 1, "", ())
        self._call(machine_code._loaded(code, machine_code._entry(code), {}))
        return "LLVM"

    def _call(self, kernel: Any) -> None:
        arrays = self.program.arrays()
        changed = all_guarded(self.layouts.to_scheduled(arrays), "end")
        kernel = kernel[self.name]
        specs = kernel.signature.args
        # Lowered code does not know which integers have no sign.
        kernel(*(_seen_as(spec, value) for spec, value in zip(specs, changed, strict=True)))
        self.program.check(self.layouts.from_scheduled(changed, arrays))


@dataclasses.dataclass(frozen=True)
class Step:
    """A module after a pass, and what its functions take."""

    spec: str
    module: kc.IRModule
    signatures: Sequence[Any]


def _of(module: kc.IRModule) -> Any:
    """An object with the attribute of a schedule that :class:`Layouts` reads."""
    return SimpleNamespace(module=module.op)


def _llvm_functions(module: kc.IRModule) -> Iterator[LLVMFuncOp]:
    return (op for op in module.op.body.ops if isinstance(op, LLVMFuncOp) and op.body.blocks)


def _has_no_blocks(module: kc.IRModule) -> bool:
    """True if functions must be converted to loops around blocks before a primitive sees them."""
    is_te = any(isinstance(op, TEFuncOp) for op in module.op.body.ops)
    return is_te or bool(upstream_functions(module.op, loops=True))
