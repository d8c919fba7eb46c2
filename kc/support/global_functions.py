"""Functions of Python under global names, as TVM's ``register_func`` keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

from kc.support.diagnostics import CallError, suggest
from kc.support.forks import fork_lock

ASSERTION_FAILED = "kc.assertion_failed"
"""The function that kernels call with the text of a failed assertion; it is always registered."""

TAKES_VECTORS = "kc.takes_vectors"
"""The name of the function that tells a program if the target takes statements on vectors. The pass
``choose-vector-form`` and the interpreter answer it.
"""


def _fail(message: Any) -> None:
    raise AssertionError(str(message))


_lock = fork_lock()
_functions: dict[str, Callable[..., Any]] = {
    ASSERTION_FAILED: _fail,
    TAKES_VECTORS: lambda: 1,
}


def register_func(
    func_name: str | Callable[..., Any],
    f: Callable[..., Any] | None = None,
    override: bool = False,
) -> Any:
    """Register a function under a name. Also a decorator: ``@register_func("my.add")``.

    Plain ``@register_func`` uses the function's own name. Raises CallError KC5147 if the name is
    taken and ``override`` is false.
    """
    if callable(func_name):
        return register_func(func_name.__name__, func_name, override)
    name = func_name

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(function):
            raise CallError("KC5147", f"register_func: '{name}' needs a function")
        with _lock:
            if name in _functions and not override:
                raise CallError(
                    "KC5147",
                    f"register_func: the name '{name}' is taken",
                    facts=[f"by {_functions[name]!r}"],
                    hints=["override=True"],
                )
            _functions[name] = function
        return function

    return register if f is None else register(f)


@overload
def get_global_func(name: str, allow_missing: Literal[False] = False) -> Callable[..., Any]: ...


@overload
def get_global_func(name: str, allow_missing: bool) -> Callable[..., Any] | None: ...


def get_global_func(name: str, allow_missing: bool = False) -> Callable[..., Any] | None:
    """The function registered under a name. If there is none: None with ``allow_missing``, else
    KC5148.
    """
    function = _functions.get(name)
    if function is None and not allow_missing:
        raise CallError(
            "KC5148",
            f"there is no global function '{name}'",
            hints=suggest(name, list_global_func_names(), "the registered functions are"),
        )
    return function


def list_global_func_names() -> list[str]:
    """The names of all registered functions, sorted."""
    return sorted(_functions)


def remove_global_func(name: str) -> None:
    """Unregister the function ``name``. Raises CallError KC5148 if it is not registered."""
    get_global_func(name)
    with _lock:
        _functions.pop(name, None)


_become: list[Callable[[Any], Any]] = []


def arrays_become(make: Callable[[Any], Any]) -> None:
    """Set the conversion ``make`` from numpy arrays to the arrays that registered functions
    receive.
    """
    _become[:] = [make]


def as_argument(value: Any) -> Any:
    """A numpy array as the argument of a registered function; a number stays as it is."""
    return _become[0](value) if _become and hasattr(value, "dtype") else value
