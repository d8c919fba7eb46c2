"""Reductions: their decomposition, their initialisation and their padding."""
