"""kc.nd and devices."""

from __future__ import annotations

import gc
import sys
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from call_kernels import Shared
from hypothesis import given
from hypothesis import strategies as st

import kc
from kc.runtime.signature import DTYPES
from kc.support.diagnostics import CallError, DeviceError

NUMPY_DTYPES = [dtype.name for dtype in DTYPES.values() if dtype.format is not None]
"""Without those of the package ml_dtypes."""


@given(
    shape=st.lists(st.integers(0, 4), max_size=4).map(tuple), dtype=st.sampled_from(NUMPY_DTYPES)
)
def test_round_trip(shape: tuple[int, ...], dtype: str) -> None:
    source = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    array = kc.nd.array(source)
    assert (array.shape, array.dtype, array.device) == (shape, dtype, kc.cpu(0))
    for back in (array.numpy(), array.asnumpy(), np.asarray(array), np.from_dlpack(array)):
        assert back.dtype == dtype
        np.testing.assert_array_equal(back, source)
    assert np.asarray(array).ctypes.data % 64 == 0
    assert np.asarray(array).flags.c_contiguous


def test_what_is_copied_and_what_is_shared() -> None:
    source = np.arange(6, dtype=np.float32).reshape(2, 3)
    array = kc.nd.array(source.T)
    source[:] = 0
    assert array.numpy().tolist() == [[0, 3], [1, 4], [2, 5]]
    array.numpy()[0, 0] = 9
    assert array.numpy()[0, 0] == 0
    np.asarray(array)[0, 0] = 7
    np.from_dlpack(array)[0, 1] = 8
    assert array.numpy()[0].tolist() == [7, 8]
    again = kc.nd.array(array)
    np.asarray(again)[0, 0] = 1
    assert array.numpy()[0, 0] == 7


def test_array_protocol() -> None:
    array = kc.nd.array(np.arange(3, dtype=np.int32))
    assert np.asarray(array, np.float64).tolist() == [0, 1, 2]
    assert not np.shares_memory(np.array(array), np.asarray(array))
    assert array.__array__(copy=True).tolist() == [0, 1, 2]
    assert array.__array__(np.int32, copy=False).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="a int32 array becomes float64 only by a copy"):
        array.__array__(np.float64, copy=False)
    assert len(array) == 3
    assert repr(array) == "<kc.nd.NDArray shape=(3,), cpu(0)>\narray([0, 1, 2], dtype=int32)"


@pytest.mark.parametrize("versioned", [True, False])
def test_from_dlpack_shares(versioned: bool) -> None:
    source = np.zeros(3, np.float32)
    array = kc.nd.from_dlpack(Shared(source, versioned=versioned))
    source[1] = 5
    assert array.numpy().tolist() == [0, 5, 0]
    assert np.asarray(array).flags.writeable == versioned


def test_from_dlpack_keeps_its_source_and_lets_it_go() -> None:
    class Tracked(np.ndarray):
        pass

    source = np.zeros(3, np.float32).view(Tracked)
    gone = weakref.ref(source)
    array = kc.nd.from_dlpack(source)
    del source
    gc.collect()
    assert gone() is not None
    del array
    gc.collect()
    assert gone() is None


def test_dlpack_export() -> None:
    array = kc.nd.array(np.arange(4, dtype=np.uint8))
    assert array.__dlpack_device__() == (1, 0)
    before = sys.getrefcount(array._array)
    assert "dltensor_versioned" in repr(array.__dlpack__(max_version=(1, 0)))
    after = sys.getrefcount(array._array)
    assert after == before


def test_empty() -> None:
    assert kc.nd.empty(3).shape == (3,)
    assert kc.nd.empty((2, np.int64(3)), np.int8).dtype == "int8"
    assert kc.nd.empty([], "bool", kc.cpu(0)).shape == ()
    assert kc.nd.empty((0, 5)).numpy().nbytes == 0
    assert kc.nd.empty(4, ">f4").numpy().dtype.isnative


def test_copies() -> None:
    a, b = kc.nd.array(np.arange(3.0)), kc.nd.empty(3, "float32")
    assert a.copyto(b) is b
    assert b.numpy().tolist() == [0, 1, 2]
    c = a.copyto(kc.cpu(0))
    a.copyfrom([7, 8, 9])
    assert (a.numpy().tolist(), c.numpy().tolist()) == ([7, 8, 9], [0, 1, 2])
    assert b.copyfrom(a) is b
    assert b.numpy().tolist() == [7, 8, 9]


def test_assigned_as_a_whole() -> None:
    a = kc.nd.empty((2, 3))
    a[:] = np.arange(6).reshape(2, 3)
    assert a.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    a[...] = 7
    assert a.numpy().tolist() == [[7] * 3] * 2
    scalar = kc.nd.empty((), "int8")
    scalar[:] = np.array(5)
    assert scalar.numpy() == 5


def assign(index: Any) -> None:
    kc.nd.empty((2, 3))[index] = 1


def frozen() -> Any:
    array = np.zeros(3, np.float32)
    array.flags.writeable = False
    return kc.nd.from_dlpack(array)


class OnDevice:
    def __init__(self, kind: int = 2) -> None:
        self.kind = kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.kind, 0)

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("the memory is on the device")


REFUSED: dict[str, tuple[Any, str]] = {
    "copy of another shape": (
        lambda: kc.nd.empty(3).copyfrom(np.zeros((3, 1))),
        "KC5124]: copy: the source has shape (3, 1), the array (3,)\n"
        "  why: a copy does not broadcast\n"
        "  try: np.broadcast_to(source, (3,))",
    ),
    "copy into read-only memory": (
        lambda: frozen().copyfrom(np.zeros(3)),
        "KC5125]: copy: the array is read-only\n"
        "   |  <kc.nd.NDArray shape=(3,), cpu(0)>\n"
        "  why: it shares the memory of an array that may not be written\n"
        "  try: copy into kc.nd.empty(shape, dtype)",
    ),
    "element": (
        lambda: assign((0, slice(1, None))),
        "KC5131]: an array can be overwritten only as a whole, not at [0, 1:]\n"
        "   |  <kc.nd.NDArray shape=(2, 3), cpu(0)>\n"
        "  why: elements are read and written through numpy\n"
        "  try: np.asarray(x)[0, 1:] = value, which shares the memory",
    ),
    "dtype": (
        lambda: kc.nd.array(np.zeros(3, np.complex64)),
        "KC5126]: arrays cannot have the dtype complex64\n"
        "  try: dtypes: bool, int8, int16, int32, int64, uint8, uint16, uint32, ... (15 in all)",
    ),
    "mistyped dtype": (
        lambda: kc.nd.empty(3, "flaot32"),
        "KC5126]: arrays cannot have the dtype flaot32\n"
        "  try: did you mean 'float32' or 'float64' or 'float16'?",
    ),
    "shared dtype": (
        lambda: kc.nd.from_dlpack(np.zeros(3, np.complex64)),
        "KC5126]: arrays cannot have the dtype complex64\n"
        "  try: dtypes: bool, int8, int16, int32, int64, uint8, uint16, uint32, ... (15 in all)",
    ),
    "shape": (
        lambda: kc.nd.empty((2, -1)),
        "KC5127]: (2, -1) is not a shape\n"
        "  why: a shape must be a tuple of sizes, which are integers of at least 0",
    ),
    "no DLPack": (
        lambda: kc.nd.from_dlpack([1]),
        "KC5128]: from_dlpack: list has no __dlpack__\n"
        "  try: kc.nd.array(x) copies anything that numpy.asarray takes",
    ),
    "not shared": (
        lambda: kc.nd.from_dlpack(OnDevice(4)),
        "KC5129]: from_dlpack: OnDevice cannot be shared with the CPU\n"
        "  why: the memory is on the device",
    ),
    "absent CPU": (
        lambda: kc.nd.empty(3, device=kc.cpu(1)),
        "KC6201]: there is no device cpu(1)\n   |  the CPU is one device, cpu(0)\n  try: kc.cpu(0)",
    ),
    "unknown device": (
        lambda: kc.device("gpu"),
        "KC6202]: there is no kind of device 'gpu'\n  try: the GPUs of NVIDIA are 'cuda'",
    ),
    "device without a name": (
        lambda: kc.device(" "),
        "KC6202]: there is no kind of device ' '\n"
        "  try: kinds of device: cpu, llvm, cuda-emu, cuda",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    act, text = REFUSED[case]
    with pytest.raises((CallError, DeviceError)) as caught:
        act()
    assert str(caught.value) == f"error[{text}"


@pytest.mark.parametrize(
    ("device", "text", "numbers"),
    [
        (kc.cpu(), "cpu(0)", (1, 0)),
        (kc.cuda(1), "cuda(1)", (2, 1)),
        (kc.device("llvm"), "cpu(0)", (1, 0)),
        (kc.device("llvm -mcpu=znver4"), "cpu(0)", (1, 0)),
        (kc.device("cuda", 2), "cuda(2)", (2, 2)),
        (kc.nd.device("cpu", 0), "cpu(0)", (1, 0)),
    ],
)
def test_devices(device: Any, text: str, numbers: tuple[int, int]) -> None:
    assert repr(device) == text
    assert (device.device_type, device.device_id) == numbers
    assert device == type(device)(*numbers)


NO_DRIVER = (
    "   |  cuda-bindings: it is not installed\n"
    "   |  the driver's library: libcuda.so.1 is not found\n"
    "   |  pycuda: it is not installed\n"
)


class Failing:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("it is gone")


@pytest.mark.parametrize(
    ("values", "dtype", "why", "hint"),
    [  # without the reason where that is a sentence of numpy's or Python's
        ("abc", "float32", None, None),
        (["abc"], "bool", None, None),
        (["1.5"], "int32", None, None),
        ({}, "float32", None, None),
        ([[1.0], [2.0, 3.0]], "float32", None, "give as many numbers in each row"),
        ([10**400], "float32", None, None),
        ([10**400, 1], "int32", None, None),
        ([10**30], "int32", None, None),
        ([None, 1], "float32", "None is not a real number", None),
        ([None], "int32", "None is not a real number", None),
        ([None], "bool", "None is not a real number", None),
        (
            np.array([np.complex64(1j), 1], object),
            "float32",
            f"{np.complex64(1j)!r} is not a real number",
            None,
        ),
        (1j, "float32", "its elements are complex128, not real numbers", None),
        (np.ones(2, "complex64"), "int32", "its elements are complex64, not real numbers", None),
        (
            np.array(["2020-01-01"], "datetime64[D]"),
            "float32",
            "its elements are datetime64[D], not real numbers",
            None,
        ),
        (
            np.zeros(2, [("a", "f4")]),
            "float32",
            "its elements are [('a', '<f4')], not real numbers",
            None,
        ),
        (Failing(), "float32", "it is gone", None),
    ],
)
def test_what_is_no_array_of_numbers(
    values: Any, dtype: str, why: str | None, hint: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KC_CUDA", "emu")
    for device in (kc.cpu(0), kc.cuda(0)):
        array = kc.nd.array(np.ones(2), device, dtype)
        uses = (
            array.copyfrom,
            lambda value: array.__setitem__(slice(None), value),  # noqa: B023
            lambda value: kc.nd.array(value, device, dtype),  # noqa: B023
        )
        for use in uses:
            with pytest.raises(CallError) as caught:
                use(values)
            first, reason, *rest = str(caught.value).splitlines()
            assert first == f"error[KC5135]: {type(values).__name__} is not an array of numbers"
            assert reason.startswith("  why: ")
            assert reason != "  why: "
            assert why is None or reason == f"  why: {why}"
            assert rest == ([] if hint is None else [f"  try: {hint}"])
        np.testing.assert_array_equal(array.numpy(), np.ones(2, dtype))


@pytest.mark.parametrize("values", [[10**400], [None], ["abc"], Failing()])
def test_what_is_no_array_of_numbers_of_any_dtype(values: Any) -> None:
    with pytest.raises(CallError, match=r"KC5135\]: \w+ is not an array of numbers\n"):
        kc.nd.array(values)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint64", "bfloat16"])
def test_texts_and_objects_that_are_numbers(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    for values in (["1", "2"], [b"1", b"2"], [Fraction(1), 2], np.array([1, 2], object)):
        array = kc.nd.array(values, dtype=dtype)
        assert array.dtype == dtype
        np.testing.assert_array_equal(array.numpy().astype("float64"), [1, 2])
        array[:] = values[1]
        np.testing.assert_array_equal(array.numpy().astype("float64"), [2, 2])
    # Not by way of float64.
    if dtype == "uint64":
        for value in (2**64 - 1, str(2**64 - 1)):
            assert kc.nd.array([value, Fraction(1)], dtype=dtype).numpy()[0] == 2**64 - 1
            assert kc.nd.array(value, dtype=dtype).numpy() == 2**64 - 1


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_narrow_floats_of_ml_dtypes_are_numbers(dtype: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    source = np.array([0.5, -2.0], getattr(ml_dtypes, dtype))
    np.testing.assert_array_equal(kc.nd.array(source, dtype="float32").numpy(), [0.5, -2.0])
    array = kc.nd.array(source)
    assert array.dtype == dtype
    array[:] = source[0]
    np.testing.assert_array_equal(array.numpy().astype("float32"), [0.5, 0.5])
    bits = np.asarray(source[1]).view(f"uint{8 * source.itemsize}")
    array[:] = bits
    np.testing.assert_array_equal(array.numpy().astype("float32"), [-2.0, -2.0])
    assert kc.nd.array(bits, dtype=dtype).shape == ()


@pytest.mark.parametrize("number", ["0", 1.5, None, True])
def test_devices_are_numbered(number: Any) -> None:
    for make, name in ((kc.cpu, "cpu"), (kc.cuda, "cuda")):
        with pytest.raises(DeviceError) as caught:
            make(number)
        assert str(caught.value) == (
            f"error[KC6201]: there is no device {name}({number!r})\n"
            f"  why: {number!r} is not an integer; the devices of a kind are numbered\n"
            f"  try: kc.{name}(0)"
        )
    assert kc.cuda(np.int64(1)) == kc.cuda(1)  # pyright: ignore[reportArgumentType]


def test_a_device_need_not_exist(no_driver: None) -> None:
    assert kc.cpu(0).exist
    assert not kc.cpu(1).exist
    assert not kc.cuda(0).exist
    assert not kc.runtime.enabled("cuda")
    with pytest.raises(DeviceError) as caught:
        kc.nd.array([1.0], kc.cuda(0))
    assert str(caught.value) == (
        "error[KC6201]: there is no device cuda(0)\n"
        + NO_DRIVER
        + "  try: KC_CUDA=emu in the environment: an emulated one, on this CPU\n"
        "  try: pip install 'kc-compiler[cuda]' brings cuda-bindings\n"
        "  try: NVIDIA's driver brings the library libcuda\n"
        "  try: kc.cpu(0)"
    )


def test_sharing_what_is_on_a_gpu_needs_a_driver(no_driver: None) -> None:
    with pytest.raises(DeviceError) as caught:
        kc.nd.from_dlpack(OnDevice())
    assert str(caught.value) == (
        "error[KC6021]: from_dlpack: the array is on a GPU, cuda(0), but none is usable "
        "here\n"
        + NO_DRIVER
        + '  try: KC_CUDA=emu in the environment, or target="cuda-emu", runs the same kernels on '
        "this CPU\n"
        "  try: pip install 'kc-compiler[cuda]' brings cuda-bindings\n"
        "  try: NVIDIA's driver brings the library libcuda"
    )


def test_a_device_of_another_kind() -> None:
    device = type(kc.cpu(0))(8, 0)
    assert not device.exist
    with pytest.raises(DeviceError) as caught:
        kc.nd.empty(3, "float32", device)
    assert str(caught.value) == (
        "error[KC6203]: kc.nd cannot allocate on metal(0)\n"
        "  why: arrays are in host memory or on a CUDA device\n"
        "  try: kc.cpu(0)\n"
        "  try: kc.cuda(0)"
    )


def test_the_cpu_has_no_streams() -> None:
    kc.cpu(0).sync()
    assert kc.cpu(0).warp_size is None
    with pytest.raises(DeviceError) as caught:
        kc.cpu(0).create_raw_stream()
    assert str(caught.value) == "error[KC6205]: cpu(0) has no streams\n  try: kc.cuda(0)"
