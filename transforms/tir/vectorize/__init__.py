"""Vectors: iterations of a loop become the lanes of vectors.

A value on which all lanes agree stays a scalar; branches that lanes take differently run under a
mask. Read ``_vector_values``, ``_vector_chunk``, ``_vector_branches`` and ``_vector_rest``, in this
order, then the pass ``vectorize_loop``. ``lower_lane_reduction`` gives each lane a result of its
own before; ``fill_slack`` keeps the lanes that no iteration uses from computing on garbage.
"""

if (
    __name__ != "kc.transforms.tir.vectorize"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.vectorize'")
