"""What boxes, regions, moved taps and bits refuse."""

REFUSED = {
    "topi.vision.non_max_suppression(T(1, 4, 5), T(1, dtype='int32'), T(1, 4, dtype='int32'))": """\
error[KC2304]: topi.vision.non_max_suppression: last 5 of A of the shape (1, 4, 5)
  why: a box has the elements 0 to 4""",
    "topi.vision.non_max_suppression(T(1, 4, 6), T(1, dtype='int32'), T(1, 3, dtype='int32', "
    "name='I'))": """\
error[KC2303]: topi.vision.non_max_suppression: A of the shape (1, 4, 6) and I of the shape (1, 3)
  why: dimension 1 of A is 4, dimension 1 of I is 3
  try: there is an index for each box""",
    "topi.vision.non_max_suppression(T(1, 4, 6), T(1, name='V'), T(1, 4, dtype='int32'))": """\
error[KC2309]: topi.vision.non_max_suppression: valid_count V has elements of type float32
  why: indices are integers
  try: topi.cast(V, "int32")""",
    "topi.vision.non_max_suppression(T(4, 6), T(1, dtype='int32'), T(1, 4, dtype='int32'))": """\
error[KC2302]: topi.vision.non_max_suppression: data A of the shape (4, 6) has 2 dimensions
  why: it has 3""",
    "topi.vision.non_max_suppression(T(1, 4, 6), T(2, dtype='int32', name='V'), T(1, 4, "
    "dtype='int32'))": """\
error[KC2303]: topi.vision.non_max_suppression: A of the shape (1, 4, 6) and V of the shape (2,)
  why: dimension 0 of A is 1, dimension 0 of V is 2
  try: there is a count for each image""",
    "topi.vision.get_valid_counts(T(1, 4, 6), 0.5, 0, 6)": """\
error[KC2304]: topi.vision.get_valid_counts: score_index 6 of A of the shape (1, 4, 6)
  why: a box has the elements 0 to 5""",
    "topi.vision.get_valid_counts(T(1, 4, 6), 0.5, 0, -1)": """\
error[KC2304]: topi.vision.get_valid_counts: score_index -1 of A of the shape (1, 4, 6)
  why: a box has the elements 0 to 5""",
    "topi.vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 4, name='R'), (2, 2), 1.0)": """\
error[KC2303]: topi.vision.roi_align_nchw: rois R of the shape (2, 4)
  why: a region is (image, x1, y1, x2, y2)""",
    "topi.vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (0, 2), 1.0)": """\
error[KC2306]: topi.vision.roi_align_nchw: pooled_size is (0, 2)
  why: it is at least 1""",
    "topi.vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 0)": """\
error[KC2317]: topi.vision.roi_align_nchw: spatial_scale is 0
  why: it is a finite number above 0""",
    "topi.vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 1.0, 'mean')": """\
error[KC2312]: topi.vision.roi_align_nchw: mode is 'mean'
  try: did you mean 'max'?""",
    "topi.vision.roi_pool_nchw(T(1, 2, 0, 5), T(2, 5), (2, 2), 1.0)": """\
error[KC2317]: topi.vision.roi_pool_nchw: A of the shape (1, 2, 0, 5)
  why: an image that regions are taken from is not empty""",
    "topi.vision.roi_pool_nchw(T(2, 5, 5), T(2, 5), (2, 2), 1.0)": """\
error[KC2302]: topi.vision.roi_pool_nchw: data A of the shape (2, 5, 5) has 3 dimensions
  why: it has 4""",
    "topi.nn.deformable_conv2d_nchw(T(1, 2, 4, 5), T(1, 9, 4, 5, name='O'), T(3, 2, 3, 3), 1, "
    "1, 1, 1, 1)": """\
error[KC2303]: topi.nn.deformable_conv2d_nchw: offset O of the shape (1, 9, 4, 5)
  why: it has the shape (1, 18, 4, 5): two numbers for each tap""",
    "topi.nn.deformable_conv2d_nchw(T(1, 3, 4, 5), T(1, 36, 4, 5), T(3, 3, 3, 3), 1, 1, 1, 2, "
    "1)": """\
error[KC2310]: topi.nn.deformable_conv2d_nchw: 2 deformable_groups of 3 channels: A of the shape \
(1, 3, 4, 5)
  why: groups divide the channels""",
    "topi.nn.deformable_conv2d_nchw(T(1, 2, 4, 5), T(1, 18, 4, 5), T(3, 2, 3, 3), 1, 1, 1, 0, "
    "1)": """\
error[KC2306]: topi.nn.deformable_conv2d_nchw: deformable_groups is 0
  why: it is at least 1""",
    "topi.nn.deformable_conv2d_nchw(T(1, 2, 4, 5), T(1, 18, 4, 5), T(3, 2, 3, 3), 0, 1, 1, 1, "
    "1)": """\
error[KC2306]: topi.nn.deformable_conv2d_nchw: strides is 0
  why: it is at least 1""",
    "topi.nn.bitpack(T(2, 30, dtype='uint8'), 2, 1, 1, 'uint32')": """\
error[KC2303]: topi.nn.bitpack: A of the shape (2, 30) packed along axis 1
  why: that is 30 long, which is not a multiple of 32""",
    "topi.nn.bitpack(T(2, 32, dtype='uint8'), 9, 1, 1, 'uint32')": """\
error[KC2317]: topi.nn.bitpack: bits is 9
  why: it is from 1 to 8""",
    "topi.nn.bitpack(T(2, 32, dtype='uint8'), 2, 1, 1, 'int32')": """\
error[KC2312]: topi.nn.bitpack: pack_type is 'int32'
  try: did you mean 'uint32' or 'uint8' or 'uint64'?""",
    "topi.nn.bitpack(T(2, 32), 2, 1, 1, 'uint32')": """\
error[KC2301]: topi.nn.bitpack: the argument A has elements of type float32
  why: it takes int8, int16, int32, int64, uint8, uint16, uint32, uint64
  try: topi.cast(A, "int8")""",
    "topi.nn.bitserial_dense(T(2, 32, dtype='uint8'), T(3, 64, dtype='uint8', name='W'), 2, "
    "1)": """\
error[KC2303]: topi.nn.bitserial_dense: A of the shape (2, 32) and W of the shape (3, 64)
  why: dimension 1 of A is 32, dimension 1 of W is 64
  try: the dimension that is summed over is the same in both""",
    "topi.nn.bitserial_conv2d_nchw(T(1, 32, 2, 4, dtype='uint8'), T(2, 32, 3, 3, "
    "dtype='uint8'), 1, 0, 2, 1)": """\
error[KC2307]: topi.nn.bitserial_conv2d_nchw: a kernel that spans 3 on 2: A of the shape (1, 32, \
2, 4) with 0 in front and 0 behind
  why: the kernel, dilated, is larger than the padded input
  try: pad more, or use a smaller kernel""",
}
