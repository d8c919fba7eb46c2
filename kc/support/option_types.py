"""Options as fields of a dataclass: converted by annotation, and printed back.

A field may be ``int``, ``float``, ``bool``, ``str``, an enum, a ``Literal``, ``tuple[X, ...]``,
``tuple[X, Y]``, ``X | None`` (where ``?`` and ``none`` are None), or any class with a classmethod
``from_option(text)`` that raises ValueError or a :class:`KCError`; its ``str()`` is printed back,
and it is given a value of several words if it is a subclass of tuple.
Fields are filled by name, ``-`` for ``_``. An option has other spellings too: with or without the
``s`` of a plural, the name that the field has in Python (metadata ``python``), and those of its
metadata ``also``, each with what the value becomes: ``{"thread": "*", "nparts": "*,?"}``. What is
missing has the value of the metadata ``implied``, or the default of the field.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
import types
import typing
from collections.abc import Sequence
from typing import Any, TypeVar

from kc.support.diagnostics import InputError, KCError, suggest
from kc.support.options import Option, Options, Word, caret, option_error

T = TypeVar("T")

_BOOLS = {"true": True, "1": True, "false": False, "0": False}
_NONES = ("?", "none", "None")


class _Mismatch(Exception):
    """``text`` at ``place`` is not of the form ``expected``."""

    def __init__(self, expected: str, place: Option | Word) -> None:
        super().__init__(expected)
        self.expected = expected
        self.place = place


def canonical(cls: type, options: Options, what: str, extra: Sequence[str] = ()) -> Options:
    """The options under the field names of ``cls``; the options in ``extra`` stay as they are.

    Raises KC0014 if an option is given in two spellings.
    """
    fields = [field for field in dataclasses.fields(cls) if field.init]
    spellings = _spellings(fields)
    for spelling in extra:
        spellings.pop(spelling, None)
    by_field: dict[str, Option] = {}
    for option in options:
        name = option.name.replace("-", "_")
        name, value = spellings.get(name, (name, "*"))
        before, _, after = value.partition("*")
        words = option.words
        if words is not None and value != "*":
            words = (*_words(before), *words, *_words(after))
        if name in by_field:
            message = f"{what}: '{by_field[name].name}' and '{option.name}' are the same option"
            raise option_error("KC0014", message, options, option)
        by_field[name] = dataclasses.replace(option, words=words)
    items = (dataclasses.replace(option, name=name) for name, option in by_field.items())
    return Options(tuple(items), options.source)


def _words(text: str) -> list[Word]:
    return [Word(word) for word in text.split(",") if word]


def _spellings(fields: Sequence[dataclasses.Field[Any]]) -> dict[str, tuple[str, str]]:
    """For each alternative spelling, the field and the converted value."""
    spellings: dict[str, tuple[str, str]] = {}
    names = [field.name for field in fields]
    in_python = [field.metadata.get("python") for field in fields]
    for field in fields:
        spellings.update(
            {spelling: (field.name, to) for spelling, to in field.metadata.get("also", {}).items()}
        )
    for field, name in zip(fields, in_python, strict=True):
        if isinstance(name, str) and in_python.count(name) == 1:
            spellings.setdefault(name.lstrip("*"), (field.name, "*"))
    for name in names:
        spellings.setdefault(
            name.removesuffix("s") if name.endswith("s") else f"{name}s", (name, "*")
        )
    return {name: to for name, to in spellings.items() if name not in names}


_type_hints = functools.cache(typing.get_type_hints)  # evaluates the annotations each time


def fields_from_options(
    cls: type, options: Options, what: str, extra: Sequence[str] = ()
) -> dict[str, Any]:
    """Keyword arguments for the dataclass ``cls``; ``what`` names it in errors.

    ``extra`` are options that other code consumes; they serve as suggestions. Raises KC0011 for an
    option that ``cls`` does not have, KC0012 for a value of the wrong type, KC0013 for a missing
    option without a default, and KC0014 for an option in two spellings.
    """
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
    hints = _type_hints(cls)
    values: dict[str, Any] = {}
    for option in canonical(cls, options, what, extra):
        name = option.name
        if name not in fields:
            raise _unknown(option, options, what, [*fields, *extra])
        try:
            values[name] = _convert(option, hints[name])
        except _Mismatch as mismatch:
            actual = f"'{mismatch.place.text}'" if mismatch.place.text else "nothing"
            raise option_error(
                "KC0012",
                f"{what}: option '{_shown(option, options)}' takes {mismatch.expected}, "
                f"not {actual}",
                options,
                mismatch.place,
            ) from None
        except KCError as error:
            error.facts = error.facts or tuple(caret(options.source, option.start, option.end))
            raise
    for name, field in fields.items():
        required = (
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        )
        implied = field.metadata.get("implied")
        if name not in values and implied is not None:
            values[name] = _convert(Option(name, tuple(_words(implied))), hints[name])
        elif required and name not in values:
            shown = name.replace("_", "-")
            raise InputError(
                "KC0013",
                f"{what}: the option '{shown}' is missing",
                facts=[f"{shown}: {help_of(field)}"] if help_of(field) else (),
                hints=[f"{shown}={placeholder(hints[name])}"],
            )
    return values


def _shown(option: Option, options: Options) -> str:
    """The name of an option as the user wrote it."""
    return options.source[option.start : option.end].partition("=")[0] or option.name


def _unknown(option: Option, options: Options, what: str, names: Sequence[str]) -> InputError:
    """KC0011, with the nearest names; ``option`` may have ``_`` for ``-``."""
    name = _shown(option, options)
    shown = [key.replace("_", "-") for key in names]
    hints = suggest(name, shown, f"options of {what}") or [f"{what} has no options"]
    if option.words is None and "block" in names and not hints[0].startswith("did"):
        hints = [f"block={name}", *hints]
    place = dataclasses.replace(option, end=option.start + len(name))
    return option_error("KC0011", f"{what}: there is no option '{name}'", options, place, hints)


def from_options(cls: type[T], options: Options, what: str, extra: Sequence[str] = ()) -> T:
    """An instance of the dataclass ``cls``; see :func:`fields_from_options`."""
    values = fields_from_options(cls, options, what, extra)
    try:
        return cls(**values)
    except ValueError as error:
        raise InputError("KC0012", f"{what}: {error}") from error


def to_options(instance: Any) -> Options:
    """The options that recreate ``instance``, without those that have their default value."""
    items: list[Option] = []
    for field in dataclasses.fields(instance):
        value = getattr(instance, field.name)
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if not field.init or (value == default and type(value) is type(default)):
            continue
        name = field.name.replace("_", "-")
        if value is True:
            items.append(Option(name))
            continue
        items.append(Option(name, words_of(value)))
    return Options(tuple(items))


def words_of(value: Any) -> tuple[Word, ...]:
    """A value, or the elements of a list or tuple, as the words of an option."""
    values = value if isinstance(value, tuple | list) else (value,)
    return tuple(Word(_word_text(element)) for element in values)


def _word_text(value: Any) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, enum.Enum):
        return str(value.value)
    return str(value)


def help_of(field: dataclasses.Field[Any]) -> str:
    """The meaning of the field: its metadata ``help``."""
    return field.metadata.get("help", "")


def placeholder(annotation: Any) -> str:
    """The placeholder for a value of this type in help texts: ``<int>``, ``<a|b>``,
    ``<name>,...``.
    """
    members = _members(annotation)
    if len(members) > 1:
        return "|".join(dict.fromkeys(placeholder(member) for member in members))
    only = members[0]
    origin, args = typing.get_origin(only), typing.get_args(only)
    if origin is tuple:
        many = len(args) == 2 and args[1] is Ellipsis
        element = placeholder(args[0])
        if many and typing.get_origin(args[0]) in (typing.Union, types.UnionType):
            element = "?|" + element if type(None) in typing.get_args(args[0]) else element
        return f"{element},..." if many else ",".join(map(placeholder, args))
    if origin is typing.Literal:
        return "|".join(map(str, args))
    if isinstance(only, type) and issubclass(only, enum.Enum):
        return "|".join(str(member.value) for member in only)
    names = {int: "<int>", float: "<number>", bool: "true|false", str: "<name>"}
    return names.get(only) or f"<{_noun(only)}>"


def _noun(cls: type) -> str:
    """``BlockRef`` as ``block``, ``IndexMap`` as ``index map``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__.removesuffix("Ref")).lower()


def _members(annotation: Any) -> Sequence[Any]:
    """The members of a union other than None, with ``str`` last because it accepts any text."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        members = [member for member in typing.get_args(annotation) if member is not type(None)]
        return sorted(members, key=lambda member: member is str)
    return [annotation]


def _convert(option: Option, annotation: Any) -> Any:
    """The option's value, converted to ``annotation``."""
    members = _members(annotation)
    optional = len(members) < len(typing.get_args(annotation))
    if optional and option.text in _NONES and members != [str]:
        return None
    mismatch: _Mismatch | None = None
    for member in members:
        try:
            return _convert_one(option, member)
        except _Mismatch as error:
            mismatch = mismatch or error
    assert mismatch is not None
    if len(members) > 1:
        expected = " or ".join(dict.fromkeys(_description(member) for member in members))
        raise _Mismatch(expected, mismatch.place)
    raise mismatch


def _convert_one(option: Option, annotation: Any) -> Any:
    if typing.get_origin(annotation) is tuple:
        return _tuple(option, annotation)
    if option.words is None:
        if annotation is bool:
            return True
        raise _Mismatch(_description(annotation), option)
    if annotation is str and not any(word.quoted for word in option.words):
        return option.text
    if len(option.words) > 1 and not _takes_many(annotation):
        raise _Mismatch(_description(annotation), option.words[1])
    words = list(option.words)
    word = Word(option.text, words[0].quoted, words[0].start, words[-1].end)
    return _scalar(word, annotation)


def _takes_many(annotation: Any) -> bool:
    """True if ``from_option`` of this type receives a value that contains commas."""
    return isinstance(annotation, type) and issubclass(annotation, tuple)


def _tuple(option: Option, annotation: Any) -> tuple[Any, ...]:
    if option.words is None:
        raise _Mismatch(_description(annotation), option)
    words = option.words
    if len(words) == 1 and not words[0].quoted and words[0].text[:1] == "[":
        words = _list_items(words[0])
    args = typing.get_args(annotation)
    if len(args) == 2 and args[1] is Ellipsis:
        args = (args[0],) * len(words)
    elif len(args) != len(words):
        raise _Mismatch(_description(annotation), option)
    return tuple(_element(word, arg) for word, arg in zip(words, args, strict=True))


def _list_items(word: Word) -> tuple[Word, ...]:
    """The elements of a list such as ``[a,b]``; text in brackets that is not such a list is one
    word.
    """
    inner = word.text[1:-1]
    try:
        parsed = Options.parse(f"x={inner}")
    except InputError:
        return (word,)
    words = parsed.items[0].words
    if len(parsed) != 1 or words is None:
        return (word,)
    shift = word.start + 1 - len("x=")
    return tuple(
        dataclasses.replace(item, start=item.start + shift, end=item.end + shift) for item in words
    )


def _element(word: Word, annotation: Any) -> Any:
    members = _members(annotation)
    if len(members) < len(typing.get_args(annotation)) and word.text in _NONES:
        return None
    for member in members[:-1]:
        try:
            return _scalar(word, member)
        except _Mismatch:
            pass
    return _scalar(word, members[-1])


def _scalar(word: Word, annotation: Any) -> Any:
    text = word.text
    if annotation is str:
        return text
    if annotation is bool:
        if text not in _BOOLS:
            raise _Mismatch(_description(bool), word)
        return _BOOLS[text]
    if typing.get_origin(annotation) is typing.Literal:
        for choice in typing.get_args(annotation):
            if str(choice) == text:
                return choice
        raise _Mismatch(_description(annotation), word)
    convert = getattr(annotation, "from_option", annotation)
    try:
        return convert(text)
    except KCError:
        raise
    except (ValueError, TypeError) as error:
        detail = f" ({error})" if hasattr(annotation, "from_option") and str(error) else ""
        raise _Mismatch(_description(annotation) + detail, word) from error


def _description(annotation: Any) -> str:
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple:
        members = [_description(member) for member in _members(args[0])]
        if len(args) == 2 and args[1] is Ellipsis:
            return "a list, each " + " or ".join(members)
        return f"{len(args)} values"
    if origin is typing.Literal:
        return "one of " + ", ".join(map(str, args))
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return "one of " + ", ".join(str(member.value) for member in annotation)
    names = {int: "an integer", float: "a number", bool: "true or false", str: "a name"}
    noun = _noun(annotation)
    return names.get(annotation) or f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
