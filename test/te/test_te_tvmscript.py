"""Random schedules as TVMScript, which is read back as the same program."""

from random import Random

from random_schedules import Program, random_calls
from tvmscript_checks import round_trip

import kc
from kc import te
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler


def test_random_schedules_are_read_back():
    count = 0
    for seed in range(40):
        random = Random(seed)
        program = Program.make(random, random.randint(1, 5), symbolic=random.random() < 0.3)
        outputs = program.outputs()
        schedule = te.create_schedule([output.op for output in outputs])
        with diagnostic_handler(lambda _: None):
            random_calls(schedule, random, random.randint(1, 16))
            try:
                module = kc.lower(schedule, [*program.inputs, *outputs])
            except KCError:
                continue
            round_trip(module)
            count += 1
    assert count > 18
