"""Rewrites that stay inside a dialect."""

if __name__ != "kc.transforms":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms'")
