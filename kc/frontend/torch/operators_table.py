"""ATen's core operators as a page of the documentation: how each is imported, or why it is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kc.frontend.torch.decomposition import KEPT
from kc.frontend.torch.numerics import NUMERICS
from kc.frontend.torch.operators import OPERATORS
from kc.frontend.torch.relay_operators import FORMS
from kc.frontend.torch.rules import SIZES

CORE = Path(__file__).with_name("core_overloads.txt")
"""The overloads that torch tags core, one a line, after a line that says the version."""

_COMPLEX = "elements are complex, a type that kc lacks"
_DRAWS = "it draws numbers of torch's generator, whose state is not in the program"

REFUSED: dict[str, str] = {
    "aten._fft_c2r.default": _COMPLEX,
    "aten._fft_r2c.default": _COMPLEX,
    "aten._local_scalar_dense.default": "a number that elements tell decides how the program goes "
    "on",
    "aten._native_batch_norm_legit.default": "it changes the moments that it takes: call eval() "
    "before the export",
    "aten.atan2.out": "it writes into an argument; exported programs have atan2.default",
    "aten.nonzero.default": "its size depends on the elements",
    "aten.rand.default": _DRAWS,
    "aten.randn.default": _DRAWS,
    "aten.randperm.default": _DRAWS,
    "aten.resize_.default": "it changes its argument; exported programs are functional",
}
"""Core overload -> why it is refused (KC0091)."""


def core_overloads() -> list[str]:
    """The overloads that torch tags core: ``aten.add.Tensor``."""
    lines = CORE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def is_supported(overload: str) -> bool:
    """True if an overload is imported, in some form of its arguments."""
    return overload in FORMS or overload in OPERATORS or overload in SIZES


def page() -> Iterator[str]:
    """The lines of the page."""
    core = core_overloads()
    count = sum(map(is_supported, core))
    head = CORE.read_text(encoding="utf-8").split()
    version = head[head.index("torch") + 1]
    yield from (
        f"Of the {len(core)} overloads of ATen that torch {version} tags core, `kc.from_torch` "
        f"imports {count}. *Relay* means operators of Relay, for the types and arguments that "
        "these compute as torch does; *aten* means an operator of the family `aten`, computed by "
        "a rule; *whole* that the importer does not decompose it. The types are those of "
        "`kc/frontend/torch/numerics.py`.",
        "",
        "| overload | imported as | types |",
        "|---|---|---|",
    )
    yield from (f"| `{name}` | {_way(name)} | {_types(name)} |" for name in core)
    own = sorted({*FORMS, *OPERATORS} - {*core})
    own = [name for name in own if name.startswith("aten.")]
    yield from ("", "## Other overloads", "", "| overload | imported as | types |", "|---|---|---|")
    yield from (f"| `{name}` | {_way(name)} | {_types(name)} |" for name in own)


def _way(name: str) -> str:
    if name in REFUSED:
        return f"refused: {REFUSED[name]}"
    if name in SIZES:
        return "a size"
    ways = [way for way, table in (("Relay", FORMS), ("aten", OPERATORS)) if name in table]
    return ", ".join([*ways, *(["whole"] if name in KEPT else [])])


def _types(name: str) -> str:
    numerics = NUMERICS.get(name.removeprefix("aten.").removesuffix(".default"))
    if numerics is None:
        return ""
    single = " (float32 in float64)" if numerics.single == "float64" else ""
    return f"{numerics.kind}{single}"
