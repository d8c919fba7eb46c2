"""Tensor intrinsics: what ``tensorize`` puts in the place of loops."""

if __name__ != "kc.transforms.intrinsics":  # see kc.transforms
    raise ImportError("import this package as 'kc.transforms.intrinsics'")
