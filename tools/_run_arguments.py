"""Arguments for kc-run: read from files, or generated from the signature of the function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kc.runtime.native import numpy_dtype
from kc.runtime.signature import ArgSpec, Signature, evaluate
from kc.support.diagnostics import CallError, InputError, counted, suggest

LIMIT_BYTES = 1 << 34


def sizes_from_text(text: str | None, signature: Signature) -> dict[str, int]:
    """``n=128,m=64`` as values of the symbolic sizes of ``signature``."""
    sizes: dict[str, int] = {}
    for part in filter(None, (text or "").replace(",", " ").split()):
        name, _, value = part.partition("=")
        if name not in signature.symbols:
            raise InputError(
                "KC0061",
                f"{signature.name} has no symbolic size '{name}'",
                hints=suggest(name, signature.symbols, "its sizes are"),
            )
        if not value.isdigit():
            raise InputError("KC0061", f"--sizes: {name} is a number, not '{value}'")
        sizes[name] = int(value)
    return sizes


def made_arguments(signature: Signature, sizes: Mapping[str, int], seed: int) -> list[Any]:
    """Random inputs and zeroed outputs, identical for the same seed."""
    import numpy as np

    random = np.random.default_rng(seed)
    missing = [symbol for symbol in signature.symbols if symbol not in sizes]
    if missing:
        raise InputError(
            "KC0061",
            f"{signature.name}: the size {missing[0]} is not known",
            facts=[str(signature)],
            hints=[f"--sizes={','.join(f'{symbol}=64' for symbol in missing)}"],
        )
    return [_argument(spec, sizes, random) for spec in signature.args]


def _argument(spec: ArgSpec, sizes: Mapping[str, int], random: Any) -> Any:
    if not spec.is_array:
        return sizes[spec.symbol] if spec.symbol is not None else _values(spec, (), random).item()
    shape = _shape(spec, sizes)
    if spec.role == "out":
        return _zeros(spec, shape)
    return _values(spec, shape, random)


def _shape(spec: ArgSpec, sizes: Mapping[str, int]) -> tuple[int, ...]:
    shape = []
    for dim in spec.shape:
        size = evaluate(dim, sizes)
        if size is None or size < 0:
            raise InputError(
                "KC0061", f"{spec.name}: the dimension {dim} is not a size", facts=[str(spec)]
            )
        shape.append(size)
    elements = spec.element.size
    for size in shape:
        elements *= size
    if elements > LIMIT_BYTES:
        raise InputError("KC0061", f"{spec.name} would take {elements} bytes", facts=[str(spec)])
    return tuple(shape)


def _zeros(spec: ArgSpec, shape: Sequence[int]) -> Any:
    import numpy as np

    return np.zeros(shape, _numpy_dtype(spec))


def _numpy_dtype(spec: ArgSpec) -> Any:
    dtype = numpy_dtype(spec.dtype)
    if dtype is None:
        raise InputError(
            "KC0062",
            f"{spec.name}: numpy has {spec.dtype} by the package ml_dtypes, which is not installed",
            facts=[str(spec)],
            hints=["pip install ml_dtypes"],
        )
    return dtype


def _values(spec: ArgSpec, shape: Sequence[int], random: Any) -> Any:
    """Floats in [-1, 1), integers in [-10, 10) or [0, 20), and both values of a bool."""
    dtype = _numpy_dtype(spec)
    if spec.element.is_float:
        return random.uniform(-1.0, 1.0, shape).astype(dtype)
    if spec.dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    low, high = (0, 20) if spec.dtype.startswith("u") else (-10, 10)
    return random.integers(low, high, shape, dtype=dtype)


def read_arguments(text: str, signature: Signature) -> list[Any]:
    """``a.npy,b.npy,3``: arrays from files and scalars as numbers, in the order of the arguments.

    All outputs may be omitted; they are then created with sizes inferred from the inputs.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    taken = [spec for spec in signature.args if spec.role != "out"]
    everything = len(words) == len(signature.args)
    if not everything and len(words) != len(taken):
        raise InputError(
            "KC0060",
            f"{signature.name}: --args has {counted(len(words), 'value')}, "
            f"the function takes {counted(len(taken), 'input')}",
            facts=[str(signature)],
        )
    texts = dict(
        zip((spec.name for spec in (signature.args if everything else taken)), words, strict=True)
    )
    values = {
        spec.name: _read(spec, texts[spec.name]) for spec in signature.args if spec.name in texts
    }
    sizes = _sizes_of(signature, values)
    return [
        values[spec.name] if spec.name in values else _zeros(spec, _shape(spec, sizes))
        for spec in signature.args
    ]


def _sizes_of(signature: Signature, values: Mapping[str, Any]) -> dict[str, int]:
    """The symbolic sizes, inferred from the arguments."""
    sizes: dict[str, int] = {}
    for spec in signature.args:
        if spec.name not in values:
            continue
        if spec.symbol is not None:
            sizes[spec.symbol] = int(values[spec.name])
        elif spec.is_array and values[spec.name].ndim == len(spec.shape):
            for dim, size in zip(spec.shape, values[spec.name].shape, strict=True):
                if isinstance(dim, str):
                    sizes.setdefault(dim, size)
    missing = [symbol for symbol in signature.symbols if symbol not in sizes]
    if missing:
        raise InputError(
            "KC0061",
            f"{signature.name}: the size {missing[0]} does not follow from the inputs",
            facts=[str(signature)],
            hints=["give the outputs as files as well"],
        )
    return sizes


def _read(spec: ArgSpec, word: str) -> Any:
    if spec.is_array:
        return _of_type(load_array(word), _numpy_dtype(spec))
    try:
        return float(word) if spec.element.is_float else int(word, 0)
    except ValueError:
        raise InputError("KC0060", f"--args: {spec.name} is a {spec.dtype}, not '{word}'") from None


def load_array(path: str) -> Any:
    """The array in a ``.npy`` file."""
    import numpy as np

    try:
        return np.load(Path(path), allow_pickle=False)
    except OSError as error:
        raise InputError("KC0020", f"cannot read {path}: {error.strerror}") from error
    except (ValueError, EOFError) as error:
        raise InputError(
            "KC0020", f"cannot read {path}: it is not an .npy file of numbers"
        ) from error


def _of_type(array: Any, dtype: Any) -> Any:
    """``array`` with the type ``dtype``. Files store the types of ml_dtypes as raw bytes."""
    return array.view(dtype) if array.dtype.str == f"|V{dtype.itemsize}" else array


TOLERANCE = {
    "bfloat16": (1e-1, 1e-2),
    "float16": (1e-2, 1e-3),
    "float32": (1e-4, 1e-5),
    "float64": (1e-9, 1e-12),
}
"""The relative and absolute tolerance by element type; other types are compared exactly."""


def compare(name: str, actual: Any, path: str) -> None:
    """Raise CallError KC5201 unless ``actual`` equals the array in the file ``path``."""
    import numpy as np

    expected = _of_type(load_array(path), actual.dtype)
    if expected.shape != actual.shape:
        raise CallError(
            "KC5201",
            f"{name} differs from {path}: its shape is {actual.shape}, not {expected.shape}",
        )
    relative, absolute = TOLERANCE.get(str(actual.dtype), (0.0, 0.0))
    close = np.isclose(actual, expected, rtol=relative, atol=absolute, equal_nan=True)
    if close.all():
        return
    wrong = np.argwhere(~close)
    facts = [
        f"{name}[{', '.join(map(str, place))}] is {actual[tuple(place)]}, "
        f"not {expected[tuple(place)]}"
        for place in wrong[:4]
    ]
    raise CallError(
        "KC5201",
        f"{name} differs from {path}: {len(wrong)} of {actual.size} elements",
        facts=facts,
        why=f"compared with a relative tolerance of {relative:g} and an absolute one of "
        f"{absolute:g}",
    )
