"""Mistakes that any operator may be called with: each is a diagnostic at the user's line, or legal.

The calls are made from the examples of the table: one argument is replaced by a wrong one.
``test_topi_errors.py`` has the whole texts.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from topi_cases import TABLE

from kc import te, topi
from kc.error import KCError
from kc.expr.dtypes import DTYPES
from kc.expr.tensor import Tensor

SLICE = (
    "nn.conv2d", "nn.pool2d", "sum", "take", "nn.softmax", "image.resize2d", "transpose", "add",
    "nn.batch_matmul", "vision.proposal", "concatenate", "nn.group_conv2d_nchw",
)  # fmt: skip
"""The operators that `make test` runs; `make test-topi` runs all."""

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "axis": (99, -99, 0.5, "rows"),
    "axes": ((99,), (0, 0, 0, 0, 0, 0)),
    "stride": (0, -1, (1, 1, 1, 1, 1), "two"),
    "strides": (0, (1,) * 7, "two"),
    "dilation": (0, -1, (1, 1, 1, 1, 1)),
    "dilations": (0, -1, (1, 1, 1, 1, 1)),
    "kernel": (0, (2,) * 5, 99),
    "padding": ((1,) * 7, "FULL", 0.5),
    "groups": (0, -1, 5, 1.5),
    "num_groups": (0, -1, 5),
    "layout": ("XYZ", "", 4),
    "data_layout": ("XYZ", "", 4),
    "order": ("XYZ", "", 4),
    "method": ("nothing",),
    "pool_type": ("nothing",),
    "mode": ("nothing",),
    "size": (0, -1, (1,) * 7),
    "output_size": (0, -1, (1,) * 7),
    "pooled_size": (0, (1,) * 7),
    "crop_size": (0, (1,) * 7),
    "dtype": ("float12", 7),
    "out_dtype": ("float12", 7),
}
"""Wrong values by the names of parameters, unless the list below says that one is legal."""

LEGAL = {
    ("nn.max_unpool", "kernel"): "the elements are further apart",
    ("signal.hann_window", "size"): "a window of nothing",
    ("signal.hamming_window", "size"): "a window of nothing",
    ("signal.blackman_window", "size"): "a window of nothing",
}
"""Operator and parameter -> why the values above are not all refused."""


def parts(name: str) -> tuple[Callable[..., Any], inspect.BoundArguments]:
    """The function of an operator, and the arguments of its example by name."""
    maker = [0]

    def placeholder(*shape: int, dtype: str = "float32") -> Tensor:
        maker[0] += 1
        return te.placeholder(shape, dtype, "ABCDEFGH"[maker[0] - 1])

    names = {each: getattr(topi, each) for each in topi.__all__} | {"T": placeholder, "math": math}
    tree = ast.parse(TABLE[name].example, mode="eval").body
    while not isinstance(tree, ast.Call):
        tree = tree.value  # pyright: ignore[reportAttributeAccessIssue]
    code = [eval(compile(ast.Expression(node), "table", "eval"), names) for node in tree.args]
    keywords = {
        str(word.arg): eval(compile(ast.Expression(word.value), "table", "eval"), names)
        for word in tree.keywords
    }
    function = TABLE[name].function
    bound = inspect.signature(function).bind(*code, **keywords)
    bound.apply_defaults()
    return function, bound


def refused(name: str, changed: dict[str, Any]) -> KCError | None:
    """The diagnostic of a call with changed arguments; None if it is legal."""
    function, bound = parts(name)
    bound.arguments.update(changed)
    user = compile("function(*bound.args, **bound.kwargs)", "user.py", "eval")
    caught: KCError | None = None
    try:
        eval(user, {"function": function, "bound": bound})
    except KCError as error:
        caught = error
    if caught is not None:
        lines = str(caught).split("\n")
        assert len(lines) <= 12, caught
        assert lines[0].startswith("error[KC"), caught
        assert lines[1].startswith("  --> user.py:1"), caught
    return caught


def tensors(name: str) -> Iterator[tuple[str, Tensor]]:
    """The arguments of an example that are tensors."""
    for word, value in parts(name)[1].arguments.items():
        if isinstance(value, Tensor):
            yield word, value


def like(tensor: Tensor, dtype: str | None = None, shape: Any = None) -> Tensor:
    """A placeholder in the place of another."""
    return te.placeholder(tensor.shape if shape is None else shape, dtype or tensor.dtype,
                          tensor.name)  # fmt: skip


def arguments(name: str) -> None:
    """Wrong values of arguments are refused."""
    for word, values in ARGUMENTS.items():
        if word not in parts(name)[1].arguments:
            continue
        for value in values:
            error = refused(name, {word: value})
            assert error is not None or (name, word) in LEGAL, f"{name}: {word}={value!r} is taken"


def types(name: str) -> None:
    """Types that the table does not name are refused with those it does; the others are taken."""
    row = TABLE[name]
    given = list(tensors(name))
    if not given:
        return
    word, first = given[0]
    if next(iter(parts(name)[1].arguments)) != word:
        return
    for dtype in DTYPES:
        alike = {
            key: like(tensor, dtype)
            for key, tensor in given
            if key == word or tensor.dtype == first.dtype
        }
        error = refused(name, alike)
        if dtype in row.types:
            continue
        assert error is not None, f"{name} of {dtype} is taken"
        assert error.code in ("KC2301", "KC2309"), error


def shapes(name: str) -> None:
    """Other ranks and sizes of each tensor are legal or a diagnostic: nothing else."""
    for word, tensor in tensors(name):
        for shape in (
            (*tensor.shape, 2), tensor.shape[1:], (),
            tuple(int(size) + 1 for size in tensor.shape), tuple(0 for _ in tensor.shape),
        ):  # fmt: skip
            refused(name, {word: like(tensor, None, shape)})


def values(name: str) -> None:
    """Check that a value that is not a tensor, in the place of a tensor, is legal or a
    diagnostic.
    """
    for word, tensor in tensors(name):
        for value in (3.5, "A", [1, 2], {}):
            refused(name, {word: value})
        if tensor.dtype.startswith(("int", "uint")) and len(list(tensors(name))) > 1:
            floats = refused(name, {word: like(tensor, "float32")})
            assert floats is not None or "float32" in TABLE[name].types, f"{name}: {word} of floats"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in SLICE else pytest.mark.sweep) for name in TABLE],
)
@pytest.mark.parametrize("check", [arguments, types, shapes, values], ids=lambda c: c.__name__)
def test_mistakes(check: Callable[[str], None], name: str):
    check(name)
