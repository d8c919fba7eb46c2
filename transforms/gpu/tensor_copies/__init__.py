"""Tensor copies: whole boxes that the copy unit of a GPU (TMA) brings, and their mbarriers.

``plan_tensor_copies`` finds the copies that nothing waits for yet, ``_mbarrier_rings`` counts what
is expected and arrives, ``_clusters`` shares boxes between blocks, ``_box_stores`` waits for
stores, and ``lower_tensor_copies`` emits the instructions. Read them in this order.
"""

if (
    __name__ != "kc.transforms.gpu.tensor_copies"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu.tensor_copies'")
