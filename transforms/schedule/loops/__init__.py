"""Loops: how they are divided, joined and ordered, and the kinds of loops."""
