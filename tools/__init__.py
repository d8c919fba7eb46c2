"""Command line tools."""

if __name__ != "kc.tools":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.tools'")
