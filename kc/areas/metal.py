"""The backend of Metal's sources."""

from kc.support.plugins import Plugin

PLUGIN = Plugin(
    name="metal",
    targets=("kc.support:targets/metal.toml",),
    backends={"metal": "kc.backends.gpu_source:METAL"},
    formats={"metal": "kc.backends.formats:metal_source"},
)
