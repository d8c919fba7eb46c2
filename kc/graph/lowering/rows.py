"""The functions of topi's table that no operator of graphs uses, each with the reason.

Those that operators use stand at the computations (:func:`kc.graph.lowering.lowering`).
"""

from __future__ import annotations

_IS_CONSTANT = "its elements depend on attributes alone: a graph holds them as a constant"

NO_OPERATOR: dict[str, str] = {
    "matmul": "nn.matmul",
    "nn.binarize_pack": "nn.bitpack, of the signs of floats",
    "nn.binary_dense": "nn.bitserial_dense, of one bit",
    "nn.conv1d": "nn.conv1d, whose layout names the function",
    "nn.conv2d": "nn.conv2d, whose layout names the function",
    "nn.conv2d_NCHWc_int8": "its kernel splits I twice, which the layouts of graphs do not",
    "nn.conv2d_hwcn": "nn.conv2d, which transposes other layouts to NCHW or NHWC",
    "nn.depthwise_conv2d_backward_input_nhwc": "the gradient of nn.conv2d, which te derives",
    "nn.depthwise_conv2d_backward_weight_nhwc": "nn.conv2d_backward_weight",
    "nn.scale_shift_nchw": "multiply and add, which fusion joins",
    "nn.scale_shift_nchwc": "multiply and add, which fusion joins",
    "nn.scale_shift_nhwc": "multiply and add, which fusion joins",
    "nn.winograd_transform_matrices": _IS_CONSTANT,
    "sparse.csrmm": "nn.sparse_dense, of the transposed matrix",
    "sparse.csrmv": "nn.sparse_dense, of a row",
    "sparse.dense": "nn.sparse_dense",
    "sparse.sparse_reshape": "sparse_reshape, whose shapes are operands",
    "vision.multibox_detection": "vision.multibox_transform_loc and vision.non_max_suppression",
    "cdist": "aten._cdist_forward.default, which kc.from_torch makes",
    "elemwise_sum": "a chain of add, which fusion joins",
    "expand_like": "expand_dims and broadcast_to_like",
    "pdist": "aten._pdist_forward.default, which kc.from_torch makes",
    "random.threefry2x32": "random.threefry_generate, which counts by itself",
    "scanop": "its combination is a function of Python, which cannot be an attribute",
    "signal.blackman_window": _IS_CONSTANT,
    "signal.hamming_window": _IS_CONSTANT,
    "signal.hann_window": _IS_CONSTANT,
    "signal.mel_weight_matrix": _IS_CONSTANT,
    "tensordot": "einsum",
}
"""The reason for each function."""
