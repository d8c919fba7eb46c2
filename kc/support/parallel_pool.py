"""The thread pool that runs parallel loops, as LLVM IR: in process and inside exported libraries.

The head of ``pool/pool.c`` explains how the pool works; ``make native`` compiles this file to the
text beside it. The public functions, which call libc alone::

    void kc_parallel_for(void (*body)(int64_t begin, int64_t end, void *ctx), void *ctx,
                         int64_t n, int64_t grain);
    void kc_parallel_for_numbered(void (*body)(int64_t begin, int64_t end, void *ctx,
                                               int64_t thread),
                                  void *ctx, int64_t n, int64_t grain, int64_t threads);
    int32_t kc_pool_num_threads(void);
    int32_t kc_pool_configure(int32_t threads, const int32_t *cpus);
    int32_t kc_pool_shutdown(void);
    int32_t kc_pool_cpu_quota(const char *root);
"""

from pathlib import Path

SYMBOLS = (
    "kc_parallel_for",
    "kc_parallel_for_numbered",
    "kc_pool_num_threads",
    "kc_pool_configure",
    "kc_pool_shutdown",
    "kc_pool_cpu_quota",
)
"""The public functions of the pool."""

MAX_THREADS = 1024
"""The maximum number of threads of a pool: the workers' records are an array of this size."""

MAX_CPUS = 8192
"""The maximum number of CPUs that Linux can be configured for: the size of an affinity mask."""

# Architectures on which Linux has threads; loops are serial on any other machine.
_ARCHITECTURES = ("x86_64", "aarch64")


def pool_ir(triple: str) -> str:
    """The pool as the text of an LLVM module for ``triple``.

    A library that contains the pool ends its workers when it is unloaded. If code is loaded in
    another way, the loader must keep it alive and call ``kc_pool_shutdown`` at exit. The public
    functions are weak, so that several modules with the pool can be linked together.
    """
    architecture = triple.split("-")[0]
    if "linux" not in triple or architecture not in _ARCHITECTURES:
        architecture = "serial"
    file = Path(__file__).with_name("pool") / f"pool.{architecture}.ll"
    return f'target triple = "{triple}"\n\n{file.read_text(encoding="utf-8")}'
