/* What the host code of a module for CUDA calls: launches, and memory of the device.
 *
 * `make native` compiles this file to the LLVM IR beside it, which is what kc uses. Users need no
 * compiler. The text is for every machine with pointers of 64 bits.
 *
 * A call of a kernel has a record, in which it says to all of these on which device it is and where
 * the driver's functions are (a table), and they say to it what went wrong first. After that nothing
 * more is launched, allocated or copied, so that host code needs to look at nothing.
 *
 *     kc_gpu_launch    queues a kernel, if its sizes are within the device's limits;
 *                      kc_gpu_launch_with_maps one that gets tensor maps.
 *     kc_gpu_tensor_map   has a map of an array made, once.
 *     kc_gpu_alloc     memory, in the order of the stream; kc_gpu_free gives it back so.
 *     kc_gpu_copy, kc_gpu_set   queue a copy and a fill.
 *     kc_gpu_wait      waits for what is queued.
 *
 * The context is pushed around each call of the driver: any thread may call, and whoever else uses
 * the device in this process finds its own context as it was.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct {
  void *function;
  int64_t most_threads; /* in a block, which depends on its registers */
  int64_t most_shared;  /* dynamic, in bytes */
} Kernel;

/* The driver's functions have the types of the CUDA driver API; 0 is success. */
typedef struct {
  int (*push)(void *context);
  int (*pop)(void **context);
  int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters,
                void **extra);
  int (*alloc)(uint64_t *memory, size_t size, void *stream);
  int (*free)(uint64_t memory, void *stream);
  int (*copy)(uint64_t to, uint64_t from, size_t size, void *stream);
  int (*set8)(uint64_t to, unsigned char value, size_t count, void *stream);
  int (*set16)(uint64_t to, unsigned short value, size_t count, void *stream);
  int (*set32)(uint64_t to, unsigned value, size_t count, void *stream);
  int (*set_rows)(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height, void *stream);
  int (*wait)(void *stream);
  int (*encode)(void *map, int type, unsigned rank, void *base, const uint64_t *sizes,
                const uint64_t *strides, const unsigned *box, const unsigned *steps, int interleave,
                int swizzle, int promotion, int fill); /* NULL in a driver before CUDA 12 */
  void *context;
  void **stream;         /* the device's current one */
  const int64_t *limits; /* of the grid in x, y, z, of a block in x, y, z, of the threads of a block */
  const Kernel *kernels;
} Table;

enum { DRIVER = 1, LIMIT = 2, UNALIGNED = 3 };
enum { LAUNCH, ALLOC, FREE, COPY, SET, WAIT, ENCODE };
enum { NOT_SUPPORTED = 801, MAP_UNIT = 16, MAX_RANK = 5 };
enum { THREADS = 6, SHARED = 7 };

typedef struct {
  const Table *table;
  int64_t status; /* DRIVER, LIMIT or UNALIGNED: the base of a map (value), or its stride (what) */
  int64_t what;   /* which of the driver's functions, or which limit */
  int64_t kernel;
  int64_t value; /* the driver's error, or the size that was asked for */
  int64_t limit;
  int64_t sizes[7]; /* grid, block, shared memory */
} Record;

static void fail(Record *record, int64_t status, int64_t what, int64_t kernel, int64_t value,
                 int64_t limit) {
  if (record->status) return;
  record->status = status;
  record->what = what;
  record->kernel = kernel;
  record->value = value;
  record->limit = limit;
}

static int enter(const Table *table) { return table->push(table->context); }

static int leave(const Table *table, int error) {
  void *context;
  int popped = table->pop(&context);
  return error ? error : popped;
}

/* `words` has a word of 8 bytes for each parameter, at whose start the parameter is; for those of which
   `maps` has the bit, the word is where it is. */
void kc_gpu_launch_with_maps(Record *record, int64_t number, int64_t grid_x, int64_t grid_y,
                             int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                             int64_t shared, int64_t *words, int64_t count, int64_t maps) {
  if (record->status) return;
  const Table *table = record->table;
  const Kernel *kernel = &table->kernels[number];
  const int64_t sizes[7] = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared};
  for (int i = 0; i < 7; ++i) record->sizes[i] = sizes[i];
  for (int i = 0; i < 6; ++i)
    if (sizes[i] < 1 || sizes[i] > table->limits[i]) {
      fail(record, LIMIT, i, number, sizes[i], table->limits[i]);
      return;
    }
  int64_t threads = block_x * block_y * block_z;
  int64_t most = table->limits[THREADS];
  if (kernel->most_threads < most) most = kernel->most_threads;
  if (threads > most) {
    fail(record, LIMIT, THREADS, number, threads, most);
    return;
  }
  if (shared < 0 || shared > kernel->most_shared) {
    fail(record, LIMIT, SHARED, number, shared, kernel->most_shared);
    return;
  }
  void *parameters[count + 1];
  for (int64_t i = 0; i < count; ++i)
    parameters[i] = i < 64 && maps >> i & 1 ? (void *)words[i] : words + i;
  int error = enter(table);
  if (!error)
    error = leave(table, table->launch(kernel->function, (unsigned)grid_x, (unsigned)grid_y,
                                       (unsigned)grid_z, (unsigned)block_x, (unsigned)block_y,
                                       (unsigned)block_z, (unsigned)shared, *table->stream, parameters,
                                       NULL));
  if (error) fail(record, DRIVER, LAUNCH, number, error, 0);
}

void kc_gpu_launch(Record *record, int64_t number, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                   int64_t block_x, int64_t block_y, int64_t block_z, int64_t shared, int64_t *words,
                   int64_t count) {
  kc_gpu_launch_with_maps(record, number, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                          words, count, 0);
}

/* Maps that were made, by what they were made of: they depend on nothing else. An array keeps its map
   from one call to the next, so that the driver makes it once. */
enum { MAP_WORDS = 16, KEY_WORDS = 17, MAPS = 256 };

typedef struct {
  uint64_t key[KEY_WORDS]; /* who makes maps, the base, `form`, sizes, strides and the box */
  uint64_t map[MAP_WORDS];
} Made;

static Made made[MAPS];
static char is_taken; /* by the thread that looks into it */

static Made *place_of(const uint64_t *key) {
  uint64_t hash = 0;
  for (int i = 0; i < KEY_WORDS; ++i) hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15u;
  return &made[hash >> 56];
}

static int is_made(const Made *place, const uint64_t *key) {
  int is_same = 1;
  for (int i = 0; i < KEY_WORDS; ++i) is_same &= place->key[i] == key[i];
  return is_same;
}

/* Have the driver make a map, if it has not made the same before: its error. */
static int make_map(const Table *table, uint64_t *map, const uint64_t *key, void *base, int64_t form,
                    const uint64_t *sizes, const uint64_t *strides, const unsigned *box) {
  static const unsigned steps[] = {1, 1, 1, 1, 1};
  Made *place = place_of(key);
  while (__atomic_test_and_set(&is_taken, __ATOMIC_ACQUIRE)) {}
  int error = 0;
  if (is_made(place, key)) {
    for (int i = 0; i < MAP_WORDS; ++i) map[i] = place->map[i];
  } else { /* where it is wanted, which is aligned as the driver asks for */
    error = enter(table); /* no argument is of a context, but drivers want one */
    if (!error)
      error = leave(table, table->encode(map, form & 255, (unsigned)(form >> 8 & 255), base, sizes,
                                         strides, box, steps, 0, form >> 16 & 255, form >> 24 & 255,
                                         form >> 32 & 255));
    for (int i = 0; i < KEY_WORDS; ++i) place->key[i] = error ? 0 : key[i];
    for (int i = 0; i < MAP_WORDS; ++i) place->map[i] = map[i];
  }
  __atomic_clear(&is_taken, __ATOMIC_RELEASE);
  return error;
}

/* A map of an array, in 128 bytes at `map`. `form` has the type of the elements in 8 bits, the rank in 8,
   the swizzle in 8, the promotion in 8 and the fill in 8; numbers go from the innermost dimension on.
   Drivers make no map of an array without elements. It stays zero, as no box of such an array is copied. */
void kc_gpu_tensor_map(Record *record, void *map, void *base, int64_t form, int64_t size_0,
                       int64_t size_1, int64_t size_2, int64_t size_3, int64_t size_4,
                       int64_t stride_1, int64_t stride_2, int64_t stride_3, int64_t stride_4,
                       int64_t box_0, int64_t box_1, int64_t box_2, int64_t box_3, int64_t box_4) {
  if (record->status) return;
  const Table *table = record->table;
  const uint64_t sizes[] = {(uint64_t)size_0, (uint64_t)size_1, (uint64_t)size_2, (uint64_t)size_3,
                            (uint64_t)size_4};
  const uint64_t strides[] = {(uint64_t)stride_1, (uint64_t)stride_2, (uint64_t)stride_3,
                              (uint64_t)stride_4};
  const unsigned box[] = {(unsigned)box_0, (unsigned)box_1, (unsigned)box_2, (unsigned)box_3,
                          (unsigned)box_4};
  int64_t rank = form >> 8 & 255;
  for (int64_t i = 0; i < rank && i < MAX_RANK; ++i)
    if (!sizes[i]) {
      for (int word = 0; word < MAP_WORDS; ++word) ((uint64_t *)map)[word] = 0;
      return;
    }
  if ((uint64_t)base % MAP_UNIT) {
    fail(record, UNALIGNED, 0, -1, (int64_t)((uint64_t)base % MAP_UNIT), MAP_UNIT);
    return;
  }
  for (int64_t i = 1; i < rank && i < MAX_RANK; ++i)
    if (strides[i - 1] % MAP_UNIT) {
      fail(record, UNALIGNED, i, -1, (int64_t)strides[i - 1], MAP_UNIT);
      return;
    }
  uint64_t key[KEY_WORDS] = {(uint64_t)table->encode, (uint64_t)base, (uint64_t)form};
  for (int i = 0; i < MAX_RANK; ++i) key[3 + i] = sizes[i];
  for (int i = 0; i < MAX_RANK - 1; ++i) key[8 + i] = strides[i];
  for (int i = 0; i < MAX_RANK; ++i) key[12 + i] = box[i];
  int error = NOT_SUPPORTED;
  if (table->encode) error = make_map(table, map, key, base, form, sizes, strides, box);
  if (error) fail(record, DRIVER, ENCODE, -1, error, 0);
}

uint64_t kc_gpu_alloc(Record *record, int64_t size) {
  if (record->status || size <= 0) return 0;
  const Table *table = record->table;
  uint64_t memory = 0;
  int error = enter(table);
  if (!error) error = leave(table, table->alloc(&memory, (size_t)size, *table->stream));
  if (error) fail(record, DRIVER, ALLOC, -1, error, size);
  return error ? 0 : memory;
}

/* What was allocated before something went wrong is given back after it. */
void kc_gpu_free(Record *record, uint64_t memory) {
  if (!memory) return;
  const Table *table = record->table;
  int error = enter(table);
  if (!error) error = leave(table, table->free(memory, *table->stream));
  if (error) fail(record, DRIVER, FREE, -1, error, 0);
}

void kc_gpu_copy(Record *record, uint64_t to, uint64_t from, int64_t size) {
  if (record->status || size <= 0) return;
  const Table *table = record->table;
  int error = enter(table);
  if (!error) error = leave(table, table->copy(to, from, (size_t)size, *table->stream));
  if (error) fail(record, DRIVER, COPY, -1, error, size);
}

/* Fill with the `width` low bytes of `value`, `count` times. */
void kc_gpu_set(Record *record, uint64_t to, int64_t value, int64_t width, int64_t count) {
  if (record->status || count <= 0) return;
  const Table *table = record->table;
  void *stream = *table->stream;
  size_t number = (size_t)count;
  int error = enter(table);
  if (!error) {
    if (width == 1)
      error = table->set8(to, (unsigned char)value, number, stream);
    else if (width == 2)
      error = table->set16(to, (unsigned short)value, number, stream);
    else if (width == 4)
      error = table->set32(to, (unsigned)value, number, stream);
    else {
      error = table->set_rows(to, 8, (unsigned)value, 1, number, stream);
      if (!error) error = table->set_rows(to + 4, 8, (unsigned)(value >> 32), 1, number, stream);
    }
    error = leave(table, error);
  }
  if (error) fail(record, DRIVER, SET, -1, error, count * width);
}

void kc_gpu_wait(Record *record) {
  if (record->status) return;
  const Table *table = record->table;
  int error = enter(table);
  if (!error) error = leave(table, table->wait(*table->stream));
  if (error) fail(record, DRIVER, WAIT, -1, error, 0);
}
