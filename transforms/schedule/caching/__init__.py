"""Copies of buffers: what they are filled with, where, and how they are indexed."""
