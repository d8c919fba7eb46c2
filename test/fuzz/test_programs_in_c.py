"""The C target on random programs: the C compiler has no warning, and the results are numpy's."""

import ctypes
import shutil
import subprocess
from random import Random

import pytest
from cases import suitable
from hypothesis import given
from hypothesis import strategies as st
from layouts import Layouts
from property_tests import examples
from schedules import steps
from xdsl.dialects.builtin import MemRefType

import kc
from kc import te, tir
from kc.codegen.c_source import emit_c
from kc.support.registry import context, get_pass

CC = shutil.which("cc")
# gcc cannot see that loops of symbolic sizes fill a whole buffer; and a cache may copy what nothing
# has stored yet, and nothing reads.
STRICT = (
    "-std=c99 -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-maybe-uninitialized "
    "-Wno-uninitialized -O1 -ffp-contract=off "
    "-fsanitize=undefined -fno-sanitize-recover=all"
).split()


def compiled(text: str, folder) -> ctypes.CDLL:
    """The library that the C compiler makes of ``text``, without a warning."""
    assert CC is not None
    (folder / "kernel.c").write_text(text)
    library = folder / f"kernel{len(list(folder.iterdir()))}.so"
    command = [CC, *STRICT, "-shared", "-fPIC", str(folder / "kernel.c"), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def arguments(types, values):
    """Values as the machine interface takes them."""
    made = []
    for kind, value in zip(types, values, strict=True):
        if not isinstance(kind, MemRefType):
            made.append(ctypes.c_int64(value))
            continue
        made.append(ctypes.c_void_p(value.ctypes.data))
        dynamic = [n for n, size in enumerate(kind.get_shape()) if size < 0]
        made += [ctypes.c_int64(value.shape[n]) for n in dynamic]
    return made


@pytest.mark.skipif(not CC, reason="there is no C compiler")
@examples(25)
@given(st.integers(0, 2**32 - 1))
def test_random_programs(tmp_path_factory, seed):
    random = Random(seed)
    program = suitable(random)
    schedule = te.create_schedule(list(dict.fromkeys(one.tensor.op for one in program.outputs)))
    sch = tir.Schedule(kc.lower(schedule, program.args, name="kernel"))
    layouts = Layouts(sch, {one.name: size for one, size in program.sizes.items()})
    with layouts.watching():
        steps(random, sch, random.randint(0, 6))
    mod = sch.mod
    types = list(mod["kernel"].function_type.inputs)
    get_pass("lower-to-c").apply(context(), mod.op)
    text = emit_c(mod.op)
    function = compiled(text, tmp_path_factory.mktemp("c")).kernel
    function.restype = None
    arrays = program.arrays()
    changed = layouts.to_scheduled(arrays)
    try:
        function(*arguments(types, changed))
        program.check(layouts.from_scheduled(changed, arrays))
    except Exception as error:
        error.add_note(text)
        raise
