"""The importer of MLIR's programs: the dialects that they use, and how they become loops."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="mlir",
    dialects={
        "affine": "kc.dialects.affine:AFFINE",
        "bufferization": "kc.dialects.bufferization:BUFFERIZATION",
        "index": "kc.dialects.index:INDEX",
        "linalg": "kc.dialects.linalg:LINALG",
        "ml_program": "kc.dialects.ml_program:ML_PROGRAM",
        "tensor": "kc.dialects.tensor:TENSOR",
        "tm_tensor": "kc.dialects.tm_tensor:TM_TENSOR",
        "tosa": "kc.dialects.tosa:TOSA",
        "transform": "kc.dialects.transform:TRANSFORM",
    },
    families={
        "conversion": paths_of(
            "kc.conversion.{stem}:{name}Pass",
            "index-to-arith",
            "resolve-unranked-casts",
            "raise-to-tir",
            "decompose-aggregates",
            "tosa-to-linalg",
            "lower-affine",
            "transform-interpreter",
        ),
    },
    loaders={"mlir": "kc.driver:load_loops"},
)
