/* The thread pool that runs parallel loops, in process and inside exported libraries.
 *
 * `make native` compiles this file to the LLVM IR beside it, which is what kc uses: pool.x86_64.ll and
 * pool.aarch64.ll for Linux, pool.serial.ll for everything else. Users need no compiler.
 *
 *     kc_parallel_for      runs the iterations [0, n) in chunks of `grain` (0: about four for
 *                          each thread, -c: about c) and returns when all have run.
 *     kc_parallel_for_numbered  the same, for a body that uses memory of its thread: it is given the
 *                          number of the thread, from 0 (the caller) to less than `threads`. If the
 *                          pool has more threads than that, the caller runs all iterations.
 *     kc_pool_num_threads  the threads that a loop runs on, the caller included.
 *     kc_pool_configure    sets their number and CPUs.
 *     kc_pool_shutdown     ends the workers; the next loop starts new ones.
 *     kc_pool_cpu_quota    the CPUs that control groups allow this process.
 *
 * Threads claim chunks one by one; the caller works too and never waits for a worker that has
 * claimed none, so a worker that wakes late costs nothing. While the pool has a job, further calls
 * (nested loops, other threads) run serially in their caller.
 *
 * ONE POOL PER PROCESS. Each module has its own copy of this code, but all find the same state: a
 * mapping at one of eight addresses derived from the random bytes that the kernel gives a program
 * at exec (AT_RANDOM). All code of a process sees the same ones, however it was loaded (a symbol
 * would not do: code compiled in memory is no ELF object, and libraries are mostly loaded with local
 * scope), and nobody outside knows them. MAP_FIXED_NOREPLACE lets the kernel decide who makes the
 * mapping. Whoever runs the first loop starts the workers, in its own copy of the code. A library
 * that is unloaded ends the workers that run its code, and the next loop starts others.
 *
 * FORK. The state is marked MADV_WIPEONFORK: a child finds zeros, which means "not started", and
 * starts workers of its own with its first loop. What kc_pool_configure set lies outside the wiped
 * part and stays. Where the kernel cannot wipe, the process id is compared instead.
 *
 * PLACEMENT. The workers are pinned, one on each CPU but the caller's ("home"). The caller is not
 * pinned. When it begins a loop, or has waited for a while, and finds itself on the CPU of a worker,
 * that worker moves to the CPU the caller came from: two threads that share a CPU while another
 * idles would do so for whole scheduler ticks. Idle workers spin, then sleep on a futex.
 *
 * THE HANDSHAKE. `ticket` holds the number of chunks that nobody has claimed, or less than 1.
 *
 * 1. The caller, who holds `lock`, writes the job (its body, ctx, n, grain, chunks) and then stores
 *    `chunks - 1` to `ticket`: it keeps chunk 0 for itself.
 * 2. A claim takes one from `ticket` atomically. If the old value c was positive the claim is valid
 *    and is for chunk `chunks - c`; only now the claimant reads the job. If not, it leaves the job
 *    alone. Who idles claims only after having seen a positive `ticket`, so it never sinks far.
 * 3. A thread that claims goes on until a claim fails. A worker then adds to `done`, which is never
 *    reset, the number of chunks it ran. The caller waits until `done` has grown by the number of
 *    chunks it did not run itself, and releases `lock` only then.
 *
 * Nobody reads a job that is over. A valid claim got a number that the store of step 1 or a claim
 * after it left behind, and these are one release sequence, so the claimant sees the job written in
 * that step 1. Until it has reported the chunk, that job's caller is in step 3, and no other job is
 * written. A worker that is interrupted between seeing a positive `ticket` and claiming finds either
 * none left, or a chunk of a later job, which it then reads; what it saw before does not matter.
 *
 * Every chunk runs once. The numbers that valid claims of a job get are distinct and are all of
 * `chunks - 1 ... 1`; the next store to `ticket` comes after all of them have been reported.
 *
 * The caller waits for nobody but claimants. A worker that claimed nothing owes nothing.
 *
 * No wake-up is lost. A worker that goes to sleep counts itself in `sleepers`, then reads `ticket`;
 * the caller writes `ticket`, then reads `sleepers`. All four are sequentially consistent, so at
 * least one sees the other. `wakes` was read before, and each wake-up changes it, so the futex does
 * not sleep over one. `stop` works as `ticket` does. A caller that has waited for long sets
 * `waiting`, then reads `done`; a worker adds to `done`, then reads `waiting`. A worker may clear
 * `waiting` when its caller has gone and another one is there; it then wakes that one, or keeps its
 * futex from sleeping, and that caller looks again. (Writes that come before such a read are
 * read-modify-writes: QEMU was seen to let loads overtake sequentially consistent stores.)
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Several modules with the pool can be linked together. */
#define PUBLIC __attribute__((weak))

/* Tests call it in the compiled text. */
#define TESTED __attribute__((noinline))

typedef void loop_body(int64_t begin, int64_t end, void *ctx);
typedef void numbered_body(int64_t begin, int64_t end, void *ctx, int64_t thread);

PUBLIC void kc_parallel_for(loop_body *body, void *ctx, int64_t n, int64_t grain);
PUBLIC void kc_parallel_for_numbered(numbered_body *body, void *ctx, int64_t n, int64_t grain,
                                     int64_t threads);
PUBLIC int32_t kc_pool_num_threads(void);
PUBLIC int32_t kc_pool_configure(int32_t threads, const int32_t *cpus);
PUBLIC int32_t kc_pool_shutdown(void);
PUBLIC int32_t kc_pool_cpu_quota(const char *root);

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

/* ---- the C library: declared here, so that the text does not depend on the headers of a system,
 * which rename functions (fscanf to __isoc99_fscanf, say), and needs no other system's headers */

_Static_assert(sizeof(long) == 8 && sizeof(void *) == 8, "LP64");

typedef struct file FILE;
typedef unsigned long pthread_t; /* musl: a pointer */
struct timespec { int64_t seconds, nanoseconds; };
struct signal_set { uint64_t words[16]; };

long syscall(long number, ...);
int *__errno_location(void);
unsigned long getauxval(unsigned long type);
void *mmap(void *address, size_t size, int protection, int flags, int file, long offset);
int munmap(void *address, size_t size);
int madvise(void *address, size_t size, int advice);
int getpid(void);
int prctl(int option, ...);
int clock_gettime(int clock, struct timespec *time);
int usleep(unsigned microseconds);
int sched_yield(void);
int sched_getcpu(void);
int sched_getaffinity(int tid, size_t size, void *mask);
int sched_setaffinity(int tid, size_t size, const void *mask);
pthread_t pthread_self(void);
int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_sigmask(int how, const struct signal_set *set, struct signal_set *before);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *file);
char *fgets(char *line, int size, FILE *file);
int fscanf(FILE *file, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int dprintf(int file, const char *format, ...);
char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
char *strstr(const char *text, const char *part);
char *getenv(const char *name);
long strtol(const char *text, char **end, int base);

enum {
    AT_RANDOM = 25,
    CLOCK_MONOTONIC = 1,
    EAGAIN = 11,
    ETIMEDOUT = 110,
    FUTEX_WAIT_PRIVATE = 128,
    FUTEX_WAKE_PRIVATE = 129,
    MADV_WIPEONFORK = 18,
    MAP_MEMORY = 0x4022, /* MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE */
    MAP_FIXED_NOREPLACE = 0x100000,
    PR_SET_NAME = 15,
    PROT_READ_WRITE = 3,
    SIG_SETMASK = 2,
    STDERR = 2,
#ifdef __x86_64__
    SYS_futex = 202,
    SYS_gettid = 186,
#else
    SYS_futex = 98,
    SYS_gettid = 178,
#endif
};

#define MAP_FAILED ((void *)-1)

static inline __attribute__((always_inline)) void pause(void) {
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    __builtin_arm_isb(15); /* takes about as long; yield is a no-op on most */
#endif
}

/* ---- the state */

enum {
    MAX_THREADS = 1024,
    MAX_CPUS = 8192,       /* the most that Linux can be built for: the size of an affinity mask */
    PART_BYTES = 1 << 16,  /* of each part of the state: a multiple of any page size */
    MAGIC = 0x6B630002,    /* changes with the layout: modules of different versions do not share */
    SPIN_NS = 2200 * 1000, /* loops up to 2 ms apart, by sleeping between them, find workers awake */
};

#define THREAD_NAME "kc-pool"

/* What a fork keeps. */
struct config {
    _Atomic int32_t magic; /* MAGIC: this is a pool's state */
    int32_t threads;       /* what kc_pool_configure asked for; 0: the default */
    int32_t given;         /* whether it gave CPUs too */
    _Atomic int32_t pid;   /* the process, if a fork must be noticed by it; else 0 */
    int32_t cpus[MAX_THREADS];
};

struct worker {
    _Atomic pthread_t thread;
    _Atomic int32_t tid;
    _Atomic int32_t cpu;
};

/* What a fork wipes, PART_BYTES behind the config. What different threads write lies 128 bytes apart
 * (lines are fetched in pairs). Plain fields below `lock` belong to its holder. */
struct pool {
    _Atomic int64_t ticket; /* chunks that nobody has claimed, if positive */
    loop_body *body;        /* the job, which claimants read; null: `numbered` is its body */
    void *ctx;
    int64_t n;
    int64_t grain;
    int64_t chunks;
    _Atomic int32_t stop; /* the workers are to end */
    numbered_body *numbered;

    _Alignas(128) _Atomic int64_t done; /* chunks that workers have run, over all jobs */
    _Atomic int32_t waiting;            /* futex of a caller that sleeps until `done` is reached */

    _Alignas(128) _Atomic int32_t sleepers; /* workers that sleep or are about to */
    _Atomic int32_t wakes;                  /* futex of the sleepers: the number of wake-ups */

    _Alignas(128) _Atomic pthread_t lock; /* the thread whose job it is; 0: free */
    void *(*owner)(void *);               /* the copy of run_worker that the workers run */
    int64_t spin;                         /* SPIN_NS, or 0 with more threads than CPUs for them */
    _Atomic int32_t threads;              /* workers and caller; 0: not decided */
    int32_t started;
    _Atomic int32_t count; /* of workers */
    int32_t home;          /* the CPU left to the caller; -1: none is left */
    struct worker workers[MAX_THREADS];
};

/* Modules share the state, also those made by other versions of kc. */
_Static_assert(offsetof(struct config, cpus) == 16 && sizeof(struct worker) == 16, "layout");
_Static_assert(offsetof(struct pool, stop) == 48 && offsetof(struct pool, done) == 128, "layout");
_Static_assert(offsetof(struct pool, waiting) == 136, "layout");
_Static_assert(offsetof(struct pool, sleepers) == 256, "layout");
_Static_assert(offsetof(struct pool, lock) == 384, "layout");
_Static_assert(offsetof(struct pool, threads) == 408, "layout");
_Static_assert(offsetof(struct pool, workers) == 424, "layout");
_Static_assert(sizeof(struct config) <= PART_BYTES && sizeof(struct pool) <= PART_BYTES, "layout");

static _Atomic(struct pool *) known_pool; /* the state, once this module knows it */

static inline struct config *config_of(struct pool *pool) {
    return (struct config *)((char *)pool - PART_BYTES);
}

#define get_relaxed(field) atomic_load_explicit(field, memory_order_relaxed)
#define get_acquire(field) atomic_load_explicit(field, memory_order_acquire)
#define set_relaxed(field, value) atomic_store_explicit(field, value, memory_order_relaxed)
#define set_release(field, value) atomic_store_explicit(field, value, memory_order_release)

/* Sleeps while `word` is `value`, at most for `timeout` unless that is null. */
static inline void futex_wait(_Atomic int32_t *word, long value, const struct timespec *timeout) {
    syscall(SYS_futex, word, (long)FUTEX_WAIT_PRIVATE, value, timeout, (void *)0, 0L);
}

static inline void futex_wake(_Atomic int32_t *word, long most) {
    syscall(SYS_futex, word, (long)FUTEX_WAKE_PRIVATE, most, (void *)0, (void *)0, 0L);
}

static int64_t clock_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.seconds * 1000000000 + time.nanoseconds;
}

/* ---- CPU quota: cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us), the least of all ancestors */

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Reads up to two numbers at the start of a file; how many were there. */
static int read_numbers(const char *path, long long *a, long long *b) {
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    int count = fscanf(file, "%lld %lld", a, b);
    fclose(file);
    return count;
}

/* The CPUs that the quota of one group allows, rounded up, or INT64_MAX where it sets none. */
static int64_t group_quota(const char *root, const char *mount, const char *group) {
    char path[8192];
    long long quota = 0, period = 0, rest;
    snprintf(path, sizeof path, "%s%s%s/cpu.max", root, mount, group);
    if (read_numbers(path, &quota, &period) != 2) {
        snprintf(path, sizeof path, "%s%s%s/cpu.cfs_quota_us", root, mount, group);
        read_numbers(path, &quota, &rest);
        snprintf(path, sizeof path, "%s%s%s/cpu.cfs_period_us", root, mount, group);
        read_numbers(path, &period, &rest);
    }
    if (quota <= 0 || period <= 0) return INT64_MAX; /* "max" reads as nothing, v1 says -1 */
    return (quota - 1) / period + 1;
}

/* The least quota of a group and all its ancestors. */
static int64_t least_quota(const char *root, const char *mount, const char *group) {
    char path[4096];
    snprintf(path, sizeof path, "%s", group);
    int64_t quota = INT64_MAX;
    for (;;) {
        quota = least(quota, group_quota(root, mount, path));
        char *slash = strrchr(path, '/');
        if (!slash) return quota;
        *slash = 0;
    }
}

/* The CPU quota of this process in CPUs, rounded up; 0: none. `root` is prefixed to every file name
 * ("" for the system itself). A line of /proc/self/cgroup is `number:controllers:group`, without
 * controllers for v2. */
int32_t kc_pool_cpu_quota(const char *root) {
    char line[4096], list[4096];
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "r");
    if (!file) return 0;
    int64_t quota = INT64_MAX;
    while (fgets(line, sizeof line, file)) {
        char *newline = strchr(line, '\n');
        if (newline) *newline = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : (void *)0;
        if (!group) continue;
        *group++ = 0;
        if (controllers[1]) {
            snprintf(list, sizeof list, ",%s,", controllers + 1);
            if (!strstr(list, ",cpu,")) continue;
        }
        quota = least(quota, least_quota(root, "/sys/fs/cgroup", group));
        quota = least(quota, least_quota(root, "/sys/fs/cgroup/unified", group));
        quota = least(quota, least_quota(root, "/sys/fs/cgroup/cpu", group));
    }
    fclose(file);
    return quota == INT64_MAX ? 0 : (int32_t)least(quota, MAX_THREADS);
}

/* ---- sets of CPUs */

struct cpu_mask { uint64_t words[MAX_CPUS / 64]; };

static inline bool mask_has(const struct cpu_mask *mask, int32_t cpu) {
    return mask->words[cpu >> 6] >> (cpu & 63) & 1;
}

static inline void mask_add(struct cpu_mask *mask, int32_t cpu) {
    mask->words[cpu >> 6] |= UINT64_C(1) << (cpu & 63);
}

/* The next CPU of a mask that is not empty, in a circle: `cpu` itself comes last. */
static int32_t mask_next(const struct cpu_mask *mask, int32_t cpu) {
    do {
        cpu = (cpu + 1) & (MAX_CPUS - 1);
    } while (!mask_has(mask, cpu));
    return cpu;
}

/* ---- how many threads. The number is what kc_pool_configure was given; else KC_NUM_THREADS; else
 * the number of CPUs in the affinity mask of the calling thread, but no more than the process's CPU
 * quota. A number that the user gives is not bounded by either. */

/* Fills the affinity mask of the calling thread and counts its CPUs. A mask that cannot be read
 * counts as CPU 0 alone. */
static int32_t allowed_cpus(struct cpu_mask *mask) {
    if (sched_getaffinity(0, sizeof *mask, mask)) {
        *mask = (struct cpu_mask){{1}};
    }
    int32_t count = 0;
    for (int i = 0; i < MAX_CPUS / 64; ++i) count += __builtin_popcountll(mask->words[i]);
    return count;
}

/* The number of threads that can run at once: `allowed` CPUs within the quota. */
static int32_t available_cpus(int32_t allowed) {
    int32_t quota = kc_pool_cpu_quota("");
    return (int32_t)least(allowed, quota ? quota : MAX_THREADS);
}

/* What KC_NUM_THREADS asks for; `standard` where it is unset, empty or (with a message) no number. */
static int32_t wanted_threads(int32_t standard) {
    const char *text = getenv("KC_NUM_THREADS");
    if (!text || !*text) return standard;
    char *end;
    long number = strtol(text, &end, 10);
    if (!*end && number >= 1 && number <= MAX_THREADS) return (int32_t)number;
    dprintf(STDERR, "kc: KC_NUM_THREADS='%s' is ignored: not a whole number from 1 to %d\n", text,
            MAX_THREADS);
    return standard;
}

/* ---- which CPUs */

/* The caller's CPU, or the first of the mask where a sandbox does not tell. */
static int32_t home_cpu(const struct cpu_mask *mask) {
    int32_t here = sched_getcpu();
    if (here >= 0 && here < MAX_CPUS && mask_has(mask, here)) return here;
    return mask_next(mask, MAX_CPUS - 1);
}

/* The first CPU of the core that `cpu` belongs to (itself where the system does not tell). */
static int32_t core_of(int32_t cpu) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    int first = cpu;
    FILE *file = fopen(path, "r");
    if (file) {
        fscanf(file, "%d", &first);
        fclose(file);
    }
    return first & (MAX_CPUS - 1);
}

/* Gives each worker a CPU of the mask (not empty), going round from `home`, the CPU the caller is
 * on, which stays free: so the workers are near the caller, and two processes of a large machine
 * do not take the same CPUs. Round 0 (fewer threads than CPUs) takes one CPU of each core, round 1
 * any left; more threads than CPUs start over, `home` included. */
static TESTED void place_workers(const struct cpu_mask *mask, int32_t home, struct worker *workers,
                                 int32_t count, int32_t round) {
    struct cpu_mask taken = {{0}}, cores = {{0}};
    mask_add(&cores, core_of(home));
    int32_t cpu = home;
    for (int32_t i = 0; i < count;) {
        cpu = mask_next(mask, cpu);
        if (cpu == home) {
            if (++round <= 1) continue;
            taken = (struct cpu_mask){{0}};
        } else if (mask_has(&taken, cpu)) {
            continue;
        } else if (round == 0) {
            int32_t core = core_of(cpu);
            if (mask_has(&cores, core)) continue;
            mask_add(&cores, core);
        }
        mask_add(&taken, cpu);
        set_relaxed(&workers[i++].cpu, cpu);
    }
}

/* Pins a thread (0: the calling one). A refusal, of a CPU that has gone, say, leaves it where it is. */
static void pin(int32_t tid, int32_t cpu) {
    struct cpu_mask mask = {{0}};
    mask_add(&mask, cpu);
    sched_setaffinity(tid, sizeof mask, &mask);
}

/* If the caller is on a worker's CPU, that worker moves to the CPU the caller left. */
static void make_room(struct pool *pool) {
    int32_t home = pool->home, count = get_relaxed(&pool->count);
    if (home < 0) return;
    int32_t here = sched_getcpu();
    if (here == home) return;
    for (int32_t i = 0; i < count; ++i) {
        struct worker *worker = &pool->workers[i];
        if (get_relaxed(&worker->cpu) != here) continue;
        pool->home = here;
        atomic_exchange(&worker->cpu, home); /* the worker stores tid, then loads cpu */
        int32_t tid = atomic_load(&worker->tid);
        if (tid) pin(tid, home);
        return;
    }
}

/* ---- the state of the process */

/* Whether a pool's state lies at an address that may be no memory at all. The kernel compares:
 * ETIMEDOUT: equal, EAGAIN: not, EFAULT: no access. */
static bool is_pool(struct config *config) {
    static const struct timespec now = {0, 0};
    for (int tries = 0; tries <= 1000; ++tries) {
        futex_wait(&config->magic, MAGIC, &now);
        int why = *__errno_location();
        if (why == ETIMEDOUT) return true;
        if (why != EAGAIN) return false;
        if (tries < 1000) sched_yield(); /* the maker may not have written it yet */
    }
    return false;
}

/* Makes fresh memory the state, which other modules find from now on. */
static void make_pool(struct config *config) {
    char *wiped = (char *)config + PART_BYTES;
    bool accepted = !madvise(wiped, PART_BYTES, MADV_WIPEONFORK);
    /* Emulators accept any advice and follow none, so see whether nonsense is refused. */
    bool honest = madvise(wiped, PART_BYTES, -1) != 0;
    if (!accepted || !honest) set_relaxed(&config->pid, getpid());
    set_release(&config->magic, MAGIC);
}

/* Finds the state, or makes it; null if there is no memory. */
static struct config *find_config(void) {
    const char *random = (const char *)getauxval(AT_RANDOM); /* 16 bytes */
    if (random) {
        uint64_t low, high;
        __builtin_memcpy(&low, random, 8);
        __builtin_memcpy(&high, random + 8, 8);
        uint64_t hash = low ^ (high << 32 | high >> 32);
        for (int k = 0; k < 8; ++k) {
            hash = hash * 6364136223846793005u + 1442695040888963407u;
            /* 64 GiB to 320 GiB: user space everywhere */
            struct config *wanted = (struct config *)(((hash >> 42) + (1 << 20)) << 16);
            void *memory = mmap(wanted, 2 * PART_BYTES, PROT_READ_WRITE,
                                MAP_MEMORY | MAP_FIXED_NOREPLACE, -1, 0);
            if (memory == wanted) {
                make_pool(wanted);
                return wanted;
            }
            /* A kernel that does not know NOREPLACE maps something elsewhere. */
            if (memory != MAP_FAILED) munmap(memory, 2 * PART_BYTES);
            if (is_pool(wanted)) return wanted;
        }
    }
    /* A pool for this module alone. */
    void *memory = mmap((void *)0, 2 * PART_BYTES, PROT_READ_WRITE, MAP_MEMORY, -1, 0);
    if (memory == MAP_FAILED) return (void *)0;
    make_pool(memory);
    return memory;
}

/* The state, or null; emptied where a fork left the parent's. */
static struct pool *get_pool(void) {
    struct pool *pool = get_acquire(&known_pool);
    if (!pool) {
        struct config *config = find_config();
        if (!config) return (void *)0;
        get_acquire(&config->magic); /* who made it did so before */
        pool = (struct pool *)((char *)config + PART_BYTES);
        set_release(&known_pool, pool);
    }
    struct config *config = config_of(pool);
    int32_t pid = get_relaxed(&config->pid);
    if (pid) {
        int32_t here = getpid();
        if (here != pid) {
            __builtin_memset(pool, 0, PART_BYTES);
            set_relaxed(&config->pid, here);
        }
    }
    return pool;
}

/* Takes the lock, waiting for the jobs of others for about two seconds. False if it could not: they
 * last longer, or the calling thread is itself in a parallel loop. */
static bool take_lock(struct pool *pool) {
    pthread_t self = pthread_self();
    for (int tries = 0;; ++tries) {
        pthread_t holder = 0;
        if (atomic_compare_exchange_strong_explicit(&pool->lock, &holder, self,
                                                    memory_order_acquire, memory_order_relaxed))
            return true;
        if (holder == self) return false;
        for (int32_t i = 0; i < get_acquire(&pool->count); ++i) {
            if (get_relaxed(&pool->workers[i].thread) == self) return false;
        }
        if (tries == 12000) return false;
        usleep(100);
    }
}

static inline void release_lock(struct pool *pool) { set_release(&pool->lock, 0); }

/* ---- waiting and working */

/* Wakes up to `most` sleeping workers. */
static inline void wake(struct pool *pool, int64_t most) {
    atomic_fetch_add(&pool->wakes, 1);
    futex_wake(&pool->wakes, least(most, MAX_THREADS));
}

/* Claims and runs chunks, as the thread of a number, until none is left; how many it ran. */
static int64_t run_chunks(struct pool *pool, int64_t thread) {
    for (int64_t ran = 0;; ++ran) {
        int64_t claim = atomic_fetch_sub_explicit(&pool->ticket, 1, memory_order_acquire);
        if (claim <= 0) return ran;
        int64_t begin = (pool->chunks - claim) * pool->grain;
        int64_t end = begin + least(pool->grain, pool->n - begin);
        if (pool->body) pool->body(begin, end, pool->ctx);
        else pool->numbered(begin, end, pool->ctx, thread);
    }
}

/* Adds the chunks that a worker ran, and wakes the caller if it sleeps until they are done. */
static void report(struct pool *pool, int64_t ran) {
    atomic_fetch_add(&pool->done, ran);
    if (atomic_load(&pool->waiting)) {
        set_relaxed(&pool->waiting, 0);
        futex_wake(&pool->waiting, 1);
    }
}

/* Spins until there is a job, or the pool stops, or it has taken too long. */
static void await_job(struct pool *pool) {
    int64_t until = 0;
    for (uint32_t i = 1; get_relaxed(&pool->ticket) <= 0 && !get_acquire(&pool->stop); ++i) {
        pause();
        if (i % 64) continue; /* the clock costs about two pauses */
        int64_t now = clock_ns();
        if (!until) until = now + pool->spin;
        if (now >= until) return;
    }
}

/* Sleeps until there is a job, or the pool stops. */
static void sleep_until_job(struct pool *pool) {
    int32_t seen = get_acquire(&pool->wakes);
    atomic_fetch_add(&pool->sleepers, 1);
    bool work = atomic_load(&pool->ticket) > 0, stop = atomic_load(&pool->stop);
    if (!work && !stop) futex_wait(&pool->wakes, seen, (void *)0);
    atomic_fetch_sub(&pool->sleepers, 1);
}

static void *run_worker(void *argument) {
    struct worker *self = argument;
    struct pool *pool = get_acquire(&known_pool);
    prctl(PR_SET_NAME, THREAD_NAME, 0L, 0L, 0L);
    atomic_exchange(&self->tid, (int32_t)syscall(SYS_gettid));
    int32_t cpu;
    do {
        cpu = atomic_load(&self->cpu);
        pin(0, cpu);
    } while (cpu != atomic_load(&self->cpu)); /* moved meanwhile, perhaps before `tid` was there */
    for (;;) {
        await_job(pool);
        if (get_relaxed(&pool->ticket) > 0) {
            int64_t ran = run_chunks(pool, self - pool->workers + 1);
            if (ran) report(pool, ran);
        } else if (get_acquire(&pool->stop)) {
            return (void *)0;
        } else {
            sleep_until_job(pool);
        }
    }
}

/* The caller waits until workers have run the chunks it has not: until `done` is `target`. */
static void await_workers(struct pool *pool, int64_t target) {
    int64_t until = 0;
    for (uint32_t i = 1; get_acquire(&pool->done) != target; ++i) {
        pause();
        if (i % 512) continue;
        int64_t now = clock_ns();
        if (!until) {
            make_room(pool);
            until = now + pool->spin;
        }
        if (now < until) continue;
        while (atomic_exchange(&pool->waiting, 1), atomic_load(&pool->done) != target) {
            futex_wait(&pool->waiting, 1, (void *)0);
        }
        set_relaxed(&pool->waiting, 0);
        return;
    }
}

/* ---- starting and stopping the workers: the caller holds the lock */

/* Decides the number of threads, their CPUs and whether they spin. */
static void plan(struct pool *pool) {
    const struct config *config = config_of(pool);
    struct cpu_mask mask;
    int32_t allowed = allowed_cpus(&mask);
    int32_t available = available_cpus(allowed);
    int32_t threads = config->threads ? config->threads : wanted_threads(available);
    pool->spin = threads > available ? 0 : SPIN_NS;
    if (config->given) {
        pool->home = config->cpus[0]; /* the caller's */
        for (int32_t i = 1; i < threads; ++i) {
            set_relaxed(&pool->workers[i - 1].cpu, config->cpus[i]);
        }
    } else {
        int32_t home = home_cpu(&mask);
        place_workers(&mask, home, pool->workers, threads - 1, threads < allowed ? 0 : 1);
        pool->home = threads <= allowed ? home : -1;
    }
    set_release(&pool->threads, threads);
}

/* Starts the workers, as many as the system lets us. */
static void start(struct pool *pool) {
    if (!get_relaxed(&pool->threads)) plan(pool);
    int32_t wanted = get_relaxed(&pool->threads) - 1, count;
    /* Signals are for the program's own threads, but one that tells of a crash must reach the worker
     * at fault: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS. */
    struct signal_set blocked, before;
    __builtin_memset(&blocked, 0xff, sizeof blocked);
    blocked.words[0] = ~(1ull << 3 | 1ull << 4 | 1ull << 6 | 1ull << 7 | 1ull << 10 | 1ull << 30);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    for (count = 0; count < wanted; ++count) {
        struct worker *worker = &pool->workers[count];
        pthread_t thread;
        set_relaxed(&worker->tid, 0);
        if (pthread_create(&thread, (void *)0, run_worker, worker)) break;
        set_relaxed(&worker->thread, thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, (void *)0);
    set_release(&pool->threads, count + 1);
    set_release(&pool->count, count);
    pool->owner = run_worker;
    pool->started = 1;
}

/* Ends the workers and forgets the plan: the next loop makes a new one. */
static void stop(struct pool *pool) {
    int32_t count = get_relaxed(&pool->count);
    atomic_exchange(&pool->stop, 1);
    wake(pool, MAX_THREADS);
    for (int32_t i = 0; i < count; ++i) {
        pthread_join(get_relaxed(&pool->workers[i].thread), (void *)0);
    }
    set_release(&pool->count, 0);
    set_release(&pool->stop, 0);
    pool->started = 0;
    set_release(&pool->threads, 0);
}

/* Workers that run this copy of the code must not outlive it: the library is unloaded, or the
 * program exits. Code that is compiled in memory has nobody to call this; whoever loads it keeps it,
 * and calls kc_pool_shutdown at exit. */
__attribute__((destructor)) static void unload(void) {
    if (!get_acquire(&known_pool)) return;
    struct pool *pool = get_pool();
    if (!take_lock(pool)) return;
    if (pool->owner == run_worker) stop(pool);
    release_lock(pool);
}

/* ---- the public functions */

/* Runs the job in the caller and the workers, which are at most `most` threads; see the head of the
 * file for the handshake. One of the bodies is null. False if the caller is to run it alone. */
static bool run_parallel(loop_body *body, numbered_body *numbered, void *ctx, int64_t n,
                         int64_t grain, int64_t most) {
    struct pool *pool = get_pool();
    if (!pool) return false;
    pthread_t free = 0;
    /* A nested loop or a second caller: no wait. */
    if (!atomic_compare_exchange_strong_explicit(&pool->lock, &free, pthread_self(),
                                                 memory_order_acquire, memory_order_relaxed))
        return false;
    if (!pool->started) start(pool);
    int32_t threads = get_relaxed(&pool->threads);
    if (threads < 2 || threads > most) {
        release_lock(pool);
        return false;
    }
    if (grain < 1) grain = (n - 1) / ((grain < 0 ? -grain : 4) * threads) + 1;
    int64_t shared = (n - 1) / grain; /* chunk 0 is the caller's */
    int64_t done = get_relaxed(&pool->done);
    pool->body = body;
    pool->numbered = numbered;
    pool->ctx = ctx;
    pool->n = n;
    pool->grain = grain;
    pool->chunks = shared + 1;
    atomic_exchange(&pool->ticket, shared);
    make_room(pool);
    if (atomic_load(&pool->sleepers)) wake(pool, shared);
    /* grain < n, or it had run serially */
    if (body) body(0, grain, ctx);
    else numbered(0, grain, ctx, 0);
    int64_t left = shared - run_chunks(pool, 0);
    if (left) await_workers(pool, done + left);
    release_lock(pool);
    return true;
}

void kc_parallel_for(loop_body *body, void *ctx, int64_t n, int64_t grain) {
    if (n <= 0) return;
    if (n > 1 && grain < n && run_parallel(body, (void *)0, ctx, n, grain, MAX_THREADS)) return;
    body(0, n, ctx);
}

void kc_parallel_for_numbered(numbered_body *body, void *ctx, int64_t n, int64_t grain,
                              int64_t threads) {
    if (n <= 0) return;
    if (n > 1 && grain < n && run_parallel((void *)0, body, ctx, n, grain, threads)) return;
    body(0, n, ctx, 0);
}

int32_t kc_pool_num_threads(void) {
    struct pool *pool = get_pool();
    if (!pool) return 1;
    int32_t threads = get_acquire(&pool->threads);
    if (threads) return threads;
    if (!take_lock(pool)) return 1;
    if (!get_relaxed(&pool->threads)) plan(pool);
    threads = get_relaxed(&pool->threads);
    release_lock(pool);
    return threads;
}

/* Sets the number of threads (0: back to the default, read anew) and, unless null, their CPUs: the
 * caller's first (it is not pinned), then the workers'. 0, or 1 if a parallel loop is running (always
 * so inside one), or 2 if an argument is out of range. */
int32_t kc_pool_configure(int32_t threads, const int32_t *cpus) {
    if (threads < 0 || threads > MAX_THREADS) return 2;
    int32_t given = cpus ? threads : 0;
    for (int32_t i = 0; i < given; ++i) {
        if (cpus[i] < 0 || cpus[i] >= MAX_CPUS) return 2;
    }
    struct pool *pool = get_pool();
    if (!pool || !take_lock(pool)) return 1;
    stop(pool);
    struct config *config = config_of(pool);
    for (int32_t i = 0; i < given; ++i) config->cpus[i] = cpus[i];
    config->threads = threads;
    config->given = given != 0;
    release_lock(pool);
    return 0;
}

/* Ends the workers and waits for them; the next loop starts new ones. 0, or 1 if a parallel loop is
 * running and does not end (always so inside one). */
int32_t kc_pool_shutdown(void) {
    struct pool *pool = get_pool();
    if (!pool) return 0;
    if (!take_lock(pool)) return 1;
    stop(pool);
    release_lock(pool);
    return 0;
}

#else /* every loop runs serially */

void kc_parallel_for(loop_body *body, void *ctx, int64_t n, int64_t grain) {
    (void)grain;
    if (n > 0) body(0, n, ctx);
}

void kc_parallel_for_numbered(numbered_body *body, void *ctx, int64_t n, int64_t grain,
                              int64_t threads) {
    (void)grain, (void)threads;
    if (n > 0) body(0, n, ctx, 0);
}

int32_t kc_pool_num_threads(void) { return 1; }

int32_t kc_pool_configure(int32_t threads, const int32_t *cpus) {
    (void)threads, (void)cpus;
    return 0;
}

int32_t kc_pool_shutdown(void) { return 0; }

int32_t kc_pool_cpu_quota(const char *root) {
    (void)root;
    return 0;
}

#endif
