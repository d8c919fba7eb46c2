"""References in numpy for what numpy has not, under TVM's names: ``kc.topi.testing``.

They are written from the definitions, for arrays that are small: clear, not fast.
"""

from kc.topi.testing.convolutions import (
    conv1d_ncw_python,
    conv1d_nwc_python,
    conv1d_transpose_ncw_python,
    conv2d_hwcn_python,
    conv2d_nchw_python,
    conv2d_nhwc_python,
    conv2d_transpose_nchw_python,
    conv2d_transpose_nhwc_python,
    conv3d_ncdhw_python,
    conv3d_ndhwc_python,
    conv3d_transpose_ncdhw_python,
    conv_python,
    conv_transpose_python,
    correlation_nchw_python,
    depthwise_conv2d_python_nchw,
    depthwise_conv2d_python_nhwc,
    dilate_python,
    dilation2d_nchw_python,
    group_conv1d_ncw_python,
    group_conv1d_nwc_python,
    winograd_matrices_python,
    winograd_weight_python,
)
from kc.topi.testing.detection import (
    all_class_non_max_suppression_python,
    crop_and_resize_python,
    multibox_detection_python,
    multibox_prior_python,
    multibox_transform_loc_python,
    proposal_python,
    reorg_python,
)
from kc.topi.testing.networks import (
    batch_matmul,
    batch_norm,
    batch_to_space_nd_python,
    dense,
    depth_to_space_python,
    erf_python,
    group_norm_python,
    instance_norm_python,
    l2_normalize_python,
    layer_norm_python,
    log_softmax_python,
    lrn_python,
    nll_loss,
    softmax_python,
    space_to_batch_nd_python,
    space_to_depth_python,
)
from kc.topi.testing.pools import adaptive_pool, pool_grad_nchw, poolnd_python
from kc.topi.testing.quantizations import (
    dequantize_python,
    lstm_python,
    quantize_python,
)
from kc.topi.testing.randoms import (
    normal_python,
    sparse_matrix_python,
    threefry2x32_python,
    threefry_generate_python,
    threefry_split_python,
    uniform_python,
)
from kc.topi.testing.regions import (
    deformable_conv2d_nchw_python,
    deformable_conv2d_nhwc_python,
    get_valid_counts_python,
    non_max_suppression_python,
    roi_align_nchw_python,
    roi_align_nhwc_python,
    roi_pool_nchw_python,
)
from kc.topi.testing.resizing import (
    affine_grid_python,
    grid_sample_python,
    resize1d_python,
    resize2d_python,
    resize3d_python,
    upsampling_python,
)
from kc.topi.testing.selections import (
    gather_nd_python,
    gather_python,
    matrix_set_diag,
    one_hot,
    searchsorted_ref,
    sequence_mask,
    slice_axis_python,
    strided_set_python,
    strided_slice_python,
)

__all__ = [
    "adaptive_pool", "affine_grid_python", "all_class_non_max_suppression_python",
    "batch_matmul", "batch_norm", "batch_to_space_nd_python", "conv1d_ncw_python",
    "conv1d_nwc_python", "conv1d_transpose_ncw_python", "conv2d_hwcn_python",
    "conv2d_nchw_python", "conv2d_nhwc_python", "conv2d_transpose_nchw_python",
    "conv2d_transpose_nhwc_python", "conv3d_ncdhw_python", "conv3d_ndhwc_python",
    "conv3d_transpose_ncdhw_python", "conv_python", "conv_transpose_python",
    "correlation_nchw_python", "crop_and_resize_python", "deformable_conv2d_nchw_python",
    "deformable_conv2d_nhwc_python", "dense", "depth_to_space_python",
    "depthwise_conv2d_python_nchw", "depthwise_conv2d_python_nhwc", "dequantize_python",
    "dilate_python", "dilation2d_nchw_python", "erf_python", "gather_nd_python",
    "gather_python", "get_valid_counts_python", "grid_sample_python", "group_conv1d_ncw_python",
    "group_conv1d_nwc_python", "group_norm_python", "instance_norm_python",
    "l2_normalize_python", "layer_norm_python", "log_softmax_python", "lrn_python",
    "lstm_python", "matrix_set_diag", "multibox_detection_python", "multibox_prior_python",
    "multibox_transform_loc_python", "nll_loss", "non_max_suppression_python", "normal_python",
    "one_hot", "pool_grad_nchw", "poolnd_python", "proposal_python", "quantize_python",
    "reorg_python", "resize1d_python", "resize2d_python", "resize3d_python",
    "roi_align_nchw_python", "roi_align_nhwc_python", "roi_pool_nchw_python",
    "searchsorted_ref", "sequence_mask", "slice_axis_python", "softmax_python",
    "space_to_batch_nd_python", "space_to_depth_python", "sparse_matrix_python",
    "strided_set_python", "strided_slice_python", "threefry2x32_python",
    "threefry_generate_python", "threefry_split_python", "uniform_python", "upsampling_python",
    "winograd_matrices_python", "winograd_weight_python",
]  # fmt: skip
