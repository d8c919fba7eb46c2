"""The computations of :mod:`kc.dialects.graph.operators.signal`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import topi
from kc.dialects.graph.operators.signal import Dft, Stft
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("stft", rows=["signal.stft"])
def stft(op: Stft, data: Tensor, window: Tensor | None = None) -> Tensor:
    """Lower to topi's function."""
    return topi.signal.stft(
        data, op.n_fft, op.hop_length, op.win_length, window, op.normalized, op.onesided
    )


@lowering("dft", rows=["signal.dft"])
def dft(op: Dft, re_data: Tensor, im_data: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.signal.dft(re_data, im_data, op.inverse)
