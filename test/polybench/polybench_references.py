"""PolyBench's kernels in numpy: functions of the arguments, which are written in place.

The kernels are those of examples/polybench. The names are PolyBench's (L.-N. Pouchet, 4.2).
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def gemm(alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    C[:] = alpha * A @ B + beta * C


def gemver(
    alpha: float, beta: float, A: Array, u1: Array, v1: Array, u2: Array, v2: Array,
    w: Array, x: Array, y: Array, z: Array,
) -> None:  # fmt: skip
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * A.T @ y + z
    w += alpha * A @ x


def gesummv(alpha: float, beta: float, A: Array, B: Array, tmp: Array, x: Array, y: Array) -> None:
    tmp[:] = A @ x
    y[:] = alpha * tmp + beta * (B @ x)


def symm(alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    symmetric = np.tril(A) + np.tril(A, -1).T
    C[:] = alpha * symmetric @ B + beta * C


def syr2k(alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    new = alpha * (A @ B.T + B @ A.T) + beta * C
    C[:] = np.tril(new) + np.triu(C, 1)


def syrk(alpha: float, beta: float, C: Array, A: Array) -> None:
    C[:] = np.tril(alpha * A @ A.T + beta * C) + np.triu(C, 1)


def trmm(alpha: float, A: Array, B: Array) -> None:
    B[:] = alpha * (np.tril(A, -1).T + np.eye(len(A))) @ B


def two_mm(alpha: float, beta: float, tmp: Array, A: Array, B: Array, C: Array, D: Array) -> None:
    tmp[:] = alpha * A @ B
    D[:] = tmp @ C + beta * D


def three_mm(E: Array, A: Array, B: Array, F: Array, C: Array, D: Array, G: Array) -> None:
    E[:] = A @ B
    F[:] = C @ D
    G[:] = E @ F


def atax(A: Array, x: Array, y: Array, tmp: Array) -> None:
    tmp[:] = A @ x
    y[:] = A.T @ tmp


def bicg(A: Array, s: Array, q: Array, p: Array, r: Array) -> None:
    s[:] = r @ A
    q[:] = A @ p


def doitgen(A: Array, C4: Array, total: Array) -> None:
    A[:] = A @ C4
    total[:] = A[-1, -1]


def mvt(x1: Array, x2: Array, y1: Array, y2: Array, A: Array) -> None:
    x1 += A @ y1
    x2 += A.T @ y2


def cholesky(A: Array) -> None:
    A[:] = np.tril(np.linalg.cholesky(A)) + np.triu(A, 1)


def durbin(r: Array, y: Array, z: Array) -> None:
    """The solution of a Toeplitz system; z is what it was before the last step."""
    n = len(r)
    first = np.concatenate([[1.0], r[:-1]])
    toeplitz = first[np.abs(np.subtract.outer(np.arange(n), np.arange(n)))]
    y[:] = np.linalg.solve(toeplitz, -r)
    z[:-1] = y[:-1]


def gramschmidt(A: Array, R: Array, Q: Array) -> None:
    for k in range(A.shape[1]):
        R[k, k] = np.linalg.norm(A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        R[k, k + 1 :] = Q[:, k] @ A[:, k + 1 :]
        A[:, k + 1 :] -= np.outer(Q[:, k], R[k, k + 1 :])


def lu(A: Array) -> None:
    for k in range(len(A)):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])


def ludcmp(A: Array, b: Array, x: Array, y: Array) -> None:
    solution = np.linalg.solve(A, b)
    lu(A)
    y[:] = np.triu(A) @ solution
    x[:] = solution


def trisolv(L: Array, x: Array, b: Array) -> None:
    x[:] = np.linalg.solve(np.tril(L), b)


def correlation(float_n: float, data: Array, corr: Array, mean: Array, stddev: Array) -> None:
    mean[:] = data.sum(0) / float_n
    deviation = np.sqrt(((data - mean) ** 2).sum(0) / float_n)
    stddev[:] = np.where(deviation <= 0.1, 1.0, deviation)
    data[:] = (data - mean) / (np.sqrt(float_n) * stddev)
    corr[:] = data.T @ data
    np.fill_diagonal(corr, 1.0)


def covariance(float_n: float, data: Array, cov: Array, mean: Array) -> None:
    mean[:] = data.sum(0) / float_n
    data -= mean
    cov[:] = data.T @ data / (float_n - 1.0)


def deriche(alpha: float, imgIn: Array, imgOut: Array, y1: Array, y2: Array) -> None:
    k = (1 - np.exp(-alpha)) ** 2 / (1 + 2 * alpha * np.exp(-alpha) - np.exp(2 * alpha))
    a1, a2, a3 = k, k * np.exp(-alpha) * (alpha - 1), k * np.exp(-alpha) * (alpha + 1)
    a4, b1, b2 = -k * np.exp(-2 * alpha), 2.0**-alpha, -np.exp(-2 * alpha)

    def forward(image: Array, out: Array) -> None:
        """Along the first axis."""
        zero = np.zeros_like(image[0])
        last, first, second = zero, zero, zero
        for n in range(len(image)):
            out[n] = a1 * image[n] + a2 * last + b1 * first + b2 * second
            last, first, second = image[n], out[n], first

    def backward(image: Array, out: Array) -> None:
        zero = np.zeros_like(image[0])
        near, far, first, second = zero, zero, zero, zero
        for n in reversed(range(len(image))):
            out[n] = a3 * near + a4 * far + b1 * first + b2 * second
            near, far, first, second = image[n], near, out[n], first

    forward(imgIn.T, y1.T)
    backward(imgIn.T, y2.T)
    between = y1 + y2
    forward(between, y1)
    backward(between, y2)
    imgOut[:] = y1 + y2


def floyd_warshall(path: Array) -> None:
    for k in range(len(path)):
        np.minimum(path, np.add.outer(path[:, k], path[k]), out=path)


def nussinov(seq: Array, table: Array) -> None:
    n = len(seq)
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            best = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                pairs = int(seq[i] + seq[j] == 3) if i < j - 1 else 0
                best = max(best, table[i + 1, j], table[i + 1, j - 1] + pairs)
            if j > i + 1:
                best = max(best, (table[i, i + 1 : j] + table[i + 2 : j + 1, j]).max())
            table[i, j] = best


def adi(
    u: Array, v: Array, p: Array, q: Array,
    a: float, b: float, c: float, d: float, e: float, f: float,
) -> None:  # fmt: skip
    inner = slice(1, -1)

    def sweep(source: Array, out: Array, left: float, middle: float, right: float,
              low: float, own: float, high: float) -> None:  # fmt: skip
        """Solve along the second axis of ``out``; the neighbours are those of the first axis."""
        n = out.shape[1]
        out[inner, 0], p[inner, 0], q[inner, 0] = 1.0, 0.0, 1.0
        for j in range(1, n - 1):
            below = left * p[inner, j - 1] + middle
            p[inner, j] = -right / below
            sides = -low * source[:-2, j] + own * source[inner, j] - high * source[2:, j]
            q[inner, j] = (sides - left * q[inner, j - 1]) / below
        out[inner, -1] = 1.0
        for j in range(n - 2, 0, -1):
            out[inner, j] = p[inner, j] * out[inner, j + 1] + q[inner, j]

    for _ in range(10):
        sweep(u.T, v.T, a, b, c, d, 1 + 2 * d, f)
        sweep(v, u, d, e, f, a, 1 + 2 * a, c)


def fdtd_2d(ex: Array, ey: Array, hz: Array, fict: Array) -> None:
    for value in fict:
        ey[0] = value
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def heat_3d(A: Array, B: Array) -> None:
    inner = slice(1, -1)
    for _ in range(15):
        for source, out in ((A, B), (B, A)):
            center = source[inner, inner, inner]
            new = center.copy()
            for axis in range(3):
                before = [inner] * 3
                after = [inner] * 3
                before[axis], after[axis] = slice(None, -2), slice(2, None)
                new += 0.125 * (source[tuple(after)] - 2 * center + source[tuple(before)])
            out[inner, inner, inner] = new


def jacobi_1d(A: Array, B: Array) -> None:
    for _ in range(20):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


def jacobi_2d(A: Array, B: Array) -> None:
    for _ in range(20):
        for source, out in ((A, B), (B, A)):
            out[1:-1, 1:-1] = 0.2 * (
                source[1:-1, 1:-1] + source[1:-1, :-2] + source[1:-1, 2:]
                + source[2:, 1:-1] + source[:-2, 1:-1]
            )  # fmt: skip


def seidel_2d(A: Array) -> None:
    for _ in range(20):
        for i in range(1, len(A) - 1):
            for j in range(1, len(A) - 1):
                A[i, j] = A[i - 1 : i + 2, j - 1 : j + 2].sum() / 9.0
