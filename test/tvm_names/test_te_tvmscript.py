"""Random schedules as TVMScript, which is read back as the same program."""

from random import Random

from te.random_schedules import Program, random_calls
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


def test_what_a_call_requires_of_sizes_is_read_back():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.placeholder((n * m,), name="B")
    C = te.compute((n,), lambda i: A[7 - i, 2] + B[3 * i + m], name="C")
    text = round_trip(kc.lower(te.create_schedule(C.op), [B, A, C]))
    assert '{"condition": B_0 - (n * m) == 0, "why": "dimension 0 of B is n * m"}' in text
    assert (
        '{"condition": n * -1 >= 0, "unless_empty": [m * -1 + 3], '
        '"why": "C reads A[i * -1 + 7, 2]"}' in text
    )


def test_numbers_that_are_made_of_indices_are_read_back():
    A = te.placeholder((8,), "int32", name="A")
    k = te.reduce_axis((0, 3), name="k")
    unguarded = [
        lambda i: (i + te.const(0)) != 0,
        lambda i: te.Select(te.div(i + te.const(1), A[i]) > 2, A[i], i),
        lambda i: (i.astype("int64") * 4 == A[i].astype("int64")).astype("int32") << A[i],
    ]
    for body in unguarded:
        C = te.compute((8,), body, name="C")
        round_trip(kc.lower(te.create_schedule(C.op), [A, C]))
    D = te.compute((6,), lambda i: te.sum(te.Select(i > k, A[i], A[i + k]), axis=k), name="D")
    assert "T.Select(v_i > v_k, A[v_i]" in round_trip(kc.lower(te.create_schedule(D.op), [A, D]))
