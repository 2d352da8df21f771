"""Any interleaving of what a batch can do, beside games that are played one by one.

The model is a list of batches of one game: whatever is done to some games of the batch is done to
theirs, and after every step both must look the same, down to the last byte.
"""

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import celtica_env
from celtica_env import play_replay
from celtica_env.core.errors import CelticaError
from celtica_env.core.notation import check_positions
from celtica_env.testing.play import choose, player_counts, snapshot
from tests.each_game import each_game

NUM_GAMES = 3
subsets = st.lists(st.integers(0, NUM_GAMES - 1), unique=True)
salts = st.integers(0, 1000)


class BatchMachine(RuleBasedStateMachine):
    """Plays `game`, which a subclass names."""

    game: str

    @initialize(
        seed=st.integers(0, 2**70),
        extra_players=st.integers(0, 10),
        autoreset=st.sampled_from(["disabled", "same_step", "next_step"]),
        max_steps=st.sampled_from([None, 7, 40]),
    )
    def begin(self, seed, extra_players, autoreset, max_steps):
        counts = player_counts(self.game)
        options = {
            "num_players": counts[extra_players % len(counts)],
            "seed": seed,
            "autoreset": autoreset,
            "max_steps": max_steps,
            "record": True,
        }
        make = celtica_env.make_batch
        self.batch = make(self.game, NUM_GAMES, **options)
        self.singles = [make(self.game, 1, game_offset=i, **options) for i in range(NUM_GAMES)]
        self.saved = None

    def playable(self, rows):
        """Return those of the games that may be stepped."""
        if self.batch.autoreset == "next_step":
            return np.array(rows, int)
        return np.array([row for row in rows if not self.batch.finished[row]], int)

    @rule(rows=subsets, salt=salts, num_decisions=st.integers(1, 15))
    def step(self, rows, salt, num_decisions):
        for count in range(num_decisions):
            rows = self.playable(rows)
            actions = choose(self.batch, rows, salt + count)
            rewards, terminated, truncated = self.batch.step(actions, where=rows)
            for k, row in enumerate(rows):
                single = self.singles[row].step(actions[k : k + 1])
                assert single[0].tobytes() == rewards[k].tobytes()
                assert (single[1][0], single[2][0]) == (terminated[k], truncated[k])
            assert not rewards[~terminated].any()
            assert not (terminated & truncated).any()
            np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-6)

    @rule(row=st.integers(0, NUM_GAMES - 1), action=st.integers(-5, 5000))
    def step_illegally(self, row, action):
        masks = self.batch.masks([row])[0]
        if action in range(len(masks)) and masks[action]:
            return
        before = snapshot(self.batch)
        is_ignored = self.batch.finished[row] and self.batch.autoreset == "next_step"
        if not is_ignored:
            with pytest.raises(CelticaError):
                self.batch.step([action], where=[row])
            assert snapshot(self.batch) == before

    @rule(rows=subsets)
    def reset(self, rows):
        mask = np.zeros(NUM_GAMES, np.bool_)
        mask[rows] = True
        self.batch.reset(mask)
        for row in rows:
            self.singles[row].reset()

    @rule(rows=subsets, seed=st.integers(0, 5))
    def reset_with_seed(self, rows, seed):
        mask = np.zeros(NUM_GAMES, np.bool_)
        mask[rows] = True
        self.batch.reset(mask, seed=seed)
        for row in rows:
            self.singles[row].reset(seed=seed)

    @rule(way=st.sampled_from(["clone", "pickle"]))
    def go_on_with_a_copy(self, way):
        is_clone = way == "clone"
        self.batch = self.batch.clone() if is_clone else pickle.loads(pickle.dumps(self.batch))

    @rule()
    def save(self):
        self.saved = self.batch.clone(), [single.clone() for single in self.singles]

    @rule()
    def restore(self):
        if self.saved is not None:
            self.batch.restore(self.saved[0])
            for single, saved in zip(self.singles, self.saved[1]):
                single.restore(saved)

    @rule(origin=st.integers(0, NUM_GAMES - 1), goal=st.integers(0, NUM_GAMES - 1))
    def copy_a_position(self, origin, goal):
        states = self.batch.states[[origin]]
        self.batch.set_states(states, where=[goal])
        self.singles[goal].set_states(states)

    @rule(row=st.integers(0, NUM_GAMES - 1))
    def replay(self, row):
        replay = self.batch.replay(row)
        assert replay == self.singles[row].replay()
        assert play_replay(replay).states[0] == self.batch.states[row]

    @invariant()
    def looks_like_single_games(self):
        for row, single in enumerate(self.singles):
            assert self.batch.states[row] == single.states[0]
            assert self.batch.finished[row] == single.finished[0]
            assert self.batch.observations[row].tobytes() == single.observe().tobytes()
            assert self.batch.action_masks[row].tobytes() == single.masks().tobytes()
            assert self.batch.view([row]).keys == single.view().keys

    @invariant()
    def keeps_all_pieces(self):
        check_positions(self.batch.game, self.batch.states.copy())

    @invariant()
    def is_no_longer_than_declared(self):
        assert (self.batch.states["step_count"] <= self.batch.spec.max_steps).all()


@pytest.mark.slow
@each_game
def test_any_interleaving_does_what_single_games_do(game, is_full_check):
    machine = type("Machine", (BatchMachine,), {"game": game})
    machine.TestCase.settings = settings(
        max_examples=300 if is_full_check else 15,
        stateful_step_count=40,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    machine.TestCase().runTest()
