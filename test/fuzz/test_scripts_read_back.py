"""TVMScript of random kernels is read back as the same program; of mutants, or refused."""

from __future__ import annotations

import importlib
from random import Random

import pytest
from fuzzing import FAMILIES
from tvmscript_checks import round_trip

from kc.support.diagnostics import diagnostic_handler

SEEDS = [pytest.param(seed, marks=[pytest.mark.sweep] * (seed >= 6)) for seed in range(60)]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels(seed: int):
    with diagnostic_handler(lambda _: None):
        round_trip(FAMILIES["scripts"].draw(Random(f"{seed}"), 8).module)


@pytest.mark.parametrize("seed", SEEDS)
def test_mutants(seed: int):
    texts = importlib.import_module("texts")
    with diagnostic_handler(lambda _: None):
        for number in range(4):
            texts.read_script(texts.script_mutant(Random(f"mutant {seed} {number}"), None))
