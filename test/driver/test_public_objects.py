"""Every kind of public object prints, is copied, pickles and is compared, or says why it is not.

What is wrong is a diagnostic (KCError), or what Python itself says of a type that has no length,
no items or no hash: no attribute is missing, and nothing recurses.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import api_pages
import numpy as np
import pytest
from public_objects import objects

import kc
from kc import te
from kc.error import KCError


def pickled(value: Any) -> Any:
    """The object that a pickle of another one holds."""
    return pickle.loads(pickle.dumps(value))


NAMES = tuple(objects())

WITHOUT_OBJECTS = {
    "Let": "made, it is the body with the value in it",
    "Rebase": "all loops begin at 0, so that no relation is one",
    "AttrStmt": "a loop over the threads",
    "AllocateConst": "memory and stores of the numbers",
    "BufferRealize": "memory, and a condition where one is given",
    "AssertStmt": "a call that checks, and the statements after it",
}
"""Public classes that no value is an instance of, and what they make, or why."""

USES: dict[str, Callable[[Any], Any]] = {
    "str": str, "repr": repr, "format": format, "dir": dir, "copy": lambda o: str(copy.copy(o)),
    "deepcopy": lambda o: str(copy.deepcopy(o)), "pickle": lambda o: str(pickled(o)),
    "hash": hash, "equality": lambda o: (o == o, o != 3), "bool": bool, "len": len,
    "iter": lambda o: next(iter(o), None),
}  # fmt: skip

PYTHONS = ("unhashable type: ", "has no len()", "is not iterable")
"""Python's messages for an object without a hash, length or items."""


def wrong(use: str, function: Callable[[Any], Any], value: Any) -> str | None:
    """The forbidden outcome of one use of an object; None if the outcome is allowed."""
    try:
        result = function(value)
    except KCError as error:
        is_told = use not in ("str", "repr", "format", "dir") and str(error).startswith("error[KC")
        return None if is_told else str(error)
    except TypeError as error:
        is_pythons = use in ("hash", "len", "iter") and any(it in str(error) for it in PYTHONS)
        return None if is_pythons else repr(error)
    is_text = use in ("str", "repr", "format", "copy", "deepcopy", "pickle")
    return "no text" if is_text and not result else None


@pytest.mark.parametrize("name", NAMES)
def test_uses(name: str):
    value = objects()[name]
    said = {use: wrong(use, function, value) for use, function in USES.items()}
    assert not any(said.values()), said


@pytest.mark.parametrize("name", NAMES)
def test_copies_print_the_same(name: str):
    value = objects()[name]
    text = str(value)
    assert " object at 0x" not in text
    for how in (copy.copy, copy.deepcopy, pickled):
        try:
            again = how(value)
        except KCError:
            continue
        assert isinstance(value, type(again))
        assert str(again) == text


def test_every_public_class_has_an_object():
    missing = {
        cls.__name__
        for cls in api_pages.public_classes()
        if not any(isinstance(value, cls) for value in objects().values())
    }
    assert missing == set(WITHOUT_OBJECTS)


def test_public_functions_and_classes_pickle_by_their_names():
    public = [
        value
        for module in api_pages.modules()
        for name in api_pages.public_names(module)
        if callable(value := getattr(module, name)) and not isinstance(value, ModuleType)
    ]
    assert len(public) > 500
    assert [value for value in public if pickled(value) is not value] == []


def double(x: Any, y: Any) -> Any:
    return x + y


def zero(dtype: str) -> Any:
    return te.const(0, dtype)


def test_reducers_of_functions_that_modules_name_are_pickled():
    reducer = pickled(te.comm_reducer(double, zero, "total"))
    axis = te.reduce_axis((0, 4), "k")
    terms = te.placeholder((2, 4), name="terms")
    module = kc.build([terms, te.compute((2,), lambda i: reducer(terms[i, axis], axis=axis))])
    assert module(np.arange(8, dtype=np.float32).reshape(2, 4)).tolist() == [6.0, 22.0]


def test_what_holds_functions_without_names_says_so():
    for name in ("reducer", "script of tensors", "pass of modules", "function by the target"):
        with pytest.raises(KCError, match="KC0098.*cannot be pickled\n.*\n *why: it holds Python"):
            pickle.dumps(objects()[name])
