"""How to play Celtica, in a few paragraphs for people."""

HOW_TO_PLAY = (
    "Aim: own the most complete amulets at the end. An amulet has nine parts, outer1 to outer8 and "
    "centre, each kind once. Between players with the same number, the fuller unfinished amulets "
    "decide.",
    "Your turn: play druid cards of one colour. The druid of that colour, which belongs to nobody, "
    "goes one place for each card, and you get what its new place gives. Villages, cloisters, "
    "castles and the goal bring as many parts as they show; a ruin takes parts and gives you an "
    "experience card; at a cult site you may draw a druid card.",
    "`play red 2+1`: two red druid cards and one red experience card, so the red druid goes three "
    "places. `play red 1+0`: one druid card alone. An experience card counts like a druid card of "
    "its colour.",
    "`take outer1`, `take centre`: take that part from the display. `give outer1`: give that part "
    "up. `draw` or `pass`: draw a card at a cult site, or do not.",
    "End: when all druid cards are played, everybody gets five more. Once a druid stands on the "
    "goal no more are dealt, and the game ends when the cards in hand are played; it ends at once "
    "with all five druids there. Then experience cards are cashed in: two for a part (`take`), or "
    "one to swap a part (`give`, then `take`); `pass` stops.",
    "Rules: after the German rule book (Kramer and Kiesling, Ravensburger 2006), in our words. The "
    "places of the board are a reconstruction.",
)
