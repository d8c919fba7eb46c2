"""Fragments: the tiles of tensor cores become registers of the lanes of a warp.

``_fragment_elements`` defines the elements that each lane holds, for every kind of fragment.
``lower_fragments`` uses these definitions to lower loads, products, stores and loops over elements.
"""

if (
    __name__ != "kc.transforms.gpu.fragments"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu.fragments'")
