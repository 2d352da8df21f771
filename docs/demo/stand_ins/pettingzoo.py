"""In place of PettingZoo, whose registry the games enter themselves into: nobody asks it here."""

aec_registry: dict[str, object] = {}
parallel_registry: dict[str, object] = {}


def register(kind: str, env_id: str, *entry: object, **options: object) -> None:
    """Note the name."""
    registry = aec_registry if kind == "aec" else parallel_registry
    registry[env_id] = entry, options
