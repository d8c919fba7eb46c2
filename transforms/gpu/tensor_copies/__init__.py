"""Tensor copies: copies of whole boxes by the copy unit of a GPU (TMA), and their mbarriers.

``plan_tensor_copies`` finds the copies without a wait, ``_mbarrier_rings`` counts expected and
arrived bytes, ``_clusters`` shares boxes between blocks, ``_box_stores`` waits for stores, and
``lower_tensor_copies`` emits the instructions. Read them in this order.
"""

if (
    __name__ != "kc.transforms.gpu.tensor_copies"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu.tensor_copies'")
