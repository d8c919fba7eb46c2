"""Calls that are refused: the whole text of each error, by both paths, and nothing has run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from call_kernels import Recorder, Shared, array, scalar

import kc
from kc.runtime import Signature, arguments, dlpack
from kc.runtime.signature import AffineDim
from kc.support.diagnostics import CallError

F32 = np.float32
ADD = Signature(
    "add",
    (
        array("A", "float32", "n"),
        array("B", "float32", "n"),
        array("C", "float32", "n", role="out"),
    ),
    ("n",),
)
MIX = Signature(
    "mix",
    (
        array("A", "float32", "n", 8, alignment=32),
        array("B", "float32", AffineDim.add("n", 2), AffineDim.floordiv("n", "m"), role="out"),
        scalar("m", "int32", "m"),
        scalar("k", "uint8"),
        scalar("s", "float32"),
        scalar("flag", "bool"),
        array("M", "bool", role="inout", alignment=64),
    ),
    ("n", "m"),
)


def a() -> np.ndarray:
    return np.zeros(4, F32)


def frozen() -> np.ndarray:
    array = a()
    array.flags.writeable = False
    return array


def foreign(module: str, name: str, **members: Any) -> Any:
    """An object of a class of another library."""
    return type(name, (), {"__module__": module, **members})()


def torch_tensor(**members: Any) -> Any:
    def share(self: Any, **options: Any) -> Any:
        return self.source.__dlpack__(**options)

    def device(self: Any) -> tuple[int, int]:
        return (1, 0)

    return foreign("torch", "Tensor", __dlpack__=share, __dlpack_device__=device, **members)


def requires_grad(self: Any, **options: Any) -> Any:
    raise BufferError("tensors that require gradient cannot be exported")


def on_meta(self: Any, **options: Any) -> Any:
    raise ValueError("Unknown device type meta for Dlpack")


def conjugated(self: Any, **options: Any) -> Any:
    raise BufferError("Can't export tensors with the conjugate bit set")


def on_cuda_3(self: Any, **options: Any) -> Any:
    return Shared(a(), placed=(2, 3)).__dlpack__(**options)


def offset(count: int, offset: int, total: int = 512) -> np.ndarray:
    """float32 memory that starts ``offset`` bytes after a multiple of 64."""
    raw = np.zeros(total, np.uint8)
    start = -raw.ctypes.data % 64 + offset
    return raw[start : start + 4 * count].view(F32)


def shared(offset_of_c: int) -> tuple[np.ndarray, ...]:
    whole = np.zeros(10, F32)
    return whole[:4], a(), whole[offset_of_c : offset_of_c + 4]


def mix(**changes: Any) -> tuple[Any, ...]:
    values = {
        "A": kc.nd.array(np.zeros((4, 8), F32)),
        "B": kc.nd.empty((6, 2)),
        "m": 2,
        "k": 7,
        "s": 1.5,
        "flag": True,
        "M": kc.nd.empty((), "bool"),
    }
    return tuple({**values, **changes}.values())


A_IS = "\n   |  expected: A: float32[n]"
B_IS = "\n   |  expected: B: float32[n]"
C_IS = "\n   |  expected: C: out float32[n]"
ADD_IS = "\n   |  the kernel: add(A: float32[n], B: float32[n], C: out float32[n])"
TAKES = "\n  why: a kernel takes numpy arrays, kc.nd arrays and objects with __dlpack__"
NOALIAS = (
    "\n  why: kernels are compiled with noalias: an array that is written may share no byte with "
    "another argument"
)
DEVICE = "\n  why: a CPU kernel cannot read the memory of another device"
DECLARE = '\n  try: or build with binds={{{}: tir.decl_buffer(..., strides=[te.var("s0")])}}'
DENSE = "\n  why: kernels address dense row-major memory: strides of [4] bytes"
COPY_BACK = "\n  try: pass np.empty(C.shape, np.float32) and copy the result back"

CASES: dict[str, tuple[Signature, Any, str]] = {
    "too few": (
        ADD,
        lambda: (a(), a()),
        "KC5101]: add: 2 arguments given, 3 expected" + ADD_IS + "\n"
        "  why: outputs are passed by the caller as well",
    ),
    "one": (
        ADD,
        lambda: (a(),),
        "KC5101]: add: 1 argument given, 3 expected" + ADD_IS + "\n"
        "  why: outputs are passed by the caller as well",
    ),
    "too many": (
        ADD,
        lambda: (a(), a(), a(), a()),
        "KC5101]: add: 4 arguments given, 3 expected" + ADD_IS,
    ),
    "list": (
        ADD,
        lambda: (a(), [1.0], a()),
        "KC5103]: add: argument 2 'B' is a list, expected an array" + B_IS + TAKES + "\n"
        "  try: pass np.asarray(B, np.float32)",
    ),
    "list for an output": (
        ADD,
        lambda: (a(), a(), [1.0]),
        "KC5103]: add: argument 3 'C' is a list, expected an array" + C_IS + TAKES + "\n"
        "  try: pass a numpy array of float32 and copy the result back",
    ),
    "numpy scalar": (
        ADD,
        lambda: (np.float32(1), a(), a()),
        "KC5103]: add: argument 1 'A' is a numpy.float32, expected an array" + A_IS + TAKES + "\n"
        "  try: pass np.asarray(A, np.float32)",
    ),
    "none": (
        ADD,
        lambda: (None, a(), a()),
        "KC5103]: add: argument 1 'A' is None, expected an array" + A_IS + TAKES,
    ),
    "objects": (
        ADD,
        lambda: (a(), a().astype(object), a()),
        "KC5104]: add: argument 2 'B' is an array of Python objects\n"
        "   |  came: numpy.ndarray object[4]" + B_IS + "\n"
        "  why: a kernel needs the float32 elements themselves in memory\n"
        "  try: pass B.astype(np.float32)",
    ),
    "byte order": (
        ADD,
        lambda: (a(), a().astype(np.dtype(F32).newbyteorder()), a()),
        "KC5105]: add: argument 2 'B' is byte-swapped, expected the byte order of this machine\n"
        "   |  came: numpy.ndarray byte-swapped float32[4]" + B_IS + "\n"
        "  try: pass B.astype(np.float32)",
    ),
    "dtype": (
        ADD,
        lambda: (a(), a().astype(np.float64), a()),
        "KC5106]: add: argument 2 'B' has dtype float64, expected float32\n"
        "   |  came: numpy.ndarray float64[4]" + B_IS + "\n"
        "  try: pass B.astype(np.float32)",
    ),
    "dtype of an output": (
        ADD,
        lambda: (a(), a(), a().astype(np.int64)),
        "KC5106]: add: argument 3 'C' has dtype int64, expected float32\n"
        "   |  came: numpy.ndarray int64[4]" + C_IS + COPY_BACK,
    ),
    "dtype of a bool": (
        MIX,
        lambda: mix(M=kc.nd.empty((), "uint8")),
        "KC5106]: mix: argument 7 'M' has dtype uint8, expected bool\n"
        "   |  came: kc.NDArray uint8[]\n"
        "   |  expected: M: inout bool[]\n"
        "  try: pass M.astype(np.bool_) and copy the result back",
    ),
    "dtype of a tensor": (
        ADD,
        lambda: (a(), torch_tensor(source=a().astype(np.float64)), a()),
        "KC5106]: add: argument 2 'B' has dtype float64, expected float32\n"
        "   |  came: torch.Tensor float64[4]" + B_IS + "\n"
        "  try: pass B.to(torch.float32)",
    ),
    "dtype that no kernel has": (
        ADD,
        lambda: (a(), Shared(a().astype(np.complex64)), a()),
        "KC5106]: add: argument 2 'B' has dtype complex64, expected float32\n"
        "   |  came: call_kernels.Shared complex64[4]" + B_IS + "\n"
        "  try: pass B.astype(np.float32)",
    ),
    "rank": (
        ADD,
        lambda: (a(), a().reshape(2, 2), a()),
        "KC5107]: add: argument 2 'B' has rank 2, expected 1\n"
        "   |  came: numpy.ndarray float32[2, 2]" + B_IS + "\n"
        "  try: pass B.reshape(-1)",
    ),
    "rank, no reshape": (
        MIX,
        lambda: mix(A=np.zeros(12, F32)),
        "KC5107]: mix: argument 1 'A' has rank 1, expected 2\n"
        "   |  came: numpy.ndarray float32[12]\n"
        "   |  expected: A: float32[n, 8]",
    ),
    "constant size": (
        MIX,
        lambda: mix(A=np.zeros((4, 7), F32)),
        "KC5108]: mix: argument 1 'A' has size 7 in dimension 1, expected 8\n"
        "   |  came: numpy.ndarray float32[4, 7]\n"
        "   |  expected: A: float32[n, 8]",
    ),
    "symbol": (
        ADD,
        lambda: (a(), np.zeros(5, F32), a()),
        "KC5109]: add: argument 2 'B' disagrees with argument 1 'A' on n: "
        "B.shape[0] is 5, A.shape[0] is 4\n"
        "   |  came: numpy.ndarray float32[5]" + B_IS,
    ),
    "derived size": (
        MIX,
        lambda: mix(B=kc.nd.empty((7, 2))),
        "KC5110]: mix: argument 2 'B' has size 7 in dimension 0, expected n + 2, which is 6\n"
        "   |  came: kc.NDArray float32[7, 2]\n"
        "   |  expected: B: out float32[n + 2, n floordiv m]\n"
        "  why: n is 4, from argument 1 'A'",
    ),
    "undefined size": (
        MIX,
        lambda: mix(m=-1),
        "KC5110]: mix: argument 2 'B' has size 2 in dimension 1, expected n floordiv m, "
        "which is undefined\n"
        "   |  came: kc.NDArray float32[6, 2]\n"
        "   |  expected: B: out float32[n + 2, n floordiv m]\n"
        "  why: n is 4, from argument 1 'A'; m is -1, from argument 3 'm'",
    ),
    "strided": (
        ADD,
        lambda: (a(), np.zeros(8, F32)[::2], a()),
        "KC5111]: add: argument 2 'B' is not C-contiguous\n"
        "   |  came: numpy.ndarray float32[4] with strides of [8] bytes"
        + B_IS
        + DENSE
        + "\n  try: pass np.ascontiguousarray(B)"
        + DECLARE.format("B"),
    ),
    "strided output": (
        ADD,
        lambda: (a(), a(), a()[::-1]),
        "KC5111]: add: argument 3 'C' is not C-contiguous\n"
        "   |  came: numpy.ndarray float32[4] with strides of [-4] bytes"
        + C_IS
        + DENSE
        + COPY_BACK
        + DECLARE.format("C"),
    ),
    "strided tensor": (
        ADD,
        lambda: (a(), torch_tensor(source=np.zeros(8, F32)[::2]), a()),
        "KC5111]: add: argument 2 'B' is not C-contiguous\n"
        "   |  came: torch.Tensor float32[4] with strides of [8] bytes"
        + B_IS
        + DENSE
        + "\n  try: pass B.contiguous()"
        + DECLARE.format("B"),
    ),
    "misaligned": (
        MIX,
        lambda: mix(A=offset(32, 16).reshape(4, 8)),
        "KC5112]: mix: argument 1 'A' lies at an address that is 16 modulo 32, "
        "expected a multiple of 32\n"
        "   |  came: numpy.ndarray float32[4, 8]\n"
        "   |  expected: A: float32[n, 8]\n"
        "  why: kernels use aligned loads and stores\n"
        "  try: pass kc.nd.array(A)",
    ),
    "misaligned inout": (
        MIX,
        lambda: mix(M=offset(1, 8).view(np.bool_)[:1].reshape(())),
        "KC5112]: mix: argument 7 'M' lies at an address that is 8 modulo 64, "
        "expected a multiple of 64\n"
        "   |  came: numpy.ndarray bool[]\n"
        "   |  expected: M: inout bool[]\n"
        "  why: kernels use aligned loads and stores\n"
        "  try: pass kc.nd.array(M) and copy the result back",
    ),
    "misaligned elements of an output": (
        ADD,
        lambda: (a(), a(), offset(4, 3)),
        "KC5112]: add: argument 3 'C' lies at an address that is 3 modulo 4, "
        "expected a multiple of 4\n"
        "   |  came: numpy.ndarray float32[4]" + C_IS + "\n"
        "  why: kernels use aligned loads and stores\n"
        '  try: pass kc.nd.empty(C.shape, "float32") and copy the result back',
    ),
    "read-only output": (
        ADD,
        lambda: (a(), a(), frozen()),
        "KC5113]: add: argument 3 'C' is written by the kernel, "
        "but its writeable flag is not set\n"
        "   |  came: numpy.ndarray float32[4], read-only" + C_IS + "\n"
        "  try: pass np.empty(C.shape, np.float32) and copy the result back",
    ),
    "read-only output by DLPack": (
        ADD,
        lambda: (a(), a(), Shared(frozen())),
        "KC5113]: add: argument 3 'C' is written by the kernel, "
        "but its producer shared it read-only\n"
        "   |  came: call_kernels.Shared float32[4], read-only" + C_IS + "\n"
        "  try: pass np.empty(C.shape, np.float32) and copy the result back",
    ),
    "output by DLPack before 1.0": (
        ADD,
        lambda: (a(), a(), Shared(a(), versioned=False)),
        "KC5113]: add: argument 3 'C' is written by the kernel, "
        "but its producer does not say that it may be written (DLPack before 1.0)\n"
        "   |  came: call_kernels.Shared float32[4], read-only" + C_IS + "\n"
        "  try: pass np.empty(C.shape, np.float32) and copy the result back",
    ),
    "output is an input": (
        ADD,
        lambda: (a(), *[a()] * 2),
        "KC5114]: add: argument 3 'C' is written and overlaps argument 2 'B'\n"
        "   |  C: numpy.ndarray float32[4]\n"
        "   |  B: numpy.ndarray float32[4]\n"
        "   |  shared: 16 bytes, from byte 0 of C and byte 0 of B" + NOALIAS + "\n"
        "  try: pass np.empty_like(C) as C",
    ),
    "output overlaps the end of an input": (
        ADD,
        lambda: shared(3),
        "KC5114]: add: argument 3 'C' is written and overlaps argument 1 'A'\n"
        "   |  C: numpy.ndarray float32[4]\n"
        "   |  A: numpy.ndarray float32[4]\n"
        "   |  shared: 4 bytes, from byte 0 of C and byte 12 of A" + NOALIAS + "\n"
        "  try: pass np.empty_like(C) as C",
    ),
    "other device": (
        ADD,
        lambda: (a(), Shared(a(), device=(2, 1)), a()),
        "KC5115]: add: argument 2 'B' is on cuda(1), the kernel runs on cpu(0)"
        + B_IS
        + DEVICE
        + "\n  try: pass a copy of B on the CPU",
    ),
    "tensor on another device": (
        ADD,
        lambda: (
            foreign("torch", "Tensor", __dlpack__=None, __dlpack_device__=lambda self: (2, 0)),
            a(),
            a(),
        ),
        "KC5115]: add: argument 1 'A' is on cuda(0), the kernel runs on cpu(0)"
        + A_IS
        + DEVICE
        + "\n  try: pass A.cpu()",
    ),
    "CUDA array without DLPack": (
        ADD,
        lambda: (a(), a(), foreign("numba.cuda", "DeviceArray", __cuda_array_interface__={})),
        "KC5115]: add: argument 3 'C' is on a CUDA device, the kernel runs on cpu(0)"
        + C_IS
        + DEVICE
        + "\n  try: pass a numpy array of float32 and copy the result back",
    ),
    "tensor that cannot be shared": (
        ADD,
        lambda: (
            a(),
            a(),
            foreign("torch", "Tensor", __dlpack__=requires_grad),
        ),
        "KC5116]: add: argument 3 'C' cannot be shared: torch.Tensor.__dlpack__ failed"
        + C_IS
        + "\n  why: BufferError: tensors that require gradient cannot be exported\n"
        "  try: pass C.detach()",
    ),
    "tensor without elements": (
        ADD,
        lambda: (a(), a(), foreign("torch", "Tensor", __dlpack__=on_meta, is_meta=True)),
        "KC5116]: add: argument 3 'C' cannot be shared: torch.Tensor.__dlpack__ failed"
        + C_IS
        + "\n  why: ValueError: Unknown device type meta for Dlpack\n"
        '  try: pass torch.empty_like(C, device="cpu")',
    ),
    "tensor to be conjugated": (
        ADD,
        lambda: (a(), a(), foreign("torch", "Tensor", __dlpack__=conjugated)),
        "KC5116]: add: argument 3 'C' cannot be shared: torch.Tensor.__dlpack__ failed"
        + C_IS
        + "\n  why: BufferError: Can't export tensors with the conjugate bit set\n"
        "  try: pass C.resolve_conj()",
    ),
    "device without DLPack": (
        ADD,
        lambda: (
            foreign("torch", "Tensor", __dlpack__=None, __dlpack_device__=requires_grad),
            a(),
            a(),
        ),
        "KC5116]: add: argument 1 'A' cannot be shared: torch.Tensor.__dlpack__ failed"
        + A_IS
        + "\n  why: BufferError: tensors that require gradient cannot be exported\n"
        "  try: pass A.detach()",
    ),
    "device told by the capsule alone": (
        ADD,
        lambda: (a(), foreign("lib", "Array", __dlpack__=on_cuda_3), a()),
        "KC5115]: add: argument 2 'B' is on cuda(3), the kernel runs on cpu(0)"
        + B_IS
        + DEVICE
        + "\n  try: pass a copy of B on the CPU",
    ),
    "no capsule": (
        ADD,
        lambda: (foreign("lib", "Array", __dlpack__=lambda self, **options: 3), a(), a()),
        "KC5116]: add: argument 1 'A' cannot be shared: lib.Array.__dlpack__ failed"
        + A_IS
        + "\n  why: ValueError: __dlpack__() gave no fresh DLPack capsule\n"
        "  try: pass np.array(A)",
    ),
    "newer DLPack": (
        ADD,
        lambda: (Shared(a(), major=2), a(), a()),
        "KC5116]: add: argument 1 'A' cannot be shared: call_kernels.Shared.__dlpack__ failed"
        + A_IS
        + "\n  why: ValueError: DLPack 2.0, at most 1.x is known\n"
        "  try: pass np.array(A)",
    ),
    "masked": (
        ADD,
        lambda: (np.ma.array(a()), a(), a()),
        "KC5117]: add: argument 1 'A' is a masked array" + A_IS + "\n"
        "  why: a kernel would compute with the masked elements as well\n"
        "  try: pass A.filled(value)",
    ),
    "float for an integer": (
        MIX,
        lambda: mix(m=2.0),
        "KC5118]: mix: argument 3 'm' is 2.0 (float), expected an integer\n"
        "   |  expected: m: int32\n"
        "  try: pass int(m)",
    ),
    "fraction for an integer": (
        MIX,
        lambda: mix(k=2.5),
        "KC5118]: mix: argument 4 'k' is 2.5 (float), expected an integer\n"
        "   |  expected: k: uint8",
    ),
    "nan for an integer": (
        MIX,
        lambda: mix(k=float("nan")),
        "KC5118]: mix: argument 4 'k' is nan (float), expected an integer\n"
        "   |  expected: k: uint8",
    ),
    "bool for an integer": (
        MIX,
        lambda: mix(k=True),
        "KC5118]: mix: argument 4 'k' is True (bool), expected an integer\n"
        "   |  expected: k: uint8\n"
        "  try: pass int(k)",
    ),
    "array for a scalar": (
        MIX,
        lambda: mix(k=np.array(3)),
        "KC5118]: mix: argument 4 'k' is array(3) (numpy.ndarray), expected an integer\n"
        "   |  expected: k: uint8\n"
        "  try: pass k.item()",
    ),
    "text for a number": (
        MIX,
        lambda: mix(s="x" * 100),
        f"KC5118]: mix: argument 5 's' is '{'x' * 36}... (str), expected a number\n"
        "   |  expected: s: float32",
    ),
    "integer for a bool": (
        MIX,
        lambda: mix(flag=1),
        "KC5118]: mix: argument 6 'flag' is 1 (int), expected a bool\n"
        "   |  expected: flag: bool\n"
        "  try: pass bool(flag)",
    ),
    "integer out of range": (
        MIX,
        lambda: mix(k=256),
        "KC5119]: mix: argument 4 'k' is 256, which is not in 0..255, the range of uint8\n"
        "   |  expected: k: uint8",
    ),
    "negative size": (
        MIX,
        lambda: mix(m=-(2**31) - 1),
        "KC5119]: mix: argument 3 'm' is -2147483649, which is not in -2147483648..2147483647, "
        "the range of int32\n"
        "   |  expected: m: int32",
    ),
    "huge integer": (
        MIX,
        lambda: mix(k=1 << 20000),
        "KC5119]: mix: argument 4 'k' is an integer of 20001 bits, which is not in 0..255, "
        "the range of uint8\n"
        "   |  expected: k: uint8",
    ),
    "float out of range": (
        MIX,
        lambda: mix(s=-1e300),
        "KC5119]: mix: argument 5 's' is -1e+300, which is too large for float32\n"
        "   |  expected: s: float32",
    ),
    "integer too large for a float": (
        MIX,
        lambda: mix(s=1 << 20000),
        "KC5119]: mix: argument 5 's' is an integer of 20001 bits, "
        "which is too large for float32\n"
        "   |  expected: s: float32",
    ),
}


@pytest.fixture(scope="module")
def kernels() -> dict[str, Recorder]:
    return {signature.name: Recorder(signature) for signature in (ADD, MIX)}


@pytest.mark.parametrize("case", CASES)
def test_refused(kernels: dict[str, Recorder], case: str) -> None:
    signature, make, text = CASES[case]
    kernel = kernels[signature.name]
    args, before = make(), kernel.calls
    calls = [kernel.function, kernel.function.prepare, kernel.function.timer]
    for refuse in calls[case == "too few" :]:  # a call may leave the outputs out
        with pytest.raises(CallError) as caught:
            refuse(*args)
        assert str(caught.value) == f"error[{text}"
    assert kernel.calls == before


def test_the_cases_are_one_mistake_away_from_a_call(kernels: dict[str, Recorder]) -> None:
    kernels["add"].function(a(), a(), a())
    kernels["mix"].function(*mix())
    kernels["add"].function(a(), a(), torch_tensor(source=a()))
    kernels["add"].function(*shared(4))


def test_keywords(kernels: dict[str, Recorder]) -> None:
    with pytest.raises(CallError) as caught:
        kernels["add"].function(a(), a(), C=a(), D=1)
    assert str(caught.value) == (
        "error[KC5102]: add: keyword arguments are not accepted: C, D" + ADD_IS + "\n"
        "  try: add(A, B, C)"
    )
    with pytest.raises(CallError, match="keyword arguments are not accepted: D"):
        kernels["add"].function(a(), a(), a(), D=1)


def test_overflow_of_small_floats() -> None:
    for dtype in ("float16", "bfloat16"):
        kernel = Recorder(Signature("f", (scalar("s", dtype),)))
        with pytest.raises(CallError) as caught:
            kernel.function(3.4e38 if dtype == "bfloat16" else 65520.0)
        assert caught.value.code == "KC5119"
        kernel.function(3.38e38 if dtype == "bfloat16" else 65519.0)
        assert kernel.calls == 1


def test_a_copied_output_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A producer that copies although it was asked not to: results would be lost."""

    def copied(capsule: Any) -> Any:
        return read(capsule)._replace(copied=True)

    read = dlpack.read
    monkeypatch.setattr(dlpack, "read", copied)
    arguments.bind(ADD, (Shared(a()), a(), a()))
    with pytest.raises(CallError, match="but its producer shared a copy"):
        arguments.bind(ADD, (a(), a(), Shared(a())))
