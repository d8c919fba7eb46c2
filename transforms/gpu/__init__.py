"""Passes on gpu, one file each."""

if __name__ != "kc.transforms.gpu":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu'")
