"""Schedules as data: what is recorded of one, read back, and performed again."""

if (
    __name__ != "kc.transforms.trace"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.trace'")
