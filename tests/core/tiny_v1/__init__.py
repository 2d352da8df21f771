"""A later version of the tiny game, in which the fewest points win; it names the first one."""

from dataclasses import replace

from tests.core import tiny_game

GAME = replace(
    tiny_game.GAME,
    spec=replace(tiny_game.SPEC, version=1),
    package=__name__,
    earlier=(tiny_game.__name__,),
)
