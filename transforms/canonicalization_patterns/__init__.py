"""Rewrites to a simpler equivalent form, with a module for each dialect.

``canonicalize`` (:mod:`kc.transforms.canonicalize`) applies the rewrites until none matches. Each
rewrite reduces a measure of its operation, so that the process terminates. The operations of ``te``
and ``tir`` declare their rewrites by a trait; the pass adds the rewrites on operations of other
dialects.
"""

if __name__ != "kc.transforms.canonicalization_patterns":  # see kc.transforms
    raise ImportError("import this package as 'kc.transforms.canonicalization_patterns'")
