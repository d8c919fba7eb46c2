"""Copies of buffers: their contents, their places and their indices."""
