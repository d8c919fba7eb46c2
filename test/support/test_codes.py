"""Every diagnostic code in the source is explained, and every explained code is in the source."""

import re
from pathlib import Path

import pytest

from kc.support.diagnostics import InputError
from kc.support.explain import AREAS, explain, explanations

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("kc", "dialects", "analysis", "transforms", "conversion", "codegen", "tools")
CODE = re.compile(r"\bKC\d{4}\b")


def codes_in_source() -> dict[str, str]:
    places: dict[str, str] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for code in CODE.findall(path.read_text(encoding="utf-8")):
                places.setdefault(code, str(path.relative_to(ROOT)))
    return places


def test_every_code_is_explained():
    missing = {
        code: path for code, path in sorted(codes_in_source().items()) if code not in explanations()
    }
    assert missing == {}, "add these to kc/support/codes.toml"


def test_no_code_is_explained_in_vain():
    used = codes_in_source()
    assert [code for code in explanations() if code not in used] == []


@pytest.mark.parametrize("code", explanations())
def test_explanations_are_complete(code):
    explanation = explanations()[code]
    assert CODE.fullmatch(code)
    assert code[2] in AREAS
    for text in (explanation.title, explanation.cause, explanation.wrong, explanation.right):
        assert text.strip()
    assert not explanation.title.endswith(".")
    assert explanation.cause.strip().endswith(".")
    assert explanation.wrong != explanation.right
    assert [line for line in explanation.text().split("\n") if len(line) > 102] == []


def test_explaining():
    assert explain("kc0005") == (
        "KC0005: unknown diagnostic code\n"
        "\n"
        "--explain takes the code of a diagnostic: KC and four digits, as in the brackets of a\n"
        "message.\n"
        "\n"
        "Wrong:\n"
        "\n"
        "  kc-opt --explain=KC9999\n"
        "\n"
        "Right:\n"
        "\n"
        "  kc-opt --explain=KC0001\n"
    )
    with pytest.raises(InputError) as caught:
        explain("KC9")
    assert str(caught.value).startswith("error[KC0005]: there is no diagnostic KC9")
