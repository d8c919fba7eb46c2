"""Loops as threads, and the memory that these share."""
