"""Cases of products, and of their quick forms; importing the module enters them."""

import numpy as np
from topi_cases import case

from kc.topi import testing

case("matmul", lambda a, b: a @ b, roundings=16)
case("matmul", lambda a, b: a.T @ b.T, "matmul(T(3, 4), T(5, 3), True, True)", 16)
case("matmul", lambda a, b: a @ b, 'matmul(T(0, 3, dtype="int8"), T(3, 2, dtype="int8"))')
for operands in (
    "T(2, 3, 4), T(2, 4, 5)", "T(2, 1, 3, 4), T(3, 4, 2)", "T(4), T(4, 3)", "T(2, 3, 4), T(4)",
    "T(4), T(4)", "T(3), T(2, 2, 3, 4)", "T(0, 2, 3), T(3, 4)", "T(2, 0, 3), T(2, 3, 1)",
    'T("n=2", 3, 2), T("n=2", 2, 3)', 'T(2, 3, dtype="int32"), T(3, 3, 1, dtype="int32")',
):  # fmt: skip
    case("matmul", np.matmul, f"matmul({operands})", 16)
case("matmul", lambda a, b: a.swapaxes(-1, -2) @ b.swapaxes(-1, -2),
     "matmul(T(2, 4, 3), T(5, 4), True, True)", 16)  # fmt: skip
case("tensordot", np.tensordot, roundings=64)
case("tensordot", lambda a, b: np.tensordot(a, b, 0), "tensordot(T(2), T(3), 0)")
case(
    "tensordot",
    lambda a, b: np.tensordot(a, b, ((1, 0), (0, -1))),
    "tensordot(T(2, 3, 4), T(3, 5, 2), ((1, 0), (0, -1)))",
    32,
)
for text, shapes in {
    "ij,jk->ik": "T(2, 3), T(3, 4)",
    "ij,jk": "T(2, 3), T(3, 4)",
    "ba": "T(2, 3)",
    "ii": "T(3, 3)",
    "ii->i": "T(3, 3)",
    "...ij,...jk->...ik": "T(2, 1, 2, 3), T(4, 3, 2)",
    "i...,...": "T(3, 2), T(2)",
    "b h i d , b h j d -> b h i j": "T(1, 2, 3, 2), T(1, 2, 4, 2)",
    "i,j,k->kji": "T(2), T(3), T(2)",
    "ij->": "T(2, 3)",
    "ij,jk,kl": "T(2, 3), T(3, 2), T(2, 2)",
    ",i": "T(), T(3)",
}.items():
    case("einsum", lambda *x, t=text: np.einsum(t, *x), f'einsum("{text}", {shapes})', 64)
case("einsum", lambda a, b: a @ b, 'einsum("ij,jk", T("n=3", 2), T(2, "m=4"))', 16)

case("nn.winograd_transform_matrices", lambda: testing.winograd_matrices_python(4, 3))
case("nn.conv2d_winograd_weight_transform",
     lambda k: testing.winograd_weight_python(k, 2), roundings=32)  # fmt: skip


def conv(x, w):
    return testing.conv2d_nchw_python(x, w, 1, 1)


case("nn.conv2d_winograd_nchw", conv, roundings=256)
case("nn.conv2d_winograd_nchw", conv,
     "nn.conv2d_winograd_nchw(T(2, 2, 5, 4), T(3, 2, 3, 3), 1, 1, 1, tile_size=2)", 64)  # fmt: skip
case(
    "nn.conv2d_winograd_nchw",
    lambda x, w: testing.conv2d_nchw_python(x, w, 1, "VALID"),
    'nn.conv2d_winograd_nchw(T(1, 2, 7, 9, dtype="float64"), T(3, 2, 3, 3, dtype="float64"), '
    "(1, 1), 0, 1, tile_size=6)",
    4096,
)
case(
    "nn.conv2d_winograd_nchw",
    conv,
    "nn.conv2d_winograd_nchw(T(1, 2, 5, 6), nn.conv2d_winograd_weight_transform("
    "T(3, 2, 3, 3), 4), 1, 1, 1, None, True)",
    256,
)

case("det", np.linalg.det, roundings=64)
case("det", np.linalg.det, "det(T(4, 4, of=[0, 2, 1, 3, 1, 0, 0, 1, 0, 0, 0, 2, 2, 1, 3, 1]))", 64)
case("det", lambda x: np.zeros(()), "det(T(3, 3, of=[1, 2, 3, 2, 4, 6, 1, 0, 1]))")
case("det", lambda x: np.ones(2), "det(T(2, 0, 0))")
case("det", np.linalg.det, "det(T(1, 1))")
case("det", np.linalg.det, 'det(T("n=3", "n=3"))', 32)
