"""The thread pool that runs parallel loops, as LLVM IR: in process and inside exported libraries.

``pool/pool.c`` is the pool, and its head says how it works; ``make native`` compiled it to the text
beside it. The public functions, which call libc alone::

    void kc_parallel_for(void (*body)(int64_t begin, int64_t end, void *ctx), void *ctx,
                         int64_t n, int64_t grain);
    int32_t kc_pool_num_threads(void);
    int32_t kc_pool_configure(int32_t threads, const int32_t *cpus);
    int32_t kc_pool_shutdown(void);
    int32_t kc_pool_cpu_quota(const char *root);
"""

from pathlib import Path

SYMBOLS = (
    "kc_parallel_for",
    "kc_pool_num_threads",
    "kc_pool_configure",
    "kc_pool_shutdown",
    "kc_pool_cpu_quota",
)
"""The public functions of the text."""

MAX_THREADS = 1024
"""The most threads a pool can have: the workers' records are an array."""

MAX_CPUS = 8192
"""The most CPUs that Linux can be built for: the size of an affinity mask."""

# Architectures on which Linux has threads; loops are serial on any other machine.
_ARCHITECTURES = ("x86_64", "aarch64")


def pool_ir(triple: str) -> str:
    """The pool as the text of an LLVM module for ``triple``.

    The library it becomes a part of ends its workers when it is unloaded. Whoever loads the code
    otherwise must keep it, and call ``kc_pool_shutdown`` at exit. The public functions are weak, so
    that several modules with the text can be linked together.
    """
    architecture = triple.split("-")[0]
    if "linux" not in triple or architecture not in _ARCHITECTURES:
        architecture = "serial"
    file = Path(__file__).with_name("pool") / f"pool.{architecture}.ll"
    return f'target triple = "{triple}"\n\n{file.read_text(encoding="utf-8")}'
