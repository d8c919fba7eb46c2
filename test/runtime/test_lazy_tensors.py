"""Tensors whose elements are not what is in their memory: kc refuses them, or computes with them.

Stand-ins have of torch's tensors what kc asks; where torch is installed, its own are tested too.
"""

import ctypes
import importlib.util
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import KCError
from kc.frontend.torch.reader import Reader

SIZE = 4


def copy_function() -> Any:
    A = te.placeholder((SIZE,), name="A")
    B = te.compute((SIZE,), lambda i: A[i] + 0.0, name="B")
    given = tir.decl_buffer((SIZE,), "float32", strides=[te.var("s")])
    return kc.build([A, B], binds={A: given})


class Shared:
    """Memory by ``__dlpack__`` alone."""

    def __init__(self, array: np.ndarray, is_negative: bool = False) -> None:
        self.array, self.is_negative = array, is_negative

    def is_neg(self) -> bool:
        return self.is_negative

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def without_place(error: KCError) -> str:
    return re.sub(r"\n  -->[^\n]*", "", str(error))


def test_a_negative_bit_is_not_overlooked():
    x, out = np.arange(1.0, 5.0, dtype=np.float32), np.zeros(SIZE, np.float32)
    copy_function()(Shared(x), out)
    np.testing.assert_array_equal(out, x)
    with pytest.raises(KCError) as caught:
        copy_function()(Shared(x, is_negative=True), out)
    assert caught.value.code == "KC5116"
    assert (
        "why: BufferError: its negative bit is set: its elements are those in memory, negated"
        in str(caught.value)
    )
    with pytest.raises(KCError) as caught:
        kc.nd.from_dlpack(Shared(x, is_negative=True))
    assert without_place(caught.value) == (
        "error[KC5129]: from_dlpack: Shared cannot be shared with the CPU\n"
        "  why: its negative bit is set: its elements are those in memory, negated"
    )


class Nowhere(Shared):
    """A capsule that describes a tensor at the address 0, as those of fake tensors do."""

    def __dlpack__(self, **options: Any) -> Any:
        from kc.runtime.dlpack import _PLAIN, VERSIONED, _capsule_functions

        capsule = self.array.__dlpack__(**options)
        is_valid, get_pointer = _capsule_functions()
        versioned = is_valid(capsule, b"dltensor_versioned")
        name, form = (b"dltensor_versioned", VERSIONED) if versioned else (b"dltensor", _PLAIN)
        at = get_pointer(capsule, name) + form.size - _PLAIN.size
        ctypes.c_void_p.from_address(at).value = None
        return capsule


def test_a_tensor_without_memory_is_refused():
    out = np.zeros(SIZE, np.float32)
    with pytest.raises(KCError) as caught:
        copy_function()(Nowhere(np.ones(SIZE, np.float32)), out)
    assert "why: ValueError: it has a shape, and no memory: its elements are nowhere" in str(
        caught.value
    )
    with pytest.raises(KCError) as caught:
        kc.nd.from_dlpack(Nowhere(np.ones(SIZE, np.float32)))
    assert caught.value.code == "KC5129"
    # Without elements there needs to be none.
    assert kc.nd.from_dlpack(Nowhere(np.ones((0, 3), np.float32))).shape == (0, 3)


class Held:
    """A parameter of a module as kc.from_torch reads it."""

    layout = "torch.strided"

    def __init__(self, array: np.ndarray, **bits: bool) -> None:
        self.array, self.nbytes = array, array.nbytes
        for name, value in bits.items():
            setattr(self, f"is_{name}", value)

    def resolve_conj(self) -> Any:
        return self

    def resolve_neg(self) -> Any:
        return Held(-self.array) if getattr(self, "is_negative", False) else self

    def cpu(self) -> Any:
        return self

    contiguous = cpu

    def data_ptr(self) -> int:
        return 0 if getattr(self, "is_nowhere", False) else self.array.ctypes.data


def test_constants_of_modules():
    x = np.arange(4, dtype=np.float32)
    reader = Reader(None, None)
    assert reader.bytes_of("w", Held(x)) == x.tobytes()
    assert reader.bytes_of("w", Held(x, negative=True)) == (-x).tobytes()
    for bits, why, hint in (
        ({"sparse": True}, "w is a sparse tensor", "call to_dense() on it before the export"),
        ({"quantized": True}, "w is a quantized tensor",
         "call dequantize() on it before the export"),
        ({"meta": True}, "w is a meta tensor", "load the module's parameters before the export"),
        ({"nowhere": True}, "w has no memory: it is a Held", None),
    ):  # fmt: skip
        with pytest.raises(KCError) as caught:
            reader.bytes_of("w", Held(x, **bits))
        assert str(caught.value) == (
            "error[KC0091]: kc.from_torch: the exported program cannot be imported\n"
            f"  why: {why}" + (f"\n  try: {hint}" if hint else "")
        )


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.filterwarnings("ignore")
def test_tensors_of_torch():
    import torch  # pyright: ignore[reportMissingImports]
    from torch._subclasses import FakeTensorMode  # pyright: ignore[reportMissingImports]

    imaginary = torch.complex(torch.zeros(SIZE), torch.arange(1.0, 5.0)).conj().imag
    with FakeTensorMode():
        fake = torch.ones(SIZE)
    kinds = {
        "negative": (imaginary, "resolve_neg()"),
        "conjugate": (torch.ones(SIZE, dtype=torch.complex64).conj(), "resolve_conj()"),
        "sparse": (torch.ones(SIZE).to_sparse(), "to_dense()"),
        "quantized": (torch.quantize_per_tensor(torch.ones(SIZE), 0.1, 0, torch.quint8), ""),
        "meta": (torch.ones(SIZE, device="meta"), "torch.empty_like"),
        "fake": (fake, ""),
        "gradient": (torch.ones(SIZE, requires_grad=True), "detach()"),
    }
    function, out = copy_function(), np.zeros(SIZE, np.float32)
    uses: list[Callable[[Any], Any]] = [
        lambda x: function(x, out),
        lambda x: function(np.ones(SIZE, np.float32), x),
        kc.nd.array,
        kc.nd.from_dlpack,
        kc.nd.empty((SIZE,), "float32").copyfrom,
    ]
    for name, (tensor, hint) in kinds.items():
        for n, use in enumerate(uses):
            if name == "negative" and n == 1:
                continue  # refused for its strides first
            with pytest.raises(KCError) as caught:
                use(tensor)
            assert n or hint in str(caught.value), name
    function(imaginary.resolve_neg(), out)
    np.testing.assert_array_equal(out, [-1, -2, -3, -4])
