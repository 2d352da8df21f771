"""A game in words, for language models and people's tools: prompts, answers, JSON.

All is made of views, which are censored, so nothing here can tell of a hidden card.
"""

from celtica_env.text.answers import Reading, read_answer
from celtica_env.text.dialogue import MAX_RETRIES, Dialogue
from celtica_env.text.prompts import PROMPT_VERSION, Prompt, make_prompt, rules_in_words
from celtica_env.text.structs import (
    action_from_json,
    action_schema,
    action_to_json,
    state_from_json,
    state_schema,
    state_to_json,
)

__all__ = [
    "MAX_RETRIES",
    "PROMPT_VERSION",
    "Dialogue",
    "Prompt",
    "Reading",
    "action_from_json",
    "action_schema",
    "action_to_json",
    "make_prompt",
    "read_answer",
    "rules_in_words",
    "state_from_json",
    "state_schema",
    "state_to_json",
]
