"""What comes with a requirement: distributions, and the modules that they bring."""

from functools import cache
from importlib.metadata import packages_distributions, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@cache
def distributions_of(text):
    """Return the names of what a requirement such as `celtica-env[arena]` installs."""
    seen, waiting = set(), [Requirement(text)]
    while waiting:
        wish = waiting.pop()
        for extra in {"", *wish.extras}:
            if (wish.name, extra) not in seen:
                seen.add((wish.name, extra))
                parts = map(Requirement, requires(wish.name) or ())
                waiting += [part for part in parts if is_wanted(part, extra)]
    return {canonicalize_name(name) for name, _ in seen}


def is_wanted(part, extra):
    return part.marker is None or part.marker.evaluate({"extra": extra})


@cache
def distributions_by_module():
    """Return, for each module that can be imported here, the distributions that bring it."""
    return {
        module: {canonicalize_name(name) for name in names}
        for module, names in packages_distributions().items()
    }


def modules_of(text):
    """Return the modules that a requirement brings."""
    names = distributions_of(text)
    return {module for module, found in distributions_by_module().items() if found & names}
