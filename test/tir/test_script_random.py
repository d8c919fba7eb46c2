"""Random scripts: what Python computes with the function is what the kernel computes."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from property_tests import examples
from random_scripts import SIZE, scripts
from script_checks import execute

import kc
from kc import te
from kc.tir.script.runtime import executable

HEAD = "def kernel(A: V, B: V, P: V, M: W):\n"
NUMBERS = itertools.count()


def function_of(body: str, folder: Path) -> Any:
    """The function, in a file of its own: its source is looked for."""
    name = f"script{next(NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(f"V = W = None\n{HEAD}{body}\n")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts")


def agree(body: str, folder: Path, *, native: bool) -> None:
    function = function_of(body, folder)
    n = te.var("n")
    vector, matrix = kc.Buffer((n,), "int32"), kc.Buffer((n, n), "int32")
    function.__annotations__ = {"A": vector, "B": vector, "P": vector, "M": matrix}
    generator = np.random.default_rng(len(body))
    arrays = [generator.integers(-5, 9, SIZE).astype(np.int32) for _ in range(3)]
    arrays.append(generator.integers(-5, 9, (SIZE, SIZE)).astype(np.int32))
    wanted = [np.copy(array) for array in arrays]
    executable(function)(*wanted)
    for result, expected in zip(
        execute(kc.script(function), *arrays, native=native), wanted, strict=True
    ):
        np.testing.assert_array_equal(result, expected, err_msg=body)


@pytest.mark.slow
@given(body=scripts())
@examples(25)
def test_random_scripts(body: str, folder: Path) -> None:
    agree(body, folder, native=False)


@given(body=scripts())
@examples(4)
def test_random_scripts_natively(body: str, folder: Path) -> None:
    agree(body, folder, native=True)
