"""Tests of the generator that the reference implementations draw from."""

from __future__ import annotations

from collections import Counter

from tests.oracles.chance import SplitMix


def test_splitmix_gives_the_published_words() -> None:
    generator = SplitMix(1234567)
    assert [generator.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_splitmix_below_uses_the_upper_half_of_a_word() -> None:
    generator = SplitMix(0)
    assert generator.below(1000) == (0xE220A839 * 1000) >> 32
    assert generator.state == 0x9E3779B97F4A7C15


def test_splitmix_below_reaches_every_value_evenly() -> None:
    generator = SplitMix(5)
    seen = Counter(generator.below(7) for _ in range(7000))
    assert sorted(seen) == list(range(7))
    assert min(seen.values()) > 850
