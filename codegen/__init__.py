"""Code generation from the llvm dialect: LLVM IR text, objects, assembly, callables."""

if __name__ != "kc.codegen":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.codegen'")
