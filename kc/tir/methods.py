"""Methods of the eager schedule, made from the declarations of primitives, queries and samplings.

Nothing is imported before a method is looked at: the table of steps is text.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

from kc.support.declarations import REQUIRED, Parameter, parameters
from kc.support.files import use_code_files
from kc.support.registry import current
from kc.transforms.trace.binding import UNSAFE, UNSAFE_HELP
from kc.transforms.trace.session import Step

_HANDLES = {"loop": "LoopRV | str", "block": "BlockRV | str"}
_GIVES = {
    "nothing": "None",
    "loop": "LoopRV",
    "loops": "list[LoopRV]",
    "block": "BlockRV",
    "blocks": "list[BlockRV]",
    "optional block": "BlockRV | None",
    "param": "ExprRV",
    "params": "list[ExprRV]",
}


class Method:
    """A step as an attribute of the class: a function of its name, signature and docstring."""

    def __init__(self, flag: str) -> None:
        self.flag = flag

    def __get__(self, instance: Any, owner: type) -> Callable[..., Any]:
        return method_of(current().steps[self.flag].load()).__get__(instance, owner)


def find_method(name: str) -> Callable[..., Any] | None:
    """The function for the method ``name``, which may be that of a plugin."""
    entry = current().steps.get(name.replace("_", "-"))
    return method_of(entry.load()) if entry is not None and "-" not in name else None


def method_names() -> list[str]:
    """The names of all schedule methods that are steps."""
    return [name.replace("-", "_") for name in current().steps]


@cache
def method_of(step: Step) -> Callable[..., Any]:
    """The function that performs ``step`` on a schedule, its first argument."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        use_code_files(*args, *kwargs.values())
        return self._call(step, args, kwargs)

    name = step.name.replace("-", "_")
    method.__name__ = name
    method.__qualname__ = f"Schedule.{name}"
    method.__doc__ = _doc(step)
    method.__signature__ = signature_of(step)  # pyright: ignore[reportFunctionMemberAccess]
    return method


def signature_of(step: Step) -> inspect.Signature:
    """The signature of the method, with ``self``."""
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shown = [inspect.Parameter("self", positional)]
    optional = variadic = False
    for parameter in parameters(step):
        default = inspect.Parameter.empty if parameter.default is REQUIRED else parameter.default
        kind = inspect.Parameter.VAR_POSITIONAL if parameter.variadic else positional
        if parameter.variadic:
            default = inspect.Parameter.empty
        elif variadic or optional and default is inspect.Parameter.empty:
            kind = inspect.Parameter.KEYWORD_ONLY
        variadic = variadic or parameter.variadic
        optional = optional or default is not inspect.Parameter.empty
        shown.append(
            inspect.Parameter(
                parameter.name, kind, default=default, annotation=annotation_of(parameter)
            )
        )
    if getattr(step, "undecidable", False):
        keyword = inspect.Parameter.KEYWORD_ONLY
        shown.append(inspect.Parameter(UNSAFE, keyword, default=False, annotation="bool"))
    return inspect.Signature(shown, return_annotation=_GIVES[step.gives])


def annotation_of(parameter: Parameter) -> str:
    """The annotation of a parameter, as text."""
    names: list[str] = []
    for slot in parameter.slots:
        for type_ in slot.types:
            names += _names(type_, parameter.element, parameter.variadic)
        if slot.optional and len(parameter.slots) == 1:
            names.append("None")
    members = list(dict.fromkeys(" | ".join(names).split(" | ")))
    if members[:1] == ["LoopRV"]:  # a loop, a block, or the name of a loop or block
        members.sort(key=lambda member: not member.endswith("RV"))
    return " | ".join(members)


def _names(type_: Any, element: int | None, variadic: bool) -> list[str]:
    handle = getattr(type_, "handle", None)
    if handle is not None:
        return [_HANDLES[handle]]
    if typing.get_origin(type_) is typing.Literal:
        return [" | ".join(f'"{choice}"' for choice in typing.get_args(type_))]
    if typing.get_origin(type_) is tuple:
        args = typing.get_args(type_)
        if hasattr(args[0], "tuple_of"):
            return ["Any"]
        members = [member for member in args if member is not Ellipsis]
        inner = " | ".join(dict.fromkeys(name for member in members for name in _union(member)))
        return [inner] if element is not None or variadic else [f"Sequence[{inner}]"]
    if type_ in (int, float, bool, str):
        return [type_.__name__]
    return [getattr(type_, "python", "Any")]


def _union(type_: Any) -> list[str]:
    if isinstance(type_, type) or typing.get_origin(type_) in (tuple, typing.Literal):
        return _names(type_, None, False)
    members = [member for member in typing.get_args(type_) if member is not type(None)]
    none = ["None"] if len(members) < len(typing.get_args(type_)) else []
    return [name for member in members for name in _names(member, None, False)] + none


def _doc(step: Step) -> str:
    lines = [inspect.getdoc(step) or ""]
    lines_of_options = [
        f"{parameter.name}: {parameter.help}" for parameter in parameters(step) if parameter.help
    ]
    if lines_of_options:
        lines += ["", *lines_of_options]
    if getattr(step, "undecidable", False):
        lines.append(f"{UNSAFE}: {UNSAFE_HELP}")
    if step.name not in current().queries:
        lines += ["", f"Legal when `kc-opt --{step.name}` is: see {step.__module__}."]
    return "\n".join(lines)
