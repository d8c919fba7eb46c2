/* Uses two copies of the thread pool from many threads at once: what sanitizers are to look at.
 *
 *     pool_driver ROUNDS ROOT [fork]
 *
 * ROOT is a folder with the files of control groups. Exits with 0 if every iteration ran once.
 */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void loop_body(int64_t begin, int64_t end, void *ctx);
typedef void numbered_body(int64_t begin, int64_t end, void *ctx, int64_t thread);

#define DECLARE(prefix)                                                               \
    void prefix##_parallel_for(loop_body *body, void *ctx, int64_t n, int64_t grain); \
    void prefix##_parallel_for_numbered(numbered_body *body, void *ctx, int64_t n,    \
                                        int64_t grain, int64_t threads);              \
    int32_t prefix##_pool_num_threads(void);                                     \
    int32_t prefix##_pool_configure(int32_t threads, const int32_t *cpus);       \
    int32_t prefix##_pool_shutdown(void);                                        \
    int32_t prefix##_pool_cpu_quota(const char *root)

DECLARE(kc);
DECLARE(second); /* the same source, as another module of the process has it */

enum { CALLERS = 4, SIZE = 300 };

static int rounds;

static void check(int ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "wrong: %s\n", what);
    _exit(1);
}

static void count(int64_t begin, int64_t end, void *ctx) {
    int64_t *counts = ctx;
    for (int64_t i = begin; i < end; ++i) ++counts[i];
}

/* A loop inside a loop, of the other copy. */
static void nested(int64_t begin, int64_t end, void *ctx) {
    int64_t *counts = ctx;
    for (int64_t i = begin; i < end; ++i) second_parallel_for(count, counts + i * 8, 8, 1);
}

/* Adds to what the thread of a number has alone. */
static void numbered(int64_t begin, int64_t end, void *ctx, int64_t thread) {
    int64_t *counts = ctx;
    counts[thread] += end - begin;
}

static void *call(void *argument) {
    int64_t counts[SIZE] = {0}, number = (int64_t)(intptr_t)argument, sum = 0;
    for (int i = 0; i < rounds; ++i) {
        int64_t n = 1 + (i * 7 + number) % SIZE;
        memset(counts, 0, sizeof counts);
        if (i % 7 == 0) kc_parallel_for_numbered(numbered, counts, n, 1, 1 + i % 4);
        else if (i % 3 == 0) second_parallel_for(count, counts, n, i % 5);
        else if (i % 3 == 1) kc_parallel_for(count, counts, n, 1 + i % 40);
        else kc_parallel_for(nested, counts, n / 8, 1);
        for (int64_t k = 0; k < SIZE; ++k) sum += counts[k];
        sum -= i % 7 && i % 3 == 2 ? n / 8 * 8 : n;
        check(sum == 0, "a sum of iterations");
        if (i % 50 == 0) usleep(3000); /* now and then the workers go to sleep */
    }
    return NULL;
}

/* Changes the settings while loops run. */
static void *change(void *argument) {
    const int32_t cpus[3] = {0, 0, 0};
    (void)argument;
    for (int i = 0; i < rounds / 20; ++i) {
        check(kc_pool_configure(1 + i % 4, NULL) != 2, "kc_pool_configure");
        check(second_pool_num_threads() > 0, "kc_pool_num_threads");
        if (i % 3 == 0) second_pool_shutdown();
        if (i % 4 == 0) check(second_pool_configure(3, cpus) != 2, "kc_pool_configure");
        usleep(2000);
    }
    return NULL;
}

static void use(void) {
    pthread_t threads[CALLERS + 1];
    for (intptr_t i = 0; i < CALLERS; ++i) pthread_create(&threads[i], NULL, call, (void *)i);
    pthread_create(&threads[CALLERS], NULL, change, NULL);
    for (int i = 0; i <= CALLERS; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    rounds = atoi(argv[1]);
    check(kc_pool_configure(4, NULL) == 0, "kc_pool_configure");
    use();
    check(kc_pool_cpu_quota(argv[2]) == 3, "kc_pool_cpu_quota");
    check(kc_pool_cpu_quota("/nonexistent") == 0, "kc_pool_cpu_quota");
    if (argc > 3) {
        pid_t child = fork();
        if (child == 0) {
            use();
            exit(0); /* with the destructors */
        }
        int status;
        check(waitpid(child, &status, 0) == child && status == 0, "the child");
    }
    use();
    check(kc_pool_configure(0, NULL) == 0, "kc_pool_configure");
    setenv("KC_NUM_THREADS", "3", 1);
    check(kc_pool_num_threads() == 3, "kc_pool_num_threads");
    use();
    return 0; /* the destructors end the workers */
}
