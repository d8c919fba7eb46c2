"""The rows of ``benchmarks/cpu.py``: the computation in each system, and as tensors of te.

Operations and bytes are the minimum of the computation: a multiply-add counts as two operations,
and each input and output is moved once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass
class Onnx:
    """A graph for onnxruntime, of the inputs ``x0``, ``x1``, ...; its result is ``y``."""

    nodes: list[tuple[str, list[str], list[str], dict[str, Any]]]
    """The operator, the inputs, the results, and the attributes."""
    constants: dict[str, Array] = field(default_factory=dict)


@dataclass
class Row:
    """One line of the table."""

    arrays: list[Array]
    """The inputs."""
    shape: tuple[int, ...]
    dtype: str
    """The dtype of the output."""
    numpy: Callable[[], Array] | None
    """The computation by numpy; None if numpy has no comparable function."""
    torch: Callable[[Any, list[Any]], Any] | None
    """The computation by torch, as a function of the module and the tensors."""
    tensors: Callable[[], list[Any]]
    """The arguments of the function in te."""
    operations: float
    """Floating-point (or integer) operations; 0 if the row is bound by memory."""
    tolerance: float = 1e-3
    jax: Callable[[Any, list[Any]], Any] | None = None
    """The computation by jax, as a function of the module and the arrays; it is compiled."""
    of_peers: list[Array] | None = None
    """The inputs of the peers, if kc's have another layout."""
    numba: Callable[..., None] | None = None
    """Loops for numba, as a function of the inputs and the output; None if they would be slow."""
    onnx: Onnx | None = None
    """The model of onnxruntime."""
    of_torch: list[Array] | None = None
    """The inputs of torch, if it needs another type."""
    exact: Callable[[], Array] | None = None
    """The exact results by numpy, for tests, if ``numpy`` is None or less exact."""

    def expected(self) -> Array:
        """The results of numpy."""
        function = self.exact or self.numpy
        assert function is not None
        return function()

    @property
    def bytes(self) -> float:
        """Bytes of all inputs and the output."""
        size = math.prod(self.shape) * np.dtype(self.dtype).itemsize
        return sum(array.nbytes for array in self.arrays) + size


def floats(*shape: int) -> Array:
    """Random numbers, the same in each process."""
    return np.random.default_rng(len(shape)).standard_normal(shape, dtype=np.float32)


def product(m: int, k: int, n: int, batch: int = 0, act: str = "") -> Callable[[], Row]:
    """A product of matrices, with an optional bias and activation."""

    def make() -> Row:
        lead = (batch,) if batch else ()
        a, b, d = floats(*lead, m, k), floats(*lead, k, n), floats(n)

        def tensors() -> list[Any]:
            from kc import te

            A, B = te.placeholder(a.shape, name="A"), te.placeholder(b.shape, name="B")
            axis = te.reduce_axis((0, k), name="k")
            C = te.compute(
                (*lead, m, n),
                lambda *at: te.sum(A(*at[:-1], axis) * B(*at[:-2], axis, at[-1]), axis=axis),
                name="C",
            )
            if not act:
                return [A, B, C]
            D = te.placeholder((n,), name="D")
            function = _te_gelu if act == "gelu" else lambda x: te.max(x, te.const(0.0))
            return [A, B, D, te.compute((m, n), lambda i, j: function(C[i, j] + D[j]), name="E")]

        def numpy() -> Array:
            c = np.matmul(a, b)
            return _np_gelu(c + d) if act == "gelu" else np.maximum(c + d, 0) if act else c

        def torch(t: Any, x: list[Any]) -> Any:
            if not act:
                return t.matmul(x[0], x[1])
            c = t.addmm(x[2], x[0], x[1])
            return t.nn.functional.gelu(c, approximate="tanh") if act == "gelu" else t.relu(c)

        def jax(j: Any, x: list[Any]) -> Any:
            c = j.numpy.matmul(x[0], x[1])
            if not act:
                return c
            return j.nn.gelu(c + x[2]) if act == "gelu" else j.nn.relu(c + x[2])

        return Row(
            [a, b, d] if act else [a, b],
            (*lead, m, n),
            "float32",
            numpy,
            torch,
            tensors,
            2.0 * max(batch, 1) * m * k * n,
            jax=jax,
        )

    return make


def _te_gelu(x: Any) -> Any:
    from kc import te

    return 0.5 * x * (1.0 + te.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def _np_gelu(x: Array) -> Array:
    return (
        np.float32(0.5) * x * (1 + np.tanh(np.float32(0.7978845608) * (x + 0.044715 * x * x * x)))
    )


def convolution(
    n: int, ci: int, hw: int, co: int, taps: int, pad: int, step: int = 1, depthwise: bool = False
) -> Callable[[], Row]:
    """A convolution of NCHW with zero padding."""

    def make() -> Row:
        x, w = floats(n, ci, hw, hw), floats(co, 1 if depthwise else ci, taps, taps)
        out = (hw + 2 * pad - taps) // step + 1

        def tensors() -> list[Any]:
            from kc import te

            X, W = te.placeholder(x.shape, name="X"), te.placeholder(w.shape, name="W")
            P = X
            if pad:
                P = te.compute(
                    (n, ci, hw + 2 * pad, hw + 2 * pad),
                    lambda z, c, y, v: te.if_then_else(
                        te.all(y >= pad, y < hw + pad, v >= pad, v < hw + pad),
                        X[z, c, y - pad, v - pad],
                        te.const(0.0),
                    ),
                    name="P",
                )
            a, b = te.reduce_axis((0, taps), name="a"), te.reduce_axis((0, taps), name="b")
            r = te.reduce_axis((0, ci), name="r")

            def term(z: Any, q: Any, y: Any, v: Any) -> Any:
                at = (y * step + a, v * step + b)
                if depthwise:
                    return te.sum(P[(z, q, *at)] * W[q, 0, a, b], axis=[a, b])
                return te.sum(P[(z, r, *at)] * W[q, r, a, b], axis=[r, a, b])

            return [X, W, te.compute((n, co, out, out), term, name="C")]

        def numpy() -> Array:
            padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (taps, taps), axis=(2, 3))
            windows = windows[:, :, ::step, ::step]
            if depthwise:
                return np.einsum("zqyvab,qab->zqyv", windows, w[:, 0])
            flat = windows.transpose(1, 4, 5, 0, 2, 3).reshape(ci * taps * taps, -1)
            c = np.matmul(w.reshape(co, -1), flat)
            return c.reshape(co, n, out, out).transpose(1, 0, 2, 3)

        def torch(t: Any, at: list[Any]) -> Any:
            groups = ci if depthwise else 1
            return t.nn.functional.conv2d(at[0], at[1], padding=pad, stride=step, groups=groups)

        def jax(j: Any, at: list[Any]) -> Any:
            return j.lax.conv_general_dilated(
                at[0],
                at[1],
                (step, step),
                [(pad, pad), (pad, pad)],
                feature_group_count=ci if depthwise else 1,
            )

        terms = taps * taps * (1 if depthwise else ci)
        return Row(
            [x, w],
            (n, co, out, out),
            "float32",
            numpy,
            torch,
            tensors,
            2.0 * n * co * out * out * terms,
            jax=jax,
        )

    return make


def softmax(rows: int, columns: int, logarithm: bool = False) -> Callable[[], Row]:
    """A softmax of each row."""

    def make() -> Row:
        x = floats(rows, columns)

        def tensors() -> list[Any]:
            from kc import te

            X = te.placeholder(x.shape, name="X")
            r, q = te.reduce_axis((0, columns), name="r"), te.reduce_axis((0, columns), name="q")
            top = te.compute((rows,), lambda i: te.max(X[i, r], axis=r), name="top")
            if logarithm:
                total = te.compute(
                    (rows,), lambda i: te.sum(te.exp(X[i, q] - top[i]), axis=q), name="total"
                )
                return [
                    X,
                    te.compute(x.shape, lambda i, j: X[i, j] - top[i] - te.log(total[i]), name="O"),
                ]
            power = te.compute(x.shape, lambda i, j: te.exp(X[i, j] - top[i]), name="power")
            total = te.compute((rows,), lambda i: te.sum(power[i, q], axis=q), name="total")
            return [X, te.compute(x.shape, lambda i, j: power[i, j] / total[i], name="O")]

        def numpy() -> Array:
            away = x - x.max(1, keepdims=True)
            power = np.exp(away)
            total = power.sum(1, keepdims=True)
            return away - np.log(total) if logarithm else power / total

        name = "log_softmax" if logarithm else "softmax"
        return Row(
            [x],
            x.shape,
            "float32",
            numpy,
            lambda t, at: getattr(t, name)(at[0], 1),
            tensors,
            0,
            jax=lambda j, at: getattr(j.nn, name)(at[0], 1),
            numba=None if logarithm else _loops_of_softmax,
        )

    return make


def _loops_of_softmax(x: Array, out: Array) -> None:
    for i in range(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            out[i, j] = np.exp(x[i, j] - top)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total


def _loops_of_layernorm(x: Array, g: Array, b: Array, out: Array) -> None:
    part = np.float32(1 / x.shape[1])
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        mean = total * part
        square = np.float32(0)
        for j in range(x.shape[1]):
            square += (x[i, j] - mean) * (x[i, j] - mean)
        scale = np.float32(1) / np.sqrt(square * part + np.float32(1e-5))
        for j in range(x.shape[1]):
            out[i, j] = (x[i, j] - mean) * scale * g[j] + b[j]


def layernorm(rows: int, columns: int) -> Callable[[], Row]:
    """A layer norm of each row, with a factor and a bias for each column."""

    def make() -> Row:
        x, g, b = floats(rows, columns), floats(columns), floats(columns) * 2

        def tensors() -> list[Any]:
            from kc import te

            X, G, B = (
                te.placeholder(it.shape, name=name) for it, name in ((x, "X"), (g, "G"), (b, "B"))
            )
            r, q = te.reduce_axis((0, columns), name="r"), te.reduce_axis((0, columns), name="q")
            part = te.const(1.0 / columns)
            total = te.compute((rows,), lambda i: te.sum(X[i, r], axis=r), name="total")
            mean = te.compute((rows,), lambda i: total[i] * part, name="mean")
            square = te.compute(
                (rows,),
                lambda i: te.sum((X[i, q] - mean[i]) * (X[i, q] - mean[i]), axis=q),
                name="square",
            )
            scale = te.compute(
                (rows,), lambda i: 1.0 / te.sqrt(square[i] * part + te.const(1e-5)), name="scale"
            )
            return [
                X,
                G,
                B,
                te.compute(
                    x.shape, lambda i, j: (X[i, j] - mean[i]) * scale[i] * G[j] + B[j], name="O"
                ),
            ]

        def numpy() -> Array:
            away = x - x.mean(1, keepdims=True)
            return away / np.sqrt((away * away).mean(1, keepdims=True) + 1e-5) * g + b

        def jax(j: Any, at: list[Any]) -> Any:
            away = at[0] - at[0].mean(1, keepdims=True)
            return away * j.lax.rsqrt((away * away).mean(1, keepdims=True) + 1e-5) * at[1] + at[2]

        return Row(
            [x, g, b],
            x.shape,
            "float32",
            numpy,
            lambda t, at: t.nn.functional.layer_norm(at[0], (columns,), at[1], at[2], 1e-5),
            tensors,
            0,
            jax=jax,
            numba=_loops_of_layernorm,
        )

    return make


def attention(rows: int, depth: int) -> Callable[[], Row]:
    """Attention with one head, and as many queries as keys."""

    def make() -> Row:
        q, k, v = floats(rows, depth), floats(rows, depth) * 2, floats(rows, depth) * 3
        factor = 1 / math.sqrt(depth)

        def tensors() -> list[Any]:
            from kc import te

            Q, K, V = (
                te.placeholder(it.shape, name=name) for it, name in ((q, "Q"), (k, "K"), (v, "V"))
            )
            axes = [
                te.reduce_axis((0, n), name=f"t{i}")
                for i, n in enumerate((depth, rows, rows, rows))
            ]
            S = te.compute(
                (rows, rows),
                lambda i, j: te.sum(Q[i, axes[0]] * K[j, axes[0]], axis=axes[0]),
                name="S",
            )
            top = te.compute((rows,), lambda i: te.max(S[i, axes[1]], axis=axes[1]), name="top")
            power = te.compute(
                (rows, rows),
                lambda i, j: te.exp((S[i, j] - top[i]) * te.const(factor)),
                name="power",
            )
            total = te.compute(
                (rows,), lambda i: te.sum(power[i, axes[2]], axis=axes[2]), name="total"
            )
            Y = te.compute(
                (rows, depth),
                lambda i, j: te.sum(power[i, axes[3]] * V[axes[3], j], axis=axes[3]),
                name="Y",
            )
            return [Q, K, V, te.compute((rows, depth), lambda i, j: Y[i, j] / total[i], name="O")]

        def numpy() -> Array:
            scores = q @ k.T * np.float32(factor)
            power = np.exp(scores - scores.max(1, keepdims=True))
            return power / power.sum(1, keepdims=True) @ v

        def jax(j: Any, at: list[Any]) -> Any:
            return j.nn.softmax(at[0] @ at[1].T * factor, 1) @ at[2]

        return Row(
            [q, k, v],
            (rows, depth),
            "float32",
            numpy,
            lambda t, at: t.nn.functional.scaled_dot_product_attention(*(it[None] for it in at))[0],
            tensors,
            4.0 * rows * rows * depth,
            jax=jax,
        )

    return make


def pointwise(name: str, shape: Sequence[int]) -> Callable[[], Row]:
    """A function of each element."""

    def make() -> Row:
        x = floats(*shape)
        if name == "log":
            x = np.abs(x) + np.float32(0.1)

        def tensors() -> list[Any]:
            from kc import te

            X = te.placeholder(x.shape, name="X")
            function = _te_gelu if name == "gelu" else getattr(te, name)
            return [X, te.compute(x.shape, lambda *at: function(X(*at)), name="O")]

        def jax(j: Any, at: list[Any]) -> Any:
            if name == "gelu":
                return j.nn.gelu(at[0])
            return getattr(j.lax if name == "erf" else j.numpy, name)(at[0])

        numpy = {"gelu": _np_gelu, "erf": None}.get(name, getattr(np, name, None))
        return Row(
            [x],
            x.shape,
            "float32",
            None if numpy is None else lambda: numpy(x),
            lambda t, at: (
                t.nn.functional.gelu(at[0], approximate="tanh")
                if name == "gelu"
                else getattr(t, name)(at[0])
            ),
            tensors,
            0,
            jax=jax,
        )

    return make


def reduction(name: str, rows: int, columns: int, axis: int) -> Callable[[], Row]:
    """A sum, mean or maximum over rows or columns, or the index of the maximum."""

    def make() -> Row:
        x = floats(rows, columns)
        out = columns if axis == 0 else rows

        def tensors() -> list[Any]:
            from kc import te

            X = te.placeholder(x.shape, name="X")
            r = te.reduce_axis((0, x.shape[axis]), name="r")

            def read(i: Any) -> Any:
                return X[r, i] if axis == 0 else X[i, r]

            if name == "argmax":
                best = te.comm_reducer(
                    lambda p, q: (
                        te.Select(p[1] >= q[1], p[0], q[0]),
                        te.Select(p[1] >= q[1], p[1], q[1]),
                    ),
                    lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
                    name="argmax",
                )
                places, values = te.compute(
                    (out,), lambda i: best((r.var.astype("int32"), read(i)), axis=r), name="best"
                )
                return [X, places, values]
            if name == "mean":
                total = te.compute((out,), lambda i: te.sum(read(i), axis=r), name="total")
                part = te.const(1.0 / x.shape[axis])
                return [X, te.compute((out,), lambda i: total[i] * part, name="mean")]
            return [X, te.compute((out,), lambda i: getattr(te, name)(read(i), axis=r), name="R")]

        return Row(
            [x],
            (out,),
            "int32" if name == "argmax" else "float32",
            lambda: getattr(x, name)(axis),
            lambda t, at: getattr(t, "amax" if name == "max" else name)(at[0], axis),
            tensors,
            0,
            jax=lambda j, at: getattr(j.numpy, name)(at[0], axis),
            numba=_LOOPS_OF_SUMS[axis] if name == "sum" else None,
        )

    return make


def _sums_of_columns(x: Array, out: Array) -> None:
    out[:] = 0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[j] += x[i, j]


def _sums_of_rows(x: Array, out: Array) -> None:
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        out[i] = total


_LOOPS_OF_SUMS = {0: _sums_of_columns, 1: _sums_of_rows}


def prefix_sum(rows: int, columns: int, axis: int) -> Callable[[], Row]:
    """Prefix sums along rows or columns."""

    def make() -> Row:
        x = floats(rows, columns)

        def tensors() -> list[Any]:
            from kc import te, topi

            X = te.placeholder(x.shape, name="X")
            if axis == 1:
                return [X, topi.cumsum(X, 1)]
            S = te.placeholder(x.shape, name="S")
            first = te.compute((1, columns), lambda _, j: X[0, j], name="first")
            following = te.compute(x.shape, lambda i, j: S[i - 1, j] + X[i, j], name="following")
            return [X, te.scan(first, following, S, inputs=[X], name="R")]

        return Row(
            [x],
            x.shape,
            "float32",
            lambda: np.cumsum(x, axis),
            lambda t, at: t.cumsum(at[0], axis),
            tensors,
            0,
            jax=lambda j, at: j.numpy.cumsum(at[0], axis),
            numba=LOOPS_OF_PREFIX_SUMS[axis],
        )

    return make


def _prefix_sums_of_columns(x: Array, out: Array) -> None:
    for j in range(x.shape[1]):
        out[0, j] = x[0, j]
    for i in range(1, x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = out[i - 1, j] + x[i, j]


def _prefix_sums_of_rows(x: Array, out: Array) -> None:
    for i in range(x.shape[0]):
        total = x[i, 0]
        out[i, 0] = total
        for j in range(1, x.shape[1]):
            total += x[i, j]
            out[i, j] = total


LOOPS_OF_PREFIX_SUMS = {0: _prefix_sums_of_columns, 1: _prefix_sums_of_rows}


def copy_like(name: str, shape: Sequence[int]) -> Callable[[], Row]:
    """Computations that are bound by memory: add, copy, cast, broadcast, transpose."""

    def make() -> Row:
        x = floats(*shape)
        y = floats(*shape) * 2 if name == "add" else floats(shape[-1])
        dtype = "float64" if name == "cast" else "float32"
        out = tuple(shape)[::-1] if name == "transpose" else tuple(shape)
        result = np.empty(out, dtype)
        transposed = np.empty(out, dtype)

        def tensors() -> list[Any]:
            from kc import te

            X, Y = te.placeholder(x.shape, name="X"), te.placeholder(y.shape, name="Y")
            bodies: dict[str, tuple[list[Any], Callable[..., Any]]] = {
                "add": ([X, Y], lambda *at: X(*at) + Y(*at)),
                "broadcast": ([X, Y], lambda *at: X(*at) + Y(at[-1])),
                "copy": ([X], lambda *at: X(*at)),
                "cast": ([X], lambda *at: X(*at).astype(dtype)),
                "transpose": ([X], lambda *at: X(*at[::-1])),
            }
            inputs, body = bodies[name]
            return [*inputs, te.compute(out, body, name="O")]

        def numpy() -> Array:
            if name in ("add", "broadcast"):
                return np.add(x, y, out=result)
            np.copyto(transposed, x.T if name == "transpose" else x)
            return transposed

        def torch(t: Any, at: list[Any]) -> Any:
            if name in ("add", "broadcast"):
                return t.add(at[0], at[1])
            if name == "transpose":
                return at[0].t().contiguous()
            return at[0].double() if name == "cast" else at[0].clone()

        def jax(j: Any, at: list[Any]) -> Any:
            return at[0].T if name == "transpose" else at[0] + at[1]

        sums = name in ("add", "broadcast")
        return Row(
            [x, y] if sums else [x],
            out,
            dtype,
            numpy,
            torch,
            tensors,
            0,
            # A copy is none in jax, and numbers of 64 bits are 32 bits long there.
            jax=jax if sums or name == "transpose" else None,
            numba=_loops_of_addition if name == "add" and len(out) == 2 else None,
        )

    return make


def _loops_of_addition(x: Array, y: Array, out: Array) -> None:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] + y[i, j]


def narrow_product(n: int) -> Callable[[], Row]:
    """Products of unsigned and signed bytes, summed in 32 bits."""

    def make() -> Row:
        numbers = np.random.default_rng(0)
        a = numbers.integers(0, 128, (n, n)).astype("uint8")
        b = numbers.integers(-128, 128, (n, n)).astype("int8")

        def tensors() -> list[Any]:
            from kc import te

            A, B = (
                te.placeholder((n, n), "uint8", name="A"),
                te.placeholder((n, n), "int8", name="B"),
            )
            k = te.reduce_axis((0, n), name="k")
            return [
                A,
                B,
                te.compute(
                    (n, n),
                    lambda i, j: te.sum(A[i, k].astype("int32") * B[k, j].astype("int32"), axis=k),
                    name="C",
                ),
            ]

        def jax(j: Any, at: list[Any]) -> Any:
            return j.numpy.matmul(at[0].astype("int32"), at[1].astype("int32"))

        return Row([a, b], (n, n), "int32", None, None, tensors, 2.0 * n**3, jax=jax)

    return make


def bfloat_product(n: int) -> Callable[[], Row]:
    """Products of bf16, summed in f32. torch rounds the sums to bf16."""

    def make() -> Row:
        import ml_dtypes

        a, b = (floats(n, n).astype(ml_dtypes.bfloat16) for _ in range(2))

        def tensors() -> list[Any]:
            from kc import te

            A, B = (te.placeholder((n, n), "bfloat16", name=name) for name in "AB")
            k = te.reduce_axis((0, n), name="k")

            def term(i: Any, j: Any) -> Any:
                return te.sum(A[i, k].astype("float32") * B[k, j].astype("float32"), axis=k)

            return [A, B, te.compute((n, n), term, name="C")]

        def torch(t: Any, at: list[Any]) -> Any:
            return t.matmul(at[0], at[1]).float()

        def jax(j: Any, at: list[Any]) -> Any:
            return j.lax.dot(at[0], at[1], preferred_element_type="float32")

        return Row(
            [a, b], (n, n), "float32", None, torch, tensors, 2.0 * n**3, tolerance=1e-2, jax=jax
        )

    return make


def packed_product(m: int, k: int, n: int, width: int = 32) -> Callable[[], Row]:
    """A product whose second matrix is stored in panels of ``width`` columns, as for weights.

    Peers get the plain matrix, because none of them specifies a packed layout.
    """

    def make() -> Row:
        plain = product(m, k, n)()
        a, b = plain.arrays
        panels = np.ascontiguousarray(b.reshape(k, n // width, width).transpose(1, 0, 2))

        def tensors() -> list[Any]:
            from kc import te

            A, B = te.placeholder(a.shape, name="A"), te.placeholder(panels.shape, name="B")
            r = te.reduce_axis((0, k), name="k")

            def term(i: Any, j: Any) -> Any:
                panel, column = te.indexdiv(j, width), te.indexmod(j, width)
                return te.sum(A[i, r] * B[panel, r, column], axis=r)

            return [A, B, te.compute((m, n), term, name="C")]

        return replace(plain, arrays=[a, panels], of_peers=[a, b], tensors=tensors)

    return make


@dataclass
class Goal:
    """A row of the table with its target ratios."""

    make: Callable[[], Row]
    goal: float = 1.0
    """The target with the schedule that kc chooses."""
    best: float = 1.0
    """The target with the best schedule."""
    quick: bool = field(default=True)
    family: str = "table"


MILLION = (1024, 1024)
ROWS: dict[str, Goal] = {
    "gemm 128": Goal(product(128, 128, 128), 0.97, 1.02),
    "gemm 512": Goal(product(512, 512, 512), 0.97, 1.02),
    "gemm 1024": Goal(product(1024, 1024, 1024), 0.97, 1.02),
    "gemm 2048": Goal(product(2048, 2048, 2048), 0.97, 1.02, quick=False),
    "gemm 1000x999x1001": Goal(product(1000, 999, 1001), 0.97, 1.02),
    "gemm 32x1024x4096": Goal(product(32, 1024, 4096), 0.95, 1.05),
    "gemm 32x1024x4096 packed": Goal(packed_product(32, 1024, 4096), 1.0, 1.3),
    "gemv 4096": Goal(product(1, 4096, 4096), 0.95, 1.0),
    "batched 256 x 32^3": Goal(product(32, 32, 32, batch=256), 0.95, 1.05),
    "dense+relu 128x768x3072": Goal(product(128, 768, 3072, act="relu"), 1.0, 1.08),
    "dense+gelu 128x768x3072": Goal(product(128, 768, 3072, act="gelu"), 1.0, 1.08),
    "softmax 1024^2": Goal(softmax(1024, 1024), 1.1, 1.5),
    "log_softmax 1024^2": Goal(softmax(1024, 1024, logarithm=True), 1.1, 1.5),
    "layernorm 1024^2": Goal(layernorm(1024, 1024), 1.1, 1.9),
    "gelu 1M": Goal(pointwise("gelu", MILLION), 1.0, 1.2),
    "tanh 1M": Goal(pointwise("tanh", MILLION), 1.0, 1.2),
    "exp 1M": Goal(pointwise("exp", MILLION), 1.0, 1.2),
    "log 1M": Goal(pointwise("log", MILLION), 1.0, 1.2),
    "erf 1M": Goal(pointwise("erf", MILLION), 1.0, 1.2),
    "sin 1M": Goal(pointwise("sin", MILLION), 1.0, 1.2),
    "attention 512x64": Goal(attention(512, 64), 1.0, 1.2),
    "attention 4096x128": Goal(attention(4096, 128), 1.0, 1.2, quick=False),
    "transpose 2048^2": Goal(copy_like("transpose", (2048, 2048)), 1.0, 1.3),
    "conv 1x64x56x56 3x3": Goal(convolution(1, 64, 56, 64, 3, 1), 1.0, 1.15),
    "conv 8x256x14x14 to 512": Goal(convolution(8, 256, 14, 512, 3, 1), 1.0, 1.15, quick=False),
    "conv 7x7 stride 2": Goal(convolution(1, 3, 224, 64, 7, 3, 2), 1.0, 1.15),
    "conv 1x1": Goal(convolution(1, 256, 28, 128, 1, 0), 1.0, 1.15),
    "depthwise 256x56x56 3x3": Goal(convolution(1, 256, 56, 256, 3, 1, depthwise=True), 1.0, 1.4),
    "sum of rows 2048^2": Goal(reduction("sum", 2048, 2048, 1), 1.0, 1.05),
    "sum of columns 2048^2": Goal(reduction("sum", 2048, 2048, 0), 1.0, 1.05),
    "max of rows 2048^2": Goal(reduction("max", 2048, 2048, 1), 1.0, 1.05),
    "max of columns 2048^2": Goal(reduction("max", 2048, 2048, 0), 1.0, 1.05),
    "mean of rows 2048^2": Goal(reduction("mean", 2048, 2048, 1), 1.0, 1.05),
    "mean of columns 2048^2": Goal(reduction("mean", 2048, 2048, 0), 1.0, 1.05),
    "argmax of rows 2048^2": Goal(reduction("argmax", 2048, 2048, 1), 1.0, 1.05),
    "argmax of columns 2048^2": Goal(reduction("argmax", 2048, 2048, 0), 1.0, 1.05),
    "prefix sum of rows 2048^2": Goal(prefix_sum(2048, 2048, 1), 1.0, 1.05),
    "prefix sum of columns 2048^2": Goal(prefix_sum(2048, 2048, 0), 1.0, 1.05),
    "add 1K": Goal(copy_like("add", (1024,)), 1.0, 1.0),
    "add 16M": Goal(copy_like("add", (4096, 4096)), 0.97, 0.97),
    "copy 16M": Goal(copy_like("copy", (4096, 4096)), 0.97, 0.97),
    "cast 16M": Goal(copy_like("cast", (4096, 4096)), 0.97, 0.97),
    "broadcast 16M": Goal(copy_like("broadcast", (4096, 4096)), 0.97, 0.97),
    "gemm bf16 1024": Goal(bfloat_product(1024), 0.95, 1.02),
    "gemm u8 x i8 1024": Goal(narrow_product(1024), 0.95, 1.02),
}
