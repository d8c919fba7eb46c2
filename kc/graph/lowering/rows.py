"""The functions of topi's table that no operator of graphs uses, each with the reason.

Those that operators use stand at the computations (:func:`kc.graph.lowering.lowering`).
"""

from __future__ import annotations

_IS_CONSTANT = "its elements depend on attributes alone: a graph holds them as a constant"

NO_OPERATOR: dict[str, str] = {
    "cdist": "aten._cdist_forward.default, which kc.from_torch makes",
    "elemwise_sum": "a chain of add, which fusion joins",
    "expand_like": "expand_dims and broadcast_to_like",
    "pdist": "aten._pdist_forward.default, which kc.from_torch makes",
    "random.threefry2x32": "random.threefry_generate, which counts by itself",
    "scanop": "its combination is a function of Python, which is no attribute",
    "signal.blackman_window": _IS_CONSTANT,
    "signal.hamming_window": _IS_CONSTANT,
    "signal.hann_window": _IS_CONSTANT,
    "signal.mel_weight_matrix": _IS_CONSTANT,
    "tensordot": "einsum",
}
"""The reason for each function."""
