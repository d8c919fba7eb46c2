"""The backend of C sources."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="c",
    families={"pipeline": paths_of("kc.conversion.pipelines:{name}Pass", "lower-to-c")},
    targets=("kc.support:targets/c.toml",),
    backends={"c": "kc.backends.c:C"},
    formats={"c": "kc.backends.formats:c_source"},
)
