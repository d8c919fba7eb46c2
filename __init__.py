"""The package kc, where this checkout is itself a folder named ``kc``.

Python searches the folder of a script, or the current one, before what is installed. Beside a
checkout named ``kc``, ``import kc`` therefore means this folder; without this file it would be a
namespace package without contents. It hands over to the package inside the checkout.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

if __name__ == "kc":
    _package = Path(__file__).parent / "kc"
    _spec = spec_from_file_location(
        "kc", _package / "__init__.py", submodule_search_locations=[str(_package)]
    )
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules["kc"] = module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["kc"])
