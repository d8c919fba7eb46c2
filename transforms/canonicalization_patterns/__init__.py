"""Rewrites to a simpler form that mean the same, a module a dialect.

They are applied until none applies, by ``canonicalize``
(:mod:`kc.transforms.canonicalize`); each makes its operation smaller by some measure, so that this
ends. The operations of ``te`` and ``tir`` have them by a trait; the pass adds those on
operations of other dialects.
"""

if __name__ != "kc.transforms.canonicalization_patterns":  # see kc.transforms
    raise ImportError("import this package as 'kc.transforms.canonicalization_patterns'")
