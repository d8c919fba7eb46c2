"""Fourier's transforms by their definition, windows, and weights of the mel scale."""

from __future__ import annotations

import math
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, compare, const, if_then_else, select
from kc.expr.constructors import cast as convert
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.arguments import constant, dtype_of, listed, positive, same_shape, tensor, whole
from kc.topi.elementwise import as_wide, cast, is_narrow, wide_type
from kc.topi.loops import Loops, written
from kc.topi.table import WORDS, operator, refuse


def _angle(k: Any, n: Any, length: int, dtype: str) -> Expr:
    """``2 pi k n / length``, of the rest of ``k n``, so that large places are exact too."""
    rest = convert(as_expr(k), "int64") * convert(as_expr(n), "int64") % length
    return convert(rest, dtype) * const(2 * math.pi / length, dtype)


@operator("dft", WORDS, "signal.dft(T(2, 5), T(2, 5), False)", numpy="fft.fft", onnx="DFT",
          torch="fft.fft", formula="sum_n x[n] exp(-2 pi i k n / N)")  # fmt: skip
def dft(re_data: Tensor, im_data: Tensor, inverse: bool) -> list[Tensor]:
    """The real and imaginary parts of the discrete Fourier transform along the last axis.

    By the definition, for any length: N terms for each of the N places, in float32 or wider.
    ``inverse``: the opposite sign, and divided by N. Raises KC2301 and KC2303 for parts of
    different types or shapes, KC2302 for tensors without dimensions.
    """
    tensor(im_data, "the imaginary part", None, (re_data.dtype,))
    same_shape(re_data, im_data, "each number has both parts")
    if not re_data.ndim:
        raise refuse("KC2302", f"{re_data.name} has 0 dimensions", "it must have 1 or more")
    dtype, length = re_data.dtype, constant(re_data.shape[-1], "the length")
    if is_narrow(dtype):
        parts = dft(as_wide(re_data), as_wide(im_data), inverse)
        return [cast(half, dtype) for half in parts]
    shares = const(1.0 / length if inverse and length else 1.0, dtype)

    def part(real: bool) -> Tensor:
        n = reduce_axis((0, length), name="n")

        def body(*at: Any) -> Expr:
            angle = _angle(at[-1], n, max(length, 1), dtype)
            a, b = re_data(*at[:-1], n), im_data(*at[:-1], n)
            cosine, sine = scalar.cos(angle), scalar.sin(angle)
            sine = -sine if inverse else sine
            value = a * cosine + b * sine if real else b * cosine - a * sine
            return scalar.sum(value * shares, axis=n)

        return compute(re_data.shape, body, "dft_re" if real else "dft_im", tag="dft")

    return [part(True), part(False)]


@operator("stft", WORDS, "signal.stft(T(2, 12), 4, 3, 4, T(4), False, True)", onnx="STFT",
          torch="stft")  # fmt: skip
def stft(
    data: Tensor, n_fft: int, hop_length: int, win_length: int, window: Tensor | None,
    normalized: bool, onesided: bool, output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """The spectra (batch, frequency, frame, 2) of windows of a signal (batch, time).

    A frame of ``n_fft`` begins every ``hop_length``; an incomplete frame is omitted. The window
    (``win_length``,), by default of ones, is centred in the frame. ``normalized`` divides by the
    root of ``n_fft``; ``onesided`` returns frequencies up to ``n_fft // 2``. The last dimension is
    the real and the imaginary part. The computation is in float32 or wider. Raises KC2302 and
    KC2303 for ranks and sizes, KC2306 for numbers below 1, KC2307 for a frame that is longer than
    the signal.
    """
    tensor(data, "data", 2)
    size = positive(n_fft, 1, "n_fft")[0]
    hop = positive(hop_length, 1, "hop_length")[0]
    width = positive(win_length, 1, "win_length")[0]
    length = constant(data.shape[1], "the length of the signal")
    if width > size:
        raise refuse("KC2303", f"win_length is {width}, n_fft is {size}",
                     "a window must be at most as long as a frame")  # fmt: skip
    if length < size:
        raise refuse(
            "KC2307",
            f"frames of {size} of a signal of {length}: {data.name} of the shape "
            f"{shape_text(data.shape)}",
            "the frame is longer than the signal",
        )
    if window is not None:
        tensor(window, "window", 1, (data.dtype,))
        if constant(window.shape[0], "the window") != width:
            raise refuse("KC2303", f"window {window.name} of the shape {shape_text(window.shape)}",
                         f"it has win_length elements: {width}")  # fmt: skip
    count = size // 2 + 1 if onesided else size
    shape = (data.shape[0], count, (length - size) // hop + 1, 2)
    if output_shape is not None:
        declared = [whole(item, "output_shape") for item in listed(output_shape, "output_shape")]
        if len(declared) != 4 or declared[1:] != list(shape[1:]):
            raise refuse("KC2303", f"output_shape is {tuple(declared)}",
                         f"the result has the shape {shape_text(shape)}")  # fmt: skip
    dtype, begin = data.dtype, (size - width) // 2
    if is_narrow(dtype):
        weights = None if window is None else as_wide(window)
        spectra = stft(as_wide(data), size, hop, width, weights, normalized, onesided)
        return cast(spectra, dtype)
    share = const(1 / math.sqrt(size) if normalized else 1.0, dtype)
    n = reduce_axis((0, width), name="n")

    def body(batch: Any, frequency: Any, frame: Any, part: Any) -> Expr:
        value = data(batch, frame * hop + n + begin) * share
        value = value if window is None else value * window(n)
        angle = _angle(frequency, n + begin, size, dtype)
        wave = if_then_else(part.equal(0), scalar.cos(angle), -scalar.sin(angle))
        return scalar.sum(value * wave, axis=n)

    return compute(shape, body, "stft", tag="stft")


def _window(size: Any, periodic: bool, dtype: str, terms: tuple[float, ...], name: str) -> Tensor:
    """A sum of cosines over the window."""
    length = whole(size, "size")
    if length < 0:
        raise refuse("KC2306", f"size is {length}", "it must be at least 0")
    kind = dtype_of(dtype, WORDS)
    period, wide = max(length if periodic else length - 1, 1), wide_type(kind)

    def body(n: Any) -> Expr:
        if length == 1:
            return const(1.0, kind)
        total: Expr = const(terms[0], wide)
        for k, term in enumerate(terms[1:], 1):
            total = total + scalar.cos(_angle(k, n, period, wide)) * const(term, wide)
        return convert(total, kind)

    return compute((length,), body, name)


_MEANING = """``periodic``: the window continues after ``size`` elements, else its last element is
    as its first. Computed in float32 or wider. Raises KC2301 for another type than float16,
    bfloat16, float32 and float64, KC2306 for a size below 0."""


@operator("injective", WORDS, "signal.hann_window(8)", takes="", onnx="HannWindow",
          torch="hann_window", gradient="zero", formula="(1 - cos x) / 2")  # fmt: skip
def hann_window(size: int, periodic: bool = True, dtype: str = "float32") -> Tensor:
    """Hann's window."""
    return _window(size, periodic, dtype, (0.5, -0.5), "hann_window")


@operator("injective", WORDS, "signal.hamming_window(8)", takes="", torch="hamming_window",
          gradient="zero", formula="0.54 - 0.46 cos x")  # fmt: skip
def hamming_window(size: int, periodic: bool = True, dtype: str = "float32") -> Tensor:
    """Hamming's window, with torch's coefficients; ONNX has 25 / 46."""
    return _window(size, periodic, dtype, (0.54, -0.46), "hamming_window")


@operator("injective", WORDS, "signal.blackman_window(8)", takes="", onnx="BlackmanWindow",
          torch="blackman_window", gradient="zero",
          formula="0.42 - 0.5 cos x + 0.08 cos 2x")  # fmt: skip
def blackman_window(size: int, periodic: bool = True, dtype: str = "float32") -> Tensor:
    """Blackman's window."""
    return _window(size, periodic, dtype, (0.42, -0.5, 0.08), "blackman_window")


for _function in (hann_window, hamming_window, blackman_window):
    _function.__doc__ = f"{_function.__doc__}\n\n    {_MEANING}\n    "


_MOST_BINS = 1 << 16
"""The largest number of bands of the mel scale; each band is a number in the program."""


@operator("mel_weight_matrix", WORDS, "signal.mel_weight_matrix(4, 16, 8000, 0.0, 4000.0)",
          takes="", onnx="MelWeightMatrix", gradient="zero",
          formula="triangles, equally wide in 2595 log10(1 + f / 700)")  # fmt: skip
def mel_weight_matrix(
    num_mel_bins: int, dft_length: int, sample_rate: int, lower_edge_hertz: float,
    upper_edge_hertz: float, dtype: str = "float32",
) -> Tensor:  # fmt: skip
    """The weights (dft_length // 2 + 1, num_mel_bins) of frequencies in triangles of the mel scale.

    Triangle k rises from its first to its middle frequency and falls to its last; each is rounded
    down to a frequency of the spectrum. Raises KC2301 for another type than float16, bfloat16,
    float32 and float64, KC2306 for numbers below 1, KC2317 for edges that are not in order, or
    above half of the sample rate, and for more than 65,536 bins.
    """
    (bins,) = positive(num_mel_bins, 1, "num_mel_bins")
    if bins > _MOST_BINS:
        raise refuse("KC2317", f"num_mel_bins is {bins}", f"it must be at most {_MOST_BINS:,}")
    (length,), (rate,) = positive(dft_length, 1, "dft_length"), positive(sample_rate, 1,
                                                                         "sample_rate")  # fmt: skip
    kind = dtype_of(dtype, WORDS)
    low, high = float(lower_edge_hertz), float(upper_edge_hertz)
    if not 0 <= low < high <= rate / 2:
        raise refuse(
            "KC2317",
            f"lower_edge_hertz is {lower_edge_hertz}, upper_edge_hertz is {upper_edge_hertz}",
            f"the edges must be in order, from 0 to half of the sample rate: {rate / 2}",
        )
    first, last = (2595 * math.log10(1 + edge / 700) for edge in (low, high))
    step = (last - first) / (bins + 2)
    mels = [700 * (10 ** ((n * step + first) / 2595) - 1) for n in range(bins + 2)]
    edges = [math.floor((length + 1) * hertz / rate) for hertz in mels]

    def statements(loops: Loops) -> None:
        for n, edge in enumerate(edges):
            loops.outs[0][n] = const(edge)

    (places,) = written("mel_edges", [(bins + 2,)], ["int32"], [], statements)
    wide = wide_type(kind)
    zero, unit = const(0.0, wide), const(1.0, wide)

    def body(row: Any, k: Any) -> Expr:
        begin, middle, end = places(k), places(k + 1), places(k + 2)
        place = convert(as_expr(row), "int32")

        def share(part: Expr, whole_part: Expr) -> Expr:
            return convert(part, wide) / convert(scalar.max(whole_part, const(1)), wide)

        rise = select(place.equal(middle), unit, share(place - begin, middle - begin))
        fall = share(end - place, end - middle)
        rising = all_of(compare("le", begin, place), compare("le", place, middle))
        falling = all_of(compare("le", middle, place), compare("lt", place, end))
        return convert(select(falling, fall, select(rising, rise, zero)), kind)

    return compute((length // 2 + 1, bins), body, "mel_weights", tag="injective")
