"""Rules in words, sentence by sentence, each held by tests of the rules."""

import re

SENTENCE = re.compile(r"(?<=[.]) (?=[A-Z+`0-9])")


def sentences(paragraphs):
    """Return the sentences of a text in order."""
    return [sentence for text in paragraphs for sentence in SENTENCE.split(text)]


def unheld(paragraphs, said):
    """Return the sentences that no test holds, and what is held and not said.

    `said` names the tests of each sentence; a key that ends in `...` stands for what begins so.
    """
    told = sentences(paragraphs)
    heads = {key: key.removesuffix("...") for key in said}
    exact = {key for key in said if not key.endswith("...")}

    def is_held(sentence):
        return sentence in exact or any(
            sentence.startswith(heads[key]) for key in set(said) - exact
        )

    nowhere = [key for key in said if not any(each.startswith(heads[key]) for each in told)]
    return [sentence for sentence in told if not is_held(sentence)] + nowhere
