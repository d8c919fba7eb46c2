"""Guard pages do guard: an element too many ends the process, on either side."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from guarded_arrays import ENDS, guarded

ROOT = Path(__file__).resolve().parents[2]

OVERRUN = """
import ctypes, faulthandler, sys
import numpy as np
sys.path[:0] = [{root!r}, {root!r} + "/test"]
from guarded_arrays import guarded
faulthandler.enable()
array = guarded(np.arange(13, dtype=np.int16), {at!r})
first = array.__array_interface__["data"][0]
inside, outside = (0, -2) if {at!r} == "start" else (24, 26)
print(ctypes.c_int16.from_address(first + inside).value, flush=True)
print(ctypes.c_int16.from_address(first + outside).value, flush=True)
"""


@pytest.mark.parametrize("at", ENDS)
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5), (1024,), (4099,), (17, 0)])
def test_arrays_are_equal_and_aligned(shape: tuple[int, ...], dtype: str, at: str):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    copy = guarded(array, at)
    assert np.array_equal(copy, array)
    assert copy.dtype == array.dtype
    assert copy.flags.c_contiguous
    assert copy.flags.aligned
    assert copy.flags.writeable
    copy[...] = 1
    edge = copy.__array_interface__["data"][0] + (copy.nbytes if at == "end" else 0)
    assert edge % 4096 == 0


@pytest.mark.parametrize(("at", "value"), [("end", "12"), ("start", "0")])
def test_an_access_outside_ends_the_process(at: str, value: str):
    program = OVERRUN.format(root=str(ROOT), at=at)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode in (-11, -7)
    assert done.stdout == f"{value}\n"
    assert "Fatal Python error" in done.stderr
