from .tables import DRAW

TITLE = "Tiny"
PLAY = {"en": "Play {}", "de": "{} spielen"}


def choice(record, action, language="en"):
    return "Draw" if action == DRAW else PLAY[language].format(action)


def deed(before, after, action, language="en"):
    return choice(before, action, language).lower()


def task(record, language="en"):
    return "play or draw"


def tally(record, seat, language="en"):
    return f"{record['points'][seat]} points"
