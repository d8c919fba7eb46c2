"""The backend of OpenCL's sources."""

from kc.support.plugins import Plugin

PLUGIN = Plugin(
    name="opencl",
    targets=("kc.support:targets/opencl.toml",),
    backends={"opencl": "kc.backends.gpu_source:OPENCL"},
    formats={"opencl": "kc.backends.formats:opencl_source"},
)
