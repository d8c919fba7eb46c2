"""Signals: Fourier's transforms and windows."""

from kc.topi.signal.fourier import (
    blackman_window,
    dft,
    hamming_window,
    hann_window,
    mel_weight_matrix,
    stft,
)

__all__ = [
    "blackman_window", "dft", "hamming_window", "hann_window", "mel_weight_matrix",
    "stft",
]  # fmt: skip
