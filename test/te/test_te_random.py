"""Random TE schedules of random programs: refused, or equal to numpy in both executions."""

from random import Random

import numpy as np
import pytest
from guarded_arrays import checked_build
from property_tests import is_in_slice
from random_schedules import Program, random_calls, sizes

import kc
from kc import te, tir
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler


def one_schedule(seed: int, *, native: bool) -> bool:
    """Check the schedule of ``seed``. True if the schedule is legal."""
    random = Random(seed)
    program = Program.make(random, random.randint(1, 5), symbolic=random.random() < 0.3)
    outputs = program.outputs()
    schedule = te.create_schedule([output.op for output in outputs])
    args = [*program.inputs, *outputs]
    calls = random_calls(schedule, random, random.randint(1, 16))
    try:
        module = kc.lower(schedule, args)
    except KCError as refused:
        if refused.location is None:
            raise
        return False
    module.op.verify()
    check_dominance(module.op)
    inputs = program.arrays()
    wanted = [program.values[output](inputs) for output in outputs]
    runs = [lambda *arrays: run(module.op, "main", list(arrays))]
    if native:
        runs.append(kc.build(schedule, args))
        if is_in_slice(str(module), 3):
            runs.append(checked_build(schedule, args))
    for call in runs:
        results = [np.full(sizes(output), 99, np.int32) for output in outputs]
        call(*inputs, *results)
        for result, expected in zip(results, wanted, strict=True):
            np.testing.assert_array_equal(result, expected, f"{seed}: {calls}")
    script = schedule.to_tir_script()
    sch = tir.Schedule(kc.lower(schedule.without_schedule(), args))
    exec(script, {"sch": sch})
    assert str(sch.mod) == str(module), (seed, calls, script)
    return True


@pytest.mark.parametrize(
    "start", [0, *(pytest.param(start, marks=pytest.mark.sweep) for start in (40, 80, 120))]
)
def test_random_schedules(start: int):
    with diagnostic_handler(lambda _: None):
        legal = sum(one_schedule(seed, native=seed % 4 == 0) for seed in range(start, start + 40))
    assert legal > 5
