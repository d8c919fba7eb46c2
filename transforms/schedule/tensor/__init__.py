"""Blocks that contain blocks (``blockize``), and tensor intrinsics that replace blocks
(``tensorize``).

``_subspace`` divides the loops of a block, ``_blockized`` builds the outer block, and ``_matching``
compares a block with the description of an intrinsic.
"""
