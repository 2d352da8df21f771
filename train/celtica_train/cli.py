"""The `celtica` command."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celtica_env import __version__
from celtica_env.errors import CelticaError, TableWarning
from celtica_env.extend import did_you_mean

COMMANDS = {
    "train": ("train", "train a bot, see its strength with intervals"),
    "merge": ("merge", "make one network of several, as the runs of several seeds leave"),
    "curves": ("curves", "compare recipes of training over several seeds"),
    "evaluate": ("play_games.evaluate", "play agents against each other"),
    "compare": ("play_games.compare", "play until it is known whether an agent is better"),
    "regret": ("play_games.regret.command", "say what an agent loses a decision, and where"),
    "rank": ("play_games.rank.command", "see how good an agent is beside those that never change"),
    "ladder": ("play_games.ladder", "play every agent against every other, keep the results"),
    "play": ("play.command", "play against agents, in the browser or the terminal"),
    "mcp": ("mcp_server", "let a language model's client play, over MCP"),
    "arena": ("play_games.arena.command", "play a tournament, kept and rated"),
    "analyze": ("play_games.arena.questioning", "questions of strategy about a tournament"),
    "check": ("check", "check that a game does what every game must"),
    "replay": ("replay", "play recorded games again, in words or as a page"),
    "push": ("push", "send a trained network to the Hugging Face hub, with its strength"),
    "export-dataset": ("export", "write games of agents as a Minari dataset"),
    "bench": ("bench", "measure speed"),
}

WITH_TORCH = ("train", "curves", "bench")


def usage() -> str:
    """Return the help text of the command itself."""
    lines = [f"  {name:<14} {doc}" for name, (_, doc) in COMMANDS.items()]
    return "\n".join(
        [
            "usage: celtica COMMAND ...",
            "",
            *lines,
            "",
            "celtica COMMAND --help says more; celtica --version tells the version",
        ]
    )


def main(argv: list[str] | None = None) -> int:
    """Run a subcommand; return its exit status, 2 after a usage error."""
    arguments = sys.argv[1:] if argv is None else argv
    if not arguments or arguments[0] in ("-h", "--help", "--version"):
        print(f"celtica-env {__version__}" if "--version" in arguments[:1] else usage())
        return 0 if arguments else 2
    if arguments[0] not in COMMANDS:
        meant = did_you_mean(arguments[0], COMMANDS)
        print(f"celtica: no command {arguments[0]!r}{meant}\n\n{usage()}", file=sys.stderr)
        return 2
    with told_warnings(arguments[0]):
        return run_command(*arguments)


@contextmanager
def told_warnings(command: str) -> Iterator[None]:
    """Show this package's own warnings as a line, without the place in the source."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def tell(message: Any, category: type[Warning], *place: Any, **details: Any) -> None:
            if issubclass(category, TableWarning):
                print(f"celtica {command}: warning: {message}", file=sys.stderr)
            else:
                show(message, category, *place, **details)

        warnings.showwarning = tell
        yield


def run_command(name: str, *arguments: str) -> int:
    """Run a subcommand, errors of which become a line."""
    if "" not in sys.path:
        sys.path.append("")  # agents of the user's own: a script does not search the current folder
    try:
        return importlib.import_module(f"celtica_train.{COMMANDS[name][0]}").main(list(arguments))
    except (CelticaError, OSError) as error:
        print(f"celtica {name}: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"celtica {name}: not enough memory, try fewer games: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        extra = "train" if name in WITH_TORCH else "arena"
        print(
            f"celtica {name}: {error}; install the extra: pip install 'celtica-env[{extra}]'",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print(f"celtica {name}: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
