"""Cases of reductions and of broadcast_to; importing the module enters them."""

import numpy as np
from topi_cases import case

for kind in ("sum", "prod", "max", "min"):
    function = getattr(np, kind)
    for axis in (None, 0, -1, (0, 2), (1, -3), (2, 2, 0), ()):
        unique = tuple(sorted({n % 3 for n in axis})) if isinstance(axis, tuple) else axis
        for keepdims in (False, True):
            case(
                kind,
                lambda x, f=function, a=unique, k=keepdims: f(x, axis=a, keepdims=k),
                f"{kind}(T(2, 3, 4), {axis}, {keepdims})",
                64,
            )
    case(
        kind,
        lambda x, kind=kind: np.full(3, {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf}[kind]),
        f"{kind}(T(3, 0), 1)",
    )
    case(
        kind,
        lambda x, kind=kind: np.full(3, {"sum": 0, "prod": 1, "max": -128, "min": 127}[kind]),
        f'{kind}(T(3, 0, dtype="int8"), 1)',
    )
    case(
        kind,
        lambda x, f=function: f(x, 1, dtype="int8") if f in (np.sum, np.prod) else f(x, 1),
        f'{kind}(T(2, 4, dtype="int8", of=[100, 100, 3, -5, 7, 9, -128, 127]), 1)',
    )
    case(
        kind,
        lambda x, f=function: f(x, 1),
        f"{kind}(T(2, 3, of=[1, np.nan, 2, -np.inf, 3, 4]), 1)",
    )
    case(kind, lambda x: x, f"{kind}(T())")
    case(kind, lambda x, f=function: f(x, 0), f'{kind}(T("n=5", "m=3"), 0)', 16)
for kind in ("all", "any"):
    function = getattr(np, kind)
    for axis in (None, 1, (0, -1)):
        case(
            kind,
            lambda x, f=function, a=axis: f(x, axis=a),
            f'{kind}(T(2, 3, 4, dtype="bool"), {axis})',
        )
    case(kind, lambda x, f=function: f(x, 1), f'{kind}(T(3, 0, dtype="bool"), 1)')


def place(x, axes, largest, last=False):
    """The row-major number over the axes of the first, or last, best value; NaN first of all."""
    moved = np.moveaxis(x, axes, range(-len(axes), 0)).reshape(*np.delete(x.shape, axes), -1)
    function = np.argmax if largest else np.argmin
    if last:
        return moved.shape[-1] - 1 - function(moved[..., ::-1], -1)
    return function(moved, -1)


for kind in ("argmax", "argmin"):
    largest = kind == "argmax"
    for axis, axes in ((None, (0, 1, 2)), (1, (1,)), (-1, (2,)), ((0, 2), (0, 2))):
        for last in (False, True):
            case(
                kind,
                lambda x, a=axes, g=largest, z=last: place(x, a, g, z),
                f'{kind}(T(3, 4, 5, dtype="int8"), {axis}, False, {last})',
            )
    case(
        kind,
        lambda x, g=largest: place(x, (1,), g)[:, None],
        f"{kind}(T(2, 3, of=[1, np.nan, np.nan, -np.inf, np.inf, np.inf]), 1, True)",
    )
    case(
        kind,
        lambda x, g=largest: place(x, (1,), g),
        f"{kind}(T(3, 2, of=[-np.inf, -np.inf, np.inf, np.inf, 0, 0]), 1)",
    )
    case(
        kind,
        lambda x, g=largest: place(x, (1,), g),
        f'{kind}(T(2, 2, dtype="uint8", of=[0, 0, 255, 255]), 1)',
    )
    case(kind, lambda x, g=largest: place(x, (0,), g), f'{kind}(T("n=6", "m=2"), 0)')

case("broadcast_to", lambda x: np.broadcast_to(x, (2, 3, 4)))
case("broadcast_to", lambda x: np.broadcast_to(x, (2, 0)), "broadcast_to(T(1), (2, 0))")
case("broadcast_to", lambda x: np.broadcast_to(x, (3,)), "broadcast_to(T(), (3,))")
case("broadcast_to", lambda x: x, "broadcast_to(T(), ())")

for axis in (None, 1, (0, -1), ()):
    for keepdims in (False, True):
        for kind, reference, roundings in (
            ("mean", np.mean, 32),
            ("variance", np.var, 64),
            ("logsumexp", lambda x, axis, keepdims: np.log(np.exp(x).sum(axis, keepdims=keepdims)),
             32),
        ):  # fmt: skip
            case(
                kind,
                lambda x, f=reference, a=axis, k=keepdims: f(x, axis=a, keepdims=k),
                f"{kind}(T(2, 3, 4), {axis}, {keepdims})",
                roundings,
            )
case("mean", lambda x: np.full(2, np.nan), "mean(T(2, 0), 1)")
case("mean", lambda x: x.mean(0), 'mean(T("n=5", 3), 0)', 32)
case("mean", lambda x: x.mean(1), 'mean(T(3, 300, dtype="float16"), 1)', 2)
case("variance", lambda x: x.var(1, ddof=1), "variance(T(2, 7), 1, ddof=1)", 64)
case("variance", lambda x: x.var(0), "variance(T(4, of=[4096, 4097, 4098, 4099]), 0)", 8)
case("variance", lambda x: np.full(2, np.nan), "variance(T(2, 1), 1, ddof=1)")
case(
    "logsumexp",
    lambda x: np.array([-np.inf, np.inf, 1000 + np.log(2), np.nan]),
    "logsumexp(T(4, 2, of=[-np.inf, -np.inf, np.inf, 1, 1000, 1000, np.nan, 0]), 1)",
)
case("logsumexp", lambda x: np.full(2, -np.inf), "logsumexp(T(2, 0), 1)")
