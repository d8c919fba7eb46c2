"""Builds of graphs are kept from one process to the next, unless the user says otherwise."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import graph_programs as programs
import numpy as np
import pytest
from graph_programs import parsed

import kc
from kc import te
from kc.backends import Build
from kc.backends.llvm_files import NativeCode
from kc.building import compile_cache
from kc.building.graphs import joined_groups, kernels
from kc.support.diagnostics import Diagnostic, diagnostic_handler

X, W, B = (np.ones(shape, np.float32) for shape in ((4, 8), (16, 8), (16,)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default folder, which is empty."""
    monkeypatch.delenv("KC_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compile_cache, "source_state", lambda: "as it was")
    return tmp_path / "kc"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often expressions are made, groups scheduled, modules lowered and code compiled."""
    counts = {"expressions": 0, "schedules": 0, "lowered": 0, "compiled": 0}

    def counted(what: str, owner: Any, name: str) -> None:
        original: Callable[..., Any] = getattr(owner, name)

        def call(*args: Any, **options: Any) -> Any:
            counts[what] += 1
            return original(*args, **options)

        monkeypatch.setattr(owner, name, call)

    counted("expressions", kernels, "group_tensors")
    counted("schedules", kernels, "_scheduled")
    counted("lowered", Build, "lowered")
    counted("compiled", NativeCode, "compile")
    return counts


def test_a_warm_build_does_no_work(
    folder: Path, work: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joined_groups, "_costs", {})
    first = kc.graph.build(parsed(programs.NETWORK))
    assert work["expressions"] >= len(first.kernels)
    assert work["schedules"] >= len(first.kernels)
    assert work["compiled"] == len(first.kernels) + 1  # and the function that calls them
    before = dict(work)
    # Costs of groups that this process knows are in the cache, too.
    monkeypatch.setattr(joined_groups, "_costs", {})
    second = kc.graph.build(parsed(programs.NETWORK), params={})
    assert work == before
    np.testing.assert_array_equal(first(X, W, B), second(X, W, B))
    assert {kernel.workspace for kernel in first.kernels.values()} == {
        kernel.workspace for kernel in second.kernels.values()
    }
    assert len(list(folder.glob("*.kc"))) >= 3


def test_other_builds_stay_without_a_cache(folder: Path) -> None:
    A = te.placeholder((4,), name="A")
    kc.build([A, te.compute((4,), lambda i: A[i] + 1.0, name="B")])
    assert not folder.exists()


def test_none_turns_it_off(
    folder: Path, work: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KC_CACHE_DIR", "none")
    f = kc.graph.build(parsed(programs.NETWORK))
    kc.graph.build(parsed(programs.NETWORK))
    assert work["compiled"] == 2 * (len(f.kernels) + 1)
    assert not folder.exists()


def test_the_folder_has_a_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kc.graph.build(parsed(programs.NETWORK))
    size = sum(file.stat().st_size for file in folder.glob("*.kc"))
    monkeypatch.setattr(compile_cache, "_limit", lambda: size)
    kc.graph.build(parsed(programs.NETWORK.replace("4x", "5x")
                          .replace("MAT", "tensor<5x16xf32>")))  # fmt: skip
    assert sum(file.stat().st_size for file in folder.glob("*.kc")) <= size


def test_a_folder_that_cannot_be_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KC_CACHE_DIR")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        f = kc.graph.build(parsed(programs.NETWORK))
    assert f(X, W, B).shape == (4, 16)
    assert said == []
