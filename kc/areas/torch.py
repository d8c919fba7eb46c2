"""The importer of PyTorch's modules."""

from kc.support.plugins import Plugin

PLUGIN = Plugin(
    name="torch",
    importers={"from_torch": "kc.from_torch:from_torch"},
)
