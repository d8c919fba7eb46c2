"""Refusals of random numbers, sparse products and signals."""

REFUSED = {
    "topi.random.threefry_generate(T(3, dtype='uint32', name='G'), (2,))": """\
error[KC2303]: topi.random.threefry_generate: the generator G of the shape (3,)
  why: a generator must have 4 words: a key of two, and a counter of two""",
    "topi.random.threefry_generate(T(4, name='G'), (2,))": """\
error[KC2301]: topi.random.threefry_generate: gen G has elements of type float32
  why: it takes uint32
  try: topi.cast(G, "uint32")""",
    "topi.random.threefry_generate(T(4, dtype='uint32', name='G'), (2, -1))": """\
error[KC2306]: topi.random.threefry_generate: out_shape is (2, -1)
  why: sizes must be at least 0""",
    "topi.random.threefry_generate(T(4, dtype='uint32', name='G'), (2, 0.5))": """\
error[KC2012]: topi.random.threefry_generate: out_shape has the dimension 0.5
  why: a dimension must be an integer from 0 to 2^63 - 1, or a size made with te.var""",
    "topi.random.threefry2x32(T(2, dtype='uint32', name='K'), T(3, dtype='uint32', name='C'))": """\
error[KC2303]: topi.random.threefry2x32: the key K of the shape (2,) and the counter C of the \
shape (3,)
  why: the key must have 2 words, and the last dimension of the counters must be 2""",
    "topi.random.threefry_split(T(2, 2, dtype='uint32', name='G'))": """\
error[KC2302]: topi.random.threefry_split: the generator G of the shape (2, 2) has 2 dimensions
  why: 1 dimension is expected""",
    "topi.random.uniform(T(4, dtype='uint32'), 0, float('inf'), (2,), 'float32')": """\
error[KC2317]: topi.random.uniform: high is inf
  why: it must be a finite number, or a tensor""",
    "topi.random.uniform(T(4, dtype='uint32'), 0, 1, (2,), 'int32')": """\
error[KC2301]: topi.random.uniform: out_dtype is int32
  why: it takes float32, float64, float16, bfloat16""",
    "topi.random.normal(T(4, dtype='uint32'), T(3, name='M'), 1, (2,), 'float32')": """\
error[KC2303]: topi.random.normal: mean M of the shape (3,) for numbers of the shape (2,)
  why: aligned at the right, each dimension must be 1 or that of the numbers""",
    "topi.random.multinomial(T(4, dtype='uint32'), T(2, 0, name='P'), 3)": """\
error[KC2303]: topi.random.multinomial: probs P of the shape (2, 0)
  why: the last dimension must have at least one weight""",
    "topi.random.multinomial(T(4, dtype='uint32'), T(2, 3, name='P'), 0)": """\
error[KC2306]: topi.random.multinomial: num_samples is 0
  why: it must be at least 1""",
    "topi.sparse.csrmv(T(4), T(5, 1))": """\
error[KC2300]: topi.sparse.csrmv: a is Tensor(shape=...32, op.name=A)
  why: a sparse matrix must be (data, indices, indptr)
  try: (te.placeholder((nnz,)), te.placeholder((nnz,), 'int32'), te.placeholder((rows + 1,), \
'int32'))""",
    "topi.sparse.csrmv((T(4, name='D'), T(3, dtype='int32', name='I'), T(4, dtype='int32')), "
    "T(5, 1))": """\
error[KC2303]: topi.sparse.csrmv: D of the shape (4,) and I of the shape (3,)
  why: dimension 0 of D is 4, dimension 0 of I is 3
  try: there is a column for each element""",
    "topi.sparse.csrmv((T(4), T(4, dtype='int32'), T(4, dtype='int32')), T(5, 2, name='X'))": """\
error[KC2303]: topi.sparse.csrmv: x X of the shape (5, 2)
  why: the shape must be (N, 1)""",
    "topi.sparse.csrmv((T(4), T(4, dtype='int32'), T(0, dtype='int32', name='P')), T(5, 1))": """\
error[KC2303]: topi.sparse.csrmv: indptr P of the shape (0,)
  why: it must have an element for each row, and one more""",
    "topi.sparse.csrmm((T(4), T(4, name='I'), T(4, dtype='int32')), T(5, 1))": """\
error[KC2309]: topi.sparse.csrmm: indices I has elements of type float32
  why: indices must be integers
  try: topi.cast(I, "int32")""",
    "topi.sparse.csrmm((T(4, 2, 2, name='D'), T(4, dtype='int32'), T(4, dtype='int32')), T(5, "
    "1))": """\
error[KC2302]: topi.sparse.csrmm: the data of the matrix D of the shape (4, 2, 2) has 3 dimensions
  why: it has 1: elements""",
    "topi.sparse.csrmm((T(4), T(4, dtype='int32'), T(4, dtype='int32')), T(5, 2, dtype='int32', "
    "name='B'))": """\
error[KC2301]: topi.sparse.csrmm: b B has elements of type int32
  why: it takes float32
  try: topi.cast(B, "float32")""",
    "topi.sparse.csrmm((T(4), T(4, dtype='int32'), T(4, dtype='int32')), T(5, 2), T(4, "
    "name='C'))": """\
error[KC2303]: topi.sparse.csrmm: csrmm of the shape (3, 2) and C of the shape (4,)
  why: dimension 0 of csrmm is 3, dimension 0 of C is 4
  try: the bias has an element for each output channel""",
    "topi.sparse.sparse_dense(T(2, 5), T(4, 2, name='D'), T(4, dtype='int32'), T(4, "
    "dtype='int32'))": """\
error[KC2302]: topi.sparse.sparse_dense: the data of the matrix D of the shape (4, 2) has 2 \
dimensions
  why: it has 1 or 3: elements, or blocks""",
    "topi.sparse.sparse_add(T(4, 5), T(4, name='D'), T(4, dtype='int32'), T(4, dtype='int32', "
    "name='P'))": """\
error[KC2303]: topi.sparse.sparse_add: dense_data A of the shape (4, 5) and indptr P of the shape \
(4,)
  why: indptr must have an element for each row, and one more: 5""",
    "topi.signal.dft(T(4), T(5, name='B'), False)": """\
error[KC2303]: topi.signal.dft: A of the shape (4,) and B of the shape (5,)
  why: the shapes must be equal
  try: each number has both parts""",
    "topi.signal.dft(T(), T(name='B'), False)": """\
error[KC2302]: topi.signal.dft: A has 0 dimensions
  why: it must have 1 or more""",
    "topi.signal.dft(T(4, dtype='int32'), T(4, name='B'), False)": """\
error[KC2301]: topi.signal.dft: re_data A has elements of type int32
  why: it takes float32, float64, float16, bfloat16
  try: topi.cast(A, "float32")""",
    "topi.signal.stft(T(2, 8), 9, 1, 4, None, False, True)": """\
error[KC2307]: topi.signal.stft: frames of 9 of a signal of 8: A of the shape (2, 8)
  why: the frame is longer than the signal""",
    "topi.signal.stft(T(2, 8), 4, 0, 4, None, False, True)": """\
error[KC2306]: topi.signal.stft: hop_length is 0
  why: it must be at least 1""",
    "topi.signal.stft(T(2, 8), 4, 1, 5, None, False, True)": """\
error[KC2303]: topi.signal.stft: win_length is 5, n_fft is 4
  why: a window must be at most as long as a frame""",
    "topi.signal.stft(T(2, 8), 4, 1, 4, T(3, name='W'), False, True)": """\
error[KC2303]: topi.signal.stft: window W of the shape (3,)
  why: it has win_length elements: 4""",
    "topi.signal.stft(T(8), 4, 1, 4, None, False, True)": """\
error[KC2302]: topi.signal.stft: data A of the shape (8,) has 1 dimension
  why: 2 dimensions are expected""",
    "topi.signal.stft(T(2, 8), 4, 1, 4, None, False, True, (2, 4, 5, 2))": """\
error[KC2303]: topi.signal.stft: output_shape is (2, 4, 5, 2)
  why: the result has the shape (2, 3, 5, 2)""",
    "topi.signal.hann_window(-1)": """\
error[KC2306]: topi.signal.hann_window: size is -1
  why: it must be at least 0""",
    "topi.signal.hann_window(4, True, 'int32')": """\
error[KC2301]: topi.signal.hann_window: dtype is int32
  why: it takes float32, float64, float16, bfloat16""",
    "topi.sparse.sparse_reshape(T(3, 2), (4, 6), (2, -1))": """\
error[KC2301]: topi.sparse.sparse_reshape: sparse_indices A has elements of type float32
  why: it takes int8, int16, int32, int64, uint8, uint16, uint32, uint64
  try: topi.cast(A, "int8")""",
    "topi.sparse.sparse_reshape(T(3, 3, dtype='int64'), (4, 6), (2, -1))": """\
error[KC2303]: topi.sparse.sparse_reshape: sparse_indices A of the shape (3, 3)
  why: a row must have an index for each dimension of prev_shape: 2""",
    "topi.sparse.sparse_reshape(T(3, 2, dtype='int64'), (4, 6), (5, -1))": """\
error[KC2303]: topi.sparse.sparse_reshape: prev_shape (4, 6) to new_shape (5, -1)
  why: it has 24 elements""",
    "topi.sparse.sparse_reshape(T(3, 2, dtype='int64'), (4, 6), (-1, -1))": """\
error[KC2306]: topi.sparse.sparse_reshape: prev_shape is (4, 6), new_shape is (-1, -1)
  why: sizes must be at least 0; one of new_shape may be -1""",
    "topi.sparse.sparse_reshape(T(3, 2, dtype='int64'), (4, 6), ())": """\
error[KC2311]: topi.sparse.sparse_reshape: new_shape has no numbers
  why: it must have a size for each dimension""",
    "topi.sparse.sparse_fill_empty_rows(T(3, 2, dtype='int64'), T(2, name='V'), (4, 5), 0.5)": """\
error[KC2303]: topi.sparse.sparse_fill_empty_rows: A of the shape (3, 2) and V of the shape (2,)
  why: dimension 0 of A is 3, dimension 0 of V is 2
  try: there is a value for each place""",
    "topi.sparse.sparse_fill_empty_rows(T(3, 2, dtype='int64'), T(3, name='V'), (4, -5), 0.5)": """\
error[KC2306]: topi.sparse.sparse_fill_empty_rows: dense_shape is (4, -5)
  why: sizes must be at least 0""",
    "topi.sparse.sparse_fill_empty_rows(T(3, dtype='int64'), T(3, name='V'), (4, 5), 0.5)": """\
error[KC2302]: topi.sparse.sparse_fill_empty_rows: sparse_indices A of the shape (3,) has 1 \
dimension
  why: 2 dimensions are expected""",
    "topi.signal.mel_weight_matrix(0, 16, 8000, 0.0, 4000.0)": """\
error[KC2306]: topi.signal.mel_weight_matrix: num_mel_bins is 0
  why: it must be at least 1""",
    "topi.signal.mel_weight_matrix(4, 16, 8000, 0.0, 4001.0)": """\
error[KC2317]: topi.signal.mel_weight_matrix: lower_edge_hertz is 0.0, upper_edge_hertz is 4001.0
  why: the edges must be in order, from 0 to half of the sample rate: 4000.0""",
    "topi.signal.mel_weight_matrix(4, 16, 8000, 0.0, 4000.0, 'int32')": """\
error[KC2301]: topi.signal.mel_weight_matrix: dtype is int32
  why: it takes float32, float64, float16, bfloat16""",
}
