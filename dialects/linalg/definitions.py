"""The named ops of linalg: indexing maps by the letters of their dimensions, and bodies.

``Definition("contract", ("mk", "kn"), "mn")`` is a matmul. In a convolution or pooling an
upper-case letter is a window: ``X`` stands for ``x * stride + i * dilation``, and likewise ``Y``
with ``j`` and ``Z`` with ``k``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr, AffineMap

WINDOWS = {"X": ("x", "i"), "Y": ("y", "j"), "Z": ("z", "k")}
"""For the letter of a windowed dimension, the letters of the window's position and of the offset in
the window.
"""


@dataclass(frozen=True)
class Definition:
    """``kind`` names the body: ``contract``, ``contract_zero_points`` (two additional inputs are
    subtracted from the operands), or the combiner of a pooling.
    """

    kind: str
    inputs: tuple[str, ...]
    output: str

    @property
    def loops(self) -> str:
        """The letters of the loops: those of the output, then the reduced ones."""
        letters = list(self.output)
        used = "".join(self.inputs)
        if any(letter in WINDOWS for letter in used):
            used = "".join(c if c not in WINDOWS else "" for c in self.inputs[1]) + "".join(
                c for c in self.inputs[0] if c not in WINDOWS
            )
        letters += [letter for letter in dict.fromkeys(used) if letter not in letters]
        return "".join(letters)

    @property
    def window_letters(self) -> list[str]:
        """The windowed dimensions, in the order of strides and dilations."""
        return sorted(letter for letter in "".join(self.inputs) if letter in WINDOWS)

    @property
    def is_contraction(self) -> bool:
        """True if ``indexing_maps`` may be specified: the op has no windows and no zero points."""
        return not self.window_letters and self.kind == "contract"

    def maps(self, strides: Sequence[int], dilations: Sequence[int]) -> list[AffineMap]:
        """The indexing maps of inputs and output, over :attr:`loops`."""
        loops = self.loops
        windows = self.window_letters

        def expr(letter: str) -> AffineExpr:
            if letter not in WINDOWS:
                return AffineExpr.dimension(loops.index(letter))
            n = windows.index(letter)
            at, offset = (
                AffineExpr.dimension(loops.index(position)) for position in WINDOWS[letter]
            )
            return at * strides[n] + offset * dilations[n]

        return [
            AffineMap(len(loops), 0, tuple(expr(letter) for letter in letters))
            for letters in (*self.inputs, self.output)
        ]

    def names(self) -> list[str]:
        """The names of the loops; window loops are named after their axis."""
        axes = {1: ("w",), 2: ("h", "w"), 3: ("d", "h", "w")}.get(len(self.window_letters), ())
        letter_at: dict[str, str] = {}
        for (at, offset), axis in zip(WINDOWS.values(), axes, strict=False):
            letter_at[at], letter_at[offset] = f"o{axis}", f"k{axis}"
        return [letter_at.get(letter, letter) for letter in self.loops]


def _contractions() -> dict[str, Definition]:
    table = {
        "matmul": ("mk", "kn", "mn"),
        "matmul_transpose_a": ("km", "kn", "mn"),
        "matmul_transpose_b": ("mk", "nk", "mn"),
        "batch_matmul": ("bmk", "bkn", "bmn"),
        "batch_matmul_transpose_a": ("bkm", "bkn", "bmn"),
        "batch_matmul_transpose_b": ("bmk", "bnk", "bmn"),
        "batch_reduce_matmul": ("bmk", "bkn", "mn"),
        "matvec": ("mn", "n", "m"),
        "vecmat": ("m", "mn", "n"),
        "batch_matvec": ("bmk", "bk", "bm"),
        "batch_vecmat": ("bk", "bkn", "bn"),
        "dot": ("m", "m", ""),
        "mmt4d": ("mkac", "nkbc", "mnab"),
        "batch_mmt4d": ("gmkac", "gnkbc", "gmnab"),
        "conv_1d": ("X", "i", "x"),
        "conv_2d": ("XY", "ij", "xy"),
        "conv_3d": ("XYZ", "ijk", "xyz"),
        "conv_1d_nwc_wcf": ("nXc", "icf", "nxf"),
        "conv_1d_ncw_fcw": ("ncX", "fci", "nfx"),
        "conv_2d_nhwc_hwcf": ("nXYc", "ijcf", "nxyf"),
        "conv_2d_nhwc_fhwc": ("nXYc", "fijc", "nxyf"),
        "conv_2d_nchw_fchw": ("ncXY", "fcij", "nfxy"),
        "conv_2d_ngchw_fgchw": ("ngcXY", "fgcij", "ngfxy"),
        "conv_2d_ngchw_gfchw": ("ngcXY", "gfcij", "ngfxy"),
        "conv_2d_nhwgc_gfhwc": ("nXYgc", "gfijc", "nxygf"),
        "conv_3d_ndhwc_dhwcf": ("nXYZc", "ijkcf", "nxyzf"),
        "conv_3d_ncdhw_fcdhw": ("ncXYZ", "fcijk", "nfxyz"),
        "depthwise_conv_1d_nwc_wc": ("nXc", "ic", "nxc"),
        "depthwise_conv_1d_ncw_cw": ("ncX", "ci", "ncx"),
        "depthwise_conv_1d_nwc_wcm": ("nXc", "icm", "nxcm"),
        "depthwise_conv_2d_nhwc_hwc": ("nXYc", "ijc", "nxyc"),
        "depthwise_conv_2d_nchw_chw": ("ncXY", "cij", "ncxy"),
        "depthwise_conv_2d_nhwc_hwcm": ("nXYc", "ijcm", "nxycm"),
        "depthwise_conv_3d_ndhwc_dhwc": ("nXYZc", "ijkc", "nxyzc"),
        "depthwise_conv_3d_ncdhw_cdhw": ("ncXYZ", "cijk", "ncxyz"),
        "depthwise_conv_3d_ndhwc_dhwcm": ("nXYZc", "ijkcm", "nxyzcm"),
    }
    return {name: Definition("contract", (a, b), c) for name, (a, b, c) in table.items()}


def _poolings() -> dict[str, Definition]:
    layouts = {
        "nhwc": ("nXYc", "ij", "nxyc"),
        "nchw": ("ncXY", "ij", "ncxy"),
        "nwc": ("nXc", "i", "nxc"),
        "ncw": ("ncX", "i", "ncx"),
        "ndhwc": ("nXYZc", "ijk", "nxyzc"),
    }
    return {
        f"pooling_{layout}_{kind}": Definition(kind, (read, window), written)
        for layout, (read, window, written) in layouts.items()
        for kind in ("sum", "max", "max_unsigned", "min", "min_unsigned")
    }


def _quantized() -> dict[str, Definition]:
    """Contractions and convolutions of numbers with zero points."""
    of = {"quantized_matmul": "matmul", "quantized_batch_matmul": "batch_matmul"} | {
        f"{name}_q": name
        for name in (
            "conv_2d_nhwc_hwcf",
            "conv_2d_nhwc_fhwc",
            "conv_2d_nchw_fchw",
            "conv_2d_ngchw_gfchw",
            "conv_2d_nhwgc_gfhwc",
            "conv_3d_ndhwc_dhwcf",
            "depthwise_conv_2d_nhwc_hwc",
            "depthwise_conv_2d_nhwc_hwcm",
        )
    }
    contractions = _contractions()
    return {
        name: Definition(
            "contract_zero_points", contractions[plain].inputs, contractions[plain].output
        )
        for name, plain in of.items()
    }


NAMED = {**_contractions(), **_quantized(), **_poolings()}
"""Contractions, convolutions and poolings by name (without ``linalg.``)."""

DENSE_WINDOWS = ("conv_1d", "conv_2d", "conv_3d")
"""The ops without strides and dilations, which ignore attributes of these names."""

ELEMENTWISE: dict[str, tuple[str, str]] = {
    "exp": ("math.exp", ""),
    "log": ("math.log", ""),
    "abs": ("math.absf", "math.absi"),
    "ceil": ("math.ceil", ""),
    "floor": ("math.floor", ""),
    "negf": ("arith.negf", ""),
    "round": ("math.round", ""),
    "sqrt": ("math.sqrt", ""),
    "rsqrt": ("math.rsqrt", ""),
    "tanh": ("math.tanh", ""),
    "erf": ("math.erf", ""),
    "reciprocal": ("reciprocal", ""),
    "square": ("square", "square"),
    "add": ("arith.addf", "arith.addi"),
    "sub": ("arith.subf", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli"),
    "div": ("arith.divf", "arith.divsi"),
    "div_unsigned": ("", "arith.divui"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
    "max_unsigned": ("", "arith.maxui"),
    "min_unsigned": ("", "arith.minui"),
    "powf": ("math.powf", ""),
    "select": ("arith.select", "arith.select"),
    "copy": ("copy", "copy"),
}
"""For each elementwise op, the ops of its body on floats and on integers (empty: none)."""
