"""The command `celtica train`: it reads its arguments before it imports torch."""

from __future__ import annotations

from celtica_train.settings import Config, prepare


def main(argv: list[str]) -> int:
    """Run `celtica train`."""
    config: Config = prepare(argv)
    from celtica_train.run import carry_out

    return carry_out(config)
