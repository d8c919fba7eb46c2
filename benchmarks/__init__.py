"""Measurements; each file is a program."""
