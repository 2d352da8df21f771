"""What compiled agents are made of: the verbs, by which a kernel asks a game, and the compiler.

Importing it takes as long as importing numba.
"""

from celtica_env.core.announce import announced
from celtica_env.core.compile import bind, compile_entry, game_namespace, kernel, kernels_of
from celtica_env.core.players import Player, compile_player, mixed
from celtica_env.core.rng import GOLDEN_GAMMA, below, mix
from celtica_env.core.rule import choose, compiled_rule, has_rule, rule_of
from celtica_env.core.verbs import (
    determinize,
    is_terminal,
    legal_mask,
    observe,
    potential,
    random_legal,
    returns,
    step,
)

__all__ = [
    "GOLDEN_GAMMA",
    "Player",
    "announced",
    "below",
    "bind",
    "choose",
    "compile_entry",
    "compile_player",
    "compiled_rule",
    "determinize",
    "game_namespace",
    "has_rule",
    "is_terminal",
    "kernel",
    "kernels_of",
    "legal_mask",
    "mix",
    "mixed",
    "observe",
    "potential",
    "random_legal",
    "returns",
    "rule_of",
    "step",
]
