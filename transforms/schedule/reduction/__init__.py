"""Reductions: decomposition, partial results, padding, and rewrites of softmax and masked
reductions.

Read ``decompose_reduction`` and ``rfactor`` with ``_partial`` first. ``pad_einsum`` and
``decompose_padding`` share ``_padding``; ``online_softmax`` has its pattern in ``_softmax_rows``;
``skip_masked`` and ``offset_operand`` are independent.
"""
