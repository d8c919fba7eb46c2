"""Blocks that contain blocks, and tensor intrinsics that replace blocks."""
