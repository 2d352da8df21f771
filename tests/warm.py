"""Compile what the quick tests play, before they start: `python -m tests.warm`.

Workers that start with an empty cache would compile the same at once, and the tests that come first
would seem slow. Takes a few seconds if all is there.
"""

import os
from concurrent.futures import ProcessPoolExecutor

import celtica_env
from celtica_agents.learned import follow, look_ahead
from celtica_agents.search import make_judge
from celtica_env import load_agent
from celtica_env.extend import is_compiled
from tests.core import tiny_game

JUDGE = "judge"  # no agent: what values positions
TD = "td"  # nor these: what the trainer asks, and what networks do
NETWORKS = "networks"
JOBS = [  # the longest first
    *(("celtica", name) for name in ("mc:1", "mc:1:greedy", "ismcts:1", "ismcts:1:greedy")),
    *(("celtica", name) for name in ("mc:1:bot", "puct:1:bot")),
    *((game, TD) for game in ("keltis", "celtic", "celtica")),
    *((game, NETWORKS) for game in ("celtica", "keltis", "celtic", "tiny")),
    *((game, name) for game in ("celtic", "keltis") for name in ("greedy", "random")),
    *(("tiny", name) for name in ("mc:1", "ismcts:1", JUDGE)),
    *(("celtica", name) for name in ("greedy", "greedy:v0", "random")),
    ("tiny", TD),
]
"""Games, and agents that use what a game has compiled, or the trainer."""
ALSO_PLAYED = ("celtica", "tiny")
"""Games that quick tests let networks play in one call."""


def compile_for(game: str, agent: str) -> None:
    """Make a batch do all it can, and an agent choose; what takes long is announced."""
    if game == "tiny":
        celtica_env.register_game("tiny", tiny_game.__name__)
    batch = celtica_env.make_batch(game, num_games=1, seed=0)
    if agent == TD:
        for loop in (look_ahead.judge_actions, look_ahead.judge_positions):
            look_ahead.entry(batch.game, loop, True)
        return
    if agent == NETWORKS:
        look_ahead.entry(batch.game, look_ahead.judge_actions, False)
        follow.entry(batch.game, follow.follow_games)
        if game in ALSO_PLAYED:
            look_ahead.entry(batch.game, look_ahead.prefer, True)
            look_ahead.entry(batch.game, look_ahead.prefer, False)
            follow.entry(batch.game, follow.follow)
        return
    batch.potentials()
    view = batch.view()
    view.sample(0)
    player = make_judge(game, "random", 1, 0) if agent == JUDGE else load_agent(agent, game)
    batch.step(player.act(view))
    if is_compiled(player):
        batch.play(player)


def main() -> None:
    """Do all jobs, in as many processes as there are processors."""
    with ProcessPoolExecutor(min(len(JOBS), os.cpu_count() or 1)) as pool:
        list(pool.map(compile_for, *zip(*JOBS)))  # which raises what a job raises


if __name__ == "__main__":
    main()
