"""The table of operators: what each takes, means and corresponds to.

A function becomes an operator by :func:`operator`; its name and its family are those of the module
that it stands in (``kc.topi.nn.pooling`` makes ``nn.pool2d`` of the family ``nn.pooling``).
Documentation, ``python -m kc.topi`` and the tests are made from the table.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.dtypes import DTYPES, FLOATS, INTS, UINTS
from kc.te.tensor import Tensor

BOOL = ("bool",)
INTEGERS = (*INTS, *UINTS)
NUMBERS = (*FLOATS, *INTEGERS)
ANY = DTYPES
WORDS = ("float32", "float64", "float16", "bfloat16")
"""The floats that models are computed in."""

_F = TypeVar("_F", bound=Callable[..., Any])
_running: ContextVar[str | None] = ContextVar("kc_topi_operator", default=None)


@dataclass(frozen=True)
class Operator:
    """A row of the table."""

    name: str
    """As in ``topi.<name>``."""
    function: Callable[..., Any]
    family: str
    kind: str
    """The pattern, a word of :mod:`kc.topi.tag`; "" where the result has several."""
    types: tuple[str, ...]
    """The element types of the first tensor."""
    example: str
    """A call, in which ``T(2, 3, dtype="int32")`` makes a placeholder."""
    formula: str
    numpy: str
    onnx: str
    torch: str
    gradient: str
    """"te": ``te.gradient`` derives it; "own": it has a rule of its own, which that asks; "zero":
    its slope is 0; "none": it has none."""

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        return " ".join((self.function.__doc__ or "").strip().split("\n\n")[0].split())


TABLE: dict[str, Operator] = {}
"""All operators that are imported, by name; see :func:`whole_table`."""


def whole_table() -> dict[str, Operator]:
    """:data:`TABLE` with the families that are imported when they are first named."""
    import kc.topi as topi

    for name in topi.__all__:
        member = getattr(topi, name)
        for inner in getattr(member, "__all__", ()):
            getattr(member, inner)
    return TABLE


def operator(
    kind: str = "",
    types: tuple[str, ...] = ANY,
    example: str = "",
    *,
    takes: str = "tensor",
    formula: str = "",
    numpy: str = "",
    onnx: str = "",
    torch: str = "",
    gradient: str = "te",
) -> Callable[[_F], _F]:
    """Enter a function into the table.

    ``takes`` says what its first argument is, which is checked before the function runs: a
    "tensor", "tensors" (a list of them), or "" for anything else. Raises KC2300 for another value,
    KC2301 for a type that is not among ``types``.
    """

    def enter(function: _F) -> _F:
        module = function.__module__.removeprefix("kc.topi.")
        package = module.rpartition(".")[0]
        name = f"{package}.{function.__name__}" if package else function.__name__

        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            with running(name):
                if takes:
                    first = args[0] if args else next(iter(keywords.values()), None)
                    _check_first(first, takes, types)
                return function(*args, **keywords)

        TABLE[name] = Operator(
            name, call, module, kind, types, example, formula, numpy, onnx, torch, gradient
        )
        return call  # pyright: ignore[reportReturnType]

    return enter


@contextmanager
def running(name: str) -> Iterator[None]:
    """Diagnostics name the operator ``name``, unless a user's operator called it."""
    if _running.get() is not None:
        yield
        return
    token = _running.set(name)
    try:
        yield
    finally:
        _running.reset(token)


def refuse(code: str, message: str, why: str | None = None, *hints: str) -> TEError:
    """The error of the operator that the user called, at the user's line."""
    name = _running.get()
    where = f"topi.{name}: " if name else ""
    return TEError(code, where + message, location=caller_location(), why=why, hints=hints)


def _check_first(value: Any, takes: str, types: tuple[str, ...]) -> None:
    if takes == "tensor":
        check_tensor(value, "the argument", types)
        return
    if not isinstance(value, list | tuple) or not value:
        raise refuse(
            "KC2300",
            f"the first argument is {value!r}",
            "it is a list of one or more tensors",
            f"topi.{_running.get()}([A, B])",
        )
    for n, item in enumerate(value):
        check_tensor(item, f"tensor {n}", types)


def check_tensor(value: Any, what: str, types: tuple[str, ...] = ANY) -> Tensor:
    """``value``, if it is a tensor of one of ``types`` (KC2300, KC2301)."""
    if not isinstance(value, Tensor):
        raise refuse(
            "KC2300",
            f"{what} is {value!r}, not a tensor",
            "operators of topi take tensors of te",
            "te.placeholder((2, 3)), or the result of another operator",
        )
    if value.dtype not in types:
        raise refuse(
            "KC2301",
            f"{what} {value.name} has elements of type {value.dtype}",
            "it takes " + ", ".join(types),
            f'topi.cast({value.name}, "{types[0] if "float32" not in types else "float32"}")',
        )
    return value


def types_text(types: tuple[str, ...]) -> str:
    """The words of the documentation for a set of types."""
    words = {
        BOOL: "bool",
        INTEGERS: "integers",
        NUMBERS: "numbers",
        ANY: "any",
        tuple(FLOATS): "floats",
        (*INTEGERS, "bool"): "integers, bool",
    }
    return words.get(types, ", ".join(types))
