"""What agents, trainers and commands of one's own are built from, beside `celtica_env` itself."""

from celtica_env.core.agents import (
    IMPORT_PATH,
    PATH_AGENT,
    exists,
    known_agents,
    refuse_argument,
)
from celtica_env.core.arguments import number, one_of, options_of, players_of, whole
from celtica_env.core.asking import account_of, notes_of, reasons_of, view_for, wants_moves
from celtica_env.core.batch import fresh_seed
from celtica_env.core.files import (
    MAX_BYTES,
    checked,
    lines_of,
    load_json,
    printable,
    read_json,
    shown,
)
from celtica_env.core.memory import read_only
from celtica_env.core.notation import positions_to_texts
from celtica_env.core.options import read_object
from celtica_env.core.players import is_compiled
from celtica_env.core.questions import Event
from celtica_env.core.registry import load_part
from celtica_env.core.streams import check_seed, mix_keys, seed_key, stream_keys
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.types import FULL, NO_LIMIT, PAYOFFS, SCRATCH_SIZE, load_package

__all__ = [
    "FULL",
    "IMPORT_PATH",
    "MAX_BYTES",
    "NO_LIMIT",
    "PATH_AGENT",
    "PAYOFFS",
    "SCRATCH_SIZE",
    "Event",
    "account_of",
    "check_seed",
    "checked",
    "did_you_mean",
    "exists",
    "fresh_seed",
    "is_compiled",
    "known_agents",
    "lines_of",
    "load_json",
    "load_package",
    "load_part",
    "mix_keys",
    "notes_of",
    "number",
    "one_of",
    "options_of",
    "players_of",
    "positions_to_texts",
    "printable",
    "read_json",
    "read_object",
    "read_only",
    "reasons_of",
    "refuse_argument",
    "seed_key",
    "shown",
    "stream_keys",
    "view_for",
    "wants_moves",
    "whole",
]
