"""Functions that dispatch on the current target, by TVM's names: ``tvm.target.generic_func``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from kc.support.diagnostics import TargetError
from kc.support.function_holders import FunctionHolder
from kc.support.locations import caller_location
from kc.support.target import Target


class GenericFunc(FunctionHolder):
    """A function with variants for keys of targets. A call selects the variant for the first key of
    the current target that has a variant, or else the default.

    ``register(func, keys)`` adds one, ``register("cuda")`` is a decorator that does.
    """

    def __init__(self, default: Callable[..., Any] | None = None, name: str = "") -> None:
        self.name = name
        self._default = default
        self._functions: dict[str, Callable[..., Any]] = {}
        if default is not None:
            functools.update_wrapper(self, default)

    def __repr__(self) -> str:
        return f"GenericFunc({self.name})"

    def set_default(self, func: Callable[..., Any], allow_override: bool = False) -> None:
        """Set the function for all other targets. Raises KC0093 if a default exists."""
        if self._default is not None and not allow_override:
            raise _twice(self.name, "all targets")
        self._default = func

    def register(
        self,
        func: Callable[..., Any] | str | Sequence[str],
        key_list: Sequence[str] | None = None,
        allow_override: bool = False,
    ) -> Any:
        """Add the function for keys of targets. Raises KC0093 for a key that has one already."""
        if not callable(func):
            keys = func

            def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
                self.register(function, [keys] if isinstance(keys, str) else keys, allow_override)
                return function

            return decorate
        keys = [key_list] if isinstance(key_list, str) else list(key_list or ())
        for key in keys:
            if key in self._functions and not allow_override:
                raise _twice(self.name, f"'{key}'")
            self._functions[key] = func
        return func

    def get_packed_func(self) -> Callable[..., Any]:
        """The function for the current target. Raises KC0094 if there is none."""
        target = Target.current()
        for key in target.keys if target is not None else ():
            if key in self._functions:
                return self._functions[key]
        if self._default is None:
            target_names = ", ".join(f"'{key}'" for key in self._functions) or "no target"
            raise TargetError(
                "KC0094",
                f"{self.name}: no function for the target {target}",
                location=caller_location(),
                why=f"functions exist for {target_names}, and there is no default",
                hints=["with kc.Target(...):", f"{self.name}.set_default(function)"],
            )
        return self._default

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.get_packed_func()(*args, **options)


def _twice(name: str, what: str) -> TargetError:
    return TargetError(
        "KC0093",
        f"{name}: a function for {what} already exists",
        location=caller_location(),
        hints=["override=True"],
    )


_NATIVE: dict[str, GenericFunc] = {}


def get_native_generic_func(name: str) -> GenericFunc:
    """The generic function registered as ``name``; it is created empty at the first request."""
    return _NATIVE.setdefault(name, GenericFunc(None, name))


def generic_func(fdefault: Callable[..., Any]) -> GenericFunc:
    """Make a function to which variants for keys of targets can be added; a decorator::

    @kc.target.generic_func
    def threads(n):
        return 1

    @threads.register("gpu")
    def threads_of_gpus(n):
        return 256
    """
    return GenericFunc(fdefault, getattr(fdefault, "__name__", "generic"))


def override_native_generic_func(func_name: str) -> Callable[[Callable[..., Any]], GenericFunc]:
    """A decorator that makes a function the default of the generic function ``func_name``."""

    def decorate(fdefault: Callable[..., Any]) -> GenericFunc:
        generic = get_native_generic_func(func_name)
        generic.set_default(fdefault, allow_override=True)
        functools.update_wrapper(generic, fdefault)
        return generic

    return decorate
