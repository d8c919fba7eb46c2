"""Blocks of blocks, and tensor intrinsics in the place of blocks."""
