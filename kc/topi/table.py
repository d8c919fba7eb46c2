"""The table of operators: their arguments, meanings and equivalents.

:func:`operator` registers a function as an operator, with the name and the family of its module
(``kc.topi.nn.pooling`` defines ``nn.pool2d`` of the family ``nn.pooling``). Documentation,
``python -m kc.topi`` and the tests are generated from the table.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from kc.expr.constructors import Expr
from kc.expr.dtypes import DTYPES, FLOATS, INTS, UINTS
from kc.expr.indices import same_dim
from kc.expr.nodes import Dim
from kc.expr.tensor import Tensor
from kc.support.diagnostics import InternalError, KCError, TEError
from kc.support.locations import caller_location, is_library
from kc.topi.kinds import (
    MISSING,
    TYPE,
    Complaint,
    Parameter,
    items_of,
    kind_of,
    tensor_complaint,
)

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
"""The reason why an operator has no gradient."""

_F = TypeVar("_F", bound=Callable[..., Any])
_sizes: ContextVar[list[tuple[Dim, Dim, bool]] | None] = ContextVar("kc_topi_sizes", default=None)
_running: ContextVar[str | None] = ContextVar("kc_topi_operator", default=None)
_call_arguments: ContextVar[tuple[Any, ...] | None] = ContextVar("kc_topi_arguments", default=None)
"""The arguments of the operator that the user called, while an operator is running."""


@dataclass(frozen=True)
class Operator:
    """A row of the table."""

    name: str
    """The name in ``topi.<name>``."""
    function: Callable[..., Any]
    family: str
    kind: str
    """The pattern, a word of :mod:`kc.topi.tag`; "" if the result has several patterns."""
    types: tuple[str, ...]
    """The element types of the first tensor."""
    example: str
    """An example call, in which ``T(2, 3, dtype="int32")`` creates a placeholder."""
    formula: str
    numpy: str
    onnx: str
    torch: str
    gradient: str
    """"te": ``te.gradient`` derives it; "own": ``te.gradient`` uses the operator's own rule;
    "zero": its slope is 0; any other text is the reason why there is none.
    """

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        return " ".join((self.function.__doc__ or "").strip().split("\n\n")[0].split())

    @property
    def gradient_text(self) -> str:
        """The origin of the operator's gradient, or the reason why it has none."""
        return GRADIENTS.get(self.gradient, f"none: {self.gradient}")


TABLE: dict[str, Operator] = {}
"""All operators of imported families, by name; see :func:`whole_table`."""


def whole_table() -> dict[str, Operator]:
    """:data:`TABLE`, including the families that are imported at first use."""
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
    """Register a function in the table.

    ``takes`` declares the first argument, which is checked before the function runs: a "tensor",
    "tensors" (a list of them), or "" for anything else. All arguments are checked before the
    function runs, against the kinds of its parameters (:mod:`kc.topi.kinds`): the call raises
    KC2300 for a value that is not a tensor, KC2301 for a type outside of ``types``, and the code of
    the kind for anything else. An exception in the function is a bug of the operator: an
    :class:`InternalError` with the path of the reproducer. So is a value of the wrong kind that an
    operator passes to another operator, unless the value came from the user.
    """

    def enter(function: _F) -> _F:
        module = function.__module__.removeprefix("kc.topi.")
        package = module.rpartition(".")[0]
        name = f"{package}.{function.__name__}" if package else function.__name__

        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            with running(name), _giving(args, keywords):
                parameters = parameters_of(function, name)
                args, keywords = _checked(parameters, args, keywords, takes, types)
                try:
                    with _noted_sizes() as sizes:
                        result = function(*args, **keywords)
                except (KCError, InternalError):
                    raise
                except Exception as error:
                    if not _is_of_kc(error.__traceback__):
                        if isinstance(error, WrongCall):
                            raise error.refusal from None
                        raise
                    raise _internal(name, error, args, keywords) from error
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
    """The sizes that an operator requires to be equal; see :func:`take_as_equal`."""
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
    """Record that the operator requires two sizes to be equal. A call of a kernel with its results
    checks this.
    """
    noted = _sizes.get()
    if noted is not None and not same_dim(left, right):
        noted.append((left, right, False))


@contextmanager
def _giving(args: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[None]:
    """Note the arguments, unless an operator called this one."""
    if _call_arguments.get() is not None:
        yield
        return
    token = _call_arguments.set((*args, *keywords.values()))
    try:
        yield
    finally:
        _call_arguments.reset(token)


class WrongCall(Exception):
    """An operator called another operator with a value of the wrong kind.

    The kinds of its own arguments were checked before, so this is a bug of the operator and no
    mistake of the user; within a function that the user passed, it is a ``refusal``.
    """

    def __init__(self, refusal: TEError) -> None:
        super().__init__(f"{refusal.code}, {refusal.message}: {refusal.why}")
        self.refusal = refusal


def _refuse_kind(refusal: TEError, value: Any) -> Exception:
    """The error for an argument of the wrong kind: the user's if the user created a part of it.

    An expression of the sizes of the user's tensors also counts as the user's.
    """
    call = _call_arguments.get()
    caller = sys._getframe(1)
    while caller.f_back is not None and caller.f_code.co_filename == __file__:
        caller = caller.f_back
    if call is None or not is_library(caller.f_code.co_filename):
        return refusal
    arguments = [*_parts(call)]
    for part in _parts(value):
        if isinstance(part, Expr) or any(
            part is argument or _same(part, argument) for argument in arguments
        ):
            return refusal
    return WrongCall(refusal)


def _parts(value: Any) -> Iterator[Any]:
    """A value, and the items of lists and arrays in it, at all levels."""
    yield value
    for item in items_of(value) or ():
        yield from _parts(item)


def _same(left: Any, right: Any) -> bool:
    plain = (bool, int, float, str)
    return type(left) in plain and type(right) in plain and left == right


def _is_of_kc(traceback: TracebackType | None) -> bool:
    """True if an exception was raised in an operator: not in a user's function, and not because the
    operator was called with a wrong number of arguments.
    """
    files: list[str] = []
    while traceback is not None:
        files.append(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
    return len(files) > 1 and all(map(is_library, files))


def _internal(
    name: str, error: Exception, args: tuple[Any, ...], keywords: dict[str, Any]
) -> InternalError:
    """The internal error for ``error`` in an operator ``name``; its reproducer has the call."""
    from kc.support.reproducer import internal_error

    arguments = [repr(value) for value in args]
    arguments += [f"{word}={value!r}" for word, value in keywords.items()]
    call = f"// topi.{name}({', '.join(arguments)})".replace("\n", "\n// ")
    return InternalError(
        internal_error(f"topi.{name}", error, source=call + "\n").message, reproduced=True
    )


@contextmanager
def running(name: str) -> Iterator[None]:
    """Let diagnostics name the operator ``name``, unless a user's operator called it."""
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


@functools.cache
def parameters_of(function: Callable[..., Any], name: str) -> dict[str, Parameter]:
    """The parameters of the operator ``name``, in order, with the kinds of their arguments."""
    parameters: dict[str, Parameter] = {}
    for word, parameter in inspect.signature(function).parameters.items():
        annotation = str(parameter.annotation)
        kind = kind_of(name, word, annotation)
        if kind is None:
            raise TypeError(f"topi.{name}: kc/topi/kinds.py has no kind for {word}: {annotation}")
        default = MISSING if parameter.default is parameter.empty else parameter.default
        may_be_none = annotation.endswith("None") or default is None
        is_list = parameter.kind is parameter.VAR_POSITIONAL
        parameters[word] = Parameter(word, kind, default, may_be_none, is_list)
    return parameters


def _checked(
    parameters: dict[str, Parameter],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    takes: str,
    types: tuple[str, ...],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments in the form that the operator expects; refuses arguments of another kind.

    Arguments without a parameter are left to Python, which refuses the call.
    """
    in_order = iter(parameters.values())
    parameter: Parameter | None = None
    values: list[Any] = []
    for value in args:
        if parameter is None or not parameter.is_list:
            parameter = next(in_order, None)
        values.append(value if parameter is None else _check(parameter, value))
    named = {
        word: _check(parameters[word], value) if word in parameters else value
        for word, value in keywords.items()
    }
    if takes:
        word = next(iter(parameters))
        first = values[0] if values else named.get(word)
        if takes == "tensors":
            for n, item in enumerate(first or ()):
                check_tensor(item, f"{word}[{n}]", types)
        elif first is not None:
            check_tensor(first, word, types)
    return tuple(values), named


def _check(parameter: Parameter, value: Any) -> Any:
    """``value`` as the operator computes with it, if it is of the parameter's kind."""
    if value is None and parameter.may_be_none:
        return value
    kind = parameter.kind
    complaint = kind.complain(parameter.name, value)
    if complaint is None and value is None and kind is TYPE and parameter.default is MISSING:
        complaint = Complaint(
            "KC2001", f"{parameter.name} is None", "it must be the name of an element type"
        )
    if complaint is None:
        return value if kind.plain is None else kind.plain(value)
    call = f"topi.{_running.get()}(..., {{}})"
    why = complaint.why
    hints = tuple(
        call.format(hint) if hint.startswith(f"{parameter.name}=") else hint
        for hint in complaint.hints
    )
    if complaint.code == "KC2319":
        if parameter.may_be_none and why is not None and not why.endswith("None"):
            why += ", or None"
        if parameter.default is not MISSING and parameter.default is not None:
            hints = (call.format(f"{parameter.name}={parameter.default!r}"),)
    raise _refuse_kind(refuse(complaint.code, complaint.message, why, *hints), value)


def check_tensor(value: Any, what: str, types: tuple[str, ...] = ANY) -> Tensor:
    """``value``. Raises KC2300 or KC2301 if it is not a tensor of one of ``types``."""
    complaint = tensor_complaint(what, value)
    if complaint is not None:
        raise refuse(complaint.code, complaint.message, complaint.why, *complaint.hints)
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
