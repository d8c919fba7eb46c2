"""The table says what there is: every public function has a row, an example, and a case."""

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from topi_cases import CASES, TABLE, program

import kc.topi
from kc import topi
from kc.topi import testing
from kc.topi.table import GRADIENTS

HERE = Path(__file__).parent
for path in sorted(HERE.glob("cases_*.py")):
    importlib.import_module(path.stem)

TOOLS = ("generic", "tag", "utils", "testing", "x86", "cuda", "arm_cpu")
"""Modules beside the operators; their functions make no tensors."""


def public(package, prefix=""):
    for name in package.__all__:
        member = getattr(package, name)
        if name in TOOLS:
            continue
        if hasattr(member, "__path__") or (hasattr(member, "__all__") and not callable(member)):
            yield from public(member, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", member


def test_public_functions_are_the_table():
    functions = dict(public(topi))
    assert functions == {name: row.function for name, row in TABLE.items()}


def test_no_module_is_left_out():
    """A function of any module of the package that is an operator is public."""
    modules = pkgutil.walk_packages(kc.topi.__path__, "kc.topi.")
    for module in modules:
        if not module.name.startswith("kc.topi.testing"):
            importlib.import_module(module.name)
    assert dict(public(topi)).keys() == TABLE.keys()


def called_in_tests() -> set[str]:
    """The operators whose names the tests of topi have in calls or texts of calls."""
    words: set[str] = set()
    for path in HERE.glob("test_topi_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                words.add(ast.unparse(node).removeprefix("topi."))
    return words


def test_every_operator_has_a_test():
    scalars = {
        name
        for name, row in TABLE.items()
        if row.family in ("broadcast", "elementwise", "fast_math")
    }
    tested = {given.name for given in CASES} | called_in_tests() | (scalars - {"broadcast_to"})
    assert sorted(TABLE.keys() - tested) == []


def test_every_reference_has_a_test():
    words = {
        node.attr
        for path in HERE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert sorted(set(testing.__all__) - words) == []


@pytest.mark.parametrize("family", sorted({row.family for row in TABLE.values()}))
def test_rows_are_complete(family: str):
    for name, row in TABLE.items():
        if row.family != family:
            continue
        assert row.summary.endswith("."), name
        assert row.gradient in GRADIENTS or len(row.gradient.split()) > 3, name
        for tensor in program(row.example).computed:
            assert tensor.op.name.isidentifier(), name


NOT_WITHIN_TWO = {
    "fast_tanh": 5, "fast_erf": 5, "nn.gelu": np.inf,
}  # fmt: skip
"""Their errors in units in the last place of float32: the first two by their documentation; gelu
subtracts."""


def test_measured_errors():
    """Every function of elements that rounds was measured, and is within two units or named."""
    text = Path(kc.topi.__file__).with_name("ulp_errors.json").read_text(encoding="utf-8")
    measured = json.loads(text)
    assert measured.keys() >= NOT_WITHIN_TWO.keys()
    steps = ("abs negative sign identity isnan isinf isfinite floor ceil trunc round ceil_log2 "
             "clip cast reinterpret elemwise_sum full full_like logical_not bitwise_not nn.relu "
             "fixed_point_multiply").split()  # fmt: skip
    plain = {row.name for row in TABLE.values() if row.kind == "elemwise"} - {*steps}
    assert plain <= measured.keys()
    of_examples = {name for name, errors in measured.items() if "of_largest" in errors}
    assert of_examples >= {"nn.softmax", "nn.conv2d", "sum"}
    for name in measured.keys() - of_examples:
        errors = measured[name]
        assert errors["units"] <= NOT_WITHIN_TWO.get(name, 2.0), name
        assert errors["within"] <= 5, name


LIGHT = """
import sys
import kc.te

calls = 0

def count(frame, event, _):
    global calls
    calls += event == "call" and "importlib" not in frame.f_code.co_filename

imported_before = set(sys.modules)
sys.setprofile(count)
import kc.topi
sys.setprofile(None)
print(calls)
print(*sorted(name for name in set(sys.modules) - imported_before if name[:7] != "kc.topi"))
"""


def test_import_is_light():
    """Beyond kc.te, kc.topi imports its own modules alone, and does little but define functions:
    a few calls a row of the table."""
    run = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    calls, modules = run.stdout.splitlines()
    assert int(calls) <= 10 * len(TABLE)
    assert modules == ""
