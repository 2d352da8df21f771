"""In place of PettingZoo, whose registry the games enter themselves into: nobody asks it here."""

import sys
from types import ModuleType

aec_registry: dict[str, object] = {}
parallel_registry: dict[str, object] = {}


def register(kind: str, env_id: str, *entry: object, **options: object) -> None:
    """Note the name."""
    registry = aec_registry if kind == "aec" else parallel_registry
    registry[env_id] = entry, options


for _name in ("utils", "utils.env"):
    sys.modules[f"{__name__}.{_name}"] = ModuleType(f"{__name__}.{_name}")
sys.modules[f"{__name__}.utils.env"].ParallelEnv = sys.modules[f"{__name__}.utils.env"].AECEnv = (
    object
)
