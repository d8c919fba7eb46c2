"""Affine arithmetic: index values and conditions, exactly.

``index_reader`` reads the operations, ``terms`` and ``index_values`` are the two forms that a value
then has, ``simplify_affine`` and ``integer_ranges`` work on them without sets, ``disproofs`` and
``small_domains`` answer most questions cheaply, and ``isl_sets`` asks isl the rest.
"""

if __name__ != "kc.analysis.affine":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.analysis.affine'")
