"""Schedules as data: recording the calls of a schedule, reading them from text, and performing them
again.
"""

if (
    __name__ != "kc.transforms.trace"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.trace'")
