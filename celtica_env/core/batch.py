"""Many games of one kind, stepped together: the vectorized core behind every wrapper.

Legend: `B` games, `P` players, `A` actions, `F` features, `n` rows picked by `where`.

Policy, stated once: masks are True = legal. In a finished game nothing is left to decide, so its
mask row is all True; its observation is that of the seat that decided last or, in a truncated game,
would decide next. A game that reaches `max_steps` is truncated: no payoff. A game that ends on that
very step is terminated, not truncated.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from celtica_env.core import loops
from celtica_env.core.agents import Agent, load_agent
from celtica_env.core.arguments import is_whole, whole
from celtica_env.core.errors import GameOverError, IllegalActionError, OptionError
from celtica_env.core.kernels import Outcome, game_kernels
from celtica_env.core.memory import (
    as_array,
    as_bytes,
    checksum,
    copied,
    owned,
    room,
    shown,
    taken,
)
from celtica_env.core.notation import check_positions
from celtica_env.core.pages import page_of
from celtica_env.core.players import (
    NOBODY,
    PlayOutcome,
    course_dtype,
    play_on,
    player_of,
)
from celtica_env.core.recorder import Recorder
from celtica_env.core.streams import check_seed, stream_keys
from celtica_env.core.table import Table
from celtica_env.core.types import FULL, NO_LIMIT, OBSERVATION_DTYPES, PAYOFFS, Game, GameSpec
from celtica_env.core.view import View
from celtica_env.replays.replay import Replay

AUTORESET = {
    "disabled": loops.DISABLED,
    "same_step": loops.SAME_STEP,
    "next_step": loops.NEXT_STEP,
}
MAX_LISTED = 12  # legal actions named in an error
_BOUND = ("_all_rows", "_buffers", "_fresh", "_shown_states", "_shown_finished", "_table")
"""Attributes of a batch that are made anew for each copy."""


class Batch:
    """B games of one kind. Made by `make_batch`; see there for the arguments.

    What it shows of its games cannot be written to; `set_states` puts positions on the table.
    """

    _ARRAYS = ("_states", "_final_states", "_finished", "_ticks")
    """All that changes as games are played."""

    def __init__(
        self,
        game: Game,
        num_games: int,
        num_players: int,
        *,
        seed: int | None,
        autoreset: str,
        max_steps: int | None,
        payoff: str,
        num_threads: int,
        game_offset: int,
        reuse_buffers: bool,
        record: bool,
        observation_dtype: str,
        options: dict[str, Any],
    ) -> None:
        self._kernels = game_kernels(game, num_players, num_threads)
        self.game_offset = game_offset
        self.autoreset = autoreset
        self.reuse_buffers = reuse_buffers
        self.observation_dtype = np.dtype(observation_dtype)
        self._autoreset = AUTORESET[autoreset]
        self.max_steps = max_steps
        template = game.new_record(num_players, options)
        template["num_players"] = num_players
        template["payoff"] = PAYOFFS.index(payoff)
        template["viewer"] = FULL
        self._template = template.tobytes()  # options, board and way of payoff
        self._states = np.repeat(template, num_games)
        self._final_states = taken(self._states) if autoreset == "same_step" else self._states[:0]
        self._finished = np.zeros(num_games, np.bool_)
        self._ticks = np.zeros(num_games, np.int64)  # decisions since the stream was seeded
        self._bind()
        self._recorder = Recorder(game, self._states, num_players, max_steps) if record else None
        self.reset(seed=fresh_seed() if seed is None else seed)

    def _bind(self) -> None:
        """Make what follows from the games and is not copied with them."""
        self._all_rows = np.arange(len(self._states))
        self._buffers: dict[str, np.ndarray] = {}
        self._fresh: set[str] = set()
        is_alone = len(self._states) == 1 and self._autoreset == loops.DISABLED
        self._table = self._lay_on_a_table() if is_alone else None
        self._shown_states, self._shown_finished = shown(self._states), shown(self._finished)

    def _lay_on_a_table(self) -> Table:
        """Move the only game to where one call can do everything with it."""
        table = Table(self._kernels, self._step_limit, self.observation_dtype)
        table.put(self._states)
        table.finished[:], table.ticks[:] = self._finished, self._ticks
        self._states, self._finished, self._ticks = table.states, table.finished, table.ticks
        return table

    def _change(self) -> None:
        """Note that what was seen of the games no longer holds."""
        self._fresh.clear()
        if self._table is not None:
            self._table.is_seen = False

    # --- what a batch looks like -----------------------------------------------------------------

    @property
    def game(self) -> Game:
        """What is played."""
        return self._kernels.game

    @property
    def spec(self) -> GameSpec:
        """The game's declared facts, short for `game.spec`."""
        return self._kernels.game.spec

    @property
    def num_games(self) -> int:
        """B."""
        return len(self._states)

    @property
    def num_players(self) -> int:
        """P."""
        return self._kernels.num_players

    @property
    def num_threads(self) -> int:
        """Threads that share each call."""
        return self._kernels.num_threads

    @property
    def states(self) -> np.ndarray:
        """The games themselves, `(B,)` records, to be read; `set_states` is the way in.

        Copy, save, hash and compare them with numpy. They change as the games do.
        """
        return self._shown_states

    @property
    def final_states(self) -> np.ndarray:
        """Last position of each game that ended, `(B,)` records, to be read.

        Valid after a step in same-step autoreset, for the games that ended in it.
        """
        return shown(self._final_states)

    @property
    def finished(self) -> np.ndarray:
        """Which games ended and have not been reset, `(B,)` bool, to be read; see `finish`."""
        return self._shown_finished

    @property
    def table(self) -> Table:
        """The only game of a batch of one, looked at: the quick way to play one game.

        Raises:
            OptionError: there are several games, or autoreset is on.
        """
        table = self._only_table()
        table.look()
        return table

    @property
    def is_recording(self) -> bool:
        """Whether the batch was made with `record=True`."""
        return self._recorder is not None

    @property
    def _step_limit(self) -> int:
        return NO_LIMIT if self.max_steps is None else self.max_steps

    @property
    def to_move(self) -> np.ndarray:
        """Seat that decides next in each game, `(B,)` uint8; a view of `states`."""
        return self._shown_states["to_move"]

    @property
    def observations(self) -> np.ndarray:
        """What each game's mover sees, `(B, F)`, made on first use after a change.

        Floats, or the integers that they are made of by `spec.observation_scales`, as
        `observation_dtype` says.
        A fresh array each time a game changes, unless the batch was made with `reuse_buffers`.
        """
        if "observations" not in self._fresh:
            self._buffers["observations"] = self._kernels.observe(
                self._states,
                self._all_rows,
                out=self._spare("observations"),
                dtype=self.observation_dtype,
            )
            self._fresh.add("observations")
        return self._buffers["observations"]

    @property
    def action_masks(self) -> np.ndarray:
        """Legal actions of each game's mover, `(B, A)` bool, made as `observations` are."""
        if "action_masks" not in self._fresh:
            self._buffers["action_masks"] = self._kernels.masks(
                self._states, self._finished, self._all_rows, self._spare("action_masks")
            )
            self._fresh.add("action_masks")
        return self._buffers["action_masks"]

    def _spare(self, name: str) -> np.ndarray | None:
        """Return the array that may be rewritten; None, for a fresh one, if there is none."""
        return self._buffers.get(name) if self.reuse_buffers else None

    def __repr__(self) -> str:
        return f"<Batch: {self.num_games} games of {self.spec.id}, {self.num_players} players>"

    def _repr_html_(self) -> str | None:
        """Return pictures of the first games for a notebook, None for a game without drawings."""
        return page_of(self)

    def observe(
        self,
        where: npt.ArrayLike | None = None,
        seats: npt.ArrayLike | None = None,
        *,
        final: bool = False,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return what given seats see, `(n, F)`, a fresh array if none is given.

        Args:
            where: indices of games `(n,)`; all when None.
            seats: seat per row `(n,)`; the mover's when None.
            final: look at `final_states` in place of `states`.
            out: what to write to, `(n, F)` float32, or int8 for the integers before scaling,
                whichever the batch hands out; contiguous.

        Raises:
            OptionError: an argument is out of range or of a wrong shape or dtype.
        """
        rows = self._rows(where)
        if out is not None:
            out = room("out", out, (len(rows), self.spec.observation_size), OBSERVATION_DTYPES)
        return self._kernels.observe(
            self._positions(final),
            rows,
            self._seats(seats, len(rows)),
            out,
            self.observation_dtype,
        )

    def masks(
        self, where: npt.ArrayLike | None = None, *, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the legal actions of the movers of given games, `(n, A)` bool.

        Args:
            where: indices of games `(n,)`; all when None.
            out: what to write to, contiguous; a fresh array when None.

        Raises:
            OptionError: an argument is out of range or of a wrong shape or dtype.
        """
        rows = self._rows(where)
        if out is not None:
            out = room("out", out, (len(rows), self.spec.num_actions), ("bool",))
        return self._kernels.masks(self._states, self._finished, rows, out)

    def potentials(
        self,
        where: npt.ArrayLike | None = None,
        seats: npt.ArrayLike | None = None,
        *,
        final: bool = False,
    ) -> np.ndarray:
        """Return the potential of given seats for shaping, `(n,)` float32, a fresh array.

        Zero once a game has ended by itself; a truncated one keeps what it had. The arguments are
        those of `observe`.
        """
        rows = self._rows(where)
        return self._kernels.potentials(self._positions(final), rows, self._seats(seats, len(rows)))

    def scores(self, where: npt.ArrayLike | None = None, *, final: bool = False) -> np.ndarray:
        """Return what each seat has by the count of the rules, such as points, `(n, P)` float64."""
        return self._kernels.scores(self._positions(final), self._rows(where))

    def accounts(self, row: int = 0) -> list[str]:
        """Return what each seat of a game has and where it came from, in words.

        Empty if the game does not tell.
        """
        account, record = self.game.account, self._states[row]
        if account is None:
            return []
        return [account(record, seat, score) for seat, score in enumerate(self.scores([row])[0])]

    def view(self, where: npt.ArrayLike | None = None, *, with_moves: bool = False) -> View:
        """Return what the movers of given games may know, and nothing else.

        Args:
            where: indices of games `(n,)`; all when None.
            with_moves: tell what everybody did so far, see `View.moves`; for that the batch must
                have been made with `record=True`.

        Raises:
            OptionError: the batch does not record.
        """
        rows = self._rows(where)
        moves = [self._recording().moves(row) for row in rows.tolist()] if with_moves else None
        return View(
            self._kernels,
            self._kernels.censored(self._states, rows),
            self._finished[rows],
            ids=rows + self.game_offset,
            ticks=self._ticks[rows],
            max_steps=self._step_limit,
            moves=moves,
        )

    def censored(
        self, where: npt.ArrayLike | None = None, seats: npt.ArrayLike | None = None
    ) -> np.ndarray:
        """Return what given seats may know of each game, `(n,)` records, a fresh array.

        Args:
            where: indices of games `(n,)`; all when None.
            seats: seat per row `(n,)`; the mover's when None.
        """
        rows = self._rows(where)
        return self._kernels.censored(self._states, rows, self._seats(seats, len(rows)))

    # --- how a batch changes ---------------------------------------------------------------------

    def step(
        self,
        actions: npt.ArrayLike,
        where: npt.ArrayLike | None = None,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
    ) -> Outcome:
        """Carry out one action in each game, or in the games `where`.

        Args:
            actions: `(n,)` integers, one per game of `where` (all games when None).
            where: distinct indices of games; the others stay untouched.
            out: three contiguous arrays that what is returned is written to.

        Returns:
            rewards `(n, P)` float32 (zero until a game ends), terminated `(n,)` bool and
            truncated `(n,)` bool, fresh arrays if none are given.

        Raises:
            IllegalActionError: an action is illegal, or `actions` has a wrong shape or dtype.
            GameOverError: a game is finished and autoreset is disabled. In both cases no game of
                the batch has changed.
            OptionError: `where` or `out` is not as it should be.
        """
        rows = self._rows(where)
        written = None if out is None else self._outcome(out, len(rows))
        actions = as_array(actions)
        check_actions(actions, len(rows))
        actions = copied(actions, np.int64)
        self._check(rows, actions)
        self._change()
        last = self._final_states if self._autoreset == loops.SAME_STEP else None
        before = None if self._recorder is None else (self.to_move[rows], self._finished[rows])
        outcome = self._kernels.step(
            self._states, actions, self._finished, self._ticks, rows, self._autoreset,
            self._step_limit, last, written,
        )  # fmt: skip
        if self._recorder is not None and before is not None:
            self._recorder.step(rows, *before, actions, outcome, self._states, last)
        return outcome

    def play(
        self,
        agents: str | Agent | Sequence[str | Agent | None],
        where: npt.ArrayLike | None = None,
        *,
        seats: npt.ArrayLike | None = None,
        num_decisions: int | None = None,
    ) -> PlayOutcome:
        """Let compiled agents play, many decisions in one call: whole games, unless told otherwise.

        They decide exactly as they do when asked by `view` and `step`. A game goes on until it is
        over, until a seat is to decide that nobody holds, or until `num_decisions` are made;
        finished games are left alone.

        Args:
            agents: who plays, such as `"greedy"`, for all seats alike or one for each; None for a
                seat that the caller decides for. Agents are not reset.
            where: distinct indices of games; the others stay untouched.
            seats: `(n, P)` index of the agent that holds each seat, -1 for the caller, where it
                differs from game to game; there may be any number of agents then.
            num_decisions: to be made at most in each game.

        Raises:
            IllegalActionError: an agent's choice is not legal; no game of the batch has changed.
            UnknownNameError: no such agent.
            OptionError: an agent is not compiled or plays another game, the batch has autoreset,
                or another argument is not as it should be.
        """
        rows = self._rows(where)
        if self._autoreset != loops.DISABLED:
            raise OptionError("games are played to their ends in a batch with autoreset='disabled'")
        limit = NO_LIMIT if num_decisions is None else whole("num_decisions", num_decisions, 1)
        several = (
            [agents]
            if isinstance(agents, str) or not isinstance(agents, Sequence)
            else list(agents)
        )
        found = [None if agent is None else load_agent(agent, self.spec.id) for agent in several]
        view = self.view(rows[:1])
        players = [None if agent is None else player_of(agent, view) for agent in found]
        course = self._course(rows, limit)
        course["seats"][:, : self.num_players] = self._held(seats, rows, found)
        seconds = play_on(self._kernels, course, players, self._recorder)
        self._check_choices(course, found)
        self._change()
        as_bytes(self._states)[rows] = as_bytes(course["state"])
        self._finished[rows], self._ticks[rows] = course["finished"], course["ticks"]
        outcome = Outcome(
            course["rewards"][:, : self.num_players].copy(),
            course["end"] == loops.TERMINATED,
            course["end"] == loops.TRUNCATED,
        )
        if self._recorder is not None:
            moved = course["num_decisions"].any(axis=1)
            brought = Outcome(*(part[moved] for part in outcome))
            self._recorder.keep(rows[moved], course["num_moves"][moved], brought)
        num_made = course["num_decisions"][:, : self.num_players].copy()
        return PlayOutcome(*outcome, num_made, seconds)

    def _course(self, rows: np.ndarray, num_decisions: int) -> np.ndarray:
        """Return copies of the games `rows` to be played on, `(n,)` records of `course_dtype`."""
        course = np.zeros(len(rows), course_dtype(self.spec))
        course["row"], course["id"] = rows, rows + self.game_offset
        as_bytes(course["state"])[:] = as_bytes(self._states)[rows]
        course["finished"] = self._finished[rows]
        course["ticks"], course["last_tick"] = self._ticks[rows], self._ticks[rows] + num_decisions
        course["max_steps"], course["seats"] = self._step_limit, NOBODY
        if self._recorder is not None:
            course["num_moves"] = self._recorder.num_moves(rows)
        return course

    def _held(
        self, seats: npt.ArrayLike | None, rows: np.ndarray, agents: Sequence[Agent | None]
    ) -> np.ndarray:
        """Return which agent holds each seat of the games `rows`, `(n, P)`, or that nobody does."""
        shape = len(rows), self.num_players
        if seats is None:
            if len(agents) not in (1, self.num_players):
                raise OptionError(
                    f"expected one agent, or one for each of {self.num_players} seats, got "
                    f"{len(agents)}; with others, `seats` says who holds which"
                )
            seats = np.broadcast_to(np.arange(self.num_players) % len(agents), shape)
        held = as_array(seats)
        is_fit = held.shape == shape and (not held.size or held.dtype.kind in "iu")
        if not is_fit or (held.size and not NOBODY <= held.min() <= held.max() < len(agents)):
            raise OptionError(
                f"seats must be integers from {NOBODY} to {len(agents) - 1}, shape {shape}; got "
                f"{held.dtype} of shape {held.shape}"
            )
        is_nobody = np.array([agent is None for agent in agents] + [True])  # the last is NOBODY's
        return np.where(is_nobody[held], NOBODY, held)

    def _check_choices(self, course: np.ndarray, agents: Sequence[Agent | None]) -> None:
        """See that no agent's choice was refused.

        Raises:
            IllegalActionError: one was; names the agent.
        """
        refused = course[course["end"] == loops.REFUSED][:1]
        if refused.size:
            row, action, state = (
                int(refused["row"][0]),
                int(refused["refused"][0]),
                refused["state"],
            )
            agent = agents[refused["seats"][0, state["to_move"][0]]]
            words = self._describe_illegal(row, action, np.ascontiguousarray(state))
            raise IllegalActionError(f"the agent {agent.name!r} in {words}")

    def step_one(self, action: int) -> bool:
        """Carry out one action in a batch of one game, quicker than `step`, and look at the game.

        What it brought is on the `table`: `rewards`, `observation`, `action_mask`.

        Args:
            action: an integer.

        Returns:
            Whether the game is over.

        Raises:
            IllegalActionError: the action is illegal, or no integer.
            GameOverError: the game is finished. In both cases it has not changed.
            OptionError: there are several games, or autoreset is on.
        """
        table, recorder = self._only_table(), self._recorder
        if not is_whole(action):
            raise IllegalActionError(f"an action is an integer, got {action!r}")
        index = int(action)
        before = None if recorder is None else self.to_move.copy()
        if not table.play(index):
            self._refuse(0, index)
        self._fresh.clear()
        if recorder is not None and before is not None:
            ends = np.array([[table.is_terminated], [table.is_truncated]])
            outcome = Outcome(table.rewards[None], *ends)
            recorder.add(self._all_rows, before, np.array([index]), outcome)
        return table.end != loops.RUNNING

    def _only_table(self) -> Table:
        if self._table is None:
            raise OptionError("a table is for num_games=1 and autoreset='disabled'")
        return self._table

    def reset(self, mask: npt.ArrayLike | None = None, *, seed: int | None = None) -> None:
        """Begin new games, in all rows or where `mask` `(B,)` bool is True.

        With `seed`, game i goes back to the start of stream (seed, game_offset + i); without,
        each game goes on with its own stream, so the next game differs from the last.
        """
        rows = self._all_rows if mask is None else rows_of_mask(mask, self.num_games)
        keys = None
        if seed is not None:
            keys = stream_keys(check_seed(seed), rows + self.game_offset)
            self._ticks[rows] = 0
        self._change()
        self._kernels.reset(self._states, rows, keys)
        self._finished[rows] = False
        if self._recorder is not None:
            self._recorder.begin(rows, self._states)

    def finish(self, where: npt.ArrayLike) -> None:
        """End the games `where` as they stand, without payoff, until they are reset."""
        self._finished[self._rows(where)] = True
        self._change()

    def set_states(
        self, states: np.ndarray, where: npt.ArrayLike | None = None, *, check: bool = True
    ) -> None:
        """Put positions on the table, which go on from there.

        A record brings its options, board and way of payoff with it, for the games that are dealt
        later in its row as well.

        Args:
            states: `(n,)` full records of this game and number of players, from `states` of a
                batch, `View.sample` or `position_from_text`.
            where: distinct indices of games `(n,)`; all when None.
            check: see that play could get to each position. Unnecessary, and slow for thousands,
                with records that come unchanged from a batch or a view. Compiled rules check no
                index: without the check, other records can end the process.

        Raises:
            OptionError: a wrong shape, dtype or number of players, or a censored record.
            PositionError: a position that play cannot reach.
        """
        rows = self._rows(where)
        states = self._as_states(states, len(rows))
        if check:
            if (states["viewer"] != FULL).any():
                raise OptionError("a censored record cannot be played; `View.sample` fills it in")
            check_positions(self.game, states)
        as_bytes(self._states)[rows] = as_bytes(states)
        self._change()
        self._kernels.find_finished(self._states, rows, self._finished, self._step_limit)
        if self._recorder is not None:
            self._recorder.begin(rows, self._states)

    def replay(
        self, row: int = 0, *, final: bool = False, info: Mapping[str, Any] | None = None
    ) -> Replay:
        """Return the record of a game, running or finished, of a batch made with `record=True`.

        Args:
            row: index of the game.
            final: the last game that ended there, in place of the one that lies there; with
                same-step autoreset only.
            info: what to keep with it, such as the agents' names; anything JSON can hold.

        Raises:
            OptionError: the batch does not record, there is no such game, or JSON cannot hold
                `info`.
        """
        recorder = self._recording()
        row = whole("row", row, 0, self.num_games - 1)
        if not final:
            return recorder.replay(row, self._states[row], info)
        return recorder.final_replay(row, info)

    def replays(self, infos: Sequence[Mapping[str, Any]]) -> Iterator[Replay]:
        """Yield the replay of each game, quicker than one by one.

        Args:
            infos: what to keep with each game `(B,)`.

        Raises:
            OptionError: the batch does not record, or JSON cannot hold an info.
        """
        recorder = self._recording()
        if len(infos) != self.num_games:
            raise OptionError(f"expected {self.num_games} infos, got {len(infos)}")
        return recorder.replays(self._states, infos)

    def _recording(self) -> Recorder:
        if self._recorder is None:
            raise OptionError("games are recorded in a batch made with record=True only")
        return self._recorder

    def clone(self) -> Batch:
        """Return an independent copy; both go on identically under the same actions."""
        clone = Batch.__new__(Batch)
        clone._take(self._contents())
        return clone

    def restore(self, saved: Batch) -> None:
        """Go back to where `saved`, a clone of this batch, stands; it stays as it is.

        Raises:
            OptionError: it is none, or a batch made with other arguments.
        """
        if not isinstance(saved, Batch) or saved.made_with != self.made_with:
            raise OptionError(
                f"can restore only what clone() of this batch returned: {self.num_games} games of "
                f"{self.spec.id} for {self.num_players} players, made with the same arguments"
            )
        self._take(saved._contents())

    @property
    def made_with(self) -> tuple[Any, ...]:
        """What two batches must have in common to go back to each other's games."""
        return (
            self.spec.id, self.num_games, self.num_players, self.autoreset, self.max_steps,
            self.reuse_buffers, self.is_recording, self.observation_dtype.name, self._template,
        )  # fmt: skip

    def _contents(self) -> dict[str, Any]:
        """Return copies of all that is not made anew by `_bind`."""
        contents = {name: value for name, value in vars(self).items() if name not in _BOUND}
        for name in self._ARRAYS:
            contents[name] = taken(contents[name])
        contents["_recorder"] = copy.deepcopy(self._recorder)
        return contents

    def _take(self, contents: dict[str, Any]) -> None:
        vars(self).update(contents)
        self._bind()

    def _checksum(self) -> int:
        return checksum((getattr(self, name) for name in self._ARRAYS), self.made_with)

    def __getstate__(self) -> dict[str, Any]:
        return {**self._contents(), "checksum": self._checksum()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        expected = state.pop("checksum")
        self._take(owned(state))
        # Compiled loops check no index, so what was damaged on the way could end the process.
        if self._checksum() != expected:
            raise OptionError("the pickle of a batch is damaged: its checksum does not fit")

    def __deepcopy__(self, memo: dict[str, Any]) -> Batch:
        return self.clone()

    # --- checks and plumbing ---------------------------------------------------------------------

    def _rows(self, where: npt.ArrayLike | None) -> np.ndarray:
        if where is None:
            return self._all_rows
        rows = as_array(where)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise OptionError(
                f"where must be a 1-D array of game indices, got {rows.dtype} of shape {rows.shape}"
                "; for a bool mask pass np.flatnonzero(mask)"
            )
        rows = copied(rows, np.int64)
        if rows.size and (rows.min() < 0 or rows.max() >= self.num_games):
            raise OptionError(f"where holds an index outside [0, {self.num_games})")
        # A browser counts in 32 bits, and numpy casts to fewer only when asked.
        if np.bincount(rows.astype(np.intp, copy=False), minlength=1).max() > 1:
            raise OptionError("where names a game twice")
        return rows

    def _outcome(self, out: tuple[np.ndarray, ...], n: int) -> Outcome:
        """Return arrays that a caller gives for what a step of n games brings."""
        if len(out) != len(Outcome._fields):
            raise OptionError(f"out must hold {len(Outcome._fields)} arrays, got {len(out)}")
        rewards, *flags = out
        return Outcome(
            room("out[0]", rewards, (n, self.num_players), ("float32",)),
            *(room("out[1] and out[2]", flag, (n,), ("bool",)) for flag in flags),
        )

    def _positions(self, final: bool) -> np.ndarray:
        if not final:
            return self._states
        if self._autoreset != loops.SAME_STEP:
            raise OptionError("final positions are kept with autoreset='same_step' only")
        return self._final_states

    def _as_states(self, states: np.ndarray, n: int) -> np.ndarray:
        dtype = self.spec.state_dtype
        is_fit = isinstance(states, np.ndarray) and states.dtype.names == dtype.names
        if not is_fit or states.shape != (n,) or not np.can_cast(states.dtype, dtype, "equiv"):
            seen = getattr(states, "dtype", type(states).__name__), np.shape(states)
            raise OptionError(
                f"expected {n} records of {self.spec.id}, an array of shape ({n},) and the dtype "
                f"of `spec.state_dtype`; got {seen[0]} of shape {seen[1]}"
            )
        states = taken(states) if states.dtype == dtype else copied(states, dtype)
        if (states["num_players"] != self.num_players).any():
            raise OptionError(f"this batch has {self.num_players} players, the records have not")
        return states

    def _seats(self, seats: npt.ArrayLike | None, n: int) -> np.ndarray | None:
        if seats is None:
            return None
        seats = as_array(seats)
        is_fit = seats.shape == (n,) and (not n or seats.dtype.kind in "iu")
        if not is_fit or not np.isin(seats, np.arange(self.num_players)).all():
            raise OptionError(
                f"seats must be {n} integers from 0 to {self.num_players - 1}, shape ({n},); "
                f"got {seats.dtype} of shape {seats.shape}"
            )
        return copied(seats, np.int64)

    def _check(self, rows: np.ndarray, actions: np.ndarray) -> None:
        bad = self._kernels.find_illegal(
            self._states, actions, self._finished, rows, self._autoreset
        )
        if bad >= 0:
            self._refuse(int(rows[bad]), int(actions[bad]))

    def _refuse(self, row: int, action: int) -> NoReturn:
        """Say why an action cannot be done."""
        if self._finished[row]:
            raise GameOverError(
                f"game {row} is finished; reset it, or make the batch with autoreset"
            )
        raise IllegalActionError(self._describe_illegal(row, action))

    def _describe_illegal(self, row: int, action: int, state: np.ndarray | None = None) -> str:
        """Say what is legal where an action is not, in a game as it stands or a record `(1,)`."""
        state = self._states[row : row + 1] if state is None else state
        to_text = self.game.action_to_text
        known = 0 <= action < self.spec.num_actions
        name = f"{action} ({to_text(action)})" if known else f"{action} (out of range)"
        legal = np.flatnonzero(self._kernels.masks(state, np.zeros(1, np.bool_))[0])
        shown = ", ".join(f"{a} ({to_text(a)})" for a in legal[:MAX_LISTED].tolist())
        more = f" and {len(legal) - MAX_LISTED} more" if len(legal) > MAX_LISTED else ""
        seat = state["to_move"][0]
        return f"game {row}, player {seat}: action {name} is not legal; legal are {shown}{more}"


def rows_of_mask(mask: npt.ArrayLike, num_games: int) -> np.ndarray:
    """Return the rows where a mask `(B,)` is True, `(n,)` int64.

    Raises:
        OptionError: it has a wrong shape or dtype.
    """
    mask = as_array(mask)
    if mask.dtype != np.bool_ or mask.shape != (num_games,):
        raise OptionError(
            f"mask must be bool of shape ({num_games},), got {mask.dtype} {mask.shape}"
        )
    return np.flatnonzero(mask)


def check_actions(actions: Any, n: int) -> None:
    """See that an array holds `(n,)` integers, wherever its memory is.

    Raises:
        IllegalActionError: it does not.
    """
    shape = tuple(actions.shape)
    if shape != (n,) or (n and actions.dtype.kind not in "iu"):
        raise IllegalActionError(
            f"expected {n} integer actions, shape ({n},); got {actions.dtype} of shape {shape}"
        )


def fresh_seed() -> int:
    """Return a seed from the operating system's entropy."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
