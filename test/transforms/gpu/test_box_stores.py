"""Boxes that a thread stores and goes on: the waits, and what the emulator says without them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from test_tensor_copies import FENCE, gpu_text
from test_warpgroup_products import EMULATOR

import kc
from kc import te
from kc.target import Target

COMMIT = r" *nvvm\.cp\.async\.bulk\.commit\.group\n"
WAIT = r" *nvvm\.cp\.async\.bulk\.wait_group 0 \{read\}\n"


@cache
def kernel_text() -> str:
    """The kernel that kc chooses for halves, where a block has two tiles, one after the other."""
    A, B = (
        te.placeholder((rows, 48), "float16", name=name) for name, rows in (("A", 64), ("B", 32))
    )
    k = te.reduce_axis((0, 48), name="k")

    def product(i: te.Var, j: te.Var) -> te.PrimExpr:
        return te.sum(A[i, k].astype("float32") * B[j, k].astype("float32"), axis=k)

    C = te.compute((64, 32), product, name="C")
    D = te.compute((64, 32), lambda i, j: C[i, j].astype("float16"), name="D")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.GRID", 1)
        patch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.COLUMNS", (16,))
        schedule = kc.auto_schedule([A, B, D], target=Target(EMULATOR))
    script = schedule.trace.as_python()
    assert "tma_store_64x16_f16_shared" in script
    assert "wgmma_stmatrix_m64n16k16_f16_shared" in script
    return gpu_text(schedule)


def findings(text: str) -> list[str]:
    """The findings of a run whose result is compared with numpy's."""
    r = np.random.default_rng(0)
    a, b = (r.integers(-4, 4, (rows, 48)).astype("float16") for rows in (64, 32))
    expected = a.astype("float64") @ b.T.astype("float64")
    d = np.zeros((64, 32), "float16")
    report = kc.gpu.check(text, a, b, d, target=EMULATOR, expected=[expected.astype("float16")])
    return [f"{it.kind}: {it.message}" for it in report.findings]


def test_the_thread_waits_before_the_tile_is_overwritten_and_at_the_end():
    text = kernel_text()
    assert len(re.findall(WAIT, text)) == 2
    assert len(re.findall(COMMIT, text)) == 1
    assert findings(text) == []


def without(pattern: str, number: int = 0) -> Callable[[str], str]:
    def change(text: str) -> str:
        place = list(re.finditer(pattern, text))[number]
        return text[: place.start()] + text[place.end() :]

    return change


OVERWRITTEN = (
    "race: D_shared[0] is written by thread 0 of block 0, whose own copy to it is not done"
)
ENDED = "missing-wait: the block ends before D_shared is read by the copy of thread 0 of block 0"


@pytest.mark.parametrize(
    ("mistake", "messages"),
    [
        (without(WAIT), [OVERWRITTEN]),
        pytest.param(without(WAIT, 1), [ENDED], marks=pytest.mark.sweep),
        pytest.param(without(COMMIT), [OVERWRITTEN, ENDED], marks=pytest.mark.sweep),
        pytest.param(
            without(FENCE.pattern),
            [
                "missing-fence: D_shared[0] is read by thread 0 of block 0, and was written by "
                "thread 0 with no fence behind it"
            ],
            marks=pytest.mark.sweep,
        ),
    ],
    ids=["overwritten", "ended", "no group", "no fence"],
)
def test_mistakes_are_found(mistake: Callable[[str], str], messages: list[str]):
    told = findings(mistake(kernel_text()))
    assert [it for it in told if not it.startswith("wrong-result")] == messages
