"""Differentiating tensor expressions: rules for scalars, and the adjoint of reading a tensor."""
