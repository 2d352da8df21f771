"""Games of agents as a Minari dataset, the form in which offline learners read their data.

An episode is what the learner of a Gymnasium environment of this package goes through: its own
decisions, the others' being part of the environment. So an episode's seed and options, given to
`reset` of the environment that the dataset recovers, deal its game again, and its actions play it.

Legend: `T` decisions of an episode, `n` rows, `F` features, `A` actions.

Source: Minari 0.5.4, its storage and its `DataCollector`, whose layout this one is.
"""

from __future__ import annotations

import copy
import importlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import tyro

from celtica_env import Agent, __version__, agent_seed, ask, load_agent, make_batch, spec
from celtica_env.errors import MissingLibraryError, OptionError
from celtica_env.extend import check_seed, whole
from celtica_env.wrappers.registration import gymnasium_id
from celtica_env.wrappers.reset_options import GAME_INDEX
from celtica_env.wrappers.seats import RANDOM_SEAT, SeatGames
from celtica_env.wrappers.spaces import action_space, observation_box
from celtica_train.checkpoint import folder_written_whole
from celtica_train.own_game import OwnGame
from celtica_train.play_games.seating import MAX_GAMES

CHUNK = 128  # games played and written at once: their decisions are held in memory
MAX_SEED = 2**64 - 1  # the file has no larger integers
LIBRARIES = ("minari", "h5py", "PIL")
ROOT_VARIABLE = "MINARI_DATASETS_PATH"  # Minari's own


@dataclass
class Config(OwnGame):
    """Write games of agents as a Minari dataset: the decisions of the first agent named.

    The first agent holds one seat, drawn for each game. For each other seat one of the other
    agents is drawn; the first plays them too if it is named alone.
    """

    agents: Annotated[list[str], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT ...")]
    """Names (random, greedy, mc:400:greedy) or paths of trained networks."""
    out: Annotated[str, tyro.conf.arg(metavar="DATASET")]
    """Name of the new dataset, such as celtica/greedy-v0, for minari.load_dataset."""
    root: Path | None = None
    """Folder of the datasets; by default MINARI_DATASETS_PATH or Minari's ~/.minari/datasets."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Players at the table."""
    games: int = 1000
    """Games to play, each of them an episode."""
    seed: int = 0
    """Seed of the deals and of the agents."""


@dataclass(frozen=True)
class Export:
    """What was written: a dataset's name, its folder, and how much is in it."""

    dataset: str
    folder: Path
    games: int
    decisions: int


def export_dataset(
    agents: Sequence[str],
    dataset: str,
    game: str = "celtica",
    *,
    num_players: int = 2,
    num_games: int = 1000,
    seed: int = 0,
) -> Export:
    """Play games and write the first agent's decisions as a Minari dataset.

    The dataset lies where Minari looks for it. It is there when all games are played; what is left
    of a killed export is removed by the next of the same name. Nothing is sent anywhere.

    Args:
        agents: names or paths; the first is the learner, each other seat draws one of the rest.
        dataset: its name, `NAME-vN` or `NAMESPACE/NAME-vN`.
        game: a name from `celtica_env.list_games()`.
        num_players: P.
        num_games: episodes.
        seed: of the deals, the seats and the agents; the same seed gives the same data.

    Raises:
        MissingLibraryError: Minari is not installed.
        OptionError: a bad name, number or seed, or the dataset exists.
        UnknownNameError: no such agent or game.
    """
    require_minari()
    path = free_path(dataset)
    if not agents:
        raise OptionError("name at least one agent: the first is the one whose decisions are kept")
    num_games = whole("games", num_games, 1, MAX_GAMES)
    if check_seed(seed) > MAX_SEED:
        raise OptionError(f"the seed of a dataset must be at most {MAX_SEED}, got {seed}")
    learner, opponents = load_agent(agents[0], game), list(agents[1:] or agents)
    settings = {"num_players": int(num_players), "opponents": opponents, "seat": RANDOM_SEAT}
    parts = play_parts(game, settings, learner, num_games, int(seed))
    first = next(parts)  # what is wrong with the other arguments shows here, with nothing written
    with folder_written_whole(path) as partial:
        storage = new_storage(partial / "data", game, settings)
        for part in chain([first], parts):
            write_episodes(storage, part)
        about = {"agents": list(agents), "games": int(num_games), "seed": int(seed)}
        storage.update_metadata(metadata(dataset, game, learner.name, settings | about))
        decisions = storage.total_steps
    enter_namespace(dataset)
    return Export(dataset, path, int(num_games), decisions)


# --- playing -------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One decision in each of several games, and what it brought."""

    rows: np.ndarray  # (n,) int64, of the batch
    observations: np.ndarray  # (n, F) float32
    masks: np.ndarray  # (n, A) int8
    actions: np.ndarray  # (n,) int64
    rewards: np.ndarray  # (n,) float64
    terminations: np.ndarray  # (n,) bool
    truncations: np.ndarray  # (n,) bool


@dataclass(frozen=True)
class Episode:
    """A game as its learner sees it: `T` decisions, `T + 1` observations and masks."""

    seed: int
    game_index: int
    seat: int
    agents: list[str]  # by seat
    steps: Step  # of one game, so n is T
    last: np.ndarray  # (F,) float32, what the learner sees at the end


def play_parts(
    game: str, settings: dict[str, Any], learner: Agent, num_games: int, seed: int
) -> Iterator[list[Episode]]:
    """Play games, some at once; yield the episodes of each part."""
    num_players, opponents, seat = settings.values()
    for start in range(0, num_games, CHUNK):
        size = min(CHUNK, num_games - start)
        batch = make_batch(game, size, num_players, game_offset=start)
        games = SeatGames(batch, opponents, seat=seat)
        games.seed(seed)
        games.start(np.arange(size), is_dealt=True)
        learner.reset(agent_seed(seed, "learner"))
        yield episodes_of(games, learner, seed)


def episodes_of(games: SeatGames, learner: Agent, seed: int) -> list[Episode]:
    """Play games that wait for their learner to their ends; return what they were to it."""
    merged = merge(play_steps(games, learner))
    order = np.argsort(merged.rows, kind="stable")
    ends = np.searchsorted(merged.rows[order], np.arange(games.batch.num_games), side="right")
    lasts = games.observations()
    return [
        Episode(
            seed=seed,
            game_index=games.batch.game_offset + row,
            seat=int(games.seats[row]),
            agents=[(agent or learner).name for agent in games.line_up(row)],
            steps=Step(*(column[part] for column in merged)),
            last=lasts[row],
        )
        for row, part in enumerate(np.split(order, ends[:-1]))
    ]


def play_steps(games: SeatGames, learner: Agent) -> Iterator[Step]:
    """Let the learner decide wherever it is asked, until all games are over."""
    while True:
        rows = np.flatnonzero(~games.batch.finished)
        if not rows.size:
            return
        observations = games.observations(rows)
        masks = games.batch.masks(rows).astype(np.int8)
        actions = ask(learner, games.batch.view(rows)).astype(np.int64)
        outcome = games.step(actions, where=rows)
        rewards = outcome.payoffs.astype(np.float64)
        ends = outcome.terminated, outcome.truncated
        yield Step(rows, observations, masks, actions, rewards, *ends)


def merge(steps: Iterable[Step]) -> Step:
    """Return steps as one, in order."""
    return Step(*(np.concatenate(column) for column in zip(*steps)))


# --- writing -------------------------------------------------------------------------------------


def require_minari() -> Any:
    """Return Minari.

    Raises:
        MissingLibraryError: it, or what it stores data with, is not installed.
    """
    try:
        minari, *_ = map(importlib.import_module, LIBRARIES)
    except ImportError as error:
        raise MissingLibraryError(
            f"{error}; datasets need the extra minari: pip install 'celtica-env[minari]'"
        ) from error
    return minari


def free_path(dataset: str) -> Path:
    """Return where Minari looks for a dataset that is not there yet.

    Raises:
        OptionError: it is there, or the name is none of Minari's.
    """
    from minari.dataset.minari_dataset import DATASET_ID_RE
    from minari.storage import get_dataset_path

    match = DATASET_ID_RE.fullmatch(dataset)
    folders = dataset.split("/")
    if match is None or match["version"] is None or not all(folders) or "data" in folders:
        raise OptionError(
            "a dataset is named NAME-vN or NAMESPACE/NAME-vN, such as celtica/greedy-v0, of "
            f"letters, digits, - and _, at least two of them in a namespace; got {dataset!r}"
        )
    # Minari cannot tell the size of what lies at a relative path.
    root, path = get_dataset_path().absolute(), get_dataset_path(dataset).absolute()
    for folder in (path, *path.parents):
        if root in folder.parents and (folder / "data").exists():
            raise OptionError(f"{folder} is a dataset already; name another with --out")
    if path.exists():
        raise OptionError(f"{path} exists; name another dataset with --out")
    return path


def new_storage(folder: Path, game: str, settings: dict[str, Any]) -> Any:
    """Return an empty storage of Minari's, which says what environment the games are of."""
    import gymnasium
    from minari.dataset.minari_storage import MinariStorage

    facts = spec(game)
    environment = copy.deepcopy(gymnasium.spec(gymnasium_id(game)))
    environment.kwargs |= settings
    return MinariStorage.new(folder, observation_box(facts), action_space(facts), environment)


def write_episodes(storage: Any, episodes: Sequence[Episode]) -> None:
    """Add episodes to a storage, with who sat where."""
    first = storage.total_episodes
    storage.update_episodes(map(buffer_of, episodes))
    storage.update_episode_metadata(
        [{"seat": episode.seat, "agents": episode.agents} for episode in episodes],
        range(first, first + len(episodes)),
    )


def buffer_of(episode: Episode) -> Any:
    """Return an episode as Minari's collector would have recorded it, infos included."""
    from minari.data_collector.episode_buffer import EpisodeBuffer

    steps = episode.steps
    return EpisodeBuffer(
        seed=episode.seed,
        options={GAME_INDEX: episode.game_index},
        observations=np.concatenate([steps.observations, episode.last[None]]),
        actions=steps.actions,
        rewards=steps.rewards,
        terminations=steps.terminations,
        truncations=steps.truncations,
        infos={
            "action_mask": np.concatenate([steps.masks, np.ones_like(steps.masks[:1])]),
            "seat": np.full(len(steps.rows) + 1, episode.seat),
        },
    )


def metadata(dataset: str, game: str, learner: str, about: dict[str, Any]) -> dict[str, Any]:
    """Return what Minari's fields say of a dataset, and ours in a field of their own."""
    opponents, num_players = ", ".join(about["opponents"]), about["num_players"]
    return {
        "dataset_id": dataset,
        "minari_version": require_minari().__version__,
        "algorithm_name": learner,
        "description": f"{game}, {num_players} players: what {learner} does against {opponents}",
        "requirements": [f"celtica-env=={__version__}"],
        "celtica_env": {"version": __version__, "game": spec(game).id} | about,
    }


def enter_namespace(dataset: str) -> None:
    """Tell Minari of the folder that a dataset lies in."""
    from minari.namespace import create_namespace, list_local_namespaces

    namespace = dataset.rpartition("/")[0]
    if namespace and namespace not in list_local_namespaces():
        create_namespace(namespace)


def main(argv: list[str]) -> int:
    """Run `celtica export-dataset`."""
    config = tyro.cli(Config, args=argv, prog="celtica export-dataset")
    config.enter_package()
    if config.root is not None:
        os.environ[ROOT_VARIABLE] = str(config.root)
    export = export_dataset(
        config.agents,
        config.out,
        config.game,
        num_players=config.players,
        num_games=config.games,
        seed=config.seed,
    )
    size = sum(file.stat().st_size for file in export.folder.rglob("*")) / 1e6
    print(
        f"{export.dataset}: {export.games:,} games, {export.decisions:,} decisions of "
        f"{config.agents[0]}, {size:,.1f} MB in {export.folder}"
    )
    return 0
