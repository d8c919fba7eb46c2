"""Reductions: the step of a reduction, the laws of its combiner, and its masked terms.

``reductions`` derives the step from the body of a block. ``combiner_laws`` decides whether terms
may be combined in any order, with ``combiner_proofs`` and ``combiner_trials``. ``lane_reductions``
finds reductions whose terms can be lanes of vectors, and ``masked_terms`` the terms that can be
left out.
"""

if (
    __name__ != "kc.analysis.reductions"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.analysis.reductions'")
