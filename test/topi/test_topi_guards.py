"""No operator reads or writes outside of a tensor, whatever a tensor of indices holds.

Machine code runs on arrays that end where their memory does, in a process of its own: an access
beyond ends that one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from topi_cases import TABLE, Program, program

FAR = (-(2**63), -(2**31), -(2**31) - 1, -100, -6, -1, 0, 5, 6, 100, 2**31 - 1, 2**31, 2**63 - 1)
"""Numbers at the edges of the types, and beside those of small tensors; each is cut to its type."""
PLACES = (np.nan, np.inf, -np.inf, 3e38, -3e38, -1.0, 1.0, 1e9, -1e9, 0.5)
"""Numbers of floats that say where: corners of boxes, places of grids."""

FLOAT_PLACES = {
    "image.grid_sample": (1,), "image.crop_and_resize": (1,), "vision.roi_align_nchw": (1,),
    "vision.roi_align_nhwc": (1,), "vision.roi_pool_nchw": (1,), "nn.deformable_conv2d_nchw": (1,),
    "nn.deformable_conv2d_nhwc": (1,), "vision.proposal": (0, 1, 2),
    "vision.multibox_detection": (0, 1, 2), "vision.non_max_suppression": (0,),
    "vision.get_valid_counts": (0,), "vision.all_class_non_max_suppression": (0, 1),
    "image.affine_grid": (0,), "sort": (0,), "argsort": (0,), "topk": (0,), "unique": (0,),
    "argwhere": (0,), "searchsorted": (0, 1),
}  # fmt: skip
"""The float inputs that decide which elements are accessed."""

SLICE = ("take", "scatter_nd", "vision.non_max_suppression", "sparse.csrmm", "image.grid_sample")
"""The operators that `make test` runs; `make test-topi` runs all."""


FIRST = (
    "invert_permutation", "one_hot", "unravel_index", "sparse.sparse_reshape", "sparse_to_dense",
    "sparse.sparse_fill_empty_rows",
)  # fmt: skip
"""Operators whose first input is of indices."""


def indices(name: str) -> list[int]:
    """The inputs of an operator's example that say what is accessed: integers behind the data."""
    inputs = program(TABLE[name].example).inputs
    return [
        n
        for n, tensor in enumerate(inputs)
        if n in FLOAT_PLACES.get(name, ())
        or (tensor.dtype.startswith(("int", "uint")) and (n > 0 or name in FIRST))
    ]


NAMES = sorted(
    name
    for name, row in TABLE.items()
    if row.family.split(".")[0] not in ("broadcast", "elementwise", "random") and indices(name)
)


REST = [name for name in NAMES if name not in SLICE]


def filled(call: Program, places: list[int], turn: int) -> list[np.ndarray]:
    """The arrays of a call, with far numbers, or far and near ones by turns, in some."""
    arrays = []
    for n, array in enumerate(call.arrays):
        if n in places:
            values: Any = PLACES if array.dtype.kind == "f" else FAR
            with np.errstate(all="ignore"):
                kinds = np.array(values, "float64" if array.dtype.kind == "f" else "object")
                cut = np.array(
                    [kinds[(turn + k) % len(kinds)] for k in range(array.size)], kinds.dtype
                )
                if array.dtype.kind in "iu":
                    info = np.iinfo(array.dtype)
                    cut = np.array([min(max(int(v), info.min), info.max) for v in cut])
                changed = cut.reshape(array.shape).astype(array.dtype)
            flat = changed.reshape(-1)
            if turn % 2:
                flat[::2] = array.reshape(-1)[::2]
            array = changed
        arrays.append(array)
    return arrays


def run_guarded(name: str) -> None:
    """Run machine code of an operator's example on far indices and guarded arrays."""
    from guarded_arrays import ENDS, guarded

    import kc

    call = program(TABLE[name].example)
    kernel = kc.build(call.args)
    places = indices(name)
    for turn in range(len(FAR)):
        arrays = filled(call, places, turn)
        for end in ENDS:
            results = [
                guarded(np.zeros([int(size) for size in t.shape], t.dtype), end)
                for t in call.computed
            ]
            kernel(*[guarded(array, end) for array in arrays], *results)


def test_operators_with_indices_are_these():
    """An operator whose documentation names indices, and that is not here, would go untested."""
    takes = {
        name for name, row in TABLE.items() if "indices" in (row.function.__doc__ or "").lower()
    }
    assert takes <= {*NAMES}


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(SLICE, id="slice"),
        *(
            pytest.param(tuple(REST[n::4]), id=f"rest{n}", marks=pytest.mark.sweep)
            for n in range(4)
        ),
    ],
)
def test_nothing_outside_is_accessed(names: tuple[str, ...]):
    here = Path(__file__).parent
    code = (
        f"import sys; sys.path[:0] = [{str(here.parent)!r}, {str(here)!r}]\n"
        "import test_topi_guards as guards\n"
        "for name in sys.argv[1:]:\n"
        "    print(name, flush=True)\n"
        "    guards.run_guarded(name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stdout.split()[-1:]}: {run.stderr[-2000:]}"
    assert run.stdout.split() == list(names)
