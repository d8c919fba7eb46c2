"""Accesses: the elements that loads, stores and blocks touch, and the required order of accesses.

``instances`` describes executions as sets, and ``regions`` describes touched elements as boxes.
``dependence`` and ``directions`` find the accesses whose order must be preserved; ``simple_nest``
decides the common case without isl. ``bounds``, ``access_bounds`` and ``read_requirements`` prove
that accesses stay inside their arrays.
"""

if (
    __name__ != "kc.analysis.accesses"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.analysis.accesses'")
