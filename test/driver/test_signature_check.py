"""A signature that disagrees with the code is a bug that the build reports, not the call."""

from dataclasses import replace

import pytest

import kc
from kc import backends
from kc.conversion.raise_to_tir.interface import check_interface
from kc.runtime.signature import ArgSpec
from kc.support.diagnostics import InternalError

TEXT = """
func.func @f(%x: memref<?xf32>, %n: i32, %y: memref<8xf16>) {
  return
}
"""
DECLARED = "takes (ptr, 64 bits, 32 bits, ptr) and returns nothing, but a call of"


def _without_last(args):
    return args[:-1]


def _swapped(args):
    return (args[1], args[0], *args[2:])


def _wider(args):
    return (args[0], replace(args[1], dtype="int64", alignment=8), args[2])


def _of_constant_size(args):
    return (replace(args[0], shape=(8,)), *args[1:])


def _with_one_more(args):
    return (*args, ArgSpec("z", "scalar", "bool"))


BREAKS = {
    _without_last: "f(x: float32[x_0], n: int32) passes (ptr, 64 bits, 32 bits)",
    _swapped: "f(n: int32, x: float32[x_0], y: float16[8]) passes (32 bits, ptr, 64 bits, ptr)",
    _wider: "f(x: float32[x_0], n: int64, y: float16[8]) passes (ptr, 64 bits, 64 bits, ptr)",
    _of_constant_size: "f(x: float32[8], n: int32, y: float16[8]) passes (ptr, 32 bits, ptr)",
    _with_one_more: "f(x: float32[x_0], n: int32, y: float16[8], z: bool) passes "
    "(ptr, 64 bits, 32 bits, ptr, 8 bits)",
}


@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize("spoil", BREAKS, ids=lambda spoil: spoil.__name__)
def test_a_wrong_signature_is_refused_at_the_build(spoil, target, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # the reproducer goes there
    signatures_of = backends.signatures_of

    def spoilt(*args):
        for signature in signatures_of(*args):
            shapes = [dim for arg in spoil(signature.args) for dim in arg.shape]
            symbols = tuple(dim for dim in shapes if isinstance(dim, str))
            yield replace(signature, args=spoil(signature.args), symbols=symbols)

    monkeypatch.setattr(backends, "signatures_of", spoilt)
    with pytest.raises(InternalError) as error:
        kc.build(kc.IRModule.parse(TEXT), target=target)
    assert f"@f is lowered to a function that {DECLARED} {BREAKS[spoil]}" in str(error.value)


def test_a_function_that_is_gone_is_noticed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    signatures_of = backends.signatures_of
    monkeypatch.setattr(
        backends,
        "signatures_of",
        lambda *args: [replace(s, name="g") for s in signatures_of(*args)],
    )
    with pytest.raises(InternalError, match="@g is not in the module after it was lowered"):
        kc.build(kc.IRModule.parse(TEXT))


GIVEN = "(tensor<?x4xf32>, index) -> (tensor<4xf32>, i32)"


def _function(signature):
    text = f"func.func private @f{signature}"
    return kc.IRModule.parse(text).functions["f"]


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("(memref<8x4xf32>, index, memref<4xf32>, memref<i32>)", ""),
        ("(memref<?x4xf32>, index, memref<?xf32>) -> i32", ""),
        ("(memref<?x4xf32>, index, memref<4xf32>)", "takes and returns 4 values, and 3"),
        (
            "(memref<?x4xf32>, index, memref<i32>, memref<4xf32>)",
            "result 0 of @f is of type tensor<4xf32>, and memref<i32>",
        ),
        (
            "(memref<?x5xf32>, index, memref<4xf32>, memref<i32>)",
            "argument 0 of @f is of type tensor<?x4xf32>, and memref<?x5xf32>",
        ),
        (
            "(memref<?x4xf64>, index, memref<4xf32>, memref<i32>)",
            "argument 0 of @f is of type tensor<?x4xf32>, and memref<?x4xf64>",
        ),
        (
            "(memref<?x4xf32>, i64, memref<4xf32>, memref<i32>)",
            "argument 1 of @f is of type index, and i64",
        ),
    ],
)
def test_a_raised_function_takes_what_was_given(signature, said):
    given, raised = _function(GIVEN), _function(signature)
    if not said:
        check_interface(given, raised)
        return
    with pytest.raises(InternalError, match="^raise-to-tir: ") as error:
        check_interface(given, raised)
    assert f"{said} when it is raised" in str(error.value)
