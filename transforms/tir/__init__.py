"""Passes on tir: blocks, loops, pipelines, storage and vectors, one room for each."""

if __name__ != "kc.transforms.tir":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir'")
