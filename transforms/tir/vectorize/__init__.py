"""Vectorization: the iterations of a loop become the lanes of vectors.

A value that is equal in all lanes stays a scalar. A branch that only some lanes take runs under a
mask. Read ``_vector_values``, ``_vector_chunk``, ``_vector_branches`` and ``_vector_rest``, in this
order, then the pass ``vectorize_loop``. Before it, ``lower_lane_reduction`` gives each lane of a
reduction a separate partial result, and ``fill_slack`` initialises the elements that unused lanes
read.
"""

if (
    __name__ != "kc.transforms.tir.vectorize"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.vectorize'")
