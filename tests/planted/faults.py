"""Small edits of the sources, each a fault that people have made, and who must notice it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CORE, WRAPPERS = "celtica_env/core", "celtica_env/wrappers"
CELTICA = "celtica_env/games/celtica"
AGENTS, TRAIN = "agents/celtica_agents", "train/celtica_train"


@dataclass(frozen=True)
class Command:
    """What is run in a folder with copied sources, see `tests.planted.verdict`.

    Attributes:
        tests: files of tests, or single ones; without any, the conformance kit is run.
        kit: arguments of the kit.
        is_compiled: whether numba compiles; plain Python is quicker where little is played.
    """

    tests: tuple[str, ...] = ()
    kit: tuple[str, ...] = ()
    is_compiled: bool = False

    @property
    def arguments(self) -> list[str]:
        """The command line."""
        return ["--tests", *self.tests] if self.tests else list(self.kit)

    def __str__(self) -> str:
        what = " ".join([*self.tests, *self.kit]) or "the kit"
        return f"{what}{', compiled' if self.is_compiled else ''}"


@dataclass(frozen=True)
class Fault:
    """An edit of one file.

    Attributes:
        file: path in the repository.
        old: text that occurs in it once.
        new: what takes its place.
        noticed_by: a command that must fail.
    """

    file: str
    old: str
    new: str
    noticed_by: Command

    def edited(self, folder: Path) -> str:
        """Return the text of the file with the fault in it."""
        source = (folder / self.file).read_text("utf-8")
        assert source.count(self.old) == 1, f"{self.file} must hold this text once:\n{self.old}"
        return source.replace(self.old, self.new)

    def plant(self, folder: Path) -> None:
        """Edit the file in a folder of copied sources."""
        (folder / self.file).write_text(self.edited(folder), "utf-8")


def kit(*checks: str, is_compiled: bool = False) -> Command:
    """Return the command that holds the tiny game of `tests.core` to some checks of the kit."""
    return Command(kit=("--checks", *checks), is_compiled=is_compiled)


DRAWN = Command(kit=("--game", "celtica", "--players", "2", "--checks", "drawings"))


def some_of(file: str, *names: str, is_compiled: bool = False) -> Command:
    """Return the command that runs some tests of a file."""
    return Command(tuple(f"{file}::{name}" for name in names), is_compiled=is_compiled)


# Plain Python is quicker than compiling the rules anew, as every edit of the core demands; after an
# edit of a wrapper they lie compiled in the copy.
AEC, SEATS, PATHS = (kit(theme, is_compiled=True) for theme in ("aec", "seats", "paths"))
HIDDEN_CARDS = Command(
    kit=("--game", "celtica", "--players", "2", "--checks", "hidden_information")
)
TWIN = Command(("tests/games/celtica/test_oracle.py::test_random_games_agree[2-german-clamp]",))
RULES = Command(("tests/games/celtica/test_rules_examples.py",))
ON_SIMULATED_GPU = some_of("tests/core/test_cuda.py", "test_the_simulator_plays_the_same")
AGENTS_ALONE = some_of(
    "tests/agents/test_agents.py",
    "test_agents_play_whole_games_legally[celtica-2]",
    "test_choices_depend_on_the_agents_seed_and_not_on_global_randomness[celtica]",
    is_compiled=True,
)


def evaluation(name: str) -> Command:
    """Return the command that runs a test of evaluation."""
    return some_of("tests/train/test_evaluate.py", name, is_compiled=True)


IN_THE_CORE = {
    "a reward is paid again in the step that deals anew": Fault(
        f"{CORE}/loops.py",
        "            finished[row] = False\n",
        "            finished[row] = False\n            returns(s, rewards[k])\n",
        kit("endings"),
    ),
    "only the mover is paid": Fault(
        f"{CORE}/loops.py",
        "        returns(s, rewards)\n",
        "        returns(s, rewards)\n"
        "        for seat in range(s.num_players):\n"
        "            rewards[seat] *= seat == s.to_move\n",
        kit("payoffs"),
    ),
    "a truncated game is reported as terminated": Fault(
        f"{CORE}/loops.py",
        "        truncs[k] = end == TRUNCATED\n",
        "        ends[k] = True\n",
        kit("endings"),
    ),
    "an end in the last allowed step is a truncation": Fault(
        f"{CORE}/loops.py",
        "    if is_terminal(s):\n",
        "    if is_terminal(s) and s.step_count < max_steps:\n",
        kit("endings"),
    ),
    "the last position kept is that of the new game": Fault(
        f"{CORE}/loops.py",
        "            last[row] = s\n            reset(s)\n",
        "            reset(s)\n            last[row] = s\n",
        kit("endings"),
    ),
    "a position at the limit can be played on": Fault(
        f"{CORE}/loops.py",
        "is_terminal(s) or s.step_count >= max_steps\n",
        "is_terminal(s)\n",
        kit("endings"),
    ),
    "an illegal action changes the state before it is refused": Fault(
        f"{CORE}/batch.py",
        "        self._check(rows, actions)\n",
        "        self._ticks[rows] += 1\n        self._check(rows, actions)\n",
        kit("masks"),
    ),
    "the later half of the games is not checked": Fault(
        f"{CORE}/kernels.py",
        "finished, autoreset, 0, len(rows))",
        "finished, autoreset, 0, (len(rows) + 1) // 2)",
        kit("masks"),
    ),
    "the mask is stale after autoreset": Fault(
        f"{CORE}/batch.py",
        "        self._check(rows, actions)\n        self._change()\n",
        "        self._check(rows, actions)\n"
        "        if not self._finished[rows].any():\n"
        "            self._change()\n",
        kit("endings"),
    ),
    "the observation is stale after a position was put on the table": Fault(
        f"{CORE}/batch.py",
        "        as_bytes(self._states)[rows] = as_bytes(states)\n        self._change()\n",
        "        as_bytes(self._states)[rows] = as_bytes(states)\n",
        kit("notation"),
    ),
    "a shared buffer is handed out": Fault(
        f"{CORE}/batch.py",
        "self._buffers.get(name) if self.reuse_buffers else None",
        "self._buffers.get(name)",
        kit("memory"),
    ),
    "seed 0 is treated as none": Fault(
        f"{CORE}/batch.py",
        "        self.reset(seed=fresh_seed() if seed is None else seed)\n",
        "        self.reset(seed=seed or fresh_seed())\n",
        kit("determinism"),
    ),
    "a reset to seed 0 goes on with the old stream": Fault(
        f"{CORE}/batch.py",
        "        if seed is not None:\n            keys = ",
        "        if seed:\n            keys = ",
        kit("determinism"),
    ),
    "a seeded reset of some games touches the others": Fault(
        f"{CORE}/batch.py",
        "            self._ticks[rows] = 0\n",
        "            self._ticks[:] = 0\n",
        kit("determinism"),
    ),
    "every part of a batch is dealt the first games of the seed": Fault(
        f"{CORE}/batch.py",
        "check_seed(seed), rows + self.game_offset)\n",
        "check_seed(seed), rows)\n",
        kit("determinism"),
    ),
    "large seeds meet small ones": Fault(
        f"{CORE}/streams.py",
        "np.random.SeedSequence(seed)",
        "np.random.SeedSequence(seed % 2**64)",
        kit("determinism"),
    ),
    "a view holds the full records": Fault(
        f"{CORE}/loops.py",
        "        censor(s, np.uint8(s.to_move if seats[k] < 0 else seats[k]))\n",
        "        s.viewer = s.to_move if seats[k] < 0 else seats[k]\n",
        kit("hidden_information"),
    ),
    "a view carries the random counter": Fault(
        f"{CORE}/batch.py",
        "        return View(\n            self._kernels,\n"
        "            self._kernels.censored(self._states, rows),\n",
        "        known = self._kernels.censored(self._states, rows)\n"
        '        known["rng"] = self._states["rng"][rows]\n'
        "        return View(\n            self._kernels,\n            known,\n",
        kit("hidden_information"),
    ),
    "an agent's randomness repeats at every decision": Fault(
        f"{CORE}/view.py",
        "        return mix_keys(self._ids, self._ticks)\n",
        "        return mix_keys(self._ids, 0 * self._ticks)\n",
        kit("hidden_information"),
    ),
    "a determinization is always the same": Fault(
        f"{CORE}/view.py",
        "check_seed(seed), np.zeros(1)",
        "0 * check_seed(seed), np.zeros(1)",
        kit("hidden_information"),
    ),
    "a pickle forgets the finished flags": Fault(
        f"{CORE}/batch.py",
        "        for name in self._ARRAYS:\n            contents[name] = taken(contents[name])\n",
        "        for name in self._ARRAYS:\n            contents[name] = taken(contents[name])\n"
        '        contents["_finished"][:] = False\n',
        kit("copies"),
    ),
    "a pickle forgets the generator": Fault(
        f"{CORE}/batch.py",
        "        for name in self._ARRAYS:\n            contents[name] = taken(contents[name])\n",
        "        for name in self._ARRAYS:\n            contents[name] = taken(contents[name])\n"
        '        contents["_states"]["rng"] = 1\n',
        kit("copies"),
    ),
    "a restored object writes to the memory it came in": Fault(
        f"{CORE}/memory.py",
        "if isinstance(value, np.ndarray) and not (value.flags.owndata and value.flags.writeable)",
        "if isinstance(value, np.ndarray) and not value.flags.writeable",
        kit("copies"),
    ),
    "read-only actions are not copied": Fault(
        f"{CORE}/memory.py",
        '    return np.array(values, dtype, order="C")\n',
        "    return np.ascontiguousarray(values, dtype)\n",
        kit("memory", is_compiled=True),
    ),
    "the records of a batch can be written to": Fault(
        f"{CORE}/memory.py",
        "    return read_only(array.view())\n",
        "    return array.view()\n",
        kit("memory"),
    ),
    "a batch is restored to one of another size": Fault(
        f"{CORE}/batch.py",
        "not isinstance(saved, Batch) or saved.made_with != self.made_with",
        "not isinstance(saved, Batch)",
        kit("copies"),
    ),
    "a clone shares its records": Fault(
        f"{CORE}/batch.py",
        "        for name in self._ARRAYS:\n            contents[name] = taken(contents[name])\n",
        "        for name in self._ARRAYS[1:]:\n"
        "            contents[name] = taken(contents[name])\n",
        kit("copies"),
    ),
    "a copy of a table shares its memory": Fault(
        f"{CORE}/table.py",
        "put_down(self._kernels, taken(self._tables), ",
        "put_down(self._kernels, self._tables, ",
        some_of("tests/core/test_table.py", "test_a_copy_of_a_table_goes_on_identically_and_apart"),
    ),
    "in one game the first seat is paid": Fault(
        f"{WRAPPERS}/seats.py",
        "float(table.rewards[seat])",
        "float(table.rewards[0])",
        some_of(
            "tests/wrappers/test_seats.py",
            "test_one_game_is_the_game_of_a_vector_environment",
            is_compiled=True,
        ),
    ),
    "a clone shares what is recorded": Fault(
        f"{CORE}/batch.py",
        "copy.deepcopy(self._recorder)",
        "copy.copy(self._recorder)",
        kit("replays"),
    ),
    "a restored batch forgets how far its agents' randomness is": Fault(
        f"{CORE}/batch.py",
        "        self._take(saved._contents())\n",
        "        ticks = self._ticks\n"
        "        self._take(saved._contents())\n"
        "        self._ticks = ticks\n",
        kit("copies"),
    ),
    "what a language model is asked is made of the whole position": Fault(
        f"{CORE}/batch.py",
        "            self._kernels.censored(self._states, rows),\n",
        "            self._states[rows],\n",
        some_of(
            "tests/text/test_prompts.py", "test_a_prompt_tells_nothing_that_is_hidden[celtica]"
        ),
    ),
    "a language model is not told its own last move": Fault(
        "celtica_env/text/prompts.py",
        "moves[own[-1] if own.size else 0 :]",
        "moves[own[-1] + 1 if own.size else 0 :]",
        some_of("tests/text/test_prompts.py", "test_moves_are_told_from_the_own_last_one_on"),
    ),
    "an answer that names two moves is taken by its first": Fault(
        "celtica_env/text/answers.py",
        "    if len(actions) > 1:\n",
        "    if len(actions) > 99:\n",
        some_of("tests/text/test_answers.py", "test_two_moves_are_none"),
    ),
    "a replay loses its limit": Fault(
        f"{CORE}/recorder.py",
        "            max_steps=self.max_steps,\n",
        "",
        kit("replays"),
    ),
    "a replay's checksum is not looked at": Fault(
        "celtica_env/replays/replay.py",
        '        if checksum != hash_of(_encode({"format": FORMAT, **content})):\n',
        "        if checksum is None:\n",
        kit("replays"),
    ),
    "a replay's last position is not compared": Fault(
        "celtica_env/replays/playback.py",
        '    for name in ("end", "payoffs", "final"):\n',
        '    for name in ("end", "payoffs"):\n',
        kit("replays"),
    ),
    "a position's text keeps half of the random stream": Fault(
        f"{CORE}/notation.py",
        "rng={state['rng']:x}",
        "rng={state['rng'] % 2**32:x}",
        kit("notation"),
    ),
    "a number too high is put on the table": Fault(
        f"{CORE}/notation.py", "(values > field.high)", "(values > field.high + 1)", kit("notation")
    ),
    "an edited table leaves old machine code running": Fault(
        f"{CORE}/compile.py",
        " + value.tobytes())",
        ")",
        some_of(
            "tests/core/test_compile.py",
            "test_an_edited_rule_changes_the_games_although_the_cache_is_warm",
            is_compiled=True,
        ),
    ),
}

IN_THE_WRAPPERS = {
    "the order of seats comes from a set": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        'self.possible_agents = [f"player_{seat}" for seat in range(self.batch.num_players)]',
        'self.possible_agents = list({f"player_{seat}" for seat in range(self.batch.num_players)})',
        AEC,
    ),
    "a reward is paid twice": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        "self._cumulative_rewards = self.rewards.copy()",
        "self._cumulative_rewards = {a: 2 * r for a, r in self.rewards.items()}",
        AEC,
    ),
    "only the agent that moved last is paid": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        "        self.rewards = dict(zip(self.agents, rewards))\n",
        "        last = self.agent_selection\n"
        "        self.rewards = {a: r * (a == last) for a, r in zip(self.agents, rewards)}\n",
        AEC,
    ),
    "cumulative rewards are not cleared by a reset": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        "        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)\n",
        '        paid = vars(self).get("_cumulative_rewards", {})\n'
        "        self._cumulative_rewards = {a: paid.get(a, 0.0) for a in self.agents}\n",
        AEC,
    ),
    "an agent that leaves is paid again": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        "            self.agent_selection = self.agents[0]\n",
        "            self.agent_selection = self.agents[0]\n"
        "            self._cumulative_rewards[self.agents[0]] *= 2\n",
        AEC,
    ),
    "an agent that waits is shown the mover's mask": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        '            "action_mask": np.zeros(self._num_actions, np.int8),\n',
        '            "action_mask": self._action_mask.copy(),\n',
        AEC,
    ),
    "an observation holds the environment's own mask": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        '                "action_mask": self._action_mask.copy(),\n',
        '                "action_mask": self._action_mask,\n',
        kit("memory", is_compiled=True),
    ),
    "a cut-off game is terminated for its agents": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        "table.is_terminated, table.is_truncated)",
        "table.is_terminated or table.is_truncated, False)",
        AEC,
    ),
    "an environment reset to seed 0 goes on with the old stream": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        "        if seed is None and game_index is None:\n",
        "        if not seed and game_index is None:\n",
        AEC,
    ),
    "a learner's environment takes seed 0 for none": Fault(
        f"{WRAPPERS}/gymnasium.py",
        "        if seed is not None:\n            offset = ",
        "        if seed:\n            offset = ",
        SEATS,
    ),
    "a restored environment shares its game with the clone": Fault(
        f"{WRAPPERS}/copies.py",
        "        vars(self).update(copy.deepcopy(progress))\n",
        "        vars(self).update(progress)\n",
        AEC,
    ),
    "a restored environment keeps its agents": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        '    *("agents", "num_agents", "agent_selection", "rewards",',
        '    *("num_agents", "agent_selection", "rewards",',
        AEC,
    ),
    "a restored environment keeps its mask": Fault(
        f"{WRAPPERS}/pettingzoo.py",
        '"batch", "_seed", "_action_mask")',
        '"batch", "_seed")',
        AEC,
    ),
    "a shaped reward forgets the discount": Fault(
        f"{WRAPPERS}/seats.py",
        "        return self._gamma * self._potentials[rows] - before\n",
        "        return self._potentials[rows] - before\n",
        some_of(
            "tests/wrappers/test_seats.py",
            "test_shaping_adds_up_to_the_potential_difference_and_stays_apart[celtica-0.9]",
            is_compiled=True,
        ),
    ),
    "the last decision of a game is not counted": Fault(
        f"{WRAPPERS}/sb3.py",
        "        self._lengths += 1\n",
        "        self._lengths += ~dones\n",
        SEATS,
    ),
    "a restored training environment keeps the lengths of its games": Fault(
        f"{WRAPPERS}/sb3.py", '"_returns", "_lengths",', '"_returns",', SEATS
    ),
    "opponents are not seeded": Fault(
        f"{WRAPPERS}/seats.py",
        'agent.reset(agent_seed(self._seed, "opponent", index))',
        "pass",
        SEATS,
    ),
    "what the opponents' last moves pay is lost": Fault(
        f"{WRAPPERS}/seats.py",
        "            payoffs[rows] += rewards[np.arange(len(rows)), self.seats[rows]]\n",
        "            del rewards\n",
        PATHS,
    ),
    "a game that the opponents' moves cut off is terminated": Fault(
        f"{WRAPPERS}/seats.py", "            truncated[rows] |= cut\n", "", PATHS
    ),
    "an illegal action in one game ends the others too": Fault(
        f"{WRAPPERS}/seats.py",
        "            self.batch.finish(rows[illegal])\n",
        "            self.batch.finish(rows)\n",
        SEATS,
    ),
    "the learner sits in the first seat only": Fault(
        f"{WRAPPERS}/seats.py",
        "            self.seats[rows] = keys % np.uint64(num_players)\n",
        "            self.seats[rows] = 0\n",
        SEATS,
    ),
    "the learner keeps its seat from game to game": Fault(
        f"{WRAPPERS}/seats.py",
        "            self.seats[rows] = keys % np.uint64(num_players)\n",
        "            self.seats[rows] = self._keys[rows] % np.uint64(num_players)\n",
        SEATS,
    ),
    "final_obs is from the new game": Fault(
        f"{WRAPPERS}/gymnasium.py",
        "        rows = np.flatnonzero(ended)\n",
        "        rows = np.flatnonzero(ended)\n        self.games.start(rows)\n",
        PATHS,
    ),
    "a truncated game bootstraps from nothing": Fault(
        f"{WRAPPERS}/sb3.py", "bool(truncated[row])\n", "False\n", PATHS
    ),
}

IN_THE_RULES = {
    "a reshuffle loses a card": Fault(
        f"{CELTICA}/rules.py",
        "        supply[i] = discards[i]\n",
        "        supply[i] = max(discards[i] - 1, 0) if i == 0 else discards[i]\n",
        RULES,
    ),
    "the display is refilled before all parts are taken": Fault(
        f"{CELTICA}/rules.py",
        "    if s.phase == TAKE:\n        s.pending -= 1\n",
        "    if s.phase == TAKE:\n        refill_display(s)\n        s.pending -= 1\n",
        RULES,
    ),
    "an experience card can be used in the turn in which it was gained": Fault(
        f"{CELTICA}/rules.py",
        "        draw_experience_card(s, s.to_move)\n    return True\n",
        "        draw_experience_card(s, s.to_move)\n"
        "        s.phase = PLAY\n"
        "        return s.hand_size[s.to_move] == 0\n"
        "    return True\n",
        RULES,
    ),
    "a tie is broken by seat": Fault(
        f"{CORE}/verbs.py",
        "            num_ahead += theirs > own\n            num_level += theirs == own\n",
        "            num_ahead += theirs > own or (theirs == own and rival < seat)\n"
        "            num_level += rival == seat\n",
        RULES,
    ),
    "the last mover begins the next round": Fault(
        f"{CELTICA}/rules.py",
        "    return pass_turn(s, left)\n",
        "    return pass_turn(s, s.to_move)\n",
        TWIN,
    ),
    "the last round goes on after a druid is home": Fault(
        f"{CELTICA}/rules.py",
        "    if any_druid_home(s):\n        return False\n    deal(s, left)\n",
        "    deal(s, left)\n",
        TWIN,
    ),
    "a play discards one card, whatever it cost": Fault(
        f"{CELTICA}/rules.py",
        "    discards[colour] += count\n",
        "    discards[colour] += 1\n",
        TWIN,
    ),
    "what a seat may know tells the others' hands": Fault(
        f"{CELTICA}/rules.py",
        "                s.hand[other, colour] = 0\n",
        "                s.hand_known[other, colour] = s.hand[other, colour]\n"
        "                s.hand[other, colour] = 0\n",
        HIDDEN_CARDS,
    ),
    "a determinization keeps to one stream": Fault(
        f"{CELTICA}/rules.py", "    s.rng = key\n", "    s.rng = np.uint64(1)\n", HIDDEN_CARDS
    ),
    "a determinization forgets what is known": Fault(
        f"{CELTICA}/rules.py",
        "        hand[colour] = known[colour]\n        supply[colour] -= known[colour]\n"
        "    for _ in range(size - total(known)):\n",
        "        hand[colour] = 0\n    for _ in range(size):\n",
        some_of(
            "tests/games/celtica/test_hidden_cards.py",
            "test_known_cards_are_dealt_to_their_owner_in_every_sample",
        ),
    ),
    "a determinization makes up cards": Fault(
        f"{CELTICA}/rules.py",
        "        hand[draw_from(s, supply, total(supply))] += 1\n",
        "        hand[0] += 1\n",
        HIDDEN_CARDS,
    ),
    "an observation shows a rival's card": Fault(
        f"{CELTICA}/observe.py",
        "        out[at + 1] = s.hand_size[rival] > 0\n",
        "        out[at + 1] = s.hand[rival, 0] > 0\n",
        HIDDEN_CARDS,
    ),
    "a position's text accepts one card too many": Fault(
        f"{CELTICA}/position.py",
        "        _require(count == copies, f",
        "        _require(copies <= count <= copies + 1, f",
        Command(("tests/games/celtica/test_position.py",)),
    ),
    "the drawing shows the hands of others": Fault(
        f"{CELTICA}/drawing.py",
        "    if is_shown(record, seat, viewer):\n",
        "    if True:\n",
        DRAWN,
    ),
    "the drawing lacks the parts that may be given": Fault(
        f"{CELTICA}/drawing.py",
        "held = [kind for kind, count in enumerate(parts) if count]",
        "held = [kind for kind, count in enumerate(parts) if count > 1]",
        DRAWN,
    ),
}

IN_AGENTS_AND_EVALUATION = {
    "a policy plays what the mask forbids": Fault(
        f"{AGENTS}/learned/policy.py",
        "np.where(view.action_masks, self._network(view.observations), -np.inf)",
        "self._network(view.observations)",
        AGENTS_ALONE,
    ),
    "the random agent plays the same under every seed": Fault(
        f"{AGENTS}/random.py", "mix_keys(view.keys, self._key)", "view.keys", AGENTS_ALONE
    ),
    "every deal is played in one order of the seats only": Fault(
        f"{TRAIN}/play_games/seating.py",
        "rotations[:, None]) % self.players",
        "0 * rotations[:, None]) % self.players",
        evaluation("test_copies_of_a_deterministic_agent_share_exactly_evenly[2-celtica]"),
    ),
    "the interval counts games and not deals": Fault(
        f"{TRAIN}/play_games/evaluate.py",
        "interval95(tally.shares[:, i])",
        "interval95(np.repeat(tally.shares[:, i], num_players))",
        evaluation("test_the_interval_of_an_evaluation_counts_deals"),
    ),
    "every part of an evaluation plays the same deals": Fault(
        f"{TRAIN}/play_games/playing.py",
        "+ 1, game_offset=first)",
        "+ 1, game_offset=0)",
        evaluation("test_deals_in_parts_are_the_deals_together[celtica]"),
    ),
    "the same neighbours sit together in every deal": Fault(
        f"{TRAIN}/play_games/seating.py",
        "for rest in permutations(range(1, self.players))]",
        "for rest in [range(1, self.players)]]",
        evaluation("test_every_order_round_the_table_gets_its_share_of_the_deals"),
    ),
}

ON_A_GPU = {
    "a GPU carries out what is illegal": Fault(
        f"{CORE}/cuda_loops.py",
        "        refused_actions[k] = actions[k]\n        return\n",
        "        refused_actions[k] = actions[k]\n",
        ON_SIMULATED_GPU,
    ),
    "a GPU goes on with a game after an illegal action": Fault(
        f"{CORE}/cuda_loops.py", "if refused[k] or (", "if (", ON_SIMULATED_GPU
    ),
    "a GPU shows the position before a step": Fault(
        f"{CORE}/cuda_batch.py",
        "self._actions)\n        self._fresh.clear()\n",
        "self._actions)\n",
        ON_SIMULATED_GPU,
    ),
    "a GPU tells who moved, not who moves": Fault(
        f"{CORE}/cuda_loops.py",
        "    to_move[k] = states[k].to_move\n",
        "    to_move[k] = to_move[k]\n",
        ON_SIMULATED_GPU,
    ),
    "records on a GPU lie where it cannot read them": Fault(
        f"{CORE}/cuda_batch.py",
        "align=True",
        "align=False",
        some_of(
            "tests/core/test_cuda.py",
            "test_a_gpu_can_read_every_field_of_a_record_in_one_piece",
        ),
    ),
}

FAULTS = {
    **IN_THE_CORE,
    **IN_THE_WRAPPERS,
    **IN_THE_RULES,
    **IN_AGENTS_AND_EVALUATION,
    **ON_A_GPU,
}
