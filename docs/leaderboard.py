"""Keep the reference pools and write `LEADERBOARD.md`: `python docs/leaderboard.py [POOL ...]`.

In this order: the hashes of the pools' agents as they are now, to `pool.json`; with `--minutes` of
processor time, more games of each pool with itself, after those that are there; the tables of
`LEADERBOARD.md` and the picture of who beats whom. A pool, such as `celtica_v0-2`, is named by its
game and the number of players; without one all are meant. A pool one of whose agents has changed is
another pool, which begins without games. With `--check` nothing is written, and the exit status is
1 if the tables are out of date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from matplotlib.figure import Figure

from celtica_env import __version__
from celtica_train.checkpoint import write_atomic, written_whole
from celtica_train.play_games.arena.engines import local
from celtica_train.play_games.arena.packed import ENDING, read_packed, unpack, write_packed
from celtica_train.play_games.arena.plots import LIGHT, add_scale, heat_map
from celtica_train.play_games.arena.results import Results
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.rank.pool import POOL_FILE, Pool, pools, renewed, to_json
from celtica_train.play_games.rank.ranking import Standing, against, ranking_of, rate_pool

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "LEADERBOARD.md"
ENTRIES = ROOT / "leaderboard"
PICTURE = ROOT / "docs" / "who_beats_whom.png"
ABOUT = ENTRIES / "entries.json"
TABLES = re.compile(r"(<!-- begin: tables -->\n).*?(<!-- end: tables -->)", re.DOTALL)
MOST_GAMES = 4000  # that a pool ever plays with itself


def play_on(pool: Pool, minutes: float) -> None:
    """Play further games of a pool with itself, a block at least, and keep each block."""
    design = pool.design(MOST_GAMES)
    with games_of(pool) or Store.in_memory(pool.games_file, design) as store:
        design, done = store.design, store.blocks()
        run = local(design, pool.agents)
        end = time.process_time() + 60 * minutes  # what was compiled does not count
        with closing(run([b for b in range(design.num_blocks) if b not in done])) as blocks:
            for rows in blocks:
                store.add(rows)
                write_packed(store, pool.games_file)
                print(f"{pool.name}: {store.num_games():,} games", flush=True)
                if time.process_time() >= end:
                    return


def games_of(pool: Pool) -> Store | None:
    """Return the games of a pool with itself, None if there are none of this pool."""
    if not pool.games_file.exists():
        return None
    if read_packed(pool.games_file)["design"].pool != pool.hash:
        return None
    return unpack(pool.games_file)


# --- the page ------------------------------------------------------------------------------------


def page(text: str) -> str:
    """Return the page with its tables as they are now."""
    parts = "\n\n".join(part(pool) for pool in pools())
    return TABLES.sub(lambda match: f"{match[1]}{parts}\n{match[2]}", text)


def part(pool: Pool) -> str:
    """Return a heading and the table of a pool and of the entries that played with it."""
    heading = f"### {pool.game}, {pool.players} players"
    if games_of(pool) is None:
        return f"{heading}\n\nPool `{pool.hash}`: it has played no games yet."
    lines = sorted([*lines_of_members(pool), *lines_of_entries(pool)], key=lambda line: -line[0])
    header = ["", "agent", "rating", *(f"against {name}" for name in pool.names), "on", "by"]
    rows = [header, ["---:", "---", *["---:"] * (len(header) - 3), "---"]]
    rows += [[str(place), *cells] for place, (_, cells) in enumerate(lines, 1)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    even = f"even share {1 / pool.players:.0%}"
    told = f"Pool `{pool.hash}`, begun with version {pool.package}, {even}."
    return f"{heading}\n\n{table}\n\n{told}"


Line = tuple[float, list[str]]
"""A rating, and the cells of its line but for the place."""


def lines_of_members(pool: Pool) -> Iterator[Line]:
    """Yield the lines of a pool's members, by their games with each other."""
    with unpack(pool.games_file) as store:
        results = Results(store)
    met = {
        (row["agent"], row["rival"]): Standing(row["rival"], 0, None, **against(row))
        for row in results.pairs.iter_rows(named=True)
    }
    for one in rate_pool(pool).standings:
        shares = [met.get((one.agent, rival)) for rival in pool.names]
        yield line_of(one, shares, in_deals(results.num_deals), "the pool")


def lines_of_entries(pool: Pool) -> Iterator[Line]:
    """Yield the lines of the entries for a pool."""
    for path, about in entries(pool):
        with unpack(path) as store:
            ranking = ranking_of(store)
        met = {one.agent: one for one in ranking.standings}
        lost = sum(ranking.given_away.values())
        played = in_deals(ranking.deals) + (f", {lost} games given away" if lost else "")
        yield line_of(ranking.own, [met[rival] for rival in pool.names], played, about["by"])


def in_deals(number: int) -> str:
    """Return a number of deals in words."""
    return "1 deal" if number == 1 else f"{number:,} deals"


def line_of(one: Standing, shares: Sequence[Standing | None], played: str, by: str) -> Line:
    """Return the line of an agent."""
    rating = f"{one.rating:+.0f}"
    if one.ci95 is not None:
        rating += f" ({one.ci95[0]:+.0f} to {one.ci95[1]:+.0f})"
    return one.rating, [f"`{one.agent}`", rating, *map(share_cell, shares), played, by]


def share_cell(met: Standing | None) -> str:
    """Return what was won in games with a rival, with its interval."""
    if met is None or met.share is None or met.share_ci95 is None:
        return ""
    return f"{met.share:.0%} ({met.share_ci95[0]:.0%} to {met.share_ci95[1]:.0%})"


def entries(pool: Pool) -> list[tuple[Path, dict[str, str]]]:
    """Return the file of each entry for a pool, with what is told about it."""
    told = json.loads(ABOUT.read_text("utf-8"))
    return [
        (ENTRIES / f"{name}{ENDING}", about)
        for name, about in told.items()
        if name.startswith(f"{pool.name}/")
    ]


# --- the picture ---------------------------------------------------------------------------------


def draw() -> None:
    """Write the picture of who beats whom in the pools of two players."""
    shown = [pool for pool in pools() if pool.players == 2 and games_of(pool) is not None]
    figure = Figure(figsize=(5.4 * len(shown) + 1.2, 5), dpi=110, layout="constrained")
    axes = figure.subplots(1, len(shown), squeeze=False)[0]
    for pool, place in zip(shown, axes):
        with unpack(pool.games_file) as store:
            results = Results(store)
        image = heat_map(results, place, LIGHT)
        name = pool.game.partition("_")[0].capitalize()
        place.set(title=f"{name}, 2 players, {results.num_deals} deals")
    add_scale(image, list(axes), LIGHT)
    with written_whole(PICTURE) as partial:
        figure.savefig(partial, format="png", bbox_inches="tight")


# --- the command ---------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Renew the pools, play, and write the page; or with `--check` say whether it is current."""
    parser = argparse.ArgumentParser(description="keep the reference pools, write LEADERBOARD.md")
    parser.add_argument("pools", nargs="*", metavar="POOL", help="such as celtica_v0-2")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="of processor time to play for each pool"
    )
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    config = parser.parse_args(argv)
    if not config.check:
        found = [renewed(pool, __version__) for pool in pools()]
        write_atomic(POOL_FILE, to_json(found).encode())
        pools.cache_clear()
        for pool in found if config.minutes else ():
            if not config.pools or pool.name in config.pools:
                play_on(pool, config.minutes)
        draw()
    old = PAGE.read_text("utf-8")
    new = page(old)
    if new == old:
        return 0
    print(f"{PAGE.name}: {'out of date' if config.check else 'written'}")
    if config.check:
        return 1
    PAGE.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
