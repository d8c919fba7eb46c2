"""Kernels on NVIDIA GPUs: the driver, what lives on a device, and calls. Knows no IR.

=====================  ============================================================================
:mod:`.driver`         what is asked of a driver, and which one there is
:mod:`.libcuda`        the driver by its C functions, found by ctypes or by cuda-bindings
:mod:`.with_pycuda`    the driver by pycuda
:mod:`.emulated`       no driver: memory of the host, and kernels that the CPU runs
:mod:`.gpu`            a device: its context, its stream, its memory
:mod:`.code`           PTX, loaded on a device, and what went wrong in a launch
:mod:`.function`       calls
:mod:`.array`          arrays on a device; :mod:`.sharing` exchanges them with others
=====================  ============================================================================

Nothing here is loaded, and no driver looked for, before something must run on a GPU.
"""
