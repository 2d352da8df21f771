"""Send a trained network to the Hugging Face hub, with a card that says how strong it is.

Whoever has the card's name plays against the network: `celtica play --against hub:user/name`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import tyro

from celtica_agents.learned import Trained, load_trained
from celtica_agents.learned.files import NETWORK_FILE, NetworkInfo, find_network_file, read_file
from celtica_agents.learned.hub import Address, asking, read_address
from celtica_env import Agent, agent_seed, ask, load_agent, make_batch, spec
from celtica_env.errors import HubError, OptionError
from celtica_env.extend import printable
from celtica_env.show.pictures import draw, has_drawing, png
from celtica_train.own_game import OwnGame, usual_agents, write_options
from celtica_train.play_games.evaluate import evaluate
from celtica_train.play_games.result import Result
from celtica_train.report import print_strength

CARD_FILE = "README.md"
POSITION_FILE = "position.png"
CURVE_FILE = "curve.png"
WIDTH = 1200  # pixels of the picture
SEED = 20_000  # as of the table at the end of a training: these deals chose no network
CAPTIONS = {
    POSITION_FILE: "A position of a game that the network plays",
    CURVE_FILE: "Strength over the training",
}
PAGE = """\
# {name}

A {kind} network for the board game {game} with {players} players, trained with celtica-env
{version}.

{pictures}

## Strength

Win share per seat, ties shared, over the same deals in every rotation of the seats; an even share
is {even}.

| against | games | win share | 95 % interval |
| --- | ---: | ---: | ---: |
{rows}

```sh
{again}
```

## Use

```sh
pip install 'celtica-env[hub]'
{play}
```

```python
import celtica_env

agent = celtica_env.load_agent("{address}", "{game}")  # "{address}@COMMIT" stays the same
```

## Training

| | |
| --- | --- |
| command | `{command}` |
| decisions learned from | {steps:,} |
| environment | `{id}` |
| options of the game | {options} |

It has learned nothing about tables of another size, other rules or another board.
"""


@dataclass
class Config(OwnGame):
    """Send a trained network to the hub, with a card: what it was trained for, and its strength.

    Before it is sent it plays against each rival, which takes a minute or so.
    """

    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder of a run (its best network is sent), or a network file."""
    to: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="hub:USER/NAME")]
    """Where to; the repository is made if there is none of that name."""
    rivals: tuple[str, ...] = ()
    """Agents against which the strength on the card is measured; by default random and, if the game
    has it, greedy."""
    games: int = 2000
    """Games against each of them."""
    seed: int = SEED
    """Seed of these games."""
    private: bool = False
    """Make a repository that only its owners see; one that is there stays as it is."""


def push(config: Config) -> str:
    """Send a network and its card; return the address of the page that shows them.

    Raises:
        CheckpointError: there is no network, or none of a known game.
        OptionError: the address has another form or names a revision.
        MissingLibraryError: an extra is not installed.
        HubError: the hub cannot be reached, does not allow it, or has another game's network there.
    """
    address = read_address(config.to)
    if address.revision is not None:
        raise OptionError(f"{address}: a revision is for taking a network, a push makes a new one")
    file = find_network_file(config.run)
    info = read_file(file)[1]
    game = spec(info.game).name
    network = load_trained(file, game)
    rivals = [load_agent(rival, game) for rival in config.rivals or usual_agents(game)]
    with asking(address) as hub:
        hub.create_repo(address.repository, private=config.private, exist_ok=True)
        hub.auth_check(address.repository, write=True)
        refuse_another_game(address, info, hub.model_info(address.repository))
    results = [measure(network, rival, config) for rival in rivals]
    print_strength(config.to, results)
    pictures = {}
    if has_drawing(game):
        pictures[POSITION_FILE] = draw_position(network, rivals[-1], config.seed)
    curve = file.parent.parent / CURVE_FILE
    if curve.is_file():
        pictures[CURVE_FILE] = curve.read_bytes()
    card = Card(address, info, results, list(pictures))
    content = {CARD_FILE: card.text().encode(), NETWORK_FILE: file.read_bytes(), **pictures}
    library = import_module("huggingface_hub")
    with asking(address) as hub:
        additions = [library.CommitOperationAdd(name, data) for name, data in content.items()]
        hub.create_commit(address.repository, additions, commit_message=f"{game} by celtica push")
        return f"{hub.endpoint}/{address.repository}"


def refuse_another_game(address: Address, info: NetworkInfo, there: Any) -> None:
    """Keep a repository's network from being replaced by one of another game.

    Raises:
        HubError: says of which game the card there tells.
    """
    files = {file.rfilename for file in there.siblings or ()}
    if NETWORK_FILE in files and info.game not in (there.tags or ()):
        told = ", ".join(map(printable, there.tags or ())) or "nothing"
        raise HubError(
            f"{address} holds a network, and its card names not {info.game} but {told}; push to "
            "another repository"
        )


def measure(network: Trained, rival: Agent, config: Config) -> Result:
    """Play against a rival, which holds all other seats."""
    return evaluate(
        [network, rival],
        spec(network.info.game).name,
        num_players=network.info.num_players,
        num_games=config.games,
        seed=config.seed,
        options=network.info.options,
    )


def draw_position(network: Trained, rival: Agent, seed: int) -> bytes:
    """Return a picture, a PNG file, of a late position of a game of the network's.

    Raises:
        MissingLibraryError: the extra `hub` is not installed.
    """
    info, agents = network.info, (network, rival)
    batch = make_batch(info.game, 1, info.num_players, seed=seed, **info.options)
    for index, agent in enumerate(agents):
        agent.reset(agent_seed(seed, "picture", index))
    positions = []
    while not batch.finished[0]:
        positions.append(batch.states.copy())
        batch.step(ask(agents[min(batch.to_move[0], 1)], batch.view()))
    return png(draw(info.game, positions[len(positions) * 3 // 4][0]), WIDTH)


@dataclass(frozen=True)
class Card:
    """What is said of a network on the hub.

    Attributes:
        address: where it lies.
        info: what it was trained for.
        results: an evaluation for each rival, the network first.
        pictures: names of files beside the card.
    """

    address: Address
    info: NetworkInfo
    results: Sequence[Result]
    pictures: Sequence[str]

    def text(self) -> str:
        """Return the card: the hub's index of results, then what people read."""
        return f"---\n{self.index()}\n---\n\n{self.page()}"

    def index(self) -> str:
        """Return the metadata in the hub's form, `model-index` among them."""
        library = import_module("huggingface_hub")
        game, name = spec(self.info.game), self.address.repository.partition("/")[2]
        rows = [
            library.EvalResult(
                task_type="reinforcement-learning",
                task_name=f"{game.name}, {result.players} players",
                dataset_type=game.id,
                dataset_name=f"{game.id} against {result.agents[1].name}",
                dataset_config=f"{result.players} players against {result.agents[1].name}",
                dataset_args={"games": result.games, "seed": result.seed},
                metric_type="win_share",
                metric_name="win share",
                metric_value=round(result.agents[0].win_share, 4),
                metric_args={"ci95": [round(bound, 4) for bound in result.agents[0].ci95]},
            )
            for result in self.results
        ]
        data = library.ModelCardData(
            library_name="celtica-env",
            pipeline_tag="reinforcement-learning",
            tags=["reinforcement-learning", "board-game", "celtica-env", game.name, game.id],
            model_name=name,
            eval_results=rows,
        )
        return str(data.to_yaml())

    def page(self) -> str:
        """Return what people read."""
        info, last = self.info, self.results[-1]
        measured = ["--games", str(last.games), "--seed", str(last.seed)]
        rival = last.agents[1].name
        return PAGE.format(
            name=self.address.repository.partition("/")[2],
            kind=info.kind,
            game=spec(info.game).name,
            players=info.num_players,
            even=f"{1 / info.num_players:.1%}",
            rows="\n".join(map(row, self.results)),
            pictures="\n\n".join(f"![{CAPTIONS[name]}]({name})" for name in self.pictures),
            play=self.command("play", "--against", str(self.address)),
            again=self.command("evaluate", str(self.address), rival, *measured),
            address=self.address,
            steps=info.steps,
            version=printable(info.package_version),
            command=printable(info.command) or "not recorded",
            options=printable(json.dumps(info.options)) if info.options else "the default",
            id=info.game,
        )

    def command(self, *words: str) -> str:
        """Return a command line for the table that the network was trained for."""
        info = self.info
        table = ["--game", spec(info.game).name, "--players", str(info.num_players)]
        rules = [f"--option={one}" for one in write_options(dict(info.options))]
        return shlex.join(["celtica", *words, *table, *rules])


def row(result: Result) -> str:
    """Return a row of the table of strength."""
    own, rival = result.agents[:2]
    share, interval = f"{own.win_share:.1%}", f"{own.ci95[0]:.1%} to {own.ci95[1]:.1%}"
    return f"| {rival.name} | {result.games:,} | {share} | {interval} |"


def main(argv: list[str]) -> int:
    """Run `celtica push`."""
    config = tyro.cli(Config, args=argv, prog="celtica push")
    config.enter_package()
    page = push(config)
    print(f"sent: {page}, which says how to play against it")
    return 0
