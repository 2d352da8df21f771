"""The command `celtica arena`: reads its arguments; `work` has what takes time to import."""

from __future__ import annotations

import tyro

from celtica_train.play_games.arena.settings import Config, MergeConfig, ReportConfig

FORMS: dict[str, type] = {"report": ReportConfig, "merge": MergeConfig}
"""What the command takes after a first word, in place of `Config`."""


def main(argv: list[str]) -> int:
    """Run `celtica arena`."""
    name = argv[0] if argv and argv[0] in FORMS else ""
    config: Config | ReportConfig | MergeConfig = tyro.cli(
        FORMS.get(name, Config), args=argv[bool(name) :], prog=f"celtica arena {name}".strip()
    )
    config.enter_package()
    from celtica_train.play_games.arena import work

    match config:
        case Config():
            work.run_tournament(config)
        case ReportConfig():
            work.run_report(config)
        case MergeConfig():
            work.run_merge(config)
    return 0
