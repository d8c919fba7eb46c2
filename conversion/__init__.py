"""Conversions to lower dialects, one file a hop."""

if __name__ != "kc.conversion":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.conversion'")
