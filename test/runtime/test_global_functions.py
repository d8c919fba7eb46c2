"""register_func, get_global_func and convert."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import kc
from kc.runtime import convert, list_global_func_names, remove_global_func
from kc.support.diagnostics import CallError


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    before = set(list_global_func_names())
    yield
    for name in set(list_global_func_names()) - before:
        remove_global_func(name)


def test_registering() -> None:
    @kc.register_func("test.add")
    def add(a: int, b: int) -> int:
        return a + b

    @kc.register_func
    def plain() -> int:
        return 7

    kc.register_func("test.sub", lambda a, b: a - b)
    registered = kc.get_global_func("test.add")
    assert registered is add
    assert kc.get_global_func("test.sub")(5, 3) == 2  # pyright: ignore[reportOptionalCall]
    assert kc.get_global_func("plain") is plain
    assert {"plain", "test.add", "test.sub"} <= set(list_global_func_names())


def test_a_name_that_is_taken() -> None:
    kc.register_func("test.f", len)
    with pytest.raises(CallError) as caught:
        kc.register_func("test.f", max)
    assert caught.value.code == "KC5147"
    assert kc.get_global_func("test.f") is len
    kc.register_func("test.f", max, override=True)
    assert kc.get_global_func("test.f") is max


def test_what_is_no_function() -> None:
    with pytest.raises(CallError) as caught:
        kc.register_func("test.f", 42)  # pyright: ignore[reportArgumentType]
    assert caught.value.code == "KC5147"


def test_an_unknown_name() -> None:
    kc.register_func("unlisted.maximum", max)
    with pytest.raises(CallError) as caught:
        kc.get_global_func("unlisted.maximu")
    assert caught.value.code == "KC5148"
    assert caught.value.hints == ("did you mean 'unlisted.maximum'?",)
    assert kc.get_global_func("unlisted.maximu", allow_missing=True) is None
    with pytest.raises(CallError):
        remove_global_func("unlisted.maximu")


def test_convert() -> None:
    source = np.arange(3, dtype=np.float32)
    array = convert(source)
    assert isinstance(array, kc.nd.NDArray)
    source[0] = 9
    np.testing.assert_array_equal(array.numpy(), [0, 1, 2])
    assert convert(array) is array
    assert convert([1, 2.5, "x", None, (True,)]) == (1, 2.5, "x", None, (True,))
    assert convert({"n": np.int32(4)}) == {"n": 4}
    assert convert(len) is len
    with pytest.raises(CallError) as caught:
        convert(object())
    assert caught.value.code == "KC5149"
