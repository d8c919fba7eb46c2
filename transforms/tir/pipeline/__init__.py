"""Software pipelines: statements of different iterations of a loop run at the same time.

``plan_software_pipeline`` groups the statements that a schedule annotated, and
``inject_software_pipeline`` overlaps them; ``inject_double_buffer`` is the case of two stages. Read
``_software_pipelining`` for the legality conditions, and ``_pipeline_notes`` for the annotations.
"""

if (
    __name__ != "kc.transforms.tir.pipeline"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.pipeline'")
