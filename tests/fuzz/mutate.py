"""Random damage to texts and to what JSON holds; every input follows from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

ODD_PIECES = (
    "",
    " ",
    "-1",
    "99999999999999999999",
    "1e9",
    "\x00",
    "é",
    "=",
    "/",
    ",",
    "{",
    "[",
    '"',
)
ODD_VALUES = (
    None,
    True,
    -1,
    0,
    1.5,
    float("nan"),
    10**30,
    "",
    "x",
    [],
    {},
    [[]],
    {"kind": 3},
    b"x",
)


def damaged_texts(valid: list[str], seed: int, count: int) -> Iterator[str]:
    """Yield texts that are valid ones with a few random changes, and now and then pure noise."""
    chance = random.Random(seed)
    for _ in range(count):
        if chance.random() < 0.05:
            yield "".join(chr(chance.randrange(1, 0x2FF)) for _ in range(chance.randrange(60)))
            continue
        text = chance.choice(valid)
        for _ in range(chance.choice((1, 1, 2, 5))):
            text = _damage(text, chance.choice(valid), chance)
        yield text


def _damage(text: str, other: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    stop = min(len(text), start + chance.choice((0, 1, 1, 1, 3, 20)))
    ways = (
        lambda: "",
        lambda: chance.choice(ODD_PIECES),
        lambda: chance.choice("0123456789abcdef"),
        lambda: text[start:stop] * 2,
        lambda: other[start:stop],
    )
    return text[:start] + chance.choice(ways)() + text[stop:]


def moved_digits(text: str, chance: random.Random) -> str:
    """Return a text with one digit raised and another lowered: often another valid position."""
    places = [i for i, char in enumerate(text) if char.isdigit()]
    characters = list(text)
    up, down = chance.sample(places, 2)
    characters[up] = chr(ord(characters[up]) + 1)
    characters[down] = chr(ord(characters[down]) - 1)
    return "".join(characters)


def damaged_objects(valid: list[Any], seed: int, count: int) -> Iterator[Any]:
    """Yield JSON-like values that differ from valid ones in a few places."""
    chance = random.Random(seed)
    for _ in range(count):
        value = chance.choice(valid)
        for _ in range(chance.choice((1, 1, 2, 4))):
            value = _damage_object(value, chance)
        yield value


def _damage_object(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        changed = dict(value)
        if chance.random() < 0.15:
            changed[chance.choice(ODD_PIECES)] = changed.pop(key)
        else:
            changed[key] = _damage_object(value[key], chance)
        return changed
    if isinstance(value, list) and value and chance.random() < 0.9:
        changed = list(value)
        index = chance.randrange(len(value))
        if chance.random() < 0.1:
            del changed[index]
        else:
            changed[index] = _damage_object(value[index], chance)
        return changed
    return chance.choice(ODD_VALUES)
