"""LLVM IR of the thread pool that runs parallel loops, in process and inside exported libraries.

The public functions of the text, which calls libc alone::

    void kc_parallel_for(void (*body)(int64_t begin, int64_t end, void *ctx), void *ctx,
                         int64_t n, int64_t grain);
    int32_t kc_pool_num_threads(void);
    int32_t kc_pool_configure(int32_t threads, const int32_t *cpus);
    int32_t kc_pool_shutdown(void);
    int32_t kc_pool_cpu_quota(const char *root);

``kc_parallel_for`` runs the iterations [0, n) in chunks of ``grain`` (0: about four for each
thread) and returns when all have run. Threads claim chunks one by one; the caller works too and
never waits for a worker that has claimed none, so a worker that wakes late costs nothing. While the
pool has a job, further calls (nested loops, other threads) run serially in their caller.

**One pool per process.** Each module with this text has its own copy of the code, but all find the
same state: a mapping at one of eight addresses derived from the random bytes that the kernel gives
a program at exec (AT_RANDOM). All code of a process sees the same ones, however it was loaded (a
symbol would not do: code compiled in memory is no ELF object, and libraries are mostly loaded with
local scope), and nobody outside knows them. MAP_FIXED_NOREPLACE lets the kernel decide who makes
the mapping. Whoever runs the first loop starts the workers, in its own copy of the code. A library
that is unloaded ends the workers that run its code, and the next loop starts others.

**Fork.** The state is marked MADV_WIPEONFORK: a child finds zeros, which means "not started", and
starts workers of its own with its first loop. What ``kc_pool_configure`` set lies outside the wiped
part and stays. Where the kernel cannot wipe, the process id is compared instead.

**Placement.** The workers are pinned, one on each CPU but the caller's ("home"). The caller is not
pinned. When it begins a loop, or has waited for a while, and finds itself on the CPU of a worker,
that worker moves to the CPU the caller came from: two threads that share a CPU while another idles
would do so for whole scheduler ticks.

Idle workers spin, then sleep on a futex. They are joined at exit. Elsewhere than on Linux on
x86-64 and AArch64 the same functions run every loop serially.
"""

from string import Template

from kc.support.parallel_cpus import CPUS, TEXTS
from kc.support.parallel_state import STATE, THREADS
from kc.support.parallel_work import WORK

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

SPIN_NS = 2_200_000
"""How long an idle worker, or a caller whose last chunks run elsewhere, spins before it sleeps.

Loops that are up to 2 ms apart (as measured by sleeping between them) find their workers awake.
"""

THREAD_NAME = "kc-pool"
"""The name of the workers in the system's lists of threads."""

# What %kc.config and %kc.pool each occupy: a multiple of any page size, and large enough.
_PART_BYTES = 1 << 16

# The state is %kc.config, which a fork keeps, and _PART_BYTES behind it %kc.pool, which a fork
# wipes. What different threads write lies 128 bytes apart (lines are fetched in pairs).
_STRUCTS = {
    "worker": {"thread": "i64", "tid": "i32", "cpu": "i32"},
    "config": {
        "magic": "i32",  # _MAGIC: this is a pool's state
        "threads": "i32",  # what kc_pool_configure asked for; 0: the default
        "given": "i32",  # whether it gave CPUs too
        "pid": "i32",  # the process, if a fork must be noticed by it; else 0
        "cpus": f"[{MAX_THREADS} x i32]",
    },
    "pool": {
        "ticket": "i64",  # chunks that nobody has claimed, if positive
        "body": "ptr",  # the job, which claimants read: body, ctx, n, grain, chunks
        "ctx": "ptr",
        "n": "i64",
        "grain": "i64",
        "chunks": "i64",
        "stop": "i32",  # the workers are to end
        "pad0": "[76 x i8]",
        "done": "i64",  # chunks that workers have run, over all jobs
        "waiting": "i32",  # futex of a caller that sleeps until `done` is what it wants
        "pad1": "[116 x i8]",
        "sleepers": "i32",  # workers that sleep or are about to
        "wakes": "i32",  # futex of the sleepers: the number of wake-ups
        "pad2": "[120 x i8]",
        "lock": "i64",  # pthread_self() of the thread whose job it is; 0: free
        "owner": "ptr",  # the copy of @kc.pool.worker that the workers run
        "spin": "i64",  # SPIN_NS, or 0 with more threads than CPUs to run them
        "threads": "i32",  # workers and caller; 0: not decided
        "started": "i32",
        "count": "i32",  # of workers
        "home": "i32",  # the CPU left to the caller; -1: none is left
        "workers": f"[{MAX_THREADS} x %kc.worker]",
    },
}

# Changes with the layout above, so that modules of different versions keep to pools of their own.
_MAGIC = 0x6B630001

# By the architecture of the triple: what a spinning thread executes, numbers of system calls.
_ARCHITECTURES = {
    "x86_64": {
        "pause": "@llvm.x86.sse2.pause()",
        "pause_type": "@llvm.x86.sse2.pause()",
        "futex": 202,
        "gettid": 186,
    },
    "aarch64": {
        "pause": "@llvm.aarch64.isb(i32 15)",
        "pause_type": "@llvm.aarch64.isb(i32)",
        "futex": 98,
        "gettid": 178,
    },
}

# Signals are for the program's own threads, but one that tells of a crash must reach the worker at
# fault: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
_SIGNALS = ~sum(1 << (number - 1) for number in (4, 5, 7, 8, 11, 31))

_DECLARATIONS = Template("""
declare void $pause_type
declare i64 @syscall(i64, ...)
declare ptr @__errno_location()
declare i64 @getauxval(i64)
declare ptr @mmap(ptr, i64, i32, i32, i32, i64)
declare i32 @munmap(ptr, i64)
declare i32 @madvise(ptr, i64, i32)
declare i32 @getpid()
declare i32 @prctl(i32, ...)
declare i32 @clock_gettime(i32, ptr)
declare i32 @usleep(i32)
declare i32 @sched_yield()
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)
declare i64 @pthread_self()
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare ptr @fopen(ptr, ptr)
declare i32 @fclose(ptr)
declare ptr @fgets(ptr, i32, ptr)
declare i32 @fscanf(ptr, ptr, ...)
declare i32 @snprintf(ptr, i64, ptr, ...)
declare i32 @dprintf(i32, ptr, ...)
declare ptr @strchr(ptr, i32)
declare ptr @strrchr(ptr, i32)
declare ptr @strstr(ptr, ptr)
declare ptr @getenv(ptr)
declare i64 @strtol(ptr, ptr, i32)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i32 @llvm.umin.i32(i32, i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

@kc.pool = internal global ptr null                     ; the state, once this module knows it
""")

_SETTINGS = Template("""
; ---- the pool's settings

; The threads that a parallel loop runs on, the caller included.
define $public i32 @kc_pool_num_threads() {
entry:
  %s = call ptr @kc.pool.get()
  %none = icmp eq ptr %s, null
  br i1 %none, label %alone, label %look
look:
  %threads.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_threads
  %threads = load atomic i32, ptr %threads.at acquire, align 4
  %known = icmp ne i32 %threads, 0
  br i1 %known, label %exit, label %lock
lock:
  %mine = call i1 @kc.pool.acquire(ptr %s)
  br i1 %mine, label %check, label %alone
check:
  %planned = load i32, ptr %threads.at
  %fresh = icmp eq i32 %planned, 0
  br i1 %fresh, label %plan, label %release
plan:
  call void @kc.pool.plan(ptr %s)
  br label %release
release:
  %decided = load i32, ptr %threads.at
  call void @kc.pool.release(ptr %s)
  br label %exit
alone:
  br label %exit
exit:
  %result = phi i32 [%threads, %look], [%decided, %release], [1, %alone]
  ret i32 %result
}

; Sets the number of threads (0: back to the default, read anew) and, unless null, their CPUs: the
; caller's first (it is not pinned), then the workers'. 0, or 1 if a parallel loop is running
; (always so inside one), or 2 if an argument is out of range.
define $public i32 @kc_pool_configure(i32 %threads, ptr %cpus) {
entry:
  %too.many = icmp ugt i32 %threads, $max_threads
  br i1 %too.many, label %wrong, label %given
given:
  %absent = icmp eq ptr %cpus, null
  %listed = select i1 %absent, i32 0, i32 %threads
  br label %cpu
cpu:
  %i = phi i32 [0, %given], [%i1, %look]
  %more = icmp ult i32 %i, %listed
  br i1 %more, label %look, label %get
look:
  %cpu.at = getelementptr i32, ptr %cpus, i32 %i
  %id = load i32, ptr %cpu.at
  %bad = icmp ugt i32 %id, $last_cpu
  %i1 = add i32 %i, 1
  br i1 %bad, label %wrong, label %cpu
get:
  %s = call ptr @kc.pool.get()
  %none = icmp eq ptr %s, null
  br i1 %none, label %busy, label %lock
lock:
  %mine = call i1 @kc.pool.acquire(ptr %s)
  br i1 %mine, label %set, label %busy
set:
  call void @kc.pool.stop(ptr %s)
  %config = getelementptr i8, ptr %s, i64 -$part_bytes
  %threads.at = getelementptr %kc.config, ptr %config, i32 0, i32 $config_threads
  %given.at = getelementptr %kc.config, ptr %config, i32 0, i32 $config_given
  %list = getelementptr %kc.config, ptr %config, i32 0, i32 $config_cpus
  %wide = zext i32 %listed to i64
  %bytes = shl i64 %wide, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %list, ptr %cpus, i64 %bytes, i1 false)
  %chosen = icmp ne i32 %listed, 0
  %has = zext i1 %chosen to i32
  store i32 %threads, ptr %threads.at
  store i32 %has, ptr %given.at
  call void @kc.pool.release(ptr %s)
  ret i32 0
busy:
  ret i32 1
wrong:
  ret i32 2
}

; Ends the workers and waits for them; the next loop starts new ones. 0, or 1 if a parallel loop is
; running and does not end (always so inside one).
define $public i32 @kc_pool_shutdown() {
entry:
  %s = call ptr @kc.pool.get()
  %none = icmp eq ptr %s, null
  br i1 %none, label %exit, label %lock
lock:
  %mine = call i1 @kc.pool.acquire(ptr %s)
  br i1 %mine, label %stop, label %busy
stop:
  call void @kc.pool.stop(ptr %s)
  call void @kc.pool.release(ptr %s)
  br label %exit
exit:
  ret i32 0
busy:
  ret i32 1
}
""")

_UNLOAD = Template("""
; ---- unloading the library, and exit

@llvm.global_dtors = appending global [1 x {i32, ptr, ptr}]
    [{i32, ptr, ptr} {i32 65535, ptr @kc.pool.unload, ptr null}]

; Workers that run this copy of the code must not outlive it.
define internal void @kc.pool.unload() {
entry:
  %seen = load atomic ptr, ptr @kc.pool acquire, align 8
  %unused = icmp eq ptr %seen, null
  br i1 %unused, label %exit, label %get
get:
  %s = call ptr @kc.pool.get()
  %mine = call i1 @kc.pool.acquire(ptr %s)
  br i1 %mine, label %look, label %exit
look:
  %owner.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_owner
  %owner = load ptr, ptr %owner.at
  %own = icmp eq ptr %owner, @kc.pool.worker
  br i1 %own, label %stop, label %release
stop:
  call void @kc.pool.stop(ptr %s)
  br label %release
release:
  call void @kc.pool.release(ptr %s)
  br label %exit
exit:
  ret void
}
""")

_SERIAL = Template("""
define $public void @kc_parallel_for(ptr %body, ptr %ctx, i64 %n, i64 %grain) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %run, label %exit
run:
  call void %body(i64 0, i64 %n, ptr %ctx)
  br label %exit
exit:
  ret void
}

define $public i32 @kc_pool_num_threads() {
  ret i32 1
}

define $public i32 @kc_pool_configure(i32 %threads, ptr %cpus) {
  ret i32 0
}

define $public i32 @kc_pool_shutdown() {
  ret i32 0
}

define $public i32 @kc_pool_cpu_quota(ptr %root) {
  ret i32 0
}
""")


def pool_ir(triple: str, *, library: bool = False) -> str:
    """The pool as the text of an LLVM module for ``triple``.

    With ``library`` the module also ends its workers when the library it becomes a part of is
    unloaded; without, whoever loads the code must keep it, and call ``kc_pool_shutdown`` at exit.
    The public functions are weak, so that several modules with the text can be linked together.
    """
    architecture = triple.split("-")[0]
    public = "weak_odr"
    if "linux" not in triple or architecture not in _ARCHITECTURES:
        return f'target triple = "{triple}"\n' + _SERIAL.substitute(public=public)
    values: dict[str, str | int] = {
        **_ARCHITECTURES[architecture],
        "public": public,
        "max_threads": MAX_THREADS,
        "last_cpu": MAX_CPUS - 1,
        "mask_bytes": MAX_CPUS // 8,
        "mask_words": MAX_CPUS // 64,
        "part_bytes": _PART_BYTES,
        "state_bytes": 2 * _PART_BYTES,
        "spin_ns": SPIN_NS,
        "magic": _MAGIC,
        "signals": _SIGNALS,
        "unlimited": 2**63 - 1,
        "map_any": 0x4022,  # MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        "map_here": 0x104022,  # and MAP_FIXED_NOREPLACE
        "wipe_on_fork": 18,
        "futex_wait": 128,  # private to the process
        "futex_wake": 129,
    }
    for name, fields in _STRUCTS.items():
        values |= {f"{name}_{field}": index for index, field in enumerate(fields)}
    structs = [
        f"%kc.{name} = type {{{', '.join(fields.values())}}}\n" for name, fields in _STRUCTS.items()
    ]
    texts = {**TEXTS, "name": THREAD_NAME}
    return "".join(
        [
            f'target triple = "{triple}"\n\n',
            *structs,
            _DECLARATIONS.substitute(values),
            *(_string(name, text) for name, text in texts.items()),
            CPUS.substitute(values),
            STATE.substitute(values),
            THREADS.substitute(values),
            WORK.substitute(values),
            _SETTINGS.substitute(values),
            _UNLOAD.substitute(values) if library else "",
        ]
    )


def _string(name: str, text: str) -> str:
    """The IR of the constant ``@kc.text.<name>``: a C string."""
    data = text.encode() + b"\0"
    plain = b"".join(b"\\%02X" % c if c in b'"\\' or not 32 <= c < 127 else b"%c" % c for c in data)
    return f'@kc.text.{name} = private constant [{len(data)} x i8] c"{plain.decode()}"\n'
