"""``tvm.te.tensor_intrin``. Declarations contain loops, hence a higher layer defines them."""

from kc.tir.declared_intrin import DeclaredIntrin, TensorIntrin, decl_tensor_intrin

__all__ = ["DeclaredIntrin", "TensorIntrin", "decl_tensor_intrin"]
