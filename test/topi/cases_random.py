"""Cases of random numbers, sparse products and signals; importing the module enters them."""

import numpy as np
from topi_cases import case

from kc.topi import testing

# The published vectors of Threefry-2x32 with 20 rounds (Random123, kat_vectors).
ONES = 0xFFFFFFFF
for key, counter, words in (
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
):
    case(
        "random.threefry2x32",
        lambda k, c, w=words: np.array(w, "uint32"),
        f'random.threefry2x32(T(2, dtype="uint32", of={key}), T(2, dtype="uint32", of={counter}))',
    )
GENERATOR = 'T(4, dtype="uint32", of=[7, 9, 4294967295, 3])'
case("random.threefry2x32", lambda k, c: testing.threefry2x32_python(k, c))
for shape in ((3, 2), (), (5,), (0,)):
    case(
        "random.threefry_generate",
        lambda g, s=shape: testing.threefry_generate_python(g, s),
        f"random.threefry_generate({GENERATOR}, {shape})",
    )
case("random.threefry_split", lambda g: testing.threefry_split_python(g),
     f"random.threefry_split({GENERATOR})")  # fmt: skip
for dtype in ("float32", "float64"):
    case("random.uniform",
         lambda g, d=dtype: testing.uniform_python(g, -2, 3, (3, 2), d),
         f'random.uniform({GENERATOR}, -2.0, 3.0, (3, 2), "{dtype}")')  # fmt: skip
    case("random.normal",
         lambda g, d=dtype: testing.normal_python(g, 1, 2, (2, 2), d),
         f'random.normal({GENERATOR}, 1.0, 2.0, (2, 2), "{dtype}")', 32)  # fmt: skip
case("random.uniform", lambda g, low: testing.uniform_python(g, low, 5, (3, 2), "float32"),
     f'random.uniform({GENERATOR}, T(2), 5.0, (3, 2), "float32")')  # fmt: skip


def drawn(g, weights, count):
    following, shares = testing.uniform_python(g, 0, 1, (*weights.shape[:-1], count), "float32")
    kept = np.where(weights > 0, weights, 0)
    running = np.cumsum(kept, -1)[..., None, :]
    beyond = running > shares[..., None] * running[..., -1:]
    last = kept.shape[-1] - 1 - np.argmax(kept[..., ::-1] > 0, -1)
    last = np.where(kept.any(-1), last, kept.shape[-1] - 1)
    return [following, np.where(beyond.any(-1), beyond.argmax(-1), last[..., None])]


case(
    "random.multinomial",
    lambda g, w: drawn(g, w, 9),
    f"random.multinomial({GENERATOR}, T(3, 4, of=[0, 2, 1, 0, 1, 1, -1, 1, 0, 0, 0, 0]), 9)",
)

SPARSE = 'T(4), T(4, dtype="int32", of=[0, 3, 1, {}]), T(4, dtype="int32", of=[0, 2, 2, 4])'
CSR = SPARSE.format(4)
OUTSIDE = 'T(4), T(4, dtype="int64", of=[0, -1, 9, 4]), T(4, dtype="int32", of=[-5, 2, 1, 99])'


def full(d, i, p, columns=5):
    return testing.sparse_matrix_python(d, i, p, columns)


for parts in (CSR, OUTSIDE):
    case(
        "sparse.csrmv",
        lambda d, i, p, x: full(d, i, p) @ x,
        f"sparse.csrmv(({parts}), T(5, 1))",
        16,
    )
    case(
        "sparse.csrmm",
        lambda d, i, p, x: full(d, i, p) @ x,
        f"sparse.csrmm(({parts}), T(5, 2))",
        16,
    )
    case("sparse.sparse_dense", lambda x, d, i, p: x @ full(d, i, p).T,
         f"sparse.sparse_dense(T(2, 5), {parts})", 16)  # fmt: skip
    case("sparse.sparse_add", lambda x, d, i, p: x + full(d, i, p),
         f"sparse.sparse_add(T(3, 5), {parts})")  # fmt: skip
case("sparse.csrmm", lambda d, i, p, x, c: full(d, i, p) @ x + c[:, None],
     f"sparse.csrmm(({CSR}), T(5, 2), T(3))", 16)  # fmt: skip
case("sparse.sparse_dense", lambda x, d, i, p: full(d, i, p) @ x.T,
     f"sparse.sparse_dense(T(2, 5), {CSR}, True)", 16)  # fmt: skip
case("sparse.dense", lambda x, d, i, p, b: x @ full(d, i, p).T + b,
     f"sparse.dense(T(2, 5), ({CSR}), T(3))", 16)  # fmt: skip
case("sparse.dense", lambda d, i, p, w: full(d, i, p) @ w.T, f"sparse.dense(({CSR}), T(2, 5))", 16)
for first in (False, True):
    case(
        "sparse.sparse_dense",
        lambda x, d, i, p, f=first: full(d, i, p, 3) @ x.T if f else x @ full(d, i, p, 3).T,
        'sparse.sparse_dense(T(3, 6), T(3, 3, 2), T(3, dtype="int32", of=[2, 0, 1]), '
        f'T(3, dtype="int32", of=[0, 1, 3]), {first})',
        32,
    )


def transposed(d, i, p):
    matrix = [(c, r, d[e]) for r in range(3) for e in range(p[r], p[r + 1]) for c in [i[e]]]
    matrix = sorted((m for m in matrix if m[0] < 3), key=lambda m: m[0])
    rest = [0] * (len(d) - len(matrix))
    begins = np.searchsorted([m[0] for m in matrix], range(4))
    return [
        np.array([m[2] for m in matrix] + rest),
        np.array([m[1] for m in matrix] + rest),
        begins,
    ]


for column in (2, 4):
    case("sparse.sparse_transpose", transposed,
         f"sparse.sparse_transpose({SPARSE.format(column).replace('3, 1', '2, 1')})")  # fmt: skip

case("signal.dft", lambda a, b: [np.fft.fft(a + 1j * b).real, np.fft.fft(a + 1j * b).imag],
     roundings=64)  # fmt: skip
case(
    "signal.dft",
    lambda a, b: [np.fft.ifft(a + 1j * b).real, np.fft.ifft(a + 1j * b).imag],
    'signal.dft(T(7, dtype="float64"), T(7, dtype="float64"), True)',
    64,
)


def spectra(x, size, hop, window, scale=1.0, onesided=True):
    pad = (size - len(window)) // 2
    wide = np.zeros(size)
    wide[pad : pad + len(window)] = window
    frames = [x[:, b : b + size] * wide for b in range(0, x.shape[1] - size + 1, hop)]
    result = (np.fft.rfft if onesided else np.fft.fft)(np.stack(frames, 1)).transpose(
        0, 2, 1
    ) * scale
    return np.stack([result.real, result.imag], -1)


case("signal.stft", lambda x, w: spectra(x, 4, 3, w), roundings=64)
case("signal.stft", lambda x: spectra(x, 6, 2, np.ones(3), 6**-0.5, False),
     "signal.stft(T(1, 11), 6, 2, 3, None, True, False)", 64)  # fmt: skip
for name, of in (("hann", np.hanning), ("hamming", np.hamming), ("blackman", np.blackman)):
    case(f"signal.{name}_window", lambda f=of: f(9)[:-1])
    for size in (0, 1, 7):
        case(f"signal.{name}_window", lambda f=of, n=size: f(n),
             f'signal.{name}_window({size}, False, "float64")', 8)  # fmt: skip

PLACES = 'T(3, 2, dtype="int64", of=[0, 1, 1, 3, 3, 5])'
for shape in ((2, -1), (24,), (3, 4, 2)):
    case(
        "sparse.sparse_reshape",
        lambda p, s=shape: [
            np.stack(np.unravel_index(np.ravel_multi_index(tuple(p.T), (4, 6)),
                                      np.empty((4, 6)).reshape(s).shape), 1),
            np.array(np.empty((4, 6)).reshape(s).shape),
        ],
        f"sparse.sparse_reshape({PLACES}, (4, 6), {shape})",
    )  # fmt: skip


def filled(places, values, rows, default):
    whole = np.zeros((len(places) + rows, places.shape[1]), "int64")
    elements, empty, count = np.zeros(len(places) + rows), np.zeros(rows, bool), 0
    for row in range(rows):
        own = np.flatnonzero(places[:, 0] == row)
        empty[row] = not len(own)
        listed = [(places[k], values[k]) for k in own] or [
            ([row, *[0] * (places.shape[1] - 1)], default)
        ]
        for place, value in listed:
            whole[count], elements[count], count = place, value, count + 1
    return [whole, elements, empty, np.array([count])]


case("sparse.sparse_fill_empty_rows", lambda p, v: filled(p, v, 5, 0.5),
     f"sparse.sparse_fill_empty_rows({PLACES}, T(3), (5, 6), 0.5)")  # fmt: skip
case("sparse.sparse_fill_empty_rows", lambda p, v: filled(p, v, 3, -1),
     'sparse.sparse_fill_empty_rows(T(4, 2, dtype="int32", of=[2, 0, -1, 1, 2, 5, 99, 0]), '
     "T(4), (3, 6), -1)")  # fmt: skip
case("sparse.sparse_fill_empty_rows", lambda p, v: filled(p, v, 2, 0.5),
     'sparse.sparse_fill_empty_rows(T(0, 2, dtype="int32"), T(0), (2, 2), 0.5)')  # fmt: skip


def mel(bins, length, rate, low, high):
    scale = 2595 * np.log10(1 + np.array([low, high]) / 700)
    mels = scale[0] + np.arange(bins + 2) * (scale[1] - scale[0]) / (bins + 2)
    edges = np.floor((length + 1) * 700 * (10 ** (mels / 2595) - 1) / rate).astype(int)
    weights = np.zeros((length // 2 + 1, bins))
    for k, (first, middle, last) in enumerate(zip(edges, edges[1:], edges[2:], strict=False)):
        weights[first : middle + 1, k] = (np.arange(first, middle + 1) - first) / max(
            middle - first, 1
        )
        weights[middle, k] = 1
        weights[middle:last, k] = (last - np.arange(middle, last)) / max(last - middle, 1)
    return weights


for options in ((4, 16, 8000, 0.0, 4000.0), (8, 64, 16000, 100.0, 7000.0), (1, 1, 2, 0.0, 1.0)):
    case("signal.mel_weight_matrix", lambda o=options: mel(*o),
         f"signal.mel_weight_matrix({', '.join(map(str, options))})")  # fmt: skip
