"""The surface that programs for TVM need, above everything that kc is made of.

Names that only these programs use are here, and other modules give them under TVM's paths:
``te.hybrid`` is :mod:`kc.tvm.hybrid`. What kc itself needs is below and imports nothing from here.
"""
