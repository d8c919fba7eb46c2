"""docs/migration.md: every name that it says is there is there, and no other."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kc
from kc import te, tir
from kc.tvm.pass_config import KEYS, TVM_PASSES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "migration.md"


def roots() -> dict[str, Any]:
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    module = kc.lower(s, [A, B])
    return {
        "tvm": kc,
        "kc": kc,
        "te": te,
        "tir": tir,
        "s": s,
        "s[C]": s[B],
        "T": B,
        "op": B.op,
        "sch": tir.Schedule(module),
        "ib": tir.ir_builder.create(),
        "mod": module,
        "f": kc.build(s, [A, B]),
        "target": kc.target.Target("llvm"),
        "dev": kc.cpu(0),
    }


ROOTS = functools.cache(roots)


def exists(name: str) -> bool:
    root, *path = re.split(r"\.(?![^\[]*\])", name.split("(")[0])
    holder = ROOTS()[root]
    for attribute in path:
        if not hasattr(holder, attribute):
            return False
        holder = getattr(holder, attribute)
    return True


def names(cell: str) -> list[str]:
    """The names in a cell; what has no dot is no name but code."""
    return [name for name in re.findall(r"`([^`]+)`", cell) if "." in name]


def rows(*titles: str) -> Iterator[tuple[str, str, str]]:
    """The rows of the sections of these titles, or of all without that of the config's keys."""
    for section in re.split(r"^##+ ", PAGE.read_text(), flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        if title in titles or (not titles and not title.startswith("Keys")):
            for line in re.findall(r"^\|(.*)\|$", body, re.M):
                first, second, third = (cell.strip() for cell in line.split("|"))
                if first != "TVM" and not first.startswith("---"):
                    yield first, second, third


def test_there_are_tables():
    assert len(list(rows())) > 50


@pytest.mark.parametrize(("tvm", "here"), [(theirs, ours) for theirs, ours, _ in rows()])
def test_names(tvm: str, here: str):
    if here == "the same":
        assert [name for name in names(tvm) if not exists(name)] == []
    elif here == "refused":
        for dtype in re.findall("`([^`]+)`", tvm):
            with pytest.raises(kc.KCError):
                te.placeholder((4,), dtype=dtype)
    elif here == "not there":
        assert names(tvm)
        assert [name for name in names(tvm) if exists(name)] == []
    else:
        assert names(here)
        assert [name for name in names(here) if not exists(name)] == []
        assert [name for name in names(tvm) if exists(name)] == []


def test_names_in_the_text():
    """The names of kc in the last column and in the text outside of tables exist."""
    text = PAGE.read_text()
    mentioned = {name for name in re.findall(r"`(kc\.[a-z_.A-Z]+)`", text) if name not in KEYS}
    assert mentioned
    assert [name for name in sorted(mentioned) if not exists(name)] == []


def test_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE.read_text()):
        assert (PAGE.parent / link).is_file(), link


def test_every_name_of_te_and_tir_is_on_the_page():
    """Of what TVM 0.9 exports: names that kc adds to it need no row."""
    told = {name for cells in rows() for cell in cells for name in names(cell)}
    te_names = """
        any all trace exp erf tanh sigmoid log tan cos sin sinh cosh log2 log10 asin asinh acos
        acosh atan atanh trunc abs round nearbyint power popcount fmod if_then_else isnan isfinite
        isinf div indexdiv indexmod truncdiv truncmod floordiv floormod comm_reducer min max sum
        add subtract multiply Schedule create_schedule SpecializedCondition tag_scope placeholder
        compute scan extern var size_var thread_axis reduce_axis create_prim_func extern_primfunc
        decl_tensor_intrin Tensor TensorSlice Operation PlaceholderOp ComputeOp TensorComputeOp
        ScanOp ExternOp HybridOp gradient hybrid sqrt rsqrt floor ceil
    """.split()
    assert [name for name in te_names if f"te.{name}" not in told] == []


def test_every_key_of_the_config_is_on_the_page():
    told: dict[str, str] = {}
    for tvm, here, _ in rows("Keys of `PassContext(config=...)`"):
        for key in re.findall(r"`([^`]+)`", tvm if tvm != "none" else here):
            told[key] = here
    assert set(told) == set(KEYS)
    for key, option in KEYS.items():
        if told[key] != f"`{key}`":
            assert told[key] == ("works" if option.effect else "a warning"), key


def test_passes_that_are_there_are_those_with_a_counterpart():
    told = {
        name.removeprefix("tir.transform."): here
        for tvm, here, _ in rows("Lowering and passes")
        for name in names(tvm)
        if name.startswith("tir.transform.") and name != "tir.transform.prim_func_pass"
    }
    for name, here in told.items():
        assert (TVM_PASSES[f"tir.{name}"] is not None) == (here == "the same"), name
    assert {name.removeprefix("tir.") for name in TVM_PASSES} <= set(told)
