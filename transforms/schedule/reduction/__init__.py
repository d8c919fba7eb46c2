"""Reductions: their parts, their initialisation, and what is padded for them."""
