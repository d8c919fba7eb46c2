"""Random numbers by counting: Threefry-2x32 with 20 rounds.

A generator is a tensor of four words of uint32: a key of two, and a counter of two, the lower word
first. Who draws gets the next generator with the numbers, so that the same generator draws the
same numbers on every machine (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3").
"""

from __future__ import annotations

import math
from typing import Any

from kc.expr.constructors import Expr, as_expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.functions import cos, log, sqrt
from kc.expr.tensor import Tensor, shape_text
from kc.te.computes import compute
from kc.topi.arguments import constant, dtype_of, fits, product, tensor, whole
from kc.topi.elementwise import wide_type
from kc.topi.loops import Loops, written
from kc.topi.shape import flat
from kc.topi.table import OF_INTEGERS, OF_PLACES, WORDS, operator, refuse

WORD = ("uint32",)
_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
"""The rotation distances in bits of the rounds, with a period of eight."""
_PARITY = 0x1BD11BDA
_SPLIT = 1 << 31
"""The bit of the counter that only splitting sets: drawn numbers have other counters."""


def _block(loops: Loops, key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    """Encrypt a counter with a key, each two words, in variables."""
    ib = loops.ib
    x, y = loops.variable("uint32", "x"), loops.variable("uint32", "y")
    keys = ib.allocate("uint32", (3,), name="keys", scope="local")
    keys[0], keys[1] = key
    keys[2] = key[0] ^ key[1] ^ const(_PARITY, "uint32")
    x[0], y[0] = counter[0] + keys[0], counter[1] + keys[1]
    with ib.for_range(0, 5, name="step", kind="unroll") as step:
        a, b = ib.let("a", x[0]), ib.let("b", y[0])
        is_even = ib.let("is_even", (step % 2).equal(0))
        for turns in zip(_ROTATIONS[:4], _ROTATIONS[4:], strict=True):
            a = ib.let("a", a + b)
            even, odd = (
                (b << const(turn, "uint32")) | (b >> const(32 - turn, "uint32")) for turn in turns
            )
            b = ib.let("b", select(is_even, even, odd) ^ a)
        x[0] = a + keys[1]
        y[0] = b + keys[2] + convert(step + 1, "uint32")
        first = ib.let("first", keys[0])
        keys[0], keys[1] = keys[1], keys[2]
        keys[2] = first
    return x[0], y[0]


def _generator(gen: Any) -> Tensor:
    tensor(gen, "the generator", 1, WORD)
    if not fits(gen.shape[0], 4):
        raise refuse(
            "KC2303",
            f"the generator {gen.name} of the shape {shape_text(gen.shape)}",
            "a generator must have 4 words: a key of two, and a counter of two",
        )
    return gen


def _sizes(shape: Any) -> tuple[int, ...]:
    listed = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    sizes = tuple(whole(size, "out_shape") for size in listed)
    if any(size < 0 for size in sizes):
        raise refuse("KC2306", f"out_shape is {listed}", "sizes must be at least 0")
    return sizes


@operator(
    "threefry", WORD, 'random.threefry2x32(T(2, dtype="uint32"), T(3, 2, dtype="uint32"))',
    gradient=OF_INTEGERS,
)  # fmt: skip
def threefry2x32(key: Tensor, counter: Tensor) -> Tensor:
    """The blocks (..., 2) of counters (..., 2) under a key (2,); all are words of uint32."""
    tensor(key, "the key", 1, WORD)
    tensor(counter, "the counter", None, WORD)
    if not fits(key.shape[0], 2) or not counter.ndim or not fits(counter.shape[-1], 2):
        raise refuse(
            "KC2303",
            f"the key {key.name} of the shape {shape_text(key.shape)} and the counter "
            f"{counter.name} of the shape {shape_text(counter.shape)}",
            "the key must have 2 words, and the last dimension of the counters must be 2",
        )

    def body(loops: Loops) -> None:
        (keys, counters), (result,) = loops.ins, loops.outs

        def draw(*at: Any) -> None:
            own = (counters[(*at, 0)], counters[(*at, 1)])
            result[(*at, 0)], result[(*at, 1)] = _block(loops, (keys[0], keys[1]), own)

        loops.nest(counter.shape[:-1], draw)

    return written("threefry2x32", [counter.shape], ["uint32"], [key, counter], body)[0]


def _advanced(low: Expr, high: Expr, count: Any) -> tuple[Expr, Expr]:
    """A counter of two words, advanced by ``count`` blocks."""
    wide = convert(low, "uint64") | (convert(high, "uint64") << const(32, "uint64"))
    wide = wide + convert(as_expr(count), "uint64")
    return convert(wide, "uint32"), convert(wide >> const(32, "uint64"), "uint32")


@operator(
    "threefry", WORD, 'random.threefry_generate(T(4, dtype="uint32"), (3, 2))', gradient=OF_INTEGERS
)
def threefry_generate(gen: Tensor, out_shape: Any) -> list[Tensor]:
    """[the next generator, random words of uint32]: row-major, two of each block.

    Raises KC2303 for a generator that is not 4 words, KC2306 for a size below 0.
    """
    gen, sizes = _generator(gen), _sizes(out_shape)
    count = int(product(sizes)) if sizes else 1
    blocks = (count + 1) // 2

    def body(loops: Loops) -> None:
        (state,), (following, words) = loops.ins, loops.outs
        following[0], following[1] = state[0], state[1]
        following[2], following[3] = _advanced(state[2], state[3], blocks)

        def draw(n: Any) -> None:
            own = _advanced(state[2], state[3], n)
            pair = _block(loops, (state[0], state[1]), own)
            for k, word in enumerate(pair):
                if count % 2 and k:
                    with loops.ib.if_scope(n * 2 + 1 < count):
                        words[n * 2 + 1] = word
                else:
                    words[n * 2 + k] = word

        loops.nest((blocks,), draw)

    following, words = written("threefry", [(4,), (count,)], ["uint32"] * 2, [gen], body)
    shaped = compute(sizes, lambda *at: words(flat(at, sizes) if sizes else 0), "random_words")
    return [following, shaped]


@operator("threefry", WORD, 'random.threefry_split(T(4, dtype="uint32"))', gradient=OF_INTEGERS)
def threefry_split(gen: Tensor) -> list[Tensor]:
    """Two generators with new keys, whose numbers overlap neither each other nor those of ``gen``.

    The keys are blocks of counters that drawing does not reach: their highest bit is set.
    """
    gen = _generator(gen)

    def body(loops: Loops) -> None:
        (state,) = loops.ins
        words = loops.ib.allocate("uint32", (2, 2), name="words", scope="local")

        def draw(n: Any) -> None:
            low, high = _advanced(state[2], state[3], n)
            counter = (low, high | const(_SPLIT, "uint32"))
            words[n, 0], words[n, 1] = _block(loops, (state[0], state[1]), counter)

        loops.nest((2,), draw)
        for n, result in enumerate(loops.outs):
            result[0], result[1] = words[n, 0], words[n, 1]
            result[2], result[3] = const(0, "uint32"), const(0, "uint32")

    return written("threefry_split", [(4,), (4,)], ["uint32"] * 2, [gen], body)


def _limit(value: Any, what: str, sizes: tuple[int, ...], dtype: str) -> Any:
    """A parameter converted to float32 or wider: a number, or a tensor to broadcast."""
    wide = wide_type(dtype)
    if not isinstance(value, Tensor):
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise refuse("KC2317", f"{what} is {value}", "it must be a finite number, or a tensor")
        return lambda _: const(number, wide)
    tensor(value, what, None, (dtype,))
    tail = sizes[len(sizes) - value.ndim :] if value.ndim <= len(sizes) else None
    if tail is None or not all(
        size == 1 or fits(size, own) for size, own in zip(value.shape, tail, strict=True)
    ):
        raise refuse(
            "KC2303",
            f"{what} {value.name} of the shape {shape_text(value.shape)} for numbers of the shape "
            f"{shape_text(sizes)}",
            "aligned at the right, each dimension must be 1 or that of the numbers",
        )

    def at_place(at: tuple[Any, ...]) -> Expr:
        own = at[len(at) - value.ndim :]
        place = (0 if size == 1 else i for size, i in zip(value.shape, own, strict=True))
        return convert(value(*place), wide)

    return at_place


def _shares(words: Tensor, at: tuple[Any, ...], dtype: str) -> Expr:
    """Uniform numbers in [0, 1): multiples of 2^-24 from one word, or of 2^-53 from two words."""
    if dtype == "float64":
        high = convert(words(*at, 0), "uint64") << const(32, "uint64")
        bits = (high | convert(words(*at, 1), "uint64")) >> const(11, "uint64")
        return convert(bits, "float64") * const(2.0**-53, "float64")
    return convert(words(*at, 0) >> const(8, "uint32"), "float32") * const(2.0**-24, "float32")


@operator(
    "threefry", WORD, 'random.uniform(T(4, dtype="uint32"), 0.0, 1.0, (3, 2), "float32")',
    gradient="te", formula="low + (high - low) * share, share in [0, 1)",
)  # fmt: skip
def uniform(gen: Tensor, low: Any, high: Any, out_shape: Any, out_dtype: str) -> list[Tensor]:
    """[the next generator, numbers distributed uniformly from ``low`` to below ``high``].

    A fraction is the upper 24 bits of a word, or 53 of two (float64). ``low`` and ``high`` are
    numbers, or tensors of ``out_dtype`` that are broadcast. The computation is in float32 or wider;
    rounding may give ``high`` itself. Raises KC2301 for another type, KC2303 for shapes, KC2317 for
    a number that is not finite.
    """
    sizes, dtype = _sizes(out_shape), dtype_of(out_dtype, WORDS, "out_dtype")
    begin, end = _limit(low, "low", sizes, dtype), _limit(high, "high", sizes, dtype)
    following, words = threefry_generate(gen, (*sizes, 2 if dtype == "float64" else 1))

    def body(*at: Any) -> Expr:
        value = begin(at) + (end(at) - begin(at)) * _shares(words, at, dtype)
        return convert(value, dtype)

    return [following, compute(sizes, body, "uniform")]


@operator(
    "threefry", WORD, 'random.normal(T(4, dtype="uint32"), 0.0, 1.0, (3, 2), "float32")',
    gradient="te", formula="mean + scale * sqrt(-2 log(1 - u)) * cos(2 pi v)",
)  # fmt: skip
def normal(gen: Tensor, mean: Any, scale: Any, out_shape: Any, out_dtype: str) -> list[Tensor]:
    """[the next generator, normally distributed numbers], by the method of Box and Muller.

    Each number uses two numbers of :func:`uniform`, u and v. Arguments and errors are those of
    :func:`uniform`.
    """
    sizes, dtype = _sizes(out_shape), dtype_of(out_dtype, WORDS, "out_dtype")
    wide = wide_type(dtype)
    middle, spread = _limit(mean, "mean", sizes, dtype), _limit(scale, "scale", sizes, dtype)
    following, words = threefry_generate(gen, (*sizes, 2, 2 if dtype == "float64" else 1))

    def body(*at: Any) -> Expr:
        u, v = _shares(words, (*at, 0), dtype), _shares(words, (*at, 1), dtype)
        radius = sqrt(log(const(1.0, wide) - u) * const(-2.0, wide))
        value = middle(at) + spread(at) * radius * cos(v * const(2 * math.pi, wide))
        return convert(value, dtype)

    return [following, compute(sizes, body, "normal")]


@operator(
    "threefry", WORD, 'random.multinomial(T(4, dtype="uint32"), T(2, 3), 4)', gradient=OF_PLACES
)
def multinomial(gen: Tensor, probs: Tensor, num_samples: int) -> list[Tensor]:
    """[the next generator, places (..., num_samples) of int32 drawn by weights (..., n)].

    Weights are at least 0 and need not add up to 1; a negative one or NaN counts as 0. Where all
    are 0, the last place is drawn. Raises KC2303 for no weights, KC2306 for less than one sample.
    """
    gen, count = _generator(gen), whole(num_samples, "num_samples")
    tensor(probs, "probs", None, WORDS)
    if count < 1:
        raise refuse("KC2306", f"num_samples is {count}", "it must be at least 1")
    if not probs.ndim or constant(probs.shape[-1], "the number of weights") < 1:
        raise refuse(
            "KC2303",
            f"probs {probs.name} of the shape {shape_text(probs.shape)}",
            "the last dimension must have at least one weight",
        )
    length = constant(probs.shape[-1], "the number of weights")
    sizes = tuple(constant(size, "a dimension of probs") for size in probs.shape[:-1])
    kind = wide_type(probs.dtype)
    following, shares = uniform(gen, 0.0, 1.0, (*sizes, count), kind)

    def body(loops: Loops) -> None:
        (weights, drawn), (result,) = loops.ins, loops.outs

        def draw(*at: Any) -> None:
            zero = const(0.0, kind)
            total, goal = loops.variable(kind, "total"), loops.variable(kind, "goal")
            place, missing = loops.variable("int32", "place"), loops.variable("int32", "missing")
            total[0], place[0], missing[0] = zero, const(length - 1), const(1)
            with loops.ib.for_range(0, length, name="k") as k:
                weight = convert(weights[(*at[:-1], k)], kind)
                with loops.ib.if_scope(weight > zero):
                    total[0] = total[0] + weight
                    place[0] = convert(as_expr(k), "int32")
            goal[0], total[0] = total[0] * drawn[at], zero
            # The first position whose running sum exceeds the goal; the last position if none does.
            with loops.ib.for_range(0, length, name="k") as k:
                weight = convert(weights[(*at[:-1], k)], kind)
                with loops.ib.if_scope(weight > zero):
                    total[0] = total[0] + weight
                    with loops.ib.if_scope((total[0] > goal[0]) & missing[0].equal(1)):
                        place[0], missing[0] = convert(as_expr(k), "int32"), const(0)
            result[at] = place[0]

        loops.nest((*sizes, count), draw)

    return [
        following,
        written("multinomial", [(*sizes, count)], ["int32"], [probs, shares], body)[0],
    ]
