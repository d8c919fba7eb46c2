"""TVM's public interface, a layer above the rest of kc.

Names that only programs written for TVM use are defined here, and other modules export them under
TVM's paths: ``te.hybrid`` is :mod:`kc.tvm.hybrid`. kc itself imports nothing from this package.
"""
