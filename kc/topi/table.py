"""The table of operators: what each takes, means and corresponds to.

A function becomes an operator by :func:`operator`; its name and its family are those of the module
that it stands in (``kc.topi.nn.pooling`` makes ``nn.pool2d`` of the family ``nn.pooling``).
Documentation, ``python -m kc.topi`` and the tests are made from the table.
"""

from __future__ import annotations

import functools
import inspect
import re
import reprlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from kc.support.diagnostics import KCError, TEError
from kc.support.locations import caller_location, is_library
from kc.te.dtypes import DTYPES, FLOATS, INTS, UINTS
from kc.te.expr import Expr
from kc.te.indices import same_dim
from kc.te.nodes import Dim
from kc.te.tensor import Tensor

BOOL = ("bool",)
INTEGERS = (*INTS, *UINTS)
NUMBERS = (*FLOATS, *INTEGERS)
ANY = DTYPES
WORDS = ("float32", "float64", "float16", "bfloat16")
"""The floats that models are computed in."""

GRADIENTS = {
    "te": "by `te.gradient`",
    "own": "by an own rule",
    "zero": "0: small changes of its arguments change nothing, or only at steps",
}
OF_INTEGERS = "it takes integers, and there is nothing between two of them"
OF_TRUTHS = "its results are true or false"
OF_PLACES = "its results are places or numbers of elements"
OF_BOXES = "which boxes are kept, and how many, depends on the data"
"""Why an operator has no gradient."""

_F = TypeVar("_F", bound=Callable[..., Any])
_sizes: ContextVar[list[tuple[Dim, Dim, bool]] | None] = ContextVar("kc_topi_sizes", default=None)
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
    its slope is 0; any other text is why it has none."""

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        return " ".join((self.function.__doc__ or "").strip().split("\n\n")[0].split())

    @property
    def gradient_text(self) -> str:
        """How its gradient comes about, or why it has none."""
        return GRADIENTS.get(self.gradient, f"none: {self.gradient}")


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
    KC2301 for a type that is not among ``types``. What the function cannot do anything with is
    refused, too (KC2320).
    """

    def enter(function: _F) -> _F:
        module = function.__module__.removeprefix("kc.topi.")
        package = module.rpartition(".")[0]
        name = f"{package}.{function.__name__}" if package else function.__name__

        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            with running(name):
                _check_values(function, args, keywords)
                if takes:
                    first = args[0] if args else next(iter(keywords.values()), None)
                    _check_first(first, takes, types)
                try:
                    with _noted_sizes() as sizes:
                        result = function(*args, **keywords)
                except _MISTAKES as error:
                    if isinstance(error, KCError) or not _is_of_kc(error.__traceback__):
                        raise
                    _check_numbers_are_known(function, args, keywords)
                    raise refuse(
                        "KC2320",
                        "it cannot use its arguments",
                        f"{type(error).__name__}: {error}",
                        f"python -m kc.topi {name} says what it takes",
                    ) from error
                if sizes:
                    for tensor in _tensors(result):
                        tensor.op.agreeing += sizes
                return result

        TABLE[name] = Operator(
            name, call, module, kind, types, example, formula, numpy, onnx, torch, gradient
        )
        return call  # pyright: ignore[reportReturnType]

    return enter


@contextmanager
def _noted_sizes() -> Iterator[list[tuple[Dim, Dim, bool]]]:
    """The sizes that an operator takes to be equal; see :func:`take_as_equal`."""
    noted: list[tuple[Dim, Dim, bool]] = []
    token = _sizes.set(noted)
    try:
        yield noted
    finally:
        _sizes.reset(token)


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


def take_as_equal(left: Dim, right: Dim) -> None:
    """Note that the operator takes two sizes to be equal, which the call of a kernel with its
    results checks."""
    noted = _sizes.get()
    if noted is not None and not same_dim(left, right):
        noted.append((left, right, False))


_MISTAKES = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
)
"""What Python says of a value that is not of the kind that code is for."""


def _is_of_kc(traceback: TracebackType | None) -> bool:
    """Whether an exception was raised in an operator: not in a function that a user gives it, and
    not because the operator was called with another number of arguments."""
    files: list[str] = []
    while traceback is not None:
        files.append(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
    return len(files) > 1 and all(map(is_library, files))


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
    message = re.sub(r"[\x00-\x1f]", lambda sign: repr(sign[0])[1:-1], message)
    return TEError(code, where + message, location=caller_location(), why=why, hints=hints)


def _check_first(value: Any, takes: str, types: tuple[str, ...]) -> None:
    if takes == "tensor":
        check_tensor(value, "the argument", types)
        return
    if not isinstance(value, list | tuple) or not value:
        raise refuse(
            "KC2300",
            f"the first argument is {shown(value)}",
            "it is a list of one or more tensors",
            f"topi.{_running.get()}([A, B])",
        )
    for n, item in enumerate(value):
        check_tensor(item, f"tensor {n}", types)


_SWITCHES = "True or False"
_NUMBERS = "a number"
_TEXTS = "a text"
_TENSORS = "a tensor"
_VALUES = {"bool": _SWITCHES, "float": _NUMBERS, "str": _TEXTS, "Tensor": _TENSORS}
"""What parameters take by their annotations. Other annotations are checked where they are used."""


@functools.cache
def _parameters(function: Callable[..., Any]) -> tuple[list[str], dict[str, tuple[str, bool]]]:
    """The names of parameters in order; and by name what is checked, and if it may be None."""
    names: list[str] = []
    kinds: dict[str, tuple[str, bool]] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        names.append(name)
        annotation = str(parameter.annotation)
        kind = _VALUES.get(annotation.removesuffix(" | None"))
        if kind is not None:
            kinds[name] = kind, kind is _TEXTS or annotation.endswith("None")
    return names, kinds


def _check_values(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """Refuse (KC2319) what is no switch, number or text in the place of one."""
    names, kinds = _parameters(function)
    for name, value in (*zip(names, args, strict=False), *keywords.items()):
        if name not in kinds:
            continue
        kind, may_be_none = kinds[name]
        if value is None and may_be_none:
            continue
        if kind is _TENSORS:
            if name != names[0]:  # that one is checked with its type
                check_tensor(value, name)
            continue
        if not _fits(value, kind) and not (name.endswith("dtype") and _is_numpy_type(value)):
            default = inspect.signature(function).parameters[name].default
            hint = f"topi.{_running.get()}(..., {name}={default!r})"
            raise refuse(
                "KC2319",
                f"{name} is {shown(value)}",
                f"it must be {kind}" + (", or None" if may_be_none and kind is not _TEXTS else ""),
                *([] if default is inspect.Parameter.empty else [hint]),
            )


def _check_numbers_are_known(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """Refuse (KC2319) what only the call tells where an operator could not compute with it."""
    names, kinds = _parameters(function)
    for name, value in (*zip(names, args, strict=False), *keywords.items()):
        if name in kinds and kinds[name][0] is _NUMBERS and isinstance(value, Tensor | Expr):
            raise refuse(
                "KC2319",
                f"{name} is {shown(value)}",
                "it must be a number that is known when the program is built",
            )


def _fits(value: Any, kind: str) -> bool:
    import numbers  # a call's, not an import's

    if kind is _TEXTS:
        return isinstance(value, str)
    if kind is _NUMBERS:
        is_scalar = isinstance(value, Tensor) and value.ndim == 0
        return isinstance(value, numbers.Real | Expr) or is_scalar
    # numpy's booleans are no numbers; 0 and 1 are what C has.
    is_switch = isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
    return is_switch or (isinstance(value, numbers.Integral) and value in (0, 1))


def _is_numpy_type(value: Any) -> bool:
    """Whether a value names an element type as numpy does: ``np.float32``, or its dtype."""
    return isinstance(value, type) or (hasattr(value, "itemsize") and hasattr(value, "kind"))


def shown(value: Any) -> str:
    """A value of a user in one short line."""
    return " ".join(reprlib.repr(value).split())


def check_tensor(value: Any, what: str, types: tuple[str, ...] = ANY) -> Tensor:
    """``value``, if it is a tensor of one of ``types`` (KC2300, KC2301)."""
    if not isinstance(value, Tensor):
        raise refuse(
            "KC2300",
            f"{what} is {shown(value)}, not a tensor",
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
