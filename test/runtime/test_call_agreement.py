"""The generated check and the complete one in Python accept the same calls, in the same way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from call_kernels import Recorder, array, scalar
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from property_tests import examples

import kc
from kc.runtime import ArgSpec, Signature, function
from kc.runtime.signature import AffineDim, Dim, SizeCondition, evaluate
from kc.support.diagnostics import CallError

SYMBOLS = ("n", "m")

# Few signatures, so that few are compiled: between them all dtypes, roles and size operations.
SIGNATURES = [
    Signature(
        "arrays",
        (
            array("A", "float32", "n", "m"),
            array("B", "float32", "m", "n"),
            array("C", "float32", "n", role="out"),
            array("D", "float32", "m", role="inout"),
        ),
        SYMBOLS,
    ),
    Signature(
        "derived",
        (
            array("A", "int16", AffineDim.add("n", 2), AffineDim.mul("m", 3)),
            array("B", "uint8", AffineDim.floordiv("n", 4), AffineDim.ceildiv("n", 4), role="out"),
            scalar("n", "int64", symbol="n"),
            array("C", "int16", AffineDim.mod(AffineDim.add("n", "m"), 3), "m"),
        ),
        SYMBOLS,
    ),
    Signature(
        "symbolic divisors",
        (
            scalar("m", "int32", symbol="m"),
            array("A", "int8", "n", role="inout"),
            array("B", "int8", AffineDim.floordiv("n", "m")),
            array("C", "int8", AffineDim.ceildiv("n", "m"), role="out"),
            array("D", "int8", AffineDim.mod(AffineDim.mul("n", 5), "m")),
        ),
        SYMBOLS,
    ),
    Signature(
        "conditions",
        (
            array("A", "float32", "n"),
            array("B", "float32", "m"),
            scalar("k", "int64", symbol="k"),
            array("C", "float32", AffineDim.mul("n", "m"), role="out"),
        ),
        (*SYMBOLS, "k"),
        (
            SizeCondition(AffineDim.add("n", 1), ">=", AffineDim.add("m", "k"), "a window", ("m",)),
            SizeCondition("k", ">=", 0, "a size"),
            SizeCondition(
                AffineDim.floordiv("n", 2), "==", AffineDim.floordiv("m", 2), "halves", ("n", "k")
            ),
        ),
    ),
    Signature(
        "constants",
        (
            array("A", "float64", 2, 3, alignment=16),
            array("B", "bool", 4, role="out", alignment=64),
            array("Z", "uint16", role="out"),
            array("Y", "uint16"),
            array("E", "int32", 0, 3, role="out"),
        ),
    ),
    Signature(
        "scalars",
        (
            scalar("b", "bool"),
            scalar("i", "int8"),
            scalar("u", "uint32"),
            scalar("l", "int64"),
            scalar("v", "uint64"),
            scalar("f", "float32"),
            scalar("d", "float64"),
        ),
    ),
    # Generated code leaves these scalars to the complete check.
    Signature("small floats", (scalar("h", "float16"), scalar("b", "bfloat16"))),
]
RECORDERS = {signature.name: Recorder(signature) for signature in SIGNATURES}

small = st.integers(0, 5)


def one_in(count: int) -> st.SearchStrategy[bool]:
    return st.sampled_from([False] * (count - 1) + [True])


@st.composite
def arrays(draw: st.DrawFn, spec: ArgSpec, shape: tuple[int, ...], pool: np.ndarray) -> Any:
    """An array of a shape that fits ``spec`` or nearly does, in memory shared with others."""
    if draw(one_in(12)):
        shape = draw(st.lists(small, max_size=3).map(tuple))
    dtype = np.dtype(spec.dtype)
    if draw(one_in(12)):
        dtype = draw(
            st.sampled_from(["float32", ">f4", "float64", "int8", "uint8", "bool", "q", "O"])
        )
        dtype = np.dtype(dtype)
    layout = draw(st.sampled_from(["own"] * 12 + ["pool"] * 5 + ["stepped", "fortran", "view"]))
    size = dtype.itemsize * math.prod(shape)
    if layout == "pool" and size and not dtype.hasobject and size < pool.size // 2:
        # Where it starts decides both alignment and overlap.
        places = st.integers(0, pool.size - size)
        start = draw(places.map(lambda x: x // 64 * 64) | places.map(lambda x: x // 8 * 8) | places)
        array = pool[start : start + size].view(dtype).reshape(shape)
    elif layout == "stepped" and shape:
        array = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[
            ..., :: draw(st.sampled_from([2, -2]))
        ]
    elif layout == "fortran":
        array = np.asfortranarray(np.zeros(shape, dtype))
    elif dtype.hasobject or not dtype.isnative:
        array = np.zeros(shape, dtype)
    else:
        array = np.asarray(kc.nd.empty(shape, dtype))
    if layout == "view":
        array = array.view(np.memmap)
    if draw(one_in(12)):
        array.flags.writeable = False
    if draw(one_in(4)) and dtype.name in kc.runtime.signature.DTYPES and dtype.isnative:
        array = kc.nd.NDArray(np.asarray(array), kc.cpu())
    return array


NUMBERS = st.one_of(
    st.booleans(),
    small,
    st.integers(-300, 300),
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**32 - 1, 2**32]),
    st.floats(),
    st.floats(width=16),
    st.sampled_from([np.float32(2), np.int64(3), np.uint8(1), np.True_, None, "1", np.zeros(())]),
)


def own_numbers(spec: ArgSpec) -> st.SearchStrategy[Any]:
    """Numbers that ``spec`` takes, mostly."""
    if spec.dtype == "bool":
        return st.booleans()
    if spec.element.is_float:
        return st.floats(width=8 * spec.element.size)  # type: ignore[arg-type]
    low, high = spec.element.bounds
    return st.integers(low, high)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Recorder, tuple[Any, ...]]:
    recorder = RECORDERS[draw(st.sampled_from(sorted(RECORDERS)))]
    symbols = {"n": draw(small), "m": draw(small), "k": draw(small)}
    pool = np.zeros(512 + 64, np.uint8)
    pool = pool[-pool.ctypes.data % 64 :][:512]

    def size(dim: Dim) -> int:
        value = evaluate(dim, symbols)
        return 1 if value is None else value

    args: list[Any] = []
    for spec in recorder.signature.args:
        if spec.is_array:
            args.append(draw(arrays(spec, tuple(map(size, spec.shape)), pool)))
        elif spec.symbol is not None and not draw(one_in(12)):
            args.append(symbols[spec.symbol])
        else:
            args.append(draw(NUMBERS if draw(one_in(12)) else own_numbers(spec)))
    return recorder, tuple(args)


def plain(spec: ArgSpec, value: Any) -> bool:
    """True if the generated check must accept the object by itself."""
    if not spec.is_array:
        wanted = bool if spec.dtype == "bool" else float if spec.element.is_float else int
        return (
            type(value) is wanted
            and spec.element.size != 2
            and not (spec.dtype == "uint64" and value >= 2**63)
        )
    inner = value._array if isinstance(value, kc.nd.NDArray) else value
    address = inner.ctypes.data
    return (
        type(inner) is np.ndarray
        and inner.dtype is np.dtype(spec.dtype)
        and address % spec.alignment == 0
    )


def meets_conditions(signature: Signature, args: tuple[Any, ...]) -> bool:
    """True if all conditions hold, empty sizes or not."""
    sizes = {
        symbol: args[i] if d is None else np.shape(args[i])[d]
        for symbol, (i, d) in signature.binders.items()
    }
    return all(
        replace(requirement, unless_empty=()).holds(sizes) for requirement in signature.requires
    )


def check_agreement(
    recorder: Recorder,
    args: tuple[Any, ...],
    patch: pytest.MonkeyPatch,
    *,
    generated: bool = True,
) -> tuple[bool, bool]:
    """Compare both checks on one call; whether it is accepted, and whether by generated code.

    ``generated`` demands that plain arguments are accepted there.
    """
    bind = function.bind
    try:
        expected, slots = None, list(bind(recorder.signature, args).slots)
    except CallError as error:
        expected, slots = str(error), None
    complete: list[None] = []

    def noting(*given: Any) -> Any:
        complete.append(None)
        return bind(*given)

    recorder.reset()
    with patch.context() as context:
        context.setattr(function, "bind", noting)
        try:
            recorder.function(*args)
            text = None
        except CallError as error:
            text = str(error)
    assert text == expected
    assert recorder.calls == (expected is None)
    if slots is not None:
        # The words agree where the parameter's type has bits; the rest of a slot is undefined.
        widths = {"ptr": 8, "i64": 8, "double": 8, "i32": 4, "float": 4, "i8": 1}
        masks = [(1 << 8 * widths.get(x, 2)) - 1 for x in recorder.signature.machine_types]
        assert [x & m for x, m in zip(recorder.seen, masks, strict=True)] == [
            x & m for x, m in zip(slots, masks, strict=True)
        ]
        is_plain = all(map(plain, recorder.signature.args, args))
        if generated and is_plain and meets_conditions(recorder.signature, args):
            assert not complete
    return expected is None, not complete


def test_agreement() -> None:
    outcomes: set[tuple[str, bool, bool]] = set()

    @settings(examples(2500), suppress_health_check=[HealthCheck.too_slow])
    @given(call=calls())
    def agree(call: tuple[Recorder, tuple[Any, ...]]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            outcomes.add((call[0].signature.name, *check_agreement(*call, patch)))

    agree()
    with pytest.MonkeyPatch.context() as patch:
        for name, recorder in RECORDERS.items():  # what is drawn need not have a mistake in each
            outcomes.add((name, *check_agreement(recorder, (None,), patch)))
    # All of this was reached: calls refused, accepted in Python and, but for small floats,
    # accepted by generated code.
    assert any(accepted and not generated for _, accepted, generated in outcomes)
    for signature in SIGNATURES:
        assert (signature.name, False, False) in outcomes
        assert (signature.name, True, signature.name != "small floats") in outcomes


@pytest.mark.parametrize(
    ("dim", "n"),
    [
        (AffineDim.mul("n", 4), 2**62),  # 2**64: 0 in 64 bits
        (AffineDim.add(AffineDim.mul("n", 2), 2), 2**63 - 1),  # 2**64
        (AffineDim.floordiv(AffineDim.mul("n", 4), 4), 2**62),
        (AffineDim.mod(AffineDim.add("n", -7), 5), 3),
        (AffineDim.ceildiv(AffineDim.add("n", -7), 5), 0),
        (AffineDim.floordiv(AffineDim.add("n", -7), 5), 12),
    ],
)
def test_sizes_are_exact(dim: AffineDim, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    signature = Signature(
        "f", (scalar("n", "int64", symbol="n"), array("A", "int8", dim, 0)), ("n",)
    )
    recorder = Recorder(signature)
    size = evaluate(dim, {"n": n})
    assert size is not None
    for extent in {0, 1, 3, n, size & (2**64 - 1), size - 1} | {size}:
        if 0 <= extent < 2**63:
            accepted, _ = check_agreement(
                recorder, (n, np.zeros((extent, 0), np.int8)), monkeypatch, generated=False
            )
            assert accepted == (extent == size)
