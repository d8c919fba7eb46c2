"""The elements of constants in Relay's text: a section of JSON below the functions.

::

    #[metadata]
    {"relay.Constant": [{"dtype": "float32", "shape": [2], "data": "AACAPwAAAEA="}]}

``data`` is base64 of the elements, row-major, little-endian. (TVM writes its own binary form, which
only its runtime reads.)
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

import numpy as np

from kc.tvm.relay.expr import Constant

HEADER = "#[metadata]"


def written(constants: Sequence[Constant]) -> str:
    """The section for these constants."""
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
