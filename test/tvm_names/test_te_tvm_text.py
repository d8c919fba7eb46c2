"""script(style="tvm") says what is computed: executed as it stands, it gives what numpy gives."""

from __future__ import annotations

import ast
import math
import re
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from te.random_schedules import Program, random_calls

import kc
from kc import te
from kc.error import KCError
from kc.expr.constructors import Var
from kc.support.diagnostics import diagnostic_handler

_STORE = re.compile(r"^(\w+)\[(.*)\] = (.*)$")


def _expression(text: str) -> str:
    """An expression of TVM's text as Python on flat numpy arrays."""
    text = re.sub(r"\((?:u?int|float|bool)\w*\*\)", "", text)
    text = re.sub(
        r"(?<![\w.])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)([fiu]\d+)", r"number('\2', '\1')", text
    )
    text = re.sub(r"\bcast\((\w+),", r"cast('\1',", text)
    text = re.sub(r"dtype=(\w+)", r"dtype='\1'", text)
    return text.replace("@tir.", "tir.").replace("&&", "and").replace("||", "or")


def _python(text: str) -> str:
    """The statements of one function as Python."""
    lines: list[str] = []
    depth = 0
    for raw in text.split("buffer_map", 1)[1].split("\n")[1:]:
        line = raw.strip()
        opens = line.endswith("{")
        if line.startswith("}"):
            depth -= 1
        pad = "  " * depth
        body = line.removesuffix("{").strip()
        if match := re.match(r"for \((\w+): int32, 0, (.*)\)(?: \"\w+\")?$", body):
            lines.append(f"{pad}for {match[1]} in range({_expression(match[2])}):")
        elif match := re.match(r"if (.*)$", body):
            lines.append(f"{pad}if {_expression(match[1])}:")
        elif body == "} else":
            lines.append(f"{pad}else:")
        elif match := re.match(r"let (\w+): \w+ = (.*)$", body):
            lines.append(f"{pad}{match[1]} = {_expression(match[2])}")
        elif match := re.match(r"allocate\((\w+): .*, (\w+?)(?:x(\d+))?, \[(.*)\]\), .*$", body):
            size = f"({_expression(match[4])}) * {match[3] or 1}"
            lines.append(f"{pad}{match[1]} = np.full({size}, 77, '{match[2]}')")
            if opens:
                lines.append(f"{pad}if True:")
        elif match := _STORE.match(body):
            lines.append(f"{pad}{match[1]}[{_expression(match[2])}] = {_expression(match[3])}")
        else:
            assert body in ("", "}"), body
        depth += opens
    return "\n".join(lines) or "pass"


def _select(condition: Any, on_true: Any, on_false: Any) -> Any:
    return np.where(condition, on_true, on_false)[()]


def _shuffle(vectors: Any, lanes: list[int]) -> Any:
    """Lanes of all vectors together; one lane is a scalar."""
    picked = np.concatenate([np.atleast_1d(vector) for vector in vectors])[lanes]
    return picked[0] if len(lanes) == 1 else picked


NAMES = {
    "np": np,
    "floordiv": lambda a, b: a // b,
    "floormod": lambda a, b: a % b,
    "min": np.minimum,
    "max": np.maximum,
    "select": _select,
    "cast": lambda dtype, value: np.asarray(value).astype(dtype)[()],
    "number": lambda kind, text: getattr(
        np, kind.replace("f", "float").replace("i", "int").replace("u", "uint")
    )(float(text) if "f" in kind else int(text)),
    "ramp": lambda base, stride, lanes: base + stride * np.arange(lanes),
    "broadcast": lambda value, lanes: np.full(lanes, value),
    "shuffle": _shuffle,
    "inf": math.inf,
    "tir": SimpleNamespace(
        likely=lambda condition, dtype: condition,
        exp=lambda x, dtype: np.exp(x),
    ),
}


class _Lazy(ast.NodeTransformer):
    """``tir.if_then_else`` computes one of its values."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "if_then_else":
            condition, on_true, on_false = node.args
            return ast.copy_location(ast.IfExp(condition, on_true, on_false), node)
        return node


def execute(text: str, *arrays: np.ndarray, **sizes: int) -> None:
    """Run the function that is printed, on arrays in the order of its arguments."""
    buffers = re.findall(r"\w+: Buffer\((\w+): Pointer", text)
    flat = {name: array.reshape(-1) for name, array in zip(buffers, arrays, strict=True)}
    with np.errstate(all="ignore"):
        program = ast.fix_missing_locations(_Lazy().visit(ast.parse(_python(text))))
        exec(compile(program, "<text>", "exec"), {**NAMES, **flat, **sizes})


def one_schedule(seed: int) -> bool:
    random = Random(seed)
    program = Program.make(random, random.randint(1, 4), symbolic=random.random() < 0.3)
    outputs = program.outputs()
    schedule = te.create_schedule([output.op for output in outputs])
    calls = random_calls(schedule, random, random.randint(1, 12))
    try:
        module = kc.lower(schedule, [*program.inputs, *outputs])
        text = module.script(style="tvm")
    except KCError as refused:
        if refused.code == "KC4330":
            raise
        return False
    if "IterVar" in text:
        return False
    inputs = program.arrays()
    wanted = [program.values[output](inputs) for output in outputs]
    outs = [np.full(array.shape, 99, np.int32) for array in wanted]
    sizes = {
        dim.name: size
        for tensor, array in zip(program.inputs, inputs, strict=True)
        for dim, size in zip(tensor.shape, array.shape, strict=True)
        if isinstance(dim, Var)
    }
    execute(text, *inputs, *outs, **sizes)
    for out, expected in zip(outs, wanted, strict=True):
        np.testing.assert_array_equal(out, expected, f"{seed}: {calls}\n{text}")
    return True


@pytest.mark.parametrize("start", [0, 20])
def test_random_schedules(start: int):
    with diagnostic_handler(lambda _: None):
        assert sum(one_schedule(seed) for seed in range(start, start + 20)) > 5


@pytest.mark.parametrize("seed", [622, 888])
def test_lanes_that_are_guarded(seed: int):
    with diagnostic_handler(lambda _: None):
        assert one_schedule(seed)


def test_what_the_execution_would_find():
    """A text that says something else is not equal."""
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] * 2.0 + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].vectorize(s[B].split(B.op.axis[0], factor=4)[1])
    text = kc.lower(s, [A, B]).script(style="tvm")
    a = np.arange(8, dtype=np.float32)
    out = np.zeros(8, np.float32)
    execute(text, a, out)
    np.testing.assert_array_equal(out, a * 2 + 1)
    execute(text.replace("*broadcast(2f32", " + broadcast(2f32"), a, out)
    assert (out != a * 2 + 1).any()
