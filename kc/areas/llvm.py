"""The backend of CPUs, by LLVM."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="llvm",
    dialects={"llvm": "kc.dialects.llvm:LLVM"},
    families={
        "conversion": {
            **paths_of(
                "kc.conversion.{stem}:{name}Pass",
                "flatten-memrefs-of-vectors",
                "legalize-scalable-vectors",
                "convert-to-llvm",
                "make-coroutines",
                "permit-tiles",
            ),
            **paths_of("kc.codegen.{stem}:{name}Pass", "evaluate-prepared"),
        },
        "pipeline": paths_of("kc.conversion.pipelines:{name}Pass", "lower-to-llvm"),
    },
    targets=("kc.support:targets/llvm.toml",),
    backends={"llvm": "kc.backends.llvm:LLVM"},
    formats={
        "llvmir": "kc.backends.formats:llvm_ir",
        "asm": "kc.backends.formats:assembly",
        "obj": "kc.backends.formats:object_code",
    },
    loaders={
        **dict.fromkeys(("so", "dylib", "dll"), "kc.backends.libraries:load_library"),
        "o": "kc.backends.llvm_files:load_object_file",
        "ll": "kc.backends.llvm_files:load_ir",
        "bc": "kc.backends.llvm_files:load_ir",
    },
)
