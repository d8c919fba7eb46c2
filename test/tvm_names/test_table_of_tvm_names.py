"""The table of TVM's names: what is missing has a reason, and what has one is missing."""

import tomllib

from kc.tvm import names_table


def test_every_missing_name_has_one_reason_and_every_reason_is_needed():
    listed, reasons = names_table.namespaces()  # raises where a name has none
    missing = {name for space in listed for name in space.missing}
    given = [
        name
        for reason in tomllib.loads(names_table.DATA.read_text())["reasons"].values()
        for name in reason["names"].split()
    ]
    assert len(given) == len(set(given))
    assert set(given) == missing
    assert all(len(space.names) == len(set(space.names)) for space in listed)
    assert all(reasons[key] for space in listed for key in space.missing.values())
