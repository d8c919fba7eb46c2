"""Random programs under random schedules: the results stay those of numpy."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from programs import Program, Unsuitable, random_program
from schedules import record, steps

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import context, get_pass

SEEDS = st.integers(0, 2**32 - 1)
STEPS = 8


def suitable(random: Random) -> Program:
    """A program whose results are known."""
    while True:
        try:
            return random_program(random)
        except Unsuitable:
            continue


def schedule_of(program: Program) -> te.Schedule:
    return te.create_schedule([one.tensor.op for one in program.outputs])


def check_interpreted(program: Program, mod: kc.IRModule) -> None:
    # What was printed is what is run: the text says all.
    mod = kc.IRModule.parse(str(mod))
    if program.empty_reduction:
        # The initial value of a reduction over nothing is stored by lowering.
        for name in ("lower-init-block", "lower-blocks"):
            get_pass(name).apply(context(), mod.op)
    arrays = program.arrays()
    run(mod.op, "main", arrays)
    program.check(arrays)


def check_compiled(program: Program, mod: kc.IRModule) -> None:
    arrays = program.arrays()
    with diagnostic_handler(lambda _: None):
        kernel = kc.build(mod)
    kernel(*arrays)
    program.check(arrays)


@given(SEEDS)
def test_eager_schedules_interpreted(seed: int):
    random = Random(seed)
    program = suitable(random)
    mod = kc.lower(schedule_of(program), program.args)
    done = steps(random, mod, random.randint(0, STEPS))
    try:
        check_interpreted(program, mod)
    except Exception as error:
        error.add_note(f"after {done}:\n{mod}")
        raise


@given(SEEDS)
def test_eager_schedules_compiled(seed: int):
    random = Random(seed)
    program = suitable(random)
    mod = kc.lower(schedule_of(program), program.args)
    done = steps(random, mod, random.randint(0, STEPS))
    try:
        check_compiled(program, mod)
    except Exception as error:
        error.add_note(f"after {done}:\n{mod}")
        raise


@given(SEEDS)
def test_te_schedules(seed: int):
    """A TE schedule is refused as its script is, or gives the same module and right results."""
    random = Random(seed)
    program = suitable(random)
    schedule = schedule_of(program)
    record(random, schedule, random.randint(0, STEPS))
    sch = tir.Schedule(kc.lower(schedule_of(program), program.args))
    with diagnostic_handler(lambda _: None):
        try:
            mod = kc.lower(schedule, program.args)
        except KCError as refusal:
            try:
                exec(schedule.to_tir_script(), {"sch": sch})
            except KCError as other:
                assert (refusal.code, refusal.message) == (other.code, other.message)
                return
            raise AssertionError("the script is not refused") from refusal
        exec(schedule.to_tir_script(), {"sch": sch})
    assert str(sch.mod) == str(mod)
    check_interpreted(program, mod)
