"""Facts about a device, by TVM's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kc.runtime.gpu import gpu as attributes
from kc.runtime.gpu.gpu import Gpu

FACTS: Mapping[str, Callable[[Gpu], Any]] = {
    "device_name": lambda gpu: gpu.driver.device_name(gpu.number),
    "compute_version": lambda gpu: "{}.{}".format(*divmod(gpu.capability, 10)),
    "max_threads_per_block": lambda gpu: gpu.attribute(attributes.MAX_THREADS),
    "max_shared_memory_per_block": lambda gpu: gpu.attribute(attributes.SHARED_PER_BLOCK),
    "max_thread_dimensions": lambda gpu: tuple(map(gpu.attribute, attributes.MAX_BLOCK)),
    "multi_processor_count": lambda gpu: gpu.attribute(attributes.MULTIPROCESSORS),
    "warp_size": lambda gpu: gpu.attribute(attributes.WARP_SIZE),
    "max_clock_rate": lambda gpu: gpu.attribute(attributes.CLOCK_KHZ),
    "total_global_memory": lambda gpu: gpu.driver.device_memory(gpu.number),
}
