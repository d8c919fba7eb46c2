"""The examples of docs/raising.md are what it says."""

import re
from pathlib import Path

import numpy as np
import pytest

import kc
from kc.conversion.raise_to_tir.patterns import PATTERNS
from kc.support.patterns import roots
from kc.support.registry import context, get_pass

PAGE = (Path(__file__).parents[2] / "docs" / "raising.md").read_text()
BLOCKS = dict(re.findall(r"```mlir (\S+)\n(.*?)```", PAGE, flags=re.DOTALL))


@pytest.mark.parametrize("name", ["linear", "rows"])
def test_what_is_raised(name: str):
    module = kc.IRModule.parse(BLOCKS[name])
    get_pass("raise-to-tir").apply(context(), module.op)
    assert BLOCKS[f"{name}-raised"] in str(module)


def test_the_program():
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(program, {"text": BLOCKS["linear"]})


def test_the_loops_compute():
    a = np.random.default_rng(0).random((6, 8), np.float32)
    sums = np.zeros(6, np.float32)
    kc.build(kc.IRModule.parse(BLOCKS["rows"]))(a, sums)
    np.testing.assert_allclose(sums, a.sum(1), rtol=1e-5)


def test_the_script():
    module = kc.IRModule.parse(BLOCKS["tiled"])
    get_pass("transform-interpreter").apply(context(), module.op)
    assert str(module).count("scf.for") == 2
    a, b = (np.random.default_rng(n).random((60 + 4 * n, 64), np.float32) for n in range(2))
    c = np.ones((60, 64), np.float32)
    np.testing.assert_allclose(kc.build(module)(a, b, c), c + a @ b, rtol=1e-4)


def test_every_op_is_listed():
    """An op that is raised is in the table, named ops of linalg by what they have in common."""
    table = PAGE[PAGE.index("## Supported input") : PAGE.index("## Refusals")]
    raised = [op for pattern in PATTERNS for op in roots(pattern) if hasattr(op, "name")]
    assert len(raised) > 30
    for op in raised:
        dialect, _, name = op.name.partition(".")
        assert f"`{dialect}`" in table or dialect == "func"
        if dialect in ("tensor", "affine", "scf", "memref", "cf"):
            assert f"`{name}`" in table, op


def test_every_refusal_is_listed():
    assert re.findall(r"\| (KC\d+) \|", PAGE) == [f"KC{n}" for n in range(4550, 4558)]
