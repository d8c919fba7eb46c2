"""The programs of ``cpu_families.py``: functions that create a row for given sizes.

Operations count as in ``cpu_rows.py``. ``numpy`` is set if numpy has a function for the
computation; otherwise ``exact`` gives the results by numpy, for tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from cpu_rows import LOOPS_OF_PREFIX_SUMS, Array, Onnx, Row

Maker = Callable[[], Row]


# Data: the same in each process.


def data(dtype: str, *shape: int, salt: int = 0, low: int | None = None, high: int = 0) -> Array:
    """Normal numbers, or integers from ``low`` to below ``high`` (by default, the range of the
    type).
    """
    numbers = np.random.default_rng([len(shape), salt])
    if dtype in ("float32", "float64"):
        return numbers.standard_normal(shape, dtype=np.dtype(dtype).type)
    if dtype == "float16":
        return numbers.standard_normal(shape, dtype=np.float32).astype(dtype)
    if dtype == "bfloat16":
        import ml_dtypes

        return numbers.standard_normal(shape, dtype=np.float32).astype(ml_dtypes.bfloat16)
    limits = np.iinfo(dtype)
    if low is None:
        low, high = max(limits.min, -(1 << 20)), min(limits.max, 1 << 20) + 1
    return numbers.integers(low, high, shape).astype(dtype)


def places(*arrays: Array) -> list[Any]:
    """Placeholders for arrays."""
    from kc import te

    return [te.placeholder(it.shape, str(it.dtype), name=f"X{n}") for n, it in enumerate(arrays)]


def short_name(dtype: str) -> str:
    """The abbreviation of a type in names of rows."""
    return {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}.get(
        dtype, dtype.replace("uint", "u").replace("int", "i")
    )


# Products


def gemm(m: int, k: int, n: int, types: str = "float32", turned: bool = False) -> Maker:
    """``A B``, or ``A B^T`` if ``turned``. Integers are summed in 32 bits, bf16 in f32.

    ``types`` is the type of both, or ``A*B``.
    """
    of_a, _, of_b = types.partition("*")
    of_b = of_b or of_a
    out = {"bfloat16": "float32"}.get(of_a, "int32" if "int" in of_a else of_a)

    def make() -> Row:
        # torch's own product of bytes has them all with a sign
        a = data(of_a, m, k, salt=1)
        b = data(of_b, *((n, k) if turned else (k, n)), salt=2)
        wide = "float64" if out == "float64" else "int32" if out == "int32" else "float32"

        def tensors() -> list[Any]:
            from kc import te

            A, B = places(a, b)
            r = te.reduce_axis((0, k), name="k")

            def term(i: Any, j: Any) -> Any:
                left, right = A[i, r], B[j, r] if turned else B[r, j]
                return te.sum(left.astype(wide) * right.astype(wide), axis=r)

            C = te.compute((m, n), term, name="C")
            if wide == out:
                return [A, B, C]
            return [A, B, te.compute((m, n), lambda i, j: C[i, j].astype(out), name="D")]

        def exact() -> Array:
            right = b.T if turned else b
            return np.matmul(a.astype(wide), right.astype(wide)).astype(out)

        def plain() -> Array:
            return np.matmul(a, b.T if turned else b)

        def torch(t: Any, at: list[Any]) -> Any:
            right = at[1].t() if turned else at[1]
            if out == "int32":
                return t._int_mm(at[0], right)
            return t.matmul(at[0], right).float() if of_a == "bfloat16" else t.matmul(at[0], right)

        def jax(j: Any, at: list[Any]) -> Any:
            dims = (((1,), (1 if turned else 0,)), ((), ()))
            wanted = None if of_a == "float16" else out
            return j.lax.dot_general(at[0], at[1], dims, preferred_element_type=wanted)

        onnx = None
        if out == "int32" and not turned:
            onnx = Onnx([("MatMulInteger", ["x0", "x1"], ["y"], {})])
        elif of_a in ("float32", "float64"):
            attributes = {"transB": 1} if turned else {}
            onnx = Onnx([("Gemm", ["x0", "x1"], ["y"], attributes)])
        peer = of_a in ("float32", "float64")
        return Row(
            [a, b],
            (m, n),
            out,
            plain if peer else None,
            torch if out != "int32" or types == "int8" else None,
            tensors,
            2.0 * m * k * n,
            tolerance=2e-2 if of_a in ("float16", "bfloat16") else 1e-3,
            jax=None if of_a == "float64" else jax,
            onnx=onnx,
            exact=exact,
        )

    return make


def batched(b: int, m: int, k: int, n: int, types: str = "float32", turned: bool = False) -> Maker:
    """:func:`gemm` for each of ``b`` pairs of matrices."""
    out = "float32"

    def make() -> Row:
        x = data(types, b, m, k, salt=1)
        y = data(types, b, *((n, k) if turned else (k, n)), salt=2)

        def tensors() -> list[Any]:
            from kc import te

            A, B = places(x, y)
            r = te.reduce_axis((0, k), name="k")

            def term(z: Any, i: Any, j: Any) -> Any:
                right = B[z, j, r] if turned else B[z, r, j]
                return te.sum(A[z, i, r].astype(out) * right.astype(out), axis=r)

            return [A, B, te.compute((b, m, n), term, name="C")]

        def exact() -> Array:
            left, right = x.astype(out), y.astype(out)
            return np.matmul(left, right.swapaxes(1, 2) if turned else right)

        def torch(t: Any, at: list[Any]) -> Any:
            return t.bmm(at[0], at[1].transpose(1, 2) if turned else at[1]).float()

        def jax(j: Any, at: list[Any]) -> Any:
            dims = (((2,), (2 if turned else 1,)), ((0,), (0,)))
            return j.lax.dot_general(at[0], at[1], dims, preferred_element_type=out)

        return Row(
            [x, y],
            (b, m, n),
            out,
            exact if types == "float32" else None,
            torch,
            tensors,
            2.0 * b * m * k * n,
            tolerance=2e-2 if types == "bfloat16" else 1e-3,
            jax=jax,
            onnx=None
            if turned or types != "float32"
            else Onnx([("MatMul", ["x0", "x1"], ["y"], {})]),
            exact=exact,
        )

    return make


# Windows


def conv(
    n: int,
    ci: int,
    hw: tuple[int, int],
    co: int,
    taps: tuple[int, int],
    step: int = 1,
    pad: int = 0,
    spread: int = 1,
    groups: int = 1,
    layout: str = "NCHW",
    types: str = "float32",
) -> Maker:
    """A convolution with zero padding; ``groups == ci`` is depthwise. ``spread`` is the dilation.

    Weights are OIHW, or HWIO for NHWC.
    """
    h, w = hw
    a, b = taps
    out = [
        (size + 2 * pad - (tap - 1) * spread - 1) // step + 1
        for size, tap in zip(hw, taps, strict=True)
    ]
    depthwise = groups == ci and groups > 1
    first = layout == "NCHW"
    dtype = "int32" if "int" in types else types
    of_x, _, of_w = types.partition("*")

    def make() -> Row:
        x = data(of_x, *((n, ci, h, w) if first else (n, h, w, ci)), salt=1)
        f = data(
            of_w or of_x,
            *((co, ci // groups, a, b) if first else (a, b, ci // groups, co)),
            salt=2,
        )

        def tensors() -> list[Any]:
            from kc import topi

            X, F = places(x, f)
            if depthwise and co == ci:
                if first:
                    result = topi.nn.depthwise_conv2d_nchw(X, F, step, pad, spread, out_dtype=dtype)
                else:  # its weights are (H, W, C, factor)
                    G = topi.reshape(F, (a, b, ci, 1))
                    result = topi.nn.depthwise_conv2d_nhwc(X, G, step, pad, spread, out_dtype=dtype)
            elif groups > 1:
                function = topi.nn.group_conv2d_nchw if first else topi.nn.group_conv2d_nhwc
                result = function(X, F, step, pad, spread, groups, out_dtype=dtype)
            else:
                function = topi.nn.conv2d_nchw if first else topi.nn.conv2d_nhwc
                result = function(X, F, step, pad, spread, out_dtype=dtype)
            return [X, F, result]

        def exact() -> Array:
            wide = "int32" if dtype == "int32" else "float64"
            image = x.astype(wide) if first else x.astype(wide).transpose(0, 3, 1, 2)
            weights = f.astype(wide) if first else f.astype(wide).transpose(3, 2, 0, 1)
            image = np.pad(image, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
            total = np.zeros((n, co, *out), wide)
            part, each = ci // groups, co // groups
            for g in range(groups):
                inputs = image[:, g * part : (g + 1) * part]
                for p in range(a):
                    for q in range(b):
                        window = inputs[:, :, p * spread :: step, q * spread :: step]
                        window = window[:, :, : out[0], : out[1]]
                        total[:, g * each : (g + 1) * each] += np.einsum(
                            "ncyx,oc->noyx", window, weights[g * each : (g + 1) * each, :, p, q]
                        )
            return (total if first else total.transpose(0, 2, 3, 1)).astype(dtype)

        def torch(t: Any, at: list[Any]) -> Any:
            image, weights = at
            if not first:  # views of the same memory: channels last
                image, weights = image.permute(0, 3, 1, 2), weights.permute(3, 2, 0, 1)
            result = t.nn.functional.conv2d(
                image, weights, padding=pad, stride=step, dilation=spread, groups=groups
            )
            return result if first else result.permute(0, 2, 3, 1)

        def jax(j: Any, at: list[Any]) -> Any:
            return j.lax.conv_general_dilated(
                at[0],
                at[1],
                (step, step),
                [(pad, pad), (pad, pad)],
                rhs_dilation=(spread, spread),
                dimension_numbers=("NCHW", "OIHW", "NCHW") if first else ("NHWC", "HWIO", "NHWC"),
                feature_group_count=groups,
                preferred_element_type=dtype,
            )

        onnx = None
        if first:
            attributes = {
                "pads": [pad] * 4,
                "strides": [step] * 2,
                "dilations": [spread] * 2,
                "group": groups,
            }
            name = "ConvInteger" if dtype == "int32" else "Conv"
            if dtype != "int32" or of_x == "uint8":
                onnx = Onnx([(name, ["x0", "x1"], ["y"], attributes)])
        return Row(
            [x, f],
            (n, co, *out) if first else (n, *out, co),
            dtype,
            None,
            None if dtype == "int32" else torch,
            tensors,
            2.0 * n * co * math.prod(out) * a * b * (ci // groups),
            jax=jax if dtype == "float32" or of_w in ("", of_x) else None,
            onnx=onnx,
            exact=exact,
        )

    return make


def conv_transposed(
    n: int, ci: int, hw: int, co: int, taps: int, step: int = 2, pad: int = 1
) -> Maker:
    """The gradient of a convolution, by which networks enlarge images; NCHW, IOHW."""
    out = (hw - 1) * step - 2 * pad + taps

    def make() -> Row:
        x, f = data("float32", n, ci, hw, hw, salt=1), data("float32", ci, co, taps, taps, salt=2)

        def tensors() -> list[Any]:
            from kc import topi

            X, F = places(x, f)
            return [X, F, topi.nn.conv2d_transpose_nchw(X, F, step, pad, "float32", (0, 0))]

        def exact() -> Array:
            whole = np.zeros((n, co, out + 2 * pad, out + 2 * pad))
            for p in range(taps):
                for q in range(taps):
                    part = np.einsum("ncyx,co->noyx", x.astype("float64"), f[:, :, p, q])
                    rows, columns = p + (hw - 1) * step + 1, q + (hw - 1) * step + 1
                    whole[:, :, p:rows:step, q:columns:step] += part
            return whole[:, :, pad : pad + out, pad : pad + out].astype("float32")

        def torch(t: Any, at: list[Any]) -> Any:
            return t.nn.functional.conv_transpose2d(at[0], at[1], stride=step, padding=pad)

        def jax(j: Any, at: list[Any]) -> Any:
            edge = taps - 1 - pad
            return j.lax.conv_general_dilated(
                at[0],
                j.numpy.flip(at[1], (2, 3)),
                (1, 1),
                [(edge, edge), (edge, edge)],
                lhs_dilation=(step, step),
                dimension_numbers=("NCHW", "IOHW", "NCHW"),
            )

        attributes = {"pads": [pad] * 4, "strides": [step] * 2}
        return Row(
            [x, f],
            (n, co, out, out),
            "float32",
            None,
            torch,
            tensors,
            2.0 * n * ci * co * hw * hw * taps * taps,
            jax=jax,
            onnx=Onnx([("ConvTranspose", ["x0", "x1"], ["y"], attributes)]),
            exact=exact,
        )

    return make


def pool(
    kind: str,
    n: int,
    c: int,
    hw: tuple[int, int],
    taps: int,
    step: int,
    pad: int = 0,
    layout: str = "NCHW",
    counted: bool = False,
) -> Maker:
    """The maximum or average of windows; ``taps`` 0 covers the whole image.

    ``counted``: averages also count taps in the padding.
    """
    h, w = hw
    whole = taps == 0
    out = (1, 1) if whole else tuple((size + 2 * pad - taps) // step + 1 for size in hw)
    first = layout == "NCHW"

    def make() -> Row:
        x = data("float32", *((n, c, h, w) if first else (n, h, w, c)))

        def tensors() -> list[Any]:
            from kc import topi

            (X,) = places(x)
            if whole:
                return [X, topi.nn.global_pool(X, kind, layout)]
            four = (pad,) * 4
            sizes = ((taps, taps), (step, step), (1, 1), four)
            return [X, topi.nn.pool2d(X, *sizes, kind, False, layout, counted)]

        border = ((0, 0), (0, 0), (pad, pad), (pad, pad))

        def windows(of: Array) -> Array:
            view = np.lib.stride_tricks.sliding_window_view(of, (taps, taps), axis=(2, 3))
            return view[:, :, ::step, ::step]

        def terms() -> Array:
            """The number of terms of each average, as (1, 1, H, W)."""
            inside = np.ones((1, 1, h, w))
            return windows(np.pad(inside, border, constant_values=int(counted))).sum((4, 5))

        def exact() -> Array:
            image = x if first else x.transpose(0, 3, 1, 2)
            if whole:
                result = (
                    image.max((2, 3), keepdims=True)
                    if kind == "max"
                    else image.mean((2, 3), keepdims=True, dtype="float64")
                )
            else:
                value = -np.inf if kind == "max" else 0
                image = np.pad(image, border, constant_values=value)
                if kind == "max":
                    result = windows(image).max((4, 5))
                else:
                    result = windows(image).sum((4, 5), dtype="float64") / terms()
            return (result if first else result.transpose(0, 2, 3, 1)).astype("float32")

        def torch(t: Any, at: list[Any]) -> Any:
            image = at[0] if first else at[0].permute(0, 3, 1, 2)
            f = t.nn.functional
            if whole:
                result = (f.adaptive_max_pool2d if kind == "max" else f.adaptive_avg_pool2d)(
                    image, 1
                )
            elif kind == "max":
                result = f.max_pool2d(image, taps, step, pad)
            else:
                result = f.avg_pool2d(image, taps, step, pad, count_include_pad=counted)
            return result if first else result.permute(0, 2, 3, 1)

        def jax(j: Any, at: list[Any]) -> Any:
            axes = (2, 3) if first else (1, 2)
            if whole:
                return getattr(at[0], "max" if kind == "max" else "mean")(axes, keepdims=True)
            window, strides, border = [1] * 4, [1] * 4, [(0, 0)] * 4
            for axis in axes:
                window[axis], strides[axis], border[axis] = taps, step, (pad, pad)
            if kind == "max":
                start, function = -math.inf, j.lax.max
                return j.lax.reduce_window(at[0], start, function, window, strides, border)

            def total(of: Any) -> Any:
                return j.lax.reduce_window(of, 0.0, j.lax.add, window, strides, border)

            parts = (1 / terms()).astype("float32")
            return total(at[0]) * (parts if first else parts.transpose(0, 2, 3, 1))

        onnx = None
        if first:
            name = "MaxPool" if kind == "max" else "AveragePool"
            attributes: dict[str, Any] = {
                "kernel_shape": [taps] * 2,
                "strides": [step] * 2,
                "pads": [pad] * 4,
            }
            if kind == "avg":
                attributes["count_include_pad"] = int(counted)
            node = (name, ["x0"], ["y"], attributes)
            onnx = Onnx([(f"Global{name}", ["x0"], ["y"], {}) if whole else node])
        return Row(
            [x],
            (n, c, *out) if first else (n, *out, c),
            "float32",
            None,
            torch,
            tensors,
            0,
            jax=jax,
            onnx=onnx,
            exact=exact,
        )

    return make


# Rows: norms, softmax, attention


def norm(kind: str, shape: Sequence[int], groups: int = 1) -> Maker:
    """Layer and rms norms over the last axis; batch, instance and group norms of NCHW."""
    channels = shape[1] if kind in ("batch", "instance", "group") else shape[-1]

    def make() -> Row:
        x = data("float32", *shape, salt=1)
        g, b = data("float32", channels, salt=2), data("float32", channels, salt=3)
        m, v = data("float32", channels, salt=4), np.abs(data("float32", channels, salt=5)) + 0.5
        v = v.astype("float32")
        arrays = {"rms": [x, g], "batch": [x, g, b, m, v]}.get(kind, [x, g, b])

        def tensors() -> list[Any]:
            from kc import topi

            at = places(*arrays)
            nn = topi.nn
            if kind == "layer":
                result = nn.layer_norm(*at, axis=-1)
            elif kind == "rms":
                result = nn.rms_norm(*at, axis=-1)
            elif kind == "batch":
                result = nn.batch_norm(*at)[0]
            elif kind == "instance":
                result = nn.instance_norm(*at)
            else:
                result = nn.group_norm(*at, num_groups=groups)
            return [*at, result]

        def exact() -> Array:
            wide = x.astype("float64")
            if kind == "rms":
                square = (wide * wide).mean(-1, keepdims=True)
                return (wide / np.sqrt(square + 1e-5) * g).astype("float32")
            if kind == "layer":
                away = wide - wide.mean(-1, keepdims=True)
                square = (away * away).mean(-1, keepdims=True)
                return (away / np.sqrt(square + 1e-5) * g + b).astype("float32")
            wide_shape = (1, channels, 1, 1)
            if kind == "batch":
                away = (wide - m.reshape(wide_shape)) / np.sqrt(v.reshape(wide_shape) + 1e-5)
            else:
                many = channels if kind == "instance" else groups
                parts = wide.reshape(shape[0], many, -1)
                parts = parts - parts.mean(2, keepdims=True)
                square = (parts * parts).mean(2, keepdims=True)
                away = (parts / np.sqrt(square + 1e-5)).reshape(shape)
            return (away * g.reshape(wide_shape) + b.reshape(wide_shape)).astype("float32")

        def torch(t: Any, at: list[Any]) -> Any:
            f = t.nn.functional
            if kind == "layer":
                return f.layer_norm(at[0], (channels,), at[1], at[2], 1e-5)
            if kind == "rms":
                return f.rms_norm(at[0], (channels,), at[1], 1e-5)
            if kind == "batch":
                return f.batch_norm(at[0], at[3], at[4], at[1], at[2], False, 0.1, 1e-5)
            return f.group_norm(
                at[0], channels if kind == "instance" else groups, at[1], at[2], 1e-5
            )

        def jax(j: Any, at: list[Any]) -> Any:
            def scaled(away: Any, axes: Any) -> Any:
                return away * j.lax.rsqrt((away * away).mean(axes, keepdims=True) + 1e-5)

            if kind == "rms":
                return scaled(at[0], -1) * at[1]
            if kind == "layer":
                return scaled(at[0] - at[0].mean(-1, keepdims=True), -1) * at[1] + at[2]
            wide_shape = (1, channels, 1, 1)
            if kind == "batch":
                factor = at[1] * j.lax.rsqrt(at[4] + 1e-5)
                return at[0] * factor.reshape(wide_shape) + (at[2] - at[3] * factor).reshape(
                    wide_shape
                )
            many = channels if kind == "instance" else groups
            parts = at[0].reshape(shape[0], many, -1)
            parts = scaled(parts - parts.mean(2, keepdims=True), 2).reshape(shape)
            return parts * at[1].reshape(wide_shape) + at[2].reshape(wide_shape)

        names = {
            "layer": ("LayerNormalization", ["x0", "x1", "x2"], {"epsilon": 1e-5}),
            "batch": ("BatchNormalization", ["x0", "x1", "x2", "x3", "x4"], {"epsilon": 1e-5}),
            "instance": ("InstanceNormalization", ["x0", "x1", "x2"], {"epsilon": 1e-5}),
        }
        onnx = None
        if kind in names:
            name, inputs, attributes = names[kind]
            onnx = Onnx([(name, inputs, ["y"], attributes)])
        return Row(
            arrays,
            tuple(shape),
            "float32",
            None,
            torch,
            tensors,
            0,
            jax=jax,
            onnx=onnx,
            exact=exact,
        )

    return make


def softmax(shape: Sequence[int], axis: int = -1, logarithm: bool = False) -> Maker:
    """Softmax along an axis."""
    name = "log_softmax" if logarithm else "softmax"

    def make() -> Row:
        x = data("float32", *shape)

        def tensors() -> list[Any]:
            from kc import topi

            (X,) = places(x)
            return [X, getattr(topi.nn, name)(X, axis)]

        def numpy() -> Array:
            away = x - x.max(axis, keepdims=True)
            power = np.exp(away)
            total = power.sum(axis, keepdims=True)
            return away - np.log(total) if logarithm else power / total

        return Row(
            [x],
            tuple(shape),
            "float32",
            numpy,
            lambda t, at: getattr(t, name)(at[0], axis),
            tensors,
            0,
            jax=lambda j, at: getattr(j.nn, name)(at[0], axis),
            onnx=Onnx([("LogSoftmax" if logarithm else "Softmax", ["x0"], ["y"], {"axis": axis})]),
        )

    return make


def attention(
    heads: tuple[int, int],
    rows: int,
    keys: int,
    depth: int,
    mask: str = "",
    shared: int = 1,
    types: str = "float32",
) -> Maker:
    """``heads`` gives the number of items and the number of heads of each.

    ``mask``: "", "causal", or "padded", where the keys of each item end at a length passed to the
    call. ``shared``: the number of query heads that share keys.
    """
    b, h = heads

    def make() -> Row:
        q = data(types, b, h, rows, depth, salt=1)
        k, v = (data(types, b, h // shared, keys, depth, salt=salt) for salt in (2, 3))
        ends = np.random.default_rng(b).integers((keys + 1) // 2, keys + 1, b).astype("int32")
        arrays = [q, k, v, ends] if mask == "padded" else [q, k, v]
        factor = 1 / math.sqrt(depth)

        def tensors() -> list[Any]:
            from kc import te, topi

            at = places(*arrays)
            if mask == "padded":
                E = at[3]
                seen = te.compute((b, 1, 1, keys), lambda z, _, i, j: j < E[z], name="seen")
                return [*at, topi.nn.attention(*at[:3], mask=seen)]
            return [*at, topi.nn.attention(*at, is_causal=mask == "causal")]

        def allowed() -> Array:
            if mask == "padded":
                return (np.arange(keys) < ends[:, None])[:, None, None]
            if mask == "causal":
                return np.tri(rows, keys, keys - rows, dtype=bool)[None, None]
            return np.ones((1, 1, 1, 1), bool)

        def exact() -> Array:
            # Not wider than the operands: this is also numpy's row.
            many = [np.repeat(it, shared, 1) if shared > 1 else it for it in (k, v)]
            scores = np.matmul(q.astype("float32"), many[0].astype("float32").swapaxes(2, 3))
            scores *= np.float32(factor)
            if mask:
                scores = np.where(allowed(), scores, np.float32(-np.inf))
            power = np.exp(scores - scores.max(3, keepdims=True))
            power /= power.sum(3, keepdims=True)
            return np.matmul(power, many[1].astype("float32")).astype(q.dtype)

        def torch(t: Any, at: list[Any]) -> Any:
            function = t.nn.functional.scaled_dot_product_attention
            if mask == "padded":
                seen = (t.arange(keys) < at[3][:, None])[:, None, None]
                return function(*at[:3], attn_mask=seen, enable_gqa=shared > 1)
            causal = mask == "causal"
            return function(*at, is_causal=causal, enable_gqa=shared > 1)

        def jax(j: Any, at: list[Any]) -> Any:
            jnp = j.numpy
            many = [jnp.repeat(it, shared, 1) if shared > 1 else it for it in at[1:3]]
            scores = jnp.einsum("bhie,bhje->bhij", at[0], many[0]) * factor
            if mask == "padded":
                seen = (jnp.arange(keys) < at[3][:, None])[:, None, None]
                scores = jnp.where(seen, scores, -jnp.inf)
            elif mask:
                scores = jnp.where(jnp.tri(rows, keys, keys - rows, dtype=bool), scores, -jnp.inf)
            return jnp.einsum("bhij,bhje->bhie", j.nn.softmax(scores, 3), many[1])

        onnx = None
        if not mask and shared == 1 and types == "float32":
            onnx = Onnx(
                [
                    ("Transpose", ["x1"], ["k"], {"perm": [0, 1, 3, 2]}),
                    ("MatMul", ["x0", "k"], ["s"], {}),
                    ("Mul", ["s", "c"], ["t"], {}),
                    ("Softmax", ["t"], ["p"], {"axis": 3}),
                    ("MatMul", ["p", "x2"], ["y"], {}),
                ],
                {"c": np.array(factor, "float32")},
            )
        return Row(
            arrays,
            q.shape,
            types,
            exact if types == "float32" else None,
            # torch's causal mask ends at the first key, not at the last one
            torch if mask != "causal" or rows == keys else None,
            tensors,
            4.0 * b * h * rows * keys * depth * (0.5 if mask == "causal" and rows == keys else 1),
            jax=jax,
            onnx=onnx,
            exact=exact,
        )

    return make


# Elements


def _gelu(x: Any, f: Any) -> Any:
    return 0.5 * x * (1.0 + f.erf(x * 0.7071067811865476))


POINTWISE: dict[str, tuple[int, Callable[..., Any], str | None, str | None]] = {
    # name: (inputs, what it is: of a module of functions and the inputs; names of torch and onnx)
    "exp": (1, lambda f, x: f.exp(x), "exp", "Exp"),
    "log": (1, lambda f, x: f.log(x * x + 0.1), None, None),
    "tanh": (1, lambda f, x: f.tanh(x), "tanh", "Tanh"),
    "sigmoid": (1, lambda f, x: 1.0 / (1.0 + f.exp(0.0 - x)), "sigmoid", "Sigmoid"),
    "silu": (1, lambda f, x: x / (1.0 + f.exp(0.0 - x)), "nn.functional.silu", None),
    "gelu": (1, lambda f, x: _gelu(x, f), "nn.functional.gelu", "Gelu"),
    "softplus": (1, lambda f, x: f.log(1.0 + f.exp(x)), "nn.functional.softplus", "Softplus"),
    "pow": (2, lambda f, x, y: f.power(x * x + 0.1, y), None, None),
    "sqrt": (1, lambda f, x: f.sqrt(x * x + 1.0), None, None),
    "sin+cos": (1, lambda f, x: f.sin(x) + f.cos(x), None, None),
    "relu(x+y)": (2, lambda f, x, y: f.maximum(x + y, 0.0), None, None),
    "x*y+z": (3, lambda f, x, y, z: x * y + z, None, None),
    "clip": (1, lambda f, x: f.minimum(f.maximum(x, -1.0), 1.0), None, None),
    "divide": (2, lambda f, x, y: x / (y * y + 1.0), None, None),
    "distance": (2, lambda f, x, y: f.sqrt((x - y) * (x - y)) + f.abs(x), None, None),
}


class _Functions:
    """The functions of POINTWISE in a system."""

    def __init__(self, system: str, module: Any, dtype: str) -> None:
        self.system, self.module, self.dtype = system, module, dtype

    def __getattr__(self, name: str) -> Any:
        module, bound = self.module, {"maximum": "min", "minimum": "max"}.get(name)
        if self.system == "te":
            if bound is None:
                return getattr(module, name)
            function = getattr(module, name[:3])
            return lambda x, y: function(x, module.const(y, self.dtype))
        if self.system == "torch":
            if bound is not None:
                return lambda x, y: module.clamp(x, **{bound: y})
            return getattr(module, {"power": "pow"}.get(name, name))
        return getattr(module.lax if name == "erf" else module.numpy, name)


def pointwise(name: str, shape: Sequence[int], dtype: str = "float32") -> Maker:
    """A function of :data:`POINTWISE`, applied to each element."""
    count, body, of_torch, of_onnx = POINTWISE[name]

    def make() -> Row:
        arrays = [data(dtype, *shape, salt=n) for n in range(count)]
        kind = np.dtype(dtype).type

        def tensors() -> list[Any]:
            from kc import te

            at = places(*arrays)

            f = _Functions("te", te, dtype)
            return [*at, te.compute(shape, lambda *p: body(f, *(X(*p) for X in at)), name="O")]

        def plain() -> Array:
            if name == "gelu":
                erf = np.vectorize(math.erf, otypes=[dtype])
                return (kind(0.5) * arrays[0] * (1 + erf(arrays[0] * kind(0.5**0.5)))).astype(dtype)
            return body(np, *arrays)

        def torch(t: Any, at: list[Any]) -> Any:
            if of_torch is None:
                return body(_Functions("torch", t, dtype), *at)
            function = t
            for part in of_torch.split("."):
                function = getattr(function, part)
            return function(*at)

        def jax(j: Any, at: list[Any]) -> Any:
            return body(_Functions("jax", j, dtype), *at)

        return Row(
            arrays,
            tuple(shape),
            dtype,
            None if name == "gelu" or dtype == "float16" else plain,
            torch,
            tensors,
            0,
            tolerance=1e-2 if dtype == "float16" else 1e-3,
            jax=None if dtype == "float64" else jax,
            onnx=Onnx([(of_onnx, ["x0"], ["y"], {})]) if of_onnx and dtype == "float32" else None,
            exact=plain,
        )

    return make


INTEGERS = ("add", "multiply", "divide", "modulo", "shift", "mix", "requantise", "saturate")


def integers(name: str, shape: Sequence[int]) -> Maker:
    """Arithmetic on 32-bit integers, or on bytes (requantise, saturate)."""

    def make() -> Row:
        dtype = "int32"
        if name == "requantise":  # sums of products of bytes become bytes
            x, dtype = data("int32", *shape, salt=1), "int8"
            arrays = [x]
        elif name == "saturate":
            x, y = (data("uint8", *shape, salt=salt) for salt in (1, 2))
            arrays, dtype = [x, y], "uint8"
        else:
            x, y = data("int32", *shape, salt=1), data("int32", *shape, salt=2, low=1, high=1000)
            arrays = [x, y]
        scale = 0.00021

        def tensors() -> list[Any]:
            from kc import te

            at = places(*arrays)

            def body(*p: Any) -> Any:
                x, y = at[0](*p), at[-1](*p)
                if name == "requantise":
                    real = te.round(x.astype("float32") * te.const(scale, "float32"))
                    low, high = te.const(-128.0, "float32"), te.const(127.0, "float32")
                    return te.max(te.min(real, high), low).astype("int8")
                if name == "saturate":
                    total = x.astype("int32") + y.astype("int32")
                    return te.min(total, te.const(255, "int32")).astype("uint8")
                return {
                    "add": lambda: x + y,
                    "multiply": lambda: x * y,
                    "divide": lambda: te.floordiv(x, y),
                    "modulo": lambda: te.floormod(x, y),
                    "shift": lambda: (x >> 3) + (y << 2),
                    "mix": lambda: (x ^ (x >> 7)) * 5 + (y & 255),
                }[name]()

            return [*at, te.compute(shape, body, name="O")]

        def of(np_like: Any, x: Any, y: Any) -> Any:
            return {
                "add": lambda: x + y,
                "multiply": lambda: x * y,
                "divide": lambda: np_like.floor_divide(x, y),
                "modulo": lambda: np_like.remainder(x, y),
                "shift": lambda: (x >> 3) + (y << 2),
                "mix": lambda: (x ^ (x >> 7)) * 5 + (y & 255),
            }[name]()

        def numpy() -> Array:
            if name == "requantise":
                real = np.rint(x.astype("float32") * np.float32(scale))
                return np.clip(real, -128, 127).astype("int8")
            if name == "saturate":
                total = arrays[0].astype("int32") + arrays[1]
                return np.minimum(total, 255).astype("uint8")
            return of(np, *arrays)

        def torch(t: Any, at: list[Any]) -> Any:
            if name == "requantise":
                return t.clamp(t.round(at[0].float() * scale), -128, 127).to(t.int8)
            if name == "saturate":
                return t.clamp(at[0].int() + at[1].int(), max=255).to(t.uint8)
            return of(t, *at)

        def jax(j: Any, at: list[Any]) -> Any:
            if name == "requantise":
                real = j.numpy.round(at[0].astype("float32") * scale)
                return j.numpy.clip(real, -128, 127).astype("int8")
            if name == "saturate":
                total = at[0].astype("int32") + at[1].astype("int32")
                return j.numpy.minimum(total, 255).astype("uint8")
            return of(j.numpy, *at)

        return Row(arrays, tuple(shape), dtype, numpy, torch, tensors, 0, tolerance=1e-6, jax=jax)

    return make


# Order: scan, sort, index


def scan(kind: str, shape: Sequence[int], axis: int, dtype: str = "float32") -> Maker:
    """Running sums or products."""

    def make() -> Row:
        x = data(dtype, *shape)
        if kind == "cumprod":  # factors near 1: the products stay numbers
            x = (1 + x / 1000).astype(dtype)

        def tensors() -> list[Any]:
            from kc import topi

            (X,) = places(x)
            return [X, getattr(topi, kind)(X, axis)]

        def numpy() -> Array:
            return getattr(np, kind)(x, axis, dtype=dtype)

        def jax(j: Any, at: list[Any]) -> Any:
            return getattr(j.numpy, kind)(at[0], axis)

        sums = LOOPS_OF_PREFIX_SUMS
        loops = kind == "cumsum" and len(shape) == 2
        return Row(
            [x],
            tuple(shape),
            dtype,
            numpy,
            lambda t, at: getattr(t, kind)(at[0], axis, dtype=at[0].dtype),
            tensors,
            0,
            jax=None if dtype == "float64" else jax,
            numba=sums[axis] if loops else None,
            onnx=Onnx([("CumSum", ["x0", "axis"], ["y"], {})], {"axis": np.array(axis, "int64")})
            if kind == "cumsum"
            else None,
        )

    return make


def sort(kind: str, rows: int, columns: int, dtype: str = "float32", k: int = 8) -> Maker:
    """Sort, argsort or topk of each row, by ``kind``."""

    def make() -> Row:
        # All numbers of a row are different: places are then the same in all systems.
        numbers = np.random.default_rng(rows)
        x = numbers.random((rows, columns)).argsort(1).astype(dtype)
        if dtype == "float32":
            x = x / 7 - 1000
            x = x.astype(dtype)
        most = min(k, columns)

        def tensors() -> list[Any]:
            from kc import topi

            (X,) = places(x)
            if kind == "sort":
                return [X, topi.sort(X, 1)]
            if kind == "argsort":
                return [X, topi.argsort(X, axis=1, dtype="int32")]
            return [X, topi.topk(X, most, 1, "values")]

        def numpy() -> Array:
            if kind == "topk":
                part = np.partition(x, columns - most, 1)[:, columns - most :]
                return np.ascontiguousarray(np.sort(part, 1)[:, ::-1])
            return getattr(np, kind)(x, 1)

        def torch(t: Any, at: list[Any]) -> Any:
            if kind == "topk":
                return t.topk(at[0], most, 1)[0]
            return t.sort(at[0], 1)[0] if kind == "sort" else t.argsort(at[0], 1)

        def jax(j: Any, at: list[Any]) -> Any:
            if kind == "topk":
                return j.lax.top_k(at[0], most)[0]
            return getattr(j.numpy, kind)(at[0], 1)

        onnx = None
        if kind == "topk":
            onnx = Onnx(
                [("TopK", ["x0", "k"], ["y", "places"], {"axis": 1})],
                {"k": np.array([most], "int64")},
            )
        return Row(
            [x],
            (rows, most) if kind == "topk" else (rows, columns),
            "int32" if kind == "argsort" else dtype,
            numpy,
            torch,
            tensors,
            0,
            tolerance=1e-6,
            jax=jax,
            onnx=onnx,
        )

    return make


def index(kind: str, rows: int, columns: int, count: int) -> Maker:
    """Reads and writes at indices passed to the call.

    ``take``: read ``count`` rows of a matrix; ``gather``: read ``count`` elements of each row;
    ``scatter_add``: add ``count`` rows to rows of a matrix; ``histogram``: count ``count`` numbers
    below ``columns``; ``one_hot``: ``count`` rows with a single 1.
    """

    def make() -> Row:
        arrays: list[Array]
        x = data("float32", rows, columns, salt=1)
        if kind == "take":
            at_rows = data("int32", count, salt=2, low=0, high=rows)
            arrays, shape, dtype = [x, at_rows], (count, columns), "float32"
        elif kind == "gather":
            at_columns = data("int32", rows, count, salt=2, low=0, high=columns)
            arrays, shape, dtype = [x, at_columns], (rows, count), "float32"
        elif kind == "scatter_add":
            at_rows = data("int32", count, columns, salt=2, low=0, high=rows)
            arrays = [x, at_rows, data("float32", count, columns, salt=3)]
            shape, dtype = (rows, columns), "float32"
        else:
            numbers = data("int32", count, salt=2, low=0, high=columns)
            arrays, dtype = [numbers], "int32" if kind == "histogram" else "float32"
            shape = (columns,) if kind == "histogram" else (count, columns)

        def tensors() -> list[Any]:
            from kc import te, topi

            at = places(*arrays)
            if kind == "take":
                return [*at, topi.take(at[0], at[1], 0)]
            if kind == "gather":
                return [*at, topi.gather(at[0], 1, at[1])]
            if kind == "scatter_add":
                return [*at, topi.scatter_add(*at, axis=0)]
            if kind == "histogram":
                zeros = topi.full((columns,), "int32", 0)
                ones = te.compute((count,), lambda i: te.const(1, "int32"), name="ones")
                return [*at, topi.scatter_add(zeros, at[0], ones, 0)]
            return [
                *at,
                topi.one_hot(
                    at[0],
                    te.const(1.0, "float32"),
                    te.const(0.0, "float32"),
                    columns,
                    -1,
                    "float32",
                ),
            ]

        def numpy() -> Array:
            if kind == "take":
                return np.take(x, arrays[1], 0)
            if kind == "gather":
                return np.take_along_axis(x, arrays[1], 1)
            if kind == "scatter_add":
                result = x.copy()
                np.add.at(result, (arrays[1], np.arange(columns)), arrays[2])
                return result
            if kind == "histogram":
                return np.bincount(arrays[0], minlength=columns)
            return (arrays[0][:, None] == np.arange(columns)).astype("float32")

        # torch takes places of 64 bits in most of these
        wide = [it.astype("int64") if it.dtype == "int32" else it for it in arrays]

        def torch(t: Any, at: list[Any]) -> Any:
            if kind == "take":
                return t.nn.functional.embedding(at[1], at[0])
            if kind == "gather":
                return t.gather(at[0], 1, at[1])
            if kind == "scatter_add":
                return t.scatter_add(at[0], 0, at[1], at[2])
            if kind == "histogram":
                return t.bincount(at[0], minlength=columns)
            return t.nn.functional.one_hot(at[0], columns).float()

        def jax(j: Any, at: list[Any]) -> Any:
            if kind == "take":
                return j.numpy.take(at[0], at[1], 0, mode="clip")
            if kind == "gather":
                return j.numpy.take_along_axis(at[0], at[1], 1)
            if kind == "scatter_add":
                return at[0].at[at[1], j.numpy.arange(columns)].add(at[2])
            if kind == "histogram":
                return j.numpy.bincount(at[0], length=columns)
            return j.nn.one_hot(at[0], columns)

        onnx = {
            "take": Onnx([("Gather", ["x0", "x1"], ["y"], {"axis": 0})]),
            "gather": Onnx([("GatherElements", ["x0", "x1"], ["y"], {"axis": 1})]),
            "scatter_add": Onnx(
                [("ScatterElements", ["x0", "x1", "x2"], ["y"], {"axis": 0, "reduction": "add"})]
            ),
        }.get(kind)
        return Row(
            arrays,
            shape,
            dtype,
            numpy,
            torch,
            tensors,
            0,
            jax=jax,
            of_torch=wide,
            numba={"scatter_add": _loops_of_scatter_add, "histogram": _loops_of_histogram}.get(
                kind
            ),
            onnx=onnx,
        )

    return make


def _loops_of_scatter_add(x: Array, at: Array, updates: Array, out: Array) -> None:
    out[:] = x
    for i in range(at.shape[0]):
        for j in range(at.shape[1]):
            out[at[i, j], j] += updates[i, j]


def _loops_of_histogram(x: Array, out: Array) -> None:
    out[:] = 0
    for i in range(x.shape[0]):
        out[x[i]] += 1


LAYOUTS = ("transpose", "concatenate", "slice", "pad", "tile", "flip", "repeat", "blocks")


def layout(kind: str, shape: Sequence[int], order: Sequence[int] = ()) -> Maker:
    """Changes of the layout.

    ``transpose`` by ``order``; ``concatenate`` of two arrays along the last axis but one;
    ``slice``: every second row, without the first and last columns; ``pad``: two zeros around the
    last two axes; ``tile``: twice along the last axis; ``flip`` of the last axis; ``repeat``: each
    row twice; ``blocks``: the second axis of (N, C, H, W) in blocks of 8 that become the last axis.
    """
    rank = len(shape)

    def make() -> Row:
        x = data("float32", *shape, salt=1)
        arrays = [x, data("float32", *shape, salt=2)] if kind == "concatenate" else [x]
        front = ((0, 0),) * (rank - 2)

        def numpy() -> Array:
            if kind == "transpose":
                return np.ascontiguousarray(x.transpose(order))
            if kind == "concatenate":
                return np.concatenate(arrays, rank - 2)
            if kind == "slice":
                return np.ascontiguousarray(x[..., ::2, 1:-1])
            if kind == "pad":
                return np.pad(x, (*front, (2, 2), (2, 2)))
            if kind == "tile":
                return np.tile(x, (1,) * (rank - 1) + (2,))
            if kind == "flip":
                return np.ascontiguousarray(np.flip(x, rank - 1))
            if kind == "repeat":
                return np.repeat(x, 2, rank - 2)
            n, c, h, w = shape
            return np.ascontiguousarray(x.reshape(n, c // 8, 8, h, w).transpose(0, 1, 3, 4, 2))

        def tensors() -> list[Any]:
            from kc import topi

            at = places(*arrays)
            (X, *_) = at
            if kind == "transpose":
                result = topi.transpose(X, order)
            elif kind == "concatenate":
                result = topi.concatenate(at, rank - 2)
            elif kind == "slice":
                begin, end = [0] * (rank - 1) + [1], [*shape[:-1], shape[-1] - 1]
                result = topi.strided_slice(X, begin, end, [1] * (rank - 2) + [2, 1])
            elif kind == "pad":
                result = topi.nn.pad(X, [0] * (rank - 2) + [2, 2])
            elif kind == "tile":
                result = topi.tile(X, (1,) * (rank - 1) + (2,))
            elif kind == "flip":
                result = topi.flip(X, rank - 1)
            elif kind == "repeat":
                result = topi.repeat(X, 2, rank - 2)
            else:
                result = topi.layout_transform(X, "NCHW", "NCHW8c")
            return [*at, result]

        def torch(t: Any, at: list[Any]) -> Any:
            x = at[0]
            if kind == "transpose":
                return x.permute(*order).contiguous()
            if kind == "concatenate":
                return t.cat(at, rank - 2)
            if kind == "slice":
                return x[..., ::2, 1:-1].contiguous()
            if kind == "pad":
                return t.nn.functional.pad(x, (2, 2, 2, 2))
            if kind == "tile":
                return t.tile(x, (1,) * (rank - 1) + (2,))
            if kind == "flip":
                return t.flip(x, (rank - 1,))
            if kind == "repeat":
                return t.repeat_interleave(x, 2, rank - 2)
            n, c, h, w = shape
            return x.reshape(n, c // 8, 8, h, w).permute(0, 1, 3, 4, 2).contiguous()

        def jax(j: Any, at: list[Any]) -> Any:
            x, jnp = at[0], j.numpy
            if kind == "transpose":
                return x.transpose(order)
            if kind == "concatenate":
                return jnp.concatenate(at, rank - 2)
            if kind == "slice":
                return x[..., ::2, 1:-1]
            if kind == "pad":
                return jnp.pad(x, (*front, (2, 2), (2, 2)))
            if kind == "tile":
                return jnp.tile(x, (1,) * (rank - 1) + (2,))
            if kind == "flip":
                return jnp.flip(x, rank - 1)
            if kind == "repeat":
                return jnp.repeat(x, 2, rank - 2)
            n, c, h, w = shape
            return x.reshape(n, c // 8, 8, h, w).transpose(0, 1, 3, 4, 2)

        onnx = {
            "transpose": Onnx([("Transpose", ["x0"], ["y"], {"perm": list(order)})]),
            "concatenate": Onnx([("Concat", ["x0", "x1"], ["y"], {"axis": rank - 2})]),
        }.get(kind)
        *front_sizes, h, w = shape
        out = {
            "transpose": tuple(shape[i] for i in order),
            "concatenate": (*front_sizes, 2 * h, w),
            "slice": (*front_sizes, (h + 1) // 2, w - 2),
            "pad": (*front_sizes, h + 4, w + 4),
            "tile": (*front_sizes, h, 2 * w),
            "repeat": (*front_sizes, 2 * h, w),
        }.get(kind, tuple(shape))
        if kind == "blocks":
            out = (shape[0], shape[1] // 8, h, w, 8)
        return Row(
            arrays, out, "float32", numpy, torch, tensors, 0, tolerance=0.0, jax=jax, onnx=onnx
        )

    return make


REDUCTIONS = ("sum", "max", "mean", "prod", "argmax", "variance", "logsumexp")


def reduction(
    kind: str, shape: Sequence[int], axes: Sequence[int], dtype: str = "float32"
) -> Maker:
    """A reduction along axes; argmax along its only axis."""

    def make() -> Row:
        x = data(dtype, *shape)
        if kind == "prod":
            x = (1 + x / 1000).astype(dtype)
        at_axes = tuple(axes)

        def tensors() -> list[Any]:
            from kc import topi

            (X,) = places(x)
            if kind == "argmax":
                return [X, topi.argmax(X, at_axes[0])]
            return [X, getattr(topi, kind)(X, at_axes)]

        def numpy() -> Array:
            if kind == "argmax":
                return x.argmax(at_axes[0])
            if kind == "variance":
                return x.var(at_axes)
            if kind == "logsumexp":
                top = x.max(at_axes, keepdims=True)
                total = np.exp(x - top).sum(at_axes)
                return np.log(total) + top.reshape(total.shape)
            return getattr(x, kind)(at_axes)

        def torch(t: Any, at: list[Any]) -> Any:
            if kind == "argmax":
                return t.argmax(at[0], at_axes[0])
            if kind == "variance":
                return t.var(at[0], at_axes, correction=0)
            if kind == "prod":
                result = at[0]
                for axis in sorted(at_axes, reverse=True):
                    result = t.prod(result, axis)
                return result
            return getattr(t, "amax" if kind == "max" else kind)(at[0], at_axes)

        def jax(j: Any, at: list[Any]) -> Any:
            if kind == "argmax":
                return j.numpy.argmax(at[0], at_axes[0])
            if kind == "variance":
                return j.numpy.var(at[0], at_axes)
            if kind == "logsumexp":
                return j.nn.logsumexp(at[0], at_axes)
            return getattr(j.numpy, kind)(at[0], at_axes)

        names = {"sum": "ReduceSum", "max": "ReduceMax", "mean": "ReduceMean"}
        onnx = None
        if kind in names and dtype == "float32":
            onnx = Onnx(
                [(names[kind], ["x0", "axes"], ["y"], {"keepdims": 0})],
                {"axes": np.array(at_axes, "int64")},
            )
        return Row(
            [x],
            tuple(size for axis, size in enumerate(shape) if axis not in at_axes),
            "int32" if kind == "argmax" else dtype,
            numpy,
            torch,
            tensors,
            0,
            jax=None if dtype == "float64" else jax,
            onnx=onnx,
        )

    return make


STENCILS = ("jacobi", "blur", "gradient", "seven")


def stencil(kind: str, shape: Sequence[int]) -> Maker:
    """A computation on the neighbours of each element.

    ``jacobi``: five points in a plane; ``seven``: seven in space; ``blur``: averages of three in a
    row, then of three in a column, as two stages; ``gradient``: the length of Sobel's gradient.
    """

    def make() -> Row:
        x = data("float32", *shape)
        h, w = shape[-2:]
        third = 1 / 3

        def formula(p: Callable[..., Any], root: Callable[[Any], Any]) -> Any:
            """The formula in terms of ``p``, which returns the neighbour at an offset."""
            if kind == "jacobi":
                return (p(0, 1) + p(1, 0) + p(1, 1) + p(1, 2) + p(2, 1)) * 0.2
            if kind == "seven":
                near = p(0, 1, 1) + p(2, 1, 1) + p(1, 0, 1) + p(1, 2, 1) + p(1, 1, 0) + p(1, 1, 2)
                return near * 0.125 + p(1, 1, 1) * 0.25
            if kind == "gradient":
                gx = p(0, 2) - p(0, 0) + (p(1, 2) - p(1, 0)) * 2.0 + p(2, 2) - p(2, 0)
                gy = p(2, 0) - p(0, 0) + (p(2, 1) - p(0, 1)) * 2.0 + p(2, 2) - p(0, 2)
                return root(gx * gx + gy * gy)
            rows = [(p(i, 0) + p(i, 1) + p(i, 2)) * third for i in range(3)]
            return (rows[0] + rows[1] + rows[2]) * third

        out = tuple(size - 2 for size in shape)

        def tensors() -> list[Any]:
            from kc import te

            (X,) = places(x)
            if kind == "blur":
                R = te.compute(
                    (h, w - 2),
                    lambda i, j: (X[i, j] + X[i, j + 1] + X[i, j + 2]) * third,
                    name="R",
                )
                columns = lambda i, j: (R[i, j] + R[i + 1, j] + R[i + 2, j]) * third  # noqa: E731
                return [X, te.compute(out, columns, name="O")]

            def body(*at: Any) -> Any:
                return formula(
                    lambda *by: X(*(i + d for i, d in zip(at, by, strict=True))), te.sqrt
                )

            return [X, te.compute(out, body, name="O")]

        def of(array: Any, root: Callable[[Any], Any]) -> Any:
            def shifted(*by: int) -> Any:
                return array[tuple(slice(d, d + n) for d, n in zip(by, out, strict=True))]

            if kind == "blur":
                rows = (array[:, :-2] + array[:, 1:-1] + array[:, 2:]) * third
                return (rows[:-2] + rows[1:-1] + rows[2:]) * third
            return formula(shifted, root)

        return Row(
            [x],
            out,
            "float32",
            lambda: of(x, np.sqrt),
            lambda t, at: of(at[0], t.sqrt),
            tensors,
            0,
            jax=lambda j, at: of(at[0], j.numpy.sqrt),
            numba={"jacobi": _loops_of_jacobi, "blur": _loops_of_blur}.get(kind),
        )

    return make


def _loops_of_jacobi(x: Array, out: Array) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            near = x[i, j + 1] + x[i + 1, j] + x[i + 1, j + 1] + x[i + 1, j + 2] + x[i + 2, j + 1]
            out[i, j] = near * np.float32(0.2)


def _loops_of_blur(x: Array, out: Array) -> None:
    third = np.float32(1 / 3)
    rows = np.empty((x.shape[0], out.shape[1]), np.float32)
    for i in range(x.shape[0]):
        for j in range(out.shape[1]):
            rows[i, j] = (x[i, j] + x[i, j + 1] + x[i, j + 2]) * third
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = (rows[i, j] + rows[i + 1, j] + rows[i + 2, j]) * third


def symbolic(kind: str, rows: int, columns: int, depth: int = 64) -> Maker:
    """The rows of constant sizes again, with sizes that are passed to the call."""
    like = {
        "softmax": lambda: softmax((rows, columns)),
        "add": lambda: pointwise("relu(x+y)", (rows, columns)),
        "sum": lambda: reduction("sum", (rows, columns), (1,)),
        "total": lambda: reduction("sum", (rows, columns), (0, 1)),
        "transpose": lambda: layout("transpose", (rows, columns), (1, 0)),
        "gemm": lambda: gemm(rows, depth, columns),
        "attention": lambda: attention((1, 1), rows, columns, depth),
    }[kind]()

    def make() -> Row:
        row = like()

        def tensors() -> list[Any]:
            from kc import te, topi

            n, m = te.var("n"), te.var("m")
            if kind == "gemm":
                A = te.placeholder((n, depth), name="A")
                B = te.placeholder((depth, m), name="B")
                r = te.reduce_axis((0, depth), name="k")
                term = lambda i, j: te.sum(A[i, r] * B[r, j], axis=r)  # noqa: E731
                return [A, B, te.compute((n, m), term, name="C")]
            if kind == "attention":
                Q = te.placeholder((1, 1, n, depth), name="Q")
                K, V = (te.placeholder((1, 1, m, depth), name=name) for name in "KV")
                return [Q, K, V, topi.nn.attention(Q, K, V)]
            X, Y = (te.placeholder((n, m), name=name) for name in "XY")
            if kind == "softmax":
                return [X, topi.nn.softmax(X, 1)]
            if kind == "add":
                zero = te.const(0.0)
                total = lambda i, j: te.max(X[i, j] + Y[i, j], zero)  # noqa: E731
                return [X, Y, te.compute((n, m), total, name="O")]
            if kind == "transpose":
                return [X, te.compute((m, n), lambda i, j: X[j, i], name="O")]
            return [X, topi.sum(X, (1,) if kind == "sum" else (0, 1))]

        return replace(row, tensors=tensors)

    return make
