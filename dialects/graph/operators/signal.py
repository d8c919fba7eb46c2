"""Fourier's transforms, windows, and weights of the mel scale."""

from __future__ import annotations

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    WORDS,
    joined,
    require_dtype,
    require_rank,
    require_same,
)
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import Spec, TensorSpec


@operator
class Stft(Operator):
    """The spectra (batch, frequency, frame, 2) of parts of a signal (batch, time), each ``n_fft``
    long and ``hop_length`` after the one before.

    The window, by default of ones, is in the middle of a part. ``normalized`` divides by the root
    of ``n_fft``; ``onesided`` leaves out frequencies above half.
    """

    name = "stft"
    inputs = ("data", "window?")
    pattern = Pattern.OPAQUE
    parameters = (
        "data", "n_fft", "hop_length", "win_length", "window", "normalized", "onesided",
    )  # fmt: skip

    n_fft: int
    hop_length: int
    win_length: int
    normalized: bool = False
    onesided: bool = True

    def infer(self, data: TensorSpec, window: TensorSpec | None = None) -> TensorSpec:
        require_rank(data, 2, "data")
        require_dtype(data, WORDS, "data")
        if min(self.n_fft, self.hop_length, self.win_length) < 1 or self.win_length > self.n_fft:
            raise RelationError(
                f"n_fft is {self.n_fft}, hop_length is {self.hop_length} and win_length is "
                f"{self.win_length}, but they must be at least 1, and a window fits its part"
            )
        if window is not None:
            require_rank(window, 1, "window")
            require_dtype(window, (data.dtype,), "window")
            require_same(window.shape[0], self.win_length, "the size of window and win_length")
        length = data.shape[1]
        if isinstance(length, int) and length < self.n_fft:
            raise RelationError(f"data is {data}, which is shorter than n_fft, {self.n_fft}")
        frames: MaybeSize = None
        if length is not None:
            frames = (length - self.n_fft) // self.hop_length + 1
        count = self.n_fft // 2 + 1 if self.onesided else self.n_fft
        return TensorSpec((data.shape[0], count, frames, 2), data.dtype)


@operator
class Dft(Operator):
    """The discrete Fourier transform along the last dimension: a tuple of the real and the
    imaginary part."""

    name = "dft"
    inputs = ("re_data", "im_data")
    pattern = Pattern.OPAQUE

    inverse: bool = False

    def infer(self, re_data: TensorSpec, im_data: TensorSpec) -> Spec:
        require_dtype(re_data, WORDS, "re_data")
        require_dtype(im_data, (re_data.dtype,), "im_data")
        require_rank(im_data, re_data.rank, "im_data")
        if not re_data.rank:
            raise RelationError(f"re_data is {re_data}, but must have a dimension or more")
        shape = tuple(
            joined(left, right, f"the sizes of dimension {n}")
            for n, (left, right) in enumerate(zip(re_data.shape, im_data.shape, strict=True))
        )
        part = TensorSpec(shape, re_data.dtype)
        return part, part

    def result_count(self, operands: int) -> int:
        return 2
