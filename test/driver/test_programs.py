"""Inputs of kc.lower and kc.build: each becomes one record, once."""

import ast
from pathlib import Path

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.building import programs
from kc.building.programs import ModuleProgram, ProgramList, TensorProgram, program_of
from kc.error import TEError
from kc.support.target import Target

HOST = Target.generic()


def doubled(name: str = "B") -> tuple[te.Tensor, te.Tensor]:
    A = te.placeholder((8,), name="A")
    return A, te.compute((8,), lambda i: A[i] * 2.0, name=name)


def scheduled_module(name: str = "f") -> kc.IRModule:
    A, B = doubled()
    s = te.create_schedule(B.op)
    s[B].vectorize(B.op.axis[0])
    return kc.lower(s, [A, B], name=name)


def test_tensors_and_schedules():
    A, B = doubled()
    unscheduled = program_of("lower", [A, B])
    assert isinstance(unscheduled, TensorProgram)
    assert (unscheduled.is_unscheduled, list(unscheduled.args)) == (True, [A, B])
    given = program_of("lower", te.create_schedule(B.op), [A, B], "g")
    assert isinstance(given, TensorProgram)
    assert (given.is_unscheduled, given.name, given.modules) == (False, "g", None)
    assert unscheduled.lowered(HOST).chosen == ["main"]
    assert given.lowered(HOST).chosen == given.lowered(HOST).user_scheduled == []
    assert [stage for stage, _ in given.lowered(HOST).stages] == ["te", "tir"]


def test_modules_know_what_a_schedule_has_made():
    module = scheduled_module()
    program = program_of("build", module)
    assert isinstance(program, ModuleProgram)
    assert program.scheduled == {"f"}
    assert program.added_passes_of is module.added_passes_of
    before = str(module)
    assert program.lowered(HOST).user_scheduled == ["f"]
    assert str(module) == before  # a copy is lowered
    plain = program_of("build", module.op)
    assert isinstance(plain, ModuleProgram)
    assert plain.scheduled == frozenset()
    sch = tir.Schedule(kc.IRModule.parse(str(module)))
    assert program_of("build", sch).lowered(HOST).user_scheduled == []
    sch.annotate(sch.get_loops("B")[0], "note", 1)
    assert program_of("build", sch).lowered(HOST).user_scheduled == ["f"]


def test_lists_have_parts_of_any_kind():
    A, B = doubled("C")
    program = program_of("build", [scheduled_module(), (A, B)], name="g")
    assert isinstance(program, ProgramList)
    assert [type(part) for part in program.parts] == [ModuleProgram, TensorProgram]
    lowered = program.lowered(HOST)
    assert (lowered.user_scheduled, lowered.chosen) == (["f"], ["g"])
    assert program.source(HOST).count("// -----\n") == 1
    built = kc.build([scheduled_module(), (A, B)], name="g")
    for name in ("f", "g"):
        assert built[name](np.arange(8, dtype=np.float32)).tolist() == [*range(0, 16, 2)]


def test_functions_keep_their_names_or_get_one():
    A, B = doubled()
    function = te.create_prim_func([A, B])
    renamed = (program_of("build", function, name="twice").modules or [])[0]
    assert list(kc.IRModule(renamed).functions) == ["twice"]
    with pytest.raises(TEError, match="KC2029.*build: the module has no function 'twice'"):
        program_of("build", scheduled_module(), name="twice")


def test_an_input_is_sorted_once(monkeypatch: pytest.MonkeyPatch):
    """Also by a build: no other stage asks what was given."""
    sorted_, schedules = [], []
    sort, create = programs._sorted, programs.create_schedule
    monkeypatch.setattr(programs, "_sorted", lambda *args: sorted_.append(args) or sort(*args))
    monkeypatch.setattr(
        programs, "create_schedule", lambda ops: schedules.append(ops) or create(ops)
    )
    A, B = doubled()
    kc.build([A, B])
    assert (len(sorted_), len(schedules)) == (1, 1)
    kc.lower([A, B])
    assert (len(sorted_), len(schedules)) == (2, 2)


def test_no_backend_calls_the_driver():
    for file in Path(kc.__file__).parent.joinpath("backends").glob("*.py"):
        imported = [
            node.module
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.ImportFrom)
        ]
        assert not {"kc.driver", "kc.building.programs"} & {*imported}, file.name
