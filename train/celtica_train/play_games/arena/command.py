"""The command `celtica arena`: reads its arguments; `work` has what takes time to import."""

from __future__ import annotations

import tyro

from celtica_train.play_games.arena.settings import Config, MergeConfig, ReportConfig


def main(argv: list[str]) -> int:
    """Run `celtica arena`."""
    forms: dict[str, type] = {"report": ReportConfig, "merge": MergeConfig}
    name = argv[0] if argv and argv[0] in forms else ""
    config: Config | ReportConfig | MergeConfig = tyro.cli(
        forms.get(name, Config), args=argv[bool(name) :], prog=f"celtica arena {name}".strip()
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
