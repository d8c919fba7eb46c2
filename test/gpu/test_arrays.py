"""kc.nd arrays on a device: copies, and memory that is shared with others."""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pickle
import subprocess
import sys
import weakref
from typing import Any

import gpu_schedules
import numpy as np
import pytest
from fake_gpu import ALLOCS, FREES, SYNCHRONIZATIONS, FakeGpu
from gpu_schedules import random

import kc
from kc.runtime import dlpack
from kc.runtime.gpu import sharing
from kc.support.diagnostics import KCError


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["float32", "bool", "int8", "float16", "uint64"])
def test_round_trip(fake: FakeGpu, shape: tuple[int, ...], dtype: str):
    source = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    array = kc.nd.array(source, kc.cuda(0))
    assert (array.shape, array.dtype, array.device) == (shape, dtype, kc.cuda(0))
    assert isinstance(array, kc.nd.NDArray)
    values = array.numpy()
    assert values.dtype == source.dtype
    np.testing.assert_array_equal(values, source)
    if shape:
        assert len(array) == shape[0]


def test_narrow_floats(fake: FakeGpu):
    bits = np.array([0x3F80, 0x4000], np.uint16)
    array = kc.nd.array(bits, kc.cuda(0), dtype="bfloat16")
    assert array.dtype == "bfloat16"
    np.testing.assert_array_equal(array.numpy().astype("float32"), [1.0, 2.0])
    view = dlpack.read(array.__dlpack__())
    assert (view.code, view.bits) == (4, 16)


def test_copies(fake: FakeGpu):
    fake.configure(devices=2)
    host = random(3, 4)
    x = kc.nd.array(host, kc.cuda(0))
    y = kc.nd.empty((3, 4), "float32", kc.cuda(0))
    waited = fake.count(SYNCHRONIZATIONS)
    assert x.copyto(y) is y
    assert fake.count(SYNCHRONIZATIONS) == waited, "a copy on a device is queued"
    np.testing.assert_array_equal(y.numpy(), host)
    z = x.copyto(kc.cuda(1))
    assert z.device == kc.cuda(1)
    np.testing.assert_array_equal(z.numpy(), host)
    back = x.copyto(kc.cpu(0))
    np.testing.assert_array_equal(np.asarray(back), host)
    y[:] = 2.0
    np.testing.assert_array_equal(y.numpy(), np.full((3, 4), 2, "float32"))
    y[...] = z
    np.testing.assert_array_equal(y.numpy(), host)
    wide = kc.nd.empty((3, 4), "float64", kc.cuda(0)).copyfrom(x)
    np.testing.assert_array_equal(wide.numpy(), host.astype("float64"))
    transposed = kc.nd.array(host.T, kc.cuda(0))
    np.testing.assert_array_equal(transposed.numpy(), host.T)
    assert repr(y).startswith("<kc.nd.NDArray shape=(3, 4), cuda(0)>\narray([[ 0.125730")


def test_memory_is_given_back(fake: FakeGpu):
    before = fake.count(ALLOCS) - fake.count(FREES)
    for _ in range(10):
        kc.nd.array(random(1000), kc.cuda(0))
    gc.collect()
    kc.cuda(0).sync()
    assert fake.count(ALLOCS) - fake.count(FREES) == before


def test_copies_by_python(fake: FakeGpu):
    """As of an array on the CPU: shallow ones share the memory, which is given back once."""
    before = fake.count(ALLOCS) - fake.count(FREES)
    array = kc.nd.array(random(100), kc.cuda(0))
    shallow, deep = copy.copy(array), copy.deepcopy(array)
    again = pickle.loads(pickle.dumps(array))
    array[:] = 2.0
    np.testing.assert_array_equal(shallow.numpy(), np.full(100, 2, "float32"))
    for each in (deep, again):
        assert each.device == kc.cuda(0)
        np.testing.assert_array_equal(each.numpy(), random(100))
    del array
    gc.collect()
    kc.nd.array(np.ones(100, "float32"), kc.cuda(0))  # would take the memory
    np.testing.assert_array_equal(shallow.numpy(), np.full(100, 2, "float32"))
    del shallow, deep, again, each
    gc.collect()
    for _ in range(2):  # what is kept until all is done, and then its memory
        kc.cuda(0).sync()
    assert fake.count(ALLOCS) - fake.count(FREES) == before


def test_a_part_is_not_overwritten(fake: FakeGpu):
    array = kc.nd.array(random(3), kc.cuda(0))
    with pytest.raises(KCError) as caught:
        array[1] = 2.0
    assert str(caught.value) == (
        "error[KC5131]: an array can be overwritten only as a whole, not at [1]\n"
        "   |  <kc.nd.NDArray shape=(3,), cuda(0)>\n"
        "  why: elements are read and written through numpy\n"
        "  try: y = x.numpy(), then y[1] = value, then x[:] = y"
    )


@pytest.mark.parametrize("use", ["set_raw_stream", "sync", "free_raw_stream"])
@pytest.mark.parametrize("stream", ["1", -1, True, 1.0])
def test_what_is_no_stream(fake: FakeGpu, use: str, stream: Any):
    device = kc.cuda(0)
    with pytest.raises(KCError) as caught:
        getattr(device, use)(stream)
    assert str(caught.value) == (
        f"error[KC6206]: cuda(0): {stream!r} is not a stream\n"
        "  why: a stream is a number: what create_raw_stream returns, 0 for the default stream, or "
        "the handle of another library's\n"
        "  try: torch.cuda.current_stream().cuda_stream is such a handle"
    )
    with pytest.raises(KCError, match="KC6206"):
        device.sync_stream_to_stream(0, stream)
    assert fake.library.fake_depth() == 0


def test_streams_are_freed_once(fake: FakeGpu):
    """The driver might end the process."""
    device = kc.cuda(0)
    stream = device.create_raw_stream()
    device.set_raw_stream(stream)
    device.free_raw_stream(stream)
    expected = (
        "error[KC6206]: cuda(0): stream {} cannot be freed\n"
        "  why: it is not from create_raw_stream, or was already freed\n"
        "  try: "
    )
    elsewhere = "a stream of another library is freed there"
    default = "leave it out: 0 is the default stream, which is not freed"
    for number, hint in ((stream, elsewhere), (12345, elsewhere), (0, default)):
        with pytest.raises(KCError) as caught:
            device.free_raw_stream(number)
        assert str(caught.value) == expected.format(number) + hint
    array = kc.nd.array(random(3), device)  # in the default stream, which is the current one
    np.testing.assert_array_equal(array.numpy(), random(3))


@pytest.mark.parametrize("options", [{}, {"copy": False}])
def test_a_consumer_that_refuses_the_memory(
    fake: FakeGpu, options: dict[str, Any], capfd: pytest.CaptureFixture[str]
):
    """numpy drops the capsule with its error set, in which no code of Python may run."""
    array = kc.nd.array(random(3), kc.cuda(0))
    before = len(sharing._exported)
    with pytest.raises(RuntimeError, match="Unsupported device in DLTensor"):
        np.from_dlpack(array, **options)
    assert len(sharing._exported) == before
    assert capfd.readouterr().err == ""


class Consumer:
    """A consumer of capsules like torch and cupy: it takes a capsule over, and finally calls its
    deleter.
    """

    def __init__(self, array: Any, **options: Any) -> None:
        self.capsule = array.__dlpack__(**options)
        self.view = dlpack.read(self.capsule)
        api = ctypes.pythonapi
        get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
        self.versioned = self.view.readonly is not None
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        self.tensor = get(("PyCapsule_GetPointer", api))(self.capsule, name)
        rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
        self.name = b"used_" + name
        rename(("PyCapsule_SetName", api))(self.capsule, self.name)

    def close(self) -> None:
        offset = 16 if self.versioned else dlpack.PLAIN_WITH_DELETER.size - 8
        address = ctypes.c_void_p.from_address(self.tensor + offset).value
        assert address is not None
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(self.tensor)


@pytest.mark.parametrize("options", [{}, {"max_version": (1, 0)}, {"max_version": (2, 3)}])
def test_sharing_by_dlpack(fake: FakeGpu, options: dict[str, Any]):
    array = kc.nd.array(random(3, 4), kc.cuda(0))
    assert array.__dlpack_device__() == (2, 0)
    address = array.__cuda_array_interface__["data"][0]  # pyright: ignore[reportAttributeAccessIssue]
    consumer = Consumer(array, stream=1, **options)
    view = consumer.view
    assert (view.address, view.device_type, view.device_id) == (address, 2, 0)
    assert (view.code, view.bits, view.lanes) == (2, 32, 1)
    assert (view.shape, view.strides) == ((3, 4), (4, 1))
    assert view.readonly is (False if options else None)
    alive = weakref.ref(array)
    del array
    gc.collect()
    assert alive() is not None, "the consumer has the memory"
    consumer.close()
    gc.collect()
    assert alive() is None


def test_a_capsule_that_nobody_takes(fake: FakeGpu):
    array = kc.nd.array(random(3), kc.cuda(0))
    capsule = array.__dlpack__()
    alive = weakref.ref(array)
    del array
    gc.collect()
    assert alive() is not None
    del capsule
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    "keep",
    [
        "holder = type('Holder', (), {})(); holder.holder, holder.capsule = holder, capsule",
        "collections.capsule = capsule",
        "logging.getLogger('keeps').capsule = capsule",
    ],
)
@pytest.mark.parametrize("options", ["", "max_version=(1, 0)"])
def test_a_capsule_that_outlives_the_modules(keep: str, options: str):
    """The process ends as if there was none."""
    program = f"""
import collections, logging
import numpy, kc
array = kc.nd.array(numpy.ones(4, "float32"), kc.cuda(0))
capsule = array.__dlpack__({options})
{keep}
del array, capsule
"""
    environment = {**os.environ, "KC_CUDA": "emu"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_dlpack_cannot_be_asked_for(fake: FakeGpu):
    array = kc.nd.array(random(3), kc.cuda(0))
    with pytest.raises(BufferError, match=r"the array is on cuda\(0\); x.copyto\(device\)"):
        array.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match=r"the array shares its memory"):
        array.__dlpack__(copy=True)
    with pytest.raises(KCError) as caught:
        np.asarray(array)
    assert str(caught.value) == (
        "error[KC5133]: numpy cannot share the memory of an array on cuda(0)\n"
        "  why: it is not host memory\n"
        "  try: x.numpy() is a copy"
    )


class Producer:
    """An array of another library on a device: DLPack with its streams, and nothing of kc's."""

    def __init__(self, array: Any, readonly: bool = False) -> None:
        self.array = array
        self.readonly = readonly
        self.streams: list[int | None] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream, **options)


class Interfaced:
    """An array with `__cuda_array_interface__` alone, as numba's."""

    def __init__(self, array: Any, **changes: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


@pytest.mark.parametrize("wrap", [Producer, Interfaced])
def test_kernels_take_arrays_of_others(fake: FakeGpu, wrap: Any):
    module = fake.build(*gpu_schedules.add())
    host = random(100)
    for _ in range(3):  # by Python, and by generated code, which leaves them to it
        a, c = kc.nd.array(host, kc.cuda(0)), kc.nd.array(0 * host, kc.cuda(0))
        module(wrap(a), a, wrap(c))
        np.testing.assert_array_equal(c.numpy(), 2 * host)
        result = module(wrap(a), wrap(a))
        assert result.device == kc.cuda(0)
        np.testing.assert_array_equal(result.numpy(), 2 * host)
        module["main"].prepare(wrap(a), wrap(a), c)()
        np.testing.assert_array_equal(c.numpy(), 2 * host)


def test_the_stream_is_told_to_the_producer(fake: FakeGpu):
    device = kc.cuda(0)
    module = fake.build(*gpu_schedules.add())
    a = kc.nd.array(random(10), device)
    producer = Producer(a)
    module(producer, a)
    stream = device.create_raw_stream()
    device.set_raw_stream(stream)
    module(producer, a)
    device.set_raw_stream(0)
    assert producer.streams == [1, stream]
    device.free_raw_stream(stream)


def test_what_others_queued_comes_first(fake: FakeGpu):
    """`stream` of the CUDA array interface: kc waits for it, and is waited for."""
    device = kc.cuda(0)
    module = fake.build(*gpu_schedules.add())
    host = random(100)
    a, c = kc.nd.empty((100,), "float32", device), kc.nd.array(0 * host, device)
    stream = device.create_raw_stream()
    device.set_raw_stream(stream)
    source = kc.nd.array(host, device)
    a.copyfrom(source)  # queued in the stream
    array = Interfaced(a)
    assert array.__cuda_array_interface__["stream"] == stream
    device.set_raw_stream(0)
    assert a.__cuda_array_interface__["stream"] == 1  # pyright: ignore[reportAttributeAccessIssue]
    module(array, array, c)
    np.testing.assert_array_equal(c.numpy(), 2 * host)
    device.free_raw_stream(stream)


@pytest.mark.parametrize("wrap", [Producer, Interfaced])
def test_what_others_own_is_kept_until_it_is_done(fake: FakeGpu, wrap: Any):
    device = kc.cuda(0)
    module = fake.build(*gpu_schedules.add())
    a, c = kc.nd.array(random(100), device), kc.nd.empty((100,), "float32", device)
    module(a, a, c)
    device.sync()
    foreign = wrap(a)
    alive = weakref.ref(foreign)
    module(foreign, a, c)
    del foreign
    gc.collect()
    assert alive() is not None, "the kernel is queued"
    device.sync()
    gc.collect()
    assert alive() is None
    foreign = wrap(a)
    alive = weakref.ref(foreign)
    run = module["main"].prepare(foreign, a, c)
    run()
    del foreign, run
    gc.collect()
    assert alive() is not None, "the prepared call is queued"
    device.sync()
    gc.collect()
    assert alive() is None


def test_from_dlpack(fake: FakeGpu):
    host = random(3, 4)
    array = kc.nd.array(host, kc.cuda(0))
    producer = Producer(array)
    shared = kc.nd.from_dlpack(producer)
    assert shared.device == kc.cuda(0)
    np.testing.assert_array_equal(shared.numpy(), host)
    shared[:] = 5.0
    np.testing.assert_array_equal(array.numpy(), np.full((3, 4), 5, "float32"))
    alive = weakref.ref(producer)
    del producer
    gc.collect()
    assert alive() is not None
    before = fake.count(FREES)
    del shared
    kc.cuda(0).sync()
    gc.collect()
    assert alive() is None
    assert fake.count(FREES) == before, "the memory is the producer's"


def refused(act: Any) -> str:
    with pytest.raises(KCError) as caught:
        act()
    return str(caught.value)


def test_arrays_of_others_that_do_not_fit(fake: FakeGpu):
    module = fake.build(*gpu_schedules.add())
    device = kc.cuda(0)
    a = kc.nd.array(random(10), device)
    assert refused(lambda: module(a, a, Interfaced(a, data=(a.address, True)))) == (  # pyright: ignore[reportAttributeAccessIssue]
        "error[KC5113]: main: argument 3 'C' is written by the kernel, but its producer shared it "
        "read-only\n"
        "   |  came: test_arrays.Interfaced float32[10], read-only\n"
        "   |  expected: C: out float32[n]\n"
        '  try: pass kc.nd.empty(C.shape, "float32", kc.cuda(0)) and copy the result back'
    )
    assert refused(lambda: module(Interfaced(a, strides=(8,), shape=(5,)), a, a)) == (
        "error[KC5111]: main: argument 1 'A' is not C-contiguous\n"
        "   |  came: test_arrays.Interfaced float32[5] with strides of [8] bytes\n"
        "   |  expected: A: float32[n]\n"
        "  why: kernels address dense row-major memory: strides of [4] bytes\n"
        "  try: pass a dense copy of A\n"
        '  try: or build with binds={A: tir.decl_buffer(..., strides=[te.var("s0")])}'
    )
    assert refused(lambda: module(Interfaced(a, mask=a), a, a)) == (
        "error[KC5117]: main: argument 1 'A' is a masked array\n"
        "   |  expected: A: float32[n]\n"
        "  why: a kernel would compute with the masked elements as well"
    )
    assert refused(lambda: module(Interfaced(a, shape=None), a, a)) == (
        "error[KC5116]: main: argument 1 'A' cannot be shared: "
        "test_arrays.Interfaced.__cuda_array_interface__ failed\n"
        "   |  expected: A: float32[n]\n"
        "  why: TypeError: 'NoneType' object is not iterable"
    )


def test_a_view_that_is_not_dense(fake: FakeGpu):
    class Strided(Producer):
        def __dlpack__(self, **options: Any) -> Any:
            capsule = super().__dlpack__(**options)
            view = dlpack.read(capsule)
            get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
            name = b"dltensor" if view.readonly is None else b"dltensor_versioned"
            tensor = get(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, name)
            start = tensor + (0 if view.readonly is None else dlpack.VERSIONED.size - 48)
            strides = ctypes.c_void_p.from_address(start + 32).value
            assert strides is not None
            ctypes.c_int64.from_address(strides).value = 8
            return capsule

    array = kc.nd.array(random(3, 4), kc.cuda(0))
    assert refused(lambda: kc.nd.from_dlpack(Strided(array))) == (
        "error[KC5134]: from_dlpack: test_arrays.Strided float32[3, 4] with strides of [32, 4] "
        "bytes is not C-contiguous\n"
        "  why: arrays of kc.nd on a device are dense\n"
        "  try: share x.contiguous()"
    )
