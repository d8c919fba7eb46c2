"""Reductions: the step of a reduction, the laws of its combiner, and the terms that count.

``reductions`` reads the step off a block's body; ``combiner_laws`` asks whether terms may be
combined in any order, by ``combiner_proofs`` or ``combiner_trials``; ``lane_reductions`` and
``masked_terms`` say what may be split over lanes, and left out.
"""

if (
    __name__ != "kc.analysis.reductions"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.analysis.reductions'")
