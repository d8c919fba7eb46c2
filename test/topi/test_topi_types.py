"""Every operator of every type: it computes what the reference does, or says which types it takes.

The type is that of the first tensor of a call, and of all tensors that have the same one there;
where a call has no tensor, that of its result.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from property_tests import is_in_slice
from test_topi_scalars import PLAIN, TWO
from topi_cases import CASES, TABLE, Case, Maker, Program, check, np_dtype, program
from topi_variants import _dtype, _placeholders, _set_dtype

from kc import te
from kc.error import KCError
from kc.expr.dtypes import DTYPES, FLOATS
from kc.topi.table import NUMBERS

for path in sorted(Path(__file__).parent.glob("cases_*.py")):
    importlib.import_module(path.stem)

TYPES = [dtype for dtype in DTYPES if not dtype.startswith("float8")]
CASES_OF: dict[str, list[Case]] = {}
for given in CASES:
    CASES_OF.setdefault(given.name, []).append(given)

REFUSED = {
    ("scatter_nd", "bool"): "it takes " + ", ".join(NUMBERS),
} | {
    ("reinterpret", dtype): "int32 32"
    for dtype in TYPES if np.dtype(np_dtype(dtype)).itemsize != 4 and dtype != "bool"
}  # fmt: skip
"""Types of the row that do not go with an argument of the example: bool is not added, int32 has
other bits."""

BETWEEN = ("image.resize", "nn.upsampling")
"""Whose results between elements are cut to integers: just below a number, or at it."""


class NotExact(Exception):
    """A value of a case is none of the type."""


class Exact(Maker):
    """Placeholders whose given values are the same in their type, if it is one of integers."""

    def __call__(self, *shape: Any, dtype: str = "float32", of: Any = None) -> te.Tensor:
        if of is not None and dtype not in FLOATS:
            values = np.array(of, "float64")
            with np.errstate(invalid="ignore"):
                if not np.array_equal(values.astype(np_dtype(dtype)), values):
                    raise NotExact
        return super().__call__(*shape, dtype=dtype, of=of)


def retyped(call: str, dtype: str, alone: bool = False) -> str:
    """A call with another type; ``alone``: of its first tensor only."""
    tree = ast.parse(call, mode="eval")
    inputs = _placeholders(tree)
    first = _dtype(inputs[0]) if inputs else ""
    for placeholder in inputs[:1] if alone else inputs:
        if _dtype(placeholder) == first:
            _set_dtype(placeholder, dtype)
    if not inputs:
        assert isinstance(tree.body, ast.Call)
        texts = [node for node in tree.body.args
                 if isinstance(node, ast.Constant) and node.value in DTYPES]  # fmt: skip
        if texts:
            texts[0].value = dtype
        else:
            tree.body.keywords = [word for word in tree.body.keywords if word.arg != "dtype"]
            tree.body.keywords.append(ast.keyword("dtype", ast.Constant(dtype)))
    return ast.unparse(tree)


def taken(call: str, dtype: str) -> tuple[str, Program | KCError]:
    """A call with another type, and its program, or why it is none."""
    errors: list[KCError] = []
    for alone in (False, True):
        changed = retyped(call, dtype, alone)
        try:
            return changed, program(changed, maker=Exact())
        except KCError as error:
            errors.append(error)
        except NotExact:
            continue
    return call, errors[0] if errors else KCError("KC2003", "a value is none of the type")


def case_of(name: str, dtype: str) -> tuple[Case, Program]:
    """A case of an operator that it takes of the type: one of this type, or its example's."""

    def order(case: Case) -> tuple[bool, bool]:
        changed = retyped(case.call, dtype)
        return changed != ast.unparse(ast.parse(case.call)), case.call != TABLE[name].example

    for given in sorted(CASES_OF[name], key=order):
        call, result = taken(given.call, dtype)
        if isinstance(result, Program):
            return Case(name, call, given.reference, 4 * given.roundings), result
    raise AssertionError(f"{name} has no case of {dtype}")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if is_in_slice(name, 8) else pytest.mark.sweep) for name in TABLE],
)
def test_types(name: str):
    row = TABLE[name]
    for dtype in TYPES:
        _, result = taken(row.example, dtype)
        if isinstance(result, KCError):
            assert dtype not in row.types or (name, dtype) in REFUSED, result
            text = REFUSED.get((name, dtype), "it takes " + ", ".join(row.types))
            assert text in str(result), f"{name} of {dtype}: {result}"
            continue
        assert dtype in row.types, f"{name} takes {dtype}, of which its row says nothing"
        if name in (*TWO, *PLAIN):  # their values are those of test_topi_scalars.py
            continue
        case, given = case_of(name, dtype)
        with np.errstate(all="ignore"):
            results = given.interpreted()
        if name.startswith(BETWEEN) and dtype not in FLOATS:
            (result,) = results
            difference = result.astype("float64") - case.reference(*given.arrays)
            assert np.abs(difference).max() < 1.001, case.call
            continue
        check(case, results, given.arrays)


NARROW = (
    "signal.dft", "signal.stft", "signal.hann_window", "signal.hamming_window",
    "signal.blackman_window", "signal.mel_weight_matrix", "vision.multibox_prior",
    "vision.multibox_transform_loc", "vision.multibox_detection", "vision.proposal",
    "vision.non_max_suppression", "vision.all_class_non_max_suppression",
    "vision.get_valid_counts", "nn.simulated_quantize", "nn.simulated_dequantize",
    "random.uniform", "random.normal", "random.multinomial",
)  # fmt: skip
"""Operators that compute in float32 what is narrower, from the beginning to the end."""


def with_floats(call: str, dtype: str) -> str:
    """A call with ``dtype`` for float32, in its texts too."""
    tree = ast.parse(call, mode="eval")
    for placeholder in _placeholders(tree):
        if _dtype(placeholder) == "float32":
            _set_dtype(placeholder, dtype)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value == "float32":
            node.value = dtype
    if "_window" in call or "mel_" in call:
        return retyped(call, dtype)
    return ast.unparse(tree)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype) if n % 2 == m else pytest.param(name, dtype, marks=pytest.mark.sweep)
        for n, name in enumerate(NARROW)
        for m, dtype in enumerate(("float16", "bfloat16"))
    ],
)
def test_narrow_types_are_rounded_once(name: str, dtype: str):
    """They give what float32 gives of the same numbers, in their type: bit by bit."""
    for given in CASES_OF[name]:
        if "float64" in given.call:
            continue
        narrow, wide = (program(with_floats(given.call, kind)) for kind in (dtype, "float32"))
        assert dtype in {tensor.dtype for tensor in (*narrow.inputs, *narrow.outputs)}
        wide.arrays = [
            array.astype("float32") if str(array.dtype) == dtype else array
            for array in narrow.arrays
        ]
        for result, wanted in zip(narrow.interpreted(), wide.interpreted(), strict=True):
            np.testing.assert_array_equal(result, wanted.astype(result.dtype), given.call)
