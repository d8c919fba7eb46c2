"""Arguments are checked before an operator runs: what escapes from one then is a bug of kc."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from property_tests import is_in_slice
from test_topi_mistakes import parts
from topi_cases import TABLE

import kc.topi
from kc import te, topi
from kc.error import InternalError, KCError
from kc.topi import kinds
from kc.topi.kinds import Kind, Parameter
from kc.topi.table import parameters_of


class Odd:
    """A value of no kind."""

    def __repr__(self) -> str:
        return "an odd value"


def P(*shape: Any, dtype: str = "float32", name: str = "Z") -> Any:
    return te.placeholder(shape, dtype, name)


NOTHING = (Odd(), {}, {1, 2}, 1j)
"""Values of no kind."""

WRONG: dict[Kind, tuple[Any, ...]] = {
    kinds.SWITCH: ("yes", 0.5, 2, [True], None),
    kinds.TEXT: (1, 2.5, ["NCHW"], P(2)),
    kinds.TYPE: ("float12", 7, [np.float32], P(2)),
    kinds.WHOLE: ("1", 0.5, [1], None, P(), te.var("n")),
    kinds.WHOLES: ("two", 0.5, ["a"], [None], [1, 0.5], P(2)),
    kinds.PAIRS: ("two", 0.5, ["a"], [None], [[1, 0.5], [0]]),
    kinds.LIST: ("two", None, ["a"], [0.5]),
    kinds.ENDS: ("two", None, ["a"], [0.5]),
    kinds.PADDING: (0.5, ["a"], [None], [1, 0.5], P(2)),
    kinds.SIZES: ("two", 0.5, ["a"], [None], [2, 0.5]),
    kinds.SIZES_OR_TENSOR: ("two", 0.5, ["a"], [None], [2, 0.5]),
    kinds.NUMBER: ("1", [1.0], None, P(), te.var("n", "float32")),
    kinds.NUMBERS: ("1", ["a"], [None], None),
    kinds.NUMBER_OR_TENSOR: ("1", [1.0], None, te.var("n", "float32")),
    kinds.SCALAR: ("1", [1.0], None, P(2)),
    kinds.OPERAND: ("1", [1.0], None),
    kinds.TENSOR: (3.5, "A", [1, 2], None, [P(2)], te.var("n")),
    kinds.TENSORS: (3.5, "A", [1, 2], None, [], P(2), [P(2), 1]),
    kinds.TENSORS_OR_LIST: (3.5, "A", [1, 2], None, []),
    kinds.MATRIX: (3.5, "A", [1, 2, 3], None, P(2), (P(2), P(2))),
    kinds.TENSOR_OR_MATRIX: (3.5, "A", [1, 2, 3], None, (P(2), P(2))),
    kinds.REGION: (3.5, "A", [None], ["a"]),
    kinds.OPERATOR: ("relu", 3, [1]),
    kinds.FUNCTION: ("sum", 3, None),
    kinds.WORD_OR_NUMBER: (0.5, [1], None, P()),
    kinds.WORD_OR_TENSOR: (0.5, [1], None, 3),
    kinds.SECTIONS: ("two", 0.5, ["a"], [1, None]),
    kinds.ATTRIBUTES: ("two", 0.5, ["a"]),
}
"""Values that are not of a kind, besides those of none."""

ODD: tuple[Any, ...] = (
    -7, 0, 2**40, [1, 2], [[1, 2], [3]], [], "NHWC", "", float("nan"), (1.5, 2.5),
    P(), P(2, 2, dtype="int32"), P(2, dtype="bool"), P(1, 1, 1, 1, 1), P(0), P(te.var("n")),
    te.const(1.5, "float32"), np.ones((2, 2)), np.int64(-3), range(2), int, lambda *_: None,
)  # fmt: skip
"""Values of one kind or another, most of which fit no operator."""


@cache
def example(name: str) -> tuple[Any, inspect.BoundArguments]:
    """The function of an operator, and the arguments of its example."""
    return parts(name)


def parameters(name: str) -> Iterator[Parameter]:
    yield from parameters_of(inspect.unwrap(TABLE[name].function), name).values()


def failure(name: str, parameter: Parameter, value: Any) -> str | None:
    """The diagnostic of the example with another argument, told at the user's line."""
    function, bound = example(name)
    given = dict(bound.arguments) | {parameter.name: (value,) if parameter.is_list else value}
    own = {word: given[word] for word in bound.signature.parameters if word in given}
    changed = inspect.BoundArguments(bound.signature, own)  # pyright: ignore[reportArgumentType]
    said = None
    try:
        exec(CALL, {"function": function, "bound": changed})
    except KCError as error:
        said = str(error).split("\n")
    if said is None:
        return None
    assert said[1].startswith("  --> user.py:1"), said
    assert len(said) <= 12, said
    return said[0]


CALL = compile("function(*bound.args, **bound.kwargs)", "user.py", "exec")


def test_every_parameter_has_a_kind():
    held = {parameter.kind for name in TABLE for parameter in parameters(name)}
    assert held == set(WRONG)


def test_names_of_kinds_are_of_parameters():
    """No entry is for a parameter that there is not."""
    names = {name: {p.name for p in parameters(name)} for name in TABLE}
    for entry in kinds.BY_NAME:
        operator, _, word = entry.rpartition(".")
        assert word in names[operator] if operator else any(word in own for own in names.values())


FAMILIES = sorted({row.family.split(".")[0] for row in TABLE.values()})


@pytest.mark.parametrize("family", FAMILIES)
def test_values_of_another_kind(family: str):
    """They are refused by the name of the parameter, before the operator looks at them."""
    for name in TABLE:
        if TABLE[name].family.split(".")[0] != family:
            continue
        for parameter in parameters(name):
            for value in (*WRONG[parameter.kind], *NOTHING[: 1 if parameter.is_list else None]):
                if isinstance(value, dict) and parameter.kind is kinds.ATTRIBUTES:
                    continue
                if value is None and (parameter.may_be_none or parameter.kind is kinds.TEXT):
                    continue
                said = failure(name, parameter, value)
                assert said is not None, f"{name}: {parameter.name}={value!r} is taken"
                assert re.search(rf"topi\.{re.escape(name)}: .*\b{parameter.name}\b", said), said


CASES = [
    pytest.param(name, marks=() if is_in_slice(name, 6) else pytest.mark.sweep) for name in TABLE
]


@pytest.mark.parametrize("name", CASES)
def test_odd_values(name: str):
    """They are legal, or refused: no operator ends in an error of Python's, or an internal one."""
    for parameter in parameters(name):
        for value in ODD:
            failure(name, parameter, value)


OPERATOR = """
from kc.expr.tensor import Tensor
from kc.topi.table import operator

@operator("elemwise", ("float32",), "nn.probe(T(4))")
def probe(x: Tensor, n: int = 1) -> Tensor:
    "A probe."
    return {body}
"""


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("x.no_such_attribute", AttributeError),
        ("{}[n]", KeyError),
        ("[][n]", IndexError),
        ("x.shape + n", TypeError),
        ("int('n')", ValueError),
        ("n // 0", ZeroDivisionError),
        ("(lambda f: f(f))(lambda f: f(f))", RecursionError),
    ],
)
def test_a_bug_of_an_operator(body: str, error: type[Exception], tmp_path, monkeypatch):
    """It is an internal error, whose reproducer has the traceback and the call."""
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType("kc.topi.nn.probe")
    path = str(Path(kc.topi.__file__).parent / "nn" / "probe.py")
    try:
        exec(compile(OPERATOR.format(body=body), path, "exec"), module.__dict__)
        with pytest.raises(InternalError, match=r"^internal error in topi\.nn\.probe \(") as caught:
            module.probe(P(4), n=3)
    finally:
        TABLE.pop("nn.probe", None)
    assert isinstance(caught.value.__cause__, error)
    (reproducer,) = tmp_path.glob("kc-reproducer-*.mlir")
    assert str(caught.value).endswith(f"; reproducer: {reproducer.name}")
    text = reproducer.read_text()
    assert 'nn/probe.py", line 8, in probe' in text
    assert error.__name__ in text
    assert "\n// topi.nn.probe(Tensor(shape=[4], dtype=float32, op.name=Z), n=3)\n" in text


CALLER = """
from kc import topi
from kc.topi.table import operator
from kc.expr.tensor import Tensor

@operator()
def caller(x: Tensor, axis: float = 0, f: object = None) -> Tensor:
    \"\"\"An operator that calls others.\"\"\"
    return {body}
"""


@pytest.fixture
def calling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """An operator of topi with the body that it is given."""
    monkeypatch.chdir(tmp_path)

    def kind_of(name: str, *rest: str) -> Kind | None:
        is_caller = name == "nn.caller"
        return Kind("anything", lambda *_: None) if is_caller else kinds.kind_of(name, *rest)

    monkeypatch.setattr("kc.topi.table.kind_of", kind_of)

    def make(body: str) -> Any:
        module = types.ModuleType("kc.topi.nn.caller")
        path = str(Path(kc.topi.__file__).parent / "nn" / "caller.py")
        exec(compile(CALLER.format(body=body), path, "exec"), module.__dict__)
        return module.caller

    yield make
    TABLE.pop("nn.caller", None)


@pytest.mark.parametrize(
    "body",
    [
        "topi.sum(x, 'rows')",
        "topi.sum(x, axis=[0, 0.5])",
        "topi.sum(x, 0, 'float32')",
        "topi.sum(None)",
        "topi.sum(x, axis / 2)",
        "topi.sum(topi.sum(x, 0.5))",
    ],
)
def test_wrong_arguments_that_an_operator_makes_are_its_bug(calling, body: str):
    """They are told as those of an internal error, with the call of the operator that made them."""
    with pytest.raises(
        InternalError, match=r"^internal error in topi\.nn\.caller \(WrongCall: KC23"
    ) as caught:
        calling(body)(P(4, 4), axis=3)
    (reproducer,) = Path().glob("kc-reproducer-*.mlir")
    assert str(caught.value).endswith(f"; reproducer: {reproducer.name}")
    call = "// topi.nn.caller(Tensor(shape=[4, 4], dtype=float32, op.name=Z), axis=3)"
    assert call in reproducer.read_text()


@pytest.mark.parametrize(
    ("body", "code", "given"),
    [
        ("topi.sum(x, axis)", "KC2313", {"axis": 0.5}),
        ("topi.sum(x, [axis, 0])", "KC2313", {"axis": "rows"}),
        ("topi.sum(x, list(axis))", "KC2313", {"axis": (0.5,)}),
        ("topi.sum(x, x.shape[0])", "KC2313", {}),  # of the user's tensor
        ("topi.sum(x, 7)", "KC2304", {}),  # a rank that follows from it
        ("f(x)", "KC2313", {"f": lambda x: topi.sum(x, "rows")}),  # in the user's function
    ],
)
def test_wrong_arguments_that_an_operator_passes_on_are_the_users(calling, body, code, given):
    with pytest.raises(KCError) as caught:
        calling(body)(P(te.var("n"), 4), **given)
    assert caught.value.code == code


def test_constants_are_numbers():
    """An operator that takes a number also takes a constant of te."""
    two: Any = te.const(2, "int32")
    half: Any = te.const(0.5, "float32")
    assert [int(n) for n in topi.repeat(P(2, 3), two, 1).shape] == [2, 6]
    assert [int(n) for n in topi.tile(P(2, 3), (two, 1)).shape] == [4, 3]
    given = np.array([-2.0, 4.0], np.float32)
    result = np.empty(2, np.float32)
    A = P(2)
    kc.build([A, topi.nn.leaky_relu(A, half)])(given, result)
    np.testing.assert_array_equal(result, np.where(given > 0, given, given * 0.5))


def test_functions_of_users():
    """A function that cannot be called, or gives no tensor, is refused; its own errors are its."""
    given = P(3, 2, 4), P(20, 4), P(20, 5)
    for act, code in ((lambda: None, "KC2321"), (int, "KC2321"), (lambda _: None, "KC2300")):
        with pytest.raises(KCError, match=rf"^error\[{code}\]: topi.nn.lstm: f_act ") as caught:
            topi.nn.lstm(*given, f_act=act)
        assert caught.value.code == code

    def own(x: Any) -> Any:
        return x.of_the_user

    with pytest.raises(AttributeError, match="of_the_user"):
        topi.nn.lstm(*given, g_act=own)
