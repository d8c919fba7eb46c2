"""Conversions to lower dialects; each file lowers by one step."""

if __name__ != "kc.conversion":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.conversion'")
