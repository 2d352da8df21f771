"""Faults to plant in the sources, one at a time, and what must notice each.

Every fault is an edit that a person could make by mistake: `old` occurs exactly once in `file`.
"""

from __future__ import annotations

from dataclasses import dataclass

KIT = ("tests.planted.kit",)
"""The conformance kit on the tiny game of the tests."""

TWIN = ("pytest", "tests/games/celtica/test_oracle.py", "-k", "german-clamp or boards")
EXAMPLES = ("pytest", "tests/games/celtica/test_rules_examples.py")
HIDDEN = ("pytest", "tests/games/celtica/test_hidden_cards.py")
EVALUATION = ("pytest", "tests/train/test_evaluate.py", "-k", "share or interval or deal")
REPLAYS = ("pytest", "tests/core/test_replay.py")
POSITIONS = ("pytest", "tests/games/celtica/test_position.py")


@dataclass(frozen=True)
class Fault:
    """An edit of a file, and the module to run, with arguments, that must then fail."""

    file: str
    old: str
    new: str
    noticed_by: tuple[str, ...] = KIT


BATCH, LOOPS = "celtica_env/core/batch.py", "celtica_env/core/loops.py"
AEC, SEATS = "celtica_env/wrappers/pettingzoo.py", "celtica_env/wrappers/seats.py"
VECTOR = "celtica_env/wrappers/gymnasium.py"
RULES, OBSERVE = "celtica_env/games/celtica/rules.py", "celtica_env/games/celtica/observe.py"

FAULTS = {
    "a reward is paid twice": Fault(
        AEC,
        "self._cumulative_rewards = self.rewards.copy()",
        "self._cumulative_rewards = {a: 2 * r for a, r in self.rewards.items()}",
    ),
    "only the last mover is paid": Fault(
        AEC,
        "self.rewards = dict(zip(self.agents, rewards))",
        "self.rewards = {a: r * (a == self.agent_selection) for a, r in zip(self.agents, rewards)}",
    ),
    "an old mask is handed out after a step": Fault(
        BATCH,
        "        was_finished = self.finished[rows]\n        self._fresh.clear()",
        "        was_finished = self.finished[rows]\n        self._fresh.discard('observations')",
    ),
    "an old mask is handed out after a position was set": Fault(
        BATCH,
        "        self.states[rows] = states\n        self._fresh.clear()",
        "        self.states[rows] = states",
    ),
    "one buffer is handed out again and again": Fault(
        BATCH,
        "if not self.reuse_buffers or name not in self._buffers:",
        "if name not in self._buffers:",
    ),
    "seats are ordered by a set": Fault(
        AEC,
        'self.possible_agents = [f"player_{seat}" for seat in range(self.batch.num_players)]',
        "self.possible_agents = list({f'player_{seat}': 0 for seat in "
        "reversed(range(self.batch.num_players))})",
    ),
    "seed 0 is treated as none": Fault(BATCH, "reseed = seed is not None", "reseed = bool(seed)"),
    "an illegal action changes the state": Fault(
        BATCH,
        "        self._check(rows, actions)\n",
        '        self.states["step_count"][rows] += 1\n        self._check(rows, actions)\n',
    ),
    "a game cut off counts as ended": Fault(
        LOOPS,
        "            truncs[k] = True\n        else:",
        "            ends[k] = True\n        else:",
    ),
    "the last position is that of the new game": Fault(
        LOOPS,
        "            last[row] = s\n            reset(s)",
        "            reset(s)\n            last[row] = s",
    ),
    "a clone shares its games": Fault(
        BATCH,
        'for name in ("states", "final_states", "finished", "_ticks"):',
        'for name in ("final_states", "finished", "_ticks"):',
    ),
    "a pickle forgets which games are finished": Fault(
        BATCH,
        '        state["_buffers"], state["_fresh"] = {}, set()',
        '        state["_buffers"], state["_fresh"] = {}, set()\n'
        '        state["finished"] = np.zeros_like(self.finished)',
    ),
    "going back to a clone leaves out the agents": Fault(
        AEC,
        '    *("agents", "num_agents", "agent_selection", "rewards",',
        '    *("num_agents", "agent_selection", "rewards",',
    ),
    "samples are always the same": Fault(
        "celtica_env/core/view.py",
        "stream_keys(check_seed(seed), np.zeros(1))",
        "stream_keys(check_seed(seed) * 0, np.zeros(1))",
    ),
    "a view holds the full records": Fault(
        LOOPS,
        "        censor(s, np.uint8(s.to_move if seats[k] < 0 else seats[k]))",
        "        s.viewer = s.to_move if seats[k] < 0 else seats[k]",
    ),
    "moves after the learner's last one lose the reward": Fault(
        SEATS,
        "            payoffs[rows] += rewards[np.arange(len(rows)), self.seats[rows]]\n",
        "",
    ),
    "a game cut off by an opponent counts as ended": Fault(
        SEATS, "            truncated[rows] |= cut\n", ""
    ),
    "the final observation is that of the new game": Fault(
        VECTOR,
        "        for row, last in zip(rows.tolist(), self.games.observations(rows)):\n"
        "            final_obs[row] = last\n"
        "        final_info = self._infos()",
        "        self.games.start(rows)\n"
        "        for row, last in zip(rows.tolist(), self.games.observations(rows)):\n"
        "            final_obs[row] = last\n"
        "        final_info = self._infos()",
    ),
    "a replay's checksum is not looked at": Fault(
        "celtica_env/core/replay.py",
        'if checksum != _checksum({"format": FORMAT, **content}):',
        "if checksum is None:",
        REPLAYS,
    ),
    "a position may hold a card too many": Fault(
        "celtica_env/games/celtica/position.py",
        "_require(count == copies,",
        "_require(count <= copies + 1,",
        POSITIONS,
    ),
    "a tie goes to the lower seat": Fault(
        RULES,
        "        ahead += 1 if rank > own else 0",
        "        ahead += 1 if rank > own or (rank == own and rival < seat) else 0",
        EXAMPLES,
    ),
    "a reshuffle loses a card": Fault(
        RULES,
        "        supply[i] = discards[i]",
        "        supply[i] = max(discards[i] - 1, 0)",
        TWIN,
    ),
    "the display is refilled between two parts": Fault(
        RULES,
        "        s.pending -= 1\n        return are_parts_done(s)\n    if s.phase == SWAP:",
        "        s.pending -= 1\n        refill_display(s)\n        return are_parts_done(s)\n"
        "    if s.phase == SWAP:",
        TWIN,
    ),
    "an experience card may be used in the turn it was drawn": Fault(
        RULES,
        "    else:\n        draw_experience_card(s, s.to_move)\n    return True",
        "    else:\n        draw_experience_card(s, s.to_move)\n        s.phase = PLAY\n"
        "        return s.hand_size[s.to_move] == 0\n    return True",
        TWIN,
    ),
    "a hand is dealt to a seat that cannot hold it": Fault(
        RULES,
        "        hand[draw_from(s, supply, total(supply))] += 1",
        "        hand[0] += 1",
        HIDDEN,
    ),
    "deals are played in one order of seats only": Fault(
        "train/celtica_train/evaluate.py",
        "order = [circle[(seat + rotation) % num_players] for seat in range(num_players)]",
        "order = [circle[seat] for seat in range(num_players)]",
        EVALUATION,
    ),
}
