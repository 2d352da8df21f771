"""The `celtica` command."""

from __future__ import annotations

import importlib
import sys

from celtica_env.core.errors import CelticaError

COMMANDS = {
    "train": ("celtica_train.run", "train a bot, see its strength with intervals"),
    "evaluate": ("celtica_train.evaluate", "play agents against each other"),
    "ladder": ("celtica_train.ladder", "play every agent against every other, keep the results"),
    "play": ("celtica_train.play.command", "play against agents, in the browser or the terminal"),
    "arena": ("celtica_train.arena.command", "play a tournament, kept and rated"),
    "analyze": ("celtica_train.arena.analyze", "questions of strategy about a tournament's games"),
    "check": ("celtica_train.check", "check that a game does what every game must"),
    "replay": ("celtica_train.replay", "play recorded games again, in words or as a page"),
    "bench": ("celtica_train.bench", "measure speed"),
}


def usage() -> str:
    """Return the help text of the command itself."""
    lines = [f"  {name:<10} {doc}" for name, (_, doc) in COMMANDS.items()]
    return "\n".join(
        ["usage: celtica COMMAND ...", "", *lines, "", "celtica COMMAND --help says more"]
    )


def main(argv: list[str] | None = None) -> int:
    """Run a subcommand; return its exit status, 2 after a usage error."""
    arguments = sys.argv[1:] if argv is None else argv
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage())
        return 0 if arguments else 2
    if arguments[0] not in COMMANDS:
        print(f"celtica: no command {arguments[0]!r}\n\n{usage()}", file=sys.stderr)
        return 2
    if "" not in sys.path:
        sys.path.append("")  # agents of the user's own: a script does not search the current folder
    try:
        return importlib.import_module(COMMANDS[arguments[0]][0]).main(arguments[1:])
    except (CelticaError, OSError) as error:
        print(f"celtica {arguments[0]}: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(
            f"celtica {arguments[0]}: not enough memory, try fewer games: {error}", file=sys.stderr
        )
        return 2
    except ModuleNotFoundError as error:
        print(
            f"celtica {arguments[0]}: {error}; install the extra: pip install 'celtica-env[train]'",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print(f"celtica {arguments[0]}: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
