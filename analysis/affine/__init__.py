"""Affine arithmetic: exact index values and conditions.

``index_reader`` folds the operations of an index. ``terms`` and ``index_values`` are the two
resulting forms. ``simplify_affine`` and ``integer_ranges`` simplify and bound these forms without
sets. ``disproofs`` and ``small_domains`` answer most questions cheaply; ``isl_sets`` passes the
others to isl.
"""

if __name__ != "kc.analysis.affine":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.analysis.affine'")
