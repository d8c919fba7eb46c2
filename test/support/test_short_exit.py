"""The exit of a process that used kc: what is only memory is left, everything else happens."""

import subprocess
import sys
import textwrap

import pytest

FROZEN = """
import atexit, gc

def tell():
    print("frozen", gc.get_freeze_count() > 1_000)

atexit.register(tell)  # before kc's, so after it
import kc
kc.Target
"""


def run(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", FROZEN + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return done.stdout.splitlines()


def test_modules_are_not_collected_at_exit():
    assert run("") == ["frozen True"]


@pytest.mark.parametrize("circle", ["value.circle = value", "def reader(): return value", ""])
def test_a_finalizer_runs(circle: str):
    program = f"""
    class Speaking:
        def __del__(self, print=print):
            print("gone")
    value = Speaking()
    {circle}
    """
    assert run(program) == ["frozen False", "gone"]


def test_a_suspended_generator_ends():
    program = """
    def steps(print=print):
        try:
            yield
        finally:
            print("ended")
    class Holder: pass
    value = Holder()
    value.circle = value
    value.steps = steps()
    next(value.steps)
    """
    assert run(program) == ["frozen False", "ended"]


def test_an_open_file_in_a_circle_is_written(tmp_path):
    path = tmp_path / "written.txt"
    program = f"""
    class Holder: pass
    value = Holder()
    value.circle = value
    value.file = open({str(path)!r}, "w", encoding="utf-8")
    _ = value.file.write("all of it")
    """
    assert run(program) == ["frozen False"]
    assert path.read_text(encoding="utf-8") == "all of it"


@pytest.mark.parametrize("name", ["foreign._core", "_gdbm", "_dbm"])
def test_objects_of_compiled_packages_that_may_act_are_freed(name: str):
    program = f"""
    import sys, types
    module = sys.modules[{name!r}] = types.ModuleType({name!r})
    module.__file__ = "/somewhere/_core.so"
    """
    assert run(program) == ["frozen False"]


@pytest.mark.parametrize("last", ["raise SystemExit(3)", "import sys; sys.exit(3)"])
def test_the_status_stays(last: str):
    done = subprocess.run([sys.executable, "-c", f"import kc; kc.Target; {last}"], check=False)
    assert done.returncode == 3
