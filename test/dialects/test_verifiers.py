"""Verifiers of operations that are derived from xDSL's."""

import inspect

from kc.support.registry import context

DIALECTS = """
    affine arith bufferization cf func gpu linalg llvm math memref nvgpu nvvm scf sched te tensor
    tir tm_tensor tosa vector
""".split()


def test_no_verifier_leaves_out_what_the_definition_says():
    """A class that is no definition of its own replaces xDSL's whole verifier by ``verify_``."""
    registered = context()
    for name in DIALECTS:
        registered.load_registered_dialect(name)
    own = {
        op.name: op.verify_
        for op in registered.loaded_ops
        if "get_accessors_from_op_def" not in op.verify_.__qualname__
        and op.verify_.__module__.startswith("kc.")
    }
    assert own
    checks = (
        "super().verify_()",
        "self.get_irdl_definition().verify(self)",
        " definition.verify(self)",
    )
    sources = {name: inspect.getsource(verify) for name, verify in own.items()}
    assert [name for name, text in sources.items() if not any(it in text for it in checks)] == []
