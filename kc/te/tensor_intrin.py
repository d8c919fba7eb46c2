"""``tvm.te.tensor_intrin``: a declaration has loops, which stand above this package."""

from kc.tir.declared_intrin import DeclaredIntrin, TensorIntrin, decl_tensor_intrin

__all__ = ["DeclaredIntrin", "TensorIntrin", "decl_tensor_intrin"]
