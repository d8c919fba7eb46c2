"""Refusals of boxes, regions, moved taps and bits."""

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
  why: indices must be integers
  try: topi.cast(V, "int32")""",
    "topi.vision.non_max_suppression(T(4, 6), T(1, dtype='int32'), T(1, 4, dtype='int32'))": """\
error[KC2302]: topi.vision.non_max_suppression: data A of the shape (4, 6) has 2 dimensions
  why: 3 dimensions are expected""",
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
  why: a region must be (image, x1, y1, x2, y2)""",
    "topi.vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (0, 2), 1.0)": """\
error[KC2306]: topi.vision.roi_align_nchw: pooled_size is (0, 2)
  why: it must be at least 1""",
    "topi.vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 0)": """\
error[KC2317]: topi.vision.roi_align_nchw: spatial_scale is 0
  why: it must be a finite number above 0""",
    "topi.vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 1.0, 'mean')": """\
error[KC2312]: topi.vision.roi_align_nchw: mode is 'mean'
  try: did you mean 'max'?""",
    "topi.vision.roi_pool_nchw(T(1, 2, 0, 5), T(2, 5), (2, 2), 1.0)": """\
error[KC2317]: topi.vision.roi_pool_nchw: A of the shape (1, 2, 0, 5)
  why: the images must not be empty""",
    "topi.vision.roi_pool_nchw(T(2, 5, 5), T(2, 5), (2, 2), 1.0)": """\
error[KC2302]: topi.vision.roi_pool_nchw: data A of the shape (2, 5, 5) has 3 dimensions
  why: 4 dimensions are expected""",
    "topi.nn.deformable_conv2d_nchw(T(1, 2, 4, 5), T(1, 9, 4, 5, name='O'), T(3, 2, 3, 3), 1, "
    "1, 1, 1, 1)": """\
error[KC2303]: topi.nn.deformable_conv2d_nchw: offset O of the shape (1, 9, 4, 5)
  why: it has the shape (1, 18, 4, 5): two numbers for each tap""",
    "topi.nn.deformable_conv2d_nchw(T(1, 3, 4, 5), T(1, 36, 4, 5), T(3, 3, 3, 3), 1, 1, 1, 2, "
    "1)": """\
error[KC2310]: topi.nn.deformable_conv2d_nchw: 2 deformable_groups of 3 channels: A of the shape \
(1, 3, 4, 5)
  why: groups must divide the channels""",
    "topi.nn.deformable_conv2d_nchw(T(1, 2, 4, 5), T(1, 18, 4, 5), T(3, 2, 3, 3), 1, 1, 1, 0, "
    "1)": """\
error[KC2306]: topi.nn.deformable_conv2d_nchw: deformable_groups is 0
  why: it must be at least 1""",
    "topi.nn.deformable_conv2d_nchw(T(1, 2, 4, 5), T(1, 18, 4, 5), T(3, 2, 3, 3), 0, 1, 1, 1, "
    "1)": """\
error[KC2306]: topi.nn.deformable_conv2d_nchw: strides is 0
  why: it must be at least 1""",
    "topi.nn.bitpack(T(2, 30, dtype='uint8'), 2, 1, 1, 'uint32')": """\
error[KC2303]: topi.nn.bitpack: A of the shape (2, 30) packed along axis 1
  why: the axis has 30 elements, must have a multiple of 32""",
    "topi.nn.bitpack(T(2, 32, dtype='uint8'), 9, 1, 1, 'uint32')": """\
error[KC2317]: topi.nn.bitpack: bits is 9
  why: it must be from 1 to 8""",
    "topi.nn.bitpack(T(2, 32, dtype='uint8'), 2, 1, 1, 'int32')": """\
error[KC2312]: topi.nn.bitpack: pack_type is 'int32'
  try: did you mean 'uint32' or 'uint8' or 'uint64'?""",
    "topi.nn.bitpack(T(2, 32), 2, 1, 1, 'uint32')": """\
error[KC2301]: topi.nn.bitpack: data A has elements of type float32
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
    "topi.nn.fifo_buffer(T(2, 3), T(2, 5, 1, name='B'), 1)": """\
error[KC2302]: topi.nn.fifo_buffer: buffer B of the shape (2, 5, 1) has 3 dimensions
  why: 2 dimensions are expected""",
    "topi.nn.fifo_buffer(T(2, 3), T(3, 5, name='B'), 1)": """\
error[KC2303]: topi.nn.fifo_buffer: A of the shape (2, 3) and B of the shape (3, 5)
  why: dimension 0 of A is 2, dimension 0 of B is 3
  try: all but the axis of time are equal""",
    "topi.nn.fifo_buffer(T(2, 6), T(2, 5, name='B'), 1)": """\
error[KC2303]: topi.nn.fifo_buffer: A of the shape (2, 6) and B of the shape (2, 5)
  why: the data must be at most as long as the buffer along axis 1""",
    "topi.nn.fifo_buffer(T(2, 3), T(2, 5, name='B'), 2)": """\
error[KC2304]: topi.nn.fifo_buffer: axis 2 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.nn.col2im(T(1, 8, 9, 1), (4, 4), (2, 2))": """\
error[KC2302]: topi.nn.col2im: data A of the shape (1, 8, 9, 1) has 4 dimensions
  why: 3 dimensions are expected""",
    "topi.nn.col2im(T(1, 7, 9), (4, 4), (2, 2))": """\
error[KC2303]: topi.nn.col2im: A of the shape (1, 7, 9) for the image (4, 4) in blocks of (2, 2)
  why: dimension 1 is a multiple of 4, dimension 2 is 9: the number of blocks""",
    "topi.nn.col2im(T(1, 8, 9), (4, 4), (2, 2), 0)": """\
error[KC2306]: topi.nn.col2im: strides is 0
  why: it must be at least 1""",
    "topi.nn.col2im(T(1, 8, 9), (4, 4), (2, 2, 2))": """\
error[KC2311]: topi.nn.col2im: block_shape has 3 numbers: (2, 2, 2)
  why: it must be an integer, or a list of 2 integers""",
    "topi.nn.col2im(T(1, 8, 9), (2, 2), (3, 2))": """\
error[KC2307]: topi.nn.col2im: a block that spans 3 on 2 with 0 in front and 0 behind
  why: the block, dilated, is larger than the padded image""",
    "topi.nn.correlation_nchw(T(1, 3, 6, 6), T(1, 3, 6, 5, name='B'), 1, 2, 1, 1, 2, True)": """\
error[KC2303]: topi.nn.correlation_nchw: A of the shape (1, 3, 6, 6) and B of the shape (1, 3, 6, \
5)
  why: the shapes must be equal
  try: the images are compared element by element""",
    "topi.nn.correlation_nchw(T(1, 3, 6, 6), T(1, 3, 6, 6), 2, 2, 1, 1, 2, True)": """\
error[KC2317]: topi.nn.correlation_nchw: kernel_size is 2
  why: it must be odd, so that a window has a middle""",
    "topi.nn.correlation_nchw(T(1, 3, 6, 6), T(1, 3, 6, 6), 1, 3, 1, 1, 0, True)": """\
error[KC2307]: topi.nn.correlation_nchw: windows that reach 3 on both sides of A of the shape (1, \
3, 6, 6) with a padding of 0
  why: dimension 2 is 6 with its padding, and more than 6 is needed
  try: pad more, or use a smaller max_displacement""",
    "topi.nn.correlation_nchw(T(1, 3, 6, 6), T(1, 3, 6, 6), 1, 2, 0, 1, 2, True)": """\
error[KC2306]: topi.nn.correlation_nchw: stride1 is 0
  why: it must be at least 1""",
    "topi.nn.correlation_nchw(T(1, 3, 6, 6), T(1, 3, 6, 6), 1, 2, 1, 1, -1, True)": """\
error[KC2306]: topi.nn.correlation_nchw: padding is -1
  why: it must be at least 0""",
    "topi.nn.deformable_conv2d_nhwc(T(1, 4, 5), T(1, 4, 5, 18), T(3, 3, 2, 3), 1, 1, 1, 1, 1)": """\
error[KC2302]: topi.nn.deformable_conv2d_nhwc: data A of the shape (1, 4, 5) has 3 dimensions
  why: 4 dimensions are expected""",
    "topi.nn.deformable_conv2d_nhwc(T(1, 4, 5, 2), T(1, 4, 5, 18), T(3, 3, 2, 3), 0, 1, 1, "
    "1, 1)": """\
error[KC2306]: topi.nn.deformable_conv2d_nhwc: strides is 0
  why: it must be at least 1""",
    "topi.image.dilation2d_nchw(T(1, 2, 5, 6), T(3, 3, 2, name='F'), 1, 0, 1)": """\
error[KC2303]: topi.image.dilation2d_nchw: A of the shape (1, 2, 5, 6) and F of the shape (3, 3, 2)
  why: dimension 1 of A is 2, dimension 0 of F is 3
  try: there is a filter for each channel""",
    "topi.image.dilation2d_nchw(T(1, 2, 5, 6), T(2, 3, 2, name='F'), 0, 0, 1)": """\
error[KC2306]: topi.image.dilation2d_nchw: stride is 0
  why: it must be at least 1""",
    "topi.image.dilation2d_nchw(T(1, 2, 2, 6), T(2, 3, 2, name='F'), 1, 0, 1)": """\
error[KC2307]: topi.image.dilation2d_nchw: a kernel that spans 3 on 2: A of the shape (1, 2, 2, \
6) with 0 in front and 0 behind
  why: the kernel, dilated, is larger than the padded input
  try: pad more, or use a smaller kernel""",
    "topi.image.dilation2d_nhwc(T(1, 5, 6), T(3, 2, 2, name='F'), 1, 0, 1)": """\
error[KC2302]: topi.image.dilation2d_nhwc: input A of the shape (1, 5, 6) has 3 dimensions
  why: 4 dimensions are expected""",
    "topi.image.crop_and_resize(T(2, 3, 5, 6), T(4, 5, name='B'), T(4, dtype='int32'), (3, "
    "2))": """\
error[KC2303]: topi.image.crop_and_resize: boxes B of the shape (4, 5)
  why: a box must be (y1, x1, y2, x2)""",
    "topi.image.crop_and_resize(T(2, 3, 5, 6), T(4, 4, name='B'), T(3, dtype='int32', "
    "name='I'), (3, 2))": """\
error[KC2303]: topi.image.crop_and_resize: B of the shape (4, 4) and I of the shape (3,)
  why: dimension 0 of B is 4, dimension 0 of I is 3
  try: there is the number of an image for each box""",
    "topi.image.crop_and_resize(T(2, 3, 5, 6), T(4, 4, name='B'), T(4, name='I'), (3, 2))": """\
error[KC2309]: topi.image.crop_and_resize: box_indices I has elements of type float32
  why: indices must be integers
  try: topi.cast(I, "int32")""",
    "topi.image.crop_and_resize(T(2, 3, 5, 6), T(4, 4, name='B'), T(4, dtype='int32'), (0, "
    "2))": """\
error[KC2306]: topi.image.crop_and_resize: crop_size is (0, 2)
  why: it must be at least 1""",
    "topi.image.crop_and_resize(T(2, 3, 5, 6), T(4, 4, name='B'), T(4, dtype='int32'), (3, "
    "2), 'NCWH')": """\
error[KC2312]: topi.image.crop_and_resize: layout is 'NCWH'
  try: did you mean 'NCHW' or 'NHWC'?""",
    "topi.image.crop_and_resize(T(2, 3, 5, 6), T(4, 4, name='B'), T(4, dtype='int32'), (3, "
    "2), method='linear')": """\
error[KC2312]: topi.image.crop_and_resize: method is 'linear'
  try: did you mean 'bilinear'?""",
    "topi.image.crop_and_resize(T(0, 3, 5, 6), T(4, 4, name='B'), T(4, dtype='int32'), (3, "
    "2))": """\
error[KC2317]: topi.image.crop_and_resize: A of the shape (0, 3, 5, 6)
  why: boxes need at least one image with at least one element""",
    "topi.vision.reorg(T(1, 6, 4, 4), 2)": """\
error[KC2303]: topi.vision.reorg: A of the shape (1, 6, 4, 4) with stride 2
  why: the channels must be a multiple of 4, height and width of 2""",
    "topi.vision.reorg(T(1, 4, 4, 4), 0)": """\
error[KC2306]: topi.vision.reorg: stride is 0
  why: it must be at least 1""",
    "topi.vision.reorg(T(4, 4, 4), 2)": """\
error[KC2302]: topi.vision.reorg: data A of the shape (4, 4, 4) has 3 dimensions
  why: 4 dimensions are expected""",
    "topi.vision.multibox_prior(T(1, 3, 2))": """\
error[KC2302]: topi.vision.multibox_prior: data A of the shape (1, 3, 2) has 3 dimensions
  why: 4 dimensions are expected""",
    "topi.vision.multibox_prior(T(1, 3, 2, 3), (), (1, 2))": """\
error[KC2311]: topi.vision.multibox_prior: sizes has 0 numbers: ()
  why: it must have 1 or more""",
    "topi.vision.multibox_prior(T(1, 3, 2, 3), (0.5,), (0,))": """\
error[KC2317]: topi.vision.multibox_prior: ratios is (0,)
  why: a ratio must be above 0""",
    "topi.vision.multibox_prior(T(1, 3, 2, 3), (0.5,), (1,), (1, 1, 1))": """\
error[KC2311]: topi.vision.multibox_prior: steps has 3 numbers: (1, 1, 1)
  why: it has 2""",
    "topi.vision.multibox_prior(T(1, 3, 2, 3), ('half',))": """\
error[KC2319]: topi.vision.multibox_prior: sizes is 'half'
  why: it must be a number
  try: topi.vision.multibox_prior(..., sizes=(1,))""",
    "topi.vision.multibox_transform_loc(T(1, 3, 4), T(1, 15, name='L'), T(1, 4, 4, name='B'))": """\
error[KC2303]: topi.vision.multibox_transform_loc: loc_pred L of the shape (1, 15) and anchor B \
of the shape (1, 4, 4)
  why: anchor must be (1, N, 4), and loc_pred must have 4 N numbers for each image""",
    "topi.vision.multibox_transform_loc(T(1, 3, 5), T(1, 16, name='L'), T(1, 4, 4, name='B'))": """\
error[KC2303]: topi.vision.multibox_transform_loc: A of the shape (1, 3, 5) and B of the shape \
(1, 4, 4)
  why: dimension 2 of A is 5, dimension 1 of B is 4
  try: there is a score for each anchor""",
    "topi.vision.multibox_detection(T(1, 3, 4), T(1, 16, name='L'), T(1, 4, 4), "
    "variances=(1, 1))": """\
error[KC2311]: topi.vision.multibox_detection: variances has 2 numbers: (1, 1)
  why: it has 4""",
    "topi.vision.proposal(T(1, 4, 2, 2), T(1, 7, 2, 2, name='M'), T(1, 3), (1, 2), (1,), 8, "
    "0.7, 6, 3, 1, False)": """\
error[KC2303]: topi.vision.proposal: M of the shape (1, 7, 2, 2) for 2 anchors
  why: it has the shape (1, 8, 2, 2)""",
    "topi.vision.proposal(T(1, 4, 2, 2), T(1, 8, 2, 2), T(1, 3), (1, 2), (0,), 8, 0.7, 6, 3, "
    "1, False)": """\
error[KC2317]: topi.vision.proposal: scales is (1, 2), ratios is (0,)
  why: they must be above 0""",
    "topi.vision.proposal(T(1, 4, 2, 2), T(1, 8, 2, 2), T(1, 3), (1, 2), (1,), 8, 0.7, 6, 0, "
    "1, False)": """\
error[KC2306]: topi.vision.proposal: rpn_post_nms_top_n is 0
  why: it must be at least 1""",
    "topi.vision.all_class_non_max_suppression(T(1, 4, 4), T(1, 2, 3, name='S'), 3, 0.5, 0.0)": """\
error[KC2303]: topi.vision.all_class_non_max_suppression: A of the shape (1, 4, 4) and S of the \
shape (1, 2, 3)
  why: dimension 1 of A is 4, dimension 2 of S is 3
  try: there is a score for each box""",
    "topi.vision.all_class_non_max_suppression(T(1, 4, 5), T(1, 2, 4, name='S'), 3, 0.5, 0.0)": """\
error[KC2303]: topi.vision.all_class_non_max_suppression: A of the shape (1, 4, 5)
  why: a box must have 4 numbers: two opposite corners""",
    "topi.vision.all_class_non_max_suppression(T(1, 4, 4), T(1, 2, 4), 3, 0.5, 0.0, 'torch')": """\
error[KC2312]: topi.vision.all_class_non_max_suppression: output_format is 'torch'
  try: it is: onnx, tensorflow""",
    "topi.vision.roi_align_nhwc(T(5, 5, 2), T(2, 5), (2, 2), 1.0)": """\
error[KC2302]: topi.vision.roi_align_nhwc: data A of the shape (5, 5, 2) has 3 dimensions
  why: 4 dimensions are expected""",
    "topi.image.resize2d(T(1, 2, 3, 4), 'x', (2, 2))": """\
error[KC2319]: topi.image.resize2d: roi is 'x'
  why: it must be a list of numbers, a tensor or None""",
    "topi.argsort(T(3), None, -1, 'up')": """\
error[KC2319]: topi.argsort: is_ascend is 'up'
  why: it must be True or False
  try: topi.argsort(..., is_ascend=1)""",
    "topi.nn.space_to_batch_nd(T(1, 4), (2,), b'x', (0,))": """\
error[KC2313]: topi.nn.space_to_batch_nd: pad_before is b'x'
  why: it must be an integer that is known when the program is built""",
    "topi.strided_slice(T(3), {1, 2}, (2,))": """\
error[KC2319]: topi.strided_slice: begin is {1, 2}
  why: it must be a list of numbers""",
    "topi.unravel_index(T(3, dtype='int32'), (2, -1))": """\
error[KC2306]: topi.unravel_index: shape is (2, -1)
  why: sizes must be at least 0""",
    "topi.nn.upsampling(T(1, 2, 3, 4), 2, 2, 'NCHW', 'bilinear', False, 'x')": """\
error[KC2313]: topi.nn.upsampling: output_shape is x
  why: it must be an integer that is known when the program is built""",
    "topi.vision.multibox_prior(T(1, 3, 2, 2), (0.5, -1.0))": """\
error[KC2317]: topi.vision.multibox_prior: sizes is (0.5, -1.0)
  why: a size must be above 0""",
    "topi.signal.mel_weight_matrix(10**9, 16, 8000, 0.0, 4000.0)": """\
error[KC2317]: topi.signal.mel_weight_matrix: num_mel_bins is 1000000000
  why: it must be at most 65,536""",
    "topi.sparse.sparse_reshape(T(3, 2, dtype='int64'), (4, 6), (2, -1), 'x')": """\
error[KC2313]: topi.sparse.sparse_reshape: new_sparse_indices_shape is x
  why: it must be an integer that is known when the program is built""",
}
