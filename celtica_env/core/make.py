"""Make a batch of games, on this machine's processor or on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from celtica_env.core.arguments import one_of, options_of, players_of, whole
from celtica_env.core.batch import AUTORESET, Batch
from celtica_env.core.errors import OptionError
from celtica_env.core.registry import load_game
from celtica_env.core.streams import check_seed
from celtica_env.core.types import NO_LIMIT, OBSERVATION_DTYPES, PAYOFFS

if TYPE_CHECKING:
    from celtica_env.core.cuda_batch import CudaBatch

DEVICES = ("cpu", "cuda")


@overload
def make_batch(
    game: str,
    num_games: int = 1,
    num_players: int = 2,
    seed: int | None = None,
    *,
    autoreset: str = "disabled",
    max_steps: int | None = None,
    payoff: str = "win",
    num_threads: int = 1,
    game_offset: int = 0,
    reuse_buffers: bool = False,
    record: bool = False,
    observation_dtype: str = "float32",
    device: Literal["cpu"] = "cpu",
    **options: Any,
) -> Batch: ...
@overload
def make_batch(
    game: str,
    num_games: int = 1,
    num_players: int = 2,
    seed: int | None = None,
    *,
    device: Literal["cuda"],
    **options: Any,
) -> CudaBatch: ...
def make_batch(
    game: str,
    num_games: int = 1,
    num_players: int = 2,
    seed: int | None = None,
    *,
    autoreset: str = "disabled",
    max_steps: int | None = None,
    payoff: str = "win",
    num_threads: int = 1,
    game_offset: int = 0,
    reuse_buffers: bool = False,
    record: bool = False,
    observation_dtype: str = "float32",
    device: str = "cpu",
    **options: Any,
) -> Any:
    """Make a batch of games, dealt and ready to be stepped.

    Args:
        game: a name from `list_games()`.
        num_games: B.
        num_players: P, in the game's range.
        seed: non-negative integer; None draws fresh entropy. Game i depends only on the seed,
            `game_offset + i` and its actions.
        autoreset: `"disabled"`, `"same_step"` (a game that ends is dealt anew in the same step,
            its last position kept in `final_states`) or `"next_step"` (its next step ignores the
            action and deals anew).
        max_steps: decisions after which a game is truncated; None for no limit.
        payoff: `"win"`, `"rank"` or `"margin"`.
        num_threads: threads that share each call. On cores that are busy otherwise they cost more
            than they bring; measure with `celtica bench`.
        game_offset: number of the first game within the seed, to split one batch into several.
        reuse_buffers: hand out the same observation and mask arrays every time, rewritten in
            place. Faster for large batches; copy what you keep.
        record: keep the actions of each game, for `Batch.replay`.
        observation_dtype: `"float32"`, or `"int8"` for the integers that games write, a quarter of
            the memory: times `spec.observation_scales()` they are the floats. Views, which agents
            play from, hold floats in any case.
        device: `"cpu"`, or `"cuda"` for a `CudaBatch`, whose games and arrays lie on an NVIDIA GPU.
            It has no `num_threads`, `record` or `observation_dtype`, and rewrites its arrays in
            any case.
        options: the game's own options, see `spec(game).options`.

    Raises:
        UnknownNameError: no such game.
        OptionError: an argument or option is unknown or out of range.
        DeviceError: no GPU can be used.
        MissingLibraryError: the extra `cuda` is not installed.
    """
    found = load_game(game)
    num_games = whole("num_games", num_games, 1, NO_LIMIT)
    num_players = players_of(found.spec, num_players)
    num_threads = whole("num_threads", num_threads, 1, NO_LIMIT)
    game_offset = whole("game_offset", game_offset, 0, 2**62)
    one_of("autoreset", autoreset, AUTORESET)
    one_of("payoff", payoff, PAYOFFS)
    one_of("observation_dtype", observation_dtype, OBSERVATION_DTYPES)
    if max_steps is not None:
        max_steps = whole("max_steps", max_steps, 1, NO_LIMIT)
    make = Batch if one_of("device", device, DEVICES) == "cpu" else _cuda_batch
    return make(
        found,
        num_games,
        num_players,
        seed=None if seed is None else check_seed(seed),
        autoreset=autoreset,
        max_steps=max_steps,
        payoff=payoff,
        num_threads=num_threads,
        game_offset=game_offset,
        reuse_buffers=reuse_buffers,
        record=record,
        observation_dtype=observation_dtype,
        options=options_of(found.spec, options),
    )


def _cuda_batch(
    *arguments: Any, num_threads: int, record: bool, observation_dtype: str, **others: Any
) -> CudaBatch:
    if num_threads != 1 or record or observation_dtype != OBSERVATION_DTYPES[0]:
        raise OptionError("num_threads, record and observation_dtype are for device='cpu' only")
    from celtica_env.core.cuda_batch import CudaBatch, require_gpu

    require_gpu()
    return CudaBatch(*arguments, **others)
