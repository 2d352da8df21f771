"""How to play Celtic, in a few paragraphs for people."""

HOW_TO_PLAY = (
    "Aim: have the most points, from goals and from trade cards. A goal is met by own markers on "
    "all its locations: two of them bring 15 points, three bring 20. You hold two goals; each one "
    "you complete is replaced until the last ones.",
    "Your turn: first you may `complete 13`, goal number 13, or `collect wine`, a trade card for a "
    "marker on the site of that good; the markers used go home to the village. `done` goes on.",
    "Then you move: `from 12`, `to 14` and `move 3` take three markers from site 12 to site 14, at "
    "most two roads away. The other players with markers where you started may follow you, each "
    "with as many as they like: `move 0` stays. After the move you may complete and collect again; "
    "`done` ends the turn.",
    "Sites and goals go by number; the position in words names them.",
    "End: when somebody completes a fifth goal, or holds all seven goods and says `end` after the "
    "move. Everybody may complete and collect once more.",
    "Trade cards: of each good, at most one card more counts than you completed goals. Of the good "
    "you have most cards of each counts 1 point, of the next 2, and so on to 7.",
    "Rules: after the English rule book (Hillebrecht, Pegasus 2020), in our words. The map and the "
    "goals are a reconstruction.",
)
