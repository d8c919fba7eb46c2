"""Exact reasoning on IR: domains, accesses, dependences, dominance, and the interpreter."""

if __name__ != "kc.analysis":  # a second import path would create a second copy of every class
    raise ImportError("import this package as 'kc.analysis'")
