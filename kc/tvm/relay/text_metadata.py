"""The elements of constants in Relay's text: a section of JSON below the functions.

::

    #[metadata]
    {"relay.Constant": [{"dtype": "float32", "shape": [2], "data": "AACAPwAAAEA="}]}

``data`` is base64 of the elements, row-major, little-endian. (TVM writes its own binary form, which
only its runtime reads.)
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from kc.dialects.graph.values import numpy_dtype
from kc.support.diagnostics import KCError
from kc.tvm.relay.text_tokens import Source

HEADER = "#[metadata]"


def written(constants: Sequence[Any]) -> str:
    """The section for these constants of Relay."""
    entries = [
        {
            "dtype": constant.dtype,
            "shape": list(constant.data.shape),
            "data": base64.b64encode(
                np.ascontiguousarray(constant.data.numpy()).tobytes()
            ).decode(),
        }
        for constant in constants
    ]
    return f"{HEADER}\n{json.dumps({'relay.Constant': entries})}\n"


def constants_of(source: Source, start: int) -> list[tuple[Any, str]]:
    """The constants of the section whose header ends at an offset, as arrays and dtypes.

    Raises GraphError KC2465.
    """
    text = source.text[start:]
    try:
        section = json.loads(text)
    except json.JSONDecodeError as error:
        source.refuse("KC2465", f"the metadata is not JSON: {error.msg}", start + error.pos)
    except (RecursionError, ValueError):
        source.refuse("KC2465", "the metadata is not JSON of the expected form", start)
    entries = section.get("relay.Constant") if isinstance(section, dict) else None
    if not isinstance(entries, list) or len(section) != 1:
        source.refuse(
            "KC2465",
            "the metadata has no list relay.Constant alone",
            start,
            why="kc reads the elements as it writes them, not as TVM does",
            hint="relay.bind_params_by_name gives variables their elements",
        )
    return [_constant(source, start, index, entry) for index, entry in enumerate(entries)]


def _constant(source: Source, start: int, index: int, entry: Any) -> tuple[Any, str]:
    if not isinstance(entry, dict) or sorted(entry) != ["data", "dtype", "shape"]:
        source.refuse("KC2465", f"constant {index} has not data, dtype and shape", start)
    shape, name = entry["shape"], entry["dtype"]
    if not isinstance(shape, list) or any(type(n) is not int or n < 0 for n in shape):
        source.refuse("KC2465", f"constant {index}: {shape!r} is not a shape", start)
    try:
        dtype = numpy_dtype(name)
    except (AttributeError, KCError, KeyError, TypeError, ValueError):
        source.refuse("KC2465", f"constant {index}: there is no type {name!r}", start)
    try:
        data = base64.b64decode(entry["data"], validate=True)
    except (binascii.Error, TypeError, ValueError):
        source.refuse("KC2465", f"constant {index}: the data are not base64", start)
    if len(data) != prod(shape) * dtype.itemsize:
        source.refuse(
            "KC2465",
            f"constant {index} has {len(data)} bytes of data",
            start,
            why=f"elements of {name} of the shape {tuple(shape)} have "
            f"{prod(shape) * dtype.itemsize}",
        )
    return np.frombuffer(data, dtype).reshape(shape).copy(), name
