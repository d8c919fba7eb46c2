"""Schedule primitives: legality checks and rewrites of loop nests, one file each.

Read ``base`` first: the interface of a primitive, and the site on which it works. The rooms are
``loops``, ``placing`` (of producers and consumers), ``caching``, ``layout``, ``reduction``,
``tensor`` (blockize, tensorize), ``threads`` and ``notes`` (annotations). Modules whose names begin
with ``_`` hold the analyses that several primitives share.
"""

if (
    __name__ != "kc.transforms.schedule"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.schedule'")
