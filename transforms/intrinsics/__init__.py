"""Tensor intrinsics: small functions that ``tensorize`` substitutes for loops."""

if __name__ != "kc.transforms.intrinsics":  # see kc.transforms
    raise ImportError("import this package as 'kc.transforms.intrinsics'")
