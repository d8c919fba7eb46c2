"""Cases of pooling; importing the module enters them."""

import numpy as np
from topi_cases import case

from kc.topi import testing


def pool(name, shape, kernel, stride, dilation, padding, kind, ceil=False, count=True, **more):
    """A case against the loop over windows; ``padding`` is all heads, then all tails."""
    rank = len(kernel)
    case(
        name,
        lambda x: testing.poolnd_python(
            x, kernel, stride, dilation, padding[:rank], padding[rank:], kind, count, ceil
        ),
        f"{name}(T({', '.join(map(str, shape))}), {kernel}, {stride}, {dilation}, {padding}, "
        f'"{kind}", {ceil}, count_include_pad={count})',
        more.get("roundings", 8),
    )


for kind in ("max", "avg"):
    pool("nn.pool1d", (1, 2, 9), (3,), (2,), (1,), (1, 1), kind)
    pool("nn.pool1d", (1, 2, 8), (2,), (3,), (2,), (1, 0), kind, True, False)
    pool("nn.pool2d", (1, 2, 6, 7), (2, 3), (2, 1), (1, 1), (0, 1, 0, 1), kind)
    pool("nn.pool2d", (2, 1, 7, 6), (3, 2), (2, 3), (1, 1), (1, 0, 2, 1), kind, True)
    pool("nn.pool2d", (2, 1, 7, 6), (3, 2), (2, 3), (1, 2), (1, 1, 1, 1), kind, True, False)
    pool("nn.pool2d", (1, 1, 3, 3), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), kind, True, True)
    # The last window would begin in the padding behind: it is left out, as torch does.
    pool("nn.pool2d", (1, 1, 4, 4), (1, 1), (3, 3), (1, 1), (0, 0, 1, 1), kind, True, False)
    pool("nn.pool3d", (1, 2, 4, 5, 6), (2, 2, 2), (2, 2, 2), (1, 1, 1), (0,) * 6, kind)
    pool("nn.pool3d", (1, 1, 4, 5, 3), (2, 3, 2), (1, 2, 2), (1, 1, 1), (1, 0, 0, 0, 1, 1), kind,
         True, False)  # fmt: skip
    case(
        "nn.global_pool",
        lambda x, kind=kind: testing.adaptive_pool(x, (1, 1), kind),
        f'nn.global_pool(T(2, 3, 4, 5), "{kind}")',
        32,
    )
    case(
        "nn.global_pool",
        lambda x, kind=kind: testing.adaptive_pool(x, (1, 1), kind, "NHWC"),
        f'nn.global_pool(T(1, "h=3", "w=5", 2), "{kind}", "NHWC")',
        32,
    )
    case(
        "nn.adaptive_pool1d",
        lambda x, kind=kind: testing.adaptive_pool(x, (3,), kind),
        f'nn.adaptive_pool1d(T(1, 3, 7), 3, "{kind}")',
        8,
    )
    case(
        "nn.adaptive_pool",
        lambda x, kind=kind: testing.adaptive_pool(x, (3, 2), kind),
        f'nn.adaptive_pool(T(1, 3, 7, 5), (3, 2), "{kind}")',
        8,
    )
    case(
        "nn.adaptive_pool",
        lambda x, kind=kind: testing.adaptive_pool(x, (3, 8), kind, "NHWC"),
        f'nn.adaptive_pool(T(1, 6, 5, 2), (3, 8), "{kind}", "NHWC")',
        8,
    )
    case(
        "nn.adaptive_pool3d",
        lambda x, kind=kind: testing.adaptive_pool(x, (2, 2, 2), kind),
        f'nn.adaptive_pool3d(T(1, 2, 4, 5, 3), 2, "{kind}")',
        16,
    )
    for kernel, stride, padding, ceil, count in (
        ((2, 2), (2, 2), (0, 0, 0, 0), False, True),
        ((3, 2), (2, 1), (1, 0, 1, 1), False, True),
        ((3, 3), (2, 2), (1, 1, 0, 1), True, False),
        ((2, 2), (3, 3), (0, 0, 1, 0), True, True),
    ):
        shape = testing.poolnd_python(
            np.zeros((1, 2, 6, 5)), kernel, stride, (1, 1), padding[:2], padding[2:], kind, count,
            ceil,
        ).shape  # fmt: skip
        case(
            "nn.pool_grad",
            lambda g, x, args=(kernel, stride, padding, kind, ceil, count): testing.pool_grad_nchw(
                x, g, *args
            ),
            f"nn.pool_grad(T{shape}, T(1, 2, 6, 5), {kernel}, {stride}, {padding}, "
            f'"{kind}", {ceil}, "NCHW", {count})',
            16,
        )

# Integers, NaN, blocks of channels, and no pad where there is anything else.
case(
    "nn.pool2d",
    lambda x: testing.poolnd_python(x, (2, 2), (1, 1), (1, 1), (1, 1), (1, 1), "max"),
    'nn.pool2d(T(1, 1, 3, 3, dtype="int8", of=[-100] * 9), (2, 2), (1, 1), (1, 1), (1, 1, 1, 1), '
    '"max")',
)
case(
    "nn.pool2d",
    lambda x: np.full((1, 1, 1, 1), np.nan),
    'nn.pool2d(T(1, 1, 2, 2, of=[1, np.nan, 2, np.inf]), 2, 1, 1, 0, "max")',
)
case(
    "nn.pool2d",
    lambda x: x.reshape(1, 2, 2, 2, 2, 2, 4).mean((3, 5)),
    'nn.pool2d(T(1, 2, 4, 4, 4), 2, 2, 1, 0, "avg", layout="NCHW4c")',
)
case(
    "nn.pool2d",
    lambda x: testing.poolnd_python(x, (3, 3), (2, 2), (1, 1), (1, 1), (1, 1), "avg", False),
    'nn.pool2d(T("n=2", 3, "h=7", "w=6"), 3, 2, 1, 1, "avg", count_include_pad=False)',
    16,
)
