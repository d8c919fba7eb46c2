"""Accesses: which elements loads, stores and blocks touch, and in which order they must.

``instances`` makes sets of executions, ``regions`` boxes; ``dependence`` and ``directions`` say
what must stay in order, and ``simple_nest`` decides the common case without isl. ``bounds``,
``access_bounds`` and ``read_requirements`` prove that nothing outside an array is read or written.
"""

if (
    __name__ != "kc.analysis.accesses"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.analysis.accesses'")
