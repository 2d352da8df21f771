"""How to play Keltis: Der Weg der Steine, in a few paragraphs for people."""

HOW_TO_PLAY = (
    "Aim: have the most points in rows of tiles. You lay one row in each of five colours. Its "
    "numbers only go up or only go down; the second tile decides which.",
    "Your turn: `reveal` turns over a tile of the middle, then `keep` lays it into your row, or "
    "`leave` lets it lie face up; a tile that does not fit is left without a question. Or take a "
    "tile that lies face up: `take blue 3`.",
    "A clover on a tile you lay gives you another turn at once; `leave` declines it. A wish stone "
    "counts at the end. +1 and +3 are points.",
    "End: when the last tile is revealed and that turn is over. A row of 1, 2, 3, 4, 5 or more "
    "than 5 tiles is worth -4, -3, 2, 3, 6 or 10 points, no row 0. 0, 1, 2, 3, 4 or more than 4 "
    "wish stones are worth -4, -3, 2, 3, 6 or 10.",
    "Rules: after the German rule book (Knizia, Kosmos 2009), in our words. Which tile bears which "
    "symbol was read off photographs of the printed tiles, of one copy.",
)
