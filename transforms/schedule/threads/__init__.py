"""Loops whose iterations are threads, and the memory that threads share."""
